/* Cutting the space of a partition: in rows and columns, or by bisection, into boxes of the same size or load. */
#include "partition.h"

#include <math.h>

/* A cut is searched in rounds: the cells that it may lie in are put into so many bins, then those of one bin. */
enum { BINS = COVEY_PAGE_SIZE < 256 ? COVEY_PAGE_SIZE : 256 };

/* A box that is to be cut, for a node. Nodes are made level by level, so that those of one level follow each other. */
typedef struct covey__mpi_plan {
    covey__mpi_box box;
    int first, ranks; /* those that share it */
    int left;         /* so many of them get the low side */
    int32_t axis;
    int64_t lowest, highest; /* where the cut may be, so that each rank gets a cell */
    int64_t from, width;     /* the search: bins of so many cells, the first of which begins here; 0: it is over */
    int64_t end;
    int64_t below, all; /* the weight below `from`, and of the box */
} plan;

/* ---- Boxes -------------------------------------------------------------------------------------------------------*/

/* number * part / whole without overflow, for part <= whole. */
static int64_t share(int64_t number, int part, int whole) {
    return number / whole * part + number % whole * part / whole;
}

static double side_of(const covey_mpi_partition *p, const covey__mpi_box *box, uint32_t axis) {
    return covey__mpi_edge(&p->axes[axis], box->high[axis]) - covey__mpi_edge(&p->axes[axis], box->low[axis]);
}

static covey__mpi_box whole_space(const covey_mpi_partition *p) {
    covey__mpi_box box = { .low = { 0 } };
    for (uint32_t a = 0; a < p->axis_count; a++) box.high[a] = p->axes[a].cells;
    return box;
}

/* Where this rank has no border: at the ends of the space, unless they meet. */
static void open_ends(const covey_mpi_partition *p, covey__mpi_tree *tree) {
    const covey__mpi_box *box = &tree->boxes[p->mpi->rank];
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        bool first = box->low[a] == 0, last = box->high[a] == axis->cells, open = !axis->wraps || (first && last);
        tree->low[a] = first && open ? -INFINITY : covey__mpi_edge(axis, box->low[a]);
        tree->high[a] = last && open ? INFINITY : covey__mpi_edge(axis, box->high[a]);
    }
}

static int64_t clamp(int64_t number, int64_t low, int64_t high) {
    return number < low ? low : number > high ? high : number;
}

/* ---- A grid ------------------------------------------------------------------------------------------------------*/

typedef struct grid {
    covey_mpi_partition *p;
    int sides[COVEY_MPI_AXES];
    int32_t nodes;
} grid;

/* The length, or area, of all borders. */
static double border_of(const covey_mpi_partition *p, const int *sides) {
    double sum = 0;
    covey__mpi_box space = whole_space(p);
    for (uint32_t a = 0; a < p->axis_count; a++) {
        double across = sides[a] - 1 + (p->axes[a].wraps && sides[a] > 1);
        for (uint32_t b = 0; b < p->axis_count; b++) across *= b != a ? side_of(p, &space, b) : 1;
        sum += across;
    }
    return sum;
}

/* Tries all products of the sides from an axis on; *best is the border of what g->sides has. */
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
        box.low[a] = share(g->p->axes[a].cells, at[a], g->sides[a]);
        box.high[a] = share(g->p->axes[a].cells, at[a] + 1, g->sides[a]);
    }
    g->p->tree.boxes[rank] = box;
    return ~rank;
}

/* The tree of a part of the grid: cut in the middle along the axis with most boxes. */
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
    int64_t cut = share(g->p->axes[axis].cells, middle, g->sides[axis]);
    g->p->tree.nodes[at] = (covey__mpi_node){ .cut = covey__mpi_edge(&g->p->axes[axis], cut), .axis = axis };
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

/* ---- Bisection ---------------------------------------------------------------------------------------------------*/

