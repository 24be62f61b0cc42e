#include "memory_model.h"

memory_model memory_model_make(uint32_t component_size, uint32_t entities, double utilisation) {
    uint64_t n = entities, size = component_size;
    double used = utilisation > 0 ? (utilisation < 1 ? utilisation : 1) : 0; /* NaN is 0 */
    memory_model model = {
        .linear = (size + 1) * n,
        .bitmask = size * n + (n + 7) / 8,
        .sparse = 2 * sizeof(uint32_t) * n + (uint64_t)((double)(size * n) * used + 0.5),
    };
    model.smallest = model.bitmask < model.linear ? MEMORY_BITMASK : MEMORY_LINEAR;
    uint64_t least = model.bitmask < model.linear ? model.bitmask : model.linear;
    if (model.sparse < least) model.smallest = MEMORY_SPARSE;
    return model;
}
