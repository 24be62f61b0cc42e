/* Finding the entities that are outside the box of their rank. */
#include "partition.h"

#include <covey/hierarchy.h>
#include <math.h>

enum { FIRST_ROOM = COVEY_PAGE_SIZE }; /* entities in the first list */

static covey_result grow_lists(covey_mpi_partition *p) {
    size_t room = p->room + (size_t)p->room / 2 + FIRST_ROOM, each = sizeof *p->leaving + sizeof *p->targets;
    covey_entity *leaving = room <= UINT32_MAX ? covey__mpi_resize(&p->mpi->allocator, NULL, 0, room * each) : NULL;
    if (!leaving) return covey__mpi_fail(p->mpi, COVEY_ERROR_MEMORY, "no memory for a list of %zu departures", room);
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

typedef struct scan {
    covey_mpi_partition *p;
    const covey__mpi_tree *tree;
    bool others;    /* some entities may not live here: ghosts, or those with covey_away */
    bool hierarchy; /* some entities have a parent or a name */
    uint32_t count;
} scan;

/* Entities with a parent move with it. */
static bool may_leave(const scan *s, covey_entity e) {
    const covey_mpi *mpi = s->p->mpi;
    return (!s->others || covey_mpi_owns(mpi, e)) && (!s->hierarchy || covey_is_null(covey_parent(mpi->world, e)));
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

/* The part of an axis that belongs to this rank, for comparisons as double and as integer. */
typedef struct part {
    double low, high;
    int64_t first;
    uint64_t width;
} part;

typedef bool outside_fn(const unsigned char *at, size_t stride, uint32_t count, const part *own);

/* Whether any number is outside. Compares four at a time without branches, because few are. */
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

/* The axes along which the box of this rank has a border, and how to compare them. */
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

static covey_result check_row(scan *s, const covey_iter *it, uint32_t row, const unsigned char *value) {
    double point[COVEY_MPI_AXES];
    covey__mpi_partition_point(s->p, value, point);
    return add_leaving(s, covey_span_entity(it, row), covey__mpi_tree_rank(s->p, s->tree, point));
}

/* Tests 64 rows of a span at a time. If one is outside, tests 8 at a time, and then each row. */
static covey_result scan_rows(scan *s, const borders *b, const covey_iter *it, uint32_t first, uint32_t end,
                              uint32_t step) {
    covey_result result = COVEY_OK;
    const unsigned char *values = covey_field_raw(it, 0);
    for (; first < end && result == COVEY_OK; first += step) {
        uint32_t count = end - first < step ? end - first : step;
        const unsigned char *at = values + first * b->stride;
        if (!any_outside(b, at, count)) continue;
        result = step == 1 ? check_row(s, it, first, at) : scan_rows(s, b, it, first, first + count, step / 8);
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

/* Calls the .place function for all entities that live here. */
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

covey_result covey__mpi_partition_list_leaving(covey_mpi_partition *p, const covey__mpi_tree *tree, uint32_t *count) {
    scan s = { .p = p, .tree = tree, .hierarchy = covey__mpi_uses_hierarchy(p->mpi) };
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
    result = covey__mpi_partition_list_leaving(partition, &partition->tree, &count);
    return covey__mpi_migrate(mpi, partition->leaving, partition->targets, count, result);
}
