/* Sorting. One pass separates the components that are in order from the others; if these are few, they are sorted alone
 * and merged. Otherwise all keys go through a radix sort, or all values through a merge sort if only a function can
 * compare them. Both give a list of moves, with only those components that change places. Everything that can fail
 * comes before the first move. */
#include "storage/sparse_set_sort.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/result.h"
#include "storage/hook.h"
#include "storage/order.h"
#include "storage/sparse_set.h"

#include <stdalign.h>

/* What is sorted: `count` components from a position on; other positions are relative to it. */
typedef struct sorting {
    covey__heap *heap; /* for scratch */
    const covey_order *order;
    const covey_entity *ids;
    const char *values;     /* their values, `size` bytes apart; NULL: the pool finds each */
    const covey_pool *pool; /* of the values */
    size_t size;
    bool wipes; /* values are zeroed where they were, and so are their keys */
    uint32_t first, count;
    covey__keys_fn *make_keys; /* instead of the order, or NULL */
    uint64_t *keys;            /* NULL where a function compares */
    uint64_t *out;             /* a bit for each component: it is out of order */
    uint32_t out_count, out_most;
    uint32_t *from, *to; /* the result: positions that change */
    uint32_t moves;
} sorting;

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

static uint32_t size_of_key(covey_key kind) {
    return kind == COVEY_KEY_INDEX                                                   ? 0
           : kind == COVEY_KEY_F64 || kind == COVEY_KEY_I64 || kind == COVEY_KEY_U64 ? 8
                                                                                     : 4;
}

static const char *wrong_key(const covey_order *order, uint32_t size) {
    bool makes_keys = order->key_of || order->key_of_entity;
    if ((uint32_t)order->key > COVEY_KEY_U64) return "there is no such kind of key";
    if (covey__order_compares(order)) return NULL;
    if (order->key == COVEY_KEY_INDEX)
        return makes_keys ? "a function makes the keys, but .key does not name their kind" : NULL;
    if (makes_keys || (order->offset <= size && size - order->offset >= size_of_key(order->key))) return NULL;
    return "the key is not inside the value: check .offset and .key";
}

const char *covey__order_fault(const covey_order *order, uint32_t size, uint32_t count) {
    int functions = !!order->key_of + !!order->key_of_entity + !!order->compare + !!order->compare_entities;
    if (functions > 1) return "its order has more than one function: set one of them";
    if (order->from > count || order->count > count - order->from)
        return "the part ends behind the last component: .from and .count must lie within the pool";
    return wrong_key(order, size);
}

static covey__item item_at(const sorting *job, uint32_t position) {
    covey_entity e = job->ids[position];
    if (job->values) return (covey__item){ job->values + position * job->size, e };
    return (covey__item){ covey__value_of_index(job->pool, e.index), e };
}

/* ---- Comparing ---------------------------------------------------------------------------------------------------*/

/* Whether the component at position b belongs before the one at position a, which is before it now. */
static inline bool is_before(const sorting *job, uint32_t b, uint32_t a, bool by_key) {
    if (by_key) return job->keys[b] < job->keys[a];
    return covey__compares_before(job->order, item_at(job, b), item_at(job, a));
}

/* The same for any two positions: of equals, the one that is first stays first. */
static inline bool goes_before(const sorting *job, uint32_t b, uint32_t a, bool by_key) {
    return b < a ? !is_before(job, a, b, by_key) : is_before(job, b, a, by_key);
}

/* ---- What is in order --------------------------------------------------------------------------------------------*/

enum { RUN = 8 }; /* this many in a row are in order: the one before them is not */

/* The last two components that are in order; `before` may be COVEY_NONE. */
typedef struct kept_pair {
    uint32_t last, before, run;
} kept_pair;

static bool is_out(const sorting *job, uint32_t at) { return job->out[at / 64] >> at % 64 & 1; }

static void mark_out(sorting *job, uint32_t at) {
    job->out[at / 64] |= (uint64_t)1 << at % 64;
    job->out_count++;
}

static void unmark_out(sorting *job, uint32_t at) {
    job->out[at / 64] &= ~((uint64_t)1 << at % 64);
    job->out_count--;
}

static uint32_t kept_before(const sorting *job, uint32_t at) {
    while (at-- != 0)
        if (!is_out(job, at)) return at;
    return COVEY_NONE;
}

