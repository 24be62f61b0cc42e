/* Balancing the load of ranks with new cuts, so that boxes have about the same weight. */
#include "partition.h"

#include <math.h>

/* ---- By load ------------------------------------------------------------------------------------------------------*/

/* One level of nodes. Their cuts are searched together. */
typedef struct level {
    covey_mpi_partition *p;
    int32_t begin, end;
    int64_t weight; /* of an entity of this rank */
} level;

static void set_width(covey__mpi_plan *b) { b->width = (b->end - b->from + COVEY__MPI_BINS - 1) / COVEY__MPI_BINS; }

/* The cell of a coordinate, clamped to the cells of a box. */
static int64_t cell_of(const covey__mpi_axis *axis, double x, int64_t low, int64_t high) {
    if (!(x >= covey__mpi_axis_edge(axis, low))) return low;
    if (x >= covey__mpi_axis_edge(axis, high)) return high - 1;
    int64_t cell = covey__mpi_clamp((int64_t)((x - axis->low) / axis->cell), low, high - 1);
    while (cell > low && x < covey__mpi_axis_edge(axis, cell)) cell--;
    while (cell + 1 < high && x >= covey__mpi_axis_edge(axis, cell + 1)) cell++;
    return cell;
}

static void weigh(const level *l, const double *point) {
    const covey_mpi_partition *p = l->p;
    int32_t at = 0;
    while (at >= 0 && at < l->begin) at = covey__mpi_node_descend(&p->next.nodes[at], point);
    if (at < 0 || p->plans[at].width == 0) return;
    const covey__mpi_plan *b = &p->plans[at];
    int64_t cell = cell_of(&p->axes[b->axis], point[b->axis], b->box.low[b->axis], b->box.high[b->axis]);
    if (cell >= b->from && cell < b->end)
        p->bins[(int64_t)(at - l->begin) * COVEY__MPI_BINS + (cell - b->from) / b->width] += l->weight;
}

typedef void each_fn(const level *l, const double *point);

/* Visits the positions of all entities that live here, and returns how many there are. `call` may be NULL. */
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
            covey__mpi_partition_point(p, value, point);
            call(l, point);
        }
    }
    return count;
}

static int64_t sum_of(const int64_t *bins) {
    int64_t sum = 0;
    for (int i = 0; i < COVEY__MPI_BINS; i++) sum += bins[i];
    return sum;
}

/* Continues the search in the bin where the low side reaches its share of the weight. When bins are single cells, the
 * search is over: the cut is at the end of the cell that is nearer to the share. */
static void narrow(covey__mpi_plan *b, const int64_t *bins) {
    if (b->all < 0) b->all = sum_of(bins);
    int64_t wanted = covey__mpi_portion(b->all, b->left, b->ranks),
            count = (b->end - b->from + b->width - 1) / b->width, i = 0;
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
    int count = (l->end - l->begin) * COVEY__MPI_BINS;
    for (int32_t at = l->begin; at < l->end; at++) {
        covey__mpi_plan *b = &p->plans[at];
        b->from = b->box.low[b->axis];
        b->end = b->box.high[b->axis];
        b->below = 0;
        b->all = -1;
        set_width(b);
    }
    while (searches(l)) {
        memset(p->bins, 0, (size_t)count * sizeof *p->bins);
        each_position(l, weigh);
        covey__mpi_allreduce(p->mpi, p->bins, count, MPI_INT64_T, MPI_SUM);
        for (int32_t at = l->begin; at < l->end; at++)
            if (p->plans[at].width != 0) narrow(&p->plans[at], p->bins + (int64_t)(at - l->begin) * COVEY__MPI_BINS);
    }
}

void covey__mpi_partition_cut_by_load(covey_mpi_partition *p, int64_t weight) {
    level l = { .p = p, .weight = weight };
    int32_t nodes;
    for (covey__mpi_plan_space(p, &p->next, &nodes); l.begin < nodes; l.begin = l.end) {
        l.end = nodes;
        search_level(&l);
        for (int32_t at = l.begin; at < l.end; at++) {
            const covey__mpi_plan *b = &p->plans[at];
            int64_t cut =
                b->all > 0 ? covey__mpi_clamp(b->from, b->lowest, b->highest) : covey__mpi_plan_cut_by_size(b);
            covey__mpi_plan_cut(p, &p->next, at, cut, &nodes);
        }
    }
    covey__mpi_tree_open_ends(p, &p->next);
}

/* ---- Balance ------------------------------------------------------------------------------------------------------*/

/* Gathers the times of all ranks, and checks them. */
static covey_result gather_loads(covey_mpi_partition *p, double seconds, double limit) {
    covey_mpi *mpi = p->mpi;
    double own[2] = { seconds, limit };
    if (p->place || p->cuts != COVEY_MPI_BISECTION)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED,
                               "this partition cannot be balanced; create it with .cuts = COVEY_MPI_BISECTION");
    covey__mpi_allgather(mpi, own, 2, MPI_DOUBLE, p->loads);
    if (!(seconds >= 0 && seconds < INFINITY))
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%g is not a valid number of seconds", seconds);
    if (limit != p->loads[1])
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "the limit is %g here, and %g on rank 0", limit, p->loads[1]);
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

/* The weight of each entity of this rank, in 2^-52 of the time of all ranks. The sum over all entities does not
 * overflow. */
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
    if (result == COVEY_OK) result = covey__mpi_agree(p->mpi, gather_loads(p, seconds, limit));
    if (result != COVEY_OK || !is_uneven(p, &all)) return result;
    covey__mpi_partition_cut_by_load(p, weight_of(p, seconds, all));
    result = covey__mpi_partition_list_leaving(p, &p->next, &count);
    result = covey__mpi_migrate(p->mpi, p->leaving, p->targets, count, result);
    if (result != COVEY_OK) return result;
    covey__mpi_tree last = p->tree;
    p->tree = p->next;
    p->next = last;
    covey__mpi_ghosts_mark_all(p->mpi); /* the borders changed */
    leaving = count;
    covey__mpi_allreduce(p->mpi, &leaving, 1, MPI_UINT64_T, MPI_SUM);
    if (moved) *moved = leaving;
    return COVEY_OK;
}
