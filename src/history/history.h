/* What history.c, rollback.c and history_world.c share: how a snapshot is kept.
 *
 * A snapshot is lists of units; a unit is bytes that several snapshots may share. Each list stands for an array of the
 * world, and unit i for a certain part of it, so that the next snapshot knows with which unit to compare.
 *
 *     entities         page of the table
 *     forms            page of a block store
 *     ids, values      COVEY__UNIT positions of a sparse set; values also: COVEY__UNIT_BLOCKS blocks, packed
 *     marks            64 words
 *     disabled, ticks  page
 *
 * Units of values that a copy hook has made are packed, and never shared. Names are kept as hash, length and text. */
#ifndef COVEY_INTERNAL_HISTORY_H
#define COVEY_INTERNAL_HISTORY_H

#include <covey/covey.h>

#include <covey/history.h>

#define COVEY__UNIT (COVEY_PAGE_SIZE < 512 ? COVEY_PAGE_SIZE : 512)
#define COVEY__UNIT_BLOCKS (COVEY__PAGE_BLOCKS < 8 ? COVEY__PAGE_BLOCKS : 8)
#define COVEY__UNITS_OF_PAGE (COVEY__PAGE_BLOCKS / COVEY__UNIT_BLOCKS)
#define COVEY__UNIT_WORDS 64

typedef struct covey__unit {
    struct covey__unit *next, *previous; /* all of the history */
    size_t bytes;
    const covey_type *type; /* of values that its copy hook has made; NULL: bytes */
    uint32_t count;         /* of those values */
    uint32_t references;
    bool wipe; /* its bytes are zeroed when it is freed */
} covey__unit;

#define COVEY__UNIT_HEADER 64 /* so that values of all types are aligned */
static inline char *covey__unit_bytes(const covey__unit *unit) { return (char *)(uintptr_t)unit + COVEY__UNIT_HEADER; }

typedef struct covey__units {
    covey__unit **at; /* NULL where there is nothing */
    uint32_t count;
} covey__units;

static inline covey__unit *covey__unit_at(const covey__units *list, uint32_t at) {
    return list && at < list->count ? list->at[at] : NULL;
}

typedef struct covey__set_image {
    uint32_t end, dead, holes, hole;
    covey__units ids, marks;
} covey__set_image;

typedef struct covey__pool_image {
    covey_storage storage;
    bool is_ordered; /* COVEY_USE_ORDER */
    bool keeps_order;
    covey_order order;  /* in which it was kept */
    uint64_t reactive;  /* the number of the reactive set; 0: no set, or nobody uses it */
    uint32_t count;     /* components */
    uint32_t ended;     /* handles of the destroyed, of a reactive set: */
    covey__units ends;  /* one unit */
    covey__units forms; /* in blocks */
    covey__set_image set;
    covey__units values, disabled, ticks;
} covey__pool_image;

typedef struct covey__group_image {
    uint32_t pools[COVEY_TERMS]; /* numbers */
    uint32_t owned, with, terms;
    uint32_t count, candidates;
    covey__set_image set;
} covey__group_image;

typedef struct covey__queue_image {
    uint64_t number;
    uint32_t count;
    uint32_t stride;             /* of copies of values; 0: none */
    covey__units events, values; /* one unit each */
} covey__queue_image;

typedef struct covey__commands_image {
    uint64_t number;
    uint32_t spent, count; /* ids that are used up; all */
    covey__units ids;      /* one unit */
} covey__commands_image;

typedef struct covey__follower_image {
    uint64_t number;
    covey__set_image set; /* what it knows: handles of the source, */
    covey__units values;  /* and those here */
} covey__follower_image;

typedef struct covey__resource_image {
    const covey_type *type;
    covey__units value; /* one unit */
} covey__resource_image;

typedef struct covey__snapshot {
    uint64_t number; /* saved before it */
    uint64_t tick;
    uint32_t alive, reserved_count, reserved_root;
    covey__range range;
    covey__units reserved; /* one unit */
    covey__units entities;
    covey__pool_image *pools; /* by number */
    covey__group_image *groups;
    covey__queue_image *queues;
    covey__commands_image *commands;
    covey__follower_image *followers;
    covey__resource_image *resources;
    uint32_t pool_count, group_count, queue_count, commands_count, follower_count, resource_count;
} covey__snapshot;

struct covey_history {
    covey_world *world;
    covey_history *next, *previous; /* of the world */
    covey__snapshot **snapshots;    /* the newest is the last */
    uint32_t count, table, capacity;
    uint64_t saved;     /* snapshots, ever */
    covey__unit *units; /* all, as a list */
    covey__heap heap;
};

/* A name, before its text. */
typedef struct covey__name_record {
    uint32_t hash, parent, length;
} covey__name_record;

/* How the values of a pool are kept. */
typedef enum covey__keeping { COVEY__KEEP_BYTES, COVEY__KEEP_COPIES, COVEY__KEEP_NAMES } covey__keeping;
covey__keeping covey__keeping_of(const covey_pool *pool);

covey__unit *covey__unit_create(covey_history *history, size_t bytes, const covey_type *type); /* NULL: no memory */
void covey__unit_release(covey_history *history, covey__unit *unit);
bool covey__units_create(covey_history *history, covey__units *list, uint32_t count); /* false: no memory */
void covey__units_release(covey_history *history, covey__units *list);
/* Makes one more value with the copy hook. */
bool covey__unit_copy(const covey_history *history, covey__unit *unit, const void *value);
/* Why the state cannot be saved or restored now; NULL if it can. */
const char *covey__history_objection(const covey_world *world);
/* The image of a group; NULL if there was none with the same terms. Of several, the order tells them apart. */
const covey__group_image *covey__group_image_of(const covey__snapshot *snapshot, const covey_group *group);
/* Gives a world the state of a snapshot: the history's, or another one that has the pools of then, empty and in the storages
 * of then, and the places of its entities. *reason is a name or a sentence where it fails, or NULL. */
covey_result covey__snapshot_restore(covey_history *history, const covey__snapshot *snapshot, covey_world *world,
                                     const char **reason);
#define COVEY__NO_SNAPSHOT "the history has no snapshot so far back: ask covey_history_count"
void covey__history_discard(covey_history *history, uint32_t count); /* keeps only this many, the oldest */
uint64_t covey__reactive_number(const covey_pool *tags);             /* 0 when nobody uses it */

void covey__histories_free(covey_world *world);
bool covey__histories_valid(const covey_world *world, const char **why);

#endif
