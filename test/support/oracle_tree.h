/* The naive twin of hierarchies and names: one list of all that have a parent or a name, searched from end to end.
 * Siblings are in the order in which the list has them. */
#ifndef COVEY_TEST_ORACLE_TREE_H
#define COVEY_TEST_ORACLE_TREE_H

#include "oracle.h"

enum { ORACLE_NAME = 16 };

typedef struct oracle_kin {
    covey_entity e, parent;
    char name[ORACLE_NAME]; /* "" for none */
} oracle_kin;

typedef struct oracle_tree {
    oracle_kin *kin;
    uint32_t count, capacity;
} oracle_tree;

void oracle_tree_free(oracle_tree *tree);
void oracle_tree_clear(oracle_tree *tree);
void oracle_tree_destroy(oracle_tree *tree, covey_entity e); /* its children become roots */

covey_entity oracle_parent(const oracle_tree *tree, covey_entity e);
const char *oracle_name(const oracle_tree *tree, covey_entity e); /* "" for none */
/* Child number `number` of an entity, or null. */
covey_entity oracle_child(const oracle_tree *tree, covey_entity parent, uint32_t number);
uint32_t oracle_child_count(const oracle_tree *tree, covey_entity parent);
uint32_t oracle_depth(const oracle_tree *tree, covey_entity e);
bool oracle_is_ancestor(const oracle_tree *tree, covey_entity ancestor, covey_entity e);
/* The child, or for null the root, of this name; or null. */
covey_entity oracle_find_child(const oracle_tree *tree, covey_entity parent, const char *name);

void oracle_parent_set(oracle_tree *tree, covey_entity child, covey_entity parent);
void oracle_child_move(oracle_tree *tree, covey_entity child, covey_entity before);
void oracle_name_set(oracle_tree *tree, covey_entity e, const char *name);

#endif
