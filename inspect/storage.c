/* GET storage, GET map, POST storage: the storage of pools, how to improve it, and the kinds of entities. */
#include "inspector.h"
#include "rows.h"

#include <stdlib.h>

enum {
    SPANS = 100000, /* counted at most */
    BLOCKS = 1024,  /* between two checks of the clock */
    MAP_BLOCKS = 1000000,
    INDICES = 64 /* of a block */
};

/* ---- One pool -----------------------------------------------------------------------------------------------------*/

typedef struct tally {
    uint32_t forms[COVEY_BLOCK_SPARSE + 1];
    uint64_t slots;
} tally;

/* Counts the blocks of a pool, by form. */
static tally tally_blocks(const covey_pool *pool) {
    covey_block blocks[BLOCKS];
    tally sum = { .slots = 0 };
    uint32_t count = covey_pool_map(pool, 0, NULL, 0);
    for (uint32_t first = 0; first < count; first += BLOCKS) {
        covey_pool_map(pool, first, blocks, BLOCKS);
        for (uint32_t i = 0; i < BLOCKS && i < count - first; i++) {
            sum.forms[blocks[i].form]++;
            sum.slots += blocks[i].slots;
        }
    }
    return sum;
}

static void put_blocks(inspect__json *json, const covey_pool *pool) {
    static const char *const names[] = { NULL, "empty", "compact", "direct", "full", NULL };
    if (covey_pool_storage(pool) == COVEY_STORAGE_SPARSE) {
        inspect__json_null(json, "blocks");
        return;
    }
    tally sum = tally_blocks(pool);
    inspect__json_object(json, "blocks");
    for (uint32_t form = COVEY_BLOCK_EMPTY; form <= COVEY_BLOCK_FULL; form++)
        inspect__json_u64(json, names[form], sum.forms[form]);
    inspect__json_u64(json, "slots", sum.slots);
    inspect__json_end_object(json);
}

/* Counts the spans of a view of this type alone. */
static void put_spans(inspect__json *json, covey_world *world, const covey_type *type) {
    covey_view_desc desc = { .with = { type }, .read = { type }, .include_disabled = true };
    covey_view view = covey_view_make(world, &desc);
    covey_iter it = covey_view_iter(&view);
    uint32_t spans = 0;
    while (spans < SPANS && covey_next(&it)) spans++;
    inspect__json_u64(json, "spans", spans);
    inspect__json_bool(json, "spans_more", spans == SPANS);
}

/* What three classic layouts would take: an array with a bool for each entity, an array with a bit for each, and a
 * sparse set without generations. */
static void put_formulas(inspect__json *json, covey_world *world, const covey_pool *pool) {
    uint32_t count = covey_pool_count(pool), alive = covey_entity_count(world),
             entities = count > alive ? count : alive;
    uint64_t size = covey_pool_type(pool)->size;
    inspect__json_u64(json, "linear", (size + 1) * entities);
    inspect__json_u64(json, "bitmask", size * entities + ((uint64_t)entities + 7) / 8);
    inspect__json_u64(json, "sparse", 2 * sizeof(uint32_t) * (uint64_t)entities + size * count);
}

static void put_advice(inspect__json *json, const covey_advice *advice) {
    char text[512];
    bool saves = advice->best_bytes < advice->bytes, stable = (advice->uses & COVEY_USE_STABLE) != 0;
    covey_advice_print(text, sizeof text, advice);
    inspect__json_u64(json, "ids", advice->ids);
    inspect__json_text(json, "best", inspect__storage_name(advice->best));
    inspect__json_u64(json, "best_bytes", advice->best_bytes);
    inspect__json_u64(json, "uses", advice->uses);
    inspect__json_text(json, "advice", text);
    inspect__json_text(json, "do",
                       !saves                            ? NULL
                       : advice->best == advice->storage ? "compact"
                       : stable                          ? NULL
                                                         : "convert");
}

