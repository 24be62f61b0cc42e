/* A swarm of a million birds: five systems, written as views, and the same work on plain arrays beside them. Prints
 * what each system takes, what each pool takes, and what Covey advises. The first program that `make run` shows, and a
 * place to try things out.
 *
 *     swarm [--entities N] [--frames N] [--help] */
#include "swarm.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    float x, y;
} Vector;
typedef Vector Position, Velocity; /* of every bird, in a field from 0 to 1 */
typedef float Energy;              /* of every second; who is out of it freezes */
typedef float Sick;                /* of few, and getting worse */

COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Energy);
COVEY_COMPONENT_DEFINE(Sick, .storage = COVEY_STORAGE_SPARSE); /* is that wise? The advice will tell */
COVEY_TAG_DEFINE(Frozen);                                      /* of one in fifty, and more each frame */

enum { HAS_ENERGY = 1, IS_SICK = 2, IS_FROZEN = 4 };

typedef struct Bird {
    Position position;
    Velocity velocity;
    Energy energy;
    Sick sick;
    uint8_t flags;
} Bird;

/* A world, and arrays by index with the same birds. */
typedef struct Swarm {
    covey_world *world;
    uint32_t n, frame;
    Velocity gust;
    Position *position;
    Velocity *velocity;
    Energy *energy;
    Sick *sick;
    uint8_t *flags;
} Swarm;

static void die(const char *what, const char *why) {
    fprintf(stderr, "swarm: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Stops the program when a call on the world has failed. */
static void need(const covey_world *world, bool done, const char *what) {
    if (!done) die(what, covey_result_text(covey_world_result(world)));
}

/* ---- Birds come --------------------------------------------------------------------------------------------------*/

/* The next of a series of random numbers, from 0 to 1. */
static float draw(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (float)(*state >> 40) / (float)(1 << 24);
}

/* A bird depends on its index and the frame alone, so that the world and the arrays get the same. */
static Bird hatch(uint32_t index, uint32_t frame) {
    uint64_t state = ((uint64_t)frame << 32 | index) * UINT64_C(0x9E3779B97F4A7C15);
    Bird bird = { .sick = 1 };
    bird.position.x = draw(&state);
    bird.position.y = draw(&state);
    bird.velocity.x = draw(&state) / 500 - 0.001f;
    bird.velocity.y = draw(&state) / 500 - 0.001f;
    bird.energy = 1 + draw(&state) * 1000;
    if (draw(&state) < 1 / 2.f) bird.flags |= HAS_ENERGY;
    if (draw(&state) < 1 / 50.f) bird.flags |= IS_FROZEN;
    if (draw(&state) < 1 / 500.f) bird.flags |= IS_SICK;
    return bird;
}

static void put_into_world(covey_world *world, const Bird *bird) {
    covey_entity e = covey_create(world);
    bool done = covey_add_value(world, e, Position, &bird->position) != NULL;
    done = done && covey_add_value(world, e, Velocity, &bird->velocity);
    if (bird->flags & HAS_ENERGY) done = done && covey_add_value(world, e, Energy, &bird->energy);
    if (bird->flags & IS_SICK) done = done && covey_add_value(world, e, Sick, &bird->sick);
    if (bird->flags & IS_FROZEN) done = done && covey_add_tag(world, e, Frozen);
    need(world, done, "adding a bird");
}

static void put_into_arrays(Swarm *s, const Bird *bird, uint32_t i) {
    s->position[i] = bird->position;
    s->velocity[i] = bird->velocity;
    s->energy[i] = bird->energy;
    s->sick[i] = bird->sick;
    s->flags[i] = bird->flags;
}

static Swarm swarm_create(uint32_t n) {
    Swarm s = { .world = covey_world_create(NULL), .n = n };
    s.position = malloc(n * (sizeof(Position) + sizeof(Velocity) + sizeof(Energy) + sizeof(Sick) + 1));
    if (!s.world || !s.position) die("starting", "memory is out");
    s.velocity = s.position + n;
    s.energy = (Energy *)(s.velocity + n);
    s.sick = s.energy + n;
    s.flags = (uint8_t *)(s.sick + n);
    for (uint32_t i = 0; i < n; i++) {
        Bird bird = hatch(i, 0);
        put_into_world(s.world, &bird);
        put_into_arrays(&s, &bird, i);
    }
    return s;
}

/* ---- What happens to one bird, here and there --------------------------------------------------------------------*/

static inline void add(Vector *a, Vector b) { a->x += b.x, a->y += b.y; }

static inline bool is_outside(Position p) { return p.x < 0 || p.x > 1 || p.y < 0 || p.y > 1; }

/* Whether any energy is left. */
static inline bool tire(Energy *energy, Velocity v) { return (*energy -= 1 + (v.x * v.x + v.y * v.y)) > 0; }

static inline void suffer(Sick *sick, Energy *energy) {
    *sick += 0.25f;
    if (energy) *energy -= *sick;
}

/* ---- Systems: how many birds were visited; and the same for the arrays -------------------------------------------*/

/* Spans: the values of many birds lie one after the other, and the body is a loop over an array. */
static uint32_t wind(Swarm *s) {
    covey_view view = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Velocity) } });
    Velocity gust = s->gust;
    uint32_t visited = 0;
    covey_iter it = covey_view_iter(&view);
    for (; covey_next(&it); visited += it.count) {
        Velocity *v = covey_field(&it, 0, Velocity);
        for (uint32_t i = 0; i < it.count; i++) add(&v[i], gust);
    }
    return visited;
}

