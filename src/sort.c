/* Sorting. What is in order already is told from what is not in one pass; the latter, if it is little, is sorted alone
 * and put between the former. Otherwise all keys go through a radix sort, or all values through a merge sort where only
 * a function can compare them. Either gives the order of positions; then pools are put into that order, and only what
 * has another place moves. Everything that can fail does so before that. */
#include "internal.h"

#include <stdalign.h>

/* What is sorted: `count` components, from the first position on. */
typedef struct sorting {
    covey_world *world;
    const covey_order *order;
    const covey_entity *ids;
    const char *values;     /* theirs, `size` bytes apart; or NULL, and the pool says where each is */
    const covey_pool *pool; /* of the values */
    size_t size;
    uint32_t count;
    uint64_t *keys;     /* NULL where a function compares */
    uint32_t *removed;  /* positions that are not in order with the others */
    uint32_t *sequence; /* the result: which position comes first, and so on */
    uint32_t removed_count;
} sorting;

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

static uint32_t size_of_key(covey_key kind) {
    return kind == COVEY_KEY_INDEX                                                   ? 0
           : kind == COVEY_KEY_F64 || kind == COVEY_KEY_I64 || kind == COVEY_KEY_U64 ? 8
                                                                                     : 4;
}

bool covey__order_valid(const covey_order *order, uint32_t size) {
    if ((uint32_t)order->key > COVEY_KEY_U64) return false;
    if (order->compare || order->key_of || order->key == COVEY_KEY_INDEX) return true;
    return order->offset <= size && size - order->offset >= size_of_key(order->key);
}

/* The bits of a float as a number that is the larger the larger the float is. */
static uint64_t ordered_bits(uint64_t bits, uint32_t width) {
    uint64_t sign = (uint64_t)1 << (width - 1);
    return (bits & sign) != 0 ? ~bits & (sign | (sign - 1)) : bits | sign;
}

static inline uint64_t key_of_f32(const void *at, uint64_t flip) {
    float number;
    uint32_t bits;
    memcpy(&number, at, sizeof number);
    if (number != number) return UINT64_MAX;
    number += 0.0f; /* -0 becomes 0 */
    memcpy(&bits, &number, sizeof bits);
    return ordered_bits(bits, 32) ^ (flip & UINT32_MAX);
}

static inline uint64_t key_of_f64(const void *at, uint64_t flip) {
    double number;
    uint64_t bits;
    memcpy(&number, at, sizeof number);
    if (number != number) return UINT64_MAX;
    number += 0.0;
    memcpy(&bits, &number, sizeof bits);
    return ordered_bits(bits, 64) ^ flip;
}

static inline uint64_t key_of_32(const void *at, uint64_t flip, uint32_t sign) {
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return (number ^ sign) ^ (flip & UINT32_MAX);
}

static inline uint64_t key_of_64(const void *at, uint64_t flip, uint64_t sign) {
    uint64_t number;
    memcpy(&number, at, sizeof number);
    return number ^ sign ^ flip;
}

/* The key of a number as one without a sign, the other way round if `flip` has all bits. */
static inline uint64_t key_at(covey_key kind, const void *at, uint64_t flip) {
    switch (kind) {
    case COVEY_KEY_F32: return key_of_f32(at, flip);
    case COVEY_KEY_F64: return key_of_f64(at, flip);
    case COVEY_KEY_I32: return key_of_32(at, flip, (uint32_t)1 << 31);
    case COVEY_KEY_I64: return key_of_64(at, flip, (uint64_t)1 << 63);
    case COVEY_KEY_U64: return key_of_64(at, flip, 0);
    case COVEY_KEY_INDEX:
    case COVEY_KEY_U32: break;
    }
    return key_of_32(at, flip, 0);
}

static uint64_t flip_of(const covey_order *order) { return order->descending ? UINT64_MAX : 0; }

