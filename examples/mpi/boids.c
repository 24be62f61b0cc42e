/* Boids on a torus, over any number of ranks: each boid aligns with its neighbours, stays close, and keeps its
 * distance.
 *
 *     mpirun -n 1 boids --boids 20000 --steps 200 --write flock
 *     mpirun -n 2 boids --boids 20000 --steps 200 --compare flock
 *
 * Each rank owns a part of the torus. Boids that leave it migrate, and nearby boids of other ranks have ghosts in
 * it. Sums of floating-point numbers depend on their order, and so on the number of ranks: the digest is the same
 * only for the same number of ranks. But each boid carries a bound for its difference from another run, and
 * --compare checks each boid against it. docs/mpi.md derives the bound.
 *
 * --progress shows a progress bar on standard error. */
#include "program.h"

#include <covey/fields.h>
#include <covey/schedule.h>

#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    double x, y;
} Position;
typedef struct {
    double x, y;
} Velocity;
/* Bounds for the difference in position and velocity from a run with another number of ranks. */
typedef struct {
    double position, velocity;
} Drift;
typedef struct {
    uint32_t number;
} Boid;
COVEY_COMPONENT_DECLARE(Position);
COVEY_COMPONENT_DECLARE(Velocity);
COVEY_COMPONENT_DECLARE(Drift);
COVEY_COMPONENT_DECLARE(Boid);
COVEY_FIELDS_DEFINE(Position, f64(x), f64(y));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Velocity, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Drift, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Boid, .as_bytes = true);

/* Boids at a distance of 1 or more do not see each other. Speeds tend to CRUISE, and stay below TOP. */
#define DT 0.05
#define ALIGN 0.1
#define COHERE 0.02
#define SEPARATE 0.1
#define GAIN 1.005
#define TOP 5.0
#define CRUISE (TOP * 0.0997)
/* Pairs that are slightly too far apart count, because they may be near each other in the other run. */
#define REACH 1.001
/* Half the distance from 1 to the next double, and one percent more, for second-order terms and errors of the bound. */
#define ROUNDING (1.01 * 0x1p-53)
#define ROOT_2 1.4142135623730951

/* A copy of a boid, for its neighbours. */
typedef struct seen {
    Position at;
    Velocity v;
    Drift drift;
    covey_entity e;
} seen;

/* The cells along x or y: those of the torus, or those of the part that this rank sees. Cells are at least REACH
 * long. */
typedef struct axis {
    double origin, scale;
    uint32_t cells;
    bool wraps;
} axis;

typedef struct model {
    covey_world *world;
    covey_mpi *mpi;
    covey_mpi_partition *partition;
    uint32_t number, steps, step, rebalance_every, threads;
    uint64_t seed;
    double side;     /* of the torus */
    double halo;     /* the halo, in units of REACH; below 1 the result is wrong */
    double apart;    /* the offset of the first positions */
    double rounding; /* the error of an operation, in both runs together */
    bool one_cell;   /* compare all pairs, slowly */
    bool round_up;   /* instead of to nearest */
    axis x, y;
    seen *met, *sorted;
    uint32_t *cell;       /* of each boid in `met` */
    uint32_t *first;      /* boid of each cell in `sorted` */
    uint32_t room, cells; /* of these arrays */
} model;

/* ---- Cells -------------------------------------------------------------------------------------------------------*/

/* Makes cells for the part from `low` to `high`, and its neighbours. */
static axis axis_make(double low, double high, double side) {
    double width = high - low + 2 * REACH;
    axis a = { .wraps = width >= side, .origin = low - REACH };
    if (a.wraps) {
        width = side;
        a.origin = 0;
    }
    a.cells = (uint32_t)(width / REACH);
    a.scale = a.cells / width;
    return a;
}

static uint32_t cell_at(const axis *a, double x, double side) {
    double offset = x - a->origin;
    if (offset < 0) offset += side;
    if (offset >= side) offset -= side;
    uint32_t cell = (uint32_t)(offset * a->scale);
    return cell < a->cells ? cell : a->cells - 1;
}

