/* A world for the browser tests of the page: names and a hierarchy, fields of every kind, types without fields,
 * three storages, lookups of each kind, two kinds of entities, systems in two phases, a history, resources, events and
 * calls that fail.
 *
 *     inspect_world [--entities N] [--read-only] [--bare] [--port N]
 *
 * Prints the address of its inspector, and runs until its standard input ends. --bare: without schedule and history. */
#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/history.h>
#include <covey/inspect.h>
#include <covey/lookup.h>
#include <covey/schedule.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- Types -------------------------------------------------------------------------------------------------------*/

typedef struct {
    float x, y;
} Position;
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position, .ticks = true);

typedef struct {
    float x, y;
} Velocity;
COVEY_FIELDS_DEFINE(Velocity, f32(x), f32(y));
COVEY_COMPONENT_DEFINE(Velocity, .fields = &covey_fields_Velocity);

typedef struct {
    int32_t points;
    uint8_t armour;
} Health;
COVEY_FIELDS_DEFINE(Health, i32(points), u8(armour));
COVEY_COMPONENT_DEFINE(Health, .fields = &covey_fields_Health, .ticks = true);

typedef struct {
    covey_entity entity;
    float distance;
} Target;
COVEY_FIELDS_DEFINE(Target, entity(entity), f32(distance));
COVEY_COMPONENT_DEFINE(Target, .fields = &covey_fields_Target, .ticks = true);

typedef struct {
    double x, y, z;
} Place;
COVEY_FIELDS_DEFINE(Place, f64(x), f64(y), f64(z));
COVEY_COMPONENT_DEFINE(Place, .fields = &covey_fields_Place, .storage = COVEY_STORAGE_PINNED, .ticks = true);

typedef struct {
    uint16_t kind;
    int32_t count;
} Item;
COVEY_FIELDS_DEFINE(Item, u16(kind), i32(count));

typedef struct {
    char label[16];
    Item items[3];
    covey_entity owner;
} Inventory;
COVEY_FIELDS_DEFINE(Inventory, array(character, label), nested_array(Item, items), entity(owner));
COVEY_COMPONENT_DEFINE(Inventory, .fields = &covey_fields_Inventory, .policy = COVEY_IN_PLACE);

/* One of each kind. */
typedef struct {
    uint64_t u64;
    int64_t i64;
    double f64;
    float f32;
    uint32_t u32;
    int32_t i32;
    uint16_t u16;
    int16_t i16;
    uint8_t u8;
    int8_t i8;
    bool flag;
    char letter;
    float matrix[2][2];
    void *cache;
} Everything;
COVEY_FIELDS_DEFINE(Everything, u64(u64), i64(i64), f64(f64), f32(f32), u32(u32), i32(i32), u16(u16), i16(i16), u8(u8),
                    i8(i8), boolean(flag), character(letter), matrix(f32, matrix), padding(void *, cache));
COVEY_COMPONENT_DEFINE(Everything, .fields = &covey_fields_Everything);

typedef struct {
    unsigned char bytes[24];
} Opaque;
COVEY_COMPONENT_DEFINE(Opaque);

/* A rare component in a sparse set: block storage would take less memory. */
typedef struct {
    uint32_t since;
} Sick;
COVEY_FIELDS_DEFINE(Sick, u32(since));
COVEY_COMPONENT_DEFINE(Sick, .fields = &covey_fields_Sick, .storage = COVEY_STORAGE_SPARSE);

/* One of each way to show a field. */
typedef struct {
    float power, turn;
    uint32_t tint;
    uint8_t state;
    float mix[3];
} Lamp;
COVEY_FIELDS_DEFINE(Lamp, range(f32, power, 0, 10), angle(f32, turn), colour(u32, tint),
                    choice(u8, state, "off, steady, blinking"), colour(f32, mix));
COVEY_COMPONENT_DEFINE(Lamp, .fields = &covey_fields_Lamp);

COVEY_TAG_DEFINE(Frozen);

