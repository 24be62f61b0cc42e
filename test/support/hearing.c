#include "hearing.h"

#include <stdio.h>

static struct {
    size_t length;
    char at[1 << 16];
} text;

void listen_begin(void) {
    text.length = 0;
    text.at[0] = '\0';
}

void listen_note(const char *words) {
    int length =
        snprintf(text.at + text.length, sizeof text.at - text.length, "%s%s", text.length != 0 ? " " : "", words);
    text.length += (size_t)length;
    assert_true(text.length < sizeof text.at);
}

static char sign_of(covey_signal signal) {
    switch (signal) {
    case COVEY_ON_ADD: return '+';
    case COVEY_ON_SET: return '=';
    case COVEY_ON_PATCH: return '~';
    case COVEY_ON_REMOVE: return '-';
    case COVEY_ON_CREATE: return '*';
    default: return '!';
    }
}

/* The world is as the header says: what it is about is there, and its values are where the event says. */
static void check_event(const covey_event *event) {
    assert_ptr_equal(event->world, world);
    assert_true(event->count != 0);
    for (uint32_t i = 0; i < event->count; i++) {
        assert_true(covey_alive(world, event->entities[i]));
        if (!event->type) assert_null(event->values);
        else
            assert_ptr_equal(covey_get_raw(world, event->entities[i], event->type),
                             (char *)event->values + (size_t)i * event->type->size);
    }
}

static void hear(const covey_event *event, void *context) {
    ear *heard_by = context;
    char words[512];
    int length =
        snprintf(words, sizeof words, "%s%c%u", heard_by->name, sign_of(event->signal), event->entities->index);
    check_event(event);
    for (uint32_t i = 1; i < event->count; i++)
        length += snprintf(words + length, sizeof words - (size_t)length, ",%u", event->entities[i].index);
    listen_note(words);
    if (heard_by->acts == 0) return;
    heard_by->acts--;
    heard_by->act(event);
}

static ear *connect(ear *to, const covey_type *type, uint32_t signals, bool spans) {
    covey_listener listener = { .type = type, .signals = signals, .call = hear, .context = to, .spans = spans };
    to->connection = covey_connect(world, &listener);
    assert_true(covey_connected(world, to->connection));
    return to;
}

ear *listen(ear *to, const covey_type *type, uint32_t signals) { return connect(to, type, signals, false); }

ear *listen_to_spans(ear *to, const covey_type *type, uint32_t signals) { return connect(to, type, signals, true); }

void assert_told(const char *words) {
    assert_string_equal(text.at, words);
    listen_begin();
}

void assert_queued(covey_queue *queue, const char *words) {
    covey_event event;
    listen_begin();
    for (uint32_t left = covey_queue_count(queue); left != 0; left--) {
        char word[32];
        assert_true(covey_queue_next(queue, &event));
        assert_null(event.values);
        assert_int_equal(event.count, 1);
        snprintf(word, sizeof word, "%c%u", sign_of(event.signal), event.entities->index);
        listen_note(word);
    }
    assert_false(covey_queue_next(queue, &event));
    assert_told(words);
}
