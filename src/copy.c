/* Copies of entities. All that can fail comes first: copy hooks write to scratch memory, and pools make room. Then the
 * values are put where they belong, and in the end whoever watches hears of all of them. */
#include "alloc.h"
#include "bits.h"
#include "entity.h"
#include "observers.h"
#include "pool.h"
#include "presence.h"
#include "queue.h"
#include "result.h"
#include "room.h"
#include "signal.h"
#include "storage.h"
#include "tick.h"
#include "type.h"
#include "watch.h"

typedef struct copying {
    covey_world *world;
    covey_entity from;
    const covey_entity *to;
    uint32_t count;
    bool cloning;             /* `to` were made for this, and have nothing */
    uint32_t parts;           /* components of `from` */
    size_t row;               /* bytes that the hooks write for each of `to` */
    char *made;               /* these rows */
    covey__emission *changes; /* behind them: that `to` were made, and what happens to each part */
    size_t bytes;             /* of both */
    const char *culprit;      /* the type that was in the way, if one was */
} copying;

/* A component of `from`. */
typedef struct part {
    covey_pool *pool;
    uint32_t number, next; /* among the parts; of the pool to go on with */
    uint64_t offset;       /* of what its hook makes, in a row */
} part;

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* The first pool from a number on that has the index, and is not of the library's own; or NULL. */
static covey_pool *next_pool(const covey_world *world, uint32_t index, uint32_t *number) {
    for (covey__present p = covey__present_at(world, index, *number); covey__present_next(&p);) {
        *number = p.pool->number + 1;
        if (!covey__is_internal(p.pool) && covey__has_index(p.pool, index)) return p.pool;
    }
    return NULL;
}

static uint64_t aligned(uint64_t offset, uint64_t align) { return (offset + align - 1) / align * align; }

static bool has_hook(const part *p) { return p->pool->type->copy != NULL; }

/* for (part p = first_part(c); p.pool; next_part(c, &p)) */
static void find_part(const copying *c, part *p) {
    p->pool = next_pool(c->world, c->from.index, &p->next);
    if (p->pool && has_hook(p)) p->offset = aligned(p->offset, p->pool->type->align ? p->pool->type->align : 1);
}

static part first_part(const copying *c) {
    part p = { 0 };
    find_part(c, &p);
    return p;
}

static void next_part(const copying *c, part *p) {
    if (has_hook(p)) p->offset += p->pool->size;
    p->number++;
    find_part(c, p);
}

/* What the hook has made of a part for one of `to`. */
static void *made(const copying *c, const part *p, uint32_t i) { return c->made + i * c->row + (size_t)p->offset; }

static covey_result plan(copying *c) {
    uint64_t row = 0;
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        c->culprit = p.pool->type->name;
        if (!covey__type_can_copy(p.pool->type)) return COVEY_ERROR_COPY;
        if (has_hook(&p)) row = aligned(p.offset + p.pool->size, COVEY__ALIGN_MAX);
        c->parts = p.number + 1;
    }
    c->culprit = NULL;
    uint64_t behind = c->parts == 0 ? 0 : (c->parts + UINT64_C(1)) * sizeof *c->changes, most = SIZE_MAX - behind;
    if (behind > SIZE_MAX || (c->count != 0 && row > most / c->count)) return COVEY_ERROR_MEMORY;
    c->row = (size_t)row;
    c->bytes = c->row * c->count + (size_t)behind;
    return COVEY_OK;
}

/* ---- Changes -----------------------------------------------------------------------------------------------------*/

static void note_changes(const copying *c) {
    if (c->parts == 0) return;
    c->changes[0] = (covey__emission){ .signal = COVEY_ON_CREATE, .entities = c->to, .count = c->count };
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        bool adds = c->cloning || !covey__has_index(p.pool, c->to->index);
        c->changes[p.number + 1] = (covey__emission){
            .pool = p.pool, .signal = adds ? COVEY_ON_ADD : COVEY_ON_SET, .entities = c->to, .count = c->count
        };
    }
}

/* Whether `to` lack a part. */
static bool adds(const copying *c, const part *p) { return c->changes[p->number + 1].signal == COVEY_ON_ADD; }

/* The events that a copy means to a queue, from one of its sources, and those that will follow when the copy ends. That
 * an entity ends has its room already: it is alive. */
static uint32_t events_from(const copying *c, const covey__source_of_events *source) {
    if (!source->pool) return c->cloning && (source->signals & COVEY_ON_CREATE) != 0;
    if (!covey__has_index(source->pool, c->from.index)) return 0;
    bool there = !c->cloning && covey__has_index(source->pool, c->to->index);
    return covey__bits_in(source->signals & (there ? COVEY_ON_SET : COVEY_ON_ADD | COVEY_ON_REMOVE));
}