/* How many of some ranks fit into a layer of cells across an axis. */
static int64_t layer_of(const plan *b, uint32_t axes, uint32_t axis) {
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

/* Chooses the axis, the ranks on each side, and where the cut may be. There are at least as many cells as ranks. */
static void plan_cut(const covey_mpi_partition *p, plan *b) {
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
    b->left = (int)clamp(b->left, least, room[0] < most ? room[0] : most);
    b->lowest = b->highest = low + half;
}

static int64_t cut_by_size(const plan *b) {
    int64_t low = b->box.low[b->axis], side = b->box.high[b->axis] - low;
    return clamp(low + (share(2 * side, b->left, b->ranks) + 1) / 2, b->lowest, b->highest);
}

/* Ends a node: its sides are boxes of ranks, or nodes behind all others. */
static void make_cut(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t at, int64_t cut, int32_t *nodes) {
    const plan *b = &p->plans[at];
    covey__mpi_node *node = &tree->nodes[at];
    *node = (covey__mpi_node){ .cut = covey__mpi_edge(&p->axes[b->axis], cut), .axis = b->axis };
    for (int s = 0; s < 2; s++) {
        plan part = { .box = b->box, .first = s == 0 ? b->first : b->first + b->left };
        part.ranks = s == 0 ? b->left : b->ranks - b->left;
        *(s == 0 ? &part.box.high[b->axis] : &part.box.low[b->axis]) = cut;
        if (part.ranks > 1) {
            plan_cut(p, &part);
            p->plans[*nodes] = part;
            node->side[s] = (*nodes)++;
        } else {
            tree->boxes[part.first] = part.box;
            node->side[s] = ~part.first;
        }
    }
}

/* The plan for the whole space; false: there are not enough cells. *nodes is how many are planned. */
static bool plan_space(const covey_mpi_partition *p, covey__mpi_tree *tree, int32_t *nodes) {
    plan space = { .box = whole_space(p), .ranks = p->mpi->size };
    *nodes = p->mpi->size > 1;
    if (layer_of(&space, p->axis_count, COVEY_MPI_AXES) < p->mpi->size) return false;
    if (*nodes == 0) {
        tree->boxes[0] = space.box;
    } else {
        plan_cut(p, &space);
        p->plans[0] = space;
    }
    return true;
}

bool covey__mpi_cut(covey_mpi_partition *p) {
    int32_t nodes;
    bool done = p->cuts == COVEY_MPI_GRID ? cut_grid(p) : plan_space(p, &p->tree, &nodes);
    for (int32_t at = 0; done && p->cuts != COVEY_MPI_GRID && at < nodes; at++)
        make_cut(p, &p->tree, at, cut_by_size(&p->plans[at]), &nodes);
    if (done) open_ends(p, &p->tree);
    return done;
}

/* ---- By load -----------------------------------------------------------------------------------------------------*/

/* A level of nodes whose cuts are searched together. */
typedef struct level {
    covey_mpi_partition *p;
    int32_t begin, end;
    int64_t weight; /* of an entity of this rank */
} level;

static void set_width(plan *b) { b->width = (b->end - b->from + BINS - 1) / BINS; }

/* The cell of a box along its axis; points outside belong to the cells at its ends. */
static int64_t cell_of(const covey__mpi_axis *axis, double x, int64_t low, int64_t high) {
    if (!(x >= covey__mpi_edge(axis, low))) return low;
    if (x >= covey__mpi_edge(axis, high)) return high - 1;
    int64_t cell = clamp((int64_t)((x - axis->low) / axis->cell), low, high - 1);
    while (cell > low && x < covey__mpi_edge(axis, cell)) cell--;
    while (cell + 1 < high && x >= covey__mpi_edge(axis, cell + 1)) cell++;
    return cell;
}

static void weigh(const level *l, const double *point) {
    const covey_mpi_partition *p = l->p;
    int32_t at = 0;
    while (at >= 0 && at < l->begin) at = covey__mpi_descend(&p->next.nodes[at], point);
    if (at < 0 || p->plans[at].width == 0) return;
    const plan *b = &p->plans[at];
    int64_t cell = cell_of(&p->axes[b->axis], point[b->axis], b->box.low[b->axis], b->box.high[b->axis]);
    if (cell >= b->from && cell < b->end)
        p->bins[(int64_t)(at - l->begin) * BINS + (cell - b->from) / b->width] += l->weight;
}

typedef void each_fn(const level *l, const double *point);

/* All positions of those that live here. Returns how many there are. */
static uint32_t each_position(const level *l, each_fn *call) {
    const covey_mpi_partition *p = l->p;
    uint32_t count = 0;
    covey_view view = covey_view_make_const(
        p->mpi->world, &(covey_view_desc){ .with = { p->type }, .read = { p->type }, .include_disabled = true }, NULL);
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) {
        const unsigned char *value = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++, value += p->type->size) {
            double point[COVEY_MPI_AXES];
            if (!covey_mpi_owns(p->mpi, covey_span_entity(&it, i))) continue;
            count++;
            if (!call) continue;
            covey__mpi_point(p, value, point);
            call(l, point);
        }
    }
    return count;
}

static int64_t sum_of(const int64_t *bins) {
    int64_t sum = 0;
    for (int i = 0; i < BINS; i++) sum += bins[i];
    return sum;
}

/* Goes on with the bin that the share of the low side ends in. In bins of one cell, the search is over: the cut is at that
 * end of the cell which is nearer to the share. */
static void narrow(plan *b, const int64_t *bins) {
    if (b->all < 0) b->all = sum_of(bins);
    int64_t wanted = share(b->all, b->left, b->ranks), count = (b->end - b->from + b->width - 1) / b->width, i = 0;
    while (i + 1 < count && b->below + bins[i] <= wanted) b->below += bins[i++];
    b->from += i * b->width;
    if (b->width == 1) {
        b->from += b->below + bins[i] - wanted < wanted - b->below;
        b->width = 0;
        return;
    }
    if (b->from + b->width < b->end) b->end = b->from + b->width;
    set_width(b);
}

static bool searches(const level *l) {
    for (int32_t at = l->begin; at < l->end; at++)
        if (l->p->plans[at].width != 0) return true;
    return false;
}

