/* Histories: snapshots of a world, each of which shares unchanged parts with the one before. Values are written through
 * pointers, so changes are found by comparing bytes. rollback.c restores snapshots. */
#include "history/history.h"

#include "memory/alloc.h"
#include "storage/block_store.h"
#include "change/entity.h"
#include "image/follower.h"
#include "storage/marks.h"
#include "tree/name.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "observe/queue.h"
#include "query/reactive.h"
#include "change/resource.h"
#include "memory/result.h"
#include "storage/storage.h"
#include "memory/tick_page.h"
#include "storage/type.h"
#include "query/view.h"

#include <covey/commands.h>
#include <stdalign.h>

_Static_assert(sizeof(covey__unit) <= COVEY__UNIT_HEADER, "the header of a unit");

/* ---- Units -------------------------------------------------------------------------------------------------------*/

covey__unit *covey__unit_create(covey_history *history, size_t bytes, const covey_type *type) {
    if (bytes > SIZE_MAX - COVEY__UNIT_HEADER) return NULL;
    covey__unit *unit = covey__resize(&history->heap, NULL, 0, COVEY__UNIT_HEADER + bytes, 1, COVEY__ALIGN_MAX);
    if (!unit) return NULL;
    *unit = (covey__unit){ .next = history->units, .bytes = bytes, .type = type, .references = 1 };
    if (unit->next) unit->next->previous = unit;
    history->units = unit;
    return unit;
}

bool covey__unit_copy(const covey_history *history, covey__unit *unit, const void *value) {
    const covey_type *type = unit->type;
    char *to = covey__unit_bytes(unit) + (size_t)unit->count * type->size;
    if (type->copy && !covey__copy_value(history->world, type, to, value)) return false;
    if (!type->copy) memcpy(to, value, type->size);
    unit->count++;
    return true;
}

void covey__unit_release(covey_history *history, covey__unit *unit) {
    if (!unit || --unit->references != 0) return;
    const covey_type *type = unit->type;
    for (uint32_t i = 0; type && type->drop && i < unit->count; i++)
        covey__drop(history->world, type, covey__unit_bytes(unit) + (size_t)i * type->size);
    if (unit->wipe) memset(covey__unit_bytes(unit), 0, unit->bytes);
    if (unit->next) unit->next->previous = unit->previous;
    if (unit->previous) unit->previous->next = unit->next;
    else history->units = unit->next;
    covey__free(&history->heap, unit, COVEY__UNIT_HEADER + unit->bytes, 1, COVEY__ALIGN_MAX);
}

bool covey__units_create(covey_history *history, covey__units *list, uint32_t count) {
    if (count == 0) return true;
    list->at = covey__resize(&history->heap, NULL, 0, count, sizeof *list->at, alignof(covey__unit *));
    if (!list->at) return false;
    for (uint32_t i = 0; i < count; i++) list->at[i] = NULL;
    list->count = count;
    return true;
}

void covey__units_release(covey_history *history, covey__units *list) {
    for (uint32_t i = 0; i < list->count; i++) covey__unit_release(history, list->at[i]);
    covey__free(&history->heap, list->at, list->count, sizeof *list->at, alignof(covey__unit *));
    *list = (covey__units){ NULL, 0 };
}

/* ---- Snapshots ---------------------------------------------------------------------------------------------------*/

typedef void list_fn(covey_history *history, covey__units *list, void *context);

static void visit_set(covey_history *history, covey__set_image *set, list_fn *visit, void *context) {
    visit(history, &set->ids, context);
    visit(history, &set->marks, context);
}

/* Visits all lists. */
static void visit_lists(covey_history *history, covey__snapshot *snapshot, list_fn *visit, void *context) {
    visit(history, &snapshot->reserved, context);
    visit(history, &snapshot->entities, context);
    for (uint32_t i = 0; i < snapshot->pool_count; i++) {
        covey__pool_image *image = &snapshot->pools[i];
        visit(history, &image->ends, context);
        visit(history, &image->forms, context);
        visit_set(history, &image->set, visit, context);
        visit(history, &image->values, context);
        visit(history, &image->disabled, context);
        visit(history, &image->ticks, context);
    }
    for (uint32_t i = 0; i < snapshot->group_count; i++) visit_set(history, &snapshot->groups[i].set, visit, context);
    for (uint32_t i = 0; i < snapshot->queue_count; i++) {
        visit(history, &snapshot->queues[i].events, context);
        visit(history, &snapshot->queues[i].values, context);
    }
    for (uint32_t i = 0; i < snapshot->commands_count; i++) visit(history, &snapshot->commands[i].ids, context);
    for (uint32_t i = 0; i < snapshot->follower_count; i++) {
        visit_set(history, &snapshot->followers[i].set, visit, context);
        visit(history, &snapshot->followers[i].values, context);
    }
    for (uint32_t i = 0; i < snapshot->resource_count; i++) visit(history, &snapshot->resources[i].value, context);
}

