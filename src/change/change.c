/* Structural change: components are added and removed, one or several at a time. change.h has the steps. */
#include "change/change.h"

#include "memory/inner.h"
#include "memory/bits.h"
#include "storage/default.h"
#include "observe/filing.h"
#include "storage/marks.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "observe/queue.h"
#include "memory/result.h"
#include "storage/storage_erase.h"
#include "observe/notify.h"
#include "memory/tick_page.h"
#include "observe/tick.h"

/* ---- Adding one --------------------------------------------------------------------------------------------------*/

/* Keeping an order needs room in the pool itself: values may move. */
static COVEY__NOINLINE covey_result prepare_ordered(covey_pool *pool, covey_entity e, const void **source) {
    covey__source followed = covey__storage_source(pool, *source);
    covey_result result = covey__observers_prepare_add(pool, &e, 1, false);
    *source = covey__storage_resolve(pool, &followed);
    if (result != COVEY_OK) covey__pool_moved(pool, false);
    return result;
}

static COVEY__NOINLINE covey_result prepare_observed(covey_pool *pool, covey_entity e, const void **source) {
    if (covey__has_index(pool, e.index)) return COVEY_ERROR_PRESENT;
    if (pool->observers->keeps_order) return prepare_ordered(pool, e, source);
    return covey__observers_prepare_add(pool, &e, 1, false);
}

/* Whether nothing but ticks and lookups observes a pool. */
static bool is_only_noted(const covey__observers *observers) {
    return observers->group_count == 0 && !observers->keeps_order && observers->listeners.count == 0;
}

/* Whether these have the memory that adding a component takes. */
static bool is_ready(const covey_pool *pool, uint32_t index) {
    const covey__observers *observers = pool->observers;
    return is_only_noted(observers) &&
           covey__has_tick_block(covey__page_at(&observers->ticks, index), covey__block_of(index)) &&
           (!observers->filing || covey__filing_is_ready(observers->filing, covey_pool_count(pool), index));
}

covey_result covey__pool_place(covey_pool *pool, covey_entity e, const void **source, void **value) {
    bool needs_memory = pool->observers && pool->observers->needs_memory && !is_ready(pool, e.index);
    covey_result result = needs_memory ? prepare_observed(pool, e, source) : COVEY_OK;
    if (result == COVEY_OK) result = covey__storage_place(pool, e, source, value);
    if (result == COVEY_OK) COVEY__TRACE(pool->world, pool->added, e.index);
    return result;
}

covey_result covey__pool_put(covey_pool *pool, covey_entity e, const void *value) {
    void *to;
    covey_result result = covey__pool_place(pool, e, &value, &to);
    if (result != COVEY_OK) return result;
    covey__fill(to, value, pool->size);
    if (pool->observers) covey__observers_after_add(pool, &e, 1, true);
    return COVEY_OK;
}

static void *place_or_fail(covey_pool *pool, covey_entity e, const void **source) {
    void *value = NULL;
    covey_result result = COVEY_ERROR_DEAD;
    if (covey__takes_components(pool->world, e)) result = covey__pool_place(pool, e, source, &value);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "%s could not be added to %u:%u: %s", pool->type->name, e.index, e.generation,
                    covey__reason(result));
    if (!pool->observers) COVEY__CHANGED(pool->world); /* an observed pool is validated after it has settled */
    return value;
}

void *covey__group_place(covey_pool *pool, uint32_t index, uint32_t generation) {
    return pool->place(pool, index, generation);
}

void covey__group_erase(covey_pool *pool, uint32_t index, uint32_t generation) { pool->erase(pool, index, generation); }

void *covey__pool_place_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    const void *none = NULL;
    return place_or_fail(pool, covey__entity(index, generation), &none);
}

/* Adds a component to a pool that only ticks and lookups observe. NULL: that takes memory, or another call has to find
 * out what is wrong. */
static void *add_noted(covey_pool *pool, covey_entity e, const void *value) {
    if (!covey__takes_components(pool->world, e) || !is_ready(pool, e.index)) return NULL;
    void *to = covey__storage_place_in_room(pool, e);
    if (!to) return NULL;
    COVEY__TRACE(pool->world, pool->added, e.index);
    covey__storage_move_in(pool, to, value);
    if (pool->type->ticks) covey__ticks_note(pool, e.index);
    COVEY__CHANGED(pool->world);
    return to;
}

