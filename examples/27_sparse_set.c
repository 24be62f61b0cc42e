/* The sparse set on its own, without a world: which of many sessions are active, and the data of each. Lookup, adding
 * and removing are O(1); iterating is a loop over arrays. */
#include <covey/sparse_set.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t requests;
} Session;

/* The index of a session is reused after its end. The generation distinguishes the old and the new session. */
static covey_entity session(uint32_t number, uint32_t use) { return covey_entity_make(number, use); }

static void show(const covey_sparse_set *set, const char *when) {
    char text[120];
    covey_sparse_set_print(text, sizeof text, set);
    printf("%-14s %s\n", when, text);
}

int main(void) {
    covey_sparse_set *active =
        covey_sparse_set_create(&(covey_sparse_set_desc){ .size = sizeof(Session), .align = _Alignof(Session) });
    if (!active) return EXIT_FAILURE;
    const uint32_t numbers[] = { 40, 7, 12, 100000, 3 };
    for (uint32_t i = 0; i < 5; i++)
        if (covey_sparse_set_push(active, session(numbers[i], 1), &(Session){ 10 * i }) != COVEY_OK)
            return EXIT_FAILURE;
    show(active, "five sessions");

    covey_sparse_set_remove(active, session(7, 1)); /* swap-remove: the last one fills the hole */
    show(active, "7 has ended");
    covey_sparse_set_push(active, session(7, 2), &(Session){ 0 });
    bool right = !covey_sparse_set_get(active, session(7, 1)); /* the old session is not found */
    right = right && covey_sparse_set_get(active, session(7, 2));

    Session *sessions = covey_sparse_set_values(active);
    uint32_t sum = 0;
    for (uint32_t i = 0; i < covey_sparse_set_position_count(active); i++) sum += ++sessions[i].requests;
    printf("%u requests in %u sessions, %zu bytes\n", sum, covey_sparse_set_count(active),
           covey_sparse_set_memory(active));
    right = right && sum == 0 + 20 + 30 + 40 + 0 + 5;

    covey_sparse_set *before = covey_sparse_set_clone(active);
    const covey_order busiest = { .key = COVEY_KEY_U32, .offset = offsetof(Session, requests), .descending = true };
    right = right && before && covey_sparse_set_sort(active, &busiest) == COVEY_OK;
    show(active, "busiest first");
    right = right && covey_sparse_set_at(active, 0).index == 3;
    right = right && covey_sparse_set_sort_as(active, before) == COVEY_OK;
    show(active, "as before");
    right = right && covey_sparse_set_at(active, 0).index == 40;
    covey_sparse_set_bump(active, session(40, 2)); /* the same session under another generation */
    right = right && covey_sparse_set_current(active, 40) == 2 && covey_sparse_set_validate(active, NULL);

    /* The same idea for a plain array whose order does not matter. */
    int plain[] = { 1, 2, 3, 4 };
    uint32_t count = covey_swap_remove(plain, 4, 1, sizeof *plain);
    right = right && count == 3 && plain[1] == 4;
    covey_sparse_set_destroy(before);
    covey_sparse_set_destroy(active);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
