/* How an iteration walks through its entities: its first step decides. */
#include "query/walk.h"

#include "memory/inner.h"
#include "query/match.h"
#include "query/view.h"
#include "storage/block_store.h"
#include "storage/front.h"
#include "storage/storage.h"

/* What is zero until a step sets it. The members follow each other. */
static void clear_walk(covey__walk *walk) {
    walk->hides = walk->asks_more = walk->refills = walk->begun = walk->shares = false;
    walk->changed = walk->ticked = 0;
    walk->looked_up = walk->excluded = walk->lacking = walk->first = 0;
    walk->rest = walk->blocks = walk->opened = walk->longer = 0;
    walk->full = walk->joined = walk->packed = walk->scattered = 0;
    walk->along = walk->last = walk->slot = walk->slots = walk->destroyed = 0;
    walk->changes = 0;
    walk->set = NULL;
    walk->hidden = NULL;
}

/* Columns without a page have an empty one. */
static void begin_walk(covey__walk *walk) {
    const covey_view *view = walk->view;
    walk->mode = COVEY__MODE_NOTHING;
    walk->plans = false;
    walk->shifts = view->world ? &view->world->shifts : NULL;
    walk->next = walk->from = walk->direct = walk->most = walk->pools = 0;
    walk->to = COVEY__NO_BLOCK;
    for (uint32_t i = 0; i < COVEY__ROW_CHUNKS || i < covey__view_terms(view); i++) {
        walk->columns[i].pool = view->pools[i];
        walk->columns[i].page = &covey__zeros.blocks;
    }
}

/* Whether the pools of a view need no search, and nothing of it can be disabled. */
static bool is_quick(const covey_view *view) { return view->quick && covey__nothing_hides(view->world); }

static void find_pools(covey__walk *walk) {
    if (COVEY__LIKELY(is_quick(walk->view))) walk->pools = covey__pools_known(walk->view->world);
    else if (walk->view->world) covey__walk_find_pools(walk);
}

/* What the required pools have in common. */
typedef struct survey {
    const covey_pool *smallest; /* or NULL */
    uint32_t packed;            /* columns that are not in blocks */
    uint32_t first, end;        /* of the pages that all those in blocks have */
} survey;

/* Pools in blocks are looked at for their pages, and the others are not: these have none. */
static survey survey_pools(const covey__walk *walk) {
    survey s = { NULL, 0, 0, covey__block_limit(walk->view->world) };
    uint32_t least = 0;
    for (uint32_t i = 0; i < walk->view->with; i++) {
        const covey_pool *pool = walk->columns[i].pool;
        uint32_t count = covey_pool_count(pool);
        if (!s.smallest || count < least) s.smallest = pool, least = count;
        if (!covey__in_blocks(pool)) {
            s.packed |= 1u << i;
            continue;
        }
        if (pool->block_store.end_page < s.end) s.end = pool->block_store.end_page;
        if (pool->block_store.first_page > s.first) s.first = pool->block_store.first_page;
    }
    return s;
}

static bool all_known(const covey__walk *walk) {
    for (uint32_t i = 0; i < walk->view->with; i++)
        if (!walk->columns[i].pool) return false;
    return walk->view->world != NULL;
}

uint32_t covey__longest_list(const covey__walk *walk) {
    return walk->ticked != 0 ? 1 : walk->view->fields > COVEY__FEW ? COVEY__PART : COVEY__BATCH;
}

/* The pages of the lead pool, too, if it is in blocks. */
static void walk_ids(covey__walk *walk, survey s) {
    const covey_view *view = walk->view;
    const covey_pool *lead = walk->lead;
    walk->plans = view->with == view->fields;
    walk->next = lead && lead->block_store.first_page > s.first ? lead->block_store.first_page : s.first;
    walk->end = lead && lead->block_store.end_page < s.end ? lead->block_store.end_page : s.end;
    walk->asks_more |= lead || view->with == 0 || view->without != 0 || !walk->plans;
    walk->mode = !walk->plans || walk->ticked != 0 ? COVEY__MODE_IDS
                 : s.packed != 0                   ? COVEY__MODE_MIXED
                                                   : COVEY__MODE_BLOCKS;
    walk->looked_up = walk->plans ? s.packed : 0;
    walk->direct = walk->plans ? ((1u << view->with) - 1) & ~s.packed : 0;
    walk->most = covey__longest_list(walk);
}

