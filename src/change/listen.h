/* Connecting listeners, and ending connections. */
#ifndef COVEY_LISTEN_H
#define COVEY_LISTEN_H

#include "observe/listeners.h"

#include <covey/covey.h>

#define COVEY__COMPONENT_SIGNALS ((uint32_t)(COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_PATCH | COVEY_ON_REMOVE))

bool covey__listen(covey_world *world, covey_pool *pool, const covey__listener *listener); /* false: no memory */
void covey__unlisten(covey_world *world, covey_pool *pool, uint64_t number);
void covey__listen_no_more(covey_world *world, covey_pool *pool); /* ends all connections of a pool, or to entities */

#endif
