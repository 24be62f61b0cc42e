/* Blocks: the storage that keeps components in the order of indices, in chunks of up to 64. */
#include "fixture.h"

typedef struct Twelve {
    uint32_t number, check, sum;
} Twelve;
typedef struct Byte {
    uint8_t number;
} Byte;
typedef struct Aligned {
    _Alignas(64) uint32_t number;
} Aligned;
typedef struct Colour {
    uint8_t part[3];
} Colour;
typedef Value Wiped;
typedef Value Owned;
COVEY_COMPONENT_DEFINE(Twelve, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(Byte, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(Colour, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(Aligned, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(Wiped, .storage = COVEY_STORAGE_BLOCK, .zero_erased = true);
COVEY_TAG_DEFINE(Label, .storage = COVEY_STORAGE_BLOCK);

/* How often the value with each number was dropped. */
static uint32_t drops[300];
static void count_drop(void *value, void *context) {
    const Value *dropped = value;
    assert_ptr_equal(context, drops);
    assert_true(dropped->number < COUNT_OF(drops) && dropped->check == ~dropped->number);
    drops[dropped->number]++;
}
COVEY_COMPONENT_DEFINE(Owned, .storage = COVEY_STORAGE_BLOCK, .drop = count_drop, .context = drops);

static int drop_setup(void **state) {
    memset(drops, 0, sizeof drops);
    return world_setup(state);
}

/* ---- The memory that is expected ----------------------------------------------------------------------------------*/

#define PAGE sizeof(covey__block_page)

static size_t aligned_chunk(size_t capacity, size_t size, size_t align) {
    return (capacity * (size + 1) + COVEY__BLOCK_IDS + align - 1) / align * align;
}
/* Of a type that is aligned to four bytes or less: capacities are multiples of four. */
static size_t compact_chunk(size_t capacity, size_t size) { return capacity * (size + 1) + COVEY__BLOCK_IDS; }
static size_t direct_chunk(size_t size) { return COVEY__BLOCK_IDS * size; }
static size_t directory(size_t pages) { return pages * sizeof(void *); }

/* What the components take: without the pool itself. */
static size_t bytes_of(const covey_type *type) {
    return covey_pool_memory(covey_pool_find_raw(world, type)) - sizeof(covey_pool);
}

static size_t slabs(size_t count) { return count * (48 + sizeof(void *)); }

/* What the chunks take: without their slabs, and without the directory, which grows ahead, and its pages. */
static size_t chunk_bytes_of(const covey_type *type) {
    const covey__block_store *blocks = &covey_pool_find_raw(world, type)->block_store;
    size_t pages = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) pages += blocks->pages[i]->summary != 0;
    return bytes_of(type) - pages * PAGE - directory(blocks->page_count) - slabs(blocks->slab_count) -
           (blocks->align > 16 ? 16 * blocks->slab_count : 0);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

static void test_components_are_met_in_the_order_of_indices(void **state) {
    (void)state;
    enum { COUNT = 200 };
    covey_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    for (uint32_t i = 0; i < COUNT; i++) add_value(e[i * 77 % COUNT], covey_id(Blocked), i * 77 % COUNT);
    covey_pool *pool = covey_pool_of(world, Blocked);
    for (uint32_t round = 0; round < 2; round++) {
        uint32_t at = covey_pool_next(pool, 0);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (round == 1 && i % 3 == 0) continue;
            assert_int_equal(at, i);
            assert_same(covey_pool_at(pool, at), e[i]);
            assert_int_equal(covey_pool_value_at(pool, at, Blocked)->number, i);
            at = covey_pool_next(pool, at + 1);
        }
        assert_int_equal(at, COVEY_NONE);
        for (uint32_t i = 0; i < COUNT; i += 3) covey_remove(world, e[i], Blocked);
    }
    assert_int_equal(covey_pool_count(pool), COUNT - 67);
}

static void test_the_walk_finds_the_only_component_from_everywhere_below(void **state) {
    (void)state;
    const uint32_t places[] = { 0, 1, 63, 64, 65, 127, 128, 500, 1000 };
    covey_pool *pool = covey_pool_of(world, Blocked);
    for (uint32_t i = 0; i < COUNT_OF(places); i++) {
        covey_entity e = covey_create_at(world, places[i]);
        add_value(e, covey_id(Blocked), i);
        for (uint32_t from = 0; from < 1023; from++)
            assert_int_equal(covey_pool_next(pool, from), from <= places[i] ? places[i] : COVEY_NONE);
        covey_remove(world, e, Blocked);
    }
}

static void test_the_walk_crosses_pages_that_are_missing_or_empty(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS < 20) skip();
    const uint32_t places[] = { 5, 4095, 4096, 8191, 5 * 4096 + 63 * 64 + 63, 9 * 4096 };
    covey_pool *pool = covey_pool_of(world, Blocked);
    for (uint32_t i = 0; i < COUNT_OF(places); i++) add_value(covey_create_at(world, places[i]), covey_id(Blocked), i);
    covey_entity between = covey_create_at(world, 7 * 4096 + 9);
    add_value(between, covey_id(Blocked), 99);
    covey_remove(world, between, Blocked); /* a page without anything */
    uint32_t at = 0, from = 0;
    for (uint32_t i = 0; i < COUNT_OF(places); i++, from = at + 1) {
        at = covey_pool_next(pool, from);
        assert_int_equal(at, places[i]);
        assert_int_equal(covey_pool_value_at(pool, at, Blocked)->number, i);
    }
    assert_int_equal(covey_pool_next(pool, from), COVEY_NONE);
}

static void test_the_highest_index_is_met_and_nothing_behind_it(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    add_value(covey_create_at(world, COVEY_NONE - 1), covey_id(Blocked), 1);
    assert_int_equal(covey_pool_next(pool, 0), COVEY_NONE - 1);
    assert_int_equal(covey_pool_next(pool, COVEY_NONE), COVEY_NONE);
    assert_int_equal(covey_pool_next(pool, UINT32_MAX), COVEY_NONE);
    covey_clear(world, Blocked);
    add_value(covey_create_at(world, 3), covey_id(Blocked), 1);
    assert_int_equal(covey_pool_next(pool, COVEY_NONE - 1), COVEY_NONE); /* not from the start again */
    assert_int_equal(covey_pool_next(pool, 4), COVEY_NONE);
}

static void test_find_and_first_follow_the_order_of_indices(void **state) {
    (void)state;
    covey_entity e[100];
    Blocked seven = value_of(7), eight = value_of(8);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t i = COUNT_OF(e); i-- != 10;) add_value(e[i], covey_id(Blocked), 7);
    add_value(e[70], covey_id(Wiped), 0);
    assert_same(covey_first(world, Blocked), e[10]);
    assert_same(covey_find(world, Blocked, &seven, NULL), e[10]);
    covey_remove(world, e[10], Blocked);
    assert_same(covey_first(world, Blocked), e[11]);
    covey_set(world, e[99], Blocked, { 8, ~8u });
    covey_set(world, e[66], Blocked, { 8, ~8u });
    assert_same(covey_find(world, Blocked, &eight, NULL), e[66]);
    assert_same(covey_first(world, Wiped), e[70]);
    assert_true(covey_add_tag(world, e[80], Label) && covey_add_tag(world, e[5], Label));
    assert_same(covey_first(world, Label), e[5]);
}

static void test_a_block_pool_has_no_arrays(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1), f = create_with(covey_id(Blocked), 2);
    covey_pool *pool = covey_pool_of(world, Blocked);
    assert_int_equal((covey_pool_position_count)(pool), 0);
    assert_int_equal(covey_pool_count(pool), 2);
    assert_null((covey_pool_ids)(pool));
    assert_null((covey_pool_values_raw)(pool));
    assert_null((covey_pool_page_raw)(pool, 0));
    uint64_t before = world_digest(world);
    assert_int_equal(covey_pool_swap(pool, e, f), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_swap(pool, e, entity(0, 0)), COVEY_ERROR_REFUSED);
    assert_int_equal(world_digest(world), before);
}

