/* Saves and restores block stores. */
#include "storage/block_snapshot.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "storage/presence.h"
#include "storage/slab.h"

#include <stdalign.h>

/* ---- Forms -------------------------------------------------------------------------------------------------------*/

/* Which ids a page has, and in which slots: equal pages have equal bytes. */
typedef struct page_form {
    uint64_t masks[COVEY__PAGE_BLOCKS];
    uint8_t capacity[COVEY__PAGE_BLOCKS];
    uint8_t slots[COVEY__BLOCK_PAGE]; /* for each compact block in turn: the bit in each slot */
} page_form;

/* Returns its bytes; 0 for a page without ids. */
static size_t form_of(const covey__block_page *page, page_form *form) {
    uint8_t *slots = form->slots;
    memcpy(form->masks, page->masks, sizeof form->masks);
    memcpy(form->capacity, page->capacity, sizeof form->capacity);
    for (uint64_t left = page->summary & ~page->direct; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        memcpy(slots, covey__slots_of(page, block), page->used[block]);
        slots += page->used[block];
    }
    return page->summary != 0 ? (size_t)(slots - (uint8_t *)form) : 0;
}

static const page_form *form_at(const covey__units *forms, uint32_t page) {
    static const page_form none;
    const covey__unit *unit = covey__unit_at(forms, page);
    return unit ? (const page_form *)(const void *)covey__unit_bytes(unit) : &none;
}

const uint64_t *covey__form_masks(const covey__units *forms, uint32_t page) { return form_at(forms, page)->masks; }

static bool has_form(const covey__block_store *blocks, uint32_t page, const covey__unit *unit) {
    page_form form;
    size_t bytes = covey__blocks_have_page(blocks, page) ? form_of(blocks->pages[page], &form) : 0;
    return bytes == (unit ? unit->bytes : 0) && (!unit || memcmp(&form, covey__unit_bytes(unit), bytes) == 0);
}

uint32_t covey__forms_next(const covey__units *forms, uint64_t *from) {
    while (*from / COVEY__BLOCK_PAGE < forms->count) {
        const uint64_t *masks = covey__form_masks(forms, (uint32_t)(*from / COVEY__BLOCK_PAGE));
        uint64_t left = masks[covey__block_of((uint32_t)*from)] >> *from % COVEY__BLOCK_IDS;
        if (left != 0) {
            *from += covey__lowest_bit(left) + UINT64_C(1);
            return (uint32_t)(*from - 1);
        }
        *from = (*from / COVEY__BLOCK_IDS + 1) * COVEY__BLOCK_IDS;
    }
    return COVEY_NONE;
}

/* ---- Runs of values ----------------------------------------------------------------------------------------------*/

/* The values of blocks [block, end) of a page, as runs of bytes. */
typedef struct value_runs {
    const covey__block_page *page;
    uint64_t left; /* bits of the block that are in no run yet */
    uint32_t block, end;
    size_t size;
} value_runs;

static value_runs runs_of(const covey__block_store *blocks, uint32_t page, uint32_t part) {
    const covey__block_page *of = blocks->pages[page];
    uint32_t block = part * COVEY__UNIT_BLOCKS;
    return (value_runs){ of, of->masks[block], block, block + COVEY__UNIT_BLOCKS, blocks->size };
}

/* Full blocks that are contiguous form one run. */
static size_t full_run(value_runs *runs) {
    const covey__block_page *page = runs->page;
    uint32_t first = runs->block;
    while (runs->block + 1 < runs->end && (page->joined >> runs->block & 1) != 0 &&
           page->masks[runs->block + 1] == UINT64_MAX)
        runs->block++;
    runs->left = 0;
    return (size_t)(runs->block - first + 1) * COVEY__BLOCK_IDS * runs->size;
}

/* Returns the bytes of the next run; 0 at the end. */
static size_t next_run(value_runs *runs, char **at) {
    while (runs->left == 0) {
        if (++runs->block >= runs->end) return 0;
        runs->left = runs->page->masks[runs->block];
    }
    uint32_t first = covey__lowest_bit(runs->left), used = runs->page->used[runs->block];
    *at = runs->page->chunks[runs->block].data;
    if (used != 0) {
        runs->left = 0;
        return used * runs->size;
    }
    if (runs->left == UINT64_MAX) return full_run(runs);
    uint32_t count = covey__lowest_bit(~(runs->left >> first)); /* some bit is 0, because the block is not full */
    *at += first * runs->size;
    runs->left &= first + count < COVEY__BLOCK_IDS ? UINT64_MAX << (first + count) : 0;
    return count * runs->size;
}

