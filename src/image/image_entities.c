/* Entities from an image: generations and reserved ranges. */
#include "memory/inner.h"
#include "image/image_load.h"

#include "change/entity.h"
#include "memory/lines.h"
#include "storage/shortcut_off.h"

#include <stdalign.h>

/* ---- Worlds that were used -----------------------------------------------------------------------------------------
 *
 * A handle that was issued never names another entity. So while an image is loaded into a world that had entities, the
 * old table is kept, and no index gets a generation that it had before: an entity whose handle was issued already gets
 * the next generation. */

bool covey__table_keep(covey__loading *l) {
    covey_world *before = covey__entities_only(&l->before, l->world->inner->heap.allocator);
    if (!covey__entities_clone(l->world, before)) return false;
    l->kinds_bytes = covey__kinds_bytes(l->world);
    l->kinds_before = covey__kinds_exchange(l->world, NULL);
    l->world->inner->borrowed += l->kinds_bytes;
    covey__entities_reset(l->world);
    l->is_kept = true;
    return true;
}

static covey__entity_page *used_page(const covey_world *table, uint32_t number) {
    return covey__entity_page_of(table, number * COVEY_PAGE_SIZE);
}

/* Restores the old table. Indices that only the image has used become unused again. */
void covey__table_restore(covey__loading *l) {
    covey_world *world = l->world;
    const covey_world *before = &l->before.world;
    const covey__inner *ranges = &l->before.inner;
    if (!l->is_kept) return;
    for (uint32_t i = 0; i < before->page_count; i++)
        if (used_page(before, i)) *used_page(world, i) = *used_page(before, i);
    for (uint32_t i = 0; i < ranges->reserved_count; i++) world->inner->reserved[i] = ranges->reserved[i];
    world->inner->reserved_count = ranges->reserved_count;
    world->inner->reserved_root = ranges->reserved_root;
    world->range = before->range;
    covey__kinds_exchange(world, l->kinds_before);
    world->inner->borrowed -= l->kinds_bytes;
    l->kinds_before = NULL;
    l->kinds_bytes = 0;
}

void covey__table_free(covey__loading *l) {
    if (l->before.inner.heap.bytes != 0) covey__entities_free(&l->before.world);
    covey__kinds_free(&l->world->inner->heap, l->kinds_before);
    l->world->inner->borrowed -= l->kinds_bytes;
    if (l->raised) covey_sparse_set_destroy(l->raised);
}

static covey_entity now_raised(const void *context, covey_entity e) {
    const covey__loading *l = context;
    const covey_entity *raised = covey_sparse_set_get(l->raised, e);
    if (raised) return *raised;
    return covey_alive(l->world, e) && covey_sparse_set_current(l->raised, e.index) != 0 ? (covey_entity){ 0, 0 } : e;
}

/* Gives an entity of the image the next generation, because its handle was issued in this world before. */
static bool raise(covey__loading *l, uint32_t index, uint32_t *generation, uint32_t used) {
    covey_entity before = covey__entity(index, *generation), now = covey__entity(index, used + 1);
    if (!l->raised) l->raised = covey__handle_map(&l->heap);
    if (!l->raised || covey_sparse_set_push(l->raised, before, &now) != COVEY_OK) return covey__out_of_memory(l);
    l->raising = (covey__entering){ .now = now_raised, .context = l };
    if (!l->entering) l->entering = &l->raising;
    *generation = now.generation;
    return true;
}

/* Adapts the generation of an index that both the image and this world have used; `used` is its generation here. */
static void age(covey__loading *l, covey__reader *reader, uint32_t index, uint32_t used) {
    uint32_t *generation = covey__generation_at(l->world, index);
    bool alive = (*generation & 1) != 0;
    if (*generation == 0) return; /* retired in the image */
    if (used == 0 && alive)
        covey__refuse(reader, COVEY_FAULT_ENTITY, reader->at, "index %u has no generation left in this world", index);
    else if (used == 0) covey__entity_retire(l->world, index);
    else if (alive && *generation < used) raise(l, index, generation, used);
    else if (*generation < used) *generation = used;
}

