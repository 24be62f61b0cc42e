/* Groups: sorting their members. */
#include "observe/observers.h"
#include "storage/sparse_set.h"
#include <covey/fields.h>
#include "groups.h"

/* ---- Sorting ------------------------------------------------------------------------------------------------------*/

static uint32_t number_at(const covey_group *group, uint32_t field, covey_entity of) {
    return ((const Value *)covey_get_raw(world, of, group->view.types[field]))->number;
}

/* The members come by the numbers of a field; the last so many need not. */
static void assert_sorted(const covey_group *group, uint32_t field, bool descending, uint32_t but) {
    covey_entity visited[1000];
    uint32_t count = check_spans(group, visited);
    for (uint32_t i = 1; i + but < count; i++) {
        uint32_t before = number_at(group, field, visited[i - 1]), own = number_at(group, field, visited[i]);
        assert_true(descending ? before >= own : before <= own);
    }
}

static void key_of_check(void *key, const void *value, void *context) {
    uint32_t number = ~((const Value *)value)->check;
    (void)context;
    memcpy(key, &number, sizeof number);
}

static void test_a_group_is_sorted_by_any_of_its_fields(void **state) {
    (void)state;
    uint32_t compared = 0;
    const covey_order orders[] = {
        { .key = COVEY_KEY_U32 },
        { .key = COVEY_KEY_U32, .descending = true },
        { .key = COVEY_KEY_U32, .key_of = key_of_check },
        { .compare = compare_numbers, .context = &compared },
        { .compare = compare_numbers, .context = &compared, .descending = true },
    };
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        assert_true(covey_group_count(group) > 3);
        for (uint32_t i = 0; i < group->view.fields * COUNT_OF(orders); i++) {
            uint32_t field = i / COUNT_OF(orders);
            const covey_order *order = &orders[i % COUNT_OF(orders)];
            if (group->view.types[field]->size == 0) continue;
            assert_int_equal(covey_group_sort(group, field, &(covey_order){ .key = COVEY_KEY_INDEX }), COVEY_OK);
            assert_int_equal(covey_group_sort(group, field, order), COVEY_OK);
            assert_sorted(group, field, order->descending, 0);
            check_all();
        }
        next_world();
    }
    assert_true(compared != 0);
}

static void test_a_group_is_sorted_by_index_or_in_part(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        covey_entity visited[1000];
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        covey_order some = { .key = COVEY_KEY_U32, .count = covey_group_count(group) - 2 };
        assert_int_equal(covey_group_sort(group, 0, &some), COVEY_OK);
        assert_sorted(group, 0, false, 2);
        check_all();
        assert_int_equal(covey_group_sort(group, group->view.fields - 1, NULL), COVEY_OK);
        uint32_t count = check_spans(group, visited);
        for (uint32_t i = 1; i < count; i++) assert_true(visited[i - 1].index < visited[i].index);
        check_all();
        next_world();
    }
}

static void test_a_part_of_the_members_is_sorted(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        covey_entity before[1000], after[1000];
        scatter_for(&shapes[shape], shape);
        covey_group *group = make_group(&shapes[shape]);
        covey_order some = { .key = COVEY_KEY_INDEX, .descending = true, .from = 1 };
        some.count = covey_group_count(group) - 2;
        uint32_t count = check_spans(group, before);
        assert_int_equal(covey_group_sort(group, 0, &some), COVEY_OK);
        assert_int_equal(check_spans(group, after), count);
        assert_same(after[0], before[0]);
        assert_same(after[count - 1], before[count - 1]);
        for (uint32_t i = 2; i < count - 1; i++) assert_true(after[i - 1].index > after[i].index);
        check_all();
        next_world();
    }
}

