/* GET systems, GET plan, POST systems, POST run: the schedule, and how fast the program runs. */
#include "inspector.h"

#include <stdio.h>

static bool refuse_without_schedule(inspect__request *request) {
    return inspect__refuse(request, 409, "ABSENT", "the inspector was opened without a .schedule");
}

/* ---- Statistics ---------------------------------------------------------------------------------------------------*/

static void put_stats(inspect__json *json, const covey_system_stats *stats) {
    inspect__json_object(json, NULL);
    inspect__json_text(json, "name", stats->name);
    inspect__json_text(json, "phase", stats->phase);
    inspect__json_bool(json, "on", stats->enabled);
    inspect__json_u64(json, "runs", stats->runs);
    inspect__json_f64(json, "last", stats->last);
    inspect__json_f64(json, "mean", stats->mean);
    inspect__json_f64(json, "worst", stats->worst);
    inspect__json_f64(json, "busy", stats->busy);
    inspect__json_f64(json, "waited", stats->waited);
    inspect__json_u64(json, "pieces", stats->pieces);
    inspect__json_u64(json, "threads", stats->threads);
    inspect__json_u64(json, "entities", stats->entities);
    inspect__json_u64(json, "bytes", stats->bytes);
    inspect__json_u64(json, "bytes_total", stats->bytes_total);
    inspect__json_f64(json, "blocked", stats->blocked);
    inspect__json_f64(json, "blocked_total", stats->blocked_total);
    inspect__json_end_object(json);
}

bool inspect__answer_systems(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    const covey_schedule *schedule = inspector->desc.schedule;
    (void)world;
    if (!schedule) return refuse_without_schedule(request);
    uint32_t count = covey_schedule_stats(schedule, NULL, 0);
    covey_system_stats *stats = inspect__request_state(request, (count + 1) * sizeof *stats, NULL);
    if (!stats) return true;
    covey_schedule_stats(schedule, stats, count);
    inspect__json_object(&request->json, NULL);
    inspect__json_array(&request->json, "systems");
    for (uint32_t i = 0; i < count; i++) put_stats(&request->json, &stats[i]);
    inspect__json_end_array(&request->json);
    inspect__json_u64(&request->json, "threads", covey_schedule_threads(schedule));
    inspect__json_end_object(&request->json);
    return true;
}

/* ---- The plan -----------------------------------------------------------------------------------------------------*/

enum { USES = 5 * COVEY_TERMS };

static void put_uses(inspect__json *json, const char *key, const covey_system_use *uses, uint32_t count, bool writes,
                     bool resource) {
    inspect__json_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].writes == writes && uses[i].resource == resource)
            inspect__json_text(json, NULL, uses[i].type->name);
    inspect__json_end_array(json);
}

static void put_system(inspect__json *json, const covey_schedule *schedule, const covey_planned_system *system,
                       uint32_t number) {
    covey_system_use uses[USES];
    uint32_t count = covey_schedule_uses(schedule, number, uses, USES);
    if (count > USES) count = USES;
    inspect__json_object(json, NULL);
    inspect__json_text(json, "name", system->name);
    inspect__json_text(json, "phase", system->phase);
    inspect__json_u64(json, "stage", system->stage);
    inspect__json_bool(json, "on", system->enabled);
    inspect__json_bool(json, "exclusive", system->exclusive);
    inspect__json_bool(json, "split", system->split);
    inspect__json_bool(json, "main_thread", system->main_thread);
    put_uses(json, "reads", uses, count, false, false);
    put_uses(json, "writes", uses, count, true, false);
    put_uses(json, "resource_reads", uses, count, false, true);
    put_uses(json, "resource_writes", uses, count, true, true);
    inspect__json_end_object(json);
}

/* GET entity/systems: the systems that iterate an entity, in their order. */
bool inspect__answer_systems_of(inspect__request *request, covey_world *world) {
    const covey_schedule *schedule = request->inspector->desc.schedule;
    covey_entity e;
    (void)world;
    if (!schedule) return refuse_without_schedule(request);
    if (!inspect__request_entity(request, "e", &e)) return true;
    uint32_t count = covey_schedule_plan(schedule, NULL, 0);
    covey_planned_system *systems = inspect__request_state(request, (count + 1) * sizeof *systems, NULL);
    if (!systems) return true;
    covey_schedule_plan(schedule, systems, count);
    inspect__json_object(&request->json, NULL);
    inspect__json_array(&request->json, "systems");
    for (uint32_t i = 0; i < count; i++)
        if (covey_schedule_contains(schedule, i, e)) put_system(&request->json, schedule, &systems[i], i);
    inspect__json_end_array(&request->json);
    inspect__json_end_object(&request->json);
    return true;
}

static void put_wait(inspect__json *json, const covey_planned_wait *wait) {
    static const char *const words[] = { "linked", "both write", "written, then read", "read, then written" };
    char text[256];
    int length = wait->type ? snprintf(text, sizeof text, "%s: %s", wait->type->name, words[wait->why]) : 0;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "from", wait->first);
    inspect__json_u64(json, "to", wait->then);
    inspect__json_text(json, "why", length > 0 ? text : words[wait->why]);
    inspect__json_text(json, "type", wait->type ? wait->type->name : NULL);
    inspect__json_end_object(json);
}

/* Writes the phases, in the order of their systems. */
static void put_phases(inspect__json *json, const covey_planned_system *systems, uint32_t count) {
    const char *last = NULL;
    inspect__json_array(json, "phases");
    for (uint32_t i = 0; i < count; i++) {
        if (systems[i].phase && (!last || strcmp(last, systems[i].phase) != 0))
            inspect__json_text(json, NULL, systems[i].phase);
        last = systems[i].phase;
    }
    inspect__json_end_array(json);
}

