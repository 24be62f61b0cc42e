/* Every invariant of sets and worlds, checked from scratch. Tests call this after each step; so may anybody. */
#include "block_store.h"
#include "commands.h"
#include "enable.h"
#include "entity.h"
#include "group.h"
#include "hierarchy.h"
#include "history.h"
#include "name.h"
#include "pages.h"
#include "presence.h"
#include "queue.h"
#include "reactive.h"
#include "resource.h"
#include "result.h"
#include "signal.h"
#include "sparse_set.h"
#include "storage.h"
#include "tick.h"
#include "type.h"
#include "watch.h"

#include <covey/commands.h>

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

static bool validate_free_list(const covey_world *world, const covey__range *range, uint32_t idle, uint32_t *listed,
                               const char **why) {
    uint32_t previous = COVEY_NONE;
    for (uint32_t index = range->free; index != COVEY_NONE; (*listed)++) {
        REQUIRE(index < range->end && covey__range_of(world, index) == range,
                "entities: a free index outside its range");
        const covey__entity_page *page = covey__entity_page_of(world, index);
        REQUIRE(page, "entities: a free index without a page");
        uint32_t at = index % COVEY_PAGE_SIZE;
        REQUIRE(page->generation[at] != 0 && (page->generation[at] & 1) == 0,
                "entities: an index that is free and is not");
        REQUIRE(previous == COVEY_NONE || page->previous[at] == previous,
                "entities: the free list is broken backwards");
        REQUIRE(*listed < idle, "entities: the free list goes round in circles");
        previous = index;
        index = page->next[at];
    }
    return true;
}

static bool validate_fresh(const covey_world *world, const covey__range *range, const char **why) {
    REQUIRE(range->fresh >= range->first && range->fresh <= range->end, "entities: the fresh indices left their range");
    for (uint32_t index = range->fresh; index < range->fresh_end; index++) {
        const covey__entity_page *page = covey__entity_page_of(world, index);
        REQUIRE(page, "entities: a fresh index without a page");
        uint32_t at = index % COVEY_PAGE_SIZE;
        REQUIRE(!covey__is_set_aside(page, index), "entities: a fresh index that is set aside");
        REQUIRE(page->generation[at] == 0 && page->next[at] != index, "entities: a fresh index that was used");
    }
    return true;
}

/* Numbers whose sum tells which indices they are of, and how often. */
static uint64_t fingerprint(uint32_t index) {
    uint64_t number = (index + UINT64_C(1)) * UINT64_C(0x9E3779B97F4A7C15);
    return (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
}

static bool validate_id(const covey_world *world, covey_entity e, const char **why) {
    const covey__entity_page *page = covey__entity_page_of(world, e.index);
    REQUIRE(page && covey__is_set_aside(page, e.index), "commands: an id that is not set aside");
    REQUIRE(covey__range_of(world, e.index) == &world->range, "commands: an id of a reserved range");
    REQUIRE((e.generation & 1) != 0 && e.generation <= COVEY_GENERATION_MAX &&
                e.generation > page->generation[e.index % COVEY_PAGE_SIZE],
            "commands: an id of another generation");
    return true;
}

/* Every index that is set aside is an id of one buffer. */
static bool validate_commands(const covey_world *world, uint64_t set_aside, const char **why) {
    const covey_commands *previous = NULL;
    for (const covey_commands *c = world->commands; c; previous = c, c = c->next_of_world) {
        REQUIRE(c->world == world && c->previous_of_world == previous, "commands: a buffer that is not in the list");
        if (!covey__commands_valid(c, why)) return false;
        for (uint32_t i = 0; i < c->id_count; i++) {
            if (i >= c->spent && i < c->spent + c->created) continue;
            if (!validate_id(world, c->ids[i], why)) return false;
            set_aside -= fingerprint(c->ids[i].index);
        }
    }
    REQUIRE(set_aside == 0, "commands: an index that is set aside for nobody, or twice");
    return true;
}

static bool validate_entities(const covey_world *world, const char **why) {
    uint32_t alive = 0, used = 0, beyond = 0, listed = 0, waiting = 0, confused = 0;
    uint64_t set_aside = 0;
    for (uint32_t number = 0; number < world->page_count; number++) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        for (uint32_t i = 0; page && i < COVEY_PAGE_SIZE; i++) {
            uint32_t generation = page->generation[i];
            beyond += generation > COVEY_GENERATION_MAX;
            alive += generation & 1;
            used += generation != 0;
            if (!covey__is_set_aside(page, number * COVEY_PAGE_SIZE + i)) continue;
            set_aside += fingerprint(number * COVEY_PAGE_SIZE + i);
            waiting += generation != 0;
            confused += generation & 1;
        }
    }
    uint32_t idle = used - alive - waiting;
    REQUIRE(confused == 0, "entities: an index that is set aside and alive");
    REQUIRE(beyond == 0, "entities: a generation beyond the last");
    REQUIRE(alive == world->alive, "entities: the number alive is not what was counted");
    for (uint32_t i = 0; i <= world->reserved_count; i++) {
        const covey__range *range = i == world->reserved_count ? &world->range : &world->reserved[i];
        REQUIRE(range == &world->range || covey__range_of(world, range->first) == range,
                "entities: ranges that overlap");
        if (!validate_free_list(world, range, idle, &listed, why) || !validate_fresh(world, range, why)) return false;
    }
    REQUIRE(listed == idle, "entities: a free index that is in no list");
    return validate_commands(world, set_aside, why);
}

