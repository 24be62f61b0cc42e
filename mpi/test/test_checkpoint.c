/* Checkpoints, and restarts with another number of ranks. */
#define _XOPEN_SOURCE 700
#include "checkpoint.h"
#include "support.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COUNT = 120 };
static const covey_entity none = { 0, 0 };
static const covey_type *const counted[] = { covey_id(Spot), covey_id(Stamp), NULL };

typedef struct crowd {
    fixture f;
    covey_entity e[COUNT];
    bool alive[COUNT];
    uint64_t digest;
} crowd;

static void spread(crowd *c, random_numbers *r) {
    covey_entity leaving[COUNT];
    int to[COUNT];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        int target = (int)below(r, (uint32_t)size);
        if (!c->alive[i] || !covey_mpi_owns(c->f.mpi, c->e[i]) || !covey_is_null(covey_parent(c->f.world, c->e[i])))
            continue;
        leaving[count] = c->e[i];
        to[count++] = target;
    }
    CHECK(covey_mpi_migrate(c->f.mpi, leaving, to, count) == COVEY_OK);
}

/* Creates, moves and destroys entities, some away from home without telling the home. */
static void begin_crowd(crowd *c, uint32_t span) {
    random_numbers r = { 9 };
    begin(&c->f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE, .range_size = span });
    for (uint32_t i = 0; i < COUNT; i++) {
        int owner = (int)(i % (uint32_t)size);
        c->alive[i] = true;
        c->e[i] = shared(owner, owner == rank ? covey_create(c->f.world) : none);
        if (owner != rank) continue;
        covey_add(c->f.world, c->e[i], Spot, { (int32_t)i, 1 });
        covey_add(c->f.world, c->e[i], Stamp, { i * 7 });
        covey_add(c->f.world, c->e[i], Bond, { c->e[i / 2], NULL, i });
        if (i % 3 == 0) covey_add(c->f.world, c->e[i], Note, { i % 50 + 1, make_note(i).text });
        if (i % 4 == 0) covey_disable(c->f.world, c->e[i]);
        if (i % 5 == 0) covey_name_set(c->f.world, c->e[i], (char[]){ (char)('a' + i / 26), (char)('a' + i % 26), 0 });
        if (i >= 100) covey_parent_set(c->f.world, c->e[i], c->e[i - 60 - 60 % (uint32_t)size]);
    }
    for (int round = 0; round < 4; round++) {
        spread(c, &r);
        for (uint32_t i = 0; i < 100; i++) {
            if (!c->alive[i] || below(&r, 8) != 0) continue;
            if (over_all(covey_child_count(c->f.world, c->e[i]) != 0, MPI_MAX)) continue;
            if (covey_mpi_owns(c->f.mpi, c->e[i])) covey_destroy(c->f.world, c->e[i]);
            c->alive[i] = false;
        }
        if (round == 1) CHECK(covey_mpi_reclaim(c->f.mpi) == COVEY_OK);
    }
    CHECK(covey_mpi_digest(c->f.mpi, counted, &c->digest) == COVEY_OK);
}

static int by_index(const covey_world *world, covey_entity e, void *context) {
    CHECK(covey_alive(world, e));
    return (int)(e.index % (uint32_t) * (int *)context);
}

static bool is_fresh(const crowd *c, covey_entity e) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (covey_same(c->e[i], e)) return false;
    return true;
}