typedef struct plan {
    covey_planned_system *systems;
    covey_planned_wait *waits;
    uint32_t system_count, wait_count;
} plan;

static void drop_plan(covey_inspector *inspector, void *state) {
    plan *p = state;
    inspect__free(inspector, p->systems, (p->system_count + 1) * sizeof *p->systems);
    inspect__free(inspector, p->waits, (p->wait_count + 1) * sizeof *p->waits);
}

static bool make_plan(covey_inspector *inspector, plan *p) {
    const covey_schedule *schedule = inspector->desc.schedule;
    p->system_count = covey_schedule_plan(schedule, NULL, 0);
    p->wait_count = covey_schedule_waits(schedule, NULL, 0);
    p->systems = inspect__zeroed(inspector, (p->system_count + 1) * sizeof *p->systems);
    p->waits = inspect__zeroed(inspector, (p->wait_count + 1) * sizeof *p->waits);
    if (!p->systems || !p->waits) return false;
    covey_schedule_plan(schedule, p->systems, p->system_count);
    covey_schedule_waits(schedule, p->waits, p->wait_count);
    return true;
}

bool inspect__answer_plan(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    const covey_schedule *schedule = inspector->desc.schedule;
    inspect__json *json = &request->json;
    (void)world;
    if (!schedule) return refuse_without_schedule(request);
    plan *p = inspect__request_state(request, sizeof *p, drop_plan);
    if (!p) return true;
    if (!make_plan(inspector, p))
        return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    if (p->system_count == 0 && covey_schedule_stats(schedule, NULL, 0) != 0)
        return inspect__refuse(request, 409, "ABSENT", "there is no plan: %s", covey_schedule_failure(schedule));
    inspect__json_object(json, NULL);
    put_phases(json, p->systems, p->system_count);
    inspect__json_array(json, "systems");
    for (uint32_t i = 0; i < p->system_count; i++) put_system(json, schedule, &p->systems[i], i);
    inspect__json_end_array(json);
    inspect__json_array(json, "edges");
    for (uint32_t i = 0; i < p->wait_count; i++) put_wait(json, &p->waits[i]);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}

/* ---- Switches -----------------------------------------------------------------------------------------------------*/

/* Reads a member that is a boolean. Returns false if it is missing or something else. */
static bool read_bool(const inspect__request *request, const char *key, bool *value) {
    const json_t *found = inspect__request_member(request, key);
    *value = json_is_true(found);
    return json_is_boolean(found);
}

bool inspect__answer_systems_change(inspect__request *request, covey_world *world) {
    covey_schedule *schedule = request->inspector->desc.schedule;
    const char *name = inspect__request_member_text(request, "name");
    const char *phase = inspect__request_member_text(request, "phase");
    bool on;
    (void)world;
    if (!schedule) return refuse_without_schedule(request);
    if ((name != NULL) == (phase != NULL))
        return inspect__refuse(request, 422, "ARGUMENT",
                               "give either name, the name of a system, or phase, the name of a phase");
    if (!read_bool(request, "on", &on)) return inspect__refuse(request, 422, "ARGUMENT", "on must be true or false");
    bool found = name ? covey_system_enable(schedule, name, on) : covey_phase_enable(schedule, phase, on);
    if (!found)
        return inspect__refuse(request, 409, "ABSENT", "there is no %s %s", name ? "system" : "phase",
                               name ? name : phase);
    inspect__json_object(&request->json, NULL);
    inspect__json_bool(&request->json, "ok", true);
    inspect__json_end_object(&request->json);
    return true;
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

#define SPEED_LEAST 0.01
#define SPEED_MOST 100.0
enum { STEPS = 10000 };

/* The pace that a request asks for. What it does not mention stays as it is. */
typedef struct pace {
    bool paused;
    uint32_t steps;
    double speed;
} pace;

static bool read_pace(inspect__request *request, pace *wanted) {
    const json_t *paused = inspect__request_member(request, "paused"), *step = inspect__request_member(request, "step");
    const json_t *speed = inspect__request_member(request, "speed");
    if (!paused && !step && !speed)
        return !inspect__refuse(request, 422, "ARGUMENT", "paused, step or speed is missing");
    if (paused && !read_bool(request, "paused", &wanted->paused))
        return !inspect__refuse(request, 422, "ARGUMENT", "paused must be true or false");
    if (step && (!json_is_integer(step) || json_integer_value(step) < 1 || json_integer_value(step) > STEPS))
        return !inspect__refuse(request, 422, "ARGUMENT", "step must be a number of frames from 1 to %d", STEPS);
    double factor = speed ? json_number_value(speed) : wanted->speed;
    if (!(factor >= SPEED_LEAST && factor <= SPEED_MOST))
        return !inspect__refuse(request, 422, "ARGUMENT", "speed must be a number from %g to %g", SPEED_LEAST,
                                SPEED_MOST);
    wanted->speed = factor;
    wanted->steps = step ? (uint32_t)json_integer_value(step) : 0;
    if (step) wanted->paused = true; /* stepping pauses the program */
    return true;
}

bool inspect__answer_run(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    pace wanted = { inspector->paused, 0, inspector->speed };
    (void)world;
    if (!read_pace(request, &wanted)) return true;
    if (wanted.speed != inspector->speed) inspector->owed = 0;
    inspector->paused = wanted.paused;
    inspector->speed = wanted.speed;
    inspector->steps = wanted.paused ? wanted.steps : 0;
    inspect__json_object(&request->json, NULL);
    inspect__json_bool(&request->json, "paused", inspector->paused);
    inspect__json_f64(&request->json, "speed", inspector->speed);
    inspect__json_u64(&request->json, "frame", inspector->frame);
    inspect__json_end_object(&request->json);
    return true;
}
