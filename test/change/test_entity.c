/* Handles and the world's table of entities: the order of ids, and that a stale handle names no entity. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/image.h>

static const covey_entity none = { 0, 0 };

static void create(covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        entities[i] = covey_create(world);
        assert_false(covey_is_null(entities[i]));
    }
}

/* ---- Handles ------------------------------------------------------------------------------------------------------*/

static void test_a_handle_has_eight_bytes_or_four_where_it_fits(void **state) {
    (void)state;
    assert_int_equal(sizeof(covey_entity), COVEY_INDEX_BITS + COVEY_GENERATION_BITS <= 32 ? 4 : 8); /* REQ-34 */
}

static void test_zeroed_memory_holds_null_handles(void **state) {
    (void)state;
    covey_entity handles[4];
    memset(handles, 0, sizeof handles);
    for (uint32_t i = 0; i < COUNT_OF(handles); i++) {
        assert_no_entity(handles[i]);
        assert_false(covey_alive(world, handles[i]));
    }
    covey_create(world); /* index 0 is in use now */
    assert_false(covey_alive(world, handles[0]));
}

static void test_handles_are_the_same_when_index_and_generation_are(void **state) {
    (void)state;
    assert_true(covey_same(entity(3, 1), entity(3, 1)));
    assert_false(covey_same(entity(3, 1), entity(3, 3)));
    assert_false(covey_same(entity(3, 1), entity(4, 1)));
}

/* The low bits alone fill a table evenly, whether neighbours or generations differ. */
static void test_hashes_of_handles_are_the_same_everywhere_and_differ(void **state) {
    (void)state;
    assert_true(covey_is_null(COVEY_NULL) && covey_same(COVEY_NULL, entity(0, 0)));
    assert_true(covey_entity_hash(COVEY_NULL) == 0);
    assert_true(covey_entity_hash(entity(5, 3)) == UINT64_C(0x6dec7181156cd6c8));
    assert_true(covey_entity_hash(entity(3, 1)) != covey_entity_hash(entity(1, 3)));
    enum { BUCKETS = 256, HANDLES = 512 };
    uint32_t in[BUCKETS] = { 0 }, used = 0;
    for (uint32_t i = 0; i < HANDLES; i++) in[covey_entity_hash(entity(i, 1 + 2 * (i % 2))) % BUCKETS]++;
    for (uint32_t i = 0; i < BUCKETS; i++) used += in[i] != 0;
    assert_in_range(used, BUCKETS * 3 / 4, BUCKETS); /* chance fills 86 % */
}

static void test_a_handle_is_made_of_numbers_that_exist(void **state) {
    (void)state;
    assert_same(covey_entity_make(3, 1), entity(3, 1));
    assert_same(covey_entity_make(COVEY_NONE - 1, COVEY_GENERATION_MAX), entity(COVEY_NONE - 1, COVEY_GENERATION_MAX));
    assert_same(covey_entity_make(COVEY_NONE, 1), none);
    assert_same(covey_entity_make(UINT32_MAX, 1), none);
    if (COVEY_GENERATION_MAX == UINT32_MAX) return;
    assert_same(covey_entity_make(3, COVEY_GENERATION_MAX + 1), none);
    assert_same(covey_entity_make(3, UINT32_MAX), none);
}

static void assert_refused(covey_entity e) {
    uint64_t before = world_digest(world);
    assert_false(covey_alive(world, e));
    assert_false(covey_destroy(world, e));
    assert_int_equal(covey_destroy_many(world, &e, 1), 0);
    assert_int_equal(world_digest(world), before);
}

static void test_handles_that_were_never_issued_are_refused(void **state) {
    (void)state;
    assert_refused(entity(0, 1)); /* of a world that has no page yet */
    covey_entity e = covey_create(world);
    assert_refused(entity(e.index, 0));
    assert_refused(entity(e.index, e.generation + 1));
    assert_refused(entity(e.index, e.generation + 2));
    assert_refused(entity(e.index, UINT32_MAX));
    assert_refused(entity(e.index + 1, 1));
    assert_refused(entity(COVEY_PAGE_SIZE, 1));
    assert_refused(entity(COVEY_NONE - 1, 1));
    assert_refused(entity(COVEY_NONE, 1));
    assert_refused(entity(UINT32_MAX, UINT32_MAX));
}

/* ---- Worlds side by side ------------------------------------------------------------------------------------------*/

static covey_world *world_from(uint32_t first_index) {
    covey_world_desc desc = world_desc();
    desc.first_index = first_index;
    covey_world *made = covey_world_create(&desc);
    assert_non_null(made);
    return made;
}

static void test_worlds_with_indices_of_their_own_refuse_each_others_handles(void **state) {
    (void)state;
    covey_world *other = world_from(200);
    covey_entity here[100], there[100];
    create(here, COUNT_OF(here));
    for (uint32_t i = 0; i < COUNT_OF(there); i++) {
        there[i] = covey_create(other);
        assert_same(there[i], entity(200 + i, 1));
        assert_non_null(covey_add_raw(other, there[i], covey_id(Blocked), NULL));
    }
    for (uint32_t i = 0; i < COUNT_OF(here); i++) {
        assert_refused(there[i]);
        assert_null(covey_add_raw(world, there[i], covey_id(Blocked), NULL));
        assert_failed(COVEY_ERROR_DEAD);
        assert_false(covey_alive(other, here[i]));
        assert_null(covey_get_raw(other, here[i], covey_id(Blocked)));
        assert_false(covey_destroy(other, here[i]));
    }
    covey_destroy_all(other);
    assert_same(covey_create(other), entity(200, 3)); /* those below are never given out */
    assert_true(covey_world_validate(other, NULL));
    assert_int_equal(covey_range_reserve(other, 0, 10).count, 0);
    assert_int_equal(covey_range_reserve(other, 400, 10).count, 10);
    covey_world_destroy(other);
    other = world_from(COVEY_NONE);
    assert_no_entity(covey_create(other));
    assert_int_equal(covey_world_result(other), COVEY_ERROR_FULL);
    assert_true(covey_world_validate(other, NULL));
    covey_world_destroy(other);
}