/* A component belongs before the last one that is in order. If it is in order with the one before that, the last one is
 * out of order; otherwise this one is, unless many in a row are. Returns where to continue. */
static inline uint32_t choose(sorting *job, kept_pair *kept, uint32_t at, bool by_key) {
    if (kept->before == COVEY_NONE || !is_before(job, at, kept->before, by_key)) {
        mark_out(job, kept->last);
        *kept = (kept_pair){ at, kept->before, 0 };
        return at + 1;
    }
    mark_out(job, at);
    if (++kept->run < RUN) return at + 1;
    for (uint32_t i = 0; i < RUN; i++) unmark_out(job, at - i);
    mark_out(job, kept->last);
    *kept = (kept_pair){ kept->before, kept_before(job, kept->before), 0 };
    return at + 1 - RUN;
}

/* Marks components without which the others are in order. False if they are too many for this to pay. */
static inline bool split(sorting *job, bool by_key) {
    kept_pair kept = { 0, COVEY_NONE, 0 };
    for (uint32_t i = 1; i < job->count;) {
        if (COVEY__LIKELY(!is_before(job, i, kept.last, by_key))) {
            kept = (kept_pair){ i, kept.last, 0 };
            i++;
        } else {
            i = choose(job, &kept, i, by_key);
            if (job->out_count > job->out_most) return false;
        }
    }
    return true;
}

/* Reads keys from values and splits by them, in one pass; with a separate loop for each kind. */
static inline bool split_making_keys(sorting *job, covey_key kind) {
    const char *values = job->values + job->order->offset;
    size_t size = job->size;
    uint64_t flip = covey__flip_of(job->order), *keys = job->keys, last = 0, key = 0;
    uint32_t i = 0, first = 0, count = job->count;
    kept_pair kept = { COVEY_NONE, COVEY_NONE, 0 };
    for (;; first = i) {
        for (; i < count && (key = keys[i] = covey__key_at(kind, values + i * size, flip)) >= last; i++) last = key;
        if (i == count) return true;
        if (i - first >= 2) kept = (kept_pair){ i - 1, i - 2, 0 };
        else if (i - first == 1) kept = (kept_pair){ i - 1, kept.last, 0 };
        i = choose(job, &kept, i, true);
        last = keys[kept.last];
        if (job->out_count > job->out_most) break;
    }
    for (; i < count; i++) keys[i] = covey__key_at(kind, values + i * size, flip);
    return false;
}

static bool split_by_keys(sorting *job) {
    const covey_order *order = job->order;
    if (job->make_keys) {
        job->make_keys(job->pool, job->keys, job->count);
        return split(job, true);
    }
    if (job->values && !order->key_of && !order->key_of_entity) {
        switch (order->key) {
        case COVEY_KEY_F32: return split_making_keys(job, COVEY_KEY_F32);
        case COVEY_KEY_F64: return split_making_keys(job, COVEY_KEY_F64);
        case COVEY_KEY_I32: return split_making_keys(job, COVEY_KEY_I32);
        case COVEY_KEY_I64: return split_making_keys(job, COVEY_KEY_I64);
        case COVEY_KEY_U32: return split_making_keys(job, COVEY_KEY_U32);
        case COVEY_KEY_U64: return split_making_keys(job, COVEY_KEY_U64);
        case COVEY_KEY_INDEX: break;
        }
    }
    for (uint32_t i = 0; i < job->count; i++) job->keys[i] = covey__key_of(order, item_at(job, i));
    return split(job, true);
}

/* ---- Merge sort --------------------------------------------------------------------------------------------------*/

/* Merges two runs that follow each other in `from`; where they join in order, that is a copy. */
static inline void merge(const sorting *job, uint32_t *to, const uint32_t *from, uint32_t middle, uint32_t end,
                         bool by_key) {
    uint32_t left = 0, right = middle;
    if (middle == end || !goes_before(job, from[middle], from[middle - 1], by_key)) {
        memcpy(to, from, end * sizeof *to);
        return;
    }
    for (uint32_t i = 0; i < end; i++) {
        bool take_right = left == middle || (right < end && goes_before(job, from[right], from[left], by_key));
        to[i] = from[take_right ? right++ : left++];
    }
}

