/* What merging and following share: a world that nobody sees, from which entities, components and resources move to
 * another. */
#ifndef COVEY_IMAGE_MERGE_H
#define COVEY_IMAGE_MERGE_H

#include "change/change.h"
#include "image/follower.h"
#include "image/image.h"

/* What becomes of a component. */
typedef enum covey__fate {
    COVEY__ADDED, /* its entity has none here */
    COVEY__SET,   /* takes the place of the one that is here */
    COVEY__LEFT   /* the one that is here stays: it is the same, or the caller wants so */
} covey__fate;

/* A pool that is merged: from where, to where, and whose components these are. */
typedef struct covey__merged {
    covey_pool *from, *to;
    covey_entity *entities; /* as they are here, in the order of `from` */
    covey_entity *picked;   /* those that are added; from the end on, those that are set. May be the same as above */
    unsigned char *fates;   /* NULL: all are added */
    uint64_t *bits;         /* following, where there are groups: of whom one is added, by index; or NULL */
    uint32_t count, added, set;
    uint32_t grouped; /* the next part with bits, or COVEY__NO_NODE */
} covey__merged;

typedef struct covey__merging {
    covey_world *from, *to;
    const covey_load_desc *desc;
    covey__heap heap;
    covey_entity *entities;  /* the handles here, by the index that they had */
    covey_entity *fresh;     /* those of them that are new; may be the same */
    uint32_t room, count;    /* for how many; how many are new */
    covey_sparse_set *known; /* from handles as they were to those here */
    covey__merged *parts;
    uint32_t part_count;
    const covey_type **resources; /* that both worlds have meanwhile */
    uint32_t resource_room, resource_count;
    covey__change *changes;
    uint32_t change_count;
    const char *culprit; /* a type whose values cannot be merged, because a hook moves them; or NULL */
    bool is_whole;       /* what is left in `from` is dropped: values are complete, whatever their type is */
    bool keeps_outside;  /* handles that name nobody in `from` stay as they are; otherwise they become null */
    /* Of following: */
    covey_follower *follower;       /* NULL: all entities are new */
    uint64_t since;                 /* only components that were changed later are in the image; 0: all */
    covey_sparse_set *known_before; /* the follower's, when it has the new one */
    uint64_t *follows, *is_new;     /* a bit for each index here: of the source, or was; of an entity that is new */
    size_t words;                   /* of each of these */
    uint32_t grouped;               /* the first part with bits, or COVEY__NO_NODE */
    covey_sparse_set *sources;      /* from handles here to those of the source; NULL where that is not worth it, */
    struct covey__leaving *leaving; /* and room for all of them */
    struct covey__renaming *renamings;
    uint32_t renaming_room, renaming_count;
} covey__merging;

covey_entity covey__merging_now(const covey__merging *m, covey_entity before);
bool covey__merging_keeps(const covey__merging *m, const covey_type *type); /* what is here of it stays */
/* The map, and lists for all entities of `from`; MEMORY. */
covey_result covey__merging_reserve(covey__merging *m);
/* Merges what is in `from`, whose entities are known here; all or nothing. Leaves what was not merged. */
covey_result covey__merge(covey__merging *m);
/* Reads an image into `from`, and merges it: for calls, which report. */
covey_result covey__merge_image(covey__merging *m, covey_result (*entered)(void *context), const void *bytes,
                                size_t size, covey_report *report);
/* The same for a world that is there: its entities get handles, and what they have moves. */
covey_result covey__merge_world(covey__merging *m);
covey_world *covey__merging_world(const covey_world *to); /* NULL: MEMORY */
void covey__merging_free(covey__merging *m);              /* with `from` */

/* image_follow.c */
covey_result covey__follow_prepare(covey__merging *m); /* parents and names of entities that are here; MEMORY */
void covey__follow_undo(covey__merging *m);
void covey__follow_settle(covey__merging *m); /* neither this nor what follows can fail */
void covey__follow_commit(covey__merging *m);
void covey__follow_remove(covey__merging *m); /* what is gone: when all else was told */
void covey__follow_free(covey__merging *m);

#endif
