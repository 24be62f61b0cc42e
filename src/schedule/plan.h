/* The order in which systems run, and which system waits for which. */
#ifndef COVEY_PLAN_H
#define COVEY_PLAN_H

#include "schedule/systems.h"

/* Whether two systems cannot run at the same time; then *a and *b, if not NULL, are the uses that conflict. */
bool covey__systems_conflict(const covey__system *x, const covey__system *y, const covey_system_use **a,
                             const covey_system_use **b);
/* Why one system waits for another. Sets *type to what both use, or to NULL if they are linked. */
covey_wait_reason covey__why_waits(const covey__system *leader, const covey__system *follower, const covey_type **type);
/* Orders the systems. CYCLE, MEMORY. */
covey_result covey__schedule_order(covey_schedule *s);
/* Computes the plan, if systems have changed. CYCLE, MEMORY; ABSENT for a link to an unknown system. If it fails, there
 * is no plan. */
covey_result covey__schedule_plan(covey_schedule *s);
/* Runs the bodies of a stage, whose systems were cut into pieces before, and merges their scratch. */
void covey__schedule_work(covey_schedule *s, const covey__stage *stage);

#endif
