/* The hot path: entities and components. Not API.
 *
 * It is in a header so that calls are inlined with the size of a value as a constant. */
#ifndef COVEY_DETAIL_HOT_H
#define COVEY_DETAIL_HOT_H

#ifdef __cplusplus
extern "C" {
#endif

COVEY_API covey_entity covey__create_slowly(covey_world *world);
COVEY_API bool covey__destroy_slowly(covey_world *world, uint32_t index, uint32_t generation);
/* Pure, although it remembers unknown types: that changes no result. */
COVEY_API COVEY__PURE covey_pool *covey__pool_search(const covey_world *world, const covey_type *type);
/* These take a handle as a word, as lookups of sparse sets do: COVEY__SLOT(index, generation). */
COVEY_API COVEY__PURE void *covey__get_slowly(const covey_world *world, covey__slot handle, const covey_type *type);
COVEY_API COVEY__PURE bool covey__has_slowly(const covey_world *world, covey__slot handle, const covey_type *type);
/* These take a handle in two parts: see covey/detail/compiler.h. */
COVEY_API covey_pool *covey__pool_meet(covey_world *world, uint32_t index, uint32_t generation, const covey_type *type);
COVEY_API void *covey__pool_place_slowly(covey_pool *pool, uint32_t index, uint32_t generation);
/* Jumps to pool->place and pool->erase: a call through a pointer, inline, would slow down loops that do not make it. */
COVEY_API void *covey__group_place(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void covey__group_erase(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_add_slowly(covey_pool *pool, uint32_t index, uint32_t generation, const void *value);
COVEY_API void *covey__pool_add_default(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_set_default(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_settle(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_overwrite(covey_pool *pool, uint32_t index, uint32_t generation, const void *value);
COVEY_API void covey__pool_mark_set(covey_pool *pool, uint32_t index);
COVEY_API void *covey__pool_renew(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_renewed(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void covey__pool_remove_slowly(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API uint32_t covey__block_next(const covey__block_store *blocks, uint32_t index);
COVEY_API void covey__contract_broken(const covey_world *world, const char *what, const char *file, int line);
/* The same; puts the name of the function before the text, if it is public. */
COVEY_API void covey__contract_of(const char *function, const covey_world *world, const char *what, const char *file,
                                  int line);
COVEY_API bool covey__refuse_in_hook(covey_world *world, const char *file, int line); /* true */
/* Only if the world has a guard. */
COVEY_API void covey__check_use(const covey_world *world, const covey_type *type, covey__access access,
                                const char *file, int line);
COVEY_API covey_pool *covey__typed(const covey_pool *pool, const covey_type *type, const char *file, int line);
COVEY_API void covey__refuse_arrays(const covey_pool *pool, const char *file, int line);
COVEY_API void covey__changed(const covey_world *world);

/* The slot of an index that the table covers. */
COVEY_HOT covey__slot *covey__slot_in(const uintptr_t *pages, uint32_t index) {
    return (covey__slot *)(pages[index / COVEY_PAGE_SIZE] + index * sizeof(covey__slot));
}

COVEY_INLINE covey__slot *covey__slot_of(const covey_sparse_set *set, uint32_t index) {
    return covey__slot_in(set->pages, index);
}

/* The position of a handle, or a number that is larger than any position. */
COVEY_HOT uint64_t covey__position_in(const uintptr_t *pages, uint32_t page_count, covey_entity e) {
    covey__slot handle = covey__word(e); /* one load of both */
    uint32_t index = covey__slot_position(handle);
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < page_count)) return UINT64_MAX;
    return *covey__slot_in(pages, index) ^ handle ^ index;
}

COVEY_INLINE uint64_t covey__position(const covey_sparse_set *set, covey_entity e) {
    return covey__position_in(set->pages, set->page_count, e);
}

COVEY_INLINE void *covey__value_at(const covey_sparse_set *set, size_t position, size_t size) {
    if (set->paged) return ((char **)set->data)[position / COVEY_PAGE_SIZE] + (position % COVEY_PAGE_SIZE) * size;
    return (char *)set->data + position * size;
}

/* memcpy, without a call for small sizes that are only known at run time. */
COVEY_HOT void covey__copy(void *to, const void *from, size_t size) {
    switch (size) {
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    case 12: memcpy(to, from, 12); return;
    case 16: memcpy(to, from, 16); return;
    default: memcpy(to, from, size); return;
    }
}

/* Not covey__copy: gcc 12 checks all its cases, and warns that a literal of four bytes does not have sixteen. */
COVEY_HOT void covey__fill(void *to, const void *value, size_t size) {
    if (value) memcpy(to, value, size);
    else memset(to, 0, size);
}

COVEY_HOT uint32_t covey__type_hash(const covey_world *world, const covey_type *type) {
    return (uint32_t)((uint64_t)(uintptr_t)type * world->type_multiplier >> 32);
}

/* The entry where the search for a type begins. */
COVEY_HOT covey__type_entry *covey__type_entry_of(const covey_world *world, const covey_type *type) {
    return &world->types[covey__type_hash(world, type) & world->type_mask];
}

/* The pool of a type for reading, or NULL if the world does not know the type. */
COVEY_HOT covey_pool *covey__pool_known(const covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    if (!COVEY__LIKELY(entry->type == type)) return covey__pool_search(world, type);
    COVEY__ASSUME(entry->pool != NULL);
    return entry->pool;
}

/* The pool of a type for adding to e; if e is alive, the world learns the type here. */
COVEY_HOT covey_pool *covey__pool_to_change(covey_world *world, covey_entity e, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    if (!COVEY__LIKELY(entry->type == type))
        return covey__pool_meet(world, covey__index(e), covey__generation(e), type);
    COVEY__ASSUME(entry->pool != NULL);
    return entry->pool;
}

/* The generation of an index that the world's table covers. */
COVEY_HOT uint32_t covey__generation_of(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE];
}

/* Whether the handle has the generation of its index, which the world's table covers, and is alive. */
COVEY_HOT bool covey__is_current(const covey_world *world, covey_entity e) {
    uint32_t generation = covey__generation(e);
    return covey__generation_of(world, covey__index(e)) == generation && (generation & 1) != 0;
}

COVEY_HOT bool covey_alive(const covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return covey__index(e) / COVEY_PAGE_SIZE < world->page_count && covey__is_current(world, e);
}

/* The number of the lowest bit that is set; there must be one. */
COVEY_HOT uint32_t covey__lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits) & 63;
#else
    uint32_t number = 0;
    while ((bits >> number & 1) == 0) number++;
    return number;
#endif
}

/* The bit of an index in its word of the table. */
COVEY_HOT uint64_t covey__table_bit(uint32_t index) { return (uint64_t)1 << index % COVEY__TABLE_WORD; }

/* The free indices of the word of a cursor. */
COVEY_HOT uint64_t covey__cursor_ready(const covey__cursor *cursor) { return *cursor->free & cursor->issues; }

/* Takes the lowest of the free indices of a cursor for an entity; there must be one. */
COVEY_HOT covey_entity covey__cursor_take(covey_world *world, const covey__cursor *cursor, uint64_t ready) {
    uint32_t bit = covey__lowest_bit(ready);
    covey_entity e = covey__entity(cursor->at + bit, ++cursor->generations[bit]);
    *cursor->free ^= ready & (~ready + 1);
    world->alive++;
    return e;
}

/* Creates an entity in this way, if there is no listener. */
COVEY_HOT covey_entity covey__cursor_create(covey_world *world, const covey__cursor *cursor, uint64_t ready) {
    covey_entity e = covey__cursor_take(world, cursor, ready);
    COVEY__CHANGED(world);
    return e;
}

COVEY_HOT covey_entity covey_create(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return covey__entity(0, 0);
    uint64_t ready = covey__cursor_ready(&world->range.cursor);
    if (!COVEY__LIKELY(ready != 0 && !world->listeners)) return covey__create_slowly(world);
    return covey__cursor_create(world, &world->range.cursor, ready);
}

/* Removes an entity from all pools if that is one bit of a mask in each. Otherwise false; what was done may be
 * repeated. */
COVEY_HOT bool covey__erase_next(covey__emptying *emptying, uint32_t index) {
    uint64_t bit = (uint64_t)1 << index % COVEY__BLOCK_IDS;
    for (uint32_t i = 0; i < emptying->count; i++) {
        uint64_t mask = *emptying->masks[i], left = mask & ~bit;
        if (!COVEY__LIKELY(left != 0 && mask != UINT64_MAX)) return false; /* the block is no longer full */
        *emptying->masks[i] = left;
        emptying->pools[i]->block_store.count -= (uint32_t)((left - mask) >> 63); /* 1 if the bit was set */
        if (left != mask) COVEY__TRACE(emptying->pools[i]->world, emptying->pools[i]->removed, index);
    }
    return true;
}

COVEY_HOT bool covey_destroy(covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey__emptying *emptying = &world->emptying;
    if (COVEY__IN_HOOK(world)) return false;
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (!COVEY__LIKELY(emptying->block == index / COVEY__BLOCK_IDS && emptying->moves == world->moves))
        return covey__destroy_slowly(world, index, generation);
    covey__entity_page *page = emptying->page;
    uint64_t free = page->free[index % COVEY_PAGE_SIZE / 64] | covey__table_bit(index);
    if (!COVEY__LIKELY(page->generation[index % COVEY_PAGE_SIZE] == generation)) return false;
    if (!COVEY__LIKELY((generation & 1) != 0 && generation != COVEY_GENERATION_MAX && free != UINT64_MAX &&
                       covey__erase_next(emptying, index)))
        return covey__destroy_slowly(world, index, generation);
    page->generation[index % COVEY_PAGE_SIZE] = generation + 1;
    world->alive--;
    COVEY__TRACE(world, world->destroyed, index);
    page->free[index % COVEY_PAGE_SIZE / 64] = free;
    COVEY__CHANGED(world);
    return true;
}

/* ---- Sparse sets -----------------------------------------------------------------------------------------------*/

COVEY_INLINE bool covey__is_hole(const covey_sparse_set *set, uint32_t position) {
    return set->marks ? set->marks[position / 64] >> position % 64 & 1 : set->ids[position].generation == 0;
}

COVEY_INLINE uint32_t covey__next_live(const covey_sparse_set *set, uint32_t position) {
    while (position < set->end && set->holes != 0 && covey__is_hole(set, position)) position++;
    return position < set->end ? position : COVEY_NONE;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

COVEY_INLINE bool covey__in_blocks(const covey_pool *pool) { return pool->storage != COVEY_STORAGE_SPARSE; }

COVEY_INLINE uint32_t covey__block_of(uint32_t index) { return index / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS; }

/* The page of an index that the directory covers. */
COVEY_INLINE covey__block_page *covey__block_page_of(const covey__block_store *blocks, uint32_t index) {
    return blocks->pages[index / COVEY__BLOCK_PAGE];
}

/* Whether an index has a component; if the entity is alive, it is that entity's. */
COVEY_HOT bool covey__block_has(const covey__block_store *blocks, uint32_t index) {
    if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
    return covey__block_page_of(blocks, index)->masks[covey__block_of(index)] >> index % COVEY__BLOCK_IDS & 1;
}

/* The value of an index that has a component. */
COVEY_HOT void *covey__block_value(const covey__block_store *blocks, uint32_t index, size_t size) {
    const covey__block_page *page = covey__block_page_of(blocks, index);
    const covey__chunk *chunk = &page->chunks[covey__block_of(index)];
    return chunk->data + chunk->map[index % COVEY__BLOCK_IDS] * size;
}

/* Takes a slot in a block that has a free one, or returns NULL. The directory covers the index. */
COVEY_HOT void *covey__block_append(covey__block_store *blocks, uint32_t index, size_t size) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), bit = index % COVEY__BLOCK_IDS, slot = bit,
             capacity = page->capacity[block];
    uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << bit;
    char *data = page->chunks[block].data;
    if (mask == with) return NULL;
    if (!COVEY__LIKELY(capacity == COVEY__BLOCK_IDS)) {
        slot = page->used[block];
        if (slot == capacity) return NULL;
        uint8_t *ids = (uint8_t *)data + capacity * size;
        ids[slot] = (uint8_t)bit;
        (ids + capacity)[bit] = (uint8_t)slot;
        page->used[block] = (uint8_t)(slot + 1);
        page->ordered &= ~((uint64_t)(mask >> bit != 0) << block);
    } else if (!COVEY__LIKELY(with != UINT64_MAX)) {
        page->full |= (uint64_t)1 << block;
    }
    page->masks[block] = with;
    blocks->count++;
    char *value = data + slot * size;
    COVEY__ASSUME(value != NULL);
    return value;
}

/* Erases the slot of an index that has a component; `left` is the mask that remains, which is not empty. */
COVEY_HOT void covey__block_erase_slot(covey__block_store *blocks, covey__block_page *page, uint32_t index,
                                       uint64_t left, size_t size) {
    uint32_t block = covey__block_of(index), bit = index % COVEY__BLOCK_IDS, capacity = page->capacity[block];
    page->masks[block] = left;
    blocks->count--;
    if (capacity == COVEY__BLOCK_IDS) {
        if (!COVEY__LIKELY((left | (uint64_t)1 << bit) != UINT64_MAX)) page->full &= ~((uint64_t)1 << block);
        return;
    }
    char *data = page->chunks[block].data;
    uint32_t last = page->used[block] - 1u;
    uint8_t *ids = (uint8_t *)data + capacity * size, *map = ids + capacity;
    uint8_t slot = map[bit], moved = ids[last];
    ids[slot] = moved;
    map[moved] = slot;
    page->used[block] = (uint8_t)last;
    if (slot == last) return;
    page->ordered &= ~((uint64_t)1 << block);
    ++*blocks->shifts;
    covey__copy(data + slot * size, data + last * size, size);
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

/* The same as covey__pool_append, for the block that is being filled. */
COVEY_HOT void *covey__pool_fill(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    const covey__filling *filling = &pool->filling;
    uint64_t mask = *filling->mask, with = mask | (uint64_t)1 << index % COVEY__BLOCK_IDS;
    if (!COVEY__LIKELY(filling->generations[index % COVEY__BLOCK_IDS] == generation && (generation & 1) != 0))
        return NULL;
    if (!COVEY__LIKELY(mask != with)) return NULL;
    *filling->mask = with;
    pool->block_store.count++;
    COVEY__TRACE(pool->world, pool->added, index);
    COVEY__CHANGED(pool->world);
    char *value = filling->data + index % COVEY__BLOCK_IDS * size;
    COVEY__ASSUME(value != NULL);
    return value;
}

/* Appends an element without a value, or returns NULL if that needs more than the inline code does. */
COVEY_HOT void *covey__pool_append(covey_pool *pool, covey_entity e, size_t size) {
    covey_sparse_set *set = &pool->sparse_set;
#if !COVEY__NARROW
    COVEY__HIDE(e.generation);
#endif
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (index / COVEY__BLOCK_IDS == pool->filling.block) return covey__pool_fill(pool, e, size);
    if (covey__in_blocks(pool)) {
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < pool->block_store.page_count && !pool->observers)) return NULL;
        if (!COVEY__LIKELY(covey__is_current(pool->world, e) && !pool->world->dying)) return NULL;
        void *to = covey__block_append(&pool->block_store, index, size);
        if (to) COVEY__TRACE(pool->world, pool->added, index);
        COVEY__CHANGED(pool->world);
        return to;
    }
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < set->page_count && set->end < set->room)) return NULL;
    /* If the pool has a page for an index, the world has one, too. */
    covey__slot *slot = covey__slot_of(set, index);
    if (!COVEY__LIKELY(*slot == COVEY__SLOT_NULL && !pool->world->dying)) return NULL;
    if (!COVEY__LIKELY(covey__is_current(pool->world, e))) return NULL;
    size_t at = set->end++;
    *slot = COVEY__SLOT(at, generation);
    set->ids[at] = e;
    COVEY__TRACE(pool->world, pool->added, index);
    COVEY__CHANGED(pool->world);
    return (char *)set->data + at * size;
}

