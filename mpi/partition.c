/* Creating partitions, and finding the rank of a position and the ranks near it. */
#include "partition.h"

#include <covey/hierarchy.h>
#include <math.h>

enum { DEFAULT_CELLS = 1 << 20 };
#define WHOLE_MOST 9007199254740992.0 /* 2^53: a double represents all whole numbers up to here */

/* ---- Positions ----------------------------------------------------------------------------------------------------*/

#define READ(T)                             \
    {                                       \
        T number;                           \
        memcpy(&number, at, sizeof number); \
        return (double)number;              \
    }

static double number_at(const unsigned char *at, covey_kind kind) {
    switch (kind) {
    case COVEY_KIND_I8: READ(int8_t)
    case COVEY_KIND_I16: READ(int16_t)
    case COVEY_KIND_I32: READ(int32_t)
    case COVEY_KIND_I64: READ(int64_t)
    case COVEY_KIND_U8: READ(uint8_t)
    case COVEY_KIND_U16: READ(uint16_t)
    case COVEY_KIND_U32: READ(uint32_t)
    case COVEY_KIND_U64: READ(uint64_t)
    case COVEY_KIND_F32: READ(float)
    default: READ(double)
    }
}

/* floor(x), without the math library. Numbers beyond 2^53 are whole already. */
static double floor_of(double x) {
    if (!(x > -WHOLE_MOST && x < WHOLE_MOST)) return x;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static double wrapped(const covey__mpi_axis *axis, double x) {
    if (x >= axis->low && x < axis->high) return x;
    double length = axis->high - axis->low;
    double inside = x - floor_of((x - axis->low) / length) * length;
    if (inside < axis->low) inside += length; /* because of rounding */
    return inside >= axis->low && inside < axis->high ? inside : axis->low;
}

static double normalized(const covey__mpi_axis *axis, double x) {
    if (axis->wraps) return wrapped(axis, x);
    return x == x ? x : axis->low;
}

void covey__mpi_partition_point(const covey_mpi_partition *p, const void *value, double *point) {
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        point[a] = normalized(axis, number_at((const unsigned char *)value + axis->offset, axis->kind));
    }
}

int covey__mpi_tree_rank(const covey_mpi_partition *p, const covey__mpi_tree *tree, const double *point) {
    int32_t at = p->mpi->size > 1 ? 0 : ~0;
    while (at >= 0) at = covey__mpi_node_descend(&tree->nodes[at], point);
    return ~at;
}

int covey_mpi_partition_rank(const covey_mpi_partition *partition, const double *point) {
    if (partition->place) return -1;
    double inside[COVEY_MPI_AXES];
    for (uint32_t a = 0; a < partition->axis_count; a++) inside[a] = normalized(&partition->axes[a], point[a]);
    return covey__mpi_tree_rank(partition, &partition->tree, inside);
}

bool covey_mpi_partition_box(const covey_mpi_partition *partition, int rank, double *low, double *high) {
    if (partition->place || rank < 0 || rank >= partition->mpi->size) return false;
    const covey__mpi_box *box = &partition->tree.boxes[rank];
    for (uint32_t a = 0; a < partition->axis_count; a++) {
        low[a] = covey__mpi_axis_edge(&partition->axes[a], box->low[a]);
        high[a] = covey__mpi_axis_edge(&partition->axes[a], box->high[a]);
    }
    return true;
}

static const void *position_of(const covey_mpi_partition *p, const covey_world *world, covey_entity e) {
    return world == p->mpi->world ? covey_pool_get_raw(p->pool, e) : covey_get_raw(world, e, p->type);
}

int covey_mpi_partition_place(const covey_world *world, covey_entity e, void *context) {
    const covey_mpi_partition *p = context;
    if (p->place) return p->place(world, e, p->context);
    double point[COVEY_MPI_AXES];
    const void *value = position_of(p, world, e);
    if (!value) return covey_mpi_home(p->mpi, e);
    covey__mpi_partition_point(p, value, point);
    return covey__mpi_tree_rank(p, &p->tree, point);
}

/* ---- Borders ------------------------------------------------------------------------------------------------------*/

typedef struct nearby {
    const covey_mpi_partition *p;
    double point[COVEY_MPI_AXES];
    int *ranks;
    uint32_t count;
} nearby;

/* Whether a box that ends at this distance below a point is near it. The end itself is outside the box. */
static bool reaches_below(const covey__mpi_axis *axis, double distance) {
    return axis->whole ? distance < axis->reach : distance <= axis->reach;
}

static bool is_deep(const covey_mpi_partition *p, const void *value) {
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        double x = number_at((const unsigned char *)value + axis->offset, axis->kind);
        bool deep =
            x >= p->tree.low[a] && !reaches_below(axis, x - p->tree.low[a]) && p->tree.high[a] - x > axis->reach;
        if (!deep) return false;
    }
    return true;
}

