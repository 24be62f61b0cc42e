/* Units: the parts that a snapshot consists of. A unit is bytes that several snapshots may share, or values that a copy
 * hook has made, which are never shared. A list of units stands for an array of the world, and unit i for a fixed part
 * of it, so that the next snapshot knows with which unit to compare. */
#ifndef COVEY_UNIT_H
#define COVEY_UNIT_H

#include <covey/covey.h>

typedef struct covey__unit {
    struct covey__unit *next, *previous; /* in the list of its store */
    size_t bytes;
    const covey_type *type; /* of the values that its copy hook has made; NULL: bytes */
    uint32_t count;         /* of these values */
    uint32_t references;
    bool wipe; /* its bytes are zeroed before they are freed */
} covey__unit;

#define COVEY__UNIT_HEADER 64 /* bytes before those of the unit: values of all types are aligned */
static inline char *covey__unit_bytes(const covey__unit *unit) { return (char *)(uintptr_t)unit + COVEY__UNIT_HEADER; }

typedef struct covey__units {
    covey__unit **at; /* NULL where the world has nothing */
    uint32_t count;
} covey__units;

static inline covey__unit *covey__unit_at(const covey__units *list, uint32_t at) {
    return at < list->count ? list->at[at] : NULL;
}

/* All units of one history. */
typedef struct covey__unit_store {
    covey_world *world; /* which its copy and drop hooks must not change */
    covey__unit *units; /* as a list */
    covey__heap heap;
} covey__unit_store;

/* Functions that return a unit or bool: NULL or false when an allocation fails. */
covey__unit *covey__unit_create(covey__unit_store *store, size_t bytes, const covey_type *type);
void covey__unit_release(covey__unit_store *store,
                         covey__unit *unit); /* frees it with the last reference; NULL is allowed */
/* Appends a copy of a value to a unit with a type. Returns false when the copy hook does. */
bool covey__unit_copy(const covey__unit_store *store, covey__unit *unit, const void *value);

bool covey__units_create(covey__unit_store *store, covey__units *list, uint32_t count); /* of NULL */
void covey__units_release(covey__unit_store *store, covey__units *list);
typedef void covey__units_fn(covey__unit_store *store, covey__units *list, void *context);

/* Adds a reference. */
static inline covey__unit *covey__unit_share(covey__unit *unit) {
    unit->references++;
    return unit;
}
/* Saves bytes as unit `at` of a list: shares the unit of the list before if that has the same bytes. */
bool covey__unit_save(covey__unit_store *store, const covey__units *before, covey__units *list, uint32_t at,
                      const void *from, size_t bytes);
/* The same for a new unit: returns it, or frees it and returns that of the list before. */
covey__unit *covey__unit_share_equal(covey__unit_store *store, const covey__units *before, uint32_t at,
                                     covey__unit *fresh);
/* Makes a list of an array: `part` elements to a unit. */
bool covey__units_save_array(covey__unit_store *store, const covey__units *before, covey__units *list,
                             const void *array, uint32_t count, uint32_t part, size_t size);
static inline uint32_t covey__parts_of(uint32_t count, uint32_t part) { return count / part + (count % part != 0); }

#endif
