/* Component types: the rules that a description must follow; a table from the address of a descriptor to its pool, and
 * a tree of names behind it; copies of descriptions for types that are made at run time. */
#include "storage/type.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/balanced.h"
#include "storage/fields.h"
#include "memory/hash.h"
#include "storage/unknown.h"
#include "memory/result.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"

#include <covey/fields.h>
#include <covey/image.h>
#include <stdalign.h>

/* ---- Rules -------------------------------------------------------------------------------------------------------*/

/* A rule has a text that follows the name of the type: what is wrong, and what to do instead. */

static bool names_policy(const covey_type *type) { return type->policy != COVEY_SWAP_AND_POP; }

bool covey__type_is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }

static const char *name_fault(const covey_type *type) {
    if (!type->name || !type->name[0]) return "has no name: set .name";
    if (covey__type_is_internal(type)) return "has a name that begins with covey., which is reserved: choose another";
    return NULL;
}

static const char *layout_fault(const covey_type *type) {
    size_t align = covey__type_align(type);
    if ((align & (align - 1)) != 0 || align > COVEY__ALIGN_MAX)
        return "has an .align that is no power of two up to 64: use alignof";
    if (type->size % align != 0)
        return "has a .size that is no multiple of its .align: use sizeof and alignof of one struct";
    return NULL;
}

static const char *storage_fault(const covey_type *type) {
    bool asks = type->storage != COVEY_STORAGE_DEFAULT;
    if ((uint32_t)type->policy > COVEY_ORDERED) return "has an unknown .policy: use a value of covey_policy";
    if (asks && !covey__storage_exists(type->storage)) return "has an unknown .storage: use a value of covey_storage";
    if (asks && names_policy(type) && !covey__is_packed_in(type->storage))
        return "has a .policy, which needs a sparse set: leave it out, or say .storage = COVEY_STORAGE_SPARSE";
    if (type->compact_above > 100) return "has a .compact_above over 100: it is a percentage";
    return NULL;
}

static const char *tag_fault(const covey_type *type) {
    if (type->drop || type->copy || type->move) return "is a tag and has .drop, .copy or .move: leave hooks out";
    if (type->zero_erased) return "is a tag and has .zero_erased: leave it out, there are no bytes";
    if (type->as_bytes) return "is a tag and has .as_bytes: leave it out, there are no bytes";
    if (type->codec) return "is a tag and has a .codec: leave it out, there is no value";
    if (type->defaults) return "is a tag and has .defaults: leave them out, there is no value";
    return NULL;
}

static const char *hook_fault(const covey_type *type) {
    if (type->move && type->size > COVEY_MOVE_MAX)
        return "has a .move hook and more than COVEY_MOVE_MAX bytes: keep a large value behind a pointer";
    if (type->defaults && (type->drop || type->move) && !type->copy)
        return "has .defaults and .drop or .move, but no .copy: add the hook that copies the default";
    return NULL;
}

/* What images would make of a value. */
static const char *image_fault(const covey_type *type) {
    if (type->as_bytes && (type->drop || type->copy || type->move))
        return "has .as_bytes and a hook, but its bytes are not all of its value: use .codec instead of .as_bytes";
    if (type->as_bytes && type->fields) return "has .as_bytes and .fields: set one of them";
    if (type->as_bytes && type->codec) return "has .as_bytes and a .codec: set one of them";
    if (type->codec && (!type->codec->save || !type->codec->load))
        return "has a .codec without .save or .load: set both";
    return type->fields ? covey__fields_fault(type->fields, type->size) : NULL;
}

const char *covey__type_fault(const covey_type *type) {
    const char *fault = name_fault(type);
    if (!fault) fault = layout_fault(type);
    if (!fault) fault = storage_fault(type);
    if (!fault && type->size == 0) fault = tag_fault(type);
    if (!fault) fault = hook_fault(type);
    if (!fault) fault = image_fault(type);
    return fault;
}

covey_result covey__fail_type(covey_world *world, const covey_type *type) {
    return covey__fail(world, COVEY_ERROR_TYPE, "type %s is refused: it %s", type->name ? type->name : "(no name)",
                       covey__type_fault(type));
}

