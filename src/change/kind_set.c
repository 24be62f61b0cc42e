/* Kinds of entities: sets of types, and which of them are kinds. */
#include "change/kind_set.h"

#include "memory/alloc.h"
#include "storage/presence.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"
#include "storage/type.h"

#include <stdalign.h>

enum { AGE_LEAST = 128 }; /* candidates are counted at least so often before they age */

typedef struct covey__kinds kinds_of_world;

/* ---- Sets of types -----------------------------------------------------------------------------------------------*/

void covey__kind_key_insert(covey__kind_key *key, const covey_pool *pool) {
    uint32_t at = key->count;
    if (at >= COVEY__KIND_TYPES) {
        key->count = COVEY__KIND_TYPES + 1;
        return;
    }
    while (at != 0 && key->pools[at - 1] > pool->number) at--;
    if (at != 0 && key->pools[at - 1] == pool->number) return;
    for (uint32_t i = key->count; i > at; i--) key->pools[i] = key->pools[i - 1];
    key->pools[at] = pool->number;
    key->count++;
    key->hash += covey__kind_mix(pool->name_hash);
    key->low |= pool->number < 64 ? (uint64_t)1 << pool->number : 0;
}

void covey__kind_key_list(covey__kind_key *key, covey_pool *const *pools, uint64_t low) {
    uint64_t hash = 0;
    uint32_t count = 0;
    for (uint64_t left = low; left != 0; left &= left - 1) {
        uint32_t number = covey__lowest_bit(left);
        key->pools[count++] = number;
        hash += covey__kind_mix(pools[number]->name_hash);
    }
    key->hash = hash;
    key->low = low;
    key->count = count;
}

covey__kind_key covey__kind_key_of(const covey_world *world, uint32_t index) {
    covey__kind_key key = covey__kind_key_none();
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (!covey__is_internal(p.pool) && covey__has_index(p.pool, index)) covey__kind_key_add(&key, p.pool);
    return key;
}

bool covey__may_be_kind(const covey_world *world, const covey__kind_key *key) {
    return !world->inner->ids_in_order && key->count != 0 && key->count <= COVEY__KIND_TYPES;
}

/* Less than, equal to or greater than 0. */
static int compare_keys(const covey__kind_key *a, const covey__kind_key *b) {
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->pools[i] != b->pools[i]) return a->pools[i] < b->pools[i] ? -1 : 1;
    return 0;
}

/* ---- All kinds ---------------------------------------------------------------------------------------------------*/

static covey__links *kind_links(const void *kinds, uint32_t number) {
    return &((const kinds_of_world *)kinds)->at[number]->links;
}

static bool is_kind_before(const void *context, uint32_t a, uint32_t b) {
    const kinds_of_world *kinds = context;
    return compare_keys(&kinds->at[a]->key, &kinds->at[b]->key) < 0;
}

covey__tree covey__kinds_tree(const struct covey__kinds *kinds) {
    return (covey__tree){ kind_links, is_kind_before, kinds };
}

covey__kind *covey__kinds_find(struct covey__kinds *kinds, const covey__kind_key *key) {
    uint16_t *cached = &kinds->cache[covey__kind_cache_place(key->low)];
    if (*cached != 0 && compare_keys(key, &kinds->at[*cached - 1]->key) == 0) return kinds->at[*cached - 1];
    for (uint32_t at = kinds->root; at != COVEY__NO_NODE;) {
        covey__kind *kind = kinds->at[at];
        int order = compare_keys(key, &kind->key);
        if (order == 0) {
            *cached = (uint16_t)(at < UINT16_MAX ? at + 1 : 0);
            return kind;
        }
        at = order < 0 ? kind->links.left : kind->links.right;
    }
    return NULL;
}

struct covey__kinds *covey__kinds_create(covey__heap *heap) {
    kinds_of_world *kinds = covey__resize(heap, NULL, 0, 1, sizeof *kinds, alignof(kinds_of_world));
    if (kinds) *kinds = (kinds_of_world){ .root = COVEY__NO_NODE, .free_extent = COVEY__NO_EXTENT };
    return kinds;
}

