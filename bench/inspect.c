/* What an inspector costs: a poll without requests, the first page of a query over a million entities, and frames of a
 * swarm while a client asks for a query, a map and the timeline ten times a second.
 *
 *     covey-bench-inspect [--entities N] [--seconds N] [--look ENDPOINT]
 *
 * The client is a separate process, on another core where there is one. Frames with and without it are measured in
 * turns, so that other load on the machine affects both; the figure is the median of rounds. Frames and polls are
 * measured in CPU time of their thread, which other load does not change. */
#define _GNU_SOURCE
#include <covey/fields.h>
#include <covey/inspect.h>
#include <covey/lookup.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct Position {
    float x, y;
} Position;
typedef Position Velocity;
typedef struct Energy {
    float left;
} Energy;
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Energy, f32(left));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Velocity, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Energy, .fields = &covey_fields_Energy);
COVEY_TAG_DEFINE(Frozen);
typedef Position Spot; /* has a lookup */
COVEY_COMPONENT_DEFINE(Spot, .fields = &covey_fields_Position, .ticks = true);

static void fail(const char *what) {
    perror(what);
    exit(EXIT_FAILURE);
}

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double now(void) { return seconds_of(CLOCK_MONOTONIC); }
/* What the thread of the frames has worked, whatever else the machine does. */
static double worked(void) { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, size_t count) {
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

/* ---- The swarm ----------------------------------------------------------------------------------------------------*/

static void blow(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Velocity *v = covey_field(&job->it, 0, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) v[i].x = v[i].x * 0.99f + 0.0001f;
    }
}

static void move(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Position *p = covey_field(&job->it, 0, Position);
        const Velocity *v = covey_field_const(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) p[i].x += v[i].x, p[i].y += v[i].y;
    }
}

static void tire(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Energy *energy = covey_field(&job->it, 0, Energy);
        const Velocity *v = covey_field_const(&job->it, 1, Velocity);
        for (uint32_t i = 0; i < job->it.count; i++) energy[i].left -= 0.0001f * (1 + v[i].x * v[i].x);
    }
}

static covey_world *make_swarm(uint32_t entities) {
    covey_world *world = covey_world_create(NULL);
    if (!world) fail("a world");
    for (uint32_t i = 0; i < entities; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { (float)(i % 1000), (float)(i / 1000) });
        covey_add(world, e, Velocity, { 0.001f, 0.002f });
        if (i % 2) covey_add(world, e, Energy, { 100 + (float)(i % 1000) });
        if (i % 50 == 0) covey_add_tag(world, e, Frozen);
    }
    return world;
}

static covey_schedule *make_schedule(covey_world *world) {
    covey_schedule *schedule = covey_schedule_create(world, &(covey_schedule_desc){ .threads = 1 });
    covey_system_add(
        schedule,
        &(covey_system){ .name = "blow", .run = blow, .split = true, .view = { .with = { covey_id(Velocity) } } });
    covey_system_add(schedule, &(covey_system){ .name = "move",
                                                .run = move,
                                                .split = true,
                                                .view = { .with = { covey_id(Position), covey_id(Velocity) },
                                                          .without = { covey_id(Frozen) },
                                                          .read = { covey_id(Velocity) } } });
    covey_system_add(schedule, &(covey_system){ .name = "tire",
                                                .run = tire,
                                                .split = true,
                                                .view = { .with = { covey_id(Energy), covey_id(Velocity) },
                                                          .read = { covey_id(Velocity) } } });
    return schedule;
}

/* ---- A client -----------------------------------------------------------------------------------------------------*/

static int dial(const char *address) {
    struct sockaddr_in to = { .sin_family = AF_INET,
                              .sin_port = htons((uint16_t)strtoul(strrchr(address, ':') + 1, NULL, 10)) };
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int made = socket(AF_INET, SOCK_STREAM, 0);
    if (made < 0 || connect(made, (struct sockaddr *)&to, sizeof to) != 0) fail("the inspector");
    return made;
}

static void send_request(int socket, const char *address, const char *path) {
    char text[1024];
    const char *host = address + strlen("http://"), *token = strstr(address, "token=") + strlen("token=");
    int length =
        snprintf(text, sizeof text, "GET /api/v1/%s HTTP/1.1\r\nHost: %.*s\r\nAuthorization: Bearer %s\r\n\r\n", path,
                 (int)strcspn(host, "/"), host, token);
    if (send(socket, text, (size_t)length, MSG_NOSIGNAL) != length) fail("sending");
}

static char reply[1 << 23];

