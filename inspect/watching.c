/* Starts and ends what an inspector keeps between requests. */
#include "inspector.h"

bool inspect__watching_begin(covey_inspector *inspector) {
    inspector->watching.opened_at = inspect__now();
    return inspect__log_begin(inspector);
}

void inspect__watching_update(covey_inspector *inspector, uint64_t now) {
    inspect__trace_update(inspector, now);
    inspect__events_update(inspector, now);
    inspect__past_update(inspector, now);
}

void inspect__watching_end(covey_inspector *inspector) {
    inspect__trace_end(inspector);
    inspect__events_end(inspector);
    inspect__past_end(inspector);
    inspect__log_end(inspector);
}

bool inspect__is_idle(uint64_t asked_at, uint64_t now) {
    /* asked_at can be later than now: poll.c reads the clock before it answers requests. So no subtraction. */
    return now >= asked_at + INSPECT__WATCHED_SECONDS * UINT64_C(1000000000);
}
