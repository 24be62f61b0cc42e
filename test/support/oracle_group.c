/* The naive group: a description. Membership is found by looking at the entity. */
#include "oracle.h"

static uint32_t count_of(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

static bool is_among(const covey_type *const *types, uint32_t count, const covey_type *type) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(types[i]->name, type->name) == 0) return true;
    return false;
}

static bool are_among(const covey_type *const *types, uint32_t count, const covey_type *const *others, uint32_t most) {
    for (uint32_t i = 0; i < most; i++)
        if (!is_among(types, count, others[i])) return false;
    return true;
}

/* ---- Members ------------------------------------------------------------------------------------------------------*/

static oracle_group describe(const covey_group_desc *desc) {
    oracle_group group = { .owned = count_of(desc->own) };
    memcpy(group.desc.with, desc->own, group.owned * sizeof desc->own[0]);
    memcpy(group.desc.with + group.owned, desc->with, count_of(desc->with) * sizeof desc->with[0]);
    memcpy(group.desc.without, desc->without, sizeof desc->without);
    return group;
}

bool oracle_group_asks_for(const oracle_group *group, const covey_type *type) {
    return is_among(group->desc.with, count_of(group->desc.with), type);
}

bool oracle_group_excludes(const oracle_group *group, const covey_type *type) {
    return is_among(group->desc.without, count_of(group->desc.without), type);
}

bool oracle_group_has(oracle_world *world, const oracle_group *group, covey_entity e) {
    covey_view_desc desc = group->desc;
    if (world->fault == ORACLE_GROUPS_WANT_LITTLE) desc.with[group->owned != 0 ? group->owned : 1] = NULL;
    return oracle_view_matches(world, &desc, e);
}

/* ---- Groups that own the same -------------------------------------------------------------------------------------*/

static bool owns(const oracle_group *group, const covey_type *type) {
    return is_among(group->desc.with, group->owned, type);
}

static bool share_pools(const oracle_group *a, const oracle_group *b) {
    for (uint32_t i = 0; i < a->owned; i++)
        if (owns(b, a->desc.with[i])) return true;
    return false;
}

/* Whether it owns, asks for and excludes all that the other one does. */
static bool is_part_of(const oracle_group *inner, const oracle_group *outer) {
    const covey_view_desc *a = &inner->desc, *b = &outer->desc;
    return are_among(a->with, inner->owned, b->with, outer->owned) &&
           are_among(a->with, count_of(a->with), b->with, count_of(b->with)) &&
           are_among(a->without, count_of(a->without), b->without, count_of(b->without));
}

bool oracle_group_is_inner(const oracle_group *inner, const oracle_group *outer) {
    return share_pools(inner, outer) && is_part_of(inner, outer) && !is_part_of(outer, inner);
}

bool oracle_is_owned(const oracle_world *world, const oracle_pool *pool) {
    for (uint32_t i = 0; i < world->group_count; i++)
        if (owns(&world->groups[i], pool->type)) return true;
    return false;
}

/* ---- Making and ending --------------------------------------------------------------------------------------------*/

static bool has_other_layout(oracle_world *world, const covey_type *type) {
    return oracle_pool_named(world, type->name) && !oracle_pool_of(world, type);
}

oracle_owning oracle_may_own(oracle_world *world, const covey_type *type) {
    const oracle_pool *pool = oracle_pool_of(world, type);
    bool block = pool ? pool->set->by_index : oracle_type_is_block(type);
    bool pinned = pool ? pool->set->pinned : type->storage == COVEY_STORAGE_PINNED;
    if (type->policy != COVEY_SWAP_AND_POP || (pool && pool->set->kept)) return ORACLE_OWNS_NOT;
    return !block ? ORACLE_OWNS_PACKED : pinned || type->size == 0 ? ORACLE_OWNS_NOT : ORACLE_OWNS_BLOCKS;
}

covey_result oracle_may_group(oracle_world *world, const covey_group_desc *desc) {
    uint32_t asked = count_of(desc->own) + count_of(desc->with);
    if (asked == 0 || asked + count_of(desc->without) > COVEY_TERMS) return COVEY_ERROR_TYPE;
    oracle_group group = describe(desc);
    if (!oracle_view_valid(&group.desc)) return COVEY_ERROR_TYPE;
    for (uint32_t i = 0; i < asked; i++)
        if (has_other_layout(world, group.desc.with[i])) return COVEY_ERROR_LAYOUT;
    for (uint32_t i = 0; i < count_of(desc->without); i++)
        if (has_other_layout(world, desc->without[i])) return COVEY_ERROR_LAYOUT;
    for (uint32_t i = 0; i < group.owned; i++)
        if (oracle_may_own(world, desc->own[i]) == ORACLE_OWNS_NOT ||
            oracle_may_own(world, desc->own[i]) != oracle_may_own(world, desc->own[0]))
            return COVEY_ERROR_REFUSED;
    if (world->fault == ORACLE_GROUPS_OVERLAP) return COVEY_OK;
    for (uint32_t i = 0; i < world->group_count; i++) {
        const oracle_group *other = &world->groups[i];
        bool nested = oracle_group_is_inner(&group, other) || oracle_group_is_inner(other, &group);
        if (share_pools(&group, other) && !nested) return COVEY_ERROR_CONFLICT;
    }
    return COVEY_OK;
}

oracle_group *oracle_group_begin(oracle_world *world, const covey_group_desc *desc, covey_group *group) {
    oracle_group *begun = &world->groups[world->group_count++];
    *begun = describe(desc);
    begun->group = group;
    return begun;
}

void oracle_group_end(oracle_world *world, oracle_group *group) { *group = world->groups[--world->group_count]; }
