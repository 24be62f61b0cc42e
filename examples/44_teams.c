/* Teams: entities found by a number, by a text, and by a range of numbers; the first and the last in order. */
#include <covey/fields.h>
#include <covey/lookup.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    char name[12];
    uint8_t team;
    float score;
} Player;
COVEY_FIELDS_DEFINE(Player, array(character, name), u8(team), f32(score));
COVEY_COMPONENT_DEFINE(Player, .fields = &covey_fields_Player, .ticks = true);

static covey_world *world;

static covey_lookup *look_up(const char *field, bool ordered) {
    return covey_lookup_create(world,
                               &(covey_lookup_desc){ .type = covey_id(Player), .field = field, .ordered = ordered });
}

/* Prints what a search finds. Returns how many that are. */
static uint32_t show(const char *question, covey_search found) {
    uint32_t count = 0;
    printf("%-24s", question);
    while (covey_search_next(&found))
        for (uint32_t i = 0; i < found.count; i++, count++)
            printf(" %s", covey_get(world, found.entities[i], Player)->name);
    printf("\n");
    return count;
}

int main(void) {
    static const Player players[] = {
        { "Ann", 7, 310 }, { "Ben", 3, 120.5f }, { "Cleo", 7, 95 }, { "Dora", 3, 240 }, { "Emil", 7, 120.5f }
    };
    world = covey_world_create(NULL);
    if (!world) return EXIT_FAILURE;
    for (int i = 0; i < 5; i++) covey_add_value(world, covey_create(world), Player, &players[i]);

    /* Any number of lookups of one type, each of one field. */
    covey_lookup *teams = look_up("team", false), *scores = look_up("score", true), *names = look_up("name", true);
    if (!teams || !scores || !names) return EXIT_FAILURE;
    const uint8_t seven = 7;
    bool right = covey_lookup_count(teams, &seven) == 3;
    right = right && show("team 7:", covey_lookup_find(teams, &seven)) == 3;

    /* Ranges need .ordered. Both bounds are included, NULL is no bound, and equal values come in index order. */
    const float low = 100, high = 250;
    right = right && show("from 100 to 250:", covey_lookup_range(scores, &low, &high)) == 3;
    right = right && show("all, by score:", covey_lookup_range(scores, NULL, NULL)) == 5;
    right = right && show("names up to \"Coco\":", covey_lookup_range(names, NULL, "Coco")) == 3;
    covey_entity best = covey_lookup_last(scores);
    printf("the best is %s\n", covey_get(world, best, Player)->name);

    /* Loops that write are seen: the lookup files what changed when it is asked. */
    covey_view all = covey_view_of(world, Player);
    covey_iter it = covey_view_iter(&all);
    while (covey_next(&it)) {
        Player *player = covey_field(&it, 0, Player);
        for (uint32_t i = 0; i < it.count; i++)
            if (player[i].team == seven) player[i].score = 0;
    }
    covey_entity dora = covey_lookup_last(scores);
    right = right && show("after a fine, by score:", covey_lookup_range(scores, NULL, NULL)) == 5;
    covey_search found = covey_lookup_find(names, "Dora");
    right = right && covey_search_next(&found) && covey_same(found.entities[0], dora);
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
