/* Followers of worlds that are rolled back, cleared and cloned: they never take over or destroy entities of the world's
 * own. Random programs compare them with a naive map. */
#include "image/follower.h"
#include "following.h"

#include <covey/hierarchy.h>
#include <covey/history.h>

typedef Value Mine; /* only the world's own entities have it */
COVEY_COMPONENT_DEFINE(Mine);

static covey_history *history;

static int rollback_setup(void **state) {
    int result = follow_setup(state);
    history = result == 0 ? covey_history_create(world, 4) : NULL;
    return history ? result : -1;
}

static int rollback_teardown(void **state) {
    covey_history_destroy(history);
    return follow_teardown(state);
}
#define ROLLBACK_TEST(test) cmocka_unit_test_setup_teardown(test, rollback_setup, rollback_teardown)

static void save(void) {
    assert_true(covey_history_save(history));
    test_world_is_valid(world);
}

static void restore(uint32_t back) {
    assert_true(covey_history_restore(history, back));
    test_world_is_valid(world);
}

static covey_entity create_mine(uint32_t number) {
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Mine, { number, ~number }));
    return e;
}

static void is_mine(covey_entity e, uint32_t number) {
    assert_true(covey_alive(world, e));
    assert_int_equal(covey_get(world, e, Mine)->number, number);
    assert_int_equal(covey_types_of(world, e, NULL, 0), 1);
}

static covey_entity create_in_source(uint32_t number) {
    covey_entity e = covey_create(source);
    assert_non_null(covey_add(source, e, InPack, { number, ~number }));
    return e;
}

/* ---- Going back ---------------------------------------------------------------------------------------------------*/

/* The handle of an entity that was followed after the save is issued again, for one of the world's own. */
static void test_an_entity_of_the_world_is_not_taken_over(void **state) {
    (void)state;
    create_in_source(1);
    follow();
    save();
    covey_entity later = create_in_source(2);
    follow();
    covey_entity was = here(later);
    restore(0);
    assert_no_entity(here(later));
    covey_entity mine = create_mine(7);
    assert_same(mine, was);
    follow();
    is_mine(mine, 7);
    is_like_source(1);
}

static void test_an_entity_of_the_world_is_not_destroyed(void **state) {
    (void)state;
    save();
    covey_entity later = create_in_source(1);
    follow();
    restore(0);
    covey_entity mine = create_mine(7);
    covey_destroy(source, later);
    follow();
    is_mine(mine, 7);
    is_like_source(1);
}

/* Two entities of the source would become one here. */
static void test_a_handle_that_is_issued_again_belongs_to_one_entity(void **state) {
    (void)state;
    create_in_source(1);
    create_in_source(2);
    save();
    follow();
    restore(0);
    covey_destroy(source, covey_entity_next(source, none));
    covey_set(source, create_in_source(3), InBlocks, { 3, ~3u });
    follow();
    is_like_source(0);
}

static void test_entities_that_come_back_are_followed_again(void **state) {
    (void)state;
    covey_entity gone = create_in_source(1), kept = create_in_source(2);
    follow();
    covey_entity before[2] = { here(gone), here(kept) };
    save();
    covey_destroy(source, gone);
    assert_non_null(covey_set(source, kept, InPack, { 3, ~3u }));
    follow();
    assert_true(covey_destroy(world, before[1]));
    restore(0);
    assert_same(here(gone), before[0]);
    assert_same(here(kept), before[1]);
    follow();
    assert_false(covey_alive(world, before[0]));
    assert_same(here(kept), before[1]);
    is_like_source(0);
}

static void test_a_follower_goes_back_to_any_snapshot(void **state) {
    (void)state;
    covey_entity e[4], at[4];
    for (uint32_t i = 0; i < 4; i++) {
        e[i] = create_in_source(i);
        follow();
        at[i] = here(e[i]);
        save();
    }
    covey_destroy_all(source);
    follow();
    restore(2);
    for (uint32_t i = 0; i < 4; i++) {
        if (i < 2) assert_same(here(e[i]), at[i]);
        else assert_no_entity(here(e[i]));
    }
    restore(1);
    assert_same(here(e[0]), at[0]);
    assert_no_entity(here(e[1]));
    follow();
    is_like_source(0);
}

