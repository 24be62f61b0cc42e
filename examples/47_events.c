/* Events of your own: systems on several threads send hits, a point of the schedule delivers them, other systems and a
 * listener handle them. The order is the same for every number of threads. */
#include <covey/events.h>
#include <covey/schedule.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int strength;
    covey_entity enemy;
} Fighter;
typedef struct {
    int left;
} Health;
typedef struct {
    covey_entity by, target;
    int damage;
} Hit;
COVEY_COMPONENT_DEFINE(Fighter);
COVEY_COMPONENT_DEFINE(Health);
COVEY_COMPONENT_DEFINE(Hit); /* an event is defined as a component is */

enum { FIGHTERS = 1000 };

/* Runs on several threads: what it sends is recorded, and sent at the next sync point. */
static void fight(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        const Fighter *fighter = covey_field_const(&job->it, 0, Fighter);
        for (uint32_t i = 0; i < job->it.count; i++)
            if (covey_alive(job->world, fighter[i].enemy))
                covey_record_send(job->commands, Hit,
                                  { covey_span_entity(&job->it, i), fighter[i].enemy, fighter[i].strength });
    }
}

/* Runs after the delivery. Any system may read the current events, on any thread. */
static void suffer(covey_job *job, void *hits) {
    const Hit *hit = covey_events_current(hits, Hit);
    for (uint32_t i = 0; i < covey_events_count(hits); i++) {
        Health *health = covey_get(job->world, hit[i].target, Health);
        if (health && (health->left -= hit[i].damage) <= 0) covey_record_destroy(job->commands, hit[i].target);
    }
}

/* Called in each delivery, once for all hits: it may change the world, and send more. */
static void play_sounds(const covey_event *event, void *played) {
    const Hit *hit = event->values;
    for (uint32_t i = 0; i < event->count; i++) *(uint64_t *)played = *(uint64_t *)played * 31 + hit[i].by.index;
}

/* Returns a number for the hits in their order. */
static uint64_t fight_on(uint32_t threads) {
    uint64_t played = 1;
    covey_world *world = covey_world_create(NULL);
    covey_events *hits = covey_events_of(world, Hit);
    covey_entity all[FIGHTERS];
    if (!hits || !covey_create_many(world, all, FIGHTERS)) exit(EXIT_FAILURE);
    for (int i = 0; i < FIGHTERS; i++) {
        covey_add(world, all[i], Fighter, { 1 + i % 7, all[(i + 1) % FIGHTERS] });
        covey_add(world, all[i], Health, { 10 });
    }
    covey_events_connect(hits, play_sounds, &played);

    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = threads });
    covey_system fighting = { .name = "fight", .run = fight, .split = true, .piece = 64 };
    fighting.view = (covey_view_desc){ .with = { covey_id(Fighter) }, .read = { covey_id(Fighter) } };
    covey_system_add(schedule, &fighting);
    covey_system_add(schedule,
                     &(covey_system){ .name = "hits", .run = covey_events_run, .context = hits, .exclusive = true });
    covey_system_add(
        schedule, &(covey_system){ .name = "suffer", .run = suffer, .context = hits, .writes = { covey_id(Health) } });
    for (int turn = 0; turn < 5; turn++)
        if (covey_schedule_run(schedule) != COVEY_OK) exit(EXIT_FAILURE);
    printf("%u threads: %u of %d are left\n", covey_schedule_threads(schedule), covey_entity_count(world), FIGHTERS);
    covey_schedule_destroy(schedule);
    covey_world_destroy(world); /* and the channel */
    return played;
}

int main(void) {
    uint64_t alone = fight_on(1);
    return fight_on(2) == alone && fight_on(4) == alone ? EXIT_SUCCESS : EXIT_FAILURE;
}
