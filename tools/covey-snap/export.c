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
    snap_table table;
}
export;

/* ---- Lines -------------------------------------------------------------------------------------------------------*/

static void put_header(export *x, const covey_type *type) {
    fputs(SNAP_TABLE_HEADER, x->table.out);
    snap_table_put_names(&x->table, type, "");
    fputc('\n', x->table.out);
}

static void put_line(const export *x, const covey_pool *pool, uint32_t position) {
    covey_entity e = covey_pool_at(pool, position);
    snap_table_put_entity(&x->table, covey_name(x->world, e), e);
    snap_table_put_values(&x->table, covey_pool_type(pool), covey_pool_value_at_raw(pool, position));
    fputc('\n', x->table.out);
}

/* Stops when writing fails; the caller checks for errors. */
static void put_pool(export *x, const covey_pool *pool) {
    FILE *out = x->table.out;
    snap_progress progress = snap_progress_begin(x->settings, "writing", covey_pool_type(pool)->name, out == stdout);
    uint64_t done = 0, all = covey_pool_count(pool);
    x->table.is_shown = snap_is_terminal(out);
    put_header(x, covey_pool_type(pool));
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        put_line(x, pool, at);
        if (ferror(out)) break;
        snap_progress_tell(++done, all, &progress);
    }
    snap_progress_end(&progress);
}

/* ---- Files -------------------------------------------------------------------------------------------------------*/

static int write_file(export *x, const covey_pool *pool, const char *path) {
    x->table.out = fopen(path, "w");
    if (!x->table.out) return snap_trouble("cannot write %s: %s", path, strerror(errno));
    errno = 0;
    put_pool(x, pool);
    bool failed = ferror(x->table.out) != 0;
    int why = errno;
    if (fclose(x->table.out) != 0 && !failed) failed = true, why = errno;
    if (x->table.field.failed) return snap_trouble("no memory for the names of fields");
    return failed ? snap_trouble("cannot write %s: %s", path, strerror(why)) : SNAP_FINE;
}

static bool is_safe(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

enum { STEM = 100 };

/* Makes a safe file name from the name of a type, which is arbitrary text. */
static void make_stem(char stem[STEM + 1], const char *name) {
    size_t length = 0;
    for (; length < STEM && name[length]; length++) stem[length] = is_safe(name[length]) ? name[length] : '_';
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
    x->table.out = stdout;
    put_pool(x, x->pools[0]);
    return x->table.field.failed ? snap_trouble("no memory for the names of fields") : SNAP_FINE;
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
    for (uint32_t i = 0; i < x->count && status == SNAP_FINE; i++)
        status = snap_table_check(covey_pool_type(x->pools[i]));
    return status == SNAP_FINE ? write_all(x) : status;
}

int snap_export(const snap_settings *settings) {
    export x = { .settings = settings, .path = settings->operands[0] };
    x.world = snap_world_read(x.path, settings);
    int status = x.world ? choose_and_write(&x) : SNAP_TROUBLE;
    free(x.pools);
    snap_path_free(&x.table.field);
    covey_world_destroy(x.world);
    return status;
}
