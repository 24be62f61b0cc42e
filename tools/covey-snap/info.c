/* covey-snap info: the contents of an image, as a table or as JSON. */
#include "snap.h"

#include <stdlib.h>

typedef struct info {
    const snap_settings *settings;
    snap_image image;
    covey_image_info about;
    covey_section *sections;
    covey_world *world; /* NULL without --fields */
    snap_types types;   /* the types of that world */
} info;

static const char *kind_name(covey_section_kind kind) {
    switch (kind) {
    case COVEY_SECTION_WORLD: return "world";
    case COVEY_SECTION_ENTITIES: return "entities";
    case COVEY_SECTION_POOL: return "pool";
    case COVEY_SECTION_RESOURCE: return "resource";
    case COVEY_SECTION_PARENTS: return "parents";
    case COVEY_SECTION_NAMES: return "names";
    case COVEY_SECTION_KINDS: return "kinds";
    }
    return "?";
}

static bool has_type(const covey_section *section) {
    return section->kind == COVEY_SECTION_POOL || section->kind == COVEY_SECTION_RESOURCE;
}

/* The fields of the type of a section. NULL without --fields, or if it has none. */
static const covey_fields *fields_of(const info *i, const covey_section *section) {
    const covey_type *type = i->world && has_type(section) ? snap_types_find(&i->types, section->name) : NULL;
    return type ? type->fields : NULL;
}

/* ---- As a table --------------------------------------------------------------------------------------------------*/

static void put_fields(const covey_fields *fields, int depth) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        printf("%*s", 4 + 2 * depth, "");
        snap_put_text(stdout, field->name, strlen(field->name));
        fputs(": ", stdout);
        snap_put_kind(stdout, field);
        fputc('\n', stdout);
        if (field->nested) put_fields(field->nested, depth + 1);
    }
}

static void put_section(const info *i, const covey_section *section) {
    printf("%-8s %10llu %12llu", kind_name(section->kind), (unsigned long long)section->count,
           (unsigned long long)section->bytes);
    if (has_type(section)) {
        printf(" %8llu %-8s %-12s ", (unsigned long long)section->value_bytes, snap_storage_name(section->storage),
               snap_encoding_name(section->encoding));
        snap_put_text(stdout, section->name, strlen(section->name));
    }
    fputc('\n', stdout);
    const covey_fields *fields = fields_of(i, section);
    if (fields) put_fields(fields, 0);
}

static void put_table(const info *i) {
    fputs("file      ", stdout);
    snap_put_text(stdout, i->image.path, strlen(i->image.path));
    printf("\nformat    %u\n", i->about.version);
    printf("bytes     %llu on disk, %llu as an image\n", (unsigned long long)i->image.file_bytes,
           (unsigned long long)i->about.bytes);
    printf("entities  %llu alive\n", (unsigned long long)i->about.entities);
    printf("tick      %llu\n", (unsigned long long)i->about.tick);
    if (i->about.since != 0) printf("changes   after tick %llu\n", (unsigned long long)i->about.since);
    printf("\n%-8s %10s %12s %8s %-8s %-12s %s\n", "section", "count", "bytes", "each", "storage", "encoding", "type");
    for (uint32_t n = 0; n < i->about.sections; n++) put_section(i, &i->sections[n]);
}

/* ---- As JSON -----------------------------------------------------------------------------------------------------*/

static void put_json_fields(const covey_fields *fields) {
    fputc('[', stdout);
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        fputs(i == 0 ? "{\"name\": " : ", {\"name\": ", stdout);
        snap_put_json(stdout, field->name);
        printf(", \"kind\": \"%s\", \"count\": %u", field->nested ? "struct" : covey_kind_name(field->kind),
               field->count);
        if (field->nested) {
            fputs(", \"fields\": ", stdout);
            put_json_fields(field->nested);
        }
        fputc('}', stdout);
    }
    fputc(']', stdout);
}

static void put_json_section(const info *i, const covey_section *section) {
    printf("    {\"kind\": \"%s\", \"offset\": %llu, \"bytes\": %llu, \"count\": %llu", kind_name(section->kind),
           (unsigned long long)section->offset, (unsigned long long)section->bytes, (unsigned long long)section->count);
    if (has_type(section)) {
        fputs(", \"type\": ", stdout);
        snap_put_json(stdout, section->name);
        printf(", \"value_bytes\": %llu, \"storage\": \"%s\", \"encoding\": \"%s\"",
               (unsigned long long)section->value_bytes, snap_storage_name(section->storage),
               snap_encoding_name(section->encoding));
    }
    const covey_fields *fields = fields_of(i, section);
    if (fields) {
        fputs(", \"fields\": ", stdout);
        put_json_fields(fields);
    }
    fputc('}', stdout);
}

static void put_json(const info *i) {
    fputs("{\n  \"file\": ", stdout);
    snap_put_json(stdout, i->image.path);
    printf(",\n  \"format\": %u,\n", i->about.version);
    printf("  \"file_bytes\": %llu,\n", (unsigned long long)i->image.file_bytes);
    printf("  \"image_bytes\": %llu,\n", (unsigned long long)i->about.bytes);
    printf("  \"entities\": %llu,\n", (unsigned long long)i->about.entities);
    if (i->about.since != 0) printf("  \"since\": %llu,\n", (unsigned long long)i->about.since);
    printf("  \"tick\": %llu,\n  \"sections\": [\n", (unsigned long long)i->about.tick);
    for (uint32_t n = 0; n < i->about.sections; n++) {
        put_json_section(i, &i->sections[n]);
        fputs(n + 1 < i->about.sections ? ",\n" : "\n", stdout);
    }
    fputs("  ]\n}\n", stdout);
}

/* ---- The command -------------------------------------------------------------------------------------------------*/

static bool fail_memory(covey_report *report) {
    *report = (covey_report){ .result = COVEY_ERROR_MEMORY, .text = "an allocation failed" };
    return false;
}

/* Reads all sections before any is printed, so that the output is complete or empty. */
static bool read_sections(info *i, covey_report *report) {
    const covey_buffer *bytes = &i->image.bytes;
    if (!covey_image_read_info(bytes->bytes, bytes->size, &i->about, report)) return false;
    i->sections = calloc(i->about.sections, sizeof *i->sections);
    if (!i->sections) return fail_memory(report);
    if (covey_image_sections(bytes->bytes, bytes->size, i->sections, i->about.sections, report) == 0) return false;
    if (!(i->settings->options & SNAP_FIELDS)) return true;
    i->world = snap_image_load(&i->image, i->settings, report);
    if (!i->world) return false;
    return snap_types_make(&i->types, i->world) || fail_memory(report);
}

int snap_info(const snap_settings *settings) {
    info i = { .settings = settings };
    covey_report report;
    int status = SNAP_FINE;
    const char *path = settings->operands[0];
    if (!snap_image_read(&i.image, path, settings, &report) || !read_sections(&i, &report))
        status = snap_trouble_with(path, &report);
    else if (settings->options & SNAP_JSON) put_json(&i);
    else put_table(&i);
    free(i.sections);
    snap_types_free(&i.types);
    covey_world_destroy(i.world);
    covey_buffer_free(&i.image.bytes);
    return status;
}
