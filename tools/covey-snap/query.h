/* What the files of covey-snap query share. */
#ifndef SNAP_QUERY_H
#define SNAP_QUERY_H

#include "snap.h"

typedef enum snap_compare {
    SNAP_HAS, /* no comparison */
    SNAP_EQUAL,
    SNAP_UNEQUAL,
    SNAP_LESS,
    SNAP_AT_MOST,
    SNAP_MORE,
    SNAP_AT_LEAST,
    SNAP_BETWEEN, /* low..high, both included */
    SNAP_CONTAINS
} snap_compare;

/* A value to compare with. An integer is exact; `real` is for all other numbers, rounded to the kind of the field. */
typedef struct snap_literal {
    enum { SNAP_INTEGER, SNAP_REAL, SNAP_BOOL, SNAP_ENTITY, SNAP_TEXT } what;
    bool negative;
    uint64_t magnitude;
    double real;
    bool boolean;
    covey_entity entity;
    const char *text; /* points into the argument */
    size_t length;
} snap_literal;

/* A condition such as "Body", "!Marked", "Body.mass >= 10" or "name ~ ship". */
typedef struct snap_term {
    const covey_pool *pool; /* NULL: the name of the entity */
    bool negated;
    covey_kind kind; /* of the field, */
    uint32_t offset; /* where it is in a value, */
    uint32_t room;   /* and the bytes of a text; 0: no text */
    snap_compare compare;
    snap_literal low, high;
} snap_term;

/* Reads a condition. Prints what is wrong and returns false when it is invalid. */
bool snap_term_read(snap_term *term, const covey_world *world, const char *path, const char *text);
/* match.c */
bool snap_term_matches(const snap_term *term, const covey_world *world, covey_entity e);

#endif
