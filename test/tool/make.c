/* Makes the images that the tests of covey-snap look into.
 *
 *     make DIR                    a.covey, b.covey and others, whole and damaged
 *     make mutate IN OUT SEED     a copy with a few bytes changed and the checksums mended */
#include "../../common/manifest.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/image.h>
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

static void need(bool done, const char *what) {
    if (done) return;
    fprintf(stderr, "make: %s\n", what);
    exit(EXIT_FAILURE);
}

/* ---- Types: every storage, policy and kind -----------------------------------------------------------------------*/

typedef struct {
    float x, y;
} Vector;
COVEY_FIELDS_DEFINE(Vector, f32(x), f32(y));

typedef struct {
    Vector at;
    double mass;
    covey_entity owner;
    int32_t hits[4];
    bool asleep;
    char label[12];
} Body;
COVEY_FIELDS_DEFINE(Body, nested(Vector, at), f64(mass), entity(owner), array(i32, hits), boolean(asleep),
                    array(character, label));
COVEY_COMPONENT_DEFINE(Body, .fields = &covey_fields_Body, .ticks = true);

typedef struct {
    int64_t i64;
    uint64_t u64;
    int32_t i32;
    uint32_t u32;
    int16_t i16;
    uint16_t u16;
    int8_t i8;
    uint8_t u8;
    char letter;
} Numbers;
COVEY_FIELDS_DEFINE(Numbers, i64(i64), u64(u64), i32(i32), u32(u32), i16(i16), u16(u16), i8(i8), u8(u8),
                    character(letter));
COVEY_COMPONENT_DEFINE(Numbers, .fields = &covey_fields_Numbers, .storage = COVEY_STORAGE_SPARSE);

typedef struct {
    Vector corners[2];
    float turn[2][2];
} Shape;
COVEY_FIELDS_DEFINE(Shape, nested_array(Vector, corners), matrix(f32, turn));
COVEY_COMPONENT_DEFINE(Shape, .fields = &covey_fields_Shape, .storage = COVEY_STORAGE_PINNED);

typedef struct {
    uint32_t level;
} Stays, Behind, Ordered;
COVEY_FIELDS_DEFINE(Stays, u32(level));
COVEY_COMPONENT_DEFINE(Stays, .fields = &covey_fields_Stays, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Behind, .fields = &covey_fields_Stays, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Ordered, .fields = &covey_fields_Stays, .policy = COVEY_ORDERED);

typedef struct {
    unsigned char bytes[20];
} Blob;
COVEY_COMPONENT_DEFINE(Blob, .as_bytes = true);
COVEY_TAG_DEFINE(Marked);
COVEY_TAG_DEFINE(Never);

/* Of the world, and of no entity. */
typedef struct {
    uint64_t frame;
    char place[16];
} Clock;
COVEY_FIELDS_DEFINE(Clock, u64(frame), array(character, place));
COVEY_COMPONENT_DEFINE(Clock, .fields = &covey_fields_Clock);
COVEY_TAG_DEFINE(Paused);

/* A type that has changed from one image to the other. */
typedef struct {
    int32_t level, gone;
    uint16_t list[2];
    Vector at;
} Unit1;
COVEY_FIELDS_DEFINE(Unit1, i32(level), i32(gone), array(u16, list), nested(Vector, at));
typedef struct {
    double x;
    float z;
} Place;
COVEY_FIELDS_DEFINE(Place, f64(x), f32(z));
typedef struct {
    uint16_t list[3];
    int32_t level;
    Place at;
    bool fresh;
} Unit2;
COVEY_FIELDS_DEFINE(Unit2, array(u16, list), i32(level), nested(Place, at), boolean(fresh));
static const covey_type unit1 = {
    .name = "Unit", .size = sizeof(Unit1), .align = _Alignof(Unit1), .fields = &covey_fields_Unit1
};
static const covey_type unit2 = {
    .name = "Unit", .size = sizeof(Unit2), .align = _Alignof(Unit2), .fields = &covey_fields_Unit2
};

/* A type whose functions write a part of its values. */
typedef struct {
    uint32_t number;
    const char *text;
    covey_entity about;
} Note;
COVEY_FIELDS_DEFINE(Note, u32(number), padding(const char *, text), padding(covey_entity, about));