void *covey__pool_add_slowly(covey_pool *pool, uint32_t index, uint32_t generation, const void *value) {
    void *noted = pool->observers ? add_noted(pool, covey__entity(index, generation), value) : NULL;
    if (COVEY__LIKELY(noted != NULL)) return noted;
    bool grouped = pool->adding == COVEY__ADD_TO_GROUP;
    bool quick = grouped && !covey__storage_may_move(pool, index, value);
    void *to =
        quick ? pool->place(pool, index, generation) : place_or_fail(pool, covey__entity(index, generation), &value);
    if (!to) return NULL;
    if (to != value) covey__storage_move_in(pool, to, value);
    if (!pool->observers || quick) return to;
    if (!is_only_noted(pool->observers)) return covey__pool_settle(pool, index, generation);
    if (pool->type->ticks) covey__ticks_note(pool, index);
    COVEY__CHANGED(pool->world);
    return to;
}

/* Makes the default value of the type, or fails. */
static bool begin_default(const covey_pool *pool, covey_entity e, covey__default *d) {
    covey_result result = covey__default_begin(pool->world, pool->type, d);
    if (result != COVEY_OK)
        covey__fail(pool->world, result, "the default of %s could not be made for %u:%u: %s", pool->type->name, e.index,
                    e.generation, covey__reason(result));
    return result == COVEY_OK;
}

/* The default counts as used even if a listener removed the component at once. */
static void *end_default(const covey_pool *pool, covey__default *d, void *added) {
    bool used = added || COVEY__GET_WORD(pool->world->inner->result) == COVEY_ERROR_GONE;
    covey__default_end(pool->world, pool->type, d, used);
    return added;
}

/* Checks the entity first, so that no hook is called if the add is refused. */
void *covey__pool_add_default(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    covey__default d;
    if (!covey__takes_components(pool->world, e) || covey_pool_has(pool, e))
        return covey__pool_place_slowly(pool, index, generation);
    if (!begin_default(pool, e, &d)) return NULL;
    return end_default(pool, &d, covey_pool_add_raw(pool, e, d.value));
}

void *covey__pool_set_default(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    covey__default d;
    if (!covey_pool_has(pool, e)) return covey__pool_add_default(pool, index, generation);
    if (!begin_default(pool, e, &d)) return NULL;
    return end_default(pool, &d, covey_pool_set_raw(pool, e, d.value));
}

void *covey__pool_add_changed(covey_pool *pool, covey_entity e, covey_change_fn *change, void *context) {
    covey__default d;
    if (COVEY__IN_HOOK(pool->world) || !begin_default(pool, e, &d)) return NULL;
    void *to = covey__pool_place_slowly(pool, e.index, e.generation);
    if (to) covey__storage_move_in(pool, to, d.value);
    covey__default_end(pool->world, pool->type, &d, to != NULL);
    if (!to) return NULL;
    covey__change_value(pool, change, to, context);
    return pool->observers ? covey__pool_settle(pool, e.index, e.generation) : to;
}

/* After the value is written: settles the component and emits the add. Returns the final address of the value. */
void *covey__pool_settle(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    covey__observers_after_add(pool, &e, 1, true);
    bool called = covey__emit(pool->world, pool, COVEY_ON_ADD, &e, 1);
    COVEY__CHANGED(pool->world);
    return called ? covey__found_again(pool, e) : covey__value_of_index(pool, index);
}

/* ---- Removing one ------------------------------------------------------------------------------------------------*/

/* A removed component is no longer disabled. */
static void enable_removed(const covey__observers *observers, uint32_t index) {
    uint64_t *page = covey__page_at(&observers->disabled, index);
    if (page) page[covey__block_of(index)] &= ~((uint64_t)1 << index % COVEY__BLOCK_IDS);
}

/* Drops the value, or moves it to the caller that takes it. */
static void drop_or_take(covey_pool *pool, covey_entity e, void *taken) {
    if (taken) covey__relocate(covey__storage_mover(pool), taken, covey__value_of_index(pool, e.index), pool->size);
    else covey__pool_drop(pool, e);
}

