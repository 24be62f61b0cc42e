/* Covey, optional: command buffers, which record structural changes now and make them later.
 *
 * A buffer records create, add, set, remove, destroy and function calls, and replays them in this order. Recording is
 * allowed while a view is iterated: it changes no component and no living entity. Replaying makes structural changes,
 * and is done by the thread that owns the world.
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
 * for another thread keeps ids ready (`.entities`), and recording into it never accesses the world. One thread at a
 * time uses a buffer.
 *
 * Each command is done completely or not at all. Replaying skips commands for entities that are not alive at that
 * point, and adds to entities that are being destroyed. Recordings that fail are counted, and replaying reports them:
 * it returns COVEY_OK only if everything was recorded. See docs/commands.md. */
#ifndef COVEY_COMMANDS_H
#define COVEY_COMMANDS_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_commands covey_commands;

typedef struct covey_commands_desc {
    /* Ids to keep ready for covey_record_create, so that any thread may record; replaying refills them. 0: only the
     * thread that owns the world records creates, and each takes its id from the world. */
    uint32_t entities;
    /* The types that created entities will get, if they are known: their ids are then beside those of other entities
     * with these types, as for covey_create_for. */
    const covey_type *with[COVEY_TERMS];
    covey_allocator allocator; /* zero: the world's. If another thread records, it must be safe to call there */
} covey_commands_desc;

/* Makes an empty buffer. NULL for `desc` means all defaults. Returns NULL on failure: MEMORY, FULL. The world destroys
 * its buffers when it ends. Takes `.entities` ids as covey_create does; they are reserved until the buffer returns them
 * or an entity gets them. */
COVEY_NODISCARD COVEY_API covey_commands *covey_commands_create(covey_world *world, const covey_commands_desc *desc);

/* Clears a buffer, returns its ids to the world and frees it. Only the thread that owns the world. NULL is allowed. */
COVEY_API void covey_commands_destroy(covey_commands *commands);

/* Prepares ids so that covey_record_create can succeed this many times. Only the thread that owns the world. All or
 * nothing: MEMORY, FULL; REFUSED while the buffer is replayed, and in a hook. */
COVEY_API covey_result covey_commands_reserve(covey_commands *commands, uint32_t entities);

/* How many commands are recorded and not yet replayed. */
COVEY_API uint32_t covey_commands_count(const covey_commands *commands);

/* Why the last failed recording failed; COVEY_OK if none did. Does not affect the world's result. */
COVEY_API covey_result covey_commands_result(const covey_commands *commands);

/* The bytes that the buffer has allocated. They are not part of covey_world_memory. */
COVEY_API size_t covey_commands_memory(const covey_commands *commands);

/* Discards all commands and the count of failed recordings: drops values, and calls recorded functions without a world.
 * Entities that were recorded as created never become alive; their indices are ready again, with another generation, or
 * return to the world if the buffer has no `.entities`. Keeps the memory. The thread that records may call this. */
COVEY_API void covey_commands_clear(covey_commands *commands);

/* ---- Recording -----------------------------------------------------------------------------------------------------
 *
 * On failure these return false, record nothing, and the caller keeps the value: MEMORY; DEAD for the null handle;
 * REFUSED while the buffer is replayed, and for types with a `move` hook, because a buffer moves bytes (record a
 * function that adds the value instead); COPY when the value is NULL and the default of the type cannot be copied. The
 * next replay reports failed recordings, so a loop need not check each result. Other errors appear when the command is
 * replayed. */

/* The handle of an entity that becomes alive when this is replayed. Commands of any buffer may use it at once. Returns
 * null on failure: FULL when no id is ready, or, without `.entities`, when the world has none left; MEMORY; REFUSED
 * while the buffer is replayed, and, if the id would come from the world, in a hook. Without `.entities`: only the
 * thread that owns the world, while no other uses it; the id is the one that covey_create would return. */
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

/* Records a call of fn(world, data), with a copy of `size` bytes at `data`, aligned for any C type. If the function
 * returns a result other than COVEY_OK, it must have changed nothing, and may be called again. If the command is
 * discarded instead, the function is called with NULL for the world, so that it can free what the data owns; not after
 * it has succeeded. */
typedef covey_result covey_command_fn(covey_world *world, void *data);
COVEY_API bool covey_record_call(covey_commands *commands, covey_command_fn *fn, const void *data, size_t size);

/* ---- Replaying ---------------------------------------------------------------------------------------------------*/

typedef struct covey_replay {
    covey_result result;
    /* By this call; a skipped command named an entity that was not alive, and its value was dropped. */
    uint32_t done, skipped;
    uint32_t left; /* still in the buffer; the first of them failed */
    uint32_t lost; /* recordings that failed since the buffer was last emptied; these commands were never in it */
} covey_replay;

/* Replays the commands, and stops at the first that fails as its direct call would (PRESENT, MEMORY and so on).
 * Removing an absent component does nothing. Called again, it begins with the command that failed. An emptied buffer
 * keeps its memory.
 *
 * If no command is left and recordings had failed, including those refused during this call, the result is the reason
 * of the first of them, the log has their number and what to do, and counting restarts. So `.left` tells the two
 * failures apart: if it is not 0, the first remaining command failed; if it is 0, everything in the buffer was done,
 * and `.lost` more were never in it.
 *
 * Then takes ids until `.entities` are ready. If the world does not have enough (FULL, MEMORY), the result is still
 * COVEY_OK; the next replay tries again, and until then covey_record_create fails when none is left: FULL.
 *
 * Functions and listeners that it calls may record into other buffers and replay others; recording into this one is
 * refused. */
COVEY_API covey_replay covey_commands_replay(covey_commands *commands);

/* Discards the command that replaying would begin with, as covey_commands_clear does; false when there is none. */
COVEY_API bool covey_commands_skip(covey_commands *commands);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/commands.h>

#endif /* COVEY_COMMANDS_H */
