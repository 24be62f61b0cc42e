/* Notifies the observers of a pool when a component is added, set or removed: ticks, the order in which the pool is
 * kept, groups, and listeners. */
#include "observe/notify.h"

#include "memory/inner.h"
#include "observe/filing.h"
#include "observe/guard.h"
#include "storage/marks.h"
#include "observe/members.h"
#include "storage/order.h"
#include "memory/pages.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "observe/tick.h"

#include <stdalign.h>

covey_result covey__observers_prepare_unqueued(covey_pool *pool, const covey_entity *entities, uint32_t count,
                                               bool anyway) {
    covey__observers *observers = pool->observers;
    covey_result result = COVEY_OK;
    if (!observers || !observers->needs_memory) return COVEY_OK;
    for (uint32_t i = 0; i < count && pool->type->ticks && result == COVEY_OK; i++)
        if (!covey__ticks_reach(pool, entities[i].index)) result = COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) result = covey__groups_prepare(pool, entities, count, anyway);
    if (result == COVEY_OK && observers->filing) result = pool->world->inner->looking->prepare(pool, entities, count);
    if (result == COVEY_OK)
        result = covey__listeners_prepare_marks(pool->world, &observers->listeners, entities, count);
    if (result != COVEY_OK || !observers->keeps_order) return result;
    return covey__order_prepare(pool, count);
}

covey_result covey__observers_prepare_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool anyway) {
    covey_result result = COVEY_OK;
    if (pool->observers)
        result = covey__listeners_prepare_events(pool->world, &pool->observers->listeners, COVEY_ON_ADD, count);
    return result == COVEY_OK ? covey__observers_prepare_unqueued(pool, entities, count, anyway) : result;
}

void covey__observers_after_add(covey_pool *pool, const covey_entity *entities, uint32_t count, bool ticks) {
    for (uint32_t i = 0; i < count && ticks && pool->type->ticks; i++) covey__ticks_note(pool, entities[i].index);
    if (pool->observers->keeps_order) covey__order_insert_many(pool, &pool->observers->order, entities, count);
    covey__groups_added_many(pool, entities, count);
}

void *covey__found_again(covey_pool *pool, covey_entity e) {
    if (covey_pool_has(pool, e)) return covey__value_of_index(pool, e.index);
    covey__fail(pool->world, COVEY_ERROR_GONE,
                "%s of %u:%u was added or set, and a listener removed it at once: expect NULL, or change the listener",
                pool->type->name, e.index, e.generation);
    return NULL;
}

covey_result covey__observers_prepare_set(covey_pool *pool, covey_signal signal, uint32_t count) {
    covey__listeners *listeners = pool->observers ? &pool->observers->listeners : NULL;
    if (!listeners || (listeners->queued & (uint32_t)signal) == 0) return COVEY_OK;
    return covey__listeners_prepare_events(pool->world, listeners, signal, count);
}

static COVEY__NOINLINE void mark_set_in_all(const covey__listeners *listeners, uint32_t index) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if ((listeners->all[i].signals & COVEY_ON_SET) != 0) covey__reactive_mark(listeners->all[i].tags, index);
}

void covey__pool_mark_set(covey_pool *pool, uint32_t index) {
    covey__check_set(pool, COVEY_ON_SET);
    if (COVEY__LIKELY(pool->observers->sole_tags != NULL)) covey__reactive_mark(pool->observers->sole_tags, index);
    else mark_set_in_all(&pool->observers->listeners, index);
}

bool covey__observers_after_set(covey_pool *pool, covey_signal signal, covey_entity e) {
    if (pool->type->ticks) covey__ticks_note(pool, e.index);
    return covey__emit(pool->world, pool, signal, &e, 1);
}

