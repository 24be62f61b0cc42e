/* At assertion level 1, everyday calls that take a world, a pool or a view check it first, and name the file and line of the caller. Not
 * API.
 *
 * A macro does not expand in its own body, so each calls the function of its name. */
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
    if (!COVEY__LIKELY(pool != NULL))
        covey__contract_broken(NULL, "the pool is NULL: its type could not be met, or the world has no such pool yet",
                               file, line);
    return (covey_pool *)(uintptr_t)pool;
}

/* The arrays of a pool in blocks are NULL, which the log says, with the line of the caller. */
COVEY_INLINE covey_pool *covey__needs_packed(const covey_pool *pool, const char *file, int line) {
    if (!COVEY__LIKELY(covey__needs_pool(pool, file, line)->storage == COVEY_STORAGE_SPARSE))
        covey__refuse_arrays(pool, file, line);
    return (covey_pool *)(uintptr_t)pool;
}

COVEY_INLINE const covey_view *covey__needs_view(const covey_view *view, const char *file, int line) {
    if (!COVEY__LIKELY(view != NULL)) covey__contract_broken(NULL, "the view is NULL", file, line);
    return view;
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
    bool known = it && row && (row->now == it->walk.shifts || row->now == &it->walk.view->world->moves);
    if (!known || !covey__is_unchanged(it, COVEY__VISITS_ROWS)) covey__check_row(it, row, file, line);
    bool more = covey_next_row(it, row);
    it->walk.visits = more ? COVEY__VISITS_ROWS : COVEY__VISITS_NOTHING;
    it->count = 0; /* no span is open */
    return more;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#if COVEY_ASSERT_LEVEL >= 1

#define COVEY__POOL(pool) covey__needs_pool((pool), __FILE__, __LINE__)
#define COVEY__PACKED(pool) covey__needs_packed((pool), __FILE__, __LINE__)
#define COVEY__VIEW(view) covey__needs_view((view), __FILE__, __LINE__)

#define covey_create(...) covey_create(COVEY__WORLD((__VA_ARGS__)))
#define covey_create_many(world, ...) covey_create_many(COVEY__WORLD(world), __VA_ARGS__)
#define covey_destroy(world, ...) covey_destroy(COVEY__WORLD(world), __VA_ARGS__)
#define covey_alive(world, ...) covey_alive(COVEY__WORLD(world), __VA_ARGS__)
#define covey_view_make(world, ...) covey_view_make(COVEY__WORLD(world), __VA_ARGS__)
#define covey_pool_has(pool, ...) covey_pool_has(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_remove_if(pool, ...) covey_pool_remove_if(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_next(pool, ...) covey_pool_next(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_at(pool, ...) covey_pool_at(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_position(pool, ...) covey_pool_position(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_count(...) covey_pool_count(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_swap(pool, ...) covey_pool_swap(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_reserve(pool, ...) covey_pool_reserve(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_compact(...) covey_pool_compact(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_pack(pool, ...) covey_pool_pack(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_convert(pool, ...) covey_pool_convert(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_shrink(...) covey_pool_shrink(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_type(...) covey_pool_type(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_world(...) covey_pool_world(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_memory(...) covey_pool_memory(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_storage(...) covey_pool_storage(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_advise(...) covey_pool_advise(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_map(pool, ...) covey_pool_map(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_sort(pool, ...) covey_pool_sort(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_sort_as(pool, ...) covey_pool_sort_as(COVEY__POOL(pool), COVEY__POOL(__VA_ARGS__))
#define covey_pool_keep_sorted(pool, ...) covey_pool_keep_sorted(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_owner(...) covey_pool_owner(COVEY__POOL((__VA_ARGS__)))
#define covey_pool_add_raw(pool, ...) covey_pool_add_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_set_raw(pool, ...) covey_pool_set_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_get_raw(pool, ...) covey_pool_get_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_remove_raw(pool, ...) covey_pool_remove_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_take_raw(pool, ...) covey_pool_take_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_get_unchecked_raw(pool, ...) covey_pool_get_unchecked_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_value_at_raw(pool, ...) covey_pool_value_at_raw(COVEY__POOL(pool), __VA_ARGS__)
#define covey_pool_position_count(...) covey_pool_position_count(COVEY__PACKED((__VA_ARGS__)))
#define covey_pool_ids(...) covey_pool_ids(COVEY__PACKED((__VA_ARGS__)))
#define covey_pool_values_raw(...) covey_pool_values_raw(COVEY__PACKED((__VA_ARGS__)))
#define covey_pool_page_raw(pool, ...) covey_pool_page_raw(COVEY__PACKED(pool), __VA_ARGS__)
#define covey_view_valid(...) covey_view_valid(COVEY__VIEW((__VA_ARGS__)))
#define covey_view_fields(...) covey_view_fields(COVEY__VIEW((__VA_ARGS__)))
#define covey_view_type(view, ...) covey_view_type(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_is_read_only(view, ...) covey_view_is_read_only(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_count(...) covey_view_count(COVEY__VIEW((__VA_ARGS__)))
#define covey_view_first(...) covey_view_first(COVEY__VIEW((__VA_ARGS__)))
#define covey_view_contains(view, ...) covey_view_contains(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_iter(...) covey_view_iter(COVEY__VIEW((__VA_ARGS__)))
#define covey_view_iter_by(view, ...) covey_view_iter_by(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_iter_list(view, ...) covey_view_iter_list(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_iter_since(view, ...) covey_view_iter_since(COVEY__VIEW(view), __VA_ARGS__)
#define covey_view_advise(...) covey_view_advise(COVEY__VIEW((__VA_ARGS__)))
#define covey_next(...) covey__next_checked((__VA_ARGS__), __FILE__, __LINE__)
#define covey_next_row(it, row) covey__next_row_checked((it), (row), __FILE__, __LINE__)

#endif

#endif /* COVEY_DETAIL_CHECK_H */
