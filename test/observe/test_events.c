/* Channels of events: sending, recording, delivering, listening, and what rollbacks restore. */
#include "memory/inner.h"
#include "owned.h"

#include <covey/events.h>
#include <covey/history.h>
#include <covey/image.h>
#include <stdalign.h>
#include <stdio.h>

typedef struct Hit {
    uint32_t target, damage;
} Hit;
COVEY_COMPONENT_DEFINE(Hit);
typedef Hit Miss;
COVEY_COMPONENT_DEFINE(Miss);
typedef Owned Letter;
COVEY_COMPONENT_DEFINE(Letter, .drop = drop_owned, .copy = copy_owned);
typedef Owned Unique;
COVEY_COMPONENT_DEFINE(Unique, .drop = drop_owned);
typedef Hit Secret;
COVEY_COMPONENT_DEFINE(Secret, .zero_erased = true);
typedef struct Lane {
    alignas(64) uint32_t number;
} Lane;
COVEY_COMPONENT_DEFINE(Lane);
COVEY_TAG_DEFINE(Bell);

/* Points to itself, so that memcpy would break it. */
typedef struct Knot {
    const struct Knot *self;
    uintptr_t number;
} Knot;

static void drop_knot(void *value, void *context) {
    (void)context;
    assert_ptr_equal(((Knot *)value)->self, value);
    owned.alive--;
}

static bool copy_knot(void *to, const void *from, void *context) {
    (void)context;
    *(Knot *)to = (Knot){ to, ((const Knot *)from)->number };
    owned.alive++;
    return true;
}

static void move_knot(void *to, void *from, void *context) {
    (void)context;
    assert_ptr_equal(((Knot *)from)->self, from);
    *(Knot *)to = (Knot){ to, ((const Knot *)from)->number };
}

COVEY_COMPONENT_DEFINE(Knot, .drop = drop_knot, .copy = copy_knot, .move = move_knot);

/* Command buffers and histories count their own memory: they end before the world's is compared. */
static covey_commands *commands;
static covey_history *history;

static int events_setup(void **state) {
    commands = NULL;
    history = NULL;
    return owned_setup(state);
}

static int events_teardown(void **state) {
    covey_commands_destroy(commands);
    covey_history_destroy(history);
    commands = NULL;
    history = NULL;
    return owned_teardown(state);
}
#define EVENTS_TEST(test) cmocka_unit_test_setup_teardown(test, events_setup, events_teardown)

/* ---- Sending and delivering ---------------------------------------------------------------------------------------*/

static covey_events *hits;

static void send_hits(uint32_t first, uint32_t count) {
    hits = covey_events_of(world, Hit);
    assert_non_null(hits);
    for (uint32_t i = first; i < first + count; i++) assert_true(covey_events_send(hits, Hit, { i, 2 * i }));
}

static void assert_hits(uint32_t first, uint32_t count) {
    const Hit *hit = covey_events_current(hits, Hit);
    assert_int_equal(covey_events_count(hits), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(hit[i].target, first + i);
        assert_int_equal(hit[i].damage, 2 * (first + i));
    }
}

static void deliver(covey_events *events) {
    uint32_t sent = covey_events_sent(events);
    assert_int_equal(covey_events_deliver(events), sent);
    test_world_is_valid(world);
}

static void events_are_current_from_a_delivery_to_the_next(void **state) {
    (void)state;
    send_hits(0, 100);
    assert_int_equal(covey_events_sent(hits), 100);
    assert_hits(0, 0);
    assert_null(covey_events_current(hits, Hit));
    deliver(hits);
    assert_int_equal(covey_events_sent(hits), 0);
    assert_hits(0, 100);
    const Hit *there = covey_events_current(hits, Hit);
    send_hits(100, 300); /* grows beside it */
    assert_ptr_equal(covey_events_current(hits, Hit), there);
    assert_hits(0, 100);
    deliver(hits);
    assert_hits(100, 300);
    deliver(hits);
    assert_hits(0, 0);
}

static void events_can_be_sent_as_values(void **state) {
    (void)state;
    Hit hit = { 0, 0 }, next = { 1, 2 };
    hits = covey_events_of(world, Hit);
    assert_true(covey_events_send_value(hits, Hit, &hit));
    assert_true(covey_events_send_raw(hits, &next));
    deliver(hits);
    assert_hits(0, 2);
    assert_true(covey_events_send_raw(hits, NULL)); /* zero bytes */
    deliver(hits);
    assert_hits(0, 1);
}

