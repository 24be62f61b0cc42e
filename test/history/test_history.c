/* Going back to an earlier state of a world. */
#include "memory/inner.h"
#include "history/history.h"
#include "observe/observers.h"
#include "observe/queue.h"
#include "query/reactive.h"
#include "owned.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>
#include <covey/image.h>

typedef Owned OwnedBlock;
typedef Owned Unique;
typedef Value Ticked;
typedef Value Late;
typedef Value Secret;
typedef Value SecretBlock;
typedef struct Bulk {
    uint32_t word[7];
} Bulk;
typedef Bulk PackedBulk;
typedef Value Stored;
typedef Value PackedStored;
COVEY_COMPONENT_DEFINE(Bulk);
COVEY_COMPONENT_DEFINE(Stored, .as_bytes = true);
COVEY_COMPONENT_DEFINE(PackedStored, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(PackedBulk, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Owned, .policy = COVEY_ORDERED, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(OwnedBlock, .drop = drop_owned, .copy = copy_owned);
COVEY_COMPONENT_DEFINE(Unique, .drop = drop_owned);
COVEY_COMPONENT_DEFINE(Ticked, .ticks = true);
COVEY_COMPONENT_DEFINE(Late);
COVEY_COMPONENT_DEFINE(Secret, .policy = COVEY_SWAP_ONLY, .zero_erased = true);
COVEY_COMPONENT_DEFINE(SecretBlock, .zero_erased = true);

static covey_history *history;
static covey_entity held[40];

static int history_setup(void **state) {
    int result = owned_setup(state);
    history = result == 0 ? covey_history_create(world, 3) : NULL;
    return history ? result : -1;
}

static int history_teardown(void **state) {
    covey_history_destroy(history);
    return owned_teardown(state);
}
#define HISTORY_TEST(test) cmocka_unit_test_setup_teardown(test, history_setup, history_teardown)

static void is_counted(void) {
    size_t bytes = covey_world_memory(world) + covey_history_memory(history);
    for (const covey_commands *c = world->inner->commands; c; c = c->next_of_world) bytes += covey_commands_memory(c);
    assert_int_equal(bytes, heap.bytes);
}

static void save(void) {
    assert_true(covey_history_save(history));
    test_world_is_valid(world);
    is_counted();
}

static void restore(uint32_t back) {
    assert_true(covey_history_restore(history, back));
    test_world_is_valid(world);
    is_counted();
}

static void refuses_to_restore(covey_result reason) {
    uint64_t digest = world_digest(world);
    assert_false(covey_history_restore(history, 0));
    assert_failed(reason);
    assert_int_equal(world_digest(world), digest);
    test_world_is_valid(world);
}

static void refuses_to_save(covey_result reason) {
    uint32_t count = covey_history_count(history);
    uint64_t digest = world_digest(world);
    assert_false(covey_history_save(history));
    assert_failed(reason);
    assert_int_equal(covey_history_count(history), count);
    assert_int_equal(world_digest(world), digest);
    test_world_is_valid(world);
}

/* Every storage with holes, free and reserved indices. */
static void fill_world(void) {
    covey_range range = covey_range_reserve(world, 60, 5);
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        held[i] = covey_create(world);
        for (uint32_t k = 0; k < COUNT_OF(storage_types); k++)
            if ((i * 7 + k) % 3 != 0) add_value(held[i], storage_types[k], i * 10 + k);
    }
    covey_create_in(world, range);
    for (uint32_t i = 0; i < COUNT_OF(held); i += 3) covey_destroy(world, held[i]);
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) remove_value(held[k + 10], storage_types[k]);
}

/* The order of spans, which the digest does not see. */
static uint64_t span_digest(const covey_type *type) {
    uint64_t digest = 0;
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_entity e = covey_span_entity(&it, i);
            digest = (digest ^ e.index ^ (uint64_t)e.generation << 32) * UINT64_C(0x100000001B3);
        }
    return digest;
}

static uint64_t whole_digest(void) {
    uint64_t digest = world_digest(world);
    for (uint32_t k = 0; k < COUNT_OF(storage_types); k++) digest = digest * 31 + span_digest(storage_types[k]);
    return digest;
}

static void change(test_random *random) {
    covey_entity e = { 0, 0 };
    uint32_t wanted = test_below(random, covey_entity_count(world) + 1);
    for (uint32_t i = 0; i <= wanted; i++) e = covey_entity_next(world, e);
    const covey_type *type = storage_types[test_below(random, COUNT_OF(storage_types))];
    Value value = value_of(test_next(random)), *there = get_value(e, type);
    switch (test_below(random, 12)) {
    case 0:
    case 1: covey_create(world); break;
    case 2: covey_destroy(world, e); break;
    case 3:
        if (there) there->number = value.number;
        break;
    case 4:
    case 5:
    case 6: remove_value(e, type); break;
    default: covey_set_raw(world, e, type, &value); break;
    }
}

static void change_much(uint32_t seed, uint32_t steps) {
    test_random random = { seed };
    for (uint32_t i = 0; i < steps; i++) change(&random);
}

/* ---- Snapshots ----------------------------------------------------------------------------------------------------*/

static void test_the_world_is_as_it_was(void **state) {
    (void)state;
    fill_world();
    uint64_t digest = whole_digest();
    save();
    assert_int_equal(whole_digest(), digest);
    change_much(1, 300);
    restore(0);
    assert_int_equal(whole_digest(), digest);
    covey_destroy_all(world);
    covey_compact(world);
    covey_shrink(world);
    restore(0);
    assert_int_equal(whole_digest(), digest);
}

