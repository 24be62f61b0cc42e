/* Images in memory: saved, loaded into new and into cleared worlds, merged, and damaged. */
#include "sim_image.h"

/* The image of the other side, or, if that has no entities, of the same. */
static sim_side *source_side(sim *s, sim_side *side, uint32_t n) {
    sim_side *other = sim_other_side(s);
    return other->naive->count == 0 || n % 3 == 0 ? side : other;
}

static unsigned number_of(const sim *s, const sim_side *side) { return (unsigned)(side - s->sides); }

/* Types for `only`: most often all. */
static uint32_t pick_only(uint32_t n) { return n % 4 == 0 ? sim_mix(n, 3) & SIM_ALL_TYPES : SIM_ALL_TYPES; }

/* ---- Into a new world ---------------------------------------------------------------------------------------------*/

/* What an image did not change. */
static void check_empty(sim *s, covey_world *world) {
    naive_world *empty = naive_create();
    sim_compare_worlds(s, world, empty, "the world of a load that failed");
    naive_destroy(empty);
}

static void check_loaded(sim *s, const sim_side *side, covey_world *world, const sim_image *image, bool whole) {
    sim_compare_worlds(s, world, image->naive, "the loaded world");
    for (uint32_t i = 0; i < side->stale_count; i++)
        SIM_REQUIRE(s, !covey_alive(world, side->stale[i]), "a stale handle resolves in the loaded world");
    if (whole) sim_require_bytes(s, world, &image->buffer, "the loaded world");
}

/* A new world, and the image in it; NULL: memory failed. */
static covey_world *load_new(sim *s, sim_loading *l, const sim_image *image) {
    covey_world *world = sim_world_create(s);
    if (!world) {
        sim_settle_result(s, COVEY_ERROR_MEMORY, COVEY_OK);
        return NULL;
    }
    covey_result result = covey_load_from_memory(world, image->buffer.bytes, image->buffer.size, &l->desc, &l->report);
    if (sim_settle_result(s, result, COVEY_OK)) return world;
    test_fail_never(&s->heap);
    check_empty(s, world);
    covey_world_destroy(world);
    return NULL;
}

static void save_and_load(sim *s, sim_side *side, const sim_step *step) {
    sim_filter filter = sim_filter_of(side, step->b);
    uint32_t only = pick_only(step->c);
    bool goes_on = step->a % 4 == 0;
    sim_image image;
    sim_loading l;
    sim_say(s, "save_and_load: types %x, without %x, choose %x, since %llu, only %x%s", filter.types, filter.without,
            filter.choose, (unsigned long long)filter.since, only, goes_on ? "; the program goes on there" : "");
    if (!sim_image_make(s, side, &filter, &image)) return;
    sim_loading_begin(s, &l, only, 0);
    if (only == SIM_ALL_TYPES || !sim_lies(s, SIM_LIE_ALL_LOADED)) sim_narrow(image.naive, only);
    covey_world *world = load_new(s, &l, &image);
    if (world) {
        test_fail_never(&s->heap);
        SIM_REQUIRE(s, l.map.count == 0, "`merged` is called for a load into a new world");
        check_loaded(s, side, world, &image, only == SIM_ALL_TYPES && filter.since == 0);
        if (goes_on) sim_go_on_in(s, side, world, image.naive);
        else covey_world_destroy(world);
    }
    sim_image_free(&image);
}

/* ---- Into a world that was cleared --------------------------------------------------------------------------------*/

/* One by one, entities leave holes in pools. */
static void clear_world(sim *s, sim_side *side, bool one_by_one) {
    for (uint32_t i = 0; i < side->naive->count && one_by_one; i++) covey_destroy(side->world, side->naive->list[i].e);
    covey_destroy_all(side->world);
    while (side->naive->count != 0 && s->nested == 0)
        sim_destroyed(s, side, side->naive->list[side->naive->count - 1].e);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        covey_resource_remove_raw(side->world, value_types[t]);
        side->naive->resources[t] = (naive_component){ 0 };
    }
}

