/* Relations between entities of different ranks: what lookups find, and what happens when targets move and end. */
#include "support.h"

#include <covey/lookup.h>

/* A relation for each policy. */
typedef struct {
    covey_entity target;
    uint32_t since;
} Kept;
typedef Kept Cleared;
typedef Kept Removed;
typedef Kept Bound;
COVEY_FIELDS_DEFINE(Kept, entity(target), u32(since));
#define RELATION .fields = &covey_fields_Kept, .ticks = true
COVEY_COMPONENT_DEFINE(Kept, RELATION);
COVEY_COMPONENT_DEFINE(Cleared, RELATION);
COVEY_COMPONENT_DEFINE(Removed, RELATION, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Bound, RELATION);

enum { KINDS = COVEY_TARGET_DESTROY + 1 };
static const covey_type *const types[] = { covey_id(Kept),  covey_id(Cleared), covey_id(Removed),
                                           covey_id(Bound), covey_id(Stamp),   NULL };
static const covey_type *const seen[] = { covey_id(Removed), covey_id(Bound), covey_id(Stamp), NULL };
static const covey_mpi_desc desc = { .types = types };

static covey_lookup *lookups[KINDS];

static void start(fixture *f) {
    begin(f, &desc);
    for (uint32_t k = 0; k < KINDS; k++) {
        lookups[k] = covey_lookup_create(
            f->world,
            &(covey_lookup_desc){ .type = types[k], .field = "target", .when_target_ends = (covey_target_end)k });
        CHECK(lookups[k] != NULL);
    }
}

static void relate(covey_world *world, covey_entity source, uint32_t kind, covey_entity target) {
    CHECK(covey_set_raw(world, source, types[kind], &(Kept){ .target = target, .since = kind }));
}

static covey_entity target_of(const covey_world *world, covey_entity source, uint32_t kind) {
    const Kept *at = covey_get_raw(world, source, types[kind]);
    return at ? at->target : (covey_entity){ 0, 0 };
}

/* ---- Random programs against an oracle ------------------------------------------------------------------------------
 *
 * All ranks draw the same numbers, and keep the same list of all entities. Nothing in it depends on the number of
 * ranks, except where each entity lives. */

enum { MOST = 120, NONE = MOST, GONE = MOST + 1 };

typedef struct record {
    covey_entity e;
    int owner;
    bool alive;
    uint32_t target[KINDS]; /* a number of the list; NONE: a null handle; GONE: there is no component */
} record;

typedef struct program {
    fixture f;
    random_numbers random;
    record at[MOST];
    uint32_t count;
    int64_t digest;
} program;

static covey_entity handle_of(const program *p, uint32_t number) {
    return number < p->count ? p->at[number].e : (covey_entity){ 0, 0 };
}

static int any_rank(program *p) { return (int)below(&p->random, 12) % size; }

static void create(program *p) {
    if (p->count == MOST) return;
    record *r = &p->at[p->count];
    *r = (record){ .owner = any_rank(p), .alive = true, .target = { GONE, GONE, GONE, GONE } };
    r->e = shared(r->owner, r->owner == rank ? covey_create(p->f.world) : (covey_entity){ 0, 0 });
    if (r->owner == rank) covey_add(p->f.world, r->e, Stamp, { p->count });
    p->count++;
}

static void change(program *p) {
    uint32_t number = below(&p->random, p->count), kind = below(&p->random, KINDS), way = below(&p->random, 6);
    uint32_t target = below(&p->random, p->count);
    record *r = &p->at[number];
    if (!r->alive || (!p->at[target].alive && kind != COVEY_TARGET_KEEP)) return;
    if (way == 0) target = r->target[kind] == GONE ? GONE : NONE;
    if (way == 1) target = GONE;
    r->target[kind] = target;
    if (r->owner != rank) return;
    if (target == GONE) covey_remove_raw(p->f.world, r->e, types[kind]);
    else relate(p->f.world, r->e, kind, handle_of(p, target));
}

