/* covey-snap diff: the types of two images, matched by name, and how their fields differ. */
#include "diff.h"

#include <stdlib.h>

static uint32_t type_count(const covey_world *world) {
    return covey_world_pool_count(world) + covey_world_resource_count(world);
}

/* The types of components, then those of resources. NULL for types of the library, and for repeated ones. */
static const covey_type *type_at(const covey_world *world, uint32_t number) {
    uint32_t pools = covey_world_pool_count(world);
    bool has_pool = number < pools;
    const covey_type *type =
        has_pool ? covey_pool_type(covey_world_pool(world, number)) : covey_world_resource(world, number - pools);
    return snap_is_internal(type) || (!has_pool && covey_type_find(world, type->name)) ? NULL : type;
}

static int compare_places(const void *a, const void *b) {
    uintptr_t x = (uintptr_t)((const diff_place *)a)->type, y = (uintptr_t)((const diff_place *)b)->type;
    return x < y ? -1 : x > y;
}

static int compare_numbers(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static bool make_room(diff *d, size_t count) {
    d->pairs = calloc(count + 1, sizeof *d->pairs);
    d->places = calloc(count * 2 + 1, sizeof *d->places);
    d->listed = calloc(count + 1, sizeof *d->listed);
    d->numbers = calloc(count + 1, sizeof *d->numbers);
    return d->pairs && d->places && d->listed && d->numbers;
}

static void add_pair(diff *d, const covey_type *a, const covey_type *b) {
    if (a) d->places[d->place_count++] = (diff_place){ a, d->pair_count };
    if (b) d->places[d->place_count++] = (diff_place){ b, d->pair_count };
    d->pairs[d->pair_count++] = (diff_pair){ .a = a, .b = b };
}

static void add_pairs(diff *d, const snap_types *types_a, const snap_types *types_b) {
    for (uint32_t i = 0; i < type_count(d->a); i++) {
        const covey_type *type = type_at(d->a, i);
        if (type) add_pair(d, type, snap_types_find(types_b, type->name));
    }
    for (uint32_t i = 0; i < type_count(d->b); i++) {
        const covey_type *type = type_at(d->b, i);
        if (type && !snap_types_find(types_a, type->name)) add_pair(d, NULL, type);
    }
    if (d->place_count != 0) qsort(d->places, d->place_count, sizeof *d->places, compare_places);
}

bool diff_pairs_make(diff *d) {
    snap_types a = { 0 }, b = { 0 };
    bool made = make_room(d, (size_t)type_count(d->a) + type_count(d->b)) && snap_types_make(&a, d->a) &&
                snap_types_make(&b, d->b);
    if (made) add_pairs(d, &a, &b);
    snap_types_free(&a);
    snap_types_free(&b);
    return made;
}

void diff_pairs_free(diff *d) {
    free(d->pairs);
    free(d->places);
    free((void *)d->listed);
    free(d->numbers);
}

uint32_t diff_pairs_of(diff *d, covey_entity e) {
    uint32_t room = type_count(d->a) + type_count(d->b), found = 0, kept = 0;
    uint32_t count = covey_types_of(d->a, e, d->listed, room);
    count += covey_types_of(d->b, e, d->listed + count, room - count);
    for (uint32_t i = 0; i < count; i++) {
        diff_place wanted = { .type = d->listed[i] };
        const diff_place *place = bsearch(&wanted, d->places, d->place_count, sizeof wanted, compare_places);
        if (place) d->numbers[found++] = place->pair;
    }
    if (found > 1) qsort(d->numbers, found, sizeof *d->numbers, compare_numbers);
    for (uint32_t i = 0; i < found; i++)
        if (kept == 0 || d->numbers[kept - 1] != d->numbers[i]) d->numbers[kept++] = d->numbers[i];
    return kept;
}

/* Tries the guessed position first, which is usually right. */
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

/* Reports fields that are in one image only, or have another kind. Ignores their order. */
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

/* "tag", "fields", "functions", "fields and functions" or "16 bytes". */
static const char *form_of(const covey_type *type, char *text, size_t room) {
    if (type->size == 0) return "tag";
    if (type->codec) return type->fields ? "fields and functions" : "functions";
    if (type->fields) return "fields";
    snprintf(text, room, "%u bytes", type->size);
    return text;
}

static void compare_forms(diff *d, const diff_pair *pair) {
    char a[40], b[40];
    const char *form_a = form_of(pair->a, a, sizeof a), *form_b = form_of(pair->b, b, sizeof b);
    FILE *out = strcmp(form_a, form_b) != 0 ? diff_line(d) : NULL;
    if (out) fprintf(out, ": %s -> %s\n", form_a, form_b);
}

/* Ignores types that only one image has: their components and resources are reported. */
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
