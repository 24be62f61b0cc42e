/* Loads components and resources from an image: their types, as the program has them now; their entities; and their
 * values, whose checksums are computed while they are copied. */
#include "memory/inner.h"
#include "image/image_load.h"

#include "memory/alloc.h"
#include "memory/balanced.h"
#include "memory/bits.h"
#include "memory/crc32c.h"
#include "memory/lines.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "change/resource.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <stdalign.h>

enum { SUM_EVERY = 1 << 14 };

/* ---- Types -------------------------------------------------------------------------------------------------------*/

static const covey_type *find_type_in(const covey_type *const *types, const char *name) {
    for (; types && *types; types++)
        if ((*types)->name && strcmp((*types)->name, name) == 0) return *types;
    return NULL;
}

static bool is_bytes(covey_encoding encoding) {
    return encoding == COVEY_ENCODING_BYTES_LITTLE || encoding == COVEY_ENCODING_BYTES_BIG;
}

static bool is_foreign(const covey__described *d) {
    return is_bytes(d->encoding) && d->encoding != covey__type_encoding(&d->type);
}

/* Why values of a type cannot be loaded from this description; NULL if they can. The text continues "<type> is ...". */
static const char *conflict(const covey_type *type, const covey__described *d) {
    if (is_bytes(d->encoding)) {
        if (is_foreign(d)) return "stored as bytes, by a machine with the other byte order";
        if (!type->as_bytes) return "stored as bytes in the image, but has no .as_bytes in the program";
        return type->size != d->type.size ? "stored as bytes, and has another size in the program" : NULL;
    }
    if (type->size == 0 || type->fields || type->codec) return NULL;
    return d->encoding == COVEY_ENCODING_CODEC ? "written by a codec in the image, but has no codec in the program"
                                               : "not described by fields in the program";
}

/* The type of the program or the world; a new one, if unknown types are kept; NULL if it is skipped or refused. */
static const covey_type *find_type(covey__loading *l, covey__reader *reader, const covey__described *d,
                                   bool of_resource) {
    const char *name = d->type.name;
    if (strcmp(name, COVEY__DISABLED) == 0) return covey_id(covey_disabled);
    const covey_type *type = find_type_in(l->desc->types, name);
    if (!type) type = covey_type_find(l->knows, name);
    if (!type) type = covey__resource_named(l->knows, name);
    if (l->desc->only && !covey__type_listed(l->desc->only, &d->type)) return NULL;
    if (!type) type = find_type_in(l->desc->only, name);
    if (type && type->transient) return NULL;
    if (type) {
        const char *why = conflict(type, d);
        if (why) covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "%.100s is %s", name, why);
        return why ? NULL : type;
    }
    if (l->desc->unknown == COVEY_UNKNOWN_SKIP) return NULL;
    if (l->desc->unknown == COVEY_UNKNOWN_REFUSE)
        covey__refuse(reader, COVEY_FAULT_TYPE, reader->at,
                      "the program does not know the type %.100s: add it to .types, or set .unknown", name);
    else if (is_foreign(d))
        covey__refuse(reader, COVEY_FAULT_TYPE, reader->at,
                      "%.100s is stored as bytes, by a machine with the other byte order", name);
    else if (!(type = (of_resource ? covey__type_keep : covey_type_create)(l->world, &d->type)))
        covey__out_of_memory(l);
    return type;
}

