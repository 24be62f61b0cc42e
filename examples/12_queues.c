/* Queues: events that are kept until one place in the program handles them, in order. Room for removals is allocated
 * beforehand, so that removing never fails. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t size;
} Sound;
COVEY_COMPONENT_DEFINE(Sound);

/* A device that only one place in the program should use. */
typedef struct {
    uint32_t playing, started, stopped, heard;
} Speaker;

static const char *text_of(covey_signal signal) {
    switch (signal) {
    case COVEY_ON_ADD: return "starts";
    case COVEY_ON_SET: return "is changed";
    case COVEY_ON_PATCH: return "is patched";
    case COVEY_ON_REMOVE: return "stops";
    case COVEY_ON_CREATE: return "is created";
    case COVEY_ON_DESTROY: return "is destroyed";
    }
    return "?";
}

/* The entity of an event may be dead by now, or have another value: an event says what happened. The queue keeps copies
 * of the values of that time. */
static void deal_with_all(covey_queue *queue, Speaker *speaker) {
    covey_event event;
    printf("%u events:\n", covey_queue_count(queue));
    while (covey_queue_next(queue, &event)) {
        bool alive = covey_alive(event.world, *event.entities);
        const Sound *sound = event.values;
        printf("  %-7s %u %s%s", event.type ? event.type->name : "entity", event.entities->index, text_of(event.signal),
               alive ? "" : ", and is gone");
        if (sound) printf(", of size %u", sound->size);
        printf("\n");
        if (event.signal == COVEY_ON_REMOVE) speaker->heard += sound->size;
        if (event.signal == COVEY_ON_ADD) speaker->playing++, speaker->started++;
        if (event.signal == COVEY_ON_REMOVE) speaker->playing--, speaker->stopped++;
    }
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_queue *queue = world ? covey_queue_create(world) : NULL;
    Speaker speaker = { 0 };
    if (!queue) return EXIT_FAILURE;

    /* One queue may be connected to several types, and to entities: their events come in one order. */
    covey_listener sounds = { .type = covey_id(Sound),
                              .signals = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
                              .queue = queue,
                              .values = true };
    covey_listener ends = { .signals = COVEY_ON_DESTROY, .queue = queue };
    covey_connection connection = covey_connect(world, &sounds);
    if (!covey_connected(world, connection) || !covey_connected(world, covey_connect(world, &ends)))
        return EXIT_FAILURE;

    covey_entity a = covey_create(world), b = covey_create(world), c = covey_create(world);
    covey_add(world, a, Sound, { 1 });
    covey_add(world, b, Sound, { 2 });
    covey_set(world, a, Sound, { 3 });
    covey_destroy(world, b);
    deal_with_all(queue, &speaker);
    bool right = speaker.playing == 1 && speaker.started == 2 && covey_queue_count(queue) == 0;

    covey_add(world, c, Sound, { 4 });
    covey_clear(world, Sound);
    deal_with_all(queue, &speaker);
    right = right && speaker.playing == 0 && speaker.stopped == 3 && speaker.heard == 2 + 3 + 4;

    covey_queue_destroy(queue); /* and its connections */
    right = right && !covey_connected(world, connection);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