covey__kind *covey__kinds_add(covey__heap *heap, struct covey__kinds *kinds, const covey__kind_key *key) {
    uint32_t number = kinds->free_from;
    while (number < kinds->count && kinds->at[number]) number++;
    covey__kind **at = covey__reach(heap, kinds->at, &kinds->capacity, number, UINT32_MAX, NULL);
    if (!at) return NULL;
    kinds->at = at;
    covey__kind *kind = covey__resize(heap, NULL, 0, 1, sizeof *kind, alignof(covey__kind));
    if (!kind) return NULL;
    *kind = (covey__kind){ .cursor = covey__cursor_at(covey__missing_page(), 0, 0), .number = number, .key = *key };
    covey__tree tree = covey__kinds_tree(kinds);
    at[number] = kind;
    kinds->count += number == kinds->count;
    kinds->free_from = number + 1;
    kinds->root = covey__tree_put(&tree, kinds->root, number);
    return kind;
}

static void free_kind(covey__heap *heap, covey__kind *kind) {
    covey__free(heap, kind->extents, kind->slot_capacity, sizeof *kind->extents, alignof(uint32_t));
    covey__free(heap, kind->open, kind->open_words, sizeof *kind->open, alignof(uint64_t));
    if (kind->places)
        covey__free(heap, kind->places, 1, covey__kind_places_bytes(kind->key.count), alignof(covey__kind_places));
    covey__free(heap, kind, 1, sizeof *kind, alignof(covey__kind));
}

/* Ends a kind that has no extents. */
void covey__kind_forget(covey_world *world, covey__kind *kind) {
    kinds_of_world *kinds = world->inner->kinds;
    covey__tree tree = covey__kinds_tree(kinds);
    kinds->root = covey__tree_take(&tree, kinds->root, kind->number);
    kinds->at[kind->number] = NULL;
    uint16_t *cached = &kinds->cache[covey__kind_cache_place(kind->key.low)];
    if (*cached == kind->number + 1) *cached = 0;
    if (kind->number < kinds->free_from) kinds->free_from = kind->number;
    while (kinds->count != 0 && !kinds->at[kinds->count - 1]) kinds->count--;
    if (world->recent.kind == kind) covey__recent_kind_off(world);
    free_kind(&world->inner->heap, kind);
}

void covey__kinds_free(covey__heap *heap, struct covey__kinds *kinds) {
    if (!kinds) return;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->at[i]) free_kind(heap, kinds->at[i]);
    covey__free(heap, kinds->at, kinds->capacity, sizeof *kinds->at, alignof(covey__kind *));
    covey__free(heap, kinds->extents, kinds->extent_capacity, sizeof *kinds->extents, alignof(covey__extent));
    covey__free(heap, kinds->listed, kinds->listed ? COVEY__KINDS_LISTED : 0, sizeof *kinds->listed, alignof(uint16_t));
    covey__free(heap, kinds->candidates, kinds->candidate_capacity, sizeof *kinds->candidates, alignof(uint32_t));
    covey__free(heap, kinds, 1, sizeof *kinds, alignof(kinds_of_world));
}

/* ---- Candidates ----------------------------------------------------------------------------------------------------
 *
 * A candidate is a tag, the highest bits of a hash, and a count in the low bits. Its highest bits choose a set of WAYS
 * places, so if there are twice as many sets, each is split in two. */

enum { WAYS = 4, COUNT_MOST = 255 };

static uint32_t tag_of(const covey__kind_key *key) {
    return (uint32_t)(covey__kind_mix(key->hash) >> 32) & ~(uint32_t)COUNT_MOST;
}

static uint32_t count_of(uint32_t candidate) { return candidate & COUNT_MOST; }

static bool is_same(uint32_t candidate, uint32_t tag) { return (candidate ^ tag) <= COUNT_MOST; }

/* The place of a candidate, or the one that it gets: of the candidate of its set with the lowest count. */
static uint32_t place_of(const kinds_of_world *kinds, uint32_t tag) {
    uint32_t sets = kinds->candidate_count / WAYS; /* a power of two */
    uint32_t first = (uint32_t)((uint64_t)tag * sets >> 32) * WAYS, place = first;
    for (uint32_t at = first; at < first + WAYS; at++)
        if (is_same(kinds->candidates[at], tag)) return at;
    for (uint32_t at = first; at < first + WAYS; at++)
        if (count_of(kinds->candidates[at]) < count_of(kinds->candidates[place])) place = at;
    return place;
}

static bool reserve_candidates(covey__heap *heap, kinds_of_world *kinds, uint32_t count) {
    uint32_t old = kinds->candidate_capacity;
    if (count <= old) return true;
    uint32_t *candidates = covey__resize(heap, kinds->candidates, old, count, sizeof *candidates, alignof(uint32_t));
    if (!candidates) return false;
    memset(candidates + old, 0, (count - old) * sizeof *candidates);
    kinds->candidates = candidates;
    kinds->candidate_capacity = count;
    return true;
}

