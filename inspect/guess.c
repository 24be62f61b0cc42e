#include "guess.h"

#include <ctype.h>

enum { LONGEST = 63 }; /* longer names are not compared */

typedef struct guess {
    const char *text;
    size_t length;
    const char *best;
    uint32_t distance; /* of the best name */
} guess;

static bool same(char a, char b) { return tolower((unsigned char)a) == tolower((unsigned char)b); }

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* How many characters to insert, delete, replace or swap with their neighbour, regardless of case. */
static uint32_t distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    uint32_t rows[3][LONGEST + 1], *before = rows[0], *last = rows[1], *row = rows[2];
    for (uint32_t k = 0; k <= b_length; k++) last[k] = before[k] = k;
    for (uint32_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (uint32_t k = 1; k <= b_length; k++) {
            row[k] = least(least(row[k - 1], last[k]) + 1, last[k - 1] + !same(a[i - 1], b[k - 1]));
            if (i > 1 && k > 1 && same(a[i - 1], b[k - 2]) && same(a[i - 2], b[k - 1]))
                row[k] = least(row[k], before[k - 2] + 1);
        }
        uint32_t *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_length];
}

/* A name is similar if at most a third of the text differs. */
static void compare(guess *g, const char *name) {
    size_t length = strlen(name);
    if (length > LONGEST || g->length > LONGEST) return;
    uint32_t found = distance(g->text, g->length, name, length);
    if (found * 3 > g->length || found >= g->distance) return;
    g->best = name;
    g->distance = found;
}

const char *inspect__guess_type(const covey_world *world, const char *text, size_t length) {
    guess g = { text, length, NULL, UINT32_MAX };
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_type *type = covey_pool_type(covey_world_pool(world, i));
        if (!inspect__is_internal(type)) compare(&g, type->name);
    }
    return g.best;
}

const char *inspect__guess_field(const inspect__place *place, const char *text, size_t length) {
    guess g = { text, length, NULL, UINT32_MAX };
    for (uint32_t i = 0; place->fields && !place->array && i < place->fields->count; i++)
        if (place->fields->at[i].kind != COVEY_KIND_PADDING) compare(&g, place->fields->at[i].name);
    return g.best;
}
