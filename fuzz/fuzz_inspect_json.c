/* Bodies of requests to the inspector, one per line. Each is refused or done, and leaves the world valid. Every edit
 * that can be undone is undone: before the next one if its line begins with a blank, otherwise after the last one. */
#include "../inspect/test/bare.h"

#include "../inspect/edit.h"
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const paths[] = { "edit", "undo", "storage", "systems", "run", "time" };

static void check(const covey_world *world, const char *line) {
    const char *why;
    if (!covey_world_validate(world, &why)) bare_stop(why, line);
}

static void take_back(covey_inspector *inspector, covey_world *world, uint64_t number) {
    char target[] = "undo", body[64];
    int length = snprintf(body, sizeof body, "{\"undo\":%llu}", (unsigned long long)number);
    inspect__request_destroy(bare_ask(inspector, "POST", target, body, (size_t)length));
    check(world, "undo");
}

static void run_line(covey_inspector *inspector, covey_world *world, const char *line, size_t length) {
    uint64_t before = inspector->undos ? inspector->undos->last : 0;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char target[16];
        snprintf(target, sizeof target, "%s", paths[i]);
        inspect__request_destroy(bare_ask(inspector, "POST", target, line, length));
        check(world, "a body");
    }
    uint64_t now = inspector->undos ? inspector->undos->last : 0;
    for (; length > 0 && line[0] == ' ' && now > before; now--) take_back(inspector, world, now);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test_heap heap = { 0 }, own = { 0 };
    const char *at = (const char *)data, *end = at + size;
    covey_world *world = bare_world(test_allocator(&own));
    covey_inspector *inspector =
        bare_open(world, &(covey_inspect_desc){ .allocator = test_allocator(&heap), .write = true });
    for (uint32_t lines = 0; at < end && lines < 100; lines++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        run_line(inspector, world, at, (size_t)(stop - at));
        at = stop + 1;
    }
    for (uint64_t i = inspector->undos ? inspector->undos->last : 0; i > 0; i--) take_back(inspector, world, i);
    bare_close(inspector);
    covey_world_destroy(world);
    if (heap.bytes != 0 || own.bytes != 0) bare_stop("memory is lost", NULL);
    return 0;
}
