/* Pools as a whole: compacted, packed, shrunk, converted, sorted and kept in order. Storages, orders and stable
 * addresses are checked after every step. */
#include "order.h"
#include "sim.h"

#include <covey/hierarchy.h>

#include <stdlib.h>

/* What a pool should be like. */
typedef struct stored {
    bool known; /* the world has the pool */
    covey_storage storage;
    bool kept, sorted; /* kept in order; no key was changed in place since it was sorted */
    sim_order order;
} stored;

/* Where the components of an entity were after the last step, in pools with stable addresses. */
typedef struct home {
    covey_entity e;
    const void *at[NAIVE_TYPES];
} home;

struct sim_storages {
    stored types[NAIVE_TYPES];
    home *homes; /* by index */
    uint32_t home_count;
};

static covey_entity listed[SIM_LISTED], listed_then[SIM_LISTED];

static const char *name_of(uint32_t type) { return value_types[type]->name; }

static const covey_pool *find_pool(const sim_side *side, uint32_t type) {
    return covey_pool_find_raw(side->world, value_types[type]);
}

covey_pool *sim_pool(sim *s, sim_side *side, uint32_t type) {
    covey_pool *pool = covey_pool_of_raw(side->world, value_types[type]);
    if (!pool) sim_settle(s, side, false, COVEY_OK);
    return pool;
}

uint32_t sim_list_pool(const covey_pool *pool, covey_entity *list) {
    uint32_t count = 0, at = covey_pool_next(pool, 0);
    for (; at != COVEY_NONE && count < SIM_LISTED; at = covey_pool_next(pool, at + 1))
        list[count++] = covey_pool_at(pool, at);
    return count;
}

bool sim_is_kept(const sim_side *side, uint32_t type) { return side->storages->types[type].kept; }

static bool is_sparse(const covey_pool *pool) { return covey_pool_storage(pool) == COVEY_STORAGE_SPARSE; }

static covey_policy policy_of(uint32_t type) { return value_types[type]->policy; }

/* The policy of a type is about sparse sets, which are its storage whenever it names one. */
static bool is_in_place(uint32_t type) { return policy_of(type) == COVEY_IN_PLACE; }

static bool has_stable_addresses(const sim_side *side, uint32_t type) {
    const stored *known = &side->storages->types[type];
    return known->known && (known->storage == COVEY_STORAGE_PINNED || is_in_place(type));
}

static bool has_holes(const covey_pool *pool) { return covey_pool_position_count(pool) != covey_pool_count(pool); }

/* ---- The part: positions and orders -------------------------------------------------------------------------------*/

/* A walk over the pool visits each component once; in blocks by index. */
static void check_walk(sim *s, const sim_side *side, const covey_pool *pool, uint32_t type) {
    uint32_t count = 0, last = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1), count++) {
        covey_entity e = covey_pool_at(pool, at);
        SIM_REQUIRE(s, naive_component_of(side->naive, e, type), "%s: %u:%u is listed, but lacks it", name_of(type),
                    e.index, e.generation);
        SIM_REQUIRE(s, covey_pool_position(pool, e) == at, "%s: %u is at another position", name_of(type), e.index);
        SIM_REQUIRE(s, covey_pool_value_at_raw(pool, at) == covey_get_raw(side->world, e, value_types[type]),
                    "%s: the value at a position is elsewhere", name_of(type));
        SIM_REQUIRE(s, is_sparse(pool) || (at == e.index && (count == 0 || at > last)), "%s: blocks out of order",
                    name_of(type));
        last = at;
    }
    SIM_REQUIRE(s, count == naive_count(side->naive, type), "%s: a walk visits %u components, not %u", name_of(type),
                count, naive_count(side->naive, type));
}

static void check_kept(sim *s, const sim_side *side, const covey_pool *pool, const stored *wanted) {
    uint32_t count = sim_list_pool(pool, listed);
    if (!wanted->sorted) return;
    SIM_REQUIRE(s, sim_order_is_kept(&wanted->order, side->naive, listed, count), "%s is not kept in order, by %s",
                name_of(wanted->order.type), sim_order_name(&wanted->order));
}

