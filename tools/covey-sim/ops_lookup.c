/* Lookups, whose answers are compared with a scan of the model, in the order that is documented. */
#include "sim.h"

#include <covey/lookup.h>
#include <covey/shared.h>

#include <stdlib.h>

enum { LOOKUPS = 6 };

typedef enum kind { TARGETS, NUMBERS, ORDERED, PLACES, KINDS } kind;
static const char *const kind_names[KINDS] = { "targets", "numbers", "numbers in order", "places" };

typedef struct looked {
    covey_lookup *lookup;
    uint32_t type;
    kind kind;
    covey_target_end policy;
    uint32_t number; /* they deal with sources in the order in which they were made */
} looked;

struct sim_lookups {
    looked all[LOOKUPS + 1]; /* the last one exists for a step only */
    uint32_t last;
};

/* Types with ticks and fields; places need those with a handle, which have two numbers. */
static uint32_t pick_type(uint32_t n, kind of) {
    for (uint32_t i = 0; i < NAIVE_TYPES; i++) {
        uint32_t type = sim_type(n + i);
        bool fits = value_types[type]->ticks && value_types[type]->fields;
        if (fits && (of == NUMBERS || of == ORDERED || value_has_link(type))) return type;
    }
    return 0;
}

/* ---- The scan ----------------------------------------------------------------------------------------------------*/

typedef struct list {
    covey_entity e[SIM_LISTED];
    uint32_t count;
} list;

/* The seed, and the number behind it, as the model's entity has them. */
static void point_of(const sim_side *side, const looked *l, const naive_entity *n, double *point) {
    const char *value = covey_get_raw(side->world, n->e, value_types[l->type]);
    uint32_t numbers[2];
    memcpy(numbers, value + value_seed_offset(l->type), sizeof numbers);
    point[0] = numbers[0];
    point[1] = numbers[1];
}

/* What is asked for. */
typedef struct question {
    covey_entity target;
    uint32_t low, high;
    double box_low[2], box_high[2], distance;
} question;

static double square_to(const sim_side *side, const looked *l, const naive_entity *n, const double *to) {
    double point[2];
    point_of(side, l, n, point);
    return (point[0] - to[0]) * (point[0] - to[0]) + (point[1] - to[1]) * (point[1] - to[1]);
}

/* Adds an entity to a list, by number and then by index; the model is in index order. */
static void insert(const sim_side *side, list *to, const naive_entity *n, uint32_t type, bool by_seed) {
    uint32_t at = to->count++;
    while (by_seed && at != 0 && naive_find(side->naive, to->e[at - 1])->at[type].seed > n->at[type].seed) {
        to->e[at] = to->e[at - 1];
        at--;
    }
    to->e[at] = n->e;
}

static list *scan(sim *s, const sim_side *side, const looked *l, const question *q) {
    static list found;
    found.count = 0;
    for (uint32_t i = 0; i < side->naive->count; i++) {
        const naive_entity *n = &side->naive->list[i];
        const naive_component *c = &n->at[l->type];
        bool fits = c->present && (l->kind != TARGETS || covey_same(c->link, q->target));
        fits = fits && (l->kind == TARGETS || l->kind == PLACES || (c->seed >= q->low && c->seed <= q->high));
        if (fits && !sim_lies(s, SIM_LIE_LOOKUP_LACKS)) insert(side, &found, n, l->type, l->kind == ORDERED);
    }
    if (found.count > 1 && sim_lies(s, SIM_LIE_ANSWER_REORDERED)) {
        found.e[0] = found.e[1];
        found.e[1] = found.e[found.count - 1];
    }
    return &found;
}

static void check_search(sim *s, covey_search search, const list *wanted) {
    uint32_t at = 0;
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++, at++)
            SIM_REQUIRE(s, at < wanted->count && covey_same(search.entities[i], wanted->e[at]),
                        "a lookup finds %u:%u as number %u of %u", search.entities[i].index,
                        search.entities[i].generation, at, wanted->count);
    SIM_REQUIRE(s, at == wanted->count, "a lookup finds %u entities, not %u", at, wanted->count);
}