/* A pool is marked nowhere but in blocks where it has anything. */
static bool validate_presence_page(const covey_world *world, const covey__presence_page *page, uint32_t first,
                                   const char **why) {
    for (uint32_t i = 0; i < COVEY__PAGE_BLOCKS * page->words; i++) {
        uint32_t block = i / (uint32_t)page->words, word = i % (uint32_t)page->words;
        for (uint64_t left = page->bits[i]; left != 0; left &= left - 1) {
            uint32_t number = word * 64 + covey__lowest_bit(left);
            REQUIRE(number < world->pool_count, "presence: a pool that does not exist");
            REQUIRE(covey__storage_is_present(world->pools[number], first + block * 64),
                    "presence: a pool that has nothing there");
        }
    }
    return true;
}

static bool validate_presence(const covey_world *world, const char **why) {
    for (uint32_t i = 0; i < world->presence_count; i++)
        if (!validate_presence_page(world, world->presence_pages[i], i * COVEY__BLOCK_PAGE, why)) return false;
    return true;
}

/* What a pool knows of the block that is being filled. */
static bool validate_filling(const covey_world *world, const covey_pool *pool, const char **why) {
    const covey__filling *filling = &pool->filling;
    if (filling->block == COVEY_NONE) return true;
    uint32_t index = filling->block * 64, block = covey__block_of(index);
    REQUIRE(!covey__packed_in(pool) && covey__blocks_have_page(&pool->blocks, index / COVEY__BLOCK_PAGE),
            "filling: a block that does not exist");
    const covey__block_page *page = covey__block_page_of(&pool->blocks, index);
    REQUIRE(page->capacity[block] == 64 && page->masks[block] != 0, "filling: a block that is not direct, or empty");
    REQUIRE(filling->mask == &page->masks[block] && filling->data == page->chunks[block].data,
            "filling: the parts of another block");
    REQUIRE(filling->generations == &world->pages[index / COVEY_PAGE_SIZE]->generation[index % COVEY_PAGE_SIZE],
            "filling: the entities of another block");
    return true;
}

/* What the world knows of the block in which an entity was destroyed last. */
static bool validate_emptying(const covey_world *world, const char **why) {
    const covey__emptying *emptying = &world->emptying;
    uint32_t index = emptying->block * 64, block = covey__block_of(index), found = 0;
    if (emptying->block == COVEY_NONE || emptying->moves != world->moves) return true;
    REQUIRE(emptying->page == covey__entity_page_of(world, index), "emptying: the entities of another block");
    for (uint32_t i = 0; i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        bool unmarked = covey__is_reactive(pool) && covey__block_next(&pool->blocks, index) / 64 != emptying->block;
        if (!covey__storage_is_present(pool, index) || unmarked) continue;
        REQUIRE(found < emptying->count && emptying->pools[found] == pool, "emptying: a pool is missing");
        REQUIRE(pool->plain, "emptying: a pool whose values need care");
        const covey__block_page *page = covey__block_page_of(&pool->blocks, index);
        REQUIRE(page->capacity[block] == 64, "emptying: a block that is not direct");
        REQUIRE(emptying->masks[found] == &page->masks[block], "emptying: the mask of another block");
        found++;
    }
    REQUIRE(found == emptying->count, "emptying: a pool that has nothing there");
    return true;
}

