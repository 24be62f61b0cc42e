/* Lies: ways in which the model can be wrong on purpose. `covey-sim --lies` shows that each is noticed. A program lies
 * once: one removal is forgotten, not all. A new thing that is compared brings a line here, and a place that asks. */
#ifndef COVEY_SIM_LIES_H
#define COVEY_SIM_LIES_H

#include <stdbool.h>

#define SIM_LIES(X)                                                            \
    X(DESTRUCTION_FORGOTTEN, "a destroyed entity still lives")                 \
    X(STALE_LIVES, "a new handle is taken for a stale one")                    \
    X(ADDITION_FORGOTTEN, "an added component is forgotten")                   \
    X(REMOVAL_FORGOTTEN, "a removed component is still there")                 \
    X(CLEAR_MISSES_ONE, "clearing a type leaves one component")                \
    X(VALUE_KEPT, "a set keeps the old value")                                 \
    X(LINK_LOST, "the handle in a value is null")                              \
    X(TICK_LATE, "the tick of a change is one too late")                       \
    X(RESOURCE_KEPT, "a resource keeps the old value")                         \
    X(RESULT_WRONG, "a call is expected to fail")                              \
    X(VALUE_NOT_ENDED, "a value that a call left to the program is not ended") \
    X(VALUE_ENDED_TWICE, "a value that a call left to the program ends twice") \
    X(BLOCK_KEPT, "a block of memory is not freed")                            \
    X(EVENT_UNHEARD, "a listener misses an event")                             \
    X(VALUE_UNHEARD, "a listener misses the value of an event")                \
    X(MARK_FORGOTTEN, "a reactive set misses an entity")                       \
    X(MARK_KEPT, "a reactive set keeps a destroyed entity")                    \
    X(DESTROYED_FORGOTTEN, "a reactive set misses a destroyed entity")         \
    X(EVENT_MISSING, "a queue misses an event")                                \
    X(EVENT_VALUE_WRONG, "an event in a queue has another value")              \
    X(SNAPSHOT_MISSING, "a history misses a snapshot")                         \
    X(RESTORE_TOO_FAR, "a restore goes back to the snapshot before")           \
    X(RESTORE_MISSES_PART, "a restore leaves a part as it is")                 \
    X(VISIT_EXPECTED, "a view visits one entity more, by spans")               \
    X(ROW_EXPECTED, "a view visits one entity more, by rows")                  \
    X(SINCE_EXPECTED, "one entity more was changed since a tick")              \
    X(COMMAND_MISSING, "a recorded command is forgotten")                      \
    X(COMMAND_NOT_REPLAYED, "a replay leaves out a command")                   \
    X(LOSS_UNCOUNTED, "a failed recording is not counted")                     \
    X(ID_MISSING, "an id less is ready for a recorded entity")                 \
    X(SKIPPED_STAYS, "a skipped command stays")                                \
    X(CLEARED_STAYS, "a cleared command stays")                                \
    X(BODY_TWICE, "the body of a system runs twice")                           \
    X(BODY_VISITS_LESS, "the body of a system misses an entity")               \
    X(SYSTEM_NOT_REPLAYED, "the commands of a system are not replayed")        \
    X(ORDER_REVERSED, "systems run in the reverse order")                      \
    X(TURN_TOO_EARLY, "a system runs before its turn")                         \
    X(PHASE_TOO_OFTEN, "a phase runs once too often")                          \
    X(TOTAL_WRONG, "the total of a system counts an entity twice")             \
    X(ENABLING_FORGOTTEN, "a system is not switched on or off")                \
    X(TWINS_DIFFER, "one of two clones is changed before both run")            \
    X(POOL_UNSORTED, "a sorted pool is as it was")                             \
    X(SWAP_FORGOTTEN, "two swapped components are where they were")            \
    X(NOT_SORTED_AS, "a pool that is sorted as another is as it was")          \
    X(DEPTH_UNSORTED, "a pool that is sorted by depth is as it was")           \
    X(KEPT_REVERSED, "a pool is kept in the reverse order")                    \
    X(KEPT_FOR_EVER, "a pool that is kept no longer still is")                 \
    X(STORAGE_KEPT, "a converted pool keeps its storage")                      \
    X(ADDRESS_WRONG, "a value is not at its stable address")                   \
    X(MOVE_UNTOLD, "a pack moves a value and does not tell")                   \
    X(POSITION_WRONG, "a restored component is at the next position")          \
    X(MEMBER_EXPECTED, "a group has one member more")                          \
    X(MEMBER_WRONG, "a group visits another member")                           \
    X(MEMBER_NOT_CONTAINED, "a group does not contain a member")               \
    X(OWNER_MISSING, "a pool that a group owns has no owner")                  \
    X(SPAN_EXPECTED, "a group has one span more")                              \
    X(FRONT_SHIFTED, "the members of a group begin at the second position")    \
    X(FIRST_WRONG, "the first member of a group is the last one")              \
    X(GROUP_UNSORTED, "a sorted group is as it was")                           \
    X(GROUP_NOT_SORTED_AS, "a group that is sorted as a pool is as it was")    \
    X(GROUP_ORDER_WRONG, "a restored group has another order")                 \
    X(PARENT_KEPT, "a child keeps its parent")                                 \
    X(CHILD_NOT_MOVED, "a child keeps its place among its siblings")           \
    X(CHILDREN_LEFT, "destroying a tree leaves the children")                  \
    X(WALK_REORDERED, "a walk visits its last entity first")                   \
    X(NAME_TAKEN, "an entity gets the name of a sibling")                      \
    X(NAME_NOT_FOUND, "a child is not found by its name")                      \
    X(STILL_ENABLED, "a disabled entity is still enabled")                     \
    X(COMPONENT_ENABLED, "a disabled component is still enabled")              \
    X(TICK_STAYS, "the tick does not advance")                                 \
    X(OLD_GATHERED, "a value that was not changed is gathered")                \
    X(COPY_LACKS, "a copy lacks a component")                                  \
    X(OUTSIDE_MIXED_UP, "keep_outside does the opposite")                      \
    X(FIRST_CHILD_LAST, "the first child of a copy is the last one")           \
    X(NAME_TWICE, "a copy gets the name of a sibling")                         \
    X(COMPONENT_LOST, "a component is lost in a merge")                        \
    X(LINK_NOT_MAPPED, "a copied handle is not mapped")                        \
    X(RESOURCE_MERGED, "a merge replaces a resource")                          \
    X(ALL_LOADED, "a load of some types loads all")                            \
    X(UNCHANGED_SAVED, "an image of changes contains all")                     \
    X(TYPE_NOT_SAVED, "an image lacks a type that has components in it")       \
    X(TYPE_SAVED, "an image names a type that is left out")                    \
    X(IMAGE_LONGER, "the image of a loaded world is a byte longer")            \
    X(STALE_LOADED, "a load brings a stale handle back")                       \
    X(FAILURE_CHANGES, "a call that fails changes the image of the world")     \
    X(GONE_STAYS, "a follower keeps an entity that is gone")                   \
    X(MISSING_STAYS, "a follower keeps a component that is gone")              \
    X(KEPT_OVERWRITTEN, "a follower sets a component that is to be kept")      \
    X(FOLLOWER_FORGETS, "a restore lets a follower forget what it knew")       \
    X(FOLLOWED_UNKNOWN, "a follower does not find an entity")                  \
    X(ID_OUT_OF_ORDER, "an id is issued out of order")                         \
    X(FILE_KEPT, "a saved file is still the old one")                          \
    X(LEFTOVER, "a save leaves a temporary file")                              \
    X(KILL_TOO_LATE, "a save that was killed replaced the file")               \
    X(LOOKUP_LACKS, "a lookup lacks an entity")                                \
    X(ANSWER_REORDERED, "the answers of a lookup are in another order")        \
    X(SOURCE_FORGOTTEN, "nothing is done for a source whose target ends")      \
    X(LEAVING_ENDS, "a target that leaves for another world ends")             \
    X(ENDED_LIVES, "a target that has ended elsewhere keeps its sources")      \
    X(EVENT_NOT_SENT, "an event that was sent is forgotten")                   \
    X(EVENTS_REORDERED, "an event is not where it should be")                  \
    X(DELIVERY_UNHEARD, "the listener of a channel misses a delivery")         \
    X(EVENTS_KEPT, "a cleared channel keeps its current events")

typedef enum sim_lie {
    SIM_TRUTH,
#define SIM_LIE_NAME(name, text) SIM_LIE_##name,
    SIM_LIES(SIM_LIE_NAME)
#undef SIM_LIE_NAME
        SIM_LIE_COUNT
} sim_lie;

struct sim;

/* For all programs that run from now on. */
void sim_choose_lie(sim_lie lie);
const char *sim_lie_text(sim_lie lie);
/* Whether the model is to lie here and now. */
bool sim_lies(struct sim *s, sim_lie lie);

#endif
