/* The storage of a pool: a sparse set or a block store behind one set of operations. */
#include "storage/storage.h"

#include "memory/inner.h"
#include "storage/block_store.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/sparse_set.h"

/* ---- Kinds -------------------------------------------------------------------------------------------------------*/

covey_storage covey__storage_asked_for(const covey_type *type, covey_storage storage) {
    if (storage != COVEY_STORAGE_DEFAULT) return storage;
    return type->policy == COVEY_SWAP_AND_POP ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
}

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

static void note_uses(covey_pool *pool) {
    covey_policy policy = pool->type->policy;
    bool stable = pool->storage == COVEY_STORAGE_PINNED || policy == COVEY_IN_PLACE;
    bool ordered = policy == COVEY_SWAP_ONLY || policy == COVEY_ORDERED;
    pool->uses &= (uint8_t) ~(COVEY_USE_STABLE | COVEY_USE_ORDER);
    pool->uses |= (uint8_t)((stable ? COVEY_USE_STABLE : 0) | (ordered ? COVEY_USE_ORDER : 0));
}

void covey__storage_init(covey_pool *pool, covey_storage storage) {
    const covey_type *type = pool->type;
    const covey__heap *heap = &pool->world->inner->heap;
    pool->storage = (uint8_t)storage;
    note_uses(pool);
    pool->sparse_set = (covey_sparse_set){ 0 };
    pool->block_store = (covey__block_store){ 0 };
    if (covey__in_blocks(pool)) {
        pool->block_store = (covey__block_store){
            .size = type->size,
            .align = (uint8_t)(type->align ? type->align : 1),
            .zero_erased = type->zero_erased,
            .pinned = storage == COVEY_STORAGE_PINNED,
            .grouped = (pool->uses & COVEY_USE_GROUP) != 0,
            .mover = covey__mover_of(pool->world, type),
            .moves = &pool->world->moves,
            .shifts = &pool->world->shifts,
            .heap = { heap->allocator, 0, heap->budget },
        };
        return;
    }
    covey_sparse_set_desc desc = { type->size, type->align, type->policy, type->zero_erased, heap->allocator };
    covey__set_init(&pool->sparse_set, &desc);
    pool->sparse_set.heap.budget = heap->budget;
    pool->sparse_set.shifts = &pool->world->shifts;
    pool->sparse_set.mover = covey__mover_of(pool->world, type);
}

covey__mover covey__storage_set_mover(covey_pool *pool, covey__mover mover) {
    covey__mover *at = covey__in_blocks(pool) ? &pool->block_store.mover : &pool->sparse_set.mover, was = *at;
    *at = mover;
    return was;
}

bool covey__storage_may_move(const covey_pool *pool, uint32_t index, const void *value) {
    if (!covey__in_blocks(pool)) return covey__set_source(&pool->sparse_set, value).inside;
    return covey__blocks_hold(&pool->block_store, index, value);
}

void covey__storage_free(covey_pool *pool) {
    if (covey__in_blocks(pool)) covey__blocks_free(&pool->block_store);
    else covey__set_free(&pool->sparse_set);
}

void covey__storage_end(covey_pool *pool) {
    if (!covey__in_blocks(pool)) covey_sparse_set_clear(&pool->sparse_set); /* blocks zero memory when they free it */
    covey__storage_free(pool);
}

void covey__storage_clear(covey_pool *pool) {
    if (covey__in_blocks(pool)) covey__blocks_clear(&pool->block_store);
    else covey_sparse_set_clear(&pool->sparse_set);
}

covey_result covey__storage_reserve(covey_pool *pool, uint32_t count) {
    if (!covey__in_blocks(pool)) return covey_sparse_set_reserve(&pool->sparse_set, count);
    return count > COVEY_NONE ? COVEY_ERROR_RANGE : COVEY_OK; /* blocks allocate one by one */
}

bool covey__storage_clone(const covey_pool *from, covey_pool *to) {
    if (covey__in_blocks(from)) return covey__blocks_clone(&from->block_store, &to->block_store);
    return covey__set_clone(&from->sparse_set, &to->sparse_set);
}