static void put_pool(inspect__json *json, covey_world *world, covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    covey_advice advice = covey_pool_advise(pool);
    bool packed = advice.storage == COVEY_STORAGE_SPARSE;
    uint32_t count = covey_pool_count(pool), size = packed ? covey_pool_position_count(pool) : 0;
    bool internal = inspect__is_internal(type);
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", type->name);
    inspect__json_bool(json, "internal", internal);
    inspect__json_text(json, "kind", inspect__storage_name(advice.storage));
    inspect__json_text(json, "policy", inspect__policy_name(type->policy));
    inspect__json_u64(json, "count", count);
    inspect__json_u64(json, "bytes", advice.bytes);
    put_formulas(json, world, pool);
    inspect__json_u64(json, "holes", size > count ? size - count : 0);
    if (internal) inspect__json_null(json, "spans");
    else put_spans(json, world, type);
    inspect__json_bool(json, "group", covey_pool_owner(pool) != NULL);
    put_blocks(json, pool);
    put_advice(json, &advice);
    inspect__json_end_object(json);
}

/* ---- Kinds --------------------------------------------------------------------------------------------------------*/

/* Most entities first. No two kinds have the same first index, so the order is the same everywhere. */
static int compare_kinds(const void *first, const void *second) {
    const covey_entity_kind *a = first, *b = second;
    if (a->entities != b->entities) return a->entities > b->entities ? -1 : 1;
    return a->first_index < b->first_index ? -1 : a->first_index > b->first_index;
}

static void put_kind(inspect__json *json, const covey_entity_kind *kind) {
    inspect__json_object(json, NULL);
    inspect__json_array(json, "types");
    for (uint32_t i = 0; i < kind->type_count; i++) inspect__json_text(json, NULL, kind->types[i]->name);
    inspect__json_end_array(json);
    inspect__json_u64(json, "entities", kind->entities);
    inspect__json_u64(json, "blocks", kind->blocks);
    inspect__json_f64(json, "full", (double)kind->entities / ((double)INDICES * kind->blocks));
    inspect__json_end_object(json);
}

/* Writes the kinds that the request asks for. All in one poll, so that none is listed twice. Returns false, and refuses
 * the request, if there is no memory. */
static bool put_kinds(inspect__request *request, const covey_world *world, uint64_t offset, uint64_t limit) {
    inspect__json *json = &request->json;
    uint32_t count = covey_world_kinds(world, NULL, 0);
    size_t size = ((size_t)count + 1) * sizeof(covey_entity_kind);
    covey_entity_kind *kinds = inspect__zeroed(request->inspector, size);
    if (!kinds) return !inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    covey_world_kinds(world, kinds, count);
    qsort(kinds, count, sizeof *kinds, compare_kinds);
    inspect__json_object(json, "kinds");
    inspect__json_u64(json, "count", count);
    inspect__json_u64(json, "offset", offset);
    inspect__json_array(json, "rows");
    for (uint64_t i = offset; i < count && i < offset + limit; i++) put_kind(json, &kinds[i]);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    inspect__free(request->inspector, kinds, size);
    return true;
}

/* ---- All of them --------------------------------------------------------------------------------------------------*/

typedef struct listing {
    uint32_t next; /* the pool to write next */
} listing;

bool inspect__answer_storage(inspect__request *request, covey_world *world) {
    inspect__json *json = &request->json;
    bool begins = !request->state;
    uint64_t offset, limit; /* of kinds */
    if (!inspect__request_number(request, "offset", 0, UINT32_MAX, &offset) ||
        !inspect__request_number(request, "limit", 100, INSPECT__ROWS, &limit))
        return true;
    listing *l = inspect__request_state(request, sizeof *l, NULL);
    if (!l) return true;
    if (begins) {
        inspect__json_object(json, NULL);
        inspect__json_array(json, "pools");
    }
    while (l->next < covey_world_pool_count(world)) {
        put_pool(json, world, covey_world_pool(world, l->next++));
        if (inspect__request_pauses(request)) return false;
    }
    inspect__json_end_array(json);
    if (!put_kinds(request, world, offset, limit)) return true;
    inspect__json_u64(json, "bytes", covey_world_memory(world));
    inspect__json_end_object(json);
    return true;
}

/* ---- The pool that a request names --------------------------------------------------------------------------------*/

static covey_pool *find_pool(inspect__request *request, covey_world *world, const char *name) {
    const covey_type *type = name ? covey_type_find(world, name) : NULL;
    covey_pool *pool = type ? covey_pool_find_raw(world, type) : NULL;
    if (pool) return pool;
    if (name) inspect__refuse(request, 409, "ABSENT", "the world has no component type %s", name);
    else inspect__refuse(request, 422, "ARGUMENT", "type is missing: the name of a component type");
    return NULL;
}

