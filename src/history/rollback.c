/* Restoring a snapshot, in two steps. The first allocates all memory, makes all copies and changes nothing visible; the
 * second cannot fail. Storages are written in place: where the ids of a part are unchanged, only its values are
 * written. A pool that was converted since gets its old storage again. */
#include "history/history.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "change/commands.h"
#include "change/entity.h"
#include "image/follower.h"
#include "memory/lines.h"
#include "observe/listeners.h"
#include "storage/marks.h"
#include "observe/members.h"
#include "tree/name.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "change/pool.h"
#include "storage/presence.h"
#include "observe/queue.h"
#include "change/resource.h"
#include "memory/result.h"
#include "storage/shortcut.h"
#include "storage/slab.h"
#include "query/sort.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "memory/tick_page.h"
#include "storage/type.h"

#include <stdalign.h>

/* For a set: which parts of its ids have changed. */
typedef struct set_plan {
    uint64_t *differs; /* a bit for each part */
    uint32_t parts;
} set_plan;

/* What the first step has made for a pool. */
typedef struct pool_plan {
    const covey__pool_image *image;
    set_plan set;
    covey_pool fresh; /* the storage that the pool is to have, if it is converted */
    bool converts;
    covey__units values; /* values that hooks have copied, and names, ready to move into the pool */
    char **chunks;       /* in the order in which blocks get them */
    uint32_t chunk_count, chunk_capacity;
} pool_plan;

/* Copying from several memory pages alternately is faster than page after page. */
enum { COPIES = 4 };
typedef struct copying {
    char *to;
    const char *from;
    size_t bytes;
} copying;

typedef struct rollback {
    covey_history *history;
    covey_world *world;
    const covey__snapshot *snapshot;
    pool_plan *plans;    /* of all pools, by number */
    set_plan *groups;    /* of the sets of all groups */
    set_plan *followers; /* of what all followers know */
    uint32_t follower_count;
    bool is_large;          /* more than the caches hold */
    copying copies[COPIES]; /* that wait */
    uint32_t copy_count;
    struct covey__resources *resources;
    covey_result result;
    const char *reason; /* a name, or a sentence; NULL: the text of the result */
} rollback;

static bool fails(rollback *r, covey_result result, const char *reason) {
    r->result = result;
    r->reason = reason;
    return false;
}

static bool is_done(rollback *r, covey_result result) { return result == COVEY_OK || fails(r, result, NULL); }

static bool out_of_memory(rollback *r) { return fails(r, COVEY_ERROR_MEMORY, NULL); }

/* The pool whose storage is written. */
static covey_pool *target_of(rollback *r, covey_pool *pool) {
    pool_plan *p = &r->plans[pool->number];
    return p->converts ? &p->fresh : pool;
}

/* ---- Copying -----------------------------------------------------------------------------------------------------*/

static void copy_first(copying *c, size_t bytes) {
    memcpy(c->to, c->from, bytes);
    c->to += bytes;
    c->from += bytes;
    c->bytes -= bytes;
}

/* Up to where a line begins, if that is before the end. */
static void copy_head(copying *c) {
    size_t head = (64 - (uintptr_t)c->to % 64) % 64;
    copy_first(c, head < c->bytes ? head : c->bytes);
}

static void copy_lines(copying *all, size_t lines) {
    for (size_t at = 0; at < lines * 64; at += 64)
        for (uint32_t i = 0; i < COPIES; i++) {
            covey__prefetch_line(all[i].from + at + 512);
            covey__copy_line(all[i].to + at, all[i].from + at);
        }
    for (uint32_t i = 0; i < COPIES; i++) {
        all[i].to += lines * 64;
        all[i].from += lines * 64;
        all[i].bytes -= lines * 64;
    }
}

/* Makes the copies that wait. */
static void copy_waiting(rollback *r) {
    copying *all = r->copies;
    size_t lines = SIZE_MAX;
    for (uint32_t i = 0; i < r->copy_count; i++) {
        copy_head(&all[i]);
        if (all[i].bytes / 64 < lines) lines = all[i].bytes / 64;
    }
    if (r->copy_count == COPIES) copy_lines(all, lines);
    for (uint32_t i = 0; i < r->copy_count; i++) copy_first(&all[i], all[i].bytes);
    r->copy_count = 0;
}

/* Copies now or, if there is much to copy, together with other copies. */
static void copy(rollback *r, void *to, const covey__unit *unit, size_t from, size_t bytes) {
    r->copies[r->copy_count++] = (copying){ to, covey__unit_bytes(unit) + from, bytes };
    if (!r->is_large || r->copy_count == COPIES) copy_waiting(r);
}

/* ---- Images ------------------------------------------------------------------------------------------------------*/

/* For a pool that was created since. */
static const covey__pool_image nothing = { .set = { .hole = COVEY_NONE } };

/* The pools of another world than the history's have numbers of their own. */
static const covey__pool_image *image_of_pool(const rollback *r, const covey_pool *pool) {
    const covey_world *then = r->history->world;
    const covey_pool *known = r->world == then ? pool : covey__pool_named(then, pool->type->name);
    return known->number < r->snapshot->pool_count ? &r->snapshot->pools[known->number] : &nothing;
}

static const covey__form *form_at(const covey__pool_image *image, uint32_t page) {
    static const covey__form none;
    const covey__unit *unit = covey__unit_at(&image->forms, page);
    return unit ? (const covey__form *)(const void *)covey__unit_bytes(unit) : &none;
}

static uint32_t size_of(const covey__set_image *image) { return image->end + image->dead; }

static covey_entity id_at(const covey__set_image *image, uint32_t position) {
    const covey__unit *unit = image->ids.at[position / COVEY__UNIT];
    return ((const covey_entity *)(const void *)covey__unit_bytes(unit))[position % COVEY__UNIT];
}