static void release_list(covey_history *history, covey__units *list, void *context) {
    (void)context;
    covey__units_release(history, list);
}

static void destroy_snapshot(covey_history *history, covey__snapshot *snapshot) {
    covey__heap *heap = &history->heap;
    visit_lists(history, snapshot, release_list, NULL);
    covey__free(heap, snapshot->pools, snapshot->pool_count, sizeof *snapshot->pools, alignof(covey__pool_image));
    covey__free(heap, snapshot->groups, snapshot->group_count, sizeof *snapshot->groups, alignof(covey__group_image));
    covey__free(heap, snapshot->queues, snapshot->queue_count, sizeof *snapshot->queues, alignof(covey__queue_image));
    covey__free(heap, snapshot->commands, snapshot->commands_count, sizeof *snapshot->commands,
                alignof(covey__commands_image));
    covey__free(heap, snapshot->followers, snapshot->follower_count, sizeof *snapshot->followers,
                alignof(covey__follower_image));
    covey__free(heap, snapshot->resources, snapshot->resource_count, sizeof *snapshot->resources,
                alignof(covey__resource_image));
    covey__free(heap, snapshot, 1, sizeof *snapshot, alignof(covey__snapshot));
}

/* ---- Saving bytes ------------------------------------------------------------------------------------------------*/

typedef struct saving {
    covey_history *history;
    const covey_world *world;
    const covey__snapshot *before; /* the one to share with, or NULL */
    covey__snapshot *snapshot;
    covey_result result;
    const char *culprit; /* the name of a type that cannot be copied */
} saving;

static bool out_of_memory(saving *s) {
    s->result = COVEY_ERROR_MEMORY;
    return false;
}

static bool fails_to_copy(saving *s, const covey_type *type) {
    s->result = COVEY_ERROR_COPY;
    s->culprit = type->name;
    return false;
}

static bool make_list(saving *s, covey__units *list, uint32_t count) {
    return covey__units_create(s->history, list, count) || out_of_memory(s);
}

static void *make_images(saving *s, uint32_t *count, uint32_t wanted, size_t size) {
    void *images = covey__resize(&s->history->heap, NULL, 0, wanted, size, alignof(uint64_t));
    if (!images && wanted != 0) out_of_memory(s);
    if (!images) return NULL;
    *count = wanted;
    return memset(images, 0, wanted * size);
}

static covey__unit *share(covey__unit *unit) {
    unit->references++;
    return unit;
}

/* Saves contiguous bytes as unit `at` of a list. */
static bool save_bytes(saving *s, const covey__units *before, covey__units *list, uint32_t at, const void *from,
                       size_t bytes) {
    covey__unit *old = covey__unit_at(before, at), **unit = &list->at[at];
    if (bytes == 0) return true;
    if (old && old->bytes == bytes && memcmp(covey__unit_bytes(old), from, bytes) == 0) {
        *unit = share(old);
        return true;
    }
    *unit = covey__unit_create(s->history, bytes, NULL);
    if (!*unit) return out_of_memory(s);
    memcpy(covey__unit_bytes(*unit), from, bytes);
    return true;
}

/* The same for a unit that was made already: it is freed if it equals the one before. */
static covey__unit *kept(saving *s, const covey__units *before, uint32_t at, covey__unit *fresh) {
    covey__unit *old = covey__unit_at(before, at);
    bool same = old && old->bytes == fresh->bytes &&
                memcmp(covey__unit_bytes(old), covey__unit_bytes(fresh), fresh->bytes) == 0;
    if (!same) return fresh;
    covey__unit_release(s->history, fresh);
    return share(old);
}

/* ---- Saving values -----------------------------------------------------------------------------------------------*/

/* The links of nodes are indices: bytes with the same meaning after restoring. */
covey__keeping covey__keeping_of(const covey_pool *pool) {
    const covey_world *world = pool->world;
    if (world->names && world->names->pool == pool) return COVEY__KEEP_NAMES;
    bool hooks = pool->type->drop || pool->type->copy || pool->type->move;
    return hooks && pool != world->nodes ? COVEY__KEEP_COPIES : COVEY__KEEP_BYTES;
}

