/* The threads of a schedule without a thread pool of the program. */
#ifndef COVEY_CREW_H
#define COVEY_CREW_H

#include <covey/schedule.h>

typedef struct covey__crew covey__crew;

/* Starts up to `threads` - 1 threads: the thread that runs tasks counts as one of the crew. NULL: MEMORY. */
covey__crew *covey__crew_create(covey__heap *heap, uint32_t threads);
void covey__crew_destroy(covey__heap *heap, covey__crew *crew); /* NULL is allowed */
uint32_t covey__crew_threads(const covey__crew *crew);          /* with the calling one; may be fewer than wanted */
/* The `run` function of covey_jobs. */
void covey__crew_run(void *pool, uint32_t count, covey_task_fn *task, void *context);

/* Waiting for other threads: first in a loop, for a short time, then asleep. */
typedef struct covey__patience {
    uint32_t loops, most;
} covey__patience;

/* How long a thread without work waits in a loop before it sleeps: not at all if threads share cores. */
covey__patience covey__patience_of(uint32_t threads);
/* Waits for a moment; false when it is time to sleep. */
bool covey__be_patient(covey__patience *patience);

#endif
