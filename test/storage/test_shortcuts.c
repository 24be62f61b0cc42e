/* What a pool remembers of the block that is being filled, and a world of the block that is being emptied and of the
 * word whose entities get rows: only the time of a call may show it. The validator checks them after every call. */
#include "memory/inner.h"
#include "observe/signal.h"
#include "fixture.h"

COVEY_TAG_DEFINE(Label);

enum { COUNT = 200 };
static covey_entity e[COUNT];

static bool valid(void) { return covey_world_validate(world, &(const char *){ NULL }); }

static void fill(const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_non_null(add_value(e[i], type, i));
        assert_true(valid());
    }
}

static int shortcut_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}
#define SHORTCUT_TEST(test) cmocka_unit_test_setup_teardown(test, shortcut_setup, world_teardown)

/* The block of an index, if the shortcut knows it; small pages have no shortcuts. */
static bool is_filling(const covey_type *type, uint32_t index) {
    return covey_pool_find_raw(world, type)->filling.block == index / COVEY__BLOCK_IDS ||
           COVEY_PAGE_SIZE < COVEY__BLOCK_IDS;
}
static bool is_emptying(uint32_t index) {
    bool known = world->emptying.block == index / COVEY__BLOCK_IDS && world->emptying.moves == world->moves;
    return known || COVEY_PAGE_SIZE < COVEY__BLOCK_IDS;
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void test_the_block_that_is_filled_takes_only_what_may_be_added(void **state) {
    (void)state;
    fill(covey_id(Blocked));
    assert_true(is_filling(covey_id(Blocked), e[COUNT - 1].index));
    covey_entity last = e[COUNT - 1], next = covey_create(world);
    assert_null(add_value(last, covey_id(Blocked), 1));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_null(add_value(entity(next.index, next.generation + 2), covey_id(Blocked), 1));
    assert_failed(COVEY_ERROR_DEAD);
    assert_null(add_value(entity(next.index + 1, 0), covey_id(Blocked), 1)); /* never used: its generation is 0 */
    assert_failed(COVEY_ERROR_DEAD);
    covey_destroy(world, next);
    assert_null(add_value(next, covey_id(Blocked), 1));
    assert_failed(COVEY_ERROR_DEAD);
    assert_null(add_value(entity(next.index, next.generation + 1), covey_id(Blocked), 1)); /* the free index itself */
    assert_failed(COVEY_ERROR_DEAD);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Blocked)), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) assert_value(e[i], covey_id(Blocked), i);
}

static void compact_pool(covey_pool *pool) { covey_pool_compact(pool, NULL, NULL); }
static void clear_pool(covey_pool *pool) { covey_clear_raw(world, covey_pool_type(pool)); }

static void test_a_block_is_no_longer_filled_when_it_moves(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    void (*const changes[])(covey_pool *) = { compact_pool, covey_pool_shrink, clear_pool };
    for (uint32_t i = 0; i < COUNT_OF(changes); i++) {
        fill(covey_id(Blocked));
        for (uint32_t k = 130; k < COUNT - 2; k++) covey_remove(world, e[k], Blocked);
        changes[i](pool);
        assert_true(valid());
        for (uint32_t k = 130; k < COUNT; k++)
            if (!covey_has(world, e[k], Blocked)) assert_non_null(add_value(e[k], covey_id(Blocked), k));
        for (uint32_t k = 130; k < COUNT; k++) assert_value(e[k], covey_id(Blocked), k);
        clear_pool(pool);
    }
    fill(covey_id(Blocked));
    for (uint32_t k = 192; k < COUNT; k++) covey_remove(world, e[k], Blocked); /* the block's last */
    assert_true(valid());
    assert_non_null(add_value(e[195], covey_id(Blocked), 195));
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_non_null(add_value(e[196], covey_id(Blocked), 196));
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_non_null(add_value(e[197], covey_id(Blocked), 197));
    for (uint32_t k = 195; k < 198; k++) assert_value(e[k], covey_id(Blocked), k);
}

/* ---- Emptying -----------------------------------------------------------------------------------------------------*/

