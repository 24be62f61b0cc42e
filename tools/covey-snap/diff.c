/* covey-snap diff: how one image differs from another. Loads both, and walks them side by side. */
#include "diff.h"

#include <stdlib.h>

#include <covey/hierarchy.h>

/* ---- Lines -------------------------------------------------------------------------------------------------------*/

FILE *diff_line(diff *d) {
    const snap_settings *settings = d->settings;
    d->differences++;
    if (settings->options & SNAP_BRIEF) return NULL;
    if ((settings->options & SNAP_LIMIT) && d->lines >= settings->limit) return NULL;
    d->lines++;
    if (d->word) fputs(d->word, stdout);
    else if (!covey_is_null(d->entity)) snap_put_entity(stdout, d->entity);
    if (d->where.length == 0) return stdout;
    if (d->word || !covey_is_null(d->entity)) fputc(' ', stdout);
    snap_put_text(stdout, d->where.text, d->where.length);
    return stdout;
}

static void put_only(FILE *out, const char *path) {
    fputs(": only in ", out);
    snap_put_text(out, path, strlen(path));
    fputc('\n', out);
}

void diff_tell_only(diff *d, const char *path) {
    FILE *out = diff_line(d);
    if (out) put_only(out, path);
}

/* Begins a line about `what`, behind the current entity and field. */
static FILE *line_about(diff *d, const char *what) {
    size_t length = d->where.length;
    snap_path_append(&d->where, what);
    FILE *out = diff_line(d);
    snap_path_cut(&d->where, length);
    return out;
}

static void compare_disabled(diff *d, const char *what, bool enabled_a, bool enabled_b) {
    FILE *out = enabled_a != enabled_b ? line_about(d, what) : NULL;
    if (out) fprintf(out, ": %s -> %s\n", enabled_a ? "no" : "yes", enabled_b ? "no" : "yes");
}

static void compare_ticks(diff *d, const char *what, uint64_t a, uint64_t b) {
    bool wanted = (d->settings->options & SNAP_TICKS) != 0;
    FILE *out = wanted && a != b ? line_about(d, what) : NULL;
    if (out) fprintf(out, ": %llu -> %llu\n", (unsigned long long)a, (unsigned long long)b);
}

/* ---- Entities in both --------------------------------------------------------------------------------------------*/

static void put_name(FILE *out, const char *name) {
    if (name) snap_put_quoted(out, name, strlen(name));
    else fputs("none", out);
}

static void compare_names(diff *d, covey_entity e) {
    const char *a = covey_name(d->a, e), *b = covey_name(d->b, e);
    bool same = a && b ? strcmp(a, b) == 0 : a == b;
    FILE *out = same ? NULL : line_about(d, "name");
    if (!out) return;
    fputs(": ", out);
    put_name(out, a);
    fputs(" -> ", out);
    put_name(out, b);
    fputc('\n', out);
}

static void compare_parents(diff *d, covey_entity e) {
    covey_entity a = covey_parent(d->a, e), b = covey_parent(d->b, e);
    FILE *out = covey_same(a, b) ? NULL : line_about(d, "parent");
    if (!out) return;
    fputs(": ", out);
    snap_put_entity(out, a);
    fputs(" -> ", out);
    snap_put_entity(out, b);
    fputc('\n', out);
}

static void compare_components(diff *d, covey_entity e, const diff_pair *pair) {
    const covey_type *type_a = pair->a, *type_b = pair->b;
    const void *a = type_a ? covey_get_raw(d->a, e, type_a) : NULL;
    const void *b = type_b ? covey_get_raw(d->b, e, type_b) : NULL;
    if (!a && !b) return;
    snap_path_append(&d->where, type_a ? type_a->name : type_b->name);
    if (!a || !b) diff_tell_only(d, a ? d->path_a : d->path_b);
    else {
        diff_values(d, pair, a, b);
        compare_disabled(d, " disabled", covey_component_is_enabled_raw(d->a, e, type_a),
                         covey_component_is_enabled_raw(d->b, e, type_b));
        compare_ticks(d, " tick", covey_changed_at_raw(d->a, e, type_a), covey_changed_at_raw(d->b, e, type_b));
    }
    snap_path_cut(&d->where, 0);
}

static void compare_entity(diff *d, covey_entity e) {
    uint64_t before = d->differences;
    d->entity = e;
    compare_names(d, e);
    compare_parents(d, e);
    compare_disabled(d, "disabled", covey_is_enabled(d->a, e), covey_is_enabled(d->b, e));
    uint32_t count = diff_pairs_of(d, e);
    for (uint32_t i = 0; i < count; i++) compare_components(d, e, &d->pairs[d->numbers[i]]);
    d->both++;
    d->changed += d->differences != before;
}

