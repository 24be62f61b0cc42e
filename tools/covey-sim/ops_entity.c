/* Entities: created, with wanted indices and handles, and destroyed. */
#include "sim.h"

static void create(sim *s, sim_side *side, const sim_step *step) {
    (void)step;
    if (sim_is_crowded(side)) return;
    sim_say(s, "create");
    covey_entity e = covey_create(side->world);
    if (sim_settle(s, side, !covey_is_null(e), COVEY_OK)) sim_created(s, side, e);
}

static void create_many(sim *s, sim_side *side, const sim_step *step) {
    uint32_t count = step->a % 24;
    if (sim_is_crowded(side)) return;
    sim_say(s, "create_many: %u", count);
    sim_touch(s, SIM_MANY);
    bool made = covey_create_many(side->world, s->batch, count);
    if (!sim_settle(s, side, made, COVEY_OK)) return;
    for (uint32_t i = 0; i < count; i++)
        if (s->nested == 0) sim_created(s, side, s->batch[i]);
}

static bool index_is_alive(const sim_side *side, uint32_t index) {
    return !covey_is_null(covey_entity_at(side->world, index));
}

/* An index that lies close to others, or far away; where handles are small, not all indices exist. */
static uint32_t pick_index(uint32_t n) {
    uint32_t index = n % 8 == 0 ? n % 20000 : n / 8 % 200;
    return index < COVEY_NONE ? index : index % COVEY_NONE;
}

/* The result is TAKEN also for indices that are retired, reserved by a buffer, or left to a range. */
static void create_at(sim *s, sim_side *side, const sim_step *step) {
    uint32_t index = pick_index(step->a);
    if (sim_is_crowded(side)) return;
    sim_say(s, "create_at: index %u", index);
    bool was_alive = index_is_alive(side, index);
    covey_entity e = covey_create_at(side->world, index);
    bool taken = covey_is_null(e) && covey_world_result(side->world) == COVEY_ERROR_TAKEN;
    if (!sim_settle(s, side, !covey_is_null(e), taken ? COVEY_ERROR_TAKEN : COVEY_OK)) return;
    SIM_REQUIRE(s, !was_alive && e.index == index, "an entity with another index, or a second one");
    sim_created(s, side, e);
}

/* A handle that was never issued here: as from a server. */
static void create_exact(sim *s, sim_side *side, const sim_step *step) {
    uint32_t index = pick_index(step->a), last = covey_generation_at(side->world, index);
    uint32_t generation = (last == 0 ? 1 : last + 2) + step->b % 3 * 2;
    if (sim_is_crowded(side) || generation > COVEY_GENERATION_MAX || generation < last) return;
    covey_entity e = covey_entity_make(index, generation);
    sim_say(s, "create_exact: %u:%u", index, generation);
    bool was_alive = index_is_alive(side, index);
    bool made = covey_create_exact(side->world, &e, 1, COVEY_EXACT_NEW);
    bool taken = !made && covey_world_result(side->world) == COVEY_ERROR_TAKEN;
    if (!sim_settle(s, side, made, taken ? COVEY_ERROR_TAKEN : COVEY_OK)) return;
    SIM_REQUIRE(s, !was_alive, "a second entity with the index");
    sim_created(s, side, e);
}

static void forget_stale(sim_side *side, covey_entity e) {
    for (uint32_t i = 0; i < side->stale_count; i++)
        if (covey_same(side->stale[i], e)) side->stale[i--] = side->stale[--side->stale_count];
}

/* Handles that were issued here before. */
static void create_again(sim *s, sim_side *side, const sim_step *step) {
    if (side->stale_count == 0 || sim_is_crowded(side)) return;
    covey_entity e = side->stale[step->a % side->stale_count];
    sim_say(s, "create_again: %u:%u", e.index, e.generation);
    sim_touch(s, SIM_EXACT);
    bool latest = covey_generation_at(side->world, e.index) == e.generation && !index_is_alive(side, e.index);
    bool made = covey_create_exact(side->world, &e, 1, COVEY_EXACT_AGAIN);
    bool taken = !made && covey_world_result(side->world) == COVEY_ERROR_TAKEN;
    if (!sim_settle(s, side, made, taken ? COVEY_ERROR_TAKEN : COVEY_OK)) return;
    SIM_REQUIRE(s, latest, "an older handle of the index came back");
    forget_stale(side, e);
    sim_created(s, side, e);
}

