/* Worlds as bytes: what is in an image, the ways to write one, and when that fails. */
#include "fixture.h"
#include "images.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>
#include <stdlib.h>

static covey_buffer image, other;

static int save_setup(void **state) {
    image = other = (covey_buffer){ 0 };
    return world_setup(state);
}

static int save_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&other);
    return world_teardown(state);
}

#define SAVE_TEST(test) cmocka_unit_test_setup_teardown(test, save_setup, save_teardown)

static void save(covey_world *of, covey_buffer *to) {
    to->size = 0;
    assert_int_equal(covey_save_to_buffer(of, to, NULL, NULL), COVEY_OK);
}

static void assert_same_bytes(const covey_buffer *a, const covey_buffer *b) {
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
}

/* The section of this kind and name; its kind is 0 if there is none. */
static covey_section find_section(const covey_buffer *in, covey_section_kind kind, const char *name) {
    covey_image_info info;
    covey_section section = { 0 };
    assert_true(covey_image_read_info(in->bytes, in->size, &info, NULL));
    for (uint32_t i = 0; i < info.sections; i++) {
        assert_true(covey_image_section(in->bytes, in->size, i, &section, NULL));
        if (section.kind == kind && strcmp(section.name, name) == 0) return section;
    }
    return (covey_section){ 0 };
}

/* ---- What is in it ------------------------------------------------------------------------------------------------*/

static void test_equal_worlds_give_equal_bytes(void **state) {
    (void)state;
    test_heap twin_heap;
    covey_world *twin = image_world(&twin_heap);
    assert_true(image_fill(world) && image_fill(twin));
    save(world, &image);
    save(twin, &other);
    assert_same_bytes(&image, &other);
    assert_non_null(covey_add(twin, covey_entity_next(twin, entity(0, 0)), Settings, { 1, 2 }));
    save(twin, &other);
    assert_true(image.size != other.size);
    covey_world_destroy(twin);
}

static void test_a_clone_gives_the_same_bytes(void **state) {
    (void)state;
    assert_true(image_fill(world));
    covey_clear(world, Blob); /* it cannot be copied */
    covey_resource_remove(world, Blob);
    save(world, &image);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    save(twin, &other);
    covey_world_destroy(twin);
    assert_same_bytes(&image, &other);
}

/* Capacities, and how it came about, do not matter. */
static void test_shrinking_does_not_change_the_bytes(void **state) {
    (void)state;
    assert_true(image_fill(world));
    save(world, &image);
    covey_shrink(world);
    save(world, &other);
    assert_same_bytes(&image, &other);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) covey_pool_reserve(covey_pool_of(world, InPack), 100);
    save(world, &other);
    assert_same_bytes(&image, &other);
}

static void test_saving_does_not_change_the_world(void **state) {
    (void)state;
    assert_true(image_fill(world));
    uint64_t digest = world_digest(world);
    size_t memory = covey_world_memory(world);
    save(world, &image);
    assert_int_equal(world_digest(world), digest);
    assert_int_equal(covey_world_memory(world), memory);
    assert_int_equal(covey_world_result(world), COVEY_OK);
    assert_int_equal(heard.times, 0);
}