static void test_every_entity_is_destroyed_once(void **state) {
    (void)state;
    fill(covey_id(Blocked));
    for (uint32_t i = 0; i < COUNT; i += 2) assert_true(covey_add_tag(world, e[i], Label)); /* some have two */
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_true(covey_destroy(world, e[i]));
        assert_false(covey_destroy(world, e[i]));
        assert_false(covey_destroy(world, entity(e[i].index, e[i].generation + 1)));
        assert_false(covey_destroy(world, entity(e[i].index, 0)));
        assert_true(i % COVEY__BLOCK_IDS == COVEY__BLOCK_IDS - 1 || i == COUNT - 1 || is_emptying(e[i].index));
        assert_true(valid());
        assert_int_equal(covey_entity_count(world), COUNT - 1 - i);
        assert_int_equal(covey_pool_count(covey_pool_of(world, Blocked)), COUNT - 1 - i);
        assert_int_equal(covey_pool_count(covey_pool_of(world, Label)), (COUNT - 1 - i) / 2);
    }
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(covey_create(world).index, e[i].index);
}

static void test_what_changes_in_between_is_seen(void **state) {
    (void)state;
    fill(covey_id(Blocked));
    uint32_t next = 0;
#define DESTROY_TWO() assert_true(covey_destroy(world, e[next]) && covey_destroy(world, e[next + 1])), next += 2
    DESTROY_TWO();
    assert_true(is_emptying(e[0].index));
    add_value(e[2], covey_id(Packed), 2); /* a sparse pool comes near */
    DESTROY_TWO();
    assert_int_equal(covey_pool_count(covey_pool_of(world, Packed)), 0);
    covey_pool_shrink(covey_pool_of(world, Packed));
    DESTROY_TWO();
    DESTROY_TWO();
    assert_true(is_emptying(e[0].index));
    add_value(e[9], covey_id(Pinned), 9); /* another in blocks */
    DESTROY_TWO();
    assert_int_equal(covey_pool_count(covey_pool_of(world, Pinned)), 0);
    DESTROY_TWO();
    for (uint32_t i = next; i < 60; i++) covey_remove(world, e[i], Blocked);
    covey_compact(world); /* the block takes another form */
    next = 60;
    DESTROY_TWO();
    assert_true(valid());
    next = 64;
    DESTROY_TWO();
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Blocked), COVEY_STORAGE_SPARSE), COVEY_OK);
    DESTROY_TWO();
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Blocked), COVEY_STORAGE_BLOCK), COVEY_OK);
    DESTROY_TWO();
    DESTROY_TWO();
    covey_clear(world, Blocked);
    DESTROY_TWO();
    assert_true(valid());
    assert_int_equal(covey_pool_count(covey_pool_of(world, Blocked)), 0);
}

static void test_the_last_life_and_reserved_ranges(void **state) {
    (void)state;
    covey_entity last = last_life(e[5]);
    for (uint32_t i = 0; i < COUNT; i++)
        if (i != 5) assert_non_null(add_value(e[i], covey_id(Blocked), i));
    for (uint32_t i = 0; i < 5; i++) assert_true(covey_destroy(world, e[i]));
    assert_true(is_emptying(last.index));
    assert_true(covey_destroy(world, last));
    assert_false(covey_destroy(world, last));
    assert_true(valid());
    covey_range range = covey_range_reserve(world, 320, 64);
    assert_int_equal(range.count, 64);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(covey_create_in(world, range).index, 320 + i);
    for (uint32_t i = 0; i < 10; i++) assert_true(covey_destroy(world, entity(320 + i, 1)));
    assert_int_equal(covey_create_in(world, range).index, 320); /* back to its own range */
    assert_int_equal(covey_create(world).index, e[0].index);
}

static void test_a_range_that_is_reserved_in_the_block_that_is_emptied(void **state) {
    (void)state;
    for (uint32_t i = 192; i < 194; i++) assert_true(covey_destroy(world, e[i]));
    assert_true(is_emptying(e[192].index));
    covey_range range = covey_range_reserve(world, 208, 8);
    covey_entity first = covey_create_in(world, range);
    assert_int_equal(first.index, 208);
    assert_true(covey_destroy(world, first));
    assert_int_equal(covey_create_in(world, range).index, 208); /* it went back to its own range */
    assert_int_equal(covey_create(world).index, e[192].index);
}

