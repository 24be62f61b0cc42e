/* Channels of events, with every allocation failing in turn; and all that must not need memory. support/oom.h says what
 * must hold. */
#include "memory/inner.h"
#include "oom.h"

#include <covey/events.h>

typedef struct Hit {
    uint32_t target, damage;
} Hit;
COVEY_COMPONENT_DEFINE(Hit);
typedef Hit Secret;
COVEY_COMPONENT_DEFINE(Secret, .zero_erased = true);
COVEY_TAG_DEFINE(Bell);

static covey_events *hits, *secrets, *letters;
static covey_commands *commands;
static covey_connection connection;

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

static void empty(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
}

static void send_letter(uint32_t number) {
    Counted value = counted_make(number);
    assert_true(covey_events_send_value(letters, Counted, &value));
}

static void send_all(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        assert_true(covey_events_send(hits, Hit, { i, i }));
        assert_true(covey_events_send(secrets, Secret, { i, i }));
        send_letter(i);
    }
}

/* Current events, and as many that are sent as there is room for. */
static void with_events(scene *s) {
    empty(s);
    hits = covey_events_of(s->world, Hit);
    secrets = covey_events_of(s->world, Secret);
    letters = covey_events_of(s->world, Counted);
    send_all(5);
    assert_int_equal(covey_events_deliver(hits), 5);
    assert_int_equal(covey_events_deliver(letters), 5);
    send_all(1);
    while (hits->sent.count < hits->sent.capacity) assert_true(covey_events_send(hits, Hit, { 1, 2 }));
    while (secrets->sent.count < secrets->sent.capacity) assert_true(covey_events_send(secrets, Secret, { 1, 2 }));
    while (letters->sent.count < letters->sent.capacity) send_letter(50);
}

static void with_commands(scene *s) {
    with_events(s);
    commands = covey_commands_create(s->world, NULL);
    assert_non_null(commands);
}

static void with_recorded(scene *s) {
    with_commands(s);
    Counted value = counted_make(60);
    assert_true(covey_record_send_value(commands, Counted, &value));
}

static void with_recorded_tag(scene *s) {
    empty(s);
    commands = covey_commands_create(s->world, NULL);
    assert_true(covey_record_send_tag(commands, Bell));
}

static void with_snapshot(scene *s) {
    with_events(s);
    s->history = covey_history_create(s->world, 2);
    assert_true(covey_history_save(s->history));
    covey_events_clear(hits);
    assert_true(covey_events_deliver(letters) != 0);
    covey_shrink(s->world); /* restoring needs the memory again */
}

/* ---- Operations that need memory ----------------------------------------------------------------------------------*/

static bool make_channel(scene *s) { return covey_events_of(s->world, Hit) != NULL; }
static bool send_hit(scene *s) { return (void)s, covey_events_send(hits, Hit, { 7, 8 }); }
static bool send_secret(scene *s) { return (void)s, covey_events_send(secrets, Secret, { 7, 8 }); }
static bool send_owned(scene *s) {
    (void)s;
    Counted value = counted_make(70);
    if (covey_events_send_value(letters, Counted, &value)) return true;
    counted_drop(&value, NULL); /* the caller keeps it */
    return false;
}
static bool connect(scene *s) {
    connection = covey_events_connect(hits, ignore, NULL);
    assert_int_equal(covey_connected(s->world, connection), connection.number != 0);
    return connection.number != 0;
}
static bool replay(scene *s) {
    (void)s;
    covey_replay replayed = covey_commands_replay(commands);
    assert_int_equal(replayed.left, replayed.result == COVEY_OK ? 0 : 1);
    return replayed.result == COVEY_OK;
}
static bool save(scene *s) { return covey_history_save(s->history); }
static bool restore(scene *s) { return covey_history_restore(s->history, 0); }

static void with_history(scene *s) {
    with_events(s);
    s->history = covey_history_create(s->world, 2);
}

static const operation needing_memory[] = {
    { "events_of", empty, make_channel },
    { "events_send", with_events, send_hit },
    { "events_send, zero_erased", with_events, send_secret },
    { "events_send, with hooks", with_events, send_owned },
    { "events_connect", with_events, connect },
    { "replay of a send", with_recorded, replay },
    { "replay of a send that makes the channel", with_recorded_tag, replay },
    { "history_save", with_history, save },
    { "history_restore", with_snapshot, restore },
};

/* ---- Operations that do not ---------------------------------------------------------------------------------------*/

static void with_listener(scene *s) {
    with_events(s);
    connection = covey_events_connect(hits, ignore, NULL);
}
static bool deliver(scene *s) {
    (void)s;
    return covey_events_deliver(hits) != 0 && covey_events_deliver(secrets) != 0 && covey_events_deliver(letters) != 0;
}
static bool clear(scene *s) {
    (void)s;
    covey_events_clear(hits);
    covey_events_clear(letters);
    return true;
}
static bool disconnect(scene *s) { return covey_disconnect(s->world, connection); }
static bool send_in_room(scene *s) {
    (void)s;
    covey_events_clear(hits);
    return covey_events_send(hits, Hit, { 1, 2 });
}
static bool send_tags(scene *s) {
    covey_events *bells = covey_events_of(s->world, Bell);
    return covey_events_send_tag(bells, Bell) && covey_events_deliver(bells) == 1;
}
static void with_bells(scene *s) {
    empty(s);
    assert_non_null(covey_events_of(s->world, Bell));
}
static bool shrink(scene *s) {
    covey_events_clear(hits);
    covey_shrink(s->world);
    return hits->sent.capacity == 0 && hits->current.capacity == 0;
}
static bool discard(scene *s) {
    (void)s;
    covey_commands_clear(commands);
    return true;
}

static const operation needing_none[] = {
    { "events_deliver", with_listener, deliver },         { "events_clear", with_events, clear },
    { "disconnect", with_listener, disconnect },          { "events_send, with room", with_events, send_in_room },
    { "events_send_tag", with_bells, send_tags },         { "shrink, with a channel", with_events, shrink },
    { "commands_clear, a send", with_recorded, discard },
};

int main(void) {
    ADD_TRIALS(needing_memory, 0, FAILS_IN_TURN);
    ADD_TRIALS(needing_none, 0, NEEDS_NO_MEMORY);
    return run_trials();
}
