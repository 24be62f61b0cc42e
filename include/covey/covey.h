/* Covey: an entity component system for C.
 *
 * An entity is a handle of eight bytes. A component is a plain C struct. A world owns both: it knows which entities are
 * alive, and keeps one pool for each component type. A pool keeps its components in blocks of 64 indices, in the order
 * of indices; or, for types that ask for it, in a sparse set: a paged table from an entity's index to a position, and
 * packed arrays of ids and values at that position.
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
 * It includes five more, which are part of it:
 *
 *     covey/order.h          sorting, and groups of components that lie side by side
 *     covey/react.h          signals, queues and reactive sets: who hears of what changes
 *     covey/visibility.h     change ticks, and disabling of entities and components
 *     covey/stats.h          looking inside: text, advice, maps of pools, memory
 *     covey/sparse_set.h     the sparse set, for programs that want no world
 *
 * What is optional has a header of its own: covey/commands.h, covey/fields.h, covey/handle.h, covey/hierarchy.h,
 * covey/history.h, covey/schedule.h, covey/snapshot.h. What is below covey/detail/ is inline code and the structures that it
 * needs: not API, and free to change with any version.
 *
 * Rules that hold everywhere
 *   - A null, stale or never issued handle is ordinary data: calls answer NULL or false and change nothing.
 *   - A call that fails changes nothing; covey_world_result() has the reason, until another call fails. Only spare
 *     capacity may have grown, and the world may know a type that it did not know before.
 *   - Removing and destroying never allocate and never fail. Queries never allocate.
 *   - The same calls give the same result everywhere: ids, order and packed positions are deterministic.
 *   - One thread at a time changes a world's structure; any number may read at the same time.
 * */
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
 * Compile-time constants. A library and a program that disagree about the first three do not link. Set them with -D or
 * in a header that COVEY_CONFIG_FILE names. */

#ifdef COVEY_CONFIG_FILE
#include COVEY_CONFIG_FILE
#endif

/* With 32 bits or less for both, a handle has four bytes instead of eight, and so has a slot of a sparse set. */
#ifndef COVEY_INDEX_BITS
#define COVEY_INDEX_BITS 32 /* 4 to 32: a world holds up to 2^bits - 1 entities at once */
#endif
#ifndef COVEY_GENERATION_BITS
#define COVEY_GENERATION_BITS 32 /* 2 to 32: an index is used 2^(bits - 1) times, then retired */
#endif
#ifndef COVEY_PAGE_SIZE
#define COVEY_PAGE_SIZE 1024 /* slots in a page of a table, a power of two */
#endif
#ifndef COVEY_ASSERT_LEVEL /* 0 none, 1 contracts of calls, 2 also costly contracts, 3 also validates after changes */
#ifdef NDEBUG
#define COVEY_ASSERT_LEVEL 0
#else
#define COVEY_ASSERT_LEVEL 1
#endif
#endif

/* The index and position that never exist. */
#define COVEY_NONE ((uint32_t)(((uint64_t)1 << COVEY_INDEX_BITS) - 1))
/* The last generation of an index, an odd number. */
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

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is linked, as COVEY_VERSION. */
COVEY_API uint32_t covey_version(void);

typedef struct covey_world covey_world;
typedef struct covey_pool covey_pool;
typedef struct covey_type covey_type;
typedef struct covey_fields covey_fields;
typedef struct covey_codec covey_codec;
typedef struct covey_sparse_set covey_sparse_set;
typedef struct covey_group covey_group;
typedef struct covey_reactive covey_reactive;
typedef struct covey_queue covey_queue;
typedef struct covey_order covey_order;

/* A handle of an entity. The null handle is { 0, 0 }, so zeroed memory holds null handles. */
typedef struct covey_entity {
#if COVEY__NARROW
    uint32_t index : COVEY_INDEX_BITS;
    uint32_t generation : 32 - COVEY_INDEX_BITS; /* all that are left: equal handles have equal bytes */
#else
    uint32_t index, generation;
#endif
} covey_entity;

/* The handle of an index and a generation; null when there is no such index or generation. For parts that are not
 * constants: where handles have four bytes, { index, generation } cuts off what does not fit. */
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
/* A number for hash tables: well mixed in all its bits, and the same everywhere. */
COVEY_INLINE uint64_t covey_entity_hash(covey_entity e);

/* ---- 2. Results --------------------------------------------------------------------------------------------------*/

/* Why a call failed. The numbers are part of the API and never change. */
typedef enum covey_result {
    COVEY_OK = 0,
    COVEY_ERROR_MEMORY = 1,  /* an allocation failed */
    COVEY_ERROR_DEAD = 2,    /* the handle is null, stale or was never issued */
    COVEY_ERROR_PRESENT = 3, /* it is there already */
    COVEY_ERROR_ABSENT = 4,  /* it is not there */
    COVEY_ERROR_FULL = 5,    /* no index or position is left */
    COVEY_ERROR_TAKEN = 6,   /* the wanted index, handle or range is in use, used up or reserved */
    COVEY_ERROR_RANGE = 7,   /* an index or count is too large */
    COVEY_ERROR_TYPE = 8,    /* the descriptor is incomplete or contradicts itself */
    COVEY_ERROR_LAYOUT = 9,  /* another type of this name has another layout */
    COVEY_ERROR_COPY = 10,   /* the type cannot be copied, or its copy hook said no */
    COVEY_ERROR_REFUSED =
        11, /* the pool does not offer the operation: its storage, policy, order or group is against it */
    COVEY_ERROR_CONFLICT = 12, /* another group owns a pool of this one: neither is a part of the other, or both are */
    COVEY_ERROR_GONE = 13,     /* it was done, and a listener undid it at once: what was handed over is gone */
    COVEY_ERROR_CYCLE = 14,    /* the entity would be its own ancestor */
    COVEY_ERROR_FILE = 15,     /* a file could not be read or written */
    COVEY_ERROR_IMAGE = 16,    /* the image is damaged, or not one that this program can take */
    COVEY_ERROR_LIMIT = 17,    /* the image asks for more than the caller's limits allow */
    COVEY_ERROR_CANCELLED = 18 /* a progress function said no */
} covey_result;