/* Lists a cell and the adjacent ones. Returns how many. */
static uint32_t cells_around(const axis *a, uint32_t cell, uint32_t around[3]) {
    uint32_t count = 0, last = a->cells - 1;
    if (cell > 0 || a->wraps) around[count++] = cell > 0 ? cell - 1 : last;
    around[count++] = cell;
    if (cell < last || a->wraps) around[count++] = cell < last ? cell + 1 : 0;
    return count;
}

static void *sized(void *array, size_t size) {
    void *grown = realloc(array, size);
    if (!grown) fail(NULL, "no memory");
    return grown;
}

static void meet(model *m, uint32_t at, seen boid) {
    if (at == m->room) {
        m->room = m->room * 2 + 1024;
        m->met = sized(m->met, m->room * sizeof *m->met);
        m->sorted = sized(m->sorted, m->room * sizeof *m->sorted);
        m->cell = sized(m->cell, m->room * sizeof *m->cell);
    }
    m->met[at] = boid;
    m->cell[at] = cell_at(&m->y, boid.at.y, m->side) * m->x.cells + cell_at(&m->x, boid.at.x, m->side);
}

/* Sorts `met` by cells. The sort is stable. */
static void sort_cells(model *m, uint32_t count) {
    uint32_t cells = m->x.cells * m->y.cells;
    if (cells > m->cells) m->first = sized(m->first, (cells + 2) * sizeof *m->first);
    if (cells > m->cells) m->cells = cells;
    memset(m->first, 0, (cells + 2) * sizeof *m->first);
    for (uint32_t i = 0; i < count; i++) m->first[m->cell[i] + 2]++;
    for (uint32_t c = 2; c < cells + 2; c++) m->first[c] += m->first[c - 1];
    for (uint32_t i = 0; i < count; i++) m->sorted[m->first[m->cell[i] + 1]++] = m->met[i];
}

/* ---- Neighbours --------------------------------------------------------------------------------------------------*/

/* Sums over the neighbours of a boid. */
typedef struct sums {
    double x, y;      /* of the contributions to the acceleration */
    double weight;    /* of kernels */
    double size;      /* an upper bound for the lengths of the contributions */
    double steepness; /* of bounds for the change of acceleration per change of position */
    double drift;     /* of bounds for the change of acceleration from the drifts of neighbours */
    uint32_t count;
} sums;

/* The shorter distance around the torus. */
static double short_way(double d, double side) { return d > side / 2 ? d - side : d < -side / 2 ? d + side : d; }

/* The kernel at the square of a distance. It and its slope go to 0 continuously. */
static double kernel(double q) {
    double t = q < 1 ? 1 - q : 0;
    return t * t;
}

static void add_drift(sums *s, const seen *a, const seen *b, double q, double speed) {
    double t = q < 1 ? 1 - q : 0, w = t * t;
    double apart = a->drift.position + b->drift.position, faster = a->drift.velocity + b->drift.velocity;
    double bend = 4 * sqrt(q) * t + 8 * apart; /* of the kernel */
    double aside = w * (COHERE - SEPARATE * w), along = aside - 4 * q * t * (COHERE - 2 * SEPARATE * w);
    double pull = fmax(fabs(aside), fabs(along)) + 12 * (COHERE + SEPARATE) * apart;
    double steepness = ALIGN * (speed + faster) * bend + pull;
    s->weight += w;
    s->size += ALIGN * speed + COHERE + SEPARATE;
    s->steepness += steepness;
    s->drift += ALIGN * w * b->drift.velocity + steepness * apart;
    s->count++;
}

static void add_neighbour(sums *s, const seen *a, const seen *b, double side) {
    double dx = short_way(b->at.x - a->at.x, side), dy = short_way(b->at.y - a->at.y, side);
    double q = dx * dx + dy * dy;
    if (q > REACH * REACH) return;
    double w = kernel(q), turn = ALIGN * w, pull = w * (COHERE - SEPARATE * w);
    double ux = b->v.x - a->v.x, uy = b->v.y - a->v.y;
    s->x += turn * ux + pull * dx;
    s->y += turn * uy + pull * dy;
    add_drift(s, a, b, q, sqrt(ux * ux + uy * uy));
}

