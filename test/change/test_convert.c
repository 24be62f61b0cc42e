/* Converting pools: every pair of storages, with what the components are and what they are not to notice. */
#include "fixture.h"

static const covey_storage storages[] = { COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK, COVEY_STORAGE_PINNED };

/* Sizes and alignments; the first is a tag. */
static const struct {
    uint32_t size, align;
} shapes[] = { { 0, 1 }, { 1, 1 }, { 4, 4 }, { 12, 4 }, { 16, 16 }, { 64, 64 }, { 200, 8 } };

typedef void fill_fn(covey_pool *pool);

static const covey_type *make_type(uint32_t shape, covey_storage storage) {
    covey_type type = { .name = "Made", .size = shapes[shape].size, .align = shapes[shape].align, .storage = storage };
    const covey_type *made = covey_type_create(world, &type);
    assert_non_null(made);
    return made;
}

/* ---- Fillings -----------------------------------------------------------------------------------------------------*/

enum { MANY = 300 };

static void value_bytes(uint32_t index, unsigned char *bytes, uint32_t size) {
    for (uint32_t i = 0; i < size; i++) bytes[i] = (unsigned char)(index * 31 + i + 1);
}

static void give(covey_pool *pool, covey_entity e) {
    unsigned char bytes[256];
    value_bytes(e.index, bytes, pool->size);
    assert_non_null(covey_pool_add_raw(pool, e, bytes));
}

static void fill_nothing(covey_pool *pool) { (void)pool; }
static void fill_all(covey_pool *pool) {
    for (uint32_t i = 0; i < MANY; i++) give(pool, covey_create(world));
}
static void fill_some(covey_pool *pool) {
    test_random random = { 7 };
    covey_entity made[MANY];
    assert_true(covey_create_many(world, made, MANY));
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t at = i + test_below(&random, MANY - i);
        covey_entity e = made[at];
        made[at] = made[i];
        if (test_below(&random, 3) == 0) give(pool, e);
        else if (test_below(&random, 4) == 0) covey_destroy(world, e);
    }
}
static void fill_far(covey_pool *pool) { give(pool, covey_create_at(world, 200 * COVEY_PAGE_SIZE + 1)); }
static void fill_and_empty(covey_pool *pool) {
    fill_all(pool);
    covey_clear_raw(world, covey_pool_type(pool));
}

static fill_fn *const fillings[] = { fill_nothing, fill_all, fill_some, fill_far, fill_and_empty };

/* ---- What must hold -----------------------------------------------------------------------------------------------*/

/* Each entity that is alive has the value that is its own, or none. */
static uint32_t check_values(const covey_pool *pool) {
    uint32_t holders = 0;
    unsigned char bytes[256];
    for (covey_entity e = covey_entity_next(world, entity(0, 0)); !covey_is_null(e); e = covey_entity_next(world, e)) {
        const void *value = covey_pool_get_raw(pool, e);
        assert_int_equal(value != NULL, covey_pool_has(pool, e));
        if (!value) continue;
        holders++;
        value_bytes(e.index, bytes, pool->size);
        assert_memory_equal(value, bytes, pool->size);
        assert_int_equal((uintptr_t)value % covey_pool_type(pool)->align, 0);
    }
    return holders;
}

static void check_order(const covey_pool *pool) {
    uint32_t last = 0;
    for (uint32_t p = covey_pool_next(pool, 0), i = 0; p != COVEY_NONE; p = covey_pool_next(pool, p + 1), i++) {
        if (pool->storage == COVEY_STORAGE_SPARSE) assert_int_equal(p, i);
        if (i != 0) assert_true(covey_pool_at(pool, p).index > last);
        last = covey_pool_at(pool, p).index;
    }
}