/* A world that is loaded or cloned goes on as the one that was saved, if it begins at the same index. */
static void test_a_first_index_outlives_loading_and_cloning(void **state) {
    (void)state;
    covey_world *saved = world_from(70), *loaded = world_from(70);
    for (uint32_t i = 0; i < 20; i++) covey_create(saved);
    assert_same(covey_create_at(saved, 0), entity(0, 1)); /* a request by exact handle gets it */
    covey_destroy(saved, entity(75, 1));
    covey_destroy(saved, entity(80, 1));
    covey_buffer buffer = { 0 };
    assert_int_equal(covey_save_to_buffer(saved, &buffer, NULL, NULL), COVEY_OK);
    assert_int_equal(covey_load_from_memory(loaded, buffer.bytes, buffer.size, NULL, NULL), COVEY_OK);
    covey_buffer_free(&buffer);
    covey_world *cloned = covey_world_clone(saved, NULL);
    assert_non_null(cloned);
    for (uint32_t i = 0; i < 10; i++) {
        covey_entity e = covey_create(saved);
        assert_true(e.index >= 70);
        assert_same(covey_create(loaded), e);
        assert_same(covey_create(cloned), e);
    }
    assert_same(covey_create_at(loaded, 5), entity(5, 1)); /* which was never used */
    assert_true(covey_world_validate(saved, NULL) && covey_world_validate(loaded, NULL));
    covey_world_destroy(saved);
    covey_world_destroy(loaded);
    covey_world_destroy(cloned);
}

static void test_a_guessed_next_generation_is_refused_while_the_index_is_free(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_destroy(world, e);
    for (uint32_t generation = 0; generation < 8; generation++) assert_refused(entity(e.index, generation));
}

/* ---- The order of ids ---------------------------------------------------------------------------------------------*/

static void test_fresh_ids_ascend_from_zero(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3 * COVEY_PAGE_SIZE && i < COVEY_NONE; i++) assert_same(covey_create(world), entity(i, 1));
}

static void test_the_lowest_free_index_is_given_first(void **state) {
    (void)state;
    covey_entity e[5];
    create(e, 5);
    covey_destroy(world, e[1]);
    covey_destroy(world, e[3]);
    covey_destroy(world, e[0]);
    assert_same(covey_create(world), entity(0, 3));
    assert_same(covey_create(world), entity(1, 3));
    assert_same(covey_create(world), entity(3, 3));
    assert_same(covey_create(world), entity(5, 1));
}

static void test_many_are_the_same_as_single_creates_would_make(void **state) {
    (void)state;
    covey_entity e[6], many[3 * COVEY_PAGE_SIZE];
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    create(e, 6);
    for (uint32_t i = 0; i < 6; i++) covey_create(other);
    const uint32_t freed[] = { 4, 0, 2 };
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) {
        covey_destroy(world, e[freed[i]]);
        covey_destroy(other, e[freed[i]]);
    }
    assert_true(covey_create_many(world, many, COUNT_OF(many)));
    for (uint32_t i = 0; i < COUNT_OF(many); i++) assert_same(many[i], covey_create(other));
    assert_int_equal(world_digest(world), world_digest(other));
    covey_world_destroy(other);
}

static void test_none_of_many_is_none(void **state) {
    (void)state;
    assert_true(covey_create_many(world, NULL, 0));
    assert_int_equal(covey_entity_count(world), 0);
}

/* Leaves covey_create with the indices below `count`. */
static void reserve_all_but(uint32_t count) {
    assert_int_equal(covey_range_reserve(world, count, COVEY_NONE - count).count, COVEY_NONE - count);
}

static void test_many_are_made_all_or_not_at_all(void **state) {
    (void)state;
    covey_entity e[10], many[10];
    reserve_all_but(10);
    create(e, 6);
    covey_destroy(world, e[4]);
    covey_destroy(world, e[1]);
    uint64_t before = world_digest(world);
    assert_false(covey_create_many(world, many, 7));
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_entity_count(world), 4);
    assert_true(covey_create_many(world, many, 6));
    const uint32_t order[] = { 1, 4, 6, 7, 8, 9 };
    for (uint32_t i = 0; i < COUNT_OF(order); i++) assert_int_equal(many[i].index, order[i]);
}

static void test_many_are_not_made_when_memory_runs_out_on_the_way(void **state) {
    (void)state;
    covey_entity first = covey_create(world), many[4 * COVEY_PAGE_SIZE];
    covey_destroy(world, first);
    uint64_t before = world_digest(world);
    test_fail_at(&heap, 2, true);
    assert_false(covey_create_many(world, many, COUNT_OF(many)));
    assert_failed(COVEY_ERROR_MEMORY);
    test_fail_never(&heap);
    assert_int_equal(world_digest(world), before);
    assert_same(covey_create(world), entity(0, 3));
    assert_same(covey_create(world), entity(1, 1));
}

/* ---- Wanted indices -----------------------------------------------------------------------------------------------*/

static void test_create_at_the_next_fresh_index(void **state) {
    (void)state;
    assert_same(covey_create_at(world, 0), entity(0, 1));
    assert_same(covey_create(world), entity(1, 1));
    assert_same(covey_create_at(world, 2), entity(2, 1));
    assert_same(covey_create(world), entity(3, 1));
}

static void test_fresh_ids_go_around_indices_made_ahead_of_them(void **state) {
    (void)state;
    const uint32_t ahead[] = { 2, 3, COVEY_PAGE_SIZE, COVEY_PAGE_SIZE + 2, 3 * COVEY_PAGE_SIZE };
    for (uint32_t i = 0; i < COUNT_OF(ahead); i++) assert_same(covey_create_at(world, ahead[i]), entity(ahead[i], 1));
    uint32_t expected = 0;
    for (uint32_t i = 0; i < 3 * COVEY_PAGE_SIZE; i++, expected++) {
        for (uint32_t skip = 0; skip < COUNT_OF(ahead); skip++) expected += expected == ahead[skip];
        assert_same(covey_create(world), entity(expected, 1));
    }
}

