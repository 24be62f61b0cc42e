/* Results: numbers, texts, logs and broken contracts. */
#include "memory/result.h"

#include "memory/inner.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

uint32_t covey_version(void) { return COVEY_VERSION; }

const char *covey_result_text(covey_result result) {
    switch (result) {
    case COVEY_OK: return "no error";
    case COVEY_ERROR_MEMORY: return "an allocation failed";
    case COVEY_ERROR_DEAD: return "the handle is null, stale or was never issued";
    case COVEY_ERROR_PRESENT: return "it exists already";
    case COVEY_ERROR_ABSENT: return "it does not exist";
    case COVEY_ERROR_FULL: return "no index or position is left";
    case COVEY_ERROR_TAKEN: return "the wanted index, handle or range is in use, used up or reserved";
    case COVEY_ERROR_RANGE: return "an argument is not valid: for example, an index or count is too large";
    case COVEY_ERROR_TYPE: return "the type's description is incomplete or contradicts itself";
    case COVEY_ERROR_LAYOUT: return "another type with this name has another layout";
    case COVEY_ERROR_COPY: return "the type cannot be copied, or its copy hook returned false";
    case COVEY_ERROR_REFUSED: return "the storage, policy, order or group of the pool does not support the operation";
    case COVEY_ERROR_CONFLICT: return "another group owns one of the pools";
    case COVEY_ERROR_GONE: return "it was done, but a listener undid it at once";
    case COVEY_ERROR_CYCLE: return "the entity would be its own ancestor";
    case COVEY_ERROR_FILE: return "a file could not be read or written";
    case COVEY_ERROR_IMAGE: return "the image is damaged, or this program cannot read it";
    case COVEY_ERROR_LIMIT: return "the image exceeds the caller's limits";
    case COVEY_ERROR_CANCELLED: return "a progress function cancelled the call";
    }
    return "an unknown result";
}

const char *covey__reason(covey_result result) {
    switch (result) {
    case COVEY_ERROR_MEMORY: return "an allocation failed: nothing has changed, so try again when there is memory";
    case COVEY_ERROR_DEAD: return "the handle is null, stale or was never issued: check it with covey_alive";
    case COVEY_ERROR_PRESENT: return "it exists already: use covey_set to overwrite it";
    case COVEY_ERROR_ABSENT: return "it does not exist: add it first";
    case COVEY_ERROR_FULL: return "no index or position is left: destroy entities or remove components first";
    case COVEY_ERROR_COPY: return "the type cannot be copied, or its copy hook returned false: see .copy and .no_copy";
    default: return covey_result_text(result);
    }
}

covey_result covey_world_result(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return COVEY__GET_WORD(world->inner->result);
}

/* Worlds without a log function print their first failures, at every assertion level, and how many more there were when
 * the world ends. So a program that fails in every frame does not fill its log. */
#define PRINTED_FAILURES 100

static bool prints(const covey_world *world) {
    return !world->inner->log && !world->inner->quiet && COVEY__GET_WORD(world->inner->failures) < PRINTED_FAILURES;
}

static void print_failure(const covey_world *world, const char *text) {
    fprintf(stderr, "covey: %s\n", text);
    if (COVEY__GET_WORD(world->inner->failures) + 1 == PRINTED_FAILURES)
        fputs("covey: further failures of this world are counted but not printed: set .log of covey_world_desc to get "
              "all, or .quiet to print none\n",
              stderr);
}

void covey__print_unprinted(const covey_world *world) {
    if (world->inner->log || world->inner->quiet || world->inner->failures <= PRINTED_FAILURES) return;
    fprintf(stderr, "covey: %" PRIu32 " further failures of a world were not printed\n",
            world->inner->failures - PRINTED_FAILURES);
}

static bool is_heard(const covey_world *world) {
    return (world->inner->log || world->inner->log_listeners || prints(world)) && world->inner->silenced == 0;
}

/* Failures of several threads at the same time may be counted as one. */
static void count_failure(covey_world *world) {
    uint32_t failures = COVEY__GET_WORD(world->inner->failures);
    if (failures != UINT32_MAX) COVEY__PUT_WORD(world->inner->failures, failures + 1);
}

