/* Images by the model: what a filtered image contains, and what happens to a side that gets it. */
#include "sim_image.h"

/* ---- Filters ------------------------------------------------------------------------------------------------------*/

sim_types sim_types_of(uint32_t bits) {
    sim_types types = { 0 };
    uint32_t count = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if ((bits >> t & 1) != 0) types.list[count++] = value_types[t];
    return types;
}

sim_filter sim_filter_of(const sim_side *side, uint32_t n) {
    sim_filter filter = { .types = SIM_ALL_TYPES };
    uint32_t more = sim_mix(n, 7);
    if (n % 2 == 0) return filter;
    if (n / 2 % 3 == 0) filter.types = (more | sim_mix(n, 8)) & SIM_ALL_TYPES;
    if (n / 6 % 4 == 0) filter.without = (uint32_t)1 << sim_type(more);
    if (n / 24 % 3 == 0) filter.choose = more | 1;
    if (n / 72 % 4 == 0) filter.since = 1 + more % side->naive->tick;
    return filter;
}

static bool filters(const sim_filter *f) {
    return f->types != SIM_ALL_TYPES || f->without != 0 || f->choose != 0 || f->own || f->since != 0;
}

static bool is_chosen(const sim_side *side, const sim_filter *f, covey_entity e) {
    if (f->own && sim_is_followed(side, e)) return false;
    return f->choose == 0 || sim_mix(f->choose, e.index) % 4 != 0;
}

static bool has_any(const naive_entity *n, uint32_t types) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if ((types >> t & 1) != 0 && n->at[t].present) return true;
    return false;
}

/* ---- What an image contains ---------------------------------------------------------------------------------------*/

static bool is_in_image(const sim_filter *f, uint32_t type, const naive_component *c) {
    if (!c->present || !value_is_saved(type) || (f->types >> type & 1) == 0) return false;
    return f->since == 0 || !value_has_ticks(type) || c->tick > f->since;
}

static void copy_entity(naive_world *to, const naive_entity *from, const sim_filter *f) {
    naive_entity *n = naive_insert(to, from->e);
    *n = *from;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (!is_in_image(f, t, &from->at[t])) n->at[t] = (naive_component){ 0 };
}

/* An entity whose parent is left out is a root, without its name if a root has that: one that was a root before, or a
 * new one with a lower index. */
static void uproot_children(naive_world *image) {
    for (uint32_t i = 0; i < image->count; i++) {
        naive_entity *n = &image->list[i];
        if (covey_is_null(n->parent) || naive_find(image, n->parent)) continue;
        if (n->name[0] && naive_named(image, COVEY_NULL, n->name)) n->name[0] = '\0';
        n->parent = COVEY_NULL;
    }
}

naive_world *sim_image_naive(const sim_side *side, const sim_filter *filter) {
    naive_world *image = naive_create();
    const naive_world *from = side->naive;
    image->tick = from->tick;
    image->last_rank = from->last_rank;
    for (uint32_t i = 0; i < from->count; i++)
        if (!has_any(&from->list[i], filter->without) && is_chosen(side, filter, from->list[i].e))
            copy_entity(image, &from->list[i], filter);
    uproot_children(image);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (value_is_saved(t) && (filter->types >> t & 1) != 0) image->resources[t] = from->resources[t];
    return image;
}

void sim_narrow(naive_world *image, uint32_t only) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        if ((only >> t & 1) != 0) continue;
        for (uint32_t i = 0; i < image->count; i++) image->list[i].at[t] = (naive_component){ 0 };
        image->resources[t] = (naive_component){ 0 };
    }
}

/* ---- Saving -------------------------------------------------------------------------------------------------------*/

static bool choose(const covey_world *world, covey_entity e, void *context) {
    const sim_saving *saving = context;
    (void)world;
    return is_chosen(saving->side, &saving->filter, e);
}

void sim_saving_begin(sim *s, sim_saving *saving, const sim_side *side, const sim_filter *filter) {
    *saving = (sim_saving){ .side = side,
                            .filter = *filter,
                            .types = sim_types_of(filter->types),
                            .without = sim_types_of(filter->without),
                            .desc.changed_since = filter->since };
    if (filters(filter)) sim_touch(s, SIM_FILTER);
    if (filter->types != SIM_ALL_TYPES) saving->desc.types = saving->types.list;
    if (filter->without != 0) saving->desc.without = saving->without.list;
    if (filter->choose == 0 && !filter->own) return;
    saving->desc.choose = choose;
    saving->desc.choose_context = saving;
}

