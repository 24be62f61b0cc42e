/* Ghosts: copies of entities on other ranks. */
#include "ghosts.h"
#include "support.h"

#include <stdlib.h>

static const covey_entity none = { 0, 0 };

/* A component that says which ranks have a ghost: a bit for each. */
typedef struct {
    uint32_t near, value;
} Beacon;
typedef struct {
    float a, b, c;
} Tail;
COVEY_COMPONENT_DECLARE(Beacon);
COVEY_COMPONENT_DECLARE(Tail);
COVEY_COMPONENT_DEFINE(Beacon, .as_bytes = true, .ticks = true);
COVEY_COMPONENT_DEFINE(Tail, .as_bytes = true, .ticks = true, .storage = COVEY_STORAGE_SPARSE);

static const covey_type *const moving[] = {
    covey_id(Beacon), covey_id(Tail), covey_id(Spot), covey_id(Bond), covey_id(Note), covey_id(Marked), NULL
};
enum { BEACON = 1, TAIL = 2, SPOT = 4, BOND = 8, NOTE = 16, MARKED = 32, KINDS = 6 };

/* The components of ghosts, in three forms: only types with ticks, only one type, and all kinds. */
static const covey_type *const ghosts_with_ticks[] = { covey_id(Beacon), covey_id(Tail), NULL };
static const covey_type *const ghosts_of_one[] = { covey_id(Beacon), NULL };
static const covey_type *const ghosts_of_many[] = { covey_id(Bond), covey_id(Beacon), covey_id(Marked), covey_id(Spot),
                                                    NULL };
static const struct form {
    const covey_type *const *types;
    uint32_t parts;
} forms[] = { { ghosts_with_ticks, BEACON | TAIL },
              { ghosts_of_one, BEACON },
              { ghosts_of_many, BEACON | BOND | MARKED | SPOT } };

static uint32_t by_beacon(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)context;
    uint32_t count = 0, near = covey_get(world, e, Beacon)->near;
    for (int r = 0; r < size; r++)
        if (near >> r & 1) ranks[count++] = r;
    return count;
}

static void succeed(const fixture *f, covey_result result) {
    if (result != COVEY_OK) fprintf(stderr, "%s\n", covey_mpi_report(f->mpi)->text);
    CHECK(result == COVEY_OK);
}

static void describe(fixture *f, const struct form *form) {
    CHECK(covey_mpi_ghosts_define(f->mpi, &(covey_mpi_ghosts_desc){ .types = form->types, .near = by_beacon }) ==
          COVEY_OK);
}

/* ---- Random programs against an oracle ------------------------------------------------------------------------------
 *
 * As in test_migrate.c: all ranks draw the same numbers, and keep the same list of all entities. */

enum { MOST = 200 };

typedef struct record {
    covey_entity e;
    int owner;
    bool alive, told;
    uint32_t parts;
    uint32_t near, number, value; /* of Beacon, Beacon and the others */
    /* As of the last refresh: */
    uint32_t ghosts; /* a bit for each rank that has one */
    int from;
    uint32_t ghost_near, ghost_number, ghost_value;
} record;

typedef struct program {
    fixture f;
    random_numbers random;
    const struct form *form;
    record at[MOST];
    uint32_t count;
} program;

static void set_part(program *p, const record *r, uint32_t part) {
    covey_world *world = p->f.world;
    float value = (float)r->value;
    if (part == BEACON) covey_set(world, r->e, Beacon, { r->near, r->number });
    if (part == TAIL) covey_set(world, r->e, Tail, { value, value + 1, -value });
    if (part == SPOT) covey_set(world, r->e, Spot, { (int32_t)r->value, -1 });
    if (part == BOND) covey_set(world, r->e, Bond, { r->e, p, r->value });
    if (part == NOTE && !covey_has(world, r->e, Note)) covey_add(world, r->e, Note, { 1, make_note(0).text });
    if (part == MARKED) covey_set_tag(world, r->e, Marked);
}

static void set_parts(program *p, const record *r) {
    for (uint32_t part = 1; part < 1u << KINDS; part <<= 1)
        if (r->parts & part && r->owner == rank) set_part(p, r, part);
}

static void create(program *p) {
    if (p->count == MOST) return;
    record *r = &p->at[p->count++];
    *r = (record){ .owner = (int)below(&p->random, (uint32_t)size), .alive = true };
    r->e = shared(r->owner, r->owner == rank ? covey_create(p->f.world) : none);
    r->near = below(&p->random, 16);
    r->number = below(&p->random, 1000);
    r->value = below(&p->random, 1000);
    for (uint32_t part = 1; part < 1u << KINDS; part <<= 1)
        if (below(&p->random, 4) != 0) r->parts |= part;
    set_parts(p, r);
}

