/* GET several: what several entities have in common. */
#include "edit.h"
#include "entity.h"

#include <stdio.h>

typedef struct several {
    covey_entity at[INSPECT__SEVERAL];
    uint32_t count; /* of those that are alive */
} several;

/* Reads "12:1,13:1". Dead entities are left out. Returns false, and refuses the request, if the list is invalid. */
static bool read_entities(inspect__request *request, const covey_world *world, several *s) {
    const char *at = inspect__request_text(request, "e");
    uint32_t listed = 0;
    s->count = 0;
    while (at && *at != '\0') {
        size_t length = strcspn(at, ",");
        char text[32] = "";
        covey_entity e;
        if (length < sizeof text) memcpy(text, at, length);
        if (++listed > INSPECT__SEVERAL) break;
        if (!inspect__entity_read(text, &e)) {
            inspect__refuse(request, 422, "ARGUMENT", "e must be a list of entities, such as 12:1,13:1");
            return false;
        }
        if (covey_alive(world, e)) s->at[s->count++] = e;
        at += length + (at[length] == ',');
    }
    if (listed == 0 || listed > INSPECT__SEVERAL)
        inspect__refuse(request, 422, "LIMIT", "e must be a list of 1 to %d entities", INSPECT__SEVERAL);
    return listed > 0 && listed <= INSPECT__SEVERAL;
}

/* ---- Values that differ -------------------------------------------------------------------------------------------*/

typedef struct values {
    const char *at[INSPECT__SEVERAL];
    uint32_t count;
} values;

static bool differ(const values *v, uint32_t offset, uint32_t size) {
    for (uint32_t i = 1; i < v->count; i++)
        if (memcmp(v->at[i] + offset, v->at[0] + offset, size) != 0) return true;
    return false;
}

static void put_differing(inspect__json *json, const values *v, const covey_fields *fields, uint32_t offset,
                          const char *prefix);

/* Writes the path of an element of a field if its values differ; of a struct, the paths of its fields. */
static void put_element(inspect__json *json, const values *v, const inspect__place *place, uint32_t number,
                        const char *path) {
    uint32_t offset = place->offset + number * place->stride;
    char longer[512];
    if (!differ(v, offset, place->stride)) return;
    if (place->kind != COVEY_KIND_NESTED) inspect__json_text(json, NULL, path);
    else if (snprintf(longer, sizeof longer, "%s.", path) < (int)sizeof longer)
        put_differing(json, v, place->fields, offset, longer);
}

static void put_differing(inspect__json *json, const values *v, const covey_fields *fields, uint32_t offset,
                          const char *prefix) {
    for (const covey_field *field = fields->at; field < fields->at + fields->count; field++) {
        inspect__place place = inspect__place_of_field(field, offset);
        char path[512];
        if (field->kind == COVEY_KIND_PADDING || !differ(v, place.offset, inspect__place_size(&place))) continue;
        if (inspect__place_is_text(&place) || !place.array) {
            bool fits = snprintf(path, sizeof path, "%s%s", prefix, field->name) < (int)sizeof path;
            if (fits && inspect__place_is_text(&place)) inspect__json_text(json, NULL, path);
            else if (fits) put_element(json, v, &place, 0, path);
            continue;
        }
        for (uint32_t i = 0; i < place.count; i++)
            if (snprintf(path, sizeof path, "%s%s[%u]", prefix, field->name, (unsigned)i) < (int)sizeof path)
                put_element(json, v, &place, i, path);
    }
}

/* ---- The answer ---------------------------------------------------------------------------------------------------*/

static void put_common(inspect__json *json, const covey_world *world, const covey_pool *pool, const several *s) {
    const covey_type *type = covey_pool_type(pool);
    values v = { .count = 0 };
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const char *value = covey_pool_get_raw(pool, s->at[i]);
        if (!value) continue;
        v.at[v.count++] = value;
        enabled += covey_component_is_enabled_raw(world, s->at[i], type);
    }
    if (v.count == 0) return;
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", type->name);
    inspect__json_u64(json, "count", v.count);
    inspect__json_u64(json, "enabled", enabled);
    inspect__json_u64(json, "bytes", type->size);
    inspect__json_bool(json, "edit", inspect__editable(type));
    inspect__put_value(json, type->fields ? "value" : "hex", type, v.at[0]);
    inspect__json_array(json, "differs");
    if (type->fields) put_differing(json, &v, type->fields, 0, "");
    else if (differ(&v, 0, type->size)) inspect__json_text(json, NULL, "");
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

bool inspect__answer_several(inspect__request *request, covey_world *world) {
    inspect__json *json = &request->json;
    several s;
    if (!read_entities(request, world, &s)) return true;
    uint32_t enabled = 0;
    for (uint32_t i = 0; i < s.count; i++) enabled += covey_is_enabled(world, s.at[i]);
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "alive", s.count);
    inspect__json_u64(json, "enabled", enabled);
    inspect__json_array(json, "components");
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        if (!inspect__is_internal(covey_pool_type(covey_world_pool(world, i))))
            put_common(json, world, covey_world_pool(world, i), &s);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
