/* GET time, POST time, and past states: worlds made from snapshots, which are kept for a while. */
#include "inspector.h"

static bool refuse_without_history(inspect__request *request) {
    return inspect__refuse(request, 409, "ABSENT", "the inspector was opened without a .history");
}

/* ---- Past states --------------------------------------------------------------------------------------------------*/

static void drop_past(inspect__past *past) {
    covey_world_destroy(past->world);
    *past = (inspect__past){ NULL, 0, 0 };
}

void inspect__past_end(covey_inspector *inspector) {
    for (uint32_t i = 0; i < INSPECT__PAST_WORLDS; i++) drop_past(&inspector->watching.past[i]);
}

void inspect__past_update(covey_inspector *inspector, uint64_t now) {
    for (uint32_t i = 0; i < INSPECT__PAST_WORLDS; i++) {
        inspect__past *past = &inspector->watching.past[i];
        if (past->world && inspect__is_idle(past->asked_at, now)) drop_past(past);
    }
}

/* The allocator of past worlds: that of the inspector, under its lock. Unlike inspect__resize, it passes the
 * alignment. */
static void *allocate(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    covey_inspector *inspector = context;
    pthread_mutex_lock(&inspector->memory);
    void *found = inspector->allocator.fn(inspector->allocator.context, ptr, old_size, new_size, align);
    pthread_mutex_unlock(&inspector->memory);
    return found;
}

/* Finds how far back the snapshot of a number is. Returns false if there is no such snapshot, or no longer. Searches by
 * bisection: the further back, the lower the number. */
static bool find_number(const covey_history *history, uint64_t number, uint32_t *back) {
    covey_snapshot_info info;
    uint32_t first = 0, end = covey_history_count(history);
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (!covey_history_info(history, middle, &info)) return false;
        *back = middle;
        if (info.number == number) return true;
        if (info.number > number) first = middle + 1;
        else end = middle;
    }
    return false;
}

/* A free place, or else the one whose last request is the oldest. */
static inspect__past *place_for_past(covey_inspector *inspector) {
    inspect__past *found = &inspector->watching.past[0];
    for (uint32_t i = 1; i < INSPECT__PAST_WORLDS; i++) {
        inspect__past *past = &inspector->watching.past[i];
        if (found->world && (!past->world || past->asked_at < found->asked_at)) found = past;
    }
    return found;
}

covey_world *inspect__past_world(covey_inspector *inspector, uint64_t number, covey_result *result) {
    covey_history *history = inspector->desc.history;
    uint32_t back = 0;
    *result = COVEY_OK;
    for (uint32_t i = 0; i < INSPECT__PAST_WORLDS; i++) {
        inspect__past *past = &inspector->watching.past[i];
        if (!past->world || past->number != number) continue;
        past->asked_at = inspect__now();
        return past->world;
    }
    *result = COVEY_ERROR_ABSENT;
    if (!find_number(history, number, &back)) return NULL;
    covey_world_desc desc = { .quiet = true };
    if (inspector->allocator.fn) desc.allocator = (covey_allocator){ allocate, inspector };
    covey_world *world = covey_history_world(history, back, &desc);
    *result = world ? COVEY_OK : covey_world_result(inspector->dependent.world);
    if (!world) return NULL;
    inspect__past *past = place_for_past(inspector);
    drop_past(past);
    *past = (inspect__past){ world, number, inspect__now() };
    return world;
}

/* ---- Which snapshot a request is about ----------------------------------------------------------------------------*/

/* The number of the snapshot that is `back` snapshots back. */
static bool number_back(const covey_history *history, uint64_t back, uint64_t *number) {
    covey_snapshot_info info;
    bool found = back <= UINT32_MAX && covey_history_info(history, (uint32_t)back, &info);
    if (found) *number = info.number;
    return found;
}