void covey__storage_observe(covey_pool *pool) {
    const covey_type *type = pool->type;
    bool observed = pool->observers != NULL, drops = type->drop || type->move;
    pool->plain = covey__in_blocks(pool) && !observed && !drops && !type->zero_erased;
    if (covey__in_blocks(pool)) return;
    pool->sparse_set.grouped = pool->adding == COVEY__ADD_TO_GROUP;
    covey__set_observe(&pool->sparse_set, observed, drops);
    if (pool->adding == COVEY__ADD_TO_GROUP && !drops) pool->sparse_set.removal = COVEY__REMOVE_GROUPED;
}

bool covey__storage_put_mask(covey_pool *pool, uint32_t index, uint64_t mask) {
    covey__block_store *blocks = &pool->block_store;
    bool known = covey__blocks_have_page(blocks, index / COVEY__BLOCK_PAGE);
    if (!known && covey__blocks_reserve(blocks, index, covey__block_limit(pool->world)) != COVEY_OK) return false;
    covey__block_page *page = covey__block_page_of(blocks, index);
    page->masks[covey__block_of(index)] = mask;
    page->summary |= (uint64_t)1 << covey__block_of(index);
    return true;
}

bool covey__storage_shape(covey_pool *pool) { return covey__blocks_shape(&pool->block_store); }

void covey__storage_expect(covey_pool *pool, uint32_t index, uint32_t count) {
    if (!covey__in_blocks(pool)) return;
    pool->block_store.row_block = index / COVEY__BLOCK_IDS;
    pool->block_store.row_count = count;
}

void covey__storage_compact(covey_pool *pool) {
    if (covey__in_blocks(pool)) covey__blocks_compact(&pool->block_store);
    else if (pool->sparse_set.policy == COVEY_ORDERED) covey_sparse_set_compact(&pool->sparse_set);
    else covey__set_trim(&pool->sparse_set);
}

void covey__storage_shrink(covey_pool *pool) {
    if (covey__in_blocks(pool)) {
        covey__blocks_shrink(&pool->block_store);
        return;
    }
    covey_sparse_set_shrink(&pool->sparse_set);
    covey__storage_mark_all(pool); /* empty pages were freed */
}

void covey__storage_take(covey_pool *pool, const covey_pool *from) {
    pool->storage = from->storage;
    note_uses(pool);
    pool->sparse_set = from->sparse_set;
    pool->block_store = from->block_store;
}

const covey_pool *covey__smallest(covey_pool *const *pools, uint32_t count) {
    const covey_pool *found = pools[0];
    for (uint32_t i = 1; i < count; i++)
        if (covey_pool_count(pools[i]) < covey_pool_count(found)) found = pools[i];
    return found;
}

bool covey__storage_valid(const covey_pool *pool, const char **why) {
    const covey_world *world = pool->world;
    bool block = covey__in_blocks(pool);
    REQUIRE(pool->size == pool->type->size && pool->size == (block ? pool->block_store.size : pool->sparse_set.size),
            "pool: the size of its values is not that of its type");
    REQUIRE(block ? !pool->sparse_set.pages && pool->sparse_set.page_count == 0 && pool->sparse_set.end == 0
                  : !pool->block_store.pages && pool->block_store.page_count == 0 && pool->block_store.count == 0,
            "pool: the unused storage is not empty");
    if (!block) return covey__set_valid(&pool->sparse_set, "pool: bytes that are not accounted for", why);
    REQUIRE((uint64_t)pool->block_store.page_count * COVEY__BLOCK_PAGE <= (uint64_t)world->page_count * COVEY_PAGE_SIZE,
            "pool: the directory is larger than the world's table");
    REQUIRE(pool->block_store.grouped == ((pool->uses & COVEY_USE_GROUP) != 0),
            "pool: wrongly marked as owned by a group, or not marked");
    return covey__is_reactive(pool) || covey__blocks_valid(&pool->block_store, why);
}

/* ---- Ids ---------------------------------------------------------------------------------------------------------*/

covey_entity covey_pool_at(const covey_pool *pool, uint32_t position) {
    COVEY__NEEDS_POOL(pool);
    const covey_sparse_set *set = covey__packed_in(pool);
    if (set) {
        covey_entity e = covey_sparse_set_at(set, position);
        return position < set->end && e.generation != 0 ? e : (covey_entity){ 0, 0 };
    }
    if (!covey__block_has(&pool->block_store, position)) return (covey_entity){ 0, 0 };
    return covey__entity(position, covey__generation_of(pool->world, position));
}