static uint64_t word_at(const covey__set_image *image, uint32_t number) {
    const covey__unit *unit = image->marks.at[number / COVEY__UNIT_WORDS];
    return ((const uint64_t *)(const void *)covey__unit_bytes(unit))[number % COVEY__UNIT_WORDS];
}

/* The id at a position; null for a hole. */
static covey_entity element_at(const covey__set_image *image, uint32_t position) {
    bool marked = image->marks.count != 0 && (word_at(image, position / 64) >> position % 64 & 1) != 0;
    return marked ? (covey_entity){ 0, 0 } : id_at(image, position);
}

/* Iterates the indices of an image: the first from *from on, or COVEY_NONE; sets *from behind it. In blocks *from is an
 * index, for a set a position. */
static uint32_t next_index(const covey__pool_image *image, uint64_t *from) {
    while (!covey__is_packed_in(image->storage) && *from / COVEY__BLOCK_PAGE < image->forms.count) {
        const covey__form *form = form_at(image, (uint32_t)(*from / COVEY__BLOCK_PAGE));
        uint64_t left = form->masks[covey__block_of((uint32_t)*from)] >> *from % COVEY__BLOCK_IDS;
        if (left != 0) {
            *from += covey__lowest_bit(left) + UINT64_C(1);
            return (uint32_t)(*from - 1);
        }
        *from = (*from / COVEY__BLOCK_IDS + 1) * COVEY__BLOCK_IDS;
    }
    while (covey__is_packed_in(image->storage) && *from < image->set.end) {
        covey_entity e = element_at(&image->set, (uint32_t)(*from)++);
        if (e.generation != 0) return e.index;
    }
    return COVEY_NONE;
}

/* ---- Sets --------------------------------------------------------------------------------------------------------*/

static uint32_t part_size(uint32_t size, uint32_t part) {
    uint32_t first = part * COVEY__UNIT, left = size > first ? size - first : 0;
    return left < COVEY__UNIT ? left : COVEY__UNIT;
}

static uint32_t parts_of(uint32_t size) { return size / COVEY__UNIT + (size % COVEY__UNIT != 0); }

/* Whether the ids of a part have, or may have, changed. */
static bool compare_part(const covey_sparse_set *set, const covey__set_image *image, uint32_t part) {
    uint32_t now = part_size(covey_sparse_set_size(set), part), then = part_size(size_of(image), part);
    if (now != then || (set->policy == COVEY_ORDERED && (set->holes != 0 || image->holes != 0))) return true;
    return then != 0 &&
           memcmp(set->ids + part * COVEY__UNIT, covey__unit_bytes(image->ids.at[part]), then * sizeof *set->ids) != 0;
}

static bool differs(const set_plan *plan, uint32_t part) { return (plan->differs[part / 64] >> part % 64 & 1) != 0; }

static bool make_set_plan(rollback *r, set_plan *plan, const covey_sparse_set *set, const covey__set_image *image) {
    uint32_t now = parts_of(covey_sparse_set_size(set)), then = parts_of(size_of(image));
    uint32_t parts = now > then ? now : then, words = parts / 64 + (parts % 64 != 0);
    plan->differs = covey__resize(&r->history->heap, NULL, 0, words, sizeof *plan->differs, alignof(uint64_t));
    if (!plan->differs) return words == 0 || out_of_memory(r);
    plan->parts = parts;
    memset(plan->differs, 0, words * sizeof *plan->differs);
    for (uint32_t i = 0; i < parts; i++) plan->differs[i / 64] |= (uint64_t)compare_part(set, image, i) << i % 64;
    return true;
}

static void free_set_plan(rollback *r, set_plan *plan) {
    uint32_t words = plan->parts / 64 + (plan->parts % 64 != 0);
    covey__free(&r->history->heap, plan->differs, words, sizeof *plan->differs, alignof(uint64_t));
}

/* A page of the table for an index; of a pool, it is present then. */
static bool reach(covey_sparse_set *set, covey_pool *pool, uint32_t index) {
    if (index / COVEY_PAGE_SIZE < set->page_count && covey__set_page(set, index / COVEY_PAGE_SIZE)) return true;
    return (pool ? covey__storage_reach(pool, index) : covey__set_reach(set, index)) == COVEY_OK;
}

/* Room for all elements of the image; `pool` is NULL for a set of a group. */
static bool prepare_set(rollback *r, set_plan *plan, covey_sparse_set *set, covey_pool *pool,
                        const covey__set_image *image) {
    uint32_t size = size_of(image);
    if (!make_set_plan(r, plan, set, image)) return false;
    if (!is_done(r, covey_sparse_set_reserve(set, size))) return false;
    for (uint32_t part = 0; part < parts_of(size); part++) {
        uint32_t first = part * COVEY__UNIT;
        if (!differs(plan, part)) continue;
        for (uint32_t i = 0; i < part_size(size, part); i++) {
            covey_entity e = element_at(image, first + i);
            if (e.generation != 0 && !reach(set, pool, e.index)) return out_of_memory(r);
        }
    }
    return true;
}

/* For the parts that differ, removes the current ids from the table, */
static void clear_slots(covey_sparse_set *set, const set_plan *plan) {
    uint32_t size = covey_sparse_set_size(set);
    for (uint32_t part = 0; part < parts_of(size); part++) {
        if (!differs(plan, part)) continue;
        uint32_t first = part * COVEY__UNIT;
        for (uint32_t i = first; i < first + part_size(size, part); i++)
            if (i >= set->end || !covey__is_hole(set, i)) *covey__slot_of(set, set->ids[i].index) = COVEY__SLOT_NULL;
    }
}

