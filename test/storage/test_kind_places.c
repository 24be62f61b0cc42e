/* Kinds that take turns: what each of them remembers of the block in which its next entity is created. Only the time of
 * a call may show it. The validator checks it after every call. */
#include "change/kind.h"
#include "storage/block_store.h"
#include "fixture.h"

typedef Value Wide;
COVEY_COMPONENT_DEFINE(Wide);
COVEY_TAG_DEFINE(Label);

enum { KINDS = 3, TURNS = 100 };

static bool valid(void) { return covey_world_validate(world, &(const char *){ NULL }); }

static covey_entity create(uint32_t i) {
    if (i % KINDS == 0) return covey_create_with(world, covey_with(Blocked, { i, i + 1 }), covey_with_tag(Label));
    if (i % KINDS == 2) return covey_create_with(world, covey_with(Wide, { i, i + 2 }));
    return covey_create_with(world, covey_with(Wide, { i, i + 2 }), covey_with(Blocked, { i, i + 1 }));
}

static void assert_created(covey_entity made, uint32_t i) {
    assert_true(covey_alive(world, made));
    assert_int_equal(covey_has(world, made, Label), i % KINDS == 0);
    assert_int_equal(covey_has(world, made, Blocked), i % KINDS != 2);
    assert_int_equal(covey_has(world, made, Wide), i % KINDS != 0);
    if (i % KINDS != 2) assert_int_equal(covey_get(world, made, Blocked)->check, i + 1);
    if (i % KINDS != 0) assert_int_equal(covey_get(world, made, Wide)->check, i + 2);
}

/* Returns the last one. */
static covey_entity take_turns(uint32_t count) {
    covey_entity made = { 0, 0 };
    for (uint32_t i = 0; i < count; i++) {
        made = create(i);
        assert_created(made, i);
        assert_true(valid());
    }
    return made;
}

static covey__kind *kind_of(covey_entity e) {
    const covey__entity_page *page = world->pages[e.index / COVEY_PAGE_SIZE];
    const struct covey__kinds *kinds = world->inner->kinds;
    return kinds->at[kinds->extents[page->extent[e.index % COVEY_PAGE_SIZE / 64] - 1].kind];
}

/* Whether the kind of an entity knows where it creates the next one; small pages have no direct blocks. */
static bool is_placed(covey_entity e) {
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS) return true;
    const covey__kind_places *places = kind_of(e)->places;
    return places && places->count != COVEY_NONE && places->moves == world->moves;
}

static void test_each_kind_knows_its_block(void **state) {
    (void)state;
    take_turns(KINDS * TURNS);
    for (uint32_t i = 0; i < KINDS; i++) {
        covey_entity made = create(i);
        assert_true(is_placed(made));
        assert_created(made, i);
    }
}

/* Loops over full blocks read no masks. */
static void test_blocks_that_are_filled_in_turn_are_full(void **state) {
    (void)state;
    covey_entity made = take_turns(KINDS * 2 * TURNS);
    const covey__block_store *blocks = &covey_pool_of(world, Wide)->block_store;
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS) return;
    uint32_t index = made.index, block = index / COVEY__BLOCK_IDS - 1;
    const covey__block_page *page = covey__block_page_of(blocks, block * COVEY__BLOCK_IDS);
    assert_true(page->masks[block] == UINT64_MAX && (page->full >> block & 1) != 0);
}

/* ---- What changes in between --------------------------------------------------------------------------------------*/