uint64_t covey__storage_ids(const covey_pool *pool) {
    if (covey__in_blocks(pool)) return (uint64_t)pool->block_store.page_count * COVEY__BLOCK_PAGE;
    return (uint64_t)pool->sparse_set.page_count * COVEY_PAGE_SIZE;
}

uint64_t covey__storage_mask(const covey_pool *pool, uint32_t index) {
    uint32_t first = index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
    if (first >= covey__storage_ids(pool)) return 0;
    if (covey__in_blocks(pool)) return covey__block_page_of(&pool->block_store, first)->masks[covey__block_of(first)];
    uint64_t mask = 0;
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS) {
        for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) mask |= (uint64_t)covey__has_index(pool, first + i) << i;
        return mask;
    }
    const covey__slot *slots =
        covey__slot_of(&pool->sparse_set, first); /* in one page, which may be the shared missing one */
    uint32_t end = pool->sparse_set.end;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) mask |= (uint64_t)(covey__slot_position(slots[i]) < end) << i;
    return mask;
}

static uint64_t next_in_blocks(const covey__block_store *blocks, uint64_t *index) {
    for (; *index / COVEY__BLOCK_PAGE < blocks->page_count;
         *index = (*index / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE) {
        const covey__block_page *page = blocks->pages[*index / COVEY__BLOCK_PAGE];
        uint32_t block = covey__block_of((uint32_t)*index);
        uint64_t left = page->summary >> block;
        if (left == 0) continue;
        *index = (*index / COVEY__BLOCK_IDS + covey__lowest_bit(left)) * COVEY__BLOCK_IDS;
        return page->masks[block + covey__lowest_bit(left)];
    }
    return 0;
}

/* Skips missing pages; a page that exists has a block with components. */
static uint64_t next_in_set(const covey_pool *pool, uint64_t *index) {
    const bool skips = COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS;
    *index -= *index % COVEY__BLOCK_IDS;
    while (*index < covey__storage_ids(pool)) {
        bool missing = skips && !covey__set_page(&pool->sparse_set, (uint32_t)(*index / COVEY_PAGE_SIZE));
        uint64_t mask = missing ? 0 : covey__storage_mask(pool, (uint32_t)*index);
        if (mask != 0) return mask;
        *index = missing ? (*index / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE : *index + COVEY__BLOCK_IDS;
    }
    return 0;
}

uint64_t covey__storage_next_mask(const covey_pool *pool, uint64_t *index) {
    return covey__in_blocks(pool) ? next_in_blocks(&pool->block_store, index) : next_in_set(pool, index);
}

/* Whether all components of a block are at neighbouring positions, in the order of their indices. */
static bool is_in_order(const covey__slot *slots) {
    uint32_t first = covey__slot_position(slots[0]), differ = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) differ |= (covey__slot_position(slots[i]) - i) ^ first;
    return differ == 0;
}

const char *covey__storage_block_values(const covey_pool *pool, uint32_t first) {
    const covey_sparse_set *set = &pool->sparse_set;
    if (first >= covey__storage_ids(pool)) return NULL;
    if (covey__in_blocks(pool)) {
        const covey__block_page *page = covey__block_page_of(&pool->block_store, first);
        uint32_t block = covey__block_of(first);
        return (page->direct >> block & 1) != 0 ? page->chunks[block].data : NULL;
    }
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS || !is_in_order(covey__slot_of(set, first))) return NULL;
    uint32_t position = covey__slot_position(*covey__slot_of(set, first));
    bool split = set->paged && position % COVEY_PAGE_SIZE + COVEY__BLOCK_IDS > (uint32_t)COVEY_PAGE_SIZE;
    return split || position >= set->end ? NULL : covey__value_at(set, position, set->size);
}

/* ---- Runs of values ----------------------------------------------------------------------------------------------*/

/* A run of contiguous values that may continue. */
typedef struct runner {
    covey__run_fn *run;
    void *context;
    size_t size; /* of a value */
    char *values;
    size_t count;
} runner;

