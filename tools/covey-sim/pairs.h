/* Features, and how often each met each other: the machine's own proof that it combines them. A pair is met when a step
 * uses one feature in a world in which the other is used by the same step, exists (a group, say), or has taken effect
 * before (a merge, say). */
#ifndef COVEY_SIM_PAIRS_H
#define COVEY_SIM_PAIRS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* clang-format off */
#define SIM_FEATURES(X)                                                                                  \
    X(CREATE, "create") X(EXACT, "exact handles") X(RANGE, "ranges") X(DESTROY, "destroy") X(ADD, "add") \
    X(SET, "set") X(PATCH, "patch") X(REMOVE, "remove") X(TAKE, "take") X(REMOVE_IF, "remove_if")        \
    X(CLEAR, "clear") X(MANY, "calls for many") X(WITH, "create_with") X(BLOCKS, "blocks")               \
    X(PINNED, "pinned") X(SPARSE, "sparse") X(IN_PLACE, "in place") X(SWAP_ONLY, "swap only")            \
    X(ORDERED, "ordered") X(TAGS, "tags") X(DROP, "drop hooks") X(MOVE, "move hooks")                    \
    X(LINKS, "entity fields") X(SPANS, "spans") X(ROWS, "rows") X(COMPACT, "compact")                    \
    X(CONVERT, "convert") X(SORT, "sort") X(KEEP, "kept order") X(GROUP, "sparse groups")                \
    X(BLOCK_GROUP, "block groups") X(LISTENER, "listeners") X(REENTRANT, "re-entrant listeners")         \
    X(QUEUE, "queues") X(QUEUE_VALUES, "queues with values") X(REACTIVE, "reactive sets")                \
    X(KEEP_DESTROYED, "keep_destroyed") X(COMMANDS, "commands") X(SCHEDULE, "schedules")                 \
    X(TREE, "hierarchy") X(NAMES, "names") X(DISABLE, "disabling") X(TICKS, "ticks")                     \
    X(RESOURCE, "resources") X(COPY, "copy") X(CLONE, "clone") X(CLONE_INTO, "clone_into")               \
    X(CLONE_TREE, "clone_tree") X(WORLD_CLONE, "world clone") X(LOAD, "save and load")                   \
    X(LOAD_CLEARED, "load into cleared") X(MERGE, "merge") X(FOLLOW, "follow")                           \
    X(FILTER, "filtered images") X(HISTORY, "history") X(RESTORE, "restore") X(FILES, "files")           \
    X(LOOKUP, "lookups") X(EVENTS, "events") X(FILES_FAIL, "files fail")                                 \
    X(MEMORY_FAILS, "memory fails") X(COPY_FAILS, "copies fail")
/* clang-format on */

typedef enum sim_feature {
#define SIM_FEATURE_NAME(name, text) SIM_##name,
    SIM_FEATURES(SIM_FEATURE_NAME)
#undef SIM_FEATURE_NAME
        SIM_FEATURE_COUNT
} sim_feature;

#define SIM_BIT(feature) ((uint64_t)1 << (feature))

typedef struct sim_pairs {
    uint64_t programs, steps;
    uint64_t met[SIM_FEATURE_COUNT][SIM_FEATURE_COUNT]; /* [smaller][larger]; [f][f]: steps that used it */
} sim_pairs;

/* Where sim_pairs_count counts; NULL: nowhere. */
void sim_pairs_use(sim_pairs *pairs);
void sim_pairs_program(void);
/* A step used the features `touched`, in a world with the features `in_force`. */
void sim_pairs_count(uint64_t touched, uint64_t in_force);
/* How many pairs were met less often than this; prints them if `to` is not NULL. */
uint32_t sim_pairs_rare(const sim_pairs *pairs, uint64_t least, FILE *to);
/* The whole matrix: a row and a column for each feature. */
void sim_pairs_print(const sim_pairs *pairs, FILE *to);

#endif
