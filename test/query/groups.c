#include "memory/inner.h"
#include "observe/observers.h"
#include "storage/block_store.h"
#include "groups.h"

COVEY_COMPONENT_DEFINE(A, OWNED);
COVEY_COMPONENT_DEFINE(B, OWNED);
COVEY_COMPONENT_DEFINE(C, OWNED);
COVEY_COMPONENT_DEFINE(D, OWNED);
COVEY_COMPONENT_DEFINE(E, OWNED);
COVEY_COMPONENT_DEFINE(X, OWNED);
COVEY_COMPONENT_DEFINE(Y);
COVEY_TAG_DEFINE(Label);

const covey_type *const types[] = { covey_id(A),       covey_id(B),      covey_id(C),     covey_id(D),
                                    covey_id(E),       covey_id(X),      covey_id(Y),     covey_id(Label),
                                    covey_id(Marked),  covey_id(Fixed),  covey_id(Kept),  covey_id(Ordered),
                                    covey_id(Blocked), covey_id(Pinned), covey_id(Packed) };

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

covey_entity e[COUNT];

int group_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}

void next_world(void) {
    world_teardown(NULL);
    assert_int_equal(group_setup(NULL), 0);
}

uint32_t number_for(covey_entity of, const covey_type *type) {
    return (of.index + 1) * 2654435761u ^ (uint32_t)type->name[0] << 8;
}

void *give(covey_entity to, const covey_type *type) {
    Value value = value_of(number_for(to, type));
    return covey_add_raw(world, to, type, type->size != 0 ? &value : NULL);
}
bool take(covey_entity from, const covey_type *type) { return covey_remove_raw(world, from, type); }

void give_to(uint32_t first, uint32_t end, const covey_type *type) {
    for (uint32_t i = first; i < end; i++) assert_non_null(give(e[i], type));
}

void scatter(const covey_type *const *some, uint32_t count, uint64_t seed) {
    test_random random = { seed };
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < count; k++)
            if (test_below(&random, 4) != 0) assert_non_null(give(e[i], some[k]));
}

void scatter_for(const covey_group_desc *desc, uint64_t seed) {
    scatter(types, COUNT_OF(types), seed);
    for (uint32_t i = 4; i < COUNT; i += 9)
        for (uint32_t k = 0; k < COVEY_TERMS; k++) {
            if (desc->own[k] && !covey_has_raw(world, e[i], desc->own[k])) give(e[i], desc->own[k]);
            if (desc->with[k] && !covey_has_raw(world, e[i], desc->with[k])) give(e[i], desc->with[k]);
            if (desc->without[k]) take(e[i], desc->without[k]);
        }
}

/* ---- What must hold of a group ------------------------------------------------------------------------------------*/

void assert_number(const void *value, covey_entity of, const covey_type *type) {
    assert_non_null(value);
    if (type->size == 0) return;
    const Value *own = value;
    assert_int_equal(own->number, number_for(of, type));
    assert_int_equal(own->check, ~own->number);
}

bool is_wanted(const covey_group *group, covey_entity of) {
    const covey_view *view = &group->view;
    for (uint32_t i = 0; i < (uint32_t)view->with + view->without; i++)
        if (covey_has_raw(world, of, view->types[i]) != (i < view->with)) return false;
    return true;
}

void check_members(const covey_group *group) {
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

/* A group that owns all has one span, or one for each block. */
uint32_t check_spans(const covey_group *group, covey_entity *visited) {
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

void check_all(void) {
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    for (uint32_t i = 0; i < covey_world_group_count(world); i++) check_group(covey_world_group(world, i));
}

covey_group *make_group(const covey_group_desc *desc) {
    covey_group *group = covey_group_create(world, desc);
    assert_non_null(group);
    check_all();
    return group;
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------*/

const covey_group_desc shapes[] = {
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

covey_group *first_group(void) { return covey_world_group(world, 0); }

/* ---- Nested -------------------------------------------------------------------------------------------------------*/

const covey_group_desc families[FAMILIES][MEMBERS] = {
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

uint32_t family_size(uint32_t family) {
    uint32_t size = 0;
    while (size < MEMBERS && (families[family][size].own[0] || families[family][size].with[0])) size++;
    return size;
}

void make_family(uint32_t family, uint32_t order, covey_group **made) {
    uint32_t left[MEMBERS] = { 0, 1, 2, 3 };
    for (uint32_t size = family_size(family); size != 0; size--) {
        uint32_t at = order % size;
        order /= size;
        made[left[at]] = make_group(&families[family][left[at]]);
        for (uint32_t i = at; i + 1 < size; i++) left[i] = left[i + 1];
    }
}

void change_something(test_random *random) {
    uint32_t i = test_below(random, COUNT), k = test_below(random, COUNT_OF(types)), kind = test_below(random, 120);
    if (!covey_alive(world, e[i])) e[i] = covey_create(world);
    if (!take(e[i], types[k])) assert_non_null(give(e[i], types[k]));
    if (kind == 0) covey_clear_raw(world, types[k]);
    if (kind == 1) covey_compact(world);
    if (kind == 2) covey_shrink(world);
    if (kind < 6 && e[i].generation < 3) assert_true(covey_destroy(world, e[i]));
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------*/

int compare_numbers(const void *a, const void *b, void *context) {
    uint32_t left = ((const Value *)a)->number, right = ((const Value *)b)->number;
    ++*(uint32_t *)context;
    return (left > right) - (left < right);
}
