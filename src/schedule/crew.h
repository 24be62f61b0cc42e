/* The threads of a schedule that has no pool of the program's. */
#ifndef COVEY_CREW_H
#define COVEY_CREW_H

#include <covey/schedule.h>

typedef struct covey__crew covey__crew;

/* Starts up to `threads` - 1 threads: the one that runs tasks is one of the crew. NULL: MEMORY. */
covey__crew *covey__crew_create(covey__heap *heap, uint32_t threads);
void covey__crew_destroy(covey__heap *heap, covey__crew *crew); /* NULL is fine */
uint32_t covey__crew_threads(const covey__crew *crew);          /* with the calling one: fewer may have started */
/* As the `run` of covey_jobs. */
void covey__crew_run(void *crew, uint32_t count, covey_task_fn *task, void *context);

/* Waiting for what other threads do: first in a loop, for a short time, then asleep. */
typedef struct covey__patience {
    uint32_t loops, most;
} covey__patience;

/* How long a thread that has nothing to do looks for work before it sleeps: not at all, where threads share cores. */
covey__patience covey__patience_of(uint32_t threads);
/* Waits for a moment; false when it is time to sleep. */
bool covey__be_patient(covey__patience *patience);

#endif