/* ---- Questions ---------------------------------------------------------------------------------------------------*/

static uint32_t count_filed(const sim_side *side, const looked *l) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->naive->count; i++) {
        const naive_component *c = &side->naive->list[i].at[l->type];
        count += c->present && (l->kind != TARGETS || !covey_is_null(c->link));
    }
    return count;
}

/* The sources of a target, and theirs, each before its own. */
static void list_below(const sim_side *side, const looked *l, covey_entity root, covey_entity target, list *to) {
    for (uint32_t i = 0; i < side->naive->count; i++) {
        const naive_entity *n = &side->naive->list[i];
        if (!n->at[l->type].present || !covey_same(n->at[l->type].link, target) || covey_same(n->e, root)) continue;
        to->e[to->count++] = n->e;
        list_below(side, l, root, n->e, to);
    }
}

static void ask_targets(sim *s, sim_side *side, const looked *l, uint32_t n) {
    static list below;
    uint32_t number = side->naive->count != 0 ? n % side->naive->count : 0;
    covey_entity link = side->naive->count != 0 ? side->naive->list[number].at[l->type].link : COVEY_NULL;
    question q = { .target = n % 3 != 0 ? link : sim_any(side, n) };
    if (covey_is_null(q.target)) {
        SIM_REQUIRE(s, covey_lookup_count(l->lookup, &q.target) == 0, "null has sources");
        return;
    }
    const list *found = scan(s, side, l, &q);
    check_search(s, covey_lookup_find(l->lookup, &q.target), found);
    SIM_REQUIRE(s, covey_lookup_count(l->lookup, &q.target) == found->count, "a target has %u sources, not %u",
                covey_lookup_count(l->lookup, &q.target), found->count);
    below.count = 0;
    list_below(side, l, q.target, q.target, &below);
    check_search(s, covey_lookup_find_below(l->lookup, q.target), &below);
}

static void ask_numbers(sim *s, sim_side *side, const looked *l, uint32_t n) {
    uint32_t last = s->seeds + 1, seed = n % (last + 1);
    const naive_entity *some = side->naive->count != 0 ? &side->naive->list[n % side->naive->count] : NULL;
    if (some && some->at[l->type].present) seed = some->at[l->type].seed;
    question one = { .low = seed, .high = seed }, many = { .low = n / 7 % last, .high = n / 3 % last };
    const list *found = scan(s, side, l, &one);
    check_search(s, covey_lookup_find(l->lookup, &seed), found);
    SIM_REQUIRE(s, covey_lookup_count(l->lookup, &seed) == found->count, "%u entities have a number, not %u",
                covey_lookup_count(l->lookup, &seed), found->count);
    if (l->kind != ORDERED) return;
    found = scan(s, side, l, &many);
    check_search(s, covey_lookup_range(l->lookup, &many.low, &many.high), found);
    found = scan(s, side, l, &(question){ .high = UINT32_MAX });
    check_search(s, covey_lookup_range(l->lookup, NULL, NULL), found);
    covey_entity first = found->count != 0 ? found->e[0] : COVEY_NULL;
    SIM_REQUIRE(s, covey_same(covey_lookup_first(l->lookup), first), "the first one is not %u", first.index);
}

/* Each entity that is found once, and is near enough; and as many as there are. */
static void ask_near(sim *s, sim_side *side, const looked *l, const double *point, double distance) {
    covey_search search = covey_lookup_near(l->lookup, point, distance);
    uint32_t wanted = 0, count = 0, near;
    static covey_entity nearest[SIM_LISTED];
    const list *all = scan(s, side, l, &(question){ .high = 0 });
    for (uint32_t i = 0; i < all->count; i++)
        wanted += square_to(side, l, naive_find(side->naive, all->e[i]), point) <= distance * distance;
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++, count++) {
            const naive_entity *n = naive_find(side->naive, search.entities[i]);
            SIM_REQUIRE(s, n && n->at[l->type].present, "a place is found that is not there");
            SIM_REQUIRE(s, square_to(side, l, n, point) <= distance * distance, "a place is found that is not near");
        }
    SIM_REQUIRE(s, count == wanted, "%u places are near, not %u", count, wanted);
    near = covey_lookup_nearest(l->lookup, point, distance, nearest, NULL, SIM_LISTED);
    SIM_REQUIRE(s, near == wanted, "%u are the nearest, not %u", near, wanted);
    for (uint32_t i = 1; i < near; i++)
        SIM_REQUIRE(s,
                    square_to(side, l, naive_find(side->naive, nearest[i - 1]), point) <=
                        square_to(side, l, naive_find(side->naive, nearest[i]), point),
                    "the nearest are not in order");
}

