/* What is refused, memory that runs out on one rank, and messages that are damaged. */
#include "checkpoint.h"
#include "support.h"

#include <stdlib.h>

static const covey_entity none = { 0, 0 };

/* Some entities with all components on each rank. */
enum { EACH = 20 };
typedef struct crowd {
    fixture f;
    covey_entity e[EACH];
    int to[EACH];
} crowd;

static void begin_crowd(crowd *c) {
    begin(&c->f, NULL);
    for (uint32_t i = 0; i < EACH; i++) {
        uint32_t number = (uint32_t)rank * 100 + i;
        c->e[i] = covey_create(c->f.world);
        c->to[i] = (rank + 1 + (int)i) % size;
        covey_add(c->f.world, c->e[i], Spot, { (int32_t)number, 1 });
        covey_add(c->f.world, c->e[i], Bond, { c->e[0], NULL, number });
        if (i % 2) covey_add(c->f.world, c->e[i], Note, { number % 50 + 1, make_note(number).text });
        if (i % 3) covey_add_tag(c->f.world, c->e[i], Marked);
        if (i % 4 == 0) covey_disable(c->f.world, c->e[i]);
        if (i % 5 == 0) covey_name_set(c->f.world, c->e[i], (char[]){ (char)('a' + rank), (char)('a' + (int)i), 0 });
    }
}

/* A hash of all bytes that this rank would save, and of all handles. A failure must not change it. */
static uint64_t state_of(const crowd *c) {
    covey_buffer image = { .bytes = NULL };
    CHECK(covey_save_to_buffer(c->f.world, &image, NULL, NULL) == COVEY_OK);
    uint64_t hash = 0;
    for (covey_entity e = covey_entity_next(c->f.world, none); !covey_is_null(e);
         e = covey_entity_next(c->f.world, e)) {
        const covey_type *types[16];
        uint32_t count = covey_types_of(c->f.world, e, types, 16);
        hash = covey__mpi_hash(hash + count, &e, sizeof e);
        for (uint32_t i = 0; i < count; i++) hash = covey__mpi_hash(hash, types[i]->name, strlen(types[i]->name));
        hash += (uint64_t)covey_is_enabled(c->f.world, e) + (covey_name(c->f.world, e) ? 2 : 0);
        const Spot *spot = covey_get(c->f.world, e, Spot);
        if (spot) hash = covey__mpi_hash(hash, spot, sizeof *spot);
    }
    covey_buffer_free(&image);
    return hash;
}

static void expect(crowd *c, const covey_entity *e, const int *to, uint32_t count, covey_result result,
                   const char *text) {
    uint64_t before = state_of(c);
    CHECK(covey_mpi_migrate(c->f.mpi, e, to, count) == result);
    const covey_report *report = covey_mpi_report(c->f.mpi);
    CHECK(report->result == result);
    if (!strstr(report->text, text)) fprintf(stderr, "%s\n", report->text);
    CHECK(strstr(report->text, text) != NULL);
    CHECK(state_of(c) == before);
}

