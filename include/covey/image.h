/* Covey, optional: images. An image is a world as bytes, in a file or a buffer. Images are canonical: equal worlds give
 * equal bytes on every machine. Loading accepts bytes from any source and checks them.
 *
 *     covey_save_to_file(world, "game.covey", NULL, NULL);
 *
 *     const covey_type *types[] = { covey_id(Position), covey_id(Health), NULL };
 *     covey_report report;
 *     if (covey_load_from_file(fresh, "game.covey", &(covey_load_desc){ .types = types }, &report) != COVEY_OK)
 *         fprintf(stderr, "%s (byte %llu)\n", report.text, (unsigned long long)report.offset);
 *
 * An image contains the entities, the generations of all indices, and what decides which indices new entities get;
 * components in the order of their pools, what is disabled, ticks, resources, names and parents. It does not contain
 * groups, listeners, the contents of queues and command buffers, or reactive sets; ids that a command buffer has
 * reserved are free in it.
 *
 * A type is stored field by field (covey/fields.h), by functions of the type (covey_codec), or as the bytes that it has
 * in memory (`.as_bytes`); a tag needs none of these. A `transient` type is left out. Any other type that has
 * components or a resource makes saving fail.
 *
 * Loading checks everything before it changes the world: an image that is damaged, hostile or does not fit is refused,
 * with a fault, a sentence and the offset of the byte, and the world is unchanged. docs/format.md describes the format
 * byte by byte, and the rules for types that have changed. */
#ifndef COVEY_API_IMAGE_H
#define COVEY_API_IMAGE_H

#include <covey/fields.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COVEY_IMAGE_VERSION 2 /* of the format that is written; this and all earlier ones are read */

/* What is wrong with an image. The numbers never change. */
typedef enum covey_fault {
    COVEY_FAULT_NONE = 0,
    COVEY_FAULT_NOT_AN_IMAGE = 1, /* it does not begin like an image */
    COVEY_FAULT_VERSION = 2,      /* a format that this library does not know */
    COVEY_FAULT_SIZE = 3,         /* shorter or longer than its header says */
    COVEY_FAULT_CHECKSUM = 4,     /* bytes have changed since it was written */
    COVEY_FAULT_STRUCTURE = 5,    /* sections or numbers contradict each other */
    COVEY_FAULT_ENTITY = 6,       /* an index or generation that is not possible */
    COVEY_FAULT_TYPE = 7,         /* the program does not know the type, or stores it differently */
    COVEY_FAULT_FIELD = 8,        /* a field has changed in a way that cannot be converted */
    /* A value that is not possible: a bool that is neither true nor false, a handle that does not fit, or one that the
     * load function of its type refuses. */
    COVEY_FAULT_VALUE = 9,
    COVEY_FAULT_PARENT = 10, /* a cycle of parents, or a parent that does not exist */
    COVEY_FAULT_NAME = 11,   /* a name that is not allowed, or that a sibling has */
    COVEY_FAULT_LIMIT = 12   /* it exceeds the limits */
} covey_fault;

/* A short English text for a fault. */
COVEY_API const char *covey_fault_text(covey_fault fault);

/* Why a call failed. */
typedef struct covey_report {
    covey_result result;
    covey_fault fault; /* what is wrong with the image; NONE if it is not the reason */
    uint64_t offset;   /* of the byte in the image where the fault was found */
    char text[200];    /* the reason, as a sentence that names types and fields */
} covey_report;

/* Called with the progress of a call, in bytes of the image; `all` may grow. Return false to cancel the call
 * (CANCELLED). Must not change the world. */
typedef bool covey_progress_fn(uint64_t done, uint64_t all, void *context);

