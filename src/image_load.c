/* Loads an image into a world that is empty. Nothing of the image is believed: every number is checked before it is used.
 * Storages are built where they belong and, when something turns out to be wrong, emptied again. Sums are taken while
 * values are copied. */
#include "image.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdio.h>

enum { SUM_EVERY = 1 << 14, PROGRESS_EVERY = 1 << 20 };

/* A pool of the image, and where it goes. */
typedef struct part {
    covey__section_entry section;
    covey__described described;
    covey__plan plan;
    covey_pool *pool;
    uint32_t count, end, dead, blocks, off;
    const unsigned char *ids, *dead_ids, *holes, *masks, *off_masks, *ticks; /* in the image */
    covey_entity *entities; /* if somebody watches: all that have the component */
    bool is_exact;          /* the arrays are built as they were */
} part;

typedef struct loading {
    covey_world *world;
    const covey_world *knows; /* types, by their names */
    const covey_load_desc *desc;
    covey_report *report;
    covey__image image;
    covey__heap heap; /* for what is needed only meanwhile */
    part *parts;
    uint32_t part_count, part_capacity;
    covey_entity *created; /* if somebody listens: all that are alive */
    uint32_t created_count;
    covey__emission *emissions;
    uint64_t tick;     /* the world's, before */
    uint64_t idle;     /* slots that are free */
    uint64_t dense;    /* the indices below are all alive */
    uint64_t estimate; /* bytes that the world may need */
    uint64_t pages;    /* of entities, at most */
    uint64_t told;
    part *now; /* the pool whose values are read: */
    covey__reader values;
    size_t summed;
    uint32_t sum;
    bool sound, large;
} loading;

static bool is_fine(const loading *l) { return l->report->result == COVEY_OK; }

static bool fail(loading *l, covey_result result, const char *text) {
    if (!is_fine(l)) return false;
    l->report->result = result;
    snprintf(l->report->text, sizeof l->report->text, "%s", text);
    return false;
}

static bool out_of_memory(loading *l) { return fail(l, COVEY_ERROR_MEMORY, "no memory for what is in the image"); }

static void tell_progress(loading *l, uint64_t done) {
    const covey_load_desc *desc = l->desc;
    if (!desc->progress || done - l->told < PROGRESS_EVERY) return;
    l->told = done;
    if (!desc->progress(done, l->image.whole.end, desc->progress_context))
        fail(l, COVEY_ERROR_CANCELLED, "the progress function said no");
}

/* What comes is allowed to need so many bytes more. */
static bool needs(loading *l, covey__reader *reader, uint64_t bytes) {
    uint64_t limit = l->desc->limit_bytes;
    l->estimate = bytes > UINT64_MAX - l->estimate ? UINT64_MAX : l->estimate + bytes;
    if (limit != 0 && l->estimate > limit)
        covey__refuse(reader, COVEY_FAULT_LIMIT, reader->at, "the world would need more than %llu bytes",
                      (unsigned long long)limit);
    return is_fine(l);
}

/* What a table of pages needs for so many elements: as many pages as there can be, and a place for each up to the last. */
static uint64_t table_bytes(const loading *l, uint64_t elements, uint64_t ids, uint64_t page) {
    uint64_t most = l->pages * (COVEY_PAGE_SIZE / ids + 1);
    uint64_t places = (uint64_t)l->world->page_count * COVEY_PAGE_SIZE / ids;
    if (elements == 0) return 0;
    return (elements < most ? elements : most) * page + (places + 1) * 2 * sizeof(void *);
}

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

static covey__entity_page *page_of(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE];
}

static uint32_t *generation_at(const covey_world *world, uint32_t index) {
    return &page_of(world, index)->generation[index % COVEY_PAGE_SIZE];
}

static bool is_known(const covey_world *world, uint64_t index) {
    return index / COVEY_PAGE_SIZE < world->page_count && index < COVEY_NONE;
}

static bool is_alive(const covey_world *world, uint64_t index) {
    return is_known(world, index) && (*generation_at(world, (uint32_t)index) & 1) != 0;
}

static void load_ranges(loading *l, covey__reader *reader, uint32_t count) {
    covey_world *world = l->world;
    size_t at = reader->at;
    const unsigned char *ranges = covey__read_many(reader, count, 8);
    if (!ranges || !needs(l, reader, count * (uint64_t)sizeof(covey__range))) return;
    if (count > COVEY__SECTIONS_MAX) {
        covey__refuse(reader, COVEY_FAULT_LIMIT, at, "the image has %u reserved ranges", count);
        return;
    }
    if (!covey__ranges_reserve(world, count)) {
        out_of_memory(l);
        return;
    }
    for (uint32_t i = 0; i < count && is_fine(l); i++) {
        uint32_t first = covey__u32_at(ranges + i * 8), length = covey__u32_at(ranges + i * 8 + 4);
        covey_range made = covey_range_reserve(world, first, length);
        if (made.count == 0) covey__refuse(reader, COVEY_FAULT_ENTITY, at + i * 8, "a reserved range that cannot be");
    }
}

/* Generations of one page. */
typedef struct counted {
    uint32_t alive, retired, beyond;
} counted;

/* Sixteen at a time, which compilers make vectors of. */
static counted count_generations(const uint32_t *generations, uint32_t count) {
    counted c = { 0, 0, 0 };
    uint32_t i = 0;
    for (; count - i >= 16; i += 16) {
        uint32_t alive = 0, retired = 0, beyond = 0;
        for (uint32_t k = 0; k < 16; k++) {
            alive += generations[i + k] & 1;
            retired |= generations[i + k] == 0;
            beyond |= generations[i + k] > COVEY_GENERATION_MAX;
        }
        c.alive += alive;
        c.retired |= retired;
        c.beyond |= beyond;
    }
    for (; i < count; i++) {
        c.alive += generations[i] & 1;
        c.retired |= generations[i] == 0;
        c.beyond |= generations[i] > COVEY_GENERATION_MAX;
    }
    return c;
}

