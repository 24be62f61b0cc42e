/* Saving, loading and merging, with every allocation failing in turn. support/oom.h says what must hold. */
#include "churn.h"
#include "images.h"
#include "oom.h"
#include "texts.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

static covey_buffer image;   /* of a full world */
static covey_buffer plain;   /* of one without texts: kept ones have addresses in them (test_image_codec has these) */
static covey_buffer changed; /* the same, of types that have other policies here */

static void empty_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
}

static void plain_world(scene *s) {
    empty_world(s);
    assert_true(image_fill(s->world) && churn_fill(s->world));
    covey_resource_remove(s->world, Lost);
    covey_clear(s->world, Lost);
    covey_shrink(s->world);
}

static void full_world(scene *s) {
    plain_world(s);
    assert_true(text_fill(s->world));
    covey_shrink(s->world);
}

static void hear(const covey_event *event, void *context) { (void)event, (void)context; }

/* Every observer that may need memory for events. */
static void watch(covey_world *world) {
    covey_queue *queue = covey_queue_create(world);
    assert_non_null(queue);
    for (uint32_t i = 0; i < NUMBER_TYPES; i++) {
        covey_listener calls = { .type = number_types[i], .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .call = hear };
        covey_listener queues = { .type = number_types[i], .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .queue = queue };
        covey_reactive_desc added = { .added = { number_types[i] } };
        covey_connect(world, &calls);
        if (i % 2 == 0) covey_connect(world, &queues);
        if (i % 3 == 0) assert_non_null(covey_reactive_create(world, &added));
    }
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE | COVEY_ON_DESTROY, .call = hear });
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE | COVEY_ON_DESTROY, .queue = queue });
    covey_group_desc owns = { .own = { covey_id(InPack) }, .with = { covey_id(InBlocks) } };
    assert_non_null(covey_group_create(world, &owns));
    covey_order order = { .key = COVEY_KEY_U32 };
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Blob), &order), COVEY_OK);
}

static void watched_world(scene *s) {
    empty_world(s);
    watch(s->world);
}

