/* An epidemic on a torus, over any number of ranks: agents walk at random, infect those in the same cell, and
 * recover.
 *
 *     mpirun -n 2 sir --agents 1000000 --steps 100 --save epidemic
 *     mpirun -n 3 sir --begin 100 --steps 200 --load epidemic
 *
 * --rebalance 20 makes new boxes whenever a rank took more than 20 % longer than the mean in the last 10 steps.
 * --rebalance-every 100 makes new boxes every 100 steps, so that ranks have the same number of agents.
 *
 * --trace FILE writes a trace of the last 10 steps of rank 0 for Perfetto, with the bytes and waiting time of
 * exchanges. --progress shows a progress bar on standard error.
 *
 * Each rank owns a box of cells, and agents that leave it migrate. The model is deterministic: all arithmetic is in
 * integers, and random numbers depend only on the seed, the step and the number of the agent. So the digest is the
 * same for any order of agents, and any number of ranks and threads. */
#include "program.h"

#include <covey/schedule.h>

#include <stdio.h>
#include <stdlib.h>

typedef struct {
    uint32_t number;
    uint16_t x, y;
} Agent;
typedef struct {
    uint16_t infected, recovered; /* flags */
    uint32_t until;               /* the step at which it recovers */
} Health;
COVEY_COMPONENT_DECLARE(Agent);
COVEY_COMPONENT_DECLARE(Health);
/* Sparse storage, so that agents that leave make no holes. A group keeps both components in the same order. */
COVEY_COMPONENT_DEFINE(Agent, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Health, .as_bytes = true, .storage = COVEY_STORAGE_SPARSE);

enum { MOST_SIDE = 4096, SICK_STEPS = 40, ODDS = 4 }; /* one contact in 4 infects */
enum { MEASURED = 10 };                               /* steps between comparisons of the times of ranks */

typedef struct model {
    covey_world *world;
    covey_mpi *mpi;
    covey_group *agents;
    covey_mpi_partition *boxes;
    uint32_t number, steps, step, threads;
    uint32_t rebalance, rebalance_every; /* percent; steps. 0: never */
    uint32_t side;                       /* of the torus */
    uint64_t seed;
    uint16_t *sick;         /* in each cell */
    double resumed, worked; /* the time when the last exchange ended; seconds worked since the last comparison */
} model;

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

/* Moves by -1, 0 or 1. */
static uint16_t stepped(uint32_t at, uint32_t by, uint32_t side) {
    uint32_t to = at + by + side - 1;
    return (uint16_t)(to >= side ? (to - side >= side ? to - 2 * side : to - side) : to);
}

static void walk(covey_job *job, void *context) {
    const model *m = context;
    while (covey_next(&job->it)) {
        Agent *agent = covey_field(&job->it, 0, Agent);
        for (uint32_t i = 0; i < job->it.count; i++) {
            uint64_t random = random_of(m->seed, m->step, agent[i].number);
            agent[i].x = stepped(agent[i].x, (uint32_t)(random & 0xFFFF) % 3, m->side);
            agent[i].y = stepped(agent[i].y, (uint32_t)(random >> 16 & 0xFFFF) % 3, m->side);
        }
    }
}

/* Moves agents to the ranks that own their cells. Waiting for other ranks does not count as work. */
static void exchange(covey_job *job, void *context) {
    model *m = context;
    m->worked += MPI_Wtime() - m->resumed;
    job->result = covey_mpi_partition_migrate(m->boxes);
    m->resumed = MPI_Wtime();
}

static void clear_sick(const model *m) {
    double low[COVEY_MPI_AXES], high[COVEY_MPI_AXES];
    covey_mpi_partition_box(m->boxes, covey_mpi_rank(m->mpi), low, high);
    for (uint32_t y = (uint32_t)low[1]; y < (uint32_t)high[1]; y++)
        memset(m->sick + (size_t)y * m->side + (size_t)low[0], 0, (size_t)(high[0] - low[0]) * sizeof *m->sick);
}

/* Counts the sick of each cell, and lets agents recover. */
static void count_sick(covey_job *job, void *context) {
    model *m = context;
    clear_sick(m);
    while (covey_next(&job->it)) {
        const Agent *agent = covey_field_const(&job->it, 0, Agent);
        Health *health = covey_field(&job->it, 1, Health);
        for (uint32_t i = 0; i < job->it.count; i++) {
            if (health[i].infected && health[i].until == m->step) health[i] = (Health){ .recovered = 1 };
            uint16_t *sick = &m->sick[agent[i].y * m->side + agent[i].x];
            *sick = (uint16_t)(*sick + health[i].infected);
        }
    }
}

