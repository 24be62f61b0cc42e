/* Operations on hierarchies and names. */
#include "model_world.h"
#include "oracle_tree.h"

#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

static const covey_entity none = { 0, 0 };

static oracle_tree *tree_of(const model *m) { return m->state; }

static void require_same(model *m, covey_entity found, covey_entity wanted, const char *what) {
    REQUIRE(m, covey_same(found, wanted), "the %s is %u:%u, not %u:%u", what, found.index, found.generation,
            wanted.index, wanted.generation);
}

static void settle(model *m, covey_result result, covey_result expected) {
    bool done = model_settle(m, result == COVEY_OK, expected);
    REQUIRE(m, done || result == m->result, "another result than the world's");
}

/* One that has a parent or a name, if possible and if chance wants it. */
static covey_entity pick_kin(model *m) {
    const oracle_tree *tree = tree_of(m);
    if (tree->count == 0 || program_chance(&m->program, 96)) return model_pick(m);
    return tree->kin[program_below(&m->program, tree->count)].e;
}

/* ---- Parents ------------------------------------------------------------------------------------------------------*/

static covey_result may_have_parent(model *m, covey_entity child, covey_entity parent) {
    const oracle_tree *tree = tree_of(m);
    if (!oracle_alive(m->oracle, child)) return COVEY_ERROR_DEAD;
    if (!covey_is_null(parent) && !oracle_alive(m->oracle, parent)) return COVEY_ERROR_DEAD;
    if (covey_same(child, parent) || oracle_is_ancestor(tree, child, parent)) return COVEY_ERROR_CYCLE;
    covey_entity namesake = oracle_find_child(tree, covey_is_null(parent) ? none : parent, oracle_name(tree, child));
    return covey_is_null(namesake) || covey_same(namesake, child) ? COVEY_OK : COVEY_ERROR_PRESENT;
}

static void set_parent(model *m, covey_entity child, covey_entity parent) {
    covey_result expected = may_have_parent(m, child, parent);
    covey_result result = covey_parent_set(m->world, child, parent);
    settle(m, result, expected);
    if (result == COVEY_OK) oracle_parent_set(tree_of(m), child, covey_is_null(parent) ? none : parent);
}

static void parent_set(model *m) {
    covey_entity child = pick_kin(m);
    set_parent(m, child, program_chance(&m->program, 32) ? none : pick_kin(m));
}

/* Many children of one. */
static void parent_set_many(model *m) {
    covey_entity parent = model_pick(m);
    uint32_t count = model_pick_batch(m, NULL);
    for (uint32_t i = 0; i < count; i++) set_parent(m, m->batch[i], parent);
}

/* Each the child of the one before. */
static void parent_set_chain(model *m) {
    uint32_t count = model_pick_batch(m, NULL);
    for (uint32_t i = 1; i < count; i++) set_parent(m, m->batch[i], m->batch[i - 1]);
}

static void child_move(model *m) {
    oracle_tree *tree = tree_of(m);
    covey_entity child = pick_kin(m), parent = oracle_parent(tree, child), before = none;
    uint32_t siblings = covey_is_null(parent) ? 0 : oracle_child_count(tree, parent),
             how = program_below(&m->program, 8);
    if (how < 6 && siblings != 0) before = oracle_child(tree, parent, program_below(&m->program, siblings));
    else if (how == 6) before = pick_kin(m);
    covey_result expected = COVEY_OK;
    if (!oracle_alive(m->oracle, child) || (!covey_is_null(before) && !oracle_alive(m->oracle, before)))
        expected = COVEY_ERROR_DEAD;
    else if (siblings == 0 || (!covey_is_null(before) && !covey_same(oracle_parent(tree, before), parent)))
        expected = COVEY_ERROR_ABSENT;
    covey_result result = covey_child_move(m->world, child, before);
    settle(m, result, expected);
    if (result == COVEY_OK) oracle_child_move(tree, child, covey_is_null(before) ? none : before);
}

/* ---- Destroying ---------------------------------------------------------------------------------------------------*/

static uint32_t destroy_below(model *m, covey_entity e) {
    uint32_t destroyed = 0;
    for (covey_entity child; !covey_is_null(child = oracle_child(tree_of(m), e, 0));)
        destroyed += destroy_below(m, child);
    return destroyed + oracle_destroy(m->oracle, e);
}

