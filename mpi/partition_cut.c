/* Cutting the space of a partition into boxes of about the same size: in a grid, or by bisection. */
#include "partition.h"

#include <math.h>

/* ---- Boxes --------------------------------------------------------------------------------------------------------*/

static double side_of(const covey_mpi_partition *p, const covey__mpi_box *box, uint32_t axis) {
    return covey__mpi_axis_edge(&p->axes[axis], box->high[axis]) - covey__mpi_axis_edge(&p->axes[axis], box->low[axis]);
}

static covey__mpi_box space_of(const covey_mpi_partition *p) {
    covey__mpi_box box = { .low = { 0 } };
    for (uint32_t a = 0; a < p->axis_count; a++) box.high[a] = p->axes[a].cells;
    return box;
}

void covey__mpi_tree_open_ends(const covey_mpi_partition *p, covey__mpi_tree *tree) {
    const covey__mpi_box *box = &tree->boxes[p->mpi->rank];
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        bool first = box->low[a] == 0, last = box->high[a] == axis->cells, open = !axis->wraps || (first && last);
        tree->low[a] = first && open ? -INFINITY : covey__mpi_axis_edge(axis, box->low[a]);
        tree->high[a] = last && open ? INFINITY : covey__mpi_axis_edge(axis, box->high[a]);
    }
}

/* ---- A grid -------------------------------------------------------------------------------------------------------*/

typedef struct grid {
    covey_mpi_partition *p;
    int sides[COVEY_MPI_AXES];
    int32_t nodes;
} grid;

/* The length or area of all borders. */
static double border_of(const covey_mpi_partition *p, const int *sides) {
    double sum = 0;
    covey__mpi_box space = space_of(p);
    for (uint32_t a = 0; a < p->axis_count; a++) {
        double across = sides[a] - 1 + (p->axes[a].wraps && sides[a] > 1);
        for (uint32_t b = 0; b < p->axis_count; b++) across *= b != a ? side_of(p, &space, b) : 1;
        sum += across;
    }
    return sum;
}

/* Tries all ways to divide `ranks` among this axis and those behind it. *best is the border of g->sides. */
static void find_sides(grid *g, int *sides, uint32_t axis, int ranks, double *best) {
    for (int side = 1; side <= ranks; side++) {
        bool last = axis + 1 == g->p->axis_count;
        if (ranks % side != 0 || side > g->p->axes[axis].cells || (last && side != ranks)) continue;
        sides[axis] = side;
        if (!last) {
            find_sides(g, sides, axis + 1, ranks / side, best);
            continue;
        }
        double border = border_of(g->p, sides);
        if (border < *best) {
            *best = border;
            memcpy(g->sides, sides, sizeof g->sides);
        }
    }
}

static int32_t grid_leaf(grid *g, const int *at) {
    covey__mpi_box box = { .low = { 0 } };
    int rank = 0;
    for (uint32_t a = g->p->axis_count; a-- != 0;) rank = rank * g->sides[a] + at[a];
    for (uint32_t a = 0; a < g->p->axis_count; a++) {
        box.low[a] = covey__mpi_portion(g->p->axes[a].cells, at[a], g->sides[a]);
        box.high[a] = covey__mpi_portion(g->p->axes[a].cells, at[a] + 1, g->sides[a]);
    }
    g->p->tree.boxes[rank] = box;
    return ~rank;
}

/* Makes the tree of a part of the grid, which is cut in the middle of the axis with the most boxes. */
static int32_t grid_tree(grid *g, const int *low, const int *high) {
    int axis = 0, low_part[COVEY_MPI_AXES], high_part[COVEY_MPI_AXES];
    for (int a = 1; a < (int)g->p->axis_count; a++)
        if (high[a] - low[a] > high[axis] - low[axis]) axis = a;
    if (high[axis] - low[axis] == 1) return grid_leaf(g, low);
    int middle = low[axis] + (high[axis] - low[axis]) / 2;
    memcpy(low_part, low, sizeof low_part);
    memcpy(high_part, high, sizeof high_part);
    low_part[axis] = high_part[axis] = middle;
    int32_t at = g->nodes++;
    int64_t cut = covey__mpi_portion(g->p->axes[axis].cells, middle, g->sides[axis]);
    g->p->tree.nodes[at] = (covey__mpi_node){ .cut = covey__mpi_axis_edge(&g->p->axes[axis], cut), .axis = axis };
    g->p->tree.nodes[at].side[0] = grid_tree(g, low, high_part);
    g->p->tree.nodes[at].side[1] = grid_tree(g, low_part, high);
    return at;
}

static bool cut_grid(covey_mpi_partition *p) {
    grid g = { .p = p };
    int sides[COVEY_MPI_AXES] = { 1, 1, 1 }, origin[COVEY_MPI_AXES] = { 0 };
    double best = INFINITY;
    find_sides(&g, sides, 0, p->mpi->size, &best);
    if (best == INFINITY) return false;
    grid_tree(&g, origin, g.sides);
    return true;
}

/* ---- Bisection ----------------------------------------------------------------------------------------------------*/

/* How many ranks of the box fit into one layer of cells across an axis. */
static int64_t layer_of(const covey__mpi_plan *b, uint32_t axes, uint32_t axis) {
    int64_t cells = 1;
    for (uint32_t a = 0; a < axes; a++) {
        int64_t side = b->box.high[a] - b->box.low[a];
        if (a != axis) cells = side < b->ranks ? cells * side : b->ranks;
        if (cells > b->ranks) cells = b->ranks;
    }
    return cells;
}

static int64_t layers_for(int ranks, int64_t layer) { return (ranks + layer - 1) / layer; }

