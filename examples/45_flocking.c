/* Flocking: places in a grid of cells. Birds that are close to each other fly alike and keep a distance, and a hawk
 * frightens those around it. All numbers are integers, so that the checksum is the same on every machine. */
#include <covey/fields.h>
#include <covey/lookup.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BIRDS = 400, FRAMES = 200, FIELD = 3000, SEES = 150, TOO_CLOSE = 50, FEARS = 300, FASTEST = 30 };

typedef struct {
    int32_t x, y;
} Place, Speed;
typedef struct {
    int32_t x, y, count; /* the sum of what the birds around ask for, and how many they are */
} Urge;
COVEY_FIELDS_DEFINE(Place, i32(x), i32(y));
COVEY_COMPONENT_DEFINE(Place, .fields = &covey_fields_Place, .ticks = true); /* only what is looked up needs ticks */
COVEY_COMPONENT_DEFINE(Speed);
COVEY_COMPONENT_DEFINE(Urge);

static int32_t within(int32_t value, int32_t most) { return value > most ? most : value < -most ? -most : value; }

/* A bird sees another one: it wants to fly as that does, and away from it if they are too close. */
static void see(covey_world *world, covey_entity bird, covey_entity other) {
    const Place *at = covey_get(world, bird, Place), *there = covey_get(world, other, Place);
    const Speed *speed = covey_get(world, other, Speed);
    Urge *urge = covey_get(world, bird, Urge);
    int32_t x = at->x - there->x, y = at->y - there->y, away = x * x + y * y < TOO_CLOSE * TOO_CLOSE;
    *urge = (Urge){ urge->x + speed->x + away * x, urge->y + speed->y + away * y, urge->count + 1 };
}

/* All pairs of birds that see each other; each comes once. Returns how many there are. */
static uint32_t look_around(covey_world *world, covey_lookup *places) {
    uint32_t count = 0;
    covey_pairs pairs = covey_lookup_pairs(places, SEES);
    for (; covey_pairs_next(&pairs); count += pairs.count)
        for (uint32_t i = 0; i < pairs.count; i++) {
            see(world, pairs.a[i], pairs.b[i]);
            see(world, pairs.b[i], pairs.a[i]);
        }
    return count;
}

/* The hawk follows the nearest bird, and all birds near it flee. */
static void hunt(covey_world *world, covey_lookup *places, const covey_view *urges, double *hawk) {
    covey_entity prey;
    if (covey_lookup_nearest(places, hawk, INFINITY, &prey, NULL, 1) == 0) return;
    const Place *at = covey_get(world, prey, Place);
    hawk[0] += within(at->x - (int32_t)hawk[0], FASTEST);
    hawk[1] += within(at->y - (int32_t)hawk[1], FASTEST);
    covey_search around = covey_lookup_near(places, hawk, FEARS);
    covey_iter it = covey_view_iter_search(urges, &around);
    while (covey_next(&it)) {
        const Place *place = covey_field(&it, 0, Place);
        Urge *urge = covey_field(&it, 1, Urge);
        for (uint32_t i = 0; i < it.count; i++) {
            urge[i].x += place[i].x - (int32_t)hawk[0];
            urge[i].y += place[i].y - (int32_t)hawk[1];
        }
    }
}

static void fly(const covey_view *birds) {
    covey_iter it = covey_view_iter(birds);
    while (covey_next(&it)) {
        Place *place = covey_field(&it, 0, Place);
        Speed *speed = covey_field(&it, 1, Speed);
        Urge *urge = covey_field(&it, 2, Urge);
        for (uint32_t i = 0; i < it.count; i++) {
            int32_t n = urge[i].count + 1;
            speed[i].x = within((3 * speed[i].x + (urge[i].x + speed[i].x) / n) / 4, FASTEST);
            speed[i].y = within((3 * speed[i].y + (urge[i].y + speed[i].y) / n) / 4, FASTEST);
            place[i].x = (place[i].x + speed[i].x + FIELD) % FIELD;
            place[i].y = (place[i].y + speed[i].y + FIELD) % FIELD;
            urge[i] = (Urge){ 0 };
        }
    }
}

static void add_birds(covey_world *world) {
    uint32_t dice = 1;
    for (int i = 0; i < BIRDS; i++) {
        int32_t at[4];
        for (int k = 0; k < 4; k++) at[k] = (int32_t)((dice = dice * 1664525 + 1013904223) >> 8 & 0xffff);
        covey_create_with(world, covey_with(Place, { at[0] % FIELD, at[1] % FIELD }),
                          covey_with(Speed, { at[2] % 41 - 20, at[3] % 41 - 20 }), covey_with(Urge, { 0 }));
    }
}

static uint32_t checksum_of(const covey_view *urges) {
    uint32_t checksum = 0;
    covey_iter it = covey_view_iter(urges);
    while (covey_next(&it)) {
        const Place *place = covey_field(&it, 0, Place);
        for (uint32_t i = 0; i < it.count; i++) checksum = checksum * 31 + (uint32_t)(place[i].x * FIELD + place[i].y);
    }
    return checksum;
}

int main(void) {
    double hawk[2] = { FIELD / 2, FIELD / 2 };
    covey_world *world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    covey_lookup *places = covey_lookup_create(
        world, &(covey_lookup_desc){ .type = covey_id(Place), .place = { "x", "y" }, .cell = SEES });
    if (!places) return EXIT_FAILURE;
    covey_view birds = covey_view_of(world, Place, Speed, Urge);
    covey_view urges =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_ids(Place, Urge) }, .read = { covey_id(Place) } });
    add_birds(world);
    for (int frame = 0; frame <= FRAMES; frame++) {
        uint32_t pairs = look_around(world, places);
        if (frame % 50 == 0) printf("frame %3d: %u pairs; the hawk is at %g, %g\n", frame, pairs, hawk[0], hawk[1]);
        hunt(world, places, &urges, hawk);
        fly(&birds);
    }
    uint32_t checksum = checksum_of(&urges);
    printf("checksum %08x\n", checksum);
    covey_world_destroy(world);
    return checksum == 0x3d69dc01 ? EXIT_SUCCESS : EXIT_FAILURE;
}
