/* What the parts of the interpreter for worlds share. */
#ifndef COVEY_TEST_MODEL_WORLD_H
#define COVEY_TEST_MODEL_WORLD_H

#include "model.h"
#include "program.h"
#include "values.h"

#include <covey/image.h>

enum { MODEL_HISTORY = 64, MODEL_BATCH = 400 };

typedef struct model_list {
    covey_entity *ids;
    uint32_t count, capacity;
} model_list;

/* The entities that an iteration has still to visit: a flag for each index. */
typedef struct model_turns {
    bool *due;
    uint32_t count, capacity;
} model_turns;

typedef struct model {
    program program;
    const model_options *options;
    covey_world *world;
    oracle_world *oracle;
    const covey_type *types[VALUE_TYPES + VALUE_DESCRIPTIONS];
    uint32_t type_count;
    uint32_t index_limit; /* for indices that are wanted */
    uint32_t rarity;      /* of operations that end everything */
    covey_entity history[MODEL_HISTORY];
    covey_entity batch[MODEL_BATCH];
    covey_result result;         /* that the world should have */
    uint64_t block_forms;        /* for the report; capacity 64 is bit 0 */
    uint32_t failures, messages; /* of the step */
    bool sets_are_kept;          /* an observer needs memory to be told of overwritten values */
    bool may_allocate;           /* the step may, although it is quiet otherwise */
    unsigned char value[VALUE_BYTES];
    unsigned char array[MODEL_BATCH * VALUE_BYTES];
    model_list wanted, visited; /* of an iteration */
    model_turns turns;
    void *state;       /* of the subject */
    void *whole;       /* of a subject that combines others, which have a state each */
    bool behind;       /* the step has made changes that the oracle does not know yet */
    covey_world *twin; /* another world that is like this one, for as long as it is of interest */
    covey_buffer image, again;
} model;

#define REQUIRE(m, holds, ...) PROGRAM_REQUIRE(&(m)->program, holds, __VA_ARGS__)

/* Any handle: most often of a living entity, else stale, null, never issued or impossible. */
covey_entity model_pick(model *m);
/* One that has the component, if possible and if chance wants it. */
covey_entity model_pick_member(model *m, const oracle_pool *pool);
const covey_type *model_pick_type(model *m);
uint32_t model_pick_batch(model *m, const oracle_pool *without);
/* Entities with neighbouring indices, up to as many as a block has. */
uint32_t model_pick_neighbours(model *m, const oracle_pool *without);
void model_remember(model *m, covey_entity e);

/* Holds what a call did against what it should have done. Returns whether it did anything. */
bool model_settle(model *m, bool succeeded, covey_result expected);
/* The oracle's pool of a type that the library has met just now. */
oracle_pool *model_meet(model *m, const covey_type *type);
/* A call that fails late has met the type all the same. */
void model_meet_anyway(model *m, const covey_type *type);

/* The library has created entities with a set of the oracle's types, 0 for none: the oracle does so, too. */
void model_created_with(model *m, uint32_t set, const covey_entity *entities, uint32_t count);
/* After each step: the library and the oracle have the same kinds. */
void model_compare_kinds(model *m);

/* The pools of the library, but for those of its own. */
uint32_t model_pool_count(const model *m);

/* Lists of entities. */
void model_append(model_list *list, covey_entity e);
bool model_is_in(const model_list *list, covey_entity e);
/* Those of a list are still to be visited; one of them has been, if it was due. */
void model_expect(model *m, const model_list *list);
bool model_is_due(const model *m, covey_entity e);
bool model_take_turn(model *m, covey_entity e);
/* A field of an entity is where the component is, and has the right value; or is NULL where there is none. */
void model_check_field(model *m, const covey_type *type, covey_entity e, const void *at);

/* The address that a call has returned is the component's, and the value there is right. */
void model_check_component(model *m, const oracle_pool *pool, covey_entity e, const void *address);
/* A field was handed out to be written. */
void model_touch(model *m, const covey_type *type, covey_entity e);
/* Whether programs disable things, and have types with ticks. */
bool model_is_about_visibility(const model *m);
/* For operations that choose the operands: something of an entity is disabled, or enabled. */
void model_toggle(model *m, const covey_type *type, covey_entity e, bool disabled); /* NULL: all of it */

/* An order for about so many values of a type; now and then a wrong one. */
covey_order model_pick_order(model *m, const covey_type *type, uint32_t count);
/* Whether a group or an order of its own says where the components of a pool are. */
bool model_is_bound(const model *m, const oracle_pool *pool);
/* After a step: what was overwritten in a pool that is kept sorted is put in order again, and the oracle takes the
 * order of pools that a group owns from the library. */
