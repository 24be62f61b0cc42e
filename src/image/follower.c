/* Creates and destroys followers, and finds the entities that they know. */
#include "image/follower.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "image/image.h"
#include "memory/result.h"

#include <stdalign.h>

#define LEFT "a world is destroyed before its follower: call covey_follower_destroy first"

static const covey_entity null_entity = { 0, 0 };

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

static void enlist(covey_world *world, covey_follower *follower) {
    covey_dependent_attach(world, &follower->dependent);
    follower->number = ++world->inner->numbered;
    follower->next = world->inner->followers;
    if (follower->next) follower->next->previous = follower;
    world->inner->followers = follower;
}

static void delist(covey_follower *follower) {
    covey_world *world = follower->dependent.world;
    if (!world) return;
    if (follower->next) follower->next->previous = follower->previous;
    if (follower->previous) follower->previous->next = follower->next;
    else world->inner->followers = follower->next;
    covey_dependent_detach(&follower->dependent);
}

covey_follower *covey_follower_create(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey__heap heap = { world->inner->heap.allocator, 0, NULL };
    covey_follower *follower = covey__resize(&heap, NULL, 0, 1, sizeof *follower, alignof(covey_follower));
    if (follower)
        *follower = (covey_follower){ .dependent.left = LEFT, .heap = heap, .known = covey__handle_map(&heap) };
    if (follower && follower->known) {
        enlist(world, follower);
        return follower;
    }
    if (follower) covey__free(&heap, follower, 1, sizeof *follower, alignof(covey_follower));
    covey__fail(world, COVEY_ERROR_MEMORY, "a follower could not be created: an allocation failed");
    return NULL;
}

void covey_follower_destroy(covey_follower *follower) {
    if (!follower) return;
    COVEY__CONTRACT(follower->dependent.world, !follower->dependent.busy,
                    "a listener must not destroy the follower whose image is being read: do it afterwards");
    if (follower->dependent.busy) return;
    delist(follower);
    covey__heap heap = follower->heap;
    covey_sparse_set_destroy(follower->known);
    covey__free(&heap, follower, 1, sizeof *follower, alignof(covey_follower));
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

covey_entity covey_follower_find(const covey_follower *follower, covey_entity source) {
    COVEY__CONTRACT(NULL, follower, "a call needs a follower");
    const covey_entity *here = covey_sparse_set_get(follower->known, source);
    const covey_world *world = follower->dependent.world;
    return here && world && covey_alive(world, *here) ? *here : null_entity;
}

bool covey__is_following(const covey_world *world) {
    const covey_follower *follower = world->inner->followers;
    while (follower && !follower->dependent.busy) follower = follower->next;
    return follower != NULL;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* A handle that was not issued yet could later name an entity of the world's own. */
static bool follower_is_valid(const covey_follower *follower, const char **why) {
    const covey_sparse_set *known = follower->known;
    if (!covey_sparse_set_validate(known, why)) return false;
    for (uint32_t at = 0; (at = covey_sparse_set_next(known, at)) != COVEY_NONE; at++) {
        const covey_entity *here = covey_sparse_set_value_at(known, at);
        REQUIRE(here->generation != 0 &&
                    here->generation <= covey_generation_at(follower->dependent.world, here->index),
                "follower: it knows a handle that was never issued");
    }
    return true;
}

bool covey__followers_valid(const covey_world *world, const char **why) {
    const covey_follower *previous = NULL;
    for (const covey_follower *follower = world->inner->followers; follower;
         previous = follower, follower = follower->next) {
        REQUIRE(follower->dependent.world == world && follower->previous == previous,
                "follower: in the list of another world, or linked wrongly");
        if (!follower_is_valid(follower, why)) return false;
    }
    return true;
}
