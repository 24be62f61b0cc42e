/* Memory: what allocators are asked for, what is counted, and what comes back. */
#include "sets.h"

typedef struct Plain {
    uint32_t a, b;
} Plain;
typedef struct Wide {
    _Alignas(64) uint32_t a;
} Wide;
typedef Plain Fixed;
typedef Plain Kept;
typedef Plain Sorted;
typedef Plain Blocked;
typedef Wide BlockedWide;
COVEY_COMPONENT_DEFINE(Plain, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Wide, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Kept, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Sorted, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Blocked);
COVEY_COMPONENT_DEFINE(BlockedWide);
COVEY_TAG_DEFINE(Marked, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(BlockedTag);

/* ---- The C library ------------------------------------------------------------------------------------------------*/

static void the_c_library_serves_every_alignment(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        for (uint32_t align = 1; align <= 64; align *= 2) {
            covey_sparse_set_desc desc = { .size = align, .align = align, .policy = (covey_policy)policy };
            covey_sparse_set *set = covey_sparse_set_create(&desc);
            assert_non_null(set);
            char value[64];
            for (uint32_t i = 0; i < 200; i++) {
                memset(value, (int)i, sizeof value);
                assert_int_equal(covey_sparse_set_push(set, id(i), value), COVEY_OK);
            }
            for (uint32_t i = 0; i < 200; i++) {
                memset(value, (int)i, sizeof value);
                assert_int_equal((uintptr_t)covey_sparse_set_get(set, id(i)) % align, 0);
                assert_memory_equal(covey_sparse_set_get(set, id(i)), value, align);
            }
            covey_sparse_set_shrink(set);
            test_set_is_valid(set);
            covey_sparse_set_destroy(set);
        }
    }
}

static void a_world_needs_no_description(void **state) {
    (void)state;
    covey_world *world = covey_world_create(NULL);
    assert_non_null(world);
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity e = covey_create(world);
        assert_non_null(covey_add(world, e, Plain, { i, 0 }));
        assert_non_null(covey_add(world, e, Blocked, { i, 0 }));
        const Wide *wide = covey_add(world, e, Wide, { .a = i });
        const BlockedWide *blocked_wide = covey_add(world, e, BlockedWide, { .a = i });
        assert_true(wide && blocked_wide);
        assert_int_equal((uintptr_t)wide % 64, 0);
        assert_int_equal((uintptr_t)blocked_wide % 64, 0);
    }
    test_world_is_valid(world);
    covey_world_destroy(world);
    covey_world_destroy(NULL);
}

/* ---- An allocator of one's own ------------------------------------------------------------------------------------*/

/* Writes down what it is asked for, and leaves the rest to the strict allocator. */
typedef struct recorder {
    test_heap heap;
    size_t largest_align, limit;
    uint32_t frees;
} recorder;

static void *record(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    recorder *r = context;
    if (align > r->largest_align) r->largest_align = align;
    if (new_size == 0) r->frees++;
    if (r->limit != 0 && new_size > r->limit) return NULL;
    covey_allocator strict = test_allocator(&r->heap);
    return strict.fn(strict.context, ptr, old_size, new_size, align);
}

static void values_are_asked_for_with_their_alignment(void **state) {
    (void)state;
    for (uint32_t align = 8; align <= 64; align *= 2) {
        recorder r = { .limit = 0 };
        covey_sparse_set_desc desc = { align, align, COVEY_SWAP_AND_POP, false, { record, &r } };
        covey_sparse_set *set = covey_sparse_set_create(&desc);
        assert_non_null(set);
        assert_int_equal(covey_sparse_set_push(set, id(0), NULL), COVEY_OK);
        assert_int_equal(r.largest_align, align);
        covey_sparse_set_destroy(set);
        assert_int_equal(r.heap.blocks, 0);
    }
}

