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

COVEY_API bool covey__send_grow(covey_events *events);                     /* makes room for one more */
COVEY_API bool covey__send_moved(covey_events *events, const void *value); /* by the hook of the type */
COVEY_API covey_events *covey__typed_events(const covey_events *events, const covey_type *type, const char *file,
                                            int line);

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__EVENTS_OF(events, T) covey__typed_events((events), covey_id(T), __FILE__, __LINE__)
#else
#define COVEY__EVENTS_OF(events, T) (events)
#endif

/* The address of a literal does not escape, so that its fields stay in registers until they are stored in place. */
COVEY_HOT bool covey__send(covey_events *events, const void *value, size_t size, bool literal) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    COVEY__CONTRACT(events->world, size == events->type->size, "the size is not that of the events");
    if (COVEY__IN_HOOK(events->world)) return false;
    if (!literal && size != 0 && !COVEY__LIKELY(!events->type->move)) return covey__send_moved(events, value);
    covey__event_list *sent = &events->sent;
    if (!COVEY__LIKELY(sent->count < sent->capacity) && !covey__send_grow(events)) return false;
    char *to = sent->values + sent->count * size;
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    sent->count++;
    COVEY__CHANGED(events->world);
    return true;
}

COVEY_HOT bool covey_events_send_raw(covey_events *events, const void *value) {
    COVEY__CONTRACT(NULL, events, "a call needs a channel of events");
    return covey__send(events, value, events->type->size, false);
}

/* Records the sending of an event whose value is then written to the address that is returned; NULL: it was not
 * recorded. */
COVEY_API void *covey__record_event(covey_commands *commands, const covey_type *type);

COVEY_HOT bool covey__record_send(covey_commands *commands, const covey_type *type, const void *value, size_t size,
                                  bool literal) {
    COVEY__CONTRACT(NULL, commands && type, "a call needs a buffer and a type");
    COVEY__CONTRACT(commands->world, size == type->size, "the size is not that of the type");
    void *to = covey__record_event(commands, type);
    if (!COVEY__LIKELY(to != NULL)) return false;
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    return true;
}

COVEY_HOT bool covey_record_send_raw(covey_commands *commands, const covey_type *type, const void *value) {
    COVEY__CONTRACT(NULL, commands && type, "a call needs a buffer and a type");
    return covey__record_send(commands, type, value, type->size, false);
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