/* The last rank makes an invalid call. No rank changes. */
static void what_cannot_leave_is_named_and_nobody_leaves(void) {
    crowd c;
    begin_crowd(&c);
    int last = size - 1, other = 0;
    bool wrong = rank == last;
    char names[32];
    snprintf(names, sizeof names, "rank %d: ", last);
    covey_entity twice[2] = { c.e[1], c.e[1] }, gone = covey_create(c.f.world);
    covey_destroy(c.f.world, gone);
    if (size > 1) {
        expect(&c, wrong ? &gone : c.e, wrong ? &other : c.to, 1, COVEY_ERROR_DEAD, names);
        expect(&c, wrong ? &gone : c.e, wrong ? &other : c.to, 1, COVEY_ERROR_DEAD, "not alive");
        expect(&c, wrong ? twice : c.e, wrong ? (int[]){ 0, 0 } : c.to, wrong ? 2 : 1, COVEY_ERROR_PRESENT, "twice");
        if (wrong) covey_add(c.f.world, c.e[2], Mood, { 1 });
        static const covey_type secret = { .name = "Secret", .size = 4, .align = 4, .as_bytes = true };
        if (wrong) CHECK(covey_add_raw(c.f.world, c.e[3], &secret, NULL));
        expect(&c, c.e + 3, wrong ? &other : c.to, wrong, COVEY_ERROR_TYPE, "cannot leave with Secret");
    }
    expect(&c, c.e, wrong ? &size : &rank, 1, COVEY_ERROR_RANGE, "cannot go to rank");
    CHECK(covey_mpi_migrate(c.f.mpi, c.e, c.to, rank == last ? 0 : EACH) == COVEY_OK);
    if (size > 1 && rank == 0) other = 1;
    covey_entity away = rank != last && size > 1 ? c.e[0] : none;
    if (size > 1) expect(&c, &away, &other, rank == 0, COVEY_ERROR_DEAD, "away");
    end(&c.f);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------
 *
 * Each allocation of the world and of the library fails in turn, on each rank in turn. With 3 and 4 ranks, which share
 * few cores, a random selection of allocations fails. */

typedef struct operation {
    void (*prepare)(crowd *c);
    covey_result (*run)(crowd *c);
    void (*check)(const crowd *c); /* checks the effect */
} operation;

/* The next allocation to fail, the same on all ranks. */
static uint64_t next_failure(random_numbers *r, uint64_t at) { return at + (size < 3 ? 1 : 1 + below(r, 16)); }

/* Returns whether an allocation has failed. */
static bool fail_at(const operation *o, int victim, uint64_t at) {
    crowd c;
    begin_crowd(&c);
    if (o->prepare) o->prepare(&c);
    uint64_t before = state_of(&c);
    if (rank == victim) c.f.memory.fail_at = c.f.memory.calls + at;
    covey_result result = o->run(&c);
    bool fired = over_all(c.f.memory.fail_at != 0 && c.f.memory.calls >= c.f.memory.fail_at, MPI_MAX) != 0;
    c.f.memory.fail_at = 0;
    CHECK(result == COVEY_OK || (fired && result == COVEY_ERROR_MEMORY));
    if (result != COVEY_OK) {
        char names[32];
        const char *why = NULL;
        snprintf(names, sizeof names, "rank %d: ", victim);
        CHECK(strncmp(covey_mpi_report(c.f.mpi)->text, names, strlen(names)) == 0);
        CHECK(state_of(&c) == before);
        CHECK(covey_world_validate(c.f.world, &why));
        CHECK(o->run(&c) == COVEY_OK);
    }
    o->check(&c);
    end(&c.f);
    return fired;
}

static void fail_in_turn(const operation *o) {
    random_numbers r = { 7 };
    for (int victim = 0; victim < size; victim++) {
        uint64_t at = 1;
        while (fail_at(o, victim, at)) at = next_failure(&r, at);
        CHECK(at > 1);
    }
}

static covey_result migrate_all(crowd *c) { return covey_mpi_migrate(c->f.mpi, c->e, c->to, EACH); }

static void all_are_there(const crowd *c) {
    for (uint32_t i = 0; i < EACH; i++) CHECK(covey_mpi_owns(c->f.mpi, c->e[i]) == (c->to[i] == rank));
}

static void memory_that_is_out_on_one_rank_fails_the_exchange_on_all(void) {
    fail_in_turn(&(operation){ NULL, migrate_all, all_are_there });
}

/* Makes the next call allocate. */
static void drop_scratch(covey_mpi *mpi) {
    covey__mpi_scratch_free(mpi);
    memset(mpi->scratch, 0, sizeof mpi->scratch);
}

static bool is_destroyed(const covey_world *world, covey_entity e) {
    const Spot *spot = covey_get(world, e, Spot);
    return spot && spot->x % 2 == 0;
}

/* Destroys guests with even numbers. */
static void destroy_guests(crowd *c) {
    CHECK(migrate_all(c) == COVEY_OK);
    covey_entity e = covey_entity_next(c->f.world, none);
    while (!covey_is_null(e)) {
        covey_entity next = covey_entity_next(c->f.world, e);
        if (covey_mpi_home(c->f.mpi, e) != rank && is_destroyed(c->f.world, e)) CHECK(covey_destroy(c->f.world, e));
        e = next;
    }
    drop_scratch(c->f.mpi);
}

static covey_result reclaim(crowd *c) { return covey_mpi_reclaim(c->f.mpi); }

static void ends_are_known(const crowd *c) {
    for (uint32_t i = 0; i < EACH; i++)
        CHECK(covey_alive(c->f.world, c->e[i]) == (c->to[i] == rank || (rank * 100 + (int)i) % 2 != 0));
}

static double numbers[100];

static void set_numbers(crowd *c) {
    drop_scratch(c->f.mpi);
    for (int i = 0; i < 100; i++) numbers[i] = rank + i;
}

static covey_result reduce(crowd *c) { return covey_mpi_reduce_f64(c->f.mpi, COVEY_MPI_SUM, numbers, 100); }

static void numbers_are_sums(const crowd *c) {
    (void)c;
    for (int i = 0; i < 100; i++) CHECK(numbers[i] == size * (size - 1) / 2 + size * i);
}

static void memory_that_is_out_fails_reclaiming_and_reducing_on_all(void) {
    fail_in_turn(&(operation){ destroy_guests, reclaim, ends_are_known });
    fail_in_turn(&(operation){ set_numbers, reduce, numbers_are_sums });
}

static bool fail_start(int victim, uint64_t at) {
    counting memory = { 0 };
    covey_world *world =
        covey_world_create(&(covey_world_desc){ .allocator = counting_allocator(&memory), .log = no_log });
    if (rank == victim) memory.fail_at = memory.calls + at;
    covey_report report;
    covey_mpi_desc desc = { .types = all_types, .allocator = counting_allocator(&memory) };
    if (COVEY_INDEX_BITS < 16) desc.range_size = COVEY_NONE / 4;
    covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &desc, &report);
    bool fired = over_all(memory.fail_at != 0 && memory.calls >= memory.fail_at, MPI_MAX) != 0;
    int all = over_all(mpi != NULL, MPI_SUM);
    CHECK(all == 0 || all == size);
    CHECK(mpi || (fired && report.result == COVEY_ERROR_MEMORY));
    covey_mpi_destroy(mpi);
    covey_world_destroy(world);
    CHECK(memory.bytes == 0);
    return fired;
}