/* Sorts positions, from the bottom up; `scratch` has room for as many. */
static inline void merge_sort(const sorting *job, uint32_t *positions, uint32_t *scratch, uint32_t count, bool by_key) {
    uint32_t *from = positions, *to = scratch;
    for (uint64_t width = 1; width < count; width *= 2) {
        for (uint64_t at = 0; at < count; at += 2 * width) {
            uint32_t left = (uint32_t)at, most = count - left, run = (uint32_t)width;
            uint32_t middle = run < most ? run : most, end = run < most - middle ? middle + run : most;
            merge(job, to + left, from + left, middle, end, by_key);
        }
        uint32_t *other = from;
        from = to;
        to = other;
    }
    if (from != positions) memcpy(positions, from, count * sizeof *positions);
}

/* ---- Radix sort --------------------------------------------------------------------------------------------------*/

enum { DIGIT_BITS = 11, DIGITS = 3, DIGIT_VALUES = 1 << DIGIT_BITS };

static uint32_t digit_of(uint64_t word, uint32_t digit) {
    return (uint32_t)(word >> (32 + digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* Turns the counts of digits into start positions. False if all digits are equal. */
static bool find_starts(uint32_t *starts, uint32_t count, uint64_t any_word, uint32_t digit) {
    uint32_t sum = 0;
    if (starts[digit_of(any_word, digit)] == count) return false;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t many = starts[i];
        starts[i] = sum;
        sum += many;
    }
    return true;
}

/* Sorts words by their upper halves, digit by digit from the lowest, each pass stable. Returns where the result is. */
static uint64_t *radix_sort(uint64_t *words, uint64_t *scratch, uint32_t count, uint32_t (*starts)[DIGIT_VALUES]) {
    memset(starts, 0, DIGITS * sizeof *starts);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t digit = 0; digit < DIGITS; digit++) starts[digit][digit_of(words[i], digit)]++;
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        if (!find_starts(starts[digit], count, words[0], digit)) continue;
        for (uint32_t i = 0; i < count; i++) scratch[starts[digit][digit_of(words[i], digit)]++] = words[i];
        uint64_t *other = words;
        words = scratch;
        scratch = other;
    }
    return words;
}

/* Sorts positions by a half of their keys; the halves that are sorted by last come first. */
static void sort_by_half(const sorting *job, uint32_t *positions, uint32_t count, uint64_t *words,
                         uint32_t (*starts)[DIGIT_VALUES], uint32_t shift) {
    for (uint32_t i = 0; i < count; i++)
        words[i] = (uint64_t)(uint32_t)(job->keys[positions[i]] >> shift) << 32 | positions[i];
    const uint64_t *sorted = radix_sort(words, words + count, count, starts);
    for (uint32_t i = 0; i < count; i++) positions[i] = (uint32_t)sorted[i];
}

static bool has_wide_keys(const sorting *job) {
    covey_key kind = job->order->key;
    return kind == COVEY_KEY_F64 || kind == COVEY_KEY_I64 || kind == COVEY_KEY_U64;
}

static void wipe(const sorting *job, void *scratch, size_t size) {
    if (job->wipes && scratch) memset(scratch, 0, size);
}

