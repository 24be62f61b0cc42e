/* The hot path: iterations. Not API. */
#ifndef COVEY_DETAIL_ITERATE_H
#define COVEY_DETAIL_ITERATE_H

#ifdef __cplusplus
extern "C" {
#endif

COVEY_API bool covey__next_batch(covey_iter *it);
COVEY_API uint64_t covey__next_row_page(covey_iter *it);
/* The first step of rows. Returns the blocks of the first page; 0 if rows are listed, or there are none. */
COVEY_API uint64_t covey__rows_begin(covey_iter *it);
COVEY_API bool covey__next_rows(covey_iter *it, bool moved);
COVEY_API void *covey__row_value(const covey_iter *it, uint32_t index, uint32_t field);
COVEY_API uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file,
                                      int line);
/* `index` is that of the row, or COVEY_NONE if there is no row. If `type` is NULL, any type is accepted. */
COVEY_API uint32_t covey__check_row_field(const covey_iter *it, uint32_t index, uint32_t field, const covey_type *type,
                                          const char *file, int line);
/* Called before the next span or row: report rules that were broken since the last one, and note the state for the next
 * check. */
COVEY_API void covey__check_span(covey_iter *it, const char *file, int line);
COVEY_API void covey__check_row(covey_iter *it, const covey_row *row, const char *file, int line);

/* ---- Views -------------------------------------------------------------------------------------------------------*/

#if COVEY_ASSERT_LEVEL >= 1
#define COVEY__FIELD_NUMBER(it, field, T) covey__check_field((it), (field), covey_id(T), __FILE__, __LINE__)
#define COVEY__ROW_FIELD_NUMBER(it, row, field, type) \
    covey__check_row_field((it), covey__checked_index((it), (row)), (field), (type), __FILE__, __LINE__)
#else
#define COVEY__FIELD_NUMBER(it, field, T) (field)
#define COVEY__ROW_FIELD_NUMBER(it, row, field, type) (field)
#endif
#define COVEY__FIELD(it, field, T) covey__field_sized((it), COVEY__FIELD_NUMBER(it, field, T), COVEY__SIZE(T))
#define COVEY__ROW_FIELD(it, row, field, T) \
    covey__row_field_sized((it), (row), COVEY__ROW_FIELD_NUMBER(it, row, field, covey_id(T)), COVEY__SIZE(T))

/* Begins the rows of the next block of the page, if they are visited one by one. Otherwise returns false. */
COVEY_HOT bool covey__next_scattered(covey_iter *it) {
    uint64_t blocks = it->walk.blocks, next = blocks & (0 - blocks);
    if ((next & it->walk.scattered) == 0 || it->walk.rest != 0) return false;
    uint32_t block = covey__lowest_bit(next);
    it->walk.blocks = blocks ^ next;
    it->block = block;
    it->left = it->matches[block];
    it->count = 1;
    it->walk.columns[0].chunk = it->walk.columns[0].page->chunks[block]; /* most views have one or two: no loop */
    it->walk.columns[1].chunk = it->walk.columns[1].page->chunks[block];
    for (uint32_t i = 2; i < it->walk.view->fields; i++)
        it->walk.columns[i].chunk = it->walk.columns[i].page->chunks[block];
    return true;
}

/* The first span of the next block or batch. */
COVEY_HOT bool covey__next_after(covey_iter *it) {
    if (!it->ended) return covey__next_scattered(it) || covey__next_batch(it);
    it->count = it->stop = 0;
    return false;
}

COVEY_HOT bool covey__next_span(covey_iter *it) {
    uint64_t left = it->left & (it->left - 1);
    uint32_t at = it->at + 1;
    it->left = left;
    if (COVEY__LIKELY(left != 0)) return true;
    if (!COVEY__LIKELY(at < it->stop)) return covey__next_after(it);
    it->at = at;
    if (it->varies) it->count = it->counts[at];
    return true;
}

COVEY_HOT bool covey_next(covey_iter *it) {
    COVEY__CONTRACT(NULL, it, "the iteration is NULL");
    if (!covey__next_span(it)) return false;
    COVEY__ASSUME(it->count != 0);
    return true;
}