static void test_an_index_made_ahead_and_freed_is_used_again(void **state) {
    (void)state;
    covey_entity ahead = covey_create_at(world, 2);
    covey_destroy(world, ahead);
    assert_same(covey_create(world), entity(0, 1));
    assert_same(covey_create(world), entity(1, 1));
    assert_same(covey_create(world), entity(2, 3));
}

static void test_create_at_takes_a_free_index(void **state) {
    (void)state;
    const uint32_t wanted[] = { 2, 0, 4 };
    covey_entity e[6];
    create(e, 6);
    for (uint32_t i = 5; i-- != 0;) covey_destroy(world, e[i]);
    for (uint32_t i = 0; i < COUNT_OF(wanted); i++) {
        assert_same(covey_create_at(world, wanted[i]), entity(wanted[i], 3));
        test_world_is_valid(world);
    }
    assert_same(covey_create(world), entity(1, 3));
    assert_same(covey_create(world), entity(3, 3));
    assert_same(covey_create(world), entity(6, 1));
}

static void test_create_at_refuses_an_index_in_use(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    uint64_t before = world_digest(world);
    assert_no_entity(covey_create_at(world, e.index));
    assert_failed(COVEY_ERROR_TAKEN);
    assert_non_null(strstr(heard.text, "in use"));
    assert_int_equal(world_digest(world), before);
}

static void test_create_at_refuses_a_retired_index(void **state) {
    (void)state;
    covey_destroy(world, last_life(covey_create(world)));
    assert_no_entity(covey_create_at(world, 0));
    assert_failed(COVEY_ERROR_TAKEN);
    assert_non_null(strstr(heard.text, "retired"));
    assert_same(covey_create(world), entity(1, 1));
}

static void test_create_at_refuses_an_index_that_cannot_exist(void **state) {
    (void)state;
    assert_no_entity(covey_create_at(world, COVEY_NONE));
    assert_failed(COVEY_ERROR_RANGE);
    assert_no_entity(covey_create_at(world, UINT32_MAX));
    assert_failed(COVEY_ERROR_RANGE);
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_the_highest_index_costs_a_page_and_the_directory(void **state) {
    (void)state;
    size_t before = covey_world_memory(world);
    covey_entity e = covey_create_at(world, COVEY_NONE - 1);
    assert_same(e, entity(COVEY_NONE - 1, 1));
    size_t pages = (size_t)(COVEY_NONE - 1) / COVEY_PAGE_SIZE + 1, bits = (pages + 63) / 64 * sizeof(uint64_t);
    assert_int_equal(covey_world_memory(world), before + pages * sizeof(void *) + bits + sizeof(covey__entity_page));
    assert_true(covey_alive(world, e));
    assert_same(covey_entity_next(world, none), e);
    assert_no_entity(covey_entity_next(world, e));
    assert_same(covey_create(world), entity(0, 1));
    assert_true(covey_destroy(world, e));
    /* Not for world_teardown, which looks at every index below. */
    covey_world_destroy(world);
    assert_int_equal(world_setup(state), 0);
}

/* ---- Exact handles ------------------------------------------------------------------------------------------------*/

static covey_entity create_exact(covey_world *in, covey_entity e) {
    return covey_create_exact(in, &e, 1, COVEY_EXACT_NEW) ? e : none;
}

static void test_an_entity_is_made_with_exactly_this_handle(void **state) {
    (void)state;
    assert_same(create_exact(world, entity(7, 3)), entity(7, 3));
    assert_true(covey_alive(world, entity(7, 3)));
    assert_int_equal(covey_entity_count(world), 1);
    for (uint32_t i = 0; i < 7; i++) assert_same(covey_create(world), entity(i, 1));
    assert_same(covey_create(world), entity(8, 1));
}

static void test_generations_go_on_behind_an_exact_handle(void **state) {
    (void)state;
    uint32_t last = COVEY_GENERATION_MAX;
    assert_same(create_exact(world, entity(0, last - 2)), entity(0, last - 2));
    covey_destroy(world, entity(0, last - 2));
    assert_same(covey_create(world), entity(0, last));
    covey_destroy(world, entity(0, last));
    assert_same(covey_create(world), entity(1, 1)); /* the other one is retired */
}

static void test_an_exact_handle_takes_an_index_out_of_the_free_list(void **state) {
    (void)state;
    covey_entity e[4];
    create(e, 4);
    for (uint32_t i = 3; i-- != 0;) covey_destroy(world, e[i]);
    assert_same(create_exact(world, entity(1, 3)), entity(1, 3));
    test_world_is_valid(world);
    assert_same(covey_create(world), entity(0, 3));
    assert_same(covey_create(world), entity(2, 3));
    assert_same(covey_create(world), entity(4, 1));
}

static void test_an_exact_handle_reaches_into_a_range(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 1, 2);
    uint32_t last = COVEY_GENERATION_MAX;
    assert_same(create_exact(world, entity(1, last - 2)), entity(1, last - 2));
    assert_same(covey_create(world), entity(0, 1));
    assert_same(covey_create_in(world, range), entity(2, 1));
    covey_destroy(world, entity(1, last - 2));
    assert_same(covey_create(world), entity(3, 1));
    assert_same(covey_create_in(world, range), entity(1, last));
}

static void refuse_exact(covey_entity e, covey_result why, const char *says) {
    uint64_t before = world_digest(world);
    assert_no_entity(create_exact(world, e));
    assert_failed(why);
    assert_non_null(strstr(heard.text, says));
    assert_int_equal(world_digest(world), before);
}

