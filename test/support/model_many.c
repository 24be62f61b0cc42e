/* Operations on many entities at once, in the order of indices and in others, so that whole blocks come and go. */
#include "model_world.h"

/* ---- Choosing -----------------------------------------------------------------------------------------------------*/

static void exchange(covey_entity *a, covey_entity *b) {
    covey_entity e = *a;
    *a = *b;
    *b = e;
}

/* By index; backwards; in no order; or by index, but for a few. */
static void mix(model *m, uint32_t count) {
    uint32_t how = program_below(&m->program, 4), some = how == 2 ? count : how == 3 ? count / 16 : 0;
    for (uint32_t i = 0; i < count / 2 && how == 1; i++) exchange(&m->batch[i], &m->batch[count - 1 - i]);
    for (uint32_t i = 0; i < some; i++) exchange(&m->batch[i], &m->batch[program_below(&m->program, count)]);
}

/* Living entities from an index on, without a component or at all: as many as there is room for, or fewer. */
static uint32_t pick_many(model *m, const oracle_pool *without) {
    uint32_t most = program_chance(&m->program, 128) ? MODEL_BATCH : program_below(&m->program, MODEL_BATCH), kept = 0;
    uint32_t first = program_chance(&m->program, 128) ? 0 : program_below(&m->program, m->index_limit);
    covey_entity e = oracle_next(m->oracle, first);
    for (; kept < most && !covey_is_null(e); e = oracle_next(m->oracle, (uint64_t)e.index + 1))
        if (!without || !oracle_has(m->oracle, without, e)) m->batch[kept++] = e;
    mix(m, kept);
    return kept;
}

/* Now and then one of them is there twice, or dead. */
static void spoil(model *m, uint32_t count) {
    if (count < 2 || !program_chance(&m->program, 32)) return;
    covey_entity *e = &m->batch[program_below(&m->program, count)];
    if (program_chance(&m->program, 128)) *e = m->batch[program_below(&m->program, count)];
    else e->generation++;
}

/* ---- Adding and destroying ----------------------------------------------------------------------------------------*/

static void add_to_many(model *m) {
    const covey_type *type = model_pick_type(m);
    uint32_t count = pick_many(m, oracle_pool_of(m->oracle, type));
    spoil(m, count);
    (program_chance(&m->program, 128) ? model_add_array : model_add_copies)(m, type, count);
}

/* Bytes are compared for types whose values have no others. */
static void check_gathered(model *m, const covey_type *type, const oracle_pool *pool, uint32_t count) {
    static unsigned char gathered[MODEL_BATCH * VALUE_BYTES];
    uint32_t positions[MODEL_BATCH], found = 0;
    uint64_t since = program_chance(&m->program, 128) ? program_below(&m->program, (uint32_t)covey_tick(m->world)) : 0;
    uint32_t told = covey_gather_since_raw(m->world, m->batch, count, type, since, gathered, positions);
    for (uint32_t i = 0; pool && i < count; i++) {
        if (!oracle_has(m->oracle, pool, m->batch[i])) continue;
        if (type->ticks && oracle_changed_at(m->oracle, pool, m->batch[i]) <= since) continue;
        REQUIRE(m, found < told && positions[found] == i, "%s of %u:%u was not gathered", type->name, m->batch[i].index,
                m->batch[i].generation);
        REQUIRE(
            m, memcmp(gathered + (size_t)found * type->size, oracle_get(m->oracle, pool, m->batch[i]), type->size) == 0,
            "another %s of %u:%u was gathered", type->name, m->batch[i].index, m->batch[i].generation);
        found++;
    }
    REQUIRE(m, told == found, "%u were gathered, not %u", told, found);
    told = covey_gather_since_raw(m->world, m->batch, count, type, since, NULL, NULL);
    REQUIRE(m, told == found, "%u without values", found);
}

static void remove_from_many(model *m) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    uint32_t count = pick_many(m, NULL), wanted = 0;
    check_gathered(m, type, pool, count);
    uint32_t removed = covey_remove_many_raw(m->world, m->batch, count, type);
    for (uint32_t i = 0; pool && i < count; i++) {
        if (!oracle_has(m->oracle, pool, m->batch[i])) continue;
        oracle_remove(m->oracle, pool, m->batch[i]);
        wanted++;
    }
    REQUIRE(m, removed == wanted, "%u of %s were removed, not %u", removed, type->name, wanted);
}