typedef struct {
    float gravity;
    uint32_t waves;
} Rules;
COVEY_FIELDS_DEFINE(Rules, f32(gravity), u32(waves));
COVEY_COMPONENT_DEFINE(Rules, .fields = &covey_fields_Rules);

/* ---- Options -----------------------------------------------------------------------------------------------------*/

typedef struct {
    uint32_t entities;
    uint16_t port;
    bool read_only, bare;
} Options;

static void die(const char *what) {
    fprintf(stderr, "inspect_world: %s\n", what);
    exit(EXIT_FAILURE);
}

static Options options_of(int argc, char **argv) {
    Options options = { .entities = 2000 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--read-only") == 0) options.read_only = true;
        else if (strcmp(argv[i], "--bare") == 0) options.bare = true;
        else if (strcmp(argv[i], "--entities") == 0 && i + 1 < argc)
            options.entities = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--port") == 0 && i + 1 < argc) options.port = (uint16_t)strtoul(argv[++i], NULL, 10);
        else die("usage: inspect_world [--entities N] [--read-only] [--bare] [--port N]");
    }
    if (options.entities < 100) die("--entities: at least 100");
    return options;
}

/* ---- The world ---------------------------------------------------------------------------------------------------*/

static void need(bool done, const char *what) {
    if (!done) die(what);
}

/* A pseudorandom number from 0 to 1, the same for the same i. */
static float noise(uint32_t i) {
    uint32_t n = i * 2654435761u;
    n ^= n >> 15;
    n *= 2246822519u;
    n ^= n >> 13;
    return (float)(n >> 8) / (float)(1 << 24);
}

static void add_flyer(covey_world *world, uint32_t i) {
    covey_entity e = covey_create(world);
    bool done = covey_add(world, e, Position, { noise(i) * 200 - 100, noise(i + 7) * 200 - 100 });
    if (i % 4 != 3) done = done && covey_add(world, e, Velocity, { noise(i + 1) - 0.5f, noise(i + 2) - 0.5f });
    if (i % 3 == 0) done = done && covey_add(world, e, Health, { (int32_t)(i % 100), (uint8_t)(i % 256) });
    if (i % 50 == 0) done = done && covey_add(world, e, Sick, { i });
    if (i % 17 == 0) done = done && covey_add_tag(world, e, Frozen);
    if (i % 40 == 0) done = done && covey_add(world, e, Inventory, { .label = "crate" });
    need(done, "no memory for entities");
}

static covey_entity named(covey_world *world, covey_entity parent, const char *name) {
    covey_entity e = covey_create(world);
    need(covey_parent_set(world, e, parent) == COVEY_OK && covey_name_set(world, e, name) == COVEY_OK, name);
    return e;
}

/* The entities that tests know by name. */
static covey_entity add_cast(covey_world *world) {
    covey_entity none = { 0, 0 };
    covey_entity fleet = named(world, none, "fleet"), flagship = named(world, fleet, "flagship");
    covey_entity turret = named(world, flagship, "turret"), bold = named(world, none, "<img src=x>");
    for (uint32_t i = 0; i < 12; i++) {
        char name[16];
        snprintf(name, sizeof name, "escort %u", i + 1);
        covey_entity escort = named(world, fleet, name);
        need(covey_add(world, escort, Position, { (float)i * 5, 20 }), name);
    }
    bool done =
        covey_add(world, flagship, Position, { 10, 20 }) && covey_add(world, flagship, Velocity, { 0.25f, 0.125f });
    done = done && covey_add(world, flagship, Health, { 75, 12 }) && covey_add(world, turret, Target, { bold, 31.5f });
    done = done && covey_add(world, turret, Place, { 1, 2, 3 }) && covey_add(world, bold, Position, { -5, 5 });
    done = done && covey_add(world, bold, Opaque, { "bytes without a name" });
    done = done && covey_add(world, flagship, Everything,
                             { .u64 = UINT64_MAX,
                               .i64 = INT64_MIN,
                               .f64 = 0.1,
                               .f32 = 1.5f,
                               .u32 = UINT32_MAX,
                               .i32 = -7,
                               .u16 = 65535,
                               .i16 = -300,
                               .u8 = 200,
                               .i8 = -100,
                               .flag = true,
                               .letter = 'c',
                               .matrix = { { 1, 0 }, { 0, 1 } } });
    done = done && covey_add(world, turret, Lamp, { 2.5f, 0.5f, 0xff8000c0, 1, { 0.2f, 0.4f, 0.6f } });
    done = done && covey_add(world, flagship, Inventory, { "cargo", { { 1, 10 }, { 2, 20 }, { 3, -30 } }, turret });
    need(done, "no memory for the cast");
    return flagship;
}

