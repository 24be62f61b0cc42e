/* Snapshots: a world as bytes, which are the same for equal worlds on every machine, and a world from such bytes,
 * whoever wrote them.
 *
 *     covey_save_to_file(world, "game.covey", NULL, NULL);
 *
 *     const covey_type *types[] = { covey_id(Position), covey_id(Health), NULL };
 *     covey_report report;
 *     if (covey_load_from_file(fresh, "game.covey", &(covey_load_desc){ .types = types }, &report) != COVEY_OK)
 *         fprintf(stderr, "%s (byte %llu)\n", report.text, (unsigned long long)report.offset);
 *
 * An image holds the entities with their generations and the order in which free indices come back, components in the
 * order of their pools, what is disabled, ticks, resources, names and parents. It does not hold groups, who listens, what
 * waits in queues and command buffers, or reactive sets; ids that a command buffer has set aside are free in it.
 *
 * A type is in it field by field (covey/fields.h), as its functions write it (covey_codec), or byte by byte if it says
 * `raw`; a tag needs none of these. A type that says `transient` is left out. Any other with components, and any other
 * resource, makes saving fail.
 *
 * Loading checks everything before the world changes: an image that is damaged, hostile or does not fit is refused, with
 * a number, a sentence and the offset of the byte, and the world is as it was. docs/format.md has the format byte by
 * byte, and the rules for types that have changed. */
#ifndef COVEY_SNAPSHOT_H
#define COVEY_SNAPSHOT_H

#include <covey/fields.h>

