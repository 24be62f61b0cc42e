/* Lists of entities, and their rows. */
#ifndef COVEY_INSPECT_ROWS_H
#define COVEY_INSPECT_ROWS_H

#include "scan.h"

enum { INSPECT__ROWS = 500, INSPECT__COLUMNS = 16 };

/* The columns of a list: types, or fields of types. */
typedef struct inspect__column {
    char name[INSPECT__QUERY_BYTES / 4];
    const covey_pool *pool;
    inspect__place place;
} inspect__column;
typedef struct inspect__columns {
    uint32_t count;
    inspect__column at[INSPECT__COLUMNS];
} inspect__columns;

/* Reads columns such as "Position,Health.points". Returns false, and refuses the request, if they are invalid. */
bool inspect__columns_read(inspect__request *request, const covey_world *world, const char *text,
                           inspect__columns *columns);

/* Writes a row: "e", "name", "enabled", "types", "children"; and "values", if there are columns. */
void inspect__put_row(inspect__json *json, const covey_world *world, covey_entity e, const inspect__columns *columns);

bool inspect__answer_entities(inspect__request *request, covey_world *world);
bool inspect__answer_tree(inspect__request *request, covey_world *world);

/* past.c */
bool inspect__answer_past_entities(inspect__request *request, covey_world *world);
bool inspect__answer_past_tree(inspect__request *request, covey_world *world);
bool inspect__answer_past_entity(inspect__request *request, covey_world *world);

#endif
