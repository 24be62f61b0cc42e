#include <covey/mpi.hpp>
#include <cstdio>

struct Walker {
    int32_t x;
};
COVEY_CPP_DEFINE(Walker, covey::options().as_bytes());

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    covey::world world;
    covey_report report;
    covey::mpi mpi = covey::mpi_of<Walker>(MPI_COMM_WORLD, world, {}, &report);
    if (!mpi) {
        std::fprintf(stderr, "%s\n", report.text);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    int rank = mpi.rank(), next = (rank + 1) % mpi.size();
    covey::entity e = world.create_with(Walker{ rank });
    if (!mpi.migrate(&e, &next, 1)) std::fprintf(stderr, "%s\n", mpi.report().text); // all walkers move one rank on
    for (auto [each, walker] : covey::view<const Walker>{ world })
        std::printf("rank %d has the walker of rank %d\n", rank, walker.x);
    std::optional<int64_t> sum = mpi.sum<Walker>([](const Walker &walker) { return walker.x; });
    if (rank == 0 && sum) std::printf("all numbers together are %lld\n", static_cast<long long>(*sum));
    MPI_Finalize();
}
