/* Covey, optional: lookups, which find entities by what a field of a component says.
 *
 *     typedef struct { covey_entity owner; int32_t since; } OwnedBy;
 *     COVEY_FIELDS_DEFINE(OwnedBy, entity(owner), i32(since));
 *     COVEY_COMPONENT_DEFINE(OwnedBy, .fields = &covey_fields_OwnedBy, .ticks = true);
 *
 *     covey_lookup *owned = covey_lookup_create(world, &(covey_lookup_desc){
 *         .type = covey_id(OwnedBy), .field = "owner", .when_target_ends = COVEY_TARGET_REMOVE });
 *
 *     covey_lookup_count(owned, &player);                       how many things the player owns
 *     covey_search things = covey_lookup_find(owned, &player);
 *     while (covey_search_next(&things))
 *         for (uint32_t i = 0; i < things.count; i++) ... things.entities[i] ...
 *
 *     covey_search things = covey_lookup_find(owned, &player);            those with a Weight, as spans or rows
 *     covey_iter it = covey_view_iter_search(&weights, &things);
 *
 * A component with a field of kind `entity` is a relation: the entity that has the component is the source, the one in
 * the field is the target. A lookup of this field finds the sources of a target. A lookup of a number, a boolean or a
 * text finds the entities with a value; with .ordered, also those in a range. A lookup of two or three numbers, a
 * place, finds the entities in a box, near a point, and the pairs of entities that are close to each other.
 *
 * A lookup is never out of date. It learns of changes as ticks do, so its type has .ticks, and there is no special way
 * to set a value: covey_add, covey_set and loops that write are seen, up to four in one another; after writing through
 * the pointer of covey_get, call covey_patch(world, e, T, NULL, NULL). What has changed since the last question is
 * filed when one is asked: O(changes), and a step for each 4,096 indices. Everything this needs is allocated when a
 * component is added, so that adding may fail for lack of memory, and asking, setting, removing and destroying never
 * do.
 *
 * Answers are in an order that depends on the contents of the world alone: by key, then by the index of the entity. So
 * they are the same after loading, rollback and following, and on every machine. These keep the lookups of a world;
 * images do not contain them, and clones of a world have none.
 *
 * Questions include disabled entities and components; views over a search skip them.
 *
 * Any number of threads may ask at the same time if nothing has changed since the last question, or since
 * covey_lookup_settle. In a schedule that is done: a system that asks reads the type, and what systems wrote is filed
 * when they end. */
#ifndef COVEY_LOOKUP_H
#define COVEY_LOOKUP_H

#include <covey/covey.h>

COVEY__STRUCTS_FOLLOW