/* Reads one reply. False: it is not whole yet, and nothing more is there now. */
static bool receive(int socket, size_t *length, int wait) {
    struct pollfd waits = { .fd = socket, .events = POLLIN };
    while (poll(&waits, 1, wait) > 0) {
        ssize_t count = recv(socket, reply + *length, sizeof reply - *length - 1, 0);
        if (count <= 0) fail("a reply");
        *length += (size_t)count;
        reply[*length] = '\0';
        const char *body = strstr(reply, "\r\n\r\n"), *said = strstr(reply, "Content-Length: ");
        if (body && said && *length >= (size_t)(body + 4 - reply) + strtoul(said + 16, NULL, 10)) return true;
    }
    return false;
}

static const char *looks[] = { "entities?query=Position,Velocity,!Frozen&columns=Position,Velocity&limit=50",
                               "map?type=Energy", "timeline?frames=10" };
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Asks for all of them ten times a second, until it is ended. */
static pid_t start_client(const char *address) {
    pid_t child = fork();
    if (child != 0) return child;
    cpu_set_t others;
    CPU_ZERO(&others);
    for (size_t i = 0; i < (size_t)sysconf(_SC_NPROCESSORS_ONLN); i++)
        if (i != (size_t)sched_getcpu()) CPU_SET(i, &others);
    sched_setaffinity(0, sizeof others, &others);
    int sockets[COUNT_OF(looks)];
    for (size_t i = 0; i < COUNT_OF(looks); i++) sockets[i] = dial(address);
    for (;;) {
        double begin = now();
        for (size_t i = 0; i < COUNT_OF(looks); i++) send_request(sockets[i], address, looks[i]);
        for (size_t i = 0; i < COUNT_OF(looks); i++) {
            size_t length = 0;
            receive(sockets[i], &length, -1);
        }
        double left = begin + 0.1 - now();
        if (left > 0) usleep((useconds_t)(left * 1e6));
    }
}

static void end_client(pid_t client) {
    kill(client, SIGTERM);
    waitpid(client, NULL, 0);
}

/* ---- Measurements -------------------------------------------------------------------------------------------------*/

static double polls(covey_inspector *inspector, uint32_t count) {
    double begin = worked();
    uint32_t frames = 0;
    for (uint32_t i = 0; i < count; i++) frames += covey_inspect_poll(inspector);
    if (frames != count) fail("paused");
    return (worked() - begin) / count * 1e9;
}

/* Milliseconds until a query is answered while the program only polls, in real time and in CPU time; and until all
 * matches are counted. */
static void measure_query(covey_inspector *inspector, const char *name, const char *path) {
    const char *address = covey_inspect_address(inspector);
    int socket = dial(address);
    double begin = now(), work = worked(), first = 0, first_work = 0;
    bool complete = false;
    while (!complete) {
        size_t length = 0;
        send_request(socket, address, path);
        while (!receive(socket, &length, 0)) covey_inspect_poll(inspector);
        if (first == 0) first = now() - begin, first_work = worked() - work;
        complete = strstr(reply, "\"complete\":true") != NULL;
    }
    const char *count = strstr(reply, "\"count\":");
    printf("%-58s %8.2f ms (work %.2f)   all counted %8.2f ms (work %.2f)   %.*s matches\n", name, first * 1e3,
           first_work * 1e3, (now() - begin) * 1e3, (worked() - work) * 1e3,
           count ? (int)strspn(count + 8, "0123456789") : 1, count ? count + 8 : "?");
    close(socket);
}

/* Milliseconds of CPU time until the cells of a grid are answered: when all places are to be filed, and afterwards. */
static void measure_cells(uint32_t entities) {
    covey_world *world = covey_world_create(NULL);
    covey_lookup *places =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = covey_id(Spot), .place = { "x", "y" }, .cell = 20 });
    if (!places) fail("a lookup");
    for (uint32_t i = 0; i < entities; i++)
        covey_add(world, covey_create(world), Spot, { (float)(i * 7919u % 1000), (float)(i * 104729u % 997) });
    covey_inspector *inspector = covey_inspect_open(world, NULL);
    if (!inspector) fail("an inspector");
    int socket = dial(covey_inspect_address(inspector));
    double work[2];
    for (int i = 0; i < 2; i++) {
        size_t length = 0;
        double begin = worked();
        send_request(socket, covey_inspect_address(inspector), "cells?lookup=0");
        while (!receive(socket, &length, 0)) covey_inspect_poll(inspector);
        work[i] = worked() - begin;
    }
    if (!strstr(reply, "\"most\"")) fail("cells");
    printf("%-58s work %.2f ms   with filing all of them %.2f ms\n", "the cells of a grid with all entities",
           work[1] * 1e3, work[0] * 1e3);
    close(socket);
    covey_inspect_close(inspector);
    covey_world_destroy(world);
}

