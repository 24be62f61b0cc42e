/* Changes of several types, as text: "+Pa3 " is an add of a Packed to index 3; '=' is a set, '-' a removal, '*' and '!'
 * are the beginning and the end of an entity. */
#ifndef COVEY_TEST_NEWS_H
#define COVEY_TEST_NEWS_H

#include "fixture.h"

/* A listener that records its events. */
void note_news(const covey_event *event, void *context);
void forget_news(void);
void assert_news(const char *wanted); /* this was written since they were forgotten, or asserted */

/* Connects a function to a type, or to entities for NULL. */
covey_connection listen_to(const covey_type *type, uint32_t signals, covey_listener_fn *call, void *context);
/* Connects a queue. */
void queue_up(covey_queue *queue, const covey_type *type, uint32_t signals);
/* What a queue holds, in the same words; empties it. */
void assert_queued_news(covey_queue *queue, const char *wanted);

enum {
    OF_COMPONENTS = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE,
    OF_ENTITIES = COVEY_ON_CREATE | COVEY_ON_DESTROY
};

#endif
