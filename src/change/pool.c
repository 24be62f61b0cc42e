/* Pools: a storage with a type and a world. How the pool of a type is found or created, how components are set and
 * cleared, and what else a program asks of a pool. The fast halves of add, set and remove are inline in
 * covey/detail/hot.h; the slow halves of add and remove are in change.c. */
#include "change/pool.h"

#include "memory/inner.h"
#include "change/change.h"
#include "memory/alloc.h"
#include "memory/hash.h"
#include "observe/guard.h"
#include "storage/marks.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"
#include "observe/signal.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <stdalign.h>
#include <stdio.h>

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

/* Initialises an empty storage. */
void covey__pool_init(covey_pool *pool, covey_storage storage) {
    covey__storage_init(pool, storage);
    covey__fast_add_off(pool);
    covey__storage_observe(pool);
}

covey_pool *covey_pool_find_raw(const covey_world *world, const covey_type *type) {
    return covey__pool_known(world, type);
}

static covey_pool *pool_create(covey_world *world, const covey_type *type) {
    uint32_t number = world->pool_count;
    covey_pool **pools =
        covey__reach(&world->inner->heap, world->pools, &world->inner->pool_capacity, number, UINT32_MAX, NULL);
    if (!pools) return NULL;
    world->pools = pools;
    covey_pool *pool = covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *pool, alignof(covey_pool));
    if (!pool) return NULL;
    *pool = (covey_pool){
        .world = world,
        .type = type,
        .name_hash = covey__hash(type->name, strlen(type->name), 0),
        .size = type->size,
        .number = number,
        .uses = (uint8_t)((covey__type_is_internal(type) ? COVEY__USE_INTERNAL : 0) |
                          (type->drop || type->move ? COVEY__USE_SLOW_SET : 0)),
    };
    covey__pool_init(pool, covey__type_storage(type));
    if (covey__type_is_observed(type) && !covey__pool_observers(pool)) {
        covey__free(&world->inner->heap, pool, 1, sizeof *pool, alignof(covey_pool));
        return NULL;
    }
    if (covey__type_is_observed(type)) covey__pool_update_observers(pool);
    world->pools[world->pool_count++] = pool;
    covey__pool_name(world, number);
    covey__types_met(world);
    return pool;
}

/* The pool of a type whose address is new to the world: the pool of that name, or a new one. */
static covey_pool *meet(covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_named(world, type->name);
    if (pool && !covey__type_same_layout(pool->type, type)) {
        covey__fail(world, COVEY_ERROR_LAYOUT,
                    "type %s is refused: a type of this name has another layout; rename one, or describe both alike",
                    type->name);
        return NULL;
    }
    if (!covey__type_reserve(world) || (!pool && !(pool = pool_create(world, type)))) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a pool of %s could not be created: an allocation failed", type->name);
        return NULL;
    }
    covey__type_bind(world, type, pool);
    return pool;
}

covey_pool *covey__pool_of_internal(covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_bound(world, type);
    return pool ? pool : meet(world, type);
}

const covey_type covey_type_covey_disabled = { .name = "covey.disabled", .align = 1, .storage = COVEY_STORAGE_BLOCK };

/* Links the groups to the pool before anything is added. */
covey_pool *covey__pool_of_disabled(covey_world *world) {
    if (world->inner->disabled) return world->inner->disabled;
    covey__observers *observers;
    if (!covey__groups_room(world, &observers)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a pool of %s could not be created: an allocation failed",
                    covey_type_covey_disabled.name);
        return NULL;
    }
    world->inner->disabled = covey__pool_of_internal(world, &covey_type_covey_disabled);
    if (world->inner->disabled) covey__groups_exclude(world->inner->disabled, observers);
    else if (observers) covey__observers_free(world, observers);
    return world->inner->disabled;
}

covey_pool *covey_pool_of_raw(covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    covey_pool *pool = covey__pool_bound(world, type);
    if (pool) return pool;
    if (COVEY__IN_HOOK(world)) return NULL;
    if (covey__type_valid(type)) return meet(world, type);
    if (type == covey_id(covey_disabled)) return covey__pool_of_disabled(world);
    covey__fail_type(world, type);
    return NULL;
}