static int32_t longest_axis(const covey_mpi_partition *p, const covey__mpi_box *box) {
    int32_t longest = -1;
    for (uint32_t a = 0; a < p->axis_count; a++)
        if (box->high[a] - box->low[a] > 1 && (longest < 0 || side_of(p, box, a) >= side_of(p, box, (uint32_t)longest)))
            longest = (int32_t)a;
    return longest;
}

/* Chooses the axis, the ranks on each side, and the limits of the cut. The box has at least as many cells as ranks. */
static void choose_axis(const covey_mpi_partition *p, covey__mpi_plan *b) {
    b->axis = longest_axis(p, &b->box);
    int64_t low = b->box.low[b->axis], side = b->box.high[b->axis] - low;
    int64_t layer = layer_of(b, p->axis_count, (uint32_t)b->axis);
    b->left = b->ranks / 2;
    b->lowest = low + layers_for(b->left, layer);
    b->highest = low + side - layers_for(b->ranks - b->left, layer);
    if (b->lowest <= b->highest) return;
    int64_t half = side / 2, room[2] = { half < b->ranks ? half * layer : b->ranks,
                                         side - half < b->ranks ? (side - half) * layer : b->ranks };
    int64_t least = b->ranks - room[1] > 1 ? b->ranks - room[1] : 1, most = b->ranks - 1;
    b->left = (int)covey__mpi_clamp(b->left, least, room[0] < most ? room[0] : most);
    b->lowest = b->highest = low + half;
}

int64_t covey__mpi_plan_cut_by_size(const covey__mpi_plan *b) {
    int64_t low = b->box.low[b->axis], side = b->box.high[b->axis] - low;
    return covey__mpi_clamp(low + (covey__mpi_portion(2 * side, b->left, b->ranks) + 1) / 2, b->lowest, b->highest);
}

void covey__mpi_plan_cut(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t at, int64_t cut, int32_t *nodes) {
    const covey__mpi_plan *b = &p->plans[at];
    covey__mpi_node *node = &tree->nodes[at];
    *node = (covey__mpi_node){ .cut = covey__mpi_axis_edge(&p->axes[b->axis], cut), .axis = b->axis };
    for (int s = 0; s < 2; s++) {
        covey__mpi_plan part = { .box = b->box, .first = s == 0 ? b->first : b->first + b->left };
        part.ranks = s == 0 ? b->left : b->ranks - b->left;
        *(s == 0 ? &part.box.high[b->axis] : &part.box.low[b->axis]) = cut;
        if (part.ranks > 1) {
            choose_axis(p, &part);
            p->plans[*nodes] = part;
            node->side[s] = (*nodes)++;
        } else {
            tree->boxes[part.first] = part.box;
            node->side[s] = ~part.first;
        }
    }
}

bool covey__mpi_plan_space(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t *nodes) {
    covey__mpi_plan space = { .box = space_of(p), .ranks = p->mpi->size };
    *nodes = p->mpi->size > 1;
    if (layer_of(&space, p->axis_count, COVEY_MPI_AXES) < p->mpi->size) return false;
    if (*nodes == 0) {
        tree->boxes[0] = space.box;
    } else {
        choose_axis(p, &space);
        p->plans[0] = space;
    }
    return true;
}

bool covey__mpi_partition_cut(covey_mpi_partition *p) {
    int32_t nodes;
    bool done = p->cuts == COVEY_MPI_GRID ? cut_grid(p) : covey__mpi_plan_space(p, &p->tree, &nodes);
    for (int32_t at = 0; done && p->cuts != COVEY_MPI_GRID && at < nodes; at++)
        covey__mpi_plan_cut(p, &p->tree, at, covey__mpi_plan_cut_by_size(&p->plans[at]), &nodes);
    if (done) covey__mpi_tree_open_ends(p, &p->tree);
    return done;
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* The size of the block, and of its arrays. */
static size_t room_of(const covey_mpi_partition *p, size_t *nodes, size_t *boxes) {
    size_t ranks = (size_t)p->mpi->size;
    *nodes = ranks * sizeof(covey__mpi_node);
    *boxes = ranks * sizeof(covey__mpi_box);
    if (p->cuts != COVEY_MPI_BISECTION) return *nodes + *boxes;
    return 2 * (*nodes + *boxes) + ranks * (sizeof(covey__mpi_plan) + 2 * sizeof(double)) +
           (ranks + 1) / 2 * COVEY__MPI_BINS * sizeof(int64_t);
}

bool covey__mpi_partition_reserve(covey_mpi_partition *p) {
    size_t nodes, boxes, ranks = (size_t)p->mpi->size, room = room_of(p, &nodes, &boxes);
    unsigned char *block = covey__mpi_resize(&p->mpi->allocator, NULL, 0, room);
    if (!block) return false;
    memset(block, 0, room);
    p->tree = (covey__mpi_tree){ .boxes = (void *)block, .nodes = (void *)(block + boxes) };
    p->block = block;
    if (p->cuts != COVEY_MPI_BISECTION) return true;
    block += boxes + nodes;
    p->next = (covey__mpi_tree){ .boxes = (void *)block, .nodes = (void *)(block + boxes) };
    block += boxes + nodes;
    p->plans = (void *)block;
    p->loads = (void *)(block + ranks * sizeof *p->plans);
    p->bins = (void *)(p->loads + 2 * ranks);
    return true;
}

void covey__mpi_partition_free(covey_mpi_partition *p) {
    size_t nodes, boxes;
    if (p->block) covey__mpi_resize(&p->mpi->allocator, p->block, room_of(p, &nodes, &boxes), 0);
}
