/* Operations on command buffers. The oracle's buffer is a list of commands and lists of ids. It expects from a replay
 * what the direct calls would do, one after the other. */
#include "model_world.h"

#include <covey/commands.h>
#include <stdlib.h>

enum { BUFFERS = 3, COMMANDS = 300, RESERVED = 40, IDS = COMMANDS + RESERVED, NOTES = COMMANDS };

typedef enum kind { CREATE, ADD, SET, REMOVE, DESTROY, CALL } kind;

typedef struct command {
    kind kind;
    covey_entity e;
    const covey_type *type;
    unsigned char value[VALUE_BYTES];
    uint32_t number, failures; /* of a call: what it notes; how often it fails */
} command;

typedef struct id_list {
    covey_entity ids[IDS];
    uint32_t count;
} id_list;

typedef struct buffer {
    covey_commands *commands; /* NULL while it does not exist */
    uint32_t wanted;          /* 0: ids come from the world, and go back there */
    command list[COMMANDS];
    uint32_t count;
    id_list spent, pending, ready;
    covey_result result;
    uint32_t lost; /* recordings that failed since it was emptied; why the first did */
    covey_result lost_result;
    uint32_t born; /* the order in which they were made */
} buffer;

typedef struct commands_state {
    buffer buffers[BUFFERS];
    uint32_t noted[NOTES], wanted[NOTES]; /* numbers of calls: of the library, of the oracle */
    uint32_t noted_count, wanted_count;
    uint32_t numbers, born;
} commands_state;

static commands_state *state_of(const model *m) { return m->state; }

static buffer *pick_buffer(model *m) {
    buffer *b = &state_of(m)->buffers[program_below(&m->program, BUFFERS)];
    return b->commands ? b : NULL;
}

/* ---- Ids ----------------------------------------------------------------------------------------------------------*/

static void insert_id(id_list *list, uint32_t at, covey_entity e) {
    memmove(list->ids + at + 1, list->ids + at, (list->count - at) * sizeof e);
    list->ids[at] = e;
    list->count++;
}

static covey_entity take_id(id_list *list, uint32_t at) {
    covey_entity e = list->ids[at];
    list->count--;
    memmove(list->ids + at, list->ids + at + 1, (list->count - at) * sizeof e);
    return e;
}

static uint32_t ids_of(const buffer *b) { return b->spent.count + b->pending.count + b->ready.count; }

static covey_result may_reserve(model *m, const buffer *b, uint32_t wanted) {
    uint32_t more = wanted > b->ready.count ? wanted - b->ready.count : 0;
    return oracle_can_create(m->oracle, 0, more) == more ? COVEY_OK : COVEY_ERROR_FULL;
}

static void take_ids(model *m, buffer *b, uint32_t wanted) {
    while (b->ready.count < wanted && oracle_can_create(m->oracle, 0, 1) == 1)
        insert_id(&b->ready, b->ready.count, oracle_set_aside(m->oracle));
}

static void retire(model *m, buffer *b) {
    while (b->spent.count != 0) oracle_retire(m->oracle, take_id(&b->spent, 0).index);
}

static void give_back(model *m, buffer *b) {
    while (b->ready.count != 0) oracle_give_back(m->oracle, take_id(&b->ready, b->ready.count - 1));
}

/* One that was recorded as created is ready again, as another; or free. */
static void renew(model *m, buffer *b, covey_entity e) {
    bool last = e.generation == COVEY_GENERATION_MAX;
    covey_entity next = last ? e : covey__entity(e.index, e.generation + 2);
    if (b->wanted == 0 && last) oracle_retire(m->oracle, e.index);
    else if (b->wanted == 0) oracle_give_back(m->oracle, next);
    else if (last) insert_id(&b->spent, b->spent.count, e);
    else insert_id(&b->ready, 0, next);
}

/* ---- Making and ending --------------------------------------------------------------------------------------------*/

static void create(model *m) {
    buffer *b = &state_of(m)->buffers[program_below(&m->program, BUFFERS)];
    if (b->commands) return;
    bool takes_as_it_goes = program_chance(&m->program, 128);
    *b = (buffer){ .wanted = takes_as_it_goes ? 0 : program_below(&m->program, 12), .born = ++state_of(m)->born };
    covey_commands_desc desc = { .entities = b->wanted };
    covey_result expected = may_reserve(m, b, b->wanted);
    covey_commands *commands = covey_commands_create(m->world, b->wanted == 0 ? NULL : &desc);
    if (!model_settle(m, commands != NULL, expected)) return;
    b->commands = commands;
    take_ids(m, b, b->wanted);
}

