/* A schedule as text: a table of statistics, its plan, and traces. */
#include "schedule/plan.h"

#include <stdarg.h>
#include <stdio.h>

/* The receiver of the text. */
typedef struct output {
    covey_write_fn *write;
    void *context;
} output;

static void write_stdout(const char *text, void *context) {
    (void)context;
    fputs(text, stdout);
}

static output open_output(covey_write_fn *write, void *context) {
    return (output){ write ? write : write_stdout, context };
}

static void put(const output *out, const char *text) { out->write(text, out->context); }

/* For short texts with numbers. `put` takes texts of any length. */
static void putf(const output *out, const char *format, ...) COVEY__PRINTF(2, 3);

static void putf(const output *out, const char *format, ...) {
    char text[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(out, text);
}

/* Writes a name in quotes, escaped for JSON and Graphviz. */
static void put_quoted(const output *out, const char *name) {
    put(out, "\"");
    for (; *name; name++) {
        unsigned char c = (unsigned char)*name;
        if (c == '"' || c == '\\') putf(out, "\\%c", c);
        else if (c < 32) putf(out, "\\u%04x", c);
        else putf(out, "%c", c);
    }
    put(out, "\"");
}

static const char *phase_name(const covey_schedule *s, const covey__system *system) {
    return s->phases[system->phase].desc.name;
}

/* Makes the plan if necessary, although the schedule is const. If that fails, prints the reason. */
static bool is_planned(const covey_schedule *s, const output *out) {
    if (covey__schedule_plan((covey_schedule *)(uintptr_t)s) == COVEY_OK) return true;
    put(out, "no plan: ");
    put(out, s->failure);
    put(out, "\n");
    return false;
}

/* ---- Statistics --------------------------------------------------------------------------------------------------*/

static uint32_t count_entities(const covey__system *system) {
    if (system->desc.group) return covey_group_count(system->desc.group);
    return system->view.world ? covey_view_count(&system->view) : 0;
}

static covey_system_stats stats_of(const covey_schedule *s, const covey__system *system) {
    return (covey_system_stats){
        .name = system->desc.name,
        .phase = phase_name(s, system),
        .enabled = system->turns.enabled,
        .runs = system->runs,
        .last = system->last,
        .mean = system->runs != 0 ? system->total / (double)system->runs : 0,
        .worst = system->worst,
        .busy = system->busy,
        .waited = system->waited,
        .pieces = system->piece_count,
        .threads = system->threads,
        .entities = count_entities(system),
        .bytes = system->bytes,
        .bytes_total = system->bytes_total,
        .blocked = system->blocked,
        .blocked_total = system->blocked_total,
    };
}

uint32_t covey_schedule_stats(const covey_schedule *s, covey_system_stats *stats, uint32_t capacity) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    bool planned = covey__schedule_plan((covey_schedule *)(uintptr_t)s) == COVEY_OK;
    covey__system *const *systems = planned ? s->order : s->systems;
    for (uint32_t i = 0; i < s->system_count && i < capacity; i++) stats[i] = stats_of(s, systems[i]);
    return s->system_count;
}

/* Whether any body has reported bytes or blocked time. */
static bool any_moves(const covey_schedule *s) {
    bool any = false;
    for (uint32_t i = 0; i < s->system_count; i++)
        any |= s->systems[i]->bytes_total != 0 || s->systems[i]->blocked_total > 0;
    return any;
}

static void put_stats(const output *out, const covey_system_stats *stats, bool moves) {
    put(out, stats->name);
    for (size_t width = strlen(stats->name); width < 20; width++) put(out, " ");
    putf(out, " %9.1f %9.1f %9.1f %9.1f %9.1f %8.2f %7u %7u %10u", stats->last / 1e3, stats->mean / 1e3,
         stats->worst / 1e3, stats->waited / 1e3, stats->busy / 1e3, stats->last > 0 ? stats->busy / stats->last : 0,
         stats->pieces, stats->threads, stats->entities);
    if (moves) putf(out, " %12llu %9.1f", (unsigned long long)stats->bytes, stats->blocked / 1e3);
    put(out, stats->enabled ? "\n" : "  disabled\n");
}

void covey_schedule_print(const covey_schedule *s, covey_write_fn *write, void *context) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    output out = open_output(write, context);
    if (!is_planned(s, &out)) return;
    bool moves = any_moves(s);
    putf(&out, "%u threads, %llu runs; times in microseconds\n", s->threads, (unsigned long long)s->runs);
    putf(&out, "%-20s %9s %9s %9s %9s %9s %8s %7s %7s %10s", "system", "last", "mean", "worst", "waited", "busy",
         "speed-up", "pieces", "threads", "entities");
    if (moves) putf(&out, " %12s %9s", "bytes", "blocked");
    put(&out, "\n");
    for (uint32_t i = 0; i < s->system_count; i++) {
        covey_system_stats stats = stats_of(s, s->order[i]);
        put_stats(&out, &stats, moves);
    }
}

/* ---- The plan ----------------------------------------------------------------------------------------------------*/

static void put_reason(const output *out, const covey__system *leader, const covey__system *follower) {
    static const char *const words[] = { "linked", ": both write", ": written, then read", ": read, then written" };
    const covey_type *type;
    covey_wait_reason why = covey__why_waits(leader, follower, &type);
    if (type) put(out, type->name);
    put(out, words[why]);
}

static void put_leaders(const covey_schedule *s, const output *out, const covey__stage *stage,
                        const covey__system *system) {
    for (uint32_t i = stage->first; i < stage->end; i++)
        for (uint32_t k = 0; k < s->order[i]->follower_count; k++) {
            if (s->order[i]->followers[k] != system) continue;
            put(out, "\n        after ");
            put(out, s->order[i]->desc.name);
            put(out, " (");
            put_reason(out, s->order[i], system);
            put(out, ")");
        }
}

