/* Operations on groups: what is kept up to date is what a look at every entity finds. */
#include "model_world.h"

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

static oracle_group *pick_group(model *m) {
    if (m->oracle->group_count == 0) return NULL;
    return &m->oracle->groups[program_below(&m->program, m->oracle->group_count)];
}

typedef struct draft {
    covey_group_desc desc;
    uint32_t own, with, without;
    bool careless;
} draft;

static void append_type(const covey_type **types, uint32_t *count, const covey_type *type) {
    if (*count < COVEY_TERMS) types[(*count)++] = type;
}

static bool is_named(const draft *d, const covey_type *type) {
    const covey_type *const *const kinds[] = { d->desc.own, d->desc.with, d->desc.without };
    for (uint32_t i = 0; i < 3 * COVEY_TERMS; i++) {
        const covey_type *other = kinds[i / COVEY_TERMS][i % COVEY_TERMS];
        if (other && other->name && strcmp(other->name, type->name) == 0) return true;
    }
    return false;
}

/* Most often not what another group has, and stored as the others are. */
static bool is_worth_owning(model *m, const draft *d, const covey_type *type) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    oracle_owning owning = oracle_may_own(m->oracle, type);
    if (owning == ORACLE_OWNS_NOT) return false;
    if (d->own != 0 && owning != oracle_may_own(m->oracle, d->desc.own[0]) && !program_chance(&m->program, 8))
        return false;
    return !pool || !oracle_is_owned(m->oracle, pool) || program_chance(&m->program, 64);
}

/* A term of a random kind, or none. */
static void draft_type(model *m, draft *d, const covey_type *type) {
    uint32_t kind = program_below(&m->program, 8);
    bool wrong = !oracle_type_valid(type) || is_named(d, type);
    if (kind > 6 || (wrong && !d->careless)) return;
    if (kind < 4 && (d->careless || is_worth_owning(m, d, type))) append_type(d->desc.own, &d->own, type);
    else if (kind < 6) append_type(d->desc.with, &d->with, type);
    else append_type(d->desc.without, &d->without, type);
}

/* All, or some, of what another group is about. */
static void draft_group(model *m, draft *d, const oracle_group *group, bool all) {
    for (uint32_t i = 0; i < COVEY_TERMS && group->desc.with[i]; i++) {
        if (!all && program_chance(&m->program, 128)) continue;
        if (i < group->owned) append_type(d->desc.own, &d->own, group->desc.with[i]);
        else append_type(d->desc.with, &d->with, group->desc.with[i]);
    }
    for (uint32_t i = 0; i < COVEY_TERMS && group->desc.without[i]; i++)
        if (all || program_chance(&m->program, 128)) append_type(d->desc.without, &d->without, group->desc.without[i]);
}

/* Often one that may be inside or around another one. */
static covey_group_desc pick_desc(model *m) {
    draft d = { .careless = program_chance(&m->program, 12) };
    uint32_t how = program_below(&m->program, 8);
    const oracle_group *group = how < 4 ? pick_group(m) : NULL;
    if (group) draft_group(m, &d, group, how < 2);
    for (uint32_t i = 0; i < m->type_count && how != 2; i++) draft_type(m, &d, m->types[i]);
    return d.desc;
}

/* ---- Making and ending --------------------------------------------------------------------------------------------*/

static void meet_terms(model *m, const covey_group_desc *desc) {
    const covey_type *const *const kinds[] = { desc->own, desc->with, desc->without };
    for (uint32_t i = 0; i < 3 * COVEY_TERMS; i++) {
        const covey_type *type = kinds[i / COVEY_TERMS][i % COVEY_TERMS];
        if (type) model_meet_anyway(m, type);
    }
}

static void check_print(model *m, const covey_group *group) {
    char text[8], all[2000];
    int length = covey_group_print(NULL, 0, group);
    REQUIRE(m, covey_group_print(text, sizeof text, group) == length, "another length in a short text");
    REQUIRE(m, covey_group_print(all, sizeof all, group) == length && strlen(all) == (size_t)length, "another length");
    REQUIRE(m, strlen(text) < sizeof text && strncmp(text, all, strlen(text)) == 0, "another text when it is short");
}

