/* Slabs: where the chunks of blocks come from and go to. */
#include "memory/inner.h"
#include "storage/slab.h"
#include "fixture.h"

#include <stdio.h>

typedef struct Wide {
    uint32_t number, check, rest[8];
} Wide;
typedef struct Odd {
    uint8_t number, part[4];
} Odd;
typedef struct Aligned {
    _Alignas(64) uint32_t number;
} Aligned;
COVEY_COMPONENT_DEFINE(Wide);
COVEY_COMPONENT_DEFINE(Odd);
COVEY_COMPONENT_DEFINE(Aligned);
typedef Aligned AlignedPinned;
COVEY_COMPONENT_DEFINE(AlignedPinned, .storage = COVEY_STORAGE_PINNED);

enum { HEADER = 48, MANY = 1000 };

static covey__block_store *store_of(const covey_type *type) { return &covey_pool_find_raw(world, type)->block_store; }

static char *chunk_of(const covey__block_store *blocks, uint32_t block) {
    return covey__block_page_of(blocks, block * COVEY__BLOCK_IDS)
        ->chunks[covey__block_of(block * COVEY__BLOCK_IDS)]
        .data;
}

static uint32_t capacity_of(const covey__block_store *blocks, uint32_t block) {
    return covey__block_page_of(blocks, block * COVEY__BLOCK_IDS)->capacity[covey__block_of(block * COVEY__BLOCK_IDS)];
}

static size_t slab_bytes(const covey__block_store *blocks) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < blocks->slab_count; i++)
        bytes += blocks->slabs[i]->header + (size_t)blocks->slabs[i]->chunks * blocks->slabs[i]->stride;
    return bytes;
}

/* The slab that begins at this address or before, and the chunk's number in it. */
static const covey__slab *slab_of(const covey__block_store *blocks, const char *chunk, uint32_t *number) {
    const covey__slab *found = NULL;
    for (uint32_t i = 0; i < blocks->slab_count; i++)
        if ((const char *)blocks->slabs[i] < chunk) found = blocks->slabs[i];
    assert_non_null(found);
    size_t offset = (size_t)(chunk - (const char *)found) - found->header;
    *number = (uint32_t)(offset / found->stride);
    assert_true(offset % found->stride == 0 && *number < found->chunks);
    return found;
}

static void create_many(covey_entity *e, uint32_t count) { assert_true(covey_create_many(world, e, count)); }

static void fill_block(const covey_entity *e, uint32_t block, const covey_type *type) {
    for (uint32_t i = block * COVEY__BLOCK_IDS; i < (block + 1) * COVEY__BLOCK_IDS; i++)
        assert_non_null(add_value(e[i], type, i));
}

static void empty_block(const covey_entity *e, uint32_t block, const covey_type *type) {
    for (uint32_t i = block * COVEY__BLOCK_IDS; i < (block + 1) * COVEY__BLOCK_IDS; i++)
        assert_true(remove_value(e[i], type));
}

/* ---- Growth -------------------------------------------------------------------------------------------------------*/

static void test_slabs_start_small(void **state) {
    (void)state;
    covey_entity e[MANY];
    create_many(e, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        add_value(e[i], covey_id(Blocked), i);
        const covey__block_store *blocks = store_of(covey_id(Blocked));
        size_t values = (i + COVEY__BLOCK_IDS) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS * sizeof(Value);
        assert_true(slab_bytes(blocks) <= 2 * values + 1024); /* and the first block on its way to 64 slots */
    }
}

/* Every 64th entity: a chunk of few slots for each. */
static void test_slabs_of_scattered_components_start_small(void **state) {
    (void)state;
    covey_entity e[MANY];
    create_many(e, MANY);
    for (uint32_t i = 0; i < MANY; i += COVEY__BLOCK_IDS) {
        add_value(e[i], covey_id(Blocked), i);
        const covey__block_store *blocks = store_of(covey_id(Blocked));
        assert_true(slab_bytes(blocks) <= (i / 64 + 1) * 2 * (8 * (sizeof(Value) + 1) + 64) + 5 * HEADER);
    }
}

