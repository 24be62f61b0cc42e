/* Names: a value for each named entity, in an internal pool, and a table of buckets that finds it by parent and text.
 * Each bucket is a balanced tree: usually of one or two names, and O(log n) deep even if texts were chosen to have
 * equal hashes. */
#include "tree/name.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/balanced.h"
#include "change/change.h"
#include "memory/hash.h"
#include "tree/node.h"
#include "change/pool.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/storage.h"

#include <covey/hierarchy.h>
#include <limits.h>
#include <stdalign.h>
#include <stdio.h>

enum { LENGTH_MAX = 65535, FEWEST_BUCKETS = 8 };

static const covey_entity null_entity = { 0, 0 };

static covey__name *name_of(const covey_world *world, uint32_t index) {
    const covey_pool *pool = world->inner->names ? world->inner->names->pool : NULL;
    return covey__has_index(pool, index) ? covey__value_of_index(pool, index) : NULL;
}

const covey__name *covey__name_of(const covey_world *world, uint32_t index) { return name_of(world, index); }

/* ---- The table ---------------------------------------------------------------------------------------------------*/

static uint32_t hash_of(uint32_t parent, const char *text, size_t length) {
    uint64_t hash = covey__hash(text, length, parent * UINT64_C(0x9E3779B97F4A7C15));
    return (uint32_t)(hash ^ hash >> 32);
}

static uint32_t *bucket_of(const covey__names *names, uint32_t hash) {
    return &names->buckets[hash & (names->bucket_count - 1)];
}

/* The key of a name. It is stored in the name, so that the name is found even while its entity changes parents. */
typedef struct key {
    uint32_t hash, parent;
    size_t length;
    const char *text;
} key;

static key make_key(uint32_t parent, const char *text, size_t length) {
    return (key){ hash_of(parent, text, length), parent, length, text };
}

static key key_of(const covey__name *name) {
    return (key){ name->hash, name->parent, covey__name_length(name), name->text };
}

/* Less than, equal to or greater than 0. */
static int compare(const key *k, const covey__name *name) {
    if (k->hash != name->hash) return k->hash < name->hash ? -1 : 1;
    if (k->parent != name->parent) return k->parent < name->parent ? -1 : 1;
    if (k->length != covey__name_length(name)) return k->length < covey__name_length(name) ? -1 : 1;
    return memcmp(k->text, name->text, k->length);
}

/* The name of an index that has one. */
static inline covey__name *name_at(const covey_world *world, uint32_t index) {
    return covey__value_of_index(world->inner->names->pool, index);
}

static covey__links *name_links(const void *world, uint32_t index) { return &name_at(world, index)->links; }

/* Siblings may have the same name temporarily: then their indices decide. */
static bool is_name_before(const void *world, uint32_t a, uint32_t b) {
    key k = key_of(name_at(world, a));
    int order = compare(&k, name_at(world, b));
    return order != 0 ? order < 0 : a < b;
}

static covey__tree tree_of(const covey_world *world) { return (covey__tree){ name_links, is_name_before, world }; }

static void put_in_bucket(const covey_world *world, const covey__name *name) {
    uint32_t *bucket = bucket_of(world->inner->names, name->hash);
    covey__tree tree = tree_of(world);
    *bucket = covey__tree_put(&tree, *bucket, name->self);
}

static void erase_from_bucket(const covey_world *world, const covey__name *name) {
    uint32_t *bucket = bucket_of(world->inner->names, name->hash);
    covey__tree tree = tree_of(world);
    *bucket = covey__tree_take(&tree, *bucket, name->self);
}

/* The index of an entity with this key that is not `except`; or COVEY_NONE. Skips entities that are being destroyed. */
static uint32_t search_bucket(const covey_world *world, uint32_t at, const key *k, uint32_t except) {
    while (at != COVEY__NO_NODE) {
        const covey__name *name = name_at(world, at);
        int order = compare(k, name);
        if (order == 0 && at != except && !covey_is_null(covey__handle_of(world, at))) return at;
        uint32_t found = order == 0 ? search_bucket(world, name->links.left, k, except) : COVEY_NONE;
        if (found != COVEY_NONE) return found;
        at = order < 0 ? name->links.left : name->links.right;
    }
    return COVEY_NONE;
}

static uint32_t find_key(const covey_world *world, const key *k, uint32_t except) {
    if (!world->inner->names || world->inner->names->bucket_count == 0) return COVEY_NONE;
    return search_bucket(world, *bucket_of(world->inner->names, k->hash), k, except);
}

