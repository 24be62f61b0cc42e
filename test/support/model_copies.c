/* Operations on copies of entities, on copies of worlds, and on resources. */
#include "model_world.h"

#include <covey/fields.h>
#include <stdlib.h>

/* ---- Types of resources -------------------------------------------------------------------------------------------*/

typedef struct Clock {
    uint32_t now, rate;
} Clock;
typedef struct Grid {
    _Alignas(64) uint32_t cell[16];
} Grid;
typedef Clock Cache;
typedef Clock Device;
typedef Clock Secret;

static uint32_t owned; /* values of Cache and Device that live */
static uint32_t saved; /* among them: those of copies of the state */

static void drop_owned(void *value, void *context) {
    (void)context, (void)value;
    if (owned-- == 0) values.broken = true;
}

static bool copy_owned(void *to, const void *from, void *context) {
    (void)context;
    if (values.copy_fails_in != 0 && --values.copy_fails_in == 0) return false;
    memcpy(to, from, sizeof(Clock));
    owned++;
    return true;
}

COVEY_FIELDS_DEFINE(Clock, u32(now), u32(rate));
COVEY_COMPONENT_DEFINE(Clock, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Grid, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Cache, .drop = drop_owned, .copy = copy_owned, .fields = &covey_fields_Clock);
COVEY_COMPONENT_DEFINE(Device, .drop = drop_owned, .fields = &covey_fields_Clock);
COVEY_COMPONENT_DEFINE(Secret, .no_copy = true, .fields = &covey_fields_Clock);
COVEY_TAG_DEFINE(Paused);
static const covey_type clock_twin = {
    .name = "Clock", .size = sizeof(Clock), .align = _Alignof(Clock), .as_bytes = true
};
static const covey_type clock_clash = { .name = "Clock", .size = 4, .align = 4, .as_bytes = true };
static const covey_type wrong = { .name = "Wrong", .size = 12, .align = 8 };

/* The last two come seldom: worlds with such a resource cannot be cloned. */
static const covey_type *const resource_types[] = { covey_id(Clock),  covey_id(Grid),
                                                    covey_id(Cache),  covey_id(Paused),
                                                    &clock_twin,      &clock_clash,
                                                    &wrong,           NULL /* one of the program's */,
                                                    covey_id(Device), covey_id(Secret) };
enum { RESOURCE_TYPES = sizeof resource_types / sizeof *resource_types, USUAL_TYPES = RESOURCE_TYPES - 2 };

enum { RESOURCES = 32 };

typedef struct resource {
    const covey_type *type;
    const void *address;
    unsigned char bytes[VALUE_BYTES];
} resource;

typedef struct copies {
    resource resources[RESOURCES]; /* in the order in which they were set first */
    uint32_t count;
} copies;

static copies *state_of(const model *m) { return m->state; }

static void begin(model *m) {
    m->state = calloc(1, sizeof(copies));
    if (!m->state) abort();
    owned = saved = 0;
}

static void forget(model *m) { free(m->state); }

/* ---- Resources ----------------------------------------------------------------------------------------------------*/

static const covey_type *pick_resource_type(model *m) {
    bool usual = !program_chance(&m->program, 4);
    const covey_type *type = resource_types[program_below(&m->program, usual ? USUAL_TYPES : RESOURCE_TYPES)];
    if (type) return type;
    type = model_pick_type(m);
    return type->drop ? covey_id(Clock) : type; /* owners among the program's types count for its pools */
}

static resource *find_named(const model *m, const char *name) {
    for (uint32_t i = 0; name && i < state_of(m)->count; i++)
        if (strcmp(state_of(m)->resources[i].type->name, name) == 0) return &state_of(m)->resources[i];
    return NULL;
}

static uint32_t align_of(const covey_type *type) { return type->align ? type->align : 1; }

static bool same_layout(const covey_type *a, const covey_type *b) {
    bool pinned = (a->storage == COVEY_STORAGE_PINNED) == (b->storage == COVEY_STORAGE_PINNED);
    return pinned && a->size == b->size && align_of(a) == align_of(b) && a->policy == b->policy &&
           oracle_type_is_block(a) == oracle_type_is_block(b) && a->zero_erased == b->zero_erased &&
           a->no_copy == b->no_copy && !a->drop == !b->drop && !a->copy == !b->copy;
}

static resource *find_resource(const model *m, const covey_type *type) {
    resource *found = find_named(m, type->name);
    return found && same_layout(found->type, type) ? found : NULL;
}