static void test_an_image_can_be_looked_into(void **state) {
    (void)state;
    covey_image_info info;
    assert_true(image_fill(world));
    save(world, &image);
    assert_true(covey_image_read_info(image.bytes, image.size, &info, NULL));
    assert_int_equal(info.version, COVEY_IMAGE_VERSION);
    assert_int_equal(info.bytes, image.size);
    assert_int_equal(info.tick, covey_tick(world));
    assert_int_equal(info.entities, covey_entity_count(world));
    covey_section kinds = find_section(&image, COVEY_SECTION_POOL, "Kinds");
    assert_int_equal(kinds.count, covey_pool_count(covey_pool_of(world, Kinds)));
    assert_int_equal(kinds.encoding, COVEY_ENCODING_FIELDS);
    assert_int_equal(kinds.storage, COVEY_STORAGE_BLOCK);
    /* one number of each size, and so on: */
    uint32_t spot = 4 + 1 + 2, record = 2 * (1 + 2 + 4 + 8) + 4 + 8 + 1 + 1 + 8 + 10 + 6 + 16 + 3 * spot + 3 + 16;
    assert_int_equal(kinds.value_bytes, record);
    covey_section raw = find_section(&image, COVEY_SECTION_POOL, "Blob");
    bool little = *(const unsigned char *)&(uint16_t){ 1 } == 1;
    assert_int_equal(raw.encoding, little ? COVEY_ENCODING_BYTES_LITTLE : COVEY_ENCODING_BYTES_BIG);
    assert_int_equal(raw.value_bytes, sizeof(Blob));
    covey_section tag = find_section(&image, COVEY_SECTION_POOL, "SparseTag");
    assert_int_equal(tag.encoding, COVEY_ENCODING_NONE);
    assert_int_equal(tag.storage, COVEY_STORAGE_SPARSE);
    assert_int_equal(find_section(&image, COVEY_SECTION_RESOURCE, "Settings").count, 1);
    assert_int_equal(find_section(&image, COVEY_SECTION_NAMES, "").count, 3);
    assert_int_equal(find_section(&image, COVEY_SECTION_PARENTS, "").count, 2);
    covey_section none;
    covey_report report;
    assert_false(covey_image_section(image.bytes, image.size, info.sections, &none, &report));
    assert_int_equal(report.fault, COVEY_FAULT_STRUCTURE);
}

static void test_damage_is_seen_by_who_looks(void **state) {
    (void)state;
    covey_image_info info;
    covey_section section;
    covey_report report;
    assert_true(image_fill(world));
    save(world, &image);
    image.bytes[20] ^= 1; /* in the section of the world */
    assert_false(covey_image_read_info(image.bytes, image.size, &info, &report));
    assert_int_equal(report.fault, COVEY_FAULT_CHECKSUM);
    image.bytes[20] ^= 1;
    assert_false(covey_image_read_info(image.bytes, image.size - 1, &info, NULL));
    assert_false(covey_image_read_info("what is this?", 13, &info, &report));
    assert_int_equal(report.fault, COVEY_FAULT_NOT_AN_IMAGE);
    assert_false(covey_image_section(image.bytes, 40, 0, &section, &report));
    assert_int_equal(report.fault, COVEY_FAULT_SIZE);
}

static void test_transient_types_are_left_out(void **state) {
    (void)state;
    assert_true(image_fill(world));
    save(world, &image);
    assert_int_equal(find_section(&image, COVEY_SECTION_POOL, "Lost").kind, 0);
    assert_int_equal(find_section(&image, COVEY_SECTION_RESOURCE, "Lost").kind, 0);
    assert_int_not_equal(find_section(&image, COVEY_SECTION_RESOURCE, "Blob").kind, 0);
}

static void test_only_some_types_can_be_saved(void **state) {
    (void)state;
    static const covey_type *const some[] = { covey_id(InPack), covey_id(Settings), NULL };
    assert_true(image_fill(world));
    assert_int_equal(covey_save_to_buffer(world, &image, &(covey_save_desc){ .types = some }, NULL), COVEY_OK);
    assert_int_not_equal(find_section(&image, COVEY_SECTION_POOL, "InPack").kind, 0);
    assert_int_not_equal(find_section(&image, COVEY_SECTION_RESOURCE, "Settings").kind, 0);
    assert_int_equal(find_section(&image, COVEY_SECTION_POOL, "Kinds").kind, 0);
    assert_int_equal(find_section(&image, COVEY_SECTION_RESOURCE, "Blob").kind, 0);
    covey_image_info info;
    assert_true(covey_image_read_info(image.bytes, image.size, &info, NULL));
    assert_int_equal(info.entities, covey_entity_count(world));
}

