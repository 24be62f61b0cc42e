/* GET log: the calls that failed since the inspector was opened. */
#include "inspector.h"

#include <stdio.h>

static void note(covey_result code, const char *text, void *context) {
    covey_inspector *inspector = context;
    inspect__log *log = &inspector->watching.log;
    pthread_mutex_lock(&log->lock);
    inspect__line *last = log->count != 0 ? &log->lines[(log->count - 1) % INSPECT__LOG_LINES] : NULL;
    bool again = last && last->code == code && strncmp(last->text, text, sizeof last->text - 1) == 0;
    if (!again) {
        last = &log->lines[log->count++ % INSPECT__LOG_LINES];
        last->code = code;
        last->times = 0;
        snprintf(last->text, sizeof last->text, "%s", text);
    }
    last->frame = atomic_load_explicit(&inspector->frame, memory_order_relaxed);
    last->times += last->times != UINT32_MAX;
    pthread_mutex_unlock(&log->lock);
}

bool inspect__log_begin(covey_inspector *inspector) {
    inspect__log *log = &inspector->watching.log;
    log->lines = inspect__zeroed(inspector, INSPECT__LOG_LINES * sizeof *log->lines);
    if (!log->lines) return false;
    pthread_mutex_init(&log->lock, NULL);
    log->listener = (covey_log_listener){ .log = note, .context = inspector };
    covey_log_connect(inspector->dependent.world, &log->listener);
    return true;
}

void inspect__log_end(covey_inspector *inspector) {
    inspect__log *log = &inspector->watching.log;
    if (!log->lines) return;
    covey_log_disconnect(inspector->dependent.world, &log->listener);
    pthread_mutex_destroy(&log->lock);
    inspect__free(inspector, log->lines, INSPECT__LOG_LINES * sizeof *log->lines);
    log->lines = NULL;
}

static void put_line(inspect__json *json, uint64_t number, const inspect__line *line) {
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "number", number);
    inspect__json_text(json, "code", inspect__result_code(line->code));
    inspect__json_text(json, "text", line->text);
    inspect__json_u64(json, "frame", line->frame);
    inspect__json_u64(json, "times", line->times);
    inspect__json_end_object(json);
}

/* Lines are numbered from 1; the answer has those after number `since`. The last line changes while its failure
 * repeats. */
bool inspect__answer_log(inspect__request *request, covey_world *world) {
    inspect__log *log = &request->inspector->watching.log;
    inspect__json *json = &request->json;
    uint64_t since;
    (void)world;
    if (!inspect__request_number(request, "since", 0, UINT64_MAX / 2, &since)) return true;
    pthread_mutex_lock(&log->lock);
    uint64_t oldest = log->count > INSPECT__LOG_LINES ? log->count - INSPECT__LOG_LINES : 0;
    uint64_t first = since > log->count ? log->count : since < oldest ? oldest : since;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "count", log->count);
    inspect__json_array(json, "lines");
    for (uint64_t i = first; i < log->count; i++) put_line(json, i + 1, &log->lines[i % INSPECT__LOG_LINES]);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    pthread_mutex_unlock(&log->lock);
    return true;
}