static bool make_plan(covey__loading *l, covey__reader *reader, covey__plan *plan, const covey_type *type,
                      const covey__described *d) {
    char why[120];
    covey_result result = covey__plan_make(&l->heap, plan, type, d->encoding, d->type.fields, why, sizeof why);
    if (result == COVEY_ERROR_MEMORY) return covey__out_of_memory(l);
    if (result != COVEY_OK) covey__refuse(reader, COVEY_FAULT_FIELD, reader->at, "%.60s: %s", type->name, why);
    return covey__is_fine(l);
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void sum_values(covey__loading *l) {
    l->sum = covey__crc32c(l->sum, l->values.bytes + l->summed, l->values.at - l->summed);
    l->summed = l->values.at;
    covey__tell_progress(l, l->summed);
}

/* Turns the next records of the current pool into values. Records that are values already are copied and summed in one
 * pass. */
static void load_run_of_values(void *values, size_t count, void *context) {
    covey__loading *l = context;
    const covey__plan *plan = &l->now->plan;
    bool copies = covey__plan_copies(plan);
    char *to = values;
    size_t most = plan->record != 0 ? (size_t)(copies ? COVEY__PROGRESS_EVERY : SUM_EVERY) / plan->record + 1 : count;
    for (size_t some; count != 0 && l->sound; count -= some, to += some * plan->size) {
        some = count < most ? count : most;
        const unsigned char *from = covey__read_many(&l->values, some, plan->record);
        if (!from) l->sound = false;
        else if (copies && some * plan->size >= SUM_EVERY / 8) {
            l->sum = covey__crc32c(l->sum, l->values.bytes + l->summed, (size_t)(from - l->values.bytes) - l->summed);
            l->sum = covey__crc32c_copy(l->sum, to, from, some * plan->size, l->large);
            l->summed = l->values.at;
            covey__tell_progress(l, l->summed);
        } else l->sound = covey__decode(plan, to, from, some);
        if (l->values.at - l->summed >= SUM_EVERY) sum_values(l);
    }
}

static void load_values(covey__loading *l, covey__part *p) {
    size_t at = l->values.at;
    l->now = p;
    l->sound = true;
    l->large = (uint64_t)p->count * p->plan.size >= COVEY_CACHE_BYTES / 4;
    if (p->pool->size != 0) covey__each_run(p->pool, NULL, load_run_of_values, l);
    else covey__read_many(&l->values, p->count, p->described.record);
    if (!l->sound)
        covey__refuse(&l->values, COVEY_FAULT_VALUE, at,
                      "a %.100s has a bool that is neither 0 nor 1, or a handle that does not fit",
                      p->pool->type->name);
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static bool is_packed(const covey__part *p) { return covey__is_packed_in(p->described.storage); }

/* Reads ids and disabled components, up to the values. */
static void read_ids(covey__loading *l, covey__reader *reader, covey__part *p) {
    covey_policy policy = p->described.type.policy;
    size_t at = reader->at;
    p->count = covey__read_u32(reader);
    if (!is_packed(p)) {
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
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, at,
                          "the pool has holes or dead elements, which its policy never leaves");
        else if (policy == COVEY_IN_PLACE) p->holes = covey__read_many(reader, p->end - p->count, 4);
    }
    p->disabled = covey__read_u32(reader);
    p->disabled_masks = covey__read_many(reader, p->disabled, 12);
    if (p->described.type.ticks) p->ticks = covey__read_many(reader, p->count, 8);
    uint64_t values = (uint64_t)p->count * p->described.record;
    size_t left = reader->end - reader->at;
    if (covey__is_fine(l) && (p->described.encoding == COVEY_ENCODING_CODEC ? values > left : values != left))
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "%.100s has more or fewer values than ids",
                      p->described.type.name);
}

static uint64_t alive_in(const covey__loading *l, uint32_t block) {
    uint64_t mask = 0, first = (uint64_t)block * COVEY__BLOCK_IDS;
    if (first + COVEY__BLOCK_IDS <= l->dense) return UINT64_MAX;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) mask |= (uint64_t)covey__is_alive(l->world, first + i) << i;
    return mask;
}

/* Checks that blocks are in order, not empty, and have living entities only. */
static void check_blocks(covey__loading *l, covey__reader *reader, const covey__part *p) {
    uint64_t count = 0, mask, next = 0;
    for (uint32_t i = 0; i < p->blocks; i++) {
        uint32_t block = covey__block_at(p->masks, i, &mask);
        count += mask == UINT64_MAX ? COVEY__BLOCK_IDS : covey__bits_in(mask);
        if (block < next || mask == 0 || (mask & ~alive_in(l, block)) != 0) {
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(p->masks - reader->bytes) + (size_t)i * 12,
                          "block %u of %.100s has ids that are not alive, or is out of order", block,
                          p->described.type.name);
            return;
        }
        next = (uint64_t)block + 1;
    }
    if (count != p->count)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at,
                      "the number of ids of %.100s is not the one that its section states", p->described.type.name);
}

/* for (walk w = { 0 }; next_id(p, &w);) w.index */
typedef struct walk {
    uint32_t next, index;
    uint64_t mask;
} walk;