static sums look_around(const model *m, const seen *boid) {
    sums s = { 0 };
    uint32_t columns[3], rows[3];
    uint32_t across = cells_around(&m->x, cell_at(&m->x, boid->at.x, m->side), columns);
    uint32_t down = cells_around(&m->y, cell_at(&m->y, boid->at.y, m->side), rows);
    for (uint32_t r = 0; r < down; r++)
        for (uint32_t c = 0; c < across; c++) {
            uint32_t cell = rows[r] * m->x.cells + columns[c];
            for (uint32_t i = m->first[cell]; i < m->first[cell + 1]; i++)
                if (!covey_same(m->sorted[i].e, boid->e)) add_neighbour(&s, boid, &m->sorted[i], m->side);
        }
    return s;
}

static double onto_torus(double x, double side) {
    if (x < 0) x += side;
    return x >= side ? x - side : x;
}

static void move(seen *boid, const sums *s, double side) {
    Velocity v = { GAIN * boid->v.x + DT * s->x, GAIN * boid->v.y + DT * s->y };
    double root = sqrt(1 + (v.x * v.x + v.y * v.y) / (TOP * TOP));
    boid->v = (Velocity){ v.x / root, v.y / root };
    boid->at.x = onto_torus(boid->at.x + DT * boid->v.x, side);
    boid->at.y = onto_torus(boid->at.y + DT * boid->v.y, side);
}

static void widen(Drift *drift, const sums *s, const model *m, double before, double speed) {
    double acceleration = m->rounding * ((14 + s->count) * s->size + ROOT_2 * m->side * s->steepness);
    double velocity = DT * acceleration + m->rounding * (2 * (GAIN * before + DT * s->size) + 4 * speed);
    double position = m->rounding * 2 * ROOT_2 * (m->side + DT * speed);
    velocity += fabs(GAIN - DT * ALIGN * s->weight) * drift->velocity + DT * s->drift;
    drift->velocity = fmin(velocity, 2 * TOP);
    drift->position = fmin(drift->position + DT * drift->velocity + position, m->side);
}

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

/* Copies boids into their cells. */
static void sort(covey_job *job, void *context) {
    model *m = context;
    uint32_t count = 0;
    while (covey_next(&job->it)) {
        const Position *at = covey_field_const(&job->it, 0, Position);
        const Velocity *v = covey_field_const(&job->it, 1, Velocity);
        const Drift *drift = covey_field_const(&job->it, 2, Drift);
        for (uint32_t i = 0; i < job->it.count; i++)
            meet(m, count++, (seen){ at[i], v[i], drift[i], covey_span_entity(&job->it, i) });
    }
    sort_cells(m, count);
}

static double length(Velocity v) { return sqrt(v.x * v.x + v.y * v.y); }

static void fly(covey_job *job, void *context) {
    const model *m = context;
    while (covey_next(&job->it)) {
        Position *at = covey_field(&job->it, 0, Position);
        Velocity *v = covey_field(&job->it, 1, Velocity);
        Drift *drift = covey_field(&job->it, 2, Drift);
        for (uint32_t i = 0; i < job->it.count; i++) {
            seen boid = { at[i], v[i], drift[i], covey_span_entity(&job->it, i) };
            sums s = look_around(m, &boid);
            move(&boid, &s, m->side);
            widen(&boid.drift, &s, m, length(v[i]), length(boid.v));
            at[i] = boid.at;
            v[i] = boid.v;
            drift[i] = boid.drift;
        }
    }
}

/* ---- Partition ---------------------------------------------------------------------------------------------------*/

static void look_at_own_part(model *m) {
    double low[2], high[2];
    if (m->one_cell) {
        m->x = m->y = (axis){ .cells = 1 };
        return;
    }
    covey_mpi_partition_box(m->partition, covey_mpi_rank(m->mpi), low, high);
    m->x = axis_make(low[0], high[0], m->side);
    m->y = axis_make(low[1], high[1], m->side);
}

static void divide(model *m) {
    static const covey_type *const types[] = { covey_id(Position), covey_id(Velocity), covey_id(Drift), NULL };
    covey_mpi_partition_desc parts = { .type = covey_id(Position),
                                       .cuts = COVEY_MPI_BISECTION,
                                       .halo = m->halo * REACH };
    parts.axes[0] = (covey_mpi_axis){ .field = "x", .high = m->side, .wraps = true };
    parts.axes[1] = (covey_mpi_axis){ .field = "y", .high = m->side, .wraps = true };
    m->partition = covey_mpi_partition_create(m->mpi, &parts);
    if (!m->partition) fail(m->mpi, "the partition cannot be created");
    covey_mpi_ghosts_desc ghosts = { .types = types, .near = covey_mpi_partition_near, .context = m->partition };
    if (covey_mpi_ghosts_define(m->mpi, &ghosts) != COVEY_OK) fail(m->mpi, "ghosts cannot be defined");
    look_at_own_part(m);
}

