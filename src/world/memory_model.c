/* The memory of three classic layouts, to compare real pools with. */
#include <covey/covey.h>

covey_memory covey_memory_model(uint32_t component_size, uint32_t entities, double utilisation) {
    uint64_t n = entities, size = component_size;
    double used = utilisation > 0 ? (utilisation < 1 ? utilisation : 1) : 0; /* NaN is 0 */
    covey_memory memory = {
        .linear = (size + 1) * n,
        .bitmask = size * n + (n + 7) / 8,
        .sparse = 2 * sizeof(uint32_t) * n + (uint64_t)((double)(size * n) * used + 0.5),
    };
    memory.smallest = memory.bitmask < memory.linear ? COVEY_MEMORY_BITMASK : COVEY_MEMORY_LINEAR;
    uint64_t least = memory.bitmask < memory.linear ? memory.bitmask : memory.linear;
    if (memory.sparse < least) memory.smallest = COVEY_MEMORY_SPARSE;
    return memory;
}
