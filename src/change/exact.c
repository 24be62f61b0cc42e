/* Entities with given handles, new ones or ones that come back: first all are checked and marked, then all are made. */
#include "change/entity.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/stretch.h"

static const char no_memory[] = "an allocation failed: nothing has changed, so try again when there is memory";

/* ---- Checking ----------------------------------------------------------------------------------------------------*/

/* Why no entity can be created with this handle; NULL if one can. Its index has a page. */
static const char *why_not(const covey__entity_page *page, covey_entity e, covey_exact which) {
    bool again = which == COVEY_EXACT_AGAIN;
    uint32_t now = page->generation[e.index % COVEY_PAGE_SIZE];
    if ((now & 1) != 0) return "the index is in use, or the handle is listed twice: destroy its entity first";
    if (covey__is_set_aside(page, e.index))
        return "the index is set aside for a command buffer: replay or clear it first";
    if (covey__is_retired(page, e.index))
        return !again || e.generation != COVEY_GENERATION_MAX ? "the index is retired: choose another index" : NULL;
    if (again)
        return e.generation + 1u < now ? "a later generation of the index was used: only the last handle comes back"
                                       : NULL;
    return e.generation < now
               ? "the generation was used before: choose one above covey_generation_at, or bring the last "
                 "one back with COVEY_EXACT_AGAIN"
               : NULL;
}

/* Checks a handle, and marks its index as used until all are checked, which finds duplicates. */
static covey_result mark(covey_world *world, covey_entity e, covey_exact which, const char **why) {
    *why = "generations of living entities are odd, and neither part may be too large";
    if (covey_is_null(covey_entity_make(e.index, e.generation)) || (e.generation & 1) == 0) return COVEY_ERROR_RANGE;
    *why = no_memory;
    if (!covey__entity_page_of(world, e.index) && !covey__entities_reach(world, e.index)) return COVEY_ERROR_MEMORY;
    *why = why_not(covey__existing_page(world, e.index), e, which);
    if (*why) return COVEY_ERROR_TAKEN;
    covey__existing_page(world, e.index)->generation[e.index % COVEY_PAGE_SIZE]++;
    return COVEY_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------
 *
 * 64 entities that fill a block, in the order of indices, all of them free. Loops with constant counts and no branches,
 * so that compilers vectorise them. */

/* Whether the handles are of all indices of a block, and may be issued; `marked` is added to all generations. */
static bool may_be_issued(const covey_entity *entities, const uint32_t *generations, uint32_t marked,
                          covey_exact which) {
    uint32_t first = entities->index, wrong = 0, back = which == COVEY_EXACT_AGAIN ? 1 : 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        uint32_t now = generations[i] - marked, wanted = entities[i].generation;
        wrong |= (entities[i].index ^ (first + i)) | (now & 1) | (~wanted & 1);
        wrong |= (uint32_t)(now == 0) | (uint32_t)(wanted > COVEY_GENERATION_MAX) | (uint32_t)(wanted < now - back);
    }
    return wrong == 0;
}

/* The page of the first 64 entities of an array if they fill a block; otherwise NULL. */
static covey__entity_page *page_of_block(const covey_world *world, const covey_entity *entities, uint32_t left,
                                         uint32_t marked, covey_exact which) {
    if (!covey__may_be_block(entities, left)) return NULL;
    covey__entity_page *page = covey__entity_page_of(world, entities->index);
    uint32_t at = entities->index % COVEY_PAGE_SIZE;
    bool fits = page && page->free[at / 64] == UINT64_MAX;
    return fits && may_be_issued(entities, page->generation + at, marked, which) ? page : NULL;
}

static void mark_block(covey__entity_page *page, uint32_t first) {
    uint32_t *generations = page->generation + first % COVEY_PAGE_SIZE;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i]++;
}

static void take_block(covey_world *world, covey__entity_page *page, const covey_entity *entities) {
    uint32_t at = entities->index % COVEY_PAGE_SIZE, *generations = page->generation + at;
    page->free[at / 64] = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i] = entities[i].generation;
    world->alive += COVEY__BLOCK_IDS;
}

/* ---- All ---------------------------------------------------------------------------------------------------------*/

static covey_result mark_all(covey_world *world, const covey_entity *entities, uint32_t count, covey_exact which,
                             uint32_t *marked, const char **why) {
    covey_result result = COVEY_OK;
    for (*marked = 0; *marked < count && result == COVEY_OK;) {
        covey__entity_page *page = page_of_block(world, entities + *marked, count - *marked, 0, which);
        if (page) mark_block(page, entities[*marked].index);
        else result = mark(world, entities[*marked], which, why);
        if (result == COVEY_OK) *marked += page ? COVEY__BLOCK_IDS : 1;
    }
    return result;
}

static void take(covey_world *world, covey_entity e) {
    covey__entity_page *page = covey__existing_page(world, e.index);
    covey__table_take(page, e.index);
    page->generation[e.index % COVEY_PAGE_SIZE] = e.generation;
    world->alive++;
}

static void take_all(covey_world *world, const covey_entity *entities, uint32_t count, covey_exact which) {
    for (uint32_t i = 0; i < count;) {
        covey__entity_page *page = page_of_block(world, entities + i, count - i, 1, which);
        if (page) take_block(world, page, entities + i);
        else take(world, entities[i]);
        i += page ? COVEY__BLOCK_IDS : 1;
    }
}

bool covey_create_exact(covey_world *world, const covey_entity *entities, uint32_t count, covey_exact which) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (COVEY__IN_HOOK(world)) return false;
    const char *why = no_memory;
    uint32_t marked = 0;
    covey_result result = covey__entities_prepare(world, count);
    if (result == COVEY_OK) result = mark_all(world, entities, count, which, &marked, &why);
    if (result != COVEY_OK) {
        for (uint32_t i = 0; i < marked; i++)
            covey__existing_page(world, entities[i].index)->generation[entities[i].index % COVEY_PAGE_SIZE]--;
        covey_entity e = marked < count ? entities[marked] : (covey_entity){ 0, 0 };
        covey__fail(world, result, "%u:%u cannot be created: %s", e.index, e.generation, why);
        return false;
    }
    take_all(world, entities, count, which);
    covey__emit(world, NULL, COVEY_ON_CREATE, entities, count);
    COVEY__CHANGED(world);
    return true;
}
