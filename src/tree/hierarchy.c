/* Parents and children: each entity that has either has a node, in an internal pool. Nodes link to each other by index,
 * so links stay valid when values move. A linked entity is alive, because the drop hook unlinks a node before its value
 * is erased.
 *
 * Nodes do not store their depth: removing a parent would change the depth of all its descendants. */
#include "tree/hierarchy.h"

#include "memory/inner.h"
#include "change/change.h"
#include "tree/name.h"
#include "tree/node.h"
#include "change/pool.h"
#include "memory/result.h"
#include "observe/filing.h"
#include "observe/signal.h"
#include "query/sort.h"
#include "storage/sparse_set.h"
#include "storage/storage_erase.h"

#include <covey/hierarchy.h>
#include <stdalign.h>

static const covey_entity null_entity = { 0, 0 };

/* The node of a handle, or NULL. */
static const covey__node *node_of_entity(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) ? covey__node_of(world, e.index) : NULL;
}

/* ---- Links -------------------------------------------------------------------------------------------------------*/

/* The link to the sibling after `previous` among the children of a parent; the link to the one before `next`. */
static uint32_t *link_after(covey_world *world, covey__node *parent, uint32_t previous) {
    return previous == COVEY_NONE ? &parent->first : &covey__node_of(world, previous)->next;
}

static uint32_t *link_before(covey_world *world, covey__node *parent, uint32_t next) {
    return next == COVEY_NONE ? &parent->last : &covey__node_of(world, next)->previous;
}

/* Unlinks a node from its siblings, if it has a parent. */
static void detach(covey_world *world, covey__node *node) {
    if (node->parent == COVEY_NONE) return;
    covey__node *parent = covey__node_of(world, node->parent);
    *link_after(world, parent, node->previous) = node->next;
    *link_before(world, parent, node->next) = node->previous;
    parent->count--;
    node->parent = node->next = node->previous = COVEY_NONE;
}

/* Links a node without a parent as a child: before another child, or at the end. */
static void attach(covey_world *world, covey__node *node, uint32_t to, uint32_t before) {
    covey__node *parent = covey__node_of(world, to);
    uint32_t *back = link_before(world, parent, before);
    node->parent = to;
    node->next = before;
    node->previous = *back;
    *link_after(world, parent, *back) = node->self;
    *back = node->self;
    parent->count++;
    world->inner->relinked++;
}

/* Makes a child a root. Cannot fail: if another root has its name, the name is removed. */
static void uproot(covey_world *world, covey__node *node) {
    detach(world, node);
    world->inner->relinked++;
    if (covey__name_clashes(world, node->self, COVEY_NONE)) covey__name_remove(world, node->self);
    else covey__name_moved(world, node->self);
}

/* Makes the children roots, in their order, and also the entity if it stays alive. The node then has no links until
 * the pool erases it. */
static void drop_node(void *value, void *context) {
    covey_world *world = context;
    covey__node *node = value;
    while (node->first != COVEY_NONE) uproot(world, covey__node_of(world, node->first));
    if (covey_is_null(covey__handle_of(world, node->self))) detach(world, node);
    else uproot(world, node);
}

/* ---- Making ------------------------------------------------------------------------------------------------------*/

bool covey__hierarchy_open(covey_world *world) {
    if (world->inner->nodes) return true;
    covey_type description = {
        .name = "covey.node",
        .size = sizeof(covey__node),
        .align = alignof(covey__node),
        .drop = drop_node,
        .context = world,
    };
    const covey_type *type = covey__type_make_internal(world, &description);
    if (type) world->inner->nodes = covey__pool_of_internal(world, type);
    return type != NULL;
}

static bool make_node(covey_world *world, covey_entity e) {
    covey__node node = { .self = e.index, .parent = COVEY_NONE, .first = COVEY_NONE, .last = COVEY_NONE };
    node.next = node.previous = COVEY_NONE;
    return covey__node_of(world, e.index) || covey__pool_put(world->inner->nodes, e, &node) == COVEY_OK;
}

static const char *why_no_parent(covey_result result) {
    if (result == COVEY_ERROR_PRESENT) return "a sibling there has its name: rename one of them first";
    if (result == COVEY_ERROR_CYCLE) return "it would be its own ancestor: move the parent out of its tree first";
    return covey__reason(result);
}

static covey_result refuse_parent(covey_world *world, covey_entity child, covey_entity parent, covey_result result) {
    return covey__fail(world, result, "%u:%u could not become a child of %u:%u: %s", child.index, child.generation,
                       parent.index, parent.generation, why_no_parent(result));
}

