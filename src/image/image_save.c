/* Writes a world as an image, in one pass. Checksums are computed while the bytes are in the cache. */
#include "memory/inner.h"
#include "image/image.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "change/commands.h"
#include "memory/crc32c.h"
#include "change/entity.h"
#include "image/image_filter.h"
#include "image/image_kinds.h"
#include "memory/lines.h"
#include "tree/name.h"
#include "tree/node.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "storage/type.h"

#include <stdalign.h>
#include <stdio.h>

enum { HANDLE = 8, SUM_EVERY = 1 << 14, STREAM_WINDOW = 1 << 16, PROGRESS_EVERY = 1 << 20 };

/* Writes to a window: the caller's memory, or a buffer that is flushed to the sink when it is full. When nothing more
 * fits, or after a failure, only counts bytes. */
typedef struct writer {
    covey_world *world;
    const covey_save_desc *desc;
    covey_report *report;
    covey__heap heap; /* not the world's heap, because other threads may be reading the world */
    covey_sink_fn *sink;
    void *sink_context;
    unsigned char *window, *at, *end;
    unsigned char *summed; /* the checksum includes the bytes before it */
    uint32_t sum;
    bool counting;
    bool large;      /* the current section: copies bypass the caches */
    uint64_t before; /* bytes before the window, and bytes that were only counted */
    uint64_t all, told;
    covey__section_entry *sections;
    uint32_t section_count, section_capacity;
    covey__filter filter;
    uint32_t *type_numbers; /* of each pool: of its section among those of pools, or COVEY_NONE */
    covey__packed_kinds kinds;
    covey__plan plan;         /* of the current pool or resource */
    covey_codec_writer owned; /* what the codec writes for the current value */
} writer;

static uint64_t position(const writer *w) { return w->before + (uint64_t)(w->at - w->window); }

static void only_count(writer *w) {
    w->before = position(w);
    w->window = w->at = w->end = w->summed = NULL;
    w->counting = true;
}

static covey_result fail_save(writer *w, covey_result result, const char *text, const char *name) {
    if (w->report->result != COVEY_OK) return w->report->result;
    w->report->result = result;
    snprintf(w->report->text, sizeof w->report->text, "%s%s%s", name ? name : "", name ? " " : "", text);
    only_count(w);
    return result;
}

static bool is_fine(const writer *w) { return w->report->result == COVEY_OK; }

/* ---- Bytes -------------------------------------------------------------------------------------------------------*/

static void tell_progress(writer *w) {
    const covey_save_desc *desc = w->desc;
    w->told = position(w);
    if (desc->progress && !desc->progress(w->told, w->all, desc->progress_context))
        fail_save(w, COVEY_ERROR_CANCELLED, "the progress function cancelled the call", NULL);
}

static void sum_window(writer *w) {
    if (w->at == w->summed) return;
    w->sum = covey__crc32c(w->sum, w->summed, (size_t)(w->at - w->summed));
    w->summed = w->at;
    if (position(w) - w->told >= PROGRESS_EVERY) tell_progress(w);
}

static void flush_window(writer *w) {
    size_t size = (size_t)(w->at - w->window);
    sum_window(w);
    if (w->counting || size == 0) return;
    if (!w->sink(w->window, size, w->sink_context)) {
        fail_save(w, COVEY_ERROR_FILE, "the caller's write function returned false", NULL);
        return;
    }
    w->before += size;
    w->at = w->summed = w->window;
}

/* Makes room for this many bytes, which the caller writes; NULL if they are only counted. A stream has room for at
 * least one record. */
static unsigned char *make_room(writer *w, size_t size) {
    if (!w->counting && size > (size_t)(w->end - w->at) && w->sink) flush_window(w);
    if (!w->counting && size > (size_t)(w->end - w->at)) only_count(w);
    return w->counting ? NULL : w->at;
}

static inline void advance(writer *w, size_t size) {
    if (w->counting) {
        w->before += size;
        return;
    }
    w->at += size;
    if (w->at - w->summed >= SUM_EVERY) sum_window(w);
}

/* Copies bytes and sums them in one go. */
static void put_part(writer *w, const void *bytes, size_t size) {
    unsigned char *to = make_room(w, size);
    if (!to) {
        advance(w, size);
        return;
    }
    sum_window(w);
    if (w->counting) return; /* cancelled by the progress function */
    w->sum = covey__crc32c_copy(w->sum, to, bytes, size, w->large);
    w->at = w->summed = to + size;
}