static uint32_t pools_in(sim *s, const covey_buffer *buffer) {
    static covey_section sections[3 * NAIVE_TYPES];
    uint32_t count = covey_image_sections(buffer->bytes, buffer->size, sections, 3 * NAIVE_TYPES, NULL), bits = 0;
    SIM_REQUIRE(s, count != 0 && count <= 3 * NAIVE_TYPES, "a new image has %u sections", count);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t t = 0; t < NAIVE_TYPES && sections[i].kind == COVEY_SECTION_POOL; t++)
            if (strcmp(sections[i].name, value_types[t]->name) == 0) bits |= (uint32_t)1 << t;
    return bits;
}

/* The image names each type that has components in it, and none that is left out. */
static void check_pools(sim *s, const sim_image *image, uint32_t types) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        bool named = (image->pools >> t & 1) != 0, wanted = (types >> t & 1) != 0 && value_is_saved(t);
        if (named && sim_lies(s, SIM_LIE_TYPE_NOT_SAVED)) named = false;
        if (!wanted && sim_lies(s, SIM_LIE_TYPE_SAVED)) named = true;
        SIM_REQUIRE(s, wanted || !named, "the image has components of %s", value_types[t]->name);
        SIM_REQUIRE(s, named || naive_count(image->naive, t) == 0, "the image has no %s", value_types[t]->name);
    }
}

bool sim_image_make(sim *s, sim_side *side, const sim_filter *filter, sim_image *image) {
    sim_saving saving;
    sim_filter contained = *filter;
    *image = (sim_image){ .buffer.allocator = test_allocator(&s->heap), .since = filter->since };
    sim_saving_begin(s, &saving, side, filter);
    if (!sim_settle_result(s, covey_save_to_buffer(side->world, &image->buffer, &saving.desc, NULL), COVEY_OK)) {
        SIM_REQUIRE(s, !image->buffer.bytes && image->buffer.size == 0, "a save that failed left bytes in the buffer");
        return false;
    }
    if (filter->since != 0 && sim_lies(s, SIM_LIE_UNCHANGED_SAVED)) contained.since = 0;
    image->naive = sim_image_naive(side, &contained);
    image->pools = pools_in(s, &image->buffer);
    check_pools(s, image, filter->types);
    return true;
}

void sim_image_free(sim_image *image) {
    covey_buffer_free(&image->buffer);
    naive_destroy(image->naive);
}

bool sim_image_fits(const sim_side *side, const naive_world *image) {
    return side->naive->count + image->count <= 2 * SIM_MOST;
}

void sim_require_bytes(sim *s, covey_world *world, const covey_buffer *image, const char *which) {
    covey_buffer again = { .allocator = test_allocator(&s->heap) };
    covey_result result = covey_save_to_buffer(world, &again, NULL, NULL);
    SIM_REQUIRE(s, result == COVEY_OK, "%s cannot be saved: %s", which, covey_result_text(result));
    size_t wanted = image->size + sim_lies(s, SIM_LIE_IMAGE_LONGER);
    bool same = again.size == wanted && memcmp(again.bytes, image->bytes, image->size) == 0;
    SIM_REQUIRE(s, same, "the image of %s has other bytes", which);
    covey_buffer_free(&again);
}

/* Without failures of memory, which are meant for the calls that a step is about. */
static covey_buffer image_of_types(sim *s, covey_world *world, uint32_t types) {
    test_heap meant = s->heap;
    sim_types list = sim_types_of(types);
    covey_buffer image = { .allocator = { 0 } };
    test_fail_never(&s->heap);
    covey_result result = covey_save_to_buffer(world, &image, &(covey_save_desc){ .types = list.list }, NULL);
    SIM_REQUIRE(s, result == COVEY_OK, "the world cannot be saved: %s", covey_result_text(result));
    s->heap = meant;
    return image;
}

void sim_before_begin(sim *s, covey_world *world, sim_before *before) {
    before->types = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (covey_pool_find_raw(world, value_types[t])) before->types |= (uint32_t)1 << t;
    before->image = image_of_types(s, world, before->types);
}

void sim_before_end(sim *s, covey_world *world, sim_before *before, covey_result result) {
    if (result != COVEY_OK && s->nested == 0) {
        covey_buffer now = image_of_types(s, world, before->types);
        size_t wanted = before->image.size + sim_lies(s, SIM_LIE_FAILURE_CHANGES);
        bool same = now.size == wanted && memcmp(now.bytes, before->image.bytes, now.size) == 0;
        SIM_REQUIRE(s, same, "a call that failed changed the world");
        covey_buffer_free(&now);
    }
    covey_buffer_free(&before->image);
}

/* ---- Maps ---------------------------------------------------------------------------------------------------------*/

covey_entity sim_map_find(const sim_map *map, covey_entity from) {
    for (uint32_t i = 0; i < map->count; i++)
        if (covey_same(map->list[i].from, from)) return map->list[i].to;
    return COVEY_NULL;
}

