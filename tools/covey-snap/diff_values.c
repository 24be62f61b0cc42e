/* covey-snap diff: compares two values of a type, field by field. Equal means equal bytes: 0 differs from -0. */
#include "diff.h"

/* Without the zeros at the end. */
static void put_characters(FILE *out, const char *text, size_t room) {
    while (room != 0 && text[room - 1] == '\0') room--;
    snap_put_quoted(out, text, room);
}

static void compare_texts(diff *d, const covey_field *a, const char *at_a, const covey_field *b, const char *at_b) {
    bool same = a->count == b->count && memcmp(at_a, at_b, a->count) == 0;
    FILE *out = same ? NULL : diff_line(d);
    if (!out) return;
    fputs(": ", out);
    put_characters(out, at_a, a->count);
    fputs(" -> ", out);
    put_characters(out, at_b, b->count);
    fputc('\n', out);
}

static bool is_nan(covey_kind kind, const void *at) {
    float f32 = 0;
    double f64 = 0;
    if (kind == COVEY_KIND_F32) memcpy(&f32, at, sizeof f32);
    if (kind == COVEY_KIND_F64) memcpy(&f64, at, sizeof f64);
    return f32 != f32 || f64 != f64;
}

static void compare_elements(diff *d, covey_kind kind, const void *a, const void *b) {
    FILE *out = memcmp(a, b, covey_kind_size(kind)) != 0 ? diff_line(d) : NULL;
    if (!out) return;
    fputs(": ", out);
    snap_put_value(out, kind, a);
    fputs(" -> ", out);
    snap_put_value(out, kind, b);
    fputs(is_nan(kind, a) && is_nan(kind, b) ? " (different bits)\n" : "\n", out);
}

static void compare_fields(diff *d, const covey_fields *a, const char *value_a, const covey_fields *b,
                           const char *value_b);

static size_t element_size(const covey_field *field) {
    return field->nested ? field->nested->size : covey_kind_size(field->kind);
}

/* Compares fields of the same kind. Different element counts are a difference of the types, reported elsewhere. */
static void compare_field(diff *d, const covey_field *a, const char *at_a, const covey_field *b, const char *at_b) {
    size_t length = d->where.length, size_a = element_size(a), size_b = element_size(b);
    if (a->kind == COVEY_KIND_CHAR) {
        compare_texts(d, a, at_a, b, at_b);
        return;
    }
    for (uint32_t i = 0; i < a->count && i < b->count; i++, at_a += size_a, at_b += size_b) {
        if (a->count != 1) snap_path_element(&d->where, i);
        if (a->nested) compare_fields(d, a->nested, at_a, b->nested, at_b);
        else compare_elements(d, a->kind, at_a, at_b);
        snap_path_cut(&d->where, length);
    }
}

static void compare_fields(diff *d, const covey_fields *a, const char *value_a, const covey_fields *b,
                           const char *value_b) {
    size_t length = d->where.length;
    for (uint32_t i = 0; i < a->count; i++) {
        const covey_field *here = &a->at[i], *there = diff_field_find(b, here->name, i);
        if (!there || there->kind != here->kind) continue;
        snap_path_field(&d->where, here->name);
        compare_field(d, here, value_a + here->offset, there, value_b + there->offset);
        snap_path_cut(&d->where, length);
    }
}

enum { BYTES_SHOWN = 16 };

static void put_bytes(FILE *out, const char *bytes, size_t count) {
    snap_put_hex(out, bytes, count < BYTES_SHOWN ? count : BYTES_SHOWN);
    if (count > BYTES_SHOWN) fputs("...", out);
}

/* Prints the bytes from the first to the last difference. The values differ. */
static void compare_bytes(diff *d, const char *a, size_t size_a, const char *b, size_t size_b) {
    size_t first = 0;
    while (first < size_a && first < size_b && a[first] == b[first]) first++;
    while (size_a > first && size_b > first && a[size_a - 1] == b[size_b - 1]) size_a--, size_b--;
    FILE *out = diff_line(d);
    if (!out) return;
    fprintf(out, "[%zu]: ", first);
    put_bytes(out, a + first, size_a - first);
    fputs(" -> ", out);
    put_bytes(out, b + first, size_b - first);
    fputc('\n', out);
}

static void compare_handles(diff *d, const covey_unknown_value *a, const covey_unknown_value *b) {
    covey_entity null = { 0, 0 };
    size_t length = d->where.length;
    for (uint32_t i = 0; i < a->entity_count || i < b->entity_count; i++) {
        covey_entity x = i < a->entity_count ? a->entities[i] : null, y = i < b->entity_count ? b->entities[i] : null;
        snap_path_field(&d->where, "entities");
        snap_path_element(&d->where, i);
        compare_elements(d, COVEY_KIND_ENTITY, &x, &y);
        snap_path_cut(&d->where, length);
    }
}

/* Compares what the codecs wrote. Missing handles count as null. */
static void compare_unknown(diff *d, const covey_unknown_value *a, const covey_unknown_value *b) {
    size_t length = d->where.length;
    snap_path_field(&d->where, "bytes");
    if (a->size != b->size || (a->size != 0 && memcmp(a->bytes, b->bytes, a->size) != 0))
        compare_bytes(d, (const char *)a->bytes, a->size, (const char *)b->bytes, b->size);
    snap_path_cut(&d->where, length);
    compare_handles(d, a, b);
}

void diff_values(diff *d, const diff_pair *pair, const void *a, const void *b) {
    const covey_type *type = pair->a, *other = pair->b;
    if (pair->alike && !type->codec && (type->size == 0 || memcmp(a, b, type->size) == 0)) return;
    if (type->fields && other->fields) compare_fields(d, type->fields, a, other->fields, b);
    if (type->codec && other->codec)
        compare_unknown(d, covey_unknown_value_of(type, a), covey_unknown_value_of(other, b));
    else if (type->as_bytes && other->as_bytes && pair->alike) compare_bytes(d, a, type->size, b, type->size);
}
