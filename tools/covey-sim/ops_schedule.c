/* Schedules: systems on one to eight threads, held against a model without threads; and the same systems in two clones
 * of the world, on one thread and on several.
 *
 * The model cannot follow a run in which memory failed, a listener changed the world, or a command failed. Then it
 * takes everything from the library, and the schedule is run once more, not predicted, before it is made anew. */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "systems.h"

#include <stdlib.h>
#include <time.h>

/* ---- Threads ------------------------------------------------------------------------------------------------------*/

/* All calls on the calling thread, the last first: nothing runs at the same time, so memory can fail. */
static void run_in_reverse(void *pool, uint32_t count, covey_task_fn *task, void *context) {
    (void)pool;
    while (count-- != 0) task(context, count);
}

/* The first piece takes so long that several threads are worth it the next time. */
static void nap(const char *system, uint32_t piece, void *context) {
    (void)system, (void)context;
    if (piece == 0) nanosleep(&(struct timespec){ .tv_nsec = 1000 }, NULL);
}

static covey_schedule_desc pick_threads(uint32_t n) {
    covey_schedule_desc desc = { .threads = 1 + n / 4 % 8 };
    if (n % 4 == 0) desc = (covey_schedule_desc){ .jobs = { .run = run_in_reverse, .threads = 1 + n / 4 % 8 } };
    else if (desc.threads > 1) desc.profiler = (covey_profiler){ .begin = nap };
    return desc;
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

static void begin_empty(sim_schedules *h) { *h = (sim_schedules){ .s = h->s, .phase_count = 1, .last = h->last }; }

static void begin(sim *s, sim_side *side) {
    side->schedules = calloc(1, sizeof *side->schedules);
    if (!side->schedules) abort();
    side->schedules->s = s;
    begin_empty(side->schedules);
}

static void end_schedule(sim *s, sim_schedules *h) {
    covey_schedule_destroy(h->schedule);
    SIM_REQUIRE(s, h->members == 0, "%u contexts of systems were not dropped", h->members);
    begin_empty(h);
}

static void end(sim *s, sim_side *side) {
    end_schedule(s, side->schedules);
    free(side->schedules);
}

static bool has_group(const covey_world *world, const covey_group *group) {
    for (uint32_t i = 0; i < covey_world_group_count(world); i++)
        if (covey_world_group(world, i) == group) return true;
    return false;
}

static void remove_member(sim *s, sim_schedules *h, uint32_t at) {
    char name[NAME];
    memcpy(name, h->systems[at]->name, NAME);
    memmove(&h->systems[at], &h->systems[at + 1], (--h->count - at) * sizeof h->systems[0]);
    SIM_REQUIRE(s, covey_system_remove(h->schedule, name), "system %s is not there", name);
    SIM_REQUIRE(s, h->members == h->count, "%u contexts for %u systems", h->members, h->count);
}

/* A system ends with its group. */
static void check(sim *s, sim_side *side) {
    sim_schedules *h = side->schedules;
    for (uint32_t i = h->count; i-- != 0;) {
        const member *m = h->systems[i];
        if (m->desc.group && !has_group(side->world, m->desc.group)) remove_member(s, h, i);
    }
}

static uint64_t in_force(const sim_side *side) { return side->schedules->count != 0 ? SIM_BIT(SIM_SCHEDULE) : 0; }

const sim_part sim_part_schedules = { .begin = begin, .end = end, .check = check, .in_force = in_force };

bool sim_schedule_is_off_track(const sim_side *side) { return side->schedules->off_track; }

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static bool make_schedule(sim *s, sim_side *side, uint32_t n) {
    sim_schedules *h = side->schedules;
    covey_schedule_desc desc = pick_threads(n);
    sim_say(s, "schedule_create: %u threads", desc.jobs.run ? desc.jobs.threads : desc.threads);
    h->schedule = covey_schedule_create(side->world, &desc);
    h->on_threads = !desc.jobs.run && desc.threads > 1;
    return sim_settle(s, side, h->schedule != NULL, COVEY_OK);
}

/* A new one, if the old one cannot be predicted any more, or seldom. */
static void create(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    if (h->schedule && !h->off_track && schedule_has_plan(h) && step->b % 16 != 0) return;
    end_schedule(s, h);
    make_schedule(s, side, step->a);
}

static void add_phase(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    if (!h->schedule || h->phase_count == PHASES) return;
    phase *p = &h->phases[h->phase_count];
    *p = (phase){ .desc = { .name = p->name } };
    snprintf(p->name, NAME, "p%u", h->phase_count);
    if (step->a % 3 == 0) p->desc.step = 0.25 * (1 + step->a / 3 % 3);
    if (step->b % 3 == 0) p->desc.most = 1 + step->b / 3 % 3;
    if (step->c % 3 == 0) p->desc.every = 1 + step->c / 3 % 3;
    p->desc.once = p->desc.step == 0 && step->c / 9 % 12 == 0;
    sim_say(s, "phase_add: %s, step %g, every %u", p->name, p->desc.step, p->desc.every);
    if (sim_settle_result(s, covey_phase_add(h->schedule, &p->desc), COVEY_OK)) h->phase_count++;
}

static void add_system(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    member *order[SYSTEMS];
    if (h->count == SYSTEMS || (!h->schedule && !make_schedule(s, side, step->c))) return;
    member *m = system_make(side, step);
    sim_say(s, "system_add: %s%s%s, %u fields%s, phase %u, after \"%s\", before \"%s\", creates %u", m->name,
            m->desc.split ? ", split" : "", m->desc.exclusive ? ", exclusive" : "", m->field_count,
            m->desc.group ? " of a group" : "", m->phase, m->after, m->before, m->desc.creates);
    h->systems[h->count++] = m;
    covey_result expected = schedule_order(h, order) == h->count ? COVEY_OK : COVEY_ERROR_CYCLE;
    if (sim_settle_result(s, covey_system_add(h->schedule, &m->desc), expected)) {
        h->members++;
        h->last++;
        return;
    }
    h->count--;
    free(m);
}

static void remove_system(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    if (h->count == 0) return;
    sim_say(s, "system_remove: %s", h->systems[step->a % h->count]->name);
    SIM_REQUIRE(s, !covey_system_remove(h->schedule, "none"), "a system that does not exist is removed");
    remove_member(s, h, step->a % h->count);
}

static void enable_system(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    if (h->count == 0) return;
    member *m = h->systems[step->a % h->count];
    bool on = step->b % 4 != 0 ? !m->on : m->on;
    sim_say(s, "system_enable: %s, %d", m->name, on);
    SIM_REQUIRE(s, covey_system_enable(h->schedule, m->name, on), "system %s is not there", m->name);
    if (on == m->on || !sim_lies(s, SIM_LIE_ENABLING_FORGOTTEN)) m->on = on;
}

/* Bodies found values damaged, or their job wrong. */
static void check_members(sim *s, const sim_schedules *h) {
    for (uint32_t i = 0; i < h->count; i++)
        SIM_REQUIRE(s, atomic_load(&h->systems[i]->faults) == 0, "system %s found %u faults", h->systems[i]->name,
                    atomic_load(&h->systems[i]->faults));
}

static void check_visits(sim *s, const sim_schedules *h) {
    for (uint32_t i = 0; i < h->count; i++) {
        const member *m = h->systems[i];
        uint32_t visited = atomic_load(&m->visited);
        SIM_REQUIRE(s, system_is_direct(m) || visited == m->visits_expected, "system %s makes %u visits, not %u",
                    m->name, visited, m->visits_expected);
        if (!m->desc.merge) continue;
        bool right = m->total.numbers == m->expected.numbers && m->total.count == m->expected.count;
        SIM_REQUIRE(s, right, "system %s: %u in the total, not %u", m->name, (unsigned)m->total.count,
                    (unsigned)m->expected.count);
    }
}

/* The model takes everything from the library. */
static void leave_track(sim *s, sim_side *side) {
    sim_schedules *h = side->schedules;
    h->off_track = true;
    for (uint32_t i = 0; i < h->count; i++) h->systems[i]->expected = h->systems[i]->total;
    sim_adopt(s, side);
    sim_mirrors_renew(side);
}

/* Where handles are small, a world may have no index left at any time. */
static bool may_be_full(void) { return COVEY_INDEX_BITS < 16; }

static void settle_run(sim *s, sim_side *side, covey_result result, double seconds) {
    sim_schedules *h = side->schedules;
    bool full = result == COVEY_ERROR_FULL && may_be_full();
    bool failed = full || (result != COVEY_OK && s->heap.failed); /* maybe for a system, which comes before a command */
    if (h->off_track || s->nested != 0 || failed) {
        leave_track(s, side);
        return;
    }
    for (uint32_t i = 0; i < h->count; i++) h->systems[i]->turn = h->systems[i]->visits_expected = 0;
    prediction out = schedule_predict(s, side, seconds);
    if (out.is_open) {
        SIM_REQUIRE(s, result != COVEY_OK, "the run succeeds, although a command failed");
        leave_track(s, side);
        return;
    }
    SIM_REQUIRE(s, result == out.result, "the run returns \"%s\", not \"%s\": %s", covey_result_text(result),
                covey_result_text(out.result), covey_schedule_failure(h->schedule));
    check_visits(s, h);
    sim_mirrors_renew(side);
}

/* What a schedule is made from: it owns its systems, so these are copies. */
typedef struct blueprint {
    phase phases[PHASES];
    member *systems[SYSTEMS];
    uint32_t phase_count, count;
} blueprint;

static member *copy_member(const member *of) {
    member *m = calloc(1, sizeof *m);
    if (!m) abort();
    *m = *of;
    m->desc.name = m->name;
    m->desc.context = m;
    m->desc.disabled = !m->on;
    if (m->desc.after[0]) m->desc.after[0] = m->after;
    if (m->desc.before[0]) m->desc.before[0] = m->before;
    if (m->desc.merge) m->desc.total = &m->total;
    m->total = m->expected = (sum){ 0 };
    m->asked = 0;
    return m;
}

static blueprint copy_schedule(const sim_schedules *h) {
    blueprint copy = { .phase_count = h->phase_count, .count = h->count };
    memcpy(copy.phases, h->phases, sizeof copy.phases);
    for (uint32_t i = 0; i < h->count; i++) copy.systems[i] = copy_member(h->systems[i]);
    return copy;
}

static void fill_phases(sim *s, sim_schedules *h, const blueprint *from, uint32_t count) {
    for (; h->phase_count < count; h->phase_count++) {
        phase *p = &h->phases[h->phase_count];
        *p = from->phases[h->phase_count];
        p->asked = 0;
        p->passed = 0;
        sim_settle_result(s, covey_phase_add(h->schedule, &p->desc), COVEY_OK);
    }
}

/* A system without a phase belongs to the phase that is last when the system is added. */
static void fill_schedule(sim *s, sim_schedules *h, const blueprint *from) {
    for (; h->count < from->count; h->count++, h->members++) {
        member *m = h->systems[h->count] = from->systems[h->count];
        fill_phases(s, h, from, m->phase + 1);
        sim_settle_result(s, covey_system_add(h->schedule, &m->desc), COVEY_OK);
    }
    fill_phases(s, h, from, from->phase_count);
}

/* A schedule with the same phases and systems takes the place of one that the model cannot follow any more. */
static void make_anew(sim *s, sim_side *side, uint32_t n) {
    sim_schedules *h = side->schedules;
    blueprint copy = copy_schedule(h);
    test_fail_never(&s->heap);
    end_schedule(s, h);
    make_schedule(s, side, n);
    fill_schedule(s, h, &copy);
}

static void run(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    double seconds = 0.25 * (step->b % 8);
    if (h->count == 0) return;
    sim_say(s, "schedule_run: %u systems, %g seconds%s", h->count, seconds, h->off_track ? ", off track" : "");
    if (h->on_threads) test_fail_never(&s->heap); /* which allocation fails would depend on threads */
    h->crowded = sim_is_crowded(side);
    for (uint32_t i = 0; i < h->count; i++) system_begin(side, h->systems[i]);
    covey_result result = covey_schedule_run_for(h->schedule, seconds);
    if (s->trace) printf("      %s %s\n", covey_result_text(result), covey_schedule_failure(h->schedule));
    check_members(s, h);
    bool again = h->off_track;
    settle_run(s, side, result, seconds);
    h->run++;
    if (again) make_anew(s, side, step->c);
}

static void skip(sim *s, sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    (void)step;
    if (!h->schedule || h->count == 0) return;
    sim_say(s, "schedule_skip");
    bool skipped = covey_schedule_skip(h->schedule);
    SIM_REQUIRE(s, h->off_track || !skipped, "a command was left over");
}

static void ignore_text(const char *text, void *context) { (void)text, (void)context; }

static uint32_t count_visited(const naive_world *naive, const member *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < naive->count; i++) count += system_visits(m, &naive->list[i]);
    return count;
}

