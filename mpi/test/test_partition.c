/* Partitions: the rank of a point, the ranks near it, and invalid descriptions. */
#include "space.h"

#include <math.h>
#include <stdlib.h>

static const covey_entity none = { 0, 0 };

/* ---- Owners ------------------------------------------------------------------------------------------------------*/

/* A coordinate on a cut, at an end, outside, at random, or NaN. */
static double drawn(random_numbers *r, const covey_mpi_partition *p, uint32_t a, int ranks,
                    const covey_mpi_axis *axis) {
    double low[3], high[3], length = axis->high - axis->low;
    CHECK(covey_mpi_partition_box(p, (int)below(r, (uint32_t)ranks), low, high));
    switch (below(r, 9)) {
    case 0: return low[a];
    case 1: return high[a];
    case 2: return low[a] - 0.25;
    case 3: return axis->low - 0.25 * below(r, (uint32_t)(12 * length));
    case 4: return axis->high + 0.25 * below(r, (uint32_t)(12 * length));
    case 5: return below(r, 4) ? axis->low : NAN;
    case 6: return below(r, 4) ? axis->high : below(r, 2) ? INFINITY : -INFINITY;
    default: return axis->low + 0.25 * below(r, (uint32_t)(4 * length));
    }
}

static void each_point_belongs_to_one_rank(void) {
    fixture f;
    begin_points(&f);
    random_numbers r = { (uint64_t)rank };
    for (uint32_t s = 0; s < SPACES; s++) {
        const covey_mpi_partition_desc *desc = &spaces[s];
        for (int many = 1; many <= MANY; many++) {
            if (desc->cuts == COVEY_MPI_GRID && many > 16 && many % 4 != 0) continue; /* too few cells for all ranks */
            covey_mpi fake;
            covey_mpi_partition *p = pretend(&fake, &f, 0, many, desc);
            for (int i = 0; i < 60; i++) {
                double point[3] = { 0 };
                for (uint32_t a = 0; a < axes_of(desc); a++) point[a] = drawn(&r, p, a, many, &desc->axes[a]);
                CHECK(covey_mpi_partition_rank(p, point) == owner_of(p, desc, many, point));
            }
            double low[3], high[3];
            CHECK(!covey_mpi_partition_box(p, -1, low, high) && !covey_mpi_partition_box(p, many, low, high));
            covey_mpi_partition_destroy(p);
        }
    }
    end(&f);
}

/* Without weights, box sizes differ only as far as cells require. */
static void boxes_are_of_about_the_same_size(void) {
    fixture f;
    begin_points(&f);
    for (int many = 1; many <= MANY; many++)
        for (int cuts = 0; cuts < 2; cuts++) {
            covey_mpi fake;
            covey_mpi_partition_desc desc = { .type = covey_id(Point),
                                              .cuts = (covey_mpi_cuts)cuts,
                                              .axes = { AXIS(x, .high = 300), AXIS(y, .high = 200) } };
            covey_mpi_partition *p = pretend(&fake, &f, 0, many, &desc);
            for (int r = 0; r < many; r++) {
                double low[3], high[3];
                CHECK(covey_mpi_partition_box(p, r, low, high));
                double area = (high[0] - low[0]) * (high[1] - low[1]);
                CHECK(fabs(area * many / 60000 - 1) < 0.001);
            }
            covey_mpi_partition_destroy(p);
        }
    end(&f);
}

static void a_grid_has_the_shortest_borders(void) {
    fixture f;
    begin_points(&f);
    static const struct {
        int ranks, x, y;
        double high[2];
        bool wraps[2];
    } cases[] = { { 2, 1, 2, { 10, 10 }, { false } },      { 2, 2, 1, { 20, 10 }, { false } },
                  { 4, 2, 2, { 10, 10 }, { false } },      { 6, 3, 2, { 30, 20 }, { false } },
                  { 6, 6, 1, { 90, 10 }, { false } },      { 12, 3, 4, { 10, 11 }, { false } },
                  { 5, 5, 1, { 12, 4 }, { false } },       { 2, 1, 2, { 10, 15 }, { true, true } },
                  { 7, 1, 7, { 10, 11 }, { true, true } }, { 2, 2, 1, { 10, 12 }, { false, true } } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        covey_mpi fake;
        covey_mpi_partition_desc desc = { .type = covey_id(Point),
                                          .axes = { AXIS(x, .high = cases[i].high[0], .wraps = cases[i].wraps[0]),
                                                    AXIS(y, .high = cases[i].high[1], .wraps = cases[i].wraps[1]) } };
        covey_mpi_partition *p = pretend(&fake, &f, 0, cases[i].ranks, &desc);
        double low[3], high[3];
        CHECK(covey_mpi_partition_box(p, cases[i].ranks - 1, low, high));
        CHECK(fabs((high[0] - low[0]) * cases[i].x / cases[i].high[0] - 1) < 0.001);
        CHECK(fabs((high[1] - low[1]) * cases[i].y / cases[i].high[1] - 1) < 0.001);
        covey_mpi_partition_destroy(p);
    }
    end(&f);
}

