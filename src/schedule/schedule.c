/* Schedules: making them, adding and removing systems and phases. */
#include "memory/inner.h"
#include "schedule/plan.h"

#include "memory/alloc.h"
#include "change/commands.h"
#include "observe/observers.h"
#include "memory/result.h"

/* ---- Failing -----------------------------------------------------------------------------------------------------*/

const char *covey_schedule_failure(const covey_schedule *s) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    return s->failure;
}

static covey_result fail_memory(covey_schedule *s) {
    return covey__schedule_fail(s, COVEY_ERROR_MEMORY, "a schedule could not grow: an allocation failed");
}

/* Whether the schedule is not running; if it is, a contract is broken. */
static bool is_idle(const covey_schedule *s) {
    COVEY__CONTRACT(s->dependent.world, !s->dependent.busy,
                    "a schedule is changed or destroyed while it runs: do it afterwards");
    return !s->dependent.busy;
}

/* Whether the schedule may be changed: it is not running, and its world exists. */
static bool is_open(const covey_schedule *s) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    return is_idle(s) && s->dependent.world;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* Returns a copy of a name that lives as long as the schedule; makes it if there is none yet. NULL: MEMORY. */
static const char *keep_name(covey_schedule *s, const char *name) {
    for (covey__kept_name *kept = s->names; kept; kept = kept->next)
        if (strcmp(kept->text, name) == 0) return kept->text;
    size_t bytes = sizeof(covey__kept_name) + strlen(name) + 1;
    covey__kept_name *kept = covey__resize(&s->heap, NULL, 0, bytes, 1, alignof(covey__kept_name));
    if (!kept) return NULL;
    kept->next = s->names;
    kept->bytes = bytes;
    memcpy(kept->text, name, bytes - sizeof *kept);
    s->names = kept;
    return kept->text;
}

/* The same for a name that may be NULL. */
static bool keep_optional(covey_schedule *s, const char **name) {
    if (*name) *name = keep_name(s, *name);
    return *name != NULL;
}

/* ---- Phases ------------------------------------------------------------------------------------------------------*/

static covey__turns turns_of(uint32_t every, bool once, bool disabled, covey_when_fn *when, void *context) {
    return (covey__turns){ 0, 0, every != 0 ? every : 1, once, !disabled, when, context };
}

/* The number of a phase, or COVEY__NO_PHASE. */
static uint32_t find_phase(const covey_schedule *s, const char *name) {
    for (uint32_t i = 1; name && i < s->phase_count; i++)
        if (strcmp(s->phases[i].desc.name, name) == 0) return i;
    return COVEY__NO_PHASE;
}

static covey_result add_phase(covey_schedule *s, const covey_phase *phase) {
    covey__phase *phases = covey__schedule_reach(s, s->phases, &s->phase_capacity, s->phase_count + 1, sizeof *phases);
    if (!phases) return fail_memory(s);
    s->phases = phases;
    covey__phase *added = &s->phases[s->phase_count];
    *added = (covey__phase){ .desc = *phase };
    added->turns = turns_of(phase->every, phase->once, phase->disabled, phase->when, phase->context);
    if (phase->name && !keep_optional(s, &added->desc.name)) return fail_memory(s);
    s->phase_count++;
    s->planned = false;
    return COVEY_OK;
}

covey_result covey_phase_add(covey_schedule *s, const covey_phase *phase) {
    if (!is_open(s)) return COVEY_ERROR_REFUSED;
    if (!phase || !phase->name || !(phase->step >= 0) || phase->step > 1e9)
        return covey__schedule_fail(s, COVEY_ERROR_TYPE, "a phase needs a name, and a step from 0 to 1e9 seconds");
    if (find_phase(s, phase->name) != COVEY__NO_PHASE)
        return covey__schedule_fail(s, COVEY_ERROR_PRESENT, "a phase named %s exists already: rename one", phase->name);
    return add_phase(s, phase);
}

bool covey_phase_enable(covey_schedule *s, const char *name, bool enabled) {
    COVEY__CONTRACT(NULL, s && name, "a call needs a schedule and a name");
    uint32_t phase = find_phase(s, name);
    if (phase != COVEY__NO_PHASE) s->phases[phase].turns.enabled = enabled;
    return phase != COVEY__NO_PHASE;
}

