/* The naive twins of sets and worlds that always tell the truth: plain lists, searched from end to end. They predict
 * every result, id, order and value. They never fail, and change only when they are told that the library did. */
#ifndef COVEY_TEST_ORACLE_H
#define COVEY_TEST_ORACLE_H

#include <covey/sparse_set.h>

/* Ways to lie, for the test that shows that a lie is found. */
typedef enum oracle_fault {
    ORACLE_TRUTHFUL,
    ORACLE_SHIFTS_ON_SWAP,      /* swap and pop keeps the order */
    ORACLE_FILLS_OLDEST_HOLE,   /* in place: first in, first out */
    ORACLE_FILLS_ORDERED_HOLES, /* ordered: adds go into holes */
    ORACLE_KEEPS_NO_DEAD,       /* swap only: removed elements leave */
    ORACLE_COMPACTS_FROM_FRONT, /* compaction reverses */
    ORACLE_TRIMS_TOO_LITTLE,    /* trimming leaves the last hole */
    ORACLE_SWAPS_IDS_ONLY,      /* a swap leaves the values where they are */
    ORACLE_FORGETS_GENERATION,  /* an index comes back with the generation it had */
    ORACLE_PREFERS_UNUSED,      /* an index that was never used comes before a free one */
    ORACLE_IGNORES_RANGES,      /* indices come from reserved ranges */
    ORACLE_RETIRES_LATE,        /* a used up index comes back */
    ORACLE_REPEATS_GENERATIONS, /* an exact handle may be one that was used before */
    ORACLE_FORBIDS_RETURN,      /* an entity that was destroyed never comes back */
    ORACLE_DESTROYS_UPWARD,     /* destroy_all starts at the lowest index */
    ORACLE_LEAVES_COMPONENTS,   /* a destroyed entity keeps one component's value alive */
    ORACLE_FORGETS_SET,         /* set does not overwrite */
    ORACLE_IGNORES_INDEX_ORDER, /* blocks keep the order of adding */
    ORACLE_IGNORES_WITHOUT,     /* a view matches entities that have what is excluded */
    ORACLE_NEEDS_OPTIONAL,      /* a view matches only entities that have all that is optional */
    ORACLE_NEEDS_ALL_OF_ANY,    /* any of several is all of them */
    ORACLE_LEADS_BY_LARGEST,    /* a view follows the largest of its pools */
    ORACLE_VIEWS_ROWS_BACKWARD, /* the rows of a sparse pool come from the last to the first */
    ORACLE_VIEWS_BLOCKS_BY_AGE, /* spans of blocks come in the order of creation */
    ORACLE_IGNORES_KINDS,       /* entities that are created with types get the lowest free indices */
    ORACLE_KEEPS_EXTENTS,       /* indices stay with their kind when it has no entities there */
    ORACLE_LOOKS_UP_LESS,       /* a lookup misses some of the entities that have a value */
    ORACLE_LOSES_EVENTS,        /* some events that are sent are not delivered */
    ORACLE_SORTS_UNSTABLY,      /* equals change places when they are sorted */
    ORACLE_KEEPS_LOOSELY,       /* what is added to a pool that is kept sorted goes to its end */
    ORACLE_GROUPS_OVERLAP,      /* a group may own what another one owns */
    ORACLE_GROUPS_WANT_LITTLE,  /* the members of a group have what it owns, or, owning nothing, its first type */
    ORACLE_FAULTS
} oracle_fault;

const char *oracle_fault_name(oracle_fault fault);

/* ---- Sets ---------------------------------------------------------------------------------------------------------*/

typedef struct oracle_set {
    covey_policy policy;
    uint32_t size; /* bytes of a value */
    bool zero_erased;
    bool by_index; /* the set of a block pool: no policy, always in the order of indices */
    bool pinned;   /* by index, and values never move */
    bool kept;     /* in `order`, whatever is added */
    covey_order order;
    oracle_fault fault;
    covey_entity *ids;      /* live ones and holes, then the dead ones of swap only */
    unsigned char *values;  /* `size` bytes each */
    const void **addresses; /* where the library has put them */
    uint32_t end, dead, capacity;
    uint32_t *holes; /* in place: positions, the hole made last comes last */
    uint32_t hole_count;
    uint32_t *hints; /* of a large set, where an index was seen last: searching starts there */
} oracle_set;