static covey_result may_set(const model *m, const covey_type *type) {
    if (find_resource(m, type)) return COVEY_OK;
    if (!oracle_type_valid(type)) return COVEY_ERROR_TYPE;
    return find_named(m, type->name) ? COVEY_ERROR_LAYOUT : COVEY_OK;
}

static void resource_set(model *m) {
    const covey_type *type = pick_resource_type(m);
    resource *there = find_resource(m, type);
    uint32_t how = program_below(&m->program, 8);
    const void *value = m->value;
    covey_result expected = may_set(m, type);
    if (!there && state_of(m)->count == RESOURCES) return;
    for (uint32_t i = 0; i < VALUE_BYTES; i++) m->value[i] = (unsigned char)program_byte(&m->program);
    if (how == 0 && there) memcpy(m->value, value = there->address, type->size);
    if (how == 1) value_make_default(type, m->value), value = NULL;
    bool itself = there && value == there->address;
    owned += type->drop && !itself;
    const void *address = covey_resource_set_raw(m->world, type, value);
    if (!model_settle(m, address != NULL, expected)) {
        owned -= type->drop != NULL;
        return;
    }
    REQUIRE(m, !there || address == there->address, "the resource %s has moved", type->name);
    if (!there) {
        there = &state_of(m)->resources[state_of(m)->count++];
        *there = (resource){ .type = type, .address = address };
    }
    memcpy(there->bytes, m->value, type->size);
}

static void forget_resource(model *m, resource *there) {
    resource *end = &state_of(m)->resources[--state_of(m)->count];
    for (; there < end; there++) *there = there[1];
}

static void resource_remove(model *m) {
    const covey_type *type = pick_resource_type(m);
    resource *there = find_resource(m, type);
    bool removed = covey_resource_remove_raw(m->world, type);
    REQUIRE(m, removed == (there != NULL), "the resource %s was %sremoved", type->name, removed ? "" : "not ");
    if (there) forget_resource(m, there);
}

static void resource_take(model *m) {
    const covey_type *type = pick_resource_type(m);
    resource *there = find_resource(m, type);
    bool taken = covey_resource_take_raw(m->world, type, m->value);
    REQUIRE(m, taken == (there != NULL), "the resource %s was %staken", type->name, taken ? "" : "not ");
    if (!there) return;
    REQUIRE(m, memcmp(m->value, there->bytes, type->size) == 0, "another value of %s", type->name);
    owned -= type->drop != NULL;
    forget_resource(m, there);
}

static void resource_look(model *m) {
    const covey_type *type = pick_resource_type(m);
    const resource *there = find_resource(m, type);
    const void *address = covey_resource_get_raw(m->world, type);
    REQUIRE(m, address == (there ? there->address : NULL), "the resource %s is elsewhere", type->name);
    REQUIRE(m, covey_resource_has_raw(m->world, type) == (there != NULL), "%s is there and not", type->name);
}

/* All of them, in order, with their values, and as many owners as there should be. */
static void check(model *m) {
    const copies *state = state_of(m);
    uint32_t owners = saved;
    REQUIRE(m, covey_world_resource_count(m->world) == state->count, "%u resources, not %u",
            covey_world_resource_count(m->world), state->count);
    REQUIRE(m, !covey_world_resource(m->world, state->count), "a resource behind the last");
    for (uint32_t i = 0; i < state->count; i++) {
        const resource *r = &state->resources[i];
        const covey_type *type = covey_world_resource(m->world, i);
        REQUIRE(m, type == r->type, "resource %u is %s, not %s", i, type->name, r->type->name);
        const void *address = covey_resource_get_raw(m->world, type);
        REQUIRE(m, address && address == r->address, "the resource %s is elsewhere", type->name);
        REQUIRE(m, (uintptr_t)address % align_of(type) == 0, "the resource %s is misaligned", type->name);
        REQUIRE(m, memcmp(address, r->bytes, type->size) == 0, "the resource %s has another value", type->name);
        owners += type->drop != NULL;
    }
    REQUIRE(m, owners == owned, "%u values of resources live, not %u", owned, owners);
}

static void compare(model *m) { (void)m; }

static void end(model *m) {
    while (state_of(m)->count != 0) {
        const covey_type *type = state_of(m)->resources[--state_of(m)->count].type;
        REQUIRE(m, covey_resource_remove_raw(m->world, type), "%s is gone", type->name);
    }
    check(m);
}

/* ---- Copies of entities -------------------------------------------------------------------------------------------*/

bool model_can_copy(const covey_type *type) { return !type->no_copy && (!type->drop || type->copy); }