static void end_in_list(program *p, uint32_t number) {
    p->at[number].alive = false;
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->at[i];
        if (!r->alive) continue;
        if (r->target[COVEY_TARGET_CLEAR] == number) r->target[COVEY_TARGET_CLEAR] = NONE;
        if (r->target[COVEY_TARGET_REMOVE] == number) r->target[COVEY_TARGET_REMOVE] = GONE;
        if (r->target[COVEY_TARGET_DESTROY] == number) end_in_list(p, i);
    }
}

static void destroy(program *p) {
    uint32_t number = below(&p->random, p->count);
    if (!p->at[number].alive) return;
    if (p->at[number].owner == rank) CHECK(covey_destroy(p->f.world, p->at[number].e));
    end_in_list(p, number);
}

static void migrate(program *p) {
    covey_entity leaving[MOST];
    int ranks[MOST];
    uint32_t count = 0, odds = 1 + below(&p->random, 6);
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->at[i];
        if (below(&p->random, odds) != 0) continue;
        int to = any_rank(p);
        if (!r->alive) continue;
        if (r->owner == rank) {
            leaving[count] = r->e;
            ranks[count++] = to;
        }
        r->owner = to;
    }
    CHECK(covey_mpi_migrate(p->f.mpi, leaving, ranks, count) == COVEY_OK);
}

/* A third of all entities has ghosts on all ranks. */
static uint32_t some_see(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)context;
    uint32_t count = covey_get(world, e, Stamp)->when % 3 == 0 ? (uint32_t)size : 0;
    for (uint32_t i = 0; i < count; i++) ranks[i] = (int)i;
    return count;
}

static void define_ghosts(program *p) {
    const covey_mpi_ghosts_desc ghosts = { .types = seen, .near = some_see };
    CHECK(covey_mpi_ghosts_define(p->f.mpi, below(&p->random, 2) != 0 ? &ghosts : NULL) == COVEY_OK);
}

static void refresh(program *p) {
    covey_result result = covey_mpi_ghosts_refresh(p->f.mpi);
    CHECK(result == COVEY_OK || result == COVEY_ERROR_REFUSED);
}

static int place_of(const covey_world *world, covey_entity e, void *salt) {
    return (int)((covey_get(world, e, Stamp)->when + *(const uint32_t *)salt) % 12) % size;
}

static void restart(program *p) {
    uint32_t salt = below(&p->random, 1000);
    const char *path = checkpoint_path();
    CHECK(covey_mpi_save(p->f.mpi, path) == COVEY_OK);
    end(&p->f);
    start(&p->f);
    CHECK(covey_mpi_load(p->f.mpi, path, place_of, &salt) == COVEY_OK);
    for (uint32_t i = 0; i < p->count; i++)
        if (p->at[i].alive) p->at[i].owner = (int)((i + salt) % 12) % size;
    remove_checkpoint(path);
}

/* ---- Checking ----------------------------------------------------------------------------------------------------*/

static void check_entity(const program *p, uint32_t number) {
    const record *r = &p->at[number];
    bool here = r->alive && r->owner == rank;
    CHECK(covey_mpi_owns(p->f.mpi, r->e) == here);
    for (uint32_t k = 0; k < KINDS && here; k++) {
        CHECK(covey_has_raw(p->f.world, r->e, types[k]) == (r->target[k] != GONE));
        CHECK(covey_same(target_of(p->f.world, r->e, k), handle_of(p, r->target[k])));
    }
}

/* What a lookup finds: the sources that live here, and their ghosts, in index order. Returns a sum over the former. */
static int64_t check_target(const program *p, uint32_t kind, uint32_t number) {
    covey_entity target = handle_of(p, number), last = { 0, 0 };
    uint32_t own = 0, found = 0, expected = 0;
    int64_t sum = 0;
    covey_search sources = covey_lookup_find(lookups[kind], &target);
    while (covey_search_next(&sources))
        for (uint32_t i = 0; i < sources.count; i++, found++) {
            CHECK(found == 0 || sources.entities[i].index > last.index);
            last = sources.entities[i];
            if (!covey_mpi_owns(p->f.mpi, last)) continue;
            uint32_t source = covey_get(p->f.world, last, Stamp)->when;
            CHECK(p->at[source].target[kind] == number);
            sum += (int64_t)((source * KINDS + kind) * (MOST + 7) + number) * (source + 3);
            own++;
        }
    CHECK(covey_lookup_count(lookups[kind], &target) == found);
    for (uint32_t i = 0; i < p->count; i++)
        expected += p->at[i].alive && p->at[i].owner == rank && p->at[i].target[kind] == number;
    CHECK(own == expected);
    return sum;
}

