/* Runs the bodies of a stage: in order on one thread, or on several threads.
 *
 * A system whose leaders are done is listed in `ready`; those of the main thread have their own lane. A thread takes a
 * piece of the first listed system; when all its pieces are taken, `head` advances. The thread that ends the last piece
 * of a system lists the followers that wait for no other system. */
#include "schedule/plan.h"

#include "change/commands.h"
#include "observe/filing.h"
#include "query/iter.h"
#include "memory/result.h"

#define NO_PIECE UINT32_MAX

enum { WORTH_IT = 30000 }; /* nanoseconds of work from which on it pays to wake other threads */

/* ---- What bodies may do ------------------------------------------------------------------------------------------*/

/* While bodies run that are not exclusive, no structural change may be made, which assertion level 1 checks. At level
 * 2, a body may use only what its system has declared. */
#if COVEY_ASSERT_LEVEL >= 1
static _Thread_local const covey__system *current; /* the system whose body this thread runs; or NULL */

static const char *current_name(const covey__guard *guard) {
    (void)guard;
    return current ? current->desc.name : NULL;
}

static bool is_declared(const covey__guard *guard, const covey_type *type, covey__access access) {
    bool writes = access == COVEY__ACCESS_WRITE || access == COVEY__ACCESS_RESOURCE_WRITE;
    bool resource = access == COVEY__ACCESS_RESOURCE_READ || access == COVEY__ACCESS_RESOURCE_WRITE;
    (void)guard;
    for (uint32_t i = 0; current && i < current->use_count; i++) {
        const covey_system_use *use = &current->uses[i];
        if (use->resource == resource && use->writes >= writes && covey__is_same_type(use->type, type)) return true;
    }
    return !current;
}

static const covey__guard guard = { current_name, is_declared };

/* Returns the outer system, whose body runs a schedule of another world; or NULL. */
static const covey__system *begin_body(const covey__system *system) {
    const covey__system *around = current;
    current = system->desc.exclusive ? NULL : system;
    return around;
}
static void end_body(const covey__system *around) { current = around; }

static void begin_guard(covey_world *world) {
    world->guard = &guard;
    world->hooks++;
}

static void end_guard(covey_world *world) {
    world->hooks--;
    world->guard = NULL;
}
#else
static const covey__system *begin_body(const covey__system *system) { return system; }
static void end_body(const covey__system *around) { (void)around; }
static void begin_guard(covey_world *world) { (void)world; }
static void end_guard(covey_world *world) { (void)world; }
#endif

/* ---- Pieces ------------------------------------------------------------------------------------------------------*/

static char *scratch_of(const covey__system *system, uint32_t piece) {
    return system->stride != 0 ? system->scratch + (size_t)piece * system->stride * 64 : NULL;
}

static void begin_piece(const covey__system *system, uint32_t number, covey_iter *it) {
    uint32_t first = system->first + number * system->size;
    uint32_t end = number + 1 == system->piece_count ? UINT32_MAX : first + system->size;
    if (system->piece_count == 1) covey__system_iter(system, it);
    else covey__iter_part(system->whole, first, end, it);
}

/* Keeps the bytes and blocked time that a body reports. Most report nothing: then this is one check. */
static void keep_moves(covey__system *system, covey__piece *piece, covey_job *job) {
    if (job->bytes == 0 && !(job->blocked > 0) && !atomic_load_explicit(&system->moves, memory_order_relaxed)) return;
    atomic_store_explicit(&system->moves, true, memory_order_relaxed);
    piece->bytes = job->bytes;
    piece->blocked = job->blocked > 0 ? job->blocked * 1e9 : 0;
    job->bytes = 0;
    job->blocked = 0;
}

static void run_piece(covey_schedule *s, covey__system *system, uint32_t number, uint32_t thread) {
    covey__worker *worker = &s->workers[thread];
    covey__piece *piece = &system->pieces[number];
    covey_job *job = &worker->job;
    begin_piece(system, number, &job->it);
    job->world = s->dependent.world;
    job->commands = piece->commands;
    job->scratch = scratch_of(system, number);
    if (job->scratch) memset(job->scratch, 0, system->stride * 64);
    job->step = s->phases[system->phase].desc.step > 0 ? s->phases[system->phase].desc.step : s->seconds;
    job->run = s->runs;
    job->piece = number;
    job->pieces = system->piece_count;
    job->thread = thread;
    job->result = COVEY_OK;
    if (s->profiler.begin) s->profiler.begin(system->desc.name, number, s->profiler.context);
    const covey__system *around = begin_body(system);
    system->desc.run(job, system->desc.context);
    end_body(around);
    if (s->profiler.end) s->profiler.end(system->desc.name, number, s->profiler.context);
    piece->result = job->result;
    keep_moves(system, piece, job);
    piece->recorded = piece->commands->count != 0 || piece->commands->lost != 0;
    piece->thread = thread;
}