/* ---- Borders, by brute force -------------------------------------------------------------------------------------*/

/* Whether a box is within reach of a coordinate, or of one of its wrapped copies. */
static bool is_near(const covey_mpi_axis *axis, double low, double high, double x, double halo) {
    bool whole = axis->kind == COVEY_KIND_I32;
    double length = axis->high - axis->low;
    if (!axis->wraps) {
        if (low == axis->low) low = -INFINITY;
        if (high == axis->high) high = INFINITY;
    }
    for (int image = -1; image <= 1; image++) {
        double at = x - x == 0 ? x + image * length : x > 0 ? 1e9 : -1e9; /* it may be infinite */
        if (image != 0 && !axis->wraps) continue;
        if (low - at <= halo && (whole ? at - (high - 1) <= halo : at - high <= halo)) return true;
    }
    return false;
}

static void check_near(const fixture *f, const covey_mpi_partition *p, const covey_mpi_partition_desc *desc, int ranks,
                       int own, covey_entity e, const double *point) {
    int found[MANY];
    bool listed[MANY] = { false };
    uint32_t count = covey_mpi_partition_near(f->world, e, found, (void *)(uintptr_t)p);
    CHECK(count < (uint32_t)ranks);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(found[i] >= 0 && found[i] < ranks && !listed[found[i]]);
        listed[found[i]] = true;
    }
    for (int r = 0; r < ranks; r++) {
        double low[3], high[3];
        bool expected = r != own;
        CHECK(covey_mpi_partition_box(p, r, low, high));
        for (uint32_t a = 0; a < axes_of(desc); a++)
            expected =
                expected && is_near(&desc->axes[a], low[a], high[a], inside(&desc->axes[a], point[a]), desc->halo);
        CHECK(listed[r] == expected);
    }
}

static void write_point(fixture *f, covey_entity e, const covey_mpi_partition_desc *desc, double *point) {
    if (desc->type == covey_id(Point)) {
        covey_set(f->world, e, Point, { (float)point[0], (float)point[1], (float)point[2] });
        return;
    }
    for (uint32_t a = 0; a < 2; a++) point[a] = point[a] < 1e6 && point[a] > -1e6 ? floor(point[a]) : 3;
    covey_set(f->world, e, Spot, { (int32_t)point[0], (int32_t)point[1] });
}

static void what_is_near_is_what_distances_say(void) {
    fixture f;
    begin_points(&f);
    random_numbers r = { 77 + (uint64_t)rank };
    covey_entity e = covey_create(f.world);
    for (uint32_t s = 0; s < SPACES; s++)
        for (int many = 1; many <= MANY; many += many < 6 ? 1 : 7) {
            static const double halos[] = { 0.125, 1.125, 3.625, 40.125 };
            covey_mpi_partition_desc desc = spaces[s];
            bool whole = desc.type == covey_id(Spot);
            if (desc.cuts == COVEY_MPI_GRID && many > 16 && many % 4 != 0) continue;
            desc.halo = whole ? (double)below(&r, 8) : halos[below(&r, 4)];
            covey_mpi fake;
            int own = (int)below(&r, (uint32_t)many);
            covey_mpi_partition *p = pretend(&fake, &f, own, many, &desc);
            for (int i = 0; i < 60; i++) {
                double point[3] = { 0 };
                for (uint32_t a = 0; a < axes_of(&desc); a++) point[a] = drawn(&r, p, a, many, &desc.axes[a]);
                write_point(&f, e, &desc, point);
                CHECK(covey_mpi_partition_place(f.world, e, p) == owner_of(p, &desc, many, point));
                check_near(&f, p, &desc, many, own, e, point);
            }
            covey_mpi_partition_destroy(p);
        }
    end(&f);
}

