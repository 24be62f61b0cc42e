/* GET entity, resources and values. */
#include "entity.h"

#include "query.h"

#include <covey/hierarchy.h>

enum { FIRST_CHILDREN = 20, WATCHED = 64 };

/* ---- One entity ---------------------------------------------------------------------------------------------------*/

static void put_children(inspect__json *json, const covey_world *world, covey_entity e) {
    covey_entity child = covey_child_first(world, e);
    inspect__json_object(json, "children");
    inspect__json_u64(json, "count", covey_child_count(world, e));
    inspect__json_array(json, "first");
    for (uint32_t i = 0; i < FIRST_CHILDREN && !covey_is_null(child); i++, child = covey_child_next(world, child)) {
        inspect__json_object(json, NULL);
        inspect__json_entity(json, "e", child);
        inspect__json_text(json, "name", covey_name(world, child));
        inspect__json_end_object(json);
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

bool inspect__editable(const covey_type *type) { return type->fields || (type->as_bytes && type->size != 0); }

static void put_component(inspect__json *json, const covey_world *world, const covey_pool *pool, covey_entity e) {
    const covey_type *type = covey_pool_type(pool);
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", type->name);
    inspect__json_bool(json, "enabled", covey_component_is_enabled_raw(world, e, type));
    inspect__json_u64(json, "bytes", type->size);
    inspect__json_bool(json, "edit", inspect__editable(type));
    if (type->ticks) inspect__json_u64(json, "tick", covey_changed_at_raw(world, e, type));
    inspect__put_value(json, type->fields ? "value" : "hex", type, covey_pool_get_raw(pool, e));
    inspect__json_end_object(json);
}

static void put_components(inspect__json *json, const covey_world *world, covey_entity e) {
    inspect__json_array(json, "components");
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        if (covey_pool_has(pool, e) && !inspect__is_internal(covey_pool_type(pool)))
            put_component(json, world, pool, e);
    }
    inspect__json_end_array(json);
}

void inspect__put_entity(inspect__json *json, const covey_world *world, covey_entity e) {
    bool alive = covey_alive(world, e);
    char path[1024];
    inspect__json_object(json, NULL);
    inspect__json_entity(json, "e", e);
    inspect__json_bool(json, "alive", alive);
    inspect__json_text(json, "name", covey_name(world, e));
    if (alive) {
        int length = covey_path_print(path, sizeof path, world, e);
        if (length > 0 && (size_t)length < sizeof path) inspect__json_text(json, "path", path);
        inspect__json_bool(json, "enabled", covey_is_enabled(world, e));
        inspect__json_entity(json, "parent", covey_parent(world, e));
        inspect__json_text(json, "parent_name", covey_name(world, covey_parent(world, e)));
        put_children(json, world, e);
        put_components(json, world, e);
    }
    inspect__put_sources(json, world, e); /* stale handles may have some, too */
    inspect__json_end_object(json);
}

bool inspect__answer_entity(inspect__request *request, covey_world *world) {
    covey_entity e;
    if (!inspect__request_entity(request, "e", &e)) return true;
    if (covey_is_null(e)) return inspect__refuse(request, 422, "ARGUMENT", "e is missing: an entity, such as e=12:1");
    inspect__put_entity(&request->json, world, e);
    return true;
}

/* ---- Resources ----------------------------------------------------------------------------------------------------*/

bool inspect__answer_resources(inspect__request *request, covey_world *world) {
    inspect__json *json = &request->json;
    inspect__json_object(json, NULL);
    inspect__json_array(json, "resources");
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++) {
        const covey_type *type = covey_world_resource(world, i);
        const void *value = covey_resource_get_raw(world, type);
        inspect__json_object(json, NULL);
        inspect__json_text(json, "type", type->name);
        inspect__json_u64(json, "bytes", type->size);
        inspect__json_bool(json, "edit", inspect__editable(type));
        inspect__put_value(json, type->fields ? "value" : "hex", type, value);
        inspect__put_fields(json, type->fields);
        inspect__json_end_object(json);
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}

/* ---- Watched values -----------------------------------------------------------------------------------------------*/

/* Writes the value that a text such as "12:1.Position.x" names, or null if there is no such value. */
static void put_watched(inspect__json *json, const covey_world *world, const char *text, size_t length) {
    const char *point = memchr(text, '.', length);
    char handle[32];
    covey_entity e = { 0 };
    const covey_pool *pool = NULL;
    inspect__place place;
    inspect__query_error error;
    size_t digits = point ? (size_t)(point - text) : 0;
    const void *value = NULL;
    if (digits > 0 && digits < sizeof handle) {
        memcpy(handle, text, digits);
        handle[digits] = '\0';
        if (inspect__entity_read(handle, &e) &&
            inspect__path_read(world, point + 1, length - digits - 1, &pool, &place, &error))
            value = covey_pool_get_raw(pool, e);
    }
    if (value && covey_pool_type(pool)->size != 0) inspect__put_place(json, NULL, &place, value);
    else inspect__json_null(json, NULL);
}

bool inspect__answer_values(inspect__request *request, covey_world *world) {
    const char *at = inspect__request_text(request, "watch");
    inspect__json *json = &request->json;
    uint32_t count = 0;
    inspect__json_object(json, NULL);
    inspect__json_array(json, "values");
    while (at && *at != '\0') {
        size_t length = strcspn(at, ",");
        if (count++ == WATCHED)
            return inspect__refuse(request, 422, "ARGUMENT", "at most %d values can be watched", WATCHED);
        put_watched(json, world, at, length);
        at += length + (at[length] == ',');
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