static void check_stats(sim *s, const sim_side *side, member *const *order) {
    const sim_schedules *h = side->schedules;
    covey_system_stats stats[SYSTEMS];
    SIM_REQUIRE(s, covey_schedule_stats(h->schedule, stats, SYSTEMS) == h->count, "another number of systems");
    for (uint32_t i = 0; i < h->count; i++)
        SIM_REQUIRE(s,
                    strcmp(stats[i].name, order[i]->name) == 0 && stats[i].enabled == order[i]->on &&
                        (!order[i]->visits || stats[i].entities == count_visited(side->naive, order[i])),
                    "the statistics of %s are wrong", order[i]->name);
}

/* Whether each system says of an entity whether it iterates it. */
static void check_contains(sim *s, const sim_side *side, member *const *order, const naive_entity *entity) {
    const sim_schedules *h = side->schedules;
    for (uint32_t i = 0; i < h->count; i++) {
        bool contains = covey_schedule_contains(h->schedule, i, entity->e);
        SIM_REQUIRE(s, !order[i]->visits || contains == system_visits(order[i], entity), "%s is wrong about entity %u",
                    order[i]->name, entity->e.index);
    }
}

/* The plan, statistics and a trace. */
static void inspect(sim *s, sim_side *side, const sim_step *step) {
    const sim_schedules *h = side->schedules;
    member *order[SYSTEMS];
    covey_planned_system planned[SYSTEMS];
    if (h->count == 0 || !schedule_has_plan(h)) return;
    sim_say(s, "schedule_plan, schedule_stats, schedule_contains, schedule_trace");
    uint32_t count = schedule_order(h, order), known = covey_schedule_plan(h->schedule, planned, SYSTEMS);
    if (known == 0 && s->heap.failed) return;
    SIM_REQUIRE(s, known == count, "the plan has %u systems, not %u", known, count);
    for (uint32_t i = 0; i < count; i++)
        SIM_REQUIRE(s, strcmp(planned[i].name, order[i]->name) == 0, "system %u is %s, not %s", i, planned[i].name,
                    order[i]->name);
    check_stats(s, side, order);
    if (side->naive->count != 0) check_contains(s, side, order, &side->naive->list[step->b % side->naive->count]);
    covey_schedule_print_plan(h->schedule, ignore_text, NULL);
    covey_schedule_print_trace(h->schedule, ignore_text, NULL);
    covey_schedule_trace(h->schedule, step->a % 3);
}