static record *pick(program *p) {
    record *r = &p->at[below(&p->random, p->count)];
    return r->alive ? r : &p->at[p->count - 1];
}

static void destroy(program *p) {
    record *r = pick(p);
    if (!r->alive) return;
    if (r->owner == rank) CHECK(covey_destroy(p->f.world, r->e));
    r->alive = false;
    r->told = covey_mpi_home(p->f.mpi, r->e) == r->owner;
}

static void change(program *p) {
    record *r = pick(p);
    uint32_t what = below(&p->random, 4), part = 1u << below(&p->random, KINDS);
    if (!r->alive) return;
    if (what == 0) r->near = below(&p->random, 16);
    if (what == 1) r->number = below(&p->random, 1000);
    if (what == 2) r->value = below(&p->random, 1000);
    if (what == 3 && r->parts & part) {
        if (r->owner == rank) {
            for (uint32_t i = 0; i < KINDS; i++)
                if (part == 1u << i) CHECK(covey_remove_raw(p->f.world, r->e, moving[i]));
        }
        r->parts &= ~part;
    } else if (what == 3) {
        r->parts |= part;
    }
    /* Sets only values that changed, so that refreshes send little. */
    if (r->owner != rank) return;
    for (uint32_t kind = 1; kind < 1u << KINDS; kind <<= 1) {
        bool changed = what == 3 ? kind == part : (kind == BEACON) == (what < 2);
        if (r->parts & kind && changed) set_part(p, r, kind);
    }
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
        if (target != r->owner) r->ghosts &= ~(1u << target); /* the ghost became the entity */
        r->owner = target;
    }
    CHECK(covey_mpi_migrate(p->f.mpi, leaving, targets, count) == COVEY_OK);
}

static void collect(program *p) {
    CHECK(covey_mpi_reclaim(p->f.mpi) == COVEY_OK);
    for (uint32_t i = 0; i < p->count; i++) p->at[i].told |= !p->at[i].alive;
}

/* The model of covey_mpi_ghosts_refresh. */
static void expect_refreshed(program *p) {
    for (uint32_t i = 0; i < p->count; i++) {
        record *r = &p->at[i];
        bool seen = r->alive && (r->parts & p->form->parts) == p->form->parts;
        r->ghosts = seen ? r->near & ((1u << size) - 1) & ~(1u << r->owner) : 0;
        r->from = r->owner;
        r->ghost_near = r->near;
        r->ghost_number = r->number;
        r->ghost_value = r->value;
    }
}

static void refresh(program *p) {
    uint64_t before, after, count, expected = 0;
    const covey_type *types[] = { covey_id(Beacon), NULL };
    CHECK(covey_mpi_digest(p->f.mpi, types, &before) == COVEY_OK);
    succeed(&p->f, (below(&p->random, 4) == 0 ? covey_mpi_ghosts_refresh_all : covey_mpi_ghosts_refresh)(p->f.mpi));
    CHECK(covey_mpi_digest(p->f.mpi, types, &after) == COVEY_OK);
    CHECK(before == after);
    expect_refreshed(p);
    covey_view view = covey_view_of(p->f.world, Beacon);
    CHECK(covey_mpi_count(p->f.mpi, &view, &count) == COVEY_OK);
    for (uint32_t i = 0; i < p->count; i++) expected += p->at[i].alive && p->at[i].parts & BEACON;
    CHECK(count == expected);
}

static void redescribe(program *p) {
    if (below(&p->random, 4) != 0) return;
    p->form = &forms[below(&p->random, sizeof forms / sizeof *forms)];
    describe(&p->f, p->form);
    for (uint32_t i = 0; i < p->count; i++) p->at[i].ghosts = 0;
}

static void check_values(const program *p, const record *r, uint32_t parts, bool ghost) {
    const covey_world *world = p->f.world;
    for (uint32_t i = 0; i < KINDS; i++) CHECK(covey_has_raw(world, r->e, moving[i]) == (parts >> i & 1));
    const Beacon *beacon = covey_get(world, r->e, Beacon);
    const Tail *tail = covey_get(world, r->e, Tail);
    const Spot *spot = covey_get(world, r->e, Spot);
    const Bond *bond = covey_get(world, r->e, Bond);
    uint32_t value = ghost ? r->ghost_value : r->value;
    CHECK(!beacon || beacon->near == (ghost ? r->ghost_near : r->near));
    CHECK(!beacon || beacon->value == (ghost ? r->ghost_number : r->number));
    CHECK(!tail || (tail->a == (float)value && tail->b == (float)value + 1 && tail->c == -(float)value));
    CHECK(!spot || (spot->x == (int32_t)value && spot->y == -1));
    CHECK(!bond || (bond->number == value && covey_same(bond->other, r->e)));
    CHECK(!bond || bond->cache == NULL || (!ghost && bond->cache == p));
}

