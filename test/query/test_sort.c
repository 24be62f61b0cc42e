/* Order: sorting a pool, sorting it as another, keeping it sorted, and when an ordered pool is compacted. The result is
 * compared with an insertion sort over a copy of the values. */
#include "observe/observers.h"
#include <covey/fields.h>
#include "fixture.h"

#include <float.h>
#include <math.h>

enum { COUNT = 700, WIDEST = 200 };
static covey_entity e[COUNT];

static int sort_setup(void **state) {
    int result = world_setup(state);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
    return result;
}
#define SORT_TEST(test) cmocka_unit_test_setup_teardown(test, sort_setup, world_teardown)

/* A key of any kind, and a number that tells values with the same key from each other. */
typedef struct Keyed {
    unsigned char key[8];
    uint32_t number, check;
} Keyed;
COVEY_COMPONENT_DEFINE(Keyed, .storage = COVEY_STORAGE_SPARSE);

static const covey_order by_number = { .key = COVEY_KEY_U32, .offset = offsetof(Value, number) };
static const covey_order by_number_down = { .key = COVEY_KEY_U32,
                                            .offset = offsetof(Value, number),
                                            .descending = true };

/* ---- The naive sort -----------------------------------------------------------------------------------------------*/

typedef struct row {
    covey_entity e;
    unsigned char bytes[WIDEST];
} row;
static row rows[COUNT + 100]; /* what the pool should have, in this order */
static uint32_t row_count;

/* The positions of a pool, the dead ones behind included. */
static void remember(const covey_pool *pool) {
    row_count = covey_sparse_set_position_count(&pool->set);
    assert_true(row_count <= COUNT_OF(rows) && pool->size <= WIDEST);
    for (uint32_t i = 0; i < row_count; i++) {
        rows[i].e = pool->set.ids[i];
        memcpy(rows[i].bytes, (const char *)pool->set.data + (size_t)i * pool->size, pool->size);
    }
}

static int compare_doubles(double a, double b, bool descending) {
    if (isnan(a) || isnan(b)) return (isnan(a) != 0) - (isnan(b) != 0); /* last, in both directions */
    int result = (a > b) - (a < b);
    return descending ? -result : result;
}

#define COMPARE_AS(type)                             \
    do {                                             \
        type a, b;                                   \
        memcpy(&a, left, sizeof a);                  \
        memcpy(&b, right, sizeof b);                 \
        int result = (a > b) - (a < b);              \
        return order->descending ? -result : result; \
    } while (0)

#define COMPARE_FLOATS(type)                             \
    do {                                                 \
        type a, b;                                       \
        memcpy(&a, left, sizeof a);                      \
        memcpy(&b, right, sizeof b);                     \
        return compare_doubles(a, b, order->descending); \
    } while (0)

static int compare_keys(const covey_order *order, const void *left, const void *right) {
    switch (order->key) {
    case COVEY_KEY_F32: COMPARE_FLOATS(float);
    case COVEY_KEY_F64: COMPARE_FLOATS(double);
    case COVEY_KEY_I32: COMPARE_AS(int32_t);
    case COVEY_KEY_I64: COMPARE_AS(int64_t);
    case COVEY_KEY_U64: COMPARE_AS(uint64_t);
    case COVEY_KEY_INDEX:
    case COVEY_KEY_U32: break;
    }
    COMPARE_AS(uint32_t);
}

static int compare_rows(const covey_order *order, const row *a, const row *b) {
    unsigned char left[8], right[8];
    uint32_t index = a->e.index, other = b->e.index;
    if (order->compare || order->compare_entities) {
        int result = order->compare ? order->compare(a->bytes, b->bytes, order->context)
                                    : order->compare_entities(a->e, a->bytes, b->e, b->bytes, order->context);
        return order->descending ? -result : result;
    }
    if (order->key == COVEY_KEY_INDEX) return compare_keys(order, &index, &other);
    if (order->key_of_entity) {
        order->key_of_entity(left, a->e, a->bytes, order->context);
        order->key_of_entity(right, b->e, b->bytes, order->context);
        return compare_keys(order, left, right);
    }
    if (!order->key_of) return compare_keys(order, a->bytes + order->offset, b->bytes + order->offset);
    order->key_of(left, a->bytes, order->context);
    order->key_of(right, b->bytes, order->context);
    return compare_keys(order, left, right);
}

/* Sorts `count` rows from the first one of the part on. Only numbers of rows move until the end. */
static void naive_sort(const covey_order *order, uint32_t count) {
    row *part = rows + order->from;
    static row copy[COUNT_OF(rows)];
    static uint32_t sorted[COUNT_OF(rows)];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at != 0 && compare_rows(order, &part[i], &part[sorted[at - 1]]) < 0; at--) sorted[at] = sorted[at - 1];
        sorted[at] = i;
    }
    memcpy(copy, part, count * sizeof *part);
    for (uint32_t i = 0; i < count; i++) part[i] = copy[sorted[i]];
}

/* The pool has the rows, byte for byte, and handles lead to them. */
static void assert_rows(const covey_pool *pool) {
    assert_int_equal(covey_sparse_set_position_count(&pool->set), row_count);
    for (uint32_t i = 0; i < row_count; i++) {
        const char *value = (const char *)pool->set.data + (size_t)i * pool->size;
        if (!covey_same(pool->set.ids[i], rows[i].e) || memcmp(value, rows[i].bytes, pool->size) != 0)
            fail_msg("position %u of %u: %u instead of %u", i, row_count, pool->set.ids[i].index, rows[i].e.index);
        if (i < pool->set.end) assert_ptr_equal(covey_pool_get_raw(pool, rows[i].e), value);
    }
    test_world_is_valid(world);
}

/* Sorts a pool, and the naive way, too. */
static void sorts(covey_pool *pool, const covey_order *order) {
    covey_order by_index = { 0 };
    const covey_order *naive = order ? order : &by_index;
    remember(pool);
    naive_sort(naive, naive->count != 0 ? naive->count : pool->set.end - naive->from);
    assert_int_equal(covey_pool_sort(pool, order), COVEY_OK);
    assert_true((pool->uses & COVEY_USE_ORDER) != 0);
    assert_rows(pool);
}

static covey_pool *fill(const covey_type *type, const uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) assert_non_null(add_value(e[i], type, numbers[i]));
    return covey_pool_of_raw(world, type);
}

static void assert_numbers(const covey_pool *pool, const uint32_t *numbers, uint32_t count) {
    assert_int_equal(covey_pool_position_count(pool), count);
    for (uint32_t i = 0; i < count; i++) {
        const Value *value = covey_pool_value_at_raw(pool, i);
        assert_int_equal(value->number, numbers[i]);
        assert_int_equal(value->check, ~numbers[i]);
    }
}
#define NUMBERS(...) (const uint32_t[]){ __VA_ARGS__ }, COUNT_OF(((const uint32_t[]){ __VA_ARGS__ }))

/* ---- Keys ---------------------------------------------------------------------------------------------------------*/

static void test_a_pool_is_sorted(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2));
    assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_OK);
    assert_numbers(pool, NUMBERS(1, 2, 3));
    assert_same(covey_pool_at(pool, 0), e[1]);
    assert_int_equal(covey_pool_sort(pool, &by_number_down), COVEY_OK);
    assert_numbers(pool, NUMBERS(3, 2, 1));
    assert_int_equal(covey_pool_sort(pool, NULL), COVEY_OK); /* by index */
    assert_numbers(pool, NUMBERS(3, 1, 2));
    assert_int_equal(heard.times, 0);
}

/* Patterns of bits that are special for one kind of key or another; the upper half matters only to kinds of 8 bytes. */
static uint64_t special_key(test_random *random, covey_key kind) {
    const float floats[] = { 0,           -0.0f,        1,        -1,        FLT_MAX, -FLT_MAX,
                             FLT_MIN / 2, -FLT_MIN / 2, INFINITY, -INFINITY, NAN,     -NAN };
    const double doubles[] = { 0,           -0.0,     1,         -1,          DBL_MAX,     -DBL_MAX,
                               DBL_MIN / 2, HUGE_VAL, -HUGE_VAL, (double)NAN, -(double)NAN };
    const uint64_t integers[] = { 0,          1,         UINT64_MAX,        INT32_MAX,        (uint64_t)1 << 31,
                                  UINT32_MAX, INT64_MAX, (uint64_t)1 << 63, (uint64_t)1 << 32 };
    uint64_t bits = 0;
    if (kind == COVEY_KEY_F32) memcpy(&bits, &floats[test_below(random, COUNT_OF(floats))], sizeof(float));
    else if (kind == COVEY_KEY_F64) memcpy(&bits, &doubles[test_below(random, COUNT_OF(doubles))], sizeof(double));
    else bits = integers[test_below(random, COUNT_OF(integers))];
    return bits;
}

/* Adds in another order than that of indices. */
static covey_pool *fill_with_keys(test_random *random, covey_key kind, uint32_t count) {
    covey_clear(world, Keyed);
    uint32_t first = test_below(random, COUNT);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t bits = (uint64_t)test_next(random) << 32 | test_next(random);
        Keyed value = { .number = i, .check = ~i };
        if (test_below(random, 3) != 0) bits = special_key(random, kind);
        memcpy(value.key, &bits, sizeof bits);
        assert_non_null(covey_add_value(world, e[(first + i * 3) % COUNT], Keyed, &value));
    }
    return covey_pool_of(world, Keyed);
}

