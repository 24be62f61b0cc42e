/* Migration of entities between ranks. */
#include "support.h"

#include <stdlib.h>

/* ---- Random programs against an oracle ------------------------------------------------------------------------------
 *
 * All ranks draw the same numbers, and keep the same list of all entities: where each is, and what it has. After
 * each step every rank compares its world with the list. */

enum { MOST = 300 };

typedef struct record {
    covey_entity e;
    int owner;
    bool alive, told; /* told: its home knows that it was destroyed */
    uint32_t parts;   /* a bit for each type of all_types */
    uint32_t number;  /* determines its values */
    bool disabled, spot_off;
} record;

typedef struct program {
    fixture f;
    covey_mpi_desc desc;
    const char *path;
    random_numbers random;
    record at[MOST];
    uint32_t count;
} program;

static void add_part(program *p, record *r, uint32_t part) {
    covey_world *world = p->f.world;
    r->parts |= 1u << part;
    if (r->owner != rank) return;
    if (part == 0) covey_add(world, r->e, Spot, { (int32_t)r->number, -1 });
    if (part == 1) covey_add(world, r->e, Bond, { p->at[r->number % p->count].e, p, r->number });
    if (part == 2) covey_add(world, r->e, Note, { r->number % 50 + 1, make_note(r->number).text });
    if (part == 3) covey_add(world, r->e, Stamp, { r->number });
    if (part == 4) covey_add_tag(world, r->e, Marked);
}

static void create(program *p) {
    if (p->count == MOST) return;
    record *r = &p->at[p->count++];
    *r = (record){ .owner = (int)below(&p->random, (uint32_t)size), .alive = true };
    r->number = below(&p->random, 1000000);
    r->e = shared(r->owner, r->owner == rank ? covey_create(p->f.world) : (covey_entity){ 0, 0 });
    CHECK(!covey_is_null(r->e));
    CHECK(covey_mpi_home(p->f.mpi, r->e) == r->owner);
    for (uint32_t i = 0; i + 1 < p->count; i++) CHECK(!covey_same(p->at[i].e, r->e));
    for (uint32_t part = 0; part < 5; part++)
        if (below(&p->random, 2) == 0) add_part(p, r, part);
    if (r->owner == rank) covey_add(p->f.world, r->e, Mood, { 1 });
}

static record *pick(program *p) { return &p->at[below(&p->random, p->count)]; }

static void destroy(program *p) {
    record *r = pick(p);
    if (!r->alive) return;
    if (r->owner == rank) CHECK(covey_destroy(p->f.world, r->e));
    r->alive = false;
    r->told = covey_mpi_home(p->f.mpi, r->e) == r->owner;
}

static void change(program *p) {
    record *r = pick(p);
    uint32_t part = below(&p->random, 5);
    if (!r->alive) return;
    if (r->parts >> part & 1) {
        if (r->owner == rank) CHECK(covey_remove_raw(p->f.world, r->e, all_types[part]));
        r->parts &= ~(1u << part);
        if (part == 0) r->spot_off = false;
    } else {
        add_part(p, r, part);
    }
}

static void turn_off(program *p) {
    record *r = pick(p);
    bool whole = below(&p->random, 2) == 0;
    if (!r->alive || (!whole && !(r->parts & 1))) return;
    *(whole ? &r->disabled : &r->spot_off) ^= true;
    if (r->owner != rank) return;
    if (whole) CHECK((r->disabled ? covey_disable : covey_enable)(p->f.world, r->e) == COVEY_OK);
    else if (r->spot_off) CHECK(covey_component_disable(p->f.world, r->e, Spot) == COVEY_OK);
    else CHECK(covey_component_enable(p->f.world, r->e, Spot) == COVEY_OK);
}

static void migrate(program *p) {
    covey_entity leaving[MOST];
    int targets[MOST];
    uint32_t count = 0, odds = 1 + below(&p->random, 8);
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->at[i];
        if (!r->alive || below(&p->random, odds) != 0) continue;
        int target = (int)below(&p->random, (uint32_t)size);
        if (r->owner == rank) {
            leaving[count] = r->e;
            targets[count++] = target;
        }
        r->owner = target;
    }
    CHECK(covey_mpi_migrate(p->f.mpi, leaving, targets, count) == COVEY_OK);
}

static void collect(program *p) {
    CHECK(covey_mpi_reclaim(p->f.mpi) == COVEY_OK);
    for (uint32_t i = 0; i < p->count; i++) p->at[i].told |= !p->at[i].alive;
}

static int place_of(const covey_world *world, covey_entity e, void *salt) {
    (void)world;
    return (int)((e.index * UINT32_C(2654435769) >> 8) % 1000 + *(const uint32_t *)salt) % size;
}