/* A short English text for a result, for example "the handle is null, stale or was never issued". */
COVEY_API const char *covey_result_text(covey_result result);

/* ---- 3. Memory ---------------------------------------------------------------------------------------------------*/

/* The one allocation function. `ptr` NULL allocates; `new_size` 0 frees and returns NULL; otherwise the block is
 * resized and keeps its bytes. Returns NULL when it cannot, and then the old block is untouched. `old_size` is what the
 * block was last given; `align` is a power of two and the same for all calls about one block. */
typedef void *covey_alloc_fn(void *context, void *ptr, size_t old_size, size_t new_size, size_t align);

/* Zero means the C library. */
typedef struct covey_allocator {
    covey_alloc_fn *fn;
    void *context;
} covey_allocator;

/* ---- 4. Component types --------------------------------------------------------------------------------------------
 *
 * A type is described by a constant object that lives, with its name, as long as the worlds that use it or are asked for
 * it. Its address is its identity; an address that a world has not seen is matched by name, so two shared libraries that each define `Position` share
 * one pool, with the hooks of the descriptor that the world met first. There is no registration step. */

/* How a pool keeps its components. */
typedef enum covey_storage {
    COVEY_STORAGE_DEFAULT = 0, /* block, or sparse when a policy is named */
    COVEY_STORAGE_SPARSE = 1,  /* a sparse set: packed arrays in an order you control */
    COVEY_STORAGE_BLOCK = 2,   /* a bitmap and a small sparse set for each 64 ids: in index order, less memory */
    COVEY_STORAGE_PINNED = 3   /* the same with an array for each 64 ids: addresses are stable */
} covey_storage;

/* What removal does to the packed arrays of a sparse set. */
typedef enum covey_policy {
    COVEY_SWAP_AND_POP = 0, /* the last element fills the hole: always packed, order is lost */
    COVEY_IN_PLACE = 1,     /* leaves a hole that a later add fills: values never move, addresses are stable */
    COVEY_SWAP_ONLY = 2,    /* swaps the element behind the live ones and keeps it there */
    COVEY_ORDERED = 3       /* leaves a hole that only compaction closes: order is kept */
} covey_policy;

/* Ends a value's life: frees what it owns. Hooks may read the world and write to values; they must not change its
 * structure, which assertion level 1 checks: it names the type, and the call is refused (REFUSED). What has to follow
 * from the end of a value is done by a listener of COVEY_ON_REMOVE, or recorded into a command buffer. */
typedef void covey_drop_fn(void *value, void *context);
/* Makes a second value in uninitialised memory at `to`. Returns false when it cannot; `to` is then forgotten. Must not
 * change the world, as above. */
typedef bool covey_copy_fn(void *to, const void *from, void *context);
/* Moves a value from `from` to uninitialised memory at `to`; `from` is uninitialised memory afterwards. Cannot fail. Must
 * not change the world. */
typedef void covey_move_fn(void *to, void *from, void *context);
#define COVEY_MOVE_MAX 1024 /* bytes of a value that has such a hook, at most */

/* The description of a component type. Fields that are zero have their default. Values are moved with memcpy, unless a
 * hook moves them: for values with pointers into themselves, and most classes of C++. */
struct covey_type {
    const char *name;      /* the stable key of the type; those that begin with "covey." are the library's own */
    uint32_t size;         /* bytes of a value; 0 for a tag */
    uint32_t align;        /* a power of two up to 64 that divides size */
    covey_storage storage; /* naming another policy than the first selects COVEY_STORAGE_SPARSE, and needs it */
    covey_policy policy;
    bool zero_vacated;     /* zero the bytes a removed or moved value leaves behind */
    bool no_copy;          /* refuse to copy values: to other entities, and to other worlds */
    bool ticks;            /* know when each value was changed */
    bool raw;              /* snapshots have its bytes as they are; for types without pointers, padding and hooks */
    bool transient;        /* snapshots leave it out */
    uint8_t compact_above; /* ordered: covey_compact leaves it alone while so many percent are holes, or less */
    covey_drop_fn *drop;   /* optional: called when a value is removed or overwritten */
    covey_copy_fn *copy;   /* optional: without it, a type with `drop` or `move` cannot be copied */
    covey_move_fn *move;   /* optional: instead of memcpy; not of raw types */
    void *context;         /* handed to the hooks */
    const covey_fields *fields; /* optional: what its bytes mean (covey/fields.h); not of raw types */
    const covey_codec *codec;   /* optional: functions that save and load what its values own (covey/snapshot.h) */
    /* Optional: a value. Who adds a component without a value gets a copy of it, made by `copy` if there is one; loading
     * takes from it the fields that an image lacks. A type with `drop` or `move` needs `copy` for that; a tag has none. */
    const void *defaults;
    uint32_t reserved; /* leave it zero */
};

/* In a header, after the struct. */
#define COVEY_COMPONENT_DECLARE(T)                \
    typedef char covey__size_##T[sizeof(T) + 1u]; \
    COVEY__EXTERN const covey_type covey_type_##T

/* In a header: a component without a value. */
#define COVEY_TAG_DECLARE(T)             \
    typedef struct T T;                  \
    typedef char covey__size_##T[0 + 1]; \
    COVEY__EXTERN const covey_type covey_type_##T

/* In one source file, with fields of covey_type behind the name where wanted:
 *     COVEY_COMPONENT_DEFINE(Position);
 *     COVEY_COMPONENT_DEFINE(Body, .policy = COVEY_IN_PLACE, .drop = body_drop);
 * Two components over one C type are two typedefs of it. C++ defines components with covey.hpp. */
#ifndef __cplusplus
#define COVEY_COMPONENT_DEFINE(...) COVEY__COMPONENT_DEFINE(__VA_ARGS__, .reserved = 0)
#define COVEY_TAG_DEFINE(...) COVEY__TAG_DEFINE(__VA_ARGS__, .reserved = 0)
#endif

/* The descriptor of T, for functions that take a type; and those of several, for lists in descriptions:
 *     .with = { covey_ids(Position, Velocity) } */
