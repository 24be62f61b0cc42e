/* The first matches of a query in the order of a field.
 *
 * They are a heap while matches are added: its first element is the last row in order, which a match that comes before
 * it replaces. So the memory does not depend on the number of matches. */
#ifndef COVEY_INSPECT_ORDER_H
#define COVEY_INSPECT_ORDER_H

#include "value.h"

enum { INSPECT__SORTED = 10000 }; /* rows that a sorted list has, at most */

typedef struct inspect__ranked {
    uint64_t key;
    uint32_t index;
    bool absent; /* the entity has no such value, or it is not a number: it comes last */
} inspect__ranked;

typedef struct inspect__order {
    const covey_pool *pool; /* NULL: the list is not sorted */
    inspect__place place;
    bool down; /* the largest value comes first */
    inspect__ranked *rows;
    uint32_t count, room;
    uint64_t seen; /* matches that were added */
} inspect__order;

/* Reads the argument "sort": a field, such as "Position.x", or "-Position.x" for the largest value first. Makes room
 * for so many rows, at most INSPECT__SORTED. Returns false, and refuses the request, if the field is not a number. */
bool inspect__order_read(inspect__request *request, const covey_world *world, uint64_t rows, inspect__order *order);
void inspect__order_add(inspect__order *order, covey_entity e);
/* Sorts the rows. No match can be added afterwards. */
void inspect__order_finish(inspect__order *order);
void inspect__order_free(covey_inspector *inspector, inspect__order *order);

#endif
