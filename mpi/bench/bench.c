/* The benchmarks of worlds over MPI, on 2 ranks: each row is the minimum of several rounds, beside the same done without
 * Covey (MPI_Sendrecv of as many bytes), or without the other ranks (an image), in the same rounds. */
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
COVEY_COMPONENT_DEFINE(Place, .raw = true);
COVEY_COMPONENT_DEFINE(Speed, .raw = true);
COVEY_COMPONENT_DEFINE(Unit, .raw = true);

enum { ENTITIES = 100000 };
static int rounds = 25;

typedef struct bench {
    covey_world *world;
    covey_mpi *mpi;
    int rank;
    covey_entity *e;
    int *to;
} bench;

static void begin(bench *b) {
    const covey_type *types[] = { covey_id(Place), covey_id(Speed), covey_id(Unit), NULL };
    b->world = covey_world_create(NULL);
    b->mpi = covey_mpi_create(MPI_COMM_WORLD, b->world, &(covey_mpi_desc){ .types = types }, NULL);
    b->e = malloc(ENTITIES * sizeof *b->e);
    b->to = malloc(ENTITIES * sizeof *b->to);
    if (!b->mpi || !b->e || !b->to || covey_mpi_size(b->mpi) != 2) {
        fprintf(stderr, "needs 2 ranks, and memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    b->rank = covey_mpi_rank(b->mpi);
    covey_create_many(b->world, b->e, b->rank == 0 ? ENTITIES : 0);
    for (uint32_t i = 0; b->rank == 0 && i < ENTITIES; i++) {
        covey_add(b->world, b->e[i], Place, { (float)i, 0 });
        covey_add(b->world, b->e[i], Speed, { 1, (float)i });
        covey_add(b->world, b->e[i], Unit, { 1, 2, 3, (int32_t)i });
    }
    MPI_Bcast(b->e, (int)(ENTITIES * sizeof *b->e), MPI_BYTE, 0, MPI_COMM_WORLD);
}

/* All entities, from one rank to the other. */
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

/* A message there, and one back, each copied out of memory and into memory as it would be by hand. */
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

static void bench_migrate(bench *b) {
    bytes t = { .count = ENTITIES * (int)(sizeof(covey_entity) + sizeof(Place) + sizeof(Speed) + sizeof(Unit)) };
    t.from = calloc(1, (size_t)t.count);
    t.to = calloc(1, (size_t)t.count);
    double moved = 1e9, sent = 1e9;
    for (int i = 0; i < rounds; i++) {
        moved = least(moved, timed(b, there_and_back, NULL));
        sent = least(sent, timed(b, send_bytes, &t));
    }
    if (b->rank == 0)
        printf("%-16s %10.3f ms %10.3f ms %8.2f   at most 4\n", "mpi_migrate", moved * 1e3, sent * 1e3, moved / sent);
    free(t.from);
    free(t.to);
}

/* ---- Checkpoints -------------------------------------------------------------------------------------------------*/

static void save_all(bench *b, void *path) {
    if (covey_mpi_save(b->mpi, path) == COVEY_OK) return;
    fprintf(stderr, "%s\n", covey_mpi_report(b->mpi)->text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* The image of each rank, and nothing else. */
static void save_images(bench *b, void *path) {
    char name[200];
    snprintf(name, sizeof name, "%s.image.%d", (const char *)path, b->rank);
    if (covey_save_to_file(b->world, name, NULL, NULL) != COVEY_OK) MPI_Abort(MPI_COMM_WORLD, 1);
}

/* As many entities on each rank. */
static void add_entities(bench *b) {
    for (uint32_t i = 0; b->rank != 0 && i < ENTITIES; i++) {
        covey_entity e = covey_create(b->world);
        covey_add(b->world, e, Place, { (float)i, 0 });
        covey_add(b->world, e, Speed, { 1, (float)i });
        covey_add(b->world, e, Unit, { 1, 2, 3, (int32_t)i });
    }
}

static void bench_checkpoint(bench *b) {
    char path[] = "covey_bench_mpi", name[200];
    double checkpoint = 1e9, images = 1e9;
    add_entities(b);
    for (int i = 0; i < rounds; i++) {
        checkpoint = least(checkpoint, timed(b, save_all, path));
        images = least(images, timed(b, save_images, path));
    }
    if (b->rank == 0)
        printf("%-16s %10.3f ms %10.3f ms %8.2f   at most 1.3\n", "mpi_checkpoint", checkpoint * 1e3, images * 1e3,
               checkpoint / images);
    snprintf(name, sizeof name, "%s.image.%d", path, b->rank);
    remove(name);
    snprintf(name, sizeof name, "%s.%d.%d", path, rounds, b->rank);
    remove(name);
    if (b->rank == 0) remove(path);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    bench b = { 0 };
    if (argc > 1) rounds = atoi(argv[1]);
    begin(&b);
    if (b.rank == 0) printf("%-16s %13s %13s %8s   bar\n", "row", "covey", "raw", "ratio");
    bench_migrate(&b);
    bench_checkpoint(&b);
    covey_mpi_destroy(b.mpi);
    covey_world_destroy(b.world);
    free(b.e);
    free(b.to);
    MPI_Finalize();
    return 0;
}