double covey_phase_fraction(const covey_schedule *s, const char *name) {
    COVEY__CONTRACT(NULL, s && name, "a call needs a schedule and a name");
    uint32_t phase = find_phase(s, name);
    bool steps = phase != COVEY__NO_PHASE && s->phases[phase].desc.step > 0;
    double passed = steps ? s->phases[phase].passed / s->phases[phase].desc.step : 0;
    return passed < 1 ? passed : 1; /* more than 1 if a failed run has left steps */
}

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

static bool is_zero(const covey_view_desc *desc) {
    return !desc->with[0] && !desc->optional[0] && !desc->any[0] && !desc->without[0];
}

static void add_use(covey__system *system, const covey_type *type, bool writes, bool resource) {
    system->uses[system->use_count++] = (covey_system_use){ type, writes, resource };
}

static void add_uses(covey__system *system, const covey_type *const *types, bool writes, bool resource) {
    for (uint32_t i = 0; i < COVEY_TERMS && types[i]; i++) add_use(system, types[i], writes, resource);
}

/* Whether a loop writes a field. A tag has no value to write, but may have ticks. */
static bool is_written(const covey_view *view, uint32_t field) {
    const covey_type *type = covey_view_type(view, field);
    return !covey_view_is_read_only(view, field) && (type->size != 0 || type->ticks);
}

static void find_uses(covey__system *system) {
    const covey_system *desc = &system->desc;
    for (uint32_t i = 0; i < covey_view_fields(&system->view); i++)
        add_use(system, covey_view_type(&system->view, i), is_written(&system->view, i), false);
    add_uses(system, desc->reads, false, false);
    add_uses(system, desc->writes, true, false);
    add_uses(system, desc->resource_reads, false, true);
    add_uses(system, desc->resource_writes, true, true);
}

static bool are_named(const covey_type *const *types) {
    for (uint32_t i = 0; i < COVEY_TERMS && types[i]; i++)
        if (!types[i]->name) return false;
    return true;
}

/* What is wrong with a description, as text that follows "system <name>"; or NULL. */
static const char *fault_of(const covey_system *desc) {
    bool views = desc->group || !is_zero(&desc->view);
    if (!desc->run) return "has no function: set .run";
    if (desc->group && !is_zero(&desc->view)) return "has a view and a group: set only one of them";
    if (desc->split && desc->exclusive) return "is .split and .exclusive: set only one of them";
    if (desc->split && desc->main_thread) return "is .split and .main_thread: set only one of them";
    if (desc->split && !views) return "is .split, but has no view or group: set one, or remove .split";
    if (desc->merge && (desc->scratch == 0 || !desc->total))
        return "has .merge, but no .scratch or no .total: set all three";
    if (!desc->merge && desc->total) return "has .total, but no .merge: set both";
    if (desc->scratch > UINT32_MAX / 2) return "has a .scratch that is too large: at most 2 GB";
    if (!are_named(desc->reads) || !are_named(desc->writes) || !are_named(desc->resource_reads) ||
        !are_named(desc->resource_writes))
        return "uses a type without a name: set .name of the type";
    return NULL;
}

static bool keep_names(covey_schedule *s, covey_system *desc) {
    bool kept = keep_optional(s, &desc->name);
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS && desc->after[i]; i++) kept &= keep_optional(s, &desc->after[i]);
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS && desc->before[i]; i++) kept &= keep_optional(s, &desc->before[i]);
    if (desc->phase) kept &= keep_optional(s, &desc->phase);
    return kept;
}

static void free_pieces(covey_schedule *s, covey__system *system) {
    for (uint32_t i = 0; i < system->piece_capacity; i++) covey_commands_destroy(system->pieces[i].commands);
    covey__free(&s->heap, system->pieces, system->piece_capacity, sizeof *system->pieces, alignof(covey__piece));
}

static void free_system(covey_schedule *s, covey__system *system) {
    free_pieces(s, system);
    covey__free(&s->heap, system->whole, 1, sizeof *system->whole, alignof(covey_iter));
    covey__free(&s->heap, system->shares, s->threads, sizeof *system->shares, alignof(covey__share));
    covey__free(&s->heap, system->scratch, system->scratch_lines, 64, 64);
    covey__schedule_free(s, system->followers, system->follower_capacity, sizeof *system->followers);
    covey__free(&s->heap, system, 1, sizeof *system, alignof(covey__system));
}

/* Frees a system that was added, and drops its context. */
static void end_system(covey_schedule *s, covey__system *system) {
    void (*drop)(void *context) = system->desc.drop;
    void *context = system->desc.context;
    free_system(s, system);
    if (drop) drop(context);
}

