/* Command buffers: commands one after the other in an array of bytes, and ids that are set aside for entities that
 * commands create. covey/commands.h draws the layout. */
#include "change/commands.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/change.h"
#include "change/entity.h"
#include "change/many.h"
#include "storage/hook.h"
#include "memory/result.h"
#include "observe/signal.h"

#include <covey/commands.h>

#include <stdalign.h>

#define LINE 64                       /* the unit in which the bytes grow, and their alignment */
#define LINES_MAX ((uint32_t)1 << 28) /* keeps the number of commands within 32 bits */
#define END sizeof(uint64_t)          /* bytes that mark the end behind the last command */

_Static_assert(alignof(covey_type) > COVEY__RECORD_REMOVE, "the kind fits into the low bits of a type's address");

typedef covey__command command;

/* What follows a call command: the function and, at the next aligned address, the data. */
typedef struct call_head {
    union {
        covey_command_fn *fn;
        uint64_t bytes;
    };
} call_head;

static char *align_address(char *address, size_t align) {
    return address + (align - (uintptr_t)address % align) % align;
}

/* ---- Commands ----------------------------------------------------------------------------------------------------*/

static covey__record_kind command_kind(const command *c) {
    return (covey__record_kind)(c->what <= COVEY__RECORD_CALL ? c->what : c->what & 3);
}

static const covey_type *type_of(const command *c) { return (const covey_type *)(uintptr_t)(c->what & ~(uint64_t)3); }

static bool has_value(covey__record_kind kind) { return kind == COVEY__RECORD_ADD || kind == COVEY__RECORD_SET; }

static size_t value_align(const covey_type *type) { return type->align > 8 ? type->align : 8; }

/* The value of a command that has one; the data of a call. */
static void *value_of(command *c) {
    if (command_kind(c) == COVEY__RECORD_CALL)
        return align_address((char *)(c + 1) + sizeof(call_head), alignof(max_align_t));
    return align_address((char *)(c + 1), value_align(type_of(c)));
}

static size_t bytes_of_call(size_t size) {
    return COVEY__RECORD_BYTES(size + sizeof(call_head) + alignof(max_align_t) - 8);
}

static size_t bytes_of_value(const covey_type *type) {
    return COVEY__RECORD_BYTES((size_t)type->size) + (type->size != 0 ? value_align(type) - 8 : 0);
}

static size_t command_bytes(const command *c) {
    covey__record_kind kind = command_kind(c);
    if (kind == COVEY__RECORD_CALL) return bytes_of_call((size_t)c->bytes);
    return has_value(kind) ? bytes_of_value(type_of(c)) : sizeof *c;
}

/* ---- The bytes ---------------------------------------------------------------------------------------------------*/

static size_t used(const covey_commands *c) { return c->bytes ? (size_t)(c->at - c->bytes) : 0; }

static command *command_at(const covey_commands *c, size_t offset) { return (command *)(void *)(c->bytes + offset); }

/* Reserves this many more bytes. */
static bool reserve_bytes(covey_commands *c, uint64_t more) {
    size_t at = used(c);
    uint64_t wanted = (at + more + END + LINE - 1) / LINE;
    if (wanted > LINES_MAX) return false;
    if (wanted > c->lines) {
        uint32_t lines = covey__grown(c->lines, (uint32_t)wanted, LINES_MAX);
        char *bytes = covey__resize(&c->heap, c->bytes, c->lines, lines, LINE, LINE);
        if (!bytes) return false;
        c->bytes = bytes;
        c->at = bytes + at;
        c->lines = lines;
    }
    c->room = c->bytes + ((size_t)c->lines * LINE - END);
    return true;
}

static void rewind_bytes(covey_commands *c) {
    c->at = c->bytes;
    c->next = 0;
}

/* A busy buffer has no room, so that recording fails and gives a reason. */
static void make_busy(covey_commands *c) {
    const uint64_t end = COVEY__RECORD_END;
    c->busy = true;
    c->room = c->at;
    if (c->bytes) memcpy(c->at, &end, sizeof end);
}

static void make_idle(covey_commands *c) {
    c->busy = false;
    if (c->count == 0) rewind_bytes(c);
    if (c->bytes) c->room = c->bytes + ((size_t)c->lines * LINE - END);
}

/* ---- Recording ---------------------------------------------------------------------------------------------------*/

