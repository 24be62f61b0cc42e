/* Runs a schedule: stage after stage, with a sync point after each.
 *
 * The result of a stage does not depend on threads. Its systems are cut into pieces by the number of entities; each
 * piece has its own command buffer and scratch, and both are processed in the order of systems and pieces. Threads only
 * determine where and when a piece runs. */
#include "schedule/plan.h"

#include "memory/alloc.h"
#include "change/commands.h"
#include "query/iter.h"
#include "memory/result.h"

enum {
    LEAST = 4096, /* size of a piece, in indices or positions, if the schedule chooses it, */
    MOST = 32768, /* or larger, if there would be too many pieces */
    PIECES = 1024
};

/* ---- Turns -------------------------------------------------------------------------------------------------------*/

/* Whether a system or phase runs this time; counts the turn. */
static bool has_turn(const covey_schedule *s, covey__turns *turns) {
    turns->before = turns->count;
    if (!turns->enabled || (turns->once && turns->count != 0)) return false;
    if (turns->count++ % turns->every != 0) return false;
    if (!turns->when || turns->when(s->dependent.world, turns->context)) return true;
    if (turns->once) turns->count = 0;
    return false;
}

/* Undoes the count of a system's turn. */
static void give_turn_back(covey__system *system) {
    system->turns.count = system->turns.before;
    system->runs -= system->due;
    system->piece_count = 0;
}

/* How often a phase runs in this run of the schedule; consumes its elapsed time. */
static uint32_t times_of(const covey_schedule *s, covey__phase *phase) {
    double step = phase->desc.step;
    uint32_t most = phase->desc.most != 0 ? phase->desc.most : 8, times = 0;
    if (step == 0) return has_turn(s, &phase->turns);
    if (!has_turn(s, &phase->turns)) return 0;
    phase->passed += s->seconds;
    for (; times < most && phase->passed >= step; times++) phase->passed -= step;
    if (phase->passed >= step) phase->passed = 0; /* time beyond the limit is dropped */
    return times;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------*/

/* The allocator of command buffers. Several threads record at the same time: a lock protects the schedule's allocator,
 * which need not be thread-safe. */
static void *allocate_locked(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    covey_schedule *s = context;
    const covey_allocator *allocator = &s->heap.allocator;
    covey__gate_lock(&s->gate);
    void *found = allocator->fn(allocator->context, ptr, old_size, new_size, align);
    covey__gate_unlock(&s->gate);
    return found;
}

static uint32_t round_up(uint32_t number, uint32_t to) {
    return number > UINT32_MAX - to ? UINT32_MAX / to * to : (number + to - 1) / to * to;
}

static uint32_t size_of_piece(const covey__system *system, uint32_t length) {
    if (system->desc.piece != 0) return round_up(system->desc.piece, COVEY__BLOCK_IDS);
    uint32_t size = length / 32 < LEAST ? LEAST : length / 32 < MOST ? length / 32 : MOST;
    if (length / PIECES > size) size = length / PIECES + 1;
    return round_up(size, COVEY__BLOCK_IDS);
}

/* Makes room for this many pieces. */
static bool reach_pieces(covey_schedule *s, covey__system *system, uint32_t count) {
    if (count <= system->piece_capacity) return true;
    covey__piece *pieces =
        covey__resize(&s->heap, system->pieces, system->piece_capacity, count, sizeof *pieces, alignof(covey__piece));
    if (!pieces) return false;
    memset(pieces + system->piece_capacity, 0, (count - system->piece_capacity) * sizeof *pieces);
    system->pieces = pieces;
    system->piece_capacity = count;
    return true;
}

static covey_result reach_buffers(covey_schedule *s, covey__system *system, uint32_t count) {
    covey_commands_desc desc = { .entities = system->desc.creates };
    memcpy(desc.with, system->desc.creates_with, sizeof desc.with);
    if (s->heap.allocator.fn) desc.allocator = (covey_allocator){ allocate_locked, s };
    if (!reach_pieces(s, system, count)) return COVEY_ERROR_MEMORY;
    while (system->buffer_count < count) {
        covey_commands *commands = covey_commands_create(s->dependent.world, &desc);
        if (!commands) return covey_world_result(s->dependent.world);
        if (!system->desc.exclusive) covey__commands_keep_apart(commands);
        system->pieces[system->buffer_count++].commands = commands;
    }
    return COVEY_OK;
}

/* Refills the ids of pieces, if the world had too few when they were last replayed. Bodies run without them, too,
 * because they may destroy entities. */
static covey_result refill_ids(const covey__system *system, uint32_t count) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        result = covey__commands_refill(system->pieces[i].commands);
    return result == COVEY_ERROR_FULL ? COVEY_OK : result;
}

