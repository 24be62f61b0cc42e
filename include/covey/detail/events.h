/* The hot path: sending events. Not API. */
#ifndef COVEY_DETAIL_EVENTS_H
#define COVEY_DETAIL_EVENTS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Tags have no values: a list of tags has room without memory. */
typedef struct covey__event_list {
    char *values;
    uint32_t count, capacity;
} covey__event_list;

typedef struct covey__event_listener {
    uint64_t number; /* of its connection; 0 once that has ended */
    covey_listener_fn *call;
    void *context;
} covey__event_listener;

/* A channel. */
struct covey_events {
    covey__event_list sent;    /* since the last delivery */
    covey__event_list current; /* of the last delivery */
    const covey_type *type;
    covey_world *world;
    covey_events *next;
    covey__event_listener *listeners; /* in the order of connection */
    uint32_t listener_count, listener_capacity;
    bool delivering; /* no listener leaves the array meanwhile */
};

COVEY_API bool covey__send_slowly(covey_events *events, const void *value); /* when memory or the hook is needed */
COVEY_API covey_events *covey__typed_events(const covey_events *events, const covey_type *type, const char *file,
                                            int line);

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__EVENTS_OF(events, T) covey__typed_events((events), covey_id(T), __FILE__, __LINE__)
#else
#define COVEY__EVENTS_OF(events, T) (events)
#endif

COVEY_HOT bool covey__send(covey_events *events, const void *value, size_t size, bool literal) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    COVEY__CONTRACT(events->world, size == events->type->size, "the size is not that of the events");
    if (COVEY__IN_HOOK(events->world)) return false;
    covey__event_list *sent = &events->sent;
    bool by_hook = !literal && size != 0 && events->type->move;
    if (!COVEY__LIKELY(sent->count < sent->capacity && !by_hook)) return covey__send_slowly(events, value);
    char *to = sent->values + sent->count * size;
    if (literal) covey__fill_literal(to, value, size);
    else if (size != 0) covey__fill(to, value, size);
    sent->count++;
    COVEY__CHANGED(events->world);
    return true;
}

COVEY_HOT bool covey_events_send_raw(covey_events *events, const void *value) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    return covey__send(events, value, events->type->size, false);
}

COVEY_INLINE uint32_t covey_events_sent(const covey_events *events) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    return events->sent.count;
}

COVEY_INLINE uint32_t covey_events_count(const covey_events *events) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    return events->current.count;
}

COVEY_INLINE const void *covey_events_current_raw(const covey_events *events) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    return events->current.count != 0 ? events->current.values : NULL;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_EVENTS_H */