/* The entities of a part in the order of its values. */
static bool next_id(const covey__part *p, walk *w) {
    if (!is_packed(p)) {
        while (w->mask == 0) {
            if (w->next == p->blocks) return false;
            w->index = covey__block_at(p->masks, w->next++, &w->mask) * COVEY__BLOCK_IDS;
        }
        w->index = w->index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS + covey__lowest_bit(w->mask);
        w->mask &= w->mask - 1;
        return true;
    }
    do {
        if (w->next == p->end) return false;
        w->index = covey__u32_at(p->ids + (size_t)w->next++ * 4);
    } while (w->index == COVEY__HOLE);
    return true;
}

static void check_ids(covey__loading *l, covey__reader *reader, const covey__part *p) {
    uint64_t count = 0;
    for (walk w = { 0 }; next_id(p, &w) && covey__is_fine(l); count++)
        if (!covey__is_alive(l->world, w.index))
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(p->ids - reader->bytes) + (size_t)(w.next - 1) * 4,
                          "%.100s is at index %u, which is not alive", p->described.type.name, w.index);
    if (covey__is_fine(l) && count != p->count)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at,
                      "the number of ids of %.100s is not the one that its section states", p->described.type.name);
}

/* Called before components are placed: makes the list of entities and the memory that observers need. */
static bool prepare_observers(covey__loading *l, covey__part *p) {
    uint32_t i = 0;
    if (!p->pool->observers) return true;
    p->entities = covey__resize(&l->heap, NULL, 0, p->count, sizeof *p->entities, alignof(covey_entity));
    if (!p->entities && p->count != 0) return covey__out_of_memory(l);
    for (walk w = { 0 }; next_id(p, &w); i++) p->entities[i] = covey__entity_at(l->world, w.index);
    return covey__observers_prepare_add(p->pool, p->entities, p->count, true) == COVEY_OK || covey__out_of_memory(l);
}

static bool build_blocks(covey__loading *l, const covey__part *p) {
    uint64_t mask;
    for (uint32_t i = 0; i < p->blocks; i++) {
        uint32_t block = covey__block_at(p->masks, i, &mask);
        if (!covey__storage_put_mask(p->pool, block * COVEY__BLOCK_IDS, mask)) return covey__out_of_memory(l);
    }
    return covey__storage_shape(p->pool) || covey__out_of_memory(l);
}

/* Places an element at its position; false when its index is present already, or an allocation fails. */
static bool put_element(covey__loading *l, covey__reader *reader, covey_sparse_set *set, uint32_t at, covey_entity e) {
    uint32_t index = e.index, page = index / COVEY_PAGE_SIZE;
    bool has_page = page < set->page_count && covey__set_page(set, page);
    if (!has_page && covey__set_prepare(set, index, true) != COVEY_OK) return covey__out_of_memory(l);
    if (covey__slot_position(*covey__slot_of(set, index)) != COVEY_NONE) {
        covey__refuse(reader, COVEY_FAULT_ENTITY, reader->at, "index %u has a component twice", index);
        return false;
    }
    set->ids[at] = e;
    *covey__slot_of(set, e.index) = COVEY__SLOT(at, e.generation);
    return true;
}

/* A hole links to itself until the free list is read. */
static void put_hole(covey_sparse_set *set, uint32_t at) {
    set->ids[at] = covey__entity(at, 0);
    memset(covey__value_at(set, at, set->size), 0, set->size);
    if (set->marks) set->marks[at / 64] |= (uint64_t)1 << at % 64;
    set->holes++;
}

static void link_holes(covey__reader *reader, covey_sparse_set *set, const unsigned char *holes) {
    uint32_t last = COVEY_NONE;
    for (uint32_t i = 0; i < set->holes; i++) {
        uint32_t at = covey__u32_at(holes + (size_t)i * 4);
        if (at >= set->end || set->ids[at].generation != 0 || set->ids[at].index != at) {
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, (size_t)(holes - reader->bytes) + (size_t)i * 4,
                          "position %u is not a hole, or is listed twice", at);
            return;
        }
        if (last == COVEY_NONE) set->hole = at;
        else set->ids[last] = covey__entity(at, 0);
        set->ids[at] = covey__entity(COVEY_NONE, 0);
        last = at;
    }
}

