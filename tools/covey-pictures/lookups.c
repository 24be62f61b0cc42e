/* Lookups: the sources of targets, values in order, and places in cells. */
#include "pictures.h"
#include <covey/fields.h>
#include <covey/lookup.h>
#include <covey/tick.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    covey_entity owner;
} OwnedBy;
typedef struct {
    int32_t points;
} Score;
typedef struct {
    float x, y;
} Place;
COVEY_FIELDS_DEFINE(OwnedBy, entity(owner));
COVEY_FIELDS_DEFINE(Score, i32(points));
COVEY_FIELDS_DEFINE(Place, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(OwnedBy, .fields = &covey_fields_OwnedBy, .ticks = true);
COVEY_COMPONENT_DEFINE(Score, .fields = &covey_fields_Score, .ticks = true);
COVEY_COMPONENT_DEFINE(Place, .fields = &covey_fields_Place, .ticks = true);

enum { PLAYERS = 2, THINGS = 6, ENTITIES = PLAYERS + THINGS, STEP = (RIGHT - LEFT) / ENTITIES };

static double column(uint32_t i) { return LEFT + (double)i * STEP; }

/* ---- Sources of targets */

typedef struct {
    covey_world *world;
    covey_lookup *owned;
    covey_entity at[ENTITIES]; /* two players, and their things */
    uint64_t asked;            /* the tick of the last question */
} inventory;

/* What the lookup found when it was asked last. */
typedef struct {
    uint32_t found[PLAYERS][ENTITIES], count[PLAYERS];
} answers;

static answers ask(inventory *of) {
    answers now = { 0 };
    for (uint32_t i = 0; i < PLAYERS; i++) {
        covey_search search = covey_lookup_find(of->owned, &of->at[i]);
        if (!covey_search_next(&search)) continue;
        now.count[i] = search.count;
        for (uint32_t k = 0; k < search.count; k++) now.found[i][k] = search.entities[k].index;
    }
    of->asked = covey_tick(of->world);
    covey_tick_advance(of->world);
    return now;
}

static void draw_components(picture *p, const inventory *of) {
    picture_label(p, p->y + 16, "owner");
    picture_label(p, p->y + 16 + CELL_HEIGHT, "noted");
    for (uint32_t i = 0; i < ENTITIES; i++) {
        const OwnedBy *by = covey_get(of->world, of->at[i], OwnedBy);
        bool noted = by && covey_changed_at(of->world, of->at[i], OwnedBy) > of->asked;
        char owner[16] = "";
        if (by) snprintf(owner, sizeof owner, "%u", by->owner.index);
        picture_text(p, column(i) + STEP / 2.0, p->y + 10, "small", "%u", i);
        picture_cell(p, column(i), p->y + 16, STEP, by ? VALUE : EMPTY, noted, owner);
        picture_cell(p, column(i), p->y + 16 + CELL_HEIGHT, STEP, noted ? MEMBER : EMPTY, noted, noted ? "1" : "");
    }
    p->y += 16 + 2 * CELL_HEIGHT + 10;
}

static void draw_answers(picture *p, const answers *now, const answers *before) {
    for (uint32_t i = 0; i < PLAYERS; i++, p->y += CELL_HEIGHT + 4) {
        char label[16], text[16];
        snprintf(label, sizeof label, "of %u", i);
        picture_label(p, p->y, label);
        for (uint32_t k = 0; k < now->count[i]; k++) {
            bool changed = before && (k >= before->count[i] || before->found[i][k] != now->found[i][k]);
            snprintf(text, sizeof text, "%u", now->found[i][k]);
            picture_cell(p, column(k), p->y, STEP, VALUE, changed, text);
        }
        if (now->count[i] == 0) picture_cell(p, column(0), p->y, STEP, HOLE, false, NULL);
    }
    p->y += 4;
}

static void make_inventory(inventory *of) {
    of->world = covey_world_create(NULL);
    of->asked = 0;
    of->owned = covey_lookup_create(
        of->world,
        &(covey_lookup_desc){ .type = covey_id(OwnedBy), .field = "owner", .when_target_ends = COVEY_TARGET_REMOVE });
    if (!of->owned || !covey_create_many(of->world, of->at, ENTITIES)) abort();
    for (uint32_t i = PLAYERS; i < ENTITIES; i++) covey_add(of->world, of->at[i], OwnedBy, { of->at[i == 4] });
}

bool draw_lookup(picture *p, const char *folder) {
    inventory of;
    make_inventory(&of);
    answers first = ask(&of);
    picture_begin(p);
    picture_panel(p, "players 0 and 1, and their things", "A bucket for each target has the indices of its\nsources.");
    draw_components(p, &of);
    draw_answers(p, &first, NULL);
    covey_set(of.world, of.at[5], OwnedBy, { of.at[1] });
    picture_panel(p, "covey_set(world, thing 5, ...)",
                  "A bit notes that the component was changed.\nNothing is filed yet.");
    draw_components(p, &of);
    draw_answers(p, &first, NULL);
    answers second = ask(&of);
    picture_panel(p, "covey_lookup_find", "What is noted is filed; then the answer is read.");
    draw_components(p, &of);
    draw_answers(p, &second, &first);
    covey_destroy(of.world, of.at[0]);
    second = ask(&of);
    picture_panel(p, "destroy player 0", "COVEY_TARGET_REMOVE: its sources lose the component.");
    draw_components(p, &of);
    draw_answers(p, &second, NULL);
    covey_world_destroy(of.world);
    return picture_end(p, folder, "lookup",
                       "The sources of two targets: filed, after a change, asked, and without one target");
}

/* ---- Values in order */

/* All entities by their scores; those that a range finds are marked. */
static void draw_scores(picture *p, covey_world *world, covey_lookup *scores, const int32_t *low, const int32_t *high) {
    covey_search all = covey_lookup_range(scores, NULL, NULL), range = covey_lookup_range(scores, low, high);
    if (!covey_search_next(&all)) return;
    bool any = low && covey_search_next(&range);
    picture_label(p, p->y, "points");
    picture_label(p, p->y + CELL_HEIGHT, "entities");
    for (uint32_t i = 0; i < all.count; i++) {
        bool in = false;
        char points[16], index[16];
        for (uint32_t k = 0; any && k < range.count; k++) in = in || covey_same(range.entities[k], all.entities[i]);
        snprintf(points, sizeof points, "%d", (int)covey_get(world, all.entities[i], Score)->points);
        snprintf(index, sizeof index, "%u", all.entities[i].index);
        picture_cell(p, column(i), p->y, STEP, in ? MEMBER : VALUE, false, points);
        picture_cell(p, column(i), p->y + CELL_HEIGHT, STEP, in ? MEMBER : VALUE, false, index);
    }
    p->y += 2 * CELL_HEIGHT + 6;
}

bool draw_ordered(picture *p, const char *folder) {
    static const int32_t points[ENTITIES] = { 50, 20, 90, 20, 70, 40, 10, 60 };
    const int32_t low = 20, high = 50;
    covey_world *world = covey_world_create(NULL);
    covey_lookup *scores =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(Score), .field = "points", .ordered = true });
    if (!scores) abort();
    covey_entity made[ENTITIES];
    for (uint32_t i = 0; i < ENTITIES; i++) covey_add(world, made[i] = covey_create(world), Score, { points[i] });
    picture_begin(p);
    picture_panel(p, "all", "By value, and by index where values are equal.");
    draw_scores(p, world, scores, NULL, NULL);
    picture_panel(p, "from 20 to 50", "A range is one search, and then its neighbours.");
    draw_scores(p, world, scores, &low, &high);
    covey_set(world, made[6], Score, { 45 });
    picture_panel(p, "after entity 6 got 45", NULL);
    draw_scores(p, world, scores, &low, &high);
    covey_world_destroy(world);
    return picture_end(p, folder, "ordered", "Entities in the order of their values, and those in a range");
}