/* An index that was used, and has no generation, has none left. Returns how many. */
static uint32_t retire(covey__entity_page *page, uint32_t first, uint32_t count) {
    uint32_t retired = 0;
    for (uint32_t index = first; index < first + count; index++) {
        if (page->generation[index % COVEY_PAGE_SIZE] != 0) continue;
        page->next[index % COVEY_PAGE_SIZE] = index;
        retired++;
    }
    return retired;
}

static void read_numbers(uint32_t *numbers, const unsigned char *from, uint32_t count) {
    if (covey__is_little_endian()) memcpy(numbers, from, count * sizeof *numbers);
    else
        for (uint32_t i = 0; i < count; i++) numbers[i] = covey__u32_at(from + (size_t)i * 4);
}

/* Indices that were used, one after the other; the generations of all runs follow in the image. */
static void load_run(loading *l, covey__reader *reader, uint64_t first, uint64_t count, const unsigned char **from) {
    covey_world *world = l->world;
    uint32_t generations[COVEY_PAGE_SIZE];
    bool large = count * sizeof(covey__entity_page) / COVEY_PAGE_SIZE >= COVEY_CACHE_BYTES / 4;
    for (uint32_t some; count != 0 && is_fine(l); first += some, count -= some, *from += (size_t)some * 4) {
        uint32_t index = (uint32_t)first, left = COVEY_PAGE_SIZE - index % COVEY_PAGE_SIZE;
        some = count < left ? (uint32_t)count : left;
        read_numbers(generations, *from, some);
        counted c = count_generations(generations, some);
        covey__entity_page *page = covey__entities_load(world, index, generations, some, large);
        if (!page) {
            out_of_memory(l);
            return;
        }
        uint32_t retired = c.retired != 0 ? retire(page, index, some) : 0;
        world->alive += c.alive;
        l->idle += some - c.alive - retired;
        if (c.beyond != 0)
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(*from - reader->bytes), "a generation beyond %u",
                          COVEY_GENERATION_MAX);
    }
}

/* Pages that these runs touch, generously. */
static uint64_t pages_for(const unsigned char *runs, uint32_t count) {
    uint64_t pages = 0;
    for (uint32_t i = 0; i < count; i++) pages += covey__u32_at(runs + (size_t)i * 8 + 4) / COVEY_PAGE_SIZE + 2u;
    return pages;
}

static void load_runs(loading *l, covey__reader *reader, uint32_t slots, uint32_t count) {
    size_t at = reader->at;
    const unsigned char *runs = covey__read_many(reader, count, 8), *generations = covey__read_many(reader, slots, 4);
    if (!is_fine(l) || count == 0) {
        if (slots != 0) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "slots without a run");
        return;
    }
    uint64_t end = 0, sum = 0;
    l->pages = pages_for(runs, count);
    uint64_t last = (uint64_t)covey__u32_at(runs + (size_t)(count - 1) * 8) + COVEY_PAGE_SIZE;
    uint64_t places = last / COVEY_PAGE_SIZE + last / COVEY__BLOCK_PAGE + 2;
    if (!needs(l, reader, l->pages * (sizeof(covey__entity_page) + 1024) + places * 2 * sizeof(void *))) return;
    for (uint32_t i = 0; i < count && is_fine(l); i++) {
        uint64_t first = covey__u32_at(runs + (size_t)i * 8), length = covey__u32_at(runs + (size_t)i * 8 + 4);
        sum += length;
        if (length == 0 || first + length > COVEY_NONE || (i != 0 && first <= end) || sum > slots)
            covey__refuse(reader, COVEY_FAULT_ENTITY, at + i * 8, "a run of %llu indices from %llu on that cannot be",
                          (unsigned long long)length, (unsigned long long)first);
        else load_run(l, reader, first, length, &generations);
        end = first + length;
    }
    if (sum != slots) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "the runs do not have %u slots", slots);
    if (!is_fine(l) || covey__u32_at(runs) != 0) return;
    l->dense = l->world->alive == slots && count == 1 ? slots : 0;
    l->world->range.fresh = l->world->range.fresh_end = covey__u32_at(runs + 4); /* all below were used */
}

/* The list of a range, from the index that is handed out next. The first, and those with one before them, were listed. */
static uint32_t load_free_list(loading *l, covey__reader *reader, covey__range *range) {
    covey_world *world = l->world;
    uint32_t count = covey__read_u32(reader), before = COVEY_NONE;
    size_t at = reader->at;
    const unsigned char *list = covey__read_many(reader, count, 4);
    for (uint32_t i = 0; list && i < count && is_fine(l); i++) {
        uint32_t index = covey__u32_at(list + (size_t)i * 4);
        uint32_t generation = is_known(world, index) ? *generation_at(world, index) : 1;
        bool fits = generation != 0 && generation % 2 == 0 && covey__range_of(world, index) == range;
        covey__entity_page *page = fits ? page_of(world, index) : NULL;
        if (!page || range->free == index || page->previous[index % COVEY_PAGE_SIZE] != COVEY_NONE) {
            covey__refuse(reader, COVEY_FAULT_ENTITY, at + (size_t)i * 4, "index %u is not free, or listed twice",
                          index);
            break;
        }
        if (before == COVEY_NONE) range->free = index;
        else page_of(world, before)->next[before % COVEY_PAGE_SIZE] = index;
        page->previous[index % COVEY_PAGE_SIZE] = before;
        before = index;
    }
    return is_fine(l) ? count : 0;
}

static void load_free_lists(loading *l, covey__reader *reader) {
    covey_world *world = l->world;
    uint64_t listed = load_free_list(l, reader, &world->range);
    for (uint32_t i = 0; i < world->reserved_count && is_fine(l); i++)
        listed += load_free_list(l, reader, &world->reserved[i]);
    if (listed != l->idle)
        covey__refuse(reader, COVEY_FAULT_ENTITY, reader->at, "an index that is neither alive nor free");
}

static void expect_end(const loading *l, covey__reader *reader) {
    if (is_fine(l) && reader->at != reader->end)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "a section is longer than what is in it");
}