/* The mean work of a frame, over so many seconds, and the part of it that polls were. */
typedef struct frame_work {
    double all, polls;
} frame_work;

static frame_work frames(covey_schedule *schedule, covey_inspector *inspector, double seconds) {
    double begin = now(), work = worked(), polling = 0;
    uint32_t count = 0;
    while (now() - begin < seconds) {
        double before = worked();
        uint32_t n = inspector ? covey_inspect_poll(inspector) : 1;
        polling += worked() - before;
        for (; n > 0; n--, count++) (void)covey_schedule_run(schedule);
    }
    return (frame_work){ (worked() - work) / count * 1e3, polling / count * 1e3 };
}

enum { ROUNDS = 9 };

static void measure_frames(covey_world *world, covey_schedule *schedule, double seconds) {
    double without[ROUNDS], open[ROUNDS], asked[ROUNDS], polls_asked[ROUNDS], more[ROUNDS], more_polls[ROUNDS];
    covey_inspect_desc desc = { .schedule = schedule };
    for (int i = 0; i < ROUNDS; i++) {
        without[i] = frames(schedule, NULL, seconds).all;
        covey_inspector *inspector = covey_inspect_open(world, &desc);
        if (!inspector) fail("an inspector");
        open[i] = frames(schedule, inspector, seconds).all;
        pid_t client = start_client(covey_inspect_address(inspector));
        frames(schedule, inspector, 1); /* the first answers are not like the later ones */
        frame_work work = frames(schedule, inspector, seconds);
        end_client(client);
        covey_inspect_close(inspector);
        asked[i] = work.all;
        polls_asked[i] = work.polls;
        more[i] = (work.all / without[i] - 1) * 100;
        more_polls[i] = work.polls / (work.all - work.polls) * 100;
    }
    printf("%-58s %8.3f ms\n", "a frame without an inspector", median(without, ROUNDS));
    printf("%-58s %8.3f ms\n", "a frame with one that nobody asks", median(open, ROUNDS));
    printf("%-58s %8.3f ms   of which polls %.3f ms, %.1f %%\n",
           "a frame with a query, a map and the timeline at 10 Hz", median(asked, ROUNDS), median(polls_asked, ROUNDS),
           median(more_polls, ROUNDS));
    printf("%-58s %8.1f %%    (bar: 5 %%; median of %d rounds)\n", "more than without", median(more, ROUNDS), ROUNDS);
}

int main(int argc, char **argv) {
    uint32_t entities = 1000000;
    double seconds = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--entities") == 0) entities = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seconds") == 0) seconds = strtod(argv[i + 1], NULL);
        if (strcmp(argv[i], "--look") == 0)
            looks[0] = looks[1] = looks[2] = argv[i + 1]; /* at one thing, to see what it costs */
    }
    covey_world *world = make_swarm(entities);
    covey_schedule *schedule = make_schedule(world);
    covey_inspector *inspector =
        covey_inspect_open(world, &(covey_inspect_desc){ .schedule = schedule, .requests = 100000 });
    if (!inspector) fail("an inspector");
    printf("%u entities\n", entities);
    double idle[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) idle[i] = polls(inspector, 10000000);
    printf("%-58s %8.2f ns    (bar: 1000 ns)\n", "a poll, nobody asks", median(idle, ROUNDS));
    measure_query(inspector, "first page of: Position, Velocity, !Frozen (bar: 20 ms)",
                  "entities?query=Position,Velocity,!Frozen&columns=Position");
    measure_query(inspector, "first page of: all entities, by Position.x", "entities?limit=100&sort=Position.x");
    measure_query(inspector, "first page of: all entities", "entities?limit=100");
    measure_query(inspector, "first page of: Energy.left < 101.5, one in 1,000",
                  "entities?query=Energy.left%3C101.5&columns=Energy");
    measure_query(inspector, "first page of: Position.x < -1, which none has", "entities?query=Position.x%3C-1");
    for (int i = 0; i < ROUNDS; i++) idle[i] = polls(inspector, 100000);
    printf("%-58s %8.2f ns\n", "a poll within five seconds after the last question", median(idle, ROUNDS));
    covey_inspect_close(inspector);
    measure_cells(entities);
    measure_frames(world, schedule, seconds);
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    return 0;
}
