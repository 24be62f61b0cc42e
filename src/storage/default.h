/* The value of a component or resource that is added without one: its type's default, or zero bytes. */
#ifndef COVEY_DEFAULT_H
#define COVEY_DEFAULT_H

#include <covey/covey.h>

#include <stdalign.h>

/* A default value on its way into a storage. `value` is a copy that the hook made, in `bytes` or, if it is larger, in
 * allocated memory; or the default itself, if the type has no copy hook; or NULL for zero bytes. */
typedef struct covey__default {
    const void *value;
    void *made;
    bool is_allocated;
    alignas(64) char bytes[128];
} covey__default;

/* Makes the value. MEMORY, COPY; logs nothing. */
covey_result covey__default_begin(covey_world *world, const covey_type *type, covey__default *d);
/* Frees the memory of the value. `used`: the value was moved away; otherwise it is dropped. */
void covey__default_end(covey_world *world, const covey_type *type, covey__default *d, bool used);

#endif