/* and adds those of the image. */
static void write_ids(covey_sparse_set *set, const set_plan *plan, const covey__set_image *image) {
    uint32_t size = size_of(image);
    for (uint32_t part = 0; part < parts_of(size); part++) {
        uint32_t first = part * COVEY__UNIT, count = part_size(size, part);
        if (!differs(plan, part)) continue;
        memcpy(set->ids + first, covey__unit_bytes(image->ids.at[part]), count * sizeof *set->ids);
        for (uint32_t i = first; i < first + count; i++) {
            covey_entity e = element_at(image, i);
            if (e.generation != 0) *covey__slot_of(set, e.index) = COVEY__SLOT(i, e.generation);
        }
    }
}

static void write_marks(covey_sparse_set *set, const covey__set_image *image) {
    if (!set->marks) return;
    memset(set->marks, 0, set->mark_capacity * sizeof *set->marks);
    for (uint32_t i = 0; i < image->marks.count; i++)
        memcpy(set->marks + (size_t)i * COVEY__UNIT_WORDS, covey__unit_bytes(image->marks.at[i]),
               image->marks.at[i]->bytes);
}

static void restore_set(covey_sparse_set *set, const set_plan *plan, const covey__set_image *image) {
    clear_slots(set, plan);
    write_ids(set, plan, image);
    write_marks(set, image);
    set->end = image->end;
    set->dead = image->dead;
    set->holes = image->holes;
    set->hole = image->hole;
}

static void write_set_values(rollback *r, const covey_sparse_set *set, const covey__units *values) {
    for (uint32_t part = 0; part < values->count; part++)
        copy(r, covey__value_at(set, part * COVEY__UNIT, set->size), values->at[part], 0, values->at[part]->bytes);
}

/* Zeroes memory without values. */
static void zero_vacated(const covey_sparse_set *set, uint32_t size_before) {
    uint32_t size = covey_sparse_set_size(set);
    if (size_before > size) size = size_before;
    for (uint32_t i = 0; i < size; i++)
        if (i >= set->end || covey__is_hole(set, i)) memset(covey__value_at(set, i, set->size), 0, set->size);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

static bool has_form(const covey__block_store *blocks, uint32_t page, const covey__unit *unit) {
    covey__form form;
    size_t bytes = covey__blocks_have_page(blocks, page) ? covey__blocks_form(blocks, page, &form) : 0;
    return bytes == (unit ? unit->bytes : 0) && (!unit || memcmp(&form, covey__unit_bytes(unit), bytes) == 0);
}

/* Pools that are owned by a group now have no direct blocks. */
static uint32_t capacity_in(const covey__block_store *blocks, const covey__form *form, uint32_t block) {
    bool direct = form->capacity[block] == COVEY__BLOCK_IDS;
    return direct && blocks->grouped ? COVEY__MAPPED_WHOLE : form->capacity[block];
}

static bool gets_chunk(const covey__block_store *blocks, uint32_t index, const covey__form *form) {
    uint32_t block = covey__block_of(index), capacity = covey__block_page_of(blocks, index)->capacity[block];
    return form->masks[block] != 0 && capacity != capacity_in(blocks, form, block);
}

/* Allocates chunks for the blocks of a page that have, or will have, none that fits. */
static bool take_chunks(rollback *r, covey_pool *pool, pool_plan *p, uint32_t page, const covey__form *form) {
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        if (!gets_chunk(&pool->blocks, page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS, form)) continue;
        char **chunks =
            covey__reach(&r->history->heap, p->chunks, &p->chunk_capacity, p->chunk_count, UINT32_MAX, NULL);
        if (!chunks) return out_of_memory(r);
        p->chunks = chunks;
        chunks[p->chunk_count] = covey__blocks_chunk(&pool->blocks, capacity_in(&pool->blocks, form, block));
        if (!chunks[p->chunk_count]) return out_of_memory(r);
        p->chunk_count++;
    }
    return true;
}

static bool prepare_blocks(rollback *r, covey_pool *pool, pool_plan *p) {
    for (uint32_t page = 0; page < p->image->forms.count; page++) {
        uint32_t first = page * COVEY__BLOCK_PAGE;
        const covey__unit *unit = p->image->forms.at[page];
        if (!unit || has_form(&pool->blocks, page, unit)) continue;
        if (!covey__presence_reserve(r->world, pool->number, first)) return out_of_memory(r);
        if (!is_done(r, covey__blocks_reserve(&pool->blocks, first, covey__block_limit(r->world)))) return false;
        if (!take_chunks(r, pool, p, page, form_at(p->image, page))) return false;
    }
    return true;
}

/* Sets the ids of a block; its pool is marked where it has any. */
static void reshape(covey_pool *pool, uint32_t index, const covey__form *form, const uint8_t *slots, char *chunk) {
    uint32_t block = covey__block_of(index), count = 0;
    uint64_t before = covey__block_page_of(&pool->blocks, index)->masks[block], mask = form->masks[block];
    uint8_t in_order[COVEY__BLOCK_IDS]; /* the ids of a direct block */
    for (uint64_t left = mask; left != 0 && form->capacity[block] == COVEY__BLOCK_IDS; left &= left - 1)
        in_order[count++] = (uint8_t)covey__lowest_bit(left);
    covey__blocks_reshape(&pool->blocks, index, mask, count != 0 ? in_order : slots, chunk,
                          capacity_in(&pool->blocks, form, block));
    if (before == 0 && mask != 0) covey__presence_set(pool->world, pool->number, index);
    if (before != 0 && mask == 0) covey__presence_unmark(pool->world, pool->number, index);
}