/* Checks the new job: each entity that was alive lives on one rank, and the others on none. */
static void check_loaded(const crowd *c, fixture *f) {
    uint64_t digest;
    int64_t owners[COUNT];
    const char *why = NULL;
    CHECK(covey_world_validate(f->world, &why));
    CHECK(covey_mpi_digest(f->mpi, counted, &digest) == COVEY_OK && digest == c->digest);
    for (uint32_t i = 0; i < COUNT; i++) owners[i] = covey_mpi_owns(f->mpi, c->e[i]);
    CHECK(covey_mpi_reduce_i64(f->mpi, COVEY_MPI_SUM, owners, COUNT) == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        bool own = covey_mpi_owns(f->mpi, c->e[i]);
        CHECK(owners[i] == c->alive[i]);
        bool home = covey_mpi_home(f->mpi, c->e[i]) == covey_mpi_rank(f->mpi);
        CHECK(covey_alive(f->world, c->e[i]) == (own || (home && c->alive[i])));
        if (!own) continue;
        CHECK(covey_get(f->world, c->e[i], Bond)->number == i);
        CHECK(covey_same(covey_get(f->world, c->e[i], Bond)->other, c->e[i / 2]));
        CHECK(covey_has(f->world, c->e[i], Note) == (i % 3 == 0));
        CHECK(covey_is_enabled(f->world, c->e[i]) == (i % 4 != 0));
        const char *is = covey_name(f->world, c->e[i]), named[] = { (char)('a' + i / 26), (char)('a' + i % 26), 0 };
        CHECK(i % 5 == 0 ? is && strcmp(is, named) == 0 : !is);
        if (i >= 100) CHECK(covey_same(covey_parent(f->world, c->e[i]), c->e[i - 60 - 60 % (uint32_t)size]));
    }
    for (uint32_t i = 0; i < COUNT; i++) CHECK(is_fresh(c, covey_create(f->world)));
    for (covey_range more = covey_mpi_range_reserve(f->mpi); more.count != 0; more = covey_mpi_range_reserve(f->mpi))
        for (uint32_t i = 0; i < COUNT; i++) CHECK(is_fresh(c, covey_create_in(f->world, more)));
}

/* Makes the first ranks a job of their own. Returns false on the others. */
static bool begin_few(fixture *f, int ranks, MPI_Comm *comm) {
    MPI_Comm_split(MPI_COMM_WORLD, rank < ranks, rank, comm);
    if (rank < ranks) begin_on(f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE }, *comm);
    else MPI_Comm_free(comm);
    return rank < ranks;
}

static void end_few(fixture *f, MPI_Comm *comm) {
    end(f);
    MPI_Comm_free(comm);
}

static void load(fixture *f, const char *name, covey_mpi_place_fn *place, void *context) {
    covey_result result = covey_mpi_load(f->mpi, name, place, context);
    if (result != COVEY_OK) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
    CHECK(result == COVEY_OK);
}

static void a_checkpoint_is_loaded_by_any_number_of_ranks(void) {
    crowd c;
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    for (int ranks = 1; ranks <= size; ranks++)
        for (int placed = 0; placed < 2; placed++) {
            MPI_Comm comm;
            fixture f;
            if (!begin_few(&f, ranks, &comm)) continue;
            load(&f, name, placed ? by_index : NULL, &ranks);
            check_loaded(&c, &f);
            end_few(&f, &comm);
        }
    remove_checkpoint(name);
    end(&c.f);
}

static int on_the_first(const covey_world *world, covey_entity e, void *context) {
    (void)world;
    (void)e;
    (void)context;
    return 0;
}

/* Few ranks save and all load, so that some read no file. If all entities live on one rank, other files are empty. */
static void few_files_and_files_without_entities_are_loaded(void) {
    crowd c;
    char few[100];
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(few, sizeof few, "%s_few", name);
    for (int ranks = 1; ranks <= size; ranks++)
        for (int empty = 0; empty < 2; empty++) {
            MPI_Comm comm;
            fixture f;
            if (begin_few(&f, ranks, &comm)) {
                load(&f, name, empty ? on_the_first : by_index, &ranks);
                CHECK(covey_mpi_save(f.mpi, few) == COVEY_OK);
                end_few(&f, &comm);
            }
            over_all(0, MPI_MAX);
            for (int placed = 0; placed < 2; placed++) {
                begin(&f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE });
                load(&f, few, placed ? by_index : NULL, &size);
                CHECK(covey_mpi_stats_of(f.mpi).files_read == (rank < ranks));
                check_loaded(&c, &f);
                end(&f);
            }
            remove_checkpoint(few);
        }
    remove_checkpoint(name);
    end(&c.f);
}

static void worlds_without_entities_are_saved_and_loaded(void) {
    fixture f;
    const char *name = checkpoint_path();
    begin(&f, NULL);
    CHECK(covey_mpi_save(f.mpi, name) == COVEY_OK);
    end(&f);
    begin(&f, NULL);
    load(&f, name, on_the_first, NULL);
    CHECK(covey_entity_count(f.world) == 0);
    remove_checkpoint(name);
    end(&f);
}