static void end_run(runner *r) {
    if (r->count != 0) r->run(r->values, r->count, r->context);
    r->count = 0;
}

static void extend_run(runner *r, char *values, size_t count) {
    bool follows = r->count != 0 && r->values + r->count * r->size == values;
    if (!follows) {
        end_run(r);
        r->values = values;
    }
    r->count += count;
}

static void add_block(runner *r, const covey__block_page *page, uint32_t block, uint64_t mask) {
    const covey__chunk *chunk = &page->chunks[block];
    bool whole = mask == UINT64_MAX && (page->direct >> block & 1) != 0;
    if (whole) extend_run(r, chunk->data, COVEY__BLOCK_IDS);
    else
        for (uint64_t left = mask; left != 0; left &= left - 1)
            extend_run(r, chunk->data + chunk->map[covey__lowest_bit(left)] * r->size, 1);
}

static void add_blocks(runner *r, const covey_pool *pool, uint32_t number, covey__pick_fn *pick) {
    const covey__block_page *page = pool->block_store.pages[number];
    for (uint64_t left = page->summary; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        uint64_t mask = page->masks[block];
        if (pick) mask = pick(pool, number * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS, mask, r->context);
        add_block(r, page, block, mask);
    }
}

/* Runs end at holes and, in place, at the end of a page. */
static void add_packed(runner *r, const covey_sparse_set *set) {
    for (uint32_t at = 0; at < set->end;) {
        uint32_t end = set->end, first = at;
        if (set->paged && end - at > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE)
            end = at + COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
        if (set->holes == 0) at = end;
        while (at < end && !covey__is_hole(set, at)) at++;
        if (at != first) extend_run(r, covey__value_at(set, first, set->size), at - first);
        while (at < end && covey__is_hole(set, at)) at++;
    }
}

static void add_picked(runner *r, const covey_pool *pool, covey__pick_fn *pick) {
    const covey_sparse_set *set = &pool->sparse_set;
    for (uint32_t at = 0; at < set->end; at++) {
        if (set->holes != 0 && covey__is_hole(set, at)) continue;
        uint32_t index = set->ids[at].index;
        uint64_t bit = (uint64_t)1 << index % COVEY__BLOCK_IDS;
        if (pick(pool, index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, bit, r->context) != 0)
            extend_run(r, covey__value_at(set, at, set->size), 1);
    }
}

void covey__each_run(const covey_pool *pool, covey__pick_fn *pick, covey__run_fn *run, void *context) {
    runner r = { .run = run, .context = context, .size = pool->size };
    if (covey__in_blocks(pool))
        for (uint32_t i = 0; i < pool->block_store.page_count; i++) add_blocks(&r, pool, i, pick);
    else if (pick) add_picked(&r, pool, pick);
    else add_packed(&r, &pool->sparse_set);
    end_run(&r);
}

/* ---- Presence ----------------------------------------------------------------------------------------------------*/

static bool set_has_page(const covey_sparse_set *set, uint32_t index) {
    uint32_t page = index / COVEY_PAGE_SIZE;
    return page < set->page_count && covey__set_page(set, page);
}

bool covey__storage_is_present(const covey_pool *pool, uint32_t index) {
    if (covey__is_reactive(pool)) return covey__blocks_have_page(&pool->block_store, index / COVEY__BLOCK_PAGE);
    if (covey__in_blocks(pool)) return covey__storage_mask(pool, index) != 0;
    uint32_t first = index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, at = 0;
    while (at < COVEY__BLOCK_IDS && !set_has_page(&pool->sparse_set, first + at)) at += COVEY_PAGE_SIZE;
    return at < COVEY__BLOCK_IDS;
}

/* Marks all blocks that the page of an index covers, before anything is placed there. */
static bool mark_page(covey_pool *pool, uint32_t index) {
    uint32_t first = index / COVEY_PAGE_SIZE * COVEY_PAGE_SIZE;
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i += COVEY__BLOCK_IDS)
        if (!covey__presence_mark(pool->world, pool->number, first + i)) return false;
    return true;
}

static void unmark_page(covey_pool *pool, uint32_t index) {
    uint32_t first = index / COVEY_PAGE_SIZE * COVEY_PAGE_SIZE;
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i += COVEY__BLOCK_IDS)
        if (!covey__storage_is_present(pool, first + i)) covey__presence_unmark(pool->world, pool->number, first + i);
}

