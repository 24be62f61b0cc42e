/* A grid: which indices of entities are in a cell of the plane or of space. A counting sort of all of them, made anew
 * when many have moved to another cell; those that moved since are in a second, small list. Nothing allocates except
 * reserve and reach, so that filing never fails.
 *
 *     pages     index -> | whether it is filed | its cell |
 *     starts    slot -> its first item          | 0 | 2 | 2 | 5 | ...
 *     items     indices, by slot and in order   | 7 | 90 | 3 | 4 | 8 | ...
 *     moved     slot and index, in one order: filed in this slot since the items were made
 *
 * A cell has two or three numbers. Its slot is made of the low bits of each, so that neighbouring cells have
 * neighbouring slots, and cells that are far apart may share one. Items that have left their slot stay where they are:
 * the cell of the index says so.
 *
 * To file: file or unfile any indices, then settle. */
#ifndef COVEY_GRID_H
#define COVEY_GRID_H

#include "lookup/field.h"
#include "memory/bits.h"
#include "memory/pages.h"

#include <covey/covey.h>

#include <float.h>

#ifndef COVEY_GRID_RUN
#define COVEY_GRID_RUN 16 /* the items are made anew when one of so many indices has moved */
#endif

typedef struct covey__grid {
    uint32_t dimensions; /* 2 or 3 */
    double cells_each;   /* cells for each unit of length */
    double most;         /* the greatest number of a cell */
    covey__pages pages;
    uint32_t *starts, slot_capacity; /* one more than slots */
    uint32_t *items, item_capacity, item_count;
    uint64_t *runs; /* three parts of run_capacity: moved, fresh, and for sorting */
    uint32_t run_capacity, moved_count, fresh_count;
    uint64_t changes;  /* grows when indices are filed in other cells, or unfiled */
    uint32_t count;    /* indices that are filed */
    uint32_t capacity; /* indices for which there is memory */
    bool stale;        /* an item may have left its slot */
    bool builds;       /* the items have to be made anew */
    bool many;         /* many moved when the grid was settled last */
    uint32_t moves;    /* how many moved since, about */
    uint32_t mask[COVEY__DIMENSIONS], shift[COVEY__DIMENSIONS], slots;
    uint32_t measured, builds_left; /* how many there were when the slots were chosen; when to choose anew */
} covey__grid;

/* An empty grid, whose cells have this side. */
covey__grid covey__grid_of(uint32_t dimensions, double cell);

/* Memory for `count` indices, and for the page of an index. False: an allocation failed, and nothing has changed but
 * spare capacity. */
bool covey__grid_reserve(covey__heap *heap, covey__grid *g, uint64_t count);
bool covey__grid_reach(covey__heap *heap, covey__grid *g, uint32_t index, uint32_t limit);
/* Moves everything into memory for only `count` indices, if an allocation does not fail. */
void covey__grid_shrink(covey__heap *heap, covey__grid *g, uint32_t count);
void covey__grid_clear(covey__grid *g); /* keeps the memory */
void covey__grid_free(covey__heap *heap, covey__grid *g);
size_t covey__grid_bytes(const covey__grid *g);

/* ---- Cells -------------------------------------------------------------------------------------------------------*/

/* Cells further away are one cell. Three numbers of a cell have fewer bits, so that distances of cells fit. */
static inline int32_t covey__cell_most(uint32_t dimensions) { return dimensions == 2 ? INT32_MAX : (1 << 20) - 1; }

/* A number of cells, rounded to the nearest: the least if it is NaN. */
static inline int32_t covey__cell_along(double cells, double most) {
    cells = cells > -most ? cells : -most;
    cells = cells < most ? cells : most;
#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 /* x87: a sum is rounded twice */
    int32_t below = (int32_t)cells - ((double)(int32_t)cells > cells);
    double above = cells - (double)below;
    return below + (above > 0.5 || (above == 0.5 && below % 2 != 0));
#else
    const double shift = 6755399441055744.0; /* 1.5 * 2^52: then the low bits are those of the rounded number */
    double shifted = cells + shift;
    uint64_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    return (int32_t)(uint32_t)bits;
#endif
}

/* The cell of a point. False: it has a NaN. */
bool covey__cell_of(const covey__grid *g, const double *point, int32_t *cell);

typedef struct covey__grid_page {
    uint64_t filed[COVEY__PAGE_BLOCKS];
    int32_t cells[COVEY__BLOCK_PAGE * 2]; /* or 3 */
} covey__grid_page;

static inline const int32_t *covey__cell_in(const covey__grid *g, const covey__grid_page *page, uint32_t index) {
    return page->cells + (size_t)(index % COVEY__BLOCK_PAGE) * g->dimensions;
}

static inline bool covey__grid_has(const covey__grid *g, uint32_t index) {
    const covey__grid_page *page = covey__page_at(&g->pages, index);
    return page && (page->filed[covey__block_of(index)] >> index % COVEY__BLOCK_IDS & 1) != 0;
}

/* Whether an index is filed, and in this cell. */
static inline bool covey__is_in_cell(const covey__grid *g, uint32_t index, const int32_t *cell) {
    const covey__grid_page *page = g->pages.at[index / COVEY__BLOCK_PAGE];
    const int32_t *at = covey__cell_in(g, page, index);
    if ((page->filed[covey__block_of(index)] >> index % COVEY__BLOCK_IDS & 1) == 0) return false;
    return at[0] == cell[0] && at[1] == cell[1] && (g->dimensions == 2 || at[2] == cell[2]);
}

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

/* The pages must exist. */
void covey__grid_file(covey__grid *g, uint32_t index, const int32_t *cell);
void covey__grid_unfile(covey__grid *g, uint32_t first, uint64_t ids); /* of a block; those that are filed */
/* Files indices of a block where their points are. All 64 points follow each other, as numbers of this kind, which is
 * COVEY_KIND_F32 or COVEY_KIND_F64; those of other indices may be anything. */
void covey__grid_file_block(covey__grid *g, uint32_t first, uint64_t ids, covey_kind kind, const void *points);
void covey__grid_settle(covey__grid *g);

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

/* The indices in a cell, in order, from one on: as many as there is room for. */
uint32_t covey__grid_read(const covey__grid *g, const int32_t *cell, uint32_t from, uint32_t *indices, uint32_t room);
/* The items of some neighbouring cells, of which the last number differs; those of other cells may be between them.
 * False: they do not follow each other, or some have left their cells. */
bool covey__grid_strip(const covey__grid *g, const int32_t *cell, uint32_t cells, uint32_t from, const uint32_t **items,
                       uint32_t *count);
/* The least and the greatest numbers of the cells of all indices. Returns false if there is none. */
bool covey__grid_bounds(const covey__grid *g, int32_t *low, int32_t *high);
/* The first index from this one on that is filed, or COVEY_NONE. */
uint32_t covey__grid_next(const covey__grid *g, uint32_t index);

bool covey__grid_valid(const covey__grid *g, const char **why);

#endif