/* The job ends, and another one continues. It does not know who was destroyed away from home. */
static void restart(program *p) {
    uint32_t salt = below(&p->random, 1000);
    CHECK(covey_mpi_save(p->f.mpi, p->path) == COVEY_OK);
    end(&p->f);
    begin(&p->f, &p->desc);
    CHECK(covey_mpi_load(p->f.mpi, p->path, place_of, &salt) == COVEY_OK);
    for (uint32_t i = 0; i < p->count; i++) {
        p->at[i].told |= !p->at[i].alive;
        if (p->at[i].alive) p->at[i].owner = place_of(p->f.world, p->at[i].e, &salt);
    }
    remove_checkpoint(p->path);
}

static void check_here(const program *p, const record *r) {
    const covey_world *world = p->f.world;
    CHECK(covey_mpi_owns(p->f.mpi, r->e));
    for (uint32_t part = 0; part < 5; part++)
        CHECK(covey_has_raw(world, r->e, all_types[part]) == (r->parts >> part & 1));
    const Spot *spot = covey_get(world, r->e, Spot);
    const Bond *bond = covey_get(world, r->e, Bond);
    const Note *note = covey_get(world, r->e, Note);
    const Stamp *stamp = covey_get(world, r->e, Stamp);
    CHECK(!spot || (spot->x == (int32_t)r->number && spot->y == -1));
    CHECK(!bond || bond->number == r->number);
    CHECK(!bond || bond->cache == NULL || bond->cache == p);
    CHECK(!note || note->length == r->number % 50 + 1);
    for (uint32_t i = 0; note && i < note->length; i++) CHECK(note->text[i] == (char)('a' + (r->number + i) % 26));
    CHECK(!stamp || stamp->when == r->number);
    CHECK(covey_is_enabled(world, r->e) == !r->disabled);
    CHECK(!spot || covey_component_is_enabled(world, r->e, Spot) == !r->spot_off);
}

static void check(const program *p) {
    const char *why = NULL;
    uint32_t here = 0, away = 0;
    if (!covey_world_validate(p->f.world, &why)) fprintf(stderr, "%s\n", why);
    CHECK(!why);
    for (uint32_t i = 0; i < p->count; i++) {
        const record *r = &p->at[i];
        bool home = covey_mpi_home(p->f.mpi, r->e) == rank;
        if (r->alive && r->owner == rank) {
            check_here(p, r);
            here++;
        } else if (home && !r->told && r->owner != rank) {
            CHECK(covey_has(p->f.world, r->e, covey_away));
            CHECK(!covey_mpi_owns(p->f.mpi, r->e));
            const covey_type *types[2];
            CHECK(covey_types_of(p->f.world, r->e, types, 2) == 1);
            away++;
        } else {
            CHECK(!covey_alive(p->f.world, r->e));
        }
    }
    CHECK(covey_mpi_owned_count(p->f.mpi) == here);
    CHECK(covey_entity_count(p->f.world) == here + away);
}

static void programs_agree_with_the_oracle(void) {
    static void (*const steps[])(program *) = { create,   create,  create,  destroy, change, change,
                                                turn_off, migrate, migrate, collect, restart };
    for (uint32_t seed = 0; seed < (size < 3 ? 4u : 2u); seed++) {
        program *p = calloc(1, sizeof *p);
        p->random.state = seed;
        p->path = checkpoint_path();
        p->desc =
            (covey_mpi_desc){ .range_size = seed % 2 && COVEY_INDEX_BITS > 16 ? 4096 : 0, .first_index = seed % 3 };
        begin(&p->f, &p->desc);
        create(p);
        for (uint32_t step = 0; step < (size < 3 ? 150u : 80u); step++) {
            steps[below(&p->random, sizeof steps / sizeof *steps)](p);
            check(p);
        }
        end(&p->f);
        free(p);
    }
}

/* ---- Handles -----------------------------------------------------------------------------------------------------*/

static void indices_are_used_again_after_an_end_elsewhere(void) {
    fixture f;
    begin(&f, NULL);
    covey_entity e = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    int last = size - 1;
    CHECK(covey_mpi_migrate(f.mpi, &e, &last, rank == 0) == COVEY_OK);
    if (rank == last) CHECK(covey_destroy(f.world, e));
    covey_entity other = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    if (size > 1) CHECK(other.index != e.index);
    CHECK(covey_mpi_reclaim(f.mpi) == COVEY_OK);
    covey_entity next = shared(0, rank == 0 && size > 1 ? covey_create(f.world) : other);
    CHECK(next.index == e.index && next.generation == e.generation + 2);
    CHECK(!covey_alive(f.world, e));
    CHECK(covey_mpi_migrate(f.mpi, &next, &last, rank == 0) == COVEY_OK);
    CHECK(!covey_alive(f.world, e));
    if (rank == last) CHECK(covey_mpi_owns(f.mpi, next));
    end(&f);
}

