/* Buckets: which indices of entities have a key, for any number of keys. A bucket is the set of indices of one key, in
 * order. Nothing allocates except reserve and reach, so that filing never fails.
 *
 *     table     hash of a key -> number of a record
 *     records   | key, count, at |  one for each key that has an index
 *     filed     index -> number of its record
 *     words     | segment | segment | unused segment | segment | free ...
 *
 *     count up to most  `at` is a segment:        | record, room | sorted indices | their generations |
 *     more              `at` is a list of parts:  | record, room | number of parts | first index, at, count | ... |
 *                       each is a segment:        | record, room | sorted indices | their generations |
 *
 * A segment is taken where the free words begin. One that has become too small is copied to a larger one, and its words
 * are unused. When the free words are used up, all segments move together, and each keeps room for what it has. So
 * reserve makes room for all segments, and as much again for moving not too often. Two neighbouring parts have more
 * than half of `most` together, otherwise they are united: so parts take few words, whatever is unfiled.
 *
 * Keys may come from an attacker, in an image or over a network. So the table takes the high bits of a product with a
 * secret that is made of addresses: any two keys begin at the same place with a chance of 2 / size at most. An attacker
 * who knows the secret, because addresses are always the same or were disclosed, can choose n keys that take n steps
 * each to find. Answers do not depend on it. */
#ifndef COVEY_BUCKETS_H
#define COVEY_BUCKETS_H

#include "lookup/key.h"
#include "memory/pages.h"

#include <covey/covey.h>

#ifndef COVEY_PART_MOST
#define COVEY_PART_MOST 128 /* indices in a segment: even, at least 4 */
#endif

#define COVEY__NO_RECORD UINT32_MAX

typedef struct covey__bucket {
    uint64_t key; /* of a text: its hash */
    uint32_t count;
    uint32_t at; /* of an unused record: the next one, or COVEY__NO_RECORD */
} covey__bucket;

typedef struct covey__buckets {
    covey__bucket *records;
    uint32_t record_capacity;
    uint32_t record_end;    /* records from this one on were never used */
    uint32_t record_unused; /* the first of a list; or COVEY__NO_RECORD */
    uint32_t *table;        /* open addressing: numbers of records, or COVEY__NO_RECORD */
    uint32_t table_size;    /* a power of two, or 0 */
    uint32_t table_shift;   /* 64 - the logarithm of that */
    uint64_t secret;        /* odd; of the hash */
    uint32_t *words;
    uint32_t word_end, word_capacity;
    uint64_t changes;    /* how often an index was filed or unfiled */
    uint32_t count;      /* indices that are filed */
    uint32_t capacity;   /* indices for which there is memory */
    char *texts;         /* by record, if keys are texts: padded with zeros to text_size */
    uint32_t text_size;  /* 0: keys are numbers */
    uint32_t text_count; /* for how many records there is memory */
    covey__pages filed;  /* by index: the number of its record plus 1; 0: not filed */
} covey__buckets;

#define COVEY__FILED_BYTES (COVEY__BLOCK_PAGE * sizeof(uint32_t)) /* of a page */

/* Indices that lie side by side, and their generations. */
typedef struct covey__bucket_run {
    const uint32_t *indices, *generations;
    uint32_t count;
} covey__bucket_run;

/* Memory for `count` indices, and for the page of an index. False: an allocation failed, and nothing has changed but
 * spare capacity. */
bool covey__buckets_reserve(covey__heap *heap, covey__buckets *b, uint64_t count);
bool covey__buckets_reach(covey__heap *heap, covey__buckets *b, uint32_t index, uint32_t limit);
/* Moves everything into memory for only `count` indices, if an allocation does not fail. */
void covey__buckets_shrink(covey__heap *heap, covey__buckets *b, uint32_t count, uint32_t limit);
void covey__buckets_clear(covey__buckets *b); /* keeps the memory */
void covey__buckets_free(covey__heap *heap, covey__buckets *b);
size_t covey__buckets_bytes(const covey__buckets *b);

/* The record of the bucket in which an index is filed; or COVEY__NO_RECORD. */
static inline uint32_t covey__record_of(const covey__buckets *b, uint32_t index) {
    const uint32_t *page = covey__page_at(&b->filed, index);
    return page ? page[index % COVEY__BLOCK_PAGE] - 1 : COVEY__NO_RECORD;
}

/* Files an index and its generation under a key, or moves it there. The page must exist. Another generation of an index
 * that is filed under this key already is only noted by renew. */
void covey__buckets_file(covey__buckets *b, uint32_t index, uint32_t generation, const covey__lookup_key *key);
void covey__buckets_renew(covey__buckets *b, uint32_t index, uint32_t generation);
void covey__buckets_unfile(covey__buckets *b, uint32_t index); /* if it is filed */

/* To file many anew: clear, enter all indices in order, those of 64 with neighbours at once, and build. */
void covey__buckets_enter(covey__buckets *b, uint32_t index, const covey__lookup_key *key);
void covey__buckets_enter_block(covey__buckets *b, uint32_t first, uint64_t ids, const uint64_t *keys);
typedef uint32_t covey__generation_fn(const void *context, uint32_t index);
void covey__buckets_build(covey__buckets *b, covey__generation_fn *generation, const void *context);

uint32_t covey__buckets_find(const covey__buckets *b,
                             const covey__lookup_key *key); /* the record, or COVEY__NO_RECORD */
bool covey__record_has_key(const covey__buckets *b, uint32_t record, const covey__lookup_key *key);
/* All indices of a bucket if they lie side by side; otherwise their number is 0. Filing invalidates it. */
covey__bucket_run covey__bucket_whole(const covey__buckets *b, uint32_t number);
/* The next indices of a bucket, from this one on; their number is 0 if there are none. */
covey__bucket_run covey__bucket_from(const covey__buckets *b, uint32_t number, uint32_t index);

bool covey__buckets_valid(const covey__buckets *b, const char **why);

#endif
