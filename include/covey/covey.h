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
 * This header is the whole API, in reading order:
 *
 *     1  configuration          8  held pools       15  change ticks
 *     2  results                9  views            16  enabling
 *     3  memory                10  order            17  resources
 *     4  component types       11  groups           18  copies
 *     5  worlds                12  many at once     19  looking inside
 *     6  entities              13  signals          20  the sparse set on its own
 *     7  components            14  reactive sets    21  the hot path (not API)
 *
 * What is optional has a header of its own: covey/commands.h, covey/fields.h,
 * covey/handle.h, covey/hierarchy.h, covey/history.h, covey/schedule.h, covey/snapshot.h.
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

#if defined(_WIN32) && defined(COVEY_SHARED)
#ifdef COVEY_BUILD
#define COVEY_API __declspec(dllexport)
#else
#define COVEY_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define COVEY_API __attribute__((visibility("default")))
#else
#define COVEY_API
#endif

#define COVEY_INLINE static inline
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define COVEY_HOT static inline __attribute__((always_inline)) /* worth a copy at every call */
#else
#define COVEY_HOT static inline
#endif

#if COVEY_INDEX_BITS != 32 || COVEY_GENERATION_BITS != 32 || COVEY_PAGE_SIZE != 1024
#define COVEY__PASTE(name, i, g, p) name##_i##i##_g##g##_p##p
#define COVEY__EXPAND(name, i, g, p) COVEY__PASTE(name, i, g, p)
#define covey_world_create COVEY__EXPAND(covey_world_create, COVEY_INDEX_BITS, COVEY_GENERATION_BITS, COVEY_PAGE_SIZE)
#define covey_sparse_set_create \
    COVEY__EXPAND(covey_sparse_set_create, COVEY_INDEX_BITS, COVEY_GENERATION_BITS, COVEY_PAGE_SIZE)
#endif

#ifdef __cplusplus
#define COVEY__EXTERN extern "C"
extern "C" {
#else
#define COVEY__EXTERN extern
#endif

/* The version of the library that is linked, as COVEY_VERSION. */
COVEY_API uint32_t covey_version(void);

typedef struct covey_world covey_world;
typedef struct covey_pool covey_pool;
typedef struct covey_type covey_type;
typedef struct covey_fields covey_fields;
typedef struct covey_codec covey_codec;
typedef struct covey_sparse_set covey_sparse_set;

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

COVEY_INLINE bool covey_is_null(covey_entity e) { return e.generation == 0; }
COVEY_INLINE bool covey_same(covey_entity a, covey_entity b) {
    return a.index == b.index && a.generation == b.generation;
}

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

/* The descriptor of T, for functions that take a type. */
#define covey_id(T) (&covey_type_##T)

/* ---- 5. Worlds ---------------------------------------------------------------------------------------------------*/

/* Hears of every failed call: its number and a sentence with names in it. Called by the thread whose call failed. */
typedef void covey_log_fn(covey_result item, const char *text, void *context);
/* Called when a contract is broken, for example a pool used with another type. May return: the call then goes on, and
 * does what the broken contract makes it do. */
typedef void covey_assert_fn(const char *what, const char *file, int line, void *context);

typedef struct covey_world_desc {
    covey_allocator allocator;
    covey_log_fn *log;
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
 *     for (covey_entity e = covey_entity_next(world, none); !covey_is_null(e); e = covey_entity_next(world, e)) */
COVEY_API covey_entity covey_entity_next(const covey_world *world, covey_entity previous);

/* Writes "index:generation", or "null", as snprintf does. Returns the length of the whole text. */
COVEY_API int covey_entity_print(char *text, size_t size, covey_entity e);

/* ---- 7. Components -------------------------------------------------------------------------------------------------
 *
 * A typed verb is one cast around one call of its `_raw` twin, which takes a descriptor and the size of the value. Raw
 * calls with a type made at run time pass type->size.
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
#define covey_add(world, e, T, ...) ((T *)covey__add((world), (e), covey_id(T), &(T)__VA_ARGS__, COVEY__SIZE(T), true))
#define covey_add_value(world, e, T, value) \
    ((T *)covey_add_raw((world), (e), covey_id(T), (value), COVEY__SIZE_OF(T, value)))
#define covey_add_default(world, e, T) ((T *)covey_add_raw((world), (e), covey_id(T), NULL, COVEY__SIZE(T)))
#define covey_add_tag(world, e, T) covey__add_tag((world), (e), covey_id(T), COVEY__SIZE_TAG(T))
COVEY_HOT void *covey_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                              size_t size);

/* Adds a component or overwrites it, dropping the old value. Returns its address, or NULL as covey_add does. */
#define covey_set(world, e, T, ...) ((T *)covey__set((world), (e), covey_id(T), &(T)__VA_ARGS__, COVEY__SIZE(T), true))
#define covey_set_value(world, e, T, value) \
    ((T *)covey_set_raw((world), (e), covey_id(T), (value), COVEY__SIZE_OF(T, value)))
#define covey_set_tag(world, e, T) covey__set_tag((world), (e), covey_id(T), COVEY__SIZE_TAG(T))
COVEY_HOT void *covey_set_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                              size_t size);

/* Exchanges a component's value with *value: the caller then has the old one. Returns false when it is absent
 * (ABSENT). */
#define covey_replace(world, e, T, value) \
    covey_replace_raw((world), (e), covey_id(T), (value), COVEY__SIZE_OF(T, value))
COVEY_API bool covey_replace_raw(covey_world *world, covey_entity e, const covey_type *type, void *value, size_t size);

/* The component's address, or NULL when the entity does not have it. A tag that is there has an address, too. */
#define covey_get(world, e, T) ((T *)covey_get_raw((world), (e), covey_id(T), COVEY__SIZE(T)))
COVEY_HOT void *covey_get_raw(const covey_world *world, covey_entity e, const covey_type *type, size_t size);

/* The component's address; adds it with this value when it is absent. Otherwise the caller keeps the value. */
#define covey_get_or_add(world, e, T, ...) \
    ((T *)covey__get_or_add((world), (e), covey_id(T), &(T)__VA_ARGS__, COVEY__SIZE(T), true))
COVEY_HOT void *covey_get_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                                     size_t size);

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

/* Whether the entity has the component; all, or any, of several: covey_has_all(world, e, covey_id(A), covey_id(B)). */
#define covey_has(world, e, T) covey_has_raw((world), (e), covey_id(T))
COVEY_HOT bool covey_has_raw(const covey_world *world, covey_entity e, const covey_type *type);
#define covey_has_all(world, e, ...) covey_has_all_raw((world), (e), (const covey_type *const[]){ __VA_ARGS__, NULL })
#define covey_has_any(world, e, ...) covey_has_any_raw((world), (e), (const covey_type *const[]){ __VA_ARGS__, NULL })
COVEY_API bool covey_has_all_raw(const covey_world *world, covey_entity e, const covey_type *const *types);
COVEY_API bool covey_has_any_raw(const covey_world *world, covey_entity e, const covey_type *const *types);

/* Removes a component and drops its value. Returns whether it was there. Never allocates, never fails. */
#define covey_remove(world, e, T) covey_remove_raw((world), (e), covey_id(T), COVEY__SIZE(T))
COVEY_HOT bool covey_remove_raw(covey_world *world, covey_entity e, const covey_type *type, size_t size);

/* Removes a component and hands its value over to *value instead of dropping it: the caller owns it from then on. Who
 * listens hears of a removal. Returns whether it was there, and still was when all had heard of it; otherwise *value is
 * as it was. Never allocates, never fails. */
#define covey_take(world, e, T, value) covey_take_raw((world), (e), covey_id(T), (value), COVEY__SIZE_OF(T, value))
COVEY_API bool covey_take_raw(covey_world *world, covey_entity e, const covey_type *type, void *value, size_t size);

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
    covey_find_raw((world), covey_id(T), (value), (equal), COVEY__SIZE_OF(T, value))
#define covey_first(world, T) covey_find_raw((world), covey_id(T), NULL, NULL, COVEY__SIZE(T))
typedef bool covey_equal_fn(const void *component, const void *value);
COVEY_API covey_entity covey_find_raw(const covey_world *world, const covey_type *type, const void *value,
                                      covey_equal_fn *equal, size_t size);

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
    ((T *)covey__pool_add(COVEY__TYPED(pool, T), (e), &(T)__VA_ARGS__, COVEY__SIZE(T), true))
#define covey_pool_add_value(pool, e, T, value) \
    ((T *)covey_pool_add_raw(COVEY__TYPED(pool, T), (e), (value), COVEY__SIZE_OF(T, value)))
COVEY_HOT void *covey_pool_add_raw(covey_pool *pool, covey_entity e, const void *value, size_t size);

#define covey_pool_set(pool, e, T, ...) \
    ((T *)covey__pool_set(COVEY__TYPED(pool, T), (e), &(T)__VA_ARGS__, COVEY__SIZE(T), true))
#define covey_pool_set_value(pool, e, T, value) \
    ((T *)covey_pool_set_raw(COVEY__TYPED(pool, T), (e), (value), COVEY__SIZE_OF(T, value)))
COVEY_HOT void *covey_pool_set_raw(covey_pool *pool, covey_entity e, const void *value, size_t size);

#define covey_pool_get(pool, e, T) ((T *)covey_pool_get_raw(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T)))
COVEY_HOT void *covey_pool_get_raw(const covey_pool *pool, covey_entity e, size_t size);

COVEY_HOT bool covey_pool_has(const covey_pool *pool, covey_entity e);

#define covey_pool_remove(pool, e, T) covey_pool_remove_raw(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T))
COVEY_HOT bool covey_pool_remove_raw(covey_pool *pool, covey_entity e, size_t size);

#define covey_pool_take(pool, e, T, value) \
    covey_pool_take_raw(COVEY__TYPED(pool, T), (e), (value), COVEY__SIZE_OF(T, value))
COVEY_API bool covey_pool_take_raw(covey_pool *pool, covey_entity e, void *value, size_t size);
COVEY_API uint32_t covey_pool_remove_if(covey_pool *pool, covey_condition_fn *remove, void *context);

/* The unchecked twin: the component must be there. Of a sparse pool, two loads and no compare. */
#define covey_pool_get_unchecked(pool, e, T) \
    ((T *)covey_pool_get_unchecked_raw(COVEY__TYPED(pool, T), (e), COVEY__SIZE(T)))
COVEY_HOT void *covey_pool_get_unchecked_raw(const covey_pool *pool, covey_entity e, size_t size);

/* Every component of a pool of either storage, by position:
 *     for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1))
 *         covey_pool_value_at(pool, p, Position)->x += 1;
 * Positions of a sparse pool are those of its packed arrays; positions of a block pool are the entities' indices. */
COVEY_INLINE uint32_t covey_pool_next(const covey_pool *pool, uint32_t position); /* from here on, or COVEY_NONE */
COVEY_API covey_entity covey_pool_at(const covey_pool *pool, uint32_t position);  /* null where there is none */
COVEY_API uint32_t covey_pool_position(const covey_pool *pool, covey_entity e);   /* COVEY_NONE: it has none */
#define covey_pool_value_at(pool, position, T) \
    ((T *)covey_pool_value_at_raw(COVEY__TYPED(pool, T), (position), COVEY__SIZE(T)))
COVEY_INLINE void *covey_pool_value_at_raw(const covey_pool *pool, uint32_t position, size_t size);
COVEY_INLINE uint32_t covey_pool_count(const covey_pool *pool); /* components */

/* The packed arrays of a sparse pool: value i belongs to id i, for i below covey_pool_size. A block pool has none: size
 * 0 and NULL. Under a policy that leaves holes, some positions hold nothing, whatever their id and value show: walk
 * with covey_pool_next, or compact first. In-place values lie in pages of COVEY_PAGE_SIZE: covey_pool_values is NULL
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
 *     covey_view moving = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position), covey_id(Velocity) }, .without = { covey_id(Frozen) } });
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
    const covey_type *changed[COVEY_TERMS];  /* those of `with` that covey_view_iter_since asks about (section 15) */
    bool disabled;                           /* what is disabled counts as well (section 16) */
} covey_view_desc;

/* Its insides are not API. A zeroed view matches nothing. */
typedef struct covey_view {
    covey_world *world;
    const covey_type *types[COVEY_TERMS]; /* with, optional, any, without; the first `fields` have a field */
    uint8_t with, optional, any, without, fields;
    uint8_t asks;     /* a covey__asks: for what is disabled, too */
    uint16_t reads;   /* bit i: field i is only read */
    uint16_t changed; /* bit i: field i is one whose changes are asked for */
} covey_view;

/* Makes a view; NULL for `desc`, or one without anything, means all entities. Fields are numbered through `with`, then
 * `optional`, then `any`, in the order in which they are named. Types that the world has not met yet are fine. A
 * description with too many terms, a type in two places, a read type that is no term or a changed type without ticks
 * gives a view that matches nothing (TYPE): covey_view_valid is false for it, and the log says what is wrong. */
COVEY_API covey_view covey_view_make(covey_world *world, const covey_view_desc *desc);
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

#define COVEY__BLOCK_IDS 64                                     /* ids of a block: the bits of a word */
#define COVEY__PAGE_BLOCKS (COVEY_PAGE_SIZE < 64 ? 2 : 64)      /* blocks in a page of a block store */
#define COVEY__ROW_CHUNKS 4                                     /* fields whose chunks a row keeps */
#define COVEY__BATCH 128                                        /* entries of a list, in views with few fields */
#define COVEY__FEW 4                                            /* fields, and */
#define COVEY__PART (COVEY__BATCH / (COVEY_TERMS / COVEY__FEW)) /* entries of a list in views with more */

/* Values, and where the value of bit i of a block is among them: at data + map[i] * size. */
typedef struct covey__chunk {
    char *data;
    const uint8_t *map;
} covey__chunk;

/* One entity of an iteration: { 0 } before the first. Its insides are not API. Compilers keep it in registers. */
typedef struct covey_row {
    uint64_t left, blocks; /* what is still to come: of the block, the row first; of the page, its block first */
    uint64_t moves;        /* the addresses of fields are valid as long as this number of the world is the same */
    const uint64_t *now;   /* that number */
    covey__chunk chunks[COVEY__ROW_CHUNKS]; /* of the first fields */
} covey_row;

/* For which of those that are disabled a view asks. */
typedef enum covey__asks { COVEY__ASKS_ENTITIES = 1, COVEY__ASKS_COMPONENTS = 2 } covey__asks;

/* How an iteration goes through its entities. */
typedef enum covey__mode {
    COVEY__MODE_NOTHING,
    COVEY__MODE_BLOCKS,   /* by id; all fields are in blocks, and entities must have them */
    COVEY__MODE_MIXED,    /* by id; the fields in sparse pools are looked up */
    COVEY__MODE_ARRAY,    /* by position in a sparse set; the other fields are looked up */
    COVEY__MODE_SLOTS,    /* by block, the members of a group that owns pools in blocks; the same */
    COVEY__MODE_IDS,      /* by id, with ticks to note, or fields that may be missing */
    COVEY__MODE_POSITIONS /* by position in a sparse set or a list, the same */
} covey__mode;

