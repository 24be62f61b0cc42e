/* The forms of a block, and groups over sparse pools and over pools in blocks. */
#include "pictures.h"
#include <stdio.h>
#include <string.h>

typedef struct {
    uint32_t number[8]; /* 32 bytes: blocks have 8, 20, 36 or 64 slots */
} Value;
typedef struct {
    float x, y;
} SparsePosition, SparseVelocity;
COVEY_COMPONENT_DEFINE(Value);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(SparsePosition, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparseVelocity, .storage = COVEY_STORAGE_SPARSE);

enum { BLOCK = COVEY__BLOCK_IDS, SLOTS = 64 };

/* The slots of a block, with the index of the entity whose value each has, or COVEY_NONE. */
typedef struct block_state {
    uint64_t mask;
    uint32_t capacity, at[SLOTS];
} block_state;

static block_state block_of(const covey_pool *pool, uint32_t block) {
    const covey__block_page *page = pool->block_store.pages[0];
    block_state now = { .mask = page->masks[block], .capacity = page->capacity[block] };
    for (uint32_t slot = 0; slot < SLOTS; slot++) now.at[slot] = COVEY_NONE;
    for (uint32_t bit = 0; bit < BLOCK; bit++) {
        if (now.mask >> bit & 1) now.at[page->chunks[block].map[bit]] = block * BLOCK + bit;
    }
    return now;
}

/* ---- The forms of a block */

static bool is_direct(const block_state *block) { return block->capacity == BLOCK; }

static void draw_slots(picture *p, const block_state *now, const block_state *before, double y) {
    const double bit = (RIGHT - LEFT) / (double)BLOCK, step = (RIGHT - LEFT) / (double)now->capacity;
    for (uint32_t slot = 0; slot < now->capacity; slot++) {
        double x = LEFT + slot * step;
        char text[16] = "";
        bool used = now->at[slot] != COVEY_NONE;
        bool changed = before && before->capacity == now->capacity && before->at[slot] != now->at[slot];
        if (used && !is_direct(now)) snprintf(text, sizeof text, "v%u", now->at[slot]);
        picture_cell(p, x, y, step, used ? VALUE : EMPTY, changed, text);
        if (used && !is_direct(now)) {
            picture_line(p, LEFT + (now->at[slot] % BLOCK + 0.5) * bit, y - 26, x + step / 2, y);
        }
    }
}

static block_state draw_form(picture *p, const covey_pool *pool, const block_state *before) {
    const double bit = (RIGHT - LEFT) / (double)BLOCK;
    block_state now = block_of(pool, 0);
    for (uint32_t i = 0; i < BLOCK; i++) {
        bool set = now.mask >> i & 1,
             changed = before && before->capacity == now.capacity && (before->mask >> i & 1) != set;
        picture_cell(p, LEFT + i * bit, p->y + 14, bit, set ? VALUE : EMPTY, changed, NULL);
        if (i % 8 == 0) picture_text(p, LEFT + (i + 0.5) * bit, p->y + 9, "small", "%u", i);
    }
    double y = p->y + 14 + CELL_HEIGHT + (is_direct(&now) ? 6 : 26);
    picture_label(p, p->y + 14, "mask");
    picture_label(p, y, "values");
    draw_slots(p, &now, before, y);
    p->y = (int)y + CELL_HEIGHT + 4;
    return now;
}

static void add_value(covey_world *world, uint32_t index) {
    covey_entity e = covey_entity_make(index, 1);
    if (!covey_has(world, e, Value)) covey_add(world, e, Value, { { index } });
}

bool draw_block(picture *p, const char *folder) {
    static const uint32_t some[] = { 3, 60, 9, 21, 40 };
    covey_world *world = covey_world_create(&(covey_world_desc){ .ids_in_order = true });
    for (uint32_t i = 0; i < BLOCK; i++) (void)covey_create(world);
    for (uint32_t i = 0; i < sizeof some / sizeof *some; i++) add_value(world, some[i]);
    covey_pool *pool = covey_pool_of(world, Value);

    picture_begin(p);
    picture_panel(
        p, "compact: 5 of 64 entities have it",
        "A bit for each of 64 indices. A map leads from a bit\nto a slot. The capacity, here 8, grows in steps.");
    block_state before = draw_form(p, pool, NULL);
    add_value(world, 34);
    picture_panel(p, "add to 34", "A bit is set. The value is appended.");
    before = draw_form(p, pool, &before);
    (void)covey_remove(world, covey_entity_make(60, 1), Value);
    picture_panel(p, "remove from 60", "A bit is cleared. The last value of the block fills\nthe hole.");
    draw_form(p, pool, &before);
    for (uint32_t i = 0; i < 56; i++) add_value(world, i);
    picture_panel(p, "direct: most of the 64 have it", "A slot for each index: the map is the identity.");
    before = draw_form(p, pool, NULL);
    (void)covey_remove(world, covey_entity_make(30, 1), Value);
    picture_panel(p, "remove from 30", "A bit is cleared. No value moves.");
    draw_form(p, pool, &before);
    for (uint32_t i = 0; i < BLOCK; i++) add_value(world, i);
    picture_panel(p, "full: all 64 have it", "Loops run over the values without a look at the bits.");
    draw_form(p, pool, NULL);
    covey_world_destroy(world);
    return picture_end(p, folder, "block", "The forms of a block: compact, direct and full, before and after removals");
}

