/* Command buffers: what is to be changed later, recorded now.
 *
 * A buffer records create, add, set, remove, destroy and calls of functions, and replays them in this order. Recording
 * is allowed while a view is iterated: no component and no living entity changes. Replaying changes the world's
 * structure, and is done by the thread that owns the world.
 *
 *     covey_commands *commands = covey_commands_create(world, NULL);
 *     while (covey_next_row(&it, &row)) {
 *         covey_entity spark = covey_record_create(commands);
 *         covey_record_add(commands, spark, Position, { 1, 2 });
 *         covey_record_destroy(commands, covey_row_entity(&it, row));
 *     }
 *     covey_replay replay = covey_commands_replay(commands);
 *
 * Such a buffer belongs to the thread that owns the world: covey_record_create takes each id from the world. A buffer
 * for another thread keeps ids ready (`.entities`), and recording into it never touches the world. One thread at a
 * time uses a buffer.
 *
 * Each command is done as a whole or not at all. Commands about entities that are not alive when their turn comes are
 * skipped, as is what would add to one that is being destroyed. Recordings that failed are counted, and replaying
 * reports them: it returns COVEY_OK only if all that was asked for was recorded. docs/commands.md says more. */
#ifndef COVEY_COMMANDS_H
#define COVEY_COMMANDS_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_commands covey_commands;

typedef struct covey_commands_desc {
    /* Ids that are kept ready for covey_record_create, so that any thread may record: replaying fills them up again. 0:
     * only the thread that owns the world records creates, and each takes its id from the world. */
    uint32_t entities;
    covey_allocator allocator; /* zero: the world's. Where another thread records, it has to be safe there */
} covey_commands_desc;

/* Makes an empty buffer; NULL for `desc` means all defaults. Returns NULL: MEMORY, FULL. The world ends its buffers
 * when it ends. Takes `.entities` ids as covey_create does; until the buffer gives them back or an entity gets them,
 * nobody else has them. */
COVEY_API covey_commands *covey_commands_create(covey_world *world, const covey_commands_desc *desc);

/* Clears a buffer, gives its ids back to the world and frees it. By the thread that owns the world; NULL is fine. */
COVEY_API void covey_commands_destroy(covey_commands *commands);

/* Makes sure that covey_record_create succeeds so many times from now on, as far as ids are concerned. By the thread
 * that owns the world. All or nothing: MEMORY, FULL; REFUSED while the buffer is replayed, and in a hook. */
COVEY_API covey_result covey_commands_reserve(covey_commands *commands, uint32_t entities);

/* Commands that are recorded and not yet replayed. */
COVEY_API uint32_t covey_commands_count(const covey_commands *commands);

/* Why recording failed last, COVEY_OK when it never did. The world has no part in it. */
COVEY_API covey_result covey_commands_result(const covey_commands *commands);

/* The bytes the buffer has allocated, which are no part of covey_world_memory. */
COVEY_API size_t covey_commands_memory(const covey_commands *commands);

/* Forgets all commands and the recordings that failed: drops values, and calls recorded functions without a world.
 * Entities that were recorded as created never come alive; their indices are ready again, with another generation, or
 * go back to the world if the buffer is without `.entities`. Keeps the memory. May be called by the thread that
 * records. */
COVEY_API void covey_commands_clear(covey_commands *commands);

/* ---- Recording -----------------------------------------------------------------------------------------------------
 *
 * False means that nothing was recorded, and the caller keeps the value: MEMORY; DEAD for the null handle; REFUSED
 * while the buffer is replayed; COPY when the default of the type, for which NULL stands, could not be copied. The
 * next replay reports it, so that a loop need not look at each result. What is wrong with a type shows when it is
 * replayed. */

/* The handle of an entity that comes alive when this is replayed. Other commands, of any buffer, may name it at once.
 * Null: FULL when no id is ready, or, without `.entities`, when the world has none left; MEMORY; REFUSED while the
 * buffer is replayed, and, where the id would come from the world, in a hook. Without `.entities`: by the thread that
 * owns the world, while no other uses it; the id is the one that covey_create would give. */
