/* Systems: what a system visits and does, its body, and what the model expects of a run.
 *
 * Bodies rewrite values by spans and by rows, record commands, and, if they are exclusive, change the world. Each visit
 * has a number, which depends on values only, and the number decides what the visit does. So the model can do the same
 * visits one after the other. It finds the order, the turns and the sync points by code of its own. */
#ifndef COVEY_SIM_SYSTEMS_H
#define COVEY_SIM_SYSTEMS_H

#include <covey/group.h>
#include <covey/sort.h>
#include <covey/schedule.h>

#include "views.h"

#include <stdatomic.h>

enum { SYSTEMS = 7, PHASES = 3, FIELDS = 16, ENTRIES = 4096, MADE = 1024, NAME = 12, NO_TYPE = NAIVE_TYPES };

/* What the pieces of a system add up. The chain depends on the order of visits: only schedules are compared by it. */
typedef struct sum {
    uint64_t numbers, chain, count;
} sum;

typedef struct entry {
    covey_entity e;
    uint32_t number;
} entry;

/* An entity that a visit created. */
typedef struct made {
    covey_entity by, e;
    uint32_t turn;
} made;

typedef struct member {
    sim_schedules *of;
    char name[NAME], after[NAME], before[NAME]; /* "": no link */
    uint32_t salt, phase;
    covey_system desc;
    /* What it visits: its fields; the first `with` are required. */
    uint32_t fields[FIELDS], field_count, with, without[FIELDS], without_count;
    bool sees_disabled, visits, is_read[FIELDS];
    bool rows;
    uint32_t reads, resource;               /* a type and a resource that it uses by name, or NO_TYPE */
    uint32_t sets, removes, destroys, adds; /* of 64 visits */
    uint32_t fails_in;                      /* of 16 runs, the one in which it fails; 16: none */
    sum total;
    /* The model's. */
    bool on, due;
    uint64_t asked;
    sum expected;
    entry entries[ENTRIES];
    uint32_t entry_count, visits_expected;
    /* What bodies noted. */
    bool frozen[FIELDS]; /* fields that must not be written: a pool is kept in the order of its values */
    uint32_t turn;
    atomic_uint failed; /* the turn in which it did; 0: none */
    atomic_uint visited, lost, faults, made_count;
    made made[MADE];
} member;

typedef struct phase {
    covey_phase desc;
    char name[NAME];
    uint64_t asked;
    double passed;
} phase;

struct sim_schedules {
    sim *s;
    covey_schedule *schedule;
    member *systems[SYSTEMS]; /* in the order in which they were added */
    uint32_t count, members;  /* members: those whose context was not dropped */
    phase phases[PHASES];     /* the first is before all others */
    uint32_t phase_count, last;
    uint64_t run;
    bool off_track;  /* the model does not know what the next run does */
    bool on_threads; /* bodies may run at the same time */
    bool crowded;    /* visits create nothing */
};

/* ---- Systems (systems.c) ------------------------------------------------------------------------------------------*/

/* What follows from the number of a visit, beside new values. */
typedef struct deeds {
    bool sets, removes, destroys, adds, creates;
    uint32_t set_type, remove_type, add_type, create_type;
} deeds;
deeds system_deeds(const member *m, uint32_t number);
/* The value that a visit gives to its entity, or to the one that it creates. */
naive_component system_value(covey_entity by, uint32_t type, uint32_t number);
/* A new seed. Orders may compare seeds as signed numbers: it is not a large one. */
uint32_t system_seed(uint32_t number, uint32_t n);
/* The number of a visit, with the seed of one more value that it saw. */
uint32_t system_chain(uint32_t number, uint32_t seed);
/* Whether it changes the world at once, instead of recording commands. */
bool system_is_direct(const member *m);
bool system_writes_resource(const member *m);
/* Whether it has its turn when there are so many entities. */
bool system_is_permitted(const member *m, uint32_t count);

/* A system that the step chooses. When it is added to a schedule, the schedule owns it. */
member *system_make(const sim_side *side, const sim_step *step);
/* Before a run: forgets what bodies noted. */
void system_begin(const sim_side *side, member *m);

/* ---- The model of a run (systems_model.c) -------------------------------------------------------------------------*/

bool system_visits(const member *m, const naive_entity *n);
/* In the order in which they were added, as far as links permit. Returns how many could be placed. */
uint32_t schedule_order(const sim_schedules *h, member **order);
/* Whether all links name systems. */
bool schedule_has_plan(const sim_schedules *h);

/* What the model expects: a result, or that a command fails, so that it cannot follow. */
typedef struct prediction {
    covey_result result;
    bool is_open;
} prediction;
/* Changes the model as the run should have changed the world. */
prediction schedule_predict(sim *s, sim_side *side, double seconds);

#endif
