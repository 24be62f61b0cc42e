/* Kinds: entities that are created with the same types get neighbouring indices. So the blocks of their pools are full
 * or empty, and loops over them have long spans. Nothing moves, and a handle says nothing about a kind: it only decides
 * which index a new entity gets.
 *
 *     words of the table     | common | A  A  A  A | common | B | A  A  A  A  A  A  A  A | common ...
 *                                      extent 0             1   extent 2
 *
 * A word of the table (64 indices) is common, or belongs to an extent: up to 16 neighbouring words of a page that a
 * kind owns. covey_create issues indices of common words only. A kind issues the lowest free index of its first extent
 * with one. If there is none, it gets another extent, about twice as long as all that it has: the lowest common words
 * all of whose indices are free. A large kind gets whole pages: the page behind its last extent, or the first of a
 * group of four. When the last entity of an extent is destroyed, its words become common again; a kind without extents
 * is forgotten.
 *
 * A set of types becomes a kind after COVEY_KIND_LEAST entities; the first ones get common indices. They are counted by
 * the hash of their types, in a table of candidates: one that finds all places of its set used lowers the lowest count
 * there. When a quarter as many entities were counted as are alive, all counts are halved. So rare sets of types take
 * no memory, and one whose entities are few at a time does not become a kind. */
#ifndef COVEY_KIND_H
#define COVEY_KIND_H

#include "change/range.h"
#include "memory/inner.h"

#ifndef COVEY_KIND_LEAST
#define COVEY_KIND_LEAST 16 /* entities that are created with a set of types before it is a kind */
#endif

enum {
    COVEY__KIND_TYPES = COVEY_ENTITY_KIND_TYPES,
    COVEY__EXTENT_WORDS = COVEY__TABLE_WORDS < 16 ? COVEY__TABLE_WORDS : 16,
};
#define COVEY__NO_EXTENT UINT32_MAX
/* Places for candidates: a power of two from the first number to the second. */
#define COVEY__CANDIDATES_LEAST 32u
#define COVEY__CANDIDATES_MOST 4096u

/* A set of types: the numbers of their pools, ascending, and a hash of their names. */
typedef struct covey__kind_key {
    uint64_t hash;
    uint32_t count; /* COVEY__KIND_TYPES + 1: too many */
    uint32_t pools[COVEY__KIND_TYPES];
} covey__kind_key;

typedef struct covey__kind {
    covey__cursor cursor; /* extents before it, and words of its extent before it, have no free index */
    uint32_t slot;        /* of its extent */
    uint32_t word_count;  /* of all extents */
    uint32_t slot_count, slot_capacity, open_words;
    uint32_t *extents;  /* by slot: the number of the extent, or COVEY__NO_EXTENT */
    uint64_t *open;     /* a bit for each slot: whether the extent may have a free index */
    covey__links links; /* in the tree of kinds, by hash */
    uint32_t number;
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
    uint32_t candidate_count;
    uint32_t since;       /* entities that were counted since the candidates aged */
    bool is_aged;         /* false: they age before they are used again */
    uint32_t vacant_from; /* pages before this one have no vacant words */
    /* The last candidate that was counted, and `since`, as they were before, and its place; COVEY__NO_EXTENT: none. */
    uint32_t counted, counted_since, counted_at;
};

/* ---- Sets of types -----------------------------------------------------------------------------------------------*/

static inline covey__kind_key covey__kind_key_none(void) {
    covey__kind_key key;
    key.hash = key.count = 0;
    return key;
}
void covey__kind_key_add(covey__kind_key *key, const covey_pool *pool);
/* The components of an entity. */
covey__kind_key covey__kind_key_of(const covey_world *world, uint32_t index);

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

/* Whether the next `count` entities with these types get indices of a kind. *result: MEMORY. */
bool covey__kind_is_due(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result);
/* The kind of `count` entities that are about to be created with these types; NULL if they get common indices. A new
 * kind gets an extent, from which the caller takes an index at once. *result: MEMORY. */
