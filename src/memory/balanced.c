/* Balanced trees (AA trees). The level of a leaf is 1. A left child is one level below its parent; a right child is on
 * the same level or one below, and its own right child is below the parent's level. Two rotations, skew and split, keep
 * this invariant. */
#include "memory/balanced.h"

static covey__links *links_of(const covey__tree *tree, uint32_t node) { return tree->links(tree->context, node); }

static uint16_t level_of(const covey__tree *tree, uint32_t node) {
    return node == COVEY__NO_NODE ? 0 : links_of(tree, node)->level;
}

/* Rotates right: a left child on the same level becomes the parent. */
static uint32_t skew(const covey__tree *tree, uint32_t node) {
    if (node == COVEY__NO_NODE) return node;
    covey__links *links = links_of(tree, node);
    uint32_t left = links->left;
    if (left == COVEY__NO_NODE || links_of(tree, left)->level != links->level) return node;
    covey__links *above = links_of(tree, left);
    links->left = above->right;
    above->right = node;
    return left;
}

/* Rotates left: of three nodes on the same level, the middle one becomes the parent. */
static uint32_t split(const covey__tree *tree, uint32_t node) {
    covey__links *links = links_of(tree, node);
    uint32_t right = links->right;
    if (right == COVEY__NO_NODE) return node;
    covey__links *above = links_of(tree, right);
    if (level_of(tree, above->right) != links->level) return node;
    links->right = above->left;
    above->left = node;
    above->level++;
    return right;
}

uint32_t covey__tree_put_below(const covey__tree *tree, uint32_t root, uint32_t node) {
    covey__links *links = links_of(tree, root);
    uint32_t *side = tree->is_before(tree->context, node, root) ? &links->left : &links->right;
    *side = covey__tree_put(tree, *side, node);
    return split(tree, skew(tree, root));
}

/* Restores the invariant after a node below was removed: lowers levels, then rotates. The node was above level 1, so
 * there is a node on its right in each step. */
static uint32_t rebalance(const covey__tree *tree, uint32_t node) {
    covey__links *links = links_of(tree, node);
    uint16_t left = level_of(tree, links->left), right = level_of(tree, links->right);
    uint16_t level = (uint16_t)((left < right ? left : right) + 1);
    if (level >= links->level) return node;
    links->level = level;
    if (right > level) links_of(tree, links->right)->level = level;
    node = skew(tree, node);
    links = links_of(tree, node);
    links->right = skew(tree, links->right);
    covey__links *next = links_of(tree, links->right);
    next->right = skew(tree, next->right);
    node = split(tree, node);
    links = links_of(tree, node);
    links->right = split(tree, links->right);
    return node;
}

/* Its predecessor takes the place of a root, which is above level 1 and so has two children. */
static uint32_t take_root(const covey__tree *tree, uint32_t root) {
    covey__links links = *links_of(tree, root);
    uint32_t heir = links.left;
    for (uint32_t next; (next = links_of(tree, heir)->right) != COVEY__NO_NODE;) heir = next;
    links.left = covey__tree_take(tree, links.left, heir);
    covey__links *inherited = links_of(tree, heir);
    inherited->left = links.left;
    inherited->right = links.right;
    inherited->level = links.level;
    return rebalance(tree, heir);
}

uint32_t covey__tree_take_below(const covey__tree *tree, uint32_t root, uint32_t node) {
    if (root == node) return take_root(tree, root);
    covey__links *links = links_of(tree, root);
    uint32_t *side = tree->is_before(tree->context, node, root) ? &links->left : &links->right;
    *side = covey__tree_take(tree, *side, node);
    return rebalance(tree, root);
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

typedef struct walk {
    const covey__tree *tree;
    bool (*exists)(const void *context, uint32_t node);
    uint32_t most, count;
    uint32_t last; /* the node before, in order */
} walk;

/* Checks a node that should be on this level; `is_turned`: on the level of its parent. Levels bound the recursion, even
 * if links form a cycle. */
static bool is_sound(walk *w, uint32_t node, uint32_t level, bool is_turned) {
    if (node == COVEY__NO_NODE) return level == 0;
    if (w->count++ >= w->most || !w->exists(w->tree->context, node)) return false;
    const covey__links *links = links_of(w->tree, node);
    if (links->level == 0 || links->level != level) return false;
    bool turned = links->right != COVEY__NO_NODE && w->exists(w->tree->context, links->right) &&
                  links_of(w->tree, links->right)->level == level;
    if ((turned && is_turned) || !is_sound(w, links->left, level - 1, false)) return false;
    if (w->last != COVEY__NO_NODE && !w->tree->is_before(w->tree->context, w->last, node)) return false;
    w->last = node;
    return is_sound(w, links->right, turned ? level : level - 1, turned);
}

bool covey__tree_valid(const covey__tree *tree, uint32_t root, bool (*exists)(const void *context, uint32_t node),
                       uint32_t most, uint32_t *count) {
    walk w = { .tree = tree, .exists = exists, .most = most, .last = COVEY__NO_NODE };
    if (root == COVEY__NO_NODE) return true;
    if (!exists(tree->context, root) || !is_sound(&w, root, links_of(tree, root)->level, false)) return false;
    *count += w.count;
    return true;
}
