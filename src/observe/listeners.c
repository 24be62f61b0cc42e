/* The memory of listeners. */
#include "observe/listeners.h"

#include "memory/alloc.h"

#include <stdalign.h>

void covey__listeners_free(covey_world *world, covey__listeners *listeners) {
    covey__free(&world->heap, listeners->all, listeners->capacity, sizeof *listeners->all, alignof(covey__listener));
}

size_t covey__listeners_bytes(const covey__listeners *listeners) {
    return listeners->capacity * sizeof *listeners->all;
}