static void put_bytes(writer *w, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    size_t most = w->sink ? STREAM_WINDOW : PROGRESS_EVERY;
    for (size_t part; size != 0; size -= part, from += part) {
        part = size < most ? size : most;
        if (part >= SUM_EVERY / 8) {
            put_part(w, from, part);
            continue;
        }
        unsigned char *to = make_room(w, part);
        if (to) memcpy(to, from, part);
        advance(w, part);
    }
}

static inline void put_number(writer *w, uint64_t number, uint32_t bytes) {
    unsigned char *to = make_room(w, bytes);
    for (uint32_t i = 0; to && i < bytes; i++) to[i] = (unsigned char)(number >> 8 * i);
    advance(w, bytes);
}

static void put_u8(writer *w, uint32_t number) { put_number(w, number, 1); }
static void put_u16(writer *w, uint32_t number) { put_number(w, number, 2); }
static void put_u32(writer *w, uint32_t number) { put_number(w, number, 4); }
static void put_u64(writer *w, uint64_t number) { put_number(w, number, 8); }

static void put_u32s(writer *w, const uint32_t *numbers, size_t count) {
    if (covey__is_little_endian()) put_bytes(w, numbers, count * sizeof *numbers);
    else
        for (size_t i = 0; i < count; i++) put_u32(w, numbers[i]);
}

/* ---- Sections ----------------------------------------------------------------------------------------------------*/

static void begin_section(writer *w, covey_section_kind kind) {
    sum_window(w);
    w->sum = 0;
    w->sections[w->section_count] = (covey__section_entry){ .kind = kind, .offset = (size_t)position(w) };
}

static void end_section(writer *w) {
    sum_window(w);
    covey__section_entry *section = &w->sections[w->section_count++];
    section->checksum = w->sum;
    section->bytes = (size_t)position(w) - section->offset;
}

static void put_table(writer *w, uint32_t sum_of_header) {
    sum_window(w);
    w->sum = sum_of_header;
    for (uint32_t i = 0; i < w->section_count; i++) {
        put_u32(w, w->sections[i].kind);
        put_u32(w, w->sections[i].checksum);
        put_u64(w, w->sections[i].bytes);
    }
    put_u64(w, position(w) + COVEY__TRAILER_BYTES);
    put_u32(w, w->section_count);
    sum_window(w);
    put_u32(w, w->sum);
}

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

static uint64_t indices_of(const covey_world *world) {
    uint64_t covered = (uint64_t)world->page_count * COVEY_PAGE_SIZE;
    return covered < COVEY_NONE ? covered : COVEY_NONE;
}

