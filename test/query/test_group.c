/* Groups: their members, where their components lie, and what else may be done meanwhile. */
#include "memory/inner.h"
#include "storage/block_store.h"
#include "observe/observers.h"
#include "storage/sparse_set.h"
#include <covey/fields.h>
#include "fixture.h"
#include "oom.h"

#include <stdio.h>

/* The tests run twice: with groups that own sparse pools, and, in another program, with groups that own pools in
 * blocks. */
#ifndef IN_BLOCKS
#define IN_BLOCKS 0
#endif
#define OWNED .storage = IN_BLOCKS ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE

typedef Value A;
typedef Value B;
typedef Value C;
typedef Value D;
typedef Value E;
typedef Value X; /* stored as these are, and in most groups it is excluded */
typedef Value Y; /* the same, always in blocks */
COVEY_COMPONENT_DEFINE(A, OWNED);
COVEY_COMPONENT_DEFINE(B, OWNED);
COVEY_COMPONENT_DEFINE(C, OWNED);
COVEY_COMPONENT_DEFINE(D, OWNED);
COVEY_COMPONENT_DEFINE(E, OWNED);
COVEY_COMPONENT_DEFINE(X, OWNED);
COVEY_COMPONENT_DEFINE(Y);
COVEY_TAG_DEFINE(Label); /* in blocks; Marked is sparse */

static const covey_type *const types[] = { covey_id(A),       covey_id(B),      covey_id(C),     covey_id(D),
                                           covey_id(E),       covey_id(X),      covey_id(Y),     covey_id(Label),
                                           covey_id(Marked),  covey_id(Fixed),  covey_id(Kept),  covey_id(Ordered),
                                           covey_id(Blocked), covey_id(Pinned), covey_id(Packed) };

#define GROUP(...) covey_group_create(world, &(covey_group_desc){ __VA_ARGS__ })
#define AB covey_id(A), covey_id(B)

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

enum { COUNT = 90 };
static covey_entity e[COUNT];

static int group_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}
#define GROUP_TEST(test) cmocka_unit_test_setup_teardown(test, group_setup, world_teardown)

static void next_world(void) {
    world_teardown(NULL);
    assert_int_equal(group_setup(NULL), 0);
}

/* The number in a component: scattered, so that sorting by it has something to do. */
static uint32_t number_for(covey_entity of, const covey_type *type) {
    return (of.index + 1) * 2654435761u ^ (uint32_t)type->name[0] << 8;
}

static void *give(covey_entity to, const covey_type *type) {
    Value value = value_of(number_for(to, type));
    return covey_add_raw(world, to, type, type->size != 0 ? &value : NULL);
}
static bool take(covey_entity from, const covey_type *type) { return covey_remove_raw(world, from, type); }

static void give_to(uint32_t first, uint32_t end, const covey_type *type) {
    for (uint32_t i = first; i < end; i++) assert_non_null(give(e[i], type));
}

/* Every entity has some of these types, another set each. */
static void scatter(const covey_type *const *some, uint32_t count, uint64_t seed) {
    test_random random = { seed };
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < count; k++)
            if (test_below(&random, 4) != 0) assert_non_null(give(e[i], some[k]));
}

/* The same for all types; each ninth entity has what a group asks for. */
static void scatter_for(const covey_group_desc *desc, uint64_t seed) {
    scatter(types, COUNT_OF(types), seed);
    for (uint32_t i = 4; i < COUNT; i += 9)
        for (uint32_t k = 0; k < COVEY_TERMS; k++) {
            if (desc->own[k] && !covey_has_raw(world, e[i], desc->own[k])) give(e[i], desc->own[k]);
            if (desc->with[k] && !covey_has_raw(world, e[i], desc->with[k])) give(e[i], desc->with[k]);
            if (desc->without[k]) take(e[i], desc->without[k]);
        }
}

/* ---- What must hold of a group ------------------------------------------------------------------------------------*/

static void assert_number(const void *value, covey_entity of, const covey_type *type) {
    assert_non_null(value);
    if (type->size == 0) return;
    const Value *own = value;
    assert_int_equal(own->number, number_for(of, type));
    assert_int_equal(own->check, ~own->number);
}

static bool is_wanted(const covey_group *group, covey_entity of) {
    const covey_view *view = &group->view;
    for (uint32_t i = 0; i < (uint32_t)view->with + view->without; i++)
        if (covey_has_raw(world, of, view->types[i]) != (i < view->with)) return false;
    return true;
}

static void check_members(const covey_group *group) {
    covey_entity at = { 0, 0 };
    uint32_t count = 0;
    while (!covey_is_null(at = covey_entity_next(world, at))) {
        assert_int_equal(covey_group_contains(group, at), is_wanted(group, at));
        count += is_wanted(group, at);
    }
    assert_int_equal(covey_group_count(group), count);
    if (count == 0) assert_no_entity(covey_group_first(group));
    else assert_true(covey_group_contains(group, covey_group_first(group)));
}

/* The members are the first of every owned pool, or of each block of it, in the same order. */
static void check_prefix(const covey_group *group) {
    if (group->front.by_block) return; /* the validator sees it */
    for (uint32_t i = 0; i < group->front.pool_count; i++) {
        const covey_entity *ids = covey_pool_ids(group->pools[i]);
        for (uint32_t at = 0; at < covey_group_count(group); at++) {
            assert_true(covey_group_contains(group, ids[at]));
            assert_same(ids[at], covey_pool_ids(group->pools[0])[at]);
        }
    }
}

/* In how many blocks some entities are; those of a block follow each other. */
static uint32_t count_blocks(const covey_entity *entities, uint32_t count) {
    uint32_t blocks = 0;
    for (uint32_t i = 0; i < count; i++)
        blocks += i == 0 || entities[i].index / COVEY__BLOCK_IDS != entities[i - 1].index / COVEY__BLOCK_IDS;
    return blocks;
}

/* The entities that spans visit are written to a list; a group that owns all has one span, or one for each block. */
static uint32_t check_spans(const covey_group *group, covey_entity *visited) {
    covey_iter it = covey_group_iter(group);
    uint32_t count = 0, spans = 0;
    for (; covey_next(&it); spans++) {
        for (uint32_t row = 0; row < it.count; row++) {
            covey_entity own = visited[count++] = covey_span_entity(&it, row);
            assert_true(covey_group_contains(group, own));
            for (uint32_t field = 0; field < group->view.fields; field++) {
                const covey_type *type = group->view.types[field];
                const char *value = (char *)covey_field_raw(&it, field) + (size_t)row * type->size;
                assert_number(value, own, type);
                if (type->size != 0) assert_ptr_equal(value, covey_get_raw(world, own, type));
            }
        }
        for (uint32_t field = 0; field < group->front.pool_count && spans == 0 && !group->front.by_block; field++)
            assert_ptr_equal(covey_field_raw(&it, field), covey_pool_values_raw(group->pools[field]));
    }
    assert_int_equal(count, covey_group_count(group));
    if (group->front.pool_count == group->view.fields)
        assert_int_equal(spans, group->front.by_block ? count_blocks(visited, count) : (uint32_t)(count != 0));
    return count;
}

/* Rows visit the same ones in the same order. */
static void check_rows(const covey_group *group, const covey_entity *visited, uint32_t count) {
    covey_iter it = covey_group_iter(group);
    covey_row row = { 0 };
    uint32_t at = 0;
    for (; covey_next_row(&it, &row); at++) {
        assert_true(at < count);
        assert_same(covey_row_entity(&it, row), visited[at]);
        for (uint32_t field = 0; field < group->view.fields; field++) {
            const covey_type *type = group->view.types[field];
            void *value = covey_row_field_raw(&it, row, field);
            assert_number(value, visited[at], type);
            if (type->size != 0) assert_ptr_equal(value, covey_get_raw(world, visited[at], type));
        }
    }
    assert_int_equal(at, count);
}

static void check_group(const covey_group *group) {
    covey_entity visited[1000];
    assert_non_null(group);
    check_members(group);
    check_prefix(group);
    uint32_t count = check_spans(group, visited);
    if (count != 0) assert_same(covey_group_first(group), visited[0]);
    check_rows(group, visited, count);
}

static void check_all(void) {
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    for (uint32_t i = 0; i < covey_world_group_count(world); i++) check_group(covey_world_group(world, i));
}

static covey_group *make_group(const covey_group_desc *desc) {
    covey_group *group = covey_group_create(world, desc);
    assert_non_null(group);
    check_all();
    return group;
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------*/

/* All of them ask for A and B. */
static const covey_group_desc shapes[] = {
    { .own = { AB } },
    { .own = { AB }, .without = { covey_id(X) } },
    { .own = { AB }, .without = { covey_id(Y), covey_id(X) } },
    { .own = { covey_id(B) }, .with = { covey_id(A) } },
    { .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } },
    { .own = { AB, covey_id(C) } },
    { .own = { AB, covey_id(C), covey_id(D), covey_id(E) } },
    { .own = { AB, covey_id(C), covey_id(D), covey_id(E) }, .without = { covey_id(X), covey_id(Label) } },
#if IN_BLOCKS
    { .own = { AB }, .with = { covey_id(Marked) } },
#else
    { .own = { AB, covey_id(Marked) } },
#endif
    { .own = { AB }, .with = { covey_id(Blocked), covey_id(Label) } },
    { .own = { AB }, .with = { covey_id(Fixed), covey_id(Kept), covey_id(Ordered) }, .without = { covey_id(Y) } },
    { .own = { AB }, .with = { covey_id(Pinned), covey_id(Marked) }, .without = { covey_id(Blocked) } },
    { .with = { AB } },
    { .with = { AB }, .without = { covey_id(X) } },
    { .with = { AB, covey_id(Blocked) }, .without = { covey_id(Label) } },
    { .with = { AB, covey_id(Pinned), covey_id(Fixed) }, .without = { covey_id(Kept), covey_id(Marked) } },
    { .with = { AB, covey_id(Ordered), covey_id(Kept), covey_id(Marked), covey_id(Label) } },
};

static covey_group *first_group(void) { return covey_world_group(world, 0); }

static void test_a_group_has_those_that_are_there_already(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        scatter_for(&shapes[i], i);
        uint32_t count = covey_group_count(make_group(&shapes[i]));
        assert_true(count != 0 && count < COUNT);
        next_world();
    }
}

static void test_a_group_gets_those_that_come_later(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        assert_int_equal(covey_world_pool_count(world), 0); /* nor does the world know the types */
        make_group(&shapes[i]);
        assert_no_entity(covey_group_first(first_group()));
        scatter_for(&shapes[i], i);
        check_all();
        assert_true(covey_group_count(first_group()) != 0 && covey_group_count(first_group()) < COUNT);
        next_world();
    }
}

static void test_a_group_of_which_some_pools_are_not_there_yet(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        scatter(types, 1, i); /* only A */
        make_group(&shapes[i]);
        assert_int_equal(covey_group_count(first_group()), 0);
        scatter(types + 1, COUNT_OF(types) - 1, i);
        check_all();
        assert_true(covey_group_count(first_group()) != 0);
        next_world();
    }
}

static void test_a_group_owns_one_two_three_or_five_types(void **state) {
    (void)state;
    static const uint32_t numbers[] = { 1, 2, 3, 5 };
    for (uint32_t i = 0; i < 2 * COUNT_OF(numbers); i++) {
        covey_group_desc desc = { .own = { NULL } };
        uint32_t owned = numbers[i / 2];
        memcpy(desc.own, types, owned * sizeof *types);
        if (i % 2 == 0) make_group(&desc);
        scatter(types, 5, 77 + i);
        if (i % 2 != 0) make_group(&desc);
        check_all();
        assert_int_equal(first_group()->front.pool_count, owned);
        covey_iter it = covey_group_iter(first_group());
        assert_true(covey_next(&it));
        if (IN_BLOCKS) {
            next_world();
            continue;
        }
        assert_int_equal(it.count, covey_group_count(first_group()));
        const A *a = covey_field(&it, 0, A);
        assert_ptr_equal(a, covey_pool_values(covey_pool_of(world, A), A));
        if (owned > 1) assert_ptr_equal(covey_field(&it, 1, B), covey_pool_values(covey_pool_of(world, B), B));
        assert_same(covey_span_entity(&it, 0), covey_pool_ids(covey_pool_of(world, A))[0]);
        assert_false(covey_next(&it));
        next_world();
    }
}

static void with_one_storage(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    scatter((const covey_type *[]){ AB, type, covey_id(X) }, 4, 3);
    covey_group *alone = make_group(&(covey_group_desc){ .with = { type } });
    covey_group *both = make_group(&(covey_group_desc){ .with = { covey_id(A), type }, .without = { covey_id(X) } });
    covey_group *without = make_group(&(covey_group_desc){ .with = { AB }, .without = { type } });
    covey_group *owning = make_group(&(covey_group_desc){ .own = { AB }, .with = { type } });
    assert_true(covey_group_count(alone) > covey_group_count(both));
    assert_true(covey_group_count(without) != 0 && covey_group_count(owning) != 0);
    for (uint32_t i = 0; i < COUNT; i += 2) {
        if (!take(e[i], type)) assert_non_null(give(e[i], type));
        if (i % 3 == 0 && !take(e[i], covey_id(X))) assert_non_null(give(e[i], covey_id(X)));
    }
    check_all();
    covey_clear_raw(world, type);
    assert_int_equal(covey_group_count(alone) + covey_group_count(owning), 0);
    check_all();
}

static void test_groups_that_do_not_own_go_with_every_storage(void **state) {
    (void)state;
    world_teardown(NULL);
    world_setup(NULL);
    for_each_storage(with_one_storage);
}