static void destroy_neighbours(model *m) {
    uint32_t count = pick_many(m, NULL), wanted = 0;
    if (program_below(&m->program, 4) != 0 && count > 80) count = 80;
    spoil(m, count);
    uint32_t destroyed = covey_destroy_many(m->world, m->batch, count);
    for (uint32_t i = 0; i < count; i++) wanted += oracle_destroy(m->oracle, m->batch[i]);
    REQUIRE(m, destroyed == wanted, "%u were destroyed, not %u", destroyed, wanted);
}

/* Entities that were destroyed, from an index on. */
static uint32_t pick_dead(model *m) {
    uint32_t most = program_chance(&m->program, 128) ? MODEL_BATCH : program_below(&m->program, MODEL_BATCH), kept = 0;
    uint32_t index = program_chance(&m->program, 128) ? 0 : program_below(&m->program, m->index_limit);
    for (; kept < most && index < m->index_limit; index++)
        if (oracle_state_of(m->oracle, index) == ORACLE_FREE)
            m->batch[kept++] = covey__entity(index, oracle_generation_at(m->oracle, index));
    mix(m, kept);
    return kept;
}

static void return_neighbours(model *m) {
    uint32_t count = m->oracle->alive < m->options->crowd ? pick_dead(m) : 0;
    spoil(m, count);
    model_create_again(m, count);
}

static void create_neighbours(model *m) {
    uint32_t count = m->oracle->alive < m->options->crowd ? program_below(&m->program, 200) : 0;
    covey_result expected = oracle_can_create(m->oracle, 0, count) == count ? COVEY_OK : COVEY_ERROR_FULL;
    bool created = model_settle(m, covey_create_many(m->world, m->batch, count), expected);
    for (uint32_t i = 0; i < count && created; i++)
        REQUIRE(m, covey_same(m->batch[i], oracle_create(m->oracle, 0)), "entity %u is another one", i);
}

/* ---- Creating with components -------------------------------------------------------------------------------------*/

enum { PARTS = 4 };

/* A component that entities are created with, and its values. */
typedef struct part {
    const covey_type *type;
    bool copies, zero;
    unsigned char values[MODEL_BATCH * VALUE_BYTES];
} part;

typedef struct creation {
    part parts[PARTS];
    uint32_t part_count, count, hooks;
    covey_component components[COVEY_TERMS + 1]; /* compilers believe that a loop over them runs that far */
    covey_result expected;
    bool careful; /* where a hook that fails leaves something behind */
} creation;

static uint32_t values_of(const creation *c, const part *p) { return p->copies ? 1 : c->count; }

static void choose_values(model *m, const creation *c, part *p) {
    memset(p->values, 0, sizeof p->values);
    for (uint32_t i = 0; i < values_of(c, p); i++) {
        unsigned char *value = p->values + (size_t)i * p->type->size;
        if (p->zero) value_make_default(p->type, value);
        else value_make(p->type, program_byte(&m->program), value);
        value_own(p->type, value);
    }
}

static void disown_values(const creation *c) {
    for (uint32_t i = 0; i < c->part_count; i++)
        for (uint32_t k = 0; k < values_of(c, &c->parts[i]); k++)
            value_disown(c->parts[i].type, c->parts[i].values + (size_t)k * c->parts[i].type->size);
}

