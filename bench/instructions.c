/* Calls of one kind each, in separate functions, for a tool that counts the instructions of functions: see
 * instructions.sh. There are no listeners and no groups: every program pays this much. */
#include <covey/commands.h>
#include <covey/covey.h>

typedef struct Blocked {
    float x, y;
} Blocked;
typedef struct Packed {
    float x, y;
} Packed;
typedef Blocked HalfBlocked;
typedef Packed HalfPacked;
COVEY_COMPONENT_DEFINE(Blocked);
COVEY_COMPONENT_DEFINE(HalfBlocked);
COVEY_COMPONENT_DEFINE(Packed, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(HalfPacked, .storage = COVEY_STORAGE_SPARSE);

#define TEXTBOOK_T Packed
#include "textbook.h"

enum { COUNT = 20000 }; /* as instructions.sh has it */

static covey_world *world;
static covey_pool *blocked, *packed;
static covey_commands *commands, *owned; /* one keeps ids ready, the other takes them from the world */
static covey_entity ordered[COUNT], shuffled[COUNT];
static Blocked kept = { 5, 6 };

#define CALLS(name, statement)                                        \
    static __attribute__((noinline, noipa)) void calls_##name(void) { \
        for (int i = 0; i < COUNT; i++) statement;                    \
    }

CALLS(create, ordered[i] = covey_create(world))
CALLS(add_block, covey_add(world, ordered[i], Blocked, { 1, 2 }))
CALLS(add_block_shuffled, covey_add(world, shuffled[i], Blocked, { 1, 2 }))
CALLS(add_sparse, covey_add(world, ordered[i], Packed, { 1, 2 }))
CALLS(set_block, covey_set(world, ordered[i], Blocked, { 3, 4 }))
CALLS(set_sparse, covey_set(world, ordered[i], Packed, { 3, 4 }))
CALLS(patch, covey_patch(world, ordered[i], Blocked, NULL, NULL))
CALLS(replace, covey_replace(world, ordered[i], Blocked, &kept))
CALLS(get_block, covey_get(world, ordered[i], Blocked)->x += 1)
CALLS(get_sparse, covey_get(world, ordered[i], Packed)->x += 1)
CALLS(remove_block, covey_remove(world, ordered[i], Blocked))
CALLS(remove_sparse, covey_remove(world, ordered[i], Packed))
CALLS(pool_add_block, covey_pool_add(blocked, ordered[i], Blocked, { 1, 2 }))
CALLS(pool_add_sparse, covey_pool_add(packed, ordered[i], Packed, { 1, 2 }))
CALLS(pool_set_block, covey_pool_set(blocked, ordered[i], Blocked, { 1, 2 }))
CALLS(pool_set_sparse, covey_pool_set(packed, ordered[i], Packed, { 1, 2 }))
CALLS(pool_remove_block, covey_pool_remove(blocked, ordered[i], Blocked))
CALLS(pool_remove_sparse, covey_pool_remove(packed, ordered[i], Packed))
CALLS(destroy, covey_destroy(world, ordered[i]))
CALLS(create_again, ordered[i] = covey_create(world))
CALLS(destroy_shuffled, covey_destroy(world, shuffled[i]))
CALLS(record_add, covey_record_add(commands, ordered[i], Blocked, { 1, 2 }))
CALLS(record_set, covey_record_set(commands, ordered[i], Blocked, { 1, 2 }))
CALLS(record_add_value, covey_record_add_value(commands, ordered[i], Blocked, &kept))
CALLS(record_remove, covey_record_remove(commands, ordered[i], Blocked))
CALLS(record_destroy, covey_record_destroy(commands, ordered[i]))
CALLS(record_create, covey_record_create(commands))
CALLS(record_create_owned, covey_record_create(owned))
CALLS(replay_nothing, covey_commands_replay(commands))

static void shuffle(void) {
    uint32_t number = 1;
    memcpy(shuffled, ordered, sizeof ordered);
    for (uint32_t i = COUNT; i > 1; i--) {
        number = number * 1664525u + 1013904223u;
        uint32_t other = (uint32_t)((uint64_t)number * i >> 32);
        covey_entity moved = shuffled[i - 1];
        shuffled[i - 1] = shuffled[other];
        shuffled[other] = moved;
    }
}

/* Loops over the entities that have both of two components; a random half of the entities has the second. */
static covey_view both;
static textbook all, half;

