/* covey-snap query: the entities of an image that fulfil conditions. */
#include "query.h"

#include <stdlib.h>

#include <covey/hierarchy.h>

typedef struct query {
    const snap_settings *settings;
    covey_world *world;
    snap_term *terms;
    const covey_type **types; /* whose values are shown: those that all matches have */
    uint32_t term_count, type_count;
    snap_table table;
    uint64_t found;
} query;

/* ---- As JSON -----------------------------------------------------------------------------------------------------*/

static void put_json_fields(const covey_fields *fields, const char *value);

static bool is_finite(covey_kind kind, const char *at) {
    float single;
    double number = 0;
    if (kind == COVEY_KIND_F32) memcpy(&single, at, sizeof single), number = (double)single;
    if (kind == COVEY_KIND_F64) memcpy(&number, at, sizeof number);
    return number - number == 0;
}

static void put_json_one(const covey_field *field, const char *at) {
    if (field->nested) {
        put_json_fields(field->nested, at);
        return;
    }
    bool is_null = false;
    if (field->kind == COVEY_KIND_ENTITY) {
        covey_entity e;
        memcpy(&e, at, sizeof e);
        is_null = covey_is_null(e);
    }
    bool quoted = (field->kind == COVEY_KIND_ENTITY && !is_null) || !is_finite(field->kind, at);
    if (quoted) fputc('"', stdout);
    snap_put_value(stdout, field->kind, at);
    if (quoted) fputc('"', stdout);
}

static void put_json_field(const covey_field *field, const char *at) {
    if (field->kind == COVEY_KIND_CHAR) {
        const char *end = memchr(at, 0, field->count);
        snap_put_json_bytes(stdout, at, end ? (size_t)(end - at) : field->count);
        return;
    }
    size_t size = field->nested ? field->nested->size : covey_kind_size(field->kind);
    if (field->count != 1) fputc('[', stdout);
    for (uint32_t k = 0; k < field->count; k++) {
        if (k != 0) fputs(", ", stdout);
        put_json_one(field, at + k * size);
    }
    if (field->count != 1) fputc(']', stdout);
}

static void put_json_fields(const covey_fields *fields, const char *value) {
    bool first = true;
    fputc('{', stdout);
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        if (field->kind == COVEY_KIND_PADDING) continue;
        if (!first) fputs(", ", stdout);
        first = false;
        snap_put_json(stdout, field->name);
        fputs(": ", stdout);
        put_json_field(field, value + field->offset);
    }
    fputc('}', stdout);
}

static void put_json_value(const covey_type *type, const void *value) {
    if (type->size == 0) fputs("true", stdout);
    else if (type->fields) put_json_fields(type->fields, value);
    else {
        fputc('"', stdout);
        if (type->codec) {
            const covey_unknown_value *unknown = covey_unknown_value_of(type, value);
            snap_put_hex(stdout, unknown->bytes, unknown->size);
        } else snap_put_hex(stdout, value, type->size);
        fputc('"', stdout);
    }
}

static void put_json(const query *q, covey_entity e) {
    const char *name = covey_name(q->world, e);
    fputs(q->found == 0 ? "  {\"e\": \"" : ",\n  {\"e\": \"", stdout);
    snap_put_entity(stdout, e);
    fputs("\", \"name\": ", stdout);
    if (name) snap_put_json(stdout, name);
    else fputs("null", stdout);
    fputs(", \"values\": {", stdout);
    for (uint32_t i = 0; i < q->type_count; i++) {
        if (i != 0) fputs(", ", stdout);
        snap_put_json(stdout, q->types[i]->name);
        fputs(": ", stdout);
        put_json_value(q->types[i], covey_get_raw(q->world, e, q->types[i]));
    }
    fputs("}}", stdout);
}

/* ---- As CSV ------------------------------------------------------------------------------------------------------*/

static void put_header(query *q) {
    fputs(SNAP_TABLE_HEADER, stdout);
    for (uint32_t i = 0; i < q->type_count; i++) snap_table_put_names(&q->table, q->types[i], q->types[i]->name);
    fputc('\n', stdout);
}

static void put_line(const query *q, covey_entity e) {
    snap_table_put_entity(&q->table, covey_name(q->world, e), e);
    for (uint32_t i = 0; i < q->type_count; i++)
        snap_table_put_values(&q->table, q->types[i], covey_get_raw(q->world, e, q->types[i]));
    fputc('\n', stdout);
}

/* ---- The command -------------------------------------------------------------------------------------------------*/

static bool is_shown(const query *q, const covey_type *type) {
    for (uint32_t i = 0; i < q->type_count; i++)
        if (q->types[i] == type) return true;
    return false;
}

static bool read_terms(query *q) {
    char **texts = q->settings->operands + 1;
    uint32_t count = (uint32_t)q->settings->operand_count - 1;
    q->terms = calloc(count, sizeof *q->terms);
    q->types = calloc(count, sizeof *q->types);
    if (!q->terms || !q->types) return snap_trouble("no memory for the conditions") == SNAP_FINE;
    for (; q->term_count < count; q->term_count++) {
        snap_term *term = &q->terms[q->term_count];
        if (!snap_term_read(term, q->world, q->settings->operands[0], texts[q->term_count])) return false;
        const covey_type *type = term->pool && !term->negated ? covey_pool_type(term->pool) : NULL;
        if (type && !is_shown(q, type)) q->types[q->type_count++] = type;
    }
    return true;
}

static bool matches(const query *q, covey_entity e) {
    for (uint32_t i = 0; i < q->term_count; i++)
        if (!snap_term_matches(&q->terms[i], q->world, e)) return false;
    return true;
}

/* By index. Stops when writing fails; the caller checks for errors. */
static void put_matches(query *q) {
    unsigned options = q->settings->options;
    uint64_t most = options & SNAP_LIMIT ? q->settings->limit : UINT64_MAX;
    covey_entity e = covey_entity_next(q->world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e) && q->found < most && !ferror(stdout); e = covey_entity_next(q->world, e)) {
        if (!matches(q, e)) continue;
        if (options & SNAP_JSON) put_json(q, e);
        else if (!(options & SNAP_COUNT)) put_line(q, e);
        q->found++;
    }
}

static int answer(query *q) {
    unsigned options = q->settings->options;
    bool table = !(options & (SNAP_JSON | SNAP_COUNT));
    q->table = (snap_table){ .out = stdout, .is_shown = snap_is_terminal(stdout) };
    for (uint32_t i = 0; i < q->type_count && table; i++)
        if (snap_table_check(q->types[i]) != SNAP_FINE) return SNAP_TROUBLE;
    if (options & SNAP_JSON) fputs("[\n", stdout);
    else if (table) put_header(q);
    if (q->table.field.failed) return snap_trouble("no memory for the names of fields");
    put_matches(q);
    if (options & SNAP_JSON) fputs(q->found != 0 ? "\n]\n" : "]\n", stdout);
    else if (!table) printf("%llu\n", (unsigned long long)q->found);
    return SNAP_FINE;
}

int snap_query(const snap_settings *settings) {
    query q = { .settings = settings };
    if ((settings->options & SNAP_JSON) && (settings->options & SNAP_COUNT))
        return snap_trouble("--json and --count exclude each other");
    q.world = snap_world_read(settings->operands[0], settings);
    int status = q.world && read_terms(&q) ? answer(&q) : SNAP_TROUBLE;
    snap_path_free(&q.table.field);
    free((void *)q.types);
    free(q.terms);
    covey_world_destroy(q.world);
    return status;
}
