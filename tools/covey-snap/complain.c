/* Error messages. They may contain text from untrusted files, which is escaped. */
#include "snap.h"

#include <stdarg.h>

int snap_trouble(const char *format, ...) {
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("covey-snap: ", stderr);
    snap_put_text(stderr, text, strlen(text));
    fputc('\n', stderr);
    return SNAP_TROUBLE;
}

void snap_put_report(FILE *out, const covey_report *report) {
    snap_put_text(out, report->text, strlen(report->text));
    if (report->fault != COVEY_FAULT_NONE)
        fprintf(out, " (fault %d: %s; byte %llu)", (int)report->fault, covey_fault_text(report->fault),
                (unsigned long long)report->offset);
}

int snap_trouble_with(const char *path, const covey_report *report) {
    fputs("covey-snap: ", stderr);
    if (!strstr(report->text, path)) {
        snap_put_text(stderr, path, strlen(path));
        fputs(": ", stderr);
    }
    snap_put_report(stderr, report);
    fputc('\n', stderr);
    return SNAP_TROUBLE;
}
