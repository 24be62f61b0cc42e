/* Friends: many to many. An edge is an entity whose component has two handles, and each is looked up. Edges have data,
 * and end with either of their people. */
#include <covey/fields.h>
#include <covey/lookup.h>
#include <stdio.h>
#include <stdlib.h>

enum { PEOPLE = 20000, EDGES = 100000 };

typedef struct {
    covey_entity one, other;
    int32_t since;
} Friendship;
COVEY_FIELDS_DEFINE(Friendship, entity(one), entity(other), i32(since));
COVEY_COMPONENT_DEFINE(Friendship, .fields = &covey_fields_Friendship, .ticks = true);

typedef struct {
    covey_world *world;
    covey_lookup *ones, *others; /* by the first handle of an edge, and by the second */
    uint32_t *seen;              /* by the index of a person: the question in which they were found last */
    uint32_t question;
} Graph;

static covey_lookup *look_up(covey_world *world, const char *field) {
    return covey_lookup_create(
        world,
        &(covey_lookup_desc){ .type = covey_id(Friendship), .field = field, .when_target_ends = COVEY_TARGET_DESTROY });
}

/* Adds the friends of a person that were not found yet to a list, at the other ends of edges. */
static uint32_t add_friends_by(Graph *graph, covey_lookup *lookup, covey_entity person, covey_entity *list,
                               uint32_t count) {
    covey_search edges = covey_lookup_find(lookup, &person);
    while (covey_search_next(&edges))
        for (uint32_t i = 0; i < edges.count; i++) {
            const Friendship *edge = covey_get(graph->world, edges.entities[i], Friendship);
            covey_entity found = lookup == graph->ones ? edge->other : edge->one;
            if (graph->seen[found.index] == graph->question) continue;
            graph->seen[found.index] = graph->question;
            list[count++] = found;
        }
    return count;
}

static uint32_t add_friends(Graph *graph, covey_entity person, covey_entity *list, uint32_t count) {
    count = add_friends_by(graph, graph->ones, person, list, count);
    return add_friends_by(graph, graph->others, person, list, count);
}

/* How many people are friends of friends, and neither friends nor the person. */
static uint32_t count_second(Graph *graph, covey_entity person, covey_entity *list) {
    graph->seen[person.index] = ++graph->question;
    uint32_t friends = add_friends(graph, person, list, 0), count = friends;
    for (uint32_t i = 0; i < friends; i++) count = add_friends(graph, list[i], list, count);
    return count - friends;
}

int main(void) {
    static covey_entity people[PEOPLE], list[PEOPLE];
    static uint32_t seen[PEOPLE + 1];
    uint32_t dice = 1;
    covey_world *world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    Graph graph = { world, look_up(world, "one"), look_up(world, "other"), seen, 0 };
    if (!graph.ones || !graph.others || !covey_create_many(world, people, PEOPLE)) return EXIT_FAILURE;
    for (int i = 0; i < EDGES; i++) {
        uint32_t one = (dice = dice * 1664525 + 1013904223) >> 8, other = (dice = dice * 1664525 + 1013904223) >> 8;
        covey_create_with(world,
                          covey_with(Friendship, { people[one % PEOPLE], people[other % PEOPLE], 1990 + i % 30 }));
    }
    uint64_t total = 0, second = 0;
    for (int i = 0; i < PEOPLE; i++) {
        total += covey_lookup_count(graph.ones, &people[i]) + covey_lookup_count(graph.others, &people[i]);
        second += count_second(&graph, people[i], list);
    }
    printf("%d people have %g friends each, and %.1f friends of friends\n", PEOPLE, (double)total / (double)PEOPLE,
           (double)second / (double)PEOPLE);

    size_t bytes = covey_lookup_memory(graph.ones) + covey_lookup_memory(graph.others);
    printf("the two lookups take %.1f bytes for each edge\n", (double)bytes / (double)EDGES);

    /* The edges of a person end with the person. */
    uint32_t left = covey_lookup_count(graph.ones, &people[0]) + covey_lookup_count(graph.others, &people[0]);
    covey_destroy(world, people[0]);
    printf("one with %u friends left, and %u edges stay\n", left, covey_lookup_size(graph.ones));
    bool right = total == 2 * EDGES && second == 1992204 && covey_lookup_size(graph.ones) == EDGES - left &&
                 covey_lookup_size(graph.others) == EDGES - left;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
