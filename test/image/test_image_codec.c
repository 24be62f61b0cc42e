/* Values that own memory: functions of their types save and load them. */
#include "fixture.h"
#include "images.h"
#include "texts.h"

#include "storage/unknown.h"

#include <stdio.h>

static covey_world *origin;
static test_heap origin_heap;
static covey_buffer image, again;

static int codec_setup(void **state) {
    texts = (text_ledger){ 0 };
    image = again = (covey_buffer){ 0 };
    origin = image_world(&origin_heap);
    return world_setup(state);
}

static int codec_teardown(void **state) {
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    covey_world_destroy(origin);
    int result = world_teardown(state);
    assert_int_equal(texts.live, 0);
    assert_false(texts.broken);
    return result;
}

#define CODEC_TEST(test) cmocka_unit_test_setup_teardown(test, codec_setup, codec_teardown)

static const covey_load_desc known = { .types = text_types }, keep = { .unknown = COVEY_UNKNOWN_KEEP };

static void save(covey_world *from, covey_buffer *to) {
    covey_report report;
    to->size = 0;
    if (covey_save_to_buffer(from, to, NULL, &report) != COVEY_OK) fail_msg("%s", report.text);
}

static void load(const covey_load_desc *desc) {
    covey_report report;
    if (covey_load_from_memory(world, image.bytes, image.size, desc, &report) != COVEY_OK)
        fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

static covey_report fails_to_load(const covey_load_desc *desc, covey_result reason) {
    covey_report report;
    uint32_t live = texts.live;
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, desc, &report), reason);
    assert_failed(reason);
    assert_int_equal(covey_entity_count(world), 0);
    assert_int_equal(covey_world_resource_count(world), 0);
    assert_int_equal(texts.live, live);
    assert_false(texts.broken);
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    return report;
}

static void is_same_text(const Text *a, const Text *b) {
    const text_place *was = text_of(a), *is = text_of(b);
    assert_int_not_equal(a->place, b->place);
    assert_int_equal(was->length, is->length);
    assert_memory_equal(was->text, is->text, was->length);
    assert_int_equal(was->link_count, is->link_count);
    for (uint32_t i = 0; i < was->link_count; i++) assert_same(was->links[i], is->links[i]);
}

/* Every entity has the same components here as in the world of the image. */
static void is_like_origin(void) {
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e));) {
        const Text *text = covey_get(origin, e, Text), *in_place = covey_get(origin, e, TextInPlace);
        const Crew *crew = covey_get(origin, e, Crew);
        assert_int_equal(!text, !covey_has(world, e, Text));
        assert_int_equal(!in_place, !covey_has(world, e, TextInPlace));
        assert_int_equal(!crew, !covey_has(world, e, Crew));
        if (text) is_same_text(text, covey_get(world, e, Text));
        if (in_place) is_same_text(in_place, covey_get(world, e, TextInPlace));
        if (!crew) continue;
        is_same_text(&crew->motto, &covey_get(world, e, Crew)->motto);
        assert_int_equal(covey_get(world, e, Crew)->rank, crew->rank);
        assert_int_equal(covey_get(world, e, Crew)->score, crew->score);
        assert_same(covey_get(world, e, Crew)->captain, crew->captain);
    }
}

/* ---- There and back -----------------------------------------------------------------------------------------------*/

static void test_what_values_own_goes_through_an_image(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    load(&known);
    is_like_origin();
    assert_string_equal(text_of(covey_resource_get(world, TextResource))->text, "world");
    save(world, &again);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
}

static bool append(const void *bytes, size_t size, void *context) {
    covey_buffer *to = context;
    assert_true(to->size + size <= to->capacity);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
    return true;
}