static void test_every_kind_of_key_sorts_up_and_down(void **state) {
    (void)state;
    const uint32_t counts[] = { 3, 12, 40, 300 };
    test_random random = { 1 };
    for (int kind = COVEY_KEY_INDEX; kind <= COVEY_KEY_U64; kind++)
        for (uint32_t i = 0; i < 2 * COUNT_OF(counts); i++) {
            covey_pool *pool = fill_with_keys(&random, (covey_key)kind, counts[i / 2]);
            sorts(pool, &(covey_order){ .key = (covey_key)kind, .descending = i % 2 != 0 });
        }
}

static void assert_floats(covey_pool *pool, const float *floats, uint32_t count, bool descending) {
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_F32, .descending = descending }), COVEY_OK);
    for (uint32_t i = 0; i < count; i++) {
        float found;
        memcpy(&found, covey_pool_value_at(pool, i, Keyed)->key, sizeof found);
        if (isnan(floats[i])) assert_true(isnan(found));
        else assert_true(found == floats[i] && signbit(found) == signbit(floats[i]));
    }
}

static void test_zeros_are_equal_and_what_is_no_number_is_last_both_ways(void **state) {
    (void)state;
    const float floats[] = { NAN, 0, 1, -INFINITY, -0.0f, -NAN, INFINITY, 0 };
    for (uint32_t i = 0; i < COUNT_OF(floats); i++) {
        Keyed value = { .number = i, .check = ~i };
        memcpy(value.key, &floats[i], sizeof floats[i]);
        covey_add_value(world, e[i], Keyed, &value);
    }
    covey_pool *pool = covey_pool_of(world, Keyed);
    assert_floats(pool, (const float[]){ -INFINITY, 0, -0.0f, 0, 1, INFINITY, NAN, NAN }, 8, false);
    assert_int_equal(covey_pool_value_at(pool, 6, Keyed)->number, 0); /* equal elements keep their order */
    assert_floats(pool, (const float[]){ INFINITY, 1, 0, -0.0f, 0, -INFINITY, NAN, NAN }, 8, true);
    assert_int_equal(covey_pool_value_at(pool, 6, Keyed)->number, 0);
}

/* A number of four bytes, or eight, somewhere in a value. */
typedef struct part {
    uint32_t offset, size;
} part;

static void key_of_part(void *key, const void *value, void *context) {
    const part *of = context;
    memcpy(key, (const char *)value + of->offset, of->size);
}

static int compare_numbers_of_keyed(const void *a, const void *b, void *context) {
    const Keyed *left = a, *right = b;
    assert_ptr_equal(context, &row_count);
    return (left->key[0] > right->key[0]) - (left->key[0] < right->key[0]);
}

static void test_keys_are_made_by_a_function(void **state) {
    (void)state;
    test_random random = { 2 };
    for (int kind = COVEY_KEY_F32; kind <= COVEY_KEY_U64; kind++)
        for (uint32_t i = 0; i < 4; i++) {
            bool wide = kind == COVEY_KEY_F64 || kind == COVEY_KEY_I64 || kind == COVEY_KEY_U64;
            part of = { 0, wide ? 8 : 4 };
            covey_pool *pool = fill_with_keys(&random, (covey_key)kind, i < 2 ? 20 : 250);
            /* the offset is for keys that lie in the value: it does not matter here */
            sorts(pool, &(covey_order){ .key = (covey_key)kind,
                                        .key_of = key_of_part,
                                        .context = &of,
                                        .offset = 1000,
                                        .descending = i % 2 != 0 });
        }
}

static void test_values_are_compared_by_a_function(void **state) {
    (void)state;
    test_random random = { 3 };
    for (uint32_t i = 0; i < 8; i++) {
        covey_pool *pool = fill_with_keys(&random, COVEY_KEY_U32, i < 4 ? 10 + i : 200 + i);
        sorts(pool,
              &(covey_order){ .compare = compare_numbers_of_keyed, .context = &row_count, .descending = i % 2 != 0 });
    }
}

/* ---- Values of all sizes ------------------------------------------------------------------------------------------*/

static const covey_type sized[] = {
    { .name = "four", .size = 4, .align = 4, .storage = COVEY_STORAGE_SPARSE },
    { .name = "eight", .size = 8, .align = 8, .storage = COVEY_STORAGE_SPARSE },
    { .name = "twelve", .size = 12, .align = 1, .storage = COVEY_STORAGE_SPARSE },
    { .name = "sixteen", .size = 16, .align = 16, .storage = COVEY_STORAGE_SPARSE },
    { .name = "twenty-four", .size = 24, .align = 8, .storage = COVEY_STORAGE_SPARSE },
    { .name = "two hundred", .size = 200, .align = 8, .storage = COVEY_STORAGE_SPARSE },
};

static covey_pool *fill_sized(test_random *random, const covey_type *type, uint32_t count, uint32_t distinct) {
    covey_clear_raw(world, type);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char bytes[WIDEST];
        for (uint32_t k = 0; k < type->size; k++) bytes[k] = (unsigned char)test_below(random, distinct);
        assert_non_null(covey_add_raw(world, e[(i * 11 + 5) % COUNT], type, bytes));
    }
    return covey_pool_of_raw(world, type);
}

static void test_values_of_all_sizes_move_whole(void **state) {
    (void)state;
    test_random random = { 4 };
    for (uint32_t i = 0; i < COUNT_OF(sized); i++)
        for (uint32_t count = 0; count < 100; count = count * 2 + 1) {
            covey_pool *pool = fill_sized(&random, &sized[i], count, 256);
            sorts(pool, &(covey_order){ .key = COVEY_KEY_U32, .offset = sized[i].size - 4 });
            sorts(pool, &(covey_order){ .key = COVEY_KEY_F32, .descending = true });
            sorts(pool, NULL);
        }
}

static void test_keys_lie_anywhere_in_the_value(void **state) {
    (void)state;
    test_random random = { 5 };
    for (uint32_t i = 0; i < COUNT_OF(sized); i++)
        for (int kind = COVEY_KEY_F32; kind <= COVEY_KEY_U64; kind++)
            for (uint32_t offset = 0; offset < 13; offset++) {
                bool wide = kind == COVEY_KEY_F64 || kind == COVEY_KEY_I64 || kind == COVEY_KEY_U64;
                covey_order order = { .key = (covey_key)kind, .offset = offset };
                covey_pool *pool = fill_sized(&random, &sized[i], 30, 3);
                if (offset + (wide ? 8 : 4) <= sized[i].size) {
                    sorts(pool, &order);
                    continue;
                }
                uint64_t digest = world_digest(world);
                assert_int_equal(covey_pool_sort(pool, &order), COVEY_ERROR_RANGE);
                assert_failed(COVEY_ERROR_RANGE);
                assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_ERROR_RANGE);
                assert_null(pool->observers);
                assert_true(world_digest(world) == digest);
            }
    covey_pool *pool = covey_pool_of_raw(world, &sized[0]);
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_U32, .offset = UINT32_MAX }),
                     COVEY_ERROR_RANGE);
}

static void test_an_unknown_kind_of_key_is_refused(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2));
    const uint32_t kinds[] = { COVEY_KEY_U64 + 1, 1000 };
    for (uint32_t i = 0; i < COUNT_OF(kinds); i++) {
        covey_order order = { .key = (covey_key)kinds[i] };
        assert_int_equal(covey_pool_sort(pool, &order), COVEY_ERROR_RANGE);
        assert_failed(COVEY_ERROR_RANGE);
        assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_ERROR_RANGE);
    }
    assert_numbers(pool, NUMBERS(3, 1, 2));
}

static void test_tags_are_sorted_by_index(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Marked);
    for (uint32_t i = 0; i < 50; i++) assert_true(covey_add_tag(world, e[i * 77 % COUNT], Marked));
    sorts(pool, NULL);
    sorts(pool, &(covey_order){ .descending = true });
    sorts(pool, &(covey_order){ .count = 20 });
    sorts(pool, &(covey_order){ .from = 20 });
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_ERROR_RANGE);
}

static void test_only_a_part_is_sorted_where_asked_for(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(5, 3, 4, 9, 1, 0));
    covey_order order = by_number;
    order.count = 3;
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    assert_numbers(pool, NUMBERS(3, 4, 5, 9, 1, 0));
    order.from = 2;
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    assert_numbers(pool, NUMBERS(3, 4, 1, 5, 9, 0));
    order.from = 3, order.count = 0; /* all that follow */
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    assert_numbers(pool, NUMBERS(3, 4, 1, 0, 5, 9));
    test_random random = { 6 };
    for (uint32_t first = 0; first <= 50; first++) {
        pool = fill_with_keys(&random, COVEY_KEY_I32, 50);
        sorts(pool, &(covey_order){ .key = COVEY_KEY_I32, .count = first });
        pool = fill_with_keys(&random, COVEY_KEY_I32, 50);
        sorts(pool, &(covey_order){ .key = COVEY_KEY_I32, .from = first, .count = test_below(&random, 51 - first) });
    }
    pool = fill_with_keys(&random, COVEY_KEY_I64, 600); /* enough for a radix sort */
    sorts(pool, &(covey_order){ .key = COVEY_KEY_I64, .from = 100, .count = 400 });
}