static void ask_pairs(sim *s, sim_side *side, const looked *l, double distance) {
    covey_pairs pairs = covey_lookup_pairs(l->lookup, distance);
    uint32_t wanted = 0, count = 0;
    const list *all = scan(s, side, l, &(question){ .high = 0 });
    for (uint32_t i = 0; i < all->count; i++) {
        double point[2];
        point_of(side, l, naive_find(side->naive, all->e[i]), point);
        for (uint32_t k = 0; k < i; k++)
            wanted += square_to(side, l, naive_find(side->naive, all->e[k]), point) <= distance * distance;
    }
    while (covey_pairs_next(&pairs)) count += pairs.count;
    SIM_REQUIRE(s, count == wanted, "there are %u pairs, not %u", count, wanted);
}

static void ask_places(sim *s, sim_side *side, const looked *l, uint32_t n) {
    double point[2] = { n % 1000, n * 3.0 }, distance = n % 2 != 0 ? n / 4.0 : n / 64.0;
    if (side->naive->count != 0 && side->naive->list[n % side->naive->count].at[l->type].present)
        point_of(side, l, &side->naive->list[n % side->naive->count], point);
    ask_near(s, side, l, point, distance);
    ask_pairs(s, side, l, distance);
}

static void ask(sim *s, sim_side *side, const looked *l, uint32_t n) {
    uint32_t filed = count_filed(side, l);
    SIM_REQUIRE(s, covey_lookup_size(l->lookup) == filed, "a lookup of %s has %u entities, not %u",
                value_types[l->type]->name, covey_lookup_size(l->lookup), filed);
    switch (l->kind) {
    case TARGETS: ask_targets(s, side, l, n); break;
    case NUMBERS:
    case ORDERED: ask_numbers(s, side, l, n); break;
    default: ask_places(s, side, l, n); break;
    }
}

/* ---- The part ----------------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->lookups = calloc(1, sizeof *side->lookups);
    if (!side->lookups) abort();
}

/* Half of them end with the world. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < LOOKUPS; i += 2) covey_lookup_destroy(side->lookups->all[i].lookup);
    free(side->lookups);
}

/* Not after every step, so that changes gather. */
static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < LOOKUPS; i++)
        if (side->lookups->all[i].lookup && (s->at + i) % 5 == 0)
            ask(s, side, &side->lookups->all[i], sim_mix(s->at, i));
}

static uint64_t in_force(const sim_side *side) {
    for (uint32_t i = 0; i < LOOKUPS; i++)
        if (side->lookups->all[i].lookup) return SIM_BIT(SIM_LOOKUP);
    return 0;
}

const sim_part sim_part_lookups = { .begin = begin, .end = end, .check = check, .in_force = in_force };

/* ---- Operations --------------------------------------------------------------------------------------------------*/

static covey_lookup_desc desc_of(const looked *l) {
    covey_lookup_desc desc = { .type = value_types[l->type],
                               .ordered = l->kind == ORDERED,
                               .when_target_ends = l->policy };
    if (l->kind == TARGETS) desc.field = "to";
    else if (l->kind != PLACES) desc.field = "seed";
    else {
        desc.place[0] = "seed";
        desc.place[1] = "check";
        desc.cell = 3e8;
    }
    return desc;
}

