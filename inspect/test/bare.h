/* Asks the endpoints of an inspector without a network: for fuzz targets and long random tests. Needs no cmocka. */
#ifndef COVEY_INSPECT_BARE_H
#define COVEY_INSPECT_BARE_H

#include "parts.h"

#include "../inspector.h"

covey_inspector *bare_open(covey_world *world, const covey_inspect_desc *desc); /* stops the program without memory */
void bare_close(covey_inspector *inspector);

/* Answers a request: `target` is a path and its arguments, "entities?query=Position&limit=3", which are taken as they are; it
 * is changed, and lasts as long as the request. `body` NULL: none. NULL: there is no such endpoint, or the body is no JSON.
 * The answer is checked: it is JSON, or says that it is not. */
inspect__request *bare_ask(covey_inspector *inspector, const char *method, char *target, const char *body,
                           size_t length);

/* A world with some of each of the types of parts.h, with names and parents. */
covey_world *bare_world(covey_allocator allocator);

/* Stops the program with a reason. */
_Noreturn void bare_stop(const char *why, const char *text);

#endif
