/* Views: making them, what they match, and in which order. */
#include "views.h"

#include <stdio.h>

/* ---- Making -------------------------------------------------------------------------------------------------------*/

static void test_fields_go_through_with_then_optional_then_any(void **state) {
    (void)state;
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Packed) },
                                                                 .optional = { covey_id(Fixed) },
                                                                 .any = { covey_id(Kept), covey_id(Marked) },
                                                                 .without = { covey_id(Banned) } });
    assert_true(covey_view_valid(&view));
    assert_int_equal(covey_view_fields(&view), 5);
    assert_ptr_equal(covey_view_type(&view, 0), covey_id(Blocked));
    assert_ptr_equal(covey_view_type(&view, 1), covey_id(Packed));
    assert_ptr_equal(covey_view_type(&view, 2), covey_id(Fixed));
    assert_ptr_equal(covey_view_type(&view, 3), covey_id(Kept));
    assert_ptr_equal(covey_view_type(&view, 4), covey_id(Marked));
    assert_null(covey_view_type(&view, 5));
    assert_int_equal(covey_world_result(world), COVEY_OK);
}

static void test_a_view_knows_what_is_only_read(void **state) {
    (void)state;
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Packed) },
                                                                 .optional = { covey_id(Fixed) },
                                                                 .any = { covey_id(Kept) },
                                                                 .read = { covey_id(Kept), covey_id(Packed) } });
    assert_false(covey_view_is_read_only(&view, 0));
    assert_true(covey_view_is_read_only(&view, 1));
    assert_false(covey_view_is_read_only(&view, 2));
    assert_true(covey_view_is_read_only(&view, 3));
    assert_false(covey_view_is_read_only(&view, 4));
    assert_false(covey_view_is_read_only(&view, UINT32_MAX));
}

/* Nothing is found, wherever one looks. */
static void assert_nothing(const covey_view *view) {
    covey_entity e = covey_entity_next(world, entity(0, 0));
    const covey_pool *pool = covey_pool_find(world, Blocked);
    covey_row row = { 0 };
    assert_false(covey_is_null(e));
    assert_non_null(pool);
    assert_int_equal(covey_view_count(view), 0);
    assert_no_entity(covey_view_first(view));
    assert_false(covey_view_contains(view, e));
    covey_iter its[] = { covey_view_iter(view), covey_view_iter_by(view, pool), covey_view_iter_list(view, &e, 1) };
    for (uint32_t i = 0; i < COUNT_OF(its); i++) {
        covey_iter rows = its[i];
        assert_false(covey_next(&its[i]));
        assert_int_equal(its[i].count, 0);
        assert_false(covey_next_row(&rows, &row));
    }
}

/* The description is refused, with a word about why; the view finds nothing. */
static void assert_refused(const covey_view_desc *desc, const char *why) {
    if (!covey_pool_find(world, Blocked)) create_with(covey_id(Blocked), 0);
    uint32_t times = heard.times;
    covey_view view = covey_view_make(world, desc);
    assert_false(covey_view_valid(&view));
    assert_failed(COVEY_ERROR_TYPE);
    assert_int_equal(heard.times, times + 1);
    assert_non_null(strstr(heard.text, why));
    assert_int_equal(covey_view_fields(&view), 0);
    assert_null(covey_view_type(&view, 0));
    assert_false(covey_view_is_read_only(&view, 0));
    assert_nothing(&view);
}

/* One type in two terms: the log names it, both terms, and says why that is nothing. */
static void test_a_type_in_two_terms_is_refused_with_the_reason(void **state) {
    (void)state;
    static const char *const names[] = { ".with", ".optional", ".any", ".without" };
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t a = i / 4, b = i % 4;
        covey_view_desc desc = { .include_disabled = false };
        const covey_type **const lists[] = { desc.with, desc.optional, desc.any, desc.without };
        char words[80];
        lists[a][0] = covey_id(Packed);
        lists[b][a == b] = covey_id(Packed);
        uint32_t first = a < b ? a : b, second = a < b ? b : a;
        if (a == b) snprintf(words, sizeof words, "Packed is in %s twice: name it once", names[a]);
        else snprintf(words, sizeof words, "Packed is in %s and in %s: ", names[first], names[second]);
        assert_refused(&desc, words);
        const char *why = NULL;
        covey_view view = covey_view_make_const(world, &desc, &why);
        assert_false(covey_view_valid(&view));
        assert_non_null(strstr(why, strchr(words, ' ') + 1));
    }
}

