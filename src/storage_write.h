/* Writing values over those of many entities, byte by byte. */
#ifndef COVEY_STORAGE_WRITE_H
#define COVEY_STORAGE_WRITE_H

#include "stretch.h"

/* Copies values to the components of a stretch of entities; those that have none are skipped, with their value. Returns
 * which had one, as bits of their block. */
uint64_t covey__storage_write(covey_pool *pool, const covey_entity *entities, covey__stretch stretch,
                              const char *values);

#endif