static void test_reserving_does_nothing(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    size_t before = covey_pool_memory(pool);
    test_fail_at(&heap, 1, true);
    assert_int_equal(covey_pool_reserve(pool, 1000), COVEY_OK);
    assert_int_equal(covey_pool_reserve(pool, COVEY_NONE), COVEY_OK);
    test_fail_never(&heap);
    assert_int_equal(covey_pool_memory(pool), before);
    if (COVEY_NONE != UINT32_MAX) assert_int_equal(covey_pool_reserve(pool, COVEY_NONE + 1u), COVEY_ERROR_RANGE);
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void test_blocks_with_a_policy_are_no_type(void **state) {
    (void)state;
    covey_type type = { .name = "Odd", .size = 4, .align = 4, .storage = COVEY_STORAGE_BLOCK };
    for (covey_policy policy = COVEY_IN_PLACE; policy <= COVEY_ORDERED; policy++) {
        type.policy = policy;
        assert_null(covey_type_create(world, &type));
        assert_failed(COVEY_ERROR_TYPE);
        assert_null(covey_pool_of_raw(world, &type));
    }
    type.policy = COVEY_SWAP_AND_POP;
    type.storage = (covey_storage)(COVEY_STORAGE_PINNED + 1);
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_TYPE);
    type.storage = COVEY_STORAGE_BLOCK;
    assert_non_null(covey_type_create(world, &type));
}

static void test_another_storage_is_another_layout(void **state) {
    (void)state;
    static const covey_type sparse = {
        .name = "Blocked", .size = sizeof(Value), .align = _Alignof(Value), .storage = COVEY_STORAGE_SPARSE
    };
    covey_type type = { .name = "Blocked", .size = sizeof(Value), .align = _Alignof(Value) };
    covey_pool *pool = covey_pool_of(world, Blocked);
    assert_null(covey_pool_of_raw(world, &sparse));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(covey_type_create(world, &sparse));
    assert_ptr_equal(covey_type_create(world, &type), covey_pool_type(pool)); /* the default */
    type.storage = COVEY_STORAGE_BLOCK;                                       /* the same by its name */
    assert_ptr_equal(covey_type_create(world, &type), covey_pool_type(pool));
    type.name = "Packed";
    assert_non_null(covey_pool_of(world, Packed));
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_LAYOUT);
    type.storage = COVEY_STORAGE_DEFAULT;
    assert_null(covey_type_create(world, &type));
    type.storage = COVEY_STORAGE_SPARSE;
    assert_ptr_equal(covey_type_create(world, &type), covey_id(Packed));
    type.name = "Ordered";
    type.policy = COVEY_ORDERED; /* which says sparse, whether or not the storage does */
    assert_non_null(covey_pool_of(world, Ordered));
    assert_ptr_equal(covey_type_create(world, &type), covey_id(Ordered));
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static void test_values_survive_the_growth_of_their_block(void **state) {
    (void)state;
    covey_entity e[130];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        uint32_t at = i * 37 % COUNT_OF(e);
        assert_non_null(covey_add(world, e[at], Twelve, { at, ~at, at + 1 }));
        assert_non_null(covey_add(world, e[at], Byte, { (uint8_t)at }));
        for (uint32_t k = 0; k <= i; k++) {
            uint32_t old = k * 37 % COUNT_OF(e);
            const Twelve *value = covey_get(world, e[old], Twelve);
            assert_true(value->number == old && value->check == ~old && value->sum == old + 1);
            assert_int_equal(covey_get(world, e[old], Byte)->number, old);
        }
        test_world_is_valid(world);
    }
}

