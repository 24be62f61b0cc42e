/* Command buffers: bytes with run after run of commands, and ids that are set aside for entities to come. The layout is
 * drawn in commands.h. */
#include "internal.h"

#include <stdalign.h>

#define LINE 64                       /* the unit in which the bytes grow, and their alignment */
#define LINES_MAX ((uint32_t)1 << 28) /* the commands that fit can be counted */

_Static_assert(alignof(covey_type) > COVEY__RECORD_REMOVE, "the kind fits into the low bits of a type's address");

typedef struct run {
    union {
        const covey_type *type; /* NULL: the kind has none */
        covey_command_fn *fn;
    };
    uint32_t count, stride;
    uint32_t kind;
} run;

/* Up to the next multiple of a power of two. */
static size_t aligned(size_t number, size_t align) { return (number + align - 1) & ~(align - 1); }

static bool has_values(uint32_t kind) { return kind == COVEY__RECORD_ADD || kind == COVEY__RECORD_SET; }

static size_t align_of(const run *r) {
    if (r->kind == COVEY__RECORD_CALL) return alignof(max_align_t);
    bool wide = has_values(r->kind) && r->type->size != 0 && r->type->align > alignof(run);
    return wide ? r->type->align : alignof(run);
}

/* ---- The bytes ---------------------------------------------------------------------------------------------------*/

static size_t used(const covey_commands *c) { return c->bytes ? (size_t)(c->at - c->bytes) : 0; }

static run *run_at(const covey_commands *c, size_t offset) { return (run *)(void *)(c->bytes + offset); }

static size_t entries_at(const run *r, size_t offset) { return aligned(offset + sizeof *r, align_of(r)); }

/* Where the header behind a closed run is, or would be. */
static size_t behind(const run *r, size_t offset) {
    return aligned(entries_at(r, offset) + (size_t)r->count * r->stride, alignof(run));
}

static uint32_t open_count(const covey_commands *c) {
    if (c->open == 0) return 0;
    if (c->open == COVEY__RECORD_CREATE) return run_at(c, c->run)->count;
    size_t bytes = used(c) - c->entries;
    return bytes == c->stride ? 1 : (uint32_t)(bytes / c->stride);
}

static void close_run(covey_commands *c) {
    if (c->open == 0) return;
    run *r = run_at(c, c->run);
    r->count = open_count(c);
    c->count += r->count;
    c->open = 0;
}

/* Makes sure that the bytes reach so far. */
static bool make_room(covey_commands *c, uint64_t end) {
    uint64_t wanted = (end + LINE - 1) / LINE;
    if (wanted <= c->lines) return true;
    if (wanted > LINES_MAX) return false;
    uint32_t lines = covey__grown(c->lines, (uint32_t)wanted, LINES_MAX);
    size_t at = used(c);
    char *bytes = covey__resize(&c->heap, c->bytes, c->lines, lines, LINE, LINE);
    if (!bytes) return false;
    c->bytes = bytes;
    c->at = bytes + at;
    c->lines = lines;
    return true;
}

static void rewind_bytes(covey_commands *c) {
    c->at = c->bytes;
    c->run = c->next = 0;
    c->next_done = 0;
}

/* ---- Recording ---------------------------------------------------------------------------------------------------*/

static bool refuse(covey_commands *c, covey_result result) {
    c->result = result;
    return false;
}

/* Begins a run whose first entry takes so many bytes. The header is written part by part: as one, it would be built on
 * the stack first, and read back with wider loads, which stall. */
static bool open_run(covey_commands *c, const covey_type *type, covey__record_kind kind, size_t align, uint32_t stride,
                     size_t bytes) {
    size_t header = aligned(used(c), alignof(run)), entries = aligned(header + sizeof(run), align);
    if (entries + bytes > (size_t)c->lines * LINE && !make_room(c, (uint64_t)entries + bytes))
        return refuse(c, COVEY_ERROR_MEMORY);
    close_run(c);
    run *r = run_at(c, header);
    r->type = type;
    r->count = 0;
    r->stride = stride;
    r->kind = (uint32_t)kind;
    c->run = header;
    c->entries = entries;
    c->at = c->bytes + entries;
    c->stride = stride;
    c->open = (uintptr_t)type + (uintptr_t)kind;
    return true;
}

