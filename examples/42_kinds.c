/* Kinds: entities that are created with the same types get ids beside each other, whatever the order of creation. So
 * the spans of every loop are long. covey_world_kinds says which kinds there are, and how full their blocks are. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Position, Velocity;
typedef struct {
    int left;
} Health;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Health);
COVEY_TAG_DEFINE(Burning);

enum { ENTITIES = 10000 };

/* Rocks, arrows, animals and fires, in no order. */
static void fill(covey_world *world) {
    uint32_t random = 1;
    for (int i = 0; i < ENTITIES; i++) {
        random = random * 1664525 + 1013904223;
        Position p = { (float)(i % 100), (float)(i / 100) };
        switch (random >> 30) {
        case 0: covey_create_with(world, covey_with(Position, { p.x, p.y })); break;
        case 1: covey_create_with(world, covey_with(Position, { p.x, p.y }), covey_with(Velocity, { 1, 0 })); break;
        case 2:
            covey_create_with(world, covey_with(Position, { p.x, p.y }), covey_with(Velocity, { 0, 1 }),
                              covey_with(Health, { 9 }));
            break;
        default: covey_create_with(world, covey_with(Position, { p.x, p.y }), covey_with_tag(Burning));
        }
    }
}

/* Arrows and animals move. Returns the number of entities in one span, on average. */
static double move(covey_world *world) {
    covey_view moving = covey_view_of(world, Position, Velocity);
    covey_iter it = covey_view_iter(&moving);
    uint32_t spans = 0, entities = 0;
    for (; covey_next(&it); spans++, entities += it.count) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x, p[i].y += v[i].y;
    }
    return (double)entities / spans;
}

static void print_kinds(const covey_world *world) {
    covey_entity_kind kinds[8];
    uint32_t count = covey_world_kinds(world, kinds, 8);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        for (uint32_t t = 0; t < kinds[i].type_count; t++) printf("%s%s", t == 0 ? "" : ", ", kinds[i].types[t]->name);
        printf(": %u entities in %u blocks of 64, from index %u on\n", kinds[i].entities, kinds[i].blocks,
               kinds[i].first_index);
    }
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_world *in_order = covey_world_create(&(covey_world_desc){ .ids_in_order = true });
    if (!world || !in_order) return EXIT_FAILURE;
    fill(world);
    fill(in_order);
    printf("ids in the order of creation: %.1f entities in a span\n", move(in_order));
    printf("ids by kind: %.1f entities in a span\n", move(world));
    print_kinds(world);

    /* An entity that gets its components later: types say where it belongs. It joins the arrows. */
    covey_entity arrow = covey_create_for(world, Position, Velocity);
    bool right = covey_add(world, arrow, Position, { 0, 0 }) && covey_add(world, arrow, Velocity, { 2, 0 });
    printf("an arrow that is made later: index %u\n", arrow.index);
    covey_world_destroy(in_order);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
