/* Kinds of entities: sets of types, and which of them are kinds.
 *
 * A set of types becomes a kind after COVEY_KIND_LEAST entities. They are counted by the hash of their types, in a
 * table of candidates: one that finds all places of its set used lowers the lowest count there. When a quarter as many
 * entities were counted as are alive, all counts are halved. So rare sets of types take no memory, and one whose
 * entities are few at a time, among many that come and go as often, does not become a kind. One that has become a kind
 * keeps three quarters of the least count: if all its entities are destroyed, it soon is a kind again. */
#ifndef COVEY_KIND_SET_H
#define COVEY_KIND_SET_H

#include "change/table.h"
#include "memory/balanced.h"
#include "memory/inner.h"
#include "storage/kind_places.h"

#ifndef COVEY_PLACED_WORDS
#define COVEY_PLACED_WORDS 2 /* words of a kind that remembers where it creates entities */
#endif
#ifndef COVEY_KIND_LEAST
#define COVEY_KIND_LEAST 16 /* entities that are created with a set of types before it is a kind */
#endif

enum {
    COVEY__KIND_TYPES = COVEY_ENTITY_KIND_TYPES,
    COVEY__KINDS_CACHED = COVEY_PAGE_SIZE < 64 ? 16 : 512, /* places of kinds that are found without a search */
    COVEY__KINDS_LISTED = 2 * COVEY__KINDS_CACHED,
    COVEY__KIND_KEPT = COVEY_KIND_LEAST * 3 / 4, /* the count of a set that has become a kind */
    COVEY__EXTENT_WORDS = COVEY__TABLE_WORDS < 16 ? COVEY__TABLE_WORDS : 16,
};
#define COVEY__NO_EXTENT UINT32_MAX
/* Places for candidates: a power of two from the first number to the second. */
#define COVEY__CANDIDATES_LEAST 32u
#define COVEY__CANDIDATES_MOST 4096u

/* A set of types: the numbers of their pools, ascending, and a hash of their names. */
typedef struct covey__kind_key {
    uint64_t hash;
    uint64_t low;   /* a bit for each pool whose number is less than 64 */
    uint32_t count; /* COVEY__KIND_TYPES + 1: too many */
    uint32_t pools[COVEY__KIND_TYPES];
} covey__kind_key;

typedef struct covey__kind {
    covey__cursor cursor;       /* extents before it, and words of its extent before it, have no free index */
    covey__kind_places *places; /* where entities are created; NULL until the kind has two words */
    uint32_t slot;              /* of its extent */
    uint32_t word_count;        /* of all extents */
    uint32_t slot_count, slot_capacity, open_words;
    uint32_t *extents;  /* by slot: the number of the extent, or COVEY__NO_EXTENT */
    uint64_t *open;     /* a bit for each slot: whether the extent may have a free index */
    covey__links links; /* in the tree of kinds, by hash */
    uint32_t number;
    bool is_new; /* its first entities are being created */
    covey__kind_key key;
} covey__kind;

typedef struct covey__extent {
    uint64_t words; /* a bit for each of its words, in the page */
    uint32_t page;
    uint32_t kind; /* the number of its kind; COVEY__NO_EXTENT: the record is free, */
    uint32_t slot; /* and this is the next free one */
} covey__extent;

struct covey__kinds {
    covey__kind **at;         /* NULL where a number is free */
    uint32_t count, capacity; /* numbers; room */
    uint32_t free_from;       /* numbers below this one are used */
    uint32_t root;
    covey__extent *extents;
    uint32_t extent_count, extent_capacity, free_extent;
    uint32_t *candidates; /* the highest bits of a hash, and how many entities were created in the low 8 bits */
    uint32_t candidate_count, candidate_capacity, next_candidate_count; /* places; room; places after the next count */
    uint32_t since;            /* entities that were counted since the candidates aged */
    bool is_aged;              /* false: they age before they are used again */
    uint32_t vacant_from;      /* pages before this one have no vacant words */
    covey__cursor last_resort; /* where a word of a kind issues indices to others, because none are left */
    uint16_t *listed; /* by the hash of a list of types: the same as in `cache`; NULL until a kind has places */
    uint16_t cache[COVEY__KINDS_CACHED]; /* by place: the number + 1 of the kind that was found last; 0: none */
};

/* ---- Sets of types -----------------------------------------------------------------------------------------------*/