static void check_ghost(const program *p, const record *r) {
    const covey_ghost *mark = covey_get(p->f.world, r->e, covey_ghost);
    CHECK(mark && mark->rank == r->from);
    CHECK(!covey_mpi_owns(p->f.mpi, r->e));
    check_values(p, r, p->form->parts, true);
}

static void check(const program *p) {
    const char *why = NULL;
    uint32_t here = 0, ghosts = 0, unsure = 0;
    if (!covey_world_validate(p->f.world, &why)) fprintf(stderr, "%s\n", why);
    CHECK(!why);
    for (uint32_t i = 0; i < p->count; i++) {
        const record *r = &p->at[i];
        bool home = covey_mpi_home(p->f.mpi, r->e) == rank;
        if (r->alive && r->owner == rank) {
            CHECK(covey_mpi_owns(p->f.mpi, r->e));
            check_values(p, r, r->parts, false);
            here++;
        } else if (!r->alive && r->ghosts >> rank & 1) {
            unsure++; /* it is removed at the next refresh, or when its index is used again */
        } else if (r->ghosts >> rank & 1) {
            check_ghost(p, r);
            ghosts++;
        } else if (!(home && !r->told && r->owner != rank)) {
            CHECK(!covey_alive(p->f.world, r->e));
        } else if (r->alive) {
            const covey_type *types[2];
            CHECK(covey_has(p->f.world, r->e, covey_away));
            CHECK(covey_types_of(p->f.world, r->e, types, 2) == 1);
        }
    }
    CHECK(covey_mpi_owned_count(p->f.mpi) == here);
    uint32_t all = covey_pool_count(covey_pool_of(p->f.world, covey_ghost));
    CHECK(all >= ghosts && all <= ghosts + unsure);
}

static void programs_agree_with_the_oracle(void) {
    static void (*const steps[])(program *) = { create, create,  destroy, change,  change,  change,
                                                change, migrate, collect, refresh, refresh, redescribe };
    for (uint32_t seed = 0; seed < (size < 3 ? 12u : 6u); seed++) {
        program *p = calloc(1, sizeof *p);
        p->random.state = seed;
        p->form = &forms[seed % 3];
        begin(&p->f, &(covey_mpi_desc){ .types = moving });
        describe(&p->f, p->form);
        create(p);
        for (uint32_t step = 0; step < (size < 3 ? 250u : 120u); step++) {
            steps[below(&p->random, sizeof steps / sizeof *steps)](p);
            check(p);
        }
        CHECK(covey_mpi_ghosts_define(p->f.mpi, NULL) == COVEY_OK);
        CHECK(covey_pool_count(covey_pool_of(p->f.world, covey_ghost)) == 0);
        end(&p->f);
        free(p);
    }
}

/* ---- What is sent ------------------------------------------------------------------------------------------------*/

enum { EACH = 100 };

typedef struct crowd {
    fixture f;
    covey_entity e[EACH];
    int to[EACH];
} crowd;

/* Some entities on each rank, with ghosts everywhere. */
static void begin_crowd(crowd *c, const struct form *form, uint32_t count) {
    begin(&c->f, &(covey_mpi_desc){ .types = moving });
    describe(&c->f, form);
    for (uint32_t i = 0; i < count; i++) {
        c->e[i] = covey_create(c->f.world);
        c->to[i] = (rank + 1) % size;
        covey_add(c->f.world, c->e[i], Beacon, { UINT32_MAX, i });
        covey_add(c->f.world, c->e[i], Tail, { (float)i, 0, 0 });
        covey_add(c->f.world, c->e[i], Spot, { (int32_t)i, 0 });
        covey_add(c->f.world, c->e[i], Bond, { c->e[i], NULL, i });
        covey_add_tag(c->f.world, c->e[i], Marked);
    }
    CHECK(covey_mpi_ghosts_refresh(c->f.mpi) == COVEY_OK);
}

static uint64_t values_sent(const crowd *c) { return covey_mpi_stats_of(c->f.mpi).values_sent; }

