/* A picture of a swarm: birds follow three leaders for some hundred steps, and each becomes a stroke of an SVG file.
 *
 *     picture [FILE]    writes swarm.svg, unless a file is named
 *
 * `build/release/examples/picture docs/swarm.svg` updates the picture of the README. */
#include <covey/covey.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Vector;
typedef Vector Position, Velocity;
typedef struct {
    float turn, radius; /* the angle of a step around the centre, and the distance from the centre */
} Leader;
typedef struct {
    covey_entity leader;
    Vector offset; /* the target of the bird, relative to its leader */
    float zeal;
} Follower;
COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Leader);
COVEY_COMPONENT_DEFINE(Follower);

enum { WIDTH = 960, HEIGHT = 400, LEADERS = 3, BIRDS = 4200, STEPS = 470 };

/* The next of a series of random numbers, from -1 to 1. */
static float draw_number(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / (float)(1 << 23) - 1;
}

static void lead(const covey_view *leaders) {
    covey_iter it = covey_view_iter(leaders);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Leader *leader = covey_field(&it, 1, Leader);
        for (uint32_t i = 0; i < it.count; i++) {
            float x = p[i].x - WIDTH / 2, y = (p[i].y - HEIGHT / 2) * 2; /* an ellipse: half as high as it is wide */
            float turned_x = x - leader[i].turn * y, turned_y = y + leader[i].turn * x;
            float scale = leader[i].radius / sqrtf(turned_x * turned_x + turned_y * turned_y);
            p[i] = (Position){ WIDTH / 2 + turned_x * scale, HEIGHT / 2 + turned_y * scale / 2 };
        }
    }
}

/* Each bird looks its leader up by handle, and turns towards its own place behind it. */
static void follow(covey_world *world, const covey_view *followers) {
    covey_iter it = covey_view_iter(followers);
    while (covey_next(&it)) {
        const Position *p = covey_field(&it, 0, Position);
        Velocity *v = covey_field(&it, 1, Velocity);
        const Follower *f = covey_field(&it, 2, Follower);
        for (uint32_t i = 0; i < it.count; i++) {
            const Position *to = covey_get(world, f[i].leader, Position);
            v[i].x = v[i].x * 0.98f + (to->x + f[i].offset.x - p[i].x) * f[i].zeal;
            v[i].y = v[i].y * 0.98f + (to->y + f[i].offset.y - p[i].y) * f[i].zeal;
        }
    }
}

static void move(const covey_view *moving) {
    covey_iter it = covey_view_iter(moving);
    while (covey_next(&it)) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x, p[i].y += v[i].y;
    }
}

static void populate(covey_world *world) {
    covey_entity leaders[LEADERS];
    uint64_t state = 7;
    for (int i = 0; i < LEADERS; i++) {
        float angle_x = i == 0 ? 1 : -0.5f, angle_y = i == 0 ? 0 : i == 1 ? 0.87f : -0.87f;
        leaders[i] = covey_create_with(world, covey_with(Leader, { 0.018f, 170 + 60 * (float)i }),
                                       covey_with(Position, { WIDTH / 2 + 200 * angle_x, HEIGHT / 2 + 100 * angle_y }));
    }
    for (int i = 0; i < BIRDS; i++) {
        Vector at = { .x = draw_number(&state) };
        at.y = draw_number(&state);
        float zeal = 0.0002f + 0.0011f * (draw_number(&state) + 1);
        float spread = 25 + 85 * draw_number(&state) * draw_number(&state);
        covey_create_with(world, covey_with(Position, { WIDTH / 2 + at.x * 300, HEIGHT / 2 + at.y * 150 }),
                          covey_with(Velocity, { at.y * 2, at.x }),
                          covey_with(Follower, { leaders[i % LEADERS], { at.x * spread, at.y * spread }, zeal }));
    }
}

/* The birds of one leader, as one path. */
static void write_birds(FILE *file, const covey_view *followers, covey_entity leader, const char *color) {
    fprintf(file, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.1\" stroke-linecap=\"round\" d=\"", color);
    covey_iter it = covey_view_iter(followers);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        if (!covey_same(covey_row_field(&it, row, 2, Follower)->leader, leader)) continue;
        const Position *p = covey_row_field(&it, row, 0, Position);
        const Velocity *v = covey_row_field(&it, row, 1, Velocity);
        fprintf(file, "M%.0f %.0fl%.1f %.1f", (double)p->x, (double)p->y, -1.6 * (double)v->x, -1.6 * (double)v->y);
    }
    fprintf(file, "\"/>\n");
}

static bool write_picture(const char *path, const covey_view *leaders, const covey_view *followers) {
    static const char *const colors[LEADERS] = { "#ffd479", "#7ad0ff", "#ff9ea8" };
    FILE *file = fopen(path, "w");
    if (!file) return false;
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\">\n", WIDTH, HEIGHT);
    fprintf(file, "<rect width=\"%d\" height=\"%d\" rx=\"12\" fill=\"#16202e\"/>\n", WIDTH, HEIGHT);
    covey_iter it = covey_view_iter(leaders);
    covey_row row = { 0 };
    for (int i = 0; covey_next_row(&it, &row); i++)
        write_birds(file, followers, covey_row_entity(&it, row), colors[i % LEADERS]);
    fprintf(file, "</svg>\n");
    return fclose(file) == 0;
}

int main(int argc, char **argv) {
    const char *path = argc > 1 ? argv[1] : "swarm.svg";
    covey_world *world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    populate(world);
    covey_view leaders = covey_view_of(world, Position, Leader);
    covey_view moving = covey_view_of(world, Position, Velocity);
    covey_view followers =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_ids(Position, Velocity, Follower) } });
    for (int step = 0; step < STEPS; step++) {
        lead(&leaders);
        follow(world, &followers);
        move(&moving);
    }
    bool written = write_picture(path, &leaders, &followers);
    if (written) printf("%s: %u birds after %d steps\n", path, covey_view_count(&followers), STEPS);
    else fprintf(stderr, "%s could not be written\n", path);
    covey_world_destroy(world);
    return written ? EXIT_SUCCESS : EXIT_FAILURE;
}