static void wind_on_arrays(Swarm *s) {
    Velocity gust = s->gust, *v = s->velocity;
    for (uint32_t i = 0; i < s->n; i++) add(&v[i], gust);
}

/* An excluded tag: a span ends before a bird that has it. */
static uint32_t move(Swarm *s) {
    covey_view view = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Position), covey_id(Velocity) },
                                                                    .without = { covey_id(Frozen) } });
    uint32_t visited = 0;
    covey_iter it = covey_view_iter(&view);
    for (; covey_next(&it); visited += it.count) {
        Position *p = covey_field(&it, 0, Position);
        const Velocity *v = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) add(&p[i], v[i]);
    }
    return visited;
}

static void move_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (!(s->flags[i] & IS_FROZEN)) add(&s->position[i], s->velocity[i]);
}

/* Rows: one bird at a time, whose components may come and go meanwhile. */
static uint32_t weaken(Swarm *s) {
    covey_view view = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Energy), covey_id(Velocity) } });
    uint32_t visited = 0;
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        if (tire(covey_row_field(&it, row, 0, Energy), *covey_row_field(&it, row, 1, Velocity))) continue;
        covey_entity e = covey_row_entity(&it, row);
        covey_remove(s->world, e, Energy);
        need(s->world, covey_set_tag(s->world, e, Frozen), "freezing a bird");
    }
    return visited;
}

static void weaken_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!(s->flags[i] & HAS_ENERGY) || tire(&s->energy[i], s->velocity[i])) continue;
        s->flags[i] = (uint8_t)((s->flags[i] & ~HAS_ENERGY) | IS_FROZEN);
    }
}

/* The few lead, whatever storage they are in. An optional field is NULL where the bird does not have it. */
static uint32_t ail(Swarm *s) {
    covey_view view =
        covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Sick) }, .optional = { covey_id(Energy) } });
    uint32_t visited = 0;
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++)
        suffer(covey_row_field(&it, row, 0, Sick), covey_row_field(&it, row, 1, Energy));
    return visited;
}

static void ail_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++)
        if (s->flags[i] & IS_SICK) suffer(&s->sick[i], s->flags[i] & HAS_ENERGY ? &s->energy[i] : NULL);
}

/* Who left the field is destroyed, and another one comes: it gets the index that was freed last. */
static uint32_t renew(Swarm *s) {
    covey_view view = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Position) } });
    uint32_t visited = 0;
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        if (!is_outside(*covey_row_field(&it, row, 0, Position))) continue;
        covey_entity e = covey_row_entity(&it, row);
        Bird bird = hatch(e.index, s->frame);
        covey_destroy(s->world, e);
        put_into_world(s->world, &bird);
    }
    return visited;
}

static void renew_on_arrays(Swarm *s) {
    for (uint32_t i = 0; i < s->n; i++) {
        if (!is_outside(s->position[i])) continue;
        Bird bird = hatch(i, s->frame);
        put_into_arrays(s, &bird, i);
    }
}

/* ---- Frames ------------------------------------------------------------------------------------------------------*/

