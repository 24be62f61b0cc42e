/* Results and reasons: how a function reports why it failed, or which invariant does not hold. */
#ifndef COVEY_RESULT_H
#define COVEY_RESULT_H

#include <covey/covey.h>

/* For functions that check invariants: names the one that does not hold, in *why. */
#define REQUIRE(holds, reason)      \
    do {                            \
        if (!(holds)) {             \
            if (why) *why = reason; \
            return false;           \
        }                           \
    } while (0)

/* Words of the world that several threads may change at the same time: each is read, by COVEY__GET_WORD, and written as a
 * whole. */
#if defined(__GNUC__)
#define COVEY__ADD_WORD(word, number) ((void)__atomic_fetch_add(&(word), (number), __ATOMIC_RELAXED))
#define COVEY__PUT_WORD(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
#else
#define COVEY__ADD_WORD(word, number) ((void)((word) += (number)))
#define COVEY__PUT_WORD(word, value) ((word) = (value))
#endif

/* Behind the declaration of a function whose parameter number `text` is a format of printf, with arguments from number
 * `first` on: compilers check them. */
#if defined(__MINGW32__)
#define COVEY__PRINTF(text, first) __attribute__((format(gnu_printf, text, first))) /* "printf" has no %zu there */
#elif defined(__GNUC__)
#define COVEY__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define COVEY__PRINTF(text, first)
#endif

/* The text of a result, and what to do. */
const char *covey__reason(covey_result result);

/* Notes why a call failed, and tells the log, which the calling thread calls. */
covey_result covey__fail(covey_world *world, covey_result result, const char *format, ...) COVEY__PRINTF(3, 4);

/* While a world is silenced, failures are noted, and nobody is told: whoever silences it says what failed. */
void covey__silence(covey_world *world, bool on);

/* When a world ends: prints how many failures were not printed. */
void covey__print_unprinted(const covey_world *world);

/* Fails because an entity has no such component: ABSENT, or DEAD. */
covey_result covey__fail_without(covey_world *world, covey_entity e, const covey_type *type);

#endif