/* A type by another address, but of the same name, is the same. */
static void test_a_group_by_another_address_of_a_type(void **state) {
    (void)state;
    static const covey_type twin = { .name = "A", .size = sizeof(Value), .align = _Alignof(Value), OWNED };
    give_to(0, 20, covey_id(A));
    make_group(&(covey_group_desc){ .own = { &twin, covey_id(B) } });
    give_to(10, 30, covey_id(B));
    check_all();
    assert_int_equal(covey_group_count(first_group()), 10);
}

/* ---- Coming and going ---------------------------------------------------------------------------------------------*/

#define NUMBER_OF_B(of) number_for(of, covey_id(B))

static B *literally(covey_entity to) { return covey_add(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_value(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_value(world, to, B, &value);
}
static B *by_pool(covey_entity to) {
    return covey_pool_add(covey_pool_of(world, B), to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) });
}
static B *by_value_and_pool(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_pool_add_value(covey_pool_of(world, B), to, B, &value);
}
static B *by_getting(covey_entity to) { return covey_get_or_add(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_setting(covey_entity to) { return covey_set(world, to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) }); }
static B *by_setting_a_value(covey_entity to) {
    static B value; /* gcc 12 takes the address that is returned for that of a local one */
    value = value_of(NUMBER_OF_B(to));
    return covey_set_value(world, to, B, &value);
}
static B *by_setting_in_the_pool(covey_entity to) {
    return covey_pool_set(covey_pool_of(world, B), to, B, { NUMBER_OF_B(to), ~NUMBER_OF_B(to) });
}
static B *by_array(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_array(world, &to, 1, B, &value) ? covey_get(world, to, B) : NULL;
}
static B *by_copies(covey_entity to) {
    B value = value_of(NUMBER_OF_B(to));
    return covey_add_copies(world, &to, 1, B, &value) ? covey_get(world, to, B) : NULL;
}
typedef B *join_fn(covey_entity to);
static join_fn *const joins[] = {
    literally, by_value, by_pool, by_value_and_pool, by_getting, by_setting, by_setting_a_value, by_setting_in_the_pool,
    by_array,  by_copies
};

/* All entities have every component that the shape may require, except B. Others have only B: a joining entity trades
 * places with one of them. */
static void prepare_joins(uint32_t shape) {
    make_group(&shapes[shape]);
    for (uint32_t i = 0; i < 7; i++) assert_non_null(give(covey_create(world), covey_id(B)));
    for (uint32_t k = 0; k < COUNT_OF(types); k++) {
        bool excluded = false;
        for (uint32_t i = 0; i < 4; i++) excluded |= shapes[shape].without[i] == types[k];
        if (types[k] != covey_id(B) && !excluded) give_to(0, COUNT, types[k]);
    }
    assert_int_equal(covey_group_count(first_group()), 0);
}

static void test_every_way_to_add_joins_and_returns_where_the_value_is_then(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) {
            covey_entity own = e[(i * 31) % COUNT]; /* not in the order in which they have A */
            const B *value = joins[i % COUNT_OF(joins)](own);
            assert_number(value, own, covey_id(B));
            assert_ptr_equal(value, covey_get(world, own, B));
            assert_int_equal(covey_group_count(first_group()), i + 1);
            assert_true(covey_group_contains(first_group(), own));
            if (i % 9 == 0) check_all();
        }
        check_all();
        next_world();
    }
}

static void test_setting_a_member_again_changes_nothing_but_the_value(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) literally(e[i]);
        uint64_t digest = world_digest(world);
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_ptr_equal(by_setting(e[i]), covey_get(world, e[i], B));
            assert_ptr_equal(by_setting_a_value(e[i]), covey_get(world, e[i], B));
            assert_ptr_equal(by_getting(e[i]), covey_get(world, e[i], B));
            assert_null(literally(e[i]));
            assert_failed(COVEY_ERROR_PRESENT);
        }
        assert_int_equal(world_digest(world), digest);
        check_all();
        next_world();
    }
}

/* The value that is added lies in the pool itself, which moves it. */
static void test_a_value_of_the_pool_itself_is_added(void **state) {
    (void)state;
    make_group(&shapes[0]);
    give_to(0, COUNT, covey_id(A));
    literally(e[0]);
    for (uint32_t i = 1; i < COUNT; i++) {
        B *value = covey_add_value(world, e[i], B, covey_get(world, e[i - 1], B));
        assert_ptr_equal(value, covey_get(world, e[i], B));
        assert_int_equal(value->number, NUMBER_OF_B(e[0]));
        assert_int_equal(value->check, ~value->number);
    }
    assert_int_equal(covey_group_count(first_group()), COUNT);
}

static void test_tags_let_entities_join_and_leave(void **state) {
    (void)state;
    covey_group *marked =
        make_group(IN_BLOCKS ? &(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(Marked) } }
                             : &(covey_group_desc){ .own = { covey_id(A), covey_id(Marked) } });
    covey_group *label = make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(Label) } });
    covey_group *none = make_group(&(covey_group_desc){ .own = { covey_id(C) }, .without = { covey_id(Label) } });
    give_to(0, COUNT, covey_id(A));
    give_to(0, COUNT, covey_id(B));
    give_to(0, COUNT, covey_id(C));
    for (uint32_t i = 5; i < COUNT; i += 3) assert_true(covey_add_tag(world, e[i], Marked));
    for (uint32_t i = 6; i < COUNT; i += 4) assert_true(covey_set_tag(world, e[i], Label));
    check_all();
    assert_int_equal(covey_group_count(marked), (COUNT - 5 + 2) / 3);
    assert_int_equal(covey_group_count(label), (COUNT - 6 + 3) / 4);
    assert_int_equal(covey_group_count(none), COUNT - (COUNT - 6 + 3) / 4);
    assert_true(covey_remove(world, e[5], Marked) && covey_remove(world, e[6], Label));
    assert_false(covey_group_contains(marked, e[5]) || covey_group_contains(label, e[6]));
    assert_true(covey_group_contains(none, e[6]));
    check_all();
}

static bool loses_a(covey_entity from) { return covey_remove(world, from, A); }
static bool loses_b_by_pool(covey_entity from) { return covey_pool_remove(covey_pool_of(world, B), from, B); }
static bool dies(covey_entity from) { return covey_destroy(world, from); }
static bool dies_with_others(covey_entity from) {
    return covey_destroy_many(world, (covey_entity[]){ from, from }, 2) == 1;
}
static bool gets_what_is_excluded(covey_entity to) {
    const covey_group *group = first_group();
    if (group->view.without == 0) return covey_remove(world, to, B);
    return give(to, group->view.types[group->view.with + to.index % group->view.without]) != NULL;
}
typedef bool leave_fn(covey_entity from);
static leave_fn *const leaves[] = { loses_a, loses_b_by_pool, dies, dies_with_others, gets_what_is_excluded };

static void test_every_way_to_leave(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < COUNT; i++) literally(e[i]);
        for (uint32_t i = 0; i < COUNT; i++) {
            covey_entity own = e[(i * 47 + 11) % COUNT];
            assert_true(covey_group_contains(first_group(), own));
            assert_true(leaves[i % COUNT_OF(leaves)](own));
            assert_false(covey_group_contains(first_group(), own));
            assert_int_equal(covey_group_count(first_group()), COUNT - 1 - i);
            if (i % 9 == 0) check_all();
        }
        check_all();
        next_world();
    }
}

static void test_a_new_entity_at_the_index_of_a_dead_member_is_none(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        prepare_joins(shape);
        for (uint32_t i = 0; i < 10; i++) literally(e[i]);
        for (uint32_t i = 0; i < 5; i++) assert_true(covey_destroy(world, e[i]));
        for (uint32_t i = 0; i < 5; i++) {
            covey_entity again = covey_create(world);
            assert_int_equal(again.index, e[i].index);
            assert_false(covey_group_contains(first_group(), again) || covey_group_contains(first_group(), e[i]));
            assert_true(give(again, covey_id(A)) && give(again, covey_id(B)));
            assert_false(covey_group_contains(first_group(), e[i]));
        }
        check_all();
        next_world();
    }
}

static void test_those_that_lose_all_that_is_excluded_join(void **state) {
    (void)state;
    static const covey_type *const excluded[] = { covey_id(X), covey_id(Y), covey_id(Kept) };
    for (uint32_t i = 0; i < 3; i++) {
        covey_group_desc desc = { .without = { covey_id(X), covey_id(Y), covey_id(Kept) } };
        const covey_type **asked = i == 0 ? desc.with : desc.own;
        asked[0] = covey_id(A);
        if (i == 2) desc.with[0] = covey_id(Blocked);
        scatter(excluded, 3, i);
        give_to(0, COUNT, covey_id(A));
        give_to(0, COUNT, covey_id(Blocked));
        covey_group *group = make_group(&desc);
        for (uint32_t k = 0; k < COUNT; k++)
            for (uint32_t n = 0; n < 3; n++) {
                uint32_t before = covey_group_count(group);
                bool was = covey_group_contains(group, e[k]);
                take(e[k], excluded[(n + k) % 3]);
                bool is = is_wanted(group, e[k]);
                assert_int_equal(covey_group_contains(group, e[k]), is);
                assert_int_equal(covey_group_count(group), before + (is && !was));
            }
        assert_int_equal(covey_group_count(group), COUNT);
        check_all();
        next_world();
    }
}

static const covey_group *watched_group;
static void no_member_when_dropped(void *value, void *context) {
    (void)value, (void)context;
    assert_int_equal(covey_group_count(watched_group), 0);
}
typedef Value Between;
COVEY_COMPONENT_DEFINE(Between, .drop = no_member_when_dropped);

/* What is excluded goes first, then one whose end looks at the group, then what the group asks for. */
static void test_one_that_dies_does_not_join_on_its_way(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        give_to(0, 5, covey_id(X));
        give_to(0, 5, covey_id(Between));
        give_to(0, 5, covey_id(A));
        covey_group_desc desc = { .without = { covey_id(X) } };
        *(i == 0 ? desc.own : desc.with) = covey_id(A);
        watched_group = make_group(&desc);
        for (uint32_t k = 0; k < 5; k++) assert_true(covey_destroy(world, e[k]));
        check_all();
        next_world();
    }
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

static void add_many(const covey_type *type, bool copies) {
    covey_entity to[COUNT];
    Value values[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        to[i] = e[(i * 7) % COUNT];
        values[i] = value_of(number_for(to[i], type));
    }
    for (uint32_t i = 0; copies && i < COUNT; i++)
        assert_true(covey_add_copies_raw(world, &to[i], 1, type, &values[i]));
    if (!copies) assert_true(covey_add_array_raw(world, to, COUNT, type, values));
}

static const covey_type *const many_types[] = { covey_id(A),       covey_id(Fixed),   covey_id(Kept),
                                                covey_id(Ordered), covey_id(Blocked), covey_id(Pinned) };

/* As many as there is no room for in a group that was just made. */
static void test_arrays_join_as_a_whole(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(many_types) * 4; i++) {
        const covey_type *type = many_types[i / 4];
        bool copies = i % 2 != 0, excludes = i % 4 > 1;
        covey_group_desc desc = { .with = { type, covey_id(B) } };
        if (excludes) desc.without[0] = covey_id(X);
        for (uint32_t k = 0; k < COUNT; k += 2) assert_non_null(give(e[k], covey_id(X)));
        give_to(0, COUNT - 10, covey_id(B));
        make_group(&desc);
        if (type == covey_id(A)) make_group(&(covey_group_desc){ .own = { AB }, .without = { covey_id(Y) } });
        add_many(type, copies);
        check_all();
        assert_int_equal(covey_group_count(first_group()), excludes ? (COUNT - 10) / 2 : COUNT - 10);
        covey_clear(world, X); /* all that may be members have room */
        check_all();
        assert_int_equal(covey_group_count(first_group()), COUNT - 10);
        next_world();
    }
}

static void test_an_array_of_what_is_excluded_lets_all_leave(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        if (!shapes[i].without[0] || shapes[i].without[0]->size == 0) continue;
        scatter_for(&shapes[i], i);
        covey_clear_raw(world, shapes[i].without[0]);
        make_group(&shapes[i]);
        assert_true(covey_group_count(first_group()) != 0);
        add_many(shapes[i].without[0], false);
        assert_int_equal(covey_group_count(first_group()), 0);
        check_all();
        next_world();
    }
}

static uint32_t copies_left; /* that succeed */
static int32_t owned_values; /* made and not dropped */
static bool copy_some(void *to, const void *from, void *context) {
    (void)context;
    if (copies_left == 0) return false;
    copies_left--;
    owned_values++;
    memcpy(to, from, sizeof(Value));
    return true;
}
static void drop_one(void *value, void *context) {
    (void)context;
    Value *own = value;
    assert_int_equal(own->check, ~own->number);
    own->check = own->number; /* a second time would be seen */
    owned_values--;
}
typedef Value Handle;
typedef Value HandleBlock;
COVEY_COMPONENT_DEFINE(Handle, OWNED, .copy = copy_some, .drop = drop_one);
COVEY_COMPONENT_DEFINE(HandleBlock, .copy = copy_some, .drop = drop_one, .zero_erased = true);