static void test_every_way_to_save_gives_the_same_bytes(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    save(origin, &again);
    assert_int_equal(covey_save_to_memory(origin, NULL, 0, NULL, NULL), image.size);
    memset(again.bytes, 0, again.size);
    assert_int_equal(covey_save_to_memory(origin, again.bytes, again.size, NULL, NULL), image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
    memset(again.bytes, 0, again.size);
    again.size = 0;
    assert_int_equal(covey_save_to_stream(origin, append, &again, NULL, NULL), COVEY_OK);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
    assert_true(covey_save_to_memory(origin, again.bytes, 100, NULL, NULL) == image.size);
}

static void note(covey_entity before, covey_entity now, void *context) {
    ((covey_entity *)context)[before.index] = now;
}

static void test_merging_maps_the_handles_that_functions_read(void **state) {
    (void)state;
    covey_entity now[16] = { { 0, 0 } }, mine[5];
    covey_load_desc desc = { .types = text_types, .merged = note, .merged_context = now };
    assert_true(text_fill(origin));
    assert_true(covey_create_many(world, mine, 5));
    save(origin, &image);
    assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
    test_world_is_valid(world);
    uint32_t linked = 0, null = 0;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(origin, e));) {
        const Text *was = covey_get(origin, e, Text), *is = covey_get(world, now[e.index], Text);
        for (uint32_t i = 0; was && i < text_of(was)->link_count; i++) {
            covey_entity before = text_of(was)->links[i];
            covey_entity expected = covey_alive(origin, before) ? now[before.index] : entity(0, 0);
            assert_same(text_of(is)->links[i], expected);
            linked += !covey_is_null(expected);
            null += covey_is_null(expected);
        }
        const Crew *crew = covey_get(origin, e, Crew);
        if (crew)
            assert_same(text_of(&covey_get(world, now[e.index], Crew)->motto)->links[0], now[crew->captain.index]);
    }
    assert_true(linked != 0 && null != 0);
    assert_same(text_of(covey_resource_get(world, TextResource))->links[0], now[0]);
}

/* The second image has a resource that is not taken over: it is dropped. */
static void test_resources_that_are_not_merged_are_dropped(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &known, NULL), COVEY_OK);
    assert_int_equal(covey_world_resource_count(world), 1);
    covey_world_destroy(origin);
    origin = image_world(&origin_heap);
    uint32_t values = 1;
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) values += covey_pool_count(covey_world_pool(world, i));
    assert_int_equal(texts.live, values);
}

/* ---- Saying no ----------------------------------------------------------------------------------------------------*/

static void test_saving_ends_with_what_a_function_says(void **state) {
    (void)state;
    covey_report report;
    assert_true(text_fill(world));
    texts.fails_with = COVEY_ERROR_FILE;
    texts.save_fails_at = texts.saves + 5;
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, &report), COVEY_ERROR_FILE);
    assert_failed(COVEY_ERROR_FILE);
    assert_non_null(strstr(report.text, "Text cannot be saved"));
    assert_int_equal(image.size, 0);
    texts.save_fails_at = texts.saves + 5;
    assert_int_equal(covey_save_to_memory(world, NULL, 0, NULL, NULL), 0);
    texts.save_fails_at = texts.saves + 5;
    assert_int_equal(covey_save_to_stream(world, append, &image, NULL, &report), COVEY_ERROR_FILE);
}

static void test_loading_ends_with_what_a_function_says(void **state) {
    (void)state;
    static const struct {
        covey_result said, result;
        covey_fault fault;
    } cases[] = {
        { COVEY_ERROR_MEMORY, COVEY_ERROR_MEMORY, COVEY_FAULT_NONE },
        { COVEY_ERROR_LIMIT, COVEY_ERROR_LIMIT, COVEY_FAULT_LIMIT },
        { COVEY_ERROR_IMAGE, COVEY_ERROR_IMAGE, COVEY_FAULT_VALUE },
        { COVEY_ERROR_FILE, COVEY_ERROR_IMAGE, COVEY_FAULT_VALUE },
    };
    assert_true(text_fill(origin));
    save(origin, &image);
    uint32_t values = texts.live;
    for (uint32_t i = 0; i < COUNT_OF(cases); i++)
        for (uint32_t at = 1; at <= values; at++) {
            texts.fails_with = cases[i].said;
            texts.load_fails_at = texts.loads + at;
            covey_report report = fails_to_load(&known, cases[i].result);
            assert_int_equal(report.fault, cases[i].fault);
            texts.load_fails_at = texts.loads + at;
            assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &known, NULL), cases[i].result);
            assert_int_equal(texts.live, values);
            assert_int_equal(covey_entity_count(world), 0);
        }
}