static void test_a_follower_that_is_newer_than_the_snapshot_knows_nothing(void **state) {
    (void)state;
    covey_entity e = create_in_source(1);
    save();
    covey_follower *newer = covey_follower_create(world);
    save_with(NULL);
    assert_int_equal(covey_follow_from_memory(newer, image.bytes, image.size, &known, NULL), COVEY_OK);
    restore(0);
    assert_no_entity(covey_follower_find(newer, e));
    covey_entity mine = create_mine(7);
    assert_int_equal(covey_follow_from_memory(newer, image.bytes, image.size, &known, NULL), COVEY_OK);
    is_mine(mine, 7);
    assert_true(covey_alive(world, covey_follower_find(newer, e)));
    assert_int_equal(covey_entity_count(world), 2);
    covey_follower_destroy(newer);
}

static void test_entities_of_a_follower_that_was_destroyed_are_the_world_s_own(void **state) {
    (void)state;
    covey_entity e = create_in_source(1);
    follow();
    covey_entity was = here(e);
    save();
    covey_follower_destroy(follower);
    follower = covey_follower_create(world);
    restore(0);
    assert_true(covey_alive(world, was));
    assert_no_entity(here(e));
    follow();
    assert_true(covey_alive(world, was) && !covey_same(here(e), was));
    is_like_source(1);
}

static void test_each_follower_goes_back(void **state) {
    (void)state;
    covey_follower *second = covey_follower_create(world);
    covey_entity e = create_in_source(1);
    follow();
    covey_entity first = here(e);
    save();
    assert_int_equal(covey_follow_from_memory(second, image.bytes, image.size, &known, NULL), COVEY_OK);
    covey_entity other = covey_follower_find(second, e);
    save();
    covey_destroy_all(world);
    restore(0);
    assert_same(here(e), first);
    assert_same(covey_follower_find(second, e), other);
    restore(1);
    assert_same(here(e), first);
    assert_no_entity(covey_follower_find(second, e));
    covey_follower_destroy(second);
}

/* ---- Refused, and without memory ----------------------------------------------------------------------------------*/

static bool saved, restored;

static void go_back(covey_entity before, covey_entity now, void *context) {
    (void)before, (void)now, (void)context;
    saved = covey_history_save(history);
    restored = covey_history_restore(history, 0);
}

static void test_a_world_is_neither_saved_nor_restored_while_it_follows(void **state) {
    (void)state;
    covey_load_desc desc = { .types = image_types, .merged = go_back };
    saved = restored = true;
    save();
    create_in_source(1);
    save_with(NULL);
    follow_with(&desc);
    assert_true(!saved && !restored);
    assert_failed(COVEY_ERROR_REFUSED);
    is_like_source(0);
}

static void end_follower(covey_entity before, covey_entity now, void *context) {
    (void)before, (void)now, (void)context;
    if (COVEY_ASSERT_LEVEL == 0) covey_follower_destroy(follower);
    else expect_assert_failure(covey_follower_destroy(follower));
}

static void test_a_follower_lives_while_it_reads_an_image(void **state) {
    (void)state;
    covey_load_desc desc = { .types = image_types, .merged = end_follower };
    covey_entity e = create_in_source(1);
    save_with(NULL);
    follow_with(&desc);
    assert_true(covey_alive(world, here(e)));
    is_like_source(0);
}

/* All allocations of a call fail in turn: it changes nothing that the follower knows. */
static void fails_without_memory(bool (*run)(void), covey_entity e, covey_entity is) {
    uint64_t digest = world_digest(world);
    uint32_t count = covey_history_count(history), failures = 0;
    for (uint32_t at = 1;; at++, failures++) {
        test_fail_at(&heap, at, at % 2 == 0);
        bool done = run();
        test_fail_never(&heap);
        test_world_is_valid(world);
        if (done) break;
        assert_failed(COVEY_ERROR_MEMORY);
        assert_same(here(e), is);
        assert_int_equal(world_digest(world), digest);
        assert_int_equal(covey_history_count(history), count);
    }
    assert_true(failures > 2);
}

static bool try_to_save(void) { return covey_history_save(history); }
static bool try_to_restore(void) { return covey_history_restore(history, 0); }

