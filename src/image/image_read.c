/* Reading untrusted images: the frame, the sections, the descriptions of types. */
#include "image/image.h"

#include "memory/alloc.h"
#include "memory/crc32c.h"
#include "storage/fields.h"
#include "storage/unknown.h"
#include "image/unknown_codec.h"
#include "storage/storage.h"
#include "storage/type.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>

const char *covey_fault_text(covey_fault fault) {
    switch (fault) {
    case COVEY_FAULT_NONE: return "no fault";
    case COVEY_FAULT_NOT_AN_IMAGE: return "it does not begin like an image";
    case COVEY_FAULT_VERSION: return "the format is unknown to this library";
    case COVEY_FAULT_SIZE: return "it is shorter or longer than its header says";
    case COVEY_FAULT_CHECKSUM: return "bytes have changed since it was written";
    case COVEY_FAULT_STRUCTURE: return "sections or numbers contradict each other";
    case COVEY_FAULT_ENTITY: return "an index or generation is impossible";
    case COVEY_FAULT_TYPE: return "a type is unknown to the program, or has another layout";
    case COVEY_FAULT_FIELD: return "a field has changed, and cannot be converted";
    case COVEY_FAULT_VALUE: return "a field has an impossible value";
    case COVEY_FAULT_PARENT: return "a parent is missing, or is its own ancestor";
    case COVEY_FAULT_NAME: return "a name is not allowed, or a sibling has it";
    case COVEY_FAULT_LIMIT: return "it exceeds the limits";
    }
    return "an unknown fault";
}

/* ---- Bytes -------------------------------------------------------------------------------------------------------*/

covey_result covey__refuse(covey__reader *reader, covey_fault fault, size_t offset, const char *format, ...) {
    covey_report *report = reader->report;
    if (report->result != COVEY_OK) return report->result;
    *report = (covey_report){ .fault = fault, .offset = offset };
    report->result = fault == COVEY_FAULT_LIMIT ? COVEY_ERROR_LIMIT : COVEY_ERROR_IMAGE;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->text, sizeof report->text, format, arguments);
    va_end(arguments);
    return report->result;
}

const unsigned char *covey__read(covey__reader *reader, size_t size) {
    if (!covey__is_sound(reader)) return NULL;
    if (size > reader->end - reader->at) {
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "a section ends where %zu more bytes should be", size);
        return NULL;
    }
    const unsigned char *bytes = reader->bytes + reader->at;
    reader->at += size;
    return bytes;
}

const unsigned char *covey__read_many(covey__reader *reader, uint64_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) count = SIZE_MAX / size; /* reading then fails */
    return covey__read(reader, (size_t)count * size);
}

uint8_t covey__read_u8(covey__reader *reader) {
    const unsigned char *bytes = covey__read(reader, 1);
    return bytes ? bytes[0] : 0;
}

uint16_t covey__read_u16(covey__reader *reader) {
    const unsigned char *bytes = covey__read(reader, 2);
    if (!bytes) return 0;
    return (uint16_t)(bytes[0] | bytes[1] << 8);
}

uint32_t covey__read_u32(covey__reader *reader) {
    const unsigned char *bytes = covey__read(reader, 4);
    return bytes ? covey__u32_at(bytes) : 0;
}

uint64_t covey__read_u64(covey__reader *reader) {
    const unsigned char *bytes = covey__read(reader, 8);
    return bytes ? covey__u64_at(bytes) : 0;
}

/* ---- The frame ---------------------------------------------------------------------------------------------------*/

static bool check_header(covey__image *image) {
    covey__reader *reader = &image->whole;
    size_t size = reader->end, known = size < 8 ? size : 8;
    if (size == 0 || memcmp(reader->bytes, COVEY__MAGIC, known) != 0)
        return covey__refuse(reader, COVEY_FAULT_NOT_AN_IMAGE, 0, "this is not an image of a world") == COVEY_OK;
    if (size < COVEY__HEADER_BYTES + COVEY__TRAILER_BYTES)
        return covey__refuse(reader, COVEY_FAULT_SIZE, size, "the image ends after %zu bytes", size) == COVEY_OK;
    image->version = covey__u32_at(reader->bytes + 8);
    if (image->version == 0 || image->version > COVEY_IMAGE_VERSION)
        covey__refuse(reader, COVEY_FAULT_VERSION, 8,
                      "the image has format %u, and this library reads formats 1 to %u: use a version of covey that "
                      "reads it",
                      image->version, COVEY_IMAGE_VERSION);
    else if (covey__u32_at(reader->bytes + 12) != 0)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, 12, "reserved bytes of the header are not 0");
    return covey__is_sound(reader);
}

