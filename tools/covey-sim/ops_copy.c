/* Copies: of components, of entities in the same and in other worlds, of trees, and of worlds. */
#include <covey/hierarchy.h>

#include "sim_image.h"

/* Lets one copy in a few fail, now and then. */
static void let_copies_fail(uint32_t n) {
    if (n % 4 == 0) ledger_fail_copy(1 + n / 4 % 6);
}

/* What is expected after a call in which copies could fail. */
static covey_result after_copies(sim *s, covey_result otherwise) {
    if (!ledger_fail_copy(0)) return otherwise;
    sim_touch(s, SIM_COPY_FAILS);
    return COVEY_ERROR_COPY;
}

static bool has_uncopyable(const naive_entity *n) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (n->at[t].present && !value_can_be_copied(t)) return true;
    return false;
}

static bool has_mover(const naive_entity *n) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (n->at[t].present && value_types[t]->move) return true;
    return false;
}

static void touch_types(sim *s, const naive_entity *n) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (n->at[t].present) sim_touch_type(s, t);
}

/* ---- In one world -------------------------------------------------------------------------------------------------*/

static void copied(sim *s, sim_side *side, covey_entity from, covey_entity to) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const naive_component *component = naive_component_of(side->naive, from, t);
        if (!component || sim_lies(s, SIM_LIE_COPY_LACKS)) continue;
        naive_component copy = *component;
        if (naive_component_of(side->naive, to, t)) sim_was_set(s, side, to, t, &copy);
        else sim_added(s, side, to, t, &copy);
    }
}

static void copy(sim *s, sim_side *side, const sim_step *step) {
    covey_entity from = sim_any(side, step->a), to = sim_any(side, step->b);
    const naive_entity *n = naive_find(side->naive, from);
    covey_result expected = n && naive_find(side->naive, to) ? COVEY_OK : COVEY_ERROR_DEAD;
    sim_say(s, "copy: %u:%u to %u:%u", from.index, from.generation, to.index, to.generation);
    if (expected == COVEY_OK && !covey_same(from, to) && has_uncopyable(n)) expected = COVEY_ERROR_COPY;
    if (expected == COVEY_OK) touch_types(s, n);
    let_copies_fail(step->c);
    bool done = covey_copy(side->world, from, to);
    expected = after_copies(s, expected);
    if (sim_settle(s, side, done, expected) && s->nested == 0 && !covey_same(from, to)) copied(s, side, from, to);
}

/* Clones are enabled, whatever e is, and have no parents and names. */
static void clone(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = sim_any(side, step->a);
    uint32_t count = step->b % 8;
    const naive_entity *n = naive_find(side->naive, e);
    if (sim_is_crowded(side)) return;
    sim_say(s, "clone: %u of %u:%u", count, e.index, e.generation);
    covey_result expected = !n ? COVEY_ERROR_DEAD : has_uncopyable(n) ? COVEY_ERROR_COPY : COVEY_OK;
    if (n) touch_types(s, n);
    let_copies_fail(step->c);
    bool done = covey_clone(side->world, e, s->batch, count);
    expected = after_copies(s, expected);
    for (uint32_t i = 0; i < count && !done; i++)
        SIM_REQUIRE(s, covey_is_null(s->batch[i]), "a clone that failed returns a handle");
    if (!done && covey_world_result(side->world) == COVEY_ERROR_FULL) expected = COVEY_ERROR_FULL;
    if (!sim_settle(s, side, done, expected) || s->nested != 0) return;
    sim_check_order(s, side, count);
    for (uint32_t i = 0; i < count; i++) sim_created(s, side, s->batch[i]);
    for (uint32_t i = 0; i < count; i++) copied(s, side, e, s->batch[i]);
}

/* ---- In another world, or the same --------------------------------------------------------------------------------*/

static bool is_below(const naive_world *world, const naive_entity *n, covey_entity root) {
    while (n && !covey_same(n->e, root)) n = naive_find(world, n->parent);
    return n != NULL;
}

/* What is copied: an entity without its place, or with all below it. */
static naive_world *copied_part(const sim_side *from, covey_entity root, bool tree) {
    naive_world *part = naive_create();
    for (uint32_t i = 0; i < from->naive->count; i++) {
        const naive_entity *n = &from->naive->list[i];
        bool is_root = covey_same(n->e, root);
        if (!is_root && (!tree || !is_below(from->naive, n, root))) continue;
        naive_entity *to = naive_insert(part, n->e);
        *to = *n;
        if (is_root) to->parent = COVEY_NULL;
        if (!tree) to->name[0] = '\0';
    }
    return part;
}

