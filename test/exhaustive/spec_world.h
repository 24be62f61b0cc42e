/* The specification of entities in docs/design.md (section 2, "Specification"), as a program, for a world whose first
 * index is SPEC_FIRST; and what a pool adds to that of a set. */
#ifndef COVEY_TEST_SPEC_WORLD_H
#define COVEY_TEST_SPEC_WORLD_H

#include "spec_set.h"

enum { SPEC_INDICES = 3, SPEC_FIRST = 15 - SPEC_INDICES };

typedef struct spec_index {
    uint8_t last; /* the generation of its last entity; 0: there was none */
    uint8_t alive;
    uint8_t reserved; /* it belongs to the range */
    uint8_t issued;   /* a bit for each generation that a handle was issued with */
} spec_index;

typedef struct spec_world {
    spec_index at[SPEC_INDICES];
    uint8_t by_index; /* the pool is in blocks: its components are in the order of indices */
    spec_set pool;
} spec_world;

void spec_world_begin(spec_world *s, covey_policy policy, bool by_index);
spec_index *spec_world_index(spec_world *s, uint32_t index); /* NULL: it has none */
bool spec_world_alive(spec_world *s, covey_entity e);

/* Creating returns the handles through `created`, and whether they may be issued. */
covey_result spec_world_create(spec_world *s, uint32_t count, bool reserved, covey_entity *created);
covey_result spec_world_create_at(spec_world *s, uint32_t index, covey_entity *created);
covey_result spec_world_create_exact(spec_world *s, const covey_entity *list, uint32_t count, bool again);
bool spec_world_destroy(spec_world *s, covey_entity e);
void spec_world_destroy_all(spec_world *s);
covey_result spec_world_reserve(spec_world *s, uint32_t index); /* a range of one */

covey_result spec_world_add(spec_world *s, covey_entity e, uint8_t value);
bool spec_world_remove(spec_world *s, covey_entity e);
void spec_world_compact(spec_world *s);

#endif