/* A random number with all the bits of a double. */
static double random_number(random_numbers *r) {
    double high = below(r, 1 << 27), low = below(r, 1 << 26);
    return (high * (1 << 26) + low) / ((double)(1 << 27) * (1 << 26));
}

/* Two entities that are at most the halo apart, across the ends of an axis: each is near the box of the other, in
 * spite of rounding. */
static void who_is_within_the_halo_is_never_missed(void) {
    enum { RANKS = 7 };
    fixture f;
    begin_points(&f);
    random_numbers r = { 5 + (uint64_t)rank };
    covey_entity e = covey_create(f.world);
    uint32_t pairs = 0;
    for (int i = 0; i < 5000; i++) {
        covey_mpi fake;
        int found[RANKS], other_rank = (int)below(&r, RANKS);
        double start = random_number(&r), length = 1 + random_number(&r), low[3], high[3];
        covey_mpi_partition_desc desc = {
            .type = covey_id(Mixed),
            .halo = 0.3,
            .cuts = COVEY_MPI_BISECTION,
            .axes = { { .field = "f64", .low = start, .high = start + length, .wraps = true } }
        };
        covey_mpi_partition *p = pretend(&fake, &f, 0, RANKS, &desc);
        length = desc.axes[0].high - start;
        CHECK(covey_mpi_partition_box(p, other_rank, low, high));
        bool up = below(&r, 2);
        double other = up ? nextafter(high[0], 0) : low[0], x = up ? other + desc.halo : other - desc.halo;
        if (x < start) x += length;
        if (x >= start + length) x -= length;
        double distance = fabs(x - other);
        if (distance > length / 2) distance = length - distance;
        int own = covey_mpi_partition_rank(p, &x);
        covey_mpi_partition_destroy(p);
        if (distance > desc.halo || own == other_rank) continue;
        covey_set(f.world, e, Mixed, { .f64 = x });
        p = pretend(&fake, &f, own, RANKS, &desc);
        uint32_t count = covey_mpi_partition_near(f.world, e, found, p), at = 0;
        while (at < count && found[at] != other_rank) at++;
        CHECK(at < count);
        covey_mpi_partition_destroy(p);
        pairs++;
    }
    CHECK(pairs > 1000);
    end(&f);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------*/

static double member(const Mixed *m, uint32_t i) {
    const double members[] = { m->i8,  m->u8,  m->i16, m->u16,         m->i32,
                               m->u32, m->f32, m->f64, (double)m->i64, (double)m->u64 };
    return members[i];
}

static Mixed mixed_of(random_numbers *r) {
    int32_t x[10];
    for (int i = 0; i < 10; i++) x[i] = (int32_t)below(r, 100) - (i % 2 ? 0 : 50);
    return (Mixed){ .i8 = (int8_t)x[0],
                    .u8 = (uint8_t)x[1],
                    .i16 = (int16_t)x[2],
                    .u16 = (uint16_t)x[3],
                    .i32 = x[4],
                    .u32 = (uint32_t)x[5],
                    .f32 = (float)x[6] / 4,
                    .f64 = x[8] / 8.0,
                    .i64 = x[8],
                    .u64 = (uint64_t)x[9] };
}

/* Each kind of number: by name along one axis, and by offset along the other, on all ranks. */
static void numbers_of_each_kind_are_positions(void) {
    for (uint32_t i = 0; i < 10; i++) {
        fixture f;
        begin_points(&f);
        random_numbers r = { i + 10 * (uint64_t)rank };
        const covey_field *one = &covey_fields_Mixed.at[i], *other = &covey_fields_Mixed.at[(i + 3) % 10];
        covey_mpi_partition_desc desc = {
            .type = covey_id(Mixed),
            .cuts = COVEY_MPI_BISECTION,
            .axes = { { .field = one->name, .low = -30, .high = 40, .wraps = i % 3 == 0 },
                      { .kind = other->kind, .offset = other->offset, .low = -20, .high = 60 } }
        };
        covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &desc);
        covey_entity e[40];
        CHECK(p && covey_create_many(f.world, e, 40));
        for (int k = 0; k < 40; k++) {
            Mixed value = mixed_of(&r);
            CHECK(covey_add_value(f.world, e[k], Mixed, &value));
        }
        int64_t all = 40;
        for (int round = 0; round < 2; round++) {
            CHECK(covey_mpi_partition_migrate(p) == COVEY_OK);
            covey_view view = covey_view_of(f.world, Mixed);
            covey_iter it = covey_view_iter(&view);
            covey_row row = { 0 };
            int64_t here = 0;
            while (covey_next_row(&it, &row)) {
                Mixed *m = covey_row_field(&it, row, 0, Mixed);
                double point[3] = { member(m, i), member(m, (i + 3) % 10) };
                CHECK(owner_of(p, &desc, size, point) == rank);
                Mixed next = mixed_of(&r);
                *m = next;
                here++;
            }
            CHECK(covey_mpi_reduce_i64(f.mpi, COVEY_MPI_SUM, &here, 1) == COVEY_OK && here == all * size);
        }
        covey_mpi_partition_destroy(p);
        end(&f);
    }
}

