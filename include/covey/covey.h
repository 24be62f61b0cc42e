/* Covey: an entity component system for C.
 *
 * An entity is a handle of eight bytes. A component is a plain C struct. A world owns both: it knows which entities are
 * alive, and has one pool for each component type. By default a pool stores its components in blocks of 64 indices, in
 * index order. A type can ask for a sparse set instead: a paged table from an entity's index to a position, and packed
 * arrays of ids and values.
 *
 *     typedef struct { float x, y; } Position;
 *     COVEY_COMPONENT_DEFINE(Position);
 *
 *     covey_world *world = covey_world_create(NULL);
 *     covey_entity e = covey_create(world);
 *     covey_add(world, e, Position, { 1, 2 });
 *     covey_get(world, e, Position)->x += 1;
 *     covey_destroy(world, e);
 *     covey_world_destroy(world);
 *
 * This header is the API, in reading order:
 *
 *     1  configuration       5  worlds           9  views
 *     2  results             6  entities        10  many at once
 *     3  memory              7  components      11  resources
 *     4  component types     8  held pools      12  copies
 *
 * It includes seven more headers, which are part of it:
 *
 *     covey/sort.h           sorting pools, once or for good
 *     covey/group.h          groups, whose components lie side by side
 *     covey/react.h          signals, queues and reactive sets, which report changes
 *     covey/tick.h           change ticks: when values were changed
 *     covey/enable.h         disabling and enabling entities and components
 *     covey/print.h          worlds as text
 *     covey/advice.h         advice on storages and groups, maps of pools
 *
 * Optional features have headers of their own: covey/commands.h, covey/events.h, covey/fields.h, covey/hierarchy.h,
 * covey/history.h, covey/image.h, covey/lookup.h, covey/schedule.h, covey/shared.h. covey/sparse_set.h has the sparse
 * set, for programs without a world. Headers below covey/detail/ hold inline code and the structures that it needs.
 * They are not API, and may change with any version.
 *
 * Rules that hold everywhere
 *   - A null, stale or never issued handle is ordinary data: calls return NULL or false and change nothing.
 *   - A call that fails changes nothing, and covey_world_result() returns the reason until another call fails. What
 *     a failed call may leave behind is spare capacity, and a type that the world now knows.
 *   - Removing and destroying never allocate and never fail. Queries never allocate.
 *   - Covey is deterministic: the same calls give the same ids, order and packed positions everywhere.
 *   - Nothing that was made from a world outlives it (covey_world_destroy).
 *   - One thread at a time makes structural changes to a world, and none reads it meanwhile. Without structural
 *     changes, any number of threads may read. */
#ifndef COVEY_H
#define COVEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define COVEY_VERSION_MAJOR 0
#define COVEY_VERSION_MINOR 1
#define COVEY_VERSION_PATCH 0
#define COVEY_VERSION (COVEY_VERSION_MAJOR * 10000 + COVEY_VERSION_MINOR * 100 + COVEY_VERSION_PATCH)

/* ---- 1. Configuration ----------------------------------------------------------------------------------------------
 *
 * Compile-time constants. Set them with -D, or in a header that COVEY_CONFIG_FILE names. A program and a library that
 * disagree about the first three do not link. */

#ifdef COVEY_CONFIG_FILE
#include COVEY_CONFIG_FILE
#endif

/* If the next two sum to 32 bits or less, a handle takes four bytes instead of eight, and so does a slot of a sparse
 * set. */
#ifndef COVEY_INDEX_BITS
#define COVEY_INDEX_BITS 32 /* 4 to 32: a world holds up to 2^bits - 1 entities at once */
#endif
#ifndef COVEY_GENERATION_BITS
#define COVEY_GENERATION_BITS 32 /* 2 to 32: an index is used 2^(bits - 1) times, then retired */
#endif
#ifndef COVEY_PAGE_SIZE
#define COVEY_PAGE_SIZE 1024 /* slots in a page of a table: a power of two */
#endif
/* 0: none. 1: contracts of calls, and rules of iteration. 2: also costly ones. 3: also validates after changes. */
#ifndef COVEY_ASSERT_LEVEL
#ifdef NDEBUG
#define COVEY_ASSERT_LEVEL 0
#else
#define COVEY_ASSERT_LEVEL 1
#endif
#endif

/* The index and the position that never exist. */
#define COVEY_NONE ((uint32_t)(((uint64_t)1 << COVEY_INDEX_BITS) - 1))
/* The last generation of an index: an odd number. */
#define COVEY_GENERATION_MAX ((uint32_t)(((uint64_t)1 << COVEY_GENERATION_BITS) - 1))

#if COVEY_INDEX_BITS < 4 || COVEY_INDEX_BITS > 32 || COVEY_GENERATION_BITS < 2 || COVEY_GENERATION_BITS > 32
#error "covey: COVEY_INDEX_BITS goes from 4 to 32, COVEY_GENERATION_BITS from 2 to 32"
#endif
#if COVEY_PAGE_SIZE < 2 || COVEY_PAGE_SIZE > 4096 || (COVEY_PAGE_SIZE & (COVEY_PAGE_SIZE - 1)) != 0
#error "covey: COVEY_PAGE_SIZE is a power of two from 2 to 4096"
#endif

#if COVEY_INDEX_BITS + COVEY_GENERATION_BITS <= 32
#define COVEY__NARROW 1
#else
#define COVEY__NARROW 0
#endif

#include <covey/detail/compiler.h>

COVEY__STRUCTS_FOLLOW

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the linked library, in the form of COVEY_VERSION. */
COVEY_API uint32_t covey_version(void);

typedef struct covey_world covey_world;
typedef struct covey_pool covey_pool;
typedef struct covey_type covey_type;
typedef struct covey_fields covey_fields;
typedef struct covey_codec covey_codec;
typedef struct covey_group covey_group;
typedef struct covey_reactive covey_reactive;
typedef struct covey_queue covey_queue;
typedef struct covey_order covey_order;

/* A handle names an entity. The null handle is { 0, 0 }, so zeroed memory holds null handles. */
typedef struct covey_entity {
#if COVEY__NARROW
    uint32_t index : COVEY_INDEX_BITS;
    uint32_t generation : 32 - COVEY_INDEX_BITS; /* all remaining bits: equal handles have equal bytes */
#else
    uint32_t index, generation;
#endif
} covey_entity;

/* The handle with this index and generation, or null if either is out of range. Use it for values that are not
 * constants: where handles take four bytes, { index, generation } truncates. */
COVEY_INLINE covey_entity covey_entity_make(uint32_t index, uint32_t generation);

#ifdef __cplusplus
#define COVEY_NULL (covey_entity{})
#else
#define COVEY_NULL ((covey_entity){ 0, 0 })
#endif
COVEY_INLINE bool covey_is_null(covey_entity e) { return e.generation == 0; }
COVEY_INLINE bool covey_same(covey_entity a, covey_entity b) {
    return a.index == b.index && a.generation == b.generation;
}
/* A hash for hash tables: well mixed in all its bits, and the same on every machine. */
COVEY_INLINE uint64_t covey_entity_hash(covey_entity e);

/* ---- 2. Results --------------------------------------------------------------------------------------------------*/

