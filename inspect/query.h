/* The query language: which entities are asked for. docs/inspect.md has its grammar.
 *
 *     Position, Velocity, !Frozen, Health.points < 10, name ~ "tank"
 */
#ifndef COVEY_INSPECT_QUERY_H
#define COVEY_INSPECT_QUERY_H

#include "value.h"

enum { INSPECT__QUERY_BYTES = 1024, INSPECT__QUERY_TERMS = 32, INSPECT__QUERY_ANY = 16 };

/* In the order in which they are asked: the quick ones first. */
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

/* What a field is compared with. An integer is kept exactly; `real` has it, too. */
typedef struct inspect__literal {
    enum { INSPECT__INTEGER, INSPECT__REAL, INSPECT__BOOL, INSPECT__TEXT, INSPECT__ENTITY } what;
    bool negative;
    uint64_t magnitude;
    double real;
    const char *text; /* in the query */
    size_t length;
    covey_entity e;
} inspect__literal;

typedef struct inspect__term {
    inspect__term_kind kind;
    bool negated;
    const covey_pool *pool; /* of one type */
    uint32_t first, count;  /* of several: in query->any */
    inspect__place place;   /* of a field */
    inspect__compare compare;
    inspect__literal literal;
    bool any_generation; /* #12 instead of #12:1 */
} inspect__term;

typedef struct inspect__query {
    char text[INSPECT__QUERY_BYTES];
    uint32_t count;
    inspect__term terms[INSPECT__QUERY_TERMS];
    const covey_pool *any[INSPECT__QUERY_ANY];
    uint32_t any_count;
} inspect__query;

typedef struct inspect__query_error {
    size_t at, length; /* in the text */
    char text[200];
} inspect__query_error;

/* Reads a query; "" is all entities. False: the error says what is wrong, and where. */
bool inspect__query_read(inspect__query *query, const covey_world *world, const char *text,
                         inspect__query_error *error);
/* The query as a view, where it asks only for types, and entities must have one in blocks, so that matches are visited by index.
 * False: it is more than that. */
bool inspect__query_view(const inspect__query *query, const covey_world *world, covey_view *view);
bool inspect__query_matches(const inspect__query *query, const covey_world *world, covey_entity e);

/* Reads the name of a type and a path behind it, "Position.x": the longest name that the world knows. False: there is no such
 * type, or no such field. `text` need not end with a zero. */
bool inspect__path_read(const covey_world *world, const char *text, size_t length, const covey_pool **pool,
                        inspect__place *place, inspect__query_error *error);

/* complete.c: words that fit at a place of a text that is being typed. */
bool inspect__answer_complete(inspect__request *request, covey_world *world);

#endif
