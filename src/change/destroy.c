/* Many entities at once: destroying them, and removing components.
 *
 * Listeners that are functions may change the world: then each entity is announced and destroyed before the next one,
 * and only what to look at is found out for a batch of them. Where no function is called, a batch takes three steps.
 * What queues and reactive sets keep is recorded, entity by entity; then all entities end; then their components are
 * dropped and erased, pool by pool. Pools do not see each other, and entities that leave a group as a whole leave each
 * of its pools in the same order. So the result is that of single calls. */
#include "memory/inner.h"
#include "change/change.h"
#include "change/entity.h"
#include "change/kind.h"
#include "memory/bits.h"
#include "memory/lines.h"
#include "memory/result.h"
#include "observe/filing.h"
#include "observe/members.h"
#include "observe/signal.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "storage/shortcut_off.h"
#include "storage/storage_erase.h"
#include "storage/stretch.h"

/* ---- What a batch meets ------------------------------------------------------------------------------------------*/

enum { BATCH = 64, BATCH_LEAST = 8 };

/* How a batch of entities is destroyed. */
typedef enum way {
    TOGETHER,
    IN_TURN,   /* functions are called, or a drop hook of an internal type may change other pools */
    ONE_BY_ONE /* by single calls */
} way;

/* Inside of an emission, single calls find out which calls must be made first. */
static way begin_looking(const covey_world *world, covey__told *told) {
    told->count = 0;
    told->connections = world->inner->connections;
    if (world->inner->emission) return ONE_BY_ONE;
    return covey__destruction_calls(world) ? IN_TURN : TOGETHER;
}

/* Looks at a pool in which a batch may have components. */
static way look_at(const covey_world *world, covey__told *told, covey_pool *pool, way how) {
    bool internal = (pool->uses & COVEY__USE_INTERNAL) != 0;
    bool in_turn = (internal && pool->type->drop) || covey__removal_calls(pool);
    if (how == TOGETHER && in_turn) how = IN_TURN;
    if (world->inner->heard == 0 || !covey__destruction_is_told(pool)) return how;
    if (told->count == COVEY__MOST_TOLD) return ONE_BY_ONE;
    told->pools[told->count++] = pool;
    return how;
}

static void record_end(covey_world *world, const covey__told *told, covey_entity e) {
    if (world->inner->heard != 0) covey__record_destruction(world, e, told);
}

/* ---- Ending entities ---------------------------------------------------------------------------------------------*/

COVEY_HOT void end_one(covey_world *world, covey_entity e) {
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
    uint32_t first = covey__index(*entities) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, end = 0;
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

/* ---- In turn -----------------------------------------------------------------------------------------------------*/

/* `present`: the pools that are present in the block of the entity, as the list knows them. */
static bool destroy_in_turn(covey_world *world, covey_entity e, const covey__told *told, uint64_t present) {
    if (!covey_alive(world, e)) return false;
    if (world->inner->heard != 0) covey__announce_destruction_to(world, e, told, present);
    end_one(world, e);
    world->alive--;
    COVEY__TRACE(world, world->destroyed, e.index);
    covey__components_erase(world, e);
    COVEY__CHANGED(world);
    return true;
}

static uint32_t destroy_one_by_one(covey_world *world, const covey_entity *entities, uint32_t count) {
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < count; i++) destroyed += covey_destroy(world, entities[i]);
    return destroyed;
}

/* ---- Neighbours --------------------------------------------------------------------------------------------------*/

static way look_at_block(const covey_world *world, uint32_t index, covey__told *told, uint64_t *present) {
    way how = begin_looking(world, told);
    covey__present p = covey__present_at(world, index, 0);
    *present = p.left;
    while (how != ONE_BY_ONE && covey__present_next(&p)) how = look_at(world, told, p.pool, how);
    return how;
}

static void destroy_together(covey_world *world, const covey_entity *entities, const covey__stretch *s,
                             const covey__told *told) {
    gone of = { entities, s->count, s, NULL };
    covey__fast_destroy_off(world);
    for (uint32_t i = 0; i < s->count && world->inner->heard != 0; i++) record_end(world, told, entities[i]);
    end_stretch(world, entities, s);
    for (covey__present p = covey__present_at(world, entities->index, 0); covey__present_next(&p);)
        erase_from(&of, p.pool, entities, s->count);
    COVEY__CHANGED(world);
}

/* Destroys living entities of one block. Returns how many: listeners may destroy some. */
static uint32_t destroy_stretch(covey_world *world, const covey_entity *entities, const covey__stretch *s) {
    covey__told told;
    uint64_t present;
    uint32_t destroyed = 0;
    way how = look_at_block(world, entities->index, &told, &present);
    if (how == ONE_BY_ONE) return destroy_one_by_one(world, entities, s->count);
    if (how == TOGETHER) {
        destroy_together(world, entities, s, &told);
        return s->count;
    }
    for (uint32_t i = 0; i < s->count; i++) destroyed += destroy_in_turn(world, entities[i], &told, present);
    return destroyed;
}

/* ---- In no order -------------------------------------------------------------------------------------------------*/