static void put_uses(const output *out, const covey__system *system, bool writes) {
    const char *between = writes ? "  writes " : "  reads ";
    for (uint32_t i = 0; i < system->use_count; i++) {
        if (system->uses[i].writes != writes) continue;
        put(out, between);
        put(out, system->uses[i].type->name);
        if (system->uses[i].resource) put(out, " (resource)");
        between = ", ";
    }
}

static const char *mark_of(const covey_system *desc) {
    if (desc->exclusive) return "  alone";
    return desc->split ? "  split" : desc->main_thread ? "  main thread" : "";
}

static void put_system(const covey_schedule *s, const output *out, const covey__stage *stage,
                       const covey__system *system) {
    put(out, "    ");
    put(out, system->desc.name);
    put(out, mark_of(&system->desc));
    put(out, system->turns.enabled ? "" : "  disabled");
    put_uses(out, system, true);
    put_uses(out, system, false);
    put_leaders(s, out, stage, system);
    put(out, "\n");
}

/* The name of the phase that begins with a stage, or NULL. */
static const char *phase_at(const covey_schedule *s, uint32_t stage) {
    bool begins = stage == 0 || s->stages[stage - 1].phase != s->stages[stage].phase;
    return begins ? s->phases[s->stages[stage].phase].desc.name : NULL;
}

void covey_schedule_print_plan(const covey_schedule *s, covey_write_fn *write, void *context) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    output out = open_output(write, context);
    if (!is_planned(s, &out)) return;
    for (uint32_t i = 0; i < s->stage_count; i++) {
        const covey__stage *stage = &s->stages[i];
        const char *phase = phase_at(s, i);
        put(&out, phase ? "phase " : i != 0 ? "sync\n" : "");
        if (phase) put(&out, phase), put(&out, "\n");
        for (uint32_t k = stage->first; k < stage->end; k++) put_system(s, &out, stage, s->order[k]);
    }
}

/* Writes the edges from a stage to the next one, through a node for the sync point between them. */
static void put_sync(const covey_schedule *s, const output *out, uint32_t number) {
    const covey__stage *stage = &s->stages[number];
    if (number != 0) putf(out, "    sync%u [shape=point];\n", number);
    for (uint32_t i = stage->first; i < stage->end; i++) {
        const covey__system *system = s->order[i];
        if (number != 0 && system->leaders == 0) {
            putf(out, "    sync%u -> ", number);
            put_quoted(out, system->desc.name);
            put(out, ";\n");
        }
        if (number + 1 == s->stage_count || system->follower_count != 0) continue;
        put(out, "    ");
        put_quoted(out, system->desc.name);
        putf(out, " -> sync%u;\n", number + 1);
    }
}

static void put_edges(const output *out, const covey__system *system) {
    for (uint32_t i = 0; i < system->follower_count; i++) {
        put(out, "    ");
        put_quoted(out, system->desc.name);
        put(out, " -> ");
        put_quoted(out, system->followers[i]->desc.name);
        put(out, ";\n");
    }
}

static const char *style_of(const covey_system *desc) {
    if (desc->exclusive) return " [style=bold];\n";
    return desc->split ? " [peripheries=2];\n" : desc->main_thread ? " [style=dashed];\n" : ";\n";
}

void covey_schedule_print_dot(const covey_schedule *s, covey_write_fn *write, void *context) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    output out = open_output(write, context);
    if (!is_planned(s, &out)) return;
    put(&out, "digraph schedule {\n    rankdir=LR;\n    node [shape=box];\n");
    for (uint32_t i = 0; i < s->system_count; i++) {
        const covey__system *system = s->order[i];
        put(&out, "    ");
        put_quoted(&out, system->desc.name);
        put(&out, style_of(&system->desc));
        put_edges(&out, system);
    }
    for (uint32_t i = 0; i < s->stage_count; i++) put_sync(s, &out, i);
    put(&out, "}\n");
}

/* ---- Traces ------------------------------------------------------------------------------------------------------*/

/* Writes nanoseconds as microseconds. */
static void put_time(const output *out, const char *name, uint64_t ns) {
    putf(out, ",\"%s\":%llu.%03u", name, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void put_event(const output *out, const covey_trace_event *event, uint64_t start) {
    put(out, ",\n{\"name\":");
    put_quoted(out, event->system);
    put(out, event->replay ? ",\"cat\":\"replay\"" : ",\"cat\":\"system\"");
    putf(out, ",\"ph\":\"X\",\"pid\":1,\"tid\":%u", event->thread);
    put_time(out, "ts", event->begin - start);
    put_time(out, "dur", event->end - event->begin);
    putf(out, ",\"args\":{\"piece\":%u", event->piece);
    if (event->bytes != 0) putf(out, ",\"bytes\":%llu", (unsigned long long)event->bytes);
    if (event->blocked > 0) put_time(out, "blocked", (uint64_t)event->blocked);
    put(out, "}}");
}

void covey_schedule_print_trace(const covey_schedule *s, covey_write_fn *write, void *context) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    output out = open_output(write, context);
    uint64_t start = UINT64_MAX;
    for (uint32_t i = s->event_first; i < s->event_count; i++)
        start = s->events_noted[i].begin < start ? s->events_noted[i].begin : start;
    put(&out, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n");
    put(&out, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"covey\"}}");
    for (uint32_t i = 0; i < s->threads; i++)
        putf(&out, ",\n{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":%u,\"args\":{\"name\":\"thread %u\"}}",
             i, i);
    for (uint32_t i = s->event_first; i < s->event_count; i++) put_event(&out, &s->events_noted[i], start);
    put(&out, "\n]}\n");
}