static void test_values_survive_removals_and_compaction_of_their_block(void **state) {
    (void)state;
    covey_entity e[COVEY__BLOCK_IDS];
    bool there[COVEY__BLOCK_IDS] = { false };
    test_random random = { 3 };
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t step = 0; step < 4000; step++) {
        uint32_t i = test_below(&random, COVEY__BLOCK_IDS), many = step / 500 % 2 ? 5 : 1;
        bool add = test_below(&random, 6) < many;
        if (add && !there[i]) there[i] = covey_add(world, e[i], Twelve, { i, ~i, i + 1 }) != NULL;
        else if (!add && there[i]) there[i] = !covey_remove(world, e[i], Twelve);
        if (test_below(&random, 20) == 0) covey_compact(world);
        for (uint32_t k = 0; k < COVEY__BLOCK_IDS; k++) {
            const Twelve *value = covey_get(world, e[k], Twelve);
            assert_int_equal(value != NULL, there[k]);
            assert_true(!value || (value->number == k && value->check == ~k && value->sum == k + 1));
        }
    }
}

/* At every capacity from which a block can grow. */
/* Ten blocks are half full and compact. One that gets another becomes direct, and those of its eight with it. */
static void test_blocks_become_direct_together(void **state) {
    (void)state;
    covey_entity e[640];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2)
        if (i / COVEY__BLOCK_IDS != 3) add_value(e[i], covey_id(Blocked), i);
    for (uint32_t i = 3 * COVEY__BLOCK_IDS; i < 3 * COVEY__BLOCK_IDS + 5; i++)
        add_value(e[i], covey_id(Blocked), i); /* too few */
    const covey__block_store *blocks = &covey_pool_of(world, Blocked)->block_store;
    for (uint32_t i = 0; i < COUNT_OF(e); i += COVEY__BLOCK_IDS)
        assert_int_equal(covey__block_page_of(blocks, i)->capacity[covey__block_of(i)],
                         i / COVEY__BLOCK_IDS == 3 ? 8 : 32);
    add_value(e[5 * COVEY__BLOCK_IDS + 1], covey_id(Blocked), 5 * COVEY__BLOCK_IDS + 1);
    for (uint32_t i = 0; i < COUNT_OF(e); i += COVEY__BLOCK_IDS) {
        uint32_t block = i / COVEY__BLOCK_IDS, group = COVEY__PAGE_BLOCKS < 8 ? COVEY__PAGE_BLOCKS : 8;
        bool direct = block / group == 5 / group && block != 3;
        assert_int_equal(covey__block_page_of(blocks, i)->capacity[covey__block_of(i)], direct       ? 64
                                                                                        : block == 3 ? 8
                                                                                                     : 32);
    }
    if (COVEY__PAGE_BLOCKS == 64) assert_true(blocks->pages[0]->joined != 0); /* as far as a young slab reaches */
    for (uint32_t i = 0; i < COUNT_OF(e); i++)
        if (covey_has(world, e[i], Blocked)) assert_value(e[i], covey_id(Blocked), i);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Blocked)), 9 * 32 + 5 + 1);
}

static void test_a_value_of_the_block_that_grows_may_be_added(void **state) {
    (void)state;
    for (uint32_t count = 1; count < COVEY__BLOCK_IDS; count++) {
        covey_entity e[COVEY__BLOCK_IDS];
        assert_true(covey_create_many(world, e, COVEY__BLOCK_IDS));
        for (uint32_t i = 0; i < count; i++) add_value(e[i * 5 % COVEY__BLOCK_IDS], covey_id(Blocked), i);
        covey_compact(world);
        uint32_t source = count / 2 * 5 % COVEY__BLOCK_IDS, to = count * 5 % COVEY__BLOCK_IDS;
        assert_non_null(covey_add_value(world, e[to], Blocked, get_value(e[source], covey_id(Blocked))));
        assert_value(e[to], covey_id(Blocked), count / 2);
        assert_value(e[source], covey_id(Blocked), count / 2);
        for (uint32_t i = 0; i < count; i++) assert_value(e[i * 5 % COVEY__BLOCK_IDS], covey_id(Blocked), i);
        covey_destroy_all(world);
        if (COVEY_GENERATION_BITS < 8) { /* or the indices are used up */
            world_teardown(NULL);
            assert_int_equal(world_setup(NULL), 0);
        }
    }
}

static void test_copies_of_a_value_of_the_block_that_grows(void **state) {
    (void)state;
    covey_entity e[100];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    add_value(e[9], covey_id(Blocked), 42);
    add_value(e[3], covey_id(Blocked), 41);
    covey_compact(world);
    covey_entity others[98];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT_OF(e); i++)
        if (i != 9 && i != 3) others[count++] = e[i];
    assert_true(covey_add_copies(world, others, count, Blocked, get_value(e[9], covey_id(Blocked))));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_value(e[i], covey_id(Blocked), i == 3 ? 41 : 42);
}

static void test_values_are_aligned(void **state) {
    (void)state;
    covey_entity e[70];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create(world);
        covey_add(world, e[i], Byte, { 1 }); /* odd sizes in between */
        assert_non_null(covey_add(world, e[i], Aligned, { i }));
        for (uint32_t k = 0; k <= i; k++) {
            const Aligned *value = covey_get(world, e[k], Aligned);
            assert_int_equal((uintptr_t)value % 64, 0);
            assert_int_equal(value->number, k);
        }
    }
    for (uint32_t i = 0; i < 60; i++) covey_remove(world, e[i], Aligned);
    covey_compact(world);
    for (uint32_t i = 60; i < COUNT_OF(e); i++) assert_int_equal((uintptr_t)covey_get(world, e[i], Aligned) % 64, 0);
}