/* Handles that were never issued, also with indices beyond the limit: none stands for a block that is not there. */
static void test_no_index_is_mistaken_for_a_missing_block(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    for (uint32_t block = 1; block <= UINT32_MAX / COVEY__BLOCK_IDS; block = block * 2 + 1) {
        assert_false(covey_destroy(world, entity(block * COVEY__BLOCK_IDS, 3)));
        assert_null(covey_pool_add(pool, entity(block * COVEY__BLOCK_IDS, 3), Blocked, { 1, 2 }));
        assert_failed(COVEY_ERROR_DEAD);
    }
    assert_false(covey_destroy(world, entity(UINT32_MAX, 3)));
    assert_null(covey_pool_add(pool, entity(UINT32_MAX, 3), Blocked, { 1, 2 }));
    assert_failed(COVEY_ERROR_DEAD);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

static covey_entity create_row(uint32_t i) {
    covey_entity made = covey_create_with(world, covey_with(Blocked, { i, i + 1 }), covey_with(Packed, { i, i + 2 }),
                                          covey_with_tag(Label));
    assert_true(valid());
    assert_true(covey_has(world, made, Label));
    assert_int_equal(covey_get(world, made, Blocked)->check, i + 1);
    assert_int_equal(covey_get(world, made, Packed)->check, i + 2);
    return made;
}

static bool creates_rows(void) {
    return (world->row.inlined == 3 && world->row.moves == world->moves) || COVEY_PAGE_SIZE < COVEY__BLOCK_IDS;
}

static uint32_t told;
static void tell(const covey_event *event, void *context) {
    (void)context;
    told += event->count;
}
static covey_connection connection;
static void connect(const covey_type *type, covey_signal signal) {
    told = 0;
    connection = covey_connect(world, &(covey_listener){ .type = type, .signals = signal, .call = tell });
    assert_true(covey_connected(world, connection));
}

static void do_nothing(void) {}
static void compact_all(void) { covey_compact(world); }
static void shrink_all(void) { covey_shrink(world); }
static void clear_blocked(void) { covey_clear(world, Blocked); }
static void clear_packed(void) { covey_clear(world, Packed); }
static void convert_blocked(void) {
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Blocked), COVEY_STORAGE_SPARSE), COVEY_OK);
}
static void convert_back(void) {
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Blocked), COVEY_STORAGE_BLOCK), COVEY_OK);
}
static void reserve_range(void) { assert_int_equal(covey_range_reserve(world, 900, 10).count, 10); }
static void hear_packed(void) { connect(covey_id(Packed), COVEY_ON_ADD); }
static void hear_entities(void) { connect(NULL, COVEY_ON_CREATE); }
static void hear_nothing(void) {
    assert_int_equal(told, 11);
    assert_true(covey_disconnect(world, connection));
}
static void create_others(void) {
    for (uint32_t i = 0; i < 30; i++) covey_create_with(world, covey_with(Packed, { i, i }), covey_with_tag(Label));
}
static void create_singly(void) {
    assert_non_null(covey_add(world, covey_create_for(world, Blocked, Packed, Label), Packed, { 1, 2 }));
}

static void test_rows_end_with_what_they_rely_on(void **state) {
    (void)state;
    void (*const changes[])(void) = { do_nothing,      compact_all,  shrink_all,    clear_blocked, clear_packed,
                                      convert_blocked, convert_back, reserve_range, hear_packed,   hear_nothing,
                                      hear_entities,   hear_nothing, create_others, create_singly, do_nothing };
    covey_entity made[10];
    for (uint32_t i = 0; i < 40; i++) create_row(i);
    assert_true(creates_rows());
    for (uint32_t k = 0; k < COUNT_OF(changes); k++) {
        changes[k]();
        assert_true(valid());
        for (uint32_t i = 0; i < COUNT_OF(made); i++) made[i] = create_row(i);
        assert_true(covey_destroy(world, made[3]) && covey_destroy(world, made[9]));
        assert_true(valid());
        covey_entity again = create_row(k); /* the lowest free index of the kind, which may be in an earlier word */
        assert_true(again.index <= made[3].index);
    }
    assert_true(creates_rows());
}

