/* Groups: over sparse pools, over blocks, and owning nothing; nested, with excluded types, several at once. Members are
 * compared with a filter of the model after every step. */
#include "order.h"
#include "sim.h"

#include <stdlib.h>

enum { GROUPS = 6, OWNED_MOST = 3, FIELDS_MOST = 6, WITHOUT_MOST = 3 };

/* Types, as a list and as bits. */
typedef struct terms {
    uint32_t count, bits;
    uint32_t types[FIELDS_MOST];
} terms;

typedef struct group {
    covey_group *group;
    terms fields;   /* those that it owns first */
    uint32_t owned; /* how many it owns */
    uint32_t owns;  /* a bit for each of them */
    terms without;
    bool in_blocks;
    uint32_t number; /* none has 0 */
} group;

struct sim_groups {
    group groups[GROUPS];
    uint32_t count, last;
};

static covey_entity members[SIM_LISTED], members_then[SIM_LISTED];

static const char *name_of(uint32_t type) { return value_types[type]->name; }

static void touch_group(sim *s, const group *g) {
    sim_touch(s, g->in_blocks ? SIM_BLOCK_GROUP : SIM_GROUP);
    for (uint32_t i = 0; i < g->fields.count; i++) sim_touch_type(s, g->fields.types[i]);
}

/* ---- The model ----------------------------------------------------------------------------------------------------*/

static bool sees(const naive_entity *n, uint32_t type) { return n->at[type].present && !n->at[type].disabled; }

static bool matches(const group *g, const naive_entity *n) {
    if (n->disabled) return false;
    for (uint32_t i = 0; i < g->fields.count; i++)
        if (!sees(n, g->fields.types[i])) return false;
    for (uint32_t i = 0; i < g->without.count; i++)
        if (sees(n, g->without.types[i])) return false;
    return true;
}

static uint32_t count_matches(const group *g, const naive_world *naive) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < naive->count; i++) count += matches(g, &naive->list[i]);
    return count;
}

static bool has_all(uint32_t bits, uint32_t wanted) { return (bits & wanted) == wanted; }

/* The inner group requires, owns and excludes what the outer one does. */
static bool is_inside(const group *inner, const group *outer) {
    return has_all(inner->owns, outer->owns) && has_all(inner->fields.bits, outer->fields.bits) &&
           has_all(inner->without.bits, outer->without.bits);
}

static bool are_nested(const group *inner, const group *outer) {
    return inner != outer && (inner->owns & outer->owns) != 0 && is_inside(inner, outer);
}

static bool has_inner(const sim_side *side, const group *g) {
    for (uint32_t i = 0; i < side->groups->count; i++)
        if (are_nested(&side->groups->groups[i], g)) return true;
    return false;
}

bool sim_is_owned(const sim_side *side, uint32_t type) {
    for (uint32_t i = 0; i < side->groups->count; i++)
        if ((side->groups->groups[i].owns >> type & 1) != 0) return true;
    return false;
}

uint32_t sim_owned_type(const sim_side *side, uint32_t n) {
    const group *g = side->groups->count != 0 ? &side->groups->groups[n % side->groups->count] : NULL;
    return g && g->owned != 0 ? g->fields.types[n / 8 % g->owned] : sim_type(n);
}

static bool moves_in(const group *g, const naive_entity *after, const uint32_t *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if ((g->owns >> types[i] & 1) != 0 && after->at[types[i]].present) return true;
    return false;
}

bool sim_groups_permit(const sim_side *side, const naive_entity *before, const naive_entity *after,
                       const uint32_t *types, uint32_t count) {
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *g = &side->groups->groups[i];
        if (matches(g, before) != matches(g, after) && moves_in(g, after, types, count)) return false;
    }
    return true;
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

/* The members in the order of rows. This asks for no field, so it marks no value as changed. */
static uint32_t list_members(const group *g, covey_entity *list) {
    covey_iter it = covey_group_iter(g->group);
    covey_row row = { 0 };
    uint32_t count = 0;
    while (covey_next_row(&it, &row))
        if (count < SIM_LISTED) list[count++] = covey_row_entity(&it, row);
    return count;
}