/* ---- Groups */

enum { PLACES = 24 };

/* What a pool has at each place where a value can be: positions, or the slots of two blocks. */
typedef struct places {
    uint32_t at[PLACES];
} places;

static places places_of(const covey_pool *pool) {
    places now;
    for (uint32_t i = 0; i < PLACES; i++) now.at[i] = COVEY_NONE;
    if (covey_pool_storage(pool) == COVEY_STORAGE_SPARSE) {
        for (uint32_t i = 0; i < covey_pool_position_count(pool); i++) now.at[i] = covey_pool_at(pool, i).index;
        return now;
    }
    for (uint32_t block = 0; block < 2; block++) {
        block_state state = block_of(pool, block);
        memcpy(now.at + block * 8, state.at, 8 * sizeof *now.at);
    }
    return now;
}

static bool has_both(const covey_world *world, const covey_pool *const pools[2], uint32_t index) {
    covey_entity e = covey_entity_make(index, 1);
    return covey_alive(world, e) && covey_pool_has(pools[0], e) && covey_pool_has(pools[1], e);
}

static void draw_pools(picture *p, const covey_world *world, const covey_pool *const pools[2], places before[2],
                       bool compare) {
    static const char *const names[] = { "Position", "Velocity" };
    bool blocks = covey_pool_storage(pools[0]) != COVEY_STORAGE_SPARSE;
    const uint32_t count = blocks ? 16 : 8;
    const double gap = blocks ? 10 : 0, step = (RIGHT - LEFT - 4 - gap) / count;
    for (uint32_t k = 0; k < 2; k++) {
        places now = places_of(pools[k]);
        picture_label(p, p->y, names[k]);
        for (uint32_t i = 0; i < count; i++) {
            char text[16] = "";
            bool used = now.at[i] != COVEY_NONE, member = used && has_both(world, pools, now.at[i]);
            if (used) snprintf(text, sizeof text, "%u", now.at[i]);
            picture_cell(p, LEFT + 4 + i * step + (i >= 8 ? gap : 0), p->y, step,
                         !used    ? EMPTY
                         : member ? MEMBER
                                  : VALUE,
                         compare && before[k].at[i] != now.at[i], text);
        }
        before[k] = now;
        p->y += CELL_HEIGHT + 5;
    }
}

static void fill(covey_world *world, const covey_type *position, const covey_type *velocity,
                 const uint32_t *with_both) {
    for (uint32_t i = 0; i < 70; i++) {
        covey_entity e = covey_create(world);
        bool used = (i >= 1 && i <= 6) || (i >= 64 && position == covey_id(Position));
        if (used) covey_add_raw(world, e, position, NULL);
    }
    for (; *with_both != 0; with_both++) covey_add_raw(world, covey_entity_make(*with_both, 1), velocity, NULL);
}

static void draw_group_over(picture *p, const covey_type *position, const covey_type *velocity,
                            const uint32_t *with_both, const char *created) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .ids_in_order = true });
    places before[2];
    fill(world, position, velocity, with_both);
    const covey_pool *const pools[2] = { covey_pool_find_raw(world, position), covey_pool_find_raw(world, velocity) };
    picture_panel(p, "two pools", "Orange: the entity has both.");
    draw_pools(p, world, pools, before, false);
    (void)covey_group_create(world, &(covey_group_desc){ .own = { position, velocity } });
    picture_panel(p, "covey_group_create", created);
    draw_pools(p, world, pools, before, true);
    covey_add_raw(world, covey_entity_make(3, 1), velocity, NULL);
    picture_panel(p, "add Velocity to 3", "It joins: it goes behind the members in both pools.");
    draw_pools(p, world, pools, before, true);
    (void)covey_remove_raw(world, covey_entity_make(5, 1), velocity);
    picture_panel(p, "remove Velocity from 5", "It leaves: the last member takes its place.");
    draw_pools(p, world, pools, before, true);
    covey_world_destroy(world);
}

bool draw_group(picture *p, const char *folder) {
    picture_begin(p);
    picture_part(p, "A group over sparse pools");
    draw_group_over(p, covey_id(SparsePosition), covey_id(SparseVelocity), (const uint32_t[]){ 5, 2, 6, 0 },
                    "Members go to the front, in the same order in both.\nIterating them is one loop over two arrays.");
    picture_part(p, "A group over pools in blocks");
    draw_group_over(
        p, covey_id(Position), covey_id(Velocity), (const uint32_t[]){ 2, 5, 6, 65, 68, 0 },
        "Members go to the front of each block (here those of\nentities 0 to 63, and from 64 on): a span each.");
    return picture_end(p, folder, "group", "A group over two sparse pools, and one over two pools in blocks");
}
