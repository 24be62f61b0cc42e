/* Views: rows, and what a loop may change while it visits them. */
#include "views.h"

enum { COUNT = 170 };
static covey_entity e[COUNT];

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

static void looking(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 2, type);
    give_each(e, COUNT, 3, covey_id(Mate));
    give_each(e, COUNT, 5, covey_id(Marked));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type },
                                                                 .optional = { covey_id(Mate), covey_id(Later) },
                                                                 .any = { covey_id(Marked), covey_id(Banned) } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t rows = 0, mates = 0;
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity f = covey_row_entity(&it, row);
        assert_int_equal(f.index % 10, 0);
        assert_int_equal(((Value *)row_field(&it, row, 0))->number, f.index);
        const Mate *mate = covey_row_field(&it, row, 1, Mate);
        assert_int_equal(mate != NULL, f.index % 3 == 0);
        mates += mate != NULL;
        assert_null(covey_row_field(&it, row, 2, Later));
        assert_non_null(covey_row_field(&it, row, 3, Marked));
        assert_null(covey_row_field(&it, row, 4, Banned));
    }
    assert_int_equal(rows, COUNT / 10);
    assert_int_equal(mates, 6);
}
static void test_a_row_has_an_entity_and_its_components(void **state) {
    (void)state;
    for_each_lead(looking);
}

static void writing(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, type);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) *(Value *)row_field(&it, row, 0) = value_of(covey_row_entity(&it, row).index + 7);
    for (uint32_t i = 0; i < COUNT; i++) assert_value(e[i], type, e[i].index + 7);
}
static void test_what_a_row_writes_stays(void **state) {
    (void)state;
    for_each_lead(writing);
}

/* ---- Changing -----------------------------------------------------------------------------------------------------*/

/* Called for each row that was there in the beginning. */
typedef void change_fn(covey_entity row, const covey_type *lead);

static uint32_t times[2 * COUNT]; /* that an index was visited */
static bool wanted[2 * COUNT];    /* it matched in the beginning */
static covey_entity made[COUNT];
static uint32_t made_count;

/* Entities in three blocks; some are destroyed, so that their ids are reused; some are excluded, some have a mate. */
static void crowd(const covey_type *lead) {
    memset(times, 0, sizeof times);
    memset(wanted, 0, sizeof wanted);
    made_count = 0;
    make_entities(e, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i % 2 == 0 || i % COVEY__BLOCK_IDS < 9) give(e[i], lead);
        if (i % 3 != 0) give(e[i], covey_id(Mate));
        if (i % 11 == 0) give(e[i], covey_id(Banned));
        if (i % 4 == 0) give(e[i], covey_id(Ordered) == lead ? covey_id(Kept) : covey_id(Ordered));
    }
    for (uint32_t i = 0; i < COUNT; i += 9) assert_true(covey_destroy(world, e[i]));
}

/* A few entities, next to each other, which the first step of a loop finds at once. */
static void few_side_by_side(const covey_type *lead, const covey_type *company) {
    memset(times, 0, sizeof times);
    memset(wanted, 0, sizeof wanted);
    made_count = 0;
    make_entities(e, COUNT);
    for (uint32_t i = 70; i < 110; i++) {
        give(e[i], lead);
        give(e[i], covey_id(Mate));
        give(e[i], company);
    }
    give(e[110], covey_id(Mate));
}

static void visit_row(const covey_iter *it, covey_row row, const covey_view_desc *desc, covey_entity f) {
    assert_true(fits(desc, f));
    assert_same(covey_row_entity(it, row), f);
    for (uint32_t i = 0; i < covey_view_fields(it->walk.view); i++) {
        const covey_type *type = covey_view_type(it->walk.view, i);
        assert_ptr_equal(row_field(it, row, i), covey_get_raw(world, f, type));
        if (row_field(it, row, i) && type->size == sizeof(Value)) assert_value(f, type, f.index);
    }
}

/* The row then belongs to the entity that took its place, so it is not read any more. */
static void lose_and_regain(covey_entity row, const covey_type *lead) {
    if (remove_value(row, lead)) give(row, lead);
}

static bool was_made(covey_entity f) {
    for (uint32_t i = 0; i < made_count; i++)
        if (covey_same(made[i], f)) return true;
    return false;
}

