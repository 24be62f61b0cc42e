/* The swarm on plain arrays by index, with a byte of flags for each bird. The world is compared with it, in time and in
 * result. */
#include "swarm.h"

#include <stdlib.h>

static void put(Swarm *s, const Bird *bird, uint32_t i) {
    s->position[i] = bird->position;
    s->velocity[i] = bird->velocity;
    s->energy[i] = bird->energy;
    s->sick[i] = bird->sick;
    s->flags[i] = bird->flags;
}

void make_arrays(Swarm *s) {
    uint32_t n = s->n;
    s->position = malloc(n * (sizeof(Position) + sizeof(Velocity) + sizeof(Energy) + sizeof(Sick) + 1));
    if (!s->position) die("starting", "no memory");
    s->velocity = s->position + n;
    s->energy = (Energy *)(s->velocity + n);
    s->sick = s->energy + n;
    s->flags = (uint8_t *)(s->sick + n);
    for (uint32_t i = 0; i < n; i++) {
        Bird bird = hatch(i, 0);
        put(s, &bird, i);
    }
}

void free_arrays(Swarm *s) { free(s->position); }

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

void wind_on_arrays(Swarm *s) {
    Velocity gust = s->gust, *v = s->velocity;
    for (uint32_t i = 0; i < s->n; i++) add(&v[i], gust);
}

void move_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (!(s->flags[i] & IS_FROZEN)) add(&s->position[i], s->velocity[i]);
}

void weaken_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(s->flags[i] & HAS_ENERGY) || tire(&s->energy[i], s->velocity[i])) continue;
        s->flags[i] = (uint8_t)((s->flags[i] & ~HAS_ENERGY) | IS_FROZEN);
    }
}

void ail_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->flags[i] & IS_SICK) suffer(&s->sick[i], s->flags[i] & HAS_ENERGY ? &s->energy[i] : NULL);
}

void renew_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!is_outside(s->position[i])) continue;
        Bird bird = hatch(i, s->frame);
        put(s, &bird, i);
    }
}

/* ---- Comparison ---------------------------------------------------------------------------------------------------*/

/* Whether the component is present if it should be, and has this value. */
static bool is_same(const void *component, bool wanted, const void *value, size_t size) {
    return (component != NULL) == wanted && (!wanted || memcmp(component, value, size) == 0);
}

void check(const Swarm *s) {
    const char *why = "";
    if (!covey_world_validate(s->world, &why)) die("the world is not valid", why);
    for (uint32_t i = 0; i < s->n; i++) {
        covey_entity e = covey_pool_at(covey_pool_find(s->world, Position), i); /* in blocks, by index */
        bool same = is_same(covey_get(s->world, e, Position), true, &s->position[i], sizeof(Position)) &&
                    is_same(covey_get(s->world, e, Velocity), true, &s->velocity[i], sizeof(Velocity)) &&
                    is_same(covey_get(s->world, e, Energy), s->flags[i] & HAS_ENERGY, &s->energy[i], sizeof(Energy)) &&
                    is_same(covey_get(s->world, e, Sick), s->flags[i] & IS_SICK, &s->sick[i], sizeof(Sick)) &&
                    covey_has(s->world, e, Frozen) == ((s->flags[i] & IS_FROZEN) != 0);
        if (!same) die("a bird", "the world and the arrays differ");
    }
}
