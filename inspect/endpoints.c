/* The table of endpoints, below /api/v1/: one line each. docs/inspect.md describes them. */
#include "inspector.h"

const inspect__endpoint inspect__endpoints[] = {
    { "GET", "world", inspect__answer_world, false },
    { "GET", "types", inspect__answer_types, false },
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