static void search_level(const level *l) {
    covey_mpi_partition *p = l->p;
    int count = (l->end - l->begin) * BINS;
    for (int32_t at = l->begin; at < l->end; at++) {
        plan *b = &p->plans[at];
        b->from = b->box.low[b->axis];
        b->end = b->box.high[b->axis];
        b->below = 0;
        b->all = -1;
        set_width(b);
    }
    while (searches(l)) {
        memset(p->bins, 0, (size_t)count * sizeof *p->bins);
        each_position(l, weigh);
        covey__mpi_reduce(p->mpi, p->bins, count, MPI_INT64_T, MPI_SUM);
        for (int32_t at = l->begin; at < l->end; at++)
            if (p->plans[at].width != 0) narrow(&p->plans[at], p->bins + (int64_t)(at - l->begin) * BINS);
    }
}

void covey__mpi_cut_by_load(covey_mpi_partition *p, int64_t weight) {
    level l = { .p = p, .weight = weight };
    int32_t nodes;
    for (plan_space(p, &p->next, &nodes); l.begin < nodes; l.begin = l.end) {
        l.end = nodes;
        search_level(&l);
        for (int32_t at = l.begin; at < l.end; at++) {
            const plan *b = &p->plans[at];
            int64_t cut = b->all > 0 ? clamp(b->from, b->lowest, b->highest) : cut_by_size(b);
            make_cut(p, &p->next, at, cut, &nodes);
        }
    }
    open_ends(p, &p->next);
}

/* ---- Balance -----------------------------------------------------------------------------------------------------*/

/* All ranks know the times of all; refused if they cannot be used. */
static covey_result tell_loads(covey_mpi_partition *p, double seconds, double limit) {
    covey_mpi *mpi = p->mpi;
    double own[2] = { seconds, limit };
    if (p->place || p->cuts != COVEY_MPI_BISECTION)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED,
                               "this partition has no cuts that move; make it with .cuts = COVEY_MPI_BISECTION");
    covey__mpi_collate(mpi, own, 2, MPI_DOUBLE, p->loads);
    if (!(seconds >= 0 && seconds < INFINITY))
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%g seconds are no time that work can take", seconds);
    if (limit != p->loads[1])
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "has the limit %g, and rank 0 %g", limit, p->loads[1]);
    return COVEY_OK;
}

static bool is_uneven(const covey_mpi_partition *p, double *all) {
    double most = 0, limit = p->loads[1];
    *all = 0;
    for (int r = 0; r < p->mpi->size; r++) {
        double seconds = p->loads[2 * r];
        *all += seconds;
        if (seconds > most) most = seconds;
    }
    return limit < 0 || most * p->mpi->size > (1 + limit) * *all;
}

/* Of an entity of this rank, in parts of what all ranks took; sums of all entities are exact and do not overflow. */
static int64_t weight_of(covey_mpi_partition *p, double seconds, double all) {
    uint32_t entities = each_position(&(level){ .p = p }, NULL);
    if (!(all > 0) || entities == 0) return 1;
    int64_t weight = (int64_t)(seconds / all * 4503599627370496.0 / entities); /* 2^52 */
    return weight > 0 ? weight : 1;
}

covey_result covey_mpi_partition_balance(covey_mpi_partition *partition, double seconds, double limit,
                                         uint64_t *moved) {
    covey_mpi_partition *p = partition;
    uint32_t count = 0;
    uint64_t leaving;
    double all;
    if (moved) *moved = 0;
    covey_result result = covey__mpi_enter(p->mpi, CALL_PARTITION_BALANCE);
    if (result == COVEY_OK) result = covey__mpi_agree(p->mpi, tell_loads(p, seconds, limit));
    if (result != COVEY_OK || !is_uneven(p, &all)) return result;
    covey__mpi_cut_by_load(p, weight_of(p, seconds, all));
    result = covey__mpi_list_leaving(p, &p->next, &count);
    result = covey__mpi_migrate(p->mpi, p->leaving, p->targets, count, result);
    if (result != COVEY_OK) return result;
    covey__mpi_tree last = p->tree;
    p->tree = p->next;
    p->next = last;
    covey__mpi_ghosts_ask_again(p->mpi); /* others are near now */
    leaving = count;
    covey__mpi_reduce(p->mpi, &leaving, 1, MPI_UINT64_T, MPI_SUM);
    if (moved) *moved = leaving;
    return COVEY_OK;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* All of it is in one block. */
static size_t room_of(const covey_mpi_partition *p, size_t *nodes, size_t *boxes) {
    size_t ranks = (size_t)p->mpi->size;
    *nodes = ranks * sizeof(covey__mpi_node);
    *boxes = ranks * sizeof(covey__mpi_box);
    if (p->cuts != COVEY_MPI_BISECTION) return *nodes + *boxes;
    return 2 * (*nodes + *boxes) + ranks * (sizeof(plan) + 2 * sizeof(double)) +
           (ranks + 1) / 2 * BINS * sizeof(int64_t);
}

bool covey__mpi_cut_reserve(covey_mpi_partition *p) {
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

void covey__mpi_cut_free(covey_mpi_partition *p) {
    size_t nodes, boxes;
    if (p->block) covey__mpi_resize(&p->mpi->allocator, p->block, room_of(p, &nodes, &boxes), 0);
}