covey_result covey_world_fail(covey_world *world, covey_result result, const char *text) {
    COVEY__CONTRACT(NULL, world && text, "a call needs a world and a text");
    COVEY__PUT_WORD(world->inner->result, result);
    if (world->inner->silenced != 0) return result;
    if (world->inner->log) world->inner->log(result, text, world->inner->log_context);
    if (prints(world)) print_failure(world, text);
    count_failure(world);
    for (covey_log_listener *listener = world->inner->log_listeners, *next; listener; listener = next) {
        next = listener->next; /* it may disconnect itself */
        listener->log(result, text, listener->context);
    }
    return result;
}

covey_result covey__fail(covey_world *world, covey_result result, const char *format, ...) {
    char text[256] = "";
    if (is_heard(world)) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
    }
    return covey_world_fail(world, result, text);
}

void covey__silence(covey_world *world, bool on) {
    world->inner->silenced = on ? world->inner->silenced + 1 : world->inner->silenced - 1;
}

void covey_log_connect(covey_world *world, covey_log_listener *listener) {
    COVEY__CONTRACT(NULL, world && listener && listener->log, "a call needs a world, and a listener with a function");
    covey_log_listener **end = &world->inner->log_listeners;
    while (*end && *end != listener) end = &(*end)->next;
    COVEY__CONTRACT(world, !*end, "a log listener is connected twice: disconnect it first");
    if (*end) return;
    listener->next = NULL;
    *end = listener;
}

bool covey_log_disconnect(covey_world *world, covey_log_listener *listener) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_log_listener **at = &world->inner->log_listeners;
    while (*at && *at != listener) at = &(*at)->next;
    if (!*at) return false;
    *at = listener->next;
    return true;
}

covey_result covey__fail_without(covey_world *world, covey_entity e, const covey_type *type) {
    return covey__fail(world, covey_alive(world, e) ? COVEY_ERROR_ABSENT : COVEY_ERROR_DEAD, "%u:%u has no %s: %s",
                       e.index, e.generation, type->name ? type->name : "(no name)",
                       covey_alive(world, e) ? "add it first, or check with covey_has"
                                             : "the handle is null or stale: check it with covey_alive");
}

/* Names the hook that makes the call. While systems run, that may be a hook which another thread is in: then the system
 * makes the call. */
static void say_hook(char *text, size_t size, const covey_world *world, const char *system) {
    const char *hook = COVEY__GET_WORD(world->inner->hook);
    const covey_type *type = COVEY__GET_WORD(world->inner->hook_type);
    const char *of = type ? type->name : "a type";
    if (!hook) hook = "hook";
    if (system)
        snprintf(text, size,
                 "system %s, or the %s of %s, makes a structural change: mark the system .exclusive, or record into "
                 "job->commands",
                 system, hook, of);
    else
        snprintf(text, size,
                 "the %s of %s changes the world: do that in a listener, or record it into a command buffer", hook, of);
}

bool covey__refuse_in_hook(covey_world *world, const char *file, int line) {
    char text[256];
    if (!world) covey__contract_broken(NULL, "a call needs a world", file, line); /* ends the program */
    const char *system = world->guard ? world->guard->system(world->guard) : NULL;
    bool hooked = COVEY__GET_WORD(world->hooks) > (world->guard ? 1 : 0);
    if (hooked) say_hook(text, sizeof text, world, system);
    else if (system)
        snprintf(text, sizeof text,
                 "system %s makes a structural change: mark it .exclusive, or record into job->commands", system);
    else
        snprintf(
            text, sizeof text,
            "a thread outside the schedule makes a structural change while systems run: wait until they have ended");
    covey__contract_broken(world, text, file, line);
    covey__fail(world, COVEY_ERROR_REFUSED, "%s", text);
    return true;
}

/* Private functions of the library have two underscores after `covey`. */
static bool is_public(const char *function) { return strncmp(function, "covey_", 6) == 0 && function[6] != '_'; }

void covey__contract_of(const char *function, const covey_world *world, const char *what, const char *file, int line) {
    char text[512];
    snprintf(text, sizeof text, "%s%s%s", is_public(function) ? function : "", is_public(function) ? ": " : "", what);
    covey__contract_broken(world, text, file, line);
}

void covey__contract_broken(const covey_world *world, const char *what, const char *file, int line) {
    if (world && world->inner->on_assert) {
        world->inner->on_assert(what, file, line, world->inner->assert_context);
        return;
    }
    fprintf(stderr, "covey: %s:%d: contract broken: %s\n", file, line, what);
    abort();
}