static void walk(const covey_view_desc *desc, const covey_type *lead, change_fn *change) {
    covey_view view = covey_view_make(world, desc);
    for (uint32_t i = 0; i < COUNT; i++) wanted[e[i].index] = fits(desc, e[i]);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity f = covey_row_entity(&it, row);
        visit_row(&it, row, desc, f);
        if (was_made(f)) continue;
        times[f.index]++;
        change(f, lead);
        if (change != lose_and_regain && fits(desc, f)) visit_row(&it, row, desc, f);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (times[e[i].index] != wanted[e[i].index]) fail_msg("%u was visited %u times", i, times[e[i].index]);
    test_world_is_valid(world);
}

static change_fn *current;

/* Views that are led by the type, alone and in company. */
static void walk_all(const covey_type *lead) {
    const covey_type *company = lead == covey_id(Ordered) ? covey_id(Kept) : covey_id(Ordered);
    const covey_view_desc alone = { .with = { lead } };
    const covey_view_desc picky = { .with = { lead },
                                    .optional = { covey_id(Mate), company },
                                    .without = { covey_id(Banned) } };
    const covey_view_desc both = { .with = { covey_id(Mate), lead } };
    const covey_view_desc any = { .any = { lead, company }, .without = { covey_id(Banned) } };
    const covey_view_desc three = { .with = { company, lead }, .optional = { covey_id(Mate), covey_id(Later) } };
    const covey_view_desc all = { .optional = { lead } };
    const covey_view_desc pair = { .with = { lead, company } };
    const covey_view_desc *const descs[] = { &alone, &picky, &both, &any, &three, &all, &pair };
    for (uint32_t i = 0; i < 2 * COUNT_OF(descs); i++) {
        if (i % 2 == 0) crowd(lead);
        else few_side_by_side(lead, company);
        walk(descs[i / 2], lead, current);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

static void for_each_change(change_fn *change) {
    current = change;
    for_each_lead(walk_all);
}

static void destroy(covey_entity row, const covey_type *lead) {
    (void)lead;
    assert_true(covey_destroy(world, row));
}
static void test_every_row_may_be_destroyed(void **state) {
    (void)state;
    for_each_change(destroy);
}

static void destroy_some(covey_entity row, const covey_type *lead) {
    (void)lead;
    if (row.index % 3 == 1) assert_true(covey_destroy(world, row));
}
static void test_some_rows_may_be_destroyed(void **state) {
    (void)state;
    for_each_change(destroy_some);
}

static void lose_lead(covey_entity row, const covey_type *lead) { remove_value(row, lead); }
static void test_a_row_may_lose_what_leads(void **state) {
    (void)state;
    for_each_change(lose_lead);
}

static void lose_company(covey_entity row, const covey_type *lead) {
    remove_value(row, covey_id(Mate));
    remove_value(row, lead == covey_id(Ordered) ? covey_id(Kept) : covey_id(Ordered));
}
static void test_a_row_may_lose_its_other_components(void **state) {
    (void)state;
    for_each_change(lose_company);
}

static void lose_all(covey_entity row, const covey_type *lead) {
    lose_company(row, lead);
    lose_lead(row, lead);
    remove_value(row, covey_id(Banned));
}
static void test_a_row_may_lose_everything(void **state) {
    (void)state;
    for_each_change(lose_all);
}

static void test_a_row_may_lose_a_component_and_get_it_back(void **state) {
    (void)state;
    for_each_change(lose_and_regain);
}

static void gain(covey_entity row, const covey_type *lead) {
    (void)lead;
    if (!covey_has(world, row, Mate)) give(row, covey_id(Mate));
    if (row.index % 2 == 0) give(row, covey_id(Later));
}
static void test_a_row_may_get_components(void **state) {
    (void)state;
    for_each_change(gain);
}

static void get_excluded(covey_entity row, const covey_type *lead) {
    (void)lead;
    if (!covey_has(world, row, Banned)) give(row, covey_id(Banned));
}
static void test_a_row_may_get_what_is_excluded(void **state) {
    (void)state;
    for_each_change(get_excluded);
}

/* An entity with all that views of the lead ask for; its index was free in one of the blocks, or is new. */
static void make_one(const covey_type *lead) {
    if (made_count == 60) return;
    covey_entity f = covey_create(world);
    assert_false(covey_is_null(f));
    made[made_count++] = f;
    give(f, lead);
    give(f, covey_id(Mate));
    give(f, lead == covey_id(Ordered) ? covey_id(Kept) : covey_id(Ordered));
}

static void create(covey_entity row, const covey_type *lead) {
    (void)row;
    make_one(lead);
}
static void test_others_may_be_created_meanwhile(void **state) {
    (void)state;
    for_each_change(create);
}

static void change_and_create(covey_entity row, const covey_type *lead) {
    make_one(lead);
    if (row.index % 3 == 0) destroy(row, lead);
    else if (row.index % 3 == 1) lose_lead(row, lead);
    else get_excluded(row, lead);
    make_one(lead);
}
static void test_rows_may_go_while_others_come(void **state) {
    (void)state;
    for_each_change(change_and_create);
}

/* ---- Rows that replace their entity -------------------------------------------------------------------------------*/

typedef enum replacing { DESTROY_FIRST, CREATE_FIRST, REMOVE_AND_ADD, REPLACINGS } replacing;

static void give_both(const covey_type *type) {
    covey_entity f = covey_create(world);
    assert_false(covey_is_null(f));
    give(f, covey_id(Mate));
    give(f, type);
}

static void replace(covey_entity f, const covey_type *type, replacing how) {
    if (how == REMOVE_AND_ADD) {
        assert_true(remove_value(f, type));
        give(f, type);
        return;
    }
    if (how == CREATE_FIRST) give_both(type);
    assert_true(covey_destroy(world, f));
    if (how == DESTROY_FIRST) give_both(type);
}

/* Each that was there is visited once, and the loop ends, although there is always another one. */
static void replace_all(covey_iter it, const covey_type *type, replacing how) {
    covey_row row = { 0 };
    uint32_t rows = 0;
    memset(times, 0, sizeof times);
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity f = covey_row_entity(&it, row);
        assert_true(rows < 2 * COUNT);
        for (uint32_t i = 0; i < COUNT; i++) times[i] += covey_same(e[i], f);
        replace(f, type, how);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (times[i] != 1) fail_msg("%u was visited %u times", i, times[i]);
}

static void replacing_each(const covey_type *type) {
    for (replacing how = DESTROY_FIRST; how < REPLACINGS; how++) {
        make_entities(e, COUNT);
        give_each(e, COUNT, 1, covey_id(Mate));
        give_each(e, COUNT, 1, type);
        covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type, covey_id(Mate) } });
        replace_all(covey_view_iter(&view), type, how);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}