static void check_view(const covey_pool *pool) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_pool_type(pool) } });
    uint32_t rows = 0, spans = 0;
    covey_iter it = covey_view_iter(&view);
    for (covey_row row = { 0 }; covey_next_row(&it, &row); rows++)
        assert_true(covey_pool_has(pool, covey_row_entity(&it, row)));
    it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++, spans++) {
            const void *value = covey_pool_get_raw(pool, covey_span_entity(&it, i));
            if (pool->size != 0) assert_ptr_equal((char *)covey_field_raw(&it, 0) + i * pool->size, value);
        }
    assert_int_equal(rows, covey_pool_count(pool));
    assert_int_equal(spans, covey_pool_count(pool));
    assert_int_equal(covey_view_count(&view), covey_pool_count(pool));
}

static void check_pool(covey_pool *pool, covey_storage storage, uint32_t count) {
    test_world_is_valid(world);
    assert_int_equal(pool->storage, storage);
    assert_ptr_equal(covey_pool_find_raw(world, covey_pool_type(pool)), pool);
    assert_int_equal(covey_pool_count(pool), count);
    assert_int_equal(check_values(pool), count);
    check_view(pool);
}

/* The pool goes on to work: the holders die one by one, and others come. */
static void use_up(covey_pool *pool) {
    for (covey_entity e = covey_entity_next(world, entity(0, 0)); !covey_is_null(e); e = covey_entity_next(world, e)) {
        if (e.index % 2 == 0) covey_destroy(world, e);
        else if (covey_pool_has(pool, e)) assert_true(covey_pool_remove_raw(pool, e));
        else give(pool, e);
    }
    check_values(pool);
    for (uint32_t i = 0; i < 20; i++) give(pool, covey_create(world));
    check_values(pool);
    test_world_is_valid(world);
}

/* ---- Pairs --------------------------------------------------------------------------------------------------------*/

static void convert_pair(uint32_t shape, covey_storage from, covey_storage to, fill_fn *fill) {
    const covey_type *type = make_type(shape, from);
    covey_pool *pool = covey_pool_of_raw(world, type);
    fill(pool);
    uint32_t count = covey_pool_count(pool);
    uint64_t calls = heap.calls;
    covey_result expected = from == COVEY_STORAGE_PINNED && to != from ? COVEY_ERROR_REFUSED : COVEY_OK;
    assert_int_equal(covey_pool_convert(pool, to), expected);
    if (from == to || expected != COVEY_OK) assert_int_equal(heap.calls, calls);
    check_pool(pool, expected == COVEY_OK ? to : from, count);
    if (from != to) check_order(pool);
    use_up(pool);
}

static void test_every_pair_of_storages(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 9 * COUNT_OF(shapes) * COUNT_OF(fillings); i++) {
        uint32_t shape = i / 9 % COUNT_OF(shapes);
        convert_pair(shape, storages[i % 3], storages[i / 3 % 3], fillings[i / 9 / COUNT_OF(shapes)]);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
}

static void test_there_and_back_again(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of_raw(world, make_type(3, COVEY_STORAGE_DEFAULT));
    fill_some(pool);
    uint32_t count = covey_pool_count(pool);
    for (uint32_t i = 0; i < 6; i++) {
        covey_storage storage = i % 2 == 0 ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
        assert_int_equal(covey_pool_convert(pool, storage), COVEY_OK);
        check_pool(pool, storage, count);
        check_order(pool);
    }
}

static void test_the_default_is_what_the_type_says(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        covey_pool *pool = covey_pool_of_raw(world, i == 0 ? covey_id(Blocked) : covey_id(Packed));
        covey_storage own = i == 0 ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
        for (uint32_t k = 0; k < 9; k++) create_with(covey_pool_type(pool), k);
        assert_int_equal(covey_pool_convert(pool, i == 0 ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK), COVEY_OK);
        assert_int_not_equal(pool->storage, own);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_DEFAULT), COVEY_OK);
        assert_int_equal(pool->storage, own);
    }
}

static void refuse(covey_pool *pool, covey_storage storage, covey_result reason) {
    uint64_t digest = world_digest(world);
    uint32_t before = pool->storage;
    assert_int_equal(covey_pool_convert(pool, storage), reason);
    assert_failed(reason);
    assert_int_equal(pool->storage, before);
    assert_int_equal(world_digest(world), digest);
}

