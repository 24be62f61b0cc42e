/* The validators: each invariant is broken on purpose, has to be named, and is restored. */
#include "change/kind.h"
#include "memory/inner.h"
#include "fixture.h"

static covey_entity held[8];

/* Entities 0 to 7, where 2, 3 and 5 are dead, and a range with one alive and one free. Entity 0 has every component,
 * the pools with holes have holes, swap only has one dead element. */
static int broken_setup(void **state) {
    if (world_setup(state) != 0) return -1;
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        held[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(policy_types); k++) add_value(held[i], policy_types[k], i);
    }
    assert_true(covey_add_tag(world, held[0], Marked));
    covey_range range = covey_range_reserve(world, 20, 5);
    covey_create_in(world, range);
    covey_destroy(world, covey_create_in(world, range));
    covey_destroy(world, held[5]);
    covey_destroy(world, held[2]);
    covey_destroy(world, held[3]);
    test_world_is_valid(world);
    return 0;
}
#define BROKEN_TEST(test) cmocka_unit_test_setup_teardown(test, broken_setup, world_teardown)

static covey_sparse_set *set_of(const covey_type *type) { return &covey_pool_find_raw(world, type)->sparse_set; }

static void test_a_valid_world_is_valid(void **state) {
    (void)state;
    const char *why = "untouched";
    assert_true(covey_world_validate(world, &why));
    assert_string_equal(why, "untouched");
    assert_true(covey_world_validate(world, NULL));
}

static void test_nothing_is_not_valid(void **state) {
    (void)state;
    const char *why = NULL;
    assert_false(covey_world_validate(NULL, &why));
    assert_string_equal(why, "world: NULL");
    assert_false(covey_sparse_set_validate(NULL, &why));
    assert_string_equal(why, "set: NULL");
    assert_false(covey_world_validate(NULL, NULL));
}

static void test_the_shape_of_a_set(void **state) {
    (void)state;
    covey_sparse_set *packed = set_of(covey_id(Packed)), *fixed = set_of(covey_id(Fixed)),
                     *tag = set_of(covey_id(Marked)), *ordered = set_of(covey_id(Ordered));
    BREAK(uint8_t, packed->policy, 4, "set: unknown policy");
    BREAK(uint32_t, fixed->holes, fixed->end + 1, "set: more holes than positions");
    BREAK(uint32_t, packed->holes, 1, "set: a hole under a policy that makes none");
    BREAK(uint32_t, packed->dead, 1, "set: dead elements under a policy that keeps none");
    BREAK(uint32_t, packed->hole, 0, "set: a free list under a policy without one");
    BREAK(uint64_t *, packed->marks, ordered->marks, "set: marks under a policy without them");
    BREAK(uint32_t, ordered->mark_capacity, 0, "set: more positions than marks");
    BREAK(uint32_t, packed->id_capacity, packed->end - 1, "set: more positions than capacity for ids");
    BREAK(uint32_t, packed->data_capacity, packed->end - 1, "set: more positions than capacity for values");
    BREAK(uint32_t, packed->room, packed->id_capacity + 1, "set: room beyond the capacity");
    BREAK(void *, tag->data, NULL, "set: a set of ids has no address for its values");
}

