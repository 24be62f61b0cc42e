/* Followers: from one image of a source to the next, each knows which entity here belongs to which of the source. */
#include "sim_image.h"

#include <stdlib.h>

enum { FOLLOWERS = 3 };

/* What a follower knows. Entities of the source are in the order of their indices. */
typedef struct known {
    uint32_t number; /* of the follower; none has 0 */
    sim_map map;
} known;

typedef struct follower {
    covey_follower *follower;
    uint32_t source; /* the number of a side */
    uint64_t seen;   /* the tick of the last image */
    known known;
} follower;

struct sim_followers {
    follower *list[FOLLOWERS];
    uint32_t last;
};

/* ---- The part: what a follower knows ------------------------------------------------------------------------------*/

static void check_known(sim *s, const sim_side *side, const follower *f) {
    for (uint32_t i = 0; i < f->known.map.count; i++) {
        sim_pair pair = f->known.map.list[i];
        covey_entity found = covey_follower_find(f->follower, pair.from);
        covey_entity wanted = naive_find(side->naive, pair.to) ? pair.to : COVEY_NULL;
        if (!covey_is_null(wanted) && sim_lies(s, SIM_LIE_FOLLOWED_UNKNOWN)) wanted = COVEY_NULL;
        SIM_REQUIRE(s, covey_same(found, wanted), "%u:%u of the source is %u:%u here, not %u:%u", pair.from.index,
                    pair.from.generation, found.index, found.generation, wanted.index, wanted.generation);
    }
}

static void check_unknown(sim *s, const follower *f) {
    const naive_world *source = s->sides[f->source].naive;
    for (uint32_t i = 0; i < source->count; i++)
        if (covey_is_null(sim_map_find(&f->known.map, source->list[i].e)))
            SIM_REQUIRE(s, covey_is_null(covey_follower_find(f->follower, source->list[i].e)),
                        "%u of the source has an entity here, but was never followed", source->list[i].e.index);
}

static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < FOLLOWERS; i++) {
        const follower *f = side->followers->list[i];
        if (!f) continue;
        check_known(s, side, f);
        check_unknown(s, f);
    }
}

/* ---- The part: moments --------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->followers = calloc(1, sizeof *side->followers);
    if (!side->followers) abort();
}

static void end_follower(follower **at) {
    if (!*at) return;
    covey_follower_destroy((*at)->follower);
    free(*at);
    *at = NULL;
}

static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < FOLLOWERS; i++) end_follower(&side->followers->list[i]);
    free(side->followers);
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = 0;
    for (uint32_t i = 0; i < FOLLOWERS; i++) {
        const follower *f = side->followers->list[i];
        if (f && f->known.map.count != 0) features |= SIM_BIT(SIM_FOLLOW);
    }
    return features;
}

static void *save(const sim_side *side) {
    known *saved = calloc(FOLLOWERS, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < FOLLOWERS; i++)
        if (side->followers->list[i]) saved[i] = side->followers->list[i]->known;
    return saved;
}

/* A follower goes back with its world. One that did not exist then has made nothing. */
static void restore(sim *s, sim_side *side, const void *state) {
    const known *saved = state;
    for (uint32_t i = 0; i < FOLLOWERS; i++) {
        follower *f = side->followers->list[i];
        if (!f) continue;
        f->seen = 0;
        if (saved && saved[i].number == f->known.number) f->known = saved[i];
        else f->known.map.count = 0;
        if (f->known.map.count != 0 && sim_lies(s, SIM_LIE_FOLLOWER_FORGETS)) f->known.map.count = 0;
    }
}

const sim_part sim_part_followers = {
    .begin = begin, .end = end, .check = check, .in_force = in_force, .save = save, .restore = restore, .forget = free
};

static bool follows(const follower *f, covey_entity e) {
    for (uint32_t i = 0; f && i < f->known.map.count; i++)
        if (covey_same(f->known.map.list[i].to, e)) return true;
    return false;
}

bool sim_is_followed(const sim_side *side, covey_entity e) {
    for (uint32_t i = 0; i < FOLLOWERS; i++)
        if (follows(side->followers->list[i], e)) return true;
    return false;
}

/* ---- The model of a follow ----------------------------------------------------------------------------------------*/

typedef struct following {
    sim *s;
    sim_side *side;
    follower *f;
    const naive_world *image;
    const sim_loading *loading;
    uint32_t pools; /* types that the image has, by bits */
    uint64_t since;
    sim_map now; /* from entities of the image to those here */
} following;

static naive_entity *here(const following *w, covey_entity source) {
    return naive_find(w->side->naive, sim_map_find(&w->now, source));
}