static bool is_same_list(const covey_type *const *a, uint32_t a_count, const covey_type *const *b, uint32_t b_count) {
    bool same = a_count == b_count;
    for (uint32_t i = 0; i < a_count && same; i++) same = b[i]->name && strcmp(a[i]->name, b[i]->name) == 0;
    return same;
}

static bool has_all_types(const covey_type *const *a, uint32_t count, const covey_type *const *b, uint32_t b_count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t k = 0;
        while (k < b_count && !(a[i]->name && b[k]->name && strcmp(a[i]->name, b[k]->name) == 0)) k++;
        found += k < b_count;
    }
    return found == count;
}

static uint32_t length_of(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

/* Types are distinguished by name; a type that the world refuses has no group. */
static bool is_described(const oracle_group *group, const covey_group_desc *desc) {
    uint32_t fields = length_of(group->desc.with), without = length_of(group->desc.without);
    if (without != length_of(desc->without)) return false;
    return is_same_list(group->desc.with, group->owned, desc->own, length_of(desc->own)) &&
           is_same_list(group->desc.with + group->owned, fields - group->owned, desc->with, length_of(desc->with)) &&
           has_all_types(group->desc.without, without, desc->without, without) &&
           has_all_types(desc->without, without, group->desc.without, without);
}

/* Whether one of the groups that the oracle knows is the one that is found, or there is none to be found. */
static void check_find(model *m, const covey_group_desc *desc, const covey_group *found) {
    bool there = false, right = false;
    for (uint32_t i = 0; i < m->oracle->group_count; i++) {
        bool described = is_described(&m->oracle->groups[i], desc);
        there |= described;
        right |= described && m->oracle->groups[i].group == found;
    }
    REQUIRE(m, found ? right : !there, "%s group is found", found ? "another" : "no");
}

static void group_create(model *m) {
    if (m->oracle->group_count == ORACLE_GROUPS) return;
    covey_group_desc desc = pick_desc(m);
    covey_result expected = oracle_may_group(m->oracle, &desc);
    covey_group *found = covey_group_find(m->world, &desc);
    bool twice = found && program_chance(&m->program, 64);
    if (expected != COVEY_ERROR_LAYOUT) check_find(m, &desc, found);
    if (found && !twice) return;
    covey_group *group = covey_group_create(m->world, &desc);
    meet_terms(m, &desc);
    if (!model_settle(m, group != NULL, expected)) return;
    oracle_group_begin(m->oracle, &desc, group);
    check_print(m, group);
}

static void group_destroy(model *m) {
    oracle_group *group = pick_group(m);
    covey_group_destroy(group ? group->group : NULL);
    if (group) oracle_group_end(m->oracle, group);
}

/* ---- Members ------------------------------------------------------------------------------------------------------*/

static const covey_entity *order_of(model *m, const oracle_group *group, uint32_t pool) {
    return oracle_pool_of(m->oracle, group->desc.with[pool])->set->ids;
}

static bool owns_blocks(model *m, const oracle_group *group) {
    return group->owned != 0 && oracle_pool_of(m->oracle, group->desc.with[0])->set->by_index;
}

/* Members are the first of all owned pools, side by side. In blocks, the validator sees that. */
static void compare_owned(model *m, const oracle_group *group, uint32_t count) {
    if (owns_blocks(m, group)) return;
    for (uint32_t i = 0; i < group->owned; i++) {
        const oracle_set *set = oracle_pool_of(m->oracle, group->desc.with[i])->set;
        REQUIRE(m, set->end >= count, "%u members, and %u components", count, set->end);
        for (uint32_t at = 0; at < count; at++)
            REQUIRE(m,
                    covey_same(set->ids[at], order_of(m, group, 0)[at]) &&
                        oracle_group_has(m->oracle, group, set->ids[at]),
                    "%u:%u is at %u of the group", set->ids[at].index, set->ids[at].generation, at);
    }
}

static uint32_t count_members(model *m, const oracle_group *group) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->oracle->alive; i++) count += oracle_group_has(m->oracle, group, m->oracle->roll[i]);
    return count;
}