/* Measures a piece, from the end of the worker's last one. `look` reads the clock, which waits for pending loads. */
static void time_piece(covey__system *system, uint32_t number, covey__worker *worker, bool look) {
    covey__piece *piece = &system->pieces[number];
    piece->start = worker->now;
    if (look) worker->now = covey__now();
    piece->end = worker->now;
}

/* Called when all pieces are done: merges their scratch into a total, for which there is one more scratch. */
static void merge_scratch(const covey__system *system) {
    if (!system->desc.merge || !system->due) return;
    char *total = scratch_of(system, system->piece_count);
    memset(total, 0, system->stride * 64);
    for (uint32_t i = 0; i < system->piece_count; i++)
        system->desc.merge(total, scratch_of(system, i), system->desc.context);
    memcpy(system->desc.total, total, system->desc.scratch);
}

/* Files what a system wrote, so that the systems that wait for it can ask at the same time. */
static void file_written(const covey_schedule *s, const covey__system *system) {
    covey_world *world = s->dependent.world;
    for (uint32_t i = 0; i < system->use_count && world->inner->lookups; i++) {
        const covey_system_use *use = &system->uses[i];
        covey_pool *pool = use->writes && !use->resource ? covey_pool_find_raw(world, use->type) : NULL;
        if (pool && covey__filing_of(pool)) world->inner->looking->written(pool);
    }
}

/* ---- On one thread -----------------------------------------------------------------------------------------------*/

static void run_alone(covey_schedule *s, const covey__stage *stage) {
    s->workers[0].now = s->stage_start;
    for (uint32_t i = stage->first; i < stage->end; i++) {
        covey__system *system = s->order[i];
        for (uint32_t piece = 0; piece < system->piece_count; piece++) {
            run_piece(s, system, piece, 0);
            time_piece(system, piece, &s->workers[0], piece + 1 == system->piece_count || s->traced_runs != 0);
        }
        merge_scratch(system);
        file_written(s, system);
    }
}

/* ---- On several threads ------------------------------------------------------------------------------------------*/

/* Wakes threads that sleep because they have no work. */
static void wake_waiting(covey_schedule *s) {
    atomic_fetch_add(&s->events, 1);
    if (atomic_load(&s->asleep) == 0) return;
    covey__gate_lock(&s->gate);
    covey__gate_wake(&s->gate);
    covey__gate_unlock(&s->gate);
}

/* Waits until s->events differs from `seen`. */
static void wait_for_news(covey_schedule *s, uint32_t seen) {
    covey__patience patience = s->patience;
    while (atomic_load(&s->events) == seen && covey__be_patient(&patience)) {
    }
    if (atomic_load(&s->events) != seen) return;
    covey__gate_lock(&s->gate);
    atomic_fetch_add(&s->asleep, 1);
    while (atomic_load(&s->events) == seen) covey__gate_wait(&s->gate);
    atomic_fetch_sub(&s->asleep, 1);
    covey__gate_unlock(&s->gate);
}

/* Whether only the thread that runs the schedule may take a system. Any thread may finish one that is not due. */
static bool is_for_main(const covey__system *system) { return system->desc.main_thread && system->piece_count != 0; }

/* Whether threads have to stay. Threads of a crew stay until the stage is finished; one of them is the thread that runs
 * the schedule. A pool of the program may not use that thread, so its calls return when only systems of the main thread
 * can continue. */
static bool must_stay(const covey_schedule *s) { return atomic_load(s->crew ? &s->unfinished : &s->open) != 0; }

static void list_ready(covey_schedule *s, covey__system *system) {
    uint32_t lane = is_for_main(system) ? COVEY__LANE_MAIN : COVEY__LANE_ANY;
    if (!s->crew && lane == COVEY__LANE_ANY) atomic_fetch_add(&s->open, 1);
    uint32_t at = atomic_fetch_add(&s->lanes[lane].count, 1);
    atomic_store(&s->ready[lane * s->ready_most + at], system);
}

static void finish_system(covey_schedule *s, covey__system *system) {
    merge_scratch(system);
    file_written(s, system);
    for (uint32_t i = 0; i < system->follower_count; i++)
        if (atomic_fetch_sub(&system->followers[i]->waits_for, 1) == 1) list_ready(s, system->followers[i]);
    bool last = atomic_fetch_sub(&s->unfinished, 1) == 1;
    if (!s->crew && !is_for_main(system)) last = atomic_fetch_sub(&s->open, 1) == 1;
    if (system->follower_count != 0 || last) wake_waiting(s);
}

/* The next piece of a thread's share of a system, or NO_PIECE. */
static uint32_t next_of_share(const covey_schedule *s, covey__system *system, uint32_t thread) {
    uint64_t count = system->piece_count;
    uint32_t first = (uint32_t)(count * thread / s->threads), end = (uint32_t)(count * (thread + 1) / s->threads);
    atomic_uint *taken = &system->shares[thread].taken;
    if (atomic_load(taken) >= end - first) return NO_PIECE;
    uint32_t piece = atomic_fetch_add(taken, 1);
    return piece < end - first ? first + piece : NO_PIECE;
}

