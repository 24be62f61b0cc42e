/* Migration by a partition, balancing, and both while memory runs out. */
#include "space.h"

#include <math.h>
#include <stdlib.h>

static const covey_entity none = { 0, 0 };

/* ---- Random programs against an oracle ---------------------------------------------------------------------------*/

enum { MOST = 120 };

typedef struct record {
    covey_entity e;
    int owner;
    bool placed; /* it has a position */
    int parent;  /* -1, or the number of an earlier entity */
    float at[2];
} record;

typedef struct program {
    fixture f;
    random_numbers random;
    covey_mpi_partition *p;
    covey_mpi_partition_desc desc;
    record at[MOST];
    uint32_t count;
    bool moves; /* positions of this kind may be outside the space */
} program;

static float coordinate(program *p, uint32_t axis) {
    const covey_mpi_axis *a = &p->desc.axes[axis];
    float length = (float)(a->high - a->low);
    uint32_t quarters = (uint32_t)(4 * length) + (p->moves ? (uint32_t)(2 * length) : 0);
    float x = (float)a->low + (float)below(&p->random, quarters) / 4 - (p->moves ? length / 4 : 0);
    return a->kind == COVEY_KIND_I32 ? floorf(x) : x;
}

static void put(program *p, record *r) {
    if (r->owner != rank || !r->placed) return;
    if (p->desc.type == covey_id(Point)) covey_set(p->f.world, r->e, Point, { r->at[0], r->at[1], 0 });
    else covey_set(p->f.world, r->e, Spot, { (int32_t)r->at[0], (int32_t)r->at[1] });
}

static void create(program *p) {
    for (int i = 0; i < 5 && p->count < MOST; i++) {
        record *r = &p->at[p->count];
        *r = (record){ .owner = (int)below(&p->random, (uint32_t)size),
                       .placed = below(&p->random, 8) != 0,
                       .parent = -1 };
        for (uint32_t a = 0; a < 2; a++) r->at[a] = coordinate(p, a);
        if (p->count > 3 && below(&p->random, 6) == 0) {
            r->parent = (int)below(&p->random, p->count);
            r->owner = p->at[r->parent].owner;
        }
        r->e = shared(r->owner, r->owner == rank ? covey_create(p->f.world) : none);
        put(p, r);
        if (r->owner == rank && r->parent >= 0)
            CHECK(covey_parent_set(p->f.world, r->e, p->at[r->parent].e) == COVEY_OK);
        if (r->owner == rank && p->count % 7 == 0) covey_disable(p->f.world, r->e);
        p->count++;
    }
}

static void wander(program *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        if (below(&p->random, 2)) continue;
        for (uint32_t a = 0; a < 2; a++) p->at[i].at[a] = coordinate(p, a);
        put(p, &p->at[i]);
    }
}

/* The expected rank of each entity; descendants are with their root. */
static uint64_t settle(program *p) {
    uint64_t moved = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->at[i];
        int owner = r->owner;
        double point[3] = { r->at[0], r->at[1] };
        if (r->parent >= 0) r->owner = p->at[r->parent].owner;
        else if (r->placed) r->owner = owner_of(p->p, &p->desc, size, point);
        moved += r->parent < 0 && r->owner != owner;
    }
    return moved;
}

static void migrate(program *p) {
    CHECK(covey_mpi_partition_migrate(p->p) == COVEY_OK);
    settle(p);
}

static void balance(program *p) {
    uint64_t moved = 9999;
    double seconds = 0, limit = below(&p->random, 2) ? -1 : 0.25, all = 0, most = 0, before[3], after[3], high[3];
    for (int r = 0; r < size; r++) {
        double drawn_now = below(&p->random, 100);
        if (r == rank) seconds = drawn_now;
        all += drawn_now;
        if (drawn_now > most) most = drawn_now;
    }
    bool cuts = p->desc.cuts == COVEY_MPI_BISECTION;
    CHECK(covey_mpi_partition_box(p->p, rank, before, high));
    CHECK(covey_mpi_partition_balance(p->p, seconds, limit, &moved) == (cuts ? COVEY_OK : COVEY_ERROR_REFUSED));
    CHECK(covey_mpi_partition_box(p->p, rank, after, high));
    if (!cuts || (limit >= 0 && most <= 1.25 * all / size)) { /* nothing happens */
        CHECK(moved == 0 && memcmp(before, after, 2 * sizeof *before) == 0);
        return;
    }
    CHECK(settle(p) == moved);
}