/* The id, or position, of the first row of the span. */
COVEY_HOT uint32_t covey__span_row(const covey_iter *it) {
    if (it->left == 0) return it->rows[it->at];
    return it->walk.first + it->block * COVEY__BLOCK_IDS + covey__lowest_bit(it->left);
}

/* The addresses of a field, for the spans of a list. In views with more than COVEY__FEW fields the lists are short, and
 * four share the space of one. */
COVEY_HOT char *const *covey__list_of(const covey_iter *it, uint32_t field) {
    return &it->values[field % COVEY__FEW][field / COVEY__FEW * COVEY__PART];
}

COVEY_HOT void *covey__field_sized(const covey_iter *it, uint32_t field, size_t size) {
    const covey__chunk *chunk = &it->walk.columns[field].chunk;
    if (COVEY__LIKELY(it->left != 0)) return chunk->data + chunk->map[covey__lowest_bit(it->left)] * size;
    return covey__list_of(it, field)[it->at];
}

COVEY_HOT void *covey_field_raw(const covey_iter *it, uint32_t field) {
    COVEY__CONTRACT(NULL, it, "the iteration is NULL");
    return covey__field_sized(it, field, it->walk.view->types[field]->size);
}

/* The bit of a row of a span that is a block: the ids of slots are stored before the map. */
COVEY_HOT uint32_t covey__slot_bit(const covey_iter *it, uint32_t row) {
    const covey__block_page *page = it->walk.columns[0].page;
    uint32_t block = (it->rows[it->at] - it->walk.first) / COVEY__BLOCK_IDS;
    return (page->chunks[block].map - page->capacity[block])[row];
}

COVEY_INLINE covey_entity covey_span_entity(const covey_iter *it, uint32_t row) {
    COVEY__CONTRACT(NULL, it, "the iteration is NULL");
    uint32_t first = covey__span_row(it);
    if (it->walk.array) return it->walk.array[first + row];
    uint32_t index = first + (it->left == 0 && it->slotted ? covey__slot_bit(it, row) : row);
    return covey__entity(index, covey__generation_of(it->walk.view->world, index));
}

COVEY_HOT void covey__row_knows(const covey_iter *it, covey_row *row, uint32_t block, uint32_t field) {
    const covey__chunk *chunk = &it->walk.columns[field].page->chunks[block];
    row->chunks[field].data = chunk->data;
    row->chunks[field].map = chunk->map;
}

/* The first row of the first block of the row. Returns false if there is no block. */
COVEY_HOT bool covey__begin_rows_of_block(covey_iter *it, covey_row *row) {
    if (row->blocks == 0) return false;
    uint32_t block = covey__lowest_bit(row->blocks);
    row->left = it->matches[block];
    row->now = &it->walk.view->world->moves;
    row->moves = *row->now;
    covey__row_knows(it, row, block, 0); /* compilers remove those that are not used; they would not remove a loop */
    covey__row_knows(it, row, block, 1);
    covey__row_knows(it, row, block, 2);
    covey__row_knows(it, row, block, 3);
    return true;
}

/* The first row of the next block with matches. */
COVEY_HOT bool covey__next_row_of_blocks(covey_iter *it, covey_row *row) {
    row->blocks &= row->blocks - 1;
    if (row->blocks == 0 && it->walk.next < it->walk.end) row->blocks = covey__next_row_page(it);
    return covey__begin_rows_of_block(it, row);
}

/* The first row of a list. Rows whose values are contiguous are visited like those of a block. */
COVEY_HOT void covey__begin_list(const covey_iter *it, covey_row *row) {
    bool known = it->walk.mode < COVEY__MODE_IDS && it->walk.ticked == 0; /* all fields are listed */
    row->now = it->walk.shifts;
    row->moves = known ? *row->now : ~*row->now;
    row->left = it->flat;
    if (it->flat == 0) return;
    row->chunks[0] = it->walk.columns[0].chunk;
    row->chunks[1] = it->walk.columns[1].chunk;
    row->chunks[2] = it->walk.columns[2].chunk;
    row->chunks[3] = it->walk.columns[3].chunk;
}

