/* Command buffers: recorded, also by listeners and recorded functions, replayed, skipped and cleared. The model keeps
 * the list of recorded commands, and replays as many of them as the library says it did. */
#include <covey/events.h>

#include "views.h"

#include <stdlib.h>

enum { BUFFERS = 4, COMMANDS = 96, FACTS = BUFFERS * COMMANDS };

typedef enum command_kind { CREATE, ADD, SET, REMOVE, DESTROY, SEND, CALL } command_kind;

/* What a recorded function does. */
typedef enum call_deed {
    SUCCEED,
    FAIL_WHILE_ALIVE, /* LIMIT, as long as the entity lives */
    MAKE_ENTITY,
    GIVE_VALUE, /* of any type, also of types that a buffer refuses */
    END_ENTITY,
    RECORD_HERE, /* refused: the buffer is being replayed */
    RECORD_ELSEWHERE,
    REPLAY_ELSEWHERE,
    DEEDS
} call_deed;

typedef struct command {
    command_kind kind;
    covey_entity e;
    uint32_t type;
    naive_component component;
    call_deed deed;
} command;

typedef struct buffer {
    covey_commands *commands;
    uint32_t at, number; /* its place, and its number among all that were made: none has 0 */
    uint32_t entities;   /* to be kept ready */
    uint32_t ready;      /* at most so many are */
    bool ready_is_known; /* exactly so many */
    bool busy;           /* being replayed */
    uint32_t lost;
    covey_result lost_result, result;
    uint32_t count;
    command list[COMMANDS];
} buffer;

/* What a recorded function did that the model cannot know. */
typedef struct fact {
    covey_entity made;
    buffer *replayed; /* NULL: no buffer was there that it could use */
    covey_replay replay;
} fact;

struct sim_buffers {
    buffer *buffers[BUFFERS];
    uint32_t last;
    fact facts[FACTS]; /* of the functions of a replay, in their order */
    uint32_t fact_count, facts_used;
};

static const char *name_of(uint32_t type) { return value_types[type]->name; }

static bool has_value(command_kind kind) { return kind == ADD || kind == SET || kind == SEND; }

/* Buffers move values as bytes. */
static bool can_be_recorded(uint32_t type) { return !value_types[type]->move; }

static bool has_room(const buffer *b) { return b->count < COMMANDS; }

/* Where handles are small, a world may have no index left at any time. */
static bool may_be_full(void) { return COVEY_INDEX_BITS < 16; }

/* ---- Recording ----------------------------------------------------------------------------------------------------*/

static void lose(sim *s, buffer *b, covey_result result) {
    b->result = result;
    if (sim_lies(s, SIM_LIE_LOSS_UNCOUNTED)) return;
    if (b->lost++ == 0) b->lost_result = result;
}

/* A recording succeeded, or failed with the expected result, or for memory. */
static bool settle_recording(sim *s, buffer *b, bool recorded, covey_result expected) {
    covey_result result = recorded ? COVEY_OK : covey_commands_result(b->commands);
    if (!recorded) lose(s, b, result);
    if (result == COVEY_ERROR_MEMORY && s->heap.failed) return false;
    SIM_REQUIRE(s, result == expected, "recording: the result is \"%s\", not \"%s\"", covey_result_text(result),
                covey_result_text(expected));
    return recorded;
}

static void append(sim *s, buffer *b, const command *c) {
    if (!sim_lies(s, SIM_LIE_COMMAND_MISSING)) b->list[b->count++] = *c;
}

static bool is_recorded_index(const sim_side *side, uint32_t index) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = side->buffers->buffers[i];
        for (uint32_t k = 0; b && k < b->count; k++)
            if (b->list[k].kind == CREATE && b->list[k].e.index == index) return true;
    }
    return false;
}

static covey_result may_create(const buffer *b, bool created) {
    bool world_has_none = b->ready == 0 && b->entities == 0 && may_be_full();
    if (!created && (!b->ready_is_known || world_has_none) && covey_commands_result(b->commands) == COVEY_ERROR_FULL)
        return COVEY_ERROR_FULL;
    return b->entities != 0 && b->ready_is_known && b->ready == 0 ? COVEY_ERROR_FULL : COVEY_OK;
}