static void only_what_has_changed_is_sent(void) {
    crowd c;
    begin_crowd(&c, &forms[0], EACH);
    uint64_t others = (uint64_t)size - 1, before = values_sent(&c), bytes = covey_mpi_stats_of(c.f.mpi).bytes_sent;
    CHECK(covey_mpi_stats_of(c.f.mpi).ghosts_created == EACH * others);
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    CHECK(values_sent(&c) == before);
    CHECK(covey_mpi_stats_of(c.f.mpi).bytes_sent == bytes); /* nothing changed: no message */
    covey_set(c.f.world, c.e[3], Tail, { 1, 2, 3 });
    covey_get(c.f.world, c.e[4], Beacon)->value = 7;
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    CHECK(values_sent(&c) == before + others); /* the other value was not sent */
    covey_patch(c.f.world, c.e[4], Beacon, NULL, NULL);
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    CHECK(values_sent(&c) == before + 2 * others);
    CHECK(covey_mpi_ghosts_refresh_all(c.f.mpi) == COVEY_OK);
    CHECK(values_sent(&c) == before + 2 * others + 2 * EACH * others);
    end(&c.f);
}

/* ---- Partial changes ----------------------------------------------------------------------------------------------*/

typedef struct {
    uint32_t version, index;
} Left, Right;
COVEY_COMPONENT_DECLARE(Left);
COVEY_COMPONENT_DECLARE(Right);
COVEY_COMPONENT_DEFINE(Left, .as_bytes = true, .ticks = true, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Right, .as_bytes = true, .ticks = true, .storage = COVEY_STORAGE_SPARSE);

enum { HERD = 185 }; /* on each rank; coprime to 9 and 13 */
typedef struct herd {
    fixture f;
    covey_entity e[HERD], all[4][HERD]; /* of this rank, of all */
    uint32_t left[HERD], right[HERD];   /* versions, the same on all ranks */
} herd;

/* A third have a ghost on all ranks, a third on the next one. */
static bool has_ghost_on(uint32_t i, int owner, int other) {
    if (other == owner || i % 3 == 0) return false;
    return i % 3 == 1 || other == (owner + 1) % size;
}

static uint32_t by_thirds(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)context;
    uint32_t count = 0;
    for (int r = 0; r < size; r++)
        if (has_ghost_on(covey_get(world, e, Left)->index, rank, r)) ranks[count++] = r;
    return count;
}

/* Each type in its own order, or both in the same order with some neighbours swapped. */
static uint32_t in_order(uint32_t i, uint32_t factor, bool swapped) {
    if (!swapped) return i * factor % HERD;
    return i % 4 == 1 ? i + 1 : i % 4 == 2 ? i - 1 : i;
}

static void begin_herd(herd *h, bool swapped) {
    static const covey_type *const types[] = { covey_id(Left), covey_id(Right), NULL };
    begin(&h->f, &(covey_mpi_desc){ .types = types, .range_size = 200 });
    CHECK(covey_mpi_ghosts_define(h->f.mpi, &(covey_mpi_ghosts_desc){ .types = types, .near = by_thirds }) == COVEY_OK);
    CHECK(covey_create_many(h->f.world, h->e, HERD));
    for (int owner = 0; owner < size; owner++)
        for (uint32_t i = 0; i < HERD; i++) h->all[owner][i] = shared(owner, h->e[i]);
    for (uint32_t i = 0; i < HERD; i++) {
        uint32_t a = in_order(i, 9, swapped), b = in_order(i, 13, swapped);
        covey_add(h->f.world, h->e[a], Left, { 0, a });
        covey_add(h->f.world, h->e[b], Right, { 0, b });
        h->left[i] = h->right[i] = 0;
    }
    CHECK(covey_mpi_ghosts_refresh(h->f.mpi) == COVEY_OK);
}

static void change_shares(herd *h, random_numbers *r, uint32_t left, uint32_t right) {
    for (uint32_t i = 0; i < HERD; i++) {
        if (below(r, left) == 0) covey_set(h->f.world, h->e[i], Left, { ++h->left[i], i });
        if (below(r, right) == 0) covey_set(h->f.world, h->e[i], Right, { ++h->right[i], i });
    }
}

static void check_herd(const herd *h) {
    for (int owner = 0; owner < size; owner++)
        for (uint32_t i = 0; i < HERD; i++) {
            const Left *left = covey_get(h->f.world, h->all[owner][i], Left);
            const Right *right = covey_get(h->f.world, h->all[owner][i], Right);
            CHECK((left != NULL) == (owner == rank || has_ghost_on(i, owner, rank)) && !left == !right);
            CHECK(!left || (left->version == h->left[i] && left->index == i));
            CHECK(!right || (right->version == h->right[i] && right->index == i));
        }
}