/* Members lie at the front of each owned sparse pool, in the same order. */
static void check_fronts(sim *s, const sim_side *side, const group *g, uint32_t count) {
    for (uint32_t i = 0; i < g->owned && !g->in_blocks; i++) {
        const covey_pool *pool = covey_pool_find_raw(side->world, value_types[g->fields.types[i]]);
        uint32_t front = count != 0 && sim_lies(s, SIM_LIE_FRONT_SHIFTED);
        for (uint32_t at = 0; at < count; at++)
            SIM_REQUIRE(s, covey_same(covey_pool_at(pool, front + at), members[at]), "%s: position %u is not member %u",
                        name_of(g->fields.types[i]), front + at, at);
    }
}

/* In blocks, members follow each other by block. */
static void check_blocks(sim *s, const group *g, uint32_t count) {
    for (uint32_t i = 1; i < count && g->in_blocks; i++)
        SIM_REQUIRE(s, members[i - 1].index / 64 <= members[i].index / 64, "members of blocks are out of order");
}

static void check_members(sim *s, const sim_side *side, const group *g, uint32_t count) {
    for (uint32_t i = 0; i < side->naive->count; i++) {
        const naive_entity *n = &side->naive->list[i];
        uint32_t visits = 0;
        for (uint32_t at = 0; at < count; at++) visits += covey_same(members[at], n->e);
        bool visited = matches(g, n) != sim_lies(s, SIM_LIE_MEMBER_WRONG), contained = matches(g, n);
        contained = contained && !sim_lies(s, SIM_LIE_MEMBER_NOT_CONTAINED);
        SIM_REQUIRE(s, visits == visited, "a group visits %u:%u %u times", n->e.index, n->e.generation, visits);
        SIM_REQUIRE(s, covey_group_contains(g->group, n->e) == contained, "a group contains %u:%u, or not", n->e.index,
                    n->e.generation);
    }
}

static void check_group(sim *s, const sim_side *side, const group *g) {
    uint32_t count = list_members(g, members), wanted = count_matches(g, side->naive);
    covey_entity first = count != 0 ? members[0] : COVEY_NULL;
    if (count > 1 && sim_lies(s, SIM_LIE_FIRST_WRONG)) first = members[count - 1];
    wanted += sim_lies(s, SIM_LIE_MEMBER_EXPECTED);
    SIM_REQUIRE(s, covey_group_count(g->group) == wanted, "a group has %u members, not %u", covey_group_count(g->group),
                wanted);
    SIM_REQUIRE(s, count == wanted, "a group visits %u members, not %u", count, wanted);
    SIM_REQUIRE(s, covey_same(covey_group_first(g->group), first), "another first member");
    check_members(s, side, g, count);
    check_fronts(s, side, g, count);
    check_blocks(s, g, count);
    for (uint32_t i = 0; i < side->stale_count; i++)
        SIM_REQUIRE(s, !covey_group_contains(g->group, side->stale[i]), "a group contains a stale handle");
}

/* The innermost group that owns the pool. */
static const covey_group *owner_of(const sim_side *side, uint32_t type) {
    const group *owner = NULL;
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *g = &side->groups->groups[i];
        if ((g->owns >> type & 1) != 0 && (!owner || is_inside(g, owner))) owner = g;
    }
    return owner ? owner->group : NULL;
}

static void check(sim *s, sim_side *side) {
    SIM_REQUIRE(s, covey_world_group_count(side->world) == side->groups->count, "%u groups, not %u",
                covey_world_group_count(side->world), side->groups->count);
    for (uint32_t i = 0; i < side->groups->count; i++) check_group(s, side, &side->groups->groups[i]);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const covey_pool *pool = covey_pool_find_raw(side->world, value_types[t]);
        const covey_group *owner = owner_of(side, t);
        if (owner && sim_lies(s, SIM_LIE_OWNER_MISSING)) owner = NULL;
        if (pool) SIM_REQUIRE(s, covey_pool_owner(pool) == owner, "%s has another owner", name_of(t));
    }
}

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->groups = calloc(1, sizeof *side->groups);
    if (!side->groups) abort();
}

static void end_group(sim_groups *groups, uint32_t at) {
    covey_group_destroy(groups->groups[at].group);
    groups->groups[at] = groups->groups[--groups->count];
}

