/* Makes places for components: for one; and for many at once, by whole blocks and by pages of a sparse set rather than
 * one by one. */
#include "storage/storage_place.h"

#include "storage/block_store.h"
#include "memory/lines.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "storage/shortcut_on.h"
#include "storage/storage_erase.h"
#include "storage/stretch.h"

/* ---- Stretches ---------------------------------------------------------------------------------------------------*/

/* Without branches, so that compilers vectorise the loop; and on its own, so that it is as quick wherever it is
 * called. */
bool covey__is_block(const covey_entity *entities, const uint32_t *generations) {
    uint32_t first = entities->index, differ = 0, alive = 1;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        differ |= (entities[i].index ^ (first + i)) | (entities[i].generation ^ generations[i]);
        alive &= generations[i];
    }
    return differ == 0 && alive != 0;
}

/* ---- One ---------------------------------------------------------------------------------------------------------*/

/* Places a mark that the program adds to a reactive set. */
static covey_result place_mark(covey_pool *tags, uint32_t index, void **value) {
    if (covey__has_index(tags, index)) return COVEY_ERROR_PRESENT;
    covey_result result = covey__reactive_reserve(tags, index);
    if (result == COVEY_OK && tags->ended) result = covey__ended_reserve(tags, 1);
    if (result != COVEY_OK) return result;
    covey__reactive_mark(tags, index);
    *value = covey__nothing;
    return COVEY_OK;
}

static covey_result place_in_block(covey_pool *pool, uint32_t index, const void **source, void **value) {
    covey_world *world = pool->world;
    if (covey__is_reactive(pool)) return place_mark(pool, index, value);
    bool first = covey__block_is_empty(&pool->block_store, index);
    if (first && !covey__presence_mark(world, pool->number, index)) return COVEY_ERROR_MEMORY;
    covey_result result = covey__blocks_place(&pool->block_store, index, covey__block_limit(world), source, value);
    if (result == COVEY_OK) covey__fast_add_on(pool, index);
    else if (first) covey__presence_unmark(world, pool->number, index);
    return result;
}

static covey_result place_in_set(covey_pool *pool, covey_entity e, bool at_end, const void **source, void **value) {
    covey_sparse_set *set = &pool->sparse_set;
    if (covey__has_index(pool, e.index)) return COVEY_ERROR_PRESENT;
    covey__source followed = covey__storage_source(pool, *source);
    covey_result result = covey__storage_reach(pool, e.index);
    if (result == COVEY_OK) result = covey__set_prepare(set, e.index, at_end);
    if (result != COVEY_OK) {
        covey__pool_moved(pool, false); /* one of the arrays may have grown */
        return result;
    }
    *value = covey__value_at(set, covey__set_place(set, e, at_end), set->size);
    *source = covey__set_resolve(set, &followed);
    return COVEY_OK;
}

/* Appends to a block that has room; NULL: it has none. */
static inline void *append_in_block(covey_pool *pool, uint32_t index) {
    bool reached = index / COVEY__BLOCK_PAGE < pool->block_store.page_count;
    return reached ? covey__block_append(&pool->block_store, index, pool->size) : NULL;
}

/* Appends where there is room; NULL: there is none. */
static void *append_in_room(covey_pool *pool, covey_entity e) {
    covey_sparse_set *set = &pool->sparse_set;
    if (covey__in_blocks(pool)) return append_in_block(pool, e.index);
    if (e.index / COVEY_PAGE_SIZE >= set->page_count || set->end >= covey__set_room(set)) return NULL;
    covey__slot *slot = covey__slot_of(set, e.index);
    if (*slot != COVEY__SLOT_NULL) return NULL;
    uint32_t at = set->end++;
    *slot = COVEY__SLOT(at, e.generation);
    set->ids[at] = e;
    return covey__value_at(set, at, set->size);
}

/* Whether the next component comes behind the others: no hole is filled first, and no dead one is there. */
static bool is_placed_last(const covey_sparse_set *set) {
    return set->dead == 0 && (set->policy != COVEY_IN_PLACE || set->hole == COVEY_NONE);
}

void *covey__storage_place_in_room(covey_pool *pool, covey_entity e) {
    bool appends = covey__in_blocks(pool) ? !covey__is_reactive(pool) : is_placed_last(&pool->sparse_set);
    return appends ? append_in_room(pool, e) : NULL;
}