oracle_set *oracle_set_create(const covey_sparse_set_desc *desc, oracle_fault fault);
void oracle_set_destroy(oracle_set *set);

uint32_t oracle_set_positions(const oracle_set *set);
uint32_t oracle_set_count(const oracle_set *set);
/* The position of an index, of a handle that is in the set, of a live handle; or COVEY_NONE. */
uint32_t oracle_set_where(oracle_set *set, uint32_t index);
uint32_t oracle_set_find(oracle_set *set, covey_entity e);
uint32_t oracle_set_live(oracle_set *set, covey_entity e);
unsigned char *oracle_set_value(const oracle_set *set, uint32_t position);

/* What adding these entities returns when no allocation fails. */
covey_result oracle_set_may_push(oracle_set *set, const covey_entity *entities, uint32_t count);
/* Whether adding one needs a new position. */
bool oracle_set_needs_position(oracle_set *set, covey_entity e, bool force_back);
uint32_t oracle_set_push(oracle_set *set, covey_entity e, const void *value, bool force_back);
void oracle_set_erase(oracle_set *set, uint32_t position);
void oracle_set_erase_ordered(oracle_set *set, uint32_t position); /* closes all holes, too */
void oracle_set_clear(oracle_set *set);
void oracle_set_swap(oracle_set *set, uint32_t a, uint32_t b);
void oracle_set_compact(oracle_set *set);
void oracle_set_pack(oracle_set *set); /* in place: the last ones fill the holes before them, each once */
oracle_set *oracle_set_copy(const oracle_set *set);
/* Puts a set without holes in the order of indices, to stay in it or not. */
void oracle_set_convert(oracle_set *set, bool by_index);
/* What compaction does to a pool that must not move its elements. */
void oracle_set_trim(oracle_set *set);

/* Whether the key of an order is one, and inside of a value of this size, and its part inside of so many. */
bool oracle_order_valid(const covey_order *order, uint32_t size, uint32_t count);
bool oracle_order_is_before(const covey_order *order, const void *a, covey_entity a_id, const void *b,
                            covey_entity b_id);
bool oracle_set_is_sorted(const oracle_set *set, const covey_order *order);
void oracle_set_sort(oracle_set *set, const covey_order *order);
void oracle_set_sort_as(oracle_set *set, oracle_set *other);
/* Takes an order over, of as many ids as the set has. False if they are not the same. */
bool oracle_set_follow(oracle_set *set, const covey_entity *ids);

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

enum { ORACLE_RANGES = 8, ORACLE_POOLS = 24, ORACLE_GROUPS = 6 };

typedef enum oracle_state { ORACLE_UNUSED, ORACLE_ALIVE, ORACLE_FREE, ORACLE_RETIRED, ORACLE_ASIDE } oracle_state;

typedef struct oracle_index {
    oracle_state state;
    uint32_t generation; /* the one it has, or had last */
    uint32_t roll;       /* its place in the roll of the living */
    uint32_t pools;      /* a bit for each pool that has it */
    uint32_t off;        /* a bit for each pool in which its component is disabled */
    bool disabled;
} oracle_index;

typedef struct oracle_range {
    uint32_t first, end;
} oracle_range;

/* Indices that follow each other: of the set of types, a bit for each pool, that entities there are created with; 0:
 * of none. A slot of the set has one or more of them. */
typedef struct oracle_word {
    uint32_t set, slot;
} oracle_word;

typedef struct oracle_candidate {
    uint32_t set;
    uint64_t created; /* while it was no kind, and three quarters of the least number if it was one */
} oracle_candidate;

typedef struct oracle_pool {
    const covey_type *type;
    oracle_set *set;
} oracle_pool;

typedef struct oracle_group {
    covey_group *group;   /* the library's */
    covey_view_desc desc; /* with: what it owns, then the rest */
    uint32_t owned;
} oracle_group;

/* Is told of each change when it is made. */
typedef void oracle_hear_fn(covey_signal signal, const oracle_pool *pool, covey_entity e, void *context);