/* Half of the groups end with the world. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t left = side->groups->count / 2; left != 0; left--) end_group(side->groups, 0);
    free(side->groups);
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = 0;
    for (uint32_t i = 0; i < side->groups->count; i++)
        features |= SIM_BIT(side->groups->groups[i].in_blocks ? SIM_BLOCK_GROUP : SIM_GROUP);
    return features;
}

/* ---- Histories ----------------------------------------------------------------------------------------------------*/

/* The members of all groups, in their order. */
typedef struct saved_groups {
    uint32_t last;
    struct {
        uint32_t number, count;
        covey_entity *list;
    } groups[GROUPS];
} saved_groups;

static void *save(const sim_side *side) {
    saved_groups *saved = calloc(1, sizeof *saved);
    if (!saved) abort();
    saved->last = side->groups->last;
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *g = &side->groups->groups[i];
        uint32_t count = list_members(g, members);
        saved->groups[i].number = g->number;
        saved->groups[i].count = count;
        saved->groups[i].list = calloc(count + 1, sizeof *members);
        if (!saved->groups[i].list) abort();
        memcpy(saved->groups[i].list, members, count * sizeof *members);
    }
    return saved;
}

static void forget(void *state) {
    saved_groups *saved = state;
    for (uint32_t i = 0; i < GROUPS; i++) free(saved->groups[i].list);
    free(saved);
}

/* A newer group may have moved the members of others to the front. */
static bool shares_with_newer(const sim_side *side, const group *g, uint32_t last) {
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *other = &side->groups->groups[i];
        if (other->number > last && (other->owns & g->owns) != 0) return true;
    }
    return false;
}

static void check_restored(sim *s, const sim_side *side, const group *g, const saved_groups *saved) {
    for (uint32_t i = 0; i < GROUPS; i++) {
        if (saved->groups[i].number != g->number || shares_with_newer(side, g, saved->last)) continue;
        uint32_t count = list_members(g, members);
        bool same = count == saved->groups[i].count;
        if (count > 1 && sim_lies(s, SIM_LIE_GROUP_ORDER_WRONG)) members[0] = members[1];
        for (uint32_t at = 0; at < count && same; at++) same = covey_same(members[at], saved->groups[i].list[at]);
        SIM_REQUIRE(s, same, "a restored group has not the members and the order that were saved");
    }
}

static void restore(sim *s, sim_side *side, const void *state) {
    for (uint32_t i = 0; i < side->groups->count; i++) check_restored(s, side, &side->groups->groups[i], state);
}

const sim_part sim_part_groups = {
    .begin = begin, .end = end, .check = check, .in_force = in_force, .save = save, .restore = restore, .forget = forget
};

/* ---- Joining ------------------------------------------------------------------------------------------------------*/

/* Lets some entities join a group: they lose what it excludes, and get what they lack. */
static void let_join(sim *s, sim_side *side, const group *g, uint32_t n) {
    uint32_t count = side->naive->count != 0 ? 1 + n % 8 : 0;
    for (uint32_t k = 0; k < count; k++) s->batch[k] = sim_living(side, sim_mix(n, k));
    for (uint32_t k = 0; k < count; k++) {
        for (uint32_t i = 0; i < g->without.count && s->nested == 0; i++)
            sim_remove(s, side, s->batch[k], g->without.types[i]);
        for (uint32_t i = 0; i < g->fields.count && s->nested == 0; i++)
            if (!naive_component_of(side->naive, s->batch[k], g->fields.types[i]))
                sim_add(s, side, s->batch[k], g->fields.types[i]);
    }
}

static void join(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    const group *g = &side->groups->groups[step->a % side->groups->count];
    sim_say(s, "some join group %u", step->a % side->groups->count);
    touch_group(s, g);
    let_join(s, side, g, step->c);
}

/* ---- Making groups ------------------------------------------------------------------------------------------------*/

static void add_term(terms *t, uint32_t type, uint32_t most) {
    if (t->count == most || (t->bits >> type & 1) != 0) return;
    t->types[t->count++] = type;
    t->bits |= (uint32_t)1 << type;
}

