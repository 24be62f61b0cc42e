/* covey-snap diff: what its files share. */
#ifndef SNAP_DIFF_H
#define SNAP_DIFF_H

#include "snap.h"

/* A type of both images, or of one. */
typedef struct diff_pair {
    const covey_type *a, *b;
    bool alike; /* values with the same bytes are the same */
} diff_pair;

/* Which pair a type of either image is in. */
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
    const covey_type **listed; /* room for those of an entity, in both, */
    uint32_t *numbers;         /* and for their pairs */
    covey_entity entity;       /* whom lines are about, unless it is */
    const char *word;          /* "resource" or "type" */
    snap_path where;           /* the field in hand, from the name of its type on */
    uint64_t differences, lines;
    uint64_t only_a, only_b, both, changed; /* entities */
    uint64_t resources, types;              /* that differ */
} diff;

/* Counts a difference and begins its line with "12:3 Body.at.x"; returns where to go on, or NULL if it is not shown. */
FILE *diff_line(diff *d);
void diff_tell_only(diff *d, const char *path); /* ": only in <path>" */

/* diff_types.c */
bool diff_pairs_make(diff *d);
void diff_pairs_free(diff *d);
/* Lists the pairs of which an entity has a component in either image, in their order: d->numbers. */
uint32_t diff_pairs_of(diff *d, covey_entity e); /* false: no memory */
void diff_types(diff *d);                        /* tells of types, and sets `alike` */
const covey_field *diff_field_find(const covey_fields *fields, const char *name, uint32_t guess);

/* diff_values.c */
void diff_values(diff *d, const diff_pair *pair, const void *a, const void *b);

#endif
