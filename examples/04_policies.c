/* The four removal policies, side by side: the same calls on four sparse sets, and the packed array after each. A
 * sparse set works without a world; its owner chooses indices and generations. */
#include <covey/sparse_set.h>
#include <stdio.h>
#include <stdlib.h>

static covey_entity id(uint32_t index) { return covey_entity_make(index, 1); }

/* Prints live ids, "-" for a hole, and after a bar the removed ids that a swap-only set keeps. */
static void show(const covey_sparse_set *set, const char *when) {
    printf("  %-18s [", when);
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++) {
        covey_entity e = covey_sparse_set_at(set, i);
        if (covey_sparse_set_policy(set) == COVEY_SWAP_ONLY && i == covey_sparse_set_head(set)) printf(" |");
        if (e.generation == 0) printf("  -");
        else printf(" %2u", e.index);
    }
    printf(" ]  %u live\n", covey_sparse_set_count(set));
}

/* Values move with their ids under every policy: here each is ten times its index. */
static bool values_match(const covey_sparse_set *set) {
    for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1))
        if (*(int *)covey_sparse_set_value_at(set, p) != (int)covey_sparse_set_at(set, p).index * 10) return false;
    return true;
}

static void add(covey_sparse_set *set, uint32_t index) {
    int value = (int)index * 10;
    if (covey_sparse_set_push(set, id(index), &value) != COVEY_OK) exit(EXIT_FAILURE);
}

static void run(covey_policy policy, const char *name, const char *what) {
    covey_sparse_set *set = covey_sparse_set_create(
        &(covey_sparse_set_desc){ .size = sizeof(int), .align = _Alignof(int), .policy = policy });
    if (!set) exit(EXIT_FAILURE);
    printf("%s: %s\n", name, what);
    for (uint32_t i = 10; i < 16; i++) add(set, i);
    show(set, "add 10 to 15");

    const int *kept = covey_sparse_set_get(set, id(14));
    covey_sparse_set_remove(set, id(11));
    show(set, "remove 11");
    covey_sparse_set_remove(set, id(13));
    show(set, "remove 13");
    covey_sparse_set_remove(set, id(15));
    show(set, "remove 15");
    bool stayed = covey_sparse_set_get(set, id(14)) == kept;

    add(set, 20);
    show(set, "add 20");
    covey_sparse_set_compact(set);
    show(set, "compact");
    if (!values_match(set)) exit(EXIT_FAILURE);
    printf("  14 %s while others were removed\n\n", stayed ? "stayed where it was" : "moved");
    covey_sparse_set_destroy(set);
}

int main(void) {
    run(COVEY_SWAP_AND_POP, "swap and pop", "the last element fills the hole");
    run(COVEY_IN_PLACE, "in place", "a hole stays until an add fills it, the newest first");
    run(COVEY_SWAP_ONLY, "swap only", "the element goes behind the live ones and is kept there");
    run(COVEY_ORDERED, "ordered", "a hole stays until compact closes it: the order is kept");
    return 0;
}