static covey_storage storage_of(const sim_side *side, uint32_t type) {
    const covey_pool *pool = covey_pool_find_raw(side->world, value_types[type]);
    if (pool) return covey_pool_storage(pool);
    if (value_types[type]->storage != COVEY_STORAGE_DEFAULT) return value_types[type]->storage;
    return value_types[type]->policy == COVEY_SWAP_AND_POP ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
}

static bool is_groupable_block(const sim_side *side, uint32_t type) {
    return storage_of(side, type) == COVEY_STORAGE_BLOCK && !value_is_tag(type);
}

static bool is_groupable_set(const sim_side *side, uint32_t type) {
    return storage_of(side, type) == COVEY_STORAGE_SPARSE && value_types[type]->policy == COVEY_SWAP_AND_POP;
}

/* A type that the group can own, unless n says that any will do. */
static uint32_t pick_owned(const sim_side *side, uint32_t n, bool in_blocks) {
    uint32_t type = sim_type(n / 16);
    for (uint32_t i = 0; i < NAIVE_TYPES && n % 16 != 0; i++) {
        uint32_t candidate = (type + i) % NAIVE_TYPES;
        bool fits = in_blocks ? is_groupable_block(side, candidate) : is_groupable_set(side, candidate);
        if (fits && !sim_is_kept(side, candidate)) return candidate;
    }
    return type;
}

/* The terms of another group, without one of them: around it, maybe; more are added, so that the new one is inside. */
static void copy_terms(group *g, const group *from, uint32_t n) {
    bool less = n % 2 == 0;
    uint32_t owned = less && from->owned > 1 ? from->owned - 1 : from->owned;
    for (uint32_t i = 0; i < owned; i++) add_term(&g->fields, from->fields.types[i], OWNED_MOST);
    g->owned = g->fields.count;
    for (uint32_t i = from->owned; i < from->fields.count && !less; i++)
        add_term(&g->fields, from->fields.types[i], FIELDS_MOST - 2);
    for (uint32_t i = 0; i < from->without.count && !less; i++)
        add_term(&g->without, from->without.types[i], WITHOUT_MOST);
}

/* Inside of another group: it owns what that owns, and requires more. */
static group pick_nested(const sim_side *side, uint32_t n) {
    group g = { 0 };
    copy_terms(&g, &side->groups->groups[n / 2 % side->groups->count], n);
    if (n % 2 != 0) add_term(n / 64 % 2 ? &g.fields : &g.without, sim_type(n / 128), FIELDS_MOST);
    return g;
}

static group pick_group(const sim_side *side, const sim_step *step, bool in_blocks) {
    group g = { 0 };
    if (side->groups->count != 0 && step->a % 3 == 0) return pick_nested(side, step->a / 3);
    uint32_t owned = step->a / 3 % (OWNED_MOST + 1);
    if (in_blocks && owned == 0) owned = 1;
    for (uint32_t i = 0; i < owned; i++)
        add_term(&g.fields, pick_owned(side, sim_mix(step->b, i), in_blocks), OWNED_MOST);
    g.owned = g.fields.count;
    for (uint32_t i = 0; i < step->a / 16 % 3; i++) add_term(&g.fields, sim_type(sim_mix(step->c, i)), FIELDS_MOST);
    for (uint32_t i = 0; i < step->a / 64 % 3; i++)
        add_term(&g.without, sim_type(sim_mix(step->c, i + 8)), WITHOUT_MOST);
    return g;
}

static covey_group_desc describe(const group *g) {
    covey_group_desc desc = { 0 };
    for (uint32_t i = 0; i < g->fields.count; i++) {
        const covey_type *type = value_types[g->fields.types[i]];
        if (i < g->owned) desc.own[i] = type;
        else desc.with[i - g->owned] = type;
    }
    for (uint32_t i = 0; i < g->without.count; i++) desc.without[i] = value_types[g->without.types[i]];
    return desc;
}

static bool can_own(const sim_side *side, const group *g, uint32_t type) {
    if (sim_is_kept(side, type)) return false;
    return g->in_blocks ? is_groupable_block(side, type) : is_groupable_set(side, type);
}

