/* covey-snap: what its files share. */
#ifndef SNAP_H
#define SNAP_H

#include <covey/fields.h>
#include <covey/image.h>
#include <stdio.h>

/* What a command exits with. */
enum { SNAP_FINE = 0, SNAP_NO = 1, SNAP_TROUBLE = 2 };

/* Options. A command's are a set of these. */
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
    SNAP_ALWAYS = SNAP_HELP | SNAP_PROGRESS | SNAP_LIMIT_BYTES | SNAP_LIMIT_ENTITIES
};

/* options.c */
typedef struct snap_settings {
    unsigned options;                     /* that were given */
    uint64_t limit_bytes, limit_entities; /* 0: the default */
    uint64_t limit, port;
    const char *output;
    char **operands; /* ended by NULL */
    int operand_count;
} snap_settings;
/* Reads the arguments behind a command's name, of which only these options are taken. False: told what is wrong. */
bool snap_options_read(snap_settings *settings, char **arguments, unsigned options);

/* complain.c */
#if defined(__GNUC__)
#define SNAP_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SNAP_PRINTF(text, first)
#endif
int snap_trouble(const char *format, ...) SNAP_PRINTF(1, 2); /* tells what is wrong; returns SNAP_TROUBLE */
/* Writes "reason (fault 4: what that is; byte 1234)". */
void snap_put_report(FILE *out, const covey_report *report);
int snap_trouble_with(const char *path, const covey_report *report); /* names the file, once */

/* text.c: bytes that may be anything, for people and for programs. */
void snap_put_text(FILE *out, const char *text, size_t length); /* control characters, and what is no UTF-8, as \xNN */
void snap_put_quoted(FILE *out, const char *text, size_t length);
void snap_put_json(FILE *out, const char *text);
void snap_put_csv(FILE *out, const char *text, size_t length);

/* value.c */
void snap_put_entity(FILE *out, covey_entity e);
void snap_put_value(FILE *out, covey_kind kind, const void *at); /* anything but a character or a struct */
void snap_put_hex(FILE *out, const void *bytes, size_t count);
void snap_put_kind(FILE *out, const covey_field *field); /* "i32[4]" */
const char *snap_storage_name(covey_storage storage);
const char *snap_encoding_name(covey_encoding encoding);

/* path.c: the path of a field in a type, such as "parts[2].at.x". */
typedef struct snap_path {
    char *text;
    size_t length, capacity;
    bool failed; /* no memory: what it says is not all */
} snap_path;
void snap_path_append(snap_path *path, const char *text);
void snap_path_field(snap_path *path, const char *name);
void snap_path_element(snap_path *path, uint32_t number);
void snap_path_cut(snap_path *path, size_t length);
void snap_path_free(snap_path *path);

/* progress.c */
typedef struct snap_progress {
    const char *doing, *path;
    enum { SNAP_SILENT, SNAP_LINES, SNAP_TERMINAL } mode;
    unsigned told; /* percent */
} snap_progress;
/* `writes`: the standard output is written to meanwhile, which on the same terminal would make a mess. */
snap_progress snap_progress_begin(const snap_settings *settings, const char *doing, const char *path, bool writes);
bool snap_progress_tell(uint64_t done, uint64_t all, void *progress); /* a covey_progress_fn */
void snap_progress_end(const snap_progress *progress);                /* before anything else is written */

/* os.c: what C does not have. */
bool snap_is_terminal(FILE *stream);
bool snap_is_folder(const char *path);
bool snap_make_folder(const char *path); /* errno, if not */
bool snap_file_size(const char *path, uint64_t *size);

/* load.c */
typedef struct snap_image {
    const char *path;
    covey_buffer bytes;
    uint64_t file_bytes; /* on disk; of a checkpoint, of all its files */
} snap_image;
bool snap_file_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report);
/* The same; a manifest is read as an image of all ranks. */
bool snap_image_read(snap_image *image, const char *path, const snap_settings *settings, covey_report *report);
/* Bytes of memory that files of so many bytes may take. */
uint64_t snap_limit(const snap_settings *settings, uint64_t file_bytes);
/* A world with all that is in an image; types are made from it. NULL: the report says why. */
covey_world *snap_image_load(const snap_image *image, const snap_settings *settings, covey_report *report);
/* Both, for commands that need the world and nothing else. NULL: told what is wrong. */
covey_world *snap_world_read(const char *path, const snap_settings *settings);
bool snap_is_internal(const covey_type *type);

/* types.c */
typedef struct snap_types {
    const covey_world *world;
    const covey_type **resources; /* by name */
    uint32_t count;               /* of these */
} snap_types;
bool snap_types_make(snap_types *types, const covey_world *world);            /* false: no memory */
const covey_type *snap_types_find(const snap_types *types, const char *name); /* of components or a resource, or NULL */
void snap_types_free(snap_types *types);

/* checkpoint.c */
bool snap_is_checkpoint(const covey_buffer *bytes); /* they begin as a manifest does */
/* Reads the images that a manifest names: `image` has the manifest, and then an image of all ranks. */
bool snap_checkpoint_read(snap_image *image, const snap_settings *settings, covey_report *report);

/* The commands. */
int snap_info(const snap_settings *settings);
int snap_verify(const snap_settings *settings);
int snap_diff(const snap_settings *settings);
int snap_export(const snap_settings *settings);
int snap_serve(const snap_settings *settings);

#endif