static bool catches(const model *m, uint32_t number, uint32_t sick) {
    uint64_t random = random_of(~m->seed, m->step, number);
    for (; sick != 0; sick--, random = random_of(random, sick, number))
        if (random % ODDS == 0) return true;
    return false;
}

static void infect(covey_job *job, void *context) {
    const model *m = context;
    while (covey_next(&job->it)) {
        const Agent *agent = covey_field_const(&job->it, 0, Agent);
        Health *health = covey_field(&job->it, 1, Health);
        for (uint32_t i = 0; i < job->it.count; i++) {
            uint32_t sick = m->sick[agent[i].y * m->side + agent[i].x];
            if (sick == 0 || health[i].infected || health[i].recovered) continue;
            if (catches(m, agent[i].number, sick)) health[i] = (Health){ .infected = 1, .until = m->step + SICK_STEPS };
        }
    }
}

/* ---- Boxes -------------------------------------------------------------------------------------------------------*/

static covey_mpi_partition *make_boxes(const model *m) {
    covey_mpi_axis axis = { .kind = COVEY_KIND_U16, .high = m->side, .wraps = true };
    covey_mpi_partition_desc desc = { .type = covey_id(Agent), .cuts = COVEY_MPI_BISECTION, .axes = { axis, axis } };
    desc.axes[0].offset = offsetof(Agent, x);
    desc.axes[1].offset = offsetof(Agent, y);
    return covey_mpi_partition_create(m->mpi, &desc);
}

/* By measured times, or by the number of agents. */
static void rebalance(model *m) {
    covey_result result = COVEY_OK;
    uint32_t next = m->step + 1;
    if (m->rebalance_every != 0 && next % m->rebalance_every == 0)
        result = covey_mpi_partition_balance(m->boxes, 0, -1, NULL);
    if (result == COVEY_OK && m->rebalance != 0 && next % MEASURED == 0) {
        result = covey_mpi_partition_balance(m->boxes, m->worked, m->rebalance / 100.0, NULL);
        m->worked = 0;
    }
    if (result != COVEY_OK) fail(m->mpi, "agents cannot move");
}

static void create_agents(model *m) {
    for (uint32_t number = 0; number < m->number; number++) {
        uint64_t random = random_of(m->seed, UINT64_MAX, number);
        Agent agent = { number, (uint16_t)(random % m->side), (uint16_t)((random >> 32) % m->side) };
        if (covey_mpi_partition_rank(m->boxes, (double[]){ agent.x, agent.y }) != covey_mpi_rank(m->mpi)) continue;
        Health health = { .infected = number % 1000 == 0, .until = number % 1000 == 0 ? SICK_STEPS : 0 };
        covey_entity e = covey_create(m->world);
        if (!covey_add_value(m->world, e, Agent, &agent) || !covey_add_value(m->world, e, Health, &health))
            fail(NULL, covey_result_text(covey_world_result(m->world)));
    }
}

/* ---- The program -------------------------------------------------------------------------------------------------*/

static void add(model *m, covey_schedule *schedule, covey_system system) {
    system.context = m;
    if (covey_system_add(schedule, &system) != COVEY_OK) fail(m->mpi, covey_schedule_failure(schedule));
}

static void add_systems(model *m, covey_schedule *schedule) {
    covey_mpi_system exchanges = { .mpi = m->mpi };
    exchanges.system = (covey_system){ .name = "exchange", .run = exchange, .context = m, .exclusive = true };
    add(m, schedule, (covey_system){ .name = "walk", .run = walk, .split = true, .group = m->agents });
    if (covey_mpi_system_add(schedule, &exchanges) != COVEY_OK) fail(m->mpi, covey_schedule_failure(schedule));
    add(m, schedule, (covey_system){ .name = "count", .run = count_sick, .group = m->agents });
    add(m, schedule, (covey_system){ .name = "infect", .run = infect, .split = true, .group = m->agents });
}