static uint32_t count_between(const covey_pool *pool, uint32_t first, uint32_t last) {
    uint32_t count = 0;
    for (uint32_t at = covey_pool_next(pool, first); at <= last && at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        count++;
    return count;
}

/* The values at the positions from `first` to `last`. */
static bool save_copies(saving *s, const covey_pool *pool, covey__units *list, uint32_t number, uint32_t first,
                        uint32_t last) {
    uint32_t count = count_between(pool, first, last);
    if (count == 0) return true;
    covey__unit *unit = covey__unit_create(s->history, (size_t)count * pool->size, pool->type);
    if (!unit) return out_of_memory(s);
    list->at[number] = unit;
    unit->wipe = pool->type->zero_vacated;
    for (uint32_t at = covey_pool_next(pool, first); at <= last && at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        if (!covey__unit_copy(s->history, unit, covey_pool_value_at_raw(pool, at))) return fails_to_copy(s, pool->type);
    return true;
}

static size_t write_names(const covey_pool *pool, uint32_t first, uint32_t last, char *to) {
    size_t bytes = 0;
    for (uint32_t at = covey_pool_next(pool, first); at <= last && at != COVEY_NONE;
         at = covey_pool_next(pool, at + 1)) {
        const covey__name *name = covey_pool_value_at_raw(pool, at);
        covey__name_record record = { name->hash, name->parent, covey__name_length(name) };
        if (to) memcpy(to + bytes, &record, sizeof record);
        if (to) memcpy(to + bytes + sizeof record, name->text, record.length);
        bytes += sizeof record + record.length;
    }
    return bytes;
}

static bool save_names(saving *s, const covey_pool *pool, const covey__units *before, covey__units *list,
                       uint32_t number, uint32_t first, uint32_t last) {
    size_t bytes = write_names(pool, first, last, NULL);
    if (bytes == 0) return true;
    covey__unit *unit = covey__unit_create(s->history, bytes, NULL);
    if (!unit) return out_of_memory(s);
    write_names(pool, first, last, covey__unit_bytes(unit));
    list->at[number] = kept(s, before, number, unit);
    return true;
}

/* Values with hooks, which cannot be copied as bytes. */
static bool save_others(saving *s, const covey_pool *pool, const covey__units *before, covey__units *list,
                        uint32_t number, uint32_t first, uint32_t last) {
    if (covey__keeping_of(pool) == COVEY__KEEP_COPIES) return save_copies(s, pool, list, number, first, last);
    return save_names(s, pool, before, list, number, first, last);
}

/* ---- Saving blocks -----------------------------------------------------------------------------------------------*/

static bool is_like(const covey__unit *unit, covey__runs runs) {
    const char *bytes = unit ? covey__unit_bytes(unit) : NULL, *end = unit ? bytes + unit->bytes : NULL;
    char *at;
    for (size_t run; unit && (run = covey__runs_next(&runs, &at)) != 0; bytes += run)
        if (run > (size_t)(end - bytes) || memcmp(bytes, at, run) != 0) return false;
    return unit && bytes == end;
}

static size_t bytes_of_runs(covey__runs runs) {
    size_t bytes = 0, run;
    char *at;
    while ((run = covey__runs_next(&runs, &at)) != 0) bytes += run;
    return bytes;
}

static bool save_runs(saving *s, const covey__units *before, covey__units *list, uint32_t number, covey__runs runs,
                      bool wipe) {
    covey__unit *old = covey__unit_at(before, number), **unit = &list->at[number];
    if (is_like(old, runs)) {
        *unit = share(old);
        return true;
    }
    *unit = covey__unit_create(s->history, bytes_of_runs(runs), NULL);
    if (!*unit) return out_of_memory(s);
    (*unit)->wipe = wipe;
    char *to = covey__unit_bytes(*unit), *at;
    for (size_t run; (run = covey__runs_next(&runs, &at)) != 0; to += run) memcpy(to, at, run);
    return true;
}

/* The values of a group of blocks of a page, not all of them empty. */
static bool save_block_values(saving *s, const covey_pool *pool, const covey__units *before, covey__units *list,
                              uint32_t page, uint32_t part) {
    uint32_t block = part * COVEY__UNIT_BLOCKS, number = page * COVEY__UNITS_OF_PAGE + part;
    uint32_t first = page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS,
             last = first + (COVEY__UNIT_BLOCKS * COVEY__BLOCK_IDS - 1);
    if (covey__keeping_of(pool) != COVEY__KEEP_BYTES) return save_others(s, pool, before, list, number, first, last);
    covey__runs runs = covey__runs_of(&pool->blocks, pool->blocks.pages[page], block, block + COVEY__UNIT_BLOCKS);
    return save_runs(s, before, list, number, runs, pool->type->zero_vacated);
}

static bool save_block_page(saving *s, const covey_pool *pool, const covey__pool_image *before,
                            covey__pool_image *image, uint32_t number) {
    const covey__block_page *page = pool->blocks.pages[number];
    const uint64_t part_of_summary = ((uint64_t)1 << COVEY__UNIT_BLOCKS) - 1;
    covey__form form;
    if (page->summary == 0) return true;
    if (!save_bytes(s, before ? &before->forms : NULL, &image->forms, number, &form,
                    covey__blocks_form(&pool->blocks, number, &form)))
        return false;
    for (uint32_t part = 0; part < COVEY__UNITS_OF_PAGE && pool->size != 0; part++) {
        if ((page->summary >> part * COVEY__UNIT_BLOCKS & part_of_summary) == 0) continue;
        if (!save_block_values(s, pool, before ? &before->values : NULL, &image->values, number, part)) return false;
    }
    return true;
}

static bool save_blocks(saving *s, const covey_pool *pool, const covey__pool_image *before, covey__pool_image *image) {
    uint32_t pages = pool->blocks.page_count;
    if (!make_list(s, &image->forms, pages)) return false;
    if (pool->size != 0 && !make_list(s, &image->values, pages * COVEY__UNITS_OF_PAGE)) return false;
    for (uint32_t i = 0; i < pages; i++)
        if (!save_block_page(s, pool, before, image, i)) return false;
    return true;
}

/* ---- Saving sparse sets ------------------------------------------------------------------------------------------*/

static uint32_t parts_of(uint32_t count, uint32_t part) { return count / part + (count % part != 0); }

/* An array of elements of a size, in parts. */
static bool save_array(saving *s, const covey__units *before, covey__units *list, const void *array, uint32_t count,
                       uint32_t part, size_t size) {
    if (!make_list(s, list, parts_of(count, part))) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t left = count - i * part;
        const char *from = (const char *)array + (size_t)i * part * size;
        if (!save_bytes(s, before, list, i, from, (left < part ? left : part) * size)) return false;
    }
    return true;
}

static bool save_set(saving *s, const covey_sparse_set *set, const covey__set_image *before, covey__set_image *image) {
    uint32_t size = covey_sparse_set_size(set);
    image->end = set->end;
    image->dead = set->dead;
    image->holes = set->holes;
    image->hole = set->hole;
    if (!save_array(s, before ? &before->ids : NULL, &image->ids, set->ids, size, COVEY__UNIT, sizeof *set->ids))
        return false;
    return !set->marks || save_array(s, before ? &before->marks : NULL, &image->marks, set->marks, parts_of(size, 64),
                                     COVEY__UNIT_WORDS, sizeof *set->marks);
}

static bool save_set_values(saving *s, const covey_pool *pool, const covey__units *before, covey__units *list) {
    const covey_sparse_set *set = &pool->set;
    uint32_t size = covey_sparse_set_size(set);
    bool bytes = covey__keeping_of(pool) == COVEY__KEEP_BYTES, wipe = pool->type->zero_vacated;
    if (set->size == 0) return true;
    if (!make_list(s, list, parts_of(size, COVEY__UNIT))) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t first = i * COVEY__UNIT, count = size - first < COVEY__UNIT ? size - first : COVEY__UNIT;
        if (bytes) {
            if (!save_bytes(s, before, list, i, covey__value_at(set, first, set->size), (size_t)count * set->size))
                return false;
            list->at[i]->wipe = wipe;
        } else if (!save_others(s, pool, before, list, i, first, first + count - 1)) {
            return false;
        }
    }
    return true;
}