/* ---- The number of threads shows nowhere --------------------------------------------------------------------------*/

/* A clone of the world, with new systems as those of the side. */
typedef struct twin {
    covey_world *world;
    sim_schedules schedules;
    covey_result results[3];
} twin;

static void add_twin(twin *t, const member *of) {
    member *m = calloc(1, sizeof *m);
    if (!m) abort();
    *m = *of;
    m->of = &t->schedules;
    m->desc.context = m;
    m->desc.after[0] = m->desc.before[0] = m->desc.phase = NULL;
    if (m->desc.merge) m->desc.total = &m->total;
    t->schedules.systems[t->schedules.count++] = m;
    t->schedules.members++;
    if (covey_system_add(t->schedules.schedule, &m->desc) != COVEY_OK) abort(); /* no allocation fails here */
}

static void run_twin(twin *t, const sim_side *side, const covey_schedule_desc *desc) {
    t->schedules.schedule = covey_schedule_create(t->world, desc);
    t->schedules.crowded = sim_is_crowded(side);
    if (!t->schedules.schedule) abort();
    for (uint32_t i = 0; i < side->schedules->count; i++)
        if (!side->schedules->systems[i]->desc.group) add_twin(t, side->schedules->systems[i]);
    for (; t->schedules.run < 3; t->schedules.run++) {
        for (uint32_t i = 0; i < t->schedules.count; i++) system_begin(side, t->schedules.systems[i]);
        t->results[t->schedules.run] = covey_schedule_run(t->schedules.schedule);
    }
}

