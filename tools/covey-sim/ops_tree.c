/* Parents, children and names. */
#include <covey/hierarchy.h>

#include "sim.h"

static const char *const names[] = { "a", "b", "c", "d", "e", "gun", "ship", "" };
enum { NAMES = 8, PATH = 2000 };

/* ---- The model ----------------------------------------------------------------------------------------------------*/

static bool is_above(const naive_world *naive, covey_entity ancestor, covey_entity e) {
    const naive_entity *n = naive_find(naive, e);
    while (n && !covey_is_null(n->parent)) {
        if (covey_same(n->parent, ancestor)) return true;
        n = naive_find(naive, n->parent);
    }
    return false;
}

/* The child with the next rank; null is the end. */
static const naive_entity *next_child(const naive_world *naive, covey_entity parent, uint64_t after) {
    const naive_entity *next = NULL;
    for (uint32_t i = 0; i < naive->count && !covey_is_null(parent); i++) {
        const naive_entity *n = &naive->list[i];
        if (covey_same(n->parent, parent) && n->rank > after && (!next || n->rank < next->rank)) next = n;
    }
    return next;
}

/* The tree of an entity, parents before their children. */
static uint32_t list_tree(const naive_world *naive, covey_entity root, covey_entity *list, uint32_t count) {
    if (count < SIM_LISTED) list[count++] = root;
    for (const naive_entity *child = next_child(naive, root, 0); child; child = next_child(naive, root, child->rank))
        count = list_tree(naive, child->e, list, count);
    return count;
}

/* Most often an entity with a parent. */
static covey_entity pick_child(sim_side *side, uint32_t n) {
    for (uint32_t i = 0; i < side->naive->count && n % 8 != 0; i++) {
        const naive_entity *entity = &side->naive->list[(n / 8 + i) % side->naive->count];
        if (!covey_is_null(entity->parent)) return entity->e;
    }
    return sim_any(side, n / 8);
}

/* Most often an entity with children, or the root above them. */
static covey_entity pick_parent(sim_side *side, uint32_t n) {
    const naive_entity *child = naive_find(side->naive, pick_child(side, n / 4));
    if (!child || covey_is_null(child->parent) || n % 4 == 0) return sim_any(side, n / 4);
    covey_entity parent = child->parent, above = parent;
    for (; n % 4 == 1 && !covey_is_null(above); above = naive_find(side->naive, parent)->parent) parent = above;
    return parent;
}

/* ---- Parents ------------------------------------------------------------------------------------------------------*/

static covey_result may_have_parent(const sim_side *side, covey_entity child, covey_entity parent) {
    const naive_entity *n = naive_find(side->naive, child);
    if (!n || (!covey_is_null(parent) && !naive_find(side->naive, parent))) return COVEY_ERROR_DEAD;
    if (covey_same(child, parent) || is_above(side->naive, child, parent)) return COVEY_ERROR_CYCLE;
    const naive_entity *other = n->name[0] ? naive_named(side->naive, parent, n->name) : NULL;
    return other && other != n ? COVEY_ERROR_PRESENT : COVEY_OK;
}

static void set_parent(sim *s, sim_side *side, covey_entity child, covey_entity parent) {
    sim_say(s, "parent_set: %u:%u below %u:%u", child.index, child.generation, parent.index, parent.generation);
    covey_result expected = may_have_parent(side, child, parent);
    if (sim_settle_result(s, covey_parent_set(side->world, child, parent), expected) &&
        !sim_lies(s, SIM_LIE_PARENT_KEPT))
        naive_append_child(side->naive, naive_find(side->naive, child), parent);
}

/* One parent, or several in turn, so that trees become large. */
static void parent_set(sim *s, sim_side *side, const sim_step *step) {
    uint32_t count = 1 + step->c / 8 % 6;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t n = sim_mix(step->b, k);
        covey_entity parent = step->c % 8 == 0 ? COVEY_NULL
                              : n % 2 != 0     ? pick_child(side, n / 2)
                                               : pick_parent(side, n / 2);
        set_parent(s, side, sim_any(side, sim_mix(step->a, k)), parent);
    }
}

