/* covey-sim: random programs over all features of Covey at once, held against a naive model.
 *
 * A program is an array of steps. A step names an operation, two worlds and a few numbers. The operation chooses its
 * operands when it runs ("the b-th living entity"), so that the rest is still a program when a step is left out, as
 * shrinking does. One seed is one program.
 *
 *     main.c      options, and the loop over seeds
 *     program.c   steps: made from a seed, written as text, read from text
 *     run.c       runs a program in worlds that it makes, and compares after each step
 *     child.c     runs programs in a child process, which may crash
 *     shrink.c    the shortest program that fails in the same way
 *     pairs.c     which features met which
 *     value.c     component types with every storage and hook, and a ledger of the values that hooks own
 *     naive.c     the model: plain lists of what a world should contain
 *     compare.c   holds a world against the model
 *     sim_image.c images by the model: what they contain, and what happens to a side that gets one
 *     os_fail.c   calls of the operating system that fail on request
 *     lies.c      ways in which the model can be wrong, which must be noticed
 *     views.h     views that a step chooses
 *     systems.h   systems of schedules, and what the model expects of a run
 *     ops_*.c     the operations, by topic
 *
 * Only the public API is used. */
#ifndef COVEY_SIM_H
#define COVEY_SIM_H

#include "lies.h"
#include "naive.h"
#include "pairs.h"
#include "program.h"
#include "tools.h"
#include "value.h"

enum {
    SIM_WORLDS = 3,
    SIM_IN_ORDER = 2, /* this world issues ids in order; in the others, entities of a kind get neighbouring ones */
    SIM_MOST = 80,    /* entities of a world; steps that create do nothing beyond it */
    SIM_BATCH = 200,  /* entities in one call */
    SIM_STALE = 32,   /* dead handles that are remembered for each world */
};

/* Parts of a side that have a file of their own define their structures there. */
typedef struct sim_listeners sim_listeners;
typedef struct sim_reactives sim_reactives;
typedef struct sim_queues sim_queues;
typedef struct sim_events sim_events;
typedef struct sim_groups sim_groups;
typedef struct sim_storages sim_storages;
typedef struct sim_buffers sim_buffers;
typedef struct sim_histories sim_histories;
typedef struct sim_followers sim_followers;
typedef struct sim_files sim_files;
typedef struct sim_schedules sim_schedules;
typedef struct sim_lookups sim_lookups;

/* A world, and what it should contain. */
typedef struct sim_side {
    covey_world *world;
    naive_world *naive;
    uint64_t through; /* features that the world has been through; pairs.h */
    covey_entity stale[SIM_STALE];
    uint32_t stale_count;
    covey_connection again; /* of the listener that makes structural changes */
    uint32_t nested;        /* those that it made in this step: the model does not know them */
    sim_listeners *listeners;
    sim_reactives *reactives;
    sim_queues *queues;
    sim_events *events;
    sim_groups *groups;
    sim_storages *storages;
    sim_buffers *buffers;
    sim_histories *histories;
    sim_followers *followers;
    sim_files *files;
    sim_schedules *schedules;
    sim_lookups *lookups;
} sim_side;

typedef struct sim {
    sim_side sides[SIM_WORLDS];
    test_heap heap;
    const sim_step *step;
    uint32_t at;      /* number of the step */
    uint32_t nested;  /* structural changes that listeners made in this step, in all worlds */
    bool refused;     /* a call of this step failed for memory */
    bool reordered;   /* sources of targets were dealt with in another order than that of the library */
    uint32_t seeds;   /* last seed of a value */
    uint64_t touched; /* features that this step has used */
    bool trace;       /* print each step */
    uint32_t honest;  /* how often the model may lie and does not, before it does */
    bool lied;
    char said[240]; /* the step in words, with its operands */
    covey_entity batch[SIM_BATCH];
    _Alignas(64) unsigned char values[SIM_BATCH * VALUE_BYTES];
} sim;

/* ---- Running (run.c) ---------------------------------------------------------------------------------------------*/

/* Runs a program. Does not return if the library and the model disagree: child.c, or an abort, ends the process. */
void sim_run(const sim_program *program, bool trace);

