/* What is kept while somebody asks about it ends some seconds after the last question. */
#include "inspector.h"

bool inspect__watching_begin(covey_inspector *inspector) {
    inspector->watching.opened_at = inspect__now();
    return inspect__log_begin(inspector);
}

void inspect__watching_attend(covey_inspector *inspector, uint64_t now) {
    inspect__trace_attend(inspector, now);
    inspect__events_attend(inspector, now);
    inspect__past_attend(inspector, now);
}

void inspect__watching_end(covey_inspector *inspector) {
    inspect__trace_end(inspector);
    inspect__events_end(inspector);
    inspect__past_end(inspector);
    inspect__log_end(inspector);
}

bool inspect__is_over(uint64_t asked_at, uint64_t now) {
    return now >= asked_at + INSPECT__WATCHED_SECONDS * UINT64_C(1000000000); /* it may have been asked in this poll */
}