static void test_all_or_nothing_when_memory_is_out(void **state) {
    (void)state;
    covey_entity e[20];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) e[i] = create_in_source(i);
    follow();
    covey_entity was = here(e[19]);
    fails_without_memory(try_to_save, e[19], was);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) covey_destroy(source, e[i]);
    follow(); /* its map is small again */
    fails_without_memory(try_to_restore, e[19], none);
    assert_same(here(e[19]), was);
    follow();
    is_like_source(0);
}

/* ---- Other ways to change all of a world --------------------------------------------------------------------------*/

static void test_a_cleared_world_is_followed_anew(void **state) {
    (void)state;
    covey_entity e = create_in_source(1);
    follow();
    covey_entity was = here(e);
    covey_destroy_all(world);
    assert_no_entity(here(e));
    covey_entity mine = create_mine(7);
    follow();
    is_mine(mine, 7);
    assert_false(covey_same(here(e), was));
    is_like_source(1);
    covey_clear_components(world);
    follow();
    is_like_source(1);
}

/* An image of the world itself: its entities are the world's own now, and get other handles than before. */
static void test_entities_that_were_loaded_are_the_world_s_own(void **state) {
    (void)state;
    covey_buffer own = { 0 };
    covey_entity e = create_in_source(1);
    follow();
    covey_entity was = here(e);
    assert_int_equal(covey_save_to_buffer(world, &own, NULL, NULL), COVEY_OK);
    covey_destroy_all(world);
    assert_int_equal(covey_load_from_memory(world, own.bytes, own.size, &known, NULL), COVEY_OK);
    covey_buffer_free(&own);
    assert_no_entity(here(e));
    follow();
    assert_false(covey_alive(world, was));
    is_like_source(1);
    covey_destroy(source, e);
    follow();
    is_like_source(1);
}

