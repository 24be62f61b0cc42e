/* Histories: the last snapshots of a world. Values are written through pointers, so a new snapshot compares bytes with
 * the one before, and shares the units that are equal. */
#include "history/history.h"

#include "memory/inner.h"
#include "image/follower.h"
#include "memory/alloc.h"
#include "memory/result.h"
#include "observe/events.h"

#include <covey/commands.h>
#include <stdalign.h>

/* ---- Creating and destroying -------------------------------------------------------------------------------------*/

/* Drops the newest snapshots, so that this many are left. */
static void drop_newest(covey_history *history, uint32_t left) {
    while (history->count > left) covey__snapshot_destroy(&history->store, history->snapshots[--history->count]);
}

static void end_histories(covey_world *world) {
    while (world->inner->histories) covey_history_destroy(world->inner->histories);
}

static const covey__feature histories = { .end = end_histories };

covey_history *covey_history_create(covey_world *world, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey__heap heap = { world->inner->heap.allocator, 0, NULL };
    covey_result result = capacity == 0 ? COVEY_ERROR_RANGE : COVEY_ERROR_MEMORY;
    covey_history *history =
        capacity == 0 ? NULL : covey__resize(&heap, NULL, 0, 1, sizeof *history, alignof(covey_history));
    if (!history) {
        covey__fail(world, result, "a history of %u snapshots could not be created: %s", capacity,
                    capacity == 0 ? "it keeps 1 snapshot or more" : covey__reason(result));
        return NULL;
    }
    *history = (covey_history){ .world = world, .next = world->inner->histories, .capacity = capacity };
    history->store = (covey__unit_store){ .world = world, .heap = heap };
    if (history->next) history->next->previous = history;
    world->inner->histories = history;
    world->inner->features[COVEY__HISTORIES] = &histories;
    return history;
}

void covey_history_destroy(covey_history *history) {
    if (!history) return;
    if (COVEY__IN_HOOK(history->world)) return;
    drop_newest(history, 0);
    if (history->next) history->next->previous = history->previous;
    if (history->previous) history->previous->next = history->next;
    else history->world->inner->histories = history->next;
    covey__heap heap = history->store.heap;
    covey__free(&heap, history->snapshots, history->table, sizeof *history->snapshots, alignof(covey__snapshot *));
    covey__free(&heap, history, 1, sizeof *history, alignof(covey_history));
}

/* ---- Saving and restoring ----------------------------------------------------------------------------------------*/

/* Why the state cannot be saved or restored now; NULL if it can. */
static const char *objection_to(const covey_world *world) {
    if (world->inner->emission || covey__is_delivering(world))
        return "a listener is being called: save or restore when the call that it is part of has ended";
    if (covey__is_following(world)) return "a follower reads an image: do it afterwards";
    for (const covey_commands *c = world->inner->commands; c; c = c->next_of_world) {
        if (c->busy) return "commands are being replayed: do it afterwards";
        if (c->taken != c->spent) return "a command buffer has recorded entities: replay or clear it first";
    }
    return NULL;
}

static bool refuse_save(covey_history *history, covey_result result, const char *reason) {
    covey__fail(history->world, result, "a snapshot could not be saved: %s", reason);
    return false;
}

/* Makes room for one more snapshot. */
static bool make_room(covey_history *history) {
    uint32_t count = history->count;
    if (count == history->capacity) return true;
    covey__snapshot **table =
        covey__reach(&history->store.heap, history->snapshots, &history->table, count, history->capacity, NULL);
    if (table) history->snapshots = table;
    return table != NULL;
}

static void drop_oldest(covey_history *history) {
    covey__snapshot_destroy(&history->store, history->snapshots[0]);
    history->count--;
    memmove(history->snapshots, history->snapshots + 1, history->count * sizeof *history->snapshots);
}

bool covey_history_save(covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    if (COVEY__IN_HOOK(history->world)) return false;
    const char *objection = objection_to(history->world), *culprit = NULL;
    if (objection) return refuse_save(history, COVEY_ERROR_REFUSED, objection);
    if (!make_room(history)) return refuse_save(history, COVEY_ERROR_MEMORY, covey__reason(COVEY_ERROR_MEMORY));
    covey_result result;
    covey__snapshot *snapshot =
        covey__snapshot_create(&history->store, covey__history_at(history, 0), &result, &culprit);
    if (!snapshot) return refuse_save(history, result, culprit ? culprit : covey__reason(result));
    if (history->count == history->capacity) drop_oldest(history);
    snapshot->number = history->saved++;
    history->snapshots[history->count++] = snapshot;
    COVEY__CHANGED(history->world);
    return true;
}

