/* Reactive sets: entities to which something happened, as a pool of marks that a view goes through. */
#include "reactive.h"

#include "alloc.h"
#include "block_store.h"
#include "listen.h"
#include "listeners.h"
#include "marks.h"
#include "observers.h"
#include "pool.h"
#include "pool_of.h"
#include "presence.h"
#include "result.h"
#include "storage.h"

#include <stdalign.h>
#include <stdio.h>

/* ---- Making ------------------------------------------------------------------------------------------------------*/

/* The signals of a type that a set is about. */
static uint32_t signals_of(const covey_reactive_desc *desc, const covey_type *type) {
    const covey_type *const *const lists[] = { desc->added, desc->set, desc->removed };
    static const uint32_t signals[] = { COVEY_ON_ADD, COVEY_ON_SET, COVEY_ON_REMOVE };
    uint32_t found = 0;
    for (uint32_t list = 0; list < 3; list++)
        for (uint32_t i = 0; i < COVEY_TERMS && lists[list][i]; i++)
            if (lists[list][i] == type) found |= signals[list];
    return found;
}

/* Listens to a type that the list is the first to name. */
static bool listen_to(covey_reactive *reactive, const covey_reactive_desc *desc, const covey_type *type) {
    covey_world *world = reactive->world;
    covey_pool *pool = covey_pool_of_raw(world, type);
    if (!pool) return false;
    if (covey__is_reactive(pool)) {
        covey__fail(world, COVEY_ERROR_REFUSED, "a reactive set cannot collect what another one does: %s", type->name);
        return false;
    }
    covey__listener listener = {
        .number = ++world->connections,
        .signals = signals_of(desc, type),
        .tags = reactive->tags,
    };
    if (covey__listen(world, pool, &listener)) return true;
    covey__fail(world, COVEY_ERROR_MEMORY, "no memory for a reactive set");
    return false;
}

static bool listen_to_all(covey_reactive *reactive, const covey_reactive_desc *desc) {
    const covey_type *const *const lists[] = { desc->added, desc->set, desc->removed };
    covey_reactive_desc done = { 0 };
    const covey_type **heard[] = { done.added, done.set, done.removed };
    for (uint32_t list = 0; list < 3; list++)
        for (uint32_t i = 0; i < COVEY_TERMS && lists[list][i]; i++) {
            if (signals_of(&done, lists[list][i]) == 0 && !listen_to(reactive, desc, lists[list][i])) return false;
            heard[list][i] = lists[list][i];
        }
    return true;
}

static void listen_to_none(covey_reactive *reactive) {
    covey_world *world = reactive->world;
    for (uint32_t i = 0; i < world->pool_count; i++) {
        covey_pool *pool = world->pools[i];
        for (uint32_t k = 0; pool->watch && k < pool->watch->listeners.count;) {
            const covey__listener *listener = &pool->watch->listeners.all[k];
            if (listener->tags == reactive->tags && listener->number != 0) {
                covey__unlisten(world, pool, listener->number);
                k = 0;
            } else k++;
        }
    }
}

static covey_pool *make_tags(covey_world *world) {
    char name[40];
    snprintf(name, sizeof name, "covey.reactive.%u", world->pool_count);
    const covey_type *type = covey__type_make_internal(world, &(covey_type){ .name = name });
    covey_pool *tags = type ? covey__pool_of_internal(world, type) : NULL;
    if (tags) {
        tags->uses |= COVEY__USE_REACTIVE;
        tags->plain = false;
    }
    return tags;
}

/* One that is not used any more, or a new one. */
static covey_reactive *take(covey_world *world) {
    covey_reactive *reactive = world->reactives;
    while (reactive && reactive->used) reactive = reactive->next;
    if (reactive) return reactive;
    reactive = covey__resize(&world->heap, NULL, 0, 1, sizeof *reactive, alignof(covey_reactive));
    if (!reactive) {
        covey__fail(world, COVEY_ERROR_MEMORY, "no memory for a reactive set");
        return NULL;
    }
    *reactive = (covey_reactive){ .world = world, .next = world->reactives, .tags = make_tags(world) };
    if (!reactive->tags) {
        covey__free(&world->heap, reactive, 1, sizeof *reactive, alignof(covey_reactive));
        return NULL;
    }
    world->reactives = reactive;
    return reactive;
}

/* A set that nobody uses gives back what it had reserved. */
static void give_back(covey_reactive *reactive) {
    listen_to_none(reactive);
    covey__pool_clear(reactive->tags);
    covey__presence_unmark_all(reactive->world, reactive->tags->number);
    covey__blocks_shrink(&reactive->tags->blocks);
    reactive->used = false;
}

covey_reactive *covey_reactive_create(covey_world *world, const covey_reactive_desc *desc) {
    COVEY__CONTRACT(NULL, world && desc, "a call needs a world and a description");
    covey_view match = covey_view_make(world, &desc->match);
    covey_reactive *reactive = covey_view_valid(&match) ? take(world) : NULL;
    if (!reactive) return NULL;
    reactive->used = true;
    reactive->number = ++world->numbered;
    reactive->match = match;
    if (!listen_to_all(reactive, desc)) {
        give_back(reactive);
        reactive = NULL;
    }
    COVEY__CHANGED(world);
    return reactive;
}

void covey_reactive_destroy(covey_reactive *reactive) {
    if (!reactive) return;
    give_back(reactive);
    COVEY__CHANGED(reactive->world);
}

void covey__reactives_free(covey_world *world) {
    while (world->reactives) {
        covey_reactive *reactive = world->reactives;
        world->reactives = reactive->next;
        covey__free(&world->heap, reactive, 1, sizeof *reactive, alignof(covey_reactive));
    }
}

size_t covey__reactives_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (const covey_reactive *reactive = world->reactives; reactive; reactive = reactive->next)
        bytes += sizeof *reactive;
    return bytes;
}

/* ---- Using -------------------------------------------------------------------------------------------------------*/

uint32_t covey_reactive_count(const covey_reactive *reactive) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    return covey_pool_count(reactive->tags);
}

bool covey_reactive_contains(const covey_reactive *reactive, covey_entity e) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    return covey_pool_has(reactive->tags, e);
}

covey_iter covey_reactive_iter(const covey_reactive *reactive) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    return covey_view_iter_by(&reactive->match, reactive->tags);
}

void covey_reactive_clear(covey_reactive *reactive) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    covey__pool_clear(reactive->tags);
}

const covey_type *covey_reactive_type(const covey_reactive *reactive) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    return reactive->tags->type;
}

bool covey__reactives_valid(const covey_world *world, const char **why) {
    for (const covey_reactive *reactive = world->reactives; reactive; reactive = reactive->next) {
        const covey_pool *tags = reactive->tags;
        REQUIRE(covey__is_reactive(tags) && !tags->watch && !covey__packed_in(tags) && tags->size == 0,
                "reactive set: another pool than a tag's");
        REQUIRE(reactive->used || covey_pool_count(tags) == 0, "reactive set: marks that nobody wants");
    }
    return true;
}