covey_result covey__storage_reach(covey_pool *pool, uint32_t index) {
    if (set_has_page(&pool->sparse_set, index)) return COVEY_OK;
    covey_result result = mark_page(pool, index) ? covey__set_reach(&pool->sparse_set, index) : COVEY_ERROR_MEMORY;
    if (result != COVEY_OK) unmark_page(pool, index);
    return result;
}

void covey__storage_unmark(const covey_pool *pool) {
    for (uint32_t page = 0; covey__in_blocks(pool) && page < pool->block_store.page_count; page++)
        for (uint64_t left = pool->block_store.pages[page]->summary; left != 0; left &= left - 1)
            covey__presence_unmark(pool->world, pool->number,
                                   page * COVEY__BLOCK_PAGE + covey__lowest_bit(left) * COVEY__BLOCK_IDS);
}

static bool mark_blocks(covey_pool *pool, uint32_t page) {
    uint64_t left = pool->block_store.pages[page]->summary;
    uint32_t first = page * COVEY__BLOCK_PAGE;
    if (left != 0 && !covey__presence_reserve(pool->world, pool->number, first)) return false;
    for (; left != 0; left &= left - 1)
        covey__presence_set(pool->world, pool->number, first + covey__lowest_bit(left) * COVEY__BLOCK_IDS);
    return true;
}

bool covey__storage_mark_all(covey_pool *pool) {
    bool marked = true;
    covey__presence_unmark_all(pool->world, pool->number);
    if (covey__in_blocks(pool)) {
        for (uint32_t page = 0; page < pool->block_store.page_count; page++) marked &= mark_blocks(pool, page);
        return marked;
    }
    for (uint32_t page = 0; page < pool->sparse_set.page_count; page++)
        for (uint32_t i = 0; i < COVEY_PAGE_SIZE && covey__set_page(&pool->sparse_set, page); i += COVEY__BLOCK_IDS)
            marked &= covey__presence_mark(pool->world, pool->number, page * COVEY_PAGE_SIZE + i);
    return marked;
}

bool covey__storage_is_marked(const covey_pool *pool) {
    const covey_world *world = pool->world;
    for (uint32_t i = 0; covey__in_blocks(pool) && i < pool->block_store.page_count; i++)
        for (uint64_t left = pool->block_store.pages[i]->summary; left != 0; left &= left - 1) {
            uint32_t first = i * COVEY__BLOCK_PAGE + covey__lowest_bit(left) * COVEY__BLOCK_IDS;
            if (!covey__presence_has(world, pool->number, first)) return false;
        }
    for (uint32_t i = 0; !covey__in_blocks(pool) && i < pool->sparse_set.page_count; i++)
        for (uint32_t at = 0; covey__set_page(&pool->sparse_set, i) && at < COVEY_PAGE_SIZE; at += COVEY__BLOCK_IDS)
            if (!covey__presence_has(world, pool->number, i * COVEY_PAGE_SIZE + at)) return false;
    return true;
}

/* A pool is marked only in blocks where it has components. */
static bool valid_presence_page(const covey_world *world, const covey__presence_page *page, uint32_t first,
                                const char **why) {
    for (uint32_t i = 0; i < COVEY__PAGE_BLOCKS * page->words; i++) {
        uint32_t block = i / (uint32_t)page->words, word = i % (uint32_t)page->words;
        for (uint64_t left = page->bits[i]; left != 0; left &= left - 1) {
            uint32_t number = word * 64 + covey__lowest_bit(left);
            REQUIRE(number < world->pool_count, "presence: a mark of a pool that does not exist");
            REQUIRE(covey__storage_is_present(world->pools[number], first + block * COVEY__BLOCK_IDS),
                    "presence: a pool is marked where it has nothing");
        }
    }
    return true;
}

bool covey__presence_valid(const covey_world *world, const char **why) {
    for (uint32_t i = 0; i < world->inner->presence_count; i++)
        if (!valid_presence_page(world, world->inner->presence_pages[i], i * COVEY__BLOCK_PAGE, why)) return false;
    return true;
}