/* Why a call failed. The numbers are part of the API and never change. */
typedef enum covey_result {
    COVEY_OK = 0,
    COVEY_ERROR_MEMORY = 1,    /* an allocation failed */
    COVEY_ERROR_DEAD = 2,      /* the handle is null, stale or was never issued */
    COVEY_ERROR_PRESENT = 3,   /* it exists already: for example, the component */
    COVEY_ERROR_ABSENT = 4,    /* it does not exist: for example, the component */
    COVEY_ERROR_FULL = 5,      /* no index or position is left */
    COVEY_ERROR_TAKEN = 6,     /* the wanted index, handle or range is in use, used up or reserved */
    COVEY_ERROR_RANGE = 7,     /* an argument is not valid: for example, an index is too large */
    COVEY_ERROR_TYPE = 8,      /* the descriptor is incomplete or contradicts itself */
    COVEY_ERROR_LAYOUT = 9,    /* another type with this name has another layout */
    COVEY_ERROR_COPY = 10,     /* the type cannot be copied, or its copy hook returned false */
    COVEY_ERROR_REFUSED = 11,  /* the storage, policy, order or group of the pool does not support the operation */
    COVEY_ERROR_CONFLICT = 12, /* another group owns one of the pools, and the two are the same or not nested */
    COVEY_ERROR_GONE = 13,     /* it was done, and a listener undid it at once: the value was taken over and dropped */
    COVEY_ERROR_CYCLE = 14,    /* the entity would be its own ancestor */
    COVEY_ERROR_FILE = 15,     /* a file could not be read or written */
    COVEY_ERROR_IMAGE = 16,    /* the image is damaged, or this program cannot read it */
    COVEY_ERROR_LIMIT = 17,    /* the image exceeds the caller's limits */
    COVEY_ERROR_CANCELLED = 18 /* a progress function returned false */
} covey_result;

/* A short English text for a result, for example "the handle is null, stale or was never issued". */
COVEY_API const char *covey_result_text(covey_result result);

/* ---- 3. Memory ---------------------------------------------------------------------------------------------------*/

/* The one allocation function. If `ptr` is NULL, it allocates. If `new_size` is 0, it frees and returns NULL. Otherwise
 * it resizes the block and keeps its bytes. Returns NULL on failure; the old block is then unchanged. `old_size` is the
 * size that the block was last given. `align` is a power of two, and the same in all calls for one block. */
typedef void *covey_alloc_fn(void *context, void *ptr, size_t old_size, size_t new_size, size_t align);

/* Zero means the C library's allocator. */
typedef struct covey_allocator {
    covey_alloc_fn *fn;
    void *context;
} covey_allocator;

/* ---- 4. Component types --------------------------------------------------------------------------------------------
 *
 * A constant object, the descriptor, describes a type. It and its name must live as long as the worlds that use the
 * type or are asked about it. The address of the descriptor identifies the type. A world that meets a new address looks
 * for a type with the same name: so two shared libraries that each define `Position` share one pool, with the hooks of
 * the descriptor that the world met first. There is no registration step. */

/* How a pool stores its components. */
typedef enum covey_storage {
    COVEY_STORAGE_DEFAULT = 0, /* blocks; or sparse, if the type names a policy */
    COVEY_STORAGE_SPARSE = 1,  /* a sparse set: packed arrays in an order that you control */
    COVEY_STORAGE_BLOCK = 2,   /* blocks of 64 ids: smallest in memory, iterates in index order in long spans */
    COVEY_STORAGE_PINNED = 3   /* blocks with a slot for each id: addresses are stable */
} covey_storage;

/* What removal does to the packed arrays of a sparse set. */
typedef enum covey_policy {
    COVEY_SWAP_AND_POP = 0, /* swap-remove: the last element fills the hole. Always packed; order is lost */
    COVEY_IN_PLACE = 1,     /* leaves a hole that a later add fills: values never move, addresses are stable */
    COVEY_SWAP_ONLY = 2,    /* swaps the element behind the live ones and keeps it there */
    COVEY_ORDERED = 3       /* leaves a hole that only compaction closes: order is kept */
} covey_policy;

/* Frees what a value owns. Hooks may read the world and write to values, but must not make structural changes:
 * assertion level 1 reports that with the name of the type, and refuses the call (REFUSED). To react to the end of a
 * value, listen to COVEY_ON_REMOVE, or record into a command buffer. */
typedef void covey_drop_fn(void *value, void *context);
/* Makes a copy of a value in uninitialised memory at `to`. Returns false on failure; `to` then counts as uninitialised.
 * Must not change the world. */
typedef bool covey_copy_fn(void *to, const void *from, void *context);
/* Moves a value from `from` to uninitialised memory at `to`, and leaves `from` uninitialised. Cannot fail. Must not
 * change the world. */
typedef void covey_move_fn(void *to, void *from, void *context);
#define COVEY_MOVE_MAX 1024 /* the largest value, in bytes, that a type with `move` may have */

/* The description of a component type. Zero fields mean the default. Values are moved with memcpy, or by the `move`
 * hook: for values that point into themselves, and for most C++ classes. */
struct covey_type {
    /* The stable key of the type, also in files; names that begin with "covey." are reserved for the library. */
    const char *name;
    uint32_t size;         /* bytes of a value; 0 for a tag */
    uint32_t align;        /* a power of two up to 64 that divides size */
    covey_storage storage; /* a policy other than COVEY_SWAP_AND_POP selects, and needs, COVEY_STORAGE_SPARSE */
    covey_policy policy;
    bool zero_erased;           /* zero the bytes that a removed or moved value leaves behind */
    bool no_copy;               /* refuse to copy values, to other entities and to other worlds */
    bool ticks;                 /* remember when each value was changed (covey/tick.h) */
    bool as_bytes;              /* images hold the bytes of a value; for types without pointers, padding and hooks */
    bool transient;             /* images leave the type out */
    uint8_t compact_above;      /* ordered: covey_compact skips the pool while at most this many percent are holes */
    covey_drop_fn *drop;        /* optional: called when a value is removed or overwritten */
    covey_copy_fn *copy;        /* optional: without it, a type with `drop` or `move` cannot be copied */
    covey_move_fn *move;        /* optional: replaces memcpy; not with .as_bytes */
    void *context;              /* passed to the hooks */
    const covey_fields *fields; /* optional: the fields of a value (covey/fields.h); not with .as_bytes */
    const covey_codec *codec;   /* optional: functions that save and load what a value owns (covey/image.h) */
    /* Optional: the default value. Adding a component without a value adds a copy of it, made by `copy` if there is
     * one; loading takes from it the fields that an image lacks. A type with `drop` or `move` needs `copy` for this.
     * Tags have no default. */
    const void *defaults;
    uint32_t reserved; /* must be zero */
};

/* For a header, after the struct. */
#define COVEY_COMPONENT_DECLARE(T)                    \
    typedef char COVEY__SIZE_TYPE(T)[sizeof(T) + 1u]; \
    COVEY__EXTERN const covey_type covey_type_##T

/* For a header: a tag, which is a component without a value. */
#define COVEY_TAG_DECLARE(T)                 \
    typedef struct T T;                      \
    typedef char COVEY__SIZE_TYPE(T)[0 + 1]; \
    COVEY__EXTERN const covey_type covey_type_##T

/* For one source file. Fields of covey_type may follow the name:
 *     COVEY_COMPONENT_DEFINE(Position);
 *     COVEY_COMPONENT_DEFINE(Body, .policy = COVEY_IN_PLACE, .drop = body_drop);
 * To make two components from one C type, typedef it twice. In C++, define components with covey.hpp. */
#ifndef __cplusplus
#define COVEY_COMPONENT_DEFINE(...) COVEY__COMPONENT_DEFINE(__VA_ARGS__, .reserved = 0)
#define COVEY_TAG_DEFINE(...) COVEY__TAG_DEFINE(__VA_ARGS__, .reserved = 0)
#endif

/* The descriptor of T, for functions that take a type. covey_ids lists several, for descriptions:
 *     .with = { covey_ids(Position, Velocity) } */
#define covey_id(T) (0 * COVEY__SIZE(T) + &covey_type_##T)
#define covey_ids(...) COVEY__EACH(COVEY__ID, , __VA_ARGS__)

/* ---- 5. Worlds ---------------------------------------------------------------------------------------------------*/

/* Called for each failed call, on the thread of that call, with the result and a sentence that names what was
 * refused. */