/* Readers have a const world: what is wrong is said to them alone. */
static void test_views_of_a_const_world(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity made = create_with(covey_id(Packed), i);
        if (i % 3 == 0) covey_add(world, made, Blocked, { i, ~i });
    }
    const covey_world *reader = world;
    const char *why = "nothing was said";
    covey_view_desc desc = { .with = { covey_id(Packed) }, .optional = { covey_id(Blocked) } };
    covey_view view = covey_view_make_const(reader, &desc, &why);
    assert_true(covey_view_valid(&view));
    assert_null(why);
    assert_true(covey_view_is_read_only(&view, 0) && covey_view_is_read_only(&view, 1));
    uint64_t digest = world_digest(world);
    covey_iter it = covey_view_iter(&view), rows = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t count = 0;
    while (covey_next(&it)) {
        const Packed *packed = covey_field_const(&it, 0, Packed);
        const Blocked *blocked = covey_field_const(&it, 1, Blocked);
        for (uint32_t i = 0; i < it.count; i++, count++) {
            assert_int_equal(packed[i].number, count);
            assert_true((blocked != NULL) == (count % 3 == 0));
            assert_true(covey_next_row(&rows, &row));
            assert_ptr_equal(covey_row_field_const(&rows, row, 0, Packed), &packed[i]);
            assert_ptr_equal(covey_row_field_const(&rows, row, 1, Blocked), blocked ? &blocked[i] : NULL);
        }
    }
    assert_int_equal(count, 100);
    assert_int_equal(covey_view_count(&view), 100);
    covey_view all = covey_view_make_const(reader, NULL, NULL);
    assert_int_equal(covey_view_count(&all), covey_entity_count(reader));
    uint32_t times = heard.times;
    desc.read[0] = covey_id(Marked);
    view = covey_view_make_const(reader, &desc, &why);
    assert_false(covey_view_valid(&view));
    assert_string_equal(why, "is in .read and no field: name it in .with, .optional or .any as well");
    assert_nothing(&view);
    assert_int_equal(heard.times, times);
    assert_int_equal(covey_world_result(reader), COVEY_OK);
    assert_true(world_digest(world) == digest);
}

/* Reading is no change, whatever the type is. */
static void test_views_of_a_const_world_touch_no_tick(void **state) {
    (void)state;
    covey_type ticking = { .name = "ticking", .size = 4, .align = 4, .ticks = true };
    const covey_type *type = covey_type_create(world, &ticking);
    covey_entity one = covey_create(world);
    covey_add_raw(world, one, type, NULL);
    uint64_t added = covey_tick_advance(world);
    covey_view view = covey_view_make_const(world, &(covey_view_desc){ .with = { type } }, NULL);
    covey_iter it = covey_view_iter(&view), rows = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next(&it)) assert_non_null(covey_field_raw(&it, 0));
    while (covey_next_row(&rows, &row)) assert_non_null(covey_row_field_raw(&rows, row, 0));
    assert_int_equal(covey_changed_at_raw(world, one, type), added);
}

/* Types of all storages, made at run time, as many as asked for. */
static void make_types(const covey_type **types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        covey_type type = *lead_types[i % COUNT_OF(lead_types)];
        char name[] = { 'T', (char)('a' + i), '\0' };
        type.name = name;
        types[i] = covey_type_create(world, &type);
        assert_non_null(types[i]);
    }
}

static void test_sixteen_terms_are_enough(void **state) {
    (void)state;
    const covey_type *types[17];
    covey_view_desc desc = { .read = { NULL } };
    make_types(types, COUNT_OF(types));
    for (uint32_t i = 0; i < 4; i++) {
        desc.with[i] = types[i];
        desc.optional[i] = types[4 + i];
        desc.any[i] = types[8 + i];
        desc.without[i] = types[12 + i];
    }
    covey_view view = covey_view_make(world, &desc);
    assert_true(covey_view_valid(&view));
    assert_int_equal(covey_view_fields(&view), 12);
    desc.without[4] = types[16];
    assert_refused(&desc, "16 terms");
    covey_view_desc full = { .with = { NULL } };
    memcpy(full.with, types, sizeof full.with);
    view = covey_view_make(world, &full);
    assert_true(covey_view_valid(&view));
    full.any[0] = types[16];
    assert_refused(&full, "16 terms");
}

