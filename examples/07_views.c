/* Views: what entities must have, may have and must not have; span by span, row by row, or only counted. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    float x, y;
} Velocity;
typedef struct {
    int left;
} Health;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Health);
COVEY_TAG_DEFINE(Frozen);

/* Spans are runs of entities whose components lie one after the other. While one is open, nothing is added to the pools
 * of the view or removed from them. */
static uint32_t move(covey_world *world) {
    covey_view view = covey_view_make(
        world, &(covey_view_desc){ .with = { covey_ids(Position, Velocity) }, .without = { covey_id(Frozen) } });
    uint32_t spans = 0;
    covey_iter it = covey_view_iter(&view);
    for (; covey_next(&it); spans++) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    printf("move: %u entities in %u spans\n", covey_view_count(&view), spans);
    return covey_view_count(&view);
}

/* Rows are for bodies that make structural changes: they may change and destroy the row's entity. The address of an
 * optional component that is absent is NULL. */
static uint32_t hurt(covey_world *world) {
    covey_view view =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) }, .optional = { covey_id(Health) } });
    uint32_t destroyed = 0;
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        Health *health = covey_row_field(&it, row, 1, Health);
        if (!health || --health->left > 0) continue;
        destroyed += covey_destroy(world, covey_row_entity(&it, row));
    }
    printf("hurt: %u of them destroyed, %u left\n", destroyed, covey_view_count(&view));
    return destroyed;
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    for (uint32_t i = 0; i < 1000; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { (float)i, 0 });
        covey_add(world, e, Velocity, { 1, 0.5f });
        if (i % 10 == 0) covey_add(world, e, Health, { (int)(i % 4) });
        if (i % 250 == 0) covey_add_tag(world, e, Frozen);
    }
    bool right = move(world) == 996 && hurt(world) == 50;

    /* A view is a value, which can be kept and used again. This one only reads, so the world can be const. */
    const covey_world *seen = world;
    covey_view frozen = covey_view_make_const(seen, &(covey_view_desc){ .with = { covey_id(Frozen) } }, NULL);
    covey_entity first = covey_view_first(&frozen);
    printf("frozen: %u, the first is entity %u\n", covey_view_count(&frozen), first.index);
    right = right && covey_view_contains(&frozen, first);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