static void test_rows_may_replace_their_entity(void **state) {
    (void)state;
    for_each_lead(replacing_each);
}

static void test_rows_of_a_group_may_replace_their_entity(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * REPLACINGS; i++) {
        const covey_group_desc owns = { .own = { covey_id(Packed) }, .with = { covey_id(Mate) } };
        const covey_group_desc owns_none = { .with = { covey_id(Packed), covey_id(Mate) } };
        const covey_group *group = covey_group_create(world, i % 2 == 0 ? &owns : &owns_none);
        assert_non_null(group);
        make_entities(e, COUNT);
        give_each(e, COUNT, 1, covey_id(Packed));
        give_each(e, COUNT, 1, covey_id(Mate));
        replace_all(covey_group_iter(group), covey_id(Packed), (replacing)(i / 2));
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

/* ---- Where components go meanwhile --------------------------------------------------------------------------------*/

static void test_a_row_follows_a_block_that_grows(void **state) {
    (void)state;
    make_entities(e, COVEY__BLOCK_IDS);
    give_each(e, 9, 4, covey_id(Blocked));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    assert_true(covey_next_row(&it, &row));
    const Blocked *before = covey_row_field(&it, row, 0, Blocked);
    for (uint32_t i = 10; i < COVEY__BLOCK_IDS; i++) give(e[i], covey_id(Blocked));
    const Blocked *after = covey_row_field(&it, row, 0, Blocked);
    assert_ptr_not_equal(before, after);
    assert_int_equal(after->number, e[0].index);
    for (uint32_t i = 4; i < 9; i += 4) {
        assert_true(covey_next_row(&it, &row));
        assert_same(covey_row_entity(&it, row), e[i]);
        assert_int_equal(covey_row_field(&it, row, 0, Blocked)->number, e[i].index);
    }
}

static void met_on_the_way(const covey_type *type) {
    make_entities(e, 100);
    give_each(e, 100, 1, type);
    const covey_view_desc desc = { .with = { type }, .optional = { covey_id(Later) }, .without = { covey_id(Banned) } };
    covey_view view = covey_view_make(world, &desc);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t rows = 0;
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity f = covey_row_entity(&it, row);
        assert_null(covey_row_field(&it, row, 1, Later));
        assert_true(fits(&desc, f));
        give(f, covey_id(Later));
        assert_int_equal(covey_row_field(&it, row, 1, Later)->number, f.index);
        if (rows == 0) give(f, covey_id(Banned));
    }
    assert_int_equal(rows, 100);
    assert_int_equal(covey_view_count(&view), 99);
}
static void test_types_may_be_met_on_the_way(void **state) {
    (void)state;
    for_each_lead(met_on_the_way);
}

