/* What asking a partition (partition.c) and cutting the space (cut.c) share.
 *
 * Cuts lie between cells: they are found as numbers of cells, and compared as numbers of the space. A tree has an inner
 * node for each cut, and a rank for each leaf:
 *
 *     nodes[0]  axis 1, cut 500 --> below: rank 0
 *                               \-> from there on: nodes[1]  axis 0, cut 300 --> rank 1
 *                                                                            \-> rank 2 */
#ifndef COVEY_MPI_PARTITION_H
#define COVEY_MPI_PARTITION_H

#include "dist.h"

typedef struct covey__mpi_axis {
    covey_kind kind;
    uint32_t offset;
    bool whole, wraps;
    double low, high, cell;
    double reach;  /* the halo; a little more where differences are rounded */
    int64_t cells; /* the last one may be cut off by the end of the axis */
} covey__mpi_axis;

typedef struct covey__mpi_node {
    double cut;
    int32_t axis;
    int32_t side[2]; /* below the cut, and from it on: a node, or ~rank */
} covey__mpi_node;

/* In cells. */
typedef struct covey__mpi_box {
    int64_t low[COVEY_MPI_AXES], high[COVEY_MPI_AXES];
} covey__mpi_box;

typedef struct covey__mpi_tree {
    covey__mpi_node *nodes;                           /* one less than ranks */
    covey__mpi_box *boxes;                            /* of each rank */
    double low[COVEY_MPI_AXES], high[COVEY_MPI_AXES]; /* points in between are this rank's: infinite where no cut is */
} covey__mpi_tree;

struct covey__mpi_plan; /* of a node, while cuts are searched */

struct covey_mpi_partition {
    covey_dependent dependent; /* of the world of `mpi` */
    covey_mpi *mpi;
    const covey_type *type;
    covey_pool *pool; /* NULL: without a type */
    covey_mpi_cuts cuts;
    uint32_t axis_count;
    covey__mpi_axis axes[COVEY_MPI_AXES];
    covey_mpi_place_fn *place;
    void *context;
    covey__mpi_tree tree, next;    /* next: while it is made, by bisection */
    struct covey__mpi_plan *plans; /* one for each node */
    int64_t *bins;                 /* of each node of a level */
    double *loads;                 /* two of each rank: seconds, and the limit */
    void *block;                   /* what all of these are in */
    covey_entity *leaving;         /* followed in memory by `targets` */
    int *targets;
    uint32_t room;
};

/* ---- Cutting -----------------------------------------------------------------------------------------------------*/

/* Cuts the space for the first time into boxes of about the same size; false: there are not enough cells for all ranks. */
bool covey__mpi_cut(covey_mpi_partition *p);
/* Collective: cuts it by bisection into `next`, so that boxes have about the same weight; each entity of this rank has the
 * given one. */
void covey__mpi_cut_by_load(covey_mpi_partition *p, int64_t weight);
/* Memory for both, and its release. */
bool covey__mpi_cut_reserve(covey_mpi_partition *p);
void covey__mpi_cut_free(covey_mpi_partition *p);

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

/* The position of an entity, inside of the space where axes wrap. */
void covey__mpi_point(const covey_mpi_partition *p, const void *value, double *point);
/* Lists who lives here and belongs to another rank of a tree. */
covey_result covey__mpi_list_leaving(covey_mpi_partition *p, const covey__mpi_tree *tree, uint32_t *count);

/* Where the cell with this number begins. */
static inline double covey__mpi_edge(const covey__mpi_axis *axis, int64_t cell) {
    return cell == axis->cells ? axis->high : axis->low + (double)cell * axis->cell;
}

/* One step down from a node. */
static inline int32_t covey__mpi_descend(const covey__mpi_node *node, const double *point) {
    return node->side[point[node->axis] >= node->cut];
}

#endif
