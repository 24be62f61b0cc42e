/* What the files of covey-snap diff share. */
#ifndef SNAP_DIFF_H
#define SNAP_DIFF_H

#include "snap.h"

/* A type, as it is in both images or in one. */
typedef struct diff_pair {
    const covey_type *a, *b;
    bool alike; /* same fields and size: equal bytes are equal values */
} diff_pair;

/* The pair of a type of either image. */
typedef struct diff_place {
    const covey_type *type;
    uint32_t pair;
} diff_place;

typedef struct diff {
    const snap_settings *settings;
    const char *path_a, *path_b;
    covey_world *a, *b;
    diff_pair *pairs;
    uint32_t pair_count;
    diff_place *places; /* sorted by address */
    uint32_t place_count;
    const covey_type **listed; /* scratch: the types of an entity in both images */
    uint32_t *numbers;         /* scratch: their pairs */
    covey_entity entity;       /* the subject of lines, unless `word` is set */
    const char *word;          /* "resource" or "type" */
    snap_path where;           /* the current field, beginning with the name of its type */
    uint64_t differences, lines;
    uint64_t only_a, only_b, both, changed; /* entities */
    uint64_t resources, types;              /* which differ */
} diff;

/* Counts a difference, and begins its line with "12:3 Body.at.x". Returns the stream to continue, or NULL if the
 * line is not shown. */
FILE *diff_line(diff *d);
void diff_tell_only(diff *d, const char *path); /* ": only in <path>" */

/* diff_types.c */
bool diff_pairs_make(diff *d); /* false: memory is out */
void diff_pairs_free(diff *d);
/* Lists the pairs of the components that an entity has in either image, sorted, in d->numbers. Returns how many. */
uint32_t diff_pairs_of(diff *d, covey_entity e);
void diff_types(diff *d); /* compares types, and sets `alike` */
const covey_field *diff_field_find(const covey_fields *fields, const char *name, uint32_t guess);

/* diff_values.c */
void diff_values(diff *d, const diff_pair *pair, const void *a, const void *b);

#endif