static const oracle_group *find_group(const model *m, const covey_group *group) {
    for (uint32_t i = 0; i < m->oracle->group_count; i++)
        if (m->oracle->groups[i].group == group) return &m->oracle->groups[i];
    return NULL;
}

/* From the outer to the inner. */
static void compare_list(model *m) {
    uint32_t count = covey_world_group_count(m->world);
    REQUIRE(m, count == m->oracle->group_count, "%u groups, not %u", count, m->oracle->group_count);
    REQUIRE(m, !covey_world_group(m->world, count), "a group behind the last");
    for (uint32_t i = 0; i < count; i++) {
        const oracle_group *group = find_group(m, covey_world_group(m->world, i));
        REQUIRE(m, group != NULL, "a group that should not be");
        for (uint32_t k = i + 1; k < count; k++) {
            const oracle_group *other = find_group(m, covey_world_group(m->world, k));
            REQUIRE(m, other && other != group && !oracle_group_is_inner(group, other),
                    "an inner group before its outer");
        }
    }
}

void model_compare_groups(model *m) {
    compare_list(m);
    for (uint32_t i = 0; i < m->oracle->group_count; i++) {
        const oracle_group *group = &m->oracle->groups[i];
        uint32_t count = count_members(m, group), found = covey_group_count(group->group);
        REQUIRE(m, found == count, "%u members, not %u", found, count);
        compare_owned(m, group, count);
    }
}

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

static uint32_t fields_of(const oracle_group *group) { return oracle_view_fields(&group->desc); }

/* The next member, behind m->wanted: in the order of owned pools, or of blocks. */
static void check_place(model *m, const oracle_group *group, covey_entity e) {
    uint32_t count = m->wanted.count;
    if (group->owned == 0) return;
    if (!owns_blocks(m, group)) REQUIRE(m, covey_same(e, order_of(m, group, 0)[count]), "another order");
    else
        REQUIRE(m, count == 0 || m->wanted.ids[count - 1].index / COVEY__BLOCK_IDS <= e.index / COVEY__BLOCK_IDS,
                "another order of blocks");
}

/* In how many blocks they are; those of a block follow each other. */
static uint32_t count_blocks(const model_list *list) {
    uint32_t blocks = list->count != 0;
    for (uint32_t i = 1; i < list->count; i++)
        blocks += list->ids[i].index / COVEY__BLOCK_IDS != list->ids[i - 1].index / COVEY__BLOCK_IDS;
    return blocks;
}

/* The members by spans, in m->wanted: each once, and, of a group that owns pools, in their order. */
static void list_members(model *m, const oracle_group *group) {
    uint32_t spans = 0;
    covey_iter it = covey_group_iter(group->group);
    m->wanted.count = 0;
    for (; covey_next(&it); spans++)
        for (uint32_t row = 0; row < it.count; row++) {
            covey_entity e = covey_span_entity(&it, row);
            check_place(m, group, e);
            REQUIRE(m, oracle_group_has(m->oracle, group, e), "%u:%u is no member", e.index, e.generation);
            model_append(&m->wanted, e);
            for (uint32_t i = 0; i < fields_of(group); i++) {
                const covey_type *type = group->desc.with[i];
                const char *at = covey_field_raw(&it, i);
                model_check_field(m, type, e, at ? at + (size_t)row * type->size : NULL);
                model_touch(m, type, e);
            }
        }
    REQUIRE(m, !covey_next(&it) && it.count == 0, "an iteration goes on after its end");
    uint32_t least = owns_blocks(m, group) ? count_blocks(&m->wanted) : (uint32_t)(m->wanted.count != 0);
    REQUIRE(m, group->owned != fields_of(group) || spans == least, "%u spans, not %u", spans, least);
}

