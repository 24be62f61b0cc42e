/* Operations on components, pools and types. */
#include "model_world.h"

#include <stdlib.h>

static oracle_pool *pick_pool(model *m, const covey_type **type) {
    *type = model_pick_type(m);
    return oracle_pool_of(m->oracle, *type);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

/* Bytes of its own, those of another component of the pool, or none. m->value is a copy; the caller owns it. */
static const void *choose_value(model *m, const covey_type *type) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    uint32_t how = program_below(&m->program, 16);
    const void *inside = NULL;
    if (how < 4 && pool && pool->set->end != 0) {
        covey_entity source = pool->set->ids[program_below(&m->program, pool->set->end)];
        inside = covey_get_raw(m->world, source, type);
    }
    if (inside) memcpy(m->value, inside, type->size);
    else if (how == 4) value_make_default(type, m->value);
    else value_make(type, program_byte(&m->program), m->value);
    value_own(type, m->value);
    if (inside) return inside;
    return how == 4 ? NULL : m->value;
}

static bool is_literal(const model *m, const void *value) { return value == m->value; }

/* The address that a call has returned is the component's, and the value there is right. */
void model_check_component(model *m, const oracle_pool *pool, covey_entity e, const void *address) {
    uint32_t at = oracle_set_live(pool->set, e);
    REQUIRE(m, at != COVEY_NONE, "%u:%u has a %s that should not be there", e.index, e.generation, pool->type->name);
    REQUIRE(m, address == covey_get_raw(m->world, e, pool->type), "another address");
    REQUIRE(m, (uintptr_t)address % (pool->type->align ? pool->type->align : 1) == 0, "a misaligned address");
    REQUIRE(m, memcmp(address, oracle_set_value(pool->set, at), pool->type->size) == 0, "another value");
    const void *old = pool->set->addresses[at];
    REQUIRE(m, !pool->set->pinned || !old || old == address, "a pinned %s has moved", pool->type->name);
    pool->set->addresses[at] = address;
}

/* ---- Adding and setting -------------------------------------------------------------------------------------------*/

covey_result model_may_meet(model *m, const covey_type *type) {
    if (oracle_pool_of(m->oracle, type)) return COVEY_OK;
    if (!oracle_type_valid(type)) return COVEY_ERROR_TYPE;
    return oracle_pool_named(m->oracle, type->name) ? COVEY_ERROR_LAYOUT : COVEY_OK;
}

covey_result model_may_add(model *m, const covey_type *type, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    if (!oracle_alive(m->oracle, e)) return COVEY_ERROR_DEAD;
    if (!pool) return model_may_meet(m, type);
    if (oracle_has(m->oracle, pool, e)) return COVEY_ERROR_PRESENT;
    bool full = oracle_set_positions(pool->set) == COVEY_NONE;
    return full && oracle_set_needs_position(pool->set, e, false) ? COVEY_ERROR_FULL : COVEY_OK;
}

static void settle_add(model *m, const covey_type *type, covey_entity e, const void *address, covey_result expected) {
    if (!model_settle(m, address != NULL, expected)) {
        value_disown(type, m->value);
        model_meet_anyway(m, type);
        return;
    }
    const oracle_pool *pool = model_meet(m, type);
    oracle_add(m->oracle, pool, e, m->value, type->policy != COVEY_IN_PLACE);
    model_check_component(m, pool, e, address);
}

void model_add(model *m, const covey_type *type, covey_entity e) {
    value_make(type, program_byte(&m->program), m->value);
    value_own(type, m->value);
    covey_result expected = model_may_add(m, type, e);
    settle_add(m, type, e, covey_add_raw(m->world, e, type, m->value), expected);
}

static void add(model *m) {
    const covey_type *type = model_pick_type(m);
    covey_entity e = model_pick(m);
    const void *value = choose_value(m, type);
    covey_result expected = model_may_add(m, type, e);
    covey_pool *held = program_chance(&m->program, 80) ? covey_pool_find_raw(m->world, type) : NULL;
    void *address;
    if (held && is_literal(m, value)) address = value_pool_add(held, e, type, value);
    else if (held) address = covey_pool_add_raw(held, e, value);
    else if (is_literal(m, value)) address = value_add(m->world, e, type, value);
    else address = covey_add_raw(m->world, e, type, value);
    settle_add(m, type, e, address, expected);
}