covey_storage covey__type_storage(const covey_type *type) {
    return covey__storage_asked_for(type, names_policy(type) ? COVEY_STORAGE_DEFAULT : type->storage);
}

/* ---- Pools by type -----------------------------------------------------------------------------------------------*/

bool covey__type_same_layout(const covey_type *a, const covey_type *b) {
    return a->size == b->size && covey__type_align(a) == covey__type_align(b) &&
           covey__type_storage(a) == covey__type_storage(b) && a->policy == b->policy &&
           a->zero_erased == b->zero_erased && a->no_copy == b->no_copy && a->ticks == b->ticks &&
           !a->drop == !b->drop && !a->copy == !b->copy && !a->move == !b->move && a->as_bytes == b->as_bytes &&
           a->transient == b->transient && !a->codec == !b->codec && covey__fields_same(a->fields, b->fields);
}

bool covey__type_can_copy(const covey_type *type) {
    return !type->no_copy && ((!type->drop && !type->move) || type->copy);
}

/* Less than, equal to or greater than 0. */
static int compare_names(uint64_t hash, const char *name, const covey_pool *pool) {
    if (hash != pool->name_hash) return hash < pool->name_hash ? -1 : 1;
    return strcmp(name, pool->type->name);
}

static covey__links *pool_links(const void *world, uint32_t number) {
    return &((const covey_world *)world)->pools[number]->links;
}

static bool is_pool_before(const void *context, uint32_t a, uint32_t b) {
    const covey_world *world = context;
    return compare_names(world->pools[a]->name_hash, world->pools[a]->type->name, world->pools[b]) < 0;
}

void covey__pool_name(covey_world *world, uint32_t number) {
    covey__tree tree = { pool_links, is_pool_before, world };
    world->inner->pool_root = covey__tree_put(&tree, world->inner->pool_root, number);
}

covey_pool *covey__pool_named(const covey_world *world, const char *name) {
    uint64_t hash = covey__hash(name, strlen(name), 0);
    for (uint32_t at = world->inner->pool_root; at != COVEY__NO_NODE;) {
        covey_pool *pool = world->pools[at];
        int order = compare_names(hash, name, pool);
        if (order == 0) return pool;
        at = order < 0 ? pool->links.left : pool->links.right;
    }
    return NULL;
}

/* The pool that is bound to this address, or NULL. */
covey_pool *covey__pool_bound(const covey_world *world, const covey_type *type) {
    const covey__type_entry *end = world->types + world->type_mask + 1;
    for (const covey__type_entry *entry = covey__type_entry_of(world, type); entry->type;) {
        if (entry->type == type) return entry->pool;
        if (++entry == end) entry = world->types;
    }
    return NULL;
}

/* Words that several readers may write at the same time, each of them as a whole. */
#if defined(__GNUC__)
#define READ_WORD(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define WRITE_WORD(word, value) __atomic_store_n(&(word), (value), __ATOMIC_RELAXED)
#else
#define READ_WORD(word) (*(const char *const volatile *)&(word))
#define WRITE_WORD(word, value) (*(const char *volatile *)&(word) = (value))
#endif

/* The entry that remembers that no pool has the name of a type. The list is at a fixed distance from the world, which
 * saves a load. */
static const char **unknown_of(const covey_world *world, const covey_type *type) {
    uint32_t at = covey__type_hash(world, type) & (COVEY__UNKNOWN - 1);
    covey__whole_world *whole = (covey__whole_world *)(uintptr_t)world;
    return &whole->inner.unknown[at];
}

static inline bool is_unknown(const covey_world *world, const covey_type *type) {
    return READ_WORD(*unknown_of(world, type)) == type->name;
}

void covey__types_met(covey_world *world) { memset(world->inner->unknown, 0, sizeof world->inner->unknown); }

covey_pool *covey__pool_like(const covey_world *world, const covey_type *type) {
    covey_pool *pool = type->name ? covey__pool_named(world, type->name) : NULL;
    return pool && covey__type_same_layout(pool->type, type) ? pool : NULL;
}

static COVEY__NOINLINE covey_pool *search(const covey_world *world, const covey_type *type) {
    covey_pool *pool = covey__pool_bound(world, type);
    if (pool || !type->name) return pool;
    if (!covey__pool_named(world, type->name)) WRITE_WORD(*unknown_of(world, type), type->name);
    return covey__pool_like(world, type);
}