static void memory_that_is_out_at_the_start_is_told_to_all(void) {
    random_numbers r = { 9 };
    for (int victim = 0; victim < size; victim++) {
        uint64_t at = 1;
        while (fail_start(victim, at)) at = next_failure(&r, at);
        CHECK(at > 1);
    }
}

/* ---- The start ---------------------------------------------------------------------------------------------------*/

static void refuse_start(const covey_type *const *types, bool used, covey_result result, const char *text) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .log = no_log });
    for (int i = 0; used && i < 3; i++) covey_create(world);
    covey_report report;
    covey_mpi *mpi = covey_mpi_create(MPI_COMM_WORLD, world, &(covey_mpi_desc){ .types = types }, &report);
    CHECK(!mpi && report.result == result);
    if (!strstr(report.text, text)) fprintf(stderr, "%s\n", report.text);
    CHECK(strstr(report.text, text) != NULL);
    covey_world_destroy(world);
}

static void a_rank_with_another_layout_is_named(void) {
    static const covey_type bigger = { .name = "Spot", .size = 12, .align = 4, .as_bytes = true };
    static const covey_type renamed = { .name = "Sport", .size = 8, .align = 4, .as_bytes = true };
    static const covey_field swapped_at[] = { { "y", COVEY_KIND_I32, 0, 1, NULL, { 0 } },
                                              { "x", COVEY_KIND_I32, 4, 1, NULL, { 0 } } };
    static const covey_field right_at[] = { { "x", COVEY_KIND_I32, 0, 1, NULL, { 0 } },
                                            { "y", COVEY_KIND_I32, 4, 1, NULL, { 0 } } };
    static const covey_fields swapped_fields = { 8, 2, swapped_at }, right_fields = { 8, 2, right_at };
    static const covey_type swapped = { .name = "Spot", .size = 8, .align = 4, .fields = &swapped_fields };
    static const covey_type right = { .name = "Spot", .size = 8, .align = 4, .fields = &right_fields };
    const covey_type *const types[] = { covey_id(Spot), NULL };
    const covey_type *const wrong[][3] = { { &bigger }, { &renamed }, { covey_id(Spot), covey_id(Stamp) } };
    static const char *const texts[] = { "Spot has 12 bytes here, and 8 on rank 0",
                                         "has the type Sport where rank 0 has Spot", "number of types" };
    bool odd = rank == size - 1;
    for (int i = 0; size > 1 && i < 3; i++) {
        refuse_start(odd ? wrong[i] : types, false, COVEY_ERROR_LAYOUT, texts[i]);
        char names[32];
        snprintf(names, sizeof names, "rank %d: ", size - 1);
        refuse_start(odd ? wrong[i] : types, false, COVEY_ERROR_LAYOUT, names);
    }
    if (size > 1)
        refuse_start((const covey_type *[]){ odd ? &swapped : &right, NULL }, false, COVEY_ERROR_LAYOUT,
                     "different fields");
    refuse_start((const covey_type *[]){ covey_id(Mood), NULL }, false, COVEY_ERROR_TYPE, "transient");
    static const covey_type silent = { .name = "Silent", .size = 8, .align = 4 };
    refuse_start((const covey_type *[]){ &silent, NULL }, false, COVEY_ERROR_TYPE, ".as_bytes, .fields or .codec");
    refuse_start(types, odd, COVEY_ERROR_TAKEN, "use a new world");
}

