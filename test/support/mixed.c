#include "mixed.h"

#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>

/* Indices that can exist, and are worth trying. */
enum { INDICES = COVEY_INDEX_BITS < 16 ? (1 << (COVEY_INDEX_BITS < 16 ? COVEY_INDEX_BITS : 4)) - 1 : 40000 };

uint32_t mixed_below(mixed_world *s, uint32_t limit) { return test_below(&s->random, limit); }

bool mixed_chance(mixed_world *s, uint32_t percent) { return mixed_below(s, 100) < percent; }

const covey_type *mixed_type(mixed_world *s) { return s->types[mixed_below(s, s->type_count)]; }

covey_entity mixed_entity(mixed_world *s) {
    return s->count != 0 ? s->all[mixed_below(s, s->count)] : (covey_entity){ 0, 0 };
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

typedef enum kind { BLOCK, PINNED, SWAP_AND_POP, IN_PLACE, SWAP_ONLY, ORDERED, KINDS } kind;
enum { SIZES = 7, ALL_TYPES = KINDS * SIZES * 2 };

static const struct {
    const char *name;
    covey_storage storage;
    covey_policy policy;
} kinds[KINDS] = {
    [BLOCK] = { "Block", COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP },
    [PINNED] = { "Pinned", COVEY_STORAGE_PINNED, COVEY_SWAP_AND_POP },
    [SWAP_AND_POP] = { "Packed", COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP },
    [IN_PLACE] = { "Fixed", COVEY_STORAGE_SPARSE, COVEY_IN_PLACE },
    [SWAP_ONLY] = { "Kept", COVEY_STORAGE_SPARSE, COVEY_SWAP_ONLY },
    [ORDERED] = { "Ordered", COVEY_STORAGE_SPARSE, COVEY_ORDERED },
};
static const struct {
    uint32_t size, align;
} layouts[SIZES] = { { 0, 1 }, { 1, 1 }, { 4, 4 }, { 8, 8 }, { 12, 4 }, { 16, 8 }, { 64, 64 } };

static covey_type types[ALL_TYPES];
static char names[ALL_TYPES][24];

static void describe_types(void) {
    if (types[0].name) return;
    for (uint32_t i = 0; i < ALL_TYPES; i++) {
        uint32_t storage = i % KINDS, layout = i / KINDS % SIZES;
        bool ticks = i / KINDS / SIZES != 0;
        snprintf(names[i], sizeof names[i], "%s%u%s", kinds[storage].name, layouts[layout].size, ticks ? "Ticked" : "");
        types[i] = (covey_type){
            .name = names[i],
            .size = layouts[layout].size,
            .align = layouts[layout].align,
            .storage = kinds[storage].storage,
            .policy = kinds[storage].policy,
            .ticks = ticks,
            .as_bytes = layouts[layout].size != 0,
        };
    }
}

/* Any kinds; or only blocks, only packed ones, both of these, or only sparse ones. */
static kind pick_kind(mixed_world *s, uint32_t mix) {
    switch (mix) {
    case 0: return mixed_chance(s, 80) ? BLOCK : PINNED;
    case 1: return SWAP_AND_POP;
    case 2: return mixed_chance(s, 50) ? BLOCK : SWAP_AND_POP;
    case 3: return (kind)(SWAP_AND_POP + mixed_below(s, KINDS - SWAP_AND_POP));
    default: return (kind)mixed_below(s, KINDS);
    }
}

static void choose_types(mixed_world *s) {
    uint32_t mix = mixed_below(s, 7), wanted = 1 + mixed_below(s, MIXED_TYPES), ticked = mixed_chance(s, 30) ? 50 : 0;
    while (s->type_count < wanted) {
        uint32_t layout = mixed_below(s, SIZES), ticks = mixed_chance(s, ticked);
        const covey_type *type = &types[pick_kind(s, mix) + KINDS * (layout + SIZES * ticks)];
        bool named = false;
        for (uint32_t i = 0; i < s->type_count; i++) named |= s->types[i] == type;
        if (!named) s->types[s->type_count++] = type;
    }
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static void make_value(covey_entity e, const covey_type *type, unsigned char *bytes) {
    uint32_t seed = e.index * 2654435761u + e.generation * 40503u + (uint32_t)type->name[0] * 97u + type->size;
    for (uint32_t i = 0; i < type->size; i++) bytes[i] = (unsigned char)((seed >> i % 4 * 8) + i);
}

bool mixed_is_value(covey_entity e, const covey_type *type, const void *value) {
    unsigned char bytes[MIXED_BYTES];
    make_value(e, type, bytes);
    return memcmp(bytes, value, type->size) == 0;
}

bool mixed_give(covey_entity e, const covey_type *type) {
    unsigned char bytes[MIXED_BYTES];
    make_value(e, type, bytes);
    if (covey_has_raw(world, e, type)) return false;
    return covey_add_raw(world, e, type, type->size != 0 ? bytes : NULL) != NULL;
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void reach(mixed_world *s, uint32_t count) {
    if (count <= s->capacity) return;
    s->capacity = count * 2 + 64;
    s->all = realloc(s->all, s->capacity * sizeof *s->all);
    s->stale = realloc(s->stale, s->capacity * sizeof *s->stale);
    if (!s->all || !s->stale) abort();
}

void mixed_list(mixed_world *s) {
    covey_entity e = { 0, 0 };
    reach(s, covey_entity_count(world) + 64);
    for (s->count = 0; !covey_is_null(e = covey_entity_next(world, e));) s->all[s->count++] = e;
}

static void shuffle(mixed_world *s, covey_entity *ids, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = mixed_below(s, i);
        covey_entity e = ids[i - 1];
        ids[i - 1] = ids[other];
        ids[other] = e;
    }
}

static uint32_t pick_count(mixed_world *s) {
    switch (mixed_below(s, 8)) {
    case 0: return mixed_below(s, 9);
    case 1: return 64 + mixed_below(s, 3);
    case 2: return 128 + mixed_below(s, 2) * 64;
    case 3: return 900;
    case 4: return mixed_chance(s, 15) ? 4200 : 500;
    default: return 1 + mixed_below(s, 400);
    }
}

/* Side by side, or with gaps: of a few indices, of blocks, of pages; some of them far behind 0. */
static void make_entities(mixed_world *s) {
    uint32_t count = pick_count(s), gap = mixed_below(s, 8);
    uint32_t index = mixed_chance(s, 25) ? 1 + mixed_below(s, INDICES / 2) : 0;
    if (index != 0) covey_range_reserve(world, 0, index);
    static const uint32_t gaps[8] = { 3, 130, 5000 };
    for (uint32_t i = 0; i < count && gap > 2; i++) covey_create(world);
    for (uint32_t i = 0; i < count && gap <= 2; i++, index++) {
        if (mixed_chance(s, gap == 0 ? 50 : 5)) index += mixed_below(s, gaps[gap]);
        if (index >= INDICES) break;
        covey_create_at(world, index);
    }
    mixed_list(s);
}

static void destroy(mixed_world *s, covey_entity e) {
    if (!covey_destroy(world, e)) return;
    if (s->stale_count < 32) s->stale[s->stale_count++] = e;
    else s->stale[mixed_below(s, 32)] = e;
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static bool is_chosen(mixed_world *s, uint32_t density, covey_entity e, const covey_type *other) {
    static const uint32_t percents[] = { 100, 90, 50, 10, 1, 0 };
    switch (density) {
    case 6: return e.index % 2 == 0;
    case 7: return e.index / 32 % 2 == 0;
    case 8: return e.index / COVEY__BLOCK_IDS % 3 == 0;
    case 9: return other && covey_has_raw(world, e, other);
    default: return mixed_chance(s, percents[density]);
    }
}

/* One by one, or as many at once as chance has it. */
static void give_all(mixed_world *s, const covey_entity *ids, uint32_t count, const covey_type *type) {
    enum { MOST = 100 };
    static unsigned char values[MOST * MIXED_BYTES];
    bool many = mixed_chance(s, 30);
    for (uint32_t i = 0, batch; i < count; i += batch) {
        batch = many ? 1 + mixed_below(s, MOST) : 1;
        if (batch > count - i) batch = count - i;
        for (uint32_t k = 0; k < batch; k++) make_value(ids[i + k], type, values + k * type->size);
        if (!many) mixed_give(ids[i], type);
        else (void)covey_add_array_raw(world, ids + i, batch, type, type->size != 0 ? values : NULL);
    }
}

/* By index, from the last to the first, shuffled, or in the order of another pool. */
static void order(mixed_world *s, covey_entity *ids, uint32_t count, const covey_type *other) {
    uint32_t how = mixed_below(s, 4), next = 0;
    const covey_pool *pool = other ? covey_pool_find_raw(world, other) : NULL;
    if (how == 1)
        for (uint32_t i = 0; i < count / 2; i++) {
            covey_entity e = ids[i];
            ids[i] = ids[count - 1 - i];
            ids[count - 1 - i] = e;
        }
    if (how >= 2) shuffle(s, ids, count);
    if (how != 3 || !pool) return;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        for (uint32_t i = next; i < count; i++)
            if (covey_same(ids[i], covey_pool_at(pool, at))) {
                covey_entity e = ids[next];
                ids[next++] = ids[i];
                ids[i] = e;
                break;
            }
}

/* Adds a type to some of the entities without it. */
static void fill(mixed_world *s, const covey_type *type, const covey_type *other, uint32_t density) {
    uint32_t count = 0;
    covey_entity *chosen = malloc((s->count + 1) * sizeof *chosen);
    if (!chosen) abort();
    for (uint32_t i = 0; i < s->count; i++)
        if (!covey_has_raw(world, s->all[i], type) && is_chosen(s, density, s->all[i], other))
            chosen[count++] = s->all[i];
    if (count <= 1000) order(s, chosen, count, other);
    give_all(s, chosen, count, type);
    free(chosen);
}

static void fill_types(mixed_world *s) {
    for (uint32_t i = 0; i < s->type_count; i++)
        fill(s, s->types[i], i != 0 ? s->types[i - 1] : NULL, mixed_below(s, 10));
}

/* ---- Changes ------------------------------------------------------------------------------------------------------*/

static void remove_some(mixed_world *s) {
    const covey_type *type = mixed_type(s);
    uint32_t density = 1 + mixed_below(s, 8);
    shuffle(s, s->all, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        if (is_chosen(s, density, s->all[i], NULL)) covey_remove_raw(world, s->all[i], type);
}

static void add_some(mixed_world *s) {
    const covey_type *type = mixed_type(s), *other = mixed_type(s);
    fill(s, type, other, mixed_below(s, 10));
}

static void destroy_some(mixed_world *s) {
    uint32_t density = 2 + mixed_below(s, 7);
    if (mixed_chance(s, 50)) shuffle(s, s->all, s->count);
    for (uint32_t i = 0; i < s->count; i++)
        if (is_chosen(s, density, s->all[i], NULL)) destroy(s, s->all[i]);
}

/* As wholes: each with the same types, or with those that chance gives it. */
static void create_some(mixed_world *s) {
    uint32_t count = 1 + mixed_below(s, 150), whole = mixed_below(s, 2);
    uint32_t chosen = test_next(&s->random);
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = covey_create(world);
        if (covey_is_null(e)) return;
        if (whole == 0) chosen = test_next(&s->random);
        for (uint32_t k = 0; k < s->type_count; k++)
            if ((chosen >> k & 1) != 0) mixed_give(e, s->types[k]);
    }
}

static void tidy(mixed_world *s) {
    covey_pool *pool = covey_pool_find_raw(world, mixed_type(s));
    switch (mixed_below(s, 4)) {
    case 0: covey_compact(world); return;
    case 1: covey_shrink(world); return;
    case 2:
        if (pool) covey_pool_compact(pool, NULL, NULL);
        return;
    default:
        if (pool) covey_pool_shrink(pool);
        return;
    }
}

/* Keeps a pool in an order, or no longer. */
static void keep(mixed_world *s, covey_pool *pool, const covey_order *by) {
    if (covey_pool_keep_sorted(pool, by) != COVEY_OK) return;
    for (uint32_t i = 0; i < s->type_count; i++)
        if (s->types[i] == covey_pool_type(pool)) s->kept[i] = by != NULL;
}

static void sort(mixed_world *s) {
    const covey_type *type = mixed_type(s), *as = mixed_type(s);
    covey_pool *pool = covey_pool_find_raw(world, type), *other = covey_pool_find_raw(world, as);
    covey_order by = { .key = COVEY_KEY_INDEX, .descending = mixed_chance(s, 50) };
    if (!pool || s->count == 0) return;
    if (type->size >= 4 && mixed_chance(s, 40)) by.key = COVEY_KEY_U32;
    if ((covey_pool_position_count)(pool) != covey_pool_count(pool)) covey_pool_compact(pool, NULL, NULL);
    uint32_t how = mixed_below(s, 4);
    if (how == 0 && other && other != pool) (void)covey_pool_sort_as(pool, other);
    else if (how == 1) covey_pool_swap(pool, s->all[0], s->all[s->count - 1]);
    else if (how == 2) keep(s, pool, mixed_chance(s, 50) ? &by : NULL);
    else (void)covey_pool_sort(pool, &by);
}

static void convert(mixed_world *s) {
    static const covey_storage storages[] = { COVEY_STORAGE_DEFAULT, COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK };
    covey_pool *pool = covey_pool_find_raw(world, mixed_type(s));
    covey_storage storage = storages[mixed_below(s, 3)];
    if (pool) (void)covey_pool_convert(pool, storage);
}

static void disable_some(mixed_world *s) {
    const covey_type *type = mixed_type(s);
    uint32_t density = 2 + mixed_below(s, 7), how = mixed_below(s, 4);
    s->hides = true;
    for (uint32_t i = 0; i < s->count; i++) {
        covey_entity e = s->all[i];
        if (!is_chosen(s, density, e, NULL)) continue;
        if (how == 0) covey_disable(world, e);
        else if (how == 1) covey_enable(world, e);
        else if (covey_has_raw(world, e, type) && how == 2) covey_component_disable_raw(world, e, type);
        else if (covey_has_raw(world, e, type)) covey_component_enable_raw(world, e, type);
    }
}

/* Time passes; some values are set again. */
static void touch_some(mixed_world *s) {
    const covey_type *type = mixed_type(s);
    uint32_t density = 2 + mixed_below(s, 7);
    covey_tick_advance(world);
    for (uint32_t i = 0; i < s->count && type->ticks; i++)
        if (covey_has_raw(world, s->all[i], type) && is_chosen(s, density, s->all[i], NULL)) {
            unsigned char bytes[MIXED_BYTES];
            make_value(s->all[i], type, bytes);
            covey_set_raw(world, s->all[i], type, type->size != 0 ? bytes : NULL);
        }
}

void mixed_change(mixed_world *s) {
    switch (mixed_below(s, 32)) {
    case 0: covey_clear_raw(world, mixed_type(s)); break;
    case 1:
    case 2:
    case 3:
    case 4:
    case 5:
    case 6: remove_some(s); break;
    case 7:
    case 8:
    case 9: destroy_some(s); break;
    case 10:
    case 11:
    case 12: create_some(s); break;
    case 13:
    case 14:
    case 15: tidy(s); break;
    case 16:
    case 17:
    case 18: sort(s); break;
    case 19:
    case 20: convert(s); break;
    case 21:
    case 22: disable_some(s); break;
    case 23:
    case 24:
    case 25: touch_some(s); break;
    default: add_some(s); break;
    }
    mixed_list(s);
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

bool mixed_is_bound(const mixed_world *s, const covey_type *type) {
    for (uint32_t i = 0; i < s->type_count; i++)
        if (s->types[i] == type && s->kept[i]) return true;
    for (uint32_t i = 0; i < s->group_count; i++)
        for (uint32_t k = 0; k < COVEY_TERMS && s->group_descs[i].own[k]; k++)
            if (s->group_descs[i].own[k] == type) return true;
    return false;
}

/* Whether a group can own the pool of a type. */
static bool can_be_owned(const covey_type *type) {
    const covey_pool *pool = covey_pool_find_raw(world, type);
    return type->storage == COVEY_STORAGE_SPARSE && type->policy == COVEY_SWAP_AND_POP &&
           !(pool && covey__in_blocks(pool));
}

/* Owning all that it can, some, or none; the second inside of the first, around it, or beside it, if it is let. */
static void make_group(mixed_world *s) {
    covey_group_desc desc = { .own = { NULL } };
    uint32_t own = 0, with = 0, without = 0, owned = mixed_below(s, 3);
    for (uint32_t i = 0; i < s->type_count; i++) {
        uint32_t role = mixed_below(s, 8);
        bool owns = can_be_owned(s->types[i]) && (owned == 0 || (owned == 1 && mixed_chance(s, 50)));
        if (role == 0) continue;
        if (role == 1) desc.without[without++] = s->types[i];
        else if (owns) desc.own[own++] = s->types[i];
        else desc.with[with++] = s->types[i];
    }
    covey_group *group = covey_group_create(world, &desc);
    if (!group) return;
    s->groups[s->group_count] = group;
    s->group_descs[s->group_count++] = desc;
}

/* ---- Beginning and end --------------------------------------------------------------------------------------------*/

void mixed_begin(mixed_world *s, uint64_t seed) {
    describe_types();
    *s = (mixed_world){ .random = { seed } };
    choose_types(s);
    make_entities(s);
    uint32_t groups = mixed_chance(s, 30) ? 1 + mixed_below(s, MIXED_GROUPS) : 0;
    bool early = mixed_chance(s, 50);
    for (uint32_t i = 0; i < groups && early; i++) make_group(s);
    fill_types(s);
    for (uint32_t i = mixed_chance(s, 20) ? 0 : mixed_below(s, 9); i > 0; i--) mixed_change(s);
    for (uint32_t i = 0; i < groups && !early; i++) make_group(s);
    mixed_list(s);
}

void mixed_end(mixed_world *s) {
    free(s->all);
    free(s->stale);
    s->all = s->stale = NULL;
}

covey_world *mixed_load(const mixed_world *s) {
    const covey_type *known[MIXED_TYPES + 1] = { NULL };
    covey_buffer image = { 0 };
    covey_world_desc desc = world_desc();
    covey_world *loaded = covey_world_create(&desc);
    for (uint32_t i = 0; i < s->type_count; i++) known[i] = s->types[i];
    covey_load_desc how = { .types = known };
    bool done = loaded && covey_save_to_buffer(world, &image, NULL, NULL) == COVEY_OK &&
                covey_load_from_memory(loaded, image.bytes, image.size, &how, NULL) == COVEY_OK;
    covey_buffer_free(&image);
    if (done) return loaded;
    covey_world_destroy(loaded);
    return NULL;
}
