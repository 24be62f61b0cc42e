/* What the files of covey-snap share. */
#ifndef SNAP_H
#define SNAP_H

#include <covey/fields.h>
#include <covey/image.h>
#include <stdio.h>

/* The exit status of a command. */
enum { SNAP_FINE = 0, SNAP_NO = 1, SNAP_TROUBLE = 2 };

/* Options. Each command takes a set of these. */
enum {
    SNAP_HELP = 1 << 0,
    SNAP_PROGRESS = 1 << 1,
    SNAP_LIMIT_BYTES = 1 << 2,
    SNAP_LIMIT_ENTITIES = 1 << 3,
    SNAP_JSON = 1 << 4,
    SNAP_FIELDS = 1 << 5,
    SNAP_BRIEF = 1 << 6,
    SNAP_TICKS = 1 << 7,
    SNAP_LIMIT = 1 << 8,
    SNAP_OUTPUT = 1 << 9,
    SNAP_PORT = 1 << 10,
    SNAP_OPEN = 1 << 11,
    SNAP_COUNT = 1 << 12,
    SNAP_ALWAYS = SNAP_HELP | SNAP_PROGRESS | SNAP_LIMIT_BYTES | SNAP_LIMIT_ENTITIES
};

/* options.c */
typedef struct snap_settings {
    unsigned options;                     /* the options that were given */
    uint64_t limit_bytes, limit_entities; /* 0: the default */
    uint64_t limit, port;
    const char *output;
    char **operands; /* ended by NULL */
    int operand_count;
} snap_settings;
/* Reads the arguments of a command that takes these options. Prints what is wrong and returns false when they are
 * invalid. */
bool snap_options_read(snap_settings *settings, char **arguments, unsigned options);

/* complain.c */
#if defined(__GNUC__)
#define SNAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SNAP_PRINTF(text, first)
#endif
int snap_trouble(const char *format, ...) SNAP_PRINTF(1, 2); /* prints an error; returns SNAP_TROUBLE */
/* Writes "reason (fault 4: description; byte 1234)". */
void snap_put_report(FILE *out, const covey_report *report);
/* Prints a report about a file, which is named once. Returns SNAP_TROUBLE. */
int snap_trouble_with(const char *path, const covey_report *report);

/* text.c: arbitrary bytes, as text for people and for programs. */
/* Writes control characters and invalid UTF-8 as \xNN. */
void snap_put_text(FILE *out, const char *text, size_t length);
void snap_put_quoted(FILE *out, const char *text, size_t length);
void snap_put_json(FILE *out, const char *text);
void snap_put_json_bytes(FILE *out, const char *text, size_t length);
void snap_put_csv(FILE *out, const char *text, size_t length);

/* value.c */
void snap_put_entity(FILE *out, covey_entity e);
void snap_put_value(FILE *out, covey_kind kind, const void *at); /* not for characters and structs */
void snap_put_hex(FILE *out, const void *bytes, size_t count);
void snap_put_kind(FILE *out, const covey_field *field); /* "i32[4]" */
const char *snap_storage_name(covey_storage storage);
const char *snap_encoding_name(covey_encoding encoding);

/* path.c: the path of a field in a type, like "parts[2].at.x". */
typedef struct snap_path {
    char *text;
    size_t length, capacity;
    bool failed; /* memory is out, and the path is incomplete */
} snap_path;
void snap_path_append(snap_path *path, const char *text);
void snap_path_field(snap_path *path, const char *name);
void snap_path_element(snap_path *path, uint32_t number);
void snap_path_cut(snap_path *path, size_t length);
void snap_path_free(snap_path *path);

/* table.c: components as CSV. */
typedef struct snap_table {
    FILE *out;
    bool is_shown;   /* on a terminal, which could execute control characters: these are escaped */
    snap_path field; /* the current column of the header */
} snap_table;
#define SNAP_TABLE_HEADER "index,generation,name"
/* Whether the column names of a type fit into a header: a few bytes of an image can describe a type with two billion
 * fields. Prints what is wrong. */
int snap_table_check(const covey_type *type);
void snap_table_put_names(snap_table *t, const covey_type *type, const char *prefix); /* each after a comma */
void snap_table_put_entity(const snap_table *t, const char *name, covey_entity e);
void snap_table_put_text(const snap_table *t, const char *text, size_t length);
void snap_table_put_values(const snap_table *t, const covey_type *type, const void *value);

/* progress.c */
typedef struct snap_progress {
    const char *doing, *path;
    enum { SNAP_SILENT, SNAP_LINES, SNAP_TERMINAL } mode;
    unsigned shown; /* percent */
} snap_progress;
/* `writes`: the command writes to standard output meanwhile. No progress then if both are the same terminal. */
snap_progress snap_progress_begin(const snap_settings *settings, const char *doing, const char *path, bool writes);
bool snap_progress_tell(uint64_t done, uint64_t all, void *progress); /* a covey_progress_fn */
void snap_progress_end(const snap_progress *progress);                /* call it before other output */

/* os.c: calls of the operating system. */
bool snap_is_terminal(FILE *stream);
bool snap_is_folder(const char *path);
bool snap_make_folder(const char *path); /* sets errno when it fails */
bool snap_file_size(const char *path, uint64_t *size);

/* load.c */
typedef struct snap_image {
    const char *path;
    covey_buffer bytes;
    uint64_t file_bytes; /* on disk; for a checkpoint, of all its files */
} snap_image;
bool snap_file_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report);
/* The same, but reads the manifest of a checkpoint as an image of all ranks. */
bool snap_image_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report);
/* The most memory that files of this many bytes may take. */
uint64_t snap_limit(const snap_settings *settings, uint64_t file_bytes);
/* A world with the contents of an image, and with types made from it. Returns NULL and sets the report when it
 * fails. */
covey_world *snap_image_load(const snap_image *image, const snap_settings *settings, covey_report *report);
/* Reads and loads a file. Prints what is wrong and returns NULL when it fails. */
covey_world *snap_world_read(const char *path, const snap_settings *settings);
bool snap_is_internal(const covey_type *type);

/* types.c */
typedef struct snap_types {
    const covey_world *world;
    const covey_type **resources; /* by name */
    uint32_t count;               /* of resources */
} snap_types;
bool snap_types_make(snap_types *types, const covey_world *world); /* false: memory is out */
/* The type of a component or a resource. Returns NULL when there is none. */
const covey_type *snap_types_find(const snap_types *types, const char *name);
void snap_types_free(snap_types *types);

/* checkpoint.c */
bool snap_is_checkpoint(const covey_buffer *bytes); /* whether they begin like a manifest */
/* Reads the images of a checkpoint. `image` has the manifest, and gets an image of all ranks. */
bool snap_checkpoint_read(snap_image *image, const snap_settings *settings, covey_report *report);

/* The commands. */
int snap_info(const snap_settings *settings);
int snap_verify(const snap_settings *settings);
int snap_diff(const snap_settings *settings);
int snap_export(const snap_settings *settings);
int snap_query(const snap_settings *settings);
int snap_serve(const snap_settings *settings);

#endif