/* Notes a failed recording. Replaying reports the first one: later ones often fail because of it, such as adds to an
 * entity that could not be created. */
static bool fail_recording(covey_commands *c, covey_result result, const char *because) {
    if (c->lost == 0) {
        c->lost_result = result;
        c->lost_because = because;
    }
    c->lost += c->lost != UINT32_MAX;
    c->result = result;
    return false;
}

static bool fail_for_memory(covey_commands *c) {
    return fail_recording(c, COVEY_ERROR_MEMORY, "an allocation failed: record it again when there is memory");
}

char *covey__record_slowly(covey_commands *c, size_t bytes) {
    if (c->busy)
        fail_recording(c, COVEY_ERROR_REFUSED, "the buffer was being replayed or cleared: use another one meanwhile");
    else if (reserve_bytes(c, bytes)) return c->at;
    else fail_for_memory(c);
    return NULL;
}

bool covey__record_nobody(covey_commands *c) {
    return fail_recording(c, COVEY_ERROR_DEAD,
                          "its handle is null: check which call returned null instead of an entity");
}

/* Buffers move values as bytes. */
bool covey__record_moved(covey_commands *c) {
    return fail_recording(c, COVEY_ERROR_REFUSED, "a hook moves values of its type: record a function that adds one");
}

/* Whether there is, or can be, room for this many more bytes. */
static bool find_room(covey_commands *c, size_t bytes) {
    return COVEY__LIKELY(bytes <= (size_t)(c->room - c->at)) || covey__record_slowly(c, bytes);
}

/* Appends a command without its value. */
static command *append_command(covey_commands *c, uint64_t what, covey_entity e, uint64_t bytes) {
    if (bytes > SIZE_MAX / 2) {
        fail_for_memory(c);
        return NULL;
    }
    if (!find_room(c, (size_t)bytes)) return NULL;
    command *appended = command_at(c, used(c));
    *appended = (command){ .what = what, .entity = e };
    c->at += bytes;
    c->count++;
    return appended;
}

bool covey__record_wide(covey_commands *c, covey_entity e, const covey_type *type, covey__record_kind kind,
                        const void *value) {
    command *appended = append_command(c, (uint64_t)(uintptr_t)type + (uint64_t)kind, e, bytes_of_value(type));
    if (appended) covey__fill(value_of(appended), value, type->size);
    return appended != NULL;
}

bool covey__record_default(covey_commands *c, covey_entity e, const covey_type *type, covey__record_kind kind) {
    uint64_t bytes = bytes_of_value(type);
    command *appended = append_command(c, (uint64_t)(uintptr_t)type + (uint64_t)kind, e, bytes);
    if (!appended) return false;
    if (!type->copy) memcpy(value_of(appended), type->defaults, type->size);
    else if (!covey__copy_value(c->world, type, value_of(appended), type->defaults)) {
        c->at -= bytes;
        c->count--;
        return fail_recording(c, COVEY_ERROR_COPY,
                              "the copy hook of its type refused to copy the default: record a value instead");
    }
    return true;
}

void *covey__record_data(covey_commands *c, covey_command_fn *fn, size_t size) {
    if (size > UINT32_MAX / 2) {
        fail_for_memory(c);
        return NULL;
    }
    command *appended = append_command(c, COVEY__RECORD_CALL, (covey_entity){ 0, 0 }, bytes_of_call(size));
    if (!appended) return NULL;
    appended->bytes = size;
    ((call_head *)(appended + 1))->fn = fn;
    return value_of(appended);
}

bool covey_record_call(covey_commands *c, covey_command_fn *fn, const void *data, size_t size) {
    COVEY__CONTRACT(NULL, c && fn, "a call needs a buffer and a function");
    COVEY__NEEDS_ARRAY(c->world, data, size);
    void *to = covey__record_data(c, fn, size);
    if (to && size != 0) memcpy(to, data, size);
    return to != NULL;
}

/* ---- Ids ---------------------------------------------------------------------------------------------------------*/

static covey_result reach_ids(covey_commands *c, uint64_t count) {
    if (count > COVEY_NONE) return COVEY_ERROR_FULL;
    if (count <= c->id_capacity) return COVEY_OK;
    uint32_t capacity = covey__grown(c->id_capacity, (uint32_t)count, COVEY_NONE);
    covey_entity *ids = covey__resize(&c->heap, c->ids, c->id_capacity, capacity, sizeof *ids, alignof(covey_entity));
    if (!ids) return COVEY_ERROR_MEMORY;
    c->ids = ids;
    c->id_capacity = capacity;
    return COVEY_OK;
}

