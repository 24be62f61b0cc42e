/* Descriptions of fields: whether one is valid, whether two are equal, and copies of them. */
#include "storage/fields.h"

#include <covey/fields.h>

#include <stdalign.h>
#include <stdlib.h>

enum { COUNT_MAX = 256, DEPTH_MAX = 8, HANDLE = sizeof(covey_entity) };

static const struct {
    const char *name;
    uint32_t size;
} kinds[] = {
    [COVEY_KIND_I8] = { "i8", 1 },
    [COVEY_KIND_I16] = { "i16", 2 },
    [COVEY_KIND_I32] = { "i32", 4 },
    [COVEY_KIND_I64] = { "i64", 8 },
    [COVEY_KIND_U8] = { "u8", 1 },
    [COVEY_KIND_U16] = { "u16", 2 },
    [COVEY_KIND_U32] = { "u32", 4 },
    [COVEY_KIND_U64] = { "u64", 8 },
    [COVEY_KIND_F32] = { "f32", 4 },
    [COVEY_KIND_F64] = { "f64", 8 },
    [COVEY_KIND_BOOL] = { "bool", 1 },
    [COVEY_KIND_CHAR] = { "char", 1 },
    [COVEY_KIND_ENTITY] = { "entity", HANDLE },
    [COVEY_KIND_NESTED] = { "struct", 0 },
    [COVEY_KIND_PADDING] = { "padding", 1 },
};

_Static_assert(sizeof(bool) == 1, "images have a byte for a bool");
_Static_assert(sizeof(covey_entity) == (COVEY__NARROW ? 4 : 8), "a handle has no padding");

static bool is_kind(covey_kind kind) { return kind >= COVEY_KIND_I8 && kind <= COVEY_KIND_PADDING; }

uint32_t covey_kind_size(covey_kind kind) { return is_kind(kind) ? kinds[kind].size : 0; }

const char *covey_kind_name(covey_kind kind) { return is_kind(kind) ? kinds[kind].name : "?"; }

uint32_t covey__field_stride(const covey_field *field) {
    return field->kind == COVEY_KIND_NESTED ? field->nested->size : covey_kind_size(field->kind);
}

/* ---- Soundness ---------------------------------------------------------------------------------------------------*/

const covey_field *covey__field_named(const covey_fields *fields, const char *name, uint32_t guess) {
    if (guess < fields->count && strcmp(fields->at[guess].name, name) == 0) return &fields->at[guess];
    for (uint32_t i = 0; i < fields->count; i++)
        if (strcmp(fields->at[i].name, name) == 0) return &fields->at[i];
    return NULL;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char *covey__fields_repeated(const covey_fields *fields) {
    const char *names[COUNT_MAX];
    for (uint32_t i = 0; i < fields->count; i++) names[i] = fields->at[i].name;
    qsort(names, fields->count, sizeof *names, compare_names);
    for (uint32_t i = 1; i < fields->count; i++)
        if (strcmp(names[i - 1], names[i]) == 0) return names[i];
    return NULL;
}

static const char *struct_fault(const covey_fields *fields, uint32_t depth);

static const char *field_fault(const covey_field *field, uint32_t depth) {
    if (!field->name || !field->name[0]) return "has a field without a name: set .name";
    if (!is_kind(field->kind)) return "has a field of an unknown kind: use a value of covey_kind";
    if (field->count == 0) return "has a field with a .count of 0: set it to 1 for a single value";
    if ((field->kind == COVEY_KIND_NESTED) != (field->nested != NULL))
        return "has a field with only one of COVEY_KIND_NESTED and .nested: set both or none";
    return field->nested ? struct_fault(field->nested, depth + 1) : NULL;
}

static const char *struct_fault(const covey_fields *fields, uint32_t depth) {
    uint64_t end = 0;
    if (depth > DEPTH_MAX) return "has structs nested more than 8 deep: flatten them";
    if (fields->size == 0 || fields->count == 0)
        return "has .fields without any field: list the fields, or leave out .fields";
    if (fields->count > COUNT_MAX) return "has more than 256 fields in a struct: nest some of them";
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        const char *fault = field_fault(field, depth);
        if (fault) return fault;
        if (field->offset < end) return "has fields that overlap or are out of order: list them by .offset";
        end = field->offset + (uint64_t)field->count * covey__field_stride(field);
    }
    if (covey__fields_repeated(fields)) return "has two fields with the same name: rename one";
    return end <= fields->size ? NULL : "has a field that ends beyond its struct: check .offset and .count";
}