/* Gives each rank the same number of boids. */
static void divide_again(model *m) {
    if (covey_mpi_partition_balance(m->partition, 0, -1, NULL) != COVEY_OK ||
        covey_mpi_ghosts_refresh(m->mpi) != COVEY_OK)
        fail(m->mpi, "boids cannot be rebalanced");
    look_at_own_part(m);
}

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

/* From 0 to 1. */
static double fraction_of(const model *m, uint64_t what, uint32_t number) {
    return (double)(random_of(m->seed, what, number) >> 11) * 0x1p-53;
}

/* A random boid. All fly in about the same direction. */
static seen hatch(const model *m, uint32_t number) {
    Velocity v = { fraction_of(m, 3, number) + 0.1, fraction_of(m, 4, number) + 0.1 };
    double speed = length(v) / CRUISE, angle = 8 * fraction_of(m, 5, number);
    return (seen){
        .at = { onto_torus(m->side * fraction_of(m, 1, number) + m->apart * cos(angle), m->side),
                onto_torus(m->side * fraction_of(m, 2, number) + m->apart * sin(angle), m->side) },
        .v = { v.x / speed, v.y / speed },
        .drift = { .position = m->apart > 0 ? m->apart + 4 * ROUNDING * m->side : 0 },
    };
}

static void settle(model *m) {
    for (uint32_t number = 0; number < m->number; number++) {
        seen boid = hatch(m, number);
        const double point[2] = { boid.at.x, boid.at.y };
        if (covey_mpi_partition_rank(m->partition, point) != covey_mpi_rank(m->mpi)) continue;
        covey_entity e =
            covey_create_with(m->world, covey_with_copies(Position, &boid.at), covey_with_copies(Velocity, &boid.v),
                              covey_with_copies(Drift, &boid.drift), covey_with(Boid, { number }));
        if (covey_is_null(e)) fail(NULL, covey_result_text(covey_world_result(m->world)));
    }
}
/* ---- Results -----------------------------------------------------------------------------------------------------*/

/* A boid in a file. Files are sorted by number. */
typedef struct record {
    Position at;
    Velocity v;
    Drift drift;
    uint64_t number;
} record;

static record *own_records(const model *m, int *count) {
    record *own = sized(NULL, (covey_mpi_owned_count(m->mpi) + 1) * sizeof *own);
    covey_view view = covey_view_of(m->world, Position, Velocity, Drift, Boid);
    covey_iter it = covey_view_iter(&view);
    *count = 0;
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            own[(*count)++] =
                (record){ covey_field_const(&it, 0, Position)[i], covey_field_const(&it, 1, Velocity)[i],
                          covey_field_const(&it, 2, Drift)[i], covey_field_const(&it, 3, Boid)[i].number };
    return own;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = ((const record *)a)->number, y = ((const record *)b)->number;
    return (x > y) - (x < y);
}