/* The entities that live here stay, and the others were told. */
static void map_entities(following *w) {
    uint32_t fresh = 0;
    for (uint32_t i = 0; i < w->image->count; i++) {
        covey_entity source = w->image->list[i].e, e = sim_map_find(&w->f->known.map, source);
        bool lives = naive_find(w->side->naive, e) != NULL;
        if (!lives) e = sim_map_find(&w->loading->map, source);
        SIM_REQUIRE(w->s, !covey_is_null(e), "`merged` was not called for %u:%u", source.index, source.generation);
        sim_map_add(&w->now, source, e);
        fresh += !lives;
    }
    SIM_REQUIRE(w->s, w->loading->map.count == fresh, "`merged` was called for %u entities, not %u",
                w->loading->map.count, fresh);
}

static void create_entities(const following *w) {
    for (uint32_t i = 0; i < w->now.count; i++)
        if (!naive_find(w->side->naive, w->now.list[i].to)) sim_created(w->s, w->side, w->now.list[i].to);
}

/* Values of types with a codec are not compared. */
static bool is_same(uint32_t type, const naive_component *a, const naive_component *b) {
    return !value_types[type]->codec && a->seed == b->seed && covey_same(a->link, b->link);
}

static void follow_component(const following *w, covey_entity e, uint32_t type, const naive_component *from) {
    const naive_component *old = naive_component_of(w->side->naive, e, type);
    naive_component component = sim_map_component(&w->now, from);
    bool kept = old && (w->loading->kept >> type & 1) != 0;
    if (kept && (is_same(type, old, &component) || !sim_lies(w->s, SIM_LIE_KEPT_OVERWRITTEN))) return;
    sim_touch_type(w->s, type);
    if (!old) sim_added(w->s, w->side, e, type, &component);
    else if (!is_same(type, old, &component)) sim_was_set(w->s, w->side, e, type, &component);
    naive_component_of(w->side->naive, e, type)->disabled = from->disabled;
}

static void follow_components(const following *w) {
    for (uint32_t i = 0; i < w->image->count; i++) {
        const naive_entity *from = &w->image->list[i];
        for (uint32_t t = 0; t < NAIVE_TYPES; t++)
            if (from->at[t].present) follow_component(w, w->now.list[i].to, t, &from->at[t]);
        naive_find(w->side->naive, w->now.list[i].to)->disabled = from->disabled;
    }
}

/* Whether this follower made the entity, for this image or the one before. */
static bool is_ours(const following *w, covey_entity e) {
    for (uint32_t i = 0; i < w->now.count; i++)
        if (covey_same(w->now.list[i].to, e)) return true;
    return follows(w->f, e);
}

static bool is_below_ours(const following *w, const naive_entity *n) {
    for (n = naive_find(w->side->naive, n->parent); n; n = naive_find(w->side->naive, n->parent))
        if (is_ours(w, n->e)) return true;
    return false;
}

/* A root of the source keeps the parent that it has here, unless that is the follower's, or below. Children come in the
 * order of the source, behind those that this world has added. */
static void follow_parents(const following *w) {
    for (uint32_t i = 0; i < w->image->count; i++) {
        naive_entity *n = here(w, w->image->list[i].e);
        if (covey_is_null(w->image->list[i].parent) && is_below_ours(w, n)) n->parent = COVEY_NULL;
    }
    sim_append_children(w->s, w->side, w->image, &w->now);
}

/* Whether the follower made the entity, and the source has it no more. */
static bool is_gone(const following *w, const sim_pair *before) {
    return covey_is_null(sim_map_find(&w->now, before->from)) && naive_find(w->side->naive, before->to);
}

/* Names of the source replace the names here; a name that a sibling of this world's own has is left out. */
static void follow_names(const following *w) {
    const sim_map *before = &w->f->known.map;
    for (uint32_t i = 0; i < before->count; i++)
        if (is_gone(w, &before->list[i])) naive_find(w->side->naive, before->list[i].to)->name[0] = '\0';
    for (uint32_t i = 0; i < w->image->count; i++) here(w, w->image->list[i].e)->name[0] = '\0';
    for (uint32_t i = 0; i < w->image->count; i++) {
        naive_entity *n = here(w, w->image->list[i].e);
        const char *name = w->image->list[i].name;
        if (name[0] && !naive_named(w->side->naive, n->parent, name)) memcpy(n->name, name, sizeof n->name);
    }
}