/* Two kinds of entities: those with a place, and those with a position and a target. */
static bool add_place(covey_world *world, uint32_t i) {
    return !covey_is_null(
        covey_create_with(world, covey_with(Place, { noise(i) * 10, noise(i + 1) * 10, noise(i + 2) * 10 })));
}

static bool add_shot(covey_world *world, uint32_t i) {
    return !covey_is_null(covey_create_with(world, covey_with(Position, { noise(i) * 50, noise(i + 3) * 50 }),
                                            covey_with(Target, { { 0, 0 }, noise(i + 1) * 10 })));
}

/* Two of five shots aim at the flagship. */
static void aim(covey_world *world, covey_entity flagship) {
    covey_pool *shots = covey_pool_find(world, Target);
    uint32_t number = 0;
    for (uint32_t p = covey_pool_next(shots, 0); p != COVEY_NONE; p = covey_pool_next(shots, p + 1)) {
        covey_entity e = covey_pool_at(shots, p);
        if (!covey_name(world, e) && number++ % 5 < 2) covey_set(world, e, Target, { flagship, 1 });
    }
}

static void look_up(covey_world *world) {
    const covey_lookup_desc descs[] = {
        { .type = covey_id(Target), .field = "entity", .when_target_ends = COVEY_TARGET_CLEAR },
        { .type = covey_id(Position), .place = { "x", "y" }, .cell = 10 },
        { .type = covey_id(Place), .place = { "x", "y", "z" }, .cell = 2.5 },
        { .type = covey_id(Health), .field = "points", .ordered = true },
    };
    for (size_t i = 0; i < sizeof descs / sizeof *descs; i++)
        need(covey_lookup_create(world, &descs[i]) != NULL, "no memory for lookups");
}

static void fill(covey_world *world, const Options *options) {
    need(covey_resource_set(world, Rules, { 9.81f, 3 }), "no memory for resources");
    covey_entity flagship = add_cast(world);
    for (uint32_t i = 0; i < 200; i++)
        need(add_place(world, i) && (i % 2 == 0 || add_shot(world, i)), "no memory for places and shots");
    aim(world, flagship);
    look_up(world);
    while (covey_entity_count(world) < options->entities) add_flyer(world, covey_entity_count(world));
}

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field_const(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
}

/* Entities that leave the field come back on the other side. */
static void wrap(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        for (uint32_t i = 0; i < job->it.count; i++) {
            if (p[i].x > 100 || p[i].x < -100) p[i].x = p[i].x > 0 ? -100 : 100;
            if (p[i].y > 100 || p[i].y < -100) p[i].y = p[i].y > 0 ? -100 : 100;
        }
    }
}

static void heal(covey_job *job, void *context) {
    covey_row row = { 0 };
    (void)context;
    while (covey_next_row(&job->it, &row)) {
        Health *health = covey_row_field(&job->it, row, 0, Health);
        if (job->run % 30 == 0) health->points = (health->points + 1) % 100;
    }
}