/* Pools appear when any call names their type. */
static void check_type(sim *s, const sim_side *side, uint32_t type) {
    stored *wanted = &side->storages->types[type];
    const covey_pool *pool = find_pool(side, type);
    if (!pool) return;
    wanted->known = true;
    SIM_REQUIRE(s, covey_pool_storage(pool) == wanted->storage, "%s has storage %d, not %d", name_of(type),
                covey_pool_storage(pool), wanted->storage);
    if (s->at % NAIVE_TYPES == type) check_walk(s, side, pool, type);
    if (wanted->kept) check_kept(s, side, pool, wanted);
}

/* ---- The part: addresses ------------------------------------------------------------------------------------------*/

static home *find_home(const sim_storages *known, covey_entity e) {
    for (uint32_t i = 0; i < known->home_count; i++)
        if (covey_same(known->homes[i].e, e)) return &known->homes[i];
    return NULL;
}

static void forget_homes(sim_storages *known, uint32_t type) {
    for (uint32_t i = 0; i < known->home_count; i++) known->homes[i].at[type] = NULL;
}

static void check_home(sim *s, const sim_side *side, const naive_entity *n, const home *before, home *now) {
    *now = (home){ .e = n->e };
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        if (!n->at[t].present || value_is_tag(t) || !has_stable_addresses(side, t)) continue;
        now->at[t] = covey_get_raw(side->world, n->e, value_types[t]);
        SIM_REQUIRE(s, !before || !before->at[t] || before->at[t] == now->at[t], "%s of %u moved to another address",
                    name_of(t), n->e.index);
        if (sim_lies(s, SIM_LIE_ADDRESS_WRONG)) now->at[t] = s;
    }
}

/* Both lists are sorted by index. */
static void check_homes(sim *s, const sim_side *side) {
    sim_storages *known = side->storages;
    uint32_t count = side->naive->count, at = 0;
    home *homes = malloc((count + 1) * sizeof *homes);
    if (!homes) abort();
    for (uint32_t i = 0; i < count; i++) {
        const naive_entity *n = &side->naive->list[i];
        while (at < known->home_count && known->homes[at].e.index < n->e.index) at++;
        bool same = at < known->home_count && covey_same(known->homes[at].e, n->e);
        check_home(s, side, n, same ? &known->homes[at] : NULL, &homes[i]);
    }
    free(known->homes);
    known->homes = homes;
    known->home_count = count;
}

/* ---- The part: moments --------------------------------------------------------------------------------------------*/

static void check(sim *s, sim_side *side) {
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) check_type(s, side, t);
    check_homes(s, side);
    SIM_REQUIRE(s, !sim_order_saw_damage(), "a function of an order got a damaged value");
}

static covey_storage default_storage(uint32_t type) {
    covey_storage storage = value_types[type]->storage;
    if (storage != COVEY_STORAGE_DEFAULT) return storage;
    return policy_of(type) == COVEY_SWAP_AND_POP ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
}

static void look_at_storage(const sim_side *side, uint32_t type) {
    stored *known = &side->storages->types[type];
    const covey_pool *pool = find_pool(side, type);
    known->known = pool != NULL;
    known->storage = pool ? covey_pool_storage(pool) : default_storage(type);
}

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->storages = calloc(1, sizeof *side->storages);
    if (!side->storages) abort();
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) look_at_storage(side, t);
}

static void end(sim *s, sim_side *side) {
    (void)s;
    free(side->storages->homes);
    free(side->storages);
}

/* An image says in which storage a pool is. */
static void loaded(sim *s, sim_side *side) {
    (void)s;
    side->storages->home_count = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) look_at_storage(side, t);
}

/* Listeners may have changed keys in place, and removed and added components. */
static void adopt(sim *s, sim_side *side) {
    (void)s;
    side->storages->home_count = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        stored *known = &side->storages->types[t];
        if (sim_order_reads_values(&known->order)) known->sorted = false;
    }
}

