/* The naive view: a description, and a look at one entity after the other. */
#include "oracle.h"

static uint32_t count_of(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

/* Writes what a view names, in the order of its fields, with what it excludes last; returns how many there are. */
static uint32_t terms_of(const covey_view_desc *desc, const covey_type **terms) {
    const covey_type *const *const kinds[] = { desc->with, desc->optional, desc->any, desc->without };
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < 4; kind++)
        for (uint32_t i = 0; i < count_of(kinds[kind]); i++) terms[count++] = kinds[kind][i];
    return count;
}

uint32_t oracle_view_fields(const covey_view_desc *desc) {
    return count_of(desc->with) + count_of(desc->optional) + count_of(desc->any);
}

const covey_type *oracle_view_type(const covey_view_desc *desc, uint32_t field) {
    const covey_type *terms[4 * COVEY_TERMS];
    terms_of(desc, terms);
    return field < oracle_view_fields(desc) ? terms[field] : NULL;
}

static bool is_named(const covey_type *const *terms, uint32_t count, const covey_type *type) {
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(terms[i]->name, type->name) == 0) return true;
    return false;
}

bool oracle_view_is_read_only(const covey_view_desc *desc, uint32_t field) {
    return is_named(desc->read, count_of(desc->read), oracle_view_type(desc, field));
}

bool oracle_view_valid(const covey_view_desc *desc) {
    const covey_type *terms[4 * COVEY_TERMS];
    uint32_t count = terms_of(desc, terms);
    if (count > COVEY_TERMS) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!oracle_type_valid(terms[i]) || is_named(terms, i, terms[i])) return false;
    for (uint32_t i = 0; i < count_of(desc->read); i++)
        if (!desc->read[i]->name || !is_named(terms, oracle_view_fields(desc), desc->read[i])) return false;
    return true;
}

static bool is_tag_of_disabled(const covey_type *type) { return type == covey_id(covey_disabled); }

bool oracle_view_sees(oracle_world *world, const covey_view_desc *desc, const covey_type *type, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(world, type);
    if (is_tag_of_disabled(type)) return oracle_alive(world, e) && !oracle_is_enabled(world, e);
    if (!pool || !oracle_has(world, pool, e)) return false;
    return desc->include_disabled || oracle_component_is_enabled(world, pool, e);
}

/* Whether entities that are disabled count. */
static bool asks_for_disabled(const covey_view_desc *desc) {
    const covey_type *terms[4 * COVEY_TERMS];
    bool asks = desc->include_disabled;
    for (uint32_t i = 0, count = terms_of(desc, terms); i < count; i++) asks = asks || is_tag_of_disabled(terms[i]);
    return asks;
}

static uint32_t count_had(oracle_world *world, const covey_view_desc *desc, const covey_type *const *types,
                          covey_entity e) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < count_of(types); i++) count += oracle_view_sees(world, desc, types[i], e);
    return count;
}

bool oracle_view_matches(oracle_world *world, const covey_view_desc *desc, covey_entity e) {
    uint32_t any = count_of(desc->any), needed = world->fault == ORACLE_NEEDS_ALL_OF_ANY ? any : any != 0;
    if (!oracle_alive(world, e) || count_had(world, desc, desc->with, e) != count_of(desc->with)) return false;
    if (!oracle_is_enabled(world, e) && !asks_for_disabled(desc)) return false;
    if (count_had(world, desc, desc->any, e) < needed) return false;
    if (world->fault == ORACLE_NEEDS_OPTIONAL && count_had(world, desc, desc->optional, e) != count_of(desc->optional))
        return false;
    return world->fault == ORACLE_IGNORES_WITHOUT || count_had(world, desc, desc->without, e) == 0;
}

static uint32_t count_disabled(const oracle_world *world) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->alive; i++) count += !oracle_is_enabled(world, world->roll[i]);
    return count;
}

/* The first of the smallest pools leads. */
const oracle_pool *oracle_view_lead(oracle_world *world, const covey_view_desc *desc) {
    const oracle_pool *lead = NULL;
    uint32_t best = 0;
    for (uint32_t i = 0; i < count_of(desc->with); i++) {
        bool tag = is_tag_of_disabled(desc->with[i]); /* in blocks */
        const oracle_pool *pool = oracle_pool_of(world, desc->with[i]);
        if (!pool && !tag) return NULL;
        uint32_t count = tag ? count_disabled(world) : oracle_set_count(pool->set);
        bool better = world->fault == ORACLE_LEADS_BY_LARGEST ? count > best : count < best;
        if (i != 0 && !better) continue;
        lead = pool;
        best = count;
    }
    return lead && !lead->set->by_index ? lead : NULL;
}