static void test_positions_and_slots_agree(void **state) {
    (void)state;
    covey_sparse_set *packed = set_of(covey_id(Packed)), *fixed = set_of(covey_id(Fixed)),
                     *kept = set_of(covey_id(Kept)), *ordered = set_of(covey_id(Ordered));
    break_id(&packed->ids[1], entity(COVEY_NONE, packed->ids[1].generation), "set: an id that cannot exist");
    break_id(&packed->ids[1], entity(packed->ids[1].index, 0), "set: the number of holes is wrong");
    break_id(&kept->ids[kept->end], entity(kept->ids[kept->end].index, 0), "set: an id that cannot exist");
    break_id(&packed->ids[1], entity(COVEY_NONE - 1, packed->ids[1].generation), "set: an element without a page");
    break_id(&packed->ids[1], entity(packed->ids[0].index, packed->ids[1].generation),
             "set: a slot does not match its element");
    break_id(&packed->ids[1], entity(packed->ids[1].index, 3), "set: a slot does not match its element");
    covey__slot *slot = covey__slot_of(packed, packed->ids[1].index);
    BREAK(covey__slot, *slot, COVEY__SLOT_NULL, "set: a slot does not match its element");
    BREAK(covey__slot, *slot, *slot + 1, "set: a slot does not match its element");
    BREAK(uint32_t, fixed->holes, fixed->holes - 1, "set: the number of holes is wrong");
    BREAK(uint64_t, ordered->marks[0], ordered->marks[0] | 1, "set: the number of holes is wrong");
    BREAK(uint64_t, ordered->marks[0], ordered->marks[0] | (uint64_t)1 << 60, "set: a mark behind the last element");
    covey__slot *absent = covey__slot_of(packed, held[2].index);
    BREAK(covey__slot, *absent, COVEY__SLOT(COVEY_NONE, 1), "set: a slot is neither absent nor in use");
    BREAK(covey__slot, *absent, COVEY__SLOT(0, 0), "set: a slot is neither absent nor in use");
    BREAK(covey__slot, *absent, COVEY__SLOT(0, 1), "set: more slots than elements");
}

static void test_the_list_of_holes(void **state) {
    (void)state;
    covey_sparse_set *fixed = set_of(covey_id(Fixed));
    uint32_t first = fixed->hole, second = fixed->ids[first].index;
    assert_int_equal(fixed->holes, 3);
    BREAK(uint32_t, fixed->hole, 0, "set: the free list leads to an element");
    BREAK(uint32_t, fixed->hole, fixed->end, "set: the free list leads to an element");
    break_id(&fixed->ids[second], entity(first, fixed->ids[second].generation),
             "set: the free list is longer than the number of holes");
    BREAK(uint32_t, fixed->hole, second, "set: a hole is not in the free list");
    BREAK(uint32_t, fixed->hole, COVEY_NONE, "set: a hole is not in the free list");
}

static void test_pools(void **state) {
    (void)state;
    covey_pool *packed = covey_pool_of(world, Packed);
    BREAK(covey_world *, packed->world, NULL, "pool: it belongs to another world");
    BREAK(uint32_t, packed->sparse_set.size, 4, "pool: the size of its values is not that of its type");
    BREAK(uint32_t, packed->block_store.count, 1, "pool: the unused storage is not empty");
    BREAK(size_t, packed->sparse_set.heap.bytes, 0, "pool: bytes that are not accounted for");
}

static void test_a_component_of_a_dead_entity(void **state) {
    (void)state;
    covey_entity e = covey_create_at(world, 30);
    assert_true(covey_add_tag(world, e, Marked));
    uint32_t *generation = &world->pages[30 / COVEY_PAGE_SIZE]->generation[30 % COVEY_PAGE_SIZE];
    *generation = COVEY_GENERATION_MAX; /* alive, but another one */
    assert_reason("pool: a dead entity has a component");
    *generation = e.generation;
}

static uint32_t *generation_of(uint32_t index) {
    return &world->pages[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE];
}
/* The words with the bits of an index. */
static uint64_t *free_of(uint32_t index) {
    return &world->pages[index / COVEY_PAGE_SIZE]->free[index % COVEY_PAGE_SIZE / 64];
}
static uint64_t *aside_of(uint32_t index) {
    return &world->pages[index / COVEY_PAGE_SIZE]->aside[index % COVEY_PAGE_SIZE / 64];
}