/* A column of an iteration: a term of its view. */
typedef struct covey__column {
    covey__chunk chunk;                   /* of the block whose rows are handed out one by one */
    const covey_pool *pool;               /* NULL while the world does not know the type */
    const struct covey__block_page *page; /* the one that is walked, of a pool in blocks in which entities must be */
    uint32_t added, removed, moved;       /* changes of the pool that were known when the span or row began */
} covey__column;

/* How an iteration goes through its entities, and where it is: what is decided at its beginning. */
typedef struct covey__walk {
    const covey_entity *array; /* what is walked by position; NULL: ids are */
    const uint64_t *shifts;    /* the world's: counts values that moved */
    uint8_t mode;              /* a covey__mode */
    bool hides;                /* something that the view is about may be disabled */
    bool asks_more;            /* not only for being in blocks */
    bool refills;              /* what leaves the array has its place taken by another */
    bool begun;                /* the array was looked at, which may have changed since the iteration was made */
    bool sorts;                /* entities must have all fields, so that blocks can be handed out as they are */
    uint32_t first;            /* id of the page */
    uint64_t rest;             /* rows of the block that are still to come, and were not begun with */
    uint64_t blocks;           /* blocks of the page that are: each has matches */
    uint64_t opened;           /* all of them */
    uint64_t longer;           /* of these, the ones that are not handed out one by one: */
    uint64_t full, joined;     /* all 64 ids match and lie side by side; the values of the next block follow */
    uint64_t packed;           /* all ids that are there match, and lie side by side */
    uint64_t scattered;        /* of all blocks of the page, those that are handed out one by one as they are */
    uint32_t next;             /* the page, or the position, to go on with */
    uint32_t end;              /* of the pages, or positions */
    uint32_t from, to;         /* blocks of ids that are visited; all of them, unless this is a part */
    uint32_t last;             /* index of the entity at the last position, while rows are visited */
    uint32_t slot, slots;      /* of the block: the one to go on with, and where members end */
    uint32_t most;             /* rows of the next list */
    uint32_t looked_up;        /* columns whose values are */
    uint32_t excluded;         /* columns whose pools are asked for each row, and must not have it */
    uint32_t direct;           /* columns whose values are where the row is in the array, or in its block */
    uint32_t id;               /* of the row, at assertion level 2 */
    const covey_view *view;
    const covey_pool *lead;                 /* its order is followed; NULL: that of ids, or of the list */
    const covey_sparse_set *set;            /* whose array is walked; NULL: a list, or ids */
    const struct covey_group *group;        /* whose members the first of the set are */
    uint32_t destroyed;                     /* entities that were when the row began */
    uint32_t pools;                         /* of the world, when those of the terms were looked up */
    uint16_t changed, ticked;               /* fields: whose changes are asked for; that are written and have ticks */
    uint64_t since;                         /* the changes after this tick */
    const covey_pool *hidden;               /* who is disabled, if the view does not ask; or NULL */
    covey__column columns[COVEY_TERMS + 2]; /* the last two are for assertion level 2 */
} covey__walk;

/* As large objects on the stack are, so that gcc can make one that is returned where the caller wants it. */
#ifdef __cplusplus
#define COVEY__ALIGN_STACK alignas(16)
#else
#define COVEY__ALIGN_STACK _Alignas(16)
#endif

/* Entities are found in batches: a span of any length; the rows of a block, or a list of rows, that are scattered and are
 * handed out as spans of one. */
typedef struct covey_iter {
    COVEY__ALIGN_STACK uint32_t count; /* rows of the span; what follows is not API */
    uint32_t at, stop;                 /* the span's number in a list, and how many there are */
    uint32_t block;                    /* of the page */
    uint64_t left; /* rows of the block that are handed out one by one, this one first; 0: a list is */
    bool varies;   /* the spans of the list have lengths of their own */
    bool slotted;  /* they are blocks whose ids do not follow each other */
    covey__walk walk;
    uint64_t matches[COVEY__PAGE_BLOCKS];   /* of the page: bit i of word b is the id of bit i of block b */
    uint32_t rows[COVEY__BATCH];            /* the ids, or positions, at which the spans of the list begin */
    uint32_t counts[COVEY__BATCH];          /* their rows, if they are not one each; or slots that members have */
    uint32_t ids[COVEY__BATCH];             /* of a list of rows, which may lose their places in the array */
    char *values[COVEY__FEW][COVEY__BATCH]; /* where their fields are: see covey__list_of */
} covey_iter;

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
COVEY_HOT void *covey_field_raw(const covey_iter *it, uint32_t field, size_t size);
/* The entity of a row of the span. */
COVEY_INLINE covey_entity covey_span_entity(const covey_iter *it, uint32_t row);

/* The next row, or false at the end. */
COVEY_HOT bool covey_next_row(covey_iter *it, covey_row *row);
/* The component of the row's entity, wherever it is by now; NULL for an optional one that is not there. Do not ask for
 * one of `with` that was removed since the row began. */
#define covey_row_field(it, row, field, T) ((T *)COVEY__ROW_FIELD((it), (row), (field), T))
#define covey_row_field_const(it, row, field, T) ((const T *)COVEY__ROW_FIELD((it), (row), (field), T))
COVEY_HOT void *covey_row_field_raw(const covey_iter *it, covey_row row, uint32_t field, size_t size);
COVEY_INLINE covey_entity covey_row_entity(const covey_iter *it, covey_row row);

/* ---- 10. Order -----------------------------------------------------------------------------------------------------
 *
 * The components of a sparse pool lie in an order that is yours: sort them once, and every loop over the pool, and
 * every view that it leads, follows. Sorting is stable, and sorting what is almost sorted costs little more than looking
 * at it.
 *
 *     covey_pool_sort(sprites, &(covey_order){ .key = COVEY_KEY_F32, .offset = offsetof(Sprite, depth) });
 *
 * Pools in blocks are always in the order of indices, and in-place pools do not move values: both refuse (REFUSED), as
 * do pools that a group owns, which covey_group_sort is for, pools that are kept in an order, and pools with holes,
 * which want compaction first. */

/* What a key is: the entity's index, or a number of C's. Of floats, -0 is 0, and what is not a number comes last. */
typedef enum covey_key {
    COVEY_KEY_INDEX = 0,
    COVEY_KEY_F32 = 1,
    COVEY_KEY_F64 = 2,
    COVEY_KEY_I32 = 3,
    COVEY_KEY_I64 = 4,
    COVEY_KEY_U32 = 5,
    COVEY_KEY_U64 = 6
} covey_key;

/* Writes the key of a value: a number of the kind that the order names. Must not change the world. */
typedef void covey_key_fn(void *key, const void *value, void *context);
/* Below 0 if a comes before b, above 0 if behind it, 0 if either may. Must not change the world. */
typedef int covey_compare_fn(const void *a, const void *b, void *context);
/* The same with the entities, to look up what else they have. Must not change the world. */
typedef void covey_entity_key_fn(void *key, covey_entity e, const void *value, void *context);
typedef int covey_entity_compare_fn(covey_entity a, const void *a_value, covey_entity b, const void *b_value,
                                    void *context);

/* By which components are ordered: { 0 } is by index. At most one of the four functions is given. To sort by two fields,
 * compare the second where the first is equal; or, faster, make one key of both: layer << 32 | depth, as COVEY_KEY_U64. */
typedef struct covey_order {
    covey_key key;                             /* of what kind the key is */
    uint32_t offset;                           /* where it is in the value */
    covey_key_fn *key_of;                      /* or what makes it from the value, */
    covey_entity_key_fn *key_of_entity;        /* or from the entity and the value */
    covey_compare_fn *compare;                 /* or what compares values instead of keys, */
    covey_entity_compare_fn *compare_entities; /* or entities and values */
    void *context;                             /* for the functions */
    bool descending;
    uint32_t from, count; /* only a part: so many from this position on; a count of 0 is all that follow */
} covey_order;

/* Sorts a pool. MEMORY (for scratch: up to 42 bytes a component, and the ids and values that move), REFUSED, RANGE (a
 * key that is not inside of the value, or has no kind; two functions; a part that ends behind the last component). O(n)
 * with a key, O(n log n) with a function that compares. */
COVEY_API covey_result covey_pool_sort(covey_pool *pool, const covey_order *order);
/* Puts the components of entities that `other` has, too, into the order of `other`, before the rest. The other pool may
 * be in blocks. O(n + size of the other). */
COVEY_API covey_result covey_pool_sort_as(covey_pool *pool, const covey_pool *other);
/* Sorts a pool (swap and pop) and keeps it sorted: components are inserted where they belong, and removed without
 * disturbing the others. Both are O(n) from then on. Who changes a key in place calls this again. NULL ends it. */
COVEY_API covey_result covey_pool_keep(covey_pool *pool, const covey_order *order);

/* ---- 11. Groups ----------------------------------------------------------------------------------------------------
 *
 * A group keeps the answer of a view up to date. The members of a group that owns pools lie side by side in each of
 * them, in the same order: at the front of a sparse pool, at the front of each block of 64 ids otherwise. So a group that
 * owns all its pools has one span, or one for each block, and nothing is looked up.
 *
 *     covey_group *moving = covey_group_create(world, &(covey_group_desc){
 *         .own = { covey_id(Position), covey_id(Velocity) }, .without = { covey_id(Frozen) } });
 *     covey_iter it = covey_group_iter(moving);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *
 * Each add to, and removal from, a pool of a group checks the entity, and may move values of all pools that the group
 * owns. Groups that own the same pool are nested: all that the outer one asks for, the inner one does, too. */
typedef struct covey_group covey_group;

typedef struct covey_group_desc {
    const covey_type *own[COVEY_TERMS];     /* in it, and kept in the group's order: all sparse, or all in blocks */
    const covey_type *with[COVEY_TERMS];    /* in it as well, kept anyhow */
    const covey_type *without[COVEY_TERMS]; /* not in it */
} covey_group_desc;

/* Makes a group, of all entities that there are already. At least one type is asked for, and 16 are named at most.
 * Returns NULL, and nothing has changed: MEMORY; TYPE, LAYOUT (of the types, or of the description); CONFLICT, and the
 * log names the other group; REFUSED when a pool cannot be owned, and the log says why and what to do: it is pinned, a
 * tag in blocks, sparse with another policy than swap and pop, kept sorted, or stored otherwise than the others. O(n). */
COVEY_API covey_group *covey_group_create(covey_world *world, const covey_group_desc *desc);
/* The group of this description that there is already, or NULL: one that owns and asks for the same types, in the same
 * order, so that its fields have the same numbers, and excludes the same, in whatever order. covey_group_of makes it when
 * there is none, as covey_group_create does; so a second call with the same description gives the same group. */
COVEY_API covey_group *covey_group_find(const covey_world *world, const covey_group_desc *desc);
COVEY_API covey_group *covey_group_of(covey_world *world, const covey_group_desc *desc);
/* Ends a group; the components stay. NULL is fine. */
COVEY_API void covey_group_destroy(covey_group *group);

COVEY_API uint32_t covey_group_count(const covey_group *group); /* O(1) */
COVEY_API uint32_t covey_group_owned(const covey_group *group); /* how many types it owns: its first fields */
COVEY_API covey_entity covey_group_first(const covey_group *group);
COVEY_API bool covey_group_contains(const covey_group *group, covey_entity e);
/* What the group is about, as a view: its fields and their types; iterated as such, it asks all pools again. */
COVEY_API const covey_view *covey_group_view(const covey_group *group);
/* Begins an iteration, as of a view: fields are those of `own`, then those of `with`. Spans and rows go
 * from the first member to the last. The entity of a row may be changed and destroyed; nobody else leaves meanwhile, and
 * nobody joins a group inside of this one, or leaves it and stays in this one. While a span is open, no pool of the group
 * changes. */
COVEY_API covey_iter covey_group_iter(const covey_group *group);
/* Sorts the entities of a group by the values of a field: all owned pools, or the order of a group that owns none. A
 * part of an order is one of the members. MEMORY, RANGE; REFUSED where an inner group has its entities at the front, and
 * for pools in blocks. */
COVEY_API covey_result covey_group_sort(covey_group *group, uint32_t field, const covey_order *order);
/* Puts the entities of a group that a pool has, too, into the order of that pool, before the rest. The pool may be any
 * of the world's. MEMORY; REFUSED as above. O(entities of the group + size of the pool). */
COVEY_API covey_result covey_group_sort_as(covey_group *group, const covey_pool *pool);
/* Writes what a group is about, as snprintf does: "own Position, Velocity without Frozen". */
COVEY_API int covey_group_print(char *text, size_t size, const covey_group *group);
/* All groups, from the outer to the inner. */
COVEY_API uint32_t covey_world_group_count(const covey_world *world);
COVEY_API covey_group *covey_world_group(const covey_world *world, uint32_t number);

/* ---- 12. Many at once --------------------------------------------------------------------------------------------*/

/* Adds a component to each of `count` entities, from an array of values: all or nothing (DEAD, PRESENT when one has it
 * or comes twice, MEMORY, FULL). On success the values have moved; they may lie in the same pool if it is sparse.
 * In-place pools append, as with force_back. O(count): fastest for entities in the order of indices, as
 * covey_create_many makes them, whose values are copied in runs. */
#define covey_add_array(world, entities, count, T, values) \
    covey_add_array_raw((world), (entities), (count), covey_id(T), (values), COVEY__SIZE_OF(T, values))
COVEY_API bool covey_add_array_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                   const covey_type *type, const void *values, size_t size);

/* The same with a copy of one value for each; the caller keeps the value. Uses the `copy` hook; COPY when a type with
 * `drop` has none or says `no_copy`, or when the hook says no. */
#define covey_add_copies(world, entities, count, T, value) \
    covey_add_copies_raw((world), (entities), (count), covey_id(T), (value), COVEY__SIZE_OF(T, value))
COVEY_API bool covey_add_copies_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                                    const covey_type *type, const void *value, size_t size);

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
    size_t size;        /* of a value */
} covey_component;

/* All members are named: where one is left out, gcc 12 clears the whole list first, which takes longer than the rest. */
#define covey_with(T, ...) \
    { .type = covey_id(T), .values = &(T)__VA_ARGS__, .value = NULL, .count = 1, .size = COVEY__SIZE(T) }
#define covey_with_array(T, array) \
    { .type = covey_id(T), .values = (array), .value = NULL, .count = 0, .size = COVEY__SIZE_OF(T, array) }
#define covey_with_copies(T, pointer) \
    { .type = covey_id(T), .values = NULL, .value = (pointer), .count = 0, .size = COVEY__SIZE_OF(T, pointer) }
#define covey_with_default(T) \
    { .type = covey_id(T), .values = NULL, .value = NULL, .count = 0, .size = COVEY__SIZE(T) }
#define covey_with_tag(T) \
    { .type = covey_id(T), .values = NULL, .value = NULL, .count = 0, .size = COVEY__SIZE_TAG(T) }
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

