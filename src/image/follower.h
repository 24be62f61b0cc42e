/* Followers: what they know of their source. image_follow.c updates it, and snapshots contain it. */
#ifndef COVEY_FOLLOWER_H
#define COVEY_FOLLOWER_H

#include <covey/covey.h>

#include <covey/image.h>
#include <covey/sparse_set.h>

struct covey_follower {
    covey_dependent dependent;       /* whose world is NULL when that has ended; busy while an image is read */
    covey_follower *next, *previous; /* of the world */
    uint64_t number;                 /* among what the world has made */
    covey__heap heap;
    covey_sparse_set *known; /* from handles of the source to those here; a packed set without holes */
};

/* Whether a follower of the world reads an image. */
bool covey__is_following(const covey_world *world);
bool covey__followers_valid(const covey_world *world, const char **why);

#endif