/* Few changes are sent from lists, many in the order of the pools. */
static void each_share_of_a_crowd_may_change(void) {
    static const uint32_t shares[] = { 1, 2, 5, 20, 100 };
    static herd h;
    random_numbers r = { 7 };
    for (uint32_t swapped = 0; swapped < 2; swapped++) {
        begin_herd(&h, swapped);
        for (uint32_t round = 0; round < 50; round++) {
            change_shares(&h, &r, shares[round % 5], shares[round / 5 % 5]);
            CHECK((round % 7 == 3 ? covey_mpi_ghosts_refresh_all : covey_mpi_ghosts_refresh)(h.f.mpi) == COVEY_OK);
            check_herd(&h);
        }
        end(&h.f);
    }
}

/* Views see changed values of ghosts as changed. */
static void a_view_sees_which_ghosts_changed(void) {
    crowd c;
    begin_crowd(&c, &forms[0], EACH);
    uint64_t seen = covey_tick_advance(c.f.world);
    covey_view changed = covey_view_make(c.f.world, &(covey_view_desc){ .with = { covey_ids(Tail, covey_ghost) },
                                                                        .read = { covey_ids(Tail, covey_ghost) },
                                                                        .changed = { covey_id(Tail) } });
    covey_set(c.f.world, c.e[3], Tail, { 1, 2, (float)rank });
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    int found = 0;
    covey_iter it = covey_view_iter_since(&changed, seen);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++, found++)
            CHECK(covey_field_const(&it, 0, Tail)[i].c == (float)covey_field_const(&it, 1, covey_ghost)[i].rank);
    CHECK(found == size - 1);
    end(&c.f);
}

/* The world may change between packing and applying; the next refresh sends these changes. Another collective call
 * cancels the refresh. */
static void change_within_a_refresh(bool ended) {
    crowd c;
    uint64_t count;
    begin_crowd(&c, &forms[0], 10);
    covey_entity late = covey_create(c.f.world), gone = covey_create(c.f.world);
    covey_add(c.f.world, gone, Beacon, { UINT32_MAX, 1 });
    covey_add(c.f.world, gone, Tail, { 0 });
    covey_set(c.f.world, c.e[5], Beacon, { 0, 5 });
    CHECK(covey__mpi_ghosts_pack(c.f.mpi) == COVEY_OK);
    covey_view view = covey_view_of(c.f.world, Beacon);
    covey_destroy(c.f.world, gone);
    covey_destroy(c.f.world, c.e[1]);
    covey_remove(c.f.world, c.e[2], Tail);
    covey_set(c.f.world, c.e[3], Tail, { 9, 9, 9 });
    covey_destroy(c.f.world, c.e[5]);
    covey_add(c.f.world, late, Beacon, { UINT32_MAX, 2 });
    covey_add(c.f.world, late, Tail, { 0 });
    covey_result wanted = ended ? COVEY_ERROR_REFUSED : COVEY_OK;
    if (ended) CHECK(covey_mpi_count(c.f.mpi, &view, &count) == COVEY_OK);
    CHECK(covey__mpi_ghosts_transfer(c.f.mpi) == wanted);
    CHECK(covey__mpi_ghosts_apply(c.f.mpi) == wanted);
    covey_pool *ghost = covey_pool_of(c.f.world, covey_ghost);
    CHECK(covey_pool_count(ghost) == 10 * (uint32_t)(size - 1));
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    CHECK(covey_pool_count(ghost) == 8 * (uint32_t)(size - 1));
    for (uint32_t p = covey_pool_next(ghost, 0); p != COVEY_NONE; p = covey_pool_next(ghost, p + 1)) {
        const Beacon *beacon = covey_get(c.f.world, covey_pool_at(ghost, p), Beacon);
        const Tail *tail = covey_get(c.f.world, covey_pool_at(ghost, p), Tail);
        CHECK(beacon && tail && beacon->value != 1 && beacon->value != 5);
        CHECK(beacon->value != 3 || tail->a == 9);
    }
    end(&c.f);
}

static void the_world_may_change_while_a_refresh_is_under_way(void) {
    change_within_a_refresh(false);
    change_within_a_refresh(true);
}

/* ---- What goes wrong ---------------------------------------------------------------------------------------------*/