#define covey_id(T) (&covey_type_##T)
#define covey_ids(...) COVEY__EACH(COVEY__ID, , __VA_ARGS__)

/* ---- 5. Worlds ---------------------------------------------------------------------------------------------------*/

/* Takes text, piece by piece. */
typedef void covey_write_fn(const char *text, void *context);
/* Hears of every failed call: its number and a sentence with names in it. Called by the thread whose call failed. */
typedef void covey_log_fn(covey_result item, const char *text, void *context);
/* Called when a contract is broken, for example a pool used with another type. May return: the call then goes on, and
 * does what the broken contract makes it do. */
typedef void covey_assert_fn(const char *what, const char *file, int line, void *context);

typedef struct covey_world_desc {
    covey_allocator allocator;
    covey_log_fn *log; /* NULL: at assertion level 1 the first 100 failures are printed to stderr; at level 0 none is */
    void *log_context;
    covey_assert_fn *on_assert; /* NULL prints the message to stderr and aborts */
    void *assert_context;
    uint32_t first_index; /* the lowest index that covey_create gives out: worlds whose indices are apart refuse each
                           * other's handles. Images do not have it: load into a world that is made with the same */
} covey_world_desc;

/* Makes an empty world; NULL for `desc` means all defaults. Returns NULL when memory is out. */
COVEY_API covey_world *covey_world_create(const covey_world_desc *desc);

/* Drops every value and frees everything; who listens hears of the end of all entities first. NULL is fine. */
COVEY_API void covey_world_destroy(covey_world *world);

/* The reason of the last failed changing call on this world, COVEY_OK when none has failed. A success leaves it. */
COVEY_API covey_result covey_world_result(const covey_world *world);
/* Fails as a call of this library does: the world has this result from now on, and its log hears of it. For libraries on top
 * of this one. Returns the result. */
COVEY_API covey_result covey_world_fail(covey_world *world, covey_result result, const char *text);

/* One more who hears of failed calls, beside the log of the description: a tool that looks into a world it did not make.
 * The object is the caller's, and stays where it is until it is disconnected, or the world ends. */
typedef struct covey_log_listener {
    covey_log_fn *log;
    void *context;
    struct covey_log_listener *next; /* the world's */
} covey_log_listener;
/* Connects one that is not connected. It is called after the description's log and those that were connected before it.
 * Clones of the world do not have it. Never fails. Not while systems run. */
COVEY_API void covey_log_connect(covey_world *world, covey_log_listener *listener);
/* Returns whether it was connected. A listener may disconnect itself while it is called. */
COVEY_API bool covey_log_disconnect(covey_world *world, covey_log_listener *listener);

/* The bytes the world has allocated, its pools included: exactly what its allocator has handed out, but for command
 * buffers and histories, which covey_commands_memory and covey_history_memory count. */
COVEY_API size_t covey_world_memory(const covey_world *world);

/* Checks every invariant of the world. Returns false and a reason (`why` may be NULL) when one is broken.
 * O(everything). */
COVEY_API bool covey_world_validate(const covey_world *world, const char **why);

/* ---- 6. Entities ---------------------------------------------------------------------------------------------------
 *
 * The world gives out the index that was freed last, and, when none is free, the lowest that was never used. Each use
 * of an index has a new generation; an index whose generations are used up is retired, so a stale handle never
 * resolves. */

/* Makes an entity without components. Returns null when indices (FULL) or memory (MEMORY) are out, or when a listener
 * destroyed it at once (GONE). O(1). */
COVEY_HOT covey_entity covey_create(covey_world *world);

/* Makes `count` entities, the same that as many single calls would make. All or nothing: false leaves null handles. */
COVEY_API bool covey_create_many(covey_world *world, covey_entity *entities, uint32_t count);

/* Makes an entity with this index. Returns null when the index is in use or retired (TAKEN), too large (RANGE), or
 * memory is out. O(1); a high index costs a page, and 8 bytes for each page below. */
COVEY_API covey_entity covey_create_at(covey_world *world, uint32_t index);

/* Makes the entity with exactly this handle, for example one that a server has sent. The generations of the index that
 * it skips are never used. Returns null when the index is in use or retired, or when this generation of it, or a later
 * one, was used before (TAKEN); when no entity can have this handle: the index is too large, or the generation is even
 * or too large (RANGE); or when memory is out. Costs as covey_create_at. */
COVEY_API covey_entity covey_create_exact(covey_world *world, covey_entity e);

/* Makes entities with exactly these handles, also where the generation is the last one that its index had here: for
 * entities that left for another world and come back, whose old handles name them again. All or nothing; false as
 * covey_create_exact returns null, and when a handle comes twice (TAKEN). O(count). */
COVEY_API bool covey_create_again(covey_world *world, const covey_entity *entities, uint32_t count);

/* A range of indices that covey_create leaves alone. { 0, 0 } is null. */
typedef struct covey_range {
    uint32_t first, count;
} covey_range;

/* Sets a range of indices aside, for good, for covey_create_in and covey_create_at. An index of a range goes back to
 * its range when it is freed. Returns null when any was used or is reserved (TAKEN), or does not exist (RANGE). */
COVEY_API covey_range covey_range_reserve(covey_world *world, uint32_t first, uint32_t count);

/* Makes an entity in a reserved range, in the order in which covey_create does outside of it. Returns null when the
 * range is used up (FULL) or is not one that was reserved (ABSENT). O(number of ranges). */
COVEY_API covey_entity covey_create_in(covey_world *world, covey_range range);

/* Ends an entity and drops its components. From the first drop on the entity is no longer alive. Returns whether it was
 * alive. O(number of pools that have anything near: in the same 64 ids, or, of sparse pools, in the same page). */
COVEY_HOT bool covey_destroy(covey_world *world, covey_entity e);

/* Ends those of the entities that are alive; returns how many were. */
COVEY_API uint32_t covey_destroy_many(covey_world *world, const covey_entity *entities, uint32_t count);

/* Ends every entity, from the highest index down, so that covey_create next hands out the lowest of them. */
COVEY_API void covey_destroy_all(covey_world *world);