static void check(program *p) {
    const char *why = NULL;
    int64_t sum = 0;
    CHECK(covey_world_validate(p->f.world, &why));
    for (uint32_t i = 0; i < p->count; i++) check_entity(p, i);
    for (uint32_t k = 0; k < KINDS; k++)
        for (uint32_t i = 0; i < p->count; i++) sum += check_target(p, k, i);
    CHECK(covey_mpi_reduce_i64(p->f.mpi, COVEY_MPI_SUM, &sum, 1) == COVEY_OK);
    p->digest = (int64_t)((uint64_t)p->digest * 31 + (uint64_t)sum);
}

static void step(program *p) {
    create(p);
    for (uint32_t i = below(&p->random, 30); i != 0; i--) change(p);
    if (below(&p->random, 8) == 0) define_ghosts(p);
    if (below(&p->random, 2) == 0) migrate(p);
    refresh(p);
    for (uint32_t i = below(&p->random, 4); i != 0; i--) destroy(p);
    if (below(&p->random, 3) == 0) migrate(p);
    if (below(&p->random, 3) == 0) refresh(p);
    if (below(&p->random, 3) == 0) CHECK(covey_mpi_reclaim(p->f.mpi) == COVEY_OK);
    CHECK(covey_mpi_targets_end(p->f.mpi) == COVEY_OK);
    check(p);
    if (below(&p->random, 40) == 0) restart(p);
}

/* One digest for every number of ranks. */
static void programs_agree_with_the_oracle(void) {
    static program p;
    int64_t digest = 0;
    for (uint32_t seed = 0; seed < 3; seed++) {
        p = (program){ .random = { seed } };
        start(&p.f);
        for (int i = 0; i < 60; i++) step(&p);
        end(&p.f);
        digest = (int64_t)((uint64_t)digest * 31 + (uint64_t)p.digest);
    }
    if (rank == 0) printf("digest %016llx\n", (unsigned long long)digest);
    CHECK((uint64_t)digest == UINT64_C(0xe6838c760aab5e3b));
}

/* ---- Single cases ------------------------------------------------------------------------------------------------*/

static int next_rank(void) { return (rank + 1) % size; }

/* On each rank a target with a source of each kind. */
typedef struct family {
    covey_entity target, source[KINDS];
} family;

static family make_family(covey_world *world) {
    family made = { .target = covey_create(world) };
    for (uint32_t k = 0; k < KINDS; k++) relate(world, made.source[k] = covey_create(world), k, made.target);
    return made;
}

static void check_related(const fixture *f, const family *of) {
    for (uint32_t k = 0; k < KINDS; k++) {
        CHECK(covey_mpi_owns(f->mpi, of->source[k]));
        CHECK(covey_same(target_of(f->world, of->source[k], k), of->target));
        CHECK(covey_lookup_count(lookups[k], &of->target) == 1);
    }
}

static covey_result move(fixture *f, const covey_entity *entities, uint32_t count, int to) {
    int ranks[KINDS];
    for (uint32_t i = 0; i < count; i++) ranks[i] = to;
    return covey_mpi_migrate(f->mpi, entities, ranks, count);
}

/* The handle that the previous rank gives. */
static covey_entity of_previous(covey_entity e) {
    covey_entity previous = e;
    for (int r = 0; r < size; r++) {
        covey_entity sent = shared(r, e);
        if (r == (rank + size - 1) % size) previous = sent;
    }
    return previous;
}

/* A target goes all the way round: from its home, and from ranks where it is a guest. Its sources stay. */
static void a_target_that_moves_does_not_end(void) {
    fixture f;
    start(&f);
    family own = make_family(f.world);
    covey_entity here = own.target;
    for (int i = 0; i < size; i++) {
        CHECK(move(&f, &here, 1, next_rank()) == COVEY_OK);
        here = of_previous(here);
        check_related(&f, &own);
        CHECK(covey_mpi_targets_end(f.mpi) == COVEY_OK);
        check_related(&f, &own);
    }
    CHECK(covey_same(here, own.target));
    end(&f);
}