/* Whether there is no value, and the default is not zero bytes. */
COVEY_HOT bool covey__wants_default(const covey_pool *pool, const void *value, size_t size) {
    return size != 0 && !value && pool->type->defaults;
}

/* A literal is never inside the pool, so it stays valid when the pool grows. Its address does not escape, so its fields
 * stay in registers until they are stored in place. */
COVEY_HOT void *covey__pool_add(covey_pool *pool, covey_entity e, const void *value, size_t size, bool literal) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    if (COVEY__IN_HOOK(pool->world)) return NULL;
    if (!literal && covey__wants_default(pool, value, size)) return covey__pool_add_default(pool, index, generation);
    void *to = covey__pool_append(pool, e, size);
    if (!COVEY__LIKELY(to != NULL)) {
        if (!literal) return covey__pool_add_slowly(pool, index, generation, value);
        to = pool->adding == COVEY__ADD_TO_GROUP ? covey__group_place(pool, index, generation)
                                                 : covey__pool_place_slowly(pool, index, generation);
        if (!to) return NULL;
        if (pool->adding == COVEY__ADD_AND_SETTLE) {
            covey__fill_literal(to, value, size);
            return covey__pool_settle(pool, index, generation);
        }
    }
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    return to;
}

COVEY_HOT void *covey_pool_add_raw(covey_pool *pool, covey_entity e, const void *value) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_add(pool, e, value, pool->size, false);
}