/* ---- The map ------------------------------------------------------------------------------------------------------*/

typedef struct drawing {
    uint32_t next, end; /* blocks to write */
} drawing;

static void put_map(inspect__json *json, const covey_pool *pool, uint32_t first, uint32_t count) {
    covey_block blocks[BLOCKS] = { { 0, 0, 0 } };
    uint8_t pairs[2 * BLOCKS];
    covey_pool_map(pool, first, blocks, count);
    for (uint32_t i = 0; i < count; i++) {
        pairs[2 * i] = blocks[i].form;
        pairs[2 * i + 1] = blocks[i].count;
    }
    inspect__json_raw(json, pairs, 2 * count);
}

bool inspect__answer_map(inspect__request *request, covey_world *world) {
    uint64_t from, count;
    covey_pool *pool = find_pool(request, world, inspect__request_text(request, "type"));
    if (!pool || !inspect__request_number(request, "from", 0, UINT32_MAX, &from) ||
        !inspect__request_number(request, "count", 65536, MAP_BLOCKS, &count))
        return true;
    bool begins = !request->state;
    drawing *d = inspect__request_state(request, sizeof *d, NULL);
    if (!d) return true;
    if (begins) {
        uint32_t all = covey_pool_map(pool, 0, NULL, 0);
        d->next = (uint32_t)(from < all ? from : all);
        d->end = (uint32_t)(count < all - d->next ? d->next + count : all);
        request->type = "application/octet-stream";
    }
    while (d->next < d->end) {
        uint32_t part = d->end - d->next < BLOCKS ? d->end - d->next : BLOCKS;
        put_map(&request->json, pool, d->next, part);
        d->next += part;
        if (inspect__request_pauses(request)) return false;
    }
    return true;
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

static bool storage_named(const char *name, covey_storage *storage) {
    for (int i = COVEY_STORAGE_SPARSE; name && i <= COVEY_STORAGE_PINNED; i++)
        if (strcmp(name, inspect__storage_name((covey_storage)i)) == 0) {
            *storage = (covey_storage)i;
            return true;
        }
    return false;
}

/* Converts a pool, then compacts and shrinks it: the advice counts bytes like this. */
static bool convert(inspect__request *request, covey_pool *pool) {
    covey_storage storage;
    const char *name = inspect__request_member_text(request, "storage");
    if (!storage_named(name, &storage))
        return !inspect__refuse(request, 422, "ARGUMENT", "storage must be \"sparse\", \"block\" or \"pinned\"");
    covey_result result = covey_pool_convert(pool, storage);
    if (result != COVEY_OK)
        return !inspect__refuse_result(request, result, "%s cannot be converted to %s: %s", covey_pool_type(pool)->name,
                                       name, covey_result_text(result));
    covey_pool_compact(pool, NULL, NULL);
    covey_pool_shrink(pool);
    return true;
}

static bool change(inspect__request *request, covey_pool *pool) {
    const char *what = inspect__request_member_text(request, "do");
    if (what && strcmp(what, "convert") == 0) return convert(request, pool);
    if (what && strcmp(what, "compact") == 0) covey_pool_compact(pool, NULL, NULL);
    else if (!what || strcmp(what, "shrink") != 0)
        return !inspect__refuse(request, 422, "ARGUMENT", "do must be \"convert\", \"compact\" or \"shrink\"");
    covey_pool_shrink(pool);
    return true;
}

bool inspect__answer_storage_change(inspect__request *request, covey_world *world) {
    covey_pool *pool = find_pool(request, world, inspect__request_member_text(request, "type"));
    if (!pool) return true;
    size_t before = covey_pool_memory(pool);
    if (!change(request, pool)) return true;
    inspect__json_object(&request->json, NULL);
    inspect__json_u64(&request->json, "before", before);
    inspect__json_u64(&request->json, "after", covey_pool_memory(pool));
    inspect__json_text(&request->json, "kind", inspect__storage_name(covey_pool_storage(pool)));
    inspect__json_end_object(&request->json);
    return true;
}