covey_result covey__storage_place(covey_pool *pool, covey_entity e, const void **source, void **value) {
    bool in_blocks = covey__in_blocks(pool);
    *value = covey__storage_place_in_room(pool, e);
    if (COVEY__LIKELY(*value != NULL)) return COVEY_OK;
    return in_blocks ? place_in_block(pool, e.index, source, value)
                     : place_in_set(pool, e, pool->sparse_set.policy != COVEY_IN_PLACE, source, value);
}

covey_result covey__storage_append(covey_pool *pool, covey_entity e, const void **source, void **value) {
    *value = append_in_room(pool, e);
    if (COVEY__LIKELY(*value != NULL)) return COVEY_OK;
    return covey__in_blocks(pool) ? place_in_block(pool, e.index, source, value)
                                  : place_in_set(pool, e, true, source, value);
}

uint32_t covey__storage_append_each(covey_pool *const *pools, const covey_component *components, uint32_t count,
                                    covey_entity e) {
    uint32_t done = 0, index = e.index;
    for (; done < count; done++) {
        covey_pool *pool = pools[done];
        const void *value = components[done].values;
        size_t size = pool->size;
        if (!COVEY__LIKELY(covey__in_blocks(pool) && value && !components[done].value)) break;
        void *to = append_in_block(pool, index);
        if (!COVEY__LIKELY(to != NULL)) break;
        COVEY__TRACE(pool->world, pool->added, index);
        if (COVEY__LIKELY(size == 8)) memcpy(to, value, 8);
        else covey__copy(to, value, size);
    }
    return done;
}

void covey__storage_erase_placed(covey_pool *pool, covey_entity e) {
    if (covey__in_blocks(pool)) covey__storage_erase(pool, e, false);
    else covey__set_erase_placed(&pool->sparse_set, e);
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

/* Whether values of this size are too many for the caches, and consist of whole words: then copies bypass the
 * caches. */
static bool is_large(const covey__placing *p, size_t size) {
    return size % 4 == 0 && (uint64_t)p->count * size >= COVEY_CACHE_BYTES / 4;
}

static void copy_bytes(void *to, const void *from, size_t bytes, bool large) {
    if (large && bytes >= 256) covey__copy_past(to, from, bytes / 4);
    else memcpy(to, from, bytes);
}

/* 64 copies of a small value, so that one memcpy fills a block. */
typedef struct pattern {
    bool is_made;
    char bytes[COVEY__BLOCK_IDS * 16];
} pattern;

static void make_pattern(pattern *same, const covey__placing *p, size_t size) {
    same->is_made = p->stride == 0 && p->values && size <= 16 && p->count >= 16;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS && same->is_made; i++)
        covey__copy(same->bytes + i * size, p->values, size);
}

/* Repeats a value, by copying what is already written, twice as much each time. */
static void fill_copies(char *to, uint32_t count, const void *value, size_t size) {
    size_t bytes = count * size, done = size;
    if (bytes == 0) return;
    memcpy(to, value, size);
    for (; done < bytes - done; done *= 2) memcpy(to + done, to, done);
    memcpy(to + done, to, bytes - done);
}

static void fill_by(const pattern *same, char *to, uint32_t count, size_t size, bool large) {
    for (; count > COVEY__BLOCK_IDS; count -= COVEY__BLOCK_IDS, to += COVEY__BLOCK_IDS * size)
        copy_bytes(to, same->bytes, COVEY__BLOCK_IDS * size, large);
    copy_bytes(to, same->bytes, count * size, large);
}

static bool is_hooked(const covey__placing *p) { return p->copies && p->values && p->pool->type->copy; }

/* Whether a hook moves each value from the program. */
static bool is_moved(const covey__placing *p) { return !p->copies && p->values && !p->later && p->pool->type->move; }

/* Moves values in, one after the other. */
static void move_by_hook(covey__placing *p, char *to, uint32_t count) {
    const covey__mover *mover = covey__storage_mover(p->pool);
    for (; count-- != 0; to += p->pool->size, p->made++)
        covey__move_in(mover, to, (const char *)p->values + p->made * p->stride, p->pool->size);
}

