/* Reading checkpoints of covey::mpi: the images of all ranks are merged into one world, which is saved as an
 * ordinary image. Handles are unique over all ranks, and stay the same. */
#include "snap.h"

#include "../../common/manifest.h"

#include <covey/hierarchy.h>
#include <stdlib.h>

typedef struct gathering {
    const snap_settings *settings;
    covey_report *report;
    covey_world *world; /* with all ranks */
    covey_world *from;  /* with the current rank */
    uint64_t bytes;     /* of all files so far */
    const char *name;   /* of the current file */
    char logged[160];   /* the last log message of `world` */
} gathering;

static void keep_last(covey_result item, const char *text, void *context) {
    (void)item;
    gathering *g = context;
    snprintf(g->logged, sizeof g->logged, "%s", text);
}

static bool fail(const gathering *g, covey_result result, const char *why) {
    const char *slash = strrchr(g->name, '/');
    *g->report = (covey_report){ .result = result };
    snprintf(g->report->text, sizeof g->report->text, "%.60s: %.130s", slash ? slash + 1 : g->name, why);
    return false;
}

/* A call for g->world failed. The file is invalid, unless memory is out. */
static bool fail_logged(const gathering *g) {
    covey_result result = covey_world_result(g->world);
    return fail(g, result == COVEY_ERROR_MEMORY ? result : COVEY_ERROR_IMAGE, g->logged);
}

/* ---- One rank ----------------------------------------------------------------------------------------------------*/

static bool make_entities(const gathering *g) {
    uint32_t count = covey_entity_count(g->from), i = 0;
    covey_entity *list = malloc((count + (size_t)1) * sizeof *list);
    if (!list) return fail(g, COVEY_ERROR_MEMORY, "no memory for its entities");
    for (covey_entity e = COVEY_NULL; !covey_is_null(e = covey_entity_next(g->from, e));) list[i++] = e;
    bool made = covey_create_exact(g->world, list, count, COVEY_EXACT_AGAIN);
    free(list);
    if (!made && covey_world_result(g->world) == COVEY_ERROR_TAKEN)
        return fail(g, COVEY_ERROR_IMAGE, "one of its entities is on another rank, too");
    return made || fail_logged(g);
}

/* Copies values that own memory, because the world of the rank is destroyed afterwards. */
static bool add_value(const gathering *g, covey_entity e, const covey_type *type, const void *value) {
    void *place = covey_add_raw(g->world, e, type, type->copy ? NULL : value);
    if (!place) return fail_logged(g);
    return !type->copy || type->copy(place, value, type->context) ||
           fail(g, COVEY_ERROR_MEMORY, "no memory for a value");
}

static bool add_components(const gathering *g, const covey_pool *pool) {
    const covey_type *its = covey_pool_type(pool), *type = covey_type_create(g->world, its);
    if (!type || !covey_pool_of_raw(g->world, type)) return fail_logged(g);
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        covey_entity e = covey_pool_at(pool, at);
        if (!add_value(g, e, type, covey_pool_value_at_raw(pool, at))) return false;
        if (covey_component_is_enabled_raw(g->from, e, its)) continue;
        if (covey_component_disable_raw(g->world, e, type) != COVEY_OK) return fail_logged(g);
    }
    return true;
}

static bool add_pools(const gathering *g) {
    const covey_pool *pool;
    for (uint32_t i = 0; (pool = covey_world_pool(g->from, i)) != NULL; i++)
        if (!snap_is_internal(covey_pool_type(pool)) && !add_components(g, pool)) return false;
    return true;
}

/* Drops names that a sibling from another rank has, as merging images does. */
static bool add_hierarchy(const gathering *g) {
    for (covey_entity e = COVEY_NULL; !covey_is_null(e = covey_entity_next(g->from, e));) {
        if (!covey_is_enabled(g->from, e) && covey_disable(g->world, e) != COVEY_OK) return fail_logged(g);
        for (covey_entity child = covey_child_first(g->from, e); !covey_is_null(child);
             child = covey_child_next(g->from, child))
            if (covey_parent_set(g->world, child, e) != COVEY_OK) return fail_logged(g);
    }
    for (covey_entity e = COVEY_NULL; !covey_is_null(e = covey_entity_next(g->from, e));) {
        const char *name = covey_name(g->from, e);
        covey_result result = name ? covey_name_set(g->world, e, name) : COVEY_OK;
        if (result != COVEY_OK && result != COVEY_ERROR_PRESENT) return fail_logged(g);
    }
    return true;
}