static void test_a_handle_that_was_used_is_refused(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    refuse_exact(e, COVEY_ERROR_TAKEN, "in use");
    refuse_exact(entity(e.index, 3), COVEY_ERROR_TAKEN, "in use");
    covey_destroy(world, e);
    refuse_exact(e, COVEY_ERROR_TAKEN, "the generation was used before");
    assert_same(create_exact(world, entity(e.index, 3)), entity(e.index, 3));
    covey_destroy(world, entity(e.index, 3));
    refuse_exact(e, COVEY_ERROR_TAKEN, COVEY_GENERATION_MAX > 3 ? "used before" : "retired");
}

static void test_generations_that_were_skipped_are_used_up(void **state) {
    (void)state;
    assert_same(create_exact(world, entity(5, 3)), entity(5, 3));
    covey_destroy(world, entity(5, 3));
    refuse_exact(entity(5, 1), COVEY_ERROR_TAKEN, COVEY_GENERATION_MAX > 3 ? "used before" : "retired");
}

static void test_a_retired_index_has_no_exact_handle(void **state) {
    (void)state;
    covey_destroy(world, last_life(covey_create(world)));
    refuse_exact(entity(0, COVEY_GENERATION_MAX), COVEY_ERROR_TAKEN, "retired");
}

/* In the order of indices, they are checked 64 at a time. */
static void test_a_list_of_exact_handles_is_new_or_refused_as_a_whole(void **state) {
    enum { MANY = 130 };
    covey_entity e[MANY];
    (void)state;
    if (COVEY_INDEX_BITS <= 16) return;
    create(e, MANY);
    assert_int_equal(covey_destroy_many(world, e, MANY), MANY);
    uint64_t before = world_digest(world);
    assert_false(covey_create_exact(world, e, MANY, COVEY_EXACT_NEW));
    assert_failed(COVEY_ERROR_TAKEN);
    for (uint32_t i = 0; i < MANY; i++) e[i] = entity(i, i == 100 ? 1 : 3);
    assert_false(covey_create_exact(world, e, MANY, COVEY_EXACT_NEW));
    assert_failed(COVEY_ERROR_TAKEN);
    assert_int_equal(world_digest(world), before);
    e[100] = entity(100, 3);
    assert_true(covey_create_exact(world, e, MANY, COVEY_EXACT_NEW));
    for (uint32_t i = 0; i < MANY; i++) assert_true(covey_alive(world, entity(i, 3)));
}

static void test_an_entity_comes_back_with_its_handle(void **state) {
    (void)state;
    covey_entity e[4];
    create(e, 4);
    for (uint32_t i = 0; i < 3; i++) covey_destroy(world, e[i]);
    assert_true(covey_create_exact(world, (covey_entity[]){ e[1], entity(9, 3) }, 2, COVEY_EXACT_AGAIN));
    test_world_is_valid(world);
    assert_true(covey_alive(world, e[1]));
    assert_true(covey_alive(world, entity(9, 3)));
    assert_int_equal(covey_entity_count(world), 3);
    assert_same(covey_create(world), entity(0, 3));
    assert_same(covey_create(world), entity(2, 3));
    covey_destroy(world, e[1]);
    assert_same(covey_create(world), entity(1, 3));
    assert_false(covey_alive(world, e[1]));
}

static void test_one_of_the_last_generation_comes_back(void **state) {
    (void)state;
    covey_entity e = last_life(covey_create(world));
    for (uint32_t i = 0; i < 3; i++) {
        covey_destroy(world, e);
        assert_true(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN));
        test_world_is_valid(world);
        assert_true(covey_alive(world, e));
    }
    covey_destroy(world, e);
    assert_same(covey_create(world), entity(1, 1));
}

enum { WHOLE = 200 };

static covey_entity create_any(covey_range range) {
    return range.count != 0 ? covey_create_in(world, range) : covey_create(world);
}

static void return_in_order(covey_range range, bool backwards, uint32_t count) {
    covey_entity e[WHOLE], ended[WHOLE];
    for (uint32_t i = 0; i < WHOLE; i++) e[i] = create_any(range);
    for (uint32_t i = 0; i < WHOLE; i++) ended[i] = e[backwards ? WHOLE - 1 - i : i];
    assert_int_equal(covey_destroy_many(world, ended, WHOLE), WHOLE);
    test_world_is_valid(world);
    assert_true(covey_create_exact(world, e, count, COVEY_EXACT_AGAIN));
    test_world_is_valid(world);
    for (uint32_t i = 0; i < WHOLE; i++) assert_int_equal(covey_alive(world, e[i]), i < count);
    for (uint32_t i = 0; i < WHOLE - count; i++) {
        covey_entity next = create_any(range);
        assert_int_equal(next.index, e[count + i].index);
    }
    test_world_is_valid(world);
}

/* In the order of indices they come back 64 at a time. What is free is the same as if they came one by one. */
static void test_whole_blocks_come_back_and_the_free_indices_stay_in_order(void **state) {
    static const uint32_t counts[] = { 0, 63, 64, 65, 128, 190, WHOLE };
    for (uint32_t i = 0; i < COUNT_OF(counts) && COVEY_INDEX_BITS > 16; i++)
        for (uint32_t way = 0; way < 4; way++) {
            covey_range range = { 0, 0 };
            world_teardown(state);
            world_setup(state);
            if (way % 2 != 0) range = covey_range_reserve(world, 40, 400); /* begins and ends inside of blocks */
            return_in_order(range, way >= 2, counts[i]);
        }
}

static void refuse_again(covey_entity e, covey_result why, const char *says) {
    uint64_t before = world_digest(world);
    covey_entity fine = entity(9, 1), all[] = { fine, e };
    assert_false(covey_create_exact(world, all, 2, COVEY_EXACT_AGAIN));
    assert_failed(why);
    assert_non_null(strstr(heard.text, says));
    assert_int_equal(world_digest(world), before);
    assert_false(covey_alive(world, fine));
}