static void add_near(nearby *n, int rank) {
    if (rank == n->p->mpi->rank) return;
    for (uint32_t i = 0; i < n->count; i++)
        if (n->ranks[i] == rank) return;
    n->ranks[n->count++] = rank;
}

/* Adds all leaves near the point. Boxes at the ends of the space extend to infinity. */
static void search_near(nearby *n, int32_t at) {
    while (at >= 0) {
        const covey__mpi_node *node = &n->p->tree.nodes[at];
        const covey__mpi_axis *axis = &n->p->axes[node->axis];
        double distance = n->point[node->axis] - node->cut;
        bool below = distance < 0 || reaches_below(axis, distance), above = -distance <= axis->reach;
        if (below && above) search_near(n, node->side[0]);
        at = node->side[above];
    }
    add_near(n, ~at);
}

/* Searches near the point and near its copies beyond the ends of axes that wrap. */
static void search_wrapped(nearby *n, uint32_t a) {
    if (a == n->p->axis_count || a == COVEY_MPI_AXES) { /* the second: gcc 12 warns when it unrolls the recursion */
        search_near(n, 0);
        return;
    }
    const covey__mpi_axis *axis = &n->p->axes[a];
    double x = n->point[a], length = axis->high - axis->low;
    search_wrapped(n, a + 1);
    if (axis->wraps && reaches_below(axis, x - axis->low)) {
        n->point[a] = x + length;
        search_wrapped(n, a + 1);
    }
    if (axis->wraps && axis->high - x <= axis->reach) {
        n->point[a] = x - length;
        search_wrapped(n, a + 1);
    }
    n->point[a] = x;
}

uint32_t covey_mpi_partition_near(const covey_world *world, covey_entity e, int *ranks, void *context) {
    nearby n = { .p = context, .ranks = ranks };
    if (n.p->place || n.p->mpi->size == 1) return 0;
    const void *value = position_of(n.p, world, e);
    if (!value || is_deep(n.p, value)) return 0;
    covey__mpi_partition_point(n.p, value, n.point);
    search_wrapped(&n, 0);
    return n.count;
}

/* ---- Creating -----------------------------------------------------------------------------------------------------*/

static covey_result refuse_axis(covey_mpi *mpi, covey_result result, uint32_t axis, const char *why) {
    return covey__mpi_fail(mpi, result, "axis %u of the partition is refused: %s", axis, why);
}

static bool is_number(covey_kind kind) { return kind >= COVEY_KIND_I8 && kind <= COVEY_KIND_F64; }

static const char *find_field(const covey_type *type, const covey_mpi_axis *from, covey__mpi_axis *axis) {
    axis->kind = from->kind;
    axis->offset = from->offset;
    bool found = !from->field;
    for (uint32_t i = 0; type->fields && i < type->fields->count && !found; i++) {
        const covey_field *field = &type->fields->at[i];
        found = strcmp(field->name, from->field) == 0;
        axis->kind = field->kind;
        axis->offset = field->offset;
    }
    if (!found) return "the type has no field of this name; give .kind and .offset instead";
    if (!is_number(axis->kind)) return "it is not a number";
    uint64_t end = (uint64_t)axis->offset + covey_kind_size(axis->kind);
    return end <= type->size ? NULL : "its .offset is outside the value";
}

static bool is_whole(double x) { return floor_of(x) == x; }

static const char *check_numbers(const covey__mpi_axis *axis) {
    if (!(axis->low < axis->high)) return ".low must be below .high";
    if (!(axis->low >= -WHOLE_MOST && axis->high <= WHOLE_MOST)) return ".low and .high must be within 2^53";
    if (!(axis->cell >= 0 && axis->cell <= WHOLE_MOST)) return ".cell is negative or not a number";
    if (axis->whole && !(is_whole(axis->low) && is_whole(axis->high) && is_whole(axis->cell)))
        return ".low, .high and .cell of an integer axis must be whole numbers";
    return NULL;
}

static const char *make_cells(covey__mpi_axis *axis) {
    double length = axis->high - axis->low;
    if (axis->cell == 0) axis->cell = axis->whole ? 1 : length / DEFAULT_CELLS;
    if (!(length / axis->cell < WHOLE_MOST) || axis->low + axis->cell == axis->low ||
        axis->high - axis->cell == axis->high)
        return "its cells are too small";
    axis->cells = (int64_t)(length / axis->cell);
    while (axis->low + (double)axis->cells * axis->cell < axis->high) axis->cells++;
    while (axis->cells > 1 && axis->low + (double)(axis->cells - 1) * axis->cell >= axis->high) axis->cells--;
    return NULL;
}

static double largest(double a, double b) { return a > b ? a : b; }

