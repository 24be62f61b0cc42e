/* Shared by the sources of images: the frame of an image, the conversion of values to records, reading untrusted bytes.
 * docs/format.md describes the format. */
#ifndef COVEY_IMAGE_H
#define COVEY_IMAGE_H

#include "memory/result.h"

#include <covey/covey.h>
#include <covey/fields.h>

#include <covey/image.h>
#include <covey/sparse_set.h>

/* image_record.c: a plan turns values in memory into records of an image, or records into values. A record has the
 * fields one after the other, little-endian and without padding. */
typedef enum covey__op {
    COVEY__OP_COPY,   /* bytes as they are */
    COVEY__OP_SWAP,   /* numbers with the other byte order */
    COVEY__OP_BOOL,   /* bytes that are 0 or 1 */
    COVEY__OP_ENTITY, /* handles with another layout in memory */
    COVEY__OP_WIDEN,  /* integers that have become wider */
    COVEY__OP_LOOP    /* the steps that follow, for each element of an array */
} covey__op;

typedef struct covey__step {
    uint32_t memory, record; /* where it begins */
    uint32_t count;          /* bytes to copy; elements */
    uint8_t op;
    uint8_t unit, was;                           /* bytes of a number: in memory; in a record, if it is widened */
    bool is_signed;                              /* whether the narrower number is signed */
    uint32_t memory_stride, record_stride, body; /* of a loop: from element to element; steps inside */
} covey__step;

typedef struct covey__plan {
    covey__step *steps;
    uint32_t count, capacity;
    uint32_t size, record; /* bytes of a value; of a record */
    uint64_t covered;      /* bytes of a value that are written; the others come from the defaults */
    const void *defaults;  /* or NULL for zeros */
} covey__plan;

/* Makes a plan for values of a type and records with this encoding and, if the encoding has fields, these fields. Fails
 * with MEMORY, or with IMAGE if a field cannot be converted: then *why names it. Plans are freed with the heap that
 * they were made with. */
covey_result covey__plan_make(covey__heap *heap, covey__plan *plan, const covey_type *type, covey_encoding encoding,
                              const covey_fields *fields, char *why, size_t room);
covey_encoding covey__type_encoding(const covey_type *type); /* the encoding of its records on this machine */
void covey__plan_free(covey__heap *heap, covey__plan *plan);
/* Whether records have the same bytes as values. */
bool covey__plan_copies(const covey__plan *plan);
/* Converts values to records, if these have other bytes; and records to values. decode returns false if the bytes are
 * not a valid value. */
void covey__encode(const covey__plan *plan, void *records, const void *values, size_t count);
bool covey__decode(const covey__plan *plan, void *values, const void *records, size_t count);
bool covey__is_little_endian(void);
/* Whether records contain a field: not padding, and not a struct of padding only. */
bool covey__is_written(const covey_field *field);
/* The bytes of a record with these fields; more than UINT32_MAX are not allowed. */
uint64_t covey__record_bytes(const covey_fields *fields);

/* Converts arrays of one kind as records have them. Not for structs and padding. decode returns false as above. */
size_t covey__kind_bytes(covey_kind kind); /* bytes of one value in a record */
void covey__encode_kind(covey_kind kind, void *bytes, const void *values, size_t count);
bool covey__decode_kind(covey_kind kind, void *values, const void *bytes, size_t count);

/* ---- The frame -----------------------------------------------------------------------------------------------------
 *
 *     magic 8 | version 4 | zero 4 | sections ... | table: kind 4, checksum 4, bytes 8 of each | size 8 | sections 4 |
 *     checksum 4 of the header, the table and the twelve bytes before it
 */
#define COVEY__MAGIC \
    "\x89"           \
    "CVY\r\n\x1A\n"
enum { COVEY__HEADER_BYTES = 16, COVEY__ENTRY_BYTES = 16, COVEY__TRAILER_BYTES = 16 };
#define COVEY__SECTIONS_MAX 16384
/* Default limits of a load. */
#define COVEY__TYPES_USUAL COVEY__SECTIONS_MAX
#define COVEY__RANGES_USUAL 16384
#define COVEY__NAMES_USUAL 16777216
#define COVEY__DEPTH_USUAL 1048576
#define COVEY__HOLE UINT32_MAX           /* the index that a hole has in an image */
#define COVEY__DISABLED "covey.disabled" /* the only internal type that has a section */

typedef enum covey__type_flag {
    COVEY__FLAG_TICKS = 1,
    COVEY__FLAG_ZERO_ERASED = 2,
    COVEY__FLAG_NO_COPY = 4,
    COVEY__FLAGS = 7
} covey__type_flag;

/* image_read.c: reads untrusted bytes. After a failure, a reader returns zeros. */
typedef struct covey__reader {
    const unsigned char *bytes; /* the image */
    size_t at, end;
    covey_report *report;
} covey__reader;

/* Reports the first fault and its offset. Returns the result. */
covey_result covey__refuse(covey__reader *reader, covey_fault fault, size_t offset, const char *format, ...)
    COVEY__PRINTF(4, 5);
