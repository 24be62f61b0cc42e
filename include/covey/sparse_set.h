/* Covey, optional: the sparse set on its own, for programs without a world.
 *
 * A set of small integers, with or without a value each. Lookup, add and remove are O(1) without hashing; iterating is
 * a loop over a packed array.
 *
 *     covey_sparse_set *set = covey_sparse_set_create(
 *         &(covey_sparse_set_desc){ .size = sizeof(float), .align = _Alignof(float) });
 *     covey_sparse_set_push(set, covey_entity_make(7, 1), &(float){ 0.5f });
 *     float *value = covey_sparse_set_get(set, covey_entity_make(7, 1));
 *     covey_sparse_set_remove(set, covey_entity_make(7, 1));
 *     covey_sparse_set_destroy(set);
 *
 * What to know:
 *   - An element is a covey_entity: an index below COVEY_NONE, and a generation from 1 to COVEY_GENERATION_MAX. The
 *     caller chooses both. An index is in a set at most once, and is found only with the generation that it was added
 *     with. If you need no generations, use 1 for all.
 *   - Ids are packed in one array, and values at the same positions in another. Positions run from 0 to
 *     covey_sparse_set_position_count. A paged table leads from an index to its position: 8 bytes for each index in the
 *     pages of COVEY_PAGE_SIZE indices that hold an element, and 8 for each page below.
 *   - The policy says what removal does. Swap-remove, the default: the last element fills the hole. COVEY_IN_PLACE:
 *     leaves a hole; addresses are stable. COVEY_SWAP_ONLY: the element goes behind the live ones. COVEY_ORDERED:
 *     leaves a hole until compaction; order is kept. Holes have generation 0.
 *   - Every change of the set invalidates addresses and positions; in place, only removing an element, or compaction,
 *     invalidates its address.
 *   - Values are bytes: they are moved by memcpy, and removing calls nothing.
 *   - A call that fails changes nothing, and returns why. Only functions that can return MEMORY allocate. Any number of
 *     threads may read a set that no thread changes. */
#ifndef COVEY_API_SPARSE_SET_H
#define COVEY_API_SPARSE_SET_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_sparse_set covey_sparse_set;

typedef struct covey_sparse_set_desc {
    uint32_t size, align; /* of a value; 0 for a set of ids only */
    covey_policy policy;
    bool zero_erased;
    covey_allocator allocator;
} covey_sparse_set_desc;

/* NULL for `desc` means ids only, swap-remove. Returns NULL when out of memory or the description is not valid. */
COVEY_NODISCARD COVEY_API covey_sparse_set *covey_sparse_set_create(const covey_sparse_set_desc *desc);
COVEY_API void covey_sparse_set_destroy(covey_sparse_set *set); /* NULL is allowed */
/* A copy of a set, with its allocator: the same elements, values, positions and holes. NULL: MEMORY. */
COVEY_NODISCARD COVEY_API covey_sparse_set *covey_sparse_set_clone(const covey_sparse_set *set);

COVEY_INLINE uint32_t
covey_sparse_set_position_count(const covey_sparse_set *set);              /* positions, with holes and dead elements */
COVEY_INLINE uint32_t covey_sparse_set_count(const covey_sparse_set *set); /* live elements */
COVEY_API covey_policy covey_sparse_set_policy(const covey_sparse_set *set);
/* How many positions there can be before the set allocates memory for ids and values. */
COVEY_API uint32_t covey_sparse_set_capacity(const covey_sparse_set *set);
/* In place: the first hole. Swap only: the first position behind the live elements. Otherwise COVEY_NONE. */
COVEY_API uint32_t covey_sparse_set_head(const covey_sparse_set *set);
/* Whether there is no hole before the end of the live elements. */
COVEY_API bool covey_sparse_set_contiguous(const covey_sparse_set *set);
COVEY_API size_t covey_sparse_set_memory(const covey_sparse_set *set);

/* Whether the set has this index with this generation. A swap-only set also returns true for the next generation of an
 * element that it keeps behind the live ones; covey_sparse_set_live, the usual question, does not. One load and one
 * compare. */
COVEY_INLINE bool covey_sparse_set_contains(const covey_sparse_set *set, covey_entity e);
COVEY_INLINE bool covey_sparse_set_live(const covey_sparse_set *set, covey_entity e);
/* The position of an element that the set contains, or COVEY_NONE. */
COVEY_INLINE uint32_t covey_sparse_set_find(const covey_sparse_set *set, covey_entity e);
/* The generation of the element with this index, or 0. */
COVEY_API uint32_t covey_sparse_set_current(const covey_sparse_set *set, uint32_t index);
/* The first live position from `position` on, or COVEY_NONE:
 *     for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1)) */
COVEY_INLINE uint32_t covey_sparse_set_next(const covey_sparse_set *set, uint32_t position);

/* The id at a position: generation 0 for a hole, null beyond the size. In the array of ids, in-place holes have
 * generation 0, too; under COVEY_ORDERED, a hole still shows the removed id. */
