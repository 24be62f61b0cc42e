/* Entries in one order: entities and their keys, by key and then by index. Nothing allocates except reserve
 * and reach, so that filing never fails.
 *
 *     branch      | count, before, next | entities | keys | children | below |   the first entry of each child, its
 *                      |         |                                               number, and the entries in it
 *     leaves      | count, before, next | entities | keys |  <->  | ... |  <->  | ... |
 *
 *     filed       index -> its key; of a text: the number of the text
 *
 * A B+tree: leaves are level 0, and the nodes of a level are a list. The key of a text is its first eight bytes;
 * entries with equal ones are compared by the whole text.
 *
 * The last node of a level has at least one entry, and every other node at least half of COVEY_NODE_MOST: neighbours
 * unite, or share their entries, when one has fewer. So n entries take at most (n - 1) / half + 1 leaves, and so on for
 * the levels above. reserve makes as many nodes, twice the least. */
#ifndef COVEY_SORTED_H
#define COVEY_SORTED_H

#include "lookup/key.h"
#include "memory/bits.h"
#include "memory/pages.h"

#include <covey/covey.h>

#ifndef COVEY_NODE_MOST
#define COVEY_NODE_MOST 64 /* entries of a node: even, at least 4 */
#endif

/* A leaf; and the first part of a branch. Numbers of nodes begin with 1. */
typedef struct covey__sorted_node {
    uint32_t count;
    uint32_t before, next;                  /* on the same level; of an unused node: the next one; or 0 */
    covey_entity entities[COVEY_NODE_MOST]; /* of branches: their generations may be old */
    uint64_t keys[COVEY_NODE_MOST];
} covey__sorted_node;

typedef struct covey__sorted_branch {
    covey__sorted_node node;
    uint32_t children[COVEY_NODE_MOST];
    uint32_t below[COVEY_NODE_MOST];
} covey__sorted_branch;

/* The numbers of leaves, or of branches. */
typedef struct covey__sorted_numbers {
    uint32_t capacity;
    uint32_t end;    /* how many were ever used */
    uint32_t unused; /* the first of a list; or 0 */
} covey__sorted_numbers;

typedef struct covey__sorted_page {
    uint64_t filed[COVEY__BLOCK_PAGE / 64]; /* a bit for each index */
    uint64_t keys[COVEY__BLOCK_PAGE];       /* of texts: their numbers */
} covey__sorted_page;

typedef struct covey__sorted {
    covey__sorted_node *leaves;
    covey__sorted_branch *branches;
    covey__sorted_numbers leaf_numbers, branch_numbers;
    uint32_t root;
    uint32_t height;    /* levels; 0: no entries */
    uint32_t count;     /* indices that are filed */
    uint64_t changes;   /* how often an index was filed or unfiled */
    uint32_t capacity;  /* indices for which there is memory */
    uint32_t text_size; /* 0: keys are numbers */
    char *texts;        /* padded with zeros to text_size; as many as indices */
    uint32_t *owners;   /* the indices of texts */
    uint32_t text_capacity, owner_capacity;
    covey__pages filed; /* of covey__sorted_page */
} covey__sorted;

/* Memory for `count` indices, and for the page of an index. False: an allocation failed, and nothing has changed but
 * spare capacity. */
bool covey__sorted_reserve(covey__heap *heap, covey__sorted *s, uint64_t count);
bool covey__sorted_reach(covey__heap *heap, covey__sorted *s, uint32_t index, uint32_t limit);
/* Moves everything into memory for only `count` indices, if an allocation does not fail. */
void covey__sorted_shrink(covey__heap *heap, covey__sorted *s, uint32_t count, uint32_t limit);
void covey__sorted_clear(covey__sorted *s); /* keeps the memory */
void covey__sorted_free(covey__heap *heap, covey__sorted *s);
size_t covey__sorted_bytes(const covey__sorted *s);

static inline bool covey__sorted_is_filed(const covey__sorted *s, uint32_t index) {
    const covey__sorted_page *page = covey__page_at(&s->filed, index);
    return page && covey__has_bit(page->filed, index % COVEY__BLOCK_PAGE);
}

/* Files an entity under a key, or moves it there, unless its index has this key. The page must exist. */
void covey__sorted_file(covey__sorted *s, covey_entity e, const covey__lookup_key *key);
void covey__sorted_renew(covey__sorted *s, covey_entity e);  /* its index is filed: notes its generation */
void covey__sorted_unfile(covey__sorted *s, uint32_t index); /* if it is filed */

/* Whether an index is filed under this key. */
bool covey__sorted_has(const covey__sorted *s, uint32_t index, const covey__lookup_key *key);
/* The key of an index that is filed. Filing invalidates its text. */
covey__lookup_key covey__sorted_key_of(const covey__sorted *s, uint32_t index);
/* How many entries have this key. O(log count). */
uint32_t covey__sorted_count(const covey__sorted *s, const covey__lookup_key *key);

/* An entry, or the end: leaf 0. Filing invalidates it. */
typedef struct covey__sorted_place {
    uint32_t leaf, position;
    uint32_t branch, child; /* where the leaf is; branch 0: it is the root */
} covey__sorted_place;

/* Entries that lie side by side. */
typedef struct covey__sorted_run {
    const covey_entity *entities;
    uint32_t count;
} covey__sorted_run;

/* The first entry that is not below a key and an index; or, with NULL, the first one. */
covey__sorted_place covey__sorted_seek(const covey__sorted *s, const covey__lookup_key *key, uint32_t index);
/* The first entry of the greatest key below this one; or, with NULL, of the greatest key. */
covey__sorted_place covey__sorted_last(const covey__sorted *s, const covey__lookup_key *below);
static inline covey_entity covey__sorted_at(const covey__sorted *s, covey__sorted_place place) {
    return s->leaves[place.leaf - 1].entities[place.position];
}
/* The next entries whose keys are at most `high`, which may be NULL: those in one leaf, and not more than `most`. Their
 * number is 0 if there are none. The place moves behind them. */
covey__sorted_run covey__sorted_next(const covey__sorted *s, covey__sorted_place *place, const covey__lookup_key *high,
                                     uint32_t most);

bool covey__sorted_valid(const covey__sorted *s, const char **why);

#endif
