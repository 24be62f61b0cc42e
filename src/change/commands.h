/* Command buffers: what clones, histories, schedules and the validator need to know of them. */
#ifndef COVEY_INTERNAL_COMMANDS_H
#define COVEY_INTERNAL_COMMANDS_H

#include <covey/commands.h>
#include <covey/covey.h>

bool covey__commands_valid(const covey_commands *commands, const char **why); /* but for whose its ids are */
/* In a clone of a world, nobody has the ids that buffers of the world have set aside: they become free. */
bool covey__commands_hold_ids(const covey_world *world); /* whether any buffer has set ids aside */
void covey__commands_leave_clone(const covey_world *world, covey_world *clone);

/* Other ids for a buffer that has recorded no entity: first those that are used up. There is room for them. Or they
 * become free, as when a buffer ends. */
void covey__commands_set_ids(covey_commands *commands, const covey_entity *ids, uint32_t spent, uint32_t count);
void covey__commands_free_ids(covey_world *world, const covey_entity *ids, uint32_t spent, uint32_t count);

/* For a thread that may not take ids from the world: a buffer that keeps none ready does not create. Before it is used. */
void covey__commands_keep_apart(covey_commands *commands);

/* Sets ids aside until `.entities` are ready, as a replay does. FULL, MEMORY: keeps those it got. */
covey_result covey__commands_refill(covey_commands *commands);

/* All buffers of a world; every index that is set aside, of which this is the sum of fingerprints, is an id of one. */
bool covey__commands_all_valid(const covey_world *world, uint64_t set_aside, const char **why);

#endif