/* In the order in which the chunks were taken. */
static void reshape_page(covey_pool *pool, uint32_t page, const covey__form *form, char *const **chunks) {
    const uint8_t *slots = form->slots;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        uint32_t index = page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS;
        char *chunk = gets_chunk(&pool->blocks, index, form) ? *(*chunks)++ : NULL;
        reshape(pool, index, form, slots, chunk);
        if (form->capacity[block] != COVEY__BLOCK_IDS) slots += covey__bits_in(form->masks[block]);
    }
}

static void restore_blocks(covey_pool *pool, const pool_plan *p) {
    covey__block_store *blocks = &pool->blocks;
    char *const *chunks = p->chunks;
    for (uint32_t page = 0; page < blocks->page_count; page++) {
        if (!covey__blocks_have_page(blocks, page)) continue;
        if (has_form(blocks, page, covey__unit_at(&p->image->forms, page))) continue;
        reshape_page(pool, page, form_at(p->image, page), &chunks);
    }
    blocks->count = p->image->count;
}

static void write_block_values(rollback *r, const covey__block_store *blocks, const covey__units *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (!values->at[i]) continue;
        uint32_t block = i % COVEY__UNITS_OF_PAGE * COVEY__UNIT_BLOCKS;
        const covey__block_page *page = blocks->pages[i / COVEY__UNITS_OF_PAGE];
        covey__runs runs = covey__runs_of(blocks, page, block, block + COVEY__UNIT_BLOCKS);
        size_t from = 0;
        char *at;
        for (size_t run; (run = covey__runs_next(&runs, &at)) != 0; from += run) copy(r, at, values->at[i], from, run);
    }
}

/* ---- Reactive sets -----------------------------------------------------------------------------------------------*/

/* A reactive set that was created or reused since has no marks. */
static const covey__pool_image *image_of_tags(const covey_pool *tags, const covey__pool_image *image) {
    uint64_t number = covey__reactive_number(tags);
    return number != 0 && number == image->reactive ? image : &nothing;
}

static bool prepare_tags(rollback *r, covey_pool *tags, const covey__pool_image *image) {
    for (uint32_t page = 0; page < image->forms.count; page++)
        if (image->forms.at[page] && !is_done(r, covey__reactive_reserve(tags, page * COVEY__BLOCK_PAGE))) return false;
    return true;
}

static void restore_tags(covey_pool *tags, const covey__pool_image *image) {
    covey__block_store *blocks = &tags->blocks;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        covey__block_page *page = blocks->pages[i];
        if (!covey__blocks_have_page(blocks, i)) continue;
        memcpy(page->masks, form_at(image, i)->masks, sizeof page->masks);
        page->summary = 0;
        for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
            page->summary |= (uint64_t)(page->masks[block] != 0) << block;
    }
    blocks->count = image->count;
    if (!tags->ended) return;
    const covey__unit *unit = covey__unit_at(&image->ends, 0);
    tags->ended->count = image->ended;
    if (unit) memcpy(tags->ended->handles, covey__unit_bytes(unit), unit->bytes);
}

/* Room for those that were destroyed by then, and for those that may be marked when they are. */
static bool prepare_ended(rollback *r, covey_pool *tags) {
    const covey__pool_image *image = r->plans[tags->number].image;
    const covey__ended *ended = tags->ended;
    uint64_t handles = (uint64_t)image->ended + image->count;
    for (uint32_t i = 0; i < ended->source_count; i++) handles += r->plans[ended->sources[i]->number].image->count;
    return is_done(r, covey__ended_reserve_all(tags, handles));
}

/* Makes room for the marks of the set: for all components of the pools that it listens to. */
static bool prepare_listeners(rollback *r, const covey_pool *pool, const covey__pool_image *image) {
    const covey__listeners *listeners = &pool->observers->listeners;
    for (uint32_t i = 0; i < listeners->count; i++) {
        covey_pool *tags = listeners->all[i].tags;
        uint64_t from = 0;
        for (uint32_t index; tags && (index = next_index(image, &from)) != COVEY_NONE;)
            if (!is_done(r, covey__reactive_reserve(tags, index))) return false;
    }
    return true;
}

/* ---- Values that are not bytes -----------------------------------------------------------------------------------*/

static covey__unit *make_copies(rollback *r, const covey_type *type, const covey__unit *from) {
    covey__unit *unit = covey__unit_create(r->history, from->bytes, type);
    if (!unit) return out_of_memory(r), NULL;
    unit->wipe = from->wipe;
    while (unit->count < from->count && r->result == COVEY_OK)
        if (!covey__unit_copy(r->history, unit, covey__unit_bytes(from) + (size_t)unit->count * type->size))
            fails(r, COVEY_ERROR_COPY, type->name);
    return unit;
}

static const char *read_name(const char *from, covey__name_record *record) {
    memcpy(record, from, sizeof *record);
    return from + sizeof *record;
}

static uint32_t count_names(const covey__unit *unit) {
    uint32_t count = 0;
    covey__name_record record;
    const char *from = covey__unit_bytes(unit), *end = from + unit->bytes;
    for (; from != end; from += record.length, count++) from = read_name(from, &record);
    return count;
}

static covey__name *name_in(const covey__unit *unit, uint32_t number) {
    return (covey__name *)(void *)covey__unit_bytes(unit) + number;
}

static covey__name name_from(char *text, const covey__name_record *record) {
    return (covey__name){
        .text = text, .links.note = (uint16_t)record->length, .hash = record->hash, .parent = record->parent
    };
}

/* Copies names, with texts in memory of the world. */
static covey__unit *make_names(rollback *r, const covey__unit *from) {
    const char *at = covey__unit_bytes(from), *end = at + from->bytes;
    covey__unit *unit = covey__unit_create(r->history, count_names(from) * sizeof(covey__name), NULL);
    if (!unit) return out_of_memory(r), NULL;
    for (covey__name_record record; at != end && r->result == COVEY_OK; at += record.length) {
        at = read_name(at, &record);
        char *text = covey__name_text(r->world, at, record.length);
        if (text) *name_in(unit, unit->count++) = name_from(text, &record);
        else out_of_memory(r);
    }
    return unit;
}

