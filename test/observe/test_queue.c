/* Queues: events in order, kept until they are read; and memory for removals that is allocated beforehand. */
#include "memory/inner.h"
#include "hearing.h"

static covey_entity e[8];
static covey_queue *queue;

static covey_connection keep(const covey_type *type, uint32_t signals) {
    covey_listener listener = { .type = type, .signals = signals, .queue = queue };
    covey_connection connection = covey_connect(world, &listener);
    assert_true(covey_connected(world, connection));
    return connection;
}

static void begin(uint32_t count) {
    queue = covey_queue_create(world);
    assert_non_null(queue);
    for (uint32_t i = 0; i < count; i++) e[i] = covey_create(world);
}

static void keep_events(const covey_type *type) {
    begin(3);
    keep(type, COMPONENT_SIGNALS);
    add_value(e[0], type, 1);
    add_value(e[1], type, 1);
    Value value = value_of(3);
    assert_non_null(covey_set_raw(world, e[0], type, &value));
    assert_true(covey_replace_raw(world, e[1], type, &value));
    assert_non_null(covey_patch_raw(world, e[1], type, NULL, NULL));
    assert_true(remove_value(e[0], type));
    assert_true(covey_destroy(world, e[1]));
    assert_true(covey_add_copies_raw(world, &e[2], 1, type, &value));
    covey_clear_raw(world, type);
    assert_int_equal(covey_queue_count(queue), 9);
    assert_queued(queue, "+0 +1 =0 =1 =1 -0 -1 +2 -2");
    assert_queued(queue, "");
}

static void events_come_in_order(void **state) {
    (void)state;
    for_each_storage(keep_events);
}