/* A guest has sources on the rank where it lives, and leaves them. */
static void a_guest_that_leaves_does_not_end(void) {
    fixture f;
    start(&f);
    covey_entity guest = covey_create(f.world), arrived = of_previous(guest);
    CHECK(move(&f, &guest, 1, next_rank()) == COVEY_OK);
    family own = { .target = arrived };
    for (uint32_t k = 0; k < KINDS; k++) relate(f.world, own.source[k] = covey_create(f.world), k, arrived);
    CHECK(move(&f, &arrived, 1, next_rank()) == COVEY_OK);
    check_related(&f, &own);
    CHECK(covey_mpi_targets_end(f.mpi) == COVEY_OK);
    check_related(&f, &own);
    end(&f);
}

/* Sources move, and are found where they live. */
static void sources_are_found_where_they_live(void) {
    fixture f;
    start(&f);
    family own = make_family(f.world);
    CHECK(move(&f, own.source, KINDS, next_rank()) == COVEY_OK);
    for (uint32_t k = 0; k < KINDS; k++)
        for (int r = 0; r < size; r++) {
            covey_entity target = shared(r, own.target), source = shared(r, own.source[k]);
            CHECK(covey_lookup_count(lookups[k], &target) == (r == (rank + size - 1) % size));
            covey_search found = covey_lookup_find(lookups[k], &target);
            if (covey_search_next(&found)) CHECK(covey_same(found.entities[0], source));
        }
    end(&f);
}

/* A migration that fails after the target was created on the other rank ends nothing there. */
static void a_failed_migration_ends_no_target(void) {
    fixture f;
    start(&f);
    covey_entity target = covey_create(f.world), arriving = of_previous(target);
    family own = { .target = arriving };
    for (uint32_t k = 0; k < KINDS; k++) relate(f.world, own.source[k] = covey_create(f.world), k, arriving);
    covey_add(f.world, target, Stamp, { 1 });
    covey_result result = COVEY_ERROR_MEMORY;
    for (uint64_t fail_at = 1; result != COVEY_OK; fail_at++) {
        f.memory.fail_at = rank == size - 1 ? f.memory.calls + fail_at : 0;
        result = move(&f, &target, 1, next_rank());
        CHECK(result == COVEY_OK || result == COVEY_ERROR_MEMORY);
        f.memory.fail_at = 0;
        check_related(&f, &own);
    }
    end(&f);
}

/* A target ends where it lives, away from home; sources on its home and on all other ranks learn of it. */
static void a_target_that_ends_elsewhere_ends_on_all_ranks(void) {
    fixture f;
    start(&f);
    covey_entity target = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    int last = size - 1;
    family own = { .target = target };
    CHECK(covey_mpi_migrate(f.mpi, &target, &last, rank == 0) == COVEY_OK);
    for (uint32_t k = 0; k < KINDS; k++) relate(f.world, own.source[k] = covey_create(f.world), k, target);
    if (rank == last) CHECK(covey_destroy(f.world, target));
    if (rank != last) check_related(&f, &own);
    CHECK(covey_mpi_reclaim(f.mpi) == COVEY_OK);
    if (rank != last) check_related(&f, &own);
    CHECK(covey_mpi_targets_end(f.mpi) == COVEY_OK);
    CHECK(covey_same(target_of(f.world, own.source[COVEY_TARGET_KEEP], COVEY_TARGET_KEEP), target));
    CHECK(covey_has(f.world, own.source[COVEY_TARGET_CLEAR], Cleared));
    CHECK(covey_is_null(target_of(f.world, own.source[COVEY_TARGET_CLEAR], COVEY_TARGET_CLEAR)));
    CHECK(!covey_has(f.world, own.source[COVEY_TARGET_REMOVE], Removed));
    CHECK(!covey_alive(f.world, own.source[COVEY_TARGET_DESTROY]));
    end(&f);
}

