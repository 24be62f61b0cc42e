/* Checkpoints, and restarts with another number of ranks. */
#define _XOPEN_SOURCE 700
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

enum { COUNT = 120 };
static const covey_entity none = { 0, 0 };
static const covey_type *const counted[] = { covey_id(Spot), covey_id(Stamp), NULL };

/* One for each job; the same on all ranks. */
static const char *path(void) {
    static char name[64];
    int process = (int)getpid();
    MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(name, sizeof name, "mpi_checkpoint_%d", process);
    return name;
}

static void remove_all(const char *name) {
    char file[128];
    MPI_Barrier(MPI_COMM_WORLD);
    for (int number = 1; rank == 0 && number < 20; number++)
        for (int r = 0; r < size; r++) {
            snprintf(file, sizeof file, "%s.%d.%d", name, number, r);
            remove(file);
        }
    if (rank == 0) remove(name);
}

typedef struct crowd {
    fixture f;
    covey_entity e[COUNT];
    bool alive[COUNT];
    uint64_t digest;
} crowd;

static void spread(crowd *c, random_numbers *r) {
    covey_entity leaving[COUNT];
    int to[COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        int target = (int)below(r, (uint32_t)size);
        if (!c->alive[i] || !covey_mpi_owns(c->f.mpi, c->e[i]) || !covey_is_null(covey_parent(c->f.world, c->e[i])))
            continue;
        leaving[count] = c->e[i];
        to[count++] = target;
    }
    CHECK(covey_mpi_migrate(c->f.mpi, leaving, to, count) == COVEY_OK);
}

/* Made here and there, moved, some destroyed: some of these away from home, of which not all homes know. */
static void begin_crowd(crowd *c, uint32_t span) {
    random_numbers r = { 9 };
    begin(&c->f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE, .span = span });
    for (uint32_t i = 0; i < COUNT; i++) {
        int owner = (int)(i % (uint32_t)size);
        c->alive[i] = true;
        c->e[i] = shared(owner, owner == rank ? covey_create(c->f.world) : none);
        if (owner != rank) continue;
        covey_add(c->f.world, c->e[i], Spot, { (int32_t)i, 1 });
        covey_add(c->f.world, c->e[i], Stamp, { i * 7 });
        covey_add(c->f.world, c->e[i], Bond, { c->e[i / 2], NULL, i });
        if (i % 3 == 0) covey_add(c->f.world, c->e[i], Note, { i % 50 + 1, make_note(i).text });
        if (i % 4 == 0) covey_disable(c->f.world, c->e[i]);
        if (i >= 100) covey_parent_set(c->f.world, c->e[i], c->e[i - 60 - 60 % (uint32_t)size]);
    }
    for (int round = 0; round < 4; round++) {
        spread(c, &r);
        for (uint32_t i = 0; i < 100; i++) {
            if (!c->alive[i] || below(&r, 8) != 0) continue;
            int has_child = covey_child_count(c->f.world, c->e[i]) != 0, any = 0;
            MPI_Allreduce(&has_child, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
            if (any) continue;
            if (covey_mpi_owns(c->f.mpi, c->e[i])) covey_destroy(c->f.world, c->e[i]);
            c->alive[i] = false;
        }
        if (round == 1) CHECK(covey_mpi_collect(c->f.mpi) == COVEY_OK);
    }
    CHECK(covey_mpi_digest(c->f.mpi, counted, &c->digest) == COVEY_OK);
}

static int by_index(const covey_world *world, covey_entity e, void *context) {
    CHECK(covey_alive(world, e));
    return (int)(e.index % (uint32_t) * (int *)context);
}

static bool is_fresh(const crowd *c, covey_entity e) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (covey_same(c->e[i], e)) return false;
    return true;
}