/* As often as there are members, and no other: so that each comes once. */
static void check_members(model *m, const oracle_group *group) {
    uint32_t count = count_members(m, group);
    REQUIRE(m, covey_group_count(group->group) == count, "%u members, not %u", covey_group_count(group->group), count);
    REQUIRE(m, m->wanted.count == count, "%u members were visited, not %u", m->wanted.count, count);
    covey_entity e = oracle_next(m->oracle, 0), first = covey_group_first(group->group);
    for (; !covey_is_null(e) && m->options->crowd < 1000; e = oracle_next(m->oracle, (uint64_t)e.index + 1))
        REQUIRE(m, model_is_in(&m->wanted, e) == oracle_group_has(m->oracle, group, e), "%u:%u is a member and not",
                e.index, e.generation);
    REQUIRE(m, count == 0 ? covey_is_null(first) : covey_same(first, m->wanted.ids[0]), "%u:%u is the first",
            first.index, first.generation);
    for (uint32_t i = 0; i < 8; i++) {
        e = model_pick(m);
        REQUIRE(m, covey_group_contains(group->group, e) == oracle_group_has(m->oracle, group, e),
                "%u:%u is contained and not", e.index, e.generation);
    }
}

static void check_row(model *m, const oracle_group *group, const covey_iter *it, covey_row row) {
    covey_entity e = covey_row_entity(it, row);
    for (uint32_t i = 0; i < fields_of(group); i++) {
        const covey_type *type = group->desc.with[i];
        model_check_field(m, type, e, covey_row_field_raw(it, row, i));
        model_touch(m, type, e);
    }
}

/* In the order of spans. */
static void check_rows(model *m, const oracle_group *group) {
    uint32_t found = 0, count = m->wanted.count;
    covey_iter it = covey_group_iter(group->group);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity e = covey_row_entity(&it, row);
        REQUIRE(m, found < count && covey_same(e, m->wanted.ids[found++]), "another order of rows");
        check_row(m, group, &it, row);
    }
    REQUIRE(m, found == count && !covey_next_row(&it, &row), "%u members were not visited", count - found);
}

static bool is_too_costly(model *m) { return m->options->crowd >= 1000 && program_below(&m->program, 16) != 0; }

static void group_look(model *m) {
    const oracle_group *group = pick_group(m);
    if (!group || is_too_costly(m)) return;
    list_members(m, group);
    check_members(m, group);
    check_rows(m, group);
}

/* ---- Joining ------------------------------------------------------------------------------------------------------*/

static bool has(model *m, const covey_type *type, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    return pool && oracle_has(m->oracle, pool, e);
}

/* Neighbours get most of what a group asks for. */
static void group_fill(model *m) {
    const oracle_group *group = pick_group(m);
    if (!group) return;
    uint32_t count = model_pick_neighbours(m, NULL);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < fields_of(group); k++)
            if (!has(m, group->desc.with[k], m->batch[i]) && program_chance(&m->program, 224))
                model_add(m, group->desc.with[k], m->batch[i]);
}

/* ---- Rows that change ---------------------------------------------------------------------------------------------*/

/* Whether a change keeps the order of the entities that are still to be visited: no entity joins or leaves a group
 * inside of this one, except the row's entity, if it leaves this one as well. */
static bool is_harmless(const model *m, const oracle_group *group, const covey_type *type, bool adds, bool other) {
    if (other && oracle_group_excludes(group, type)) return false;
    bool leaves = adds ? oracle_group_excludes(group, type) : oracle_group_asks_for(group, type);
    if (!other && leaves) return true;
    for (uint32_t i = 0; i < m->oracle->group_count; i++) {
        const oracle_group *inner = &m->oracle->groups[i];
        if (!oracle_group_is_inner(inner, group)) continue;
        if (oracle_group_asks_for(inner, type) || oracle_group_excludes(inner, type)) return false;
    }
    return true;
}