/* ---- Values that own memory ----------------------------------------------------------------------------------------
 *
 * Fields describe the bytes of a value itself. What a value owns elsewhere, such as a text, an array or a handle of
 * another library, is saved and loaded by two functions of its type.
 *
 *     static covey_result text_save(covey_codec_writer *writer, const void *value, void *context) {
 *         const Text *text = value;
 *         covey_codec_write_count(writer, text->length);
 *         covey_codec_write(writer, COVEY_KIND_CHAR, text->bytes, text->length);
 *         return COVEY_OK;
 *     }
 *     static covey_result text_load(covey_codec_reader *reader, void *value, void *context) {
 *         Text *text = value;
 *         text->length = covey_codec_read_count(reader, COVEY_KIND_CHAR);
 *         text->bytes = malloc(text->length + 1);
 *         if (!text->bytes) return COVEY_ERROR_MEMORY;
 *         covey_codec_read(reader, COVEY_KIND_CHAR, text->bytes, text->length);
 *         return COVEY_OK;
 *     }
 *     static const covey_codec text_codec = { .save = text_save, .load = text_load };
 *     COVEY_COMPONENT_DEFINE(Text, .codec = &text_codec, .drop = text_drop);
 *
 * A type may have fields as well. The library then saves the fields, and has loaded them before it calls `load`; the
 * other members are zero, or have the values of the type's defaults. For a type without fields, an image has only what
 * its functions write. */

typedef struct covey_codec_writer covey_codec_writer;
typedef struct covey_codec_reader covey_codec_reader;

/* Writes what a value owns. Equal values should give equal bytes. A result other than COVEY_OK ends the save with
 * it. */
typedef covey_result covey_save_fn(covey_codec_writer *writer, const void *value, void *context);
/* Makes a complete value from what was written. The bytes may come from any source: expect anything. A result other
 * than COVEY_OK ends the load: MEMORY and LIMIT are passed on, all others become IMAGE. The value must then own
 * nothing. If another part of the image is refused later, or this function has read more or less than was written, the
 * values made so far are dropped. */
typedef covey_result covey_load_fn(covey_codec_reader *reader, void *value, void *context);

/* Both functions get the context of the type, and must not change the world. Saving may call `save` twice for a value:
 * to count, and to write. */
struct covey_codec {
    covey_save_fn *save;
    covey_load_fn *load;
    uint32_t limit; /* maximum bytes of a value in an image, without its fields (LIMIT). 0: 4 GB */
};

/* Writes values of a kind from an array, encoded as fields of this kind are: the same bytes on every machine. Handles
 * (COVEY_KIND_ENTITY) are stored apart from everything else in an image, so that merging can map them. Not for structs
 * and padding: saving then fails (TYPE). When memory runs out or the limit is exceeded, the save fails at its end. */
COVEY_API void covey_codec_write(covey_codec_writer *writer, covey_kind kind, const void *values, size_t count);
/* Writes how many values follow. */
COVEY_API void covey_codec_write_count(covey_codec_writer *writer, uint32_t count);

/* Reads values of a kind, in the order in which they were written. Returns false when there are too few bytes, or they
 * are not values of this kind: this read and all later ones then give zeros, and the image is refused at the end.
 * Functions need not check the result. */
COVEY_API bool covey_codec_read(covey_codec_reader *reader, covey_kind kind, void *values, size_t count);
/* Reads how many values of a kind follow. Returns 0, as a failed read, if there are fewer bytes than that many values
 * need. So memory for that many values is never much larger than the image. */
COVEY_API uint32_t covey_codec_read_count(covey_codec_reader *reader, covey_kind kind);
/* The maximum number of values of a kind up to the end. */
COVEY_API size_t covey_codec_left(const covey_codec_reader *reader, covey_kind kind);

/* A value of a type that this program does not know (COVEY_UNKNOWN_KEEP): what the codec of another program has written
 * for it. */
typedef struct covey_unknown_value {
    const unsigned char *bytes;
    const covey_entity *entities;
    uint32_t size, entity_count;
} covey_unknown_value;

/* Returns what was written for a value. NULL if the program knows the type, or if the type had no codec. */
COVEY_API const covey_unknown_value *covey_unknown_value_of(const covey_type *type, const void *value);

/* ---- Saving --------------------------------------------------------------------------------------------------------
 *
 * NULL for `desc` means all defaults; `report` may be NULL. Saving changes only covey_world_result. It fails if a
 * component or resource cannot be saved, or if two different types share a name (TYPE), and while listeners are called
 * (REFUSED). */