/* What every rank of the new job sees: each that was alive lives on one rank, the others nowhere. */
static void check_loaded(const crowd *c, fixture *f, MPI_Comm comm) {
    uint64_t digest;
    const char *why = NULL;
    CHECK(covey_world_validate(f->world, &why));
    CHECK(covey_mpi_digest(f->mpi, counted, &digest) == COVEY_OK && digest == c->digest);
    for (uint32_t i = 0; i < COUNT; i++) {
        int own = covey_mpi_owns(f->mpi, c->e[i]), owners = 0;
        MPI_Allreduce(&own, &owners, 1, MPI_INT, MPI_SUM, comm);
        CHECK(owners == c->alive[i]);
        bool home = covey_mpi_home(f->mpi, c->e[i]) == covey_mpi_rank(f->mpi);
        CHECK(covey_alive(f->world, c->e[i]) == (own || (home && c->alive[i])));
        if (!own) continue;
        CHECK(covey_get(f->world, c->e[i], Bond)->number == i);
        CHECK(covey_same(covey_get(f->world, c->e[i], Bond)->other, c->e[i / 2]));
        CHECK(covey_has(f->world, c->e[i], Note) == (i % 3 == 0));
        CHECK(covey_is_enabled(f->world, c->e[i]) == (i % 4 != 0));
        if (i >= 100) CHECK(covey_same(covey_parent(f->world, c->e[i]), c->e[i - 60 - 60 % (uint32_t)size]));
    }
    for (uint32_t i = 0; i < COUNT; i++) CHECK(is_fresh(c, covey_create(f->world)));
    for (covey_range more = covey_mpi_more(f->mpi); more.count != 0; more = covey_mpi_more(f->mpi))
        for (uint32_t i = 0; i < COUNT; i++) CHECK(is_fresh(c, covey_create_in(f->world, more)));
}

static void a_checkpoint_is_loaded_by_any_number_of_ranks(void) {
    crowd c;
    const char *name = path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    for (int ranks = 1; ranks <= size; ranks++)
        for (int placed = 0; placed < 2; placed++) {
            MPI_Comm comm;
            MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, &comm);
            if (rank < ranks) {
                fixture f;
                begin_on(&f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE }, comm);
                covey_result result = covey_mpi_load(f.mpi, name, placed ? by_index : NULL, &ranks);
                if (result != COVEY_OK) fprintf(stderr, "%s\n", covey_mpi_report(f.mpi)->text);
                CHECK(result == COVEY_OK);
                check_loaded(&c, &f, comm);
                end(&f);
            }
            MPI_Comm_free(&comm);
        }
    remove_all(name);
    end(&c.f);
}

/* It goes on as if there had been no end: entities move, end and are told of. */
static void a_job_goes_on_after_a_restart(void) {
    crowd c;
    const char *name = path();
    uint32_t span = COVEY_INDEX_BITS > 16 ? 4096 : 0; /* many shares, of which few are used */
    begin_crowd(&c, span);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    end(&c.f);
    begin(&c.f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE, .span = span });
    CHECK(covey_mpi_load(c.f.mpi, name, by_index, &size) == COVEY_OK);
    random_numbers r = { 11 };
    for (int round = 0; round < 4; round++) {
        uint64_t digest;
        spread(&c, &r);
        CHECK(covey_mpi_digest(c.f.mpi, counted, &digest) == COVEY_OK && digest == c.digest);
    }
    for (uint32_t i = 0; i < 100; i++)
        if (covey_mpi_owns(c.f.mpi, c.e[i])) covey_destroy(c.f.world, c.e[i]);
    CHECK(covey_mpi_collect(c.f.mpi) == COVEY_OK);
    for (uint32_t i = 0; i < 100; i++) CHECK(!covey_alive(c.f.world, c.e[i]));
    remove_all(name);
    end(&c.f);
}