static void follow_resources(const following *w) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        naive_component *resource = &w->side->naive->resources[t];
        if (!w->image->resources[t].present || (resource->present && (w->loading->kept >> t & 1) != 0)) continue;
        *resource = sim_map_component(&w->now, &w->image->resources[t]);
    }
}

static void destroy_gone(const following *w) {
    const sim_map *before = &w->f->known.map;
    for (uint32_t i = 0; i < before->count; i++)
        if (is_gone(w, &before->list[i]) && !sim_lies(w->s, SIM_LIE_GONE_STAYS))
            sim_destroyed(w->s, w->side, before->list[i].to);
}

/* An image of changes does not say which components with ticks were removed. */
static bool can_say_removals(const following *w, uint32_t type) {
    if ((w->pools >> type & 1) == 0 || (w->loading->kept >> type & 1) != 0) return false;
    return w->since == 0 || !value_has_ticks(type);
}

static void remove_missing(const following *w) {
    for (uint32_t i = 0; i < w->image->count; i++)
        for (uint32_t t = 0; t < NAIVE_TYPES; t++)
            if (can_say_removals(w, t) && !w->image->list[i].at[t].present &&
                naive_component_of(w->side->naive, w->now.list[i].to, t) && !sim_lies(w->s, SIM_LIE_MISSING_STAYS))
                sim_removed(w->s, w->side, w->now.list[i].to, t);
}