static void test_nobody_joins_when_a_copy_fails(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT; i += 13) {
        const covey_type *type = i % 2 == 0 ? covey_id(Handle) : covey_id(HandleBlock);
        const Value value = value_of(5);
        give_to(0, COUNT, covey_id(A));
        make_group(&(covey_group_desc){ .with = { covey_id(A), type } });
        make_group(&(covey_group_desc){ .with = { covey_id(A) }, .without = { type } });
        if (type == covey_id(Handle)) make_group(&(covey_group_desc){ .own = { type, covey_id(A) } });
        copies_left = 5;
        owned_values = 0;
        assert_true(covey_add_copies_raw(world, e, 5, type, &value));
        uint64_t digest = world_digest(world);
        copies_left = i / 2 < COUNT - 10 ? i / 2 : COUNT - 11;
        assert_false(covey_add_copies_raw(world, e + 5, COUNT - 10, type, &value));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(owned_values, 5);
        assert_int_equal(world_digest(world), digest);
        test_world_is_valid(world);
        for (uint32_t k = 0; k < covey_world_group_count(world); k++) check_members(covey_world_group(world, k));
        copies_left = COUNT;
        assert_true(covey_add_copies_raw(world, e + 5, COUNT - 10, type, &value));
        assert_int_equal(owned_values, COUNT - 5);
        test_world_is_valid(world);
        for (uint32_t k = 0; k < covey_world_group_count(world); k++) check_members(covey_world_group(world, k));
        covey_destroy_all(world);
        assert_int_equal(owned_values, 0);
        next_world();
    }
}

static void test_an_array_that_fails_changes_no_group(void **state) {
    (void)state;
    Value values[3] = { { 1, ~1u }, { 2, ~2u }, { 3, ~3u } };
    make_group(&shapes[0]);
    make_group(&(covey_group_desc){ .with = { AB, covey_id(Blocked) } });
    give_to(0, 10, covey_id(A));
    give_to(8, 10, covey_id(B));
    give_to(8, 10, covey_id(Blocked));
    uint64_t digest = world_digest(world);
    covey_entity wrong[][3] = { { e[1], e[2], e[8] }, { e[1], e[2], e[1] }, { e[1], e[2], { COUNT + 1, 1 } } };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(covey_add_array(world, wrong[i], 3, B, values));
        assert_false(covey_add_array(world, wrong[i], 3, Blocked, values));
        assert_failed(i == 2 ? COVEY_ERROR_DEAD : COVEY_ERROR_PRESENT);
        assert_int_equal(world_digest(world), digest);
        check_all();
    }
}

/* ---- All at once --------------------------------------------------------------------------------------------------*/

static void test_clearing_each_type_of_a_group(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        bool more = true;
        for (uint32_t term = 0; more; term++) {
            scatter(types, COUNT_OF(types), shape + term);
            const covey_group *group = make_group(&shapes[shape]);
            covey_clear_raw(world, group->view.types[term]);
            check_all();
            if (term < group->view.with) assert_int_equal(covey_group_count(group), 0);
            for (uint32_t i = 0; i < COUNT; i += 2) assert_non_null(give(e[i], group->view.types[term]));
            check_all();
            more = term + 1 < (uint32_t)group->view.with + group->view.without;
            next_world();
        }
    }
}

static void test_clearing_and_destroying_everything(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        const covey_group *group = make_group(&shapes[shape]);
        covey_clear_components(world);
        assert_int_equal(covey_group_count(group), 0);
        check_all();
        scatter_for(&shapes[shape], shape + 1);
        check_all();
        assert_true(covey_group_count(group) != 0);
        covey_destroy_all(world);
        assert_int_equal(covey_group_count(group), 0);
        check_all();
        covey_entity fresh = covey_create(world);
        for (uint32_t i = 0; i < group->view.with; i++) give(fresh, group->view.types[i]);
        assert_true(covey_group_contains(group, fresh));
        check_all();
        next_world();
    }
}

static void test_memory_that_is_returned_or_reserved_changes_no_group(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        make_group(&shapes[shape]);
        for (uint32_t i = 0; i < COUNT; i += 3) covey_destroy(world, e[i]);
        for (uint32_t k = 0; k < COUNT_OF(types); k++) take(e[1], types[k]);
        uint32_t count = covey_group_count(first_group());
        covey_compact(world);
        check_all();
        covey_shrink(world);
        check_all();
        for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
            covey_pool *pool = covey_world_pool(world, i);
            assert_int_equal(covey_pool_reserve(pool, 200), COVEY_OK);
            assert_true(!pool->observers || covey__in_blocks(pool) || pool->sparse_set.room == 0);
        }
        check_all();
        assert_int_equal(covey_group_count(first_group()), count);
        for (uint32_t k = 0; k < COUNT_OF(types); k++) assert_non_null(give(e[1], types[k]));
        check_all();
        next_world();
    }
}

/* ---- Neighbours ---------------------------------------------------------------------------------------------------*/

/* Entities get a component one after the other, lose it in the same order, and get it again in the other one. Some lack
 * another component of the group, some were in the way before, and blocks move in between. */
static void change_neighbours(const covey_type *type, const covey_type *other, uint32_t variant) {
    for (uint32_t i = 0; i < COUNT; i += variant == 1 ? 7 : COUNT) take(e[i], other);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_non_null(give(e[i], type));
        if (i == COUNT / 2) covey_shrink(world);
        check_all();
    }
    for (uint32_t i = variant; i < COUNT; i += 1 + variant) {
        assert_true(take(e[i], type));
        check_all();
    }
    if (variant == 2) covey_compact(world);
    for (uint32_t i = COUNT; i-- != 0;) {
        if (!covey_has_raw(world, e[i], type)) assert_non_null(give(e[i], type));
        check_all();
    }
    assert_null(give(e[3], type)); /* it is there already */
    covey_destroy(world, e[COUNT - 1]);
    assert_null(give(e[COUNT - 1], type)); /* the block is noted, but the entity is gone */
    e[COUNT - 1] = covey_create(world);
    for (uint32_t i = 0; i < COUNT; i++) {
        take(e[i], type);
        if (!covey_has_raw(world, e[i], other)) give(e[i], other);
        check_all();
    }
    covey_shrink(world);
}

static void test_neighbours_join_and_leave_one_after_the_other(void **state) {
    (void)state;
    for (uint32_t owned = 2; owned <= 5; owned++)
        for (uint32_t variant = 0; variant < 3; variant++) {
            covey_group_desc desc = { 0 };
            for (uint32_t k = 0; k < owned; k++) desc.own[k] = types[k];
            make_group(&desc);
            for (uint32_t k = 0; k + 1 < owned; k++) give_to(0, COUNT, types[k]);
            change_neighbours(types[owned - 1], types[0], variant);
            covey_group_destroy(first_group());
            make_group(&desc);
            change_neighbours(types[owned - 1], types[owned - 2], variant);
            next_world();
        }
}

/* A row of the group, between entities that have some of its components. */
static void test_neighbours_are_created_as_members(void **state) {
    (void)state;
    for (uint32_t variant = 0; variant < 3; variant++) {
        make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } });
        for (uint32_t i = 0; i < 150; i++) {
            covey_entity made =
                covey_create_with(world, covey_with(A, { 1, 0 }), covey_with(B, { 2, 0 }), covey_with(C, { 3, 0 }));
            for (uint32_t k = 0; k < 3; k++) {
                Value *value = covey_get_raw(world, made, types[k]);
                assert_non_null(value);
                assert_int_equal(value->number, k + 1);
                *value = value_of(number_for(made, types[k]));
            }
            if (variant == 1 && i % 11 == 5) take(made, covey_id(B));
            if (variant == 2 && i % 5 == 3) covey_destroy(world, made);
            if (i == 100) covey_shrink(world);
            check_all();
        }
        assert_int_equal(covey_group_count(first_group()), variant == 0 ? 150 : variant == 1 ? 136 : 120);
        next_world();
    }
}

/* Those that only an excluded component keeps from it join later, and that never asks for memory. */
static void test_shrinking_leaves_room_for_those_that_may_join(void **state) {
    (void)state;
    covey_group *group = make_group(&(covey_group_desc){ .with = { AB }, .without = { covey_id(X) } });
    give_to(0, COUNT, covey_id(A));
    give_to(0, COUNT, covey_id(X));
    give_to(0, COUNT, covey_id(B));
    covey_shrink(world);
    check_all();
    test_fail_at(&heap, 1, true);
    covey_clear(world, X);
    test_fail_never(&heap);
    assert_int_equal(covey_group_count(group), COUNT);
    check_all();
    size_t bytes = covey_world_memory(world);
    covey_clear(world, A);
    covey_shrink(world);
    assert_true(covey_world_memory(world) < bytes && group->members.heap.bytes == 0);
    check_all();
}

/* ---- Changing what is visited -------------------------------------------------------------------------------------*/

static const covey_group *visited_group;
static uint32_t visits[1000]; /* by index */

static void row_dies(covey_entity own) { assert_true(covey_destroy(world, own)); }
static void row_loses_the_first(covey_entity own) { assert_true(take(own, visited_group->view.types[0])); }
static void row_loses_the_last(covey_entity own) {
    assert_true(take(own, visited_group->view.types[visited_group->view.with - 1]));
}
static void row_loses_and_regains(covey_entity own) {
    row_loses_the_last(own);
    assert_non_null(give(own, visited_group->view.types[visited_group->view.with - 1]));
}
static void row_gets_what_is_excluded(covey_entity own) {
    if (visited_group->view.without != 0) give(own, visited_group->view.types[visited_group->view.with]);
}
static void row_gets_and_loses_what_is_excluded(covey_entity own) {
    row_gets_what_is_excluded(own);
    if (visited_group->view.without != 0) take(own, visited_group->view.types[visited_group->view.with]);
}
static void row_makes_another(covey_entity own) {
    (void)own;
    covey_entity fresh = covey_create(world);
    for (uint32_t i = 0; i < visited_group->view.with; i++) assert_non_null(give(fresh, visited_group->view.types[i]));
}
static void row_dies_and_makes_another(covey_entity own) {
    row_makes_another(own);
    row_dies(own);
}
typedef void row_fn(covey_entity own);
static row_fn *const row_changes[] = { row_dies,
                                       row_loses_the_first,
                                       row_loses_the_last,
                                       row_loses_and_regains,
                                       row_gets_what_is_excluded,
                                       row_gets_and_loses_what_is_excluded,
                                       row_makes_another,
                                       row_dies_and_makes_another };

/* Changes each so manieth row; all that were members before are visited once. */
static void visit(const covey_group *group, row_fn *change, uint32_t step) {
    bool member[1000] = { false };
    uint32_t rows = 0;
    memset(visits, 0, sizeof visits);
    visited_group = group;
    for (uint32_t i = 0; i < COUNT; i++) member[e[i].index] = covey_group_contains(group, e[i]);
    covey_iter it = covey_group_iter(group);
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity own = covey_row_entity(&it, row);
        visits[own.index]++;
        for (uint32_t field = 0; field < group->view.fields; field++) {
            const covey_type *type = group->view.types[field];
            assert_number(covey_row_field_raw(&it, row, field), own, type);
        }
        if (rows % step == 0) change(own);
    }
    assert_true(rows != 0);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(visits[e[i].index], member[e[i].index]);
    check_all();
}

static void test_the_entity_of_a_row_may_change_and_all_others_are_visited_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(row_changes) * 3; i++) {
        uint32_t shape = i / 3 / COUNT_OF(row_changes);
        row_fn *change = row_changes[i / 3 % COUNT_OF(row_changes)];
        scatter(types, COUNT_OF(types), i);
        for (uint32_t k = 0; k < 16 && shapes[shape].without[k]; k++) covey_clear_raw(world, shapes[shape].without[k]);
        visit(make_group(&shapes[shape]), change, i % 3 + 1);
        next_world();
    }
}

/* What happens to the row's entity in an outer group is no harm; it leaves an inner one only together with this. */
static void row_loses_c(covey_entity own) { take(own, covey_id(C)); }
static void row_loses_d(covey_entity own) { take(own, covey_id(D)); }
static void test_rows_of_groups_that_are_nested(void **state) {
    (void)state;
    static row_fn *const changes[] = { row_dies, row_loses_the_first, row_loses_the_last, row_loses_c, row_loses_d };
    for (uint32_t i = 0; i < 3 * 3 * COUNT_OF(changes); i++) {
        scatter(types, 5, i);
        covey_group *nested[3] = {
            make_group(&(covey_group_desc){ .own = { AB } }),
            make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } }),
            make_group(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D) } }),
        };
        row_fn *change = changes[i / 9];
        bool stays = (change == row_loses_c && i % 3 < 1) || (change == row_loses_d && i % 3 < 2);
        if (!stays) visit(nested[i % 3], change, i / 3 % 3 + 1);
        next_world();
    }
}

static void test_values_of_all_members_can_be_written_in_spans_and_rows(void **state) {
    (void)state;
    covey_group *group = make_group(&shapes[9]); /* own A, B with Blocked, Label */
    scatter(types, COUNT_OF(types), 1);
    covey_iter it = covey_group_iter(group);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_field(&it, 0, A)[i].number = covey_field(&it, 1, B)[i].number + 1;
            covey_field(&it, 2, Blocked)[i].number = covey_span_entity(&it, i).index;
            assert_non_null(covey_field(&it, 3, Label));
        }
    covey_row row = { 0 };
    uint32_t rows = 0;
    it = covey_group_iter(group);
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity own = covey_row_entity(&it, row);
        assert_int_equal(covey_row_field(&it, row, 0, A)->number, number_for(own, covey_id(B)) + 1);
        assert_int_equal(covey_row_field(&it, row, 2, Blocked)->number, own.index);
        covey_row_field(&it, row, 1, B)->number = 3;
        assert_int_equal(covey_get(world, own, B)->number, 3);
    }
    assert_int_equal(rows, covey_group_count(group));
    for (uint32_t i = 0; i < COUNT; i++)
        if (!covey_group_contains(group, e[i]) && covey_has(world, e[i], A))
            assert_value(e[i], covey_id(A), number_for(e[i], covey_id(A)));
}

