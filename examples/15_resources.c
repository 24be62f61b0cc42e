/* Resources: one value of a type for the whole world. */
#include <covey/covey.h>
#include <stdio.h>

typedef struct {
    float seconds, step;
} Clock;
typedef struct {
    float width, height;
} Arena;
typedef struct {
    float x, speed;
} Runner;
COVEY_COMPONENT_DEFINE(Clock);
COVEY_COMPONENT_DEFINE(Arena);
COVEY_COMPONENT_DEFINE(Runner);
COVEY_TAG_DEFINE(Paused);
COVEY_TAG_DEFINE(Finished);

/* A system gets its resources from the world: there are no globals, and no long lists of arguments. */
static void run(covey_world *world) {
    Clock *clock = covey_resource_get(world, Clock);
    const Arena *arena = covey_resource_get(world, Arena);
    if (covey_resource_has(world, Paused)) return;
    clock->seconds += clock->step;
    covey_view runners =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Runner) }, .without = { covey_id(Finished) } });
    covey_iter it = covey_view_iter(&runners);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        Runner *runner = covey_row_field(&it, row, 0, Runner);
        runner->x += runner->speed * clock->step;
        if (runner->x >= arena->width) covey_add_tag(world, covey_row_entity(&it, row), Finished);
    }
}

static void tell(const covey_world *world, const char *name, covey_entity runner) {
    printf("%s: at %.1f%s\n", name, covey_get(world, runner, Runner)->x,
           covey_has(world, runner, Finished) ? ", finished" : "");
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    const Clock *clock = covey_resource_set(world, Clock, { .step = 0.5f });
    Arena arena = { .width = 10, .height = 4 };
    covey_resource_refer(world, Arena, &arena); /* the program owns the object, the world keeps its address */

    covey_entity hare = covey_create(world), tortoise = covey_create(world);
    covey_add(world, hare, Runner, { .speed = 8 });
    covey_add(world, tortoise, Runner, { .speed = 1 });

    for (int frame = 0; frame < 4; frame++) run(world);
    covey_resource_set_tag(world, Paused); /* a tag is a resource without a value */
    run(world);
    covey_resource_remove(world, Paused);     /* covey_resource_take hands the value over instead of dropping it */
    printf("%.1f seconds\n", clock->seconds); /* the address stays until the resource is removed */
    tell(world, "hare", hare);
    tell(world, "tortoise", tortoise);

    covey_destroy(world, hare);
    printf("the hare is %s\n\n", covey_alive(world, hare) ? "still there" : "gone");
    covey_world_print(world, NULL, NULL);
    covey_world_destroy(world);
    return 0;
}
