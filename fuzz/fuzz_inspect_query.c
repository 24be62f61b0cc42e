/* Queries of the inspector. Each is answered, or refused with a position in its text; and completed at every tenth
 * position. */
#include "../inspect/test/bare.h"

#include "../inspect/query.h"
#include "tools.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(covey_inspector *inspector, const char *format, const char *query, size_t at) {
    static char target[4096];
    snprintf(target, sizeof target, format, query, at);
    inspect__request_destroy(bare_ask(inspector, "GET", target, NULL, 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test_heap heap = { 0 };
    inspect__query query;
    inspect__query_error error;
    char *text = malloc(size + 1);
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    covey_world *world = bare_world((covey_allocator){ 0 });
    covey_inspector *inspector = bare_open(world, &(covey_inspect_desc){ .allocator = test_allocator(&heap) });
    if (!inspect__query_read(&query, world, text, &error) && (error.at > strlen(text) || error.text[0] == '\0'))
        bare_stop("an error without a place, or without words", text);
    if (strlen(text) < 1500 && !strchr(text, '&')) {
        ask(inspector, "entities?query=%s", text, 0);
        ask(inspector, "entities?columns=%s", text, 0);
        ask(inspector, "values?watch=3:1.%s", text, 0);
        for (size_t at = 0; at <= strlen(text); at += 10) ask(inspector, "complete?query=%s&at=%zu", text, at);
    }
    bare_close(inspector);
    covey_world_destroy(world);
    free(text);
    if (heap.bytes != 0) bare_stop("memory is lost", NULL);
    return 0;
}
