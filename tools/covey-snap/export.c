/* covey-snap export: the components of a type as CSV. */
#include "snap.h"

#include <errno.h>
#include <stdlib.h>

#include <covey/hierarchy.h>

typedef struct export {
    const snap_settings *settings;
    covey_world *world;
    const char *path;
    const covey_pool **pools; /* to export */
    uint32_t count;
    FILE *out;
    bool is_shown;   /* on a terminal, which could execute control characters */
    snap_path field; /* the current column of the header */
}
export;

/* ---- Lines -------------------------------------------------------------------------------------------------------*/

/* Escapes control characters on a terminal. Programs get the text as it is. */
static void put_text(const export *x, const char *text, size_t length) {
    (x->is_shown ? snap_put_text : snap_put_csv)(x->out, text, length);
}

/* A text ends with its first zero. */
static void put_characters(const export *x, const char *text, size_t room) {
    const char *end = memchr(text, 0, room);
    put_text(x, text, end ? (size_t)(end - text) : room);
}

static void put_path(export *x) {
    fputc(',', x->out);
    if (x->field.text) put_text(x, x->field.text, x->field.length);
}

/* Writes the column names of fields. An array of characters is one column. */
static void put_names(export *x, const covey_fields *fields) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        size_t before = x->field.length;
        snap_path_field(&x->field, field->name);
        size_t length = x->field.length;
        uint32_t count = field->kind == COVEY_KIND_CHAR ? 1 : field->count;
        for (uint32_t k = 0; k < count && !x->field.failed; k++) {
            if (count != 1) snap_path_element(&x->field, k);
            if (field->nested) put_names(x, field->nested);
            else put_path(x);
            snap_path_cut(&x->field, length);
        }
        snap_path_cut(&x->field, before);
    }
}

static void put_values(const export *x, const covey_fields *fields, const char *value) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        const char *at = value + field->offset;
        size_t size = field->nested ? field->nested->size : covey_kind_size(field->kind);
        if (field->kind == COVEY_KIND_CHAR) {
            fputc(',', x->out);
            put_characters(x, at, field->count);
            continue;
        }
        for (uint32_t k = 0; k < field->count; k++, at += size) {
            if (field->nested) {
                put_values(x, field->nested, at);
                continue;
            }
            fputc(',', x->out);
            snap_put_value(x->out, field->kind, at);
        }
    }
}

/* Writes what a codec wrote: bytes, and handles separated by blanks. */
static void put_unknown(FILE *out, const covey_unknown_value *unknown) {
    fputc(',', out);
    snap_put_hex(out, unknown->bytes, unknown->size);
    fputc(',', out);
    for (uint32_t i = 0; i < unknown->entity_count; i++) {
        if (i != 0) fputc(' ', out);
        snap_put_entity(out, unknown->entities[i]);
    }
}

enum { HEADER_MOST = 1 << 26 };

/* An upper bound for the bytes of the column names behind a path of this length. May stop above HEADER_MOST. */
static uint64_t header_bytes(const covey_fields *fields, uint64_t path) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < fields->count && bytes <= HEADER_MOST; i++) {
        const covey_field *field = &fields->at[i];
        uint64_t here = path + strlen(field->name) + sizeof ".[4294967295],";
        uint64_t each = field->nested ? header_bytes(field->nested, here) : here;
        uint64_t count = field->kind == COVEY_KIND_CHAR ? 1 : field->count;
        if (each > HEADER_MOST) return each;
        bytes += each * count;
    }
    return bytes;
}

/* A few bytes of an image can describe a type with two billion fields. */
static int check_header(const covey_type *type) {
    if (!type->fields || header_bytes(type->fields, 0) <= HEADER_MOST) return SNAP_FINE;
    return snap_trouble("%s has too many fields for a table", type->name);
}

static void put_header(export *x, const covey_type *type) {
    fputs("index,generation,name", x->out);
    if (type->fields) put_names(x, type->fields);
    if (type->codec) fputs(",bytes,entities", x->out);
    else if (!type->fields && type->size != 0) fputs(",bytes", x->out);
    fputc('\n', x->out);
}

static void put_line(export *x, const covey_pool *pool, uint32_t position) {
    const covey_type *type = covey_pool_type(pool);
    covey_entity e = covey_pool_at(pool, position);
    const char *name = covey_name(x->world, e), *value = covey_pool_value_at_raw(pool, position);
    fprintf(x->out, "%u,%u,", e.index, e.generation);
    if (name) put_text(x, name, strlen(name));
    if (type->fields) put_values(x, type->fields, value);
    if (type->codec) put_unknown(x->out, covey_unknown_value_of(type, value));
    else if (!type->fields && type->size != 0) fputc(',', x->out), snap_put_hex(x->out, value, type->size);
    fputc('\n', x->out);
}

/* Stops when writing fails; the caller checks for errors. */
static void put_pool(export *x, const covey_pool *pool) {
    snap_progress progress = snap_progress_begin(x->settings, "writing", covey_pool_type(pool)->name, x->out == stdout);
    uint64_t done = 0, all = covey_pool_count(pool);
    x->is_shown = snap_is_terminal(x->out);
    put_header(x, covey_pool_type(pool));
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        put_line(x, pool, at);
        if (ferror(x->out)) break;
        snap_progress_tell(++done, all, &progress);
    }
    snap_progress_end(&progress);
}

/* ---- Files -------------------------------------------------------------------------------------------------------*/

