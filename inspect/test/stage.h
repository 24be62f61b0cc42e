/* Queries over entities with the types of parts.h. */
#ifndef COVEY_INSPECT_STAGE_H
#define COVEY_INSPECT_STAGE_H

#include "client.h"
#include "parts.h"

#include <covey/hierarchy.h>

/* Makes pools of all types, so that queries can name them. */
void stage_types(void);
/* Asserts the indices of the matches of a query, as a text such as "0 3 5". */
void stage_assert_found(const char *query, const char *indices);
/* Asserts the order of the matches of Position, sorted by an argument such as "-Position.x&offset=2". */
void stage_assert_sorted(const char *sort, const char *indices);
/* Asserts that a query is refused, and which of its characters are reported. */
void stage_assert_wrong(const char *query, size_t at, size_t length);

#endif