static bool check_trailer(covey__image *image) {
    covey__reader *reader = &image->whole;
    size_t size = reader->end, trailer = size - COVEY__TRAILER_BYTES;
    const unsigned char *bytes = reader->bytes;
    uint64_t said = covey__u64_at(bytes + trailer);
    uint32_t sections = covey__u32_at(bytes + trailer + 8);
    uint64_t table = (uint64_t)sections * COVEY__ENTRY_BYTES;
    if (said != size || table > trailer - COVEY__HEADER_BYTES) {
        covey__refuse(reader, COVEY_FAULT_SIZE, trailer, "the image is truncated, or other bytes follow it");
        return false;
    }
    image->sections = sections;
    image->table = trailer - (size_t)table;
    uint32_t checksum = covey__crc32c(0, bytes, COVEY__HEADER_BYTES);
    checksum = covey__crc32c(checksum, bytes + image->table, (size_t)table + 12);
    if (checksum != covey__u32_at(bytes + trailer + 12))
        covey__refuse(reader, COVEY_FAULT_CHECKSUM, image->table, "the table of sections is damaged");
    else if (sections > COVEY__SECTIONS_MAX)
        covey__refuse(reader, COVEY_FAULT_LIMIT, trailer + 8, "the image has %u sections; the limit is %u", sections,
                      COVEY__SECTIONS_MAX);
    return covey__is_sound(reader);
}

static covey__section_entry entry_at(const covey__image *image, uint32_t number, size_t offset) {
    covey__section_entry entry = { 0 };
    if (number >= image->sections) return entry;
    const unsigned char *at = image->whole.bytes + image->table + (size_t)number * COVEY__ENTRY_BYTES;
    entry.kind = (covey_section_kind)covey__u32_at(at);
    entry.checksum = covey__u32_at(at + 4);
    uint64_t bytes = covey__u64_at(at + 8);
    entry.offset = offset;
    entry.bytes = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
    return entry;
}

covey__section_entry covey__section_first(const covey__image *image) { return entry_at(image, 0, COVEY__HEADER_BYTES); }

void covey__section_next(const covey__image *image, covey__section_entry *section) {
    section->number++;
    uint32_t number = section->number;
    *section = entry_at(image, number, section->offset + section->bytes);
    section->number = number;
}

/* Whether a section may follow another: kinds come in the order of their numbers, and only pools and resources more
 * than once. */
static bool may_follow(covey_section_kind kind, covey_section_kind before) {
    bool many = kind == COVEY_SECTION_POOL || kind == COVEY_SECTION_RESOURCE;
    return kind > before || (many && kind == before);
}

static bool check_table(covey__image *image) {
    covey__reader *reader = &image->whole;
    covey_section_kind before = (covey_section_kind)0;
    size_t end = COVEY__HEADER_BYTES;
    for (uint32_t i = 0; i < image->sections; i++) {
        covey__section_entry entry = entry_at(image, i, end);
        size_t at = image->table + (size_t)i * COVEY__ENTRY_BYTES;
        bool known = entry.kind >= COVEY_SECTION_WORLD && entry.kind <= COVEY_SECTION_KINDS;
        bool starts = i >= 2 || entry.kind == (i == 0 ? COVEY_SECTION_WORLD : COVEY_SECTION_ENTITIES);
        if (!known || !starts || !may_follow(entry.kind, before))
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "section %u is of a kind that may not come at this place",
                          i);
        else if (entry.bytes > image->table - end)
            covey__refuse(reader, COVEY_FAULT_STRUCTURE, at + 8, "section %u is longer than the image", i);
        if (!covey__is_sound(reader)) return false;
        end += entry.bytes;
        before = entry.kind;
    }
    if (image->sections < 2 || end != image->table)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, end, "sections are missing, or do not fill the image");
    return covey__is_sound(reader);
}

bool covey__image_open(covey__image *image, const void *bytes, size_t size, covey_report *report) {
    *report = (covey_report){ 0 };
    *image = (covey__image){ .whole = { bytes, 0, bytes ? size : 0, report } };
    return check_header(image) && check_trailer(image) && check_table(image);
}