static void load_entities(loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t slots = covey__read_u32(&reader), runs = covey__read_u32(&reader), ranges = covey__read_u32(&reader);
    uint64_t limit = l->desc->limit_entities;
    if (limit != 0 && slots > limit)
        covey__refuse(&reader, COVEY_FAULT_LIMIT, section->offset, "the image has %u entities; %llu are allowed", slots,
                      (unsigned long long)limit);
    if (is_fine(l)) load_ranges(l, &reader, ranges);
    if (is_fine(l)) load_runs(l, &reader, slots, runs);
    if (is_fine(l)) load_free_lists(l, &reader);
    expect_end(l, &reader);
}

/* ---- Types -------------------------------------------------------------------------------------------------------*/

static const covey_type *find_in(const covey_type *const *types, const char *name) {
    for (; types && *types; types++)
        if ((*types)->name && strcmp((*types)->name, name) == 0) return *types;
    return NULL;
}

static const covey_type *find_resource_type(const covey_world *world, const char *name) {
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        if (strcmp(covey_world_resource(world, i)->name, name) == 0) return covey_world_resource(world, i);
    return NULL;
}

static bool is_raw(covey_encoding encoding) {
    return encoding == COVEY_ENCODING_RAW_LITTLE || encoding == COVEY_ENCODING_RAW_BIG;
}

static bool is_foreign(const covey__described *d) {
    return is_raw(d->encoding) && d->encoding != covey__type_encoding(&d->type);
}

/* What is in the way of values of a type that were written like this; NULL: nothing. */
static const char *conflict(const covey_type *type, const covey__described *d) {
    if (is_raw(d->encoding)) {
        if (is_foreign(d)) return "raw, and of a machine with the other byte order";
        if (!type->raw) return "raw in the image, and is not in the program";
        return type->size != d->type.size ? "raw, and has another size" : NULL;
    }
    return type->size == 0 || type->fields ? NULL : "not described by fields in the program";
}

/* The type of the program or the world; one that is made, if it is kept; NULL if it is skipped, or refused. */
static const covey_type *find_type(loading *l, covey__reader *reader, const covey__described *d, bool of_resource) {
    const char *name = d->type.name;
    if (strcmp(name, COVEY__DISABLED) == 0) return covey_id(covey_disabled);
    const covey_type *type = find_in(l->desc->types, name);
    if (!type) type = covey_type_find(l->knows, name);
    if (!type) type = find_resource_type(l->knows, name);
    if (l->desc->only && !covey__type_listed(l->desc->only, &d->type)) return NULL;
    if (!type) type = find_in(l->desc->only, name);
    if (type && type->transient) return NULL;
    if (type) {
        const char *why = conflict(type, d);
        if (why) covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "%.100s is %s", name, why);
        return why ? NULL : type;
    }
    if (l->desc->unknown == COVEY_UNKNOWN_SKIP) return NULL;
    if (l->desc->unknown == COVEY_UNKNOWN_REFUSE)
        covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "the program does not know the type %.100s", name);
    else if (is_foreign(d))
        covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "%.100s is raw, and of a machine with the other byte order",
                      name);
    else if (!(type = (of_resource ? covey__type_keep : covey_type_create)(l->world, &d->type))) out_of_memory(l);
    return type;
}

static bool make_plan(loading *l, covey__reader *reader, covey__plan *plan, const covey_type *type,
                      const covey__described *d) {
    char why[120];
    covey_result result = covey__plan_make(&l->heap, plan, type, d->encoding, d->type.fields, why, sizeof why);
    if (result == COVEY_ERROR_MEMORY) return out_of_memory(l);
    if (result != COVEY_OK) covey__refuse(reader, COVEY_FAULT_FIELD, reader->at, "%.60s: %s", type->name, why);
    return is_fine(l);
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void sum_up(loading *l) {
    l->sum = covey__crc32c(l->sum, l->values.bytes + l->summed, l->values.at - l->summed);
    l->summed = l->values.at;
    tell_progress(l, l->summed);
}

/* The next records of the pool in hand become values. Where they are values already, they are copied and summed in one
 * go. */
static void load_run_of_values(void *values, size_t count, void *context) {
    loading *l = context;
    const covey__plan *plan = &l->now->plan;
    bool copies = covey__plan_copies(plan);
    char *to = values;
    size_t most = plan->record != 0 ? (size_t)(copies ? PROGRESS_EVERY : SUM_EVERY) / plan->record + 1 : count;
    for (size_t some; count != 0 && l->sound; count -= some, to += some * plan->size) {
        some = count < most ? count : most;
        const unsigned char *from = covey__read_many(&l->values, some, plan->record);
        if (!from) l->sound = false;
        else if (copies && some * plan->size >= SUM_EVERY / 8) {
            l->sum = covey__crc32c(l->sum, l->values.bytes + l->summed, (size_t)(from - l->values.bytes) - l->summed);
            l->sum = covey__crc32c_copy(l->sum, to, from, some * plan->size, l->large);
            l->summed = l->values.at;
            tell_progress(l, l->summed);
        } else l->sound = covey__decode(plan, to, from, some);
        if (l->values.at - l->summed >= SUM_EVERY) sum_up(l);
    }
}

static void load_values(loading *l, part *p) {
    size_t at = l->values.at;
    l->now = p;
    l->sound = true;
    l->large = (uint64_t)p->count * p->plan.size >= COVEY_CACHE_BYTES / 4;
    if (p->pool->size != 0) covey__each_run(p->pool, load_run_of_values, l);
    else covey__read_many(&l->values, p->count, p->described.record);
    if (!l->sound)
        covey__refuse(&l->values, COVEY_FAULT_VALUE, at, "a %.100s has a bool that is neither", p->pool->type->name);
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static bool in_blocks(const part *p) { return p->described.storage != COVEY_STORAGE_SPARSE; }

/* What an image says of ids and of what is disabled, up to the values. */
static void read_ids(loading *l, covey__reader *reader, part *p) {
    covey_policy policy = p->described.type.policy;
    size_t at = reader->at;
    p->count = covey__read_u32(reader);
    if (in_blocks(p)) {
        p->blocks = covey__read_u32(reader);
        p->masks = covey__read_many(reader, p->blocks, 12);
    } else {
        p->end = covey__read_u32(reader);
        p->dead = covey__read_u32(reader);
        p->ids = covey__read_many(reader, p->end, 4);
        p->dead_ids = covey__read_many(reader, p->dead, 8);
        bool leaves_holes = policy == COVEY_IN_PLACE || policy == COVEY_ORDERED;
        if (p->count > p->end || (p->count != p->end && !leaves_holes) || (p->dead != 0 && policy != COVEY_SWAP_ONLY) ||
            (uint64_t)p->end + p->dead > COVEY_NONE)
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "holes or dead elements where there are none");
        else if (policy == COVEY_IN_PLACE) p->holes = covey__read_many(reader, p->end - p->count, 4);
    }
    p->off = covey__read_u32(reader);
    p->off_masks = covey__read_many(reader, p->off, 12);
    if (p->described.type.ticks) p->ticks = covey__read_many(reader, p->count, 8);
    uint64_t values = (uint64_t)p->count * p->described.record;
    if (is_fine(l) && values != reader->end - reader->at)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "the values of %.100s are not as many as its ids",
                      p->described.type.name);
}