static void destroy_tree(model *m) {
    covey_entity e = pick_kin(m);
    if (covey_is_null(e)) e = model_pick(m);
    uint32_t destroyed = covey_destroy_tree(m->world, e);
    uint32_t wanted = oracle_alive(m->oracle, e) ? destroy_below(m, e) : 0;
    REQUIRE(m, destroyed == wanted, "%u were destroyed, not %u", destroyed, wanted);
}

static void forget_entity(void *context, covey_entity e) { oracle_tree_destroy(context, e); }

/* ---- Names --------------------------------------------------------------------------------------------------------*/

static const char *pick_name(model *m) {
    static const char *const names[] = { "a",   "b", "c",  "d",   "aa",   "ab", "a longer name",
                                         "...", "",  NULL, "a/b", "#1:1", ".." };
    uint32_t wrong = program_below(&m->program, 16);
    if (wrong == 0) return names[10 + program_below(&m->program, 3)];
    if (wrong < 3) return names[7 + wrong];
    return names[program_below(&m->program, 8)];
}

static covey_result may_have_name(model *m, covey_entity e, const char *name) {
    if (!oracle_alive(m->oracle, e)) return COVEY_ERROR_DEAD;
    if (!name || !name[0]) return COVEY_OK;
    if (strchr(name, '/') || name[0] == '#' || strcmp(name, "..") == 0) return COVEY_ERROR_RANGE;
    covey_entity namesake = oracle_find_child(tree_of(m), oracle_parent(tree_of(m), e), name);
    return covey_is_null(namesake) || covey_same(namesake, e) ? COVEY_OK : COVEY_ERROR_PRESENT;
}

static void set_name(model *m, covey_entity e, const char *name) {
    covey_result expected = may_have_name(m, e, name);
    covey_result result = covey_name_set(m->world, e, name);
    settle(m, result, expected);
    if (result == COVEY_OK) oracle_name_set(tree_of(m), e, name ? name : "");
}

static void name_set(model *m) { set_name(m, pick_kin(m), pick_name(m)); }

/* The name of another one, or of itself. */
static void name_set_of_other(model *m) { set_name(m, pick_kin(m), covey_name(m->world, pick_kin(m))); }

/* As many names as the table has to grow for. */
static void name_set_many(model *m) {
    uint32_t count = model_pick_batch(m, NULL);
    for (uint32_t i = 0; i < count; i++) {
        char name[ORACLE_NAME];
        snprintf(name, sizeof name, "n%u", m->batch[i].index % 1000);
        set_name(m, m->batch[i], name);
    }
}

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

static void compare_children(model *m, covey_entity e) {
    const oracle_tree *tree = tree_of(m);
    uint32_t count = oracle_child_count(tree, e);
    REQUIRE(m, covey_child_count(m->world, e) == count, "%u children, not %u", covey_child_count(m->world, e), count);
    covey_entity at = covey_child_first(m->world, e), back = covey_child_last(m->world, e);
    for (uint32_t i = 0; i < count; i++) {
        require_same(m, at, oracle_child(tree, e, i), "child");
        require_same(m, back, oracle_child(tree, e, count - 1 - i), "child, from the last on,");
        at = covey_child_next(m->world, at);
        back = covey_child_previous(m->world, back);
    }
    REQUIRE(m, covey_is_null(at) && covey_is_null(back), "a child too many");
}

static void compare_entity(model *m, covey_entity e) {
    const char *name = covey_name(m->world, e), *wanted = oracle_name(tree_of(m), e);
    require_same(m, covey_parent(m->world, e), oracle_parent(tree_of(m), e), "parent");
    REQUIRE(m, name ? strcmp(name, wanted) == 0 : !wanted[0], "the name of %u:%u is %s, not %s", e.index, e.generation,
            name ? name : "none", wanted);
}

static void look(model *m) {
    covey_entity e = pick_kin(m), other = pick_kin(m);
    const oracle_tree *tree = tree_of(m);
    const char *name = pick_name(m);
    bool alive = oracle_alive(m->oracle, e);
    if (alive) compare_children(m, e);
    else REQUIRE(m, covey_child_count(m->world, e) == 0 && !covey_name(m->world, e), "children of the dead");
    compare_entity(m, e);
    REQUIRE(m, covey_depth(m->world, e) == oracle_depth(tree, e), "another depth");
    REQUIRE(m, covey_is_ancestor(m->world, e, other) == (alive && oracle_is_ancestor(tree, e, other)),
            "%u:%u is an ancestor of %u:%u and not", e.index, e.generation, other.index, other.generation);
    if (!name) name = "";
    require_same(m, covey_find_child(m->world, none, name), oracle_find_child(tree, none, name), "root of this name");
    if (alive)
        require_same(m, covey_find_child(m->world, e, name), oracle_find_child(tree, e, name), "child of this name");
}

