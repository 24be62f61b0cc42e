/* The naive set: four policies over plain lists. */
#include "oracle.h"

#include <stdlib.h>

enum { HINTED = 256, HINTS = 1 << 14 };

const char *oracle_fault_name(oracle_fault fault) {
    static const char *const names[ORACLE_FAULTS] = {
        [ORACLE_TRUTHFUL] = "truthful",
        [ORACLE_SHIFTS_ON_SWAP] = "shifts on swap and pop",
        [ORACLE_FILLS_OLDEST_HOLE] = "fills the oldest hole",
        [ORACLE_FILLS_ORDERED_HOLES] = "fills holes of an ordered set",
        [ORACLE_KEEPS_NO_DEAD] = "keeps no dead elements",
        [ORACLE_COMPACTS_FROM_FRONT] = "compacts from the front",
        [ORACLE_TRIMS_TOO_LITTLE] = "trims one hole too few",
        [ORACLE_SWAPS_IDS_ONLY] = "swaps ids only",
        [ORACLE_FORGETS_GENERATION] = "forgets to step a generation",
        [ORACLE_PREFERS_UNUSED] = "prefers indices that were never used",
        [ORACLE_IGNORES_RANGES] = "ignores reserved ranges",
        [ORACLE_RETIRES_LATE] = "reuses a retired index",
        [ORACLE_REPEATS_GENERATIONS] = "takes a generation that was used before",
        [ORACLE_FORBIDS_RETURN] = "refuses an entity that comes back",
        [ORACLE_DESTROYS_UPWARD] = "destroys all upward",
        [ORACLE_LEAVES_COMPONENTS] = "leaves a component behind",
        [ORACLE_FORGETS_SET] = "forgets to overwrite",
        [ORACLE_IGNORES_INDEX_ORDER] = "leaves blocks in the order of adding",
        [ORACLE_IGNORES_WITHOUT] = "ignores what a view excludes",
        [ORACLE_NEEDS_OPTIONAL] = "needs what is optional in a view",
        [ORACLE_NEEDS_ALL_OF_ANY] = "needs all where a view wants any",
        [ORACLE_LEADS_BY_LARGEST] = "follows the largest pool of a view",
        [ORACLE_VIEWS_ROWS_BACKWARD] = "visits rows from the last to the first",
        [ORACLE_VIEWS_BLOCKS_BY_AGE] = "visits spans of blocks by the age of entities",
        [ORACLE_IGNORES_KINDS] = "gives kinds the lowest free indices",
        [ORACLE_LOOKS_UP_LESS] = "misses entities that have a value",
        [ORACLE_LOSES_EVENTS] = "loses events that were sent",
        [ORACLE_KEEPS_EXTENTS] = "leaves indices to a kind that has no entities there",
        [ORACLE_SORTS_UNSTABLY] = "lets equals change places",
        [ORACLE_KEEPS_LOOSELY] = "adds to the end of what is kept sorted",
        [ORACLE_GROUPS_OVERLAP] = "lets groups own the same pool",
        [ORACLE_GROUPS_WANT_LITTLE] = "forgets what else a group asks for",
    };
    return names[fault];
}

oracle_set *oracle_set_create(const covey_sparse_set_desc *desc, oracle_fault fault) {
    oracle_set *set = calloc(1, sizeof *set);
    if (!set) abort();
    set->policy = desc->policy;
    set->size = desc->size;
    set->zero_erased = desc->zero_erased;
    set->fault = fault;
    return set;
}

void oracle_set_destroy(oracle_set *set) {
    free(set->ids);
    free(set->values);
    free(set->addresses);
    free(set->holes);
    free(set->hints);
    free(set);
}

static void *twin_of(const void *array, size_t bytes) {
    void *twin = malloc(bytes + 1);
    if (!twin) abort();
    return bytes != 0 ? memcpy(twin, array, bytes) : twin;
}

oracle_set *oracle_set_copy(const oracle_set *set) {
    oracle_set *copy = twin_of(set, sizeof *set);
    copy->ids = twin_of(set->ids, set->capacity * sizeof *set->ids);
    copy->values = twin_of(set->values, (size_t)set->capacity * set->size);
    copy->addresses = twin_of(set->addresses, set->capacity * sizeof *set->addresses);
    copy->holes = twin_of(set->holes, set->capacity * sizeof *set->holes);
    copy->hints = NULL;
    return copy;
}

