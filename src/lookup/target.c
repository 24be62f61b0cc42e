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

/* Whether a target may have sources that are not filed under it. */
static bool has_changed(const covey_lookup *lookup) {
    return (lookup->pool->observers->filing->any & ~(uint64_t)(COVEY__REMOVED | COVEY__CLEARED)) != 0;
}

/* Files what was added or changed. What was removed or cleared may stay filed, and is no source: all of it is taken out
 * at once when the next question is asked. */
static void settle_sources(const covey_lookup *lookup) {
    if (has_changed(lookup)) covey__lookup_settle(lookup);
}

void covey__target_is_ending(covey_world *world, covey_entity target) {
    for (covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) {
        if (lookup->when_target_ends == COVEY_TARGET_KEEP) continue;
        settle_sources(lookup);
        if (record_of(lookup, target) == COVEY__NO_RECORD) continue;
        make_room(lookup);
        lookup->ending[lookup->ending_count++] = target;
        world->inner->ending_targets++;
    }
}

enum { SOME = 64 };

/* Sources of a target. They are those of now while nothing is filed and nothing is changed. */
typedef struct source_list {
    covey_entity at[SOME];
    uint32_t count, all; /* `all`: of the target */
    uint64_t changes;    /* of what is filed, up to then */
} source_list;

/* Some sources of a target, from an index on. Some of them may have been removed already. */
static void list_sources(const covey_lookup *lookup, covey_entity target, uint32_t from, source_list *sources) {
    uint32_t record = record_of(lookup, target);
    covey__bucket_run run = { NULL, NULL, 0 };
    sources->count = sources->all = 0;
    sources->changes = lookup->buckets.changes;
    if (record == COVEY__NO_RECORD) return;
    sources->all = lookup->buckets.records[record].count;
    run = covey__bucket_from(&lookup->buckets, record, from);
    for (; sources->count < run.count && sources->count < SOME; sources->count++)
        sources->at[sources->count] = covey__entity(run.indices[sources->count], run.generations[sources->count]);
}

/* Whether no other source has come since. */
static bool is_complete(const covey_lookup *lookup, const source_list *sources) {
    return lookup->buckets.changes == sources->changes && !has_changed(lookup);
}

static bool is_copy(const covey_world *world, covey_entity e) {
    return world->inner->copies && covey_pool_has(world->inner->copies, e);
}

/* Whether one of the list is still a source: listeners may have changed it, or another lookup cleared it. */
static bool is_source(const covey_lookup *lookup, covey_entity target, const source_list *sources, uint32_t i) {
    covey_entity source = sources->at[i], now;
    if (!covey_pool_has(lookup->pool, source) || is_copy(lookup->world, source)) return false;
    bool cleared = (lookup->pool->observers->filing->any & COVEY__CLEARED) != 0;
    if (is_complete(lookup, sources) && !cleared) return true;
    memcpy(&now, (const char *)covey__value_of_index(lookup->pool, source.index) + lookup->field.offset, sizeof now);
    return covey_same(now, target);
}

/* Nothing else was changed before. */
static void note_cleared(covey__filing *filing) {
    filing->any = (filing->any & ~(uint64_t)COVEY__MARKED) | COVEY__CLEARED;
}

static void deal_with(covey_lookup *lookup, covey_entity source) {
    covey_world *world = lookup->world;
    covey_entity none = { 0, 0 };
    switch ((covey_target_end)lookup->when_target_ends) {
    case COVEY_TARGET_KEEP: break;
    case COVEY_TARGET_CLEAR:
        memcpy((char *)covey__value_of_index(lookup->pool, source.index) + lookup->field.offset, &none, sizeof none);
        covey__ticks_note(lookup->pool, source.index);
        lookup->keyless++;
        note_cleared(lookup->pool->observers->filing);
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
    uint32_t end = lookup->buckets.filed.count * COVEY__BLOCK_PAGE, from = 0, seen = 0;
    source_list sources;
    settle_sources(lookup);
    do {
        list_sources(lookup, target, from, &sources);
        for (uint32_t i = 0; i < sources.count; i++)
            if (is_source(lookup, target, &sources, i)) deal_with(lookup, sources.at[i]);
        if (sources.count == 0) return;
        from = sources.at[sources.count - 1].index + 1;
        seen += sources.count;
        if (is_complete(lookup, &sources) && seen == sources.all) return;
        settle_sources(lookup);
    } while (from < end);
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
    source_list sources;
    uint32_t from = 0;
    do {
        list_sources(lookup, target, from, &sources);
        for (uint32_t i = 0; i < sources.count; i++)
            if (!is_copy(lookup->world, sources.at[i])) return true;
        if (sources.count != 0) from = sources.at[sources.count - 1].index + 1;
    } while (sources.count != 0);
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