static void ranks_that_call_different_functions_are_told(void) {
#if COVEY_ASSERT_LEVEL > 0
    fixture f;
    begin(&f, NULL);
    covey_view view = covey_view_make(f.world, NULL);
    int64_t number = 1;
    uint64_t count;
    covey_result result =
        rank == 0 ? covey_mpi_count(f.mpi, &view, &count) : covey_mpi_reduce_i64(f.mpi, COVEY_MPI_SUM, &number, 1);
    CHECK(result == (size > 1 ? COVEY_ERROR_REFUSED : COVEY_OK));
    if (size > 1) {
        CHECK(strstr(covey_mpi_report(f.mpi)->text, "covey_mpi_count"));
        CHECK(strstr(covey_mpi_report(f.mpi)->text, "covey_mpi_reduce_i64"));
    }
    CHECK(covey_mpi_count(f.mpi, &view, &count) == COVEY_OK);
    end(&f);
#endif
}

/* ---- Messages ----------------------------------------------------------------------------------------------------*/

static unsigned char *copy_of(const unsigned char *bytes, uint64_t size_now) {
    unsigned char *copy = aligned_alloc(64, (size_t)(size_now + 64) / 64 * 64);
    memcpy(copy, bytes, (size_t)size_now);
    return copy;
}

/* Reads a message of some kind. Returns false and sets *why when it is invalid. */
typedef bool read_fn(const crowd *c, unsigned char *bytes, uint64_t size_now, const char **why);

static bool is_read(read_fn *read, const crowd *c, const unsigned char *bytes, uint64_t size_now) {
    const char *why = NULL;
    unsigned char *copy = copy_of(bytes, size_now);
    bool done = read(c, copy, size_now, &why);
    CHECK(done || why);
    free(copy);
    return done;
}

/* A complete message is read. It is refused when it is truncated anywhere, or when any byte is changed. */
static void damage_each_byte(read_fn *read, const crowd *c, unsigned char *message, uint64_t length) {
    CHECK(is_read(read, c, message, length));
    for (uint64_t cut = 0; cut < length; cut++) CHECK(!is_read(read, c, message, cut));
    for (uint64_t at = 0; at < length; at++) {
        message[at] ^= 0x10;
        CHECK(!is_read(read, c, message, length));
        message[at] ^= 0x10;
    }
}

static bool unpack(const crowd *c, unsigned char *bytes, uint64_t size_now, const char **why) {
    covey__mpi_incoming in;
    covey__mpi_part parts[8];
    return covey__mpi_message_read(c->f.mpi, bytes, size_now, &in, parts, why);
}