static covey_result make_axis(covey_mpi_partition *p, const covey_mpi_axis *from, double halo) {
    covey__mpi_axis *axis = &p->axes[p->axis_count];
    *axis = (covey__mpi_axis){ .low = from->low, .high = from->high, .cell = from->cell, .wraps = from->wraps };
    const char *why = find_field(p->type, from, axis);
    if (why) return refuse_axis(p->mpi, COVEY_ERROR_TYPE, p->axis_count, why);
    axis->whole = axis->kind < COVEY_KIND_F32;
    why = check_numbers(axis);
    if (!why) why = make_cells(axis);
    if (why) return refuse_axis(p->mpi, COVEY_ERROR_RANGE, p->axis_count, why);
    /* Differences of coordinates have a rounding error below this. */
    double rounding = largest(largest(axis->high, -axis->low), axis->high - axis->low) / (WHOLE_MOST / 8);
    axis->reach = axis->whole ? halo : halo + rounding;
    p->axis_count++;
    return COVEY_OK;
}

static covey_result make_axes(covey_mpi_partition *p, const covey_mpi_partition_desc *desc) {
    if (!p->type || !covey__mpi_column_of(p->mpi, p->type))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_TYPE,
                               "the .type of a partition must be one of the .types of covey_mpi_create");
    if (!(desc->halo >= 0 && desc->halo <= WHOLE_MOST))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE, "the .halo is negative or not a number");
    covey_result result = COVEY_OK;
    for (uint32_t a = 0; a < COVEY_MPI_AXES && result == COVEY_OK; a++) {
        if (desc->axes[a].low == 0 && desc->axes[a].high == 0) break;
        result = make_axis(p, &desc->axes[a], desc->halo);
    }
    if (result == COVEY_OK && p->axis_count == 0)
        return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE, "a partition needs .axes or a function .place");
    return result;
}

static covey_result prepare(covey_mpi_partition *p, const covey_mpi_partition_desc *desc) {
    p->pool = desc->type ? covey_pool_of_raw(p->mpi->world, desc->type) : NULL;
    if (desc->type && !p->pool)
        return covey__mpi_fail(p->mpi, covey_world_result(p->mpi->world), "no pool for %s", desc->type->name);
    covey_result result = p->place ? COVEY_OK : make_axes(p, desc);
    if (result != COVEY_OK || p->place) return result;
    if (!covey__mpi_partition_reserve(p))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_MEMORY, "no memory for the boxes of %d ranks", p->mpi->size);
    if (covey__mpi_partition_cut(p)) return COVEY_OK;
    return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE, "the space cannot be cut into %d boxes of at least one cell",
                           p->mpi->size);
}

/* A hash of everything that must be equal on all ranks. */
static uint64_t description_of(const covey_mpi_partition *p) {
    uint64_t hash = covey__mpi_hash(p->cuts, &p->axis_count, sizeof p->axis_count);
    const char *name = p->type ? p->type->name : "";
    hash = covey__mpi_hash(hash + (p->place != NULL), name, strlen(name));
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        double numbers[] = { axis->low, axis->high, axis->cell, axis->reach };
        uint32_t others[] = { (uint32_t)axis->kind, axis->offset, axis->wraps };
        hash = covey__mpi_hash(hash, numbers, sizeof numbers);
        hash = covey__mpi_hash(hash, others, sizeof others);
    }
    return hash;
}

static covey_result compare(covey_mpi_partition *p) {
    uint64_t own = description_of(p), first = own;
    covey__mpi_broadcast(p->mpi, &first, 1, MPI_UINT64_T, 0);
    if (first == own) return COVEY_OK;
    return covey__mpi_fail(p->mpi, COVEY_ERROR_LAYOUT, "the description of the partition differs from that of rank 0");
}

covey_mpi_partition *covey_mpi_partition_create(covey_mpi *mpi, const covey_mpi_partition_desc *desc) {
    covey_result result = covey__mpi_enter(mpi, CALL_PARTITION);
    if (result != COVEY_OK) return NULL;
    covey_mpi_partition *p = covey__mpi_resize(&mpi->allocator, NULL, 0, sizeof *p);
    if (p) {
        *p = (covey_mpi_partition){
            .mpi = mpi, .type = desc->type, .cuts = desc->cuts, .place = desc->place, .context = desc->context
        };
        result = prepare(p, desc);
    } else {
        result = covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for a partition");
    }
    result = covey__mpi_agree(mpi, result);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, compare(p));
    if (result != COVEY_OK) {
        covey_mpi_partition_destroy(p);
        return NULL;
    }
    p->dependent.left = "a world is destroyed before a partition of it: call covey_mpi_partition_destroy first";
    covey_dependent_attach(mpi->world, &p->dependent);
    return p;
}

void covey_mpi_partition_destroy(covey_mpi_partition *partition) {
    if (!partition) return;
    covey_allocator allocator = partition->mpi->allocator;
    covey_dependent_detach(&partition->dependent);
    covey__mpi_partition_free(partition);
    if (partition->room != 0)
        covey__mpi_resize(&allocator, partition->leaving,
                          partition->room * (sizeof *partition->leaving + sizeof *partition->targets), 0);
    covey__mpi_resize(&allocator, partition, sizeof *partition, 0);
}