covey__reader covey__section_reader(const covey__image *image, const covey__section_entry *section) {
    covey__reader reader = { image->whole.bytes, section->offset, section->offset + section->bytes,
                             image->whole.report };
    return reader;
}

bool covey__section_check(covey__image *image, const covey__section_entry *section) {
    if (covey__crc32c(0, image->whole.bytes + section->offset, section->bytes) == section->checksum) return true;
    covey__section_damaged(image, section);
    return false;
}

void covey__section_damaged(covey__image *image, const covey__section_entry *section) {
    *image->whole.report = (covey_report){ 0 }; /* overrides other faults in it */
    covey__refuse(&image->whole, COVEY_FAULT_CHECKSUM, section->offset, "section %u is damaged", section->number);
}

/* ---- Types ---------------------------------------------------------------------------------------------------------
 *
 * Types are read twice: first to check them and count their memory, then to store them. */

enum { FIELDS_MAX = 256, DEPTH_MAX = 8 };

/* Memory for fields and names; NULL in the first pass, which only counts. */
typedef struct arena {
    char *memory;
    size_t used;
} arena;

static void *take_memory(arena *from, size_t bytes) {
    void *taken = from->memory ? from->memory + from->used : NULL;
    from->used += (bytes + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t);
    return taken;
}

/* Reads a name, and adds a terminating zero. NULL in the first pass, and if the name is not valid. */
static const char *read_name(covey__reader *reader, arena *memory) {
    size_t at = reader->at, length = covey__read_u16(reader);
    const unsigned char *text = covey__read(reader, length);
    if (!text) return NULL;
    if (length == 0 || memchr(text, 0, length)) {
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "a name is empty, or has a zero in it");
        return NULL;
    }
    char *name = take_memory(memory, length + 1);
    if (!name) return NULL;
    name[length] = '\0';
    return memcpy(name, text, length);
}

static uint32_t align_of_kind(covey_kind kind) { return kind == COVEY_KIND_ENTITY ? 4 : covey_kind_size(kind); }

static uint64_t rounded(uint64_t offset, uint32_t align) { return (offset + align - 1) / align * align; }

static covey_fields *read_fields(covey__reader *reader, arena *memory, uint32_t depth, uint32_t *align, uint64_t *size);

/* Reads a field, which begins at *offset or, aligned, after it. */
static covey_field read_field(covey__reader *reader, arena *memory, uint32_t depth, uint32_t *align, uint64_t *offset) {
    size_t at = reader->at;
    covey_field field = { .name = read_name(reader, memory) };
    field.kind = (covey_kind)covey__read_u8(reader);
    field.count = covey__read_u32(reader);
    uint64_t size = covey_kind_size(field.kind);
    uint32_t own = field.kind == COVEY_KIND_NESTED ? 1 : align_of_kind(field.kind);
    if (!covey__is_sound(reader)) return field;
    if (field.kind == COVEY_KIND_NESTED) field.nested = read_fields(reader, memory, depth + 1, &own, &size);
    else if (size == 0 || field.kind == COVEY_KIND_PADDING)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "a field has an unknown kind");
    if (field.count == 0) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "a field has no elements");
    if (!covey__is_sound(reader)) return field;
    *offset = rounded(*offset, own);
    field.offset = (uint32_t)*offset;
    *offset += size <= UINT32_MAX ? size * field.count : size;
    if (*offset > INT32_MAX) covey__refuse(reader, COVEY_FAULT_LIMIT, at, "a value has 2 GB or more");
    if (own > *align) *align = own;
    return field;
}

/* Reads the fields of a struct, and lays them out as C compilers usually do, after a part of a given size and
 * alignment. */