static void tags_are_counted(void **state) {
    (void)state;
    covey_events *bells = covey_events_of(world, Bell);
    size_t bytes = heap.bytes;
    for (uint32_t i = 0; i < 1000; i++) assert_true(covey_events_send_tag(bells, Bell));
    deliver(bells);
    assert_int_equal(covey_events_count(bells), 1000);
    assert_int_equal(heap.bytes, bytes);
    deliver(bells);
    assert_int_equal(covey_events_count(bells), 0);
}

static void events_are_aligned(void **state) {
    (void)state;
    covey_events *lanes = covey_events_of(world, Lane);
    for (uint32_t i = 0; i < 40; i++) assert_true(covey_events_send(lanes, Lane, { i }));
    deliver(lanes);
    const Lane *lane = covey_events_current(lanes, Lane);
    assert_int_equal((uintptr_t)lane % 64, 0);
    for (uint32_t i = 0; i < 40; i++) assert_int_equal(lane[i].number, i);
}

static void all_events_can_be_dropped(void **state) {
    (void)state;
    send_hits(0, 5);
    deliver(hits);
    send_hits(5, 3);
    covey_events_clear(hits);
    assert_int_equal(covey_events_sent(hits), 0);
    assert_hits(0, 0);
    size_t bytes = heap.bytes;
    covey_shrink(world);
    assert_true(heap.bytes < bytes); /* both lists */
    test_world_is_valid(world);
    send_hits(0, 1);
    covey_shrink(world);
    deliver(hits);
    assert_hits(0, 1);
}

/* ---- Channels -----------------------------------------------------------------------------------------------------*/

static void a_type_has_one_channel(void **state) {
    (void)state;
    static const covey_type again = { .name = "Hit", .size = sizeof(Hit), .align = alignof(Hit) };
    static const covey_type wider = { .name = "Hit", .size = 2 * sizeof(Hit), .align = alignof(Hit) };
    static const covey_type nameless = { .size = 4, .align = 4 };
    send_hits(0, 1);
    assert_ptr_not_equal(covey_events_of(world, Miss), hits);
    assert_ptr_equal(covey_events_of(world, Hit), hits);
    assert_ptr_equal(covey_events_of_raw(world, &again), hits);
    assert_null(covey_events_of_raw(world, &wider));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(covey_events_of_raw(world, &nameless));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(covey_pool_find(world, Hit)); /* events are no components */
}

static void clones_and_images_have_no_events(void **state) {
    (void)state;
    covey_buffer image = { 0 };
    send_hits(0, 3);
    deliver(hits);
    send_hits(3, 2);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    assert_int_equal(covey_events_count(covey_events_of(twin, Hit)), 0);
    assert_int_equal(covey_events_sent(covey_events_of(twin, Hit)), 0);
    covey_world_destroy(twin);
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_OK);
    covey_world *loaded = covey_world_create(NULL);
    assert_int_equal(covey_load_from_memory(loaded, image.bytes, image.size, NULL, NULL), COVEY_OK);
    assert_int_equal(covey_events_sent(covey_events_of(loaded, Hit)), 0);
    covey_world_destroy(loaded);
    covey_buffer_free(&image);
}

/* ---- Values that own something ------------------------------------------------------------------------------------*/

static void send_owned(covey_events *events, uint32_t number) {
    Owned value = { number, ~number };
    owned.alive++;
    assert_true(covey_events_send_raw(events, &value));
}

static void assert_owned(const covey_events *events, uint32_t first, uint32_t count) {
    const Owned *value = covey_events_current_raw(events);
    assert_int_equal(covey_events_count(events), count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(value[i].number, first + i);
        assert_int_equal(value[i].check, ~(first + i));
    }
}

static void each_event_is_dropped_once(void **state) {
    (void)state;
    covey_events *letters = covey_events_of(world, Letter);
    for (uint32_t i = 0; i < 50; i++) send_owned(letters, i);
    deliver(letters);
    assert_int_equal(owned.alive, 50);
    for (uint32_t i = 50; i < 60; i++) send_owned(letters, i);
    assert_owned(letters, 0, 50);
    deliver(letters);
    assert_int_equal(owned.alive, 10);
    assert_owned(letters, 50, 10);
    send_owned(letters, 7);
    covey_events_clear(letters);
    assert_int_equal(owned.alive, 0);
    for (uint32_t i = 0; i < 5; i++) send_owned(letters, i);
    deliver(letters);
    send_owned(letters, 9); /* the world drops all six */
}

static void send_knot(covey_events *knots, uintptr_t number) {
    Knot knot = { &knot, number };
    owned.alive++;
    assert_true(covey_events_send_value(knots, Knot, &knot));
}