static void test_a_part_that_is_not_there_is_refused(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(5, 3, 4));
    const covey_order beyond[] = {
        { .from = 4 },
        { .count = 4 },
        { .from = 2, .count = 2 },
        { .from = UINT32_MAX, .count = 2 },
        { .from = 1, .count = UINT32_MAX },
    };
    for (uint32_t i = 0; i < COUNT_OF(beyond); i++) {
        assert_int_equal(covey_pool_sort(pool, &beyond[i]), COVEY_ERROR_RANGE);
        assert_failed(COVEY_ERROR_RANGE);
        assert_numbers(pool, NUMBERS(5, 3, 4));
    }
    assert_int_equal(covey_pool_sort(pool, &(covey_order){ .from = 3 }), COVEY_OK); /* none */
}

/* ---- Functions that see entities ----------------------------------------------------------------------------------*/

/* By another component than the one that is sorted; those who lack it come last. */
static uint32_t rank_of(covey_entity who) {
    const Value *value = covey_get_raw(world, who, covey_id(Fixed));
    return value ? value->number : UINT32_MAX;
}

static int compare_by_other(covey_entity a, const void *a_value, covey_entity b, const void *b_value, void *context) {
    assert_ptr_equal(context, &row_count);
    assert_non_null(a_value);
    assert_non_null(b_value);
    return (rank_of(a) > rank_of(b)) - (rank_of(a) < rank_of(b));
}

static void key_by_other(void *key, covey_entity who, const void *value, void *context) {
    uint32_t rank = rank_of(who);
    assert_ptr_equal(context, &row_count);
    assert_non_null(value);
    memcpy(key, &rank, sizeof rank);
}

static void test_functions_see_entities(void **state) {
    (void)state;
    test_random random = { 7 };
    for (uint32_t i = 0; i < COUNT; i++)
        if (i % 5 != 0) add_value(e[i], covey_id(Fixed), test_below(&random, 40));
    for (uint32_t i = 0; i < 12; i++) {
        covey_order order = { .context = &row_count, .descending = i % 2 != 0 };
        if (i % 4 < 2) order.compare_entities = compare_by_other;
        else order.key = COVEY_KEY_U32, order.key_of_entity = key_by_other;
        if (i >= 8) order.from = 3, order.count = 7;
        sorts(fill_with_keys(&random, COVEY_KEY_U32, i < 4 ? 15 : 400), &order);
    }
}

static void test_a_pool_is_kept_by_functions_that_see_entities(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 40; i++) add_value(e[i], covey_id(Fixed), i * 7 % 40);
    for (uint32_t how = 0; how < 2; how++) {
        covey_pool *pool = covey_pool_of(world, Packed);
        covey_order order = { .context = &row_count };
        if (how == 0) order.compare_entities = compare_by_other;
        else order.key = COVEY_KEY_U32, order.key_of_entity = key_by_other;
        assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_OK);
        for (uint32_t i = 0; i < 20; i++) add_value(e[i], covey_id(Packed), i);
        Value values[20];
        for (uint32_t i = 0; i < 20; i++) values[i] = (Value){ 20 + i, ~(20 + i) };
        assert_true(covey_add_array_raw(world, e + 20, 20, covey_id(Packed), values));
        for (uint32_t i = 0; i < 40; i++) assert_int_equal(rank_of(covey_pool_at(pool, i)), i);
        test_world_is_valid(world);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
        covey_clear(world, Packed);
    }
}

static int compare_two_fields(const void *a, const void *b, void *context) {
    const Keyed *left = a, *right = b;
    (void)context;
    if (left->key[0] != right->key[0]) return left->key[0] < right->key[0] ? -1 : 1;
    return (left->number < right->number) - (left->number > right->number); /* the second one downwards */
}

static void key_of_two_fields(void *key, const void *value, void *context) {
    const Keyed *keyed = value;
    uint64_t both = (uint64_t)keyed->key[0] << 32 | (UINT32_MAX - keyed->number);
    (void)context;
    memcpy(key, &both, sizeof both);
}

static void test_two_fields_make_one_order(void **state) {
    (void)state;
    test_random random = { 8 };
    covey_entity ids[500];
    covey_pool *pool = fill_with_keys(&random, COVEY_KEY_I32, 500);
    sorts(pool, &(covey_order){ .compare = compare_two_fields });
    for (uint32_t i = 0; i < 500; i++) ids[i] = covey_pool_at(pool, i);
    assert_int_equal(covey_pool_sort(pool, NULL), COVEY_OK);
    sorts(pool, &(covey_order){ .key = COVEY_KEY_U64, .key_of = key_of_two_fields });
    for (uint32_t i = 0; i < 500; i++) assert_same(covey_pool_at(pool, i), ids[i]);
}

static void test_an_order_has_one_function(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2));
    const covey_order wrong[] = {
        { .key = COVEY_KEY_U32, .key_of = key_of_two_fields, .compare = compare_two_fields },
        { .compare = compare_two_fields, .compare_entities = compare_by_other },
        { .key = COVEY_KEY_U32, .key_of = key_of_two_fields, .key_of_entity = key_by_other },
        { .key_of_entity = key_by_other }, /* without the kind of the key */
    };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_int_equal(covey_pool_sort(pool, &wrong[i]), COVEY_ERROR_RANGE);
        assert_failed(COVEY_ERROR_RANGE);
        assert_int_equal(covey_pool_keep_sorted(pool, &wrong[i]), COVEY_ERROR_RANGE);
        assert_numbers(pool, NUMBERS(3, 1, 2));
    }
}

static void test_none_and_one_and_two_are_sorted(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    sorts(pool, &by_number); /* never had any */
    add_value(e[0], covey_id(Packed), 7);
    sorts(pool, &by_number);
    add_value(e[1], covey_id(Packed), 6);
    sorts(pool, &by_number);
    assert_numbers(pool, NUMBERS(6, 7));
    sorts(pool, &by_number);
    covey_clear(world, Packed);
    sorts(pool, &by_number);
    assert_int_equal(covey_pool_sort_as(pool, pool), COVEY_OK);
    assert_int_equal(covey_pool_position_count(pool), 0);
}

/* ---- Any input ----------------------------------------------------------------------------------------------------*/

typedef enum shape { RANDOM, FEW_KEYS, SORTED, REVERSED, EXCHANGES, MOVED_FAR, SAWTOOTH, ALL_EQUAL, SHAPES } shape;

static void exchange(uint32_t *a, uint32_t *b) {
    uint32_t other = *a;
    *a = *b;
    *b = other;
}

static void make_shape(test_random *random, shape of, uint32_t *keys, uint32_t count) {
    uint32_t teeth = 2 + test_below(random, 40);
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = i / 2; /* pairs of equals */
        if (of == RANDOM) keys[i] = test_below(random, 10000);
        if (of == FEW_KEYS) keys[i] = test_below(random, 4);
        if (of == REVERSED) keys[i] = count - i / 2;
        if (of == SAWTOOTH) keys[i] = i % teeth;
        if (of == ALL_EQUAL) keys[i] = 7;
    }
    if (count == 0) return;
    for (uint32_t k = of == EXCHANGES ? test_below(random, count / 4 + 1) : 0; k != 0; k--)
        exchange(&keys[test_below(random, count)], &keys[test_below(random, count)]);
    if (of == MOVED_FAR) {
        uint32_t from = test_below(random, count), to = test_below(random, count), key = keys[from];
        memmove(keys + from, keys + from + 1, (count - from - 1) * sizeof *keys);
        memmove(keys + to + 1, keys + to, (count - to - 1) * sizeof *keys);
        keys[to] = key;
    }
}

/* The bytes of a small number as a key of this kind. */
static void write_key(unsigned char *to, covey_key kind, uint32_t key) {
    int32_t number = (int32_t)key - 200;
    if (kind == COVEY_KEY_F32) memcpy(to, &(float){ (float)number / 4 }, 4);
    else if (kind == COVEY_KEY_F64) memcpy(to, &(double){ (double)number * 1e9 }, 8);
    else if (kind == COVEY_KEY_I32) memcpy(to, &number, 4);
    else if (kind == COVEY_KEY_I64) memcpy(to, &(int64_t){ (int64_t)number * INT64_C(0x100000001) }, 8);
    else if (kind == COVEY_KEY_U64) memcpy(to, &(uint64_t){ (uint64_t)key * UINT64_C(0x10000001000) }, 8);
    else memcpy(to, &key, 4);
}

static int compare_as_u32(const void *a, const void *b, void *context) {
    uint32_t left, right;
    memcpy(&left, a, 4);
    memcpy(&right, b, 4);
    if (context) ++*(uint64_t *)context;
    return (left > right) - (left < right);
}

static covey_pool *fill_in_shape(const uint32_t *keys, uint32_t count, covey_key kind, uint32_t first) {
    covey_clear(world, Keyed);
    for (uint32_t i = 0; i < count; i++) {
        Keyed value = { .number = i, .check = ~i };
        write_key(value.key, kind, keys[i]);
        assert_non_null(covey_add_value(world, e[(first + i) % COUNT], Keyed, &value));
    }
    return covey_pool_of(world, Keyed);
}

/* A kind of key; or, as a key of its own, what a function makes, or what it compares. */
static void test_any_input_comes_out_as_from_the_naive_sort(void **state) {
    (void)state;
    static uint32_t keys[COUNT];
    for (uint64_t seed = 0; seed < test_scaled(3000); seed++) {
        test_random random = { seed };
        uint32_t most = test_below(&random, 3) == 0 ? COUNT + 1 : 80, count = test_below(&random, most);
        uint32_t way = test_below(&random, 9);
        part of = { 0, 4 };
        covey_order order = { .descending = test_below(&random, 2) != 0, .key = (covey_key)(way % 7) };
        if (way >= 7) order = (covey_order){ .key = COVEY_KEY_U32, .key_of = key_of_part, .context = &of };
        if (way == 8) order = (covey_order){ .compare = compare_as_u32, .descending = order.descending };
        make_shape(&random, (shape)(seed % SHAPES), keys, count);
        covey_key kind = way < 7 ? order.key : COVEY_KEY_U32;
        sorts(fill_in_shape(keys, count, kind, test_below(&random, COUNT)), &order);
    }
}