static bool validate_pool(const covey_world *world, const covey_pool *pool, const char **why) {
    REQUIRE(pool->world == world, "pool: of another world");
    REQUIRE(pool->number < world->pool_count && world->pools[pool->number] == pool, "pool: of another number");
    if (!covey__storage_valid(pool, why)) return false;
    if (covey__is_reactive(pool) && !covey__reactive_valid(pool, why)) return false;
    for (uint32_t i = covey_pool_next(pool, 0); i != COVEY_NONE; i = covey_pool_next(pool, i + 1)) {
        covey_entity e = covey_pool_at(pool, i);
        REQUIRE(covey_alive(world, e), "pool: a component of a dead entity");
    }
    if (!validate_filling(world, pool, why)) return false;
    REQUIRE(covey__storage_is_marked(pool), "presence: a pool that has something there and is not marked");
    return true;
}

/* ---- Groups and watches ------------------------------------------------------------------------------------------*/

/* Those at the front of owned pools are the members, the same ones everywhere; nobody else has what is asked for. */
static bool validate_owned(const covey_group *group, const char **why) {
    for (uint32_t i = 0; i < group->owned; i++) {
        const covey_pool *pool = group->pools[i];
        REQUIRE(covey__storage_takes_any_order(pool), "group: owns a pool that it cannot");
        REQUIRE(pool->set.end >= group->count, "group: more members than a pool has components");
        for (uint32_t at = 0; at < group->count; at++)
            REQUIRE(covey_same(pool->set.ids[at], group->pools[0]->set.ids[at]), "group: pools in different orders");
    }
    for (uint32_t at = 0; at < group->pools[0]->set.end; at++)
        REQUIRE(covey__group_asks_for(group, group->pools[0]->set.ids[at].index) == (at < group->count),
                "group: a member that is none, or the other way round");
    return true;
}

static bool validate_unowned(const covey_group *group, const char **why) {
    const covey_sparse_set *set = &group->set;
    uint32_t members = 0, candidates = 0;
    if (!covey__set_valid(set, "group: bytes that are not accounted for", why)) return false;
    for (uint32_t at = covey_pool_next(group->pools[0], 0); at != COVEY_NONE;
         at = covey_pool_next(group->pools[0], at + 1)) {
        covey_entity e = covey_pool_at(group->pools[0], at);
        bool asked = covey__group_asks_for(group, e.index);
        REQUIRE(covey_sparse_set_live(set, e) == asked, "group: a member that is none, or the other way round");
        members += asked;
        if (!covey__group_is_candidate(group, e.index)) continue;
        candidates++;
        REQUIRE(e.index / COVEY_PAGE_SIZE < set->page_count && covey__set_page(set, e.index / COVEY_PAGE_SIZE),
                "group: no page for one that may become a member");
    }
    REQUIRE(members == set->end && members == group->count, "group: a member that is in none of its pools");
    REQUIRE(candidates == group->candidates, "group: the number of those that may be members is not what was counted");
    REQUIRE(covey__set_room(set) >= candidates, "group: no room for those that may become members");
    return true;
}

static bool is_linked(const covey_group *group, const covey_pool *pool, covey__role role) {
    const covey__watch *watch = pool->watch;
    uint32_t links = 0;
    for (uint32_t link = 0; watch && link < watch->group_count; link++)
        links += watch->groups[link].group == group && watch->groups[link].role == role;
    return links == 1;
}

static bool validate_groups(const covey_world *world, const char **why) {
    for (uint32_t i = 0; i < world->group_count; i++) {
        const covey_group *group = world->groups[i];
        uint32_t terms = (uint32_t)group->view.with + group->view.without;
        REQUIRE(group->world == world, "group: of another world");
        for (uint32_t k = 0; k < terms; k++) {
            covey__role role = k < group->owned ? COVEY__OWNED : k < group->view.with ? COVEY__ASKED : COVEY__EXCLUDED;
            REQUIRE(is_linked(group, group->pools[k], role), "group: a pool that does not know it");
        }
        REQUIRE(!world->disabled || is_linked(group, world->disabled, COVEY__EXCLUDED),
                "group: it does not know who is disabled");
        if (!(group->owned != 0 ? validate_owned : validate_unowned)(group, why)) return false;
    }
    return true;
}