/* Makes copies one after the other, until one is refused. */
static COVEY__NOINLINE bool copy_by_hook(covey__placing *p, char *to, uint32_t count) {
    const covey_world *world = p->pool->world;
    const covey_type *type = p->pool->type;
    const void *value = p->values;
    size_t size = type->size;
    uint32_t made = 0;
    for (; made < count; made++)
        if (!COVEY__LIKELY(covey__copy_value(world, type, to + made * size, value))) break;
    p->made += made;
    return made == count;
}

/* Writes the values of the next entities, whose places are contiguous. False when a hook refuses. */
static bool write_values(covey__placing *p, const pattern *same, char *to, uint32_t count) {
    size_t size = p->pool->size;
    const char *from = p->values ? (const char *)p->values + p->made * p->stride : NULL;
    if (is_hooked(p)) return copy_by_hook(p, to, count);
    if (is_moved(p)) {
        move_by_hook(p, to, count);
        return true;
    }
    if (p->later) from = NULL;
    else if (!from) memset(to, 0, count * size);
    else if (p->stride == size) copy_bytes(to, from, count * size, is_large(p, size));
    else if (p->stride != 0)
        for (uint32_t i = 0; i < count; i++) covey__copy(to + i * size, from + i * p->stride, size);
    else if (same->is_made) fill_by(same, to, count, size, is_large(p, size));
    else fill_copies(to, count, from, size);
    p->made += count;
    return true;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

/* Whether values are copied as bytes. */
static bool are_bytes(const covey__placing *p) { return p->values && !p->later && !is_hooked(p) && !is_moved(p); }

/* Writes the values of the next entities of one block, in any order. */
static bool write_in_block(covey__placing *p, const pattern *same, uint32_t count) {
    const covey_entity *entities = p->entities + p->made;
    covey__chunk chunk =
        covey__block_page_of(&p->pool->block_store, entities->index)->chunks[covey__block_of(entities->index)];
    size_t size = p->pool->size, stride = p->stride;
    if (!are_bytes(p)) {
        for (uint32_t i = 0; i < count; i++)
            if (!write_values(p, same, chunk.data + chunk.map[entities[i].index % COVEY__BLOCK_IDS] * size, 1))
                return false;
        return true;
    }
    const char *from = (const char *)p->values + p->made * stride;
    for (uint32_t i = 0; i < count; i++, from += stride)
        covey__copy(chunk.data + chunk.map[entities[i].index % COVEY__BLOCK_IDS] * size, from, size);
    p->made += count;
    return true;
}

static covey_result place_bits(covey__placing *p, uint32_t index, uint64_t bits) {
    covey_pool *pool = p->pool;
    covey_world *world = pool->world;
    bool first = covey__block_is_empty(&pool->block_store, index);
    if (first && !covey__presence_mark(world, pool->number, index)) return COVEY_ERROR_MEMORY;
    covey_result result =
        covey__blocks_place_bits(&pool->block_store, index, bits, covey__block_limit(world), &p->values);
    if (result != COVEY_OK && first) covey__presence_unmark(world, pool->number, index);
    return result;
}

/* Writes contiguous blocks at once. */
static bool write_whole(covey__placing *p, const pattern *same, uint32_t index, uint32_t count) {
    const covey_pool *pool = p->pool;
    const covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    for (uint32_t block = covey__block_of(index), end = block + count; block < end;) {
        uint32_t first = block++;
        while (block < end && (page->joined >> (block - 1) & 1) != 0) block++;
        if (!write_values(p, same, page->chunks[first].data, (block - first) * COVEY__BLOCK_IDS)) return false;
    }
    return true;
}

/* Fills neighbouring blocks that are empty with all their ids. */
static covey_result place_whole(covey__placing *p, const pattern *same, uint32_t index, uint32_t count) {
    covey_pool *pool = p->pool;
    covey_world *world = pool->world;
    uint32_t empty = 0, placed = 0, page = index / COVEY__BLOCK_PAGE;
    while (empty < count && covey__block_is_empty(&pool->block_store, index + empty * COVEY__BLOCK_IDS)) empty++;
    if (empty == 0) return COVEY_ERROR_PRESENT;
    bool reached = covey__blocks_have_page(&pool->block_store, page);
    if (!reached && covey__blocks_reserve(&pool->block_store, index, covey__block_limit(world)) != COVEY_OK)
        return COVEY_ERROR_MEMORY;
    if (!covey__presence_has_room(world, pool->number, index) && !covey__presence_reserve(world, pool->number, index))
        return COVEY_ERROR_MEMORY;
    placed = covey__blocks_place_whole(&pool->block_store, index, empty);
    for (uint32_t i = 0; i < placed; i++) covey__presence_set(world, pool->number, index + i * COVEY__BLOCK_IDS);
    p->placed += placed * COVEY__BLOCK_IDS;
    if (placed < empty) return COVEY_ERROR_MEMORY;
    return write_whole(p, same, index, placed) ? COVEY_OK : COVEY_ERROR_COPY;
}

static covey_result place_stretch(covey__placing *p, const pattern *same, const covey__stretch *s) {
    const covey_pool *pool = p->pool;
    const covey_entity *entities = p->entities + p->placed;
    covey_result result = place_bits(p, entities->index, s->bits);
    if (result != COVEY_OK) return result;
    p->placed += s->count;
    bool written =
        s->in_order
            ? write_values(p, same, covey__block_value(&pool->block_store, entities->index, pool->size), s->count)
            : write_in_block(p, same, s->count);
    return written ? COVEY_OK : COVEY_ERROR_COPY;
}

/* ---- Blocks, in no order -----------------------------------------------------------------------------------------*/

/* The blocks of some entities. */
typedef struct blocks_of {
    uint32_t first, last;
} blocks_of;

/* DEAD if any entity from a number on is not alive. */
static covey_result find_blocks(const covey__placing *p, uint32_t from, blocks_of *found) {
    const covey_world *world = p->pool->world;
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = from; i < p->count; i++) {
        covey_entity e = p->entities[i];
        if (!covey_alive(world, e)) return COVEY_ERROR_DEAD;
        low = e.index < low ? e.index : low;
        high = e.index > high ? e.index : high;
    }
    *found = (blocks_of){ low / COVEY__BLOCK_IDS, high / COVEY__BLOCK_IDS };
    return COVEY_OK;
}