/* Makes nodes for both, or for neither. */
static covey_result make_both_nodes(covey_world *world, covey_entity child, covey_entity parent) {
    if (!covey__hierarchy_open(world)) return world->inner->result;
    bool known = covey__node_of(world, child.index) != NULL;
    if (make_node(world, child)) {
        if (make_node(world, parent)) return COVEY_OK;
        if (!known) covey__pool_remove(world->inner->nodes, child, sizeof(covey__node));
    }
    return refuse_parent(world, child, parent, COVEY_ERROR_MEMORY);
}

static bool is_above(const covey_world *world, uint32_t ancestor, uint32_t index) {
    do index = covey__parent_of(world, index);
    while (index != COVEY_NONE && index != ancestor);
    return index == ancestor;
}

/* Why a child cannot have this parent. */
static covey_result may_move(const covey_world *world, covey_entity child, covey_entity parent) {
    uint32_t to = covey_is_null(parent) ? COVEY_NONE : parent.index;
    const covey__node *node = covey__node_of(world, child.index);
    if (to == child.index) return COVEY_ERROR_CYCLE;
    if (to != COVEY_NONE && node && node->count != 0 && is_above(world, child.index, to)) return COVEY_ERROR_CYCLE;
    return covey__name_clashes(world, child.index, to) ? COVEY_ERROR_PRESENT : COVEY_OK;
}

covey_result covey_parent_set(covey_world *world, covey_entity child, covey_entity parent) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    bool alive = covey__takes_components(world, child);
    if (!covey_is_null(parent)) alive = alive && covey__takes_components(world, parent);
    covey_result result = alive ? may_move(world, child, parent) : COVEY_ERROR_DEAD;
    if (result != COVEY_OK) return refuse_parent(world, child, parent, result);
    if (!covey_is_null(parent)) result = make_both_nodes(world, child, parent);
    if (result != COVEY_OK) return result;
    covey__node *node = covey__node_of(world, child.index);
    if (!node) return COVEY_OK; /* a root that stays one */
    detach(world, node);
    if (!covey_is_null(parent)) attach(world, node, parent.index, COVEY_NONE);
    covey__name_moved(world, child.index);
    COVEY__CHANGED(world);
    return COVEY_OK;
}

covey_result covey_child_move(covey_world *world, covey_entity child, covey_entity before) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    bool to_end = covey_is_null(before);
    bool alive = covey_alive(world, child) && (to_end || covey_alive(world, before));
    uint32_t parent = alive ? covey__parent_of(world, child.index) : COVEY_NONE;
    covey_result result = !alive ? COVEY_ERROR_DEAD : parent == COVEY_NONE ? COVEY_ERROR_ABSENT : COVEY_OK;
    if (result == COVEY_OK && !to_end && covey__parent_of(world, before.index) != parent) result = COVEY_ERROR_ABSENT;
    if (result != COVEY_OK)
        return covey__fail(world, result, "%u:%u could not be moved among its siblings: %s", child.index,
                           child.generation,
                           result == COVEY_ERROR_ABSENT ? "it has no parent, or the other entity is not its sibling"
                                                        : covey__reason(result));
    if (covey_same(child, before)) return COVEY_OK;
    covey__node *node = covey__node_of(world, child.index);
    detach(world, node);
    attach(world, node, parent, to_end ? COVEY_NONE : before.index);
    COVEY__CHANGED(world);
    return COVEY_OK;
}

bool covey__hierarchy_link(covey_world *world, covey_entity child, covey_entity parent) {
    if (make_both_nodes(world, child, parent) != COVEY_OK) return false;
    attach(world, covey__node_of(world, child.index), parent.index, COVEY_NONE);
    return true;
}

bool covey__hierarchy_prepare(covey_world *world, covey_entity child, covey_entity parent) {
    return make_both_nodes(world, child, parent) == COVEY_OK;
}

void covey__hierarchy_move(covey_world *world, uint32_t child, uint32_t parent) {
    covey__node *node = covey__node_of(world, child);
    detach(world, node);
    if (parent != COVEY_NONE) attach(world, node, parent, COVEY_NONE);
    covey__name_moved(world, child);
}