/* The row's entity loses or gets components, also those that the group excludes, or its life. */
static void change_row(model *m, const oracle_group *group, covey_entity e) {
    if (program_chance(&m->program, 64)) {
        model_destroy(m, e);
        return;
    }
    for (uint32_t i = 0; i < m->type_count; i++) {
        const covey_type *type = m->types[i];
        if (!program_chance(&m->program, 80) || !oracle_type_valid(type)) continue;
        bool there = has(m, type, e);
        if (!is_harmless(m, group, type, !there, false)) continue;
        if (there) model_remove(m, type, e);
        else model_add(m, type, e);
    }
}

/* Another entity, old or new, gets a component. If it joins the group, it may or may not be visited. */
static void change_other(model *m, const oracle_group *group, model_list *joined) {
    bool old = m->oracle->alive >= m->options->crowd || program_chance(&m->program, 160);
    covey_entity other = old ? model_pick(m) : model_create(m);
    const covey_type *type = model_pick_type(m);
    if (!oracle_alive(m->oracle, other) || !oracle_type_valid(type) || has(m, type, other)) return;
    if (!is_harmless(m, group, type, true, true)) return;
    bool member = oracle_group_has(m->oracle, group, other);
    model_add(m, type, other);
    if (!member && oracle_group_has(m->oracle, group, other)) model_append(joined, other);
}

/* For a group that owns pools: the first member that is due, from the last row's place on. The member that was swapped
 * into the place of a removed row comes next. The library decides the order: the oracle copies it after the step. */
static void check_turn(model *m, const oracle_group *group, covey_entity e, uint32_t *place) {
    if (group->owned == 0) return;
    if (owns_blocks(m, group)) {
        REQUIRE(m, e.index / COVEY__BLOCK_IDS >= *place, "%u:%u is of a block that was visited before", e.index,
                e.generation);
        *place = e.index / 64;
        return;
    }
    const covey_pool *pool = covey_pool_find_raw(m->world, group->desc.with[0]);
    const covey_entity *ids = covey_pool_ids(pool);
    bool due = model_is_due(m, e);
    uint32_t at = *place;
    while (due && at < covey_pool_position_count(pool) && !model_is_due(m, ids[at])) at++;
    REQUIRE(m, !due || (at < covey_pool_position_count(pool) && covey_same(ids[at], e)),
            "%u:%u is visited before its turn", e.index, e.generation);
    while (*place < covey_pool_position_count(pool) && !covey_same(ids[*place], e)) ++*place;
    REQUIRE(m, *place < covey_pool_position_count(pool), "%u:%u lies before what was visited", e.index, e.generation);
}

static void group_rows_change(model *m) {
    const oracle_group *group = pick_group(m);
    uint32_t often = 1 + program_below(&m->program, 48);
    if (!group || is_too_costly(m)) return;
    list_members(m, group);
    m->visited.count = 0;
    model_expect(m, &m->wanted);
    uint32_t place = 0;
    covey_iter it = covey_group_iter(group->group);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity e = covey_row_entity(&it, row);
        REQUIRE(m, oracle_group_has(m->oracle, group, e), "%u:%u is visited and no member", e.index, e.generation);
        check_turn(m, group, e, &place);
        bool due = model_take_turn(m, e);
        REQUIRE(m, due || model_is_in(&m->visited, e), "%u:%u is visited out of turn", e.index, e.generation);
        check_row(m, group, &it, row);
        if (m->visited.count < 100 && program_chance(&m->program, often)) change_other(m, group, &m->visited);
        if (program_chance(&m->program, 2 * often)) change_row(m, group, e);
        if (m->visited.count < 100 && program_chance(&m->program, often)) change_other(m, group, &m->visited);
    }
    REQUIRE(m, m->turns.count == 0, "%u members were not visited", m->turns.count);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static covey_result may_move(model *m, const oracle_group *group) {
    if (owns_blocks(m, group)) return COVEY_ERROR_REFUSED;
    for (uint32_t i = 0; i < m->oracle->group_count; i++)
        if (oracle_group_is_inner(&m->oracle->groups[i], group)) return COVEY_ERROR_REFUSED;
    return COVEY_OK;
}