static void events_are_moved_by_their_hook(void **state) {
    (void)state;
    covey_events *knots = covey_events_of(world, Knot);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < 70; i++) send_knot(knots, i);
        deliver(knots);
        const Knot *knot = covey_events_current(knots, Knot);
        for (uint32_t i = 0; i < 70; i++) {
            assert_ptr_equal(knot[i].self, &knot[i]);
            assert_int_equal(knot[i].number, i);
        }
        assert_int_equal(owned.alive, 70);
    }
}

static bool is_zero(const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0) return false;
    return true;
}

static void secrets_leave_zeros_behind(void **state) {
    (void)state;
    covey_events *secrets = covey_events_of(world, Secret);
    for (uint32_t i = 1; i <= 40; i++) assert_true(covey_events_send(secrets, Secret, { i, i }));
    deliver(secrets);
    const char *bytes = covey_events_current_raw(secrets);
    assert_false(is_zero(bytes, 40 * sizeof(Secret)));
    deliver(secrets);
    assert_true(is_zero(bytes, 40 * sizeof(Secret))); /* the memory is kept */
}

/* ---- Listening ----------------------------------------------------------------------------------------------------*/

static char told[200];

static void tell(const char *name, const covey_event *event) {
    size_t length = strlen(told);
    snprintf(told + length, sizeof told - length, "%s%u:%u ", name, ((const Hit *)event->values)->target, event->count);
}

static void tell_name(const covey_event *event, void *name) { tell(name, event); }

static void assert_told(const char *words) {
    assert_string_equal(told, words);
    told[0] = 0;
}

static void listeners_are_called_in_order_with_all_events(void **state) {
    (void)state;
    send_hits(0, 0);
    covey_connection a = covey_events_connect(hits, tell_name, "a");
    covey_connection b = covey_events_connect(hits, tell_name, "b");
    assert_true(covey_connected(world, a) && covey_connected(world, b));
    deliver(hits); /* no events: nothing is called */
    assert_told("");
    send_hits(4, 3);
    assert_told("");
    deliver(hits);
    assert_told("a4:3 b4:3 ");
    assert_true(covey_disconnect(world, a));
    assert_false(covey_connected(world, a));
    assert_false(covey_disconnect(world, a));
    send_hits(9, 1);
    deliver(hits);
    assert_told("b9:1 ");
    assert_true(covey_connected(world, b));
    assert_false(covey_connected(world, (covey_connection){ 0 }));
}

static void check_event(const covey_event *event, void *context) {
    assert_ptr_equal(event->world, world);
    assert_ptr_equal(event->type, covey_id(Hit));
    assert_null(event->entities);
    assert_int_equal(event->signal, 0);
    assert_int_equal(event->count, 2);
    assert_ptr_equal(event->values, covey_events_current(hits, Hit));
    ++*(uint32_t *)context;
}

static void ring(const covey_event *event, void *context) {
    assert_null(event->values);
    *(uint32_t *)context += event->count;
}

static void an_event_says_what_was_sent(void **state) {
    (void)state;
    uint32_t times = 0, rung = 0;
    send_hits(0, 2);
    covey_events_connect(hits, check_event, &times);
    deliver(hits);
    assert_int_equal(times, 1);
    covey_events *bells = covey_events_of(world, Bell);
    covey_events_connect(bells, ring, &rung);
    for (uint32_t i = 0; i < 3; i++) assert_true(covey_events_send_tag(bells, Bell));
    deliver(bells);
    assert_int_equal(rung, 3);
}

static void send_more(const covey_event *event, void *context) {
    const Hit *hit = event->values;
    (void)context;
    for (uint32_t i = 0; i < 100; i++) assert_true(covey_events_send(hits, Hit, { i, 2 * i }));
    assert_ptr_equal(hit, covey_events_current(hits, Hit));
    assert_int_equal(covey_events_count(hits), event->count);
    test_world_is_valid(world);
}

static void what_a_listener_sends_waits_for_the_next_delivery(void **state) {
    (void)state;
    send_hits(0, 1);
    covey_connection more = covey_events_connect(hits, send_more, NULL);
    deliver(hits);
    assert_hits(0, 1);
    assert_int_equal(covey_events_sent(hits), 100);
    assert_true(covey_disconnect(world, more));
    deliver(hits);
    assert_hits(0, 100);
}

static void send_fewer(const covey_event *event, void *context) {
    (void)context;
    for (uint32_t i = 1; i < event->count; i++) assert_true(covey_events_send(hits, Hit, { i, 0 }));
}

static void deliveries_go_on_until_nothing_is_sent(void **state) {
    uint32_t times = 0;
    (void)state;
    send_hits(0, 5);
    covey_events_connect(hits, send_fewer, NULL);
    while (covey_events_deliver(hits) != 0) times++;
    assert_int_equal(times, 5);
}

