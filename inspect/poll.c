/* Answers requests about the world, on the thread that owns it. */
#include "scan.h"

static void take_inbox(covey_inspector *inspector) {
    pthread_mutex_lock(&inspector->door);
    if (inspector->inbox) {
        *inspector->jobs_end = inspector->inbox;
        inspector->jobs_end = inspector->inbox_end;
        inspector->inbox = NULL;
        inspector->inbox_end = &inspector->inbox;
    }
    pthread_mutex_unlock(&inspector->door);
}

static inspect__request *next_job(covey_inspector *inspector) {
    inspect__request *request = inspector->jobs;
    inspector->jobs = request->next;
    if (!inspector->jobs) inspector->jobs_end = &inspector->jobs;
    request->next = NULL;
    return request;
}

/* Appends a request, so that a long answer does not delay short ones. */
static void append_job(covey_inspector *inspector, inspect__request *request) {
    *inspector->jobs_end = request;
    inspector->jobs_end = &request->next;
}

void inspect__request_finish(inspect__request *request) {
    covey_inspector *inspector = request->inspector;
    if (request->json.over)
        inspect__refuse(request, 413, "LIMIT", "the answer has more than %u bytes: ask for less at a time",
                        inspector->desc.answer_bytes);
    if (request->status == 0) request->status = 200;
    inspect__request_drop_state(request);
    atomic_fetch_sub_explicit(&inspector->waiting, 1, memory_order_relaxed);
    MHD_resume_connection(request->connection); /* the server may free the request from here on */
}

/* Calls at least one endpoint, however small the budget is. */
static void work(covey_inspector *inspector, uint64_t now) {
    inspector->deadline = now + (uint64_t)(inspector->desc.budget * 1e9);
    take_inbox(inspector);
    bool asked = inspector->jobs != NULL;
    locale_t before = uselocale(inspector->plain_numbers);
    for (bool late = false; inspector->jobs && !late; late = inspect__now() >= inspector->deadline) {
        inspect__request *request = next_job(inspector);
        if (request->endpoint->answer(request, inspector->dependent.world)) inspect__request_finish(request);
        else append_job(inspector, request);
    }
    if (asked) inspector->asked_at = inspect__now(); /* not earlier than the times that the answers have set */
    inspect__scans_work(inspector);
    uselocale(before);
}

/* What each poll does while a client is active. */
static void serve(covey_inspector *inspector) {
    uint64_t now = inspect__now();
    inspector->dependent.busy = true;
    if (inspector->polled_at != 0) inspector->frame_time = now - inspector->polled_at;
    work(inspector, now);
    inspect__watching_update(inspector, now);
    inspector->watched = !inspect__is_idle(inspector->asked_at, now);
    inspector->polled_at = inspector->watched ? now : 0;
    inspector->dependent.busy = false;
}

/* Returns how many frames to run now. */
static uint32_t pace(covey_inspector *inspector) {
    if (inspector->paused) {
        uint32_t steps = inspector->steps;
        inspector->steps = 0;
        return steps;
    }
    inspector->owed += inspector->speed;
    uint32_t frames = (uint32_t)inspector->owed;
    inspector->owed -= frames;
    return frames;
}

uint32_t covey_inspect_poll(covey_inspector *inspector) {
    if (!inspector || !inspector->dependent.world) return 1;
    if (inspector->watched || atomic_load_explicit(&inspector->waiting, memory_order_acquire) != 0) serve(inspector);
    uint32_t frames = pace(inspector);
    uint64_t frame = atomic_load_explicit(&inspector->frame, memory_order_relaxed); /* only polls write it */
    atomic_store_explicit(&inspector->frame, frame + frames, memory_order_relaxed);
    return frames;
}