/* Does this for all indices of a page that this world has used. */
static void age_page(covey__loading *l, covey__reader *reader, const covey__entity_page *before, uint32_t first) {
    covey__entity_page *page = covey__page_of(l->world, first);
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE && covey__is_fine(l); i++) {
        if (!covey__was_used(before, i)) continue;
        if (covey__was_used(page, i)) age(l, reader, first + i, before->generation[i]);
        else if (covey__is_retired(before, i)) covey__entity_retire(l->world, first + i);
        else page->generation[i] = before->generation[i];
    }
}

static void age_all(covey__loading *l, covey__reader *reader) {
    for (uint32_t i = 0; l->is_kept && i < l->before.world.page_count && covey__is_fine(l); i++)
        if (used_page(&l->before.world, i)) age_page(l, reader, used_page(&l->before.world, i), i * COVEY_PAGE_SIZE);
}

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

static void load_ranges(covey__loading *l, covey__reader *reader, uint32_t count) {
    covey_world *world = l->world;
    size_t at = reader->at;
    const unsigned char *ranges = covey__read_many(reader, count, 8);
    covey__bound bound = { "reserved ranges", "limit_ranges", l->desc->limit_ranges, COVEY__RANGES_USUAL };
    if (!ranges || !covey__allows(reader, at, count, bound)) return;
    if (!covey__ranges_reserve(world, count)) {
        covey__out_of_memory(l);
        return;
    }
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++) {
        uint32_t first = covey__u32_at(ranges + i * 8), length = covey__u32_at(ranges + i * 8 + 4);
        covey_range made = covey_range_reserve(world, first, length);
        if (made.count == 0)
            covey__refuse(reader, COVEY_FAULT_ENTITY, at + i * 8,
                          "a reserved range is empty, too long or overlaps another");
    }
}

/* Generations of one page. */
typedef struct counted {
    uint32_t alive, beyond;
} counted;

/* Sixteen at a time, so that compilers vectorise the loop. */
static counted count_generations(const uint32_t *generations, uint32_t count) {
    counted c = { 0, 0 };
    uint32_t i = 0;
    for (; count - i >= 16; i += 16) {
        uint32_t alive = 0, beyond = 0;
        for (uint32_t k = 0; k < 16; k++) {
            alive += generations[i + k] & 1;
            beyond |= generations[i + k] > COVEY_GENERATION_MAX;
        }
        c.alive += alive;
        c.beyond |= beyond;
    }
    for (; i < count; i++) {
        c.alive += generations[i] & 1;
        c.beyond |= generations[i] > COVEY_GENERATION_MAX;
    }
    return c;
}

static void read_numbers(uint32_t *numbers, const unsigned char *from, uint32_t count) {
    if (covey__is_little_endian()) memcpy(numbers, from, count * sizeof *numbers);
    else
        for (uint32_t i = 0; i < count; i++) numbers[i] = covey__u32_at(from + (size_t)i * 4);
}

/* Loads a run of consecutive used indices. In the image, the generations of all runs follow the list of runs. */
static void load_run(covey__loading *l, covey__reader *reader, uint64_t first, uint64_t count,
                     const unsigned char **from) {
    covey_world *world = l->world;
    uint32_t generations[COVEY_PAGE_SIZE];
    bool large = count * sizeof(covey__entity_page) / COVEY_PAGE_SIZE >= COVEY_CACHE_BYTES / 4;
    for (uint32_t some; count != 0 && covey__is_fine(l); first += some, count -= some, *from += (size_t)some * 4) {
        uint32_t index = (uint32_t)first, left = COVEY_PAGE_SIZE - index % COVEY_PAGE_SIZE;
        some = count < left ? (uint32_t)count : left;
        read_numbers(generations, *from, some);
        counted c = count_generations(generations, some);
        if (!covey__entities_load(world, index, generations, some, large)) {
            covey__out_of_memory(l);
            return;
        }
        world->alive += c.alive;
        if (c.beyond != 0)
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(*from - reader->bytes),
                          "an entity has a generation beyond %u, the last that handles of this program have",
                          COVEY_GENERATION_MAX);
    }
}