static covey_connection first, second, third;

static void reconnect(const covey_event *event, void *context) {
    tell("1", event);
    assert_true(covey_disconnect(world, first)); /* itself */
    assert_true(covey_disconnect(world, second));
    if (!context) return;
    for (uint32_t i = 0; i < 40; i++) third = covey_events_connect(hits, tell_name, "3"); /* the array moves */
    test_world_is_valid(world);
}

static void listeners_connect_and_disconnect_others(void **state) {
    (void)state;
    send_hits(0, 1);
    first = covey_events_connect(hits, reconnect, &told);
    second = covey_events_connect(hits, tell_name, "2");
    covey_events_connect(hits, tell_name, "4");
    deliver(hits);
    assert_told("10:1 40:1 "); /* the second is not called any more, the new ones not yet */
    assert_false(covey_connected(world, first) || covey_connected(world, second));
    assert_true(covey_connected(world, third));
    send_hits(5, 1);
    deliver(hits);
    assert_memory_equal(told, "45:1 35:1 35:1 ", 15);
    told[0] = 0;
}

static void change_world(const covey_event *event, void *into) {
    const Hit *hit = event->values;
    for (uint32_t i = 0; i < event->count; i++) {
        covey_entity e = covey_create(world);
        assert_non_null(covey_add(world, e, Packed, { hit[i].target, ~hit[i].target }));
        if (i % 2 == 0) covey_destroy(world, e);
    }
    assert_true(covey_record_send(into, Miss, { event->count, 0 }));
    assert_int_equal(covey_commands_replay(into).result, COVEY_OK);
    covey_compact(world);
    covey_shrink(world);
}

static void listeners_change_the_world(void **state) {
    (void)state;
    send_hits(0, 6);
    commands = covey_commands_create(world, NULL);
    covey_events_connect(hits, change_world, commands);
    deliver(hits);
    assert_int_equal(covey_pool_count(covey_pool_of(world, Packed)), 3);
    assert_int_equal(covey_events_sent(covey_events_of(world, Miss)), 1);
}

static covey_events *misses;

static void deliver_too(const covey_event *event, void *other) {
    tell("d", event);
    assert_int_equal(covey_events_deliver(other), 1);
}

static void a_listener_delivers_other_channels(void **state) {
    (void)state;
    send_hits(0, 1);
    misses = covey_events_of(world, Miss);
    covey_events_connect(hits, deliver_too, misses);
    covey_events_connect(hits, tell_name, "h");
    covey_events_connect(misses, tell_name, "m");
    assert_true(covey_events_send(misses, Miss, { 7, 0 }));
    deliver(hits);
    assert_told("d0:1 m7:1 h0:1 ");
}

#if COVEY_ASSERT_LEVEL >= 1
#define REFUSED(call) expect_assert_failure(call)
#else
#define REFUSED(call) (void)(call)
#endif

static void try_all(const covey_event *event, void *context) {
    (void)context;
    tell("t", event);
    REFUSED(covey_events_deliver(hits));
    REFUSED(covey_events_clear(hits));
    assert_hits(0, 2);
    assert_false(covey_history_save(history));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_false(covey_history_restore(history, 0));
    assert_failed(COVEY_ERROR_REFUSED);
    REFUSED(covey_world_destroy(world));
}

static void a_listener_must_not_pull_events_away(void **state) {
    (void)state;
    history = covey_history_create(world, 2);
    assert_true(covey_history_save(history));
    send_hits(0, 2);
    covey_events_connect(hits, try_all, NULL);
    covey_events_connect(hits, tell_name, "a");
    deliver(hits);
    assert_told("t0:2 a0:2 ");
    assert_hits(0, 2);
}

#if COVEY_ASSERT_LEVEL >= 1
static void wrong_uses_break_contracts(void **state) {
    (void)state;
    static const Miss miss = { 1, 2 };
    send_hits(0, 1);
    misses = covey_events_of(world, Miss);
    expect_assert_failure(covey_events_send_value(hits, Miss, &miss));
    expect_assert_failure((void)covey_events_current(hits, Miss));
    expect_assert_failure(covey__send(hits, &miss, 3, false));
    expect_assert_failure(covey_events_connect(hits, NULL, NULL));
    assert_int_equal(covey_events_sent(hits), 1);
}

static void use_in_hook(void *value, void *context) {
    (void)context;
    drop_owned(value, NULL);
    assert_non_null(covey_events_of(world, Hit)); /* it exists */
    expect_assert_failure(covey_events_send(hits, Hit, { 1, 2 }));
    expect_assert_failure(covey_events_deliver(hits));
    expect_assert_failure(covey_events_clear(hits));
    expect_assert_failure(covey_events_connect(hits, tell_name, "x"));
    expect_assert_failure(covey_events_of(world, Miss));
}