static void put_dead(covey__loading *l, covey__reader *reader, const covey__part *p) {
    covey_sparse_set *set = covey__packed(p->pool);
    for (uint32_t i = 0; i < p->dead && covey__is_fine(l); i++) {
        const unsigned char *id = p->dead_ids + (size_t)i * 8;
        covey_entity e = covey_entity_make(covey__u32_at(id), covey__u32_at(id + 4));
        if (!covey__is_known(l->world, e.index) || e.generation == 0)
            covey__refuse(reader, COVEY_FAULT_ENTITY, (size_t)(id - reader->bytes),
                          "a dead element has an index or generation that no entity had");
        else if (put_element(l, reader, set, set->end + i, e))
            memset(covey__value_at(set, set->end + i, set->size), 0, set->size);
    }
    set->dead = covey__is_fine(l) ? p->dead : 0;
}

/* Places elements, holes and dead elements at their positions. */
static bool build_set(covey__loading *l, covey__reader *reader, const covey__part *p) {
    covey_sparse_set *set = covey__packed(p->pool);
    if (covey_sparse_set_reserve(set, p->end + p->dead) != COVEY_OK) return covey__out_of_memory(l);
    for (uint32_t at = 0; at < p->end && covey__is_fine(l); at++) {
        uint32_t index = covey__u32_at(p->ids + (size_t)at * 4);
        if (index == COVEY__HOLE) put_hole(set, at);
        else put_element(l, reader, set, at, covey__entity_at(l->world, index));
    }
    if (!covey__is_fine(l)) return false;
    set->end = p->end;
    if (set->policy == COVEY_IN_PLACE) link_holes(reader, set, p->holes);
    put_dead(l, reader, p);
    return covey__is_fine(l);
}

/* For pools whose arrays cannot be built directly: adds components one by one. */
static void load_one_by_one(covey__loading *l, covey__part *p) {
    const void *none = NULL;
    l->now = p;
    l->sound = true;
    for (walk w = { 0 }; next_id(p, &w) && covey__is_fine(l);) {
        void *value;
        covey_result result = covey__pool_place(p->pool, covey__entity_at(l->world, w.index), &none, &value);
        if (result == COVEY_ERROR_PRESENT)
            covey__refuse(&l->values, COVEY_FAULT_ENTITY, l->values.at, "index %u has a component twice", w.index);
        else if (result != COVEY_OK) covey__out_of_memory(l);
        else if (p->pool->size != 0) load_run_of_values(value, 1, l);
        else covey__read_many(&l->values, 1, p->described.record);
        if (!l->sound)
            covey__refuse(&l->values, COVEY_FAULT_VALUE, l->values.at,
                          "a bool that is neither 0 nor 1, or a handle that does not fit");
    }
}

/* Completes values with the codec of their type, in the order of the image. If the type has no codec any more, skips
 * what it wrote. */
static void load_owned(covey__loading *l, covey__part *p) {
    const covey_type *type = p->pool->type;
    if (p->described.encoding != COVEY_ENCODING_CODEC) {
        if (type->codec) p->made = p->count;
        return;
    }
    if (!type->codec) {
        l->values.at = l->values.end;
        return;
    }
    if (!covey__take_for_codecs(l, &l->values)) return;
    for (walk w = { 0 }; next_id(p, &w) && covey__is_fine(l);) {
        bool made = covey__codec_load(l->knows, &l->values, type, covey__value_of_index(p->pool, w.index), l->entering);
        p->made += made;
        if (l->values.at - l->summed >= SUM_EVERY) sum_values(l);
    }
}

void covey__drop_part(const covey__loading *l, const covey__part *p) {
    uint32_t left = p->made;
    for (walk w = { 0 }; left != 0 && next_id(p, &w); left--)
        covey__drop_loaded(l->knows, p->pool->type, covey__value_of_index(p->pool, w.index));
}

/* Gives an empty pool another storage. Never allocates. */
static void change_storage(covey_pool *pool, covey_storage storage) {
    covey__storage_free(pool);
    covey__pool_init(pool, storage);
    covey__pool_update(pool);
}

/* Converts a pool to the storage that it was converted to when it was saved, if that is possible. */
static void convert_as_saved(covey__part *p) {
    covey_pool *pool = p->pool;
    covey_storage asked = p->described.type.storage, was = p->described.storage;
    bool own = covey__type_storage(pool->type) == asked && pool->storage == asked;
    bool may = pool->type->policy == COVEY_SWAP_AND_POP && covey__storage_converts(asked);
    bool bound = pool->observers && (pool->observers->is_owned || pool->observers->keeps_order);
    if (was == asked || !own || !may || bound) return;
    p->before = asked;
    change_storage(pool, was);
}