static bool prepare_values(rollback *r, const covey_pool *pool, pool_plan *p) {
    covey__keeping keeping = covey__keeping_of(pool);
    const covey__units *values = &p->image->values;
    if (keeping == COVEY__KEEP_BYTES) return true;
    if (keeping == COVEY__KEEP_NAMES && !covey__names_room(r->world, p->image->count)) return out_of_memory(r);
    if (!covey__units_create(r->history, &p->values, values->count)) return out_of_memory(r);
    for (uint32_t i = 0; i < values->count && r->result == COVEY_OK; i++) {
        if (!values->at[i]) continue;
        p->values.at[i] =
            keeping == COVEY__KEEP_NAMES ? make_names(r, values->at[i]) : make_copies(r, pool->type, values->at[i]);
    }
    return r->result == COVEY_OK;
}

/* Drops the current values. */
static void end_values(const covey_pool *pool) {
    const covey_type *type = pool->type;
    covey__keeping keeping = covey__keeping_of(pool);
    if (keeping == COVEY__KEEP_NAMES) covey__names_erase_all(pool->world);
    for (uint32_t at = 0; keeping == COVEY__KEEP_COPIES && type->drop && (at = covey_pool_next(pool, at)) != COVEY_NONE;
         at++)
        covey__pool_drop_value(pool, covey_pool_value_at_raw(pool, at));
}

/* The positions of unit i begin here. */
static uint32_t first_of(const covey_pool *pool, uint32_t unit) {
    return unit * (covey__packed_in(pool) ? COVEY__UNIT : COVEY__UNIT_BLOCKS * COVEY__BLOCK_IDS);
}

/* Moves the values into the pool; the units then own none. */
static void place_values(const covey_pool *pool, covey__units *values) {
    bool names = covey__keeping_of(pool) == COVEY__KEEP_NAMES;
    for (uint32_t i = 0; i < values->count; i++) {
        covey__unit *unit = values->at[i];
        uint32_t at = first_of(pool, i);
        for (uint32_t k = 0; unit && k < unit->count; k++, at++) {
            at = covey_pool_next(pool, at);
            void *to = covey_pool_value_at_raw(pool, at);
            covey__relocate(covey__storage_mover(pool), to, covey__unit_bytes(unit) + (size_t)k * pool->size,
                            pool->size);
            if (names) ((covey__name *)to)->self = covey_pool_at(pool, at).index;
        }
        if (unit) unit->count = 0;
    }
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static bool prepare_pages(rollback *r, covey__pages *pages, const covey__units *units, size_t size) {
    for (uint32_t i = 0; i < units->count; i++)
        if (units->at[i] &&
            !covey__pages_reach(&r->world->heap, pages, i * COVEY__BLOCK_PAGE, covey__block_limit(r->world), size))
            return out_of_memory(r);
    return true;
}

static void restore_pages(const covey__pages *pages, const covey__units *units, size_t size) {
    for (uint32_t i = 0; i < pages->count; i++) {
        const covey__unit *unit = covey__unit_at(units, i);
        if (!pages->at[i]) continue;
        if (unit) memcpy(pages->at[i], covey__unit_bytes(unit), size);
        else memset(pages->at[i], 0, size);
    }
}

static bool prepare_ticks(rollback *r, covey__pages *ticks, const covey__units *units) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < units->count; i++) {
        const covey__tick_page *kept = units->at[i] ? (void *)covey__unit_bytes(units->at[i]) : NULL;
        if (kept && !covey__tick_pages_reach_room(&world->heap, ticks, i, covey__block_limit(world), kept->room))
            return out_of_memory(r);
    }
    return true;
}

static void restore_ticks(const covey__pages *ticks, const covey__units *units) {
    for (uint32_t i = 0; i < ticks->count; i++) {
        const covey__unit *unit = covey__unit_at(units, i);
        if (!ticks->at[i]) continue;
        if (unit) covey__tick_page_copy(ticks->at[i], (void *)covey__unit_bytes(unit));
        else covey__tick_page_clear(ticks->at[i]);
    }
}

static bool prepare_observers(rollback *r, const covey_pool *pool, const covey__pool_image *image) {
    covey__observers *observers = pool->observers;
    return prepare_pages(r, &observers->disabled, &image->disabled, COVEY__DISABLED_BYTES) &&
           prepare_ticks(r, &observers->ticks, &image->ticks) && prepare_listeners(r, pool, image);
}

static bool prepare_conversion(rollback *r, covey_pool *pool, pool_plan *p) {
    bool bound = pool->observers && (pool->observers->is_owned || pool->observers->keeps_order);
    if (bound)
        return fails(r, COVEY_ERROR_REFUSED,
                     "a pool that had another storage is owned by a group or kept in an order: end that first");
    p->fresh = *pool;
    covey__pool_init(&p->fresh, p->image->storage);
    p->converts = true;
    return true;
}

static bool prepare_pool(rollback *r, covey_pool *pool) {
    pool_plan *p = &r->plans[pool->number];
    p->image = image_of_pool(r, pool);
    if (covey__is_reactive(pool)) {
        p->image = image_of_tags(pool, p->image);
        return prepare_tags(r, pool, p->image);
    }
    bool converts = p->image != &nothing && p->image->storage != (covey_storage)pool->storage;
    if (converts && !prepare_conversion(r, pool, p)) return false;
    covey_pool *target = target_of(r, pool);
    covey_sparse_set *set = covey__packed(target);
    if (set ? !prepare_set(r, &p->set, set, target, &p->image->set) : !prepare_blocks(r, target, p)) return false;
    return prepare_values(r, pool, p) && (!pool->observers || prepare_observers(r, pool, p->image));
}