static void damaged_messages_are_refused(void) {
    crowd c;
    begin_crowd(&c);
    uint64_t bytes = covey__mpi_message_room(c.f.mpi, c.e, EACH), length = 0;
    unsigned char *message = aligned_alloc(64, (size_t)(bytes + 64) / 64 * 64);
    CHECK(covey__mpi_message_write(c.f.mpi, c.e, EACH, NULL, 0, message, &length) == COVEY_OK);
    CHECK(length <= bytes);
    damage_each_byte(unpack, &c, message, length);
    uint32_t refused = 0; /* with a valid checksum, the message is refused, or read without going beyond its end */
    random_numbers r = { (uint64_t)rank };
    for (uint32_t i = 0; i < 20000; i++) {
        unsigned char *hostile = copy_of(message, length);
        uint64_t cut = below(&r, 4) ? length : 128 + below(&r, (uint32_t)length / 64 - 1) * UINT64_C(64);
        for (uint32_t k = below(&r, 4); k != 0; k--)
            hostile[24 + below(&r, (uint32_t)length - 24)] = (unsigned char)below(&r, 256);
        covey__mpi_message_sign(c.f.mpi, hostile, cut);
        refused += !is_read(unpack, &c, hostile, cut);
        free(hostile);
    }
    CHECK(refused > 1000);
    free(message);
    end(&c.f);
}

/* ---- Messages of a restart ---------------------------------------------------------------------------------------*/

static bool read_handover(const crowd *c, unsigned char *bytes, uint64_t size_now, const char **why) {
    covey__mpi_restart_message h;
    covey__mpi_part parts[8];
    return covey__mpi_restart_message_read(c->f.mpi, bytes, size_now, &h, parts, why);
}

static void damaged_messages_of_a_restart_are_refused(void) {
    crowd c;
    begin_crowd(&c);
    uint64_t front = covey__mpi_restart_front_size(EACH, EACH - 1), length = 0;
    unsigned char *message =
        aligned_alloc(64, (size_t)(front + covey__mpi_message_room(c.f.mpi, c.e, EACH) + 63) / 64 * 64);
    memset(message, 0, (size_t)front);
    memcpy(message + covey__mpi_restart_front_size(0, 0), c.e, EACH * sizeof *c.e);
    memcpy(message + covey__mpi_restart_front_size(EACH, 0), c.e, (EACH - 1) * sizeof *c.e);
    CHECK(covey__mpi_message_write(c.f.mpi, c.e, EACH, NULL, 0, message + front, &length) == COVEY_OK);
    length += front;
    covey__mpi_restart_message_sign(message, length, EACH, EACH - 1);
    damage_each_byte(read_handover, &c, message, length);
    covey_entity stranger = covey_entity_make(size > 1 ? (c.e[0].index + c.f.mpi->range_size) : COVEY_NONE - 1, 1);
    memcpy(message + covey__mpi_restart_front_size(EACH, 0), &stranger, sizeof stranger);
    covey__mpi_restart_message_sign(message, length, EACH, EACH - 1);
    CHECK(!is_read(read_handover, &c, message, length));
    free(message);
    end(&c.f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "what_cannot_leave_is_named_and_nobody_leaves", what_cannot_leave_is_named_and_nobody_leaves },
        { "memory_that_is_out_on_one_rank_fails_the_exchange_on_all",
          memory_that_is_out_on_one_rank_fails_the_exchange_on_all },
        { "memory_that_is_out_fails_reclaiming_and_reducing_on_all",
          memory_that_is_out_fails_reclaiming_and_reducing_on_all },
        { "memory_that_is_out_at_the_start_is_told_to_all", memory_that_is_out_at_the_start_is_told_to_all },
        { "a_rank_with_another_layout_is_named", a_rank_with_another_layout_is_named },
        { "ranks_that_call_different_functions_are_told", ranks_that_call_different_functions_are_told },
        { "damaged_messages_are_refused", damaged_messages_are_refused },
        { "damaged_messages_of_a_restart_are_refused", damaged_messages_of_a_restart_are_refused },
    };
    return RUN_TESTS(argc, argv, tests);
}
