/* Worlds with kinds, and random programs of which only the handles of new entities are of interest: worlds with the
 * same state give the same ones. */
#ifndef COVEY_TEST_CHURN_H
#define COVEY_TEST_CHURN_H

#include "tools.h"

#include <covey/covey.h>

COVEY_TAG_DECLARE(ChurnA);
COVEY_TAG_DECLARE(ChurnB);
COVEY_TAG_DECLARE(ChurnC);
COVEY_TAG_DECLARE(ChurnD);
enum { CHURN_TYPES = 4 };
extern const covey_type *const churn_types[CHURN_TYPES + 1]; /* ended by NULL */

/* Creates `count` entities that have the types of a mask. False when memory is out. */
bool churn_create(covey_world *world, covey_entity *entities, uint32_t count, uint32_t mask);
/* Creates with and without types, one and many, and destroys. Returns a number for all handles that it got, in their
 * order. There are about `most` entities. */
uint64_t churn(covey_world *world, uint64_t seed, uint32_t steps, uint32_t most);
/* Two kinds with free indices, one with several extents, and candidates, in every configuration. False when memory is
 * out. */
bool churn_fill(covey_world *world);

#endif
