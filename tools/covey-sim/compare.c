/* Holds a world against the model. */
#include "sim.h"

#include <covey/hierarchy.h>

static void compare_component(sim *s, covey_world *world, const naive_entity *n, uint32_t type, const char *which) {
    const covey_type *t = value_types[type];
    const naive_component *wanted = &n->at[type];
    const void *value = covey_get_raw(world, n->e, t);
    uint32_t seed, index = n->e.index;
    covey_entity link;
    SIM_REQUIRE(s, (value != NULL) == wanted->present, "%s: %u %s %s", which, index, value ? "has" : "lacks", t->name);
    SIM_REQUIRE(s, covey_has_raw(world, n->e, t) == wanted->present, "%s: covey_has and covey_get differ", which);
    if (!value) return;
    SIM_REQUIRE(s, value_read(type, value, &seed, &link), "%s: %s of %u is damaged", which, t->name, index);
    SIM_REQUIRE(s, seed == wanted->seed, "%s: %s of %u has another value", which, t->name, index);
    SIM_REQUIRE(s, covey_same(link, wanted->link), "%s: %s of %u names %u:%u, not %u:%u", which, t->name, index,
                link.index, link.generation, wanted->link.index, wanted->link.generation);
    SIM_REQUIRE(s, covey_component_is_enabled_raw(world, n->e, t) == !wanted->disabled, "%s: %s of %u is %s", which,
                t->name, index, wanted->disabled ? "enabled" : "disabled");
    uint64_t tick = covey_changed_at_raw(world, n->e, t);
    SIM_REQUIRE(s, tick == wanted->tick, "%s: %s of %u was changed at tick %llu, not %llu", which, t->name, index,
                (unsigned long long)tick, (unsigned long long)wanted->tick);
}

/* Two types at once, which covey_get_all finds in another way. */
static void compare_pair(sim *s, covey_world *world, const naive_entity *n, uint32_t a, uint32_t b, const char *which) {
    void *first, *second;
    const covey__destination into[] = { { value_types[a], &first, value_types[a]->size },
                                        { value_types[b], &second, value_types[b]->size } };
    bool all = covey__get_all(world, n->e, into, 2), both = n->at[a].present && n->at[b].present;
    SIM_REQUIRE(s, all == both, "%s: covey_get_all of %u", which, n->e.index);
    SIM_REQUIRE(s,
                !both || (first == covey_get_raw(world, n->e, value_types[a]) &&
                          second == covey_get_raw(world, n->e, value_types[b])),
                "%s: covey_get_all and covey_get differ", which);
}

static void compare_children(sim *s, covey_world *world, const naive_world *naive, covey_entity e, const char *which) {
    const naive_entity *wanted = naive_next_child(naive, e, 0);
    covey_entity child = covey_child_first(world, e);
    for (; wanted; wanted = naive_next_child(naive, e, wanted->rank)) {
        SIM_REQUIRE(s, covey_same(child, wanted->e), "%s: another child of %u", which, e.index);
        child = covey_child_next(world, child);
    }
    SIM_REQUIRE(s, covey_is_null(child), "%s: %u has too many children", which, e.index);
}

static void compare_entity(sim *s, covey_world *world, const naive_world *naive, const naive_entity *n,
                           const char *which) {
    const char *name = covey_name(world, n->e);
    SIM_REQUIRE(s, covey_alive(world, n->e), "%s: %u is not alive", which, n->e.index);
    SIM_REQUIRE(s, covey_is_enabled(world, n->e) == !n->disabled, "%s: %u is %s", which, n->e.index,
                n->disabled ? "enabled" : "disabled");
    SIM_REQUIRE(s, strcmp(name ? name : "", n->name) == 0, "%s: %u is named \"%s\", not \"%s\"", which, n->e.index,
                name ? name : "", n->name);
    SIM_REQUIRE(s, covey_same(covey_parent(world, n->e), n->parent), "%s: %u has another parent", which, n->e.index);
    compare_children(s, world, naive, n->e, which);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) compare_component(s, world, n, t, which);
    for (uint32_t t = 1; t < NAIVE_TYPES; t++) compare_pair(s, world, n, t - 1, t, which);
}

static void compare_resource(sim *s, covey_world *world, const naive_component *wanted, uint32_t type,
                             const char *which) {
    const void *value = covey_resource_get_raw(world, value_types[type]);
    uint32_t seed;
    covey_entity link;
    SIM_REQUIRE(s, (value != NULL) == wanted->present, "%s: resource %s is %s", which, value_types[type]->name,
                value ? "present" : "absent");
    if (!value) return;
    SIM_REQUIRE(s, value_read(type, value, &seed, &link), "%s: resource %s is damaged", which, value_types[type]->name);
    SIM_REQUIRE(s, seed == wanted->seed && covey_same(link, wanted->link), "%s: resource %s has another value", which,
                value_types[type]->name);
}

void sim_compare_worlds(sim *s, covey_world *world, const naive_world *naive, const char *which) {
    const char *why = "";
    if (!covey_world_validate(world, &why)) sim_fail_for(s, why, which);
    SIM_REQUIRE(s, covey_entity_count(world) == naive->count, "%s: %u entities, not %u", which,
                covey_entity_count(world), naive->count);
    covey_entity e = COVEY_NULL;
    for (uint32_t i = 0; i < naive->count; i++) {
        e = covey_entity_next(world, e);
        SIM_REQUIRE(s, covey_same(e, naive->list[i].e), "%s: entity %u:%u, not %u:%u", which, e.index, e.generation,
                    naive->list[i].e.index, naive->list[i].e.generation);
        compare_entity(s, world, naive, &naive->list[i], which);
    }
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) compare_resource(s, world, &naive->resources[t], t, which);
    SIM_REQUIRE(s, covey_tick(world) == naive->tick, "%s: tick %llu, not %llu", which,
                (unsigned long long)covey_tick(world), (unsigned long long)naive->tick);
}

void sim_compare(sim *s, sim_side *side) {
    if (ledger_fault()) sim_fail_for(s, ledger_fault(), "a hook");
    sim_compare_worlds(s, side->world, side->naive, "the world");
    for (uint32_t i = 0; i < side->stale_count; i++)
        SIM_REQUIRE(s, !covey_alive(side->world, side->stale[i]), "the stale handle %u:%u resolves",
                    side->stale[i].index, side->stale[i].generation);
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->check) sim_parts[i]->check(s, side);
}
