/* Threads that wait for tasks. A task is a function that is called once with each number below a count. Threads take
 * numbers from `numbers` until none is left. The thread that starts the task takes numbers, too, so it waits only for
 * calls that have begun, not for threads that are slow to wake up. */
#include "schedule/crew.h"

#include "memory/alloc.h"
#include "schedule/threads.h"

#include <stdalign.h>
#include <stdatomic.h>

enum {
    LOOPS = 8000, /* about 200 microseconds: replaying commands often takes less */
    YIELD = 64
};

struct covey__crew {
    alignas(64) atomic_uint numbers; /* count << 16 | the next number */
    covey_task_fn *task;
    void *context;
    alignas(64) atomic_uint done; /* calls of the task that have returned */
    atomic_uint asleep;           /* threads that sleep at the gate */
    atomic_bool ends;
    covey__gate gate;
    covey__patience patience;
    uint32_t started; /* threads */
    covey__thread threads[COVEY_THREADS];
};

/* ---- Waiting -----------------------------------------------------------------------------------------------------*/

covey__patience covey__patience_of(uint32_t threads) {
    return (covey__patience){ 0, threads <= covey__cores() ? LOOPS : 0 };
}

/* Yields from time to time, because the thread that it waits for may need the core. */
bool covey__be_patient(covey__patience *patience) {
    if (patience->loops >= patience->most) return false;
    if (++patience->loops % YIELD == 0) covey__thread_yield();
    else covey__pause();
    return true;
}

/* Wakes sleeping threads. */
static void wake(covey__crew *crew) {
    if (atomic_load(&crew->asleep) == 0) return;
    covey__gate_lock(&crew->gate);
    covey__gate_wake(&crew->gate);
    covey__gate_unlock(&crew->gate);
}

/* Sleeps as long as `stays` returns true. */
static void sleep_while(covey__crew *crew, bool (*stays)(covey__crew *crew)) {
    covey__gate_lock(&crew->gate);
    atomic_fetch_add(&crew->asleep, 1);
    while (stays(crew)) covey__gate_wait(&crew->gate);
    atomic_fetch_sub(&crew->asleep, 1);
    covey__gate_unlock(&crew->gate);
}

/* ---- Taking numbers ----------------------------------------------------------------------------------------------*/

static uint32_t count_of(uint32_t numbers) { return numbers >> 16; }
static uint32_t next_of(uint32_t numbers) { return numbers & 0xffff; }
static bool is_left(uint32_t numbers) { return next_of(numbers) < count_of(numbers); }

/* Takes a number and calls the task with it. Returns false when none is left. */
static bool take_number(covey__crew *crew) {
    uint32_t numbers = atomic_load(&crew->numbers);
    while (is_left(numbers) && !atomic_compare_exchange_weak(&crew->numbers, &numbers, numbers + 1)) {
    }
    if (!is_left(numbers)) return false;
    crew->task(crew->context, next_of(numbers));
    if (atomic_fetch_add(&crew->done, 1) + 1 == count_of(numbers)) wake(crew);
    return true;
}

static bool has_nothing_to_do(covey__crew *crew) {
    return !is_left(atomic_load(&crew->numbers)) && !atomic_load(&crew->ends);
}

static void serve(void *context) {
    covey__crew *crew = context;
    while (!atomic_load(&crew->ends)) {
        covey__patience patience = crew->patience;
        while (take_number(crew)) {
        }
        while (has_nothing_to_do(crew) && covey__be_patient(&patience)) {
        }
        if (has_nothing_to_do(crew)) sleep_while(crew, has_nothing_to_do);
    }
}

static bool is_not_done(covey__crew *crew) { return atomic_load(&crew->done) != count_of(atomic_load(&crew->numbers)); }

void covey__crew_run(void *pool, uint32_t count, covey_task_fn *task, void *context) {
    covey__crew *crew = pool;
    covey__patience patience = crew->patience;
    crew->task = task;
    crew->context = context;
    atomic_store(&crew->done, 1);
    atomic_store(&crew->numbers, count << 16 | 1);
    wake(crew);
    task(context, 0); /* each time the same number, whose data is in the caches of this thread */
    while (take_number(crew)) {
    }
    while (is_not_done(crew) && covey__be_patient(&patience)) {
    }
    if (is_not_done(crew)) sleep_while(crew, is_not_done);
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

covey__crew *covey__crew_create(covey__heap *heap, uint32_t threads) {
    covey__crew *crew = covey__resize(heap, NULL, 0, 1, sizeof *crew, alignof(covey__crew));
    if (!crew) return NULL;
    memset(crew, 0, sizeof *crew);
    crew->patience = covey__patience_of(threads);
    if (!covey__gate_open(&crew->gate)) {
        covey__free(heap, crew, 1, sizeof *crew, alignof(covey__crew));
        return NULL;
    }
    for (bool more = true; more && crew->started + 1 < threads;) {
        covey__thread *thread = &crew->threads[crew->started];
        *thread = (covey__thread){ .run = serve, .context = crew };
        more = covey__thread_start(thread);
        crew->started += more;
    }
    return crew;
}

void covey__crew_destroy(covey__heap *heap, covey__crew *crew) {
    if (!crew) return;
    atomic_store(&crew->ends, true);
    wake(crew);
    for (uint32_t i = 0; i < crew->started; i++) covey__thread_join(&crew->threads[i]);
    covey__gate_close(&crew->gate);
    covey__free(heap, crew, 1, sizeof *crew, alignof(covey__crew));
}

uint32_t covey__crew_threads(const covey__crew *crew) { return crew->started + 1; }
