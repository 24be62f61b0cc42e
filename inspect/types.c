/* GET types: the component types of the world, in the order of their pools. Other answers name them by this order. */
#include "entity.h"

/* Whether a field has a kind that can be shown as it says. Words of COVEY_FIELDS_DEFINE have; those by hand may not. */
static bool can_show(const covey_field *field) {
    bool one = field->count == 1, three_or_four = field->count == 3 || field->count == 4;
    switch (field->shown.as) {
    case COVEY_SHOW_PLAIN: break;
    case COVEY_SHOW_RANGE: return one && field->kind <= COVEY_KIND_F64;
    case COVEY_SHOW_ANGLE: return one && (field->kind == COVEY_KIND_F32 || field->kind == COVEY_KIND_F64);
    case COVEY_SHOW_CHOICE: return one && field->kind <= COVEY_KIND_U64 && field->shown.names;
    case COVEY_SHOW_COLOUR:
        return (one && field->kind == COVEY_KIND_U32) ||
               (three_or_four && (field->kind == COVEY_KIND_F32 || field->kind == COVEY_KIND_U8));
    }
    return false;
}

/* Writes the names of a text such as "idle, walk". */
static void put_names(inspect__json *json, const char *names) {
    inspect__json_array(json, "names");
    for (const char *at = names; at; at = strchr(at, ',')) {
        at += at != names; /* the comma */
        at += strspn(at, " ");
        size_t length = strcspn(at, ",");
        while (length > 0 && at[length - 1] == ' ') length--;
        inspect__json_bytes(json, NULL, at, length);
    }
    inspect__json_end_array(json);
}

static void put_shown(inspect__json *json, const covey_field *field) {
    static const char *const words[] = { "plain", "range", "angle", "choice", "colour" };
    if (!can_show(field)) return;
    inspect__json_object(json, "show");
    inspect__json_text(json, "as", words[field->shown.as]);
    if (field->shown.as == COVEY_SHOW_RANGE) {
        inspect__json_f64(json, "least", field->shown.least);
        inspect__json_f64(json, "most", field->shown.most);
    }
    if (field->shown.as == COVEY_SHOW_CHOICE) put_names(json, field->shown.names);
    inspect__json_end_object(json);
}

void inspect__put_fields(inspect__json *json, const covey_fields *fields) {
    if (!fields) {
        inspect__json_null(json, "fields");
        return;
    }
    inspect__json_array(json, "fields");
    for (const covey_field *field = fields->at; field < fields->at + fields->count; field++) {
        inspect__json_object(json, NULL);
        inspect__json_text(json, "name", field->name);
        inspect__json_text(json, "kind", field->kind == COVEY_KIND_NESTED ? "struct" : covey_kind_name(field->kind));
        inspect__json_u64(json, "offset", field->offset);
        inspect__json_u64(json, "count", field->count);
        if (field->nested) inspect__put_fields(json, field->nested);
        put_shown(json, field);
        inspect__json_end_object(json);
    }
    inspect__json_end_array(json);
}

static void put_type(inspect__json *json, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    inspect__json_object(json, NULL);
    inspect__json_text(json, "name", type->name);
    inspect__json_u64(json, "size", type->size);
    inspect__json_u64(json, "align", type->align);
    inspect__json_text(json, "storage", inspect__storage_name(covey_pool_storage(pool)));
    inspect__json_text(json, "policy", inspect__policy_name(type->policy));
    inspect__json_bool(json, "tag", type->size == 0);
    inspect__json_bool(json, "internal", inspect__is_internal(type));
    inspect__json_u64(json, "count", covey_pool_count(pool));
    inspect__json_bool(json, "ticks", type->ticks);
    inspect__put_fields(json, type->fields);
    inspect__json_end_object(json);
}

bool inspect__answer_types(inspect__request *request, covey_world *world) {
    inspect__json *json = &request->json;
    inspect__json_object(json, NULL);
    inspect__json_array(json, "types");
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) put_type(json, covey_world_pool(world, i));
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