static void check(const program *p) {
    const char *why = NULL;
    uint32_t here = 0;
    CHECK(covey_world_validate(p->f.world, &why));
    for (uint32_t i = 0; i < p->count; i++) {
        const record *r = &p->at[i];
        CHECK(covey_mpi_owns(p->f.mpi, r->e) == (r->owner == rank));
        here += r->owner == rank;
        if (r->owner == rank) CHECK(covey_has_raw(p->f.world, r->e, p->desc.type) == r->placed);
        if (r->owner == rank && r->placed && p->desc.type == covey_id(Point))
            CHECK(memcmp(covey_get(p->f.world, r->e, Point), r->at, sizeof r->at) == 0);
    }
    CHECK(covey_mpi_owned_count(p->f.mpi) == here);
    for (int r = 0; r < size; r++) { /* all ranks have the same boxes */
        double low[3] = { 0 }, high[3] = { 0 }, first[6];
        CHECK(covey_mpi_partition_box(p->p, r, low, high));
        memcpy(first, low, sizeof low);
        memcpy(first + 3, high, sizeof high);
        MPI_Bcast(first, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        CHECK(memcmp(first, low, sizeof low) == 0 && memcmp(first + 3, high, sizeof high) == 0);
    }
}

/* Returns a hash of everything it did. */
static uint64_t run_program(uint32_t seed, uint32_t space, uint32_t length) {
    static void (*const steps[])(program *) = { create, wander, migrate, balance };
    program *p = calloc(1, sizeof *p);
    uint64_t hash = 0;
    p->random.state = seed;
    p->desc = spaces[space];
    p->moves = seed % 2;
    begin_points(&p->f);
    p->p = covey_mpi_partition_create(p->f.mpi, &p->desc);
    CHECK(p->p != NULL);
    create(p);
    for (uint32_t step = 0; step < length; step++) {
        steps[below(&p->random, 4)](p);
        check(p);
        for (uint32_t i = 0; i < p->count; i++) hash = hash * 31 + (uint64_t)p->at[i].owner;
    }
    covey_mpi_partition_destroy(p->p);
    end(&p->f);
    free(p);
    return hash;
}

static void programs_agree_with_the_oracle(void) {
    static const uint32_t flat[] = { 0, 1, 3, 4, 7, 8, 9, 10 }; /* spaces of two axes */
    for (uint32_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        uint64_t hash = run_program(i, flat[i], size < 3 ? 60 : 30);
        if (i % 4 == 1) CHECK(run_program(i, flat[i], size < 3 ? 60 : 30) == hash); /* deterministic */
    }
}

/* ---- Balance -----------------------------------------------------------------------------------------------------*/

/* The entities in a box, and in the layer of cells on each side of a cut. */
static int64_t count_in(const int32_t (*at)[2], uint32_t count, const double *low, const double *high) {
    int64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += at[i][0] >= low[0] && at[i][0] < high[0] && at[i][1] >= low[1] && at[i][1] < high[1];
    return sum;
}

typedef struct bounds {
    const covey_mpi_partition *p;
    const int32_t (*at)[2];
    uint32_t count;
} bounds;

/* Each cut divides its box in proportion to ranks, up to half of the weight of a layer of cells. */
static int check_cuts(const bounds *b, int32_t node, const double *low, const double *high) {
    if (node < 0) return 1;
    const covey__mpi_node *n = &b->p->next.nodes[node];
    double middle_low[2] = { low[0], low[1] }, middle_high[2] = { high[0], high[1] };
    middle_low[n->axis] = middle_high[n->axis] = n->cut;
    int left = check_cuts(b, n->side[0], low, middle_high), right = check_cuts(b, n->side[1], middle_low, high);
    int64_t all = count_in(b->at, b->count, low, high), below_cut = count_in(b->at, b->count, low, middle_high);
    double before[2] = { middle_low[0], middle_low[1] }, after[2] = { middle_high[0], middle_high[1] };
    before[n->axis] -= 1;
    after[n->axis] += 1;
    int64_t layer_before = count_in(b->at, b->count, before, middle_high);
    int64_t layer_after = count_in(b->at, b->count, middle_low, after);
    int64_t most = layer_before > layer_after ? layer_before : layer_after;
    double wanted = (double)all * left / (left + right);
    CHECK(all == 0 || fabs((double)below_cut - wanted) <= (double)most / 2 + 1);
    return left + right;
}

/* On many simulated ranks, with entities crowded in corners. */
static void cuts_halve_the_weight_but_for_a_layer_of_cells(void) {
    fixture f;
    begin_points(&f);
    enum { COUNT = 200 };
    int32_t at[COUNT][2];
    random_numbers r = { 3 + (uint64_t)rank };
    covey_entity e[COUNT];
    CHECK(covey_create_many(f.world, e, COUNT));
    for (int many = 1; many <= 33; many++)
        for (int crowd = 0; crowd < 3; crowd++) {
            covey_mpi fake;
            covey_mpi_partition_desc desc = { .type = covey_id(Spot),
                                              .cuts = COVEY_MPI_BISECTION,
                                              .axes = { WHOLE(x, .high = 3000, .wraps = true),
                                                        WHOLE(y, .high = 2000) } };
            covey_mpi_partition *p = pretend(&fake, &f, 0, many, &desc);
            for (uint32_t i = 0; i < COUNT; i++) {
                bool in_crowd = crowd != 0 && i % 4 != 0;
                at[i][0] = (int32_t)below(&r, in_crowd ? 40 * (uint32_t)crowd : 3000);
                at[i][1] = (int32_t)below(&r, in_crowd ? 90 : 2000);
                covey_set(f.world, e[i], Spot, { at[i][0], at[i][1] });
            }
            covey__mpi_partition_cut_by_load(p, 1);
            bounds b = { p, (const int32_t(*)[2])at, COUNT };
            CHECK(check_cuts(&b, many > 1 ? 0 : -1, (double[]){ 0, 0 }, (double[]){ 3000, 2000 }) == many);
            covey_mpi_partition_destroy(p);
        }
    end(&f);
}

/* Slow ranks get less space. */
static void a_rank_that_takes_longer_gets_fewer(void) {
    fixture f;
    begin_points(&f);
    enum { EACH = 100 };
    covey_mpi_partition_desc desc = { .type = covey_id(Spot),
                                      .cuts = COVEY_MPI_BISECTION,
                                      .axes = { WHOLE(x, .high = 100 * size) } };
    covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &desc);
    for (int i = 0; i < EACH; i++) covey_add(f.world, covey_create(f.world), Spot, { 100 * rank + i, 0 });
    uint64_t moved = 1;
    CHECK(covey_mpi_partition_migrate(p) == COVEY_OK && covey_mpi_owned_count(f.mpi) == EACH);
    CHECK(covey_mpi_partition_balance(p, 1, 0, &moved) == COVEY_OK && moved == 0); /* equal times */
    CHECK(covey_mpi_partition_balance(p, rank == 0 ? 1.1 : 1, 0.5, &moved) == COVEY_OK &&
          moved == 0); /* within the limit */
    CHECK(covey_mpi_partition_balance(p, 0, 0, &moved) == COVEY_OK && moved == 0);
    CHECK(covey_mpi_partition_balance(p, rank == 0 ? 3 : 1, 0.2, NULL) == COVEY_OK);
    /* Entities of the first rank weigh 3, others 1. Each cell has one. */
    int64_t here = 0, weight = 0, all = (2 + size) * EACH;
    for (covey_entity e = covey_entity_next(f.world, none); !covey_is_null(e); e = covey_entity_next(f.world, e))
        if (covey_mpi_owns(f.mpi, e)) {
            here++;
            weight += covey_get(f.world, e, Spot)->x < 100 ? 3 : 1;
        }
    CHECK(size == 1 ? here == EACH
                    : llabs(weight * size - all) <= 3 * size * 2); /* two cuts, each off by half a cell, and rounding */
    CHECK(covey_mpi_partition_balance(p, 0, -1, NULL) == COVEY_OK); /* by the number of entities */
    CHECK(llabs((int64_t)covey_mpi_owned_count(f.mpi) - EACH) <= 1);
    covey_mpi_partition_destroy(p);
    end(&f);
}