/* ---- Places in cells */

enum { CELLS_X = 10, CELLS_Y = 6, SIDE = (WIDTH - 2 * MARGIN) / CELLS_X, POINTS = 70 };

static bool has(const covey_search *search, covey_entity e) {
    for (uint32_t i = 0; i < search->count; i++)
        if (covey_same(search->entities[i], e)) return true;
    return false;
}

/* The cells that have a corner inside of the box around a circle are looked at. */
static void draw_cells(picture *p, const double *centre, double distance) {
    for (int i = 0; i < CELLS_X * CELLS_Y; i++) {
        int x = i % CELLS_X, y = i / CELLS_X;
        bool looked = x + 1 > centre[0] - distance && x <= centre[0] + distance && y + 1 > centre[1] - distance &&
                      y <= centre[1] + distance;
        picture_box(p, MARGIN + x * SIDE, p->y + y * SIDE, SIDE, SIDE, looked ? DEAD : EMPTY);
    }
}

bool draw_places(picture *p, const char *folder) {
    const double centre[2] = { 4.3, 2.8 }, distance = 1.6;
    uint32_t dice = 7;
    covey_world *world = covey_world_create(NULL);
    covey_lookup *places =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(Place), .place = { "x", "y" }, .cell = 1 });
    if (!places) abort();
    covey_entity made[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        float at[2];
        for (int k = 0; k < 2; k++) at[k] = (float)((dice = dice * 1664525 + 1013904223) >> 16 & 255) / 256;
        covey_add(world, made[i] = covey_create(world), Place, { at[0] * CELLS_X, at[1] * CELLS_Y });
    }
    covey_search found = covey_lookup_near(places, centre, distance);
    if (!covey_search_next(&found)) abort();
    picture_begin(p);
    picture_panel(p, "covey_lookup_near",
                  "The cells that the circle may reach (darker) are looked at;\nthe entities found are orange.");
    draw_cells(p, centre, distance);
    picture_circle(p, MARGIN + centre[0] * SIDE, p->y + centre[1] * SIDE, distance * SIDE, "changed");
    for (uint32_t i = 0; i < POINTS; i++) {
        const Place *at = covey_get(world, made[i], Place);
        picture_circle(p, MARGIN + (double)at->x * SIDE, p->y + (double)at->y * SIDE, 3.5,
                       has(&found, made[i]) ? MEMBER : VALUE);
    }
    p->y += CELLS_Y * SIDE + 4;
    covey_world_destroy(world);
    return picture_end(p, folder, "places", "Entities in a grid of cells, and those near a point");
}