static void test_a_type_named_twice_is_refused(void **state) {
    (void)state;
    static const covey_type twin = { .name = "Blocked", .size = sizeof(Value), .align = _Alignof(Value) };
    const covey_type *b = covey_id(Blocked);
    assert_refused(&(covey_view_desc){ .with = { b, b } }, "twice");
    assert_refused(&(covey_view_desc){ .with = { b }, .optional = { b } }, "and in .optional");
    assert_refused(&(covey_view_desc){ .with = { b }, .without = { b } }, "nothing could match");
    assert_refused(&(covey_view_desc){ .optional = { covey_id(Mate), b }, .any = { b } }, "in .optional and in .any");
    assert_refused(&(covey_view_desc){ .any = { b }, .without = { &twin } }, "in .any and in .without");
}

static void test_a_type_that_is_not_valid_is_refused(void **state) {
    (void)state;
    static const covey_type nameless = { .size = 4, .align = 4 }, askew = { .name = "Askew", .size = 12, .align = 8 };
    assert_refused(&(covey_view_desc){ .with = { &nameless } }, "(no name) has no name: set .name");
    assert_refused(&(covey_view_desc){ .optional = { &askew } }, "Askew has a .size that is no multiple");
    assert_refused(&(covey_view_desc){ .without = { covey_id(Mate), &askew } },
                   "Askew has a .size that is no multiple");
}

static void test_reading_what_has_no_field_is_refused(void **state) {
    (void)state;
    static const covey_type nameless = { .size = 4, .align = 4 };
    const covey_type *b = covey_id(Blocked), *p = covey_id(Packed);
    assert_refused(&(covey_view_desc){ .with = { b }, .read = { p } }, "read");
    assert_refused(&(covey_view_desc){ .with = { b }, .without = { p }, .read = { b, p } }, "read");
    assert_refused(&(covey_view_desc){ .with = { b }, .read = { &nameless } }, "read");
    assert_refused(&(covey_view_desc){ .read = { b } }, "read");
    assert_refused(&(covey_view_desc){ .with = { b }, .changed = { &nameless } }, "changed");
}

static void test_a_zeroed_view_matches_nothing(void **state) {
    (void)state;
    covey_view zeroed = { 0 };
    create_with(covey_id(Blocked), 1);
    assert_false(covey_view_valid(&zeroed));
    assert_int_equal(covey_view_fields(&zeroed), 0);
    assert_nothing(&zeroed);
}

/* ---- Matching -----------------------------------------------------------------------------------------------------*/

static void test_a_view_of_nothing_matches_all_entities(void **state) {
    (void)state;
    covey_entity e[150];
    covey_view all = covey_view_make(world, NULL);
    covey_iter it = covey_view_iter(&all);
    assert_true(covey_view_valid(&all));
    assert_false(covey_next(&it));
    make_entities(e, COUNT_OF(e));
    give_each(e, COUNT_OF(e), 7, covey_id(Packed));
    for (uint32_t i = 0; i < COUNT_OF(e); i += 3) covey_destroy(world, e[i]);
    assert_int_equal(covey_view_count(&all), 100);
    assert_same(covey_view_first(&all), e[1]);
    assert_false(covey_view_contains(&all, e[0]));
    it = covey_view_iter(&all);
    assert_int_equal(visit_spans(&it)->count, 100);
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { NULL } }), 100);
}

static void mixed_world(covey_entity *e, uint32_t count) {
    make_entities(e, count);
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) give_each(e + i, count - i, i + 2, lead_types[i]);
    for (uint32_t i = 0; i < COUNT_OF(tag_types); i++) give_each(e + i, count - i, 2 * i + 3, tag_types[i]);
}