static void compare_values(sim *s, const twin *a, const twin *b, covey_entity e, uint32_t type) {
    const void *one = covey_get_raw(a->world, e, value_types[type]),
               *two = covey_get_raw(b->world, e, value_types[type]);
    uint32_t seeds[2] = { 0, 0 };
    covey_entity links[2] = { { 0 }, { 0 } };
    bool whole = !one == !two;
    if (one && two) whole = value_read(type, one, &seeds[0], &links[0]) && value_read(type, two, &seeds[1], &links[1]);
    SIM_REQUIRE(s, whole && seeds[0] == seeds[1] && covey_same(links[0], links[1]),
                "%s of %u depends on the number of threads", value_types[type]->name, e.index);
    SIM_REQUIRE(
        s, covey_changed_at_raw(a->world, e, value_types[type]) == covey_changed_at_raw(b->world, e, value_types[type]),
        "the tick of %s of %u depends on the number of threads", value_types[type]->name, e.index);
}

static void compare_twins(sim *s, const twin *a, const twin *b) {
    covey_entity e = COVEY_NULL;
    const char *why = "";
    if (!covey_world_validate(a->world, &why) || !covey_world_validate(b->world, &why)) sim_fail_for(s, why, "a twin");
    SIM_REQUIRE(s, memcmp(a->results, b->results, sizeof a->results) == 0, "a result depends on the number of threads");
    do {
        covey_entity next = covey_entity_next(b->world, e);
        e = covey_entity_next(a->world, e);
        SIM_REQUIRE(s, covey_same(e, next), "entities depend on the number of threads");
        for (uint32_t t = 0; t < NAIVE_TYPES; t++) compare_values(s, a, b, e, t);
    } while (!covey_is_null(e));
    for (uint32_t i = 0; i < a->schedules.count; i++)
        SIM_REQUIRE(s, memcmp(&a->schedules.systems[i]->total, &b->schedules.systems[i]->total, sizeof(sum)) == 0,
                    "a total depends on the number of threads");
}

