/* What the files about partitions share (partition*.c).
 *
 * Cuts lie between cells. They are searched in cells, and compared in coordinates of the space. A tree has an inner
 * node for each cut, and a leaf for each rank:
 *
 *     nodes[0]  axis 1, cut 500 --> below: rank 0
 *                               \-> at and above: nodes[1]  axis 0, cut 300 --> rank 1
 *                                                                           \-> rank 2 */
#ifndef COVEY_MPI_PARTITION_H
#define COVEY_MPI_PARTITION_H

#include "internal.h"

typedef struct covey__mpi_axis {
    covey_kind kind;
    uint32_t offset;
    bool whole; /* positions are integers */
    bool wraps;
    double low, high, cell;
    double reach;  /* the halo, and a little more where differences are rounded */
    int64_t cells; /* the last cell may be narrower than the others */
} covey__mpi_axis;

typedef struct covey__mpi_node {
    double cut;
    int32_t axis;
    int32_t side[2]; /* below the cut, and at and above it: a node, or ~rank */
} covey__mpi_node;

/* A box, in cells. */
typedef struct covey__mpi_box {
    int64_t low[COVEY_MPI_AXES], high[COVEY_MPI_AXES];
} covey__mpi_box;

typedef struct covey__mpi_tree {
    covey__mpi_node *nodes;                           /* one fewer than ranks */
    covey__mpi_box *boxes;                            /* one for each rank */
    double low[COVEY_MPI_AXES], high[COVEY_MPI_AXES]; /* the box of this rank; infinite where it has no cut */
} covey__mpi_tree;

/* Each round of the search for a cut sorts the candidate cells into this many bins, and keeps one bin. */
enum { COVEY__MPI_BINS = COVEY_PAGE_SIZE < 256 ? COVEY_PAGE_SIZE : 256 };

/* A box that a node will cut. Nodes are made level by level, so that the nodes of one level are consecutive. */
typedef struct covey__mpi_plan {
    covey__mpi_box box;
    int first, ranks; /* the ranks that share the box */
    int left;         /* how many of them get the low side */
    int32_t axis;
    int64_t lowest, highest; /* the cut lies between these, so that each rank gets a cell */
    int64_t from, width;     /* the first bin begins at `from`; bins have `width` cells. Width 0: the search is over */
    int64_t end;
    int64_t below, all; /* the weight below `from`, and of the whole box */
} covey__mpi_plan;

struct covey_mpi_partition {
    covey_dependent dependent; /* attached to the world of `mpi` */
    covey_mpi *mpi;
    const covey_type *type;
    covey_pool *pool; /* NULL if `type` is NULL */
    covey_mpi_cuts cuts;
    uint32_t axis_count;
    covey__mpi_axis axes[COVEY_MPI_AXES];
    covey_mpi_place_fn *place;
    void *context;
    covey__mpi_tree tree, next; /* `next` is used while new cuts are made by bisection */
    covey__mpi_plan *plans;     /* one for each node */
    int64_t *bins;              /* for each node of one level */
    double *loads;              /* for each rank: seconds, and the limit */
    void *block;                /* the memory of all of these */
    covey_entity *leaving;      /* followed in memory by `targets` */
    int *targets;
    uint32_t room;
};

/* ---- Cutting -----------------------------------------------------------------------------------------------------*/

/* Cuts the space into boxes of about the same size. Returns false when there are fewer cells than ranks. */
bool covey__mpi_partition_cut(covey_mpi_partition *p);
/* Collective. Cuts the space by bisection into boxes of about the same weight, and writes them to `next`. Each
 * entity of this rank has the given weight. */
void covey__mpi_partition_cut_by_load(covey_mpi_partition *p, int64_t weight);

/* The steps of bisection. */
/* Plans the first cut. *nodes is the number of planned nodes. Returns false when there are fewer cells than ranks. */
bool covey__mpi_plan_space(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t *nodes);
/* Where a planned cut divides the box in proportion to the ranks of both sides. */
int64_t covey__mpi_plan_cut_by_size(const covey__mpi_plan *b);
/* Makes a planned node. Its sides become the boxes of ranks, or planned nodes at the end. */
void covey__mpi_plan_cut(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t at, int64_t cut, int32_t *nodes);
/* Sets the box of this rank in a finished tree: infinite at the ends of the space, except where the axis wraps. */
void covey__mpi_tree_open_ends(const covey_mpi_partition *p, covey__mpi_tree *tree);

/* The memory for trees, plans, bins and loads. Returns false when memory is out. */
bool covey__mpi_partition_reserve(covey_mpi_partition *p);
void covey__mpi_partition_free(covey_mpi_partition *p);

/* ---- Lookup ------------------------------------------------------------------------------------------------------*/

/* The position of an entity. Wraps coordinates into the space where the axis wraps. */
void covey__mpi_partition_point(const covey_mpi_partition *p, const void *value, double *point);
/* The rank of the leaf that a point is in. */
int covey__mpi_tree_rank(const covey_mpi_partition *p, const covey__mpi_tree *tree, const double *point);
/* Lists the entities that live here and belong to another rank of the tree: in `leaving` and `targets`. */
covey_result covey__mpi_partition_list_leaving(covey_mpi_partition *p, const covey__mpi_tree *tree, uint32_t *count);

/* number * part / whole, without overflow for part <= whole. */
static inline int64_t covey__mpi_portion(int64_t number, int part, int whole) {
    return number / whole * part + number % whole * part / whole;
}

static inline int64_t covey__mpi_clamp(int64_t number, int64_t low, int64_t high) {
    return number < low ? low : number > high ? high : number;
}

/* The coordinate at which a cell begins. */
static inline double covey__mpi_axis_edge(const covey__mpi_axis *axis, int64_t cell) {
    return cell == axis->cells ? axis->high : axis->low + (double)cell * axis->cell;
}

/* The side of a node that a point is on. */
static inline int32_t covey__mpi_node_descend(const covey__mpi_node *node, const double *point) {
    return node->side[point[node->axis] >= node->cut];
}

#endif