typedef struct oracle_world {
    oracle_fault fault;
    oracle_hear_fn *hear; /* or NULL */
    void *hear_context;
    unsigned char byte; /* the first one of the value that is told of */
    oracle_index *indices;
    uint32_t index_count; /* those behind were never used */
    covey_entity *roll;   /* the living, in no order, to choose from */
    uint32_t alive, roll_capacity;
    oracle_range ranges[ORACLE_RANGES]; /* the first has what the others leave */
    uint32_t range_count;
    oracle_word *words; /* by index; those behind are common */
    uint32_t word_count;
    oracle_candidate *candidates;
    uint32_t candidate_count;
    oracle_pool pools[ORACLE_POOLS]; /* in the order in which they were met */
    uint32_t pool_count;
    oracle_group groups[ORACLE_GROUPS]; /* in no order */
    uint32_t group_count;
    void (*destroyed)(void *context, covey_entity e); /* told of each entity that ends; or NULL */
    void *context;
    uint64_t tick;
    uint64_t *ticks; /* when components were changed: ORACLE_POOLS for each index */
    uint32_t tick_count;
} oracle_world;

oracle_world *oracle_world_create(oracle_fault fault);
void oracle_world_destroy(oracle_world *world);
/* A copy; and back to the state of a copy. Listeners, groups, known types and kept orders stay. */
oracle_world *oracle_world_copy(const oracle_world *world);
void oracle_world_return(oracle_world *world, const oracle_world *to);

bool oracle_alive(const oracle_world *world, covey_entity e);
/* The living entity with the lowest index from `index` on, or null. */
covey_entity oracle_next(const oracle_world *world, uint64_t index);
oracle_state oracle_state_of(const oracle_world *world, uint32_t index);

/* How many of `wanted` entities the range can still make. */
uint32_t oracle_can_create(const oracle_world *world, uint32_t range, uint32_t wanted);
uint32_t oracle_next_index(const oracle_world *world, uint32_t range); /* the one to be issued, or the range's end */
bool oracle_issues(const oracle_world *world, uint32_t range, uint32_t index); /* whether the range ever issues it */
covey_entity oracle_create(oracle_world *world, uint32_t range);
covey_result oracle_may_create_at(const oracle_world *world, uint32_t index);
covey_entity oracle_create_at(oracle_world *world, uint32_t index);
covey_result oracle_may_create_exact(const oracle_world *world, covey_entity e);
covey_entity oracle_create_exact(oracle_world *world, covey_entity e);
/* One that may come back is created by oracle_create_exact. */
covey_result oracle_may_create_again(const oracle_world *world, covey_entity e);
/* The generation that the last entity of an index had; 0: there never was one. */
uint32_t oracle_generation_at(const oracle_world *world, uint32_t index);
covey_result oracle_may_reserve(const oracle_world *world, uint32_t first, uint32_t count);
void oracle_reserve(oracle_world *world, uint32_t first, uint32_t count);
/* The number of a reserved range, or 0. */
uint32_t oracle_range_number(const oracle_world *world, covey_range range);
bool oracle_destroy(oracle_world *world, covey_entity e);
/* An index that is set aside: the handle its entity will have; back to where it was; never again; alive. */
covey_entity oracle_set_aside(oracle_world *world);
void oracle_give_back(oracle_world *world, covey_entity e);
void oracle_retire(oracle_world *world, uint32_t index);
void oracle_enliven(oracle_world *world, covey_entity e);
void oracle_destroy_all(oracle_world *world);

/* ---- Kinds --------------------------------------------------------------------------------------------------------*/

/* The bit of a pool in a set of types; the set of an entity that is alive. */
uint32_t oracle_bit_of(const oracle_world *world, const oracle_pool *pool);
uint32_t oracle_types_of(const oracle_world *world, covey_entity e);
/* Entities that are created with a set of types, 0 for none. `becomes`: the set becomes a kind by this. */
void oracle_create_with(oracle_world *world, uint32_t set, bool becomes, covey_entity *entities, uint32_t count);
bool oracle_is_kind(const oracle_world *world, uint32_t set);
uint64_t oracle_created_with(oracle_world *world, uint32_t set); /* how many while it was no kind */
/* The set that an index belongs to, or 0; gives the word of an index to a set. */
uint32_t oracle_set_at(const oracle_world *world, uint32_t index);
void oracle_give_word(oracle_world *world, uint32_t index, uint32_t set, uint32_t slot);
/* What follows when an index became free; compaction; a range was reserved. */
void oracle_word_freed(oracle_world *world, uint32_t index);
void oracle_trim_kinds(oracle_world *world);
void oracle_kinds_leave(oracle_world *world, uint32_t first, uint32_t end);