static void note_wanted(model *m, uint32_t number) { state_of(m)->wanted[state_of(m)->wanted_count++] = number; }

static void forget_command(model *m, buffer *b) {
    const command *c = &b->list[0];
    if (c->kind == CALL) note_wanted(m, c->number + 1);
    b->count--;
    memmove(b->list, b->list + 1, b->count * sizeof *c);
}

static void forget_all(model *m, buffer *b) {
    b->lost = 0;
    while (b->pending.count != 0) renew(m, b, take_id(&b->pending, b->pending.count - 1));
    while (b->count != 0) forget_command(m, b);
}

static void destroy_buffer(model *m, buffer *b) {
    covey_commands_destroy(b->commands);
    give_back(m, b);
    forget_all(m, b);
    retire(m, b);
    give_back(m, b);
    b->commands = NULL;
}

static void destroy(model *m) {
    buffer *b = pick_buffer(m);
    if (b && !program_chance(&m->program, 128)) destroy_buffer(m, b);
}

/* In a clone, ids are free as if the buffers had ended, from the one that was made last on. */
static void leave(model *m) {
    for (buffer *last = NULL;; last = NULL) {
        for (uint32_t i = 0; i < BUFFERS; i++) {
            buffer *b = &state_of(m)->buffers[i];
            if (b->commands && (!last || b->born > last->born)) last = b;
        }
        if (!last) return;
        destroy_buffer(m, last);
    }
}

static void reserve(model *m) {
    buffer *b = pick_buffer(m);
    uint32_t wanted = program_below(&m->program, 16);
    if (!b || ids_of(b) + wanted > RESERVED) return;
    covey_result expected = may_reserve(m, b, wanted), result = covey_commands_reserve(b->commands, wanted);
    if (!model_settle(m, result == COVEY_OK, expected)) return;
    take_ids(m, b, wanted);
}

/* ---- Recording ----------------------------------------------------------------------------------------------------*/

/* Whether the call recorded something, as it should. */
static bool settle(model *m, buffer *b, bool recorded, covey_result expected) {
    covey_result result = covey_commands_result(b->commands);
    if (recorded) {
        REQUIRE(m, expected == COVEY_OK, "a command was recorded");
        return true;
    }
    if (m->program.heap.failed && result == COVEY_ERROR_MEMORY) expected = result;
    REQUIRE(m, result == expected && result != COVEY_OK, "not recorded: \"%s\"", covey_result_text(result));
    b->result = result;
    if (b->lost++ == 0) b->lost_result = result;
    return false;
}

static covey_result may_name(covey_entity e) { return covey_is_null(e) ? COVEY_ERROR_DEAD : COVEY_OK; }

static command *append(buffer *b, kind what, covey_entity e, const covey_type *type) {
    command *c = &b->list[b->count++];
    *c = (command){ .kind = what, .e = e, .type = type };
    return c;
}

/* Now and then one that was recorded as created, of any buffer. */
static covey_entity pick_entity(model *m) {
    const buffer *b = &state_of(m)->buffers[program_below(&m->program, BUFFERS)];
    if (!b->commands || b->pending.count == 0 || program_chance(&m->program, 128)) return model_pick(m);
    return b->pending.ids[program_below(&m->program, b->pending.count)];
}

static bool has_room(const buffer *b) { return b && b->count < COMMANDS - 40; }

static void record_create(model *m) {
    buffer *b = pick_buffer(m);
    if (!has_room(b)) return;
    bool can = b->ready.count != 0 || (b->wanted == 0 && oracle_can_create(m->oracle, 0, 1) == 1);
    covey_entity e = covey_record_create(b->commands);
    if (!settle(m, b, !covey_is_null(e), can ? COVEY_OK : COVEY_ERROR_FULL)) return;
    if (b->wanted == 0) take_ids(m, b, 1);
    covey_entity wanted = take_id(&b->ready, 0);
    REQUIRE(m, covey_same(e, wanted), "the entity is %u:%u, not %u:%u", e.index, e.generation, wanted.index,
            wanted.generation);
    append(b, CREATE, e, NULL);
    insert_id(&b->pending, b->pending.count, e);
    model_remember(m, e);
}

