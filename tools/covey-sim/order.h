/* Orders: what the library is told to sort by, and the ranks that the model sorts by. */
#ifndef COVEY_SIM_ORDER_H
#define COVEY_SIM_ORDER_H

#include "naive.h"

/* By which key or function values of a type are sorted. */
typedef struct sim_order {
    uint32_t kind, type;
    bool descending;
} sim_order;

sim_order sim_order_pick(uint32_t n, uint32_t type);
const char *sim_order_name(const sim_order *order);
bool sim_order_is_same(const sim_order *a, const sim_order *b);
/* Whether a call that changes a value in place can change its rank. */
bool sim_order_reads_values(const sim_order *order);
/* For the library. It may be kept: nothing in it ends. */
covey_order sim_order_describe(const sim_order *order);
/* Makes an order wrong, in one of several ways; the library returns RANGE. */
void sim_order_spoil(covey_order *order, uint32_t n, uint32_t type);

/* Entities that have the type, sorted as the library should: stable. */
void sim_order_sort(const sim_order *order, const naive_world *naive, covey_entity *list, uint32_t count);
bool sim_order_is_kept(const sim_order *order, const naive_world *naive, const covey_entity *list, uint32_t count);
/* Those that `leaders` has first, in its order; then the others. */
void sim_order_follow(covey_entity *list, uint32_t count, const covey_entity *leaders, uint32_t leader_count);
/* By depth in the hierarchy: stable. */
void sim_order_sort_by_depth(const naive_world *naive, covey_entity *list, uint32_t count);

/* Whether a function of an order ever got a damaged value. */
bool sim_order_saw_damage(void);

#endif
