/* Disabled components: a bit for each index. */
#ifndef COVEY_ENABLE_H
#define COVEY_ENABLE_H

#include <covey/covey.h>

uint64_t *covey__disabled_reach(covey_pool *pool, uint32_t index); /* the page of bits; NULL when an allocation fails */

bool covey__disabled_valid(const covey_world *world, const char **why);

#endif
