/* Sorting pools and groups, and keeping pools sorted. storage/sparse_set_sort.c sorts the arrays. */
#include "query/sort.h"

#include "memory/inner.h"
#include "memory/result.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "storage/order.h"
#include "storage/sparse_set_sort.h"
#include "storage/storage.h"

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static const char *objection_unless_kept(const covey_pool *pool) {
    return pool->observers && pool->observers->keeps_order ? "it is kept sorted: end that with covey_pool_keep_sorted"
                                                           : covey__sort_objection(pool);
}

static covey_result refuse_sort(const covey_pool *pool, covey_result result, const char *reason) {
    return covey__fail(pool->world, result, "%s could not be sorted: %s", pool->type->name, reason);
}

static covey_result refuse_owned(const covey_pool *pool) {
    char text[128];
    covey_group_print(text, sizeof text, covey__pool_owner(pool));
    return covey__fail(pool->world, COVEY_ERROR_REFUSED,
                       "%s could not be sorted: its order is that of the group %s; sort that with covey_group_sort",
                       pool->type->name, text);
}

static covey_result sort_pool(covey_pool *pool, const covey_order *order, covey__keys_fn *make_keys) {
    covey__sort sort = covey__sort_of(pool);
    const char *fault = make_keys ? NULL : covey__order_fault(order, pool->size, sort.count);
    if (fault) return refuse_sort(pool, COVEY_ERROR_RANGE, fault);
    covey_result result = covey__sets_sort(&sort, order, make_keys);
    if (result != COVEY_OK) return refuse_sort(pool, result, covey__reason(result));
    pool->uses |= COVEY_USE_ORDER;
    covey__pool_moved(pool, true);
    return COVEY_OK;
}

static covey_result sort_if_free(covey_pool *pool, const covey_order *order, covey__keys_fn *make_keys) {
    const char *reason = objection_unless_kept(pool);
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (reason) return refuse_sort(pool, COVEY_ERROR_REFUSED, reason);
    covey_result result = sort_pool(pool, order, make_keys);
    COVEY__CHANGED(pool->world);
    return result;
}

covey_result covey_pool_sort(covey_pool *pool, const covey_order *order) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_order by_index = { 0 };
    return sort_if_free(pool, order ? order : &by_index, NULL);
}

covey_result covey__pool_sort_by(covey_pool *pool, covey__keys_fn *keys) {
    covey_order order = { .key = COVEY_KEY_U32 };
    return sort_if_free(pool, &order, keys);
}

covey_result covey_pool_sort_as(covey_pool *pool, const covey_pool *other) {
    COVEY__NEEDS_POOL(pool);
    COVEY__NEEDS_POOL(other);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    const char *reason = objection_unless_kept(pool);
    COVEY__CONTRACT(pool->world, other->world == pool->world, "both must be of one world");
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (reason) return refuse_sort(pool, COVEY_ERROR_REFUSED, reason);
    covey__sort sort = covey__sort_of(pool);
    covey_result result = covey__sets_sort_as(&sort, other);
    if (result != COVEY_OK) return refuse_sort(pool, result, covey__reason(result));
    pool->uses |= COVEY_USE_ORDER;
    covey__pool_moved(pool, true);
    COVEY__CHANGED(pool->world);
    return COVEY_OK;
}

/* ---- Keeping order -----------------------------------------------------------------------------------------------*/

covey_result covey_pool_keep_sorted(covey_pool *pool, const covey_order *order) {
    COVEY__NEEDS_POOL(pool);
    if (COVEY__IN_HOOK(pool->world)) return COVEY_ERROR_REFUSED;
    covey_result result = COVEY_OK;
    const char *reason = covey__sort_objection(pool);
    if (!order) {
        if (pool->observers) covey__keep_order(pool, NULL);
        covey__pool_unobserve(pool);
        return COVEY_OK;
    }
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (!reason && !covey__storage_takes_any_order(pool))
        reason = "keeping an order needs the policy COVEY_SWAP_AND_POP: define it without .policy";
    if (reason) return refuse_sort(pool, COVEY_ERROR_REFUSED, reason);
    if (order->from != 0 || order->count != 0)
        return refuse_sort(pool, COVEY_ERROR_RANGE, "only a whole pool can be kept sorted: leave .from and .count out");
    if (!covey__pool_observers(pool)) return refuse_sort(pool, COVEY_ERROR_MEMORY, covey__reason(COVEY_ERROR_MEMORY));
    result = sort_pool(pool, order, NULL);
    if (result == COVEY_OK) covey__keep_order(pool, order);
    covey__pool_unobserve(pool);
    COVEY__CHANGED(pool->world);
    return result;
}

