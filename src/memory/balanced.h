/* Balanced trees (AA trees) whose nodes are numbers: whatever order they come in, a search takes O(log n) steps. Nobody
 * has to guess a key that others do not know, and what is found never depends on one. */
#ifndef COVEY_BALANCED_H
#define COVEY_BALANCED_H

#include <covey/covey.h>

/* What a tree is made of. The module that owns the nodes compares them, and searches on its own: the root and links lead
 * to smaller nodes on the left and to larger ones on the right, or to COVEY__NO_NODE. */
typedef struct covey__tree {
    covey__links *(*links)(const void *context, uint32_t node);
    bool (*is_before)(const void *context, uint32_t a, uint32_t b); /* a total order: no two nodes are equal in it */
    const void *context;
} covey__tree;

uint32_t covey__tree_put_below(const covey__tree *tree, uint32_t root, uint32_t node);
uint32_t covey__tree_take_below(const covey__tree *tree, uint32_t root, uint32_t node);

/* Puts a node into a tree, or takes one out that is there; both return the new root, and write links only. Inline as far
 * as trees of one or two nodes go, which most buckets of a table are. */
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

/* Whether the nodes are in order and balanced. *count grows by how many there are; a tree with more than `most` has
 * links that go round in circles. `exists` says of which nodes links may be asked. */
bool covey__tree_valid(const covey__tree *tree, uint32_t root, bool (*exists)(const void *context, uint32_t node),
                       uint32_t most, uint32_t *count);

#endif