static bool is_wiped(const Wiped *value) { return value->number == 0 && value->check == 0; }

static void test_an_erased_slot_of_a_compact_block_is_zero(void **state) {
    (void)state;
    covey_entity e[4];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Wiped), i + 1);
    covey_compact(world);
    const Wiped *second = covey_get(world, e[1], Wiped), *last = covey_get(world, e[3], Wiped);
    assert_true(covey_remove(world, e[1], Wiped)); /* the last value moves there */
    assert_true(is_wiped(last));
    assert_ptr_equal(covey_get(world, e[3], Wiped), second);
    assert_value(e[3], covey_id(Wiped), 4);
    const Wiped *third = covey_get(world, e[2], Wiped);
    assert_true(covey_destroy(world, e[2]));
    assert_true(is_wiped(third));
    assert_value(e[0], covey_id(Wiped), 1);
    assert_value(e[3], covey_id(Wiped), 4);
}

static void test_an_erased_slot_of_a_direct_block_is_zero(void **state) {
    (void)state;
    covey_entity e[64];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Wiped), i + 1);
    const Wiped *first = covey_get(world, e[0], Wiped);
    const Wiped *tenth = covey_get(world, e[9], Wiped);
    assert_ptr_equal(tenth, first + 9);
    covey_remove(world, e[9], Wiped);
    assert_true(is_wiped(tenth));
    covey_remove(world, e[0], Wiped);
    assert_true(is_wiped(first));
    for (uint32_t i = 1; i < COUNT_OF(e); i++)
        if (i != 9) assert_value(e[i], covey_id(Wiped), i + 1);
}

/* An allocator that counts the secrets in what it takes back: whole values, as single bytes also occur in addresses. */
static const Wiped secret = { 0xA7A7A7A7, 0xA7A7A7A7 };
static uint32_t leaked;
static void *watch(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    const unsigned char *bytes = ptr;
    covey_allocator allocator = test_allocator(context);
    for (size_t i = 0; ptr && new_size == 0 && i + sizeof secret <= old_size; i++)
        leaked += memcmp(bytes + i, &secret, sizeof secret) == 0;
    return allocator.fn(allocator.context, ptr, old_size, new_size, align);
}

static void test_the_last_value_of_a_block_is_zeroed_before_its_chunk_is_freed(void **state) {
    (void)state;
    test_heap watched = { 0 };
    covey_world *other = covey_world_create(&(covey_world_desc){ .allocator = { watch, &watched } });
    covey_entity e = covey_create(other), f = covey_create(other);
    covey_add_value(other, e, Wiped, &secret);
    covey_add_value(other, f, Wiped, &secret);
    leaked = 0;
    assert_true(covey_remove(other, e, Wiped));
    assert_true(covey_destroy(other, f));
    assert_int_equal(covey_pool_count(covey_pool_of(other, Wiped)), 0);
    assert_int_equal(leaked, 0);
    covey_world_destroy(other);
    assert_int_equal(watched.bytes, 0);
}

static void test_values_leave_no_bytes_behind_when_their_block_moves_or_is_cleared(void **state) {
    (void)state;
    test_heap watched = { 0 };
    covey_world *other = covey_world_create(&(covey_world_desc){ .allocator = { watch, &watched } });
    leaked = 0;
    for (uint32_t i = 0; i < 70; i++) covey_add_value(other, covey_create(other), Wiped, &secret);
    covey_compact(other);
    covey_clear(other, Wiped);
    assert_int_equal(leaked, 0);
    covey_world_destroy(other);
    assert_int_equal(watched.bytes, 0);
}

static void test_tags_have_no_chunks(void **state) {
    (void)state;
    covey_entity e[128]; /* of one page */
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    assert_true(covey_add_tag(world, e[0], Label));
    covey_shrink(world);
    size_t before = bytes_of(covey_id(Label));
    assert_int_equal(before, PAGE + directory(1));
    for (uint32_t i = 1; i < COUNT_OF(e); i++) assert_true(covey_add_tag(world, e[i], Label));
    assert_false(covey_add_tag(world, e[7], Label));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_int_equal(bytes_of(covey_id(Label)), before);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_non_null(covey_get_raw(world, e[i], covey_id(Label)));
    covey_compact(world);
    assert_int_equal(bytes_of(covey_id(Label)), before);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 2) assert_true(covey_remove(world, e[i], Label));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_int_equal(covey_has(world, e[i], Label), i % 2);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Label)), 64);
    covey_clear(world, Label);
    assert_no_entity(covey_first(world, Label));
}

static void test_every_value_is_dropped_once(void **state) {
    (void)state;
    enum { COUNT = 150 };
    covey_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) e[i] = create_with(covey_id(Owned), i);
    covey_compact(world);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(drops[i], 0); /* growing and compacting move */
    for (uint32_t i = 0; i < 30; i++) assert_true(covey_remove(world, e[i], Owned));
    for (uint32_t i = 30; i < 60; i++) assert_true(covey_destroy(world, e[i]));
    for (uint32_t i = 60; i < 70; i++) assert_non_null(covey_set(world, e[i], Owned, { 200 + i, ~(200 + i) }));
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(drops[i], i < 70);
    for (uint32_t i = 0; i < 60; i++) assert_false(covey_remove(world, e[i], Owned));
    assert_int_equal(covey_destroy_many(world, e + 70, 10), 10);
    covey_clear(world, Owned);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(drops[i], 1);
    for (uint32_t i = 260; i < 270; i++) assert_int_equal(drops[i], 1);
    covey_entity last = create_with(covey_id(Owned), 299);
    covey_clear_components(world);
    assert_int_equal(drops[299], 1);
    assert_false(covey_has(world, last, Owned));
}

