/* Types: what a descriptor means, and which pool is bound to it. */
#ifndef COVEY_TYPE_H
#define COVEY_TYPE_H

#include <covey/covey.h>

/* The first rule that a description breaks, to be read after the name of the type; NULL for none. */
const char *covey__type_fault(const covey_type *type);
static inline bool covey__type_valid(const covey_type *type) { return !covey__type_fault(type); }
covey_result covey__fail_type(covey_world *world, const covey_type *type); /* TYPE, with that rule */
bool covey__type_is_internal(const covey_type *type);                      /* of the library's own, by its name */
covey_storage covey__type_storage(const covey_type *type);                 /* what it gets */
/* A description may leave .align out. */
static inline size_t covey__type_align(const covey_type *type) { return type->align ? type->align : 1; }
bool covey__type_same_layout(const covey_type *a, const covey_type *b);
bool covey__type_can_copy(const covey_type *type);
bool covey__type_is_made(const covey_world *world, const covey_type *type); /* at run time, in this world */
/* A type like this for a resource, which needs no pool: an existing one, or a copy. NULL: MEMORY. */
const covey_type *covey__type_keep(covey_world *world, const covey_type *description);
covey_pool *covey__pool_bound(const covey_world *world, const covey_type *type);
covey_pool *covey__pool_named(const covey_world *world, const char *name); /* NULL: there is none; O(log pools) */
void covey__pool_name(covey_world *world, uint32_t number); /* lets a new pool be found by the name of its type */
bool covey__type_reserve(covey_world *world);
void covey__type_bind(covey_world *world, const covey_type *type, covey_pool *pool);
void covey__types_met(covey_world *world); /* a name got a pool: clears the list of names without one */
void covey__types_free(covey_world *world);
size_t covey__made_type_bytes(const covey_world *world);

bool covey__types_valid(const covey_world *world, const char **why);

/* A copy of a description, which belongs to the caller until it is kept; NULL: MEMORY. Kept ones live as long as the
 * world. */
struct covey__made_type *covey__type_copy(covey_world *world, const covey_type *description);
const covey_type *covey__type_kept(covey_world *world, struct covey__made_type *made);
const covey_type *covey__type_of_copy(const struct covey__made_type *made);
void covey__type_copy_free(covey_world *world, struct covey__made_type *made);  /* one that is not kept */
covey_pool *covey__pool_like(const covey_world *world, const covey_type *type); /* of that name and layout, or NULL */

static inline bool covey__is_internal(const covey_pool *pool) { return (pool->uses & COVEY__USE_INTERNAL) != 0; }

#endif
