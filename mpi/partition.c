/* Partitions: which rank a position belongs to, who is near a border, and moving those that crossed one. */
#include "partition.h"

#include <covey/hierarchy.h>
#include <math.h>

enum {
    DEFAULT_CELLS = 1 << 20,
    LISTED = COVEY_PAGE_SIZE /* room of the first list */
};
#define WHOLE_MOST 9007199254740992.0 /* 2^53: up to here a double has all whole numbers */

/* ---- Positions ---------------------------------------------------------------------------------------------------*/

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

/* The largest whole number that is not above; too large ones are whole already. */
static double floor_of(double x) {
    if (!(x > -WHOLE_MOST && x < WHOLE_MOST)) return x;
    double whole = (double)(int64_t)x;
    return whole > x ? whole - 1 : whole;
}

static double wrapped(const covey__mpi_axis *axis, double x) {
    if (x >= axis->low && x < axis->high) return x;
    double length = axis->high - axis->low;
    double inside = x - floor_of((x - axis->low) / length) * length;
    if (inside < axis->low) inside += length; /* it was rounded */
    return inside >= axis->low && inside < axis->high ? inside : axis->low;
}

static double settled(const covey__mpi_axis *axis, double x) {
    if (axis->wraps) return wrapped(axis, x);
    return x == x ? x : axis->low;
}

void covey__mpi_point(const covey_mpi_partition *p, const void *value, double *point) {
    for (uint32_t a = 0; a < p->axis_count; a++) {
        const covey__mpi_axis *axis = &p->axes[a];
        point[a] = settled(axis, number_at((const unsigned char *)value + axis->offset, axis->kind));
    }
}

static int rank_of(const covey_mpi_partition *p, const covey__mpi_tree *tree, const double *point) {
    int32_t at = p->mpi->size > 1 ? 0 : ~0;
    while (at >= 0) at = covey__mpi_descend(&tree->nodes[at], point);
    return ~at;
}

int covey_mpi_partition_rank(const covey_mpi_partition *partition, const double *point) {
    if (partition->place) return -1;
    double inside[COVEY_MPI_AXES];
    for (uint32_t a = 0; a < partition->axis_count; a++) inside[a] = settled(&partition->axes[a], point[a]);
    return rank_of(partition, &partition->tree, inside);
}

