/* GET space: entities as points; two or three fields are the coordinates. The answer is little-endian bytes, not JSON,
 * because there are many:
 *
 *     u32 magic, "CVSP"; u32 points; u32 entities that match; u32 flags: 1: with z, 2: with a value
 *     for each point: f32 x, f32 y, f32 z if flag 1, f32 value if flag 2, u32 index of the entity
 *
 * If more entities match than the limit, every n-th match is a point. */
#include "query.h"

enum {
    MAGIC = 0x50535643,
    NOT_A_NUMBER = 0x7FC00000, /* the bits of an f32 */
    HEADER = 16,
    POINTS = 200000, /* the largest limit */
    AT_ONCE = 1024,  /* entities between two checks of the clock */
    BLOCKS = 64,
    X = 0,
    Y,
    Z,
    VALUE,
    AXES
};
static const char *const names[AXES] = { "x", "y", "z", "value" };

typedef struct axis {
    const covey_pool *pool; /* NULL: the request does not have this axis */
    inspect__place place;
} axis;

typedef struct cloud {
    axis axes[AXES];
    inspect__query query;
    bool has_query;
    bool plain;             /* all entities of the lead are matches: none is tested */
    const covey_pool *lead; /* the pool that is walked: the smallest that all points are in */
    uint64_t limit, points, total;
    uint64_t stride;   /* n, if every n-th match is a point */
    uint64_t position; /* in the lead, where the next poll continues; in walk_blocks, the number of a block */
    uint64_t seen;     /* in walk_blocks: entities of the lead before that block */
} cloud;

/* ---- Numbers ------------------------------------------------------------------------------------------------------*/

static bool is_number(const inspect__place *place) {
    return !place->array && (place->kind <= COVEY_KIND_F64 || place->kind == COVEY_KIND_BOOL);
}

static float number_at(const inspect__place *place, const void *value) {
    inspect__any any = { 0 };
    memcpy(&any, (const char *)value + place->offset, covey_kind_size(place->kind));
    switch (place->kind) {
    case COVEY_KIND_I8: return any.i8;
    case COVEY_KIND_I16: return any.i16;
    case COVEY_KIND_I32: return (float)any.i32;
    case COVEY_KIND_I64: return (float)any.i64;
    case COVEY_KIND_U8: return any.u8;
    case COVEY_KIND_U16: return any.u16;
    case COVEY_KIND_U32: return (float)any.u32;
    case COVEY_KIND_U64: return (float)any.u64;
    case COVEY_KIND_F32: return any.f32;
    case COVEY_KIND_F64: return (float)any.f64;
    case COVEY_KIND_BOOL: return any.u8 != 0;
    case COVEY_KIND_CHAR:
    case COVEY_KIND_ENTITY:
    case COVEY_KIND_NESTED:
    case COVEY_KIND_PADDING: break;
    }
    return 0;
}

/* ---- Bytes --------------------------------------------------------------------------------------------------------*/

static char *put_u32(char *to, uint32_t number) {
    for (uint32_t i = 0; i < 4; i++) to[i] = (char)(uint8_t)(number >> 8 * i);
    return to + 4;
}

static char *put_f32(char *to, float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return put_u32(to, bits);
}

static uint32_t flags_of(const cloud *c) { return (c->axes[Z].pool ? 1u : 0u) | (c->axes[VALUE].pool ? 2u : 0u); }

static size_t bytes_of_point(const cloud *c) {
    return 12 + (c->axes[Z].pool ? 4u : 0u) + (c->axes[VALUE].pool ? 4u : 0u);
}

/* Keeps every second point. */
static void thin_out(inspect__json *json, cloud *c) {
    size_t bytes = bytes_of_point(c);
    char *first = json->bytes + HEADER;
    for (uint64_t i = 1; 2 * i < c->points; i++) memmove(first + i * bytes, first + 2 * i * bytes, bytes);
    c->points = (c->points + 1) / 2;
    c->stride *= 2;
    json->length = HEADER + c->points * bytes;
}

/* The value is NaN if the entity lacks the component. */
static void put_point(inspect__json *json, cloud *c, covey_entity e) {
    char point[20], *end = point;
    for (uint32_t i = 0; i < AXES; i++) {
        const axis *a = &c->axes[i];
        const void *value = a->pool ? covey_pool_get_raw(a->pool, e) : NULL;
        if (value) end = put_f32(end, number_at(&a->place, value));
        else if (a->pool) end = put_u32(end, NOT_A_NUMBER);
    }
    end = put_u32(end, e.index);
    inspect__json_raw(json, point, (size_t)(end - point));
    c->points++;
}

/* ---- Walking ------------------------------------------------------------------------------------------------------*/

/* Counts a match, and writes it as a point if it is an n-th one. */
static void add_match(inspect__json *json, cloud *c, covey_entity e) {
    uint64_t number = c->total++;
    if (number % c->stride != 0) return;
    if (c->points == c->limit) thin_out(json, c);
    if (c->points < c->limit && number % c->stride == 0) put_point(json, c, e);
}

static bool matches(const cloud *c, const covey_world *world, covey_entity e) {
    for (uint32_t i = X; i <= Z; i++)
        if (c->axes[i].pool && c->axes[i].pool != c->lead && !covey_pool_has(c->axes[i].pool, e)) return false;
    return !c->has_query || inspect__query_matches(&c->query, world, e);
}

