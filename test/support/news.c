#include "news.h"

#include <stdio.h>

typedef struct words {
    size_t length;
    char text[8192];
} words;
static words told;

static char sign_of(covey_signal signal) {
    switch (signal) {
    case COVEY_ON_ADD: return '+';
    case COVEY_ON_SET: return '=';
    case COVEY_ON_REMOVE: return '-';
    case COVEY_ON_CREATE: return '*';
    default: return '!';
    }
}

static void write_event(words *to, const covey_event *event) {
    for (uint32_t i = 0; i < event->count; i++) {
        assert_true(to->length + 32 < sizeof to->text);
        int length = snprintf(to->text + to->length, 32, "%c%.2s%u ", sign_of(event->signal),
                              event->type ? event->type->name : "", event->entities[i].index);
        to->length += (size_t)length;
    }
}

void note_news(const covey_event *event, void *context) {
    (void)context;
    write_event(&told, event);
}

void forget_news(void) { told = (words){ 0 }; }

void assert_news(const char *wanted) {
    assert_string_equal(told.text, wanted);
    forget_news();
}

covey_connection listen_to(const covey_type *type, uint32_t signals, covey_listener_fn *call, void *context) {
    covey_listener listener = { .type = type, .signals = signals, .call = call, .context = context };
    covey_connection connection = covey_connect(world, &listener);
    assert_true(connection.number != 0);
    return connection;
}

void queue_up(covey_queue *queue, const covey_type *type, uint32_t signals) {
    covey_listener listener = { .type = type, .signals = signals, .queue = queue };
    assert_true(covey_connect(world, &listener).number != 0);
}

void assert_queued_news(covey_queue *queue, const char *wanted) {
    static words queued;
    covey_event event;
    queued = (words){ 0 };
    while (covey_queue_next(queue, &event)) write_event(&queued, &event);
    assert_string_equal(queued.text, wanted);
}