/* Entities that are destroyed together, each in another block: pool by pool, which overlaps cache misses. */
typedef struct batch {
    covey_entity entities[BATCH];
    uint64_t present[BATCH]; /* which of 64 pools are present in the block of each */
    uint64_t all, common;    /* in the block of any; of each */
    uint32_t count;
} batch;

/* Notes which of 64 pools are present. */
static void find_present(const covey_world *world, batch *b, uint32_t word) {
    uint64_t all = 0, common = UINT64_MAX;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t index = b->entities[i].index;
        const covey__presence_page *page = covey__presence_page_of(world, index);
        bool any = word < page->words;
        b->present[i] = any ? page->bits[covey__block_of(index) * page->words + word] : 0;
        all |= b->present[i];
        common &= b->present[i];
    }
    b->all = all;
    b->common = common;
}

/* The sum of the pools that are present for each. */
static uint64_t count_present(const batch *b) {
    uint64_t count = 0;
    if (b->all == b->common) return (uint64_t)covey__bits_in(b->all) * b->count;
    for (uint32_t i = 0; i < b->count; i++) count += covey__bits_in(b->present[i]);
    return count;
}

/* Those that are destroyed together need enough pools in common. */
static way look_at_batch(const covey_world *world, batch *b, covey__told *told) {
    uint64_t in_all = 0, in_each = 0;
    way how = begin_looking(world, told);
    for (uint32_t word = 0; word * 64 < world->pool_count && how != ONE_BY_ONE; word++) {
        find_present(world, b, word);
        in_all += covey__bits_in(b->all);
        in_each += count_present(b);
        for (uint64_t left = b->all; left != 0 && how != ONE_BY_ONE; left &= left - 1)
            how = look_at(world, told, world->pools[word * 64 + covey__lowest_bit(left)], how);
    }
    return how == TOGETHER && in_all * b->count > 2 * in_each ? ONE_BY_ONE : how;
}

/* Whether the table of entities is larger than the cache of a core. */
static bool is_far(const covey_world *world) {
    return (uint64_t)world->page_count * sizeof(covey__entity_page) > COVEY_CACHE_BYTES / 16;
}

static void ask_for_entities(const covey_world *world, const batch *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t index = b->entities[i].index;
        if (index / COVEY_PAGE_SIZE >= world->page_count) continue;
        const covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
        covey__prefetch_line((const char *)&page->generation[index % COVEY_PAGE_SIZE]);
        covey__prefetch_line((const char *)&page->free[index % COVEY_PAGE_SIZE / 64]);
    }
}

/* Ends living entities, and skips the others: stale ones and duplicates. */
static void end_batch(covey_world *world, const covey__told *told, batch *b) {
    uint32_t ended = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        covey_entity e = b->entities[i];
        if (!covey_alive(world, e)) continue;
        record_end(world, told, e);
        end_one(world, e);
        COVEY__TRACE(world, world->destroyed, e.index);
        b->entities[ended] = e;
        b->present[ended++] = b->present[i];
    }
    world->alive -= ended;
    b->count = ended;
}

/* Lists those who may have something in a pool: in a block of theirs it is present. */
static uint32_t list_present(const batch *b, uint64_t bit, covey_entity *there) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        there[count] = b->entities[i];
        count += (b->present[i] & bit) != 0;
    }
    return count;
}

/* Erases what they have in 64 pools, which were found by find_present. */
static void erase_batch(covey_world *world, const batch *b, uint32_t word, gone *of) {
    covey_entity there[BATCH];
    for (uint64_t left = b->all; left != 0; left &= left - 1) {
        covey_pool *pool = world->pools[word * 64 + covey__lowest_bit(left)];
        uint64_t bit = left & (~left + 1);
        if ((b->common & bit) != 0) erase_from(of, pool, b->entities, b->count);
        else erase_from(of, pool, there, list_present(b, bit, there));
    }
}

static uint32_t end_together(covey_world *world, batch *b, const covey__told *told) {
    covey__fast_destroy_off(world);
    end_batch(world, told, b);
    gone of = { b->entities, b->count, NULL, NULL };
    for (uint32_t word = 0; word * 64 < world->pool_count; word++) {
        if (world->pool_count > 64) find_present(world, b, word);
        erase_batch(world, b, word, &of);
    }
    COVEY__CHANGED(world);
    return b->count;
}

/* The list has all pools that were present in any block. */
static uint32_t end_in_turn(covey_world *world, const batch *b, const covey__told *told) {
    uint64_t present = 0;
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < b->count; i++) present |= b->present[i];
    for (uint32_t i = 0; i < b->count; i++) destroyed += destroy_in_turn(world, b->entities[i], told, present);
    return destroyed;
}

