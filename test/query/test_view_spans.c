/* Views: spans, whose values follow each other in every column. visit_spans holds each of them against covey_get. */
#include "views.h"

enum { COUNT = 600 };
static covey_entity e[COUNT];

static const visits *spans_of(const covey_view_desc *desc) {
    covey_view view = covey_view_make(world, desc);
    covey_iter it = covey_view_iter(&view);
    return visit_spans(&it);
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------*/

/* Spans end with the page, which is two blocks in the hard configuration. */
static void full_pool(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, type);
    covey_compact(world);
    const visits *v = spans_of(&(covey_view_desc){ .with = { type } });
    assert_visits(v, e, COUNT);
    if (COVEY__PAGE_BLOCKS == 64) assert_true(v->longest > 64);
    assert_view(&(covey_view_desc){ .with = { type } });
}
static void test_a_full_pool_has_long_spans(void **state) {
    (void)state;
    for_each_lead(full_pool);
}

static void test_two_full_pools_have_long_spans(void **state) {
    (void)state;
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, covey_id(Blocked));
    give_each(e, COUNT, 1, covey_id(Mate));
    covey_compact(world);
    const visits *v = spans_of(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Mate) } });
    assert_visits(v, e, COUNT);
    if (COVEY__PAGE_BLOCKS == 64) assert_true(v->longest > 64);
    for (uint32_t i = 0; i < COUNT; i += 200) assert_true(remove_value(e[i], covey_id(Mate)));
    assert_int_equal(assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Mate) } }), COUNT - 3);
}

static void test_blocks_that_are_full_beside_others_that_are_not(void **state) {
    (void)state;
    make_entities(e, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        if (e[i].index / COVEY__BLOCK_IDS % 3 != 1 || i % 5 == 0) give(e[i], covey_id(Blocked));
    give_each(e, COUNT, 1, covey_id(Pinned));
    for (uint32_t round = 0; round < 2; round++) {
        assert_view(&(covey_view_desc){ .with = { covey_id(Blocked) } });
        assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Pinned) } });
        assert_view(&(covey_view_desc){ .with = { covey_id(Pinned) }, .without = { covey_id(Blocked) } });
        covey_compact(world);
    }
}

/* The ids of a block that have a component, by the number of its pattern. */
static uint64_t pattern_of(uint32_t number, test_random *random) {
    uint32_t bit = test_below(random, COVEY__BLOCK_IDS - 8), length = 1 + test_below(random, 7);
    switch (number) {
    case 0: return 0;
    case 1: return (uint64_t)1 << bit;
    case 2: return UINT64_MAX << bit;
    case 3: return UINT64_MAX >> bit;
    case 4: return ((uint64_t)1 << length) - 1;
    case 5: return (((uint64_t)1 << length) - 1) << bit;
    case 6: return UINT64_C(0x5555000033330FF0) << length;
    default: return UINT64_MAX;
    }
}

/* Blocks that are full, that have one run, and that have many: a list of spans goes on over several blocks and pages
 * while they have runs. In each round, blocks have one of two patterns, or are full. */
static void test_runs_of_several_blocks_and_pages(void **state) {
    (void)state;
    static covey_entity many[(COVEY_INDEX_BITS > 16 ? 157 : 12) * COVEY__BLOCK_IDS]; /* the first has index 0 */
    const covey_type *types[] = { covey_id(Blocked), covey_id(Mate) };
    test_random random = { 7 };
    for (uint32_t round = 0; round < 64; round++) {
        covey_world_desc desc = world_desc();
        covey_world_destroy(world);
        world = covey_world_create(&desc);
        make_entities(many, COUNT_OF(many));
        const uint32_t patterns[] = { round % 8, round / 8, 8 };
        for (uint32_t t = 0; t < COUNT_OF(types); t++) {
            for (uint32_t i = 0; i < COUNT_OF(many); i += COVEY__BLOCK_IDS) {
                uint64_t ids = pattern_of(patterns[test_below(&random, 3)], &random);
                uint32_t backwards = test_below(&random, 3) == 0 ? COVEY__BLOCK_IDS - 1 : 0;
                for (uint32_t k = 0; k < COVEY__BLOCK_IDS; k++)
                    if ((ids >> (k ^ backwards) & 1) != 0) give(many[i + (k ^ backwards)], types[t]);
            }
        }
        assert_view(&(covey_view_desc){ .with = { covey_id(Blocked) } });
        assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Mate) } });
        if (round % 3 == 0) covey_compact(world);
        assert_view(&(covey_view_desc){ .with = { covey_id(Mate), covey_id(Blocked) } });
    }
}