/* An entity can move any number of times, and keeps its handle. */
static void an_entity_goes_round_and_comes_back(void) {
    fixture f;
    begin(&f, NULL);
    covey_entity e = shared(0, rank == 0 ? covey_create(f.world) : (covey_entity){ 0, 0 });
    if (rank == 0) covey_add(f.world, e, Spot, { 1, 2 });
    for (int step = 0; step < 3 * size; step++) {
        int from = step % size, to = (step + 1) % size;
        CHECK(covey_mpi_owns(f.mpi, e) == (rank == from));
        CHECK(covey_mpi_migrate(f.mpi, &e, &to, rank == from) == COVEY_OK);
    }
    CHECK(!covey_get(f.world, e, Spot) == (rank != 0));
    end(&f);
}

static void a_share_that_is_used_up_is_an_error_and_there_are_more(void) {
    fixture f;
    begin(&f, &(covey_mpi_desc){ .range_size = 5, .first_index = 3 });
    for (int i = 0; i < 5; i++) CHECK(covey_mpi_home(f.mpi, covey_create(f.world)) == rank);
    CHECK(covey_is_null(covey_create(f.world)));
    CHECK(covey_world_result(f.world) == COVEY_ERROR_FULL);
    for (int more = 1; more < COVEY_MPI_RANGES; more++) {
        covey_range range = covey_mpi_range_reserve(f.mpi);
        CHECK(range.count == 5);
        for (int i = 0; i < 5; i++) CHECK(covey_mpi_home(f.mpi, covey_create_in(f.world, range)) == rank);
        CHECK(covey_is_null(covey_create_in(f.world, range)));
    }
    CHECK(covey_mpi_range_reserve(f.mpi).count == 0);
    CHECK(covey_mpi_home(f.mpi, (covey_entity){ 2, 1 }) == -1);
    end(&f);
}

/* ---- Trees and names ---------------------------------------------------------------------------------------------*/

static void trees_move_with_their_names_and_order(void) {
    fixture f;
    begin(&f, &(covey_mpi_desc){ .trees = COVEY_MPI_TREES_MOVE });
    covey_entity e[6] = { { 0, 0 } };
    int last = size - 1;
    for (int i = 0; i < 6; i++) e[i] = shared(0, rank == 0 ? covey_create(f.world) : e[i]);
    if (rank == 0) {
        static const int parents[] = { -1, 0, 0, 1, 2, 1 };
        static const char *const names[] = { "ship", "gun", "hull", "barrel", NULL, "shell" };
        for (int i = 0; i < 6; i++) {
            if (parents[i] >= 0) CHECK(covey_parent_set(f.world, e[i], e[parents[i]]) == COVEY_OK);
            CHECK(covey_name_set(f.world, e[i], names[i]) == COVEY_OK);
        }
        CHECK(covey_child_move(f.world, e[2], e[1]) == COVEY_OK);
    }
    CHECK(covey_mpi_migrate(f.mpi, &e[1], &last, rank == 0) == (size > 0 ? COVEY_ERROR_REFUSED : COVEY_OK));
    for (int round = 0; round < 2; round++) { /* there and back */
        int from = round == 0 ? 0 : last, to = round == 0 ? last : 0;
        CHECK(covey_mpi_migrate(f.mpi, &e[0], &to, rank == from) == COVEY_OK);
        if (rank == to) {
            CHECK(covey_same(covey_find_path(f.world, (covey_entity){ 0, 0 }, "ship/gun/shell"), e[5]));
            CHECK(covey_same(covey_child_first(f.world, e[0]), e[2]));
            CHECK(covey_same(covey_child_last(f.world, e[0]), e[1]));
            CHECK(covey_same(covey_parent(f.world, e[4]), e[2]));
            CHECK(covey_same(covey_child_last(f.world, e[1]), e[5]));
        } else {
            for (int i = 0; i < 6; i++) {
                CHECK(covey_is_null(covey_parent(f.world, e[i])) && !covey_name(f.world, e[i]));
                CHECK(!covey_mpi_owns(f.mpi, e[i]));
            }
        }
    }
    end(&f);
}

