/* The sparse set on its own. */
#ifndef COVEY_API_SPARSE_SET_H
#define COVEY_API_SPARSE_SET_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The sparse set on its own ---------------------------------------------------------------------------------
 *
 * A set of small integers, with or without a value each, for programs that want no world. Asking whether an index is
 * there, adding it and removing it are O(1) without hashing; walking the set is a loop over a packed array.
 *
 *     covey_sparse_set *set = covey_sparse_set_create(
 *         &(covey_sparse_set_desc){ .size = sizeof(float), .align = _Alignof(float) });
 *     covey_sparse_set_push(set, covey_entity_make(7, 1), &(float){ 0.5f });
 *     float *value = covey_sparse_set_get(set, covey_entity_make(7, 1));
 *     covey_sparse_set_remove(set, covey_entity_make(7, 1));
 *     covey_sparse_set_destroy(set);
 *
 * What to know:
 *   - An element is a covey_entity: an index below COVEY_NONE, and a generation from 1 to COVEY_GENERATION_MAX. Both are
 *     the caller's. An index is in a set once, and is found with the generation that it was added with; who needs no
 *     generations gives 1 to all.
 *   - Ids lie one after the other in an array, and values at the same positions in another. Positions run from 0 to
 *     covey_sparse_set_size. A table of pages leads from an index to its position: 8 bytes for each index of the pages of
 *     COVEY_PAGE_SIZE indices in which there is any, and 8 for each page below.
 *   - The policy says what removal does: the last element fills the hole (the default: always packed); a hole stays, and
 *     addresses do (COVEY_IN_PLACE); the element goes behind the live ones (COVEY_SWAP_ONLY); a hole stays until
 *     compaction, and so does the order (COVEY_ORDERED). Holes have generation 0.
 *   - Addresses and positions are valid until the set next changes; in place, addresses are until their element is
 *     removed, or the set compacted.
 *   - Values are bytes: they are moved by memcpy, and nothing is called when they are removed.
 *   - A call that fails changes nothing, and returns why. Only functions that say MEMORY allocate. Any number of threads
 *     may read a set that none changes. */

typedef struct covey_sparse_set_desc {
    uint32_t size, align; /* of a value; 0 for a set of ids only */
    covey_policy policy;
    bool zero_vacated;
    covey_allocator allocator;
} covey_sparse_set_desc;

/* NULL for `desc`: ids only, swap and pop. Returns NULL when memory is out or the description is not valid. */
COVEY_API covey_sparse_set *covey_sparse_set_create(const covey_sparse_set_desc *desc);
COVEY_API void covey_sparse_set_destroy(covey_sparse_set *set); /* NULL is fine */
/* A second set that is like the first, with its allocator: elements, values, positions and holes. NULL: MEMORY. */
COVEY_API covey_sparse_set *covey_sparse_set_clone(const covey_sparse_set *set);

COVEY_INLINE uint32_t covey_sparse_set_size(const covey_sparse_set *set);  /* positions, holes and dead included */
COVEY_INLINE uint32_t covey_sparse_set_count(const covey_sparse_set *set); /* live elements */
COVEY_API covey_policy covey_sparse_set_policy(const covey_sparse_set *set);
/* The positions that elements may take before the set asks for memory for ids and values. */
COVEY_API uint32_t covey_sparse_set_capacity(const covey_sparse_set *set);
/* In place: the first hole. Swap only: the first position behind the live elements. Otherwise COVEY_NONE. */
COVEY_API uint32_t covey_sparse_set_head(const covey_sparse_set *set);
/* Whether no position before the end of the live ones is a hole. */
COVEY_API bool covey_sparse_set_contiguous(const covey_sparse_set *set);
COVEY_API size_t covey_sparse_set_memory(const covey_sparse_set *set);

/* Whether this index is in the set with this generation. A swap-only set also answers true for the next generation of
 * an element that it keeps behind the live ones; covey_sparse_set_live, the everyday question, does not. One load and
 * one compare. */
COVEY_INLINE bool covey_sparse_set_contains(const covey_sparse_set *set, covey_entity e);
COVEY_INLINE bool covey_sparse_set_live(const covey_sparse_set *set, covey_entity e);
/* The position of an element the set contains, or COVEY_NONE. */
COVEY_INLINE uint32_t covey_sparse_set_find(const covey_sparse_set *set, covey_entity e);
/* The generation with which this index is in the set, or 0. */
COVEY_API uint32_t covey_sparse_set_current(const covey_sparse_set *set, uint32_t index);
/* The first live position from `position` on, or COVEY_NONE:
 *     for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1)) */
COVEY_INLINE uint32_t covey_sparse_set_next(const covey_sparse_set *set, uint32_t position);

/* The id at a position; generation 0 for a hole. Null beyond the size. The array of ids shows holes made in place as
 * generation 0, too; under COVEY_ORDERED it still shows who was there. */