void covey__part_convert_back(const covey__part *p) {
    if (p->before != COVEY_STORAGE_DEFAULT) change_storage(p->pool, p->before);
}

/* Whether the arrays of the pool can be built with the positions of the image. */
static bool is_exact(const covey__part *p) {
    const covey_sparse_set *set = covey__packed_in(p->pool);
    return is_packed(p) ? set && set->policy == p->described.type.policy : !set;
}

static void fill_places(covey__loading *l, covey__reader *reader, covey__part *p) {
    if (!prepare_observers(l, p)) return;
    bool exact = is_exact(p);
    if (exact && !(is_packed(p) ? build_set(l, reader, p) : build_blocks(l, p))) return;
    l->values = *reader;
    if (exact) load_values(l, p);
    else load_one_by_one(l, p);
    if (covey__is_fine(l)) load_owned(l, p);
    *reader = l->values;
    if (exact && covey__is_fine(l) && !covey__storage_mark_all(p->pool)) covey__out_of_memory(l);
    covey__pool_update(p->pool);
    covey__pool_moved(p->pool, true);
}

/* Values may move while others are placed: without the move hook, because no value is complete before its codec has
 * run. */
static void fill_pool(covey__loading *l, covey__reader *reader, covey__part *p) {
    convert_as_saved(p);
    covey__mover mover = covey__storage_set_mover(p->pool, (covey__mover){ NULL, NULL });
    fill_places(l, reader, p);
    covey__storage_set_mover(p->pool, mover);
}

static covey_pool *pool_for(covey__loading *l, covey__reader *reader, covey__part *p) {
    const covey_type *type = find_type(l, reader, &p->described, false);
    covey_pool *pool = NULL;
    if (!type || !covey__is_fine(l) || !make_plan(l, reader, &p->plan, type, &p->described)) return NULL;
    if (type == covey_id(covey_disabled)) pool = covey__pool_of_disabled(l->world);
    else pool = covey_pool_of_raw(l->world, type);
    if (!pool) {
        if (l->world->inner->result == COVEY_ERROR_MEMORY) covey__out_of_memory(l);
        else
            covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "%.100s: %s", type->name,
                          covey_result_text(l->world->inner->result));
    }
    return covey__is_fine(l) ? pool : NULL;
}

static covey__links *links_of(const void *loading, uint32_t number) {
    return &((const covey__loading *)loading)->parts[number].links;
}

static const char *name_of(const covey__loading *l, uint32_t number) { return l->parts[number].described.type.name; }

static bool is_before(const void *loading, uint32_t a, uint32_t b) {
    return strcmp(name_of(loading, a), name_of(loading, b)) < 0;
}

/* The part whose type has this name, or NULL. */
static const covey__part *part_named(const covey__loading *l, const char *name) {
    for (uint32_t at = l->part_root; at != COVEY__NO_NODE;) {
        int order = strcmp(name, name_of(l, at));
        if (order == 0) return &l->parts[at];
        at = order < 0 ? l->parts[at].links.left : l->parts[at].links.right;
    }
    return NULL;
}

/* Adds a part to the tree. Each type may come only once, whether it is loaded or skipped. */
static void list_part(covey__loading *l, covey__reader *reader, const covey__part *p) {
    covey__tree tree = { links_of, is_before, l };
    const char *name = p->described.type.name;
    if (part_named(l, name))
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "the image has %.100s twice", name);
    else l->part_root = covey__tree_put(&tree, l->part_root, (uint32_t)(p - l->parts));
}

/* A wrong checksum takes precedence over other faults. */
static void check_sum(covey__loading *l, const covey__section_entry *section) {
    if (!covey__is_fine(l) && l->report->fault != COVEY_FAULT_NONE) covey__section_check(&l->image, section);
}

void covey__open_pool(covey__loading *l, const covey__section_entry *section) {
    covey__part *p = &l->parts[l->part_count++];
    *p = (covey__part){ .section = *section };
    covey__reader reader = covey__section_reader(&l->image, section);
    if (covey__read_type(&reader, &l->heap, &p->described)) list_part(l, &reader, p);
    if (covey__is_fine(l)) p->pool = pool_for(l, &reader, p);
    p->ids_at = reader.at;
    check_sum(l, section);
}