/* ---- 13. Signals ---------------------------------------------------------------------------------------------------
 *
 * Who is connected to a signal is called for each change of its kind, at once, inside the call that makes the change.
 *
 *     static void body_added(const covey_event *event, void *physics) {
 *         physics_insert(physics, *event->entities, (Body *)event->values);
 *     }
 *     covey_connect(world, &(covey_listener){
 *         .type = covey_id(Body), .signals = COVEY_ON_ADD, .call = body_added, .context = physics });
 *
 * Listeners are called in the order in which they were connected; for COVEY_ON_REMOVE and COVEY_ON_DESTROY, in the
 * opposite order. A pool without listeners does not notice that there are signals.
 *
 * A listener may change the world: create entities, add, set and remove components of any entity, destroy any entity,
 * sort, convert, compact and shrink pools, connect and disconnect. It then looks values up again, as does the call that
 * it was called by. When it removes, or destroys, what it was called for, those that were still to be told are told
 * first: everybody hears of everything once, in the order in which it happened. An entity that is being destroyed takes
 * no new component (DEAD), and destroying it again does nothing. What a listener must not do: destroy the world, clear
 * or convert the pool that is being cleared, or break the rules of an iteration under way. docs/signals.md has the
 * table. */
typedef enum covey_signal {
    COVEY_ON_ADD = 1,      /* after a component was added, when its value is there */
    COVEY_ON_SET = 2,      /* after a value was set, replaced or patched that was there before */
    COVEY_ON_REMOVE = 4,   /* before a component is removed, also because its entity is destroyed or its pool cleared */
    COVEY_ON_CREATE = 8,   /* after an entity was created */
    COVEY_ON_DESTROY = 16, /* before an entity is destroyed, with all its components; their COVEY_ON_REMOVE follow */
    COVEY_ON_PATCH =
        32 /* after a value was patched: who names this hears of patches as this, and not as COVEY_ON_SET */
} covey_signal;

/* What happened, to whom. */
typedef struct covey_event {
    covey_world *world;
    covey_signal signal;
    const covey_type *type;       /* of the component; NULL when it is about entities */
    const covey_entity *entities; /* the first of `count`: 1, unless the listener takes spans */
    void *values; /* theirs, one after the other; NULL when it is about entities, and from queues without .values */
    uint32_t count;
} covey_event;

typedef void covey_listener_fn(const covey_event *event, void *context);
typedef struct covey_queue covey_queue;

typedef struct covey_listener {
    const covey_type *type;  /* whose components it hears of; NULL for entities */
    uint32_t signals;        /* a set of covey_signal */
    covey_listener_fn *call; /* either this */
    void *context;
    covey_queue *queue; /* or this, which keeps the events for later */
    bool spans;         /* to be called once for many, where they come from one call and their values lie in a row */
    bool values;        /* of a queue: each event has a copy of the value as it was then */
} covey_listener;

/* { 0 } is null: connected to nothing. It is of the world in which it was made, and must not be given to another. */
typedef struct covey_connection {
    covey_pool *pool;
    uint64_t number;
} covey_connection;

/* Connects a listener. Null: MEMORY; TYPE, LAYOUT of its type; RANGE when signals and type do not go together; REFUSED
 * for the tag of a reactive set; COPY when a queue is to have values of a type with hooks, or one that says no_copy or
 * zero_vacated: it copies bytes. With a queue, O(components that are there, or entities). */
COVEY_API covey_connection covey_connect(covey_world *world, const covey_listener *listener);
/* Ends a connection, also while its listener is called: it is not called again. Returns whether there was one. */
COVEY_API bool covey_disconnect(covey_world *world, covey_connection connection);
COVEY_API bool covey_connected(const covey_world *world, covey_connection connection);

/* Keeps events, for one place in a program that deals with all of them. What it will need for removals it asks for
 * beforehand, when components are added: adding may fail for want of it, removing does not. */
COVEY_API covey_queue *covey_queue_create(covey_world *world); /* NULL: MEMORY */
COVEY_API void covey_queue_destroy(covey_queue *queue);        /* its connections end; NULL is fine */
COVEY_API uint32_t covey_queue_count(const covey_queue *queue);
/* Takes the oldest event out of a queue; false when there is none. Its entity may be dead by now, or have another value;
 * event->entities, and the copy at event->values, are valid until the queue changes. A tag has no copy. */
COVEY_API bool covey_queue_next(covey_queue *queue, covey_event *event);
COVEY_API void covey_queue_clear(covey_queue *queue);

/* ---- 14. Reactive sets ---------------------------------------------------------------------------------------------
 *
 * A reactive set collects the entities to which something happened, until it is cleared.
 *
 *     covey_reactive *moved = covey_reactive_create(world, &(covey_reactive_desc){
 *         .added = { covey_id(Position) }, .set = { covey_id(Position) }, .match = { .with = { covey_id(Position) } } });
 *     covey_iter it = covey_reactive_iter(moved);
 *     while (covey_next(&it)) { ... covey_field(&it, 0, Position) ... }
 *     covey_reactive_clear(moved);
 *
 * It is a tag that the library adds: one bit for each entity. Marking never allocates, because the bit's place is made
 * when the component is added. An entity is in it once, and leaves it when it is destroyed: who has to know of those
 * says .keep_destroyed, listens, or has a queue. covey_set, covey_replace and covey_patch count as set; writing through a pointer does not. */
typedef struct covey_reactive covey_reactive;

/* Whether an entity is collected for what has happened to it: one entity and its value, as a listener is told of it. An
 * entity that was collected before stays, whatever the answer is. Must not change the world. */
typedef bool covey_decide_fn(const covey_event *event, void *context);

typedef struct covey_reactive_desc {
    const covey_type *added[COVEY_TERMS];   /* entities that get one of these, */
    const covey_type *set[COVEY_TERMS];     /* that have one of these set anew, */
    const covey_type *patched[COVEY_TERMS]; /* or patched, which counts as set as well, */
    const covey_type *removed[COVEY_TERMS]; /* that lose one of these and live on */
    covey_decide_fn *decide;                /* optional: of these, only those for which it says yes */
    void *context;                          /* for the function */
    bool keep_destroyed;                    /* covey_reactive_destroyed has those that were collected and destroyed */
    covey_view_desc match;                  /* when it is iterated: only those that match, with these fields */
} covey_reactive_desc;

/* NULL: MEMORY; TYPE, LAYOUT (of the types, or of the view); REFUSED for the tag of another reactive set. O(components
 * that are there). */
COVEY_API covey_reactive *covey_reactive_create(covey_world *world, const covey_reactive_desc *desc);
COVEY_API void covey_reactive_destroy(covey_reactive *reactive); /* NULL is fine */
/* Collects from now on also for these signals of a type, a set of covey_signal. MEMORY; TYPE, LAYOUT; REFUSED for the
 * tag of a reactive set; RANGE for signals of entities, or none. O(components that are there). */
#define covey_reactive_listen(reactive, T, signals) covey_reactive_listen_raw((reactive), covey_id(T), (signals))
COVEY_API covey_result covey_reactive_listen_raw(covey_reactive *reactive, const covey_type *type, uint32_t signals);
/* How many were collected, whether they match or not. */
COVEY_API uint32_t covey_reactive_count(const covey_reactive *reactive);
COVEY_API bool covey_reactive_contains(const covey_reactive *reactive, covey_entity e); /* whether it matches or not */
/* Begins an iteration of those that match, as of a view, by index. O(what was collected), and a step for each 4,096
 * indices. */
COVEY_API covey_iter covey_reactive_iter(const covey_reactive *reactive);
/* The entities that were destroyed while they were collected, or that were collected because they lost a component by
 * being destroyed: how many since the set was cleared, and, in *handles, an array of their handles, in the
 * order of their ends; none resolves, unless covey_create_again has brought it back. Valid until one more is destroyed or
 * the set is cleared. 0 without .keep_destroyed. */
COVEY_API uint32_t covey_reactive_destroyed(const covey_reactive *reactive, const covey_entity **handles);
/* Forgets all; or one: covey_remove_raw(world, e, covey_reactive_type(reactive), 0). */
COVEY_API void covey_reactive_clear(covey_reactive *reactive);
/* The tag, which may be a term of any view of this world, but not of a group. */
COVEY_API const covey_type *covey_reactive_type(const covey_reactive *reactive);

/* ---- 15. Change ticks ----------------------------------------------------------------------------------------------
 *
 * A type with `.ticks = true` knows when each of its values was changed, in a time that the program sets: the world has
 * a tick, which the program advances when it likes.
 *
 *     covey_view moved = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position) }, .read = { covey_id(Position) }, .changed = { covey_id(Position) } });
 *     covey_iter it = covey_view_iter_since(&moved, seen);
 *     while (covey_next(&it)) { ... }
 *     seen = covey_tick_advance(world);
 *
 * A value is changed by add, set, replace, patch, get_or_add if it adds, add_array and add_copies; and by views and
 * groups that write: covey_next marks the rows of each span, and covey_row_field the row's value when it is asked for,
 * in fields that are not in `.read`, whether the loop then writes or not. covey_get marks nothing: who writes through
 * its pointer calls covey_patch(world, e, T, NULL, NULL) afterwards. Being disabled or enabled is no change. A tag is
 * changed when it is added, or set.
 *
 * Ticks take 8 bytes for each index in the pages of 4096 indices in which the type has components, and 1 KB a page. */

/* The tick that changes get now: 1 in a new world. */
COVEY_API uint64_t covey_tick(const covey_world *world);
/* Ends the current tick and returns it: changes from now on have a larger one. */
COVEY_API uint64_t covey_tick_advance(covey_world *world);
/* The tick of the last change of a component; 0 when it is absent, or its type has no ticks. */
#define covey_changed_at(world, e, T) covey_changed_at_raw((world), (e), covey_id(T))
COVEY_API uint64_t covey_changed_at_raw(const covey_world *world, covey_entity e, const covey_type *type);
/* As covey_view_iter, of the entities of which any of the view's `changed` types was changed after this tick; 0 is all.
 * Blocks of 64 indices without a change are skipped without looking at their values. Whether changes that the loop
 * makes to others are found by the same iteration is not specified. */
COVEY_API covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick);

/* ---- 16. Enabling --------------------------------------------------------------------------------------------------
 *
 * What is disabled is still there, with its data: has, get, set and remove work as before. Views and groups do not see
 * it. An entity that is disabled matches no view and is in no group. A component that is disabled counts as not there:
 * `with` does not match, the field of `optional` is NULL, `without` does match. A view with `.disabled` sees all. One
 * that names the tag covey_disabled as a term, of whatever kind, sees disabled entities as that term has it:
 *
 *     covey_view sleepers = covey_view_make(world, &(covey_view_desc){
 *         .with = { covey_id(Position), covey_id(covey_disabled) } });
 *
 * While rows are visited, disabling counts as removing the component, or as adding the tag. */

/* What entities have that are disabled. Adding this tag is the same as covey_disable (but PRESENT, when it is there),
 * removing it is the same as covey_enable, covey_clear enables all. Groups cannot name it (TYPE). */
typedef struct covey_disabled covey_disabled;
typedef char covey__size_covey_disabled[0 + 1];
COVEY_API extern const covey_type covey_type_covey_disabled;

/* Hides an entity from all views that do not ask, and takes it out of all groups; if it is disabled already, that is
 * fine. DEAD, MEMORY. O(1), and the groups. A new entity is enabled. */
COVEY_API covey_result covey_disable(covey_world *world, covey_entity e);
/* Shows it again. DEAD. Never allocates. */
COVEY_API covey_result covey_enable(covey_world *world, covey_entity e);
/* Whether the entity is alive and not disabled. */
COVEY_API bool covey_is_enabled(const covey_world *world, covey_entity e);

/* The same for one component of an entity (ABSENT when it does not have it), whether the entity itself is disabled or
 * not. A component that is added is enabled, also where one was disabled and removed. Takes a bit for each index in the
 * pages of 4096 indices in which one was ever disabled. */
#define covey_component_disable(world, e, T) covey_component_disable_raw((world), (e), covey_id(T))
COVEY_API covey_result covey_component_disable_raw(covey_world *world, covey_entity e, const covey_type *type);
#define covey_component_enable(world, e, T) covey_component_enable_raw((world), (e), covey_id(T))
COVEY_API covey_result covey_component_enable_raw(covey_world *world, covey_entity e, const covey_type *type);
/* Whether the component is there and not disabled. */
#define covey_component_is_enabled(world, e, T) covey_component_is_enabled_raw((world), (e), covey_id(T))
COVEY_API bool covey_component_is_enabled_raw(const covey_world *world, covey_entity e, const covey_type *type);

/* ---- 17. Resources -------------------------------------------------------------------------------------------------
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
    ((T *)covey_resource_set_raw((world), covey_id(T), &(T)__VA_ARGS__, COVEY__SIZE(T)))
#define covey_resource_set_value(world, T, value) \
    ((T *)covey_resource_set_raw((world), covey_id(T), (value), COVEY__SIZE_OF(T, value)))
#define covey_resource_set_tag(world, T) covey__resource_set_tag((world), covey_id(T), COVEY__SIZE_TAG(T))
COVEY_API void *covey_resource_set_raw(covey_world *world, const covey_type *type, const void *value, size_t size);

/* Makes an object of the program the world's resource of T, or another one than before: a window, a sound system. It
 * stays the program's: it is never dropped or moved, and images, copies of the world and rollback know nothing of it.
 * Removing ends the reference; the object must last until then. False: MEMORY, TYPE, LAYOUT, or PRESENT when the world
 * has a value of this type. Where there is a reference, set is refused (PRESENT), and a value that an image brings is
 * hidden until the reference is removed. */
#define covey_resource_refer(world, T, object) \
    covey_resource_refer_raw((world), covey_id(T), (object), COVEY__SIZE_OF(T, object))
COVEY_API bool covey_resource_refer_raw(covey_world *world, const covey_type *type, void *object, size_t size);

/* Its address, or NULL when the world has none. That of a tag is not NULL, and has no bytes. */
#define covey_resource_get(world, T) ((T *)covey_resource_get_raw((world), covey_id(T), COVEY__SIZE(T)))
COVEY_API void *covey_resource_get_raw(const covey_world *world, const covey_type *type, size_t size);
#define covey_resource_has(world, T) covey_resource_has_raw((world), covey_id(T))
COVEY_API bool covey_resource_has_raw(const covey_world *world, const covey_type *type);

/* Removes it and drops its value, unless that is an object of the program. Returns whether it was there. */
#define covey_resource_remove(world, T) covey_resource_remove_raw((world), covey_id(T))
COVEY_API bool covey_resource_remove_raw(covey_world *world, const covey_type *type);

/* Removes it and hands its value over to *value instead of dropping it. Returns whether it was there: an object of the
 * program is not the world's to hand over. */
#define covey_resource_take(world, T, value) \
    covey_resource_take_raw((world), covey_id(T), (value), COVEY__SIZE_OF(T, value))
COVEY_API bool covey_resource_take_raw(covey_world *world, const covey_type *type, void *value, size_t size);

/* All resources that are values, by their types, in the order in which they were set first. */
COVEY_API uint32_t covey_world_resource_count(const covey_world *world);
COVEY_API const covey_type *covey_world_resource(const covey_world *world, uint32_t number); /* NULL: no such number */