static void test_an_empty_world_can_be_restored(void **state) {
    (void)state;
    save();
    fill_world();
    restore(0);
    assert_int_equal(covey_entity_count(world), 0);
    covey_entity e = covey_create(world);
    assert_same(e, entity(0, 1));
    covey_destroy(world, e);
    restore(0);
    assert_same(covey_create(world), entity(0, 1));
}

/* In the same order, with the same ids. */
static void test_the_same_calls_give_the_same_results(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        change_much(seed, 300);
        save();
        change_much(seed + 100, 200);
        uint64_t digest = whole_digest();
        restore(0);
        change_much(seed + 200, 500);
        restore(0);
        change_much(seed + 100, 200);
        assert_int_equal(whole_digest(), digest);
    }
}

static void test_the_last_snapshots_are_kept(void **state) {
    (void)state;
    uint64_t digests[5];
    covey_entity e = create_with(covey_id(Blocked), 0);
    for (uint32_t i = 0; i < COUNT_OF(digests); i++) {
        get_value(e, covey_id(Blocked))->number = i;
        digests[i] = whole_digest();
        save();
        assert_int_equal(covey_history_count(history), i < 3 ? i + 1 : 3);
    }
    restore(1);
    assert_int_equal(whole_digest(), digests[3]);
    assert_int_equal(covey_history_count(history), 2);
    restore(0);
    assert_int_equal(whole_digest(), digests[3]);
    restore(1);
    assert_int_equal(whole_digest(), digests[2]);
    assert_int_equal(covey_history_count(history), 1);
    assert_false(covey_history_restore(history, 1));
    assert_failed(COVEY_ERROR_ABSENT);
}

static void test_without_a_snapshot_nothing_is_restored(void **state) {
    (void)state;
    refuses_to_restore(COVEY_ERROR_ABSENT);
}

static void test_a_history_keeps_at_least_one(void **state) {
    (void)state;
    assert_null(covey_history_create(world, 0));
    assert_failed(COVEY_ERROR_RANGE);
}

static void test_a_world_may_have_several_histories(void **state) {
    (void)state;
    covey_history *other = covey_history_create(world, 1);
    covey_entity e = create_with(covey_id(Packed), 1);
    assert_true(covey_history_save(other));
    get_value(e, covey_id(Packed))->number = 2;
    assert_true(covey_history_save(history));
    assert_true(covey_history_restore(other, 0));
    assert_int_equal(get_value(e, covey_id(Packed))->number, 1);
    assert_true(covey_history_restore(history, 0));
    assert_int_equal(get_value(e, covey_id(Packed))->number, 2);
    covey_history_destroy(history);
    test_world_is_valid(world);
    history = other;
    restore(0);
    assert_int_equal(get_value(e, covey_id(Packed))->number, 1);
    covey_history_destroy(NULL);
}

/* Forty full blocks. What is the same is shared: two of 8 blocks, and one of a page, are not. */
static void test_a_snapshot_takes_what_has_changed(void **state) {
    (void)state;
    if (COVEY_NONE < 4000) return; /* too few indices */
    for (uint32_t i = 0; i < 2560; i++) held[i % 40] = create_with(covey_id(Blocked), i);
    save();
    size_t first = covey_history_memory(history), bytes = 2560 * sizeof(Value);
    assert_true(first > bytes);
    save();
    size_t table = covey_history_memory(history) - first;
    assert_true(table < 2000);
    get_value(held[39], covey_id(Blocked))->number = 1;
    save();
    assert_true(covey_history_memory(history) - first < 2 * table + 512 * sizeof(Value) + 256);
    for (uint32_t i = 0; i < 3; i++) save();
    assert_true(covey_history_memory(history) <= first + 2 * table);
}

static void test_the_world_ends_its_histories(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    covey_history *ends = covey_history_create(other, 1);
    Owned value = { 1, ~(uint32_t)1 };
    assert_non_null(covey_add_value(other, covey_create(other), Owned, &value));
    owned.alive = 1;
    assert_true(covey_history_save(ends));
    covey_world_destroy(other);
    assert_int_equal(owned.alive, 0);
}