static void record_create(sim *s, sim_side *side, buffer *b) {
    if (!has_room(b)) return;
    covey_entity e = covey_record_create(b->commands);
    covey_result expected = may_create(b, !covey_is_null(e));
    if (!settle_recording(s, b, !covey_is_null(e), expected)) {
        if (expected == COVEY_ERROR_FULL) b->ready = 0, b->ready_is_known = true;
        return;
    }
    SIM_REQUIRE(s, covey_is_null(covey_entity_at(side->world, e.index)) && !is_recorded_index(side, e.index),
                "a recorded entity has an index that is in use");
    if (b->ready != 0) b->ready--;
    append(s, b, &(command){ .kind = CREATE, .e = e });
}

static bool call_record(buffer *b, const command *c) {
    unsigned char _Alignas(64) value[VALUE_BYTES];
    const covey_type *type = value_types[c->type];
    if (has_value(c->kind)) value_make(c->type, c->component.seed, c->component.link, value);
    bool recorded = false;
    switch (c->kind) {
    case ADD: recorded = covey_record_add_raw(b->commands, c->e, type, value); break;
    case SET: recorded = covey_record_set_raw(b->commands, c->e, type, value); break;
    case REMOVE: recorded = covey_record_remove_raw(b->commands, c->e, type); break;
    case DESTROY: recorded = covey_record_destroy(b->commands, c->e); break;
    case SEND: recorded = covey_record_send_raw(b->commands, type, value); break;
    default: break;
    }
    if (!recorded && has_value(c->kind)) value_end(c->type, value);
    return recorded;
}

/* Records a command for an entity, or the sending of an event. */
static void record_for(sim *s, sim_side *side, buffer *b, command_kind kind, covey_entity e, uint32_t type) {
    command c = { .kind = kind, .e = e, .type = type };
    if (!has_room(b) || (has_value(kind) && !can_be_recorded(type))) return;
    c.component = (naive_component){ .seed = value_is_tag(type) ? 0 : ++s->seeds, .present = true };
    if (value_has_link(type)) c.component.link = sim_any(side, sim_mix(s->seeds, s->at));
    sim_touch_type(s, type);
    bool recorded = call_record(b, &c);
    bool dead = covey_is_null(e) && kind != SEND;
    covey_result expected = dead ? COVEY_ERROR_DEAD : b->busy ? COVEY_ERROR_REFUSED : COVEY_OK;
    if (settle_recording(s, b, recorded, expected)) append(s, b, &c);
}

/* ---- Recorded functions -------------------------------------------------------------------------------------------*/

/* What a buffer copies for a recorded function. The owned value shows that the function ends, and ends once. */
typedef struct call_data {
    sim *s;
    uint32_t side, buffer;
    command command;
    uint32_t owner;
    unsigned char owned[VALUE_BYTES];
} call_data;

static uint32_t owner_type(void) { return value_type_number(&(covey_type){ .name = "BlockOwner" }); }

/* Another buffer than that of the function, which is not being replayed; or NULL. */
static buffer *find_other(const sim_buffers *buffers, uint32_t at, uint32_t n) {
    buffer *other = buffers->buffers[(at + 1 + n % (BUFFERS - 1)) % BUFFERS];
    return other && !other->busy ? other : NULL;
}

static fact *note_fact(sim *s, sim_buffers *buffers) {
    SIM_REQUIRE(s, buffers->fact_count < FACTS, "more functions were called than recorded");
    fact *f = &buffers->facts[buffers->fact_count++];
    *f = (fact){ .replay = { .result = COVEY_OK } };
    return f;
}

static covey_result give_value(covey_world *world, const command *c) {
    unsigned char _Alignas(64) value[VALUE_BYTES];
    value_make(c->type, c->component.seed, c->component.link, value);
    if (covey_set_raw(world, c->e, value_types[c->type], value)) return COVEY_OK;
    covey_result result = covey_world_result(world);
    if (result == COVEY_ERROR_GONE) return COVEY_OK; /* a listener removed it */
    value_end(c->type, value);
    return result;
}

