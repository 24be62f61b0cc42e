/* Kinds as an array of numbers. */
#include "change/kind_pack.h"

#include "memory/alloc.h"
#include "memory/inner.h"
#include "storage/type.h"

#include <stdalign.h>

/* ---- Packing -----------------------------------------------------------------------------------------------------*/

typedef struct packing {
    const struct covey__kinds *kinds;
    const covey__kinds_choice *choice;
    uint32_t *to; /* NULL: only counts */
    size_t count;
    uint32_t packed; /* kinds so far */
} packing;

static void put(packing *p, uint32_t number) {
    if (p->to) p->to[p->count] = number;
    p->count++;
}

static uint32_t type_number(const packing *p, uint32_t pool) {
    return p->choice ? p->choice->type(p->choice->context, pool) : pool;
}

/* The extent in a slot, if there is one that is packed. */
static const covey__extent *extent_at(const packing *p, const covey__kind *kind, uint32_t slot) {
    if (kind->extents[slot] == COVEY__NO_EXTENT) return NULL;
    const covey__extent *extent = &p->kinds->extents[kind->extents[slot]];
    return !p->choice || p->choice->extent(p->choice->context, extent) ? extent : NULL;
}

static bool is_packed(const packing *p, const covey__kind *kind) {
    for (uint32_t i = 0; i < kind->key.count; i++)
        if (type_number(p, kind->key.pools[i]) == COVEY_NONE) return false;
    for (uint32_t slot = 0; slot < kind->slot_count; slot++)
        if (extent_at(p, kind, slot)) return true;
    return false;
}

static void pack_kind(packing *p, const covey__kind *kind) {
    if (!is_packed(p, kind)) return;
    p->packed++;
    put(p, kind->key.count);
    for (uint32_t i = 0; i < kind->key.count; i++) put(p, type_number(p, kind->key.pools[i]));
    size_t at = p->count;
    uint32_t extents = 0;
    put(p, 0);
    for (uint32_t slot = 0; slot < kind->slot_count; slot++) {
        const covey__extent *extent = extent_at(p, kind, slot);
        if (!extent) continue;
        put(p, slot);
        put(p, covey__extent_first(extent));
        put(p, (uint32_t)(extent->words >> covey__lowest_bit(extent->words)));
        extents++;
    }
    if (p->to) p->to[at] = extents;
}

/* In the order of the tree. */
static void pack_below(packing *p, uint32_t number) {
    if (number == COVEY__NO_NODE) return;
    const covey__kind *kind = p->kinds->at[number];
    pack_below(p, kind->links.left);
    pack_kind(p, kind);
    pack_below(p, kind->links.right);
}

/* Returns how many there are. */
static uint32_t pack_candidates(packing *p) {
    size_t at = p->count;
    uint32_t candidates = 0;
    put(p, 0);
    for (uint32_t i = 0; i < p->kinds->candidate_count; i++) {
        uint32_t candidate = covey__kinds_candidate(p->kinds, i);
        if (candidate == 0) continue;
        put(p, i);
        put(p, candidate);
        candidates++;
    }
    if (p->to) p->to[at] = candidates;
    return candidates;
}

size_t covey__kinds_pack(const struct covey__kinds *kinds, const covey__kinds_choice *choice, uint32_t *to) {
    packing p = { .kinds = kinds, .choice = choice, .to = to };
    if (!kinds) return 0;
    uint32_t places = kinds->candidate_count != 0 ? kinds->candidate_count : COVEY__CANDIDATES_LEAST;
    put(&p, 0);
    pack_below(&p, kinds->root);
    if (to) to[0] = p.packed;
    put(&p, places);
    put(&p, kinds->since);
    uint32_t candidates = pack_candidates(&p);
    bool is_new = p.packed == 0 && candidates == 0 && kinds->since == 0 && places == COVEY__CANDIDATES_LEAST;
    return is_new ? 0 : p.count;
}

/* ---- Unpacking ---------------------------------------------------------------------------------------------------*/

typedef struct unpacking {
    const covey_world *from;
    covey_world *to;
    struct covey__kinds *kinds;
    const uint32_t *at;
} unpacking;

static const covey_pool *pool_of(const unpacking *u, uint32_t number) {
    const covey_pool *pool = u->from->pools[number];
    return u->from != u->to ? covey__pool_named(u->to, pool->type->name) : pool;
}

static bool unpack_kind(unpacking *u) {
    covey__kind_key key = covey__kind_key_none();
    for (uint32_t types = *u->at++; types != 0; types--) covey__kind_key_add(&key, pool_of(u, *u->at++));
    covey__kind *kind = covey__kinds_add(&u->to->inner->heap, u->kinds, &key);
    bool done = kind != NULL;
    for (uint32_t extents = *u->at++; extents != 0 && done; extents--, u->at += 3) {
        uint32_t page = u->at[1] / COVEY_PAGE_SIZE, word = u->at[1] % COVEY_PAGE_SIZE / COVEY__TABLE_WORD;
        done = covey__kinds_add_extent(&u->to->inner->heap, u->kinds, kind, u->at[0], page, (uint64_t)u->at[2] << word);
    }
    return done;
}

static bool unpack_candidates(const unpacking *u) {
    uint32_t places = u->at[0], count = u->at[2];
    if (!covey__kinds_add_candidates(&u->to->inner->heap, u->kinds, places)) return false;
    u->kinds->since = u->at[1];
    u->kinds->is_aged = true;
    for (uint32_t i = 0; i < count; i++) covey__kinds_put_candidate(u->kinds, u->at[3 + 2 * i], u->at[4 + 2 * i]);
    return true;
}

struct covey__kinds *covey__kinds_unpack(covey_world *to, const covey_world *from, const uint32_t *packed) {
    unpacking u = { from, to, covey__kinds_create(&to->inner->heap), packed };
    bool done = u.kinds != NULL;
    if (!done || to->inner->ids_in_order) return u.kinds;
    for (uint32_t kinds = *u.at++; kinds != 0 && done; kinds--) done = unpack_kind(&u);
    if (done && unpack_candidates(&u)) return u.kinds;
    covey__kinds_free(&to->inner->heap, u.kinds);
    return NULL;
}

static uint32_t same_number(const void *context, uint32_t pool) {
    (void)context;
    return pool;
}

/* In a clone, indices that are set aside for command buffers are free. */
static bool is_used_in(const void *clone, const covey__extent *extent) {
    const covey__entity_page *page = ((const covey_world *)clone)->pages[extent->page];
    for (uint64_t left = extent->words; left != 0; left &= left - 1)
        if (page->free[covey__lowest_bit(left)] != COVEY__TABLE_ALL) return true;
    return false;
}

bool covey__kinds_clone(const covey_world *from, covey_world *to) {
    covey__heap *heap = &to->inner->heap;
    covey__kinds_choice choice = { same_number, is_used_in, to };
    size_t count = covey__kinds_pack(from->inner->kinds, &choice, NULL);
    if (count == 0) return true;
    uint32_t *packed = covey__resize(heap, NULL, 0, count, sizeof *packed, alignof(uint32_t));
    if (!packed) return false;
    covey__kinds_pack(from->inner->kinds, &choice, packed);
    struct covey__kinds *kinds = covey__kinds_unpack(to, from, packed);
    covey__free(heap, packed, count, sizeof *packed, alignof(uint32_t));
    covey__kinds_exchange(to, kinds);
    return kinds != NULL;
}
