/* A swarm of a million entities: fills a world, changes it at random, and prints what its memory and its operations
 * cost. The first program that `make run` shows, and a place to try things out.
 *
 *     swarm [--entities N] [--seed N] [--help] */
#include <covey/covey.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#else
#include <unistd.h>
#endif

typedef struct {
    float x, y;
} Position; /* of every entity */
typedef struct {
    float x, y;
} Velocity; /* of three in four */
typedef struct {
    int32_t now, most;
} Health; /* of every second */
typedef struct {
    float matrix[9], mass;
} Body; /* of one in four; a physics engine may keep its address, so it must not move */
typedef struct {
    uint32_t layer;
} Sprite; /* of every fifth; painted in the order in which they came */

COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_COMPONENT_DEFINE(Health);
COVEY_COMPONENT_DEFINE(Body, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Sprite, .policy = COVEY_ORDERED);
COVEY_TAG_DEFINE(Frozen); /* of every tenth */

#define ROUNDS 5

static uint64_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((random_state >> 32) * limit) >> 32);
}

static double now_ns(void) {
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void die(const char *what, const char *why) {
    fprintf(stderr, "swarm: %s: %s\n", what, why);
    exit(EXIT_FAILURE);
}

/* Stops the program when a call on the world has failed. */
static void need(const covey_world *world, bool done, const char *what) {
    if (!done) die(what, covey_result_text(covey_world_result(world)));
}

enum { CREATE, ADD, GET, ITERATE, MOVE, FLIP, RENEW, REMOVE, DESTROY, STEPS };
static const char *const step_names[STEPS] = {
    "create an entity",
    "add a component (pools grow meanwhile)",
    "get a component, at random",
    "iterate one pool",
    "move: iterate one pool, look up two",
    "churn: remove a component or add it",
    "churn: destroy, create and fill",
    "remove a component",
    "destroy an entity",
};
static double step_ns[STEPS];
static uint64_t step_times[STEPS];

static void took(int step, double start, uint64_t times) {
    step_ns[step] += now_ns() - start;
    step_times[step] += times;
}

/* A bar on stderr, where that is a terminal. */
static void show_progress(int round) {
    if (!isatty(2)) return;
    if (round <= ROUNDS) fprintf(stderr, "\r[%-30.*s]", round * 30 / ROUNDS, "##############################");
    else fprintf(stderr, "\r%32s\r", "");
}

static void fill(covey_world *world, covey_entity e, uint32_t number) {
    bool done = covey_add(world, e, Position, { (float)(number % 1000), (float)(number / 1000) }) != NULL;
    if (number % 4 != 3) done = done && covey_add(world, e, Velocity, { 1, 0.5f });
    if (number % 2 == 0) done = done && covey_add(world, e, Health, { 100, 100 });
    if (number % 4 == 1) done = done && covey_add(world, e, Body, { .mass = 1 });
    if (number % 5 == 0) done = done && covey_add(world, e, Sprite, { number % 7 });
    if (number % 10 == 0) done = done && covey_add_tag(world, e, Frozen);
    need(world, done, "adding components");
}

static void populate(covey_world *world, covey_entity *entities, uint32_t n) {
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) entities[i] = covey_create(world);
    took(CREATE, start, n);
    need(world, covey_entity_count(world) == n, "creating entities");

    start = now_ns();
    for (uint32_t i = 0; i < n; i++) fill(world, entities[i], i);
    took(ADD, start, 0);
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        step_times[ADD] += covey_pool_count(covey_world_pool(world, i));
}

/* One pool leads, the others are looked up. Held pools save the lookup of their types. */
static void move(covey_world *world) {
    covey_pool *positions = covey_pool_of(world, Position), *velocities = covey_pool_of(world, Velocity);
    covey_pool *frozen = covey_pool_of(world, Frozen);
    double start = now_ns();
    for (uint32_t i = covey_pool_next(velocities, 0); i != COVEY_NONE; i = covey_pool_next(velocities, i + 1)) {
        covey_entity e = covey_pool_at(velocities, i);
        if (covey_pool_has(frozen, e)) continue;
        const Velocity *v = covey_pool_value_at(velocities, i, Velocity);
        Position *p = covey_pool_get(positions, e, Position);
        p->x += v->x;
        p->y += v->y;
    }
    took(MOVE, start, covey_pool_count(velocities));
}

static void fall(covey_world *world) {
    covey_pool *positions = covey_pool_of(world, Position);
    double start = now_ns();
    for (uint32_t i = covey_pool_next(positions, 0); i != COVEY_NONE; i = covey_pool_next(positions, i + 1))
        covey_pool_value_at(positions, i, Position)->y -= 0.5f;
    took(ITERATE, start, covey_pool_count(positions));
}

static void jump(covey_world *world, const covey_entity *entities, uint32_t n) {
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) covey_get(world, entities[random_below(n)], Position)->y += 1;
    took(GET, start, n);
}