/* Splits each set, the last one first: its new places are behind those of the sets before it. */
static void spread_candidates(kinds_of_world *kinds, uint32_t count) {
    uint32_t sets = kinds->candidate_count / WAYS, old[WAYS];
    kinds->candidate_count = count;
    while (sets-- != 0) {
        memcpy(old, kinds->candidates + sets * WAYS, sizeof old);
        memset(kinds->candidates + sets * WAYS, 0, sizeof old);
        for (uint32_t i = 0; i < WAYS; i++)
            if (old[i] != 0) kinds->candidates[place_of(kinds, old[i])] = old[i];
    }
}

bool covey__kinds_add_candidates(covey__heap *heap, struct covey__kinds *kinds, uint32_t count) {
    if (!reserve_candidates(heap, kinds, count)) return false;
    kinds->candidate_count = count;
    return true;
}

bool covey__kinds_put_candidate(struct covey__kinds *kinds, uint32_t place, uint32_t candidate) {
    if (place >= kinds->candidate_count || count_of(candidate) == 0) return false;
    uint32_t found = place_of(kinds, candidate), there = kinds->candidates[found];
    if (found / WAYS != place / WAYS || kinds->candidates[place] != 0) return false;
    if (there != 0 && is_same(there, candidate)) return false;
    kinds->candidates[place] = candidate;
    return true;
}

/* Counts of entities that were created long ago matter less. */
static uint32_t age(uint32_t candidate) {
    uint32_t count = count_of(candidate);
    return count > 1 ? candidate - count + count / 2 : 0;
}

uint32_t covey__kinds_candidate(const struct covey__kinds *kinds, uint32_t place) {
    return kinds->is_aged ? kinds->candidates[place] : age(kinds->candidates[place]);
}

static void age_candidates(kinds_of_world *kinds) {
    for (uint32_t i = 0; i < kinds->candidate_count; i++) kinds->candidates[i] = age(kinds->candidates[i]);
    kinds->is_aged = true;
}

/* Before candidates are used. There are more places for them in a larger world; a call that fails only leaves room. */
bool covey__candidates_prepare(covey_world *world) {
    covey__heap *heap = &world->inner->heap;
    if (!world->inner->kinds) world->inner->kinds = covey__kinds_create(heap);
    kinds_of_world *kinds = world->inner->kinds;
    if (!kinds) return false;
    if (!kinds->is_aged) age_candidates(kinds);
    uint32_t count = kinds->candidate_count != 0 ? kinds->candidate_count : COVEY__CANDIDATES_LEAST;
    while (count < COVEY__CANDIDATES_MOST && world->alive / 8 > count) count *= 2;
    if (!reserve_candidates(heap, kinds, count)) return false;
    if (kinds->candidate_count == 0) kinds->candidate_count = COVEY__CANDIDATES_LEAST;
    kinds->next_candidate_count = count;
    return true;
}

uint32_t covey__created_so_far(const kinds_of_world *kinds, const covey__kind_key *key) {
    uint32_t candidate = kinds->candidates[place_of(kinds, tag_of(key))];
    return is_same(candidate, tag_of(key)) ? count_of(candidate) : 0;
}

static uint32_t count_up(uint32_t candidate, uint32_t tag, uint32_t count) {
    uint32_t before = count_of(candidate);
    if (is_same(candidate, tag)) count = count < COUNT_MOST - before ? before + count : COUNT_MOST;
    else if (before > count) return candidate - count;
    return tag | (count < COUNT_MOST ? count : COUNT_MOST);
}

void covey__kind_count(covey_world *world, const covey__kind_key *key, bool common, uint32_t count) {
    kinds_of_world *kinds = world->inner->kinds;
    if (!covey__may_be_kind(world, key) || count == 0) return;
    if (kinds->next_candidate_count != kinds->candidate_count) spread_candidates(kinds, kinds->next_candidate_count);
    uint32_t tag = tag_of(key), place = place_of(kinds, tag), candidate = kinds->candidates[place];
    if (!common) {
        covey__kind *kind = covey__kinds_find(kinds, key);
        if (kind && kind->is_new && is_same(candidate, tag)) kinds->candidates[place] = tag | COVEY__KIND_KEPT;
        if (kind) kind->is_new = false;
        return;
    }
    uint32_t enough = world->alive / 4 > AGE_LEAST ? world->alive / 4 : AGE_LEAST;
    kinds->candidates[place] = count_up(candidate, tag, count);
    kinds->is_aged = count < enough && kinds->since < enough - count;
    kinds->since = kinds->is_aged ? kinds->since + count : 0;
}
