/* Calls the endpoints of an inspector without a network: for fuzz targets and long random tests. Needs no cmocka. */
#ifndef COVEY_INSPECT_BARE_H
#define COVEY_INSPECT_BARE_H

#include "parts.h"

#include "../inspector.h"

covey_inspector *bare_open(covey_world *world, const covey_inspect_desc *desc); /* without memory, stops the program */
void bare_close(covey_inspector *inspector);

/* Answers a request. `target` is a path with arguments, "entities?query=Position&limit=3", which are not decoded; it is
 * modified, and must last as long as the request. A `body` of NULL means none. Returns NULL if there is no such
 * endpoint, or the body is not JSON. Checks that the answer is JSON, if its type says so. */
inspect__request *bare_ask(covey_inspector *inspector, const char *method, char *target, const char *body,
                           size_t length);

/* A world with components of all types of parts.h, names and parents. */
covey_world *bare_world(covey_allocator allocator);

/* Stops the program with a reason. */
_Noreturn void bare_stop(const char *why, const char *text);

#endif