static uint64_t in_force(const sim_side *side) {
    uint64_t features = 0;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const stored *known = &side->storages->types[t];
        if (known->kept) features |= SIM_BIT(SIM_KEEP);
        if (known->known && known->storage != default_storage(t)) features |= SIM_BIT(SIM_CONVERT);
    }
    return features;
}

static void told(sim *s, sim_side *side, covey_signal signal, covey_entity e, uint32_t type) {
    (void)s;
    if (type == NAIVE_TYPES) return;
    stored *known = &side->storages->types[type];
    home *before = signal == COVEY_ON_REMOVE ? find_home(side->storages, e) : NULL;
    if (before) before->at[type] = NULL;
    if ((signal == COVEY_ON_SET || signal == COVEY_ON_PATCH) && sim_order_reads_values(&known->order))
        known->sorted = false;
}

/* ---- The part: histories ------------------------------------------------------------------------------------------*/

/* Positions are those of components of sparse pools. */
typedef struct saved_pool {
    stored stored;
    covey_entity *list;
    uint32_t *positions;
    uint32_t count;
} saved_pool;

static void *allocate(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) abort();
    return memory;
}

static void save_positions(saved_pool *saved, const covey_pool *pool) {
    saved->list = allocate(covey_pool_count(pool), sizeof *saved->list);
    saved->positions = allocate(covey_pool_count(pool), sizeof *saved->positions);
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        saved->list[saved->count] = covey_pool_at(pool, at);
        saved->positions[saved->count++] = at;
    }
}

static void *save(const sim_side *side) {
    saved_pool *saved = allocate(NAIVE_TYPES, sizeof *saved);
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        const covey_pool *pool = find_pool(side, t);
        saved[t].stored = side->storages->types[t];
        saved[t].stored.known = pool != NULL;
        if (pool) save_positions(&saved[t], pool);
    }
    return saved;
}

static void forget(void *state) {
    saved_pool *saved = state;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) {
        free(saved[t].list);
        free(saved[t].positions);
    }
    free(saved);
}

static void check_positions(sim *s, const sim_side *side, uint32_t type, const saved_pool *saved) {
    const covey_pool *pool = find_pool(side, type);
    for (uint32_t i = 0; i < saved->count; i++) {
        uint32_t at = saved->positions[i] + sim_lies(s, SIM_LIE_POSITION_WRONG);
        SIM_REQUIRE(s, covey_same(covey_pool_at(pool, at), saved->list[i]),
                    "%s: another entity is at position %u than when it was saved", name_of(type), at);
    }
}

/* A kept pool is sorted, unless it was kept in the same order before: then it is as it was. Storages of pools that did
 * not exist stay. */
static void restore_type(sim *s, const sim_side *side, uint32_t type, const saved_pool *saved) {
    stored *now = &side->storages->types[type];
    bool same = now->kept == saved->stored.kept && (!now->kept || sim_order_is_same(&now->order, &saved->stored.order));
    bool converted = saved->stored.known && saved->stored.storage != now->storage;
    SIM_REQUIRE(s, !converted || (!now->kept && !sim_is_owned(side, type)), "%s changed its storage, but is bound",
                name_of(type));
    if (saved->stored.known) now->storage = saved->stored.storage;
    if (now->kept) now->sorted = !same || saved->stored.sorted || !saved->stored.known;
    if (converted || is_in_place(type)) forget_homes(side->storages, type);
    if (saved->stored.known && same && !sim_is_owned(side, type)) check_positions(s, side, type, saved);
}

static void restore(sim *s, sim_side *side, const void *state) {
    const saved_pool *saved = state;
    for (uint32_t t = 0; t < NAIVE_TYPES; t++) restore_type(s, side, t, &saved[t]);
}

const sim_part sim_part_storages = { .begin = begin,
                                     .end = end,
                                     .loaded = loaded,
                                     .check = check,
                                     .adopt = adopt,
                                     .in_force = in_force,
                                     .told = told,
                                     .save = save,
                                     .restore = restore,
                                     .forget = forget };

/* ---- Compacting, shrinking, reserving -----------------------------------------------------------------------------*/

/* Lists the pool before a call that must not change its order. */
static uint32_t list_then(const covey_pool *pool) { return sim_list_pool(pool, listed_then); }

