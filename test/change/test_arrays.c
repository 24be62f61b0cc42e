/* Setting the values of many entities from one array: hooks, queues and listeners get the same as one by one. */
#include "owned.h"

enum { MANY = 70 }; /* more than a block of indices */

/* A type whose hooks count: it may be dropped, and moved by a function. */
static uint32_t moved;

static void move_owned(void *to, void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Owned));
    moved++;
}

static covey_type owning(const char *name, covey_storage storage) {
    return (covey_type){ .name = name,
                         .size = sizeof(Owned),
                         .align = _Alignof(Owned),
                         .storage = storage,
                         .drop = drop_owned,
                         .copy = copy_owned };
}

static void make_owned(Owned *values, uint32_t count, uint32_t first) {
    for (uint32_t i = 0; i < count; i++) values[i] = (Owned){ first + i, ~(first + i) };
    owned.alive += count;
}

/* Adds values to all entities of an array but the first, which stays without. */
static void add_owned(covey_entity *e, const covey_type *type) {
    static Owned values[MANY];
    assert_true(covey_create_many(world, e, MANY));
    make_owned(values, MANY - 1, 0);
    assert_true(covey_add_array_raw(world, e + 1, MANY - 1, type, values));
}

/* Sets all of them; the value that nothing took stays with the caller, who drops it. */
static void set_owned(const covey_entity *e, const covey_type *type) {
    static Owned values[MANY];
    make_owned(values, MANY, 1000);
    assert_int_equal(covey_set_array_raw(world, e, MANY, type, values), MANY - 1);
    assert_false(covey_has_raw(world, e[0], type));
    for (uint32_t i = 1; i < MANY; i++)
        assert_int_equal(((const Owned *)covey_get_raw(world, e[i], type))->number, 1000 + i);
    drop_owned(&values[0], NULL);
    assert_int_equal(owned.alive, MANY - 1);
}

static void test_old_values_are_dropped_before_new_ones_are_set(void **state) {
    (void)state;
    const covey_type types[] = { owning("InBlocks", COVEY_STORAGE_BLOCK), owning("InASet", COVEY_STORAGE_SPARSE),
                                 owning("Pinned", COVEY_STORAGE_PINNED) };
    for (uint32_t k = 0; k < COUNT_OF(types); k++) {
        covey_entity e[MANY];
        const covey_type *type = covey_type_create(world, &types[k]);
        add_owned(e, type);
        set_owned(e, type);
        covey_destroy_all(world);
    }
}

static void test_values_are_moved_by_the_function_of_their_type(void **state) {
    (void)state;
    covey_entity e[MANY];
    covey_type described = owning("Owned", COVEY_STORAGE_BLOCK);
    described.move = move_owned;
    const covey_type *type = covey_type_create(world, &described);
    add_owned(e, type);
    moved = 0;
    set_owned(e, type);
    assert_int_equal(moved, MANY - 1);
}

static covey_queue *queue_sets(const covey_type *type) {
    covey_queue *queue = covey_queue_create(world);
    covey_connect(world, &(covey_listener){ .type = type, .signals = COVEY_ON_SET, .queue = queue });
    return queue;
}

static void test_a_queue_records_all_that_are_set_and_old_values_are_dropped(void **state) {
    (void)state;
    covey_entity e[MANY];
    const covey_type described = owning("Owned", COVEY_STORAGE_BLOCK);
    const covey_type *type = covey_type_create(world, &described);
    add_owned(e, type);
    covey_queue *queue = queue_sets(type);
    set_owned(e, type);
    assert_int_equal(covey_queue_count(queue), MANY - 1);
}

static void test_a_queue_records_tags_that_are_set(void **state) {
    (void)state;
    static const covey_type tag = { .name = "tag", .align = 1 };
    covey_entity e[3];
    assert_true(covey_create_many(world, e, 3));
    assert_true(covey_add_array_raw(world, e, 2, &tag, NULL));
    covey_queue *queue = queue_sets(&tag);
    assert_int_equal(covey_set_array_raw(world, e, 3, &tag, NULL), 2);
    assert_int_equal(covey_queue_count(queue), 2);
}

static void count_call(const covey_event *event, void *context) {
    (void)event;
    ++*(uint32_t *)context;
}