/* ---- Nested -------------------------------------------------------------------------------------------------------*/

enum { FAMILIES = 9, MEMBERS = 4 };
static const covey_group_desc families[FAMILIES][MEMBERS] = {
    { { .own = { AB } }, { .own = { AB, covey_id(C) } } },
    { { .own = { AB } },
      { .own = { AB, covey_id(C) } },
      { .own = { covey_id(B), covey_id(D), covey_id(A), covey_id(C) } } },
    { { .own = { AB } }, { .own = { covey_id(C), covey_id(D) } }, { .own = { AB, covey_id(C), covey_id(D) } } },
    { { .own = { AB } },
      { .own = { covey_id(C), covey_id(D) } },
      { .own = { AB, covey_id(D), covey_id(C) }, .without = { covey_id(X) } },
      { .own = { covey_id(D), covey_id(C), AB, covey_id(E) }, .without = { covey_id(X), covey_id(Y) } } },
    { { .own = { AB }, .without = { covey_id(X) } },
      { .own = { AB }, .with = { covey_id(Blocked) }, .without = { covey_id(X) } },
      { .own = { AB, covey_id(C) }, .with = { covey_id(Blocked) }, .without = { covey_id(Y), covey_id(X) } } },
    { { .own = { covey_id(A) }, .with = { covey_id(B) } }, { .own = { AB } } },
    { { .own = { covey_id(A) } },
      { .own = { covey_id(B) } },
      { .own = { AB } },
      { .own = { AB }, .with = { covey_id(C) } } },
    { { .own = { covey_id(A) }, .with = { covey_id(B), covey_id(C) } },
      { .own = { AB }, .with = { covey_id(C) } },
      { .own = { AB, covey_id(C) } },
      { .own = { covey_id(C), AB }, .without = { covey_id(Label) } } },
    { { .own = { AB } },
      { .own = { AB }, .with = { covey_id(Kept) } },
      { .with = { AB, covey_id(Kept) }, .without = { covey_id(X) } },
      { .with = { AB }, .without = { covey_id(X) } } },
};

static uint32_t family_size(uint32_t family) {
    uint32_t size = 0;
    while (size < MEMBERS && (families[family][size].own[0] || families[family][size].with[0])) size++;
    return size;
}

/* Makes the groups of a family in one of the possible orders: `order` chooses the next group among the remaining
 * ones. */
static void make_family(uint32_t family, uint32_t order, covey_group **made) {
    uint32_t left[MEMBERS] = { 0, 1, 2, 3 };
    for (uint32_t size = family_size(family); size != 0; size--) {
        uint32_t at = order % size;
        order /= size;
        made[left[at]] = make_group(&families[family][left[at]]);
        for (uint32_t i = at; i + 1 < size; i++) left[i] = left[i + 1];
    }
}

static void change_something(test_random *random) {
    uint32_t i = test_below(random, COUNT), k = test_below(random, COUNT_OF(types)), kind = test_below(random, 120);
    if (!covey_alive(world, e[i])) e[i] = covey_create(world);
    if (!take(e[i], types[k])) assert_non_null(give(e[i], types[k]));
    if (kind == 0) covey_clear_raw(world, types[k]);
    if (kind == 1) covey_compact(world);
    if (kind == 2) covey_shrink(world);
    if (kind < 6 && e[i].generation < 3) assert_true(covey_destroy(world, e[i]));
}

static void test_nested_groups_are_made_in_any_order(void **state) {
    (void)state;
    for (uint32_t family = 0; family < FAMILIES; family++) {
        uint32_t orders = 1;
        for (uint32_t i = 2; i <= family_size(family); i++) orders *= i;
        for (uint32_t order = 0; order < orders; order++) {
            covey_group *made[MEMBERS];
            test_random random = { family * 100 + order };
            if (order % 2 == 0) scatter(types, COUNT_OF(types), order);
            make_family(family, order, made);
            for (uint32_t step = 0; step < 300; step++) {
                change_something(&random);
                if (step % 30 == 0) check_all();
            }
            check_all();
            next_world();
        }
    }
}

static void test_a_group_that_ends_leaves_the_others_as_they_are(void **state) {
    (void)state;
    for (uint32_t i = 0; i < FAMILIES * MEMBERS; i++) {
        uint32_t family = i / MEMBERS, size = family_size(family);
        covey_group *made[MEMBERS];
        test_random random = { i };
        scatter(types, COUNT_OF(types), i);
        make_family(family, i, made);
        for (uint32_t k = 0; k < size; k++) {
            uint64_t digest = world_digest(world);
            covey_group_destroy(made[(i + k) % size]);
            assert_int_equal(world_digest(world), digest);
            assert_int_equal(covey_world_group_count(world), size - 1 - k);
            check_all();
            for (uint32_t step = 0; step < 60; step++) change_something(&random);
            check_all();
        }
        next_world();
    }
}

static void test_groups_are_listed_from_the_outer_to_the_inner(void **state) {
    (void)state;
    for (uint32_t order = 0; order < 24; order++) {
        covey_group *made[MEMBERS];
        make_family(7, order, made);
        assert_int_equal(covey_world_group_count(world), 4);
        for (uint32_t i = 0; i < 4; i++) assert_ptr_equal(covey_world_group(world, i), made[i]);
        assert_null(covey_world_group(world, 4));
        next_world();
    }
    assert_int_equal(covey_world_group_count(world), 0);
    assert_null(covey_world_group(world, 0));
}

/* ---- What is refused ----------------------------------------------------------------------------------------------*/

/* The group is not made, for this reason, in these words, and nothing changes. */
static void assert_not_made(const covey_group_desc *desc, covey_result reason, const char *words) {
    uint64_t digest = world_digest(world);
    uint32_t groups = covey_world_group_count(world);
    assert_null(covey_group_create(world, desc));
    assert_failed(reason);
    assert_string_equal(heard.text, words);
    assert_int_equal(world_digest(world), digest);
    assert_int_equal(covey_world_group_count(world), groups);
    check_all();
}

static void test_groups_in_the_way_of_each_other(void **state) {
    (void)state;
#define NOT_MADE(mine, other) \
    "a group (" mine ") could not be made: nest it in this group, which owns one of its pools: " other
    scatter(types, COUNT_OF(types), 4);
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(X) } });
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, D", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C without X", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { covey_id(C), AB }, .without = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own C, A, B without X", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .without = { covey_id(Y) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C without Y", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { covey_id(C) }, .with = { covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own C with D", "own A, B, C without X"));
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C) }, .with = { covey_id(X) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C with X", "own A, B, C without X"));
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C) } }); /* around it */
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(Blocked) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A with Blocked", "own A, B, C"));
    make_group(&(covey_group_desc){ .own = { covey_id(D), covey_id(E) } }); /* beside it */
    assert_not_made(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D) } }, COVEY_ERROR_CONFLICT,
                    NOT_MADE("own A, B, C, D", "own D, E"));
    make_group(&(covey_group_desc){ .own = { AB, covey_id(C), covey_id(D), covey_id(E) }, .without = { covey_id(X) } });
    assert_int_equal(covey_world_group_count(world), 4);
}

static void test_groups_that_own_nothing_are_in_nobodys_way(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    for (uint32_t i = 0; i < 3; i++) make_group(&(covey_group_desc){ .with = { AB } });
    make_group(&(covey_group_desc){ .own = { AB } });
    make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(C) }, .without = { covey_id(A) } });
    make_group(&(covey_group_desc){ .own = { covey_id(C) }, .without = { covey_id(A) } });
    assert_int_equal(covey_world_group_count(world), 6);
    test_random random = { 6 };
    for (uint32_t step = 0; step < 300; step++) change_something(&random);
    check_all();
}

static void assert_not_owned(const covey_type *type, const char *words) {
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A), type } }, COVEY_ERROR_REFUSED, words);
    if (!strstr(words, "others")) assert_not_made(&(covey_group_desc){ .own = { type } }, COVEY_ERROR_REFUSED, words);
}

#define POLICY "its policy is not COVEY_SWAP_AND_POP: define it without .policy; ask for it with .with"
#define OTHER_STORAGE                                                                                         \
    "it is sparse, and others of the group are in blocks, or the other way round: define them with the same " \
    ".storage; ask for it with .with"

static void test_which_pools_are_not_owned(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    assert_not_owned(covey_id(Pinned), "a group cannot own Pinned: its values never move: define it with another "
                                       ".storage; ask for it with .with");
    assert_not_owned(covey_id(Fixed), "a group cannot own Fixed: " POLICY);
    assert_not_owned(covey_id(Kept), "a group cannot own Kept: " POLICY);
    assert_not_owned(covey_id(Ordered), "a group cannot own Ordered: " POLICY);
    assert_not_owned(covey_id(Label), "a group cannot own Label: it is a tag, without values; ask for it with .with");
    if (IN_BLOCKS) assert_not_owned(covey_id(Packed), "a group cannot own Packed: " OTHER_STORAGE);
    else assert_not_owned(covey_id(Y), "a group cannot own Y: " OTHER_STORAGE);
}

#if !IN_BLOCKS
static void test_a_pool_that_is_kept_in_order_is_not_owned(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 4);
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, A), &(covey_order){ .key = COVEY_KEY_INDEX }),
                     COVEY_OK);
    assert_not_made(
        &(covey_group_desc){ .own = { covey_id(B), covey_id(A) } }, COVEY_ERROR_REFUSED,
        "a group cannot own A: it is kept sorted: end that with covey_pool_keep_sorted; ask for it with .with");
    make_group(&(covey_group_desc){ .own = { covey_id(B) }, .with = { covey_id(A) } });
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, A), NULL), COVEY_OK);
    make_group(&(covey_group_desc){ .own = { covey_id(B), covey_id(A) } });
}
#endif

static void test_a_pool_is_owned_with_others_once_it_is_stored_as_they_are(void **state) {
    (void)state;
    covey_pool *pool = IN_BLOCKS ? covey_pool_of(world, Packed) : covey_pool_of(world, Blocked);
    covey_storage was = (covey_storage)pool->storage, other = IN_BLOCKS ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
    scatter(types, COUNT_OF(types), 4);
    assert_int_equal(covey_pool_convert(pool, other), COVEY_OK);
    make_group(&(covey_group_desc){ .own = { covey_pool_type(pool), covey_id(A) } });
    assert_int_equal(covey_pool_convert(pool, was), COVEY_ERROR_REFUSED);
    covey_group_destroy(first_group());
    assert_int_equal(covey_pool_convert(pool, was), COVEY_OK);
    check_all();
}

static void test_descriptions_that_make_no_group(void **state) {
    (void)state;
    static const char *const number =
        "a group could not be made: it asks for no type, or for more than 16; ask for 1 to 16";
    static const char *const terms = "a view could not be made: it has more than 16 terms: ask for fewer types";
    static const char *const twice = "a view could not be made: A is in .with twice: name it once";
    static const char *const neither = "a view could not be made: A is in .with and in .without: nothing could match";
    static char names[COVEY_TERMS + 1][16];
    static covey_type many[COVEY_TERMS + 1];
    for (uint32_t i = 0; i < COUNT_OF(many); i++) {
        snprintf(names[i], sizeof names[i], "Many %u", i);
        many[i] = (covey_type){ .name = names[i], .storage = COVEY_STORAGE_SPARSE };
    }
    covey_group_desc desc = { .own = { NULL } };
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc.without[0] = covey_id(A);
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc = (covey_group_desc){ .with = { &many[COVEY_TERMS] } };
    for (uint32_t i = 0; i < COVEY_TERMS; i++) desc.own[i] = &many[i];
    assert_not_made(&desc, COVEY_ERROR_TYPE, number);
    desc.with[0] = NULL;
    desc.without[0] = &many[COVEY_TERMS];
    assert_not_made(&desc, COVEY_ERROR_TYPE, terms);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A), covey_id(A) } }, COVEY_ERROR_TYPE, twice);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(A) } }, COVEY_ERROR_TYPE, twice);
    assert_not_made(&(covey_group_desc){ .own = { covey_id(A) }, .without = { covey_id(A) } }, COVEY_ERROR_TYPE,
                    neither);
    static const covey_type nameless = { .size = 4, .align = 4 }, other = { .name = "A", .size = 4, .align = 4 };
    assert_not_made(&(covey_group_desc){ .own = { &nameless } }, COVEY_ERROR_TYPE,
                    "a view could not be made: (no name) has no name: set .name");
    assert_int_equal(covey_world_pool_count(world), 0);
    give_to(0, 5, covey_id(A));
    assert_not_made(&(covey_group_desc){ .with = { &other } }, COVEY_ERROR_LAYOUT,
                    "type A is refused: a type of this name has another layout; rename one, or describe both alike");
    desc.without[0] = NULL;
    make_group(&desc); /* 16 of them */
    for (uint32_t i = 0; i < COVEY_TERMS; i++) assert_non_null(give(e[3], &many[i]));
    assert_int_equal(covey_group_count(first_group()), 1);
    check_all();
    covey_group_destroy(NULL);
    covey_group_destroy(first_group());
    covey_destroy_all(world);
}