static void test_slabs_grow_with_what_there_is(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS < 20) skip();
    size_t stride = COVEY__BLOCK_IDS * sizeof(Aligned), before = 0, count = 0;
    covey_pool *pool = covey_pool_of(world, AlignedPinned);
    for (uint32_t block = 0; block < 600; block++) {
        for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++)
            assert_non_null(covey_add(world, covey_create(world), AlignedPinned, { i }));
        const covey__block_store *blocks = &pool->block_store;
        size_t bytes = slab_bytes(blocks) - blocks->slab_count * covey__slab_header(blocks);
        if (blocks->slab_count == count) continue;
        assert_int_equal(blocks->slab_count, ++count);
        size_t expected = before < COVEY_SLAB_BYTES / 16 ? before : before / 2;
        if (expected > COVEY_SLAB_BYTES) expected = COVEY_SLAB_BYTES;
        assert_int_equal(bytes - before, expected < stride ? stride : expected / stride * stride);
        before = bytes;
    }
    assert_true(count < 30);
}

static void test_blocks_filled_in_order_lie_side_by_side(void **state) {
    (void)state;
    covey_entity e[MANY];
    create_many(e, MANY);
    for (uint32_t i = 0; i < MANY; i++) add_value(e[i], covey_id(Blocked), i);
    const covey__block_store *blocks = store_of(covey_id(Blocked));
    uint32_t joined = 0;
    for (uint32_t block = 0; block + 1 < MANY / COVEY__BLOCK_IDS; block++) {
        const covey__block_page *page = covey__block_page_of(blocks, block * COVEY__BLOCK_IDS);
        bool same_page = covey__block_of(block * COVEY__BLOCK_IDS) + 1 < COVEY__PAGE_BLOCKS;
        bool follows = chunk_of(blocks, block + 1) == chunk_of(blocks, block) + COVEY__BLOCK_IDS * sizeof(Value);
        assert_int_equal(page->joined >> covey__block_of(block * COVEY__BLOCK_IDS) & 1, follows && same_page);
        joined += follows;
    }
    assert_int_equal(joined, 14 - 4); /* 15 full blocks, in slabs of 1, 1, 2, 4 and 8 */
}

static void test_neighbours_are_no_longer_joined_when_one_goes(void **state) {
    (void)state;
    covey_entity e[256];
    create_many(e, COUNT_OF(e));
    for (uint32_t block = 0; block < 4; block++) fill_block(e, block, covey_id(Pinned));
    const covey__block_store *blocks = store_of(covey_id(Pinned));
    covey__block_page *page = covey__block_page_of(blocks, 128);
    uint64_t pair = (uint64_t)1 << covey__block_of(128);
    assert_true((page->joined & pair) != 0); /* 2 and 3 are in one slab */
    empty_block(e, 3, covey_id(Pinned));
    assert_true((page->joined & pair) == 0);
    fill_block(e, 3, covey_id(Pinned));
    assert_true((page->joined & pair) != 0);
    empty_block(e, 2, covey_id(Pinned));
    assert_true((page->joined & pair) == 0);
    covey_clear(world, Pinned);
    assert_int_equal(page->joined, 0);
}

/* ---- Rows ---------------------------------------------------------------------------------------------------------*/

static covey__block_store *store_with_a_block(void) {
    create_with(covey_id(Blocked), 1);
    return store_of(covey_id(Blocked));
}

static void test_chunks_of_a_row_follow_each_other(void **state) {
    (void)state;
    covey__block_store *blocks = store_with_a_block();
    size_t bytes = covey__chunk_bytes(blocks, COVEY__BLOCK_IDS);
    char *row[3] = { covey__row_take(blocks, 3) };
    for (uint32_t i = 0; i < 2; i++) {
        row[i + 1] = covey__row_next(blocks, row[i]);
        assert_ptr_equal(row[i + 1], row[i] + bytes);
        assert_null(covey__row_next(blocks, row[i])); /* it is taken */
    }
    assert_null(covey__row_next(blocks, row[2]));
    for (uint32_t i = 0; i < 3; i++) covey__chunk_free(blocks, row[i]);
    test_world_is_valid(world);
}