static covey_result save_note(covey_codec_writer *writer, const void *value, void *context) {
    const Note *note = value;
    (void)context;
    covey_codec_write(writer, COVEY_KIND_CHAR, note->text, strlen(note->text));
    covey_codec_write(writer, COVEY_KIND_ENTITY, &note->about, !covey_is_null(note->about));
    return COVEY_OK;
}

static covey_result load_note(covey_codec_reader *reader, void *value, void *context) {
    (void)reader, (void)value, (void)context;
    return COVEY_ERROR_REFUSED; /* this program does not load it */
}

static const covey_codec note_codec = { .save = save_note, .load = load_note };
COVEY_COMPONENT_DEFINE(Note, .fields = &covey_fields_Note, .codec = &note_codec);

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

static float f32_of(uint32_t bits) {
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void put_holes(covey_world *world, const covey_entity *e) {
    for (uint32_t i = 0; i < 4; i++) {
        covey_add(world, e[i], Stays, { 10 + i });
        covey_add(world, e[i], Behind, { 20 + i });
        covey_add(world, e[i], Ordered, { 30 + i });
    }
    covey_remove(world, e[1], Stays);
    covey_remove(world, e[1], Behind);
    covey_remove(world, e[1], Ordered);
}

static void put_numbers(covey_world *world, const covey_entity *e) {
    covey_add(world, e[2], Numbers,
              { INT64_MIN, UINT64_MAX, INT32_MIN, UINT32_MAX, INT16_MIN, UINT16_MAX, INT8_MIN, UINT8_MAX, '"' });
    covey_add(world, e[0], Numbers, { 1, 2, 3, 4, 5, 6, 7, 8, '\0' });
    covey_add(world, e[3], Shape, { { { 0.1f, FLT_MAX }, { -0.0f, 1e-45f } }, { { 1, 2 }, { 3, 1 / 3.f } } });
    covey_add(world, e[4], Shape,
              { { { f32_of(0x7F800000), f32_of(0xFF800000) }, { f32_of(0x7FC00000), 0 } }, { { 0 } } });
}

static covey_world *make_world(covey_entity e[8]) {
    covey_world *world = covey_world_create(NULL);
    need(world && covey_create_many(world, e, 8), "no world");
    covey_destroy(world, e[7]);
    e[7] = covey_create(world);
    covey_name_set(world, e[0], "ship");
    covey_name_set(world, e[1], "a \"quoted\", odd\nname");
    covey_name_set(world, e[2], "gr\xC3\xBC\xC3\x9F \x1B[31m\xFF");
    covey_name_set(world, e[3], "carriage\rreturn");
    covey_parent_set(world, e[1], e[0]);
    covey_parent_set(world, e[2], e[0]);
    covey_add(world, e[0], Body, { { 1.5f, 0.1f }, 0.1, e[1], { 1, -2, 3, -4 }, true, "hull" });
    covey_add(world, e[7], Body, { { 0, 1e10f }, 1e300, { 0, 0 }, { 0 }, false, "a,\"b\"\r\nc " });
    put_numbers(world, e);
    put_holes(world, e);
    covey_add(world, e[5], Blob, { { 0, 1, 2, 0xFD, 0xFE, 0xFF } });
    covey_add(world, e[3], Blob, { { 1, 2, 3 } });
    covey_add(world, e[4], Blob, { { 1, 2, 3 } });
    covey_add_tag(world, e[5], Marked);
    covey_add_tag(world, e[6], Marked);
    covey_disable(world, e[6]);
    covey_component_disable(world, e[0], Body);
    covey_resource_set(world, Clock, { 77, "north" });
    covey_resource_set_tag(world, Paused);
    covey_pool_of(world, Never);
    need(covey_world_result(world) == COVEY_OK, "a call failed");
    return world;
}

/* The second is the first, and then something happened. */
static void change(covey_world *world, covey_entity e[8]) {
    covey_tick_advance(world);
    covey_destroy(world, e[5]);
    covey_entity fresh = covey_create(world), more = covey_create(world);
    covey_name_set(world, fresh, "fresh");
    covey_name_set(world, e[0], "boat");
    covey_name_set(world, e[2], NULL);
    covey_parent_set(world, e[2], e[1]);
    covey_parent_set(world, more, e[1]);
    Body *body = covey_patch(world, e[0], Body, NULL, NULL);
    body->at.x = 2;
    body->hits[3] = 4;
    body->owner = e[2];
    body->asleep = false;
    memcpy(body->label, "hull\0x\n", 7);
    covey_remove(world, e[7], Body);
    covey_add_tag(world, e[4], Marked);
    covey_get(world, e[4], Shape)->corners[1].x = f32_of(0x7FC00001);
    covey_get(world, e[3], Shape)->corners[1].x = 0;
    covey_get(world, e[2], Numbers)->letter = 'n';
    Blob *full = covey_get(world, e[3], Blob), *half = covey_get(world, e[4], Blob);
    need(full && half, "a blob is missing");
    memset(full->bytes + 2, 0xAB, 17);
    memset(half->bytes + 2, 0xCD, 2);
    covey_enable(world, e[6]);
    covey_component_enable(world, e[0], Body);
    covey_component_disable(world, e[3], Stays);
    covey_resource_get(world, Clock)->frame = 78;
    covey_resource_remove(world, Paused);
    need(covey_world_result(world) == COVEY_OK, "a call failed");
}

/* ---- Files -------------------------------------------------------------------------------------------------------*/

static const char *path_of(const char *folder, const char *name) {
    static char path[4096];
    need((size_t)snprintf(path, sizeof path, "%s/%s", folder, name) < sizeof path, "the path is too long");
    return path;
}

static void write_file(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    need(file && fwrite(bytes, 1, size, file) == size, "cannot write");
    need(fclose(file) == 0, "cannot write");
}

static covey_buffer image_of(covey_world *world) {
    covey_buffer buffer = { 0 };
    covey_report report;
    need(covey_save_to_buffer(world, &buffer, NULL, &report) == COVEY_OK, report.text);
    return buffer;
}

static void save(covey_world *world, const char *path) {
    covey_buffer buffer = image_of(world);
    write_file(path, buffer.bytes, buffer.size);
    covey_buffer_free(&buffer);
}

static uint32_t crc32c(uint32_t sum, const unsigned char *bytes, size_t size) {
    sum = ~sum;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0x82F63B78u : 0);
    }
    return ~sum;
}

