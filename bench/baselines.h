/* The baselines, for one type of value:
 *
 *     #define BASELINE_T Position
 *     #include "baselines.h"
 *
 * `textbook` is in textbook.h; the others are here. None of them checks anything. */
#include <stdlib.h>
#include "bench.h"

#define TEXTBOOK_T BASELINE_T
#include "textbook.h"

static inline void textbook_clear(textbook *s) {
    for (uint32_t i = 0; i < s->count; i++) s->sparse[s->packed[i]] = TEXTBOOK_NONE;
    s->count = 0;
}

/* ---- raw: plain arrays --------------------------------------------------------------------------------------------*/

typedef struct raw {
    BASELINE_T *values;
    uint32_t *ids, *positions;
    uint32_t count;
} raw;

static inline raw raw_make(uint32_t n) {
    return (raw){
        .values = bench_alloc(n, sizeof(BASELINE_T)),
        .ids = bench_alloc(n, sizeof(uint32_t)),
        .positions = bench_alloc(n, sizeof(uint32_t)),
    };
}

static inline void raw_free(raw *r) {
    free(r->values);
    free(r->ids);
    free(r->positions);
}

static inline void raw_append(raw *r, BASELINE_T value) { r->values[r->count++] = value; }

/* All values at the position of their id. */
static inline void raw_fill(raw *r, uint32_t n, BASELINE_T value) {
    for (uint32_t i = 0; i < n; i++) {
        r->ids[i] = r->positions[i] = i;
        r->values[i] = value;
    }
    r->count = n;
}

static inline void raw_swap_back(raw *r, uint32_t id) {
    uint32_t at = r->positions[id], last = --r->count, moved = r->ids[last];
    r->values[at] = r->values[last];
    r->ids[at] = moved;
    r->positions[moved] = at;
}

/* Closes the gap by moving all behind it. */
static inline void raw_erase(raw *r, uint32_t id) {
    uint32_t at = r->positions[id], behind = --r->count - at;
    memmove(r->values + at, r->values + at + 1, behind * sizeof *r->values);
    memmove(r->ids + at, r->ids + at + 1, behind * sizeof *r->ids);
    for (uint32_t i = at; i < r->count; i++) r->positions[r->ids[i]] = i;
}

static inline void raw_mark(raw *r, uint32_t id) { r->ids[r->positions[id]] = UINT32_MAX; }

static inline void raw_compact(raw *r) {
    uint32_t to = 0;
    for (uint32_t from = 0; from < r->count; from++) {
        uint32_t id = r->ids[from];
        if (id == UINT32_MAX) continue;
        r->values[to] = r->values[from];
        r->ids[to] = id;
        r->positions[id] = to++;
    }
    r->count = to;
}

/* ---- hash: open addressing, linear probing, at most half full -----------------------------------------------------*/

#define HASH_EMPTY UINT32_MAX

typedef struct hash_slot {
    uint32_t key;
    BASELINE_T value;
} hash_slot;

typedef struct hash {
    hash_slot *slots;
    uint32_t mask, shift;
} hash;

static inline hash hash_make(uint32_t n) {
    uint32_t bits = 1;
    while ((UINT32_C(1) << bits) < 2 * n) bits++;
    hash h = { .mask = (UINT32_C(1) << bits) - 1, .shift = 32 - bits };
    h.slots = bench_alloc((size_t)h.mask + 1, sizeof *h.slots);
    for (uint32_t i = 0; i <= h.mask; i++) h.slots[i].key = HASH_EMPTY;
    return h;
}

/* The slot of a key, or the empty one where it belongs. */
static inline hash_slot *hash_slot_of(const hash *h, uint32_t key) {
    uint32_t at = (key * UINT32_C(2654435769)) >> h->shift;
    while (h->slots[at].key != key && h->slots[at].key != HASH_EMPTY) at = (at + 1) & h->mask;
    return &h->slots[at];
}

static inline void hash_add(hash *h, uint32_t key, BASELINE_T value) {
    *hash_slot_of(h, key) = (hash_slot){ key, value };
}

static inline bool hash_has(const hash *h, uint32_t key) { return hash_slot_of(h, key)->key == key; }

static inline BASELINE_T *hash_get(const hash *h, uint32_t key) {
    hash_slot *slot = hash_slot_of(h, key);
    return slot->key == key ? &slot->value : NULL;
}

/* ---- option: an array of values that may be absent ----------------------------------------------------------------*/

typedef struct option {
    bool present;
    BASELINE_T value;
} option;