static void expect_refused(fixture *f, covey_mpi_partition *p, double seconds, double limit, covey_result result,
                           const char *text) {
    CHECK(covey_mpi_partition_balance(p, seconds, limit, NULL) == result);
    if (!strstr(covey_mpi_report(f->mpi)->text, text)) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
    CHECK(strstr(covey_mpi_report(f->mpi)->text, text) != NULL);
}

static void times_that_make_no_sense_are_refused(void) {
    fixture f;
    begin_points(&f);
    bool odd = rank == size - 1;
    covey_mpi_partition *grid = covey_mpi_partition_create(f.mpi, &spaces[0]);
    covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &spaces[3]);
    expect_refused(&f, grid, 1, -1, COVEY_ERROR_REFUSED, "COVEY_MPI_BISECTION");
    expect_refused(&f, p, odd ? -1 : 1, 0, COVEY_ERROR_RANGE, "-1 is not a valid number of seconds");
    expect_refused(&f, p, odd ? NAN : 1, 0, COVEY_ERROR_RANGE, "seconds");
    expect_refused(&f, p, 1, NAN, COVEY_ERROR_RANGE, "limit");
    if (size > 1)
        expect_refused(&f, p, 1, odd ? 0.5 : 0.25, COVEY_ERROR_RANGE, "limit is 0.5 here, and 0.25 on rank 0");
    covey_mpi_partition_destroy(grid);
    covey_mpi_partition_destroy(p);
    end(&f);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

