/* Command buffers: what clones, histories, schedules and the validator need to know of them. */
#ifndef COVEY_INTERNAL_COMMANDS_H
#define COVEY_INTERNAL_COMMANDS_H

#include <covey/commands.h>
#include <covey/covey.h>

bool covey__commands_valid(const covey_commands *commands,
                           const char **why); /* except whether its ids are set aside in the table */
/* Records a call, as covey_record_call does, whose data the caller writes to the address that is returned. It is a
 * multiple of 8, and the same modulo 64 when the function is called. NULL: it was not recorded. */
void *covey__record_data(covey_commands *commands, covey_command_fn *fn, size_t size);

/* Ids that buffers have set aside. In a clone of the world there are no buffers, so the ids become free. */
bool covey__commands_hold_ids(const covey_world *world); /* whether any buffer has set ids aside */
void covey__commands_leave_clone(const covey_world *world, covey_world *clone);

/* Replaces the ids of a buffer that has recorded no entity; the first `spent` are used up. The buffer has room for
 * them. The second function frees such ids, as the destruction of a buffer does. */
void covey__commands_set_ids(covey_commands *commands, const covey_entity *ids, uint32_t spent, uint32_t count);
void covey__commands_free_ids(covey_world *world, const covey_entity *ids, uint32_t spent, uint32_t count);

/* Called before the buffer is used, for a thread that may not take ids from the world: without ready ids, creates
 * fail. */
void covey__commands_keep_apart(covey_commands *commands);

/* Sets ids aside until `.entities` are ready, as a replay does. After FULL or MEMORY, keeps those that it got. */
covey_result covey__commands_refill(covey_commands *commands);

/* Validates all buffers of a world. `set_aside` is the sum of the fingerprints of all indices that are set aside: each
 * must be an id of one buffer. */
bool covey__commands_all_valid(const covey_world *world, uint64_t set_aside, const char **why);

#endif
