/* Makes lookups, and keeps them up to date. lookup.h draws how. */
#include "lookup/lookup.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/inner.h"
#include "observe/listeners.h"
#include "observe/signal.h"
#include "storage/shortcut_off.h"

#include <float.h>
#include <stdalign.h>

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static bool reserve_in(covey_lookup *lookup, uint64_t count) {
    covey__heap *heap = &lookup->world->inner->heap;
    if (count > UINT32_MAX / 2) return false;
    if (!covey__targets_reserve(lookup, (uint32_t)count)) return false;
    if (lookup->place.count != 0) return covey__grid_reserve(heap, &lookup->grid, count);
    return lookup->ordered ? covey__sorted_reserve(heap, &lookup->sorted, count)
                           : covey__buckets_reserve(heap, &lookup->buckets, count);
}

static bool reach_in(covey_lookup *lookup, uint32_t index) {
    covey__heap *heap = &lookup->world->inner->heap;
    uint32_t limit = covey__block_limit(lookup->world);
    if (lookup->place.count != 0) return covey__grid_reach(heap, &lookup->grid, index, limit);
    return lookup->ordered ? covey__sorted_reach(heap, &lookup->sorted, index, limit)
                           : covey__buckets_reach(heap, &lookup->buckets, index, limit);
}

static void note_room(covey__filing *filing) {
    filing->room = UINT32_MAX;
    for (const covey_lookup *lookup = filing->first; lookup; lookup = lookup->next) {
        uint32_t capacity = covey__lookup_capacity(lookup);
        filing->room = capacity < filing->room ? capacity : filing->room;
    }
}

static bool reserve(covey_pool *pool, uint64_t count) {
    covey__filing *filing = pool->observers->filing;
    bool reserved = true;
    for (covey_lookup *lookup = count > filing->room ? filing->first : NULL; lookup && reserved; lookup = lookup->next)
        reserved = reserve_in(lookup, count);
    note_room(filing);
    return reserved;
}

static bool reach(covey_pool *pool, uint32_t index) {
    covey__filing *filing = pool->observers->filing;
    if (covey__page_at(&filing->changed, index)) return true; /* lookups have the same pages, and get theirs first */
    for (covey_lookup *lookup = filing->first; lookup; lookup = lookup->next)
        if (!reach_in(lookup, index)) return false;
    return covey__filing_reach(pool->world, filing, index);
}

