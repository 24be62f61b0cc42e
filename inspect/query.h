/* The query language, which selects entities. docs/inspect.md has its grammar.
 *
 *     Position, Velocity, !Frozen, Health.points < 10, name ~ "tank"
 */
#ifndef COVEY_INSPECT_QUERY_H
#define COVEY_INSPECT_QUERY_H

#include "value.h"

enum { INSPECT__QUERY_BYTES = 1024, INSPECT__QUERY_TERMS = 32, INSPECT__QUERY_ANY = 16 };

/* In the order in which they are tested: the cheap ones first. */
typedef enum inspect__term_kind {
    INSPECT__TERM_HAS,
    INSPECT__TERM_ANY,
    INSPECT__TERM_DISABLED,
    INSPECT__TERM_ENTITY,
    INSPECT__TERM_FIELD,
    INSPECT__TERM_PARENT,
    INSPECT__TERM_ROOT,
    INSPECT__TERM_NAME
} inspect__term_kind;

typedef enum inspect__compare {
    INSPECT__IS_THERE, /* no comparison */
    INSPECT__EQUAL,
    INSPECT__UNEQUAL,
    INSPECT__LESS,
    INSPECT__AT_MOST,
    INSPECT__MORE,
    INSPECT__AT_LEAST,
    INSPECT__CONTAINS
} inspect__compare;

/* The literal that a field is compared with. An integer is in `magnitude`, exactly, and in `real`, rounded. */
typedef struct inspect__literal {
    enum { INSPECT__INTEGER, INSPECT__REAL, INSPECT__BOOL, INSPECT__TEXT, INSPECT__ENTITY } what;
    bool negative;
    uint64_t magnitude;
    double real;
    const char *text; /* points into the text of the query */
    size_t length;
    covey_entity e;
} inspect__literal;

typedef struct inspect__term {
    inspect__term_kind kind;
    bool negated;
    const covey_pool *pool; /* of a term with one type */
    uint32_t first, count;  /* of a term with several types: its range in query->any */
    inspect__place place;   /* of a term with a field */
    inspect__compare compare;
    inspect__literal literal;
    bool any_generation; /* #12, not #12:1 */
} inspect__term;

typedef struct inspect__query {
    char text[INSPECT__QUERY_BYTES];
    uint32_t count;
    inspect__term terms[INSPECT__QUERY_TERMS];
    const covey_pool *any[INSPECT__QUERY_ANY];
    uint32_t any_count;
} inspect__query;

typedef struct inspect__query_error {
    size_t at, length; /* the part of the text that is wrong */
    char text[200];
} inspect__query_error;

/* Reads a query; "" matches all entities. Returns false, and sets *error, if the query is invalid. */
bool inspect__query_read(inspect__query *query, const covey_world *world, const char *text,
                         inspect__query_error *error);
/* Makes a view of a query. Returns false if the query has terms other than types, or requires no type in block storage:
 * only then a view visits its matches in index order. */
bool inspect__query_view(const inspect__query *query, const covey_world *world, covey_view *view);
bool inspect__query_matches(const inspect__query *query, const covey_world *world, covey_entity e);

/* Reads the name of a type and a path, such as "Position.x". If several names fit, takes the longest one that the world
 * knows. Returns false, and sets *error, if there is no such type or field. `text` need not end with a zero. */
bool inspect__path_read(const covey_world *world, const char *text, size_t length, const covey_pool **pool,
                        inspect__place *place, inspect__query_error *error);

/* complete.c: completions for a query that is being typed. */
bool inspect__answer_complete(inspect__request *request, covey_world *world);

#endif