/* Destroys up to a batch of entities, unless they need single calls. */
static bool destroy_batch(covey_world *world, const covey_entity *entities, uint32_t count, uint32_t *destroyed) {
    batch b;
    covey__told told;
    b.count = count;
    memcpy(b.entities, entities, count * sizeof *entities);
    if (is_far(world)) ask_for_entities(world, &b);
    way how = look_at_batch(world, &b, &told);
    if (how == ONE_BY_ONE) return false;
    *destroyed += how == TOGETHER ? end_together(world, &b, &told) : end_in_turn(world, &b, &told);
    return true;
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* The entities of a call that are left. */
typedef struct rest {
    const covey_entity *entities;
    uint32_t count, destroyed;
    uint32_t run; /* how many are destroyed by single calls if the next batch needs them */
} rest;

enum { LONGEST_RUN = 64 * BATCH };

/* Each function destroys the first of the rest, and returns how many it looked at. */
static uint32_t destroy_neighbours(covey_world *world, rest *r) {
    covey__stretch s = covey__next_stretch(world, r->entities, r->count);
    if (s.count != 0) r->destroyed += destroy_stretch(world, r->entities, &s);
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
        covey__targets_ended(world);
    }
    return r.destroyed;
}

enum { CHUNK = COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? COVEY_PAGE_SIZE : COVEY__BLOCK_IDS };

/* Destroys the living entities of neighbouring indices, from the highest down, together. */
static void destroy_chunk(covey_world *world, const covey__entity_page *page, uint32_t first, const covey__told *told) {
    covey_entity entities[CHUNK];
    covey__stretch s = { 0, 0, false };
    for (uint32_t i = CHUNK; i-- != 0;) {
        covey_entity e = covey__entity(first + i, page->generation[(first + i) % COVEY_PAGE_SIZE]);
        uint64_t lives = e.generation & 1;
        entities[s.count] = e;
        s.count += (uint32_t)lives;
        s.bits |= lives << e.index % COVEY__BLOCK_IDS;
    }
    if (s.count != 0) destroy_together(world, entities, &s, told);
}

/* The same in turn: listeners may create others meanwhile. */
static void destroy_changing(covey_world *world, uint32_t first, const covey__told *told, uint64_t present) {
    for (uint32_t i = CHUNK; i-- != 0;)
        destroy_in_turn(world, covey__entity(first + i, covey__generation_of(world, first + i)), told, present);
}

static void destroy_loudly(covey_world *world, uint32_t first) {
    for (uint32_t i = CHUNK; i-- != 0;)
        covey_destroy(world, covey__entity(first + i, covey__generation_of(world, first + i)));
}

static void destroy_all_in(covey_world *world, const covey__entity_page *page, uint32_t first) {
    covey__told told;
    uint64_t present;
    way how = look_at_block(world, first, &told, &present);
    if (how == TOGETHER) destroy_chunk(world, page, first, &told);
    else if (how == IN_TURN) destroy_changing(world, first, &told, present);
    else destroy_loudly(world, first);
}

void covey_destroy_all(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return;
    for (uint32_t number = world->page_count; number-- != 0;) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        for (uint32_t at = page ? COVEY_PAGE_SIZE : 0; at != 0; at -= CHUNK)
            destroy_all_in(world, page, number * COVEY_PAGE_SIZE + at - CHUNK);
        covey__targets_ended(world);
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

static void remove_scattered(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (!pool->observers) covey__storage_erase_listed(pool, entities, count);
    else
        for (uint32_t i = 0; i < count; i++) remove_from(pool, entities[i]);
}

/* Where the next two are no neighbours, few of the next ones are. */
static void remove_by_block(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0, done; i < count; i += done) {
        uint32_t left = count - i;
        covey__stretch s = { 0, 0, false };
        done = left < BATCH ? left : BATCH;
        if (covey__has_neighbour(entities + i, left)) {
            s = covey__next_stretch(pool->world, entities + i, left);
            done = s.count != 0 ? s.count : 1;
        } else {
            remove_scattered(pool, entities + i, done);
        }
        if (s.count != 0) remove_stretch(pool, entities + i, &s);
    }
}

static void remove_listed(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (covey__packed_in(pool)) remove_scattered(pool, entities, count);
    else remove_by_block(pool, entities, count);
}

/* Whether functions are called, none of which has calls to make first. */
static bool removes_in_turn(const covey_pool *pool) {
    return covey__removal_calls(pool) && !pool->world->inner->emission;
}

/* Listeners may add some. */
static uint32_t remove_in_turn(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey__emission emission;
    uint32_t removed = 0;
    covey__series_begin(&emission, pool, COVEY_ON_REMOVE);
    for (uint32_t i = 0; i < count; i++) {
        if (!covey_pool_has(pool, entities[i])) continue;
        removed++;
        if (covey__series_remove(&emission, &entities[i])) covey__remove_announced(pool, entities[i]);
    }
    covey__series_end(&emission);
    COVEY__CHANGED(pool->world);
    return removed;
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
    if (covey__group_erases(pool)) {
        covey__group_erase_listed(pool, entities, count);
        COVEY__CHANGED(world);
        return before - covey_pool_count(pool);
    }
    if (removes_in_turn(pool)) removed = remove_in_turn(pool, entities, count);
    else
        for (uint32_t i = 0; i < count; i++) removed += covey_pool_remove_raw(pool, entities[i]);
    return removed;
}