/* Returns whether an entity is saved. Called once for each that has no component of the types in `without`, by index,
 * before anything is written. Must not change the world. */
typedef bool covey_choose_fn(const covey_world *world, covey_entity e, void *context);

typedef struct covey_save_desc {
    const covey_type *const *types; /* only components and resources of these types, ended by NULL; NULL: all */
    /* Only entities for which it returns true. In the image, the others are destroyed, and handles that name them are
     * stale. NULL: all. */
    covey_choose_fn *choose;
    void *choose_context;
    /* Only entities without any component of these types, ended by NULL; the others are destroyed as above. Costs less
     * than `choose`. */
    const covey_type *const *without;
    /* For types with ticks, only components that were changed after this tick; 0: all. Entities, and components of
     * other types, are saved completely. For covey_follow_from_memory. */
    uint64_t changed_since;
    covey_progress_fn *progress;
    void *progress_context;
    int zstd_level; /* files only: 1 to 19 compresses; 0 does not */
} covey_save_desc;

/* Memory that grows. Initialise it with { 0 }. */
typedef struct covey_buffer {
    covey_allocator allocator;
    unsigned char *bytes;
    size_t size, capacity;
} covey_buffer;
COVEY_API void covey_buffer_free(covey_buffer *buffer); /* NULL is allowed */

/* Writes an image to memory. Returns its full size, also if it did not fit, as snprintf does; 0 when it fails. With a
 * capacity of 0 it only counts. */
COVEY_API size_t covey_save_to_memory(covey_world *world, void *bytes, size_t capacity, const covey_save_desc *desc,
                                      covey_report *report);

/* Appends an image to a buffer. Also fails with MEMORY. After any failure the buffer is unchanged. */
COVEY_NODISCARD COVEY_API covey_result covey_save_to_buffer(covey_world *world, covey_buffer *buffer,
                                                            const covey_save_desc *desc, covey_report *report);

/* Passes an image to a function, part by part. Return false to stop the call (FILE). */
typedef bool covey_sink_fn(const void *bytes, size_t size, void *context);
COVEY_NODISCARD COVEY_API covey_result covey_save_to_stream(covey_world *world, covey_sink_fn *sink, void *context,
                                                            const covey_save_desc *desc, covey_report *report);

/* Writes an image to a file, atomically: to a temporary file beside it, which is then renamed. If it fails (FILE), an
 * existing file is unchanged. Removes the temporary files of processes that were killed while they saved to this
 * path. */
COVEY_NODISCARD COVEY_API covey_result covey_save_to_file(covey_world *world, const char *path,
                                                          const covey_save_desc *desc, covey_report *report);

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

/* What happens to components and resources of types that neither the world nor `types` knows. */
typedef enum covey_unknown {
    COVEY_UNKNOWN_REFUSE = 0, /* the image is refused */
    COVEY_UNKNOWN_SKIP = 1,   /* they are left out */
    COVEY_UNKNOWN_KEEP = 2    /* the world gets a type of this name, made from the image; saving writes it again */
} covey_unknown;

/* Called for each entity that is merged, or loaded with another handle than before. Must not change the world. */
typedef void covey_merged_fn(covey_entity before, covey_entity now, void *context);

/* The default of limit_bytes: COVEY_LIMIT_AT_LEAST, and COVEY_LIMIT_FOR_EACH more for each byte of the image or
 * file. */
#define COVEY_LIMIT_AT_LEAST (UINT64_C(64) << 20)
#define COVEY_LIMIT_FOR_EACH 64