/* Remembers what it has found to be valid, because types often take turns. */
static bool is_valid(covey_commands *c, const covey_type *type) {
    const covey_type **known = &c->known[(uintptr_t)type / 64 % COVEY__RECORD_TYPES];
    if (*known == type) return true;
    if (!covey__type_valid(type)) return false;
    *known = type;
    return true;
}

/* Appends another entry to the run, or begins one. */
static bool prepare(covey_commands *c, const covey_type *type, covey__record_kind kind) {
    if (c->open == (uintptr_t)type + (uintptr_t)kind)
        return make_room(c, (uint64_t)used(c) + c->stride) || refuse(c, COVEY_ERROR_MEMORY);
    if (type && !is_valid(c, type)) return refuse(c, COVEY_ERROR_TYPE);
    size_t size = has_values((uint32_t)kind) ? type->size : 0, align = size != 0 ? type->align : 1;
    if (size > UINT32_MAX / 2) return refuse(c, COVEY_ERROR_MEMORY);
    if (align < alignof(covey_entity)) align = alignof(covey_entity);
    uint32_t stride = (uint32_t)aligned(COVEY__RECORD_VALUE(size) + sizeof(covey_entity), align);
    return open_run(c, type, kind, align < alignof(run) ? alignof(run) : align, stride, stride);
}

char *covey__record_slowly(covey_commands *c, const covey_type *type, covey__record_kind kind) {
    COVEY__CONTRACT(c->world, type || kind == COVEY__RECORD_DESTROY, "a call needs a type");
    if (c->busy) refuse(c, COVEY_ERROR_REFUSED);
    else if (prepare(c, type, kind)) {
        c->last = c->bytes + ((size_t)c->lines * LINE - c->stride);
        return c->at;
    }
    return NULL;
}

covey_entity covey_record_create(covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    covey_entity none = { 0, 0 };
    if (c->busy || c->taken == c->id_count) {
        refuse(c, c->busy ? COVEY_ERROR_REFUSED : COVEY_ERROR_FULL);
        return none;
    }
    if (c->open != COVEY__RECORD_CREATE && !open_run(c, NULL, COVEY__RECORD_CREATE, alignof(run), 0, 0)) return none;
    run_at(c, c->run)->count++;
    return c->ids[c->taken++];
}

bool covey_record_call(covey_commands *c, covey_command_fn *fn, const void *data, size_t size) {
    COVEY__CONTRACT(NULL, c && fn, "a call needs a buffer and a function");
    if (c->busy) return refuse(c, COVEY_ERROR_REFUSED);
    if (size > UINT32_MAX / 2) return refuse(c, COVEY_ERROR_MEMORY);
    if (!open_run(c, NULL, COVEY__RECORD_CALL, alignof(max_align_t), (uint32_t)size, size)) return false;
    run_at(c, c->run)->fn = fn;
    run_at(c, c->run)->count = 1;
    if (size != 0) memcpy(c->at, data, size);
    c->at += size;
    c->count++;
    c->open = 0;
    return true;
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

/* Sets ids aside until so many are ready; keeps those it got when there are no more. */
static covey_result take_ids(covey_commands *c, uint32_t wanted) {
    uint32_t ready = c->id_count - c->taken;
    if (ready >= wanted) return COVEY_OK;
    covey_result result = reach_ids(c, (uint64_t)c->taken + wanted);
    while (result == COVEY_OK && c->id_count - c->taken < wanted) {
        covey_entity e = covey__entity_set_aside(c->world, &result);
        if (result == COVEY_OK) c->ids[c->id_count++] = e;
    }
    return result;
}

/* Gives back those that were taken last, until so many are left. */
static void give_ids_back(covey_commands *c, uint32_t left) {
    while (c->id_count > left) covey__entity_give_back(c->world, c->ids[--c->id_count]);
}

static void forget_ids(covey_commands *c, uint32_t count) {
    if (count == 0) return;
    c->taken -= count;
    c->id_count -= count;
    memmove(c->ids, c->ids + count, c->id_count * sizeof *c->ids);
}

static void retire_ids(covey_commands *c) {
    for (uint32_t i = 0; i < c->spent; i++) covey__entity_retire(c->world, c->ids[i].index);
    forget_ids(c, c->spent);
    c->spent = 0;
}

/* Makes an id that was recorded as created ready again, before the others that are. Its handle was seen: the next one
 * is another. */
static void renew_id(covey_commands *c, uint32_t at) {
    covey_entity e = c->ids[at], *first = c->ids + c->spent;
    if (e.generation == COVEY_GENERATION_MAX) {
        memmove(first + 1, first, (at - c->spent) * sizeof e);
        c->ids[c->spent++] = e;
        return;
    }
    memmove(c->ids + at, c->ids + at + 1, (c->taken - 1 - at) * sizeof e);
    c->ids[--c->taken] = (covey_entity){ e.index, e.generation + 2 };
}

covey_result covey_commands_reserve(covey_commands *c, uint32_t entities) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    uint32_t before = c->id_count;
    covey_result result = c->busy ? COVEY_ERROR_REFUSED : take_ids(c, entities);
    if (result == COVEY_OK) return result;
    give_ids_back(c, before);
    return covey__fail(c->world, result, "%u ids could not be made ready for commands: %s", entities,
                       covey_result_text(result));
}