/* The index of the child with this name that is not `except`; or COVEY_NONE. */
static uint32_t find_child(const covey_world *world, uint32_t parent, const char *text, size_t length,
                           uint32_t except) {
    key k = make_key(parent, text, length);
    return find_key(world, &k, except);
}

/* Moves all names to another table. False when an allocation fails. */
static bool rehash(covey_world *world, uint32_t bucket_count) {
    covey__names *names = world->inner->names;
    uint32_t *old = names->buckets, old_count = names->bucket_count;
    uint32_t *buckets = covey__resize(&world->inner->heap, NULL, 0, bucket_count, sizeof *buckets, alignof(uint32_t));
    if (!buckets && bucket_count != 0) return false;
    for (uint32_t i = 0; i < bucket_count; i++) buckets[i] = COVEY__NO_NODE;
    names->buckets = buckets;
    names->bucket_count = bucket_count;
    const covey_pool *pool = names->pool;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        put_in_bucket(world, covey_pool_value_at_raw(pool, at));
    covey__free(&world->inner->heap, old, old_count, sizeof *old, alignof(uint32_t));
    return true;
}

/* Buckets for so many names: a power of two, and at most half are more than there are names. */
static uint32_t buckets_for(uint32_t count) {
    uint32_t buckets = FEWEST_BUCKETS;
    while (buckets < count && buckets <= UINT32_MAX / 2) buckets *= 2;
    return count != 0 ? buckets : 0;
}