static bool has_uncopyable(model *m, covey_entity e) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        if (oracle_has(m->oracle, &m->oracle->pools[i], e) && !model_can_copy(m->oracle->pools[i].type)) return true;
    return false;
}

static uint32_t count_hooks(model *m, covey_entity e) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        count += oracle_has(m->oracle, &m->oracle->pools[i], e) && m->oracle->pools[i].type->copy;
    return count;
}

/* Whether a pool might not have positions for so many more. */
static bool is_almost_full(model *m, covey_entity e, uint32_t count) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        if (pool->set->by_index || !oracle_has(m->oracle, pool, e)) continue;
        if (count > COVEY_NONE - oracle_set_positions(pool->set)) return true;
    }
    return false;
}

/* Now and then a hook fails. */
uint32_t model_let_copies_fail(model *m, uint32_t among) {
    uint32_t at = program_chance(&m->program, 48) ? 1 + program_below(&m->program, among + 1) : 0;
    values.copy_fails_in = at;
    return at;
}

/* A failure may be that of a pool that is full, which only the library knows. */
static bool settle_copy(model *m, bool done, covey_result expected, bool almost_full) {
    values.copy_fails_in = 0;
    if (!done && almost_full && covey_world_result(m->world) == COVEY_ERROR_FULL) expected = COVEY_ERROR_FULL;
    return model_settle(m, done, expected);
}

static void check_copy(model *m, const oracle_pool *pool, covey_entity e) {
    uint32_t at = oracle_set_live(pool->set, e);
    const void *address = covey_get_raw(m->world, e, pool->type);
    REQUIRE(m, address && at != COVEY_NONE, "%u:%u has no copy of %s", e.index, e.generation, pool->type->name);
    REQUIRE(m, memcmp(address, oracle_set_value(pool->set, at), pool->type->size) == 0, "another value");
    pool->set->addresses[at] = address;
}

static void overwrite(model *m, const oracle_pool *pool, covey_entity e, const void *value) {
    memcpy(oracle_get(m->oracle, pool, e), value, pool->type->size);
    oracle_was_set(m->oracle, pool, e);
}

/* One component after the other: added behind the others, or overwritten. */
void model_copied(model *m, covey_entity from, const covey_entity *to, uint32_t count, bool cloned) {
    unsigned char value[VALUE_BYTES];
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        if (!oracle_has(m->oracle, pool, from)) continue;
        memcpy(value, oracle_get(m->oracle, pool, from), pool->type->size);
        for (uint32_t k = 0; k < count; k++) {
            if (oracle_has(m->oracle, pool, to[k])) overwrite(m, pool, to[k], value);
            else oracle_add(m->oracle, pool, to[k], value, cloned || pool->type->policy != COVEY_IN_PLACE);
        }
    }
}

static void copied(model *m, covey_entity from, const covey_entity *to, uint32_t count, bool cloned) {
    model_copied(m, from, to, count, cloned);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        for (uint32_t k = 0; k < count && oracle_has(m->oracle, pool, from); k++) check_copy(m, pool, to[k]);
    }
}

bool model_may_copy(model *m, covey_entity e, uint32_t count) {
    return oracle_alive(m->oracle, e) && !has_uncopyable(m, e) && !is_almost_full(m, e, count);
}

static void copy(model *m) {
    covey_entity from = model_pick(m), to = program_chance(&m->program, 8) ? from : model_pick(m);
    bool alive = oracle_alive(m->oracle, from) && oracle_alive(m->oracle, to), itself = covey_same(from, to);
    covey_result expected = !alive ? COVEY_ERROR_DEAD : COVEY_OK;
    uint32_t hooks = count_hooks(m, from), fails = model_let_copies_fail(m, hooks);
    if (alive && !itself && has_uncopyable(m, from)) expected = COVEY_ERROR_COPY;
    if (alive && !itself && fails != 0 && fails <= hooks) expected = COVEY_ERROR_COPY;
    bool almost_full = is_almost_full(m, from, 1);
    bool done = covey_copy(m->world, from, to);
    if (settle_copy(m, done, expected, almost_full) && !itself) copied(m, from, &to, 1, false);
}

/* A single clone may be made as if it was for another world. What is disabled would be so in that one. */
static bool goes_into(const model *m, covey_entity e, uint32_t count) {
    const covey_type *types[ORACLE_POOLS];
    if (count != 1 || e.index % 2 != 0 || !covey_is_enabled(m->world, e)) return false;
    uint32_t has = covey_types_of(m->world, e, types, ORACLE_POOLS);
    for (uint32_t i = 0; i < has && i < ORACLE_POOLS; i++)
        if (!covey_component_is_enabled_raw(m->world, e, types[i])) return false;
    return has <= ORACLE_POOLS;
}