/* Ascending keys; so many are too small for their place: each of these differs from the others. */
static covey_pool *fill_but(uint32_t count, uint32_t wrong) {
    static uint32_t keys[COUNT];
    for (uint32_t i = 0; i < count; i++) keys[i] = 1000 + i;
    for (uint32_t i = 0; i < wrong; i++) keys[5 + i * 7] = (i * 5) % 13;
    return fill_in_shape(keys, count, COVEY_KEY_U32, 0);
}

/* What is told from the rest is sorted alone while it is at most a sixteenth, and four. A radix sort of all wants two
 * more blocks of memory, and shows by that. */
static void test_what_is_almost_sorted_is_not_sorted_as_a_whole(void **state) {
    (void)state;
    const uint32_t counts[] = { 320, 480, 640 }; /* so many that all of them go through the radix sort */
    for (uint32_t i = 0; i < COUNT_OF(counts); i++) {
        uint32_t limit = counts[i] / 16 + 4;
        for (uint32_t wrong = limit - 2; wrong <= limit + 2 && 5 + wrong * 7 < counts[i]; wrong++) {
            covey_pool *pool = fill_but(counts[i], wrong);
            uint64_t calls = heap.calls;
            sorts(pool, &(covey_order){ .key = COVEY_KEY_U32 });
            assert_int_equal(heap.calls - calls, wrong <= limit ? 6 : 8);
        }
        covey_pool *pool = fill_but(counts[i], 0);
        uint64_t calls = heap.calls;
        sorts(pool, &(covey_order){ .key = COVEY_KEY_U32 });
        assert_int_equal(heap.calls - calls, 4); /* nothing moves */
    }
    static uint32_t keys[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) keys[i] = i % 100 == 50 ? 5000 - i : i; /* these are too large */
    covey_pool *pool = fill_in_shape(keys, COUNT, COVEY_KEY_U32, 0);
    uint64_t calls = heap.calls;
    sorts(pool, &(covey_order){ .key = COVEY_KEY_U32 });
    assert_int_equal(heap.calls - calls, 6);
    for (uint32_t i = 0; i < COUNT; i++) keys[i] = i % 100 == 50 || i % 100 == 51 ? 5000 + i : i; /* two in a row */
    pool = fill_in_shape(keys, COUNT, COVEY_KEY_U32, 0);
    calls = heap.calls;
    sorts(pool, &(covey_order){ .key = COVEY_KEY_U32 });
    assert_int_equal(heap.calls - calls, 6);
}

static uint64_t comparisons(covey_pool *pool) {
    uint64_t compared = 0;
    covey_order order = { .compare = compare_as_u32, .context = &compared };
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    return compared;
}

static void test_what_is_almost_sorted_is_compared_little_more_than_once(void **state) {
    (void)state;
    assert_int_equal(comparisons(fill_but(640, 0)), 639);
    assert_true(comparisons(fill_but(640, 1)) < 640 + 30);
    assert_true(comparisons(fill_but(640, 44)) < 640 + 44 * 30);
    assert_true(comparisons(fill_but(640, 45)) > 640 + 44 * 30); /* one more than the limit */
    for (uint32_t wrong = 40; wrong < 50; wrong++)
        sorts(fill_but(640, wrong), &(covey_order){ .compare = compare_as_u32 });
}

/* ---- Policies -----------------------------------------------------------------------------------------------------*/

static void test_dead_elements_of_swap_only_stay_behind(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Kept), NUMBERS(5, 3, 8, 1, 9, 2, 7));
    assert_true(remove_value(e[1], covey_id(Kept)));
    assert_true(remove_value(e[4], covey_id(Kept)));
    assert_int_equal(pool->set.dead, 2);
    sorts(pool, &by_number);
    assert_numbers(pool, NUMBERS(1, 2, 5, 7, 8));
    assert_int_equal(pool->set.dead, 2);
    add_value(e[4], covey_id(Kept), 9);
    assert_numbers(pool, NUMBERS(1, 2, 5, 7, 8, 9));
}

static void test_holes_want_compaction_first(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Ordered), NUMBERS(5, 3, 8, 1));
    sorts(pool, &by_number);
    assert_numbers(pool, NUMBERS(1, 3, 5, 8));
    assert_true(remove_value(e[1], covey_id(Ordered)));
    uint64_t digest = world_digest(world);
    assert_int_equal(covey_pool_sort(pool, &by_number_down), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_non_null(strstr(heard.text, "compact it first"));
    assert_int_equal(covey_pool_sort_as(pool, pool), COVEY_ERROR_REFUSED);
    assert_true(world_digest(world) == digest);
    covey_pool_compact(pool, NULL, NULL);
    sorts(pool, &by_number_down);
    assert_numbers(pool, NUMBERS(8, 5, 1));
}

static void test_values_that_do_not_move_are_not_sorted(void **state) {
    (void)state;
    const covey_type *const types[] = { covey_id(Fixed), covey_id(Blocked), covey_id(Pinned) };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        covey_pool *pool = fill(types[i], NUMBERS(5, 3, 8, 1));
        uint64_t digest = world_digest(world);
        covey_result results[] = { covey_pool_sort(pool, &by_number), covey_pool_sort(pool, NULL),
                                   covey_pool_sort_as(pool, pool), covey_pool_keep_sorted(pool, &by_number) };
        for (uint32_t k = 0; k < COUNT_OF(results); k++) assert_int_equal(results[k], COVEY_ERROR_REFUSED);
        assert_failed(COVEY_ERROR_REFUSED);
        assert_non_null(strstr(heard.text, types[i]->name));
        assert_true(world_digest(world) == digest);
        assert_null(pool->observers);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK); /* nothing to end */
    }
}

static void test_an_owned_pool_has_the_order_of_its_group(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(5, 3, 8, 1));
    add_value(e[1], covey_id(Blocked), 1);
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .without = { covey_id(Blocked) } });
    assert_non_null(group);
    char text[64];
    covey_group_print(text, sizeof text, group);
    uint64_t digest = world_digest(world);
    for (uint32_t i = 0; i < 3; i++) {
        heard = (test_heard){ 0 };
        covey_result result = i == 0   ? covey_pool_sort(pool, &by_number)
                              : i == 1 ? covey_pool_sort_as(pool, pool)
                                       : covey_pool_keep_sorted(pool, &by_number);
        assert_int_equal(result, COVEY_ERROR_REFUSED);
        assert_failed(COVEY_ERROR_REFUSED);
        assert_non_null(strstr(heard.text, text));
    }
    assert_true(world_digest(world) == digest);
    assert_false(pool->observers->keeps_order);
    covey_group_destroy(group);
    sorts(pool, &by_number);
}

/* ---- As another pool ----------------------------------------------------------------------------------------------*/

/* First those that the other pool has, in its order; then the rest as it was. */
static void sorts_as(covey_pool *pool, const covey_pool *other) {
    static row copy[COUNT_OF(rows)];
    uint32_t at = 0, count = pool->set.end;
    remember(pool);
    memcpy(copy, rows, count * sizeof *rows);
    for (uint32_t p = covey_pool_next(other, 0); p != COVEY_NONE; p = covey_pool_next(other, p + 1))
        for (uint32_t i = 0; i < count; i++)
            if (covey_same(copy[i].e, covey_pool_at(other, p))) rows[at++] = copy[i];
    for (uint32_t i = 0; i < count; i++)
        if (!covey_pool_has(other, copy[i].e)) rows[at++] = copy[i];
    assert_int_equal(at, count);
    assert_int_equal(covey_pool_sort_as(pool, other), COVEY_OK);
    assert_true((pool->uses & COVEY_USE_ORDER) != 0);
    assert_rows(pool);
}

static void test_a_pool_takes_the_order_of_another(void **state) {
    (void)state;
    const covey_type *const sorted[] = { covey_id(Packed), covey_id(Kept), covey_id(Ordered) };
    for (uint32_t round = 0; round < 36; round++) {
        test_random random = { round };
        const covey_type *type = sorted[round % 3], *other = storage_types[round / 3 % 6];
        if (type == other) other = covey_id(Keyed);
        covey_clear_components(world);
        for (uint32_t i = 0; i < 200; i++) {
            covey_entity a = e[test_below(&random, 150)], b = e[test_below(&random, 200)];
            if (!covey_has_raw(world, a, type)) assert_non_null(add_value(a, type, i));
            if (other == covey_id(Keyed)) covey_get_or_add(world, b, Keyed, { { 0 }, i, ~i });
            else if (!covey_has_raw(world, b, other)) assert_non_null(add_value(b, other, i));
        }
        for (uint32_t i = 0; i < 20; i++) /* holes, and dead elements */
            covey_remove_raw(world, e[test_below(&random, 200)], other);
        covey_pool *pool = covey_pool_of_raw(world, type);
        sorts_as(pool, covey_pool_of_raw(world, other));
        sorts_as(pool, pool);
        sorts_as(pool, covey_pool_of(world, Marked)); /* has nothing in common */
    }
}

