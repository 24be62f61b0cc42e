#include "oracle_tree.h"

#include <stdlib.h>

static const covey_entity none = { 0, 0 };

static oracle_kin *find(const oracle_tree *tree, covey_entity e) {
    for (uint32_t i = 0; i < tree->count; i++)
        if (covey_same(tree->kin[i].e, e)) return &tree->kin[i];
    return NULL;
}

/* Makes a place in the list. */
static void insert(oracle_tree *tree, uint32_t at, oracle_kin kin) {
    if (tree->count == tree->capacity) {
        tree->capacity = tree->capacity * 2 + 16;
        tree->kin = realloc(tree->kin, tree->capacity * sizeof *tree->kin);
        if (!tree->kin) abort();
    }
    memmove(tree->kin + at + 1, tree->kin + at, (tree->count - at) * sizeof *tree->kin);
    tree->kin[at] = kin;
    tree->count++;
}

/* Takes an entity out of the list; one that is not there is a root without a name. */
static oracle_kin take(oracle_tree *tree, covey_entity e) {
    oracle_kin *found = find(tree, e), kin = { .e = e };
    if (!found) return kin;
    kin = *found;
    tree->count--;
    memmove(found, found + 1, (size_t)(tree->kin + tree->count - found) * sizeof *found);
    return kin;
}

void oracle_tree_free(oracle_tree *tree) { free(tree->kin); }

void oracle_tree_clear(oracle_tree *tree) { tree->count = 0; }

void oracle_tree_destroy(oracle_tree *tree, covey_entity e) {
    take(tree, e);
    for (uint32_t i = 0; i < tree->count; i++) {
        oracle_kin *kin = &tree->kin[i];
        if (!covey_same(kin->parent, e)) continue;
        if (!covey_is_null(oracle_find_child(tree, none, kin->name))) kin->name[0] = '\0';
        kin->parent = none;
    }
}

covey_entity oracle_parent(const oracle_tree *tree, covey_entity e) {
    const oracle_kin *kin = find(tree, e);
    return kin ? kin->parent : none;
}

const char *oracle_name(const oracle_tree *tree, covey_entity e) {
    const oracle_kin *kin = find(tree, e);
    return kin ? kin->name : "";
}

covey_entity oracle_child(const oracle_tree *tree, covey_entity parent, uint32_t number) {
    for (uint32_t i = 0; i < tree->count; i++)
        if (covey_same(tree->kin[i].parent, parent) && number-- == 0) return tree->kin[i].e;
    return none;
}

uint32_t oracle_child_count(const oracle_tree *tree, covey_entity parent) {
    uint32_t count = 0;
    while (!covey_is_null(oracle_child(tree, parent, count))) count++;
    return count;
}

uint32_t oracle_depth(const oracle_tree *tree, covey_entity e) {
    covey_entity parent = oracle_parent(tree, e);
    return covey_is_null(parent) ? 0 : 1 + oracle_depth(tree, parent);
}

bool oracle_is_ancestor(const oracle_tree *tree, covey_entity ancestor, covey_entity e) {
    covey_entity parent = oracle_parent(tree, e);
    if (covey_is_null(parent)) return false;
    return covey_same(parent, ancestor) || oracle_is_ancestor(tree, ancestor, parent);
}

covey_entity oracle_find_child(const oracle_tree *tree, covey_entity parent, const char *name) {
    for (uint32_t i = 0; i < tree->count && name[0]; i++)
        if (covey_same(tree->kin[i].parent, parent) && strcmp(tree->kin[i].name, name) == 0) return tree->kin[i].e;
    return none;
}

void oracle_parent_set(oracle_tree *tree, covey_entity child, covey_entity parent) {
    oracle_kin kin = take(tree, child);
    kin.parent = parent;
    insert(tree, tree->count, kin);
}

void oracle_child_move(oracle_tree *tree, covey_entity child, covey_entity before) {
    if (covey_same(child, before)) return;
    oracle_kin kin = take(tree, child);
    insert(tree, covey_is_null(before) ? tree->count : (uint32_t)(find(tree, before) - tree->kin), kin);
}

void oracle_name_set(oracle_tree *tree, covey_entity e, const char *name) {
    if (!find(tree, e)) insert(tree, tree->count, (oracle_kin){ .e = e });
    oracle_kin *kin = find(tree, e);
    memset(kin->name, 0, sizeof kin->name);
    memcpy(kin->name, name, strlen(name));
}