/* A value that was made before the image turned out to be wrong. */
static void test_values_are_dropped_when_the_rest_is_refused(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    assert_non_null(covey_resource_set(origin, Settings, { 1, 2 })); /* resources are loaded after components */
    save(origin, &image);
    uint32_t loads = texts.loads;
    covey_report report = fails_to_load(&known, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_true(texts.loads > loads + 10);
}

/* ---- Limits and hostile bytes -------------------------------------------------------------------------------------*/

static void test_a_value_has_no_more_bytes_than_its_codec_allows(void **state) {
    (void)state;
    covey_report report;
    covey_entity e = covey_create(origin);
    Text longer = text_make("seventeen letters", NULL, 0);
    assert_non_null(covey_add_value(origin, e, TextInPlace, &longer));
    assert_int_equal(covey_save_to_buffer(origin, &image, NULL, &report), COVEY_ERROR_LIMIT);
    assert_non_null(strstr(report.text, "TextInPlace"));
    covey_codec unlimited = *covey_id(TextInPlace)->codec;
    unlimited.limit = 0;
    covey_type type = *covey_id(TextInPlace);
    type.codec = &unlimited;
    covey_world *other = image_world(&(test_heap){ 0 });
    e = covey_create(other);
    longer = text_make("seventeen letters", NULL, 0);
    assert_non_null(covey_add_raw(other, e, &type, &longer));
    save(other, &image);
    covey_world_destroy(other);
    report = fails_to_load(&known, COVEY_ERROR_LIMIT);
    assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
}

static void test_a_limit_of_the_call_counts_what_functions_read(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    covey_load_desc desc = known;
    uint64_t enough = 1;
    for (; enough < UINT64_C(1) << 40; enough *= 2) {
        desc.limit_bytes = enough;
        if (covey_load_from_memory(world, image.bytes, image.size, &desc, NULL) == COVEY_OK) break;
        assert_failed(COVEY_ERROR_LIMIT);
    }
    assert_true(enough > 64 && enough < 1 << 26);
}

/* What the function of a test type reads. */
static struct {
    covey_kind kind;
    uint32_t count;
    bool counts;
} reads[4];
static uint32_t read_count;

static covey_result read_as_told(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    char at[64];
    memset(value, 0, 4);
    for (uint32_t i = 0; i < read_count; i++) {
        if (reads[i].counts) covey_codec_read_count(reader, reads[i].kind);
        else covey_codec_read(reader, reads[i].kind, at, reads[i].count);
    }
    return COVEY_OK;
}

static uint32_t drops;

static void count_drop(void *value, void *context) {
    (void)value, (void)context;
    drops++;
}

static covey_result write_nine(covey_codec_writer *writer, const void *value, void *context) {
    static const unsigned char nine[9] = { 1, 0, 0, 0, 2, 3, 4, 5, 6 };
    (void)value, (void)context;
    covey_codec_write(writer, COVEY_KIND_U8, nine, 9);
    return COVEY_OK;
}

static const covey_codec told_codec = { .save = write_nine, .load = read_as_told };
static const covey_type told = { .name = "Told", .size = 4, .align = 4, .codec = &told_codec, .drop = count_drop };
static const covey_load_desc knows_told = { .types = (const covey_type *const[]){ &told, NULL } };

static void refuses_reads(uint32_t count) {
    read_count = count;
    drops = 0;
    assert_int_equal(fails_to_load(&knows_told, COVEY_ERROR_IMAGE).fault, COVEY_FAULT_VALUE);
    assert_int_equal(drops, 1);
}

static void test_a_function_must_read_what_was_written(void **state) {
    (void)state;
    assert_non_null(covey_add_raw(origin, covey_create(origin), &told, NULL));
    save(origin, &image);
    refuses_reads(0); /* nothing */
    reads[0].kind = COVEY_KIND_U32, reads[0].count = 2;
    refuses_reads(1); /* too little */
    reads[1].kind = COVEY_KIND_U16, reads[1].count = 1;
    refuses_reads(2); /* too much */
    reads[1].kind = COVEY_KIND_BOOL;
    refuses_reads(2); /* a bool that is neither */
    reads[1].kind = COVEY_KIND_ENTITY;
    refuses_reads(2); /* there are no handles */
    reads[1].kind = COVEY_KIND_NESTED;
    refuses_reads(2); /* that is no kind to read */
    reads[1].kind = COVEY_KIND_U8;
    reads[0].kind = COVEY_KIND_U64, reads[0].counts = true;
    reads[1].count = 5;
    refuses_reads(2); /* one number of eight bytes cannot follow */
    reads[0].kind = COVEY_KIND_U8;
    read_count = 2;
    load(&knows_told);
}

static covey_result read_much(covey_codec_reader *reader, void *value, void *context) {
    (void)value, (void)context;
    unsigned char byte = 7;
    assert_int_equal(covey_codec_left(reader, COVEY_KIND_U8), 9);
    assert_int_equal(covey_codec_left(reader, COVEY_KIND_U32), 2);
    assert_int_equal(covey_codec_left(reader, COVEY_KIND_ENTITY), 0);
    assert_int_equal(covey_codec_left(reader, COVEY_KIND_NESTED), 0);
    assert_false(covey_codec_read(reader, COVEY_KIND_U32, &(uint32_t[3]){ 0 }, 3));
    assert_false(covey_codec_read(reader, COVEY_KIND_U8, &byte, 1)); /* all is zero from there on */
    assert_int_equal(byte, 0);
    assert_int_equal(covey_codec_left(reader, COVEY_KIND_U8), 0);
    return COVEY_OK;
}

static void test_after_a_read_that_failed_all_is_zero(void **state) {
    (void)state;
    static const covey_codec codec = { .save = write_nine, .load = read_much };
    static const covey_type much = { .name = "Told", .size = 4, .align = 4, .codec = &codec };
    assert_non_null(covey_add_raw(origin, covey_create(origin), &told, NULL));
    save(origin, &image);
    fails_to_load(&(covey_load_desc){ .types = (const covey_type *const[]){ &much, NULL } }, COVEY_ERROR_IMAGE);
}

static covey_result write_struct(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    covey_codec_write(writer, COVEY_KIND_NESTED, value, 1);
    return COVEY_OK;
}

static covey_result write_more_each_time(covey_codec_writer *writer, const void *value, void *context) {
    static uint32_t times;
    (void)value, (void)context;
    for (uint32_t i = 0; i <= times; i++) covey_codec_write_count(writer, i);
    times++;
    return COVEY_OK;
}

static void test_functions_that_write_nonsense_are_refused(void **state) {
    (void)state;
    static const covey_codec of_struct = { .save = write_struct, .load = read_as_told },
                             unsteady = { .save = write_more_each_time, .load = read_as_told };
    covey_type type = { .name = "Nonsense", .size = 4, .align = 4, .codec = &of_struct };
    const covey_type *made = covey_type_create(world, &type);
    assert_non_null(covey_add_raw(world, covey_create(world), made, NULL));
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_ERROR_TYPE);
    type.codec = &unsteady;
    made = covey_type_create(origin, &type);
    assert_non_null(covey_add_raw(origin, covey_create(origin), made, NULL));
    assert_int_equal(covey_save_to_buffer(origin, &image, NULL, NULL), COVEY_ERROR_TYPE);
    assert_int_equal(image.size, 0);
}