static covey_fields *read_fields(covey__reader *reader, arena *memory, uint32_t depth, uint32_t *align,
                                 uint64_t *size) {
    size_t at = reader->at;
    uint32_t count = covey__read_u16(reader);
    uint64_t offset = *size;
    if (!covey__is_sound(reader)) return NULL;
    if (count == 0 || count > FIELDS_MAX || depth > DEPTH_MAX) {
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, at,
                      "a struct has %u fields, nested %u deep: 1 to 256 fields, at most 8 deep, are allowed", count,
                      depth);
        return NULL;
    }
    covey_fields *fields = take_memory(memory, sizeof *fields);
    covey_field *list = take_memory(memory, count * sizeof *list);
    for (uint32_t i = 0; i < count && covey__is_sound(reader); i++) {
        covey_field field = read_field(reader, memory, depth, align, &offset);
        if (list) list[i] = field;
    }
    *size = rounded(offset, *align);
    if (!fields || !covey__is_sound(reader)) return fields;
    *fields = (covey_fields){ (uint32_t)*size, count, list };
    const char *repeated = covey__fields_repeated(fields);
    if (repeated) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "two fields are named %s", repeated);
    return fields;
}

/* Reads a type with a codec. If it is unknown, its values are kept as bytes. It may have no fields. */
static void read_codec(covey__reader *reader, arena *memory, covey_type *type, uint64_t *size) {
    covey__reader ahead = *reader;
    covey__unknown_describe(type);
    type->codec = &covey__unknown_codec;
    *size = sizeof(covey_unknown_value);
    type->align = alignof(covey_unknown_value);
    if (covey__read_u16(&ahead) == 0) *reader = ahead;
    else type->fields = read_fields(reader, memory, 1, &type->align, size);
}

static void read_values(covey__reader *reader, arena *memory, covey__described *d) {
    size_t at = reader->at;
    uint64_t size = 0;
    covey_type *type = &d->type;
    type->align = 1;
    switch (d->encoding) {
    case COVEY_ENCODING_NONE: break;
    case COVEY_ENCODING_FIELDS: type->fields = read_fields(reader, memory, 1, &type->align, &size); break;
    case COVEY_ENCODING_BYTES_LITTLE:
    case COVEY_ENCODING_BYTES_BIG:
        size = covey__read_u32(reader);
        type->align = covey__read_u32(reader);
        type->as_bytes = true;
        break;
    case COVEY_ENCODING_CODEC: read_codec(reader, memory, type, &size); break;
    default: covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "values have an unknown encoding"); return;
    }
    if (!covey__is_sound(reader)) return; /* the image may have fewer fields than it says */
    type->size = (uint32_t)size;
    if (type->fields) d->record = (uint32_t)covey__record_bytes(type->fields);
    else if (type->as_bytes) d->record = type->size;
}

static void read_description(covey__reader *reader, arena *memory, covey__described *d) {
    size_t at = reader->at;
    *d = (covey__described){ .type = { .name = read_name(reader, memory) } };
    d->encoding = (covey_encoding)covey__read_u8(reader);
    d->type.storage = (covey_storage)covey__read_u8(reader);
    d->type.policy = (covey_policy)covey__read_u8(reader);
    uint8_t flags = covey__read_u8(reader);
    d->type.compact_above = covey__read_u8(reader);
    d->storage = (covey_storage)covey__read_u8(reader);
    d->type.ticks = (flags & COVEY__FLAG_TICKS) != 0;
    d->type.zero_erased = (flags & COVEY__FLAG_ZERO_ERASED) != 0;
    d->type.no_copy = (flags & COVEY__FLAG_NO_COPY) != 0;
    read_values(reader, memory, d);
    if (!d->type.name || !covey__is_sound(reader)) return;
    bool disabled = strcmp(d->type.name, COVEY__DISABLED) == 0 && d->encoding == COVEY_ENCODING_NONE;
    if (disabled) d->type.name = "disabled"; /* a valid name while the rules are checked */
    const char *fault = covey__type_fault(&d->type);
    if (!fault && flags > COVEY__FLAGS) fault = "has flags that this library does not know";
    if (!fault && (!covey__storage_exists(d->storage) || !covey__storage_exists(d->type.storage)))
        fault = "has a storage that this library does not know";
    if (!fault && !covey__is_packed_in(d->storage) && d->type.policy != COVEY_SWAP_AND_POP)
        fault = "has a policy, but not the storage for it";
    if (disabled) d->type.name = COVEY__DISABLED;
    if (fault) covey__refuse(reader, COVEY_FAULT_STRUCTURE, at, "the type %.100s %s", d->type.name, fault);
}