/* A chain that changes ranks with each link ends at once, and so does a circle. */
static void a_chain_over_all_ranks_ends(void) {
    enum { LENGTH = 16 };
    for (int circle = 0; circle < 2; circle++) {
        fixture f;
        covey_entity chain[LENGTH];
        start(&f);
        for (int i = 0; i < LENGTH; i++)
            chain[i] = shared(i % size, i % size == rank ? covey_create(f.world) : (covey_entity){ 0, 0 });
        for (int i = 1 - circle; i < LENGTH; i++)
            if (i % size == rank) relate(f.world, chain[i], COVEY_TARGET_DESTROY, chain[(i + LENGTH - 1) % LENGTH]);
        if (rank == 0) CHECK(covey_destroy(f.world, chain[0]));
        CHECK(covey_mpi_targets_end(f.mpi) == COVEY_OK);
        for (int i = 0; i < LENGTH; i++) CHECK(!covey_alive(f.world, chain[i]));
        end(&f);
    }
}

/* Memory runs out at each allocation of each rank: the next call continues. */
static void ending_continues_after_memory_was_out(void) {
    for (int fails = 0; fails < size; fails++) {
        fixture f;
        start(&f);
        covey_entity target = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
        covey_entity source = covey_create(f.world);
        relate(f.world, source, COVEY_TARGET_REMOVE, target);
        if (rank == 0) covey_destroy(f.world, target);
        covey_result result = COVEY_ERROR_MEMORY;
        for (uint64_t fail_at = 1; result != COVEY_OK; fail_at++) {
            f.memory.fail_at = rank == fails ? f.memory.calls + fail_at : 0;
            result = covey_mpi_targets_end(f.mpi);
            CHECK(result == COVEY_OK || result == COVEY_ERROR_MEMORY);
            f.memory.fail_at = 0;
        }
        CHECK(!covey_has(f.world, source, Removed));
        end(&f);
    }
}

/* Ghosts are sources that policies do not change, and their ends are no ends of targets. */
static void ghosts_stay_as_they_are(void) {
    fixture f;
    start(&f);
    const covey_mpi_ghosts_desc ghosts = { .types = seen, .near = some_see };
    covey_entity target = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    covey_entity other = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    int last = size - 1;
    covey_entity source = shared(last, rank == last ? covey_create(f.world) : (covey_entity){ 0, 0 });
    for (uint32_t k = 0; k < KINDS && rank == last; k++) relate(f.world, source, k, k == 3 ? other : target);
    if (rank == last) covey_add(f.world, source, Stamp, { 0 });
    CHECK(covey_mpi_ghosts_define(f.mpi, &ghosts) == COVEY_OK && covey_mpi_ghosts_refresh(f.mpi) == COVEY_OK);
    CHECK(covey_lookup_count(lookups[COVEY_TARGET_REMOVE], &target) == 1); /* the ghost is found, too */
    if (rank == 0) covey_destroy(f.world, target);
    CHECK(covey_has(f.world, source, Removed) == (size > 1));
    CHECK(covey_mpi_targets_end(f.mpi) == COVEY_OK);
    if (rank == last) CHECK(covey_alive(f.world, source) && !covey_has(f.world, source, Removed));
    CHECK(covey_mpi_migrate(f.mpi, &source, &(int){ 0 }, rank == last) ==
          COVEY_OK); /* it becomes its ghost on rank 0 */
    if (rank == 0) CHECK(covey_mpi_owns(f.mpi, source) && !covey_has(f.world, source, Removed));
    end(&f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "a_target_that_moves_does_not_end", a_target_that_moves_does_not_end },
        { "a_guest_that_leaves_does_not_end", a_guest_that_leaves_does_not_end },
        { "sources_are_found_where_they_live", sources_are_found_where_they_live },
        { "a_failed_migration_ends_no_target", a_failed_migration_ends_no_target },
        { "a_target_that_ends_elsewhere_ends_on_all_ranks", a_target_that_ends_elsewhere_ends_on_all_ranks },
        { "a_chain_over_all_ranks_ends", a_chain_over_all_ranks_ends },
        { "ending_continues_after_memory_was_out", ending_continues_after_memory_was_out },
        { "ghosts_stay_as_they_are", ghosts_stay_as_they_are },
        { "programs_agree_with_the_oracle", programs_agree_with_the_oracle },
    };
    return RUN_TESTS(argc, argv, tests);
}
