/* Watches: a pool of which somebody has to know what is added and removed. That is groups, keeping it sorted, and who
 * listens. */
#include "watch.h"

#include "alloc.h"
#include "enable.h"
#include "group.h"
#include "pages.h"
#include "pool.h"
#include "reactive.h"
#include "result.h"
#include "signal.h"
#include "sort.h"
#include "sparse_set.h"
#include "storage.h"
#include "tick.h"

#include <stdalign.h>

/* Whether overwriting a value takes more than writing it, or no more than marks. */
static void note_care(covey_pool *pool) {
    const covey__listeners *listeners = pool->watch ? &pool->watch->listeners : NULL;
    bool drops = pool->type->drop != NULL, heard = listeners && (listeners->signals & COVEY_ON_SET) != 0;
    bool ticks = pool->type->ticks;
    bool marks = heard && !drops && !ticks && ((listeners->called | listeners->queued) & COVEY_ON_SET) == 0;
    bool closely = ticks || (pool->watch && pool->watch->off.at);
    pool->uses &= (uint8_t) ~(COVEY__USE_CARE | COVEY__USE_TOUCH | COVEY__USE_CLOSELY);
    if (closely) pool->uses |= COVEY__USE_CLOSELY;
    pool->uses |= (uint8_t)((drops || heard || ticks ? COVEY__USE_CARE : 0) | (marks ? COVEY__USE_TOUCH : 0));
}

void covey__pool_update(covey_pool *pool) {
    const covey_type *type = pool->type;
    bool watched = pool->watch != NULL, drops = type->drop != NULL;
    covey_sparse_set *set = covey__packed(pool);
    pool->plain = !set && !watched && !drops && !type->zero_vacated;
    note_care(pool);
    pool->filling.block = COVEY_NONE;
    pool->world->moves++;
    if (!set) return;
    covey__set_watch(set, watched, drops);
    if (pool->adding == COVEY__ADD_TO_GROUP && !drops) set->removal = COVEY__REMOVE_GROUPED;
}

covey__watch *covey__pool_watch(covey_pool *pool) {
    if (pool->watch) return pool->watch;
    covey__watch *watch = covey__resize(&pool->world->heap, NULL, 0, 1, sizeof *watch, alignof(covey__watch));
    if (!watch) return NULL;
    *watch = (covey__watch){ 0 };
    pool->watch = watch;
    covey__pool_update(pool);
    return watch;
}

void covey__watch_free(covey_world *world, covey__watch *watch) {
    covey__heap *heap = &world->heap;
    covey__listeners_free(world, &watch->listeners);
    covey__free(heap, watch->groups, watch->group_capacity, sizeof *watch->groups, alignof(covey__membership));
    covey__pages_free(heap, &watch->off, COVEY__OFF_BYTES);
    covey__pages_free(heap, &watch->ticks, sizeof(covey__tick_page));
    covey__free(heap, watch, 1, sizeof *watch, alignof(covey__watch));
}

void covey__pool_unwatch(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    if (!watch || watch->group_count != 0 || watch->keeps_order || watch->off.at || pool->type->ticks) return;
    if (watch->listeners.count != 0 || watch->listeners.emitting != 0) return;
    covey__watch_free(pool->world, watch);
    pool->watch = NULL;
    pool->adding = COVEY__ADD_ONLY;
    covey__pool_update(pool);
}

static void find_sole(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    watch->sole = NULL;
    watch->other_count = 0;
    pool->adding = COVEY__ADD_AND_SETTLE;
    if (watch->group_count != 1 || watch->keeps_order || watch->listeners.count != 0) return;
    if (pool->type->ticks || pool->world->disabled) return;
    covey_group *group = watch->groups->group;
    if (group->owned != group->view.fields || group->view.without != 0) return;
    for (uint32_t i = 0; i < group->owned; i++)
        if (covey__may_hide(group->pools[i])) return;
    for (uint32_t i = 0; i < group->owned; i++)
        if (group->pools[i] != pool) watch->others[watch->other_count++] = group->pools[i];
    watch->sole = group;
    pool->adding = COVEY__ADD_TO_GROUP;
}

