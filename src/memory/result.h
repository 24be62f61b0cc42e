/* Results and reasons: how functions report why they failed, or which invariant does not hold. */
#ifndef COVEY_RESULT_H
#define COVEY_RESULT_H

#include <covey/covey.h>

/* For validators: if the condition does not hold, sets *why and returns false. */
#define REQUIRE(holds, reason)      \
    do {                            \
        if (!(holds)) {             \
            if (why) *why = reason; \
            return false;           \
        }                           \
    } while (0)

/* Stores a word of the world that several threads may write at the same time; COVEY__GET_WORD reads it. Neither sees
 * parts of a word. */
#if defined(__GNUC__)
#define COVEY__ADD_WORD(word, number) ((void)__atomic_fetch_add(&(word), (number), __ATOMIC_RELAXED))
#define COVEY__PUT_WORD(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
#else
#define COVEY__ADD_WORD(word, number) ((void)((word) += (number)))
#define COVEY__PUT_WORD(word, value) ((word) = (value))
#endif

/* Put after the declaration of a function like printf: parameter number `text` is the format, and the arguments begin
 * with number `first`. Compilers then check the arguments. */
#if defined(__MINGW32__)
#define COVEY__PRINTF(text, first) __attribute__((format(gnu_printf, text, first))) /* "printf" has no %zu there */
#elif defined(__GNUC__)
#define COVEY__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COVEY__PRINTF(text, first)
#endif

/* The text of a result and what to do about it. */
const char *covey__reason(covey_result result);

/* Sets the world's result and calls its log, on the calling thread. Returns the result. */
covey_result covey__fail(covey_world *world, covey_result result, const char *format, ...) COVEY__PRINTF(3, 4);

/* While a world is silenced, failures set its result but are not logged: the caller that silences it logs its own
 * message. Calls nest. */
void covey__silence(covey_world *world, bool on);

/* Called when a world ends: prints how many failures were not printed. */
void covey__print_unprinted(const covey_world *world);

/* Fails because the entity lacks the component (ABSENT) or is not alive (DEAD). */
covey_result covey__fail_without(covey_world *world, covey_entity e, const covey_type *type);

#endif