/* ---- Functions that change the world ------------------------------------------------------------------------------*/

#if COVEY_ASSERT_LEVEL >= 1
static struct {
    covey_world *world;
    uint32_t times;
    char text[200];
} broken;

static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    broken.times++;
    snprintf(broken.text, sizeof broken.text, "%s", what);
}

static covey_result change_and_save(covey_codec_writer *writer, const void *value, void *context) {
    assert_no_entity(covey_create(broken.world));
    return write_nine(writer, value, context);
}

static covey_result change_and_load(covey_codec_reader *reader, void *value, void *context) {
    unsigned char nine[9];
    (void)value, (void)context;
    assert_no_entity(covey_create(broken.world));
    covey_codec_read(reader, COVEY_KIND_U8, nine, 9);
    return COVEY_OK;
}

static bool change_and_choose(const covey_world *of, covey_entity e, void *context) {
    (void)of, (void)e, (void)context;
    assert_no_entity(covey_create(broken.world));
    return true;
}

static void was_broken(uint32_t times, const char *who) {
    assert_int_equal(broken.times, times);
    if (!strstr(broken.text, who)) fail_msg("\"%s\" does not name the %s", broken.text, who);
    broken.times = 0;
}

static void test_functions_must_not_change_the_world(void **state) {
    (void)state;
    static const covey_codec codec = { .save = change_and_save, .load = change_and_load };
    static const covey_type type = { .name = "Meddler", .size = 4, .align = 4, .codec = &codec };
    broken.times = 0;
    broken.world = covey_world_create(&(covey_world_desc){ .on_assert = note_broken });
    assert_non_null(covey_add_raw(broken.world, covey_create(broken.world), &type, NULL));
    save(broken.world, &image);
    was_broken(2, "save function of Meddler"); /* to count, and to write */
    covey_save_to_memory(broken.world, NULL, 0, &(covey_save_desc){ .choose = change_and_choose }, NULL);
    assert_int_equal(broken.times, 2);
    broken.times = 0;
    covey_load_desc desc = { .types = (const covey_type *const[]){ &type, NULL } };
    assert_int_equal(covey_merge_from_memory(broken.world, image.bytes, image.size, &desc, NULL), COVEY_OK);
    was_broken(1, "load function of Meddler");
    assert_int_equal(covey_entity_count(broken.world), 2);
    test_world_is_valid(broken.world);
    covey_world_destroy(broken.world);
}
#endif