static void settle_overwrite(model *m, const oracle_pool *pool, covey_entity e, const void *value,
                             const void *address) {
    if (!model_settle(m, address != NULL, COVEY_OK)) {
        value_disown(pool->type, m->value);
        return;
    }
    if (m->oracle->fault != ORACLE_FORGETS_SET) memcpy(oracle_get(m->oracle, pool, e), m->value, pool->type->size);
    oracle_touch(m->oracle, pool, e);
    if (value == address) value_disown(pool->type, m->value);
    oracle_was_set(m->oracle, pool, e);
    model_check_component(m, pool, e, address);
}

static void set(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool there = pool && oracle_has(m->oracle, pool, e);
    const void *value = choose_value(m, type);
    covey_result expected = there ? COVEY_OK : model_may_add(m, type, e);
    covey_pool *held = program_chance(&m->program, 80) ? covey_pool_find_raw(m->world, type) : NULL;
    void *address;
    if (held && is_literal(m, value)) address = value_pool_set(held, e, type, value);
    else if (held) address = covey_pool_set_raw(held, e, value);
    else if (is_literal(m, value)) address = value_set(m->world, e, type, value);
    else address = covey_set_raw(m->world, e, type, value);
    if (!there) settle_add(m, type, e, address, expected);
    else settle_overwrite(m, pool, e, value, address);
}

static void get_or_add(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool there = pool && oracle_has(m->oracle, pool, e);
    const void *value = choose_value(m, type);
    covey_result expected = there ? COVEY_OK : model_may_add(m, type, e);
    void *address = is_literal(m, value) ? value_get_or_add(m->world, e, type, value)
                                         : covey_get_or_add_raw(m->world, e, type, value);
    if (!there) {
        settle_add(m, type, e, address, expected);
        return;
    }
    value_disown(type, m->value);
    if (model_settle(m, address != NULL, COVEY_OK)) model_check_component(m, pool, e, address);
}

/* ---- Changing -----------------------------------------------------------------------------------------------------*/

static covey_result may_change(model *m, const oracle_pool *pool, covey_entity e) {
    if (!oracle_alive(m->oracle, e)) return COVEY_ERROR_DEAD;
    return pool && oracle_has(m->oracle, pool, e) ? COVEY_OK : COVEY_ERROR_ABSENT;
}

static void exchange(unsigned char *a, unsigned char *b, uint32_t size) {
    unsigned char bytes[VALUE_BYTES];
    memcpy(bytes, a, size);
    memcpy(a, b, size);
    memcpy(b, bytes, size);
}

/* With a value of the caller, or with another component of the pool. */
static void replace(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool), other = model_pick_member(m, pool);
    unsigned char *partner = m->value, *wanted = m->array;
    value_make(type, program_byte(&m->program), partner);
    memcpy(wanted, partner, type->size);
    bool silent =
        m->options->subject != &model_lookups; /* they would have to be told that the other value was written */
    if (pool && oracle_has(m->oracle, pool, other) && program_chance(&m->program, 64) && silent) {
        partner = covey_get_raw(m->world, other, type);
        wanted = oracle_get(m->oracle, pool, other);
    }
    bool own = partner == m->value;
    if (own) value_own(type, partner);
    m->may_allocate = m->sets_are_kept;
    covey_result expected = may_change(m, pool, e);
    if (model_settle(m, covey_replace_raw(m->world, e, type, partner), expected)) {
        unsigned char *old = oracle_get(m->oracle, pool, e);
        if (old != wanted) exchange(old, wanted, type->size);
        oracle_was_set(m->oracle, pool, e);
        model_check_component(m, pool, e, covey_get_raw(m->world, e, type));
    }
    REQUIRE(m, memcmp(partner, wanted, type->size) == 0, "the caller got another value back");
    if (own) value_disown(type, partner);
}

static void change(void *value, void *context) { value_change(context, value); }