COVEY_API covey_entity covey_sparse_set_at(const covey_sparse_set *set, uint32_t position);
COVEY_INLINE const covey_entity *covey_sparse_set_ids(const covey_sparse_set *set);
/* The value of an element, or NULL; at a position; all of them (NULL in place, whose values lie in pages). */
COVEY_API void *covey_sparse_set_get(const covey_sparse_set *set, covey_entity e);
COVEY_API void *covey_sparse_set_value_at(const covey_sparse_set *set, uint32_t position);
COVEY_API void *covey_sparse_set_values(const covey_sparse_set *set);
COVEY_API void *covey_sparse_set_page(const covey_sparse_set *set, uint32_t page);

/* Adds an element (PRESENT, MEMORY, FULL; RANGE for generation 0 or an index that cannot exist). In place it fills the
 * hole that was made last. `value` NULL is zero bytes; it may lie inside the set. */
COVEY_API covey_result covey_sparse_set_push(covey_sparse_set *set, covey_entity e, const void *value);
/* The same, saying where: in place, force_back leaves holes alone; swap only, !force_back leaves it behind the live. */
COVEY_API covey_result covey_sparse_set_push_to(covey_sparse_set *set, covey_entity e, const void *value,
                                                bool force_back);
/* Adds many at the back, all or nothing. `values` is an array, or NULL; it may be a part of the set's live values. */
COVEY_API covey_result covey_sparse_set_push_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count,
                                                   const void *values);

/* Removes an element that the set may or may not contain; many; returns whether, or how many, it contained. */
COVEY_API bool covey_sparse_set_remove(covey_sparse_set *set, covey_entity e);
COVEY_API uint32_t covey_sparse_set_remove_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
/* Removes an element that the set contains: the unchecked twin. */
COVEY_API void covey_sparse_set_erase(covey_sparse_set *set, covey_entity e);
/* Removes an element and shifts all behind it: keeps order at once, O(n), closing holes of an ordered set on the way.
 * False when it is absent, and under COVEY_IN_PLACE and COVEY_SWAP_ONLY, which do not offer it. */
COVEY_API bool covey_sparse_set_erase_ordered(covey_sparse_set *set, covey_entity e);
COVEY_API void covey_sparse_set_clear(covey_sparse_set *set);

/* Gives the element that has the index of e the generation of e; its position and value stay. ABSENT; RANGE for
 * generation 0 or one that cannot exist. */
COVEY_API covey_result covey_sparse_set_bump(covey_sparse_set *set, covey_entity e);
/* Swap only: the elements of the first `count` positions are live from now on, and the others are not; generations and
 * positions stay. RANGE beyond the size; REFUSED under other policies. */
COVEY_API covey_result covey_sparse_set_move_border(covey_sparse_set *set, uint32_t count);

/* Exchanges two elements' positions and values. ABSENT; REFUSED when one of them is live and the other is not. */
COVEY_API covey_result covey_sparse_set_swap(covey_sparse_set *set, covey_entity a, covey_entity b);
/* Sorts the live elements, by an order of section 10: { 0 }, or NULL, is by index. Stable. MEMORY, for scratch; RANGE for
 * a key that is not inside of the value or has no kind, two functions, or a part that is not there; REFUSED in place,
 * where values do not move, and where there are holes. O(n) with a key, O(n log n) with a function that compares. */
COVEY_API covey_result covey_sparse_set_sort(covey_sparse_set *set, const covey_order *order);
/* Puts the live elements that are live in `other`, too, into its order, before the rest. MEMORY, REFUSED as above. */
COVEY_API covey_result covey_sparse_set_sort_as(covey_sparse_set *set, const covey_sparse_set *other);
/* Closes all holes: in order for COVEY_ORDERED, from the back for COVEY_IN_PLACE. Swap only has none. Never fails. */
COVEY_API void covey_sparse_set_compact(covey_sparse_set *set);
/* Room for `count` positions. */
COVEY_API covey_result covey_sparse_set_reserve(covey_sparse_set *set, uint32_t count);
/* Returns unused memory: spare positions and pages of the table that hold nothing. Never fails. */
COVEY_API void covey_sparse_set_shrink(covey_sparse_set *set);
COVEY_API bool covey_sparse_set_validate(const covey_sparse_set *set, const char **why);
/* Writes the ids of a set, as snprintf does: "[ 10:1 - 12:1 | 11:2 ]", with holes, and with the dead behind a bar. Returns
 * the length of the whole text, or a number below 0 when that is more than an int holds. */
COVEY_API int covey_sparse_set_print(char *text, size_t size, const covey_sparse_set *set);

/* Removes an element of any array whose order does not matter: the last one takes its place. Returns how many are left.
 * A number that is not below `count` removes nothing.
 *     count = covey_swap_remove(array, count, at, sizeof *array); */
COVEY_INLINE uint32_t covey_swap_remove(void *array, uint32_t count, uint32_t at, size_t size);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_SPARSE_SET_H */