void model_catch_up(model *m);
/* All that is kept about groups is what the oracle finds. */
void model_compare_groups(model *m);

/* Single changes, of the library and the oracle, for operations that choose the operands. */
covey_entity model_create(model *m); /* null when it fails */
void model_destroy(model *m, covey_entity e);
void model_add(model *m, const covey_type *type, covey_entity e);
void model_remove(model *m, const covey_type *type, covey_entity e);
/* What adding, and meeting a type, returns when no allocation fails. */
covey_result model_may_add(model *m, const covey_type *type, covey_entity e);
covey_result model_may_meet(model *m, const covey_type *type);
/* To the first of m->batch. */
void model_add_array(model *m, const covey_type *type, uint32_t count);
void model_create_again(model *m, uint32_t count); /* the batch */
void model_add_copies(model *m, const covey_type *type, uint32_t count);

typedef struct model_operation {
    const char *name;
    void (*run)(model *m);
    uint32_t weight;
    bool quiet; /* never allocates */
} model_operation;

/* Ended by one without a name. */
extern const model_operation model_entity_operations[], model_component_operations[], model_query_operations[],
    model_view_operations[], model_later_operations[], model_group_operations[], model_order_operations[],
    model_many_operations[];

extern const struct model_subject model_signals;
extern const struct model_subject model_ends; /* signals of entities: for worlds without components */

/* Something that only some programs are about, with operations and a state of its own. */
struct model_subject {
    const model_operation *operations;
    void (*begin)(model *m);   /* there is a world, with nothing in it */
    void (*check)(model *m);   /* after every step */
    void (*compare)(model *m); /* with all else */
    void (*end)(model *m);     /* the world is about to end */
    void (*forget)(model *m);  /* the program has ended or failed: frees the state */
    /* These may be NULL. `clear`: what follows when everything was cleared. `memory`: its bytes that are not the
     * world's. `count_tokens`: its owned values that are in no pool. */
    void (*clear)(model *m);
    size_t (*memory)(const model *m);
    void (*count_tokens)(const model *m, uint32_t *live);
    /* The program goes on in a clone of the world: what clones do not have ends. May be missing, too. */
    void (*leave)(model *m);
    /* For model_history: a copy of the state; what follows when the world has gone back to it; its end. All may be
     * missing. */
    void *(*save)(model *m);
    void (*restore)(model *m, const void *saved);
    void (*unsave)(void *saved);
    /* It has components and resources of the twin in hand: before that, those that the twin has from an image live. */
    void (*move)(model *m);
    void (*count_loaded)(model *m);
};

/* The program goes on in the twin. */
void model_move(model *m);
/* Spans of both worlds have the same entities in the same order. */
void model_compare_spans(model *m, covey_world *twin, const covey_type *type);
/* The world is saved, and loaded into a twin, which is like it; most often the program goes on in that. */
void model_save_and_load(model *m);

/* One of a table. */
const model_operation *model_pick_operation(model *m, const model_operation *operations);

extern const struct model_subject model_commands, model_copies, model_hierarchy;
extern const struct model_subject model_visible; /* enabling, and change ticks */
extern const struct model_subject model_lookups;
extern const struct model_subject model_events;  /* of the program's own */
extern const struct model_subject model_all;     /* all of these together */
extern const struct model_subject model_history; /* going back, with all of these */

/* Parts of the subject of signals, for subjects that combine it with others; m->state is the state of signals. `arm`
 * chooses a listener that removes the component, or destroys the entity, when it is told of e, or, if e is null, of any
 * entity; false without a listener. `acted` returns whether it did, and to which entity. `mirror` has the oracle do the
 * same at the same point. */
bool model_signals_arm(model *m, const oracle_pool *pool, covey_signal cue, bool destroys, covey_entity e);
bool model_signals_acted(const model *m, covey_entity *e);
void model_signals_mirror(model *m);
/* Of copies: whether so many of an entity can be made, as long as there is memory; what follows when they were. */
bool model_may_copy(model *m, covey_entity e, uint32_t count);
void model_copied(model *m, covey_entity from, const covey_entity *to, uint32_t count, bool cloned);
/* Of copies: whether a type can be copied; lets a hook say no, now and then: the number of the copy, or 0. */
bool model_can_copy(const covey_type *type);
uint32_t model_let_copies_fail(model *m, uint32_t among);
/* Of commands: whether a buffer has entities that were not made yet. */
bool model_has_recorded_entities(const model *m);
/* Of commands: replays one of the buffers; and finds where components are that the oracle has no address of. */
void model_replay(model *m);
void model_find_addresses(model *m);

#endif
