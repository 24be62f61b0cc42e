/* Groups: many entities at once, pools as a whole, and values that need an end. */
#include <covey/fields.h>
#include "observe/observers.h"
#include "storage/block_store.h"
#include "storage/sparse_set.h"
#include "groups.h"

static void count_call(const covey_event *event, void *count) {
    (void)event;
    ++*(uint32_t *)count;
}

/* The group has no memory for the index before. */
static void test_an_entity_joins_whose_other_component_has_a_listener(void **state) {
    (void)state;
    uint32_t calls = 0;
    const covey_component with[] = { { .type = covey_id(A) }, { .type = covey_id(B) }, { .type = covey_id(X) }, { 0 } };
    make_group(&(covey_group_desc){ .own = { AB } });
    covey_listener listener = { .type = covey_id(X), .signals = COVEY_ON_ADD, .call = count_call, .context = &calls };
    covey_connect(world, &listener);
    covey_entity made = covey_create_with_raw(world, with);
    assert_true(covey_group_contains(first_group(), made));
    assert_int_equal(calls, 1);
    test_world_is_valid(world);
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

static void add_many(const covey_type *type, bool copies) {
    covey_entity to[COUNT];
    Value values[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        to[i] = e[(i * 7) % COUNT];
        values[i] = value_of(number_for(to[i], type));
    }
    for (uint32_t i = 0; copies && i < COUNT; i++)
        assert_true(covey_add_copies_raw(world, &to[i], 1, type, &values[i]));
    if (!copies) assert_true(covey_add_array_raw(world, to, COUNT, type, values));
}

static const covey_type *const many_types[] = { covey_id(A),       covey_id(Fixed),   covey_id(Kept),
                                                covey_id(Ordered), covey_id(Blocked), covey_id(Pinned) };

/* As many as there is no room for in a group that was just made. */
static void test_arrays_join_as_a_whole(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(many_types) * 4; i++) {
        const covey_type *type = many_types[i / 4];
        bool copies = i % 2 != 0, excludes = i % 4 > 1;
        covey_group_desc desc = { .with = { type, covey_id(B) } };
        if (excludes) desc.without[0] = covey_id(X);
        for (uint32_t k = 0; k < COUNT; k += 2) assert_non_null(give(e[k], covey_id(X)));
        give_to(0, COUNT - 10, covey_id(B));
        make_group(&desc);
        if (type == covey_id(A)) make_group(&(covey_group_desc){ .own = { AB }, .without = { covey_id(Y) } });
        add_many(type, copies);
        check_all();
        assert_int_equal(covey_group_count(first_group()), excludes ? (COUNT - 10) / 2 : COUNT - 10);
        covey_clear(world, X); /* all that may be members have room */
        check_all();
        assert_int_equal(covey_group_count(first_group()), COUNT - 10);
        next_world();
    }
}

static void test_an_array_of_what_is_excluded_lets_all_leave(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(shapes); i++) {
        if (!shapes[i].without[0] || shapes[i].without[0]->size == 0) continue;
        scatter_for(&shapes[i], i);
        covey_clear_raw(world, shapes[i].without[0]);
        make_group(&shapes[i]);
        assert_true(covey_group_count(first_group()) != 0);
        add_many(shapes[i].without[0], false);
        assert_int_equal(covey_group_count(first_group()), 0);
        check_all();
        next_world();
    }
}

static uint32_t copies_left; /* that succeed */
static int32_t owned_values; /* made and not dropped */
static bool copy_some(void *to, const void *from, void *context) {
    (void)context;
    if (copies_left == 0) return false;
    copies_left--;
    owned_values++;
    memcpy(to, from, sizeof(Value));
    return true;
}
static void drop_one(void *value, void *context) {
    (void)context;
    Value *own = value;
    assert_int_equal(own->check, ~own->number);
    own->check = own->number; /* a second time would be seen */
    owned_values--;
}
typedef Value Handle;
typedef Value HandleBlock;
COVEY_COMPONENT_DEFINE(Handle, OWNED, .copy = copy_some, .drop = drop_one);
COVEY_COMPONENT_DEFINE(HandleBlock, .copy = copy_some, .drop = drop_one, .zero_erased = true);

