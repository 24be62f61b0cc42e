/* Reads JSON into the bytes of values, and checks kinds and ranges. */
#include "value.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Sets the text of a fault, and returns false. */
INSPECT__PRINTF(2, 3) static bool wrong(inspect__fault *fault, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------*/

static double absolute(double real) { return real < 0 ? -real : real; }

/* An integer of up to 65 bits: sign and magnitude. */
typedef struct integer {
    bool negative;
    uint64_t magnitude;
} integer;

static bool read_digits(const char *text, integer *to) {
    char *end;
    to->negative = text[0] == '-';
    text += to->negative;
    if (*text < '0' || *text > '9') return false;
    errno = 0;
    to->magnitude = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

/* Reads an integer from a JSON number, or from a string with digits. 3.0 is an integer, 3.5 is not. */
static bool read_integer(const json_t *json, integer *to) {
    if (json_is_integer(json)) {
        json_int_t number = json_integer_value(json);
        *to = (integer){ number < 0, number < 0 ? (uint64_t)0 - (uint64_t)number : (uint64_t)number };
        return true;
    }
    if (json_is_string(json)) return read_digits(json_string_value(json), to);
    double real = json_real_value(json);
    if (!json_is_real(json) || !(absolute(real) <= 9007199254740992.0) || (double)(int64_t)real != real) return false;
    *to = (integer){ real < 0, (uint64_t)absolute(real) };
    return true;
}

/* The lowest or the highest value of an integer kind. */
static integer limit_of(covey_kind kind, bool negative) {
    uint32_t bits = covey_kind_size(kind) * 8;
    bool is_signed = kind <= COVEY_KIND_I64;
    uint64_t most = UINT64_MAX >> (64 - bits);
    if (!is_signed) return (integer){ false, negative ? 0 : most };
    return (integer){ negative, negative ? most / 2 + 1 : most / 2 };
}

static bool read_integer_kind(const json_t *json, covey_kind kind, void *at, inspect__fault *fault) {
    integer number;
    if (!read_integer(json, &number)) return wrong(fault, "%s must be an integer", covey_kind_name(kind));
    integer least = limit_of(kind, true), most = limit_of(kind, false);
    if (number.magnitude > (number.negative ? least.magnitude : most.magnitude))
        return wrong(fault, "%s must be from %s%llu to %llu", covey_kind_name(kind), least.magnitude ? "-" : "",
                     (unsigned long long)least.magnitude, (unsigned long long)most.magnitude);
    uint64_t bits = number.negative ? 0 - number.magnitude : number.magnitude;
    inspect__any any = { 0 };
    switch (covey_kind_size(kind)) {
    case 1: any.u8 = (uint8_t)bits; break;
    case 2: any.u16 = (uint16_t)bits; break;
    case 4: any.u32 = (uint32_t)bits; break;
    default: any.u64 = bits; break;
    }
    memcpy(at, &any, covey_kind_size(kind));
    return true;
}

static bool read_real(const json_t *json, double *real) {
    const char *text = json_string_value(json);
    if (!text) {
        *real = json_number_value(json);
        return json_is_number(json);
    }
    if (strcmp(text, "nan") == 0) *real = (double)NAN;
    else if (strcmp(text, "inf") == 0) *real = (double)INFINITY;
    else if (strcmp(text, "-inf") == 0) *real = -(double)INFINITY;
    else {
        char *end;
        *real = strtod(text, &end);
        return end != text && *end == '\0' && strpbrk(text, "xXpPnN ") == NULL;
    }
    return true;
}

static bool read_real_kind(const json_t *json, covey_kind kind, void *at, inspect__fault *fault) {
    double real;
    if (!read_real(json, &real))
        return wrong(fault, "%s must be a number, \"nan\", \"inf\" or \"-inf\"", covey_kind_name(kind));
    if (kind == COVEY_KIND_F64) {
        memcpy(at, &real, sizeof real);
        return true;
    }
    if (absolute(real) > (double)FLT_MAX && absolute(real) <= DBL_MAX)
        return wrong(fault, "f32 must be from %g to %g", -(double)FLT_MAX, (double)FLT_MAX);
    float number = (float)real;
    memcpy(at, &number, sizeof number);
    return true;
}

/* ---- Other kinds --------------------------------------------------------------------------------------------------*/

static bool read_entity(const covey_world *world, const json_t *json, void *at, inspect__fault *fault) {
    covey_entity e = { 0 };
    const char *text = json_string_value(json);
    if (!json_is_null(json) && !(text && inspect__entity_read(text, &e)))
        return wrong(fault, "must be an entity, index:generation, such as \"12:1\", or null");
    if (!covey_is_null(e) && !covey_alive(world, e)) {
        fault->result = COVEY_ERROR_DEAD;
        return wrong(fault, "%s is not alive", text);
    }
    memcpy(at, &e, sizeof e);
    return true;
}

static bool read_text(const json_t *json, const inspect__place *place, void *value, inspect__fault *fault) {
    const char *text = json_string_value(json);
    if (!text) return wrong(fault, "must be a string");
    size_t length = json_string_length(json);
    uint32_t room = place->count;
    if (length > room) return wrong(fault, "the string has %zu bytes: there is room for %u", length, room);
    if (memchr(text, '\0', length)) return wrong(fault, "the string must not contain zero bytes");
    memset((char *)value + place->offset, 0, room);
    memcpy((char *)value + place->offset, text, length);
    return true;
}

static int hex_digit(char digit) {
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
}

static bool read_hex(const json_t *json, const inspect__place *place, void *value, inspect__fault *fault) {
    const char *text = json_string_value(json);
    if (!text || json_string_length(json) != (size_t)place->count * 2)
        return wrong(fault, "must be %u bytes in hexadecimal", place->count);
    for (uint32_t i = 0; i < place->count; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);
        if (high < 0 || low < 0) return wrong(fault, "must be hexadecimal digits");
        ((unsigned char *)value)[place->offset + i] = (unsigned char)(high * 16 + low);
    }
    return true;
}

static bool read_struct(const covey_world *world, const json_t *json, const inspect__place *place, void *value,
                        inspect__fault *fault) {
    const char *name;
    json_t *member;
    if (!json_is_object(json)) return wrong(fault, "must be a JSON object: this is a struct");
    json_object_foreach((json_t *)(uintptr_t)json, name, member) {
        covey_type type = { .size = place->stride, .fields = place->fields };
        inspect__place part;
        size_t at, length;
        const char *why = inspect__place_find(&type, name, strlen(name), &part, &at, &length);
        if (why || strpbrk(name, ".[")) return wrong(fault, "%.60s: %s", name, why ? why : "there is no such field");
        if (!inspect__read_place(world, member, &part, (char *)value + place->offset, fault)) return false;
    }
    return true;
}

static bool read_element(const covey_world *world, const json_t *json, const inspect__place *place, void *value,
                         inspect__fault *fault) {
    char *at = (char *)value + place->offset;
    switch (place->kind) {
    case COVEY_KIND_F32:
    case COVEY_KIND_F64: return read_real_kind(json, place->kind, at, fault);
    case COVEY_KIND_BOOL:
        *(unsigned char *)at = json_is_true(json);
        return json_is_boolean(json) || wrong(fault, "bool must be true or false");
    case COVEY_KIND_CHAR: {
        inspect__place one = *place;
        one.count = 1;
        return read_text(json, &one, value, fault);
    }
    case COVEY_KIND_ENTITY: return read_entity(world, json, at, fault);
    case COVEY_KIND_NESTED: return read_struct(world, json, place, value, fault);
    case COVEY_KIND_PADDING: return read_hex(json, place, value, fault);
    case COVEY_KIND_I8:
    case COVEY_KIND_I16:
    case COVEY_KIND_I32:
    case COVEY_KIND_I64:
    case COVEY_KIND_U8:
    case COVEY_KIND_U16:
    case COVEY_KIND_U32:
    case COVEY_KIND_U64: return read_integer_kind(json, place->kind, at, fault);
    }
    return wrong(fault, "the field has an unknown kind");
}

bool inspect__read_place(const covey_world *world, const json_t *json, const inspect__place *place, void *value,
                         inspect__fault *fault) {
    if (inspect__place_is_text(place)) return read_text(json, place, value, fault);
    if (!place->array) return read_element(world, json, place, value, fault);
    if (!json_is_array(json) || json_array_size(json) != place->count)
        return wrong(fault, "must be an array of %u elements", place->count);
    for (uint32_t i = 0; i < place->count; i++) {
        inspect__place one = *place;
        one.offset += i * place->stride;
        one.count = 1;
        one.array = false;
        if (!read_element(world, json_array_get(json, i), &one, value, fault)) return false;
    }
    return true;
}