/* What an inner group asks for and owns is more than that of those around it. */
static uint32_t depth_of(const covey_group *group) {
    return (uint32_t)group->view.with + group->view.without + group->owned;
}

/* What a reactive set may have to mark has its place there. */
static bool validate_reserved(const covey_pool *pool, const covey_pool *tags, const char **why) {
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        uint32_t index = covey_pool_at(pool, at).index;
        REQUIRE(covey__blocks_have_page(&tags->blocks, index / COVEY__BLOCK_PAGE) &&
                    covey__presence_has_room(pool->world, tags->number, index),
                "reactive set: no place for a mark");
    }
    return true;
}

static bool has_source(const covey_queue *queue, const covey_pool *pool, const covey__listener *listener) {
    for (uint32_t i = 0; i < queue->source_count; i++)
        if (queue->sources[i].number == listener->number)
            return queue->sources[i].pool == pool && queue->sources[i].signals == listener->signals;
    return false;
}

static bool validate_listeners(const covey_world *world, const covey_pool *pool, const covey__listeners *listeners,
                               const char **why) {
    uint32_t signals = 0, called = 0, queued = 0;
    for (uint32_t i = 0; i < listeners->count; i++) {
        const covey__listener *listener = &listeners->all[i];
        called |= listener->call ? listener->signals : 0;
        queued |= listener->queue ? listener->signals : 0;
        if (listener->number == 0) {
            REQUIRE(listeners->emitting != 0 && listener->signals == 0, "listeners: one that has gone");
            continue;
        }
        signals |= listener->signals;
        REQUIRE(listener->number <= world->connections, "listeners: a connection that was never made");
        REQUIRE(!listener->call + !listener->queue + !listener->tags == 2, "listeners: one that is told in two ways");
        REQUIRE(!listener->queue || has_source(listener->queue, pool, listener),
                "listeners: a queue that does not know of it");
        if (listener->tags && !validate_reserved(pool, listener->tags, why)) return false;
    }
    REQUIRE((signals & ~listeners->signals) == 0 && (called & ~listeners->called) == 0 &&
                (queued & ~listeners->queued) == 0,
            "listeners: a signal that is not sent");
    REQUIRE(listeners->emitting != 0 || signals == listeners->signals, "listeners: a signal that nobody hears");
    return true;
}

static uint32_t count_heard(const covey__listeners *listeners) {
    uint32_t heard = 0;
    for (uint32_t i = 0; listeners && i < listeners->count; i++) heard += !listeners->all[i].tags;
    return heard;
}

static bool validate_signals(const covey_world *world, const char **why) {
    uint32_t heard = count_heard(world->listeners);
    if (world->listeners && !validate_listeners(world, NULL, world->listeners, why)) return false;
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (world->pools[i]->watch) heard += count_heard(&world->pools[i]->watch->listeners);
    REQUIRE(heard == world->heard, "listeners: their number is not what was counted");
    REQUIRE(world->emission || !world->dying, "entities: one that dies without a word");
    for (const covey_queue *queue = world->queues; queue; queue = queue->next) {
        REQUIRE(queue->world == world && queue->count <= queue->capacity, "queue: more than there is room for");
        REQUIRE(queue->capacity == 0 || queue->first < queue->capacity, "queue: begins nowhere");
        REQUIRE(world->emission || queue->count + covey__queue_owed(queue) <= queue->capacity,
                "queue: no room for the end of what is there");
    }
    for (const covey_reactive *reactive = world->reactives; reactive; reactive = reactive->next) {
        const covey_pool *tags = reactive->tags;
        REQUIRE(covey__is_reactive(tags) && !tags->watch && !covey__packed_in(tags) && tags->size == 0,
                "reactive set: another pool than a tag's");
        REQUIRE(reactive->used || covey_pool_count(tags) == 0, "reactive set: marks that nobody wants");
    }
    return true;
}

/* A group that is all that has to know of a pool asks nobody whether something is disabled. */
static bool validate_sole(const covey_pool *pool, const char **why) {
    const covey_group *sole = pool->watch->sole;
    if (!sole) return true;
    REQUIRE(!pool->type->ticks && !pool->world->disabled, "watch: a group that does not know of all that it should");
    for (uint32_t i = 0; i < sole->owned; i++)
        REQUIRE(!covey__may_hide(sole->pools[i]), "watch: a group that does not know of all that it should");
    return true;
}