static uint64_t alive_in(const loading *l, uint32_t block) {
    uint64_t mask = 0, first = (uint64_t)block * 64;
    if (first + 64 <= l->dense) return UINT64_MAX;
    for (uint32_t i = 0; i < 64; i++) mask |= (uint64_t)is_alive(l->world, first + i) << i;
    return mask;
}

/* for (uint64_t mask; block_at(...); ) */
static uint32_t block_at(const unsigned char *masks, uint32_t i, uint64_t *mask) {
    *mask = covey__u64_at(masks + (size_t)i * 12 + 4);
    return covey__u32_at(masks + (size_t)i * 12);
}

/* Blocks come in their order, have any ids, and only of entities that are alive. */
static void check_blocks(loading *l, covey__reader *reader, const part *p) {
    uint64_t count = 0, mask, next = 0;
    for (uint32_t i = 0; i < p->blocks; i++) {
        uint32_t block = block_at(p->masks, i, &mask);
        count += mask == UINT64_MAX ? 64 : covey__bits_in(mask);
        if (block < next || mask == 0 || (mask & ~alive_in(l, block)) != 0) {
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(p->masks - reader->bytes) + (size_t)i * 12,
                          "block %u of %.100s has ids that are not alive, or is out of order", block,
                          p->described.type.name);
            return;
        }
        next = (uint64_t)block + 1;
    }
    if (count != p->count)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "%.100s has another number of ids than it says",
                      p->described.type.name);
}

/* for (walk w = { 0 }; next_id(p, &w);) w.index */
typedef struct walk {
    uint32_t next, index;
    uint64_t mask;
} walk;

/* The entities of a part in the order of its values. */
static bool next_id(const part *p, walk *w) {
    if (in_blocks(p)) {
        while (w->mask == 0) {
            if (w->next == p->blocks) return false;
            w->index = block_at(p->masks, w->next++, &w->mask) * 64;
        }
        w->index = w->index / 64 * 64 + covey__lowest_bit(w->mask);
        w->mask &= w->mask - 1;
        return true;
    }
    do {
        if (w->next == p->end) return false;
        w->index = covey__u32_at(p->ids + (size_t)w->next++ * 4);
    } while (w->index == COVEY__HOLE);
    return true;
}

static void check_ids(loading *l, covey__reader *reader, const part *p) {
    uint64_t count = 0;
    for (walk w = { 0 }; next_id(p, &w) && is_fine(l); count++)
        if (!is_alive(l->world, w.index))
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(p->ids - reader->bytes) + (size_t)(w.next - 1) * 4,
                          "%.100s is at index %u, which is not alive", p->described.type.name, w.index);
    if (is_fine(l) && count != p->count)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "%.100s has another number of ids than it says",
                      p->described.type.name);
}

static covey_entity entity_at(const covey_world *world, uint32_t index) {
    return (covey_entity){ index, *generation_at(world, index) };
}

/* Who watches needs a list, and memory, before components get their places. */
static bool prepare_watch(loading *l, part *p) {
    uint32_t i = 0;
    if (!p->pool->watch) return true;
    p->entities = covey__resize(&l->heap, NULL, 0, p->count, sizeof *p->entities, alignof(covey_entity));
    if (!p->entities && p->count != 0) return out_of_memory(l);
    for (walk w = { 0 }; next_id(p, &w); i++) p->entities[i] = entity_at(l->world, w.index);
    return covey__watch_prepare_copies(p->pool, p->entities, p->count) == COVEY_OK || out_of_memory(l);
}