#if !IN_BLOCKS
static void test_the_order_of_an_owned_pool_is_the_groups(void **state) {
    (void)state;
    covey_order by_number = { .key = COVEY_KEY_U32 };
    scatter(types, COUNT_OF(types), 8);
    make_group(&(covey_group_desc){ .own = { AB }, .with = { covey_id(C) }, .without = { covey_id(X) } });
    uint64_t digest = world_digest(world);
    covey_entity a = covey_group_first(first_group()), b = covey_pool_ids(covey_pool_of(world, A))[1];
    for (uint32_t i = 0; i < 2; i++) {
        covey_pool *pool = i == 0 ? covey_pool_of(world, A) : covey_pool_of(world, B);
        assert_int_equal(covey_pool_swap(pool, a, b), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_ERROR_REFUSED);
        assert_non_null(strstr(heard.text, "its order is that of the group own A, B with C without X"));
        assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, C)), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK); /* it was not kept */
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_PINNED), COVEY_ERROR_REFUSED);
        covey_advice advice[COUNT_OF(types)];
        covey_world_advise(world, advice, COUNT_OF(types));
        assert_int_equal(advice[pool->number].uses & COVEY_USE_GROUP, COVEY_USE_GROUP);
        assert_int_equal(advice[pool->number].best, COVEY_STORAGE_SPARSE);
    }
    assert_int_equal(world_digest(world), digest);
    check_all();
}

#endif

/* What is asked for and not owned, or excluded, is free in every way. */
static void test_a_pool_that_is_not_owned_keeps_its_freedom(void **state) {
    (void)state;
    static const covey_storage storages[] = { COVEY_STORAGE_BLOCK, COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK,
                                              COVEY_STORAGE_SPARSE };
    test_random random = { 4 };
    covey_order by_number = { .key = COVEY_KEY_U32 };
    scatter(types, COUNT_OF(types), 9);
    make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } });
    make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(D) }, .without = { covey_id(C), covey_id(X) } });
    static const covey_type *const freed[] = { covey_id(B), covey_id(C), covey_id(D), covey_id(X) };
    for (uint32_t i = 0; i < COUNT_OF(storages) * COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i % COUNT_OF(freed)]);
        assert_int_equal(covey_pool_convert(pool, storages[i / COUNT_OF(freed)]), COVEY_OK);
        check_all();
        for (uint32_t step = 0; step < 40; step++) change_something(&random);
        check_all();
    }
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i]);
        assert_int_equal(covey_pool_swap(pool, covey_pool_at(pool, 0), covey_pool_at(pool, 1)), COVEY_OK);
        assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, A)), COVEY_OK);
        assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_OK);
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
        check_all();
    }
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) {
        covey_pool *pool = covey_pool_of_raw(world, freed[i]);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED); /* it is kept in order */
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
        assert_non_null(pool->observers); /* still for the groups */
    }
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    assert_int_equal(covey_pool_convert(covey_pool_of(world, B), COVEY_STORAGE_PINNED), COVEY_OK);
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
}

/* ---- Ending -------------------------------------------------------------------------------------------------------*/

#if !IN_BLOCKS
static void test_pools_are_free_again_when_their_last_group_ends(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        covey_pool *a = covey_pool_of(world, A), *y = covey_pool_of(world, Y);
        uint8_t removal = a->sparse_set.removal;
        bool plain = y->plain;
        uint64_t bytes = covey_world_memory(world);
        covey_group *group = make_group(&shapes[shape]);
        assert_true(a->observers && a->sparse_set.room == 0 && a->sparse_set.removal != COVEY__REMOVE_SWAPPING);
        covey_group_destroy(group);
        for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
            assert_null(covey_world_pool(world, i)->observers);
            assert_int_equal(covey_world_pool(world, i)->uses & COVEY_USE_GROUP, 0);
        }
        assert_int_equal(a->sparse_set.room, a->sparse_set.id_capacity < a->sparse_set.data_capacity
                                                 ? a->sparse_set.id_capacity
                                                 : a->sparse_set.data_capacity);
        assert_true(a->sparse_set.room != 0 && a->sparse_set.removal == removal && y->plain == plain);
        assert_int_equal(covey_world_memory(world),
                         bytes + world->inner->group_capacity * sizeof *world->inner->groups);
        check_all();
        covey_entity first = covey_pool_ids(a)[0], second = covey_pool_ids(a)[1];
        assert_int_equal(covey_pool_swap(a, first, second), COVEY_OK);
        make_group(&shapes[shape]);
        next_world();
    }
}

static void test_pools_that_another_group_is_about_stay_watched(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 2);
    covey_group *own = make_group(&shapes[0]);
    covey_group *other = make_group(&(covey_group_desc){ .with = { covey_id(B), covey_id(C) } });
    covey_group_destroy(own);
    assert_null(covey_pool_of(world, A)->observers);
    assert_true(covey_pool_of(world, B)->observers && covey_pool_of(world, B)->sparse_set.room == 0);
    assert_int_equal(covey_pool_of(world, B)->uses & COVEY_USE_GROUP, 0);
    assert_int_equal(covey_pool_sort(covey_pool_of(world, B), NULL), COVEY_OK);
    test_random random = { 3 };
    for (uint32_t step = 0; step < 200; step++) change_something(&random);
    check_all();
    covey_group_destroy(other);
    assert_null(covey_pool_of(world, B)->observers);
}

static void test_a_pool_that_is_kept_in_order_stays_so_when_a_group_ends(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 2);
    covey_pool *a = covey_pool_of(world, A);
    covey_group *group = make_group(&(covey_group_desc){ .with = { AB } });
    assert_int_equal(covey_pool_keep_sorted(a, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    covey_group_destroy(group);
    assert_true(a->observers && a->observers->keeps_order);
    for (uint32_t i = 0; i < COUNT; i += 3)
        if (!take(e[i], covey_id(A))) give(e[i], covey_id(A));
    for (uint32_t i = 1; i < covey_pool_count(a); i++)
        assert_true(covey_pool_values(a, A)[i - 1].number <= covey_pool_values(a, A)[i].number);
    assert_int_equal(covey_pool_keep_sorted(a, NULL), COVEY_OK);
    assert_null(a->observers);
}

#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

static void test_a_group_as_text(void **state) {
    (void)state;
    static const struct {
        covey_group_desc desc;
        const char *text;
    } texts[] = {
        { { .own = { covey_id(C) } }, "own C" },
        { { .own = { AB } }, "own A, B" },
        { { .own = { AB }, .without = { covey_id(X), covey_id(Y) } }, "own A, B without X, Y" },
        { { .own = { AB }, .with = { covey_id(Blocked) }, .without = { covey_id(X) } },
          "own A, B with Blocked without X" },
        { { .with = { covey_id(Blocked), covey_id(A) } }, "with Blocked, A" },
        { { .with = { covey_id(A) }, .without = { covey_id(Label) } }, "with A without Label" },
    };
    for (uint32_t i = 0; i < COUNT_OF(texts); i++) {
        covey_group *group = make_group(&texts[i].desc);
        int length = (int)strlen(texts[i].text);
        for (size_t size = 0; size < 50; size++) {
            char text[64];
            memset(text, '#', sizeof text);
            assert_int_equal(covey_group_print(text, size, group), length);
            size_t written = size == 0 ? 0 : size - 1 < (size_t)length ? size - 1 : (size_t)length;
            assert_memory_equal(text, texts[i].text, written);
            if (size != 0) assert_int_equal(text[written], '\0');
            assert_int_equal(text[size], '#');
        }
        assert_int_equal(covey_group_print(NULL, 0, group), length);
        covey_group_destroy(group);
    }
}

/* ---- Values that need an end --------------------------------------------------------------------------------------*/

typedef Value Wiped;
COVEY_COMPONENT_DEFINE(Wiped, OWNED, .zero_erased = true);

static void add_owned(covey_entity to, const covey_type *type) {
    assert_non_null(give(to, type));
    owned_values++;
}

static void test_each_value_is_dropped_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        const covey_type *type = i == 2 ? covey_id(HandleBlock) : covey_id(Handle);
        test_random random = { i };
        owned_values = 0;
        if (i == 0) {
            make_group(&(covey_group_desc){ .own = { covey_id(A), type } });
            make_group(&(covey_group_desc){ .own = { covey_id(A), type, covey_id(C) }, .without = { covey_id(X) } });
        } else {
            make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { type }, .without = { covey_id(X) } });
            make_group(&(covey_group_desc){ .with = { covey_id(C), type } });
        }
        for (uint32_t step = 0; step < 600; step++) {
            uint32_t k = test_below(&random, COUNT);
            if (!covey_alive(world, e[k])) continue;
            int32_t before = owned_values;
            if (covey_has_raw(world, e[k], type)) assert_true(take(e[k], type) && owned_values == before - 1);
            else add_owned(e[k], type);
            before = owned_values;
            change_something(&random);
            assert_int_equal(owned_values, covey_pool_count(covey_pool_of_raw(world, type)));
            if (step % 50 == 0) check_all();
        }
        check_all();
        covey_clear_raw(world, type);
        assert_int_equal(owned_values, 0);
        for (uint32_t k = 0; k < COUNT; k++)
            if (covey_alive(world, e[k])) add_owned(e[k], type);
        covey_destroy_all(world);
        assert_int_equal(owned_values, 0);
        next_world();
    }
}

/* Behind the last component of a pool, all bytes that held one are zero. */
static void assert_wiped(void) {
    const covey_sparse_set *set = &covey_pool_of(world, Wiped)->sparse_set;
    const unsigned char *bytes = set->data;
    for (size_t i = (size_t)set->end * set->size; i < (size_t)COUNT * set->size; i++) assert_int_equal(bytes[i], 0);
}

/* In a block, these are the bytes of the slot behind the last one that is taken. */
static void assert_erased(uint32_t index) {
    const covey__block_store *blocks = &covey_pool_of(world, Wiped)->block_store;
    const covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), used = page->used[block];
    if (used == 0) return;
    const unsigned char *bytes = (unsigned char *)page->chunks[block].data + used * sizeof(Wiped);
    for (size_t i = 0; i < sizeof(Wiped); i++) assert_int_equal(bytes[i], 0);
}

static void test_bytes_that_joins_and_leaves_free_are_zero(void **state) {
    (void)state;
    test_random random = { 9 };
    covey_pool *pool = covey_pool_of(world, Wiped);
    assert_int_equal(covey_pool_reserve(pool, COUNT), COVEY_OK);
    if (!IN_BLOCKS) memset(pool->sparse_set.data, 0, (size_t)COUNT * pool->size);
    make_group(&(covey_group_desc){ .own = { covey_id(Wiped), covey_id(A) }, .without = { covey_id(X) } });
    static const covey_type *const changed[] = { covey_id(Wiped), covey_id(A), covey_id(X) };
    for (uint32_t step = 0; step < 600; step++) {
        uint32_t k = test_below(&random, COUNT);
        const covey_type *type = changed[test_below(&random, 3)];
        bool taken = take(e[k], type);
        if (!taken) assert_non_null(give(e[k], type));
        if (!IN_BLOCKS) assert_wiped();
        else if (taken && type == covey_id(Wiped)) assert_erased(e[k].index);
    }
    check_all();
    assert_true(covey_group_count(first_group()) > 5);
    if (IN_BLOCKS) return;
    assert_int_equal(covey_group_sort(first_group(), 0, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    assert_wiped();
}

/* ---- Finding ------------------------------------------------------------------------------------------------------*/

static void test_a_group_is_found_by_its_description(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 7);
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        assert_null(covey_group_find(world, &shapes[shape]));
        covey_group *group = covey_group_create(world, &shapes[shape]);
        assert_non_null(group);
        assert_ptr_equal(covey_group_find(world, &shapes[shape]), group);
        assert_int_equal(covey_world_group_count(world), 1);
        for (uint32_t other = 0; other < COUNT_OF(shapes); other++)
            if (other != shape) assert_null(covey_group_find(world, &shapes[other]));
        covey_group_destroy(group);
        assert_null(covey_group_find(world, &shapes[shape]));
    }
    check_all();
}

/* Fields have numbers, so their order is a part of the description; what is excluded has none. */
static void test_which_descriptions_are_the_same(void **state) {
    (void)state;
    covey_group *group = make_group(&(covey_group_desc){ .own = { AB }, .without = { covey_id(X), covey_id(Y) } });
    const covey_group_desc same[] = {
        { .own = { AB }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(Y), covey_id(X) } },
    };
    const covey_group_desc others[] = {
        { .own = { covey_id(B), covey_id(A) }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(X), covey_id(X) } },
        { .own = { AB }, .without = { covey_id(X) } },
        { .own = { AB }, .with = { covey_id(X) }, .without = { covey_id(Y) } },
        { .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X), covey_id(Y) } },
        { .own = { AB }, .without = { covey_id(X), covey_id(E) } },
        { .own = { NULL } },
    };
    for (uint32_t i = 0; i < COUNT_OF(same); i++) assert_ptr_equal(covey_group_find(world, &same[i]), group);
    for (uint32_t i = 0; i < COUNT_OF(others); i++) assert_null(covey_group_find(world, &others[i]));
    assert_null(covey_group_create(world, &others[0])); /* it cannot be made beside the other one, either */
    assert_failed(COVEY_ERROR_CONFLICT);
    /* Types are what their names say, whatever their addresses are. */
    covey_type again = *covey_id(A);
    assert_ptr_equal(covey_group_find(world, &(covey_group_desc){ .own = { &again, covey_id(B) },
                                                                  .without = { covey_id(X), covey_id(Y) } }),
                     group);
}

/* ---- Sorting ------------------------------------------------------------------------------------------------------*/

static int compare_numbers(const void *a, const void *b, void *context) {
    uint32_t left = ((const Value *)a)->number, right = ((const Value *)b)->number;
    ++*(uint32_t *)context;
    return (left > right) - (left < right);
}

#if !IN_BLOCKS
static uint32_t number_at(const covey_group *group, uint32_t field, covey_entity of) {
    return ((const Value *)covey_get_raw(world, of, group->view.types[field]))->number;
}