#ifdef __cplusplus
extern "C" {
#endif

typedef struct covey_lookup covey_lookup;

/* ---- Lookups -----------------------------------------------------------------------------------------------------*/

/* What happens to the sources of an entity that is destroyed. It happens before the call that destroys it returns, in
 * index order, to the entities that are sources after the listeners of the destruction were called; if that call is
 * made while the sources of another target are dealt with, or a tree is destroyed, it happens after that. Lookups do so
 * in the order in which they were created. What a loop over rows destroys must have no sources that the rules of
 * iteration protect. */
typedef enum covey_target_end {
    COVEY_TARGET_KEEP = 0,   /* nothing: fields keep the handle, which is stale, and which still finds them */
    COVEY_TARGET_CLEAR = 1,  /* the field becomes null; ticks note it, and no listener is called */
    COVEY_TARGET_REMOVE = 2, /* the component is removed */
    COVEY_TARGET_DESTROY = 3 /* the source is destroyed, and then its own sources */
} covey_target_end;

typedef struct covey_lookup_desc {
    const covey_type *type; /* with .ticks and .fields */
    /* The name of a field: a number, a boolean, an entity, or a text, which is an array of characters of at most
     * COVEY_TEXT_MAX bytes. "body.owner" is a field of a nested struct. */
    const char *field;
    bool ordered; /* numbers and texts: also answer covey_lookup_range, _first and _last */
    /* Or a place: the names of two or three fields that are numbers, or of one that is an array of two or three. */
    const char *place[3];
    double cell;                       /* places: the side of a cell, about the distance that questions are about */
    covey_target_end when_target_ends; /* entity fields only */
} covey_lookup_desc;

#define COVEY_TEXT_MAX 256

/* Makes a lookup of a type, which lives as long as its world unless it is destroyed. Returns NULL on failure: MEMORY;
 * TYPE when the type lacks .ticks, .fields or the named field, or the field is of another kind; RANGE when the
 * description contradicts itself; LAYOUT. O(components of the type). */
COVEY_NODISCARD COVEY_API covey_lookup *covey_lookup_create(covey_world *world, const covey_lookup_desc *desc);
COVEY_API void covey_lookup_destroy(covey_lookup *lookup); /* NULL is allowed */
COVEY_API const covey_type *covey_lookup_type(const covey_lookup *lookup);
/* The bytes that it takes. */
COVEY_API size_t covey_lookup_memory(const covey_lookup *lookup);
/* Files what has changed, so that threads may ask. */
COVEY_API void covey_lookup_settle(covey_lookup *lookup);
/* What a lookup was made from. The names are valid as long as the lookup. `.cell` is the side that its cells have: a
 * millionth larger than the one asked for. */
COVEY_API covey_lookup_desc covey_lookup_description(const covey_lookup *lookup);
/* The lookups of a world, in the order in which they were created; NULL if there are fewer. O(number of lookups). */
COVEY_API uint32_t covey_world_lookup_count(const covey_world *world);
COVEY_API covey_lookup *covey_world_lookup(const covey_world *world, uint32_t number);

/* ---- Values ------------------------------------------------------------------------------------------------------
 *
 * A key is the address of a value of the field: of a covey_entity, an int32_t, a float; for a text, the text itself,
 * which ends with zero. -0 is 0. All NaN are one value, which is in no range. A null handle is no target: nothing is
 * found for it. */

/* How many entities have this value. O(1); O(log entities) if the lookup is ordered. */
COVEY_API uint32_t covey_lookup_count(covey_lookup *lookup, const void *key);
/* How many entities have the component, without those whose target is null. O(1). */
COVEY_API uint32_t covey_lookup_size(covey_lookup *lookup);

/* The entities that a question finds, some at a time: a value, with nothing to end. The program may change anything
 * while it goes through them; it then finds what has the value when its turn comes, in the order of the answers. A text
 * that was asked for must stay where it is meanwhile. */
typedef struct covey_search covey_search;
/* Finds the next entities. Returns whether there are any: then there are `count` of them in `entities`. */
COVEY_API bool covey_search_next(covey_search *search);

/* The entities with this value, in index order. */
COVEY_API covey_search covey_lookup_find(covey_lookup *lookup, const void *key);
/* Those with a value from `low` to `high`, both included, in the order of values; NULL means no bound. Ordered lookups
 * only: others find nothing (REFUSED). */
COVEY_API covey_search covey_lookup_range(covey_lookup *lookup, const void *low, const void *high);
/* The entity with the least and the greatest value, by index if there are several; null if there is none. NaN does not
 * count. Ordered lookups only. */
COVEY_API covey_entity covey_lookup_first(covey_lookup *lookup);
COVEY_API covey_entity covey_lookup_last(covey_lookup *lookup);
/* The sources of an entity, the sources of these, and so on: each before its own, and in index order among those of one
 * target. An entity that is reached again, in a circle, is not repeated, and the one asked for is not included. If the
 * program changes targets meanwhile, the search ends when the entity found last is no longer below this one. For entity
 * fields. */
COVEY_API covey_search covey_lookup_find_below(covey_lookup *lookup, covey_entity target);

/* ---- Places ------------------------------------------------------------------------------------------------------
 *
 * A point is an array of two or three numbers, as many as the place has. Distances are straight. An entity whose place
 * has a NaN is never found. Answers come by cell: by the first number, then by the second one; in a cell by index. If a
 * question is about more cells than there are entities, they come by index alone. Filing is fastest if the type has
 * nothing but the floats or doubles of the place. */

/* The entities from `low` to `high`, both included. */
COVEY_API covey_search covey_lookup_in_box(covey_lookup *lookup, const double *low, const double *high);
/* The entities at most so far from a point. */
COVEY_API covey_search covey_lookup_near(covey_lookup *lookup, const double *point, double distance);
/* Fills in the `count` entities nearest to a point, the nearest first, and those equally far in index order; none
 * further than `distance`, which may be INFINITY. Returns how many were found. `distances` may be NULL. */
COVEY_API uint32_t covey_lookup_nearest(covey_lookup *lookup, const double *point, double distance,
                                        covey_entity *entities, double *distances, uint32_t count);

/* The cell that an entity is in: as many numbers as the place has. The middle of a cell is at its numbers times its
 * side. Returns false if the entity is in none. Cells that are too far away for these numbers are one. O(1). */
COVEY_API bool covey_lookup_cell(covey_lookup *lookup, covey_entity e, int32_t *cell);

/* All pairs of entities at most so far from each other, some at a time. Each pair comes once, in either order. Do not
 * change the places of the entities meanwhile, or destroy them: note which, and do it afterwards. */
typedef struct covey_pairs covey_pairs;
COVEY_API covey_pairs covey_lookup_pairs(covey_lookup *lookup, double distance);
/* Finds the next pairs. Returns whether there are any: then there are `count` of them, a[i] and b[i]. */
COVEY_API bool covey_pairs_next(covey_pairs *pairs);

/* ---- Views -------------------------------------------------------------------------------------------------------*/

/* Iterates the entities that a search finds and that match the view, in their order, as spans or rows. The search must
 * stay where it is until the iteration ends, and nothing else may use it. */
COVEY_API covey_iter covey_view_iter_search(const covey_view *view, covey_search *search);

/* ---- The values --------------------------------------------------------------------------------------------------*/

COVEY__STRUCTS_KNOWN

#ifndef COVEY_FOUND
#define COVEY_FOUND 256 /* entities that a search finds at a time */
#endif
#define COVEY__PAIRS 256 /* pairs that are found at a time */

struct covey_search {
    uint32_t count;                     /* API: how many were found, */
    covey_entity entities[COVEY_FOUND]; /* and which */
    covey_lookup *lookup;
    uint8_t asked;      /* a covey__asked */
    bool begun;         /* an entity was found */
    uint32_t last;      /* the index of the entity found last */
    uint64_t changes;   /* of what is filed, up to then */
    uint32_t place[4];  /* of a range: where the next one is, unless something was filed since */
    uint64_t low, high; /* keys, or the lengths of texts */
    const char *text, *high_text;
    char last_text[COVEY_TEXT_MAX];
    double centre[3], distance; /* a point, and how far from it */
    double box_low[3], box_high[3];
    bool scans;                      /* all entities are looked at, because there are more cells */
    int64_t from[3], to[3], cell[3]; /* the cells to look at, and the next one */
};

struct covey_pairs {
    uint32_t count;
    covey_entity a[COVEY__PAIRS], b[COVEY__PAIRS];
    covey_lookup *lookup;
    double distance;
    uint64_t changes;        /* of what is filed, up to the beginning */
    uint8_t order;           /* of the cells; see src/lookup/pairs.c */
    bool whole;              /* each has a slot of its own */
    bool done;               /* all pairs were found */
    uint32_t side;           /* of the cube of cells around one */
    int32_t low[3], high[3]; /* of all cells */
    int32_t cell[3];         /* whose pairs are found */
    uint32_t first;          /* and, if cells come by their first entities, this one */
    uint32_t some;           /* some entities of the cell begin with this one, */
    uint32_t other;          /* and are compared with this cell around it, where 0 is the cell itself: */
    uint32_t with;           /* with some that begin with this one, */
    uint32_t at;             /* from this number of the former on */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_LOOKUP_H */