static bool reach_scratch(covey_schedule *s, covey__system *system, uint32_t count) {
    size_t lines = (size_t)count * system->stride;
    if (lines <= system->scratch_lines) return true;
    char *scratch = covey__resize(&s->heap, system->scratch, system->scratch_lines, lines, 64, 64);
    if (!scratch) return false;
    system->scratch = scratch;
    system->scratch_lines = lines;
    return true;
}

/* An upper bound of the entities of a system. */
static uint32_t bound_of(const covey__system *system) {
    return system->desc.group ? covey_group_count(system->desc.group) : covey__view_bound(&system->view);
}

/* How many pieces a split system has. This depends only on its entities, so every machine cuts the same pieces. */
static uint32_t count_pieces(covey__system *system) {
    uint32_t bound = bound_of(system);
    if (bound == 0) return 0;
    if (bound <= LEAST && system->desc.piece == 0) return 1;
    covey__system_iter(system, system->whole);
    uint32_t end = covey_iter_length(system->whole);
    system->first = covey__iter_first(system->whole);
    uint32_t length = end > system->first ? end - system->first : 0;
    system->size = size_of_piece(system, length);
    return length / system->size + (length % system->size != 0);
}

/* Cuts a system into the pieces of this turn. */
static covey_result cut_system(covey_schedule *s, covey__system *system) {
    uint32_t count = system->whole ? count_pieces(system) : 1;
    covey_result result = count > system->buffer_count ? reach_buffers(s, system, count) : COVEY_OK;
    if (result == COVEY_OK && system->desc.creates != 0) result = refill_ids(system, count);
    if (result != COVEY_OK) return result;
    if (system->stride != 0 && !reach_scratch(s, system, count + 1)) return COVEY_ERROR_MEMORY;
    system->piece_count = count;
    system->runs++;
    return COVEY_OK;
}

static covey_result fail_cut(covey_schedule *s, const covey__system *system, covey_result result) {
    const char *what = result == COVEY_ERROR_FULL ? "not enough ids are left for its .creates" : "an allocation failed";
    return covey__schedule_fail(s, result, "system %s could not be cut into pieces: %s", system->desc.name, what);
}

/* Cuts all systems of a stage that are due; the others have no pieces. All or nothing. */
static covey_result cut_all(covey_schedule *s, const covey__stage *stage) {
    covey_result result = COVEY_OK;
    uint32_t end = stage->first;
    while (end < stage->end && result == COVEY_OK) {
        covey__system *system = s->order[end++];
        system->piece_count = 0;
        system->due = has_turn(s, &system->turns);
        if (!system->due || (result = cut_system(s, system)) == COVEY_OK) continue;
        system->due = false;
        fail_cut(s, system, result);
    }
    while (result != COVEY_OK && end-- != stage->first) give_turn_back(s->order[end]);
    return result;
}

/* ---- Sync points -------------------------------------------------------------------------------------------------*/

static void note_event(covey_schedule *s, covey_trace_event event) {
    void *events = covey__schedule_reach(s, s->events_noted, &s->event_capacity, s->event_count + 1, sizeof event);
    if (!events) {
        covey__fail(s->dependent.world, COVEY_ERROR_MEMORY, "a trace ended early: an allocation failed");
        s->traced_runs = s->kept_runs = 0;
        return;
    }
    s->events_noted = events;
    s->events_noted[s->event_count++] = event;
}

/* Discards old runs. Keeps one less than asked for, because the current run follows. */
static void discard_events(covey_schedule *s) {
    covey_trace_event *events = s->events_noted;
    while (s->event_first < s->event_count && events[s->event_first].run + s->kept_runs <= s->runs) s->event_first++;
    uint32_t left = s->event_count - s->event_first;
    if (s->event_first <= left) return; /* moves events only when fewer are left than discarded */
    memmove(events, events + s->event_first, left * sizeof *events);
    s->event_first = 0;
    s->event_count = left;
}

