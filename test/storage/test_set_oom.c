/* Every function that works on a sparse set, with every allocation failing in turn, under each policy. support/oom.h
 * says what must hold. */
#include "oom.h"

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

static void nothing(scene *s) { (void)s; }

static void small_set(scene *s) {
    s->set = set_create(&s->heap, sizeof(uint32_t), s->policy);
    set_run(s->set, "push 0..6, erase 2, erase 4, compact");
    covey_sparse_set_shrink(s->set);
}

static void set_with_hole(scene *s) {
    small_set(s);
    set_run(s->set, "erase 5, erase 0");
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static bool ok(covey_result result) {
    assert_true(result == COVEY_OK || result == COVEY_ERROR_MEMORY);
    return result == COVEY_OK;
}

static bool set_make(scene *s) {
    covey_sparse_set_desc desc = { 4, 4, s->policy, false, test_allocator(&s->heap) };
    s->set = covey_sparse_set_create(&desc);
    return s->set != NULL;
}
static const uint32_t stamps[3] = { 1, 2, 3 };
static bool set_push(scene *s) { return ok(covey_sparse_set_push(s->set, id(30 * COVEY_PAGE_SIZE), &stamps[1])); }
static bool set_push_near(scene *s) { return ok(covey_sparse_set_push(s->set, id(2 * COVEY_PAGE_SIZE), NULL)); }
static bool set_push_back(scene *s) {
    return ok(covey_sparse_set_push_to(s->set, id(30 * COVEY_PAGE_SIZE), &stamps[1], true));
}
static bool set_push_front(scene *s) {
    return ok(covey_sparse_set_push_to(s->set, id(30 * COVEY_PAGE_SIZE), &stamps[1], false));
}
/* Swap only keeps 2 and 4, and takes them back. */
static bool set_push_range(scene *s) {
    covey_entity range[] = { id(30 * COVEY_PAGE_SIZE), id_of(2, 2), id(31 * COVEY_PAGE_SIZE) };
    return ok(covey_sparse_set_push_range(s->set, range, 3, stamps));
}
static bool set_reserve(scene *s) { return ok(covey_sparse_set_reserve(s->set, 2 * COVEY_PAGE_SIZE + 7)); }

static bool set_clone(scene *s) {
    covey_sparse_set *clone = covey_sparse_set_clone(s->set);
    if (!clone) return false;
    assert_true(covey_sparse_set_validate(clone, NULL));
    covey_sparse_set_destroy(s->set);
    s->set = clone;
    return true;
}
static bool set_sort(scene *s) {
    if (s->policy == COVEY_IN_PLACE) return set_clone(s); /* which has no sorting */
    return ok(covey_sparse_set_sort(s->set, &(covey_order){ .descending = true }));
}
static bool set_sort_as(scene *s) {
    if (s->policy == COVEY_IN_PLACE) return set_clone(s);
    return ok(covey_sparse_set_sort_as(s->set, s->set)); /* moves none, and asks for the lists */
}

static const operation operations[] = {
    { "covey_sparse_set_create", nothing, set_make },
    { "covey_sparse_set_clone", set_with_hole, set_clone },
    { "covey_sparse_set_sort", small_set, set_sort },
    { "covey_sparse_set_sort_as", small_set, set_sort_as },
    { "covey_sparse_set_push", small_set, set_push },
    { "covey_sparse_set_push, near", small_set, set_push_near },
    { "covey_sparse_set_push, with holes", set_with_hole, set_push },
    { "covey_sparse_set_push_to the back", set_with_hole, set_push_back },
    { "covey_sparse_set_push_to the front", set_with_hole, set_push_front },
    { "covey_sparse_set_push_range", small_set, set_push_range },
    { "covey_sparse_set_push_range, with holes", set_with_hole, set_push_range },
    { "covey_sparse_set_reserve", small_set, set_reserve },
};

static bool set_remove(scene *s) {
    return covey_sparse_set_remove(s->set, id(3)) && !covey_sparse_set_remove(s->set, id(3));
}
static bool set_remove_range(scene *s) {
    covey_entity range[] = { id(3), id(6), id(6) };
    return covey_sparse_set_remove_range(s->set, range, 3) == 2;
}
static bool set_erase(scene *s) {
    covey_sparse_set_erase(s->set, id(1));
    return true;
}
static bool set_erase_ordered(scene *s) {
    bool offered = s->policy == COVEY_SWAP_AND_POP || s->policy == COVEY_ORDERED;
    return covey_sparse_set_erase_ordered(s->set, id(1)) == offered;
}
static bool set_clear(scene *s) {
    covey_sparse_set_clear(s->set);
    return true;
}
static bool set_swap(scene *s) { return covey_sparse_set_swap(s->set, id(1), id(6)) == COVEY_OK; }
static bool set_compact(scene *s) {
    covey_sparse_set_compact(s->set);
    return true;
}
static bool set_shrink(scene *s) {
    covey_sparse_set_erase(s->set, id(6));
    covey_sparse_set_shrink(s->set);
    return true;
}
static bool set_shrink_empty(scene *s) {
    covey_sparse_set_clear(s->set);
    covey_sparse_set_shrink(s->set);
    return true;
}
static bool set_look(scene *s) {
    const covey_sparse_set *set = s->set;
    return covey_sparse_set_contains(set, id(1)) && covey_sparse_set_live(set, id(1)) &&
           covey_sparse_set_current(set, 1) == 1 && covey_sparse_set_find(set, id(1)) != COVEY_NONE &&
           covey_sparse_set_next(set, 0) != COVEY_NONE && covey_sparse_set_get(set, id(1)) &&
           covey_sparse_set_ids(set) && !covey_sparse_set_get(set, id(COVEY_NONE - 1)) &&
           covey_sparse_set_validate(set, NULL) && covey_sparse_set_value_at(set, 0);
}

static bool set_bump(scene *s) { return covey_sparse_set_bump(s->set, id_of(1, 3)) == COVEY_OK; }
static bool set_move_border(scene *s) {
    bool offered = s->policy == COVEY_SWAP_ONLY;
    return covey_sparse_set_move_border(s->set, 1) == (offered ? COVEY_OK : COVEY_ERROR_REFUSED);
}
static bool set_print(scene *s) {
    char text[100];
    return covey_sparse_set_print(text, sizeof text, s->set) > 0 && covey_sparse_set_capacity(s->set) != 0;
}

static const operation free_operations[] = {
    { "covey_sparse_set_bump", small_set, set_bump },
    { "covey_sparse_set_move_border", small_set, set_move_border },
    { "covey_sparse_set_print", set_with_hole, set_print },
    { "covey_sparse_set_remove", set_with_hole, set_remove },
    { "covey_sparse_set_remove_range", small_set, set_remove_range },
    { "covey_sparse_set_erase", set_with_hole, set_erase },
    { "covey_sparse_set_erase_ordered", set_with_hole, set_erase_ordered },
    { "covey_sparse_set_clear", set_with_hole, set_clear },
    { "covey_sparse_set_swap", small_set, set_swap },
    { "covey_sparse_set_compact", set_with_hole, set_compact },
    { "looking", set_with_hole, set_look },
};

static const operation shrinking_operations[] = {
    { "covey_sparse_set_shrink", set_with_hole, set_shrink },
    { "covey_sparse_set_shrink, to nothing", set_with_hole, set_shrink_empty },
};

int main(void) {
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        ADD_TRIALS(operations, policy, FAILS_IN_TURN);
        ADD_TRIALS(free_operations, policy, NEEDS_NO_MEMORY);
        ADD_TRIALS(shrinking_operations, policy, SURVIVES_FAILURES);
    }
    return run_trials();
}
