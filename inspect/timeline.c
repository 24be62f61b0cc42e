/* GET timeline: each piece of the last runs of the schedule, with its thread. The schedule is traced only while clients
 * ask for the timeline. */
#include "inspector.h"

enum { FRAMES = 120 };

/* ---- The trace ----------------------------------------------------------------------------------------------------*/

void inspect__trace_end(covey_inspector *inspector) {
    inspect__trace *trace = &inspector->watching.trace;
    if (trace->runs != 0) covey_schedule_trace(inspector->desc.schedule, 0);
    trace->runs = 0;
}

void inspect__trace_update(covey_inspector *inspector, uint64_t now) {
    if (inspector->watching.trace.runs != 0 && inspect__is_idle(inspector->watching.trace.asked_at, now))
        inspect__trace_end(inspector);
}

/* Makes the schedule keep at least so many runs from now on. */
static void keep_runs(covey_inspector *inspector, uint32_t runs) {
    inspect__trace *trace = &inspector->watching.trace;
    trace->asked_at = inspect__now();
    if (runs <= trace->runs) return;
    trace->runs = runs;
    covey_schedule_trace_last(inspector->desc.schedule, runs);
}

/* ---- The answer ---------------------------------------------------------------------------------------------------*/

/* The events are copies, because the schedule may run before all of them are written. */
typedef struct timeline {
    covey_trace_event *events;
    uint32_t count, next;
    const char **names; /* of systems; the answer names a system by its position here */
    uint32_t name_count, name_capacity;
    uint64_t start; /* when the first frame began */
} timeline;

static void drop_timeline(covey_inspector *inspector, void *state) {
    timeline *t = state;
    inspect__free(inspector, t->events, (t->count + 1) * sizeof *t->events);
    inspect__free(inspector, t->names, t->name_capacity * sizeof *t->names);
}

/* Copies the events, and skips those before the last `frames` runs. */
static bool copy_events(covey_inspector *inspector, timeline *t, uint32_t frames) {
    const covey_schedule *schedule = inspector->desc.schedule;
    t->count = covey_schedule_traced(schedule, 0, NULL, 0);
    t->events = inspect__zeroed(inspector, (t->count + 1) * sizeof *t->events);
    if (!t->events) return false;
    covey_schedule_traced(schedule, 0, t->events, t->count);
    uint64_t last = t->count != 0 ? t->events[t->count - 1].run : 0;
    while (t->next < t->count && t->events[t->next].run + frames <= last) t->next++;
    return true;
}

/* The position of a name in t->names, which is added if it is new. UINT32_MAX: no memory. Pointers are compared: the
 * schedule keeps a name as long as it exists. */
static uint32_t number_of(covey_inspector *inspector, timeline *t, const char *name) {
    for (uint32_t i = t->name_count; i-- != 0;)
        if (t->names[i] == name) return i;
    if (t->name_count == t->name_capacity) {
        uint32_t grown = t->name_capacity * 2 + 32;
        const char **names =
            inspect__resize(inspector, t->names, t->name_capacity * sizeof *names, grown * sizeof *names);
        if (!names) return UINT32_MAX;
        t->names = names;
        t->name_capacity = grown;
    }
    t->names[t->name_count] = name;
    return t->name_count++;
}

static bool put_piece(inspect__request *request, timeline *t, const covey_trace_event *event, uint64_t begin) {
    inspect__json *json = &request->json;
    uint32_t number = number_of(request->inspector, t, event->system);
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "system", number);
    inspect__json_u64(json, "piece", event->piece);
    inspect__json_u64(json, "thread", event->thread);
    inspect__json_u64(json, "begin", event->begin - begin);
    inspect__json_u64(json, "end", event->end - begin);
    if (event->replay) inspect__json_bool(json, "replay", true);
    if (event->bytes != 0) inspect__json_u64(json, "bytes", event->bytes);
    if (event->blocked > 0) inspect__json_f64(json, "blocked", event->blocked);
    inspect__json_end_object(json);
    return number != UINT32_MAX;
}

/* Writes the events of the next run. */
static bool put_frame(inspect__request *request, timeline *t) {
    inspect__json *json = &request->json;
    const covey_trace_event *first = &t->events[t->next];
    uint32_t count = 0;
    uint64_t begin = UINT64_MAX, end = 0;
    bool done = true;
    for (; t->next + count < t->count && first[count].run == first->run; count++) {
        begin = first[count].begin < begin ? first[count].begin : begin;
        end = first[count].end > end ? first[count].end : end;
    }
    if (t->start == 0) t->start = begin;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "frame", first->run);
    inspect__json_u64(json, "at", begin - t->start);
    inspect__json_u64(json, "length", end - begin);
    inspect__json_array(json, "pieces");
    for (uint32_t i = 0; i < count && done; i++) done = put_piece(request, t, &first[i], begin);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    t->next += count;
    return done;
}

static void end_answer(inspect__request *request, const timeline *t) {
    inspect__json *json = &request->json;
    inspect__json_end_array(json);
    inspect__json_array(json, "systems");
    for (uint32_t i = 0; i < t->name_count; i++) inspect__json_text(json, NULL, t->names[i]);
    inspect__json_end_array(json);
    inspect__json_u64(json, "threads", covey_schedule_threads(request->inspector->desc.schedule));
    inspect__json_end_object(json);
}

bool inspect__answer_timeline(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    uint64_t frames;
    bool begins = !request->state;
    (void)world;
    if (!inspector->desc.schedule)
        return inspect__refuse(request, 409, "ABSENT", "the inspector was opened without a .schedule");
    if (!inspect__request_number(request, "frames", 10, FRAMES, &frames)) return true;
    timeline *t = inspect__request_state(request, sizeof *t, drop_timeline);
    if (!t) return true;
    if (begins) {
        keep_runs(inspector, frames != 0 ? (uint32_t)frames : 1);
        if (!copy_events(inspector, t, (uint32_t)frames))
            return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
        inspect__json_object(&request->json, NULL);
        inspect__json_array(&request->json, "frames");
    }
    while (t->next < t->count) {
        if (!put_frame(request, t))
            return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
        if (inspect__request_pauses(request)) return false;
    }
    end_answer(request, t);
    return true;
}
