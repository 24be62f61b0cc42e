/* Spaces for the tests of partitions, and the owner of a point by brute force. */
#ifndef COVEY_MPI_TEST_SPACE_H
#define COVEY_MPI_TEST_SPACE_H

#include "partition.h"
#include "support.h"

typedef struct {
    float x, y, z;
} Point;
typedef struct {
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    float f32;
    double f64;
    int64_t i64;
    uint64_t u64;
    covey_entity other;
} Mixed;
COVEY_COMPONENT_DECLARE(Point);
COVEY_COMPONENT_DECLARE(Mixed);
COVEY_FIELDS_DECLARE(Mixed);

#define AXIS(member, ...) \
    { .kind = COVEY_KIND_F32, .offset = offsetof(Point, member), __VA_ARGS__ }
#define WHOLE(member, ...) \
    { .kind = COVEY_KIND_I32, .offset = offsetof(Spot, member), __VA_ARGS__ }

enum { SPACES = 11, MANY = 40 };
extern const covey_mpi_partition_desc spaces[SPACES];
uint32_t axes_of(const covey_mpi_partition_desc *desc);

/* A world with these components, Spot and Stamp, in which trees move. */
void begin_points(fixture *f);

/* Wraps a coordinate. Exact for the multiples of a quarter that the tests use. */
double inside(const covey_mpi_axis *axis, double x);
/* The owner of a point. Checks that it lies in exactly one box. */
int owner_of(const covey_mpi_partition *p, const covey_mpi_partition_desc *desc, int ranks, const double *point);

/* A partition on one rank of many simulated ranks, for calls that send no messages. */
covey_mpi_partition *pretend(covey_mpi *fake, const fixture *f, int rank_of_many, int many,
                             const covey_mpi_partition_desc *desc);

#endif