/* Others take no chunk of a row, until one of it is freed. */
static void test_a_row_that_loses_a_chunk_is_a_slab_like_others(void **state) {
    (void)state;
    covey__block_store *blocks = store_with_a_block();
    char *first = covey__row_take(blocks, 3), *second = covey__row_next(blocks, first);
    char *other = covey__chunk_take(blocks, COVEY__BLOCK_IDS);
    covey__chunk_free(blocks, first);
    assert_null(covey__row_next(blocks, second));
    char *taken = covey__chunk_take(blocks, COVEY__BLOCK_IDS);
    uint32_t number;
    assert_ptr_equal(taken, first);
    assert_ptr_equal(slab_of(blocks, taken, &number), slab_of(blocks, second, &number));
    assert_ptr_not_equal(slab_of(blocks, other, &number), slab_of(blocks, second, &number));
    covey__chunk_free(blocks, taken);
    covey__chunk_free(blocks, second);
    covey__chunk_free(blocks, other);
    test_world_is_valid(world);
}

static void test_the_length_of_a_row(void **state) {
    (void)state;
    static char *row[COVEY_ROW_BYTES / sizeof(Value) + 1];
    covey__block_store *blocks = store_with_a_block();
    uint32_t most = (uint32_t)(COVEY_ROW_BYTES / covey__chunk_bytes(blocks, COVEY__BLOCK_IDS)), count = 1;
    row[0] = covey__row_take(blocks, UINT32_MAX);
    while ((row[count] = covey__row_next(blocks, row[count - 1])) != NULL) count++;
    assert_int_equal(count, most < 2 ? 1 : most);
    while (count-- != 0) covey__chunk_free(blocks, row[count]);
    char *alone = covey__row_take(blocks, 1);
    assert_null(covey__row_next(blocks, alone));
    covey__chunk_free(blocks, alone);
    test_fail_at(&heap, 1, true);
    assert_null(covey__row_take(blocks, 2));
    test_fail_never(&heap);
    test_world_is_valid(world);
}

/* Two kinds in turn: the values of each lie side by side, as far as its words do. */
static void test_blocks_of_a_kind_are_rows(void **state) {
    (void)state;
    if (COVEY__TABLE_WORD != COVEY__BLOCK_IDS) skip();
    uint32_t rows = 0, last = COVEY_NONE;
    const Blocked *value = NULL;
    for (uint32_t i = 0; i < MANY; i++) {
        covey_entity e = covey_create_with(world, covey_with(Blocked, { i, ~i }));
        const Blocked *next = covey_get(world, e, Blocked);
        covey_create_with(world, covey_with(Blocked, { i, ~i }), covey_with_tag(Marked));
        if (e.index % COVEY__BLOCK_IDS == 0 && e.index == last + 1) rows += next == value + 1;
        last = e.index;
        value = next;
    }
    assert_true(rows >= 7); /* words 2 and 3, 4 to 7 and 8 to 15 of the kind */
}

/* ---- Returning ----------------------------------------------------------------------------------------------------*/

/* Slabs of 1, 1, 2 and 4 chunks for five blocks. */
static void test_an_empty_slab_is_returned_while_another_has_room(void **state) {
    (void)state;
    covey_entity e[320];
    create_many(e, COUNT_OF(e));
    for (uint32_t block = 0; block < 5; block++) fill_block(e, block, covey_id(Pinned));
    const covey__block_store *blocks = store_of(covey_id(Pinned));
    assert_int_equal(blocks->slab_count, 4);
    size_t chunk = COVEY__BLOCK_IDS * sizeof(Value), before = heap.bytes;
    empty_block(e, 0, covey_id(Pinned));
    assert_int_equal(blocks->slab_count, 3);
    assert_int_equal(heap.bytes, before - HEADER - chunk);
    empty_block(e, 2, covey_id(Pinned)); /* block 3 is still in this slab */
    assert_int_equal(blocks->slab_count, 3);
    empty_block(e, 3, covey_id(Pinned));
    assert_int_equal(blocks->slab_count, 2);
    assert_int_equal(heap.bytes, before - 2 * HEADER - 3 * chunk);
    for (uint32_t i = 64; i < 128; i++) assert_value(e[i], covey_id(Pinned), i);
    for (uint32_t i = 256; i < 320; i++) assert_value(e[i], covey_id(Pinned), i);
}

