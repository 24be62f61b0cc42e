/* What tests and fuzz targets of images share: types of every storage, a world with all that an image can contain, a
 * way to correct checksums, and checks that need no test framework. */
#ifndef COVEY_TEST_IMAGES_H
#define COVEY_TEST_IMAGES_H

#include "tools.h"

#include <covey/fields.h>
#include <covey/image.h>

typedef struct Spot {
    int32_t x;
    bool on;
    uint16_t y;
} Spot;

/* A field of each kind, and of each shape. */
typedef struct Kinds {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool yes;
    char letter;
    covey_entity friend_of;
    char text[10];
    int16_t row[3];
    float grid[2][2];
    Spot spot;
    void *cache; /* padding */
    Spot spots[2];
    bool flags[3];
    covey_entity others[2];
} Kinds;

typedef struct Number {
    uint32_t number, check; /* check is ~number */
} Number;
typedef Number InBlocks;
typedef Number InPins;
typedef Number InPack;
typedef Number InPlace;
typedef Number InShelf;
typedef Number InQueue;
typedef Number Blob;
typedef Number Settings;
typedef Number Lost;
COVEY_FIELDS_DECLARE(Spot);
COVEY_FIELDS_DECLARE(Kinds);
COVEY_FIELDS_DECLARE(Number);
COVEY_COMPONENT_DECLARE(Kinds);    /* in blocks, with ticks and a default value */
COVEY_COMPONENT_DECLARE(InBlocks); /* zero when erased */
COVEY_COMPONENT_DECLARE(InPins);   /* pinned, with ticks */
COVEY_COMPONENT_DECLARE(InPack);   /* sparse, one for each policy */
COVEY_COMPONENT_DECLARE(InPlace);
COVEY_COMPONENT_DECLARE(InShelf);
COVEY_COMPONENT_DECLARE(InQueue); /* compacts above 50 percent */
COVEY_COMPONENT_DECLARE(Blob);    /* .as_bytes, and not to be copied */
COVEY_COMPONENT_DECLARE(Settings);
COVEY_COMPONENT_DECLARE(Lost); /* transient */
COVEY_TAG_DECLARE(PlainTag);
COVEY_TAG_DECLARE(SparseTag);

/* All types but the transient one, ended by NULL; the types with two numbers. Their hooks are in other files. */
extern const covey_type *const image_types[];
extern const covey_type *const number_types[7];
enum { NUMBER_TYPES = 7 };

Number image_number(uint32_t number);
Kinds kinds_of(uint32_t number, covey_entity friend_of);

/* Fills an empty world: free, retired and reserved indices, holes and dead elements in every storage, what is disabled,
 * ticks, names, a tree, and resources. The same in every configuration. False when memory is out. */
bool image_fill(covey_world *world);
/* A world with the strict allocator. */
covey_world *image_world(test_heap *heap);

/* Gives the table and all sections the checksums that belong to them, as far as the frame is one. */
void image_mend(unsigned char *bytes, size_t size);

/* A number for all that an image has of a world, but for pools without components. */
uint64_t image_digest(covey_world *world);

/* Loads, or merges, arbitrary bytes: the image is refused and nothing has changed, or the world is valid, and can be
 * saved and loaded to the same bytes. Returns NULL when this holds; otherwise a sentence that says what does not. */
typedef const char *image_check_fn(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report);
image_check_fn image_check_load, image_check_merge;
image_check_fn image_check_follow; /* of a world that has followed a good image before */

/* An input of the fuzzer: a byte that says how (fuzz_load.c), and an image. Aborts when not all is well. */
void image_run_input(const uint8_t *data, size_t size, image_check_fn *check);

#endif