/* A handle that was issued here gets the next generation of its index: returns the handles that are expected. */
static sim_map expect_handles(sim *s, const sim_side *side, const naive_world *image) {
    sim_map map = { 0 };
    for (uint32_t i = 0; i < image->count; i++) {
        covey_entity e = image->list[i].e;
        uint32_t last = covey_generation_at(side->world, e.index);
        bool stays = e.generation > last || sim_lies(s, SIM_LIE_STALE_LOADED);
        sim_map_add(&map, e, stays ? e : covey_entity_make(e.index, last + 2));
    }
    return map;
}

/* `merged` is told of the entities that got another handle, and of no others. */
static void check_handles(sim *s, const sim_map *expected, const sim_map *told) {
    uint32_t others = 0;
    for (uint32_t i = 0; i < expected->count; i++) {
        sim_pair pair = expected->list[i];
        if (covey_same(pair.from, pair.to)) continue;
        others++;
        SIM_REQUIRE(s, covey_same(sim_map_find(told, pair.from), pair.to), "%u:%u was not told to be %u:%u now",
                    pair.from.index, pair.from.generation, pair.to.index, pair.to.generation);
    }
    SIM_REQUIRE(s, told->count == others, "%u entities were told to have another handle, not %u", told->count, others);
}

/* A handle that names no entity of the image names none here, whatever it is. */
static void adopt_dead_link(sim *s, const sim_side *side, uint32_t type, const void *value, naive_component *c) {
    uint32_t seed;
    if (!value_has_link(type) || !covey_is_null(c->link)) return;
    SIM_REQUIRE(s, value && value_read(type, value, &seed, &c->link), "a loaded %s is damaged",
                value_types[type]->name);
    SIM_REQUIRE(s, !covey_alive(side->world, c->link), "a handle that was stale in the image names %u:%u here",
                c->link.index, c->link.generation);
}

/* Ticks are those of the image. */
static void adopt_loaded(sim *s, const sim_side *side, const naive_entity *from, covey_entity e) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        naive_component *component = naive_component_of(side->naive, e, t);
        if (!component) continue;
        component->tick = from->at[t].tick;
        adopt_dead_link(s, side, t, covey_get_raw(side->world, e, value_types[t]), component);
    }
}

static void tell_parts(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < SIM_PARTS; i++)
        if (sim_parts[i]->loaded) sim_parts[i]->loaded(s, side);
}

static void was_loaded(sim *s, sim_side *side, const naive_world *image, const sim_map *map) {
    if (image->tick > side->naive->tick) side->naive->tick = image->tick;
    sim_insert_all(s, side, image, map);
    for (uint32_t i = 0; i < image->count; i++) adopt_loaded(s, side, &image->list[i], map->list[i].to);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        if (!image->resources[t].present) continue;
        side->naive->resources[t] = sim_map_component(map, &image->resources[t]);
        adopt_dead_link(s, side, t, covey_resource_get_raw(side->world, value_types[t]), &side->naive->resources[t]);
    }
}

/* A load is refused for ranges and buffers, which the model does not know, and for indices whose generations are used
 * up, which happens only where handles are small. */
static covey_result refusal(const sim_loading *l, covey_result result) {
    const char *text = l->report.text;
    bool refused = strstr(text, "reserved range") || strstr(text, "command buffer");
    bool used_up = COVEY_GENERATION_MAX < 100 && l->report.fault == COVEY_FAULT_ENTITY;
    return (result == COVEY_ERROR_REFUSED && refused) || (result == COVEY_ERROR_IMAGE && used_up) ? result : COVEY_OK;
}