static covey_result may_move_child(const naive_entity *child, covey_entity before, const naive_entity *other) {
    bool to_end = covey_is_null(before);
    if (!child || (!to_end && !other)) return COVEY_ERROR_DEAD;
    if (covey_is_null(child->parent)) return COVEY_ERROR_ABSENT;
    return to_end || covey_same(other->parent, child->parent) ? COVEY_OK : COVEY_ERROR_ABSENT;
}

/* The child gets the rank of the other, which moves behind it with all that follow. */
static void move_child(naive_world *naive, naive_entity *child, const naive_entity *other) {
    uint64_t rank = ++naive->last_rank;
    if (other) {
        rank = other->rank;
        for (uint32_t i = 0; i < naive->count; i++) {
            naive_entity *n = &naive->list[i];
            if (covey_same(n->parent, child->parent) && n->rank >= rank) n->rank++;
        }
        naive->last_rank++;
    }
    child->rank = rank;
}

static covey_entity pick_sibling(sim_side *side, const naive_entity *child, uint32_t n) {
    if (!child || n % 8 == 0) return sim_any(side, n / 8);
    for (uint32_t i = 0; i < side->naive->count; i++) {
        const naive_entity *other = &side->naive->list[(n / 8 + i) % side->naive->count];
        if (other != child && covey_same(other->parent, child->parent)) return other->e;
    }
    return COVEY_NULL;
}

static void child_move(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = pick_child(side, step->a);
    naive_entity *child = naive_find(side->naive, e);
    covey_entity before = step->c % 4 == 0 ? COVEY_NULL : pick_sibling(side, child, step->b);
    const naive_entity *other = naive_find(side->naive, before);
    sim_say(s, "child_move: %u:%u before %u:%u", e.index, e.generation, before.index, before.generation);
    if (!sim_settle_result(s, covey_child_move(side->world, e, before), may_move_child(child, before, other))) return;
    if (child != other && !sim_lies(s, SIM_LIE_CHILD_NOT_MOVED)) move_child(side->naive, child, other);
}

/* Children before their parents, as listeners are told. Lists them: as targets they end after the whole tree. */
static uint32_t end_tree(sim *s, sim_side *side, covey_entity root, covey_entity *ended, uint32_t count) {
    const naive_entity *child;
    while ((child = next_child(side->naive, root, 0)) != NULL) count = end_tree(s, side, child->e, ended, count);
    sim_left(s, side, root);
    ended[count] = root;
    return count + 1;
}

static void destroy_tree(sim *s, sim_side *side, const sim_step *step) {
    static covey_entity list[SIM_LISTED];
    covey_entity root = pick_parent(side, step->a);
    bool alive = naive_find(side->naive, root) != NULL;
    uint32_t wanted = alive ? list_tree(side->naive, root, list, 0) : 0;
    sim_say(s, "destroy_tree: %u:%u, %u entities", root.index, root.generation, wanted);
    sim_touch(s, SIM_DESTROY);
    uint32_t destroyed = covey_destroy_tree(side->world, root);
    if (s->nested != 0) return;
    SIM_REQUIRE(s, destroyed == wanted, "%u were destroyed, not %u", destroyed, wanted);
    if (wanted > 1 && sim_lies(s, SIM_LIE_CHILDREN_LEFT)) sim_destroyed(s, side, root);
    else if (alive) {
        wanted = end_tree(s, side, root, list, 0);
        for (uint32_t i = 0; i < wanted; i++) sim_target_ended(s, side, list[i]);
    }
}

/* ---- Walks --------------------------------------------------------------------------------------------------------*/