/* ---- Who reads which file ----------------------------------------------------------------------------------------*/

/* Makes a folder with only the files that this rank may read. */
static void link_files(const char *name, const char *folder, int ranks, bool begins) {
    char from[200], to[400];
    if (begins) CHECK(mkdir(folder, 0700) == 0);
    for (int file = rank - ranks; file < size; file += ranks) {
        if (file < 0 && rank != 0) continue; /* the manifest */
        if (file < 0) snprintf(from, sizeof from, "%s", name);
        else snprintf(from, sizeof from, "%s.1.%d", name, file);
        snprintf(to, sizeof to, "%s/%s", folder, from);
        CHECK((begins ? link(from, to) : remove(to)) == 0);
    }
    if (!begins) CHECK(rmdir(folder) == 0);
}

static void each_file_is_read_by_one_rank(void) {
    crowd c;
    char folder[100];
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(folder, sizeof folder, "%s_of_rank_%d", name, rank);
    for (int ranks = 1; ranks <= size; ranks++) {
        MPI_Comm comm;
        fixture f;
        if (!begin_few(&f, ranks, &comm)) continue;
        link_files(name, folder, ranks, true);
        CHECK(chdir(folder) == 0);
        load(&f, name, by_index, &ranks);
        CHECK(chdir("..") == 0);
        link_files(name, folder, ranks, false);
        int64_t files = (int64_t)covey_mpi_stats_of(f.mpi).files_read;
        CHECK(covey_mpi_reduce_i64(f.mpi, COVEY_MPI_SUM, &files, 1) == COVEY_OK && files == size);
        check_loaded(&c, &f);
        end_few(&f, &comm);
    }
    remove_checkpoint(name);
    end(&c.f);
}

/* A loaded job continues: entities move, are destroyed, and their indices are reclaimed. */
static void a_job_goes_on_after_a_restart(void) {
    crowd c;
    const char *name = checkpoint_path();
    uint32_t span = COVEY_INDEX_BITS > 16 ? 4096 : 0; /* many ranges, few of them in use */
    begin_crowd(&c, span);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    end(&c.f);
    begin(&c.f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE, .range_size = span });
    CHECK(covey_mpi_load(c.f.mpi, name, by_index, &size) == COVEY_OK);
    random_numbers r = { 11 };
    for (int round = 0; round < 4; round++) {
        uint64_t digest;
        spread(&c, &r);
        CHECK(covey_mpi_digest(c.f.mpi, counted, &digest) == COVEY_OK && digest == c.digest);
    }
    for (uint32_t i = 0; i < 100; i++)
        if (covey_mpi_owns(c.f.mpi, c.e[i])) covey_destroy(c.f.world, c.e[i]);
    CHECK(covey_mpi_reclaim(c.f.mpi) == COVEY_OK);
    for (uint32_t i = 0; i < 100; i++) CHECK(!covey_alive(c.f.world, c.e[i]));
    remove_checkpoint(name);
    end(&c.f);
}

static void refuse(const char *name, const covey_mpi_desc *desc, bool used, covey_result result, const char *text) {
    fixture f;
    begin(&f, desc);
    if (used && rank == size - 1) covey_create(f.world);
    CHECK(covey_mpi_load(f.mpi, name, NULL, NULL) == result);
    if (!strstr(covey_mpi_report(f.mpi)->text, text)) fprintf(stderr, "%s\n", covey_mpi_report(f.mpi)->text);
    CHECK(strstr(covey_mpi_report(f.mpi)->text, text));
    CHECK(covey_entity_count(f.world) == (used && rank == size - 1));
    end(&f);
}

