/* Names: texts of entities, found by the parent and the text. */
#ifndef COVEY_NAME_H
#define COVEY_NAME_H

#include <covey/covey.h>

/* The value of a covey.name. The tree of its bucket finds it by the hash, the parent and the text. */
typedef struct covey__name {
    char *text;
    covey__links links; /* in the tree; its note is the length of the text */
    uint32_t hash;      /* of the parent and the text */
    uint32_t parent;    /* the index of the parent, or COVEY_NONE */
    uint32_t self;
} covey__name;

static inline uint32_t covey__name_length(const covey__name *name) { return name->links.note; }

typedef struct covey__names {
    covey_pool *pool;
    uint32_t *buckets;     /* the root of each: the index of an entity, or COVEY__NO_NODE */
    uint32_t bucket_count; /* a power of two, or 0 */
} covey__names;

const covey__name *covey__name_of(const covey_world *world, uint32_t index); /* NULL when it has none */
/* Whether another one of these siblings has the name of an entity, if that has one. */
bool covey__name_clashes(const covey_world *world, uint32_t index, uint32_t parent);
void covey__name_moved(covey_world *world, uint32_t index); /* its parent is another one now */
void covey__name_remove(covey_world *world, uint32_t index);
/* Makes the pool of names, if there is none. False when that failed, which has been reported. */
bool covey__names_open(covey_world *world);
/* Names an entity, whatever its siblings are called: MEMORY. */
covey_result covey__name_put(covey_world *world, covey_entity e, const char *text, uint32_t length);
/* Gives an entity that has a name another text, and the caller the old one. */
void covey__name_exchange(covey_world *world, uint32_t index, char **text, uint32_t *length);
void covey__names_shrink(covey_world *world);
void covey__names_free(covey_world *world); /* the pool is empty */
size_t covey__names_bytes(const covey_world *world);
/* Gives the entities of another world, which are alive here, too, and have the same parents, the names that they have
 * there. No entity has a name here. False when memory is out: then none has. */
bool covey__names_clone(const covey_world *from, covey_world *to);
/* For putting other names in the place of all: room for so many; texts; the end of those that there are, whose values are
 * then written over; and the table again. */
bool covey__names_room(covey_world *world, uint32_t count);                    /* false: no memory */
char *covey__name_text(covey_world *world, const char *text, uint32_t length); /* a copy; NULL: no memory */
void covey__name_text_free(covey_world *world, char *text, uint32_t length);
void covey__names_erase_all(covey_world *world);
void covey__names_recall(covey_world *world);

bool covey__names_valid(const covey_world *world, const char **why);

#endif
