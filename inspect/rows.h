/* The rows of lists of entities. */
#ifndef COVEY_INSPECT_ROWS_H
#define COVEY_INSPECT_ROWS_H

#include "scan.h"

enum { INSPECT__ROWS = 500, INSPECT__COLUMNS = 16 };

/* Which values rows have: types, or fields of them. */
typedef struct inspect__column {
    char name[INSPECT__QUERY_BYTES / 4];
    const covey_pool *pool;
    inspect__place place;
} inspect__column;
typedef struct inspect__columns {
    uint32_t count;
    inspect__column at[INSPECT__COLUMNS];
} inspect__columns;

/* Reads "Position,Health.points". False: the request is refused. */
bool inspect__columns_read(inspect__request *request, const covey_world *world, const char *text,
                           inspect__columns *columns);

/* "e", "name", "enabled", "types", "children"; and "values", where there are columns. */
void inspect__put_row(inspect__json *json, const covey_world *world, covey_entity e, const inspect__columns *columns);

bool inspect__answer_entities(inspect__request *request, covey_world *world);
bool inspect__answer_tree(inspect__request *request, covey_world *world);

/* past.c */
bool inspect__answer_past_entities(inspect__request *request, covey_world *world);
bool inspect__answer_past_tree(inspect__request *request, covey_world *world);
bool inspect__answer_past_entity(inspect__request *request, covey_world *world);

#endif