/* Handles that were seen never name anybody there. */
static void leave_clone(covey_world *clone, covey_entity e, bool seen) {
    if (seen && e.generation == COVEY_GENERATION_MAX) covey__entity_retire(clone, e.index);
    else covey__entity_give_back(clone, (covey_entity){ e.index, e.generation + (seen ? 2 : 0) });
}

void covey__commands_leave_clone(const covey_world *world, covey_world *clone) {
    for (const covey_commands *c = world->commands; c; c = c->next_of_world)
        for (uint32_t i = c->id_count; i-- != 0;) {
            bool alive = i >= c->spent && i < c->spent + c->created;
            if (!alive) leave_clone(clone, c->ids[i], i < c->taken);
        }
}

/* ---- Forgetting --------------------------------------------------------------------------------------------------*/

static void drop_value(const covey_type *type, void *value) {
    if (type->drop) type->drop(value, type->context);
}

/* Ends what a command owns. */
static void forget(const run *r, char *entry) {
    if (has_values(r->kind)) drop_value(r->type, entry);
    if (r->kind == COVEY__RECORD_CALL) r->fn(NULL, entry);
}

/* The first entry that is left, of the run that is next. */
static char *first_entry(const covey_commands *c) {
    const run *r = run_at(c, c->next);
    return c->bytes + entries_at(r, c->next) + (size_t)c->next_done * r->stride;
}

/* So many entries of the run that is next are done with. */
static void advance(covey_commands *c, uint32_t entries) {
    const run *r = run_at(c, c->next);
    c->count -= entries;
    c->next_done += entries;
    if (c->next_done != r->count) return;
    c->next = behind(r, c->next);
    c->next_done = 0;
}

static void forget_first(covey_commands *c) {
    forget(run_at(c, c->next), first_entry(c));
    advance(c, 1);
}

/* Whether nothing is under way that needs the buffer as it is. */
static bool is_idle(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    COVEY__CONTRACT(c->world, !c->busy, "a command buffer is replayed, cleared or ended while it is replayed");
    return !c->busy;
}

bool covey_commands_skip(covey_commands *c) {
    if (!is_idle(c)) return false;
    close_run(c);
    if (c->count == 0) return false;
    c->busy = true;
    if (run_at(c, c->next)->kind == COVEY__RECORD_CREATE) renew_id(c, c->spent);
    forget_first(c);
    if (c->count == 0) rewind_bytes(c);
    c->busy = false;
    return true;
}

void covey_commands_clear(covey_commands *c) {
    if (!is_idle(c)) return;
    close_run(c);
    c->busy = true;
    while (c->taken > c->spent) renew_id(c, c->taken - 1);
    while (c->count != 0) forget_first(c);
    rewind_bytes(c);
    c->busy = false;
}

/* ---- Replaying ---------------------------------------------------------------------------------------------------*/

static covey_entity entity_at(const char *entry) {
    covey_entity e;
    memcpy(&e, entry, sizeof e);
    return e;
}