static covey_result sort_by_radix(const sorting *job, uint32_t *positions, uint32_t count) {
    covey__heap *heap = job->heap;
    uint64_t *words = covey__resize(heap, NULL, 0, count, 2 * sizeof *words, alignof(uint64_t));
    uint32_t(*starts)[DIGIT_VALUES] = covey__resize(heap, NULL, 0, DIGITS, sizeof *starts, alignof(uint32_t));
    bool done = words && starts;
    if (done) sort_by_half(job, positions, count, words, starts, 0);
    if (done && has_wide_keys(job)) sort_by_half(job, positions, count, words, starts, 32);
    wipe(job, words, count * 2 * sizeof *words);
    covey__free(heap, words, count, 2 * sizeof *words, alignof(uint64_t));
    covey__free(heap, starts, DIGITS, sizeof *starts, alignof(uint32_t));
    return done ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* Sorts ascending positions in the way that is best for their number. */
static covey_result sort_positions(const sorting *job, uint32_t *positions, uint32_t *scratch, uint32_t count) {
    if (job->keys && count >= 256) return sort_by_radix(job, positions, count);
    if (job->keys) merge_sort(job, positions, scratch, count, true);
    else merge_sort(job, positions, scratch, count, false);
    return COVEY_OK;
}

/* ---- Putting back what was out of order --------------------------------------------------------------------------*/

/* The first position of [first, end) that belongs behind that of `out`: by galloping, then by bisection. */
static uint32_t border(const sorting *job, uint32_t first, uint32_t end, uint32_t out) {
    bool by_key = job->keys != NULL;
    if (goes_before(job, end - 1, out, by_key)) return end;
    uint32_t step = 1, low = first, high;
    while (step < end - low && goes_before(job, low + step - 1, out, by_key)) {
        low += step;
        step *= 2;
    }
    high = step < end - low ? low + step - 1 : end - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (goes_before(job, middle, out, by_key)) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void move_one(sorting *job, uint32_t from, uint32_t to) {
    job->from[job->moves] = from;
    job->to[job->moves] = to;
    job->moves += from != to;
}

/* Components that move together. */
static void move_run(sorting *job, uint32_t first, uint32_t end, uint32_t to) {
    for (; first < end && first != to; first++, to++) move_one(job, first, to);
}

/* Both lists are of the positions that are out of order: ascending, and as they have to be. */
static void put_back(sorting *job, const uint32_t *holes, const uint32_t *sorted) {
    uint32_t next = 0, first = 0, to = 0;
    for (uint32_t i = 0; i <= job->out_count; i++) {
        uint32_t end = i < job->out_count ? holes[i] : job->count;
        while (first < end) {
            uint32_t until = next < job->out_count ? border(job, first, end, sorted[next]) : end;
            move_run(job, first, until, to);
            to += until - first;
            first = until;
            if (first < end) move_one(job, sorted[next++], to++);
        }
        first = end + 1;
    }
    while (next < job->out_count) move_one(job, sorted[next++], to++);
}

static void list_out(const sorting *job, uint32_t *positions) {
    for (uint32_t word = 0; word <= job->count / 64; word++)
        for (uint64_t left = job->out[word]; left != 0; left &= left - 1)
            *positions++ = word * 64 + covey__lowest_bit(left);
}

/* ---- Finding the moves -------------------------------------------------------------------------------------------*/

/* `scratch` has room for all positions, twice. */
static covey_result find_moves(sorting *job, uint32_t *scratch) {
    uint32_t *second = scratch + job->count;
    bool few = job->keys ? split_by_keys(job) : split(job, false);
    if (few && job->out_count == 0) return COVEY_OK;
    if (few) {
        uint32_t *third = second + job->out_count;
        list_out(job, scratch);
        memcpy(second, scratch, job->out_count * sizeof *second);
        covey_result result = sort_positions(job, second, third, job->out_count);
        if (result == COVEY_OK) put_back(job, scratch, second);
        return result;
    }
    for (uint32_t i = 0; i < job->count; i++) scratch[i] = i;
    covey_result result = sort_positions(job, scratch, second, job->count);
    for (uint32_t i = 0; i < job->count && result == COVEY_OK; i++) move_one(job, scratch[i], i);
    return result;
}

/* The scratch of a sorting: what `job` points to, and room for positions. */
static covey_result sort(sorting *job) {
    covey__heap *heap = job->heap;
    size_t words = job->count / 64 + 1;
    job->out_most = job->count / 16 + 4 < job->count / 2 ? job->count / 16 + 4 : job->count / 2;
    bool compares = covey__order_compares(job->order);
    uint64_t *keys = compares ? NULL : covey__resize(heap, NULL, 0, job->count, sizeof *keys, alignof(uint64_t));
    uint32_t *scratch = covey__resize(heap, NULL, 0, job->count, 2 * sizeof *scratch, alignof(uint32_t));
    job->out = covey__resize(heap, NULL, 0, words, sizeof *job->out, alignof(uint64_t));
    job->keys = keys;
    covey_result result = COVEY_ERROR_MEMORY;
    if (scratch && job->out && (keys || compares)) {
        memset(job->out, 0, words * sizeof *job->out);
        result = find_moves(job, scratch);
    }
    wipe(job, keys, job->count * sizeof *keys);
    covey__free(heap, keys, job->count, sizeof *keys, alignof(uint64_t));
    covey__free(heap, scratch, job->count, 2 * sizeof *scratch, alignof(uint32_t));
    covey__free(heap, job->out, words, sizeof *job->out, alignof(uint64_t));
    return result;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------*/

/* Moves go through the scratch, which has room for this many ids and values. */
static void move_in(covey_sparse_set *set, const sorting *job, covey__slot *ids, char *values) {
    size_t size = set->size;
    char *data = set->data;
    for (uint32_t i = 0; i < job->moves; i++) {
        uint32_t from = job->first + job->from[i];
        ids[i] = covey__set_id(set, from);
        covey__relocate(&set->mover, values + i * size, data + from * size, size);
    }
    for (uint32_t i = 0; i < job->moves; i++) {
        uint32_t to = job->first + job->to[i];
        covey__set_put(set, to, ids[i]);
        covey__relocate(&set->mover, data + to * size, values + i * size, size);
    }
    if (set->zero_erased) memset(values, 0, job->moves * size);
}

/* Makes the same moves in several sets: in all, or in none. */
static covey_result move_all(const sorting *job, covey_sparse_set *const *sets, uint32_t set_count) {
    covey__heap *heap = job->heap;
    uint32_t size = 0, align = 1;
    for (uint32_t i = 0; i < set_count; i++) {
        if (sets[i]->size > size) size = sets[i]->size;
        if (sets[i]->align > align) align = sets[i]->align;
    }
    if (job->moves == 0) return COVEY_OK;
    covey__slot *ids = covey__resize(heap, NULL, 0, job->moves, sizeof *ids, alignof(covey__slot));
    char none, *values = size ? covey__resize(heap, NULL, 0, job->moves, size, align) : &none;
    bool done = ids && values;
    for (uint32_t i = 0; i < set_count && done; i++) move_in(sets[i], job, ids, values);
    covey__free(heap, ids, job->moves, sizeof *ids, alignof(covey__slot));
    if (size) covey__free(heap, values, job->moves, size, align);
    return done ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* A list of moves with room for all, and one more that is written but not counted. */
static bool take_lists(sorting *job) {
    uint32_t *lists = covey__resize(job->heap, NULL, 0, job->count + (size_t)1, 2 * sizeof *lists, alignof(uint32_t));
    job->from = lists;
    job->to = lists ? lists + job->count + 1 : NULL;
    return lists != NULL;
}

static void free_lists(sorting *job) {
    covey__free(job->heap, job->from, job->count + (size_t)1, 2 * sizeof *job->from, alignof(uint32_t));
}

/* ---- Sorting -----------------------------------------------------------------------------------------------------*/

/* The functions of an order must not change the world. A set on its own has none. */
static covey_result sort_guarded(sorting *job) {
    if (!job->pool) return sort(job);
    covey__hook hook = covey__hook_begin(job->pool->world, "function of an order", job->pool->type);
    covey_result result = sort(job);
    covey__hook_end(hook);
    return result;
}

/* Sorts the part that the order names, and makes the moves in all sets. */
static covey_result sort_part(sorting *job, const covey__sort *sort) {
    const covey_order *order = job->order;
    job->first = order->from;
    job->count = order->count != 0 ? order->count : job->count - order->from;
    if (job->count < 2) return COVEY_OK;
    job->ids += order->from;
    if (job->values) job->values += order->from * job->size;
    if (!take_lists(job)) return COVEY_ERROR_MEMORY;
    covey_result result = sort_guarded(job);
    if (result == COVEY_OK) result = move_all(job, sort->sets, sort->set_count);
    free_lists(job);
    return result;
}

/* The values that are compared, if they are in the order of the sets. */
static const char *values_of(const covey__sort *sort) {
    const covey_sparse_set *set = sort->pool ? covey__packed_in(sort->pool) : sort->sets[0];
    for (uint32_t i = 0; i < sort->set_count; i++)
        if (sort->sets[i] == set) return set->data;
    return NULL;
}

covey_result covey__sets_sort(const covey__sort *sort, const covey_order *order, covey__keys_fn *make_keys) {
    const covey_sparse_set *first = sort->sets[0];
    sorting job = {
        .heap = sort->heap,
        .order = order,
        .ids = first->ids,
        .values = values_of(sort),
        .pool = sort->pool,
        .size = sort->pool ? sort->pool->size : first->size,
        .wipes = sort->pool ? sort->pool->type->zero_erased : first->zero_erased,
        .count = sort->count,
        .make_keys = make_keys,
    };
    return sort_part(&job, sort);
}
/* ---- Sorting as another ------------------------------------------------------------------------------------------*/

/* The order to follow: that of a pool, or of a set. */
typedef struct leader {
    const covey_pool *pool;
    const covey_sparse_set *set;
} leader;

/* What comes next, if it is among the first components of a set. */
static void follow_one(sorting *job, const covey_sparse_set *set, uint32_t index, uint32_t *to) {
    if (!covey__set_has(set, index, job->count)) return;
    uint32_t from = covey__slot_position(*covey__slot_of(set, index));
    job->out[from / 64] |= (uint64_t)1 << from % 64;
    move_one(job, from, (*to)++);
}

/* Orders the first components of a set: those that the leader has first, in its order; then the others. */
static void follow(sorting *job, leader other, const covey_sparse_set *set) {
    uint32_t to = 0;
    for (uint32_t at = 0; other.pool && (at = covey_pool_next(other.pool, at)) != COVEY_NONE; at++)
        follow_one(job, set, covey__index_at(other.pool, at), &to);
    for (uint32_t at = 0; other.set && (at = covey_sparse_set_next(other.set, at)) != COVEY_NONE; at++)
        if (covey_sparse_set_live(set, other.set->ids[at])) follow_one(job, set, other.set->ids[at].index, &to);
    for (uint32_t from = 0; from < job->count; from++)
        if (!is_out(job, from)) move_one(job, from, to++);
}

static covey_result sort_as(const covey__sort *sort, leader other) {
    covey__heap *heap = sort->heap;
    sorting making = { .heap = heap, .count = sort->count }, *job = &making;
    size_t words = job->count / 64 + 1;
    covey_result result = COVEY_ERROR_MEMORY;
    job->out = covey__resize(heap, NULL, 0, words, sizeof *job->out, alignof(uint64_t));
    if (take_lists(job) && job->out) {
        memset(job->out, 0, words * sizeof *job->out);
        follow(job, other, sort->sets[0]);
        result = move_all(job, sort->sets, sort->set_count);
    }
    if (job->from) free_lists(job);
    covey__free(heap, job->out, words, sizeof *job->out, alignof(uint64_t));
    return result;
}

covey_result covey__sets_sort_as(const covey__sort *sort, const covey_pool *other) {
    return sort_as(sort, (leader){ .pool = other });
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

covey__sort covey__sort_of(covey_pool *pool) {
    covey_sparse_set *set = covey__packed(pool);
    return (covey__sort){ &pool->world->inner->heap, pool, { set }, 1, set->end };
}

const char *covey__sort_objection(const covey_pool *pool) {
    const covey_sparse_set *set = covey__packed_in(pool);
    if (!set)
        return "it is in blocks, which are in the order of indices: define it with .storage = COVEY_STORAGE_SPARSE";
    if (set->policy == COVEY_IN_PLACE)
        return "its values do not move: define it with another .policy, or sort a sparse tag of its entities";
    return set->holes != 0 ? "it has holes: compact it first" : NULL;
}

/* ---- Sets on their own -------------------------------------------------------------------------------------------*/

static bool may_be_sorted(const covey_sparse_set *set) { return set->policy != COVEY_IN_PLACE && set->holes == 0; }

covey_result covey_sparse_set_sort(covey_sparse_set *set, const covey_order *order) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey_order by_index = { 0 };
    if (!order) order = &by_index;
    if (!may_be_sorted(set)) return COVEY_ERROR_REFUSED;
    if (covey__order_fault(order, set->size, set->end)) return COVEY_ERROR_RANGE;
    return covey__sets_sort(&(covey__sort){ &set->heap, NULL, { set }, 1, set->end }, order, NULL);
}

covey_result covey_sparse_set_sort_as(covey_sparse_set *set, const covey_sparse_set *other) {
    COVEY__CONTRACT(NULL, set && other, "a call needs two sets");
    if (!may_be_sorted(set)) return COVEY_ERROR_REFUSED;
    return sort_as(&(covey__sort){ &set->heap, NULL, { set }, 1, set->end }, (leader){ .set = other });
}