/* The next row of a list. Makes a new list if the last one is done, or if values have moved since. */
COVEY_HOT bool covey__next_row_of_list(covey_iter *it, covey_row *row) {
    bool stays = row->moves == *row->now;
    if (row->left != 0) it->at = stays ? it->stop - 1 : covey__lowest_bit(row->left);
    row->left = 0;
    uint32_t at = it->at + 1;
    if (COVEY__LIKELY(stays && at < it->stop)) {
        it->at = at;
        return true;
    }
    if ((stays && it->ended) || !covey__next_rows(it, !stays)) return false;
    covey__begin_list(it, row);
    return true;
}

COVEY_HOT bool covey__first_row(covey_iter *it, covey_row *row) {
    row->blocks = covey__rows_begin(it);
    if (row->blocks != 0) return covey__begin_rows_of_block(it, row);
    if (it->stop != 0) covey__begin_list(it, row);
    return it->stop != 0;
}

/* The first row of the next block or list; or the next row, if values have moved. */
COVEY_HOT bool covey__next_row_after(covey_iter *it, covey_row *row, uint64_t left) {
    bool more;
    if (!row->now) {
        more = covey__first_row(it, row);
    } else if (row->blocks != 0) {
        row->left = left;
        more = left != 0 || covey__next_row_of_blocks(it, row);
    } else {
        more = covey__next_row_of_list(it, row);
    }
    if (!more) row->now = NULL; /* there is no row */
    return more;
}

COVEY_HOT bool covey_next_row(covey_iter *it, covey_row *row) {
    uint64_t left = row->left & (row->left - 1);
    if (!COVEY__LIKELY(left != 0 && row->moves == *row->now)) return covey__next_row_after(it, row, left);
    row->left = left;
    return true;
}

COVEY_HOT uint32_t covey__row_index(const covey_iter *it, covey_row row) {
    if (row.blocks == 0) return covey__index(it->ids[row.left != 0 ? covey__lowest_bit(row.left) : it->at]);
    return it->walk.first + covey__lowest_bit(row.blocks) * COVEY__BLOCK_IDS + covey__lowest_bit(row.left);
}

COVEY_INLINE uint32_t covey__checked_index(const covey_iter *it, covey_row row) {
    return row.now ? covey__row_index(it, row) : COVEY_NONE;
}

COVEY_INLINE covey_entity covey_row_entity(const covey_iter *it, covey_row row) {
    COVEY__CONTRACT(NULL, it, "the iteration is NULL");
    uint32_t index = covey__row_index(it, row);
    return covey__entity(index, covey__generation_of(it->walk.view->world, index));
}

/* The chunk of a field that the row does not keep. */
COVEY_HOT const covey__chunk *covey__row_chunk(const covey_iter *it, covey_row row, uint32_t field) {
    const covey__column *column = &it->walk.columns[field];
    return row.blocks != 0 ? &column->page->chunks[covey__lowest_bit(row.blocks)] : &column->chunk;
}

/* Looks up values that may have moved since the row began, and those whose change must be marked. */
COVEY_HOT void *covey__row_field_sized(const covey_iter *it, covey_row row, uint32_t field, size_t size) {
    bool stays = row.moves == *row.now;
    if (COVEY__LIKELY(stays && row.left != 0)) {
        const covey__chunk *chunk = field < COVEY__ROW_CHUNKS ? &row.chunks[field] : covey__row_chunk(it, row, field);
        return chunk->data + chunk->map[covey__lowest_bit(row.left)] * size;
    }
    if (stays) return covey__list_of(it, field)[it->at];
    return covey__row_value(it, covey__row_index(it, row), field);
}

COVEY_HOT void *covey_row_field_raw(const covey_iter *it, covey_row row, uint32_t field) {
    COVEY__CONTRACT(NULL, it, "the iteration is NULL");
    return covey__row_field_sized(it, row, COVEY__ROW_FIELD_NUMBER(it, row, field, NULL),
                                  it->walk.view->types[field]->size);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_ITERATE_H */