/* ---- Values that memcpy must not move -----------------------------------------------------------------------------*/

typedef struct Self {
    const struct Self *self;
    uint32_t number;
} Self;

static uint32_t selves;

static void drop_self(void *value, void *context) {
    (void)context;
    assert_ptr_equal(((const Self *)value)->self, value);
    selves--;
}

static void move_self(void *to, void *from, void *context) {
    Self *self = to;
    (void)context;
    assert_ptr_equal(((const Self *)from)->self, from);
    memcpy(to, from, sizeof *self);
    self->self = to;
}

static covey_result save_self(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    covey_codec_write(writer, COVEY_KIND_U32, &((const Self *)value)->number, 1);
    return COVEY_OK;
}

static covey_result load_self(covey_codec_reader *reader, void *value, void *context) {
    Self *self = value;
    (void)context;
    covey_codec_read(reader, COVEY_KIND_U32, &self->number, 1);
    self->self = self;
    selves++;
    return COVEY_OK;
}

static const covey_codec self_codec = { .save = save_self, .load = load_self };

static covey_type self_type(covey_storage storage, covey_policy policy) {
    return (covey_type){ .name = "Self",
                         .size = sizeof(Self),
                         .align = _Alignof(Self),
                         .storage = storage,
                         .policy = policy,
                         .codec = &self_codec,
                         .drop = drop_self,
                         .move = move_self };
}

static void test_values_that_a_hook_moves_are_loaded_whatever_their_storage_is(void **state) {
    (void)state;
    static const struct {
        covey_storage storage;
        covey_policy policy;
    } ways[] = {
        { COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP }, { COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP },
        { COVEY_STORAGE_SPARSE, COVEY_ORDERED },      { COVEY_STORAGE_SPARSE, COVEY_SWAP_ONLY },
        { COVEY_STORAGE_PINNED, COVEY_SWAP_AND_POP },
    };
    covey_type types[COUNT_OF(ways)];
    selves = 0;
    for (uint32_t i = 0; i < COUNT_OF(ways); i++) types[i] = self_type(ways[i].storage, ways[i].policy);
    for (uint32_t from = 0; from < COUNT_OF(ways); from++)
        for (uint32_t to = 0; to < COUNT_OF(ways); to++) {
            covey_world *source = image_world(&(test_heap){ 0 });
            for (uint32_t i = 0; i < 200; i++) {
                Self *made = covey_add_raw(source, covey_create(source), &types[from], NULL);
                assert_non_null(made);
                made->self = made, made->number = i;
                selves++;
            }
            save(source, &image);
            covey_world_destroy(source);
            load(&(covey_load_desc){ .types = (const covey_type *const[]){ &types[to], NULL } });
            assert_int_equal(selves, 200);
            for (uint32_t i = 0; i < 200; i++) {
                const Self *self = covey_get_raw(world, covey__entity(i, 1), &types[to]);
                assert_true(self->self == self && self->number == i);
            }
            assert_int_equal(codec_teardown(NULL), 0);
            assert_int_equal(codec_setup(NULL), 0);
            assert_int_equal(selves, 0);
        }
}