/* More than caches hold, which is copied in another way: each value comes back whole. */
static void test_a_large_world_comes_back(void **state) {
    (void)state;
    enum { COUNT = 501000 };
    if (COVEY_NONE < COUNT) return; /* too few indices */
    covey_pool *pool = covey_pool_of(world, Bulk), *packed = covey_pool_of(world, PackedBulk);
    for (uint32_t i = 0; i < COUNT; i++) {
        covey_entity e = covey_create(world);
        assert_non_null(covey_pool_add(pool, e, Bulk, { { i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6 } }));
        if (i % 3 != 0) assert_non_null(covey_pool_add(packed, e, PackedBulk, { { i + 7 } }));
    }
    assert_true(covey_history_save(history));
    memset(covey_pool_values(packed, PackedBulk), 1, (covey_pool_position_count)(packed) * sizeof(PackedBulk));
    covey_destroy_all(world);
    for (uint32_t i = 0; i < COUNT / 2; i++) covey_add(world, covey_create(world), Bulk, { { 1 } });
    assert_true(covey_history_restore(history, 0));
    assert_int_equal(covey_pool_count(pool), COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        const Bulk *bulk = covey_pool_get(pool, entity(i, 1), Bulk);
        for (uint32_t k = 0; k < 7; k++) assert_int_equal(bulk->word[k], i + k);
        const PackedBulk *other = covey_pool_get(packed, entity(i, 1), PackedBulk);
        assert_int_equal(i % 3 != 0, other && other->word[0] == i + 7);
    }
    test_world_is_valid(world);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void test_indices_come_in_the_same_order_again(void **state) {
    (void)state;
    covey_entity made[20];
    fill_world();
    save();
    for (uint32_t i = 0; i < COUNT_OF(made); i++) made[i] = covey_create(world);
    covey_range late = covey_range_reserve(world, 100, 5);
    assert_int_equal(late.count, 5);
    restore(0);
    assert_no_entity(covey_create_in(world, late));
    assert_failed(COVEY_ERROR_ABSENT);
    for (uint32_t i = 0; i < COUNT_OF(made); i++) assert_same(covey_create(world), made[i]);
}

/* What docs/guarantees.md says of abandoned handles. */
static void test_a_handle_that_was_lost_is_issued_again(void **state) {
    (void)state;
    save();
    covey_entity lost = create_with(covey_id(Blocked), 7);
    restore(0);
    assert_false(covey_alive(world, lost));
    assert_same(covey_create(world), lost);
    assert_null(get_value(lost, covey_id(Blocked)));
}

static void test_pages_that_came_since_are_as_new(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1);
    save();
    covey_entity far = covey_create_at(world, 40 * COVEY_PAGE_SIZE);
    assert_non_null(add_value(far, covey_id(Packed), 2));
    assert_non_null(add_value(far, covey_id(Blocked), 3));
    restore(0);
    assert_false(covey_alive(world, far));
    assert_value(e, covey_id(Packed), 1);
    assert_same(covey_create_at(world, far.index), far);
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

static void comes_back(const covey_type *type) {
    covey_entity e[6];
    covey_history *own = covey_history_create(world, 1);
    for (uint32_t i = 0; i < 6; i++) e[i] = create_with(type, i);
    remove_value(e[1], type);
    assert_true(covey_history_save(own));
    uint64_t digest = whole_digest();
    const Value *address = get_value(e[4], type);
    remove_value(e[2], type);
    remove_value(e[0], type);
    assert_non_null(add_value(e[1], type, 10));
    get_value(e[3], type)->number = 11;
    assert_true(covey_history_restore(own, 0));
    test_world_is_valid(world);
    assert_int_equal(whole_digest(), digest);
    bool stable = type->policy == COVEY_IN_PLACE || type->storage == COVEY_STORAGE_PINNED;
    if (stable) assert_ptr_equal(get_value(e[4], type), address);
    assert_value(e[0], type, 0);
    assert_null(get_value(e[1], type));
    covey_destroy_all(world);
    covey_pool_shrink(covey_pool_find_raw(world, type));
    assert_true(covey_history_restore(own, 0));
    test_world_is_valid(world);
    assert_int_equal(whole_digest(), digest);
    covey_history_destroy(own);
}

static void test_components_of_every_storage_come_back(void **state) {
    (void)state;
    for_each_storage(comes_back);
}

static void test_a_type_that_was_met_since_stays_known_and_empty(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Blocked), 1);
    save();
    assert_non_null(covey_add(world, e, Late, { 1, 2 }));
    assert_non_null(add_value(e, covey_id(Ordered), 2));
    covey_pool *pool = covey_pool_find(world, Late);
    restore(0);
    assert_ptr_equal(covey_pool_find(world, Late), pool);
    assert_int_equal(covey_pool_count(pool), 0);
    assert_null(get_value(e, covey_id(Ordered)));
    assert_non_null(covey_add(world, e, Late, { 1, 2 }));
}

static void test_a_storage_comes_back(void **state) {
    (void)state;
    static const covey_storage storages[] = { COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK };
    for (uint32_t i = 0; i < 2; i++) {
        const covey_type *type = i == 0 ? covey_id(Blocked) : covey_id(Packed);
        for (uint32_t k = 0; k < 9; k++) create_with(type, k);
        covey_pool *pool = covey_pool_find_raw(world, type);
        save();
        uint64_t digest = whole_digest();
        assert_int_equal(covey_pool_convert(pool, storages[i]), COVEY_OK);
        covey_destroy(world, covey_entity_next(world, entity(0, 0)));
        restore(0);
        assert_int_equal(whole_digest(), digest);
        assert_int_equal(pool->storage, storages[1 - i]);
        assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_PINNED), COVEY_OK);
        restore(0);
        assert_int_equal(whole_digest(), digest);
    }
}

static void test_a_storage_that_a_group_needs_stays(void **state) {
    (void)state;
    create_with(covey_id(Blocked), 1);
    save();
    assert_int_equal(covey_pool_convert(covey_pool_find(world, Blocked), COVEY_STORAGE_SPARSE), COVEY_OK);
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blocked) } });
    assert_non_null(group);
    refuses_to_restore(COVEY_ERROR_REFUSED);
    covey_group_destroy(group);
    restore(0);
}

static void nothing_is_left_of(const covey_type *type) {
    covey_entity a = create_with(type, 1), b = create_with(type, 2);
    remove_value(b, type);
    save();
    assert_non_null(add_value(b, type, 3));
    const Value *left = get_value(b, type);
    restore(0);
    assert_value(a, type, 1);
    assert_int_equal(left->number, 0);
    assert_int_equal(left->check, 0);
}

static void test_values_that_go_are_zeroed(void **state) {
    (void)state;
    nothing_is_left_of(covey_id(Secret));
    nothing_is_left_of(covey_id(SecretBlock));
}

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

static void add_owned(covey_entity e, const covey_type *type, uint32_t number) {
    Owned value = { number, ~number };
    assert_non_null(covey_add_raw(world, e, type, &value));
    owned.alive++;
}