static void restore_storage(rollback *r, covey_pool *target, pool_plan *p) {
    bool bytes = covey__keeping_of(target) == COVEY__KEEP_BYTES, wipes = target->type->zero_vacated;
    covey_sparse_set *set = covey__packed(target);
    if (!set) {
        restore_blocks(target, p);
        if (bytes) write_block_values(r, &target->blocks, &p->image->values);
        else place_values(target, &p->values);
        return;
    }
    uint32_t size = covey_sparse_set_size(set);
    restore_set(set, &p->set, &p->image->set);
    if (wipes) zero_vacated(set, size);
    if (bytes) write_set_values(r, set, &p->image->values);
    else place_values(target, &p->values);
}

/* Replaces the storage by the one that was written. */
static void convert(covey_pool *pool, const pool_plan *p) {
    covey_pool old = *pool;
    covey__storage_take(pool, &p->fresh);
    if (pool->observers) covey__pool_update_observers(pool);
    else covey__pool_update(pool);
    covey__storage_end(&old);
    covey__storage_mark_all(pool);
}

static void restore_pool(rollback *r, covey_pool *pool) {
    pool_plan *p = &r->plans[pool->number];
    covey__fast_add_off(pool);
    covey__pool_moved(pool, true);
    if (covey__is_reactive(pool)) {
        restore_tags(pool, p->image);
        return;
    }
    restore_storage(r, target_of(r, pool), p);
    if (p->converts) convert(pool, p);
    if (covey__keeping_of(pool) == COVEY__KEEP_NAMES) covey__names_recall(r->world);
    if (p->image != &nothing)
        pool->uses = (uint8_t)((pool->uses & ~COVEY_USE_ORDER) | (p->image->is_ordered ? COVEY_USE_ORDER : 0));
    if (!pool->observers) return;
    restore_pages(&pool->observers->disabled, &p->image->disabled, COVEY__DISABLED_BYTES);
    restore_ticks(&pool->observers->ticks, &p->image->ticks);
}

static bool is_same_order(const covey_order *a, const covey_order *b) {
    return a->key == b->key && a->offset == b->offset && a->key_of == b->key_of && a->compare == b->compare &&
           a->key_of_entity == b->key_of_entity && a->compare_entities == b->compare_entities &&
           a->context == b->context && a->descending == b->descending;
}

