/* What a component or resource gets that is added without a value: its type's default, or zero bytes. */
#ifndef COVEY_DEFAULT_H
#define COVEY_DEFAULT_H

#include <covey/covey.h>

#include <stdalign.h>

/* A value that moves to where it belongs. One that the copy hook makes is here, or in memory of its own; otherwise it is
 * the default itself, or NULL. */
typedef struct covey__default {
    const void *value;
    void *made;
    bool is_allocated;
    alignas(64) char bytes[128];
} covey__default;

/* Makes one. False: MEMORY, COPY, without a log. */
covey_result covey__default_begin(covey_world *world, const covey_type *type, covey__default *d);
/* When the value was moved away, or was not used: then it is dropped. */
void covey__default_end(covey_world *world, const covey_type *type, covey__default *d, bool used);

#endif
