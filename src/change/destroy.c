/* Many entities at once: destroying them, and removing components.
 *
 * Listeners that are functions may change the world: then each entity is announced and destroyed before the next one.
 * Where no function is called, a batch of entities takes three steps. What queues and reactive sets keep is recorded,
 * entity by entity; then all entities end; then their components are dropped and erased, pool by pool. Pools do not see
 * each other, and entities that leave a group as a whole leave each of its pools in the same order. So the result is
 * that of single calls. */
#include "memory/inner.h"
#include "change/change.h"
#include "change/entity.h"
#include "change/kind.h"
#include "memory/bits.h"
#include "memory/lines.h"
#include "memory/result.h"
#include "observe/members.h"
#include "observe/signal.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "storage/shortcut_off.h"
#include "storage/storage_erase.h"
#include "storage/stretch.h"

/* ---- What a batch meets ------------------------------------------------------------------------------------------*/

enum { BATCH = 64, BATCH_LEAST = 8, MOST_RECORDED = 16 };

/* The pools of a batch about whose components something is recorded. */
typedef struct recorded {
    covey_pool *pools[MOST_RECORDED];
    uint32_t count;
} recorded;

/* Whether destroying entities one by one could call a function for the entities themselves, or is part of an emission,
 * which may have calls to make first. */
static bool may_call(const covey_world *world) { return world->inner->emission || covey__destruction_calls(world); }

/* Notes a pool in which a batch has components. False if entities must be destroyed one by one: a function is called,
 * or the drop hook of an internal type may change the pools. */
static bool note_pool(const covey_world *world, recorded *r, covey_pool *pool) {
    bool internal = (pool->uses & COVEY__USE_INTERNAL) != 0;
    if ((internal && pool->type->drop) || covey__removal_calls(pool)) return false;
    if (world->inner->heard == 0 || !covey__destruction_is_recorded(pool)) return true;
    if (r->count == MOST_RECORDED) return false;
    r->pools[r->count++] = pool;
    return true;
}

static void record_end(covey_world *world, const recorded *r, covey_entity e) {
    if (world->inner->heard != 0) covey__record_destruction(world, e, r->pools, r->count);
}

/* ---- Ending entities ---------------------------------------------------------------------------------------------*/

static void end_one(covey_world *world, covey_entity e) {
    covey__entity_page *page = world->pages[e.index / COVEY_PAGE_SIZE];
    uint32_t at = e.index % COVEY_PAGE_SIZE;
    bool last = e.generation == COVEY_GENERATION_MAX;
    page->generation[at] = last ? 0 : e.generation + 1;
    if (!last) covey__index_free(world, e.index);
}

static bool is_last(const uint32_t *generations) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) last |= generations[i] == COVEY_GENERATION_MAX;
    return last != 0;
}

/* Like end_one for all entities of a block. */
static void end_block(covey_world *world, uint32_t *generations, uint32_t index) {
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i]++;
    covey__index_free_word(world, index, UINT64_MAX);
}

static void end_stretch(covey_world *world, const covey_entity *entities, const covey__stretch *s) {
    uint32_t first = entities->index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, end = 0;
    uint32_t *generations = world->pages[first / COVEY_PAGE_SIZE]->generation + first % COVEY_PAGE_SIZE;
    bool whole = s->bits == UINT64_MAX && COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS;
    if (whole) covey__range_run(world, first, &end);
    if (whole && end - first >= COVEY__BLOCK_IDS && !is_last(generations)) end_block(world, generations, first);
    else
        for (uint32_t i = 0; i < s->count; i++) end_one(world, entities[i]);
    world->alive -= s->count;
    for (uint32_t i = 0; i < s->count; i++) COVEY__TRACE(world, world->destroyed, entities[i].index);
}

/* ---- Erasing what they had ---------------------------------------------------------------------------------------*/

/* Entities that have ended, and are in one block or in any. */
typedef struct gone {
    const covey_entity *entities;
    uint32_t count;
    const covey__stretch *s; /* of one block; otherwise NULL */
    const covey_group *left; /* the group that was left last, with all its pools */
} gone;

static void leave_whole(gone *of, covey_group *group) {
    if (of->left != group) covey__group_erase_many(group, of->entities, of->count, of->s);
    of->left = group;
}

/* Drops and erases the components of those who may have any in a pool. */
static void erase_from(gone *of, covey_pool *pool, const covey_entity *there, uint32_t count) {
    covey_group *group = pool->observers ? covey__group_left_whole(pool) : NULL;
    if (group) leave_whole(of, group);
    else if (!covey__only_listeners(pool)) {
        for (uint32_t i = 0; i < count; i++)
            if (covey__has_index(pool, there[i].index)) covey__remove_announced(pool, there[i]);
    } else if (of->s) covey__storage_erase_stretch(pool, there, of->s);
    else covey__storage_erase_many(pool, there, count);
}

/* ---- Neighbours --------------------------------------------------------------------------------------------------*/

static bool may_end_stretch(const covey_world *world, uint32_t index, recorded *r) {
    r->count = 0;
    if (may_call(world)) return false;
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (!note_pool(world, r, p.pool)) return false;
    return true;
}