static covey_result reach_blocks(covey_pool *pool, blocks_of all) {
    covey_result result = COVEY_OK;
    uint32_t limit = covey__block_limit(pool->world);
    for (uint32_t page = all.first / COVEY__PAGE_BLOCKS; page <= all.last / COVEY__PAGE_BLOCKS; page++)
        if (result == COVEY_OK && !covey__blocks_have_page(&pool->block_store, page))
            result = covey__blocks_reserve(&pool->block_store, page * COVEY__BLOCK_PAGE, limit);
    return result;
}

/* Erases places without values, or claims of places, of the entities from a number on. */
static void erase_blanks(const covey__placing *p, uint32_t from, uint32_t end) {
    covey_pool *pool = p->pool;
    for (uint32_t i = from; i < end; i++) covey__blocks_unclaim(&pool->block_store, p->entities[i].index);
    for (uint32_t i = from; i < end; i++) {
        covey__blocks_sweep(&pool->block_store, p->entities[i].index);
        covey__note_erased(pool, p->entities[i].index);
    }
}

static covey_result fit_blocks(covey__placing *p, blocks_of all) {
    covey_pool *pool = p->pool;
    covey_result result = COVEY_OK;
    for (uint32_t block = all.first; block <= all.last && result == COVEY_OK; block++) {
        uint32_t index = block * COVEY__BLOCK_IDS;
        if (covey__block_is_empty(&pool->block_store, index)) continue;
        bool fresh = covey__block_page_of(&pool->block_store, index)->capacity[covey__block_of(index)] == 0;
        if (fresh && !covey__presence_mark(pool->world, pool->number, index)) return COVEY_ERROR_MEMORY;
        result = covey__blocks_fit(&pool->block_store, index, &p->values);
    }
    return result;
}

static bool copy_scattered(covey__placing *p) {
    const covey_pool *pool = p->pool;
    for (; p->made < p->placed; p->made++) {
        void *to = covey__block_value(&pool->block_store, p->entities[p->made].index, pool->size);
        if (!covey__copy_value(pool->world, pool->type, to, p->values)) return false;
    }
    return true;
}