static size_t bytes_of_runs(value_runs runs) {
    size_t bytes = 0, run;
    char *at;
    while ((run = next_run(&runs, &at)) != 0) bytes += run;
    return bytes;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool has_values(const covey__unit *unit, value_runs runs) {
    const char *bytes = unit ? covey__unit_bytes(unit) : NULL, *end = unit ? bytes + unit->bytes : NULL;
    char *at;
    for (size_t run; unit && (run = next_run(&runs, &at)) != 0; bytes += run)
        if (run > (size_t)(end - bytes) || memcmp(bytes, at, run) != 0) return false;
    return unit && bytes == end;
}

static bool save_runs(covey__unit_store *store, const covey__units *before, covey__units *values, uint32_t number,
                      value_runs runs, bool wipe) {
    covey__unit *old = covey__unit_at(before, number), **unit = &values->at[number];
    if (has_values(old, runs)) {
        *unit = covey__unit_share(old);
        return true;
    }
    *unit = covey__unit_create(store, bytes_of_runs(runs), NULL);
    if (!*unit) return false;
    (*unit)->wipe = wipe;
    char *to = covey__unit_bytes(*unit), *at;
    for (size_t run; (run = next_run(&runs, &at)) != 0; to += run) memcpy(to, at, run);
    return true;
}

static bool save_page_values(covey__unit_store *store, const covey__block_store *blocks, uint32_t page,
                             const covey__units *before, covey__units *values) {
    const uint64_t summary = blocks->pages[page]->summary, part_of_summary = (UINT64_C(1) << COVEY__UNIT_BLOCKS) - 1;
    for (uint32_t part = 0; part < COVEY__UNITS_OF_PAGE; part++) {
        if ((summary >> part * COVEY__UNIT_BLOCKS & part_of_summary) == 0) continue;
        if (!save_runs(store, before, values, page * COVEY__UNITS_OF_PAGE + part, runs_of(blocks, page, part),
                       blocks->zero_erased))
            return false;
    }
    return true;
}

bool covey__blocks_save(covey__unit_store *store, const covey__block_store *blocks, const covey__units *forms_before,
                        covey__units *forms, const covey__units *values_before, covey__units *values) {
    page_form form;
    for (uint32_t page = 0; page < blocks->page_count; page++) {
        if (blocks->pages[page]->summary == 0) continue;
        size_t bytes = form_of(blocks->pages[page], &form);
        if (!covey__unit_save(store, forms_before, forms, page, &form, bytes)) return false;
        if (values && !save_page_values(store, blocks, page, values_before, values)) return false;
    }
    return true;
}

/* ---- Preparing ---------------------------------------------------------------------------------------------------*/

/* While a group owns the pool, no block is direct. */
static uint32_t capacity_in(const covey__block_store *blocks, const page_form *form, uint32_t block) {
    bool direct = form->capacity[block] == COVEY__BLOCK_IDS;
    return direct && blocks->grouped ? COVEY__MAPPED_WHOLE : form->capacity[block];
}

static bool gets_chunk(const covey__block_store *blocks, uint32_t index, const page_form *form) {
    uint32_t block = covey__block_of(index), capacity = covey__block_page_of(blocks, index)->capacity[block];
    return form->masks[block] != 0 && capacity != capacity_in(blocks, form, block);
}

static char *take_chunk(covey__block_store *blocks, uint32_t capacity) {
    return blocks->size != 0 ? covey__chunk_take_exactly(blocks, capacity) : covey__nothing;
}

/* Allocates chunks for the blocks of a page that have none of the right capacity. */
static covey_result take_chunks(covey__heap *heap, covey__block_plan *plan, covey__block_store *blocks, uint32_t page,
                                const page_form *form) {
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        if (!gets_chunk(blocks, page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS, form)) continue;
        char **chunks = covey__reach(heap, plan->chunks, &plan->capacity, plan->count, UINT32_MAX, NULL);
        if (!chunks) return COVEY_ERROR_MEMORY;
        plan->chunks = chunks;
        chunks[plan->count] = take_chunk(blocks, capacity_in(blocks, form, block));
        if (!chunks[plan->count]) return COVEY_ERROR_MEMORY;
        plan->count++;
    }
    return COVEY_OK;
}