/* What a lookup needs from a pool. It is read before any branch, so that a loop of lookups keeps it in registers. */
typedef struct covey__lookup {
    const covey_pool *pool;
    const uintptr_t *pages;
    char *data;
    uint32_t page_count, end, flat_end;
    covey__entity_page *const *entities;
    uint8_t storage;
} covey__lookup;

COVEY_HOT covey__lookup covey__lookup_in(const covey_world *world, const covey_pool *pool) {
    covey__lookup lookup;
    lookup.pool = pool;
    lookup.pages = pool->sparse_set.pages;
    lookup.data = (char *)pool->sparse_set.data;
    lookup.page_count = pool->sparse_set.page_count;
    lookup.end = pool->sparse_set.end;
    lookup.flat_end = pool->sparse_set.paged ? 0 : lookup.end;
    lookup.entities = world->pages;
    lookup.storage = pool->storage;
    return lookup;
}

/* Whether a block has a component of the entity. There is no branch on the parts of the answer, because which entities
 * have a component is often random. An entity with a component is alive. */
COVEY_HOT bool covey__lookup_block(const covey__lookup *lookup, covey_entity e) {
    uint32_t index = covey__index(e);
    const covey__block_store *blocks = &lookup->pool->block_store;
    if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
    uint64_t there = covey__block_page_of(blocks, index)->masks[covey__block_of(index)] >> index % COVEY__BLOCK_IDS;
    uint32_t generation = lookup->entities[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE];
    return (bool)(there & (generation == covey__generation(e)));
}