/* What a call that returned nothing says. A value that a listener took out at once was added all the same. */
static bool is_done(covey_world *world, covey_replay *replay) {
    covey_result result = covey_world_result(world);
    if (result != COVEY_ERROR_GONE) replay->result = result;
    return result == COVEY_ERROR_GONE;
}

/* Who is just being destroyed takes no component, and counts as dead. */
static bool skip_dead(covey_world *world, const run *r, covey_entity e, void *value, covey_replay *replay) {
    if (covey__takes_components(world, e)) return false;
    drop_value(r->type, value);
    replay->skipped++;
    return true;
}

static COVEY__NOINLINE bool add_slowly(covey_pool *pool, const run *r, covey_entity e, void *value,
                                       covey_replay *replay) {
    if (skip_dead(pool->world, r, e, value, replay)) return true;
    return covey__pool_add_slowly(pool, e.index, e.generation, value) || is_done(pool->world, replay);
}

/* These return how many entries they are done with: all, or those before the first that failed. */
COVEY_HOT uint32_t add_sized(covey_pool *pool, const run *r, char *entry, uint32_t count, size_t stride, size_t size,
                             covey_replay *replay) {
    for (uint32_t i = 0; i < count; i++, entry += stride) {
        covey_entity e = entity_at(entry + COVEY__RECORD_VALUE(size));
        void *to = covey__pool_append(pool, e, size);
        if (COVEY__LIKELY(to != NULL)) memcpy(to, entry, size);
        else if (!add_slowly(pool, r, e, entry, replay)) return i;
    }
    return count;
}

COVEY_HOT uint32_t remove_sized(covey_pool *pool, const char *entry, uint32_t count, size_t size,
                                covey_replay *replay) {
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = entity_at(entry + i * sizeof e);
        if (!covey_pool_remove_raw(pool, e, size)) replay->skipped += !covey_alive(pool->world, e);
    }
    return count;
}

static uint32_t add_values(covey_pool *pool, const run *r, char *entry, uint32_t count, covey_replay *replay) {
    switch (pool->size) {
    case 0: return add_sized(pool, r, entry, count, 8, 0, replay);
    case 4: return add_sized(pool, r, entry, count, 12, 4, replay);
    case 8: return add_sized(pool, r, entry, count, 16, 8, replay);
    case 12: return add_sized(pool, r, entry, count, 20, 12, replay);
    case 16: return add_sized(pool, r, entry, count, r->stride, 16, replay);
    default: return add_sized(pool, r, entry, count, r->stride, pool->size, replay);
    }
}

static uint32_t set_values(covey_pool *pool, const run *r, char *entry, uint32_t count, covey_replay *replay) {
    for (uint32_t i = 0; i < count; i++, entry += r->stride) {
        covey_entity e = entity_at(entry + COVEY__RECORD_VALUE((size_t)pool->size));
        bool has = pool->world->dying && covey_pool_has(pool, e); /* what it has may be set to the end */
        if (!has && skip_dead(pool->world, r, e, entry, replay)) continue;
        if (!covey_pool_set_raw(pool, e, entry, pool->size) && !is_done(pool->world, replay)) return i;
    }
    return count;
}

static uint32_t remove_values(covey_pool *pool, const char *entry, uint32_t count, covey_replay *replay) {
    switch (pool->size) {
    case 0: return remove_sized(pool, entry, count, 0, replay);
    case 4: return remove_sized(pool, entry, count, 4, replay);
    case 8: return remove_sized(pool, entry, count, 8, replay);
    case 12: return remove_sized(pool, entry, count, 12, replay);
    case 16: return remove_sized(pool, entry, count, 16, replay);
    default: return remove_sized(pool, entry, count, pool->size, replay);
    }
}

static uint32_t destroy_entities(covey_world *world, const char *entry, uint32_t count, covey_replay *replay) {
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = entity_at(entry + i * sizeof e);
        if (!covey_destroy(world, e)) replay->skipped++;
    }
    return count;
}

/* A type that the world does not know: entries of entities that are not alive are skipped; for the first that is, the
 * world meets the type. Returns how many are done with; *pool is NULL if that are all, or meeting failed. */