static bool write_scattered(covey__placing *p, const pattern *same) {
    const covey__block_store *blocks = &p->pool->block_store;
    const covey_entity *entities = p->entities;
    const char *values = p->values;
    size_t size = p->pool->size;
    if (is_hooked(p)) return copy_scattered(p);
    while (p->made < p->count && !are_bytes(p))
        if (!write_values(p, same, covey__block_value(blocks, entities[p->made].index, size), 1)) return false;
    for (uint32_t i = p->made; i < p->count; i++)
        covey__copy(covey__block_value(blocks, entities[i].index, size), values + i * p->stride, size);
    p->made = p->count;
    return true;
}

/* Places the remaining entities where there are many for each block: first the masks, then the slots of each block,
 * then the values. */
static covey_result place_scattered(covey__placing *p, const pattern *same, blocks_of all) {
    covey__block_store *blocks = &p->pool->block_store;
    covey_result result = reach_blocks(p->pool, all);
    if (result != COVEY_OK) return result;
    for (uint32_t i = p->placed; i < p->count; i++) {
        if (covey__blocks_claim(blocks, p->entities[i].index)) continue;
        erase_blanks(p, p->placed, i);
        return COVEY_ERROR_PRESENT;
    }
    result = fit_blocks(p, all);
    if (result != COVEY_OK) {
        erase_blanks(p, p->placed, p->count);
        return result;
    }
    p->placed = p->count;
    return write_scattered(p, same) ? COVEY_OK : COVEY_ERROR_COPY;
}

/* Whether there are enough remaining entities for each of their blocks to do that. */
static bool are_scattered(const covey__placing *p, blocks_of *all) {
    uint32_t left = p->count - p->placed;
    if (left < COVEY__BLOCK_IDS || find_blocks(p, p->placed, all) != COVEY_OK) return false;
    return left / 4 > all->last - all->first;
}

/* Places entities one by one in direct blocks, until one needs memory, cannot be placed, or is followed by its
 * neighbour. `hooked`: values are copied by a hook, which may read the pool; otherwise as bytes. False when the hook
 * refuses. */
COVEY_HOT bool place_direct(covey__placing *p, bool hooked) {
    covey__block_store *blocks = &p->pool->block_store;
    const covey_world *world = p->pool->world;
    const covey_entity *entities = p->entities;
    const char *values = p->values;
    size_t size = p->pool->size, stride = p->stride;
    uint32_t i = p->placed, end = p->count, count = blocks->count - i, reach = blocks->page_count;
    bool copied = true;
    for (; copied && i < end; i++) {
        uint32_t index = covey__index(entities[i]), block = covey__block_of(index), bit = index % COVEY__BLOCK_IDS;
        if (i + 1 < end && covey__index(entities[i + 1]) == index + 1) break;
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < reach && covey__is_current(world, entities[i]))) break;
        covey__block_page *page = covey__block_page_of(blocks, index);
        uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << bit;
        if (!COVEY__LIKELY(with != mask && page->capacity[block] == COVEY__BLOCK_IDS)) break;
        char *to = page->chunks[block].data + bit * size;
        page->masks[block] = with;
        if (with == UINT64_MAX) page->full |= (uint64_t)1 << block;
        if (hooked) {
            blocks->count = count + i + 1;
            copied = covey__copy_value(world, p->pool->type, to, values);
        } else {
            covey__copy(to, values + i * stride, size);
        }
    }
    blocks->count = count + i;
    p->placed = i;
    p->made = copied ? i : i - 1;
    return copied;
}

/* Separate functions, so that the loop keeps its variables in registers. */
static COVEY__NOINLINE bool place_bytes(covey__placing *p) { return place_direct(p, false); }

static COVEY__NOINLINE bool place_by_hook(covey__placing *p) { return place_direct(p, true); }

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