/* What the pool needs, counted generously. */
static uint64_t bytes_for(const loading *l, const part *p) {
    uint64_t size = p->pool->size, all = (uint64_t)p->count + p->end + p->dead, bytes = 512;
    if (all == 0) return bytes;
    bytes += table_bytes(l, all, COVEY__BLOCK_PAGE, 64); /* where it is near */
    if (p->pool->type->ticks) bytes += table_bytes(l, all, COVEY__BLOCK_PAGE, sizeof(covey__tick_page));
    if (p->off != 0) bytes += table_bytes(l, p->off, COVEY__BLOCK_PAGE, COVEY__OFF_BYTES);
    if (in_blocks(p) && covey__in_blocks(p->pool))
        return bytes + p->blocks * (64 * size + 256) +
               table_bytes(l, p->blocks, COVEY__BLOCK_PAGE, sizeof(covey__block_page));
    if (covey__in_blocks(p->pool)) /* an id may be the only one of its block */
        return bytes + p->count * (64 * size + 256) +
               table_bytes(l, p->count, COVEY__BLOCK_PAGE, sizeof(covey__block_page));
    if (p->pool->set.paged) all = (all / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
    return bytes + all * (24 + size * 2) + table_bytes(l, all, COVEY_PAGE_SIZE, COVEY_PAGE_SIZE * sizeof(covey__slot));
}

static bool build_blocks(loading *l, const part *p) {
    covey__block_store *blocks = &p->pool->blocks;
    uint64_t mask;
    for (uint32_t i = 0; i < p->blocks; i++) {
        uint32_t block = block_at(p->masks, i, &mask);
        bool known = covey__blocks_have_page(blocks, block / COVEY__PAGE_BLOCKS);
        if (!known && covey__blocks_reserve(blocks, block * 64, covey__block_limit(l->world)) != COVEY_OK)
            return out_of_memory(l);
        covey__block_page *page = covey__block_page_of(blocks, block * 64);
        page->masks[block % COVEY__PAGE_BLOCKS] = mask;
        page->summary |= (uint64_t)1 << block % COVEY__PAGE_BLOCKS;
    }
    return covey__blocks_shape(blocks) || out_of_memory(l);
}

/* Puts an element where it was; false when its index is there already, or memory is out. */
static bool put_element(loading *l, covey__reader *reader, covey_sparse_set *set, uint32_t at, covey_entity e) {
    uint32_t page = e.index / COVEY_PAGE_SIZE;
    bool has_page = page < set->page_count && covey__set_page(set, page);
    if (!has_page && covey__set_prepare(set, e.index, true) != COVEY_OK) return out_of_memory(l);
    if ((uint32_t)*covey__slot_of(set, e.index) != COVEY_NONE) {
        covey__refuse(reader, COVEY_FAULT_ENTITY, reader->at, "index %u has a component twice", e.index);
        return false;
    }
    set->ids[at] = e;
    *covey__slot_of(set, e.index) = COVEY__SLOT(at, e.generation);
    return true;
}

/* A hole links to itself until the list of holes says where it goes on. */
static void put_hole(covey_sparse_set *set, uint32_t at) {
    set->ids[at] = (covey_entity){ at, 0 };
    memset(covey__value_at(set, at, set->size), 0, set->size);
    if (set->marks) set->marks[at / 64] |= (uint64_t)1 << at % 64;
    set->holes++;
}

static void link_holes(covey__reader *reader, covey_sparse_set *set, const unsigned char *holes) {
    uint32_t *link = &set->hole;
    for (uint32_t i = 0; i < set->holes; i++) {
        uint32_t at = covey__u32_at(holes + (size_t)i * 4);
        if (at >= set->end || set->ids[at].generation != 0 || set->ids[at].index != at) {
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, (size_t)(holes - reader->bytes) + (size_t)i * 4,
                          "position %u is no hole, or is listed twice", at);
            return;
        }
        *link = at;
        link = &set->ids[at].index;
        *link = COVEY_NONE;
    }
}

static void put_dead(loading *l, covey__reader *reader, const part *p) {
    covey_sparse_set *set = &p->pool->set;
    for (uint32_t i = 0; i < p->dead && is_fine(l); i++) {
        const unsigned char *id = p->dead_ids + (size_t)i * 8;
        covey_entity e = { covey__u32_at(id), covey__u32_at(id + 4) };
        if (!is_known(l->world, e.index) || e.generation == 0 || e.generation > COVEY_GENERATION_MAX)
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(id - reader->bytes), "a dead element that cannot be");
        else if (put_element(l, reader, set, set->end + i, e))
            memset(covey__value_at(set, set->end + i, set->size), 0, set->size);
    }
    set->dead = is_fine(l) ? p->dead : 0;
}

/* Elements, holes and dead ones at the positions that they had. */
static bool build_set(loading *l, covey__reader *reader, const part *p) {
    covey_sparse_set *set = &p->pool->set;
    if (covey_sparse_set_reserve(set, p->end + p->dead) != COVEY_OK) return out_of_memory(l);
    for (uint32_t at = 0; at < p->end && is_fine(l); at++) {
        uint32_t index = covey__u32_at(p->ids + (size_t)at * 4);
        if (index == COVEY__HOLE) put_hole(set, at);
        else put_element(l, reader, set, at, entity_at(l->world, index));
    }
    if (!is_fine(l)) return false;
    set->end = p->end;
    if (set->policy == COVEY_IN_PLACE) link_holes(reader, set, p->holes);
    put_dead(l, reader, p);
    return is_fine(l);
}

/* The other ways: one after the other, as if they were added. */
static void load_one_by_one(loading *l, part *p) {
    const void *none = NULL;
    l->now = p;
    l->sound = true;
    for (walk w = { 0 }; next_id(p, &w) && is_fine(l);) {
        void *value;
        covey_result result = covey__pool_place(p->pool, entity_at(l->world, w.index), &none, &value);
        if (result == COVEY_ERROR_PRESENT)
            covey__refuse(&l->values, COVEY_FAULT_ENTITY, l->values.at, "index %u has a component twice", w.index);
        else if (result != COVEY_OK) out_of_memory(l);
        else if (p->pool->size != 0) load_run_of_values(value, 1, l);
        else covey__read_many(&l->values, 1, p->described.record);
        if (!l->sound) covey__refuse(&l->values, COVEY_FAULT_VALUE, l->values.at, "a bool that is neither");
    }
}

/* A pool that had been converted is so again, if it may be. */
static void convert(const part *p) {
    covey_pool *pool = p->pool;
    covey_storage asked = p->described.type.storage, was = p->described.storage;
    bool own = covey__type_storage(pool->type) == asked && pool->storage == asked;
    bool may = pool->type->policy == COVEY_SWAP_AND_POP && was != COVEY_STORAGE_PINNED && asked != COVEY_STORAGE_PINNED;
    bool bound = pool->watch && (pool->watch->is_owned || pool->watch->keeps_order);
    if (was == asked || !own || !may || bound) return;
    covey__pool_free(pool);
    covey__pool_init(pool, was);
    covey__pool_update(pool);
}

static bool is_exact(const part *p) {
    bool same = in_blocks(p) == covey__in_blocks(p->pool);
    return same && (in_blocks(p) || p->pool->set.policy == p->described.type.policy);
}

static void fill_pool(loading *l, covey__reader *reader, part *p) {
    convert(p);
    if (!needs(l, reader, bytes_for(l, p)) || !prepare_watch(l, p)) return;
    p->is_exact = is_exact(p);
    if (p->is_exact && !(in_blocks(p) ? build_blocks(l, p) : build_set(l, reader, p))) return;
    l->values = *reader;
    if (p->is_exact) load_values(l, p);
    else load_one_by_one(l, p);
    *reader = l->values;
    if (p->is_exact && is_fine(l) && !covey__pool_mark_all(p->pool)) out_of_memory(l);
    covey__pool_update(p->pool);
    covey__pool_moved(p->pool, true);
}

