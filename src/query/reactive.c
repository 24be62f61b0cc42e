/* Reactive sets: entities to which something happened, as a pool of marks that views can iterate. */
#include "query/reactive.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "observe/listeners.h"
#include "storage/marks.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"
#include "observe/signal.h"
#include "storage/storage.h"

#include <stdalign.h>
#include <stdio.h>

/* ---- Making ------------------------------------------------------------------------------------------------------*/

/* The listener of a set to a pool, or NULL. */
static covey__listener *listener_to(const covey_reactive *reactive, const covey_pool *pool) {
    const covey__listeners *listeners = pool->observers ? &pool->observers->listeners : NULL;
    for (uint32_t i = 0; listeners && i < listeners->count; i++)
        if (listeners->all[i].tags == reactive->tags && listeners->all[i].number != 0) return &listeners->all[i];
    return NULL;
}

/* Listens to a further pool. */
static bool begin_listening(covey_reactive *reactive, covey_pool *pool, uint32_t signals) {
    covey_pool *tags = reactive->tags;
    if (tags->ended && !covey__ended_add_source(tags, pool)) return false;
    covey__listener listener = {
        .number = ++reactive->world->inner->connections,
        .tags = tags,
        .decide = reactive->decide,
        .context = reactive->context,
    };
    covey__listener_hears(&listener, signals);
    bool listens = covey__listen(reactive->world, pool, &listener);
    if (!listens && tags->ended) covey__ended_remove_source(tags);
    return listens;
}

/* Begins to keep the handles of destroyed entities; end_destroyed ends it. */
static bool begin_destroyed(covey_reactive *reactive) {
    covey_world *world = reactive->world;
    if (!covey__ended_begin(reactive->tags)) {
        covey__fail(world, COVEY_ERROR_MEMORY,
                    "a reactive set could not be created, or listen to more: an allocation failed");
        return false;
    }
    covey__signals_on(world);
    world->inner->heard++;
    covey__fast_destroy_off(world);
    return true;
}

static void end_destroyed(covey_reactive *reactive) {
    reactive->world->inner->heard -= reactive->tags->ended != NULL;
    covey__ended_free(reactive->tags);
}

/* Adds signals to a listener. Needs no memory. */
static void hear_more(covey_reactive *reactive, covey_pool *pool, covey__listener *listener, uint32_t signals) {
    uint32_t before = listener->patch_is_set ? listener->signals & ~(uint32_t)COVEY_ON_PATCH : listener->signals;
    covey__listeners *listeners = &pool->observers->listeners;
    covey__listener_hears(listener, before | signals);
    reactive->world->inner->connections++; /* covey__told lists may lack the pool */
    covey__listeners_note(listeners, listener);
    covey__listeners_changed(reactive->world, pool, listeners);
}

static covey_result listen_to(covey_reactive *reactive, const covey_type *type, uint32_t signals) {
    covey_world *world = reactive->world;
    covey_pool *pool = covey_pool_of_raw(world, type);
    if (!pool) return world->inner->result;
    if (covey__is_reactive(pool))
        return covey__fail(world, COVEY_ERROR_REFUSED,
                           "a reactive set cannot collect changes of %s: it is a reactive set, which sends no signals",
                           type->name);
    covey__listener *listener = listener_to(reactive, pool);
    if (listener) hear_more(reactive, pool, listener, signals);
    else if (!begin_listening(reactive, pool, signals))
        return covey__fail(world, COVEY_ERROR_MEMORY,
                           "a reactive set could not be created, or listen to more: an allocation failed");
    return COVEY_OK;
}

static bool listen_to_all(covey_reactive *reactive, const covey_reactive_desc *desc) {
    const covey_type *const *const lists[] = { desc->added, desc->set, desc->patched, desc->removed };
    static const covey_signal signals[] = { COVEY_ON_ADD, COVEY_ON_SET, COVEY_ON_PATCH, COVEY_ON_REMOVE };
    for (uint32_t list = 0; list < 4; list++)
        for (uint32_t i = 0; i < COVEY_TERMS && lists[list][i]; i++)
            if (listen_to(reactive, lists[list][i], (uint32_t)signals[list]) != COVEY_OK) return false;
    return true;
}

covey_result covey_reactive_listen_raw(covey_reactive *reactive, const covey_type *type, uint32_t signals) {
    COVEY__CONTRACT(NULL, reactive && type, "a call needs a reactive set and a type");
    if (COVEY__IN_HOOK(reactive->world)) return COVEY_ERROR_REFUSED;
    if (signals == 0 || (signals & ~COVEY__COMPONENT_SIGNALS) != 0)
        return covey__fail(reactive->world, COVEY_ERROR_RANGE,
                           "a reactive set could not listen to %s: .signals must be of components, and not 0",
                           type->name ? type->name : "a type without a name");
    covey_result result = listen_to(reactive, type, signals);
    COVEY__CHANGED(reactive->world);
    return result;
}

