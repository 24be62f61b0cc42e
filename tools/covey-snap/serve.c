/* covey-snap serve: shows an image in the browser, read-only. */
#include "snap.h"

#ifdef SNAP_INSPECT

#include <covey/inspect.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended;

static void end(int number) {
    (void)number;
    ended = 1;
}

static void catch_signals(void) {
    struct sigaction action = { .sa_handler = end };
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

static const char *name_of(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* ---- The browser -------------------------------------------------------------------------------------------------*/

/* The token in the address is secret, but other users can read the arguments of processes. So the browser opens a
 * file that redirects to the address, and which only this user can read. */
static bool write_redirect(char *path, const char *address) {
    int file = mkstemps(path, 5);
    if (file < 0) return false;
    FILE *out = fdopen(file, "w");
    if (!out) {
        close(file);
        return false;
    }
    fprintf(out, "<!doctype html><title>covey-snap</title><meta http-equiv=\"refresh\" content=\"0;url=%s\">\n",
            address);
    bool failed = ferror(out) != 0;
    return fclose(out) == 0 && !failed;
}

static bool start_browser(const char *path) {
    pid_t child = fork();
    if (child == 0) {
        execlp("xdg-open", "xdg-open", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* ---- Serving -----------------------------------------------------------------------------------------------------*/

static void keep_last(covey_result item, const char *text, void *context) {
    (void)item;
    snprintf(context, 256, "%s", text);
}

/* Answers requests until a signal ends the program. */
static void serve(covey_inspector *inspector) {
    const struct timespec pause = { .tv_nsec = 4000000 };
    while (!ended) {
        covey_inspect_poll(inspector);
        nanosleep(&pause, NULL);
    }
}

static int open_and_serve(covey_world *world, const snap_settings *settings) {
    char why[256] = "", redirect[] = "/tmp/covey-snap-XXXXXX.html";
    covey_log_listener listener = { .log = keep_last, .context = why };
    covey_log_connect(world, &listener);
    covey_inspect_desc desc = { .port = (uint16_t)settings->port, .title = name_of(settings->operands[0]) };
    covey_inspector *inspector = covey_inspect_open(world, &desc);
    covey_log_disconnect(world, &listener);
    if (!inspector) return snap_trouble("%s", why);
    catch_signals();
    printf("%s\n", covey_inspect_address(inspector));
    bool shown = fflush(stdout) == 0, browses = (settings->options & SNAP_OPEN) != 0;
    bool made = browses && write_redirect(redirect, covey_inspect_address(inspector));
    if (browses && !(made && start_browser(redirect)))
        snap_trouble("cannot start a browser with xdg-open: open the address above");
    if (shown) serve(inspector);
    if (made) unlink(redirect);
    covey_inspect_close(inspector);
    return shown ? SNAP_FINE : snap_trouble("cannot write: %s", strerror(errno));
}

int snap_serve(const snap_settings *settings) {
    if (settings->port > UINT16_MAX) return snap_trouble("--port must be from 0 to 65535");
    covey_world *world = snap_world_read(settings->operands[0], settings);
    if (!world) return SNAP_TROUBLE;
    int status = open_and_serve(world, settings);
    covey_world_destroy(world);
    return status;
}

#else

int snap_serve(const snap_settings *settings) {
    (void)settings;
    return snap_trouble("this covey-snap was built without the inspector, which needs libmicrohttpd and jansson");
}

#endif