static void an_event_says_what_happened(void **state) {
    covey_event event;
    (void)state;
    begin(1);
    keep(covey_id(Packed), COMPONENT_SIGNALS);
    keep(NULL, ENTITY_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    assert_true(covey_queue_next(queue, &event));
    assert_ptr_equal(event.world, world);
    assert_ptr_equal(event.type, covey_id(Packed));
    assert_int_equal(event.signal, COVEY_ON_ADD);
    assert_same(*event.entities, e[0]);
    assert_true(covey_destroy(world, e[0]));
    assert_true(covey_queue_next(queue, &event));
    assert_int_equal(event.signal, COVEY_ON_DESTROY);
    assert_null(event.type);
    assert_same(*event.entities, e[0]); /* it is dead by now */
    assert_false(covey_alive(world, *event.entities));
    assert_true(covey_queue_next(queue, &event));
    assert_int_equal(event.signal, COVEY_ON_REMOVE);
    assert_false(covey_queue_next(queue, &event));
}

/* The ring grows and wraps, wherever it begins. */
static void a_ring_keeps_its_order(void **state) {
    (void)state;
    begin(0);
    keep(NULL, ENTITY_SIGNALS);
    uint32_t made = 0, read = 0;
    test_random random = { 5 };
    covey_entity alive = { 0, 0 };
    for (uint32_t round = 0; round < 400; round++) {
        if (test_below(&random, 5) < 2 + round / 100 % 2) {
            alive = covey_create_at(world, made++);
            assert_true(covey_alive(world, alive));
        } else if (read < made) {
            covey_event event;
            assert_true(covey_queue_next(queue, &event));
            assert_int_equal(event.entities->index, read++);
        }
        assert_int_equal(covey_queue_count(queue), made - read);
        test_world_is_valid(world);
    }
    covey_queue_clear(queue);
    assert_int_equal(covey_queue_count(queue), 0);
    covey_destroy(world, alive);
    assert_int_equal(covey_queue_count(queue), 1);
}

/* Adding may fail for want of memory; removing does not, and is in the queue. */
static void remove_without_memory(const covey_type *type) {
    begin(7);
    keep(type, COMPONENT_SIGNALS);
    keep(NULL, ENTITY_SIGNALS);
    keep(type, COVEY_ON_REMOVE); /* the same once more */
    for (uint32_t i = 0; i < 6; i++) add_value(e[i], type, i);
    listen_begin();
    covey_queue_clear(queue);
    test_fail_at(&heap, 1, true);
    uint32_t filled = 0;
    Value value = value_of(4);
    while (covey_set_raw(world, e[0], type, &value)) filled++;
    assert_failed(COVEY_ERROR_MEMORY);
    assert_int_equal(covey_queue_count(queue), filled);
    assert_false(covey_replace_raw(world, e[0], type, &value));
    assert_null(covey_patch_raw(world, e[0], type, NULL, NULL));
    assert_null(add_value(e[6], type, 1));
    assert_no_entity(covey_create(world));
    assert_no_entity(covey_create_at(world, 20));
    assert_failed(COVEY_ERROR_MEMORY);
    assert_false(covey_has_raw(world, e[6], type));
    assert_true(remove_value(e[0], type));
    assert_true(covey_destroy(world, e[1]));
    covey_clear_raw(world, type);
    covey_destroy_all(world);
    assert_int_equal(covey_queue_count(queue), filled + 2 * 6 + 7);
    test_fail_never(&heap);
    test_world_is_valid(world);
}

static void removals_need_no_memory(void **state) {
    (void)state;
    for_each_storage(remove_without_memory);
}

/* Components that exist when a queue is connected are reported in it, too. */
static void old_components_have_their_place(void **state) {
    (void)state;
    begin(8);
    for (uint32_t i = 0; i < 8; i++) add_value(e[i], covey_id(Blocked), i);
    keep(covey_id(Blocked), COVEY_ON_REMOVE);
    keep(NULL, COVEY_ON_DESTROY);
    test_fail_at(&heap, 1, true);
    covey_destroy_all(world);
    test_fail_never(&heap);
    assert_queued(queue, "!7 -7 !6 -6 !5 -5 !4 -4 !3 -3 !2 -2 !1 -1 !0 -0");
}

static void one_queue_has_many_sources(void **state) {
    (void)state;
    begin(2);
    covey_connection first = keep(covey_id(Packed), COVEY_ON_ADD);
    covey_connection second = keep(covey_id(Packed), COVEY_ON_ADD | COVEY_ON_REMOVE);
    keep(covey_id(Blocked), COVEY_ON_REMOVE);
    keep(NULL, COVEY_ON_CREATE);
    add_value(e[0], covey_id(Packed), 1);
    add_value(e[0], covey_id(Blocked), 1);
    assert_true(covey_disconnect(world, first));
    assert_false(covey_connected(world, first));
    covey_create(world);
    covey_destroy(world, e[0]);
    assert_queued(queue, "+0 +0 *2 -0 -0");
    assert_true(covey_disconnect(world, second));
    add_value(e[1], covey_id(Packed), 1);
    assert_queued(queue, "");
}

static void ending_a_queue_ends_its_connections(void **state) {
    (void)state;
    size_t bytes = heap.bytes;
    begin(1);
    covey_connection first = keep(covey_id(Packed), COMPONENT_SIGNALS), second = keep(NULL, ENTITY_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    covey_queue_destroy(queue);
    covey_queue_destroy(NULL);
    assert_false(covey_connected(world, first) || covey_connected(world, second));
    assert_null(world->listeners);
    assert_null(covey_pool_of(world, Packed)->observers);
    assert_int_equal(world->inner->heard, 0);
    assert_true(heap.bytes > bytes); /* the entity and the pool */
}

/* Queues are told before all functions, in whatever order they were connected. */
static void count_events(const covey_event *event) {
    (void)event;
    listen_note(covey_queue_count(queue) == 1 ? "1" : "?");
}

static void queues_are_told_first(void **state) {
    static ear a = { .name = "a", .act = count_events };
    (void)state;
    begin(1);
    listen_begin();
    a.acts = 1;
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    keep(covey_id(Packed), COMPONENT_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    assert_told("a+0 1");
}

static void end_queue(const covey_event *event) {
    covey_queue_destroy(queue);
    queue = NULL;
    if (event->type) assert_non_null(add_value(e[1], event->type, 2)); /* asks what is left for memory */
    else assert_false(covey_is_null(covey_create(world)));
}

static void end_queue_meanwhile(const covey_type *type) {
    static ear a = { .name = "a", .act = end_queue }, b = { .name = "b", .act = end_queue };
    begin(2);
    a.acts = b.acts = 1;
    listen(&a, type, COMPONENT_SIGNALS);
    keep(type, COMPONENT_SIGNALS);
    add_value(e[0], type, 1);
    assert_null(queue);
    assert_value(e[1], type, 2);
    begin(0);
    listen(&b, NULL, COVEY_ON_CREATE);
    keep(NULL, ENTITY_SIGNALS);
    covey_create(world);
    assert_null(queue);
}

static void a_queue_may_end_in_a_listener(void **state) {
    (void)state;
    for_each_storage(end_queue_meanwhile);
}

static void read_queue(const covey_event *event) {
    covey_event kept;
    (void)event;
    while (covey_queue_next(queue, &kept)) listen_note("read");
}

/* It may be read and connected in listeners, too. */
static void a_queue_may_be_read_in_a_listener(void **state) {
    static ear a = { .name = "a", .act = read_queue };
    (void)state;
    begin(2);
    listen_begin();
    a.acts = 2;
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    keep(covey_id(Packed), COMPONENT_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    remove_value(e[0], covey_id(Packed));
    assert_told("a+0 read a-0 read");
    assert_queued(queue, "");
}

/* A removal comes once, whatever listeners do about it. */
static void destroy_it(const covey_event *event) { covey_destroy(world, *event->entities); }
static void clear_pool(const covey_event *event) { covey_clear_raw(world, event->type); }

static void count_once(const covey_type *type) {
    static ear a = { .name = "a" };
    begin(8);
    listen(&a, type, COVEY_ON_REMOVE);
    keep(type, COVEY_ON_REMOVE);
    for (uint32_t i = 0; i < 3; i++) add_value(e[i], type, i);
    a.act = destroy_it;
    a.acts = 1;
    remove_value(e[1], type);
    assert_queued(queue, "-1");
    a.act = clear_pool;
    a.acts = 1;
    remove_value(e[0], type);
    assert_queued(queue, "-0 -2");
    for (uint32_t i = 2; i < 5; i++) add_value(e[i], type, i);
    a.act = clear_pool;
    a.acts = 1;
    covey_destroy(world, e[3]);
    assert_int_equal(covey_queue_count(queue), 3);
}

static void removals_come_once(void **state) {
    (void)state;
    for_each_storage(count_once);
}

#if COVEY_ASSERT_LEVEL >= 1
static void connect_elsewhere(covey_world *other) {
    covey_connect(other, &(covey_listener){ .signals = COVEY_ON_CREATE, .queue = queue });
}

static void a_queue_belongs_to_its_world(void **state) {
    (void)state;
    begin(0);
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    expect_assert_failure(connect_elsewhere(other));
    covey_world_destroy(other);
}
#endif

static void queues_without_connections(void **state) {
    covey_event event = { 0 };
    (void)state;
    begin(0);
    assert_int_equal(covey_queue_count(queue), 0);
    assert_false(covey_queue_next(queue, &event));
    covey_queue_clear(queue);
    covey_queue *other = covey_queue_create(world);
    assert_ptr_not_equal(other, queue);
    covey_queue_destroy(queue);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static covey_queue *queue_with_values(const covey_type *type, uint32_t signals) {
    covey_queue *kept = covey_queue_create(world);
    covey_listener listener = { .type = type, .signals = signals, .queue = kept, .values = true };
    assert_true(covey_connected(world, covey_connect(world, &listener)));
    return kept;
}

static void assert_next(covey_queue *kept, covey_signal signal, covey_entity of, uint32_t number) {
    covey_event event;
    assert_true(covey_queue_next(kept, &event));
    assert_int_equal(event.signal, signal);
    assert_same(*event.entities, of);
    assert_non_null(event.values);
    assert_int_equal(((const Value *)event.values)->number, number);
    assert_int_equal(((const Value *)event.values)->check, ~number);
}

/* As it was then, whatever became of it. */
static void keep_values(const covey_type *type) {
    covey_entity a = covey_create(world), b = covey_create(world);
    covey_queue *kept = queue_with_values(type, COMPONENT_SIGNALS);
    add_value(a, type, 1);
    Value value = value_of(2);
    covey_set_raw(world, a, type, &value);
    add_value(b, type, 3);
    remove_value(a, type);
    covey_destroy(world, b);
    test_world_is_valid(world);
    assert_next(kept, COVEY_ON_ADD, a, 1);
    assert_next(kept, COVEY_ON_SET, a, 2);
    assert_next(kept, COVEY_ON_ADD, b, 3);
    assert_next(kept, COVEY_ON_REMOVE, a, 2);
    assert_next(kept, COVEY_ON_REMOVE, b, 3);
    assert_int_equal(covey_queue_count(kept), 0);
    covey_queue_destroy(kept);
}

static void values_are_kept(void **state) {
    (void)state;
    for_each_storage(keep_values);
}

/* The ring grows while it goes around, and its places become larger when a larger type comes. */
typedef struct Large {
    _Alignas(32) uint32_t number[16];
} Large;
COVEY_COMPONENT_DEFINE(Large);

static void values_move_with_their_events(void **state) {
    (void)state;
    covey_entity one = covey_create(world);
    covey_queue *kept = queue_with_values(covey_id(Packed), COVEY_ON_SET);
    add_value(one, covey_id(Packed), 0);
    uint32_t written = 0, read = 0;
    for (uint32_t round = 0; round < 20; round++) {
        for (uint32_t i = 0; i < 3 + round; i++) {
            Value value = value_of(++written);
            assert_non_null(covey_set_raw(world, one, covey_id(Packed), &value));
        }
        for (uint32_t i = 0; i < 2 + round / 2; i++) assert_next(kept, COVEY_ON_SET, one, ++read);
        if (round == 10) {
            covey_listener large = { .type = covey_id(Large), .signals = COVEY_ON_ADD, .queue = kept, .values = true };
            assert_true(covey_connected(world, covey_connect(world, &large)));
        }
        test_world_is_valid(world);
    }
    covey_add(world, one, Large, { { 7, 8 } });
    while (read < written) assert_next(kept, COVEY_ON_SET, one, ++read);
    covey_event event;
    assert_true(covey_queue_next(kept, &event));
    assert_ptr_equal(event.type, covey_id(Large));
    assert_int_equal((uintptr_t)event.values % 32, 0);
    assert_int_equal(((const Large *)event.values)->number[1], 8);
}

/* One queue, a type with values and one without, and entities. */
static void events_with_values_and_without(void **state) {
    (void)state;
    covey_queue *kept = queue_with_values(covey_id(Packed), COVEY_ON_ADD);
    covey_connect(world, &(covey_listener){ .type = covey_id(Blocked), .signals = COVEY_ON_ADD, .queue = kept });
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .queue = kept });
    covey_connect(
        world, &(covey_listener){ .type = covey_id(Marked), .signals = COVEY_ON_ADD, .queue = kept, .values = true });
    covey_entity one = covey_create(world);
    add_value(one, covey_id(Blocked), 1);
    covey_add_tag(world, one, Marked);
    add_value(one, covey_id(Packed), 2);
    for (uint32_t i = 0; i < 3; i++) {
        covey_event event;
        assert_true(covey_queue_next(kept, &event));
        assert_null(event.values);
    }
    assert_next(kept, COVEY_ON_ADD, one, 2);
}

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }
static void drop(void *value, void *context) { (void)value, (void)context; }
static bool copy(void *to, const void *from, void *context) {
    (void)context;
    memcpy(to, from, 8);
    return true;
}

static void move(void *to, void *from, void *context) {
    (void)context;
    memcpy(to, from, 8);
}

static void values_that_are_not_bytes_are_refused(void **state) {
    (void)state;
    const covey_type types[] = {
        { .name = "drops", .size = 8, .align = 4, .drop = drop },
        { .name = "copies", .size = 8, .align = 4, .drop = drop, .copy = copy },
        { .name = "only copies", .size = 8, .align = 4, .copy = copy },
        { .name = "moves", .size = 8, .align = 4, .move = move },
        { .name = "no copy", .size = 8, .align = 4, .no_copy = true },
        { .name = "wiped", .size = 8, .align = 4, .zero_erased = true },
    };
    covey_queue *kept = covey_queue_create(world);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const covey_type *type = covey_type_create(world, &types[i]);
        covey_listener listener = { .type = type, .signals = COVEY_ON_ADD, .queue = kept, .values = true };
        assert_int_equal(covey_connect(world, &listener).number, 0);
        assert_failed(COVEY_ERROR_COPY);
    }
    covey_listener entities = { .signals = COVEY_ON_CREATE, .queue = kept, .values = true };
    assert_int_equal(covey_connect(world, &entities).number, 0);
    assert_failed(COVEY_ERROR_RANGE);
    covey_listener called = { .type = covey_id(Packed), .signals = COVEY_ON_ADD, .call = ignore, .values = true };
    assert_int_equal(covey_connect(world, &called).number, 0);
    assert_failed(COVEY_ERROR_RANGE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(values_are_kept),
        WORLD_TEST(values_move_with_their_events),
        WORLD_TEST(events_with_values_and_without),
        WORLD_TEST(values_that_are_not_bytes_are_refused),
        WORLD_TEST(events_come_in_order),
        WORLD_TEST(an_event_says_what_happened),
        WORLD_TEST(a_ring_keeps_its_order),
        WORLD_TEST(removals_need_no_memory),
        WORLD_TEST(old_components_have_their_place),
        WORLD_TEST(one_queue_has_many_sources),
        WORLD_TEST(ending_a_queue_ends_its_connections),
        WORLD_TEST(queues_are_told_first),
        WORLD_TEST(a_queue_may_end_in_a_listener),
        WORLD_TEST(a_queue_may_be_read_in_a_listener),
        WORLD_TEST(removals_come_once),
#if COVEY_ASSERT_LEVEL >= 1
        WORLD_TEST(a_queue_belongs_to_its_world),
#endif
        WORLD_TEST(queues_without_connections),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