/* Types with `move` are refused, and others cannot be copied: with both, either is told. */
static covey_result part_result(const sim_side *side, const naive_world *part) {
    bool moves = false, uncopyable = false;
    for (uint32_t i = 0; i < part->count; i++) {
        moves |= has_mover(&part->list[i]);
        uncopyable |= has_uncopyable(&part->list[i]);
    }
    if (part->count == 0) return COVEY_ERROR_DEAD;
    if (moves && uncopyable && covey_world_result(side->world) == COVEY_ERROR_COPY) return COVEY_ERROR_COPY;
    return moves ? COVEY_ERROR_REFUSED : uncopyable ? COVEY_ERROR_COPY : COVEY_OK;
}

/* From the other side, or, if that has no entities, from the same. */
static sim_side *source_side(sim *s, sim_side *side, uint32_t n) {
    sim_side *other = sim_other_side(s);
    return other->naive->count == 0 || n % 3 == 0 ? side : other;
}

static void copy_into(sim *s, sim_side *side, const sim_step *step, bool tree) {
    sim_side *from = source_side(s, side, step->b);
    covey_entity e = sim_any(from, step->a);
    naive_world *part = copied_part(from, e, tree);
    sim_map map = { .keeps_outside = step->c % 2 == 0 };
    covey_clone_desc desc = { map.keeps_outside, sim_map_note, &map };
    if (sim_image_fits(side, part)) {
        sim_say(s, "%s: %u:%u of world %u, %u entities%s", tree ? "clone_tree_into" : "clone_into", e.index,
                e.generation, (unsigned)(from - s->sides), part->count, map.keeps_outside ? ", keep_outside" : "");
        for (uint32_t i = 0; i < part->count; i++) touch_types(s, &part->list[i]);
        let_copies_fail(step->c / 2);
        covey_entity made = tree ? covey_clone_tree_into(side->world, from->world, e, &desc)
                                 : covey_clone_into(side->world, from->world, e, &desc);
        bool done = !covey_is_null(made);
        covey_result expected = after_copies(s, part_result(side, part));
        if (!done && covey_world_result(side->world) == COVEY_ERROR_FULL) expected = COVEY_ERROR_FULL;
        if (sim_settle(s, side, done, expected) && s->nested == 0) {
            SIM_REQUIRE(s, covey_same(sim_map_find(&map, e), made), "another copy is returned than was told");
            map.keeps_outside ^= sim_lies(s, SIM_LIE_OUTSIDE_MIXED_UP);
            sim_insert_all(s, side, part, &map);
        }
    }
    naive_destroy(part);
}

static void clone_into(sim *s, sim_side *side, const sim_step *step) { copy_into(s, side, step, false); }
static void clone_tree_into(sim *s, sim_side *side, const sim_step *step) { copy_into(s, side, step, true); }

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

static covey_result may_clone(const naive_world *naive) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (!value_can_be_copied(t) && (naive_count(naive, t) != 0 || naive->resources[t].present))
            return COVEY_ERROR_COPY;
    return COVEY_OK;
}

/* Handles, free indices, order and holes are the same: so are the bytes of images. */
static void check_clone(sim *s, const sim_side *side, covey_world *copy) {
    covey_buffer image = { .allocator = test_allocator(&s->heap) };
    sim_compare_worlds(s, copy, side->naive, "the clone");
    for (uint32_t i = 0; i < side->stale_count; i++)
        SIM_REQUIRE(s, !covey_alive(copy, side->stale[i]), "a stale handle resolves in the clone");
    SIM_REQUIRE(s, covey_save_to_buffer(side->world, &image, NULL, NULL) == COVEY_OK, "the world cannot be saved");
    sim_require_bytes(s, copy, &image, "the clone");
    covey_buffer_free(&image);
}

/* Pools that are kept in order are so in a clone; the program has to forget it there, as it forgets groups. */
static void keep_nothing(covey_world *world) {
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        (void)covey_pool_keep_sorted(covey_world_pool(world, i), NULL);
}

static void world_clone(sim *s, sim_side *side, const sim_step *step) {
    covey_world_desc desc = sim_world_desc(s);
    bool goes_on = step->a % 4 == 0;
    sim_say(s, "world_clone: %u entities%s", side->naive->count, goes_on ? "; the program goes on there" : "");
    let_copies_fail(step->b);
    covey_world *copy = covey_world_clone(side->world, step->c % 2 ? NULL : &desc);
    covey_result expected = after_copies(s, may_clone(side->naive));
    if (!sim_settle(s, side, copy != NULL, expected)) return;
    test_fail_never(&s->heap);
    check_clone(s, side, copy);
    if (goes_on) keep_nothing(copy);
    if (goes_on) sim_go_on_in(s, side, copy, side->naive);
    else covey_world_destroy(copy);
}

const sim_operation sim_copy_operations[] = {
    { "copy", SIM_COPY, 10, copy },
    { "clone", SIM_CLONE, 10, clone },
    { "clone_into", SIM_CLONE_INTO, 8, clone_into },
    { "clone_tree_into", SIM_CLONE_TREE, 8, clone_tree_into },
    { "world_clone", SIM_WORLD_CLONE, 4, world_clone },
    { NULL, 0, 0, NULL },
};
