/* A sparse set, and what each policy does when elements are removed. */
#include "pictures.h"
#include <covey/sparse_set.h>
#include <stdio.h>
#include <string.h>

enum { INDICES = 10, POSITIONS = 8 };

static covey_entity id(uint32_t index) { return covey_entity_make(index, 1); }

static void push(covey_sparse_set *set, uint32_t index) { (void)covey_sparse_set_push(set, id(index), &index); }

/* ---- A sparse set */

typedef struct set_state {
    uint32_t position[INDICES], at[INDICES];
} set_state;

static set_state state_of(const covey_sparse_set *set) {
    set_state now;
    for (uint32_t i = 0; i < INDICES; i++) {
        now.position[i] = covey_sparse_set_find(set, id(i));
        covey_entity e = covey_sparse_set_at(set, i);
        now.at[i] = e.generation == 0 ? COVEY_NONE : e.index;
    }
    return now;
}

static void draw_set(picture *p, const covey_sparse_set *set, const set_state *before) {
    const double step = (RIGHT - LEFT) / (double)INDICES, ids = p->y + 16 + CELL_HEIGHT + 26;
    set_state now = state_of(set);
    picture_label(p, p->y + 16, "table");
    picture_label(p, ids, "ids");
    picture_label(p, ids + CELL_HEIGHT, "values");
    for (uint32_t i = 0; i < INDICES; i++) {
        double x = LEFT + i * step;
        char text[16] = "";
        picture_text(p, x + step / 2, p->y + 10, "small", "%u", i);
        if (now.position[i] != COVEY_NONE) snprintf(text, sizeof text, "%u", now.position[i]);
        picture_cell(p, x, p->y + 16, step, *text ? VALUE : EMPTY, before && before->position[i] != now.position[i],
                     text);
        if (*text) {
            picture_line(p, x + step / 2, p->y + 16 + CELL_HEIGHT, LEFT + (now.position[i] + 0.5) * step, ids);
        }
    }
    for (uint32_t i = 0; i < 5; i++) {
        double x = LEFT + i * step;
        bool changed = before && before->at[i] != now.at[i], used = now.at[i] != COVEY_NONE;
        char name[16] = "", value[16] = "";
        if (used) {
            snprintf(name, sizeof name, "%u", now.at[i]);
            snprintf(value, sizeof value, "v%u", *(uint32_t *)covey_sparse_set_value_at(set, i));
        }
        picture_cell(p, x, ids, step, used ? VALUE : EMPTY, changed, name);
        picture_cell(p, x, ids + CELL_HEIGHT, step, used ? VALUE : EMPTY, changed, value);
    }
    p->y = (int)ids + 2 * CELL_HEIGHT + 6;
}

static covey_sparse_set *new_set(covey_policy policy) {
    return covey_sparse_set_create(
        &(covey_sparse_set_desc){ .size = sizeof(uint32_t), .align = _Alignof(uint32_t), .policy = policy });
}

bool draw_sparse_set(picture *p, const char *folder) {
    covey_sparse_set *set = new_set(COVEY_SWAP_AND_POP);
    push(set, 7), push(set, 2), push(set, 9);
    picture_begin(p);
    picture_panel(p, "entities 7, 2 and 9", "The table leads from an index to a position.\nIds and values are packed.");
    draw_set(p, set, NULL);
    set_state before = state_of(set);
    push(set, 4);
    picture_panel(p, "add to 4", "It is appended.");
    draw_set(p, set, &before);
    before = state_of(set);
    (void)covey_sparse_set_remove(set, id(7));
    picture_panel(p, "remove from 7", "The last element fills the hole: swap-remove.");
    draw_set(p, set, &before);
    covey_sparse_set_destroy(set);
    return picture_end(p, folder, "sparse_set", "A sparse set, after adding and after removing an element");
}

/* ---- The four policies */

typedef struct policy_state {
    uint32_t count, live, ids[POSITIONS]; /* COVEY_NONE: a hole */
} policy_state;

static policy_state positions_of(const covey_sparse_set *set) {
    policy_state now = { .count = covey_sparse_set_position_count(set), .live = 0 };
    bool keeps_dead = covey_sparse_set_policy(set) == COVEY_SWAP_ONLY;
    now.live = keeps_dead ? covey_sparse_set_count(set) : now.count;
    for (uint32_t i = 0; i < now.count; i++) {
        covey_entity e = covey_sparse_set_at(set, i);
        now.ids[i] = e.generation == 0 ? COVEY_NONE : e.index;
    }
    return now;
}

static policy_state draw_row(picture *p, const covey_sparse_set *set, const policy_state *before, const char *caption) {
    const double step = 30;
    policy_state now = positions_of(set);
    for (uint32_t i = 0; i < now.count; i++) {
        bool hole = now.ids[i] == COVEY_NONE, dead = i >= now.live;
        bool changed = before && (i >= before->count || before->ids[i] != now.ids[i] || (i < before->live) == dead);
        char text[16] = "";
        if (!hole) snprintf(text, sizeof text, "%u", now.ids[i]);
        picture_cell(p, MARGIN + i * step, p->y, step, hole ? HOLE : dead ? DEAD : VALUE, changed, text);
    }
    picture_text(p, MARGIN + 7.4 * step, p->y + 15, "note", "%s", caption);
    if (covey_sparse_set_policy(set) == COVEY_IN_PLACE && covey_sparse_set_head(set) != COVEY_NONE) {
        picture_text(p, MARGIN + 7.4 * step + 77, p->y + 15, "note", "next hole: %u", covey_sparse_set_head(set));
    }
    p->y += CELL_HEIGHT + 6;
    return now;
}

static void draw_policy(picture *p, covey_policy policy, const char *name, const char *remark) {
    covey_sparse_set *set = new_set(policy);
    for (uint32_t i = 10; i < 16; i++) push(set, i);
    picture_panel(p, name, remark);
    policy_state before = draw_row(p, set, NULL, "10 to 15");
    (void)covey_sparse_set_remove(set, id(11));
    before = draw_row(p, set, &before, "remove 11");
    (void)covey_sparse_set_remove(set, id(13));
    before = draw_row(p, set, &before, "remove 13");
    push(set, 20);
    before = draw_row(p, set, &before, "add 20");
    covey_sparse_set_compact(set);
    draw_row(p, set, &before, "compact");
    covey_sparse_set_destroy(set);
}

bool draw_policies(picture *p, const char *folder) {
    picture_begin(p);
    draw_policy(p, COVEY_SWAP_AND_POP, "COVEY_SWAP_AND_POP", "The last element fills the hole. Always packed.");
    draw_policy(p, COVEY_IN_PLACE, "COVEY_IN_PLACE",
                "Nothing moves: addresses are stable. The next add\nfills the hole that was made last.");
    draw_policy(p, COVEY_SWAP_ONLY, "COVEY_SWAP_ONLY",
                "Removed elements (grey) stay behind the live ones,\nwhere they can be queried.");
    draw_policy(p, COVEY_ORDERED, "COVEY_ORDERED",
                "Removal leaves a hole until compaction. Elements\nkeep the order of adding.");
    return picture_end(p, folder, "policies", "The four removal policies of a sparse set, step by step");
}
