/* Compiler features that covey.h needs, and work-arounds for slow code that compilers make. Not API. */
#ifndef COVEY_DETAIL_COMPILER_H
#define COVEY_DETAIL_COMPILER_H

#if defined(_WIN32) && defined(COVEY_SHARED)
#ifdef COVEY_BUILD
#define COVEY_API __declspec(dllexport)
#else
#define COVEY_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define COVEY_API __attribute__((visibility("default")))
#else
#define COVEY_API
#endif

/* For calls whose result is the only sign of a failure, or the only way to free something. A cast to void says that it
 * is ignored on purpose, which the attribute of gcc would not accept in C11. */
#if (defined(__cplusplus) && __cplusplus >= 201703L) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202000L)
#define COVEY_NODISCARD [[nodiscard]]
#elif defined(__clang__)
#define COVEY_NODISCARD __attribute__((warn_unused_result))
#elif defined(__GNUC__) && __GNUC__ >= 10 && !defined(__cplusplus)
#define COVEY_NODISCARD __extension__ [[nodiscard]]
#else
#define COVEY_NODISCARD
#endif

#define COVEY_INLINE static inline
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define COVEY_HOT static inline __attribute__((always_inline)) /* worth a copy at every call */
#else
#define COVEY_HOT static inline
#endif

#if COVEY_INDEX_BITS != 32 || COVEY_GENERATION_BITS != 32 || COVEY_PAGE_SIZE != 1024
#define COVEY__PASTE(name, i, g, p) name##_i##i##_g##g##_p##p
#define COVEY__EXPAND(name, i, g, p) COVEY__PASTE(name, i, g, p)
#define covey_world_create COVEY__EXPAND(covey_world_create, COVEY_INDEX_BITS, COVEY_GENERATION_BITS, COVEY_PAGE_SIZE)
#define covey_sparse_set_create \
    COVEY__EXPAND(covey_sparse_set_create, COVEY_INDEX_BITS, COVEY_GENERATION_BITS, COVEY_PAGE_SIZE)
#endif

#ifdef __cplusplus
#define COVEY__EXTERN extern "C"
#define COVEY__STATIC_ASSERT static_assert
#else
#define COVEY__EXTERN extern
#define COVEY__STATIC_ASSERT _Static_assert
#endif

/* make mcdc counts without hints: the compiler counts no conditions in an argument of a macro. */
#if defined(COVEY__NO_HINTS)
#define COVEY__LIKELY
#elif defined(__GNUC__)
#define COVEY__LIKELY(x) __builtin_expect(!!(x), 1)
#else
#define COVEY__LIKELY(x) (!!(x))
#endif

#if defined(__GNUC__)
#define COVEY__ASSUME(x) ((x) ? (void)0 : __builtin_unreachable())
#define COVEY__PURE __attribute__((pure)) /* only reads */
#define COVEY__NOINLINE __attribute__((noinline))
#define COVEY__GET_WORD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED) /* another thread may write it */
#else
#define COVEY__ASSUME(x) ((void)0)
#define COVEY__PURE
#define COVEY__NOINLINE
#define COVEY__GET_WORD(word) (word)
#endif

/* covey.h declares functions that return views and iterations before it defines these types. In C++, clang warns. */
#if defined(__clang__) && defined(__cplusplus)
#define COVEY__STRUCTS_FOLLOW \
    _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wreturn-type-c-linkage\"")
#define COVEY__STRUCTS_KNOWN _Pragma("clang diagnostic pop")
#else
#define COVEY__STRUCTS_FOLLOW
#define COVEY__STRUCTS_KNOWN
#endif

/* ---- Work-arounds --------------------------------------------------------------------------------------------------
 *
 * For plain C that gcc 12 compiles to slow code on x86-64. With COVEY_WORKAROUNDS 0 the hot path is plain C with the
 * same results, which the hard configuration tests. A program and a library with different settings are compatible.
 *
 * Two are part of declarations, and have no switch: functions of covey/detail/hot.h take a handle in two parts, because
 * gcc 12 loads a struct of two words into a vector register, from which extracting the parts is slow; and covey_with
 * names every member, because otherwise gcc 12 clears the whole list first. */
#ifndef COVEY_WORKAROUNDS
#define COVEY_WORKAROUNDS 1
#endif

/* Hides the value of x from the optimiser. Uses:
 * - covey__pool_append keeps the two parts of a handle separate, which gcc 12 would join in a vector register;
 * - covey__lookup_has keeps gcc 12 from using gathers for a loop of lookups, which are slower than loads. */
#if COVEY_WORKAROUNDS && defined(__GNUC__)
#define COVEY__HIDE(x) __asm__ volatile("" : "+r"(x))
#else
#define COVEY__HIDE(x) ((void)0)
#endif

/* Unrolls a loop over a known list of at most COVEY_TERMS: at -O2, gcc 12 keeps the loop, and the list in memory. */
#if COVEY_WORKAROUNDS && defined(__GNUC__) && !defined(__clang__)
#define COVEY__UNROLL _Pragma("GCC unroll 16")
#else
#define COVEY__UNROLL
#endif

/* Handles with bit-fields are read and written as whole words if the layout is the same: gcc 12 loads and stores each
 * bit-field separately. */
#if COVEY_WORKAROUNDS && COVEY__NARROW && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define COVEY__HANDLES_ARE_WORDS 1
#else
#define COVEY__HANDLES_ARE_WORDS 0
#endif

/* Copies a literal word by word, from registers to its place. As one copy, gcc 12 builds the literal on the stack and
 * reads it back with wider loads, which wait for the stores. */
COVEY_HOT void covey__fill_literal(void *to, const void *value, size_t size) {
    char *words = (char *)to;
    const char *from = (const char *)value;
    if (!COVEY_WORKAROUNDS || size > 32 || size % 4 != 0) {
        memcpy(to, value, size);
        return;
    }
    if (size >= 4) memcpy(words, from, 4);
    if (size >= 8) memcpy(words + 4, from + 4, 4);
    if (size >= 12) memcpy(words + 8, from + 8, 4);
    if (size >= 16) memcpy(words + 12, from + 12, 4);
    if (size >= 20) memcpy(words + 16, from + 16, 4);
    if (size >= 24) memcpy(words + 20, from + 20, 4);
    if (size >= 28) memcpy(words + 24, from + 24, 4);
    if (size >= 32) memcpy(words + 28, from + 28, 4);
}

/* The alignment of large objects on the stack: gcc then builds a returned object in the caller's memory instead of
 * copying it there. Part of the layout, without a switch. */
#ifdef __cplusplus
#define COVEY__ALIGN_STACK alignas(16)
#else
#define COVEY__ALIGN_STACK _Alignas(16)
#endif

#endif /* COVEY_DETAIL_COMPILER_H */
