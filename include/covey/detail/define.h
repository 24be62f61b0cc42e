/* How components are defined, and how typed macros know sizes. Not API. */
#ifndef COVEY_DETAIL_DEFINE_H
#define COVEY_DETAIL_DEFINE_H

#include <covey/detail/each.h>

#define COVEY__COMPONENT_DEFINE(T, ...) \
    COVEY_COMPONENT_DECLARE(T);         \
    const covey_type covey_type_##T = { .name = #T, .size = sizeof(T), .align = _Alignof(T), __VA_ARGS__ }
#define COVEY__TAG_DEFINE(T, ...) \
    COVEY_TAG_DECLARE(T);         \
    const covey_type covey_type_##T = { .name = #T, .size = 0, .align = 1, __VA_ARGS__ }

/* The size of T. */
#define COVEY__SIZE(T) (sizeof(covey__size_##T) - 1u)

/* Checks of macro arguments. Their names appear in compiler messages about a mistake. */
#define COVEY__EXPECTS_POINTER_TO(T, pointer) ((void)sizeof((pointer) - (const T *)(pointer)), (pointer))
#if !defined(__cplusplus) && !defined(__TINYC__) /* which know no assertions in structs */
#define COVEY__EXPECTS_BRACES(T, ...)                                                                      \
    (COVEY__EXPECTS(COVEY__SIZE(T) != 0, #T " is a tag, without a value: use the call that ends in _tag"), \
     &(T)__VA_ARGS__)
#define COVEY__EXPECTS_TAG(T) \
    (COVEY__EXPECTS(COVEY__SIZE(T) == 0, #T " is no tag, it has a value: use the call without _tag"), covey_id(T))
#define COVEY__EXPECTS(holds, text)    \
    (void)sizeof(struct {              \
        _Static_assert((holds), text); \
        char member;                   \
    })
#else
#define COVEY__EXPECTS_BRACES(T, ...) &(T)__VA_ARGS__
#define COVEY__EXPECTS_TAG(T) ((void)sizeof(char[COVEY__SIZE(T) == 0 ? 1 : -1]), covey_id(T))
#endif

#define COVEY__ID(ignored, T) covey_id(T),

#endif /* COVEY_DETAIL_DEFINE_H */
