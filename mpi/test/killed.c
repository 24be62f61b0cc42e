/* A job that saves checkpoints until one of its ranks is killed, and a job that inspects the files that remain.
 *
 *     killed save PATH              prints "rank R is process P" for each rank, and "saved N" after each checkpoint
 *     killed die PATH STEP RANK     the same; the rank kills itself while it writes its image of this step
 *     killed die PATH STEP RANK N   the same, before the Nth call in this step that changes a file or its name;
 *                                   without such a call, the job succeeds after the step
 *     killed check PATH RANKS       loads a checkpoint of this many ranks; prints "step N" if all values are of one
 *                                   step, and "none" if there is no checkpoint
 *     killed resume PATH RANKS      the same, and saves another checkpoint
 *
 * Each rank creates entities, and half of them move to another rank. In each step all of them get its number. */
#define _POSIX_C_SOURCE 200809L
#include "support.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { EACH = 200, STEPS = 100000 };

typedef struct {
    uint32_t step;
} Age;
COVEY_COMPONENT_DECLARE(Age);

static uint32_t deadly; /* the step in which this rank kills itself; 0: never */
static bool by_call;    /* before a call, instead of while it writes its image */
static int calls_left;  /* until then; 0: not by calls */

/* ---- Calls that change files, which replace those of the C library - ------------------------------------------*/

static void die_in_time(void) {
    if (calls_left != 0 && --calls_left == 0) raise(SIGKILL);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
int __real_fsync(int file);
int __wrap_fsync(int file);
int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_remove(const char *path);
int __wrap_remove(const char *path);

FILE *__wrap_fopen(const char *path, const char *mode) {
    if (mode[0] == 'w') die_in_time();
    return __real_fopen(path, mode);
}
int __wrap_fsync(int file) {
    die_in_time();
    return __real_fsync(file);
}
int __wrap_rename(const char *from, const char *to) {
    die_in_time();
    return __real_rename(from, to);
}
int __wrap_remove(const char *path) {
    die_in_time();
    return __real_remove(path);
}

/* ---- What is saved -----------------------------------------------------------------------------------------------*/

static covey_result save_age(covey_codec_writer *writer, const void *value, void *context) {
    const Age *age = value;
    static uint32_t written;
    (void)context;
    if (deadly != 0 && !by_call && age->step == deadly && ++written > EACH / 2) raise(SIGKILL);
    covey_codec_write(writer, COVEY_KIND_U32, &age->step, 1);
    return COVEY_OK;
}

static covey_result load_age(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    covey_codec_read(reader, COVEY_KIND_U32, &((Age *)value)->step, 1);
    return COVEY_OK;
}

static const covey_codec age_codec = { .save = save_age, .load = load_age };
COVEY_COMPONENT_DEFINE(Age, .codec = &age_codec);

static const covey_type *const types[] = { covey_id(Stamp), covey_id(Age), NULL };

static void populate(fixture *f) {
    covey_entity e[EACH];
    int to[EACH];
    CHECK(covey_create_many(f->world, e, EACH));
    for (uint32_t i = 0; i < EACH; i++) {
        CHECK(covey_add(f->world, e[i], Stamp, { 0 }) && covey_add(f->world, e[i], Age, { 0 }));
        to[i] = (rank + (int)(i % 2)) % size;
    }
    CHECK(covey_mpi_migrate(f->mpi, e, to, EACH) == COVEY_OK);
}

static void set_all(covey_world *world, uint32_t step) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Stamp), covey_id(Age) } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            covey_field(&it, 0, Stamp)[i].when = covey_field(&it, 1, Age)[i].step = step;
}

static void save_until_killed(fixture *f, const char *path, uint32_t last, int calls) {
    populate(f);
    printf("rank %d is process %ld\n", rank, (long)getpid());
    fflush(stdout);
    for (uint32_t step = 1; step <= last; step++) {
        set_all(f->world, step);
        if (step == deadly) calls_left = calls;
        if (covey_mpi_save(f->mpi, path) != COVEY_OK) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
        CHECK(covey_mpi_report(f->mpi)->result == COVEY_OK);
        if (rank == 0) printf("saved %u\n", step);
        fflush(stdout);
    }
}

/* The smallest and the largest step number on this rank. */
static void find_steps(covey_world *world, int64_t *least, int64_t *most) {
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Stamp), covey_id(Age) } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            int64_t pair[2] = { covey_field(&it, 0, Stamp)[i].when, covey_field(&it, 1, Age)[i].step };
            for (int k = 0; k < 2; k++) {
                if (pair[k] < *least) *least = pair[k];
                if (pair[k] > *most) *most = pair[k];
            }
        }
}

static void check(fixture *f, const char *path, int64_t ranks) {
    covey_result result = covey_mpi_load(f->mpi, path, NULL, NULL);
    int64_t least = STEPS, most = 0, count = covey_mpi_owned_count(f->mpi);
    if (result != COVEY_OK && rank == 0) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
    if (result == COVEY_ERROR_FILE && rank == 0) printf("none\n");
    if (result == COVEY_ERROR_FILE) return;
    CHECK(result == COVEY_OK);
    find_steps(f->world, &least, &most);
    CHECK(covey_mpi_reduce_i64(f->mpi, COVEY_MPI_MIN, &least, 1) == COVEY_OK);
    CHECK(covey_mpi_reduce_i64(f->mpi, COVEY_MPI_MAX, &most, 1) == COVEY_OK);
    CHECK(covey_mpi_reduce_i64(f->mpi, COVEY_MPI_SUM, &count, 1) == COVEY_OK);
    CHECK(least == most && count == EACH * ranks);
    if (rank == 0) printf("step %lld\n", (long long)most);
}

/* With the argument N, the job ends after the step. */
static void save(fixture *f, int argc, char **argv) {
    bool die = strcmp(argv[1], "die") == 0;
    by_call = argc > 5;
    if (die && rank == atoi(argv[4])) deadly = (uint32_t)atoi(argv[3]);
    save_until_killed(f, argv[2], by_call ? (uint32_t)atoi(argv[3]) : STEPS, by_call ? atoi(argv[5]) : 0);
    calls_left = 0;
}

static void resume(fixture *f, const char *path, int64_t ranks) {
    check(f, path, ranks);
    if (covey_mpi_save(f->mpi, path) != COVEY_OK) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
    CHECK(covey_mpi_report(f->mpi)->result == COVEY_OK);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    fixture f;
    begin(&f, &(covey_mpi_desc){ .types = types });
    CHECK(argc >= 3);
    int ranks = argc > 3 ? atoi(argv[3]) : size;
    if (strcmp(argv[1], "check") == 0) check(&f, argv[2], ranks);
    else if (strcmp(argv[1], "resume") == 0) resume(&f, argv[2], ranks);
    else save(&f, argc, argv);
    end(&f);
    MPI_Finalize();
    return 0;
}