/* The pool of a type that the first entry of the table does not have: the type is in another entry, or new to the
 * world. Fails for a dead entity. */
covey_pool *covey__pool_meet(covey_world *world, uint32_t index, uint32_t generation, const covey_type *type) {
    covey_entity e = covey__entity(index, generation);
    if (covey_alive(world, e)) return covey_pool_of_raw(world, type);
    covey__fail(world, COVEY_ERROR_DEAD, "%s could not be added to %u:%u: %s", type->name ? type->name : "(no name)",
                e.index, e.generation, covey__reason(COVEY_ERROR_DEAD));
    return NULL;
}

/* ---- Types that are made at run time ------------------------------------------------------------------------------*/

typedef covey_pool *pool_fn(covey_world *world, const covey_type *type);

/* Copies a description into the world, and creates its pool. */
static const covey_type *make_type(covey_world *world, const covey_type *description, pool_fn *pool_of) {
    struct covey__made_type *made = covey__type_copy(world, description);
    if (!made) return NULL;
    if (pool_of(world, covey__type_of_copy(made))) return covey__type_kept(world, made);
    covey__type_copy_free(world, made);
    return NULL;
}

const covey_type *covey_type_create(covey_world *world, const covey_type *description) {
    COVEY__CONTRACT(NULL, world && description, "a call needs a world and a type");
    covey_pool *known = covey__type_valid(description) ? covey__pool_like(world, description) : NULL;
    if (known) return known->type;
    return COVEY__IN_HOOK(world) ? NULL : make_type(world, description, covey_pool_of_raw);
}

const covey_type *covey__type_make_internal(covey_world *world, const covey_type *description) {
    return make_type(world, description, covey__pool_of_internal);
}

/* ---- Setting -----------------------------------------------------------------------------------------------------*/

bool covey__may_be_set(covey_pool *pool, covey_signal signal, covey_entity e) {
    covey__check_set(pool, signal);
    covey_result result = covey__observers_prepare_set(pool, signal, 1);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "%s of %u:%u could not be set: %s", pool->type->name, e.index, e.generation,
                    covey__reason(result));
    return result == COVEY_OK;
}

/* Overwrites a value in an observed pool, in two steps: before the caller writes the new value, */
void *covey__pool_renew(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    if (!covey__may_be_set(pool, COVEY_ON_SET, e)) return NULL;
    covey__pool_drop(pool, e);
    return covey__value_of_index(pool, index);
}

/* and after that. */
void *covey__pool_renewed(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    bool called = covey__observers_after_set(pool, COVEY_ON_SET, e);
    COVEY__CHANGED(pool->world);
    return called ? covey__found_again(pool, e) : covey__value_of_index(pool, index);
}

void *covey__pool_overwrite(covey_pool *pool, uint32_t index, uint32_t generation, const void *value) {
    covey_entity e = covey__entity(index, generation);
    void *to = covey__value_of_index(pool, index);
    if (!covey__may_be_set(pool, COVEY_ON_SET, e)) return NULL;
    if (to != value) {
        covey__pool_drop(pool, e);
        covey__storage_move_in(pool, to, value);
    }
    return covey__pool_renewed(pool, index, generation);
}

/* ---- Clearing ----------------------------------------------------------------------------------------------------*/

/* Whether the pool has listeners to removals, or an active emission. */
static bool removals_are_heard(const covey_pool *pool) {
    if (!pool->observers) return false;
    return (pool->observers->listeners.signals & COVEY_ON_REMOVE) != 0 || pool->observers->listeners.emitting != 0;
}

/* Which components to remove: those that a function chooses; without a function, all. */
typedef struct choice {
    covey_condition_fn *remove;
    void *context;
} choice;

static bool is_chosen(const covey_pool *pool, uint32_t position, covey_entity e, const choice *c) {
    if (!c->remove) return true;
    covey__hook hook = covey__hook_begin(pool->world, "covey_remove_if function", pool->type);
    bool chosen = c->remove(e, covey_pool_value_at_raw(pool, position), c->context);
    covey__hook_end(hook);
    return chosen;
}