/* Whether some listeners keep what they hear. */
static bool keeps_events(const covey__listeners *listeners) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].queue || listeners->all[i].tags) return true;
    return false;
}

void covey__pool_update_watch(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    watch->needs_memory = watch->keeps_order || pool->type->ticks || keeps_events(&watch->listeners);
    watch->is_owned = watch->is_excluded = false;
    for (uint32_t i = 0; i < watch->group_count; i++) {
        covey__role role = watch->groups[i].role;
        watch->needs_memory |= watch->groups[i].group->owned == 0 && role != COVEY__EXCLUDED;
        watch->is_owned |= role == COVEY__OWNED;
        watch->is_excluded |= role == COVEY__EXCLUDED;
    }
    find_sole(pool);
    covey__pool_update(pool);
    pool->uses = (uint8_t)(watch->is_owned ? pool->uses | COVEY_USE_GROUP : pool->uses & ~COVEY_USE_GROUP);
    const covey__listener *first = watch->listeners.all;
    watch->touched = watch->listeners.count == 1 && (first->signals & COVEY_ON_SET) != 0 ? first->tags : NULL;
}

size_t covey__watch_bytes(const covey_pool *pool) {
    if (!pool->watch) return 0;
    return sizeof *pool->watch + pool->watch->group_capacity * sizeof *pool->watch->groups +
           covey__listeners_bytes(&pool->watch->listeners) + covey__pages_bytes(&pool->watch->off, COVEY__OFF_BYTES) +
           covey__pages_bytes(&pool->watch->ticks, sizeof(covey__tick_page));
}

/* ---- What follows ------------------------------------------------------------------------------------------------*/

/* `anyway`: whatever else the entities have by now. */
static covey_result prepare(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway) {
    covey_result result = COVEY_OK;
    if (!pool->watch || !pool->watch->needs_memory) return COVEY_OK;
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        result = covey__groups_prepare(pool, entities[i], count, anyway);
        if (pool->type->ticks && !covey__ticks_reach(pool, entities[i].index)) result = COVEY_ERROR_MEMORY;
    }
    if (result == COVEY_OK) result = covey__listeners_prepare(&pool->watch->listeners, COVEY_ON_ADD, entities, count);
    if (result != COVEY_OK || !pool->watch->keeps_order) return result;
    uint32_t left = COVEY_NONE - pool->set.end;
    if (count > left) return COVEY_ERROR_FULL;
    return covey__set_prepare_spare(&pool->set, count < left ? count + 1 : count); /* one may have to wait */
}

covey_result covey__watch_prepare_many(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    return prepare(pool, entities, count, false);
}

covey_result covey__watch_prepare_copies(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    return prepare(pool, entities, count, true);
}

covey_result covey__watch_prepare(covey_pool *pool, covey_entity e) { return covey__watch_prepare_many(pool, &e, 1); }

void covey__watch_added(covey_pool *pool, uint32_t index) {
    if (pool->type->ticks) covey__ticks_note(pool, index);
    covey__watch_placed(pool, index);
}

void covey__watch_placed(covey_pool *pool, uint32_t index) {
    if (pool->watch->keeps_order) covey__sort_insert(pool, index);
    if (pool->watch->group_count != 0) covey__groups_added(pool, index);
}

/* A component was added, and its value is there: it goes to where the watchers want it, and listeners hear of it.
 * Returns its address. */
void *covey__pool_settle(covey_pool *pool, uint32_t index, uint32_t generation) {
    covey_entity e = { index, generation };
    covey__watch_added(pool, index);
    bool called = covey__emit(pool->world, pool, COVEY_ON_ADD, &e, 1);
    COVEY__CHANGED(pool->world);
    return called ? covey__found_again(pool, e) : covey__value_of_index(pool, index);
}