static void patch(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool changes = program_chance(&m->program, 200);
    covey_result expected = may_change(m, pool, e);
    m->may_allocate = m->sets_are_kept;
    void *address = covey_patch_raw(m->world, e, type, changes ? change : NULL, (void *)(uintptr_t)type);
    if (!model_settle(m, address != NULL, expected)) return;
    if (changes) value_change(type, oracle_get(m->oracle, pool, e));
    oracle_was_patched(m->oracle, pool, e);
    model_check_component(m, pool, e, address);
}

static void patch_or_add(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool there = pool && oracle_has(m->oracle, pool, e), changes = program_chance(&m->program, 200);
    covey_result expected = there ? COVEY_OK : model_may_add(m, type, e);
    void *address = covey_patch_or_add_raw(m->world, e, type, changes ? change : NULL, (void *)(uintptr_t)type);
    value_make_default(type, m->value);
    value_own(type, m->value);
    if (!there && changes) value_change(type, m->value);
    if (!there) {
        settle_add(m, type, e, address, expected);
        return;
    }
    if (!model_settle(m, address != NULL, expected)) return;
    if (changes) value_change(type, oracle_get(m->oracle, pool, e));
    oracle_was_patched(m->oracle, pool, e);
    model_check_component(m, pool, e, address);
}

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

static void check_erased(model *m, const covey_sparse_set *set) {
    if (!set->zero_erased || set->policy != COVEY_SWAP_AND_POP) return;
    const unsigned char *value = covey__value_at(set, set->end, set->size);
    for (uint32_t i = 0; i < set->size; i++) REQUIRE(m, value[i] == 0, "an erased value is not zero");
}

/* What a block that holds others keeps where the value was, or where the one that took its place was. */
static void check_erased_block(model *m, const covey__block_store *blocks, uint32_t index) {
    const covey__block_page *page = blocks->pages[index / COVEY__BLOCK_PAGE];
    uint32_t block = covey__block_of(index);
    if (!blocks->zero_erased || page->masks[block] == 0) return;
    uint32_t slot = page->capacity[block] == COVEY__BLOCK_IDS ? index % COVEY__BLOCK_IDS : page->used[block];
    const char *value = page->chunks[block].data + (size_t)slot * blocks->size;
    for (uint32_t i = 0; i < blocks->size; i++) REQUIRE(m, value[i] == 0, "an erased value is not zero");
}

static void remove_component(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool there = pool && oracle_has(m->oracle, pool, e);
    covey_pool *held = covey_pool_find_raw(m->world, type);
    bool removed =
        held && program_chance(&m->program, 80) ? covey_pool_remove_raw(held, e) : covey_remove_raw(m->world, e, type);
    REQUIRE(m, removed == there, "%s was %sremoved", type->name, removed ? "" : "not ");
    if (!there) return;
    oracle_remove(m->oracle, pool, e);
    REQUIRE(m, !covey_has_raw(m->world, e, type), "%s is still there", type->name);
    if (pool->set->by_index) check_erased_block(m, &held->block_store, e.index);
    else check_erased(m, &held->sparse_set);
}

static void take(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity e = model_pick_member(m, pool);
    bool there = pool && oracle_has(m->oracle, pool, e);
    covey_pool *held = covey_pool_find_raw(m->world, type);
    unsigned char wanted[VALUE_BYTES];
    for (uint32_t i = 0; i < VALUE_BYTES; i++) m->value[i] = wanted[i] = (unsigned char)i;
    if (there) memcpy(wanted, oracle_get(m->oracle, pool, e), type->size);
    bool taken = held && program_chance(&m->program, 80) ? covey_pool_take_raw(held, e, m->value)
                                                         : covey_take_raw(m->world, e, type, m->value);
    REQUIRE(m, taken == there, "%s was %staken", type->name, taken ? "" : "not ");
    REQUIRE(m, memcmp(m->value, wanted, VALUE_BYTES) == 0, "another value was taken");
    if (!there) return;
    value_disown(type, m->value);
    oracle_remove(m->oracle, pool, e);
    if (pool->set->by_index) check_erased_block(m, &held->block_store, e.index);
    else check_erased(m, &held->sparse_set);
}

typedef struct condition {
    uint32_t divisor, rest, asked, wrong; /* wrong: values that are not the entity's */
    model *m;
    const oracle_pool *pool;
} condition;

