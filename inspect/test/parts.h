/* Types with all kinds of fields, for tests and fuzz targets of the inspector. */
#ifndef COVEY_INSPECT_PARTS_H
#define COVEY_INSPECT_PARTS_H

#include <covey/fields.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct Health {
    int32_t points;
    uint8_t armour;
    bool cursed;
    uint16_t unused;
} Health;
typedef struct Part {
    uint16_t count;
    int8_t kind;
    uint8_t unused;
} Part;
typedef struct Everything {
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
    bool boolean;
    char letter;
    char text[14];
    covey_entity owner;
    Part part, parts[3];
    float grid[2][2];
    void *secret;
} Everything;
typedef struct Blob {
    uint32_t bytes[3];
} Blob;
typedef struct Named {
    char *text; /* owned */
} Named;
COVEY_COMPONENT_DECLARE(Position);
COVEY_COMPONENT_DECLARE(Health); /* sparse, with ticks */
COVEY_COMPONENT_DECLARE(Everything);
COVEY_COMPONENT_DECLARE(Blob);  /* .as_bytes, without fields */
COVEY_COMPONENT_DECLARE(Named); /* has hooks */
COVEY_TAG_DECLARE(Frozen);
extern const covey_type odd_name; /* "a \"type\".x" */

extern uint32_t named_alive; /* values of Named that exist */

extern const covey_type *const part_types[7]; /* all types above */

#endif