/* 0 is alive; 3, 2 and 5 are free. */
static void test_the_bits_of_indices(void **state) {
    (void)state;
    BREAK(uint64_t, *free_of(0), *free_of(0) | covey__table_bit(0), "entities: an index is free and alive");
    BREAK(uint64_t, *free_of(5), *free_of(5) & ~covey__table_bit(5),
          "entities: an index has no entity and is not free");
    BREAK(uint64_t, *aside_of(0), covey__table_bit(0), "entities: an index is set aside and alive");
    BREAK(uint64_t, *aside_of(5), covey__table_bit(5), "entities: an index is set aside and free");
    BREAK(uint64_t, world->pages[0]->words, 0, "entities: a word with free indices is closed");
    BREAK(uint64_t, world->inner->open[0], 0, "entities: a page with free indices is closed");
    BREAK(uint32_t, world->inner->open_words, 0, "entities: a page with free indices is closed");
    if (COVEY_PAGE_SIZE < 64)
        BREAK(uint64_t, *free_of(0), *free_of(0) | (uint64_t)1 << 63,
              "entities: bits are set for indices outside of the page");
}

static void test_generations_and_counts_of_entities(void **state) {
    (void)state;
    BREAK(uint32_t, world->alive, world->alive - 1, "entities: world->alive is not the number of living entities");
    BREAK(uint32_t, *generation_of(0), 2, "entities: an index has no entity and is not free");
    if (COVEY_GENERATION_BITS < 32)
        BREAK(uint32_t, *generation_of(0), COVEY_GENERATION_MAX + 2u,
              "entities: a generation is larger than COVEY_GENERATION_MAX");
}

static void test_ranges(void **state) {
    (void)state;
    covey__range *all = &world->range, *reserved = &world->inner->reserved[0], saved = *all;
    all->cursor.at = reserved->cursor.at + COVEY__TABLE_WORD;
    all->cursor.issues = 0;
    assert_reason("entities: a range has passed a free index");
    *all = saved;
    BREAK(uint32_t, all->cursor.at, 1, "entities: the position of a range is outside of its indices");
    covey_entity e = covey_create(world); /* the range finds its lowest free index */
    assert_int_equal(e.index, 2);
    BREAK(uint64_t, all->cursor.issues, 1, "entities: a range issues indices of another range");
    BREAK(covey__entity_page *, all->cursor.page, NULL, "entities: a range points to the page of another word");
    BREAK(uint64_t *, all->cursor.free, NULL, "entities: a range points to the page of another word");
    BREAK(uint32_t *, all->cursor.generations, NULL, "entities: a range points to the page of another word");
}

/* Entities with Packed and Blocked, the last three of which have an extent of their own. Returns the last one. */
static covey_entity make_kind(void) {
    covey_entity e = { 0, 0 };
    for (uint32_t i = 0; i < COVEY_KIND_LEAST + 3; i++)
        e = covey_create_with(world, covey_with(Packed, { 1, 2 }), covey_with(Blocked, { 3, 4 }));
    test_world_is_valid(world);
    return e;
}