static bool make(sim *s, sim_side *side, uint32_t at, looked l) {
    sim_touch_type(s, l.type);
    covey_lookup_desc desc = desc_of(&l);
    l.lookup = covey_lookup_create(side->world, &desc);
    l.number = ++side->lookups->last;
    if (!sim_settle(s, side, l.lookup != NULL, COVEY_OK)) return false;
    side->lookups->all[at] = l;
    return true;
}

static void create(sim *s, sim_side *side, const sim_step *step) {
    uint32_t at = step->c % LOOKUPS;
    looked l = { .kind = step->a % 8 < KINDS ? (kind)(step->a % 8) : TARGETS };
    if (side->lookups->all[at].lookup) return;
    l.type = pick_type(step->b, l.kind);
    if (l.kind == TARGETS) l.policy = (covey_target_end)(step->a / 8 % 4);
    sim_say(s, "lookup_create: lookup %u, of %s of %s, policy %u", at, kind_names[l.kind], value_types[l.type]->name,
            l.policy);
    make(s, side, at, l);
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    looked *l = &side->lookups->all[step->a % LOOKUPS];
    if (!l->lookup) return;
    sim_say(s, "lookup_destroy: lookup %u", step->a % LOOKUPS);
    covey_lookup_destroy(l->lookup);
    *l = (looked){ 0 };
}

static void lookup_ask(sim *s, sim_side *side, const sim_step *step) {
    const looked *l = &side->lookups->all[step->a % LOOKUPS];
    if (!l->lookup) return;
    sim_say(s, "lookup_ask: lookup %u", step->a % LOOKUPS);
    sim_touch_type(s, l->type);
    for (uint32_t i = 0; i < 4; i++) ask(s, side, l, sim_mix(step->b, i));
}

/* ---- Targets that end --------------------------------------------------------------------------------------------*/

static void end_source(sim *s, sim_side *side, const looked *l, covey_entity source) {
    naive_component *c = naive_component_of(side->naive, source, l->type);
    s->reordered = true;
    switch (l->policy) {
    case COVEY_TARGET_KEEP: break;
    case COVEY_TARGET_CLEAR:
        c->link = COVEY_NULL;
        sim_marked(s, side, source, l->type);
        break;
    case COVEY_TARGET_REMOVE: sim_removed(s, side, source, l->type); break;
    case COVEY_TARGET_DESTROY: sim_destroyed(s, side, source); break;
    }
}

static bool is_source(const naive_component *c, covey_entity target) {
    return c && c->present && covey_same(c->link, target);
}

static void end_sources(sim *s, sim_side *side, const looked *l, covey_entity target) {
    covey_entity sources[SIM_LISTED];
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->naive->count; i++)
        if (is_source(&side->naive->list[i].at[l->type], target) && !sim_lies(s, SIM_LIE_SOURCE_FORGOTTEN))
            sources[count++] = side->naive->list[i].e;
    for (uint32_t i = 0; i < count; i++)
        if (is_source(naive_component_of(side->naive, sources[i], l->type), target)) end_source(s, side, l, sources[i]);
}

/* The lookup with a policy that was made next after a number, or NULL. */
static const looked *next_with_policy(const sim_side *side, uint32_t number) {
    const looked *next = NULL;
    for (uint32_t i = 0; i <= LOOKUPS; i++) {
        const looked *l = &side->lookups->all[i];
        bool has_policy = l->lookup && l->policy != COVEY_TARGET_KEEP;
        if (has_policy && l->number > number && (!next || l->number < next->number)) next = l;
    }
    return next;
}

/* The library does so after the call that destroys, whose targets it takes in another order: the result is the same. */
void sim_target_ended(sim *s, sim_side *side, covey_entity target) {
    const looked *l = next_with_policy(side, 0);
    for (; l; l = next_with_policy(side, l->number)) end_sources(s, side, l, target);
}

bool sim_is_target(const sim_side *side, covey_entity e) {
    for (const looked *l = next_with_policy(side, 0); l; l = next_with_policy(side, l->number))
        for (uint32_t i = 0; i < side->naive->count; i++)
            if (is_source(&side->naive->list[i].at[l->type], e)) return true;
    return false;
}

