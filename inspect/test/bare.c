#include "bare.h"

#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

void bare_stop(const char *why, const char *text) {
    fprintf(stderr, "%s: %s\n", why, text ? text : "");
    abort();
}

covey_inspector *bare_open(covey_world *world, const covey_inspect_desc *desc) {
    covey_inspector *inspector = inspect__make(world, desc);
    if (!inspector || !inspect__prepare(inspector)) bare_stop("no memory", NULL);
    inspector->deadline = UINT64_MAX;
    return inspector;
}

void bare_close(covey_inspector *inspector) { inspect__release(inspector); }

/* Splits "path?key=value&key=value". */
static void read_arguments(inspect__request *request, char *arguments) {
    while (arguments && request->argument_count < INSPECT__ARGUMENTS) {
        char *next = strchr(arguments, '&');
        if (next) *next++ = '\0';
        char *value = strchr(arguments, '=');
        if (value) *value++ = '\0';
        request->arguments[request->argument_count++] = (inspect__argument){ arguments, value ? value : "" };
        arguments = next;
    }
}

static void check_answer(const inspect__request *request) {
    json_error_t error;
    if (request->json.over || request->json.failed || strcmp(request->type, "application/json") != 0) return;
    json_t *read = json_loadb(request->json.bytes, request->json.length, JSON_REJECT_DUPLICATES, &error);
    if (!read) bare_stop("an answer that is no JSON", error.text);
    bool refused = request->status >= 400;
    if (refused != (json_object_get(read, "error") != NULL))
        bare_stop("an error without a status, or the other way round", NULL);
    json_decref(read);
}

inspect__request *bare_ask(covey_inspector *inspector, const char *method, char *target, const char *body,
                           size_t length) {
    bool known;
    char *arguments = strchr(target, '?');
    if (arguments) *arguments++ = '\0';
    const inspect__endpoint *endpoint = inspect__endpoint_find(method, target, &known);
    inspect__request *request = endpoint ? inspect__request_create(inspector, NULL) : NULL;
    if (!request) return NULL;
    request->endpoint = endpoint;
    read_arguments(request, arguments);
    if (body) request->parsed = json_loadb(body, length, JSON_REJECT_DUPLICATES, NULL);
    if (body && !json_is_object(request->parsed)) {
        inspect__request_destroy(request);
        return NULL;
    }
    locale_t before = uselocale(inspector->plain_numbers);
    for (uint32_t i = 0; !endpoint->answer(request, inspector->dependent.world); i++)
        if (i == 1000) bare_stop("an answer without end", target);
    uselocale(before);
    inspect__request_drop_state(request);
    if (request->status == 0) request->status = 200;
    check_answer(request);
    return request;
}

static void hear_nothing(covey_result result, const char *text, void *context) {
    (void)result, (void)text, (void)context;
}

covey_world *bare_world(covey_allocator allocator) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .allocator = allocator, .log = hear_nothing });
    covey_entity e[12];
    if (!world || !covey_create_many(world, e, 12)) bare_stop("no memory", NULL);
    for (uint32_t i = 0; i < 7; i++) covey_pool_of_raw(world, part_types[i]);
    for (uint32_t i = 0; i < 12; i++) {
        Everything all = {
            .i8 = (int8_t)i, .u64 = i, .f32 = (float)i / 3, .text = "some text", .owner = e[i / 2], .letter = 'x'
        };
        covey_add(world, e[i], Position, { (float)i, 1 });
        if (i % 2) covey_add(world, e[i], Health, { (int32_t)i - 5, 3, i % 3 == 0, 0 });
        if (i % 3) covey_add_value(world, e[i], Everything, &all);
        if (i % 4) covey_add(world, e[i], Blob, { { i, 2, 3 } });
        if (i % 5) covey_add_tag(world, e[i], Frozen);
        if (i > 0) covey_parent_set(world, e[i], e[i / 3]);
    }
    covey_add_raw(world, e[3], covey_id(Named), NULL);
    covey_name_set(world, e[0], "tank");
    covey_name_set(world, e[1], "red tank");
    covey_disable(world, e[5]);
    covey_component_disable(world, e[4], Position);
    covey_resource_set(world, Health, { 1, 2, true, 0 });
    return world;
}