static void test_the_last_slab_with_room_is_kept(void **state) {
    (void)state;
    covey_entity e[128];
    create_many(e, COUNT_OF(e));
    covey_pool *pool = covey_pool_of(world, Pinned);
    for (int round = 0; round < 2; round++) {
        fill_block(e, 0, covey_id(Pinned));
        uint64_t calls = heap.calls;
        for (int again = 0; again < 3; again++) {
            empty_block(e, 0, covey_id(Pinned));
            assert_int_equal(pool->block_store.slab_count, 1);
            fill_block(e, 0, covey_id(Pinned)); /* without a call of the allocator */
        }
        assert_int_equal(heap.calls, calls);
        empty_block(e, 0, covey_id(Pinned));
        if (round == 0) covey_pool_compact(pool, NULL, NULL);
        else covey_pool_shrink(pool);
        assert_int_equal(pool->block_store.slab_count, 0);
        assert_int_equal(pool->block_store.slab_capacity, 0);
    }
    assert_int_equal(covey_pool_memory(pool), sizeof *pool);
}

static void test_the_chunk_that_was_given_back_last_is_taken_first(void **state) {
    (void)state;
    covey_entity e[512];
    create_many(e, COUNT_OF(e));
    for (uint32_t block = 0; block < 7; block++) fill_block(e, block, covey_id(Pinned));
    const covey__block_store *blocks = store_of(covey_id(Pinned));
    const char *four = chunk_of(blocks, 4), *six = chunk_of(blocks, 6);
    empty_block(e, 4, covey_id(Pinned));
    empty_block(e, 6, covey_id(Pinned));
    fill_block(e, 7, covey_id(Pinned));
    fill_block(e, 4, covey_id(Pinned));
    assert_ptr_equal(chunk_of(blocks, 7), six);
    assert_ptr_equal(chunk_of(blocks, 4), four);
}

static void test_nothing_is_left_after_clearing_and_shrinking(void **state) {
    (void)state;
    covey_entity e[300];
    create_many(e, COUNT_OF(e));
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        add_value(e[i], covey_id(Blocked), i);
        add_value(e[i], covey_id(Pinned), i);
        if (i % 5 == 0) assert_non_null(covey_add(world, e[i], Wide, { .number = i }));
    }
    covey_compact(world);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 7) covey_remove(world, e[i], Blocked);
    covey_clear_components(world);
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        covey_pool *pool = covey_world_pool(world, i);
        assert_int_not_equal(pool->block_store.slab_count, 0); /* clearing keeps room for what comes next */
        covey_pool_shrink(pool);
        assert_int_equal(covey_pool_memory(pool), sizeof *pool);
    }
}

/* ---- Compaction ---------------------------------------------------------------------------------------------------*/

/* Three types in 960 ids, added in disorder; many are removed again. */
static void make_loose(covey_entity *e) {
    create_many(e, 960);
    for (uint32_t k = 0; k < 960; k++) {
        uint32_t i = k * 331 % 960;
        add_value(e[i], covey_id(Blocked), i);
        assert_non_null(covey_add(world, e[i], Wide, { .number = i, .check = ~i }));
        assert_non_null(covey_add(world, e[i], Odd, { (uint8_t)i, { 1, 2, 3, (uint8_t)(i * 3) } }));
    }
    for (uint32_t i = 0; i < 960; i++) {
        if (i / COVEY__BLOCK_IDS % 4 == 1 || (i / COVEY__BLOCK_IDS % 4 == 2 && i % 3 != 0))
            covey_remove(world, e[i], Blocked);
        if (i / COVEY__BLOCK_IDS % 3 != 0 && i % COVEY__BLOCK_IDS > i / 16) covey_remove(world, e[i], Wide);
        if (i % 5 == 0) covey_remove(world, e[i], Odd);
    }
}

