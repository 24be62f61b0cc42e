/* The table of endpoints below /api/v1/. docs/inspect.md describes them. */
#include "edit.h"
#include "entity.h"
#include "rows.h"

const inspect__endpoint inspect__endpoints[] = {
    /* clang-format off */
    { "GET", "world", inspect__answer_world, false },
    { "GET", "types", inspect__answer_types, false },
    { "GET", "entities", inspect__answer_entities, false },
    { "GET", "complete", inspect__answer_complete, false },
    { "GET", "tree", inspect__answer_tree, false },
    { "GET", "entity", inspect__answer_entity, false },
    { "GET", "entity/systems", inspect__answer_systems_of, false },
    { "GET", "several", inspect__answer_several, false },
    { "GET", "values", inspect__answer_values, false },
    { "GET", "resources", inspect__answer_resources, false },
    { "POST", "edit", inspect__answer_edit, true },
    { "POST", "undo", inspect__answer_undo, true },
    { "GET", "storage", inspect__answer_storage, false },
    { "GET", "map", inspect__answer_map, false },
    { "POST", "storage", inspect__answer_storage_change, true },
    { "GET", "systems", inspect__answer_systems, false },
    { "GET", "plan", inspect__answer_plan, false },
    { "GET", "timeline", inspect__answer_timeline, false },
    { "POST", "systems", inspect__answer_systems_change, true },
    { "POST", "run", inspect__answer_run, true },
    { "GET", "time", inspect__answer_time, false },
    { "GET", "time/diff", inspect__answer_diff, false },
    { "GET", "time/entities", inspect__answer_past_entities, false },
    { "GET", "time/entity", inspect__answer_past_entity, false },
    { "GET", "time/tree", inspect__answer_past_tree, false },
    { "POST", "time", inspect__answer_time_change, true },
    { "GET", "space", inspect__answer_space, false },
    { "GET", "lookups", inspect__answer_lookups, false },
    { "GET", "cells", inspect__answer_cells, false },
    { "GET", "events", inspect__answer_events, false },
    { "GET", "log", inspect__answer_log, false },
    /* clang-format on */
};
const uint32_t inspect__endpoint_count = sizeof inspect__endpoints / sizeof *inspect__endpoints;

const inspect__endpoint *inspect__endpoint_find(const char *method, const char *path, bool *known) {
    *known = false;
    for (uint32_t i = 0; i < inspect__endpoint_count; i++) {
        if (strcmp(inspect__endpoints[i].path, path) != 0) continue;
        *known = true;
        if (strcmp(inspect__endpoints[i].method, method) == 0) return &inspect__endpoints[i];
    }
    return NULL;
}
