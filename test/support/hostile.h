/* Images made to cost time: small, each part valid, with counts that multiply each other wherever a loader looks at all
 * of one thing for each of another. For tests, the fuzz target and benchmarks. */
#ifndef COVEY_TEST_HOSTILE_H
#define COVEY_TEST_HOSTILE_H

#include <covey/image.h>

typedef enum hostile_kind {
    HOSTILE_NAMES,      /* roots whose names share the low bits of their hash */
    HOSTILE_SAME_NAMES, /* as many parents, and each has a child of the same name */
    HOSTILE_TYPES,      /* component types, each with one component */
    HOSTILE_SPARSE,     /* the same, in sparse pools */
    HOSTILE_RESOURCES,  /* resources of as many types */
    HOSTILE_BOTH,       /* component types with as many resources of the same types */
    HOSTILE_RANGES,     /* reserved ranges, from the last to the first, with an entity and a free index in each */
    HOSTILE_DEEP,       /* a chain of parents */
    HOSTILE_WIDE,       /* children of one parent */
    HOSTILE_FREE,       /* free indices; also for a world in which these are retired */
    HOSTILE_RETIRED,    /* indices whose generations are used up */
    HOSTILE_HOLES,      /* holes in a pool that keeps places, listed from the last to the first */
    HOSTILE_MIXED,      /* types, and as many entities; the last one has all types */
    HOSTILE_FEWER,      /* the same but for one component of each type: to follow HOSTILE_MIXED */
    HOSTILE_NEARLY,     /* names as above; the last one occurs twice: refused when all else is done */
    HOSTILE_FIELDS,     /* types with as many fields as can be, a hundredth of the count */
    HOSTILE_NESTED,     /* the same, with structs inside of structs, as deep as can be */
    HOSTILE_SCATTERED,  /* entities with a component, each in a page of its own */
    HOSTILE_KINDS
} hostile_kind;

extern const char *const hostile_names[HOSTILE_KINDS];

/* Appends an image with `count` of what its kind multiplies to a buffer; false when memory is out. */
bool hostile_make(covey_buffer *buffer, hostile_kind kind, uint32_t count);

/* One with `count` holes in a pool of values of 16 MB: a few bytes for each in the image, and 16 MB in memory. */
bool hostile_make_vast(covey_buffer *buffer, uint32_t count);

/* The hash that names without a parent are found by. */
uint32_t hostile_hash(const char *text, size_t length);

#endif