static void test_a_world_drops_its_blocks_when_it_ends(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 100; i++) create_with(covey_id(Owned), i);
    world_teardown(NULL);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(drops[i], 1);
    assert_int_equal(world_setup(NULL), 0);
}

/* ---- Handles ------------------------------------------------------------------------------------------------------*/

static void test_the_dead_have_nothing_and_lose_nothing(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    covey_entity old = create_with(covey_id(Blocked), 1), other = create_with(covey_id(Blocked), 2);
    assert_true(covey_destroy(world, old));
    assert_int_equal(covey_pool_count(pool), 1); /* destroying removes */
    assert_int_equal(covey_pool_next(pool, 0), other.index);
    covey_entity now = create_with(covey_id(Blocked), 3);
    assert_int_equal(now.index, old.index);
    const covey_entity nobody[] = { old,
                                    entity(now.index, now.generation + 1),
                                    entity(now.index, 0),
                                    entity(999, 1),
                                    entity(now.index, now.generation - 1),
                                    entity(COVEY_NONE, 1) };
    for (uint32_t i = 0; i < COUNT_OF(nobody); i++) {
        assert_false(covey_has(world, nobody[i], Blocked));
        assert_false(covey_pool_has(pool, nobody[i]));
        assert_null(covey_get(world, nobody[i], Blocked));
        assert_null(covey_pool_get(pool, nobody[i], Blocked));
        assert_false(covey_remove(world, nobody[i], Blocked));
        assert_false(covey_pool_remove(pool, nobody[i], Blocked));
        assert_null(covey_add(world, nobody[i], Blocked, { 9, 9 }));
        assert_failed(COVEY_ERROR_DEAD);
        assert_null(covey_pool_set(pool, nobody[i], Blocked, { 9, 9 }));
        assert_null(covey_get_or_add(world, nobody[i], Blocked, { 9, 9 }));
    }
    assert_value(now, covey_id(Blocked), 3);
    assert_value(other, covey_id(Blocked), 2);
    assert_same(covey_pool_at(pool, now.index), now);
    assert_int_equal(covey_pool_count(pool), 2);
}

static void test_removing_takes_no_memory(void **state) {
    (void)state;
    covey_entity e[300];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = create_with(covey_id(Blocked), i);
        add_value(e[i], covey_id(Wiped), i);
        assert_true(covey_add_tag(world, e[i], Label));
    }
    uint64_t calls = heap.calls;
    test_fail_at(&heap, 1, true);
    for (uint32_t i = 0; i < 130; i++) assert_true(covey_remove(world, e[i], Blocked));
    for (uint32_t i = 100; i < 230; i++) assert_true(covey_remove(world, e[i], Wiped));
    for (uint32_t i = 0; i < 140; i++) assert_true(covey_remove(world, e[i], Label));
    for (uint32_t i = 0; i < 250; i++) assert_true(covey_destroy(world, e[i]));
    for (uint32_t i = 250; i < COUNT_OF(e); i++) assert_value(e[i], covey_id(Blocked), i);
    covey_clear(world, Blocked);
    covey_clear_components(world);
    assert_int_equal(heap.calls, calls);
    test_fail_never(&heap);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void test_compacting_gives_a_sparse_block_few_slots(void **state) {
    (void)state;
    covey_entity e[COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) e[i] = create_with(covey_id(Blocked), i);
    for (uint32_t left = 63; left != 0; left--) {
        covey_remove(world, e[left * 23 % COVEY__BLOCK_IDS], Blocked);
        covey_compact(world);
        size_t compact = compact_chunk((left + 3) / 4 * 4, sizeof(Value)), direct = direct_chunk(sizeof(Value));
        assert_int_equal(chunk_bytes_of(covey_id(Blocked)), compact < direct ? compact : direct);
        test_world_is_valid(world);
    }
    assert_value(e[0], covey_id(Blocked), 0);
    covey_remove(world, e[0], Blocked);
    covey_pool_shrink(covey_pool_of(world, Blocked));
    assert_int_equal(chunk_bytes_of(covey_id(Blocked)), 0); /* an empty block has no chunk */
}

static void test_compacting_makes_a_full_block_direct(void **state) {
    (void)state;
    covey_entity e[192];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        covey_add(world, e[i], Twelve, { i, i, i });
        covey_add(world, e[i], Byte, { 1 });
        covey_add(world, e[i], Aligned, { i });
    }
    covey_compact(world);
    assert_int_equal(chunk_bytes_of(covey_id(Twelve)), 3 * direct_chunk(12));
    assert_int_equal(chunk_bytes_of(covey_id(Byte)), 3 * direct_chunk(1));
    assert_int_equal(chunk_bytes_of(covey_id(Aligned)), 3 * direct_chunk(64));
    for (uint32_t i = 1; i < COVEY__BLOCK_IDS; i++) { /* a byte each is never worth a table */
        covey_remove(world, e[i], Byte);
        if (i < 4) covey_remove(world, e[i], Aligned);
    }
    covey_compact(world);
    assert_int_equal(chunk_bytes_of(covey_id(Byte)), 3 * direct_chunk(1));
    assert_int_equal(chunk_bytes_of(covey_id(Aligned)), 3 * direct_chunk(64)); /* 61 need 64 slots */
    covey_remove(world, e[4], Aligned);
    covey_compact(world);
    assert_int_equal(chunk_bytes_of(covey_id(Aligned)), 2 * direct_chunk(64) + aligned_chunk(60, 64, 64));
    for (uint32_t i = 5; i < COUNT_OF(e); i++) assert_int_equal(covey_get(world, e[i], Aligned)->number, i);
    assert_int_equal(covey_get(world, e[0], Aligned)->number, 0);
}

