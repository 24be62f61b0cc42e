/* Handles: what happens when an entity is destroyed, and how to choose indices. */
#include <covey/covey.h>
#include <stdio.h>

typedef struct {
    int value;
} Score;
COVEY_COMPONENT_DEFINE(Score);

static const char *text(covey_entity e) {
    static char texts[4][32];
    static int next;
    char *to = texts[next++ % 4];
    covey_entity_print(to, sizeof texts[0], e);
    return to;
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */

    /* Indices are reused, the lowest free one first. The generation counts the uses: it is odd while the entity is
     * alive. */
    covey_entity first = covey_create(world);
    covey_destroy(world, first);
    covey_entity second = covey_create(world);
    printf("first %s, second %s: the same index\n", text(first), text(second));

    /* A stale handle is ordinary data: calls return NULL or false, and change nothing. */
    covey_add(world, second, Score, { 7 });
    printf("stale: alive %d, has %d, get %s, destroy %d\n", covey_alive(world, first), covey_has(world, first, Score),
           covey_get(world, first, Score) ? "a value" : "NULL", covey_destroy(world, first));
    if (!covey_set(world, first, Score, { 9 }))
        printf("stale: set fails: %s\n", covey_result_text(covey_world_result(world)));
    printf("the second still has %d\n", covey_get(world, second, Score)->value);

    /* Zeroed memory holds null handles. */
    covey_entity none = { 0, 0 };
    printf("null: %s, alive %d\n", text(none), covey_alive(world, none));

    /* A given index, for example one that a server has sent. A high index allocates one page, not all below it. */
    covey_entity wanted = covey_create_at(world, 1000000);
    printf("wanted %s\n", text(wanted));
    if (covey_is_null(covey_create_at(world, 1000000)))
        printf("again: %s\n", covey_result_text(covey_world_result(world)));

    /* An exact handle, index and generation: the same name for an entity that another world has created. */
    covey_entity exact = covey_entity_make(5, 3);
    if (covey_create_exact(world, &exact, 1, COVEY_EXACT_NEW)) printf("exact %s\n", text(covey_entity_at(world, 5)));
    covey_destroy(world, exact);
    if (!covey_create_exact(world, &exact, 1, COVEY_EXACT_NEW))
        printf("generation %u is used up: %s\n", covey_generation_at(world, 5),
               covey_result_text(covey_world_result(world)));

    /* An entity that left for another world, and comes back under its old handle. */
    if (covey_create_exact(world, &exact, 1, COVEY_EXACT_AGAIN)) printf("again %s\n", text(exact));

    /* A range that covey_create leaves alone. Its indices come back to it. */
    covey_range remote = covey_range_reserve(world, 100, 50);
    covey_entity a = covey_create_in(world, remote), b = covey_create_in(world, remote);
    covey_entity outside = covey_create(world);
    printf("in the range %s and %s, outside %s\n", text(a), text(b), text(outside));
    covey_destroy(world, a);
    outside = covey_create(world);
    a = covey_create_in(world, remote);
    printf("freed in the range: outside %s, in the range %s\n", text(outside), text(a));

    printf("all:");
    for (covey_entity e = covey_entity_next(world, none); !covey_is_null(e); e = covey_entity_next(world, e))
        printf(" %s", text(e));
    printf("\n");
    covey_world_destroy(world);
    return 0;
}