typedef covey_result collective_fn(covey_mpi_partition *p);
static covey_result move_them(covey_mpi_partition *p) { return covey_mpi_partition_migrate(p); }
static covey_result balance_them(covey_mpi_partition *p) {
    return covey_mpi_partition_balance(p, 1 + 5 * rank, -1, NULL);
}

/* A hash of the entities that live here, their positions, and the boxes. */
static uint64_t state_of(const fixture *f, const covey_mpi_partition *p) {
    uint64_t hash = covey_entity_count(f->world);
    for (covey_entity e = covey_entity_next(f->world, none); !covey_is_null(e); e = covey_entity_next(f->world, e)) {
        const Spot *spot = covey_get(f->world, e, Spot);
        hash = covey__mpi_hash(hash + covey_mpi_owns(f->mpi, e), &e, sizeof e);
        if (spot) hash = covey__mpi_hash(hash, spot, sizeof *spot);
    }
    for (int r = 0; r < size; r++) {
        double low[3] = { 0 }, high[3] = { 0 };
        CHECK(covey_mpi_partition_box(p, r, low, high));
        hash = covey__mpi_hash(covey__mpi_hash(hash, low, sizeof low), high, sizeof high);
    }
    return hash;
}

/* Whether memory ran out on one of the ranks. Ends the failing. */
static bool was_out(counting *memory) {
    int own = memory->fail_at != 0 && memory->calls >= memory->fail_at, any = 0;
    MPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    memory->fail_at = 0;
    return any != 0;
}

/* Lets one allocation of a call fail on one rank. Returns whether there was such an allocation. */
static bool fail_once(collective_fn *call, int victim, uint64_t at) {
    fixture f;
    begin_points(&f);
    covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &spaces[8]);
    random_numbers r = { (uint64_t)rank };
    for (int i = 0; i < 30; i++)
        covey_add(f.world, covey_create(f.world), Spot, { (int32_t)below(&r, 50), (int32_t)below(&r, 40) });
    uint64_t before = state_of(&f, p);
    if (rank == victim) f.memory.fail_at = f.memory.calls + at;
    covey_result result = call(p);
    bool fired = was_out(&f.memory);
    CHECK(result == COVEY_OK || (fired && result == COVEY_ERROR_MEMORY));
    if (result != COVEY_OK) CHECK(state_of(&f, p) == before && call(p) == COVEY_OK);
    covey_view view = covey_view_of(f.world, Spot);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) CHECK(covey_mpi_partition_place(f.world, covey_row_entity(&it, row), p) == rank);
    covey_mpi_partition_destroy(p);
    end(&f);
    return fired;
}

static void memory_that_is_out_on_one_rank_leaves_all_as_before(void) {
    static collective_fn *const calls[] = { move_them, balance_them };
    for (int victim = 0; victim < size && size < 3; victim++) /* many ranks on few cores are slow */
        for (int c = 0; c < 2; c++)
            for (uint64_t at = 1; fail_once(calls[c], victim, at); at++) CHECK(at < 10000);
}

static void memory_that_is_out_makes_no_partition(void) {
    bool fired = true;
    for (uint64_t at = 1; fired; at++) {
        fixture f;
        begin_points(&f);
        if (rank == size - 1) f.memory.fail_at = f.memory.calls + at;
        covey_mpi_partition *p = covey_mpi_partition_create(f.mpi, &spaces[3]);
        fired = was_out(&f.memory);
        CHECK(fired ? !p && covey_mpi_report(f.mpi)->result == COVEY_ERROR_MEMORY : p != NULL);
        covey_mpi_partition_destroy(p);
        end(&f);
    }
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "programs_agree_with_the_oracle", programs_agree_with_the_oracle },
        { "cuts_halve_the_weight_but_for_a_layer_of_cells", cuts_halve_the_weight_but_for_a_layer_of_cells },
        { "a_rank_that_takes_longer_gets_fewer", a_rank_that_takes_longer_gets_fewer },
        { "times_that_make_no_sense_are_refused", times_that_make_no_sense_are_refused },
        { "memory_that_is_out_on_one_rank_leaves_all_as_before", memory_that_is_out_on_one_rank_leaves_all_as_before },
        { "memory_that_is_out_makes_no_partition", memory_that_is_out_makes_no_partition },
    };
    return RUN_TESTS(argc, argv, tests);
}