/* Says what the step does, with its operands. The last sentence is part of the report of a failure. */
void sim_say(sim *s, const char *format, ...) SIM_PRINTF(2, 3);
/* The library and the model disagree. Failures with the same format count as the same. */
_Noreturn void sim_fail(sim *s, const char *format, ...) SIM_PRINTF(2, 3);
/* The same for a failure that is told by a text of the library or of a hook: `what` is its kind. */
_Noreturn void sim_fail_for(sim *s, const char *what, const char *which);
#define SIM_REQUIRE(s, holds, ...) ((holds) ? (void)0 : sim_fail((s), __VA_ARGS__))

/* The call succeeded, or failed with the expected result, or failed because this step lets memory fail; or a listener
 * made changes in it, so that anything may follow. Returns whether it succeeded. */
bool sim_settle(sim *s, sim_side *side, bool succeeded, covey_result expected);
/* The same for a call that returns its result. */
bool sim_settle_result(sim *s, covey_result result, covey_result expected);

/* A feature takes part in this step. */
void sim_touch(sim *s, sim_feature feature);
/* The storage and hooks of a type take part in this step. */
void sim_touch_type(sim *s, uint32_t type);

/* ---- Operands ----------------------------------------------------------------------------------------------------*/

/* The n-th of the existing ones, modulo their number. */
sim_side *sim_side_of(sim *s);                       /* of the step's world */
sim_side *sim_other_side(sim *s);                    /* of its second world: another one than the first */
uint32_t sim_type(uint32_t n);                       /* any type */
covey_entity sim_living(sim_side *side, uint32_t n); /* null if there is none */
/* Most often a living entity, sometimes a stale or null handle. */
covey_entity sim_any(sim_side *side, uint32_t n);
/* A living entity that has the component, or, if there is none, as sim_any. */
covey_entity sim_member(sim_side *side, uint32_t type, uint32_t n);
/* Fills s->batch with up to `most` different living entities, with or without a component of the type. */
uint32_t sim_pick_batch(sim *s, sim_side *side, uint32_t type, bool has, uint32_t n, uint32_t most);
bool sim_is_crowded(const sim_side *side);
/* A number from a number: for steps that need more than three. */
uint32_t sim_mix(uint32_t a, uint32_t b);

/* A new value in s->values, number `k`; its seed and link go to the component. */
void *sim_value(sim *s, sim_side *side, uint32_t type, uint32_t k, naive_component *component);
/* Ends values number 0 to `count` - 1 that the library did not take over. */
void sim_end_values(sim *s, uint32_t type, uint32_t count);

/* Adds a new component to an entity, or removes one: the library, and the model. */
void sim_add(sim *s, sim_side *side, covey_entity e, uint32_t type);
void sim_remove(sim *s, sim_side *side, covey_entity e, uint32_t type);

/* ---- Changes of the model ------------------------------------------------------------------------------------------
 *
 * These change the model, and what reactive sets and queues should know. */

void sim_created(sim *s, sim_side *side, covey_entity e);
void sim_destroyed(sim *s, sim_side *side, covey_entity e);
void sim_left(sim *s, sim_side *side, covey_entity e); /* the same, but as a target it does not end */
/* The handles of one call, in s->batch: those of a world with ids in order ascend. */
void sim_check_order(sim *s, const sim_side *side, uint32_t count);
/* The handle was issued, and will never resolve again. */
void sim_is_stale(sim *s, sim_side *side, covey_entity e);
void sim_added(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component);
void sim_was_set(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component);
void sim_was_patched(sim *s, sim_side *side, covey_entity e, uint32_t type, const naive_component *component);
void sim_removed(sim *s, sim_side *side, covey_entity e, uint32_t type);
void sim_cleared(sim *s, sim_side *side, uint32_t type);
/* A value was handed out to be written, or is marked as changed: only ticks follow. */
void sim_marked(sim *s, sim_side *side, covey_entity e, uint32_t type);
/* The model takes everything from the library: after listeners made changes, for example. */
void sim_adopt(sim *s, sim_side *side);
/* A new world takes the place of the side's: everything of the old one ends. `naive` is taken over; NULL: adopt. */
void sim_replace_world(sim *s, sim_side *side, covey_world *world, naive_world *naive);
covey_world *sim_world_create(sim *s);
covey_world_desc sim_world_desc(sim *s);

/* ---- Comparing (compare.c) ---------------------------------------------------------------------------------------*/