bool covey__read_type(covey__reader *reader, covey__heap *heap, covey__described *described) {
    arena memory = { NULL, 0 };
    size_t at = reader->at;
    read_description(reader, &memory, described);
    if (!covey__is_sound(reader)) return false;
    size_t bytes = memory.used;
    char *block = covey__resize(heap, NULL, 0, bytes, 1, alignof(max_align_t));
    if (!block) {
        reader->report->result = COVEY_ERROR_MEMORY;
        return false;
    }
    memory = (arena){ block, 0 };
    reader->at = at;
    read_description(reader, &memory, described);
    described->memory = block;
    described->bytes = bytes;
    if (covey__is_sound(reader)) return true;
    covey__described_free(heap, described);
    return false;
}

void covey__described_free(covey__heap *heap, covey__described *described) {
    covey__free(heap, described->memory, described->bytes, 1, alignof(max_align_t));
    described->memory = NULL;
    described->bytes = 0;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

bool covey_image_read_info(const void *bytes, size_t size, covey_image_info *info, covey_report *report) {
    COVEY__NEEDS_ARRAY(NULL, bytes, size);
    covey_report unheard;
    covey__image image;
    if (!covey__image_open(&image, bytes, size, report ? report : &unheard)) return false;
    covey__section_entry first = covey__section_first(&image);
    if (!covey__section_check(&image, &first)) return false;
    covey__reader reader = covey__section_reader(&image, &first);
    *info = (covey_image_info){ .version = image.version, .sections = image.sections, .bytes = size };
    info->tick = covey__read_u64(&reader);
    info->entities = covey__read_u64(&reader);
    if (covey__is_sound(&reader) && reader.at != reader.end) info->since = covey__read_u64(&reader);
    return covey__is_sound(&reader);
}

static void look_at_type(covey__reader *reader, covey_section *section) {
    covey__heap heap = { { 0 }, 0, NULL };
    covey__described described;
    if (!covey__read_type(reader, &heap, &described)) return;
    snprintf(section->name, sizeof section->name, "%s", described.type.name);
    section->encoding = described.encoding;
    section->storage = described.storage;
    section->value_bytes = described.record;
    section->count = section->kind == COVEY_SECTION_POOL ? covey__read_u32(reader) : 1;
    covey__described_free(&heap, &described);
}

static bool look_at_section(const covey__image *image, const covey__section_entry *entry, covey_section *section) {
    covey__reader reader = covey__section_reader(image, entry);
    *section = (covey_section){ .kind = entry->kind, .offset = entry->offset, .bytes = entry->bytes };
    switch (entry->kind) {
    case COVEY_SECTION_WORLD: section->count = 1; break;
    case COVEY_SECTION_ENTITIES:
    case COVEY_SECTION_PARENTS:
    case COVEY_SECTION_NAMES: section->count = covey__read_u32(&reader); break;
    case COVEY_SECTION_KINDS:
        covey__read_u32(&reader); /* indices in a word */
        section->count = covey__read_u32(&reader);
        break;
    case COVEY_SECTION_POOL:
    case COVEY_SECTION_RESOURCE: look_at_type(&reader, section); break;
    }
    return covey__is_sound(&reader);
}

bool covey_image_section(const void *bytes, size_t size, uint32_t number, covey_section *section,
                         covey_report *report) {
    COVEY__NEEDS_ARRAY(NULL, bytes, size);
    covey_report unheard;
    covey__image image;
    if (!covey__image_open(&image, bytes, size, report ? report : &unheard)) return false;
    covey__section_entry entry = covey__section_first(&image);
    while (entry.kind && entry.number < number) covey__section_next(&image, &entry);
    if (entry.kind) return look_at_section(&image, &entry, section);
    covey__refuse(&image.whole, COVEY_FAULT_STRUCTURE, image.table, "there is no section %u", number);
    return false;
}

uint32_t covey_image_sections(const void *bytes, size_t size, covey_section *sections, uint32_t capacity,
                              covey_report *report) {
    COVEY__NEEDS_ARRAY(NULL, bytes, size);
    COVEY__NEEDS_ARRAY(NULL, sections, capacity);
    covey_report unheard;
    covey__image image;
    if (!covey__image_open(&image, bytes, size, report ? report : &unheard)) return 0;
    covey__section_entry entry = covey__section_first(&image);
    for (; entry.kind && entry.number < capacity; covey__section_next(&image, &entry))
        if (!look_at_section(&image, &entry, &sections[entry.number])) return 0;
    return image.sections;
}