/* The same for a value: the caller branches on whether there is one, so the parts are separate branches, which take
 * fewer instructions. The map is read for direct blocks, too: a branch would be mispredicted in mixed pools. */
COVEY_HOT void *covey__lookup_block_value(const covey__lookup *lookup, covey_entity e, size_t size) {
    uint32_t index = covey__index(e), at = index % COVEY_PAGE_SIZE;
    const covey__block_store *blocks = &lookup->pool->block_store;
    if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return NULL;
    if (!COVEY__LIKELY(lookup->entities[index / COVEY_PAGE_SIZE]->generation[at] == covey__generation(e))) return NULL;
    uint64_t mask = covey__block_page_of(blocks, index)->masks[covey__block_of(index)];
    if (!COVEY__LIKELY(mask >> index % COVEY__BLOCK_IDS & 1)) return NULL;
    void *value = covey__block_value(blocks, index, size);
    COVEY__ASSUME(value != NULL);
    return value;
}

COVEY_HOT void *covey__lookup_get(const covey__lookup *lookup, covey_entity e, size_t size) {
    if (lookup->storage != COVEY_STORAGE_SPARSE) return covey__lookup_block_value(lookup, e, size);
    uint64_t at = covey__position_in(lookup->pages, lookup->page_count, e);
    if (!COVEY__LIKELY(at < lookup->flat_end))
        return at < lookup->pool->sparse_set.end ? covey__value_at(&lookup->pool->sparse_set, (size_t)at, size) : NULL;
    void *value = lookup->data + (size_t)at * size;
    COVEY__ASSUME(value != NULL);
    return value;
}

