/* Opening and closing an inspector. */
#include "edit.h"
#include "scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static void fail(covey_world *world, covey_result result, const char *what, const char *why) {
    char text[256];
    snprintf(text, sizeof text, "covey_inspect_open: %s%s", what, why);
    covey_world_fail(world, result, text);
}

static uint32_t or_default(uint32_t number, uint32_t otherwise) { return number != 0 ? number : otherwise; }

static covey_inspect_desc with_defaults(const covey_inspect_desc *given) {
    covey_inspect_desc desc = given ? *given : (covey_inspect_desc){ 0 };
    if (!desc.address) desc.address = "127.0.0.1";
    if (!desc.title) desc.title = "Covey";
    if (!(desc.budget > 0 && desc.budget < 3600)) desc.budget = 0.002;
    desc.connections = or_default(desc.connections, 16);
    desc.requests = or_default(desc.requests, 500);
    desc.answer_bytes = or_default(desc.answer_bytes, 4u << 20);
    desc.body_bytes = or_default(desc.body_bytes, 64u << 10);
    desc.timeout = or_default(desc.timeout, 10);
    return desc;
}

/* ---- Closing ------------------------------------------------------------------------------------------------------*/

/* Answers all pending requests: libmicrohttpd must not stop while connections are suspended. */
static void refuse_all(covey_inspector *inspector) {
    pthread_mutex_lock(&inspector->door);
    inspector->closing = true;
    *inspector->jobs_end = inspector->inbox;
    inspector->inbox = NULL;
    pthread_mutex_unlock(&inspector->door);
    for (inspect__request *request = inspector->jobs, *next; request; request = next) {
        next = request->next;
        inspect__refuse(request, 503, "CLOSING", "the inspector is being closed");
        inspect__request_finish(request);
    }
}

/* Stops the server, and releases all that uses the world. Does nothing the second time. */
static void detach(covey_inspector *inspector) {
    if (!inspector->dependent.world) return;
    refuse_all(inspector);
    inspect__server_stop(inspector);
    inspect__scans_free(inspector);
    inspect__undos_free(inspector);
    inspect__watching_end(inspector);
    covey_dependent_detach(&inspector->dependent);
}

/* Called if the world is destroyed before the inspector. */
static void world_destroyed(covey_dependent *dependent) { detach((covey_inspector *)(void *)dependent); }

/* ---- Opening ------------------------------------------------------------------------------------------------------*/

covey_inspector *inspect__make(covey_world *world, const covey_inspect_desc *given) {
    covey_inspect_desc own = with_defaults(given), *desc = &own;
    covey_inspector temporary = { .allocator = desc->allocator }; /* to allocate the inspector itself */
    pthread_mutex_init(&temporary.memory, NULL);
    covey_inspector *inspector = inspect__zeroed(&temporary, sizeof temporary);
    pthread_mutex_destroy(&temporary.memory);
    if (!inspector) return NULL;
    inspector->allocator = desc->allocator;
    inspector->dependent.left = "a world is destroyed before its inspector: call covey_inspect_close first";
    inspector->dependent.ended = world_destroyed;
    inspector->desc = *desc;
    inspector->inbox_end = &inspector->inbox;
    inspector->jobs_end = &inspector->jobs;
    inspector->speed = 1;
    pthread_mutex_init(&inspector->memory, NULL);
    pthread_mutex_init(&inspector->door, NULL);
    covey_dependent_attach(world, &inspector->dependent);
    return inspector;
}

void inspect__release(covey_inspector *inspector) {
    detach(inspector);
    if (inspector->plain_numbers) freelocale(inspector->plain_numbers);
    if (inspector->title) inspect__free(inspector, inspector->title, strlen(inspector->title) + 1);
    covey_inspector temporary = { .allocator = inspector->allocator }; /* to free the inspector itself */
    pthread_mutex_destroy(&inspector->door);
    pthread_mutex_destroy(&inspector->memory);
    pthread_mutex_init(&temporary.memory, NULL);
    inspect__free(&temporary, inspector, sizeof *inspector);
    pthread_mutex_destroy(&temporary.memory);
}

bool inspect__prepare(covey_inspector *inspector) {
    size_t size = strlen(inspector->desc.title) + 1;
    inspector->title = inspect__resize(inspector, NULL, 0, size);
    if (inspector->title) memcpy(inspector->title, inspector->desc.title, size);
    inspector->plain_numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return inspector->title && inspector->plain_numbers && inspect__watching_begin(inspector);
}

/* Logs why inspect__listen failed: errno says it. */
static void fail_to_listen(const covey_inspector *inspector) {
    const covey_inspect_desc *desc = &inspector->desc;
    covey_world *world = inspector->dependent.world;
    char what[160];
    bool unreadable = errno == EINVAL;
    const char *why =
        unreadable ? "it must be localhost, or an IPv4 or IPv6 address such as 127.0.0.1" : strerror(errno);
    if (unreadable) snprintf(what, sizeof what, ".address is \"%.64s\": ", desc->address);
    else snprintf(what, sizeof what, "cannot listen on %.64s, port %u: ", desc->address, (unsigned)desc->port);
    fail(world, unreadable ? COVEY_ERROR_RANGE : COVEY_ERROR_FILE, what, why);
}

/* Opens the socket, and starts the server. Returns false, and logs why, if that fails. */
static bool start(covey_inspector *inspector) {
    if (!inspect__prepare(inspector)) {
        fail(inspector->dependent.world, COVEY_ERROR_MEMORY, "no memory", "");
        return false;
    }
    if (!inspect__token_make(inspector->token)) {
        fail(inspector->dependent.world, COVEY_ERROR_FILE, "the system provides no random numbers for the token", "");
        return false;
    }
    int socket = inspect__listen(inspector);
    if (socket < 0) {
        fail_to_listen(inspector);
        return false;
    }
    snprintf(inspector->address, sizeof inspector->address, "http://%s/#token=%s", inspector->host, inspector->token);
    inspector->desc.address = inspector->desc.title = NULL; /* owned by the caller */
    if (inspect__server_start(inspector, socket)) return true;
    fail(inspector->dependent.world, COVEY_ERROR_MEMORY, "cannot start the server: no memory, or no more threads", "");
    return false;
}

covey_inspector *covey_inspect_open(covey_world *world, const covey_inspect_desc *given) {
    if (given && given->connections > INSPECT__CONNECTIONS) {
        fail(world, COVEY_ERROR_RANGE, ".connections is more than 64", "");
        return NULL;
    }
    covey_inspector *inspector = inspect__make(world, given);
    if (!inspector) {
        fail(world, COVEY_ERROR_MEMORY, "no memory", "");
        return NULL;
    }
    if (start(inspector)) return inspector;
    inspect__release(inspector);
    return NULL;
}

const char *covey_inspect_address(const covey_inspector *inspector) { return inspector->address; }

void covey_inspect_close(covey_inspector *inspector) {
    if (inspector) inspect__release(inspector);
}
