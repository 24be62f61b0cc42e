/* Headers and paths of requests to the inspector. The first line is checked as Host, Origin and Authorization: only the
 * correct ones have access. Each further line is a path with arguments. */
#include "../inspect/test/bare.h"

#include "tools.h"

#include <covey/history.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_headers(covey_inspector *inspector, const char *line) {
    snprintf(inspector->host, sizeof inspector->host, "127.0.0.1:8080");
    inspector->port = 8080;
    memset(inspector->token, 'f', INSPECT__TOKEN_DIGITS);
    const char *colon = strrchr(line, ':');
    bool ours = colon && strcmp(colon, ":8080") == 0;
    if (inspect__host_allowed(inspector, line) && !ours) bare_stop("another host", line);
    if (inspect__origin_allowed(inspector, line) && (!ours || strncmp(line, "http://", 7) != 0))
        bare_stop("another origin", line);
    if (inspect__token_allowed(inspector, line) && (strlen(line) != 39 || strcmp(line + 7, inspector->token) != 0))
        bare_stop("another token", line);
    inspector->any_address = true;
    if (inspect__host_allowed(inspector, line) && !ours) bare_stop("another host", line);
    inspect__page_find(line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    test_heap heap = { 0 };
    char *text = malloc(size + 1), *next;
    if (!text) return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    covey_world *world = bare_world((covey_allocator){ 0 });
    covey_history *history = covey_history_create(world, 3);
    if (!covey_history_save(history)) abort();
    covey_inspector *inspector =
        bare_open(world, &(covey_inspect_desc){ .allocator = test_allocator(&heap), .history = history });
    bool first = true;
    for (char *line = text; line; line = next, first = false) {
        next = strchr(line, '\n');
        if (next) *next++ = '\0';
        if (first) check_headers(inspector, line);
        else inspect__request_destroy(bare_ask(inspector, "GET", line, NULL, 0));
    }
    bare_close(inspector);
    covey_history_destroy(history);
    covey_world_destroy(world);
    free(text);
    if (heap.bytes != 0) bare_stop("memory is lost", NULL);
    return 0;
}