void *covey__found_again(covey_pool *pool, covey_entity e) {
    if (covey_pool_has(pool, e)) return covey__value_of_index(pool, e.index);
    covey__fail(pool->world, COVEY_ERROR_GONE, "a listener removed %s from %u:%u at once", pool->type->name, e.index,
                e.generation);
    return NULL;
}

covey_result covey__watch_prepare_set(covey_pool *pool, covey_entity e) {
    covey__listeners *listeners = pool->watch ? &pool->watch->listeners : NULL;
    if (!listeners || (listeners->queued & COVEY_ON_SET) == 0) return COVEY_OK;
    return covey__listeners_prepare(listeners, COVEY_ON_SET, &e, 1);
}

static COVEY__NOINLINE void touch_all(const covey__listeners *listeners, uint32_t index) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if ((listeners->all[i].signals & COVEY_ON_SET) != 0) covey__reactive_mark(listeners->all[i].tags, index);
}

void covey__pool_touch(covey_pool *pool, uint32_t index) {
    if (COVEY__LIKELY(pool->watch->touched != NULL)) covey__reactive_mark(pool->watch->touched, index);
    else touch_all(&pool->watch->listeners, index);
}

bool covey__watch_set(covey_pool *pool, covey_entity e) {
    if (pool->type->ticks) covey__ticks_note(pool, e.index);
    return covey__emit(pool->world, pool, COVEY_ON_SET, &e, 1);
}

/* A component that is gone is no longer disabled. */
static void forget_off(const covey__watch *watch, uint32_t index) {
    uint64_t *page = covey__page_at(&watch->off, index);
    if (page) page[covey__block_of(index)] &= ~((uint64_t)1 << index % 64);
}

void covey__watch_take_out(covey_pool *pool, covey_entity e) {
    bool owned = pool->watch->is_owned, excluded = pool->watch->is_excluded;
    forget_off(pool->watch, e.index);
    if (!owned) covey__groups_leaving(pool, e.index);
    covey__pool_drop(pool, e);
    if (owned) covey__groups_erase(pool, e.index);
    else covey__pool_erase(pool, e);
    if (excluded) covey__groups_left(pool, e);
}

void covey__watch_cleared(covey_pool *pool) {
    if (!pool->watch) return;
    const covey__pages *off = &pool->watch->off;
    for (uint32_t i = 0; i < off->count; i++)
        if (off->at[i]) memset(off->at[i], 0, COVEY__OFF_BYTES);
    covey__groups_cleared(pool);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static bool has_off(const uint64_t *page) {
    uint64_t any = 0;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) any |= page[block];
    return any != 0;
}

static bool has_components(const covey_pool *pool, uint32_t page) {
    uint32_t at = 0;
    while (at < COVEY__BLOCK_PAGE && !covey__has_index(pool, page * COVEY__BLOCK_PAGE + at)) at++;
    return at < COVEY__BLOCK_PAGE;
}

void covey__watch_shrink(covey_pool *pool) {
    covey__heap *heap = &pool->world->heap;
    covey__pages *off = &pool->watch->off, *ticks = &pool->watch->ticks;
    for (uint32_t i = 0; i < off->count; i++)
        if (off->at[i] && !has_off(off->at[i])) covey__pages_drop(heap, off, i, COVEY__OFF_BYTES);
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !has_components(pool, i)) covey__pages_drop(heap, ticks, i, sizeof(covey__tick_page));
}

