#include "spec_world.h"

#include <string.h>

void spec_world_begin(spec_world *s, covey_policy policy, bool by_index) {
    memset(s, 0, sizeof *s);
    s->by_index = by_index;
    spec_set_begin(&s->pool, policy, false);
}

spec_index *spec_world_index(spec_world *s, uint32_t index) {
    return index >= SPEC_FIRST && index < SPEC_FIRST + SPEC_INDICES ? &s->at[index - SPEC_FIRST] : NULL;
}

bool spec_world_alive(spec_world *s, covey_entity e) {
    const spec_index *i = spec_world_index(s, e.index);
    return i && i->alive && i->last == e.generation;
}

static bool is_retired(const spec_index *i) { return !i->alive && i->last == COVEY_GENERATION_MAX; }

static bool is_free(const spec_index *i) { return !i->alive && !is_retired(i); }

/* ---- Creating -----------------------------------------------------------------------------------------------------*/

static void issue(spec_index *i, uint32_t generation) {
    i->last = (uint8_t)generation;
    i->alive = 1;
    i->issued |= (uint8_t)(1 << generation);
}

/* Entities of one index have the generations 1, 3, 5 and so on. */
static uint32_t next_generation(const spec_index *i) { return i->last == 0 ? 1 : i->last + 2u; }

covey_result spec_world_create(spec_world *s, uint32_t count, bool reserved, covey_entity *created) {
    uint32_t made = 0, ready = 0;
    for (uint32_t k = 0; k < SPEC_INDICES; k++) ready += is_free(&s->at[k]) && s->at[k].reserved == reserved;
    if (ready < count) return COVEY_ERROR_FULL;
    for (uint32_t k = 0; made < count; k++) {
        spec_index *i = &s->at[k];
        if (!is_free(i) || i->reserved != reserved) continue;
        created[made++] = covey__entity(SPEC_FIRST + k, next_generation(i));
        issue(i, next_generation(i));
    }
    return COVEY_OK;
}

covey_result spec_world_create_at(spec_world *s, uint32_t index, covey_entity *created) {
    spec_index *i = spec_world_index(s, index);
    if (!i) return COVEY_ERROR_RANGE;
    if (!is_free(i)) return COVEY_ERROR_TAKEN;
    *created = covey__entity(index, next_generation(i));
    issue(i, created->generation);
    return COVEY_OK;
}

static covey_result may_create(spec_world *s, covey_entity e, bool again) {
    spec_index *i = spec_world_index(s, e.index);
    if (!i || e.generation % 2 == 0) return COVEY_ERROR_RANGE;
    if (i->alive) return COVEY_ERROR_TAKEN;
    if (again && e.generation == i->last) return COVEY_OK;
    return e.generation > i->last ? COVEY_OK : COVEY_ERROR_TAKEN;
}

covey_result spec_world_create_exact(spec_world *s, const covey_entity *list, uint32_t count, bool again) {
    for (uint32_t k = 0; k < count; k++) {
        covey_result result = may_create(s, list[k], again);
        for (uint32_t j = 0; j < k && result == COVEY_OK; j++)
            if (list[j].index == list[k].index) result = COVEY_ERROR_TAKEN;
        if (result != COVEY_OK) return result;
    }
    for (uint32_t k = 0; k < count; k++) issue(spec_world_index(s, list[k].index), list[k].generation);
    return COVEY_OK;
}

covey_result spec_world_reserve(spec_world *s, uint32_t index) {
    spec_index *i = spec_world_index(s, index);
    if (i->last != 0 || i->reserved) return COVEY_ERROR_TAKEN;
    i->reserved = 1;
    return COVEY_OK;
}

/* ---- Destroying ---------------------------------------------------------------------------------------------------*/

static void erase(spec_world *s, covey_entity e) {
    (void)spec_set_remove(&s->pool, e);
    if (s->by_index) (void)spec_set_sort(&s->pool, false);
}

bool spec_world_destroy(spec_world *s, covey_entity e) {
    if (!spec_world_alive(s, e)) return false;
    spec_world_index(s, e.index)->alive = 0;
    if (spec_set_live(&s->pool, e) != COVEY_NONE) erase(s, e);
    return true;
}

void spec_world_destroy_all(spec_world *s) {
    for (uint32_t k = SPEC_INDICES; k-- != 0;)
        (void)spec_world_destroy(s, covey__entity(SPEC_FIRST + k, s->at[k].last));
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

covey_result spec_world_add(spec_world *s, covey_entity e, uint8_t value) {
    if (!spec_world_alive(s, e)) return COVEY_ERROR_DEAD;
    covey_result result = spec_set_push(&s->pool, e, value, s->pool.policy != COVEY_IN_PLACE);
    if (result == COVEY_OK && s->by_index) (void)spec_set_sort(&s->pool, false);
    return result;
}

bool spec_world_remove(spec_world *s, covey_entity e) {
    if (!spec_world_alive(s, e) || spec_set_live(&s->pool, e) == COVEY_NONE) return false;
    erase(s, e);
    return true;
}

/* Only the holes behind the last component go. */
static void drop_last_holes(spec_set *set) {
    while (set->end != 0 && set->at[set->end - 1].hole) memset(&set->at[--set->end], 0, sizeof *set->at);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->hole_count; i++)
        if (set->holes[i] < set->end) set->holes[kept++] = set->holes[i];
    memset(set->holes + kept, 0, sizeof set->holes - kept);
    set->hole_count = (uint8_t)kept;
}

static void drop_dead(spec_set *set) {
    memset(&set->at[set->end], 0, set->dead * sizeof *set->at);
    set->dead = 0;
}

void spec_world_compact(spec_world *s) {
    if (s->pool.policy == COVEY_ORDERED) spec_set_compact(&s->pool);
    if (s->pool.policy == COVEY_IN_PLACE) drop_last_holes(&s->pool);
    if (s->pool.policy == COVEY_SWAP_ONLY) drop_dead(&s->pool);
}
