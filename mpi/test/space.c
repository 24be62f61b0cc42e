#include "space.h"

COVEY_COMPONENT_DEFINE(Point, .as_bytes = true);
COVEY_FIELDS_DEFINE(Mixed, i8(i8), u8(u8), i16(i16), u16(u16), i32(i32), u32(u32), f32(f32), f64(f64), i64(i64),
                    u64(u64), entity(other));
COVEY_COMPONENT_DEFINE(Mixed, .fields = &covey_fields_Mixed, .storage = COVEY_STORAGE_SPARSE);

static const covey_type *const types[] = { covey_id(Point), covey_id(Mixed), covey_id(Spot), covey_id(Stamp), NULL };

void begin_points(fixture *f) { begin(f, &(covey_mpi_desc){ .types = types, .trees = COVEY_MPI_TREES_MOVE }); }

covey_mpi_partition *pretend(covey_mpi *fake, const fixture *f, int rank_of_many, int many,
                             const covey_mpi_partition_desc *desc) {
    *fake = *f->mpi;
    fake->comm = MPI_COMM_SELF;
    fake->rank = rank_of_many;
    fake->size = many;
    covey_mpi_partition *p = covey_mpi_partition_create(fake, desc);
    CHECK(p != NULL);
    return p;
}

const covey_mpi_partition_desc spaces[SPACES] = {
    { .type = covey_id(Point), .axes = { AXIS(x, .high = 64), AXIS(y, .high = 64) } },
    { .type = covey_id(Point),
      .axes = { AXIS(x, .low = -8, .high = 56, .wraps = true), AXIS(y, .high = 16, .wraps = true) } },
    { .type = covey_id(Point), .cuts = COVEY_MPI_BISECTION, .axes = { AXIS(x, .high = 128, .wraps = true) } },
    { .type = covey_id(Point),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { AXIS(x, .high = 64), AXIS(y, .high = 32, .wraps = true) } },
    { .type = covey_id(Point),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { AXIS(x, .high = 10, .cell = 4), AXIS(y, .high = 64, .cell = 0.5) } },
    { .type = covey_id(Point),
      .axes = { AXIS(x, .high = 16, .wraps = true), AXIS(y, .low = -16, .high = 16), AXIS(z, .high = 64) } },
    { .type = covey_id(Point),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { AXIS(x, .high = 32, .cell = 2), AXIS(y, .high = 32, .wraps = true),
                AXIS(z, .low = 8, .high = 40, .wraps = true) } },
    { .type = covey_id(Spot),
      .axes = { WHOLE(x, .high = 50, .wraps = true), WHOLE(y, .low = -20, .high = 30, .wraps = true) } },
    { .type = covey_id(Spot),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { WHOLE(x, .high = 50, .wraps = true), WHOLE(y, .high = 40) } },
    { .type = covey_id(Spot),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { WHOLE(x, .high = 7), WHOLE(y, .high = 7, .wraps = true) } },
    { .type = covey_id(Spot),
      .cuts = COVEY_MPI_BISECTION,
      .axes = { WHOLE(x, .high = 60, .cell = 7), WHOLE(y, .high = 60, .cell = 5) } },
};

uint32_t axes_of(const covey_mpi_partition_desc *desc) {
    uint32_t count = 0;
    while (count < COVEY_MPI_AXES && (desc->axes[count].low != 0 || desc->axes[count].high != 0)) count++;
    return count;
}

double inside(const covey_mpi_axis *axis, double x) {
    double length = axis->high - axis->low;
    if (x != x || (axis->wraps && x - x != 0)) return axis->low;
    while (axis->wraps && x < axis->low) x += length;
    while (axis->wraps && x >= axis->high) x -= length;
    return x;
}

static bool holds(const covey_mpi_axis *axis, double low, double high, double x) {
    return (x >= low || low == axis->low) && (x < high || high == axis->high);
}

int owner_of(const covey_mpi_partition *p, const covey_mpi_partition_desc *desc, int ranks, const double *point) {
    int owner = -1;
    for (int r = 0; r < ranks; r++) {
        double low[3], high[3];
        bool is_in = true;
        CHECK(covey_mpi_partition_box(p, r, low, high));
        for (uint32_t a = 0; a < axes_of(desc); a++) {
            CHECK(low[a] >= desc->axes[a].low && low[a] < high[a] && high[a] <= desc->axes[a].high);
            is_in = is_in && holds(&desc->axes[a], low[a], high[a], inside(&desc->axes[a], point[a]));
        }
        CHECK(!is_in || owner < 0);
        if (is_in) owner = r;
    }
    CHECK(owner >= 0);
    return owner;
}