static covey_result make_entity(covey_world *world, sim *s, sim_buffers *buffers) {
    covey_entity made = covey_create(world);
    covey_result result = covey_is_null(made) ? covey_world_result(world) : COVEY_OK;
    if (result == COVEY_OK) note_fact(s, buffers)->made = made;
    return result == COVEY_ERROR_GONE ? COVEY_OK : result;
}

static covey_replay call_replay(sim *s, buffer *b);

static covey_result do_deed(covey_world *world, sim *s, sim_side *side, const call_data *data) {
    const command *c = &data->command;
    sim_buffers *buffers = side->buffers;
    buffer *other = find_other(buffers, data->buffer, c->e.index);
    switch (c->deed) {
    case FAIL_WHILE_ALIVE: return covey_alive(world, c->e) ? COVEY_ERROR_LIMIT : COVEY_OK;
    case MAKE_ENTITY: return make_entity(world, s, buffers);
    case GIVE_VALUE: return give_value(world, c);
    case END_ENTITY: covey_destroy(world, c->e); break;
    case RECORD_HERE: record_for(s, side, buffers->buffers[data->buffer], DESTROY, c->e, c->type); break;
    case RECORD_ELSEWHERE:
        if (other) record_for(s, side, other, REMOVE, c->e, c->type);
        break;
    case REPLAY_ELSEWHERE: {
        fact *f = note_fact(s, buffers); /* before those of the functions that the replay calls */
        f->replayed = other;
        if (other) f->replay = call_replay(s, other);
        break;
    }
    default: break;
    }
    return COVEY_OK;
}

/* Without a world, the command is discarded: the side may be ending. */
static covey_result recorded_call(covey_world *world, void *bytes) {
    call_data *data = bytes;
    covey_result result = world ? do_deed(world, data->s, &data->s->sides[data->side], data) : COVEY_OK;
    if (result == COVEY_OK) value_end(data->owner, data->owned);
    return result;
}

static void record_call_of(sim *s, sim_side *side, buffer *b, call_deed deed, covey_entity e, uint32_t type) {
    call_data data = { .s = s, .side = (uint32_t)(side - s->sides), .buffer = b->at, .owner = owner_type() };
    if (!has_room(b)) return;
    data.command = (command){ .kind = CALL, .e = e, .type = type, .deed = deed };
    data.command.component = (naive_component){ .seed = value_is_tag(type) ? 0 : ++s->seeds, .present = true };
    value_make(data.owner, s->seeds, COVEY_NULL, data.owned);
    bool recorded = covey_record_call(b->commands, recorded_call, &data, sizeof data);
    if (!recorded) value_end(data.owner, data.owned);
    if (settle_recording(s, b, recorded, COVEY_OK)) append(s, b, &data.command);
}

/* ---- Replaying ----------------------------------------------------------------------------------------------------*/

/* Ids are ready again, unless the world has too few, or no memory. */
static void note_refill(sim *s, buffer *b, uint32_t wanted) {
    bool certain = !s->heap.failed && !may_be_full();
    if (b->ready > wanted) return;
    if (b->ready < wanted) b->ready_is_known = certain;
    else b->ready_is_known |= certain;
    b->ready = wanted;
}

/* The library replays, and what the buffer itself should know follows. */
static covey_replay call_replay(sim *s, buffer *b) {
    b->busy = true;
    covey_replay replay = covey_commands_replay(b->commands);
    b->busy = false;
    note_refill(s, b, b->entities);
    SIM_REQUIRE(s, replay.lost == b->lost, "replay: %u lost, not %u", replay.lost, b->lost);
    if (replay.left == 0) {
        covey_result expected = b->lost != 0 ? b->lost_result : COVEY_OK;
        SIM_REQUIRE(s, replay.result == expected, "replay: the result is \"%s\", not \"%s\"",
                    covey_result_text(replay.result), covey_result_text(expected));
        b->lost = 0;
    }
    return replay;
}