static void test_values_that_a_hook_moves_are_not_merged(void **state) {
    (void)state;
    static covey_type type; /* the world knows it to its end */
    type = self_type(COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP);
    covey_load_desc desc = { .types = (const covey_type *const[]){ &type, NULL } };
    covey_report report;
    covey_world *source = image_world(&(test_heap){ 0 });
    selves = 1;
    Self *made = covey_add_raw(source, covey_create(source), &type, NULL);
    made->self = made;
    save(source, &image);
    covey_world_destroy(source);
    assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, &report), COVEY_ERROR_REFUSED);
    assert_non_null(strstr(report.text, "Self cannot be merged"));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(selves, 0);
    assert_int_equal(covey_entity_count(world), 0);
    covey_follower *follower = covey_follower_create(world);
    assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &desc, &report), COVEY_ERROR_REFUSED);
    assert_non_null(strstr(report.text, "Self cannot be merged"));
    covey_follower_destroy(follower);
    assert_int_equal(selves, 0);
}

/* ---- Kinds --------------------------------------------------------------------------------------------------------*/

static covey_result write_kinds(covey_codec_writer *writer, const void *value, void *context) {
    const Kinds *k = value;
    (void)context;
    covey_codec_write(writer, COVEY_KIND_I16, k->row, 3);
    covey_codec_write(writer, COVEY_KIND_U64, &k->u64, 1);
    covey_codec_write(writer, COVEY_KIND_F32, k->grid, 4);
    covey_codec_write(writer, COVEY_KIND_F64, &k->f64, 1);
    covey_codec_write(writer, COVEY_KIND_BOOL, k->flags, 3);
    covey_codec_write(writer, COVEY_KIND_ENTITY, k->others, 2);
    covey_codec_write(writer, COVEY_KIND_CHAR, k->text, 10);
    return COVEY_OK;
}

static covey_result read_kinds(covey_codec_reader *reader, void *value, void *context) {
    Kinds *k = value;
    (void)context;
    covey_codec_read(reader, COVEY_KIND_I16, k->row, 3);
    covey_codec_read(reader, COVEY_KIND_U64, &k->u64, 1);
    covey_codec_read(reader, COVEY_KIND_F32, k->grid, 4);
    covey_codec_read(reader, COVEY_KIND_F64, &k->f64, 1);
    covey_codec_read(reader, COVEY_KIND_BOOL, k->flags, 3);
    covey_codec_read(reader, COVEY_KIND_ENTITY, k->others, 2);
    assert_true(covey_codec_read(reader, COVEY_KIND_CHAR, k->text, 10));
    return COVEY_OK;
}

static const covey_codec kinds_codec = { .save = write_kinds, .load = read_kinds };
static const covey_type by_functions = {
    .name = "ByFunctions", .size = sizeof(Kinds), .align = _Alignof(Kinds), .codec = &kinds_codec
};

static void test_values_of_every_kind_are_read_as_they_were_written(void **state) {
    (void)state;
    covey_entity e = covey_create(origin);
    Kinds kinds = kinds_of(77, e);
    assert_non_null(covey_add_raw(origin, e, &by_functions, &kinds));
    save(origin, &image);
    load(&(covey_load_desc){ .types = (const covey_type *const[]){ &by_functions, NULL } });
    const Kinds *is = covey_get_raw(world, e, &by_functions);
    assert_memory_equal(is->row, kinds.row, sizeof kinds.row);
    assert_true(is->u64 == kinds.u64 && is->f64 == kinds.f64);
    assert_memory_equal(is->grid, kinds.grid, sizeof kinds.grid);
    assert_memory_equal(is->flags, kinds.flags, sizeof kinds.flags);
    assert_same(is->others[0], e);
    assert_memory_equal(is->text, kinds.text, 10);
    assert_int_equal(is->i32, 0);
}

/* ---- Unknown types ------------------------------------------------------------------------------------------------*/

static void test_what_functions_wrote_is_kept_for_those_who_know_it(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    load(&keep);
    const covey_type *type = covey_type_find(world, "Crew");
    assert_true(type && type != covey_id(Crew) && covey__is_unknown(type));
    assert_int_equal(type->fields->count, 3);
    covey_entity e = entity(0, 1);
    const covey_unknown_value *kept = covey_unknown_value_of(type, covey_get_raw(world, e, type));
    assert_int_equal(kept->size, 4 + 4 + 4);
    assert_memory_equal(kept->bytes, "\x04\0\0\0ahoy\x01\0\0\0", 12);
    assert_int_equal(kept->entity_count, 1);
    assert_same(kept->entities[0], covey_get(origin, e, Crew)->captain);
    assert_null(covey_unknown_value_of(covey_id(Crew), covey_get(origin, e, Crew)));
    save(world, &again);
    assert_int_equal(again.size, image.size);
    assert_memory_equal(again.bytes, image.bytes, image.size);
}