static uint64_t state_of(const crowd *c) {
    uint64_t hash = 0;
    covey_world *world = c->f.world;
    for (covey_entity e = covey_entity_next(world, none); !covey_is_null(e); e = covey_entity_next(world, e)) {
        const covey_type *types[16];
        uint32_t count = covey_types_of(world, e, types, 16);
        hash = covey__mpi_hash(hash + count, &e, sizeof e);
        for (uint32_t i = 0; i < count; i++) {
            hash = covey__mpi_hash(hash, types[i]->name, strlen(types[i]->name));
            if (types[i] == covey_id(Bond)) hash += covey_get(world, e, Bond)->number;
            else if (types[i] == covey_id(Note)) hash += covey_get(world, e, Note)->length;
            else if (types[i]->size != 0)
                hash = covey__mpi_hash(hash, covey_get_raw(world, e, types[i]), types[i]->size);
        }
    }
    return hash;
}

/* Ghosts are created, removed and changed, and those of moved entities come from another rank. */
static void change_crowd(crowd *c) {
    CHECK(covey_mpi_migrate(c->f.mpi, c->e, c->to, 5) == COVEY_OK);
    for (uint32_t i = 5; i < 10; i++) covey_set(c->f.world, c->e[i], Beacon, { 0, 0 });
    for (uint32_t i = 10; i < 15; i++) covey_set(c->f.world, c->e[i], Spot, { -1, -1 });
    for (uint32_t i = 0; i < 4; i++) {
        covey_entity e = covey_create(c->f.world);
        covey_add(c->f.world, e, Beacon, { UINT32_MAX, 9 });
        covey_add(c->f.world, e, Spot, { 9, 9 });
        covey_add(c->f.world, e, Bond, { e, NULL, 9 });
        covey_add_tag(c->f.world, e, Marked);
        covey_add(c->f.world, e, Tail, { 0 });
    }
    for (uint32_t i = 15; i < 18; i++) covey_destroy(c->f.world, c->e[i]);
    /* Entities that will move have other values than their ghosts, and a component that allocates when it arrives. */
    for (uint32_t i = 20; i < 22; i++) {
        covey_set(c->f.world, c->e[i], Spot, { -2, (int32_t)i });
        covey_set(c->f.world, c->e[i], Beacon, { UINT32_MAX, 100 + i });
        covey_add(c->f.world, c->e[i], Note, { 1, make_note(0).text });
    }
}

static covey_result send_back(crowd *c) {
    int home[3] = { (rank + size - 1) % size, rank, (rank + 1) % size };
    covey_entity leaving[3] = { none, c->e[20], c->e[21] };
    covey_view guests = covey_view_make(
        c->f.world, &(covey_view_desc){ .with = { covey_id(Beacon) }, .without = { covey_id(covey_ghost) } });
    covey_iter it = covey_view_iter(&guests);
    while (covey_next(&it)) {
        covey_entity e = covey_span_entity(&it, it.count - 1);
        if (covey_mpi_home(c->f.mpi, e) == home[0]) leaving[0] = e;
    }
    if (size == 1) return covey_mpi_migrate(c->f.mpi, leaving + 1, home + 1, 2);
    return covey_mpi_migrate(c->f.mpi, leaving, home, 3);
}

static covey_result refresh_crowd(crowd *c) { return covey_mpi_ghosts_refresh(c->f.mpi); }
static covey_result describe_again(crowd *c) {
    return covey_mpi_ghosts_define(c->f.mpi, &(covey_mpi_ghosts_desc){ .types = ghosts_with_ticks, .near = by_beacon });
}

static bool fails_at(covey_result (*step)(crowd *), const struct form *form, int victim, uint64_t at) {
    crowd c;
    begin_crowd(&c, form, 25);
    change_crowd(&c);
    uint64_t before = state_of(&c);
    if (rank == victim) c.f.memory.fail_at = c.f.memory.calls + at;
    covey_result result = step(&c);
    int any = over_all(c.f.memory.fail_at != 0 && c.f.memory.calls >= c.f.memory.fail_at, MPI_MAX);
    c.f.memory.fail_at = 0;
    CHECK(result == COVEY_OK || (any && result == COVEY_ERROR_MEMORY));
    const char *why = NULL;
    CHECK(covey_world_validate(c.f.world, &why));
    if (result != COVEY_OK) {
        CHECK(state_of(&c) == before);
        succeed(&c.f, step(&c));
    }
    uint64_t after = state_of(&c), expected = after;
    covey_mpi_ghosts_refresh(c.f.mpi);
    end(&c.f);
    /* The same without a failure. */
    begin_crowd(&c, form, 25);
    change_crowd(&c);
    succeed(&c.f, step(&c));
    CHECK(state_of(&c) == expected);
    end(&c.f);
    return any != 0;
}