/* Why a command fails; COVEY_OK if it does not. */
static covey_result obstacle_of(const sim_side *side, const command *c) {
    bool alive = naive_find(side->naive, c->e) != NULL;
    if (c->kind == ADD && naive_component_of(side->naive, c->e, c->type)) return COVEY_ERROR_PRESENT;
    if (c->kind == CALL && c->deed == FAIL_WHILE_ALIVE && alive) return COVEY_ERROR_LIMIT;
    if (c->kind == CALL && c->deed == GIVE_VALUE && !alive) return COVEY_ERROR_DEAD;
    return COVEY_OK;
}

static void model_replay(sim *s, sim_side *side, buffer *b, const covey_replay *replay);

static void model_value(sim *s, sim_side *side, const command *c) {
    if (naive_component_of(side->naive, c->e, c->type)) sim_was_set(s, side, c->e, c->type, &c->component);
    else sim_added(s, side, c->e, c->type, &c->component);
}

static const fact *next_fact(sim *s, sim_buffers *buffers) {
    SIM_REQUIRE(s, buffers->facts_used < buffers->fact_count, "a recorded function was not called");
    return &buffers->facts[buffers->facts_used++];
}

static void model_call(sim *s, sim_side *side, const command *c) {
    const fact *f;
    sim_touch_type(s, c->type);
    switch (c->deed) {
    case MAKE_ENTITY: sim_created(s, side, next_fact(s, side->buffers)->made); break;
    case GIVE_VALUE: model_value(s, side, c); break;
    case END_ENTITY:
        if (naive_find(side->naive, c->e)) sim_destroyed(s, side, c->e);
        break;
    case REPLAY_ELSEWHERE:
        f = next_fact(s, side->buffers);
        if (f->replayed) model_replay(s, side, f->replayed, &f->replay);
        break;
    default: break;
    }
}

/* Does what the command should have done. Returns false if it is skipped: its entity does not live. */
static bool model_command(sim *s, sim_side *side, const command *c) {
    static const sim_feature features[] = { SIM_CREATE,  SIM_ADD,    SIM_SET,     SIM_REMOVE,
                                            SIM_DESTROY, SIM_EVENTS, SIM_COMMANDS };
    bool alive = c->kind == CREATE || c->kind >= SEND || naive_find(side->naive, c->e);
    sim_touch(s, features[c->kind]);
    if (!alive || sim_lies(s, SIM_LIE_COMMAND_NOT_REPLAYED)) return alive;
    switch (c->kind) {
    case CREATE: sim_created(s, side, c->e); break;
    case ADD:
    case SET: model_value(s, side, c); break;
    case REMOVE:
        if (naive_component_of(side->naive, c->e, c->type)) sim_removed(s, side, c->e, c->type);
        break;
    case DESTROY: sim_destroyed(s, side, c->e); break;
    case SEND: sim_sent(s, side, c->type, &c->component); break;
    case CALL: model_call(s, side, c); break;
    }
    return true;
}

static void drop_first(buffer *b, uint32_t count) {
    b->count -= count;
    memmove(b->list, b->list + count, b->count * sizeof b->list[0]);
}

/* The command that is now the first one stopped the replay. */
static void check_stop(sim *s, const sim_side *side, const buffer *b, covey_result result) {
    if (result == COVEY_ERROR_MEMORY && s->heap.failed) return;
    if (result == COVEY_ERROR_FULL && may_be_full()) return; /* a function that makes an entity */
    covey_result expected = obstacle_of(side, &b->list[0]);
    SIM_REQUIRE(s, expected != COVEY_OK && result == expected, "replay stops with \"%s\", not \"%s\"",
                covey_result_text(result), covey_result_text(expected));
}

