/* In which order systems run, and who waits for whom. */
#ifndef COVEY_PLAN_H
#define COVEY_PLAN_H

#include "schedule/systems.h"

/* Whether two systems cannot run at the same time; then *a and *b, if not NULL, are the uses that conflict. */
bool covey__systems_conflict(const covey__system *x, const covey__system *y, const covey_system_use **a,
                             const covey_system_use **b);
/* Why one system waits for another: *type is what both use, or NULL where a link says so. */
covey_wait_reason covey__why_waits(const covey__system *leader, const covey__system *follower, const covey_type **type);
/* Puts systems into their order: CYCLE, MEMORY. */
covey_result covey__schedule_order(covey_schedule *s);
/* Computes the plan, if systems have changed; ABSENT, too: then there is none. */
covey_result covey__schedule_plan(covey_schedule *s);
/* Runs the bodies of a stage, whose systems are cut into pieces, and merges their scratch. */
void covey__schedule_work(covey_schedule *s, const covey__stage *stage);

#endif
