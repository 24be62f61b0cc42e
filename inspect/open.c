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

/* ---- Ending ----------------------------------------------------------------------------------------------------------*/

/* The server must not stop while connections sleep. */
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

/* Ends what uses the world, unless that was done before. */
static void let_go(covey_inspector *inspector) {
    if (!inspector->dependent.world) return;
    refuse_all(inspector);
    inspect__server_stop(inspector);
    inspect__scans_free(inspector);
    inspect__undos_free(inspector);
    inspect__watching_end(inspector);
    covey_dependent_detach(&inspector->dependent);
}

/* The world ends first. */
static void end_world(covey_dependent *dependent) { let_go((covey_inspector *)(void *)dependent); }

/* ---- Opening ---------------------------------------------------------------------------------------------------------*/

covey_inspector *inspect__make(covey_world *world, const covey_inspect_desc *given) {
    covey_inspect_desc own = with_defaults(given), *desc = &own;
    covey_inspector unborn = { .allocator = desc->allocator };
    pthread_mutex_init(&unborn.memory, NULL);
    covey_inspector *inspector = inspect__zeroed(&unborn, sizeof unborn);
    pthread_mutex_destroy(&unborn.memory);
    if (!inspector) return NULL;
    inspector->allocator = desc->allocator;
    inspector->dependent.left = "a world is destroyed before its inspector: call covey_inspect_close first";
    inspector->dependent.ended = end_world;
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
    let_go(inspector);
    if (inspector->plain_numbers) freelocale(inspector->plain_numbers);
    if (inspector->title) inspect__free(inspector, inspector->title, strlen(inspector->title) + 1);
    covey_inspector last = { .allocator = inspector->allocator };
    pthread_mutex_destroy(&inspector->door);
    pthread_mutex_destroy(&inspector->memory);
    pthread_mutex_init(&last.memory, NULL);
    inspect__free(&last, inspector, sizeof *inspector);
    pthread_mutex_destroy(&last.memory);
}

bool inspect__prepare(covey_inspector *inspector) {
    size_t size = strlen(inspector->desc.title) + 1;
    inspector->title = inspect__resize(inspector, NULL, 0, size);
    if (inspector->title) memcpy(inspector->title, inspector->desc.title, size);
    inspector->plain_numbers = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    return inspector->title && inspector->plain_numbers && inspect__watching_begin(inspector);
}

/* Listens, and starts the thread. False: told why. */
static bool begin(covey_inspector *inspector) {
    if (!inspect__prepare(inspector)) {
        fail(inspector->dependent.world, COVEY_ERROR_MEMORY, "no memory", "");
        return false;
    }
    if (!inspect__token_make(inspector->token)) {
        fail(inspector->dependent.world, COVEY_ERROR_FILE, "the system has no random numbers for a token", "");
        return false;
    }
    int socket = inspect__listen(inspector);
    if (socket < 0) {
        char what[160];
        snprintf(what, sizeof what, "cannot listen on %.64s, port %u: ", inspector->desc.address,
                 (unsigned)inspector->desc.port);
        if (errno == EINVAL)
            fail(inspector->dependent.world, COVEY_ERROR_RANGE, what, "this is no IPv4 or IPv6 address");
        else fail(inspector->dependent.world, COVEY_ERROR_FILE, what, strerror(errno));
        return false;
    }
    snprintf(inspector->address, sizeof inspector->address, "http://%s/#token=%s", inspector->host, inspector->token);
    inspector->desc.address = inspector->desc.title = NULL; /* the caller's */
    if (inspect__server_start(inspector, socket)) return true;
    fail(inspector->dependent.world, COVEY_ERROR_MEMORY, "the server does not start: memory or threads are out", "");
    return false;
}

covey_inspector *covey_inspect_open(covey_world *world, const covey_inspect_desc *given) {
    if (given && given->connections > INSPECT__CONNECTIONS) {
        fail(world, COVEY_ERROR_RANGE, "more than 64 connections", "");
        return NULL;
    }
    covey_inspector *inspector = inspect__make(world, given);
    if (!inspector) {
        fail(world, COVEY_ERROR_MEMORY, "no memory", "");
        return NULL;
    }
    if (begin(inspector)) return inspector;
    inspect__release(inspector);
    return NULL;
}

const char *covey_inspect_address(const covey_inspector *inspector) { return inspector->address; }

void covey_inspect_close(covey_inspector *inspector) {
    if (inspector) inspect__release(inspector);
}