/* ---- Saving pools ------------------------------------------------------------------------------------------------*/

static bool save_pages(saving *s, const covey__units *before, covey__units *list, const covey__pages *pages,
                       size_t size) {
    if (!make_list(s, list, pages->count)) return false;
    for (uint32_t i = 0; i < pages->count; i++)
        if (pages->at[i] && !save_bytes(s, before, list, i, pages->at[i], size)) return false;
    return true;
}

static bool save_ticks(saving *s, const covey__units *before, covey__units *list, const covey__pages *ticks) {
    if (!make_list(s, list, ticks->count)) return false;
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !save_bytes(s, before, list, i, ticks->at[i], covey__tick_page_bytes(ticks->at[i])))
            return false;
    return true;
}

static bool save_observers(saving *s, const covey__observers *observers, const covey__pool_image *before,
                           covey__pool_image *image) {
    image->keeps_order = observers->keeps_order;
    image->order = observers->order;
    return save_pages(s, before ? &before->disabled : NULL, &image->disabled, &observers->disabled,
                      COVEY__DISABLED_BYTES) &&
           save_ticks(s, before ? &before->ticks : NULL, &image->ticks, &observers->ticks);
}

uint64_t covey__reactive_number(const covey_pool *tags) {
    const covey_reactive *reactive = tags->world->reactives;
    while (reactive && reactive->tags != tags) reactive = reactive->next;
    return reactive && reactive->used ? reactive->number : 0;
}