static bool add_resources(const gathering *g) {
    for (uint32_t i = 0; i < covey_world_resource_count(g->from); i++) {
        const covey_type *its = covey_world_resource(g->from, i), *type = covey_type_create(g->world, its);
        if (!type) return fail_logged(g);
        if (covey_resource_has_raw(g->world, type)) continue; /* the first rank decides */
        const void *value = covey_resource_get_raw(g->from, its);
        void *place = covey_resource_set_raw(g->world, type, type->copy ? NULL : value);
        if (!place) return fail_logged(g);
        if (type->copy && !type->copy(place, value, type->context))
            return fail(g, COVEY_ERROR_MEMORY, "no memory for a resource");
    }
    return true;
}

/* ---- All ranks ---------------------------------------------------------------------------------------------------*/

/* The limits apply to all ranks together. */
static bool check_limits(const gathering *g) {
    uint64_t entities = covey_entity_count(g->world), limit = g->settings->limit_entities;
    uint64_t bytes = covey_world_memory(g->world), most = snap_limit(g->settings, g->bytes);
    if ((limit == 0 || entities <= limit) && bytes <= most) return true;
    fail(g, COVEY_ERROR_LIMIT, "the ranks together exceed --limit-bytes or --limit-entities");
    g->report->fault = COVEY_FAULT_LIMIT;
    return false;
}

static bool add_rank(gathering *g) {
    snap_image image;
    covey_report why;
    if (!snap_file_read(&image, g->name, g->settings, g->report)) return false;
    g->bytes += image.file_bytes;
    g->from = snap_image_load(&image, g->settings, &why);
    covey_buffer_free(&image.bytes);
    if (!g->from) {
        fail(g, why.result, why.text);
        g->report->fault = why.fault;
        g->report->offset = why.offset;
        return false;
    }
    bool done = make_entities(g) && add_pools(g) && add_hierarchy(g) && add_resources(g) && check_limits(g);
    covey_world_destroy(g->from);
    return done;
}

static bool add_ranks(gathering *g, const char *path, const covey__manifest *m) {
    size_t room = strlen(path) + COVEY__MANIFEST_NAME;
    char *name = malloc(room);
    bool done = name != NULL;
    if (!name) *g->report = (covey_report){ .result = COVEY_ERROR_MEMORY, .text = "no memory for a name" };
    g->name = name;
    for (uint32_t rank = 0; rank < m->ranks && done; rank++) {
        covey__manifest_file(name, room, path, m->number, rank);
        done = add_rank(g);
    }
    free(name);
    return done;
}

bool snap_is_checkpoint(const covey_buffer *bytes) { return covey__manifest_begins(bytes->bytes, bytes->size); }

bool snap_checkpoint_read(snap_image *image, const snap_settings *settings, covey_report *report) {
    covey__manifest m;
    const char *why;
    gathering g = { .settings = settings, .report = report, .name = image->path, .bytes = image->file_bytes };
    if (!covey__manifest_parse(image->bytes.bytes, image->bytes.size, &m, &why)) {
        *report = (covey_report){ .result = COVEY_ERROR_IMAGE };
        snprintf(report->text, sizeof report->text, "it %s", why);
        return false;
    }
    g.world = covey_world_create(&(covey_world_desc){ .log = keep_last, .log_context = &g });
    if (!g.world) return fail(&g, COVEY_ERROR_MEMORY, "no memory for a world");
    image->bytes.size = 0;
    bool done =
        add_ranks(&g, image->path, &m) && covey_save_to_buffer(g.world, &image->bytes, NULL, report) == COVEY_OK;
    image->file_bytes = g.bytes;
    covey_world_destroy(g.world);
    return done;
}