static uint32_t meet(covey_commands *c, const run *r, char *entry, uint32_t count, covey_pool **pool,
                     covey_replay *replay) {
    for (uint32_t i = 0; i < count; i++, entry += r->stride) {
        covey_entity e = entity_at(entry + COVEY__RECORD_VALUE((size_t)r->type->size));
        if (skip_dead(c->world, r, e, entry, replay)) continue;
        *pool = covey_pool_of_raw(c->world, r->type);
        if (!*pool) replay->result = covey_world_result(c->world);
        return i;
    }
    return count;
}

static uint32_t give_values(covey_commands *c, const run *r, char *entry, uint32_t count, covey_replay *replay) {
    covey_pool *pool = covey__pool_bound(c->world, r->type);
    uint32_t done = pool ? 0 : meet(c, r, entry, count, &pool, replay);
    if (!pool) return done;
    entry += (size_t)done * r->stride;
    bool adds = r->kind == COVEY__RECORD_ADD;
    return done + (adds ? add_values : set_values)(pool, r, entry, count - done, replay);
}

static uint32_t take_values(covey_commands *c, const run *r, const char *entry, uint32_t count, covey_replay *replay) {
    covey_pool *pool = covey__pool_known(c->world, r->type);
    if (pool) return remove_values(pool, entry, count, replay);
    for (uint32_t i = 0; i < count; i++)
        replay->skipped += !covey_alive(c->world, entity_at(entry + i * sizeof(covey_entity)));
    return count;
}

static uint32_t call(covey_commands *c, const run *r, void *data, covey_replay *replay) {
    replay->result = r->fn(c->world, data);
    if (replay->result == COVEY_OK) return 1;
    covey__fail(c->world, replay->result, "a recorded call failed: %s", covey_result_text(replay->result));
    return 0;
}

/* Entities come alive one by one, and each time the buffer is as it should be. */
static void create_entities(covey_commands *c, uint32_t count, covey_replay *replay) {
    while (count-- != 0) {
        replay->result = covey__entities_prepare(c->world, 1);
        if (replay->result != COVEY_OK) {
            covey__fail(c->world, replay->result, "a recorded entity could not be made: %s",
                        covey_result_text(replay->result));
            return;
        }
        covey_entity e = c->ids[c->spent + c->created++];
        advance(c, 1);
        covey__entity_enliven(c->world, e);
    }
}

static void replay_run(covey_commands *c, covey_replay *replay) {
    const run *r = run_at(c, c->next);
    char *entry = first_entry(c);
    uint32_t count = r->count - c->next_done, done = 0;
    switch (r->kind) {
    case COVEY__RECORD_ADD:
    case COVEY__RECORD_SET: done = give_values(c, r, entry, count, replay); break;
    case COVEY__RECORD_REMOVE: done = take_values(c, r, entry, count, replay); break;
    case COVEY__RECORD_DESTROY: done = destroy_entities(c->world, entry, count, replay); break;
    case COVEY__RECORD_CALL: done = call(c, r, entry, replay); break;
    default: create_entities(c, count, replay); return;
    }
    advance(c, done);
}