/* What the library finds out before it makes anything. */
static covey_result may_list(model *m, const creation *c) {
    for (uint32_t i = 0; i < c->part_count; i++) {
        const part *p = &c->parts[i];
        covey_result result = model_may_meet(m, p->type);
        for (uint32_t k = 0; k < i && result == COVEY_OK && !oracle_pool_of(m->oracle, p->type); k++)
            if (strcmp(p->type->name, c->parts[k].type->name) == 0 && !oracle_same_layout(p->type, c->parts[k].type))
                return COVEY_ERROR_LAYOUT;
        if (result == COVEY_OK && p->copies && !model_can_copy(p->type)) result = COVEY_ERROR_COPY;
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

/* How many parts have the name of this one. */
static uint32_t times_named(const creation *c, uint32_t number) {
    const char *name = c->parts[number].type->name;
    uint32_t times = 0;
    for (uint32_t i = 0; i < c->part_count; i++)
        times += name && c->parts[i].type->name && strcmp(c->parts[i].type->name, name) == 0;
    return times;
}

static bool is_named_twice(const creation *c) {
    for (uint32_t i = 0; i < c->part_count; i++)
        if (times_named(c, i) > 1) return true;
    return false;
}

/* A component that is listed twice may need room twice before the second one is refused; blocks have it for one. */
static bool is_almost_full(model *m, const creation *c) {
    for (uint32_t i = 0; i < c->part_count; i++) {
        const oracle_pool *pool = oracle_pool_of(m->oracle, c->parts[i].type);
        uint32_t times = times_named(c, i), used = pool ? oracle_set_positions(pool->set) : 0;
        if (times < 2 && oracle_type_is_block(c->parts[i].type)) continue;
        if (c->count * times > COVEY_NONE - used) return true;
    }
    return false;
}

static void choose_part(model *m, part *p) {
    p->type = model_pick_type(m);
    p->zero = program_chance(&m->program, 16);
    p->copies = !p->zero && program_chance(&m->program, 128);
}

static void fill_part(model *m, creation *c, uint32_t number) {
    part *p = &c->parts[number];
    choose_values(m, c, p);
    c->components[number] = (covey_component){
        .type = p->type,
        .values = p->copies || p->zero ? NULL : p->values,
        .value = p->copies ? p->values : NULL,
        .size = p->type->size,
    };
    const oracle_pool *pool = oracle_pool_of(m->oracle, p->type);
    if ((p->copies || (p->zero && p->type->defaults)) && p->type->copy) c->hooks += c->count;
    if (pool && pool->set->dead != 0) c->careful = true;
}

/* Values for all parts, and what is expected of the call. */
static void fill(model *m, creation *c) {
    c->hooks = 0;
    c->careful = false;
    memset(c->components, 0, sizeof c->components);
    for (uint32_t i = 0; i < c->part_count; i++) fill_part(m, c, i);
    c->expected = may_list(m, c);
    if (c->expected != COVEY_OK) return;
    if (oracle_can_create(m->oracle, 0, c->count) < c->count) c->expected = COVEY_ERROR_FULL;
    else if (c->count != 0 && is_named_twice(c)) c->expected = COVEY_ERROR_PRESENT;
    uint32_t fails = c->careful || is_named_twice(c) ? 0 : model_let_copies_fail(m, c->hooks);
    if (c->expected == COVEY_OK && fails != 0 && fails <= c->hooks) c->expected = COVEY_ERROR_COPY;
}

static uint32_t room_for(const model *m) { return m->oracle->alive < m->options->crowd ? 12 : 2; }

static void choose_parts(model *m, creation *c) {
    c->part_count = program_below(&m->program, PARTS + 1);
    for (uint32_t i = 0; i < c->part_count; i++) choose_part(m, &c->parts[i]);
}

static void created_with(model *m, const creation *c) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < c->part_count; i++) set |= oracle_bit_of(m->oracle, model_meet(m, c->parts[i].type));
    model_created_with(m, set, m->batch, c->count);
    if (c->count != 0) model_remember(m, m->batch[0]);
    for (uint32_t i = 0; i < c->part_count; i++) {
        const part *p = &c->parts[i];
        const oracle_pool *pool = model_meet(m, p->type);
        size_t stride = p->copies ? 0 : p->type->size;
        for (uint32_t k = 0; k < c->count; k++) {
            if (p->copies && !p->type->copy) value_own(p->type, p->values);
            oracle_add(m->oracle, pool, m->batch[k], p->values + k * stride, true);
        }
        if (p->copies) value_disown(p->type, p->values);
    }
    for (uint32_t i = 0; i < c->part_count; i++)
        for (uint32_t k = 0; k < c->count; k++) {
            const covey_type *type = c->parts[i].type;
            model_check_component(m, oracle_pool_of(m->oracle, type), m->batch[k],
                                  covey_get_raw(m->world, m->batch[k], type));
        }
}

/* Pools of types that are met on the way stay, as far as the library came. */
static void failed_with(model *m, const creation *c) {
    for (uint32_t i = 0; i < c->count; i++) REQUIRE(m, covey_is_null(m->batch[i]), "handle %u is not null", i);
    for (uint32_t i = 0; i < c->part_count; i++) model_meet_anyway(m, c->parts[i].type);
    disown_values(c);
}