static void test_an_empty_pool_takes_any_order(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed), *other = fill(covey_id(Blocked), NUMBERS(1, 2, 3));
    assert_int_equal(covey_pool_sort_as(pool, other), COVEY_OK);
    assert_int_equal(covey_pool_sort_as(pool, covey_pool_of(world, Ordered)), COVEY_OK);
    assert_int_equal(covey_pool_sort_as(pool, pool), COVEY_OK);
    assert_int_equal(covey_pool_count(pool), 0);
}

/* ---- What follows, and what does not ------------------------------------------------------------------------------*/

static void test_a_view_follows_the_new_order(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(5, 3, 8, 1));
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed) } });
    assert_int_equal(covey_pool_sort(pool, &by_number), COVEY_OK);
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    assert_int_equal(it.count, 4);
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(covey_field(&it, 0, Packed)[i].number, "\1\3\5\10"[i]);
    assert_same(covey_span_entity(&it, 0), e[3]);
    assert_false(covey_next(&it));
}

static void test_a_group_that_owns_nothing_is_not_disturbed(void **state) {
    (void)state;
    test_random random = { 9 };
    covey_pool *pool = covey_pool_of(world, Packed);
    for (uint32_t i = 0; i < 60; i++) {
        add_value(e[i], covey_id(Packed), test_below(&random, 20));
        if (i % 2 == 0) covey_add_tag(world, e[i], Marked);
    }
    covey_group *group = covey_group_create(
        world, &(covey_group_desc){ .with = { covey_id(Packed), covey_id(Marked) }, .without = { covey_id(Blocked) } });
    assert_non_null(group);
    sorts(pool, &by_number);
    sorts_as(pool, covey_pool_of(world, Marked));
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    assert_int_equal(covey_group_count(group), 30);
    covey_iter it = covey_group_iter(group);
    for (uint32_t seen = 0; covey_next(&it);)
        for (uint32_t i = 0; i < it.count; i++) assert_same(covey_span_entity(&it, i), e[2 * seen++]);
    add_value(e[60], covey_id(Packed), 10); /* the group and the order both want to know */
    covey_add_tag(world, e[60], Marked);
    assert_true(covey_group_contains(group, e[60]));
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_non_null(pool->observers); /* the group still does */
    test_world_is_valid(world);
    assert_true(covey_destroy(world, e[60]));
    assert_int_equal(covey_group_count(group), 30);
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    covey_group_destroy(group);
    assert_true(pool->observers && pool->observers->keeps_order);
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_null(pool->observers);
}

/* ---- Nothing is left behind ---------------------------------------------------------------------------------------*/

typedef Value Wiped;
COVEY_COMPONENT_DEFINE(Wiped, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true);

/* An allocator that looks for the secret, and for what it is in a key that descends, in what it takes back. */
#define SECRET 0xA7A7A7A7u
static uint32_t leaked;
static void *watch_frees(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    covey_allocator allocator = test_allocator(context);
    const uint32_t secret = SECRET, flipped = ~SECRET;
    for (size_t i = 0; ptr && i + sizeof secret <= old_size; i++) {
        const char *at = (const char *)ptr + i;
        leaked += memcmp(at, &secret, sizeof secret) == 0 || memcmp(at, &flipped, sizeof flipped) == 0;
    }
    return allocator.fn(allocator.context, ptr, old_size, new_size, align);
}

static int compare_checks(const void *a, const void *b, void *context) {
    const Wiped *left = a, *right = b;
    (void)context;
    return (left->check > right->check) - (left->check < right->check);
}

static const covey_order wiped_orders[] = {
    { .key = COVEY_KEY_U32, .offset = offsetof(Wiped, check) },
    { .key = COVEY_KEY_U64 }, /* the secret is a part of the key */
    { .key = COVEY_KEY_U64, .descending = true },
    { .compare = compare_checks },
};

static void test_zeroed_values_leave_nothing_in_the_scratch(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT_OF(wiped_orders); i++) {
        test_heap watched = { 0 };
        covey_world *other = covey_world_create(&(covey_world_desc){ .allocator = { watch_frees, &watched } });
        covey_pool *pool = covey_pool_of(other, Wiped);
        bool almost = i % 2 == 0;
        for (uint32_t k = 0; k < 100; k++)
            covey_add_value(other, covey_create(other), Wiped,
                            (&(Wiped){ SECRET, almost && k != 50 ? k : k * 37 % 101 }));
        leaked = 0;
        assert_int_equal(covey_pool_sort(pool, &wiped_orders[i / 2]), COVEY_OK);
        assert_int_equal(leaked, 0);
        for (uint32_t k = 0; k < 100; k++) assert_int_equal(covey_pool_value_at(pool, k, Wiped)->number, SECRET);
        assert_true(covey_world_validate(other, NULL));
        covey_clear(other, Wiped);
        covey_world_destroy(other);
        assert_int_equal(leaked, 0);
        assert_int_equal(watched.bytes, 0);
    }
}

static void test_zeroed_values_leave_nothing_where_they_waited(void **state) {
    (void)state;
    test_heap watched = { 0 };
    covey_world *other = covey_world_create(&(covey_world_desc){ .allocator = { watch_frees, &watched } });
    covey_pool *pool = covey_pool_of(other, Wiped);
    covey_entity many[60];
    assert_true(covey_create_many(other, many, COUNT_OF(many)));
    leaked = 0;
    assert_int_equal(covey_pool_keep_sorted(pool, &wiped_orders[0]), COVEY_OK);
    for (uint32_t k = 0; k < COUNT_OF(many); k++) {
        assert_non_null(covey_add_value(other, many[k], Wiped, (&(Wiped){ SECRET, k * 7 % 61 })));
        const Wiped *behind = (const Wiped *)pool->set.data + pool->set.end;
        if (pool->set.end < pool->set.data_capacity) assert_true(behind->number != SECRET);
    }
    for (uint32_t k = 0; k < COUNT_OF(many); k++) assert_true(covey_remove(other, many[k], Wiped));
    for (uint32_t k = 0; k < COUNT_OF(many); k++) assert_true(((const Wiped *)pool->set.data)[k].number != SECRET);
    covey_world_destroy(other);
    assert_int_equal(leaked, 0);
    assert_int_equal(watched.bytes, 0);
}

/* ---- Keeping order ------------------------------------------------------------------------------------------------*/

/* Adds number n to an entity, each in its own way; returns the address that it is told. */
typedef void *add_fn(covey_pool *pool, covey_entity to, uint32_t n);
static void *add_literal(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_add(pool->world, to, Packed, { n, ~n });
}
static void *add_by_value(covey_pool *pool, covey_entity to, uint32_t n) {
    Packed value = value_of(n);
    return covey_add_value(pool->world, to, Packed, &value);
}
static void *pool_add_literal(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_pool_add(pool, to, Packed, { n, ~n });
}
static void *pool_add_by_value(covey_pool *pool, covey_entity to, uint32_t n) {
    Packed value = value_of(n);
    return covey_pool_add_value(pool, to, Packed, &value);
}
static void *get_or_add(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_get_or_add(pool->world, to, Packed, { n, ~n });
}
static void *get_or_add_by_value(covey_pool *pool, covey_entity to, uint32_t n) {
    Packed value = value_of(n);
    return covey_get_or_add_raw(pool->world, to, covey_id(Packed), &value);
}
static void *set_literal(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_set(pool->world, to, Packed, { n, ~n });
}
static void *pool_set_by_value(covey_pool *pool, covey_entity to, uint32_t n) {
    static Packed value; /* compilers fear that its address comes back */
    value = value_of(n);
    return covey_pool_set_value(pool, to, Packed, &value);
}
static void *add_array(covey_pool *pool, covey_entity to, uint32_t n) {
    Packed value = value_of(n);
    return covey_add_array(pool->world, &to, 1, Packed, &value) ? covey_get(pool->world, to, Packed) : NULL;
}
static void *add_copies(covey_pool *pool, covey_entity to, uint32_t n) {
    Packed value = value_of(n);
    return covey_add_copies(pool->world, &to, 1, Packed, &value) ? covey_get(pool->world, to, Packed) : NULL;
}

/* The value with this number, in the pool itself, or elsewhere if it has none. */
static const Packed *own_value(const covey_pool *pool, uint32_t n) {
    static Packed elsewhere;
    for (uint32_t i = 0; i < pool->set.end; i++)
        if (((const Packed *)pool->set.data)[i].number == n) return (const Packed *)pool->set.data + i;
    elsewhere = value_of(n);
    return &elsewhere;
}
static void *add_own(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_add_value(pool->world, to, Packed, own_value(pool, n));
}
static void *pool_set_own(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_pool_set_value(pool, to, Packed, own_value(pool, n));
}
static void *add_array_of_own(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_add_array(pool->world, &to, 1, Packed, own_value(pool, n)) ? covey_get(pool->world, to, Packed) : NULL;
}
static void *add_copies_of_own(covey_pool *pool, covey_entity to, uint32_t n) {
    return covey_add_copies(pool->world, &to, 1, Packed, own_value(pool, n)) ? covey_get(pool->world, to, Packed)
                                                                             : NULL;
}

static add_fn *const ways[] = { add_literal,      add_by_value,        pool_add_literal, pool_add_by_value,
                                get_or_add,       get_or_add_by_value, set_literal,      pool_set_by_value,
                                add_array,        add_copies,          add_own,          pool_set_own,
                                add_array_of_own, add_copies_of_own };

