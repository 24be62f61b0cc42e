/* Your own threads: a schedule runs on any thread pool that can call a function n times and wait, for example that of
 * an engine. This one has four threads that take numbers under a lock. */
#include <covey/schedule.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

typedef float Heat;
COVEY_COMPONENT_DEFINE(Heat);

enum { THREADS = 4, COUNT = 100000 };

typedef struct {
    pthread_t threads[THREADS];
    pthread_mutex_t lock;
    pthread_cond_t changed;
    covey_task_fn *task;
    void *context;
    uint32_t next, count, done; /* the next number to take; how many there are; how many calls have returned */
    uint32_t calls;
    bool ends;
} Pool;

static void *serve(void *context) {
    Pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        if (pool->next == pool->count) {
            pthread_cond_wait(&pool->changed, &pool->lock);
            continue;
        }
        uint32_t number = pool->next++;
        pthread_mutex_unlock(&pool->lock);
        pool->task(pool->context, number);
        pthread_mutex_lock(&pool->lock);
        pool->done++;
        pthread_cond_broadcast(&pool->changed);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The one function of covey_jobs: calls task(context, number) for each number below count, and waits for all calls. */
static void run_all(void *context, uint32_t count, covey_task_fn *task, void *task_context) {
    Pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    pool->task = task, pool->context = task_context;
    pool->next = pool->done = 0, pool->count = count;
    pool->calls++;
    pthread_cond_broadcast(&pool->changed);
    while (pool->done != count) pthread_cond_wait(&pool->changed, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

static void cool(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
        Heat *heat = covey_field(&job->it, 0, Heat);
        for (uint32_t i = 0; i < job->it.count; i++) heat[i] *= 0.5f;
    }
}

int main(void) {
    static Pool pool = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&pool.threads[i], NULL, serve, &pool) != 0) return EXIT_FAILURE;
    covey_world *world = covey_world_create(NULL);
    covey_schedule *schedule =
        covey_schedule_create(world, &(covey_schedule_desc){ .jobs = { run_all, &pool, THREADS } });
    covey_system system = { .name = "cool", .run = cool, .split = true, .piece = 4096 };
    system.view.with[0] = covey_id(Heat);
    bool right = schedule && covey_system_add(schedule, &system) == COVEY_OK;
    covey_entity last = { 0 };
    for (int i = 0; i < COUNT; i++) covey_add(world, last = covey_create(world), Heat, { 1024 });
    for (int i = 0; i < 10 && right; i++) right = covey_schedule_run(schedule) == COVEY_OK;
    float heat = *covey_get(world, last, Heat);
    printf("%u threads of ours; heat %.1f\n", covey_schedule_threads(schedule), (double)heat);
    right = right && covey_schedule_threads(schedule) == THREADS && heat > 0.9f && heat < 1.1f && pool.calls > 0;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    pthread_mutex_lock(&pool.lock);
    pool.ends = true;
    pthread_cond_broadcast(&pool.changed);
    pthread_mutex_unlock(&pool.lock);
    for (int i = 0; i < THREADS; i++) pthread_join(pool.threads[i], NULL);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
