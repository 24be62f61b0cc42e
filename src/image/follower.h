/* Followers: which entity here belongs to which entity of the source. image_follow.c updates this map, and snapshots
 * contain it. */
#ifndef COVEY_FOLLOWER_H
#define COVEY_FOLLOWER_H

#include <covey/covey.h>

#include <covey/image.h>
#include <covey/sparse_set.h>

struct covey_follower {
    covey_dependent dependent;       /* its world is NULL after that was destroyed; busy while an image is read */
    covey_follower *next, *previous; /* in the world's list */
    uint64_t number;                 /* unique in the world: of world->numbered */
    covey__heap heap;
    covey_sparse_set *known; /* from handles of the source to those here; a packed set without holes */
};

/* Whether a follower of the world is reading an image. */
bool covey__is_following(const covey_world *world);
bool covey__followers_valid(const covey_world *world, const char **why);

#endif