COVEY_API covey_entity covey_sparse_set_at(const covey_sparse_set *set, uint32_t position);
COVEY_INLINE const covey_entity *covey_sparse_set_ids(const covey_sparse_set *set);
/* The value of an element, or NULL; the value at a position; the array of all values (NULL in place: they lie in
 * pages). */
COVEY_API void *covey_sparse_set_get(const covey_sparse_set *set, covey_entity e);
COVEY_API void *covey_sparse_set_value_at(const covey_sparse_set *set, uint32_t position);
COVEY_API void *covey_sparse_set_values(const covey_sparse_set *set);
COVEY_API void *covey_sparse_set_page(const covey_sparse_set *set, uint32_t page);

/* Adds an element (PRESENT, MEMORY, FULL; RANGE for generation 0 or an index that cannot exist). In place, it fills the
 * hole that was made last. A NULL `value` means zero bytes; the value may lie inside the set. */
COVEY_API covey_result covey_sparse_set_push(covey_sparse_set *set, covey_entity e, const void *value);
/* The same at a given end. In place, force_back appends instead of filling a hole. Swap only, !force_back adds the
 * element behind the live ones. */
COVEY_API covey_result covey_sparse_set_push_to(covey_sparse_set *set, covey_entity e, const void *value,
                                                bool force_back);
/* Appends many, all or nothing. `values` is an array, or NULL; it may be a part of the set's live values. */
COVEY_API covey_result covey_sparse_set_push_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count,
                                                   const void *values);

/* Removes an element, or many, if the set contains them. Returns whether it did, or how many it contained. */
COVEY_API bool covey_sparse_set_remove(covey_sparse_set *set, covey_entity e);
COVEY_API uint32_t covey_sparse_set_remove_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
/* The unchecked twin: the set must contain the element. */
COVEY_API void covey_sparse_set_erase(covey_sparse_set *set, covey_entity e);
/* Removes an element and shifts all behind it, so order is kept; also closes holes of an ordered set. O(n). Returns
 * false when the element is absent, and under COVEY_IN_PLACE and COVEY_SWAP_ONLY, which do not support it. */
COVEY_API bool covey_sparse_set_erase_ordered(covey_sparse_set *set, covey_entity e);
COVEY_API void covey_sparse_set_clear(covey_sparse_set *set);

/* Changes the generation of the element that has the index of e to that of e; its position and value stay. ABSENT;
 * RANGE for generation 0 or one that cannot exist. */
COVEY_API covey_result covey_sparse_set_bump(covey_sparse_set *set, covey_entity e);
/* Swap only: makes the elements of the first `count` positions live and the others not; generations and positions stay.
 * RANGE beyond the size; REFUSED under other policies. */
COVEY_API covey_result covey_sparse_set_move_border(covey_sparse_set *set, uint32_t count);

/* Exchanges the positions and values of two elements. ABSENT; REFUSED when only one of them is live. */
COVEY_API covey_result covey_sparse_set_swap(covey_sparse_set *set, covey_entity a, covey_entity b);
/* Sorts the live elements (covey/sort.h): { 0 }, or NULL, is by index. Stable. MEMORY (scratch); RANGE when the key
 * has no kind or is not inside the value, for two functions, or a part that does not exist; REFUSED in place, where
 * values do not move, and if there are holes. O(n) with a key, O(n log n) with a function that compares. */
COVEY_NODISCARD COVEY_API covey_result covey_sparse_set_sort(covey_sparse_set *set, const covey_order *order);
/* Moves the live elements that are also live in `other` to the front, in its order. MEMORY, REFUSED as above. */
COVEY_NODISCARD COVEY_API covey_result covey_sparse_set_sort_as(covey_sparse_set *set, const covey_sparse_set *other);
/* Closes all holes: COVEY_ORDERED keeps the order, COVEY_IN_PLACE fills them from the back. Swap only has none. Never
 * fails. */
COVEY_API void covey_sparse_set_compact(covey_sparse_set *set);
/* Reserves room for `count` positions. */
COVEY_API covey_result covey_sparse_set_reserve(covey_sparse_set *set, uint32_t count);
/* Frees unused memory: spare positions, and pages of the table that hold nothing. Never fails. */
COVEY_API void covey_sparse_set_shrink(covey_sparse_set *set);
COVEY_API bool covey_sparse_set_validate(const covey_sparse_set *set, const char **why);
/* Writes the ids of a set, as snprintf does: "[ 10:1 - 12:1 | 11:2 ]", with holes, and with dead elements behind a bar.
 * Returns the full length, or a number below 0 if that does not fit into an int. */
COVEY_API int covey_sparse_set_print(char *text, size_t size, const covey_sparse_set *set);

/* Removes an element of any array by moving the last one into its place. Returns how many are left. If `at` is not
 * below `count`, removes nothing.
 *     count = covey_swap_remove(array, count, at, sizeof *array); */
COVEY_INLINE uint32_t covey_swap_remove(void *array, uint32_t count, uint32_t at, size_t size);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/sparse_set.h>

#endif /* COVEY_API_SPARSE_SET_H */