static bool holds(covey_entity e, const void *value, void *context) {
    condition *c = context;
    const unsigned char *wanted = oracle_get(c->m->oracle, c->pool, e);
    c->wrong += !wanted || memcmp(value, wanted, c->pool->type->size) != 0;
    c->asked++;
    return e.index % c->divisor == c->rest;
}

/* From the last to the first, or, in blocks, by index. */
static void remove_if(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    condition c = { .divisor = 1 + program_below(&m->program, 6), .m = m, .pool = pool };
    c.rest = program_below(&m->program, c.divisor);
    if (c.divisor == 1 && program_below(&m->program, m->rarity) != 0) return;
    model_list chosen = { 0 };
    for (uint32_t i = 0; pool && i < pool->set->end; i++) {
        covey_entity e = pool->set->ids[pool->set->by_index ? i : pool->set->end - 1 - i];
        if (e.generation != 0 && e.index % c.divisor == c.rest) model_append(&chosen, e);
    }
    uint32_t there = pool ? oracle_set_count(pool->set) : 0;
    uint32_t removed = covey_remove_if_raw(m->world, type, holds, &c);
    bool agreed = removed == chosen.count && c.asked >= there && c.wrong == 0;
    for (uint32_t i = 0; i < chosen.count; i++) oracle_remove(m->oracle, pool, chosen.ids[i]);
    uint32_t wanted = chosen.count;
    free(chosen.ids);
    REQUIRE(m, agreed, "%u of %s were removed, not %u; asked about %u of %u, %u wrong", removed, type->name, wanted,
            c.asked, there, c.wrong);
}

void model_remove(model *m, const covey_type *type, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    bool there = pool && oracle_has(m->oracle, pool, e);
    REQUIRE(m, covey_remove_raw(m->world, e, type) == there, "removed and not");
    if (there) oracle_remove(m->oracle, pool, e);
}

static void remove_neighbours(model *m) {
    const covey_type *type = model_pick_type(m);
    uint32_t count = model_pick_neighbours(m, NULL);
    for (uint32_t i = 0; i < count; i++) model_remove(m, type, m->batch[i]);
}

static void clear(model *m) {
    const covey_type *type;
    if (program_below(&m->program, m->rarity) != 0) return;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_clear_raw(m->world, type);
    if (pool) oracle_clear(m->oracle, pool);
}

static void clear_components(model *m) {
    if (program_below(&m->program, m->rarity) != 0) return;
    covey_clear_components(m->world);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) oracle_clear(m->oracle, &m->oracle->pools[i]);
    oracle_enable_all(m->oracle);
    if (m->options->subject && m->options->subject->clear) m->options->subject->clear(m);
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

static bool has_duplicate(const model *m, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (m->batch[i].index == m->batch[k].index) return true;
    return false;
}

static covey_result may_add_many(model *m, const covey_type *type, uint32_t count, bool copies) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    for (uint32_t i = 0; i < count; i++)
        if (!oracle_alive(m->oracle, m->batch[i])) return COVEY_ERROR_DEAD;
    covey_result result = model_may_meet(m, type);
    if (result != COVEY_OK) return result;
    if (copies && type->drop && !type->copy) return COVEY_ERROR_COPY;
    if (!pool) return has_duplicate(m, count) ? COVEY_ERROR_PRESENT : COVEY_OK;
    uint32_t needed = 0;
    result = oracle_set_may_push(pool->set, m->batch, count);
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++)
        needed += oracle_set_needs_position(pool->set, m->batch[i], true);
    return needed > COVEY_NONE - oracle_set_positions(pool->set) ? COVEY_ERROR_FULL : result;
}

static void added_many(model *m, const covey_type *type, uint32_t count, const unsigned char *from, size_t stride) {
    const oracle_pool *pool = model_meet(m, type);
    for (uint32_t i = 0; i < count; i++) oracle_add(m->oracle, pool, m->batch[i], from + i * stride, true);
    for (uint32_t i = 0; i < count; i++)
        model_check_component(m, pool, m->batch[i], covey_get_raw(m->world, m->batch[i], type));
}

