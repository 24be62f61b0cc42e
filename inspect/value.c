/* Writes values as JSON. */
#include "value.h"

bool inspect__is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }

const char *inspect__storage_name(covey_storage storage) {
    switch (storage) {
    case COVEY_STORAGE_DEFAULT: return "default";
    case COVEY_STORAGE_SPARSE: return "sparse";
    case COVEY_STORAGE_BLOCK: return "block";
    case COVEY_STORAGE_PINNED: return "pinned";
    }
    return "?";
}

const char *inspect__policy_name(covey_policy policy) {
    switch (policy) {
    case COVEY_SWAP_AND_POP: return "swap and pop";
    case COVEY_IN_PLACE: return "in place";
    case COVEY_SWAP_ONLY: return "swap only";
    case COVEY_ORDERED: return "ordered";
    }
    return "?";
}

static void put_struct(inspect__json *json, const char *key, const covey_fields *fields, const char *at);

static void put_element(inspect__json *json, const char *key, const inspect__place *place, const char *at) {
    inspect__any any = { 0 };
    if (place->kind != COVEY_KIND_NESTED) memcpy(&any, at, covey_kind_size(place->kind));
    switch (place->kind) {
    case COVEY_KIND_I8: inspect__json_i64(json, key, any.i8); return;
    case COVEY_KIND_I16: inspect__json_i64(json, key, any.i16); return;
    case COVEY_KIND_I32: inspect__json_i64(json, key, any.i32); return;
    case COVEY_KIND_I64: inspect__json_i64(json, key, any.i64); return;
    case COVEY_KIND_U8: inspect__json_u64(json, key, any.u8); return;
    case COVEY_KIND_U16: inspect__json_u64(json, key, any.u16); return;
    case COVEY_KIND_U32: inspect__json_u64(json, key, any.u32); return;
    case COVEY_KIND_U64: inspect__json_u64(json, key, any.u64); return;
    case COVEY_KIND_F32: inspect__json_f32(json, key, any.f32); return;
    case COVEY_KIND_F64: inspect__json_f64(json, key, any.f64); return;
    case COVEY_KIND_BOOL: inspect__json_bool(json, key, any.u8 != 0); return; /* any byte other than 0 is true */
    case COVEY_KIND_CHAR: inspect__json_bytes(json, key, at, *at != '\0'); return;
    case COVEY_KIND_ENTITY: inspect__json_entity(json, key, any.entity); return;
    case COVEY_KIND_NESTED: put_struct(json, key, place->fields, at); return;
    case COVEY_KIND_PADDING: inspect__json_hex(json, key, at, place->count); return;
    }
}

void inspect__put_place(inspect__json *json, const char *key, const inspect__place *place, const void *value) {
    const char *at = value ? (const char *)value + place->offset : NULL;
    if (!at) inspect__json_null(json, key);
    else if (inspect__place_is_text(place)) inspect__json_bytes(json, key, at, inspect__text_length(place, value));
    else if (!place->array) put_element(json, key, place, at);
    else {
        inspect__json_array(json, key);
        for (uint32_t i = 0; i < place->count; i++) put_element(json, NULL, place, at + i * place->stride);
        inspect__json_end_array(json);
    }
}

/* `at` is where the struct begins. */
static void put_struct(inspect__json *json, const char *key, const covey_fields *fields, const char *at) {
    inspect__json_object(json, key);
    for (const covey_field *field = fields->at; field < fields->at + fields->count; field++) {
        if (field->kind == COVEY_KIND_PADDING) continue;
        inspect__place place = inspect__place_of_field(field, 0);
        inspect__put_place(json, field->name, &place, at);
    }
    inspect__json_end_object(json);
}

void inspect__put_value(inspect__json *json, const char *key, const covey_type *type, const void *value) {
    inspect__place place = inspect__place_of(type);
    if (type->size == 0) inspect__json_null(json, key);
    else inspect__put_place(json, key, &place, value);
}
