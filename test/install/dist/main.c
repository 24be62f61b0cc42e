/* A program that is compiled together with covey.c: uses something of each header that covey.h is made of. */
#include "covey.h"

#include <stdio.h>

typedef struct Position {
    float x, y;
} Position;

COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);

typedef struct OwnedBy {
    covey_entity owner;
} OwnedBy;

COVEY_FIELDS_DEFINE(OwnedBy, entity(owner));
COVEY_COMPONENT_DEFINE(OwnedBy, .fields = &covey_fields_OwnedBy, .ticks = true);

static bool has_position(const covey_world *world, covey_entity e, float x) {
    const Position *position = covey_get(world, e, Position);
    return position && position->x == x;
}

static bool iterates(covey_world *world, uint32_t expected) {
    covey_view view = covey_view_of(world, Position);
    covey_iter it = covey_view_iter(&view);
    uint32_t count = 0;
    while (covey_next(&it)) count += it.count;
    return count == expected;
}

static bool replays(covey_world *world) {
    covey_commands *commands = covey_commands_create(world, NULL);
    bool ok = covey_commands_reserve(commands, 1) == COVEY_OK;
    covey_entity e = covey_record_create(commands);
    ok = ok && covey_commands_replay(commands).result == COVEY_OK && covey_alive(world, e);
    covey_commands_destroy(commands);
    return ok;
}

static bool restores(covey_world *world, covey_entity e) {
    covey_history *history = covey_history_create(world, 2);
    bool ok = covey_history_save(history);
    covey_get(world, e, Position)->x = 7;
    ok = ok && covey_history_restore(history, 0) && has_position(world, e, 1);
    covey_history_destroy(history);
    return ok;
}

static bool loads(const covey_buffer *image, covey_entity e) {
    covey_world *world = covey_world_create(NULL);
    covey_load_desc desc = { .types = (const covey_type *const[]){ covey_id(Position), NULL } };
    bool ok = covey_load_from_memory(world, image->bytes, image->size, &desc, NULL) == COVEY_OK;
    ok = ok && has_position(world, e, 1);
    covey_world_destroy(world);
    return ok;
}

/* Through a file: with zstd, where covey.c is compiled with it. */
static bool saves(covey_world *world, covey_entity e, const char *path) {
#ifdef COVEY_WITH_ZSTD
    covey_save_desc desc = { .zstd_level = 3 };
#else
    covey_save_desc desc = { .zstd_level = 0 };
#endif
    covey_buffer image = { 0 };
    bool ok = covey_save_to_file(world, path, &desc, NULL) == COVEY_OK &&
              covey_file_read(path, 1 << 20, &image, NULL) == COVEY_OK && loads(&image, e);
    covey_buffer_free(&image);
    return ok;
}

static bool finds(covey_world *world, covey_entity target) {
    covey_lookup *owned =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(OwnedBy), .field = "owner" });
    covey_entity source = covey_create(world);
    bool ok = owned && covey_add(world, source, OwnedBy, { target }) && covey_lookup_count(owned, &target) == 1;
    covey_destroy(world, source);
    covey_lookup_destroy(owned);
    return ok;
}

#ifndef COVEY_NO_SCHEDULE
static void count_run(covey_job *job, void *context) {
    (void)job;
    ++*(int *)context;
}

static bool runs(covey_world *world) {
    int count = 0;
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 });
    covey_system_add(schedule, &(covey_system){ .name = "count", .run = count_run, .context = &count });
    bool ok = covey_schedule_run(schedule) == COVEY_OK && count == 1;
    covey_schedule_destroy(schedule);
    return ok;
}
#endif

static bool delivers(covey_world *world) {
    covey_events *events = covey_events_of(world, Position);
    return events && covey_events_send(events, Position, { 3, 4 }) && covey_events_deliver(events) == 1 &&
           covey_events_current(events, Position)[0].x == 3;
}

static bool check(const char *what, bool ok) {
    if (!ok) fprintf(stderr, "wrong: %s\n", what);
    return ok;
}

int main(int argc, char **argv) {
    covey_world *world = covey_world_create(NULL);
    covey_entity parent = covey_create(world), e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    bool ok = check("version", covey_version() == COVEY_VERSION);
    ok &= check("covey.h", has_position(world, e, 1) && iterates(world, 1));
    ok &= check("hierarchy.h", covey_parent_set(world, e, parent) == COVEY_OK && covey_child_count(world, parent) == 1);
    ok &= check("commands.h", replays(world));
    ok &= check("events.h", delivers(world));
    ok &= check("history.h", restores(world, e));
    ok &= check("image.h", saves(world, e, argc > 1 ? argv[1] : "image.covey"));
    ok &= check("lookup.h", finds(world, e));
#ifndef COVEY_NO_SCHEDULE
    ok &= check("schedule.h", runs(world));
#endif
    ok &= check("validate", covey_world_validate(world, NULL));
    covey_world_destroy(world);
    printf("covey %u: %s\n", (unsigned)covey_version(), ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