static void restore_order(covey_pool *pool, const covey__pool_image *image) {
    if (!pool->observers || !pool->observers->keeps_order) return;
    if (image->keeps_order && is_same_order(&image->order, &pool->observers->order)) return;
    covey__pool_sort_again(pool);
    pool->uses |= COVEY_USE_ORDER;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

/* The image of a pool that has all members. */
static const covey__pool_image *smallest_of(const rollback *r, const covey_group *group) {
    const covey__pool_image *found = r->plans[group->pools[0]->number].image;
    for (uint32_t i = 1; i < group->view.with; i++) {
        const covey__pool_image *image = r->plans[group->pools[i]->number].image;
        if (image->count < found->count) found = image;
    }
    return found;
}

static bool prepare_borders(rollback *r, covey_group *group) {
    const covey__pool_image *image = r->plans[group->pools[0]->number].image;
    uint64_t from = 0;
    if (!covey__front_needs_memory(&group->front)) return true;
    for (uint32_t index; (index = next_index(image, &from)) != COVEY_NONE;)
        if (!covey__front_reach(&group->front, index)) return out_of_memory(r);
    return true;
}

/* Room for all possible members. */
static bool prepare_group(rollback *r, covey_group *group, set_plan *plan) {
    const covey__group_image *members = covey__group_image_of(r->snapshot, group);
    const covey__pool_image *image = smallest_of(r, group);
    uint64_t from = 0;
    if (covey__group_owned(group) != 0) return prepare_borders(r, group);
    if (members && !make_set_plan(r, plan, &group->members, &members->set)) return false;
    if (!is_done(r, covey_sparse_set_reserve(&group->members, image->count))) return false;
    for (uint32_t index; (index = next_index(image, &from)) != COVEY_NONE;)
        if (!reach(&group->members, NULL, index)) return out_of_memory(r);
    return true;
}

static void restore_group(const rollback *r, covey_group *group, const set_plan *plan) {
    const covey__group_image *image = covey__group_image_of(r->snapshot, group);
    COVEY__TRACE(group->world, group->left, COVEY_NONE);
    if (!image) {
        covey__group_collect(group);
        return;
    }
    if (covey__group_owned(group) == 0) restore_set(&group->members, plan, &image->set);
    else covey__group_count_again(group, image->count);
    group->candidates = image->candidates;
}

/* ---- Queues ------------------------------------------------------------------------------------------------------*/

static const covey__queue_image *image_of_queue(const rollback *r, const covey_queue *queue) {
    for (uint32_t i = 0; i < r->snapshot->queue_count; i++)
        if (r->snapshot->queues[i].number == queue->number) return &r->snapshot->queues[i];
    return NULL;
}

/* How many events will follow when all restored entities and components end. */
static uint64_t owed_then(const rollback *r, const covey_queue *queue) {
    uint64_t owed = 0;
    for (uint32_t i = 0; i < queue->source_count; i++) {
        const covey__source_of_events *source = &queue->sources[i];
        if ((source->signals & COVEY_ON_REMOVE) != 0) owed += r->plans[source->pool->number].image->count;
        if ((source->signals & COVEY_ON_DESTROY) != 0) owed += r->snapshot->alive;
    }
    return owed;
}

static bool prepare_queue(rollback *r, covey_queue *queue) {
    const covey__queue_image *image = image_of_queue(r, queue);
    uint64_t now = queue->count + covey__queue_owed(queue), then = owed_then(r, queue) + (image ? image->count : 0);
    return covey__queue_reserve(queue, then > now ? then - now : 0) || out_of_memory(r);
}

static void restore_queue(const rollback *r, covey_queue *queue) {
    const covey__queue_image *image = image_of_queue(r, queue);
    queue->first = 0;
    queue->count = image ? image->count : 0;
    if (queue->count != 0)
        memcpy(queue->events, covey__unit_bytes(image->events.at[0]), queue->count * sizeof *queue->events);
    const covey__unit *values = image ? covey__unit_at(&image->values, 0) : NULL;
    for (uint32_t i = 0; values && i < queue->count; i++) /* places may have grown since */
        memcpy(queue->values + (size_t)i * queue->stride, covey__unit_bytes(values) + (size_t)i * image->stride,
               image->stride);
}

/* ---- Command buffers ---------------------------------------------------------------------------------------------*/

static covey_commands *buffer_of(const covey_world *world, uint64_t number) {
    covey_commands *commands = world->commands;
    while (commands && commands->number != number) commands = commands->next_of_world;
    return commands;
}

/* A buffer that was created since has no ids ready; the ids of a destroyed buffer are free. */
static void restore_commands(const rollback *r) {
    covey_world *world = r->world;
    for (covey_commands *c = world->commands; c; c = c->next_of_world) covey__commands_set_ids(c, NULL, 0, 0);
    for (uint32_t i = 0; i < r->snapshot->commands_count; i++) {
        const covey__commands_image *image = &r->snapshot->commands[i];
        const covey__unit *unit = covey__unit_at(&image->ids, 0);
        const covey_entity *ids = unit ? (const covey_entity *)(const void *)covey__unit_bytes(unit) : NULL;
        covey_commands *c = buffer_of(world, image->number);
        if (c) covey__commands_set_ids(c, ids, image->spent, image->count);
        else covey__commands_free_ids(world, ids, image->spent, image->count);
    }
}

/* ---- Followers ---------------------------------------------------------------------------------------------------*/

/* What a follower knew; nothing, if it was created since. */
static const covey__follower_image *image_of_follower(const rollback *r, const covey_follower *follower) {
    static const covey__follower_image newer = { .set = { .hole = COVEY_NONE } };
    for (uint32_t i = 0; i < r->snapshot->follower_count; i++)
        if (r->snapshot->followers[i].number == follower->number) return &r->snapshot->followers[i];
    return &newer;
}

static bool prepare_followers(rollback *r) {
    uint32_t at = 0;
    for (const covey_follower *f = r->world->followers; f; f = f->next)
        if (!prepare_set(r, &r->followers[at++], f->known, NULL, &image_of_follower(r, f)->set)) return false;
    return true;
}

static void restore_followers(rollback *r) {
    uint32_t at = 0;
    for (const covey_follower *f = r->world->followers; f; f = f->next) {
        const covey__follower_image *image = image_of_follower(r, f);
        restore_set(f->known, &r->followers[at++], &image->set);
        write_set_values(r, f->known, &image->values);
    }
    copy_waiting(r);
}

/* ---- The world ---------------------------------------------------------------------------------------------------*/

/* A type made at run time belongs to one world. */
static const covey_type *type_of_resource(const rollback *r, const covey_type *type) {
    bool foreign = r->world != r->history->world && covey__type_is_made(r->history->world, type);
    return foreign ? covey__type_keep(r->world, type) : type;
}

static bool prepare_resources(rollback *r) {
    for (uint32_t i = 0; i < r->snapshot->resource_count; i++) {
        const covey__resource_image *image = &r->snapshot->resources[i];
        const covey__unit *unit = covey__unit_at(&image->value, 0);
        const void *value = unit ? covey__unit_bytes(unit) : NULL;
        const covey_type *type = type_of_resource(r, image->type);
        if (!type) return out_of_memory(r);
        covey_result result = covey__resources_append(r->world, &r->resources, type, value);
        if (result != COVEY_OK) return fails(r, result, result == COVEY_ERROR_COPY ? image->type->name : NULL);
    }
    return true;
}

static bool prepare_all(rollback *r) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (!prepare_pool(r, world->pools[i])) return false;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (world->pools[i]->ended && !prepare_ended(r, world->pools[i])) return false;
    for (uint32_t i = 0; i < world->group_count; i++)
        if (!prepare_group(r, world->groups[i], &r->groups[i])) return false;
    for (covey_queue *queue = world->queues; queue; queue = queue->next)
        if (!prepare_queue(r, queue)) return false;
    return prepare_followers(r) && prepare_resources(r);
}

/* Pages that were added since are reset. */
static void restore_entities(rollback *r) {
    covey_world *world = r->world;
    const covey__snapshot *snapshot = r->snapshot;
    for (uint32_t i = 0; i < world->page_count; i++) {
        const covey__unit *unit = covey__unit_at(&snapshot->entities, i);
        covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (unit) copy(r, page, unit, 0, sizeof *page);
        else if (page) covey__entity_page_reset(page);
    }
    world->alive = snapshot->alive;
    world->tick = snapshot->tick;
    world->range = snapshot->range;
    world->reserved_count = snapshot->reserved_count;
    world->reserved_root = snapshot->reserved_root;
    const covey__unit *reserved = covey__unit_at(&snapshot->reserved, 0);
    if (reserved) memcpy(world->reserved, covey__unit_bytes(reserved), reserved->bytes);
    covey__ranges_renew(world);
    COVEY__TRACE(world, world->destroyed, COVEY_NONE);
}