static covey_pool *pool_for(loading *l, covey__reader *reader, part *p) {
    const covey_type *type = find_type(l, reader, &p->described, false);
    covey_pool *pool = NULL;
    if (!type || !is_fine(l) || !make_plan(l, reader, &p->plan, type, &p->described)) return NULL;
    if (type == covey_id(covey_disabled)) pool = covey__pool_of_disabled(l->world);
    else pool = covey_pool_of_raw(l->world, type);
    if (!pool) {
        if (l->world->result == COVEY_ERROR_MEMORY) out_of_memory(l);
        else
            covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "%.100s: %s", type->name,
                          covey_result_text(l->world->result));
    }
    for (uint32_t i = 0; i + 1 < l->part_count && pool; i++)
        if (l->parts[i].pool == pool)
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "the image has %.100s twice", type->name);
    return is_fine(l) ? pool : NULL;
}

static void read_pool(loading *l, covey__reader *reader, part *p) {
    if (!covey__read_type(reader, &l->heap, &p->described)) return;
    covey_pool *pool = pool_for(l, reader, p);
    if (is_fine(l)) read_ids(l, reader, p);
    if (is_fine(l)) (in_blocks(p) ? check_blocks : check_ids)(l, reader, p);
    if (!is_fine(l)) return;
    p->pool = pool;
    l->sum = covey__crc32c(0, reader->bytes + p->section.offset, reader->at - p->section.offset);
    l->summed = reader->at;
    if (pool) fill_pool(l, reader, p);
    if (is_fine(l) && !pool) reader->at = reader->end;
    l->values = *reader;
}

/* If anything is wrong, and the sum is, too, it is the sum that is told of. */
static void load_pool(loading *l, const covey__section_entry *section) {
    part *p = &l->parts[l->part_count++];
    *p = (part){ .section = *section };
    covey__reader reader = covey__section_reader(&l->image, section);
    read_pool(l, &reader, p);
    if (is_fine(l)) {
        expect_end(l, &reader);
        sum_up(l);
        if (l->sum != section->checksum) covey__section_damaged(&l->image, section);
    } else if (l->report->fault != COVEY_FAULT_NONE) covey__section_check(&l->image, section);
}

/* ---- Resources ---------------------------------------------------------------------------------------------------*/

static void load_resource_of(loading *l, covey__reader *reader, const covey_type *type, const covey__described *d) {
    covey__plan plan;
    const unsigned char *record = covey__read(reader, d->record);
    expect_end(l, reader);
    if (!record || !needs(l, reader, type->size) || !make_plan(l, reader, &plan, type, d)) return;
    void *value = covey__resize(&l->heap, NULL, 0, type->size, 1, COVEY__ALIGN_MAX);
    if (!value && type->size != 0) out_of_memory(l);
    else if (type->size != 0 && !covey__decode(&plan, value, record, 1))
        covey__refuse(reader, COVEY_FAULT_VALUE, reader->at, "the resource %.100s has a bool that is neither",
                      type->name);
    else if (covey_resource_has_raw(l->world, type))
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "the image has the resource %.100s twice", type->name);
    else if (!covey_resource_set_raw(l->world, type, value, type->size)) {
        if (l->world->result == COVEY_ERROR_MEMORY) out_of_memory(l);
        else
            covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "the resource %.100s: %s", type->name,
                          covey_result_text(l->world->result));
    }
    covey__free(&l->heap, value, type->size, 1, COVEY__ALIGN_MAX);
    covey__plan_free(&l->heap, &plan);
}

/* Components of this name are of the same type. */
static bool is_one_type(const loading *l, const covey__described *d) {
    for (uint32_t i = 0; i < l->part_count; i++) {
        const covey_type *type = &l->parts[i].described.type;
        if (strcmp(type->name, d->type.name) == 0 && !covey__type_same_layout(type, &d->type)) return false;
    }
    return true;
}

static void load_resource(loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    covey__described d;
    if (!covey__read_type(&reader, &l->heap, &d)) return;
    if (!is_one_type(l, &d))
        covey__refuse(&reader, COVEY_FAULT_STRUCTURE, section->offset, "the image has two types named %.100s",
                      d.type.name);
    bool own = strcmp(d.type.name, COVEY__DISABLED) == 0;
    const covey_type *type = is_fine(l) && !own ? find_type(l, &reader, &d, true) : NULL;
    if (is_fine(l) && type) load_resource_of(l, &reader, type, &d);
    covey__described_free(&l->heap, &d);
}

/* ---- Parents and names -------------------------------------------------------------------------------------------*/

static void load_children(loading *l, covey__reader *reader) {
    covey_world *world = l->world;
    size_t at = reader->at;
    uint32_t parent = covey__read_u32(reader), count = covey__read_u32(reader);
    const unsigned char *children = covey__read_many(reader, count, 4);
    if (!is_fine(l) || !needs(l, reader, count * UINT64_C(2) * (sizeof(covey__node) + 8))) return;
    if (!is_alive(world, parent) || count == 0)
        covey__refuse(reader, COVEY_FAULT_PARENT, at, "a parent that is not alive, or has no children");
    for (uint32_t i = 0; i < count && is_fine(l); i++) {
        uint32_t child = covey__u32_at(children + (size_t)i * 4);
        bool fits = is_alive(world, child) && child != parent && covey__parent_of(world, child) == COVEY_NONE;
        if (!fits)
            covey__refuse(reader, COVEY_FAULT_PARENT, at + 8 + (size_t)i * 4, "index %u cannot be a child", child);
        else if (!covey__hierarchy_link(world, entity_at(world, child), entity_at(world, parent))) out_of_memory(l);
    }
}

static void load_parents(loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t count = covey__read_u32(&reader);
    needs(l, &reader, table_bytes(l, section->bytes / 4, COVEY__BLOCK_PAGE, sizeof(covey__block_page) + 64));
    for (uint32_t i = 0; i < count && is_fine(l); i++) load_children(l, &reader);
    expect_end(l, &reader);
    if (is_fine(l) && !covey__hierarchy_is_sound(l->world))
        covey__refuse(&reader, COVEY_FAULT_PARENT, section->offset, "parents go round in a circle");
}