/* 32 values of three bytes take 192 bytes either way; getting at a direct one is less work. */
static void test_a_block_whose_forms_take_the_same_memory_is_direct(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 32; i++) assert_non_null(covey_add(world, covey_create(world), Colour, { { 1, 2, 3 } }));
    covey_compact(world);
    assert_int_equal(chunk_bytes_of(covey_id(Colour)), compact_chunk(32, 3));
    assert_int_equal(covey_pool_of(world, Colour)->block_store.pages[0]->capacity[0], COVEY__BLOCK_IDS);
}

static void test_a_block_that_cannot_be_compacted_stays_as_it_is(void **state) {
    (void)state;
    covey_entity e[COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) e[i] = create_with(covey_id(Blocked), i);
    for (uint32_t i = 5; i < COVEY__BLOCK_IDS; i++) covey_remove(world, e[i], Blocked);
    covey_shrink(world); /* returns the slabs of the capacities before, which needs no memory */
    size_t before = bytes_of(covey_id(Blocked));
    const Value *first = get_value(e[0], covey_id(Blocked));
    assert_int_equal(before, PAGE + directory(1) + slabs(1) + direct_chunk(sizeof(Value)));
    test_fail_at(&heap, 1, true);
    covey_compact(world);
    assert_true(heap.failed);
    test_fail_never(&heap);
    assert_int_equal(covey_world_result(world), COVEY_OK);
    assert_int_equal(bytes_of(covey_id(Blocked)), before);
    assert_ptr_equal(get_value(e[0], covey_id(Blocked)), first);
    for (uint32_t i = 0; i < 5; i++) assert_value(e[i], covey_id(Blocked), i);
}

static void test_one_component_at_a_far_index_costs_little(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS < 20) skip();
    covey_pool *pool = covey_pool_of(world, Blocked);
    add_value(covey_create_at(world, 1000000), covey_id(Blocked), 1);
    assert_true(covey_pool_memory(pool) < 10000);
    covey_pool_compact(pool, NULL, NULL);
    covey_pool_shrink(pool);
    assert_int_equal(bytes_of(covey_id(Blocked)),
                     directory(1000000 / 4096 + 1) + PAGE + slabs(1) + compact_chunk(4, sizeof(Value)));
}

static void test_clearing_and_shrinking_give_all_memory_back(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    size_t start = covey_pool_memory(pool);
    covey_entity e[150];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Blocked), i);
    covey_clear(world, Blocked);
    assert_int_equal(covey_pool_count(pool), 0);
    assert_int_equal(covey_pool_next(pool, 0), COVEY_NONE);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_false(covey_has(world, e[i], Blocked));
    covey_pool_shrink(pool);
    assert_int_equal(covey_pool_memory(pool), start);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_non_null(add_value(e[i], covey_id(Blocked), i));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) covey_remove(world, e[i], Blocked);
    covey_pool_shrink(pool);
    assert_int_equal(covey_pool_memory(pool), start);
}

static uint32_t capacity_at(uint32_t index) {
    const covey__block_store *blocks = &covey_pool_of(world, Blocked)->block_store;
    return covey__block_page_of(blocks, index)->capacity[covey__block_of(index)];
}

static void test_a_pool_that_was_full_uses_the_memory_it_has_after_clearing(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Blocked);
    covey_entity e[4 * COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Blocked), i);
    size_t full = covey_pool_memory(pool);
    covey_clear(world, Blocked);
    for (uint32_t i = COUNT_OF(e); i-- != 0;)
        if (i % COVEY__BLOCK_IDS == 7) assert_non_null(add_value(e[i], covey_id(Blocked), i));
    for (uint32_t i = 0; i < COUNT_OF(e); i += COVEY__BLOCK_IDS)
        assert_int_equal(capacity_at(e[i].index), COVEY__BLOCK_IDS);
    assert_true(covey_pool_memory(pool) <= full);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(capacity_at(e[0].index), 4);
    covey_clear(world, Blocked); /* it was not full */
    assert_non_null(add_value(e[0], covey_id(Blocked), 0));
    assert_int_equal(capacity_at(e[0].index), 8);
}

static void test_a_clone_of_a_cleared_pool_takes_as_much_memory(void **state) {
    (void)state;
    covey_entity e[4 * COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Blocked), i);
    covey_clear(world, Blocked);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    covey_pool *pools[] = { covey_pool_of(world, Blocked), covey_pool_of(twin, Blocked) };
    for (uint32_t i = 0; i < COUNT_OF(e); i += COVEY__BLOCK_IDS) {
        for (uint32_t k = 0; k < 2; k++) assert_non_null(covey_pool_add(pools[k], e[i], Blocked, { 1, 2 }));
        assert_int_equal(
            pools[1]->block_store.pages[e[i].index / COVEY__BLOCK_PAGE]->capacity[covey__block_of(e[i].index)],
            COVEY__BLOCK_IDS);
    }
    assert_int_equal(covey_pool_memory(pools[0]), covey_pool_memory(pools[1]));
    covey_world_destroy(twin);
}

static void test_a_cleared_pool_that_had_few_full_blocks_starts_small(void **state) {
    (void)state;
    covey_entity e[4 * COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    for (uint32_t i = COVEY__BLOCK_IDS; i < COUNT_OF(e); i += COVEY__BLOCK_IDS) add_value(e[i], covey_id(Blocked), i);
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) add_value(e[i], covey_id(Blocked), i);
    assert_int_equal(capacity_at(e[0].index), COVEY__BLOCK_IDS);
    covey_clear(world, Blocked);
    assert_non_null(add_value(e[0], covey_id(Blocked), 0));
    assert_int_equal(capacity_at(e[0].index), 8);
}

