/* Views that a step chooses, and which entities of the model match them. */
#ifndef COVEY_SIM_VIEWS_H
#define COVEY_SIM_VIEWS_H

#include "sim.h"

typedef struct picked_view {
    covey_view_desc desc;
    uint32_t with[3], without[2], optional[1];
    uint32_t with_count, without_count, optional_count;
    bool sees_disabled;
} picked_view;

/* Reads everything, unless `writes`. */
picked_view pick_view(uint32_t n, bool writes);
void touch_view(sim *s, const picked_view *p);
/* Whether the view sees a component of the entity. */
bool sees(const picked_view *p, const naive_entity *n, uint32_t type);
bool matches(const picked_view *p, const naive_entity *n);

#endif
