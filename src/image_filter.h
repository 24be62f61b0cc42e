/* Which entities and components are saved, if not all of them. */
#ifndef COVEY_IMAGE_FILTER_H
#define COVEY_IMAGE_FILTER_H

#include "image.h"

typedef struct covey__filter {
    const covey_world *world;
    uint64_t since;     /* components of types with ticks that were changed later; 0: all */
    uint64_t *chosen;   /* a bit for each index; NULL: all */
    uint64_t *nameless; /* of those that are chosen: whose name another root has that is in the image, too */
    size_t words;       /* of each of both */
    uint32_t count;     /* of entities that are chosen */
} covey__filter;

/* Asks about each entity, once. False: memory is out. */
bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc);
void covey__filter_free(covey__filter *filter, covey__heap *heap);

bool covey__filter_has(const covey__filter *filter, uint32_t index);   /* an entity that is alive */
bool covey__filter_names(const covey__filter *filter, uint32_t index); /* whether it keeps its name */
bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool);
/* Of components of a block, those that are saved. */
uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask);
/* The first position from one on whose component is saved, or COVEY_NONE; how many there are. */
uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from);
uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool);
/* Ends the entities that are left out, in a table that is a clone. */
void covey__filter_entities(const covey__filter *filter, covey_world *twin);

#endif
