/* The spans of a view over two pools in blocks. */
#include "pictures.h"
#include <stdio.h>

enum { ENTITIES = 192, HIGH = 14 };

static const double step = (RIGHT - LEFT) / (double)ENTITIES;

/* A rectangle for each run of indices that have a component. */
static void draw_mask(picture *p, const char *name, const covey_pool *pool) {
    picture_label(p, p->y - 4, name);
    picture_box(p, LEFT, p->y, ENTITIES * step, HIGH, "empty");
    uint32_t first = 0;
    for (uint32_t i = 0; i <= ENTITIES; i++) {
        if (i < ENTITIES && covey_pool_has(pool, covey_entity_make(i, 1))) continue;
        if (i > first) picture_box(p, LEFT + first * step, p->y, (i - first) * step, HIGH, "value");
        first = i + 1;
    }
    p->y += HIGH + 6;
}

/* A bar for each span, as long as the span; its number if there is room. Returns how many there are. */
static uint32_t draw_bars(picture *p, covey_iter it) {
    uint32_t spans = 0;
    picture_label(p, p->y - 4, "spans");
    for (; covey_next(&it); spans++) {
        double x = LEFT + covey_span_entity(&it, 0).index * step, width = it.count * step;
        picture_box(p, x, p->y + 4, width - 0.6, 5, "bar");
        if (it.count >= 8) picture_text(p, x + width / 2, p->y + 22, "small", "%u", it.count);
    }
    p->y += 28;
    return spans;
}

static void draw_panel(picture *p, covey_world *world, covey_iter it, const char *heading, const char *remark) {
    picture_panel(p, heading, remark);
    for (uint32_t block = 0; block < 3; block++) {
        picture_text(p, LEFT + (block * 64 + 32) * step, p->y + 8, "small", "%u to %u", block * 64, block * 64 + 63);
    }
    p->y += 13;
    draw_mask(p, "Position", covey_pool_find(world, Position));
    draw_mask(p, "Velocity", covey_pool_find(world, Velocity));
    uint32_t spans = draw_bars(p, it);
    picture_text(p, LEFT, p->y + 8, "note", "%u spans", spans);
    p->y += 14;
}

bool draw_spans(picture *p, const char *folder) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .ids_in_order = true });
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { 0, 0 });
        if (i < 128 || i % 8 == 3) covey_add(world, e, Velocity, { 0, 0 });
    }
    (void)covey_pool_compact(covey_pool_of(world, Position), NULL, NULL);
    (void)covey_pool_compact(covey_pool_of(world, Velocity), NULL, NULL);
    covey_view moving = covey_view_of(world, Position, Velocity);
    picture_begin(p);
    draw_panel(p, world, covey_view_iter(&moving), "a view of Position and Velocity",
               "Full blocks that lie side by side are one span. Where\nmatches are scattered, a span is one entity.");
    (void)covey_remove(world, covey_entity_make(100, 1), Velocity);
    draw_panel(p, world, covey_view_iter(&moving), "remove Velocity from 100",
               "The span is cut there, and where the block begins\nthat is no longer full.");
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_ids(Position, Velocity) } });
    draw_panel(p, world, covey_group_iter(group), "a group that owns both",
               "One span for each block, drawn where its first member is.");
    covey_world_destroy(world);
    return picture_end(p, folder, "spans", "The spans of a view, after a removal, and those of a group");
}