COVEY_HOT bool covey__lookup_has(const covey__lookup *lookup, covey_entity e) {
    if (lookup->storage != COVEY_STORAGE_SPARSE) return covey__lookup_block(lookup, e);
    uint64_t at = covey__position_in(lookup->pages, lookup->page_count, e);
    COVEY__HIDE(at);
    return at < lookup->end;
}

COVEY_HOT void *covey__pool_get(const covey_pool *pool, covey_entity e, size_t size) {
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    return covey__lookup_get(&lookup, e, size);
}

COVEY_HOT void *covey__pool_get_sized(const covey_pool *pool, covey_entity e, size_t size) {
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__pool_get(pool, e, size);
}

COVEY_HOT void *covey_pool_get_raw(const covey_pool *pool, covey_entity e) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_get_sized(pool, e, pool->size);
}

COVEY_HOT void *covey__pool_get_unchecked_sized(const covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e);
    const covey_sparse_set *set = &pool->sparse_set;
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    COVEY__COSTLY_CONTRACT(pool->world, covey_pool_has(pool, e), "an unchecked get needs a component that is present");
    if (covey__in_blocks(pool)) return covey__block_value(&pool->block_store, index, size);
    return covey__value_at(set, covey__slot_position(*covey__slot_of(set, index)), size);
}

COVEY_HOT void *covey_pool_get_unchecked_raw(const covey_pool *pool, covey_entity e) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_get_unchecked_sized(pool, e, pool->size);
}

COVEY_HOT bool covey_pool_has(const covey_pool *pool, covey_entity e) {
    COVEY__NEEDS_POOL(pool);
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    return covey__lookup_has(&lookup, e);
}

COVEY_HOT void *covey__pool_set(covey_pool *pool, covey_entity e, const void *value, size_t size, bool literal) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_WRITE);
    void *to = covey__pool_get(pool, e, size);
    if (!literal && covey__wants_default(pool, value, size)) return covey__pool_set_default(pool, index, generation);
    if (!to) return covey__pool_add(pool, e, value, size, literal);
    if (!COVEY__LIKELY((pool->uses & COVEY__USE_SLOW_SET) == 0)) {
        if (literal && (pool->uses & COVEY__USE_MARK_ON_SET) != 0) {
            covey__fill_literal(to, value, size);
            covey__pool_mark_set(pool, index);
            return to;
        }
        if (!literal) return covey__pool_overwrite(pool, index, generation, value);
        to = covey__pool_renew(pool, index, generation);
        if (!to) return NULL;
        covey__fill_literal(to, value, size);
        return covey__pool_renewed(pool, index, generation);
    }
    if (!literal && to == value) return to;
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    return to;
}

