/* Reacting to some changes only: a function decides which entities are collected, a type is added later, destroyed
 * entities leave their handles, and patches are told apart from sets. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int points;
} Health;
typedef struct {
    int kind;
} Curse;
COVEY_COMPONENT_DEFINE(Health);
COVEY_COMPONENT_DEFINE(Curse);

/* Collects entities with low health only; a curse is always collected. */
static bool is_grave(const covey_event *event, void *limit) {
    if (event->type != covey_id(Health)) return true;
    return ((const Health *)event->values)->points < *(const int *)limit;
}

static void count(const covey_event *event, void *context) {
    uint32_t *counts = context;
    counts[event->signal == COVEY_ON_PATCH]++;
}

static void hurt(void *value, void *context) { ((Health *)value)->points -= *(const int *)context; }

int main(void) {
    covey_world *world = covey_world_create(NULL);
    int limit = 5;
    uint32_t counts[2] = { 0, 0 };
    covey_entity e[6];
    covey_reactive_desc about = {
        .set = { covey_id(Health) }, .decide = is_grave, .context = &limit, .keep_destroyed = true
    };
    covey_reactive *grave = world ? covey_reactive_create(world, &about) : NULL;
    if (!grave || !covey_create_many(world, e, 6)) return EXIT_FAILURE;
    covey_connect(world, &(covey_listener){ .type = covey_id(Health),
                                            .signals = COVEY_ON_SET | COVEY_ON_PATCH,
                                            .call = count,
                                            .context = counts });
    for (int i = 0; i < 6; i++) covey_add(world, e[i], Health, { 10 + i });

    for (int i = 0; i < 6; i++) covey_patch(world, e[i], Health, hurt, &(int){ 8 }); /* 2 3 4 5 6 7 points are left */
    covey_set(world, e[5], Health, { 15 });
    printf("%u were patched, %u set; %u are badly hurt\n", counts[1], counts[0], covey_reactive_count(grave));
    bool right = counts[1] == 6 && counts[0] == 1 && covey_reactive_count(grave) == 3;

    right = right && covey_reactive_listen(grave, Curse, COVEY_ON_ADD) == COVEY_OK;
    covey_add(world, e[4], Curse, { 1 });
    covey_destroy(world, e[1]);
    const covey_entity *dead;
    uint32_t died = covey_reactive_destroyed(grave, &dead);
    printf("%u to look at, %u died before that: entity %u\n", covey_reactive_count(grave), died, dead[0].index);
    right = right && covey_reactive_count(grave) == 3 && died == 1 && covey_same(dead[0], e[1]);
    covey_reactive_clear(grave);
    right = right && covey_reactive_destroyed(grave, &dead) == 0;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