static covey_result may_group(const sim_side *side, const group *g) {
    if (g->fields.count == 0 || (g->fields.bits & g->without.bits) != 0) return COVEY_ERROR_TYPE;
    for (uint32_t i = 0; i < g->owned; i++)
        if (!can_own(side, g, g->fields.types[i])) return COVEY_ERROR_REFUSED;
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *other = &side->groups->groups[i];
        if ((g->owns & other->owns) != 0 && is_inside(g, other) == is_inside(other, g)) return COVEY_ERROR_CONFLICT;
    }
    return COVEY_OK;
}

static uint32_t count_nested(const sim_side *side, const group *g) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *other = &side->groups->groups[i];
        count += are_nested(g, other) || are_nested(other, g);
    }
    return count;
}

static bool is_same_description(const group *a, const group *b) {
    return a->owned == b->owned && a->fields.count == b->fields.count && a->without.bits == b->without.bits &&
           memcmp(a->fields.types, b->fields.types, a->fields.count * sizeof a->fields.types[0]) == 0;
}

/* A group that exists is found by its description. */
static bool check_find(sim *s, const sim_side *side, const group *g, const covey_group_desc *desc) {
    const covey_group *found = covey_group_find(side->world, desc);
    bool exists = false, right = !found;
    for (uint32_t i = 0; i < side->groups->count; i++) {
        bool same = is_same_description(&side->groups->groups[i], g);
        exists |= same;
        right |= same && side->groups->groups[i].group == found;
    }
    SIM_REQUIRE(s, exists == (found != NULL) && right, "covey_group_find finds another group");
    return exists;
}

static void make_group(sim *s, sim_side *side, const sim_step *step, bool in_blocks) {
    sim_groups *groups = side->groups;
    if (groups->count == GROUPS) return;
    group g = pick_group(side, step, in_blocks);
    for (uint32_t i = 0; i < g.owned; i++) g.owns |= (uint32_t)1 << g.fields.types[i];
    g.in_blocks = g.owned != 0 && is_groupable_block(side, g.fields.types[0]);
    covey_group_desc desc = describe(&g);
    sim_say(s, "group_create: owns %u of %u types from %s on, without %u, nested with %u", g.owned, g.fields.count,
            g.fields.count ? name_of(g.fields.types[0]) : "none", g.without.count, count_nested(side, &g));
    touch_group(s, &g);
    covey_result expected = may_group(side, &g);
    if (check_find(s, side, &g, &desc) && step->c % 2 == 0) return;
    g.group = covey_group_create(side->world, &desc);
    if (!sim_settle(s, side, g.group != NULL, expected)) return;
    g.number = ++groups->last;
    groups->groups[groups->count++] = g;
    if (step->c % 4 != 0) let_join(s, side, &g, step->c);
}

static void create(sim *s, sim_side *side, const sim_step *step) { make_group(s, side, step, false); }
static void create_in_blocks(sim *s, sim_side *side, const sim_step *step) { make_group(s, side, step, true); }

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    uint32_t at = step->a % side->groups->count;
    sim_say(s, "group_destroy: group %u", at);
    touch_group(s, &side->groups->groups[at]);
    end_group(side->groups, at);
}

/* Most often a group with members. There must be a group. */
static const group *pick_existing(const sim_side *side, uint32_t n) {
    const sim_groups *groups = side->groups;
    for (uint32_t i = 0; i < groups->count && n % 8 != 0; i++) {
        const group *g = &groups->groups[(n / 8 + i) % groups->count];
        if (count_matches(g, side->naive) > 1) return g;
    }
    return &groups->groups[n / 8 % groups->count];
}

/* ---- Iterating ----------------------------------------------------------------------------------------------------*/

static void check_field(sim *s, sim_side *side, covey_entity e, uint32_t type, const void *field) {
    const void *value = covey_get_raw(side->world, e, value_types[type]);
    bool tag = value_is_tag(type);
    SIM_REQUIRE(s, tag ? field != NULL : field == value, "the field %s of %u is elsewhere", name_of(type), e.index);
    sim_marked(s, side, e, type);
}

static uint32_t count_blocks(uint32_t count) {
    uint32_t blocks = count != 0;
    for (uint32_t i = 1; i < count; i++) blocks += members[i].index / 64 != members[i - 1].index / 64;
    return blocks;
}