/* Consecutive components of the pool, if their bytes may simply be doubled, or values of the caller. */
static const void *choose_array(model *m, const covey_type *type, uint32_t count) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    bool packed = pool && !type->drop && type->policy != COVEY_IN_PLACE && type->size != 0 && !pool->set->by_index;
    if (packed && pool->set->end > count && program_chance(&m->program, 48)) {
        uint32_t first = program_below(&m->program, pool->set->end - count);
        const char *packed_values = covey_pool_values_raw(covey_pool_find_raw(m->world, type));
        memcpy(m->array, packed_values + (size_t)first * type->size, (size_t)count * type->size);
        return packed_values + (size_t)first * type->size;
    }
    if (pool && pool->set->by_index && !type->drop && count == 1 && pool->set->end != 0) {
        covey_entity source = pool->set->ids[program_below(&m->program, pool->set->end)];
        const void *inside = covey_get_raw(m->world, source, type);
        memcpy(m->array, inside, type->size);
        return inside;
    }
    bool zero = program_chance(&m->program, 16);
    for (uint32_t i = 0; i < count; i++) {
        unsigned char *value = m->array + (size_t)i * type->size;
        if (zero) value_make_default(type, value);
        else value_make(type, program_byte(&m->program), value);
        value_own(type, value);
    }
    return zero ? NULL : m->array;
}

void model_add_array(model *m, const covey_type *type, uint32_t count) {
    const void *array = choose_array(m, type, count);
    covey_result expected = may_add_many(m, type, count, false);
    if (model_settle(m, covey_add_array_raw(m->world, m->batch, count, type, array), expected)) {
        added_many(m, type, count, m->array, type->size);
        return;
    }
    for (uint32_t i = 0; i < count; i++) value_disown(type, m->array + (size_t)i * type->size);
    model_meet_anyway(m, type);
}

/* Where a swap-only pool keeps dead elements, what is added and taken out again is one of them. */
static void add_in_vain(model *m, const covey_type *type, uint32_t count) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    if (pool->set->dead == 0) return;
    for (uint32_t i = 0; i < count; i++) oracle_set_push(pool->set, m->batch[i], m->value, true);
    while (count-- != 0) oracle_set_erase(pool->set, oracle_set_where(pool->set, m->batch[count].index));
}

void model_add_copies(model *m, const covey_type *type, uint32_t count) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, type);
    const void *value = choose_value(m, type);
    covey_result expected = may_add_many(m, type, count, true);
    uint32_t fails = program_chance(&m->program, 64) ? 1 + program_below(&m->program, 4) : 0;
    bool hooked = type->copy && (value || type->defaults);
    bool in_vain = expected == COVEY_OK && hooked && fails != 0 && fails <= count;
    values.copy_fails_in = fails;
    bool added = covey_add_copies_raw(m->world, m->batch, count, type, value);
    values.copy_fails_in = 0;
    /* Blocks take one entity after the other: when one is there already, a copy for one before it may fail first. */
    bool block = pool ? pool->set->by_index : oracle_type_is_block(type);
    bool either = expected == COVEY_ERROR_PRESENT && block && fails != 0;
    if (either && !added && covey_world_result(m->world) == COVEY_ERROR_COPY) expected = COVEY_ERROR_COPY;
    added = model_settle(m, added, in_vain ? COVEY_ERROR_COPY : expected);
    value_disown(type, m->value);
    if (added) {
        for (uint32_t i = 0; i < count && !type->copy; i++) value_own(type, m->value);
        added_many(m, type, count, m->value, 0);
        return;
    }
    model_meet_anyway(m, type);
    if (in_vain && m->result == COVEY_ERROR_COPY) add_in_vain(m, type, fails);
}

static void add_array(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    model_add_array(m, type, model_pick_batch(m, pool));
}

static void add_copies(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    model_add_copies(m, type, model_pick_batch(m, pool));
}

/* ---- Pools and types ----------------------------------------------------------------------------------------------*/

static void pool_of(model *m) {
    const covey_type *type = model_pick_type(m);
    covey_result expected = model_may_meet(m, type);
    covey_pool *pool = covey_pool_of_raw(m->world, type);
    if (model_settle(m, pool != NULL, expected)) model_meet(m, type);
}