static covey_events *senders;

static void read_in_hook(void *value, void *context) {
    (void)context;
    drop_owned(value, NULL);
    assert_int_equal(covey_events_count(senders), 0); /* what is dropped is not current any more */
    assert_int_equal(covey_events_sent(senders), 0);
}

static void hooks_see_no_dropped_events(void **state) {
    (void)state;
    static const covey_type type = { .name = "Seen", .size = sizeof(Owned), .align = 4, .drop = read_in_hook };
    senders = covey_events_of_raw(world, &type);
    send_owned(senders, 1);
    send_owned(senders, 2);
    assert_int_equal(covey_events_deliver(senders), 2);
    assert_int_equal(covey_events_deliver(senders), 0);
    send_owned(senders, 3);
    covey_events_clear(senders);
    assert_int_equal(owned.alive, 0);
}

static void hooks_read_events_only(void **state) {
    (void)state;
    static const covey_type type = { .name = "Sender", .size = sizeof(Owned), .align = 4, .drop = use_in_hook };
    send_hits(0, 1);
    senders = covey_events_of_raw(world, &type);
    send_owned(senders, 1);
    deliver(senders);
    deliver(senders);
    assert_int_equal(covey_events_sent(hits), 1);
}
#endif

/* ---- Recording ----------------------------------------------------------------------------------------------------*/

static void replay(covey_result result, uint32_t done, uint32_t left) {
    covey_replay replayed = covey_commands_replay(commands);
    assert_int_equal(replayed.result, result);
    assert_int_equal(replayed.done, done);
    assert_int_equal(replayed.left, left);
    test_world_is_valid(world);
}

static bool record_owned(uint32_t number) {
    Owned value = { number, ~number };
    bool recorded = covey_record_send_value(commands, Letter, &value);
    owned.alive += recorded;
    return recorded;
}

static void recorded_events_are_sent_by_the_replay(void **state) {
    (void)state;
    Hit hit = { 2, 4 };
    commands = covey_commands_create(world, NULL);
    assert_true(covey_record_send(commands, Hit, { 0, 0 }));
    assert_true(covey_record_send(commands, Miss, { 8, 9 }));
    assert_true(covey_record_send(commands, Hit, { 1, 2 }));
    assert_true(covey_record_send_value(commands, Hit, &hit));
    for (uint32_t i = 0; i < 20; i++) assert_true(covey_record_send(commands, Lane, { i }));
    assert_true(covey_record_send_tag(commands, Bell));
    assert_true(covey_record_send_raw(commands, covey_id(Miss), NULL));
    for (uint32_t i = 0; i < 20; i++) assert_true(record_owned(i));
    assert_null(world->inner->channels);
    replay(COVEY_OK, 46, 0);
    hits = covey_events_of(world, Hit);
    assert_int_equal(covey_events_count(hits), 0);
    deliver(hits);
    assert_hits(0, 3);
    misses = covey_events_of(world, Miss);
    deliver(misses);
    assert_int_equal(covey_events_count(misses), 2);
    assert_int_equal(covey_events_current(misses, Miss)[0].target, 8);
    assert_int_equal(covey_events_current(misses, Miss)[1].target, 0);
    covey_events *lanes = covey_events_of(world, Lane), *letters = covey_events_of(world, Letter);
    deliver(lanes);
    for (uint32_t i = 0; i < 20; i++) assert_int_equal(covey_events_current(lanes, Lane)[i].number, i);
    assert_int_equal(covey_events_sent(covey_events_of(world, Bell)), 1);
    deliver(letters);
    assert_owned(letters, 0, 20);
}

static void discarded_events_are_dropped(void **state) {
    (void)state;
    commands = covey_commands_create(world, NULL);
    assert_true(record_owned(1) && record_owned(2) && record_owned(3));
    assert_true(covey_commands_skip(commands));
    assert_int_equal(owned.alive, 2);
    covey_commands_clear(commands);
    assert_int_equal(owned.alive, 0);
    assert_null(world->inner->channels);
    assert_true(record_owned(4)); /* the world drops it */
}