/* ---- All entities ------------------------------------------------------------------------------------------------*/

static void tell_one_sided(diff *d, const covey_world *world, covey_entity e) {
    bool in_a = world == d->a;
    const char *name = covey_name(world, e);
    if (in_a) d->only_a++;
    else d->only_b++;
    d->entity = e;
    FILE *out = diff_line(d);
    if (!out) return;
    if (name) fputc(' ', out), snap_put_quoted(out, name, strlen(name));
    put_only(out, in_a ? d->path_a : d->path_b);
}

/* Whether the first comes before the second; null comes last. */
static bool is_before(covey_entity e, covey_entity other) {
    if (covey_is_null(e) || covey_is_null(other)) return !covey_is_null(e) && covey_is_null(other);
    return e.index < other.index || (e.index == other.index && e.generation < other.generation);
}

static void compare_entities(diff *d) {
    snap_progress progress = snap_progress_begin(d->settings, "comparing with", d->path_b, true);
    uint64_t all = (uint64_t)covey_entity_count(d->a) + covey_entity_count(d->b), done = 0;
    covey_entity none = { 0, 0 }, a = covey_entity_next(d->a, none), b = covey_entity_next(d->b, none);
    while (!covey_is_null(a) || !covey_is_null(b)) {
        bool has_a = !is_before(b, a), has_b = !is_before(a, b);
        if (has_a && has_b) compare_entity(d, a);
        else tell_one_sided(d, has_a ? d->a : d->b, has_a ? a : b);
        if (has_a) a = covey_entity_next(d->a, a);
        if (has_b) b = covey_entity_next(d->b, b);
        done += (uint64_t)has_a + has_b;
        snap_progress_tell(done, all, &progress);
    }
    snap_progress_end(&progress);
    d->entity = none;
}

/* ---- Resources ---------------------------------------------------------------------------------------------------*/

static void compare_resource(diff *d, const diff_pair *pair) {
    const covey_type *type_a = pair->a, *type_b = pair->b;
    const void *a = type_a ? covey_resource_get_raw(d->a, type_a) : NULL;
    const void *b = type_b ? covey_resource_get_raw(d->b, type_b) : NULL;
    uint64_t before = d->differences;
    if (!a && !b) return;
    snap_path_append(&d->where, type_a ? type_a->name : type_b->name);
    if (a && b) diff_values(d, pair, a, b);
    else diff_tell_only(d, a ? d->path_a : d->path_b);
    snap_path_cut(&d->where, 0);
    d->resources += d->differences != before;
}

static void compare_resources(diff *d) {
    d->word = "resource";
    for (uint32_t i = 0; i < d->pair_count; i++) compare_resource(d, &d->pairs[i]);
    d->word = NULL;
}

/* ---- The command -------------------------------------------------------------------------------------------------*/

static void put_summary(const diff *d) {
    if (d->lines < d->differences && !(d->settings->options & SNAP_BRIEF))
        printf("... and %llu more\n", (unsigned long long)(d->differences - d->lines));
    if (d->differences == 0) {
        printf("no difference; %llu entities in both\n", (unsigned long long)d->both);
        return;
    }
    printf("%llu difference%s; entities: %llu only in ", (unsigned long long)d->differences,
           d->differences == 1 ? "" : "s", (unsigned long long)d->only_a);
    snap_put_text(stdout, d->path_a, strlen(d->path_a));
    printf(", %llu only in ", (unsigned long long)d->only_b);
    snap_put_text(stdout, d->path_b, strlen(d->path_b));
    printf(", %llu of %llu in both differ; resources: %llu; types: %llu\n", (unsigned long long)d->changed,
           (unsigned long long)d->both, (unsigned long long)d->resources, (unsigned long long)d->types);
}

static int compare(diff *d) {
    if (!diff_pairs_make(d)) return snap_trouble("no memory for the list of types");
    compare_ticks(d, "tick", covey_tick(d->a), covey_tick(d->b));
    diff_types(d);
    compare_resources(d);
    compare_entities(d);
    if (d->where.failed) return snap_trouble("no memory for the names of fields");
    put_summary(d);
    return d->differences == 0 ? SNAP_FINE : SNAP_NO;
}

int snap_diff(const snap_settings *settings) {
    diff d = { .settings = settings, .path_a = settings->operands[0], .path_b = settings->operands[1] };
    int status = SNAP_TROUBLE;
    d.a = snap_world_read(d.path_a, settings);
    if (d.a) d.b = snap_world_read(d.path_b, settings);
    if (d.b) status = compare(&d);
    diff_pairs_free(&d);
    snap_path_free(&d.where);
    covey_world_destroy(d.a);
    covey_world_destroy(d.b);
    return status;
}