/* After every step. */
void sim_compare(sim *s, sim_side *side);
/* Another world, which should contain the same: a clone, say. Ticks and disabled things are compared, too. */
void sim_compare_worlds(sim *s, covey_world *world, const naive_world *naive, const char *which);

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* What a part of a side does at certain moments. All but `begin` and `end` may be missing. */
typedef struct sim_part {
    void (*begin)(sim *s, sim_side *side);      /* the side has a world */
    void (*end)(sim *s, sim_side *side);        /* the world is about to be destroyed */
    void (*check)(sim *s, sim_side *side);      /* after every step */
    void (*adopt)(sim *s, sim_side *side);      /* the model took everything from the library */
    void (*loaded)(sim *s, sim_side *side);     /* the world, which was cleared, got an image: maybe other storages */
    uint64_t (*in_force)(const sim_side *side); /* features that exist now */
    /* What happened to the model. The component is NULL for signals of entities and removals. */
    void (*told)(sim *s, sim_side *side, covey_signal signal, covey_entity e, uint32_t type);
    /* For histories: a copy of the part's state, the way back to it, and the end of the copy. */
    void *(*save)(const sim_side *side);
    void (*restore)(sim *s, sim_side *side, const void *saved); /* NULL: the part did not exist yet */
    void (*forget)(void *saved);
} sim_part;

extern const sim_part sim_part_listeners, sim_part_reactives, sim_part_queues, sim_part_groups, sim_part_buffers,
    sim_part_histories, sim_part_followers, sim_part_schedules, sim_part_storages, sim_part_files, sim_part_lookups,
    sim_part_events;
enum { SIM_PARTS = 12 };
extern const sim_part *const sim_parts[SIM_PARTS];

/* ---- What other parts ask -----------------------------------------------------------------------------------------*/

/* The pool of a type, made if it is missing. NULL if memory fails. */
covey_pool *sim_pool(sim *s, sim_side *side, uint32_t type);
/* The entities of a pool in its order; returns how many. No world has more than SIM_LISTED. */
enum { SIM_LISTED = 4096 };
uint32_t sim_list_pool(const covey_pool *pool, covey_entity *list);
/* An event was sent in the channel of a type. Whether all events can be copied. */
void sim_sent(sim *s, sim_side *side, uint32_t type, const naive_component *event);
bool sim_events_can_be_copied(const sim_side *side);
/* A target has ended: what lookups do to its sources. Whether an entity has sources to which they would do anything. */
void sim_target_ended(sim *s, sim_side *side, covey_entity target);
bool sim_is_target(const sim_side *side, covey_entity e);
/* Whether covey_pool_keep_sorted keeps the pool in order, or a group owns it. */
bool sim_is_kept(const sim_side *side, uint32_t type);
bool sim_is_owned(const sim_side *side, uint32_t type);
/* A type that a group owns, or any type. */
uint32_t sim_owned_type(const sim_side *side, uint32_t n);
/* Whether the entity of a row may change so while a view with these types is iterated: it joins and leaves no group
 * that owns the pool of one of them, unless it leaves the pool. */
bool sim_groups_permit(const sim_side *side, const naive_entity *before, const naive_entity *after,
                       const uint32_t *types, uint32_t count);
/* Removes the folder of a process, if it has made files (ops_file.c). */
void sim_files_remove(long process);
/* Whether a command buffer has recorded entities that do not exist yet. */
bool sim_entities_wait(const sim_side *side);
/* The model does not know what the schedule has recorded. */
bool sim_schedule_is_off_track(const sim_side *side);
/* Records, and maybe replays, a command: for listeners that change the world. */
void sim_command_meanwhile(sim *s, sim_side *side, covey_entity e, uint32_t n);
/* Values were written without signals: listeners learn the values of what they know. */
void sim_mirrors_renew(sim_side *side);

/* ---- Operations --------------------------------------------------------------------------------------------------*/

typedef struct sim_operation {
    const char *name;
    sim_feature feature;
    uint32_t weight;
    void (*run)(sim *s, sim_side *side, const sim_step *step);
} sim_operation;

/* Each ends with an operation without a name. */
extern const sim_operation sim_entity_operations[], sim_component_operations[], sim_many_operations[],
    sim_view_operations[], sim_storage_operations[], sim_group_operations[], sim_signal_operations[],
    sim_reactive_operations[], sim_queue_operations[], sim_event_operations[], sim_tree_operations[],
    sim_visible_operations[], sim_copy_operations[], sim_command_operations[], sim_schedule_operations[],
    sim_image_operations[], sim_follow_operations[], sim_history_operations[], sim_file_operations[],
    sim_lookup_operations[];

#endif