/* Does what the library says it has done; each command was to be done, or skipped, as it was. */
static void model_replay(sim *s, sim_side *side, buffer *b, const covey_replay *replay) {
    uint32_t count = replay->done + replay->skipped, skipped = 0;
    SIM_REQUIRE(s, count <= b->count, "replay: %u commands, but %u were recorded", count, b->count);
    for (uint32_t i = 0; i < count; i++) {
        covey_result obstacle = obstacle_of(side, &b->list[i]);
        SIM_REQUIRE(s, obstacle == COVEY_OK, "replay does a command that should fail: %s", covey_result_text(obstacle));
        skipped += !model_command(s, side, &b->list[i]);
    }
    SIM_REQUIRE(s, skipped == replay->skipped, "replay skips %u commands, not %u", replay->skipped, skipped);
    drop_first(b, count);
    if (replay->left != 0) check_stop(s, side, b, replay->result);
}

/* ---- Discarding ---------------------------------------------------------------------------------------------------*/

/* A handle that was recorded and never created is stale for ever. Its index is ready again with the next generation. */
static void discard(sim *s, sim_side *side, buffer *b, const command *c) {
    if (c->kind != CREATE) return;
    sim_is_stale(s, side, c->e);
    if (b->entities != 0 && c->e.generation != COVEY_GENERATION_MAX) b->ready++;
}

static void discard_all(sim *s, sim_side *side, buffer *b) {
    for (uint32_t i = 0; i < b->count; i++) discard(s, side, b, &b->list[i]);
    b->count = b->count != 0 && sim_lies(s, SIM_LIE_CLEARED_STAYS);
    b->lost = 0;
}

/* ---- The part -----------------------------------------------------------------------------------------------------*/

static void begin(sim *s, sim_side *side) {
    (void)s;
    side->buffers = calloc(1, sizeof *side->buffers);
    if (!side->buffers) abort();
}

/* Half of the buffers end with the world. */
static void end(sim *s, sim_side *side) {
    (void)s;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffer *b = side->buffers->buffers[i];
        if (b && i % 2 == 0) covey_commands_destroy(b->commands);
        free(b);
    }
    free(side->buffers);
}

static void check_buffer(sim *s, const sim_side *side, const buffer *b) {
    SIM_REQUIRE(s, covey_commands_count(b->commands) == b->count, "a buffer has %u commands, not %u",
                covey_commands_count(b->commands), b->count);
    SIM_REQUIRE(s, covey_commands_result(b->commands) == b->result, "a buffer has another result");
    for (uint32_t i = 0; i < b->count; i++)
        SIM_REQUIRE(s, b->list[i].kind != CREATE || !covey_alive(side->world, b->list[i].e),
                    "%u lives before it is replayed", b->list[i].e.index);
}

static void check(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (side->buffers->buffers[i]) check_buffer(s, side, side->buffers->buffers[i]);
}

/* Commands are replayed from the first on: those that are no longer there were done. */
static void adopt(sim *s, sim_side *side) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffer *b = side->buffers->buffers[i];
        if (!b) continue;
        uint32_t left = covey_commands_count(b->commands);
        SIM_REQUIRE(s, left <= b->count, "a buffer has %u commands, but %u were recorded", left, b->count);
        drop_first(b, b->count - left);
    }
}

static uint64_t in_force(const sim_side *side) {
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (side->buffers->buffers[i] && side->buffers->buffers[i]->count != 0) return SIM_BIT(SIM_COMMANDS);
    return 0;
}

/* A snapshot has the ids that are ready, not the commands. */
typedef struct ready_ids {
    uint32_t number, ready;
    bool is_known;
} ready_ids;

static void *save(const sim_side *side) {
    ready_ids *saved = calloc(BUFFERS, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = side->buffers->buffers[i];
        if (b) saved[i] = (ready_ids){ b->number, b->ready, b->ready_is_known };
    }
    return saved;
}

/* A newer buffer has none until it is replayed. */
static void restore(sim *s, sim_side *side, const void *state) {
    const ready_ids *saved = state;
    (void)s;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        buffer *b = side->buffers->buffers[i];
        if (!b) continue;
        bool known = saved && saved[i].number == b->number;
        b->ready = known ? saved[i].ready : 0;
        b->ready_is_known = known ? saved[i].is_known : true;
    }
}