static void check_list(sim *s, const covey_pool *pool, uint32_t count) {
    SIM_REQUIRE(s, sim_list_pool(pool, listed) == count, "another number of components");
    for (uint32_t i = 0; i < count; i++)
        SIM_REQUIRE(s, covey_same(listed[i], listed_then[i]), "component %u is that of %u:%u, not of %u:%u", i,
                    listed[i].index, listed[i].generation, listed_then[i].index, listed_then[i].generation);
}

/* No holes are left; in place, none behind the last component. */
static void check_compacted(sim *s, const covey_pool *pool, uint32_t type) {
    if (!is_sparse(pool)) return;
    uint32_t size = covey_pool_position_count(pool);
    if (!is_in_place(type)) SIM_REQUIRE(s, !has_holes(pool), "holes are left");
    else SIM_REQUIRE(s, size == 0 || covey_pool_next(pool, size - 1) == size - 1, "a hole is behind the last");
}

static void compact(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count;
    bool all = step->a % 4 == 0;
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    sim_say(s, "%scompact: %s", all ? "" : "pool_", name_of(type));
    sim_touch_type(s, type);
    count = list_then(pool);
    if (all) covey_compact(side->world);
    else covey_pool_compact(pool, NULL, NULL);
    check_list(s, pool, count);
    check_compacted(s, pool, type);
}

static void shrink(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), count;
    bool all = step->a % 4 == 0;
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    sim_say(s, "%sshrink: %s", all ? "" : "pool_", name_of(type));
    sim_touch_type(s, type);
    count = list_then(pool);
    size_t before = covey_world_memory(side->world);
    if (all) covey_shrink(side->world);
    else covey_pool_shrink(pool);
    SIM_REQUIRE(s, covey_world_memory(side->world) <= before, "the world takes more than before");
    check_list(s, pool, count);
}

static void reserve(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = sim_type(step->b), wanted = step->a % 200, count;
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    if (step->c % 16 == 0 && COVEY_NONE < UINT32_MAX) wanted = COVEY_NONE + 1;
    sim_say(s, "pool_reserve: %u %s", wanted, name_of(type));
    sim_touch_type(s, type);
    count = list_then(pool);
    sim_settle_result(s, covey_pool_reserve(pool, wanted), wanted > COVEY_NONE ? COVEY_ERROR_RANGE : COVEY_OK);
    check_list(s, pool, count);
}

/* ---- Compaction that moves values ---------------------------------------------------------------------------------*/

enum { MOVES = 256 };

typedef struct moves {
    sim *s;
    const sim_side *side;
    uint32_t type, count;
    covey_entity list[MOVES];
} moves;

static void note_move(covey_entity e, const void *from, void *to, void *context) {
    moves *m = context;
    const naive_component *wanted = naive_component_of(m->side->naive, e, m->type);
    const home *before = find_home(m->side->storages, e);
    uint32_t seed;
    covey_entity link;
    SIM_REQUIRE(m->s, wanted, "%u:%u moves, but has no such component", e.index, e.generation);
    SIM_REQUIRE(m->s, !before || !before->at[m->type] || before->at[m->type] == from, "%u moves from another address",
                e.index);
    SIM_REQUIRE(m->s, from != to && value_read(m->type, to, &seed, &link), "a damaged value moves");
    SIM_REQUIRE(m->s, seed == wanted->seed && covey_same(link, wanted->link), "the value of another entity moves");
    for (uint32_t i = 0; i < m->count; i++) SIM_REQUIRE(m->s, !covey_same(m->list[i], e), "%u moves twice", e.index);
    if (m->count < MOVES && !sim_lies(m->s, SIM_LIE_MOVE_UNTOLD)) m->list[m->count++] = e;
}

/* The places of moved values are forgotten: all others must stay. */
static void forget_moved(const moves *m) {
    for (uint32_t i = 0; i < m->count; i++) {
        home *before = find_home(m->side->storages, m->list[i]);
        const void *now = covey_get_raw(m->side->world, m->list[i], value_types[m->type]);
        SIM_REQUIRE(m->s, !before || before->at[m->type] != now, "%u did not move", m->list[i].index);
        if (before) before->at[m->type] = NULL;
    }
}

