/* covey-snap verify: loads complete images, as a program would. */
#include "snap.h"

/* SNAP_NO if the image is damaged, SNAP_TROUBLE for other failures. */
static int verdict_of(covey_result result) {
    return result == COVEY_OK ? SNAP_FINE : result == COVEY_ERROR_IMAGE ? SNAP_NO : SNAP_TROUBLE;
}

static void put_line(const char *path, const covey_report *report) {
    snap_put_text(stdout, path, strlen(path));
    fputs(": ", stdout);
    if (report->result == COVEY_OK) fputs("ok", stdout);
    else snap_put_report(stdout, report);
    fputc('\n', stdout);
}

static int verify(const char *path, const snap_settings *settings) {
    snap_image image;
    covey_report report;
    if (snap_image_read(&image, path, settings, &report))
        covey_world_destroy(snap_image_load(&image, settings, &report));
    covey_buffer_free(&image.bytes);
    int verdict = verdict_of(report.result);
    if (verdict == SNAP_TROUBLE) return snap_trouble_with(path, &report);
    put_line(path, &report);
    return verdict;
}

int snap_verify(const snap_settings *settings) {
    int worst = SNAP_FINE;
    for (char **path = settings->operands; *path; path++) {
        int verdict = verify(*path, settings);
        if (verdict > worst) worst = verdict;
    }
    return worst;
}