/* Makes a system that is in no list yet. NULL: MEMORY. */
static covey__system *make_system(covey_schedule *s, const covey_system *desc, uint32_t phase) {
    covey__system *system = covey__resize(&s->heap, NULL, 0, 1, sizeof *system, alignof(covey__system));
    if (!system) return NULL;
    memset(system, 0, sizeof *system);
    system->desc = *desc;
    system->phase = phase;
    system->turns = turns_of(desc->every, desc->once, desc->disabled, desc->when, desc->context);
    system->stride = (desc->scratch + 63) / 64;
    bool made = keep_names(s, &system->desc);
    if (desc->split) {
        system->whole = covey__resize(&s->heap, NULL, 0, 1, sizeof(covey_iter), alignof(covey_iter));
        system->shares = covey__resize(&s->heap, NULL, 0, s->threads, sizeof *system->shares, alignof(covey__share));
        made = made && system->whole && system->shares;
    }
    if (made) return system;
    free_system(s, system);
    return NULL;
}

static covey_result enlist_system(covey_schedule *s, covey__system *system) {
    covey__system **systems =
        covey__schedule_reach(s, s->systems, &s->system_capacity, s->system_count + 1, sizeof *systems);
    if (!systems) return fail_memory(s);
    s->systems = systems;
    s->systems[s->system_count++] = system;
    s->planned = false;
    return COVEY_OK;
}

/* Removes a system from the list. */
static void delist_system(covey_schedule *s, const covey__system *system) {
    uint32_t at = 0;
    while (s->systems[at] != system) at++;
    memmove(s->systems + at, s->systems + at + 1, (s->system_count - at - 1) * sizeof *s->systems);
    s->system_count--;
    s->planned = false;
}

static covey_result add_system(covey_schedule *s, const covey_system *desc, uint32_t phase) {
    covey__system *system = make_system(s, desc, phase);
    if (!system) return fail_memory(s);
    if (desc->group) system->view = desc->group->view;
    else if (!is_zero(&desc->view)) system->view = covey_view_make(s->dependent.world, &desc->view);
    covey_result result = COVEY_OK;
    if (!desc->group && !is_zero(&desc->view) && !covey_view_valid(&system->view))
        result = covey__schedule_fail(s, COVEY_ERROR_TYPE,
                                      "system %s has a view that is not valid: see the log for why", desc->name);
    find_uses(system);
    if (result == COVEY_OK) result = enlist_system(s, system);
    if (result == COVEY_OK) {
        result = covey__schedule_order(s);
        if (result == COVEY_OK) return result;
        delist_system(s, system);
    }
    free_system(s, system);
    return result;
}

covey_result covey_system_add(covey_schedule *s, const covey_system *desc) {
    if (!is_open(s)) return COVEY_ERROR_REFUSED;
    if (!desc || !desc->name) return covey__schedule_fail(s, COVEY_ERROR_TYPE, "a system needs a name: set .name");
    const char *fault = fault_of(desc);
    uint32_t phase = desc->phase ? find_phase(s, desc->phase) : s->phase_count - 1;
    if (fault) return covey__schedule_fail(s, COVEY_ERROR_TYPE, "system %s %s", desc->name, fault);
    if (covey__system_find(s, desc->name))
        return covey__schedule_fail(s, COVEY_ERROR_PRESENT, "a system named %s exists already: rename one", desc->name);
    if (phase == COVEY__NO_PHASE)
        return covey__schedule_fail(s, COVEY_ERROR_ABSENT,
                                    "system %s is to be in phase %s, which was not added: call covey_phase_add first",
                                    desc->name, desc->phase);
    return add_system(s, desc, phase);
}

bool covey_system_remove(covey_schedule *s, const char *name) {
    COVEY__CONTRACT(NULL, s && name, "a call needs a schedule and a name");
    covey__system *system = is_open(s) ? covey__system_find(s, name) : NULL;
    if (!system) return false;
    delist_system(s, system);
    end_system(s, system);
    return true;
}