static void test_what_is_refused(void **state) {
    (void)state;
    for (uint32_t i = 1; i < COUNT_OF(policy_types); i++) { /* a policy is named */
        covey_pool *pool = covey_pool_of_raw(world, policy_types[i]);
        create_with(policy_types[i], i);
        refuse(pool, COVEY_STORAGE_BLOCK, COVEY_ERROR_REFUSED);
        refuse(pool, COVEY_STORAGE_PINNED, COVEY_ERROR_REFUSED);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_SPARSE), COVEY_OK);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_DEFAULT), COVEY_OK);
    }
    covey_pool *pool = covey_pool_of(world, Packed);
    create_with(covey_id(Packed), 1);
    refuse(pool, (covey_storage)4, COVEY_ERROR_RANGE);
    refuse(pool, (covey_storage)-1, COVEY_ERROR_RANGE);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_PINNED), COVEY_OK);
    refuse(pool, COVEY_STORAGE_SPARSE, COVEY_ERROR_REFUSED); /* its addresses are stable from now on */
    refuse(pool, COVEY_STORAGE_BLOCK, COVEY_ERROR_REFUSED);
    refuse(pool, COVEY_STORAGE_DEFAULT, COVEY_ERROR_REFUSED);
    refuse(pool, (covey_storage)4, COVEY_ERROR_RANGE);
}

static void test_addresses_are_stable_in_a_pool_that_became_pinned(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of_raw(world, make_type(2, COVEY_STORAGE_SPARSE));
    fill_some(pool);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_PINNED), COVEY_OK);
    const void *at[2 * MANY] = { NULL };
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
        at[p] = covey_pool_value_at_raw(pool, p);
    for (covey_entity e = covey_entity_next(world, entity(0, 0)); !covey_is_null(e); e = covey_entity_next(world, e))
        if (!covey_pool_has(pool, e)) give(pool, e);
    covey_compact(world);
    covey_shrink(world);
    for (uint32_t p = 0; p < COUNT_OF(at); p++)
        if (at[p]) assert_ptr_equal(covey_pool_value_at_raw(pool, p), at[p]);
}

static void test_order_by_use_is_forgotten_with_the_order(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    covey_entity a = create_with(covey_id(Packed), 1), b = create_with(covey_id(Packed), 2);
    assert_int_equal(covey_pool_swap(pool, a, b), COVEY_OK);
    assert_same(covey_pool_at(pool, 0), b);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_same(covey_pool_at(pool, 0), a);
}

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

static uint32_t drops, copies;
static void drop(void *value, void *context) {
    (void)context;
    assert_int_equal(((Value *)value)->check, ~((Value *)value)->number);
    drops++;
}
static bool copy(void *to, const void *from, void *context) {
    (void)context;
    copies++;
    memcpy(to, from, sizeof(Value));
    return true;
}

static void test_values_are_dropped_once_and_never_by_a_conversion(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 9; i++) {
        covey_storage from = storages[i % 3], to = storages[i / 3];
        covey_type desc = {
            .name = "Owner", .size = sizeof(Value), .align = 4, .storage = from, .drop = drop, .copy = copy
        };
        const covey_type *type = covey_type_create(world, &desc);
        covey_entity e[100];
        drops = copies = 0;
        for (uint32_t k = 0; k < COUNT_OF(e); k++) e[k] = create_with(type, k);
        (void)covey_pool_convert(covey_pool_of_raw(world, type), to); /* pinned ones refuse */
        assert_int_equal(drops + copies, 0);
        for (uint32_t k = 0; k < 10; k++) assert_true(remove_value(e[k], type));
        assert_int_equal(drops, 10);
        for (uint32_t k = 5; k < 20; k++) covey_destroy(world, e[k]);
        assert_int_equal(drops, 20);
        world_teardown(NULL);
        assert_int_equal(drops, COUNT_OF(e));
        assert_int_equal(world_setup(NULL), 0);
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* An allocator that looks through the bytes that it takes back. */
#define SECRET UINT64_C(0x5EC2E75EC2E75EC2)
static covey_allocator behind;
static uint32_t secrets_seen;

static uint32_t secrets_in(const char *bytes, size_t size) {
    uint32_t found = 0;
    for (size_t i = 0; i + 8 <= size; i++) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        found += word == SECRET;
    }
    return found;
}