typedef void covey_log_fn(covey_result item, const char *text, void *context);
/* Called when a contract is broken, for example when a pool is used with another type. If it returns, the call
 * continues as it would without assertions. */
typedef void covey_assert_fn(const char *what, const char *file, int line, void *context);

typedef struct covey_world_desc {
    covey_allocator allocator;
    covey_log_fn *log; /* NULL prints the first 100 failures to stderr, and counts the others */
    void *log_context;
    covey_assert_fn *on_assert; /* NULL prints the message to stderr and aborts */
    void *assert_context;
    /* The lowest index that covey_create uses. Worlds with disjoint indices refuse each other's handles. Images do not
     * contain it: load into a world with the same value. */
    uint32_t first_index;
    bool quiet; /* without a log function, print no failures: for programs that check every result */
    /* Every new entity gets the lowest free index. Otherwise only covey_create does so, and entities that are created
     * with components get indices beside others with the same types, which makes loops over them faster. */
    bool ids_in_order;
} covey_world_desc;

/* Makes an empty world. NULL for `desc` means all defaults. Returns NULL when out of memory. */
COVEY_NODISCARD COVEY_API covey_world *covey_world_create(const covey_world_desc *desc);

/* Tells listeners that all entities are destroyed, then drops every value and frees everything. NULL is allowed.
 *
 * Nothing that was made from a world outlives it. Groups, queues, reactive sets, command buffers and histories belong
 * to the world, which destroys those that are left: their pointers must not be used any more. Schedules, followers and
 * inspectors belong to the program, which destroys them before the world. If one is left, that breaks a contract (level
 * 1), and the message names it. Its calls then do nothing and fail (REFUSED), and destroying it is allowed. Refused
 * while one of them uses the world, for example when an exclusive system calls this. */
COVEY_API void covey_world_destroy(covey_world *world);

/* The reason why the last changing call failed; COVEY_OK if none has. A success does not reset it. */
COVEY_API covey_result covey_world_result(const covey_world *world);
/* Reports a failure as calls of this library do: sets the world's result and calls its log. For libraries on top of
 * Covey. Returns the result. */
COVEY_API covey_result covey_world_fail(covey_world *world, covey_result result, const char *text);

/* A further log function beside the one in covey_world_desc, for tools that inspect a world they did not make. The
 * caller owns the object, and keeps it in place until it is disconnected or the world ends. */
typedef struct covey_log_listener {
    covey_log_fn *log;
    void *context;
    struct covey_log_listener *next; /* used by the world */
} covey_log_listener;
/* Connects a listener that is not connected. It is called after the world's own log function and after listeners that
 * were connected earlier. Clones of the world do not have it. Never fails. Not while systems run. */
COVEY_API void covey_log_connect(covey_world *world, covey_log_listener *listener);
/* Returns whether it was connected. A listener may disconnect itself while it is called. */
COVEY_API bool covey_log_disconnect(covey_world *world, covey_log_listener *listener);

/* An object that uses a world and has to be destroyed before it, as schedules do: for libraries on top of Covey. The
 * owner keeps it in place while it is attached. Clones of the world do not have it. */
typedef struct covey_dependent covey_dependent;
struct covey_dependent {
    /* What covey_world_destroy reports (level 1) if the object is still attached, for example "a world is destroyed
     * before its inspector: call covey_inspect_close first". */
    const char *left;
    /* Optional: called after that report, while the world is still valid. The object must not use the world later. */
    void (*ended)(covey_dependent *dependent);
    bool busy;                        /* set by the owner while covey_world_destroy has to be refused */
    covey_world *world;               /* set by the world: NULL while the object is not attached */
    covey_dependent *next, *previous; /* used by the world */
};
/* Neither call fails. Detaching an object that is not attached, or whose world was destroyed, does nothing. Not while
 * systems run. */
COVEY_API void covey_dependent_attach(covey_world *world, covey_dependent *dependent);
COVEY_API void covey_dependent_detach(covey_dependent *dependent);

/* The bytes that the world has allocated, pools included: exactly what its allocator has handed out, without command
 * buffers and histories, which covey_commands_memory and covey_history_memory count. */
COVEY_API size_t covey_world_memory(const covey_world *world);

/* Checks every invariant of the world. If one is broken, returns false and sets *why (`why` may be NULL).
 * O(everything). */
COVEY_API bool covey_world_validate(const covey_world *world, const char **why);

/* ---- 6. Entities ---------------------------------------------------------------------------------------------------
 *
 * covey_create takes the lowest free index, whether it was used before or not, so entities stay close together.
 * Entities that are created with the same components (covey_create_with, covey_clone, merged images) are a *kind*: they
 * get indices beside each other, which covey_create does not use. So their components lie beside each other in all
 * pools, and loops over them have long spans. Nothing moves when components are added or removed later. A set of types
 * becomes a kind after about 16 entities. The same calls give the same indices everywhere.
 *
 * Each use of an index has a new generation, and an index whose generations are used up is retired. So a stale handle
 * never resolves, with two exceptions that you ask for: covey_history_restore returns to a state in which later handles
 * were not issued yet, so they are issued again (covey/history.h); and COVEY_EXACT_AGAIN brings an entity back under
 * its old handle. */

/* Makes an entity without components. Returns null when indices (FULL) or memory (MEMORY) run out, or when a listener
 * destroyed it at once (GONE). O(1); when 64 indices are used up, the next free one is searched for, which skips 65,536
 * used indices at a time. */
COVEY_HOT covey_entity covey_create(covey_world *world);

/* Makes `count` entities, the same as that many single calls. All or nothing: on failure returns false and fills in
 * null handles. */
COVEY_NODISCARD COVEY_API bool covey_create_many(covey_world *world, covey_entity *entities, uint32_t count);

/* Makes an entity without components where entities with these types are, for programs that add components later:
 *     covey_entity e = covey_create_for(world, Position, Velocity);
 * covey_create_like: where entities with the types of another entity are. Both fail as covey_create does; also when a
 * type is refused, or the other entity is not alive (DEAD). O(log kinds). */