static void load_name(loading *l, covey__reader *reader) {
    char text[UINT16_MAX + 1];
    size_t at = reader->at;
    uint32_t index = covey__read_u32(reader), length = covey__read_u16(reader);
    const unsigned char *from = covey__read(reader, length);
    if (!from || !needs(l, reader, length + UINT64_C(2) * (sizeof(covey__name) + 16))) return;
    memcpy(text, from, length);
    text[length] = '\0';
    covey_result result = COVEY_ERROR_DEAD;
    bool may_be = length != 0 && !memchr(text, 0, length) && is_alive(l->world, index);
    if (may_be && !covey_name(l->world, entity_at(l->world, index)))
        result = covey_name_set(l->world, entity_at(l->world, index), text);
    if (result == COVEY_ERROR_MEMORY) out_of_memory(l);
    else if (result != COVEY_OK) covey__refuse(reader, COVEY_FAULT_NAME, at, "index %u cannot have its name", index);
}

static void load_names(loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t count = covey__read_u32(&reader);
    needs(l, &reader, table_bytes(l, section->bytes / 4, COVEY__BLOCK_PAGE, sizeof(covey__block_page) + 64));
    for (uint32_t i = 0; i < count && is_fine(l); i++) load_name(l, &reader);
    expect_end(l, &reader);
}

/* ---- Who watches -------------------------------------------------------------------------------------------------*/

static void settle(loading *l) {
    for (uint32_t i = 0; i < l->part_count; i++)
        if (l->parts[i].entities) l->parts[i].pool->watch->settling = true;
    for (uint32_t i = 0; i < l->part_count; i++) {
        const part *p = &l->parts[i];
        if (!p->entities) continue;
        p->pool->watch->settling = false;
        for (uint32_t k = 0; k < p->count; k++) covey__watch_placed(p->pool, p->entities[k].index);
    }
}

/* The world's time does not go back. Values of types that had no ticks were changed now. */
static void load_ticks(loading *l, const part *p) {
    if (!p->pool->type->ticks) return;
    for (uint32_t i = 0; i < p->count && is_fine(l); i++) {
        uint64_t tick = p->ticks ? covey__u64_at(p->ticks + (size_t)i * 8) : l->world->tick;
        covey__ticks_put(p->pool, p->entities[i].index, tick);
        if (tick == 0 || tick > l->world->tick)
            covey__refuse(&l->image.whole, COVEY_FAULT_STRUCTURE, (size_t)(p->ticks - l->image.whole.bytes) + i * 8,
                          "a %.100s that was never changed, or later than now", p->pool->type->name);
    }
}

static void load_off(loading *l, const part *p) {
    const covey_type *type = p->pool->type;
    uint64_t mask;
    for (uint32_t i = 0; i < p->off && is_fine(l); i++) {
        size_t at = (size_t)(p->off_masks - l->image.whole.bytes) + (size_t)i * 12;
        uint64_t first = (uint64_t)block_at(p->off_masks, i, &mask) * 64;
        if (mask == 0)
            covey__refuse(&l->image.whole, COVEY_FAULT_STRUCTURE, at, "a block in which nothing is disabled");
        for (; mask != 0 && is_fine(l); mask &= mask - 1) {
            uint64_t index = first + covey__lowest_bit(mask);
            bool there = is_alive(l->world, index) && covey__has_index(p->pool, (uint32_t)index);
            if (!there)
                covey__refuse(&l->image.whole, COVEY_FAULT_ENTITY, at, "a component is disabled that is not there");
            else if (covey_component_disable_raw(l->world, entity_at(l->world, (uint32_t)index), type) != COVEY_OK)
                out_of_memory(l);
        }
    }
}

static bool is_heard(const part *p) { return p->entities && p->pool->watch->listeners.count != 0; }

/* Room in queues for all that is about to be told; what is there by now is accounted for. */
static void prepare_queues(loading *l) {
    for (covey_queue *queue = l->world->queues; queue && is_fine(l); queue = queue->next) {
        uint64_t events = 0;
        for (uint32_t i = 0; i < queue->source_count; i++) {
            const covey__source_of_events *source = &queue->sources[i];
            if (!source->pool) events += (source->signals & COVEY_ON_CREATE) != 0 ? l->world->alive : 0;
            else events += (source->signals & COVEY_ON_ADD) != 0 ? covey_pool_count(source->pool) : 0;
        }
        if (!covey__queue_reserve(queue, events)) out_of_memory(l);
    }
}

static void list_created(loading *l) {
    const covey_world *world = l->world;
    if (!world->listeners) return;
    l->created = covey__resize(&l->heap, NULL, 0, world->alive, sizeof *l->created, alignof(covey_entity));
    if (!l->created) {
        if (world->alive != 0) out_of_memory(l);
        return;
    }
    covey_entity e = covey_entity_next(world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(world, e)) l->created[l->created_count++] = e;
    if (covey__listeners_prepare(world->listeners, COVEY_ON_CREATE, l->created, l->created_count) != COVEY_OK)
        out_of_memory(l);
}

static void prepare_telling(loading *l) {
    list_created(l);
    prepare_queues(l);
    if (!is_fine(l)) return;
    l->emissions = covey__resize(&l->heap, NULL, 0, l->part_capacity, sizeof *l->emissions, alignof(covey__emission));
    if (!l->emissions) out_of_memory(l);
}

/* There are fewer pools than sections. */
static void tell(loading *l) {
    uint32_t count = 0;
    if (l->created)
        l->emissions[count++] =
            (covey__emission){ .signal = COVEY_ON_CREATE, .entities = l->created, .count = l->created_count };
    for (uint32_t i = 0; i < l->part_count; i++) {
        const part *p = &l->parts[i];
        if (!p->pool || !is_heard(p)) continue;
        l->emissions[count++] =
            (covey__emission){ .pool = p->pool, .signal = COVEY_ON_ADD, .entities = p->entities, .count = p->count };
    }
    if (count != 0) covey__emit_together(l->world, l->emissions, count);
}