covey_replay covey_commands_replay(covey_commands *c) {
    covey_replay replay = { COVEY_ERROR_REFUSED, 0, 0, covey_commands_count(c) };
    if (!is_idle(c)) return replay;
    uint32_t count = replay.left;
    close_run(c);
    retire_ids(c);
    c->busy = true;
    replay.result = COVEY_OK;
    while (c->count != 0 && replay.result == COVEY_OK) replay_run(c, &replay);
    c->busy = false;
    forget_ids(c, c->created);
    c->created = 0;
    if (c->count == 0) rewind_bytes(c);
    take_ids(c, c->wanted);
    replay.left = c->count;
    replay.done = count - replay.left - replay.skipped;
    COVEY__CHANGED(c->world);
    return replay;
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

static void enlist(covey_commands *c) {
    c->next_of_world = c->world->commands;
    if (c->next_of_world) c->next_of_world->previous_of_world = c;
    c->world->commands = c;
}

static void delist(covey_commands *c) {
    if (c->next_of_world) c->next_of_world->previous_of_world = c->previous_of_world;
    if (c->previous_of_world) c->previous_of_world->next_of_world = c->next_of_world;
    else c->world->commands = c->next_of_world;
}

covey_commands *covey_commands_create(covey_world *world, const covey_commands_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_commands_desc defaults = { 0 };
    if (!desc) desc = &defaults;
    covey__heap heap = { desc->allocator.fn ? desc->allocator : world->heap.allocator, 0 };
    covey_commands *c = covey__resize(&heap, NULL, 0, 1, sizeof *c, alignof(covey_commands));
    covey_result result = COVEY_ERROR_MEMORY;
    if (c) {
        *c = (covey_commands){ .wanted = desc->entities, .world = world, .heap = heap };
        enlist(c);
        result = take_ids(c, c->wanted);
        if (result == COVEY_OK) return c;
        covey_commands_destroy(c);
    }
    covey__fail(world, result, "no command buffer could be made: %s", covey_result_text(result));
    return NULL;
}

void covey_commands_destroy(covey_commands *c) {
    if (!c || !is_idle(c)) return;
    covey_commands_clear(c);
    retire_ids(c);
    give_ids_back(c, 0);
    delist(c);
    covey__heap heap = c->heap;
    covey__free(&heap, c->bytes, c->lines, LINE, LINE);
    covey__free(&heap, c->ids, c->id_capacity, sizeof *c->ids, alignof(covey_entity));
    covey__free(&heap, c, 1, sizeof *c, alignof(covey_commands));
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey_commands_count(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->count + open_count(c);
}

covey_result covey_commands_result(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->result;
}

size_t covey_commands_memory(const covey_commands *c) {
    COVEY__CONTRACT(NULL, c, "a call needs a buffer");
    return c->heap.bytes;
}

/* Names the invariant that does not hold. */
#define REQUIRE(holds, reason)      \
    do {                            \
        if (!(holds)) {             \
            if (why) *why = reason; \
            return false;           \
        }                           \
    } while (0)

static bool run_valid(const covey_commands *c, size_t offset, const char **why) {
    const run *r = run_at(c, offset);
    bool open = c->open != 0 && offset == c->run;
    REQUIRE(offset + sizeof *r <= used(c), "commands: a run that is cut off");
    REQUIRE(r->kind >= COVEY__RECORD_ADD && r->kind <= COVEY__RECORD_CALL, "commands: a run of no kind");
    REQUIRE((r->type != NULL) == (r->kind <= COVEY__RECORD_REMOVE || r->kind == COVEY__RECORD_CALL),
            "commands: a run without a type, or with one that it does not need");
    uint32_t count = open ? open_count(c) : r->count;
    size_t end = entries_at(r, offset) + (size_t)count * r->stride;
    REQUIRE(count != 0 && end <= used(c), "commands: a run without entries, or with too many");
    REQUIRE(!open || end == used(c), "commands: the last entry is not whole");
    REQUIRE(!open || (c->open == (uintptr_t)r->type + r->kind && c->stride == r->stride),
            "commands: the open run is another");
    return true;
}

bool covey__commands_valid(const covey_commands *c, const char **why) {
    uint32_t count = 0, creates = 0, done = c->next_done;
    REQUIRE(used(c) <= (size_t)c->lines * LINE, "commands: more bytes than there are");
    REQUIRE(c->spent + c->created <= c->taken && c->taken <= c->id_count && c->id_count <= c->id_capacity,
            "commands: more ids than there are");
    for (size_t at = c->next; at < used(c);) {
        if (!run_valid(c, at, why)) return false;
        const run *r = run_at(c, at);
        bool open = c->open != 0 && at == c->run;
        uint32_t left = (open ? open_count(c) : r->count) - done;
        REQUIRE(done == 0 || done < r->count, "commands: more were replayed than there are");
        count += left;
        creates += r->kind == COVEY__RECORD_CREATE ? left : 0;
        done = 0;
        at = open ? used(c) : behind(r, at);
    }
    REQUIRE(c->busy || count == covey_commands_count(c), "commands: their number is not what was counted");
    REQUIRE(c->busy || creates == c->taken - c->spent - c->created,
            "commands: an id that nobody creates, or the other way round");
    REQUIRE(c->heap.bytes == sizeof *c + (size_t)c->lines * LINE + c->id_capacity * sizeof *c->ids,
            "commands: bytes that are not accounted for");
    return true;
}