static uint64_t number_at(const unsigned char *at, int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; i++) number |= (uint64_t)at[i] << 8 * i;
    return number;
}

static void put_u32(unsigned char *at, uint32_t number) {
    for (int i = 0; i < 4; i++) at[i] = (unsigned char)(number >> 8 * i);
}

/* Makes the checksums those of the bytes, of an image whose table is sound. */
static void mend(unsigned char *bytes, size_t size) {
    unsigned char *trailer = bytes + size - 16;
    uint32_t sections = (uint32_t)number_at(trailer + 8, 4);
    unsigned char *table = trailer - sections * 16, *at = bytes + 16;
    for (uint32_t i = 0; i < sections; i++) {
        size_t length = (size_t)number_at(table + i * 16 + 8, 8);
        put_u32(table + i * 16 + 4, crc32c(0, at, length));
        at += length;
    }
    uint32_t sum = crc32c(0, bytes, 16);
    put_u32(trailer + 12, crc32c(sum, table, (size_t)(trailer - table) + 12));
}

/* ---- What is made ------------------------------------------------------------------------------------------------*/

static void make_units(const char *folder) {
    covey_world *before = covey_world_create(NULL), *after = covey_world_create(NULL);
    Unit1 old = { 5, 6, { 7, 8 }, { 1, 2 } };
    Unit2 young = { { 7, 9, 10 }, 4, { 1, 3 }, true };
    covey_add_raw(before, covey_create(before), &unit1, &old);
    covey_add_raw(after, covey_create(after), &unit2, &young);
    save(before, path_of(folder, "unit1.covey"));
    save(after, path_of(folder, "unit2.covey"));
    covey_world_destroy(before);
    covey_world_destroy(after);
}

static void make_notes(const char *folder) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[3];
    need(world && covey_create_many(world, e, 3), "no world");
    covey_add(world, e[0], Note, { 1, "a note", e[1] });
    covey_add(world, e[1], Note, { 2, "", { 0, 0 } });
    covey_add(world, e[2], Note, { 3, "the same", e[2] });
    save(world, path_of(folder, "note1.covey"));
    covey_set(world, e[0], Note, { 1, "another note", e[2] });
    covey_set(world, e[1], Note, { 2, "new", e[1] });
    save(world, path_of(folder, "note2.covey"));
    covey_world_destroy(world);
}