static void what_is_no_checkpoint_is_refused(void) {
    crowd c;
    char file[128];
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    refuse(name, NULL, false, COVEY_ERROR_FILE, "cannot be read");
    for (int i = 0; i < 3; i++) CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(file, sizeof file, "%s.2.%d", name, rank);
    CHECK(access(file, F_OK) != 0); /* of the previous checkpoint */
    refuse(name, NULL, true, COVEY_ERROR_REFUSED, "without entities");
    refuse(name, &(covey_mpi_desc){ .range_size = 100 }, false, COVEY_ERROR_RANGE, ".range_size");
    snprintf(file, sizeof file, "%s.3.%d", name, size - 1);
    if (rank == 0) CHECK(truncate(file, 100) == 0);
    over_all(0, MPI_MAX);
    refuse(name, NULL, false, COVEY_ERROR_IMAGE, file);
    over_all(0, MPI_MAX);
    if (rank == 0) CHECK(remove(file) == 0);
    over_all(0, MPI_MAX);
    snprintf(file, sizeof file, "rank %d: %s.3.%d: ", size - 1, name, size - 1);
    refuse(name, NULL, false, COVEY_ERROR_FILE, file);
    over_all(0, MPI_MAX);
    if (rank == 0) CHECK(truncate(name, 20) == 0);
    over_all(0, MPI_MAX);
    refuse(name, NULL, false, COVEY_ERROR_IMAGE, "manifest");
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_ERROR_IMAGE);
    CHECK(covey_mpi_save(c.f.mpi, "no/such/directory/at_all") == COVEY_ERROR_FILE);
    remove_checkpoint(name);
    end(&c.f);
}

/* A checkpoint that cannot be written leaves the previous one as it was. */
static void the_last_checkpoint_stays_whole(void) {
    crowd c;
    char file[128];
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    snprintf(file, sizeof file, "mkdir -p %s.2.%d/full", name, size - 1); /* at the path of an image */
    if (rank == 0) CHECK(system(file) == 0);
    over_all(0, MPI_MAX);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_ERROR_FILE);
    fixture f;
    begin(&f, NULL);
    CHECK(covey_mpi_load(f.mpi, name, NULL, NULL) == COVEY_OK);
    uint64_t digest;
    CHECK(covey_mpi_digest(f.mpi, counted, &digest) == COVEY_OK && digest == c.digest);
    end(&f);
    snprintf(file, sizeof file, "rm -r %s.2.%d", name, size - 1);
    if (rank == 0) CHECK(system(file) == 0);
    remove_checkpoint(name);
    end(&c.f);
}

/* ---- What is left over -------------------------------------------------------------------------------------------*/

static void names_of_what_is_left_over_are_known(void) {
    static const struct {
        const char *name;
        covey__leftover kind;
    } names[] = {
        { "run.7.0", COVEY__LEFTOVER_NONE },
        { "run.7.2", COVEY__LEFTOVER_NONE },
        { "run.7.3", COVEY__LEFTOVER_IMAGE },
        { "run.6.0", COVEY__LEFTOVER_IMAGE },
        { "run.1.4294967295", COVEY__LEFTOVER_IMAGE },
        { "run.7.0.tmp-1a2b-0", COVEY__LEFTOVER_TEMPORARY },
        { "run.2.9.tmp-f-63", COVEY__LEFTOVER_TEMPORARY },
        { "run.7.new", COVEY__LEFTOVER_DRAFT },
        { "run.3.new", COVEY__LEFTOVER_DRAFT },
    };
    static const char *const others[] = {
        "",
        "run",
        "run.",
        "run.7",
        "run.8.0",
        "run.8.0.tmp-1-0",
        "run.8.new",
        "run.0.0",
        "run.0.new",
        "run.06.0",
        "run.6.00",
        "run.6.",
        "run.6..0",
        "run.6.0.",
        "run.6.0.1",
        "run.6.0.bak",
        "run.6.1.new",
        "run.6.0.tmp-",
        "run.6.0.tmp-1",
        "run.6.0.tmp-1-",
        "run.6.0.tmp--0",
        "run.6.0.tmp-1A-0",
        "run.6.0.tmp-1-0x",
        "run.6.0tmp-1-0",
        "run.-6.0",
        "run. 6.0",
        "run.6.4294967296",
        "run.99999999999999999999.0",
        "ran.6.0",
        "xrun.6.0",
        "run.new",
        "run..new",
        "run.6.newer",
    };
    covey__manifest m = { .number = 7, .ranks = 3 };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        CHECK(covey__manifest_leftover(names[i].name, "run", &m) == names[i].kind);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        CHECK(covey__manifest_leftover(others[i], "run", &m) == COVEY__LEFTOVER_NONE);
}

static int wrong_for_one(const covey_world *world, covey_entity e, void *wrong) {
    const Bond *bond = covey_get(world, e, Bond);
    return bond && bond->number == 99 ? *(const int *)wrong : 0;
}