/* The types that created entities will get; NULL if they are not known, or not by the world yet. */
static const covey__kind_key *types_of(const covey_commands *c, covey__kind_key *key) {
    if (!c->with[0]) return NULL;
    *key = covey__kind_key_none();
    for (uint32_t i = 0; i < COVEY_TERMS && c->with[i]; i++) {
        const covey_pool *pool = covey__pool_known(c->world, c->with[i]);
        if (!pool) return NULL;
        covey__kind_key_add(key, pool);
    }
    return key;
}

/* Sets more ids aside. When the world has no more, keeps those that it got. They count towards a kind only if the call
 * succeeds, because the caller of one that fails may release them. */
static covey_result take_more(covey_commands *c, uint32_t count) {
    covey_result result = reach_ids(c, (uint64_t)c->id_count + count);
    if (result != COVEY_OK) return result;
    covey__kind_key room;
    const covey__kind_key *key = types_of(c, &room);
    covey_entity *ids = c->ids + c->id_count;
    c->id_count += covey__entities_set_aside(c->world, key, ids, count, &result);
    if (key && result == COVEY_OK) covey__entities_made(c->world, key, ids, count);
    return result;
}

/* Sets ids aside until this many are ready. */
static covey_result take_ids(covey_commands *c, uint32_t wanted) {
    uint32_t ready = c->id_count - c->taken;
    return ready < wanted ? take_more(c, wanted - ready) : COVEY_OK;
}

covey_result covey__commands_refill(covey_commands *c) { return take_ids(c, c->wanted); }

/* Releases the ids that were set aside last, until this many are left. */
static void release_ids(covey_commands *c, uint32_t left) {
    while (c->id_count > left) covey__entity_release(c->world, c->ids[--c->id_count]);
}

void covey__commands_set_ids(covey_commands *c, const covey_entity *ids, uint32_t spent, uint32_t count) {
    c->spent = c->taken = spent;
    c->id_count = count;
    if (count != 0) memcpy(c->ids, ids, count * sizeof *ids);
}

void covey__commands_free_ids(covey_world *world, const covey_entity *ids, uint32_t spent, uint32_t count) {
    for (uint32_t i = 0; i < spent; i++) covey__entity_retire(world, ids[i].index);
    while (count != spent) covey__entity_release(world, ids[--count]);
}

/* Removes the first ids from the buffer. */
static void remove_ids(covey_commands *c, uint32_t count) {
    if (count == 0) return;
    c->taken -= count;
    c->id_count -= count;
    memmove(c->ids, c->ids + count, c->id_count * sizeof *c->ids);
}

static void retire_ids(covey_commands *c) {
    for (uint32_t i = 0; i < c->spent; i++) covey__entity_retire(c->world, c->ids[i].index);
    remove_ids(c, c->spent);
    c->spent = 0;
}

/* Frees an id. A handle that the program has seen is never used again. */
static void free_id(covey_world *world, covey_entity e, bool seen) {
    if (seen && e.generation == COVEY_GENERATION_MAX) covey__entity_retire(world, e.index);
    else covey__entity_release(world, covey__entity(e.index, e.generation + (seen ? 2u : 0u)));
}

/* Whether the buffer takes ids from the world while it records, and frees them when it is cleared. */
static bool takes_as_it_goes(const covey_commands *c) { return c->wanted == 0 && !c->apart; }

void covey__commands_keep_apart(covey_commands *c) { c->apart = true; }

/* Frees the first ids, which were recorded as created, in reverse order. */
static void free_recorded(covey_commands *c, uint32_t count) {
    for (uint32_t i = count; i-- != 0;) free_id(c->world, c->ids[i], true);
    remove_ids(c, count);
}

/* Makes an id that was recorded as created ready again, before the other ready ids. The program has seen its handle,
 * so its generation changes. */
