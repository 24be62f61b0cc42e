/* Rollback: a game predicts what the other player does, and returns to a snapshot when the prediction was wrong. */
#include <covey/history.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int x, speed;
} Ship;
typedef struct {
    int x;
} Shot;

COVEY_COMPONENT_DEFINE(Ship);
COVEY_COMPONENT_DEFINE(Shot);

enum { FRAMES = 6, WINDOW = 4 };

/* One step: the ship moves, fires if the player says so, and shots fly until they are far away. */
static void step(covey_world *world, covey_entity ship, bool fires) {
    Ship *s = covey_get(world, ship, Ship);
    s->x += s->speed;
    covey_view shots = covey_view_of(world, Shot);
    covey_iter it = covey_view_iter(&shots);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        Shot *shot = covey_row_field(&it, row, 0, Shot);
        shot->x += 10;
        if (shot->x > 40) covey_destroy(world, covey_row_entity(&it, row));
    }
    if (fires) covey_add(world, covey_create(world), Shot, { s->x });
}

static void show(covey_world *world, covey_entity ship, const char *what) {
    covey_view shots = covey_view_of(world, Shot);
    printf("%s: the ship is at %d, shots: %u\n", what, covey_get(world, ship, Ship)->x, covey_view_count(&shots));
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_history *history = covey_history_create(world, WINDOW);
    covey_entity ship = covey_create(world);
    if (!history || !covey_add(world, ship, Ship, { 0, 1 })) return EXIT_FAILURE;

    /* The input of the other player arrives late: every step predicts that she does not fire. */
    for (int frame = 0; frame < FRAMES; frame++) {
        if (!covey_history_save(history)) return EXIT_FAILURE;
        step(world, ship, false);
    }
    show(world, ship, "guessed");
    printf("%u snapshots\n", covey_history_count(history));

    /* A message says that she fired three steps ago. The world is restored to the snapshot before that step, and the
     * steps are repeated with the correct input. The snapshot stays: a later message may need it again. */
    if (!covey_history_restore(history, 2)) return EXIT_FAILURE;
    show(world, ship, "three steps ago");
    for (int frame = FRAMES - 3; frame < FRAMES; frame++) {
        if (frame != FRAMES - 3 && !covey_history_save(history)) return EXIT_FAILURE;
        step(world, ship, frame == FRAMES - 3);
    }
    show(world, ship, "known");

    /* The history has dropped older snapshots. */
    if (!covey_history_restore(history, WINDOW))
        printf("not restored: %s\n", covey_result_text(covey_world_result(world)));
    covey_world_destroy(world); /* and its history */
    return 0;
}