static void pool_swap(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_entity a = model_pick_member(m, pool), b = model_pick_member(m, pool);
    if (!pool) return;
    uint32_t left = oracle_set_live(pool->set, a), right = oracle_set_live(pool->set, b);
    covey_result expected = left == COVEY_NONE || right == COVEY_NONE ? COVEY_ERROR_ABSENT : COVEY_OK;
    bool refused = type->policy == COVEY_IN_PLACE || pool->set->by_index || model_is_bound(m, pool);
    if (refused) expected = COVEY_ERROR_REFUSED;
    covey_result result = covey_pool_swap(covey_pool_find_raw(m->world, type), a, b);
    REQUIRE(m, result == expected, "the result is \"%s\"", covey_result_text(result));
    if (model_settle(m, result == COVEY_OK, expected)) oracle_set_swap(pool->set, left, right);
}

static void pool_reserve(model *m) {
    const covey_type *type = model_pick_type(m);
    covey_pool *pool = covey_pool_find_raw(m->world, type);
    uint32_t count = program_below(&m->program, 100);
    if (COVEY_INDEX_BITS < 32 && program_chance(&m->program, 32)) count += COVEY_NONE;
    if (!pool) return;
    covey_result result = covey_pool_reserve(pool, count);
    model_settle(m, result == COVEY_OK, count > COVEY_NONE ? COVEY_ERROR_RANGE : COVEY_OK);
    REQUIRE(m, result == COVEY_OK || result == m->result, "another result than the world's");
}

static void compacted(const oracle_pool *pool) {
    if (pool->type->policy == COVEY_ORDERED) oracle_set_compact(pool->set);
    else oracle_set_trim(pool->set);
}

/* Only blocks change their memory. */
static void pool_compact(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    uint64_t calls = m->program.heap.calls;
    if (!pool) return;
    covey_pool_compact(covey_pool_find_raw(m->world, type), NULL, NULL);
    REQUIRE(m, pool->set->by_index || m->program.heap.calls == calls, "it allocates");
    compacted(pool);
}

/* What the callback was told: each component has the address that it was told of, and had the other one. */
typedef struct packing {
    model *m;
    const oracle_pool *pool;
    uint32_t moves;
} packing;

static void note_move(covey_entity e, const void *from, void *to, void *context) {
    packing *p = context;
    uint32_t at = oracle_set_live(p->pool->set, e);
    REQUIRE(p->m, at != COVEY_NONE && p->pool->set->addresses[at] == from, "it was not there");
    REQUIRE(p->m, covey_get_raw(p->m->world, e, p->pool->type) == to, "it is not there");
    p->pool->set->addresses[at] = to;
    p->moves++;
}

static void pool_compact_moving(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    if (!pool) return;
    bool in_place = !pool->set->by_index && pool->set->policy == COVEY_IN_PLACE;
    uint32_t end = pool->set->end, holes = pool->set->hole_count;
    packing p = { m, pool, 0 };
    covey_result result = covey_pool_compact(covey_pool_find_raw(m->world, type), note_move, &p);
    if (!model_settle(m, result == COVEY_OK, in_place ? COVEY_OK : COVEY_ERROR_REFUSED)) return;
    oracle_set_pack(pool->set);
    REQUIRE(m, p.moves <= holes && pool->set->end == end - holes, "%u moved into %u holes", p.moves, holes);
}

static void compact(model *m) {
    bool blocks = model_pool_count(m) != covey_world_pool_count(m->world); /* the library's own are */
    uint64_t calls = m->program.heap.calls;
    covey_compact(m->world);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        blocks = blocks || m->oracle->pools[i].set->by_index;
        compacted(&m->oracle->pools[i]);
    }
    oracle_trim_kinds(m->oracle);
    REQUIRE(m, blocks || m->program.heap.calls == calls, "it allocates");
}

/* Memory goes back, and nothing else changes. */
static void shrink(model *m) {
    covey_pool *pool = covey_pool_find_raw(m->world, model_pick_type(m));
    if (program_chance(&m->program, 64)) covey_shrink(m->world);
    else if (pool) covey_pool_shrink(pool);
}

