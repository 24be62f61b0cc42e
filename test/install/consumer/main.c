#include <covey/covey.h>
#include <covey/schedule.h>
#include <covey/image.h>

#include <stdio.h>

#ifdef EXPECT_CONFIG
#if COVEY_INDEX_BITS != 20 || COVEY_ASSERT_LEVEL != 2
#error "the configuration of the library has not arrived"
#endif
#endif

typedef struct Position {
    float x, y;
} Position;

COVEY_COMPONENT_DEFINE(Position);

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    const Position *position = covey_get(world, e, Position);
    bool ok = covey_version() == COVEY_VERSION && position && position->y == 2;
    covey_buffer buffer = { 0 };
    ok = ok && covey_file_read("there is no such file", 0, &buffer, NULL) == COVEY_ERROR_FILE; /* links zstd, if any */
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 }); /* links threads */
    ok = ok && schedule && covey_schedule_run(schedule) == COVEY_OK;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    printf("covey %u: %s\n", (unsigned)covey_version(), ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