/* ---- All together ------------------------------------------------------------------------------------------------*/

/* No value has been one to anybody yet: none is dropped. */
static void undo(loading *l) {
    covey_world *world = l->world;
    const covey_pool *names = world->names ? world->names->pool : NULL;
    for (uint32_t at; names && (at = covey_pool_next(names, 0)) != COVEY_NONE;)
        covey__name_lose(world, covey_pool_at(names, at).index);
    if (world->nodes) covey__pool_forget(world->nodes);
    covey__resources_forget(world);
    for (uint32_t i = 0; i < l->part_count; i++) {
        part *p = &l->parts[i];
        if (!p->pool) continue;
        covey__pool_forget(p->pool);
        if (!p->pool->watch) continue;
        p->pool->watch->settling = false;
        covey__pages_free(&world->heap, &p->pool->watch->ticks, sizeof(covey__tick_page)); /* the time goes back */
    }
    covey__entities_reset(world);
    world->tick = l->tick;
}

static void load_section(loading *l, const covey__section_entry *section) {
    switch (section->kind) {
    case COVEY_SECTION_WORLD: break;
    case COVEY_SECTION_ENTITIES: load_entities(l, section); break;
    case COVEY_SECTION_POOL: load_pool(l, section); break;
    case COVEY_SECTION_RESOURCE: load_resource(l, section); break;
    case COVEY_SECTION_PARENTS: load_parents(l, section); break;
    case COVEY_SECTION_NAMES: load_names(l, section); break;
    }
    tell_progress(l, section->offset + section->bytes);
}

static void load_world(loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint64_t tick = covey__read_u64(&reader), alive = covey__read_u64(&reader);
    expect_end(l, &reader);
    if (is_fine(l) && tick == 0) covey__refuse(&reader, COVEY_FAULT_STRUCTURE, section->offset, "time has not begun");
    if (tick > l->world->tick) l->world->tick = tick;
    if (is_fine(l) && alive != l->world->alive)
        covey__refuse(&reader, COVEY_FAULT_ENTITY, section->offset + 8, "another number of entities is alive");
}

/* All components are there: whoever watches finds them, and the world is one again. */
static void load_what_watches(loading *l) {
    covey__section_entry world = covey__section_first(&l->image);
    if (is_fine(l)) load_world(l, &world);
    if (is_fine(l)) settle(l);
    for (uint32_t i = 0; i < l->part_count && is_fine(l); i++)
        if (l->parts[i].pool) load_ticks(l, &l->parts[i]);
    for (uint32_t i = 0; i < l->part_count && is_fine(l); i++)
        if (l->parts[i].pool) load_off(l, &l->parts[i]);
}

static void load_all(loading *l) {
    covey__image *image = &l->image;
    covey__section_entry s = covey__section_first(image);
    for (; s.kind && s.kind <= COVEY_SECTION_POOL && is_fine(l); covey__section_next(image, &s))
        if (s.kind == COVEY_SECTION_POOL || covey__section_check(image, &s)) load_section(l, &s);
    load_what_watches(l);
    for (; s.kind && is_fine(l); covey__section_next(image, &s))
        if (covey__section_check(image, &s)) load_section(l, &s);
    if (is_fine(l)) prepare_telling(l);
}

static void free_all(loading *l) {
    for (uint32_t i = 0; i < l->part_count; i++) {
        part *p = &l->parts[i];
        covey__described_free(&l->heap, &p->described);
        covey__plan_free(&l->heap, &p->plan);
        covey__free(&l->heap, p->entities, p->count, sizeof *p->entities, alignof(covey_entity));
    }
    covey__free(&l->heap, l->created, l->created_count, sizeof *l->created, alignof(covey_entity));
    covey__free(&l->heap, l->emissions, l->part_capacity, sizeof *l->emissions, alignof(covey__emission));
    covey__free(&l->heap, l->parts, l->part_capacity, sizeof *l->parts, alignof(part));
}

static bool open_image(loading *l, const void *bytes, size_t size) {
    if (!covey__image_open(&l->image, bytes, size, l->report)) return false;
    l->part_capacity = l->image.sections;
    l->parts = covey__resize(&l->heap, NULL, 0, l->part_capacity, sizeof *l->parts, alignof(part));
    return l->parts || out_of_memory(l);
}

covey_result covey__load(covey_world *world, const covey_world *knows, const void *bytes, size_t size,
                         const covey_load_desc *desc, covey_report *report) {
    loading l = {
        .world = world, .knows = knows, .desc = desc, .report = report, .heap = { world->heap.allocator, 0 }
    };
    covey_log_fn *log = world->log;
    covey_result before = world->result;
    l.tick = world->tick;
    *report = (covey_report){ 0 };
    if (world->emission || !covey__entities_untouched(world) || covey_world_resource_count(world) != 0)
        fail(&l, COVEY_ERROR_REFUSED, "the world has, or had, entities or resources");
    if (!is_fine(&l) || !open_image(&l, bytes, size)) return report->result;
    world->log = NULL; /* one sentence says it all */
    load_all(&l);
    if (!is_fine(&l)) undo(&l);
    world->log = log;
    world->result = before;
    if (is_fine(&l)) tell(&l); /* from here on nothing fails */
    free_all(&l);
    COVEY__CHANGED(world);
    return report->result;
}

covey_result covey__report_to(covey_world *world, covey_report *report, covey_result result, const char *what) {
    if (result == COVEY_OK) return COVEY_OK;
    report->result = result;
    if (report->text[0] == '\0') snprintf(report->text, sizeof report->text, "%s", covey_result_text(result));
    return covey__fail(world, result, "%s: %s", what, report->text);
}

covey_result covey_load_from_memory(covey_world *world, const void *bytes, size_t size, const covey_load_desc *desc,
                                    covey_report *report) {
    static const covey_load_desc defaults = { 0 };
    covey_report unheard;
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (!report) report = &unheard;
    covey_result result = covey__load(world, world, bytes, size, desc ? desc : &defaults, report);
    return covey__report_to(world, report, result, "the image could not be loaded");
}