static void test_who_cannot_come_back_is_refused_with_all_others(void **state) {
    (void)state;
    covey_entity there = covey_create(world), old = covey_create(world), twice = covey_create(world);
    covey_destroy(world, covey_create_at(world, 9));
    refuse_again(there, COVEY_ERROR_TAKEN, "in use");
    refuse_again(none, COVEY_ERROR_RANGE, "odd");
    refuse_again(entity(3, 2), COVEY_ERROR_RANGE, "odd");
    refuse_again(entity(COVEY_NONE, 1), COVEY_ERROR_RANGE, "too large");
    covey_destroy(world, twice);
    assert_false(covey_create_exact(world, (covey_entity[]){ twice, twice }, 2, COVEY_EXACT_AGAIN));
    assert_failed(COVEY_ERROR_TAKEN);
    assert_false(covey_alive(world, twice));
    assert_same(covey_create_at(world, twice.index), entity(twice.index, 3));
    covey_destroy(world, old);
    covey_destroy(world, covey_create_at(world, old.index));
    refuse_again(old, COVEY_ERROR_TAKEN, COVEY_GENERATION_MAX > 3 ? "later generation" : "retired");
    assert_true(covey_create_exact(world, NULL, 0, COVEY_EXACT_AGAIN));
}

static void test_handles_that_no_entity_can_have_are_refused(void **state) {
    (void)state;
    refuse_exact(none, COVEY_ERROR_RANGE, "odd");
    refuse_exact(entity(3, 2), COVEY_ERROR_RANGE, "odd");
    refuse_exact(entity(COVEY_NONE, 1), COVEY_ERROR_RANGE, "too large");
    if (COVEY_GENERATION_BITS + COVEY__NARROW * COVEY_INDEX_BITS < 32)
        refuse_exact(entity(3, COVEY_GENERATION_MAX + 2), COVEY_ERROR_RANGE, "too large");
}

static void test_an_index_that_a_command_buffer_has_is_refused(void **state) {
    (void)state;
    covey_commands *commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    covey_entity later = covey_record_create(commands);
    refuse_exact(later, COVEY_ERROR_TAKEN, "command buffer");
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_true(covey_alive(world, later));
    refuse_exact(later, COVEY_ERROR_TAKEN, "in use");
    covey_commands_destroy(commands);
}

static void test_the_entity_at_an_index_is_the_living_one(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_same(covey_entity_at(world, 0), e);
    assert_no_entity(covey_entity_at(world, 1));
    assert_no_entity(covey_entity_at(world, COVEY_NONE - 1));
    assert_no_entity(covey_entity_at(world, COVEY_NONE));
    assert_no_entity(covey_entity_at(world, UINT32_MAX));
    covey_destroy(world, e);
    assert_no_entity(covey_entity_at(world, 0));
    e = covey_create(world);
    assert_same(covey_entity_at(world, 0), e);
}

static void test_indices_that_were_used_are_found(void **state) {
    (void)state;
    assert_int_equal(covey_index_next(world, 0), COVEY_NONE);
    covey_entity first = covey_create(world), second = covey_create(world);
    covey_entity far = covey_create_at(world, COVEY_NONE / 2);
    assert_int_equal(far.index, COVEY_NONE / 2);
    covey_destroy(world, first);
    covey_destroy(world, far); /* destroyed indices are still found */
    assert_int_equal(covey_index_next(world, 0), first.index);
    assert_int_equal(covey_index_next(world, first.index + 1), second.index);
    assert_int_equal(covey_index_next(world, second.index + 1), far.index);
    assert_int_equal(covey_index_next(world, far.index), far.index);
    assert_int_equal(covey_index_next(world, far.index + 1), COVEY_NONE);
    assert_int_equal(covey_index_next(world, UINT32_MAX), COVEY_NONE);
}

static void test_the_generation_at_an_index_is_the_last_that_was_used(void **state) {
    (void)state;
    assert_int_equal(covey_generation_at(world, 0), 0);
    covey_entity e = covey_create(world);
    assert_int_equal(covey_generation_at(world, 0), 1);
    covey_destroy(world, e);
    assert_int_equal(covey_generation_at(world, 0), 1);
    e = covey_create(world);
    assert_int_equal(covey_generation_at(world, 0), 3);
    covey_destroy(world, last_life(e));
    assert_int_equal(covey_generation_at(world, 0), COVEY_GENERATION_MAX);
    assert_int_equal(covey_generation_at(world, 1), 0);
    assert_int_equal(covey_generation_at(world, COVEY_NONE), 0);
    assert_int_equal(covey_generation_at(world, UINT32_MAX), 0);
}

static void note_handle(const covey_event *event, void *context) { *(covey_entity *)context = *event->entities; }

static void test_listeners_hear_of_an_exact_entity(void **state) {
    (void)state;
    covey_entity created = none;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = note_handle, .context = &created });
    assert_same(create_exact(world, entity(4, 3)), entity(4, 3));
    assert_same(created, entity(4, 3));
}

/* What a world was like, another one becomes from its handles alone. */
static void test_worlds_have_the_same_handles_by_exact_creation(void **state) {
    (void)state;
    covey_entity e[12];
    create(e, 12);
    for (uint32_t i = 0; i < 12; i += 2) covey_destroy(world, e[i]);
    create(e, 3);
    covey_world *other = covey_world_create(NULL);
    for (covey_entity at = covey_entity_next(world, none); !covey_is_null(at); at = covey_entity_next(world, at))
        assert_same(create_exact(other, at), at);
    assert_int_equal(covey_entity_count(other), covey_entity_count(world));
    for (covey_entity at = covey_entity_next(world, none); !covey_is_null(at); at = covey_entity_next(world, at))
        assert_true(covey_alive(other, at));
    test_world_is_valid(other);
    covey_world_destroy(other);
}

