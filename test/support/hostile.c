#include "hostile.h"

#include "memory/crc32c.h"
#include "image/image.h"

#include <stdio.h>
#include <stdlib.h>

const char *const hostile_names[HOSTILE_KINDS] = {
    "names",  "same_names", "types",  "sparse_types", "resources", "types_and_resources",
    "ranges", "deep",       "wide",   "free",         "retired",   "holes",
    "mixed",  "fewer",      "nearly", "fields",       "nested",    "scattered",
};

/* ---- Bytes --------------------------------------------------------------------------------------------------------*/

typedef struct writer {
    covey_buffer *out, table;
    size_t begins, section; /* the image; the section in hand */
    uint32_t sections;
    bool failed;
} writer;

static void put(writer *w, covey_buffer *to, const void *bytes, size_t size) {
    if (w->failed || !covey__buffer_reserve(to, size)) {
        w->failed = true;
        return;
    }
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

static void put_number(writer *w, covey_buffer *to, uint64_t number, uint32_t bytes) {
    unsigned char text[8];
    for (uint32_t i = 0; i < bytes; i++) text[i] = (unsigned char)(number >> 8 * i);
    put(w, to, text, bytes);
}

static void u8(writer *w, uint32_t number) { put_number(w, w->out, number, 1); }
static void u16(writer *w, uint32_t number) { put_number(w, w->out, number, 2); }
static void u32(writer *w, uint32_t number) { put_number(w, w->out, number, 4); }
static void u64(writer *w, uint64_t number) { put_number(w, w->out, number, 8); }

static writer begin(covey_buffer *out) {
    writer w = { .out = out, .begins = out->size };
    put(&w, out, COVEY__MAGIC, 8);
    u32(&w, COVEY_IMAGE_VERSION);
    u32(&w, 0);
    w.section = out->size;
    return w;
}

static void end_section(writer *w, covey_section_kind kind) {
    size_t bytes = w->out->size - w->section;
    put_number(w, &w->table, kind, 4);
    put_number(w, &w->table, w->failed ? 0 : covey__crc32c(0, w->out->bytes + w->section, bytes), 4);
    put_number(w, &w->table, bytes, 8);
    w->section = w->out->size;
    w->sections++;
}

static bool end(writer *w) {
    size_t table = w->out->size;
    put(w, w->out, w->table.bytes, w->table.size);
    covey_buffer_free(&w->table);
    u64(w, w->out->size + COVEY__TRAILER_BYTES - w->begins);
    u32(w, w->sections);
    if (w->failed) return false;
    uint32_t sum = covey__crc32c(0, w->out->bytes + w->begins, COVEY__HEADER_BYTES);
    u32(w, covey__crc32c(sum, w->out->bytes + table, w->out->size - table));
    return !w->failed;
}

/* ---- Sections -----------------------------------------------------------------------------------------------------*/

static void put_world(writer *w, uint64_t alive) {
    u64(w, 1);
    u64(w, alive);
    end_section(w, COVEY_SECTION_WORLD);
}

/* Entities 0 to count - 1, all of one generation. */
static void put_slots(writer *w, uint32_t count, uint32_t generation) {
    u32(w, count);
    u32(w, count != 0);
    u32(w, 0);
    if (count != 0) u32(w, 0), u32(w, count);
    for (uint32_t i = 0; i < count; i++) u32(w, generation);
}

static void put_entities(writer *w, uint32_t count) {
    put_world(w, count);
    put_slots(w, count, 1);
    end_section(w, COVEY_SECTION_ENTITIES);
}

static void put_type(writer *w, uint32_t number, covey_encoding encoding, covey_storage storage, covey_policy policy) {
    char name[32];
    int length = snprintf(name, sizeof name, "type%u", number);
    u16(w, (uint32_t)length);
    put(w, w->out, name, (size_t)length);
    u8(w, encoding);
    u8(w, storage);
    u8(w, policy);
    u8(w, 0);
    u8(w, 0);
    u8(w, storage);
    if (encoding != COVEY_ENCODING_FIELDS) return;
    u16(w, 1);
    u16(w, 1);
    u8(w, 'x');
    u8(w, COVEY_KIND_U8);
    u32(w, 1);
}

/* A tag at these indices of one block. */
static void put_tag(writer *w, uint32_t number, uint32_t block, uint64_t mask) {
    uint32_t count = 0;
    for (uint64_t left = mask; left != 0; left &= left - 1) count++;
    put_type(w, number, COVEY_ENCODING_NONE, COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP);
    u32(w, count);
    u32(w, 1);
    u32(w, block);
    u64(w, mask);
    u32(w, 0);
    end_section(w, COVEY_SECTION_POOL);
}

static void put_sparse(writer *w, uint32_t number, uint32_t index) {
    put_type(w, number, COVEY_ENCODING_FIELDS, COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP);
    u32(w, 1);
    u32(w, 1);
    u32(w, 0);
    u32(w, index);
    u32(w, 0);
    u8(w, 7);
    end_section(w, COVEY_SECTION_POOL);
}

static void put_resource(writer *w, uint32_t number) {
    put_type(w, number, COVEY_ENCODING_NONE, COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP);
    end_section(w, COVEY_SECTION_RESOURCE);
}

static void put_name(writer *w, uint32_t index, const char *text, size_t length) {
    u32(w, index);
    u16(w, (uint32_t)length);
    put(w, w->out, text, length);
}

/* ---- Names --------------------------------------------------------------------------------------------------------*/

static const uint64_t prime = UINT64_C(0x100000001B3);

static uint64_t hash_on(uint64_t hash, const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * prime;
    return hash;
}

static uint64_t hash_begin(void) { return UINT64_C(0xCBF29CE484222325) ^ COVEY_NONE * UINT64_C(0x9E3779B97F4A7C15); }

uint32_t hostile_hash(const char *text, size_t length) {
    uint64_t hash = hash_on(hash_begin(), text, length);
    return (uint32_t)(hash ^ hash >> 32);
}

/* Searches for texts whose hash ends in as many zeros as a table for `count` of them has bits. */
static void put_colliding(writer *w, uint32_t count) {
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    uint32_t buckets = 8, found = 0;
    while (buckets < count) buckets *= 2;
    for (uint64_t number = 0; found < count && !w->failed; number++) {
        char text[8];
        for (uint32_t i = 0; i < sizeof text; i++) text[i] = letters[number >> 6 * i & 63];
        if ((hostile_hash(text, sizeof text) & (buckets - 1)) != 0) continue;
        put_name(w, found++, text, sizeof text);
    }
}

static void make_names(writer *w, uint32_t count) {
    put_entities(w, count);
    u32(w, count);
    put_colliding(w, count);
    end_section(w, COVEY_SECTION_NAMES);
}

static void make_nearly(writer *w, uint32_t count) {
    put_entities(w, count + 2);
    u32(w, count + 2);
    put_colliding(w, count);
    put_name(w, count, "twice", 5);
    put_name(w, count + 1, "twice", 5);
    end_section(w, COVEY_SECTION_NAMES);
}

static void make_same_names(writer *w, uint32_t count) {
    put_entities(w, count * 2);
    u32(w, count);
    for (uint32_t i = 0; i < count; i++) {
        u32(w, i);
        u32(w, 1);
        u32(w, count + i);
    }
    end_section(w, COVEY_SECTION_PARENTS);
    u32(w, count);
    for (uint32_t i = 0; i < count; i++) put_name(w, count + i, "name", 4);
    end_section(w, COVEY_SECTION_NAMES);
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void make_types(writer *w, uint32_t count) {
    put_entities(w, 1);
    for (uint32_t i = 0; i < count; i++) put_tag(w, i, 0, 1);
}

static void make_sparse(writer *w, uint32_t count) {
    put_entities(w, 1);
    for (uint32_t i = 0; i < count; i++) put_sparse(w, i, 0);
}

static void make_resources(writer *w, uint32_t count) {
    put_entities(w, 0);
    for (uint32_t i = 0; i < count; i++) put_resource(w, i);
}

static void make_both(writer *w, uint32_t count) {
    put_entities(w, 1);
    for (uint32_t i = 0; i < count; i++) put_tag(w, i, 0, 1);
    for (uint32_t i = 0; i < count; i++) put_resource(w, i);
}

static void make_mixed(writer *w, uint32_t count) {
    put_entities(w, count + 64);
    for (uint32_t i = 0; i < count; i++) put_tag(w, i, count / 64, 3);
}

static void make_fewer(writer *w, uint32_t count) {
    put_entities(w, count + 64);
    for (uint32_t i = 0; i < count; i++) put_tag(w, i, count / 64, 1);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void make_ranges(writer *w, uint32_t count) {
    put_world(w, count);
    u32(w, count * 2);
    u32(w, 1);
    u32(w, count);
    for (uint32_t i = count; i-- != 0;) u32(w, i * 2), u32(w, 2);
    u32(w, 0);
    u32(w, count * 2);
    for (uint32_t i = 0; i < count; i++) u32(w, 1), u32(w, 2);
    end_section(w, COVEY_SECTION_ENTITIES);
}

static void make_free(writer *w, uint32_t count) {
    put_world(w, 0);
    put_slots(w, count, 2);
    end_section(w, COVEY_SECTION_ENTITIES);
}

static void make_retired(writer *w, uint32_t count) {
    put_world(w, 0);
    put_slots(w, count, 0);
    end_section(w, COVEY_SECTION_ENTITIES);
}

/* As far apart as the indices allow, at most a page. */
static void make_scattered(writer *w, uint32_t count) {
    uint32_t step = (COVEY_NONE - 1) / count;
    if (step > COVEY__BLOCK_PAGE) step = COVEY__BLOCK_PAGE;
    if (step > COVEY__BLOCK_IDS) step = step / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
    put_world(w, count);
    u32(w, count);
    u32(w, count);
    u32(w, 0);
    for (uint32_t i = 0; i < count; i++) u32(w, i * step), u32(w, 1);
    for (uint32_t i = 0; i < count; i++) u32(w, 1);
    end_section(w, COVEY_SECTION_ENTITIES);
    put_type(w, 0, COVEY_ENCODING_FIELDS, COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP);
    u32(w, count);
    u32(w, count);
    u32(w, 0);
    for (uint32_t i = 0; i < count; i++) u32(w, i * step);
    u32(w, 0);
    for (uint32_t i = 0; i < count; i++) u8(w, 7);
    end_section(w, COVEY_SECTION_POOL);
}

/* And `others` at the index 0. */
static void put_holes(writer *w, uint32_t count, uint32_t others) {
    u32(w, others);
    u32(w, count + others);
    u32(w, 0);
    for (uint32_t i = 0; i < count; i++) u32(w, COVEY__HOLE);
    for (uint32_t i = 0; i < others; i++) u32(w, 0);
    for (uint32_t i = count; i-- != 0;) u32(w, i);
    u32(w, 0);
    end_section(w, COVEY_SECTION_POOL);
}

static void make_holes(writer *w, uint32_t count) {
    put_entities(w, 1);
    put_type(w, 0, COVEY_ENCODING_NONE, COVEY_STORAGE_SPARSE, COVEY_IN_PLACE);
    put_holes(w, count, 1);
}

bool hostile_make_vast(covey_buffer *buffer, uint32_t count) {
    writer w = begin(buffer);
    put_entities(&w, 1);
    put_type(&w, 0, covey__is_little_endian() ? COVEY_ENCODING_BYTES_LITTLE : COVEY_ENCODING_BYTES_BIG,
             COVEY_STORAGE_SPARSE, COVEY_IN_PLACE);
    u32(&w, 1 << 24);
    u32(&w, 1);
    put_holes(&w, count, 0);
    return end(&w);
}

/* ---- Trees --------------------------------------------------------------------------------------------------------*/

static void make_deep(writer *w, uint32_t count) {
    put_entities(w, count);
    u32(w, count - 1);
    for (uint32_t i = 0; i + 1 < count; i++) u32(w, i), u32(w, 1), u32(w, i + 1);
    end_section(w, COVEY_SECTION_PARENTS);
}

static void make_wide(writer *w, uint32_t count) {
    put_entities(w, count);
    u32(w, 1);
    u32(w, 0);
    u32(w, count - 1);
    for (uint32_t i = 1; i < count; i++) u32(w, i);
    end_section(w, COVEY_SECTION_PARENTS);
}

/* ---- Fields -------------------------------------------------------------------------------------------------------*/

enum { FIELDS = 256, DEPTH = 8 };

static void put_field(writer *w, uint32_t number, covey_kind kind) {
    u16(w, 3);
    u8(w, 'f');
    u8(w, 'a' + number / 16);
    u8(w, 'a' + number % 16);
    u8(w, kind);
    u32(w, 1);
}

/* Names that differ at their ends only. The last field of each struct is a struct, down to a depth. */
static void put_fields(writer *w, uint32_t depth) {
    for (; depth != 0; depth--) {
        u16(w, FIELDS);
        for (uint32_t k = 0; k + 1 < FIELDS; k++) put_field(w, k, COVEY_KIND_U8);
        put_field(w, FIELDS - 1, depth > 1 ? COVEY_KIND_NESTED : COVEY_KIND_U8);
    }
}

static void put_types_with_fields(writer *w, uint32_t types, uint32_t depth) {
    put_entities(w, 1);
    for (uint32_t i = 0; i < types; i++) {
        put_type(w, i, COVEY_ENCODING_CODEC, COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP);
        put_fields(w, depth);
        u32(w, 0);
        u32(w, 0);
        u32(w, 0);
        end_section(w, COVEY_SECTION_POOL);
    }
}

static void make_fields(writer *w, uint32_t count) { put_types_with_fields(w, count / 100, 1); }
static void make_nested(writer *w, uint32_t count) { put_types_with_fields(w, count / 100, DEPTH); }

bool hostile_make(covey_buffer *buffer, hostile_kind kind, uint32_t count) {
    static void (*const makers[HOSTILE_KINDS])(writer * w, uint32_t count) = {
        make_names,  make_same_names, make_types,  make_sparse, make_resources, make_both,
        make_ranges, make_deep,       make_wide,   make_free,   make_retired,   make_holes,
        make_mixed,  make_fewer,      make_nearly, make_fields, make_nested,    make_scattered,
    };
    writer w = begin(buffer);
    makers[kind](&w, count);
    return end(&w);
}