/* As long as its slots are in the order of ids, which removing disturbs, and compaction restores. */
static void test_a_compact_block_in_order_is_one_span(void **state) {
    (void)state;
    covey_view_desc desc = { .with = { covey_id(Blocked) } };
    make_entities(e, COVEY__BLOCK_IDS);
    for (uint32_t i = 0; i < 9; i++) give(e[i * 5], covey_id(Blocked));
    assert_int_equal(spans_of(&desc)->spans, 1);
    assert_true(remove_value(e[40], covey_id(Blocked))); /* the last */
    assert_int_equal(spans_of(&desc)->spans, 1);
    assert_true(remove_value(e[5], covey_id(Blocked)));
    give(e[63], covey_id(Blocked));
    assert_true(spans_of(&desc)->spans > 1);
    assert_int_equal(assert_view(&desc), 8);
    covey_compact(world);
    assert_int_equal(spans_of(&desc)->spans, 1);
    assert_int_equal(assert_view(&desc), 8);
}

static void test_the_same_ids_in_several_compact_blocks_are_one_span(void **state) {
    (void)state;
    const covey_type *types[] = { covey_id(Blocked), covey_id(Mate), covey_id(Banned), covey_id(Later) };
    covey_view_desc desc = { .with = { NULL } };
    make_entities(e, COVEY__BLOCK_IDS);
    for (uint32_t k = 0; k < COUNT_OF(types); k++) {
        desc.with[k] = types[k];
        for (uint32_t i = 0; i < 7; i++) give(e[i * 9], types[k]);
        assert_int_equal(spans_of(&desc)->spans, 1);
    }
    assert_true(remove_value(e[36], covey_id(Mate)));
    assert_int_equal(assert_view(&desc), 6);
    give(e[36], covey_id(Mate));
    assert_true(spans_of(&desc)->spans > 1);
    assert_int_equal(assert_view(&desc), 7);
}

static void test_compact_blocks_beside_direct_ones(void **state) {
    (void)state;
    make_entities(e, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % 8 < 3) give(e[i / 8 * 8 + (i % 8 * 5 + 1) % 8], covey_id(Blocked));
        if (i % 10 != 4) give(e[i], covey_id(Mate));
        if (i % 8 < 5) give(e[i], covey_id(Pinned));
        if (i % 3 == 0) give(e[i], covey_id(BlockTag));
    }
    assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Mate) } });
    assert_view(&(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Pinned) } });
    assert_view(&(covey_view_desc){ .with = { covey_id(Pinned), covey_id(Blocked), covey_id(Mate) } });
    assert_view(
        &(covey_view_desc){ .with = { covey_id(Pinned), covey_id(Blocked), covey_id(Mate), covey_id(BlockTag) } });
    assert_view(&(covey_view_desc){ .with = { covey_id(Blocked) }, .optional = { covey_id(Mate), covey_id(Pinned) } });
}

/* ---- Sparse pools -------------------------------------------------------------------------------------------------*/

static void test_sparse_pools_in_the_same_order_are_one_span(void **state) {
    (void)state;
    static const uint32_t some = 200;
    const covey_view_desc desc = { .with = { covey_id(Packed), covey_id(Kept), covey_id(Ordered), covey_id(Marked) } };
    make_entities(e, some);
    for (uint32_t k = 0; k < 4; k++)
        for (uint32_t i = 0; i < some; i++) give(e[i * 77 % some], desc.with[k]);
    const visits *v = spans_of(&desc);
    assert_int_equal(v->spans, 1);
    assert_int_equal(v->count, some);
    assert_same(v->e[1], e[77]);
    assert_int_equal(covey_pool_swap(covey_pool_of(world, Kept), e[0], e[77]), COVEY_OK);
    assert_true(spans_of(&desc)->spans > 1);
    assert_view(&desc);
}

/* Five entities get components in blocks and in sparse sets. Two more have the first component only, and maybe one of
 * the five lacks it. */
static void few_in_both(const covey_view_desc *desc, bool lacks) {
    make_entities(e, COUNT);
    for (uint32_t i = 70; i < 77; i++)
        for (uint32_t k = 0; desc->with[k] && (k == 0 || i < 75); k++)
            if (k != 0 || i != 72 || !lacks) give(e[i], desc->with[k]);
}

