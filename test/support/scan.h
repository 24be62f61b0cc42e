/* Lookups, held against a scan of all components of their type. */
#ifndef COVEY_TEST_SCAN_H
#define COVEY_TEST_SCAN_H

#include "support.h"

#include <covey/fields.h>
#include <covey/lookup.h>

/* A lookup of a field. */
typedef struct scan {
    covey_world *world;
    covey_lookup *lookup;
    covey_kind kind;
    uint32_t offset, size; /* of the field; of a text: its bytes, otherwise 0 */
    bool ordered;
} scan;

/* Makes a lookup. `size` is that of a text, otherwise 0. */
scan scan_create(covey_world *world, covey_lookup_desc desc, covey_kind kind, size_t offset, size_t size);

/* All answers are those of the scan: each value that there is, alone, in ranges and counted, and the order. */
void assert_scanned(const scan *of);
/* The entities that a search finds, of which there are at most SCAN_MOST. */
enum { SCAN_MOST = 4096 };
typedef struct found {
    uint32_t count;
    covey_entity e[SCAN_MOST];
} found;
const found *find_all(covey_search search);
void assert_found(covey_search search, const covey_entity *wanted, uint32_t count);

#endif
