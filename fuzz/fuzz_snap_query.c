/* Asks an image as covey-snap query does. The input is a term, the end of its line, and an image as for fuzz_load.c.
 * What a value prints as is a term that finds it. */
#include "../tools/covey-snap/query.h"
#include "images.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TERM = 512, LEAVES = 64, VALUES = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Terms that are wrong print nothing. */
int snap_trouble(const char *format, ...) {
    (void)format;
    return SNAP_TROUBLE;
}

bool snap_is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }

static char asked[TERM];

static void ask(const covey_world *world, const char *text) {
    snap_term term;
    if (!snap_term_read(&term, world, "image", text)) return;
    covey_entity e = covey_entity_next(world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(world, e)) (void)snap_term_matches(&term, world, e);
}

/* ---- Values that are printed --------------------------------------------------------------------------------------*/

typedef struct leaf {
    const covey_world *world;
    const covey_pool *pool;
    char path[TERM];
    bool plain; /* no field at this level has a name that may be the path of another one */
    uint32_t left;
    const char *why;
} leaf;

static bool is_plain(const char *name) {
    for (const char *c = name; *c != '\0'; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_'))
            return false;
    return *name != '\0';
}

static void print_number(char text[64], covey_kind kind, const void *at) {
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
        float f32;
        double f64;
        covey_entity e;
    } v = { 0 };
    memcpy(&v, at, covey_kind_size(kind));
    switch (kind) {
    case COVEY_KIND_I8: snprintf(text, 64, "%d", v.i8); return;
    case COVEY_KIND_I16: snprintf(text, 64, "%d", v.i16); return;
    case COVEY_KIND_I32: snprintf(text, 64, "%" PRId32, v.i32); return;
    case COVEY_KIND_I64: snprintf(text, 64, "%" PRId64, v.i64); return;
    case COVEY_KIND_U8: snprintf(text, 64, "%u", v.u8); return;
    case COVEY_KIND_U16: snprintf(text, 64, "%u", v.u16); return;
    case COVEY_KIND_U32: snprintf(text, 64, "%" PRIu32, v.u32); return;
    case COVEY_KIND_U64: snprintf(text, 64, "%" PRIu64, v.u64); return;
    case COVEY_KIND_F32: snprintf(text, 64, v.f32 != v.f32 ? "nan" : "%.9g", (double)v.f32); return;
    case COVEY_KIND_F64: snprintf(text, 64, v.f64 != v.f64 ? "nan" : "%.17g", v.f64); return;
    case COVEY_KIND_BOOL: snprintf(text, 64, v.u8 ? "true" : "false"); return;
    default: covey_entity_print(text, 64, v.e); return;
    }
}

/* Whether a comparison finds an entity. */
static bool finds(const leaf *l, covey_entity e, const char *compare, const char *value, int length) {
    static char text[2 * TERM];
    snap_term term;
    int written = snprintf(text, sizeof text, "%s %s %.*s", l->path, compare, length, value);
    if (written < 0 || (size_t)written >= sizeof text) return true;
    return snap_term_read(&term, l->world, "image", text) && snap_term_matches(&term, l->world, e);
}

static void check_text(leaf *l, covey_entity e, const char *at, uint32_t room) {
    char quoted[TERM];
    const char *end = memchr(at, 0, room);
    size_t length = end ? (size_t)(end - at) : room;
    if (length + 2 >= sizeof quoted) return;
    quoted[0] = quoted[length + 1] = '"';
    memcpy(quoted + 1, at, length);
    if (!finds(l, e, "=", quoted, (int)length + 2)) l->why = "a text does not find itself";
    if (finds(l, e, "<", quoted, (int)length + 2)) l->why = "a text is less than itself";
}

/* Bytes of an image may be a handle that no entity can have, and that cannot be asked for. */
static bool is_possible(covey_kind kind, const char *at) {
    covey_entity e;
    if (kind != COVEY_KIND_ENTITY) return true;
    memcpy(&e, at, sizeof e);
    return e.index < COVEY_NONE && e.generation <= COVEY_GENERATION_MAX;
}