/* Only components that are there are disabled. */
static bool validate_off(const covey_pool *pool, const char **why) {
    const covey__pages *off = &pool->watch->off;
    for (uint32_t i = 0; i < off->count; i++)
        for (uint32_t block = 0; off->at[i] && block < COVEY__PAGE_BLOCKS; block++)
            for (uint64_t left = ((const uint64_t *)off->at[i])[block]; left != 0; left &= left - 1)
                REQUIRE(covey__has_index(pool, i * COVEY__BLOCK_PAGE + block * 64 + covey__lowest_bit(left)),
                        "off: a component that is not there");
    return true;
}

static bool validate_tick_page(const covey_world *world, const covey__tick_page *page, const char **why) {
    for (uint32_t i = 0; i < COVEY__BLOCK_PAGE; i++) {
        uint64_t latest = page->latest[i / 64];
        REQUIRE(page->each[i] <= latest && page->whole[i / 64] <= latest, "ticks: a change after the last");
        REQUIRE(latest <= world->tick, "ticks: a change that is to come");
    }
    return true;
}

static bool validate_ticks(const covey_pool *pool, const char **why) {
    const covey__pages *ticks = &pool->watch->ticks;
    REQUIRE(pool->type->ticks || !ticks->at, "ticks: of a type without");
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !validate_tick_page(pool->world, ticks->at[i], why)) return false;
    for (uint32_t i = covey_pool_next(pool, 0); pool->type->ticks && i != COVEY_NONE;
         i = covey_pool_next(pool, i + 1)) {
        uint32_t index = covey_pool_at(pool, i).index;
        REQUIRE(covey__page_at(ticks, index) && covey__ticks_of(pool, index) != 0, "ticks: a component without");
    }
    return true;
}

static bool validate_watch(const covey_pool *pool, const char **why) {
    const covey__watch *watch = pool->watch;
    uint32_t depth = 0;
    const covey_sparse_set *set = covey__packed_in(pool);
    bool needs = watch && (watch->keeps_order || pool->type->ticks);
    REQUIRE(watch || !pool->type->ticks, "watch: changes that nobody notes");
    if (watch && !validate_listeners(pool->world, pool, &watch->listeners, why)) return false;
    REQUIRE(!set || set->watched == (watch != NULL), "watch: a set that does not know of it");
    REQUIRE(((pool->uses & COVEY_USE_GROUP) != 0) == (covey__pool_owner(pool) != NULL), "watch: owned, or not");
    const covey__listeners *heard = watch ? &watch->listeners : NULL;
    bool sets = heard && (heard->signals & COVEY_ON_SET) != 0;
    bool closely = pool->type->ticks || (watch && watch->off.at);
    REQUIRE(((pool->uses & COVEY__USE_CLOSELY) != 0) == closely, "watch: handed out without a close look");
    bool marks =
        sets && !pool->type->drop && !pool->type->ticks && ((heard->called | heard->queued) & COVEY_ON_SET) == 0;
    REQUIRE(((pool->uses & COVEY__USE_TOUCH) != 0) == marks, "watch: overwritten, and somebody does not hear of it");
    REQUIRE(((pool->uses & COVEY__USE_CARE) != 0) == (sets || pool->type->drop || pool->type->ticks),
            "watch: overwritten without care");
    if (!watch) return true;
    const covey__listeners *listeners = &watch->listeners;
    bool needed = listeners->count != 0 || listeners->emitting != 0 || watch->off.at || pool->type->ticks;
    REQUIRE(needed || watch->group_count != 0 || watch->keeps_order, "watch: nobody needs it");
    for (uint32_t i = 0; i < listeners->count; i++) needs |= listeners->all[i].queue || listeners->all[i].tags;
    REQUIRE(!pool->plain && pool->filling.block == COVEY_NONE, "watch: removals that nobody knows of");
    REQUIRE(pool->adding == (watch->sole ? COVEY__ADD_TO_GROUP : COVEY__ADD_AND_SETTLE),
            "watch: additions that nobody knows of");
    covey__removal removal = watch->sole && !pool->type->drop ? COVEY__REMOVE_GROUPED : COVEY__REMOVE_SLOWLY;
    REQUIRE(!set || (set->room == 0 && set->removal == removal), "watch: additions that nobody knows of");
    for (uint32_t i = 0; i < watch->group_count; i++) {
        const covey_group *group = watch->groups[i].group;
        needs |= group->owned == 0 && watch->groups[i].role != COVEY__EXCLUDED;
        REQUIRE(depth <= depth_of(group), "watch: an inner group before an outer one");
        depth = depth_of(group);
    }
    REQUIRE(watch->needs_memory == needs, "watch: needs memory, or does not, and is marked otherwise");
    REQUIRE(!watch->keeps_order || covey__storage_takes_any_order(pool), "watch: an order that is not kept");
    return validate_sole(pool, why) && validate_off(pool, why) && validate_ticks(pool, why);
}