static void test_extents(void **state) {
    (void)state;
    covey_entity e = make_kind();
    struct covey__kinds *kinds = world->inner->kinds;
    covey__entity_page *page = world->pages[e.index / COVEY_PAGE_SIZE];
    uint32_t word = e.index % COVEY_PAGE_SIZE / COVEY__TABLE_WORD;
    covey__extent *extent = &kinds->extents[page->extent[word] - 1];
    covey__kind *kind = kinds->at[extent->kind];
    BREAK(uint32_t, extent->kind, kinds->count, "kinds: an extent belongs to another kind");
    BREAK(uint32_t, extent->slot, 1, "kinds: an extent is not in its slot");
    BREAK(uint32_t, page->extent[word], 9, "kinds: a word belongs to an extent that does not have it");
    BREAK(uint64_t, extent->words, 0, "kinds: a word belongs to an extent that does not have it");
    BREAK(uint64_t, page->held, 0, "kinds: an extent with free indices is closed");
    if (COVEY__TABLE_WORDS > 1) BREAK(uint64_t, page->held, UINT64_MAX, "kinds: a common word is held");
    BREAK(uint64_t, kind->open[0], 0, "kinds: an extent with free indices is closed");
    covey__cursor behind = { .at = kind->cursor.at + COVEY__TABLE_WORD };
    break_world(&kind->cursor, &behind, sizeof behind, "kinds: a cursor has passed a free index");
    extent->words |= (uint64_t)1 << 63; /* which pages do not have */
    kind->word_count++;
    assert_reason("kinds: an extent without words");
    extent->words &= UINT64_MAX >> 1;
    kind->word_count--;
    BREAK(uint32_t, kind->word_count, 7, "kinds: the number of words is wrong");
    BREAK(uint32_t, kind->slot_count, 0, "kinds: a kind without extents");
    BREAK(uint64_t, kind->cursor.issues, 1, "kinds: the cursor of a kind is outside of its extents");
    BREAK(uint32_t, kind->cursor.at, 0, "kinds: the cursor of a kind is outside of its extents");
    if (COVEY__TABLE_WORDS == 1) return; /* the last word of a page is vacant */
    BREAK(uint64_t, page->vacant, 0, "kinds: a vacant word is not marked");
    BREAK(uint32_t, kinds->vacant_from, UINT32_MAX, "kinds: a vacant word is not marked");
}

static void test_kinds(void **state) {
    (void)state;
    make_kind();
    struct covey__kinds *kinds = world->inner->kinds;
    covey__kind *kind = kinds->at[0];
    BREAK(uint32_t, kind->number, 1, "kinds: a kind has the number of another one");
    BREAK(uint64_t, kind->key.hash, 1, "kinds: the hash of a kind is wrong");
    BREAK(uint32_t, kind->key.pools[1], kind->key.pools[0], "kinds: the pools of a kind are out of order");
    BREAK(uint32_t, kind->key.pools[1], world->pool_count, "kinds: the pools of a kind are out of order");
    BREAK(uint32_t, kinds->root, COVEY__NO_NODE, "kinds: the tree of kinds is out of order");
    covey__cursor cursor = kind->cursor;
    BREAK(covey__cursor *, world->recent.cursor, &cursor, "kinds: the recent kind does not exist");
    kinds->count = 0; /* a kind that is left out */
    assert_false(covey_world_validate(world, NULL));
    kinds->count = 1;
}

static covey__type_entry *entry_of(const covey_type *type) {
    for (uint32_t i = 0; i <= world->type_mask; i++)
        if (world->types[i].type == type) return &world->types[i];
    return NULL;
}

static void test_the_table_of_types(void **state) {
    (void)state;
    static const covey_type stranger = { .name = "stranger", .size = 8, .align = 4 };
    static const covey_type wide = { .name = "Packed", .size = 16, .align = 4 };
    BREAK(uint32_t, world->inner->type_count, world->inner->type_count + 1,
          "types: their number is not what was counted");
    covey_pool *packed = covey_pool_of(world, Packed);
    BREAK(covey_pool *, entry_of(covey_id(Packed))->pool, covey_pool_of(world, Fixed),
          "types: a type with another name than its pool");
    BREAK(const covey_type *, packed->type, &wide, "types: a type with another layout than its pool");
    /* An entry behind an empty one, where a search for its type does not get; and one that is in the wrong place. */
    covey__type_entry table[64] = { { 0 } }, saved = *entry_of(covey_id(Packed)), *types = world->types;
    assert_true(world->type_mask + 1 <= COUNT_OF(table));
    world->types = table;
    ptrdiff_t start = covey__type_entry_of(world, covey_id(Packed)) - table;
    table[((uint32_t)start + 1) & world->type_mask] = saved;
    assert_reason("types: a type that is not found");
    table[((uint32_t)start + 1) & world->type_mask] = (covey__type_entry){ 0 };
    *covey__type_entry_of(world, &stranger) = (covey__type_entry){ &stranger, packed };
    assert_reason("types: a type with another name than its pool");
    world->types = types;
    BREAK(uint32_t, world->pool_count, world->inner->type_count + 1, "types: the table is too full");
}

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