/* Behind the last row that does not belong behind it. */
static void naive_insert(const covey_order *order, covey_entity to, const void *value, size_t size) {
    row added = { .e = to };
    uint32_t at = row_count;
    memcpy(added.bytes, value, size);
    for (; at != 0 && compare_rows(order, &added, &rows[at - 1]) < 0; at--) rows[at] = rows[at - 1];
    rows[at] = added;
    row_count++;
}

static void naive_erase(covey_entity gone) {
    uint32_t at = 0;
    while (!covey_same(rows[at].e, gone)) at++;
    row_count--;
    memmove(rows + at, rows + at + 1, (row_count - at) * sizeof *rows);
}

static void inserts(covey_pool *pool, const covey_order *order, add_fn *add, covey_entity to, uint32_t n) {
    Value value = value_of(n);
    naive_insert(order, to, &value, sizeof value);
    void *address = add(pool, to, n);
    assert_non_null(address);
    assert_ptr_equal(address, covey_get(world, to, Packed));
    assert_rows(pool);
}

static void keeps(covey_pool *pool, const covey_order *order) {
    remember(pool);
    naive_sort(order, row_count);
    assert_int_equal(covey_pool_keep_sorted(pool, order), COVEY_OK);
    assert_true((pool->uses & COVEY_USE_ORDER) != 0);
    assert_rows(pool);
}

static void test_whatever_is_added_to_a_kept_pool_goes_to_its_place(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(ways); i++) {
        const covey_order *order = i % 2 == 0 ? &by_number : &by_number_down;
        test_random random = { i };
        covey_clear(world, Packed);
        covey_pool *pool = covey_pool_of(world, Packed);
        covey_pool_shrink(pool); /* so that it has to grow again, and values that lie in it move */
        for (uint32_t k = 0; k < 5; k++) add_value(e[k], covey_id(Packed), test_below(&random, 10));
        keeps(pool, order);
        for (uint32_t k = 5; k < 45; k++) {
            if (k % 4 == 0) covey_pool_shrink(pool);
            inserts(pool, order, ways[i], e[(k * 3) % 40 + 5], test_below(&random, 10));
        }
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    }
}

static int compare_values(const void *a, const void *b, void *context) {
    const Value *left = a, *right = b;
    (void)context;
    return (left->number % 7 > right->number % 7) - (left->number % 7 < right->number % 7);
}
static void key_of_value(void *key, const void *value, void *context) {
    const Value *of = value;
    (void)context;
    memcpy(key, &(double){ -(double)(of->number % 5) }, sizeof(double));
}

static const covey_order kept_orders[] = {
    { .key = COVEY_KEY_U32 },
    { .key = COVEY_KEY_U32, .descending = true },
    { .key = COVEY_KEY_INDEX },
    { .key = COVEY_KEY_INDEX, .descending = true },
    { .key = COVEY_KEY_F64, .key_of = key_of_value },
    { .compare = compare_values },
    { .compare = compare_values, .descending = true },
};

static void test_a_pool_is_kept_in_any_order_whatever_happens(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < test_scaled(200); seed++) {
        test_random random = { seed };
        const covey_order *order = &kept_orders[seed % COUNT_OF(kept_orders)];
        world_teardown(NULL);
        world_setup(NULL);
        for (uint32_t i = 0; i < 60; i++) e[i] = covey_create(world);
        covey_pool *pool = covey_pool_of(world, Packed);
        for (uint32_t i = 0; i < 20; i++) add_value(e[i], covey_id(Packed), test_below(&random, 30));
        keeps(pool, order);
        for (uint32_t step = 0; step < 120; step++) {
            covey_entity to = e[test_below(&random, 60)];
            uint32_t dice = test_below(&random, 40);
            if (!covey_alive(world, to)) continue;
            if (!covey_has(world, to, Packed)) {
                inserts(pool, order, ways[test_below(&random, COUNT_OF(ways))], to, test_below(&random, 30));
            } else if (dice == 0) {
                naive_erase(to);
                assert_true(covey_destroy(world, to));
            } else if (dice == 1) { /* other keys, another order */
                covey_get(world, to, Packed)->number ^= 5;
                covey_get(world, to, Packed)->check ^= 5;
                order = &kept_orders[test_below(&random, COUNT_OF(kept_orders))];
                keeps(pool, order);
            } else if (dice == 2) {
                covey_compact(world);
                covey_shrink(world);
            } else {
                naive_erase(to);
                assert_true(covey_remove(world, to, Packed));
            }
            assert_rows(pool);
        }
    }
}

static void test_equals_are_added_behind_those_that_are_there(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Packed);
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    const uint32_t numbers[] = { 2, 1, 2, 1, 2 }, places[] = { 1, 3, 0, 2, 4 };
    for (uint32_t i = 0; i < 5; i++) add_value(e[i], covey_id(Packed), numbers[i]);
    for (uint32_t i = 0; i < 5; i++) assert_same(covey_pool_at(pool, i), e[places[i]]);
}

/* Each allocation fails in turn, and all behind it: they are not added at all; or one after the other; or merged. */
static void test_many_are_merged_whatever_memory_is_left(void **state) {
    (void)state;
    enum { ADDED = 20 };
    const covey_order orders[] = { by_number, by_number_down, { .compare = compare_values }, { 0 } };
    test_random random = { 3 };
    uint32_t refused = 0, inserted = 0, merged = 0;
    for (uint64_t at = 4; merged < 8; at++) {
        const covey_order *order = &orders[at % 4];
        Packed values[ADDED];
        covey_clear(world, Packed);
        covey_pool *pool = fill(covey_id(Packed), NUMBERS(6, 2, 4, 9, 4));
        covey_shrink(world);
        keeps(pool, order);
        for (uint32_t i = 0; i < ADDED; i++) values[i] = value_of(at % 8 < 4 ? test_below(&random, 12) : i);
        test_fail_at(&heap, at / 4, true);
        bool done = covey_add_array(world, e + 10, ADDED, Packed, values), failed = heap.failed;
        test_fail_never(&heap);
        for (uint32_t i = 0; i < ADDED && done; i++) naive_insert(order, e[10 + i], &values[i], sizeof *values);
        assert_rows(pool);
        test_world_is_valid(world);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
        if (!done) refused++;
        else *(failed ? &inserted : &merged) += 1;
    }
    assert_true(refused != 0 && inserted != 0);
}

/* The values of a range lie in the pool; they are read before any component is inserted among them. */
static void test_many_at_once_go_to_their_places(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 3; round++) {
        covey_clear(world, Packed);
        covey_pool *pool = fill(covey_id(Packed), NUMBERS(6, 2, 4, 9, 4));
        covey_pool_shrink(pool);
        keeps(pool, &by_number);
        Packed outside[] = { value_of(5), value_of(1), value_of(4), value_of(9) };
        const Packed *values = round == 0 ? outside : covey_pool_values(pool, Packed);
        for (uint32_t i = 0; i < 4; i++) /* always the second copy */
            naive_insert(&by_number, e[10 + i], &values[round == 2 ? 1 : i], sizeof *values);
        if (round < 2) assert_true(covey_add_array(world, e + 10, 4, Packed, values));
        else assert_true(covey_add_copies(world, e + 10, 4, Packed, values + 1));
        assert_rows(pool);
        uint64_t digest = world_digest(world);
        covey_entity twice[] = { e[20], e[21], e[20] };
        assert_false(covey_add_array(world, twice, 3, Packed, outside));
        assert_failed(COVEY_ERROR_PRESENT);
        assert_null(add_literal(pool, e[10], 3));
        assert_failed(COVEY_ERROR_PRESENT);
        assert_true(world_digest(world) == digest);
        assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    }
    covey_pool *pool = covey_pool_of(world, Packed);
    keeps(pool, &by_number_down);
    const Packed *zeros = NULL;
    assert_true(covey_add_array(world, e + 20, 2, Packed, zeros));
    assert_same(covey_pool_at(pool, covey_pool_position_count(pool) - 1), e[21]);
    test_world_is_valid(world);
}

static void test_tags_are_kept_by_index(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Marked);
    covey_order down = { .descending = true };
    keeps(pool, &down);
    for (uint32_t i = 0; i < 50; i++) {
        covey_entity to = e[i * 7 % 50];
        naive_insert(&down, to, "", 0);
        assert_true(covey_add_tag(world, to, Marked));
        assert_rows(pool);
    }
    for (uint32_t i = 0; i < 50; i += 3) {
        naive_erase(e[i]);
        assert_true(covey_remove_raw(world, e[i], covey_id(Marked)));
        assert_rows(pool);
    }
}

static void test_clearing_does_not_end_an_order(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1));
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    covey_clear(world, Packed);
    fill(covey_id(Packed), NUMBERS(3, 1, 2, 5, 4));
    assert_numbers(pool, NUMBERS(1, 2, 3, 4, 5));
    assert_int_equal(covey_destroy_many(world, (const covey_entity[]){ e[1], e[0] }, 2), 2);
    assert_numbers(pool, NUMBERS(2, 4, 5));
    covey_destroy_all(world);
    assert_int_equal(covey_pool_position_count(pool), 0);
    assert_true(pool->observers->keeps_order);
}