static void test_lists_that_are_no_rows_are_not_taken_for_one(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 40; i++) create_row(i);
    Packed many[2] = { { 1, 2 }, { 3, 4 } };
    uint32_t before = covey_entity_count(world);
    assert_no_entity(covey_create_with(world, covey_with(Blocked, { 1, 2 }),
                                       { .type = covey_id(Packed), .values = many, .count = 2, .size = sizeof *many },
                                       covey_with_tag(Label)));
    assert_failed(COVEY_ERROR_RANGE);
    assert_int_equal(covey_entity_count(world), before);
    covey_entity copied = covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with_copies(Packed, &many[1]),
                                            covey_with_tag(Label));
    assert_int_equal(covey_get(world, copied, Packed)->check, 4);
    covey_entity blank = covey_create_with(world, covey_with_default(Blocked),
                                           { .type = covey_id(Packed), .values = many }, covey_with_tag(Label));
    assert_int_equal(covey_get(world, blank, Blocked)->check, 0);
    assert_int_equal(covey_get(world, blank, Packed)->check, 2);
    assert_true(valid());
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_the_validator_sees_wrong_shortcuts(void **state) {
    (void)state;
    fill(covey_id(Blocked));
    covey_pool *pool = covey_pool_of(world, Blocked), *sparse = covey_pool_of(world, Packed);
    for (uint32_t i = 0; i < 3; i++) covey_destroy(world, e[i]);
    covey__filling *filling = &pool->filling;
    covey__emptying *emptying = &world->emptying;
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS) {
        assert_int_equal(filling->block, COVEY__NO_BLOCK);
        assert_int_equal(emptying->block, COVEY__NO_BLOCK);
        return;
    }
    uint64_t *mask = filling->mask - 1;
    BREAK(uint32_t, filling->block, 2, "filling: the parts of another block");
    BREAK(uint32_t, filling->block, 4, "filling: a block that is not direct, or empty");
    BREAK(uint32_t, filling->block, 1000, "filling: a block that does not exist");
    BREAK(uint32_t, sparse->filling.block, 0, "filling: a block that does not exist");
    BREAK(uint64_t *, filling->mask, mask, "filling: the parts of another block");
    BREAK(char *, filling->data, filling->data + 8, "filling: the parts of another block");
    BREAK(const uint32_t *, filling->generations, filling->generations + 1, "filling: the entities of another block");
    BREAK(uint32_t, emptying->count, 0, "emptying: a pool is missing");
    BREAK(uint32_t, emptying->count, 2, "emptying: a pool that has nothing there");
    BREAK(covey_pool *, emptying->pools[0], sparse, "emptying: a pool is missing");
    BREAK(uint64_t *, emptying->masks[0], mask, "emptying: the mask of another block");
    BREAK(bool, pool->plain, false, "emptying: a pool that is not plain");
    covey__emission emission = { 0 };
    BREAK(covey__emission *, world->inner->emission, &emission, "emptying: a listener is not told");
    BREAK(covey__entity_page *, emptying->page, NULL, "emptying: the entities of another block");
    for (uint32_t i = 0; i < 40; i++) create_row(i);
    covey__row *row = &world->row;
    BREAK(uint32_t, row->count, 2, "row: indices of another kind");
    BREAK(uint32_t, row->first, row->first + 64, "row: indices of another kind");
    BREAK(uint64_t *, row->free, row->free + 1, "row: the indices of another word");
    BREAK(uint64_t *, row->columns[0].mask, row->columns[0].mask + 1, "row: the parts of another block");
    BREAK(char *, row->columns[0].data, row->columns[0].data + 8, "row: the parts of another block");
    BREAK(uint64_t *, row->columns[0].mask, NULL, "row: the place of another storage");
    BREAK(covey__slot *, row->columns[1].slots, row->columns[1].slots + 1, "row: the slots of other entities");
    BREAK(covey_pool *, row->columns[1].pool, pool, "row: the pool of another type");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SHORTCUT_TEST(test_the_block_that_is_filled_takes_only_what_may_be_added),
        SHORTCUT_TEST(test_a_block_is_no_longer_filled_when_it_moves),
        SHORTCUT_TEST(test_every_entity_is_destroyed_once),
        SHORTCUT_TEST(test_what_changes_in_between_is_seen),
        SHORTCUT_TEST(test_the_last_life_and_reserved_ranges),
        SHORTCUT_TEST(test_a_range_that_is_reserved_in_the_block_that_is_emptied),
        SHORTCUT_TEST(test_no_index_is_mistaken_for_a_missing_block),
        SHORTCUT_TEST(test_rows_end_with_what_they_rely_on),
        SHORTCUT_TEST(test_lists_that_are_no_rows_are_not_taken_for_one),
        SHORTCUT_TEST(test_the_validator_sees_wrong_shortcuts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