/* Notes which fields have to be looked up: those that are not parallel to the array. */
static void walk_array(covey__walk *walk) {
    const covey_view *view = walk->view;
    bool plain = view->with == view->fields && walk->ticked == 0 && !walk->hides;
    walk->mode = plain ? COVEY__MODE_ARRAY : COVEY__MODE_POSITIONS;
    walk->array = walk->set->ids;
    walk->looked_up = plain ? ((1u << view->fields) - 1) & ~walk->direct : 0;
    for (uint32_t i = view->fields; plain && !walk->group && i < covey__view_terms(view); i++)
        walk->excluded |= (uint32_t)(walk->columns[i].pool != NULL) << i;
    walk->most = covey__longest_list(walk);
}

/* Walks the blocks that have members. Looks up fields that the group does not own. */
static void walk_group_blocks(covey__walk *walk) {
    walk->mode = COVEY__MODE_SLOTS;
    walk->end = walk->group->front.borders.count;
    walk->direct = (1u << covey__group_owned(walk->group)) - 1;
    walk->looked_up = ((1u << walk->view->fields) - 1) & ~walk->direct;
    walk->most = covey__longest_list(walk);
}

static void walk_set(covey__walk *walk, const covey_pool *lead) {
    walk->lead = lead;
    walk->set = &lead->sparse_set;
    walk->end = lead->sparse_set.end;
    walk->refills = lead->sparse_set.policy == COVEY_SWAP_AND_POP || lead->sparse_set.policy == COVEY_SWAP_ONLY;
    for (uint32_t i = 0; i < walk->view->with; i++) walk->direct |= (uint32_t)(walk->columns[i].pool == lead) << i;
    walk_array(walk);
}

/* Disabled entities are not members, so that nothing is hidden. */
static void walk_group(covey__walk *walk, const covey_group *group) {
    walk->hides = false;
    if (group->front.by_block) {
        walk_group_blocks(walk);
        return;
    }
    walk->set = covey__group_owned(group) != 0 ? &group->pools[0]->sparse_set : &group->members;
    walk->direct = (1u << covey__group_owned(group)) - 1;
    walk->end = covey_group_count(group);
    walk->refills = true;
    walk_array(walk);
}

/* By id if changes are asked for, because ticks are stored by id and tell which blocks have changes. */
static void walk_view(covey__walk *walk) {
    walk->changed = walk->since != 0 ? walk->view->changed : 0;
    walk->asks_more |= walk->changed != 0;
    if (walk->listed) {
        walk->mode = COVEY__MODE_POSITIONS;
        return;
    }
    survey s = survey_pools(walk);
    const covey_pool *lead = walk->lead || walk->by_id ? walk->lead : s.smallest;
    if (walk->changed == 0 && lead && !covey__in_blocks(lead)) walk_set(walk, lead);
    else walk_ids(walk, s);
    if (walk->changed != 0) walk->next = covey__page_from(walk, walk->next);
}

static void decide(covey__walk *walk) {
    begin_walk(walk);
    find_pools(walk);
    if (walk->group) walk_group(walk, walk->group);
    else if (walk->view->quick || all_known(walk)) walk_view(walk);
}

/* The most common case: all pools of a plain view are in blocks. Otherwise returns false. */
static bool decide_quickly(covey__walk *walk) {
    const covey_view *view = walk->view;
    covey_world *world = view->world;
    uint32_t first = 0, end = UINT32_MAX;
    for (uint32_t i = 0; i < view->with; i++) {
        const covey_pool *pool = view->pools[i];
        if (!covey__in_blocks(pool)) return false;
        walk->columns[i].pool = pool;
        if (pool->block_store.first_page > first) first = pool->block_store.first_page;
        if (pool->block_store.end_page < end) end = pool->block_store.end_page;
    }
    for (uint32_t i = view->with; i < COVEY__ROW_CHUNKS; i++) walk->columns[i].page = &covey__zeros.blocks;
    walk->mode = COVEY__MODE_BLOCKS;
    walk->plans = true;
    walk->shifts = &world->shifts;
    walk->next = first;
    walk->end = end;
    walk->from = 0;
    walk->to = COVEY__NO_BLOCK;
    walk->direct = (1u << view->with) - 1;
    walk->most = view->with > COVEY__FEW ? COVEY__PART : COVEY__BATCH;
    walk->pools = covey__pools_known(world);
    return true;
}

void covey__walk_decide(covey__walk *walk) {
    if (walk->mode != COVEY__MODE_UNDECIDED && walk->mode != COVEY__MODE_AT_ONCE) return;
    clear_walk(walk);
    bool plain = walk->view->plain && !walk->group && !walk->lead && !walk->listed && walk->since == 0;
    if (!plain || !is_quick(walk->view) || !decide_quickly(walk)) decide(walk);
}
