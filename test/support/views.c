#include "views.h"

#include <stdlib.h>

COVEY_COMPONENT_DEFINE(Mate);
COVEY_COMPONENT_DEFINE(Later);
COVEY_COMPONENT_DEFINE(Banned);
COVEY_TAG_DEFINE(BlockTag);
COVEY_TAG_DEFINE(PinnedTag, .storage = COVEY_STORAGE_PINNED);
COVEY_TAG_DEFINE(FixedTag, .policy = COVEY_IN_PLACE);

const covey_type *const lead_types[6] = { covey_id(Packed),  covey_id(Fixed),   covey_id(Kept),
                                          covey_id(Ordered), covey_id(Blocked), covey_id(Pinned) };
const covey_type *const tag_types[4] = { covey_id(BlockTag), covey_id(PinnedTag), covey_id(Marked),
                                         covey_id(FixedTag) };

void for_each_lead(void (*test)(const covey_type *lead)) {
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) {
        print_message("    %s\n", lead_types[i]->name);
        test(lead_types[i]);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

bool is_sparse(const covey_type *type) {
    return type->storage == COVEY_STORAGE_SPARSE || type->policy != COVEY_SWAP_AND_POP;
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

void give(covey_entity e, const covey_type *type) {
    unsigned char bytes[256];
    Value value = value_of(e.index);
    memset(bytes, (int)(e.index & 255), sizeof bytes);
    if (type->size == sizeof value) memcpy(bytes, &value, sizeof value);
    assert_true(type->size <= sizeof bytes);
    assert_non_null(covey_add_raw(world, e, type, bytes));
}

void make_entities(covey_entity *entities, uint32_t count) { assert_true(covey_create_many(world, entities, count)); }

void give_each(const covey_entity *entities, uint32_t count, uint32_t step, const covey_type *type) {
    for (uint32_t i = 0; i < count; i += step) give(entities[i], type);
}

/* ---- Visiting -----------------------------------------------------------------------------------------------------*/

static visits visited;

char *span_field(const covey_iter *it, uint32_t field) { return covey_field_raw(it, field); }

void *row_field(const covey_iter *it, covey_row row, uint32_t field) { return covey_row_field_raw(it, row, field); }

static void check_cell(const covey_iter *it, uint32_t field, covey_entity e, const void *at) {
    const covey_type *type = covey_view_type(it->walk.view, field);
    const unsigned char *value = covey_get_raw(world, e, type);
    bool sees_all = (it->walk.view->asks & COVEY__ASKS_COMPONENTS) != 0;
    if (!sees_all && !covey_component_is_enabled_raw(world, e, type)) value = NULL;
    assert_ptr_equal(at, value);
    if (!value || type->size == 0) return;
    assert_int_equal((uintptr_t)value % type->align, 0);
    if (type->size == sizeof(Value)) assert_value(e, type, e.index);
    else assert_true(value[0] == (e.index & 255) && value[type->size - 1] == (e.index & 255));
}

const visits *visit_spans(covey_iter *it) {
    visited.count = visited.spans = visited.longest = 0;
    while (covey_next(it)) {
        assert_true(it->count != 0 && visited.count + it->count <= VISITS);
        visited.spans++;
        if (it->count > visited.longest) visited.longest = it->count;
        for (uint32_t row = 0; row < it->count; row++) {
            covey_entity e = covey_span_entity(it, row);
            visited.e[visited.count++] = e;
            for (uint32_t i = 0; i < covey_view_fields(it->walk.view); i++) {
                const char *at = span_field(it, i);
                check_cell(it, i, e, at ? at + (size_t)row * covey_view_type(it->walk.view, i)->size : NULL);
            }
        }
    }
    assert_int_equal(it->count, 0);
    return &visited;
}

const visits *visit_rows(covey_iter *it) {
    covey_row row = { 0 };
    visited.count = visited.spans = visited.longest = 0;
    while (covey_next_row(it, &row)) {
        covey_entity e = covey_row_entity(it, row);
        assert_true(visited.count < VISITS);
        visited.e[visited.count++] = e;
        for (uint32_t i = 0; i < covey_view_fields(it->walk.view); i++) check_cell(it, i, e, row_field(it, row, i));
    }
    return &visited;
}

void assert_visits(const visits *v, const covey_entity *wanted, uint32_t count) {
    assert_int_equal(v->count, count);
    for (uint32_t i = 0; i < count; i++) assert_same(v->e[i], wanted[i]);
}

/* ---- The look at every entity -------------------------------------------------------------------------------------*/

static uint32_t count_had(const covey_view_desc *desc, const covey_type *const *types, covey_entity e,
                          uint32_t *named) {
    uint32_t had = 0;
    for (*named = 0; *named < COVEY_TERMS && types[*named]; ++*named) {
        const covey_type *type = types[*named];
        had += desc->include_disabled ? covey_has_raw(world, e, type) : covey_component_is_enabled_raw(world, e, type);
    }
    return had;
}

static bool asks_for_disabled(const covey_view_desc *desc) {
    const covey_type *const *const kinds[] = { desc->with, desc->optional, desc->any, desc->without };
    for (uint32_t i = 0; i < 4 * COVEY_TERMS; i++)
        if (kinds[i / COVEY_TERMS][i % COVEY_TERMS] == covey_id(covey_disabled)) return true;
    return desc->include_disabled;
}

bool fits(const covey_view_desc *desc, covey_entity e) {
    uint32_t named;
    if (!covey_alive(world, e) || (!covey_is_enabled(world, e) && !asks_for_disabled(desc))) return false;
    if (count_had(desc, desc->with, e, &named) != named) return false;
    if (count_had(desc, desc->any, e, &named) == 0 && named != 0) return false;
    return count_had(desc, desc->without, e, &named) == 0;
}

static int by_index(const void *a, const void *b) {
    uint32_t left = ((const covey_entity *)a)->index, right = ((const covey_entity *)b)->index;
    return left < right ? -1 : left > right;
}

static void assert_same_set(const visits *v, const covey_entity *wanted, uint32_t count) {
    static covey_entity sorted[VISITS];
    assert_int_equal(v->count, count);
    memcpy(sorted, v->e, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_index);
    for (uint32_t i = 0; i < count; i++) assert_same(sorted[i], wanted[i]);
}

uint32_t assert_view(const covey_view_desc *desc) {
    static covey_entity wanted[VISITS];
    uint32_t count = 0;
    covey_view view = covey_view_make(world, desc);
    assert_true(covey_view_valid(&view));
    for (covey_entity e = covey_entity_next(world, entity(0, 0)); !covey_is_null(e); e = covey_entity_next(world, e)) {
        bool match = fits(desc, e);
        assert_int_equal(covey_view_contains(&view, e), match);
        if (match) wanted[count++] = e;
    }
    covey_iter it = covey_view_iter(&view);
    assert_same_set(visit_spans(&it), wanted, count);
    it = covey_view_iter(&view);
    assert_same_set(visit_rows(&it), wanted, count);
    assert_int_equal(covey_view_count(&view), count);
    covey_entity first = covey_view_first(&view);
    if (count == 0) assert_no_entity(first);
    else assert_true(fits(desc, first));
    return count;
}
