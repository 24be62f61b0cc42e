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
/* Whether a child of this parent has the same name as an entity. */
bool covey__name_clashes(const covey_world *world, uint32_t index, uint32_t parent);
void covey__name_moved(covey_world *world, uint32_t index); /* after its parent has changed */
void covey__name_remove(covey_world *world, uint32_t index);
/* Makes the pool of names if there is none. False when that fails, which is reported. */
bool covey__names_open(covey_world *world);
/* Names an entity without comparing the names of its siblings. MEMORY. */
covey_result covey__name_put(covey_world *world, covey_entity e, const char *text, uint32_t length);
/* Replaces the text of a name. The caller gets the old text. */
void covey__name_exchange(covey_world *world, uint32_t index, char **text, uint32_t *length);
size_t covey__names_bytes(const covey_world *world);
/* Copies the names of another world. Its entities are alive in both worlds, with the same parents, and `to` has no
 * names. False when an allocation fails: `to` then has no names. */
bool covey__names_clone(const covey_world *from, covey_world *to);
/* Replacing all names, in steps: make room for this many; copy texts; free the old texts, so that the values can be
 * overwritten; build the table again. */
bool covey__names_room(covey_world *world, uint32_t count);                    /* false: no memory */
char *covey__name_text(covey_world *world, const char *text, uint32_t length); /* a copy; NULL: no memory */
void covey__name_text_free(covey_world *world, char *text, uint32_t length);
void covey__names_erase_all(covey_world *world);
void covey__names_recall(covey_world *world);

bool covey__names_valid(const covey_world *world, const char **why);

#endif