/* ---- 18. Copies ----------------------------------------------------------------------------------------------------
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

/* ---- 19. Looking inside ------------------------------------------------------------------------------------------*/

/* Writes the world as text: a line for each pool, and each entity with its name, parent and components' names. `write`
 * NULL is stdout. */
typedef void covey_write_fn(const char *text, void *context);
COVEY_API void covey_world_print(const covey_world *world, covey_write_fn *write, void *context);

/* What a pool takes and what it would take in the storage that is best for it: the one with the least memory of those
 * that do what the pool is used for. Both numbers are exact, but for a sparse pool that is better in blocks: compaction
 * may find a last hundredth not worth it. */
typedef enum covey_use {
    COVEY_USE_ORDER = 1,  /* it has a policy that keeps an order, or components were swapped or sorted */
    COVEY_USE_STABLE = 2, /* its addresses are stable */
    COVEY_USE_GROUP = 4   /* a group owns it */
} covey_use;
typedef struct covey_advice {
    covey_pool *pool;
    covey_storage storage, best;
    uint32_t uses;            /* a set of covey_use */
    size_t bytes, best_bytes; /* now; in the best storage, compacted and shrunk */
    uint64_t ids;             /* the range of indices that its directory or table covers */
} covey_advice;
/* Advice for one pool. O(ids of the pool / 64); of a sparse one O(ids). */
COVEY_API covey_advice covey_pool_advise(covey_pool *pool);
/* Advice for each pool, in the order in which the world met their types. Writes at most `capacity` and returns how many
 * pools there are. */
COVEY_API uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity);
/* Writes one line with the call to make, as snprintf does. Returns the length of the whole text. */
COVEY_API int covey_advice_print(char *text, size_t size, const covey_advice *advice);

/* How a pool keeps 64 neighbouring indices: block b is about the indices from 64 * b on. The numbers never change. */
typedef enum covey_block_form {
    COVEY_BLOCK_ABSENT = 0,  /* no component, and no page of a table or directory that covers the indices */
    COVEY_BLOCK_EMPTY = 1,   /* no component; there is a page */
    COVEY_BLOCK_COMPACT = 2, /* a small sparse set: values in an order of its own */
    COVEY_BLOCK_DIRECT = 3,  /* an array with a place for each of the 64 */
    COVEY_BLOCK_FULL = 4,    /* the same, and all 64 have the component */
    COVEY_BLOCK_SPARSE = 5   /* of a sparse pool: components that are somewhere in its packed arrays */
} covey_block_form;
typedef struct covey_block {
    uint8_t form;  /* a covey_block_form */
    uint8_t count; /* components: 0 to 64 */
    uint8_t slots; /* values that the block has memory for; 0 in a sparse pool, whose memory is not divided by index */
} covey_block;
/* Describes blocks of a pool, from `first` on. Writes at most `capacity` and returns how many blocks the pool's directory
 * or table covers: none behind them has a component. O(blocks written); of sparse pools, 64 steps each. */
COVEY_API uint32_t covey_pool_map(const covey_pool *pool, uint32_t first, covey_block *blocks, uint32_t capacity);

/* What a view would gain by a group that owns its fields. */
typedef struct covey_view_advice {
    const covey_view *view;
    uint32_t matches;     /* entities */
    uint32_t spans;       /* in which they are handed out now */
    uint32_t group_spans; /* in which a group would hand them out; 0: none can own the fields, or one does already */
    size_t group_bytes;   /* that its pools would take more, as blocks of a group have maps; compacted then and now */
} covey_view_advice;
/* O(matches), and as covey_world_advise for its pools. Only for views without optional and any. */
COVEY_API covey_view_advice covey_view_advise(const covey_view *view);
/* Writes one line, as snprintf does: "Position, Velocity: 50127 matches in 50127 spans; a group would have 1563". */
COVEY_API int covey_view_advice_print(char *text, size_t size, const covey_view_advice *advice);

/* What `entities` slots cost, `utilisation` (0 to 1) of them with a component of this size, in bytes:
 *     linear  = (size + 1) * n                 an array and a bool each
 *     bitmask = size * n + ceil(n / 8)         an array and a bit each
 *     sparse  = 8 * n + size * n * utilisation the textbook sparse set
 * A sparse pool that was shrunk takes 8 * n + (8 + size) * n * utilisation, rounded up to whole pages: its slots and
 * ids have generations. */
typedef enum covey_memory_kind { COVEY_MEMORY_LINEAR, COVEY_MEMORY_BITMASK, COVEY_MEMORY_SPARSE } covey_memory_kind;
typedef struct covey_memory {
    uint64_t linear, bitmask, sparse;
    covey_memory_kind smallest;
} covey_memory;
COVEY_API covey_memory covey_memory_model(uint32_t component_size, uint32_t entities, double utilisation);

/* ---- 20. The sparse set on its own ---------------------------------------------------------------------------------
 *
 * A set of small integers, with or without a value each, for programs that want no world. Asking whether an index is
 * there, adding it and removing it are O(1) without hashing; walking the set is a loop over a packed array.
 *
 *     covey_sparse_set *set = covey_sparse_set_create(
 *         &(covey_sparse_set_desc){ .size = sizeof(float), .align = _Alignof(float) });
 *     covey_sparse_set_push(set, covey_entity_make(7, 1), &(float){ 0.5f });
 *     float *value = covey_sparse_set_get(set, covey_entity_make(7, 1));
 *     covey_sparse_set_remove(set, covey_entity_make(7, 1));
 *     covey_sparse_set_destroy(set);
 *
 * What to know:
 *   - An element is a covey_entity: an index below COVEY_NONE, and a generation from 1 to COVEY_GENERATION_MAX. Both are
 *     the caller's. An index is in a set once, and is found with the generation that it was added with; who needs no
 *     generations gives 1 to all.
 *   - Ids lie one after the other in an array, and values at the same positions in another. Positions run from 0 to
 *     covey_sparse_set_size. A table of pages leads from an index to its position: 8 bytes for each index of the pages of
 *     COVEY_PAGE_SIZE indices in which there is any, and 8 for each page below.
 *   - The policy says what removal does: the last element fills the hole (the default: always packed); a hole stays, and
 *     addresses do (COVEY_IN_PLACE); the element goes behind the live ones (COVEY_SWAP_ONLY); a hole stays until
 *     compaction, and so does the order (COVEY_ORDERED). Holes have generation 0.
 *   - Addresses and positions are valid until the set next changes; in place, addresses are until their element is
 *     removed, or the set compacted.
 *   - Values are bytes: they are moved by memcpy, and nothing is called when they are removed.
 *   - A call that fails changes nothing, and returns why. Only functions that say MEMORY allocate. Any number of threads
 *     may read a set that none changes. */

typedef struct covey_sparse_set_desc {
    uint32_t size, align; /* of a value; 0 for a set of ids only */
    covey_policy policy;
    bool zero_vacated;
    covey_allocator allocator;
} covey_sparse_set_desc;

/* NULL for `desc`: ids only, swap and pop. Returns NULL when memory is out or the description is not valid. */
COVEY_API covey_sparse_set *covey_sparse_set_create(const covey_sparse_set_desc *desc);
COVEY_API void covey_sparse_set_destroy(covey_sparse_set *set); /* NULL is fine */
/* A second set that is like the first, with its allocator: elements, values, positions and holes. NULL: MEMORY. */
COVEY_API covey_sparse_set *covey_sparse_set_clone(const covey_sparse_set *set);

COVEY_INLINE uint32_t covey_sparse_set_size(const covey_sparse_set *set);  /* positions, holes and dead included */
COVEY_INLINE uint32_t covey_sparse_set_count(const covey_sparse_set *set); /* live elements */
COVEY_API covey_policy covey_sparse_set_policy(const covey_sparse_set *set);
/* The positions that elements may take before the set asks for memory for ids and values. */
COVEY_API uint32_t covey_sparse_set_capacity(const covey_sparse_set *set);
/* In place: the first hole. Swap only: the first position behind the live elements. Otherwise COVEY_NONE. */
COVEY_API uint32_t covey_sparse_set_head(const covey_sparse_set *set);
/* Whether no position before the end of the live ones is a hole. */
COVEY_API bool covey_sparse_set_contiguous(const covey_sparse_set *set);
COVEY_API size_t covey_sparse_set_memory(const covey_sparse_set *set);

/* Whether this index is in the set with this generation. A swap-only set also answers true for the next generation of
 * an element that it keeps behind the live ones; covey_sparse_set_live, the everyday question, does not. One load and
 * one compare. */
COVEY_INLINE bool covey_sparse_set_contains(const covey_sparse_set *set, covey_entity e);
COVEY_INLINE bool covey_sparse_set_live(const covey_sparse_set *set, covey_entity e);
/* The position of an element the set contains, or COVEY_NONE. */
COVEY_INLINE uint32_t covey_sparse_set_find(const covey_sparse_set *set, covey_entity e);
/* The generation with which this index is in the set, or 0. */
COVEY_API uint32_t covey_sparse_set_current(const covey_sparse_set *set, uint32_t index);
/* The first live position from `position` on, or COVEY_NONE:
 *     for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1)) */
COVEY_INLINE uint32_t covey_sparse_set_next(const covey_sparse_set *set, uint32_t position);

/* The id at a position; generation 0 for a hole. Null beyond the size. The array of ids shows holes made in place as
 * generation 0, too; under COVEY_ORDERED it still shows who was there. */
COVEY_API covey_entity covey_sparse_set_at(const covey_sparse_set *set, uint32_t position);
COVEY_INLINE const covey_entity *covey_sparse_set_ids(const covey_sparse_set *set);
/* The value of an element, or NULL; at a position; all of them (NULL in place, whose values lie in pages). */
COVEY_API void *covey_sparse_set_get(const covey_sparse_set *set, covey_entity e);
COVEY_API void *covey_sparse_set_value_at(const covey_sparse_set *set, uint32_t position);
COVEY_API void *covey_sparse_set_values(const covey_sparse_set *set);
COVEY_API void *covey_sparse_set_page(const covey_sparse_set *set, uint32_t page);

/* Adds an element (PRESENT, MEMORY, FULL; RANGE for generation 0 or an index that cannot exist). In place it fills the
 * hole that was made last. `value` NULL is zero bytes; it may lie inside the set. */
COVEY_API covey_result covey_sparse_set_push(covey_sparse_set *set, covey_entity e, const void *value);
/* The same, saying where: in place, force_back leaves holes alone; swap only, !force_back leaves it behind the live. */
COVEY_API covey_result covey_sparse_set_push_to(covey_sparse_set *set, covey_entity e, const void *value,
                                                bool force_back);
/* Adds many at the back, all or nothing. `values` is an array, or NULL; it may be a part of the set's live values. */
COVEY_API covey_result covey_sparse_set_push_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count,
                                                   const void *values);

/* Removes an element that the set may or may not contain; many; returns whether, or how many, it contained. */
COVEY_API bool covey_sparse_set_remove(covey_sparse_set *set, covey_entity e);
COVEY_API uint32_t covey_sparse_set_remove_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
/* Removes an element that the set contains: the unchecked twin. */
COVEY_API void covey_sparse_set_erase(covey_sparse_set *set, covey_entity e);
/* Removes an element and shifts all behind it: keeps order at once, O(n), closing holes of an ordered set on the way.
 * False when it is absent, and under COVEY_IN_PLACE and COVEY_SWAP_ONLY, which do not offer it. */
COVEY_API bool covey_sparse_set_erase_ordered(covey_sparse_set *set, covey_entity e);
COVEY_API void covey_sparse_set_clear(covey_sparse_set *set);

/* Gives the element that has the index of e the generation of e; its position and value stay. ABSENT; RANGE for
 * generation 0 or one that cannot exist. */
COVEY_API covey_result covey_sparse_set_bump(covey_sparse_set *set, covey_entity e);
/* Swap only: the elements of the first `count` positions are live from now on, and the others are not; generations and
 * positions stay. RANGE beyond the size; REFUSED under other policies. */
COVEY_API covey_result covey_sparse_set_move_border(covey_sparse_set *set, uint32_t count);

/* Exchanges two elements' positions and values. ABSENT; REFUSED when one of them is live and the other is not. */
COVEY_API covey_result covey_sparse_set_swap(covey_sparse_set *set, covey_entity a, covey_entity b);
/* Sorts the live elements, by an order of section 10: { 0 }, or NULL, is by index. Stable. MEMORY, for scratch; RANGE for
 * a key that is not inside of the value or has no kind, two functions, or a part that is not there; REFUSED in place,
 * where values do not move, and where there are holes. O(n) with a key, O(n log n) with a function that compares. */
COVEY_API covey_result covey_sparse_set_sort(covey_sparse_set *set, const covey_order *order);
/* Puts the live elements that are live in `other`, too, into its order, before the rest. MEMORY, REFUSED as above. */
COVEY_API covey_result covey_sparse_set_sort_as(covey_sparse_set *set, const covey_sparse_set *other);
/* Closes all holes: in order for COVEY_ORDERED, from the back for COVEY_IN_PLACE. Swap only has none. Never fails. */
COVEY_API void covey_sparse_set_compact(covey_sparse_set *set);
/* Room for `count` positions. */
COVEY_API covey_result covey_sparse_set_reserve(covey_sparse_set *set, uint32_t count);
/* Returns unused memory: spare positions and pages of the table that hold nothing. Never fails. */
COVEY_API void covey_sparse_set_shrink(covey_sparse_set *set);
COVEY_API bool covey_sparse_set_validate(const covey_sparse_set *set, const char **why);
/* Writes the ids of a set, as snprintf does: "[ 10:1 - 12:1 | 11:2 ]", with holes, and with the dead behind a bar. Returns
 * the length of the whole text, or a number below 0 when that is more than an int holds. */
COVEY_API int covey_sparse_set_print(char *text, size_t size, const covey_sparse_set *set);

/* Removes an element of any array whose order does not matter: the last one takes its place. Returns how many are left.
 * A number that is not below `count` removes nothing.
 *     count = covey_swap_remove(array, count, at, sizeof *array); */
COVEY_INLINE uint32_t covey_swap_remove(void *array, uint32_t count, uint32_t at, size_t size);

/* ====================================================================================================================
 * 21. The hot path. Not API: what follows may change with any version. It is here so that calls inline with the size of
 * a value as a constant.
 * ==================================================================================================================*/

#define COVEY__COMPONENT_DEFINE(T, ...) \
    COVEY_COMPONENT_DECLARE(T);         \
    const covey_type covey_type_##T = { .name = #T, .size = sizeof(T), .align = _Alignof(T), __VA_ARGS__ }
#define COVEY__TAG_DEFINE(T, ...) \
    COVEY_TAG_DECLARE(T);         \
    const covey_type covey_type_##T = { .name = #T, .size = 0, .align = 1, __VA_ARGS__ }

/* The size of T; the same, where subtracting the pointers does not compile for a pointer to anything else; the same for
 * a tag, where the array has a negative length for anything else. */