/* Not to pinned, from where there is no way back. */
static void pool_convert(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    covey_storage storage = (covey_storage)program_below(&m->program, 3);
    if (!pool) return;
    bool block = storage == COVEY_STORAGE_DEFAULT ? oracle_type_is_block(type) : storage == COVEY_STORAGE_BLOCK;
    bool refused =
        block != pool->set->by_index && (model_is_bound(m, pool) || (block && type->policy != COVEY_SWAP_AND_POP));
    if (pool->set->pinned) refused = storage != COVEY_STORAGE_DEFAULT;
    covey_result result = covey_pool_convert(covey_pool_find_raw(m->world, type), storage);
    bool converted = model_settle(m, result == COVEY_OK, refused ? COVEY_ERROR_REFUSED : COVEY_OK);
    if (converted && !pool->set->pinned && block != pool->set->by_index) oracle_set_convert(pool->set, block);
}

static void type_create(model *m) {
    const covey_type *description = &value_descriptions[program_below(&m->program, VALUE_DESCRIPTIONS)];
    if (program_chance(&m->program, 64)) description = model_pick_type(m);
    if (description->codec && m->options->image_every != 0)
        return; /* an image cannot make it again: it has functions */
    const oracle_pool *known = oracle_pool_of(m->oracle, description);
    covey_result expected = model_may_meet(m, description);
    const covey_type *type = covey_type_create(m->world, description);
    if (!model_settle(m, type != NULL, expected)) return;
    REQUIRE(m, !known || type == known->type, "another type of a name that is known");
    REQUIRE(m, strcmp(type->name, description->name) == 0 && type->size == description->size, "another type");
    model_meet(m, type);
    if (m->type_count < sizeof m->types / sizeof m->types[0]) m->types[m->type_count++] = type;
}

/* For types whose bytes are their values. One after the other: the last value counts for a handle that is listed twice.
 * If memory for events is out, none is set. */
static void set_array(model *m) {
    const covey_type *type;
    const oracle_pool *pool = pick_pool(m, &type);
    if (!pool || type->drop || type->move) return;
    uint32_t count = 1 + program_below(&m->program, 8), there = 0;
    for (uint32_t i = 0; i < count; i++) {
        m->batch[i] = model_pick_member(m, pool);
        value_make(type, program_byte(&m->program), m->array + (size_t)i * type->size);
        there += oracle_has(m->oracle, pool, m->batch[i]);
    }
    uint32_t set = covey_set_array_raw(m->world, m->batch, count, type, m->array);
    if (!model_settle(m, set == there, COVEY_OK)) return;
    for (uint32_t i = 0; i < count; i++) {
        if (!oracle_has(m->oracle, pool, m->batch[i])) continue;
        memcpy(oracle_get(m->oracle, pool, m->batch[i]), m->array + (size_t)i * type->size, type->size);
        oracle_touch(m->oracle, pool, m->batch[i]);
        oracle_was_set(m->oracle, pool, m->batch[i]);
    }
}

const model_operation model_component_operations[] = {
    { "add", add, 45, false },
    { "set", set, 14, false },
    { "get_or_add", get_or_add, 8, false },
    { "replace", replace, 8, true },
    { "patch", patch, 4, true },
    { "remove", remove_component, 36, true },
    { "remove, of neighbours", remove_neighbours, 1, true },
    { "clear", clear, 1, true },
    { "clear_components", clear_components, 1, true },
    { "add_array", add_array, 6, false },
    { "add_copies", add_copies, 6, false },
    { "pool_of", pool_of, 2, false },
    { "pool_swap", pool_swap, 8, true },
    { "pool_reserve", pool_reserve, 2, false },
    { "pool_compact", pool_compact, 1, false },
    { "pool_compact, moving", pool_compact_moving, 1, true },
    { "compact", compact, 1, false },
    { "shrink", shrink, 2, false },
    { "type_create", type_create, 1, false },
    { NULL, NULL, 0, false },
};

/* At the end of all, so that the numbers of the others, and what the fuzz corpus means, stay. */
const model_operation model_later_operations[] = {
    { "pool_convert", pool_convert, 2, false }, { "take", take, 6, true },
    { "remove_if", remove_if, 1, true },        { "patch_or_add", patch_or_add, 3, false },
    { "set_array", set_array, 4, false },       { NULL, NULL, 0, false },
};