/* Ids that a command buffer has set aside are free in the image, as they are in a clone. */
static void test_ids_that_are_set_aside_are_free_in_an_image(void **state) {
    (void)state;
    assert_true(image_fill(world));
    save(world, &image);
    covey_commands *commands = covey_commands_create(world, NULL);
    assert_int_equal(covey_commands_reserve(commands, 5), COVEY_OK);
    save(world, &other);
    covey_commands_destroy(commands);
    covey_image_info before, after;
    assert_true(covey_image_read_info(image.bytes, image.size, &before, NULL));
    assert_true(covey_image_read_info(other.bytes, other.size, &after, NULL));
    assert_int_equal(before.entities, after.entities);
    test_heap twin_heap;
    covey_world *twin = image_world(&twin_heap);
    covey_load_desc desc = { .types = image_types };
    assert_int_equal(covey_load_from_memory(twin, other.bytes, other.size, &desc, NULL), COVEY_OK);
    test_world_is_valid(twin);
    assert_int_equal(covey_entity_count(twin), covey_entity_count(world));
    covey_world_destroy(twin);
}

/* ---- The ways to write one ----------------------------------------------------------------------------------------*/

static bool append(const void *bytes, size_t size, void *context) {
    covey_buffer *to = context;
    unsigned char *grown = realloc(to->bytes, to->size + size);
    if (!grown) return false;
    memcpy(grown + to->size, bytes, size);
    to->bytes = grown;
    to->size += size;
    return true;
}

typedef struct Page {
    uint8_t bytes[100000];
} Page;
typedef struct Book {
    Page pages[2];
    bool open;
} Book;
COVEY_FIELDS_DEFINE(Page, array(u8, bytes));
COVEY_FIELDS_DEFINE(Book, nested_array(Page, pages), boolean(open));
COVEY_COMPONENT_DEFINE(Book, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Book);
COVEY_COMPONENT_DEFINE(Page, .as_bytes = true);

/* Records that are larger than the window of a stream, and more than one window of small ones. */
static void fill_much(void) {
    static Book book = { .open = true };
    for (uint32_t i = 0; i < sizeof(Page); i++) book.pages[i % 2].bytes[i] = (uint8_t)(i * 7);
    assert_true(image_fill(world));
    assert_non_null(covey_resource_set_value(world, Page, &book.pages[0]));
    for (uint32_t i = 0; i < (COVEY_NONE < 5000 ? 500 : 20000); i++) {
        Kinds kinds = kinds_of(i, entity(0, 0));
        covey_entity e = covey_create(world);
        assert_non_null(covey_add_value(world, e, Kinds, &kinds));
        assert_non_null(covey_add(world, e, InPlace, { i, i }));
        if (i % 200 == 0 && i < 1000) assert_non_null(covey_add_value(world, e, Book, &book));
    }
}

static void test_stream_memory_and_buffer_have_the_same_bytes(void **state) {
    (void)state;
    fill_much();
    save(world, &image);
    covey_buffer streamed = { 0 };
    assert_int_equal(covey_save_to_stream(world, append, &streamed, NULL, NULL), COVEY_OK);
    assert_same_bytes(&image, &streamed);
    free(streamed.bytes);
    unsigned char *memory = malloc(image.size);
    assert_int_equal(covey_save_to_memory(world, memory, image.size, NULL, NULL), image.size);
    assert_memory_equal(memory, image.bytes, image.size);
    free(memory);
}