#define covey_create_for(world, ...) \
    covey_create_for_raw(COVEY__WORLD(world), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
COVEY_API covey_entity covey_create_for_raw(covey_world *world, const covey_type *const *types);
COVEY_API covey_entity covey_create_like(covey_world *world, covey_entity e);

/* Makes an entity with this index. Returns null when the index is in use or retired (TAKEN), too large (RANGE), or
 * memory runs out. O(1); an index far above all others takes a page of the world's table, and 8 bytes for each page
 * below it. */
COVEY_API covey_entity covey_create_at(covey_world *world, uint32_t index);

/* Which handles covey_create_exact may issue. */
typedef enum covey_exact {
    COVEY_EXACT_NEW = 0,  /* only generations that are later than all of their index here */
    COVEY_EXACT_AGAIN = 1 /* also the last generation of an index: for entities that left this world and come back */
} covey_exact;

/* Makes entities with exactly these handles, for example handles that a server sent. Skipped generations of an index
 * are never used. Under COVEY_EXACT_AGAIN, stale handles that are given resolve again. All or nothing. Returns false
 * when an index is in use, given twice or retired, or the generation was used before (TAKEN); when no entity can have a
 * handle, because its index is too large, or its generation is even or too large (RANGE); or when memory runs out.
 * Returns true whatever listeners did to the entities. O(count); a high index costs as for covey_create_at.
 *     covey_create_exact(world, &e, 1, COVEY_EXACT_NEW); */
COVEY_NODISCARD COVEY_API bool covey_create_exact(covey_world *world, const covey_entity *entities, uint32_t count,
                                                  covey_exact which);

/* A range of indices that covey_create does not use. { 0, 0 } is null. */
typedef struct covey_range {
    uint32_t first, count;
} covey_range;

/* Reserves a range of indices permanently, for covey_create_in and covey_create_at. A freed index returns to its range.
 * Returns null when an index of it was used or is reserved (TAKEN), or does not exist (RANGE). */
COVEY_API covey_range covey_range_reserve(covey_world *world, uint32_t first, uint32_t count);

/* Makes an entity in a reserved range; indices are chosen as covey_create does. Returns null when the range is used up
 * (FULL) or was not reserved (ABSENT). O(log ranges). */
COVEY_API covey_entity covey_create_in(covey_world *world, covey_range range);

/* Destroys an entity and drops its components. When the first `drop` runs, the entity is no longer alive. Returns
 * whether it was alive. O(number of pools with a component in the same 64 ids, or, for sparse pools, in the same
 * page). */
COVEY_HOT bool covey_destroy(covey_world *world, covey_entity e);

/* Destroys those of the entities that are alive: as covey_destroy for each, in this order, but `drop` hooks may be
 * called type by type for up to 64 of them. Returns how many were alive. */
COVEY_API uint32_t covey_destroy_many(covey_world *world, const covey_entity *entities, uint32_t count);

/* Destroys every entity, from the highest index down, so that covey_create next returns the lowest of them. */
COVEY_API void covey_destroy_all(covey_world *world);

/* Whether the handle names a living entity of this world. A handle does not contain its world: one from another world
 * is refused only if its index or generation differs here. To be sure, give each world its own indices with
 * .first_index, or keep the world beside the entity. */
COVEY_HOT bool covey_alive(const covey_world *world, covey_entity e);

/* How many entities are alive. */
COVEY_API uint32_t covey_entity_count(const covey_world *world);

/* The living entity with this index, or null. O(1). */
COVEY_API covey_entity covey_entity_at(const covey_world *world, uint32_t index);

/* The generation of the last entity with this index, alive or dead: an odd number, or 0 if there never was one.
 * COVEY_EXACT_NEW needs a larger one. O(1). */
COVEY_API uint32_t covey_generation_at(const covey_world *world, uint32_t index);
/* The first index, from this one on, that an entity has or had; COVEY_NONE if there is none. O(indices skipped), where
 * a missing page of the world's table counts as one index. */
COVEY_API uint32_t covey_index_next(const covey_world *world, uint32_t index);

/* Iterates all entities by index:
 *     for (covey_entity e = covey_entity_next(world, COVEY_NULL); !covey_is_null(e); e = covey_entity_next(world, e))
 * Start with a null handle; null is the end. The current entity may be destroyed. */
COVEY_API covey_entity covey_entity_next(const covey_world *world, covey_entity previous);

/* Writes "index:generation", or "null". Truncates and returns the full length, as snprintf does. */
COVEY_API int covey_entity_print(char *text, size_t size, covey_entity e);

/* ---- 7. Components -------------------------------------------------------------------------------------------------
 *
 * Each typed verb has a `_raw` twin that takes the descriptor instead of the name, for types that are made at run time
 * and for generic code.
 *
 * Pointers. A structural change of a pool invalidates pointers into it: adding, removing, clear, swap, sort, compact,
 * shrink, reserve, convert; in a group, the same to any pool that the group owns. In a block pool, adding invalidates
 * only within the 512 indices around, and removing within the 64 around. With COVEY_STORAGE_PINNED and COVEY_IN_PLACE,
 * a pointer stays valid until its own component is removed; in place, also until covey_pool_compact reports that it
 * moved. docs/guarantees.md has the whole table.
 *
 * Values. add, set and get_or_add take the value over if they succeed and use it; otherwise the caller keeps it. A NULL
 * value means the default of the type: a copy of its `.defaults` (COPY when the hook returns false), or zero bytes if
 * it has none. */

/* Adds a component that must be absent. Returns its address, or NULL (DEAD, PRESENT, MEMORY, FULL, TYPE, LAYOUT). Also
 * returns NULL when a listener removed it at once (GONE): the value was then taken over and dropped. */
#define covey_add(world, e, T, ...)                                                                                \
    ((T *)covey__add(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), \
                     true))