covey_pool *covey__pool_search(const covey_world *world, const covey_type *type) {
    return is_unknown(world, type) ? NULL : search(world, type);
}

/* Out of line, so that the answer for a type that is unknown needs no registers to be saved. */
static COVEY__NOINLINE void *search_and_get(const covey_world *world, covey__slot handle, const covey_type *type) {
    const covey_pool *pool = search(world, type);
    return pool ? covey__pool_get(pool, covey__entity_of(handle), pool->size) : NULL;
}

static COVEY__NOINLINE bool search_and_has(const covey_world *world, covey__slot handle, const covey_type *type) {
    const covey_pool *pool = search(world, type);
    return pool && covey_pool_has(pool, covey__entity_of(handle));
}

void *covey__get_slowly(const covey_world *world, covey__slot handle, const covey_type *type) {
    return is_unknown(world, type) ? NULL : search_and_get(world, handle, type);
}

bool covey__has_slowly(const covey_world *world, covey__slot handle, const covey_type *type) {
    return is_unknown(world, type) ? false : search_and_has(world, handle, type);
}

/* The pool of entries without a type. Nothing is ever found in it, and it is never written. */
static const covey_pool no_pool;

static void clear_entries(covey__type_entry *entries, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) entries[i] = (covey__type_entry){ NULL, (covey_pool *)(uintptr_t)&no_pool };
}

static void put(covey_world *world, covey__type_entry entry) {
    covey__type_entry *at = covey__type_entry_of(world, entry.type), *end = world->types + world->type_mask + 1;
    while (at->type)
        if (++at == end) at = world->types;
    *at = entry;
}

/* Makes room for one more entry, so that the table stays at most a quarter full. */
bool covey__type_reserve(covey_world *world) {
    uint32_t old_size = world->types ? world->type_mask + 1 : 0, size = old_size ? old_size * 2 : 4;
    if ((world->inner->type_count + 1) * 4 <= old_size) return true;
    covey__type_entry *old = world->types;
    covey__type_entry *types =
        covey__resize(&world->inner->heap, NULL, 0, size, sizeof *types, alignof(covey__type_entry));
    if (!types) return false;
    clear_entries(types, size);
    world->types = types;
    world->type_mask = size - 1;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].type) put(world, old[i]);
    covey__free(&world->inner->heap, old, old_size, sizeof *types, alignof(covey__type_entry));
    return true;
}

static uint32_t misplaced(const covey_world *world) {
    uint32_t count = 0;
    for (uint32_t i = 0; i <= world->type_mask; i++)
        count += world->types[i].type && covey__type_entry_of(world, world->types[i].type) != &world->types[i];
    return count;
}

/* Searches a multiplier with which every type is at the first entry of its search, where inline code looks. With a few
 * dozen types there nearly always is one; with more, the search is not worth the time, and some types take the slow
 * path. */
static void spread(covey_world *world) {
    covey__type_entry entries[48];
    uint32_t count = 0;
    if (world->inner->type_count > sizeof entries / sizeof *entries || misplaced(world) == 0) return;
    for (uint32_t i = 0; i <= world->type_mask; i++)
        if (world->types[i].type) entries[count++] = world->types[i];
    for (int attempt = 0; attempt < 100 && misplaced(world) != 0; attempt++) {
        world->type_multiplier = (world->type_multiplier * UINT64_C(6364136223846793005) + 1442695040888963408) | 1;
        clear_entries(world->types, world->type_mask + 1);
        for (uint32_t i = 0; i < count; i++) put(world, entries[i]);
    }
}

void covey__type_bind(covey_world *world, const covey_type *type, covey_pool *pool) {
    put(world, (covey__type_entry){ type, pool });
    world->inner->type_count++;
    spread(world);
}

/* ---- Types that are made at run time -----------------------------------------------------------------------------*/

/* The copy of a description. Its fields, its default value and its name follow it. */
struct covey__made_type {
    covey__links links; /* in the tree of these types, by name */
    covey_type type;
    covey__unknown_context unknown;
    size_t bytes;
    max_align_t behind[];
};

