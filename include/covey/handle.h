/* Covey, optional: an entity together with its world, for code that does not need the world otherwise. The verbs are
 * those of covey.h, sections 6 and 7, at the same cost.
 *
 *     covey_handle ship = covey_handle_create(world);
 *     covey_handle_add(ship, Position, { 1, 2 });
 *     covey_handle_get(ship, Position)->x += 1;
 *     covey_handle_destroy(ship);
 *
 * A handle is a value: it owns nothing, and is stale when its entity is destroyed. It must not outlive its world.
 * Zeroed memory holds null handles: covey_handle_alive returns false for them; the other calls need a world. */
#ifndef COVEY_HANDLE_H
#define COVEY_HANDLE_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_handle {
    covey_world *world;
    covey_entity entity;
} covey_handle;

COVEY_INLINE covey_handle covey_handle_make(covey_world *world, covey_entity e) {
    covey_handle handle = { world, e };
    return handle;
}

/* Makes an entity without components. The entity is null when indices or memory run out. */
COVEY_INLINE covey_handle covey_handle_create(covey_world *world) {
    return covey_handle_make(world, covey_create(world));
}

COVEY_INLINE bool covey_handle_same(covey_handle a, covey_handle b) {
    return a.world == b.world && covey_same(a.entity, b.entity);
}
COVEY_INLINE bool covey_handle_alive(covey_handle handle) {
    return handle.world && covey_alive(handle.world, handle.entity);
}
COVEY_INLINE bool covey_handle_destroy(covey_handle handle) { return covey_destroy(handle.world, handle.entity); }
COVEY_INLINE bool covey_handle_is_empty(covey_handle handle) { return covey_is_empty(handle.world, handle.entity); }

/* Makes an entity with copies of all components. The entity is null when that fails, as covey_clone does. */
COVEY_INLINE covey_handle covey_handle_clone(covey_handle handle) {
    covey_handle clone = { handle.world, { 0, 0 } };
    (void)covey_clone(handle.world, handle.entity, &clone.entity, 1);
    return clone;
}

#define covey_handle_add(handle, T, ...) \
    ((T *)covey__handle_add((handle), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_handle_add_value(handle, T, value) \
    ((T *)covey__handle_add((handle), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_handle_add_tag(handle, T) covey__handle_add_tag((handle), COVEY__EXPECTS_TAG(T))
#define covey_handle_set(handle, T, ...) \
    ((T *)covey__handle_set((handle), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_handle_set_value(handle, T, value) \
    ((T *)covey__handle_set((handle), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_handle_set_tag(handle, T) covey__handle_set_tag((handle), COVEY__EXPECTS_TAG(T))
#define covey_handle_replace(handle, T, value) \
    covey__handle_replace((handle), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
#define covey_handle_get(handle, T) ((T *)covey__handle_get((handle), covey_id(T), COVEY__SIZE(T)))
#define covey_handle_get_or_add(handle, T, ...) \
    ((T *)covey__handle_get_or_add((handle), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T)))
#define covey_handle_patch(handle, T, change, context) \
    ((T *)covey__handle_patch((handle), covey_id(T), (change), (context)))
#define covey_handle_patch_or_add(handle, T, change, context) \
    ((T *)covey__handle_patch_or_add((handle), covey_id(T), (change), (context)))
#define covey_handle_has(handle, T) covey__handle_has((handle), covey_id(T))
#define covey_handle_has_all(handle, ...) \
    covey__handle_has_all((handle), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
#define covey_handle_has_any(handle, ...) \
    covey__handle_has_any((handle), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
#define covey_handle_remove(handle, T) covey__handle_remove((handle), covey_id(T), COVEY__SIZE(T))
#define covey_handle_take(handle, T, value) \
    covey__handle_take((handle), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/handle.h>

#endif /* COVEY_HANDLE_H */
