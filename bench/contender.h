/* A contender: a library, or a storage of your own, that covey-bench measures beside Covey.
 *
 *     covey-bench --contender ./contender_arrays.so --filter versus
 *
 * A contender is a shared object that exports one function, `contender_list`. covey-bench loads it and runs the
 * scenarios named versus_* with all contenders in one process, in turns, as it does with its own baselines. Compile it
 * with the flags of covey-bench. bench/contender_arrays.c is an example.
 *
 * Entities are numbers from 0 to n - 1; the contender keeps its handles for them. There are three component types, 0, 1
 * and 2, of eight bytes each. A timed function does all its work in one call, in its own loop, so that the call through
 * a pointer does not count. It returns a number; covey-bench refuses a run in which contenders return different
 * numbers. */
#ifndef BENCH_CONTENDER_H
#define BENCH_CONTENDER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CONTENDER_VERSION 2 /* of this interface */
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

/* ---- The mixed world ----------------------------------------------------------------------------------------------*/

/* 17 types of eight bytes. A set of types has a bit for each. Entities are created with one of 64 sets of the first 16
 * types; the last type comes and goes later. */
#define CONTENDER_MIXED_TYPES 17
#define CONTENDER_LATE_TYPE 16

/* The value of each new component of a type, by number of the entity. */
static inline contender_value contender_mixed_value_of(uint32_t type, uint32_t id) {
    contender_value value = { (float)(id % 64), (float)(type + 1) };
    return value;
}

/* Seven systems, in this order. Each adds the x and y of its other types to those of its first one, for all entities
 * that have all of its types; with one type, it adds 1 to both. */
#define CONTENDER_SYSTEMS 7
static const struct {
    uint32_t first, count; /* of its types */
} contender_systems[CONTENDER_SYSTEMS] = { { 0, 2 }, { 2, 1 }, { 3, 3 }, { 6, 2 }, { 8, 2 }, { 10, 3 }, { 13, 3 } };

typedef struct contender_mixed {
    /* Not timed. `open` makes a world without entities, for numbers below n; NULL when it fails. `get` is as below. */
    void *(*open)(uint32_t n);
    void (*close)(void *world);
    uint64_t (*get)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);

    /* Timed. `create` makes entities with these numbers, each with its set of types; sets come in no order. It returns
     * the count. `destroy` destroys these entities. */
    uint64_t (*create)(void *world, const uint32_t *ids, const uint32_t *sets, uint32_t count);
    uint64_t (*destroy)(void *world, const uint32_t *ids, uint32_t count);
    /* An absent component for each of these entities; removes a present one. Both return the count. */
    uint64_t (*add)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    uint64_t (*remove)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    /* Runs the seven systems. Returns the number of matches of all of them. */
    uint64_t (*run)(void *world);
} contender_mixed;

/* ---- A contender --------------------------------------------------------------------------------------------------*/

/* A function is NULL where a library does not offer the operation. The contender then takes no part in the scenarios of
 * that operation. */
typedef struct contender {
    const char *name; /* a word */

    /* Not timed. `open` makes a world with n entities without components; NULL when it fails. `empty` destroys all
     * entities. `clear` removes the components of one type from all entities. */
    void *(*open)(uint32_t n);
    void (*close)(void *world);
    void (*empty)(void *world);
    void (*clear)(void *world, uint32_t type);

    /* Timed. `add` adds an absent component to each of these entities, in this order; `remove` removes a present one.
     * Both return how many components of the type there are afterwards. */
    uint64_t (*add)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    uint64_t (*remove)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    /* `get` returns the sum of contender_number_of over the components of these entities, which all have one. `has`
     * returns how many of these entities have one. */
    uint64_t (*get)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    uint64_t (*has)(void *world, uint32_t type, const uint32_t *ids, uint32_t count);
    /* For all entities with types 0 to fields - 1: adds the x and y of the other types to those of type 0; with one
     * field, adds 1 to both. Returns the number of these entities. */
    uint64_t (*iterate)(void *world, uint32_t fields);
    /* Makes n entities with all three types in an empty world, one after the other, or with the library's call for
     * many. Returns how many components of type 0 there are. */
    uint64_t (*create)(void *world);
    uint64_t (*create_many)(void *world);
    /* Destroys these entities, one after the other; all entities, with the library's call for many. Returns how
     * many components of type 0 are left. */
    uint64_t (*destroy)(void *world, const uint32_t *ids, uint32_t count);
    uint64_t (*destroy_many)(void *world);

    const contender_mixed *mixed; /* NULL: takes no part in versus_kinds64_* */
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