/* The members come by the numbers of a field; the last so many need not. */
static void assert_sorted(const covey_group *group, uint32_t field, bool descending, uint32_t but) {
    covey_entity visited[1000];
    uint32_t count = check_spans(group, visited);
    for (uint32_t i = 1; i + but < count; i++) {
        uint32_t before = number_at(group, field, visited[i - 1]), own = number_at(group, field, visited[i]);
        assert_true(descending ? before >= own : before <= own);
    }
}

static void key_of_check(void *key, const void *value, void *context) {
    uint32_t number = ~((const Value *)value)->check;
    (void)context;
    memcpy(key, &number, sizeof number);
}

static void test_a_group_is_sorted_by_any_of_its_fields(void **state) {
    (void)state;
    uint32_t compared = 0;
    const covey_order orders[] = {
        { .key = COVEY_KEY_U32 },
        { .key = COVEY_KEY_U32, .descending = true },
        { .key = COVEY_KEY_U32, .key_of = key_of_check },
        { .compare = compare_numbers, .context = &compared },
        { .compare = compare_numbers, .context = &compared, .descending = true },
    };
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        assert_true(covey_group_count(group) > 3);
        for (uint32_t i = 0; i < group->view.fields * COUNT_OF(orders); i++) {
            uint32_t field = i / COUNT_OF(orders);
            const covey_order *order = &orders[i % COUNT_OF(orders)];
            if (group->view.types[field]->size == 0) continue;
            assert_int_equal(covey_group_sort(group, field, &(covey_order){ .key = COVEY_KEY_INDEX }), COVEY_OK);
            assert_int_equal(covey_group_sort(group, field, order), COVEY_OK);
            assert_sorted(group, field, order->descending, 0);
            check_all();
        }
        next_world();
    }
    assert_true(compared != 0);
}

static void test_a_group_is_sorted_by_index_or_in_part(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        covey_entity visited[1000];
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        covey_order some = { .key = COVEY_KEY_U32, .count = covey_group_count(group) - 2 };
        assert_int_equal(covey_group_sort(group, 0, &some), COVEY_OK);
        assert_sorted(group, 0, false, 2);
        check_all();
        assert_int_equal(covey_group_sort(group, group->view.fields - 1, NULL), COVEY_OK);
        uint32_t count = check_spans(group, visited);
        for (uint32_t i = 1; i < count; i++) assert_true(visited[i - 1].index < visited[i].index);
        check_all();
        next_world();
    }
}

static void test_a_part_of_the_members_is_sorted(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        covey_entity before[1000], after[1000];
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        covey_order some = { .key = COVEY_KEY_INDEX, .descending = true, .from = 1 };
        some.count = covey_group_count(group) - 2;
        uint32_t count = check_spans(group, before);
        assert_int_equal(covey_group_sort(group, 0, &some), COVEY_OK);
        assert_int_equal(check_spans(group, after), count);
        assert_same(after[0], before[0]);
        assert_same(after[count - 1], before[count - 1]);
        for (uint32_t i = 2; i < count - 1; i++) assert_true(after[i - 1].index > after[i].index);
        check_all();
        next_world();
    }
}

/* Members that the other pool has come first, in its order; the others follow in the order that they had. */
static void test_a_group_is_sorted_as_a_pool(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(types); i++) {
        const covey_group_desc *shape = &shapes[i / COUNT_OF(types)];
        covey_entity before[1000], after[1000], wanted[1000];
        uint32_t found = 0;
        scatter_for(shape, i);
        covey_group *group = make_group(shape);
        const covey_pool *pool = covey_pool_of_raw(world, types[i % COUNT_OF(types)]);
        (void)covey_pool_sort(covey_pool_of_raw(world, pool->type),
                              &(covey_order){ .descending = true }); /* where it may be */
        uint32_t count = check_spans(group, before);
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            if (covey_group_contains(group, covey_pool_at(pool, at))) wanted[found++] = covey_pool_at(pool, at);
        for (uint32_t k = 0; k < count; k++)
            if (!covey_pool_has(pool, before[k])) wanted[found++] = before[k];
        assert_int_equal(found, count);
        assert_int_equal(covey_group_sort_as(group, pool), COVEY_OK);
        assert_int_equal(check_spans(group, after), count);
        for (uint32_t k = 0; k < count; k++) assert_same(after[k], wanted[k]);
        check_all();
        next_world();
    }
}

/* Those that are in an owned pool and are no members stay behind them, where they are. */
static void test_sorting_a_group_leaves_others_where_they_are(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 6);
    covey_group *group = make_group(&shapes[1]);
    const covey_pool *pool = covey_pool_of(world, A);
    uint32_t count = covey_group_count(group), rest = covey_pool_count(pool) - count;
    covey_entity before[COUNT];
    assert_true(rest != 0);
    memcpy(before, covey_pool_ids(pool) + count, rest * sizeof *before);
    assert_int_equal(covey_group_sort(group, 1, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    assert_memory_equal(before, covey_pool_ids(pool) + count, rest * sizeof *before);
    assert_int_equal(covey_pool_of(world, A)->uses & COVEY_USE_ORDER, 0);
}

/* Owned values of several sizes and alignments share the scratch. */
typedef struct Wide {
    _Alignas(32) uint32_t number;
    uint32_t rest[15];
} Wide;
typedef struct Narrow {
    uint8_t number;
} Narrow;
typedef struct Odd {
    uint32_t number[3];
} Odd;
COVEY_COMPONENT_DEFINE(Wide, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Narrow, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Odd, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true);

static void test_values_of_several_sizes_are_sorted_together(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { covey_id(Narrow), covey_id(Odd), covey_id(Marked), covey_id(Wide) });
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t number = number_for(e[i], covey_id(Wide));
        covey_add(world, e[i], Narrow, { (uint8_t)i });
        covey_add(world, e[(i * 7) % COUNT], Odd, { { i, i, i } });
        covey_add_tag(world, e[COUNT - 1 - i], Marked);
        Wide *wide = covey_add(world, e[i], Wide, { .number = number, .rest = { [14] = ~number } });
        assert_int_equal((uintptr_t)wide % 32, 0);
    }
    assert_int_equal(covey_group_count(group), COUNT);
    for (uint32_t field = 0; field < 2; field++) {
        covey_order by_number = { .key = COVEY_KEY_U32, .descending = field == 0 };
        assert_int_equal(covey_group_sort(group, field == 0 ? 3 : 1, &by_number), COVEY_OK);
        test_world_is_valid(world);
        covey_iter it = covey_group_iter(group);
        assert_true(covey_next(&it) && it.count == COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t own = covey_span_entity(&it, i).index, number = number_for(e[own], covey_id(Wide));
            const Wide *wide = covey_field(&it, 3, Wide);
            const Odd *odd = covey_field(&it, 1, Odd);
            assert_int_equal(covey_field(&it, 0, Narrow)[i].number, own);
            assert_true(wide[i].number == number && wide[i].rest[14] == ~number);
            assert_true(odd[i].number[0] * 7 % COUNT == own && odd[i].number[2] == odd[i].number[0]);
            if (i == 0) continue;
            assert_true(field == 0 ? wide[i - 1].number > wide[i].number : odd[i - 1].number[0] < odd[i].number[0]);
        }
    }
}

static void assert_not_sorted(covey_group *group, uint32_t field, const covey_order *order, covey_result reason,
                              const char *words) {
    uint64_t digest = world_digest(world);
    assert_int_equal(covey_group_sort(group, field, order), reason);
    assert_failed(reason);
    assert_string_equal(heard.text, words);
    assert_int_equal(world_digest(world), digest);
    check_all();
}

static void test_sorting_that_is_refused(void **state) {
    (void)state;
    covey_order by_number = { .key = COVEY_KEY_U32 }, outside = { .key = COVEY_KEY_U32, .offset = 5 };
    covey_order unknown = { .key = (covey_key)99 };
    scatter(types, COUNT_OF(types), 6);
    covey_group *outer = make_group(&shapes[0]);
    covey_group *unowned = make_group(&(covey_group_desc){ .with = { AB }, .without = { covey_id(X) } });
    assert_not_sorted(
        outer, 2, &by_number, COVEY_ERROR_RANGE,
        "the group own A, B could not be sorted: it has no such field: fields count from 0, owned types first");
    assert_not_sorted(unowned, 2, &by_number, COVEY_ERROR_RANGE, /* an excluded type has no field */
                      "the group with A, B without X could not be sorted: it has no such field: "
                      "fields count from 0, owned types first");
    assert_not_sorted(
        outer, 1, &outside, COVEY_ERROR_RANGE,
        "the group own A, B could not be sorted: the key is not inside the value: check .offset and .key");
    assert_not_sorted(outer, 1, &unknown, COVEY_ERROR_RANGE,
                      "the group own A, B could not be sorted: there is no such kind of key");
    covey_order beyond = { .from = 1, .count = covey_group_count(outer) };
    assert_not_sorted(outer, 1, &beyond, COVEY_ERROR_RANGE,
                      "the group own A, B could not be sorted: the part ends behind the last component: "
                      ".from and .count must lie within the pool");
    assert_int_equal(covey_group_sort(outer, 1, &by_number), COVEY_OK);
    covey_group *inner = make_group(&shapes[5]);
    assert_not_sorted(
        outer, 0, &by_number, COVEY_ERROR_REFUSED,
        "the group own A, B could not be sorted: an inner group has its entities at the front: destroy that first");
    assert_int_equal(covey_group_sort_as(outer, covey_pool_of(world, C)), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    check_all();
    assert_int_equal(covey_group_sort(inner, 2, &by_number), COVEY_OK);
    assert_sorted(inner, 2, false, 0);
    assert_int_equal(covey_group_sort(unowned, 1, &by_number), COVEY_OK);
    assert_sorted(unowned, 1, false, 0);
    check_all();
    covey_group_destroy(inner);
    assert_int_equal(covey_group_sort(outer, 1, &by_number), COVEY_OK);
    assert_sorted(outer, 1, false, 0);
    check_all();
}

/* Only the innermost group of a family may be sorted, in whatever order they were made. */
static void test_the_innermost_group_is_sorted(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * 8; i++) {
        uint32_t family = i % 8, size = family_size(family);
        covey_group *made[MEMBERS];
        scatter(types, COUNT_OF(types), i);
        make_family(family, i / 8 == 0 ? 0 : 23, made);
        for (uint32_t k = 0; k < size; k++) {
            covey_result result = covey_group_sort(made[k], 0, &(covey_order){ .key = COVEY_KEY_U32 });
            assert_int_equal(result, k + 1 == size ? COVEY_OK : COVEY_ERROR_REFUSED);
            check_all();
        }
        assert_sorted(made[size - 1], 0, false, 0);
        next_world();
    }
}

/* ---- Without memory -----------------------------------------------------------------------------------------------*/

#endif

static void test_losing_what_is_excluded_never_asks_for_memory(void **state) {
    (void)state;
    static const covey_type *const excluded[] = { covey_id(X),    covey_id(Y),       covey_id(Fixed),
                                                  covey_id(Kept), covey_id(Ordered), covey_id(Label) };
    for (uint32_t i = 0; i < COUNT_OF(excluded) * 3; i++) {
        const covey_type *type = excluded[i / 3];
        covey_group_desc desc = { .with = { AB, covey_id(Blocked) }, .without = { type } };
        if (i % 3 != 0) make_group(&desc);
        give_to(0, COUNT, type);
        give_to(0, COUNT, covey_id(A));
        give_to(0, COUNT, covey_id(Blocked));
        for (uint32_t k = COUNT; k-- != 0;) assert_non_null(give(e[k], covey_id(B)));
        if (i % 3 == 0) make_group(&desc);
        if (i % 3 == 1) covey_shrink(world);
        assert_int_equal(covey_group_count(first_group()), 0);
        uint64_t calls = heap.calls;
        test_fail_at(&heap, 1, true);
        for (uint32_t k = 0; k < COUNT; k++) {
            assert_true(take(e[k], type));
            assert_true(covey_group_contains(first_group(), e[k]));
        }
        assert_int_equal(heap.calls, calls);
        test_fail_never(&heap);
        check_all();
        next_world();
    }
}

static void empty_scene(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
}

/* Some have A, some B, some both, and some X; 8 is far away. Nothing to spare. */
static void grouped_scene(scene *s, const covey_group_desc *groups, uint32_t count) {
    empty_scene(s);
    for (uint32_t i = 0; i < 9; i++) {
        if (i % 2 == 0) assert_non_null(covey_add(s->world, s->e[i], A, { 9 - i, i }));
        if (i % 4 != 3 && i != 8) assert_non_null(covey_add(s->world, s->e[i], B, { i * 5 % 7, i }));
        if (i % 3 == 0) assert_non_null(covey_add(s->world, s->e[i], X, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], Blocked, { i * 3 % 7, i }));
    }
    Counted value = counted_make(1);
    assert_non_null(covey_add_value(s->world, s->e[4], Counted, &value));
    assert_non_null(covey_pool_of(s->world, C));
    assert_non_null(covey_pool_of(s->world, Y));
    for (uint32_t i = 0; i < count; i++) assert_non_null(covey_group_create(s->world, &groups[i]));
    covey_shrink(s->world);
}
static void ungrouped(scene *s) { grouped_scene(s, NULL, 0); }
static void with_inner(scene *s) {
    grouped_scene(s, &(covey_group_desc){ .own = { AB }, .without = { covey_id(X) } }, 1);
}
static void with_owning(scene *s) { grouped_scene(s, &shapes[0], 1); }
static void with_unowned(scene *s) {
    static const covey_group_desc groups[] = {
        { .with = { AB } },
        { .with = { AB, covey_id(Blocked) }, .without = { covey_id(X) } },
        { .with = { covey_id(A) }, .without = { covey_id(B) } },
        { .with = { covey_id(A), covey_id(Y) } },
        { .with = { covey_id(A), covey_id(Counted) } },
    };
    grouped_scene(s, groups, COUNT_OF(groups));
}