static uint32_t told;
static void tell(const covey_event *event, void *context) {
    (void)context;
    told += event->count;
}
static covey_connection connection;
static void hear(const covey_type *type, covey_signal signal) {
    told = 0;
    connection = covey_connect(world, &(covey_listener){ .type = type, .signals = signal, .call = tell });
    assert_true(covey_connected(world, connection));
}
static void hear_wide(void) { hear(covey_id(Wide), COVEY_ON_ADD); }
static void hear_entities(void) { hear(NULL, COVEY_ON_CREATE); }
static void hear_twenty(void) {
    assert_int_equal(told, 20);
    assert_true(covey_disconnect(world, connection));
}
static void hear_thirty(void) {
    assert_int_equal(told, 30);
    assert_true(covey_disconnect(world, connection));
}
static void compact_all(void) { covey_compact(world); }
static void shrink_all(void) { covey_shrink(world); }
static void clear_blocked(void) { covey_clear(world, Blocked); }
static void convert_wide(void) {
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Wide), COVEY_STORAGE_SPARSE), COVEY_OK);
}
static void convert_back(void) {
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Wide), COVEY_STORAGE_BLOCK), COVEY_OK);
}
static covey_group *group;
static void own_both(void) {
    group = covey_group_create(world, &(covey_group_desc){ .own = { covey_ids(Wide, Blocked) } });
    assert_non_null(group);
}
static void own_none(void) { covey_group_destroy(group); }
static void reserve_range(void) { assert_int_equal(covey_range_reserve(world, 900, 10).count, 10); }
static void create_many(void) {
    covey_entity many[TURNS];
    assert_true(covey_create_many_with(world, many, TURNS, covey_with_default(Wide)));
}
static void destroy_all(void) { covey_destroy_all(world); }
static void destroy_some(void) {
    for (uint32_t i = 0; i < 3000; i += 7) covey_destroy(world, covey_entity_at(world, i));
}

static void test_what_changes_in_between_is_seen(void **state) {
    (void)state;
    void (*const changes[])(void) = { create_many,  compact_all,   shrink_all,   clear_blocked, hear_wide,
                                      hear_twenty,  hear_entities, hear_thirty,  convert_wide,  convert_back,
                                      own_both,     own_none,      destroy_some, compact_all,   reserve_range,
                                      destroy_some, destroy_all,   shrink_all };
    take_turns(KINDS * TURNS);
    for (uint32_t k = 0; k < COUNT_OF(changes); k++) {
        changes[k]();
        assert_true(valid());
        take_turns(30);
    }
    assert_true(is_placed(take_turns(KINDS * TURNS)));
}

/* ---- Other lists --------------------------------------------------------------------------------------------------*/

static void test_lists_that_take_more_are_seen(void **state) {
    (void)state;
    Wide many[2] = { { 1, 2 }, { 3, 4 } };
    take_turns(KINDS * TURNS);
    uint32_t before = covey_entity_count(world);
    assert_no_entity(covey_create_with(world,
                                       { .type = covey_id(Wide), .values = many, .count = 2, .size = sizeof *many },
                                       covey_with(Blocked, { 1, 2 })));
    assert_failed(COVEY_ERROR_RANGE);
    assert_no_entity(covey_create_with(world, covey_with(Wide, { 1, 2 }), covey_with(Wide, { 1, 2 })));
    assert_int_equal(covey_entity_count(world), before);
    take_turns(KINDS);
    covey_entity copied = covey_create_with(world, covey_with_copies(Wide, &many[1]), covey_with(Blocked, { 1, 2 }));
    assert_int_equal(covey_get(world, copied, Wide)->check, 4);
    take_turns(KINDS);
    covey_entity blank = covey_create_with(world, covey_with_default(Wide), covey_with(Blocked, { 1, 2 }));
    assert_int_equal(covey_get(world, blank, Wide)->check, 0);
    take_turns(KINDS);
    covey_entity turned = covey_create_with(world, covey_with(Blocked, { 5, 6 }), covey_with(Wide, { 7, 8 }));
    assert_int_equal(covey_get(world, turned, Blocked)->check, 6);
    assert_int_equal(covey_get(world, turned, Wide)->check, 8);
    take_turns(KINDS);
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_the_validator_sees_wrong_places(void **state) {
    (void)state;
    covey_entity made = take_turns(KINDS * TURNS);
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS) return;
    covey__kind_places *places = kind_of(made)->places;
    BREAK(uint64_t *, places->at[0].mask, places->at[0].mask + 1, "places: another block");
    BREAK(char *, places->at[0].data, places->at[0].data + 8, "places: another block");
    BREAK(uint16_t, world->inner->kinds->listed[0], UINT16_MAX, "kinds: a list leads to a kind that there never was");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_each_kind_knows_its_block),       WORLD_TEST(test_blocks_that_are_filled_in_turn_are_full),
        WORLD_TEST(test_what_changes_in_between_is_seen), WORLD_TEST(test_lists_that_take_more_are_seen),
        WORLD_TEST(test_the_validator_sees_wrong_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
