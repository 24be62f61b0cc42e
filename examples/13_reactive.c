/* Reactive sets: the entities to which something happened since the set was cleared. Here the bounding boxes of
 * entities that moved are computed again once a frame, however often they moved. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float left, right;
} Box;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Box);
COVEY_TAG_DEFINE(Hidden);

enum { ENTITIES = 1000 };

/* Iterated like any view, then cleared until something moves again. */
static uint32_t update_boxes(covey_reactive *moved) {
    uint32_t updated = 0;
    covey_iter it = covey_reactive_iter(moved);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        Box *box = covey_field(&it, 1, Box);
        for (uint32_t i = 0; i < it.count; i++) box[i] = (Box){ p[i].x - 1, p[i].x + 1 };
        updated += it.count;
    }
    covey_reactive_clear(moved);
    return updated;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_reactive_desc about_positions = { .added = { covey_id(Position) },
                                            .set = { covey_id(Position) },
                                            .match = { .with = { covey_ids(Position, Box) },
                                                       .without = { covey_id(Hidden) },
                                                       .read = { covey_id(Position) } } };
    covey_reactive *moved = world ? covey_reactive_create(world, &about_positions) : NULL;
    static covey_entity e[ENTITIES];
    if (!moved || !covey_create_many(world, e, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, e[i], Position, { (float)i, 0 });
        covey_add(world, e[i], Box, { 0, 0 });
    }
    uint32_t first = update_boxes(moved), second = update_boxes(moved);
    printf("%u boxes at first, then %u\n", first, second);

    for (uint32_t step = 0; step < 5; step++)
        for (uint32_t i = 0; i < ENTITIES; i += 100) covey_set(world, e[i], Position, { (float)(i + step), 1 });
    covey_get(world, e[1], Position)->x = 500;      /* is not observed, */
    covey_patch(world, e[2], Position, NULL, NULL); /* until a patch reports it */
    covey_add_tag(world, e[100], Hidden);
    covey_destroy(world, e[200]);
    uint32_t collected = covey_reactive_count(moved), third = update_boxes(moved);
    printf("%u moved and live; %u of them are to be seen\n", collected, third);

    /* The set is a tag, so a view can also ask for the entities that were not changed. */
    covey_set(world, e[3], Position, { 0, 0 });
    covey_view still = covey_view_make(
        world, &(covey_view_desc){ .with = { covey_id(Position) }, .without = { covey_reactive_type(moved) } });
    printf("%u did not move since\n", covey_view_count(&still));
    bool right = first == ENTITIES && second == 0 && collected == 10 && third == 9;
    right = right && covey_get(world, e[300], Box)->left == 303 && covey_view_count(&still) == ENTITIES - 2;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
