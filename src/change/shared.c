/* Entities that several worlds share, in turn or as copies: they leave without being targets that end. */
#include "memory/inner.h"
#include "memory/result.h"
#include "observe/filing.h"

#include <covey/shared.h>

uint32_t covey_leave_many(covey_world *world, const covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey__inner *inner = world->inner;
    bool leaving = inner->leaving;
    struct covey__emission *leaving_in = inner->leaving_in;
    inner->leaving = true;
    inner->leaving_in = inner->emission;
    uint32_t left = covey_destroy_many(world, entities, count);
    inner->leaving = leaving;
    inner->leaving_in = leaving_in;
    return left;
}

bool covey_copies_are(covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return false;
    const covey_pool *pool = type ? covey_pool_of_raw(world, type) : NULL;
    if (type && !pool) return false;
    world->inner->copies = pool;
    return true;
}

uint32_t covey_targets_elsewhere(covey_world *world, covey_entity *targets, uint32_t most) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, targets, most);
    if (world->inner->target_lookups == 0) return 0;
    return world->inner->looking->targets_elsewhere(world, targets, targets ? most : 0);
}

void covey_targets_end(covey_world *world, const covey_entity *targets, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, targets, count);
    if (COVEY__IN_HOOK(world)) return;
    for (uint32_t i = 0; i < count; i++) {
        covey__target_ending(world, targets[i]);
        covey__targets_ended(world);
    }
}