static void grow(oracle_set *set) {
    if (oracle_set_positions(set) < set->capacity) return;
    set->capacity = set->capacity * 2 + 16;
    set->ids = realloc(set->ids, set->capacity * sizeof *set->ids);
    set->values = realloc(set->values, (size_t)set->capacity * set->size + 1);
    set->addresses = realloc(set->addresses, set->capacity * sizeof *set->addresses);
    set->holes = realloc(set->holes, set->capacity * sizeof *set->holes);
    if (!set->ids || !set->values || !set->addresses || !set->holes) abort();
}

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

uint32_t oracle_set_positions(const oracle_set *set) { return set->end + set->dead; }

uint32_t oracle_set_count(const oracle_set *set) { return set->end - set->hole_count; }

static bool is_at(const oracle_set *set, uint32_t position, uint32_t index) {
    return set->ids[position].generation != 0 && set->ids[position].index == index;
}

static uint32_t search(const oracle_set *set, uint32_t index) {
    for (uint32_t i = 0; i < oracle_set_positions(set); i++)
        if (is_at(set, i, index)) return i;
    return COVEY_NONE;
}

/* The first position, of ids in the order of their indices, whose index is not lower. */
static uint32_t lower_bound(const oracle_set *set, uint32_t index) {
    uint32_t low = 0, high = set->end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->ids[middle].index < index) low = middle + 1;
        else high = middle;
    }
    return low;
}

static bool is_sorted(const oracle_set *set) { return set->by_index && set->fault != ORACLE_IGNORES_INDEX_ORDER; }

uint32_t oracle_set_where(oracle_set *set, uint32_t index) {
    if (is_sorted(set)) {
        uint32_t at = lower_bound(set, index);
        return at < set->end && is_at(set, at, index) ? at : COVEY_NONE;
    }
    if (!set->hints && oracle_set_positions(set) < HINTED) return search(set, index);
    if (!set->hints && !(set->hints = calloc(HINTS, sizeof *set->hints))) abort();
    uint32_t *hint = &set->hints[index % HINTS];
    if (*hint < oracle_set_positions(set) && is_at(set, *hint, index)) return *hint;
    return *hint = search(set, index);
}

uint32_t oracle_set_find(oracle_set *set, covey_entity e) {
    uint32_t at = e.generation != 0 ? oracle_set_where(set, e.index) : COVEY_NONE;
    return at != COVEY_NONE && set->ids[at].generation == e.generation ? at : COVEY_NONE;
}

uint32_t oracle_set_live(oracle_set *set, covey_entity e) {
    uint32_t at = oracle_set_find(set, e);
    return at < set->end ? at : COVEY_NONE;
}

unsigned char *oracle_set_value(const oracle_set *set, uint32_t position) {
    return set->values + (size_t)position * set->size;
}

/* ---- Adding -------------------------------------------------------------------------------------------------------*/

static covey_result may_push_one(oracle_set *set, const covey_entity *entities, uint32_t i) {
    covey_entity e = entities[i];
    if (e.index >= COVEY_NONE || e.generation == 0 || e.generation > COVEY_GENERATION_MAX) return COVEY_ERROR_RANGE;
    uint32_t at = oracle_set_where(set, e.index);
    if (at != COVEY_NONE && at < set->end) return COVEY_ERROR_PRESENT;
    for (uint32_t k = 0; k < i; k++)
        if (entities[k].index == e.index) return COVEY_ERROR_PRESENT;
    return COVEY_OK;
}

