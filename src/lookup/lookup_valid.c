/* The invariants of lookups: what is filed is what a scan finds. */
#include "lookup/lookup.h"

#include "memory/inner.h"

static bool is_filed_under(const covey_lookup *lookup, uint32_t index, const covey__lookup_key *key) {
    if (lookup->ordered) return covey__sorted_has(&lookup->sorted, index, key);
    uint32_t record = covey__record_of(&lookup->buckets, index);
    return record != COVEY__NO_RECORD && covey__record_has_key(&lookup->buckets, record, key);
}

static bool is_filed(const covey_lookup *lookup, uint32_t index) {
    if (lookup->place.count != 0) return covey__grid_has(&lookup->grid, index);
    if (lookup->ordered) return covey__sorted_is_filed(&lookup->sorted, index);
    return covey__record_of(&lookup->buckets, index) != COVEY__NO_RECORD;
}

static bool has_page(const covey_lookup *lookup, uint32_t index) {
    const covey__pages *pages = lookup->ordered ? &lookup->sorted.filed : &lookup->buckets.filed;
    return covey__page_at(lookup->place.count != 0 ? &lookup->grid.pages : pages, index) != NULL;
}

/* Whether a component is filed as its value says. */
static bool is_filed_right(const covey_lookup *lookup, uint32_t index) {
    const void *value = covey__value_of_index(lookup->pool, index);
    covey__lookup_key key;
    int32_t cell[COVEY__DIMENSIONS];
    if (lookup->place.count == 0)
        return covey__key_of_field(&lookup->field, value, &key) ? is_filed_under(lookup, index, &key)
                                                                : !is_filed(lookup, index);
    return covey__lookup_cell_of(lookup, value, cell) ? covey__is_in_cell(&lookup->grid, index, cell)
                                                      : !is_filed(lookup, index);
}

static bool valid_engine(const covey_lookup *lookup, const char **why) {
    if (lookup->place.count != 0) return covey__grid_valid(&lookup->grid, why);
    return lookup->ordered ? covey__sorted_valid(&lookup->sorted, why) : covey__buckets_valid(&lookup->buckets, why);
}

/* Grids keep no generations. */
static bool has_generation(const covey_lookup *lookup, uint32_t index) {
    const covey__sorted *s = &lookup->sorted;
    uint32_t generation = covey__generation_of(lookup->world, index);
    covey__lookup_key key;
    if (lookup->place.count != 0) return true;
    if (!covey__key_of_field(&lookup->field, covey__value_of_index(lookup->pool, index), &key)) return true;
    if (lookup->ordered)
        return covey__generation(covey__sorted_at(s, covey__sorted_seek(s, &key, index))) == generation;
    return *covey__bucket_from(&lookup->buckets, covey__record_of(&lookup->buckets, index), index).generations ==
           generation;
}

/* Marked components, and those in open rows, may be filed under an old key, or not at all. */
static bool valid_component(const covey_lookup *lookup, uint32_t index, const char **why) {
    REQUIRE(covey__page_at(&lookup->pool->observers->filing->changed, index) && has_page(lookup, index),
            "lookup: there is no memory to file a component");
    bool marked = covey__filing_has(lookup->pool, index);
    REQUIRE(!marked || (lookup->pool->observers->filing->any & (COVEY__MARKED | COVEY__CLEARED)) != 0,
            "lookup: a component is to be filed, and only removals are noted");
    if (marked || covey__filing_is_open(lookup->pool, index)) return true;
    REQUIRE(is_filed_right(lookup, index),
            "lookup: a value was changed, and nothing was told of it: call covey_patch after writing through a "
            "pointer of covey_get");
    REQUIRE(has_generation(lookup, index), "lookup: an entity is filed with an old generation");
    return true;
}

/* Absent components that are still filed, and marked. */
static uint32_t count_removed(const covey_lookup *lookup) {
    const covey__pages *changed = &lookup->pool->observers->filing->changed;
    uint32_t count = 0;
    for (uint32_t page = 0; page < changed->count; page++)
        for (uint32_t i = page * COVEY__BLOCK_PAGE, end = i + COVEY__BLOCK_PAGE; changed->at[page] && i < end; i++)
            count += covey__filing_has(lookup->pool, i) && !covey__has_index(lookup->pool, i) && is_filed(lookup, i);
    return count;
}

static bool valid_contents(const covey_lookup *lookup, const char **why) {
    uint32_t filed = count_removed(lookup);
    REQUIRE(filed == 0 || lookup->pool->observers->filing->some_removed,
            "lookup: an absent component is filed, and it is not noted that there is one");
    for (uint32_t at = covey_pool_next(lookup->pool, 0); at != COVEY_NONE; at = covey_pool_next(lookup->pool, at + 1)) {
        uint32_t index = covey_pool_at(lookup->pool, at).index;
        if (!valid_component(lookup, index, why)) return false;
        filed += is_filed(lookup, index);
    }
    REQUIRE(filed == covey__lookup_filed(lookup), "lookup: an absent component is filed");
    return true;
}

static bool valid_filing(const covey_pool *pool, const char **why) {
    const covey__filing *filing = pool->observers->filing;
    bool any = false;
    for (uint32_t i = 0; i < filing->changed.count; i++) {
        const covey__changed_page *page = filing->changed.at[i];
        for (uint32_t block = 0; page && block < COVEY__PAGE_BLOCKS; block++) {
            REQUIRE(page->ids[block] == 0 || (page->blocks[block] != 0 && filing->pages[i] != 0),
                    "lookup: a component is to be filed, and its block or page is not marked");
            any = any || page->ids[block] != 0;
        }
    }
    REQUIRE(!any || (filing->any & (COVEY__MARKED | COVEY__REMOVED | COVEY__CLEARED)) != 0,
            "lookup: a component is to be filed, and it is not noted that there is one");
    return true;
}

static bool valid_lookup(const covey_lookup *lookup, const char **why) {
    uint32_t capacity = covey__lookup_capacity(lookup);
    const covey__filing *filing = covey__filing_of(lookup->pool);
    REQUIRE(filing && filing->first, "lookup: its pool does not know of it");
    REQUIRE(capacity >= covey_pool_count(lookup->pool) && capacity >= filing->room,
            "lookup: there is no memory to file all components");
    REQUIRE(lookup->when_target_ends == COVEY_TARGET_KEEP || lookup->ending_capacity >= covey_pool_count(lookup->pool),
            "lookup: there is no memory for all targets that may end");
    if (!valid_engine(lookup, why)) return false;
    return valid_filing(lookup->pool, why) && valid_contents(lookup, why);
}

bool covey__lookups_valid(const covey_world *world, const char **why) {
    uint32_t told = 0, ending = 0;
    for (const covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) {
        told += lookup->when_target_ends != COVEY_TARGET_KEEP;
        ending += lookup->ending_count;
        if (!valid_lookup(lookup, why)) return false;
    }
    REQUIRE(told == world->inner->target_lookups, "lookup: the count of those that are told of targets is wrong");
    REQUIRE(ending == world->inner->ending_targets, "lookup: the count of targets that have ended is wrong");
    return true;
}

size_t covey__lookups_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (const covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world)
        bytes += covey_lookup_memory(lookup);
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey__filing *filing = covey__filing_of(world->pools[i]);
        if (filing) bytes += covey__filing_bytes(filing);
    }
    return bytes;
}