static inline bool covey__is_sound(const covey__reader *reader) { return reader->report->result == COVEY_OK; }
const unsigned char *covey__read(covey__reader *reader, size_t size); /* the next bytes; NULL if there are fewer */
uint8_t covey__read_u8(covey__reader *reader);
uint16_t covey__read_u16(covey__reader *reader);
uint32_t covey__read_u32(covey__reader *reader);
uint64_t covey__read_u64(covey__reader *reader);
/* The bytes of the next `count` elements of a size. NULL if there are fewer, and if `count` is 0. */
const unsigned char *covey__read_many(covey__reader *reader, uint64_t count, size_t size);

static inline uint32_t covey__u32_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static inline uint64_t covey__u64_at(const unsigned char *bytes) {
    return covey__u32_at(bytes) | (uint64_t)covey__u32_at(bytes + 4) << 32;
}

typedef struct covey__image {
    covey__reader whole; /* reads all bytes */
    uint32_t version;
    uint32_t sections;
    size_t table; /* its offset */
} covey__image;

typedef struct covey__section_entry {
    covey_section_kind kind; /* 0 after the last section */
    uint32_t number;
    uint32_t checksum;
    size_t offset, bytes;
} covey__section_entry;

/* Checks the frame and the checksum of the table, and that sections are in order and fill the image. */
bool covey__image_open(covey__image *image, const void *bytes, size_t size, covey_report *report);
/* for (covey__section_entry s = covey__section_first(&image); s.kind; covey__section_next(&image, &s)) */
covey__section_entry covey__section_first(const covey__image *image);
void covey__section_next(const covey__image *image, covey__section_entry *section);
covey__reader covey__section_reader(const covey__image *image, const covey__section_entry *section);
bool covey__section_check(covey__image *image, const covey__section_entry *section);   /* verifies its checksum */
void covey__section_damaged(covey__image *image, const covey__section_entry *section); /* reports a wrong checksum */

/* A type as an image describes it. The caller frees it. */
typedef struct covey__described {
    covey_type type; /* complete, like a type made at run time; with the storage that the type asked for */
    covey_encoding encoding;
    uint32_t record;       /* bytes of a record */
    covey_storage storage; /* of the pool, when it was saved */
    char *memory;
    size_t bytes;
} covey__described;

bool covey__read_type(covey__reader *reader, covey__heap *heap, covey__described *described); /* IMAGE, MEMORY */
void covey__described_free(covey__heap *heap, covey__described *described);

/* For images whose entities get other handles. `entered` is called when the entities are loaded, before any value.
 * `now` maps a handle of the image to the new one. */
typedef struct covey__entering {
    covey_result (*entered)(void *context);
    covey_entity (*now)(const void *context, covey_entity before);
    void *context;
} covey__entering;

/* image_codec.c: what the codec of a type writes for one value: bytes 4, handles 4, the handles, the bytes. */
struct covey_codec_writer {
    covey_buffer bytes, handles;
    covey_result result;
    uint64_t limit;
};

struct covey_codec_reader {
    const unsigned char *bytes, *handles;
    size_t size, handle_count; /* remaining */
    bool failed;
    const covey__entering *entering; /* maps the handles that are read; or NULL */
};

/* Makes an empty map from handles to handles, which counts for the budget of a heap. NULL: MEMORY. */
covey_sparse_set *covey__handle_map(const covey__heap *heap);
/* Maps the handles in fields of a value. */
void covey__map_fields(const covey_fields *fields, void *value, const covey__entering *entering);
bool covey__has_handles(const covey_fields *fields); /* false for NULL */
void covey__map_values(const covey_pool *pool, const covey__entering *entering);

/* Calls the save function of a type for a value. Returns the result of the function, or MEMORY, LIMIT, TYPE. The
 * functions of a codec must not change the world. */
covey_result covey__codec_save(const covey_world *world, covey_codec_writer *writer, const covey_type *type,
                               const void *value);
void covey__writer_free(covey_codec_writer *writer);
/* Calls the load function of a type with the next bytes of an image. On failure returns false, after it has reported
 * why, and there is no value. */
bool covey__codec_load(const covey_world *world, covey__reader *reader, const covey_type *type, void *value,
                       const covey__entering *entering);

/* image_save.c */
bool covey__buffer_reserve(covey_buffer *buffer, size_t more); /* room for more bytes; false: MEMORY */
bool covey__type_listed(const covey_type *const *types, const covey_type *type);

/* image_load.c */
/* Loads an image into an empty world; logs nothing. Types that the world `knows` has met are known as well; it may be
 * the same world. `entering` may be NULL. */
covey_result covey__load(covey_world *world, const covey_world *knows, const void *bytes, size_t size,
                         const covey_load_desc *desc, const covey__entering *entering, covey_report *report);
/* Limits the memory of a call to the limit_bytes of its description, or to the default for the size of its image. If
 * the limit caused a MEMORY failure, covey__limit_end turns it into LIMIT. */
void covey__limit_begin(covey_world *world, const covey_load_desc *desc, size_t size);
void covey__limit_end(covey_world *world, const covey_load_desc *desc, size_t size, covey_report *report);
/* Drops a value that a codec has made before the program could see it. */
void covey__drop_loaded(const covey_world *world, const covey_type *type, void *value);
/* Ends a call: logs its report if it failed. */
covey_result covey__report_to(covey_world *world, covey_report *report, covey_result result, const char *what);

#endif