static void test_nobody_joins_when_a_copy_fails(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2 * COUNT; i += 13) {
        const covey_type *type = i % 2 == 0 ? covey_id(Handle) : covey_id(HandleBlock);
        const Value value = value_of(5);
        give_to(0, COUNT, covey_id(A));
        make_group(&(covey_group_desc){ .with = { covey_id(A), type } });
        make_group(&(covey_group_desc){ .with = { covey_id(A) }, .without = { type } });
        if (type == covey_id(Handle)) make_group(&(covey_group_desc){ .own = { type, covey_id(A) } });
        copies_left = 5;
        owned_values = 0;
        assert_true(covey_add_copies_raw(world, e, 5, type, &value));
        uint64_t digest = world_digest(world);
        copies_left = i / 2 < COUNT - 10 ? i / 2 : COUNT - 11;
        assert_false(covey_add_copies_raw(world, e + 5, COUNT - 10, type, &value));
        assert_failed(COVEY_ERROR_COPY);
        assert_int_equal(owned_values, 5);
        assert_int_equal(world_digest(world), digest);
        test_world_is_valid(world);
        for (uint32_t k = 0; k < covey_world_group_count(world); k++) check_members(covey_world_group(world, k));
        copies_left = COUNT;
        assert_true(covey_add_copies_raw(world, e + 5, COUNT - 10, type, &value));
        assert_int_equal(owned_values, COUNT - 5);
        test_world_is_valid(world);
        for (uint32_t k = 0; k < covey_world_group_count(world); k++) check_members(covey_world_group(world, k));
        covey_destroy_all(world);
        assert_int_equal(owned_values, 0);
        next_world();
    }
}

static void test_an_array_that_fails_changes_no_group(void **state) {
    (void)state;
    Value values[3] = { { 1, ~1u }, { 2, ~2u }, { 3, ~3u } };
    make_group(&shapes[0]);
    make_group(&(covey_group_desc){ .with = { AB, covey_id(Blocked) } });
    give_to(0, 10, covey_id(A));
    give_to(8, 10, covey_id(B));
    give_to(8, 10, covey_id(Blocked));
    uint64_t digest = world_digest(world);
    covey_entity wrong[][3] = { { e[1], e[2], e[8] }, { e[1], e[2], e[1] }, { e[1], e[2], { COUNT + 1, 1 } } };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_false(covey_add_array(world, wrong[i], 3, B, values));
        assert_false(covey_add_array(world, wrong[i], 3, Blocked, values));
        assert_failed(i == 2 ? COVEY_ERROR_DEAD : COVEY_ERROR_PRESENT);
        assert_int_equal(world_digest(world), digest);
        check_all();
    }
}

/* ---- All at once --------------------------------------------------------------------------------------------------*/

static void test_clearing_each_type_of_a_group(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        bool more = true;
        for (uint32_t term = 0; more; term++) {
            scatter(types, COUNT_OF(types), shape + term);
            const covey_group *group = make_group(&shapes[shape]);
            covey_clear_raw(world, group->view.types[term]);
            check_all();
            if (term < group->view.with) assert_int_equal(covey_group_count(group), 0);
            for (uint32_t i = 0; i < COUNT; i += 2) assert_non_null(give(e[i], group->view.types[term]));
            check_all();
            more = term + 1 < (uint32_t)group->view.with + group->view.without;
            next_world();
        }
    }
}

static void test_clearing_and_destroying_everything(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        const covey_group *group = make_group(&shapes[shape]);
        covey_clear_components(world);
        assert_int_equal(covey_group_count(group), 0);
        check_all();
        scatter_for(&shapes[shape], shape + 1);
        check_all();
        assert_true(covey_group_count(group) != 0);
        covey_destroy_all(world);
        assert_int_equal(covey_group_count(group), 0);
        check_all();
        covey_entity fresh = covey_create(world);
        for (uint32_t i = 0; i < group->view.with; i++) give(fresh, group->view.types[i]);
        assert_true(covey_group_contains(group, fresh));
        check_all();
        next_world();
    }
}

static void test_memory_that_is_returned_or_reserved_changes_no_group(void **state) {
    (void)state;
    for (uint32_t shape = 0; shape < COUNT_OF(shapes); shape++) {
        scatter_for(&shapes[shape], shape);
        make_group(&shapes[shape]);
        for (uint32_t i = 0; i < COUNT; i += 3) covey_destroy(world, e[i]);
        for (uint32_t k = 0; k < COUNT_OF(types); k++) take(e[1], types[k]);
        uint32_t count = covey_group_count(first_group());
        covey_compact(world);
        check_all();
        covey_shrink(world);
        check_all();
        for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
            covey_pool *pool = covey_world_pool(world, i);
            assert_int_equal(covey_pool_reserve(pool, 200), COVEY_OK);
            assert_true(!pool->observers || covey__in_blocks(pool) || pool->sparse_set.room == 0);
        }
        check_all();
        assert_int_equal(covey_group_count(first_group()), count);
        for (uint32_t k = 0; k < COUNT_OF(types); k++) assert_non_null(give(e[1], types[k]));
        check_all();
        next_world();
    }
}