/* ---- Hierarchy and names -----------------------------------------------------------------------------------------*/

/* The list of children, in both directions. */
static bool validate_children(const covey_world *world, const covey__node *node, const char **why) {
    uint32_t count = 0, previous = COVEY_NONE;
    for (uint32_t at = node->first; at != COVEY_NONE; count++) {
        const covey__node *child = covey__node_of(world, at);
        REQUIRE(child && child->parent == node->self, "hierarchy: a child of another parent");
        REQUIRE(child->previous == previous, "hierarchy: the list of children is broken backwards");
        previous = at;
        at = child->next;
    }
    REQUIRE(node->last == previous, "hierarchy: the last child is not the last");
    REQUIRE(node->count == count, "hierarchy: the number of children is not what was counted");
    return true;
}

/* Counts a root and all below it, of nodes whose lists of children are valid. */
static uint32_t size_of_tree(const covey_world *world, const covey__node *root) {
    uint32_t count = 1;
    for (const covey__node *node = root;; count++) {
        uint32_t next = node->first;
        for (; next == COVEY_NONE && node != root; node = covey__node_of(world, node->parent)) next = node->next;
        if (next == COVEY_NONE) return count;
        node = covey__node_of(world, next);
    }
}

/* Those that no root reaches go round in circles. */
static bool validate_hierarchy(const covey_world *world, const char **why) {
    const covey_pool *pool = world->nodes;
    uint32_t reached = 0;
    if (!pool) return true;
    REQUIRE(strcmp(pool->type->name, "covey.node") == 0 && pool->type->context == world, "hierarchy: another pool");
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        const covey__node *node = covey_pool_value_at_raw(pool, at, sizeof *node);
        bool is_root = node->parent == COVEY_NONE;
        REQUIRE(node->self == covey_pool_at(pool, at).index, "hierarchy: the node of another entity");
        REQUIRE(is_root || covey__node_of(world, node->parent), "hierarchy: a parent that is none");
        REQUIRE(!is_root || (node->next == COVEY_NONE && node->previous == COVEY_NONE),
                "hierarchy: siblings of a root");
        if (!validate_children(world, node, why)) return false;
    }
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        const covey__node *node = covey_pool_value_at_raw(pool, at, sizeof *node);
        if (node->parent == COVEY_NONE) reached += size_of_tree(world, node);
    }
    REQUIRE(reached == covey_pool_count(pool), "hierarchy: a child that no root has");
    return true;
}

/* A name is in the bucket of its hash, and no sibling has it. */
static bool validate_name(const covey_world *world, uint32_t index, const char **why) {
    const covey__name *name = covey__name_of(world, index);
    const covey__names *names = world->names;
    uint32_t found = 0, steps = 0;
    REQUIRE(name->self == index, "name: of another entity");
    REQUIRE(name->length != 0 && strlen(name->text) == name->length, "name: of another length");
    REQUIRE(name->hash == covey__name_key(world, index), "name: a hash that is not its own");
    for (uint32_t at = names->buckets[name->hash & (names->bucket_count - 1)]; at != COVEY_NONE;) {
        const covey__name *other = covey__name_of(world, at);
        REQUIRE(other, "name: a bucket leads to an entity without a name");
        REQUIRE(steps++ < covey_pool_count(names->pool), "name: a bucket goes round in circles");
        found += at == index;
        at = other->next;
    }
    REQUIRE(found == 1, "name: in another bucket, or in none");
    REQUIRE(!covey__name_clashes(world, index, covey__parent_of(world, index)), "name: two siblings have it");
    return true;
}

