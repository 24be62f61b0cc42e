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

/* A place: the numbers of a point, and the sides of a cell. */
typedef struct covey__place {
    uint32_t count; /* of the numbers; 0: no place */
    covey__key_field at[COVEY__DIMENSIONS];
    double cells_each; /* cells for each unit of length */
    double cell;
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

/* The handle of a key of an entity field. */
static inline covey_entity covey__target_of(uint64_t bits) {
    return covey_entity_make((uint32_t)bits, (uint32_t)(bits >> 32));
}
static inline uint64_t covey__key_of_target(covey_entity e) {
    return (uint64_t)covey__generation(e) << 32 | covey__index(e);
}

/* The point of a value; and its cell. False if the point has a NaN. Cells far away are all one cell. */
void covey__point_of(const covey__place *place, const void *value, double *point);
bool covey__cell_of(const covey__place *place, const double *point, int64_t *cell);
int64_t covey__cell_most(const covey__place *place); /* the greatest number of a cell; the least is its opposite */
uint64_t covey__cell_key(const covey__place *place, const int64_t *cell);
bool covey__key_of_place(const covey__place *place, const void *value, covey__lookup_key *key);
void covey__cell_of_key(const covey__place *place, uint64_t key, int64_t *cell);

#endif
