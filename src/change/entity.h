/* Entities: creating, setting aside and destroying. */
#ifndef COVEY_ENTITY_H
#define COVEY_ENTITY_H

#include "change/kind.h"
#include "memory/inner.h"

/* A world with nothing but an empty table of entities, to copy one into it. */
covey_world *covey__entities_only(covey__whole_world *whole, covey_allocator allocator);
void covey__entities_free(covey_world *world);
void covey__entities_reset(covey_world *world); /* as in a new world; there must be no components */
/* Clones the table and the ranges into a world without kinds: all words are common. False when an allocation fails. */
bool covey__entities_clone(const covey_world *from, covey_world *to);
/* Before entities are created: makes room in the queues of listeners. */
covey_result covey__entities_prepare(covey_world *world, uint32_t count);
/* The entity; null, with a log, if a listener has destroyed it at once. */
covey_entity covey__if_alive(covey_world *world, covey_entity e);
/* Indices that are set aside: taken in the order of covey_create, or beside entities with the types of a key, but not
 * alive. The handles are those that the entities will have. Returns how many it got, which is fewer than `count` if
 * *result is MEMORY or FULL. covey__entities_made follows if they are kept. */
uint32_t covey__entities_set_aside(covey_world *world, const covey__kind_key *key, covey_entity *ids, uint32_t count,
                                   covey_result *result); /* null, without a log: MEMORY, FULL */
/* Frees an index that is set aside. The next entity there has at least this generation. */
void covey__entity_release(covey_world *world, covey_entity e);
void covey__entity_retire(covey_world *world, uint32_t index);  /* for good */
void covey__entity_enliven(covey_world *world, covey_entity e); /* calls listeners */

/* Erases the components of an entity whose destruction was announced, and that is no longer alive. Returns whether all
 * pools that may have had any are plain. */
bool covey__components_erase(covey_world *world, covey_entity e);

/* A fingerprint of an index. The sum of fingerprints identifies which indices were summed, and how often. */
static inline uint64_t covey__fingerprint(uint32_t index) {
    uint64_t number = (index + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

/* *set_aside is the sum of the fingerprints of all indices that are set aside. */
bool covey__entities_valid(const covey_world *world, uint64_t *set_aside, const char **why);

#endif