typedef struct covey_load_desc {
    /* Types that the program knows, ended by NULL; types that the world has met are known. */
    const covey_type *const *types;
    /* Following: existing components and resources of these types stay, ended by NULL. */
    const covey_type *const *keep;
    const covey_type *const *only; /* load only components and resources of these types, ended by NULL; NULL: all */
    covey_unknown unknown;
    /* Limits of an image; one that exceeds them is refused (LIMIT). 0: the default; UINT64_MAX: no limit. For images
     * from untrusted sources, set as many as you can. */
    uint64_t limit_entities; /* alive or not. Default: no limit */
    /* Bytes that the call may add to the memory in use, at any time: counted for each allocation before it is made. For
     * files, the bytes of the image count, too. What codecs load counts as twice its bytes in the image. Default: 64
     * MB, and 64 for each byte of the image, or of the file if it is compressed. Raise it for images of your own that
     * need more: entities far apart, or files that zstd has made very small. */
    uint64_t limit_bytes;
    /* Types of components and of resources, together. Default: 16,384, the most that an image can have. */
    uint64_t limit_types;
    uint64_t limit_ranges; /* reserved ranges. Default: 16,384 */
    uint64_t limit_names;  /* Default: 16,777,216 */
    uint64_t limit_depth;  /* ancestors of an entity. Default: 1,048,576 */
    covey_progress_fn *progress;
    void *progress_context;
    covey_merged_fn *merged;
    void *merged_context;
} covey_load_desc;

/* Loads an image into a world without entities and resources. REFUSED otherwise, while a command buffer has reserved
 * ids, and when the world has a reserved range that the image does not have.
 *
 * In a world that never had an entity, handles are the same as when the image was saved, stale ones included. In a
 * world that had, for example after covey_destroy_all, older handles never name an entity of the image: an entity whose
 * handle was issued here before gets the next generation of its index, handles in fields are adapted, and `merged` is
 * called for it.
 *
 * Listeners, groups and orders stay. Listeners are called for all entities and components at the end. Fails with IMAGE,
 * LIMIT, MEMORY, CANCELLED. O(n log n) steps for n bytes of memory, whatever the image contains; most of it is
 * memcpy. */
COVEY_NODISCARD COVEY_API covey_result covey_load_from_memory(covey_world *world, const void *bytes, size_t size,
                                                              const covey_load_desc *desc, covey_report *report);
COVEY_NODISCARD COVEY_API covey_result covey_load_from_file(covey_world *world, const char *path,
                                                            const covey_load_desc *desc, covey_report *report);

/* Adds the contents of an image to a world. Entities that are alive in it get new handles, those of a kind in the image
 * beside each other here. Handles in fields become the new ones, or null if the entity is not alive in the image.
 * Changes have the current tick. Resources that the world has stay as they are, and a name that a sibling has is left
 * out. Fails as loading does, and with FULL. */
COVEY_NODISCARD COVEY_API covey_result covey_merge_from_memory(covey_world *world, const void *bytes, size_t size,
                                                               const covey_load_desc *desc, covey_report *report);
COVEY_NODISCARD COVEY_API covey_result covey_merge_from_file(covey_world *world, const char *path,
                                                             const covey_load_desc *desc, covey_report *report);

/* ---- Following -----------------------------------------------------------------------------------------------------
 *
 * A follower remembers, from one image of a source to the next, which entity here belongs to which entity of the
 * source. Each image updates what the one before has made: a server saves and sends, and clients follow.
 *
 *     covey_follower *follower = covey_follower_create(world);
 *     while (receive(&image))
 *         covey_follow_from_memory(follower, image.bytes, image.size, &desc, &report);
 *
 * New entities of the source are created, and missing ones are destroyed. For each type that the image contains,
 * components are added; set if their fields differ (with a codec: always); and removed if the source has none.
 * Components of other types belong to this world and stay, as do its other entities. For types in `keep`, components
 * are only added, and existing ones never change. An image that was saved with changed_since removes no components of
 * types with ticks.
 *
 * Handles in fields become those of this world, or null. Resources are set, and never removed. Parents, the order of
 * children and names are those of the source. A root of the source keeps a parent that this world has given it, unless
 * that is, or is below, an entity that follows a source; a name that a sibling of this world's own has is left out. An
 * entity of the source that was destroyed here is created again. Changes have the current tick.
 *
 * When its world is rolled back (covey/history.h), a follower goes back with it: it knows the entities that it had made
 * by then, and the next image updates these. It never changes an entity that it has not made, also if that has a handle
 * that was issued before the rollback. Clones of a world have no followers: there, all entities are the clone's own. */

