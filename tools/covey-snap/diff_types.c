/* covey-snap diff: the types of two snapshots, matched by name, and how their fields differ. */
#include "diff.h"

#include <stdlib.h>

static uint32_t type_count(const covey_world *world) {
    return covey_world_pool_count(world) + covey_world_resource_count(world);
}

/* The types of components, then those of resources; NULL for the library's own, and for what was there before. */
static const covey_type *type_at(const covey_world *world, uint32_t number) {
    uint32_t pools = covey_world_pool_count(world);
    bool has_pool = number < pools;
    const covey_type *type =
        has_pool ? covey_pool_type(covey_world_pool(world, number)) : covey_world_resource(world, number - pools);
    return snap_is_internal(type) || (!has_pool && covey_type_find(world, type->name)) ? NULL : type;
}

bool diff_pairs_make(diff *d) {
    uint32_t count_a = type_count(d->a), count_b = type_count(d->b);
    d->pairs = calloc((size_t)count_a + count_b + 1, sizeof *d->pairs);
    if (!d->pairs) return false;
    for (uint32_t i = 0; i < count_a; i++) {
        const covey_type *type = type_at(d->a, i);
        if (type) d->pairs[d->pair_count++] = (diff_pair){ .a = type, .b = snap_type_find(d->b, type->name) };
    }
    for (uint32_t i = 0; i < count_b; i++) {
        const covey_type *type = type_at(d->b, i);
        if (type && !snap_type_find(d->a, type->name)) d->pairs[d->pair_count++] = (diff_pair){ .b = type };
    }
    return true;
}

/* Fields mostly are where one guesses. */
const covey_field *diff_field_find(const covey_fields *fields, const char *name, uint32_t guess) {
    if (guess < fields->count && strcmp(fields->at[guess].name, name) == 0) return &fields->at[guess];
    for (uint32_t i = 0; i < fields->count; i++)
        if (strcmp(fields->at[i].name, name) == 0) return &fields->at[i];
    return NULL;
}

static bool is_alike(const covey_fields *a, const covey_fields *b) {
    if (!a || !b) return a == b;
    if (a->size != b->size || a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; i++) {
        const covey_field *x = &a->at[i], *y = &b->at[i];
        if (strcmp(x->name, y->name) != 0 || x->kind != y->kind || x->offset != y->offset || x->count != y->count ||
            !is_alike(x->nested, y->nested))
            return false;
    }
    return true;
}

static void compare_fields(diff *d, const covey_fields *a, const covey_fields *b);

static void compare_field(diff *d, const covey_field *a, const covey_field *b) {
    bool same = b && a->kind == b->kind && a->count == b->count;
    FILE *out = b && !same ? diff_line(d) : NULL;
    if (!b) diff_tell_only(d, d->path_a);
    if (out) {
        fputs(": ", out);
        snap_put_kind(out, a);
        fputs(" -> ", out);
        snap_put_kind(out, b);
        fputc('\n', out);
    }
    if (b && a->nested && b->nested) compare_fields(d, a->nested, b->nested);
}

/* Which fields are in one only, or are something else; not their order. */
static void compare_fields(diff *d, const covey_fields *a, const covey_fields *b) {
    size_t length = d->where.length;
    for (uint32_t i = 0; i < a->count; i++) {
        snap_path_field(&d->where, a->at[i].name);
        compare_field(d, &a->at[i], diff_field_find(b, a->at[i].name, i));
        snap_path_cut(&d->where, length);
    }
    for (uint32_t i = 0; i < b->count; i++) {
        if (diff_field_find(a, b->at[i].name, i)) continue;
        snap_path_field(&d->where, b->at[i].name);
        diff_tell_only(d, d->path_b);
        snap_path_cut(&d->where, length);
    }
}

/* "tag", "fields", "functions", "fields and functions" or "raw, 16 bytes". */
static const char *form_of(const covey_type *type, char *text, size_t room) {
    if (type->size == 0) return "tag";
    if (type->codec) return type->fields ? "fields and functions" : "functions";
    if (type->fields) return "fields";
    snprintf(text, room, "raw, %u bytes", type->size);
    return text;
}

static void compare_forms(diff *d, const diff_pair *pair) {
    char a[40], b[40];
    const char *form_a = form_of(pair->a, a, sizeof a), *form_b = form_of(pair->b, b, sizeof b);
    FILE *out = strcmp(form_a, form_b) != 0 ? diff_line(d) : NULL;
    if (out) fprintf(out, ": %s -> %s\n", form_a, form_b);
}

/* Of a type that only one has, components and resources tell. */
static void compare_pair(diff *d, diff_pair *pair) {
    const covey_type *a = pair->a, *b = pair->b;
    if (!a || !b) return;
    pair->alike = a->size == b->size && !a->codec == !b->codec && is_alike(a->fields, b->fields);
    snap_path_append(&d->where, a->name);
    compare_forms(d, pair);
    if (!pair->alike && a->fields && b->fields) compare_fields(d, a->fields, b->fields);
    snap_path_cut(&d->where, 0);
}

void diff_types(diff *d) {
    d->word = "type";
    for (uint32_t i = 0; i < d->pair_count; i++) {
        uint64_t before = d->differences;
        compare_pair(d, &d->pairs[i]);
        d->types += d->differences != before;
    }
    d->word = NULL;
}
