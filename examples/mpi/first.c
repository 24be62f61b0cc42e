#include <covey/mpi.h>
#include <stdio.h>

typedef struct {
    int32_t x;
} Walker;
COVEY_COMPONENT_DECLARE(Walker);
COVEY_COMPONENT_DEFINE(Walker, .as_bytes = true);

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    covey_world *world = covey_world_create(NULL);
    const covey_type *types[] = { covey_id(Walker), NULL };
    covey_report report;
    covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &(covey_mpi_desc){ .types = types }, &report);
    if (!mpi) {
        fprintf(stderr, "%s\n", report.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int rank = covey_mpi_rank(mpi), next = (rank + 1) % covey_mpi_size(mpi);
    covey_entity e = covey_create(world);
    covey_add(world, e, Walker, { rank });
    if (covey_mpi_migrate(mpi, &e, &next, 1) != COVEY_OK) /* all walkers move one rank on */
        fprintf(stderr, "%s\n", covey_mpi_report(mpi)->text);
    covey_view walkers = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Walker) } });
    covey_iter it = covey_view_iter(&walkers);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            printf("rank %d has the walker of rank %d\n", rank, covey_field(&it, 0, Walker)[i].x);
    covey_mpi_destroy(mpi);
    covey_world_destroy(world);
    MPI_Finalize();
    return 0;
}
