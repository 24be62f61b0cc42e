/* Threads of the operating system: only what schedules need. */
#ifndef COVEY_THREADS_H
#define COVEY_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef near /* for pointers of 16 bits; names of ours */
#undef far
typedef HANDLE covey__thread_handle;
typedef struct covey__gate {
    SRWLOCK lock;
    CONDITION_VARIABLE changed;
} covey__gate;
#else
#include <pthread.h>
typedef pthread_t covey__thread_handle;
typedef struct covey__gate {
    pthread_mutex_t lock;
    pthread_cond_t changed;
} covey__gate;
#endif

/* A lock and a condition variable. */
bool covey__gate_open(covey__gate *gate); /* false: the system has none left */
void covey__gate_close(covey__gate *gate);
void covey__gate_lock(covey__gate *gate);
void covey__gate_unlock(covey__gate *gate);
void covey__gate_wait(covey__gate *gate); /* must be locked; may return without a wake */
void covey__gate_wake(covey__gate *gate); /* wakes all threads that wait */

/* A thread that calls a function. The object must stay in place until it is joined. */
typedef struct covey__thread {
    covey__thread_handle handle;
    void (*run)(void *context);
    void *context;
} covey__thread;

bool covey__thread_start(covey__thread *thread); /* false: the system cannot start it */
void covey__thread_join(covey__thread *thread);

uint32_t covey__cores(void); /* cores that this process may use; at least 1 */
uint64_t covey__now(void);   /* nanoseconds of a monotonic clock */
void covey__thread_yield(void);

/* For loops that wait for another thread: tells the processor to pause. */
static inline void covey__pause(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
