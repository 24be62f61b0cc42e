/* Command buffers: structural changes that are recorded inside a loop, and made afterwards. */
#include <covey/commands.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, speed;
} Rocket;
typedef struct {
    int left;
} Fuse;
COVEY_COMPONENT_DEFINE(Rocket);
COVEY_COMPONENT_DEFINE(Fuse);

enum { ROCKETS = 5, SPARKS = 3 };

/* While a span is open, structural changes of its pools are not allowed, so they are recorded. A spark has its handle
 * at once, and is alive after the commands are replayed. Replaying reports commands that could not be recorded, so
 * results are not checked here. */
static void burn(covey_world *world, covey_commands *commands) {
    covey_view burning = covey_view_of(world, Rocket, Fuse);
    covey_iter it = covey_view_iter(&burning);
    while (covey_next(&it)) {
        Rocket *rocket = covey_field(&it, 0, Rocket);
        Fuse *fuse = covey_field(&it, 1, Fuse);
        for (uint32_t i = 0; i < it.count; i++) {
            rocket[i].x += rocket[i].speed;
            if (--fuse[i].left > 0) continue;
            for (int k = 0; k < SPARKS; k++) {
                covey_entity spark = covey_record_create(commands);
                covey_record_add(commands, spark, Rocket, { rocket[i].x, (float)k });
            }
            covey_record_destroy(commands, covey_span_entity(&it, i));
        }
    }
}

static covey_result report(covey_world *world, void *data) {
    if (world) printf("  a recorded call: %u entities after frame %d\n", covey_entity_count(world), *(int *)data);
    return COVEY_OK; /* world is NULL if the command is discarded: data that owns memory would be freed then */
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_commands *commands = world ? covey_commands_create(world, NULL) : NULL;  /* takes ids from the world */
    if (!commands) return EXIT_FAILURE;
    for (int i = 0; i < ROCKETS; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Rocket, { 0, (float)i });
        covey_add(world, e, Fuse, { i + 1 });
    }
    for (int frame = 0; frame < ROCKETS; frame++) {
        burn(world, commands);
        covey_record_call(commands, report, &frame, sizeof frame);
        covey_replay replay = covey_commands_replay(commands);
        printf("frame %d: %u commands\n", frame, replay.done);
        if (replay.result != COVEY_OK) return EXIT_FAILURE;
    }

    /* A command that fails stays first, until it can be done or is skipped. */
    covey_entity e = covey_first(world, Rocket);
    covey_record_add(commands, e, Rocket, { 1, 1 });
    covey_record_add(commands, e, Fuse, { 7 });
    covey_replay replay = covey_commands_replay(commands);
    printf("the first of %u that are left failed: %s\n", replay.left, covey_result_text(replay.result));
    covey_commands_skip(commands);
    replay = covey_commands_replay(commands);
    printf("then %u done, and the fuse has %d\n", replay.done, covey_get(world, e, Fuse)->left);
    bool right = covey_entity_count(world) == ROCKETS * SPARKS && replay.result == COVEY_OK && replay.left == 0;

    /* A buffer for another thread does not access the world: it can create as many entities as it has reserved ids. */
    covey_commands *small = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    for (int i = 0; i < 3 && small; i++) covey_record_add(small, covey_record_create(small), Fuse, { i });
    replay = small ? covey_commands_replay(small) : (covey_replay){ .result = COVEY_ERROR_MEMORY };
    printf("%u done, %u lost: %s\n", replay.done, replay.lost, covey_result_text(replay.result));
    right = right && replay.result == COVEY_ERROR_FULL && replay.done == 4 && replay.lost == 2;
    covey_world_destroy(world); /* and its command buffers */
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