typedef struct covey_follower covey_follower;

/* NULL: MEMORY. Destroy it before its world; this changes no entity. */
COVEY_NODISCARD COVEY_API covey_follower *covey_follower_create(covey_world *world);
COVEY_API void covey_follower_destroy(covey_follower *follower);
/* Fails as merging does, and while listeners are called (REFUSED); the world is then unchanged. Listeners are called
 * for entities, adds and sets when all of them are in place, and for removals after that. `merged` is called for new
 * entities. O(n log n) for n bytes of the image, and for each of its types the number of its components here, or of the
 * entities of the source, whichever is smaller. */
COVEY_NODISCARD COVEY_API covey_result covey_follow_from_memory(covey_follower *follower, const void *bytes,
                                                                size_t size, const covey_load_desc *desc,
                                                                covey_report *report);
/* The entity here that belongs to an entity of the source; null if there is none, or it was destroyed. */
COVEY_API covey_entity covey_follower_find(const covey_follower *follower, covey_entity source);

/* Reads a whole file into an empty buffer, and decompresses it; at most `limit` bytes (LIMIT). 0: no limit; for a
 * compressed file, 64 MB, and 64 for each of its bytes. */
COVEY_NODISCARD COVEY_API covey_result covey_file_read(const char *path, uint64_t limit, covey_buffer *buffer,
                                                       covey_report *report);

/* ---- Contents of images ------------------------------------------------------------------------------------------*/

typedef enum covey_section_kind {
    COVEY_SECTION_WORLD = 1,
    COVEY_SECTION_ENTITIES = 2,
    COVEY_SECTION_POOL = 3,
    COVEY_SECTION_RESOURCE = 4,
    COVEY_SECTION_PARENTS = 5,
    COVEY_SECTION_NAMES = 6,
    COVEY_SECTION_KINDS = 7 /* which indices belong to entities that are created with the same types */
} covey_section_kind;

/* How values of a type are written. */
typedef enum covey_encoding {
    COVEY_ENCODING_NONE = 0,         /* a tag */
    COVEY_ENCODING_FIELDS = 1,       /* field by field */
    COVEY_ENCODING_BYTES_LITTLE = 2, /* the bytes of a little-endian machine */
    COVEY_ENCODING_BYTES_BIG = 3,    /* or of a big-endian one */
    COVEY_ENCODING_CODEC = 4         /* fields, if any, and what functions of the type write */
} covey_encoding;

typedef struct covey_section {
    covey_section_kind kind;
    uint64_t offset, bytes; /* in the image */
    char name[128];         /* of the type of a pool or resource, truncated */
    uint64_t count;         /* of slots, components, parents, names or kinds */
    covey_encoding encoding;
    covey_storage storage;
    uint64_t value_bytes; /* of one value, as it is written, without what functions write */
} covey_section;

typedef struct covey_image_info {
    uint32_t version;
    uint32_t sections;
    uint64_t bytes;
    uint64_t tick;
    uint64_t entities; /* alive */
    uint64_t since;    /* it has only changes after this tick (changed_since); 0: everything */
} covey_image_info;

/* Describes an image; or one of its sections, by number. Checks the frame, the checksum of the table and the requested
 * numbers, but not whole sections, as loading does. False: not an image, or damaged. O(sections). */
COVEY_API bool covey_image_read_info(const void *bytes, size_t size, covey_image_info *info, covey_report *report);
COVEY_API bool covey_image_section(const void *bytes, size_t size, uint32_t number, covey_section *section,
                                   covey_report *report);
/* All sections, in one pass. Writes at most `capacity` and returns how many there are; 0: not an image, or damaged. */
COVEY_API uint32_t covey_image_sections(const void *bytes, size_t size, covey_section *sections, uint32_t capacity,
                                        covey_report *report);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_IMAGE_H */
