/* Values of components, by the fields of their type: places in them, and conversion between their bytes and JSON. */
#ifndef COVEY_INSPECT_VALUE_H
#define COVEY_INSPECT_VALUE_H

#include "inspector.h"

#include <covey/fields.h>

/* A part of a value. */
typedef struct inspect__place {
    covey_kind kind;            /* of an element; COVEY_KIND_PADDING: bytes without a field that describes them */
    const covey_fields *fields; /* the fields of an element, if it is a struct */
    uint32_t offset, stride;    /* offset in the value; distance of two elements */
    uint32_t count;             /* number of elements */
    bool array;                 /* a whole array, which may have one element or none */
} inspect__place;

/* The place that is a whole value. */
inspect__place inspect__place_of(const covey_type *type);
/* The place of a field, in a struct that begins at `offset`. */
inspect__place inspect__place_of_field(const covey_field *field, uint32_t offset);
/* Finds the place that a path such as "items[2].count" leads to; "" leads to the whole value. Returns NULL on success.
 * Otherwise returns what is wrong: *at is the position in the path, *wrong the number of characters. */
const char *inspect__place_find(const covey_type *type, const char *path, size_t length, inspect__place *place,
                                size_t *at, size_t *wrong);
uint32_t inspect__place_size(const inspect__place *place);
/* Whether a place is a text, which is an array of characters. */
bool inspect__place_is_text(const inspect__place *place);
/* The length of a text, without its zero. */
size_t inspect__text_length(const inspect__place *place, const void *value);

/* Writes one place of the value that begins at `value`; NULL writes null. */
void inspect__put_place(inspect__json *json, const char *key, const inspect__place *place, const void *value);
void inspect__put_value(inspect__json *json, const char *key, const covey_type *type, const void *value);

/* Why a value is refused. */
typedef struct inspect__fault {
    char text[256];
    covey_result result; /* COVEY_ERROR_DEAD: it names a dead entity; otherwise COVEY_OK */
} inspect__fault;
/* Reads JSON into one place of the value that begins at `value`. Fields that the JSON object does not mention keep
 * their bytes. Returns false, and sets the fault, if the JSON does not fit; some bytes may have been written then. */
bool inspect__read_place(const covey_world *world, const json_t *json, const inspect__place *place, void *value,
                         inspect__fault *fault);

/* A value of any kind except structs. */
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