static void recorded_events_that_cannot_be_sent_stay(void **state) {
    (void)state;
    static const covey_type wider = { .name = "Hit", .size = 2 * sizeof(Hit), .align = alignof(Hit) };
    commands = covey_commands_create(world, NULL);
    assert_true(covey_record_send(commands, Hit, { 0, 0 }));
    assert_true(record_owned(1));
    test_fail_at(&heap, 1, true);
    uint32_t messages = heard.times;
    replay(COVEY_ERROR_MEMORY, 0, 2);
    assert_int_equal(heard.times, messages + 1);
    test_fail_never(&heap);
    test_fail_at(&heap, 3, true);
    replay(COVEY_ERROR_MEMORY, 1, 1); /* the channel of letters */
    test_fail_never(&heap);
    test_fail_at(&heap, 2, true);
    replay(COVEY_ERROR_MEMORY, 0, 1); /* its array */
    test_fail_never(&heap);
    assert_int_equal(owned.alive, 1);
    replay(COVEY_OK, 1, 0);
    assert_int_equal(owned.alive, 1);
    hits = covey_events_of(world, Hit);
    deliver(hits);
    assert_hits(0, 1);
    assert_true(covey_record_send_raw(commands, &wider, NULL));
    replay(COVEY_ERROR_LAYOUT, 0, 1);
    assert_true(covey_commands_skip(commands));
}

static void buffers_refuse_what_a_hook_moves(void **state) {
    (void)state;
    Knot knot = { &knot, 1 };
    commands = covey_commands_create(world, NULL);
    assert_false(covey_record_send_value(commands, Knot, &knot));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_REFUSED);
    replay(COVEY_ERROR_REFUSED, 0, 0);
}

/* ---- Rollback -----------------------------------------------------------------------------------------------------*/

static void rollbacks_restore_events(void **state) {
    (void)state;
    history = covey_history_create(world, 4);
    send_hits(0, 20);
    deliver(hits);
    send_hits(20, 30);
    assert_true(covey_history_save(history)); /* 20 current, 30 sent */
    deliver(hits);
    covey_events *bells = covey_events_of(world, Bell);
    for (uint32_t i = 0; i < 4; i++) assert_true(covey_events_send_tag(bells, Bell));
    assert_true(covey_history_save(history)); /* 30 current; 4 bells */
    covey_events_clear(hits);
    deliver(bells);
    misses = covey_events_of(world, Miss);
    assert_true(covey_events_send(misses, Miss, { 1, 2 }));
    assert_true(covey_history_restore(history, 0));
    test_world_is_valid(world);
    assert_hits(20, 30);
    assert_int_equal(covey_events_sent(hits), 0);
    assert_int_equal(covey_events_sent(bells), 4);
    assert_int_equal(covey_events_count(bells), 0);
    assert_int_equal(covey_events_sent(misses), 0); /* the channel is newer */
    for (uint32_t i = 0; i < 200; i++) send_hits(0, 1);
    assert_true(covey_history_restore(history, 1));
    assert_hits(0, 20);
    assert_int_equal(covey_events_sent(hits), 30);
    assert_int_equal(covey_events_sent(bells), 0);
    deliver(hits);
    assert_hits(20, 30);
}

static void rollbacks_copy_what_events_own(void **state) {
    (void)state;
    covey_events *letters = covey_events_of(world, Letter), *knots = covey_events_of(world, Knot);
    history = covey_history_create(world, 4);
    for (uint32_t i = 0; i < 10; i++) send_owned(letters, i);
    for (uint32_t i = 0; i < 10; i++) send_knot(knots, i);
    deliver(letters);
    assert_true(covey_history_save(history));
    assert_int_equal(owned.alive, 40);
    deliver(letters);
    deliver(knots);
    deliver(knots);
    assert_int_equal(owned.alive, 20);
    owned.copies = 0;
    owned.fails_at = 5;
    assert_false(covey_history_restore(history, 0));
    assert_failed(COVEY_ERROR_COPY);
    assert_int_equal(owned.alive, 20);
    owned.fails_at = 0;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(covey_history_restore(history, 0));
        test_world_is_valid(world);
        assert_int_equal(owned.alive, 40);
        assert_owned(letters, 0, 10);
        assert_int_equal(covey_events_sent(knots), 10);
    }
    deliver(knots);
    for (uint32_t i = 0; i < 10; i++) assert_int_equal(covey_events_current(knots, Knot)[i].number, i);
    owned.copies = 0;
    owned.fails_at = 5;
    assert_false(covey_history_save(history));
    assert_failed(COVEY_ERROR_COPY);
    owned.fails_at = 0;
    covey_history_destroy(history);
    history = NULL;
    assert_int_equal(owned.alive, 20);
}

static void events_that_cannot_be_copied_are_not_saved(void **state) {
    (void)state;
    covey_events *unique = covey_events_of(world, Unique);
    history = covey_history_create(world, 4);
    assert_true(covey_history_save(history)); /* there is none */
    send_owned(unique, 1);
    assert_false(covey_history_save(history));
    assert_failed(COVEY_ERROR_COPY);
    assert_non_null(strstr(heard.text, "Unique"));
    assert_true(covey_history_restore(history, 0));
    assert_int_equal(owned.alive, 0);
    assert_int_equal(covey_events_sent(unique), 0);
}