/* One value, or several in a row. */
static void record_values(model *m, kind what) {
    buffer *b = pick_buffer(m);
    const covey_type *type = model_pick_type(m);
    uint32_t count = program_chance(&m->program, 128) ? 1 : 1 + program_below(&m->program, 20);
    for (uint32_t i = 0; i < count && has_room(b); i++) {
        covey_entity e = pick_entity(m);
        bool zero = program_chance(&m->program, 8);
        if (zero) value_make_default(type, m->value);
        else value_make(type, program_byte(&m->program), m->value);
        const void *value = zero ? NULL : m->value;
        bool recorded = what == ADD ? covey_record_add_raw(b->commands, e, type, value)
                                    : covey_record_set_raw(b->commands, e, type, value);
        if (!settle(m, b, recorded, may_name(e))) return;
        value_own(type, m->value);
        memcpy(append(b, what, e, type)->value, m->value, type->size);
    }
}

static void record_add(model *m) { record_values(m, ADD); }
static void record_set(model *m) { record_values(m, SET); }

static void record_remove(model *m) {
    buffer *b = pick_buffer(m);
    const covey_type *type = model_pick_type(m);
    uint32_t count = 1 + program_below(&m->program, 12);
    for (uint32_t i = 0; i < count && has_room(b); i++) {
        covey_entity e =
            program_chance(&m->program, 64) ? pick_entity(m) : model_pick_member(m, oracle_pool_of(m->oracle, type));
        if (!settle(m, b, covey_record_remove_raw(b->commands, e, type), may_name(e))) return;
        append(b, REMOVE, e, type);
    }
}

static void record_destroy(model *m) {
    buffer *b = pick_buffer(m);
    if (!has_room(b)) return;
    covey_entity e = pick_entity(m);
    if (settle(m, b, covey_record_destroy(b->commands, e), may_name(e))) append(b, DESTROY, e, NULL);
}

typedef struct call_data {
    commands_state *state;
    covey_entity e;
    uint32_t number, failures;
    unsigned char more[40];
} call_data;

/* Destroys an entity, after it has failed a few times. Notes an even number for a call and an odd one without a
 * world. */
static covey_result call(covey_world *world, void *data) {
    call_data *d = data;
    commands_state *state = d->state;
    state->noted[state->noted_count++] = d->number + !world;
    if (!world) return COVEY_OK;
    if (d->failures != 0) {
        d->failures--;
        return COVEY_ERROR_COPY;
    }
    covey_destroy(world, d->e);
    return COVEY_OK;
}

static void record_call(model *m) {
    buffer *b = pick_buffer(m);
    if (!has_room(b)) return;
    call_data d = { .state = state_of(m), .e = pick_entity(m), .number = state_of(m)->numbers++ * 2 };
    d.failures = program_chance(&m->program, 96) ? 1 + program_below(&m->program, 2) : 0;
    size_t size = offsetof(call_data, more) + program_below(&m->program, sizeof d.more + 1);
    if (!settle(m, b, covey_record_call(b->commands, call, &d, size), COVEY_OK)) return;
    command *c = append(b, CALL, d.e, NULL);
    c->number = d.number;
    c->failures = d.failures;
}

/* ---- Replaying ----------------------------------------------------------------------------------------------------*/

/* What the oracle has no address of yet. */
void model_find_addresses(model *m) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        for (uint32_t at = 0; at < pool->set->end; at++)
            if (!pool->set->addresses[at] && pool->set->ids[at].generation != 0)
                pool->set->addresses[at] = covey_get_raw(m->world, pool->set->ids[at], pool->type);
    }
}

static covey_result give_value(model *m, const command *c) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, c->type);
    if (c->kind == SET && pool && oracle_has(m->oracle, pool, c->e)) {
        memcpy(oracle_get(m->oracle, pool, c->e), c->value, c->type->size);
        oracle_was_set(m->oracle, pool, c->e);
        return COVEY_OK;
    }
    covey_result result = model_may_add(m, c->type, c->e);
    if (result != COVEY_OK) return result;
    oracle_add(m->oracle, model_meet(m, c->type), c->e, c->value, c->type->policy != COVEY_IN_PLACE);
    return COVEY_OK;
}

/* Does what a command says, or says why not: DEAD stands for skipping it. */
static covey_result obey(model *m, buffer *b, command *c) {
    const oracle_pool *pool = c->kind == REMOVE ? oracle_pool_of(m->oracle, c->type) : NULL;
    if (c->kind == CREATE) {
        oracle_enliven(m->oracle, take_id(&b->pending, 0));
        return COVEY_OK;
    }
    if (c->kind == CALL) {
        note_wanted(m, c->number);
        if (c->failures != 0) return c->failures--, COVEY_ERROR_COPY;
        oracle_destroy(m->oracle, c->e);
        return COVEY_OK;
    }
    if (!oracle_alive(m->oracle, c->e)) return COVEY_ERROR_DEAD;
    if (c->kind == ADD || c->kind == SET) return give_value(m, c);
    if (c->kind == DESTROY) oracle_destroy(m->oracle, c->e);
    else if (pool && oracle_has(m->oracle, pool, c->e)) oracle_remove(m->oracle, pool, c->e);
    return COVEY_OK;
}

