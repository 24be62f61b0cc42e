/* Exchanges as systems of a schedule. */
#include "internal.h"

#include <stdio.h>

enum { NAME = 200 };

/* A resource that all systems with collective calls write. So they run one after another, in the order in which they
 * were added, on all ranks. */
static const covey_type collective_calls = { .name = "covey_mpi.collective_calls", .align = 1 };

/* The context of a system, or of the three systems of a refresh. */
typedef struct step {
    covey_mpi *mpi;
    covey_mpi_partition *partition;
    covey_allocator allocator;
    uint32_t users; /* a reference count: systems, and covey_mpi_system_add while it runs */
    /* From the description: */
    covey_system_fn *run;
    covey_when_fn *when;
    covey_merge_fn *merge;
    void (*drop)(void *context);
    void *context;
    /* For a refresh: whether it is packed and under way, in which run of the schedule, and the result of packing. */
    bool packed, begun;
    uint64_t packed_in;
    covey_result result;
} step;

static void release(void *context) {
    step *s = context;
    if (--s->users != 0) return;
    step last = *s;
    covey__mpi_resize(&last.allocator, s, sizeof *s, 0);
    if (last.drop) last.drop(last.context);
}

static bool call_when(const covey_world *world, void *context) {
    const step *s = context;
    return s->when(world, s->context);
}

static void call_merge(void *total, const void *scratch, void *context) {
    const step *s = context;
    s->merge(total, scratch, s->context);
}

/* Adds the bytes sent and received, and the time waited, since `before`. */
static void add_traffic(const step *s, covey_job *job, const covey_mpi_stats *before) {
    const covey_mpi_stats *now = &s->mpi->stats;
    job->bytes += now->bytes_sent - before->bytes_sent + now->bytes_received - before->bytes_received;
    job->blocked += now->seconds_waited - before->seconds_waited;
}

static void run_given(covey_job *job, void *context) {
    const step *s = context;
    covey_mpi_stats before = s->mpi->stats;
    s->run(job, s->context);
    add_traffic(s, job, &before);
}

static void run_migration(covey_job *job, void *context) {
    const step *s = context;
    covey_mpi_stats before = s->mpi->stats;
    job->result = covey_mpi_partition_migrate(s->partition);
    add_traffic(s, job, &before);
}

/* ---- Refreshing ghosts -------------------------------------------------------------------------------------------*/

/* All ranks make all steps, and the last step returns the result. If the run fails before that, the next collective
 * call cancels the refresh. */

static void run_pack(covey_job *job, void *context) {
    step *s = context;
    covey_mpi_stats before = s->mpi->stats;
    s->result = covey__mpi_ghosts_pack(s->mpi);
    s->begun = s->mpi->refreshing;
    s->packed = true;
    s->packed_in = job->run;
    add_traffic(s, job, &before);
}

static void run_transfer(covey_job *job, void *context) {
    step *s = context;
    covey_mpi_stats before = s->mpi->stats;
    if (s->begun && s->packed_in == job->run) covey__mpi_ghosts_transfer(s->mpi);
    add_traffic(s, job, &before);
}

static void run_apply(covey_job *job, void *context) {
    step *s = context;
    covey_mpi_stats before = s->mpi->stats;
    if (s->packed_in == job->run) job->result = s->begun ? covey__mpi_ghosts_apply(s->mpi) : s->result;
    s->packed = false;
    add_traffic(s, job, &before);
}

static bool is_packed(const covey_world *world, void *context) {
    (void)world;
    return ((const step *)context)->packed;
}

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

static covey_result refuse(const covey_mpi_system *desc, covey_result result, const char *why) {
    char text[NAME + 100];
    snprintf(text, sizeof text, "system %.*s %s", NAME, desc->system.name, why);
    return covey_world_fail(desc->mpi->world, result, text);
}

static covey_result add_one(covey_schedule *schedule, step *s, const covey_system *system) {
    covey_result result = covey_system_add(schedule, system);
    if (result == COVEY_OK) s->users++;
    return result;
}

static covey_result add_given(covey_schedule *schedule, const covey_mpi_system *desc, step *s) {
    covey_system system = desc->system;
    uint32_t used = 0;
    system.run = s->partition ? run_migration : run_given;
    system.exclusive |= s->partition != NULL;
    system.context = s;
    system.drop = release;
    if (s->when) system.when = call_when;
    if (s->merge) system.merge = call_merge;
    if (system.exclusive) return add_one(schedule, s, &system);
    while (used < COVEY_TERMS && system.resource_writes[used]) used++;
    if (used == COVEY_TERMS)
        return refuse(desc, COVEY_ERROR_RANGE,
                      "writes too many resources: remove one, because a collective call needs one");
    system.resource_writes[used] = &collective_calls;
    system.main_thread = true;
    return add_one(schedule, s, &system);
}

/* Adds all three systems, or none. */
static covey_result add_refresh(covey_schedule *schedule, const covey_mpi_system *desc, step *s) {
    const covey_system *given = &desc->system;
    char packs[NAME + 10], transfers[NAME + 10];
    if (strlen(given->name) > NAME) return refuse(desc, COVEY_ERROR_RANGE, "... has a name longer than 200 bytes");
    snprintf(packs, sizeof packs, "%s.pack", given->name);
    snprintf(transfers, sizeof transfers, "%s.transfer", given->name);
    covey_system systems[] = {
        { .name = packs,
          .run = run_pack,
          .exclusive = true,
          .every = given->every,
          .once = given->once,
          .disabled = given->disabled,
          .when = s->when ? call_when : NULL },
        { .name = transfers,
          .run = run_transfer,
          .main_thread = true,
          .resource_writes = { &collective_calls },
          .after = { packs },
          .when = is_packed },
        { .name = given->name, .run = run_apply, .exclusive = true, .after = { transfers }, .when = is_packed },
    };
    memcpy(systems[0].after, given->after, sizeof given->after);
    memcpy(systems[2].before, given->before, sizeof given->before);
    covey_result result = COVEY_OK;
    uint32_t added = 0;
    for (; added < 3 && result == COVEY_OK; added++) {
        systems[added].context = s;
        systems[added].drop = release;
        systems[added].phase = given->phase;
        result = add_one(schedule, s, &systems[added]);
    }
    if (result == COVEY_OK) return result;
    for (added--; added-- != 0;) covey_system_remove(schedule, systems[added].name);
    return result;
}

covey_result covey_mpi_system_add(covey_schedule *schedule, const covey_mpi_system *desc) {
    const covey_system *given = &desc->system;
    const covey_allocator *allocator = &desc->mpi->allocator;
    if (!given->name) return covey_world_fail(desc->mpi->world, COVEY_ERROR_TYPE, "a system needs a name: set .name");
    if ((given->run != NULL) + (desc->partition != NULL) + desc->ghosts != 1)
        return refuse(desc, COVEY_ERROR_TYPE, "needs exactly one of .run, .partition and .ghosts");
    step *s = covey__mpi_resize(allocator, NULL, 0, sizeof *s);
    if (!s) return refuse(desc, COVEY_ERROR_MEMORY, "could not be added: an allocation failed");
    *s = (step){ .mpi = desc->mpi,
                 .partition = desc->partition,
                 .allocator = *allocator,
                 .users = 1,
                 .run = given->run,
                 .when = given->when,
                 .merge = given->merge,
                 .drop = given->drop,
                 .context = given->context };
    covey_result result = (desc->ghosts ? add_refresh : add_given)(schedule, desc, s);
    if (result != COVEY_OK) s->drop = NULL;
    release(s);
    return result;
}