static void test_a_few_in_blocks_and_in_sparse_pools_are_one_span(void **state) {
    (void)state;
    static const covey_view_desc descs[] = { { .with = { covey_id(Mate), covey_id(Packed) } },
                                             { .with = { covey_id(Packed), covey_id(Mate) } },
                                             { .with = { covey_id(Packed), covey_id(Banned), covey_id(Ordered) } },
                                             { .with = { covey_id(Mate), covey_id(Marked) } } };
    for (uint32_t i = 0; i < 2 * COUNT_OF(descs); i++) {
        const covey_view_desc *desc = &descs[i / 2];
        few_in_both(desc, i % 2 != 0);
        const visits *v = spans_of(desc);
        assert_int_equal(v->count, 5 - i % 2);
        if (i % 2 == 0) assert_int_equal(v->spans, 1);
        assert_int_equal(assert_view(desc), v->count);
        assert_true(covey_remove_raw(world, e[71], desc->with[1])); /* the last of a sparse pool takes its place */
        assert_int_equal(assert_view(desc), 4 - i % 2);
        for (uint32_t k = 70; k < 75; k++) covey_remove_raw(world, e[k], desc->with[1]);
        assert_int_equal(assert_view(desc), 0);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

static void test_values_in_place_end_their_spans_at_pages_and_holes(void **state) {
    (void)state;
    enum { PAGE = COVEY_PAGE_SIZE };
    const covey_view_desc desc = { .with = { covey_id(Fixed) } };
    static covey_entity many[2 * PAGE + 2];
    make_entities(many, COUNT_OF(many));
    give_each(many, COUNT_OF(many), 1, covey_id(Fixed));
    const visits *v = spans_of(&desc);
    assert_visits(v, many, COUNT_OF(many));
    assert_int_equal(v->spans, 3);
    assert_int_equal(v->longest, PAGE);
    assert_true(remove_value(many[PAGE + 1], covey_id(Fixed)));
    v = spans_of(&desc);
    assert_int_equal(v->spans, 4);
    assert_int_equal(v->count, COUNT_OF(many) - 1);
    assert_true(remove_value(many[0], covey_id(Fixed)));
    assert_int_equal(spans_of(&desc)->spans, 4);
    give(many[PAGE + 1], covey_id(Fixed));
    v = spans_of(&desc);
    assert_same(v->e[0], many[PAGE + 1]);
    assert_int_equal(v->spans, 4);
}

static void test_holes_of_ordered_pools_end_spans(void **state) {
    (void)state;
    const covey_view_desc desc = { .with = { covey_id(Ordered) } };
    make_entities(e, 100);
    give_each(e, 100, 1, covey_id(Ordered));
    assert_int_equal(spans_of(&desc)->spans, 1);
    assert_true(remove_value(e[40], covey_id(Ordered)));
    assert_true(remove_value(e[41], covey_id(Ordered)));
    assert_true(remove_value(e[99], covey_id(Ordered)));
    assert_true(covey_destroy(world, e[70]));
    const visits *v = spans_of(&desc);
    assert_int_equal(v->spans, 3);
    assert_int_equal(v->count, 96);
    assert_view(&desc);
}

static void test_holes_of_another_ordered_pool_end_spans(void **state) {
    (void)state;
    const covey_view_desc desc = { .with = { covey_id(Packed) }, .optional = { covey_id(Ordered) } };
    make_entities(e, 100);
    give_each(e, 100, 1, covey_id(Packed));
    give_each(e, 100, 1, covey_id(Ordered));
    assert_int_equal(spans_of(&desc)->spans, 1);
    assert_true(remove_value(e[40], covey_id(Ordered)));
    assert_int_equal(spans_of(&desc)->spans, 3);
    assert_int_equal(assert_view(&desc), 100);
}

static void test_what_swap_only_pools_keep_behind_is_not_visited(void **state) {
    (void)state;
    const covey_view_desc desc = { .with = { covey_id(Kept) } };
    make_entities(e, 100);
    give_each(e, 100, 1, covey_id(Kept));
    for (uint32_t i = 0; i < 100; i += 3) assert_true(remove_value(e[i], covey_id(Kept)));
    const visits *v = spans_of(&desc);
    assert_int_equal(v->spans, 1);
    assert_int_equal(v->count, 66);
    assert_int_equal(assert_view(&desc), 66);
    assert_int_equal(assert_view(&(covey_view_desc){ .without = { covey_id(Kept) } }), 34);
    assert_int_equal(assert_view(&(covey_view_desc){ .optional = { covey_id(Kept) } }), 100);
}

/* ---- Columns that are not there everywhere ------------------------------------------------------------------------*/

static void optional_column(const covey_type *type) {
    const covey_view_desc desc = { .with = { type }, .optional = { covey_id(Mate), covey_id(Later) } };
    make_entities(e, 100);
    give_each(e, 100, 1, type);
    give_each(e + 50, 50, 1, covey_id(Mate));
    covey_view view = covey_view_make(world, &desc);
    covey_iter it = covey_view_iter(&view);
    uint32_t with = 0, without = 0;
    while (covey_next(&it)) {
        assert_null(span_field(&it, 2));
        if (covey_field(&it, 1, Mate)) with += it.count;
        else without += it.count;
    }
    assert_int_equal(with, 50);
    assert_int_equal(without, 50);
    assert_view(&desc);
}
static void test_an_optional_column_is_there_for_a_whole_span_or_not_at_all(void **state) {
    (void)state;
    for_each_lead(optional_column);
}

static void test_columns_of_any_are_null_where_they_are_not_there(void **state) {
    (void)state;
    const covey_view_desc desc = { .any = { covey_id(Packed), covey_id(Blocked) } };
    make_entities(e, 6);
    give(e[1], covey_id(Packed));
    give(e[2], covey_id(Blocked));
    give(e[4], covey_id(Packed));
    give(e[4], covey_id(Blocked));
    covey_view view = covey_view_make(world, &desc);
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    assert_true(it.count == 1 && covey_field(&it, 0, Packed) && !covey_field(&it, 1, Blocked));
    assert_true(covey_next(&it));
    assert_true(it.count == 1 && !covey_field(&it, 0, Packed) && covey_field(&it, 1, Blocked));
    assert_true(covey_next(&it));
    assert_true(it.count == 1 && covey_field(&it, 0, Packed) && covey_field(&it, 1, Blocked));
    assert_false(covey_next(&it));
}

static void test_a_tag_has_a_field(void **state) {
    (void)state;
    make_entities(e, 200);
    give_each(e, 200, 1, covey_id(Blocked));
    for (uint32_t i = 0; i < COUNT_OF(tag_types); i++) {
        give_each(e, 200, i + 2, tag_types[i]);
        const covey_view_desc alone = { .with = { tag_types[i] } },
                              beside = { .with = { covey_id(Blocked), tag_types[i] } };
        const covey_view_desc *const descs[] = { &alone, &beside };
        for (uint32_t k = 0; k < 2; k++) {
            covey_view view = covey_view_make(world, descs[k]);
            covey_iter it = covey_view_iter(&view);
            while (covey_next(&it)) assert_non_null(span_field(&it, k));
            assert_int_equal(assert_view(descs[k]), covey_pool_count(covey_pool_find_raw(world, tag_types[i])));
        }
    }
    assert_view(&(covey_view_desc){ .with = { tag_types[0], tag_types[1], tag_types[2], tag_types[3] } });
}

/* ---- Sizes --------------------------------------------------------------------------------------------------------*/

static void sizes(const covey_type *like) {
    static const uint32_t shapes[][2] = { { 1, 1 }, { 3, 1 }, { 12, 4 }, { 200, 8 }, { 64, 64 }, { 192, 64 } };
    const covey_type *types[COUNT_OF(shapes)];
    covey_view_desc desc = { .with = { NULL } };
    make_entities(e, 200);
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        covey_type type = *like;
        char name[] = { 'S', (char)('a' + i), '\0' };
        type.name = name;
        type.size = shapes[i][0];
        type.align = shapes[i][1];
        types[i] = covey_type_create(world, &type);
        assert_non_null(types[i]);
        for (uint32_t k = 0; k < 200; k++)
            if (k < 70 || k % (i + 3) != 0) give(e[k], types[i]);
        assert_view(&(covey_view_desc){ .with = { types[i] } });
        desc.with[i] = types[i];
        assert_view(&desc);
    }
    assert_view(
        &(covey_view_desc){ .with = { types[1] }, .optional = { types[3], types[4] }, .without = { types[2] } });
}
static void test_values_of_all_sizes_and_alignments_follow_each_other(void **state) {
    (void)state;
    for_each_lead(sizes);
}

/* ---- Parts --------------------------------------------------------------------------------------------------------*/

static uint32_t length_of(const covey_view_desc *desc) {
    covey_view view = covey_view_make(world, desc);
    covey_iter it = covey_view_iter(&view);
    return covey_iter_length(&it);
}

/* Up to the block of the last one, whatever is reserved. */
static void assert_length(const covey_view_desc *desc, uint32_t wanted) {
    assert_int_equal(length_of(desc), wanted);
    covey_shrink(world);
    assert_int_equal(length_of(desc), wanted);
}

static void test_a_length_is_that_of_what_is_there(void **state) {
    (void)state;
    covey_view_desc all = { 0 }, blocked = { .with = { covey_id(Blocked) } };
    covey_view_desc both = { .with = { covey_id(Blocked), covey_id(Mate) } };
    assert_length(&all, 0);
    assert_length(&blocked, 0);
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, covey_id(Blocked));
    give_each(e, COUNT / 2, 1, covey_id(Mate));
    assert_length(&all, (COUNT + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS);
    assert_length(&blocked, (COUNT + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS);
    assert_length(&both, (COUNT / 2 + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS);
    for (uint32_t i = 100; i < COUNT; i++) assert_true(remove_value(e[i], covey_id(Blocked)));
    assert_length(&blocked, 128);
    assert_length(&both, 128);
    for (uint32_t i = COVEY__BLOCK_IDS; i < COUNT; i++) assert_true(covey_destroy(world, e[i]));
    assert_length(&all, COVEY__BLOCK_IDS);
    assert_length(&blocked, COVEY__BLOCK_IDS);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* Both find the memory of their iterator as the last call left it. */
static COVEY__NOINLINE uint32_t count_in_spans(const covey_view *view, uint32_t most) {
    uint32_t count = 0;
    covey_iter it = covey_view_iter(view);
    while (count < most && covey_next(&it)) count += it.count;
    return count;
}

static COVEY__NOINLINE uint32_t count_in_rows(const covey_view *view, uint32_t most) {
    uint32_t count = 0;
    covey_iter it = covey_view_iter(view);
    covey_row row = { 0 };
    while (count < most && covey_next_row(&it, &row)) count++;
    return count;
}

/* Without assertions, inline code makes the first step with what covey_view_iter has set, and nothing else. */
static void test_an_iteration_reads_nothing_that_was_in_its_memory(void **state) {
    (void)state;
    uint32_t n = 0;
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, covey_id(Blocked));
    if (!covey_pool_of(world, Mate) || !covey_pool_of(world, Packed)) fail();
    covey_view views[] = { covey_view_of(world, Mate), covey_view_of(world, Blocked, Mate),
                           covey_view_of(world, Packed), covey_view_of(world, Packed, Blocked) };
    for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t i = COUNT / 4 * k; i < COUNT / 4 * (k + 1); i += 3, n++) {
            give(e[i], covey_id(Mate));
            give(e[i], covey_id(Packed));
        }
        for (uint32_t i = 0; i < sizeof views / sizeof *views; i++) {
            for (uint32_t most = 1; most < 30; most += 7) {
                count_in_spans(&views[i], most);
                assert_int_equal(count_in_spans(&views[i], UINT32_MAX), n);
                count_in_rows(&views[i], most);
                assert_int_equal(count_in_rows(&views[i], UINT32_MAX), n);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_full_pool_has_long_spans),
        WORLD_TEST(test_two_full_pools_have_long_spans),
        WORLD_TEST(test_blocks_that_are_full_beside_others_that_are_not),
        WORLD_TEST(test_runs_of_several_blocks_and_pages),
        WORLD_TEST(test_a_compact_block_in_order_is_one_span),
        WORLD_TEST(test_the_same_ids_in_several_compact_blocks_are_one_span),
        WORLD_TEST(test_compact_blocks_beside_direct_ones),
        WORLD_TEST(test_sparse_pools_in_the_same_order_are_one_span),
        WORLD_TEST(test_a_few_in_blocks_and_in_sparse_pools_are_one_span),
        WORLD_TEST(test_values_in_place_end_their_spans_at_pages_and_holes),
        WORLD_TEST(test_holes_of_ordered_pools_end_spans),
        WORLD_TEST(test_holes_of_another_ordered_pool_end_spans),
        WORLD_TEST(test_what_swap_only_pools_keep_behind_is_not_visited),
        WORLD_TEST(test_an_optional_column_is_there_for_a_whole_span_or_not_at_all),
        WORLD_TEST(test_columns_of_any_are_null_where_they_are_not_there),
        WORLD_TEST(test_a_tag_has_a_field),
        WORLD_TEST(test_values_of_all_sizes_and_alignments_follow_each_other),
        WORLD_TEST(test_a_length_is_that_of_what_is_there),
        WORLD_TEST(test_an_iteration_reads_nothing_that_was_in_its_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