static void each_kind_alone(const covey_type *type) {
    covey_entity e[200];
    mixed_world(e, COUNT_OF(e));
    uint32_t had = covey_pool_count(covey_pool_find_raw(world, type));
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { type } }), had);
    assert_int_equal(assert_view(&(covey_view_desc){ .any = { type } }), had);
    assert_int_equal(assert_view(&(covey_view_desc){ .optional = { type } }), COUNT_OF(e));
    assert_int_equal(assert_view(&(covey_view_desc){ .without = { type } }), COUNT_OF(e) - had);
}
static void test_each_kind_of_term_works_alone(void **state) {
    (void)state;
    for_each_lead(each_kind_alone);
}

static void test_any_two_storages_may_be_in_any_two_kinds(void **state) {
    (void)state;
    covey_entity e[200];
    mixed_world(e, COUNT_OF(e));
    for (uint32_t i = 0; i < 100; i++) {
        const covey_type *a = i / 10 < 6 ? lead_types[i / 10] : tag_types[i / 10 - 6];
        const covey_type *b = i % 10 < 6 ? lead_types[i % 10] : tag_types[i % 10 - 6];
        if (a == b) continue;
        assert_view(&(covey_view_desc){ .with = { a, b } });
        assert_view(&(covey_view_desc){ .with = { a }, .optional = { b } });
        assert_view(&(covey_view_desc){ .with = { a }, .any = { b } });
        assert_view(&(covey_view_desc){ .with = { a }, .without = { b } });
        assert_view(&(covey_view_desc){ .any = { a, b } });
        assert_view(&(covey_view_desc){ .optional = { a }, .any = { b } });
        assert_view(&(covey_view_desc){ .any = { a }, .without = { b } });
        assert_view(&(covey_view_desc){ .optional = { a }, .without = { b } });
    }
}

static void test_views_of_sixteen_terms_match(void **state) {
    (void)state;
    const covey_type *types[16];
    covey_entity e[150];
    make_types(types, COUNT_OF(types));
    make_entities(e, COUNT_OF(e));
    covey_view_desc all = { .with = { NULL } }, parts = all, any = all;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        for (uint32_t k = 0; k < COUNT_OF(e); k++)
            if (k % (i + 2) != 0) give(e[k], types[i]);
        all.with[i] = any.any[i] = types[i];
        if (i < 8) parts.with[i] = types[i];
        else if (i < 12) parts.optional[i - 8] = types[i];
        else if (i < 15) parts.any[i - 12] = types[i];
        else parts.without[0] = types[i];
    }
    assert_int_equal(assert_view(&all), 29); /* 1 and the primes from 19 on */
    assert_int_equal(assert_view(&any), COUNT_OF(e) - 1);
    assert_true(assert_view(&parts) > 0);
}

static void before_types(const covey_type *type) {
    covey_view with = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_view any = covey_view_make(world, &(covey_view_desc){ .any = { type } });
    covey_view without = covey_view_make(world, &(covey_view_desc){ .without = { type } });
    covey_view optional = covey_view_make(world, &(covey_view_desc){ .optional = { type } });
    covey_entity e = covey_create(world);
    for (uint32_t round = 0; round < 3; round++) {
        covey_iter it = covey_view_iter(&optional);
        assert_int_equal(covey_view_count(&with), round == 1);
        assert_int_equal(covey_view_count(&any), round == 1);
        assert_int_equal(covey_view_count(&without), round != 1);
        assert_true(covey_next(&it) && it.count == 1);
        assert_int_equal(span_field(&it, 0) != NULL, round == 1);
        if (round == 0) give(e, type);
        else remove_value(e, type);
    }
}
static void test_a_view_sees_what_was_added_since(void **state) {
    (void)state;
    for_each_lead(before_types);
}

static void test_a_type_of_another_layout_is_not_there(void **state) {
    (void)state;
    static const covey_type clash = { .name = "Blocked", .size = 4, .align = 4 };
    create_with(covey_id(Blocked), 1);
    covey_view with = covey_view_make(world, &(covey_view_desc){ .with = { &clash } });
    covey_view without = covey_view_make(world, &(covey_view_desc){ .without = { &clash } });
    assert_true(covey_view_valid(&with));
    assert_int_equal(covey_view_count(&with), 0);
    assert_int_equal(covey_view_count(&without), 1);
}

