/* Component types with every storage, policy and hook, and a ledger of values that own something. A value is made from
 * a seed, and shows damage: its bytes follow from the seed, owned values have a token that must be live, and values
 * with a move hook know their address. */
#ifndef COVEY_SIM_VALUE_H
#define COVEY_SIM_VALUE_H

#include "naive.h"

enum { VALUE_BYTES = 64 }; /* of the largest value */

extern const covey_type *const value_types[NAIVE_TYPES];
/* The same, ended by NULL: for covey_load_desc. */
extern const covey_type *const value_list[NAIVE_TYPES + 1];

/* The number of a type, which may be the descriptor of another world; NAIVE_TYPES if it is not one of these. */
uint32_t value_type_number(const covey_type *type);

bool value_is_tag(uint32_t type);
bool value_has_link(uint32_t type);
uint32_t value_seed_offset(uint32_t type); /* of the seed in a value, which is a uint32_t; not for tags */
bool value_can_be_copied(uint32_t type);
bool value_has_ticks(uint32_t type);
/* Whether images hold the type: not if it is transient. */
bool value_is_saved(uint32_t type);

/* Makes a value in memory of VALUE_BYTES, which its maker owns until a call takes it over. */
void value_make(uint32_t type, uint32_t seed, covey_entity link, void *value);
/* The same in an array, where a value has only the bytes of its type. */
void value_make_packed(uint32_t type, uint32_t seed, covey_entity link, void *value);
/* Moves a value that its maker owns. */
void value_relocate(uint32_t type, void *to, void *from);
/* Ends a value that its maker still owns. */
void value_end(uint32_t type, void *value);
/* What a value in a pool says; false if it is damaged. */
bool value_read(uint32_t type, const void *value, uint32_t *seed, covey_entity *link);
/* Changes a value in place, as its owner may. */
void value_write(uint32_t type, void *value, uint32_t seed, covey_entity link);

/* ---- The ledger ---------------------------------------------------------------------------------------------------*/

void ledger_reset(void);
/* How many owned values are alive. */
uint32_t ledger_live(void);
/* What hooks were called with that they should not have been, or NULL. */
const char *ledger_fault(void);
/* Lets the n-th copy from now on fail; 0: none. Returns whether one failed since the last call. */
bool ledger_fail_copy(uint32_t n);

#endif