static void loose_values_are_whole(const covey_entity *e) {
    for (uint32_t i = 0; i < 960; i++) {
        bool blocked = i / COVEY__BLOCK_IDS % 4 != 1 && (i / COVEY__BLOCK_IDS % 4 != 2 || i % 3 == 0),
             wide = i / COVEY__BLOCK_IDS % 3 == 0 || i % COVEY__BLOCK_IDS <= i / 16;
        const Wide *value = covey_get(world, e[i], Wide);
        const Odd *odd = covey_get(world, e[i], Odd);
        assert_int_equal(covey_has(world, e[i], Blocked), blocked);
        if (blocked) assert_value(e[i], covey_id(Blocked), i);
        assert_int_equal(value != NULL, wide);
        assert_true(!value || (value->number == i && value->check == ~i));
        assert_int_equal(odd != NULL, i % 5 != 0);
        assert_true(!odd || (odd->number == (uint8_t)i && odd->part[3] == (uint8_t)(i * 3)));
    }
}

/* No slab has room; chunks of one capacity follow each other in the order of ids, slab by slab. */
static void assert_compact(const covey__block_store *blocks) {
    const char *last[65] = { NULL };
    for (uint32_t i = 0; i < blocks->slab_count; i++) {
        assert_int_equal(blocks->slabs[i]->used, blocks->slabs[i]->chunks);
        assert_true(i == 0 || (uintptr_t)blocks->slabs[i - 1] < (uintptr_t)blocks->slabs[i]);
    }
    assert_int_equal(blocks->slab_capacity, blocks->slab_count);
    for (uint32_t block = 0; block < blocks->page_count * COVEY__PAGE_BLOCKS; block++) {
        uint32_t capacity = capacity_of(blocks, block), number;
        if (capacity == 0) continue;
        const char *chunk = chunk_of(blocks, block);
        const covey__slab *slab = slab_of(blocks, chunk, &number);
        assert_int_equal(slab->capacity, capacity);
        assert_true(number == 0 || last[capacity] == chunk - slab->stride);
        last[capacity] = chunk;
    }
}

static void test_compacted_slabs_are_exact_and_in_order(void **state) {
    (void)state;
    covey_entity e[960];
    make_loose(e);
    covey_compact(world);
    loose_values_are_whole(e);
    assert_compact(store_of(covey_id(Blocked)));
    assert_compact(store_of(covey_id(Wide)));
    assert_compact(store_of(covey_id(Odd)));
}

static void test_compacting_what_is_compact_moves_nothing(void **state) {
    (void)state;
    covey_entity e[960];
    const void *wide[960], *blocked[960];
    make_loose(e);
    covey_compact(world);
    for (uint32_t i = 0; i < 960; i++) {
        wide[i] = covey_get(world, e[i], Wide);
        blocked[i] = covey_get(world, e[i], Blocked);
    }
    uint64_t calls = heap.calls;
    covey_compact(world);
    assert_int_equal(heap.calls, calls);
    for (uint32_t i = 0; i < 960; i++) {
        assert_ptr_equal(covey_get(world, e[i], Wide), wide[i]);
        assert_ptr_equal(covey_get(world, e[i], Blocked), blocked[i]);
    }
}

/* Full blocks that were filled from the last to the first are as small as can be, but not in order. */
static void test_compacting_puts_full_blocks_in_order(void **state) {
    (void)state;
    covey_entity e[960];
    create_many(e, COUNT_OF(e));
    for (uint32_t i = COUNT_OF(e); i-- != 0;) add_value(e[i], covey_id(Blocked), i);
    const covey__block_store *blocks = store_of(covey_id(Blocked));
    assert_true(chunk_of(blocks, 1) != chunk_of(blocks, 0) + COVEY__BLOCK_IDS * sizeof(Value));
    covey_compact(world);
    assert_compact(blocks);
    assert_int_equal(blocks->slab_count, 1);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        assert_value(e[i], covey_id(Blocked), i);
        assert_ptr_equal(get_value(e[i], covey_id(Blocked)), get_value(e[0], covey_id(Blocked)) + i);
    }
}