static void test_an_order_ends_and_the_quick_path_is_back(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2));
    assert_int_equal(covey_pool_reserve(pool, 10), COVEY_OK);
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    assert_non_null(pool->observers);
    assert_int_equal(pool->set.room, 0);
    assert_int_equal(pool->set.removal, COVEY__REMOVE_SLOWLY);
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_null(pool->observers);
    assert_true(pool->set.room >= 10);
    assert_int_equal(pool->set.removal, COVEY__REMOVE_SWAPPING);
    add_value(e[3], covey_id(Packed), 0); /* at the end */
    assert_numbers(pool, NUMBERS(1, 2, 3, 0));
    assert_true(remove_value(e[1], covey_id(Packed)));
    assert_numbers(pool, NUMBERS(0, 2, 3));
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK); /* again */
}

static void test_what_is_not_swap_and_pop_is_not_kept(void **state) {
    (void)state;
    const covey_type *const types[] = { covey_id(Kept), covey_id(Ordered), covey_id(Fixed), covey_id(Blocked),
                                        covey_id(Pinned) };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        covey_pool *pool = fill(types[i], NUMBERS(3, 1, 2));
        uint64_t digest = world_digest(world);
        heard = (test_heard){ 0 };
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_ERROR_REFUSED);
        assert_failed(COVEY_ERROR_REFUSED);
        assert_null(pool->observers);
        assert_true(world_digest(world) == digest);
    }
}

static void test_all_of_a_pool_is_kept_or_nothing(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2));
    covey_order order = by_number;
    order.count = 2;
    assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_ERROR_RANGE);
    assert_failed(COVEY_ERROR_RANGE);
    assert_null(pool->observers);
    assert_numbers(pool, NUMBERS(3, 1, 2));
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_ERROR_RANGE);
    assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .key = COVEY_KEY_U64, .offset = 1 }),
                     COVEY_ERROR_RANGE);
    add_value(e[3], covey_id(Packed), 0); /* the order that it had is still kept */
    assert_numbers(pool, NUMBERS(0, 1, 2, 3));
}

static void test_a_kept_pool_refuses_another_order(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2)), *other = fill(covey_id(Kept), NUMBERS(3, 1, 2));
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    uint64_t digest = world_digest(world);
    covey_result results[] = { covey_pool_swap(pool, e[0], e[1]), covey_pool_sort(pool, &by_number_down),
                               covey_pool_sort_as(pool, other), covey_pool_convert(pool, COVEY_STORAGE_BLOCK),
                               covey_pool_convert(pool, COVEY_STORAGE_PINNED) };
    for (uint32_t i = 0; i < COUNT_OF(results); i++) assert_int_equal(results[i], COVEY_ERROR_REFUSED);
    assert_null(covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } }));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_non_null(strstr(heard.text, "Packed"));
    assert_int_equal(covey_world_group_count(world), 0);
    assert_true(world_digest(world) == digest);
    sorts_as(other, pool); /* the other way round is fine */
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_int_equal(covey_pool_swap(pool, e[0], e[1]), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
}

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

typedef Value Owned;
static uint32_t drops[100], copies_left;
static void count_drop(void *value, void *context) {
    const Value *dropped = value;
    (void)context;
    assert_true(dropped->number < COUNT_OF(drops) && dropped->check == ~dropped->number);
    drops[dropped->number]++;
}
static bool copy_some(void *to, const void *from, void *context) {
    (void)context;
    if (copies_left == 0) return false;
    copies_left--;
    memcpy(to, from, sizeof(Value));
    return true;
}
COVEY_COMPONENT_DEFINE(Owned, .storage = COVEY_STORAGE_SPARSE, .drop = count_drop, .copy = copy_some);

static void test_a_copy_that_fails_leaves_a_kept_pool_as_it_was(void **state) {
    (void)state;
    for (copies_left = 0; copies_left < 4; copies_left++) {
        uint32_t allowed = copies_left;
        covey_clear(world, Owned);
        memset(drops, 0, sizeof drops);
        covey_pool *pool = fill(covey_id(Owned), NUMBERS(30, 10, 20));
        assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
        uint64_t digest = world_digest(world);
        Owned value = value_of(15);
        assert_false(covey_add_copies(world, e + 10, 4, Owned, &value));
        assert_failed(COVEY_ERROR_COPY);
        assert_true(world_digest(world) == digest);
        test_world_is_valid(world);
        assert_int_equal(drops[15], allowed); /* those that were made */
        copies_left = 4;
        assert_true(covey_add_copies(world, e + 10, 4, Owned, &value));
        assert_numbers(pool, NUMBERS(10, 15, 15, 15, 15, 20, 30));
        copies_left = allowed;
    }
}

static void test_values_of_a_kept_pool_are_dropped_once(void **state) {
    (void)state;
    memset(drops, 0, sizeof drops);
    covey_pool *pool = covey_pool_of(world, Owned);
    for (uint32_t i = 0; i < 30; i++) add_value(e[i], covey_id(Owned), i * 7 % 30);
    sorts(pool, &by_number_down);
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    for (uint32_t i = 30; i < 60; i++) add_value(e[i], covey_id(Owned), i);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(drops[i], 0);
    for (uint32_t i = 0; i < 20; i++) assert_true(remove_value(e[i], covey_id(Owned)));
    for (uint32_t i = 20; i < 40; i++) assert_true(covey_destroy(world, e[i]));
    for (uint32_t i = 0; i < 60; i++)
        assert_int_equal(drops[i], i >= 40 ? 0 : 1); /* those of the first thirty were dealt out among themselves */
    covey_clear(world, Owned);
    for (uint32_t i = 0; i < 60; i++) assert_int_equal(drops[i], 1);
}

/* ---- When an ordered pool is compacted ----------------------------------------------------------------------------*/

typedef Value Tolerant;
COVEY_COMPONENT_DEFINE(Tolerant, .policy = COVEY_ORDERED, .compact_above = 25);

static void test_only_compaction_closes_holes(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Ordered), NUMBERS(0, 1, 2, 3, 4, 5));
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 1; i < 5; i++) assert_true(remove_value(e[i], covey_id(Ordered)));
        covey_destroy(world, e[10 + round]);
        add_value(e[6], covey_id(Ordered), 6);
        covey_pool_shrink(pool);
        assert_int_equal(covey_pool_reserve(pool, 50), COVEY_OK);
        assert_int_equal(covey_pool_position_count(pool), 7);
        assert_int_equal(covey_pool_count(pool), 3);
        if (round == 0) covey_pool_compact(pool, NULL, NULL);
        else covey_compact(world);
        assert_numbers(pool, NUMBERS(0, 5, 6));
        covey_clear(world, Ordered);
        fill(covey_id(Ordered), NUMBERS(0, 1, 2, 3, 4, 5));
    }
}

static void test_compaction_waits_until_there_are_holes_enough(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Tolerant), NUMBERS(0, 1, 2, 3, 4, 5, 6, 7));
    for (uint32_t i = 0; i < 2; i++) { /* an eighth, then just a quarter */
        assert_true(remove_value(e[1 + 2 * i], covey_id(Tolerant)));
        uint64_t digest = world_digest(world);
        covey_compact(world);
        assert_int_equal(covey_pool_position_count(pool), 8);
        assert_true(world_digest(world) == digest);
    }
    assert_true(remove_value(e[6], covey_id(Tolerant)));
    covey_compact(world);
    assert_numbers(pool, NUMBERS(0, 2, 4, 5, 7));
    assert_int_equal(pool->set.holes, 0);
    assert_true(remove_value(e[2], covey_id(Tolerant)));
    covey_compact(world);
    assert_int_equal(covey_pool_position_count(pool), 5);
    covey_pool_compact(pool, NULL, NULL); /* an explicit call compacts any number of holes */
    assert_numbers(pool, NUMBERS(0, 4, 5, 7));
}

static void test_the_share_of_holes_is_a_percentage(void **state) {
    (void)state;
    const covey_type most = { .name = "most", .size = 8, .align = 4, .policy = COVEY_ORDERED, .compact_above = 100 };
    const covey_type more = { .name = "more", .size = 8, .align = 4, .policy = COVEY_ORDERED, .compact_above = 101 };
    const covey_type *never = covey_type_create(world, &most);
    assert_non_null(never);
    assert_null(covey_type_create(world, &more));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(covey_pool_of_raw(world, &more));
    covey_pool *pool = fill(never, NUMBERS(0, 1));
    for (uint32_t i = 0; i < 2; i++) assert_true(remove_value(e[i], never));
    covey_compact(world);
    assert_int_equal(covey_pool_position_count(pool), 2); /* nothing is more than all */
}

/* ---- Without memory -----------------------------------------------------------------------------------------------*/

static void fill_randomly(uint32_t count) {
    test_random random = { 11 };
    for (uint32_t i = 0; i < count; i++) add_value(e[i], covey_id(Packed), test_below(&random, 1000));
    for (uint32_t i = 0; i < count; i += 2) add_value(e[count - 1 - i], covey_id(Kept), i);
}
static void prepare_random(void) { fill_randomly(100); }
static void prepare_almost_sorted(void) {
    for (uint32_t i = 0; i < 100; i++) add_value(e[i], covey_id(Packed), i == 30 ? 70 : i);
}
/* Arrays without room to spare. */
static void prepare_kept(void) {
    fill_randomly(20);
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Packed), &by_number), COVEY_OK);
    covey_shrink(world);
}