static covey_result place_in_blocks(covey__placing *p) {
    covey_pool *pool = p->pool;
    const covey_world *world = pool->world;
    blocks_of all;
    bool asked = false, hooked = is_hooked(p), direct = pool->block_store.pinned && (are_bytes(p) || hooked);
    pattern same;
    make_pattern(&same, p, pool->size);
    while (p->placed < p->count) {
        const covey_entity *entities = p->entities + p->placed;
        uint32_t left = p->count - p->placed;
        uint32_t whole = pool->block_store.grouped ? 0 : covey__count_blocks(world, entities, left, p->is_new);
        if (whole != 0) {
            covey_result result = place_whole(p, &same, entities->index, whole);
            if (result != COVEY_OK) return result;
            continue;
        }
        covey__stretch s = covey__next_stretch(world, entities, left);
        if (s.count == 0) return COVEY_ERROR_DEAD;
        if (s.count == 1 && !asked && !direct) {
            asked = true;
            if (are_scattered(p, &all)) return place_scattered(p, &same, all);
        }
        covey_result result = place_stretch(p, &same, &s);
        if (result != COVEY_OK) return result;
        if (s.count == 1 && direct && !(hooked ? place_by_hook(p) : place_bytes(p))) return COVEY_ERROR_COPY;
    }
    return COVEY_OK;
}

static covey_result place_marks(covey__placing *p) {
    void *value;
    for (; p->placed < p->count; p->made = ++p->placed) {
        covey_entity e = p->entities[p->placed];
        if (!covey_alive(p->pool->world, e)) return COVEY_ERROR_DEAD;
        covey_result result = place_mark(p->pool, e.index, &value);
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

/* ---- Sparse sets -------------------------------------------------------------------------------------------------*/

/* Gives 64 neighbouring indices the positions from `at` on. False when one is present. */
static bool put_block(covey__slot *slots, const uint32_t *generations, uint32_t at) {
    covey__slot any[2] = { 0, 0 }, all[2] = { (covey__slot)-1, (covey__slot)-1 };
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i += 2) {
        any[0] |= slots[i];
        any[1] |= slots[i + 1];
        all[0] &= slots[i];
        all[1] &= slots[i + 1];
    }
    if ((any[0] | any[1]) != COVEY__SLOT_NULL || (all[0] & all[1]) != COVEY__SLOT_NULL) return false;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) slots[i] = COVEY__SLOT(at + i, generations[i]);
    return true;
}

/* Where the new ids are written: behind the end of the set, not counted yet. NULL while there is no room. */
static covey_entity *spare_ids(const covey__placing *p) {
    const covey_sparse_set *set = &p->pool->sparse_set;
    return set->ids && p->count <= covey__set_room(set) - set->end ? set->ids + set->end : NULL;
}

/* Makes the page of the next entity, or returns why the entity cannot be placed. */
static covey_result reach_next(const covey__placing *p) {
    covey_pool *pool = p->pool;
    covey_entity e = p->entities[p->placed];
    uint32_t index = e.index, number = index / COVEY_PAGE_SIZE;
    if (!covey_alive(pool->world, e)) return COVEY_ERROR_DEAD;
    if (number < pool->sparse_set.page_count && covey__set_page(&pool->sparse_set, number)) return COVEY_ERROR_PRESENT;
    return covey__storage_reach(pool, index);
}

/* Writes the slots and ids of whole blocks. */
static covey_result put_blocks(covey__placing *p, covey_entity *ids, uint32_t blocks) {
    const covey_sparse_set *set = &p->pool->sparse_set;
    const covey_entity *entities = p->entities + p->placed;
    uint32_t index = entities->index, number = index / COVEY_PAGE_SIZE, first = p->placed;
    if (number >= set->page_count || !covey__set_page(set, number)) {
        covey_result result = covey__storage_reach(p->pool, index);
        if (result != COVEY_OK) return result;
    }
    const uint32_t *generations = p->pool->world->pages[number]->generation + index % COVEY_PAGE_SIZE;
    covey__slot *slots = covey__slot_of(set, index);
    for (; blocks != 0;
         blocks--, slots += COVEY__BLOCK_IDS, generations += COVEY__BLOCK_IDS, p->placed += COVEY__BLOCK_IDS)
        if (!put_block(slots, generations, set->end + p->placed)) return COVEY_ERROR_PRESENT;
    size_t bytes = (p->placed - first) * sizeof *ids;
    if (ids) copy_bytes(ids + first, entities, bytes, is_large(p, sizeof *ids));
    return COVEY_OK;
}

enum { AHEAD = 16 }; /* entities to prefetch ahead, if they come in no order */

/* Whether the table of a set is larger than the cache of a core. */
static bool is_far(const covey_sparse_set *set) {
    return (uint64_t)set->page_count * COVEY_PAGE_SIZE * sizeof(covey__slot) > COVEY_CACHE_BYTES / 16;
}