/* ---- Descriptions ------------------------------------------------------------------------------------------------*/

static void refuse(fixture *f, const covey_mpi_partition_desc *desc, covey_result result, const char *text) {
    CHECK(covey_mpi_partition_create(f->mpi, desc) == NULL);
    const covey_report *report = covey_mpi_report(f->mpi);
    if (!strstr(report->text, text)) fprintf(stderr, "%s\n", report->text);
    CHECK(report->result == result && strstr(report->text, text) != NULL);
}

static void what_cannot_be_cut_is_refused_with_a_reason(void) {
    fixture f;
    begin_points(&f);
    covey_mpi_partition_desc good = spaces[3], bad = good;
    bad.type = covey_id(Bond);
    refuse(&f, &bad, COVEY_ERROR_TYPE, "one of the .types");
    bad = good;
    bad.axes[1].offset = 9;
    refuse(&f, &bad, COVEY_ERROR_TYPE, "axis 1");
    bad = good;
    bad.axes[0].kind = COVEY_KIND_ENTITY;
    refuse(&f, &bad, COVEY_ERROR_TYPE, "not a number");
    bad = good;
    bad.axes[0].field = "x"; /* Point has no fields */
    refuse(&f, &bad, COVEY_ERROR_TYPE, "no field of this name");
    refuse(&f, &(covey_mpi_partition_desc){ .type = covey_id(Mixed), .axes = { { .field = "other", .high = 1 } } },
           COVEY_ERROR_TYPE, "not a number");
    static const double wrong[][3] = { { 5, 5, 0 },    { 5, 3, 0 },  { NAN, 3, 0 }, { 0, INFINITY, 0 },
                                       { 0, 1e17, 0 }, { 0, 1, -1 }, { 0, 1, NAN }, { 1e15, 1e15 + 1, 0 } };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bad = good;
        bad.axes[0].low = wrong[i][0];
        bad.axes[0].high = wrong[i][1];
        bad.axes[0].cell = wrong[i][2];
        refuse(&f, &bad, COVEY_ERROR_RANGE, "axis 0");
    }
    bad = spaces[8];
    bad.axes[1].cell = 1.5;
    refuse(&f, &bad, COVEY_ERROR_RANGE, "whole numbers");
    bad = good;
    bad.halo = -1;
    refuse(&f, &bad, COVEY_ERROR_RANGE, ".halo");
    refuse(&f, &(covey_mpi_partition_desc){ .type = covey_id(Point) }, COVEY_ERROR_RANGE, "needs .axes");
    for (int cuts = 0; cuts < 2 && size > 1; cuts++) {
        covey_mpi_partition_desc narrow = { .type = covey_id(Spot),
                                            .cuts = (covey_mpi_cuts)cuts,
                                            .axes = { WHOLE(x, .high = 1), WHOLE(y, .high = size - 1) } };
        refuse(&f, &narrow, COVEY_ERROR_RANGE, "cannot be cut");
        narrow.axes[1].high = size;
        covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &narrow);
        CHECK(p != NULL);
        covey_mpi_partition_destroy(p);
    }
    if (size > 1) {
        bad.halo = rank == size - 1;
        refuse(&f, &bad, COVEY_ERROR_LAYOUT, "differs from that of rank 0");
    }
    end(&f);
}

/* ---- Functions, and restarts -------------------------------------------------------------------------------------*/

static int by_number(const covey_world *world, covey_entity e, void *context) {
    const Spot *spot = covey_get(world, e, Spot);
    ++*(int *)context;
    return spot ? spot->x % size : size - 1;
}