/* ---- By a pool or a list ------------------------------------------------------------------------------------------*/

static void adding_by_pool(const covey_type *type) {
    make_entities(e, COUNT);
    give_each(e, COUNT, 2, type);
    give_each(e, COUNT, 1, covey_id(Mate));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Mate) } });
    covey_iter it = covey_view_iter_by(&view, covey_pool_find_raw(world, type));
    covey_row row = { 0 };
    uint32_t old = 0;
    while (covey_next_row(&it, &row)) {
        covey_entity f = covey_row_entity(&it, row);
        old += f.index % 2 == 0;
        if (f.index % 2 == 0) give(e[f.index + 1], type);
        assert_int_equal(covey_row_field(&it, row, 0, Mate)->number, f.index);
        assert_true(covey_remove(world, f, Mate));
    }
    assert_int_equal(old, COUNT / 2);
}
static void test_a_pool_that_leads_may_be_added_to(void **state) {
    (void)state;
    for_each_lead(adding_by_pool);
}

static void removing_by_block(const covey_type *type) {
    if (is_sparse(type)) return;
    make_entities(e, COUNT);
    give_each(e, COUNT, 1, type);
    covey_view view = covey_view_make(world, NULL);
    covey_iter it = covey_view_iter_by(&view, covey_pool_find_raw(world, type));
    covey_row row = { 0 };
    uint32_t rows = 0;
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity f = covey_row_entity(&it, row);
        assert_same(f, e[rows]);
        if (rows % 2 == 0) covey_destroy(world, f);
        else remove_value(f, type);
    }
    assert_int_equal(rows, COUNT);
}
static void test_blocks_that_lead_may_be_removed_from(void **state) {
    (void)state;
    for_each_lead(removing_by_block);
}

static void list_twice(const covey_type *type) {
    make_entities(e, 4);
    give_each(e, 4, 1, type);
    covey_entity list[] = { e[0], e[1], e[0], e[2], e[1], e[3], e[3] };
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter_list(&view, list, COUNT_OF(list));
    covey_row row = { 0 };
    uint32_t rows = 0;
    for (; covey_next_row(&it, &row); rows++) {
        covey_entity f = covey_row_entity(&it, row);
        assert_true(covey_view_contains(&view, f));
        assert_int_equal(((Value *)row_field(&it, row, 0))->number, f.index);
        if (covey_same(f, e[0])) covey_destroy(world, f);
        else if (covey_same(f, e[1])) remove_value(f, type);
    }
    assert_int_equal(rows, 5); /* the last one is visited twice */
}
static void test_what_is_listed_twice_and_goes_is_visited_once(void **state) {
    (void)state;
    for_each_lead(list_twice);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_row_has_an_entity_and_its_components),
        WORLD_TEST(test_what_a_row_writes_stays),
        WORLD_TEST(test_every_row_may_be_destroyed),
        WORLD_TEST(test_some_rows_may_be_destroyed),
        WORLD_TEST(test_a_row_may_lose_what_leads),
        WORLD_TEST(test_a_row_may_lose_its_other_components),
        WORLD_TEST(test_a_row_may_lose_everything),
        WORLD_TEST(test_a_row_may_lose_a_component_and_get_it_back),
        WORLD_TEST(test_a_row_may_get_components),
        WORLD_TEST(test_a_row_may_get_what_is_excluded),
        WORLD_TEST(test_others_may_be_created_meanwhile),
        WORLD_TEST(test_rows_may_go_while_others_come),
        WORLD_TEST(test_rows_may_replace_their_entity),
        WORLD_TEST(test_rows_of_a_group_may_replace_their_entity),
        WORLD_TEST(test_a_row_follows_a_block_that_grows),
        WORLD_TEST(test_types_may_be_met_on_the_way),
        WORLD_TEST(test_a_pool_that_leads_may_be_added_to),
        WORLD_TEST(test_blocks_that_lead_may_be_removed_from),
        WORLD_TEST(test_what_is_listed_twice_and_goes_is_visited_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