/* Lookups note it, and the entity leaves groups first; it joins groups that exclude the component last. */
static void remove_observed(covey_pool *pool, covey_entity e, void *taken) {
    bool packed = pool->observers->is_owned && covey__packed(pool), excluded = pool->observers->is_excluded;
    enable_removed(pool->observers, e.index);
    if (pool->observers->filing) covey__filing_removed(pool->observers->filing, e.index);
    if (!packed) covey__groups_leaving(pool, e.index);
    drop_or_take(pool, e, taken);
    if (packed) covey__groups_erase(pool, e.index);
    else covey__storage_erase(pool, e, pool->observers->keeps_order);
    if (excluded) covey__groups_left(pool, e);
}

static void remove_or_take(covey_pool *pool, covey_entity e, void *taken) {
    if (pool->observers) {
        remove_observed(pool, e, taken);
        return;
    }
    drop_or_take(pool, e, taken);
    covey__storage_erase(pool, e, false);
}

void covey__remove_announced(covey_pool *pool, covey_entity e) {
    COVEY__TRACE(pool->world, pool->removed, e.index);
    remove_or_take(pool, e, NULL);
}

void covey__pool_remove_slowly(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    if (pool->erase) {
        pool->erase(pool, index, generation);
        return;
    }
    if (covey__has_listeners(pool) && !covey__announce_removal(pool, e)) return;
    remove_or_take(pool, e, NULL);
}

bool covey_pool_take_raw(covey_pool *pool, covey_entity e, void *value) {
    COVEY__NEEDS_POOL(pool);
    COVEY__CONTRACT(pool->world, value || pool->size == 0, "covey_take needs a place for the value");
    if (COVEY__IN_HOOK(pool->world)) return false;
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_WRITE);
    if (!covey_pool_has(pool, e)) return false;
    COVEY__TRACE(pool->world, pool->removed, e.index);
    bool taken = !covey__has_listeners(pool) || covey__announce_removal(pool, e);
    if (taken) remove_or_take(pool, e, value);
    COVEY__CHANGED(pool->world);
    return taken;
}

/* ---- Several -----------------------------------------------------------------------------------------------------*/

static bool adds(const covey__change *c) { return c->told.signal == COVEY_ON_ADD; }

/* How many events a queue gets for a change from one source, including the later removal of the components. Room for
 * the destruction of entities was reserved when they were created. */
static uint64_t events_from(const covey__change *c, const covey__source_of_events *source, bool placed) {
    uint32_t signals = (uint32_t)c->told.signal;
    if (c->told.pool != source->pool) return 0;
    if (adds(c) && !placed) signals |= COVEY_ON_REMOVE;
    return (uint64_t)c->told.count * covey__bits_in(source->signals & signals);
}

/* Reserves for all changes together, because a queue may get events of several. */
covey_result covey__changes_reserve_queues(covey_world *world, const covey__change *changes, uint32_t count,
                                           bool placed) {
    for (covey_queue *queue = world->inner->queues; queue; queue = queue->next) {
        uint64_t events = 0;
        for (uint32_t i = 0; i < queue->source_count; i++)
            for (uint32_t k = 0; k < count; k++) events += events_from(&changes[k], &queue->sources[i], placed);
        if (queue->source_count != 0 && !world->inner->signalling->reserve_in_queue(queue, events))
            return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

/* Reserves memory for the handles of destroyed entities that a reactive set may keep because of any of the changes. */
static covey_result reserve_handles(covey_pool *tags, const covey__change *changes, uint32_t count) {
    uint64_t handles = 0;
    for (uint32_t i = 0; i < count; i++)
        if (adds(&changes[i]) && covey__ended_has_source(tags, changes[i].told.pool)) handles += changes[i].told.count;
    return covey__ended_reserve(tags, handles);
}

static covey_result reserve_in_sets(const covey__change *changes, uint32_t count) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < count; i++) {
        const covey__observers *observers = adds(&changes[i]) ? changes[i].told.pool->observers : NULL;
        for (uint32_t k = 0; observers && k < observers->listeners.count && result == COVEY_OK; k++) {
            covey_pool *tags = observers->listeners.all[k].tags;
            if (tags && tags->ended) result = reserve_handles(tags, changes, count);
        }
    }
    return result;
}