void covey__observers_after_clear(covey_pool *pool) {
    if (!pool->observers) return;
    const covey__pages *disabled = &pool->observers->disabled;
    for (uint32_t i = 0; i < disabled->count; i++)
        if (disabled->at[i]) memset(disabled->at[i], 0, COVEY__DISABLED_BYTES);
    if (pool->observers->filing) pool->world->inner->looking->cleared(pool);
    covey__groups_cleared(pool);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* A sole observer does not check for disabled components, so there must be none. */
static bool valid_sole(const covey_pool *pool, const char **why) {
    const covey__observers *observers = pool->observers;
    const covey_group *sole = observers->sole;
    covey__others others = { observers->others, observers->other_count };
    if (!covey__near_valid(&observers->near, sole ? &sole->front : NULL, pool, others, why)) return false;
    if (!sole) return true;
    REQUIRE(!covey__type_is_observed(pool->type) && !pool->world->inner->disabled,
            "observers: a group counts as the only observer, but there are more");
    for (uint32_t i = 0; i < covey__group_owned(sole); i++)
        REQUIRE(!covey__may_hide(sole->pools[i]), "observers: a group counts as the only observer, but there are more");
    return true;
}

/* Only components that are present can be disabled. */
static bool valid_disabled(const covey_pool *pool, const char **why) {
    const covey__pages *disabled = &pool->observers->disabled;
    for (uint32_t i = 0; i < disabled->count; i++)
        for (uint32_t block = 0; disabled->at[i] && block < COVEY__PAGE_BLOCKS; block++)
            for (uint64_t left = ((const uint64_t *)disabled->at[i])[block]; left != 0; left &= left - 1)
                REQUIRE(
                    covey__has_index(pool, i * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS + covey__lowest_bit(left)),
                    "disabled: an absent component is disabled");
    return true;
}

bool covey__observers_valid(const covey_pool *pool, const char **why) {
    const covey__observers *observers = pool->observers;
    uint32_t depth = 0;
    const covey_sparse_set *set = covey__packed_in(pool);
    bool needs = observers && (observers->keeps_order || pool->type->ticks);
    REQUIRE(observers || !covey__type_is_observed(pool->type), "observers: the type needs them, but there are none");
    if (observers && !covey__listeners_valid(pool->world, pool, &observers->listeners, why)) return false;
    REQUIRE(!set || set->observed == (observers != NULL), "observers: the observed flag of the set is wrong");
    REQUIRE(((pool->uses & COVEY_USE_GROUP) != 0) == (covey__pool_owner(pool) != NULL),
            "observers: COVEY_USE_GROUP is wrong");
    const covey__listeners *heard = observers ? &observers->listeners : NULL;
    bool sets = heard && (heard->signals & COVEY_ON_SET) != 0;
    bool slow_values = pool->type->ticks || (observers && observers->disabled.at);
    REQUIRE(((pool->uses & COVEY__USE_SLOW_VALUES) != 0) == slow_values, "observers: COVEY__USE_SLOW_VALUES is wrong");
    bool drops = pool->type->drop || pool->type->move;
    bool marks =
        sets && !drops && !pool->type->ticks && ((heard->called | heard->queued | heard->decided) & COVEY_ON_SET) == 0;
    REQUIRE(((pool->uses & COVEY__USE_MARK_ON_SET) != 0) == marks, "observers: COVEY__USE_MARK_ON_SET is wrong");
    REQUIRE(((pool->uses & COVEY__USE_SLOW_SET) != 0) == (sets || drops || pool->type->ticks),
            "observers: COVEY__USE_SLOW_SET is wrong");
    if (!observers) return true;
    const covey__listeners *listeners = &observers->listeners;
    bool needed = listeners->count != 0 || listeners->emitting != 0 || observers->disabled.at ||
                  covey__type_is_observed(pool->type);
    REQUIRE(needed || observers->group_count != 0 || observers->keeps_order,
            "observers: the structure remains, but no observer is left");
    for (uint32_t i = 0; i < listeners->count; i++) needs |= listeners->all[i].queue || listeners->all[i].tags;
    REQUIRE(!pool->plain && pool->filling.block == COVEY__NO_BLOCK, "observers: inline adds or removals bypass them");
    REQUIRE(pool->adding == (observers->sole ? COVEY__ADD_TO_GROUP : COVEY__ADD_AND_SETTLE),
            "observers: inline adds or removals bypass them");
    REQUIRE(!pool->place == !observers->sole && !pool->erase == (!observers->sole || pool->type->drop),
            "observers: inline adds or removals bypass them");
    covey__removal removal = observers->sole && !drops ? COVEY__REMOVE_GROUPED : COVEY__REMOVE_SLOWLY;
    REQUIRE(!set || (set->room == 0 && set->removal == removal), "observers: inline adds or removals bypass them");
    for (uint32_t i = 0; i < observers->group_count; i++) {
        const covey_group *group = observers->groups[i].group;
        needs |= covey__group_needs_memory(group, observers->groups[i].role);
        REQUIRE(depth <= covey__group_depth(group), "observers: an inner group is listed before an outer one");
        depth = covey__group_depth(group);
    }
    REQUIRE(observers->needs_memory == needs, "observers: needs_memory is wrong");
    REQUIRE(!observers->keeps_order || covey__storage_takes_any_order(pool),
            "observers: the pool is kept in order, but its storage cannot be ordered");
    return valid_sole(pool, why) && valid_disabled(pool, why) && covey__ticks_valid(pool, why);
}
