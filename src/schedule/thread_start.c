/* Starts a thread. It is alone in its file so that a test can replace it: a test that defines this function decides
 * which threads can be started. */
#include "schedule/threads.h"

#if defined(_WIN32)

static DWORD WINAPI run_thread(void *started) {
    covey__thread *thread = started;
    thread->run(thread->context);
    return 0;
}

bool covey__thread_start(covey__thread *thread) {
    thread->handle = CreateThread(NULL, 0, run_thread, thread, 0, NULL);
    return thread->handle != NULL;
}

#else

static void *run_thread(void *started) {
    covey__thread *thread = started;
    thread->run(thread->context);
    return NULL;
}

bool covey__thread_start(covey__thread *thread) {
    return pthread_create(&thread->handle, NULL, run_thread, thread) == 0;
}

#endif