static void test_memory_that_is_too_small_says_how_much_is_needed(void **state) {
    (void)state;
    unsigned char memory[200];
    assert_true(image_fill(world));
    save(world, &image);
    assert_int_equal(covey_save_to_memory(world, NULL, 0, NULL, NULL), image.size);
    for (size_t capacity = 1; capacity < 200; capacity++) {
        memset(memory, 0xEE, sizeof memory);
        assert_int_equal(covey_save_to_memory(world, memory, capacity, NULL, NULL), image.size);
        for (size_t i = capacity; i < sizeof memory; i++) assert_int_equal(memory[i], 0xEE);
    }
    assert_int_equal(heard.times, 0);
}

static void test_a_buffer_is_appended_to(void **state) {
    (void)state;
    assert_true(image_fill(world));
    save(world, &image);
    save(world, &other);
    assert_int_equal(covey_save_to_buffer(world, &other, NULL, NULL), COVEY_OK);
    assert_int_equal(other.size, 2 * image.size);
    assert_memory_equal(other.bytes, image.bytes, image.size);
    assert_memory_equal(other.bytes + image.size, image.bytes, image.size);
}

static uint32_t calls_left;

static bool refuse_later(const void *bytes, size_t size, void *context) {
    (void)bytes, (void)size, (void)context;
    return calls_left-- != 1;
}

static void test_a_stream_that_refuses_ends_the_call(void **state) {
    (void)state;
    covey_report report;
    fill_much();
    for (uint32_t at = 1; at <= 3; at++) {
        calls_left = at;
        uint32_t times = heard.times;
        assert_int_equal(covey_save_to_stream(world, refuse_later, NULL, NULL, &report), COVEY_ERROR_FILE);
        assert_int_equal(calls_left, 0); /* it is not asked again */
        assert_int_equal(report.result, COVEY_ERROR_FILE);
        assert_int_equal(report.fault, COVEY_FAULT_NONE);
        assert_int_equal(heard.times, times + 1);
        assert_failed(COVEY_ERROR_FILE);
    }
}

/* ---- Progress -----------------------------------------------------------------------------------------------------*/

typedef struct progress {
    uint32_t calls, stop_at;
    uint64_t done, all;
} progress;

static bool note_progress(uint64_t done, uint64_t all, void *context) {
    progress *p = context;
    assert_true(done >= p->done && done <= all);
    p->done = done;
    p->all = all;
    return ++p->calls != p->stop_at;
}

/* More than a megabyte. */
static void fill_very_much(void) {
    fill_much();
    static Book book;
    for (uint32_t i = 0; i < 20; i++) assert_non_null(covey_add_value(world, covey_create(world), Book, &book));
}

static void test_progress_is_told_of(void **state) {
    (void)state;
    progress heard_of = { 0 };
    covey_save_desc desc = { .progress = note_progress, .progress_context = &heard_of };
    fill_very_much();
    save(world, &other);
    assert_int_equal(covey_save_to_buffer(world, &image, &desc, NULL), COVEY_OK);
    assert_same_bytes(&image, &other);
    assert_true(heard_of.calls >= 3);
    assert_int_equal(heard_of.done, image.size);
    assert_int_equal(heard_of.all, image.size);
    heard_of = (progress){ 0 };
    assert_int_equal(covey_save_to_memory(world, image.bytes, image.size, &desc, NULL), image.size);
    assert_true(heard_of.calls >= 3 && heard_of.done == image.size && heard_of.all == image.size);
    heard_of = (progress){ 0 };
    covey_buffer streamed = { 0 };
    assert_int_equal(covey_save_to_stream(world, append, &streamed, &desc, NULL), COVEY_OK);
    assert_true(heard_of.calls >= 3 && heard_of.done == image.size && heard_of.all == image.size);
    free(streamed.bytes);
}