static void copies_are_made_and_dropped(const covey_type *type) {
    covey_entity a = covey_create(world), b = covey_create(world), c = covey_create(world);
    uint32_t before = owned.alive;
    add_owned(a, type, 1);
    add_owned(b, type, 2);
    save();
    assert_int_equal(owned.alive, before + 4);
    covey_remove_raw(world, a, type);
    add_owned(c, type, 3);
    restore(0);
    assert_int_equal(owned.alive, before + 4);
    assert_int_equal(((const Owned *)covey_get_raw(world, a, type))->number, 1);
    assert_null(covey_get_raw(world, c, type));
    save();
    assert_int_equal(owned.alive, before + 6);
    restore(1);
    assert_int_equal(owned.alive, before + 4);
    covey_clear_raw(world, type);
    restore(0);
    covey_clear_raw(world, type);
    for (uint32_t i = 0; i < 3; i++) save();
    assert_int_equal(owned.alive, before);
}

static void test_values_with_hooks_are_copied(void **state) {
    (void)state;
    copies_are_made_and_dropped(covey_id(Owned));
    copies_are_made_and_dropped(covey_id(OwnedBlock));
}

static void test_a_copy_that_fails_changes_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        held[i] = covey_create(world);
        add_owned(held[i], covey_id(Owned), i);
        add_owned(held[i], covey_id(OwnedBlock), i);
    }
    for (uint32_t at = 1; at <= 10; at++) {
        owned.copies = 0;
        owned.fails_at = at;
        refuses_to_save(COVEY_ERROR_COPY);
        assert_non_null(strstr(heard.text, at <= 5 ? "Owned" : "OwnedBlock"));
    }
    owned.fails_at = 0;
    save();
    covey_destroy(world, held[0]);
    for (uint32_t at = 1; at <= 10; at++) {
        owned.copies = 0;
        owned.fails_at = at;
        refuses_to_restore(COVEY_ERROR_COPY);
    }
    owned.fails_at = 0;
    restore(0);
    assert_int_equal(covey_pool_count(covey_pool_find(world, Owned)), 5);
}

static void test_a_type_that_cannot_be_copied_cannot_be_saved(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_non_null(covey_pool_of(world, Unique));
    save();
    add_owned(e, covey_id(Unique), 1);
    refuses_to_save(COVEY_ERROR_COPY);
    assert_non_null(strstr(heard.text, "Unique"));
    restore(0);
    assert_false(covey_has(world, e, Unique));
    assert_int_equal(owned.alive, 0);
}

/* ---- All else -----------------------------------------------------------------------------------------------------*/

static void test_resources_come_back_and_keep_their_addresses(void **state) {
    (void)state;
    Owned value = { 5, ~(uint32_t)5 };
    assert_non_null(covey_resource_set_raw(world, covey_id(Blocked), &(Value){ 1, 2 }));
    assert_non_null(covey_resource_set_raw(world, covey_id(Owned), &value));
    owned.alive++;
    assert_non_null(covey_resource_set_raw(world, covey_id(Marked), NULL));
    const Value *kept = covey_resource_get_raw(world, covey_id(Blocked));
    save();
    ((Value *)(uintptr_t)kept)->number = 9;
    assert_true(covey_resource_remove_raw(world, covey_id(Owned)));
    assert_non_null(covey_resource_set_raw(world, covey_id(Pinned), NULL));
    restore(0);
    assert_ptr_equal(covey_resource_get_raw(world, covey_id(Blocked)), kept);
    assert_int_equal(kept->number, 1);
    assert_int_equal(covey_world_resource_count(world), 3);
    assert_ptr_equal(covey_world_resource(world, 1), covey_id(Owned));
    assert_int_equal(((const Owned *)covey_resource_get_raw(world, covey_id(Owned)))->number, 5);
    assert_int_equal(owned.alive, 2);
    owned.copies = 0;
    owned.fails_at = 1;
    refuses_to_restore(COVEY_ERROR_COPY);
    owned.copies = 0;
    refuses_to_save(COVEY_ERROR_COPY);
    assert_true(covey_resource_remove_raw(world, covey_id(Owned)));
}

static void test_a_resource_that_cannot_be_copied_cannot_be_saved(void **state) {
    (void)state;
    Owned value = { 5, ~(uint32_t)5 };
    assert_non_null(covey_resource_set_raw(world, covey_id(Unique), &value));
    owned.alive++;
    refuses_to_save(COVEY_ERROR_COPY);
}

static void test_trees_and_names_come_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) held[i] = covey_create(world);
    assert_int_equal(covey_parent_set(world, held[1], held[0]), COVEY_OK);
    assert_int_equal(covey_parent_set(world, held[2], held[0]), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[0], "ship"), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[2], "gun"), COVEY_OK);
    save();
    uint64_t digest = whole_digest();
    assert_int_equal(covey_name_set(world, held[2], "sail"), COVEY_OK);
    assert_int_equal(covey_name_set(world, held[4], "mast"), COVEY_OK);
    assert_int_equal(covey_parent_set(world, held[2], held[4]), COVEY_OK);
    covey_destroy(world, held[0]);
    restore(0);
    assert_int_equal(whole_digest(), digest);
    assert_same(covey_find_path(world, entity(0, 0), "ship/gun"), held[2]);
    assert_no_entity(covey_find_path(world, entity(0, 0), "mast"));
    assert_same(covey_child_next(world, held[1]), held[2]);
    covey_destroy_all(world);
    save();
    restore(1);
    assert_int_equal(whole_digest(), digest);
}

static void test_names_that_stay_are_shared(void **state) {
    (void)state;
    char name[10000];
    memset(name, 'x', sizeof name);
    name[sizeof name - 1] = '\0';
    assert_int_equal(covey_name_set(world, covey_create(world), name), COVEY_OK);
    save();
    size_t bytes = covey_history_memory(history);
    save();
    assert_true(covey_history_memory(history) - bytes < sizeof name);
}