static uint32_t depth_of(const naive_world *naive, covey_entity e) {
    uint32_t depth = 0;
    const naive_entity *n = naive_find(naive, e);
    for (; n && !covey_is_null(n->parent); n = naive_find(naive, n->parent)) depth++;
    return depth;
}

static void exchange(covey_entity *a, covey_entity *b) {
    covey_entity kept = *a;
    *a = *b, *b = kept;
}

static void check_walk(sim *s, const sim_side *side, const covey_entity *list, uint32_t count) {
    covey_entity e = list[0];
    for (uint32_t i = 0; i < count; i++, e = covey_tree_next(side->world, list[0], e))
        SIM_REQUIRE(s, covey_same(e, list[i]), "step %u of the walk is %u:%u, not %u:%u", i, e.index, e.generation,
                    list[i].index, list[i].generation);
    SIM_REQUIRE(s, covey_is_null(e), "the walk goes on");
}

/* The children backwards; compare.c has them forwards. */
static void check_children(sim *s, const sim_side *side, covey_entity e) {
    uint32_t count = 0;
    covey_entity last = COVEY_NULL;
    const naive_entity *child = next_child(side->naive, e, 0);
    for (; child; child = next_child(side->naive, e, child->rank), count++) {
        SIM_REQUIRE(s, covey_same(covey_child_previous(side->world, child->e), last), "another child is before %u",
                    child->e.index);
        last = child->e;
    }
    SIM_REQUIRE(s, covey_child_count(side->world, e) == count, "%u children, not %u", covey_child_count(side->world, e),
                count);
    SIM_REQUIRE(s, covey_same(covey_child_last(side->world, e), last), "another last child");
}

static void walk(sim *s, sim_side *side, const sim_step *step) {
    static covey_entity list[SIM_LISTED];
    covey_entity root = pick_parent(side, step->a), other = sim_any(side, step->b);
    if (!naive_find(side->naive, root)) return;
    uint32_t count = list_tree(side->naive, root, list, 0);
    sim_say(s, "a walk from %u:%u over %u entities", root.index, root.generation, count);
    if (count > 2 && sim_lies(s, SIM_LIE_WALK_REORDERED)) exchange(&list[1], &list[count - 1]);
    check_walk(s, side, list, count);
    for (uint32_t i = 0; i < count; i++) {
        check_children(s, side, list[i]);
        SIM_REQUIRE(s, covey_depth(side->world, list[i]) == depth_of(side->naive, list[i]), "%u has another depth",
                    list[i].index);
    }
    SIM_REQUIRE(s, covey_is_ancestor(side->world, root, other) == is_above(side->naive, root, other),
                "%u is an ancestor of %u, or not", root.index, other.index);
}

/* ---- Names --------------------------------------------------------------------------------------------------------*/

static covey_result may_be_named(const sim_side *side, covey_entity e, const char *name, bool wrong) {
    const naive_entity *n = naive_find(side->naive, e);
    if (!n) return COVEY_ERROR_DEAD;
    if (wrong) return COVEY_ERROR_RANGE;
    const naive_entity *other = name && name[0] ? naive_named(side->naive, n->parent, name) : NULL;
    return other && other != n ? COVEY_ERROR_PRESENT : COVEY_OK;
}

static void name_set(sim *s, sim_side *side, const sim_step *step) {
    static const char *const wrong_names[] = { "a/b", "#1", "..", "/" };
    covey_entity e = step->c % 2 ? sim_any(side, step->a) : pick_child(side, step->a);
    bool wrong = step->b % 16 == 1;
    const char *name = wrong ? wrong_names[step->b / 16 % 4] : step->b % 16 == 0 ? NULL : names[step->b / 16 % NAMES];
    sim_say(s, "name_set: %u:%u is \"%s\"", e.index, e.generation, name ? name : "");
    covey_result expected = may_be_named(side, e, name, wrong);
    bool taken = expected == COVEY_ERROR_PRESENT && sim_lies(s, SIM_LIE_NAME_TAKEN);
    if (sim_settle_result(s, covey_name_set(side->world, e, name), expected) || taken)
        snprintf(naive_find(side->naive, e)->name, NAIVE_NAME, "%s", name ? name : "");
}

