/* A world has a list of the objects that use it, so that none of them reads it after it was destroyed. */
#include "memory/dependent.h"

#include "memory/inner.h"
#include "memory/result.h"

void covey_dependent_attach(covey_world *world, covey_dependent *dependent) {
    COVEY__CONTRACT(NULL, world && dependent, "a call needs a world and a dependent");
    COVEY__CONTRACT(world, !dependent->world, "a dependent is attached twice: detach it first");
    dependent->world = world;
    dependent->previous = NULL;
    dependent->next = world->inner->dependents;
    if (dependent->next) dependent->next->previous = dependent;
    world->inner->dependents = dependent;
}

void covey_dependent_detach(covey_dependent *dependent) {
    if (!dependent || !dependent->world) return;
    if (dependent->next) dependent->next->previous = dependent->previous;
    if (dependent->previous) dependent->previous->next = dependent->next;
    else dependent->world->inner->dependents = dependent->next;
    dependent->world = NULL;
}

bool covey__dependents_busy(const covey_world *world) {
    const covey_dependent *dependent = world->inner->dependents;
    while (dependent && !dependent->busy) dependent = dependent->next;
    return dependent != NULL;
}

void covey__dependents_end(covey_world *world) {
    while (world->inner->dependents) {
        covey_dependent *left = world->inner->dependents;
        COVEY__CONTRACT(world, false, left->left);
        if (left->ended) left->ended(left);
        covey_dependent_detach(left);
    }
}

bool covey__dependents_valid(const covey_world *world, const char **why) {
    const covey_dependent *previous = NULL;
    for (const covey_dependent *d = world->inner->dependents; d; previous = d, d = d->next)
        REQUIRE(d->world == world && d->previous == previous,
                "dependent: in the list of another world, or linked wrongly");
    return true;
}
