/* Benchmarks of worlds over MPI, on 2 ranks. Each row is the minimum of several rounds, compared with a baseline in
 * the same rounds: the same without Covey (MPI_Sendrecv of as many bytes), or without other ranks (an image). */
#include <covey/mpi.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y;
} Place;
typedef struct {
    float x, y;
} Speed;
typedef struct {
    int32_t level, points, team, state;
} Unit;
COVEY_COMPONENT_DECLARE(Place);
COVEY_COMPONENT_DECLARE(Speed);
COVEY_COMPONENT_DECLARE(Unit);
COVEY_COMPONENT_DEFINE(Place, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Speed, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Unit, .as_bytes = true);

static const covey_type *const in_blocks[] = { covey_id(Place), covey_id(Speed), covey_id(Unit), NULL };
#define SPARSE(T)                                                                                             \
    &(const covey_type) {                                                                                     \
        .name = "Sparse" #T, .size = sizeof(T), .align = 4, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE \
    }
static const covey_type *const sparse[] = { SPARSE(Place), SPARSE(Speed), SPARSE(Unit), NULL };

enum { ENTITIES = 100000 };
static int rounds = 60;

typedef struct bench {
    const covey_type *const *types;
    covey_world *world;
    covey_mpi *mpi;
    int rank;
    covey_entity *e;
    int *to;
} bench;

static void add_components(bench *b, covey_entity e, uint32_t number) {
    covey_add_raw(b->world, e, b->types[0], &(Place){ (float)number, 0 });
    covey_add_raw(b->world, e, b->types[1], &(Speed){ 1, (float)number });
    covey_add_raw(b->world, e, b->types[2], &(Unit){ 1, 2, 3, (int32_t)number });
}

static void shuffle(covey_entity *e) {
    uint64_t state = 1;
    for (uint32_t i = ENTITIES - 1; i > 0; i--) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        uint32_t other = (uint32_t)((state >> 33) % (i + 1));
        covey_entity swapped = e[i];
        e[i] = e[other];
        e[other] = swapped;
    }
}