bool covey_system_enable(covey_schedule *s, const char *name, bool enabled) {
    COVEY__CONTRACT(NULL, s && name, "a call needs a schedule and a name");
    covey__system *system = covey__system_find(s, name);
    if (system) system->turns.enabled = enabled;
    return system != NULL;
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

static uint32_t count_threads(const covey_schedule_desc *desc) {
    uint32_t threads = desc->threads != 0 ? desc->threads : desc->jobs.run ? desc->jobs.threads : covey__cores();
    return threads == 0 ? 1 : threads < COVEY_THREADS ? threads : COVEY_THREADS;
}

/* Uses the thread pool of the program, or starts a crew. */
static bool find_threads(covey_schedule *s, const covey_schedule_desc *desc) {
    uint32_t wanted = s->threads = count_threads(desc);
    s->jobs = desc->jobs;
    s->patience = covey__patience_of(wanted);
    if (desc->jobs.run || wanted == 1) return true;
    s->crew = covey__crew_create(&s->heap, wanted);
    if (!s->crew) return false;
    s->threads = covey__crew_threads(s->crew);
    s->jobs = (covey_jobs){ covey__crew_run, s->crew, s->threads };
    if (s->threads < wanted)
        covey__fail(s->dependent.world, COVEY_ERROR_FULL,
                    "only %u of %u threads could be started: the schedule continues with these", s->threads, wanted);
    return true;
}

static bool open_schedule(covey_schedule *s, const covey_schedule_desc *desc) {
    if (!find_threads(s, desc)) return false;
    s->workers = covey__resize(&s->heap, NULL, 0, s->threads, sizeof *s->workers, 64);
    for (uint32_t i = 0; s->workers && i < s->threads; i++) s->workers[i].job.bytes = 0, s->workers[i].job.blocked = 0;
    return s->workers && add_phase(s, &(covey_phase){ .name = NULL }) == COVEY_OK;
}

static void free_names(covey_schedule *s) {
    while (s->names) {
        covey__kept_name *name = s->names;
        s->names = name->next;
        covey__free(&s->heap, name, name->bytes, 1, alignof(covey__kept_name));
    }
}

static void end_systems(covey_schedule *s) {
    for (uint32_t i = 0; i < s->system_count; i++) end_system(s, s->systems[i]);
    s->system_count = 0;
    s->planned = s->has_left = false;
}

/* Called if the world ends before the schedule: frees all systems, because they use the world's command buffers and
 * views. */
static void end_world(covey_dependent *dependent) { end_systems((covey_schedule *)(void *)dependent); }

static void free_schedule(covey_schedule *s) {
    covey__heap heap = s->heap;
    covey_dependent_detach(&s->dependent);
    covey__free(&heap, s, 1, sizeof *s, alignof(covey_schedule));
}

void covey_schedule_destroy(covey_schedule *s) {
    if (!s || !is_idle(s)) return;
    covey__heap *heap = &s->heap;
    covey__crew_destroy(heap, s->crew);
    end_systems(s);
    free_names(s);
    covey__free(heap, s->workers, s->threads, sizeof *s->workers, 64);
    covey__schedule_free(s, s->phases, s->phase_capacity, sizeof *s->phases);
    covey__schedule_free(s, s->systems, s->system_capacity, sizeof *s->systems);
    covey__schedule_free(s, s->order, s->order_capacity, sizeof *s->order);
    covey__schedule_free(s, s->stages, s->stage_capacity, sizeof *s->stages);
    covey__schedule_free(s, (void *)s->ready, s->ready_capacity, sizeof *s->ready);
    covey__schedule_free(s, s->events_noted, s->event_capacity, sizeof *s->events_noted);
    covey__gate_close(&s->gate);
    free_schedule(s);
}

covey_schedule *covey_schedule_create(covey_world *world, const covey_schedule_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_schedule_desc defaults = { 0 };
    if (!desc) desc = &defaults;
    covey__heap heap = { desc->allocator.fn ? desc->allocator : world->inner->heap.allocator, 0, NULL };
    covey_schedule *s = covey__resize(&heap, NULL, 0, 1, sizeof *s, alignof(covey_schedule));
    if (s) {
        memset(s, 0, sizeof *s);
        s->dependent.left = "a world is destroyed before its schedule: call covey_schedule_destroy first";
        s->dependent.ended = end_world;
        covey_dependent_attach(world, &s->dependent);
        s->heap = heap;
        s->profiler = desc->profiler;
        bool gate = covey__gate_open(&s->gate);
        if (gate && open_schedule(s, desc)) return s;
        if (gate) covey_schedule_destroy(s);
        else free_schedule(s);
    }
    covey__fail(world, COVEY_ERROR_MEMORY, "a schedule could not be created: an allocation failed");
    return NULL;
}

uint32_t covey_schedule_threads(const covey_schedule *s) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    return s->threads;
}
