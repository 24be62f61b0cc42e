/* Shared by the files of the swarm: birds, in a world and in arrays, and what each system does to one bird. */
#ifndef SWARM_H
#define SWARM_H

#include <covey/schedule.h>

/* ---- Components --------------------------------------------------------------------------------------------------*/

typedef struct {
    float x, y;
} Vector;
typedef Vector Position, Velocity; /* of every bird, in a field from 0 to 1 */
typedef float Energy;              /* every second bird has it; a bird without energy left freezes */
typedef float Sick;                /* few birds have it; it grows */

COVEY_COMPONENT_DECLARE(Position);
COVEY_COMPONENT_DECLARE(Velocity);
COVEY_COMPONENT_DECLARE(Energy);
COVEY_COMPONENT_DECLARE(Sick);
COVEY_TAG_DECLARE(Frozen); /* one in fifty has it; more in each frame */

/* ---- Birds -------------------------------------------------------------------------------------------------------*/

enum { HAS_ENERGY = 1, IS_SICK = 2, IS_FROZEN = 4 };

typedef struct Bird {
    Position position;
    Velocity velocity;
    Energy energy;
    Sick sick;
    uint8_t flags;
} Bird;

/* A world, and arrays by index with the same birds. */
typedef struct Swarm {
    covey_world *world;
    uint32_t n, frame;
    Velocity gust;
    Position *position;
    Velocity *velocity;
    Energy *energy;
    Sick *sick;
    uint8_t *flags;
} Swarm;

/* What the systems do to one bird, in the world and in the arrays. */
static inline void add(Vector *a, Vector b) { a->x += b.x, a->y += b.y; }

static inline bool is_outside(Position p) { return p.x < 0 || p.x > 1 || p.y < 0 || p.y > 1; }

/* Whether any energy is left. */
static inline bool tire(Energy *energy, Velocity v) { return (*energy -= 1 + (v.x * v.x + v.y * v.y)) > 0; }

static inline void suffer(Sick *sick, Energy *energy) {
    *sick += 0.25f;
    if (energy) *energy -= *sick;
}

/* A bird depends only on its index and the frame, so that the world and the arrays are equal. */
Bird hatch(uint32_t index, uint32_t frame);

void die(const char *what, const char *why); /* ends the program */

/* ---- The same on arrays: swarm_arrays.c --------------------------------------------------------------------------*/

void make_arrays(Swarm *s);
void free_arrays(Swarm *s);
void wind_on_arrays(Swarm *s);
void move_on_arrays(Swarm *s);
void weaken_on_arrays(Swarm *s);
void ail_on_arrays(Swarm *s);
void renew_on_arrays(Swarm *s);
void check(const Swarm *s); /* ends the program if the world and the arrays differ */

/* ---- A page in the browser: swarm_inspect.c ----------------------------------------------------------------------*/

void inspect_swarm(Swarm *s, covey_schedule *schedule, uint32_t frames); /* 0 frames: until Ctrl-C */

/* ---- Tables: swarm_report.c --------------------------------------------------------------------------------------*/

/* A system, and its time for one entity in the fastest frame; 0: not measured yet. */
typedef struct Row {
    const char *name, *loop, *about;
    void (*on_arrays)(Swarm *s);
    uint32_t entities;
    double alone_ns, together_ns, arrays_ns; /* on one thread, on all of them, on arrays */
} Row;

void print_progress(uint32_t frame, uint32_t frames); /* a bar on stderr, where that is a terminal */
void print_rows(const Row *rows, uint32_t count, uint32_t threads);
void print_memory(const covey_world *world);

#endif