static covey_result reserve_in_groups(covey_world *world, const covey__change *changes, uint32_t count) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < world->inner->group_count && result == COVEY_OK; i++) {
        covey_group *group = world->inner->groups[i];
        uint64_t more = 0;
        for (uint32_t k = 0; k < count && covey__group_owned(group) == 0; k++) {
            const covey__emission *told = &changes[k].told;
            if (adds(&changes[k])) more += covey__group_newcomers(group, told->pool, told->entities, told->count);
        }
        if (covey__group_owned(group) == 0) result = covey__group_reserve(group, more);
    }
    return result;
}

/* With several changes, entities may get the other components of a group in the same call; and a reactive set or a
 * group may get entities from each of them. */
covey_result covey__changes_reserve(covey_world *world, const covey__change *changes, uint32_t count) {
    covey_result result = covey__changes_reserve_queues(world, changes, count, false);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        const covey__emission *told = &changes[i].told;
        if (adds(&changes[i]) && told->pool->observers)
            result = covey__observers_prepare_unqueued(told->pool, told->entities, told->count, count > 1);
    }
    if (result == COVEY_OK && count > 1) result = reserve_in_sets(changes, count);
    if (result == COVEY_OK && count > 1 && world->inner->group_count != 0)
        result = reserve_in_groups(world, changes, count);
    return result;
}

/* Before any value moves. */
static void begin_change(covey__change *c) {
    c->placing.pool = c->told.pool;
    c->placing.entities = c->told.entities;
    c->placing.count = c->told.count;
    c->placing.source = covey__storage_source(c->told.pool, c->placing.values);
}

static void note_added(const covey__change *c) {
    for (uint32_t i = 0; i < c->told.count; i++)
        COVEY__TRACE(c->told.pool->world, c->told.pool->added, c->told.entities[i].index);
}

static void unmake(covey__change *changes, uint32_t count) {
    while (count-- != 0)
        if (adds(&changes[count])) covey__erase_placed_many(&changes[count].placing);
}

covey_result covey__changes_make(covey_world *world, covey__change *changes, uint32_t count,
                                 const covey__change **culprit) {
    *culprit = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (adds(&changes[i])) begin_change(&changes[i]);
    covey_result result = covey__changes_reserve(world, changes, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        *culprit = &changes[i];
        if (adds(&changes[i])) result = covey__place_many(&changes[i].placing);
    }
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        *culprit = &changes[i];
        if (changes[i].placing.is_claimed) result = covey__place_claimed(&changes[i].placing);
    }
    if (result != COVEY_OK) unmake(changes, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        if (adds(&changes[i])) note_added(&changes[i]);
    return result;
}

static bool settles(const covey__change *c) { return adds(c) && c->told.pool->observers; }

void covey__changes_settle(covey__change *changes, uint32_t count, bool ticks) {
    for (uint32_t i = 0; i < count; i++)
        if (settles(&changes[i])) changes[i].told.pool->observers->settling = true;
    for (uint32_t i = 0; i < count; i++) {
        const covey__emission *told = &changes[i].told;
        if (!settles(&changes[i])) continue;
        told->pool->observers->settling = false;
        covey__observers_after_add(told->pool, told->entities, told->count, ticks);
    }
}

/* The group that is the only observer of all its pools, if the changes add components to all of them; or NULL. */
static covey_group *group_of_all(const covey__change *changes, uint32_t count, const covey__change *c) {
    covey_group *group = c->told.pool->observers->sole;
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && group; i++)
        found += settles(&changes[i]) && changes[i].told.pool->observers->sole == group;
    return group && found == covey__group_owned(group) ? group : NULL;
}

void covey__changes_settle_new(covey__change *changes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (settles(&changes[i])) changes[i].told.pool->observers->settling = true;
    for (uint32_t i = 0; i < count; i++) {
        const covey__emission *told = &changes[i].told;
        if (!settles(&changes[i])) continue;
        covey_group *group = group_of_all(changes, count, &changes[i]);
        told->pool->observers->settling = false;
        if (!group) covey__observers_after_add(told->pool, told->entities, told->count, true);
        else if (told->pool == group->pools[0]) covey__group_join_all(group, told->entities, told->count);
    }
}

bool covey__changes_emit(covey_world *world, covey__change *changes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) changes[i].told.together = i + 1 < count ? &changes[i + 1].told : NULL;
    return count != 0 && covey__emit_together(world, &changes->told);
}