static void note_pieces(covey_schedule *s, const covey__system *system) {
    for (uint32_t i = 0; i < system->piece_count && s->traced_runs != 0; i++) {
        const covey__piece *piece = &system->pieces[i];
        note_event(s, (covey_trace_event){ .system = system->desc.name,
                                           .run = s->runs,
                                           .begin = piece->start,
                                           .end = piece->end,
                                           .thread = piece->thread,
                                           .piece = i,
                                           .bytes = piece->bytes,
                                           .blocked = piece->blocked });
    }
}

/* Adds up the bytes and blocked time that bodies have reported. */
static void measure_moves(covey__system *system) {
    system->bytes = 0;
    system->blocked = 0;
    for (uint32_t i = 0; i < system->piece_count; i++) {
        system->bytes += system->pieces[i].bytes;
        system->blocked += system->pieces[i].blocked;
    }
    system->bytes_total += system->bytes;
    system->blocked_total += system->blocked;
}

/* Updates the statistics of a system. */
static void measure_system(covey_schedule *s, covey__system *system) {
    uint64_t first = UINT64_MAX, last = 0, busy = 0, threads = 0;
    if (system->piece_count == 0) return;
    for (uint32_t i = 0; i < system->piece_count; i++) {
        const covey__piece *piece = &system->pieces[i];
        first = piece->start < first ? piece->start : first;
        last = piece->end > last ? piece->end : last;
        busy += piece->end - piece->start;
        threads |= (uint64_t)1 << piece->thread;
    }
    system->last = (double)(last - first);
    system->total += system->last;
    system->worst = system->last > system->worst ? system->last : system->worst;
    system->busy = (double)busy;
    system->waited = (double)(first - s->stage_start);
    if (atomic_load_explicit(&system->moves, memory_order_relaxed)) measure_moves(system);
    for (system->threads = 0; threads != 0; threads &= threads - 1) system->threads++;
    note_pieces(s, system);
}

static const char no_id[] = "; give it more .creates; if the world has no index left, destroy entities";

static covey_result fail_replay(covey_schedule *s, const covey__system *system, uint32_t piece, covey_replay replay) {
    if (replay.left == 0)
        return covey__schedule_fail(s, replay.result, "%u commands of system %s, piece %u, could not be recorded: %s%s",
                                    replay.lost, system->desc.name, piece, covey_result_text(replay.result),
                                    replay.result == COVEY_ERROR_FULL ? no_id : "");
    return covey__schedule_fail(s, replay.result, "commands of system %s, piece %u: %s; %u left", system->desc.name,
                                piece, covey_result_text(replay.result), replay.left);
}

/* Returns whether all commands of a piece were replayed. Failed recordings count as a failure, too, but do not stop the
 * replay. Sets *result to the first failure. */
static bool replay_piece(covey_schedule *s, covey__system *system, uint32_t number, covey_result *result) {
    covey__piece *piece = &system->pieces[number];
    uint64_t start = s->traced_runs != 0 ? covey__now() : 0;
    covey_replay replay = covey_commands_replay(piece->commands);
    if (s->traced_runs != 0)
        note_event(s, (covey_trace_event){ .system = system->desc.name,
                                           .run = s->runs,
                                           .begin = start,
                                           .end = covey__now(),
                                           .piece = number,
                                           .replay = true });
    piece->recorded = replay.left != 0;
    if (replay.result != COVEY_OK && *result == COVEY_OK) *result = fail_replay(s, system, number, replay);
    return replay.left == 0;
}

static bool replay_system(covey_schedule *s, covey__system *system, covey_result *result) {
    bool done = true;
    for (uint32_t i = 0; i < system->piece_capacity && done; i++)
        if (system->pieces[i].recorded) done = replay_piece(s, system, i, result);
    return done;
}

/* Replays the commands of systems from `first` to `end` of the order. Stops at the first that fails. */
static covey_result replay(covey_schedule *s, uint32_t first, uint32_t end) {
    covey_result result = COVEY_OK;
    bool done = true;
    for (uint32_t i = first; i < end && done; i++) done = replay_system(s, s->order[i], &result);
    s->has_left |= !done;
    return result;
}