#define covey_add_value(world, e, T, value) \
    ((T *)covey__add(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_add_default(world, e, T) \
    ((T *)covey__add(COVEY__WORLD(world), (e), covey_id(T), NULL, COVEY__SIZE(T), false))
#define covey_add_tag(world, e, T) covey__add_tag(COVEY__WORLD(world), (e), COVEY__EXPECTS_TAG(T))
COVEY_HOT void *covey_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Adds a component or overwrites it, dropping the old value. Returns its address, or NULL as covey_add does. */
#define covey_set(world, e, T, ...)                                                                                \
    ((T *)covey__set(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), \
                     true))
#define covey_set_value(world, e, T, value) \
    ((T *)covey__set(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_set_tag(world, e, T) covey__set_tag(COVEY__WORLD(world), (e), COVEY__EXPECTS_TAG(T))
COVEY_HOT void *covey_set_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Exchanges a component's value with *value: the caller then has the old one. Returns false when it is absent
 * (ABSENT). */
#define covey_replace(world, e, T, value) \
    covey_replace_raw(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_replace_raw(covey_world *world, covey_entity e, const covey_type *type, void *value);

/* The component's address, or NULL if the entity does not have it. A tag has an address, too, without bytes. */
#define covey_get(world, e, T) ((T *)covey__get_sized(COVEY__WORLD(world), (e), covey_id(T), COVEY__SIZE(T)))
COVEY_HOT void *covey_get_raw(const covey_world *world, covey_entity e, const covey_type *type);

/* Several components of one entity, with one check of its handle; no tags. If the entity has all of them, sets each
 * pointer to the address of its component and returns true; otherwise sets all pointers to NULL and returns false.
 *
 *     Position *position;
 *     Velocity *velocity;
 *     if (covey_get_all(world, e, covey_into(Position, position), covey_into(Velocity, velocity)))
 *         position->x += velocity->x;
 *
 * The raw call takes a list of types that ends with NULL, and an array with a pointer for each. */
#define covey_get_all(world, e, ...)                                                      \
    covey__get_all(COVEY__WORLD(world), (e), (const covey__destination[]){ __VA_ARGS__ }, \
                   sizeof((const covey__destination[]){ __VA_ARGS__ }) / sizeof(covey__destination))
#define covey_into(T, pointer)                                                                        \
    {                                                                                                 \
        .type = covey_id(T), .to = ((void)sizeof(COVEY__EXPECTS_POINTER_TO(T, pointer)), &(pointer)), \
        .size = COVEY__SIZE(T)                                                                        \
    }
COVEY_API bool covey_get_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types,
                                 void **values);

/* The component's address. If the component is absent, adds it with this value; if it is present, the caller keeps the
 * value. Returns NULL as covey_add does. */
#define covey_get_or_add(world, e, T, ...)                                                                \
    ((T *)covey__get_or_add(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), \
                            COVEY__SIZE(T), true))
COVEY_HOT void *covey_get_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Calls change(value, context) on a component, and tells its observers that the value was changed. `change` may be
 * NULL; it must not change the world in other ways. Returns the component's address, or NULL when it is absent. */
#define covey_patch(world, e, T, change, context) \
    ((T *)covey_patch_raw(COVEY__WORLD(world), (e), covey_id(T), (change), (context)))
typedef void covey_change_fn(void *value, void *context);
COVEY_API void *covey_patch_raw(covey_world *world, covey_entity e, const covey_type *type, covey_change_fn *change,
                                void *context);

/* The same, but first adds the default if the component is absent; listeners are then called once, for the add, after
 * `change`. Returns its address, or NULL as covey_add does. */
#define covey_patch_or_add(world, e, T, change, context) \
    ((T *)covey_patch_or_add_raw(COVEY__WORLD(world), (e), covey_id(T), (change), (context)))
COVEY_API void *covey_patch_or_add_raw(covey_world *world, covey_entity e, const covey_type *type,
                                       covey_change_fn *change, void *context);

/* Whether the entity has the component, or all or any of several: covey_has_all(world, e, Position, Velocity). The raw
 * calls take a list that ends with NULL. */
#define covey_has(world, e, T) covey_has_raw(COVEY__WORLD(world), (e), covey_id(T))
COVEY_HOT bool covey_has_raw(const covey_world *world, covey_entity e, const covey_type *type);
#define covey_has_all(world, e, ...) \
    covey_has_all_raw(COVEY__WORLD(world), (e), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
#define covey_has_any(world, e, ...) \
    covey_has_any_raw(COVEY__WORLD(world), (e), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
COVEY_API bool covey_has_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types);
COVEY_API bool covey_has_any_raw(const covey_world *world, covey_entity e, const covey_type *const *types);

/* Removes a component and drops its value. Returns whether it was present. Never allocates, never fails. */
#define covey_remove(world, e, T) covey__remove_sized(COVEY__WORLD(world), (e), covey_id(T), COVEY__SIZE(T))
COVEY_HOT bool covey_remove_raw(covey_world *world, covey_entity e, const covey_type *type);

/* Removes a component and moves its value to *value instead of dropping it: the caller owns it. Listeners are told of a
 * removal. Returns whether the component was present, and still was after all listeners were called; otherwise *value
 * is unchanged. Never allocates, never fails. */
#define covey_take(world, e, T, value) \
    covey_take_raw(COVEY__WORLD(world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_take_raw(covey_world *world, covey_entity e, const covey_type *type, void *value);

/* Removes the components, disabled ones included, for which remove(e, value, context) returns true, and drops their
 * values. Returns how many. The function must not change the world. It is called once for each component; with
 * listeners maybe more often, and maybe not for components that they add meanwhile. Never allocates, never fails.
 * O(n). */
#define covey_remove_if(world, T, remove, context) \
    covey_remove_if_raw(COVEY__WORLD(world), covey_id(T), (remove), (context))
typedef bool covey_condition_fn(covey_entity e, const void *value, void *context);
COVEY_API uint32_t covey_remove_if_raw(covey_world *world, const covey_type *type, covey_condition_fn *remove,
                                       void *context);

/* Removes one type, or every type, from all entities. The entities stay. Components that listeners add meanwhile may
 * stay, too. */
#define covey_clear(world, T) covey_clear_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API void covey_clear_raw(covey_world *world, const covey_type *type);
COVEY_API void covey_clear_components(covey_world *world);

/* The first entity, in the pool's order, whose component equals *value: equal(component, value) is true, or, if `equal`
 * is NULL, all bytes are the same, padding included. Null if there is none. O(n). covey_first returns the first entity
 * that has the component. */
#define covey_find(world, T, value, equal) \
    covey_find_raw(COVEY__WORLD(world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), (equal))
#define covey_first(world, T) covey_find_raw(COVEY__WORLD(world), covey_id(T), NULL, NULL)
typedef bool covey_equal_fn(const void *component, const void *value);
COVEY_API covey_entity covey_find_raw(const covey_world *world, const covey_type *type, const void *value,
                                      covey_equal_fn *equal);

/* Whether the entity is alive and has no components. */
COVEY_API bool covey_is_empty(const covey_world *world, covey_entity e);

/* The types of an entity's components, in the order in which the world met them. Writes at most `capacity` and returns
 * how many there are. */
COVEY_API uint32_t covey_types_of(const covey_world *world, covey_entity e, const covey_type **types,
                                  uint32_t capacity);

/* Makes a type at run time: copies the description and its name into the world and returns the copy, which lives as
 * long as the world. If the world knows the type already, returns that. Returns NULL on failure: MEMORY, TYPE or
 * LAYOUT. */
COVEY_API const covey_type *covey_type_create(covey_world *world, const covey_type *description);

/* The type with this name that the world knows, or NULL. */
COVEY_API const covey_type *covey_type_find(const covey_world *world, const char *name);

/* ---- 8. Held pools -------------------------------------------------------------------------------------------------
 *
 * A pool is valid as long as its world. Holding it saves the lookup of the type at each call. The verbs do what their
 * namesakes without `pool_` do. */

/* The pool of T. Makes it if the world does not have it yet. Returns NULL on failure: MEMORY, TYPE or LAYOUT. */
#define covey_pool_of(world, T) covey_pool_of_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API covey_pool *covey_pool_of_raw(covey_world *world, const covey_type *type);

/* The pool of a type if the world has it, else NULL. Changes nothing. */
#define covey_pool_find(world, T) covey_pool_find_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API covey_pool *covey_pool_find_raw(const covey_world *world, const covey_type *type);

/* All pools, in the order in which the world met their types. */
COVEY_API uint32_t covey_world_pool_count(const covey_world *world);
COVEY_API covey_pool *covey_world_pool(const covey_world *world, uint32_t number);

#define covey_pool_add(pool, e, T, ...) \
    ((T *)covey__pool_add(COVEY__TYPED(pool, T), (e), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_pool_add_value(pool, e, T, value) \
    ((T *)covey__pool_add(COVEY__TYPED(pool, T), (e), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
COVEY_HOT void *covey_pool_add_raw(covey_pool *pool, covey_entity e, const void *value);

#define covey_pool_set(pool, e, T, ...) \
    ((T *)covey__pool_set(COVEY__TYPED(pool, T), (e), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_pool_set_value(pool, e, T, value) \
    ((T *)covey__pool_set(COVEY__TYPED(pool, T), (e), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
COVEY_HOT void *covey_pool_set_raw(covey_pool *pool, covey_entity e, const void *value);

#define covey_pool_get(pool, e, T) ((T *)covey__pool_get_sized(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T)))
COVEY_HOT void *covey_pool_get_raw(const covey_pool *pool, covey_entity e);

COVEY_HOT bool covey_pool_has(const covey_pool *pool, covey_entity e);

#define covey_pool_remove(pool, e, T) covey__pool_remove_sized(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T))
COVEY_HOT bool covey_pool_remove_raw(covey_pool *pool, covey_entity e);

#define covey_pool_take(pool, e, T, value) \
    covey_pool_take_raw(COVEY__TYPED(pool, T), (e), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_pool_take_raw(covey_pool *pool, covey_entity e, void *value);
COVEY_API uint32_t covey_pool_remove_if(covey_pool *pool, covey_condition_fn *remove, void *context);

/* The unchecked twin: the component must be present. In a sparse pool, two loads and no compare. */
#define covey_pool_get_unchecked(pool, e, T) \
    ((T *)covey__pool_get_unchecked_sized(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T)))
COVEY_HOT void *covey_pool_get_unchecked_raw(const covey_pool *pool, covey_entity e);

/* Iterates every component of a pool, in any storage, by position; covey_pool_next returns the first from a position
 * on, or COVEY_NONE:
 *     for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
 *         covey_pool_value_at(pool, p, Position)->x += 1;
 * In a sparse pool, positions are those of its packed arrays; in a block pool, they are the entities' indices. */
COVEY_INLINE uint32_t covey_pool_next(const covey_pool *pool, uint32_t position);
COVEY_API covey_entity covey_pool_at(const covey_pool *pool, uint32_t position); /* null if there is none */
COVEY_API uint32_t covey_pool_position(const covey_pool *pool, covey_entity e);  /* COVEY_NONE: it has none */
#define covey_pool_value_at(pool, position, T) \
    ((T *)covey__pool_value_at_sized(COVEY__TYPED(pool, T), (position), COVEY__SIZE(T)))
COVEY_INLINE void *covey_pool_value_at_raw(const covey_pool *pool, uint32_t position);
COVEY_INLINE uint32_t covey_pool_count(const covey_pool *pool); /* components */

/* The packed arrays of a sparse pool: value i belongs to id i, for i below covey_pool_position_count. A block pool has
 * none: the count is 0 and the arrays are NULL; at assertion level 1 the log says so, too (REFUSED), except for the raw
 * calls. Under a policy that leaves holes, some positions are holes, whose ids and values have no meaning: iterate with
 * covey_pool_next, or compact first. In-place values lie in pages of COVEY_PAGE_SIZE: covey_pool_values is NULL for
 * them, and covey_pool_page returns page k. */
COVEY_INLINE uint32_t covey_pool_position_count(const covey_pool *pool); /* components and holes */
COVEY_INLINE const covey_entity *covey_pool_ids(const covey_pool *pool); /* NULL while the pool never had any */
#define covey_pool_values(pool, T) ((T *)covey_pool_values_raw(COVEY__PACKED(COVEY__TYPED(pool, T))))
COVEY_INLINE void *covey_pool_values_raw(const covey_pool *pool);
#define covey_pool_page(pool, k, T) ((T *)covey_pool_page_raw(COVEY__PACKED(COVEY__TYPED(pool, T)), (k)))
COVEY_API void *covey_pool_page_raw(const covey_pool *pool, uint32_t page);

/* Exchanges the positions of two components of a sparse pool. ABSENT when one is absent; REFUSED for pools that are in
 * place, in blocks, kept sorted or owned by a group. */
COVEY_API covey_result covey_pool_swap(covey_pool *pool, covey_entity a, covey_entity b);

/* Reserves room for `count` components in total, so that adding up to that number allocates no memory for values. Does
 * nothing for block pools, which allocate block by block. */
COVEY_API covey_result covey_pool_reserve(covey_pool *pool, uint32_t count);

/* Called for a component whose address changed: its value was at `from`, which is now unused, and is at `to`. Must not
 * change the world. */
typedef void covey_moved_fn(covey_entity e, const void *from, void *to, void *context);
/* Closes the holes that removal left. Without `moved`, in one pass that keeps the order, and never fails: an in-place
 * pool keeps its addresses and loses only the holes behind the last component; other sparse pools keep their memory;
 * blocks take the form that fits best, and free the rest. With `moved`, an in-place pool closes all its holes, which
 * moves the last components into them and calls moved(e, from, to, context) for each; never allocates; O(holes +
 * components that move). REFUSED with `moved` for other pools, whose addresses are not stable anyway. covey_compact
 * compacts all pools with more holes than .compact_above, without `moved`. */
COVEY_API covey_result covey_pool_compact(covey_pool *pool, covey_moved_fn *moved, void *context);
COVEY_API void covey_compact(covey_world *world);

/* Stores the components of a pool in another storage from now on; COVEY_STORAGE_DEFAULT means that of its type. Handles
 * stay valid; addresses are invalidated. A pool that becomes sparse starts in index order. All or nothing: MEMORY;
 * REFUSED for pools with stable addresses (in place, pinned), kept sorted or owned by a group, and for blocks if the
 * type names a policy. */
COVEY_NODISCARD COVEY_API covey_result covey_pool_convert(covey_pool *pool, covey_storage storage);

/* Frees unused memory: spare capacity, and pages of the table that hold nothing. Spare slots of blocks are freed by
 * compaction. Never fails. */
COVEY_API void covey_pool_shrink(covey_pool *pool);
COVEY_API void covey_shrink(covey_world *world);

COVEY_API const covey_type *covey_pool_type(const covey_pool *pool);
COVEY_API covey_world *covey_pool_world(const covey_pool *pool);
COVEY_API size_t covey_pool_memory(const covey_pool *pool);         /* bytes, a part of covey_world_memory */
COVEY_API covey_storage covey_pool_storage(const covey_pool *pool); /* the current one: never COVEY_STORAGE_DEFAULT */
/* The group that owns the pool, or NULL. Of several nested groups, the innermost. */
COVEY_API struct covey_group *covey_pool_owner(const covey_pool *pool);

/* ---- 9. Views ------------------------------------------------------------------------------------------------------
 *
 * A view names what entities must have and must not have. It is a value: make it once, keep it, copy it, iterate it as
 * often as you like; it sees what was added since. Iterating allocates nothing.
 *
 *     covey_view all = covey_view_of(world, Position, Velocity);
 *     covey_view moving = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_ids(Position, Velocity) }, .without = { covey_id(Frozen) } });
 *
 * Span by span is the usual loop. The components of a span lie one after the other, so the body is a loop over arrays.
 * Adjacent full blocks make one long span; where matches are scattered, a span is one entity.
 *
 *     covey_iter it = covey_view_iter(&moving);
 *     while (covey_next(&it)) {
 *         Position *p = covey_field(&it, 0, Position);
 *         const Velocity *v = covey_field(&it, 1, Velocity);
 *         for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x;
 *     }
 *
 * Row by row visits one entity at a time, for bodies that make structural changes.
 *
 *     covey_iter it = covey_view_iter(&moving);
 *     covey_row row = { 0 };
 *     while (covey_next_row(&it, &row))
 *         if (covey_row_field(&it, row, 0, Position)->x > 100) covey_destroy(world, covey_row_entity(&it, row));
 *
 * While a span is open, make no structural change to a pool that the view names.
 *
 * While a row is visited, its entity may get and lose components and be destroyed. Other entities may be created and
 * get components; whether these are visited is not specified. The body must not:
 *   - remove a component of `with` or `any` from another entity, or destroy such an entity;
 *   - give a component that the view excludes to an entity that is still to be visited;
 *   - clear, convert or reorder a pool of `with` or `any`. Joining or leaving a group that owns the pool reorders it,
 *     unless the row's entity leaves the pool as well.
 * Assertion level 1 finds broken rules with the next step, and names the pool, the view and what to do instead.
 * docs/guarantees.md has the table. */

#define COVEY_TERMS 16 /* terms of a view, all kinds together */

typedef struct covey_view_desc {
    const covey_type *with[COVEY_TERMS];     /* must be present */
    const covey_type *optional[COVEY_TERMS]; /* may be present: the field is NULL where it is absent */
    const covey_type *any[COVEY_TERMS];      /* at least one must be present; fields as for `optional` */
    const covey_type *without[COVEY_TERMS];  /* must be absent */
    const covey_type *read[COVEY_TERMS];     /* those of the above that the loop only reads; it may write the others */
    const covey_type *changed[COVEY_TERMS];  /* those of `with` that covey_view_iter_since filters by */
    bool include_disabled;                   /* match disabled entities and components, too (covey/enable.h) */
} covey_view_desc;

/* A view is a value. A zeroed one matches nothing. */
typedef struct covey_view covey_view;

/* Makes a view. NULL for `desc`, or an empty one, means all entities. Fields are numbered in the order in which they
 * are named: `with`, then `optional`, then `any`. Types that the world has not met yet are allowed. A description with
 * too many terms, a type in two places, a `read` type that is not a term or a `changed` type without ticks gives a view
 * that matches nothing (TYPE): covey_view_valid returns false for it, and the log says what is wrong. */
COVEY_API covey_view covey_view_make(covey_world *world, const covey_view_desc *desc);
/* The same for entities that have these components: covey_view_of(world, Position, Velocity). */
#define covey_view_of(world, ...) \
    covey_view_make(COVEY__WORLD(world), &(covey_view_desc){ .with = { covey_ids(__VA_ARGS__) } })
/* Makes a view of a const world, for readers: all fields are read-only, and neither making nor iterating it changes the
 * world, so any number of threads may do both while no thread changes it. Use covey_field_const and
 * covey_row_field_const. An invalid description does not change the world; the reason is written to *why, unless that
 * is NULL. */
COVEY_API covey_view covey_view_make_const(const covey_world *world, const covey_view_desc *desc, const char **why);
COVEY_API bool covey_view_valid(const covey_view *view);
/* The number of fields; the type of a field; whether a field is only read. */
COVEY_API uint32_t covey_view_fields(const covey_view *view);
COVEY_API const covey_type *covey_view_type(const covey_view *view, uint32_t field);
COVEY_API bool covey_view_is_read_only(const covey_view *view, uint32_t field);

/* How many entities match. Exact; counts bits where all pools are blocks, and never reads values. */
COVEY_API uint32_t covey_view_count(const covey_view *view);
/* The first entity that an iteration visits, or null. */
COVEY_API covey_entity covey_view_first(const covey_view *view);
COVEY_API bool covey_view_contains(const covey_view *view, covey_entity e);

/* An iteration. `it.count` is the number of rows in its span. It takes some kilobytes: do not copy it. */
typedef struct covey_iter covey_iter;
/* One entity of an iteration. Initialise it with { 0 }. */
typedef struct covey_row covey_row;

/* Begins an iteration. The view and the iterator must stay in place while it lasts. Spans and rows visit entities in
 * the same order: by index if the smallest pool is in blocks, otherwise in the order of the smallest sparse pool, from
 * its first component to its last. */
COVEY_API covey_iter covey_view_iter(const covey_view *view);
/* The same in the order of a pool, which may be any pool of the world. Skips entities without a component there. */
COVEY_API covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool);
/* The same over a list of entities, in its order; duplicates are visited again, dead entities are skipped. */
COVEY_API covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count);

/* The length of an iteration that has not begun, in indices, or in positions of the array that it follows. It depends
 * on what is present, not on what is reserved. */
COVEY_API uint32_t covey_iter_length(const covey_iter *it);
/* A part of an iteration that has not begun: the entities from index, or position, `first` to `end`. Both must be
 * multiples of 64, or the length, so that no two parts share a block or a word of an occupancy mask. Consecutive parts
 * together visit what the whole visits, in its order. While there are no structural changes, several threads may make
 * parts of one iteration and walk one each. covey/schedule.h does this for systems. */
COVEY_API covey_iter covey_iter_part(const covey_iter *whole, uint32_t first, uint32_t end);

/* Moves to the next span. Returns false at the end. */
COVEY_HOT bool covey_next(covey_iter *it);
/* The array of a field in the span, or NULL if the field is optional and absent. A tag has an address without bytes. */
#define covey_field(it, field, T) ((T *)COVEY__FIELD((it), (field), T))
#define covey_field_const(it, field, T) ((const T *)COVEY__FIELD((it), (field), T))
COVEY_HOT void *covey_field_raw(const covey_iter *it, uint32_t field);
/* The entity of a row of the span. */
COVEY_INLINE covey_entity covey_span_entity(const covey_iter *it, uint32_t row);

/* Moves to the next row. Returns false at the end. */
COVEY_HOT bool covey_next_row(covey_iter *it, covey_row *row);
/* The component of the row's entity, at its current address; NULL for an optional one that is absent. Must not be
 * called for a component of `with` that was removed since the row began, which assertion level 1 reports. */
#define covey_row_field(it, row, field, T) ((T *)COVEY__ROW_FIELD((it), (row), (field), T))
#define covey_row_field_const(it, row, field, T) ((const T *)COVEY__ROW_FIELD((it), (row), (field), T))
COVEY_HOT void *covey_row_field_raw(const covey_iter *it, covey_row row, uint32_t field);
COVEY_INLINE covey_entity covey_row_entity(const covey_iter *it, covey_row row);

/* ---- 10. Many at once --------------------------------------------------------------------------------------------*/

/* Adds a component to each of `count` entities, from an array of values. All or nothing: DEAD, PRESENT (an entity has
 * the component, or is listed twice), MEMORY, FULL. On success the values were taken over. They may lie in the same
 * pool if it is sparse. In-place pools append; they do not fill holes. O(count); fastest for entities in index order,
 * as covey_create_many returns them, whose values are copied in runs. */
#define covey_add_array(world, entities, count, T, values) \
    covey_add_array_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, values))
COVEY_NODISCARD COVEY_API bool covey_add_array_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                                   const covey_type *type, const void *values);

/* The same with a copy of one value for each entity; the caller keeps the value. Uses the `copy` hook. COPY when a type
 * with `drop` has no such hook, has `no_copy`, or the hook returns false. */
#define covey_add_copies(world, entities, count, T, value) \
    covey_add_copies_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_NODISCARD COVEY_API bool covey_add_copies_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                                    const covey_type *type, const void *value);

/* Removes a component from those of `count` entities that have it, and drops the values: as covey_remove for each, in
 * this order. Returns how many had it. Never allocates, never fails. O(count); fastest for entities in index order. */
#define covey_remove_many(world, entities, count, T) \
    covey_remove_many_raw(COVEY__WORLD(world), (entities), (count), covey_id(T))
COVEY_API uint32_t covey_remove_many_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                         const covey_type *type);

/* Copies the values of those of `count` entities that have the component, disabled or not, to an array with room for
 * `count`, without gaps, in the order of the list. The k-th value is that of entities[positions[k]]. Either array may
 * be NULL. Returns how many entities have the component. Copies bytes and calls no hook, so this is for types whose
 * values own nothing. O(count); fastest for entities in index order, whose values are copied in runs. */
#define covey_gather(world, entities, count, T, values, positions)                                                \
    covey_gather_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, values), \
                     (positions))
COVEY_API uint32_t covey_gather_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                                    const covey_type *type, void *values, uint32_t *positions);

/* Sets the component of those of `count` entities that have it, from an array of values outside the pool, as covey_set
 * does. Entities without the component are skipped, and the caller keeps their values. Returns how many were set: 0 if
 * there is no memory for the events of a queue. O(count); fastest for entities in index order. */
#define covey_set_array(world, entities, count, T, values) \
    covey_set_array_raw(COVEY__WORLD(world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, values))
COVEY_API uint32_t covey_set_array_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                       const covey_type *type, const void *values);

/* Creates entities with several components in one call. Observers are told when everything is in place.
 *
 *     covey_entity e = covey_create_with(world, covey_with(Position, { 1, 2 }), covey_with_tag(Frozen));
 *     covey_create_many_with(world, herd, 1000, covey_with_copies(Position, &start), covey_with_array(Velocity, each));
 *
 * One component of a new entity: values, or the default of the type if both pointers are NULL. */
typedef struct covey_component {
    const covey_type *type;
    const void *values; /* an array with one value for each entity; on success they were taken over */
    const void *value;  /* or one value, copied for each entity, as with covey_add_copies */
    uint32_t count;     /* number of values; 0: as many as entities */
    size_t size;        /* of a value; 0: the size of the type */
} covey_component;

#define covey_with(T, ...)                                                                               \
    {                                                                                                    \
        .type = covey_id(T), .values = COVEY__EXPECTS_BRACES(T, __VA_ARGS__), .value = NULL, .count = 1, \
        .size = COVEY__SIZE(T)                                                                           \
    }
#define covey_with_array(T, array)                                                                     \
    {                                                                                                  \
        .type = covey_id(T), .values = COVEY__EXPECTS_POINTER_TO(T, array), .value = NULL, .count = 0, \
        .size = COVEY__SIZE(T)                                                                         \
    }
#define covey_with_copies(T, pointer)                                                                    \
    {                                                                                                    \
        .type = covey_id(T), .values = NULL, .value = COVEY__EXPECTS_POINTER_TO(T, pointer), .count = 0, \
        .size = COVEY__SIZE(T)                                                                           \
    }
#define covey_with_default(T) \
    { .type = covey_id(T), .values = NULL, .value = NULL, .count = 0, .size = COVEY__SIZE(T) }
#define covey_with_tag(T) \
    { .type = COVEY__EXPECTS_TAG(T), .values = NULL, .value = NULL, .count = 0, .size = 0 }
#define COVEY__WITH_END \
    { .type = NULL, .values = NULL, .value = NULL, .count = 0, .size = 0 }

/* Makes an entity with these components, at most 16; the list for the raw call ends with a component that has no type.
 * Returns null on failure: MEMORY, FULL, TYPE, LAYOUT, COPY, PRESENT (a type is listed twice), RANGE (too many, or
 * `count` is not the number of entities). The caller then keeps the values. Also returns null when a listener destroyed
 * the entity at once (GONE): the values were then taken over and dropped. */
#define covey_create_with(world, ...)                                                                  \
    covey__create_with(COVEY__WORLD(world), (const covey_component[]){ __VA_ARGS__, COVEY__WITH_END }, \
                       sizeof((const covey_component[]){ __VA_ARGS__ }) / sizeof(covey_component))
COVEY_API covey_entity covey_create_with_raw(covey_world *world, const covey_component *components);

/* The same for `count` entities. If there are more than some 16, all have indices of one kind. In-place pools append;
 * they do not fill holes. On failure returns false and fills in null handles. Returns true whatever listeners did to
 * the entities. O(components), by blocks of 64 indices. */
#define covey_create_many_with(world, entities, count, ...)              \
    covey_create_many_with_raw(COVEY__WORLD(world), (entities), (count), \
                               (const covey_component[]){ __VA_ARGS__, COVEY__WITH_END })
COVEY_NODISCARD COVEY_API bool covey_create_many_with_raw(covey_world *world, covey_entity *entities, uint32_t count,
                                                          const covey_component *components);

/* ---- 11. Resources -------------------------------------------------------------------------------------------------
 *
 * A resource is one value of a type for the whole world: a clock, a map, settings. It uses a type like a component
 * does, matched by address, then by name; a resource and components of the same type are independent. The address of a
 * resource stays the same until it is removed. A resource can also refer to an object that the program owns.
 *
 *     covey_resource_set(world, Clock, { .rate = 60 });
 *     covey_resource_get(world, Clock)->now += 1; */

/* Sets the world's value of T, dropping the old one. Returns its address, or NULL (MEMORY, TYPE, LAYOUT, PRESENT after
 * covey_resource_refer); the caller then keeps the value. A NULL value means the default of the type (COPY). O(log
 * resources), like the calls below; removing is O(resources). */
#define covey_resource_set(world, T, ...) \
    ((T *)covey_resource_set_raw(COVEY__WORLD(world), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__)))
#define covey_resource_set_value(world, T, value) \
    ((T *)covey_resource_set_raw(COVEY__WORLD(world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value)))
#define covey_resource_set_tag(world, T) covey__resource_set_tag(COVEY__WORLD(world), COVEY__EXPECTS_TAG(T))
COVEY_API void *covey_resource_set_raw(covey_world *world, const covey_type *type, const void *value);

/* Makes an object of the program the world's resource of T: a window, a sound system. Calling it again refers to
 * another object. The program owns the object: the world never drops or moves it, and images, clones of the world and
 * rollback ignore it. It must live until the reference is removed. Returns false on failure: MEMORY, TYPE, LAYOUT, or
 * PRESENT when the world has a value of this type. While there is a reference, covey_resource_set fails (PRESENT), and
 * a value from an image is hidden. */
#define covey_resource_refer(world, T, object) \
    covey_resource_refer_raw(COVEY__WORLD(world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, object))
COVEY_API bool covey_resource_refer_raw(covey_world *world, const covey_type *type, void *object);

/* Its address, or NULL when the world has none. A tag has an address without bytes. */
#define covey_resource_get(world, T) ((T *)covey_resource_get_raw(COVEY__WORLD(world), covey_id(T)))
COVEY_API void *covey_resource_get_raw(const covey_world *world, const covey_type *type);
#define covey_resource_has(world, T) covey_resource_has_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API bool covey_resource_has_raw(const covey_world *world, const covey_type *type);

/* Removes it and drops its value, unless it refers to an object of the program. Returns whether it was present. */
#define covey_resource_remove(world, T) covey_resource_remove_raw(COVEY__WORLD(world), covey_id(T))
COVEY_API bool covey_resource_remove_raw(covey_world *world, const covey_type *type);

/* Removes it and moves its value to *value instead of dropping it. Returns whether it was present; false for an object
 * of the program, which the world does not own. */
#define covey_resource_take(world, T, value) \
    covey_resource_take_raw(COVEY__WORLD(world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_resource_take_raw(covey_world *world, const covey_type *type, void *value);

/* The types of all resources that the world owns, in the order in which they were first set. */
COVEY_API uint32_t covey_world_resource_count(const covey_world *world);
COVEY_API const covey_type *covey_world_resource(const covey_world *world, uint32_t number); /* NULL: no such number */

/* ---- 12. Copies ----------------------------------------------------------------------------------------------------
 *
 * Values are copied by the `copy` hook of their type, or else byte by byte. A type with `drop` and no `copy`, or with
 * `no_copy`, is refused (COPY) before any hook is called. All calls are all or nothing: if one fails, the copies made
 * so far are dropped, and nothing else has changed. */

/* Gives `to` a copy of every component of `from`: adds the missing ones and overwrites the others, dropping the old
 * values. Does nothing if both are the same entity. Returns false on failure: DEAD, COPY, MEMORY, FULL. O(pools,
 * counted as for covey_destroy), and the values. */
COVEY_API bool covey_copy(covey_world *world, covey_entity from, covey_entity to);

/* Makes `count` entities, each with a copy of every component of e, as covey_create_many_with does. In-place pools
 * append; they do not fill holes. On failure returns false and fills in null handles: DEAD, COPY, MEMORY, FULL. Returns
 * true whatever listeners did to the clones. */
COVEY_NODISCARD COVEY_API bool covey_clone(covey_world *world, covey_entity e, covey_entity *clones, uint32_t count);

/* How entities are copied into another world. */
typedef struct covey_clone_desc {
    /* Keep handles in fields (covey/fields.h) that name an entity which is not copied; default: set them to null. */
    bool keep_outside;
    /* Called for each copy; must not change a world. */
    void (*cloned)(covey_entity from, covey_entity to, void *context);
    void *cloned_context;
} covey_clone_desc;

/* Makes an entity in another world, or in the same, with a copy of every component of e. Handles in fields that name e
 * then name the copy. Types made at run time are made there. NULL for `desc` means all defaults. Returns null on
 * failure, with the result in `to`: DEAD, COPY, MEMORY, FULL, LAYOUT; REFUSED for a type with `move`.
 * covey_clone_tree_into (covey/hierarchy.h) copies a tree. */
COVEY_API covey_entity covey_clone_into(covey_world *to, const covey_world *from, covey_entity e,
                                        const covey_clone_desc *desc);

/* Makes a second world with the same entities, components and resources. Handles of one are valid in the other, and the
 * same calls give the same results in both: ids, order, holes and storages are the same. NULL for `desc` means the
 * allocator, log and handlers of the first. Groups, listeners, queues, reactive sets and command buffers are not
 * cloned. Returns NULL on failure, with the result in the first world: COPY, MEMORY. O(everything), most of it
 * memcpy. */
COVEY_NODISCARD COVEY_API covey_world *covey_world_clone(covey_world *world, const covey_world_desc *desc);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/define.h>

#include <covey/advice.h>
#include <covey/enable.h>
#include <covey/group.h>
#include <covey/print.h>
#include <covey/react.h>
#include <covey/sort.h>
#include <covey/tick.h>

#include <covey/detail/contract.h>
#include <covey/detail/layout.h>
#include <covey/detail/view.h>

COVEY__STRUCTS_KNOWN

#include <covey/detail/hot.h>
#include <covey/detail/iterate.h>

#include <covey/detail/check.h>

#endif /* COVEY_H */
