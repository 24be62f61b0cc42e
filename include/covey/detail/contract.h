/* What is checked at which assertion level. Not API. */
#ifndef COVEY_DETAIL_CONTRACT_H
#define COVEY_DETAIL_CONTRACT_H

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__CONTRACT(world, holds, what) \
    (COVEY__LIKELY(holds) ? (void)0 : covey__contract_of(__func__, (world), (what), __FILE__, __LINE__))
/* Checks the world of a call in its macro, with the line of the caller. Has the type of the argument, so that compilers
 * still check that, and evaluates it once. */
#define COVEY__WORLD(world) (0 ? (world) : covey__needs_world((world), __FILE__, __LINE__))
#define COVEY__TYPED(pool, T) covey__typed((pool), covey_id(T), __FILE__, __LINE__)
/* A pool whose packed arrays are asked for: the log says, with the line of the caller, if it is in blocks. */
#define COVEY__PACKED(pool) covey__needs_packed((pool), __FILE__, __LINE__)
/* Whether a hook, or a system that runs in parallel with others, makes the call: then it is refused. Also checks that
 * the world is not NULL. */
#define COVEY__IN_HOOK(world)                                           \
    (!COVEY__LIKELY((world) && COVEY__GET_WORD((world)->hooks) == 0) && \
     covey__refuse_in_hook((world), __FILE__, __LINE__))
#else
#define COVEY__CONTRACT(world, holds, what) ((void)0)
#define COVEY__WORLD(world) (world)
#define COVEY__TYPED(pool, T) (pool)
#define COVEY__PACKED(pool) (pool)
#define COVEY__IN_HOOK(world) ((void)(world), false)
#endif
#define COVEY__POOL_IS_NULL "the pool is NULL: its type could not be met, or the world has no such pool yet"
#define COVEY__NEEDS_POOL(pool) COVEY__CONTRACT(NULL, pool, COVEY__POOL_IS_NULL)
#define COVEY__NEEDS_VIEW(view) COVEY__CONTRACT(NULL, view, "the view is NULL")
#define COVEY__NEEDS_ARRAY(world, array, count) \
    COVEY__CONTRACT(world, (array) || (count) == 0, "the array is NULL, and the count is not 0")
#if COVEY_ASSERT_LEVEL >= 2
#define COVEY__COSTLY_CONTRACT(world, holds, what) COVEY__CONTRACT(world, holds, what)
/* Before a component or resource is used: finds a system that did not declare it. */
#define COVEY__USES(world, type, access) \
    (COVEY__LIKELY(!(world)->guard) ? (void)0 : covey__check_use((world), (type), (access), __FILE__, __LINE__))
#else
#define COVEY__COSTLY_CONTRACT(world, holds, what) ((void)0)
#define COVEY__USES(world, type, access) ((void)0)
#endif
#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__TRACE(world, trace, index) covey__trace_note((world), &(trace), (index))
#else
#define COVEY__TRACE(world, trace, index) ((void)0)
#endif
#if COVEY_ASSERT_LEVEL >= 3
#define COVEY__CHANGED(world) covey__changed(world)
#else
#define COVEY__CHANGED(world) ((void)0)
#endif

#endif /* COVEY_DETAIL_CONTRACT_H */
