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

/* An array type for each component, one byte longer than a value. If a component is not defined, the compiler's error
 * message contains this name. */
#define COVEY__SIZE_TYPE(T) covey__needs_COVEY_COMPONENT_DEFINE_of_##T
/* The size of T. */
#define COVEY__SIZE(T) (sizeof(COVEY__SIZE_TYPE(T)) - 1u)

/* Checks of macro arguments. Their names appear in compiler messages about a mistake. */
/* Compares addresses of elements, because clang warns about a difference from a null pointer. */
#define COVEY__EXPECTS_POINTER_TO(T, pointer) ((void)sizeof(&(pointer)[0] - &((const T *)(pointer))[0]), (pointer))
#if !defined(__cplusplus) && !defined(__TINYC__) /* these do not support assertions in structs */
#define COVEY__EXPECTS_BRACES(T, ...)                                                                      \
    (COVEY__EXPECTS(COVEY__SIZE(T) != 0, #T " is a tag, without a value: use the call that ends in _tag"), \
     COVEY__EXPECTS(COVEY__BEGINS_WITH_BRACE(__VA_ARGS__),                                                 \
                    "a value of " #T " needs braces, { ... }; for a variable, use the call that ends in "  \
                    "_value, with its address: covey_add_value(world, e, " #T ", &variable)"),             \
     &(T)__VA_ARGS__)
#define COVEY__EXPECTS_TAG(T) \
    (COVEY__EXPECTS(COVEY__SIZE(T) == 0, #T " is not a tag, it has a value: use the call without _tag"), covey_id(T))
#define COVEY__EXPECTS(holds, text)    \
    (void)sizeof(struct {              \
        _Static_assert((holds), text); \
        char member;                   \
    })
/* Compilers that know this function compute its result. */
#if defined(__GNUC__)
#define COVEY__BEGINS_WITH_BRACE(...) (__builtin_strncmp(COVEY__TEXT(__VA_ARGS__), "{", 1) == 0)
#else
#define COVEY__BEGINS_WITH_BRACE(...) 1
#endif
#define COVEY__TEXT(...) #__VA_ARGS__
#elif defined(__cplusplus)
extern "C++" template <class T> struct covey__braces {
    static_assert(sizeof(T) == 0,
                  "C++ has no literals of structs: use covey.hpp, or the call that ends in _value, with "
                  "the address of a variable: covey_add_value(world, e, T, &variable)");
    static const T *value;
};
#define COVEY__EXPECTS_BRACES(T, ...) (covey__braces<T>::value)
#define COVEY__EXPECTS_TAG(T) ((void)sizeof(char[COVEY__SIZE(T) == 0 ? 1 : -1]), covey_id(T))
#else
#define COVEY__EXPECTS_BRACES(T, ...) &(T)__VA_ARGS__
#define COVEY__EXPECTS_TAG(T) ((void)sizeof(char[COVEY__SIZE(T) == 0 ? 1 : -1]), covey_id(T))
#endif

#define COVEY__ID(ignored, T) covey_id(T),

#endif /* COVEY_DETAIL_DEFINE_H */