static void test_a_cleared_pool_that_was_shrunk_starts_small(void **state) {
    (void)state;
    covey_entity e[2 * COVEY__BLOCK_IDS];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(covey_id(Blocked), i);
    covey_clear(world, Blocked);
    covey_pool_shrink(covey_pool_of(world, Blocked));
    assert_non_null(add_value(e[0], covey_id(Blocked), 0));
    assert_int_equal(capacity_at(e[0].index), 8);
}

static void test_shrinking_gives_back_pages_without_anything(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS < 20) skip();
    covey_pool *pool = covey_pool_of(world, Blocked);
    covey_entity e[5];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create_at(world, i * 4096 + i);
        add_value(e[i], covey_id(Blocked), i);
    }
    covey_pool_compact(pool, NULL, NULL);
    size_t chunk = compact_chunk(4, sizeof(Value));
    covey_remove(world, e[4], Blocked);
    covey_remove(world, e[1], Blocked);
    covey_pool_shrink(pool);
    size_t pages = directory(4) + 3 * PAGE;
    assert_int_equal(bytes_of(covey_id(Blocked)), pages + slabs(1) + 5 * chunk); /* compaction returns chunks */
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(bytes_of(covey_id(Blocked)), pages + slabs(1) + 3 * chunk);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_int_equal(covey_has(world, e[i], Blocked), i != 1 && i != 4);
    assert_int_equal(covey_pool_next(pool, 1), e[2].index);
    assert_non_null(add_value(e[1], covey_id(Blocked), 1)); /* the page comes back */
    assert_non_null(add_value(e[4], covey_id(Blocked), 4));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_value(e[i], covey_id(Blocked), i);
}

/* ---- Full blocks --------------------------------------------------------------------------------------------------*/

static bool is_marked_full(const covey_type *type, uint32_t index) {
    const covey__block_page *page = covey__block_page_of(&covey_pool_find_raw(world, type)->block_store, index);
    return (page->full >> covey__block_of(index) & 1) != 0;
}

/* Loops read no masks of blocks that are marked. Adding in order marks a block when it is left. */
static void test_full_blocks_are_marked(void **state) {
    (void)state;
    covey_entity e[3 * COVEY__BLOCK_IDS + 1];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        e[i] = covey_create(world);
        covey_add(world, e[i], Byte, { 1 });
    }
    assert_true(covey_add_copies(world, e, COUNT_OF(e), Twelve, &(Twelve){ .number = 1 }));
    for (uint32_t i = COUNT_OF(e); i-- != 0;) covey_add(world, e[i], Aligned, { i });
    for (uint32_t i = 0; i < 3 * COVEY__BLOCK_IDS; i += COVEY__BLOCK_IDS) {
        assert_true(is_marked_full(covey_id(Byte), i));
        assert_true(is_marked_full(covey_id(Twelve), i));
        assert_true(is_marked_full(covey_id(Aligned), i) || i == 0);
    }
    assert_false(is_marked_full(covey_id(Byte), 3 * COVEY__BLOCK_IDS));
    covey_remove(world, e[5], Byte);
    assert_false(is_marked_full(covey_id(Byte), 0));
    covey_add(world, e[5], Byte, { 1 });
    assert_true(is_marked_full(covey_id(Byte), 0));
    covey_destroy(world, e[70]);
    assert_false(is_marked_full(covey_id(Byte), 70) || is_marked_full(covey_id(Twelve), 70));
    assert_true(covey_clone(world, e[0], &e[70], 1));
    assert_int_equal(e[70].index, 70);
    assert_true(is_marked_full(covey_id(Twelve), 70));
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