/* Spans visit what rows visit; a group that owns all its fields has one span, or one for each block. */
static void spans(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    const group *g = pick_existing(side, step->a);
    uint32_t count = list_members(g, members), at = 0, span_count = 0;
    sim_say(s, "spans of a group with %u members", count);
    touch_group(s, g);
    covey_iter it = covey_group_iter(g->group);
    for (; covey_next(&it); span_count++)
        for (uint32_t row = 0; row < it.count; row++, at++) {
            covey_entity e = covey_span_entity(&it, row);
            SIM_REQUIRE(s, at < count && covey_same(e, members[at]), "spans have another order than rows");
            for (uint32_t f = 0; f < g->fields.count; f++) {
                const unsigned char *field = covey_field_raw(&it, f);
                check_field(s, side, e, g->fields.types[f],
                            field + (size_t)row * value_types[g->fields.types[f]]->size);
            }
        }
    SIM_REQUIRE(s, at == count, "spans visit %u members, not %u", at, count);
    uint32_t least = g->in_blocks ? count_blocks(count) : (uint32_t)(count != 0);
    if (g->owned != g->fields.count) return;
    least += sim_lies(s, SIM_LIE_SPAN_EXPECTED);
    SIM_REQUIRE(s, span_count == least, "%u spans, not %u", span_count, least);
}

/* Whether the entity of a row may change so: it joins no group inside this one, and leaves none of them without
 * leaving this one. */
static bool row_may_become(const sim_side *side, const group *g, const naive_entity *before,
                           const naive_entity *after) {
    for (uint32_t i = 0; i < side->groups->count; i++) {
        const group *inner = &side->groups->groups[i];
        if (!are_nested(inner, g)) continue;
        bool was = matches(inner, before), is = matches(inner, after);
        if ((!was && is) || (was && !is && matches(g, after))) return false;
    }
    return true;
}

/* Disables the entity of the row, or a component of it: it leaves the group, or loses something else. */
static void disable_row(sim *s, sim_side *side, const group *g, covey_entity e, uint32_t type, bool whole) {
    naive_entity *n = naive_find(side->naive, e), after = *n;
    if (!whole && !n->at[type].present) return;
    *(whole ? &after.disabled : &after.at[type].disabled) = true;
    if (!row_may_become(side, g, n, &after)) return;
    sim_touch(s, SIM_DISABLE);
    covey_result result =
        whole ? covey_disable(side->world, e) : covey_component_disable_raw(side->world, e, value_types[type]);
    if (sim_settle_result(s, result, COVEY_OK)) *n = after;
}

/* Most often a term of a group, maybe of another one. */
static uint32_t pick_term(const sim_side *side, uint32_t n) {
    const group *g = &side->groups->groups[n / 4 % side->groups->count];
    if (n % 4 == 0) return sim_type(n / 4);
    if (n % 4 == 1 && g->without.count != 0) return g->without.types[n / 64 % g->without.count];
    return g->fields.types[n / 64 % g->fields.count];
}

static void change_row(sim *s, sim_side *side, const group *g, covey_entity e, uint32_t n) {
    uint32_t type = pick_term(side, n / 8), how = n % 8;
    const naive_entity *before = naive_find(side->naive, e);
    naive_entity after = *before;
    bool present = before->at[type].present;
    after.at[type] = (naive_component){ .present = !present };
    if (how == 0 && !sim_is_target(side, e)) {
        SIM_REQUIRE(s, covey_destroy(side->world, e), "a member cannot be destroyed");
        sim_destroyed(s, side, e);
    } else if (how < 3) {
        disable_row(s, side, g, e, type, how == 1);
    } else if (how < 6 && row_may_become(side, g, before, &after)) {
        if (present) sim_remove(s, side, e, type);
        else sim_add(s, side, e, type);
    }
}

