/* Worlds with kinds, and random programs. */
#include "churn.h"

COVEY_TAG_DEFINE(ChurnA);
COVEY_TAG_DEFINE(ChurnB);
COVEY_TAG_DEFINE(ChurnC, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(ChurnD);
const covey_type *const churn_types[] = { covey_id(ChurnA), covey_id(ChurnB), covey_id(ChurnC), covey_id(ChurnD),
                                          NULL };

bool churn_create(covey_world *world, covey_entity *entities, uint32_t count, uint32_t mask) {
    covey_component with[CHURN_TYPES + 1] = { { 0 } };
    uint32_t types = 0;
    for (uint32_t i = 0; i < CHURN_TYPES; i++)
        if ((mask >> i & 1) != 0) with[types++].type = churn_types[i];
    if (types == 0) return covey_create_many(world, entities, count);
    if (count != 1) return covey_create_many_with_raw(world, entities, count, with);
    *entities = covey_create_with_raw(world, with);
    return !covey_is_null(*entities);
}

/* An entity near a random index; null if there is none. */
static covey_entity find(const covey_world *world, test_random *random, uint32_t most) {
    uint32_t index = test_below(random, most * 2);
    covey_entity e = covey_entity_next(world, covey__entity(index, 1));
    return !covey_is_null(e) ? e : covey_entity_next(world, (covey_entity){ 0, 0 });
}

static void destroy_some(covey_world *world, test_random *random, uint32_t most) {
    for (uint32_t left = test_below(random, most / 8 + 2); left != 0; left--)
        covey_destroy(world, find(world, random, most));
}

uint64_t churn(covey_world *world, uint64_t seed, uint32_t steps, uint32_t most) {
    test_random random = { seed };
    covey_entity made[100];
    uint64_t digest = 0;
    for (; steps != 0; steps--) {
        uint32_t count = test_below(&random, 3) == 0 ? 1 + test_below(&random, most / 8 < 99 ? most / 8 + 1 : 99) : 1;
        uint32_t mask =
            test_below(&random, 3) == 0 ? test_below(&random, 1 << CHURN_TYPES) : 3 + test_below(&random, 2);
        if (covey_entity_count(world) + count > most || test_below(&random, 4) == 0) {
            destroy_some(world, &random, most);
            continue;
        }
        churn_create(world, made, count, mask); /* handles are null if indices run out */
        for (uint32_t i = 0; i < count; i++)
            digest = (digest ^ made[i].index ^ (uint64_t)made[i].generation << 32) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    }
    return digest;
}

bool churn_fill(covey_world *world) {
    enum { MANY = 40 };
    covey_entity a[MANY], b[MANY], other;
    bool done = churn_create(world, a, 8, 1) && churn_create(world, b, MANY, 6) && churn_create(world, &other, 1, 0);
    done = done && churn_create(world, a + 8, MANY - 8, 1) && churn_create(world, &other, 1, 2) &&
           churn_create(world, &other, 1, 8);
    for (uint32_t i = 3; done && i < MANY; i += 7) done = covey_destroy(world, a[i]) && covey_destroy(world, b[i]);
    return done;
}
