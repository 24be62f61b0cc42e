/* The sparse set: the single steps of its operations, for pools. */
#ifndef COVEY_SPARSE_SET_H
#define COVEY_SPARSE_SET_H

#include "storage/hook.h"

#include <covey/sparse_set.h>

covey__slot *covey__set_page(const covey_sparse_set *set, uint32_t number); /* NULL if it is missing */
void covey__set_init(covey_sparse_set *set, const covey_sparse_set_desc *desc);
void covey__set_free(covey_sparse_set *set);
/* Copies another set, bytes of values included, into one that was initialised the same way. False when an allocation
 * fails. */
bool covey__set_clone(const covey_sparse_set *from, covey_sparse_set *to);
/* Whether all invariants hold; `bytes` is the reason if memory is not accounted for. */
bool covey__set_valid(const covey_sparse_set *set, const char *bytes, const char **why);
covey_result covey__set_reach(covey_sparse_set *set, uint32_t index); /* makes the page of an index */
/* Makes the page and the room for an element of this index. */
covey_result covey__set_prepare(covey_sparse_set *set, uint32_t index, bool force_back);
/* Makes room for this many elements in total, and some more. */
covey_result covey__set_prepare_spare(covey_sparse_set *set, uint32_t count);
/* Places an element that is not live, after covey__set_prepare. Returns its position; the caller writes the value. */
uint32_t covey__set_place(covey_sparse_set *set, covey_entity e, bool force_back);
/* Erases the element that was placed last, and is at the end. */
void covey__set_erase_placed(covey_sparse_set *set, covey_entity e);
/* Claims indices and makes room for them, so that placing them cannot fail; finds indices that are listed twice. All or
 * nothing. Placing ends a claim; covey__set_release ends the claims of elements that were not placed. */
covey_result covey__set_claim(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
void covey__set_release(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
/* In place: closes all holes, and calls `moved` for each element that moved. */
void covey__set_pack(covey_sparse_set *set, covey_moved_fn *moved, void *context);
/* Removes trailing holes and dead elements, without moving any live one. */
void covey__set_trim(covey_sparse_set *set);
/* Finds `value` again after the set has grown, because it may be an element of the set. */
typedef struct covey__source {
    const char *value;
    bool inside;
    size_t offset;
} covey__source;
covey__source covey__set_source(const covey_sparse_set *set, const void *value);
const void *covey__set_resolve(const covey_sparse_set *set, const covey__source *source);

void covey__swap_bytes(void *a, void *b, size_t size);
/* Reads an id as one word. covey__set_put writes an id and its slot as words. Compilers then load and store whole
 * ids. */
static inline covey__slot covey__set_id(const covey_sparse_set *set, uint32_t at) { return covey__word(set->ids[at]); }

/* Notes that values have moved, or that the arrays to find them have. */
static inline void covey__set_shifts(covey_sparse_set *set) {
    if (set->shifts) ++*set->shifts;
}

static inline void covey__set_put(covey_sparse_set *set, uint32_t at, covey__slot id) {
    uint32_t index = covey__slot_position(id);
    set->ids[at] = covey__entity_of(id);
    *covey__slot_of(set, index) = id ^ index ^ at;
    covey__set_shifts(set);
}

static inline void covey__swap_values(void *a, void *b, size_t size) {
    uint64_t word;
    if (size != sizeof word) {
        covey__swap_bytes(a, b, size);
        return;
    }
    memcpy(&word, a, sizeof word);
    memcpy(a, b, sizeof word);
    memcpy(b, &word, sizeof word);
}

/* relocate moves a value to unused memory; relocate_many moves several, and the two places may overlap; exchange swaps
 * two values. */
static inline void covey__relocate(const covey__mover *mover, void *to, void *from, size_t size) {
    if (COVEY__LIKELY(!mover->type)) covey__copy(to, from, size);
    else covey__move_value(mover, to, from);
}
void covey__relocate_many(const covey__mover *mover, void *to, void *from, uint32_t count, size_t size);
void covey__exchange_by_hook(const covey__mover *mover, void *a, void *b);
static inline void covey__exchange_values(const covey__mover *mover, void *a, void *b, size_t size) {
    if (COVEY__LIKELY(!mover->type)) covey__swap_values(a, b, size);
    else covey__exchange_by_hook(mover, a, b);
}
/* Moves a value of the program into the storage; NULL stands for zero bytes. */
static inline void covey__move_in(const covey__mover *mover, void *to, const void *value, size_t size) {
    if (!value) memset(to, 0, size);
    else if (COVEY__LIKELY(!mover->type)) covey__copy(to, value, size);
    else covey__move_value(mover, to, (void *)(uintptr_t)value);
}

/* Exchanges the element `id`, which has this slot, with the one at another position. */
static inline void covey__set_exchange(covey_sparse_set *set, covey__slot *slot, covey__slot id, uint32_t other) {
    uint32_t at = covey__slot_position(*slot), index = covey__slot_position(id);
    size_t size = set->size;
    char *data = (char *)set->data;
    if (at == other) return;
    covey__set_put(set, at, covey__set_id(set, other));
    set->ids[other] = covey__entity_of(id);
    *slot = id ^ index ^ other;
    covey__exchange_values(&set->mover, data + at * size, data + other * size, size);
}

/* Moves an element to a position whose element is no longer needed. */
static inline void covey__set_move(covey_sparse_set *set, uint32_t from, uint32_t to) {
    size_t size = set->size;
    char *data = (char *)set->data;
    covey__set_put(set, to, covey__set_id(set, from));
    if (size == sizeof(uint64_t) && !set->mover.type) memcpy(data + to * size, data + from * size, sizeof(uint64_t));
    else covey__relocate(&set->mover, data + to * size, data + from * size, size);
}
/* Erases an element whose position is a hole by now: the last element fills it. */
static inline void covey__set_fill_hole(covey_sparse_set *set, covey__slot *slot, uint32_t hole) {
    uint32_t last = --set->end;
    if (hole != last) covey__set_move(set, last, hole);
    *slot = COVEY__SLOT_NULL;
    if (set->zero_erased) memset((char *)set->data + (size_t)last * set->size, 0, set->size);
}
/* Makes adds and removals of single elements go out of line if the pool is observed, and inline otherwise. Removals of
 * types with a drop hook always go out of line. */
void covey__set_observe(covey_sparse_set *set, bool observed, bool drops);
/* How many positions can be used without an allocation. */
static inline uint32_t covey__set_room(const covey_sparse_set *set) {
    bool ids_are_fewer = set->size == 0 || set->id_capacity < set->data_capacity;
    return ids_are_fewer ? set->id_capacity : set->data_capacity;
}

/* Whether an index has a position below `end`. */
static inline bool covey__set_has(const covey_sparse_set *set, uint32_t index, uint32_t end) {
    return index / COVEY_PAGE_SIZE < set->page_count && covey__slot_position(*covey__slot_of(set, index)) < end;
}

#endif