static void test_listeners(void **state) {
    (void)state;
    covey_listener listener = { .type = covey_id(Packed), .signals = COVEY_ON_ADD, .call = ignore };
    covey_reactive *set = covey_reactive_create(world, &(covey_reactive_desc){ .removed = { covey_id(Packed) } });
    assert_true(covey_connected(world, covey_connect(world, &listener)));
    covey_pool *tags = covey_pool_find_raw(world, covey_reactive_type(set)), *packed = covey_pool_of(world, Packed);
    int somebody = 0;
    BREAK(uint32_t, world->inner->heard, 0, "listeners: world->heard is not the number of listeners");
    BREAK(uint64_t, world->inner->connections, 0, "listeners: a connection number is larger than the last one issued");
    BREAK(void *, world->dying, &somebody, "entities: world->dying is set, but no emission is active");
    BREAK(uint8_t, tags->uses, COVEY__USE_INTERNAL, "block: wrongly marked as direct, or not marked");
    BREAK(uint8_t, tags->block_store.pages[0]->capacity[0], COVEY__BLOCK_IDS,
          "reactive set: a block is not prepared for marks");
    BREAK(uint64_t, tags->block_store.pages[0]->summary, 2, "reactive set: the summary is wrong");
    BREAK(uint32_t, tags->block_store.count, 9, "reactive set: the number of marks is wrong");
    BREAK(size_t, tags->block_store.heap.bytes, 1, "reactive set: bytes that are not accounted for");
    BREAK(uint32_t, tags->size, 4, "pool: the size of its values is not that of its type");
    BREAK(struct covey__observers *, packed->observers, NULL, "world: bytes that are not accounted for");
    uint32_t near = world->inner->presence_count;
    world->inner->presence_count = 0;
    assert_false(covey_world_validate(world, NULL)); /* no place for a mark */
    world->inner->presence_count = near;
    covey_reactive_destroy(set);
}

static void test_a_set_on_its_own(void **state) {
    (void)state;
    const char *why = NULL;
    covey_sparse_set_desc desc = { .size = 8, .align = 8, .allocator = test_allocator(&heap) };
    covey_sparse_set *set = covey_sparse_set_create(&desc);
    assert_int_equal(covey_sparse_set_push(set, entity(1, 1), NULL), COVEY_OK);
    assert_true(covey_sparse_set_validate(set, &why));
    set->heap.bytes++;
    assert_false(covey_sparse_set_validate(set, &why));
    assert_string_equal(why, "set: bytes that are not accounted for");
    assert_false(covey_sparse_set_validate(set, NULL));
    set->heap.bytes--;
    covey_sparse_set_destroy(set);
}

static void test_the_most_careful_assertions_validate_the_whole_world(void **state) {
    (void)state;
    uint32_t alive = world->alive;
    world->alive = 0;
    expect_assert_failure(covey__changed(world));
    world->alive = alive;
    covey__changed(world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        BROKEN_TEST(test_a_valid_world_is_valid),
        BROKEN_TEST(test_nothing_is_not_valid),
        BROKEN_TEST(test_the_shape_of_a_set),
        BROKEN_TEST(test_positions_and_slots_agree),
        BROKEN_TEST(test_the_list_of_holes),
        BROKEN_TEST(test_pools),
        BROKEN_TEST(test_a_component_of_a_dead_entity),
        BROKEN_TEST(test_the_bits_of_indices),
        BROKEN_TEST(test_generations_and_counts_of_entities),
        BROKEN_TEST(test_ranges),
        BROKEN_TEST(test_extents),
        BROKEN_TEST(test_kinds),
        BROKEN_TEST(test_the_table_of_types),
        BROKEN_TEST(test_listeners),
        BROKEN_TEST(test_a_set_on_its_own),
        BROKEN_TEST(test_the_most_careful_assertions_validate_the_whole_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