/* One rank places the entities of a file. When `place` returns no rank, all ranks fail, and may try again. */
static void a_place_that_is_no_rank_is_told_to_all(void) {
    crowd c;
    fixture f;
    char text[128];
    const char *name = checkpoint_path();
    begin_crowd(&c, 0);
    if (!c.alive[99]) CHECK(!"choose another one");
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    int reader = over_all(covey_mpi_owns(c.f.mpi, c.e[99]) ? rank : -1, MPI_MAX);
    begin(&f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE });
    for (int wrong = -1; wrong <= size; wrong += size + 1) {
        CHECK(covey_mpi_load(f.mpi, name, wrong_for_one, &wrong) == COVEY_ERROR_RANGE);
        snprintf(text, sizeof text, "rank %d: %s.1.%d: %u:%u cannot be placed on rank %d", reader, name, reader,
                 c.e[99].index, c.e[99].generation, wrong);
        CHECK(strstr(covey_mpi_report(f.mpi)->text, text) == covey_mpi_report(f.mpi)->text);
        CHECK(covey_entity_count(f.world) == 0);
    }
    load(&f, name, by_index, &size);
    check_loaded(&c, &f);
    end(&f);
    remove_checkpoint(name);
    end(&c.f);
}

/* Lets one allocation of one rank fail: all ranks have no entities, and may try again. Returns whether it failed. */
static bool fail_at(const crowd *c, const char *name, int victim, uint64_t at) {
    fixture f;
    begin(&f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE });
    if (rank == victim) f.memory.fail_at = f.memory.calls + at;
    covey_result result = covey_mpi_load(f.mpi, name, by_index, &size);
    bool fired = over_all(f.memory.fail_at != 0 && f.memory.calls >= f.memory.fail_at, MPI_MAX) != 0;
    f.memory.fail_at = 0;
    CHECK(result == COVEY_OK || (fired && result == COVEY_ERROR_MEMORY));
    if (result != COVEY_OK) {
        char text[32];
        snprintf(text, sizeof text, "rank %d: ", victim);
        CHECK(strncmp(covey_mpi_report(f.mpi)->text, text, strlen(text)) == 0);
        CHECK(covey_entity_count(f.world) == 0);
        load(&f, name, by_index, &size);
    }
    if (!fired || at % 32 == 0) check_loaded(c, &f);
    end(&f);
    return fired;
}

/* On one rank, each allocation fails in turn. On more ranks, which share few cores, some allocations of each rank
 * do. */
static void memory_that_is_out_while_loading_is_told_to_all(void) {
    crowd c;
    const char *name = checkpoint_path();
    random_numbers r = { 3 };
    begin_crowd(&c, 0);
    CHECK(covey_mpi_save(c.f.mpi, name) == COVEY_OK);
    for (int victim = 0; victim < size; victim++) {
        uint64_t at = 1;
        while (fail_at(&c, name, victim, at)) at += size == 1 ? 1 : 1 + below(&r, size == 2 ? 8 : 80);
        CHECK(at > 50);
    }
    remove_checkpoint(name);
    end(&c.f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "a_checkpoint_is_loaded_by_any_number_of_ranks", a_checkpoint_is_loaded_by_any_number_of_ranks },
        { "few_files_and_files_without_entities_are_loaded", few_files_and_files_without_entities_are_loaded },
        { "worlds_without_entities_are_saved_and_loaded", worlds_without_entities_are_saved_and_loaded },
        { "each_file_is_read_by_one_rank", each_file_is_read_by_one_rank },
        { "a_job_goes_on_after_a_restart", a_job_goes_on_after_a_restart },
        { "what_is_no_checkpoint_is_refused", what_is_no_checkpoint_is_refused },
        { "the_last_checkpoint_stays_whole", the_last_checkpoint_stays_whole },
        { "names_of_what_is_left_over_are_known", names_of_what_is_left_over_are_known },
        { "a_place_that_is_no_rank_is_told_to_all", a_place_that_is_no_rank_is_told_to_all },
        { "memory_that_is_out_while_loading_is_told_to_all", memory_that_is_out_while_loading_is_told_to_all },
    };
    return RUN_TESTS(argc, argv, tests);
}