static void full_watched_world(scene *s) {
    full_world(s);
    watch(s->world);
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* A buffer that has something keeps it. */
static bool save_to_buffer(scene *s) {
    covey_buffer buffer = { .allocator = test_allocator(&s->heap) };
    bool done = covey_save_to_buffer(s->world, &buffer, NULL, NULL) == COVEY_OK;
    size_t size = buffer.size;
    if (done) {
        done = covey_save_to_buffer(s->world, &buffer, NULL, NULL) == COVEY_OK;
        assert_int_equal(buffer.size, done ? 2 * size : size);
        assert_true(size != image.size || memcmp(buffer.bytes, image.bytes, size) == 0);
    } else assert_null(buffer.bytes);
    covey_buffer_free(&buffer);
    return done;
}

static bool save_to_memory(scene *s) {
    unsigned char bytes[8192];
    size_t size = covey_save_to_memory(s->world, bytes, sizeof bytes, NULL, NULL);
    assert_true(size == 0 || (size == image.size && memcmp(bytes, image.bytes, size) == 0));
    return size != 0;
}

static bool take(const void *bytes, size_t size, void *context) {
    size_t *at = context;
    assert_true(*at + size <= image.size && memcmp(image.bytes + *at, bytes, size) == 0);
    *at += size;
    return true;
}

static bool save_to_stream(scene *s) {
    size_t at = 0;
    bool done = covey_save_to_stream(s->world, take, &at, NULL, NULL) == COVEY_OK;
    assert_true(!done || at == image.size);
    return done;
}

static bool save_with_ids_aside(scene *s) {
    covey_commands *commands = covey_commands_create(s->world, NULL);
    if (!commands) return false;
    bool done = covey_commands_reserve(commands, 5) == COVEY_OK;
    done = done && covey_save_to_memory(s->world, NULL, 0, NULL, NULL) != 0;
    covey_commands_destroy(commands);
    return done;
}

static bool is_odd(const covey_world *of, covey_entity e, void *context) {
    (void)of, (void)context;
    return e.index % 2 == 1;
}

/* Names of children that become roots are compared. */
static bool save_some(scene *s) {
    const covey_type *without[] = { covey_id(PlainTag), NULL };
    covey_save_desc desc = { .choose = is_odd, .without = without, .changed_since = 1 };
    return covey_save_to_memory(s->world, NULL, 0, &desc, NULL) != 0;
}

static bool load_from(scene *s, const covey_buffer *from, const covey_load_desc *desc) {
    covey_report report;
    bool done = covey_load_from_memory(s->world, from->bytes, from->size, desc, &report) == COVEY_OK;
    assert_int_equal(report.result, done ? COVEY_OK : COVEY_ERROR_MEMORY);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    return done;
}

static const covey_load_desc known = { .types = image_types }, keep = { .unknown = COVEY_UNKNOWN_KEEP };

static bool load(scene *s) { return load_from(s, &image, &known); }
static bool load_and_keep(scene *s) { return load_from(s, &plain, &keep); }
static bool load_changed(scene *s) { return load_from(s, &changed, &known); }

static bool merge_from(scene *s, const covey_buffer *from, const covey_load_desc *desc) {
    covey_report report;
    bool done = covey_merge_from_memory(s->world, from->bytes, from->size, desc, &report) == COVEY_OK;
    assert_int_equal(report.result, done ? COVEY_OK : COVEY_ERROR_MEMORY);
    assert_int_equal(report.fault, COVEY_FAULT_NONE);
    return done;
}

static bool merge(scene *s) { return merge_from(s, &image, &known); }
static bool merge_and_keep(scene *s) { return merge_from(s, &plain, &keep); }
static bool merge_changed(scene *s) { return merge_from(s, &changed, &known); }

static const operation operations[] = {
    { "covey_save_to_buffer", full_world, save_to_buffer },
    { "covey_save_to_buffer, of nothing", empty_world, save_to_buffer },
    { "covey_save_to_memory", full_world, save_to_memory },
    { "covey_save_to_memory, with ids aside", full_world, save_with_ids_aside },
    { "covey_save_to_stream", full_world, save_to_stream },
    { "covey_save_to_memory, of some", full_world, save_some },
    { "covey_load_from_memory", empty_world, load },
    { "covey_load_from_memory, keeping unknown types", empty_world, load_and_keep },
    { "covey_load_from_memory, of changed types", empty_world, load_changed },
    { "covey_load_from_memory, of changed types, watched", watched_world, load_changed },
    { "covey_merge_from_memory", full_world, merge },
    { "covey_merge_from_memory, into nothing", empty_world, merge },
    { "covey_merge_from_memory, keeping unknown types", empty_world, merge_and_keep },
    { "covey_merge_from_memory, of changed types", full_world, merge_changed },
};

/* One of the pools is kept in order: what is new is merged, or, without memory for that, inserted. */
static const operation merging_operations[] = {
    { "covey_load_from_memory, watched", watched_world, load },
    { "covey_merge_from_memory, watched", full_watched_world, merge },
};

/* ---- Images -------------------------------------------------------------------------------------------------------*/

/* The numbers are of other policies and storages there, and have become wider since. */
static void fill_changed(covey_world *world) {
    static const covey_field narrow[] = { { "check", COVEY_KIND_U16, 0, 1, NULL, { 0 } },
                                          { "old", COVEY_KIND_BOOL, 2, 2, NULL, { 0 } } };
    static const covey_fields fields = { 4, 2, narrow };
    for (uint32_t k = 0; k < NUMBER_TYPES - 1; k++) { /* the last has .as_bytes */
        covey_type was = { .name = number_types[k]->name, .size = 4, .align = 2, .fields = &fields };
        was.policy = (covey_policy)(k % 4);
        const covey_type *type = covey_type_create(world, &was);
        assert_non_null(type);
        for (uint32_t i = 0; i < 10; i++) {
            covey_entity e = covey__entity(i, 1);
            if (!covey_alive(world, e)) e = covey_create(world);
            if ((i + k) % 4 != 0) assert_non_null(covey_add_raw(world, e, type, NULL));
        }
        assert_non_null(covey_resource_set_raw(world, type, NULL));
    }
}

static void make_images(void) {
    scene s;
    scene_create(&s, full_world, COVEY_SWAP_AND_POP);
    assert_int_equal(covey_save_to_buffer(s.world, &image, NULL, NULL), COVEY_OK);
    scene_destroy(&s);
    scene_create(&s, plain_world, COVEY_SWAP_AND_POP);
    assert_int_equal(covey_save_to_buffer(s.world, &plain, NULL, NULL), COVEY_OK);
    scene_destroy(&s);
    scene_create(&s, empty_world, COVEY_SWAP_AND_POP);
    fill_changed(s.world);
    assert_int_equal(covey_save_to_buffer(s.world, &changed, NULL, NULL), COVEY_OK);
    scene_destroy(&s);
}

int main(void) {
    make_images();
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(merging_operations, COVEY_SWAP_AND_POP, FAILS_OR_DOES_WITHOUT);
    int failures = run_trials();
    covey_buffer_free(&image);
    covey_buffer_free(&plain);
    covey_buffer_free(&changed);
    return failures;
}