/* Lists the next chosen components, at most a block of them: from a sparse pool the last ones before a position, from a
 * block pool the first ones from a position on. Updates the position. Returns 0 at the end. */
static uint32_t next_to_remove(const covey_pool *pool, uint32_t *position, covey_entity *entities, const choice *c) {
    uint32_t count = 0, at = covey_pool_next(pool, *position), block = at / COVEY__BLOCK_IDS;
    const covey_sparse_set *set = covey__packed_in(pool);
    for (; !set && at != COVEY_NONE && (count == 0 || at / COVEY__BLOCK_IDS == block);
         at = covey_pool_next(pool, at + 1)) {
        block = at / COVEY__BLOCK_IDS;
        covey_entity e = covey_pool_at(pool, at);
        if (is_chosen(pool, at, e, c)) entities[count++] = e;
    }
    if (!set) *position = at;
    else if (*position > set->end) *position = set->end;
    while (set && *position != 0 && count < COVEY__BLOCK_IDS) {
        covey_entity e = covey_pool_at(pool, --*position);
        if (!covey_is_null(e) && is_chosen(pool, *position, e, c)) entities[count++] = e;
    }
    return count;
}

/* Where the positions of a sparse pool end; 0 for a pool in blocks, which the macro of this name would report. */
static uint32_t end_of(const covey_pool *pool) { return (covey_pool_position_count)(pool); }

/* Whether the removals are only recorded. */
static bool removals_are_recorded(const covey_pool *pool) {
    return !covey__removal_calls(pool) && pool->observers->listeners.emitting == 0;
}

static uint32_t remove_recorded(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey__record_removals(pool, entities, count);
    for (uint32_t i = 0; i < count; i++) covey__remove_announced(pool, entities[i]);
    return count;
}

/* Before a pool is cleared: records the removal of all components. */
static void record_all(covey_pool *pool, const choice *all) {
    covey_entity entities[COVEY__BLOCK_IDS];
    uint32_t position = end_of(pool), count;
    while ((count = next_to_remove(pool, &position, entities, all)) != 0) covey__record_removals(pool, entities, count);
}

static uint32_t remove_quietly(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) covey__pool_remove(pool, entities[i], pool->size);
    return count;
}

/* Announces the removals, then removes the components that are still present. */
static uint32_t remove_loudly(covey_pool *pool, covey_entity *entities, uint32_t count) {
    uint32_t rest = 0, removed = 0;
    if (removals_are_recorded(pool)) return remove_recorded(pool, entities, count);
    for (uint32_t i = 0; i < count; i++) covey__finish_emissions(pool, entities[i]);
    for (uint32_t i = 0; i < count; i++) {
        if (!covey_pool_has(pool, entities[i])) continue;
        if (!covey__end_announced(pool, entities[i])) {
            entities[rest++] = entities[i];
            continue;
        }
        covey__remove_announced(pool, entities[i]);
        removed++;
    }
    uint64_t ended = covey__emit_removals(pool, entities, rest);
    for (uint32_t i = 0; i < rest; i++) {
        if ((ended >> i & 1) != 0 || !covey_pool_has(pool, entities[i])) continue;
        covey__remove_announced(pool, entities[i]);
        removed++;
    }
    return removed;
}

/* Removes the chosen components in batches. Components that listeners add meanwhile may stay. */
static uint32_t remove_chosen(covey_pool *pool, const choice *c) {
    covey_entity entities[COVEY__BLOCK_IDS];
    uint32_t position = end_of(pool), count, removed = 0;
    while ((count = next_to_remove(pool, &position, entities, c)) != 0) {
        if (pool->observers) pool->observers->is_cleared = true;
        removed +=
            removals_are_heard(pool) ? remove_loudly(pool, entities, count) : remove_quietly(pool, entities, count);
        if (pool->observers) pool->observers->is_cleared = false;
    }
    return removed;
}

/* Whether an add moves other components. */
static bool is_bound(const covey_pool *pool) {
    return pool->observers && (pool->observers->is_owned || pool->observers->keeps_order);
}

