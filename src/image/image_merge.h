/* Shared by merging and following: a hidden world, from which entities, components and resources move to another. */
#ifndef COVEY_IMAGE_MERGE_H
#define COVEY_IMAGE_MERGE_H

#include "change/change.h"
#include "image/follower.h"
#include "image/image.h"

/* What happens to a component of the hidden world. */
typedef enum covey__fate {
    COVEY__ADDED, /* its entity has no such component here */
    COVEY__SET,   /* it replaces the one here */
    COVEY__LEFT   /* the one here stays: it is equal, or protected by `.keep` */
} covey__fate;

/* A pool that is merged. */
typedef struct covey__merged {
    covey_pool *from, *to;
    covey_entity *entities; /* their handles here, in the order of `from` */
    /* From the beginning, those whose component is added; from the end, those whose component is set. May be
     * `entities`. */
    covey_entity *picked;
    unsigned char *fates; /* NULL: all are added */
    uint64_t *bits;       /* following, with groups: a bit for each index that gets the component; or NULL */
    uint32_t count, added, set;
    uint32_t grouped; /* the next part with bits, or COVEY__NO_NODE */
} covey__merged;

typedef struct covey__merging {
    covey_world *from, *to;
    const covey_load_desc *desc;
    covey__heap heap;
    covey_entity *entities;          /* the handles here, by the index in `from` */
    covey_entity *fresh;             /* the new ones among them; may be the same array */
    uint32_t room, count;            /* capacity; how many are new */
    covey_sparse_set *known;         /* maps handles of `from` to handles here */
    struct covey__kinds *batch_keys; /* the sets of types with which entities are created here; NULL: none, */
    struct covey__batch *batches;    /* and how many each has */
    uint32_t batch_room;
    covey__merged *parts;
    uint32_t part_count;
    const covey_type **resources; /* those whose values both worlds have for now */
    uint32_t resource_room, resource_count;
    covey__change *changes;
    uint32_t change_count;
    const char *culprit; /* a type with a move hook, which cannot be merged; or NULL */
    bool is_whole;       /* all values in `from` are complete: those that remain are dropped */
    bool keeps_outside;  /* handles of entities that are not in `from` stay unchanged; otherwise they become null */
    /* For following: */
    covey_follower *follower;       /* NULL: all entities are new */
    uint64_t since;                 /* the image has only components changed after this tick; 0: all */
    covey_sparse_set *known_before; /* the follower's old map, after it got the new one */
    uint64_t *follows, *is_new;     /* a bit for each index here: it follows the source, or did; it is new */
    size_t words;                   /* of each of these */
    uint32_t grouped;               /* the first part with bits, or COVEY__NO_NODE */
    covey_sparse_set *sources;      /* maps handles here to those of the source; NULL if that does not pay; */
    struct covey__leaving *leaving; /* with room for all of these */
    struct covey__renaming *renamings;
    uint32_t renaming_room, renaming_count;
} covey__merging;

covey_entity covey__merging_now(const covey__merging *m, covey_entity before);
bool covey__merging_keeps(const covey__merging *m, const covey_type *type); /* existing components of the type stay */
/* Makes the map and the lists for all entities of `from`. MEMORY. */
covey_result covey__merging_reserve(covey__merging *m);
covey_pool *covey__merging_pool(const covey__merging *m, const covey_pool *pool); /* the pool here; or NULL */
/* Merges `from`, whose entities have handles here already. All or nothing. What is not merged stays in `from`. */
covey_result covey__merge(covey__merging *m);
/* Loads an image into `from` and merges it. Fills in the report. */
covey_result covey__merge_image(covey__merging *m, covey_result (*entered)(void *context), const void *bytes,
                                size_t size, covey_report *report);
/* The same for a `from` that exists already: its entities get handles here, and their components move. */
covey_result covey__merge_world(covey__merging *m);
covey_world *covey__merging_world(const covey_world *to); /* NULL: MEMORY */
void covey__merging_free(covey__merging *m);              /* also destroys `from` */

/* merge_entities.c */
/* Creates an entity for each new one of `from`, in the same order, and counts them. MEMORY, FULL. */
covey_result covey__merging_take(covey__merging *m, covey_entity *entities);
void covey__merging_made(const covey__merging *m); /* when they have their components */
void covey__merging_free_batches(covey__merging *m);

/* image_follow.c */
/* The entity here that belongs to an entity of the source, if it is still alive; otherwise null. */
covey_entity covey__follow_find(const covey__merging *m, covey_entity e);
covey_result covey__follow_prepare(covey__merging *m); /* for parents and names of existing entities; MEMORY */
void covey__follow_undo(covey__merging *m);
void covey__follow_settle(covey__merging *m); /* neither this nor the functions below can fail */
void covey__follow_commit(covey__merging *m);
/* Removes what the source no longer has. Called after all other changes were reported. */
void covey__follow_remove(covey__merging *m);
void covey__follow_free(covey__merging *m);

#endif