static void test_kept_values_can_be_copied(void **state) {
    (void)state;
    covey_entity copies[3];
    assert_true(text_fill(origin));
    save(origin, &image);
    load(&keep);
    assert_true(covey_clone(world, entity(0, 1), copies, 3));
    assert_true(covey_copy(world, entity(4, 1), copies[0]));
    test_world_is_valid(world);
    const covey_type *type = covey_type_find(world, "Text");
    const covey_unknown_value *a = covey_unknown_value_of(type, covey_get_raw(world, entity(4, 1), type)),
                              *b = covey_unknown_value_of(type, covey_get_raw(world, copies[0], type));
    assert_ptr_not_equal(a->bytes, b->bytes);
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->bytes, b->bytes, a->size);
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    test_world_is_valid(twin);
    covey_destroy_all(world);
    save(twin, &again);
    covey_world_destroy(twin);
    assert_int_equal(covey_world_memory(world), heap.bytes);
}

static void test_kept_values_are_merged(void **state) {
    (void)state;
    covey_entity now[16] = { { 0, 0 } };
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP, .merged = note, .merged_context = now };
    assert_true(text_fill(origin));
    covey_create(world);
    save(origin, &image);
    for (uint32_t i = 0; i < 2; i++) { /* the second time, the world knows the type */
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
        test_world_is_valid(world);
        assert_int_equal(covey_world_memory(world), heap.bytes);
        const covey_type *type = covey_type_find(world, "Crew");
        const covey_unknown_value *kept = covey_unknown_value_of(type, covey_get_raw(world, now[2], type));
        assert_same(kept->entities[0], now[covey_get(origin, entity(2, 1), Crew)->captain.index]);
    }
    covey_world *other = image_world(&(test_heap){ 0 });
    save(world, &again); /* and who knows the types has them back */
    assert_int_equal(covey_load_from_memory(other, again.bytes, again.size, &known, NULL), COVEY_OK);
    assert_string_equal(text_of(&covey_get(other, now[2], Crew)->motto)->text, "ahoy");
    covey_world_destroy(other);
}

/* All allocations fail in turn: nothing is left of the image, and nothing is lost. */
static void test_kept_values_and_memory_that_is_out(void **state) {
    (void)state;
    assert_true(text_fill(origin));
    save(origin, &image);
    for (uint32_t merges = 0; merges < 2; merges++) {
        covey_result result = COVEY_ERROR_MEMORY;
        for (uint32_t at = 1; result == COVEY_ERROR_MEMORY; at++) {
            test_fail_at(&heap, at, at % 2 == 0);
            result = (merges ? covey_merge_from_memory : covey_load_from_memory)(world, image.bytes, image.size, &keep,
                                                                                 NULL);
            assert_int_equal(result, heap.failed ? COVEY_ERROR_MEMORY : COVEY_OK);
            test_fail_never(&heap);
            test_world_is_valid(world);
            assert_int_equal(covey_world_memory(world), heap.bytes);
            assert_int_equal(covey_entity_count(world), (result == COVEY_OK ? 8 : 0) + 8 * merges);
        }
        assert_int_equal(result, COVEY_OK);
    }
}

/* ---- Types that have changed --------------------------------------------------------------------------------------*/

typedef struct Plain {
    uint32_t rank;
} Plain;
COVEY_FIELDS_DEFINE(Plain, u32(rank));

static covey_report load_as(const covey_type *type, covey_result result) {
    covey_load_desc desc = { .types = (const covey_type *const[]){ type, NULL },
                             .only = (const covey_type *const[]){ type, NULL } };
    covey_report report;
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &desc, &report), result);
    test_world_is_valid(world);
    return report;
}

static void test_functions_may_be_gone_where_there_are_fields(void **state) {
    (void)state;
    static const covey_type now = { .name = "Crew", .size = 4, .align = 4, .fields = &covey_fields_Plain };
    assert_true(text_fill(origin));
    save(origin, &image);
    load_as(&now, COVEY_OK);
    assert_int_equal(((const Plain *)covey_get_raw(world, entity(4, 1), &now))->rank, 4);
}