static void test_names_that_came_since_go(void **state) {
    (void)state;
    held[0] = covey_create(world);
    held[1] = covey_create(world);
    save();
    assert_int_equal(covey_name_set(world, held[0], "ship"), COVEY_OK);
    assert_int_equal(covey_parent_set(world, held[0], held[1]), COVEY_OK);
    restore(0);
    assert_null(covey_name(world, held[0]));
    assert_no_entity(covey_parent(world, held[0]));
    assert_no_entity(covey_find_path(world, entity(0, 0), "ship"));
}

static void test_what_is_disabled_comes_back(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 4; i++) held[i] = create_with(covey_id(Blocked), i);
    assert_int_equal(covey_disable(world, held[0]), COVEY_OK);
    assert_int_equal(covey_component_disable_raw(world, held[1], covey_id(Blocked)), COVEY_OK);
    save();
    assert_int_equal(covey_enable(world, held[0]), COVEY_OK);
    assert_int_equal(covey_component_enable_raw(world, held[1], covey_id(Blocked)), COVEY_OK);
    assert_int_equal(covey_disable(world, held[2]), COVEY_OK);
    assert_int_equal(covey_component_disable_raw(world, held[3], covey_id(Blocked)), COVEY_OK);
    covey_shrink(world);
    restore(0);
    assert_false(covey_is_enabled(world, held[0]));
    assert_false(covey_component_is_enabled_raw(world, held[1], covey_id(Blocked)));
    assert_true(covey_is_enabled(world, held[2]));
    assert_true(covey_component_is_enabled_raw(world, held[3], covey_id(Blocked)));
}

static void test_ticks_come_back(void **state) {
    (void)state;
    held[0] = create_with(covey_id(Ticked), 1);
    covey_tick_advance(world);
    save();
    uint64_t tick = covey_tick(world), changed = covey_changed_at_raw(world, held[0], covey_id(Ticked));
    covey_tick_advance(world);
    covey_set_raw(world, held[0], covey_id(Ticked), NULL);
    covey_entity far = covey_create_at(world, 40 * COVEY_PAGE_SIZE);
    assert_non_null(add_value(far, covey_id(Ticked), 1));
    restore(0);
    assert_int_equal(covey_tick(world), tick);
    assert_int_equal(covey_changed_at_raw(world, held[0], covey_id(Ticked)), changed);
    covey_destroy(world, held[0]);
    covey_shrink(world);
    restore(0);
    assert_int_equal(covey_changed_at_raw(world, held[0], covey_id(Ticked)), changed);
}

/* Gives so many of these a component, each at a tick of its own. */
static void tick_some(const covey_entity *entities, uint32_t count) {
    covey_clear_raw(world, covey_id(Ticked));
    covey_shrink(world);
    for (uint32_t i = 0; i < count; i++) {
        covey_tick_advance(world);
        assert_non_null(add_value(entities[i], covey_id(Ticked), i));
    }
}

/* Pages of ticks have as much room as their blocks need: now more, now less than the snapshot has. */
static void test_ticks_of_scattered_ids_come_back(void **state) {
    (void)state;
    static const uint32_t counts[] = { 1, 3, 12, 15, 40, 0 };
    uint32_t most = COVEY_NONE / COVEY__BLOCK_IDS < 40 ? 15 : 40;
    for (uint32_t i = 0; i < most; i++) held[i] = covey_create_at(world, i * 7 % most * COVEY__BLOCK_IDS);
    for (uint32_t k = 0; k < COUNT_OF(counts) * COUNT_OF(counts); k++) {
        uint32_t saved = counts[k / COUNT_OF(counts)], others = counts[k % COUNT_OF(counts)];
        if (saved > most || others > most) continue;
        tick_some(held, saved);
        save();
        uint64_t last = covey_tick(world);
        tick_some(held + most - others, others);
        restore(0);
        for (uint32_t i = 0; i < most; i++)
            assert_int_equal(covey_changed_at_raw(world, held[i], covey_id(Ticked)),
                             i < saved ? last - saved + 1 + i : 0);
    }
}

/* ---- Who is told --------------------------------------------------------------------------------------------------*/

static uint32_t told;

static void tell(const covey_event *event, void *context) {
    (void)event;
    (void)context;
    told++;
}

static void test_listeners_are_not_told(void **state) {
    (void)state;
    covey_listener listener = { .type = covey_id(Blocked),
                                .signals = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                                .call = tell };
    assert_true(covey_connect(world, &listener).number != 0);
    listener = (covey_listener){ .signals = COVEY_ON_CREATE | COVEY_ON_DESTROY, .call = tell };
    assert_true(covey_connect(world, &listener).number != 0);
    fill_world();
    save();
    covey_destroy_all(world);
    told = 0;
    restore(0);
    assert_int_equal(told, 0);
}

static void save_and_restore(const covey_event *event, void *context) {
    (void)event;
    (void)context;
    told++;
    assert_false(covey_history_save(history));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_false(covey_history_restore(history, 0));
    assert_failed(COVEY_ERROR_REFUSED);
}

static void test_listeners_cannot_save_or_restore(void **state) {
    (void)state;
    save();
    covey_listener listener = { .type = covey_id(Blocked), .signals = COVEY_ON_ADD, .call = save_and_restore };
    covey_connection connection = covey_connect(world, &listener);
    told = 0;
    create_with(covey_id(Blocked), 1);
    assert_int_equal(told, 1);
    covey_disconnect(world, connection);
    restore(0);
}

static covey_result try_to_restore(covey_world *of, void *data) {
    (void)data;
    if (of) save_and_restore(NULL, NULL);
    return COVEY_OK;
}