#ifdef __cplusplus
extern "C" {
#endif

#define COVEY_IMAGE_VERSION 1 /* of the format that is written; this and all before are read */

/* What is wrong with an image. The numbers never change. */
typedef enum covey_fault {
    COVEY_FAULT_NONE = 0,
    COVEY_FAULT_NOT_AN_IMAGE = 1, /* it does not begin as images do */
    COVEY_FAULT_VERSION = 2,      /* a format that this library does not know */
    COVEY_FAULT_SIZE = 3,         /* shorter or longer than it says */
    COVEY_FAULT_CHECKSUM = 4,     /* bytes have changed since it was written */
    COVEY_FAULT_STRUCTURE = 5,    /* sections or numbers contradict each other */
    COVEY_FAULT_ENTITY = 6,       /* an index or generation that cannot be */
    COVEY_FAULT_TYPE = 7,         /* a type that the program does not know, or keeps otherwise */
    COVEY_FAULT_FIELD = 8,        /* a field has changed, and not in a way that can be converted */
    COVEY_FAULT_VALUE = 9,        /* a value that cannot be: a bool that is neither, a handle that does not fit, or one
                                   * that the load function of its type refuses */
    COVEY_FAULT_PARENT = 10,      /* parents that go round in a circle, or are not there */
    COVEY_FAULT_NAME = 11,        /* a name that cannot be, or that a sibling has */
    COVEY_FAULT_LIMIT = 12        /* it asks for more than the limits allow */
} covey_fault;

/* A short English text for a fault. */
COVEY_API const char *covey_fault_text(covey_fault fault);

/* Why a call failed. */
typedef struct covey_report {
    covey_result result;
    covey_fault fault; /* of the image; NONE when the reason is another one */
    uint64_t offset;   /* of the byte of the image at which it was found */
    char text[200];    /* a sentence with names in it */
} covey_report;

/* Hears how far a call has come, in bytes of the image; `all` may grow. Returning false cancels the call (CANCELLED).
 * Must not change the world. */
typedef bool covey_progress_fn(uint64_t done, uint64_t all, void *context);

/* ---- Values that own memory ----------------------------------------------------------------------------------------
 *
 * Fields describe what lies in a value. What a value owns elsewhere, such as a text, an array or a handle of another
 * system, is saved and loaded by two functions of its type.
 *
 *     static covey_result text_save(covey_writer *writer, const void *value, void *context) {
 *         const Text *text = value;
 *         covey_write_count(writer, text->length);
 *         covey_write(writer, COVEY_KIND_CHAR, text->bytes, text->length);
 *         return COVEY_OK;
 *     }
 *     static covey_result text_load(covey_reader *reader, void *value, void *context) {
 *         Text *text = value;
 *         text->length = covey_read_count(reader, COVEY_KIND_CHAR);
 *         text->bytes = malloc(text->length + 1);
 *         if (!text->bytes) return COVEY_ERROR_MEMORY;
 *         covey_read(reader, COVEY_KIND_CHAR, text->bytes, text->length);
 *         return COVEY_OK;
 *     }
 *     static const covey_codec text_codec = { .save = text_save, .load = text_load };
 *     COVEY_COMPONENT_DEFINE(Text, .codec = &text_codec, .drop = text_drop);
 *
 * A type may have fields, too. The library then saves the fields, and has loaded them when `load` is called; the other
 * members are zero, or those of the type's defaults. A type without fields has only what its functions write. */

typedef struct covey_writer covey_writer;
typedef struct covey_reader covey_reader;

/* Writes what a value owns. Equal values should give equal bytes. Saving ends with the result if it is not OK. */
typedef covey_result covey_save_fn(covey_writer *writer, const void *value, void *context);
/* Makes a complete value of what was written; any bytes may come. Loading ends with the result if it is not OK: MEMORY or
 * LIMIT as they are, all others as IMAGE. The value then owns nothing. If another part of the image is refused later, or
 * this function has read more or less than there is, values that were made are dropped. */
typedef covey_result covey_load_fn(covey_reader *reader, void *value, void *context);

/* Both functions get the context of the type, and must not change the world. A save may call `save` twice for a value: to
 * count, and to write. */
struct covey_codec {
    covey_save_fn *save;
    covey_load_fn *load;
    uint32_t limit; /* bytes that a value may have in an image, without its fields: LIMIT. 0: 4 GB */
};

/* Writes values of a kind from an array, as fields of this kind are written: the same bytes on every machine. Handles
 * (COVEY_KIND_ENTITY) lie apart from all else in an image, so that merging can map them. Not for structs and padding:
 * saving then fails (TYPE). When memory is out, or the limit is passed, saving fails in the end. */
COVEY_API void covey_write(covey_writer *writer, covey_kind kind, const void *values, size_t count);
/* Writes how many values follow. */
COVEY_API void covey_write_count(covey_writer *writer, uint32_t count);

/* Reads values of a kind, in the order in which they were written. False when there are fewer, or what is there is no
 * value of this kind: all of them are zero then, as is all that is read later, and the image is refused in the end.
 * Functions need not look. */
COVEY_API bool covey_read(covey_reader *reader, covey_kind kind, void *values, size_t count);
/* How many values of a kind follow. 0, as for a read that fails, when there are fewer bytes than these need: memory for
 * that many values is never much more than the image itself has. */
COVEY_API uint32_t covey_read_count(covey_reader *reader, covey_kind kind);
/* How many values of a kind there are at most up to the end. */
COVEY_API size_t covey_read_left(const covey_reader *reader, covey_kind kind);

/* What functions have written for a value whose type is not known here, but kept (COVEY_UNKNOWN_KEEP). */
typedef struct covey_kept {
    const unsigned char *bytes;
    const covey_entity *entities;
    uint32_t size, entity_count;
} covey_kept;

/* NULL: the type is known, or was not written by functions. */
COVEY_API const covey_kept *covey_kept_of(const covey_type *type, const void *value);

/* ---- Saving --------------------------------------------------------------------------------------------------------
 *
 * NULL for `desc` means all defaults, NULL for `report` that nobody wants to know. Saving does not change the world, but
 * for covey_world_result. It fails (TYPE) at components or resources that cannot be saved, or that have a name in common
 * but not the type, and (REFUSED) while listeners are being told of something. */

/* Whether an entity is saved. Called once for each, by index, before anything is written. Must not change the world. */
typedef bool covey_choose_fn(const covey_world *world, covey_entity e, void *context);

typedef struct covey_save_desc {
    const covey_type *const *types; /* only components and resources of these, ended by NULL; NULL: all */
    covey_choose_fn *choose;        /* only these entities; the others are in the image as if they were destroyed, and
                                     * handles that name them are stale there. NULL: all */
    void *choose_context;
    uint64_t changed_since; /* of types with ticks, only components that were changed after this tick; 0: all. Entities,
                             * and components of other types, are saved as ever: covey_follow_from_memory is for such
                             * images */
    covey_progress_fn *progress;
    void *progress_context;
    int zstd_level; /* of files: 1 to 19 compresses; 0 does not */
} covey_save_desc;

/* Memory that grows; { 0 } to begin with. */
typedef struct covey_buffer {
    covey_allocator allocator;
    unsigned char *bytes;
    size_t size, capacity;
} covey_buffer;
COVEY_API void covey_buffer_free(covey_buffer *buffer);

/* Writes an image to memory. Returns its size, whether it fitted or not, as snprintf does; 0 when it fails. With a
 * capacity of 0 it only counts. */
COVEY_API size_t covey_save_to_memory(covey_world *world, void *bytes, size_t capacity, const covey_save_desc *desc,
                                      covey_report *report);

/* Appends an image to a buffer. Fails also with MEMORY; the buffer then has what it had. */
COVEY_API covey_result covey_save_to_buffer(covey_world *world, covey_buffer *buffer, const covey_save_desc *desc,
                                            covey_report *report);

/* Hands an image to a function, part by part. It returns false to stop the call (FILE). */
typedef bool covey_sink_fn(const void *bytes, size_t size, void *context);
COVEY_API covey_result covey_save_to_stream(covey_world *world, covey_sink_fn *sink, void *context,
                                            const covey_save_desc *desc, covey_report *report);

/* Writes an image to a file that is whole or not there: to a temporary one beside it, which then takes its name. Whatever
 * fails (FILE), a file that was there before is as it was. */
COVEY_API covey_result covey_save_to_file(covey_world *world, const char *path, const covey_save_desc *desc,
                                          covey_report *report);

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

/* What becomes of components and resources of types that neither the world nor `types` knows. */
typedef enum covey_unknown {
    COVEY_UNKNOWN_REFUSE = 0, /* the image is refused */
    COVEY_UNKNOWN_SKIP = 1,   /* they are left out */
    COVEY_UNKNOWN_KEEP = 2    /* the world gets a type of this name, made from the image; saving writes it again */
} covey_unknown;

/* Hears of each entity that is merged, or loaded with another handle than it had. Must not change the world. */
typedef void covey_merged_fn(covey_entity before, covey_entity now, void *context);

typedef struct covey_load_desc {
    const covey_type *const *types; /* that the program knows, ended by NULL; those that the world has met are known */
    const covey_type *const *keep;  /* following: components and resources of these that are here stay, ended by NULL */
    const covey_type *const *only;  /* load components and resources of these only, ended by NULL; NULL: all */
    covey_unknown unknown;
    /* What an image may ask for; more is refused (LIMIT). 0: the default, which ordinary programs never meet; UINT64_MAX:
     * any number. Set those that you can for images that come from others. */
    uint64_t limit_entities; /* alive or not. Default: any number */
    uint64_t limit_bytes;  /* of memory that the world may need for it, counted generously; of files, also of the image.
                              * Default: 4 GB, and 4,096 for each byte of the image; of compressed files, of the file */
    uint64_t limit_types;  /* of components and of resources, together. Default: 16,384, as many as an image can have */
    uint64_t limit_ranges; /* that are reserved. Default: 16,384 */
    uint64_t limit_names;  /* Default: 16,777,216 */
    uint64_t limit_depth;  /* entities above one. Default: 1,048,576 */
    covey_progress_fn *progress;
    void *progress_context;
    covey_merged_fn *merged;
    void *merged_context;
} covey_load_desc;

/* Loads an image into a world that has no entity and no resource: REFUSED otherwise, while a command buffer has set ids
 * aside, and when the world has a reserved range that the image does not have. In a world that never had an entity, handles are what they were when the image was saved, stale ones included. In
 * one that had, such as after covey_destroy_all, handles from before never name an entity of the image: an entity whose
 * handle was given out here gets the next generation of its index, and handles in fields follow; `merged` hears of each of
 * these. Listeners, groups and orders stay. Fails with IMAGE, LIMIT, MEMORY, CANCELLED. Whoever listens hears of all entities
 * and components in the end. O(n log n) steps for n bytes of memory, whatever is in the image; most of it memcpy. */
COVEY_API covey_result covey_load_from_memory(covey_world *world, const void *bytes, size_t size,
                                              const covey_load_desc *desc, covey_report *report);
COVEY_API covey_result covey_load_from_file(covey_world *world, const char *path, const covey_load_desc *desc,
                                            covey_report *report);

/* Adds what is in an image to a world. The entities that are alive in it get new handles, those that covey_create_many
 * would give, by index; handles in fields become the new ones, or null where the entity is not alive in the image. Ticks
 * are those of now. Resources that the world has stay as they are, and a name that a sibling has is not given. Fails as
 * loading does, and with FULL. */
COVEY_API covey_result covey_merge_from_memory(covey_world *world, const void *bytes, size_t size,
                                               const covey_load_desc *desc, covey_report *report);
COVEY_API covey_result covey_merge_from_file(covey_world *world, const char *path, const covey_load_desc *desc,
                                             covey_report *report);

/* ---- Following -----------------------------------------------------------------------------------------------------
 *
 * A follower keeps, from one image of a source to the next, which entity of the source is which one here. Each image
 * updates what the one before has made: a server saves and sends, and clients follow.
 *
 *     covey_follower *follower = covey_follower_create(world);
 *     while (receive(&image))
 *         covey_follow_from_memory(follower, image.bytes, image.size, &desc, &report);
 *
 * Entities that are new in the source are created, and those that are gone are destroyed. Of a type that the image has,
 * components are added, set where their fields differ (where they have a codec: always), and removed where the source has
 * none. Components of types that the image does not have are this world's own and stay, as do its other entities. `keep`
 * names types of which nothing that is here changes, and which are only added. An image that was saved with changed_since
 * removes no components of types with ticks.
 *
 * Handles in fields become those here, or null. Resources are set, and never removed. Parents, the order of children and
 * names are those of the source; a root of the source keeps a parent that this world has given it, unless another
 * follower is above that; where a sibling of this world's own has a name, it is not given. An entity of the source that
 * was destroyed here is created again. Ticks are those of now. */

typedef struct covey_follower covey_follower;

/* NULL: MEMORY. Destroying a follower, before or after its world, changes no entity. */
COVEY_API covey_follower *covey_follower_create(covey_world *world);
COVEY_API void covey_follower_destroy(covey_follower *follower);
/* Fails as merging does, and (REFUSED) while listeners are being told of something; the world is then as it was. Observers
 * hear of entities, adds and sets when all of them are there, and of removals after that. `merged` hears of entities that
 * are new. O(n log n) for n bytes of the image, and for each of its types as many components as there are, or entities of
 * the source, whichever are fewer. */
COVEY_API covey_result covey_follow_from_memory(covey_follower *follower, const void *bytes, size_t size,
                                                const covey_load_desc *desc, covey_report *report);
/* The entity here of one of the source; null when there is none, or it was destroyed. */
COVEY_API covey_entity covey_follower_find(const covey_follower *follower, covey_entity source);

/* Reads a whole file, decompressed if it is, into an empty buffer; at most `limit` bytes (LIMIT). 0: any number; of a file
 * that is compressed, 4 GB, and 4,096 for each of its bytes. */
COVEY_API covey_result covey_file_read(const char *path, uint64_t limit, covey_buffer *buffer, covey_report *report);

/* ---- Looking into images -----------------------------------------------------------------------------------------*/

typedef enum covey_section_kind {
    COVEY_SECTION_WORLD = 1,
    COVEY_SECTION_ENTITIES = 2,
    COVEY_SECTION_POOL = 3,
    COVEY_SECTION_RESOURCE = 4,
    COVEY_SECTION_PARENTS = 5,
    COVEY_SECTION_NAMES = 6
} covey_section_kind;

/* How values of a type are written. */
typedef enum covey_encoding {
    COVEY_ENCODING_NONE = 0,       /* a tag */
    COVEY_ENCODING_FIELDS = 1,     /* field by field */
    COVEY_ENCODING_RAW_LITTLE = 2, /* the bytes of a little-endian machine */
    COVEY_ENCODING_RAW_BIG = 3,    /* or of a big-endian one */
    COVEY_ENCODING_CODEC = 4       /* fields, if there are any, and what functions of the type write */
} covey_encoding;

typedef struct covey_section {
    covey_section_kind kind;
    uint64_t offset, bytes; /* in the image */
    char name[128];         /* of a pool's or resource's type, cut off if it is longer */
    uint64_t count;         /* of slots, components, parents or names */
    covey_encoding encoding;
    covey_storage storage;
    uint64_t value_bytes; /* of one value, as it is written; without what functions write */
} covey_section;

typedef struct covey_image_info {
    uint32_t version;
    uint32_t sections;
    uint64_t bytes;
    uint64_t tick;
    uint64_t entities; /* alive */
    uint64_t since;    /* it has only what was changed after this tick (changed_since); 0: all */
} covey_image_info;

/* What an image is about; one of its sections, by number. Checks the frame, the checksum of the table and the numbers that
 * are asked for, not the sections as a whole: loading does that. False: not an image, or damaged. O(sections). */
COVEY_API bool covey_image_look(const void *bytes, size_t size, covey_image_info *info, covey_report *report);
COVEY_API bool covey_image_section(const void *bytes, size_t size, uint32_t number, covey_section *section,
                                   covey_report *report);
/* All sections, in one pass. Writes at most `capacity` and returns how many there are; 0: not an image, or damaged. */
COVEY_API uint32_t covey_image_sections(const void *bytes, size_t size, covey_section *sections, uint32_t capacity,
                                        covey_report *report);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_SNAPSHOT_H */