bool covey_mpi_partition_box(const covey_mpi_partition *partition, int rank, double *low, double *high) {
    if (partition->place || rank < 0 || rank >= partition->mpi->size) return false;
    const covey__mpi_box *box = &partition->tree.boxes[rank];
    for (uint32_t a = 0; a < partition->axis_count; a++) {
        low[a] = covey__mpi_edge(&partition->axes[a], box->low[a]);
        high[a] = covey__mpi_edge(&partition->axes[a], box->high[a]);
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
    covey__mpi_point(p, value, point);
    return rank_of(p, &p->tree, point);
}

/* ---- Borders -----------------------------------------------------------------------------------------------------*/

typedef struct nearby {
    const covey_mpi_partition *p;
    double point[COVEY_MPI_AXES];
    int *ranks;
    uint32_t count;
} nearby;

/* Whether a box that ends so far below a point is near it. Its end does not belong to it. */
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

/* All leaves that are near the point; the space goes on behind its ends. */
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

/* The point, and where it is seen from the other end of axes that wrap. */
static void search_images(nearby *n, uint32_t a) {
    if (a == n->p->axis_count) {
        search_near(n, 0);
        return;
    }
    const covey__mpi_axis *axis = &n->p->axes[a];
    double x = n->point[a], length = axis->high - axis->low;
    search_images(n, a + 1);
    if (axis->wraps && reaches_below(axis, x - axis->low)) {
        n->point[a] = x + length;
        search_images(n, a + 1);
    }
    if (axis->wraps && axis->high - x <= axis->reach) {
        n->point[a] = x - length;
        search_images(n, a + 1);
    }
    n->point[a] = x;
}

uint32_t covey_mpi_partition_near(const covey_world *world, covey_entity e, int *ranks, void *context) {
    nearby n = { .p = context, .ranks = ranks };
    if (n.p->place || n.p->mpi->size == 1) return 0;
    const void *value = position_of(n.p, world, e);
    if (!value || is_deep(n.p, value)) return 0;
    covey__mpi_point(n.p, value, n.point);
    search_images(&n, 0);
    return n.count;
}

/* ---- Who leaves --------------------------------------------------------------------------------------------------*/

static covey_result grow_lists(covey_mpi_partition *p) {
    size_t room = p->room + (size_t)p->room / 2 + LISTED, each = sizeof *p->leaving + sizeof *p->targets;
    covey_entity *leaving = room <= UINT32_MAX ? covey__mpi_resize(&p->mpi->allocator, NULL, 0, room * each) : NULL;
    if (!leaving)
        return covey__mpi_fail(p->mpi, COVEY_ERROR_MEMORY, "no memory for a list of %zu entities that leave", room);
    int *targets = (int *)(void *)(leaving + room);
    if (p->room != 0) {
        memcpy(leaving, p->leaving, p->room * sizeof *leaving);
        memcpy(targets, p->targets, p->room * sizeof *targets);
        covey__mpi_resize(&p->mpi->allocator, p->leaving, p->room * each, 0);
    }
    p->leaving = leaving;
    p->targets = targets;
    p->room = (uint32_t)room;
    return COVEY_OK;
}

/* What is being scanned, and what was found. */
typedef struct scan {
    covey_mpi_partition *p;
    const covey__mpi_tree *tree;
    bool others; /* there may be some that do not live here: ghosts, or those that are away, which have nothing */
    bool places; /* the world has parents */
    uint32_t count;
} scan;

/* Those with a parent go with it. */
static bool may_leave(const scan *s, covey_entity e) {
    const covey_mpi *mpi = s->p->mpi;
    return (!s->others || covey_mpi_owns(mpi, e)) && (!s->places || covey_is_null(covey_parent(mpi->world, e)));
}

static covey_result add_leaving(scan *s, covey_entity e, int target) {
    covey_mpi_partition *p = s->p;
    if (target == p->mpi->rank || !may_leave(s, e)) return COVEY_OK;
    covey_result result = s->count == p->room ? grow_lists(p) : COVEY_OK;
    if (result != COVEY_OK) return result;
    p->leaving[s->count] = e;
    p->targets[s->count++] = target;
    return COVEY_OK;
}

/* The part of an axis that is this rank's, for comparing integers and others. */
typedef struct part {
    double low, high;
    int64_t first;
    uint64_t width;
} part;

typedef bool outside_fn(const unsigned char *at, size_t stride, uint32_t count, const part *own);

/* Whether any of some numbers lies outside: four at a time, and without branches, because hardly one does. */
#define OUTSIDE(T, is_outside)                                                                                      \
    static inline unsigned is_outside_##T(const unsigned char *at, const part *own) {                               \
        T number;                                                                                                   \
        memcpy(&number, at, sizeof number);                                                                         \
        return (unsigned)(is_outside);                                                                              \
    }                                                                                                               \
    static bool outside_##T(const unsigned char *at, size_t stride, uint32_t count, const part *own) {              \
        const part o = *own;                                                                                        \
        unsigned any = 0;                                                                                           \
        for (; count >= 4; count -= 4, at += 4 * stride)                                                            \
            any |= is_outside_##T(at, &o) | is_outside_##T(at + stride, &o) | is_outside_##T(at + 2 * stride, &o) | \
                   is_outside_##T(at + 3 * stride, &o);                                                             \
        for (; count != 0; count--, at += stride) any |= is_outside_##T(at, &o);                                    \
        return any != 0;                                                                                            \
    }
#define INTEGER_OUTSIDE ((uint64_t)((int64_t)number - own->first) >= own->width)
#define OTHER_OUTSIDE (!((double)number >= own->low) | !((double)number < own->high))
OUTSIDE(int8_t, INTEGER_OUTSIDE)
OUTSIDE(int16_t, INTEGER_OUTSIDE)
OUTSIDE(int32_t, INTEGER_OUTSIDE)
OUTSIDE(uint8_t, INTEGER_OUTSIDE)
OUTSIDE(uint16_t, INTEGER_OUTSIDE)
OUTSIDE(uint32_t, INTEGER_OUTSIDE)
OUTSIDE(int64_t, OTHER_OUTSIDE)
OUTSIDE(uint64_t, OTHER_OUTSIDE)
OUTSIDE(float, OTHER_OUTSIDE)
OUTSIDE(double, OTHER_OUTSIDE)

