/* Checks of assertion level 1 that name the file and line of the caller, where that helps most: worlds of the typed
 * verbs, the rules of iteration, and the packed arrays of pools that have none. Other checks are in the calls, and name
 * the call. Not API. */
#ifndef COVEY_DETAIL_CHECK_H
#define COVEY_DETAIL_CHECK_H

#ifdef __cplusplus
extern "C" {
#endif

COVEY_INLINE covey_world *covey__needs_world(const covey_world *world, const char *file, int line) {
    if (!COVEY__LIKELY(world != NULL)) covey__contract_broken(NULL, "the world is NULL", file, line);
    COVEY__ASSUME(world != NULL); /* without a world, there is no handler that could return */
    return (covey_world *)(uintptr_t)world;
}

COVEY_INLINE covey_pool *covey__needs_pool(const covey_pool *pool, const char *file, int line) {
    if (!COVEY__LIKELY(pool != NULL)) covey__contract_broken(NULL, COVEY__POOL_IS_NULL, file, line);
    return (covey_pool *)(uintptr_t)pool;
}

/* The arrays of a pool in blocks are NULL, which the log says, with the line of the caller. */
COVEY_INLINE covey_pool *covey__needs_packed(const covey_pool *pool, const char *file, int line) {
    if (!COVEY__LIKELY(covey__needs_pool(pool, file, line)->storage == COVEY_STORAGE_SPARSE))
        covey__refuse_arrays(pool, file, line);
    return (covey_pool *)(uintptr_t)pool;
}

/* Whether the world has not changed since the last step of an iteration, which was of this kind. */
COVEY_HOT bool covey__is_unchanged(const covey_iter *it, covey__visits visits) {
    return COVEY__LIKELY(it->walk.visits == visits && it->walk.changes == it->walk.view->world->changes);
}

COVEY_HOT bool covey__next_checked(covey_iter *it, const char *file, int line) {
    if (!it || !covey__is_unchanged(it, COVEY__VISITS_SPANS)) covey__check_span(it, file, line);
    return covey_next(it);
}

COVEY_HOT bool covey__next_row_checked(covey_iter *it, covey_row *row, const char *file, int line) {
    bool known = it && row && covey__is_unchanged(it, COVEY__VISITS_ROWS) &&
                 (row->now == it->walk.shifts || row->now == &it->walk.view->world->moves);
    if (!known) covey__check_row(it, row, file, line);
    bool more = covey_next_row(it, row);
    it->walk.visits = more ? COVEY__VISITS_ROWS : COVEY__VISITS_NOTHING;
    it->count = 0; /* no span is open */
    return more;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#if COVEY_ASSERT_LEVEL >= 1

/* A macro does not expand in its own body: there, the name is that of the function. */
#define covey_pool_position_count(...) covey_pool_position_count(COVEY__PACKED((__VA_ARGS__)))
#define covey_pool_ids(...) covey_pool_ids(COVEY__PACKED((__VA_ARGS__)))
#define covey_next(...) covey__next_checked((__VA_ARGS__), __FILE__, __LINE__)
#define covey_next_row(it, row) covey__next_row_checked((it), (row), __FILE__, __LINE__)

#endif

#endif /* COVEY_DETAIL_CHECK_H */