/* Destroys living entities of one block, if they may end together. */
static bool destroy_stretch(covey_world *world, const covey_entity *entities, const covey__stretch *s) {
    recorded r;
    gone of = { entities, s->count, s, NULL };
    if (!may_end_stretch(world, entities->index, &r)) return false;
    covey__fast_destroy_off(world);
    for (uint32_t i = 0; i < s->count && world->inner->heard != 0; i++) record_end(world, &r, entities[i]);
    end_stretch(world, entities, s);
    for (covey__present p = covey__present_at(world, entities->index, 0); covey__present_next(&p);)
        erase_from(&of, p.pool, entities, s->count);
    COVEY__CHANGED(world);
    return true;
}

/* ---- In no order -------------------------------------------------------------------------------------------------*/

/* Entities that are destroyed together, each in another block: pool by pool, which overlaps cache misses. */
typedef struct batch {
    covey_entity entities[BATCH];
    uint64_t present[BATCH]; /* which of 64 pools are present in the block of each */
    uint32_t count;
} batch;

/* Notes which of 64 pools are present; returns all of these. */
static uint64_t find_present(const covey_world *world, batch *b, uint32_t word) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t index = b->entities[i].index;
        const covey__presence_page *page = covey__presence_page_of(world, index);
        bool any = word < page->words;
        b->present[i] = any ? page->bits[covey__block_of(index) * page->words + word] : 0;
        all |= b->present[i];
    }
    return all;
}

/* Whether they can end together, and have enough pools in common. */
static bool may_end_together(const covey_world *world, batch *b, recorded *r) {
    uint64_t in_all = 0, in_each = 0;
    r->count = 0;
    if (may_call(world)) return false;
    for (uint32_t word = 0; word * 64 < world->pool_count; word++) {
        uint64_t all = find_present(world, b, word);
        in_all += covey__bits_in(all);
        for (uint32_t i = 0; i < b->count; i++) in_each += covey__bits_in(b->present[i]);
        for (; all != 0; all &= all - 1)
            if (!note_pool(world, r, world->pools[word * 64 + covey__lowest_bit(all)])) return false;
    }
    return in_all * b->count <= 2 * in_each;
}

static void ask_for_entities(const covey_world *world, const batch *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const covey__entity_page *page = covey__entity_page_of(world, b->entities[i].index);
        if (!page) continue;
        uint32_t at = b->entities[i].index % COVEY_PAGE_SIZE;
        covey__prefetch_line((const char *)&page->generation[at]);
        covey__prefetch_line((const char *)&page->free[at / 64]);
    }
}

/* Ends living entities, and skips the others: stale ones and duplicates. */
static void end_batch(covey_world *world, const recorded *r, batch *b) {
    uint32_t ended = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        covey_entity e = b->entities[i];
        if (!covey_alive(world, e)) continue;
        record_end(world, r, e);
        end_one(world, e);
        COVEY__TRACE(world, world->destroyed, e.index);
        b->entities[ended++] = e;
    }
    world->alive -= ended;
    b->count = ended;
}

static void erase_batch(covey_world *world, batch *b, uint32_t word, gone *of) {
    covey_entity there[BATCH];
    for (uint64_t all = find_present(world, b, word); all != 0; all &= all - 1) {
        covey_pool *pool = world->pools[word * 64 + covey__lowest_bit(all)];
        uint64_t bit = all & (~all + 1);
        uint32_t count = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            there[count] = b->entities[i];
            count += (b->present[i] & bit) != 0;
        }
        erase_from(of, pool, there, count);
    }
}

/* Destroys up to a batch of entities, if they may end together. */
static bool destroy_batch(covey_world *world, const covey_entity *entities, uint32_t count, uint32_t *destroyed) {
    batch b;
    recorded r;
    b.count = count;
    memcpy(b.entities, entities, count * sizeof *entities);
    ask_for_entities(world, &b);
    if (!may_end_together(world, &b, &r)) return false;
    covey__fast_destroy_off(world);
    end_batch(world, &r, &b);
    gone of = { b.entities, b.count, NULL, NULL };
    for (uint32_t word = 0; word * 64 < world->pool_count; word++) erase_batch(world, &b, word, &of);
    *destroyed += b.count;
    COVEY__CHANGED(world);
    return true;
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

static uint32_t destroy_one_by_one(covey_world *world, const covey_entity *entities, uint32_t count) {
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < count; i++) destroyed += covey_destroy(world, entities[i]);
    return destroyed;
}

/* The entities of a call that are left. */
typedef struct rest {
    const covey_entity *entities;
    uint32_t count, destroyed;
    uint32_t run; /* how many are destroyed one by one if the next batch cannot end together */
} rest;

enum { LONGEST_RUN = 64 * BATCH };

/* Each function destroys the first of the rest, and returns how many it looked at. */
static uint32_t destroy_neighbours(covey_world *world, rest *r) {
    covey__stretch s = covey__next_stretch(world, r->entities, r->count);
    bool together = s.count != 0 && destroy_stretch(world, r->entities, &s);
    r->destroyed += together ? s.count : destroy_one_by_one(world, r->entities, s.count);
    return s.count != 0 ? s.count : 1;
}

