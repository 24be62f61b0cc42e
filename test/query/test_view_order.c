/* Views: the order in which entities are visited, by index, by a pool or by a list. */
#include "views.h"

enum { COUNT = 150 };
static covey_entity e[COUNT];

/* Components are added in an order that is not that of indices. */
static void give_shuffled(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++) give(e[i * 77 % COUNT], type);
}

/* The entities of a pool, from its first to its last component, that fit. */
static uint32_t in_order_of(const covey_type *type, const covey_view_desc *desc, covey_entity *wanted) {
    const covey_pool *pool = covey_pool_find_raw(world, type);
    uint32_t count = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        if (fits(desc, covey_pool_at(pool, at))) wanted[count++] = covey_pool_at(pool, at);
    return count;
}

static void make_holes(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i += 5) remove_value(e[i], type);
}

/* ---- By itself ----------------------------------------------------------------------------------------------------*/

static void led_by(const covey_type *type) {
    covey_entity wanted[COUNT];
    covey_view_desc desc = { .with = { covey_id(Mate), type }, .without = { covey_id(Banned) } };
    make_entities(e, COUNT);
    give_shuffled(type);
    make_holes(type);
    give_each(e, COUNT, 1, covey_id(Mate));
    give_each(e, COUNT, 4, covey_id(Banned));
    covey_view view = covey_view_make(world, &desc);
    uint32_t count = in_order_of(type, &desc, wanted);
    assert_same(covey_view_first(&view), wanted[0]);
    covey_iter it = covey_view_iter(&view);
    assert_visits(visit_spans(&it), wanted, count);
    it = covey_view_iter(&view);
    assert_visits(visit_rows(&it), wanted, count);
}
static void test_blocks_go_by_index_and_sparse_pools_by_position(void **state) {
    (void)state;
    for_each_lead(led_by);
}

static void test_the_smallest_pool_leads(void **state) {
    (void)state;
    make_entities(e, COUNT);
    give_shuffled(covey_id(Packed));
    give_shuffled(covey_id(Blocked));
    for (uint32_t i = 0; i < 10; i++) give(e[90 - i * 7], covey_id(Ordered));
    covey_view_desc desc = { .with = { covey_id(Blocked), covey_id(Packed), covey_id(Ordered) } };
    covey_view view = covey_view_make(world, &desc);
    covey_iter it = covey_view_iter(&view);
    const visits *v = visit_spans(&it);
    assert_int_equal(v->count, 10);
    for (uint32_t i = 0; i < 10; i++) assert_same(v->e[i], e[90 - i * 7]);
    give(e[60], covey_id(Pinned));
    give(e[3], covey_id(Pinned));
    give(e[41], covey_id(Pinned));
    view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed), covey_id(Pinned) } });
    it = covey_view_iter(&view);
    assert_visits(visit_rows(&it), (covey_entity[]){ e[3], e[41], e[60] }, 3);
}

/* Whatever the slots are. */
static void test_a_compact_block_goes_by_index(void **state) {
    (void)state;
    make_entities(e, 20);
    for (uint32_t i = 0; i < 5; i++) give(e[15 - i * 3], covey_id(Blocked));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) } });
    covey_iter it = covey_view_iter(&view);
    assert_visits(visit_rows(&it), (covey_entity[]){ e[3], e[6], e[9], e[12], e[15] }, 5);
    it = covey_view_iter(&view);
    assert_visits(visit_spans(&it), (covey_entity[]){ e[3], e[6], e[9], e[12], e[15] }, 5);
    assert_same(covey_view_first(&view), e[3]);
}

/* ---- By a pool ----------------------------------------------------------------------------------------------------*/

static void by_pool(const covey_type *type) {
    covey_entity wanted[COUNT];
    covey_view_desc of_it = { .with = { covey_id(Mate), type }, .without = { covey_id(Banned) } };
    covey_view_desc of_others = { .with = { covey_id(Mate) }, .optional = { covey_id(Marked) } };
    covey_view_desc of_all = { .with = { NULL } }, few = { .with = { covey_id(Pinned) } },
                    none = { .with = { covey_id(Later) } };
    const covey_view_desc *const descs[] = { &of_it, &of_others, &of_all, &few, &none };
    make_entities(e, COUNT);
    give_shuffled(type);
    make_holes(type);
    give_each(e, COUNT, 2, covey_id(Mate));
    give_each(e, COUNT, 4, covey_id(Banned));
    give_each(e, COUNT, 3, covey_id(Marked));
    if (type != covey_id(Pinned)) give_each(e, COUNT, 50, covey_id(Pinned));
    for (uint32_t i = 0; i < COUNT_OF(descs); i++) {
        covey_view view = covey_view_make(world, descs[i]);
        uint32_t count = in_order_of(type, descs[i], wanted);
        covey_iter it = covey_view_iter_by(&view, covey_pool_find_raw(world, type));
        assert_visits(visit_rows(&it), wanted, count);
        it = covey_view_iter_by(&view, covey_pool_find_raw(world, type));
        assert_visits(visit_spans(&it), wanted, count);
    }
}
static void test_an_iteration_by_a_pool_follows_its_order(void **state) {
    (void)state;
    for_each_lead(by_pool);
}