/* The first index from `from` on that was used, or that was not; the end if there is none. */
static uint64_t seek(const covey_world *world, uint64_t from, bool used) {
    uint64_t end = indices_of(world);
    while (from < end) {
        const covey__entity_page *page = covey__entity_page_of(world, (uint32_t)from);
        uint64_t page_end = (from / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
        if (page_end > end) page_end = end;
        if (!page && !used) return from;
        if (page && !used) /* the usual case, and faster */
            while (from < page_end && page->free[from % COVEY_PAGE_SIZE / 64] == 0)
                from += COVEY__TABLE_WORD - from % COVEY__TABLE_WORD;
        while (page && from < page_end && covey__was_used(page, (uint32_t)from) != used) from++;
        if (from < page_end && page) return from;
        from = page_end;
    }
    return end;
}

/* for (run r = next_used_run(world, 0); r.first != r.end; r = next_used_run(world, r.end)) */
typedef struct run {
    uint64_t first, end;
} run;

static run next_used_run(const covey_world *world, uint64_t from) {
    run r = { seek(world, from, true), 0 };
    r.end = seek(world, r.first, false);
    return r;
}

/* Writes generations. In the image, entities that are left out were destroyed. */
static void put_some_generations(writer *w, const uint32_t *generations, uint32_t first, uint32_t count) {
    uint32_t some[256];
    for (uint32_t part; count != 0; count -= part, generations += part, first += part) {
        part = count < 256 ? count : 256;
        covey__filter_generations(&w->filter, first, generations, part, some);
        put_u32s(w, some, part);
    }
}

static void put_generations(writer *w, const covey_world *world, run r) {
    while (r.first < r.end) {
        const covey__entity_page *page = covey__entity_page_of(world, (uint32_t)r.first);
        uint64_t page_end = (r.first / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE,
                 end = r.end < page_end ? r.end : page_end;
        const uint32_t *generations = page->generation + r.first % COVEY_PAGE_SIZE;
        if (w->filter.chooses) put_some_generations(w, generations, (uint32_t)r.first, (uint32_t)(end - r.first));
        else put_u32s(w, generations, (size_t)(end - r.first));
        r.first = end;
    }
}

static void put_entities(writer *w, const covey_world *world) {
    uint64_t slots = 0;
    uint32_t runs = 0;
    for (run r = next_used_run(world, 0); r.first != r.end; r = next_used_run(world, r.end))
        slots += r.end - r.first, runs++;
    begin_section(w, COVEY_SECTION_ENTITIES);
    put_u32(w, (uint32_t)slots);
    put_u32(w, runs);
    put_u32(w, world->inner->reserved_count);
    for (uint32_t i = 0; i < world->inner->reserved_count; i++) {
        put_u32(w, world->inner->reserved[i].first);
        put_u32(w, world->inner->reserved[i].end - world->inner->reserved[i].first);
    }
    for (run r = next_used_run(world, 0); r.first != r.end; r = next_used_run(world, r.end)) {
        put_u32(w, (uint32_t)r.first);
        put_u32(w, (uint32_t)(r.end - r.first));
    }
    w->large = slots * sizeof(uint32_t) >= COVEY_CACHE_BYTES / 4 && !w->sink;
    for (run r = next_used_run(world, 0); r.first != r.end; r = next_used_run(world, r.end))
        put_generations(w, world, r);
    w->large = false;
    end_section(w);
}

/* Writes the entities. Ids that a command buffer has reserved are free in the image, as in a clone. */
static void put_entities_of(writer *w) {
    const covey_world *world = w->world;
    if (!covey__commands_hold_ids(world)) {
        put_entities(w, world);
        return;
    }
    covey__whole_world whole;
    covey_world *twin = covey__entities_only(&whole, world->inner->heap.allocator);
    bool cloned = covey__entities_clone(world, twin);
    if (cloned) covey__commands_leave_clone(world, twin);
    if (cloned) put_entities(w, twin);
    else fail_save(w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
    covey__entities_free(twin);
}

/* ---- Types -------------------------------------------------------------------------------------------------------*/

static void put_name(writer *w, const char *name) {
    size_t length = strlen(name);
    if (length > UINT16_MAX)
        fail_save(w, COVEY_ERROR_RANGE, "the name of a type or field is longer than 65,535 bytes", NULL);
    put_u16(w, (uint32_t)length);
    put_bytes(w, name, length);
}

static void put_fields(writer *w, const covey_fields *fields) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < fields->count; i++) count += covey__is_written(&fields->at[i]);
    put_u16(w, count);
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        if (!covey__is_written(field)) continue;
        put_name(w, field->name);
        put_u8(w, field->kind);
        put_u32(w, field->count);
        if (field->nested) put_fields(w, field->nested);
    }
}

static void put_type(writer *w, const covey_type *type, uint32_t storage) {
    covey_encoding encoding = covey__type_encoding(type);
    put_name(w, type->name);
    put_u8(w, encoding);
    put_u8(w, covey__type_storage(type));
    put_u8(w, type->policy);
    bool zero_erased = type->zero_erased && encoding != COVEY_ENCODING_NONE;
    put_u8(w, (type->ticks ? COVEY__FLAG_TICKS : 0u) | (zero_erased ? COVEY__FLAG_ZERO_ERASED : 0u) |
                  (type->no_copy ? COVEY__FLAG_NO_COPY : 0u));
    put_u8(w, type->compact_above);
    put_u8(w, storage);
    if (type->fields && covey__record_bytes(type->fields) != 0) put_fields(w, type->fields);
    else if (encoding == COVEY_ENCODING_CODEC) put_u16(w, 0);
    if (!type->as_bytes) return;
    put_u32(w, type->size);
    put_u32(w, type->align ? type->align : 1);
}