static void test_commands_cannot_save_or_restore(void **state) {
    (void)state;
    save();
    covey_commands *commands = covey_commands_create(world, NULL);
    assert_true(covey_record_call(commands, try_to_restore, NULL, 0));
    told = 0;
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_int_equal(told, 1);
    covey_commands_destroy(commands);
    restore(0);
}

static void test_recorded_entities_are_made_or_forgotten_first(void **state) {
    (void)state;
    covey_commands *commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    save();
    assert_false(covey_is_null(covey_record_create(commands)));
    refuses_to_save(COVEY_ERROR_REFUSED);
    refuses_to_restore(COVEY_ERROR_REFUSED);
    covey_commands_clear(commands);
    save();
    restore(0);
    covey_commands_destroy(commands);
}

/* They come in the same order again. Those of a buffer that has gone are free. */
static void test_ids_that_are_ready_come_back(void **state) {
    (void)state;
    covey_commands *commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    covey_commands *other = covey_commands_create(world, &(covey_commands_desc){ .entities = 3 });
    save();
    covey_entity first = covey_record_create(commands), made = covey_create(world);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    restore(0);
    assert_false(covey_alive(world, first));
    assert_same(covey_create(world), made);
    assert_same(covey_record_create(commands), first);
    covey_commands_clear(commands);
    restore(0);
    covey_entity its = covey_record_create(other);
    covey_commands_destroy(other);
    covey_commands *late = covey_commands_create(world, &(covey_commands_desc){ .entities = 1 });
    restore(0);
    assert_no_entity(covey_record_create(late));
    assert_same(covey_create(world), its);
    assert_same(covey_record_create(commands), first);
    assert_int_equal(covey_commands_replay(late).result, COVEY_ERROR_FULL);
    assert_false(covey_is_null(covey_record_create(late))); /* replaying has filled it up */
    covey_commands_destroy(commands);
    covey_commands_destroy(late);
}

/* A buffer without ids takes those that the world has then. */
static void test_buffers_go_on_from_where_the_world_is(void **state) {
    (void)state;
    covey_commands *commands = covey_commands_create(world, NULL);
    save();
    covey_entity made = covey_record_create(commands);
    refuses_to_save(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_true(covey_alive(world, made));
    restore(0);
    assert_same(covey_record_create(commands), made);
    covey_commands_clear(commands);
    restore(0);
    assert_same(covey_create(world), made);
    covey_commands_destroy(commands);
}

static uint32_t listen_in(covey_queue *queue) {
    covey_listener listener = { .type = covey_id(Blocked), .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .queue = queue };
    return covey_connect(world, &listener).number != 0;
}

static void test_events_in_queues_come_back(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world), *gone = covey_queue_create(world);
    covey_event event;
    assert_true(listen_in(queue));
    for (uint32_t i = 0; i < 20; i++) held[i] = create_with(covey_id(Blocked), i);
    for (uint32_t i = 0; i < 10; i++) assert_true(covey_queue_next(queue, &event));
    save();
    covey_queue_destroy(gone);
    covey_queue *late = covey_queue_create(world);
    assert_true(listen_in(late));
    covey_queue_clear(queue);
    covey_destroy_all(world);
    covey_queue *last = covey_queue_create(world);
    assert_true(listen_in(last)); /* it has no room yet */
    restore(0);
    assert_int_equal(covey_queue_count(last), 0);
    assert_int_equal(covey_queue_count(late), 0);
    assert_int_equal(covey_queue_count(queue), 10);
    assert_true(covey_queue_next(queue, &event));
    assert_int_equal(event.signal, COVEY_ON_ADD);
    assert_same(event.entities[0], held[10]);
    covey_destroy_all(world); /* there is room for all of it */
    assert_int_equal(covey_queue_count(late), 20);
    assert_int_equal(covey_queue_count(last), 20);
    assert_int_equal(covey_queue_count(queue), 29);
}

static covey_reactive *react(void) {
    return covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Blocked) } });
}

static void test_marks_of_reactive_sets_come_back(void **state) {
    (void)state;
    covey_reactive *set = react(), *gone = react();
    for (uint32_t i = 0; i < 4; i++) held[i] = create_with(covey_id(Blocked), i);
    covey_pool_remove_raw(covey_pool_find_raw(world, covey_reactive_type(set)), held[1]);
    save();
    covey_reactive_destroy(gone);
    covey_reactive *again = react(); /* uses what the one that is gone has left */
    covey_reactive_clear(set);
    covey_destroy_all(world);
    covey_create_at(world, 40 * COVEY_PAGE_SIZE);
    restore(0);
    assert_int_equal(covey_reactive_count(set), 3);
    assert_true(covey_reactive_contains(set, held[0]));
    assert_false(covey_reactive_contains(set, held[1]));
    assert_int_equal(covey_reactive_count(again), 0);
}

/* ---- Groups and order ---------------------------------------------------------------------------------------------*/

static void fill_group(void) {
    for (uint32_t i = 0; i < 12; i++) {
        held[i] = covey_create(world);
        if (i % 2 == 0) add_value(held[i], covey_id(Packed), i);
        if (i % 3 == 0) add_value(held[i], covey_id(Late), i);
        if (i % 4 == 0) covey_add_tag(world, held[i], Marked);
    }
}

static void test_groups_have_the_members_that_they_had(void **state) {
    (void)state;
    fill_group();
    covey_group *owning =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Late) } });
    covey_group *free =
        covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed) }, .without = { covey_id(Marked) } });
    assert_int_equal(covey_group_count(owning), 2);
    covey_entity first = covey_group_first(free);
    uint32_t count = covey_group_count(free);
    save();
    uint64_t digest = whole_digest();
    covey_destroy_all(world);
    covey_shrink(world);
    fill_group();
    covey_remove(world, held[0], Packed);
    restore(0);
    assert_int_equal(whole_digest(), digest);
    assert_int_equal(covey_group_count(owning), 2);
    assert_int_equal(covey_group_count(free), count);
    assert_same(covey_group_first(free), first);
}

