/* Places for components that entities lack; of one entity where an add would put it, or, if they are appended, of
 * many. MEMORY, FULL, PRESENT: then nothing has changed. */
#ifndef COVEY_ROOM_H
#define COVEY_ROOM_H

#include <covey/covey.h>

covey_result covey__room_make(covey_pool *pool, const covey_entity *to, uint32_t count, bool append);
void covey__room_forget(covey_pool *pool, const covey_entity *to, uint32_t count, bool append);
/* Where a value goes; in the order in which room was made for them. Who watches hears of it when all are there. */
void *covey__room_take(covey_pool *pool, covey_entity e, bool append);

#endif