static void every_block_comes_back_as_one_free(void **state) {
    (void)state;
    recorder r = { .limit = 0 };
    covey_world *world = covey_world_create(&(covey_world_desc){ .allocator = { record, &r } });
    assert_non_null(world);
    for (uint32_t i = 0; i < 50; i++) {
        covey_entity e = covey_create(world);
        assert_non_null(covey_add(world, e, Plain, { i, i }));
        assert_non_null(covey_add(world, e, Fixed, { i, i }));
        assert_non_null(covey_add(world, e, Blocked, { i, i }));
    }
    uint32_t frees = r.frees;
    size_t blocks = r.heap.blocks;
    covey_world_destroy(world);
    assert_int_equal(r.frees - frees, blocks);
    assert_int_equal(r.heap.bytes, 0);
}

static void worlds_keep_their_allocators_apart(void **state) {
    (void)state;
    test_heap heaps[2] = { { 0 }, { 0 } };
    covey_world *worlds[2];
    for (uint32_t i = 0; i < 2; i++) {
        worlds[i] = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&heaps[i]) });
        assert_non_null(worlds[i]);
    }
    size_t untouched = heaps[1].bytes;
    assert_non_null(covey_add(worlds[0], covey_create(worlds[0]), Plain, { 1, 2 }));
    assert_int_equal(heaps[1].bytes, untouched);
    covey_world_destroy(worlds[0]);
    assert_int_equal(heaps[0].bytes, 0);
    assert_int_equal(covey_world_memory(worlds[1]), heaps[1].bytes);
    covey_world_destroy(worlds[1]);
    assert_int_equal(heaps[1].bytes, 0);
}

/* ---- Counting -----------------------------------------------------------------------------------------------------*/

/* The world counts the bytes in use of its allocator exactly; pools are a part of them. */
static void counts_agree(const covey_world *world, const test_heap *heap) {
    size_t pools = 0;
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) pools += covey_pool_memory(covey_world_pool(world, i));
    assert_int_equal(covey_world_memory(world), heap->bytes);
    assert_true(pools < heap->bytes);
    test_world_is_valid(world);
}

static void add_all_kinds(covey_world *world, covey_entity e) {
    assert_non_null(covey_add(world, e, Plain, { 1, 2 }));
    assert_non_null(covey_add(world, e, Wide, { .a = 3 }));
    assert_non_null(covey_add(world, e, Fixed, { 4, 5 }));
    assert_non_null(covey_add(world, e, Kept, { 6, 7 }));
    assert_non_null(covey_add(world, e, Sorted, { 8, 9 }));
    assert_non_null(covey_add(world, e, Blocked, { 10, 11 }));
    assert_non_null(covey_add(world, e, BlockedWide, { .a = 12 }));
    assert_true(covey_add_tag(world, e, Marked));
    assert_true(covey_add_tag(world, e, BlockedTag));
}

static void a_world_counts_every_byte_at_every_step(void **state) {
    (void)state;
    test_heap heap = { 0 };
    covey_world *world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&heap) });
    assert_non_null(world);
    counts_agree(world, &heap);
    covey_entity e[60];
    for (uint32_t i = 0; i < 60; i++) {
        e[i] = i % 7 == 6 ? covey_create_at(world, (100 + i / 7) * COVEY_PAGE_SIZE) : covey_create(world);
        counts_agree(world, &heap);
        add_all_kinds(world, e[i]);
        counts_agree(world, &heap);
    }
    assert_int_equal(covey_range_reserve(world, 200 * COVEY_PAGE_SIZE, 10).count, 10);
    counts_agree(world, &heap);
    covey_type made = { .name = "made at run time", .size = 12, .align = 4 };
    assert_non_null(covey_type_create(world, &made));
    counts_agree(world, &heap);
    for (uint32_t i = 0; i < 60; i += 2) {
        assert_true(covey_destroy(world, e[i]));
        counts_agree(world, &heap);
    }
    covey_compact(world);
    counts_agree(world, &heap);
    size_t before = heap.bytes;
    covey_shrink(world);
    counts_agree(world, &heap);
    assert_true(heap.bytes < before);
    covey_clear_components(world);
    covey_shrink(world);
    counts_agree(world, &heap);
    covey_world_destroy(world);
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.blocks, 0);
}