static void test_images_have_exact_handles(void **state) {
    (void)state;
    uint32_t last = COVEY_GENERATION_MAX;
    create_exact(world, entity(9, last));
    covey_destroy(world, create_exact(world, entity(4, last - 2)));
    covey_buffer buffer = { 0 };
    covey_world *loaded = covey_world_create(NULL);
    assert_int_equal(covey_save_to_buffer(world, &buffer, NULL, NULL), COVEY_OK);
    assert_int_equal(covey_load_from_memory(loaded, buffer.bytes, buffer.size, NULL, NULL), COVEY_OK);
    covey_buffer_free(&buffer);
    assert_true(covey_alive(loaded, entity(9, last)));
    assert_int_equal(covey_generation_at(loaded, 4), last - 2);
    assert_no_entity(create_exact(loaded, entity(4, last - 2)));
    assert_same(covey_create_at(loaded, 4), entity(4, last));
    covey_world_destroy(loaded);
}

/* ---- Reserved ranges ----------------------------------------------------------------------------------------------*/

static bool is_null_range(covey_range range) { return range.first == 0 && range.count == 0; }

static void test_create_leaves_reserved_ranges_alone(void **state) {
    (void)state;
    covey_range_reserve(world, 5, 2);
    covey_range_reserve(world, 2, 3); /* neighbours, the later one below */
    covey_range_reserve(world, 8, COVEY_PAGE_SIZE);
    const uint32_t order[] = { 0, 1, 7, 8 + COVEY_PAGE_SIZE, 9 + COVEY_PAGE_SIZE };
    for (uint32_t i = 0; i < COUNT_OF(order); i++) assert_same(covey_create(world), entity(order[i], 1));
}

static void test_a_range_can_be_reserved_while_creating(void **state) {
    (void)state;
    covey_create(world);
    covey_range_reserve(world, 1, 2);
    assert_same(covey_create(world), entity(3, 1));
}

static void test_a_range_gives_out_its_own_indices_in_the_usual_order(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 2, 3);
    assert_same(covey_create_in(world, range), entity(2, 1));
    assert_same(covey_create_in(world, range), entity(3, 1));
    covey_entity last = covey_create_in(world, range);
    assert_same(last, entity(4, 1));
    uint64_t before = world_digest(world);
    assert_no_entity(covey_create_in(world, range));
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(world_digest(world), before);
    covey_destroy(world, entity(3, 1));
    covey_destroy(world, last);
    assert_same(covey_create_in(world, range), entity(3, 3));
    assert_same(covey_create_in(world, range), entity(4, 3));
}

static void test_an_index_of_a_range_goes_back_to_its_range(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 1, 2);
    covey_entity outside = covey_create(world), inside = covey_create_in(world, range);
    covey_destroy(world, outside);
    covey_destroy(world, inside);
    assert_same(covey_create(world), entity(0, 3));
    assert_same(covey_create(world), entity(3, 1));
    assert_same(covey_create_in(world, range), entity(1, 3));
}

static void test_create_at_reaches_into_a_range(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 1, 3);
    assert_same(covey_create_at(world, 2), entity(2, 1));
    assert_same(covey_create_in(world, range), entity(1, 1));
    assert_same(covey_create_in(world, range), entity(3, 1));
    assert_no_entity(covey_create_in(world, range));
    covey_destroy(world, entity(2, 1));
    assert_same(covey_create_in(world, range), entity(2, 3));
}

static void test_a_range_that_overlaps_another_is_refused(void **state) {
    (void)state;
    covey_range_reserve(world, 10, 5);
    const covey_range overlapping[] = { { 10, 5 }, { 8, 3 }, { 14, 1 }, { 12, 1 }, { 0, 100 } };
    uint64_t before = world_digest(world);
    for (uint32_t i = 0; i < COUNT_OF(overlapping); i++) {
        assert_true(is_null_range(covey_range_reserve(world, overlapping[i].first, overlapping[i].count)));
        assert_failed(COVEY_ERROR_TAKEN);
    }
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_range_reserve(world, 9, 1).count, 1);
    assert_int_equal(covey_range_reserve(world, 15, 1).count, 1);
}

static void test_a_range_with_an_index_that_was_used_is_refused(void **state) {
    (void)state;
    covey_create(world);
    covey_destroy(world, covey_create_at(world, 6));
    covey_destroy(world, last_life(covey_create_at(world, 9)));
    const covey_range used[] = { { 0, 1 }, { 6, 1 }, { 5, 2 }, { 9, 1 }, { 7, 10 } };
    for (uint32_t i = 0; i < COUNT_OF(used); i++) {
        assert_true(is_null_range(covey_range_reserve(world, used[i].first, used[i].count)));
        assert_failed(COVEY_ERROR_TAKEN);
    }
    assert_int_equal(covey_range_reserve(world, 7, 2).first, 7);
}

static void test_a_range_that_cannot_exist_is_refused(void **state) {
    (void)state;
    const covey_range wrong[] = { { 0, 0 },          { COVEY_NONE, 1 }, { COVEY_NONE - 1, 2 },
                                  { 1, COVEY_NONE }, { UINT32_MAX, 1 }, { 1, UINT32_MAX } };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_true(is_null_range(covey_range_reserve(world, wrong[i].first, wrong[i].count)));
        assert_failed(COVEY_ERROR_RANGE);
    }
    reserve_all_but(1); /* up to the very last index */
}

static void test_all_indices_can_be_reserved(void **state) {
    (void)state;
    reserve_all_but(0);
    assert_no_entity(covey_create(world));
    assert_failed(COVEY_ERROR_FULL);
    assert_same(covey_create_in(world, (covey_range){ 0, COVEY_NONE }), entity(0, 1));
}

static void test_a_range_that_was_not_reserved_gives_nothing(void **state) {
    (void)state;
    covey_range_reserve(world, 4, 4);
    const covey_range wrong[] = { { 0, 0 }, { 4, 3 }, { 5, 3 }, { 8, 4 } };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_no_entity(covey_create_in(world, wrong[i]));
        assert_failed(COVEY_ERROR_ABSENT);
    }
}

/* ---- The end of entities ------------------------------------------------------------------------------------------*/

static void test_destroy_ends_one_entity(void **state) {
    (void)state;
    covey_entity e[3];
    create(e, 3);
    assert_true(covey_destroy(world, e[1]));
    assert_false(covey_alive(world, e[1]));
    assert_true(covey_alive(world, e[0]) && covey_alive(world, e[2]));
    assert_int_equal(covey_entity_count(world), 2);
    assert_false(covey_destroy(world, e[1]));
    assert_int_equal(covey_entity_count(world), 2);
}

