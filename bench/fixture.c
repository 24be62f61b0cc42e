/* Worlds with entities, and the orders in which scenarios walk over them. */
#include "bench.h"

#include <stdlib.h>

void *bench_alloc(size_t count, size_t size) {
    void *memory = malloc(count * size);
    if (!memory) bench_fail("no memory for %zu times %zu bytes", count, size);
    return memset(memory, 0, count * size);
}

uint32_t bench_random(uint64_t *state, uint32_t limit) {
    *state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t x = *state;
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (uint32_t)(((x >> 32) * limit) >> 32);
}

void bench_shuffle(covey_entity *entities, uint32_t count) {
    uint64_t state = count;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = bench_random(&state, i);
        covey_entity moved = entities[i - 1];
        entities[i - 1] = entities[j];
        entities[j] = moved;
    }
}

static void reverse(covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count / 2; i++) {
        covey_entity moved = entities[i];
        entities[i] = entities[count - 1 - i];
        entities[count - 1 - i] = moved;
    }
}

void bench_positions(uint32_t *positions, uint32_t n, bench_order order) {
    covey_entity *mixed = bench_alloc(n, sizeof *mixed);
    for (uint32_t i = 0; i < n; i++) mixed[i] = covey_entity_make(i, 1);
    if (order == BENCH_SHUFFLED) bench_shuffle(mixed, n);
    for (uint32_t i = 0; i < n; i++) positions[i] = mixed[i].index;
    free(mixed);
}

void bench_entities_open(bench_entities *entities, const bench_scenario *scenario, uint32_t n) {
    *entities = (bench_entities){
        .world = covey_world_create(NULL),
        .all = bench_alloc(n, sizeof(covey_entity)),
        .order = bench_alloc(n, sizeof(covey_entity)),
        .n = n,
        .order_count = scenario->percent ? (uint32_t)((uint64_t)n * scenario->percent / 100) : n,
    };
    if (!entities->world || !covey_create_many(entities->world, entities->all, n)) bench_fail("no memory for a world");
    memcpy(entities->order, entities->all, n * sizeof(covey_entity));
    if (scenario->order == BENCH_REVERSED) reverse(entities->order, n);
    if (scenario->order == BENCH_SHUFFLED) bench_shuffle(entities->order, n);
}

void bench_entities_close(bench_entities *entities) {
    covey_world_destroy(entities->world);
    free(entities->all);
    free(entities->order);
}
