/* Values that memcpy must not move: a small buffer that a pointer in the same value points to. The type has a `move`
 * hook, which moves its values everywhere: in blocks, sparse sets, groups and arrays. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text; /* points to `small` if it is short, otherwise to allocated memory */
    char small[16];
} Title;

static bool is_short(const Title *title) { return title->text == title->small; }

/* Uninitialised memory becomes a title. */
static bool title_make(Title *title, const char *text) {
    size_t bytes = strlen(text) + 1;
    title->text = bytes <= sizeof title->small ? title->small : malloc(bytes);
    if (title->text) memcpy(title->text, text, bytes);
    return title->text != NULL;
}

static void title_drop(void *value, void *context) {
    Title *title = value;
    (void)context;
    if (!is_short(title)) free(title->text);
}

static void title_move(void *to, void *from, void *context) {
    Title *title = to, *was = from;
    (void)context;
    *title = *was;
    if (is_short(was)) title->text = title->small;
}

static bool title_copy(void *to, const void *from, void *context) {
    (void)context;
    return title_make(to, ((const Title *)from)->text);
}

COVEY_COMPONENT_DEFINE(Title, .move = title_move, .drop = title_drop, .copy = title_copy);

/* Makes a title in place, which needs no move. */
static void begin_title(void *value, void *text) { title_make(value, text); }

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[100];
    char text[40];
    bool right = world && covey_create_many(world, e, 100);
    for (uint32_t i = 0; right && i < 100; i++) { /* blocks grow, and move their values */
        Title title;
        snprintf(text, sizeof text, i % 2 == 0 ? "%u" : "the title of entity number %u", i);
        right = title_make(&title, text) && covey_add_value(world, e[i], Title, &title);
    }
    for (uint32_t i = 0; i < 100; i += 3) covey_remove(world, e[i], Title);
    covey_compact(world);
    right = right && covey_patch_or_add(world, e[0], Title, begin_title, "made in place");
    right = right && covey_copy(world, e[0], e[3]);
    for (uint32_t i = 0; i < 8; i++) {
        const Title *title = covey_get(world, e[i], Title);
        if (title) printf("%u: %s, %s\n", i, title->text, is_short(title) ? "inside" : "outside");
    }
    right = right && is_short(covey_get(world, e[4], Title)) && !strcmp(covey_get(world, e[4], Title)->text, "4");
    right = right && !strcmp(covey_get(world, e[3], Title)->text, "made in place");
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