const sim_part sim_part_buffers = { .begin = begin,
                                    .end = end,
                                    .check = check,
                                    .adopt = adopt,
                                    .in_force = in_force,
                                    .save = save,
                                    .restore = restore,
                                    .forget = free };

bool sim_entities_wait(const sim_side *side) {
    for (uint32_t i = 0; i < BUFFERS; i++) {
        const buffer *b = side->buffers->buffers[i];
        for (uint32_t k = 0; b && k < b->count; k++)
            if (b->list[k].kind == CREATE) return true;
    }
    return false;
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

/* The n-th of the buffers, counted round; or NULL. */
static buffer *pick_buffer(const sim_side *side, uint32_t n) {
    for (uint32_t i = 0; i < BUFFERS; i++)
        if (side->buffers->buffers[(n + i) % BUFFERS]) return side->buffers->buffers[(n + i) % BUFFERS];
    return NULL;
}

/* A handle that some buffer has recorded as created, or any. */
static covey_entity pick_handle(sim_side *side, uint32_t n) {
    const buffer *b = pick_buffer(side, n / 4);
    for (uint32_t i = 0; b && n % 4 == 0 && i < b->count; i++) {
        const command *c = &b->list[(n / 16 + i) % b->count];
        if (c->kind == CREATE) return c->e;
    }
    return sim_any(side, n / 4);
}

static void create(sim *s, sim_side *side, const sim_step *step) {
    uint32_t at = 0, entities = step->a % 2 == 0 ? 0 : 1 + step->b % 6;
    while (at < BUFFERS && side->buffers->buffers[at]) at++;
    if (at == BUFFERS) return;
    sim_say(s, "commands_create: %u ids", entities);
    covey_commands *commands = covey_commands_create(side->world, &(covey_commands_desc){ .entities = entities });
    bool full = !commands && may_be_full() && covey_world_result(side->world) == COVEY_ERROR_FULL;
    if (!sim_settle(s, side, commands != NULL, full ? COVEY_ERROR_FULL : COVEY_OK)) return;
    buffer *b = calloc(1, sizeof *b);
    if (!b) abort();
    *b = (buffer){ .commands = commands, .at = at, .number = ++side->buffers->last };
    b->entities = b->ready = entities;
    if (entities != 0 && sim_lies(s, SIM_LIE_ID_MISSING)) b->ready--;
    b->ready_is_known = true;
    side->buffers->buffers[at] = b;
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    if (!b) return;
    sim_say(s, "commands_destroy: buffer %u with %u commands", b->at, b->count);
    discard_all(s, side, b);
    covey_commands_destroy(b->commands);
    side->buffers->buffers[b->at] = NULL;
    free(b);
}

/* Kinds by how often they are recorded. */
static command_kind pick_kind(uint32_t n) {
    static const command_kind kinds[] = { CREATE, CREATE, ADD,    ADD,    ADD,     SET, SET,
                                          SET,    REMOVE, REMOVE, REMOVE, DESTROY, SEND };
    return kinds[n % 13];
}

static void record_any(sim *s, sim_side *side, buffer *b, covey_entity e, uint32_t n) {
    command_kind kind = pick_kind(n);
    if (kind != CREATE) record_for(s, side, b, kind, e, sim_type(n / 16));
    else if (!sim_is_crowded(side)) record_create(s, side, b);
}

static void record(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    uint32_t count = 1 + step->b % 6;
    if (!b) return;
    sim_say(s, "record: %u commands in buffer %u", count, b->at);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t n = sim_mix(step->c, i);
        record_any(s, side, b, pick_handle(side, sim_mix(n, i)), n);
    }
}

/* In a row, of the same kind and type: replaying does those together. */
static void record_alike(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    uint32_t type = sim_type(step->b), count = sim_pick_batch(s, side, type, step->c % 3 == 0, step->c, 24);
    command_kind kind = step->c % 3 == 0 ? REMOVE : step->c % 3 == 1 ? ADD : SET;
    if (!b || count == 0) return;
    sim_say(s, "record: the same for %u entities in buffer %u, %s", count, b->at, name_of(type));
    for (uint32_t i = 0; i < count; i++) record_for(s, side, b, kind, s->batch[i], type);
}