static outside_fn *const outside[] = {
    [COVEY_KIND_I8] = outside_int8_t,    [COVEY_KIND_I16] = outside_int16_t,  [COVEY_KIND_I32] = outside_int32_t,
    [COVEY_KIND_I64] = outside_int64_t,  [COVEY_KIND_U8] = outside_uint8_t,   [COVEY_KIND_U16] = outside_uint16_t,
    [COVEY_KIND_U32] = outside_uint32_t, [COVEY_KIND_U64] = outside_uint64_t, [COVEY_KIND_F32] = outside_float,
    [COVEY_KIND_F64] = outside_double,
};

static part part_of(const covey__mpi_tree *tree, uint32_t axis) {
    part own = { .low = tree->low[axis], .high = tree->high[axis] };
    int64_t far = (int64_t)1 << 61, end = own.high < (double)far ? (int64_t)own.high : far;
    own.first = own.low > -(double)far ? (int64_t)own.low : -far;
    own.width = (uint64_t)(end - own.first);
    return own;
}

/* Axes along which this rank's box has a border, and how to compare. */
typedef struct borders {
    uint32_t count;
    size_t stride;
    part parts[COVEY_MPI_AXES];
    uint32_t offsets[COVEY_MPI_AXES];
    outside_fn *outside[COVEY_MPI_AXES];
} borders;

static borders borders_of(const scan *s) {
    borders b = { .stride = s->p->type->size };
    for (uint32_t a = 0; a < s->p->axis_count; a++) {
        const covey__mpi_axis *axis = &s->p->axes[a];
        if (s->tree->low[a] == -INFINITY && s->tree->high[a] == INFINITY) continue;
        b.parts[b.count] = part_of(s->tree, a);
        b.offsets[b.count] = axis->offset;
        b.outside[b.count++] = outside[axis->kind];
    }
    return b;
}

static bool any_outside(const borders *b, const unsigned char *values, uint32_t count) {
    for (uint32_t i = 0; i < b->count; i++)
        if (b->outside[i](values + b->offsets[i], b->stride, count, &b->parts[i])) return true;
    return false;
}

static covey_result leave_row(scan *s, const covey_iter *it, uint32_t row, const unsigned char *value) {
    double point[COVEY_MPI_AXES];
    covey__mpi_point(s->p, value, point);
    return add_leaving(s, covey_span_entity(it, row), rank_of(s->p, s->tree, point));
}

/* Rows of a span: 64 at a time, then 8 of those among which one lies outside, and then each of these. */
static covey_result scan_rows(scan *s, const borders *b, const covey_iter *it, uint32_t first, uint32_t end,
                              uint32_t step) {
    covey_result result = COVEY_OK;
    const unsigned char *values = covey_field_raw(it, 0);
    for (; first < end && result == COVEY_OK; first += step) {
        uint32_t count = end - first < step ? end - first : step;
        const unsigned char *at = values + first * b->stride;
        if (!any_outside(b, at, count)) continue;
        result = step == 1 ? leave_row(s, it, first, at) : scan_rows(s, b, it, first, first + count, step / 8);
    }
    return result;
}

static covey_result scan_positions(scan *s, covey_iter *it) {
    borders b = borders_of(s);
    covey_result result = COVEY_OK;
    while (covey_next(it))
        if (result == COVEY_OK) result = scan_rows(s, &b, it, 0, it->count, 64);
    return result;
}

/* A function is asked about those that live here. */
static covey_result scan_places(scan *s, covey_iter *it) {
    covey_mpi_partition *p = s->p;
    covey_result result = COVEY_OK;
    while (covey_next(it))
        for (uint32_t i = 0; i < it->count && result == COVEY_OK; i++) {
            covey_entity e = covey_span_entity(it, i);
            if (may_leave(s, e)) result = add_leaving(s, e, p->place(p->mpi->world, e, p->context));
        }
    return result;
}

covey_result covey__mpi_list_leaving(covey_mpi_partition *p, const covey__mpi_tree *tree, uint32_t *count) {
    scan s = { .p = p, .tree = tree, .places = covey__mpi_any_places(p->mpi) };
    s.others = !p->type || covey_pool_count(p->mpi->ghost) != 0;
    covey_view view = covey_view_make_const(
        p->mpi->world, &(covey_view_desc){ .with = { p->type }, .read = { p->type }, .include_disabled = true }, NULL);
    covey_iter it = covey_view_iter(&view);
    covey_result result = COVEY_OK;
    if (p->place) result = scan_places(&s, &it);
    else if (p->mpi->size > 1) result = scan_positions(&s, &it);
    *count = s.count;
    return result;
}