static bool validate_names(const covey_world *world, const char **why) {
    const covey__names *names = world->names;
    if (!names || !names->pool) return true;
    REQUIRE(strcmp(names->pool->type->name, "covey.name") == 0 && names->pool->type->context == world,
            "name: another pool");
    REQUIRE((names->bucket_count & (names->bucket_count - 1)) == 0 &&
                names->bucket_count >= covey_pool_count(names->pool),
            "name: too few buckets");
    for (uint32_t i = 0; i < names->bucket_count; i++)
        REQUIRE(names->buckets[i] == COVEY_NONE || covey__name_of(world, names->buckets[i]),
                "name: a bucket leads to an entity without a name");
    for (uint32_t at = covey_pool_next(names->pool, 0); at != COVEY_NONE; at = covey_pool_next(names->pool, at + 1))
        if (!validate_name(world, covey_pool_at(names->pool, at).index, why)) return false;
    return true;
}

static bool validate_types(const covey_world *world, const char **why) {
    uint32_t bound = 0;
    for (uint32_t i = 0; i <= world->type_mask; i++) {
        const covey__type_entry *entry = &world->types[i];
        if (!entry->type) continue;
        bound++;
        REQUIRE(covey__pool_bound(world, entry->type) == entry->pool, "types: a type that is not found");
        REQUIRE(covey__pool_named(world, entry->type->name) == entry->pool,
                "types: a type with another name than its pool");
        REQUIRE(covey__type_same_layout(entry->type, entry->pool->type),
                "types: a type with another layout than its pool");
    }
    REQUIRE(bound == world->type_count, "types: their number is not what was counted");
    REQUIRE(bound >= world->pool_count && bound * 4 <= world->type_mask + 1, "types: the table is too full");
    return true;
}

/* What the world itself takes: everything but the insides of its pools. */
static size_t counted_world_bytes(const covey_world *world) {
    size_t bytes = sizeof *world + covey__made_type_bytes(world) + covey__resource_bytes(world);
    bytes += world->page_count * sizeof *world->pages + world->pool_capacity * sizeof *world->pools;
    bytes += world->pool_count * sizeof(covey_pool) + world->reserved_capacity * sizeof(covey__range);
    bytes += ((size_t)world->type_mask + 1) * sizeof *world->types + covey__presence_bytes(world);
    bytes += covey__names_bytes(world) + world->borrowed;
    bytes += world->group_capacity * sizeof *world->groups + world->group_count * sizeof(covey_group);
    bytes += covey__queues_bytes(world) + covey__reactives_bytes(world);
    if (world->listeners) bytes += sizeof *world->listeners + covey__listeners_bytes(world->listeners);
    for (uint32_t i = 0; i < world->pool_count; i++) bytes += covey__watch_bytes(world->pools[i]);
    for (uint32_t i = 0; i < world->page_count; i++)
        if (covey__entity_page_of(world, i * COVEY_PAGE_SIZE)) bytes += sizeof(covey__entity_page);
    return bytes;
}

static bool validate_disabled(const covey_world *world, const char **why) {
    uint32_t hiding = 0;
    REQUIRE(world->disabled == covey__pool_bound(world, &covey_type_covey_disabled), "disabled: another pool");
    for (uint32_t i = 0; i < world->pool_count; i++) hiding += covey__may_hide(world->pools[i]);
    REQUIRE(hiding == world->hiding, "disabled: the number of pools is not what was counted");
    REQUIRE(world->tick != 0, "ticks: no tick");
    return true;
}

bool covey_world_validate(const covey_world *world, const char **why) {
    REQUIRE(world, "world: NULL");
    if (!validate_types(world, why) || !validate_disabled(world, why) || !validate_entities(world, why)) return false;
    REQUIRE(world->heap.bytes == counted_world_bytes(world), "world: bytes that are not accounted for");
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (!validate_pool(world, world->pools[i], why) || !validate_watch(world->pools[i], why)) return false;
    return validate_groups(world, why) && validate_presence(world, why) && validate_emptying(world, why) &&
           validate_signals(world, why) && validate_hierarchy(world, why) && validate_names(world, why) &&
           covey__resources_valid(world, why) && covey__histories_valid(world, why);
}

void covey__changed(const covey_world *world) {
    const char *why = "";
    if (!covey_world_validate(world, &why)) covey__contract_broken(world, why, __FILE__, __LINE__);
}