/* Whether the handle names a living entity of this world. A handle carries no world: one of another world is refused
 * only when its index or generation differs here. To be sure that it does, give each world indices of its own with
 * .first_index, or keep the world beside the entity (covey/handle.h). */
COVEY_HOT bool covey_alive(const covey_world *world, covey_entity e);

/* How many entities are alive. */
COVEY_API uint32_t covey_entity_count(const covey_world *world);

/* The living entity with this index, or null. O(1). */
COVEY_API covey_entity covey_entity_at(const covey_world *world, uint32_t index);

/* The generation of the last entity that had this index, alive or dead: an odd number; 0 when there never was one. All
 * up to it are used up: covey_create_exact takes a larger one. O(1). */
COVEY_API uint32_t covey_generation_at(const covey_world *world, uint32_t index);

/* All entities by index: start with a null handle; null means the end. The one in hand may be destroyed meanwhile.
 *     for (covey_entity e = covey_entity_next(world, COVEY_NULL); !covey_is_null(e); e = covey_entity_next(world, e)) */
COVEY_API covey_entity covey_entity_next(const covey_world *world, covey_entity previous);

/* Writes "index:generation", or "null", as snprintf does. Returns the length of the whole text. */
COVEY_API int covey_entity_print(char *text, size_t size, covey_entity e);

/* ---- 7. Components -------------------------------------------------------------------------------------------------
 *
 * A typed verb is one cast around one call. Its `_raw` twin takes the descriptor instead of the name, for types that are
 * made at run time and for code that is written for any type.
 *
 * A pointer into a pool is valid until the pool next changes: until a component is added to it or removed from it, or
 * it is cleared, swapped, sorted, compacted, shrunk, reserved or converted; in a group, also until that happens to
 * another pool which the group owns. In a block pool, adding and removing matter only
 * among the 512 indices around. With COVEY_STORAGE_PINNED, and under COVEY_IN_PLACE, it is valid until its own
 * component is removed, or, in place, until covey_pool_pack moves it. docs/guarantees.md has the whole table.
 *
 * Values move: add, set and get_or_add take the value over when they succeed and use it; otherwise the caller keeps it.
 * A NULL value stands for the default of the type: a copy of its `.defaults` (COPY when its hook says no), or zero bytes
 * if it has none. */

/* Adds a component that must be absent. Returns its address, or NULL (DEAD, PRESENT, MEMORY, FULL, TYPE, LAYOUT); also
 * when a listener removed it at once (GONE): then the value was taken over, and is dropped. */