static void test_an_empty_pool_leads_nowhere(void **state) {
    (void)state;
    create_with(covey_id(Mate), 0);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Mate) } });
    for (uint32_t i = 0; i < COUNT_OF(lead_types); i++) {
        covey_iter it = covey_view_iter_by(&view, covey_pool_of_raw(world, lead_types[i]));
        assert_false(covey_next(&it));
    }
}

static void test_a_pool_of_another_world_breaks_a_contract(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 1) skip();
    covey_world *other = covey_world_create(NULL);
    covey_view view = covey_view_make(world, NULL);
    expect_assert_failure(covey_view_iter_by(&view, covey_pool_of(other, Mate)));
    expect_assert_failure(covey_view_iter_by(&view, NULL));
    covey_world_destroy(other);
}

/* ---- By a list ----------------------------------------------------------------------------------------------------*/

static void by_list(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, type);
    remove_value(e[7], type);
    covey_entity stale = e[20];
    covey_destroy(world, stale);
    e[20] = create_with(type, stale.index);
    assert_int_equal(e[20].index, stale.index);
    covey_destroy(world, e[9]);
    covey_entity list[] = { e[30], e[7], e[31], e[32], e[9],         entity(0, 0),          stale,
                            e[20], e[2], e[2],  e[30], entity(5, 0), entity(COVEY_NONE, 1), e[0] };
    covey_entity wanted[] = { e[30], e[31], e[32], e[20], e[2], e[2], e[30], e[0] };
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type }, .optional = { covey_id(Mate) } });
    covey_iter it = covey_view_iter_list(&view, list, COUNT_OF(list));
    assert_visits(visit_rows(&it), wanted, COUNT_OF(wanted));
    it = covey_view_iter_list(&view, list, COUNT_OF(list));
    const visits *v = visit_spans(&it);
    assert_visits(v, wanted, COUNT_OF(wanted));
    it = covey_view_iter_list(&view, list, 1);
    assert_visits(visit_rows(&it), wanted, 1);
    it = covey_view_iter_list(&view, NULL, 0);
    assert_false(covey_next(&it));
}
static void test_a_list_is_followed_and_the_dead_are_skipped(void **state) {
    (void)state;
    for_each_lead(by_list);
}

static void long_list(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, type);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter_list(&view, e, COUNT);
    assert_visits(visit_rows(&it), e, COUNT);
    it = covey_view_iter_list(&view, e, COUNT);
    const visits *v = visit_spans(&it);
    assert_visits(v, e, COUNT);
    if (is_sparse(type) && type->policy != COVEY_IN_PLACE) assert_int_equal(v->spans, 1);
}
static void test_a_list_in_the_order_of_memory_gives_long_spans(void **state) {
    (void)state;
    for_each_lead(long_list);
}

static void test_a_list_may_be_of_all_entities(void **state) {
    (void)state;
    make_entities(e, 10);
    covey_view view = covey_view_make(world, NULL);
    covey_entity list[] = { e[3], e[3], e[1], entity(0, 0), e[2] };
    covey_iter it = covey_view_iter_list(&view, list, COUNT_OF(list));
    const visits *v = visit_spans(&it);
    assert_visits(v, (covey_entity[]){ e[3], e[3], e[1], e[2] }, 4);
    assert_int_equal(v->spans, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_blocks_go_by_index_and_sparse_pools_by_position),
        WORLD_TEST(test_the_smallest_pool_leads),
        WORLD_TEST(test_a_compact_block_goes_by_index),
        WORLD_TEST(test_an_iteration_by_a_pool_follows_its_order),
        WORLD_TEST(test_an_empty_pool_leads_nowhere),
        WORLD_TEST(test_a_pool_of_another_world_breaks_a_contract),
        WORLD_TEST(test_a_list_is_followed_and_the_dead_are_skipped),
        WORLD_TEST(test_a_list_in_the_order_of_memory_gives_long_spans),
        WORLD_TEST(test_a_list_may_be_of_all_entities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
