/* Which storage would be best for a pool, and whether a view would gain by a group. */
#include "storage/marks.h"
#include "observe/members.h"
#include "storage/storage.h"
#include "query/iter.h"
#include "query/view.h"

#include <stdio.h>

covey_advice covey_pool_advise(covey_pool *pool) {
    COVEY__NEEDS_POOL(pool);
    covey_advice advice = {
        .pool = pool,
        .storage = (covey_storage)pool->storage,
        .best = (covey_storage)pool->storage,
        .uses = pool->uses & (COVEY_USE_ORDER | COVEY_USE_STABLE | COVEY_USE_GROUP),
        .bytes = covey_pool_memory(pool),
        .best_bytes = sizeof *pool + covey__storage_bytes_as(pool, (covey_storage)pool->storage),
        .ids = covey__storage_ids(pool),
    };
    if (covey__is_reactive(pool)) advice.best_bytes = advice.bytes; /* unused memory is reserved for marks */
    if ((pool->uses & (COVEY_USE_ORDER | COVEY_USE_GROUP | COVEY__USE_REACTIVE)) != 0) return advice;
    covey_storage other = covey__storage_alternative(pool);
    size_t bytes = sizeof *pool + covey__storage_bytes_as(pool, other);
    if (bytes >= advice.best_bytes) return advice;
    advice.best = other;
    advice.best_bytes = bytes;
    return advice;
}

uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, advice, capacity);
    for (uint32_t i = 0; i < world->pool_count && i < capacity; i++) advice[i] = covey_pool_advise(world->pools[i]);
    return world->pool_count;
}

int covey_advice_print(char *text, size_t size, const covey_advice *advice) {
    COVEY__CONTRACT(NULL, advice, "a call needs advice");
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    static const char *const names[] = { "DEFAULT", "SPARSE", "BLOCK", "PINNED" };
    const char *type = covey_pool_type(advice->pool)->name, *best = names[advice->best];
    size_t saved = advice->bytes > advice->best_bytes ? advice->bytes - advice->best_bytes : 0;
    if (saved == 0) return snprintf(text, size, "%s: %zu bytes, the least of all storages", type, advice->bytes);
    if (advice->best == advice->storage)
        return snprintf(text, size, "%s: %zu bytes; covey_pool_compact and covey_pool_shrink would save %zu", type,
                        advice->bytes, saved);
    if ((advice->uses & COVEY_USE_STABLE) != 0)
        return snprintf(text, size, "%s: %zu bytes; .storage = COVEY_STORAGE_%s in its type would save %zu", type,
                        advice->bytes, best, saved);
    return snprintf(text, size, "%s: %zu bytes; covey_pool_convert(pool, COVEY_STORAGE_%s) would save %zu", type,
                    advice->bytes, best, saved);
}

/* ---- Views -------------------------------------------------------------------------------------------------------*/

/* With fewer matches in each block, a group over blocks gains little, and one over sparse pools much: docs/choosing.md
 * has the figures. */
enum { SPAN_LEAST = 8 };

/* Whether a group could own a pool: its storage supports that, and no group owns it yet. */
static bool may_be_owned(const covey_pool *pool, bool packed) {
    if (!pool || covey__pool_owner(pool) || (pool->observers && pool->observers->keeps_order)) return false;
    return packed ? covey__storage_takes_any_order(pool) : covey__storage_takes_group(pool);
}

static bool may_be_grouped(const covey_view *view, bool *packed) {
    const covey_pool *first = view->with != 0 ? covey_pool_find_raw(view->world, view->types[0]) : NULL;
    if (!first || view->with != view->fields || view->any != 0 || view->asks != 0) return false;
    *packed = covey__packed_in(first) != NULL;
    for (uint32_t i = 0; i < view->with; i++)
        if (!may_be_owned(covey_pool_find_raw(view->world, view->types[i]), *packed)) return false;
    return true;
}

/* Counts matches and spans. Returns the number of blocks with matches, for iterations in index order: there, the
 * matches of a block are consecutive. */
static uint32_t count_spans(const covey_view *view, covey_view_advice *advice) {
    uint32_t blocks = 0, last = UINT32_MAX;
    covey_iter it;
    covey__iter_to_ask(&it, view);
    while (covey__next_span(&it)) {
        advice->matches += it.count;
        advice->spans++;
        for (uint32_t row = 0; row < it.count; row++) {
            uint32_t index = covey_span_entity(&it, row).index, block = index / COVEY__BLOCK_IDS;
            blocks += block != last;
            last = block;
        }
    }
    return blocks;
}

static bool may_become_packed(const covey_view *view) {
    for (uint32_t i = 0; i < view->with; i++)
        if (!covey__is_packed_in(covey__storage_alternative(covey_pool_find_raw(view->world, view->types[i]))))
            return false;
    return true;
}

/* How many more bytes a pool in blocks takes if a group owns it, or if it is converted before. */
static size_t bytes_more(const covey_pool *pool, bool converts) {
    if (!converts) return covey__storage_bytes_to_group(pool);
    size_t now = covey__storage_bytes_as(pool, (covey_storage)pool->storage);
    size_t then = covey__storage_bytes_as(pool, covey__storage_alternative(pool));
    return then > now ? then - now : 0;
}

covey_view_advice covey_view_advise(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    covey_view_advice advice = { .view = view };
    bool packed = false;
    if (!view->world) return advice;
    uint32_t blocks = count_spans(view, &advice);
    if (!may_be_grouped(view, &packed)) return advice;
    advice.group_converts = !packed && advice.matches / SPAN_LEAST < blocks && may_become_packed(view);
    advice.group_spans = packed || advice.group_converts ? advice.matches != 0 : blocks;
    for (uint32_t i = 0; i < view->with && !packed; i++)
        advice.group_bytes += bytes_more(covey_pool_find_raw(view->world, view->types[i]), advice.group_converts);
    return advice;
}

static int print_names(char *text, size_t size, const covey_view *view) {
    int length = 0;
    if (size != 0) text[0] = '\0';
    for (uint32_t i = 0; i < view->with; i++) {
        size_t used = (size_t)length < size ? (size_t)length : size;
        length += snprintf(size ? text + used : NULL, size - used, "%s%s", i != 0 ? ", " : "", view->types[i]->name);
    }
    return length;
}

int covey_view_advice_print(char *text, size_t size, const covey_view_advice *advice) {
    COVEY__CONTRACT(NULL, advice, "a call needs advice");
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    int length = print_names(text, size, advice->view);
    size_t used = (size_t)length < size ? (size_t)length : size;
    char *rest = size ? text + used : NULL;
    size -= used;
    if (advice->group_spans == 0)
        return length + snprintf(rest, size, ": %u matches in %u spans", advice->matches, advice->spans);
    if (advice->group_spans >= advice->spans)
        return length + snprintf(rest, size, ": %u matches in %u spans; a group would not have fewer", advice->matches,
                                 advice->spans);
    return length + snprintf(rest, size,
                             ": %u matches in %u spans; a group that owns them (covey_group_create)%s would have %u, "
                             "and take %zu bytes more",
                             advice->matches, advice->spans,
                             advice->group_converts ? ", with .storage = COVEY_STORAGE_SPARSE in their types," : "",
                             advice->group_spans, advice->group_bytes);
}