static void memory_that_is_out_on_one_rank_fails_a_refresh_on_all(void) {
    static covey_result (*const steps[])(crowd *) = { refresh_crowd, send_back, describe_again };
    uint64_t stride = size < 3 ? 1 : 7; /* many ranks on few cores are slow */
    for (uint32_t s = 0; s < 3; s++)
        for (int victim = 0; victim < size; victim++)
            for (uint64_t at = 1; fails_at(steps[s], &forms[s == 1 ? 2 : s], victim, at);) at += stride;
}

static void expect(crowd *c, covey_result result, covey_result expected, const char *text) {
    CHECK(result == expected);
    if (!strstr(covey_mpi_report(c->f.mpi)->text, text)) fprintf(stderr, "%s\n", covey_mpi_report(c->f.mpi)->text);
    CHECK(strstr(covey_mpi_report(c->f.mpi)->text, text) != NULL);
}

static uint32_t too_far(const covey_world *world, covey_entity e, int *ranks, void *context) {
    (void)world;
    (void)e;
    (void)context;
    ranks[0] = rank == size - 1 ? size : rank;
    return 1;
}

static void what_cannot_be_is_refused(void) {
    crowd c;
    static const covey_type *const notes_too[] = { covey_id(Beacon), covey_id(Note), NULL };
    static const covey_type *const moods_too[] = { covey_id(Mood), NULL };
    begin(&c.f, &(covey_mpi_desc){ .types = moving });
    expect(&c, covey_mpi_ghosts_refresh(c.f.mpi), COVEY_ERROR_REFUSED, "covey_mpi_ghosts_define");
    covey_mpi_ghosts_desc desc = { .types = notes_too, .near = by_beacon };
    expect(&c, covey_mpi_ghosts_define(c.f.mpi, &desc), COVEY_ERROR_TYPE, "ghosts cannot have Note: it has functions");
    desc.types = moods_too;
    expect(&c, covey_mpi_ghosts_define(c.f.mpi, &desc), COVEY_ERROR_TYPE, "ghosts cannot have Mood: it is not one of");
    expect(&c, covey_mpi_ghosts_define(c.f.mpi, &(covey_mpi_ghosts_desc){ .near = by_beacon }), COVEY_ERROR_TYPE,
           ".types");
    desc.types = rank == size - 1 ? ghosts_of_one : ghosts_with_ticks;
    if (size > 1) expect(&c, covey_mpi_ghosts_define(c.f.mpi, &desc), COVEY_ERROR_LAYOUT, "types of ghosts differ");
    end(&c.f);
    begin_crowd(&c, &forms[0], 10);
    int other = (rank + 1) % size, here = rank;
    covey_pool *ghost = covey_pool_of(c.f.world, covey_ghost);
    covey_entity first = covey_pool_count(ghost) ? covey_pool_at(ghost, covey_pool_next(ghost, 0)) : none;
    if (size > 1) expect(&c, covey_mpi_migrate(c.f.mpi, &first, &other, 1), COVEY_ERROR_DEAD, "it is a ghost");
    CHECK(covey_mpi_migrate(c.f.mpi, c.e, &here, 1) == COVEY_OK);
    /* An answer of `near` that is no rank leaves ghosts as they are. */
    uint64_t before = state_of(&c);
    desc = (covey_mpi_ghosts_desc){ .types = ghosts_with_ticks, .near = too_far };
    c.f.mpi->ghosts->near = too_far;
    expect(&c, covey_mpi_ghosts_refresh_all(c.f.mpi), COVEY_ERROR_RANGE, "cannot have a ghost on rank");
    CHECK(state_of(&c) == before);
    end(&c.f);
}

/* Programs must not change ghosts. If one does, the worlds stay valid. */
static void ghosts_that_were_destroyed_stay_so(void) {
    crowd c;
    begin_crowd(&c, &forms[0], 10);
    covey_pool *ghost = covey_pool_of(c.f.world, covey_ghost);
    uint32_t all = covey_pool_count(ghost);
    if (size > 1) covey_destroy(c.f.world, covey_pool_at(ghost, covey_pool_next(ghost, 0)));
    if (size > 1) covey_remove(c.f.world, covey_pool_at(ghost, covey_pool_next(ghost, 0)), Tail);
    CHECK(covey_mpi_ghosts_refresh_all(c.f.mpi) == COVEY_OK);
    CHECK(covey_pool_count(ghost) == (size > 1 ? all - 1 : 0));
    describe(&c.f, &forms[0]);
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    CHECK(covey_pool_count(ghost) == all);
    end(&c.f);
}