/* If a listener adds components, others may move past the position: repeat while the number shrinks. */
static uint32_t remove_all_chosen(covey_pool *pool, const choice *c) {
    bool again = removals_are_heard(pool) && is_bound(pool);
    uint32_t removed = 0, now, before;
    do {
        before = covey_pool_count(pool);
        now = remove_chosen(pool, c);
        removed += now;
    } while (again && now != 0 && covey_pool_count(pool) != 0 && covey_pool_count(pool) < before);
    return removed;
}

void covey__pool_clear_untold(covey_pool *pool) {
    const covey_type *type = pool->type;
    for (uint32_t at = 0; type->drop && (at = covey_pool_next(pool, at)) != COVEY_NONE; at++)
        covey__pool_drop_value(pool, covey_pool_value_at_raw(pool, at));
    if (covey__is_reactive(pool)) covey__reactive_unmark_all(pool);
    else {
        covey__storage_unmark(pool);
        covey__storage_clear(pool);
        covey__fast_add_off(pool);
    }
    covey__observers_after_clear(pool);
    covey__pool_moved(pool, true);
}

void covey__pool_clear(covey_pool *pool) {
    if (COVEY__IN_HOOK(pool->world)) return;
    const choice all = { NULL, NULL };
    COVEY__COSTLY_CONTRACT(pool->world, !covey__is_cleared(pool), COVEY__IS_CLEARED);
    bool recorded = removals_are_heard(pool) && removals_are_recorded(pool);
    if (recorded) record_all(pool, &all);
    else if (removals_are_heard(pool)) remove_all_chosen(pool, &all);
    if (recorded || !removals_are_heard(pool) || covey_pool_count(pool) == 0) covey__pool_clear_untold(pool);
    else covey__pool_moved(pool, true);
    COVEY__CHANGED(pool->world);
}

uint32_t covey_pool_remove_if(covey_pool *pool, covey_condition_fn *remove, void *context) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return 0;
    const choice some = { remove, context };
    COVEY__CONTRACT(pool->world, remove, "a call needs a function");
    COVEY__COSTLY_CONTRACT(pool->world, !covey__is_cleared(pool), COVEY__IS_CLEARED);
    uint32_t removed = remove_all_chosen(pool, &some);
    COVEY__CHANGED(pool->world);
    return removed;
}

void covey__pool_erase_all(covey_pool *pool) {
    covey_storage storage = (covey_storage)pool->storage;
    covey__storage_free(pool);
    covey__presence_unmark_all(pool->world, pool->number);
    covey__pool_init(pool, storage);
    covey__observers_after_clear(pool);
    covey__pool_update(pool);
}

/* ---- Order and memory --------------------------------------------------------------------------------------------*/

covey_result covey_pool_swap(covey_pool *pool, covey_entity a, covey_entity b) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_result result = COVEY_OK;
    covey_sparse_set *set = covey__packed(pool);
    if (!set || set->policy == COVEY_IN_PLACE || is_bound(pool)) result = COVEY_ERROR_REFUSED;
    else if (!covey_pool_has(pool, a) || !covey_pool_has(pool, b)) result = COVEY_ERROR_ABSENT;
    else result = covey_sparse_set_swap(set, a, b);
    if (result != COVEY_OK)
        return covey__fail(pool->world, result, "two %s could not be swapped: %s", pool->type->name,
                           result == COVEY_ERROR_REFUSED ? "it needs a sparse pool that may move values, without an "
                                                           "owning group and not kept sorted"
                                                         : covey__reason(result));
    pool->uses |= COVEY_USE_ORDER;
    covey__pool_moved(pool, true);
    COVEY__CHANGED(pool->world);
    return COVEY_OK;
}

covey_result covey_pool_reserve(covey_pool *pool, uint32_t count) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_result result = covey__storage_reserve(pool, count);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "%u %s could not be reserved: %s", count, pool->type->name,
                    covey__reason(result));
    covey__pool_moved(pool, false);
    return result;
}