/* All copies, in the order of creation. Several may have the same name, with different layouts. */
struct covey__made_types {
    uint32_t count, capacity, root;
    struct covey__made_type *at[];
};

static size_t list_bytes(const struct covey__made_types *list) {
    return list ? sizeof *list + list->capacity * sizeof *list->at : 0;
}

void covey__types_free(covey_world *world) {
    struct covey__made_types *list = world->inner->made_types;
    for (uint32_t i = 0; list && i < list->count; i++)
        covey__free(&world->inner->heap, list->at[i], 1, list->at[i]->bytes, alignof(struct covey__made_type));
    covey__free(&world->inner->heap, list, list_bytes(list), 1, alignof(struct covey__made_types));
    uint32_t size = world->types ? world->type_mask + 1 : 0;
    covey__free(&world->inner->heap, world->types, size, sizeof *world->types, alignof(covey__type_entry));
}

size_t covey__made_type_bytes(const covey_world *world) {
    const struct covey__made_types *list = world->inner->made_types;
    size_t bytes = list_bytes(list);
    for (uint32_t i = 0; list && i < list->count; i++) bytes += list->at[i]->bytes;
    return bytes;
}

/* Room for one more in the list; false when memory is out. */
static bool reserve_made(covey_world *world) {
    struct covey__made_types *list = world->inner->made_types;
    uint32_t count = list ? list->count : 0, root = list ? list->root : COVEY__NO_NODE;
    if (list && count < list->capacity) return true;
    uint32_t capacity = covey__grown(list ? list->capacity : 0, count + 1, UINT32_MAX);
    size_t bytes = sizeof *list + capacity * sizeof *list->at;
    list = covey__resize(&world->inner->heap, list, list_bytes(list), bytes, 1, alignof(struct covey__made_types));
    if (!list) return false;
    list->count = count;
    list->capacity = capacity;
    list->root = root;
    world->inner->made_types = list;
    return true;
}

static covey__links *made_links(const void *list, uint32_t number) {
    return &((const struct covey__made_types *)list)->at[number]->links;
}

static bool is_made_before(const void *context, uint32_t a, uint32_t b) {
    const struct covey__made_types *list = context;
    int order = strcmp(list->at[a]->type.name, list->at[b]->type.name);
    return order != 0 ? order < 0 : a < b;
}

typedef bool match_fn(const covey_type *made, const covey_type *type);

/* A type of the same name that matches, among those below a node; or NULL. */
static const covey_type *find_made(const struct covey__made_types *list, uint32_t at, const covey_type *type,
                                   match_fn *matches) {
    while (at != COVEY__NO_NODE) {
        const struct covey__made_type *made = list->at[at];
        int order = strcmp(type->name, made->type.name);
        if (order == 0 && matches(&made->type, type)) return &made->type;
        const covey_type *found = order == 0 ? find_made(list, made->links.left, type, matches) : NULL;
        if (found) return found;
        at = order < 0 ? made->links.left : made->links.right;
    }
    return NULL;
}

static const covey_type *made_like(const covey_world *world, const covey_type *type, match_fn *matches) {
    const struct covey__made_types *list = world->inner->made_types;
    return list ? find_made(list, list->root, type, matches) : NULL;
}

static bool is_itself(const covey_type *made, const covey_type *type) { return made == type; }

bool covey__type_is_made(const covey_world *world, const covey_type *type) {
    return made_like(world, type, is_itself) != NULL;
}

/* Whether there are fields to be copied: a description that contradicts itself is refused when its pool is made. */
static bool has_sound_fields(const covey_type *type) {
    return type->fields && !covey__fields_fault(type->fields, type->size);
}

enum { DEFAULT_ALIGN = 64 }; /* copy hooks read the default as a value of its type */

static char *aligned(char *at) { return at + (DEFAULT_ALIGN - (uintptr_t)at % DEFAULT_ALIGN) % DEFAULT_ALIGN; }

