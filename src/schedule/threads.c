/* Threads on POSIX and on Windows. */
#if !defined(_WIN32)
#define _GNU_SOURCE /* sched_getaffinity */
#endif

#include "schedule/threads.h"

#if defined(_WIN32)

bool covey__gate_open(covey__gate *gate) {
    InitializeSRWLock(&gate->lock);
    InitializeConditionVariable(&gate->changed);
    return true;
}

void covey__gate_close(covey__gate *gate) { (void)gate; }
void covey__gate_lock(covey__gate *gate) { AcquireSRWLockExclusive(&gate->lock); }
void covey__gate_unlock(covey__gate *gate) { ReleaseSRWLockExclusive(&gate->lock); }
void covey__gate_wait(covey__gate *gate) { SleepConditionVariableSRW(&gate->changed, &gate->lock, INFINITE, 0); }
void covey__gate_wake(covey__gate *gate) { WakeAllConditionVariable(&gate->changed); }

void covey__thread_join(covey__thread *thread) {
    WaitForSingleObject(thread->handle, INFINITE);
    CloseHandle(thread->handle);
}

uint32_t covey__cores(void) {
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? (uint32_t)info.dwNumberOfProcessors : 1;
}

uint64_t covey__now(void) {
    LARGE_INTEGER ticks, second;
    QueryPerformanceCounter(&ticks);
    QueryPerformanceFrequency(&second);
    uint64_t whole = (uint64_t)(ticks.QuadPart / second.QuadPart), part = (uint64_t)(ticks.QuadPart % second.QuadPart);
    return whole * 1000000000 + part * 1000000000 / (uint64_t)second.QuadPart;
}

void covey__thread_yield(void) { SwitchToThread(); }

#else

#include <sched.h>
#include <time.h>
#include <unistd.h>

bool covey__gate_open(covey__gate *gate) {
    if (pthread_mutex_init(&gate->lock, NULL) != 0) return false;
    if (pthread_cond_init(&gate->changed, NULL) == 0) return true;
    pthread_mutex_destroy(&gate->lock);
    return false;
}

void covey__gate_close(covey__gate *gate) {
    pthread_cond_destroy(&gate->changed);
    pthread_mutex_destroy(&gate->lock);
}

void covey__gate_lock(covey__gate *gate) { pthread_mutex_lock(&gate->lock); }
void covey__gate_unlock(covey__gate *gate) { pthread_mutex_unlock(&gate->lock); }
void covey__gate_wait(covey__gate *gate) { pthread_cond_wait(&gate->changed, &gate->lock); }
void covey__gate_wake(covey__gate *gate) { pthread_cond_broadcast(&gate->changed); }

void covey__thread_join(covey__thread *thread) { pthread_join(thread->handle, NULL); }

uint32_t covey__cores(void) {
#if defined(__linux__)
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) > 0) return (uint32_t)CPU_COUNT(&cores);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (uint32_t)online : 1;
}

uint64_t covey__now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void covey__thread_yield(void) { sched_yield(); }

#endif