COVEY_HOT void *covey_pool_set_raw(covey_pool *pool, covey_entity e, const void *value) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_set(pool, e, value, pool->size, false);
}

/* Removes a component and drops its value; false if it is absent. In a block pool, the entity is alive or was until
 * now, so what is at its index belongs to it. */
COVEY_HOT bool covey__pool_remove(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (covey__in_blocks(pool)) {
        covey__block_store *blocks = &pool->block_store;
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
        covey__block_page *page = covey__block_page_of(blocks, index);
        uint64_t mask = page->masks[covey__block_of(index)], left = mask & ~((uint64_t)1 << index % COVEY__BLOCK_IDS);
        if (left == mask) return false;
        COVEY__TRACE(pool->world, pool->removed, index);
        if (COVEY__LIKELY(left != 0 && pool->plain)) covey__block_erase_slot(blocks, page, index, left, size);
        else covey__pool_remove_slowly(pool, index, generation);
        return true;
    }
    covey_sparse_set *set = &pool->sparse_set;
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < set->page_count)) return false;
    covey__slot *slot = covey__slot_of(set, index);
    covey__slot found = *slot ^ COVEY__SLOT(0, generation);
    if (found >= set->end) return false;
    COVEY__TRACE(pool->world, pool->removed, index);
    size_t at = (size_t)found;
    if (COVEY__LIKELY(set->removal == COVEY__REMOVE_SWAPPING)) {
        size_t last = --set->end;
        ++*set->shifts;
        if (at != last) {
            covey_entity moved = set->ids[last];
            set->ids[at] = moved;
            *covey__slot_of(set, covey__index(moved)) = COVEY__SLOT(at, covey__generation(moved));
            covey__copy((char *)set->data + at * size, (char *)set->data + last * size, size);
        }
    } else if (set->removal == COVEY__REMOVE_MARKING) {
        set->marks[at / 64] |= (uint64_t)1 << at % 64;
        set->holes++;
        ++*set->shifts;
    } else {
        bool grouped = set->removal == COVEY__REMOVE_GROUPED;
        if (grouped) covey__group_erase(pool, index, generation);
        else covey__pool_remove_slowly(pool, index, generation);
        return true;
    }
    *slot = COVEY__SLOT_NULL;
    return true;
}

COVEY_HOT bool covey__pool_remove_sized(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e);
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    if (COVEY__IN_HOOK(pool->world)) return false;
    if (covey__in_blocks(pool)) { /* if the index has one, its generation is alive */
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < pool->block_store.page_count)) return false;
        if (!COVEY__LIKELY(covey__generation_of(pool->world, index) == covey__generation(e))) return false;
    }
    bool removed = covey__pool_remove(pool, e, size);
    COVEY__CHANGED(pool->world);
    return removed;
}

COVEY_HOT bool covey_pool_remove_raw(covey_pool *pool, covey_entity e) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_remove_sized(pool, e, pool->size);
}

COVEY_INLINE uint32_t covey_pool_count(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    return covey__in_blocks(pool) ? pool->block_store.count : pool->sparse_set.end - pool->sparse_set.holes;
}
COVEY_INLINE uint32_t covey_pool_position_count(const covey_pool *pool) {
    return covey__in_blocks(pool) ? 0 : pool->sparse_set.end;
}
COVEY_INLINE const covey_entity *covey_pool_ids(const covey_pool *pool) {
    return covey__in_blocks(pool) ? NULL : pool->sparse_set.ids;
}
COVEY_INLINE void *covey_pool_values_raw(const covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__in_blocks(pool) || pool->sparse_set.paged ? NULL : pool->sparse_set.data;
}

COVEY_HOT void *covey__add(covey_world *world, covey_entity e, const covey_type *type, const void *value, size_t size,
                           bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    return pool ? covey__pool_add(pool, e, value, size, literal) : NULL;
}

COVEY_HOT bool covey__add_tag(covey_world *world, covey_entity e, const covey_type *type) {
    return covey__add(world, e, type, NULL, 0, false) != NULL;
}

COVEY_INLINE bool covey__resource_set_tag(covey_world *world, const covey_type *type) {
    return covey_resource_set_raw(world, type, NULL) != NULL;
}

COVEY_HOT void *covey_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return covey__add(world, e, type, value, type->size, false);
}