/* Gathers all boids on the first rank. Returns NULL on the others. */
static record *gather(const model *m) {
    int count, size = covey_mpi_size(m->mpi), *counts = sized(NULL, (2 * (size_t)size + 1) * sizeof *counts);
    int *starts = counts + size;
    record *own = own_records(m, &count), *all = NULL;
    if (covey_mpi_rank(m->mpi) == 0) all = sized(NULL, m->number * sizeof *all);
    count *= (int)sizeof *own;
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    starts[0] = 0;
    for (int r = 0; r < size; r++) starts[r + 1] = starts[r] + counts[r];
    if (starts[size] != (int)(m->number * sizeof *all)) fail(NULL, "the number of boids changed");
    MPI_Gatherv(own, count, MPI_BYTE, all, counts, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (all) qsort(all, m->number, sizeof *all, by_number);
    free(own);
    free(counts);
    return all;
}

static void write_file(const model *m, const record *all, const char *path) {
    FILE *file = fopen(path, "wb");
    bool written = file && fwrite(all, sizeof *all, m->number, file) == m->number;
    if (!file || fclose(file) != 0 || !written) fail(NULL, "the file of --write cannot be written");
}

static record *read_file(const model *m, const char *path) {
    record *all = sized(NULL, (m->number + 1) * sizeof *all);
    FILE *file = fopen(path, "rb");
    if (!file || fread(all, sizeof *all, m->number + 1, file) != m->number)
        fail(NULL, "the file of --compare cannot be read, or has another number of boids");
    fclose(file);
    return all;
}

/* The largest difference, and the largest ratio of a difference to its bound. */
typedef struct difference {
    double most, part;
} difference;

/* Whether the difference is within the bound. */
static bool note_difference(difference *d, double value, double bound) {
    d->most = fmax(d->most, value);
    d->part = fmax(d->part, value / bound);
    return value <= bound;
}

/* Compares all boids with those of a file, within the bounds of this run. */
static bool compare(const model *m, const record *all, const record *others) {
    difference position = { 0 }, velocity = { 0 };
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < m->number; i++) {
        const record *a = &all[i], *b = &others[i];
        double far = hypot(short_way(a->at.x - b->at.x, m->side), short_way(a->at.y - b->at.y, m->side));
        bool near = note_difference(&position, far, a->drift.position);
        bool alike = note_difference(&velocity, hypot(a->v.x - b->v.x, a->v.y - b->v.y), a->drift.velocity);
        bool bounded = 2 * a->drift.position <= REACH - 1 && a->number == i && b->number == i;
        beyond += !(near && alike && bounded);
    }
    printf("positions differ by at most %.2g, %.2g of their bound\n", position.most, position.part);
    printf("velocities differ by at most %.2g, %.2g of their bound\n", velocity.most, velocity.part);
    printf("boids beyond their bound %u\n", beyond);
    return beyond == 0;
}

/* Writes and compares files on the first rank. Returns the exit status. */
static int use_files(const model *m, const char *write, const char *other) {
    record *all = write || other ? gather(m) : NULL;
    int status = 0;
    if (all && write) write_file(m, all, write);
    if (all && other) {
        record *others = read_file(m, other);
        status = !compare(m, all, others);
        free(others);
    }
    free(all);
    return status;
}

static void print_result(const model *m) {
    const covey_type *types[] = { covey_id(Position), covey_id(Velocity), covey_id(Boid), NULL };
    int count;
    uint64_t digest;
    double total[4] = { 0 }, bounds[2] = { 0 };
    record *own = own_records(m, &count);
    for (int i = 0; i < count; i++) {
        const record *a = &own[i];
        const double values[4] = { 1, a->v.x, a->v.y, length(a->v) };
        for (int k = 0; k < 4; k++) total[k] += values[k];
        bounds[0] = fmax(bounds[0], a->drift.position);
        bounds[1] = fmax(bounds[1], a->drift.velocity);
    }
    free(own);
    if (covey_mpi_reduce_f64(m->mpi, COVEY_MPI_SUM, total, 4) != COVEY_OK ||
        covey_mpi_reduce_f64(m->mpi, COVEY_MPI_MAX, bounds, 2) != COVEY_OK ||
        covey_mpi_digest(m->mpi, types, &digest) != COVEY_OK)
        fail(m->mpi, "the result cannot be computed");
    if (covey_mpi_rank(m->mpi) != 0) return;
    printf("boids %.0f, mean speed %.3f, speed of the mean velocity %.3f\n", total[0], total[3] / total[0],
           hypot(total[1], total[2]) / total[0]);
    if (2 * bounds[0] > REACH - 1) printf("no bound: too many steps\n");
    else printf("bound %.2g for positions, %.2g for velocities\n", bounds[0], bounds[1]);
    printf("digest %016llx\n", (unsigned long long)digest);
}

/* ---- The program -------------------------------------------------------------------------------------------------*/