/* In place: the last components fill all holes. */
static covey_result fill_holes(covey_pool *pool, covey_moved_fn *moved, void *context) {
    covey_sparse_set *set = covey__packed(pool);
    if (!set || set->policy != COVEY_IN_PLACE)
        return covey__fail(
            pool->world, COVEY_ERROR_REFUSED,
            "%s could not be compacted with a function for moves: its policy is not COVEY_IN_PLACE; call "
            "covey_pool_compact without one",
            pool->type->name);
    bool moves = set->holes != 0;
    covey__hook hook = covey__hook_begin(pool->world, "covey_pool_compact function", pool->type);
    covey__set_pack(set, moved, context);
    covey__hook_end(hook);
    covey__pool_moved(pool, moves);
    return COVEY_OK;
}

static covey_result close_holes(covey_pool *pool) {
    uint32_t end = end_of(pool);
    covey__storage_compact(pool);
    covey__fast_add_off(pool);
    covey__pool_moved(pool, end_of(pool) != end); /* positions change if holes were closed */
    return COVEY_OK;
}

covey_result covey_pool_compact(covey_pool *pool, covey_moved_fn *moved, void *context) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_result result = moved ? fill_holes(pool, moved, context) : close_holes(pool);
    COVEY__CHANGED(pool->world);
    return result;
}

void covey_pool_shrink(covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return;
    if (covey__is_reactive(pool)) return;
    covey__storage_shrink(pool);
    covey__fast_add_off(pool);
    if (pool->observers) covey__observers_shrink(pool);
    covey__pool_moved(pool, false);
    COVEY__CHANGED(pool->world);
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

void *covey_pool_page_raw(const covey_pool *pool, uint32_t page) {
    COVEY__NEEDS_POOL(pool);
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    const covey_sparse_set *set = covey__packed_in(pool);
    return set ? covey_sparse_set_page(set, page) : NULL;
}

uint32_t covey_pool_position(const covey_pool *pool, covey_entity e) {
    COVEY__NEEDS_POOL(pool);
    const covey_sparse_set *set = covey__packed_in(pool);
    if (!covey_pool_has(pool, e)) return COVEY_NONE;
    return set ? covey_sparse_set_find(set, e) : covey__index(e);
}

const covey_type *covey_pool_type(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return pool->type;
}

covey_storage covey_pool_storage(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return (covey_storage)pool->storage;
}

covey_group *covey_pool_owner(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return (covey_group *)(uintptr_t)covey__pool_owner(pool);
}

covey_world *covey_pool_world(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return pool->world;
}

size_t covey_pool_memory(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return sizeof *pool + covey__storage_bytes(pool);
}

void covey__refuse_arrays(const covey_pool *pool, const char *file, int line) {
    covey__fail(pool->world, COVEY_ERROR_REFUSED,
                "%s is in blocks, without packed arrays: walk it with covey_pool_next, or define it with "
                ".storage = COVEY_STORAGE_SPARSE (%s:%d)",
                pool->type->name, file, line);
}

static COVEY__NOINLINE void not_of_type(const covey_pool *pool, const covey_type *type, const char *file, int line) {
    char text[200];
    snprintf(text, sizeof text, "the pool is of %s, not of %s", pool->type->name, type->name);
    covey__contract_broken(pool->world, text, file, line);
}

covey_pool *covey__typed(const covey_pool *pool, const covey_type *type, const char *file, int line) {
    const covey_pool *checked = covey__needs_pool(pool, file, line);
    bool same = checked->type == type || strcmp(checked->type->name, type->name) == 0;
    if (!same) not_of_type(pool, type, file, line);
    return (covey_pool *)(uintptr_t)pool;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

bool covey__pool_valid(const covey_world *world, const covey_pool *pool, const char **why) {
    REQUIRE(pool->world == world, "pool: it belongs to another world");
    REQUIRE(pool->number < world->pool_count && world->pools[pool->number] == pool,
            "pool: its number is not its place in the world");
    if (!covey__storage_valid(pool, why)) return false;
    if (covey__is_reactive(pool) && !covey__reactive_valid(pool, why)) return false;
    for (uint32_t i = covey_pool_next(pool, 0); i != COVEY_NONE; i = covey_pool_next(pool, i + 1)) {
        covey_entity e = covey_pool_at(pool, i);
        REQUIRE(covey_alive(world, e), "pool: a dead entity has a component");
    }
    REQUIRE(covey__storage_is_marked(pool), "presence: a pool is not marked in a block where it has components");
    return true;
}