static void test_groups_that_were_made_since_fit_what_comes_back(void **state) {
    (void)state;
    fill_group();
    save();
    covey_destroy_all(world);
    covey_group *outer = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) } });
    covey_group *inner =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Late) } });
    covey_group *free =
        covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Late) }, .without = { covey_id(Marked) } });
    restore(0);
    assert_int_equal(covey_group_count(outer), 6);
    assert_int_equal(covey_group_count(inner), 2);
    assert_int_equal(covey_group_count(free), 3);
    covey_group_destroy(inner);
    save();
    inner = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Late) } });
    covey_group_destroy(outer);
    restore(0);
    assert_int_equal(covey_group_count(inner), 2);
}

static void is_sorted(const covey_pool *pool, uint32_t count) {
    const Value *values = (covey_pool_values_raw)(pool);
    assert_int_equal(covey_pool_count(pool), count);
    for (uint32_t i = 1; i < count; i++) assert_true(values[i - 1].number <= values[i].number);
}

static void test_a_pool_that_is_kept_in_order_since_is_sorted(void **state) {
    (void)state;
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Value, number) };
    for (uint32_t i = 0; i < 30; i++) held[i] = create_with(covey_id(Packed), i * 7 % 30);
    covey_pool *pool = covey_pool_find(world, Packed);
    save();
    assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_OK);
    covey_destroy(world, held[3]);
    restore(0);
    is_sorted(pool, 30);
    covey_destroy(world, held[3]);
    test_fail_at(&heap, 1, true); /* sorting does without memory, if it must */
    assert_false(covey_history_restore(history, 0));
    for (uint64_t at = 2; at < 20 && !covey_history_restore(history, 0); at++) test_fail_at(&heap, at, true);
    test_fail_never(&heap);
    test_world_is_valid(world);
    is_sorted(pool, 30);
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    restore(0);
    assert_int_equal(((const Value *)(covey_pool_values_raw)(pool))[1].number, 7);
}

static uint32_t hook_calls;
static bool copy_value(void *to, const void *from, void *context) {
    (void)context;
    hook_calls++;
    memcpy(to, from, sizeof(Value));
    return true;
}
/* Values that a function copies, and nothing drops. */
static void test_a_type_with_no_hook_but_copy_comes_back(void **state) {
    (void)state;
    const covey_type *type = covey_type_create(
        world, &(covey_type){ .name = "copied", .size = sizeof(Value), .align = _Alignof(Value), .copy = copy_value });
    covey_entity e[40];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_with(type, i);
    save();
    for (uint32_t i = 0; i < COUNT_OF(e); i++) get_value(e[i], type)->number = 1000;
    covey_remove_raw(world, e[3], type);
    hook_calls = 0;
    restore(0);
    assert_true(hook_calls != 0);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_value(e[i], type, i);
}

static uint32_t weight = 1;
static void key_of_value(void *key, const void *value, void *context) {
    *(uint32_t *)key = ((const Value *)value)->number * *(const uint32_t *)context;
}
static void key_of_both(void *key, covey_entity of, const void *value, void *context) {
    (void)of;
    key_of_value(key, value, context);
}
static int compare_values(const void *x, const void *y, void *context) {
    uint32_t left, right;
    key_of_value(&left, x, context);
    key_of_value(&right, y, context);
    return (left > right) - (left < right);
}
static int compare_both(covey_entity a, const void *x, covey_entity b, const void *y, void *context) {
    (void)a, (void)b;
    return compare_values(x, y, context);
}

/* The order of now counts, in whichever part it differs from that of the snapshot. */
static void test_a_pool_that_is_kept_in_another_order_is_sorted_by_that(void **state) {
    (void)state;
    uint32_t same = 1;
    const covey_order orders[] = {
        { .key = COVEY_KEY_U32, .context = &weight },
        { .key = COVEY_KEY_U32, .context = &weight, .descending = true },
        { .key = COVEY_KEY_U32, .context = &weight, .offset = offsetof(Value, check) },
        { .key = COVEY_KEY_I32, .context = &weight },
        { .key = COVEY_KEY_U32, .context = &same },
        { .key = COVEY_KEY_U32, .key_of = key_of_value, .context = &weight },
        { .key = COVEY_KEY_U32, .key_of_entity = key_of_both, .context = &weight },
        { .compare = compare_values, .context = &weight },
        { .compare_entities = compare_both, .context = &weight },
        { .key = COVEY_KEY_U32, .key_of = key_of_value, .context = &same },
        { .compare = compare_values, .context = &same },
    };
    for (uint32_t i = 0; i < 30; i++) held[i] = create_with(covey_id(Packed), i * 7 % 30);
    covey_pool *pool = covey_pool_find(world, Packed);
    for (uint32_t before = 0; before < COUNT_OF(orders); before++)
        for (uint32_t now = 0; now < COUNT_OF(orders); now++) {
            assert_int_equal(covey_pool_keep_sorted(pool, &orders[before]), COVEY_OK);
            save();
            assert_int_equal(covey_pool_keep_sorted(pool, &orders[now]), COVEY_OK);
            restore(0);
            bool falls = orders[now].descending || orders[now].offset != 0;
            const Value *values = (covey_pool_values_raw)(pool);
            for (uint32_t i = 0; i < 30; i++) assert_int_equal(values[i].number, falls ? 29 - i : i);
        }
}

