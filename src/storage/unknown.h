/* Values of types that the program does not know, and whose bytes were written by functions: they keep these bytes. */
#ifndef COVEY_UNKNOWN_H
#define COVEY_UNKNOWN_H

#include <covey/image.h>

/* The context of an unknown type: the world that made it, and counts the bytes of its values; the size of a value. */
typedef struct covey__unknown_context {
    covey_world *world;
    uint32_t size;
} covey__unknown_context;

/* Gives a type that was read from an image the functions and hooks of unknown types. Its values begin with a
 * covey_unknown_value. */
void covey__unknown_describe(covey_type *type);
bool covey__is_unknown(const covey_type *type);
/* A value has moved from a world that has the first type to one that has the second. Both have the same allocator. */
void covey__unknown_moved(const covey_type *from, const covey_type *to, const void *value);

#endif
