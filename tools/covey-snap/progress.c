/* Progress of long work: one line that is overwritten on a terminal; elsewhere, with --progress, a line for each 10
 * %. */
#include "snap.h"

snap_progress snap_progress_begin(const snap_settings *settings, const char *doing, const char *path, bool writes) {
    snap_progress progress = { .doing = doing, .path = path };
    if (!snap_is_terminal(stderr)) progress.mode = settings->options & SNAP_PROGRESS ? SNAP_LINES : SNAP_SILENT;
    else if (!writes || !snap_is_terminal(stdout)) progress.mode = SNAP_TERMINAL;
    return progress;
}

static unsigned percent_of(uint64_t done, uint64_t all) {
    if (done >= all) return 100;
    return all > UINT64_MAX / 100 ? (unsigned)(done / (all / 100)) : (unsigned)(done * 100 / all);
}

bool snap_progress_tell(uint64_t done, uint64_t all, void *context) {
    snap_progress *progress = context;
    unsigned percent = percent_of(done, all), step = progress->mode == SNAP_LINES ? 10 : 1;
    if (progress->mode == SNAP_SILENT || percent < progress->shown + step) return true;
    progress->shown = percent / step * step;
    bool terminal = progress->mode == SNAP_TERMINAL;
    fprintf(stderr, "%scovey-snap: %s ", terminal ? "\r" : "", progress->doing);
    snap_put_text(stderr, progress->path, strlen(progress->path));
    fprintf(stderr, ": %u %%%s", progress->shown, terminal ? "\033[K" : "\n");
    fflush(stderr);
    return true;
}

void snap_progress_end(const snap_progress *progress) {
    if (progress->mode == SNAP_TERMINAL && progress->shown != 0) fputs("\r\033[K", stderr);
}