static bool compacts_with_failure(uint64_t at, bool for_good, size_t expected) {
    covey_entity e[960];
    make_loose(e);
    covey_shrink(world);
    size_t before = covey_world_memory(world);
    test_fail_at(&heap, at, for_good);
    covey_compact(world);
    bool failed = heap.failed;
    test_fail_never(&heap);
    assert_int_equal(covey_world_result(world), COVEY_OK);
    test_world_is_valid(world);
    loose_values_are_whole(e);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    assert_true(heap.bytes < before + expected);
    covey_compact(world);
    loose_values_are_whole(e);
    assert_int_equal(heap.bytes, expected);
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
    return failed;
}

static void test_compaction_survives_each_failure(void **state) {
    (void)state;
    covey_entity e[960];
    make_loose(e);
    covey_shrink(world);
    covey_compact(world);
    size_t expected = heap.bytes;
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
    uint64_t once = 1, for_good = 1;
    while (compacts_with_failure(once, false, expected)) once++;
    while (compacts_with_failure(for_good, true, expected)) for_good++;
    assert_true(once > 10 && for_good > 10);
}

/* A large store is not there twice while it is compacted: old slabs go as soon as they are empty. */
static void test_compaction_takes_little_more_than_there_was(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS < 20) skip();
    enum { COUNT = 100000 };
    for (uint32_t i = 0; i < COUNT; i++) assert_non_null(covey_add(world, covey_create(world), Aligned, { i }));
    for (uint32_t i = 0; i < COUNT; i += 2) assert_true(covey_remove(world, entity(i, 1), Aligned));
    size_t before = heap.peak = heap.bytes;
    covey_compact(world);
    assert_true(heap.bytes < before * 2 / 3);
    assert_true(heap.peak < before + 2 * COVEY_SLAB_BYTES);
    for (uint32_t i = 1; i < COUNT; i += 2) assert_int_equal(covey_get(world, entity(i, 1), Aligned)->number, i);
}

static void test_blocks_grow_from_capacities_that_only_compaction_gives(void **state) {
    (void)state;
    covey_entity e[192];
    create_many(e, COUNT_OF(e));
    for (uint32_t count = 9; count < 60; count += 3) {
        uint32_t there = 0;
        for (; there < count; there++)
            add_value(e[there * 5 % COVEY__BLOCK_IDS], covey_id(Blocked), there * 5 % COVEY__BLOCK_IDS);
        add_value(e[100], covey_id(Blocked), 100); /* so that the slab has another user */
        covey_compact(world);
        const covey__block_store *blocks = store_of(covey_id(Blocked));
        uint32_t capacity = (count + 3) / 4 * 4, fitting = capacity * 9 + 64 < 512 ? capacity : 64;
        assert_int_equal(capacity_of(blocks, 0), fitting);
        for (; there < COVEY__BLOCK_IDS; there++) {
            add_value(e[there * 5 % COVEY__BLOCK_IDS], covey_id(Blocked), there * 5 % COVEY__BLOCK_IDS);
            uint32_t grown = there < fitting ? fitting : there < 32 ? 32 : 64;
            assert_int_equal(capacity_of(blocks, 0), grown);
            test_world_is_valid(world);
        }
        for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) assert_value(e[i], covey_id(Blocked), i);
        covey_clear(world, Blocked);
    }
}

/* ---- Sizes --------------------------------------------------------------------------------------------------------*/

static void aligned_is_whole(covey_entity e, uint32_t number) {
    const Aligned *value = covey_get(world, e, Aligned);
    assert_non_null(value);
    assert_int_equal((uintptr_t)value % 64, 0);
    assert_int_equal(value->number, number);
}

