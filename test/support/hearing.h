/* Listeners that append each event to one text, and may act on it: for tests of which listener is told of what, in
 * which order. A word is the listener's name, a sign for the signal, and the entity's index: "a+3". */
#ifndef COVEY_TEST_HEARING_H
#define COVEY_TEST_HEARING_H

#include "fixture.h"

typedef void hearing_fn(const covey_event *event);

typedef struct ear {
    const char *name;
    hearing_fn *act; /* what it does, after it has written; or NULL */
    uint32_t acts;   /* so many times; then it only writes */
    covey_connection connection;
} ear;

/* Connects an ear; the text begins anew with listen_begin. + add, = set, ~ patch, - remove, * create, ! destroy. */
void listen_begin(void);
ear *listen(ear *to, const covey_type *type, uint32_t signals);
ear *listen_to_spans(ear *to, const covey_type *type, uint32_t signals);
/* Says something in the text: for functions that act. */
void listen_note(const char *words);
/* The text is this, and begins anew. */
void assert_told(const char *words);
/* What a queue has is this; it is empty afterwards. */
void assert_queued(covey_queue *queue, const char *words);

enum { COMPONENT_SIGNALS = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE };
enum { ENTITY_SIGNALS = COVEY_ON_CREATE | COVEY_ON_DESTROY };

#endif