static bool clone_with(model *m, covey_entity e, uint32_t count, bool into) {
    if (!into) return covey_clone(m->world, e, m->batch, count);
    m->batch[0] = covey_clone_into(m->world, m->world, e, NULL);
    return !covey_is_null(m->batch[0]);
}

static void clone(model *m) {
    covey_entity e = model_pick(m), nobody = { 0, 0 };
    uint32_t most = m->oracle->alive < m->options->crowd ? 12 : 2, count = program_below(&m->program, most + 1);
    if (program_chance(&m->program, 16)) count *= 8;
    bool alive = oracle_alive(m->oracle, e);
    covey_result expected = !alive ? COVEY_ERROR_DEAD : COVEY_OK;
    uint32_t hooks = count_hooks(m, e) * count, fails = model_let_copies_fail(m, hooks);
    bool into = goes_into(m, e, count), full = alive && oracle_can_create(m->oracle, 0, count) < count;
    if (full && !into) expected = COVEY_ERROR_FULL;
    else if (alive && has_uncopyable(m, e)) expected = COVEY_ERROR_COPY;
    else if (alive && fails != 0 && fails <= hooks) expected = COVEY_ERROR_COPY;
    else if (full) expected = COVEY_ERROR_FULL;
    bool almost_full = is_almost_full(m, e, count);
    m->behind = true;
    bool done = clone_with(m, e, count, into);
    if (!settle_copy(m, done, expected, almost_full)) {
        for (uint32_t i = 0; i < count; i++) REQUIRE(m, covey_same(m->batch[i], nobody), "a handle of a clone");
        return;
    }
    model_created_with(m, oracle_types_of(m->oracle, e), m->batch, count);
    if (count != 0) model_remember(m, m->batch[0]);
    copied(m, e, m->batch, count, true);
}

/* ---- Copies of worlds ---------------------------------------------------------------------------------------------*/

static covey_result may_clone_world(const model *m) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        if (oracle_set_count(m->oracle->pools[i].set) != 0 && !model_can_copy(m->oracle->pools[i].type))
            return COVEY_ERROR_COPY;
    for (uint32_t i = 0; i < state_of(m)->count; i++)
        if (!model_can_copy(state_of(m)->resources[i].type)) return COVEY_ERROR_COPY;
    return COVEY_OK;
}

static uint32_t count_world_hooks(const model *m) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        if (m->oracle->pools[i].type->copy) count += oracle_set_count(m->oracle->pools[i].set);
    for (uint32_t i = 0; i < state_of(m)->count; i++) count += state_of(m)->resources[i].type->copy != NULL;
    return count;
}

/* Spans of both worlds have the same entities in the same order. */
/* Goes through spans, one entity after the other. */
typedef struct cursor {
    covey_view view;
    covey_iter it;
    uint32_t row;
} cursor;

static void begin_spans(cursor *c, covey_world *world, const covey_type *type) {
    covey_view_desc desc = { .with = { type }, .read = { type }, .include_disabled = true };
    c->view = covey_view_make(world, &desc);
    c->it = covey_view_iter(&c->view);
    c->row = 0;
}

static bool next_of_spans(cursor *c, covey_entity *e, const char **value) {
    if (++c->row >= c->it.count) {
        if (!covey_next(&c->it)) return false;
        c->row = 0;
    }
    *e = covey_span_entity(&c->it, c->row);
    *value = (const char *)covey_field_raw(&c->it, 0) + (size_t)c->row * covey_view_type(&c->view, 0)->size;
    return true;
}

void model_compare_spans(model *m, covey_world *twin, const covey_type *type) {
    cursor mine, its;
    covey_entity a, b;
    const char *value, *other;
    begin_spans(&mine, m->world, type);
    begin_spans(&its, twin, covey_type_find(twin, type->name));
    while (next_of_spans(&mine, &a, &value)) {
        REQUIRE(m, next_of_spans(&its, &b, &other), "spans of %s end too early in the twin", type->name);
        REQUIRE(m, covey_same(a, b), "%u:%u, not %u:%u, is next in the twin", b.index, b.generation, a.index,
                a.generation);
        REQUIRE(m, memcmp(value, other, type->size) == 0, "%u:%u has another %s", b.index, b.generation, type->name);
    }
    REQUIRE(m, !next_of_spans(&its, &b, &other), "spans of %s go on in the twin", type->name);
}

