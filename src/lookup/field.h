/* Fields of components as keys of lookups. */
#ifndef COVEY_FIELD_H
#define COVEY_FIELD_H

#include "lookup/key.h"

#include <covey/covey.h>
#include <covey/fields.h>

enum { COVEY__DIMENSIONS = 3 };

/* A number, an entity or a text in a value. */
typedef struct covey__key_field {
    uint32_t offset;
    uint32_t size; /* of a text; otherwise 0 */
    covey_kind kind;
} covey__key_field;

/* A place: the numbers of a point, and the side of a cell. */
typedef struct covey__place {
    uint32_t count; /* of the numbers; 0: no place */
    covey__key_field at[COVEY__DIMENSIONS];
    double cell;
    bool adjacent; /* the numbers are floats or doubles, and follow each other */
} covey__place;

/* Finds the field of a type with a name such as "owner" or "body.owner". Returns its number of elements, and *field of
 * the first one; 0 if there is none. */
uint32_t covey__field_find(const covey_type *type, const char *name, covey__key_field *field);

static inline bool covey__kind_is_number(covey_kind kind) { return kind >= COVEY_KIND_I8 && kind <= COVEY_KIND_F64; }

/* A number, as a double. */
double covey__number_of(const covey__key_field *field, const void *value);

/* The key of a value. False if it has none: a null handle. */
bool covey__key_of_field(const covey__key_field *field, const void *value, covey__lookup_key *key);
/* The key of what a program asks for: for a text, `asked` is the text itself. */
bool covey__key_asked(const covey__key_field *field, const void *asked, covey__lookup_key *key);
/* The key that all NaN have: it is larger than those of numbers. */
#define COVEY__KEY_NAN UINT64_MAX

/* The key of the greatest number, and of text any. */
uint64_t covey__greatest_key(const covey__key_field *field);

/* The key of an entity field. */
static inline uint64_t covey__key_of_target(covey_entity e) {
    return (uint64_t)covey__generation(e) << 32 | covey__index(e);
}

static inline covey_entity covey__target_of_key(uint64_t key) {
    return covey__entity((uint32_t)key, (uint32_t)(key >> 32));
}

/* Finds whether the numbers are adjacent. */
void covey__place_settle(covey__place *place);
/* The point of a value. */
void covey__place_read(const covey__place *place, const void *value, double *point);
static inline void covey__point_of(const covey__place *place, const void *value, double *point) {
    const char *at = (const char *)value + place->at[0].offset;
    if (place->adjacent && place->at[0].kind == COVEY_KIND_F32)
        for (uint32_t i = 0; i < place->count; i++) {
            float number;
            memcpy(&number, at + i * sizeof number, sizeof number);
            point[i] = (double)number;
        }
    else if (place->adjacent) memcpy(point, at, place->count * sizeof *point);
    else covey__place_read(place, value, point);
}

#endif
