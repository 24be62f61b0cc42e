/* The component types of random programs, and values for them. The owners among them count what is alive, so that
 * values that are lost or dropped twice are found. */
#ifndef COVEY_TEST_VALUES_H
#define COVEY_TEST_VALUES_H

#include <covey/covey.h>

enum { VALUE_BYTES = 64, VALUE_TOKENS = 257, VALUE_TYPES = 42, VALUE_DESCRIPTIONS = 11 };

/* All sizes, alignments, policies, storages and hooks; some contradict others or themselves. New ones come last, so
 * that the inputs of the corpus keep their meaning. */
extern const covey_type *const value_types[VALUE_TYPES];
/* For types made at run time. */
extern const covey_type value_descriptions[VALUE_DESCRIPTIONS];

typedef struct value_ledger {
    uint32_t live[VALUE_TOKENS]; /* owners by token; those with token 0 own nothing */
    uint32_t copy_fails_in;      /* the number of the copy that fails, from 1 on; 0 for none */
    bool broken;                 /* a value was dropped that was not alive */
    const covey_world *world;    /* while `dying` is destroyed: drops see that it is no longer alive */
    covey_entity dying;
} value_ledger;

/* What the hooks of the types write to. */
extern value_ledger values;

void value_make(const covey_type *type, uint32_t seed, void *value);
/* What a component gets that is added without a value. */
void value_make_default(const covey_type *type, void *value);
/* The caller has, or no longer has, a value. */
void value_own(const covey_type *type, const void *value);
void value_disown(const covey_type *type, const void *value);
/* Changes what is not the token. */
void value_change(const covey_type *type, void *value);

/* The typed verbs with a literal, where the type is known here; otherwise the raw ones. */
void *value_add(covey_world *world, covey_entity e, const covey_type *type, const void *value);
void *value_set(covey_world *world, covey_entity e, const covey_type *type, const void *value);
void *value_get_or_add(covey_world *world, covey_entity e, const covey_type *type, const void *value);
void *value_pool_add(covey_pool *pool, covey_entity e, const covey_type *type, const void *value);
void *value_pool_set(covey_pool *pool, covey_entity e, const covey_type *type, const void *value);

#endif