static uint64_t now_ns(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void keep_least(double *least, uint64_t ns, uint32_t visited) {
    double each = visited != 0 ? (double)ns / visited : 0;
    if (each > 0 && (*least == 0 || each < *least)) *least = each;
}

static void run_system(System *system, Swarm *s) {
    uint64_t start = now_ns();
    system->visited = system->on_world(s);
    uint64_t middle = now_ns();
    system->on_arrays(s);
    uint64_t end = now_ns();
    keep_least(&system->world_ns, middle - start, system->visited);
    keep_least(&system->arrays_ns, end - middle, system->visited);
}

static void run_frames(Swarm *s, uint32_t frames) {
    System systems[] = {
        { "wind", "spans", "Velocity", wind, wind_on_arrays, 0, 0, 0 },
        { "move", "spans", "Position, Velocity, not Frozen", move, move_on_arrays, 0, 0, 0 },
        { "weaken", "rows", "Energy, Velocity; some lose Energy", weaken, weaken_on_arrays, 0, 0, 0 },
        { "ail", "rows", "Sick, Energy where it is there", ail, ail_on_arrays, 0, 0, 0 },
        { "renew", "rows", "Position; some die and others come", renew, renew_on_arrays, 0, 0, 0 },
    };
    uint32_t count = sizeof systems / sizeof *systems;
    for (s->frame = 1; s->frame <= frames; s->frame++) {
        s->gust = s->frame % 2 == 0 ? (Velocity){ 1e-4f, 5e-5f } : (Velocity){ -1e-4f, -5e-5f };
        for (uint32_t i = 0; i < count; i++) run_system(&systems[i], s);
        print_progress(s->frame, frames);
    }
    print_systems(systems, count);
}

/* ---- In the end --------------------------------------------------------------------------------------------------*/

/* Whether a component is there exactly when it should be, with this value. */
static bool is_same(const void *component, bool wanted, const void *value, size_t size) {
    return (component != NULL) == wanted && (!wanted || memcmp(component, value, size) == 0);
}

static void check(const Swarm *s) {
    const char *why = "";
    if (!covey_world_validate(s->world, &why)) die("the world is not valid", why);
    for (uint32_t i = 0; i < s->n; i++) {
        covey_entity e = covey_pool_at(covey_pool_find(s->world, Position), i); /* in blocks, by index */
        bool same = is_same(covey_get(s->world, e, Position), true, &s->position[i], sizeof(Position)) &&
                    is_same(covey_get(s->world, e, Velocity), true, &s->velocity[i], sizeof(Velocity)) &&
                    is_same(covey_get(s->world, e, Energy), s->flags[i] & HAS_ENERGY, &s->energy[i], sizeof(Energy)) &&
                    is_same(covey_get(s->world, e, Sick), s->flags[i] & IS_SICK, &s->sick[i], sizeof(Sick)) &&
                    covey_has(s->world, e, Frozen) == ((s->flags[i] & IS_FROZEN) != 0);
        if (!same) die("a bird", "the world and the arrays differ");
    }
}

static void follow_advice(covey_world *world) {
    covey_advice advice[16];
    size_t before = covey_world_memory(world);
    uint32_t count = covey_world_advise(world, advice, 16);
    for (uint32_t i = 0; i < count; i++)
        if (advice[i].best != advice[i].storage)
            need(world, covey_pool_convert(advice[i].pool, advice[i].best) == COVEY_OK, "converting a pool");
    covey_compact(world);
    covey_shrink(world);
    printf("\nAll of this done, the world takes %zu bytes instead of %zu.\n", covey_world_memory(world), before);
}

static uint32_t parse_number(const char *option, const char *text, uint32_t least, uint32_t most) {
    char *rest = NULL;
    unsigned long long number = text && text[0] >= '0' && text[0] <= '9' ? strtoull(text, &rest, 10) : 0;
    if (!rest || *rest || number < least || number > most) die(option, "a number in its range is missing (see --help)");
    return (uint32_t)number;
}

static const char help[] = "usage: swarm [--entities N] [--frames N] [--help]\n\n"
                           "  --entities N   how many birds, from 10 to 100000000 (default 1000000)\n"
                           "  --frames N     how often each system runs, from 1 to 100000 (default 60)\n";

int main(int argc, char **argv) {
    uint32_t n = 1000000, frames = 60;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) return puts(help) == EOF;
        else if (strcmp(argv[i], "--entities") == 0) n = parse_number(argv[i], argv[i + 1], 10, 100000000), i++;
        else if (strcmp(argv[i], "--frames") == 0) frames = parse_number(argv[i], argv[i + 1], 1, 100000), i++;
        else die(argv[i], "unknown option (see --help)");
    }
    Swarm s = swarm_create(n);
    run_frames(&s, frames);
    check(&s);
    print_memory(s.world);
    follow_advice(s.world);
    check(&s);
    if (fflush(stdout) != 0) die("printing", "the output could not be written");
    covey_world_destroy(s.world);
    free(s.position);
    return EXIT_SUCCESS;
}
