/* Balanced trees (AA trees) whose nodes are numbers. A search takes O(log n) steps for every order of insertion, so no
 * input can make it slow, and no secret hash key is needed. */
#ifndef COVEY_BALANCED_H
#define COVEY_BALANCED_H

#include <covey/covey.h>

/* How a tree accesses its nodes. The module that owns the nodes compares them, and does its own searches: smaller nodes
 * are on the left, larger ones on the right, and COVEY__NO_NODE ends a path. */
typedef struct covey__tree {
    covey__links *(*links)(const void *context, uint32_t node);
    bool (*is_before)(const void *context, uint32_t a, uint32_t b); /* a total order: no two nodes are equal in it */
    const void *context;
} covey__tree;

uint32_t covey__tree_put_below(const covey__tree *tree, uint32_t root, uint32_t node);
uint32_t covey__tree_take_below(const covey__tree *tree, uint32_t root, uint32_t node);

/* Inserts a node, or removes one that is in the tree. Both return the new root, and write only links. Trees of one or
 * two nodes are handled inline: most buckets of a hash table are so small. */
static inline uint32_t covey__tree_put(const covey__tree *tree, uint32_t root, uint32_t node) {
    covey__links *links = tree->links(tree->context, node);
    covey__links *above = root != COVEY__NO_NODE ? tree->links(tree->context, root) : NULL;
    if (above && (above->level != 1 || above->right != COVEY__NO_NODE)) return covey__tree_put_below(tree, root, node);
    links->left = links->right = COVEY__NO_NODE;
    links->level = 1;
    if (!above) return node;
    if (tree->is_before(tree->context, node, root)) {
        links->right = root;
        return node;
    }
    above->right = node;
    return root;
}

static inline uint32_t covey__tree_take(const covey__tree *tree, uint32_t root, uint32_t node) {
    covey__links *above = tree->links(tree->context, root);
    if (above->level != 1) return covey__tree_take_below(tree, root, node);
    if (root == node) return above->right;
    above->right = COVEY__NO_NODE;
    return root;
}

/* Whether the nodes are in order and balanced. Adds their number to *count; a tree with more than `most` nodes has a
 * cycle. `exists` returns whether a node exists, so that its links may be read. */
bool covey__tree_valid(const covey__tree *tree, uint32_t root, bool (*exists)(const void *context, uint32_t node),
                       uint32_t most, uint32_t *count);

#endif