/* ---- Images -------------------------------------------------------------------------------------------------------*/

/* What was loaded or merged goes, and comes back, as all else does. */
static void test_loading_and_merging_are_undone(void **state) {
    (void)state;
    static const covey_type *const types[] = { covey_id(Stored), covey_id(PackedStored), NULL };
    covey_load_desc desc = { .types = types };
    covey_world *other = covey_world_create(NULL);
    covey_buffer image = { .allocator = test_allocator(&heap) };
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity e = covey_create(other);
        covey_add(other, e, Stored, { i, i });
        if (i % 2 == 0) covey_add(other, e, PackedStored, { i, i });
        if (i % 7 == 0) covey_destroy(other, e);
    }
    assert_int_equal(covey_save_to_buffer(other, &image, NULL, NULL), COVEY_OK);
    assert_true(covey_history_save(history));
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
    uint64_t loaded = whole_digest();
    assert_true(covey_history_save(history));
    assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
    covey_buffer_free(&image);
    restore(0);
    assert_int_equal(whole_digest(), loaded);
    restore(1);
    assert_int_equal(covey_entity_count(world), 0);
    covey_world_destroy(other);
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_broken_histories_are_found(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    fill_world();
    save();
    add_owned(e, covey_id(Owned), 1);
    save();
    const char *count = "history: a unit with a wrong number of references";
    covey__unit *unit = history->store.units, *copy = unit;
    while (!copy->type) copy = copy->next;
    while (unit->type) unit = unit->next;
    BREAK(covey_world *, history->world, NULL, "history: the list of histories is broken");
    BREAK(covey_history *, history->previous, history, "history: the list of histories is broken");
    BREAK(uint32_t, history->capacity, 1, "history: more snapshots than its capacity");
    BREAK(uint32_t, unit->references, unit->references + 1, count);
    BREAK(uint32_t, unit->references, 0, count);
    BREAK(uint32_t, copy->references, 2, "history: two snapshots share values that a hook has copied");
    BREAK(covey__unit *, unit->next->previous, NULL, "history: the list of units is broken backwards");
    BREAK(covey__unit *, history->snapshots[0]->entities.at[0], NULL, count);
    BREAK(size_t, unit->bytes, unit->bytes + 1, "history: bytes that are not accounted for");
    BREAK(size_t, history->store.heap.bytes, 1, "history: bytes that are not accounted for");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HISTORY_TEST(test_the_world_is_as_it_was),
        HISTORY_TEST(test_an_empty_world_can_be_restored),
        HISTORY_TEST(test_the_same_calls_give_the_same_results),
        HISTORY_TEST(test_the_last_snapshots_are_kept),
        HISTORY_TEST(test_without_a_snapshot_nothing_is_restored),
        HISTORY_TEST(test_a_history_keeps_at_least_one),
        HISTORY_TEST(test_a_world_may_have_several_histories),
        HISTORY_TEST(test_a_snapshot_takes_what_has_changed),
        HISTORY_TEST(test_the_world_ends_its_histories),
        HISTORY_TEST(test_a_large_world_comes_back),
        HISTORY_TEST(test_indices_come_in_the_same_order_again),
        HISTORY_TEST(test_a_handle_that_was_lost_is_issued_again),
        HISTORY_TEST(test_pages_that_came_since_are_as_new),
        OWNED_TEST(test_components_of_every_storage_come_back),
        HISTORY_TEST(test_a_type_that_was_met_since_stays_known_and_empty),
        HISTORY_TEST(test_a_storage_comes_back),
        HISTORY_TEST(test_a_storage_that_a_group_needs_stays),
        HISTORY_TEST(test_values_that_go_are_zeroed),
        HISTORY_TEST(test_values_with_hooks_are_copied),
        HISTORY_TEST(test_a_copy_that_fails_changes_nothing),
        HISTORY_TEST(test_a_type_that_cannot_be_copied_cannot_be_saved),
        HISTORY_TEST(test_resources_come_back_and_keep_their_addresses),
        HISTORY_TEST(test_a_resource_that_cannot_be_copied_cannot_be_saved),
        HISTORY_TEST(test_trees_and_names_come_back),
        HISTORY_TEST(test_names_that_stay_are_shared),
        HISTORY_TEST(test_names_that_came_since_go),
        HISTORY_TEST(test_what_is_disabled_comes_back),
        HISTORY_TEST(test_ticks_come_back),
        HISTORY_TEST(test_ticks_of_scattered_ids_come_back),
        HISTORY_TEST(test_listeners_are_not_told),
        HISTORY_TEST(test_listeners_cannot_save_or_restore),
        HISTORY_TEST(test_commands_cannot_save_or_restore),
        HISTORY_TEST(test_recorded_entities_are_made_or_forgotten_first),
        HISTORY_TEST(test_ids_that_are_ready_come_back),
        HISTORY_TEST(test_buffers_go_on_from_where_the_world_is),
        HISTORY_TEST(test_events_in_queues_come_back),
        HISTORY_TEST(test_marks_of_reactive_sets_come_back),
        HISTORY_TEST(test_groups_have_the_members_that_they_had),
        HISTORY_TEST(test_groups_that_were_made_since_fit_what_comes_back),
        HISTORY_TEST(test_a_pool_that_is_kept_in_order_since_is_sorted),
        HISTORY_TEST(test_a_type_with_no_hook_but_copy_comes_back),
        HISTORY_TEST(test_a_pool_that_is_kept_in_another_order_is_sorted_by_that),
        HISTORY_TEST(test_loading_and_merging_are_undone),
        HISTORY_TEST(test_broken_histories_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
