/* What scenarios that iterate do to an entity: the first component changes by the sum of the others. */
#ifndef BENCH_STEPS_H
#define BENCH_STEPS_H

#include "components.h"

static inline void step1(Vec2 *a) {
    a->x += 1;
    a->y += 1;
}

static inline void step2(Vec2 *a, const Vec2 *b) {
    a->x += b->x;
    a->y += b->y;
}

static inline void step3(Vec2 *a, const Vec2 *b, const Vec2 *c) {
    a->x += b->x + c->x;
    a->y += b->y + c->y;
}

static inline void step5(Vec2 *a, const Vec2 *b, const Vec2 *c, const Vec2 *d, const Vec2 *e) {
    a->x += b->x + c->x + d->x + e->x;
    a->y += b->y + c->y + d->y + e->y;
}

#endif