static uint32_t destroy_scattered(covey_world *world, rest *r) {
    uint32_t count = r->count < BATCH ? r->count : BATCH;
    if (count < BATCH_LEAST) count = 1;
    else if (destroy_batch(world, r->entities, count, &r->destroyed)) {
        r->run = BATCH;
        return count;
    } else {
        count = r->count < r->run ? r->count : r->run;
        r->run = r->run < LONGEST_RUN ? 2 * r->run : r->run;
    }
    r->destroyed += destroy_one_by_one(world, r->entities, count);
    return count;
}

uint32_t covey_destroy_many(covey_world *world, const covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (COVEY__IN_HOOK(world)) return 0;
    rest r = { entities, count, 0, BATCH };
    while (r.count != 0) {
        bool beside = covey__has_neighbour(r.entities, r.count);
        uint32_t done = beside ? destroy_neighbours(world, &r) : destroy_scattered(world, &r);
        r.entities += done;
        r.count -= done;
    }
    return r.destroyed;
}

enum { CHUNK = COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? COVEY_PAGE_SIZE : COVEY__BLOCK_IDS };

/* Destroys the living entities of neighbouring indices, from the highest down, if they may end together. */
static bool destroy_chunk(covey_world *world, const covey__entity_page *page, uint32_t first) {
    covey_entity entities[CHUNK];
    covey__stretch s = { 0, 0, false };
    for (uint32_t i = CHUNK; i-- != 0;) {
        covey_entity e = covey__entity(first + i, page->generation[(first + i) % COVEY_PAGE_SIZE]);
        uint64_t lives = e.generation & 1;
        entities[s.count] = e;
        s.count += (uint32_t)lives;
        s.bits |= lives << e.index % COVEY__BLOCK_IDS;
    }
    return s.count == 0 || destroy_stretch(world, entities, &s);
}

/* The same one by one: listeners may create others meanwhile. */
static void destroy_loudly(covey_world *world, uint32_t first) {
    for (uint32_t i = CHUNK; i-- != 0;)
        covey_destroy(world, covey__entity(first + i, covey__generation_of(world, first + i)));
}

void covey_destroy_all(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return;
    for (uint32_t number = world->page_count; number-- != 0;) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        for (uint32_t at = page ? COVEY_PAGE_SIZE : 0; at != 0; at -= CHUNK) {
            uint32_t first = number * COVEY_PAGE_SIZE + at - CHUNK;
            if (!destroy_chunk(world, page, first)) destroy_loudly(world, first);
        }
    }
}

/* ---- Removing ----------------------------------------------------------------------------------------------------*/

/* Whether removing from a pool calls no function, and is recorded and erased without further steps. */
static bool removes_together(const covey_pool *pool) {
    if (!covey__only_listeners(pool) || (pool->uses & COVEY__USE_INTERNAL) != 0) return false;
    return !pool->observers || (!covey__removal_calls(pool) && pool->observers->listeners.emitting == 0);
}

static void remove_from(covey_pool *pool, covey_entity e) {
    if (!covey_pool_has(pool, e)) return;
    covey__record_removals(pool, &e, 1);
    covey__storage_erase_many(pool, &e, 1);
}

/* Removes the components of entities of one block. */
static void remove_stretch(covey_pool *pool, const covey_entity *entities, const covey__stretch *s) {
    covey_entity there[COVEY__BLOCK_IDS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count && pool->observers; i++) {
        there[count] = entities[i];
        count += covey__has_index(pool, entities[i].index);
    }
    covey__record_removals(pool, there, count);
    covey__storage_erase_stretch(pool, entities, s);
}

static void remove_by_block(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0, done; i < count; i += done) {
        covey__stretch s = { 0, 0, false };
        if (covey__has_neighbour(entities + i, count - i))
            s = covey__next_stretch(pool->world, entities + i, count - i);
        else remove_from(pool, entities[i]);
        if (s.count != 0) remove_stretch(pool, entities + i, &s);
        done = s.count != 0 ? s.count : 1;
    }
}

static void remove_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (!covey__packed_in(pool)) remove_by_block(pool, entities, count);
    else if (!pool->observers) covey__storage_erase_many(pool, entities, count);
    else
        for (uint32_t i = 0; i < count; i++) remove_from(pool, entities[i]);
}

uint32_t covey_remove_many_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                               const covey_type *type) {
    COVEY__NEEDS_ARRAY(world, entities, count);
    covey_pool *pool = covey__pool_known(world, type);
    if (!pool || COVEY__IN_HOOK(world)) return 0;
    COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    uint32_t before = covey_pool_count(pool), removed = 0;
    if (removes_together(pool)) {
        remove_listed(pool, entities, count);
        COVEY__CHANGED(world);
        return before - covey_pool_count(pool);
    }
    for (uint32_t i = 0; i < count; i++)
        removed += covey_pool_remove_raw(pool, entities[i]); /* listeners may add some */
    return removed;
}
