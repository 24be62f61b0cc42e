#include "stage.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PATIENCE = 10000 }; /* ms */

void stage_types(void) {
    for (uint32_t i = 0; i < COUNT_OF(part_types); i++) assert_non_null(covey_pool_of_raw(world, part_types[i]));
}

/* Asserts the indices of the rows of an answer, and frees it. */
static void assert_rows(json_t *answer, const char *asked, const char *indices) {
    char found[1024] = "";
    size_t length = 0, i;
    json_t *row;
    json_array_foreach(member(answer, "rows"), i, row) {
        unsigned index = (unsigned)strtoul(text_of(row, "e"), NULL, 10);
        length += (size_t)snprintf(found + length, sizeof found - length, i == 0 ? "%u" : " %u", index);
    }
    if (strcmp(found, indices) != 0) print_message("%s finds %s\n", asked, found);
    assert_string_equal(found, indices);
    json_decref(answer);
}

static bool counts_its_rows(const json_t *answer) {
    return number_of(answer, "count") == (int64_t)json_array_size(member(answer, "rows"));
}

/* If the machine interrupted a pass of the scan, the scan rests as for a pass that took long, and meanwhile the count
 * is that of this pass. */
void stage_assert_found(const char *query, const char *indices) {
    json_t *answer = get_json_with("entities?limit=500", "query", query, 200);
    for (uint32_t i = 0; i < PATIENCE && !counts_its_rows(answer); i++) {
        json_decref(answer);
        usleep(1000);
        answer = get_json_with("entities?limit=500", "query", query, 200);
    }
    assert_true(json_is_true(member(answer, "complete")));
    assert_int_equal(number_of(answer, "count"), json_array_size(member(answer, "rows")));
    assert_rows(answer, query, indices);
}

void stage_assert_sorted(const char *sort, const char *indices) {
    char path[256];
    snprintf(path, sizeof path, "entities?query=Position&sort=%s", sort);
    assert_rows(get_json(path), path, indices);
}

void stage_assert_wrong(const char *query, size_t at, size_t length) {
    json_t *answer = get_json_with("entities", "query", query, 422), *error = member(answer, "error");
    assert_string_equal(text_of(error, "code"), "QUERY");
    if (number_of(error, "at") != (int64_t)at || number_of(error, "length") != (int64_t)length)
        print_message("%s: %s at %d, %d\n", query, text_of(error, "text"), (int)number_of(error, "at"),
                      (int)number_of(error, "length"));
    assert_int_equal(number_of(error, "at"), at);
    assert_int_equal(number_of(error, "length"), length);
    json_decref(answer);
}