/* The destroyed entities of a reactive set that keeps them. */
static bool save_ended(saving *s, const covey__ended *ended, const covey__pool_image *before,
                       covey__pool_image *image) {
    image->ended = ended->count;
    return save_array(s, before ? &before->ends : NULL, &image->ends, ended->handles, ended->count, UINT32_MAX,
                      sizeof *ended->handles);
}

static bool save_pool(saving *s, const covey_pool *pool, covey__pool_image *image) {
    const covey__pool_image *before =
        s->before && pool->number < s->before->pool_count ? &s->before->pools[pool->number] : NULL;
    if (!covey__is_internal(pool) && covey_pool_count(pool) != 0 && !covey__type_can_copy(pool->type))
        return fails_to_copy(s, pool->type);
    image->storage = (covey_storage)pool->storage;
    image->is_ordered = (pool->uses & COVEY_USE_ORDER) != 0;
    image->reactive = covey__is_reactive(pool) ? covey__reactive_number(pool) : 0;
    image->count = covey_pool_count(pool);
    if (pool->observers && !save_observers(s, pool->observers, before, image)) return false;
    if (pool->ended && !save_ended(s, pool->ended, before, image)) return false;
    const covey_sparse_set *set = covey__packed_in(pool);
    if (!set) return save_blocks(s, pool, before, image);
    return save_set(s, set, before ? &before->set : NULL, &image->set) &&
           save_set_values(s, pool, before ? &before->values : NULL, &image->values);
}

static bool save_pools(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    snapshot->pools = make_images(s, &snapshot->pool_count, world->pool_count, sizeof *snapshot->pools);
    for (uint32_t i = 0; i < world->pool_count && s->result == COVEY_OK; i++)
        save_pool(s, world->pools[i], &snapshot->pools[i]);
    return s->result == COVEY_OK;
}

/* ---- Saving all else ---------------------------------------------------------------------------------------------*/

static bool save_entities(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    const covey__units *before = s->before ? &s->before->entities : NULL;
    snapshot->tick = world->tick;
    snapshot->alive = world->alive;
    snapshot->range = world->range;
    snapshot->reserved_count = world->reserved_count;
    snapshot->reserved_root = world->reserved_root;
    if (!save_array(s, s->before ? &s->before->reserved : NULL, &snapshot->reserved, world->reserved,
                    world->reserved_count, UINT32_MAX, sizeof *world->reserved))
        return false;
    if (!make_list(s, &snapshot->entities, world->page_count)) return false;
    for (uint32_t i = 0; i < world->page_count; i++) {
        const covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (page && !save_bytes(s, before, &snapshot->entities, i, page, sizeof *page)) return false;
    }
    return true;
}

static bool asks_for_the_same(const covey__group_image *image, const covey_group *group) {
    uint32_t terms = covey__view_terms(&group->view), same = 0;
    if (image->owned != covey__group_owned(group) || image->with != group->view.with || image->terms != terms) return false;
    while (same < terms && image->pools[same] == group->pools[same]->number) same++;
    return same == terms;
}

static bool is_twin(const covey_group *a, const covey_group *b) {
    uint32_t terms = covey__view_terms(&a->view), same = 0;
    if (covey__group_owned(a) != covey__group_owned(b) || a->view.with != b->view.with || terms != covey__view_terms(&b->view)) return false;
    while (same < terms && a->pools[same] == b->pools[same]) same++;
    return same == terms;
}

const covey__group_image *covey__group_image_of(const covey__snapshot *snapshot, const covey_group *group) {
    uint32_t twins = 0;
    for (uint32_t i = 0; group->world->groups[i] != group; i++) twins += is_twin(group->world->groups[i], group);
    for (uint32_t i = 0; snapshot && i < snapshot->group_count; i++)
        if (asks_for_the_same(&snapshot->groups[i], group) && twins-- == 0) return &snapshot->groups[i];
    return NULL;
}

static bool save_group(saving *s, const covey_group *group, covey__group_image *image) {
    const covey__group_image *before = covey__group_image_of(s->before, group);
    image->owned = covey__group_owned(group);
    image->with = group->view.with;
    image->terms = covey__view_terms(&group->view);
    for (uint32_t i = 0; i < image->terms; i++) image->pools[i] = group->pools[i]->number;
    image->count = covey__group_count(group);
    image->candidates = group->candidates;
    return save_set(s, &group->members, before ? &before->set : NULL, &image->set);
}