static void load_into_cleared(sim *s, sim_side *side, const sim_step *step) {
    sim_side *from = source_side(s, side, step->a);
    sim_filter filter = sim_filter_of(from, step->b);
    sim_image image;
    sim_loading l;
    sim_before before;
    bool one_by_one = step->c % 2 == 0;
    sim_say(s, "load_into_cleared%s: world %u, types %x, without %x, choose %x, since %llu",
            one_by_one ? " one by one" : "", number_of(s, from), filter.types, filter.without, filter.choose,
            (unsigned long long)filter.since);
    if (!sim_image_make(s, from, &filter, &image)) return;
    clear_world(s, side, one_by_one);
    sim_before_begin(s, side->world, &before);
    sim_loading_begin(s, &l, SIM_ALL_TYPES, 0);
    sim_map expected = expect_handles(s, side, image.naive);
    covey_result result =
        covey_load_from_memory(side->world, image.buffer.bytes, image.buffer.size, &l.desc, &l.report);
    sim_before_end(s, side->world, &before, result);
    if (sim_settle_result(s, result, refusal(&l, result))) {
        check_handles(s, &expected, &l.map);
        tell_parts(s, side);
        if (s->nested == 0) was_loaded(s, side, image.naive, &expected);
    }
    sim_image_free(&image);
}

/* ---- Into a world with entities -----------------------------------------------------------------------------------*/

static void merge(sim *s, sim_side *side, const sim_step *step) {
    sim_side *from = source_side(s, side, step->a);
    sim_filter filter = sim_filter_of(from, step->b);
    uint32_t only = pick_only(step->c);
    sim_image image;
    sim_loading l;
    sim_before before;
    sim_say(s, "merge: world %u, types %x, without %x, choose %x, since %llu, only %x", number_of(s, from),
            filter.types, filter.without, filter.choose, (unsigned long long)filter.since, only);
    if (!sim_image_make(s, from, &filter, &image)) return;
    sim_loading_begin(s, &l, only, 0);
    sim_narrow(image.naive, only);
    if (sim_image_fits(side, image.naive)) {
        sim_before_begin(s, side->world, &before);
        covey_result result =
            covey_merge_from_memory(side->world, image.buffer.bytes, image.buffer.size, &l.desc, &l.report);
        sim_before_end(s, side->world, &before, result);
        sim_merged(s, side, image.naive, &l, result);
    }
    sim_image_free(&image);
}

/* ---- Damaged ------------------------------------------------------------------------------------------------------*/

/* Changes a byte, or leaves out bytes at the end. */
static void damage(covey_buffer *buffer, uint32_t n) {
    size_t at = n / 16 % buffer->size;
    if (n % 4 == 0) buffer->size = at;
    else buffer->bytes[at] ^= (unsigned char)(1 + n / 4 % 255);
}

static void load_damaged(sim *s, sim_side *side, const sim_step *step) {
    sim_filter filter = sim_filter_of(side, step->b);
    bool merges = step->c % 2 == 0;
    sim_image image;
    sim_loading l;
    sim_before before;
    if (!sim_image_make(s, side, &filter, &image)) return;
    damage(&image.buffer, step->a);
    sim_say(s, "%s a damaged image of %zu bytes", merges ? "merge" : "load", image.buffer.size);
    sim_touch(s, merges ? SIM_MERGE : SIM_LOAD);
    sim_loading_begin(s, &l, SIM_ALL_TYPES, 0);
    covey_world *into = merges ? side->world : sim_world_create(s);
    covey_result result = COVEY_ERROR_MEMORY;
    if (merges) sim_before_begin(s, into, &before);
    if (into)
        result = (merges ? covey_merge_from_memory : covey_load_from_memory)(into, image.buffer.bytes,
                                                                             image.buffer.size, &l.desc, &l.report);
    if (merges) sim_before_end(s, into, &before, result);
    sim_settle_result(s, result, result == COVEY_ERROR_LIMIT ? result : COVEY_ERROR_IMAGE);
    test_fail_never(&s->heap);
    if (into && !merges) check_empty(s, into);
    if (!merges) covey_world_destroy(into);
    sim_image_free(&image);
}

const sim_operation sim_image_operations[] = {
    { "save_and_load", SIM_LOAD, 8, save_and_load },
    { "load_into_cleared", SIM_LOAD_CLEARED, 4, load_into_cleared },
    { "merge", SIM_MERGE, 8, merge },
    { "load_damaged", SIM_LOAD, 4, load_damaged },
    { NULL, 0, 0, NULL },
};