/* The key of a component, whatever it comes from. */
static uint64_t key_of(const covey_order *order, const void *value, uint32_t index) {
    uint64_t made = 0;
    if (order->key == COVEY_KEY_INDEX) return key_of_32(&index, flip_of(order), 0);
    if (!order->key_of) return key_at(order->key, (const char *)value + order->offset, flip_of(order));
    order->key_of(&made, value, order->context);
    return key_at(order->key, &made, flip_of(order));
}

static const void *value_of(const sorting *job, uint32_t position) {
    if (job->values) return job->values + position * job->size;
    return covey__value_of_index(job->pool, job->ids[position].index);
}

/* ---- Comparing ---------------------------------------------------------------------------------------------------*/

static int compare_values(const covey_order *order, const void *a, const void *b) {
    return order->descending ? order->compare(b, a, order->context) : order->compare(a, b, order->context);
}

/* Whether the component at position b belongs before the one at position a, which is before it now. */
static inline bool is_before(const sorting *job, uint32_t b, uint32_t a, bool by_key) {
    if (by_key) return job->keys[b] < job->keys[a];
    return compare_values(job->order, value_of(job, b), value_of(job, a)) < 0;
}

/* The same for any two positions: of equals, the one that is first stays first. */
static inline bool goes_before(const sorting *job, uint32_t b, uint32_t a, bool by_key) {
    return b < a ? !is_before(job, a, b, by_key) : is_before(job, b, a, by_key);
}

/* ---- What is in order --------------------------------------------------------------------------------------------*/

/* The last two components that are kept in order; positions. */
typedef struct kept_pair {
    uint32_t last, before; /* `before` may be COVEY_NONE */
} kept_pair;

/* A component belongs before the last one that was kept. If it is in order with the one before that, the last one is
 * what is out of place; otherwise this one is. */
static inline void remove_one(sorting *job, kept_pair *kept, uint32_t at, bool by_key) {
    if (kept->before == COVEY_NONE || !is_before(job, at, kept->before, by_key)) {
        job->removed[job->removed_count++] = kept->last;
        kept->last = at;
    } else {
        job->removed[job->removed_count++] = at;
    }
}

/* Finds components whose removal leaves the others in order. False when they are too many for it to pay. */
static inline bool split(sorting *job, uint32_t most, bool by_key) {
    kept_pair kept = { 0, COVEY_NONE };
    for (uint32_t i = 1; i < job->count; i++) {
        if (COVEY__LIKELY(!is_before(job, i, kept.last, by_key))) {
            kept.before = kept.last;
            kept.last = i;
            continue;
        }
        if (job->removed_count == most) return false;
        remove_one(job, &kept, i, by_key);
    }
    return true;
}

/* Makes the keys and splits by them in one pass: the loop for each kind of key that lies in the values. */
static inline bool split_making_keys(sorting *job, uint32_t most, covey_key kind) {
    const char *at = job->values + job->order->offset;
    uint64_t flip = flip_of(job->order), *keys = job->keys, last = 0;
    kept_pair kept = { COVEY_NONE, COVEY_NONE };
    for (uint32_t i = 0; i < job->count; i++, at += job->size) {
        uint64_t key = keys[i] = key_at(kind, at, flip);
        if (COVEY__LIKELY(key >= last)) {
            kept.before = kept.last;
            kept.last = i;
            last = key;
        } else if (job->removed_count < most) {
            remove_one(job, &kept, i, true);
            last = keys[kept.last];
        } else {
            job->removed_count++; /* too many: from now on only keys are made */
            last = 0;
            most = 0;
        }
    }
    return job->removed_count <= most;
}