static void test_destroy_many_counts_those_that_were_alive(void **state) {
    (void)state;
    covey_entity e[4];
    create(e, 4);
    covey_destroy(world, e[2]);
    const covey_entity list[] = { e[0], none, e[2], e[3], e[0], entity(COVEY_NONE, 1) };
    assert_int_equal(covey_destroy_many(world, list, COUNT_OF(list)), 2);
    assert_int_equal(covey_entity_count(world), 1);
    assert_true(covey_alive(world, e[1]));
    assert_int_equal(covey_destroy_many(world, NULL, 0), 0);
}

static void test_after_destroy_all_ids_start_over_with_the_lowest(void **state) {
    (void)state;
    covey_entity e[2 * COVEY_PAGE_SIZE];
    create(e, COUNT_OF(e));
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        assert_false(covey_alive(world, e[i]));
        assert_same(covey_create(world), entity(i, 3));
    }
    assert_same(covey_create(world), entity(COUNT_OF(e), 1));
}

static void test_destroy_all_reaches_reserved_ranges(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 3, 4);
    covey_create_in(world, range);
    covey_create_in(world, range);
    covey_create(world);
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
    assert_same(covey_create_in(world, range), entity(3, 3));
    assert_same(covey_create(world), entity(0, 3));
}

static void test_destroy_all_of_nobody_changes_nothing(void **state) {
    (void)state;
    covey_destroy_all(world);
    assert_same(covey_create(world), entity(0, 1));
}

/* ---- Stale handles ------------------------------------------------------------------------------------------------*/

static void test_a_stale_handle_does_not_name_the_next_entity_of_its_index(void **state) {
    (void)state;
    covey_entity old = covey_create(world);
    covey_destroy(world, old);
    covey_entity next = covey_create(world);
    assert_int_equal(next.index, old.index);
    assert_refused(old); /* REQ-31 */
    assert_true(covey_alive(world, next));
}

static void test_an_index_is_retired_after_its_last_generation(void **state) {
    (void)state;
    covey_entity last = last_life(covey_create(world));
    assert_true(covey_alive(world, last));
    assert_true(covey_destroy(world, last));
    assert_same(covey_create(world), entity(1, 1));
    assert_refused(last);
    for (uint32_t generation = 0; generation < 8; generation++) assert_refused(entity(last.index, generation));
}

static void test_an_index_is_used_as_often_as_it_has_odd_generations(void **state) {
    (void)state;
    if (COVEY_GENERATION_BITS > 12) skip();
    for (uint32_t generation = 1; generation <= COVEY_GENERATION_MAX; generation += 2) {
        covey_entity e = covey_create(world);
        assert_same(e, entity(0, generation));
        covey_destroy(world, e);
    }
    assert_same(covey_create(world), entity(1, 1));
}

static void test_a_stale_handle_never_resolves_however_long_ids_are_recycled(void **state) {
    (void)state;
    covey_entity old[64];
    for (uint32_t i = 0; i < COUNT_OF(old); i++) {
        old[i] = covey_create(world);
        covey_destroy(world, old[i]);
        covey_entity now = covey_create(world);
        for (uint32_t k = 0; k <= i; k++) assert_false(covey_alive(world, old[k]));
        covey_destroy(world, now);
    }
}

static void test_running_out_of_indices_is_an_error_and_changes_nothing(void **state) {
    (void)state;
    reserve_all_but(4);
    covey_entity e[4];
    create(e, 4);
    uint64_t before = world_digest(world);
    assert_no_entity(covey_create(world));
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(world_digest(world), before);
    covey_destroy(world, e[2]);
    assert_same(covey_create(world), entity(2, 3));
}

static void test_a_world_runs_out_of_handles_and_never_repeats_one(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 12 || COVEY_GENERATION_BITS > 4) skip();
    uint64_t made = 0, lives = COVEY_GENERATION_MAX / 2 + 1;
    for (covey_entity e; !covey_is_null(e = covey_create(world)); made++) {
        assert_int_equal(e.index, made / lives);
        covey_destroy(world, e);
    }
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(made, (uint64_t)COVEY_NONE * lives);
    assert_int_equal(covey_entity_count(world), 0);
}

static void test_a_world_can_be_full_of_living_entities(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 12) skip();
    while (!covey_is_null(covey_create(world))) {
    }
    assert_int_equal(covey_entity_count(world), COVEY_NONE);
    covey_destroy(world, entity(COVEY_NONE / 2, 1));
    assert_same(covey_create(world), entity(COVEY_NONE / 2, 3));
    assert_no_entity(covey_create(world));
}

/* ---- Walking ------------------------------------------------------------------------------------------------------*/

static void test_walking_gives_every_entity_by_index(void **state) {
    (void)state;
    /* Between the pages of the first and the third, all are missing. */
    const uint32_t made[] = { 7 * COVEY_PAGE_SIZE, 1, COVEY_PAGE_SIZE, COVEY_PAGE_SIZE - 1 };
    const uint32_t order[] = { 1, COVEY_PAGE_SIZE - 1, COVEY_PAGE_SIZE, 7 * COVEY_PAGE_SIZE };
    for (uint32_t i = 0; i < COUNT_OF(made); i++) covey_create_at(world, made[i]);
    uint32_t seen = 0;
    for (covey_entity e = covey_entity_next(world, none); !covey_is_null(e); e = covey_entity_next(world, e))
        assert_same(e, entity(order[seen++], 1));
    assert_int_equal(seen, COUNT_OF(order));
}