/* The command that the library could not do: for the reason that the oracle sees, too, or for want of memory. */
static void fail_command(model *m, buffer *b, covey_result result) {
    REQUIRE(m, b->count != 0, "a command failed that is not there");
    bool memory = m->program.heap.failed && result == COVEY_ERROR_MEMORY;
    covey_result expected = memory ? result : obey(m, b, &b->list[0]);
    REQUIRE(m, result == expected, "the result is \"%s\", not \"%s\"", covey_result_text(result),
            covey_result_text(expected));
    m->result = result;
    m->failures++;
    if (b->list[0].type) model_meet_anyway(m, b->list[0].type);
}

/* All commands are done; if recordings had failed, the result says so, once. */
static void report_lost(model *m, buffer *b, covey_replay replay) {
    covey_result expected = b->lost != 0 ? b->lost_result : COVEY_OK;
    REQUIRE(m, replay.result == expected, "the result is \"%s\", not \"%s\"", covey_result_text(replay.result),
            covey_result_text(expected));
    if (b->lost == 0) return;
    m->result = expected;
    m->failures++;
    b->lost = 0;
}

static void follow(model *m, buffer *b, covey_replay replay) {
    uint32_t skipped = 0, done = 0;
    while (b->count > replay.left) {
        covey_result result = obey(m, b, &b->list[0]);
        REQUIRE(m, result == COVEY_OK || result == COVEY_ERROR_DEAD, "command %u should fail: \"%s\"", done + skipped,
                covey_result_text(result));
        done += result == COVEY_OK;
        skipped += result == COVEY_ERROR_DEAD;
        b->count--;
        memmove(b->list, b->list + 1, b->count * sizeof *b->list);
    }
    REQUIRE(m, replay.done == done && replay.skipped == skipped, "%u done and %u skipped, not %u and %u", replay.done,
            replay.skipped, done, skipped);
    REQUIRE(m, replay.result != COVEY_OK || replay.left == 0, "%u commands are left", replay.left);
    REQUIRE(m, replay.lost == b->lost, "%u were lost, not %u", replay.lost, b->lost);
    if (replay.left != 0) fail_command(m, b, replay.result);
    else report_lost(m, b, replay);
}

/* A key that is overwritten in a pool that is kept sorted leaves open where the next component goes. */
static bool may_confuse(model *m, const buffer *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const oracle_pool *pool = b->list[i].kind == SET ? oracle_pool_of(m->oracle, b->list[i].type) : NULL;
        if (pool && pool->set->kept) return true;
    }
    return false;
}

static void clear_buffer(model *m, buffer *b) {
    covey_commands_clear(b->commands);
    forget_all(m, b);
}

static void clear(model *m) {
    buffer *b = pick_buffer(m);
    if (b) clear_buffer(m, b);
}

static void skip(model *m) {
    buffer *b = pick_buffer(m);
    if (!b) return;
    REQUIRE(m, covey_commands_skip(b->commands) == (b->count != 0), "a command was skipped and not");
    if (b->count == 0) return;
    if (b->list[0].kind == CREATE) renew(m, b, take_id(&b->pending, 0));
    forget_command(m, b);
}

void model_replay(model *m) {
    buffer *b = pick_buffer(m);
    if (!b) return;
    if (may_confuse(m, b)) {
        clear_buffer(m, b);
        return;
    }
    m->behind = true;
    covey_replay replay = covey_commands_replay(b->commands);
    retire(m, b);
    follow(m, b, replay);
    model_find_addresses(m);
    uint32_t ready = b->commands->id_count - b->commands->taken, wanted = b->wanted;
    if (m->program.heap.failed && ready < wanted) wanted = ready;
    take_ids(m, b, wanted);
}