void sim_map_add(sim_map *map, covey_entity from, covey_entity to) {
    if (map->count < SIM_BATCH) map->list[map->count++] = (sim_pair){ from, to };
}

void sim_map_note(covey_entity from, covey_entity to, void *map) { sim_map_add(map, from, to); }

naive_component sim_map_component(const sim_map *map, const naive_component *component) {
    naive_component mapped = *component;
    covey_entity now = sim_map_find(map, component->link);
    mapped.link = covey_is_null(now) && map->keeps_outside ? component->link : now;
    return mapped;
}

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

void sim_loading_begin(sim *s, sim_loading *l, uint32_t only, uint32_t kept) {
    *l = (sim_loading){ .only = sim_types_of(only), .keep = sim_types_of(kept), .kept = kept };
    l->desc = (covey_load_desc){ .types = value_list, .merged = sim_map_note, .merged_context = &l->map };
    if (only != SIM_ALL_TYPES) {
        l->desc.only = l->only.list;
        sim_touch(s, SIM_FILTER);
    }
    if (kept != 0) l->desc.keep = l->keep.list;
}

static void insert_components(sim *s, sim_side *side, const naive_entity *from, const sim_map *map) {
    covey_entity e = sim_map_find(map, from->e);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        if (!from->at[t].present || sim_lies(s, SIM_LIE_COMPONENT_LOST)) continue;
        naive_component component = sim_map_component(map, &from->at[t]);
        bool mapped = !covey_same(component.link, from->at[t].link);
        if (mapped && sim_lies(s, SIM_LIE_LINK_NOT_MAPPED)) component.link = from->at[t].link;
        sim_touch_type(s, t);
        sim_added(s, side, e, t, &component);
        naive_component_of(side->naive, e, t)->disabled = from->at[t].disabled;
    }
}

static void append_child(sim_side *side, const naive_entity *child, const sim_map *map) {
    naive_append_child(side->naive, naive_find(side->naive, sim_map_find(map, child->e)),
                       sim_map_find(map, child->parent));
}

void sim_append_children(sim *s, sim_side *side, const naive_world *from, const sim_map *map) {
    for (uint32_t i = 0; i < from->count; i++) {
        const naive_entity *first = naive_next_child(from, from->list[i].e, 0), *last = NULL;
        for (const naive_entity *child = first; child; child = naive_next_child(from, child->parent, child->rank)) {
            append_child(side, child, map);
            last = child;
        }
        if (first != last && sim_lies(s, SIM_LIE_FIRST_CHILD_LAST)) append_child(side, first, map);
    }
}

/* A name that a sibling has is left out. */
static void insert_name(sim *s, sim_side *side, const naive_entity *from, const sim_map *map) {
    naive_entity *n = naive_find(side->naive, sim_map_find(map, from->e));
    if (!from->name[0]) return;
    if (naive_named(side->naive, n->parent, from->name) && !sim_lies(s, SIM_LIE_NAME_TWICE)) return;
    memcpy(n->name, from->name, sizeof n->name);
}

void sim_insert_all(sim *s, sim_side *side, const naive_world *from, const sim_map *map) {
    for (uint32_t i = 0; i < from->count; i++) {
        covey_entity e = sim_map_find(map, from->list[i].e);
        SIM_REQUIRE(s, !covey_is_null(e), "%u:%u got no handle", from->list[i].e.index, from->list[i].e.generation);
        sim_created(s, side, e);
        naive_find(side->naive, e)->disabled = from->list[i].disabled;
    }
    for (uint32_t i = 0; i < from->count; i++) insert_components(s, side, &from->list[i], map);
    sim_append_children(s, side, from, map);
    for (uint32_t i = 0; i < from->count; i++) insert_name(s, side, &from->list[i], map);
}

void sim_merged(sim *s, sim_side *side, const naive_world *image, const sim_loading *l, covey_result result) {
    covey_result expected = result == COVEY_ERROR_FULL ? result : COVEY_OK;
    if (!sim_settle_result(s, result, expected) || s->nested != 0) return;
    SIM_REQUIRE(s, l->map.count == image->count, "%u entities were merged, not %u", l->map.count, image->count);
    sim_insert_all(s, side, image, &l->map);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++)
        if (image->resources[t].present && (!side->naive->resources[t].present || sim_lies(s, SIM_LIE_RESOURCE_MERGED)))
            side->naive->resources[t] = sim_map_component(&l->map, &image->resources[t]);
}

void sim_go_on_in(sim *s, sim_side *side, covey_world *world, const naive_world *naive) {
    covey_entity stale[SIM_STALE];
    uint32_t count = side->stale_count;
    memcpy(stale, side->stale, sizeof stale);
    sim_replace_world(s, side, world, naive_copy(naive));
    memcpy(side->stale, stale, sizeof stale);
    side->stale_count = count;
}