#define COVEY__SIZE(T) (sizeof(covey__size_##T) - 1u)
#define COVEY__SIZE_OF(T, pointer) (COVEY__SIZE(T) + 0u * sizeof((pointer) - (const T *)(pointer)))
#define COVEY__SIZE_TAG(T) (0u * sizeof(char[COVEY__SIZE(T) == 0 ? 1 : -1]))

#if defined(__GNUC__)
#define COVEY__LIKELY(x) __builtin_expect(!!(x), 1)
#define COVEY__ASSUME(x) ((x) ? (void)0 : __builtin_unreachable())
#define COVEY__PURE __attribute__((pure)) /* reads, and changes nothing */
#define COVEY__NOINLINE __attribute__((noinline))
#define COVEY__HIDE(x) __asm__ volatile("" : "+r"(x))                    /* the compiler forgets what it knows of x */
#define COVEY__GET_WORD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED) /* that another thread may write */
#else
#define COVEY__LIKELY(x) (!!(x))
#define COVEY__ASSUME(x) ((void)0)
#define COVEY__PURE
#define COVEY__NOINLINE
#define COVEY__HIDE(x) ((void)0)
#define COVEY__GET_WORD(word) (word)
#endif

#if defined(__GNUC__) && !defined(__clang__)
#define COVEY__UNROLL _Pragma("GCC unroll 16") /* a loop over a list that is known: COVEY_TERMS at most */
#else
#define COVEY__UNROLL
#endif

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__CONTRACT(world, holds, what) \
    (COVEY__LIKELY(holds) ? (void)0 : covey__contract_broken((world), (what), __FILE__, __LINE__))
#define COVEY__TYPED(pool, T) covey__typed((pool), covey_id(T), __FILE__, __LINE__)
/* Whether a hook, or a system beside others, is making the call, which is then refused. */
#define COVEY__IN_HOOK(world) \
    (!COVEY__LIKELY(COVEY__GET_WORD((world)->hooks) == 0) && covey__refuse_in_hook((world), __FILE__, __LINE__))
#else
#define COVEY__CONTRACT(world, holds, what) ((void)0)
#define COVEY__TYPED(pool, T) (pool)
#define COVEY__IN_HOOK(world) ((void)(world), false)
#endif
#if COVEY_ASSERT_LEVEL >= 2
#define COVEY__COSTLY_CONTRACT(world, holds, what) COVEY__CONTRACT(world, holds, what)
/* Before a component or resource is used: finds a system that did not declare that. */
#define COVEY__USES(world, type, access) \
    (COVEY__LIKELY(!(world)->guard) ? (void)0 : covey__check_use((world), (type), (access), __FILE__, __LINE__))
#else
#define COVEY__COSTLY_CONTRACT(world, holds, what) ((void)0)
#define COVEY__USES(world, type, access) ((void)0)
#endif
#if COVEY_ASSERT_LEVEL >= 2
#define COVEY__TRACE(trace, index) covey__trace_note(&(trace), (index))
#else
#define COVEY__TRACE(trace, index) ((void)0)
#endif
#if COVEY_ASSERT_LEVEL >= 3
#define COVEY__CHANGED(world) covey__changed(world)
#else
#define COVEY__CHANGED(world) ((void)0)
#endif

typedef struct covey__heap {
    covey_allocator allocator;
    size_t bytes;
} covey__heap;

/* What the table of a sparse set holds for an index: generation << shift | position, in one word so that one load and
 * one compare answer whether a handle is there: (slot ^ generation << shift) is its position if so, and too large if
 * not. An absent index has the position COVEY_NONE. Handles as words have the same form, with the index below. */
#if COVEY__NARROW
typedef uint32_t covey__slot;
#define COVEY__SLOT_SHIFT COVEY_INDEX_BITS
#else
typedef uint64_t covey__slot;
#define COVEY__SLOT_SHIFT 32
#endif

#define COVEY__SLOT(position, generation) ((covey__slot)(generation) << COVEY__SLOT_SHIFT | (covey__slot)(position))
#define COVEY__SLOT_NULL COVEY__SLOT(COVEY_NONE, 0)

COVEY_HOT uint32_t covey__slot_position(covey__slot slot) {
    return (uint32_t)(slot & (((covey__slot)1 << COVEY__SLOT_SHIFT) - 1));
}
COVEY_INLINE uint32_t covey__slot_generation(covey__slot slot) { return (uint32_t)(slot >> COVEY__SLOT_SHIFT); }

/* A handle as a word, and its parts. Where bit-fields lie as they do in a slot, they are read and written by way of the
 * word: gcc 12 loads and stores each of them on its own otherwise. */
#if COVEY__NARROW && defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
COVEY_HOT covey__slot covey__word(covey_entity e) {
    covey__slot word;
    memcpy(&word, &e, sizeof word);
    return word;
}
COVEY_HOT covey_entity covey__entity_of(covey__slot word) {
    covey_entity e;
    memcpy(&e, &word, sizeof e);
    return e;
}
COVEY_HOT uint32_t covey__index(covey_entity e) { return covey__slot_position(covey__word(e)); }
COVEY_HOT uint32_t covey__generation(covey_entity e) { return covey__slot_generation(covey__word(e)); }
COVEY_HOT covey_entity covey__entity(uint32_t index, uint32_t generation) {
    return covey__entity_of(COVEY__SLOT(index & COVEY_NONE, generation));
}
#else
COVEY_HOT covey__slot covey__word(covey_entity e) { return COVEY__SLOT(e.index, e.generation); }
COVEY_HOT uint32_t covey__index(covey_entity e) { return e.index; }
COVEY_HOT uint32_t covey__generation(covey_entity e) { return e.generation; }
COVEY_HOT covey_entity covey__entity(uint32_t index, uint32_t generation) {
#if COVEY__NARROW
    covey_entity e = { index & COVEY_NONE, generation & UINT32_MAX >> COVEY_INDEX_BITS };
#else
    covey_entity e = { index, generation };
#endif
    return e;
}
COVEY_HOT covey_entity covey__entity_of(covey__slot word) {
    return covey__entity(covey__slot_position(word), covey__slot_generation(word));
}
#endif

COVEY_INLINE covey_entity covey_entity_make(uint32_t index, uint32_t generation) {
    bool exists = index < COVEY_NONE && generation <= COVEY_GENERATION_MAX;
    return exists ? covey__entity(index, generation) : covey__entity(0, 0);
}

/* How values move: by the hook of their type; or, without one, by memcpy. */
typedef struct covey__mover {
    const covey_type *type; /* that has one; or NULL */
    const covey_world *world;
} covey__mover;

/* The slot of an index is at pages[index / PAGE] + index * sizeof(covey__slot): an entry is the address of its page less
 * the offset of the page's first index, which saves the remainder. A page that is missing is one shared page of absent
 * slots, which differ from COVEY__SLOT_NULL so that nobody writes to them.
 *
 *     ids, data:  | live, or holes              | dead (swap only)  |
 *                 0                             end                 end + dead
 */
struct covey_sparse_set {
    uintptr_t *pages;
    covey_entity *ids;
    void *data;          /* values; in place: a table of pages of values; not NULL for ids only */
    uint32_t page_count; /* of the table */
    uint32_t end;        /* live elements and holes are before it */
    uint32_t room;       /* inline adds may append while end < room; 0 sends adds out of line */
    uint8_t removal;     /* a covey__removal: what the inline code may do to remove an element */
    uint8_t paged;       /* whether data is a table of pages */
    uint8_t policy;
    bool zero_vacated;
    uint64_t *marks; /* ordered: a bit for each position, set where a hole is; marking there touches no element */
    uint32_t dead;   /* swap only: elements behind end */
    uint32_t holes;  /* in place, ordered: among the positions before end */
    uint32_t hole;   /* in place: the hole made last; its id has generation 0 and the next one's position as index */
    uint32_t size;
    uint8_t align;
    bool watched; /* adds and removals go out of line */
    covey__mover mover;
    uint32_t id_capacity, data_capacity, table_capacity, mark_capacity;
    uint64_t *shifts; /* of a world: counts values and arrays that moved, and removals; NULL without a world */
    covey__heap heap;
};

typedef enum covey__removal {
    COVEY__REMOVE_SLOWLY,
    COVEY__REMOVE_SWAPPING,
    COVEY__REMOVE_MARKING,
    COVEY__REMOVE_GROUPED
} covey__removal;

/* A block store keeps 64 ids to a block. `masks` says which ids of a block are there; the value of bit i is at
 * data + map[i] * size.
 *
 *     compact   data: | values of capacity slots | ids: slot -> bit | map: bit -> slot |     one chunk
 *     direct    data: | values of 64 slots |                          map: the identity, shared
 *     empty     no chunk; capacity 0
 */
#define COVEY__BLOCK_PAGE (COVEY__BLOCK_IDS * COVEY__PAGE_BLOCKS) /* ids of a page */

typedef struct covey__block_page {
    uint64_t summary; /* bit b: block b holds any */
    uint64_t direct;  /* bit b: block b is direct */
    uint64_t
        ordered;     /* bit b: the values of block b lie in the order of their ids: it is direct, or its slots are so */
    uint64_t joined; /* bit b: blocks b and b + 1 are direct, and the values of the second follow those of the first */
    uint64_t masks[COVEY__PAGE_BLOCKS];
    covey__chunk chunks[COVEY__PAGE_BLOCKS];
    uint8_t capacity[COVEY__PAGE_BLOCKS]; /* 64 is direct */
    uint8_t used[COVEY__PAGE_BLOCKS];     /* slots of a compact block that are taken: the first ones; direct: 0 */
} covey__block_page;

#define COVEY__CLASSES 5       /* capacities that a block takes on its way up */
#define COVEY__MAPPED_WHOLE 65 /* the capacity of a compact block that has room for all its ids: 64 is direct */

/* Chunks come from slabs: arrays of chunks of one capacity. */
typedef struct covey__slab covey__slab;

typedef struct covey__block_store {
    covey__block_page **pages; /* one shared page without anything stands for those that are missing */
    uint32_t page_count;       /* never reaches beyond the world's table: one check does for both */
    uint32_t count;
    uint32_t size;
    uint8_t align;
    bool zero_vacated;
    bool pinned; /* every block is direct */
    covey__mover mover;
    bool grouped;                       /* none is: a group that owns the pool puts values in an order of its own */
    covey__slab *roomy[COVEY__CLASSES]; /* the slabs of a class that have a free chunk, as a list */
    covey__slab **slabs;                /* all, by address */
    uint32_t slab_count, slab_capacity;
    uint64_t *moves;  /* the world's: counts chunks that moved or were freed */
    uint64_t *shifts; /* the world's: counts these, too, and values that moved within their block */
    covey__heap heap;
} covey__block_store;

/* What assertion level 2 knows of changes of one kind: how many there were, and for how many of them, in a row and up
 * to the last, it was the same index. */
typedef struct covey__trace {
    uint32_t count, index, run;
} covey__trace;

#define COVEY__NO_BLOCK UINT32_MAX /* no index / 64 is as large */

/* Components are often added in the order of ids. This is the block of a pool that got a chunk last, and is direct. */
typedef struct covey__filling {
    uint32_t block; /* an index / 64, or COVEY__NO_BLOCK */
    const uint32_t *generations;
    uint64_t *mask;
    char *data;
} covey__filling;

/* Nothing; or it has to find its place when its value is there; or a group that owns the pool, and is all that has to
 * know of it, finds the place before that. */
typedef enum covey__adding { COVEY__ADD_ONLY, COVEY__ADD_AND_SETTLE, COVEY__ADD_TO_GROUP } covey__adding;

#define COVEY__USE_INTERNAL 128 /* of a type of the library's own: no component of the user's */
#define COVEY__USE_REACTIVE 64  /* the tag of a reactive set: what it needs to mark, it keeps */
#define COVEY__USE_CARE 32      /* overwriting takes care: the old value has to be dropped, or somebody watches */
#define COVEY__USE_TOUCH 16     /* but no more than marks: only reactive sets have to know */
#define COVEY__USE_CLOSELY 8    /* who hands out values looks closely: some may be disabled, or have ticks */

/* Where a node lies in a balanced tree of nodes that have numbers (src/balanced.h). */
#define COVEY__NO_NODE UINT32_MAX
typedef struct covey__links {
    uint32_t left, right;
    uint16_t level;
    uint16_t note; /* of whoever owns the node */
} covey__links;

/* The storage that is not used is all zeros, so that inline code may read its fields before it knows which one is. */
struct covey_pool {
    covey_sparse_set set;
    covey__block_store blocks;
    covey__filling filling;
    covey_world *world;
    const covey_type *type;
    uint64_t name_hash;
    struct covey__watch *watch; /* who has to know of what is added and removed; NULL for nobody */
    uint32_t size;              /* of a value */
    uint32_t number;            /* among the world's pools */
    uint8_t storage;            /* a covey_storage, and not the default */
    bool plain;                 /* in blocks, and a value that is removed needs nothing */
    uint8_t adding;             /* a covey__adding: what follows when a component is added out of line */
    uint8_t uses;               /* what it was used for, covey_use; and COVEY__USE_... */
    covey__trace added, removed;
    uint32_t moved;             /* times that values may have moved otherwise; level 2, too */
    struct covey__ended *ended; /* of the tag of a reactive set: its destroyed ones, if it keeps them; or NULL */
    covey__links links;         /* in the tree of all pools, by name */
};

/* An odd generation is alive; one shared page of zeros stands for pages that are missing. A free index is in the list
 * of its range; a retired one links to itself; one that is set aside for a command buffer does so backwards. */
typedef struct covey__entity_page {
    uint32_t generation[COVEY_PAGE_SIZE];
    uint32_t next[COVEY_PAGE_SIZE], previous[COVEY_PAGE_SIZE];
} covey__entity_page;

/* Hands out indices of [first, end). Those from fresh to fresh_end are known to be unused and to have a page. */
typedef struct covey__range {
    uint32_t first, end;
    uint32_t fresh, fresh_end;
    uint32_t free;      /* the index freed last, or COVEY_NONE */
    uint32_t step;      /* from the free index taken last to the one after it: often the same many times over */
    covey__links links; /* of a reserved one: in the tree of these, by their first indices */
} covey__range;

/* Entities are often destroyed next to each other. In this block, if `moves` is the world's number, nobody has to be told
 * of that, and these pools, with these masks, are all that have anything: direct, and with values that need no end. */
#define COVEY__EMPTYING_POOLS 8
typedef struct covey__emptying {
    uint64_t moves;
    covey__entity_page *page;
    uint32_t block; /* an index / 64, or COVEY__NO_BLOCK */
    uint32_t last;  /* the block in which an entity was destroyed last */
    uint32_t count;
    uint64_t *masks[COVEY__EMPTYING_POOLS];
    covey_pool *pools[COVEY__EMPTYING_POOLS];
} covey__emptying;

#define COVEY__UNKNOWN 32 /* names of types that a world remembers not to know; a power of two */

typedef struct covey__type_entry {
    const covey_type *type; /* NULL: none */
    covey_pool *pool;       /* then one without anything, so that inline code may read it before it knows */
} covey__type_entry;