/* Block 0 is compact with ids 0, 1 and 3; block 1 is direct and full; block 2 is empty. */
static void test_the_validator_sees_what_is_wrong_with_blocks(void **state) {
    (void)state;
    covey_entity e[140];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = covey_create(world);
    add_value(e[0], covey_id(Blocked), 0);
    add_value(e[1], covey_id(Blocked), 1);
    add_value(e[3], covey_id(Blocked), 3);
    for (uint32_t i = COVEY__BLOCK_IDS; i < 130; i++) add_value(e[i], covey_id(Blocked), i);
    for (uint32_t i = 128; i < 130; i++) covey_remove(world, e[i], Blocked);
    covey_compact(world);
    covey__block_store *blocks = &covey_pool_find_raw(world, covey_id(Blocked))->block_store;
    covey__block_page *page = blocks->pages[0], *other = covey__block_page_of(blocks, 128);
    uint32_t empty = covey__block_of(128);
    assert_int_equal(page->capacity[0], 4);
    assert_int_equal(page->capacity[1], COVEY__BLOCK_IDS);
    uint8_t *ids = (uint8_t *)page->chunks[0].data + 4 * sizeof(Value), *map = ids + 4;

    BREAK(uint64_t, page->masks[0], 0xF, "block: the number of used slots is wrong");
    BREAK(uint8_t, page->used[0], 2, "block: the number of used slots is wrong");
    BREAK(uint8_t, page->used[1], 1, "block: the number of used slots is wrong");
    BREAK(uint64_t, page->direct, 0, "block: wrongly marked as direct, or not marked");
    BREAK(uint64_t, page->joined, 1, "block: wrongly marked as joined with the next one, or not marked");
    BREAK(uint64_t, page->full, 3, "block: wrongly marked as full");
    BREAK(uint64_t, page->summary, 1, "block: the summary is wrong");
    BREAK(uint64_t, page->summary, 7, "block: the summary is wrong");
    BREAK(uint64_t, page->summary, 3 | (uint64_t)1 << 63, "block: the summary is wrong");
    BREAK(uint64_t, page->direct, 3, "block: wrongly marked as direct, or not marked");
    BREAK(uint8_t, other->capacity[empty], 4, "block: an empty block has a chunk, or one with ids has none");
    BREAK(uint8_t, page->capacity[0], 0, "block: an empty block has a chunk, or one with ids has none");
    BREAK(uint8_t, page->capacity[0], 2, "block: more ids than slots");
    BREAK(const uint8_t *, other->chunks[empty].map, map,
          "block: an empty block has an address, or one with ids has none");
    BREAK(char *, page->chunks[1].data, NULL, "block: an empty block has an address, or one with ids has none");
    BREAK(uint8_t, other->used[empty], 1, "block: an empty block has slots");
    BREAK(const uint8_t *, page->chunks[0].map, ids, "block: the map is not in the chunk");
    BREAK(uint8_t, map[3], 3, "block: an id has an impossible slot");
    BREAK(const uint8_t *, page->chunks[1].map, map, "block: an id has an impossible slot");
    BREAK(uint8_t, ids[2], 1, "block: the slot of an id belongs to another id");
    BREAK(uint8_t, map[3], 1, "block: the slot of an id belongs to another id");
    BREAK(uint32_t, blocks->count, 66, "blocks: the number of components is wrong");
    BREAK(uint32_t, blocks->first_page, 1, "blocks: a component before the first page");
    BREAK(uint32_t, blocks->end_page, 0, "blocks: a component behind the last page");
    BREAK(uint32_t, blocks->end_page, blocks->page_count + 1, "blocks: the end is beyond the directory");
    BREAK(size_t, blocks->heap.bytes, blocks->heap.bytes + 1, "blocks: bytes that are not accounted for");
    BREAK(uint64_t, page->masks[0], 0x13, "block: an id has an impossible slot");
}

static void test_the_validator_sees_a_component_of_a_dead_entity(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1);
    uint32_t *generation = &world->pages[0]->generation[e.index];
    const char *why = NULL;
    create_with(covey_id(Blocked), 2);
    *generation += 1;
    assert_false(covey_world_validate(world, &why));
    *generation -= 1;
    covey_destroy(world, e);
    BREAK(uint64_t, covey_pool_find_raw(world, covey_id(Blocked))->block_store.pages[0]->masks[0], 1,
          "block: the slot of an id belongs to another id");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_components_are_met_in_the_order_of_indices),
        WORLD_TEST(test_the_walk_finds_the_only_component_from_everywhere_below),
        WORLD_TEST(test_the_walk_crosses_pages_that_are_missing_or_empty),
        WORLD_TEST(test_the_highest_index_is_met_and_nothing_behind_it),
        WORLD_TEST(test_find_and_first_follow_the_order_of_indices),
        WORLD_TEST(test_a_block_pool_has_no_arrays),
        WORLD_TEST(test_reserving_does_nothing),
        WORLD_TEST(test_blocks_with_a_policy_are_no_type),
        WORLD_TEST(test_another_storage_is_another_layout),
        WORLD_TEST(test_values_survive_the_growth_of_their_block),
        WORLD_TEST(test_values_survive_removals_and_compaction_of_their_block),
        WORLD_TEST(test_blocks_become_direct_together),
        WORLD_TEST(test_a_value_of_the_block_that_grows_may_be_added),
        WORLD_TEST(test_copies_of_a_value_of_the_block_that_grows),
        WORLD_TEST(test_values_are_aligned),
        WORLD_TEST(test_an_erased_slot_of_a_compact_block_is_zero),
        WORLD_TEST(test_an_erased_slot_of_a_direct_block_is_zero),
        WORLD_TEST(test_the_last_value_of_a_block_is_zeroed_before_its_chunk_is_freed),
        WORLD_TEST(test_values_leave_no_bytes_behind_when_their_block_moves_or_is_cleared),
        WORLD_TEST(test_tags_have_no_chunks),
        cmocka_unit_test_setup_teardown(test_every_value_is_dropped_once, drop_setup, world_teardown),
        cmocka_unit_test_setup_teardown(test_a_world_drops_its_blocks_when_it_ends, drop_setup, world_teardown),
        WORLD_TEST(test_the_dead_have_nothing_and_lose_nothing),
        WORLD_TEST(test_removing_takes_no_memory),
        WORLD_TEST(test_compacting_gives_a_sparse_block_few_slots),
        WORLD_TEST(test_compacting_makes_a_full_block_direct),
        WORLD_TEST(test_a_block_whose_forms_take_the_same_memory_is_direct),
        WORLD_TEST(test_a_block_that_cannot_be_compacted_stays_as_it_is),
        WORLD_TEST(test_one_component_at_a_far_index_costs_little),
        WORLD_TEST(test_clearing_and_shrinking_give_all_memory_back),
        WORLD_TEST(test_a_pool_that_was_full_uses_the_memory_it_has_after_clearing),
        WORLD_TEST(test_a_clone_of_a_cleared_pool_takes_as_much_memory),
        WORLD_TEST(test_a_cleared_pool_that_had_few_full_blocks_starts_small),
        WORLD_TEST(test_a_cleared_pool_that_was_shrunk_starts_small),
        WORLD_TEST(test_shrinking_gives_back_pages_without_anything),
        WORLD_TEST(test_full_blocks_are_marked),
        WORLD_TEST(test_the_validator_sees_what_is_wrong_with_blocks),
        WORLD_TEST(test_the_validator_sees_a_component_of_a_dead_entity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
