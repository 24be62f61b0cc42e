/* What listeners hear, as text: "+Packed3 " is an add of index 3; '=' a set, '-' a removal, '*' and '!' are the
 * beginning and the end of an entity. A type's two first letters stand for it. */
#ifndef COVEY_TEST_HEARING_H
#define COVEY_TEST_HEARING_H

#include "fixture.h"

/* Writes events down, in `told`. */
void hear(const covey_event *event, void *context);
void hear_nothing(void);              /* forgets what was told */
void assert_told(const char *wanted); /* this, and nothing else, since then */

/* Connects a function to a type, or to entities for NULL. */
covey_connection listen_to(const covey_type *type, uint32_t signals, covey_listener_fn *call, void *context);
/* Connects a queue. */
void queue_up(covey_queue *queue, const covey_type *type, uint32_t signals);
/* What a queue holds, in the same words; empties it. */
void assert_queued(covey_queue *queue, const char *wanted);

enum {
    OF_COMPONENTS = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
    OF_ENTITIES = COVEY_ON_CREATE | COVEY_ON_DESTROY
};

#endif