static void a_function_decides_where_entities_live(void) {
    fixture f;
    begin_points(&f);
    int asked = 0;
    covey_mpi_partition *p =
        covey_mpi_partition_create(f.mpi, &(covey_mpi_partition_desc){ .place = by_number, .context = &asked });
    covey_mpi_partition *of_spots = covey_mpi_partition_create(
        f.mpi, &(covey_mpi_partition_desc){ .type = covey_id(Spot), .place = by_number, .context = &asked });
    covey_entity e[12];
    CHECK(p && of_spots && covey_create_many(f.world, e, 12));
    for (int i = 0; i < 8; i++) covey_add(f.world, e[i], Spot, { i, 0 });
    CHECK(covey_mpi_partition_migrate(of_spots) == COVEY_OK && asked == 8);
    for (int i = 0; i < 12; i++) CHECK(covey_mpi_owns(f.mpi, e[i]) == (i >= 8 || i % size == rank));
    CHECK(covey_mpi_partition_migrate(p) == COVEY_OK);
    for (int i = 0; i < 12; i++) CHECK(covey_mpi_owns(f.mpi, e[i]) == ((i < 8 ? i % size : size - 1) == rank));
    int ranks[4];
    double low[3], high[3];
    CHECK(covey_mpi_partition_rank(p, (double[]){ 1, 2 }) == -1 && !covey_mpi_partition_box(p, 0, low, high));
    CHECK(covey_mpi_partition_near(f.world, e[0], ranks, p) == 0);
    CHECK(covey_mpi_partition_balance(p, 1, -1, NULL) == COVEY_ERROR_REFUSED);
    covey_mpi_partition_destroy(p);
    covey_mpi_partition_destroy(of_spots);
    end(&f);
}

/* A partition chooses ghosts. Ghosts do not move, and have no weight. */
static void a_partition_chooses_ghosts(void) {
    fixture f;
    begin_points(&f);
    enum { EACH = 40 };
    const covey_type *const seen[] = { covey_id(Stamp), NULL };
    covey_mpi_partition_desc desc = { .type = covey_id(Stamp),
                                      .cuts = COVEY_MPI_BISECTION,
                                      .halo = 6,
                                      .axes = { { .kind = COVEY_KIND_U32, .high = EACH * size } } };
    covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &desc);
    CHECK(covey_mpi_ghosts_define(f.mpi, &(covey_mpi_ghosts_desc){ seen, covey_mpi_partition_near, p }) == COVEY_OK);
    for (int i = 0; i < EACH; i++) covey_add(f.world, covey_create(f.world), Stamp, { (uint32_t)(i * size + rank) });
    for (int round = 0; round < 4; round++) {
        if (round % 2) CHECK(covey_mpi_partition_balance(p, rank == 0 ? 3 : 1, -1, NULL) == COVEY_OK);
        else CHECK(covey_mpi_partition_migrate(p) == COVEY_OK);
        CHECK(covey_mpi_ghosts_refresh(f.mpi) == COVEY_OK);
        /* Each place has an entity: this rank has ghosts of all within the halo. */
        double low, high;
        int64_t here = 0, ghosts = 0;
        CHECK(covey_mpi_partition_box(p, rank, &low, &high));
        covey_view view = covey_view_make(f.world, &(covey_view_desc){ .with = { covey_id(Stamp) },
                                                                       .optional = { covey_id(covey_ghost) },
                                                                       .read = { covey_ids(Stamp, covey_ghost) } });
        covey_iter it = covey_view_iter(&view);
        covey_row row = { 0 };
        while (covey_next_row(&it, &row)) {
            double x = covey_row_field_const(&it, row, 0, Stamp)->when;
            bool ghost = covey_row_field_const(&it, row, 1, covey_ghost) != NULL;
            CHECK(ghost == (x < low || x >= high));
            CHECK(x >= low - desc.halo && x < high + desc.halo);
            *(ghost ? &ghosts : &here) += 1;
        }
        CHECK(here == (int64_t)(high - low));
        /* Entities of the first rank weighed 3; two cuts are off by half a cell each, and there is rounding. */
        int64_t weight = here + 2 * (int64_t)(low < EACH ? (high < EACH ? high : EACH) - low : 0);
        if (round == 1 && size > 1) CHECK(llabs(weight * size - (2 + size) * EACH) <= 6 * size);
        double end = EACH * size, from = low - desc.halo, to = high + desc.halo;
        CHECK(ghosts == (int64_t)((to < end ? to : end) - (from > 0 ? from : 0)) - here);
    }
    covey_mpi_partition_destroy(p);
    end(&f);
}