/* Writes the path of an entity behind that of its parent. Returns the length. */
static size_t write_path(const naive_world *naive, covey_entity e, char *text) {
    const naive_entity *n = naive_find(naive, e);
    size_t length = 0;
    if (!covey_is_null(n->parent)) {
        length = write_path(naive, n->parent, text);
        text[length++] = '/';
    }
    int more = n->name[0] ? snprintf(text + length, PATH - length, "%s", n->name)
                          : snprintf(text + length, PATH - length, "#%u:%u", (unsigned)e.index, (unsigned)e.generation);
    return length + (size_t)more;
}

static void check_path(sim *s, const sim_side *side, covey_entity e) {
    char text[PATH], printed[PATH], shorter[6];
    size_t length = write_path(side->naive, e, text);
    int full = covey_path_print(printed, sizeof printed, side->world, e);
    SIM_REQUIRE(s, (size_t)full == length && strcmp(text, printed) == 0, "the path of %u is \"%s\", not \"%s\"",
                e.index, printed, text);
    SIM_REQUIRE(s, covey_same(covey_find_path(side->world, COVEY_NULL, text), e), "\"%s\" leads elsewhere", text);
    full = covey_path_print(shorter, sizeof shorter, side->world, e);
    SIM_REQUIRE(s, (size_t)full == length && strncmp(shorter, text, strlen(shorter)) == 0, "a short path differs");
}

/* From an entity, to its sibling with a name. */
static void check_sibling(sim *s, const sim_side *side, const naive_entity *n, const char *name) {
    char text[32];
    snprintf(text, sizeof text, "../%s", name);
    const naive_entity *wanted =
        name[0] && !covey_is_null(n->parent) ? naive_named(side->naive, n->parent, name) : NULL;
    covey_entity found = covey_find_path(side->world, n->e, text);
    SIM_REQUIRE(s, covey_same(found, wanted ? wanted->e : COVEY_NULL), "\"%s\" from %u leads to %u:%u", text,
                n->e.index, found.index, found.generation);
}

/* A path that is too long for the text is not checked. */
static void find(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = pick_child(side, step->a), parent = step->b % 2 ? pick_parent(side, step->b / 2) : COVEY_NULL;
    const naive_entity *n = naive_find(side->naive, e);
    const char *name = names[step->c % NAMES];
    if (!n || depth_of(side->naive, e) > 60) return;
    sim_say(s, "find: the path of %u:%u, and \"%s\" below %u", e.index, e.generation, name, parent.index);
    check_path(s, side, e);
    check_sibling(s, side, n, name);
    bool alive = covey_is_null(parent) || naive_find(side->naive, parent);
    const naive_entity *wanted = alive && name[0] ? naive_named(side->naive, parent, name) : NULL;
    if (wanted && sim_lies(s, SIM_LIE_NAME_NOT_FOUND)) wanted = NULL;
    covey_entity found = covey_find_child(side->world, parent, name);
    SIM_REQUIRE(s, covey_same(found, wanted ? wanted->e : COVEY_NULL), "\"%s\" below %u is %u:%u", name, parent.index,
                found.index, found.generation);
    SIM_REQUIRE(s, covey_same(covey_find_path(side->world, e, ""), e), "the empty path leads elsewhere");
}

const sim_operation sim_tree_operations[] = {
    { "parent_set", SIM_TREE, 24, parent_set },
    { "child_move", SIM_TREE, 8, child_move },
    { "destroy_tree", SIM_TREE, 3, destroy_tree },
    { "tree_walk", SIM_TREE, 6, walk },
    { "name_set", SIM_NAMES, 20, name_set },
    { "find", SIM_NAMES, 8, find },
    { NULL, 0, 0, NULL },
};