/* Prefetches the slot and generation of a later entity. */
COVEY_HOT void ask_for(covey__entity_page *const *alive, const uintptr_t *pages, uint32_t index, uint32_t reach) {
    if (index / COVEY_PAGE_SIZE >= reach) return;
    covey__prefetch_line((const char *)covey__slot_in(pages, index));
    covey__prefetch_line((const char *)&alive[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE]);
}

/* Writes slots of entities in any order, until one cannot be placed or may begin a whole block. */
COVEY_HOT void put_scattered(covey__placing *p, covey_entity *ids, bool far) {
    const covey_world *world = p->pool->world;
    const covey_sparse_set *set = &p->pool->sparse_set;
    covey__entity_page *const *alive = world->pages;
    const uintptr_t *pages = set->pages;
    const covey_entity *entities = p->entities;
    uint32_t reach = set->page_count < world->page_count ? set->page_count : world->page_count;
    uint32_t at = set->end, i = p->placed, count = p->count;
    uint32_t ask_end = count > AHEAD ? count - AHEAD : 0;
    for (; i < count; i++) {
        if (far && i < ask_end) ask_for(alive, pages, entities[i + AHEAD].index, reach);
        covey__slot id = COVEY__SLOT(entities[i].index, entities[i].generation); /* one load of both */
        uint32_t index = covey__slot_position(id), generation = covey__slot_generation(id);
        uint32_t number = index / COVEY_PAGE_SIZE;
        if (!COVEY__LIKELY(number < reach)) break;
        covey__slot *slot = covey__slot_in(pages, index);
        if (!COVEY__LIKELY(alive[number]->generation[index % COVEY_PAGE_SIZE] == generation)) break;
        if (!COVEY__LIKELY(*slot == COVEY__SLOT_NULL && (generation & 1) != 0)) break;
        if (index % COVEY__BLOCK_IDS == 0 && i != p->placed && covey__may_be_block(&entities[i], count - i)) break;
        *slot = id ^ index ^ (at + i);
        if (ids) ids[i] = entities[i];
    }
    p->placed = i;
}

/* Separate functions, so that the loop keeps its variables in registers. */
static COVEY__NOINLINE void put_near(covey__placing *p, covey_entity *ids) { put_scattered(p, ids, false); }

static COVEY__NOINLINE void put_far(covey__placing *p, covey_entity *ids) { put_scattered(p, ids, true); }

/* Writes the slots of all entities that have none yet. Their positions are behind the end, and not counted yet. */
static covey_result put_slots(covey__placing *p, covey_entity *ids) {
    const covey_world *world = p->pool->world;
    covey_result result = COVEY_OK;
    while (p->placed < p->count && result == COVEY_OK) {
        uint32_t blocks = covey__count_blocks(world, p->entities + p->placed, p->count - p->placed, p->is_new);
        uint32_t before = p->placed;
        if (blocks != 0) result = put_blocks(p, ids, blocks);
        else if (is_far(&p->pool->sparse_set)) put_far(p, ids);
        else put_near(p, ids);
        if (p->placed == before && result == COVEY_OK) result = reach_next(p);
    }
    return result;
}

static void clear_slots(covey__placing *p) {
    covey_sparse_set *set = &p->pool->sparse_set;
    for (; p->placed != 0; p->placed--) *covey__slot_of(set, p->entities[p->placed - 1].index) = COVEY__SLOT_NULL;
}

/* Writes the values of consecutive positions; of in-place sets, page by page. */
static covey_result write_positions(covey__placing *p, uint32_t at) {
    covey_sparse_set *set = &p->pool->sparse_set;
    uint32_t end = at + p->count, page_left = set->paged ? COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE : UINT32_MAX;
    pattern same;
    p->values = covey__set_resolve(set, &p->source);
    make_pattern(&same, p, set->size);
    while (at < end) {
        uint32_t count = end - at < page_left ? end - at : page_left;
        if (!write_values(p, &same, covey__value_at(set, at, set->size), count)) return COVEY_ERROR_COPY;
        at += count;
        page_left = COVEY_PAGE_SIZE;
    }
    return COVEY_OK;
}