const char *covey__fields_fault(const covey_fields *fields, uint32_t size) {
    if (fields->size != size) return "has .fields of a struct whose size is not .size: describe the same struct";
    return struct_fault(fields, 1);
}

static bool is_same_field(const covey_field *a, const covey_field *b) {
    return strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->offset == b->offset && a->count == b->count &&
           covey__fields_same(a->nested, b->nested);
}

bool covey__fields_same(const covey_fields *a, const covey_fields *b) {
    if (a == b) return true;
    if (!a || !b || a->size != b->size || a->count != b->count) return false;
    uint32_t i = 0;
    while (i < a->count && is_same_field(&a->at[i], &b->at[i])) i++;
    return i == a->count;
}

static bool is_equal_field(const covey_field *field, const char *a, const char *b) {
    size_t stride = covey__field_stride(field);
    if (field->kind == COVEY_KIND_PADDING) return true;
    if (!field->nested) return memcmp(a, b, stride * field->count) == 0;
    uint32_t i = 0;
    while (i < field->count && covey__fields_equal(field->nested, a + i * stride, b + i * stride)) i++;
    return i == field->count;
}

bool covey__fields_equal(const covey_fields *fields, const void *a, const void *b) {
    const char *x = a, *y = b;
    uint32_t i = 0;
    while (i < fields->count && is_equal_field(&fields->at[i], x + fields->at[i].offset, y + fields->at[i].offset)) i++;
    return i == fields->count;
}

/* ---- Copies ------------------------------------------------------------------------------------------------------*/

static size_t whole(size_t bytes) {
    return (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
}

static size_t text_bytes(const covey_fields *fields) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        bytes += strlen(field->name) + 1;
        if (field->shown.names) bytes += strlen(field->shown.names) + 1;
    }
    return bytes;
}

size_t covey__fields_bytes(const covey_fields *fields) {
    size_t bytes = whole(sizeof *fields) + whole(fields->count * sizeof *fields->at) + whole(text_bytes(fields));
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].nested) bytes += covey__fields_bytes(fields->at[i].nested);
    return bytes;
}

static void *take_memory(char **memory, size_t bytes) {
    void *taken = *memory;
    *memory += whole(bytes);
    return taken;
}

static const char *copy_text(const char *from, char **text) {
    size_t length = strlen(from) + 1;
    const char *copy = memcpy(*text, from, length);
    *text += length;
    return copy;
}

static const covey_fields *copy_fields(const covey_fields *fields, char **memory) {
    covey_fields *made = take_memory(memory, sizeof *made);
    covey_field *at = take_memory(memory, fields->count * sizeof *at);
    char *text = take_memory(memory, text_bytes(fields));
    for (uint32_t i = 0; i < fields->count; i++) {
        at[i] = fields->at[i];
        at[i].name = copy_text(at[i].name, &text);
        if (at[i].shown.names) at[i].shown.names = copy_text(at[i].shown.names, &text);
        if (at[i].nested) at[i].nested = copy_fields(at[i].nested, memory);
    }
    *made = (covey_fields){ fields->size, fields->count, at };
    return made;
}

const covey_fields *covey__fields_copy(const covey_fields *fields, void *memory) {
    char *at = memory;
    return copy_fields(fields, &at);
}