/* Asked before code uses a component or resource, while systems run: finds those that did not declare it. */
typedef enum covey__access {
    COVEY__ACCESS_READ,
    COVEY__ACCESS_WRITE,
    COVEY__ACCESS_RESOURCE_READ,
    COVEY__ACCESS_RESOURCE_WRITE
} covey__access;
typedef struct covey__guard covey__guard;
struct covey__guard {
    /* The name of the system that the calling thread runs and that may not change structure; NULL for none. */
    const char *(*system)(const covey__guard *guard);
    /* Whether that system (if there is one) declared this use. Types of one name are one type. */
    bool (*allows)(const covey__guard *guard, const covey_type *type, covey__access access);
};

struct covey_world {
    covey__entity_page **pages;
    covey__type_entry *types; /* open addressing by address; a power of two, at most a quarter full */
    uint64_t type_multiplier; /* odd; chosen so that few types have their search begin at one entry */
    uint32_t page_count;
    uint32_t type_mask;
    covey__range range; /* all indices but those of the reserved ranges */
    uint32_t alive;
    uint32_t type_count;
    struct covey__listeners *listeners; /* of entities that are created and destroyed; NULL for nobody */
    struct covey__dying *dying;         /* who is being destroyed, and takes no component; NULL for nobody */
    covey_pool **pools;
    uint32_t pool_count, pool_capacity;
    uint32_t pool_root;   /* of the tree of pools, by the names of their types */
    covey_group **groups; /* from the outer to the inner */
    uint32_t group_count, group_capacity;
    struct covey__presence_page **presence_pages; /* the presence index */
    uint32_t presence_count;
    covey__range *reserved; /* in the order of reservation */
    uint32_t reserved_count, reserved_capacity, reserved_root;
    covey__trace destroyed;
    uint64_t moves;  /* times that chunks of block stores moved or were freed */
    uint64_t shifts; /* that any values did, or what it takes to find them in sparse pools */
    covey__emptying emptying;
    struct covey__emission *emission; /* who is being told of what; NULL for nobody */
    struct covey__emission *first;    /* the one that began first of those that are under way */
    uint32_t nested;                  /* listeners that are being called, each by what another one does */
    uint64_t connections;             /* that were ever made */
    uint32_t heard;                   /* by so many listeners, those of reactive sets not counted */
    covey_queue *queues;              /* a list of all */
    covey_reactive *reactives;        /* a list of all, those that may be used again included */
    covey_result result;
    uint32_t hooks;              /* functions under way that must not change the world, at assertion level 1; */
    const char *hook;            /* what the last of them is, */
    const covey_type *hook_type; /* of which type */
    const covey__guard *guard;   /* of the systems under way, which are one more of `hooks`; NULL for none */
    struct covey__made_types *made_types;            /* NULL while there never were any */
    struct covey__resources *resources, *references; /* NULL while there never were any */
    covey__heap heap;
    covey_log_fn *log;
    void *log_context;
    covey_assert_fn *on_assert;
    void *assert_context;
    covey_pool *nodes;               /* of the hierarchy; NULL while there is none */
    uint64_t relinked;               /* times that a node got a parent, or a child became a root */
    struct covey__names *names;      /* NULL while no entity was named */
    struct covey_commands *commands; /* the buffers, as a list */
    size_t borrowed;                 /* bytes of calls that are under way, and of values of kept types */
    covey_pool *disabled;            /* the entities that are; NULL while none ever was */
    uint32_t hiding;                 /* pools of which components were disabled ever */
    uint64_t tick;
    struct covey_history *histories; /* as a list */
    covey_log_listener *log_listeners;
    uint32_t silenced; /* calls under way that say themselves what failed inside of them */
    uint64_t numbered;               /* queues, reactive sets and command buffers that were ever made */
    /* Names that were asked for and are of no pool. Several readers may remember one at the same time: each is a word,
     * which is read and written as a whole and says all there is to say. A pool that is made empties the list. */
    const char *unknown[COVEY__UNKNOWN];
};

COVEY_INLINE void covey__trace_note(covey__trace *trace, uint32_t index) {
    trace->run = trace->count != 0 && trace->index == index ? trace->run + 1 : 1;
    trace->index = index;
    trace->count++;
}

COVEY_API bool covey__next_batch(covey_iter *it);
COVEY_API uint64_t covey__next_row_page(covey_iter *it);
COVEY_API bool covey__next_rows(covey_iter *it, bool moved);
COVEY_API void *covey__row_value(const covey_iter *it, uint32_t index, uint32_t field);
COVEY_API void covey__span_begins(covey_iter *it);
COVEY_API void covey__span_ends(const covey_iter *it);
COVEY_API void covey__row_begins(covey_iter *it, covey_row row);
COVEY_API void covey__row_ends(const covey_iter *it, covey_row row);
COVEY_API uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file,
                                      int line);

COVEY_API covey_entity covey__create_slowly(covey_world *world);
/* Goes on with an entity that has the first ones of its components; undoes all of it where that does not go quickly. */
COVEY_API covey_entity covey__create_with_rest(covey_world *world, uint32_t index, uint32_t generation,
                                               const covey_component *components, uint32_t added);
COVEY_API bool covey__destroy_slowly(covey_world *world, uint32_t index, uint32_t generation);
/* Pure: what it remembers of a type that is unknown changes no answer. */
COVEY_API COVEY__PURE covey_pool *covey__pool_search(const covey_world *world, const covey_type *type);
/* These take a handle as a word, as lookups of sparse sets do: COVEY__SLOT(index, generation). */
COVEY_API COVEY__PURE void *covey__get_slowly(const covey_world *world, covey__slot handle, const covey_type *type);
COVEY_API COVEY__PURE bool covey__has_slowly(const covey_world *world, covey__slot handle, const covey_type *type);
/* These take a handle in two parts: as one, gcc 12 loads it into a vector register, and its parts come out slowly. */
COVEY_API covey_pool *covey__pool_meet(covey_world *world, uint32_t index, uint32_t generation, const covey_type *type);
COVEY_API void *covey__pool_place_slowly(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__group_place(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void covey__group_erase(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_add_slowly(covey_pool *pool, uint32_t index, uint32_t generation, const void *value);
COVEY_API void *covey__pool_add_default(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_set_default(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_settle(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_overwrite(covey_pool *pool, uint32_t index, uint32_t generation, const void *value);
COVEY_API void covey__pool_touch(covey_pool *pool, uint32_t index);
COVEY_API void *covey__pool_renew(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void *covey__pool_renewed(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API void covey__pool_take_out_slowly(covey_pool *pool, uint32_t index, uint32_t generation);
COVEY_API uint32_t covey__block_next(const covey__block_store *blocks, uint32_t index);
COVEY_API void covey__contract_broken(const covey_world *world, const char *what, const char *file, int line);
COVEY_API bool covey__refuse_in_hook(covey_world *world, const char *file, int line); /* true */
/* The world has a guard. */
COVEY_API void covey__check_use(const covey_world *world, const covey_type *type, covey__access access,
                                const char *file, int line);
COVEY_API covey_pool *covey__typed(const covey_pool *pool, const covey_type *type, const char *file, int line);
COVEY_API void covey__changed(const covey_world *world);

/* The slot of an index that the table reaches. */
COVEY_HOT covey__slot *covey__slot_in(const uintptr_t *pages, uint32_t index) {
    return (covey__slot *)(pages[index / COVEY_PAGE_SIZE] + index * sizeof(covey__slot));
}

COVEY_INLINE covey__slot *covey__slot_of(const covey_sparse_set *set, uint32_t index) {
    return covey__slot_in(set->pages, index);
}

/* The position of a handle, or a number that no position reaches. */
COVEY_HOT uint64_t covey__position_in(const uintptr_t *pages, uint32_t page_count, covey_entity e) {
    covey__slot handle = covey__word(e); /* one load of both */
    uint32_t index = covey__slot_position(handle);
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < page_count)) return UINT64_MAX;
    return *covey__slot_in(pages, index) ^ handle ^ index;
}

COVEY_INLINE uint64_t covey__position(const covey_sparse_set *set, covey_entity e) {
    return covey__position_in(set->pages, set->page_count, e);
}

COVEY_INLINE void *covey__value_at(const covey_sparse_set *set, size_t position, size_t size) {
    if (set->paged) return ((char **)set->data)[position / COVEY_PAGE_SIZE] + (position % COVEY_PAGE_SIZE) * size;
    return (char *)set->data + position * size;
}

/* memcpy, without a call for small sizes that are known only at run time. */
COVEY_HOT void covey__copy(void *to, const void *from, size_t size) {
    switch (size) {
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    case 12: memcpy(to, from, 12); return;
    case 16: memcpy(to, from, 16); return;
    default: memcpy(to, from, size); return;
    }
}

/* Not covey__copy: gcc 12 looks into its cases, and warns that a literal of four bytes has no sixteen. */
COVEY_HOT void covey__fill(void *to, const void *value, size_t size) {
    if (value) memcpy(to, value, size);
    else memset(to, 0, size);
}

/* The same for a literal. Word by word, compilers forward its fields from registers; as one copy, gcc 12 builds it on
 * the stack and reads it back with wider loads, which stall. */
COVEY_HOT void covey__fill_literal(void *to, const void *value, size_t size) {
    char *words = (char *)to;
    const char *from = (const char *)value;
    if (size > 32 || size % 4 != 0) {
        memcpy(to, value, size);
        return;
    }
    if (size >= 4) memcpy(words, from, 4);
    if (size >= 8) memcpy(words + 4, from + 4, 4);
    if (size >= 12) memcpy(words + 8, from + 8, 4);
    if (size >= 16) memcpy(words + 12, from + 12, 4);
    if (size >= 20) memcpy(words + 16, from + 16, 4);
    if (size >= 24) memcpy(words + 20, from + 20, 4);
    if (size >= 28) memcpy(words + 24, from + 24, 4);
    if (size >= 32) memcpy(words + 28, from + 28, 4);
}

COVEY_HOT uint32_t covey__type_hash(const covey_world *world, const covey_type *type) {
    return (uint32_t)((uint64_t)(uintptr_t)type * world->type_multiplier >> 32);
}

/* The entry where the search for a type begins. */
COVEY_HOT covey__type_entry *covey__type_entry_of(const covey_world *world, const covey_type *type) {
    return &world->types[covey__type_hash(world, type) & world->type_mask];
}

/* The pool of a type for reading, or NULL when the world does not know the type. */
COVEY_HOT covey_pool *covey__pool_known(const covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    if (!COVEY__LIKELY(entry->type == type)) return covey__pool_search(world, type);
    COVEY__ASSUME(entry->pool != NULL);
    return entry->pool;
}

/* The pool of a type for adding to e; the world meets the type here if e is alive. */
COVEY_HOT covey_pool *covey__pool_to_change(covey_world *world, covey_entity e, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    if (!COVEY__LIKELY(entry->type == type))
        return covey__pool_meet(world, covey__index(e), covey__generation(e), type);
    COVEY__ASSUME(entry->pool != NULL);
    return entry->pool;
}

/* The generation of an index that the world's table reaches. */
COVEY_HOT uint32_t covey__generation_of(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE];
}

/* Whether the handle has the generation of its index, which the world's table reaches, and that is alive. */
COVEY_HOT bool covey__is_current(const covey_world *world, covey_entity e) {
    uint32_t generation = covey__generation(e);
    return covey__generation_of(world, covey__index(e)) == generation && (generation & 1) != 0;
}

COVEY_HOT bool covey_alive(const covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return covey__index(e) / COVEY_PAGE_SIZE < world->page_count && covey__is_current(world, e);
}

/* Whether covey_create has an index at hand, and nobody hears of it. */
COVEY_HOT bool covey__creates_quickly(const covey_world *world) {
    const covey__range *range = &world->range;
    return !world->listeners && (range->free != COVEY_NONE || range->fresh < range->fresh_end);
}

COVEY_HOT covey_entity covey_create(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey__range *range = &world->range;
    if (COVEY__IN_HOOK(world)) return covey__entity(0, 0);
    covey_entity e = covey__entity(range->free, 0);
    if (!COVEY__LIKELY(!world->listeners)) return covey__create_slowly(world);
    if (covey__index(e) == COVEY_NONE) {
        if (!COVEY__LIKELY(range->fresh < range->fresh_end)) return covey__create_slowly(world);
        e = covey__entity(range->fresh++, 0);
    }
    covey__entity_page *page = world->pages[covey__index(e) / COVEY_PAGE_SIZE];
    if (range->free != COVEY_NONE) {
        uint32_t next = page->next[covey__index(e) % COVEY_PAGE_SIZE], step = range->step, from = covey__index(e);
        if (COVEY__LIKELY(next == covey__index(e) + step)) {
            COVEY__HIDE(from); /* what is stored is not `next`, so the next call need not wait until that is loaded */
            range->free = from + step;
        } else {
            range->step = next - covey__index(e);
            range->free = next;
        }
    }
    e = covey__entity(covey__index(e), ++page->generation[covey__index(e) % COVEY_PAGE_SIZE]);
    world->alive++;
    COVEY__CHANGED(world);
    return e;
}

/* Makes an index, of this page, the first that its range hands out. */
COVEY_HOT void covey__push_free(covey_world *world, covey__range *range, covey__entity_page *page, uint32_t index) {
    uint32_t next = range->free;
    page->next[index % COVEY_PAGE_SIZE] = next;
    if (next != COVEY_NONE) world->pages[next / COVEY_PAGE_SIZE]->previous[next % COVEY_PAGE_SIZE] = index;
    range->free = index;
}

/* Takes an entity out of all pools if that is a bit of a mask each. Otherwise false: what was done so far may be done
 * again. */
COVEY_HOT bool covey__take_out_next(covey__emptying *emptying, uint32_t index) {
    uint64_t bit = (uint64_t)1 << index % 64;
    for (uint32_t i = 0; i < emptying->count; i++) {
        uint64_t mask = *emptying->masks[i], left = mask & ~bit;
        if (!COVEY__LIKELY(left != 0)) return false;
        *emptying->masks[i] = left;
        emptying->pools[i]->blocks.count -= (uint32_t)((left - mask) >> 63); /* 1 if the bit was set */
        if (left != mask) COVEY__TRACE(emptying->pools[i]->removed, index);
    }
    return true;
}

COVEY_HOT bool covey_destroy(covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey__emptying *emptying = &world->emptying;
    if (COVEY__IN_HOOK(world)) return false;
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (!COVEY__LIKELY(emptying->block == index / 64 && emptying->moves == world->moves))
        return covey__destroy_slowly(world, index, generation);
    covey__entity_page *page = emptying->page;
    if (!COVEY__LIKELY(page->generation[index % COVEY_PAGE_SIZE] == generation)) return false;
    if (!COVEY__LIKELY((generation & 1) != 0 && generation != COVEY_GENERATION_MAX &&
                       covey__take_out_next(emptying, index)))
        return covey__destroy_slowly(world, index, generation);
    page->generation[index % COVEY_PAGE_SIZE] = generation + 1;
    world->alive--;
    COVEY__TRACE(world->destroyed, index);
    covey__push_free(world, &world->range, page, index);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

COVEY_INLINE bool covey__in_blocks(const covey_pool *pool) { return pool->storage != COVEY_STORAGE_SPARSE; }

COVEY_INLINE uint32_t covey__block_of(uint32_t index) { return index / 64 % COVEY__PAGE_BLOCKS; }

/* The page of an index that the directory reaches. */
COVEY_INLINE covey__block_page *covey__block_page_of(const covey__block_store *blocks, uint32_t index) {
    return blocks->pages[index / COVEY__BLOCK_PAGE];
}

/* Whether an index is there; of an entity that is alive, it is that entity's. */
COVEY_HOT bool covey__block_has(const covey__block_store *blocks, uint32_t index) {
    if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
    return covey__block_page_of(blocks, index)->masks[covey__block_of(index)] >> index % 64 & 1;
}

/* The value of an index that is there. */
COVEY_HOT void *covey__block_value(const covey__block_store *blocks, uint32_t index, size_t size) {
    const covey__block_page *page = covey__block_page_of(blocks, index);
    const covey__chunk *chunk = &page->chunks[covey__block_of(index)];
    return chunk->data + chunk->map[index % 64] * size;
}

/* Takes a slot in a block that has one to spare, or returns NULL. The directory reaches the index. */
COVEY_HOT void *covey__block_append(covey__block_store *blocks, uint32_t index, size_t size) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), bit = index % 64, slot = bit, capacity = page->capacity[block];
    uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << bit;
    char *data = page->chunks[block].data;
    if (mask == with) return NULL;
    if (!COVEY__LIKELY(capacity == 64)) {
        slot = page->used[block];
        if (slot == capacity) return NULL;
        uint8_t *ids = (uint8_t *)data + capacity * size;
        ids[slot] = (uint8_t)bit;
        (ids + capacity)[bit] = (uint8_t)slot;
        page->used[block] = (uint8_t)(slot + 1);
        page->ordered &= ~((uint64_t)(mask >> bit != 0) << block);
    }
    page->masks[block] = with;
    blocks->count++;
    char *value = data + slot * size;
    COVEY__ASSUME(value != NULL);
    return value;
}

/* Gives the slot of an index back, of one that is there; `left` is what the block has then: not nothing. */
COVEY_HOT void covey__block_vacate(covey__block_store *blocks, covey__block_page *page, uint32_t index, uint64_t left,
                                   size_t size) {
    uint32_t block = covey__block_of(index), bit = index % 64, capacity = page->capacity[block];
    page->masks[block] = left;
    blocks->count--;
    if (capacity == 64) return;
    char *data = page->chunks[block].data;
    uint32_t last = page->used[block] - 1u;
    uint8_t *ids = (uint8_t *)data + capacity * size, *map = ids + capacity;
    uint8_t slot = map[bit], moved = ids[last];
    ids[slot] = moved;
    map[moved] = slot;
    page->used[block] = (uint8_t)last;
    if (slot == last) return;
    page->ordered &= ~((uint64_t)1 << block);
    ++*blocks->shifts;
    covey__copy(data + slot * size, data + last * size, size);
}

/* ---- Pools -------------------------------------------------------------------------------------------------------*/

/* The same as covey__pool_append, for the block that is being filled. */
COVEY_HOT void *covey__pool_fill(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    const covey__filling *filling = &pool->filling;
    uint64_t mask = *filling->mask, with = mask | (uint64_t)1 << index % 64;
    if (!COVEY__LIKELY(filling->generations[index % 64] == generation && (generation & 1) != 0)) return NULL;
    if (!COVEY__LIKELY(mask != with)) return NULL;
    *filling->mask = with;
    pool->blocks.count++;
    COVEY__TRACE(pool->added, index);
    COVEY__CHANGED(pool->world);
    char *value = filling->data + index % 64 * size;
    COVEY__ASSUME(value != NULL);
    return value;
}

/* Appends an element without a value, or returns NULL when that takes more than the inline code does. */
COVEY_HOT void *covey__pool_append(covey_pool *pool, covey_entity e, size_t size) {
    covey_sparse_set *set = &pool->set;
#if !COVEY__NARROW
    COVEY__HIDE(e.generation); /* or gcc 12 puts both parts into a vector register, from which they come slowly */
#endif
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (index / 64 == pool->filling.block) return covey__pool_fill(pool, e, size);
    if (covey__in_blocks(pool)) {
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < pool->blocks.page_count && !pool->watch)) return NULL;
        if (!COVEY__LIKELY(covey__is_current(pool->world, e) && !pool->world->dying)) return NULL;
        void *to = covey__block_append(&pool->blocks, index, size);
        if (to) COVEY__TRACE(pool->added, index);
        COVEY__CHANGED(pool->world);
        return to;
    }
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < set->page_count && set->end < set->room)) return NULL;
    /* Where the pool has a page for an index, the world has one, too. */
    covey__slot *slot = covey__slot_of(set, index);
    if (!COVEY__LIKELY(*slot == COVEY__SLOT_NULL && !pool->world->dying)) return NULL;
    if (!COVEY__LIKELY(covey__is_current(pool->world, e))) return NULL;
    size_t at = set->end++;
    *slot = COVEY__SLOT(at, generation);
    set->ids[at] = e;
    COVEY__TRACE(pool->added, index);
    COVEY__CHANGED(pool->world);
    return (char *)set->data + at * size;
}

