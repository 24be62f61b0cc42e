/* Rollback: snapshots of the world and of the model, and the way back. */
#include <covey/history.h>

#include "sim.h"

#include <stdlib.h>

enum { SNAPSHOTS = 5 };

typedef struct snapshot {
    naive_world *naive;
    covey_entity stale[SIM_STALE];
    uint32_t stale_count;
    void *parts[SIM_PARTS];
} snapshot;

struct sim_histories {
    covey_history *history;
    snapshot snapshots[SNAPSHOTS]; /* the oldest first */
    uint32_t count;
};

static void end_snapshot(snapshot *taken) {
    naive_destroy(taken->naive);
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (taken->parts[i]) sim_parts[i]->forget(taken->parts[i]);
    *taken = (snapshot){ 0 };
}

/* The newest ones. */
static void end_snapshots(sim_histories *h, uint32_t kept) {
    while (h->count > kept) end_snapshot(&h->snapshots[--h->count]);
}

static void end_oldest(sim_histories *h) {
    end_snapshot(&h->snapshots[0]);
    memmove(&h->snapshots[0], &h->snapshots[1], --h->count * sizeof h->snapshots[0]);
    h->snapshots[h->count] = (snapshot){ 0 };
}

static void take_snapshot(const sim_side *side) {
    sim_histories *h = side->histories;
    if (h->count == SNAPSHOTS) end_oldest(h);
    snapshot *taken = &h->snapshots[h->count++];
    *taken = (snapshot){ .naive = naive_copy(side->naive), .stale_count = side->stale_count };
    memcpy(taken->stale, side->stale, sizeof side->stale);
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->save) taken->parts[i] = sim_parts[i]->save(side);
}

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->histories = calloc(1, sizeof *side->histories);
    if (!side->histories) abort();
}

static void end(sim *s, sim_side *side) {
    (void)s;
    covey_history_destroy(side->histories->history);
    end_snapshots(side->histories, 0);
    free(side->histories);
}

static void check(sim *s, sim_side *side) {
    const sim_histories *h = side->histories;
    if (h->history)
        SIM_REQUIRE(s, covey_history_count(h->history) == h->count, "%u snapshots, not %u",
                    covey_history_count(h->history), h->count);
}

static uint64_t in_force(const sim_side *side) { return side->histories->count != 0 ? SIM_BIT(SIM_HISTORY) : 0; }

const sim_part sim_part_histories = { .begin = begin, .end = end, .check = check, .in_force = in_force };

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static bool can_be_copied(const naive_world *naive) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (!value_can_be_copied(t) && (naive_count(naive, t) != 0 || naive->resources[t].present)) return false;
    return true;
}

/* REFUSED while a buffer has recorded entities; a restore also for what became of pools. */
static bool was_refused(sim *s, const sim_side *side, bool done, bool for_other_reasons) {
    bool refused = !done && covey_world_result(side->world) == COVEY_ERROR_REFUSED, waits = sim_entities_wait(side);
    SIM_REQUIRE(s, !waits || !done, "a snapshot, although a buffer has recorded entities");
    SIM_REQUIRE(s, !refused || waits || for_other_reasons || sim_schedule_is_off_track(side),
                "refused without a reason");
    return refused;
}

static void save(sim *s, sim_side *side, const sim_step *step) {
    sim_histories *h = side->histories;
    sim_say(s, "history_save: snapshot %u", h->count);
    if (!h->history) h->history = covey_history_create(side->world, SNAPSHOTS);
    if (!h->history && !sim_settle(s, side, false, COVEY_OK)) return;
    bool copies = can_be_copied(side->naive) && sim_events_can_be_copied(side);
    covey_result expected = copies ? COVEY_OK : COVEY_ERROR_COPY;
    if (step->a % 16 == 0) ledger_fail_copy(1 + step->a / 16 % 8);
    bool saved = covey_history_save(h->history);
    if (was_refused(s, side, saved, false)) return;
    if (ledger_fail_copy(0)) {
        sim_touch(s, SIM_COPY_FAILS);
        expected = COVEY_ERROR_COPY;
    }
    if (sim_settle(s, side, saved, expected) && !sim_lies(s, SIM_LIE_SNAPSHOT_MISSING)) take_snapshot(side);
}

static void go_back(sim *s, sim_side *side, const snapshot *to) {
    naive_destroy(side->naive);
    side->naive = naive_copy(to->naive);
    memcpy(side->stale, to->stale, sizeof side->stale);
    side->stale_count = to->stale_count;
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->restore && !sim_lies(s, SIM_LIE_RESTORE_MISSES_PART))
            sim_parts[i]->restore(s, side, to->parts[i]);
}

static void restore(sim *s, sim_side *side, const sim_step *step) {
    sim_histories *h = side->histories;
    if (h->count == 0) return;
    uint32_t back = step->a % h->count;
    sim_say(s, "history_restore: snapshot %u", h->count - 1 - back);
    if (step->b % 16 == 0) ledger_fail_copy(1 + step->b / 16 % 8);
    bool restored = covey_history_restore(h->history, back);
    if (was_refused(s, side, restored, true)) return;
    covey_result expected = ledger_fail_copy(0) ? COVEY_ERROR_COPY : COVEY_OK;
    if (expected != COVEY_OK) sim_touch(s, SIM_COPY_FAILS);
    if (!sim_settle(s, side, restored, expected)) return;
    end_snapshots(h, h->count - back);
    bool too_far = h->count > 1 && sim_lies(s, SIM_LIE_RESTORE_TOO_FAR);
    go_back(s, side, &h->snapshots[h->count - 1 - too_far]);
}

static void look(sim *s, sim_side *side, const sim_step *step) {
    sim_histories *h = side->histories;
    if (h->count == 0) return;
    uint32_t back = step->a % h->count;
    sim_say(s, "history_world: snapshot %u", h->count - 1 - back);
    covey_world *then = covey_history_world(h->history, back, NULL);
    if (!sim_settle(s, side, then != NULL, COVEY_OK)) return;
    sim_compare_worlds(s, then, h->snapshots[h->count - 1 - back].naive, "the world of a snapshot");
    covey_world_destroy(then);
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    if (step->a % 4 != 0 || !side->histories->history) return;
    sim_say(s, "history_destroy");
    covey_history_destroy(side->histories->history);
    side->histories->history = NULL;
    end_snapshots(side->histories, 0);
}

const sim_operation sim_history_operations[] = {
    { "history_save", SIM_HISTORY, 10, save },
    { "history_restore", SIM_RESTORE, 10, restore },
    { "history_world", SIM_HISTORY, 4, look },
    { "history_destroy", SIM_HISTORY, 1, destroy },
    { NULL, 0, 0, NULL },
};