/* Each member that the group had is visited once, whatever happens to the entities of rows. */
static void rows(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    const group *g = pick_existing(side, step->a);
    bool changes = step->b % 2 == 0 && side->again.number == 0;
    uint32_t count = list_members(g, members_then), visited = 0;
    sim_say(s, "rows of a group with %u members%s", count, changes ? ", and changes them" : "");
    touch_group(s, g);
    covey_iter it = covey_group_iter(g->group);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity e = covey_row_entity(&it, row);
        uint32_t at = 0;
        while (at < count && !covey_same(members_then[at], e)) at++;
        SIM_REQUIRE(s, at < count, "%u:%u is visited twice, or was no member", e.index, e.generation);
        members_then[at] = COVEY_NULL;
        visited++;
        for (uint32_t f = 0; f < g->fields.count; f++)
            check_field(s, side, e, g->fields.types[f], covey_row_field_raw(&it, row, f));
        if (changes) change_row(s, side, g, e, sim_mix(step->c, e.index));
    }
    SIM_REQUIRE(s, visited == count, "rows visit %u members, not %u", visited, count);
}

/* ---- Sorting ------------------------------------------------------------------------------------------------------*/

static covey_result may_sort(const sim_side *side, const group *g) {
    return g->in_blocks || has_inner(side, g) ? COVEY_ERROR_REFUSED : COVEY_OK;
}

static void check_order(sim *s, const group *g, uint32_t count) {
    SIM_REQUIRE(s, list_members(g, members) == count, "another number of members");
    for (uint32_t i = 0; i < count; i++)
        SIM_REQUIRE(s, covey_same(members[i], members_then[i]), "member %u is %u:%u, not %u:%u", i, members[i].index,
                    members[i].generation, members_then[i].index, members_then[i].generation);
}

static bool pick_part(covey_order *order, uint32_t n, uint32_t count) {
    if (n % 4 != 0) return true;
    order->from = n / 4 % (count + 1);
    order->count = n / 1024 % (count - order->from + 2);
    return order->count <= count - order->from;
}

static void sort(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    const group *g = pick_existing(side, step->a);
    uint32_t field = step->b % (g->fields.count + (step->b / 64 % 16 == 0)), count = list_members(g, members_then);
    uint32_t type = g->fields.types[field < g->fields.count ? field : 0];
    sim_order by = sim_order_pick(step->c / 16, type);
    covey_order order = sim_order_describe(&by);
    bool right = pick_part(&order, step->c, count) && field < g->fields.count;
    if (step->c % 16 == 1) sim_order_spoil(&order, step->c / 16, type), right = false;
    sim_say(s, "group_sort: %u members by %s of %s, %u from %u on%s", count, sim_order_name(&by), name_of(type),
            order.count, order.from, right ? "" : ", which is wrong");
    touch_group(s, g);
    covey_result expected = right ? may_sort(side, g) : COVEY_ERROR_RANGE;
    if (sim_settle_result(s, covey_group_sort(g->group, field, &order), expected) &&
        !sim_lies(s, SIM_LIE_GROUP_UNSORTED))
        sim_order_sort(&by, side->naive, members_then + order.from, order.count ? order.count : count - order.from);
    check_order(s, g, count);
}

static void sort_as(sim *s, sim_side *side, const sim_step *step) {
    if (side->groups->count == 0) return;
    const group *g = pick_existing(side, step->a);
    uint32_t type = sim_type(step->b);
    const covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    uint32_t count = list_members(g, members_then), leaders = sim_list_pool(pool, members);
    sim_say(s, "group_sort_as: %u members as %s", count, name_of(type));
    touch_group(s, g);
    sim_touch_type(s, type);
    if (sim_settle_result(s, covey_group_sort_as(g->group, pool), may_sort(side, g)) &&
        !sim_lies(s, SIM_LIE_GROUP_NOT_SORTED_AS))
        sim_order_follow(members_then, count, members, leaders);
    check_order(s, g, count);
}

const sim_operation sim_group_operations[] = {
    { "group_create", SIM_GROUP, 10, create },
    { "group_create_in_blocks", SIM_BLOCK_GROUP, 10, create_in_blocks },
    { "group_destroy", SIM_GROUP, 2, destroy },
    { "group_join", SIM_ADD, 20, join },
    { "group_spans", SIM_SPANS, 8, spans },
    { "group_rows", SIM_ROWS, 10, rows },
    { "group_sort", SIM_SORT, 6, sort },
    { "group_sort_as", SIM_SORT, 3, sort_as },
    { NULL, 0, 0, NULL },
};