static double run(model *m, covey_schedule *schedule, bool shows_progress) {
    double begun = MPI_Wtime();
    while (m->step < m->steps) {
        rebalance(m);
        m->resumed = MPI_Wtime();
        if (covey_schedule_run(schedule) != COVEY_OK) fail(m->mpi, covey_schedule_failure(schedule));
        m->worked += MPI_Wtime() - m->resumed;
        m->step++;
        if (shows_progress) show_progress(m->mpi, m->step, m->steps);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    return MPI_Wtime() - begun;
}

static void put_text(const char *text, void *file) { fputs(text, file); }

static void write_trace(const model *m, const covey_schedule *schedule, const char *path) {
    if (covey_mpi_rank(m->mpi) != 0) return;
    FILE *file = fopen(path, "w");
    if (!file) fail(NULL, "the trace cannot be written");
    covey_schedule_print_trace(schedule, put_text, file);
    if (fclose(file) != 0) fail(NULL, "the trace cannot be written");
}

static void print_result(model *m) {
    const covey_type *types[] = { covey_id(Agent), covey_id(Health), NULL };
    uint64_t digest, count;
    int64_t states[2] = { 0, 0 };
    covey_iter it = covey_group_iter(m->agents);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            states[0] += covey_field_const(&it, 1, Health)[i].infected;
            states[1] += covey_field_const(&it, 1, Health)[i].recovered;
        }
    if (covey_mpi_reduce_i64(m->mpi, COVEY_MPI_SUM, states, 2) != COVEY_OK ||
        covey_mpi_count(m->mpi, covey_group_view(m->agents), &count) != COVEY_OK ||
        covey_mpi_digest(m->mpi, types, &digest) != COVEY_OK)
        fail(m->mpi, "the result cannot be computed");
    if (covey_mpi_rank(m->mpi) == 0)
        printf("agents %llu, infected %lld, recovered %lld\ndigest %016llx\n", (unsigned long long)count,
               (long long)states[0], (long long)states[1], (unsigned long long)digest);
}

int main(int argc, char **argv) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    model m = { .seed = whole_option(argc, argv, "--seed", 1),
                .number = whole_option(argc, argv, "--agents", 100000),
                .steps = whole_option(argc, argv, "--steps", 100),
                .step = whole_option(argc, argv, "--begin", 0),
                .rebalance = whole_option(argc, argv, "--rebalance", 0),
                .rebalance_every = whole_option(argc, argv, "--rebalance-every", 0),
                .threads = whole_option(argc, argv, "--threads", 1),
                .side = whole_option(argc, argv, "--side", 1000) };
    const char *load = text_option(argc, argv, "--load"), *save = text_option(argc, argv, "--save");
    const char *trace = text_option(argc, argv, "--trace");
    const covey_type *types[] = { covey_id(Agent), covey_id(Health), NULL };
    covey_report report = { .result = COVEY_ERROR_MEMORY, .text = "no memory" };
    m.world = covey_world_create(NULL);
    if (m.world) m.mpi = covey_mpi_create(MPI_COMM_WORLD, m.world, &(covey_mpi_desc){ .types = types }, &report);
    if (m.side == 0 || m.side > MOST_SIDE) fail(NULL, "--side must be from 1 to 4096");
    m.sick = malloc((size_t)m.side * m.side * sizeof *m.sick);
    if (!m.mpi || !m.sick) fail(NULL, report.text);
    covey_schedule *schedule = covey_schedule_create(m.world, &(covey_schedule_desc){ .threads = m.threads });
    m.agents = covey_group_create(m.world, &(covey_group_desc){ .own = { covey_id(Agent), covey_id(Health) } });
    if (!schedule || !m.agents) fail(NULL, "no memory");
    m.boxes = make_boxes(&m);
    if (!m.boxes) fail(m.mpi, "the partition cannot be created");
    if (!load) create_agents(&m);
    else if (covey_mpi_load(m.mpi, load, covey_mpi_partition_place, m.boxes) != COVEY_OK)
        fail(m.mpi, "the checkpoint cannot be loaded");
    add_systems(&m, schedule);
    if (trace) covey_schedule_trace_last(schedule, 10);
    double seconds = run(&m, schedule, has_option(argc, argv, "--progress"));
    if (has_option(argc, argv, "--seconds") && covey_mpi_rank(m.mpi) == 0) printf("seconds %.4f\n", seconds);
    if (!has_option(argc, argv, "--quiet")) print_ranks(m.mpi, "agents", seconds);
    if (trace) write_trace(&m, schedule, trace);
    print_result(&m);
    if (save && covey_mpi_save(m.mpi, save) != COVEY_OK) fail(m.mpi, "the checkpoint cannot be saved");
    covey_schedule_destroy(schedule);
    covey_mpi_partition_destroy(m.boxes);
    covey_mpi_destroy(m.mpi);
    covey_world_destroy(m.world);
    free(m.sick);
    MPI_Finalize();
    return 0;
}
