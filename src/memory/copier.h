/* Copies many pieces of memory. If they are more than the caches hold, several pieces are copied alternately and past
 * the caches: this is faster than one piece after the other. */
#ifndef COVEY_COPIER_H
#define COVEY_COPIER_H

#include <covey/covey.h>

#define COVEY__PIECES 4 /* copied alternately */

typedef struct covey__copied {
    char *to;
    const char *from;
    size_t bytes;
} covey__copied;

typedef struct covey__copier {
    bool is_large; /* more than the caches hold; false: every piece is copied at once */
    uint32_t count;
    covey__copied waiting[COVEY__PIECES];
} covey__copier;

void covey__copier_flush(covey__copier *copier);  /* copies the pieces that wait */
void covey__copier_finish(covey__copier *copier); /* the same; other threads may read the copies afterwards */

/* Both ends of the piece stay as they are until the copier is flushed. */
static inline void covey__copier_add(covey__copier *copier, void *to, const void *from, size_t bytes) {
    copier->waiting[copier->count++] = (covey__copied){ (char *)to, (const char *)from, bytes };
    if (!copier->is_large || copier->count == COVEY__PIECES) covey__copier_flush(copier);
}

#endif