/* Snapshots share events that stay as they are. */
static void equal_events_are_shared(void **state) {
    (void)state;
    history = covey_history_create(world, 4);
    send_hits(0, 1000);
    deliver(hits);
    assert_true(covey_history_save(history));
    size_t bytes = covey_history_memory(history);
    assert_true(covey_history_save(history));
    assert_true(covey_history_memory(history) < bytes + 1000 * sizeof(Hit) / 2);
}

/* ---- Random programs ----------------------------------------------------------------------------------------------*/

enum { CHANNELS = 4, MOST = 400, STEPS = 3000 };

typedef struct list {
    uint32_t numbers[MOST], count;
} list;

/* What the channels should have. */
typedef struct truth {
    list sent[CHANNELS], current[CHANNELS];
    uint32_t told[CHANNELS]; /* events that the listener should have got */
} truth;

static const covey_type *const channel_types[CHANNELS] = { covey_id(Hit), covey_id(Letter), covey_id(Knot),
                                                           covey_id(Lane) };
static uint32_t got[CHANNELS];

static void count_got(const covey_event *event, void *number) { *(uint32_t *)number += event->count; }

static uint32_t number_at(uint32_t channel, const void *values, uint32_t at) {
    const char *value = (const char *)values + (size_t)at * channel_types[channel]->size;
    if (channel != 2) return *(const uint32_t *)(const void *)value;
    assert_ptr_equal(((const Knot *)(const void *)value)->self, value);
    return (uint32_t)((const Knot *)(const void *)value)->number;
}

/* A value, which the callee takes over. */
static const void *value_for(uint32_t channel, uint32_t number) {
    static Hit hit;
    static Letter letter;
    static Knot knot;
    static Lane lane;
    hit = (Hit){ number, 2 * number };
    letter = (Letter){ number, ~number };
    knot = (Knot){ &knot, number };
    lane.number = number;
    const void *const values[CHANNELS] = { &hit, &letter, &knot, &lane };
    return values[channel];
}

static bool is_as_told(const truth *t, uint32_t channel) {
    const covey_events *events = covey_events_of_raw(world, channel_types[channel]);
    const list *current = &t->current[channel];
    bool same = covey_events_sent(events) == t->sent[channel].count && covey_events_count(events) == current->count;
    for (uint32_t i = 0; i < current->count && same; i++)
        same = number_at(channel, covey_events_current_raw(events), i) == current->numbers[i];
    return same && got[channel] == t->told[channel];
}

static void send_one(truth *t, uint32_t channel, uint32_t number, bool record) {
    list *sent = &t->sent[channel];
    if (sent->count == MOST) return;
    bool owns = channel == 1 || channel == 2, done;
    const void *value = value_for(channel, number);
    if (record && channel != 2) {
        done = covey_record_send_raw(commands, channel_types[channel], value);
        if (done) owned.alive += owns;
        if (done && covey_commands_replay(commands).result != COVEY_OK) { /* no memory: it stays, and is discarded */
            covey_commands_clear(commands);
            return;
        }
        if (!done) covey_commands_clear(commands);
    } else {
        done = covey_events_send_raw(covey_events_of_raw(world, channel_types[channel]), value);
        if (done) owned.alive += owns;
    }
    if (done) sent->numbers[sent->count++] = number;
}

static void deliver_one(truth *t, uint32_t channel) {
    deliver(covey_events_of_raw(world, channel_types[channel]));
    t->current[channel] = t->sent[channel];
    t->sent[channel].count = 0;
    t->told[channel] += t->current[channel].count;
}

static void clear_one(truth *t, uint32_t channel) {
    covey_events_clear(covey_events_of_raw(world, channel_types[channel]));
    t->sent[channel].count = t->current[channel].count = 0;
}

/* What was told is told. */
static void restore_one(truth *t, const truth *saved) {
    truth before = *t;
    *t = *saved;
    memcpy(t->told, before.told, sizeof t->told);
}