/* Whatever the reason: cancelled here, when the image is half written. */
static void test_a_save_that_fails_leaves_the_buffer_as_it_was(void **state) {
    (void)state;
    progress heard_of = { .stop_at = 2 };
    covey_save_desc desc = { .progress = note_progress, .progress_context = &heard_of };
    fill_very_much();
    assert_int_equal(covey_save_to_buffer(world, &image, &desc, NULL), COVEY_ERROR_CANCELLED);
    assert_true(!image.bytes && image.size == 0 && image.capacity == 0);
    save(world, &image);
    save(world, &other);
    covey_buffer before = image;
    heard_of = (progress){ .stop_at = 2 };
    assert_int_equal(covey_save_to_buffer(world, &image, &desc, NULL), COVEY_ERROR_CANCELLED);
    assert_true(image.bytes == before.bytes && image.capacity == before.capacity);
    assert_same_bytes(&image, &other);
}

static void test_saving_can_be_cancelled(void **state) {
    (void)state;
    progress heard_of = { .stop_at = 2 };
    covey_save_desc desc = { .progress = note_progress, .progress_context = &heard_of };
    covey_report report;
    fill_very_much();
    assert_int_equal(covey_save_to_buffer(world, &image, &desc, &report), COVEY_ERROR_CANCELLED);
    assert_int_equal(image.size, 0);
    assert_int_equal(heard_of.calls, 2);
    assert_int_equal(report.result, COVEY_ERROR_CANCELLED);
    assert_int_equal(heard.times, 1);
    assert_failed(COVEY_ERROR_CANCELLED);
}

/* ---- What cannot be saved -----------------------------------------------------------------------------------------*/

static void fails_to_save(covey_result reason, const char *culprit) {
    covey_report report;
    uint64_t digest = world_digest(world);
    char bytes[8] = "";
    for (uint32_t way = 0; way < 3; way++) {
        uint32_t times = heard.times;
        memset(&report, 0xAA, sizeof report);
        if (way == 0) assert_int_equal(covey_save_to_memory(world, bytes, sizeof bytes, NULL, &report), 0);
        if (way == 1) assert_int_equal(covey_save_to_buffer(world, &image, NULL, &report), reason);
        if (way == 2) assert_int_equal(covey_save_to_stream(world, append, NULL, NULL, &report), reason);
        assert_int_equal(heard.times, times + 1);
        assert_failed(reason);
        assert_int_equal(report.result, reason);
        assert_non_null(strstr(report.text, culprit));
    }
    assert_int_equal(image.size, 0);
    assert_int_equal(world_digest(world), digest);
}

typedef struct Opaque {
    void *pointer;
} Opaque;
COVEY_COMPONENT_DEFINE(Opaque);

static void test_types_that_say_nothing_of_their_bytes_cannot_be_saved(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Opaque, { NULL }));
    fails_to_save(COVEY_ERROR_TYPE, "Opaque");
    assert_true(covey_remove(world, e, Opaque));
    save(world, &image); /* a pool without components does no harm */
    assert_int_equal(find_section(&image, COVEY_SECTION_POOL, "Opaque").kind, 0);
    image.size = 0;
    assert_non_null(covey_resource_set(world, Opaque, { NULL }));
    fails_to_save(COVEY_ERROR_TYPE, "Opaque");
    static const covey_type *const some[] = { covey_id(InPack), NULL };
    assert_int_equal(covey_save_to_buffer(world, &image, &(covey_save_desc){ .types = some }, NULL), COVEY_OK);
}

/* In an image, handles have eight bytes. */
static void test_values_that_are_too_large_for_an_image_cannot_be_saved(void **state) {
    (void)state;
    enum { HANDLE = sizeof(covey_entity) };
    const uint32_t most = UINT32_MAX / HANDLE;
    const covey_field field = { "crowd", COVEY_KIND_ENTITY, 0, most, NULL, { 0 } };
    const covey_fields fields = { most * HANDLE, 1, &field };
    const covey_type crowd = { .name = "Crowd", .size = fields.size, .align = HANDLE, .fields = &fields };
    assert_non_null(covey_pool_of_raw(world, covey_type_create(world, &crowd)));
    if (HANDLE == 4) fails_to_save(COVEY_ERROR_TYPE, "Crowd");
    else save(world, &image);
}