/* Members that the other pool has come first, in its order; the others follow in the order that they had. */
static void test_a_group_is_sorted_as_a_pool(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes) * COUNT_OF(types); i++) {
        const covey_group_desc *shape = &shapes[i / COUNT_OF(types)];
        covey_entity before[1000], after[1000], wanted[1000];
        uint32_t found = 0;
        scatter_for(shape, i);
        covey_group *group = make_group(shape);
        const covey_pool *pool = covey_pool_of_raw(world, types[i % COUNT_OF(types)]);
        (void)covey_pool_sort(covey_pool_of_raw(world, pool->type),
                              &(covey_order){ .descending = true }); /* where it may be */
        uint32_t count = check_spans(group, before);
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            if (covey_group_contains(group, covey_pool_at(pool, at))) wanted[found++] = covey_pool_at(pool, at);
        for (uint32_t k = 0; k < count; k++)
            if (!covey_pool_has(pool, before[k])) wanted[found++] = before[k];
        assert_int_equal(found, count);
        assert_int_equal(covey_group_sort_as(group, pool), COVEY_OK);
        assert_int_equal(check_spans(group, after), count);
        for (uint32_t k = 0; k < count; k++) assert_same(after[k], wanted[k]);
        check_all();
        next_world();
    }
}

/* Those that are in an owned pool and are no members stay behind them, where they are. */
static void test_sorting_a_group_leaves_others_where_they_are(void **state) {
    (void)state;
    scatter(types, COUNT_OF(types), 6);
    covey_group *group = make_group(&shapes[1]);
    const covey_pool *pool = covey_pool_of(world, A);
    uint32_t count = covey_group_count(group), rest = covey_pool_count(pool) - count;
    covey_entity before[COUNT];
    assert_true(rest != 0);
    memcpy(before, covey_pool_ids(pool) + count, rest * sizeof *before);
    assert_int_equal(covey_group_sort(group, 1, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    assert_memory_equal(before, covey_pool_ids(pool) + count, rest * sizeof *before);
    assert_int_equal(covey_pool_of(world, A)->uses & COVEY_USE_ORDER, 0);
}

/* Owned values of several sizes and alignments share the scratch. */
typedef struct Wide {
    _Alignas(32) uint32_t number;
    uint32_t rest[15];
} Wide;
typedef struct Narrow {
    uint8_t number;
} Narrow;
typedef struct Odd {
    uint32_t number[3];
} Odd;
COVEY_COMPONENT_DEFINE(Wide, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Narrow, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Odd, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true);

static void test_values_of_several_sizes_are_sorted_together(void **state) {
    (void)state;
    covey_group *group = GROUP(.own = { covey_id(Narrow), covey_id(Odd), covey_id(Marked), covey_id(Wide) });
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t number = number_for(e[i], covey_id(Wide));
        covey_add(world, e[i], Narrow, { (uint8_t)i });
        covey_add(world, e[(i * 7) % COUNT], Odd, { { i, i, i } });
        covey_add_tag(world, e[COUNT - 1 - i], Marked);
        Wide *wide = covey_add(world, e[i], Wide, { .number = number, .rest = { [14] = ~number } });
        assert_int_equal((uintptr_t)wide % 32, 0);
    }
    assert_int_equal(covey_group_count(group), COUNT);
    for (uint32_t field = 0; field < 2; field++) {
        covey_order by_number = { .key = COVEY_KEY_U32, .descending = field == 0 };
        assert_int_equal(covey_group_sort(group, field == 0 ? 3 : 1, &by_number), COVEY_OK);
        test_world_is_valid(world);
        covey_iter it = covey_group_iter(group);
        assert_true(covey_next(&it) && it.count == COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            uint32_t own = covey_span_entity(&it, i).index, number = number_for(e[own], covey_id(Wide));
            const Wide *wide = covey_field(&it, 3, Wide);
            const Odd *odd = covey_field(&it, 1, Odd);
            assert_int_equal(covey_field(&it, 0, Narrow)[i].number, own);
            assert_true(wide[i].number == number && wide[i].rest[14] == ~number);
            assert_true(odd[i].number[0] * 7 % COUNT == own && odd[i].number[2] == odd[i].number[0]);
            if (i == 0) continue;
            assert_true(field == 0 ? wide[i - 1].number > wide[i].number : odd[i - 1].number[0] < odd[i].number[0]);
        }
    }
}

static void assert_not_sorted(covey_group *group, uint32_t field, const covey_order *order, covey_result reason,
                              const char *words) {
    uint64_t digest = world_digest(world);
    assert_int_equal(covey_group_sort(group, field, order), reason);
    assert_failed(reason);
    assert_string_equal(heard.text, words);
    assert_int_equal(world_digest(world), digest);
    check_all();
}

static void test_sorting_that_is_refused(void **state) {
    (void)state;
    covey_order by_number = { .key = COVEY_KEY_U32 }, outside = { .key = COVEY_KEY_U32, .offset = 5 };
    covey_order unknown = { .key = (covey_key)99 };
    scatter(types, COUNT_OF(types), 6);
    covey_group *outer = make_group(&shapes[0]);
    covey_group *unowned = make_group(&(covey_group_desc){ .with = { AB }, .without = { covey_id(X) } });
    assert_not_sorted(
        outer, 2, &by_number, COVEY_ERROR_RANGE,
        "the group own A, B could not be sorted: it has no such field: fields count from 0, owned types first");
    assert_not_sorted(unowned, 2, &by_number, COVEY_ERROR_RANGE, /* an excluded type has no field */
                      "the group with A, B without X could not be sorted: it has no such field: "
                      "fields count from 0, owned types first");
    assert_not_sorted(
        outer, 1, &outside, COVEY_ERROR_RANGE,
        "the group own A, B could not be sorted: the key is not inside the value: check .offset and .key");
    assert_not_sorted(outer, 1, &unknown, COVEY_ERROR_RANGE,
                      "the group own A, B could not be sorted: there is no such kind of key");
    covey_order beyond = { .from = 1, .count = covey_group_count(outer) };
    assert_not_sorted(outer, 1, &beyond, COVEY_ERROR_RANGE,
                      "the group own A, B could not be sorted: the part ends behind the last component: "
                      ".from and .count must lie within the pool");
    assert_int_equal(covey_group_sort(outer, 1, &by_number), COVEY_OK);
    covey_group *inner = make_group(&shapes[5]);
    assert_not_sorted(
        outer, 0, &by_number, COVEY_ERROR_REFUSED,
        "the group own A, B could not be sorted: an inner group has its entities at the front: destroy that first");
    assert_int_equal(covey_group_sort_as(outer, covey_pool_of(world, C)), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    check_all();
    assert_int_equal(covey_group_sort(inner, 2, &by_number), COVEY_OK);
    assert_sorted(inner, 2, false, 0);
    assert_int_equal(covey_group_sort(unowned, 1, &by_number), COVEY_OK);
    assert_sorted(unowned, 1, false, 0);
    check_all();
    covey_group_destroy(inner);
    assert_int_equal(covey_group_sort(outer, 1, &by_number), COVEY_OK);
    assert_sorted(outer, 1, false, 0);
    check_all();
}

/* Only the innermost group of a family may be sorted, in whatever order they were made. */
static void test_the_innermost_group_is_sorted(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * 8; i++) {
        uint32_t family = i % 8, size = family_size(family);
        covey_group *made[MEMBERS];
        scatter(types, COUNT_OF(types), i);
        make_family(family, i / 8 == 0 ? 0 : 23, made);
        for (uint32_t k = 0; k < size; k++) {
            covey_result result = covey_group_sort(made[k], 0, &(covey_order){ .key = COVEY_KEY_U32 });
            assert_int_equal(result, k + 1 == size ? COVEY_OK : COVEY_ERROR_REFUSED);
            check_all();
        }
        assert_sorted(made[size - 1], 0, false, 0);
        next_world();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_a_group_is_sorted_by_any_of_its_fields),
        GROUP_TEST(test_a_group_is_sorted_by_index_or_in_part),
        GROUP_TEST(test_a_part_of_the_members_is_sorted),
        GROUP_TEST(test_a_group_is_sorted_as_a_pool),
        GROUP_TEST(test_sorting_a_group_leaves_others_where_they_are),
        GROUP_TEST(test_values_of_several_sizes_are_sorted_together),
        GROUP_TEST(test_sorting_that_is_refused),
        GROUP_TEST(test_the_innermost_group_is_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