static void compact_moving(sim *s, sim_side *side, const sim_step *step) {
    static const char *const in_place[] = { "Fixed", "FixedMover" };
    uint32_t type = value_type_number(&(covey_type){ .name = in_place[step->b % 2] });
    if (step->c % 8 == 0) type = sim_type(step->b);
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    moves m = { .s = s, .side = side, .type = type };
    sim_say(s, "pool_compact, moving: %s", name_of(type));
    sim_touch_type(s, type);
    covey_result result = covey_pool_compact(pool, note_move, &m);
    if (!sim_settle_result(s, result, is_in_place(type) ? COVEY_OK : COVEY_ERROR_REFUSED)) return;
    SIM_REQUIRE(s, !has_holes(pool), "holes are left");
    if (m.count < MOVES) forget_moved(&m);
    else forget_homes(side->storages, type);
}

/* ---- Converting ---------------------------------------------------------------------------------------------------*/

static covey_result may_convert(const sim_side *side, uint32_t type, covey_storage to) {
    if (to == side->storages->types[type].storage) return COVEY_OK;
    if (to > COVEY_STORAGE_PINNED) return COVEY_ERROR_RANGE;
    bool bound = has_stable_addresses(side, type) || sim_is_kept(side, type) || sim_is_owned(side, type);
    bool named = policy_of(type) != COVEY_SWAP_AND_POP && to != COVEY_STORAGE_SPARSE;
    return bound || named ? COVEY_ERROR_REFUSED : COVEY_OK;
}

static void check_index_order(sim *s, const covey_pool *pool) {
    uint32_t count = sim_list_pool(pool, listed);
    for (uint32_t i = 1; i < count; i++)
        SIM_REQUIRE(s, listed[i - 1].index < listed[i].index, "a converted pool is not in index order");
}

static void convert(sim *s, sim_side *side, const sim_step *step) {
    static const covey_storage storages[] = { COVEY_STORAGE_DEFAULT, COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK,
                                              COVEY_STORAGE_SPARSE,  COVEY_STORAGE_BLOCK,  COVEY_STORAGE_SPARSE,
                                              COVEY_STORAGE_PINNED,  (covey_storage)9 };
    uint32_t type = sim_type(step->b);
    covey_storage to = storages[step->a % 8];
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    stored *known = &side->storages->types[type];
    known->known = true;
    sim_say(s, "pool_convert: %s to storage %d", name_of(type), to);
    sim_touch_type(s, type);
    covey_storage storage = to == COVEY_STORAGE_DEFAULT ? default_storage(type) : to;
    if (!sim_settle_result(s, covey_pool_convert(pool, to), may_convert(side, type, storage))) return;
    if (storage == known->storage) return;
    check_index_order(s, pool);
    if (!sim_lies(s, SIM_LIE_STORAGE_KEPT)) known->storage = storage;
}

/* ---- Sorting ------------------------------------------------------------------------------------------------------*/

/* Most often a type whose pool is sparse now. */
static uint32_t pick_sparse(const sim_side *side, uint32_t n) {
    uint32_t type = sim_type(n / 4);
    for (uint32_t i = 0; i < NAIVE_TYPES && n % 4 != 0; i++) {
        uint32_t candidate = (type + i) % NAIVE_TYPES;
        bool sparse = side->storages->types[candidate].storage == COVEY_STORAGE_SPARSE;
        if (sparse && naive_count(side->naive, candidate) > 1) return candidate;
    }
    return type;
}

/* REFUSED, or OK. */
static covey_result may_sort_pool(const sim_side *side, const covey_pool *pool, uint32_t type) {
    if (sim_is_owned(side, type) || !is_sparse(pool) || is_in_place(type) || has_holes(pool))
        return COVEY_ERROR_REFUSED;
    return COVEY_OK;
}

static covey_result may_move(const sim_side *side, const covey_pool *pool, uint32_t type) {
    return sim_is_kept(side, type) ? COVEY_ERROR_REFUSED : may_sort_pool(side, pool, type);
}