struct covey__made_type *covey__type_copy(covey_world *world, const covey_type *description) {
    size_t length = description->name ? strlen(description->name) + 1 : 1;
    size_t fields = has_sound_fields(description) ? covey__fields_bytes(description->fields) : 0;
    size_t defaults = description->defaults ? description->size : 0, slack = defaults != 0 ? DEFAULT_ALIGN : 0;
    size_t bytes = sizeof(struct covey__made_type) + fields + defaults + slack + length;
    struct covey__made_type *made = NULL;
    if (reserve_made(world))
        made = covey__resize(&world->inner->heap, NULL, 0, 1, bytes, alignof(struct covey__made_type));
    if (!made) {
        covey__fail(world, COVEY_ERROR_MEMORY, "a type could not be created: an allocation failed");
        return NULL;
    }
    *made = (struct covey__made_type){ .bytes = bytes };
    made->type = *description;
    char *behind = (char *)made->behind;
    if (fields != 0) made->type.fields = covey__fields_copy(description->fields, behind);
    if (defaults != 0) made->type.defaults = memcpy(aligned(behind + fields), description->defaults, defaults);
    if (description->name) made->type.name = memcpy(behind + fields + defaults + slack, description->name, length);
    made->unknown = (covey__unknown_context){ world, description->size };
    if (covey__is_unknown(description)) made->type.context = &made->unknown;
    return made;
}

const covey_type *covey__type_of_copy(const struct covey__made_type *made) { return &made->type; }

const covey_type *covey__type_kept(covey_world *world, struct covey__made_type *made) {
    struct covey__made_types *list = world->inner->made_types;
    covey__tree tree = { made_links, is_made_before, list };
    list->at[list->count] = made;
    list->root = covey__tree_put(&tree, list->root, list->count++);
    return &made->type;
}

void covey__type_copy_free(covey_world *world, struct covey__made_type *made) {
    covey__free(&world->inner->heap, made, 1, made->bytes, alignof(struct covey__made_type));
}

const covey_type *covey__type_keep(covey_world *world, const covey_type *description) {
    const covey_pool *pool = covey__pool_like(world, description);
    if (pool) return pool->type;
    const covey_type *known = made_like(world, description, covey__type_same_layout);
    if (known) return known;
    struct covey__made_type *made = covey__type_copy(world, description);
    return made ? covey__type_kept(world, made) : NULL;
}

const covey_type *covey_type_find(const covey_world *world, const char *name) {
    COVEY__CONTRACT(NULL, world && name, "a call needs a world and a name");
    const covey_pool *pool = covey__pool_named(world, name);
    return pool ? pool->type : NULL;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool is_pool(const void *world, uint32_t number) { return number < ((const covey_world *)world)->pool_count; }

static bool is_made(const void *list, uint32_t number) {
    return number < ((const struct covey__made_types *)list)->count;
}

/* Both trees have all that they should, in order. */
static bool valid_names(const covey_world *world, const char **why) {
    const struct covey__made_types *list = world->inner->made_types;
    covey__tree pools = { pool_links, is_pool_before, world }, made = { made_links, is_made_before, list };
    uint32_t count = 0, made_count = 0;
    REQUIRE(covey__tree_valid(&pools, world->inner->pool_root, is_pool, world->pool_count, &count) &&
                count == world->pool_count,
            "types: the names of pools are out of order");
    REQUIRE(!list || (covey__tree_valid(&made, list->root, is_made, list->count, &made_count) &&
                      made_count == list->count && list->count <= list->capacity),
            "types: the names of types made at run time are out of order");
    return true;
}

bool covey__types_valid(const covey_world *world, const char **why) {
    uint32_t bound = 0;
    for (uint32_t i = 0; i <= world->type_mask; i++) {
        const covey__type_entry *entry = &world->types[i];
        if (!entry->type) continue;
        bound++;
        REQUIRE(covey__pool_bound(world, entry->type) == entry->pool, "types: a type that is not found");
        REQUIRE(covey__pool_named(world, entry->type->name) == entry->pool,
                "types: a type with another name than its pool");
        REQUIRE(covey__type_same_layout(entry->type, entry->pool->type),
                "types: a type with another layout than its pool");
    }
    REQUIRE(bound == world->inner->type_count, "types: their number is not what was counted");
    REQUIRE(bound >= world->pool_count && bound * 4 <= world->type_mask + 1, "types: the table is too full");
    return valid_names(world, why);
}