covey__kind *covey__kind_for(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result);
/* A cursor with a free index: of *kind, or that of covey_create if *kind is NULL. If no indices are left for the kind,
 * *kind becomes NULL. Returns NULL: MEMORY, FULL. */
const covey__cursor *covey__next_cursor(covey_world *world, covey__kind **kind, covey_result *result);
/* Takes the next index of a kind, or the one that covey_create would use (`key` may be NULL); or returns COVEY_NONE. */
uint32_t covey__index_take(covey_world *world, const covey__kind_key *key, covey_result *result);
/* After entities were created with these types: counts them if they got common indices; those of a kind are counted no
 * more. The second function undoes the last count, if creating failed later. */
void covey__kind_count(covey_world *world, const covey__kind_key *key, bool common, uint32_t count);
void covey__kind_count_back(covey_world *world);
/* Lets inline code find the kind of these components. */
void covey__kind_remember(covey_world *world, covey__kind *kind, const covey_component *components, uint32_t count);

/* ---- Freeing -----------------------------------------------------------------------------------------------------*/

/* After indices of a word became free: opens it. */
void covey__word_freed(covey_world *world, uint32_t index);
/* Frees indices of one word and range. Nothing else is to do if the word is open, and in use. */
static inline void covey__index_free_word(covey_world *world, uint32_t index, uint64_t bits) {
    covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    uint32_t word = index % COVEY_PAGE_SIZE / 64;
    uint64_t free = page->free[word] | bits;
    bool open = ((page->words | page->held) >> word & 1) != 0;
    page->free[word] = free;
    if (!COVEY__LIKELY(open && free != COVEY__TABLE_ALL && world->inner->reserved_count == 0))
        covey__word_freed(world, index);
}
static inline void covey__index_free(covey_world *world, uint32_t index) {
    covey__index_free_word(world, index, covey__table_bit(index));
}
/* Before a range of indices is reserved: makes their words common. */
void covey__kinds_leave(covey_world *world, uint32_t first, uint32_t end);
/* Makes the vacant words of all extents common. */
void covey__kinds_trim(covey_world *world);
/* Makes all words common. Kinds and candidates are forgotten. */
void covey__kinds_reset(covey_world *world);

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

void covey__kinds_free(covey__heap *heap, struct covey__kinds *kinds);
covey_entity_kind covey__kind_describe(const covey_world *world, uint32_t number); /* a number that is used */
size_t covey__kinds_bytes(const covey_world *world);
bool covey__kinds_valid(const covey_world *world, const char **why);

covey__kind *covey__kinds_find(const struct covey__kinds *kinds, const covey__kind_key *key); /* or NULL */
/* The candidate at a place, aged if it is about to age; 0: none. */
uint32_t covey__kinds_candidate(const struct covey__kinds *kinds, uint32_t place);

/* Building: kinds that are not yet those of the world, from a snapshot or an image. The words of an extent are bits of
 * a page, and must be there. False when an allocation fails. */
struct covey__kinds *covey__kinds_create(covey__heap *heap);
covey__kind *covey__kinds_add(covey__heap *heap, struct covey__kinds *kinds, const covey__kind_key *key);
bool covey__kinds_add_extent(covey__heap *heap, struct covey__kinds *kinds, covey__kind *kind, uint32_t slot,
                             uint32_t page, uint64_t words);
bool covey__kinds_add_candidates(covey__heap *heap, struct covey__kinds *kinds, uint32_t count);
/* Sets a candidate. False if it cannot be at this place. */
bool covey__kinds_put_candidate(struct covey__kinds *kinds, uint32_t place, uint32_t candidate);
/* Replaces the kinds of the world, and returns the old ones. Either may be NULL. */
struct covey__kinds *covey__kinds_exchange(covey_world *world, struct covey__kinds *kinds);

#endif