static void *look_and_resize(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    uint32_t found = ptr ? secrets_in(ptr, old_size) : 0;
    void *fresh = behind.fn(context, ptr, old_size, new_size, align);
    if (fresh || new_size == 0) secrets_seen += found;
    return fresh;
}

static void keep_secrets(covey_storage from, covey_storage to, uint64_t fail_at) {
    covey_world_desc desc = world_desc();
    behind = desc.allocator;
    desc.allocator.fn = look_and_resize;
    covey_world_destroy(world);
    world = covey_world_create(&desc);
    covey_type hidden = { .name = "Hidden", .size = 16, .align = 8, .storage = from, .zero_erased = true };
    const covey_type *type = covey_type_create(world, &hidden);
    uint64_t secret[2] = { SECRET, SECRET };
    for (uint32_t i = 0; i < MANY; i++) {
        covey_entity e = covey_create(world);
        if (i % 7 < 4) assert_non_null(covey_add_raw(world, e, type, secret));
    }
    if (fail_at != 0) test_fail_at(&heap, fail_at, false);
    (void)covey_pool_convert(covey_pool_of_raw(world, type), to);
    test_fail_never(&heap);
    assert_int_equal(secrets_seen, 0);
    for (uint32_t i = 0; i < 50; i++) covey_add_raw(world, covey_create(world), type, secret);
    covey_shrink(world);
    covey_compact(world);
    covey_destroy_all(world);
    covey_shrink(world);
    assert_int_equal(secrets_seen, 0);
}

static void test_no_bytes_are_left_behind_where_they_must_not_be(void **state) {
    (void)state;
    secrets_seen = 0;
    for (uint32_t i = 0; i < 9; i++)
        for (uint64_t fail_at = 0; fail_at < 12; fail_at++) keep_secrets(storages[i % 3], storages[i / 3], fail_at);
}

/* Whether an allocation was left to fail. */
static bool fails_at(uint32_t shape, covey_storage from, covey_storage to, uint64_t at, bool for_good) {
    covey_pool *pool = covey_pool_of_raw(world, make_type(shape, from));
    fill_some(pool);
    fill_far(pool);
    uint32_t count = covey_pool_count(pool);
    uint64_t digest = world_digest(world);
    size_t bytes = covey_world_memory(world), own = covey_pool_memory(pool);
    test_fail_at(&heap, at, for_good);
    covey_result result = covey_pool_convert(pool, to);
    bool failed = heap.failed;
    test_fail_never(&heap);
    assert_int_equal(result, failed ? COVEY_ERROR_MEMORY : COVEY_OK);
    if (failed) {
        assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(world_digest(world), digest);
        assert_int_equal(covey_world_memory(world), bytes);
        assert_int_equal(covey_pool_memory(pool), own);
        assert_int_equal(heap.bytes, bytes);
    }
    check_pool(pool, failed ? from : to, count);
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
    return failed;
}

static void test_out_of_memory_everything_is_as_it_was(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6 * 3 * 2; i++) {
        covey_storage from = storages[i % 2], to = storages[i / 2 % 3];
        uint32_t shape = (uint32_t[]){ 0, 2, 5 }[i / 6 % 3];
        uint64_t at = 1;
        while (from != to && fails_at(shape, from, to, at, i / 18 != 0)) at++;
        if (from != to) assert_true(at > 3);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_every_pair_of_storages),
        WORLD_TEST(test_there_and_back_again),
        WORLD_TEST(test_the_default_is_what_the_type_says),
        WORLD_TEST(test_what_is_refused),
        WORLD_TEST(test_addresses_are_stable_in_a_pool_that_became_pinned),
        WORLD_TEST(test_order_by_use_is_forgotten_with_the_order),
        WORLD_TEST(test_values_are_dropped_once_and_never_by_a_conversion),
        WORLD_TEST(test_no_bytes_are_left_behind_where_they_must_not_be),
        WORLD_TEST(test_out_of_memory_everything_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