static void test_odd_sizes_and_large_alignments_through_everything(void **state) {
    (void)state;
    covey_entity e[200];
    bool there[200] = { false };
    test_random random = { 11 };
    create_many(e, COUNT_OF(e));
    for (uint32_t step = 0; step < 3000; step++) {
        uint32_t i = test_below(&random, COUNT_OF(e)), kind = test_below(&random, 60);
        if (there[i]) {
            assert_true(covey_remove(world, e[i], Aligned) && covey_remove(world, e[i], Odd));
        } else {
            assert_non_null(covey_add(world, e[i], Aligned, { i }));
            assert_non_null(covey_add(world, e[i], Odd, { (uint8_t)i, { 0, 0, 0, (uint8_t)~i } }));
        }
        there[i] = !there[i];
        if (kind == 0) covey_compact(world);
        if (kind == 1) covey_shrink(world);
        if (kind == 2) test_world_is_valid(world);
        for (uint32_t k = step % 10; k < COUNT_OF(e); k += 10) {
            const Odd *odd = covey_get(world, e[k], Odd);
            assert_int_equal(odd != NULL, there[k]);
            if (!odd) continue;
            assert_true(odd->number == (uint8_t)k && odd->part[3] == (uint8_t)~k);
            aligned_is_whole(e[k], k);
        }
    }
}

/* An allocator that gives nothing large, and remembers what it was asked for. */
static size_t largest;
static void *modest(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    if (new_size > largest) largest = new_size;
    if (new_size > 1 << 20) return NULL;
    covey_allocator inner = test_allocator(context);
    return inner.fn(inner.context, ptr, old_size, new_size, align);
}

static void cannot_be_added(covey_world *in, covey_entity e, uint32_t size, covey_storage storage, bool asks) {
    char name[32];
    snprintf(name, sizeof name, "Large %u %d", size, (int)storage);
    const covey_type *type =
        covey_type_create(in, &(covey_type){ .name = name, .size = size, .align = 1, .storage = storage });
    assert_non_null(type);
    largest = 0;
    in->inner->result = COVEY_OK;
    assert_null(covey_add_raw(in, e, type, NULL));
    assert_int_equal(covey_world_result(in), COVEY_ERROR_MEMORY);
    assert_int_equal(largest > 1 << 20, asks);
    assert_false(covey_has_raw(in, e, type));
    test_world_is_valid(in);
}