bool inspect__snapshot_back(inspect__request *request, const char *key, uint64_t *number) {
    uint64_t back;
    if (!inspect__request_number(request, key, 0, UINT32_MAX, &back)) return false;
    if (number_back(request->inspector->desc.history, back, number)) return true;
    inspect__refuse(request, 409, "ABSENT", "there is no snapshot %llu back: the history has %u",
                    (unsigned long long)back, covey_history_count(request->inspector->desc.history));
    return false;
}

/* Reads the number of the snapshot. A request keeps the number over several polls: `back` changes with each new
 * snapshot. */
static bool choose(inspect__request *request, uint64_t *number) {
    if (inspect__request_text(request, "number"))
        return inspect__request_number(request, "number", 0, UINT64_MAX, number);
    return inspect__snapshot_back(request, "back", number);
}

covey_world *inspect__past_asked(inspect__request *request) {
    covey_result result;
    if (!request->inspector->desc.history) return refuse_without_history(request), NULL;
    if (!request->past_chosen && !choose(request, &request->past)) return NULL;
    request->past_chosen = true;
    covey_world *world = inspect__past_world(request->inspector, request->past, &result);
    if (!world && result == COVEY_ERROR_ABSENT)
        inspect__refuse(request, 409, "ABSENT", "snapshot %llu is gone", (unsigned long long)request->past);
    else if (!world)
        inspect__refuse_result(request, result, "the past state could not be restored: %s", covey_result_text(result));
    return world;
}

/* ---- The list -----------------------------------------------------------------------------------------------------*/

static void put_snapshot(inspect__json *json, uint32_t back, const covey_snapshot_info *info) {
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "back", back);
    inspect__json_u64(json, "number", info->number);
    inspect__json_u64(json, "tick", info->tick);
    inspect__json_u64(json, "entities", info->entities);
    inspect__json_u64(json, "bytes", info->bytes);
    inspect__json_end_object(json);
}

bool inspect__answer_time(inspect__request *request, covey_world *world) {
    const covey_history *history = request->inspector->desc.history;
    inspect__json *json = &request->json;
    covey_snapshot_info info;
    (void)world;
    if (!history) return refuse_without_history(request);
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "capacity", covey_history_capacity(history));
    inspect__json_u64(json, "bytes", covey_history_memory(history));
    inspect__json_array(json, "snapshots");
    for (uint32_t back = 0; covey_history_info(history, back, &info); back++) put_snapshot(json, back, &info);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}

/* ---- Going back ---------------------------------------------------------------------------------------------------*/

static bool read_back(inspect__request *request, const covey_history *history, uint32_t *back) {
    const json_t *member = inspect__request_member(request, "back"),
                 *number = inspect__request_member(request, "number");
    const json_t *given = number ? number : member;
    if (!json_is_integer(given) || json_integer_value(given) < 0 || (member && number))
        return !inspect__refuse(request, 422, "ARGUMENT",
                                "give either back, how many snapshots to go back, or number, the number of a snapshot");
    uint64_t value = (uint64_t)json_integer_value(given);
    bool found = number ? find_number(history, value, back) : value < covey_history_count(history);
    if (!found)
        return !inspect__refuse(request, 409, "ABSENT", "there is no such snapshot: the history has %u",
                                covey_history_count(history));
    if (!number) *back = (uint32_t)value;
    return true;
}

bool inspect__answer_time_change(inspect__request *request, covey_world *world) {
    covey_history *history = request->inspector->desc.history;
    uint32_t back = 0;
    if (!history) return refuse_without_history(request);
    if (!read_back(request, history, &back)) return true;
    if (!covey_history_restore(history, back)) {
        covey_result result = covey_world_result(world);
        return inspect__refuse_result(request, result, "the snapshot could not be restored: %s",
                                      covey_result_text(result));
    }
    inspect__json_object(&request->json, NULL);
    inspect__json_bool(&request->json, "ok", true);
    inspect__json_u64(&request->json, "tick", covey_tick(world));
    inspect__json_u64(&request->json, "entities", covey_entity_count(world));
    inspect__json_end_object(&request->json);
    return true;
}