/* The list of runs in the image: for each, the first index and how many. */
typedef struct run_list {
    const unsigned char *at;
    uint32_t count;
    uint64_t pages; /* pages that the world lacks */
    uint64_t end;   /* the end of the last run */
} run_list;

static uint64_t first_of(const run_list *r, uint32_t i) { return covey__u32_at(r->at + (size_t)i * 8); }
static uint64_t length_of(const run_list *r, uint32_t i) { return covey__u32_at(r->at + (size_t)i * 8 + 4); }

static uint64_t missing_pages(const covey_world *world, uint64_t first, uint64_t end) {
    uint64_t missing = 0;
    for (; first < end; first++) missing += !used_page(world, (uint32_t)first);
    return missing;
}

/* Checks all runs before anything is allocated: the memory that they need is only known if they are in order. */
static bool check_runs(const covey_world *world, covey__reader *reader, run_list *r, uint32_t slots) {
    uint64_t sum = 0, seen = 0; /* of slots; pages counted so far */
    size_t at = (size_t)(r->at - reader->bytes);
    for (uint32_t i = 0; i < r->count && covey__is_sound(reader); i++) {
        uint64_t first = first_of(r, i), length = length_of(r, i), page = first / COVEY_PAGE_SIZE;
        sum += length;
        if (length == 0 || first + length > COVEY_NONE || (i != 0 && first <= r->end) || sum > slots)
            covey__refuse(reader, COVEY_FAULT_ENTITY, at + (size_t)i * 8,
                          "a run of %llu indices from %llu on is empty, too long or out of order",
                          (unsigned long long)length, (unsigned long long)first);
        if (!covey__is_sound(reader)) return false;
        r->end = first + length;
        uint64_t end = (r->end - 1) / COVEY_PAGE_SIZE + 1;
        r->pages += missing_pages(world, page < seen ? seen : page, end);
        seen = end;
    }
    if (sum != slots)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "the runs of indices do not add up to %u slots", slots);
    return covey__is_sound(reader);
}

static void load_runs(covey__loading *l, covey__reader *reader, uint32_t slots, uint32_t count) {
    size_t at = reader->at;
    run_list r = { .at = covey__read_many(reader, count, 8), .count = count };
    const unsigned char *generations = covey__read_many(reader, slots, 4);
    if (!covey__is_fine(l) || count == 0) {
        if (slots != 0) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "there are slots, but no run of indices");
        return;
    }
    if (!check_runs(l->world, reader, &r, slots)) return;
    if (!covey__may_take(l, reader, r.pages * sizeof(covey__entity_page))) return;
    if (!covey__entities_reach(l->world, (uint32_t)(r.end - 1))) covey__out_of_memory(l); /* the table grows once */
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++)
        load_run(l, reader, first_of(&r, i), length_of(&r, i), &generations);
    if (!covey__is_fine(l) || first_of(&r, 0) != 0) return;
    l->dense = l->world->alive == slots && count == 1 ? slots : 0;
}

/* Images of version 1 also list the free indices of each range. Their order has no meaning any more. */
static void skip_free_lists(const covey__loading *l, covey__reader *reader) {
    for (uint64_t i = 0; i <= l->world->inner->reserved_count && covey__is_fine(l); i++)
        covey__read_many(reader, covey__read_u32(reader), 4);
}

void covey__load_entities(covey__loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t slots = covey__read_u32(&reader), runs = covey__read_u32(&reader), ranges = covey__read_u32(&reader);
    covey__allows(&reader, section->offset, slots,
                  (covey__bound){ "entities", "limit_entities", l->desc->limit_entities, UINT64_MAX });
    if (covey__is_fine(l)) load_ranges(l, &reader, ranges);
    if (covey__is_fine(l)) load_runs(l, &reader, slots, runs);
    if (covey__is_fine(l) && l->image.version == 1) skip_free_lists(l, &reader);
    covey__expect_end(l, &reader);
    if (covey__is_fine(l)) age_all(l, &reader);
}
