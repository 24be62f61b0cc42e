/* The plan and the trace of a schedule, as data. */
#include "schedule/plan.h"

/* Makes the plan if necessary, although the schedule is const. If that fails, the log has the reason. */
static bool is_planned(const covey_schedule *s) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    return covey__schedule_plan((covey_schedule *)(uintptr_t)s) == COVEY_OK;
}

/* ---- The plan ----------------------------------------------------------------------------------------------------*/

static covey_planned_system planned(const covey_schedule *s, const covey__system *system, uint32_t stage) {
    return (covey_planned_system){
        .name = system->desc.name,
        .phase = s->phases[system->phase].desc.name,
        .stage = stage,
        .enabled = system->turns.enabled,
        .exclusive = system->desc.exclusive,
        .split = system->desc.split,
        .main_thread = system->desc.main_thread,
    };
}

uint32_t covey_schedule_plan(const covey_schedule *s, covey_planned_system *systems, uint32_t capacity) {
    if (!is_planned(s)) return 0;
    for (uint32_t stage = 0; stage < s->stage_count; stage++)
        for (uint32_t i = s->stages[stage].first; i < s->stages[stage].end && i < capacity; i++)
            systems[i] = planned(s, s->order[i], stage);
    return s->system_count;
}

uint32_t covey_schedule_uses(const covey_schedule *s, uint32_t number, covey_system_use *uses, uint32_t capacity) {
    if (!is_planned(s) || number >= s->system_count) return 0;
    const covey__system *system = s->order[number];
    for (uint32_t i = 0; i < system->use_count && i < capacity; i++) uses[i] = system->uses[i];
    return system->use_count;
}

bool covey_schedule_contains(const covey_schedule *s, uint32_t number, covey_entity e) {
    if (!is_planned(s) || number >= s->system_count) return false;
    const covey__system *system = s->order[number];
    if (system->desc.group) return covey_group_contains(system->desc.group, e);
    return system->view.world && covey_view_contains(&system->view, e);
}

/* The number of a system that comes after number `from`. */
static uint32_t number_of(const covey_schedule *s, const covey__system *system, uint32_t from) {
    while (s->order[from] != system) from++;
    return from;
}

uint32_t covey_schedule_waits(const covey_schedule *s, covey_planned_wait *waits, uint32_t capacity) {
    uint32_t count = 0;
    if (!is_planned(s)) return 0;
    for (uint32_t i = 0; i < s->system_count; i++)
        for (uint32_t k = 0; k < s->order[i]->follower_count; k++, count++) {
            if (count >= capacity) continue;
            const covey__system *follower = s->order[i]->followers[k];
            covey_planned_wait wait = { .first = i, .then = number_of(s, follower, i) };
            wait.why = covey__why_waits(s->order[i], follower, &wait.type);
            waits[count] = wait;
        }
    return count;
}

/* ---- Traces ------------------------------------------------------------------------------------------------------*/

uint32_t covey_schedule_traced(const covey_schedule *s, uint32_t first, covey_trace_event *events, uint32_t capacity) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    uint32_t count = s->event_count - s->event_first, left = first < count ? count - first : 0;
    if (capacity > left) capacity = left;
    if (capacity != 0) memcpy(events, s->events_noted + s->event_first + first, capacity * sizeof *events);
    return count;
}
