/* Kinds of the library, as the oracle has them. */
#include "model_world.h"

#include "change/kind.h"

/* The bits of a kind's types. */
static uint32_t set_of(model *m, const covey__kind *kind) {
    uint32_t set = 0;
    for (uint32_t i = 0; i < kind->key.count; i++) {
        const covey_type *type = covey_pool_type(m->world->pools[kind->key.pools[i]]);
        const oracle_pool *pool = oracle_pool_named(m->oracle, type->name);
        REQUIRE(m, pool, "a kind has %s, which the oracle does not know", type->name);
        set |= oracle_bit_of(m->oracle, pool);
    }
    return set;
}

static bool is_kind(model *m, uint32_t set) {
    const struct covey__kinds *kinds = m->world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->count; i++)
        if (kinds->at[i] && set_of(m, kinds->at[i]) == set) return true;
    return false;
}

/* The words that the library has given to kinds. */
typedef struct word {
    uint32_t index, set, slot;
} word;

/* The next word from number *at on. */
static bool next_word(model *m, uint64_t *at, word *found) {
    const struct covey__kinds *kinds = m->world->inner->kinds;
    uint64_t end = kinds ? (uint64_t)m->world->page_count * COVEY__TABLE_WORDS : 0;
    for (; *at < end; ++*at) {
        uint32_t index = (uint32_t)(*at * COVEY__TABLE_WORD);
        const covey__entity_page *page = covey__entity_page_of(m->world, index);
        uint32_t number = page ? page->extent[*at % COVEY__TABLE_WORDS] : 0;
        if (number == 0) continue;
        const covey__extent *extent = &kinds->extents[number - 1];
        *found = (word){ index, set_of(m, kinds->at[extent->kind]), extent->slot };
        ++*at;
        return true;
    }
    return false;
}

void model_compare_kinds(model *m) {
    word w;
    uint32_t wanted = 0, found = 0;
    uint64_t at = 0;
    for (uint32_t i = 0; i < m->oracle->word_count; i++) wanted += m->oracle->words[i].set != 0;
    while (next_word(m, &at, &w)) {
        uint32_t number = w.index / COVEY__TABLE_WORD;
        const oracle_word *own = number < m->oracle->word_count ? &m->oracle->words[number] : NULL;
        REQUIRE(m, own && own->set == w.set && own->slot == w.slot, "word %u is in slot %u of %x", number, w.slot,
                w.set);
        found++;
    }
    REQUIRE(m, found == wanted, "kinds have %u words, not %u", found, wanted);
}

/* A set of types has become a kind if the library says so; or, if a listener has destroyed all entities of the kind at
 * once, if they got other indices than the lowest free ones. Counts of the library are rough, but never too high. */
static bool becomes_kind(model *m, uint32_t set, const covey_entity *entities, uint32_t count) {
    if (set == 0 || count == 0 || oracle_is_kind(m->oracle, set)) return false;
    if (!is_kind(m, set) && entities[0].index == oracle_next_index(m->oracle, 0)) return false;
    uint64_t created = oracle_created_with(m->oracle, set) + count;
    REQUIRE(m, created > COVEY_KIND_LEAST, "a kind after %llu entities", (unsigned long long)created);
    return true;
}

void model_created_with(model *m, uint32_t set, const covey_entity *entities, uint32_t count) {
    covey_entity wanted[MODEL_BATCH];
    oracle_create_with(m->oracle, set, becomes_kind(m, set, entities, count), wanted, count);
    for (uint32_t i = 0; i < count; i++)
        REQUIRE(m, covey_same(entities[i], wanted[i]), "entity %u of %x is %u:%u, not %u:%u", i, set, entities[i].index,
                entities[i].generation, wanted[i].index, wanted[i].generation);
}