/* Appends to a set without dead elements. */
static covey_result append_to_set(covey__placing *p) {
    covey_sparse_set *set = &p->pool->sparse_set;
    uint32_t count = p->count, at = set->end;
    covey_entity *ids = spare_ids(p);
    covey_result result = put_slots(p, ids);
    if (result == COVEY_OK) result = covey__set_prepare_spare(set, count);
    if (result != COVEY_OK) {
        clear_slots(p);
        return result;
    }
    if (!ids && count != 0)
        copy_bytes(set->ids + at, p->entities, count * sizeof *set->ids, is_large(p, sizeof *set->ids));
    set->end += count;
    return write_positions(p, at);
}

static covey_result place_in_hole(covey__placing *p) {
    covey_sparse_set *set = &p->pool->sparse_set;
    covey_entity e = *p->entities;
    covey_result result = covey__storage_reach(p->pool, e.index);
    if (result != COVEY_OK) return result;
    uint32_t at = covey__set_place(set, e, false);
    p->placed = 1;
    p->in_hole = true;
    return write_positions(p, at);
}

static covey_result claim_all(covey__placing *p) {
    covey_pool *pool = p->pool;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < p->count && result == COVEY_OK; i++) {
        covey_entity e = p->entities[i];
        if (!covey_alive(pool->world, e)) result = COVEY_ERROR_DEAD;
        else result = covey__storage_reach(pool, e.index);
    }
    if (result == COVEY_OK) result = covey__set_claim(&pool->sparse_set, p->entities, p->count);
    p->is_claimed = result == COVEY_OK;
    return result;
}

covey_result covey__place_claimed(covey__placing *p) {
    covey_sparse_set *set = &p->pool->sparse_set;
    const pattern none = { .is_made = false };
    p->values = covey__set_resolve(set, &p->source);
    while (p->placed < p->count) {
        uint32_t at = covey__set_place(set, p->entities[p->placed++], true);
        if (!write_values(p, &none, covey__value_at(set, at, set->size), 1)) return COVEY_ERROR_COPY;
    }
    return COVEY_OK;
}

/* ---- Either ------------------------------------------------------------------------------------------------------*/

static covey_result place_all(covey__placing *p) {
    covey_pool *pool = p->pool;
    if (covey__is_reactive(pool)) return place_marks(p);
    if (covey__in_blocks(pool)) return place_in_blocks(p);
    if (pool->sparse_set.dead != 0) return claim_all(p);
    bool into_hole = p->fills_hole && pool->sparse_set.hole != COVEY_NONE;
    return into_hole ? place_in_hole(p) : append_to_set(p);
}

covey_result covey__place_many(covey__placing *p) {
    covey_result result = place_all(p);
    if (is_large(p, sizeof(covey_entity)) || is_large(p, p->pool->size)) covey__end_lines();
    return result;
}

/* Undoes one placement: an element that was dead is dead again. */
static void erase_placed(const covey__placing *p, covey_entity e) {
    if (p->in_hole || p->is_claimed) covey_sparse_set_erase(&p->pool->sparse_set, e);
    else covey__storage_erase_placed(p->pool, e);
}

/* Moves the last value back to the program, or drops it if a hook has made it. */
static void return_value(covey__placing *p) {
    covey_pool *pool = p->pool;
    covey_entity e = p->entities[--p->made];
    if (is_moved(p)) {
        char *to = (char *)(uintptr_t)p->values + p->made * p->stride;
        covey__relocate(covey__storage_mover(pool), to, covey__value_of_index(pool, e.index), pool->size);
    } else if (p->copies) {
        covey__pool_drop(pool, e);
    }
}

/* Erases places without values first, because erasing one with a value may move others. In a set, they are the last. */
void covey__erase_placed_many(covey__placing *p) {
    covey_pool *pool = p->pool;
    if (p->is_claimed) covey__set_release(&pool->sparse_set, p->entities + p->placed, p->count - p->placed);
    if (covey__in_blocks(pool)) {
        erase_blanks(p, p->made, p->placed);
        p->placed = p->made;
    }
    for (; p->placed != 0; p->placed--) {
        if (p->made == p->placed) return_value(p);
        erase_placed(p, p->entities[p->placed - 1]);
    }
    p->is_claimed = p->in_hole = false;
    covey__pool_moved(pool, false); /* growing may have moved the other values */
}