/* The ghost that would become the entity lost a component: no entity moves, and nothing changes. */
static void an_entity_does_not_arrive_where_its_ghost_was_changed(void) {
    crowd c;
    begin_crowd(&c, &forms[0], 10);
    covey_entity first = shared(0, c.e[0]);
    int last = size - 1;
    if (rank == last && size > 1) CHECK(covey_remove(c.f.world, first, Tail));
    uint64_t before = state_of(&c);
    covey_result result = covey_mpi_migrate(c.f.mpi, &first, &last, rank == 0);
    if (size > 1) expect(&c, result, COVEY_ERROR_ABSENT, "its ghost lost Tail");
    CHECK(state_of(&c) == before);
    end(&c.f);
}

/* ---- Messages ----------------------------------------------------------------------------------------------------*/

static bool is_read(crowd *c, int source, const unsigned char *bytes, uint64_t length) {
    covey__mpi_ghost_message message;
    const char *why = NULL;
    unsigned char *copy = aligned_alloc(64, (size_t)(length + 64) / 64 * 64);
    memcpy(copy, bytes, (size_t)length);
    bool read = covey__mpi_ghost_message_read(c->f.mpi, source, copy, length, &message, &why);
    CHECK(read || why);
    free(copy);
    return read;
}

static void sign(unsigned char *bytes, uint64_t length) {
    memcpy(bytes + 16, &length, sizeof length);
    uint64_t checksum = covey__mpi_ghost_message_checksum(bytes, length);
    memcpy(bytes + 8, &checksum, sizeof checksum);
}

static void damaged_messages_are_refused(void) {
    crowd c;
    begin_crowd(&c, &forms[2], 25);
    change_crowd(&c);
    CHECK(covey__mpi_ghosts_pack(c.f.mpi) == COVEY_OK);
    int other = (rank + 1) % size;
    CHECK(covey__mpi_ghosts_transfer(c.f.mpi) == COVEY_OK);
    uint64_t length = c.f.mpi->receive_sizes[other];
    unsigned char *message = c.f.mpi->ghosts->received + c.f.mpi->receive_offsets[other];
    if (size > 1) {
        CHECK(is_read(&c, other, message, length));
        for (uint64_t cut = 0; cut < length; cut++) CHECK(!is_read(&c, other, message, cut));
        for (uint64_t at = 0; at < length; at++) {
            message[at] ^= 0x10;
            CHECK(!is_read(&c, other, message, length));
            message[at] ^= 0x10;
        }
        uint32_t refused = 0;
        random_numbers r = { (uint64_t)rank };
        unsigned char *hostile = malloc((size_t)length);
        for (uint32_t i = 0; i < 10000; i++) {
            memcpy(hostile, message, (size_t)length);
            uint64_t cut = below(&r, 4) ? length : 64 + below(&r, (uint32_t)length - 64) / 64 * 64;
            for (uint32_t k = below(&r, 4); k != 0; k--)
                hostile[24 + below(&r, (uint32_t)length - 24)] = (unsigned char)below(&r, 256);
            sign(hostile, cut);
            refused += !is_read(&c, other, hostile, cut);
        }
        free(hostile);
        CHECK(refused > 500);
        /* A message to the last rank is damaged: nothing changes on any rank. */
        if (rank == size - 1) message[length - 1] ^= 1;
    }
    uint64_t before = state_of(&c);
    CHECK(covey__mpi_ghosts_apply(c.f.mpi) == (size > 1 ? COVEY_ERROR_IMAGE : COVEY_OK));
    CHECK(state_of(&c) == before);
    CHECK(covey_mpi_ghosts_refresh(c.f.mpi) == COVEY_OK);
    end(&c.f);
}

int main(int argc, char **argv) {
    static const test tests[] = {
        { "programs_agree_with_the_oracle", programs_agree_with_the_oracle },
        { "only_what_has_changed_is_sent", only_what_has_changed_is_sent },
        { "each_share_of_a_crowd_may_change", each_share_of_a_crowd_may_change },
        { "a_view_sees_which_ghosts_changed", a_view_sees_which_ghosts_changed },
        { "the_world_may_change_while_a_refresh_is_under_way", the_world_may_change_while_a_refresh_is_under_way },
        { "memory_that_is_out_on_one_rank_fails_a_refresh_on_all",
          memory_that_is_out_on_one_rank_fails_a_refresh_on_all },
        { "what_cannot_be_is_refused", what_cannot_be_is_refused },
        { "ghosts_that_were_destroyed_stay_so", ghosts_that_were_destroyed_stay_so },
        { "an_entity_does_not_arrive_where_its_ghost_was_changed",
          an_entity_does_not_arrive_where_its_ghost_was_changed },
        { "damaged_messages_are_refused", damaged_messages_are_refused },
    };
    return RUN_TESTS(argc, argv, tests);
}
