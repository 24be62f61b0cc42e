/* Memory for one structure of the library, in one piece: copying it copies the whole state of the structure, and
 * copying it back makes all of its pointers right again. */
#ifndef COVEY_TEST_ARENA_H
#define COVEY_TEST_ARENA_H

#include <covey/covey.h>

enum { ARENA_UNIT = 64, ARENA_UNITS = 512 };

typedef struct arena {
    _Alignas(ARENA_UNIT) unsigned char memory[ARENA_UNITS][ARENA_UNIT];
    uint16_t length[ARENA_UNITS]; /* units of the block that begins at a unit; 0: none does */
    uint32_t end;                 /* no block has been at or behind this unit */
    size_t bytes;                 /* that the library has asked for and not freed */
    void *root;                   /* the structure */
    uint32_t asked, fail_at;      /* allocations in this step; the number of the one that fails, or 0 */
    unsigned char junk;           /* what unused memory is filled with */
} arena;

void arena_begin(arena *a, unsigned char junk);
covey_allocator arena_allocator(arena *a);
/* The allocation with this number fails in the next step; 0: none. Then: whether there was one. */
void arena_fail(arena *a, uint32_t number);
bool arena_failed(const arena *a);

enum { ARENA_COPY = sizeof(arena) }; /* bytes of a copy, at most */
void arena_save(const arena *a, unsigned char *to);
void arena_restore(arena *a, const unsigned char *from);

#endif