static void trees_are_refused_unless_they_may_move(void) {
    fixture f;
    begin(&f, NULL);
    covey_entity e[2] = { covey_create(f.world), covey_create(f.world) };
    covey_parent_set(f.world, e[1], e[0]);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(covey_mpi_migrate(f.mpi, &e[i], &(int){ (rank + 1) % size }, 1) == COVEY_ERROR_REFUSED);
        CHECK(strstr(covey_mpi_report(f.mpi)->text, i == 0 ? "children" : "parent") != NULL);
        CHECK(covey_mpi_owns(f.mpi, e[i]));
    }
    CHECK(covey_same(covey_parent(f.world, e[1]), e[0]));
    end(&f);
}

/* ---- Over all ranks ----------------------------------------------------------------------------------------------*/

static void a_digest_does_not_depend_on_where_entities_are(void) {
    fixture f;
    begin(&f, NULL);
    const covey_type *spots[] = { covey_id(Spot), covey_id(Stamp), NULL };
    covey_entity e[50];
    int to[50];
    random_numbers r = { 5 };
    for (int i = 0; i < 50; i++) {
        int owner = i % size;
        e[i] = shared(owner, owner == rank ? covey_create(f.world) : (covey_entity){ 0, 0 });
        if (owner == rank) covey_add(f.world, e[i], Spot, { i, 2 * i });
        if (owner == rank) covey_add(f.world, e[i], Stamp, { (uint32_t)i });
    }
    uint64_t before, after, count;
    CHECK(covey_mpi_digest(f.mpi, spots, &before) == COVEY_OK);
    for (int round = 0; round < 5; round++) {
        covey_entity leaving[50];
        uint32_t leave = 0;
        for (int i = 0; i < 50; i++) {
            int target = (int)below(&r, (uint32_t)size);
            if (!covey_mpi_owns(f.mpi, e[i])) continue;
            to[leave] = target;
            leaving[leave++] = e[i];
        }
        CHECK(covey_mpi_migrate(f.mpi, leaving, to, leave) == COVEY_OK);
        CHECK(covey_mpi_digest(f.mpi, spots, &after) == COVEY_OK);
        CHECK(after == before);
    }
    CHECK(before == UINT64_C(0) || size > 0);
    covey_view view = covey_view_make(f.world, &(covey_view_desc){ .with = { covey_id(Spot) } });
    CHECK(covey_mpi_count(f.mpi, &view, &count) == COVEY_OK && count == 50);
    if (covey_mpi_owns(f.mpi, e[7])) covey_get(f.world, e[7], Spot)->x++;
    CHECK(covey_mpi_digest(f.mpi, spots, &after) == COVEY_OK);
    CHECK(after != before);
    CHECK(covey_mpi_digest(f.mpi, (const covey_type *[]){ covey_id(Note), NULL }, &after) == COVEY_ERROR_TYPE);
    CHECK(covey_mpi_digest(f.mpi, (const covey_type *[]){ covey_id(Mood), NULL }, &after) == COVEY_ERROR_TYPE);
    end(&f);
}

static void numbers_are_reduced(void) {
    fixture f;
    begin(&f, NULL);
    int64_t whole[2] = { rank, -rank };
    double parts[2] = { rank == 0 ? 1e17 : 1.0, rank };
    CHECK(covey_mpi_reduce_i64(f.mpi, COVEY_MPI_SUM, whole, 2) == COVEY_OK);
    CHECK(whole[0] == (int64_t)size * (size - 1) / 2 && whole[1] == -whole[0]);
    CHECK(covey_mpi_reduce_i64(f.mpi, COVEY_MPI_MAX, (whole[0] = rank, whole), 1) == COVEY_OK && whole[0] == size - 1);
    CHECK(covey_mpi_reduce_f64(f.mpi, COVEY_MPI_SUM, parts, 2) == COVEY_OK);
    CHECK(parts[0] == 1e17); /* each 1 is lost, because it is added to the large number */
    parts[0] = rank;
    CHECK(covey_mpi_reduce_f64(f.mpi, COVEY_MPI_MIN, parts, 1) == COVEY_OK && parts[0] == 0);
    end(&f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "programs_agree_with_the_oracle", programs_agree_with_the_oracle },
        { "indices_are_used_again_after_an_end_elsewhere", indices_are_used_again_after_an_end_elsewhere },
        { "an_entity_goes_round_and_comes_back", an_entity_goes_round_and_comes_back },
        { "a_share_that_is_used_up_is_an_error_and_there_are_more",
          a_share_that_is_used_up_is_an_error_and_there_are_more },
        { "trees_move_with_their_names_and_order", trees_move_with_their_names_and_order },
        { "trees_are_refused_unless_they_may_move", trees_are_refused_unless_they_may_move },
        { "a_digest_does_not_depend_on_where_entities_are", a_digest_does_not_depend_on_where_entities_are },
        { "numbers_are_reduced", numbers_are_reduced },
    };
    return RUN_TESTS(argc, argv, tests);
}