static void swap(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_sparse(side, step->b), count;
    covey_pool *pool = sim_pool(s, side, type);
    covey_entity a = sim_member(side, type, step->a), b = sim_member(side, type, step->c);
    if (!pool) return;
    sim_say(s, "pool_swap: %s of %u:%u and %u:%u", name_of(type), a.index, a.generation, b.index, b.generation);
    sim_touch_type(s, type);
    bool present = naive_component_of(side->naive, a, type) && naive_component_of(side->naive, b, type);
    bool bound = !is_sparse(pool) || is_in_place(type) || sim_is_kept(side, type) || sim_is_owned(side, type);
    covey_result expected = bound ? COVEY_ERROR_REFUSED : present ? COVEY_OK : COVEY_ERROR_ABSENT;
    count = list_then(pool);
    if (sim_settle_result(s, covey_pool_swap(pool, a, b), expected) && !sim_lies(s, SIM_LIE_SWAP_FORGOTTEN))
        for (uint32_t i = 0; i < count; i++)
            listed_then[i] = covey_same(listed_then[i], a) ? b : covey_same(listed_then[i], b) ? a : listed_then[i];
    check_list(s, pool, count);
}

/* A part of the pool, which may end behind the last component. Returns whether it does not. */
static bool pick_part(covey_order *order, uint32_t n, uint32_t count) {
    if (n % 4 != 0) return true;
    order->from = n / 4 % (count + 1);
    order->count = n / 1024 % (count - order->from + 2);
    return order->count <= count - order->from;
}

static void sort(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_sparse(side, step->b);
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    sim_order by = sim_order_pick(step->a, type);
    covey_order order = sim_order_describe(&by);
    uint32_t count = list_then(pool);
    bool right = pick_part(&order, step->c, count);
    if (step->c % 16 == 1) sim_order_spoil(&order, step->c / 16, type), right = false;
    sim_say(s, "pool_sort: %u %s by %s, %u from %u on%s", count, name_of(type), sim_order_name(&by), order.count,
            order.from, right ? "" : ", which is wrong");
    sim_touch_type(s, type);
    covey_result expected = may_move(side, pool, type);
    if (expected == COVEY_OK && !right) expected = COVEY_ERROR_RANGE;
    if (sim_settle_result(s, covey_pool_sort(pool, &order), expected) && !sim_lies(s, SIM_LIE_POOL_UNSORTED))
        sim_order_sort(&by, side->naive, listed_then + order.from, order.count ? order.count : count - order.from);
    check_list(s, pool, count);
}

static void sort_as(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_sparse(side, step->b), other_type = sim_type(step->a);
    covey_pool *pool = sim_pool(s, side, type);
    const covey_pool *other = pool ? sim_pool(s, side, other_type) : NULL;
    if (!other) return;
    sim_say(s, "pool_sort_as: %s as %s", name_of(type), name_of(other_type));
    sim_touch_type(s, type);
    sim_touch_type(s, other_type);
    uint32_t count = list_then(pool), leaders = sim_list_pool(other, listed);
    if (sim_settle_result(s, covey_pool_sort_as(pool, other), may_move(side, pool, type)) &&
        !sim_lies(s, SIM_LIE_NOT_SORTED_AS))
        sim_order_follow(listed_then, count, listed, leaders);
    check_list(s, pool, count);
}

static void sort_by_depth(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_sparse(side, step->b), count;
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    sim_say(s, "pool_sort_by_depth: %s", name_of(type));
    sim_touch_type(s, type);
    sim_touch(s, SIM_TREE);
    count = list_then(pool);
    if (sim_settle_result(s, covey_pool_sort_by_depth(pool), may_move(side, pool, type)) &&
        !sim_lies(s, SIM_LIE_DEPTH_UNSORTED))
        sim_order_sort_by_depth(side->naive, listed_then, count);
    check_list(s, pool, count);
}

/* ---- Keeping in order ---------------------------------------------------------------------------------------------*/