static bool make_plan(writer *w, const covey_type *type) {
    char why[1];
    covey_result result =
        covey__plan_make(&w->heap, &w->plan, type, covey__type_encoding(type), type->fields, why, sizeof why);
    return result == COVEY_OK || fail_save(w, result, "an allocation failed", type->name) == COVEY_OK;
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void put_values(writer *w, const char *values, size_t count) {
    const covey__plan *plan = &w->plan;
    size_t step = plan->record != 0 ? SUM_EVERY / plan->record : 0;
    if (plan->record == 0) return;
    if (covey__plan_copies(plan)) {
        put_bytes(w, values, count * plan->size);
        return;
    }
    for (size_t some; count != 0; count -= some, values += some * plan->size) {
        some = step == 0 ? 1 : count < step ? count : step;
        unsigned char *to = make_room(w, some * plan->record);
        if (to) covey__encode(plan, to, values, some);
        advance(w, some * plan->record);
    }
}

static void put_run(void *values, size_t count, void *context) { put_values(context, values, count); }

/* The same for values whose bytes are copied as they are. If components are often added and removed, most runs are
 * short. */
static void put_copies(void *values, size_t count, void *context) {
    writer *w = context;
    size_t size = count * w->plan.size;
    if (w->counting || size > SUM_EVERY / 8 || size > (size_t)(w->end - w->at)) {
        put_bytes(w, values, size);
        return;
    }
    memcpy(w->at, values, size);
    advance(w, size);
}

static uint64_t pick(const covey_pool *pool, uint32_t first, uint64_t mask, const void *context) {
    return covey__filter_mask(&((const writer *)context)->filter, pool, first, mask);
}

static void put_all_values(writer *w, const covey_pool *pool, uint32_t count) {
    uint64_t bytes = (uint64_t)count * w->plan.record;
    if (w->counting) {
        w->before += bytes;
        return;
    }
    if (bytes == 0) return;
    w->large = bytes >= COVEY_CACHE_BYTES / 4 && !w->sink;
    covey__each_run(pool, count == covey_pool_count(pool) ? NULL : pick,
                    covey__plan_copies(&w->plan) ? put_copies : put_run, w);
    w->large = false;
}

static void fail_to_write(writer *w, const covey_type *type, covey_result result) {
    char text[160];
    const char *why = w->owned.result == COVEY_ERROR_LIMIT ? "a value has more bytes than the limit of its codec"
                      : w->owned.result == COVEY_ERROR_TYPE
                          ? "its save function writes structs or padding; write their members"
                          : covey_result_text(result);
    snprintf(text, sizeof text, "cannot be saved: %s", why);
    fail_save(w, result, text, type->name);
}

/* Writes the values of a type with a codec, one by one. */
static void put_owned(writer *w, const covey_type *type, const void *value) {
    covey_codec_writer *owned = &w->owned;
    if (!is_fine(w)) return;
    covey_result result = covey__codec_save(w->world, owned, type, value);
    if (result != COVEY_OK) {
        fail_to_write(w, type, result);
        return;
    }
    put_u32(w, (uint32_t)owned->bytes.size);
    put_u32(w, (uint32_t)(owned->handles.size / HANDLE));
    put_bytes(w, owned->handles.bytes, owned->handles.size);
    put_bytes(w, owned->bytes.bytes, owned->bytes.size);
}

static void put_all_owned(writer *w, const covey_pool *pool) {
    if (!pool->type->codec) return;
    for (uint32_t at = 0; (at = covey__filter_next(&w->filter, pool, at)) != COVEY_NONE; at++)
        put_owned(w, pool->type, covey__pool_value_at(pool, at, pool->size));
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

static void put_positions(writer *w, const covey_sparse_set *set) {
    for (uint32_t i = 0, part; i < set->end; i += part) {
        uint32_t some[256];
        part = set->end - i < 256 ? set->end - i : 256;
        for (uint32_t j = 0; j < part; j++) some[j] = set->ids[i + j].index;
        for (uint32_t j = 0; set->holes != 0 && j < part; j++)
            if (covey__is_hole(set, i + j)) some[j] = COVEY__HOLE;
        put_u32s(w, some, part);
    }
}

static void put_set(writer *w, const covey_sparse_set *set) {
    put_u32(w, set->end);
    put_u32(w, set->dead);
    put_positions(w, set);
    for (uint32_t i = 0; i < set->dead; i++) {
        put_u32(w, set->ids[set->end + i].index);
        put_u32(w, set->ids[set->end + i].generation);
    }
    if (set->policy != COVEY_IN_PLACE) return;
    for (uint32_t hole = set->hole; hole != COVEY_NONE; hole = set->ids[hole].index) put_u32(w, hole);
}

/* The ids that are saved, in order and without holes. */
static void put_chosen_set(writer *w, const covey_pool *pool, uint32_t count) {
    put_u32(w, count);
    put_u32(w, 0);
    if (count == covey__packed_in(pool)->end) {
        put_positions(w, covey__packed_in(pool));
        return;
    }
    uint32_t some[256], from = 0;
    while ((count = covey__filter_ids(&w->filter, pool, &from, some, 256)) != 0) put_u32s(w, some, count);
}

/* The next block with components that are saved, and their mask; 0 at the end. */
static uint64_t next_mask(const writer *w, const covey_pool *pool, uint64_t *first) {
    for (uint64_t mask; (mask = covey__storage_next_mask(pool, first)) != 0; *first += COVEY__BLOCK_IDS)
        if ((mask = covey__filter_mask(&w->filter, pool, (uint32_t)*first, mask)) != 0) return mask;
    return 0;
}

static void put_masks(writer *w, const covey_pool *pool) {
    uint32_t count = 0;
    uint64_t first = 0;
    for (; next_mask(w, pool, &first) != 0; first += COVEY__BLOCK_IDS) count++;
    put_u32(w, count);
    first = 0;
    for (uint64_t mask; (mask = next_mask(w, pool, &first)) != 0; first += COVEY__BLOCK_IDS) {
        put_u32(w, (uint32_t)(first / COVEY__BLOCK_IDS));
        put_u64(w, mask);
    }
}

static uint64_t disabled_mask(const writer *w, const covey_pool *pool, uint32_t block) {
    uint32_t first = block * COVEY__BLOCK_IDS;
    uint64_t mask = covey__disabled_mask(pool, first);
    return mask != 0 ? covey__filter_mask(&w->filter, pool, first, mask) : 0;
}

/* Writes which components are disabled: blocks and masks, as above. */
static void put_disabled(writer *w, const covey_pool *pool) {
    const covey__pages *pages = pool->observers ? &pool->observers->disabled : NULL;
    uint32_t total = pages ? pages->count * COVEY__PAGE_BLOCKS : 0, count = 0;
    for (uint32_t block = 0; block < total; block++) count += disabled_mask(w, pool, block) != 0;
    put_u32(w, count);
    for (uint32_t block = 0; block < total && count != 0; block++) {
        uint64_t mask = disabled_mask(w, pool, block);
        if (mask == 0) continue;
        put_u32(w, block);
        put_u64(w, mask);
    }
}

static void put_ticks(writer *w, const covey_pool *pool) {
    for (uint32_t at = 0; (at = covey__filter_next(&w->filter, pool, at)) != COVEY_NONE; at++)
        put_u64(w, covey__ticks_of(pool, covey_pool_at(pool, at).index));
}

static void put_ids(writer *w, const covey_pool *pool, uint32_t count) {
    const covey_sparse_set *set = covey__packed_in(pool);
    if (!set) put_masks(w, pool);
    else if (covey__filter_takes_all(&w->filter, pool)) put_set(w, set);
    else put_chosen_set(w, pool, count);
}

static void put_pool(writer *w, const covey_pool *pool) {
    if (!make_plan(w, pool->type)) return;
    begin_section(w, COVEY_SECTION_POOL);
    put_type(w, pool->type, pool->storage);
    uint32_t count = covey__filter_count(&w->filter, pool);
    put_u32(w, count);
    put_ids(w, pool, count);
    put_disabled(w, pool);
    if (pool->type->ticks) put_ticks(w, pool);
    put_all_values(w, pool, count);
    put_all_owned(w, pool);
    end_section(w);
    covey__plan_free(&w->heap, &w->plan);
}

static void put_resource(writer *w, const covey_type *type) {
    if (!make_plan(w, type)) return;
    begin_section(w, COVEY_SECTION_RESOURCE);
    put_type(w, type, covey__type_storage(type));
    const void *value = covey_resource_get_raw(w->world, type);
    put_values(w, value, 1);
    if (type->codec) put_owned(w, type, value);
    end_section(w);
    covey__plan_free(&w->heap, &w->plan);
}

/* ---- Parents and names -------------------------------------------------------------------------------------------*/

/* The children of a node that are saved. */
static uint32_t count_children(const writer *w, const covey__node *node) {
    uint32_t count = 0;
    if (!w->filter.chooses) return node->count;
    for (uint32_t child = node->first; child != COVEY_NONE; child = covey__node_of(w->world, child)->next)
        count += covey__filter_has(&w->filter, child);
    return count;
}

static const covey__node *next_parent(const writer *w, uint32_t *at) {
    const covey_pool *nodes = w->world->inner->nodes;
    for (; nodes && (*at = covey_pool_next(nodes, *at)) != COVEY_NONE; ++*at) {
        const covey__node *node = covey_pool_value_at_raw(nodes, *at);
        if (!covey__filter_has(&w->filter, node->self) || count_children(w, node) == 0) continue;
        ++*at;
        return node;
    }
    return NULL;
}

static void put_parents(writer *w) {
    const covey_world *world = w->world;
    uint32_t count = 0, at = 0;
    while (next_parent(w, &at)) count++;
    if (count == 0) return;
    begin_section(w, COVEY_SECTION_PARENTS);
    put_u32(w, count);
    at = 0;
    for (const covey__node *node; (node = next_parent(w, &at)) != NULL;) {
        put_u32(w, node->self);
        put_u32(w, count_children(w, node));
        for (uint32_t child = node->first; child != COVEY_NONE; child = covey__node_of(world, child)->next)
            if (covey__filter_has(&w->filter, child)) put_u32(w, child);
    }
    end_section(w);
}

static const covey__name *next_name(const writer *w, uint32_t *at) {
    const covey_pool *pool = w->world->inner->names ? w->world->inner->names->pool : NULL;
    for (; pool && (*at = covey_pool_next(pool, *at)) != COVEY_NONE; ++*at) {
        const covey__name *name = covey_pool_value_at_raw(pool, *at);
        if (!covey__filter_names(&w->filter, name->self)) continue;
        ++*at;
        return name;
    }
    return NULL;
}

static void put_names(writer *w) {
    uint32_t count = 0, at = 0;
    while (next_name(w, &at)) count++;
    if (count == 0) return;
    begin_section(w, COVEY_SECTION_NAMES);
    put_u32(w, count);
    at = 0;
    for (const covey__name *name; (name = next_name(w, &at)) != NULL;) {
        put_u32(w, name->self);
        put_u16(w, (uint16_t)covey__name_length(name));
        put_bytes(w, name->text, covey__name_length(name));
    }
    end_section(w);
}

/* ---- Kinds -------------------------------------------------------------------------------------------------------*/

static void put_kinds(writer *w) {
    if (w->kinds.count == 0) return;
    begin_section(w, COVEY_SECTION_KINDS);
    put_u32(w, COVEY__TABLE_WORD);
    put_u32s(w, w->kinds.numbers, w->kinds.count);
    end_section(w);
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

bool covey__type_listed(const covey_type *const *types, const covey_type *type) {
    for (; types && *types; types++)
        if (*types == type || strcmp((*types)->name, type->name) == 0) return true;
    return false;
}

static bool is_wanted(const writer *w, const covey_type *type) {
    return !type->transient && (!w->desc->types || covey__type_listed(w->desc->types, type));
}

static bool can_be_saved(const covey_type *type) {
    return type->size == 0 || type->as_bytes || type->fields || type->codec;
}

/* Whether a pool is in the image. An empty pool whose type cannot be saved is left out. */
static bool is_saved(const writer *w, const covey_pool *pool) {
    if (covey__is_internal(pool))
        return pool == w->world->inner->disabled && covey__filter_count(&w->filter, pool) != 0;
    if (!is_wanted(w, pool->type)) return false;
    return can_be_saved(pool->type) || covey__filter_count(&w->filter, pool) != 0;
}

/* Checks that a type can be saved. A record may be larger than a value, because handles may have fewer bytes in
 * memory. */
static void check_type(writer *w, const covey_type *type) {
    if (!can_be_saved(type))
        fail_save(w, COVEY_ERROR_TYPE, "cannot be saved: define it with .fields, a .codec, .as_bytes or .transient",
                  type->name);
    else if (type->fields && covey__record_bytes(type->fields) > UINT32_MAX)
        fail_save(w, COVEY_ERROR_TYPE, "cannot be saved: a value takes 4 GB or more in an image", type->name);
}

/* Checks that components and resources with this name have the same type: images identify types by name. */
static void check_name(writer *w, const covey_type *type) {
    const covey_pool *pool = covey__pool_named(w->world, type->name);
    if (pool && is_saved(w, pool) && !covey__type_same_layout(pool->type, type))
        fail_save(w, COVEY_ERROR_TYPE,
                  "cannot be saved: a component and a resource with this name have different types; rename one",
                  type->name);
}

/* Checks all types before anything is written. */
static void check_types(writer *w) {
    const covey_world *world = w->world;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (is_saved(w, world->pools[i])) {
            COVEY__USES(world, world->pools[i]->type, COVEY__ACCESS_READ);
            check_type(w, world->pools[i]->type);
        }
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        if (is_wanted(w, covey_world_resource(world, i))) {
            check_type(w, covey_world_resource(world, i));
            check_name(w, covey_world_resource(world, i));
        }
    if (world->inner->emission)
        fail_save(w, COVEY_ERROR_REFUSED,
                  "a listener is being called: do it after the call that the listener is part of has returned", NULL);
}

/* Numbers the pools that are saved, and lists the kinds. */
static bool prepare_kinds(writer *w) {
    uint32_t pools = w->world->pool_count, number = 0;
    if (!w->world->inner->kinds) return true;
    w->type_numbers = covey__resize(&w->heap, NULL, 0, pools, sizeof *w->type_numbers, alignof(uint32_t));
    if (!w->type_numbers && pools != 0) return false;
    for (uint32_t i = 0; i < pools; i++) w->type_numbers[i] = is_saved(w, w->world->pools[i]) ? number++ : COVEY_NONE;
    return covey__image_kinds_make(&w->kinds, &w->heap, &w->filter, w->type_numbers);
}

static void put_world(writer *w) {
    const covey_world *world = w->world;
    unsigned char header[COVEY__HEADER_BYTES] = COVEY__MAGIC;
    header[8] = COVEY_IMAGE_VERSION;
    put_bytes(w, header, sizeof header);
    begin_section(w, COVEY_SECTION_WORLD);
    put_u64(w, world->inner->tick);
    put_u64(w, w->filter.count);
    if (w->filter.since != 0) put_u64(w, w->filter.since);
    end_section(w);
    put_entities_of(w);
    for (uint32_t i = 0; i < world->pool_count && is_fine(w); i++)
        if (is_saved(w, world->pools[i])) put_pool(w, world->pools[i]);
    for (uint32_t i = 0; i < covey_world_resource_count(world) && is_fine(w); i++)
        if (is_wanted(w, covey_world_resource(world, i))) put_resource(w, covey_world_resource(world, i));
    put_parents(w);
    put_names(w);
    put_kinds(w);
    put_table(w, covey__crc32c(0, header, sizeof header));
}

/* ---- The calls ---------------------------------------------------------------------------------------------------*/

static bool prepare_save(writer *w, covey_world *world, const covey_save_desc *desc, covey_report *report) {
    static const covey_save_desc defaults = { 0 };
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    *report = (covey_report){ 0 };
    *w = (writer){ .world = world,
                   .desc = desc ? desc : &defaults,
                   .report = report,
                   .heap = { world->inner->heap.allocator, 0, NULL } };
    w->owned.bytes.allocator = w->owned.handles.allocator = world->inner->heap.allocator;
    only_count(w);
    if (!covey__filter_make(&w->filter, &w->heap, world, w->desc))
        fail_save(w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
    else check_types(w);
    if (is_fine(w) && !prepare_kinds(w)) fail_save(w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
    w->section_capacity = world->pool_count + covey_world_resource_count(world) + 4 + (w->kinds.count != 0);
    if (is_fine(w) && w->section_capacity > COVEY__SECTIONS_MAX)
        fail_save(w, COVEY_ERROR_RANGE,
                  "the world has too many pools and resources for the 16,384 sections of an image", NULL);
    if (!is_fine(w)) return false;
    w->sections =
        covey__resize(&w->heap, NULL, 0, w->section_capacity, sizeof *w->sections, alignof(covey__section_entry));
    if (!w->sections) fail_save(w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
    return is_fine(w);
}

/* Writes to the window, and returns the size. */
static uint64_t write_to_window(writer *w, void *window, size_t size) {
    w->section_count = 0;
    w->before = w->told = 0;
    w->sum = 0;
    w->window = w->at = w->summed = window;
    w->end = size != 0 ? w->window + size : w->window;
    w->counting = size == 0;
    if (w->counting) only_count(w);
    put_world(w);
    return position(w);
}

/* Counts first, if a progress function wants the total. */
static void count_all(writer *w) {
    const covey_save_desc *desc = w->desc;
    covey_save_desc quiet = *desc;
    quiet.progress = NULL;
    w->desc = &quiet;
    w->all = write_to_window(w, NULL, 0);
    w->desc = desc;
}

static covey_result finish_save(writer *w) {
    covey__free(&w->heap, w->sections, w->section_capacity, sizeof *w->sections, alignof(covey__section_entry));
    covey__free(&w->heap, w->type_numbers, w->type_numbers ? w->world->pool_count : 0, sizeof *w->type_numbers,
                alignof(uint32_t));
    covey__free(&w->heap, w->kinds.numbers, w->kinds.count, sizeof *w->kinds.numbers, alignof(uint32_t));
    covey__plan_free(&w->heap, &w->plan);
    covey__writer_free(&w->owned);
    covey__filter_free(&w->filter, &w->heap);
    if (is_fine(w) && w->desc->progress) w->desc->progress(position(w), position(w), w->desc->progress_context);
    return covey__report_to(w->world, w->report, w->report->result, "the world could not be saved");
}

size_t covey_save_to_memory(covey_world *world, void *bytes, size_t capacity, const covey_save_desc *desc,
                            covey_report *report) {
    covey_report unheard;
    writer w;
    uint64_t size = 0;
    if (prepare_save(&w, world, desc, report ? report : &unheard)) {
        if (w.desc->progress && capacity != 0) count_all(&w);
        if (is_fine(&w)) size = write_to_window(&w, bytes, capacity);
        if (size > SIZE_MAX)
            fail_save(&w, COVEY_ERROR_MEMORY, "the image is larger than the address space: save to a file", NULL);
        w.at = w.window; /* the last progress was reported */
        w.before = size;
    }
    return finish_save(&w) == COVEY_OK ? (size_t)size : 0;
}

void covey_buffer_free(covey_buffer *buffer) {
    if (!buffer) return;
    covey__heap heap = { buffer->allocator, buffer->capacity, NULL };
    covey__free(&heap, buffer->bytes, buffer->capacity, 1, alignof(max_align_t));
    *buffer = (covey_buffer){ .allocator = buffer->allocator };
}

static bool has_room(const covey_buffer *buffer, size_t more) { return more <= buffer->capacity - buffer->size; }

/* The capacity of a buffer that grows by at least this many bytes; 0 if the size overflows. */
static size_t grown_capacity(const covey_buffer *buffer, size_t more) {
    if (more > SIZE_MAX - buffer->size) return 0;
    size_t wanted = buffer->size + more, doubled = buffer->capacity <= SIZE_MAX / 2 ? buffer->capacity * 2 : SIZE_MAX;
    return wanted > doubled ? wanted : doubled;
}

bool covey__buffer_reserve(covey_buffer *buffer, size_t more) {
    covey__heap heap = { buffer->allocator, buffer->capacity, NULL };
    if (has_room(buffer, more)) return true;
    size_t capacity = grown_capacity(buffer, more);
    if (capacity == 0) return false;
    void *bytes = covey__resize(&heap, buffer->bytes, buffer->capacity, capacity, 1, alignof(max_align_t));
    if (!bytes) return false;
    buffer->bytes = bytes;
    buffer->capacity = capacity;
    return true;
}

/* Makes a larger buffer with the same bytes. The first one stays unchanged until the image is written. */
static bool copy_larger(const covey_buffer *buffer, size_t more, covey_buffer *copy) {
    size_t capacity = grown_capacity(buffer, more);
    *copy = (covey_buffer){ .allocator = buffer->allocator };
    if (capacity == 0 || !covey__buffer_reserve(copy, capacity)) return false;
    if (buffer->size != 0) memcpy(copy->bytes, buffer->bytes, buffer->size);
    copy->size = buffer->size;
    return true;
}

static void append_image(writer *w, covey_buffer *buffer) {
    if (write_to_window(w, buffer->bytes + buffer->size, (size_t)w->all) != w->all)
        fail_save(w, COVEY_ERROR_TYPE,
                  "a save function wrote another number of bytes the second time: equal values must give equal bytes",
                  NULL);
    if (is_fine(w)) buffer->size += (size_t)w->all;
}

static void append_to_copy(writer *w, covey_buffer *buffer) {
    covey_buffer copy;
    if (!copy_larger(buffer, (size_t)w->all, &copy)) fail_save(w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
    else append_image(w, &copy);
    covey_buffer_free(is_fine(w) ? buffer : &copy);
    if (is_fine(w)) *buffer = copy;
}

covey_result covey_save_to_buffer(covey_world *world, covey_buffer *buffer, const covey_save_desc *desc,
                                  covey_report *report) {
    covey_report unheard;
    writer w;
    if (prepare_save(&w, world, desc, report ? report : &unheard)) {
        count_all(&w);
        if (is_fine(&w) && w.all > SIZE_MAX) fail_save(&w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
        if (is_fine(&w)) (has_room(buffer, (size_t)w.all) ? append_image : append_to_copy)(&w, buffer);
    }
    return finish_save(&w);
}

/* A window with room for a record of any type. */
static size_t window_for(const covey_world *world) {
    size_t most = STREAM_WINDOW;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (world->pools[i]->size > most) most = world->pools[i]->size;
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        if (covey_world_resource(world, i)->size > most) most = covey_world_resource(world, i)->size;
    return most;
}

covey_result covey_save_to_stream(covey_world *world, covey_sink_fn *sink, void *context, const covey_save_desc *desc,
                                  covey_report *report) {
    covey_report unheard;
    writer w;
    if (prepare_save(&w, world, desc, report ? report : &unheard)) {
        size_t size = window_for(world);
        void *window = covey__resize(&w.heap, NULL, 0, size, 1, alignof(max_align_t));
        if (!window) fail_save(&w, COVEY_ERROR_MEMORY, "an allocation failed", NULL);
        if (is_fine(&w) && w.desc->progress) count_all(&w);
        w.sink = sink;
        w.sink_context = context;
        if (is_fine(&w)) write_to_window(&w, window, size);
        if (is_fine(&w)) flush_window(&w);
        covey__free(&w.heap, window, size, 1, alignof(max_align_t));
        w.window = w.at = NULL;
    }
    return finish_save(&w);
}
