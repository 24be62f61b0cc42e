/* Features: what a world has only if the program uses it. The first call that makes such an object leaves a table of
 * functions in the world. Lower layers, and calls about the whole world, reach the feature through this table. So a
 * static program that never makes, say, a history does not contain histories.
 *
 * Features that changes call have tables of their own, with their functions: covey__grouping, covey__signalling and
 * covey__ordering in inner.h. */
#ifndef COVEY_FEATURE_H
#define COVEY_FEATURE_H

#include <covey/covey.h>

/* In the order in which a world ends them: the last two when all components are dropped, whose hooks may use them. */
typedef enum covey__feature_name {
    COVEY__COMMANDS, /* listeners may have recorded something */
    COVEY__HISTORIES,
    COVEY__LOOKUPS,
    COVEY__LISTENERS,
    COVEY__QUEUES,
    COVEY__EVENTS,
    COVEY__REACTIVES,
    COVEY__GROUPS,
    COVEY__RESOURCES,
    COVEY__NAMES,
    COVEY__FEATURES
} covey__feature_name;

typedef struct covey__feature {
    void (*end)(covey_world *world);           /* frees what the world has of it */
    void (*shrink)(covey_world *world);        /* frees spare memory; or NULL */
    size_t (*bytes)(const covey_world *world); /* that are not in the heap of the world; or NULL */
} covey__feature;

#endif
