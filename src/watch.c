/* What follows for the observers of a pool when a component was added, is set or is removed: groups, the order in which
 * the pool is kept, ticks, and listeners. */
#include "watch.h"

#include "guard.h"
#include "listeners.h"
#include "marks.h"
#include "members.h"
#include "observers.h"
#include "order.h"
#include "pages.h"
#include "result.h"
#include "signal.h"
#include "sparse_set.h"
#include "storage.h"
#include "tick.h"

#include <stdalign.h>

/* ---- What follows ------------------------------------------------------------------------------------------------*/

covey_result covey__watch_prepare_many(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway) {
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

void covey__watch_added_many(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks) {
    for (uint32_t i = 0; i < count && ticks && pool->type->ticks; i++) covey__ticks_note(pool, entities[i].index);
    if (pool->watch->keeps_order) covey__sort_insert_many(pool, entities, count);
    for (uint32_t i = 0; i < count && pool->watch->group_count != 0; i++) covey__groups_added(pool, entities[i].index);
}

void *covey__found_again(covey_pool *pool, covey_entity e) {
    if (covey_pool_has(pool, e)) return covey__value_of_index(pool, e.index);
    covey__fail(pool->world, COVEY_ERROR_GONE, "a listener removed %s from %u:%u at once", pool->type->name, e.index,
                e.generation);
    return NULL;
}

covey_result covey__watch_prepare_set(covey_pool *pool, covey_signal signal, covey_entity e) {
    covey__listeners *listeners = pool->watch ? &pool->watch->listeners : NULL;
    if (!listeners || (listeners->queued & (uint32_t)signal) == 0) return COVEY_OK;
    return covey__listeners_prepare(listeners, signal, &e, 1);
}

static COVEY__NOINLINE void touch_all(const covey__listeners *listeners, uint32_t index) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if ((listeners->all[i].signals & COVEY_ON_SET) != 0) covey__reactive_mark(listeners->all[i].tags, index);
}

void covey__pool_touch(covey_pool *pool, uint32_t index) {
    covey__check_set(pool, COVEY_ON_SET);
    if (COVEY__LIKELY(pool->watch->touched != NULL)) covey__reactive_mark(pool->watch->touched, index);
    else touch_all(&pool->watch->listeners, index);
}

bool covey__watch_set(covey_pool *pool, covey_signal signal, covey_entity e) {
    if (pool->type->ticks) covey__ticks_note(pool, e.index);
    return covey__emit(pool->world, pool, signal, &e, 1);
}

void covey__watch_cleared(covey_pool *pool) {
    if (!pool->watch) return;
    const covey__pages *off = &pool->watch->off;
    for (uint32_t i = 0; i < off->count; i++)
        if (off->at[i]) memset(off->at[i], 0, COVEY__OFF_BYTES);
    covey__groups_cleared(pool);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* A group that is all that has to know of a pool asks nobody whether something is disabled. */
static bool valid_sole(const covey_pool *pool, const char **why) {
    const covey_group *sole = pool->watch->sole;
    if (!sole) return true;
    REQUIRE(!covey__type_is_observed(pool->type) && !pool->world->disabled,
            "watch: a group that does not know of all that it should");
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
                REQUIRE(
                    covey__has_index(pool, i * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS + covey__lowest_bit(left)),
                    "off: a component that is not there");
    return true;
}

bool covey__watch_valid(const covey_pool *pool, const char **why) {
    const covey__watch *watch = pool->watch;
    uint32_t depth = 0;
    const covey_sparse_set *set = covey__packed_in(pool);
    bool needs = watch && (watch->keeps_order || pool->type->ticks);
    REQUIRE(watch || !covey__type_is_observed(pool->type), "watch: changes that nobody notes");
    if (watch && !covey__listeners_valid(pool->world, pool, &watch->listeners, why)) return false;
    REQUIRE(!set || set->watched == (watch != NULL), "watch: a set that does not know of it");
    REQUIRE(((pool->uses & COVEY_USE_GROUP) != 0) == (covey__pool_owner(pool) != NULL), "watch: owned, or not");
    const covey__listeners *heard = watch ? &watch->listeners : NULL;
    bool sets = heard && (heard->signals & COVEY_ON_SET) != 0;
    bool closely = pool->type->ticks || (watch && watch->off.at);
    REQUIRE(((pool->uses & COVEY__USE_CLOSELY) != 0) == closely, "watch: handed out without a close look");
    bool drops = pool->type->drop || pool->type->move;
    bool marks =
        sets && !drops && !pool->type->ticks && ((heard->called | heard->queued | heard->decided) & COVEY_ON_SET) == 0;
    REQUIRE(((pool->uses & COVEY__USE_TOUCH) != 0) == marks, "watch: overwritten, and somebody does not hear of it");
    REQUIRE(((pool->uses & COVEY__USE_CARE) != 0) == (sets || drops || pool->type->ticks),
            "watch: overwritten without care");
    if (!watch) return true;
    const covey__listeners *listeners = &watch->listeners;
    bool needed =
        listeners->count != 0 || listeners->emitting != 0 || watch->off.at || covey__type_is_observed(pool->type);
    REQUIRE(needed || watch->group_count != 0 || watch->keeps_order, "watch: nobody needs it");
    for (uint32_t i = 0; i < listeners->count; i++) needs |= listeners->all[i].queue || listeners->all[i].tags;
    REQUIRE(!pool->plain && pool->filling.block == COVEY__NO_BLOCK, "watch: removals that nobody knows of");
    REQUIRE(pool->adding == (watch->sole ? COVEY__ADD_TO_GROUP : COVEY__ADD_AND_SETTLE),
            "watch: additions that nobody knows of");
    covey__removal removal = watch->sole && !drops ? COVEY__REMOVE_GROUPED : COVEY__REMOVE_SLOWLY;
    REQUIRE(!set || (set->room == 0 && set->removal == removal), "watch: additions that nobody knows of");
    for (uint32_t i = 0; i < watch->group_count; i++) {
        const covey_group *group = watch->groups[i].group;
        needs |= covey__group_needs_memory(group, watch->groups[i].role);
        REQUIRE(depth <= covey__group_depth(group), "watch: an inner group before an outer one");
        depth = covey__group_depth(group);
    }
    REQUIRE(watch->needs_memory == needs, "watch: needs memory, or does not, and is marked otherwise");
    REQUIRE(!watch->keeps_order || covey__storage_takes_any_order(pool), "watch: an order that is not kept");
    return valid_sole(pool, why) && valid_off(pool, why) && covey__ticks_valid(pool, why);
}