static void test_functions_may_be_new(void **state) {
    (void)state;
    static const covey_type was = { .name = "Crew", .size = 4, .align = 4, .fields = &covey_fields_Plain };
    covey_entity e = covey_create(origin);
    assert_non_null(covey_add_raw(origin, e, &was, &(Plain){ 9 }));
    save(origin, &image);
    load(&known);
    assert_int_equal(covey_get(world, e, Crew)->rank, 9);
    assert_int_equal(covey_get(world, e, Crew)->motto.place, 0);
    assert_int_equal(texts.loads, 0);
}

static void test_what_became_a_tag_has_no_value(void **state) {
    (void)state;
    static const covey_type now = { .name = "Text" };
    assert_true(text_fill(origin));
    save(origin, &image);
    load_as(&now, COVEY_OK);
    assert_true(covey_has_raw(world, entity(4, 1), &now));
}

static void test_what_functions_wrote_needs_functions_or_fields(void **state) {
    (void)state;
    static const covey_type raw = { .name = "Text", .size = 4, .align = 4, .as_bytes = true },
                            nothing = { .name = "Text", .size = 4, .align = 4 };
    assert_true(text_fill(origin));
    save(origin, &image);
    covey_report report = load_as(&raw, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    report = load_as(&nothing, COVEY_ERROR_IMAGE);
    assert_int_equal(report.fault, COVEY_FAULT_TYPE);
    assert_non_null(strstr(report.text, "codec"));
}

static void test_a_codec_has_both_functions_and_a_value(void **state) {
    (void)state;
    static const covey_codec half = { .save = write_nine }, other_half = { .load = read_as_told };
    covey_type type = { .name = "Half", .size = 4, .align = 4, .codec = &half };
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_TYPE);
    type.codec = &other_half;
    assert_null(covey_type_create(world, &type));
    type.codec = &told_codec;
    type.as_bytes = true;
    assert_null(covey_type_create(world, &type));
    type.as_bytes = false;
    type.size = type.align = 0;
    assert_null(covey_type_create(world, &type));
    type.size = 4;
    assert_non_null(covey_type_create(world, &type));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CODEC_TEST(test_what_values_own_goes_through_an_image),
        CODEC_TEST(test_every_way_to_save_gives_the_same_bytes),
        CODEC_TEST(test_merging_maps_the_handles_that_functions_read),
        CODEC_TEST(test_resources_that_are_not_merged_are_dropped),
        CODEC_TEST(test_saving_ends_with_what_a_function_says),
        CODEC_TEST(test_loading_ends_with_what_a_function_says),
        CODEC_TEST(test_values_are_dropped_when_the_rest_is_refused),
        CODEC_TEST(test_a_value_has_no_more_bytes_than_its_codec_allows),
        CODEC_TEST(test_a_limit_of_the_call_counts_what_functions_read),
        CODEC_TEST(test_a_function_must_read_what_was_written),
        CODEC_TEST(test_after_a_read_that_failed_all_is_zero),
        CODEC_TEST(test_functions_that_write_nonsense_are_refused),
#if COVEY_ASSERT_LEVEL >= 1
        CODEC_TEST(test_functions_must_not_change_the_world),
#endif
        CODEC_TEST(test_values_that_a_hook_moves_are_loaded_whatever_their_storage_is),
        CODEC_TEST(test_values_that_a_hook_moves_are_not_merged),
        CODEC_TEST(test_values_of_every_kind_are_read_as_they_were_written),
        CODEC_TEST(test_what_functions_wrote_is_kept_for_those_who_know_it),
        CODEC_TEST(test_kept_values_can_be_copied),
        CODEC_TEST(test_kept_values_are_merged),
        CODEC_TEST(test_kept_values_and_memory_that_is_out),
        CODEC_TEST(test_functions_may_be_gone_where_there_are_fields),
        CODEC_TEST(test_functions_may_be_new),
        CODEC_TEST(test_what_became_a_tag_has_no_value),
        CODEC_TEST(test_what_functions_wrote_needs_functions_or_fields),
        CODEC_TEST(test_a_codec_has_both_functions_and_a_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