/* Whether there is no value, and the default is not zero bytes. */
COVEY_HOT bool covey__wants_default(const covey_pool *pool, const void *value, size_t size) {
    return size != 0 && !value && pool->type->defaults;
}

/* A literal lies nowhere in the pool, so it needs no care when the pool grows. As its address goes nowhere, either, its
 * fields stay in registers until they are stored where they belong. */
COVEY_HOT void *covey__pool_add(covey_pool *pool, covey_entity e, const void *value, size_t size, bool literal) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    if (COVEY__IN_HOOK(pool->world)) return NULL;
    if (!literal && covey__wants_default(pool, value, size)) return covey__pool_add_default(pool, index, generation);
    void *to = covey__pool_append(pool, e, size);
    if (!COVEY__LIKELY(to != NULL)) {
        if (!literal) return covey__pool_add_slowly(pool, index, generation, value);
        to = pool->adding == COVEY__ADD_TO_GROUP ? covey__group_place(pool, index, generation)
                                                 : covey__pool_place_slowly(pool, index, generation);
        if (!to) return NULL;
        if (pool->adding == COVEY__ADD_AND_SETTLE) {
            covey__fill_literal(to, value, size);
            return covey__pool_settle(pool, index, generation);
        }
    }
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    return to;
}

COVEY_HOT void *covey_pool_add_raw(covey_pool *pool, covey_entity e, const void *value, size_t size) {
    return covey__pool_add(pool, e, value, size, false);
}

/* What a lookup needs of a pool. It is read before any branch, so that a loop of lookups keeps it in registers. */
typedef struct covey__lookup {
    const covey_pool *pool;
    const uintptr_t *pages;
    char *data;
    uint32_t page_count, end, flat_end;
    covey__entity_page *const *entities;
    uint8_t storage;
} covey__lookup;

COVEY_HOT covey__lookup covey__lookup_in(const covey_world *world, const covey_pool *pool) {
    covey__lookup lookup;
    lookup.pool = pool;
    lookup.pages = pool->set.pages;
    lookup.data = (char *)pool->set.data;
    lookup.page_count = pool->set.page_count;
    lookup.end = pool->set.end;
    lookup.flat_end = pool->set.paged ? 0 : lookup.end;
    lookup.entities = world->pages;
    lookup.storage = pool->storage;
    return lookup;
}

/* Whether a block has a component of the entity. No branch on the parts of the answer: which entities have a component
 * is often random. Who has one is alive. */
COVEY_HOT bool covey__lookup_block(const covey__lookup *lookup, covey_entity e) {
    uint32_t index = covey__index(e);
    const covey__block_store *blocks = &lookup->pool->blocks;
    if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
    uint64_t there = covey__block_page_of(blocks, index)->masks[covey__block_of(index)] >> index % 64;
    uint32_t generation = lookup->entities[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE];
    return (bool)(there & (generation == covey__generation(e)));
}

COVEY_HOT void *covey__lookup_get(const covey__lookup *lookup, covey_entity e, size_t size) {
    char *value;
    if (lookup->storage != COVEY_STORAGE_SPARSE) {
        if (!COVEY__LIKELY(covey__lookup_block(lookup, e))) return NULL;
        value = (char *)covey__block_value(&lookup->pool->blocks, covey__index(e), size);
    } else {
        uint64_t at = covey__position_in(lookup->pages, lookup->page_count, e);
        if (!COVEY__LIKELY(at < lookup->flat_end))
            return at < lookup->pool->set.end ? covey__value_at(&lookup->pool->set, (size_t)at, size) : NULL;
        value = lookup->data + (size_t)at * size;
    }
    COVEY__ASSUME(value != NULL);
    return value;
}

COVEY_HOT bool covey__lookup_has(const covey__lookup *lookup, covey_entity e) {
    if (lookup->storage != COVEY_STORAGE_SPARSE) return covey__lookup_block(lookup, e);
    uint64_t at = covey__position_in(lookup->pages, lookup->page_count, e);
    COVEY__HIDE(at); /* or gcc 12 makes gathers of a loop of these, which are slow */
    return at < lookup->end;
}

COVEY_HOT void *covey__pool_get(const covey_pool *pool, covey_entity e, size_t size) {
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    return covey__lookup_get(&lookup, e, size);
}

COVEY_HOT void *covey_pool_get_raw(const covey_pool *pool, covey_entity e, size_t size) {
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__pool_get(pool, e, size);
}

COVEY_HOT void *covey_pool_get_unchecked_raw(const covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e);
    const covey_sparse_set *set = &pool->set;
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    COVEY__COSTLY_CONTRACT(pool->world, covey_pool_has(pool, e), "an unchecked get needs a component that is there");
    if (covey__in_blocks(pool)) return covey__block_value(&pool->blocks, index, size);
    return covey__value_at(set, covey__slot_position(*covey__slot_of(set, index)), size);
}

COVEY_HOT bool covey_pool_has(const covey_pool *pool, covey_entity e) {
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    return covey__lookup_has(&lookup, e);
}

COVEY_HOT void *covey__pool_set(covey_pool *pool, covey_entity e, const void *value, size_t size, bool literal) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_WRITE);
    void *to = covey__pool_get(pool, e, size);
    if (!literal && covey__wants_default(pool, value, size)) return covey__pool_set_default(pool, index, generation);
    if (!to) return covey__pool_add(pool, e, value, size, literal);
    if (!COVEY__LIKELY((pool->uses & COVEY__USE_CARE) == 0)) {
        if (literal && (pool->uses & COVEY__USE_TOUCH) != 0) {
            covey__fill_literal(to, value, size);
            covey__pool_touch(pool, index);
            return to;
        }
        if (!literal) return covey__pool_overwrite(pool, index, generation, value);
        to = covey__pool_renew(pool, index, generation);
        if (!to) return NULL;
        covey__fill_literal(to, value, size);
        return covey__pool_renewed(pool, index, generation);
    }
    if (!literal && to == value) return to;
    if (literal) covey__fill_literal(to, value, size);
    else covey__fill(to, value, size);
    return to;
}

COVEY_HOT void *covey_pool_set_raw(covey_pool *pool, covey_entity e, const void *value, size_t size) {
    return covey__pool_set(pool, e, value, size, false);
}

/* Removes a component and drops its value; false when it is absent. Of a block pool, the entity is alive or was so
 * until now: what is at its index is its own. */
COVEY_HOT bool covey__pool_take_out(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e), generation = covey__generation(e);
    if (covey__in_blocks(pool)) {
        covey__block_store *blocks = &pool->blocks;
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < blocks->page_count)) return false;
        covey__block_page *page = covey__block_page_of(blocks, index);
        uint64_t mask = page->masks[covey__block_of(index)], left = mask & ~((uint64_t)1 << index % 64);
        if (left == mask) return false;
        COVEY__TRACE(pool->removed, index);
        if (COVEY__LIKELY(left != 0 && pool->plain)) covey__block_vacate(blocks, page, index, left, size);
        else covey__pool_take_out_slowly(pool, index, generation);
        return true;
    }
    covey_sparse_set *set = &pool->set;
    if (!COVEY__LIKELY(index / COVEY_PAGE_SIZE < set->page_count)) return false;
    covey__slot *slot = covey__slot_of(set, index);
    covey__slot found = *slot ^ COVEY__SLOT(0, generation);
    if (found >= set->end) return false;
    COVEY__TRACE(pool->removed, index);
    size_t at = (size_t)found;
    if (COVEY__LIKELY(set->removal == COVEY__REMOVE_SWAPPING)) {
        size_t last = --set->end;
        ++*set->shifts;
        if (at != last) {
            covey_entity moved = set->ids[last];
            set->ids[at] = moved;
            *covey__slot_of(set, covey__index(moved)) = COVEY__SLOT(at, covey__generation(moved));
            covey__copy((char *)set->data + at * size, (char *)set->data + last * size, size);
        }
    } else if (set->removal == COVEY__REMOVE_MARKING) {
        set->marks[at / 64] |= (uint64_t)1 << at % 64;
        set->holes++;
        ++*set->shifts;
    } else {
        bool grouped = set->removal == COVEY__REMOVE_GROUPED;
        if (grouped) covey__group_erase(pool, index, generation);
        else covey__pool_take_out_slowly(pool, index, generation);
        return true;
    }
    *slot = COVEY__SLOT_NULL;
    return true;
}

COVEY_HOT bool covey_pool_remove_raw(covey_pool *pool, covey_entity e, size_t size) {
    uint32_t index = covey__index(e);
    COVEY__CONTRACT(pool->world, size == pool->size, "the size is not that of the pool's values");
    if (COVEY__IN_HOOK(pool->world)) return false;
    if (covey__in_blocks(pool)) { /* where the index has one, its generation is alive */
        if (!COVEY__LIKELY(index / COVEY__BLOCK_PAGE < pool->blocks.page_count)) return false;
        if (!COVEY__LIKELY(covey__generation_of(pool->world, index) == covey__generation(e))) return false;
    }
    bool removed = covey__pool_take_out(pool, e, size);
    COVEY__CHANGED(pool->world);
    return removed;
}

COVEY_INLINE uint32_t covey_pool_count(const covey_pool *pool) {
    return covey__in_blocks(pool) ? pool->blocks.count : covey_sparse_set_count(&pool->set);
}
COVEY_INLINE uint32_t covey_pool_size(const covey_pool *pool) { return covey__in_blocks(pool) ? 0 : pool->set.end; }
COVEY_INLINE const covey_entity *covey_pool_ids(const covey_pool *pool) {
    return covey__in_blocks(pool) ? NULL : pool->set.ids;
}
COVEY_INLINE void *covey_pool_values_raw(const covey_pool *pool) {
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__in_blocks(pool) || pool->set.paged ? NULL : pool->set.data;
}

COVEY_HOT void *covey__add(covey_world *world, covey_entity e, const covey_type *type, const void *value, size_t size,
                           bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    return pool ? covey__pool_add(pool, e, value, size, literal) : NULL;
}