static void range_reserve(sim *s, sim_side *side, const sim_step *step) {
    uint32_t first = 300 + step->a % 8 * 50, count = 1 + step->b % 40;
    if (first + count > COVEY_NONE) return;
    sim_say(s, "range_reserve: %u from %u", count, first);
    covey_range range = covey_range_reserve(side->world, first, count);
    bool made = range.count != 0, taken = !made && covey_world_result(side->world) == COVEY_ERROR_TAKEN;
    sim_settle(s, side, made, taken ? COVEY_ERROR_TAKEN : COVEY_OK);
}

static void create_in(sim *s, sim_side *side, const sim_step *step) {
    covey_range range = { 300 + step->a % 8 * 50, 1 + step->b % 40 };
    if (sim_is_crowded(side)) return;
    sim_say(s, "create_in: %u from %u", range.count, range.first);
    covey_entity e = covey_create_in(side->world, range);
    covey_result result = covey_is_null(e) ? covey_world_result(side->world) : COVEY_OK;
    bool other = result == COVEY_ERROR_ABSENT || result == COVEY_ERROR_FULL;
    if (!sim_settle(s, side, !covey_is_null(e), other ? result : COVEY_OK)) return;
    SIM_REQUIRE(s, e.index >= range.first && e.index - range.first < range.count, "outside of the range");
    sim_created(s, side, e);
}

static void destroy(sim *s, sim_side *side, const sim_step *step) {
    covey_entity e = sim_any(side, step->a);
    bool alive = naive_find(side->naive, e) != NULL;
    sim_say(s, "destroy: %u:%u", e.index, e.generation);
    bool destroyed = covey_destroy(side->world, e);
    if (s->nested != 0) return;
    SIM_REQUIRE(s, destroyed == alive, "destroy returns %d", destroyed);
    if (alive) sim_destroyed(s, side, e);
}

static void destroy_many(sim *s, sim_side *side, const sim_step *step) {
    uint32_t count = sim_pick_batch(s, side, sim_type(step->b), step->c % 2 == 0, step->a, step->c / 2 % 20);
    if (count == 0) return;
    if (step->c % 3 == 0) s->batch[count - 1] = s->batch[0]; /* listed twice */
    sim_say(s, "destroy_many: %u from %u:%u", count, s->batch[0].index, s->batch[0].generation);
    sim_touch(s, SIM_MANY);
    covey_destroy_many(side->world, s->batch, count);
    for (uint32_t i = 0; i < count && s->nested == 0; i++)
        if (naive_find(side->naive, s->batch[i])) sim_destroyed(s, side, s->batch[i]);
}

static void destroy_all(sim *s, sim_side *side, const sim_step *step) {
    (void)step;
    if (side->naive->count == 0) return;
    sim_say(s, "destroy_all: %u", side->naive->count);
    sim_touch(s, SIM_MANY);
    covey_destroy_all(side->world);
    while (side->naive->count != 0 && s->nested == 0)
        sim_destroyed(s, side, side->naive->list[side->naive->count - 1].e);
}

const sim_operation sim_entity_operations[] = {
    { "create", SIM_CREATE, 40, create },
    { "create_many", SIM_CREATE, 20, create_many },
    { "create_at", SIM_EXACT, 4, create_at },
    { "create_exact", SIM_EXACT, 4, create_exact },
    { "create_again", SIM_EXACT, 4, create_again },
    { "range_reserve", SIM_RANGE, 2, range_reserve },
    { "create_in", SIM_RANGE, 6, create_in },
    { "destroy", SIM_DESTROY, 20, destroy },
    { "destroy_many", SIM_DESTROY, 6, destroy_many },
    { "destroy_all", SIM_DESTROY, 1, destroy_all },
    { NULL, 0, 0, NULL },
};