static covey_result prepare(covey_pool *pool, const covey_entity *entities, uint32_t count) {
    if (!reserve(pool, (uint64_t)covey_pool_count(pool) + count)) return COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        bool reached = i != 0 && entities[i].index / COVEY__BLOCK_PAGE == entities[i - 1].index / COVEY__BLOCK_PAGE;
        if (!reached && !reach(pool, entities[i].index)) return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

enum { BUILD_LEAST = COVEY_PART_MOST };

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

static void unfile(covey_lookup *lookup, uint32_t index) {
    if (lookup->ordered) covey__sorted_unfile(&lookup->sorted, index);
    else covey__buckets_unfile(&lookup->buckets, index);
}

/* An entity may have been destroyed, and another one created at its index. */
static void file_in_buckets(covey_lookup *lookup, uint32_t index, const covey__lookup_key *key) {
    uint32_t generation = covey__generation_of(lookup->world, index);
    covey__buckets_file(&lookup->buckets, index, generation, key);
    if (lookup->pool->observers->filing->some_removed) covey__buckets_renew(&lookup->buckets, index, generation);
}

static void file_in_order(covey_lookup *lookup, uint32_t index, const covey__lookup_key *key) {
    covey_entity e = covey__entity(index, covey__generation_of(lookup->world, index));
    if (!covey__sorted_has(&lookup->sorted, index, key)) covey__sorted_file(&lookup->sorted, e, key);
    else if (lookup->pool->observers->filing->some_removed) covey__sorted_renew(&lookup->sorted, e);
}

static void file_place(covey_lookup *lookup, uint32_t index, const void *value) {
    int32_t cell[COVEY__DIMENSIONS];
    if (covey__lookup_cell_of(lookup, value, cell)) covey__grid_file(&lookup->grid, index, cell);
    else covey__grid_unfile(&lookup->grid, index, (uint64_t)1 << index % COVEY__BLOCK_IDS);
}

static void file(covey_lookup *lookup, uint32_t index, const void *value) {
    covey__lookup_key key;
    if (lookup->place.count != 0) file_place(lookup, index, value);
    else if (!covey__key_of_field(&lookup->field, value, &key)) unfile(lookup, index);
    else if (lookup->ordered) file_in_order(lookup, index, &key);
    else file_in_buckets(lookup, index, &key);
}

/* Files a component that is present. */
static void file_index(const covey_pool *pool, uint32_t index) {
    const void *value = covey__value_of_index(pool, index);
    for (covey_lookup *lookup = pool->observers->filing->first; lookup; lookup = lookup->next)
        file(lookup, index, value);
}

/* Which components of a block are present, of some. */
static uint64_t present_of(const covey_pool *pool, uint32_t first, uint64_t some) {
    uint64_t present = 0;
    if (!covey__packed_in(pool)) return some & covey__storage_mask(pool, first);
    for (; some != 0; some &= some - 1)
        if (covey__has_index(pool, first + covey__lowest_bit(some))) present |= some & (~some + 1);
    return present;
}

/* Takes components out of a lookup that are marked and absent; or files those that are present. */
static void unfile_block(covey_lookup *lookup, uint32_t first, uint64_t marked) {
    for (marked &= ~present_of(lookup->pool, first, marked); marked != 0; marked &= marked - 1)
        unfile(lookup, first + covey__lowest_bit(marked));
}

static void file_block(covey_lookup *lookup, uint32_t first, uint64_t marked) {
    for (marked = present_of(lookup->pool, first, marked); marked != 0; marked &= marked - 1) {
        uint32_t index = first + covey__lowest_bit(marked);
        file(lookup, index, covey__value_of_index(lookup->pool, index));
    }
}

/* Calls a function for each block with marks. */
static void each_marked(covey_lookup *lookup, void (*call)(covey_lookup *, uint32_t, uint64_t)) {
    const covey__filing *filing = lookup->pool->observers->filing;
    for (uint32_t i = 0; i < filing->page_count; i++) {
        const covey__changed_page *page = filing->pages[i] != 0 ? filing->changed.at[i] : NULL;
        for (uint32_t k = page ? covey__next_changed(page, 0) : COVEY__PAGE_BLOCKS; k < COVEY__PAGE_BLOCKS;
             k = covey__next_changed(page, k + 1))
            call(lookup, i * COVEY__BLOCK_PAGE + k * COVEY__BLOCK_IDS, page->ids[k]);
    }
}

/* The keys of the components of a block, in a lookup. Returns which have one. */
static uint64_t keys_of(const covey_lookup *lookup, uint32_t first, uint64_t ids, uint64_t *keys) {
    uint64_t found = 0;
    for (; ids != 0; ids &= ids - 1) {
        uint32_t bit = covey__lowest_bit(ids);
        covey__lookup_key key;
        if (!covey__key_of_field(&lookup->field, covey__value_of_index(lookup->pool, first + bit), &key)) continue;
        keys[bit] = key.bits;
        found |= (uint64_t)1 << bit;
    }
    return found;
}

static void enter_texts(covey_lookup *lookup, uint32_t first, uint64_t ids) {
    for (; ids != 0; ids &= ids - 1) {
        uint32_t index = first + covey__lowest_bit(ids);
        covey__lookup_key key;
        if (covey__key_of_field(&lookup->field, covey__value_of_index(lookup->pool, index), &key))
            covey__buckets_enter(&lookup->buckets, index, &key);
    }
}

static uint32_t generation_in(const void *world, uint32_t index) { return covey__generation_of(world, index); }

/* Files all components anew. */
static void build(covey_lookup *lookup) {
    uint64_t index = 0, ids, keys[COVEY__BLOCK_IDS];
    covey__buckets_clear(&lookup->buckets);
    for (; (ids = covey__storage_next_mask(lookup->pool, &index)) != 0; index += COVEY__BLOCK_IDS) {
        if (lookup->field.size != 0) enter_texts(lookup, (uint32_t)index, ids);
        else
            covey__buckets_enter_block(&lookup->buckets, (uint32_t)index, keys_of(lookup, (uint32_t)index, ids, keys),
                                       keys);
    }
    covey__buckets_build(&lookup->buckets, generation_in, lookup->world);
}

/* Where more was added or removed than stayed, filing everything anew is faster. */
static bool builds(const covey_lookup *lookup) {
    uint64_t present = covey_pool_count(lookup->pool), filed = lookup->buckets.count;
    uint64_t next = present > lookup->keyless ? present - lookup->keyless : 0; /* about what is filed afterwards */
    return !lookup->ordered && (next > 2 * filed + BUILD_LEAST || filed > 2 * next + BUILD_LEAST);
}

enum { FEW = 4 }; /* so few of a block are filed one by one */

/* The points of components of a block, one after the other: those of others are missing. */
static const void *points_of(const covey_lookup *lookup, uint32_t first, uint64_t ids, const char *values,
                             double *points, covey_kind *kind) {
    const covey__place *place = &lookup->place;
    *kind = place->at[0].kind;
    if (values && place->adjacent && lookup->pool->size == place->count * covey_kind_size(*kind)) return values;
    *kind = COVEY_KIND_F64;
    for (; ids != 0; ids &= ids - 1) {
        uint32_t bit = covey__lowest_bit(ids);
        covey__point_of(place, covey__value_of_index(lookup->pool, first + bit), &points[bit * place->count]);
    }
    return points;
}

/* Files the marked components of a block that are present; the others leave. */
static void file_places(covey_lookup *lookup, uint32_t first, uint64_t marked) {
    double points[COVEY__BLOCK_IDS * COVEY__DIMENSIONS];
    covey_kind kind;
    const char *values = covey__bits_in(marked) > FEW ? covey__storage_block_values(lookup->pool, first) : NULL;
    uint64_t present = values && covey__packed_in(lookup->pool) ? marked : present_of(lookup->pool, first, marked);
    if (present != marked) covey__grid_unfile(&lookup->grid, first, marked & ~present);
    if (covey__bits_in(present) <= FEW) {
        file_block(lookup, first, present);
        return;
    }
    const void *at = points_of(lookup, first, present, values, points, &kind);
    covey__grid_file_block(&lookup->grid, first, present, kind, at);
}

/* What is absent leaves first: then there is memory for all others. */
static void file_marked(covey_lookup *lookup) {
    if (lookup->place.count != 0) {
        each_marked(lookup, file_places);
        return;
    }
    if (builds(lookup)) build(lookup);
    else {
        if (lookup->pool->observers->filing->some_removed) each_marked(lookup, unfile_block);
        each_marked(lookup, file_block);
    }
    if (!lookup->ordered) lookup->keyless = covey_pool_count(lookup->pool) - lookup->buckets.count;
}

/* Returns COVEY__OPENED if there are any. */
static uint64_t file_open(const covey_pool *pool) {
    uint64_t any = 0;
    for (uint32_t i = 0; i < COVEY__OPEN; i++) {
        covey__open *open = &pool->observers->filing->open[i];
        if (!open->loop) continue;
        for (uint32_t k = 0; k < open->count; k++) {
            uint32_t index = covey__open_index(pool, open, k);
            if (index != COVEY_NONE) file_index(pool, index);
        }
        open->filed = true;
        any = COVEY__OPENED;
    }
    return any;
}

void covey__lookup_settle_now(const covey_pool *pool) {
    covey__filing *filing = pool->observers->filing;
    if ((filing->any & COVEY__OPENED) != 0) covey__filing_close_moved(pool);
    bool any = (filing->any & (COVEY__MARKED | COVEY__REMOVED | COVEY__CLEARED)) != 0;
    for (covey_lookup *lookup = filing->first; lookup && any; lookup = lookup->next) file_marked(lookup);
    covey__filing_forget(filing);
    filing->any = file_open(pool);
    for (covey_lookup *lookup = filing->first; lookup; lookup = lookup->next)
        if (lookup->place.count != 0) covey__grid_settle(&lookup->grid);
}

static void settle_and_close(covey_pool *pool) {
    covey__filing_close_all(pool);
    if (pool->observers->filing->any != 0) covey__lookup_settle_now(pool);
}

static void settle_all(covey_world *world) {
    for (covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world)
        settle_and_close(lookup->pool);
}

static void clear(covey_lookup *lookup) {
    if (lookup->place.count != 0) covey__grid_clear(&lookup->grid);
    else if (lookup->ordered) covey__sorted_clear(&lookup->sorted);
    else covey__buckets_clear(&lookup->buckets);
}

static void cleared(covey_pool *pool) {
    for (covey_lookup *lookup = pool->observers->filing->first; lookup; lookup = lookup->next) clear(lookup);
    covey__filing_forget(pool->observers->filing);
    covey__filing_close_all(pool);
}

static void restored(covey_pool *pool) {
    cleared(pool);
    covey__filing_note_all(pool);
}

/* ---- The feature -------------------------------------------------------------------------------------------------*/

static const covey__looking looking_of_worlds = {
    .prepare = prepare,
    .cleared = cleared,
    .reserve = reserve,
    .reach = reach,
    .restored = restored,
    .written = settle_and_close,
    .settle_all = settle_all,
    .target_ending = covey__target_is_ending,
    .targets_ended = covey__targets_have_ended,
    .targets_elsewhere = covey__targets_elsewhere,
};

static void free_lookup(covey_lookup *lookup) {
    covey__heap *heap = &lookup->world->inner->heap;
    covey__buckets_free(heap, &lookup->buckets);
    covey__sorted_free(heap, &lookup->sorted);
    covey__grid_free(heap, &lookup->grid);
    covey__free(heap, lookup->names, lookup->names_size, 1, 1);
    covey__free(heap, lookup->ending, lookup->ending_capacity, sizeof *lookup->ending, alignof(covey_entity));
    covey__free(heap, lookup, 1, sizeof *lookup, alignof(covey_lookup));
}

static void end_lookup(covey_lookup *lookup) {
    covey_world *world = lookup->world;
    covey__observers *observers = lookup->pool->observers;
    covey_lookup **link = &world->inner->lookups;
    while (*link != lookup) link = &(*link)->next_of_world;
    *link = lookup->next_of_world;
    for (link = &observers->filing->first; *link != lookup;) link = &(*link)->next;
    *link = lookup->next;
    note_room(observers->filing);
    if (!observers->filing->first) {
        covey__filing_free(world, observers->filing);
        observers->filing = NULL;
    }
    if (lookup->when_target_ends != COVEY_TARGET_KEEP) {
        world->inner->target_lookups--;
        world->inner->heard--;
    }
    world->inner->ending_targets -= lookup->ending_count;
    free_lookup(lookup);
}

static void end_all(covey_world *world) {
    while (world->inner->lookups) end_lookup(world->inner->lookups);
}

/* Moves what is filed into memory for no more than that. Nothing changes when an allocation fails. */
static void shrink_one(covey_lookup *lookup) {
    covey__heap *heap = &lookup->world->inner->heap;
    uint32_t count = covey_pool_count(lookup->pool), limit = covey__block_limit(lookup->world);
    covey__lookup_settle_now(lookup->pool);
    if (lookup->place.count != 0) covey__grid_shrink(heap, &lookup->grid, count);
    else if (lookup->ordered) covey__sorted_shrink(heap, &lookup->sorted, count, limit);
    else covey__buckets_shrink(heap, &lookup->buckets, count, limit);
    covey__targets_shrink(lookup, count);
    note_room(lookup->pool->observers->filing);
}

static void shrink_all(covey_world *world) {
    for (covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) shrink_one(lookup);
}

static const covey__feature lookups = { .end = end_all, .shrink = shrink_all };

static void lookups_on(covey_world *world) {
    world->inner->features[COVEY__LOOKUPS] = &lookups;
    world->inner->looking = &looking_of_worlds;
}

/* ---- Making ------------------------------------------------------------------------------------------------------*/

static covey_lookup *refuse(covey_world *world, covey_result result, const covey_type *type, const char *why) {
    covey__fail(world, result, "a lookup of %s could not be made: %s", type->name, why);
    return NULL;
}

/* Finds the numbers of a place. */
static const char *find_place(const covey_lookup_desc *desc, covey__place *place, covey_result *result) {
    if (desc->ordered || desc->when_target_ends != COVEY_TARGET_KEEP)
        return ".ordered and .when_target_ends are for a .field";
    place->cell = desc->cell * (1 + 1e-6);
    if (!(place->cell > 0 && place->cell <= DBL_MAX && 1 / place->cell <= DBL_MAX))
        return "a .place needs a .cell, the side of its cells";
    *result = COVEY_ERROR_TYPE;
    for (uint32_t i = 0; i < COVEY__DIMENSIONS && desc->place[i]; i++) {
        covey__key_field field;
        uint32_t count = covey__field_find(desc->type, desc->place[i], &field);
        if (count == 0) return "the type has no field with a name in .place";
        if (!covey__kind_is_number(field.kind)) return "a field of .place is no number";
        if (count > 1 && (i != 0 || desc->place[1])) return ".place is one array, or single numbers";
        if (count > COVEY__DIMENSIONS) return "an array in .place has more than three numbers";
        for (uint32_t k = 0; k < count; k++, place->count++) {
            place->at[place->count] = field;
            place->at[place->count].offset += k * covey_kind_size(field.kind);
        }
    }
    if (place->count < 2) return "a .place has two or three numbers";
    covey__place_settle(place);
    return NULL;
}

/* Finds the field, or the place, of a description. Returns why it cannot be looked up, or NULL. */
static const char *find_field(const covey_lookup_desc *desc, covey_lookup *lookup, covey_result *result) {
    *result = COVEY_ERROR_RANGE;
    if (!desc->field == !desc->place[0]) return "it needs .field or .place, and not both";
    if (desc->place[0]) return find_place(desc, &lookup->place, result);
    if (desc->cell != 0) return ".cell is for places";
    *result = COVEY_ERROR_TYPE;
    uint32_t count = covey__field_find(desc->type, desc->field, &lookup->field);
    if (count == 0) return "the type has no .field of this name";
    if (count > 1 && lookup->field.size == 0) return ".field is an array: name a single value, or a text";
    if (lookup->field.size > COVEY_TEXT_MAX) return ".field is a text of more than COVEY_TEXT_MAX bytes";
    if (lookup->field.kind == COVEY_KIND_NESTED || lookup->field.kind == COVEY_KIND_PADDING)
        return ".field is a struct or padding: name a number, a boolean, an entity or a text";
    *result = COVEY_ERROR_RANGE;
    if (lookup->field.kind != COVEY_KIND_ENTITY) {
        if (desc->when_target_ends != COVEY_TARGET_KEEP) return ".when_target_ends is for fields with an entity";
    } else if (desc->ordered) return ".ordered is for numbers and texts: entities have no order";
    return NULL;
}

static const char *check(const covey_lookup_desc *desc, covey_lookup *lookup, covey_result *result) {
    *result = COVEY_ERROR_RANGE;
    if ((unsigned)desc->when_target_ends > COVEY_TARGET_DESTROY) return ".when_target_ends is none of its constants";
    *result = COVEY_ERROR_TYPE;
    if (!desc->type->fields) return "the type has no .fields";
    if (!desc->type->ticks) return "the type has no .ticks, so changes of its values are not known";
    return find_field(desc, lookup, result);
}

/* Memory for filing the components that are present; and the same pages as other lookups of the pool have. */
static bool reach_present(covey_pool *pool, covey__filing *filing, covey_lookup *lookup) {
    uint64_t index = 0;
    if (!reserve_in(lookup, covey_pool_count(pool))) return false;
    for (uint32_t i = 0; i < filing->changed.count; i++)
        if (filing->changed.at[i] && !reach_in(lookup, i * COVEY__BLOCK_PAGE)) return false;
    for (; covey__storage_next_mask(pool, &index) != 0; index += COVEY__BLOCK_IDS)
        if (!reach_in(lookup, (uint32_t)index) || !covey__filing_reach(pool->world, filing, (uint32_t)index))
            return false;
    return true;
}

/* The filing of a pool; a new one if it has no lookups. */
static covey__filing *filing_for(covey_pool *pool) {
    covey__filing *filing = covey__filing_of(pool);
    if (filing) return filing;
    filing = covey__resize(&pool->world->inner->heap, NULL, 0, 1, sizeof *filing, alignof(covey__filing));
    if (filing) *filing = (covey__filing){ 0 };
    return filing;
}

static bool put_in_lists(covey_lookup *lookup) {
    covey_world *world = lookup->world;
    covey_pool *pool = lookup->pool;
    covey__filing *filing = filing_for(pool);
    if (!filing) return false;
    if (!reach_present(pool, filing, lookup)) {
        if (!pool->observers->filing) covey__filing_free(world, filing);
        return false;
    }
    covey_lookup **link = &world->inner->lookups;
    while (*link) link = &(*link)->next_of_world;
    *link = lookup;
    pool->observers->filing = filing;
    for (link = &filing->first; *link;) link = &(*link)->next;
    *link = lookup;
    note_room(filing);
    return true;
}

static covey_lookup *make(covey_world *world, const covey_lookup_desc *desc, covey_result *result, const char **why) {
    covey__heap *heap = &world->inner->heap;
    *result = COVEY_ERROR_MEMORY;
    *why = covey__reason(COVEY_ERROR_MEMORY);
    covey_lookup *lookup = covey__resize(heap, NULL, 0, 1, sizeof *lookup, alignof(covey_lookup));
    if (!lookup) return NULL;
    *lookup =
        (covey_lookup){ .world = world, .ordered = desc->ordered, .when_target_ends = (uint8_t)desc->when_target_ends };
    const char *wrong = check(desc, lookup, result);
    if (wrong) *why = wrong;
    else {
        lookup->buckets.text_size = lookup->sorted.text_size = lookup->field.size;
        if (lookup->place.count != 0) lookup->grid = covey__grid_of(lookup->place.count, lookup->place.cell);
        lookup->pool = covey_pool_of_raw(world, desc->type);
        *result = lookup->pool ? COVEY_ERROR_MEMORY : world->inner->result;
        if (lookup->pool && covey__lookup_keep_names(lookup, desc) && put_in_lists(lookup)) return lookup;
        if (!lookup->pool) *why = NULL; /* the failure is logged */
    }
    free_lookup(lookup);
    return NULL;
}

covey_lookup *covey_lookup_create(covey_world *world, const covey_lookup_desc *desc) {
    COVEY__CONTRACT(NULL, world && desc && desc->type, "a call needs a world, and a lookup a .type");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_result result;
    const char *why;
    covey_lookup *lookup = make(world, desc, &result, &why);
    if (!lookup) return why ? refuse(world, result, desc->type, why) : NULL;
    lookups_on(world);
    covey__filing_note_all(lookup->pool);
    if (lookup->when_target_ends != COVEY_TARGET_KEEP) {
        covey__signals_on(world);
        world->inner->target_lookups++;
        world->inner->heard++;
        covey__fast_destroy_off(world);
    }
    covey__pool_update_observers(lookup->pool);
    COVEY__CHANGED(world);
    return lookup;
}

void covey_lookup_destroy(covey_lookup *lookup) {
    if (!lookup) return;
    covey_world *world = lookup->world;
    if (COVEY__IN_HOOK(world)) return;
    COVEY__CONTRACT(world, !world->inner->ending,
                    "a listener must not destroy a lookup while the sources of a destroyed target are dealt with: do "
                    "it afterwards");
    if (world->inner->ending) return;
    end_lookup(lookup);
    COVEY__CHANGED(world);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

const covey_type *covey_lookup_type(const covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    return lookup->pool->type;
}

size_t covey_lookup_memory(const covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    return sizeof *lookup + lookup->names_size + lookup->ending_capacity * sizeof *lookup->ending +
           covey__sorted_bytes(&lookup->sorted) + covey__buckets_bytes(&lookup->buckets) +
           covey__grid_bytes(&lookup->grid);
}

void covey_lookup_settle(covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    settle_and_close(lookup->pool);
}

uint32_t covey_lookup_size(covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    covey__lookup_settle(lookup);
    return covey__lookup_filed(lookup);
}