static bool makes(scene *s, covey_group_desc desc) {
    uint32_t before = covey_world_group_count(s->world);
    bool made = covey_group_create(s->world, &desc) != NULL;
    assert_int_equal(covey_world_group_count(s->world), before + made);
    if (!made && before == 0)
        for (uint32_t i = 0; i < covey_world_pool_count(s->world); i++)
            assert_null(covey_world_pool(s->world, i)->observers);
    return made;
}
static bool makes_owning(scene *s) { return makes(s, shapes[0]); }
static bool makes_owning_without(scene *s) { return makes(s, shapes[2]); }
static bool makes_of_new_types(scene *s) { return makes(s, (covey_group_desc){ .own = { covey_id(D), covey_id(E) } }); }
static bool makes_unowned(scene *s) { return makes(s, shapes[12]); }
static bool makes_unowned_without(scene *s) { return makes(s, shapes[13]); }
static bool makes_unowned_far(scene *s) { return makes(s, (covey_group_desc){ .with = { covey_id(Blocked) } }); }

static bool adds_b(scene *s) { return covey_add(s->world, s->e[8], B, { 1, 2 }) != NULL; }
static bool adds_b_value(scene *s) { return covey_add_value(s->world, s->e[8], B, (&(B){ 1, 2 })) != NULL; }
static bool adds_a(scene *s) { return covey_add(s->world, s->e[1], A, { 1, 2 }) != NULL; }
#if !IN_BLOCKS
static bool adds_a_alone(scene *s) { return covey_add(s->world, s->e[3], A, { 1, 2 }) != NULL; }
#endif
static bool adds_block(scene *s) { return covey_add(s->world, s->e[8], Y, { 1, 2 }) != NULL; }
static bool sets_b(scene *s) { return covey_set(s->world, s->e[8], B, { 1, 2 }) != NULL; }
static bool adds_counted(scene *s) {
    Counted value = counted_make(7);
    if (covey_add_value(s->world, s->e[8], Counted, &value)) return true;
    counted_drop(&value, NULL);
    return false;
}
static const Value four[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
static bool adds_array(scene *s) {
    covey_entity to[] = { s->e[5], s->e[1], s->e[3], s->e[7] };
    return covey_add_array(s->world, to, 4, A, four);
}
static bool adds_far_array(scene *s) {
    covey_entity to[] = { s->e[8], s->e[3] };
    return covey_add_array(s->world, to, 2, B, four);
}
static bool adds_array_of_blocks(scene *s) {
    covey_entity to[] = { s->e[8], s->e[0], s->e[2], s->e[4] };
    return covey_add_array(s->world, to, 4, Y, four);
}
static bool adds_copies(scene *s) {
    covey_entity to[] = { s->e[8], s->e[0], s->e[2], s->e[6] };
    Counted value = counted_make(9);
    bool done = covey_add_copies(s->world, to, 4, Counted, &value);
    counted_drop(&value, NULL);
    return done;
}
static bool converts(scene *s) {
    covey_storage other = IN_BLOCKS ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
    return covey_pool_convert(covey_pool_of(s->world, B), other) == COVEY_OK;
}
static bool sorts(scene *s) {
    return covey_group_sort(covey_world_group(s->world, 0), 0, &(covey_order){ .key = COVEY_KEY_U32 }) == COVEY_OK;
}
static bool sorts_by_comparing(scene *s) {
    uint32_t compared = 0;
    covey_order order = { .compare = compare_numbers, .context = &compared, .descending = true };
    return covey_group_sort(covey_world_group(s->world, 0), 1, &order) == COVEY_OK;
}

static bool sorts_as(scene *s) {
    return covey_group_sort_as(covey_world_group(s->world, 0), covey_pool_of(s->world, Y)) == COVEY_OK;
}
static bool makes_and_finds(scene *s) {
    uint32_t before = covey_world_group_count(s->world);
    const covey_group *group = covey_group_create(s->world, &shapes[12]);
    assert_ptr_equal(covey_group_find(s->world, &shapes[12]), group);
    assert_int_equal(covey_world_group_count(s->world), before + (group != NULL));
    return group != NULL;
}

static const operation operations[] = {
    { "making a group that owns", ungrouped, makes_owning },
    { "covey_group_find, of a group that is made", ungrouped, makes_and_finds },
    { "making a group that owns and excludes", ungrouped, makes_owning_without },
    { "making a group of types that are new", empty_scene, makes_of_new_types },
    { "making a group around another", with_inner, makes_owning },
    { "making a group inside of another", with_owning, makes_owning_without },
    { "making a group that owns nothing", ungrouped, makes_unowned },
    { "making a group that owns nothing and excludes", ungrouped, makes_unowned_without },
    { "making a group of some that are far away", ungrouped, makes_unowned_far },
    { "making a group beside others", with_unowned, makes_unowned },
    { "covey_add, in an owned pool", with_owning, adds_b },
    { "covey_add, and it joins", with_unowned, adds_b },
    { "covey_add_value, and it joins", with_unowned, adds_b_value },
    { "covey_add, and it joins several", with_unowned, adds_a },
    { "covey_add, block, and it joins", with_unowned, adds_block },
    { "covey_add_value, with an end, and it joins", with_unowned, adds_counted },
    { "covey_set, and it joins", with_unowned, sets_b },
    { "covey_add_array, and some join", with_unowned, adds_array },
    { "covey_add_array, far, and one joins", with_unowned, adds_far_array },
    { "covey_add_array, block, and all join", with_unowned, adds_array_of_blocks },
    { "covey_add_copies, and all join", with_unowned, adds_copies },
    { "covey_pool_convert, in a group", with_unowned, converts },
    { "covey_group_sort, of a group that owns nothing", with_unowned, sorts },
    { "covey_group_sort, by comparing, of a group that owns nothing", with_unowned, sorts_by_comparing },
    { "covey_group_sort_as, of a group that owns nothing", with_unowned, sorts_as },
#if !IN_BLOCKS
    { "covey_add, and it joins one", with_unowned, adds_a_alone },
    { "covey_group_sort", with_owning, sorts },
    { "covey_group_sort, by comparing", with_owning, sorts_by_comparing },
    { "covey_group_sort_as", with_owning, sorts_as },
#endif
};

static bool joins_and_leaves(scene *s) {
    return covey_remove(s->world, s->e[0], X) && covey_remove(s->world, s->e[6], X) &&
           covey_remove(s->world, s->e[4], B) && covey_remove(s->world, s->e[2], Blocked) &&
           covey_destroy(s->world, s->e[0]);
}
static bool clears(scene *s) {
    covey_clear(s->world, X);
    covey_clear(s->world, B);
    return true;
}
static bool clears_everything(scene *s) {
    covey_clear_components(s->world);
    return true;
}
static bool destroys_everything(scene *s) {
    covey_destroy_all(s->world);
    return true;
}
static bool ends(scene *s) {
    while (covey_world_group_count(s->world) != 0) covey_group_destroy(covey_world_group(s->world, 0));
    return true;
}
static bool looks(scene *s) {
    covey_group *group = covey_world_group(s->world, 0);
    covey_iter spans = covey_group_iter(group), rows = spans;
    covey_row row = { 0 };
    uint32_t count = 0;
    while (covey_next(&spans)) count += spans.count;
    while (covey_next_row(&rows, &row)) count += covey_row_field(&rows, row, 0, A) != NULL;
    return count == 2 * covey_group_count(group) && covey_group_contains(group, covey_group_first(group));
}

static const operation free_operations[] = {
    { "removing, from groups", with_unowned, joins_and_leaves },
    { "removing, from owned pools", with_inner, joins_and_leaves },
    { "covey_clear, of groups", with_unowned, clears },
    { "covey_clear, of owned pools", with_inner, clears },
    { "covey_clear_components, of groups", with_unowned, clears_everything },
    { "covey_destroy_all, of groups", with_unowned, destroys_everything },
    { "covey_destroy_all, of owned pools", with_inner, destroys_everything },
    { "covey_group_destroy", with_unowned, ends },
    { "covey_group_destroy, that owns", with_inner, ends },
    { "looking at a group", with_unowned, looks },
    { "looking at a group that owns", with_inner, looks },
};

/* ---- The validator ------------------------------------------------------------------------------------------------*/

#if !IN_BLOCKS
static void test_the_validator_sees_wrong_groups_that_own(void **state) {
    (void)state;
    give_to(0, 10, covey_id(A));
    give_to(5, 20, covey_id(B));
    give_to(5, 8, covey_id(C));
    covey_group *outer = make_group(&shapes[0]), *inner = make_group(&shapes[5]);
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B), *c = covey_pool_of(world, C);
    BREAK(covey_world *, outer->world, NULL, "group: of another world");
    BREAK(covey__role, b->observers->groups[1].role, COVEY__EXCLUDED, "group: a pool that does not know it");
    BREAK(uint8_t, c->sparse_set.policy, COVEY_SWAP_ONLY, "group: it owns a pool that cannot be owned");
    BREAK(uint32_t, inner->front.count, 4, "group: it has more members than a pool has components");
    BREAK(uint32_t, outer->front.count, 6, "group: its members are in different orders in two pools");
    BREAK(uint32_t, outer->front.count, 4,
          "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint32_t, inner->front.count, 2,
          "group: an entity that does not match is a member, or one that matches is none");
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[3], b->sparse_set.ids[4]);
    assert_reason("group: its members are in different orders in two pools");
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[3], b->sparse_set.ids[4]);
    covey_sparse_set_swap(&a->sparse_set, a->sparse_set.ids[4], a->sparse_set.ids[5]);
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[4], b->sparse_set.ids[5]);
    assert_reason("group: its members are in different orders in two pools");
    covey_sparse_set_swap(&a->sparse_set, a->sparse_set.ids[4], a->sparse_set.ids[5]);
    covey_sparse_set_swap(&b->sparse_set, b->sparse_set.ids[4], b->sparse_set.ids[5]);
    BREAK(uint32_t, world->inner->group_capacity, world->inner->group_capacity + 1,
          "world: bytes that are not accounted for");
    BREAK(uint8_t, a->adding, COVEY__ADD_ONLY, "observers: inline adds or removals bypass them");
    BREAK(uint8_t, a->sparse_set.removal, COVEY__REMOVE_GROUPED, "observers: inline adds or removals bypass them");
    covey__membership turned[2] = { a->observers->groups[1], a->observers->groups[0] };
    break_world(a->observers->groups, turned, sizeof turned, "observers: an inner group is listed before an outer one");
}

#endif

#if IN_BLOCKS
static void test_the_validator_sees_wrong_groups_in_blocks(void **state) {
    (void)state;
    give_to(0, 10, covey_id(A));
    give_to(5, 20, covey_id(B));
    give_to(5, 8, covey_id(C));
    covey_group *outer = make_group(&shapes[0]), *inner = make_group(&shapes[5]);
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B);
    uint8_t *border = covey__border_at(&outer->front, 0);
    BREAK(bool, b->block_store.grouped, false, "pool: wrongly marked as owned by a group, or not marked");
    BREAK(uint32_t, outer->front.count, 4, "group: its number of members is wrong");
    BREAK(uint8_t, *border, 4, "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint8_t, *covey__border_at(&inner->front, 0), 2,
          "group: an entity that does not match is a member, or one that matches is none");
    BREAK(uint8_t, border[1], 1, "group: its number of members is wrong");
    covey__block of_a = covey__block_in(&a->block_store, 5), of_b = covey__block_in(&b->block_store, 5);
    uint32_t slot = covey__blocks_slot(&b->block_store, 5);
    covey__block_exchange(&b->block_store, &of_b, 5, slot == 0 ? 1 : 0);
    assert_reason("group: its members are in different orders in two pools");
    covey__block_exchange(&a->block_store, &of_a, 5, slot == 0 ? 1 : 0);
    assert_reason("group: its members are in different orders in two pools"); /* not so in C */
    covey__block_exchange(&a->block_store, &of_a, 5, slot);
    covey__block_exchange(&b->block_store, &of_b, 5, slot);
    test_world_is_valid(world);
    BREAK(uint32_t, outer->front.borders.count, 0, "world: bytes that are not accounted for");
    BREAK(bool, a->observers->needs_memory, false, "observers: needs_memory is wrong");
}
#endif

static void test_the_validator_sees_wrong_groups_that_own_nothing(void **state) {
    (void)state;
    give_to(0, 40, covey_id(A));
    give_to(5, 30, covey_id(X));
    covey_group *group = make_group(&(covey_group_desc){ .with = { covey_id(A) }, .without = { covey_id(X) } });
    BREAK(uint32_t, group->candidates, 41, "group: its number of candidates is wrong");
    BREAK(size_t, group->members.heap.bytes, 1, "group: bytes that are not accounted for");
    BREAK(uint32_t, group->members.holes, 1, "set: a hole under a policy that makes none");
    covey_sparse_set_erase(&group->members, e[33]);
    assert_reason("group: an entity that does not match is a member, or one that matches is none");
    assert_int_equal(covey_sparse_set_push(&group->members, e[33], NULL), COVEY_OK);
    test_world_is_valid(world);
    assert_int_equal(covey_sparse_set_push(&group->members, e[50], NULL), COVEY_OK);
    assert_reason("group: a member is in none of its pools");
    covey_sparse_set_erase(&group->members, e[50]);
    test_world_is_valid(world);
    for (uint32_t i = 0; i < 40; i++)
        if (i < 5 || i >= 30) assert_non_null(give(e[i], covey_id(X)));
    covey_sparse_set_shrink(&group->members);
    assert_reason("group: a candidate has no page in the set of members");
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(covey__set_prepare(&group->members, e[i].index, true), COVEY_OK);
    assert_reason("group: the set of members has no room for all candidates");
    assert_int_equal(covey_sparse_set_reserve(&group->members, 40), COVEY_OK);
    test_world_is_valid(world);
}