/* All at once: a queue may be connected to several of the parts. */
static covey_result prepare_queues(const copying *c) {
    for (covey_queue *queue = c->world->queues; queue; queue = queue->next) {
        uint64_t events = 0;
        for (uint32_t i = 0; i < queue->source_count; i++) events += events_from(c, &queue->sources[i]);
        if (!covey__queue_reserve(queue, events * c->count)) return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void drop_made(const copying *c, const part *p, uint32_t count) {
    const covey_type *type = p->pool->type;
    for (uint32_t i = 0; i < count && type->copy && type->drop; i++) type->drop(made(c, p, i), type->context);
}

/* Of the first parts. */
static void drop_parts(const copying *c, uint32_t parts) {
    for (part p = first_part(c); p.pool && p.number < parts; next_part(c, &p)) drop_made(c, &p, c->count);
}

static covey_result make_values(copying *c) {
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        const covey_type *type = p.pool->type;
        const void *value = covey__value_of_index(p.pool, c->from.index);
        for (uint32_t i = 0; i < c->count && has_hook(&p); i++) {
            if (type->copy(made(c, &p, i), value, type->context)) continue;
            drop_made(c, &p, i);
            drop_parts(c, p.number);
            c->culprit = type->name;
            return COVEY_ERROR_COPY;
        }
    }
    return COVEY_OK;
}

/* ---- Room --------------------------------------------------------------------------------------------------------*/

/* Takes the room of the first parts back. */
static void forget_room(const copying *c, uint32_t parts) {
    for (part p = first_part(c); p.pool && p.number < parts; next_part(c, &p))
        if (adds(c, &p)) covey__room_forget(p.pool, c->to, c->count, c->cloning);
}

/* A single copy goes where an add would go; clones append. */
static covey_result make_room(copying *c) {
    covey_result result = prepare_queues(c);
    for (part p = first_part(c); p.pool && result == COVEY_OK; next_part(c, &p)) {
        if (!adds(c, &p)) continue;
        result = covey__room_make(p.pool, c->to, c->count, c->cloning);
        if (result == COVEY_OK) continue;
        forget_room(c, p.number);
        c->culprit = p.pool->type->name;
    }
    if (result != COVEY_OK) drop_parts(c, c->parts);
    return result;
}

/* ---- Nothing fails from here on ----------------------------------------------------------------------------------*/

/* Where the value of one of `to` goes: to a place that is made now, or is there. */
static void *place(const copying *c, const part *p, uint32_t i) {
    if (adds(c, p)) return covey__room_take(p->pool, c->to[i], c->cloning);
    covey__pool_drop(p->pool, c->to[i]);
    return covey__value_of_index(p->pool, c->to[i].index);
}

static void put_values(const copying *c, const part *p) {
    const void *value = covey__value_of_index(p->pool, c->from.index); /* there is room: it stays where it is */
    for (uint32_t i = 0; i < c->count; i++)
        covey__copy(place(c, p, i), has_hook(p) ? made(c, p, i) : value, p->pool->size);
}

static bool is_watched(const copying *c, const part *p) { return adds(c, p) && p->pool->watch; }

/* Components were added: they go to where groups and orders want them, when all of them are there. */
static void settle_all(const copying *c) {
    for (part p = first_part(c); p.pool; next_part(c, &p))
        if (is_watched(c, &p)) p.pool->watch->settling = true;
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        if (!adds(c, &p) && p.pool->type->ticks) covey__ticks_note(p.pool, c->to->index);
        if (!is_watched(c, &p)) continue;
        p.pool->watch->settling = false;
        for (uint32_t i = 0; i < c->count; i++) covey__watch_added(p.pool, c->to[i].index);
    }
}

/* Then listeners hear of it; what the entities have may change from here on. */
static void tell(const copying *c) {
    if (c->parts != 0) covey__emit_together(c->world, c->changes + !c->cloning, c->parts + c->cloning);
    else if (c->cloning) covey__emit(c->world, NULL, COVEY_ON_CREATE, c->to, c->count);
}

static bool borrow(copying *c) {
    c->made = covey__resize(&c->world->heap, NULL, 0, c->bytes, 1, COVEY__ALIGN_MAX);
    if (!c->made) return c->bytes == 0;
    c->world->borrowed += c->bytes;
    c->changes = (covey__emission *)(void *)(c->made + c->row * c->count);
    return true;
}

static void give_back(const copying *c) {
    if (c->made) c->world->borrowed -= c->bytes;
    covey__free(&c->world->heap, c->made, c->bytes, 1, COVEY__ALIGN_MAX);
}

static covey_result copy_all(copying *c) {
    covey_result result = plan(c);
    if (result != COVEY_OK) return result;
    if (!borrow(c)) return COVEY_ERROR_MEMORY;
    note_changes(c);
    result = make_values(c);
    if (result == COVEY_OK) result = make_room(c);
    if (result == COVEY_OK) {
        for (part p = first_part(c); p.pool; next_part(c, &p)) put_values(c, &p);
        settle_all(c);
        tell(c);
    }
    give_back(c);
    return result;
}

/* ---- The calls ---------------------------------------------------------------------------------------------------*/

static bool settle(const copying *c, covey_result result) {
    if (result != COVEY_OK)
        covey__fail(c->world, result, "%u:%u could not be copied: %s%s%s", c->from.index, c->from.generation,
                    c->culprit ? c->culprit : "", c->culprit ? ": " : "", covey_result_text(result));
    COVEY__CHANGED(c->world);
    return result == COVEY_OK;
}

bool covey_copy(covey_world *world, covey_entity from, covey_entity to) {
    copying c = { .world = world, .from = from, .to = &to, .count = 1 };
    if (!covey_alive(world, from) || !covey__takes_components(world, to)) return settle(&c, COVEY_ERROR_DEAD);
    return covey_same(from, to) || settle(&c, copy_all(&c));
}

bool covey_clone(covey_world *world, covey_entity e, covey_entity *clones, uint32_t count) {
    copying c = { .world = world, .from = e, .to = clones, .count = count, .cloning = true };
    covey_result result = covey_alive(world, e) ? covey__entities_take(world, clones, count) : COVEY_ERROR_DEAD;
    if (result == COVEY_OK) {
        result = copy_all(&c);
        if (result != COVEY_OK) covey__entities_give_back(world, clones, count);
    }
    for (uint32_t i = 0; i < count && result == COVEY_ERROR_DEAD; i++) clones[i] = (covey_entity){ 0, 0 };
    return settle(&c, result);
}