static inline void covey__kind_key_clear(covey__kind_key *key) { key->hash = key->low = key->count = 0; }
static inline covey__kind_key covey__kind_key_none(void) {
    covey__kind_key key;
    covey__kind_key_clear(&key);
    return key;
}
/* The components of an entity. */
covey__kind_key covey__kind_key_of(const covey_world *world, uint32_t index);
/* Whether entities with these types can be a kind. */
bool covey__may_be_kind(const covey_world *world, const covey__kind_key *key);
/* What a type adds to the hash: a mix of the hash of its name. */
static inline uint64_t covey__kind_mix(uint64_t bits) { return (bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15); }
/* Adds the type of a pool to a set, unless it is there. Mostly types come in the order of their pools. */
void covey__kind_key_insert(covey__kind_key *key, const covey_pool *pool);
/* The types of some pools, whose bits are in `low`. */
void covey__kind_key_list(covey__kind_key *key, covey_pool *const *pools, uint64_t low);
static inline void covey__kind_key_add(covey__kind_key *key, const covey_pool *pool) {
    bool last = key->count == 0 || (key->count < COVEY__KIND_TYPES && key->pools[key->count - 1] < pool->number);
    if (!COVEY__LIKELY(last)) {
        covey__kind_key_insert(key, pool);
        return;
    }
    key->pools[key->count++] = pool->number;
    key->hash += covey__kind_mix(pool->name_hash);
    key->low |= pool->number < 64 ? (uint64_t)1 << pool->number : 0;
}

/* ---- All kinds ---------------------------------------------------------------------------------------------------*/

struct covey__kinds *covey__kinds_create(covey__heap *heap); /* or NULL */
void covey__kinds_free(covey__heap *heap, struct covey__kinds *kinds);
covey__tree covey__kinds_tree(const struct covey__kinds *kinds);
/* The place of a set of types in `cache`, by its bits. */
static inline uint32_t covey__kind_cache_place(uint64_t low) {
    return (uint32_t)(covey__kind_mix(low) >> 32) % COVEY__KINDS_CACHED;
}
/* The kind of some pools, all of whose numbers are less than 64, if it was used lately; or NULL. */
static inline covey__kind *covey__kinds_recall(const struct covey__kinds *kinds, uint64_t low, uint32_t count) {
    uint32_t cached = kinds->cache[covey__kind_cache_place(low)];
    covey__kind *kind = cached != 0 ? kinds->at[cached - 1] : NULL;
    return kind && kind->key.low == low && kind->key.count == count ? kind : NULL;
}
/* The kind that was noted for the hash of a list of types, which may be another kind; or NULL. Some kind has places. */
static inline covey__kind *covey__kinds_listed(const struct covey__kinds *kinds, uint32_t hash) {
    uint32_t listed = kinds->listed[hash % COVEY__KINDS_LISTED];
    return listed != 0 ? kinds->at[listed - 1] : NULL;
}
static inline void covey__kinds_list(struct covey__kinds *kinds, const covey__kind *kind, uint32_t hash) {
    kinds->listed[hash % COVEY__KINDS_LISTED] = (uint16_t)(kind->number < UINT16_MAX ? kind->number + 1 : 0);
}
covey__kind *covey__kinds_find(struct covey__kinds *kinds, const covey__kind_key *key); /* or NULL */
/* A kind without extents; NULL when an allocation fails. */
covey__kind *covey__kinds_add(covey__heap *heap, struct covey__kinds *kinds, const covey__kind_key *key);
void covey__kind_forget(covey_world *world, covey__kind *kind); /* one without extents */

/* ---- Candidates --------------------------------------------------------------------------------------------------*/

/* Before candidates are used: makes room for more places, which the next count uses; false when an allocation fails. */
bool covey__candidates_prepare(covey_world *world);
uint32_t covey__created_so_far(const struct covey__kinds *kinds, const covey__kind_key *key);
/* After entities were created with these types, when nothing can fail any more: counts them if they got common indices;
 * a new kind keeps a part of its count. */
void covey__kind_count(covey_world *world, const covey__kind_key *key, bool common, uint32_t count);

/* For snapshots and images: the candidate at a place, aged if it is about to age, or 0; room for candidates, false when
 * an allocation fails; a candidate at a place, false if it cannot be there. */
uint32_t covey__kinds_candidate(const struct covey__kinds *kinds, uint32_t place);
bool covey__kinds_add_candidates(covey__heap *heap, struct covey__kinds *kinds, uint32_t count);
bool covey__kinds_put_candidate(struct covey__kinds *kinds, uint32_t place, uint32_t candidate);

#endif