static void refuse(const char *name, const covey_mpi_desc *desc, bool used, covey_result result, const char *text) {
    fixture f;
    begin(&f, desc);
    if (used && rank == size - 1) covey_create(f.world);
    CHECK(covey_mpi_load(f.mpi, name, NULL, NULL) == result);
    if (!strstr(covey_mpi_report(f.mpi)->text, text)) fprintf(stderr, "%s\n", covey_mpi_report(f.mpi)->text);
    CHECK(strstr(covey_mpi_report(f.mpi)->text, text));
    CHECK(covey_entity_count(f.world) == (used && rank == size - 1));
    end(&f);
}

static void what_is_no_checkpoint_is_refused(void) {
    crowd c;
    char file[128];
    const char *name = path();
    begin_crowd(&c, 0);
    refuse(name, NULL, false, COVEY_ERROR_FILE, "cannot be read");
    for (int i = 0; i < 3; i++) CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(file, sizeof file, "%s.2.%d", name, rank);
    CHECK(access(file, F_OK) != 0); /* of the one before */
    refuse(name, NULL, true, COVEY_ERROR_REFUSED, "without entities");
    refuse(name, &(covey_mpi_desc){ .span = 100 }, false, COVEY_ERROR_RANGE, ".span");
    snprintf(file, sizeof file, "%s.3.%d", name, size - 1);
    if (rank == 0) CHECK(truncate(file, 100) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    refuse(name, NULL, false, COVEY_ERROR_IMAGE, file);
    if (rank == 0) CHECK(truncate(name, 20) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    refuse(name, NULL, false, COVEY_ERROR_IMAGE, "manifest");
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_ERROR_IMAGE);
    CHECK(covey_mpi_save(c.f.mpi, "no/such/directory/at_all") == COVEY_ERROR_FILE);
    remove_all(name);
    end(&c.f);
}

/* A checkpoint that cannot be written leaves the last one as it was. */
static void the_last_checkpoint_stays_whole(void) {
    crowd c;
    char file[128];
    const char *name = path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(file, sizeof file, "mkdir -p %s.2.%d/full", name, size - 1); /* where the image of a rank should go */
    if (rank == 0) CHECK(system(file) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_ERROR_FILE);
    fixture f;
    begin(&f, NULL);
    CHECK(covey_mpi_load(f.mpi, name, NULL, NULL) == COVEY_OK);
    uint64_t digest;
    CHECK(covey_mpi_digest(f.mpi, counted, &digest) == COVEY_OK && digest == c.digest);
    end(&f);
    snprintf(file, sizeof file, "rm -r %s.2.%d", name, size - 1);
    if (rank == 0) CHECK(system(file) == 0);
    remove_all(name);
    end(&c.f);
}

static void memory_that_is_out_while_loading_is_told_to_all(void) {
    crowd c;
    const char *name = path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    bool fired = size < 3; /* many ranks on few cores are slow */
    for (uint64_t at = 1; fired; at += size > 1 ? 13 : 1) {
        fixture f;
        begin(&f, NULL);
        if (rank == size - 1) f.memory.fail_at = f.memory.calls + at;
        covey_result result = covey_mpi_load(f.mpi, name, NULL, NULL);
        int own = f.memory.fail_at != 0 && f.memory.calls >= f.memory.fail_at, any = 0;
        MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        fired = any != 0;
        CHECK(result == COVEY_OK || (fired && result == COVEY_ERROR_MEMORY));
        if (result != COVEY_OK) CHECK(covey_entity_count(f.world) == 0);
        end(&f);
    }
    remove_all(name);
    end(&c.f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "a_checkpoint_is_loaded_by_any_number_of_ranks", a_checkpoint_is_loaded_by_any_number_of_ranks },
        { "a_job_goes_on_after_a_restart", a_job_goes_on_after_a_restart },
        { "what_is_no_checkpoint_is_refused", what_is_no_checkpoint_is_refused },
        { "the_last_checkpoint_stays_whole", the_last_checkpoint_stays_whole },
        { "memory_that_is_out_while_loading_is_told_to_all", memory_that_is_out_while_loading_is_told_to_all },
    };
    return RUN_TESTS(argc, argv, tests);
}