static void renew_id(covey_commands *c, uint32_t at) {
    covey_entity e = c->ids[at], *first = c->ids + c->spent;
    if (e.generation == COVEY_GENERATION_MAX) {
        memmove(first + 1, first, (at - c->spent) * sizeof e);
        c->ids[c->spent++] = e;
        return;
    }
    memmove(c->ids + at, c->ids + at + 1, (c->taken - 1 - at) * sizeof e);
    c->ids[--c->taken] = covey__entity(e.index, e.generation + 2);
}

/* Hooks and parallel systems must not change the world; taking or freeing an id changes it. */
static bool is_in_hook(const covey_commands *c) {
    bool in_hook = COVEY__GET_WORD(c->world->hooks) != 0;
    COVEY__CONTRACT(c->world, !in_hook,
                    "a hook or system records or clears a create in a buffer that takes ids from the world: give the "
                    "buffer .entities");
    return in_hook;
}

/* No id is ready: takes one from the world if the buffer may, after making room for the command. */
static bool take_another(covey_commands *c) {
    if (!takes_as_it_goes(c) && !c->busy) return fail_recording(c, COVEY_ERROR_FULL, "no id was ready");
    if (!find_room(c, sizeof(command))) return false;
    if (is_in_hook(c))
        return fail_recording(c, COVEY_ERROR_REFUSED,
                              "a hook or system asked for an id of the world: give the buffer .entities");
    covey_result result = take_more(c, 1);
    if (result == COVEY_ERROR_MEMORY) return fail_for_memory(c);
    if (result != COVEY_OK) return fail_recording(c, result, "the world has no index left: destroy entities first");
    return true;
}

covey_entity covey_record_create(covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    covey_entity none = { 0, 0 };
    if (c->taken == c->id_count && !take_another(c)) return none;
    if (!append_command(c, COVEY__RECORD_CREATE, none, sizeof(command))) return none;
    return c->ids[c->taken++];
}

covey_result covey_commands_reserve(covey_commands *c, uint32_t entities) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    if (COVEY__IN_HOOK(c->world)) return COVEY_ERROR_REFUSED;
    uint32_t before = c->id_count;
    covey_result result = c->busy ? COVEY_ERROR_REFUSED : take_ids(c, entities);
    if (result == COVEY_OK) return result;
    release_ids(c, before);
    return covey__fail(c->world, result, "%u ids could not be made ready for commands: %s", entities,
                       c->busy ? "the buffer is being replayed or cleared: reserve afterwards" : covey__reason(result));
}

bool covey__commands_hold_ids(const covey_world *world) {
    const covey_commands *commands = world->inner->commands;
    while (commands && commands->id_count == 0) commands = commands->next_of_world;
    return commands != NULL;
}

void covey__commands_leave_clone(const covey_world *world, covey_world *clone) {
    for (const covey_commands *c = world->inner->commands; c; c = c->next_of_world)
        for (uint32_t i = c->id_count; i-- != 0;) {
            bool alive = i >= c->spent && i < c->spent + c->created;
            if (!alive) free_id(clone, c->ids[i], i < c->taken);
        }
}

/* ---- Clearing ----------------------------------------------------------------------------------------------------*/

static covey_command_fn *function_of(const command *c) { return ((const call_head *)(c + 1))->fn; }

/* Drops what the first command owns, and advances to the next one. */
static void drop_first(covey_commands *c) {
    command *first = command_at(c, c->next);
    covey__record_kind kind = command_kind(first);
    if (has_value(kind)) covey__drop(c->world, type_of(first), value_of(first));
    if (kind == COVEY__RECORD_CALL) function_of(first)(NULL, value_of(first));
    c->next += command_bytes(first);
    c->count--;
}

/* Whether the buffer is neither being replayed nor cleared. */
static bool buffer_is_idle(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    COVEY__CONTRACT(c->world, !c->busy,
                    "a command buffer is replayed, cleared or destroyed while it is replayed: do that afterwards");
    return !c->busy;
}

bool covey_commands_skip(covey_commands *c) {
    if (!buffer_is_idle(c) || c->count == 0) return false;
    bool is_create = command_kind(command_at(c, c->next)) == COVEY__RECORD_CREATE;
    if (is_create && takes_as_it_goes(c) && is_in_hook(c)) return false;
    make_busy(c);
    if (is_create && takes_as_it_goes(c)) free_recorded(c, 1);
    else if (is_create) renew_id(c, c->spent);
    drop_first(c);
    make_idle(c);
    return true;
}