POLICY_TEST(a_set_counts_every_byte_at_every_step) {
    test_random random = { 11 };
    for (uint64_t steps = test_scaled(2000); steps-- != 0;) {
        covey_entity e = id(test_below(&random, COVEY_NONE > 3000 ? 3000 : COVEY_NONE));
        if (covey_sparse_set_live(set, e)) covey_sparse_set_erase(set, e);
        else push_number(set, e, 1);
        if (steps % 50 == 0) covey_sparse_set_shrink(set);
        if (steps % 90 == 0) covey_sparse_set_compact(set);
        assert_int_equal(covey_sparse_set_memory(set), heap->bytes);
    }
}

/* ---- Too much -----------------------------------------------------------------------------------------------------*/

/* Where the product of count and size does not fit in a size_t, the allocator is not even asked. */
static void values_larger_than_all_memory_are_refused(void **state) {
    (void)state;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        recorder r = { .limit = 1 << 20 };
        covey_sparse_set_desc desc = { UINT32_MAX - 63, 64, (covey_policy)policy, false, { record, &r } };
        covey_sparse_set *set = covey_sparse_set_create(&desc);
        assert_non_null(set);
        assert_int_equal(covey_sparse_set_reserve(set, 1000), COVEY_ERROR_MEMORY);
        assert_int_equal(covey_sparse_set_reserve(set, COVEY_NONE), COVEY_ERROR_MEMORY);
        assert_int_equal(covey_sparse_set_push(set, id(0), NULL), COVEY_ERROR_MEMORY);
        covey_entity range[] = { id(1), id(2) };
        assert_int_equal(covey_sparse_set_push_range(set, range, 2, NULL), COVEY_ERROR_MEMORY);
        assert_int_equal(covey_sparse_set_position_count(set), 0);
        assert_false(covey_sparse_set_contains(set, id(0)));
        set_finish(set, &r.heap);
    }
}

static void refuse_larger_than_all_memory(covey_storage storage) {
    recorder r = { .limit = 1 << 20 };
    covey_world *world = covey_world_create(&(covey_world_desc){ .allocator = { record, &r } });
    assert_non_null(world);
    covey_entity e = covey_create(world);
    const covey_type *huge =
        covey_type_create(world, &(covey_type){ .name = "huge", .size = UINT32_MAX, .storage = storage });
    assert_non_null(huge);
    assert_null(covey_add_raw(world, e, huge, NULL));
    assert_int_equal(covey_world_result(world), COVEY_ERROR_MEMORY);
    covey_result reserved = covey_pool_reserve(covey_pool_find_raw(world, huge), COVEY_NONE);
    assert_int_equal(reserved, storage == COVEY_STORAGE_SPARSE ? COVEY_ERROR_MEMORY : COVEY_OK); /* blocks need none */
    assert_false(covey_has_raw(world, e, huge));
    assert_true(covey_is_empty(world, e));
    counts_agree(world, &r.heap);
    covey_world_destroy(world);
    assert_int_equal(r.heap.bytes, 0);
}
static void a_component_larger_than_all_memory_is_refused(void **state) {
    (void)state;
    refuse_larger_than_all_memory(COVEY_STORAGE_SPARSE);
    refuse_larger_than_all_memory(COVEY_STORAGE_BLOCK);
    refuse_larger_than_all_memory(COVEY_STORAGE_PINNED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_c_library_serves_every_alignment),
        cmocka_unit_test(a_world_needs_no_description),
        cmocka_unit_test(values_are_asked_for_with_their_alignment),
        cmocka_unit_test(every_block_comes_back_as_one_free),
        cmocka_unit_test(worlds_keep_their_allocators_apart),
        cmocka_unit_test(a_world_counts_every_byte_at_every_step),
        cmocka_unit_test(a_set_counts_every_byte_at_every_step),
        cmocka_unit_test(values_larger_than_all_memory_are_refused),
        cmocka_unit_test(a_component_larger_than_all_memory_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