/* Often a pool that is kept and needs it again, since a key was changed in place. */
static uint32_t pick_kept(const sim_side *side, uint32_t n) {
    for (uint32_t i = 0; i < NAIVE_TYPES && n % 3 == 0; i++) {
        uint32_t type = sim_type(n + i);
        if (sim_is_kept(side, type) && !side->storages->types[type].sorted) return type;
    }
    return pick_sparse(side, n / 3);
}

static void keep(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_kept(side, step->b);
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    stored *known = &side->storages->types[type];
    sim_order by = known->kept && step->c % 4 != 0 ? known->order : sim_order_pick(step->a, type);
    covey_order order = sim_order_describe(&by);
    uint32_t count = list_then(pool);
    bool right = step->c % 16 != 1;
    if (!right && step->c % 32 == 1) order.from = 1;
    else if (!right) sim_order_spoil(&order, step->c / 32, type);
    sim_say(s, "pool_keep_sorted: %u %s by %s%s", count, name_of(type), sim_order_name(&by),
            right ? "" : ", which is wrong");
    sim_touch_type(s, type);
    covey_result expected = may_sort_pool(side, pool, type);
    if (policy_of(type) != COVEY_SWAP_AND_POP) expected = COVEY_ERROR_REFUSED;
    if (expected == COVEY_OK && !right) expected = COVEY_ERROR_RANGE;
    if (sim_settle_result(s, covey_pool_keep_sorted(pool, &order), expected)) {
        sim_order_sort(&by, side->naive, listed_then, count);
        known->kept = known->sorted = true;
        known->order = by;
        if (sim_lies(s, SIM_LIE_KEPT_REVERSED)) known->order.descending = !by.descending;
    }
    check_list(s, pool, count);
}

/* A type whose pool is kept, or, if there is none, any. */
static uint32_t pick_any_kept(const sim_side *side, uint32_t n) {
    uint32_t type = sim_type(n);
    for (uint32_t i = 0; i < NAIVE_TYPES && !sim_is_kept(side, type); i++) type = (type + 1) % NAIVE_TYPES;
    return type;
}

static void keep_no_longer(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_any_kept(side, step->b), count;
    covey_pool *pool = sim_pool(s, side, type);
    if (!pool) return;
    sim_say(s, "pool_keep_sorted: %s no longer", name_of(type));
    sim_touch_type(s, type);
    count = list_then(pool);
    sim_settle_result(s, covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    stored *known = &side->storages->types[type];
    known->kept = known->kept && sim_lies(s, SIM_LIE_KEPT_FOR_EVER);
    check_list(s, pool, count);
}

/* Components come and go in a kept pool. */
static void change_kept(sim *s, sim_side *side, const sim_step *step) {
    uint32_t type = pick_any_kept(side, step->a);
    if (!sim_is_kept(side, type) || side->naive->count == 0) return;
    sim_say(s, "changes of the kept pool %s", name_of(type));
    sim_touch_type(s, type);
    for (uint32_t k = 0; k < 1 + step->b % 6 && s->nested == 0; k++) {
        covey_entity e = sim_living(side, sim_mix(step->c, k));
        if (naive_component_of(side->naive, e, type)) sim_remove(s, side, e, type);
        else sim_add(s, side, e, type);
    }
}

const sim_operation sim_storage_operations[] = {
    { "compact", SIM_COMPACT, 8, compact },
    { "compact_moving", SIM_COMPACT, 6, compact_moving },
    { "shrink", SIM_COMPACT, 6, shrink },
    { "reserve", SIM_COMPACT, 4, reserve },
    { "convert", SIM_CONVERT, 8, convert },
    { "swap", SIM_SORT, 4, swap },
    { "sort", SIM_SORT, 8, sort },
    { "sort_as", SIM_SORT, 4, sort_as },
    { "sort_by_depth", SIM_SORT, 4, sort_by_depth },
    { "keep", SIM_KEEP, 8, keep },
    { "keep_no_longer", SIM_KEEP, 2, keep_no_longer },
    { "change_kept", SIM_KEEP, 8, change_kept },
    { NULL, 0, 0, NULL },
};