/* Migrates boids, and refreshes ghosts. */
static void add_exchanges(model *m, covey_schedule *schedule) {
    const covey_mpi_system exchanges[] = {
        { .mpi = m->mpi, .partition = m->partition, .system = { .name = "exchange" } },
        { .mpi = m->mpi, .ghosts = true, .system = { .name = "ghosts" } },
    };
    for (size_t i = 0; i < sizeof exchanges / sizeof *exchanges; i++)
        if (covey_mpi_system_add(schedule, &exchanges[i]) != COVEY_OK) fail(NULL, covey_schedule_failure(schedule));
}

static void add_systems(model *m, covey_schedule *schedule) {
    add_exchanges(m, schedule);
    const covey_system systems[] = {
        { .name = "sort",
          .run = sort,
          .context = m,
          .view = { .with = { covey_ids(Position, Velocity, Drift) },
                    .read = { covey_ids(Position, Velocity, Drift) } } },
        { .name = "fly",
          .run = fly,
          .context = m,
          .split = true,
          .view = { .with = { covey_ids(Position, Velocity, Drift) }, .without = { covey_id(covey_ghost) } } },
    };
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (covey_system_add(schedule, &systems[i]) != COVEY_OK) fail(NULL, covey_schedule_failure(schedule));
}

static double run(model *m, covey_schedule *schedule, bool shows_progress) {
    double begun = MPI_Wtime();
    fesetround(m->round_up ? FE_UPWARD : FE_TONEAREST);
    while (m->step < m->steps) {
        if (m->rebalance_every != 0 && m->step % m->rebalance_every == m->rebalance_every - 1) divide_again(m);
        if (covey_schedule_run(schedule) != COVEY_OK) fail(m->mpi, covey_schedule_failure(schedule));
        m->step++;
        if (shows_progress) show_progress(m->mpi, m->step, m->steps);
    }
    fesetround(FE_TONEAREST);
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begun;
}

/* --halo, --apart, --one-cell and --round-up are for tests of the bound. */
static model read_options(int argc, char **argv) {
    model m = { .seed = whole_option(argc, argv, "--seed", 1),
                .number = whole_option(argc, argv, "--boids", 20000),
                .steps = whole_option(argc, argv, "--steps", 200),
                .rebalance_every = whole_option(argc, argv, "--rebalance-every", 0),
                .threads = whole_option(argc, argv, "--threads", 1),
                .side = number_option(argc, argv, "--side", 64),
                .halo = number_option(argc, argv, "--halo", 1),
                .apart = number_option(argc, argv, "--apart", 0),
                .one_cell = has_option(argc, argv, "--one-cell"),
                .round_up = has_option(argc, argv, "--round-up"),
                .rounding = 2 * ROUNDING };
    if (m.round_up) m.rounding = 3 * ROUNDING; /* rounding up doubles the error of this run */
    if (!(m.side >= 4 && m.side <= 10000)) fail(NULL, "--side must be from 4 to 10000");
    if (m.number == 0 || m.number > 10000000) fail(NULL, "--boids must be from 1 to 10000000");
    return m;
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    model m = read_options(argc, argv);
    const covey_type *types[] = { covey_id(Position), covey_id(Velocity), covey_id(Drift), covey_id(Boid), NULL };
    covey_report report = { .result = COVEY_ERROR_MEMORY, .text = "no memory" };
    m.world = covey_world_create(NULL);
    if (m.world) m.mpi = covey_mpi_create(MPI_COMM_WORLD, m.world, &(covey_mpi_desc){ .types = types }, &report);
    if (!m.mpi) fail(NULL, report.text);
    covey_schedule *schedule = covey_schedule_create(m.world, &(covey_schedule_desc){ .threads = m.threads });
    if (!schedule) fail(NULL, "no memory");
    divide(&m);
    settle(&m);
    add_systems(&m, schedule);
    double seconds = run(&m, schedule, has_option(argc, argv, "--progress"));
    if (!has_option(argc, argv, "--quiet")) print_ranks(m.mpi, "boids", seconds);
    print_result(&m);
    int status = use_files(&m, text_option(argc, argv, "--write"), text_option(argc, argv, "--compare"));
    covey_schedule_destroy(schedule);
    covey_mpi_partition_destroy(m.partition);
    covey_mpi_destroy(m.mpi);
    covey_world_destroy(m.world);
    free(m.met);
    free(m.sorted);
    free(m.cell);
    free(m.first);
    MPI_Finalize();
    return status;
}
