/* Values as text. Numbers have enough digits to be read back exactly. */
#include "snap.h"

#include <float.h>
#include <inttypes.h>
#include <stdlib.h>

void snap_put_entity(FILE *out, covey_entity e) {
    char text[32];
    covey_entity_print(text, sizeof text, e);
    fputs(text, out);
}

/* Writes NaN and infinities the same way on all platforms. Returns false for other numbers. */
static bool put_special(FILE *out, double number) {
    const char *text = number != number ? "nan" : number > DBL_MAX ? "inf" : number < -DBL_MAX ? "-inf" : NULL;
    if (text) fputs(text, out);
    return text != NULL;
}

static void put_f32(FILE *out, float number) {
    char text[32];
    if (put_special(out, (double)number)) return;
    snprintf(text, sizeof text, "%.6g", (double)number);
    if (strtof(text, NULL) != number) snprintf(text, sizeof text, "%.9g", (double)number);
    fputs(text, out);
}

static void put_f64(FILE *out, double number) {
    char text[32];
    if (put_special(out, number)) return;
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) != number) snprintf(text, sizeof text, "%.17g", number);
    fputs(text, out);
}

/* A value of any kind. */
typedef union any {
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
    uint8_t u8;
    uint16_t u16;
    uint32_t u32;
    uint64_t u64;
    float f32;
    double f64;
    bool boolean;
    covey_entity entity;
} any;

void snap_put_value(FILE *out, covey_kind kind, const void *at) {
    any value = { 0 };
    memcpy(&value, at, covey_kind_size(kind));
    switch (kind) {
    case COVEY_KIND_I8: fprintf(out, "%" PRId8, value.i8); return;
    case COVEY_KIND_I16: fprintf(out, "%" PRId16, value.i16); return;
    case COVEY_KIND_I32: fprintf(out, "%" PRId32, value.i32); return;
    case COVEY_KIND_I64: fprintf(out, "%" PRId64, value.i64); return;
    case COVEY_KIND_U8: fprintf(out, "%" PRIu8, value.u8); return;
    case COVEY_KIND_U16: fprintf(out, "%" PRIu16, value.u16); return;
    case COVEY_KIND_U32: fprintf(out, "%" PRIu32, value.u32); return;
    case COVEY_KIND_U64: fprintf(out, "%" PRIu64, value.u64); return;
    case COVEY_KIND_F32: put_f32(out, value.f32); return;
    case COVEY_KIND_F64: put_f64(out, value.f64); return;
    case COVEY_KIND_BOOL: fputs(value.boolean ? "true" : "false", out); return;
    case COVEY_KIND_ENTITY: snap_put_entity(out, value.entity); return;
    case COVEY_KIND_CHAR:
    case COVEY_KIND_NESTED:
    case COVEY_KIND_PADDING: return;
    }
}

void snap_put_hex(FILE *out, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++) fprintf(out, "%02x", at[i]);
}

void snap_put_kind(FILE *out, const covey_field *field) {
    fputs(field->kind == COVEY_KIND_NESTED ? "struct" : covey_kind_name(field->kind), out);
    if (field->count != 1) fprintf(out, "[%u]", field->count);
}

const char *snap_storage_name(covey_storage storage) {
    switch (storage) {
    case COVEY_STORAGE_DEFAULT: return "default";
    case COVEY_STORAGE_SPARSE: return "sparse";
    case COVEY_STORAGE_BLOCK: return "block";
    case COVEY_STORAGE_PINNED: return "pinned";
    }
    return "?";
}

const char *snap_encoding_name(covey_encoding encoding) {
    switch (encoding) {
    case COVEY_ENCODING_NONE: return "none";
    case COVEY_ENCODING_FIELDS: return "fields";
    case COVEY_ENCODING_BYTES_LITTLE: return "bytes-little";
    case COVEY_ENCODING_BYTES_BIG: return "bytes-big";
    case COVEY_ENCODING_CODEC: return "functions";
    }
    return "?";
}