static void test_a_name_of_two_types_cannot_be_saved(void **state) {
    (void)state;
    static const covey_type narrow = { .name = "InPack", .size = 4, .align = 4, .as_bytes = true };
    assert_true(image_fill(world));
    assert_non_null(covey_resource_set_raw(world, &narrow, NULL));
    fails_to_save(COVEY_ERROR_TYPE, "InPack");
    assert_true(covey_resource_remove_raw(world, &narrow));
    assert_non_null(covey_resource_set(world, InPack, { 1, 2 }));
    save(world, &image);
}

static uint32_t tried;

static void save_meanwhile(const covey_event *event, void *context) {
    (void)context;
    covey_report report;
    assert_int_equal(covey_save_to_memory(event->world, NULL, 0, NULL, &report), 0);
    assert_int_equal(report.result, COVEY_ERROR_REFUSED);
    tried++;
}

static void test_listeners_cannot_save(void **state) {
    (void)state;
    tried = 0;
    covey_connect(world,
                  &(covey_listener){ .type = covey_id(InPack), .signals = COVEY_ON_ADD, .call = save_meanwhile });
    assert_non_null(covey_add(world, covey_create(world), InPack, { 1, 2 }));
    assert_int_equal(tried, 1);
    assert_failed(COVEY_ERROR_REFUSED);
    save(world, &image);
}

static void test_there_are_at_most_16384_sections(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 16384 - 3; i++) {
        char name[] = { 'T', (char)('a' + i % 26), (char)('a' + i / 26 % 26), (char)('a' + i / 676), '\0' };
        assert_non_null(covey_type_create(world, &(covey_type){ .name = name }));
        if (i == 16384 - 5) save(world, &image);
    }
    image.size = 0;
    fails_to_save(COVEY_ERROR_RANGE, "too many");
}

static void test_a_name_that_is_too_long_cannot_be_saved(void **state) {
    (void)state;
    static char name[70000];
    memset(name, 'x', sizeof name - 1);
    const covey_type *type =
        covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4, .as_bytes = true });
    assert_non_null(covey_add_raw(world, covey_create(world), type, NULL));
    fails_to_save(COVEY_ERROR_RANGE, "name");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SAVE_TEST(test_equal_worlds_give_equal_bytes),
        SAVE_TEST(test_a_clone_gives_the_same_bytes),
        SAVE_TEST(test_shrinking_does_not_change_the_bytes),
        SAVE_TEST(test_saving_does_not_change_the_world),
        SAVE_TEST(test_an_image_can_be_looked_into),
        SAVE_TEST(test_damage_is_seen_by_who_looks),
        SAVE_TEST(test_transient_types_are_left_out),
        SAVE_TEST(test_only_some_types_can_be_saved),
        SAVE_TEST(test_ids_that_are_set_aside_are_free_in_an_image),
        SAVE_TEST(test_stream_memory_and_buffer_have_the_same_bytes),
        SAVE_TEST(test_memory_that_is_too_small_says_how_much_is_needed),
        SAVE_TEST(test_a_buffer_is_appended_to),
        SAVE_TEST(test_a_stream_that_refuses_ends_the_call),
        SAVE_TEST(test_progress_is_told_of),
        SAVE_TEST(test_a_save_that_fails_leaves_the_buffer_as_it_was),
        SAVE_TEST(test_saving_can_be_cancelled),
        SAVE_TEST(test_types_that_say_nothing_of_their_bytes_cannot_be_saved),
        SAVE_TEST(test_values_that_are_too_large_for_an_image_cannot_be_saved),
        SAVE_TEST(test_a_name_of_two_types_cannot_be_saved),
        SAVE_TEST(test_listeners_cannot_save),
        SAVE_TEST(test_there_are_at_most_16384_sections),
        SAVE_TEST(test_a_name_that_is_too_long_cannot_be_saved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