/* Sets three components for whose events a queue has no room, and no memory is left. */
static void set_without_room(const covey_type *type) {
    covey_entity e[3];
    Value values[3] = { value_of(4), value_of(5), value_of(6) };
    assert_true(covey_create_many(world, e, 3));
    covey_queue *queue = queue_sets(type);
    for (uint32_t i = 0; i < 3; i++) assert_non_null(covey_add_raw(world, e[i], type, &values[i]));
    test_fail_at(&heap, 1, true);
    assert_int_equal(covey_set_array_raw(world, e, 3, type, values), 0);
    assert_failed(COVEY_ERROR_MEMORY);
    assert_int_equal(covey_queue_count(queue), 0);
    test_fail_never(&heap);
    assert_int_equal(covey_set_array_raw(world, e, 3, type, values), 3);
    assert_int_equal(covey_queue_count(queue), 3);
    covey_destroy_all(world);
}

static void test_nothing_is_set_when_a_queue_has_no_memory_for_it(void **state) {
    (void)state;
    uint32_t calls = 0;
    set_without_room(covey_id(Blocked));
    set_without_room(covey_id(Packed));
    static const covey_type tag = { .name = "tag", .align = 1 };
    set_without_room(&tag);
    covey_connect(world, &(covey_listener){
                             .type = covey_id(Fixed), .signals = COVEY_ON_SET, .call = count_call, .context = &calls });
    set_without_room(covey_id(Fixed));
    assert_int_equal(calls, 3);
}

/* Fills the queue with events of its own, until its memory is used up. */
typedef struct filler {
    covey_entity other;
    uint32_t calls;
    bool nests;
} filler;

static void use_up_room(const covey_event *event, void *context) {
    filler *f = context;
    (void)event;
    if (f->nests) return;
    f->nests = true;
    f->calls++;
    test_fail_at(&heap, 1, true);
    while (covey_set(world, f->other, Packed, { 9, 9 })) continue;
    f->nests = false;
}

static void test_setting_stops_when_a_listener_used_up_the_room_of_a_queue(void **state) {
    (void)state;
    covey_entity e[4];
    Packed values[4] = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 } };
    assert_true(covey_create_many(world, e, 4));
    assert_true(covey_add_array(world, e, 4, Packed, values));
    filler f = { .other = e[3] };
    queue_sets(covey_id(Packed));
    covey_connect(world, &(covey_listener){
                             .type = covey_id(Packed), .signals = COVEY_ON_SET, .call = use_up_room, .context = &f });
    for (uint32_t i = 0; i < 3; i++) values[i].number += 100;
    assert_int_equal(covey_set_array(world, e, 3, Packed, values), 1);
    test_fail_never(&heap);
    assert_failed(COVEY_ERROR_MEMORY);
    assert_int_equal(f.calls, 1);
    assert_int_equal(covey_get(world, e[0], Packed)->number, 101);
    assert_int_equal(covey_get(world, e[1], Packed)->number, 2);
}

/* Disconnects the only function that is called; the queue stays. */
static void disconnect_itself(const covey_event *event, void *context) {
    (void)event;
    covey_disconnect(world, *(covey_connection *)context);
}

static void test_a_queue_goes_on_when_the_only_listener_disconnects_itself(void **state) {
    (void)state;
    covey_entity e[4];
    Packed values[4] = { { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 } };
    covey_connection connection;
    assert_true(covey_create_many(world, e, 4));
    assert_true(covey_add_array(world, e, 4, Packed, values));
    covey_queue *queue = queue_sets(covey_id(Packed));
    connection = covey_connect(world, &(covey_listener){ .type = covey_id(Packed),
                                                         .signals = COVEY_ON_SET,
                                                         .call = disconnect_itself,
                                                         .context = &connection });
    assert_int_equal(covey_set_array(world, e, 4, Packed, values), 4);
    assert_int_equal(covey_queue_count(queue), 4);
}

static void test_an_array_of_no_entities_sets_nothing(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Packed, { 1, 1 }));
    Packed other = { 2, 2 };
    assert_int_equal(covey_set_array(world, &e, 0, Packed, &other), 0);
    assert_int_equal(covey_get(world, e, Packed)->number, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OWNED_TEST(test_old_values_are_dropped_before_new_ones_are_set),
        OWNED_TEST(test_values_are_moved_by_the_function_of_their_type),
        OWNED_TEST(test_a_queue_records_all_that_are_set_and_old_values_are_dropped),
        WORLD_TEST(test_a_queue_records_tags_that_are_set),
        WORLD_TEST(test_nothing_is_set_when_a_queue_has_no_memory_for_it),
        WORLD_TEST(test_setting_stops_when_a_listener_used_up_the_room_of_a_queue),
        WORLD_TEST(test_a_queue_goes_on_when_the_only_listener_disconnects_itself),
        WORLD_TEST(test_an_array_of_no_entities_sets_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
