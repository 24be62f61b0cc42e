/* Values of types that the program does not know: the codec of another program wrote their bytes
 * (covey_unknown_value). */
#ifndef COVEY_UNKNOWN_H
#define COVEY_UNKNOWN_H

#include <covey/image.h>

/* The context of an unknown type: the world that made it, which counts the bytes of its values, and the size of a
 * value. */
typedef struct covey__unknown_context {
    covey_world *world;
    uint32_t size;
} covey__unknown_context;

/* Gives a type that was read from an image the hooks of unknown types; its codec is that of image/unknown_codec.h. Its
 * values begin with a covey_unknown_value. */
void covey__unknown_describe(covey_type *type);
bool covey__is_unknown(const covey_type *type);
/* Allocates memory for the handles of a value, followed by its bytes. */
bool covey__unknown_allocate(covey_world *world, covey_unknown_value *unknown, char **memory);
/* Notes that a value has moved from the world of the first type to that of the second. Both use the same allocator. */
void covey__unknown_moved(const covey_type *from, const covey_type *to, const void *value);

#endif
