/* Questions about entities that have the types of parts.h. */
#ifndef COVEY_INSPECT_STAGE_H
#define COVEY_INSPECT_STAGE_H

#include "client.h"
#include "parts.h"

#include <covey/hierarchy.h>

/* Makes pools of all types, so that they can be named. */
void stage_types(void);
/* The entities that a query finds, in a text such as "0 3 5": their indices. */
void stage_assert_found(const char *query, const char *indices);
/* The query is refused, and the fault is these characters of it. */
void stage_assert_wrong(const char *query, size_t at, size_t length);

#endif