static void check_number(leaf *l, covey_entity e, covey_kind kind, const char *at) {
    char text[64], range[140];
    if (!is_possible(kind, at)) return;
    print_number(text, kind, at);
    snprintf(range, sizeof range, "%s..%s", text, text);
    bool has_order = kind != COVEY_KIND_BOOL && kind != COVEY_KIND_ENTITY && strcmp(text, "nan") != 0;
    if (!finds(l, e, "=", text, 64)) l->why = "a value does not find itself";
    if (finds(l, e, "!=", text, 64)) l->why = "a value differs from itself";
    if (has_order && (!finds(l, e, "=", range, 140) || !finds(l, e, "<=", text, 64) || finds(l, e, ">", text, 64)))
        l->why = "a number is not where it is";
}

static void check_values(leaf *l, const covey_field *field, uint32_t offset) {
    uint32_t left = VALUES;
    if (!l->plain || l->why) {
        ask(l->world, l->path);
        return;
    }
    for (uint32_t at = covey_pool_next(l->pool, 0); at != COVEY_NONE && left > 0 && !l->why; left--) {
        const char *value = (const char *)covey_pool_value_at_raw(l->pool, at) + offset;
        covey_entity e = covey_pool_at(l->pool, at);
        if (field->kind == COVEY_KIND_CHAR) check_text(l, e, value, field->count);
        else check_number(l, e, field->kind, value);
        at = covey_pool_next(l->pool, at + 1);
    }
}

static void check_fields(leaf *l, const covey_fields *fields, uint32_t offset);

static void check_field(leaf *l, const covey_field *field, uint32_t offset) {
    size_t length = strlen(l->path);
    uint32_t size = field->nested ? field->nested->size : covey_kind_size(field->kind);
    if (field->kind == COVEY_KIND_PADDING || length + strlen(field->name) + 20 >= sizeof l->path) return;
    for (uint32_t k = 0; k < (field->kind == COVEY_KIND_CHAR ? 1 : field->count) && l->left > 0; k++, l->left--) {
        int end = snprintf(l->path + length, sizeof l->path - length, ".%s", field->name);
        if (field->count != 1 && field->kind != COVEY_KIND_CHAR)
            snprintf(l->path + length + end, sizeof l->path - length - (size_t)end, "[%u]", k);
        if (field->nested) check_fields(l, field->nested, offset + k * size);
        else check_values(l, field, offset + k * size);
        l->path[length] = '\0';
    }
}

static void check_fields(leaf *l, const covey_fields *fields, uint32_t offset) {
    bool plain = l->plain;
    for (uint32_t i = 0; i < fields->count; i++) l->plain = l->plain && is_plain(fields->at[i].name);
    for (uint32_t i = 0; i < fields->count && l->left > 0; i++)
        check_field(l, &fields->at[i], offset + fields->at[i].offset);
    l->plain = plain;
}

static const char *check_pool(const covey_world *world, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    leaf l = { .world = world, .pool = pool, .plain = is_plain(type->name), .left = LEAVES };
    if (strlen(type->name) >= sizeof l.path / 2) return NULL;
    strcpy(l.path, type->name);
    ask(world, l.path);
    if (type->fields) check_fields(&l, type->fields, 0);
    return l.why;
}

/* ---- The input ----------------------------------------------------------------------------------------------------*/

static const char *check_query(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true });
    covey_load_desc mine = { .unknown = COVEY_UNKNOWN_KEEP, .limit_bytes = desc->limit_bytes };
    const char *why = NULL;
    if (!world) return NULL;
    if (covey_load_from_memory(world, bytes, size, &mine, report) == COVEY_OK) {
        ask(world, asked);
        for (uint32_t i = 0; i < covey_world_pool_count(world) && !why; i++) {
            const covey_pool *pool = covey_world_pool(world, i);
            if (!snap_is_internal(covey_pool_type(pool))) why = check_pool(world, pool);
        }
    }
    covey_world_destroy(world);
    return why;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const uint8_t *end = memchr(data, '\n', size < TERM ? size : TERM);
    if (!end) return 0;
    memcpy(asked, data, (size_t)(end - data));
    asked[end - data] = '\0';
    image_run_input(end + 1, size - 1 - (size_t)(end - data), check_query);
    return 0;
}