static void test_the_entity_in_hand_may_be_destroyed_while_walking(void **state) {
    (void)state;
    covey_entity e[2 * COVEY_PAGE_SIZE];
    create(e, COUNT_OF(e));
    uint32_t seen = 0;
    for (covey_entity at = none; !covey_is_null(at = covey_entity_next(world, at)); seen++) {
        assert_same(at, e[seen]);
        if (seen % 3 != 1) covey_destroy(world, at);
    }
    assert_int_equal(seen, COUNT_OF(e));
    assert_same(covey_entity_next(world, none), e[1]);
}

static void test_walking_an_empty_world_ends_at_once(void **state) {
    (void)state;
    assert_no_entity(covey_entity_next(world, none));
    assert_no_entity(covey_entity_next(world, entity(UINT32_MAX, 1)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_handle_has_eight_bytes_or_four_where_it_fits),
        WORLD_TEST(test_zeroed_memory_holds_null_handles),
        WORLD_TEST(test_handles_are_the_same_when_index_and_generation_are),
        WORLD_TEST(test_hashes_of_handles_are_the_same_everywhere_and_differ),
        WORLD_TEST(test_a_handle_is_made_of_numbers_that_exist),
        WORLD_TEST(test_handles_that_were_never_issued_are_refused),
        WORLD_TEST(test_worlds_with_indices_of_their_own_refuse_each_others_handles),
        WORLD_TEST(test_a_first_index_outlives_loading_and_cloning),
        WORLD_TEST(test_a_guessed_next_generation_is_refused_while_the_index_is_free),
        WORLD_TEST(test_fresh_ids_ascend_from_zero),
        WORLD_TEST(test_the_lowest_free_index_is_given_first),
        WORLD_TEST(test_many_are_the_same_as_single_creates_would_make),
        WORLD_TEST(test_none_of_many_is_none),
        WORLD_TEST(test_many_are_made_all_or_not_at_all),
        WORLD_TEST(test_many_are_not_made_when_memory_runs_out_on_the_way),
        WORLD_TEST(test_create_at_the_next_fresh_index),
        WORLD_TEST(test_fresh_ids_go_around_indices_made_ahead_of_them),
        WORLD_TEST(test_an_index_made_ahead_and_freed_is_used_again),
        WORLD_TEST(test_create_at_takes_a_free_index),
        WORLD_TEST(test_create_at_refuses_an_index_in_use),
        WORLD_TEST(test_create_at_refuses_a_retired_index),
        WORLD_TEST(test_create_at_refuses_an_index_that_cannot_exist),
        WORLD_TEST(test_the_highest_index_costs_a_page_and_the_directory),
        WORLD_TEST(test_an_entity_is_made_with_exactly_this_handle),
        WORLD_TEST(test_generations_go_on_behind_an_exact_handle),
        WORLD_TEST(test_an_exact_handle_takes_an_index_out_of_the_free_list),
        WORLD_TEST(test_an_exact_handle_reaches_into_a_range),
        WORLD_TEST(test_a_handle_that_was_used_is_refused),
        WORLD_TEST(test_generations_that_were_skipped_are_used_up),
        WORLD_TEST(test_a_retired_index_has_no_exact_handle),
        WORLD_TEST(test_a_list_of_exact_handles_is_new_or_refused_as_a_whole),
        WORLD_TEST(test_an_entity_comes_back_with_its_handle),
        WORLD_TEST(test_one_of_the_last_generation_comes_back),
        WORLD_TEST(test_whole_blocks_come_back_and_the_free_indices_stay_in_order),
        WORLD_TEST(test_who_cannot_come_back_is_refused_with_all_others),
        WORLD_TEST(test_handles_that_no_entity_can_have_are_refused),
        WORLD_TEST(test_an_index_that_a_command_buffer_has_is_refused),
        WORLD_TEST(test_the_entity_at_an_index_is_the_living_one),
        WORLD_TEST(test_the_generation_at_an_index_is_the_last_that_was_used),
        WORLD_TEST(test_indices_that_were_used_are_found),
        WORLD_TEST(test_listeners_hear_of_an_exact_entity),
        WORLD_TEST(test_worlds_have_the_same_handles_by_exact_creation),
        WORLD_TEST(test_images_have_exact_handles),
        WORLD_TEST(test_create_leaves_reserved_ranges_alone),
        WORLD_TEST(test_a_range_can_be_reserved_while_creating),
        WORLD_TEST(test_a_range_gives_out_its_own_indices_in_the_usual_order),
        WORLD_TEST(test_an_index_of_a_range_goes_back_to_its_range),
        WORLD_TEST(test_create_at_reaches_into_a_range),
        WORLD_TEST(test_a_range_that_overlaps_another_is_refused),
        WORLD_TEST(test_a_range_with_an_index_that_was_used_is_refused),
        WORLD_TEST(test_a_range_that_cannot_exist_is_refused),
        WORLD_TEST(test_all_indices_can_be_reserved),
        WORLD_TEST(test_a_range_that_was_not_reserved_gives_nothing),
        WORLD_TEST(test_destroy_ends_one_entity),
        WORLD_TEST(test_destroy_many_counts_those_that_were_alive),
        WORLD_TEST(test_after_destroy_all_ids_start_over_with_the_lowest),
        WORLD_TEST(test_destroy_all_reaches_reserved_ranges),
        WORLD_TEST(test_destroy_all_of_nobody_changes_nothing),
        WORLD_TEST(test_a_stale_handle_does_not_name_the_next_entity_of_its_index),
        WORLD_TEST(test_an_index_is_retired_after_its_last_generation),
        WORLD_TEST(test_an_index_is_used_as_often_as_it_has_odd_generations),
        WORLD_TEST(test_a_stale_handle_never_resolves_however_long_ids_are_recycled),
        WORLD_TEST(test_running_out_of_indices_is_an_error_and_changes_nothing),
        WORLD_TEST(test_a_world_runs_out_of_handles_and_never_repeats_one),
        WORLD_TEST(test_a_world_can_be_full_of_living_entities),
        WORLD_TEST(test_walking_gives_every_entity_by_index),
        WORLD_TEST(test_the_entity_in_hand_may_be_destroyed_while_walking),
        WORLD_TEST(test_walking_an_empty_world_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