#define covey_add(world, e, T, ...) \
    ((T *)covey__add((world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_add_value(world, e, T, value) \
    ((T *)covey__add((world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_add_default(world, e, T) ((T *)covey__add((world), (e), covey_id(T), NULL, COVEY__SIZE(T), false))
#define covey_add_tag(world, e, T) covey__add_tag((world), (e), COVEY__EXPECTS_TAG(T))
COVEY_HOT void *covey_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Adds a component or overwrites it, dropping the old value. Returns its address, or NULL as covey_add does. */
#define covey_set(world, e, T, ...) \
    ((T *)covey__set((world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
#define covey_set_value(world, e, T, value) \
    ((T *)covey__set((world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), COVEY__SIZE(T), false))
#define covey_set_tag(world, e, T) covey__set_tag((world), (e), COVEY__EXPECTS_TAG(T))
COVEY_HOT void *covey_set_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Exchanges a component's value with *value: the caller then has the old one. Returns false when it is absent
 * (ABSENT). */
#define covey_replace(world, e, T, value) \
    covey_replace_raw((world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_replace_raw(covey_world *world, covey_entity e, const covey_type *type, void *value);

/* The component's address, or NULL when the entity does not have it. A tag that is there has an address, too. */
#define covey_get(world, e, T) ((T *)covey__get_sized((world), (e), covey_id(T), COVEY__SIZE(T)))
COVEY_HOT void *covey_get_raw(const covey_world *world, covey_entity e, const covey_type *type);

/* The component's address; adds it with this value when it is absent. Otherwise the caller keeps the value. */
#define covey_get_or_add(world, e, T, ...) \
    ((T *)covey__get_or_add((world), (e), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__), COVEY__SIZE(T), true))
COVEY_HOT void *covey_get_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value);

/* Calls change(value, context) on a component that is there, so that whoever listens learns of the change. `change` may
 * be NULL; it must not change the world otherwise. Returns the component's address, or NULL when it is absent. */
#define covey_patch(world, e, T, change, context) ((T *)covey_patch_raw((world), (e), covey_id(T), (change), (context)))
typedef void covey_change_fn(void *value, void *context);
COVEY_API void *covey_patch_raw(covey_world *world, covey_entity e, const covey_type *type, covey_change_fn *change,
                                void *context);

/* The same, but a component that is absent is added first, without a value; who listens then hears that it was added,
 * when it is changed. Returns its address, or NULL as covey_add does. */
#define covey_patch_or_add(world, e, T, change, context) \
    ((T *)covey_patch_or_add_raw((world), (e), covey_id(T), (change), (context)))
COVEY_API void *covey_patch_or_add_raw(covey_world *world, covey_entity e, const covey_type *type,
                                       covey_change_fn *change, void *context);

/* Whether the entity has the component; all, or any, of several: covey_has_all(world, e, Position, Velocity). The raw
 * calls take a list that ends with NULL. */
#define covey_has(world, e, T) covey_has_raw((world), (e), covey_id(T))
COVEY_HOT bool covey_has_raw(const covey_world *world, covey_entity e, const covey_type *type);
#define covey_has_all(world, e, ...) \
    covey_has_all_raw((world), (e), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
#define covey_has_any(world, e, ...) \
    covey_has_any_raw((world), (e), (const covey_type *const[]){ covey_ids(__VA_ARGS__) NULL })
COVEY_API bool covey_has_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types);
COVEY_API bool covey_has_any_raw(const covey_world *world, covey_entity e, const covey_type *const *types);

/* Removes a component and drops its value. Returns whether it was there. Never allocates, never fails. */
#define covey_remove(world, e, T) covey__remove_sized((world), (e), covey_id(T), COVEY__SIZE(T))
COVEY_HOT bool covey_remove_raw(covey_world *world, covey_entity e, const covey_type *type);

/* Removes a component and hands its value over to *value instead of dropping it: the caller owns it from then on. Who
 * listens hears of a removal. Returns whether it was there, and still was when all had heard of it; otherwise *value is
 * as it was. Never allocates, never fails. */
#define covey_take(world, e, T, value) covey_take_raw((world), (e), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_take_raw(covey_world *world, covey_entity e, const covey_type *type, void *value);

/* Removes the components for which remove(e, value, context) is true, also those that are disabled, and drops their
 * values. Returns how many. The function must not change the world. It is asked once about each component; where
 * somebody listens, perhaps more often, and perhaps not about what listeners add meanwhile. Never allocates, never
 * fails. O(n). */
#define covey_remove_if(world, T, remove, context) covey_remove_if_raw((world), covey_id(T), (remove), (context))
typedef bool covey_condition_fn(covey_entity e, const void *value, void *context);
COVEY_API uint32_t covey_remove_if_raw(covey_world *world, const covey_type *type, covey_condition_fn *remove,
                                       void *context);

/* Removes one type from every entity; or every type. The entities stay. What listeners add meanwhile may stay, too. */
#define covey_clear(world, T) covey_clear_raw((world), covey_id(T))
COVEY_API void covey_clear_raw(covey_world *world, const covey_type *type);
COVEY_API void covey_clear_all(covey_world *world);

/* The first entity, in the pool's order, whose component equals *value: for which equal(component, value), or, when
 * `equal` is NULL, all bytes are the same, padding included. Null when there is none. O(n). covey_first takes the first
 * that has the component at all. */
#define covey_find(world, T, value, equal) \
    covey_find_raw((world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value), (equal))
#define covey_first(world, T) covey_find_raw((world), covey_id(T), NULL, NULL)
typedef bool covey_equal_fn(const void *component, const void *value);
COVEY_API covey_entity covey_find_raw(const covey_world *world, const covey_type *type, const void *value,
                                      covey_equal_fn *equal);

/* Whether the entity is alive and has no component. */
COVEY_API bool covey_is_empty(const covey_world *world, covey_entity e);

/* The types of the components an entity has, in the order in which the world met them. Writes at most `capacity` and
 * returns how many there are. */
COVEY_API uint32_t covey_types_of(const covey_world *world, covey_entity e, const covey_type **types,
                                  uint32_t capacity);

/* A type made at run time: copies the description, its name included, into the world and returns the copy, which lives
 * as long as the world. A type that is known already is returned as it is. NULL: MEMORY, TYPE or LAYOUT. */
COVEY_API const covey_type *covey_type_create(covey_world *world, const covey_type *description);

/* The type of this name that the world knows, or NULL. */
COVEY_API const covey_type *covey_type_find(const covey_world *world, const char *name);

/* ---- 8. Held pools -------------------------------------------------------------------------------------------------
 *
 * The pool of a type, valid for the world's life. Holding it saves the lookup of the type at each call. The verbs do
 * what their namesakes do. */

/* The pool of T, made when the world does not have it yet. NULL: MEMORY, TYPE or LAYOUT. */
#define covey_pool_of(world, T) covey_pool_of_raw((world), covey_id(T))
COVEY_API covey_pool *covey_pool_of_raw(covey_world *world, const covey_type *type);

/* The pool of a type if the world has it, or NULL; changes nothing. */
#define covey_pool_find(world, T) covey_pool_find_raw((world), covey_id(T))
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

/* The unchecked twin: the component must be there. Of a sparse pool, two loads and no compare. */
#define covey_pool_get_unchecked(pool, e, T) \
    ((T *)covey__pool_get_unchecked_sized(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T)))
COVEY_HOT void *covey_pool_get_unchecked_raw(const covey_pool *pool, covey_entity e);

/* Every component of a pool of either storage, by position:
 *     for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
 *         covey_pool_value_at(pool, p, Position)->x += 1;
 * Positions of a sparse pool are those of its packed arrays; positions of a block pool are the entities' indices. */
COVEY_INLINE uint32_t covey_pool_next(const covey_pool *pool, uint32_t position); /* from here on, or COVEY_NONE */
COVEY_API covey_entity covey_pool_at(const covey_pool *pool, uint32_t position);  /* null where there is none */
COVEY_API uint32_t covey_pool_position(const covey_pool *pool, covey_entity e);   /* COVEY_NONE: it has none */
#define covey_pool_value_at(pool, position, T) \
    ((T *)covey__pool_value_at_sized(COVEY__TYPED(pool, T), (position), COVEY__SIZE(T)))
COVEY_INLINE void *covey_pool_value_at_raw(const covey_pool *pool, uint32_t position);
COVEY_INLINE uint32_t covey_pool_count(const covey_pool *pool); /* components */

/* The packed arrays of a sparse pool: value i belongs to id i, for i below covey_pool_size. A block pool has none: its
 * size is 0, and its arrays are NULL; asking for them breaks a contract at assertion level 1. Under a policy that leaves
 * holes, some positions hold nothing, whatever their id and value show: walk with covey_pool_next, or compact first. In-place values lie in pages of COVEY_PAGE_SIZE: covey_pool_values is NULL
 * for them, covey_pool_page gives page k. */
COVEY_INLINE uint32_t covey_pool_size(const covey_pool *pool);           /* positions: components and holes */
COVEY_INLINE const covey_entity *covey_pool_ids(const covey_pool *pool); /* NULL while the pool never had any */
#define covey_pool_values(pool, T) ((T *)covey_pool_values_raw(COVEY__TYPED(pool, T)))
COVEY_INLINE void *covey_pool_values_raw(const covey_pool *pool);
#define covey_pool_page(pool, k, T) ((T *)covey_pool_page_raw(COVEY__TYPED(pool, T), (k)))
COVEY_API void *covey_pool_page_raw(const covey_pool *pool, uint32_t page);

/* Exchanges the positions of two components of a sparse pool. Fails (ABSENT, REFUSED) for absentees, and for pools
 * that are in place, in blocks, kept in order or owned by a group. */
COVEY_API covey_result covey_pool_swap(covey_pool *pool, covey_entity a, covey_entity b);

/* Room for `count` components in all, so that adds up to there need no memory for values. A block pool has nothing to
 * reserve: it asks for memory block by block. */
COVEY_API covey_result covey_pool_reserve(covey_pool *pool, uint32_t count);

/* Closes the holes that removal left, in one pass that keeps the order. In-place pools keep their addresses: they lose
 * only the holes behind the last component; covey_pool_pack closes the others. Sparse pools keep their memory; blocks get the form that fits them best and
 * give back the rest. Never fails. covey_compact does it to all pools that have more holes than .compact_above. */
COVEY_API void covey_pool_compact(covey_pool *pool);
COVEY_API void covey_compact(covey_world *world);

/* Hears of a component that has another address: its value was at `from`, where nothing is any more, and is at `to`.
 * Must not change the world. */
typedef void covey_moved_fn(covey_entity e, const void *from, void *to, void *context);
/* Closes all holes of an in-place pool, the one call that moves its values: the last components fill the holes, and
 * moved(e, from, to, context) is called for each of them, once; `moved` may be NULL. REFUSED for pools that are not in place:
 * covey_pool_compact closes their holes. Never allocates. O(holes + components that move). */
COVEY_API covey_result covey_pool_pack(covey_pool *pool, covey_moved_fn *moved, void *context);

/* Keeps the components of a pool in another storage from now on: its type's, for COVEY_STORAGE_DEFAULT. Handles stay
 * valid, addresses do not; a pool that becomes sparse has its components by index. All or nothing: MEMORY; REFUSED for
 * pools whose addresses are stable (in place, pinned), that are kept in order or owned by a group, and for blocks where
 * a policy is named. */
COVEY_API covey_result covey_pool_convert(covey_pool *pool, covey_storage storage);

/* Returns unused memory: spare capacity, and pages of the table that hold nothing. The spare slots of blocks are
 * returned by compaction. Never fails. */
COVEY_API void covey_pool_shrink(covey_pool *pool);
COVEY_API void covey_shrink(covey_world *world);

COVEY_API const covey_type *covey_pool_type(const covey_pool *pool);
COVEY_API covey_world *covey_pool_world(const covey_pool *pool);
COVEY_API size_t covey_pool_memory(const covey_pool *pool);         /* bytes, a part of covey_world_memory */
COVEY_API covey_storage covey_pool_storage(const covey_pool *pool); /* now: never COVEY_STORAGE_DEFAULT */
/* The group that owns the pool: of several, which are nested, the innermost. NULL when none does. */
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
 * Span by span, the loop to write: the components of a span lie one after the other, so that the body is a loop over
 * arrays. Neighbouring full blocks make one long span; where matches are scattered, a span is one entity.
 *
 *     covey_iter it = covey_view_iter(&moving);
 *     while (covey_next(&it)) {
 *         Position *p = covey_field(&it, 0, Position);
 *         const Velocity *v = covey_field(&it, 1, Velocity);
 *         for (uint32_t i = 0; i < it.count; i++) p[i].x += v[i].x;
 *     }
 *
 * Row by row, one entity at a time, for bodies that change structure.
 *
 *     covey_iter it = covey_view_iter(&moving);
 *     covey_row row = { 0 };
 *     while (covey_next_row(&it, &row))
 *         if (covey_row_field(&it, row, 0, Position)->x > 100) covey_destroy(world, covey_row_entity(&it, row));
 *
 * While a span is open no pool of its view may change: nothing is added to it or removed from it. While a row is
 * visited, its entity may get and lose components and be destroyed, and others may be created and get components
 * (whether these are visited is not specified); but no other entity loses a component that the view is about, none that
 * is still to be visited gets one that the view excludes, and no pool that entities must be in is cleared, converted or
 * put in another order, as joining or leaving a group that owns it does, unless the row's entity leaves the pool as well.
 * Assertion level 2 finds broken rules and names the pool; docs/guarantees.md has the table. */

#define COVEY_TERMS 16 /* of a view, all kinds together */

typedef struct covey_view_desc {
    const covey_type *with[COVEY_TERMS];     /* must be there */
    const covey_type *optional[COVEY_TERMS]; /* may be there: the field is NULL where it is not */
    const covey_type *any[COVEY_TERMS];      /* at least one of these must be there; fields as with optional */
    const covey_type *without[COVEY_TERMS];  /* must not be there */
    const covey_type *read[COVEY_TERMS];     /* those of the above that the loop only reads; it may write the others */
    const covey_type *changed[COVEY_TERMS];  /* those of `with` that covey_view_iter_since asks about */
    bool disabled;                           /* what is disabled counts as well (covey/visibility.h) */
} covey_view_desc;

/* A view is a value. A zeroed one matches nothing. */
typedef struct covey_view covey_view;

/* Makes a view; NULL for `desc`, or one without anything, means all entities. Fields are numbered through `with`, then
 * `optional`, then `any`, in the order in which they are named. Types that the world has not met yet are fine. A
 * description with too many terms, a type in two places, a read type that is no term or a changed type without ticks
 * gives a view that matches nothing (TYPE): covey_view_valid is false for it, and the log says what is wrong. */
COVEY_API covey_view covey_view_make(covey_world *world, const covey_view_desc *desc);
/* The same for entities that have these components: covey_view_of(world, Position, Velocity). */
#define covey_view_of(world, ...) covey_view_make((world), &(covey_view_desc){ .with = { covey_ids(__VA_ARGS__) } })
/* Makes a view for readers, who have a const world: all fields are only read, and neither making nor iterating it
 * changes the world, so that any number of threads may do both while none changes it. Values are for covey_field_const
 * and covey_row_field_const. A description that is wrong leaves the world as it is, and its reason in *why, if that is
 * not NULL. */
COVEY_API covey_view covey_view_make_const(const covey_world *world, const covey_view_desc *desc, const char **why);
COVEY_API bool covey_view_valid(const covey_view *view);
/* The number of fields; the type of one; whether it is only read. */
COVEY_API uint32_t covey_view_fields(const covey_view *view);
COVEY_API const covey_type *covey_view_type(const covey_view *view, uint32_t field);
COVEY_API bool covey_view_reads(const covey_view *view, uint32_t field);

/* How many entities match: exact, by counting bits where all pools are blocks. Values are not touched. */
COVEY_API uint32_t covey_view_count(const covey_view *view);
/* The first entity that spans visit, or null. */
COVEY_API covey_entity covey_view_first(const covey_view *view);
COVEY_API bool covey_view_contains(const covey_view *view, covey_entity e);

/* An iteration: `it.count` is the number of rows of its span. It takes some kilobytes: do not copy it. */
typedef struct covey_iter covey_iter;
/* One entity of an iteration: { 0 } before the first. */
typedef struct covey_row covey_row;

/* Begins an iteration; the view and the iterator stay where they are while it lasts. Entities come in one order, in
 * spans and in rows: by index where the smallest pool is in blocks, otherwise in the order of the smallest sparse pool,
 * from its first component to its last. */
COVEY_API covey_iter covey_view_iter(const covey_view *view);
/* The same in the order of this pool, which may be any of the world's. Entities without a component there are left
 * out. */
COVEY_API covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool);
/* The same over the entities of a list, in its order, as often as they are there; dead ones are skipped. */
COVEY_API covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count);

/* How far an iteration goes that has not begun: so many indices, or positions of the array that it follows. It depends on
 * what is there, and not on what is reserved. */
COVEY_API uint32_t covey_iter_length(const covey_iter *it);
/* A part of an iteration that has not begun: the entities from index, or position, `first` to `end`. Both are multiples of
 * 64, or the length; so no two parts have a block or a word of an occupancy mask in common. Parts that follow each other
 * visit together what the whole visits, in its order. As long as nobody changes the structure of the world, threads may
 * make parts of one iteration, and walk one each, at the same time. covey/schedule.h does this for systems. */
COVEY_API covey_iter covey_iter_part(const covey_iter *whole, uint32_t first, uint32_t end);

/* The next span, or false at the end. */
COVEY_HOT bool covey_next(covey_iter *it);
/* The array of a span, or NULL for a component that is optional and not there. A tag has an address without bytes. */
#define covey_field(it, field, T) ((T *)COVEY__FIELD((it), (field), T))
#define covey_field_const(it, field, T) ((const T *)COVEY__FIELD((it), (field), T))
COVEY_HOT void *covey_field_raw(const covey_iter *it, uint32_t field);
/* The entity of a row of the span. */
COVEY_INLINE covey_entity covey_span_entity(const covey_iter *it, uint32_t row);

/* The next row, or false at the end. */
COVEY_HOT bool covey_next_row(covey_iter *it, covey_row *row);
/* The component of the row's entity, wherever it is by now; NULL for an optional one that is not there. Do not ask for
 * one of `with` that was removed since the row began. */
#define covey_row_field(it, row, field, T) ((T *)COVEY__ROW_FIELD((it), (row), (field), T))
#define covey_row_field_const(it, row, field, T) ((const T *)COVEY__ROW_FIELD((it), (row), (field), T))
COVEY_HOT void *covey_row_field_raw(const covey_iter *it, covey_row row, uint32_t field);
COVEY_INLINE covey_entity covey_row_entity(const covey_iter *it, covey_row row);

/* ---- 10. Many at once --------------------------------------------------------------------------------------------*/

/* Adds a component to each of `count` entities, from an array of values: all or nothing (DEAD, PRESENT when one has it
 * or comes twice, MEMORY, FULL). On success the values have moved; they may lie in the same pool if it is sparse.
 * In-place pools append, as with force_back. O(count): fastest for entities in the order of indices, as
 * covey_create_many makes them, whose values are copied in runs. */
#define covey_add_array(world, entities, count, T, values) \
    covey_add_array_raw((world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, values))
COVEY_API bool covey_add_array_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                   const covey_type *type, const void *values);

/* The same with a copy of one value for each; the caller keeps the value. Uses the `copy` hook; COPY when a type with
 * `drop` has none or says `no_copy`, or when the hook says no. */
#define covey_add_copies(world, entities, count, T, value) \
    covey_add_copies_raw((world), (entities), (count), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_add_copies_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                    const covey_type *type, const void *value);

/* Entities with several components in one call. Nobody hears of any of it before all of it is there.
 *
 *     covey_entity e = covey_create_with(world, covey_with(Position, { 1, 2 }), covey_with_tag(Frozen));
 *     covey_create_many_with(world, crowd, 1000, covey_with_copies(Position, &start), covey_with_array(Velocity, each));
 *
 * A component that entities are created with: the default of its type, or values. */
typedef struct covey_component {
    const covey_type *type;
    const void *values; /* one for each entity, in an array: on success they have moved */
    const void *value;  /* or one of which each entity gets a copy, as with covey_add_copies */
    uint32_t count;     /* of the values; 0: as many as there are entities */
    size_t size;        /* of a value; 0: as the type says */
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

/* Makes an entity with these components: at most 16, and the raw call's list ends with one that has no type. Returns
 * null: MEMORY, FULL, TYPE, LAYOUT, COPY, PRESENT when a type is named twice, RANGE when there are too many, or when
 * `count` is not the number of entities; then nothing has changed, and values are still the caller's. Also when a
 * listener destroyed it at once (GONE): then the values were taken over, and are dropped. */
#define covey_create_with(world, ...)                                                      \
    covey__create_with((world), (const covey_component[]){ __VA_ARGS__, COVEY__WITH_END }, \
                       sizeof((const covey_component[]){ __VA_ARGS__ }) / sizeof(covey_component))
COVEY_API covey_entity covey_create_with_raw(covey_world *world, const covey_component *components);

/* The same for `count` entities, those that covey_create_many would make. In-place pools append, as with force_back.
 * False leaves null handles. True, whatever listeners have done to the entities since. O(components), by blocks of 64
 * indices. */
#define covey_create_many_with(world, entities, count, ...) \
    covey_create_many_with_raw((world), (entities), (count), (const covey_component[]){ __VA_ARGS__, COVEY__WITH_END })
COVEY_API bool covey_create_many_with_raw(covey_world *world, covey_entity *entities, uint32_t count,
                                          const covey_component *components);

/* ---- 11. Resources -------------------------------------------------------------------------------------------------
 *
 * A resource is one value of a type for the whole world: a clock, a map, settings. Its type is described as a
 * component's is, and matched in the same way: by address, then by name. A world may have a resource and components of
 * one type; neither knows of the other. Its address is the same from the first set until it is removed. An object of the
 * program can be a resource as well: the world knows where it is, and nothing else.
 *
 *     covey_resource_set(world, Clock, { .rate = 60 });
 *     covey_resource_get(world, Clock)->now += 1; */

/* Sets the world's value of T, dropping the old one. Returns its address, or NULL (MEMORY, TYPE, LAYOUT); the caller
 * then keeps the value. A NULL value stands for the default of the type (COPY). O(number of resources), as the calls
 * below. */
#define covey_resource_set(world, T, ...) \
    ((T *)covey_resource_set_raw((world), covey_id(T), COVEY__EXPECTS_BRACES(T, __VA_ARGS__)))
#define covey_resource_set_value(world, T, value) \
    ((T *)covey_resource_set_raw((world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value)))
#define covey_resource_set_tag(world, T) covey__resource_set_tag((world), COVEY__EXPECTS_TAG(T))
COVEY_API void *covey_resource_set_raw(covey_world *world, const covey_type *type, const void *value);

/* Makes an object of the program the world's resource of T, or another one than before: a window, a sound system. It
 * stays the program's: it is never dropped or moved, and images, copies of the world and rollback know nothing of it.
 * Removing ends the reference; the object must last until then. False: MEMORY, TYPE, LAYOUT, or PRESENT when the world
 * has a value of this type. Where there is a reference, set is refused (PRESENT), and a value that an image brings is
 * hidden until the reference is removed. */
#define covey_resource_refer(world, T, object) \
    covey_resource_refer_raw((world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, object))
COVEY_API bool covey_resource_refer_raw(covey_world *world, const covey_type *type, void *object);

/* Its address, or NULL when the world has none. That of a tag is not NULL, and has no bytes. */
#define covey_resource_get(world, T) ((T *)covey_resource_get_raw((world), covey_id(T)))
COVEY_API void *covey_resource_get_raw(const covey_world *world, const covey_type *type);
#define covey_resource_has(world, T) covey_resource_has_raw((world), covey_id(T))
COVEY_API bool covey_resource_has_raw(const covey_world *world, const covey_type *type);

/* Removes it and drops its value, unless that is an object of the program. Returns whether it was there. */
#define covey_resource_remove(world, T) covey_resource_remove_raw((world), covey_id(T))
COVEY_API bool covey_resource_remove_raw(covey_world *world, const covey_type *type);

/* Removes it and hands its value over to *value instead of dropping it. Returns whether it was there: an object of the
 * program is not the world's to hand over. */
#define covey_resource_take(world, T, value) \
    covey_resource_take_raw((world), covey_id(T), COVEY__EXPECTS_POINTER_TO(T, value))
COVEY_API bool covey_resource_take_raw(covey_world *world, const covey_type *type, void *value);

/* All resources that are values, by their types, in the order in which they were set first. */
COVEY_API uint32_t covey_world_resource_count(const covey_world *world);
COVEY_API const covey_type *covey_world_resource(const covey_world *world, uint32_t number); /* NULL: no such number */

/* ---- 12. Copies ----------------------------------------------------------------------------------------------------
 *
 * Values are copied by the `copy` hook of their type, or else byte by byte. A type that has `drop` and no `copy`, or
 * says `no_copy`, is refused (COPY) before any hook is called. All calls are all or nothing: where one fails, copies
 * that were made are dropped, and nothing else has changed. */

/* Gives `to` a copy of every component of `from`: adds what it lacks, overwrites what it has, dropping the old value.
 * An entity is its own copy. Returns false: DEAD, COPY, MEMORY, FULL. O(pools near `from`), and the values. */
COVEY_API bool covey_copy(covey_world *world, covey_entity from, covey_entity to);

/* Makes `count` entities, those that covey_create_many would make, each with a copy of every component of e. In-place
 * pools append, as with force_back. Returns false, and leaves null handles: DEAD, COPY, MEMORY, FULL. True, whatever
 * listeners have done to the clones since. */
COVEY_API bool covey_clone(covey_world *world, covey_entity e, covey_entity *clones, uint32_t count);

/* How entities are copied into another world. */
typedef struct covey_clone_desc {
    bool
        keep_outside; /* handles in fields (covey/fields.h) that name nobody who is copied stay; otherwise they become null */
    void (*cloned)(covey_entity from, covey_entity to, void *context); /* hears of each; must not change a world */
    void *cloned_context;
} covey_clone_desc;

/* Makes an entity in another world, or in the same, with a copy of every component of e, and handles in fields that name e
 * name the copy. Types that were made at run time are made there. NULL for `desc` means all defaults. Returns null, with
 * the result in `to`: DEAD, COPY, MEMORY, FULL, LAYOUT; REFUSED for a type with `move`. covey_clone_tree_into
 * (covey/hierarchy.h) copies a tree. */
COVEY_API covey_entity covey_clone_into(covey_world *to, const covey_world *from, covey_entity e,
                                        const covey_clone_desc *desc);

/* Makes a second world with the same entities, components and resources. Handles of the one are handles of the other,
 * and the same calls give the same results in both: ids, order, holes and storages are the same. NULL for `desc` means
 * the allocator, log and handlers of the first. Groups stay behind, with all that listens or waits.
 * Returns NULL, with the result in the first world: COPY, MEMORY. O(everything), most of it memcpy. */
COVEY_API covey_world *covey_world_clone(covey_world *world, const covey_world_desc *desc);

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/order.h>
#include <covey/react.h>
#include <covey/sparse_set.h>
#include <covey/stats.h>
#include <covey/visibility.h>

#include <covey/detail/define.h>

#include <covey/detail/contract.h>
#include <covey/detail/layout.h>
#include <covey/detail/view.h>

#include <covey/detail/hot.h>
#include <covey/detail/iterate.h>

#include <covey/detail/check.h>

#endif /* COVEY_H */