/* The first failure of a body, in the order of systems and pieces. */
static covey_result find_failure(covey_schedule *s, const covey__stage *stage) {
    for (uint32_t i = stage->first; i < stage->end; i++) {
        const covey__system *system = s->order[i];
        for (uint32_t k = 0; k < system->piece_count; k++)
            if (system->pieces[k].result != COVEY_OK)
                return covey__schedule_fail(s, system->pieces[k].result, "system %s failed: %s (piece %u of %u)",
                                            system->desc.name, covey_result_text(system->pieces[k].result), k,
                                            system->piece_count);
    }
    return COVEY_OK;
}

static covey_result synchronise(covey_schedule *s, const covey__stage *stage) {
    for (uint32_t i = stage->first; i < stage->end; i++) measure_system(s, s->order[i]);
    covey_result replayed = replay(s, stage->first, stage->end), failed = find_failure(s, stage);
    return failed != COVEY_OK ? failed : replayed;
}

/* ---- A run -------------------------------------------------------------------------------------------------------*/

static covey_result run_stage(covey_schedule *s, const covey__stage *stage) {
    covey_result result = cut_all(s, stage);
    if (result != COVEY_OK) return result;
    s->stage_start = covey__now();
    covey__schedule_work(s, stage);
    return synchronise(s, stage);
}

/* The end of the stages of the phase that `stage` belongs to. */
static uint32_t end_of_phase(const covey_schedule *s, uint32_t stage) {
    uint32_t end = stage;
    while (end < s->stage_count && s->stages[end].phase == s->stages[stage].phase) end++;
    return end;
}

static covey_result run_all(covey_schedule *s) {
    covey_result result = COVEY_OK;
    for (uint32_t first = 0, end; first < s->stage_count && result == COVEY_OK; first = end) {
        end = end_of_phase(s, first);
        covey__phase *phase = &s->phases[s->stages[first].phase];
        uint32_t times = times_of(s, phase);
        for (; times != 0 && result == COVEY_OK; times--)
            for (uint32_t i = first; i < end && result == COVEY_OK; i++) result = run_stage(s, &s->stages[i]);
        phase->passed += times * phase->desc.step; /* if a step failed, the remaining ones are made in the next run */
    }
    return result;
}

static covey_result replay_left(covey_schedule *s) {
    if (!s->has_left) return COVEY_OK;
    s->has_left = false;
    return replay(s, 0, s->system_count);
}

covey_result covey_schedule_run_for(covey_schedule *s, double seconds) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    COVEY__CONTRACT(s->dependent.world, !s->dependent.busy,
                    "a schedule is run while it is running: use another schedule inside a system");
    if (!s->dependent.world || s->dependent.busy || COVEY__IN_HOOK(s->dependent.world)) return COVEY_ERROR_REFUSED;
    s->dependent.busy = true;
    s->failure[0] = '\0';
    s->seconds = seconds > 0 ? seconds : 0;
    if (s->kept_runs != 0) discard_events(s);
    covey_result result = covey__schedule_plan(s);
    if (result == COVEY_OK) result = replay_left(s);
    if (result == COVEY_OK) result = run_all(s);
    s->runs++;
    if (s->traced_runs != 0 && s->kept_runs == 0) s->traced_runs--;
    s->dependent.busy = false;
    return result;
}

covey_result covey_schedule_run(covey_schedule *s) { return covey_schedule_run_for(s, 0); }

bool covey_schedule_skip(covey_schedule *s) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    if (s->dependent.busy || covey__schedule_plan(s) != COVEY_OK) return false;
    for (uint32_t i = 0; i < s->system_count; i++)
        for (uint32_t k = 0; k < s->order[i]->piece_capacity; k++)
            if (s->order[i]->pieces[k].recorded && covey_commands_skip(s->order[i]->pieces[k].commands)) return true;
    return false;
}

void covey_schedule_trace(covey_schedule *s, uint32_t runs) {
    COVEY__CONTRACT(NULL, s, "a call needs a schedule");
    s->event_first = s->event_count = 0;
    s->traced_runs = runs;
    s->kept_runs = 0;
}

void covey_schedule_trace_last(covey_schedule *s, uint32_t runs) {
    covey_schedule_trace(s, runs);
    s->kept_runs = runs;
}
