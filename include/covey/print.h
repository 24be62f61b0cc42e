/* Covey: worlds as text, for logs and debuggers. Part of covey/covey.h. To write the text of an entity, a group or a
 * schedule, use the print calls beside their other calls. */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_PRINT_H
#define COVEY_API_PRINT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Receives text in pieces. */
typedef void covey_write_fn(const char *text, void *context);

/* Writes the world as text: a line for each pool, and each entity with its name, parent and the names of its
 * components. NULL for `write` means stdout. */
COVEY_API void covey_world_print(const covey_world *world, covey_write_fn *write, void *context);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_PRINT_H */
