/* Copies entities into another world: first into a hidden world, where they keep their handles, which is then merged.
 * Merging maps handles, and is all or nothing. */
#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/enable.h"
#include "tree/hierarchy.h"
#include "storage/hook.h"
#include "image/image_merge.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/storage.h"
#include "storage/type.h"

#include <covey/hierarchy.h>
#include <stdalign.h>

typedef struct copying {
    const covey_world *from;
    covey_world *aside;
    const covey_world *guarded; /* the world that hooks must not change */
    covey__heap heap;
    void *made; /* memory for the copy that a hook makes */
    size_t room;
    const char *culprit; /* the type that could not be copied, or NULL */
} copying;

/* ---- Components --------------------------------------------------------------------------------------------------*/

static covey_pool *pool_aside(const copying *c, const covey_pool *pool) {
    const covey_type *type = pool->type;
    if (covey__type_is_made(c->from, type)) type = covey_type_create(c->aside, type);
    return type ? covey_pool_of_raw(c->aside, type) : NULL;
}

static bool reserve_copy(copying *c, size_t size) {
    if (size <= c->room) return true;
    covey__free(&c->heap, c->made, c->room, 1, COVEY__ALIGN_MAX);
    c->made = covey__resize(&c->heap, NULL, 0, size, 1, COVEY__ALIGN_MAX);
    c->room = c->made ? size : 0;
    return c->made != NULL;
}

/* Copies a value into the hidden world, with the copy hook of its type there. */
static covey_result copy_value(copying *c, covey_pool *to, covey_entity e, const void *value) {
    const covey_type *type = to->type;
    if (!type->copy) return covey__pool_put(to, e, value);
    if (!reserve_copy(c, type->size)) return COVEY_ERROR_MEMORY;
    if (!covey__copy_value(c->guarded, type, c->made, value)) {
        c->culprit = type->name;
        return COVEY_ERROR_COPY;
    }
    covey_result result = covey__pool_put(to, e, c->made);
    if (result != COVEY_OK) covey__drop(c->guarded, type, c->made);
    return result;
}

static covey_result copy_component(copying *c, const covey_pool *pool, covey_entity e) {
    covey_pool *to = pool_aside(c, pool);
    COVEY__USES(c->from, pool->type, COVEY__ACCESS_READ);
    if (!to) return covey_world_result(c->aside);
    covey_result result = copy_value(c, to, e, covey__value_of_index(pool, e.index));
    if (result != COVEY_OK || !covey__component_is_disabled(pool, e.index)) return result;
    return covey_component_disable_raw(c->aside, e, to->type);
}

static covey_result copy_components(copying *c, covey_entity e) {
    covey_result result = COVEY_OK;
    for (covey__present p = covey__present_at(c->from, e.index, 0); covey__present_next(&p) && result == COVEY_OK;)
        if (!covey__is_internal(p.pool) && covey__has_index(p.pool, e.index)) result = copy_component(c, p.pool, e);
    if (result == COVEY_OK && !covey_is_enabled(c->from, e)) result = covey_disable(c->aside, e);
    return result;
}

/* Called before any hook: whether all components of an entity can be copied. */
static covey_result check_copyable(copying *c, covey_entity e) {
    for (covey__present p = covey__present_at(c->from, e.index, 0); covey__present_next(&p);) {
        if (covey__is_internal(p.pool) || !covey__has_index(p.pool, e.index)) continue;
        c->culprit = p.pool->type->name;
        if (p.pool->type->move) return COVEY_ERROR_REFUSED;
        if (!covey__type_can_copy(p.pool->type)) return COVEY_ERROR_COPY;
    }
    c->culprit = NULL;
    return COVEY_OK;
}

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

static covey_result copy_entity(copying *c, covey_entity e) {
    if (!covey_create_exact(c->aside, &e, 1, COVEY_EXACT_NEW)) return covey_world_result(c->aside);
    return copy_components(c, e);
}

/* The next entity to copy: in the tree below `root`, or none. */
static covey_entity next_to_copy(const copying *c, covey_entity root, covey_entity e, bool tree) {
    return tree ? covey_tree_next(c->from, root, e) : (covey_entity){ 0, 0 };
}

static covey_result place_in_tree(const copying *c, covey_entity root, covey_entity e) {
    const char *name = covey_name(c->from, e);
    if (!covey_same(e, root) && !covey__hierarchy_link(c->aside, e, covey_parent(c->from, e)))
        return COVEY_ERROR_MEMORY;
    return name ? covey_name_set(c->aside, e, name) : COVEY_OK;
}

static covey_result copy_aside(copying *c, covey_entity root, bool tree) {
    covey_result result = covey_alive(c->from, root) ? COVEY_OK : COVEY_ERROR_DEAD;
    covey_entity e = root;
    for (; !covey_is_null(e) && result == COVEY_OK; e = next_to_copy(c, root, e, tree)) result = check_copyable(c, e);
    for (e = root; !covey_is_null(e) && result == COVEY_OK; e = next_to_copy(c, root, e, tree)) {
        result = copy_entity(c, e);
        if (result == COVEY_OK && tree) result = place_in_tree(c, root, e);
    }
    covey__free(&c->heap, c->made, c->room, 1, COVEY__ALIGN_MAX);
    return result;
}

/* ---- The calls ---------------------------------------------------------------------------------------------------*/

static covey_entity clone_into(covey_world *to, const covey_world *from, covey_entity root,
                               const covey_clone_desc *desc, bool tree) {
    static const covey_clone_desc defaults = { 0 };
    COVEY__CONTRACT(NULL, to && from, "a call needs two worlds");
    if (COVEY__IN_HOOK(to)) return (covey_entity){ 0, 0 };
    if (!desc) desc = &defaults;
    covey_load_desc hears = { .merged = desc->cloned, .merged_context = desc->cloned_context };
    covey__merging m = { .to = to,
                         .from = covey__merging_world(to),
                         .desc = &hears,
                         .heap = { to->inner->heap.allocator, 0, NULL },
                         .is_whole = true,
                         .keeps_outside = desc->keep_outside };
    copying c = { .from = from, .aside = m.from, .guarded = to, .heap = { to->inner->heap.allocator, 0, NULL } };
    covey_entity made = { 0, 0 };
    covey_result result = m.from ? copy_aside(&c, root, tree) : COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) result = covey__merge_world(&m);
    if (result == COVEY_OK) made = covey__merging_now(&m, root);
    if (m.culprit) c.culprit = m.culprit; /* a type with a move hook in that world */
    if (m.from) covey__merging_free(&m);
    if (result != COVEY_OK)
        covey__fail(to, result, "%u:%u could not be copied into another world: %s%s%s", root.index, root.generation,
                    c.culprit ? c.culprit : "", c.culprit ? ": " : "",
                    result == COVEY_ERROR_REFUSED ? "a hook moves its values; copy within a world with covey_clone"
                                                  : covey__reason(result));
    COVEY__CHANGED(to);
    return made;
}

covey_entity covey_clone_into(covey_world *to, const covey_world *from, covey_entity e, const covey_clone_desc *desc) {
    return clone_into(to, from, e, desc, false);
}

covey_entity covey_clone_tree_into(covey_world *to, const covey_world *from, covey_entity root,
                                   const covey_clone_desc *desc) {
    return clone_into(to, from, root, desc, true);
}