bool covey__hierarchy_clone(const covey_world *from, covey_world *to) {
    if (!from->inner->nodes) return true;
    if (!covey__hierarchy_open(to)) return false;
    for (uint32_t at = covey_pool_next(from->inner->nodes, 0); at != COVEY_NONE;
         at = covey_pool_next(from->inner->nodes, at + 1)) {
        covey_entity e = covey_pool_at(from->inner->nodes, at);
        if (covey__pool_put(to->inner->nodes, e, covey__value_of_index(from->inner->nodes, e.index)) == COVEY_OK)
            continue;
        for (at = 0; (at = covey_pool_next(to->inner->nodes, at)) != COVEY_NONE;)
            covey__storage_erase(to->inner->nodes, covey_pool_at(to->inner->nodes, at), false);
        covey__fail(to, COVEY_ERROR_MEMORY, "the parents of a world could not be cloned: an allocation failed");
        return false;
    }
    return true;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

covey_entity covey_parent(const covey_world *world, covey_entity e) {
    const covey__node *node = node_of_entity(world, e);
    return node ? covey__handle_of(world, node->parent) : null_entity;
}

uint32_t covey_child_count(const covey_world *world, covey_entity e) {
    const covey__node *node = node_of_entity(world, e);
    return node ? node->count : 0;
}

covey_entity covey_child_first(const covey_world *world, covey_entity e) {
    const covey__node *node = node_of_entity(world, e);
    return node ? covey__handle_of(world, node->first) : null_entity;
}

covey_entity covey_child_last(const covey_world *world, covey_entity e) {
    const covey__node *node = node_of_entity(world, e);
    return node ? covey__handle_of(world, node->last) : null_entity;
}

covey_entity covey_child_next(const covey_world *world, covey_entity child) {
    const covey__node *node = node_of_entity(world, child);
    return node ? covey__handle_of(world, node->next) : null_entity;
}

covey_entity covey_child_previous(const covey_world *world, covey_entity child) {
    const covey__node *node = node_of_entity(world, child);
    return node ? covey__handle_of(world, node->previous) : null_entity;
}

uint32_t covey_depth(const covey_world *world, covey_entity e) {
    uint32_t depth = 0;
    if (!node_of_entity(world, e)) return 0;
    for (uint32_t at = e.index; (at = covey__parent_of(world, at)) != COVEY_NONE;) depth++;
    return depth;
}

bool covey_is_ancestor(const covey_world *world, covey_entity ancestor, covey_entity e) {
    return node_of_entity(world, ancestor) && node_of_entity(world, e) && is_above(world, ancestor.index, e.index);
}

/* ---- Walks -------------------------------------------------------------------------------------------------------*/

/* The next entity in depth-first order; *level is its level below the root. */
static uint32_t next_below(const covey_world *world, uint32_t root, uint32_t at, uint32_t *level) {
    const covey__node *node = covey__node_of(world, at);
    if (node->first != COVEY_NONE) {
        ++*level;
        return node->first;
    }
    for (; at != root && node->parent != COVEY_NONE; at = node->self) {
        if (node->next != COVEY_NONE) return node->next;
        node = covey__node_of(world, node->parent);
        --*level;
    }
    return COVEY_NONE;
}

covey_entity covey_tree_next(const covey_world *world, covey_entity root, covey_entity e) {
    uint32_t level = 0;
    if (!node_of_entity(world, root) || !node_of_entity(world, e)) return null_entity;
    return covey__handle_of(world, next_below(world, root.index, e.index, &level));
}

/* Walks from the roots down: nodes that are not reached are in a cycle. */
bool covey__hierarchy_is_sound(const covey_world *world, uint32_t *depth) {
    const covey_pool *nodes = world->inner->nodes;
    uint32_t reached = 0, level = 0;
    *depth = 0;
    for (uint32_t at = 0; nodes && (at = covey_pool_next(nodes, at)) != COVEY_NONE; at++) {
        uint32_t root = covey_pool_at(nodes, at).index;
        if (covey__parent_of(world, root) != COVEY_NONE) continue;
        for (uint32_t below = root; below != COVEY_NONE; below = next_below(world, root, below, &level)) {
            reached++;
            if (level > *depth) *depth = level;
        }
    }
    return !nodes || reached == covey_pool_count(nodes);
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* The first entity in the order of destruction: a leaf. */
static covey_entity leaf_below(const covey_world *world, covey_entity e) {
    for (covey_entity child = e; !covey_is_null(child); child = covey_child_first(world, e)) e = child;
    return e;
}

/* The next entity to destroy, or null; the search starts at one in the tree. Skips entities whose destruction is being
 * announced. */
static covey_entity next_to_end(const covey_world *world, covey_entity root, covey_entity start) {
    covey_entity e = leaf_below(world, start);
    while (covey__dying_of(world, e.index)) {
        covey_entity next = covey_child_next(world, e);
        if (covey_same(e, root)) return null_entity;
        e = covey_is_null(next) ? covey_parent(world, e) : leaf_below(world, next);
    }
    return e;
}

/* Where the search continues: at the parent of the destroyed entity. Its ancestors are checked only if links have
 * changed meanwhile, because listeners may have moved it out of the tree. */
static covey_entity restart_at(const covey_world *world, covey_entity root, covey_entity above, uint64_t relinked) {
    if (!covey_alive(world, above)) return root;
    return world->inner->relinked == relinked || covey_is_ancestor(world, root, above) ? above : root;
}

uint32_t covey_destroy_tree(covey_world *world, covey_entity root) {
    if (COVEY__IN_HOOK(world)) return 0;
    uint32_t destroyed = 0;
    bool held = world->inner->held;
    covey_entity start = root;
    world->inner->held = true;
    while (covey_alive(world, root)) {
        covey_entity e = next_to_end(world, root, start), above = covey_parent(world, e);
        uint64_t relinked = world->inner->relinked;
        if (covey_is_null(e)) break;
        destroyed += covey_destroy(world, e);
        start = restart_at(world, root, above, relinked);
    }
    world->inner->held = held;
    covey__targets_ended(world);
    return destroyed;
}

/* ---- Sorting -----------------------------------------------------------------------------------------------------*/

#define UNKNOWN UINT64_MAX

/* The place for the depth of an entity that is being sorted; otherwise NULL. */
static uint64_t *depth_at(const covey_pool *pool, uint64_t *depths, uint32_t count, uint32_t index) {
    uint32_t at = covey__has_index(pool, index) ? covey__position_of(pool, index) : COVEY_NONE;
    return at < count ? &depths[at] : NULL;
}

/* Walks up to an ancestor of known depth, and again to store the depths on the way. */
static void find_depth(const covey_pool *pool, uint64_t *depths, uint32_t count, uint32_t index) {
    const covey_world *world = pool->world;
    uint64_t depth = 0, *known = NULL;
    for (uint32_t at = covey__parent_of(world, index); at != COVEY_NONE; at = covey__parent_of(world, at)) {
        depth++;
        known = depth_at(pool, depths, count, at);
        if (known && *known != UNKNOWN) {
            depth += *known;
            break;
        }
    }
    for (uint32_t at = index; at != COVEY_NONE; at = covey__parent_of(world, at), depth--) {
        uint64_t *place = depth_at(pool, depths, count, at);
        if (place && *place != UNKNOWN) return;
        if (place) *place = depth;
    }
}

static void find_depths(const covey_pool *pool, uint64_t *depths, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) depths[i] = UNKNOWN;
    for (uint32_t i = 0; i < count; i++)
        if (depths[i] == UNKNOWN) find_depth(pool, depths, count, covey__index_at(pool, i));
}

covey_result covey_pool_sort_by_depth(covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_sort_by(pool, find_depths);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* The list of children, in both directions. */
static bool valid_children(const covey_world *world, const covey__node *node, const char **why) {
    uint32_t count = 0, previous = COVEY_NONE;
    for (uint32_t at = node->first; at != COVEY_NONE; count++) {
        const covey__node *child = covey__node_of(world, at);
        REQUIRE(child && child->parent == node->self, "hierarchy: a child is in the list of another parent");
        REQUIRE(child->previous == previous, "hierarchy: the list of children is broken backwards");
        previous = at;
        at = child->next;
    }
    REQUIRE(node->last == previous, "hierarchy: node->last is not the last child");
    REQUIRE(node->count == count, "hierarchy: node->count is not the number of children");
    return true;
}

/* Counts a root and its descendants. Their lists of children are valid. */
static uint32_t size_of_tree(const covey_world *world, const covey__node *root) {
    uint32_t count = 1;
    for (const covey__node *node = root;; count++) {
        uint32_t next = node->first;
        for (; next == COVEY_NONE && node != root; node = covey__node_of(world, node->parent)) next = node->next;
        if (next == COVEY_NONE) return count;
        node = covey__node_of(world, next);
    }
}

/* Nodes that no root reaches are in a cycle. */
bool covey__hierarchy_valid(const covey_world *world, const char **why) {
    const covey_pool *pool = world->inner->nodes;
    uint32_t reached = 0;
    if (!pool) return true;
    REQUIRE(strcmp(pool->type->name, "covey.node") == 0 && pool->type->context == world,
            "hierarchy: world->nodes is not the pool of nodes");
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        const covey__node *node = covey_pool_value_at_raw(pool, at);
        bool is_root = node->parent == COVEY_NONE;
        REQUIRE(node->self == covey_pool_at(pool, at).index, "hierarchy: a node belongs to another entity");
        REQUIRE(is_root || covey__node_of(world, node->parent), "hierarchy: a parent has no node");
        REQUIRE(!is_root || (node->next == COVEY_NONE && node->previous == COVEY_NONE),
                "hierarchy: a root has siblings");
        if (!valid_children(world, node, why)) return false;
    }
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        const covey__node *node = covey_pool_value_at_raw(pool, at);
        if (node->parent == COVEY_NONE) reached += size_of_tree(world, node);
    }
    REQUIRE(reached == covey_pool_count(pool), "hierarchy: the links have a cycle");
    return true;
}
