/* The inline calls of covey/sparse_set.h. Not API. */
#ifndef COVEY_DETAIL_SPARSE_SET_H
#define COVEY_DETAIL_SPARSE_SET_H

#ifdef __cplusplus
extern "C" {
#endif

COVEY_INLINE uint32_t covey_sparse_set_position_count(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->end + set->dead;
}
COVEY_INLINE uint32_t covey_sparse_set_count(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->end - set->holes;
}
COVEY_INLINE const covey_entity *covey_sparse_set_ids(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->ids;
}

COVEY_INLINE bool covey_sparse_set_live(const covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey__position(set, e) < set->end;
}

COVEY_INLINE bool covey_sparse_set_contains(const covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey__position(set, e) < covey_sparse_set_position_count(set);
}

COVEY_INLINE uint32_t covey_sparse_set_find(const covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    uint64_t at = covey__position(set, e);
    return at < covey_sparse_set_position_count(set) ? (uint32_t)at : COVEY_NONE;
}

COVEY_INLINE uint32_t covey_sparse_set_next(const covey_sparse_set *set, uint32_t position) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey__next_live(set, position);
}

COVEY_INLINE uint32_t covey_swap_remove(void *array, uint32_t count, uint32_t at, size_t size) {
    if (at >= count) return count;
    if (at != count - 1) memcpy((char *)array + at * size, (char *)array + (count - 1) * size, size);
    return count - 1;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_SPARSE_SET_H */