static void drop_all(covey_commands *c) {
    make_busy(c);
    c->lost = 0;
    if (takes_as_it_goes(c)) free_recorded(c, c->taken);
    while (c->taken > c->spent) renew_id(c, c->taken - 1);
    while (c->count != 0) drop_first(c);
    make_idle(c);
}

void covey_commands_clear(covey_commands *c) {
    if (!buffer_is_idle(c)) return;
    if (takes_as_it_goes(c) && c->taken != 0 && is_in_hook(c)) return;
    drop_all(c);
}

/* ---- Replaying ---------------------------------------------------------------------------------------------------*/

/* A replay. Commands that differ only in entity and value are done together: the type is looked up once, and the size
 * of the value is a constant in the loop. */
typedef struct replaying {
    covey_commands *commands;
    covey_world *world;
    command *at;
    uint32_t skipped;
    covey_result result;
} replaying;

/* The result of a call that returned NULL. A value that a listener removed at once counts as added. */
static bool counts_as_added(replaying *r) {
    covey_result result = covey_world_result(r->world);
    if (result != COVEY_ERROR_GONE) r->result = result;
    return result == COVEY_ERROR_GONE;
}

static bool skip_dead(replaying *r, const covey_type *type, covey_entity e, void *value) {
    if (covey__takes_components(r->world, e)) return false;
    covey__drop(r->world, type, value);
    r->skipped++;
    return true;
}

static COVEY__NOINLINE bool add_slowly(replaying *r, covey_pool *pool, command *at) {
    if (skip_dead(r, type_of(at), at->entity, value_of(at))) return true;
    return covey__pool_add_slowly(pool, at->entity.index, at->entity.generation, value_of(at)) || counts_as_added(r);
}

static command *behind(command *at, size_t bytes) { return (command *)(void *)((char *)at + bytes); }

/* These continue while the next command has the same kind and type, and stop at the first failure. */
COVEY_HOT void add_sized(replaying *r, covey_pool *pool, size_t size, size_t bytes, bool wide) {
    command *at = r->at;
    uint64_t what = at->what;
    uint32_t done = 0;
    do {
        void *to = covey__pool_append(pool, at->entity, size);
        if (COVEY__LIKELY(to != NULL)) memcpy(to, wide ? value_of(at) : at + 1, size);
        else if (!add_slowly(r, pool, at)) break;
        at = behind(at, bytes);
        done++;
    } while (at->what == what);
    r->at = at;
    r->commands->count -= done;
}

COVEY_HOT void remove_sized(replaying *r, covey_pool *pool, size_t size) {
    command *at = r->at;
    uint64_t what = at->what;
    uint32_t done = 0;
    do {
        if (!covey__pool_remove_sized(pool, at->entity, size)) r->skipped += !covey_alive(r->world, at->entity);
        at++;
        done++;
    } while (at->what == what);
    r->at = at;
    r->commands->count -= done;
}

enum { TOGETHER = 128, FEW = 8 }; /* the most and the fewest commands that are done together */

/* Whether adds in the order of indices can be done together: the pool has no observers, and the values of commands are
 * at equal distances. */
static bool adds_together(const replaying *r, const covey_pool *pool) {
    return covey__storage_adds_alike(pool) && !pool->observers && !r->world->dying && value_align(pool->type) == 8;
}

/* Adds the values of the next commands together, while their entities are in the order of indices, several to a block.
 * False if they are too few, or one fails: then each is done alone. */
static bool add_together(replaying *r, covey_pool *pool) {
    covey_entity entities[TOGETHER];
    size_t bytes = command_bytes(r->at);
    uint64_t what = r->at->what;
    uint32_t count = 0;
    for (command *at = r->at; count < TOGETHER && at->what == what; at = behind(at, bytes)) {
        if (count != 0 && at->entity.index <= entities[count - 1].index) break;
        entities[count++] = at->entity;
    }
    uint32_t first = entities[0].index, last = entities[count - 1].index;
    if (count < FEW || last - first > count * (COVEY__BLOCK_IDS / 2)) return false;
    covey__change change = {
        .told = { .pool = pool, .signal = COVEY_ON_ADD, .entities = entities, .count = count },
        .placing = { .values = value_of(r->at), .stride = bytes },
    };
    const covey__change *culprit;
    if (covey__changes_make(r->world, &change, 1, &culprit) != COVEY_OK) return false;
    r->at = behind(r->at, count * bytes);
    r->commands->count -= count;
    return true;
}