covey_result covey__blocks_prepare_restore(covey__heap *heap, covey__block_plan *plan, covey_pool *pool,
                                           const covey__units *forms) {
    covey_world *world = pool->world;
    covey__block_store *blocks = &pool->blocks;
    for (uint32_t page = 0; page < forms->count; page++) {
        uint32_t first = page * COVEY__BLOCK_PAGE;
        if (!forms->at[page] || has_form(blocks, page, forms->at[page])) continue;
        if (!covey__presence_reserve(world, pool->number, first)) return COVEY_ERROR_MEMORY;
        covey_result result = covey__blocks_reserve(blocks, first, covey__block_limit(world));
        if (result == COVEY_OK) result = take_chunks(heap, plan, blocks, page, form_at(forms, page));
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

void covey__block_plan_return(covey__block_plan *plan, covey__block_store *blocks) {
    for (uint32_t i = 0; i < plan->count && blocks->size != 0; i++) covey__chunk_free(blocks, plan->chunks[i]);
    plan->count = 0;
}

void covey__block_plan_free(covey__heap *heap, covey__block_plan *plan) {
    covey__free(heap, plan->chunks, plan->capacity, sizeof *plan->chunks, alignof(char *));
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

/* Sets the ids of a block, and marks or unmarks the pool there. */
static void reshape(covey_pool *pool, uint32_t index, const page_form *form, const uint8_t *slots, char *chunk) {
    uint32_t block = covey__block_of(index), count = 0;
    uint64_t before = covey__block_page_of(&pool->blocks, index)->masks[block], mask = form->masks[block];
    uint8_t in_order[COVEY__BLOCK_IDS]; /* the ids of a direct block */
    for (uint64_t left = mask; left != 0 && form->capacity[block] == COVEY__BLOCK_IDS; left &= left - 1)
        in_order[count++] = (uint8_t)covey__lowest_bit(left);
    covey__blocks_reshape(&pool->blocks, index, mask, count != 0 ? in_order : slots, chunk,
                          capacity_in(&pool->blocks, form, block));
    if (before == 0 && mask != 0) covey__presence_set(pool->world, pool->number, index);
    if (before != 0 && mask == 0) covey__presence_unmark(pool->world, pool->number, index);
}

/* In the order in which the chunks were taken. */
static void reshape_page(covey_pool *pool, uint32_t page, const page_form *form, char *const **chunks) {
    const uint8_t *slots = form->slots;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        uint32_t index = page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS;
        char *chunk = gets_chunk(&pool->blocks, index, form) ? *(*chunks)++ : NULL;
        reshape(pool, index, form, slots, chunk);
        if (form->capacity[block] != COVEY__BLOCK_IDS) slots += covey__bits_in(form->masks[block]);
    }
}

void covey__blocks_restore(covey_pool *pool, const covey__block_plan *plan, const covey__units *forms, uint32_t count) {
    covey__block_store *blocks = &pool->blocks;
    char *const *chunks = plan->chunks;
    for (uint32_t page = 0; page < blocks->page_count; page++) {
        if (!covey__blocks_have_page(blocks, page)) continue;
        if (has_form(blocks, page, covey__unit_at(forms, page))) continue;
        reshape_page(pool, page, form_at(forms, page), &chunks);
    }
    blocks->count = count;
}

void covey__blocks_restore_values(covey__copier *copier, const covey__block_store *blocks, const covey__units *values) {
    for (uint32_t i = 0; i < values->count; i++) {
        if (!values->at[i]) continue;
        value_runs runs = runs_of(blocks, i / COVEY__UNITS_OF_PAGE, i % COVEY__UNITS_OF_PAGE);
        const char *from = covey__unit_bytes(values->at[i]);
        char *at;
        for (size_t run; (run = next_run(&runs, &at)) != 0; from += run) covey__copier_add(copier, at, from, run);
    }
}