/* A tenth of the entities lose Health or get it; another tenth are destroyed, and new ones take their place. */
static void churn(covey_world *world, covey_entity *entities, uint32_t n) {
    uint32_t tenth = n / 10;
    double start = now_ns();
    for (uint32_t i = 0; i < tenth; i++) {
        covey_entity e = entities[random_below(n)];
        if (!covey_remove(world, e, Health)) need(world, covey_add(world, e, Health, { 50, 100 }), "adding Health");
    }
    took(FLIP, start, tenth);
    start = now_ns();
    for (uint32_t i = 0; i < tenth; i++) {
        uint32_t number = random_below(n);
        covey_destroy(world, entities[number]);
        entities[number] = covey_create(world);
        need(world, !covey_is_null(entities[number]), "creating an entity");
        fill(world, entities[number], number);
    }
    took(RENEW, start, tenth);
}

static void tear_down(covey_world *world, const covey_entity *entities, uint32_t n) {
    uint64_t removed = 0;
    double start = now_ns();
    for (uint32_t i = 0; i < n; i++) removed += covey_remove(world, entities[i], Health);
    took(REMOVE, start, removed);
    start = now_ns();
    if (covey_destroy_many(world, entities, n) != n) die("destroying entities", "one of them was dead");
    took(DESTROY, start, n);
}

static void print_memory(const covey_world *world, size_t before) {
    static const char *const kept[] = { "in blocks", "in place", "swap only", "ordered" }; /* by policy */
    uint32_t n = covey_entity_count(world);
    size_t rest = covey_world_memory(world);
    printf("%u entities, %u pools: %zu bytes, %zu after covey_shrink\n\n", n, covey_world_pool_count(world), before,
           covey_world_memory(world));
    printf("%-9s %-13s %4s %10s %11s %9s  %12s %12s %12s\n", "pool", "kept", "size", "components", "bytes", "each",
           "linear", "bitmask", "sparse");
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        const covey_type *type = covey_pool_type(pool);
        uint32_t count = covey_pool_count(pool);
        rest -= covey_pool_memory(pool);
        covey_memory model = covey_memory_model(type->size, n, (double)count / n);
        printf("%-9s %-13s %4u %10u %11zu %9.2f ", type->name, kept[type->policy], type->size, count,
               covey_pool_memory(pool), (double)covey_pool_memory(pool) / (count ? count : 1));
        uint64_t formulas[] = { model.linear, model.bitmask, model.sparse }; /* as in covey_memory_kind */
        for (uint32_t k = 0; k < 3; k++)
            printf("%12" PRIu64 "%c", formulas[k], k == (uint32_t)model.smallest ? '*' : ' ');
        printf("\n");
    }
    printf("%-9s %-13s %4s %10u %11zu %9.2f\n", "entities", "", "", n, rest, (double)rest / n);
    printf("\nlinear, bitmask, sparse: bytes by formula (covey_memory_model); * the smallest of the three\n\n");
}

static void print_times(void) {
    printf("\n%-42s %10s %9s\n", "operation", "times", "ns each");
    for (int i = 0; i < STEPS; i++)
        printf("%-42s %10" PRIu64 " %9.2f\n", step_names[i], step_times[i], step_ns[i] / (double)step_times[i]);
}

static void validate(const covey_world *world, const char *when) {
    const char *why = "";
    if (!covey_world_validate(world, &why)) die("the world is not valid", why);
    printf("the world is valid %s\n", when);
}

static uint32_t parse_number(const char *option, const char *text, uint32_t least, uint32_t most) {
    if (!text) die(option, "a number is missing");
    char *rest;
    errno = 0;
    unsigned long long number = strtoull(text, &rest, 10);
    if (text[0] < '0' || text[0] > '9' || *rest) die(option, "this is not a number");
    if (errno || number < least || number > most) die(option, "this number is out of range (see --help)");
    return (uint32_t)number;
}

static const char help[] = "usage: swarm [--entities N] [--seed N] [--help]\n\n"
                           "  --entities N   how many entities, from 10 to 100000000 (default 1000000)\n"
                           "  --seed N       start of the random numbers, from 0 to 4294967295 (default 1)\n";

int main(int argc, char **argv) {
    uint32_t n = 1000000;
    random_state = 1;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) return puts(help) == EOF;
        else if (strcmp(argv[i], "--entities") == 0) n = parse_number(argv[i], argv[i + 1], 10, 100000000), i++;
        else if (strcmp(argv[i], "--seed") == 0) random_state = parse_number(argv[i], argv[i + 1], 0, UINT32_MAX), i++;
        else die(argv[i], "unknown option (see --help)");
    }
    covey_world *world = covey_world_create(NULL);
    covey_entity *entities = malloc(n * sizeof *entities);
    if (!world || !entities) die("starting", "memory is out");

    show_progress(0);
    populate(world, entities, n);
    for (int round = 1; round <= ROUNDS; round++) {
        jump(world, entities, n);
        fall(world);
        move(world);
        churn(world, entities, n);
        covey_compact(world); /* closes the holes of Sprite in one pass, in order, and fits blocks to what they hold */
        show_progress(round);
    }
    show_progress(ROUNDS + 1);
    size_t before = covey_world_memory(world);
    covey_shrink(world); /* returns what growing pools have in reserve */
    print_memory(world, before);
    validate(world, "after the last round");
    tear_down(world, entities, n);
    validate(world, "after its last entity");
    print_times();
    if (fflush(stdout) != 0) die("printing", strerror(errno));
    free(entities);
    covey_world_destroy(world);
    return EXIT_SUCCESS;
}
