/* Calls functions of the program that must not change the world: `drop`, `copy` and `move` hooks, and functions that
 * choose or change values. At assertion level 1 the world counts the calls under way, and structural changes are
 * refused while there are any: COVEY__IN_HOOK.
 *
 * Several threads may set values at the same time, and so be in hooks at the same time: one counter is for all threads.
 * While systems run, they count as one hook, so that changes by their threads are refused as well. */
#ifndef COVEY_HOOK_H
#define COVEY_HOOK_H

#include "memory/inner.h"
#include "memory/result.h"

#if COVEY_ASSERT_LEVEL >= 1
/* The hook that was under way before, to be restored; hooks nest. The names are for messages. */
typedef struct covey__hook {
    covey_world *world;
    const char *outer_hook;
    const covey_type *outer_type;
} covey__hook;

static inline covey__hook covey__hook_begin(const covey_world *of, const char *hook, const covey_type *type) {
    covey_world *world = (covey_world *)(uintptr_t)of;
    covey__hook begun = { world, COVEY__GET_WORD(world->inner->hook), COVEY__GET_WORD(world->inner->hook_type) };
    COVEY__ADD_WORD(world->hooks, 1u);
    COVEY__PUT_WORD(world->inner->hook, hook);
    COVEY__PUT_WORD(world->inner->hook_type, type);
    return begun;
}

static inline void covey__hook_end(covey__hook begun) {
    COVEY__PUT_WORD(begun.world->inner->hook, begun.outer_hook);
    COVEY__PUT_WORD(begun.world->inner->hook_type, begun.outer_type);
    COVEY__ADD_WORD(begun.world->hooks, UINT32_MAX);
}
#else
typedef char covey__hook;
static inline covey__hook covey__hook_begin(const covey_world *of, const char *hook, const covey_type *type) {
    (void)of, (void)hook, (void)type;
    return 0;
}
static inline void covey__hook_end(covey__hook begun) { (void)begun; }
#endif

/* Drops a value, if its type has a drop hook. */
static inline void covey__drop(const covey_world *world, const covey_type *type, void *value) {
    if (!type->drop) return;
    covey__hook hook = covey__hook_begin(world, "drop hook", type);
    type->drop(value, type->context);
    covey__hook_end(hook);
}

/* Calls a function of the program that changes a value. NULL changes nothing. */
static inline void covey__change_value(const covey_pool *pool, covey_change_fn *change, void *value, void *context) {
    if (!change) return;
    covey__hook hook = covey__hook_begin(pool->world, "covey_patch function", pool->type);
    change(value, context);
    covey__hook_end(hook);
}

/* How values of a type are moved. */
static inline covey__mover covey__mover_of(const covey_world *world, const covey_type *type) {
    return (covey__mover){ type->move ? type : NULL, world };
}

/* Moves a value by the hook of its type. */
static inline void covey__move_value(const covey__mover *mover, void *to, void *from) {
    covey__hook hook = covey__hook_begin(mover->world, "move hook", mover->type);
    mover->type->move(to, from, mover->type->context);
    covey__hook_end(hook);
}

/* Copies a value with the copy hook of its type, which must have one. */
static inline bool covey__copy_value(const covey_world *world, const covey_type *type, void *to, const void *from) {
    covey__hook hook = covey__hook_begin(world, "copy hook", type);
    bool copied = type->copy(to, from, type->context);
    covey__hook_end(hook);
    return copied;
}

#endif
