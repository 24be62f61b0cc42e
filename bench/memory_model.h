/* What three classic layouts of components would take, to compare real pools with. */
#ifndef BENCH_MEMORY_MODEL_H
#define BENCH_MEMORY_MODEL_H

#include <stdint.h>

typedef enum memory_layout { MEMORY_LINEAR, MEMORY_BITMASK, MEMORY_SPARSE } memory_layout;

typedef struct memory_model {
    uint64_t linear, bitmask, sparse;
    memory_layout smallest;
} memory_model;

/* The bytes for `entities` slots, if the share `utilisation` (0 to 1) of them has a component of this size:
 *     linear  = (size + 1) * n                 an array, and a bool for each
 *     bitmask = size * n + ceil(n / 8)         an array, and a bit for each
 *     sparse  = 8 * n + size * n * utilisation the textbook sparse set
 * A sparse pool of Covey, after shrinking, takes 8 * n + (8 + size) * n * utilisation, rounded up to whole pages: its
 * slots and ids have generations. */
memory_model memory_model_make(uint32_t component_size, uint32_t entities, double utilisation);

#endif
