/* The kinds of a world in an image. docs/format.md describes the section. */
#ifndef COVEY_IMAGE_KINDS_H
#define COVEY_IMAGE_KINDS_H

#include "image/image_filter.h"

/* The section without its first number. */
typedef struct covey__packed_kinds {
    uint32_t *numbers;
    size_t count;
} covey__packed_kinds;

/* `types` has the number of each pool's type in the image, or COVEY_NONE. Leaves out kinds with a type that is not in
 * the image, and extents without a used index there. False when an allocation fails. */
bool covey__image_kinds_make(covey__packed_kinds *packed, covey__heap *heap, const covey__filter *filter,
                             const uint32_t *types);

#endif