static bool run_sort(void) { return covey_pool_sort(covey_pool_of(world, Packed), &by_number) == COVEY_OK; }
static bool run_sort_comparing(void) {
    return covey_pool_sort(covey_pool_of(world, Packed), &(covey_order){ .compare = compare_as_u32 }) == COVEY_OK;
}
static bool run_sort_as(void) {
    return covey_pool_sort_as(covey_pool_of(world, Packed), covey_pool_find(world, Kept)) == COVEY_OK;
}
static bool run_keep(void) { return covey_pool_keep_sorted(covey_pool_of(world, Packed), &by_number) == COVEY_OK; }
static bool run_keep_again(void) {
    return covey_pool_keep_sorted(covey_pool_of(world, Packed), &by_number_down) == COVEY_OK;
}
static bool run_add(void) { return add_literal(covey_pool_of(world, Packed), e[COUNT - 1], 5) != NULL; }
static bool run_add_own(void) {
    covey_pool *pool = covey_pool_of(world, Packed);
    const Packed *third = covey_pool_values(pool, Packed) + 3;
    uint32_t number = third->number;
    if (!covey_add_value(world, e[COUNT - 1], Packed, third)) return false;
    assert_value(e[COUNT - 1], covey_id(Packed), number);
    return true;
}
static bool run_add_array(void) {
    Packed values[] = { value_of(500), value_of(1), value_of(2000), value_of(0) };
    return covey_add_array(world, e + COUNT - 4, 4, Packed, values);
}
static bool run_add_copies(void) {
    return covey_add_copies(world, e + COUNT - 4, 4, Packed, covey_pool_values(covey_pool_of(world, Packed), Packed));
}

/* Lets one allocation fail; returns whether there was one. What is added at once is merged if there is memory for that,
 * and is added anyway if there is not. */
static bool fails_at(void (*prepare)(void), bool (*run)(void), uint64_t at, bool for_good, uint64_t expected) {
    bool merges = run == run_add_array || run == run_add_copies;
    assert_int_equal(sort_setup(NULL), 0);
    prepare();
    const covey_pool *pool = covey_pool_find(world, Packed);
    uint64_t digest = world_digest(world);
    bool watched = pool->observers != NULL;
    test_fail_at(&heap, at, for_good);
    bool done = run(), failed = heap.failed;
    test_fail_never(&heap);
    assert_true(done ? !failed || merges : failed);
    if (!done) {
        assert_failed(COVEY_ERROR_MEMORY);
        assert_true(world_digest(world) == digest);
        assert_int_equal(pool->observers != NULL, watched);
        test_world_is_valid(world);
        assert_true(run());
    }
    assert_true(world_digest(world) == expected);
    world_teardown(NULL);
    return failed;
}

static void test_each_allocation_may_fail(void **state) {
    (void)state;
    static const struct {
        const char *name;
        void (*prepare)(void);
        bool (*run)(void);
    } trials[] = {
        { "sort", prepare_random, run_sort },
        { "sort, almost sorted", prepare_almost_sorted, run_sort },
        { "sort, comparing", prepare_random, run_sort_comparing },
        { "sort, comparing, almost sorted", prepare_almost_sorted, run_sort_comparing },
        { "sort as", prepare_random, run_sort_as },
        { "keep", prepare_random, run_keep },
        { "keep another order", prepare_kept, run_keep_again },
        { "add", prepare_kept, run_add },
        { "add a value of its own", prepare_kept, run_add_own },
        { "add an array", prepare_kept, run_add_array },
        { "add copies", prepare_kept, run_add_copies },
    };
    for (uint32_t i = 0; i < COUNT_OF(trials); i++) {
        print_message("    %s\n", trials[i].name);
        assert_int_equal(sort_setup(NULL), 0);
        trials[i].prepare();
        assert_true(trials[i].run());
        uint64_t expected = world_digest(world), once = 1, for_good = 1;
        world_teardown(NULL);
        while (fails_at(trials[i].prepare, trials[i].run, once, false, expected)) once++;
        while (fails_at(trials[i].prepare, trials[i].run, for_good, true, expected)) for_good++;
        assert_true(once > 1);
        assert_int_equal(once, for_good);
    }
}

static void test_ending_an_order_and_removing_need_no_memory(void **state) {
    (void)state;
    prepare_kept();
    covey_pool *pool = covey_pool_of(world, Packed);
    test_fail_at(&heap, 1, true);
    assert_null(add_literal(pool, e[0], 1)); /* nor does refusing what is there */
    assert_failed(COVEY_ERROR_PRESENT);
    for (uint32_t i = 0; i < 10; i++) assert_true(remove_value(e[i], covey_id(Packed)));
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_false(heap.failed);
    test_fail_never(&heap);
    assert_null(pool->observers);
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_the_validator_sees_a_wrong_watch(void **state) {
    (void)state;
    covey_pool *pool = fill(covey_id(Packed), NUMBERS(3, 1, 2)), *block = fill(covey_id(Blocked), NUMBERS(1, 2));
    assert_int_equal(covey_pool_keep_sorted(pool, &by_number), COVEY_OK);
    assert_non_null(covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Blocked) } }));
    BREAK(bool, pool->set.observed, false, "observers: the observed flag of the set is wrong");
    BREAK(uint8_t, pool->uses, pool->uses | COVEY_USE_GROUP, "observers: COVEY_USE_GROUP is wrong");
    BREAK(bool, pool->observers->keeps_order, false, "observers: the structure remains, but no observer is left");
    BREAK(bool, pool->observers->needs_memory, false, "observers: needs_memory is wrong");
    BREAK(bool, block->observers->needs_memory, false, "observers: needs_memory is wrong");
    BREAK(bool, pool->plain, true, "observers: inline adds or removals bypass them");
    BREAK(bool, block->plain, true, "observers: inline adds or removals bypass them");
    BREAK(uint32_t, pool->set.room, 1, "observers: inline adds or removals bypass them");
    BREAK(uint8_t, pool->set.removal, COVEY__REMOVE_SWAPPING, "observers: inline adds or removals bypass them");
    BREAK(bool, block->observers->keeps_order, true,
          "observers: the pool is kept in order, but its storage cannot be ordered");
    BREAK(covey__observers *, pool->observers, NULL, "world: bytes that are not accounted for");
    covey_pool *plain = fill(covey_id(Keyed), NULL, 0);
    BREAK(bool, plain->set.observed, true, "observers: the observed flag of the set is wrong");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SORT_TEST(test_a_pool_is_sorted),
        SORT_TEST(test_every_kind_of_key_sorts_up_and_down),
        SORT_TEST(test_zeros_are_equal_and_what_is_no_number_is_last_both_ways),
        SORT_TEST(test_keys_are_made_by_a_function),
        SORT_TEST(test_values_are_compared_by_a_function),
        SORT_TEST(test_values_of_all_sizes_move_whole),
        SORT_TEST(test_keys_lie_anywhere_in_the_value),
        SORT_TEST(test_an_unknown_kind_of_key_is_refused),
        SORT_TEST(test_tags_are_sorted_by_index),
        SORT_TEST(test_only_a_part_is_sorted_where_asked_for),
        SORT_TEST(test_a_part_that_is_not_there_is_refused),
        SORT_TEST(test_functions_see_entities),
        SORT_TEST(test_a_pool_is_kept_by_functions_that_see_entities),
        SORT_TEST(test_two_fields_make_one_order),
        SORT_TEST(test_an_order_has_one_function),
        SORT_TEST(test_none_and_one_and_two_are_sorted),
        SORT_TEST(test_any_input_comes_out_as_from_the_naive_sort),
        SORT_TEST(test_what_is_almost_sorted_is_not_sorted_as_a_whole),
        SORT_TEST(test_what_is_almost_sorted_is_compared_little_more_than_once),
        SORT_TEST(test_dead_elements_of_swap_only_stay_behind),
        SORT_TEST(test_holes_want_compaction_first),
        SORT_TEST(test_values_that_do_not_move_are_not_sorted),
        SORT_TEST(test_an_owned_pool_has_the_order_of_its_group),
        SORT_TEST(test_a_pool_takes_the_order_of_another),
        SORT_TEST(test_an_empty_pool_takes_any_order),
        SORT_TEST(test_a_view_follows_the_new_order),
        SORT_TEST(test_a_group_that_owns_nothing_is_not_disturbed),
        cmocka_unit_test(test_zeroed_values_leave_nothing_in_the_scratch),
        cmocka_unit_test(test_zeroed_values_leave_nothing_where_they_waited),
        SORT_TEST(test_whatever_is_added_to_a_kept_pool_goes_to_its_place),
        SORT_TEST(test_a_pool_is_kept_in_any_order_whatever_happens),
        SORT_TEST(test_equals_are_added_behind_those_that_are_there),
        SORT_TEST(test_many_are_merged_whatever_memory_is_left),
        SORT_TEST(test_many_at_once_go_to_their_places),
        SORT_TEST(test_tags_are_kept_by_index),
        SORT_TEST(test_clearing_does_not_end_an_order),
        SORT_TEST(test_an_order_ends_and_the_quick_path_is_back),
        SORT_TEST(test_what_is_not_swap_and_pop_is_not_kept),
        SORT_TEST(test_all_of_a_pool_is_kept_or_nothing),
        SORT_TEST(test_a_kept_pool_refuses_another_order),
        SORT_TEST(test_a_copy_that_fails_leaves_a_kept_pool_as_it_was),
        SORT_TEST(test_values_of_a_kept_pool_are_dropped_once),
        SORT_TEST(test_only_compaction_closes_holes),
        SORT_TEST(test_compaction_waits_until_there_are_holes_enough),
        SORT_TEST(test_the_share_of_holes_is_a_percentage),
        cmocka_unit_test(test_each_allocation_may_fail),
        SORT_TEST(test_ending_an_order_and_removing_need_no_memory),
        SORT_TEST(test_the_validator_sees_a_wrong_watch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
