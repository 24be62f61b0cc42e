/* Entities that are created again with their old handles: all handles are checked and marked first, then the entities
 * are created. */
#include "change/entity.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/stretch.h"

static const char no_memory[] = "an allocation failed: nothing has changed, so try again when there is memory";

/* ---- Checking ----------------------------------------------------------------------------------------------------*/

/* Why no entity can be created with this handle; NULL if one can. Its index has a page. */
static const char *why_not(const covey__entity_page *page, covey_entity e) {
    uint32_t now = page->generation[e.index % COVEY_PAGE_SIZE];
    if ((now & 1) != 0) return "the index is in use, or the handle is listed twice: destroy its entity first";
    if (covey__is_set_aside(page, e.index))
        return "the index is set aside for a command buffer: replay or clear it first";
    if (covey__is_retired(page, e.index)) return e.generation != COVEY_GENERATION_MAX ? "the index is retired" : NULL;
    return e.generation + 1u < now ? "a later generation of the index was used: only the last handle comes back" : NULL;
}

/* Checks a handle, and marks its index as used until all handles are checked: this finds duplicates. */
static covey_result mark(covey_world *world, covey_entity e, const char **why) {
    *why = "generations of living entities are odd, and neither part may be too large";
    if (covey_is_null(covey_entity_make(e.index, e.generation)) || (e.generation & 1) == 0) return COVEY_ERROR_RANGE;
    *why = no_memory;
    if (!covey__entity_page_of(world, e.index) && !covey__entities_reach(world, e.index)) return COVEY_ERROR_MEMORY;
    *why = why_not(covey__existing_page(world, e.index), e);
    if (*why) return COVEY_ERROR_TAKEN;
    covey__existing_page(world, e.index)->generation[e.index % COVEY_PAGE_SIZE]++;
    return COVEY_OK;
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------
 *
 * 64 entities that fill a block, in the order of indices, all of them free. Loops with constant counts and no branches,
 * so that compilers vectorise them. */

/* Whether the handles cover all indices of a block and can be created again. `marked` was added to all generations. */
static bool may_return(const covey_entity *entities, const uint32_t *generations, uint32_t marked) {
    uint32_t first = entities->index, wrong = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        uint32_t now = generations[i] - marked, wanted = entities[i].generation;
        wrong |= (entities[i].index ^ (first + i)) | (now & 1) | (~wanted & 1);
        wrong |= (uint32_t)(now == 0) | (uint32_t)(wanted > COVEY_GENERATION_MAX) | (uint32_t)(wanted < now - 1);
    }
    return wrong == 0;
}

/* The page of the first 64 entities of an array if they fill a block; otherwise NULL. */
static covey__entity_page *page_of_block(const covey_world *world, const covey_entity *entities, uint32_t left,
                                         uint32_t marked) {
    if (!covey__may_be_block(entities, left)) return NULL;
    covey__entity_page *page = covey__entity_page_of(world, entities->index);
    uint32_t at = entities->index % COVEY_PAGE_SIZE;
    bool fits = page && page->free[at / 64] == UINT64_MAX;
    return fits && may_return(entities, page->generation + at, marked) ? page : NULL;
}

static void mark_block(covey__entity_page *page, uint32_t first) {
    uint32_t *generations = page->generation + first % COVEY_PAGE_SIZE;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i]++;
}

static void bring_block_back(covey_world *world, covey__entity_page *page, const covey_entity *entities) {
    uint32_t at = entities->index % COVEY_PAGE_SIZE, *generations = page->generation + at;
    page->free[at / 64] = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i] = entities[i].generation;
    world->alive += COVEY__BLOCK_IDS;
}

/* ---- All ---------------------------------------------------------------------------------------------------------*/

static covey_result mark_all(covey_world *world, const covey_entity *entities, uint32_t count, uint32_t *marked,
                             const char **why) {
    covey_result result = COVEY_OK;
    for (*marked = 0; *marked < count && result == COVEY_OK;) {
        covey__entity_page *page = page_of_block(world, entities + *marked, count - *marked, 0);
        if (page) mark_block(page, entities[*marked].index);
        else result = mark(world, entities[*marked], why);
        if (result == COVEY_OK) *marked += page ? COVEY__BLOCK_IDS : 1;
    }
    return result;
}

static void bring_back(covey_world *world, covey_entity e) {
    covey__entity_page *page = covey__existing_page(world, e.index);
    covey__table_take(page, e.index);
    page->generation[e.index % COVEY_PAGE_SIZE] = e.generation;
    world->alive++;
}

static void take_all(covey_world *world, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        covey__entity_page *page = page_of_block(world, entities + i, count - i, 1);
        if (page) bring_block_back(world, page, entities + i);
        else bring_back(world, entities[i]);
        i += page ? COVEY__BLOCK_IDS : 1;
    }
}

bool covey_create_again(covey_world *world, const covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (COVEY__IN_HOOK(world)) return false;
    const char *why = no_memory;
    uint32_t marked = 0;
    covey_result result = covey__entities_prepare(world, count);
    if (result == COVEY_OK) result = mark_all(world, entities, count, &marked, &why);
    if (result != COVEY_OK) {
        for (uint32_t i = 0; i < marked; i++)
            covey__existing_page(world, entities[i].index)->generation[entities[i].index % COVEY_PAGE_SIZE]--;
        covey_entity e = marked < count ? entities[marked] : (covey_entity){ 0, 0 };
        covey__fail(world, result, "%u:%u cannot be created again: %s", e.index, e.generation, why);
        return false;
    }
    take_all(world, entities, count);
    covey__emit(world, NULL, COVEY_ON_CREATE, entities, count);
    COVEY__CHANGED(world);
    return true;
}