/* Pools are prepared before their members. */
static void restore_all(rollback *r) {
    covey_world *world = r->world;
    for (uint32_t i = 0; i < world->pool_count; i++) end_values(world->pools[i]);
    restore_entities(r);
    copy_waiting(r);
    for (uint32_t i = 0; i < world->pool_count; i++) restore_pool(r, world->pools[i]);
    copy_waiting(r);
    covey__end_lines();
    for (uint32_t i = 0; i < world->pool_count; i++) restore_order(world->pools[i], r->plans[i].image);
    for (uint32_t i = 0; i < world->group_count; i++) restore_group(r, world->groups[i], &r->groups[i]);
    for (covey_queue *queue = world->queues; queue; queue = queue->next) restore_queue(r, queue);
    restore_commands(r);
    restore_followers(r);
    covey__resources_replace(world, r->resources);
    covey__fast_destroy_off(world);
    covey__values_moved(world);
}

static bool is_large(const rollback *r) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < r->snapshot->pool_count; i++)
        bytes += (size_t)r->snapshot->pools[i].count * r->history->world->pools[i]->size;
    return bytes > COVEY_CACHE_BYTES;
}

/* ---- Undoing the first step --------------------------------------------------------------------------------------*/

static void free_names(covey_world *world, const covey__units *values) {
    for (uint32_t i = 0; i < values->count; i++)
        for (uint32_t k = 0; values->at[i] && k < values->at[i]->count; k++)
            covey__name_text_free(world, name_in(values->at[i], k)->text,
                                  covey__name_length(name_in(values->at[i], k)));
}

static void free_plan(rollback *r, covey_pool *pool) {
    pool_plan *p = &r->plans[pool->number];
    if (covey__keeping_of(pool) == COVEY__KEEP_NAMES) free_names(r->world, &p->values);
    if (p->converts) {
        covey__storage_free(&p->fresh);
        covey__storage_mark_all(pool);
        return;
    }
    for (uint32_t i = 0; i < p->chunk_count && pool->size != 0; i++) covey__chunk_free(&pool->blocks, p->chunks[i]);
}

static void undo(rollback *r) {
    for (uint32_t i = 0; i < r->world->pool_count; i++) free_plan(r, r->world->pools[i]);
    covey__resources_end(r->world, &r->resources);
    covey__fast_destroy_off(r->world);
    covey__values_moved(r->world);
}

/* NULL and false: no memory. */
static bool make_set_plans(rollback *r, set_plan **plans, uint32_t count) {
    *plans = covey__resize(&r->history->heap, NULL, 0, count, sizeof **plans, alignof(set_plan));
    for (uint32_t i = 0; i < count && *plans; i++) (*plans)[i] = (set_plan){ NULL, 0 };
    return *plans || count == 0 || out_of_memory(r);
}

static void free_set_plans(rollback *r, set_plan *plans, uint32_t count) {
    for (uint32_t i = 0; i < count && plans; i++) free_set_plan(r, &plans[i]);
    covey__free(&r->history->heap, plans, plans ? count : 0, sizeof *plans, alignof(set_plan));
}

static bool make_plans(rollback *r) {
    uint32_t pools = r->world->pool_count;
    for (const covey_follower *f = r->world->followers; f; f = f->next) r->follower_count++;
    r->plans = covey__resize(&r->history->heap, NULL, 0, pools, sizeof *r->plans, alignof(pool_plan));
    for (uint32_t i = 0; i < pools && r->plans; i++) r->plans[i] = (pool_plan){ .image = &nothing };
    if (!r->plans && pools != 0) return out_of_memory(r);
    return make_set_plans(r, &r->groups, r->world->group_count) && make_set_plans(r, &r->followers, r->follower_count);
}

static void free_plans(rollback *r) {
    covey__heap *heap = &r->history->heap;
    uint32_t pools = r->plans ? r->world->pool_count : 0;
    for (uint32_t i = 0; i < pools; i++) {
        pool_plan *p = &r->plans[i];
        covey__units_release(r->history, &p->values);
        free_set_plan(r, &p->set);
        covey__free(heap, p->chunks, p->chunk_capacity, sizeof *p->chunks, alignof(char *));
    }
    covey__free(heap, r->plans, pools, sizeof *r->plans, alignof(pool_plan));
    free_set_plans(r, r->groups, r->world->group_count);
    free_set_plans(r, r->followers, r->follower_count);
}

covey_result covey__snapshot_restore(covey_history *history, const covey__snapshot *snapshot, covey_world *world,
                                     const char **reason) {
    rollback r = { .history = history, .world = world, .snapshot = snapshot };
    r.is_large = is_large(&r);
    if (make_plans(&r)) {
        if (prepare_all(&r)) restore_all(&r);
        else undo(&r);
    }
    free_plans(&r);
    *reason = r.reason;
    return r.result;
}

static bool refuse_restore(covey_history *history, covey_result result, const char *reason) {
    covey__fail(history->world, result, "a snapshot could not be restored: %s",
                reason ? reason : covey__reason(result));
    return false;
}

bool covey_history_restore(covey_history *history, uint32_t back) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    if (COVEY__IN_HOOK(history->world)) return false;
    covey_world *world = history->world;
    const char *objection = covey__history_objection(world);
    if (back >= history->count) return refuse_restore(history, COVEY_ERROR_ABSENT, COVEY__NO_SNAPSHOT);
    if (objection) return refuse_restore(history, COVEY_ERROR_REFUSED, objection);
    const char *reason = NULL;
    covey_result result =
        covey__snapshot_restore(history, history->snapshots[history->count - 1 - back], world, &reason);
    if (result != COVEY_OK) return refuse_restore(history, result, reason);
    covey__history_discard(history, history->count - back);
    COVEY__CHANGED(world);
    return true;
}