/* A checkpoint is loaded into boxes. */
static void a_checkpoint_is_placed_by_a_partition(void) {
    char path[64];
    int number = (int)(MPI_Wtime() * 1000);
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "partition_%d_%d", size, number);
    for (int round = 0; round < 2; round++) {
        fixture f;
        begin_points(&f);
        covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &spaces[8]);
        random_numbers r = { 9 + (uint64_t)rank };
        for (int i = 0; i < 25 && round == 0; i++) {
            covey_entity e = covey_create(f.world);
            if (i % 5) covey_add(f.world, e, Spot, { (int32_t)below(&r, 50), (int32_t)below(&r, 40) });
        }
        if (round == 0) CHECK(covey_mpi_save(f.mpi, path) == COVEY_OK);
        else CHECK(covey_mpi_load(f.mpi, path, covey_mpi_partition_place, p) == COVEY_OK);
        int64_t count = covey_mpi_owned_count(f.mpi);
        for (covey_entity e = covey_entity_next(f.world, none); round == 1 && !covey_is_null(e);
             e = covey_entity_next(f.world, e)) {
            if (!covey_mpi_owns(f.mpi, e)) continue;
            const Spot *spot = covey_get(f.world, e, Spot);
            double point[3] = { spot ? spot->x : 0, spot ? spot->y : 0 };
            CHECK((spot ? owner_of(p, &spaces[8], size, point) : covey_mpi_home(f.mpi, e)) == rank);
        }
        CHECK(covey_mpi_reduce_i64(f.mpi, COVEY_MPI_SUM, &count, 1) == COVEY_OK && count == 25 * size);
        covey_mpi_partition_destroy(p);
        end(&f);
    }
    char name[100];
    snprintf(name, sizeof name, "%s.1.%d", path, rank);
    remove(name);
    if (rank == 0) remove(path);
}

static uint32_t heard_of_mpi, heard_of_partitions;

static void note_contract(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    heard_of_mpi += strstr(what, "before its covey_mpi") != NULL;
    heard_of_partitions += strstr(what, "before a partition") != NULL;
}

static uint32_t near_none(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)world, (void)e, (void)ranks, (void)context;
    return 0;
}

static void a_world_that_ends_before_its_partition_is_heard(void) {
    counting memory = { 0 };
    covey_allocator allocator = counting_allocator(&memory);
    covey_world *world =
        covey_world_create(&(covey_world_desc){ .allocator = allocator, .log = no_log, .on_assert = note_contract });
    static const covey_type *const spot[] = { covey_id(Spot), NULL };
    covey_mpi_desc desc = { .types = all_types, .allocator = allocator };
    covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &desc, NULL);
    covey_mpi_partition *first = covey_mpi_partition_create(mpi, &spaces[8]);
    covey_mpi_partition *second = covey_mpi_partition_create(mpi, &spaces[8]);
    covey_mpi_ghosts_desc ghosts = { .types = spot, .near = near_none };
    CHECK(covey_mpi_ghosts_define(mpi, &ghosts) == COVEY_OK);
    covey_mpi_partition_destroy(first);
    heard_of_mpi = heard_of_partitions = 0;
    covey_world_destroy(world);
    CHECK(heard_of_mpi == (COVEY_ASSERT_LEVEL >= 1) && heard_of_partitions == (COVEY_ASSERT_LEVEL >= 1));
    covey_mpi_partition_destroy(second);
    covey_mpi_destroy(mpi);
    CHECK(memory.bytes == 0);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "each_point_belongs_to_one_rank", each_point_belongs_to_one_rank },
        { "boxes_are_of_about_the_same_size", boxes_are_of_about_the_same_size },
        { "a_grid_has_the_shortest_borders", a_grid_has_the_shortest_borders },
        { "what_is_near_is_what_distances_say", what_is_near_is_what_distances_say },
        { "who_is_within_the_halo_is_never_missed", who_is_within_the_halo_is_never_missed },
        { "numbers_of_each_kind_are_positions", numbers_of_each_kind_are_positions },
        { "what_cannot_be_cut_is_refused_with_a_reason", what_cannot_be_cut_is_refused_with_a_reason },
        { "a_function_decides_where_entities_live", a_function_decides_where_entities_live },
        { "a_partition_chooses_ghosts", a_partition_chooses_ghosts },
        { "a_checkpoint_is_placed_by_a_partition", a_checkpoint_is_placed_by_a_partition },
        { "a_world_that_ends_before_its_partition_is_heard", a_world_that_ends_before_its_partition_is_heard },
    };
    return RUN_TESTS(argc, argv, tests);
}