covey_result oracle_set_may_push(oracle_set *set, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        covey_result result = may_push_one(set, entities, i);
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

static bool fills_hole(const oracle_set *set, bool force_back) {
    return set->policy == COVEY_IN_PLACE && set->hole_count != 0 && !force_back;
}

bool oracle_set_needs_position(oracle_set *set, covey_entity e, bool force_back) {
    if (set->policy == COVEY_SWAP_ONLY) return oracle_set_where(set, e.index) == COVEY_NONE;
    return !fills_hole(set, force_back);
}

static void fill(oracle_set *set, uint32_t at, const void *value) {
    if (value) memmove(oracle_set_value(set, at), value, set->size);
    else memset(oracle_set_value(set, at), 0, set->size);
}

static uint32_t first_hole(const oracle_set *set) {
    uint32_t at = 0;
    while (at < set->end && set->ids[at].generation != 0) at++;
    return at;
}

static uint32_t take_hole(oracle_set *set) {
    uint32_t taken = set->fault == ORACLE_FILLS_OLDEST_HOLE ? 0 : set->hole_count - 1, at = set->holes[taken];
    set->hole_count--;
    memmove(set->holes + taken, set->holes + taken + 1, (set->hole_count - taken) * sizeof *set->holes);
    return at;
}

static void exchange(oracle_set *set, uint32_t a, uint32_t b) {
    covey_entity id = set->ids[a];
    set->ids[a] = set->ids[b];
    set->ids[b] = id;
    if (set->fault == ORACLE_SWAPS_IDS_ONLY) return;
    for (uint32_t i = 0; i < set->size; i++) {
        unsigned char byte = oracle_set_value(set, a)[i];
        oracle_set_value(set, a)[i] = oracle_set_value(set, b)[i];
        oracle_set_value(set, b)[i] = byte;
    }
}

/* The element is, or becomes, one of the dead; it then changes places with the first of them and lives. */
static uint32_t push_swap_only(oracle_set *set, covey_entity e, const void *value, bool force_back) {
    uint32_t at = oracle_set_where(set, e.index);
    if (at == COVEY_NONE) at = set->end + set->dead++;
    set->ids[at] = e;
    fill(set, at, value);
    if (!force_back) return at;
    exchange(set, at, set->end);
    set->dead--;
    return set->end++;
}

/* Behind the last that does not belong behind it. */
static uint32_t place_in_order(const oracle_set *set, covey_entity e, const void *value) {
    static const unsigned char zero[64];
    uint32_t at = set->end;
    if (set->fault == ORACLE_KEEPS_LOOSELY) return at;
    while (at != 0 && oracle_order_is_before(&set->order, value ? value : zero, e, oracle_set_value(set, at - 1),
                                             set->ids[at - 1]))
        at--;
    return at;
}

static uint32_t push_between(oracle_set *set, covey_entity e, const void *value, uint32_t at) {
    uint32_t behind = set->end++ - at;
    memmove(set->ids + at + 1, set->ids + at, behind * sizeof *set->ids);
    memmove(oracle_set_value(set, at + 1), oracle_set_value(set, at), (size_t)behind * set->size);
    memmove(set->addresses + at + 1, set->addresses + at, behind * sizeof *set->addresses);
    set->addresses[at] = NULL;
    set->ids[at] = e;
    fill(set, at, value);
    return at;
}

uint32_t oracle_set_push(oracle_set *set, covey_entity e, const void *value, bool force_back) {
    grow(set);
    if (is_sorted(set)) return push_between(set, e, value, lower_bound(set, e.index));
    if (set->kept) return push_between(set, e, value, place_in_order(set, e, value));
    if (set->policy == COVEY_SWAP_ONLY) return push_swap_only(set, e, value, force_back);
    uint32_t at = set->end;
    if (fills_hole(set, force_back)) at = take_hole(set);
    else if (set->fault == ORACLE_FILLS_ORDERED_HOLES && set->policy == COVEY_ORDERED) at = first_hole(set);
    if (at == set->end) set->end++;
    set->addresses[at] = NULL;
    set->ids[at] = e;
    fill(set, at, value);
    return at;
}

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

static void zero_erased(oracle_set *set, uint32_t at) {
    if (set->zero_erased) memset(oracle_set_value(set, at), 0, set->size);
}

static void move(oracle_set *set, uint32_t from, uint32_t to) {
    set->ids[to] = set->ids[from];
    set->addresses[to] = set->addresses[from];
    memmove(oracle_set_value(set, to), oracle_set_value(set, from), set->size);
}

static void erase_swap_only(oracle_set *set, uint32_t at) {
    covey_entity e = set->ids[at];
    set->ids[at] = covey__entity(e.index, e.generation == COVEY_GENERATION_MAX ? 1 : e.generation + 1);
    if (at < set->end) {
        set->end--;
        set->dead++;
    }
    exchange(set, at, set->end);
    zero_erased(set, set->end);
    if (set->fault == ORACLE_KEEPS_NO_DEAD) set->dead = 0;
}

static void erase_between(oracle_set *set, uint32_t at) {
    uint32_t behind = --set->end - at;
    memmove(set->ids + at, set->ids + at + 1, behind * sizeof *set->ids);
    memmove(oracle_set_value(set, at), oracle_set_value(set, at + 1), (size_t)behind * set->size);
    memmove(set->addresses + at, set->addresses + at + 1, behind * sizeof *set->addresses);
}

void oracle_set_erase(oracle_set *set, uint32_t at) {
    if (set->by_index || set->kept) {
        erase_between(set, at);
    } else if (set->policy == COVEY_SWAP_ONLY) {
        erase_swap_only(set, at);
    } else if (set->policy == COVEY_SWAP_AND_POP && set->fault == ORACLE_SHIFTS_ON_SWAP) {
        oracle_set_erase_ordered(set, at);
    } else if (set->policy == COVEY_SWAP_AND_POP) {
        move(set, --set->end, at);
    } else {
        set->ids[at].generation = 0;
        set->holes[set->hole_count++] = at;
        zero_erased(set, at);
    }
}

void oracle_set_erase_ordered(oracle_set *set, uint32_t at) {
    uint32_t index = set->ids[at].index;
    oracle_set_compact(set);
    at = oracle_set_where(set, index);
    set->end--;
    for (uint32_t i = at; i < set->end; i++) move(set, i + 1, i);
}

void oracle_set_clear(oracle_set *set) { set->end = set->dead = set->hole_count = 0; }

/* ---- Order --------------------------------------------------------------------------------------------------------*/

void oracle_set_convert(oracle_set *set, bool by_index) {
    for (uint32_t i = 1; i < set->end; i++)
        for (uint32_t at = i; at != 0 && set->ids[at].index < set->ids[at - 1].index; at--) exchange(set, at, at - 1);
    set->by_index = by_index;
}

void oracle_set_swap(oracle_set *set, uint32_t a, uint32_t b) { exchange(set, a, b); }

static bool ends_with_hole(const oracle_set *set) { return set->end != 0 && set->ids[set->end - 1].generation == 0; }

static void reverse(oracle_set *set) {
    for (uint32_t i = 0; i < set->end / 2; i++) exchange(set, i, set->end - 1 - i);
}

static void compact_ordered(oracle_set *set) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < set->end; i++)
        if (set->ids[i].generation != 0) move(set, i, end++);
    set->end = end;
}