static void list_below(model *m, covey_entity e) {
    model_append(&m->wanted, e);
    covey_entity child;
    for (uint32_t i = 0; !covey_is_null(child = oracle_child(tree_of(m), e, i)); i++) list_below(m, child);
}

static void walk(model *m) {
    covey_entity root = pick_kin(m);
    uint32_t at = 0;
    m->wanted.count = 0;
    if (!oracle_alive(m->oracle, root)) return;
    list_below(m, root);
    for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(m->world, root, e), at++)
        require_same(m, e, at < m->wanted.count ? m->wanted.ids[at] : none, "next one");
    REQUIRE(m, at == m->wanted.count, "%u were visited, not %u", at, m->wanted.count);
}

/* ---- Paths --------------------------------------------------------------------------------------------------------*/

enum { PATH = 400 * 32 };

/* The path of an entity, from below `from` on. */
static void write_path(model *m, covey_entity e, covey_entity from, char *path) {
    covey_entity parent = oracle_parent(tree_of(m), e);
    const char *name = oracle_name(tree_of(m), e);
    size_t length = 0;
    if (!covey_is_null(parent) && !covey_same(parent, from)) {
        write_path(m, parent, from, path);
        length = strlen(path);
        path[length++] = '/';
    }
    if (name[0]) snprintf(path + length, PATH - length, "%s", name);
    else snprintf(path + length, PATH - length, "#%u:%u", e.index, e.generation);
}

static void path_print(model *m) {
    static char wanted[PATH], text[PATH];
    covey_entity e = pick_kin(m);
    size_t size = program_chance(&m->program, 64) ? 1 + program_below(&m->program, 30) : sizeof text;
    wanted[0] = '\0';
    if (oracle_alive(m->oracle, e)) write_path(m, e, none, wanted);
    int length = covey_path_print(text, size, m->world, e);
    REQUIRE(m, length == (int)strlen(wanted), "a path of %d bytes, not %zu", length, strlen(wanted));
    size_t shown = strlen(wanted) < size ? strlen(wanted) : size - 1;
    REQUIRE(m, strlen(text) == shown && memcmp(text, wanted, shown) == 0, "the path is %.60s, not %.60s", text, wanted);
    if (shown == strlen(wanted))
        require_same(m, covey_find_path(m->world, none, text), shown != 0 ? e : none, "one there");
}

static void find_below(model *m, covey_entity from, covey_entity e) {
    static char path[PATH];
    if (!oracle_is_ancestor(tree_of(m), from, e)) return;
    write_path(m, e, from, path);
    require_same(m, covey_find_path(m->world, from, path), e, "one below");
}

static void find_above(model *m, covey_entity e) {
    static char path[PATH];
    uint32_t up = program_below(&m->program, oracle_depth(tree_of(m), e) + 3);
    covey_entity wanted = e;
    path[0] = '\0';
    for (uint32_t i = 0; i < up; i++) {
        strcat(path, i == 0 ? ".." : "/..");
        wanted = oracle_parent(tree_of(m), wanted);
    }
    require_same(m, covey_find_path(m->world, e, path), wanted, "one above");
}

/* By its name, and by its handle, which may be that of another entity. */
static void find_sibling(model *m, covey_entity e, covey_entity other) {
    char path[64];
    covey_entity parent = oracle_parent(tree_of(m), e), wanted = none;
    const char *name = pick_name(m);
    if (covey_is_null(parent)) return;
    bool is_name = name && !strchr(name, '/') && name[0] != '#' && strcmp(name, "..") != 0;
    snprintf(path, sizeof path, "../%s", is_name ? name : "a");
    wanted = oracle_find_child(tree_of(m), parent, path + 3);
    require_same(m, covey_find_path(m->world, e, path), wanted, "sibling");
    snprintf(path, sizeof path, "../#%u:%u", other.index, other.generation);
    bool is_sibling = oracle_alive(m->oracle, other) && covey_same(oracle_parent(tree_of(m), other), parent);
    require_same(m, covey_find_path(m->world, e, path), is_sibling ? other : none, "sibling with this handle");
}

