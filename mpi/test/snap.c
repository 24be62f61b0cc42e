/* A job that writes a checkpoint with entities away from home, and the contents of each rank as covey-snap prints them:
 *
 *     snap PATH     PATH, and PATH.has.R with a line for each entity that lives on rank R: its handle and its Bond */
#include "support.h"

enum { EACH = 40 };

/* Moves entities twice, and destroys some of them away from home. */
static void spread(fixture *f, covey_entity *e) {
    int to[EACH];
    CHECK(covey_create_many(f->world, e, EACH));
    for (uint32_t i = 0; i < EACH; i++) {
        CHECK(covey_add(f->world, e[i], Bond, { e[(i + 1) % EACH], NULL, (uint32_t)rank * 1000 + i }));
        if (i % 3 == 0) CHECK(covey_add(f->world, e[i], Note, { i % 50 + 1, make_note(i).text }));
        to[i] = (rank + (int)i) % size;
    }
    CHECK(covey_mpi_migrate(f->mpi, e, to, EACH) == COVEY_OK);
}

static void spread_again(fixture *f) {
    covey_entity leaving[EACH * 8], gone[EACH * 8];
    int to[EACH * 8];
    uint32_t count = 0, ends = 0;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(f->world, e));) {
        const Bond *bond = covey_get(f->world, e, Bond);
        if (!bond || !covey_mpi_owns(f->mpi, e)) continue;
        if (bond->number % 7 == 0) gone[ends++] = e;
        else leaving[count] = e, to[count++] = (int)(bond->number / 3 % (uint32_t)size);
    }
    for (uint32_t i = 0; i < ends; i++) covey_destroy(f->world, gone[i]);
    CHECK(covey_mpi_migrate(f->mpi, leaving, to, count) == COVEY_OK);
}

static void write_contents(const fixture *f, const char *path) {
    char name[256];
    snprintf(name, sizeof name, "%s.has.%d", path, rank);
    FILE *file = fopen(name, "w");
    CHECK(file != NULL);
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(f->world, e));) {
        const Bond *bond = covey_mpi_owns(f->mpi, e) ? covey_get(f->world, e, Bond) : NULL;
        if (!bond) continue;
        fprintf(file, "%u,%u,,%u:%u,%u\n", e.index, e.generation, bond->other.index, bond->other.generation,
                bond->number);
    }
    CHECK(fclose(file) == 0);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK(argc == 2);
    fixture f;
    covey_entity e[EACH];
    begin(&f, NULL);
    spread(&f, e);
    spread_again(&f);
    CHECK(covey_mpi_save(f.mpi, argv[1]) == COVEY_OK);
    write_contents(&f, argv[1]);
    end(&f);
    MPI_Finalize();
    return 0;
}