/* m->wanted has the members. */
static covey_result may_sort(model *m, const oracle_group *group, uint32_t field, const covey_order *order) {
    if (field >= fields_of(group)) return COVEY_ERROR_RANGE;
    if (!oracle_order_valid(order, group->desc.with[field]->size, m->wanted.count)) return COVEY_ERROR_RANGE;
    return may_move(m, group);
}

/* Sorts m->wanted by the values of a pool, or, without an order, as the pool is sorted: as a set of its own. */
static void sort_members(model *m, const oracle_pool *pool, const covey_order *order) {
    covey_sparse_set_desc desc = { .size = order ? pool->type->size : 0 };
    oracle_set *sorted = oracle_set_create(&desc, m->oracle->fault);
    for (uint32_t i = 0; i < m->wanted.count; i++)
        oracle_set_push(sorted, m->wanted.ids[i], order ? oracle_get(m->oracle, pool, m->wanted.ids[i]) : NULL, true);
    if (order) oracle_set_sort(sorted, order);
    else oracle_set_sort_as(sorted, pool->set);
    for (uint32_t i = 0; i < m->wanted.count; i++) m->wanted.ids[i] = sorted->ids[i];
    oracle_set_destroy(sorted);
}

/* Behind the members, owned pools stay as they are. */
static void check_rest(model *m, const oracle_group *group, uint32_t count) {
    for (uint32_t i = 0; i < group->owned && !owns_blocks(m, group); i++) {
        const oracle_pool *pool = oracle_pool_of(m->oracle, group->desc.with[i]);
        const covey_entity *ids = covey_pool_ids(covey_pool_find_raw(m->world, pool->type));
        for (uint32_t at = count; at < pool->set->end; at++)
            REQUIRE(m, covey_same(ids[at], pool->set->ids[at]), "another order behind the group");
    }
}

static void check_sorted(model *m, const oracle_group *group) {
    uint32_t at = 0;
    covey_iter it = covey_group_iter(group->group);
    while (covey_next(&it))
        for (uint32_t row = 0; row < it.count; row++, at++) {
            covey_entity e = covey_span_entity(&it, row);
            REQUIRE(m, covey_same(e, m->wanted.ids[at]), "member %u is %u:%u, not %u:%u", at, e.index, e.generation,
                    m->wanted.ids[at].index, m->wanted.ids[at].generation);
        }
    check_rest(m, group, at);
}

static void group_sort(model *m) {
    const oracle_group *group = pick_group(m);
    if (!group || is_too_costly(m)) return;
    uint32_t fields = fields_of(group), field = program_below(&m->program, fields + program_chance(&m->program, 8));
    list_members(m, group);
    covey_order order = model_pick_order(m, group->desc.with[field < fields ? field : 0], m->wanted.count);
    bool by_index = program_chance(&m->program, 16);
    if (by_index) order = (covey_order){ .key = COVEY_KEY_INDEX };
    covey_result expected = may_sort(m, group, field, &order);
    covey_result result = covey_group_sort(group->group, field, by_index ? NULL : &order);
    if (model_settle(m, result == COVEY_OK, expected))
        sort_members(m, oracle_pool_of(m->oracle, group->desc.with[field]), &order);
    check_sorted(m, group);
}

static void group_sort_as(model *m) {
    const oracle_group *group = pick_group(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    if (!group || !pool || is_too_costly(m)) return;
    list_members(m, group);
    covey_result expected = may_move(m, group);
    covey_result result = covey_group_sort_as(group->group, covey_pool_find_raw(m->world, pool->type));
    if (model_settle(m, result == COVEY_OK, expected)) sort_members(m, pool, NULL);
    check_sorted(m, group);
}

const model_operation model_group_operations[] = {
    { "group_create", group_create, 8, false },
    { "group_destroy", group_destroy, 2, true },
    { "group, count, first, contains, spans, rows", group_look, 5, true },
    { "group, rows that change", group_rows_change, 5, false },
    { "group_sort", group_sort, 3, false },
    { "group_sort_as", group_sort_as, 2, false },
    { "group, to fill it", group_fill, 3, false },
    { NULL, NULL, 0, false },
};
