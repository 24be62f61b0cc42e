#include "arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void arena_begin(arena *a, unsigned char junk) {
    memset(a, 0, sizeof *a);
    memset(a->memory, junk, sizeof a->memory);
    a->junk = junk;
}

/* The first unit of the first gap that is long enough. */
static uint32_t find_gap(const arena *a, uint32_t units) {
    uint32_t from = 0;
    for (uint32_t at = 0; at < a->end && at < from + units;) {
        uint32_t used = a->length[at];
        at += used != 0 ? used : 1;
        if (used != 0) from = at;
    }
    if (from + units <= ARENA_UNITS) return from;
    fprintf(stderr, "the arena is too small\n");
    exit(EXIT_FAILURE);
}

static void *take(arena *a, size_t size) {
    uint32_t units = (uint32_t)((size + ARENA_UNIT - 1) / ARENA_UNIT), at = find_gap(a, units);
    a->length[at] = (uint16_t)units;
    a->bytes += size;
    if (at + units > a->end) a->end = at + units;
    return a->memory[at];
}

static void give_back(arena *a, unsigned char *block, size_t size) {
    size_t at = (size_t)(block - a->memory[0]) / ARENA_UNIT;
    memset(block, a->junk, (size_t)a->length[at] * ARENA_UNIT);
    a->length[at] = 0;
    a->bytes -= size;
}

static void *resize(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    arena *a = context;
    void *fresh = NULL;
    (void)align;
    if (new_size != 0) {
        if (++a->asked == a->fail_at) return NULL;
        fresh = take(a, new_size);
        if (block) memcpy(fresh, block, old_size < new_size ? old_size : new_size);
    }
    if (block) give_back(a, block, old_size);
    return fresh;
}

covey_allocator arena_allocator(arena *a) { return (covey_allocator){ resize, a }; }

void arena_fail(arena *a, uint32_t number) {
    a->asked = 0;
    a->fail_at = number;
}

bool arena_failed(const arena *a) { return a->fail_at != 0 && a->asked >= a->fail_at; }

/* ---- Copies -------------------------------------------------------------------------------------------------------
 *
 *     end, bytes, root | lengths of the used units | the used units */

typedef struct head {
    size_t end, bytes;
    void *root;
} head;

void arena_save(const arena *a, unsigned char *to) {
    head h = { a->end, a->bytes, a->root };
    memcpy(to, &h, sizeof h);
    memcpy(to + sizeof h, a->length, h.end * sizeof *a->length);
    memcpy(to + sizeof h + h.end * sizeof *a->length, a->memory, h.end * ARENA_UNIT);
}

/* Units that were used only later are cleared: a block that comes there finds junk, as it did the first time. */
void arena_restore(arena *a, const unsigned char *from) {
    head h;
    memcpy(&h, from, sizeof h);
    memcpy(a->length, from + sizeof h, h.end * sizeof *a->length);
    memcpy(a->memory, from + sizeof h + h.end * sizeof *a->length, h.end * ARENA_UNIT);
    if (a->end > h.end) {
        memset(a->length + h.end, 0, (a->end - h.end) * sizeof *a->length);
        memset(a->memory[h.end], a->junk, (a->end - h.end) * ARENA_UNIT);
    }
    a->end = (uint32_t)h.end;
    a->bytes = h.bytes;
    a->root = h.root;
}