static void followed(following *w) {
    map_entities(w);
    if (w->s->nested == 0) {
        create_entities(w);
        follow_components(w);
        follow_parents(w);
        follow_names(w);
        follow_resources(w);
        destroy_gone(w);
        remove_missing(w);
    }
    w->f->known.map = w->now;
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* The source is the other side, or, if that has no entities, the same side: without those that follow. */
static void create(sim *s, sim_side *side, const sim_step *step) {
    uint32_t at = 0;
    while (at < FOLLOWERS && side->followers->list[at]) at++;
    if (at == FOLLOWERS) return;
    const sim_side *other = sim_other_side(s), *source = other->naive->count == 0 || step->a % 3 == 0 ? side : other;
    follower *f = calloc(1, sizeof *f);
    if (!f) abort();
    f->source = (uint32_t)(source - s->sides);
    sim_say(s, "follower_create: follower %u of world %u", side->followers->last + 1, f->source);
    f->follower = covey_follower_create(side->world);
    if (!sim_settle(s, side, f->follower != NULL, COVEY_OK)) {
        free(f);
        return;
    }
    f->known.number = ++side->followers->last;
    side->followers->list[at] = f;
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    follower **at = &side->followers->list[step->a % FOLLOWERS];
    if (!*at) return;
    sim_say(s, "follower_destroy: follower %u", (*at)->known.number);
    end_follower(at);
}

/* The follower at this number, or the next that exists; NULL if there is none. */
static follower *pick_follower(const sim_side *side, uint32_t n) {
    uint32_t i = 0;
    while (i < FOLLOWERS && !side->followers->list[(n + i) % FOLLOWERS]) i++;
    return side->followers->list[(n + i) % FOLLOWERS];
}

static sim_filter pick_filter(const sim_side *side, const sim_side *source, const follower *f, uint32_t n) {
    sim_filter filter = sim_filter_of(source, n);
    filter.own = side == source;
    if (n % 5 == 0 && f->seen != 0 && f->seen <= source->naive->tick) filter.since = f->seen;
    return filter;
}

static void follow_image(sim *s, sim_side *side, follower *f, const sim_image *image, const sim_loading *l) {
    following w = {
        .s = s, .side = side, .f = f, .image = image->naive, .loading = l, .pools = image->pools, .since = image->since
    };
    sim_before before;
    sim_before_begin(s, side->world, &before);
    covey_result result =
        covey_follow_from_memory(f->follower, image->buffer.bytes, image->buffer.size, &l->desc, NULL);
    sim_before_end(s, side->world, &before, result);
    if (!sim_settle_result(s, result, result == COVEY_ERROR_FULL ? result : COVEY_OK)) return;
    f->seen = image->naive->tick;
    followed(&w);
}

static void follow(sim *s, sim_side *side, const sim_step *step) {
    follower *f = pick_follower(side, step->a);
    if (!f) return;
    sim_side *source = &s->sides[f->source];
    sim_filter filter = pick_filter(side, source, f, step->b);
    uint32_t kept = step->c % 3 == 0 ? sim_mix(step->c, 1) & SIM_ALL_TYPES : 0;
    uint32_t only = step->c / 3 % 4 == 0 ? sim_mix(step->c, 3) & SIM_ALL_TYPES : SIM_ALL_TYPES;
    sim_image image;
    sim_loading l;
    sim_say(s, "follow: follower %u, world %u, types %x, without %x, choose %x, since %llu, only %x, keep %x",
            f->known.number, f->source, filter.types, filter.without, filter.choose, (unsigned long long)filter.since,
            only, kept);
    if (!sim_image_make(s, source, &filter, &image)) return;
    sim_loading_begin(s, &l, only, kept);
    sim_narrow(image.naive, only);
    image.pools &= only;
    if (sim_image_fits(side, image.naive)) follow_image(s, side, f, &image, &l);
    sim_image_free(&image);
}

/* The n-th type of an entity's components, counted round; NAIVE_TYPES if it has none. */
static uint32_t type_of(const naive_entity *n, uint32_t number) {
    for (uint32_t i = 0; i < NAIVE_TYPES; i++)
        if (n->at[(number + i) % NAIVE_TYPES].present) return (number + i) % NAIVE_TYPES;
    return NAIVE_TYPES;
}

/* Sets a component of an entity that is followed, at the source or here, so that the next image has news. */
static void set_followed(sim *s, sim_side *side, const sim_step *step) {
    const follower *f = pick_follower(side, step->a);
    if (!f || f->known.map.count == 0) return;
    sim_pair pair = f->known.map.list[step->b % f->known.map.count];
    sim_side *where = step->c % 2 ? side : &s->sides[f->source];
    covey_entity e = step->c % 2 ? pair.to : pair.from;
    const naive_entity *n = naive_find(where->naive, e);
    uint32_t type = n ? type_of(n, step->c / 2) : NAIVE_TYPES;
    if (type == NAIVE_TYPES) return;
    naive_component component;
    void *value = sim_value(s, where, type, 0, &component);
    sim_say(s, "set_followed: %s of %u:%u in world %u", value_types[type]->name, e.index, e.generation,
            (unsigned)(where - s->sides));
    sim_touch_type(s, type);
    bool done = covey_set_raw(where->world, e, value_types[type], value) != NULL;
    if (!done && covey_world_result(where->world) != COVEY_ERROR_GONE) sim_end_values(s, type, 1);
    if (sim_settle(s, where, done, COVEY_OK) && s->nested == 0) sim_was_set(s, where, e, type, &component);
}

/* Removes a component at the source that the next image does not have any more. */
static void remove_followed(sim *s, sim_side *side, const sim_step *step) {
    const follower *f = pick_follower(side, step->a);
    if (!f || f->known.map.count == 0) return;
    sim_side *source = &s->sides[f->source];
    covey_entity e = f->known.map.list[step->b % f->known.map.count].from;
    const naive_entity *n = naive_find(source->naive, e);
    uint32_t type = n ? type_of(n, step->c) : NAIVE_TYPES;
    if (type == NAIVE_TYPES) return;
    sim_say(s, "remove_followed: %s of %u:%u in world %u", value_types[type]->name, e.index, e.generation, f->source);
    sim_remove(s, source, e, type);
}

/* A damaged image changes nothing, also not what the follower knows. */
static void follow_damaged(sim *s, sim_side *side, const sim_step *step) {
    follower *f = pick_follower(side, step->a);
    sim_filter filter = { .types = SIM_ALL_TYPES };
    sim_image image;
    sim_before before;
    if (!f) return;
    sim_say(s, "follow_damaged: follower %u, world %u", f->known.number, f->source);
    if (!sim_image_make(s, &s->sides[f->source], &filter, &image)) return;
    sim_loading l;
    sim_loading_begin(s, &l, SIM_ALL_TYPES, 0);
    image.buffer.bytes[step->b % image.buffer.size] ^= (unsigned char)(1 + step->c % 255);
    sim_before_begin(s, side->world, &before);
    covey_result result = covey_follow_from_memory(f->follower, image.buffer.bytes, image.buffer.size, &l.desc, NULL);
    sim_before_end(s, side->world, &before, result);
    sim_settle_result(s, result, result == COVEY_ERROR_LIMIT ? result : COVEY_ERROR_IMAGE);
    sim_image_free(&image);
}

const sim_operation sim_follow_operations[] = {
    { "follower_create", SIM_FOLLOW, 6, create },
    { "follower_destroy", SIM_FOLLOW, 1, destroy },
    { "follow", SIM_FOLLOW, 16, follow },
    { "set_followed", SIM_FOLLOW, 12, set_followed },
    { "follow_damaged", SIM_FOLLOW, 1, follow_damaged },
    { "remove_followed", SIM_FOLLOW, 4, remove_followed },
    { NULL, 0, 0, NULL },
};
