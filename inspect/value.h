/* Values of components, by the fields of their type: places in them, and both ways between their bytes and JSON. */
#ifndef COVEY_INSPECT_VALUE_H
#define COVEY_INSPECT_VALUE_H

#include "inspector.h"

#include <covey/fields.h>

/* A part of a value. */
typedef struct inspect__place {
    covey_kind kind;            /* of an element; COVEY_KIND_PADDING: bytes that nobody has described */
    const covey_fields *fields; /* of an element that is a struct */
    uint32_t offset, stride;    /* in the value; from one element to the next */
    uint32_t count;             /* elements */
    bool array;                 /* it is all of an array, if that has one element or none, too */
} inspect__place;

/* All of a value. */
inspect__place inspect__place_of(const covey_type *type);
/* One field of a struct that begins at `offset`. */
inspect__place inspect__place_of_field(const covey_field *field, uint32_t offset);
/* The part that a path leads to, such as "items[2].count"; "" is all of it. NULL, or what is wrong, and in *at and *wrong
 * where in the path. */
const char *inspect__place_find(const covey_type *type, const char *path, size_t length, inspect__place *place,
                                size_t *at, size_t *wrong);
uint32_t inspect__place_size(const inspect__place *place);
/* Whether it is a text: an array of characters. */
bool inspect__place_is_text(const inspect__place *place);
/* The length of a text, up to its zero. */
size_t inspect__text_length(const inspect__place *place, const void *value);

/* Writes the part of a value, which begins at `value`; NULL: null. */
void inspect__put_place(inspect__json *json, const char *key, const inspect__place *place, const void *value);
void inspect__put_value(inspect__json *json, const char *key, const covey_type *type, const void *value);

/* Why a value is refused. */
typedef struct inspect__fault {
    char text[256];
    covey_result result; /* other than COVEY_OK: an entity that is dead */
} inspect__fault;
/* Reads JSON into the bytes of a part: `value` is the beginning of the whole. Members that an object lacks stay as they are.
 * False: the fault says what is wrong, and some bytes may have been written. */
bool inspect__read_place(const covey_world *world, const json_t *json, const inspect__place *place, void *value,
                         inspect__fault *fault);

/* A value of the largest kind, whatever is in it. */
typedef union inspect__any {
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
    covey_entity entity;
} inspect__any;

#endif