/* A living target, if there is one. */
static covey_entity pick_target(sim_side *side, uint32_t type, uint32_t n) {
    covey_entity link = side->naive->count != 0 ? side->naive->list[n % side->naive->count].at[type].link : COVEY_NULL;
    return naive_find(side->naive, link) ? link : sim_living(side, n);
}

/* With one more lookup that does something for targets, for this step. */
static void destroy_target(sim *s, sim_side *side, const sim_step *step) {
    looked l = { .type = pick_type(step->b, TARGETS), .kind = TARGETS, .policy = (covey_target_end)(step->c % 4) };
    covey_entity target = pick_target(side, l.type, step->a);
    if (covey_is_null(target)) return;
    sim_say(s, "target_destroy: %u:%u, policy %u, sources have %s", target.index, target.generation, l.policy,
            value_types[l.type]->name);
    sim_touch(s, SIM_DESTROY);
    if (!make(s, side, LOOKUPS, l)) return;
    bool destroyed = covey_destroy(side->world, target);
    covey_lookup_destroy(side->lookups->all[LOOKUPS].lookup);
    if (s->nested == 0) {
        SIM_REQUIRE(s, destroyed, "a living target is not destroyed");
        sim_destroyed(s, side, target);
    }
    side->lookups->all[LOOKUPS] = (looked){ 0 };
}

/* It lives on in another world: its sources stay. */
static void leave(sim *s, sim_side *side, covey_entity target) {
    sim_touch(s, SIM_DESTROY);
    uint32_t left = covey_leave_many(side->world, &target, 1);
    if (s->nested != 0) return;
    SIM_REQUIRE(s, left == 1, "a living target does not leave");
    if (sim_is_target(side, target) && sim_lies(s, SIM_LIE_LEAVING_ENDS)) sim_destroyed(s, side, target);
    else sim_left(s, side, target);
}

/* Targets that are not alive here have ended elsewhere. */
static void end_elsewhere(sim *s, sim_side *side) {
    covey_entity targets[SIM_BATCH];
    uint32_t count = covey_targets_elsewhere(side->world, targets, SIM_BATCH);
    if (count > SIM_BATCH || s->nested != 0) return;
    for (uint32_t i = 0; i < count; i++)
        SIM_REQUIRE(s, !naive_find(side->naive, targets[i]) && sim_is_target(side, targets[i]),
                    "a target is said to be elsewhere, and is not");
    covey_targets_end(side->world, targets, count);
    for (uint32_t i = 0; i < count && s->nested == 0; i++)
        if (!sim_lies(s, SIM_LIE_ENDED_LIVES)) sim_target_ended(s, side, targets[i]);
    if (s->nested == 0)
        SIM_REQUIRE(s, covey_targets_elsewhere(side->world, NULL, 0) == 0, "a target that has ended has sources");
}

static void target_leave(sim *s, sim_side *side, const sim_step *step) {
    const looked *l = next_with_policy(side, 0);
    if (l && step->c % 2 != 0 && next_with_policy(side, l->number)) l = next_with_policy(side, l->number);
    covey_entity target = pick_target(side, l ? l->type : pick_type(step->b, TARGETS), step->a);
    bool ends = step->c / 2 % 2 != 0;
    if (covey_is_null(target)) return;
    sim_say(s, "target_leave: %u:%u%s", target.index, target.generation, ends ? ", and targets end elsewhere" : "");
    leave(s, side, target);
    if (ends) end_elsewhere(s, side);
}

const sim_operation sim_lookup_operations[] = {
    { "lookup_create", SIM_LOOKUP, 20, create },     { "lookup_destroy", SIM_LOOKUP, 2, destroy },
    { "lookup_ask", SIM_LOOKUP, 8, lookup_ask },     { "target_destroy", SIM_LOOKUP, 6, destroy_target },
    { "target_leave", SIM_LOOKUP, 6, target_leave }, { NULL, 0, 0, NULL },
};