static void read_pool(covey__loading *l, covey__reader *reader, covey__part *p) {
    read_ids(l, reader, p);
    if (covey__is_fine(l)) (is_packed(p) ? check_ids : check_blocks)(l, reader, p);
    if (!covey__is_fine(l)) return;
    l->sum = covey__crc32c(0, reader->bytes + p->section.offset, reader->at - p->section.offset);
    l->summed = reader->at;
    if (p->pool) fill_pool(l, reader, p);
    if (covey__is_fine(l) && !p->pool) reader->at = reader->end;
    l->values = *reader;
}

void covey__load_pool(covey__loading *l, covey__part *p) {
    covey__reader reader = covey__section_reader(&l->image, &p->section);
    reader.at = p->ids_at;
    read_pool(l, &reader, p);
    check_sum(l, &p->section);
    if (!covey__is_fine(l)) return;
    covey__expect_end(l, &reader);
    sum_values(l);
    if (l->sum != p->section.checksum) covey__section_damaged(&l->image, &p->section);
}

/* ---- Resources ---------------------------------------------------------------------------------------------------*/

/* Makes a value from its record and the data of its codec. False: it was refused, and there is no value. */
static bool make_resource(covey__loading *l, covey__reader *reader, const covey_type *type, const covey__described *d,
                          const covey__plan *plan, const unsigned char *record, void *value) {
    bool owns = d->encoding == COVEY_ENCODING_CODEC;
    if (covey_resource_has_raw(l->world, type))
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "the image has the resource %.100s twice", type->name);
    else if (type->size != 0 && !covey__decode(plan, value, record, 1))
        covey__refuse(reader, COVEY_FAULT_VALUE, reader->at,
                      "the resource %.100s has a bool that is neither 0 nor 1, or a handle that does not fit",
                      type->name);
    if (owns && !type->codec) reader->at = reader->end;
    if (!covey__is_fine(l) || !owns || !type->codec) return covey__is_fine(l);
    return covey__take_for_codecs(l, reader) && covey__codec_load(l->knows, reader, type, value, l->entering);
}

static void set_resource(covey__loading *l, covey__reader *reader, const covey_type *type, void *value) {
    covey__expect_end(l, reader);
    if (covey__is_fine(l) && covey_resource_set_raw(l->world, type, value)) return;
    covey__drop_loaded(l->knows, type, value);
    if (!covey__is_fine(l)) return;
    if (l->world->inner->result == COVEY_ERROR_MEMORY) covey__out_of_memory(l);
    else
        covey__refuse(reader, COVEY_FAULT_TYPE, reader->at, "the resource %.100s: %s", type->name,
                      covey_result_text(l->world->inner->result));
}

static void load_resource_of(covey__loading *l, covey__reader *reader, const covey_type *type,
                             const covey__described *d) {
    covey__plan plan;
    const unsigned char *record = covey__read(reader, d->record);
    if (!record || !make_plan(l, reader, &plan, type, d)) return;
    void *value = covey__resize(&l->heap, NULL, 0, type->size, 1, COVEY__ALIGN_MAX);
    if (!value && type->size != 0) covey__out_of_memory(l);
    else if (make_resource(l, reader, type, d, &plan, record, value)) set_resource(l, reader, type, value);
    covey__free(&l->heap, value, type->size, 1, COVEY__ALIGN_MAX);
    covey__plan_free(&l->heap, &plan);
}

/* Whether a resource and the components with its name have the same type. */
static bool is_one_type(const covey__loading *l, const covey__described *d) {
    const covey__part *p = part_named(l, d->type.name);
    return !p || covey__type_same_layout(&p->described.type, &d->type);
}

void covey__load_resource(covey__loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    covey__described d;
    if (!covey__read_type(&reader, &l->heap, &d)) return;
    if (!is_one_type(l, &d))
        covey__refuse(&reader, COVEY_FAULT_STRUCTURE, section->offset, "the image has two types named %.100s",
                      d.type.name);
    bool own = strcmp(d.type.name, COVEY__DISABLED) == 0;
    const covey_type *type = covey__is_fine(l) && !own ? find_type(l, &reader, &d, true) : NULL;
    if (covey__is_fine(l) && type) load_resource_of(l, &reader, type, &d);
    covey__described_free(&l->heap, &d);
}