static void add_values(replaying *r, covey_pool *pool) {
    if (adds_together(r, pool) && add_together(r, pool)) return;
    switch (pool->size) {
    case 0: add_sized(r, pool, 0, COVEY__RECORD_BYTES(0), false); break;
    case 4: add_sized(r, pool, 4, COVEY__RECORD_BYTES(4), false); break;
    case 8: add_sized(r, pool, 8, COVEY__RECORD_BYTES(8), false); break;
    case 12: add_sized(r, pool, 12, COVEY__RECORD_BYTES(12), false); break;
    default: add_sized(r, pool, pool->size, command_bytes(r->at), true); break;
    }
}

static COVEY__NOINLINE bool set_slowly(replaying *r, covey_pool *pool, command *at) {
    void *value = value_of(at);
    bool has = r->world->dying && covey_pool_has(pool, at->entity); /* what it has may be set to the end */
    if (!has && skip_dead(r, type_of(at), at->entity, value)) return true;
    return covey_pool_set_raw(pool, at->entity, value) || counts_as_added(r);
}

COVEY_HOT void set_sized(replaying *r, covey_pool *pool, size_t size, size_t bytes, bool wide) {
    command *at = r->at;
    uint64_t what = at->what;
    uint32_t done = 0;
    do {
        bool slow = (pool->uses & COVEY__USE_SLOW_SET) != 0;
        void *to = slow ? NULL : covey__pool_get_sized(pool, at->entity, size);
        if (!to && !slow) to = covey__pool_append(pool, at->entity, size);
        if (COVEY__LIKELY(to != NULL)) memcpy(to, wide ? value_of(at) : at + 1, size);
        else if (!set_slowly(r, pool, at)) break;
        at = behind(at, bytes);
        done++;
    } while (at->what == what);
    r->at = at;
    r->commands->count -= done;
}

static void set_values(replaying *r, covey_pool *pool) {
    switch (pool->size) {
    case 4: set_sized(r, pool, 4, COVEY__RECORD_BYTES(4), false); break;
    case 8: set_sized(r, pool, 8, COVEY__RECORD_BYTES(8), false); break;
    case 12: set_sized(r, pool, 12, COVEY__RECORD_BYTES(12), false); break;
    default: set_sized(r, pool, pool->size, command_bytes(r->at), true); break;
    }
}

static void remove_values(replaying *r, covey_pool *pool) {
    switch (pool->size) {
    case 0: remove_sized(r, pool, 0); break;
    case 4: remove_sized(r, pool, 4); break;
    case 8: remove_sized(r, pool, 8); break;
    case 12: remove_sized(r, pool, 12); break;
    case 16: remove_sized(r, pool, 16); break;
    default: remove_sized(r, pool, pool->size); break;
    }
}

/* A command is done. */
static void next_command(replaying *r) {
    r->at = behind(r->at, command_bytes(r->at));
    r->commands->count--;
}

/* Creates the pool of the type for the first living entity. */
static void give_values(replaying *r) {
    const covey_type *type = type_of(r->at);
    covey_pool *pool = covey__pool_known(r->world, type);
    if (!pool) {
        if (skip_dead(r, type, r->at->entity, value_of(r->at))) {
            next_command(r);
            return;
        }
        pool = covey_pool_of_raw(r->world, type);
        if (!pool) {
            r->result = covey_world_result(r->world);
            return;
        }
    }
    if (command_kind(r->at) == COVEY__RECORD_ADD) add_values(r, pool);
    else set_values(r, pool);
}

static void take_values(replaying *r) {
    covey_pool *pool = covey__pool_known(r->world, type_of(r->at));
    if (pool) {
        remove_values(r, pool);
        return;
    }
    r->skipped += !covey_alive(r->world, r->at->entity);
    next_command(r);
}

static void destroy_entities(replaying *r) {
    do {
        r->skipped += !covey_destroy(r->world, r->at->entity);
        r->at++;
        r->commands->count--;
    } while (r->at->what == COVEY__RECORD_DESTROY);
}

static void call(replaying *r) {
    r->result = function_of(r->at)(r->world, value_of(r->at));
    if (r->result == COVEY_OK) next_command(r);
    else covey__fail(r->world, r->result, "a recorded call returned an error: %s", covey__reason(r->result));
}