static void find_path(model *m) {
    covey_entity e = pick_kin(m), other = pick_kin(m);
    if (!oracle_alive(m->oracle, e)) return;
    find_below(m, other, e);
    find_above(m, e);
    find_sibling(m, e, other);
}

/* ---- Order --------------------------------------------------------------------------------------------------------*/

/* Sorts the ids of a pool into m->wanted: each one is inserted before the first deeper one. */
static void list_by_depth(model *m, const oracle_set *set) {
    m->wanted.count = 0;
    for (uint32_t i = 0; i < set->end; i++) {
        uint32_t depth = oracle_depth(tree_of(m), set->ids[i]), at = m->wanted.count;
        model_append(&m->wanted, set->ids[i]);
        for (; at != 0 && oracle_depth(tree_of(m), m->wanted.ids[at - 1]) > depth; at--)
            m->wanted.ids[at] = m->wanted.ids[at - 1];
        m->wanted.ids[at] = set->ids[i];
    }
}

static void sort_by_depth(model *m) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    if (!pool) return;
    const oracle_set *set = pool->set;
    bool refused = set->by_index || set->policy == COVEY_IN_PLACE || set->hole_count != 0 || model_is_bound(m, pool);
    covey_pool *held = covey_pool_find_raw(m->world, pool->type);
    for (uint32_t i = 0; i < set->end; i++) refused |= set->ids[i].generation == 0;
    covey_result result = covey_pool_sort_by_depth(held);
    settle(m, result, refused ? COVEY_ERROR_REFUSED : COVEY_OK);
    if (result != COVEY_OK) return;
    list_by_depth(m, set);
    for (uint32_t i = 0; i < set->end; i++) require_same(m, (covey_pool_ids)(held)[i], m->wanted.ids[i], "sorted one");
    oracle_set_follow(pool->set, m->wanted.ids);
}

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->state = calloc(1, sizeof(oracle_tree));
    if (!m->state) abort();
    m->oracle->destroyed = forget_entity;
    m->oracle->context = m->state;
}

static void check(model *m) { (void)m; }

static void clear(model *m) { oracle_tree_clear(m->state); }

static void compare(model *m) {
    for (uint32_t i = 0; i < m->oracle->alive; i++) compare_entity(m, m->oracle->roll[i]);
    for (uint32_t i = 0; i < tree_of(m)->count; i++) {
        covey_entity parent = tree_of(m)->kin[i].parent;
        if (!covey_is_null(parent)) compare_children(m, parent);
    }
}

static void end(model *m) { (void)m; }

static void forget(model *m) {
    if (m->state) oracle_tree_free(m->state);
    free(m->state);
}

static oracle_tree *copy_of(const oracle_tree *tree) {
    oracle_tree *copy = calloc(1, sizeof *copy);
    if (!copy) abort();
    copy->count = copy->capacity = tree->count;
    copy->kin = malloc((tree->count + 1) * sizeof *tree->kin);
    if (!copy->kin) abort();
    if (tree->count != 0) memcpy(copy->kin, tree->kin, tree->count * sizeof *tree->kin);
    return copy;
}

static void *save(model *m) { return copy_of(tree_of(m)); }

static void unsave(void *saved) {
    oracle_tree_free(saved);
    free(saved);
}

static void restore(model *m, const void *saved) {
    oracle_tree *copy = copy_of(saved);
    oracle_tree_free(tree_of(m));
    *tree_of(m) = *copy;
    free(copy);
}

static const model_operation operations[] = {
    { "parent_set", parent_set, 30, false },
    { "parent_set, of many", parent_set_many, 3, false },
    { "parent_set, of a chain", parent_set_chain, 3, false },
    { "child_move", child_move, 8, true },
    { "name_set", name_set, 24, false },
    { "name_set, as another", name_set_of_other, 6, false },
    { "name_set, of many", name_set_many, 2, false },
    { "destroy_tree", destroy_tree, 3, true },
    { "look at kin", look, 8, true },
    { "walk a tree", walk, 4, true },
    { "path_print", path_print, 4, true },
    { "find_path", find_path, 4, true },
    { "pool_sort_by_depth", sort_by_depth, 6, false },
    { NULL, NULL, 0, false },
};

const struct model_subject model_hierarchy = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .clear = clear,
    .save = save,
    .restore = restore,
    .unsave = unsave,
};