COVEY_HOT void *covey__set(covey_world *world, covey_entity e, const covey_type *type, const void *value, size_t size,
                           bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    return pool ? covey__pool_set(pool, e, value, size, literal) : NULL;
}

COVEY_INLINE bool covey__set_tag(covey_world *world, covey_entity e, const covey_type *type) {
    return covey__set(world, e, type, NULL, 0, false) != NULL;
}

COVEY_HOT void *covey_set_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return covey__set(world, e, type, value, type->size, false);
}

COVEY_HOT void *covey__get_sized(const covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    COVEY__USES(world, type, COVEY__ACCESS_READ);
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    covey__lookup lookup = covey__lookup_in(world, entry->pool); /* the pool may be of another type, or empty */
    if (!COVEY__LIKELY(entry->type == type)) return covey__get_slowly(world, covey__word(e), type);
    COVEY__CONTRACT(world, size == entry->pool->size, "the size is not that of the pool's values");
    return covey__lookup_get(&lookup, e, size);
}

/* The value of an entity that is alive. */
COVEY_HOT void *covey__pool_get_living(const covey_pool *pool, covey_entity e, size_t size) {
    const covey_sparse_set *set = &pool->sparse_set;
    void *value;
    if (covey__in_blocks(pool)) {
        if (!COVEY__LIKELY(covey__block_has(&pool->block_store, covey__index(e)))) return NULL;
        value = covey__block_value(&pool->block_store, covey__index(e), size);
    } else {
        uint64_t at = covey__position(set, e);
        if (!COVEY__LIKELY(at < set->end)) return NULL;
        value = covey__value_at(set, (size_t)at, size);
    }
    COVEY__ASSUME(value != NULL);
    return value;
}

COVEY_HOT bool covey__get_none(const covey__destination *destinations, size_t count) {
    void *none = NULL;
    COVEY__UNROLL
    for (size_t i = 0; i < count; i++) memcpy(destinations[i].to, &none, sizeof none);
    return false;
}

/* The pools are read before any branch, so that a loop of calls keeps them in registers. */
COVEY_HOT bool covey__get_all(const covey_world *world, covey_entity e, const covey__destination *destinations,
                              size_t count) {
    const covey_pool *pools[COVEY_TERMS];
    size_t first = count <= COVEY_TERMS ? count : 0; /* more than that are searched for one by one */
    bool known = first == count;
    COVEY__UNROLL
    for (size_t i = 0; i < first; i++) {
        const covey__type_entry *entry = covey__type_entry_of(world, destinations[i].type);
        COVEY__USES(world, destinations[i].type, COVEY__ACCESS_READ);
        pools[i] = entry->pool;
        known &= entry->type == destinations[i].type;
    }
    if (!COVEY__LIKELY(covey_alive(world, e))) return covey__get_none(destinations, count);
    COVEY__UNROLL
    for (size_t i = 0; i < count; i++) {
        void *value = COVEY__LIKELY(known) ? covey__pool_get_living(pools[i], e, destinations[i].size)
                                           : covey__get_slowly(world, covey__word(e), destinations[i].type);
        if (!COVEY__LIKELY(value != NULL)) return covey__get_none(destinations, count);
        memcpy(destinations[i].to, &value, sizeof value);
    }
    return true;
}

COVEY_HOT void *covey__get_or_add(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                                  size_t size, bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    if (pool) COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    void *found = pool ? covey__pool_get(pool, e, size) : NULL;
    return found || !pool ? found : covey__pool_add(pool, e, value, size, literal);
}

COVEY_HOT void *covey_get_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return covey__get_or_add(world, e, type, value, type->size, false);
}

COVEY_HOT bool covey_has_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    covey__lookup lookup = covey__lookup_in(world, entry->pool);
    if (!COVEY__LIKELY(entry->type == type)) return covey__has_slowly(world, covey__word(e), type);
    return covey__lookup_has(&lookup, e);
}

COVEY_HOT void *covey_get_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return covey__get_sized(world, e, type, type->size);
}

COVEY_HOT bool covey__remove_sized(covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool && covey__pool_remove_sized(pool, e, size);
}

COVEY_HOT bool covey_remove_raw(covey_world *world, covey_entity e, const covey_type *type) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool && covey_pool_remove_raw(pool, e);
}

COVEY_INLINE uint32_t covey_pool_next(const covey_pool *pool, uint32_t position) {
    COVEY__NEEDS_POOL(pool);
    if (covey__in_blocks(pool)) return covey__block_next(&pool->block_store, position);
    return covey__next_live(&pool->sparse_set, position);
}