static void move(model *m) {
    for (uint32_t i = 0; i < state_of(m)->count; i++) {
        resource *r = &state_of(m)->resources[i];
        r->type = covey_world_resource(m->twin, i);
        r->address = r->type ? covey_resource_get_raw(m->twin, r->type) : NULL;
    }
}

static void count_loaded(model *m) {
    for (uint32_t i = 0; i < covey_world_resource_count(m->twin); i++)
        owned += covey_world_resource(m->twin, i)->drop != NULL;
}

/* Its types, and the addresses of values, are others. */
void model_move(model *m) {
    covey_world *twin = m->twin;
    const struct model_subject *subject = m->options->subject;
    for (uint32_t i = 0; i < m->type_count; i++) {
        const covey_type *known = m->types[i]->name ? covey_type_find(m->world, m->types[i]->name) : NULL;
        if (known == m->types[i]) m->types[i] = covey_type_find(twin, known->name);
    }
    if (subject && subject->move) subject->move(m);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        oracle_pool *pool = &m->oracle->pools[i];
        pool->type = covey_type_find(twin, pool->type->name);
        for (uint32_t at = 0; pool->type && at < pool->set->end; at++)
            pool->set->addresses[at] = covey_get_raw(twin, pool->set->ids[at], pool->type);
    }
    while (m->oracle->group_count != 0) oracle_group_end(m->oracle, &m->oracle->groups[0]);
    if (subject && subject->leave) subject->leave(m);
    covey_world_destroy(m->world);
    m->world = twin;
    m->twin = NULL;
    m->result = covey_world_result(twin);
}

static void world_clone(model *m) {
    if (m->options->crowd >= 1000 && program_below(&m->program, 16) != 0) return;
    uint32_t hooks = count_world_hooks(m), fails = model_let_copies_fail(m, hooks);
    covey_result expected = may_clone_world(m);
    if (expected == COVEY_OK && fails != 0 && fails <= hooks) expected = COVEY_ERROR_COPY;
    covey_world *twin = covey_world_clone(m->world, NULL);
    if (!settle_copy(m, twin != NULL, expected, false)) return;
    const char *why = "";
    REQUIRE(m, covey_world_validate(twin, &why), "the clone is not valid: %s", why);
    REQUIRE(m, covey_world_group_count(twin) == 0, "a clone with groups");
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) model_compare_spans(m, twin, m->oracle->pools[i].type);
    if (program_chance(&m->program, 64)) covey_world_destroy(twin);
    else {
        m->twin = twin;
        model_move(m);
    }
}

/* ---- Going back ---------------------------------------------------------------------------------------------------*/

static uint32_t count_owners(const copies *state) {
    uint32_t owners = 0;
    for (uint32_t i = 0; i < state->count; i++) owners += state->resources[i].type->drop != NULL;
    return owners;
}

static void *save(model *m) {
    copies *copy_of_state = malloc(sizeof *copy_of_state);
    if (!copy_of_state) abort();
    *copy_of_state = *state_of(m);
    saved += count_owners(copy_of_state);
    return copy_of_state;
}

static void unsave(void *state) {
    saved -= count_owners(state);
    free(state);
}

/* Entities that were there keep their positions; the others are somewhere. */
static void restore(model *m, const void *state) {
    copies now = *state_of(m);
    *state_of(m) = *(const copies *)state;
    for (uint32_t i = 0; i < state_of(m)->count; i++) {
        resource *r = &state_of(m)->resources[i];
        r->address = covey_resource_get_raw(m->world, r->type);
        for (uint32_t k = 0; k < now.count; k++)
            if (strcmp(now.resources[k].type->name, r->type->name) == 0 && same_layout(now.resources[k].type, r->type))
                REQUIRE(m, r->address == now.resources[k].address, "the resource %s has moved", r->type->name);
    }
}

static const model_operation operations[] = {
    { "resource_set", resource_set, 10, false },
    { "resource_remove", resource_remove, 5, true },
    { "resource_take", resource_take, 3, true },
    { "resource_get", resource_look, 3, true },
    { "copy", copy, 24, false },
    { "clone", clone, 16, false },
    { "world_clone", world_clone, 3, false },
    { NULL, NULL, 0, false },
};

const struct model_subject model_copies = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .save = save,
    .restore = restore,
    .unsave = unsave,
    .move = move,
    .count_loaded = count_loaded,
};