/* While a view is iterated. */
static void record_visits(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->b);
    picked_view p = pick_view(step->a, false);
    covey_view view = covey_view_make(side->world, &p.desc);
    if (!b) return;
    sim_say(s, "record: while a view is iterated, in buffer %u", b->at);
    sim_touch(s, SIM_SPANS);
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t row = 0; row < it.count; row++) {
            covey_entity e = covey_span_entity(&it, row);
            record_any(s, side, b, e, sim_mix(step->c, e.index));
        }
}

static void record_call(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    call_deed deed = (call_deed)(step->b % DEEDS);
    covey_entity e = pick_handle(side, step->c);
    if (!b || (deed == MAKE_ENTITY && sim_is_crowded(side))) return;
    if (covey_is_null(e) && deed == RECORD_HERE) deed = SUCCEED; /* DEAD comes before REFUSED */
    sim_say(s, "record: function %d for %u:%u in buffer %u", deed, e.index, e.generation, b->at);
    record_call_of(s, side, b, deed, e, sim_type(step->b / DEEDS));
}

static void replay(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    if (!b) return;
    sim_say(s, "commands_replay: buffer %u with %u commands", b->at, b->count);
    side->buffers->fact_count = side->buffers->facts_used = 0;
    covey_replay replay = call_replay(s, b);
    if (s->nested == 0) model_replay(s, side, b, &replay);
    if (s->trace)
        printf("      %u done, %u skipped, %u left, %u lost\n", replay.done, replay.skipped, replay.left, replay.lost);
}

static void skip(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    if (!b) return;
    sim_say(s, "commands_skip: buffer %u with %u commands", b->at, b->count);
    bool skipped = covey_commands_skip(b->commands);
    SIM_REQUIRE(s, skipped == (b->count != 0), "skip returns %d", skipped);
    if (!skipped) return;
    discard(s, side, b, &b->list[0]);
    if (!sim_lies(s, SIM_LIE_SKIPPED_STAYS)) drop_first(b, 1);
}

static void clear(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    if (!b) return;
    sim_say(s, "commands_clear: buffer %u with %u commands", b->at, b->count);
    covey_commands_clear(b->commands);
    discard_all(s, side, b);
}

static void reserve(sim *s, sim_side *side, const sim_step *step) {
    buffer *b = pick_buffer(side, step->a);
    uint32_t count = step->b % 8;
    if (!b) return;
    sim_say(s, "commands_reserve: %u ids for buffer %u", count, b->at);
    covey_result result = covey_commands_reserve(b->commands, count);
    bool full = result == COVEY_ERROR_FULL && may_be_full();
    if (sim_settle_result(s, result, full ? COVEY_ERROR_FULL : COVEY_OK) && b->ready < count) {
        b->ready = count;
        b->ready_is_known = true;
    }
}

/* For listeners that change the world: the model is adopted afterwards. */
void sim_command_meanwhile(sim *s, sim_side *side, covey_entity e, uint32_t n) {
    buffer *b = pick_buffer(side, n);
    if (!b || b->busy) return;
    sim_touch(s, SIM_COMMANDS);
    record_any(s, side, b, e, n / 8);
    if (n % 8 < 5) call_replay(s, b);
}

const sim_operation sim_command_operations[] = {
    { "commands_create", SIM_COMMANDS, 8, create },
    { "commands_destroy", SIM_COMMANDS, 1, destroy },
    { "record", SIM_COMMANDS, 24, record },
    { "record_alike", SIM_COMMANDS, 10, record_alike },
    { "record_visits", SIM_COMMANDS, 4, record_visits },
    { "record_call", SIM_COMMANDS, 12, record_call },
    { "commands_replay", SIM_COMMANDS, 24, replay },
    { "commands_skip", SIM_COMMANDS, 6, skip },
    { "commands_clear", SIM_COMMANDS, 2, clear },
    { "commands_reserve", SIM_COMMANDS, 3, reserve },
    { NULL, 0, 0, NULL },
};