static void test_ids_of_several_pages_are_found(void **state) {
    (void)state;
    enum { COUNT = 2 * COVEY__BLOCK_PAGE + 70 };
    covey_entity *e = test_malloc(COUNT * sizeof *e);
    make_entities(e, COUNT);
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) give_each(e + i, COUNT - i, i + 1, lead_types[i]);
    give_each(e + COUNT - 3, 3, 1, covey_id(Mate));
    give(e[1], covey_id(Mate));
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) {
        assert_view(&(covey_view_desc){ .with = { lead_types[i] } });
        assert_view(&(covey_view_desc){ .with = { covey_id(Mate) }, .optional = { lead_types[i] } });
        assert_view(&(covey_view_desc){ .any = { covey_id(Mate), lead_types[i] } });
        assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), lead_types[i == 4 ? 5 : i] } });
    }
    assert_int_equal(assert_view(&(covey_view_desc){ .without = { covey_id(Mate) } }), COUNT - 4);
    test_free(e);
}

static void few_far_away(const covey_type *type) {
    uint32_t far = COVEY_NONE > 2000000 ? 1000000 : COVEY_NONE - 1;
    covey_entity e[] = { covey_create(world), covey_create_at(world, far / 2), covey_create_at(world, far) };
    give_each(e, 3, 1, type);
    give_each(e, 3, 2, covey_id(Mate));
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { type } }), 3);
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { type, covey_id(Mate) } }), 2);
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { type }, .without = { covey_id(Mate) } }), 1);
    assert_int_equal(assert_view(&(covey_view_desc){ .any = { type, covey_id(Later) } }), 3);
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { NULL } }), 3);
}
static void test_few_entities_with_high_indices_are_found(void **state) {
    (void)state;
    for_each_lead(few_far_away);
}

static void test_only_living_handles_are_contained(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1), f = create_with(covey_id(Blocked), 2);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) } });
    covey_destroy(world, f);
    assert_true(covey_view_contains(&view, e));
    assert_false(covey_view_contains(&view, f));
    assert_false(covey_view_contains(&view, entity(0, 0)));
    assert_false(covey_view_contains(&view, entity(e.index, e.generation + 2)));
    assert_false(covey_view_contains(&view, entity(COVEY_NONE, 1)));
    covey_entity g = create_with(covey_id(Blocked), 3);
    assert_int_equal(g.index, f.index);
    assert_false(covey_view_contains(&view, f));
    assert_true(covey_view_contains(&view, g));
}

/* ---- Using --------------------------------------------------------------------------------------------------------*/

static void test_a_view_may_be_used_again_and_copied(void **state) {
    (void)state;
    covey_entity e[100];
    make_entities(e, COUNT_OF(e));
    give_each(e, COUNT_OF(e), 1, covey_id(Blocked));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) } }), copy = view;
    for (uint32_t round = 0; round < 3; round++) {
        covey_iter it = covey_view_iter(round == 1 ? &copy : &view);
        assert_visits(visit_rows(&it), e, COUNT_OF(e));
    }
    memset(&view, 0, sizeof view);
    assert_int_equal(covey_view_count(&copy), COUNT_OF(e));
}

static void test_iterating_allocates_nothing(void **state) {
    (void)state;
    covey_entity e[200];
    mixed_world(e, COUNT_OF(e));
    uint64_t calls = heap.calls;
    test_fail_at(&heap, 1, true);
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) {
        covey_view_desc desc = { .with = { lead_types[i] },
                                 .optional = { covey_id(Mate) },
                                 .any = { tag_types[i % 4] } };
        assert_view(&desc);
        covey_view view = covey_view_make(world, &desc);
        covey_iter it = covey_view_iter_by(&view, covey_pool_find_raw(world, lead_types[(i + 1) % 6]));
        visit_spans(&it);
        it = covey_view_iter_list(&view, e, COUNT_OF(e));
        visit_rows(&it);
    }
    assert_view(&(covey_view_desc){ .with = { covey_id(Later) } });
    test_fail_never(&heap);
    assert_int_equal(heap.calls, calls);
    assert_null(covey_pool_find(world, Later));
}