/* Creates the recorded entities; the buffer is consistent whenever listeners are called. */
static void create_entities(replaying *r) {
    covey_commands *c = r->commands;
    do {
        r->result = covey__entities_prepare(r->world, 1);
        if (r->result != COVEY_OK) {
            covey__fail(r->world, r->result, "a recorded entity could not be created: %s", covey__reason(r->result));
            return;
        }
        r->at++;
        c->count--;
        covey__entity_enliven(r->world, c->ids[c->spent + c->created++]);
    } while (r->at->what == COVEY__RECORD_CREATE);
}

static void replay_next(replaying *r) {
    switch (command_kind(r->at)) {
    case COVEY__RECORD_ADD:
    case COVEY__RECORD_SET: give_values(r); break;
    case COVEY__RECORD_REMOVE: take_values(r); break;
    case COVEY__RECORD_DESTROY: destroy_entities(r); break;
    case COVEY__RECORD_CREATE: create_entities(r); break;
    case COVEY__RECORD_CALL: call(r); break;
    case COVEY__RECORD_END: break;
    }
}

/* Reports failed recordings, and resets their number. */
static covey_result report_lost(covey_commands *c) {
    uint32_t lost = c->lost;
    const char *which = lost == 1 ? " could not be recorded" : "s could not be recorded, the first";
    c->lost = 0;
    if (c->lost_result == COVEY_ERROR_FULL && !takes_as_it_goes(c))
        return covey__fail(c->world, c->lost_result,
                           "%u command%s because no id was ready: give the buffer more than .entities = %u, or call "
                           "covey_commands_reserve",
                           lost, which, c->wanted);
    return covey__fail(c->world, c->lost_result, "%u command%s because %s", lost, which, c->lost_because);
}

/* Whether there is nothing to replay, report, retire or refill. */
static bool is_settled(const covey_commands *c) {
    return (c->count | c->lost | c->spent) == 0 && c->id_count >= c->wanted;
}

static COVEY__NOINLINE covey_replay replay_all(covey_commands *c) {
    uint32_t count = c->count;
    retire_ids(c);
    make_busy(c);
    replaying r = { c, c->world, c->bytes ? command_at(c, c->next) : NULL, 0, COVEY_OK };
    while (c->count != 0 && r.result == COVEY_OK) replay_next(&r);
    c->next = c->bytes ? (size_t)((char *)r.at - c->bytes) : 0;
    make_idle(c);
    remove_ids(c, c->created);
    c->created = 0;
    take_ids(c, c->wanted);
    COVEY__CHANGED(c->world);
    covey_replay replay = { r.result, count - c->count - r.skipped, r.skipped, c->count, c->lost };
    if (r.result == COVEY_OK && c->lost != 0) replay.result = report_lost(c);
    return replay;
}