bool covey__names_room(covey_world *world, uint32_t count) {
    uint32_t wanted = buckets_for(count);
    return wanted <= world->inner->names->bucket_count || rehash(world, wanted);
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

void covey__name_text_free(covey_world *world, char *text, uint32_t length) {
    covey__free(&world->inner->heap, text, (size_t)length + 1, 1, 1);
}

char *covey__name_text(covey_world *world, const char *text, uint32_t length) {
    char *copy = covey__resize(&world->inner->heap, NULL, 0, (size_t)length + 1, 1, 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

static void drop_name(void *value, void *context) {
    const covey__name *name = value;
    erase_from_bucket(context, name);
    covey__name_text_free(context, name->text, covey__name_length(name));
}

/* Fails with the result of creating the pool, which was reported. */
static bool make_name_pool(covey_world *world) {
    covey_type description = {
        .name = "covey.name",
        .size = sizeof(covey__name),
        .align = alignof(covey__name),
        .drop = drop_name,
        .context = world,
    };
    const covey_type *type = covey__type_make_internal(world, &description);
    if (type) world->inner->names->pool = covey__pool_of_internal(world, type);
    return type != NULL;
}

/* The pool is empty. */
static void end_names(covey_world *world) {
    covey__names *names = world->inner->names;
    if (!names) return;
    covey__free(&world->inner->heap, names->buckets, names->bucket_count, sizeof *names->buckets, alignof(uint32_t));
    covey__free(&world->inner->heap, names, 1, sizeof *names, alignof(covey__names));
}

static void shrink_names(covey_world *world) {
    if (!world->inner->names || !world->inner->names->pool) return;
    uint32_t wanted = buckets_for(covey_pool_count(world->inner->names->pool));
    if (wanted < world->inner->names->bucket_count) rehash(world, wanted);
}

static const covey__feature names_feature = { .end = end_names, .shrink = shrink_names };

bool covey__names_open(covey_world *world) {
    if (!world->inner->names) {
        world->inner->names =
            covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *world->inner->names, alignof(covey__names));
        if (!world->inner->names)
            return covey__fail(world, COVEY_ERROR_MEMORY, "no entity can be named: an allocation failed"), false;
        *world->inner->names = (covey__names){ 0 };
        world->inner->features[COVEY__NAMES] = &names_feature;
    }
    return world->inner->names->pool || make_name_pool(world);
}

size_t covey__names_bytes(const covey_world *world) {
    const covey__names *names = world->inner->names;
    if (!names) return 0;
    size_t bytes = sizeof *names + names->bucket_count * sizeof *names->buckets;
    for (uint32_t at = 0; names->pool && (at = covey_pool_next(names->pool, at)) != COVEY_NONE; at++)
        bytes += covey__name_length(covey_pool_value_at_raw(names->pool, at)) + 1u;
    return bytes;
}

/* ---- What the hierarchy asks for ---------------------------------------------------------------------------------*/

bool covey__name_clashes(const covey_world *world, uint32_t index, uint32_t parent) {
    const covey__name *name = name_of(world, index);
    return name && find_child(world, parent, name->text, covey__name_length(name), index) != COVEY_NONE;
}

/* Inserts a name by its parent and text. */
static void file(const covey_world *world, covey__name *name, uint32_t parent, uint32_t hash) {
    name->parent = parent;
    name->hash = hash;
    put_in_bucket(world, name);
}

static void file_again(const covey_world *world, covey__name *name) {
    uint32_t parent = covey__parent_of(world, name->self);
    file(world, name, parent, hash_of(parent, name->text, covey__name_length(name)));
}

void covey__name_moved(covey_world *world, uint32_t index) {
    covey__name *name = name_of(world, index);
    if (!name) return;
    erase_from_bucket(world, name);
    file_again(world, name);
}

void covey__name_remove(covey_world *world, uint32_t index) {
    covey_entity e = covey__entity(index, covey__generation_of(world, index));
    if (world->inner->names && world->inner->names->pool)
        covey__pool_remove(world->inner->names->pool, e, sizeof(covey__name));
}

/* ---- Naming ------------------------------------------------------------------------------------------------------*/

static const char *why_no_name(covey_result result) {
    if (result == COVEY_ERROR_RANGE) return "a name must not begin with #, have a / in it, be .. or be too long";
    if (result == COVEY_ERROR_PRESENT) return "a sibling has this name: choose another";
    return covey__reason(result);
}

static covey_result refuse_name(covey_world *world, covey_entity e, const char *name, covey_result result) {
    return covey__fail(world, result, "%u:%u could not be named %.80s: %s", e.index, e.generation, name,
                       why_no_name(result));
}

/* Whether a text can be a name: paths must not give it another meaning. */
static bool may_be_name(const char *text, size_t length) {
    return length <= LENGTH_MAX && text[0] != '#' && !strchr(text, '/') && strcmp(text, "..") != 0;
}

/* Makes room for one more name, and copies the text. NULL when an allocation fails. */
static char *reserve_name(covey_world *world, const key *k) {
    if (!covey__names_room(world, covey_pool_count(world->inner->names->pool) + 1)) return NULL;
    return covey__name_text(world, k->text, (uint32_t)k->length);
}

/* Owns the copy if it succeeds. */
static bool give(covey_world *world, covey_entity e, char *copy, const key *k) {
    covey__name *name = name_of(world, e.index), fresh = { .text = copy, .self = e.index };
    fresh.links.note = (uint16_t)k->length;
    if (!name) {
        if (covey__pool_put(world->inner->names->pool, e, &fresh) != COVEY_OK) return false;
        name = name_of(world, e.index);
    } else {
        drop_name(name, world);
        *name = fresh;
    }
    file(world, name, k->parent, k->hash);
    return true;
}

static covey_result put_key(covey_world *world, covey_entity e, const key *k) {
    if (!covey__names_open(world)) return world->inner->result;
    char *copy = reserve_name(world, k);
    if (copy && give(world, e, copy, k)) return COVEY_OK;
    if (copy) covey__name_text_free(world, copy, (uint32_t)k->length);
    return refuse_name(world, e, k->text, COVEY_ERROR_MEMORY);
}

covey_result covey__name_put(covey_world *world, covey_entity e, const char *text, uint32_t length) {
    key k = make_key(covey__parent_of(world, e.index), text, length);
    return put_key(world, e, &k);
}

void covey__name_exchange(covey_world *world, uint32_t index, char **text, uint32_t *length) {
    covey__name *name = name_of(world, index), before = *name;
    erase_from_bucket(world, name);
    name->text = *text;
    name->links.note = (uint16_t)*length;
    file_again(world, name);
    *text = before.text;
    *length = covey__name_length(&before);
}

covey_result covey_name_set(covey_world *world, covey_entity e, const char *name) {
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    size_t length = name ? strlen(name) : 0;
    covey_result result = COVEY_OK;
    uint32_t other = COVEY_NONE;
    key k = { 0 };
    if (!covey__takes_components(world, e)) result = COVEY_ERROR_DEAD;
    else if (length != 0 && !may_be_name(name, length)) result = COVEY_ERROR_RANGE;
    else if (length != 0) {
        k = make_key(covey__parent_of(world, e.index), name, length);
        other = find_key(world, &k, COVEY_NONE);
    }
    if (other != COVEY_NONE && other != e.index) result = COVEY_ERROR_PRESENT;
    if (result != COVEY_OK) return refuse_name(world, e, name ? name : "nothing", result);
    if (length == 0) covey__name_remove(world, e.index);
    else if (other != e.index) result = put_key(world, e, &k);
    COVEY__CHANGED(world);
    return result;
}

const char *covey_name(const covey_world *world, covey_entity e) {
    const covey__name *name = covey_alive(world, e) ? name_of(world, e.index) : NULL;
    return name ? name->text : NULL;
}

bool covey__names_clone(const covey_world *from, covey_world *to) {
    const covey_pool *pool = from->inner->names ? from->inner->names->pool : NULL;
    for (uint32_t at = 0; pool && (at = covey_pool_next(pool, at)) != COVEY_NONE; at++) {
        const covey__name *name = covey_pool_value_at_raw(pool, at);
        if (covey__name_put(to, covey_pool_at(pool, at), name->text, covey__name_length(name)) == COVEY_OK) continue;
        if (to->inner->names && to->inner->names->pool) covey__pool_clear(to->inner->names->pool);
        return false;
    }
    return true;
}

/* ---- All at once -------------------------------------------------------------------------------------------------*/

void covey__names_erase_all(covey_world *world) {
    const covey__names *names = world->inner->names;
    for (uint32_t at = 0; (at = covey_pool_next(names->pool, at)) != COVEY_NONE; at++) {
        const covey__name *name = covey_pool_value_at_raw(names->pool, at);
        covey__name_text_free(world, name->text, covey__name_length(name));
    }
    for (uint32_t i = 0; i < names->bucket_count; i++) names->buckets[i] = COVEY__NO_NODE;
}

void covey__names_recall(covey_world *world) {
    const covey_pool *pool = world->inner->names->pool;
    for (uint32_t at = 0; (at = covey_pool_next(pool, at)) != COVEY_NONE; at++)
        put_in_bucket(world, covey_pool_value_at_raw(pool, at));
}

/* ---- Finding -----------------------------------------------------------------------------------------------------*/

/* The index of a parent, COVEY_NONE for null; false for a stale handle. */
static bool parent_index(const covey_world *world, covey_entity parent, uint32_t *index) {
    *index = covey_is_null(parent) ? COVEY_NONE : parent.index;
    return covey_is_null(parent) || covey_alive(world, parent);
}

covey_entity covey_find_child(const covey_world *world, covey_entity parent, const char *name) {
    uint32_t index;
    COVEY__CONTRACT(NULL, world && name, "a call needs a world and a name");
    if (!parent_index(world, parent, &index)) return null_entity;
    return covey__handle_of(world, find_child(world, index, name, strlen(name), COVEY_NONE));
}

/* Reads a number and the character behind it. False when there is no digit, too many digits, or another character. */
static bool read_number(const char **text, const char *end, char last, uint32_t *number) {
    uint64_t value = 0;
    const char *at = *text;
    for (; at < end && *at >= '0' && *at <= '9' && value <= UINT32_MAX; at++)
        value = value * 10 + (uint64_t)(*at - '0');
    bool ended = last ? at < end && *at == last : at == end;
    if (at == *text || !ended || value > UINT32_MAX) return false;
    *text = at + 1;
    *number = (uint32_t)value;
    return true;
}

/* The child with the path #index:generation. */
static covey_entity find_handle(const covey_world *world, uint32_t parent, const char *text, const char *end) {
    uint32_t index, generation;
    if (!read_number(&text, end, ':', &index) || !read_number(&text, end, '\0', &generation)) return null_entity;
    covey_entity e = covey_entity_make(index, generation);
    return covey_alive(world, e) && covey__parent_of(world, e.index) == parent ? e : null_entity;
}

/* What a part of a path leads to. */
static covey_entity follow_part(const covey_world *world, covey_entity from, const char *text, const char *end) {
    size_t length = (size_t)(end - text);
    uint32_t parent = covey_is_null(from) ? COVEY_NONE : from.index;
    if (length == 2 && memcmp(text, "..", 2) == 0) return covey_parent(world, from);
    if (length != 0 && text[0] == '#') return find_handle(world, parent, text + 1, end);
    return covey__handle_of(world, find_child(world, parent, text, length, COVEY_NONE));
}

covey_entity covey_find_path(const covey_world *world, covey_entity from, const char *path) {
    uint32_t index;
    COVEY__CONTRACT(NULL, world && path, "a call needs a world and a path");
    if (!parent_index(world, from, &index)) return null_entity;
    if (path[0] == '\0') return from;
    for (;;) {
        const char *slash = strchr(path, '/'), *end = slash ? slash : path + strlen(path);
        from = follow_part(world, from, path, end);
        if (!slash || covey_is_null(from)) return from;
        path = slash + 1;
    }
}

/* ---- Paths as text -----------------------------------------------------------------------------------------------*/

/* A text written from its end to its beginning, as far as it fits. */
typedef struct backwards {
    char *text;
    uint64_t room; /* without the zero */
    uint64_t left; /* what is still to come: where the next part ends */
} backwards;

static void prepend(backwards *out, const char *part, size_t length) {
    out->left -= length;
    if (out->left >= out->room) return;
    uint64_t fits = out->room - out->left;
    memcpy(out->text + out->left, part, fits < length ? (size_t)fits : length);
}

typedef struct part {
    char number[32];
    const char *text;
    size_t length;
} part;

static void name_part(const covey_world *world, uint32_t index, part *p) {
    const covey__name *name = name_of(world, index);
    int length = name ? 0 : snprintf(p->number, sizeof p->number, "#%u:%u", index, covey__generation_of(world, index));
    p->text = name ? name->text : p->number;
    p->length = name ? covey__name_length(name) : (size_t)length;
}

static uint64_t path_length(const covey_world *world, uint32_t index) {
    uint64_t length = 0;
    for (uint32_t at = index; at != COVEY_NONE; at = covey__parent_of(world, at)) {
        part p;
        name_part(world, at, &p);
        length += p.length + (at != index);
    }
    return length;
}

int covey_path_print(char *text, size_t size, const covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    uint32_t index = covey_alive(world, e) ? e.index : COVEY_NONE;
    uint64_t length = path_length(world, index);
    backwards out = { text, size != 0 ? size - 1 : 0, length };
    for (uint32_t at = index; at != COVEY_NONE; at = covey__parent_of(world, at)) {
        part p;
        name_part(world, at, &p);
        if (at != index) prepend(&out, "/", 1);
        prepend(&out, p.text, p.length);
    }
    if (size != 0) text[length < out.room ? length : out.room] = '\0';
    return length <= INT_MAX ? (int)length : -1;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool is_named(const void *world, uint32_t index) { return index < COVEY_NONE && name_of(world, index); }

/* Whether the search for a name finds it. */
static bool is_found(const covey_world *world, const covey__name *name) {
    uint32_t at = *bucket_of(world->inner->names, name->hash);
    while (at != name->self && is_named(world, at))
        at = is_name_before(world, name->self, at) ? name_links(world, at)->left : name_links(world, at)->right;
    return at == name->self;
}

/* A name is in the bucket of its hash, and no sibling has it. */
static bool valid_name(const covey_world *world, uint32_t index, const char **why) {
    const covey__name *name = name_of(world, index);
    REQUIRE(name->self == index, "name: it belongs to another entity");
    REQUIRE(name->text[0] != '\0' && strlen(name->text) == covey__name_length(name), "name: its length is wrong");
    REQUIRE(name->parent == covey__parent_of(world, index), "name: its parent is not the parent of the entity");
    REQUIRE(name->hash == hash_of(name->parent, name->text, covey__name_length(name)), "name: its hash is wrong");
    REQUIRE(is_found(world, name), "name: it is not in its bucket");
    REQUIRE(!covey__name_clashes(world, index, name->parent), "name: two siblings have the same name");
    return true;
}

/* Whether the trees of all buckets are in order. */
static bool valid_buckets(const covey_world *world, const char **why) {
    const covey__names *names = world->inner->names;
    covey__tree tree = tree_of(world);
    uint32_t count = covey_pool_count(names->pool), found = 0;
    for (uint32_t i = 0; i < names->bucket_count; i++) {
        uint32_t root = names->buckets[i];
        REQUIRE(root == COVEY__NO_NODE || is_named(world, root), "name: a bucket leads to an entity without a name");
        REQUIRE(covey__tree_valid(&tree, root, is_named, count, &found), "name: a bucket is out of order");
    }
    REQUIRE(found == count, "name: it is not in its bucket");
    return true;
}

bool covey__names_valid(const covey_world *world, const char **why) {
    const covey__names *names = world->inner->names;
    if (!names || !names->pool) return true;
    REQUIRE(strcmp(names->pool->type->name, "covey.name") == 0 && names->pool->type->context == world,
            "name: another pool");
    REQUIRE((names->bucket_count & (names->bucket_count - 1)) == 0 &&
                names->bucket_count >= covey_pool_count(names->pool),
            "name: too few buckets");
    if (!valid_buckets(world, why)) return false;
    for (uint32_t at = covey_pool_next(names->pool, 0); at != COVEY_NONE; at = covey_pool_next(names->pool, at + 1))
        if (!valid_name(world, covey_pool_at(names->pool, at).index, why)) return false;
    return true;
}