/* What a call has done. Returns whether it succeeded. */
static bool settle_with(model *m, creation *c, bool done, bool almost_full) {
    values.copy_fails_in = 0;
    if (!done && almost_full && covey_world_result(m->world) == COVEY_ERROR_FULL) c->expected = COVEY_ERROR_FULL;
    if (!model_settle(m, done, c->expected)) {
        failed_with(m, c);
        return false;
    }
    created_with(m, c);
    return true;
}

static void create_with(model *m) {
    static creation c;
    c.count = program_below(&m->program, program_chance(&m->program, 48) ? 16 * room_for(m) : room_for(m));
    choose_parts(m, &c);
    fill(m, &c);
    bool almost_full = is_almost_full(m, &c);
    m->behind = true;
    bool done = covey_create_many_with_raw(m->world, m->batch, c.count, c.components);
    settle_with(m, &c, done, almost_full);
}

/* One after the other, with the same types: by the inline call, or by the one for lists. */
static void create_each_with(model *m) {
    static creation c;
    uint32_t left = program_below(&m->program, program_chance(&m->program, 48) ? 8 * room_for(m) : room_for(m));
    bool inlined = program_chance(&m->program, 128), done = true, almost_full;
    c.count = 1;
    choose_parts(m, &c);
    for (; left != 0 && done; left--) {
        fill(m, &c);
        almost_full = is_almost_full(m, &c);
        m->behind = true;
        m->batch[0] = inlined ? covey__create_with(m->world, c.components, c.part_count)
                              : covey_create_with_raw(m->world, c.components);
        done = settle_with(m, &c, !covey_is_null(m->batch[0]), almost_full);
    }
}

/* ---- Creating for components that come later ----------------------------------------------------------------------*/

static bool has_room(const model *m) { return m->oracle->alive < m->options->crowd; }

static covey_result may_create_one(model *m) {
    return oracle_can_create(m->oracle, 0, 1) == 1 ? COVEY_OK : COVEY_ERROR_FULL;
}

static void create_for(model *m) {
    static creation c;
    const covey_type *types[PARTS + 1] = { NULL };
    uint32_t set = 0;
    c.part_count = has_room(m) ? program_below(&m->program, PARTS + 1) : 0;
    for (uint32_t i = 0; i < c.part_count; i++) types[i] = c.parts[i].type = model_pick_type(m);
    for (uint32_t i = 0; i < c.part_count; i++) c.parts[i].copies = false;
    covey_result expected = may_list(m, &c);
    m->behind = true;
    covey_entity e = covey_create_for_raw(m->world, types);
    if (!model_settle(m, !covey_is_null(e), expected != COVEY_OK ? expected : may_create_one(m))) {
        for (uint32_t i = 0; i < c.part_count; i++) model_meet_anyway(m, types[i]);
        return;
    }
    for (uint32_t i = 0; i < c.part_count; i++) set |= oracle_bit_of(m->oracle, model_meet(m, types[i]));
    model_created_with(m, set, &e, 1);
    model_remember(m, e);
}

static void create_like(model *m) {
    covey_entity from = model_pick(m), e;
    bool alive = oracle_alive(m->oracle, from);
    if (!has_room(m)) return;
    m->behind = true;
    e = covey_create_like(m->world, from);
    if (!model_settle(m, !covey_is_null(e), alive ? may_create_one(m) : COVEY_ERROR_DEAD)) return;
    model_created_with(m, oracle_types_of(m->oracle, from), &e, 1);
    model_remember(m, e);
}

const model_operation model_many_operations[] = {
    { "create_many_with", create_with, 10, false },
    { "create_with", create_each_with, 8, false },
    { "add to many", add_to_many, 14, false },
    { "create_many, neighbours", create_neighbours, 6, false },
    { "remove from many", remove_from_many, 4, true },
    { "destroy_many, neighbours", destroy_neighbours, 4, true },
    { "create_again, neighbours", return_neighbours, 4, false },
    { "create_for", create_for, 4, false },
    { "create_like", create_like, 4, false },
    { NULL, NULL, 0, false },
};