#define LOOPS(kind, One, Two)                                                                   \
    static __attribute__((noinline, noipa)) void calls_spans_##kind(void) {                     \
        covey_iter it = covey_view_iter(&both);                                                 \
        while (covey_next(&it)) {                                                               \
            One *one = covey_field(&it, 0, One);                                                \
            const Two *two = covey_field(&it, 1, Two);                                          \
            for (uint32_t i = 0; i < it.count; i++) one[i].x += two[i].x, one[i].y += two[i].y; \
        }                                                                                       \
    }                                                                                           \
    static __attribute__((noinline, noipa)) void calls_rows_##kind(void) {                      \
        covey_iter it = covey_view_iter(&both);                                                 \
        covey_row row = { 0 };                                                                  \
        while (covey_next_row(&it, &row)) {                                                     \
            One *one = covey_row_field(&it, row, 0, One);                                       \
            const Two *two = covey_row_field(&it, row, 1, Two);                                 \
            one->x += two->x, one->y += two->y;                                                 \
        }                                                                                       \
    }

LOOPS(block, Blocked, HalfBlocked)
LOOPS(sparse, Packed, HalfPacked)
LOOPS(mixed, Blocked, HalfPacked)

static __attribute__((noinline, noipa)) void calls_textbook(void) {
    for (uint32_t i = 0; i < half.count; i++) {
        Packed *one = textbook_get(&all, half.packed[i]);
        one->x += half.data[i].x, one->y += half.data[i].y;
    }
}

/* Twice over half of the entities. */
static void loop_over(const covey_type *one, const covey_type *two, void spans(void), void rows(void)) {
    both = covey_view_make(world, &(covey_view_desc){ .with = { one, two } });
    for (int i = 0; i < 2; i++) spans(), rows();
}

static void loop(void) {
    bool has[COUNT] = { false };
    for (int i = 0; i < COUNT; i++) ordered[i] = covey_create(world);
    shuffle();
    for (int i = 0; i < COUNT / 2; i++) has[shuffled[i].index] = true;
    for (uint32_t i = 0; i < COUNT; i++) {
        covey_set(world, ordered[i], Blocked, { 1, 2 });
        covey_set(world, ordered[i], Packed, { 1, 2 });
        textbook_add(&all, i, (Packed){ 1, 2 });
        if (!has[ordered[i].index]) continue;
        covey_set(world, ordered[i], HalfBlocked, { 1, 2 });
        covey_set(world, ordered[i], HalfPacked, { 1, 2 });
        textbook_add(&half, i, (Packed){ 1, 2 });
    }
    loop_over(covey_id(Blocked), covey_id(HalfBlocked), calls_spans_block, calls_rows_block);
    loop_over(covey_id(Packed), covey_id(HalfPacked), calls_spans_sparse, calls_rows_sparse);
    loop_over(covey_id(Blocked), covey_id(HalfPacked), calls_spans_mixed, calls_rows_mixed);
    for (int i = 0; i < 2; i++) calls_textbook();
    textbook_free(&all);
    textbook_free(&half);
}

/* Into buffers that have grown before. */
static void record(void) {
    covey_commands_clear(commands);
    for (int i = 0; i < 2; i++) {
        for (int k = 0; k < COUNT; k++) covey_record_set(commands, ordered[k], Blocked, { 1, 2 });
        for (int k = 0; k < COUNT; k++) covey_record_create(owned);
        covey_commands_clear(commands);
        covey_commands_clear(owned);
    }
    void (*const calls[])(void) = { calls_record_add,         calls_record_set,     calls_record_add_value,
                                    calls_record_remove,      calls_record_destroy, calls_record_create,
                                    calls_record_create_owned };
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        calls[i]();
        covey_commands_clear(commands);
        covey_commands_clear(owned);
    }
    calls_replay_nothing();
}

int main(void) {
    world = covey_world_create(NULL);
    blocked = covey_pool_of(world, Blocked);
    packed = covey_pool_of(world, Packed);
    calls_create();
    shuffle();
    calls_add_block();
    calls_set_block();
    calls_patch();
    calls_replace();
    calls_get_block();
    calls_remove_block();
    calls_add_sparse();
    calls_set_sparse();
    calls_get_sparse();
    calls_remove_sparse();
    calls_pool_add_block();
    calls_pool_set_block();
    calls_pool_remove_block();
    calls_pool_add_sparse();
    calls_pool_set_sparse();
    calls_pool_remove_sparse();
    calls_add_block_shuffled();
    calls_destroy();
    calls_create_again();
    shuffle();
    calls_add_block();
    calls_destroy_shuffled();
    loop();
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = COUNT });
    owned = covey_commands_create(world, NULL);
    record();
    covey_world_destroy(world);
    return 0;
}