/* Returns whether the channels were always as they should be. A lie makes the truth wrong half-way. */
static bool run_program(uint32_t seed, bool lie) {
    static truth t, saved[3];
    test_random random = { seed };
    history = covey_history_create(world, 3);
    uint32_t snapshots = 0;
    t = (truth){ 0 };
    commands = covey_commands_create(world, NULL);
    for (uint32_t i = 0; i < CHANNELS; i++) {
        got[i] = 0;
        covey_events_connect(covey_events_of_raw(world, channel_types[i]), count_got, &got[i]);
    }
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t what = test_below(&random, 40), channel = test_below(&random, CHANNELS);
        if (test_below(&random, 8) == 0) test_fail_at(&heap, 1 + test_below(&random, 3), false);
        if (what < 30) send_one(&t, channel, step, what % 3 == 0);
        test_fail_never(&heap);
        if (what >= 30 && what < 36) deliver_one(&t, channel);
        if (what == 36 && test_below(&random, 8) == 0) clear_one(&t, channel);
        if (what == 37) covey_shrink(world);
        if (what == 38 && covey_history_save(history)) {
            if (snapshots == 3) memmove(&saved[0], &saved[1], 2 * sizeof t);
            snapshots -= snapshots == 3;
            saved[snapshots++] = t;
        }
        if (what == 39 && snapshots != 0 && test_below(&random, 4) == 0) {
            uint32_t back = test_below(&random, snapshots);
            assert_true(covey_history_restore(history, back));
            snapshots -= back;
            restore_one(&t, &saved[snapshots - 1]);
        }
        if (lie && step == STEPS / 2) t.sent[channel].count ^= 1;
        if (!is_as_told(&t, channel)) return false;
    }
    test_world_is_valid(world);
    return true;
}

static void random_programs_are_as_told(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        bool lie = seed > 10;
        assert_int_equal(run_program(seed, lie), !lie);
        assert_int_equal(events_teardown(NULL), 0);
        assert_int_equal(events_setup(NULL), 0);
    }
}

/* ---- Invariants ---------------------------------------------------------------------------------------------------*/

static void the_validator_looks_at_channels(void **state) {
    (void)state;
    send_hits(0, 3);
    covey_events_connect(hits, tell_name, "a");
    covey_events *bells = covey_events_of(world, Bell);
    BREAK(uint32_t, hits->sent.count, hits->sent.capacity + 1, "events: the count is larger than the capacity");
    BREAK(char *, hits->sent.values, NULL, "events: there is room without memory, or memory without room");
    BREAK(covey_world *, hits->world, NULL, "events: a channel of another world, or two of one name");
    BREAK(covey_listener_fn *, hits->listeners[0].call, NULL,
          "events: a listener without a function, or a connection that was not made");
    BREAK(uint32_t, hits->listener_count, hits->listener_capacity + 1, "events: more listeners than there is room for");
    BREAK(uint32_t, bells->current.capacity, 1, "events: a tag needs room");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        EVENTS_TEST(events_are_current_from_a_delivery_to_the_next),
        EVENTS_TEST(events_can_be_sent_as_values),
        EVENTS_TEST(tags_are_counted),
        EVENTS_TEST(events_are_aligned),
        EVENTS_TEST(all_events_can_be_dropped),
        EVENTS_TEST(a_type_has_one_channel),
        EVENTS_TEST(clones_and_images_have_no_events),
        EVENTS_TEST(each_event_is_dropped_once),
        EVENTS_TEST(events_are_moved_by_their_hook),
        EVENTS_TEST(secrets_leave_zeros_behind),
        EVENTS_TEST(listeners_are_called_in_order_with_all_events),
        EVENTS_TEST(an_event_says_what_was_sent),
        EVENTS_TEST(what_a_listener_sends_waits_for_the_next_delivery),
        EVENTS_TEST(deliveries_go_on_until_nothing_is_sent),
        EVENTS_TEST(listeners_connect_and_disconnect_others),
        EVENTS_TEST(listeners_change_the_world),
        EVENTS_TEST(a_listener_delivers_other_channels),
        EVENTS_TEST(a_listener_must_not_pull_events_away),
#if COVEY_ASSERT_LEVEL >= 1
        EVENTS_TEST(wrong_uses_break_contracts),
        EVENTS_TEST(hooks_read_events_only),
        EVENTS_TEST(hooks_see_no_dropped_events),
#endif
        EVENTS_TEST(recorded_events_are_sent_by_the_replay),
        EVENTS_TEST(discarded_events_are_dropped),
        EVENTS_TEST(recorded_events_that_cannot_be_sent_stay),
        EVENTS_TEST(buffers_refuse_what_a_hook_moves),
        EVENTS_TEST(rollbacks_restore_events),
        EVENTS_TEST(rollbacks_copy_what_events_own),
        EVENTS_TEST(events_that_cannot_be_copied_are_not_saved),
        EVENTS_TEST(equal_events_are_shared),
        EVENTS_TEST(random_programs_are_as_told),
        EVENTS_TEST(the_validator_looks_at_channels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