static bool split_by_keys(sorting *job, uint32_t most) {
    const covey_order *order = job->order;
    if (job->values && !order->key_of) {
        switch (order->key) {
        case COVEY_KEY_F32: return split_making_keys(job, most, COVEY_KEY_F32);
        case COVEY_KEY_F64: return split_making_keys(job, most, COVEY_KEY_F64);
        case COVEY_KEY_I32: return split_making_keys(job, most, COVEY_KEY_I32);
        case COVEY_KEY_I64: return split_making_keys(job, most, COVEY_KEY_I64);
        case COVEY_KEY_U32: return split_making_keys(job, most, COVEY_KEY_U32);
        case COVEY_KEY_U64: return split_making_keys(job, most, COVEY_KEY_U64);
        case COVEY_KEY_INDEX: break;
        }
    }
    for (uint32_t i = 0; i < job->count; i++) job->keys[i] = key_of(order, value_of(job, i), job->ids[i].index);
    return split(job, most, true);
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

/* ---- Putting the removed back ------------------------------------------------------------------------------------*/

/* The first position of [first, end) that belongs behind the one at `removed`: looked for ever further, then between. */
static inline uint32_t border(const sorting *job, uint32_t first, uint32_t end, uint32_t removed, bool by_key) {
    if (goes_before(job, end - 1, removed, by_key)) return end;
    uint32_t step = 1, low = first, high;
    while (step < end - low && goes_before(job, low + step - 1, removed, by_key)) {
        low += step;
        step *= 2;
    }
    high = step < end - low ? low + step - 1 : end - 1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (goes_before(job, middle, removed, by_key)) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Writes consecutive positions. */
static uint32_t *append_run(uint32_t *to, uint32_t first, uint32_t end) {
    for (; first < end; first++) *to++ = first;
    return to;
}

static int compare_positions(const uint32_t *a, uint32_t b) { return (*a > b) - (*a < b); }

/* Positions that are nearly ascending; few. */
static void sort_positions(uint32_t *positions, uint32_t count) {
    for (uint32_t i = 1; i < count; i++) {
        uint32_t moved = positions[i], at = i;
        for (; at != 0 && compare_positions(&positions[at - 1], moved) > 0; at--) positions[at] = positions[at - 1];
        positions[at] = moved;
    }
}

/* The sequence of all, from those that are in order and those that were removed. `holes` has room for the latter. */
static inline void put_back(sorting *job, uint32_t *holes, uint32_t *scratch, bool by_key) {
    uint32_t count = job->removed_count, next = 0, first = 0, *to = job->sequence;
    sort_positions(job->removed, count);
    memcpy(holes, job->removed, count * sizeof *holes);
    merge_sort(job, job->removed, scratch, count, by_key);
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t end = i < count ? holes[i] : job->count;
        while (first < end && next < count) {
            uint32_t until = border(job, first, end, job->removed[next], by_key);
            to = append_run(to, first, until);
            first = until;
            if (first < end) *to++ = job->removed[next++];
        }
        to = append_run(to, first, end);
        first = end + 1;
    }
    memcpy(to, job->removed + next, (count - next) * sizeof *to);
}

/* ---- Radix sort --------------------------------------------------------------------------------------------------*/

enum { DIGIT_BITS = 11, DIGITS = 6, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef struct radix_item {
    uint64_t key;
    uint32_t position;
} radix_item;

static uint32_t digit_of(uint64_t key, uint32_t digit) {
    return (uint32_t)(key >> digit * DIGIT_BITS) & (DIGIT_VALUES - 1);
}

/* How often each digit has each value, and then where the first one of these goes. False: all have the same digit. */
static bool find_starts(uint32_t *starts, uint32_t count, uint64_t any_key, uint32_t digit) {
    uint32_t sum = 0;
    if (starts[digit_of(any_key, digit)] == count) return false;
    for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
        uint32_t many = starts[i];
        starts[i] = sum;
        sum += many;
    }
    return true;
}

/* From the least digit to the first, each time keeping the order of equals. */
static void radix_sort(const sorting *job, radix_item *items, radix_item *scratch, uint32_t (*starts)[DIGIT_VALUES]) {
    uint32_t count = job->count;
    memset(starts, 0, DIGITS * sizeof *starts);
    for (uint32_t i = 0; i < count; i++) {
        items[i] = (radix_item){ job->keys[i], i };
        for (uint32_t digit = 0; digit < DIGITS; digit++) starts[digit][digit_of(job->keys[i], digit)]++;
    }
    for (uint32_t digit = 0; digit < DIGITS; digit++) {
        if (!find_starts(starts[digit], count, items[0].key, digit)) continue;
        for (uint32_t i = 0; i < count; i++) scratch[starts[digit][digit_of(items[i].key, digit)]++] = items[i];
        radix_item *other = items;
        items = scratch;
        scratch = other;
    }
    for (uint32_t i = 0; i < count; i++) job->sequence[i] = items[i].position;
}

/* Keys are parts of values: those of a type that leaves nothing behind do not stay in the scratch, either. */
static void wipe(const sorting *job, void *scratch, size_t size) {
    if (job->pool->type->zero_vacated && scratch) memset(scratch, 0, size);
}

static covey_result sort_by_radix(sorting *job) {
    covey__heap *heap = &job->world->heap;
    radix_item *items = covey__resize(heap, NULL, 0, job->count, 2 * sizeof *items, alignof(radix_item));
    uint32_t(*starts)[DIGIT_VALUES] = covey__resize(heap, NULL, 0, DIGITS, sizeof *starts, alignof(uint32_t));
    bool done = items && starts;
    if (done) radix_sort(job, items, items + job->count, starts);
    wipe(job, items, job->count * 2 * sizeof *items);
    covey__free(heap, items, job->count, 2 * sizeof *items, alignof(radix_item));
    covey__free(heap, starts, DIGITS, sizeof *starts, alignof(uint32_t));
    return done ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* ---- Finding the sequence ----------------------------------------------------------------------------------------*/

/* Room for three lists of as many removed positions as pay, or of all. */
static covey_result sort_with_scratch(sorting *job, uint32_t most, uint32_t *scratch) {
    bool by_key = !job->order->compare;
    job->removed = scratch;
    if (by_key ? split_by_keys(job, most) : split(job, most, false)) {
        if (job->removed_count == 0) return COVEY_OK;
        if (by_key) put_back(job, scratch + most, scratch + 2 * (size_t)most, true);
        else put_back(job, scratch + most, scratch + 2 * (size_t)most, false);
        return COVEY_OK;
    }
    if (by_key) return sort_by_radix(job);
    append_run(job->sequence, 0, job->count);
    merge_sort(job, job->sequence, scratch, job->count, false);
    return COVEY_OK;
}

static covey_result find_sequence(sorting *job) {
    covey__heap *heap = &job->world->heap;
    bool by_key = !job->order->compare;
    uint32_t most = job->count / 16 + 4, room = 3 * most < job->count ? job->count : 3 * most;
    job->keys = by_key ? covey__resize(heap, NULL, 0, job->count, sizeof *job->keys, alignof(uint64_t)) : NULL;
    uint32_t *scratch = covey__resize(heap, NULL, 0, room, sizeof *scratch, alignof(uint32_t));
    covey_result result = COVEY_ERROR_MEMORY;
    if (scratch && (job->keys || !by_key)) result = sort_with_scratch(job, most, scratch);
    wipe(job, job->keys, job->count * sizeof *job->keys);
    if (job->keys) covey__free(heap, job->keys, job->count, sizeof *job->keys, alignof(uint64_t));
    covey__free(heap, scratch, room, sizeof *scratch, alignof(uint32_t));
    return result;
}

/* ---- Moving ------------------------------------------------------------------------------------------------------*/

static void put(covey_sparse_set *set, uint32_t at, covey_entity e) {
    set->ids[at] = e;
    *covey__slot_of(set, e.index) = COVEY__SLOT(at, e.generation);
}

static uint32_t count_moves(const uint32_t *sequence, uint32_t count) {
    uint32_t moves = 0;
    for (uint32_t i = 0; i < count; i++) moves += sequence[i] != i;
    return moves;
}

/* Puts a set into an order: what moves goes through the scratch, which has room for so many ids and values. */
static void apply(covey_sparse_set *set, const uint32_t *sequence, uint32_t count, uint32_t moves, covey_entity *ids,
                  char *values) {
    size_t size = set->size, at = 0;
    char *data = set->data;
    for (uint32_t i = 0; i < count; i++) {
        if (sequence[i] == i) continue;
        ids[at] = set->ids[sequence[i]];
        covey__copy(values + at * size, data + sequence[i] * size, size);
        at++;
    }
    at = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (sequence[i] == i) continue;
        put(set, i, ids[at]);
        covey__copy(data + i * size, values + at * size, size);
        at++;
    }
    if (set->zero_vacated) memset(values, 0, moves * size);
}

/* Puts sets into the same order, all or none. */
static covey_result apply_all(covey_world *world, covey_sparse_set *const *sets, uint32_t set_count,
                              const uint32_t *sequence, uint32_t count) {
    uint32_t moves = count_moves(sequence, count), size = 0, align = 1;
    for (uint32_t i = 0; i < set_count; i++) {
        if (sets[i]->size > size) size = sets[i]->size;
        if (sets[i]->align > align) align = sets[i]->align;
    }
    if (moves == 0) return COVEY_OK;
    covey_entity *ids = covey__resize(&world->heap, NULL, 0, moves, sizeof *ids, alignof(covey_entity));
    char none, *values = size ? covey__resize(&world->heap, NULL, 0, moves, size, align) : &none;
    bool done = ids && values;
    for (uint32_t i = 0; i < set_count && done; i++) apply(sets[i], sequence, count, moves, ids, values);
    covey__free(&world->heap, ids, moves, sizeof *ids, alignof(covey_entity));
    if (size) covey__free(&world->heap, values, moves, size, align);
    return done ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

/* Why a pool cannot be sorted, or NULL. */
static const char *objection(const covey_pool *pool) {
    if (covey__in_blocks(pool)) return "it is in blocks, which are in the order of indices";
    if (pool->set.policy == COVEY_IN_PLACE) return "its values do not move";
    if (pool->set.holes != 0) return "it has holes: compact it first";
    return NULL;
}

static const char *objection_unless_kept(const covey_pool *pool) {
    return pool->watch && pool->watch->keeps_order ? "it is kept in an order" : objection(pool);
}

static covey_result refuse(const covey_pool *pool, covey_result result, const char *reason) {
    return covey__fail(pool->world, result, "%s could not be sorted: %s", pool->type->name, reason);
}

static covey_result refuse_owned(const covey_pool *pool) {
    char text[128];
    covey_group_print(text, sizeof text, covey__pool_owner(pool));
    return covey__fail(pool->world, COVEY_ERROR_REFUSED, "%s could not be sorted: its order is that of the group %s",
                       pool->type->name, text);
}

static uint32_t *take_sequence(covey_world *world, uint32_t count) {
    return covey__resize(&world->heap, NULL, 0, count, sizeof(uint32_t), alignof(uint32_t));
}

static void free_sequence(covey_world *world, uint32_t *sequence, uint32_t count) {
    covey__free(&world->heap, sequence, count, sizeof(uint32_t), alignof(uint32_t));
}

/* Sorts, and puts these sets into the order. */
static covey_result sort_sets(sorting *job, covey_sparse_set *const *sets, uint32_t set_count) {
    if (job->order->first != 0 && job->order->first < job->count) job->count = job->order->first;
    if (job->count < 2) return COVEY_OK;
    uint32_t count = job->count;
    job->sequence = take_sequence(job->world, count);
    if (!job->sequence) return COVEY_ERROR_MEMORY;
    covey_result result = find_sequence(job);
    bool moves = result == COVEY_OK && (job->removed_count != 0);
    if (moves) result = apply_all(job->world, sets, set_count, job->sequence, count);
    free_sequence(job->world, job->sequence, count);
    return result;
}

static covey_result sort_pool(covey_pool *pool, const covey_order *order) {
    covey_sparse_set *set = &pool->set;
    sorting job = {
        .world = pool->world,
        .order = order,
        .ids = set->ids,
        .values = set->data,
        .pool = pool,
        .size = pool->size,
        .count = set->end,
    };
    if (!covey__order_valid(order, pool->size)) return refuse(pool, COVEY_ERROR_RANGE, "the key is not in the value");
    covey_result result = sort_sets(&job, &set, 1);
    if (result != COVEY_OK) return refuse(pool, result, covey_result_text(result));
    pool->uses |= COVEY_USE_ORDER;
    covey__pool_moved(pool, true);
    return COVEY_OK;
}

covey_result covey_pool_sort(covey_pool *pool, const covey_order *order) {
    covey_order by_index = { 0 };
    const char *reason = objection_unless_kept(pool);
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (reason) return refuse(pool, COVEY_ERROR_REFUSED, reason);
    covey_result result = sort_pool(pool, order ? order : &by_index);
    COVEY__CHANGED(pool->world);
    return result;
}

/* The positions of those that the other pool has, in its order; then the others. */
static void follow(const covey_pool *pool, const covey_pool *other, uint32_t *sequence, uint64_t *taken) {
    const covey_sparse_set *set = &pool->set;
    memset(taken, 0, (set->end / 64 + 1) * sizeof *taken);
    for (uint32_t at = covey_pool_next(other, 0); at != COVEY_NONE; at = covey_pool_next(other, at + 1)) {
        uint32_t index = covey__in_blocks(other) ? at : other->set.ids[at].index;
        if (!covey__has_index(pool, index)) continue;
        uint32_t position = (uint32_t)*covey__slot_of(set, index);
        *sequence++ = position;
        taken[position / 64] |= (uint64_t)1 << position % 64;
    }
    for (uint32_t i = 0; i < set->end; i++)
        if ((taken[i / 64] >> i % 64 & 1) == 0) *sequence++ = i;
}

covey_result covey_pool_sort_as(covey_pool *pool, const covey_pool *other) {
    covey_world *world = pool->world;
    const char *reason = objection_unless_kept(pool);
    COVEY__CONTRACT(world, other->world == world, "the pool is of another world");
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (reason) return refuse(pool, COVEY_ERROR_REFUSED, reason);
    covey_sparse_set *set = &pool->set;
    uint32_t count = set->end, words = count / 64 + 1;
    covey_result result = COVEY_ERROR_MEMORY;
    uint32_t *sequence = take_sequence(world, count);
    uint64_t *taken = covey__resize(&world->heap, NULL, 0, words, sizeof *taken, alignof(uint64_t));
    if (count == 0) result = COVEY_OK;
    else if (sequence && taken) {
        follow(pool, other, sequence, taken);
        result = apply_all(world, &set, 1, sequence, count);
    }
    free_sequence(world, sequence, count);
    covey__free(&world->heap, taken, words, sizeof *taken, alignof(uint64_t));
    if (result != COVEY_OK) return refuse(pool, result, covey_result_text(result));
    pool->uses |= COVEY_USE_ORDER;
    covey__pool_moved(pool, true);
    COVEY__CHANGED(world);
    return COVEY_OK;
}

/* ---- Keeping order -----------------------------------------------------------------------------------------------*/

static void set_keeping(covey_pool *pool, const covey_order *order) {
    pool->watch->keeps_order = order != NULL;
    if (order) pool->watch->order = *order;
    covey__pool_update_watch(pool);
}

covey_result covey_pool_keep(covey_pool *pool, const covey_order *order) {
    covey_result result = COVEY_OK;
    const char *reason = objection(pool);
    if (!order) {
        if (pool->watch) set_keeping(pool, NULL);
        covey__pool_unwatch(pool);
        return COVEY_OK;
    }
    if (covey__pool_owner(pool)) return refuse_owned(pool);
    if (!reason && pool->set.policy != COVEY_SWAP_AND_POP) reason = "only with swap and pop is a pool kept in order";
    if (reason) return refuse(pool, COVEY_ERROR_REFUSED, reason);
    if (order->first != 0) return refuse(pool, COVEY_ERROR_RANGE, "all of a pool is kept in order, or nothing");
    if (!covey__pool_watch(pool)) return refuse(pool, COVEY_ERROR_MEMORY, covey_result_text(COVEY_ERROR_MEMORY));
    result = sort_pool(pool, order);
    if (result == COVEY_OK) set_keeping(pool, order);
    covey__pool_unwatch(pool);
    COVEY__CHANGED(pool->world);
    return result;
}

static bool belongs_before(const covey_pool *pool, uint32_t a, uint32_t b) {
    const covey_order *order = &pool->watch->order;
    const void *left = covey__value_at(&pool->set, a, pool->size), *right = covey__value_at(&pool->set, b, pool->size);
    if (order->compare) return compare_values(order, left, right) < 0;
    return key_of(order, left, pool->set.ids[a].index) < key_of(order, right, pool->set.ids[b].index);
}

/* The place behind the last element waits for a value while others make way: there is room for it. */
void covey__sort_insert(covey_pool *pool, uint32_t index) {
    covey_sparse_set *set = &pool->set;
    uint32_t at = (uint32_t)*covey__slot_of(set, index), low = 0, high = at;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (belongs_before(pool, at, middle)) high = middle;
        else low = middle + 1;
    }
    if (low == at) return;
    covey_entity e = set->ids[at];
    char *data = set->data, *waiting = data + (size_t)set->end * set->size, *place = data + (size_t)low * set->size;
    memcpy(waiting, data + (size_t)at * set->size, set->size);
    memmove(place + set->size, place, (size_t)(at - low) * set->size);
    memmove(set->ids + low + 1, set->ids + low, (at - low) * sizeof *set->ids);
    memcpy(place, waiting, set->size);
    if (set->zero_vacated) memset(waiting, 0, set->size);
    set->ids[low] = e;
    for (uint32_t i = low; i <= at; i++) put(set, i, set->ids[i]);
    covey__pool_moved(pool, true);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

static covey_result refuse_group(const covey_group *group, covey_result result, const char *reason) {
    char text[128];
    covey_group_print(text, sizeof text, group);
    return covey__fail(group->world, result, "the group %s could not be sorted: %s", text, reason);
}

/* Whether another group has its members at the front of this one's. */
static bool has_inner(const covey_group *group) {
    bool found = false;
    for (uint32_t i = 0; i < group->owned; i++) found |= covey__pool_owner(group->pools[i]) != group;
    return found;
}

covey_result covey_group_sort(covey_group *group, uint32_t field, const covey_order *order) {
    covey_order by_index = { 0 };
    if (!order) order = &by_index;
    if (field >= group->view.fields) return refuse_group(group, COVEY_ERROR_RANGE, "it has no such field");
    const covey_pool *pool = group->pools[field];
    if (!covey__order_valid(order, pool->size))
        return refuse_group(group, COVEY_ERROR_RANGE, "the key is not in the value");
    if (has_inner(group))
        return refuse_group(group, COVEY_ERROR_REFUSED, "an inner group has its entities at the front");
    covey_sparse_set *sets[COVEY_TERMS] = { &group->set };
    for (uint32_t i = 0; i < group->owned; i++) sets[i] = &group->pools[i]->set;
    sorting job = {
        .world = group->world,
        .order = order,
        .ids = sets[0]->ids,
        .values = field < group->owned ? group->pools[field]->set.data : NULL,
        .pool = pool,
        .size = pool->size,
        .count = covey_group_count(group),
    };
    covey_result result = sort_sets(&job, sets, group->owned != 0 ? group->owned : 1);
    if (result != COVEY_OK) return refuse_group(group, result, covey_result_text(result));
    for (uint32_t i = 0; i < group->owned; i++) covey__pool_moved(group->pools[i], true);
    COVEY__TRACE(group->left, COVEY_NONE);
    covey__group_disturb_outer(group, COVEY_NONE);
    COVEY__CHANGED(group->world);
    return COVEY_OK;
}
