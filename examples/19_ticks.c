/* Change ticks: which components were changed since you last looked. The type asks for it; the program advances the
 * tick. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
COVEY_COMPONENT_DEFINE(Position, .ticks = true);
COVEY_COMPONENT_DEFINE(Velocity);

enum { ENTITIES = 1000 };

/* Writes positions, so all components of each span count as changed. */
static void move(const covey_view *moving) {
    covey_iter it = covey_view_iter(moving);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x;
    }
}

/* Visits only components that were changed after a tick. Returns how many there were. */
static uint32_t draw(const covey_view *drawn, uint64_t since) {
    uint32_t count = 0;
    covey_iter it = covey_view_iter_since(drawn, since);
    while (covey_next(&it)) count += it.count;
    printf("after tick %u: %4u to draw\n", (unsigned)since, count);
    return count;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    static covey_entity e[ENTITIES];
    if (!world || !covey_create_many(world, e, ENTITIES)) return EXIT_FAILURE;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_add(world, e[i], Position, { (float)i, 0 });
        if (i % 10 == 0) covey_add(world, e[i], Velocity, { 1, 0 });
    }
    covey_view moving = covey_view_make(
        world, &(covey_view_desc){ .with = { covey_ids(Position, Velocity) }, .read = { covey_id(Velocity) } });
    covey_view drawn = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) },
                                                                  .read = { covey_id(Position) },
                                                                  .changed = { covey_id(Position) } });

    uint64_t seen = 0;
    bool right = draw(&drawn, seen) == ENTITIES; /* all are new */
    seen = covey_tick_advance(world);
    right = right && draw(&drawn, seen) == 0;
    move(&moving);
    right = right && draw(&drawn, seen) == ENTITIES / 10;
    seen = covey_tick_advance(world);

    covey_set(world, e[7], Position, { 0, 0 });
    covey_get(world, e[8], Position)->x = 5; /* marks no change ... */
    right = right && draw(&drawn, seen) == 1;
    covey_patch(world, e[8], Position, NULL, NULL); /* ... but this does */
    right = right && draw(&drawn, seen) == 2;
    printf("e8 was changed at tick %u, e9 at tick %u\n", (unsigned)covey_changed_at(world, e[8], Position),
           (unsigned)covey_changed_at(world, e[9], Position));
    right = right && covey_changed_at(world, e[8], Position) == 3 && covey_changed_at(world, e[9], Position) == 1;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