static void listen_to_none(covey_reactive *reactive) {
    covey_world *world = reactive->world;
    for (uint32_t i = 0; i < world->pool_count; i++) {
        covey_pool *pool = world->pools[i];
        for (uint32_t k = 0; pool->observers && k < pool->observers->listeners.count;) {
            const covey__listener *listener = &pool->observers->listeners.all[k];
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

static void end_reactives(covey_world *world) {
    while (world->inner->reactives) {
        covey_reactive *reactive = world->inner->reactives;
        world->inner->reactives = reactive->next;
        end_destroyed(reactive);
        covey__free(&world->inner->heap, reactive, 1, sizeof *reactive, alignof(covey_reactive));
    }
}

static const covey__feature reactives = { .end = end_reactives };

/* A set that is free for reuse, or a new one. */
static covey_reactive *take_unused(covey_world *world) {
    covey_reactive *reactive = world->inner->reactives;
    while (reactive && reactive->used) reactive = reactive->next;
    if (reactive) return reactive;
    reactive = covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *reactive, alignof(covey_reactive));
    if (!reactive) {
        covey__fail(world, COVEY_ERROR_MEMORY,
                    "a reactive set could not be created, or listen to more: an allocation failed");
        return NULL;
    }
    *reactive = (covey_reactive){ .world = world, .next = world->inner->reactives, .tags = make_tags(world) };
    if (!reactive->tags) {
        covey__free(&world->inner->heap, reactive, 1, sizeof *reactive, alignof(covey_reactive));
        return NULL;
    }
    world->inner->reactives = reactive;
    world->inner->features[COVEY__REACTIVES] = &reactives;
    return reactive;
}

/* Disconnects a set and frees its memory, so that it can be reused. */
static void reset(covey_reactive *reactive) {
    listen_to_none(reactive);
    end_destroyed(reactive);
    covey__pool_clear(reactive->tags);
    covey__reactive_release(reactive->tags);
    reactive->used = false;
}

covey_reactive *covey_reactive_create(covey_world *world, const covey_reactive_desc *desc) {
    COVEY__CONTRACT(NULL, world && desc, "a call needs a world and a description");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_view match = covey_view_make(world, &desc->match);
    covey_reactive *reactive = covey_view_valid(&match) ? take_unused(world) : NULL;
    if (!reactive) return NULL;
    reactive->used = true;
    reactive->number = ++world->inner->numbered;
    reactive->match = match;
    reactive->decide = desc->decide;
    reactive->context = desc->context;
    if ((desc->keep_destroyed && !begin_destroyed(reactive)) || !listen_to_all(reactive, desc)) {
        reset(reactive);
        reactive = NULL;
    }
    COVEY__CHANGED(world);
    return reactive;
}

void covey_reactive_destroy(covey_reactive *reactive) {
    if (!reactive || COVEY__IN_HOOK(reactive->world)) return;
    reset(reactive);
    COVEY__CHANGED(reactive->world);
}

size_t covey__reactives_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (const covey_reactive *reactive = world->inner->reactives; reactive; reactive = reactive->next)
        bytes += sizeof *reactive + covey__ended_bytes(reactive->tags);
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
    if (reactive->tags->ended) reactive->tags->ended->count = 0;
}

uint32_t covey_reactive_destroyed(const covey_reactive *reactive, const covey_entity **handles) {
    COVEY__CONTRACT(NULL, reactive && handles, "a call needs a reactive set and a place for what it has");
    const covey__ended *ended = reactive->tags->ended;
    *handles = ended ? ended->handles : NULL;
    return ended ? ended->count : 0;
}

const covey_type *covey_reactive_type(const covey_reactive *reactive) {
    COVEY__CONTRACT(NULL, reactive, "a call needs a reactive set");
    return reactive->tags->type;
}

bool covey__reactives_valid(const covey_world *world, const char **why) {
    for (const covey_reactive *reactive = world->inner->reactives; reactive; reactive = reactive->next) {
        const covey_pool *tags = reactive->tags;
        REQUIRE(covey__is_reactive(tags) && !tags->observers && !covey__packed_in(tags) && tags->size == 0,
                "reactive set: the pool does not belong to a tag");
        REQUIRE(reactive->used || (covey_pool_count(tags) == 0 && !tags->ended),
                "reactive set: an unused set has marks");
    }
    return true;
}