static void compact_in_place(oracle_set *set) {
    while (ends_with_hole(set)) set->end--;
    for (uint32_t i = set->hole_count; i-- != 0;) {
        if (set->holes[i] >= set->end) continue;
        move(set, --set->end, set->holes[i]);
        while (ends_with_hole(set)) set->end--;
    }
}

void oracle_set_compact(oracle_set *set) {
    if (set->hole_count == 0) return;
    if (set->policy == COVEY_ORDERED) compact_ordered(set);
    else compact_in_place(set);
    if (set->fault == ORACLE_COMPACTS_FROM_FRONT) reverse(set);
    set->hole_count = 0;
}

void oracle_set_pack(oracle_set *set) {
    uint32_t count = oracle_set_count(set), from = set->end;
    for (uint32_t i = set->hole_count; i-- != 0;) {
        if (set->holes[i] >= count) continue;
        while (set->ids[--from].generation == 0) continue;
        move(set, from, set->holes[i]);
    }
    set->end = count;
    set->hole_count = 0;
}

void oracle_set_trim(oracle_set *set) {
    set->dead = 0;
    if (set->policy != COVEY_IN_PLACE) return;
    while (ends_with_hole(set)) set->end--;
    if (set->fault == ORACLE_TRIMS_TOO_LITTLE && set->hole_count != 0 && set->holes[0] == set->end) set->end++;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < set->hole_count; i++)
        if (set->holes[i] < set->end) set->holes[kept++] = set->holes[i];
    set->hole_count = kept;
}