static void end_twin(twin *t) {
    covey_schedule_destroy(t->schedules.schedule);
    covey_world_destroy(t->world);
}

static void run_twice(sim *s, sim_side *side, const sim_step *step) {
    covey_schedule_desc alone = { .threads = 1 }, desc = pick_threads(step->a);
    twin a = { 0 }, b = { 0 };
    if (side->schedules->count == 0) return;
    test_fail_never(&s->heap);
    a.world = covey_world_clone(side->world, NULL);
    if (!a.world) return; /* a value that cannot be copied */
    b.world = covey_world_clone(side->world, NULL);
    if (!b.world) abort();
    sim_say(s, "two clones run the systems, on 1 thread and on %u", desc.jobs.run ? desc.jobs.threads : desc.threads);
    sim_touch(s, SIM_WORLD_CLONE);
    run_twin(&a, side, &alone);
    if (sim_lies(s, SIM_LIE_TWINS_DIFFER)) covey_destroy_all(b.world);
    run_twin(&b, side, &desc);
    compare_twins(s, &a, &b);
    end_twin(&a);
    end_twin(&b);
}

const sim_operation sim_schedule_operations[] = {
    { "schedule_create", SIM_SCHEDULE, 6, create },      { "phase_add", SIM_SCHEDULE, 3, add_phase },
    { "system_add", SIM_SCHEDULE, 32, add_system },      { "system_remove", SIM_SCHEDULE, 2, remove_system },
    { "system_enable", SIM_SCHEDULE, 5, enable_system }, { "schedule_run", SIM_SCHEDULE, 32, run },
    { "schedule_skip", SIM_SCHEDULE, 2, skip },          { "schedule_inspect", SIM_SCHEDULE, 3, inspect },
    { "schedule_twice", SIM_SCHEDULE, 4, run_twice },    { NULL, 0, 0, NULL },
};