static bool save_groups(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    snapshot->groups = make_images(s, &snapshot->group_count, world->group_count, sizeof *snapshot->groups);
    for (uint32_t i = 0; i < world->group_count && s->result == COVEY_OK; i++)
        save_group(s, world->groups[i], &snapshot->groups[i]);
    return s->result == COVEY_OK;
}

static const covey__queue_image *queue_before(const covey__snapshot *before, uint64_t number) {
    for (uint32_t i = 0; before && i < before->queue_count; i++)
        if (before->queues[i].number == number) return &before->queues[i];
    return NULL;
}

/* The elements of a ring, of a size, from the first to the last, as one unit. */
static bool save_ring(saving *s, const covey_queue *queue, const void *ring, size_t size, const covey__units *before,
                      covey__units *list) {
    uint32_t behind = queue->capacity - queue->first, straight = queue->count < behind ? queue->count : behind;
    const char *from = ring;
    if (!make_list(s, list, queue->count != 0)) return false;
    if (queue->count == 0) return true;
    covey__unit *unit = covey__unit_create(s->history, queue->count * size, NULL);
    if (!unit) return out_of_memory(s);
    memcpy(covey__unit_bytes(unit), from + queue->first * size, straight * size);
    memcpy(covey__unit_bytes(unit) + straight * size, from, (queue->count - straight) * size);
    list->at[0] = kept(s, before, 0, unit);
    return true;
}

/* In the order of events, also if the first is in the middle of the ring. */
static bool save_queue(saving *s, const covey_queue *queue, covey__queue_image *image) {
    const covey__queue_image *before = queue_before(s->before, queue->number);
    image->number = queue->number;
    image->count = queue->count;
    image->stride = queue->stride;
    if (!save_ring(s, queue, queue->events, sizeof *queue->events, before ? &before->events : NULL, &image->events))
        return false;
    return queue->stride == 0 ||
           save_ring(s, queue, queue->values, queue->stride, before ? &before->values : NULL, &image->values);
}

static bool save_queues(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_queue *queue = s->world->queues; queue; queue = queue->next) count++;
    snapshot->queues = make_images(s, &snapshot->queue_count, count, sizeof *snapshot->queues);
    for (const covey_queue *queue = s->world->queues; queue && s->result == COVEY_OK; queue = queue->next)
        save_queue(s, queue, &snapshot->queues[at++]);
    return s->result == COVEY_OK;
}

static bool save_ids(saving *s, const covey_commands *commands, covey__commands_image *image) {
    const covey__units *before = NULL;
    image->number = commands->number;
    image->spent = commands->spent;
    image->count = commands->id_count;
    for (uint32_t i = 0; s->before && i < s->before->commands_count; i++)
        if (s->before->commands[i].number == commands->number) before = &s->before->commands[i].ids;
    return save_array(s, before, &image->ids, commands->ids, commands->id_count, UINT32_MAX, sizeof *commands->ids);
}

/* The ids that command buffers have ready. */
static bool save_commands(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_commands *c = s->world->commands; c; c = c->next_of_world) count++;
    snapshot->commands = make_images(s, &snapshot->commands_count, count, sizeof *snapshot->commands);
    for (const covey_commands *c = s->world->commands; c && s->result == COVEY_OK; c = c->next_of_world)
        save_ids(s, c, &snapshot->commands[at++]);
    return s->result == COVEY_OK;
}

static const covey__follower_image *follower_before(const covey__snapshot *before, uint64_t number) {
    for (uint32_t i = 0; before && i < before->follower_count; i++)
        if (before->followers[i].number == number) return &before->followers[i];
    return NULL;
}

static bool save_follower(saving *s, const covey_follower *follower, covey__follower_image *image) {
    const covey__follower_image *before = follower_before(s->before, follower->number);
    const covey_sparse_set *known = follower->known;
    image->number = follower->number;
    return save_set(s, known, before ? &before->set : NULL, &image->set) &&
           save_array(s, before ? &before->values : NULL, &image->values, known->data, covey_sparse_set_size(known),
                      COVEY__UNIT, known->size);
}

static bool save_followers(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_follower *f = s->world->followers; f; f = f->next) count++;
    snapshot->followers = make_images(s, &snapshot->follower_count, count, sizeof *snapshot->followers);
    for (const covey_follower *f = s->world->followers; f && s->result == COVEY_OK; f = f->next)
        save_follower(s, f, &snapshot->followers[at++]);
    return s->result == COVEY_OK;
}

static const covey__units *value_before(const covey__snapshot *before, const covey_type *type) {
    for (uint32_t i = 0; before && i < before->resource_count; i++)
        if (before->resources[i].type == type) return &before->resources[i].value;
    return NULL;
}