/* Tests each entity of the lead. Returns false to continue in the next poll, as the other walks do. */
static bool walk(inspect__request *request, const covey_world *world, cloud *c) {
    inspect__json *json = &request->json;
    uint32_t looked = 0, at = covey_pool_next(c->lead, (uint32_t)c->position);
    for (; at != COVEY_NONE && inspect__json_whole(json); at = covey_pool_next(c->lead, at + 1)) {
        covey_entity e = covey_pool_at(c->lead, at);
        c->position = (uint64_t)at + 1;
        if (matches(c, world, e)) add_match(json, c, e);
        if (++looked % AT_ONCE == 0 && inspect__request_pauses(request)) return false;
    }
    return true;
}

/* Writes the points of one block, which has `count` entities. */
static void put_block(inspect__json *json, cloud *c, uint32_t block, uint32_t count) {
    uint32_t at = block * 64;
    uint64_t wanted = (c->seen + c->stride - 1) / c->stride * c->stride;
    for (uint64_t i = c->seen; wanted < c->seen + count && i < c->seen + count; i++, at++) {
        at = covey_pool_next(c->lead, at);
        if (i != wanted || at == COVEY_NONE) continue;
        put_point(json, c, covey_pool_at(c->lead, at));
        wanted += c->stride;
    }
    c->seen += count;
}

/* Skips the entities between two points of a plain cloud. A block pool knows how many entities each block has. */
static bool walk_blocks(inspect__request *request, cloud *c) {
    covey_block blocks[BLOCKS];
    uint32_t all = covey_pool_map(c->lead, 0, NULL, 0);
    while (c->position < all && inspect__json_whole(&request->json)) {
        covey_pool_map(c->lead, (uint32_t)c->position, blocks, BLOCKS);
        for (uint32_t i = 0; i < BLOCKS && c->position + i < all; i++)
            put_block(&request->json, c, (uint32_t)c->position + i, blocks[i].count);
        c->position += BLOCKS;
        if (inspect__request_pauses(request)) return false;
    }
    return true;
}

/* The same for a sparse set, by positions. */
static bool walk_positions(inspect__request *request, cloud *c) {
    while (c->position < COVEY_NONE && inspect__json_whole(&request->json)) {
        uint32_t at = covey_pool_next(c->lead, (uint32_t)c->position);
        if (at == COVEY_NONE) return true;
        put_point(&request->json, c, covey_pool_at(c->lead, at));
        c->position = at + c->stride;
        if (c->points % AT_ONCE == 0 && inspect__request_pauses(request)) return false;
    }
    return true;
}

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

static bool read_axis(inspect__request *request, const covey_world *world, uint32_t number, axis *a) {
    const char *text = inspect__request_text(request, names[number]);
    inspect__query_error error;
    if (!text || *text == '\0')
        return number >= Z ||
               !inspect__refuse(request, 422, "ARGUMENT", "%s is missing: a field that is a number, such as Position.x",
                                names[number]);
    if (!inspect__path_read(world, text, strlen(text), &a->pool, &a->place, &error))
        return !inspect__refuse_at(request, 422, "ARGUMENT", error.at, error.length, "%s: %s", names[number],
                                   error.text);
    if (!is_number(&a->place))
        return !inspect__refuse_at(request, 422, "ARGUMENT", 0, strlen(text), "%s: %s is not a number", names[number],
                                   text);
    return true;
}

static bool read_query(inspect__request *request, const covey_world *world, cloud *c) {
    const char *text = inspect__request_text(request, "query");
    inspect__query_error error;
    c->has_query = text && *text != '\0';
    if (!c->has_query || inspect__query_read(&c->query, world, text, &error)) return true;
    return !inspect__refuse_at(request, 422, "QUERY", error.at, error.length, "%s", error.text);
}

static void choose_lead(cloud *c) {
    c->lead = c->axes[X].pool;
    c->plain = !c->has_query;
    for (uint32_t i = Y; i <= Z; i++) {
        const covey_pool *pool = c->axes[i].pool;
        if (!pool) continue;
        c->plain &= pool == c->axes[X].pool;
        if (covey_pool_count(pool) < covey_pool_count(c->lead)) c->lead = pool;
    }
}

static bool begin(inspect__request *request, const covey_world *world, cloud *c) {
    static const char header[HEADER];
    for (uint32_t i = 0; i < AXES; i++)
        if (!read_axis(request, world, i, &c->axes[i])) return false;
    if (!read_query(request, world, c)) return false;
    if (!inspect__request_number(request, "limit", 20000, POINTS, &c->limit)) return false;
    if (c->limit == 0) c->limit = 1;
    choose_lead(c);
    c->stride = 1;
    if (c->plain) {
        bool packed = covey_pool_storage(c->lead) == COVEY_STORAGE_SPARSE; /* positions, holes included */
        c->total = covey_pool_count(c->lead);
        c->stride = ((packed ? covey_pool_position_count(c->lead) : c->total) + c->limit - 1) / c->limit;
        if (c->stride == 0) c->stride = 1;
    }
    request->type = "application/octet-stream";
    inspect__json_raw(&request->json, header, HEADER);
    return true;
}

static void put_header(inspect__json *json, const cloud *c) {
    if (!inspect__json_whole(json)) return;
    char *at = put_u32(json->bytes, MAGIC);
    at = put_u32(at, (uint32_t)c->points);
    at = put_u32(at, (uint32_t)c->total);
    put_u32(at, flags_of(c));
}

bool inspect__answer_space(inspect__request *request, covey_world *world) {
    bool begins = !request->state;
    cloud *c = inspect__request_state(request, sizeof *c, NULL);
    if (!c || (begins && !begin(request, world, c))) return true;
    bool packed = covey_pool_storage(c->lead) == COVEY_STORAGE_SPARSE;
    bool done = !c->plain ? walk(request, world, c) : packed ? walk_positions(request, c) : walk_blocks(request, c);
    if (done) put_header(&request->json, c);
    return done;
}
