/* Events that are recorded in command buffers and sent when these are replayed: recorded calls, whose data is the type
 * and the value. */
#include "change/commands.h"

#include "memory/inner.h"
#include "memory/result.h"
#include "storage/hook.h"
#include "storage/type.h"

#include <covey/events.h>

typedef struct sending {
    const covey_type *type;
    covey_world *world; /* of the buffer */
} sending;

/* Buffers align the data of a call to 8 at least, and keep its address modulo 64. */
static size_t padding_of(const covey_type *type) {
    size_t align = covey__type_align(type);
    return align > 8 ? align - 8 : 0;
}

static void *value_of(sending *s) {
    char *behind = (char *)(s + 1);
    size_t align = covey__type_align(s->type);
    return behind + (align - (uintptr_t)behind % align) % align;
}

static covey_result send_recorded(covey_world *world, void *data) {
    sending *s = data;
    if (!world) { /* discarded */
        covey__drop(s->world, s->type, value_of(s));
        return COVEY_OK;
    }
    covey__silence(world, true); /* the replay logs failures */
    covey_events *events = covey_events_of_raw(world, s->type);
    bool sent = events && covey_events_send_raw(events, value_of(s));
    covey__silence(world, false);
    return sent ? COVEY_OK : covey_world_result(world);
}

void *covey__record_event(covey_commands *commands, const covey_type *type) {
    if (type->move) {
        covey__record_moved(commands);
        return NULL;
    }
    sending *s = covey__record_data(commands, send_recorded, sizeof *s + padding_of(type) + type->size);
    if (!s) return NULL;
    *s = (sending){ type, commands->world };
    return value_of(s);
}