static void nested(const covey_type *type) {
    covey_entity e[100];
    make_entities(e, COUNT_OF(e));
    give_each(e, COUNT_OF(e), 1, type);
    give_each(e, COUNT_OF(e), 3, covey_id(Mate));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_view other = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Mate), type } });
    covey_iter outer = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t rows = 0, pairs = 0;
    for (; covey_next_row(&outer, &row); rows++) {
        covey_entity before = covey_row_entity(&outer, row);
        covey_iter inner = covey_view_iter(rows % 2 == 0 ? &view : &other);
        pairs += visit_spans(&inner)->count;
        assert_same(covey_row_entity(&outer, row), before);
        assert_value(before, type, ((Value *)row_field(&outer, row, 0))->number);
    }
    assert_int_equal(rows, 100);
    assert_int_equal(pairs, 50 * 100 + 50 * 34);
}
static void test_iterations_may_be_nested(void **state) {
    (void)state;
    for_each_lead(nested);
}

static void ended(const covey_type *type) {
    covey_entity e[70];
    make_entities(e, COUNT_OF(e));
    give_each(e, COUNT_OF(e), 1, type);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter its[] = { covey_view_iter(&view), covey_view_iter_by(&view, covey_pool_find_raw(world, type)),
                         covey_view_iter_list(&view, e, COUNT_OF(e)) };
    for (uint32_t i = 0; i < COUNT_OF(its); i++) {
        covey_iter rows = its[i];
        covey_row row = { 0 };
        assert_int_equal(visit_spans(&its[i])->count, COUNT_OF(e));
        while (covey_next_row(&rows, &row)) continue;
        for (uint32_t again = 0; again < 3; again++) {
            assert_false(covey_next(&its[i]));
            assert_int_equal(its[i].count, 0);
            assert_false(covey_next_row(&rows, &row));
        }
    }
}
static void test_an_iteration_that_ended_stays_ended(void **state) {
    (void)state;
    for_each_lead(ended);
}

static void test_a_field_of_another_type_breaks_a_contract(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 1) skip();
    create_with(covey_id(Blocked), 1);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) } });
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    assert_int_equal(covey_field(&it, 0, Blocked)->number, 1);
    expect_assert_failure((void)covey_field(&it, 0, Mate));
    expect_assert_failure((void)covey_field(&it, 1, Blocked));
    covey_iter rows = covey_view_iter(&view);
    covey_row row = { 0 };
    assert_true(covey_next_row(&rows, &row));
    assert_int_equal(covey_row_field(&rows, row, 0, Blocked)->number, 1);
    expect_assert_failure((void)covey_row_field(&rows, row, 0, Mate));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_type_in_two_terms_is_refused_with_the_reason),
        WORLD_TEST(test_views_of_a_const_world),
        WORLD_TEST(test_views_of_a_const_world_touch_no_tick),
        WORLD_TEST(test_fields_go_through_with_then_optional_then_any),
        WORLD_TEST(test_a_view_knows_what_is_only_read),
        WORLD_TEST(test_sixteen_terms_are_enough),
        WORLD_TEST(test_a_type_named_twice_is_refused),
        WORLD_TEST(test_a_type_that_is_not_valid_is_refused),
        WORLD_TEST(test_reading_what_has_no_field_is_refused),
        WORLD_TEST(test_a_zeroed_view_matches_nothing),
        WORLD_TEST(test_a_view_of_nothing_matches_all_entities),
        WORLD_TEST(test_each_kind_of_term_works_alone),
        WORLD_TEST(test_any_two_storages_may_be_in_any_two_kinds),
        WORLD_TEST(test_views_of_sixteen_terms_match),
        WORLD_TEST(test_a_view_sees_what_was_added_since),
        WORLD_TEST(test_a_type_of_another_layout_is_not_there),
        WORLD_TEST(test_ids_of_several_pages_are_found),
        WORLD_TEST(test_few_entities_with_high_indices_are_found),
        WORLD_TEST(test_only_living_handles_are_contained),
        WORLD_TEST(test_a_view_may_be_used_again_and_copied),
        WORLD_TEST(test_iterating_allocates_nothing),
        WORLD_TEST(test_iterations_may_be_nested),
        WORLD_TEST(test_an_iteration_that_ended_stays_ended),
        WORLD_TEST(test_a_field_of_another_type_breaks_a_contract),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