/* ---- Values that need an end --------------------------------------------------------------------------------------*/

typedef Value Wiped;
COVEY_COMPONENT_DEFINE(Wiped, OWNED, .zero_erased = true);

static void add_owned(covey_entity to, const covey_type *type) {
    assert_non_null(give(to, type));
    owned_values++;
}

static void test_each_value_is_dropped_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        const covey_type *type = i == 2 ? covey_id(HandleBlock) : covey_id(Handle);
        test_random random = { i };
        owned_values = 0;
        if (i == 0) {
            make_group(&(covey_group_desc){ .own = { covey_id(A), type } });
            make_group(&(covey_group_desc){ .own = { covey_id(A), type, covey_id(C) }, .without = { covey_id(X) } });
        } else {
            make_group(&(covey_group_desc){ .own = { covey_id(A) }, .with = { type }, .without = { covey_id(X) } });
            make_group(&(covey_group_desc){ .with = { covey_id(C), type } });
        }
        for (uint32_t step = 0; step < 600; step++) {
            uint32_t k = test_below(&random, COUNT);
            if (!covey_alive(world, e[k])) continue;
            int32_t before = owned_values;
            if (covey_has_raw(world, e[k], type)) assert_true(take(e[k], type) && owned_values == before - 1);
            else add_owned(e[k], type);
            before = owned_values;
            change_something(&random);
            assert_int_equal(owned_values, covey_pool_count(covey_pool_of_raw(world, type)));
            if (step % 50 == 0) check_all();
        }
        check_all();
        covey_clear_raw(world, type);
        assert_int_equal(owned_values, 0);
        for (uint32_t k = 0; k < COUNT; k++)
            if (covey_alive(world, e[k])) add_owned(e[k], type);
        covey_destroy_all(world);
        assert_int_equal(owned_values, 0);
        next_world();
    }
}

/* Behind the last component of a pool, all bytes that held one are zero. */
static void assert_wiped(void) {
    const covey_sparse_set *set = &covey_pool_of(world, Wiped)->sparse_set;
    const unsigned char *bytes = set->data;
    for (size_t i = (size_t)set->end * set->size; i < (size_t)COUNT * set->size; i++) assert_int_equal(bytes[i], 0);
}

/* In a block, these are the bytes of the slot behind the last one that is taken. */
static void assert_erased(uint32_t index) {
    const covey__block_store *blocks = &covey_pool_of(world, Wiped)->block_store;
    const covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), used = page->used[block];
    if (used == 0) return;
    const unsigned char *bytes = (unsigned char *)page->chunks[block].data + used * sizeof(Wiped);
    for (size_t i = 0; i < sizeof(Wiped); i++) assert_int_equal(bytes[i], 0);
}

static void test_bytes_that_joins_and_leaves_free_are_zero(void **state) {
    (void)state;
    test_random random = { 9 };
    covey_pool *pool = covey_pool_of(world, Wiped);
    assert_int_equal(covey_pool_reserve(pool, COUNT), COVEY_OK);
    if (!IN_BLOCKS) memset(pool->sparse_set.data, 0, (size_t)COUNT * pool->size);
    make_group(&(covey_group_desc){ .own = { covey_id(Wiped), covey_id(A) }, .without = { covey_id(X) } });
    static const covey_type *const changed[] = { covey_id(Wiped), covey_id(A), covey_id(X) };
    for (uint32_t step = 0; step < 600; step++) {
        uint32_t k = test_below(&random, COUNT);
        const covey_type *type = changed[test_below(&random, 3)];
        bool taken = take(e[k], type);
        if (!taken) assert_non_null(give(e[k], type));
        if (!IN_BLOCKS) assert_wiped();
        else if (taken && type == covey_id(Wiped)) assert_erased(e[k].index);
    }
    check_all();
    assert_true(covey_group_count(first_group()) > 5);
    if (IN_BLOCKS) return;
    assert_int_equal(covey_group_sort(first_group(), 0, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    assert_wiped();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_an_entity_joins_whose_other_component_has_a_listener),
        GROUP_TEST(test_arrays_join_as_a_whole),
        GROUP_TEST(test_an_array_of_what_is_excluded_lets_all_leave),
        GROUP_TEST(test_nobody_joins_when_a_copy_fails),
        GROUP_TEST(test_an_array_that_fails_changes_no_group),
        GROUP_TEST(test_clearing_each_type_of_a_group),
        GROUP_TEST(test_clearing_and_destroying_everything),
        GROUP_TEST(test_memory_that_is_returned_or_reserved_changes_no_group),
        GROUP_TEST(test_each_value_is_dropped_once),
        GROUP_TEST(test_bytes_that_joins_and_leaves_free_are_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