static void test_a_second_world_does_not_follow(void **state) {
    (void)state;
    covey_entity e = create_in_source(1);
    follow();
    save();
    covey_world *clone = covey_world_clone(world, NULL), *then = covey_history_world(history, 0, NULL);
    covey_entity was = here(e);
    covey_destroy(source, e);
    follow();
    is_like_source(0);
    assert_true(covey_alive(clone, was) && covey_alive(then, was));
    test_world_is_valid(clone);
    test_world_is_valid(then);
    covey_world_destroy(clone);
    covey_world_destroy(then);
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void test_the_validator_knows_what_a_follower_may_know(void **state) {
    (void)state;
    covey_entity e = create_in_source(1);
    follow();
    covey_entity *value = covey_sparse_set_get(follower->known, e);
    break_id(value, entity(value->index, value->generation + 1), "follower: it knows a handle that was never issued");
    break_id(value, entity(value->index + COVEY_PAGE_SIZE, 1), "follower: it knows a handle that was never issued");
    break_id(value, none, "follower: it knows a handle that was never issued");
    BREAK(uint32_t, follower->known->holes, 1, "set: a hole under a policy that makes none");
    BREAK(covey_follower *, follower->previous, follower, "follower: in the list of another world, or linked wrongly");
}

/* ---- Random programs ----------------------------------------------------------------------------------------------*/

enum { SOURCES = 24, OWN = 64, SIDES = 2, SNAPSHOTS = 4, HANDLES = 512 };

/* What a follower knows. */
typedef struct side {
    uint64_t number; /* tells followers apart; 0: there is none */
    covey_entity source[SOURCES], here[SOURCES];
    uint32_t count;
} side;

/* Entities that no follower may change; those that a destroyed follower has left have no number. */
typedef struct owned_entity {
    covey_entity e;
    uint32_t number;
} owned_entity;

typedef struct naive {
    owned_entity own[OWN];
    uint32_t own_count;
    side sides[SIDES];
} naive;

typedef struct program {
    test_random random;
    naive now, snapshots[SNAPSHOTS]; /* the newest is the last */
    uint32_t snapshot_count;
    covey_follower *followers[SIDES];
    covey_entity e[SOURCES];       /* of the source */
    covey_entity handles[HANDLES]; /* that the source ever had */
    uint32_t handle_count, made;
    covey_history *of_source;
} program;

static void own(naive *n, covey_entity e, uint32_t number) {
    if (n->own_count < OWN) n->own[n->own_count++] = (owned_entity){ e, number };
    else covey_destroy(world, e);
}

static covey_entity naive_find(const side *s, covey_entity e) {
    for (uint32_t i = 0; i < s->count; i++)
        if (covey_same(s->source[i], e) && covey_alive(world, s->here[i])) return s->here[i];
    return none;
}

/* Takes new entities over from the follower; those that it had before must be the same. */
static void learn(program *p, uint32_t number) {
    side before = p->now.sides[number], *s = &p->now.sides[number];
    s->count = 0;
    for (covey_entity e = none; !covey_is_null(e = covey_entity_next(source, e)); s->count++) {
        covey_entity is = covey_follower_find(p->followers[number], e), was = naive_find(&before, e);
        assert_true(covey_alive(world, is));
        if (!covey_is_null(was)) assert_same(is, was);
        s->source[s->count] = e;
        s->here[s->count] = is;
    }
}

static void check(const program *p) {
    uint32_t count = p->now.own_count;
    for (uint32_t i = 0; i < p->now.own_count; i++) {
        assert_true(covey_alive(world, p->now.own[i].e));
        if (p->now.own[i].number != 0) is_mine(p->now.own[i].e, p->now.own[i].number);
    }
    for (uint32_t k = 0; k < SIDES; k++) {
        const side *s = &p->now.sides[k];
        for (uint32_t i = 0; i < s->count; i++) count += covey_alive(world, s->here[i]);
        for (uint32_t i = 0; i < p->handle_count && s->number != 0; i++)
            assert_same(covey_follower_find(p->followers[k], p->handles[i]), naive_find(s, p->handles[i]));
    }
    assert_int_equal(covey_entity_count(world), count);
    test_world_is_valid(world);
}

static void random_source(program *p) {
    for (uint32_t i = test_below(&p->random, 20); i != 0; i--) change_source(&p->random, p->e, SOURCES);
    covey_clear(source, Blob); /* cannot be copied into a snapshot */
    for (uint32_t i = 0; i < SOURCES; i++)
        if (p->handle_count < HANDLES && covey_alive(source, p->e[i])) p->handles[p->handle_count++] = p->e[i];
}

/* The source is rolled back as well. */
static void random_past_of_source(program *p) {
    covey_entity e = none;
    if (covey_history_count(p->of_source) == 0 || test_below(&p->random, 2) == 0) {
        assert_true(covey_history_save(p->of_source));
        return;
    }
    assert_true(covey_history_restore(p->of_source, 0));
    memset(p->e, 0, sizeof p->e);
    for (uint32_t i = 0; !covey_is_null(e = covey_entity_next(source, e)); i++) p->e[i] = e;
}

static bool fails_at_random(program *p) {
    bool fails = test_below(&p->random, 4) == 0;
    if (fails) test_fail_at(&heap, 1 + test_below(&p->random, 60), test_below(&p->random, 2) == 0);
    return fails;
}

static void random_follow(program *p) {
    uint32_t number = test_below(&p->random, SIDES);
    if (p->now.sides[number].number == 0) return;
    save_with(NULL);
    bool fails = fails_at_random(p);
    covey_result result = covey_follow_from_memory(p->followers[number], image.bytes, image.size, &known, NULL);
    test_fail_never(&heap);
    if (!fails) assert_int_equal(result, COVEY_OK);
    if (result != COVEY_OK) return;
    learn(p, number);
    follower = p->followers[number];
    for (covey_entity e = none; !covey_is_null(e = covey_entity_next(source, e));) is_same_entity(e);
}

static void random_own(program *p) {
    naive *n = &p->now;
    if (n->own_count < OWN && test_below(&p->random, 2) == 0) {
        uint32_t number = ++p->made;
        own(n, create_mine(number), number);
    } else if (n->own_count != 0) {
        owned_entity *one = &n->own[test_below(&p->random, n->own_count)];
        assert_true(covey_destroy(world, one->e));
        *one = n->own[--n->own_count];
    }
}

static void random_loss(program *p) {
    const side *s = &p->now.sides[test_below(&p->random, SIDES)];
    if (s->count != 0) covey_destroy(world, s->here[test_below(&p->random, s->count)]);
    if (test_below(&p->random, 10) != 0) return;
    covey_destroy_all(world);
    p->now.own_count = 0;
}

/* Entities of a follower that ends stay. */
static void leave(naive *n, side *s) {
    for (uint32_t i = 0; i < s->count; i++)
        if (covey_alive(world, s->here[i])) own(n, s->here[i], 0);
    *s = (side){ 0 };
}

static void random_follower(program *p) {
    uint32_t number = test_below(&p->random, SIDES);
    side *s = &p->now.sides[number];
    if (s->number != 0) {
        covey_follower_destroy(p->followers[number]);
        leave(&p->now, s);
    } else {
        p->followers[number] = covey_follower_create(world);
        assert_non_null(p->followers[number]);
        s->number = ++p->made;
    }
}

static void random_save(program *p) {
    bool fails = fails_at_random(p), done = covey_history_save(history);
    test_fail_never(&heap);
    assert_true(done || fails);
    if (!done) return;
    if (p->snapshot_count == SNAPSHOTS) memmove(p->snapshots, p->snapshots + 1, --p->snapshot_count * sizeof(naive));
    p->snapshots[p->snapshot_count++] = p->now;
}

static void random_restore(program *p) {
    if (p->snapshot_count == 0) return;
    uint32_t back = test_below(&p->random, p->snapshot_count);
    bool fails = fails_at_random(p), done = covey_history_restore(history, back);
    test_fail_never(&heap);
    assert_true(done || fails);
    if (!done) return;
    p->snapshot_count -= back;
    naive then = p->snapshots[p->snapshot_count - 1];
    for (uint32_t k = 0; k < SIDES; k++) {
        uint64_t number = p->now.sides[k].number;
        if (then.sides[k].number == number) continue;
        leave(&then, &then.sides[k]);
        then.sides[k].number = number;
    }
    p->now = then;
}

static void (*const operations[])(program *p) = { random_source,  random_source,   random_follow,        random_follow,
                                                  random_follow,  random_own,      random_own,           random_own,
                                                  random_loss,    random_save,     random_save,          random_restore,
                                                  random_restore, random_follower, random_past_of_source };

static void run(uint64_t seed) {
    static program p; /* large */
    p = (program){ .random = { seed }, .of_source = covey_history_create(source, 1) };
    covey_follower_destroy(follower);
    random_follower(&p);
    for (uint32_t i = 0; i < 200; i++) {
        operations[test_below(&p.random, COUNT_OF(operations))](&p);
        check(&p);
    }
    follower = NULL;
    for (uint32_t k = 0; k < SIDES; k++)
        if (p.now.sides[k].number != 0) covey_follower_destroy(p.followers[k]);
}

static void test_random_programs(void **state) {
    for (uint64_t seed = 1; seed <= test_scaled(100); seed++) {
        run(seed);
        assert_int_equal(rollback_teardown(state), 0);
        assert_int_equal(rollback_setup(state), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ROLLBACK_TEST(test_an_entity_of_the_world_is_not_taken_over),
        ROLLBACK_TEST(test_an_entity_of_the_world_is_not_destroyed),
        ROLLBACK_TEST(test_a_handle_that_is_issued_again_belongs_to_one_entity),
        ROLLBACK_TEST(test_entities_that_come_back_are_followed_again),
        ROLLBACK_TEST(test_a_follower_goes_back_to_any_snapshot),
        ROLLBACK_TEST(test_a_follower_that_is_newer_than_the_snapshot_knows_nothing),
        ROLLBACK_TEST(test_entities_of_a_follower_that_was_destroyed_are_the_world_s_own),
        ROLLBACK_TEST(test_each_follower_goes_back),
        ROLLBACK_TEST(test_a_world_is_neither_saved_nor_restored_while_it_follows),
        ROLLBACK_TEST(test_a_follower_lives_while_it_reads_an_image),
        ROLLBACK_TEST(test_all_or_nothing_when_memory_is_out),
        ROLLBACK_TEST(test_a_cleared_world_is_followed_anew),
        ROLLBACK_TEST(test_entities_that_were_loaded_are_the_world_s_own),
        ROLLBACK_TEST(test_a_second_world_does_not_follow),
        ROLLBACK_TEST(test_the_validator_knows_what_a_follower_may_know),
        ROLLBACK_TEST(test_random_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
