/* Components as CSV: column names and values. */
#include "snap.h"

/* ---- Names -------------------------------------------------------------------------------------------------------*/

static void put_path(snap_table *t) {
    fputc(',', t->out);
    if (t->field.text) snap_table_put_text(t, t->field.text, t->field.length);
}

/* An array of characters is one column. */
static void put_names(snap_table *t, const covey_fields *fields) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        size_t before = t->field.length;
        snap_path_field(&t->field, field->name);
        size_t length = t->field.length;
        uint32_t count = field->kind == COVEY_KIND_CHAR ? 1 : field->count;
        for (uint32_t k = 0; k < count && !t->field.failed; k++) {
            if (count != 1) snap_path_element(&t->field, k);
            if (field->nested) put_names(t, field->nested);
            else put_path(t);
            snap_path_cut(&t->field, length);
        }
        snap_path_cut(&t->field, before);
    }
}

static void put_name(snap_table *t, const char *name) {
    size_t before = t->field.length;
    snap_path_field(&t->field, name);
    put_path(t);
    snap_path_cut(&t->field, before);
}

void snap_table_put_names(snap_table *t, const covey_type *type, const char *prefix) {
    snap_path_append(&t->field, prefix);
    if (type->fields) put_names(t, type->fields);
    if (type->codec || (!type->fields && type->size != 0)) put_name(t, "bytes");
    if (type->codec) put_name(t, "entities");
    snap_path_cut(&t->field, 0);
}

enum { HEADER_MOST = 1 << 26 };

/* An upper bound for the bytes of the column names behind a path of this length. May stop above HEADER_MOST. */
static uint64_t header_bytes(const covey_fields *fields, uint64_t path) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < fields->count && bytes <= HEADER_MOST; i++) {
        const covey_field *field = &fields->at[i];
        uint64_t here = path + strlen(field->name) + sizeof ".[4294967295],";
        uint64_t each = field->nested ? header_bytes(field->nested, here) : here;
        uint64_t count = field->kind == COVEY_KIND_CHAR ? 1 : field->count;
        if (each > HEADER_MOST) return each;
        bytes += each * count;
    }
    return bytes;
}

int snap_table_check(const covey_type *type) {
    if (!type->fields || header_bytes(type->fields, strlen(type->name)) <= HEADER_MOST) return SNAP_FINE;
    return snap_trouble("%s has too many fields for a table", type->name);
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

void snap_table_put_text(const snap_table *t, const char *text, size_t length) {
    (t->is_shown ? snap_put_text : snap_put_csv)(t->out, text, length);
}

/* A text ends with its first zero. */
static void put_characters(const snap_table *t, const char *text, size_t room) {
    const char *end = memchr(text, 0, room);
    snap_table_put_text(t, text, end ? (size_t)(end - text) : room);
}

static void put_values(const snap_table *t, const covey_fields *fields, const char *value) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        const char *at = value + field->offset;
        size_t size = field->nested ? field->nested->size : covey_kind_size(field->kind);
        if (field->kind == COVEY_KIND_CHAR) {
            fputc(',', t->out);
            put_characters(t, at, field->count);
            continue;
        }
        for (uint32_t k = 0; k < field->count; k++, at += size) {
            if (field->nested) {
                put_values(t, field->nested, at);
                continue;
            }
            fputc(',', t->out);
            snap_put_value(t->out, field->kind, at);
        }
    }
}

/* Writes what a codec wrote: bytes, and handles separated by blanks. */
static void put_unknown(FILE *out, const covey_unknown_value *unknown) {
    fputc(',', out);
    snap_put_hex(out, unknown->bytes, unknown->size);
    fputc(',', out);
    for (uint32_t i = 0; i < unknown->entity_count; i++) {
        if (i != 0) fputc(' ', out);
        snap_put_entity(out, unknown->entities[i]);
    }
}

void snap_table_put_entity(const snap_table *t, const char *name, covey_entity e) {
    fprintf(t->out, "%u,%u,", e.index, e.generation);
    if (name) snap_table_put_text(t, name, strlen(name));
}

void snap_table_put_values(const snap_table *t, const covey_type *type, const void *value) {
    if (type->fields) put_values(t, type->fields, value);
    if (type->codec) put_unknown(t->out, covey_unknown_value_of(type, value));
    else if (!type->fields && type->size != 0) fputc(',', t->out), snap_put_hex(t->out, value, type->size);
}