/* Names that are no names of files, and two that differ only where some file systems do not. */
static void make_odd_names(const char *folder) {
    static const char *const names[] = { "../up", "a/b", "A/B", "\x1B[2J", "two, \"words\"" };
    covey_world *world = covey_world_create(NULL);
    covey_entity e = covey_create(world);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const covey_type *type = covey_type_create(world, &(covey_type){ .name = names[i] });
        covey_add_raw(world, e, type, NULL);
    }
    need(covey_world_result(world) == COVEY_OK, "a call failed");
    save(world, path_of(folder, "odd.covey"));
    covey_world_destroy(world);
}

/* A type that says more of itself than it has: no entity has it. */
typedef struct {
    unsigned char bytes[1 << 28];
} Vast;
COVEY_FIELDS_DEFINE(Vast, array(u8, bytes));
COVEY_COMPONENT_DEFINE(Vast, .fields = &covey_fields_Vast);

static void make_vast(const char *folder) {
    covey_world *world = covey_world_create(NULL);
    need(covey_pool_of(world, Vast) != NULL, "no pool");
    save(world, path_of(folder, "vast.covey"));
    covey_world_destroy(world);
}

/* Each entity in a page of its own: 288 KB that take 105 MB. Only where there are so many indices. */
static void make_scattered(const char *folder) {
    if (COVEY_NONE / 24000 < 4096) return;
    covey_world *world = covey_world_create(NULL);
    for (uint32_t i = 0; i < 24000; i++) need(!covey_is_null(covey_create_at(world, i * 4096)), "no entity");
    save(world, path_of(folder, "scattered.covey"));
    covey_world_destroy(world);
}

static void make_empty(const char *folder) {
    covey_world *world = covey_world_create(NULL);
    save(world, path_of(folder, "nobody.covey"));
    covey_world_destroy(world);
}

/* Where bytes are in an image. */
static size_t find(const covey_buffer *image, const void *bytes, size_t size) {
    for (size_t i = 0; i + size <= image->size; i++)
        if (memcmp(image->bytes + i, bytes, size) == 0) return i;
    need(false, "bytes are not there");
    return 0;
}

static void make_damaged(const char *folder, covey_world *world) {
    covey_buffer image = image_of(world);
    size_t place = find(&image, "north", 5), label = find(&image, "hull", 4);
    write_file(path_of(folder, "cut.covey"), image.bytes, image.size - 7);
    write_file(path_of(folder, "empty.covey"), "", 0);
    write_file(path_of(folder, "text.covey"), "hello\n", 6);
    image.bytes[place] ^= 1;
    write_file(path_of(folder, "flipped.covey"), image.bytes, image.size);
    image.bytes[place] ^= 1;
    image.bytes[label - 1] = 2; /* the bool before it */
    mend(image.bytes, image.size);
    write_file(path_of(folder, "value.covey"), image.bytes, image.size);
    image.bytes[label - 1] = 1;
    memcpy(image.bytes + find(&image, "u64", 3), "i64", 3);
    mend(image.bytes, image.size);
    write_file(path_of(folder, "twice.covey"), image.bytes, image.size);
    image.bytes[8] = 99;
    write_file(path_of(folder, "version.covey"), image.bytes, image.size);
    covey_buffer_free(&image);
}

/* Not there if the library was built without zstd: then saving fails, and a world remembers. */
static void make_packed(const char *folder, covey_world *world) {
    covey_world *clone = covey_world_clone(world, NULL);
    need(clone != NULL, "no clone");
    (void)covey_save_to_file(clone, path_of(folder, "packed.covey"), &(covey_save_desc){ .zstd_level = 3 }, NULL);
    covey_world_destroy(clone);
}

/* ---- Checkpoints: what covey::mpi writes, without MPI ------------------------------------------------------------*/

static const char *rank_of(const char *folder, const char *name, uint64_t number, uint32_t rank) {
    static char text[4200];
    covey__manifest_file(text, sizeof text, path_of(folder, name), number, rank);
    return text;
}

static void make_manifest(const char *folder, const char *name, covey__manifest m) {
    char text[COVEY__MANIFEST_BYTES];
    write_file(path_of(folder, name), text, covey__manifest_print(text, &m));
}

static bool is_of_rank(const covey_world *world, covey_entity e, void *rank) {
    (void)world;
    return e.index % 3 == *(uint32_t *)rank;
}