COVEY_INLINE void *covey__pool_value_at(const covey_pool *pool, uint32_t position, size_t size) {
    COVEY__COSTLY_CONTRACT(pool->world, covey_pool_next(pool, position) == position,
                           "no component is at this position");
    if (covey__in_blocks(pool)) return covey__block_value(&pool->block_store, position, size);
    return covey__value_at(&pool->sparse_set, position, size);
}

COVEY_INLINE void *covey__pool_value_at_sized(const covey_pool *pool, uint32_t position, size_t size) {
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__pool_value_at(pool, position, size);
}

COVEY_INLINE void *covey_pool_value_at_raw(const covey_pool *pool, uint32_t position) {
    COVEY__NEEDS_POOL(pool);
    return covey__pool_value_at_sized(pool, position, pool->size);
}

/* Whether these are the types of a row, with values that are stored as they are. */
COVEY_HOT bool covey__row_lists(const covey__row *row, const covey_component *components, uint32_t count) {
    if (row->inlined != count) return false;
    COVEY__UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const covey_component *c = &components[i];
        const covey_pool *pool = row->columns[i].pool;
        if (row->columns[i].type != c->type || c->value || c->count > 1) return false;
        if (c->size == 0 && pool->size != 0) return false; /* 0 means the size of the type */
        COVEY__CONTRACT(pool->world, c->size == pool->size, "the size is not that of the type");
        if (covey__wants_default(pool, c->values, c->size)) return false;
    }
    return true;
}

/* Whether a component can be appended to a column. */
COVEY_HOT bool covey__row_fits(const covey__row_column *column) {
    const covey_sparse_set *set = &column->pool->sparse_set;
    return column->mask || COVEY__LIKELY(set->end < set->row_room && set->end == *column->end);
}

/* Appends it for the entity with this number in its word. */
COVEY_HOT void *covey__row_append(const covey__row_column *column, covey_entity e, size_t number, size_t size) {
    covey_pool *pool = column->pool;
    covey_sparse_set *set = &pool->sparse_set;
    COVEY__TRACE(pool->world, pool->added, covey__index(e));
    if (column->mask) {
        *column->mask |= (uint64_t)1 << number;
        pool->block_store.count++;
        return column->data + number * size;
    }
    size_t at = set->end++;
    column->slots[number] = COVEY__SLOT(at, covey__generation(e));
    set->ids[at] = e;
    return (char *)set->data + at * size;
}

COVEY_HOT void covey__row_join(covey_world *world, const covey__row_group *group) {
    ++*group->count;
#if COVEY_ASSERT_LEVEL >= 1
    ++*group->joined;
    world->changes++;
#else
    (void)world;
#endif
}

/* Creates an entity with a row; false if that takes more. */
COVEY_HOT bool covey__create_row(covey_world *world, const covey_component *components, uint32_t count,
                                 covey_entity *e) {
    const covey__row *row = &world->row;
    if (!COVEY__LIKELY(covey__row_lists(row, components, count) && row->moves == world->moves)) return false;
    uint64_t ready = *row->free;
    if (!COVEY__LIKELY(ready != 0)) return false;
    COVEY__UNROLL
    for (uint32_t i = 0; i < count; i++)
        if (!COVEY__LIKELY(covey__row_fits(&row->columns[i]))) return false;
    uint32_t number = covey__lowest_bit(ready);
    *e = covey__entity(row->first + number, ++row->generations[number]);
    *row->free = ready & (ready - 1);
    world->alive++;
    COVEY__UNROLL
    for (uint32_t i = 0; i < count; i++) {
        void *to = covey__row_append(&row->columns[i], *e, number, components[i].size);
        if (components[i].values) covey__fill_literal(to, components[i].values, components[i].size);
        else memset(to, 0, components[i].size);
    }
    for (uint32_t i = 0; i < row->joined; i++) covey__row_join(world, &row->groups[i]);
    COVEY__CHANGED(world);
    return true;
}

/* The list is copied twice, so that only the rare path needs it in memory. */
COVEY_HOT covey_entity covey__create_with(covey_world *world, const covey_component *components, size_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_component own[COVEY_TERMS], list[COVEY_TERMS + 1];
    if (COVEY__IN_HOOK(world)) return covey__entity(0, 0);
    if (count > COVEY_TERMS) return covey_create_with_raw(world, components);
    COVEY__UNROLL
    for (size_t i = 0; i < count; i++) own[i] = components[i];
    covey_entity e;
    if (COVEY__LIKELY(covey__create_row(world, own, (uint32_t)count, &e))) return e;
    COVEY__UNROLL
    for (size_t i = 0; i < count; i++) list[i] = own[i];
    memset(&list[count], 0, sizeof *list);
    return covey_create_with_raw(world, list);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_HOT_H */
