/* Fields of components as keys of lookups. */
#include "lookup/field.h"

#include "storage/fields.h"

#include <math.h>

/* ---- Fields ------------------------------------------------------------------------------------------------------*/

uint32_t covey__field_find(const covey_type *type, const char *name, covey__key_field *field) {
    const covey_fields *fields = type->fields;
    uint32_t offset = 0;
    for (const char *end; fields; name = end + 1) {
        const covey_field *found = NULL;
        end = name;
        while (*end != 0 && *end != '.') end++;
        size_t length = (size_t)(end - name);
        for (uint32_t i = 0; i < fields->count && !found; i++)
            if (strncmp(fields->at[i].name, name, length) == 0 && fields->at[i].name[length] == 0)
                found = &fields->at[i];
        if (!found || (*end == '.' && found->count != 1)) return 0;
        offset += found->offset;
        fields = found->nested;
        if (*end == '.') continue;
        bool is_text = found->kind == COVEY_KIND_CHAR && found->count > 1;
        *field = (covey__key_field){ offset, is_text ? found->count : 0, found->kind };
        return found->count;
    }
    return 0;
}

/* ---- Numbers -----------------------------------------------------------------------------------------------------*/

#define SIGN ((uint64_t)1 << 63)

static uint64_t key_of_signed(int64_t number) { return (uint64_t)number ^ SIGN; }

/* The bits of a positive double are in the order of its values, and those of a negative one in reverse. */
static uint64_t key_of_double(double number) {
    uint64_t bits;
    if (number != number) return COVEY__KEY_NAN;
    if (number == 0) number = 0;
    memcpy(&bits, &number, sizeof bits);
    return (bits & SIGN) != 0 ? ~bits : bits | SIGN;
}

#define READ(T, to) \
    T to;           \
    memcpy(&to, at, sizeof to)

static uint64_t key_of_number(covey_kind kind, const char *at) {
    switch (kind) {
    case COVEY_KIND_I8: return key_of_signed(*(const int8_t *)at);
    case COVEY_KIND_I16: {
        READ(int16_t, number);
        return key_of_signed(number);
    }
    case COVEY_KIND_I32: {
        READ(int32_t, number);
        return key_of_signed(number);
    }
    case COVEY_KIND_I64: {
        READ(int64_t, number);
        return key_of_signed(number);
    }
    case COVEY_KIND_U16: {
        READ(uint16_t, number);
        return number;
    }
    case COVEY_KIND_U32: {
        READ(uint32_t, number);
        return number;
    }
    case COVEY_KIND_U64: {
        READ(uint64_t, number);
        return number;
    }
    case COVEY_KIND_F32: {
        READ(float, number);
        return key_of_double((double)number);
    }
    case COVEY_KIND_F64: {
        READ(double, number);
        return key_of_double(number);
    }
    case COVEY_KIND_BOOL: return *(const uint8_t *)at != 0;
    case COVEY_KIND_ENTITY: {
        READ(covey_entity, e);
        return covey__key_of_target(e);
    }
    default: return *(const uint8_t *)at; /* U8, CHAR */
    }
}

double covey__number_of(const covey__key_field *field, const void *value) {
    const char *at = (const char *)value + field->offset;
    switch (field->kind) {
    case COVEY_KIND_F32: {
        READ(float, number);
        return (double)number;
    }
    case COVEY_KIND_F64: {
        READ(double, number);
        return number;
    }
    case COVEY_KIND_U8:
    case COVEY_KIND_U16:
    case COVEY_KIND_U32:
    case COVEY_KIND_U64: return (double)key_of_number(field->kind, at);
    default: return (double)(int64_t)(key_of_number(field->kind, at) ^ SIGN);
    }
}

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

bool covey__key_of_field(const covey__key_field *field, const void *value, covey__lookup_key *key) {
    const char *at = (const char *)value + field->offset;
    if (field->size != 0) {
        const char *end = memchr(at, 0, field->size);
        *key = (covey__lookup_key){ 0, at, end ? (uint32_t)(end - at) : field->size };
        return true;
    }
    *key = (covey__lookup_key){ key_of_number(field->kind, at), NULL, 0 };
    return field->kind != COVEY_KIND_ENTITY || key->bits >> 32 != 0;
}

bool covey__key_asked(const covey__key_field *field, const void *asked, covey__lookup_key *key) {
    covey__key_field plain = { 0, 0, field->kind };
    if (field->size == 0) return covey__key_of_field(&plain, asked, key);
    size_t length = strlen(asked);
    *key = (covey__lookup_key){ 0, asked, length <= field->size ? (uint32_t)length : field->size + 1 };
    return true;
}

uint64_t covey__greatest_key(const covey__key_field *field) {
    bool floats = field->size == 0 && (field->kind == COVEY_KIND_F32 || field->kind == COVEY_KIND_F64);
    return floats ? key_of_double(INFINITY) : UINT64_MAX;
}

/* ---- Places ------------------------------------------------------------------------------------------------------*/

void covey__place_settle(covey__place *place) {
    covey_kind kind = place->at[0].kind;
    place->adjacent = kind == COVEY_KIND_F32 || kind == COVEY_KIND_F64;
    for (uint32_t i = 1; i < place->count; i++)
        place->adjacent = place->adjacent && place->at[i].kind == kind &&
                          place->at[i].offset == place->at[0].offset + i * covey_kind_size(kind);
}

void covey__place_read(const covey__place *place, const void *value, double *point) {
    for (uint32_t i = 0; i < place->count; i++) point[i] = covey__number_of(&place->at[i], value);
}
