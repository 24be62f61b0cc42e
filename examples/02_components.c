/* The verbs: add, set, replace, get, remove; tags; and components that own memory. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    int now, most;
} Health;
static const Health healthy = { 100, 100 };
COVEY_COMPONENT_DEFINE(Health, .defaults = &healthy); /* used if an entity is given no value */

COVEY_TAG_DEFINE(Poisoned); /* a component without a value */

/* A name owns its text, so the type has hooks that drop and copy it. */
typedef struct {
    char *text;
} Name;

static void name_drop(void *value, void *context) {
    (void)context;
    printf("    (dropping %s)\n", ((Name *)value)->text);
    free(((Name *)value)->text);
}

static char *duplicate(const char *text) {
    char *copy = malloc(strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

static bool name_copy(void *to, const void *from, void *context) {
    (void)context;
    ((Name *)to)->text = duplicate(((const Name *)from)->text);
    return ((Name *)to)->text != NULL;
}

COVEY_COMPONENT_DEFINE(Name, .drop = name_drop, .copy = name_copy);

static void heal(void *value, void *context) { ((Health *)value)->now += *(int *)context; }

static bool is_weak(covey_entity e, const void *value, void *context) {
    (void)e, (void)context;
    return ((const Health *)value)->now < 5;
}

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_entity hero = covey_create(world), other = covey_create(world);

    printf("add wants a component that is absent; set takes both\n");
    covey_add(world, hero, Health, { 10, 10 });
    if (!covey_add(world, hero, Health, { 5, 5 }))
        printf("    a second add: %s\n", covey_result_text(covey_world_result(world)));
    covey_set(world, hero, Health, { 7, 10 });

    printf("get gives the address, or NULL\n");
    Health *health = covey_get(world, hero, Health);
    health->now -= 2;
    printf("    hero %d of %d, other %s\n", health->now, health->most,
           covey_get(world, other, Health) ? "has" : "has not");

    printf("get_all gives several at once, or none\n");
    Name *name;
    if (!covey_get_all(world, hero, covey_into(Health, health), covey_into(Name, name)))
        printf("    not all: %d %d\n", health == NULL, name == NULL);

    printf("replace exchanges: the old value comes back\n");
    Health value = { 20, 20 };
    covey_replace(world, hero, Health, &value);
    printf("    was %d, is %d\n", value.now, covey_get(world, hero, Health)->now);

    printf("patch changes by a function; patch_or_add adds first what is absent; remove_if asks one\n");
    int points = 3;
    covey_patch_or_add(world, hero, Health, heal, &points);
    covey_patch_or_add(world, other, Health, heal, &points);
    printf("    hero %d, other %d\n", covey_get(world, hero, Health)->now, covey_get(world, other, Health)->now);
    covey_set(world, other, Health, { 1, 10 });
    printf("    weak, and removed: %u\n", covey_remove_if(world, Health, is_weak, NULL));
    printf("    by default: %d\n", covey_add_default(world, other, Health)->now);

    printf("tags\n");
    if (covey_add_tag(world, hero, Poisoned)) printf("    poisoned\n");
    printf("    poisoned and has health: %d\n", covey_has_all(world, hero, Poisoned, Health));
    printf("    removed: %d\n", covey_remove(world, hero, Poisoned));
    printf("    removed again: %d\n", covey_remove(world, hero, Poisoned));

    printf("values move in: the world owns them from then on\n");
    covey_add(world, hero, Name, { duplicate("Ada") });
    covey_set(world, hero, Name, { duplicate("Ada the Second") }); /* drops the first */

    printf("take hands a value back: nothing is dropped\n");
    Name mine = { NULL };
    if (covey_take(world, hero, Name, &mine)) printf("    %s is mine\n", mine.text);
    free(mine.text);

    printf("copies go through the hook: the caller keeps the value\n");
    Name both = { duplicate("Nobody") };
    if (!covey_add_copies(world, ((covey_entity[]){ hero, other }), 2, Name, &both)) return EXIT_FAILURE;
    free(both.text);

    printf("what is left goes with its entity, or with the world\n");
    covey_destroy(world, hero);
    covey_world_destroy(world);
    return 0;
}
