/* What happens to the sources of an entity that is destroyed.
 *
 * While its destruction is announced, it is put in a list of each lookup that finds sources of it. When the entity has
 * ended, its sources are dealt with. They may be destroyed, too: then they are put in the lists as well, but dealt with
 * later, so that nothing nests, however long a chain is, and circles end. */
#include "lookup/lookup.h"

#include "memory/alloc.h"
#include "observe/tick.h"

#include <stdalign.h>

bool covey__targets_reserve(covey_lookup *lookup, uint32_t count) {
    if (lookup->when_target_ends == COVEY_TARGET_KEEP || count <= lookup->ending_capacity) return true;
    uint32_t capacity = covey__grown(lookup->ending_capacity, count, UINT32_MAX);
    covey_entity *ending = covey__resize(&lookup->world->inner->heap, lookup->ending, lookup->ending_capacity, capacity,
                                         sizeof *ending, alignof(covey_entity));
    if (!ending) return false;
    lookup->ending = ending;
    lookup->ending_capacity = capacity;
    return true;
}

void covey__targets_shrink(covey_lookup *lookup, uint32_t count) {
    covey__heap *heap = &lookup->world->inner->heap;
    uint32_t old = lookup->ending_capacity, least = count > lookup->ending_count ? count : lookup->ending_count;
    covey_entity *ending = NULL;
    if (least >= old) return;
    if (least == 0) covey__free(heap, lookup->ending, old, sizeof *ending, alignof(covey_entity));
    else ending = covey__resize(heap, lookup->ending, old, least, sizeof *ending, alignof(covey_entity));
    if (least != 0 && !ending) return;
    lookup->ending = ending;
    lookup->ending_capacity = least;
}

static uint32_t record_of(const covey_lookup *lookup, covey_entity target) {
    covey__lookup_key key = { covey__key_of_target(target), NULL, 0 };
    return covey__buckets_find(&lookup->buckets, &key);
}

/* Those that have no source any more leave the list. The others have a source each, so there is room for one more that
 * has a source. */
static void make_room(covey_lookup *lookup) {
    uint32_t kept = 0;
    if (lookup->ending_count < lookup->ending_capacity) return;
    for (uint32_t i = 0; i < lookup->ending_count; i++)
        if (record_of(lookup, lookup->ending[i]) != COVEY__NO_RECORD) lookup->ending[kept++] = lookup->ending[i];
    lookup->world->inner->ending_targets -= lookup->ending_count - kept;
    lookup->ending_count = kept;
}

void covey__target_is_ending(covey_world *world, covey_entity target) {
    for (covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) {
        if (lookup->when_target_ends == COVEY_TARGET_KEEP) continue;
        covey__lookup_settle(lookup);
        if (record_of(lookup, target) == COVEY__NO_RECORD) continue;
        make_room(lookup);
        lookup->ending[lookup->ending_count++] = target;
        world->inner->ending_targets++;
    }
}

enum { SOME = 64 };

/* Some sources of a target, from an index on. Returns how many. */
static uint32_t next_sources(const covey_lookup *lookup, covey_entity target, uint32_t from, covey_entity *sources) {
    covey__lookup_settle(lookup);
    uint32_t record = record_of(lookup, target), count = 0;
    covey__bucket_run run = { NULL, NULL, 0 };
    if (record != COVEY__NO_RECORD) run = covey__bucket_from(&lookup->buckets, record, from);
    for (; count < run.count && count < SOME; count++)
        sources[count] = covey__entity(run.indices[count], run.generations[count]);
    return count;
}

static bool is_copy(const covey_world *world, covey_entity e) {
    return world->inner->copies && covey_pool_has(world->inner->copies, e);
}

/* Whether an entity still has the target: listeners may have changed it. */
static bool is_source(const covey_lookup *lookup, covey_entity source, covey_entity target) {
    covey_entity now;
    if (!covey_pool_has(lookup->pool, source)) return false;
    memcpy(&now, (const char *)covey__value_of_index(lookup->pool, source.index) + lookup->field.offset, sizeof now);
    return covey_same(now, target);
}

static void deal_with(covey_lookup *lookup, covey_entity source) {
    covey_world *world = lookup->world;
    covey_entity none = { 0, 0 };
    switch ((covey_target_end)lookup->when_target_ends) {
    case COVEY_TARGET_KEEP: break;
    case COVEY_TARGET_CLEAR:
        memcpy((char *)covey__value_of_index(lookup->pool, source.index) + lookup->field.offset, &none, sizeof none);
        covey__ticks_note(lookup->pool, source.index);
        break;
    case COVEY_TARGET_REMOVE: covey_pool_remove_raw(lookup->pool, source); break;
    case COVEY_TARGET_DESTROY: covey_destroy(world, source); break;
    }
}

static covey_lookup *next_with_ending(const covey_world *world) {
    covey_lookup *lookup = world->inner->lookups;
    while (lookup && lookup->ending_count == 0) lookup = lookup->next_of_world;
    return lookup;
}

/* The sources of a target, in index order. Listeners may make new ones all the time, whose indices are larger: so those
 * for which there was no memory in the beginning stay. */
static void deal_with_sources(covey_lookup *lookup, covey_entity target) {
    uint32_t end = lookup->buckets.filed.count * COVEY__BLOCK_PAGE, from = 0, count;
    covey_entity sources[SOME];
    while (from < end && (count = next_sources(lookup, target, from, sources)) != 0) {
        for (uint32_t i = 0; i < count; i++)
            if (is_source(lookup, sources[i], target) && !is_copy(lookup->world, sources[i]))
                deal_with(lookup, sources[i]);
        from = sources[count - 1].index + 1;
    }
}

void covey__targets_have_ended(covey_world *world) {
    if (world->inner->ending || world->inner->held) return;
    world->inner->ending = true;
    for (covey_lookup *lookup; (lookup = next_with_ending(world)) != NULL;) {
        covey_entity target = lookup->ending[--lookup->ending_count];
        world->inner->ending_targets--;
        deal_with_sources(lookup, target);
    }
    world->inner->ending = false;
    COVEY__CHANGED(world);
}

/* ---- Targets in other worlds -------------------------------------------------------------------------------------*/

static bool has_own_source(const covey_lookup *lookup, covey_entity target) {
    covey_entity sources[SOME];
    for (uint32_t from = 0, count; (count = next_sources(lookup, target, from, sources)) != 0;) {
        for (uint32_t i = 0; i < count; i++)
            if (!is_copy(lookup->world, sources[i])) return true;
        from = sources[count - 1].index + 1;
    }
    return false;
}

static bool is_elsewhere(const covey_lookup *lookup, covey_entity target) {
    return (!covey_alive(lookup->world, target) || is_copy(lookup->world, target)) && has_own_source(lookup, target);
}

uint32_t covey__targets_elsewhere(covey_world *world, covey_entity *targets, uint32_t most) {
    uint32_t count = 0;
    for (covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) {
        if (lookup->when_target_ends == COVEY_TARGET_KEEP) continue;
        covey__lookup_settle(lookup);
        for (uint32_t i = 0; i < lookup->buckets.record_end; i++) {
            const covey__bucket *record = &lookup->buckets.records[i];
            covey_entity target = covey__target_of_key(record->key);
            if (record->count == 0 || !is_elsewhere(lookup, target)) continue;
            if (count < most) targets[count] = target;
            count++;
        }
    }
    return count;
}