static int write_file(export *x, const covey_pool *pool, const char *path) {
    x->out = fopen(path, "w");
    if (!x->out) return snap_trouble("cannot write %s: %s", path, strerror(errno));
    errno = 0;
    put_pool(x, pool);
    bool failed = ferror(x->out) != 0;
    int why = errno;
    if (fclose(x->out) != 0 && !failed) failed = true, why = errno;
    if (x->field.failed) return snap_trouble("no memory for the names of fields");
    return failed ? snap_trouble("cannot write %s: %s", path, strerror(why)) : SNAP_FINE;
}

static bool is_safe(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

enum { STEM = 100 };

/* Makes a safe file name from the name of a type, which is arbitrary text. */
static void make_stem(char stem[STEM + 1], const char *name) {
    size_t length = 0;
    for (; name[length] && length < STEM; length++) stem[length] = is_safe(name[length]) ? name[length] : '_';
    stem[length] = '\0';
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Ignores case, as some file systems do. */
static bool is_same_file(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) a++, b++;
    return lower(*a) == lower(*b);
}

/* How many types before this one have the same file name. */
static uint32_t twins_before(const export *x, uint32_t number) {
    char stem[STEM + 1], other[STEM + 1];
    uint32_t twins = 0;
    make_stem(stem, covey_pool_type(x->pools[number])->name);
    for (uint32_t i = 0; i < number; i++) {
        make_stem(other, covey_pool_type(x->pools[i])->name);
        twins += is_same_file(stem, other);
    }
    return twins;
}

/* Writes DIR/Body.csv, or DIR/body.2.csv if there is a Body. Stems have no dots, so that the number is unambiguous. */
static int write_into_folder(export *x, uint32_t number) {
    char stem[STEM + 1], file[STEM + 32];
    uint32_t twins = twins_before(x, number);
    snap_path path = { 0 };
    make_stem(stem, covey_pool_type(x->pools[number])->name);
    if (twins == 0) snprintf(file, sizeof file, "/%s.csv", stem);
    else snprintf(file, sizeof file, "/%s.%u.csv", stem, twins + 1);
    snap_path_append(&path, x->settings->output);
    snap_path_append(&path, file);
    int status =
        path.failed ? snap_trouble("no memory for the name of a file") : write_file(x, x->pools[number], path.text);
    snap_path_free(&path);
    return status;
}

static bool ends_as_folder(const char *path) {
    char last = path[strlen(path) - 1];
    return last == '/' || last == '\\';
}

static int write_to_stdout(export *x) {
    x->out = stdout;
    put_pool(x, x->pools[0]);
    return x->field.failed ? snap_trouble("no memory for the names of fields") : SNAP_FINE;
}

static int write_all(export *x) {
    const char *output = x->settings->output;
    if (!output && x->count == 1) return write_to_stdout(x);
    if (!output) return snap_trouble("%s has %u types: name one of them, or give a folder with -o", x->path, x->count);
    bool folder = snap_is_folder(output);
    if (!folder && x->count == 1 && !ends_as_folder(output)) return write_file(x, x->pools[0], output);
    if (!folder && !snap_make_folder(output))
        return snap_trouble("cannot create the folder %s: %s", output, strerror(errno));
    int status = SNAP_FINE;
    for (uint32_t i = 0; i < x->count && status == SNAP_FINE; i++) status = write_into_folder(x, i);
    return status;
}

/* ---- The command -------------------------------------------------------------------------------------------------*/

static const covey_pool *find_pool(const covey_world *world, const char *name) {
    const covey_type *type = covey_type_find(world, name);
    return type && !snap_is_internal(type) ? covey_pool_find_raw(world, type) : NULL;
}

static bool is_chosen(const export *x, const covey_pool *pool) {
    for (uint32_t i = 0; i < x->count; i++)
        if (x->pools[i] == pool) return true;
    return false;
}

static int choose_named(export *x, char **names) {
    for (; *names; names++) {
        const covey_pool *pool = find_pool(x->world, *names);
        if (!pool) return snap_trouble("%s has no components of type %s", x->path, *names);
        if (!is_chosen(x, pool)) x->pools[x->count++] = pool;
    }
    return SNAP_FINE;
}

static int choose_all(export *x) {
    for (uint32_t i = 0; i < covey_world_pool_count(x->world); i++) {
        const covey_pool *pool = covey_world_pool(x->world, i);
        if (!snap_is_internal(covey_pool_type(pool))) x->pools[x->count++] = pool;
    }
    return x->count != 0 ? SNAP_FINE : snap_trouble("%s has no components", x->path);
}

static int choose_and_write(export *x) {
    char **names = x->settings->operands + 1;
    x->pools = calloc((size_t)covey_world_pool_count(x->world) + 1, sizeof *x->pools);
    if (!x->pools) return snap_trouble("no memory for the list of types");
    int status = *names ? choose_named(x, names) : choose_all(x);
    for (uint32_t i = 0; i < x->count && status == SNAP_FINE; i++) status = check_header(covey_pool_type(x->pools[i]));
    return status == SNAP_FINE ? write_all(x) : status;
}

int snap_export(const snap_settings *settings) {
    export x = { .settings = settings, .path = settings->operands[0] };
    x.world = snap_world_read(x.path, settings);
    int status = x.world ? choose_and_write(&x) : SNAP_TROUBLE;
    free(x.pools);
    snap_path_free(&x.field);
    covey_world_destroy(x.world);
    return status;
}