/* If an allocation fails, inserts one component after the other. */
void covey__pool_sort_again(covey_pool *pool) {
    covey__sort sort = covey__sort_of(pool);
    const covey_order *order = &pool->observers->order;
    if (covey__sets_sort(&sort, order, NULL) == COVEY_OK) return;
    for (uint32_t at = 1; at < sort.count; at++) covey__order_insert(pool, order, covey__index_at(pool, at));
}

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

static covey_result refuse_group(const covey_group *group, covey_result result, const char *reason) {
    char text[128];
    covey_group_print(text, sizeof text, group);
    return covey__fail(group->world, result, "the group %s could not be sorted: %s", text, reason);
}

/* Whether another group has its members at the front of this one's. */
static bool has_inner(const covey_group *group) {
    bool found = false;
    for (uint32_t i = 0; i < covey__group_owned(group); i++) found |= covey__pool_owner(group->pools[i]) != group;
    return found;
}

/* The members, in all sets that have the order of the group. */
static covey__sort members_of(covey_group *group, const covey_pool *pool) {
    covey__sort sort = { &group->world->inner->heap, pool, { &group->members }, 1, covey_group_count(group) };
    for (uint32_t i = 0; i < covey__group_owned(group); i++) sort.sets[i] = covey__packed(group->pools[i]);
    if (covey__group_owned(group) != 0) sort.set_count = covey__group_owned(group);
    return sort;
}

static const char *group_objection(const covey_group *group) {
    if (covey__group_owned(group) != 0 && !covey__packed_in(group->pools[0]))
        return "its pools are in blocks: define them with .storage = COVEY_STORAGE_SPARSE";
    return has_inner(group) ? "an inner group has its entities at the front: destroy that first" : NULL;
}

static covey_result group_sorted(covey_group *group, covey_result result) {
    if (result != COVEY_OK) return refuse_group(group, result, covey__reason(result));
    for (uint32_t i = 0; i < covey__group_owned(group); i++) covey__pool_moved(group->pools[i], true);
    COVEY__TRACE(group->world, group->left, COVEY_NONE);
    covey__group_disturb_outer(group, COVEY_NONE);
    COVEY__CHANGED(group->world);
    return COVEY_OK;
}

covey_result covey_group_sort(covey_group *group, uint32_t field, const covey_order *order) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    if (COVEY__IN_HOOK(group->world)) return COVEY_ERROR_REFUSED;
    covey_order by_index = { 0 };
    if (!order) order = &by_index;
    if (field >= group->view.fields)
        return refuse_group(group, COVEY_ERROR_RANGE, "it has no such field: fields count from 0, owned types first");
    const covey_pool *pool = group->pools[field];
    const char *fault = covey__order_fault(order, pool->size, covey_group_count(group)),
               *reason = group_objection(group);
    if (fault) return refuse_group(group, COVEY_ERROR_RANGE, fault);
    if (reason) return refuse_group(group, COVEY_ERROR_REFUSED, reason);
    covey__sort sort = members_of(group, pool);
    return group_sorted(group, covey__sets_sort(&sort, order, NULL));
}

covey_result covey_group_sort_as(covey_group *group, const covey_pool *pool) {
    COVEY__CONTRACT(NULL, group && pool, "a call needs a group and a pool");
    COVEY__CONTRACT(group->world, pool->world == group->world, "both must be of one world");
    if (COVEY__IN_HOOK(group->world)) return COVEY_ERROR_REFUSED;
    const char *reason = group_objection(group);
    if (reason) return refuse_group(group, COVEY_ERROR_REFUSED, reason);
    covey__sort sort = members_of(group, NULL);
    return group_sorted(group, covey__sets_sort_as(&sort, pool));
}