/* All of a world, on three ranks. */
static void make_ranks(const char *folder, covey_world *world, const char *name) {
    for (uint32_t rank = 0; rank < 3; rank++) {
        covey_save_desc desc = { .choose = is_of_rank, .choose_context = &rank };
        need(covey_save_to_file(world, rank_of(folder, name, 7, rank), &desc, NULL) == COVEY_OK, "no image of a rank");
    }
    make_manifest(folder, name, (covey__manifest){ 7, 3, 0, 1000 });
}

static covey_entity of_rank(covey_world *world, uint32_t index, int32_t hit) {
    covey_entity e = covey_create_at(world, index);
    covey_add(world, e, Body, { .mass = index, .hits = { hit }, .owner = covey_entity_make(index + 1, 1) });
    return e;
}

/* A world, and the same on three ranks: trees, names, disabled entities, values that own memory, and handles of
 * entities of other ranks. */
static void make_checkpoint(const char *folder) {
    covey_world *world = covey_world_create(NULL);
    for (uint32_t i = 0; i < 12; i++) {
        covey_entity e = of_rank(world, i, (int32_t)i);
        if (i % 2) covey_add_tag(world, e, Marked);
        if (i % 4 == 1) covey_add(world, e, Note, { i, "a note", covey_entity_make(i + 2, 1) });
        if (i % 5 == 2) covey_disable(world, e);
        if (i % 5 == 3) covey_component_disable(world, e, Body);
        if (i >= 3) covey_parent_set(world, e, covey_entity_at(world, i - 3));
        char name[] = { (char)('a' + (int)i), 0 };
        covey_name_set(world, e, name);
    }
    save(world, path_of(folder, "whole.covey"));
    make_ranks(folder, world, "ranks");
    make_ranks(folder, world, "lost");
    need(remove(rank_of(folder, "lost", 7, 1)) == 0, "no image of a rank");
    make_manifest(folder, "vast", (covey__manifest){ 7, 2000000000, 0, 1 });
    make_manifest(folder, "hostile", (covey__manifest){ 7, 2000000000, 0, 1000 });
    make_manifest(folder, "twins", (covey__manifest){ 9, 2, 0, 1000 });
    save(world, rank_of(folder, "twins", 9, 0));
    save(world, rank_of(folder, "twins", 9, 1));
    write_file(path_of(folder, "short"), "covey-mpi 1 number 7 ranks 3", 28);
    write_file(path_of(folder, "later"), "covey-mpi 2 number 7 ranks 3", 28);
    covey_world_destroy(world);
}

static void make_all(const char *folder) {
    covey_entity e[8];
    covey_world *world = make_world(e);
    save(world, path_of(folder, "a.covey"));
    make_damaged(folder, world);
    make_packed(folder, world);
    change(world, e);
    save(world, path_of(folder, "b.covey"));
    covey_world_destroy(world);
    make_units(folder);
    make_notes(folder);
    make_odd_names(folder);
    make_vast(folder);
    make_scattered(folder);
    make_empty(folder);
    make_checkpoint(folder);
}

/* ---- Mutations ---------------------------------------------------------------------------------------------------*/

static uint32_t draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

static void mutate(const char *from, const char *to, uint64_t seed) {
    static unsigned char bytes[1 << 16];
    FILE *file = fopen(from, "rb");
    need(file != NULL, "cannot read");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    need(size > 32 && size < sizeof bytes, "not an image that can be changed");
    size_t table = size - 16 - (size_t)number_at(bytes + size - 8, 4) * 16;
    uint64_t state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (uint32_t changes = 1 + draw(&state) % 4; changes != 0; changes--) {
        unsigned char *at = &bytes[16 + draw(&state) % (table - 16)];
        switch (draw(&state) % 4) {
        case 0: *at ^= (unsigned char)(1u << draw(&state) % 8); break;
        case 1: *at = (unsigned char)draw(&state); break;
        case 2: ++*at; break;
        case 3: *at = 0xFF; break;
        }
    }
    mend(bytes, size);
    write_file(to, bytes, size);
}

int main(int count, char **arguments) {
    if (count == 2) make_all(arguments[1]);
    else if (count == 5 && strcmp(arguments[1], "mutate") == 0)
        mutate(arguments[2], arguments[3], strtoull(arguments[4], NULL, 10));
    else {
        fprintf(stderr, "usage: make DIR | make mutate IN OUT SEED\n");
        return 2;
    }
    return 0;
}