/* ---- Types, pools and components ----------------------------------------------------------------------------------*/

bool oracle_type_valid(const covey_type *type);
/* Whether a valid type is kept in blocks, pinned or not: unless it says otherwise, or names a policy. */
bool oracle_type_is_block(const covey_type *type);
/* Whether two types of one name are the same. */
bool oracle_same_layout(const covey_type *a, const covey_type *b);
/* The pool of a type's name, whatever its layout; the pool of the type itself; or NULL. */
oracle_pool *oracle_pool_named(oracle_world *world, const char *name);
oracle_pool *oracle_pool_of(oracle_world *world, const covey_type *type);
oracle_pool *oracle_pool_meet(oracle_world *world, const covey_type *type);

bool oracle_has(oracle_world *world, const oracle_pool *pool, covey_entity e);
unsigned char *oracle_get(oracle_world *world, const oracle_pool *pool, covey_entity e);
void oracle_add(oracle_world *world, const oracle_pool *pool, covey_entity e, const void *value, bool force_back);
void oracle_remove(oracle_world *world, const oracle_pool *pool, covey_entity e);
/* From the last position to the first, or by index. */
void oracle_clear(oracle_world *world, const oracle_pool *pool);
/* Tells of a value that was overwritten. */
void oracle_was_set(oracle_world *world, const oracle_pool *pool, covey_entity e);
void oracle_was_patched(oracle_world *world, const oracle_pool *pool, covey_entity e);

/* What is disabled, of an entity that is alive, or of a component that is there. */
void oracle_disable(oracle_world *world, covey_entity e, bool disabled);
void oracle_enable_all(oracle_world *world);
bool oracle_is_enabled(const oracle_world *world, covey_entity e);
void oracle_disable_component(oracle_world *world, const oracle_pool *pool, covey_entity e, bool disabled);
bool oracle_component_is_enabled(oracle_world *world, const oracle_pool *pool, covey_entity e);
/* A component that is there was changed; when that was, or 0. */
void oracle_touch(oracle_world *world, const oracle_pool *pool, covey_entity e);
uint64_t oracle_changed_at(oracle_world *world, const oracle_pool *pool, covey_entity e);

/* ---- Views --------------------------------------------------------------------------------------------------------*/

bool oracle_view_valid(const covey_view_desc *desc);
uint32_t oracle_view_fields(const covey_view_desc *desc);
const covey_type *oracle_view_type(const covey_view_desc *desc, uint32_t field);
bool oracle_view_is_read_only(const covey_view_desc *desc, uint32_t field);
bool oracle_view_matches(oracle_world *world, const covey_view_desc *desc, covey_entity e);
/* Whether the view sees a component of the entity, or its tag covey_disabled. */
bool oracle_view_sees(oracle_world *world, const covey_view_desc *desc, const covey_type *type, covey_entity e);
/* The sparse pool whose order an iteration follows; NULL where it is that of indices. */
const oracle_pool *oracle_view_lead(oracle_world *world, const covey_view_desc *desc);

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

/* Whether, and in which way, a group can own the pool of a type. */
typedef enum oracle_owning { ORACLE_OWNS_NOT, ORACLE_OWNS_PACKED, ORACLE_OWNS_BLOCKS } oracle_owning;
oracle_owning oracle_may_own(oracle_world *world, const covey_type *type);
/* What making a group returns when no allocation fails. */
covey_result oracle_may_group(oracle_world *world, const covey_group_desc *desc);
oracle_group *oracle_group_begin(oracle_world *world, const covey_group_desc *desc, covey_group *group);
void oracle_group_end(oracle_world *world, oracle_group *group);
bool oracle_group_has(oracle_world *world, const oracle_group *group, covey_entity e);
/* Whether the inner one has its members at the front of a pool of the outer one. */
bool oracle_group_is_inner(const oracle_group *inner, const oracle_group *outer);
bool oracle_group_asks_for(const oracle_group *group, const covey_type *type);
bool oracle_group_excludes(const oracle_group *group, const covey_type *type);
bool oracle_is_owned(const oracle_world *world, const oracle_pool *pool);

#endif
