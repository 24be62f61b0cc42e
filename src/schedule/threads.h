/* Threads of the operating system: the little that systems on several threads need. */
#ifndef COVEY_THREADS_H
#define COVEY_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
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

/* A lock, and a place to wait until something changes that it protects. */
bool covey__gate_open(covey__gate *gate); /* false: there is none to be had */
void covey__gate_close(covey__gate *gate);
void covey__gate_lock(covey__gate *gate);
void covey__gate_unlock(covey__gate *gate);
void covey__gate_wait(covey__gate *gate); /* locked; may return for no reason */
void covey__gate_wake(covey__gate *gate); /* all who wait */

/* A thread that calls a function. It stays where it is until it is joined. */
typedef struct covey__thread {
    covey__thread_handle handle;
    void (*run)(void *context);
    void *context;
} covey__thread;

bool covey__thread_start(covey__thread *thread); /* false: there is none to be had */
void covey__thread_join(covey__thread *thread);

uint32_t covey__cores(void); /* that this process may use; at least 1 */
uint64_t covey__now(void);   /* nanoseconds, from any moment on */
void covey__thread_yield(void);

/* Inside of a loop that waits for another thread. */
static inline void covey__pause(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#elif defined(__GNUC__) && defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

#endif