static void begin(bench *b, const covey_type *const *types, bool shuffled) {
    *b = (bench){ .types = types, .world = covey_world_create(NULL) };
    b->mpi = covey_mpi_create(MPI_COMM_WORLD, b->world, &(covey_mpi_desc){ .types = types }, NULL);
    b->e = malloc(ENTITIES * sizeof *b->e);
    b->to = malloc(ENTITIES * sizeof *b->to);
    if (!b->mpi || !b->e || !b->to || covey_mpi_size(b->mpi) != 2) {
        fprintf(stderr, "needs 2 ranks, and memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    b->rank = covey_mpi_rank(b->mpi);
    if (!covey_create_many(b->world, b->e, b->rank == 0 ? ENTITIES : 0)) MPI_Abort(MPI_COMM_WORLD, 1);
    for (uint32_t i = 0; b->rank == 0 && i < ENTITIES; i++) add_components(b, b->e[i], i);
    if (shuffled) shuffle(b->e);
    MPI_Bcast(b->e, (int)(ENTITIES * sizeof *b->e), MPI_BYTE, 0, MPI_COMM_WORLD);
}

static void end(bench *b) {
    covey_mpi_destroy(b->mpi);
    covey_world_destroy(b->world);
    free(b->e);
    free(b->to);
}

/* Moves all entities from one rank to the other. */
static void move(bench *b, int from) {
    for (uint32_t i = 0; i < ENTITIES; i++) b->to[i] = 1 - from;
    if (covey_mpi_migrate(b->mpi, b->e, b->to, b->rank == from ? ENTITIES : 0) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_mpi_report(b->mpi)->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static double timed(bench *b, void (*step)(bench *b, void *context), void *context) {
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    step(b, context);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begun;
}

static void there_and_back(bench *b, void *context) {
    (void)context;
    move(b, 0);
    move(b, 1);
}

typedef struct bytes {
    unsigned char *from, *to;
    int count;
} bytes;

/* A message there and one back, each copied from and to arrays, as handwritten code would do. */
static void send_bytes(bench *b, void *context) {
    const bytes *t = context;
    for (int from = 0; from < 2; from++) {
        int sends = b->rank == from ? t->count : 0, receives = b->rank == from ? 0 : t->count;
        MPI_Status status;
        MPI_Sendrecv(t->from, sends, MPI_BYTE, 1 - b->rank, 0, t->to, receives, MPI_BYTE, 1 - b->rank, 0,
                     MPI_COMM_WORLD, &status);
        if (receives) memcpy(t->from, t->to, (size_t)receives);
    }
}

static double least(double a, double b) { return b < a ? b : a; }

static void bench_migrate(bench *b, const char *row, const char *bar) {
    bytes t = { .count = ENTITIES * (int)(sizeof(covey_entity) + sizeof(Place) + sizeof(Speed) + sizeof(Unit)) };
    t.from = calloc(1, (size_t)t.count);
    t.to = calloc(1, (size_t)t.count);
    double moved = 1e9, sent = 1e9;
    for (int i = 0; i < rounds; i++) {
        moved = least(moved, timed(b, there_and_back, NULL));
        sent = least(sent, timed(b, send_bytes, &t));
    }
    if (b->rank == 0) printf("%-24s %10.3f ms %10.3f ms %8.2f   %s\n", row, moved * 1e3, sent * 1e3, moved / sent, bar);
    free(t.from);
    free(t.to);
}

/* ---- Ghosts ------------------------------------------------------------------------------------------------------*/

/* A separate world, in which all entities of a rank have a ghost on the other one. */
typedef struct crowd {
    covey_world *world;
    covey_mpi *mpi;
    covey_entity *e;
    uint32_t changed; /* the percentage of entities that change before each refresh */
    bytes raw;
} crowd;

static covey_type crowd_types[3];

static uint32_t the_other(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)world;
    (void)e;
    ranks[0] = 1 - covey_mpi_rank(context);
    return 1;
}

static void begin_crowd(crowd *c, covey_storage storage, bool shuffled) {
    covey_type *types = crowd_types;
    const covey_type *list[] = { &types[0], &types[1], &types[2], NULL };
    types[0] =
        (covey_type){ .name = "Place", .size = 8, .align = 4, .as_bytes = true, .ticks = true, .storage = storage };
    types[1] =
        (covey_type){ .name = "Speed", .size = 8, .align = 4, .as_bytes = true, .ticks = true, .storage = storage };
    types[2] =
        (covey_type){ .name = "Unit", .size = 16, .align = 4, .as_bytes = true, .ticks = true, .storage = storage };
    c->world = covey_world_create(NULL);
    c->mpi = covey_mpi_create(MPI_COMM_WORLD, c->world, &(covey_mpi_desc){ .types = list }, NULL);
    c->e = malloc(ENTITIES * sizeof *c->e);
    if (!covey_create_many(c->world, c->e, ENTITIES)) MPI_Abort(MPI_COMM_WORLD, 1);
    uint64_t random = 1;
    for (uint32_t i = ENTITIES - 1; shuffled && i != 0; i--) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t k = (uint32_t)((random >> 33) % (i + 1));
        covey_entity e = c->e[i];
        c->e[i] = c->e[k];
        c->e[k] = e;
    }
    Unit unit = { 1, 2, 3, 4 };
    for (uint32_t i = 0; i < ENTITIES; i++)
        for (uint32_t t = 0; t < 3; t++) covey_add_raw(c->world, c->e[i], &types[t], &unit);
    covey_mpi_ghosts_define(c->mpi, &(covey_mpi_ghosts_desc){ .types = list, .near = the_other, .context = c->mpi });
    c->raw.count = ENTITIES * 32;
    c->raw.from = calloc(1, (size_t)c->raw.count);
    c->raw.to = calloc(1, (size_t)c->raw.count);
}

static void end_crowd(crowd *c) {
    covey_mpi_destroy(c->mpi);
    covey_world_destroy(c->world);
    free(c->e);
    free(c->raw.from);
    free(c->raw.to);
}

/* Not timed: the step of a model. All change in a loop over a view, or some one by one. */
static void change_crowd(const crowd *c) {
    covey_view_desc desc = { .with = { &crowd_types[0], &crowd_types[1], &crowd_types[2] } };
    covey_view view = covey_view_make(c->world, &desc);
    covey_iter it = covey_view_iter(&view);
    while (c->changed == 100 && covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) ((Place *)covey_field_raw(&it, 0))[i].x += 1;
    for (uint32_t i = 0; c->changed < 100 && i < ENTITIES; i++)
        if (i % 100 < c->changed)
            for (uint32_t t = 0; t < 3; t++) covey_patch_raw(c->world, c->e[i], &crowd_types[t], NULL, NULL);
}

static void refresh(bench *b, void *context) {
    (void)b;
    const crowd *c = context;
    if (covey_mpi_ghosts_refresh(c->mpi) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_mpi_report(c->mpi)->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Both ranks send and receive at the same time, as a refresh does. */
static void swap_bytes(bench *b, void *context) {
    const bytes *t = context;
    MPI_Status status;
    MPI_Sendrecv(t->from, t->count, MPI_BYTE, 1 - b->rank, 0, t->to, t->count, MPI_BYTE, 1 - b->rank, 0, MPI_COMM_WORLD,
                 &status);
    memcpy(t->from, t->to, (size_t)t->count);
}

static void bench_ghosts(bench *b, const char *name, covey_storage storage, bool shuffled) {
    crowd c;
    double full = 1e9, one = 1e9, raw = 1e9;
    begin_crowd(&c, storage, shuffled);
    refresh(b, &c);
    for (int i = 0; i < rounds; i++) {
        c.changed = 100;
        change_crowd(&c);
        full = least(full, timed(b, refresh, &c));
        raw = least(raw, timed(b, swap_bytes, &c.raw));
        c.changed = 1;
        change_crowd(&c);
        one = least(one, timed(b, refresh, &c));
    }
    char full_name[40], one_name[40];
    snprintf(full_name, sizeof full_name, "mpi_ghosts_full%s", name);
    snprintf(one_name, sizeof one_name, "mpi_ghosts_1%s", name);
    if (b->rank == 0) {
        printf("%-24s %10.3f ms %10.3f ms %8.2f   at most 3\n", full_name, full * 1e3, raw * 1e3, full / raw);
        printf("%-24s %10.3f ms %10.3f ms %8.2f   at most 0.15\n", one_name, one * 1e3, full * 1e3, one / full);
    }
    end_crowd(&c);
}

/* ---- Checkpoints -------------------------------------------------------------------------------------------------*/

static void save_all(bench *b, void *path) {
    if (covey_mpi_save(b->mpi, path) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_mpi_report(b->mpi)->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Saves the image of each rank only. */
static void save_images(bench *b, void *path) {
    char name[200];
    snprintf(name, sizeof name, "%s.image.%d", (const char *)path, b->rank);
    if (covey_save_to_file(b->world, name, NULL, NULL) != COVEY_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each rank has the same number of entities; `e` lists those of this rank. */
static void add_entities(bench *b) {
    for (uint32_t i = 0; b->rank != 0 && i < ENTITIES; i++) {
        b->e[i] = covey_create(b->world);
        add_components(b, b->e[i], i);
    }
}

/* The ranks swap all entities: each has as many as before, all away from home. */
static void swap_all(bench *b) {
    for (uint32_t i = 0; i < ENTITIES; i++) b->to[i] = 1 - b->rank;
    covey_result result = covey_mpi_migrate(b->mpi, b->e, b->to, ENTITIES);
    MPI_Sendrecv_replace(b->e, (int)(ENTITIES * sizeof *b->e), MPI_BYTE, 1 - b->rank, 0, 1 - b->rank, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    if (result != COVEY_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

static void tell_row(const bench *b, const char *row, double covey, double raw, const char *bar) {
    if (b->rank == 0) printf("%-24s %10.3f ms %10.3f ms %8.2f   %s\n", row, covey * 1e3, raw * 1e3, covey / raw, bar);
}

/* Loads the image of this rank only. */
static void load_image(bench *b, void *path) {
    char name[200];
    snprintf(name, sizeof name, "%s.image.%d", (const char *)path, b->rank);
    if (covey_load_from_file(b->world, name, NULL, NULL) != COVEY_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

typedef struct restart {
    const char *path;
    covey_mpi_place_fn *place;
} restart;

static int away_from_home(const covey_world *world, covey_entity e, void *mpi) {
    (void)world;
    return 1 - covey_mpi_home(mpi, e);
}

static void load_all(bench *b, void *context) {
    const restart *r = context;
    if (covey_mpi_load(b->mpi, r->path, r->place, b->mpi) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_mpi_report(b->mpi)->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Each into a new world. Creating and destroying it is not timed. */
static double load_anew(const bench *b, void (*step)(bench *b, void *context), void *context) {
    bench other = { .types = b->types, .rank = b->rank, .world = covey_world_create(NULL) };
    for (uint32_t i = 0; b->types[i]; i++) covey_pool_of_raw(other.world, b->types[i]);
    if (step == load_all)
        other.mpi = covey_mpi_create(MPI_COMM_WORLD, other.world, &(covey_mpi_desc){ .types = b->types }, NULL);
    double seconds = timed(&other, step, context);
    end(&other);
    return seconds;
}

static void bench_restart(bench *b, char *path) {
    double restarted = 1e9, moved = 1e9, images = 1e9;
    restart same = { path, NULL }, other = { path, away_from_home };
    save_all(b, path);
    save_images(b, path);
    for (int i = 0; i < rounds; i++) {
        restarted = least(restarted, load_anew(b, load_all, &same));
        moved = least(moved, load_anew(b, load_all, &other));
        images = least(images, load_anew(b, load_image, path));
    }
    tell_row(b, "mpi_restart", restarted, images, "");
    tell_row(b, "mpi_restart_moved", moved, images, "");
}

static void bench_checkpoint(bench *b) {
    char path[] = "covey_bench_mpi", name[200];
    double checkpoint = 1e9, images = 1e9, away = 1e9;
    add_entities(b);
    for (int i = 0; i < rounds; i++) {
        checkpoint = least(checkpoint, timed(b, save_all, path));
        images = least(images, timed(b, save_images, path));
        swap_all(b);
        away = least(away, timed(b, save_all, path));
        swap_all(b);
    }
    tell_row(b, "mpi_checkpoint", checkpoint, images, "at most 1.3");
    tell_row(b, "mpi_checkpoint_away", away, checkpoint, "");
    bench_restart(b, path);
    snprintf(name, sizeof name, "%s.image.%d", path, b->rank);
    remove(name);
    snprintf(name, sizeof name, "%s.%d.%d", path, 2 * rounds + 1, b->rank);
    remove(name);
    if (b->rank == 0) remove(path);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    bench b;
    int rank;
    if (argc > 1) rounds = atoi(argv[1]);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%-24s %13s %13s %8s   bar\n", "row", "covey", "raw", "ratio");
    begin(&b, in_blocks, false);
    bench_migrate(&b, "mpi_migrate", "at most 4");
    bench_checkpoint(&b);
    bench_ghosts(&b, "", COVEY_STORAGE_BLOCK, false);
    bench_ghosts(&b, "_sparse", COVEY_STORAGE_SPARSE, false);
    bench_ghosts(&b, "_shuffled", COVEY_STORAGE_SPARSE, true);
    end(&b);
    begin(&b, sparse, false);
    bench_migrate(&b, "mpi_migrate_sparse", "");
    end(&b);
    begin(&b, in_blocks, true);
    bench_migrate(&b, "mpi_migrate_shuffled", "");
    end(&b);
    MPI_Finalize();
    return 0;
}