covey_result covey_mpi_partition_migrate(covey_mpi_partition *partition) {
    covey_mpi *mpi = partition->mpi;
    uint32_t count = 0;
    covey_result result = covey__mpi_enter(mpi, CALL_PARTITION_MIGRATE);
    if (result != COVEY_OK) return result;
    result = covey__mpi_list_leaving(partition, &partition->tree, &count);
    return covey__mpi_migrate(mpi, partition->leaving, partition->targets, count, result);
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

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
    if (!found) return "the type has no .fields with this name; .kind and .offset say where a number is";
    if (!is_number(axis->kind)) return "it is not a number";
    uint64_t end = (uint64_t)axis->offset + covey_kind_size(axis->kind);
    return end <= type->size ? NULL : "its .offset is outside of the value";
}

static bool is_whole(double x) { return floor_of(x) == x; }

static const char *check_numbers(const covey__mpi_axis *axis) {
    if (!(axis->low < axis->high)) return ".low is not below .high";
    if (!(axis->low >= -WHOLE_MOST && axis->high <= WHOLE_MOST)) return ".low and .high go up to 2^53";
    if (!(axis->cell >= 0 && axis->cell <= WHOLE_MOST)) return ".cell is negative, or not a number";
    if (axis->whole && !(is_whole(axis->low) && is_whole(axis->high) && is_whole(axis->cell)))
        return "of integers, .low, .high and .cell are whole numbers";
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
    /* Differences of numbers of the space are rounded by less than this. */
    double rounding = largest(largest(axis->high, -axis->low), axis->high - axis->low) / (WHOLE_MOST / 8);
    axis->reach = axis->whole ? halo : halo + rounding;
    p->axis_count++;
    return COVEY_OK;
}

static covey_result make_axes(covey_mpi_partition *p, const covey_mpi_partition_desc *desc) {
    if (!p->type || !covey__mpi_column_of(p->mpi, p->type))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_TYPE, "the .type of a partition is one of the .types that move");
    if (!(desc->halo >= 0 && desc->halo <= WHOLE_MOST))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE, "the .halo is negative, or not a number");
    covey_result result = COVEY_OK;
    for (uint32_t a = 0; a < COVEY_MPI_AXES && result == COVEY_OK; a++) {
        if (desc->axes[a].low == 0 && desc->axes[a].high == 0) break;
        result = make_axis(p, &desc->axes[a], desc->halo);
    }
    if (result == COVEY_OK && p->axis_count == 0)
        return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE,
                               "a partition has at least one of .axes, or a function .place");
    return result;
}

static covey_result prepare(covey_mpi_partition *p, const covey_mpi_partition_desc *desc) {
    p->pool = desc->type ? covey_pool_of_raw(p->mpi->world, desc->type) : NULL;
    if (desc->type && !p->pool)
        return covey__mpi_fail(p->mpi, covey_world_result(p->mpi->world), "no pool of %s", desc->type->name);
    covey_result result = p->place ? COVEY_OK : make_axes(p, desc);
    if (result != COVEY_OK || p->place) return result;
    if (!covey__mpi_cut_reserve(p))
        return covey__mpi_fail(p->mpi, COVEY_ERROR_MEMORY, "no memory for boxes of %d ranks", p->mpi->size);
    if (covey__mpi_cut(p)) return COVEY_OK;
    return covey__mpi_fail(p->mpi, COVEY_ERROR_RANGE, "the space cannot be cut into %d boxes of at least one cell",
                           p->mpi->size);
}

/* A number for what ranks must agree on. */
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
    covey__mpi_spread(p->mpi, &first, 1, MPI_UINT64_T, 0);
    if (first == own) return COVEY_OK;
    return covey__mpi_fail(p->mpi, COVEY_ERROR_LAYOUT, "describes another partition than rank 0");
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
    covey__mpi_cut_free(partition);
    if (partition->room != 0)
        covey__mpi_resize(&allocator, partition->leaving,
                          partition->room * (sizeof *partition->leaving + sizeof *partition->targets), 0);
    covey__mpi_resize(&allocator, partition, sizeof *partition, 0);
}