/* Takes a piece: of the thread's own share, then of the others. The first thread that comes finishes a system without
 * pieces. */
static uint32_t next_piece(covey_schedule *s, covey__system *system, uint32_t thread) {
    uint32_t piece = NO_PIECE;
    if (system->piece_count > 1) {
        for (uint32_t i = 0; i < s->threads && piece == NO_PIECE; i++)
            piece = next_of_share(s, system, (thread + i) % s->threads);
        return piece;
    }
    if (atomic_exchange(&system->taken, true)) return NO_PIECE;
    if (system->piece_count == 1) return 0;
    finish_system(s, system);
    return NO_PIECE;
}

/* Runs a piece of a system, if one is left. */
static bool take_piece(covey_schedule *s, covey__system *system, uint32_t thread) {
    uint32_t piece = next_piece(s, system, thread);
    if (piece == NO_PIECE) return false;
    run_piece(s, system, piece, thread);
    time_piece(system, piece, &s->workers[thread], true);
    if (atomic_fetch_sub(&system->unfinished, 1) == 1) finish_system(s, system);
    return true;
}

/* Runs a piece of the first system of a lane. False if the lane is empty. */
static bool take_from(covey_schedule *s, covey__lane_number lane, uint32_t thread) {
    uint32_t head = atomic_load(&s->lanes[lane].head);
    covey__system *system = head < s->ready_most ? atomic_load(&s->ready[lane * s->ready_most + head]) : NULL;
    if (!system) return false;
    if (!take_piece(s, system, thread)) atomic_compare_exchange_strong(&s->lanes[lane].head, &head, head + 1);
    return true;
}

/* The work of each thread in a stage. */
static void work(void *context, uint32_t thread) {
    covey_schedule *s = context;
    bool is_main = s->crew && thread == 0;
    s->workers[thread].now = covey__now();
    while (must_stay(s)) {
        uint32_t seen = atomic_load(&s->events);
        if (is_main && take_from(s, COVEY__LANE_MAIN, thread)) continue; /* no other thread can run these */
        if (take_from(s, COVEY__LANE_ANY, thread) || !must_stay(s)) continue;
        wait_for_news(s, seen);
        s->workers[thread].now = covey__now();
    }
}

/* Begins a stage: lists the systems that wait for no other. */
static void begin_together(covey_schedule *s, const covey__stage *stage) {
    uint32_t count = s->ready_most = stage->end - stage->first;
    atomic_store(&s->unfinished, count);
    atomic_store(&s->open, 0);
    for (uint32_t lane = 0; lane < COVEY__LANES; lane++) {
        atomic_store(&s->lanes[lane].head, 0);
        atomic_store(&s->lanes[lane].count, 0);
    }
    for (uint32_t i = 0; i < count * COVEY__LANES; i++) atomic_store(&s->ready[i], NULL);
    for (uint32_t i = 0; i < count; i++) {
        covey__system *system = s->order[stage->first + i];
        atomic_store(&system->taken, false);
        for (uint32_t k = 0; k < s->threads && system->shares; k++) atomic_store(&system->shares[k].taken, 0);
        atomic_store(&system->unfinished, system->piece_count);
        atomic_store(&system->waits_for, system->leaders);
    }
    for (uint32_t i = stage->first; i < stage->end; i++)
        if (s->order[i]->leaders == 0) list_ready(s, s->order[i]);
}

/* Runs a stage on a pool of the program: systems of the main thread run between the calls of the pool. */
static void run_on_pool(covey_schedule *s) {
    while (atomic_load(&s->unfinished) != 0) {
        s->workers[0].now = covey__now();
        while (take_from(s, COVEY__LANE_MAIN, 0)) {
        }
        if (must_stay(s)) s->jobs.run(s->jobs.pool, s->threads, work, s);
    }
}

static void run_together(covey_schedule *s, const covey__stage *stage) {
    begin_together(s, stage);
    if (s->crew) s->jobs.run(s->jobs.pool, s->threads, work, s);
    else run_on_pool(s);
}

/* Whether a stage takes long enough for more than one thread, by the times of the last run. */
static bool is_worth_threads(const covey_schedule *s, const covey__stage *stage) {
    uint32_t pieces = 0;
    double expected = 0;
    bool known = true;
    for (uint32_t i = stage->first; i < stage->end; i++) {
        const covey__system *system = s->order[i];
        pieces += system->piece_count;
        known &= system->runs > 1 || system->piece_count == 0;
        expected += system->piece_count != 0 ? system->busy : 0;
    }
    return s->threads > 1 && pieces > 1 && (!known || expected > (double)WORTH_IT);
}

void covey__schedule_work(covey_schedule *s, const covey__stage *stage) {
    const covey__looking *looking = s->dependent.world->inner->looking;
    if (looking) looking->settle_all(s->dependent.world);
    if (!stage->exclusive) begin_guard(s->dependent.world);
    if (is_worth_threads(s, stage)) run_together(s, stage);
    else run_alone(s, stage);
    if (!stage->exclusive) end_guard(s->dependent.world);
}