static bool save_resource(saving *s, uint32_t number, covey__resource_image *image) {
    const covey_type *type = image->type = covey_world_resource(s->world, number);
    const void *value = covey__resource_value(s->world, number);
    if (!covey__type_can_copy(type)) return fails_to_copy(s, type);
    if (!make_list(s, &image->value, type->size != 0)) return false;
    if (!type->copy)
        return type->size == 0 || save_bytes(s, value_before(s->before, type), &image->value, 0, value, type->size);
    covey__unit *unit = covey__unit_create(s->history, type->size, type);
    if (!unit) return out_of_memory(s);
    image->value.at[0] = unit;
    return covey__unit_copy(s->history, unit, value) || fails_to_copy(s, type);
}

static bool save_resources(saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = covey_world_resource_count(s->world);
    snapshot->resources = make_images(s, &snapshot->resource_count, count, sizeof *snapshot->resources);
    for (uint32_t i = 0; i < count && s->result == COVEY_OK; i++) save_resource(s, i, &snapshot->resources[i]);
    return s->result == COVEY_OK;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

const char *covey__history_objection(const covey_world *world) {
    if (world->emission)
        return "a listener is being called: save or restore when the call that it is part of has ended";
    if (covey__is_following(world)) return "a follower reads an image: do it afterwards";
    for (const covey_commands *c = world->commands; c; c = c->next_of_world) {
        if (c->busy) return "commands are being replayed: do it afterwards";
        if (c->taken != c->spent) return "a command buffer has recorded entities: replay or clear it first";
    }
    return NULL;
}

static bool refuse_save(covey_history *history, covey_result result, const char *reason) {
    covey__fail(history->world, result, "a snapshot could not be saved: %s", reason);
    return false;
}

/* A place for one more snapshot. */
static bool make_place(covey_history *history) {
    uint32_t count = history->count;
    if (count == history->capacity) return true;
    covey__snapshot **table =
        covey__reach(&history->heap, history->snapshots, &history->table, count, history->capacity, NULL);
    if (table) history->snapshots = table;
    return table != NULL;
}

static void discard_oldest(covey_history *history) {
    destroy_snapshot(history, history->snapshots[0]);
    history->count--;
    memmove(history->snapshots, history->snapshots + 1, history->count * sizeof *history->snapshots);
}

static bool save_all(saving *s) {
    return save_entities(s) && save_pools(s) && save_groups(s) && save_queues(s) && save_commands(s) &&
           save_followers(s) && save_resources(s);
}

bool covey_history_save(covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    if (COVEY__IN_HOOK(history->world)) return false;
    const char *objection = covey__history_objection(history->world);
    if (objection) return refuse_save(history, COVEY_ERROR_REFUSED, objection);
    covey__snapshot *snapshot = covey__resize(&history->heap, NULL, 0, 1, sizeof *snapshot, alignof(covey__snapshot));
    if (!snapshot) return refuse_save(history, COVEY_ERROR_MEMORY, covey__reason(COVEY_ERROR_MEMORY));
    *snapshot = (covey__snapshot){ 0 };
    const covey__snapshot *before = history->count != 0 ? history->snapshots[history->count - 1] : NULL;
    saving s = { history, history->world, before, snapshot, COVEY_OK, NULL };
    if (!make_place(history)) out_of_memory(&s);
    else save_all(&s);
    if (s.result != COVEY_OK) {
        destroy_snapshot(history, snapshot);
        return refuse_save(history, s.result, s.culprit ? s.culprit : covey__reason(s.result));
    }
    if (history->count == history->capacity) discard_oldest(history);
    snapshot->number = history->saved++;
    history->snapshots[history->count++] = snapshot;
    COVEY__CHANGED(history->world);
    return true;
}

void covey__history_discard(covey_history *history, uint32_t newest) {
    while (history->count > newest) destroy_snapshot(history, history->snapshots[--history->count]);
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

covey_history *covey_history_create(covey_world *world, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey__heap heap = { world->heap.allocator, 0, NULL };
    covey_result result = capacity == 0 ? COVEY_ERROR_RANGE : COVEY_ERROR_MEMORY;
    covey_history *history =
        capacity == 0 ? NULL : covey__resize(&heap, NULL, 0, 1, sizeof *history, alignof(covey_history));
    if (!history) {
        covey__fail(world, result, "a history of %u snapshots could not be created: %s", capacity,
                    capacity == 0 ? "it keeps 1 snapshot or more" : covey__reason(result));
        return NULL;
    }
    *history = (covey_history){ .world = world, .next = world->histories, .capacity = capacity, .heap = heap };
    if (history->next) history->next->previous = history;
    world->histories = history;
    return history;
}

void covey_history_destroy(covey_history *history) {
    if (!history) return;
    if (COVEY__IN_HOOK(history->world)) return;
    covey__history_discard(history, 0);
    if (history->next) history->next->previous = history->previous;
    if (history->previous) history->previous->next = history->next;
    else history->world->histories = history->next;
    covey__heap heap = history->heap;
    covey__free(&heap, history->snapshots, history->table, sizeof *history->snapshots, alignof(covey__snapshot *));
    covey__free(&heap, history, 1, sizeof *history, alignof(covey_history));
}

void covey__histories_free(covey_world *world) {
    while (world->histories) covey_history_destroy(world->histories);
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey_history_count(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->count;
}

uint32_t covey_history_capacity(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->capacity;
}

size_t covey_history_memory(const covey_history *history) {
    COVEY__CONTRACT(NULL, history, "a call needs a history");
    return history->heap.bytes;
}

/* What the lists of all snapshots refer to, and the bytes of their tables. */
typedef struct tally {
    uint64_t references;
    size_t bytes;
    bool dead; /* a unit that no snapshot may have */
} tally;

static void tally_list(covey_history *history, covey__units *list, void *context) {
    tally *sum = context;
    (void)history;
    sum->bytes += list->count * sizeof *list->at;
    for (uint32_t i = 0; i < list->count; i++) {
        const covey__unit *unit = list->at[i];
        sum->references += unit != NULL;
        sum->dead |= unit && unit->references == 0;
    }
}

/* The bytes of a snapshot without those of its lists. */
static size_t tables_of(const covey__snapshot *snapshot) {
    size_t bytes = sizeof *snapshot + snapshot->pool_count * sizeof *snapshot->pools;
    bytes += snapshot->group_count * sizeof *snapshot->groups + snapshot->queue_count * sizeof *snapshot->queues;
    bytes += snapshot->commands_count * sizeof *snapshot->commands;
    bytes += snapshot->follower_count * sizeof *snapshot->followers;
    return bytes + snapshot->resource_count * sizeof *snapshot->resources;
}

static void tally_snapshot(covey_history *history, covey__snapshot *snapshot, tally *sum) {
    visit_lists(history, snapshot, tally_list, sum);
    sum->bytes += tables_of(snapshot);
}

static void sum_own(covey_history *history, covey__units *list, void *context) {
    size_t *bytes = context;
    (void)history;
    *bytes += list->count * sizeof *list->at;
    for (uint32_t i = 0; i < list->count; i++)
        if (list->at[i] && list->at[i]->references == 1) *bytes += COVEY__UNIT_HEADER + list->at[i]->bytes;
}

bool covey_history_info(const covey_history *history, uint32_t back, covey_snapshot_info *info) {
    COVEY__CONTRACT(NULL, history && info, "a call needs a history, and a place for what it has");
    if (back >= history->count) return false;
    covey__snapshot *snapshot = history->snapshots[history->count - 1 - back];
    *info = (covey_snapshot_info){ snapshot->number, snapshot->tick, snapshot->alive, tables_of(snapshot) };
    visit_lists((covey_history *)(uintptr_t)history, snapshot, sum_own, &info->bytes);
    return true;
}

static bool history_is_valid(const covey_history *history, const char **why) {
    tally found = { 0, sizeof *history + history->table * sizeof *history->snapshots, false };
    uint64_t references = 0;
    REQUIRE(history->count <= history->capacity && history->count <= history->table,
            "history: more snapshots than it keeps");
    for (uint32_t i = 0; i < history->count; i++)
        tally_snapshot((covey_history *)(uintptr_t)history, history->snapshots[i], &found);
    for (const covey__unit *unit = history->units; unit; unit = unit->next) {
        REQUIRE(!unit->next || unit->next->previous == unit, "history: the list of units is broken backwards");
        REQUIRE(!unit->type || unit->references == 1, "history: a copy that two have");
        references += unit->references;
        found.bytes += COVEY__UNIT_HEADER + unit->bytes;
    }
    REQUIRE(!found.dead && found.references == references, "history: a unit that more or fewer have than it counts");
    REQUIRE(found.bytes == history->heap.bytes, "history: bytes that are not accounted for");
    return true;
}

bool covey__histories_valid(const covey_world *world, const char **why) {
    const covey_history *previous = NULL;
    for (const covey_history *history = world->histories; history; previous = history, history = history->next) {
        REQUIRE(history->world == world && history->previous == previous, "history: one that is not in the list");
        if (!history_is_valid(history, why)) return false;
    }
    return true;
}
