/* Rows: creating one entity after the other with the same components. covey__fast_row_on says where they go. */
#ifndef COVEY_ROW_H
#define COVEY_ROW_H

#include <covey/covey.h>

/* Creates an entity of these types, as inline code does, but with any column. Null if that is no row, or takes memory
 * or a hook. */
covey_entity covey__row_create(covey_world *world, const covey_component *components, uint32_t count);

#endif