static const model_operation commands_operations[] = {
    { "commands_create", create, 6, false },
    { "commands_destroy", destroy, 2, true },
    { "commands_reserve", reserve, 4, false },
    { "commands_clear", clear, 2, true },
    { "commands_skip", skip, 4, true },
    { "commands_replay", model_replay, 12, false },
    { "record_create", record_create, 24, false },
    { "record_add", record_add, 16, false },
    { "record_set", record_set, 12, false },
    { "record_remove", record_remove, 10, false },
    { "record_destroy", record_destroy, 8, false },
    { "record_call", record_call, 6, false },
    { NULL, NULL, 0, false },
};

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->state = calloc(1, sizeof(commands_state));
    if (!m->state) abort();
}

static void check(model *m) {
    commands_state *state = state_of(m);
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = &state->buffers[i];
        if (!b->commands) continue;
        uint32_t count = covey_commands_count(b->commands);
        REQUIRE(m, count == b->count, "buffer %u has %u commands, not %u", i, count, b->count);
        REQUIRE(m, covey_commands_result(b->commands) == b->result, "buffer %u has another result", i);
        REQUIRE(m, b->commands->lost == b->lost, "buffer %u has lost %u, not %u", i, b->commands->lost, b->lost);
    }
    bool same = state->noted_count == state->wanted_count;
    REQUIRE(m, same && memcmp(state->noted, state->wanted, state->noted_count * sizeof(uint32_t)) == 0,
            "other functions were called");
    state->noted_count = state->wanted_count = 0;
}

/* The ids in a buffer are seen when they are used; here, that none is alive. */
static void compare(model *m) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = &state_of(m)->buffers[i];
        for (uint32_t k = 0; b->commands && k < b->pending.count; k++)
            REQUIRE(m, !covey_alive(m->world, b->pending.ids[k]), "%u:%u is alive before its time",
                    b->pending.ids[k].index, b->pending.ids[k].generation);
    }
}

static void end(model *m) { (void)m; }

static void forget(model *m) { free(m->state); }

/* Where each buffer has its ids, if it has recorded no entity. */
typedef struct saved_ids {
    uint32_t born[BUFFERS]; /* 0: not there */
    id_list spent[BUFFERS], ready[BUFFERS];
} saved_ids;

bool model_has_recorded_entities(const model *m) {
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (state_of(m)->buffers[i].commands && state_of(m)->buffers[i].pending.count != 0) return true;
    return false;
}

static void *save(model *m) {
    saved_ids *saved = calloc(1, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = &state_of(m)->buffers[i];
        if (!b->commands) continue;
        saved->born[i] = b->born;
        saved->spent[i] = b->spent;
        saved->ready[i] = b->ready;
    }
    return saved;
}

/* The ids of the destroyed entities are free, as if they had been destroyed now, from the one made last on. */
static void end_gone(model *m, saved_ids *saved, const bool *gone) {
    for (uint32_t last = BUFFERS;; last = BUFFERS) {
        for (uint32_t i = 0; i < BUFFERS; i++)
            if (gone[i] && saved->born[i] != 0 && (last == BUFFERS || saved->born[i] > saved->born[last])) last = i;
        if (last == BUFFERS) return;
        saved->born[last] = 0;
        id_list *spent = &saved->spent[last], *ready = &saved->ready[last];
        while (spent->count != 0) oracle_retire(m->oracle, take_id(spent, 0).index);
        while (ready->count != 0) oracle_give_back(m->oracle, take_id(ready, ready->count - 1));
    }
}

static void restore(model *m, const void *state) {
    saved_ids saved = *(const saved_ids *)state;
    bool gone[BUFFERS];
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffer *b = &state_of(m)->buffers[i];
        gone[i] = !b->commands || b->born != saved.born[i];
        b->spent = b->ready = (id_list){ .count = 0 };
        if (gone[i]) continue;
        b->spent = saved.spent[i];
        b->ready = saved.ready[i];
    }
    end_gone(m, &saved, gone);
}

static size_t memory(const model *m) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const covey_commands *commands = state_of(m)->buffers[i].commands;
        if (commands) bytes += covey_commands_memory(commands);
    }
    return bytes;
}

static void count_tokens(const model *m, uint32_t *live) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = &state_of(m)->buffers[i];
        for (uint32_t k = 0; b->commands && k < b->count; k++) {
            const command *c = &b->list[k];
            uint32_t token;
            memcpy(&token, c->value, sizeof token);
            if ((c->kind == ADD || c->kind == SET) && c->type->drop && token < VALUE_TOKENS) live[token]++;
        }
    }
}

const struct model_subject model_commands = {
    .operations = commands_operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .memory = memory,
    .count_tokens = count_tokens,
    .leave = leave,
    .save = save,
    .restore = restore,
    .unsave = free,
};