COVEY_API covey_entity covey_record_create(covey_commands *commands);

#define covey_record_add(commands, e, T, ...)                                                             \
    covey__record((commands), (e), covey_id(T), COVEY__RECORD_ADD, COVEY__EXPECTS_BRACES(T, __VA_ARGS__), \
                  COVEY__SIZE(T), true)
#define covey_record_add_value(commands, e, T, value)                                                   \
    covey__record((commands), (e), covey_id(T), COVEY__RECORD_ADD, COVEY__EXPECTS_POINTER_TO(T, value), \
                  COVEY__SIZE(T), false)
#define covey_record_add_tag(commands, e, T) \
    covey__record((commands), (e), COVEY__EXPECTS_TAG(T), COVEY__RECORD_ADD, NULL, 0, false)
COVEY_HOT bool covey_record_add_raw(covey_commands *commands, covey_entity e, const covey_type *type,
                                    const void *value);

#define covey_record_set(commands, e, T, ...)                                                             \
    covey__record((commands), (e), covey_id(T), COVEY__RECORD_SET, COVEY__EXPECTS_BRACES(T, __VA_ARGS__), \
                  COVEY__SIZE(T), true)
#define covey_record_set_value(commands, e, T, value)                                                   \
    covey__record((commands), (e), covey_id(T), COVEY__RECORD_SET, COVEY__EXPECTS_POINTER_TO(T, value), \
                  COVEY__SIZE(T), false)
#define covey_record_set_tag(commands, e, T) \
    covey__record((commands), (e), COVEY__EXPECTS_TAG(T), COVEY__RECORD_SET, NULL, 0, false)
COVEY_HOT bool covey_record_set_raw(covey_commands *commands, covey_entity e, const covey_type *type,
                                    const void *value);

#define covey_record_remove(commands, e, T) covey_record_remove_raw((commands), (e), covey_id(T))
COVEY_HOT bool covey_record_remove_raw(covey_commands *commands, covey_entity e, const covey_type *type);

COVEY_HOT bool covey_record_destroy(covey_commands *commands, covey_entity e);

/* Records a call of fn(world, data), with a copy of `size` bytes at `data`, aligned for any type of C. A function that
 * returns another result than COVEY_OK has failed: it has changed nothing, and may be called again. Where the command
 * is forgotten instead, the function is called with NULL for the world, so that it may free what the data owns; a
 * function that has succeeded is not called again. */
typedef covey_result covey_command_fn(covey_world *world, void *data);
COVEY_API bool covey_record_call(covey_commands *commands, covey_command_fn *fn, const void *data, size_t size);

/* ---- Replaying ---------------------------------------------------------------------------------------------------*/

typedef struct covey_replay {
    covey_result result;
    uint32_t done,
        skipped;   /* by this call; skipped ones named an entity that was not alive, and their values dropped */
    uint32_t left; /* still in the buffer: the one that failed is the first */
    uint32_t lost; /* recordings that failed since the buffer was last emptied: these commands are nowhere */
} covey_replay;

/* Replays the commands that are there, and stops at the first that fails as its direct call would (PRESENT, MEMORY and
 * so on); removing what is absent does nothing. Called again, it begins with the command that failed. An emptied
 * buffer keeps its memory.
 *
 * When no command is left and recordings had failed, those refused during this call included, the result is why the
 * first of them did, the log has their number and what to do, and counting starts anew. So `.left` tells the two
 * failures apart: not 0, the first command left has failed; 0, everything in the buffer was done, and `.lost` more
 * were never in it.
 *
 * Then takes ids until `.entities` are ready. If the world has not so many (FULL, MEMORY), the result is still
 * COVEY_OK; the next replay tries again, and a covey_record_create that finds none until then fails: FULL.
 *
 * While it lasts, functions and listeners that it calls may record into other buffers and replay others; recording into
 * this one is refused. */
COVEY_API covey_replay covey_commands_replay(covey_commands *commands);

/* Forgets the command that replaying would begin with, as covey_commands_clear does; false when there is none. */
COVEY_API bool covey_commands_skip(covey_commands *commands);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/commands.h>

#endif /* COVEY_COMMANDS_H */