/* Chunks of 4 GiB and more are not asked for, whatever a product that overflows makes of them. */
static void test_values_whose_chunks_cannot_exist_are_refused(void **state) {
    (void)state;
    test_heap small = { 0 };
    covey_world *in = covey_world_create(&(covey_world_desc){ .allocator = { modest, &small } });
    covey_entity e = covey_create(in);
    cannot_be_added(in, e, (1u << 26) - 1, COVEY_STORAGE_PINNED, SIZE_MAX > UINT32_MAX);
    cannot_be_added(in, e, 1u << 26, COVEY_STORAGE_PINNED, false); /* 0 bytes for 64, in 32 bits */
    cannot_be_added(in, e, (1u << 26) + 1, COVEY_STORAGE_PINNED, false);
    cannot_be_added(in, e, UINT32_MAX, COVEY_STORAGE_PINNED, false);
    cannot_be_added(in, e, 1u << 28, COVEY_STORAGE_BLOCK, true);
    cannot_be_added(in, e, 1u << 29, COVEY_STORAGE_BLOCK, false); /* for 8 */
    cannot_be_added(in, e, UINT32_MAX, COVEY_STORAGE_BLOCK, false);
    covey_world_destroy(in);
    assert_int_equal(small.bytes, 0);
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

/* Slabs of 1, 1, 2 and 4 chunks; the last has one in use, one free and two that never were. */
static void test_the_validator_sees_what_is_wrong_with_slabs(void **state) {
    (void)state;
    covey_entity e[384];
    create_many(e, COUNT_OF(e));
    for (uint32_t block = 0; block < 6; block++) fill_block(e, block, covey_id(Pinned));
    empty_block(e, 5, covey_id(Pinned));
    covey__block_store *blocks = store_of(covey_id(Pinned));
    covey__slab *slab = NULL, *full = NULL;
    for (uint32_t i = 0; i < blocks->slab_count; i++) {
        if (blocks->slabs[i]->chunks == 4) slab = blocks->slabs[i];
        if (blocks->slabs[i]->chunks == 2) full = blocks->slabs[i];
    }
    const uint32_t class = 2; /* of 64 slots */
    assert_ptr_equal(blocks->roomy[class], slab);
    assert_int_equal(slab->used, 1);
    assert_int_equal(slab->fresh, 2);

    covey__slab *first = blocks->slabs[0], *second = blocks->slabs[1];
    blocks->slabs[0] = second;
    blocks->slabs[1] = first;
    assert_reason("slabs: not sorted by address");
    blocks->slabs[0] = first;
    blocks->slabs[1] = second;
    BREAK(uint32_t, slab->used, 2, "slabs: a chunk is neither free nor used");
    BREAK(uint32_t, slab->fresh, 3, "slabs: a chunk is neither free nor used");
    BREAK(uint32_t, slab->free, UINT32_MAX, "slabs: a chunk is neither free nor used");
    BREAK(uint32_t, slab->free, 3, "slabs: a chunk is neither free nor used");
    uint32_t *next = (uint32_t *)(void *)((char *)slab + HEADER + slab->stride); /* of the free chunk */
    BREAK(uint32_t, *next, 1, "slabs: a chunk is neither free nor used");
    BREAK(covey__slab *, blocks->roomy[class], NULL, "slabs: a slab with room is not in its list, or a full one is");
    BREAK(covey__slab *, slab->next, full, "slabs: a slab with room is not in its list, or a full one is");
    BREAK(uint8_t, slab->capacity, 32, "slabs: the number of chunks is wrong");
    covey__block_page *page = covey__block_page_of(blocks, 256);
    char **data = &page->chunks[covey__block_of(256)].data;
    BREAK(char *, *data, *data + 1, "slabs: the number of chunks is wrong");
    BREAK(char *, *data, *data + slab->stride, "slabs: a chunk is used twice, or both free and used");
}

static void test_the_validator_sees_a_pinned_block_that_is_not_direct(void **state) {
    (void)state;
    create_with(covey_id(Blocked), 1);
    BREAK(bool, store_of(covey_id(Blocked))->pinned, true, "block: a block of a pinned pool is not direct");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_slabs_start_small),
        WORLD_TEST(test_slabs_of_scattered_components_start_small),
        WORLD_TEST(test_slabs_grow_with_what_there_is),
        WORLD_TEST(test_blocks_filled_in_order_lie_side_by_side),
        WORLD_TEST(test_neighbours_are_no_longer_joined_when_one_goes),
        WORLD_TEST(test_chunks_of_a_row_follow_each_other),
        WORLD_TEST(test_a_row_that_loses_a_chunk_is_a_slab_like_others),
        WORLD_TEST(test_the_length_of_a_row),
        WORLD_TEST(test_blocks_of_a_kind_are_rows),
        WORLD_TEST(test_an_empty_slab_is_returned_while_another_has_room),
        WORLD_TEST(test_the_last_slab_with_room_is_kept),
        WORLD_TEST(test_the_chunk_that_was_given_back_last_is_taken_first),
        WORLD_TEST(test_nothing_is_left_after_clearing_and_shrinking),
        WORLD_TEST(test_compacted_slabs_are_exact_and_in_order),
        WORLD_TEST(test_compacting_what_is_compact_moves_nothing),
        WORLD_TEST(test_compacting_puts_full_blocks_in_order),
        WORLD_TEST(test_compaction_survives_each_failure),
        WORLD_TEST(test_compaction_takes_little_more_than_there_was),
        WORLD_TEST(test_blocks_grow_from_capacities_that_only_compaction_gives),
        WORLD_TEST(test_odd_sizes_and_large_alignments_through_everything),
        WORLD_TEST(test_values_whose_chunks_cannot_exist_are_refused),
        WORLD_TEST(test_the_validator_sees_what_is_wrong_with_slabs),
        WORLD_TEST(test_the_validator_sees_a_pinned_block_that_is_not_direct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