void covey__pool_end_watch(covey_pool *pool) {
    if (pool->watch) covey__watch_free(pool->world, pool->watch);
    pool->watch = NULL;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* A group that is all that has to know of a pool asks nobody whether something is disabled. */
static bool valid_sole(const covey_pool *pool, const char **why) {
    const covey_group *sole = pool->watch->sole;
    if (!sole) return true;
    REQUIRE(!pool->type->ticks && !pool->world->disabled, "watch: a group that does not know of all that it should");
    for (uint32_t i = 0; i < sole->owned; i++)
        REQUIRE(!covey__may_hide(sole->pools[i]), "watch: a group that does not know of all that it should");
    return true;
}

/* Only components that are there are disabled. */
static bool valid_off(const covey_pool *pool, const char **why) {
    const covey__pages *off = &pool->watch->off;
    for (uint32_t i = 0; i < off->count; i++)
        for (uint32_t block = 0; off->at[i] && block < COVEY__PAGE_BLOCKS; block++)
            for (uint64_t left = ((const uint64_t *)off->at[i])[block]; left != 0; left &= left - 1)
                REQUIRE(covey__has_index(pool, i * COVEY__BLOCK_PAGE + block * 64 + covey__lowest_bit(left)),
                        "off: a component that is not there");
    return true;
}

bool covey__watch_valid(const covey_pool *pool, const char **why) {
    const covey__watch *watch = pool->watch;
    uint32_t depth = 0;
    const covey_sparse_set *set = covey__packed_in(pool);
    bool needs = watch && (watch->keeps_order || pool->type->ticks);
    REQUIRE(watch || !pool->type->ticks, "watch: changes that nobody notes");
    if (watch && !covey__listeners_valid(pool->world, pool, &watch->listeners, why)) return false;
    REQUIRE(!set || set->watched == (watch != NULL), "watch: a set that does not know of it");
    REQUIRE(((pool->uses & COVEY_USE_GROUP) != 0) == (covey__pool_owner(pool) != NULL), "watch: owned, or not");
    const covey__listeners *heard = watch ? &watch->listeners : NULL;
    bool sets = heard && (heard->signals & COVEY_ON_SET) != 0;
    bool closely = pool->type->ticks || (watch && watch->off.at);
    REQUIRE(((pool->uses & COVEY__USE_CLOSELY) != 0) == closely, "watch: handed out without a close look");
    bool marks =
        sets && !pool->type->drop && !pool->type->ticks && ((heard->called | heard->queued) & COVEY_ON_SET) == 0;
    REQUIRE(((pool->uses & COVEY__USE_TOUCH) != 0) == marks, "watch: overwritten, and somebody does not hear of it");
    REQUIRE(((pool->uses & COVEY__USE_CARE) != 0) == (sets || pool->type->drop || pool->type->ticks),
            "watch: overwritten without care");
    if (!watch) return true;
    const covey__listeners *listeners = &watch->listeners;
    bool needed = listeners->count != 0 || listeners->emitting != 0 || watch->off.at || pool->type->ticks;
    REQUIRE(needed || watch->group_count != 0 || watch->keeps_order, "watch: nobody needs it");
    for (uint32_t i = 0; i < listeners->count; i++) needs |= listeners->all[i].queue || listeners->all[i].tags;
    REQUIRE(!pool->plain && pool->filling.block == COVEY_NONE, "watch: removals that nobody knows of");
    REQUIRE(pool->adding == (watch->sole ? COVEY__ADD_TO_GROUP : COVEY__ADD_AND_SETTLE),
            "watch: additions that nobody knows of");
    covey__removal removal = watch->sole && !pool->type->drop ? COVEY__REMOVE_GROUPED : COVEY__REMOVE_SLOWLY;
    REQUIRE(!set || (set->room == 0 && set->removal == removal), "watch: additions that nobody knows of");
    for (uint32_t i = 0; i < watch->group_count; i++) {
        const covey_group *group = watch->groups[i].group;
        needs |= group->owned == 0 && watch->groups[i].role != COVEY__EXCLUDED;
        REQUIRE(depth <= covey__group_depth(group), "watch: an inner group before an outer one");
        depth = covey__group_depth(group);
    }
    REQUIRE(watch->needs_memory == needs, "watch: needs memory, or does not, and is marked otherwise");
    REQUIRE(!watch->keeps_order || covey__storage_takes_any_order(pool), "watch: an order that is not kept");
    return valid_sole(pool, why) && valid_off(pool, why) && covey__ticks_valid(pool, why);
}