COVEY_HOT bool covey__add_tag(covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    return covey__add(world, e, type, NULL, size, false) != NULL;
}

COVEY_INLINE bool covey__resource_set_tag(covey_world *world, const covey_type *type, size_t size) {
    return covey_resource_set_raw(world, type, NULL, size) != NULL;
}

COVEY_HOT void *covey_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                              size_t size) {
    return covey__add(world, e, type, value, size, false);
}

COVEY_HOT void *covey__set(covey_world *world, covey_entity e, const covey_type *type, const void *value, size_t size,
                           bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    return pool ? covey__pool_set(pool, e, value, size, literal) : NULL;
}

COVEY_INLINE bool covey__set_tag(covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    return covey__set(world, e, type, NULL, size, false) != NULL;
}

COVEY_HOT void *covey_set_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                              size_t size) {
    return covey__set(world, e, type, value, size, false);
}

COVEY_HOT void *covey_get_raw(const covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    COVEY__USES(world, type, COVEY__ACCESS_READ);
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    covey__lookup lookup = covey__lookup_in(world, entry->pool); /* which may be of another type, or nobody's */
    if (!COVEY__LIKELY(entry->type == type)) return covey__get_slowly(world, covey__word(e), type);
    COVEY__CONTRACT(world, size == entry->pool->size, "the size is not that of the pool's values");
    return covey__lookup_get(&lookup, e, size);
}

COVEY_HOT void *covey__get_or_add(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                                  size_t size, bool literal) {
    covey_pool *pool = covey__pool_to_change(world, e, type);
    if (pool) COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    void *found = pool ? covey__pool_get(pool, e, size) : NULL;
    return found || !pool ? found : covey__pool_add(pool, e, value, size, literal);
}

COVEY_HOT void *covey_get_or_add_raw(covey_world *world, covey_entity e, const covey_type *type, const void *value,
                                     size_t size) {
    return covey__get_or_add(world, e, type, value, size, false);
}

COVEY_HOT bool covey_has_raw(const covey_world *world, covey_entity e, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    const covey__type_entry *entry = covey__type_entry_of(world, type);
    covey__lookup lookup = covey__lookup_in(world, entry->pool);
    if (!COVEY__LIKELY(entry->type == type)) return covey__has_slowly(world, covey__word(e), type);
    return covey__lookup_has(&lookup, e);
}

COVEY_HOT bool covey_remove_raw(covey_world *world, covey_entity e, const covey_type *type, size_t size) {
    covey_pool *pool = covey__pool_known(world, type);
    return pool && covey_pool_remove_raw(pool, e, size);
}

COVEY_INLINE uint32_t covey_swap_remove(void *array, uint32_t count, uint32_t at, size_t size) {
    if (at >= count) return count;
    if (at != count - 1) memcpy((char *)array + at * size, (char *)array + (count - 1) * size, size);
    return count - 1;
}

COVEY_INLINE uint32_t covey_sparse_set_size(const covey_sparse_set *set) { return set->end + set->dead; }
COVEY_INLINE uint32_t covey_sparse_set_count(const covey_sparse_set *set) { return set->end - set->holes; }
COVEY_INLINE const covey_entity *covey_sparse_set_ids(const covey_sparse_set *set) { return set->ids; }

COVEY_INLINE bool covey_sparse_set_live(const covey_sparse_set *set, covey_entity e) {
    return covey__position(set, e) < set->end;
}

COVEY_INLINE bool covey_sparse_set_contains(const covey_sparse_set *set, covey_entity e) {
    return covey__position(set, e) < covey_sparse_set_size(set);
}

COVEY_INLINE uint32_t covey_sparse_set_find(const covey_sparse_set *set, covey_entity e) {
    uint64_t at = covey__position(set, e);
    return at < covey_sparse_set_size(set) ? (uint32_t)at : COVEY_NONE;
}

COVEY_INLINE bool covey__is_hole(const covey_sparse_set *set, uint32_t position) {
    return set->marks ? set->marks[position / 64] >> position % 64 & 1 : set->ids[position].generation == 0;
}

COVEY_INLINE uint32_t covey_sparse_set_next(const covey_sparse_set *set, uint32_t position) {
    while (position < set->end && set->holes != 0 && covey__is_hole(set, position)) position++;
    return position < set->end ? position : COVEY_NONE;
}

COVEY_INLINE uint32_t covey_pool_next(const covey_pool *pool, uint32_t position) {
    if (covey__in_blocks(pool)) return covey__block_next(&pool->blocks, position);
    return covey_sparse_set_next(&pool->set, position);
}

COVEY_INLINE void *covey__pool_value_at(const covey_pool *pool, uint32_t position, size_t size) {
    COVEY__COSTLY_CONTRACT(pool->world, covey_pool_next(pool, position) == position,
                           "no component is at this position");
    if (covey__in_blocks(pool)) return covey__block_value(&pool->blocks, position, size);
    return covey__value_at(&pool->set, position, size);
}

COVEY_INLINE void *covey_pool_value_at_raw(const covey_pool *pool, uint32_t position, size_t size) {
    COVEY__USES(pool->world, pool->type, COVEY__ACCESS_READ);
    return covey__pool_value_at(pool, position, size);
}

/* Adds the first components of a list, up to one that takes more than the inline code does. Returns how many. */
COVEY_HOT uint32_t covey__add_listed(covey_world *world, covey_entity e, const covey_component *components,
                                     uint32_t count) {
    COVEY__UNROLL
    for (uint32_t i = 0; i < count; i++) {
        const covey_component component = components[i];
        const covey__type_entry *entry = covey__type_entry_of(world, component.type);
        if (!COVEY__LIKELY(entry->type == component.type && !component.value && component.count <= 1)) return i;
        COVEY__CONTRACT(world, component.size == entry->pool->size, "the size is not that of the type");
        if (covey__wants_default(entry->pool, component.values, component.size)) return i;
        void *to = covey__pool_append(entry->pool, e, component.size);
        if (!COVEY__LIKELY(to != NULL)) return i;
        if (component.values) covey__fill_literal(to, component.values, component.size);
        else memset(to, 0, component.size);
    }
    return count;
}

/* The list is copied, so that compilers know all of it: the original goes to a function that they do not see. */
COVEY_HOT covey_entity covey__create_with(covey_world *world, const covey_component *components, size_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_component own[COVEY_TERMS];
    if (COVEY__IN_HOOK(world)) return covey__entity(0, 0);
    if (count > COVEY_TERMS || !COVEY__LIKELY(covey__creates_quickly(world)))
        return covey_create_with_raw(world, components);
    COVEY__UNROLL
    for (size_t i = 0; i < count; i++) own[i] = components[i];
    covey_entity e = covey_create(world);
    uint32_t added = covey__add_listed(world, e, own, (uint32_t)count);
    if (!COVEY__LIKELY(added == count)) return covey__create_with_rest(world, e.index, e.generation, components, added);
    return e;
}

/* ---- Views -------------------------------------------------------------------------------------------------------*/

/* The number of the lowest bit that is set; there is one. */
COVEY_HOT uint32_t covey__lowest_bit(uint64_t bits) {
#if defined(__GNUC__)
    return (uint32_t)__builtin_ctzll(bits) & 63;
#else
    uint32_t number = 0;
    while ((bits >> number & 1) == 0) number++;
    return number;
#endif
}

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__FIELD_NUMBER(it, field, T) covey__check_field((it), (field), covey_id(T), __FILE__, __LINE__)
#else
#define COVEY__FIELD_NUMBER(it, field, T) (field)
#endif
#define COVEY__FIELD(it, field, T) covey_field_raw((it), COVEY__FIELD_NUMBER(it, field, T), COVEY__SIZE(T))
#define COVEY__ROW_FIELD(it, row, field, T) \
    covey_row_field_raw((it), (row), COVEY__FIELD_NUMBER(it, field, T), COVEY__SIZE(T))

#if COVEY_ASSERT_LEVEL >= 2
#define COVEY__SPAN_BEGINS(it) covey__span_begins(it)
#define COVEY__SPAN_ENDS(it) covey__span_ends(it)
#define COVEY__ROW_BEGINS(it, row) covey__row_begins((it), (row))
#define COVEY__ROW_ENDS(it, row) covey__row_ends((it), (row))
#else
#define COVEY__SPAN_BEGINS(it) ((void)0)
#define COVEY__SPAN_ENDS(it) ((void)0)
#define COVEY__ROW_BEGINS(it, row) ((void)0)
#define COVEY__ROW_ENDS(it, row) ((void)0)
#endif

/* Begins with the rows of the next block of the page, if that is scattered. Returns false otherwise. */
COVEY_HOT bool covey__next_scattered(covey_iter *it) {
    uint64_t blocks = it->walk.blocks, next = blocks & (0 - blocks);
    if ((next & it->walk.scattered) == 0 || it->walk.rest != 0) return false;
    uint32_t block = covey__lowest_bit(next);
    it->walk.blocks = blocks ^ next;
    it->block = block;
    it->left = it->matches[block];
    it->count = 1;
    it->walk.columns[0].chunk = it->walk.columns[0].page->chunks[block]; /* most views have one or two: no loop */
    it->walk.columns[1].chunk = it->walk.columns[1].page->chunks[block];
    for (uint32_t i = 2; i < it->walk.view->fields; i++)
        it->walk.columns[i].chunk = it->walk.columns[i].page->chunks[block];
    return true;
}

COVEY_HOT bool covey__next_span(covey_iter *it) {
    uint64_t left = it->left & (it->left - 1);
    uint32_t at = it->at + 1;
    it->left = left;
    if (COVEY__LIKELY(left != 0)) return true;
    if (!COVEY__LIKELY(at < it->stop)) return covey__next_scattered(it) || covey__next_batch(it);
    it->at = at;
    if (it->varies) it->count = it->counts[at];
    return true;
}

COVEY_HOT bool covey_next(covey_iter *it) {
    COVEY__SPAN_ENDS(it);
    if (!covey__next_span(it)) return false;
    COVEY__SPAN_BEGINS(it);
    COVEY__ASSUME(it->count != 0);
    return true;
}

/* The id, or position, of the span's first row. */
COVEY_HOT uint32_t covey__span_row(const covey_iter *it) {
    if (it->left == 0) return it->rows[it->at];
    return it->walk.first + it->block * COVEY__BLOCK_IDS + covey__lowest_bit(it->left);
}

/* Where a field of the spans of a list is. In views with more than a few fields the lists are short, and four share the
 * place of one. */
COVEY_HOT char *const *covey__list_of(const covey_iter *it, uint32_t field) {
    return &it->values[field % COVEY__FEW][field / COVEY__FEW * COVEY__PART];
}

COVEY_HOT void *covey_field_raw(const covey_iter *it, uint32_t field, size_t size) {
    const covey__chunk *chunk = &it->walk.columns[field].chunk;
    if (COVEY__LIKELY(it->left != 0)) return chunk->data + chunk->map[covey__lowest_bit(it->left)] * size;
    return covey__list_of(it, field)[it->at];
}

/* The bit of a row of a span that is a block: the ids of slots lie before the map. */
COVEY_HOT uint32_t covey__slot_bit(const covey_iter *it, uint32_t row) {
    const covey__block_page *page = it->walk.columns[0].page;
    uint32_t block = (it->rows[it->at] - it->walk.first) / COVEY__BLOCK_IDS;
    return (page->chunks[block].map - page->capacity[block])[row];
}

COVEY_INLINE covey_entity covey_span_entity(const covey_iter *it, uint32_t row) {
    uint32_t first = covey__span_row(it);
    if (it->walk.array) return it->walk.array[first + row];
    uint32_t index = first + (it->left == 0 && it->slotted ? covey__slot_bit(it, row) : row);
    return covey__entity(index, covey__generation_of(it->walk.view->world, index));
}

COVEY_HOT void covey__row_knows(const covey_iter *it, covey_row *row, uint32_t block, uint32_t field) {
    const covey__chunk *chunk = &it->walk.columns[field].page->chunks[block];
    row->chunks[field].data = chunk->data;
    row->chunks[field].map = chunk->map;
}

/* The first row of the next block with matches. */
COVEY_HOT bool covey__next_row_of_blocks(covey_iter *it, covey_row *row) {
    row->blocks &= row->blocks - 1;
    if (row->blocks == 0) row->blocks = covey__next_row_page(it);
    if (row->blocks == 0) return false;
    uint32_t block = covey__lowest_bit(row->blocks);
    row->left = it->matches[block];
    row->now = &it->walk.view->world->moves;
    row->moves = *row->now;
    covey__row_knows(it, row, block, 0); /* those that no field asks for vanish; a loop would not */
    covey__row_knows(it, row, block, 1);
    covey__row_knows(it, row, block, 2);
    covey__row_knows(it, row, block, 3);
    return true;
}

/* The next row of a list, or of another one, if there is none, or values have moved since the rows were listed. */
COVEY_HOT bool covey__next_row_of_list(covey_iter *it, covey_row *row) {
    uint32_t at = it->at + 1;
    bool stays = row->now && row->moves == *row->now;
    if (COVEY__LIKELY(stays && at < it->stop)) {
        it->at = at;
        return true;
    }
    if (!covey__next_rows(it, row->now && !stays)) return false;
    row->now = it->walk.shifts;
    bool known = it->walk.mode < COVEY__MODE_IDS && it->walk.ticked == 0; /* fields are listed, and none is missing */
    row->moves = known ? *row->now : ~*row->now;
    return true;
}

COVEY_HOT bool covey_next_row(covey_iter *it, covey_row *row) {
    COVEY__ROW_ENDS(it, *row);
    row->left &= row->left - 1;
    if (!COVEY__LIKELY(row->left != 0)) {
        bool blocks = it->walk.mode == COVEY__MODE_BLOCKS;
        if (!(blocks ? covey__next_row_of_blocks(it, row) : covey__next_row_of_list(it, row))) {
            row->now = NULL; /* no row is there */
            return false;
        }
    }
    COVEY__ROW_BEGINS(it, *row);
    return true;
}

COVEY_HOT uint32_t covey__row_index(const covey_iter *it, covey_row row) {
    if (it->walk.mode != COVEY__MODE_BLOCKS) return it->ids[it->at];
    return it->walk.first + covey__lowest_bit(row.blocks) * COVEY__BLOCK_IDS + covey__lowest_bit(row.left);
}

COVEY_INLINE covey_entity covey_row_entity(const covey_iter *it, covey_row row) {
    uint32_t index = covey__row_index(it, row);
    return covey__entity(index, covey__generation_of(it->walk.view->world, index));
}

/* Values that may have moved since they were found, and those of which a change is to be noted, are looked up. */
COVEY_HOT void *covey_row_field_raw(const covey_iter *it, covey_row row, uint32_t field, size_t size) {
    bool stays = row.moves == *row.now;
    if (COVEY__LIKELY(stays && field < COVEY__ROW_CHUNKS && row.left != 0))
        return row.chunks[field].data + row.chunks[field].map[covey__lowest_bit(row.left)] * size;
    if (stays && row.left == 0) return covey__list_of(it, field)[it->at];
    return covey__row_value(it, covey__row_index(it, row), field);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_H */