static bool refuse_restore(covey_history *history, covey_result result, const char *reason) {
    covey__fail(history->world, result, "a snapshot could not be restored: %s",
                reason ? reason : covey__reason(result));
    return false;
}

bool covey_history_restore(covey_history *history, uint32_t back) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    if (COVEY__IN_HOOK(history->world)) return false;
    const covey__snapshot *snapshot = covey__history_at(history, back);
    const char *objection = objection_to(history->world), *reason = NULL;
    if (!snapshot) return refuse_restore(history, COVEY_ERROR_ABSENT, COVEY__NO_SNAPSHOT);
    if (objection) return refuse_restore(history, COVEY_ERROR_REFUSED, objection);
    covey_result result = covey__snapshot_restore(&history->store, snapshot, history->world, &reason);
    if (result != COVEY_OK) return refuse_restore(history, result, reason);
    drop_newest(history, history->count - back);
    COVEY__CHANGED(history->world);
    return true;
}

/* ---- Facts -------------------------------------------------------------------------------------------------------*/

uint32_t covey_history_count(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->count;
}

uint32_t covey_history_capacity(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->capacity;
}

size_t covey_history_memory(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->store.heap.bytes;
}

/* Units that no other snapshot has. */
static void sum_own(covey__unit_store *store, covey__units *list, void *context) {
    size_t *bytes = context;
    (void)store;
    *bytes += list->count * sizeof *list->at;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] && list->at[i]->references == 1) *bytes += COVEY__UNIT_HEADER + list->at[i]->bytes;
}

bool covey_history_info(const covey_history *history, uint32_t back, covey_snapshot_info *info) {
    COVEY__CONTRACT(NULL, history && info, "a call needs a history, and a place for what it has");
    covey__snapshot *snapshot = covey__history_at(history, back);
    if (!snapshot) return false;
    size_t bytes = covey__snapshot_table_bytes(snapshot);
    covey__snapshot_visit(NULL, snapshot, sum_own, &bytes);
    *info = (covey_snapshot_info){ snapshot->number, snapshot->tick, snapshot->alive, bytes };
    return true;
}

/* ---- The validator -----------------------------------------------------------------------------------------------*/

/* What all lists of a history refer to, and the bytes of its tables. */
typedef struct tally {
    uint64_t references;
    size_t bytes;
    bool dead; /* a list refers to a unit that counts no references */
} tally;

static void tally_list(covey__unit_store *store, covey__units *list, void *context) {
    tally *sum = context;
    (void)store;
    sum->bytes += list->count * sizeof *list->at;
    for (uint32_t i = 0; i < list->count; i++) {
        const covey__unit *unit = list->at[i];
        sum->references += unit != NULL;
        sum->dead |= unit && unit->references == 0;
    }
}

static bool valid_units(const covey_history *history, tally *found, const char **why) {
    uint64_t references = 0;
    for (const covey__unit *unit = history->store.units; unit; unit = unit->next) {
        REQUIRE(!unit->next || unit->next->previous == unit, "history: the list of units is broken backwards");
        REQUIRE(!unit->type || unit->references == 1, "history: two snapshots share values that a hook has copied");
        references += unit->references;
        found->bytes += COVEY__UNIT_HEADER + unit->bytes;
    }
    REQUIRE(!found->dead && found->references == references, "history: a unit with a wrong number of references");
    return true;
}

static bool valid_history(const covey_history *history, const char **why) {
    tally found = { 0, sizeof *history + history->table * sizeof *history->snapshots, false };
    REQUIRE(history->count <= history->capacity && history->count <= history->table,
            "history: more snapshots than its capacity");
    for (uint32_t i = 0; i < history->count; i++) {
        covey__snapshot_visit(NULL, history->snapshots[i], tally_list, &found);
        found.bytes += covey__snapshot_table_bytes(history->snapshots[i]);
    }
    if (!valid_units(history, &found, why)) return false;
    REQUIRE(found.bytes == history->store.heap.bytes, "history: bytes that are not accounted for");
    return true;
}

bool covey__histories_valid(const covey_world *world, const char **why) {
    const covey_history *previous = NULL;
    for (const covey_history *history = world->inner->histories; history; previous = history, history = history->next) {
        REQUIRE(history->world == world && history->previous == previous, "history: the list of histories is broken");
        if (!valid_history(history, why)) return false;
    }
    return true;
}