#if !IN_BLOCKS
static void test_the_validator_sees_wrong_watches(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 7);
    make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } });
    make_group(&(covey_group_desc){ .with = { covey_id(Blocked), covey_id(B) }, .without = { covey_id(X) } });
    covey_pool *a = covey_pool_of(world, A), *b = covey_pool_of(world, B), *c = covey_pool_of(world, C);
    covey_pool *x = covey_pool_of(world, X), *blocked = covey_pool_of(world, Blocked);
    BREAK(bool, a->sparse_set.observed, false, "observers: the observed flag of the set is wrong");
    BREAK(bool, c->sparse_set.observed, true, "observers: the observed flag of the set is wrong");
    BREAK(uint8_t, a->uses, 0, "observers: COVEY_USE_GROUP is wrong");
    BREAK(uint8_t, b->uses, COVEY_USE_GROUP, "observers: COVEY_USE_GROUP is wrong");
    BREAK(uint32_t, x->observers->group_count, 0, "observers: the structure remains, but no observer is left");
    BREAK(bool, blocked->plain, true, "observers: inline adds or removals bypass them");
    BREAK(uint32_t, a->sparse_set.room, 1, "observers: inline adds or removals bypass them");
    BREAK(uint8_t, b->sparse_set.removal, COVEY__REMOVE_SWAPPING, "observers: inline adds or removals bypass them");
    BREAK(bool, a->observers->needs_memory, true, "observers: needs_memory is wrong");
    BREAK(bool, b->observers->needs_memory, false, "observers: needs_memory is wrong");
    BREAK(bool, x->observers->needs_memory, true, "observers: needs_memory is wrong");
    BREAK(bool, blocked->observers->keeps_order, true,
          "observers: the pool is kept in order, but its storage cannot be ordered");
}

#endif

/* ---- By chance ----------------------------------------------------------------------------------------------------*/

/* Groups come and go among changes of everything. */
static void test_groups_among_random_changes(void **state) {
    (void)state;
    test_random random = { 2024 };
    uint64_t steps = test_scaled(20000);
    for (uint64_t step = 0; step < steps; step++) {
        uint32_t kind = test_below(&random, 100), groups = covey_world_group_count(world);
        change_something(&random);
        if (kind == 0 && groups < 8) {
            bool shape = test_below(&random, 2) == 0;
            uint32_t family = test_below(&random, FAMILIES), member = test_below(&random, family_size(family));
            (void)covey_group_create(world, shape ? &shapes[test_below(&random, COUNT_OF(shapes))]
                                                  : &families[family][member]);
        }
        if (kind == 1 && groups > 3) covey_group_destroy(covey_world_group(world, test_below(&random, groups)));
        if (kind == 2 && groups != 0)
            (void)covey_group_sort(covey_world_group(world, test_below(&random, groups)), 0,
                                   &(covey_order){ .key = COVEY_KEY_U32, .descending = step % 2 == 0 });
        if (kind == 3) {
            covey_pool *pool = covey_pool_of_raw(world, types[test_below(&random, COUNT_OF(types))]);
            (void)covey_pool_convert(pool, test_below(&random, 2) == 0 ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE);
        }
        if (kind < 10) check_all();
    }
    check_all();
}

/* ---- As a view ----------------------------------------------------------------------------------------------------*/

static void test_a_group_tells_what_it_is_about(void **state) {
    (void)state;
    give_to(0, 40, covey_id(A));
    give_to(5, 30, covey_id(B));
    give_to(10, 20, covey_id(X));
    const covey_group_desc desc = { .own = { covey_id(A) }, .with = { covey_id(B) }, .without = { covey_id(X) } };
    covey_group *group = make_group(&desc);
    const covey_view *view = covey_group_view(group);
    assert_int_equal(covey_view_fields(view), 2);
    assert_ptr_equal(covey_view_type(view, 0), covey_id(A));
    assert_ptr_equal(covey_view_type(view, 1), covey_id(B));
    assert_null(covey_view_type(view, 2));
    assert_int_equal(covey_view_count(view), covey_group_count(group));
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(covey_view_contains(view, e[i]), covey_group_contains(group, e[i]));
}

/* ---- New entities with all components -----------------------------------------------------------------------------*/

static covey_entity create_ab(uint32_t i, bool at_once) {
    if (at_once) return covey_create_with(world, covey_with(A, { i, i + 1 }), covey_with(B, { i, i + 2 }));
    covey_entity made = covey_create_for(world, A, B);
    covey_add(world, made, A, { i, i + 1 });
    covey_add(world, made, B, { i, i + 2 });
    return made;
}

/* Some entities that match no longer do, and some others have one component only: they lie behind the members. */
static uint64_t digest_when_made(bool at_once, bool disturbed) {
    next_world();
    covey_group *group = GROUP(.own = { AB });
    covey_entity made[300];
    for (uint32_t i = 0; i < COUNT_OF(made); i++) {
        made[i] = create_ab(i, at_once);
        assert_int_equal(covey_get(world, made[i], B)->check, i + 2);
        if (disturbed && i % 30 == 29) covey_destroy(world, made[i - i % 7]);
        if (disturbed && i % 50 == 49) covey_remove(world, made[i - 20], A);
        if (disturbed && i % 90 == 89) assert_non_null(covey_add(world, e[i / 90], A, { i, i }));
        test_world_is_valid(world);
    }
    assert_int_equal(covey_group_count(group), disturbed ? covey_pool_count(covey_pool_of(world, A)) - 3 : 300);
    return world_digest(world);
}

static void test_a_new_entity_with_all_components_joins_as_by_single_adds(void **state) {
    (void)state;
    assert_int_equal(digest_when_made(true, false), digest_when_made(false, false));
    assert_int_equal(digest_when_made(true, true), digest_when_made(false, true));
}

static void test_many_new_entities_join_at_once(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { AB }), *inner;
    covey_entity made[150];
    for (uint32_t i = 0; i < COUNT; i += 9) assert_non_null(covey_add(world, e[i], A, { i, i })); /* behind members */
    for (uint32_t round = 0; round < 3; round++) {
        A a = { round, 1 };
        B b[COUNT_OF(made)];
        for (uint32_t i = 0; i < COUNT_OF(made); i++) b[i] = (B){ i, round };
        assert_true(
            covey_create_many_with(world, made, COUNT_OF(made), covey_with_copies(A, &a), covey_with_array(B, b)));
        test_world_is_valid(world);
        assert_int_equal(covey_group_count(group), (round + 1) * COUNT_OF(made));
        for (uint32_t i = 0; i < COUNT_OF(made); i++) assert_int_equal(covey_get(world, made[i], B)->number, i);
        if (round == 1) covey_clear(world, X);
        if (round == 0) continue;
        covey_entity clones[70];
        assert_true(covey_clone(world, made[3], clones, COUNT_OF(clones)));
        test_world_is_valid(world);
        for (uint32_t i = 0; i < COUNT_OF(clones); i++) covey_destroy(world, clones[i]);
    }
    inner = GROUP(.own = { AB, covey_id(C) });
    for (uint32_t i = 0; i < 40; i++) create_ab(i, true);
    C c = { 5, 6 };
    assert_true(covey_create_many_with(world, made, 100, covey_with_default(A), covey_with_copies(C, &c),
                                       covey_with_default(B)));
    assert_int_equal(covey_group_count(inner), 100);
    test_world_is_valid(world);
}

/* A listener of one pool, or a component that is disabled, is enough for the slow way. */
static void count_added(const covey_event *event, void *context) { *(uint32_t *)context += event->count; }

static void test_other_observers_see_new_members(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { AB });
    uint32_t added = 0;
    for (uint32_t i = 0; i < 40; i++) create_ab(i, true);
    covey_connection heard_b = covey_connect(
        world,
        &(covey_listener){ .type = covey_id(B), .signals = COVEY_ON_ADD, .call = count_added, .context = &added });
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(added, 10);
    assert_true(covey_disconnect(world, heard_b));
    for (uint32_t i = 0; i < 10; i++) e[i] = create_ab(i, true);
    assert_int_equal(covey_component_disable(world, e[0], A), COVEY_OK);
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(added, 10);
    assert_int_equal(covey_group_count(group), 69);
    assert_int_equal(covey_disable(world, e[1]), COVEY_OK);
    for (uint32_t i = 0; i < 10; i++) create_ab(i, true);
    assert_int_equal(covey_group_count(group), 78);
    test_world_is_valid(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_a_new_entity_with_all_components_joins_as_by_single_adds),
        GROUP_TEST(test_many_new_entities_join_at_once),
        GROUP_TEST(test_other_observers_see_new_members),
        GROUP_TEST(test_a_group_tells_what_it_is_about),
        GROUP_TEST(test_a_group_has_those_that_are_there_already),
        GROUP_TEST(test_a_group_gets_those_that_come_later),
        GROUP_TEST(test_a_group_of_which_some_pools_are_not_there_yet),
        GROUP_TEST(test_a_group_owns_one_two_three_or_five_types),
        GROUP_TEST(test_groups_that_do_not_own_go_with_every_storage),
        GROUP_TEST(test_a_group_by_another_address_of_a_type),
        GROUP_TEST(test_every_way_to_add_joins_and_returns_where_the_value_is_then),
        GROUP_TEST(test_setting_a_member_again_changes_nothing_but_the_value),
        GROUP_TEST(test_a_value_of_the_pool_itself_is_added),
        GROUP_TEST(test_tags_let_entities_join_and_leave),
        GROUP_TEST(test_every_way_to_leave),
        GROUP_TEST(test_a_new_entity_at_the_index_of_a_dead_member_is_none),
        GROUP_TEST(test_those_that_lose_all_that_is_excluded_join),
        GROUP_TEST(test_one_that_dies_does_not_join_on_its_way),
        GROUP_TEST(test_arrays_join_as_a_whole),
        GROUP_TEST(test_an_array_of_what_is_excluded_lets_all_leave),
        GROUP_TEST(test_nobody_joins_when_a_copy_fails),
        GROUP_TEST(test_an_array_that_fails_changes_no_group),
        GROUP_TEST(test_clearing_each_type_of_a_group),
        GROUP_TEST(test_clearing_and_destroying_everything),
        GROUP_TEST(test_memory_that_is_returned_or_reserved_changes_no_group),
        GROUP_TEST(test_shrinking_leaves_room_for_those_that_may_join),
        GROUP_TEST(test_neighbours_join_and_leave_one_after_the_other),
        GROUP_TEST(test_neighbours_are_created_as_members),
        GROUP_TEST(test_the_entity_of_a_row_may_change_and_all_others_are_visited_once),
        GROUP_TEST(test_rows_of_groups_that_are_nested),
        GROUP_TEST(test_values_of_all_members_can_be_written_in_spans_and_rows),
        GROUP_TEST(test_nested_groups_are_made_in_any_order),
        GROUP_TEST(test_a_group_that_ends_leaves_the_others_as_they_are),
        GROUP_TEST(test_groups_are_listed_from_the_outer_to_the_inner),
        GROUP_TEST(test_groups_in_the_way_of_each_other),
        GROUP_TEST(test_groups_that_own_nothing_are_in_nobodys_way),
        GROUP_TEST(test_which_pools_are_not_owned),
        GROUP_TEST(test_a_pool_is_owned_with_others_once_it_is_stored_as_they_are),
        GROUP_TEST(test_descriptions_that_make_no_group),
        GROUP_TEST(test_a_pool_that_is_not_owned_keeps_its_freedom),
        GROUP_TEST(test_a_group_as_text),
        GROUP_TEST(test_each_value_is_dropped_once),
        GROUP_TEST(test_bytes_that_joins_and_leaves_free_are_zero),
        GROUP_TEST(test_a_group_is_found_by_its_description),
        GROUP_TEST(test_which_descriptions_are_the_same),
        GROUP_TEST(test_losing_what_is_excluded_never_asks_for_memory),
        GROUP_TEST(test_the_validator_sees_wrong_groups_that_own_nothing),
        GROUP_TEST(test_groups_among_random_changes),
#if IN_BLOCKS
        GROUP_TEST(test_the_validator_sees_wrong_groups_in_blocks),
#else
        GROUP_TEST(test_a_pool_that_is_kept_in_order_is_not_owned),
        GROUP_TEST(test_the_order_of_an_owned_pool_is_the_groups),
        GROUP_TEST(test_pools_are_free_again_when_their_last_group_ends),
        GROUP_TEST(test_pools_that_another_group_is_about_stay_watched),
        GROUP_TEST(test_a_pool_that_is_kept_in_order_stays_so_when_a_group_ends),
        GROUP_TEST(test_a_group_is_sorted_by_any_of_its_fields),
        GROUP_TEST(test_a_group_is_sorted_by_index_or_in_part),
        GROUP_TEST(test_a_part_of_the_members_is_sorted),
        GROUP_TEST(test_a_group_is_sorted_as_a_pool),
        GROUP_TEST(test_sorting_a_group_leaves_others_where_they_are),
        GROUP_TEST(test_values_of_several_sizes_are_sorted_together),
        GROUP_TEST(test_sorting_that_is_refused),
        GROUP_TEST(test_the_innermost_group_is_sorted),
        GROUP_TEST(test_the_validator_sees_wrong_groups_that_own),
        GROUP_TEST(test_the_validator_sees_wrong_watches),
#endif
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
