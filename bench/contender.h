/* A contender: a library, or a storage of your own, that covey-bench measures beside Covey.
 *
 *     covey-bench --contender ./contender_arrays.so --filter versus
 *
 * A contender is a shared object that exports one function, `contender_list`. covey-bench loads it and runs the scenarios
 * named versus_* with all contenders in one process, by turns, as it does with its own baselines. Compile it with the flags
 * of covey-bench. bench/contender_arrays.c is an example.
 *
 * Entities are numbers from 0 to n - 1; a contender has the handles for them. There are three component types, 0, 1 and 2,
 * of eight bytes each. A timed function does all its work in one call, in a loop of its own, so that the call through a
 * pointer does not count. It returns a number, and a run in which contenders return different numbers is refused. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTENDER_VERSION 1 /* of this interface */
#define CONTENDER_TYPES 3

typedef struct contender_value {
    float x, y;
} contender_value;

/* The value of each new component of a type. */
static inline contender_value contender_value_of(uint32_t type) {
    contender_value value = { 1, (float)(type + 2) };
    return value;
}

/* What `get` adds up for each component. */
static inline uint64_t contender_number_of(contender_value value) {
    return (uint64_t)((int64_t)value.x * 3 + (int64_t)value.y);
}

/* A function may be NULL where a library does not offer the operation: the contender then has no part in the scenarios of
 * that operation. */
typedef struct contender {
    const char *name; /* a word */

    /* Not timed. `open` makes a world with n entities that have no components; NULL when it cannot. `empty` destroys all
     * entities. `clear` removes the components of one type from all. */
    void *(*open)(uint32_t n);
    void (*close)(void *world);
    void (*empty)(void *world);
    void (*clear)(void *world, uint32_t type);

    /* Timed. Adds a component, which is absent, to each of these entities, in this order; removes it, where it is present.
     * Both return how many components of the type there are then. */
    uint64_t (*add)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    uint64_t (*remove)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    /* The sum of contender_number_of of the components of these entities, all of which have one; how many of these entities
     * have one. */
    uint64_t (*get)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    uint64_t (*has)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    /* For all entities with types 0 to fields - 1: adds the x and y of the others to those of type 0; with one field, adds 1
     * to both. Returns how many entities these are. */
    uint64_t (*iterate)(void *world, uint32_t fields);
    /* Makes n entities with all three types in a world that is empty, one after the other; the same by what the library has
     * for many. Returns how many components of type 0 there are. */
    uint64_t (*create)(void *world);
    uint64_t (*create_many)(void *world);
    /* Destroys these entities, one after the other; all entities, by what the library has for many. Returns how many
     * components of type 0 are left. */
    uint64_t (*destroy)(void *world, const uint32_t *ids, uint32_t count);
    uint64_t (*destroy_many)(void *world);
} contender;

typedef struct contender_listing {
    uint32_t version;                   /* CONTENDER_VERSION */
    const contender *const *contenders; /* up to a NULL */
} contender_listing;

/* What a shared object exports. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
contender_listing
contender_list(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif
