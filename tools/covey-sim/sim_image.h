/* Images of a side, and what they should contain: for operations that load, merge and follow. */
#ifndef COVEY_SIM_IMAGE_H
#define COVEY_SIM_IMAGE_H

#include <covey/image.h>

#include "sim.h"

#define SIM_ALL_TYPES (((uint32_t)1 << NAIVE_TYPES) - 1)

/* Types as a list that ends with NULL. */
typedef struct sim_types {
    const covey_type *list[NAIVE_TYPES + 1];
} sim_types;
sim_types sim_types_of(uint32_t bits);

/* ---- Saving -------------------------------------------------------------------------------------------------------*/

/* Which part of a side an image contains. */
typedef struct sim_filter {
    uint32_t types;   /* a bit for each type; SIM_ALL_TYPES: no filter */
    uint32_t without; /* entities with one of these are left out */
    uint32_t choose;  /* a number that chooses entities; 0: all */
    bool own;         /* entities that follow a source are left out */
    uint64_t since;   /* for types with ticks, only components that were changed after this tick; 0: all */
} sim_filter;

/* Every second one filters nothing. */
sim_filter sim_filter_of(const sim_side *side, uint32_t n);

/* A description of a save, with what it points to. */
typedef struct sim_saving {
    const sim_side *side;
    sim_filter filter;
    sim_types types, without;
    covey_save_desc desc;
} sim_saving;
void sim_saving_begin(sim *s, sim_saving *saving, const sim_side *side, const sim_filter *filter);

/* What an image of the side should contain. */
naive_world *sim_image_naive(const sim_side *side, const sim_filter *filter);

typedef struct sim_image {
    covey_buffer buffer;
    naive_world *naive;
    uint32_t pools; /* types of components that the image names, by bits: maybe without components */
    uint64_t since;
} sim_image;

/* Saves a part of a side. False: memory failed, and there is nothing to free. */
bool sim_image_make(sim *s, sim_side *side, const sim_filter *filter, sim_image *image);
void sim_image_free(sim_image *image);
/* Whether the side has room for the entities of an image. */
bool sim_image_fits(const sim_side *side, const naive_world *image);
/* The image of this world should be these bytes. */
void sim_require_bytes(sim *s, covey_world *world, const covey_buffer *image, const char *which);

/* What a world is like before a call that may fail: its image, of the types that it has pools of. */
typedef struct sim_before {
    uint32_t types;
    covey_buffer image;
} sim_before;
void sim_before_begin(sim *s, covey_world *world, sim_before *before);
/* After the call: if it failed, the world must be as it was, with its free indices, positions and holes. */
void sim_before_end(sim *s, covey_world *world, sim_before *before, covey_result result);

/* ---- Which entity became which ------------------------------------------------------------------------------------*/

typedef struct sim_pair {
    covey_entity from, to;
} sim_pair;

typedef struct sim_map {
    uint32_t count;
    bool keeps_outside; /* handles of entities that are not in the map stay; otherwise they become null */
    sim_pair list[SIM_BATCH];
} sim_map;

covey_entity sim_map_find(const sim_map *map, covey_entity from); /* null: it is not there */
void sim_map_add(sim_map *map, covey_entity from, covey_entity to);
/* For covey_merged_fn; the context is a map. */
void sim_map_note(covey_entity from, covey_entity to, void *map);
/* The component with its handle mapped. */
naive_component sim_map_component(const sim_map *map, const naive_component *component);

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

/* A description of a load, with what it points to and what it tells. */
typedef struct sim_loading {
    covey_load_desc desc;
    covey_report report;
    uint32_t kept; /* types, by bits */
    sim_types only, keep;
    sim_map map;
} sim_loading;

/* `only` is SIM_ALL_TYPES for no filter. */
void sim_loading_begin(sim *s, sim_loading *loading, uint32_t only, uint32_t kept);
/* Leaves out components and resources of other types: what covey_load_desc.only does. */
void sim_narrow(naive_world *image, uint32_t only);

/* Children become the last ones of their parents, in the order that they have in `from`. */
void sim_append_children(sim *s, sim_side *side, const naive_world *from, const sim_map *map);
/* All entities of `from` are created, and have there what they have in `from`. The map knows their handles. */
void sim_insert_all(sim *s, sim_side *side, const naive_world *from, const sim_map *map);
/* The image was merged with this result. */
void sim_merged(sim *s, sim_side *side, const naive_world *image, const sim_loading *loading, covey_result result);
/* The program goes on in another world, which contains this. Stale handles stay stale. */
void sim_go_on_in(sim *s, sim_side *side, covey_world *world, const naive_world *naive);

/* Whether an entity belongs to a follower (ops_follow.c). */
bool sim_is_followed(const sim_side *side, covey_entity e);

#endif
