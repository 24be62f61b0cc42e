/* Structural change in four steps, for all calls that change more than one entity or pool at a time: see change.h. */
#include "change.h"

#include "bits.h"
#include "observers.h"
#include "queue.h"
#include "watch.h"

static bool adds(const covey__change *c) { return c->told.signal == COVEY_ON_ADD; }

/* ---- Making ------------------------------------------------------------------------------------------------------*/

/* The events that a change means to a queue, from one of its sources, and those that follow when components are removed
 * again. That entities end has its room already: they are alive. */
static uint64_t events_from(const covey__change *c, const covey__source_of_events *source, bool placed) {
    uint32_t signals = (uint32_t)c->told.signal;
    if (c->told.pool != source->pool) return 0;
    if (adds(c) && !placed) signals |= COVEY_ON_REMOVE;
    return (uint64_t)c->told.count * covey__bits_in(source->signals & signals);
}

/* All at once: a queue may hear of several of the changes. */
covey_result covey__changes_reserve_queues(covey_world *world, const covey__change *changes, uint32_t count,
                                           bool placed) {
    for (covey_queue *queue = world->queues; queue; queue = queue->next) {
        uint64_t events = 0;
        for (uint32_t i = 0; i < queue->source_count; i++)
            for (uint32_t k = 0; k < count; k++) events += events_from(&changes[k], &queue->sources[i], placed);
        if (!covey__queue_reserve(queue, events)) return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

/* With several changes, entities get what else a group asks for at the same time. */
static covey_result reserve(covey_world *world, const covey__change *changes, uint32_t count) {
    covey_result result = covey__changes_reserve_queues(world, changes, count, false);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        if (adds(&changes[i]))
            result = covey__watch_prepare_many(changes[i].told.pool, changes[i].told.entities, changes[i].told.count,
                                               count > 1);
    return result;
}

/* Before anything moves. */
static void begin(covey__change *c) {
    c->placing.pool = c->told.pool;
    c->placing.entities = c->told.entities;
    c->placing.count = c->told.count;
    c->placing.source = covey__storage_source(c->told.pool, c->placing.values);
}

static void note_added(const covey__change *c) {
    for (uint32_t i = 0; i < c->told.count; i++) COVEY__TRACE(c->told.pool->added, c->told.entities[i].index);
}

void covey__changes_unmake(covey__change *changes, uint32_t count) {
    while (count-- != 0)
        if (adds(&changes[count])) covey__unplace_many(&changes[count].placing);
}

covey_result covey__changes_make(covey_world *world, covey__change *changes, uint32_t count,
                                 const covey__change **culprit) {
    *culprit = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (adds(&changes[i])) begin(&changes[i]);
    covey_result result = reserve(world, changes, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        *culprit = &changes[i];
        if (adds(&changes[i])) result = covey__place_many(&changes[i].placing);
    }
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        *culprit = &changes[i];
        if (changes[i].placing.is_claimed) result = covey__place_claimed(&changes[i].placing);
    }
    if (result != COVEY_OK) covey__changes_unmake(changes, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        if (adds(&changes[i])) note_added(&changes[i]);
    return result;
}

/* ---- Nothing fails from here on ----------------------------------------------------------------------------------*/

static bool settles(const covey__change *c) { return adds(c) && c->told.pool->watch; }

void covey__changes_settle(covey__change *changes, uint32_t count, bool ticks) {
    for (uint32_t i = 0; i < count; i++)
        if (settles(&changes[i])) changes[i].told.pool->watch->settling = true;
    for (uint32_t i = 0; i < count; i++) {
        const covey__emission *told = &changes[i].told;
        if (!settles(&changes[i])) continue;
        told->pool->watch->settling = false;
        covey__watch_added_many(told->pool, told->entities, told->count, ticks);
    }
}

void covey__changes_tell(covey_world *world, covey__change *changes, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) changes[i].told.together = i + 1 < count ? &changes[i + 1].told : NULL;
    if (count != 0) covey__emit_together(world, &changes->told);
}