/* Freezes some and thaws others: structural changes for the view of events. */
static void weather(covey_job *job, void *context) {
    (void)context;
    job->bytes = 1200; /* for the view of systems */
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t index = (uint32_t)((job->run * 31 + i * 7) % 500) + 250;
        covey_entity e = covey_entity_at(job->world, index);
        if (covey_has(job->world, e, Frozen)) covey_remove(job->world, e, Frozen);
        else if (covey_alive(job->world, e)) covey_add_tag(job->world, e, Frozen);
    }
}

static covey_schedule *make_schedule(covey_world *world) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 2 });
    need(schedule != NULL, "no memory for a schedule");
    covey_view_desc moves = { .with = { covey_id(Position), covey_id(Velocity) },
                              .without = { covey_id(Frozen) },
                              .read = { covey_id(Velocity) } };
    covey_system systems[] = {
        { .name = "move", .run = move, .split = true, .view = moves },
        { .name = "heal", .run = heal, .split = true, .view = { .with = { covey_id(Health) } } },
        { .name = "wrap", .run = wrap, .split = true, .view = { .with = { covey_id(Position) } } },
        { .name = "weather", .run = weather, .exclusive = true, .phase = "weather" },
    };
    need(covey_phase_add(schedule, &(covey_phase){ .name = "simulate" }) == COVEY_OK, "phase");
    need(covey_phase_add(schedule, &(covey_phase){ .name = "weather" }) == COVEY_OK, "phase");
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++) {
        if (i < 3) systems[i].phase = "simulate";
        need(covey_system_add(schedule, &systems[i]) == COVEY_OK, covey_schedule_failure(schedule));
    }
    return schedule;
}

/* ---- The loop ----------------------------------------------------------------------------------------------------*/

typedef struct {
    covey_world *world;
    covey_schedule *schedule; /* or NULL */
    covey_history *history;   /* or NULL */
    covey_entity gone;        /* a stale handle */
    uint64_t frames;
} Game;

static void run_frame(Game *game) {
    game->frames++;
    covey_tick_advance(game->world);
    if (game->schedule && covey_schedule_run(game->schedule) != COVEY_OK) die(covey_schedule_failure(game->schedule));
    if (game->history && game->frames % 30 == 0) need(covey_history_save(game->history), "no memory for a snapshot");
    if (game->frames % 60 == 0)
        covey_add(game->world, game->gone, Position, { 0, 0 }); /* fails, for the view of the log */
}

/* Failed calls are shown on the page, not in the terminal. */
static void ignore(covey_result item, const char *text, void *context) { (void)item, (void)text, (void)context; }

static bool input_is_open(void) {
    struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
    char byte;
    return poll(&input, 1, 0) <= 0 || read(STDIN_FILENO, &byte, 1) > 0;
}

int main(int argc, char **argv) {
    Options options = options_of(argc, argv);
    Game game = { .world = covey_world_create(&(covey_world_desc){ .log = ignore }) };
    need(game.world != NULL, "no memory for a world");
    game.gone = covey_create(game.world);
    covey_destroy(game.world, game.gone);
    fill(game.world, &options);
    if (!options.bare) {
        game.schedule = make_schedule(game.world);
        game.history = covey_history_create(game.world, 24);
        need(game.history != NULL, "no memory for a history");
    }
    covey_inspector *inspector =
        covey_inspect_open(game.world, &(covey_inspect_desc){ .port = options.port,
                                                              .write = !options.read_only,
                                                              .schedule = game.schedule,
                                                              .history = game.history,
                                                              .title = "A world of the tests" });
    need(inspector != NULL, "the inspector cannot be opened");
    printf("%s\n", covey_inspect_address(inspector));
    fflush(stdout);
    while (input_is_open()) {
        for (uint32_t n = covey_inspect_poll(inspector); n > 0; n--) run_frame(&game);
        nanosleep(&(struct timespec){ .tv_nsec = 8000000 }, NULL);
    }
    covey_inspect_close(inspector);
    covey_history_destroy(game.history);
    covey_schedule_destroy(game.schedule);
    covey_world_destroy(game.world);
    return 0;
}