covey_replay covey_commands_replay(covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    if (COVEY__IN_HOOK(c->world) || !buffer_is_idle(c))
        return (covey_replay){ .result = COVEY_ERROR_REFUSED, .left = c->count, .lost = c->lost };
    return is_settled(c) ? (covey_replay){ .result = COVEY_OK } : replay_all(c);
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

static void end_commands(covey_world *world) {
    while (world->inner->commands) covey_commands_destroy(world->inner->commands);
}

static void link_to_world(covey_commands *c) {
    static const covey__feature commands = { .end = end_commands };
    c->world->inner->features[COVEY__COMMANDS] = &commands;
    c->next_of_world = c->world->inner->commands;
    if (c->next_of_world) c->next_of_world->previous_of_world = c;
    c->world->inner->commands = c;
}

static void unlink_from_world(covey_commands *c) {
    if (c->next_of_world) c->next_of_world->previous_of_world = c->previous_of_world;
    if (c->previous_of_world) c->previous_of_world->next_of_world = c->next_of_world;
    else c->world->inner->commands = c->next_of_world;
}

covey_commands *covey_commands_create(covey_world *world, const covey_commands_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_commands_desc defaults = { 0 };
    if (!desc) desc = &defaults;
    covey__heap heap = { desc->allocator.fn ? desc->allocator : world->inner->heap.allocator, 0, NULL };
    covey_commands *c = covey__resize(&heap, NULL, 0, 1, sizeof *c, alignof(covey_commands));
    covey_result result = COVEY_ERROR_MEMORY;
    if (c) {
        *c = (covey_commands){
            .wanted = desc->entities, .world = world, .heap = heap, .number = ++world->inner->numbered
        };
        memcpy(c->with, desc->with, sizeof c->with);
        link_to_world(c);
        result = take_ids(c, c->wanted);
        if (result == COVEY_OK) return c;
        covey_commands_destroy(c);
    }
    covey__fail(world, result, "a command buffer could not be created: %s", covey__reason(result));
    return NULL;
}

void covey_commands_destroy(covey_commands *c) {
    if (!c || !buffer_is_idle(c)) return;
    release_ids(c, c->taken);
    drop_all(c);
    retire_ids(c);
    release_ids(c, 0);
    unlink_from_world(c);
    covey__heap heap = c->heap;
    covey__free(&heap, c->bytes, c->lines, LINE, LINE);
    covey__free(&heap, c->ids, c->id_capacity, sizeof *c->ids, alignof(covey_entity));
    covey__free(&heap, c, 1, sizeof *c, alignof(covey_commands));
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey_commands_count(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->count;
}

covey_result covey_commands_result(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->result;
}

size_t covey_commands_memory(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->heap.bytes;
}

bool covey__commands_valid(const covey_commands *c, const char **why) {
    uint32_t count = 0, creates = 0;
    size_t at = c->next;
    REQUIRE(used(c) <= (size_t)c->lines * LINE, "commands: the commands end behind the bytes");
    REQUIRE(c->spent + c->created <= c->taken && c->taken <= c->id_count && c->id_count <= c->id_capacity,
            "commands: the ids end behind their array");
    REQUIRE(!takes_as_it_goes(c) || c->spent == 0,
            "commands: ids are to be retired, but the buffer takes ids from the world");
    for (; !c->busy && at + sizeof(command) <= used(c); count++) {
        const command *next = command_at(c, at);
        covey__record_kind kind = command_kind(next);
        REQUIRE(next->what != COVEY__RECORD_END && kind <= COVEY__RECORD_CALL,
                "commands: a command has an unknown kind");
        REQUIRE((kind > COVEY__RECORD_REMOVE) == (next->what <= COVEY__RECORD_CALL),
                "commands: a command lacks a type, or has one that it does not need");
        creates += kind == COVEY__RECORD_CREATE;
        at += command_bytes(next);
    }
    REQUIRE(c->busy || at == used(c), "commands: the last command is incomplete");
    REQUIRE(c->busy || count == c->count, "commands: the count is not the number of commands");
    REQUIRE(c->busy || creates == c->taken - c->spent - c->created,
            "commands: the used ids do not match the create commands");
    REQUIRE(c->heap.bytes == sizeof *c + (size_t)c->lines * LINE + c->id_capacity * sizeof *c->ids,
            "commands: the byte count of the heap is wrong");
    return true;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_id(const covey_world *world, covey_entity e, const char **why) {
    const covey__entity_page *page = covey__entity_page_of(world, e.index);
    REQUIRE(page && covey__is_set_aside(page, e.index), "commands: an id is not set aside in the table");
    REQUIRE(covey__range_of(world, e.index) == &world->range, "commands: an id belongs to a reserved range");
    REQUIRE((e.generation & 1) != 0 && e.generation <= COVEY_GENERATION_MAX &&
                e.generation > page->generation[e.index % COVEY_PAGE_SIZE],
            "commands: an id has the wrong generation");
    return true;
}

/* Every index that is set aside is an id of one buffer. */
bool covey__commands_all_valid(const covey_world *world, uint64_t set_aside, const char **why) {
    const covey_commands *previous = NULL;
    for (const covey_commands *c = world->inner->commands; c; previous = c, c = c->next_of_world) {
        REQUIRE(c->world == world && c->previous_of_world == previous,
                "commands: the list of buffers is not linked both ways");
        if (!covey__commands_valid(c, why)) return false;
        for (uint32_t i = 0; i < c->id_count; i++) {
            if (i >= c->spent && i < c->spent + c->created) continue;
            if (!valid_id(world, c->ids[i], why)) return false;
            set_aside -= covey__fingerprint(c->ids[i].index);
        }
    }
    REQUIRE(set_aside == 0, "commands: an index is set aside for no buffer, or for two");
    return true;
}
