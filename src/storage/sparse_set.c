/* The sparse set: a paged table from index to position, packed ids, and values beside them, under four policies of
 * removal. Reads go through the inline code of covey.h; this file changes sets. */
#include "storage/sparse_set.h"

#include "memory/alloc.h"

#include <limits.h>
#include <stdalign.h>

#define TABLE_LIMIT ((COVEY_NONE - 1) / COVEY_PAGE_SIZE + 1)

/* Used for all missing pages: every index is absent, and no slot is COVEY__SLOT_NULL. Never written. */
#define MISSING_1 COVEY__SLOT(COVEY_NONE, 1)
#define MISSING_2 MISSING_1, MISSING_1
#define MISSING_4 MISSING_2, MISSING_2
#define MISSING_8 MISSING_4, MISSING_4
#define MISSING_16 MISSING_8, MISSING_8
#define MISSING_32 MISSING_16, MISSING_16
#define MISSING_64 MISSING_32, MISSING_32
#define MISSING_128 MISSING_64, MISSING_64
#define MISSING_256 MISSING_128, MISSING_128
#define MISSING_512 MISSING_256, MISSING_256
#define MISSING_1024 MISSING_512, MISSING_512
#define MISSING_2048 MISSING_1024, MISSING_1024
#define MISSING_4096 MISSING_2048, MISSING_2048
#define MISSING_TIMES(count) MISSING_##count
#define MISSING(count) MISSING_TIMES(count)
static const covey__slot missing_slots[COVEY_PAGE_SIZE] = { MISSING(COVEY_PAGE_SIZE) };

static const char nothing[COVEY__ALIGN_MAX]; /* the address of values without bytes */

/* Converts between a page and its entry in the table. */
static uintptr_t entry_of(const covey__slot *page, uint32_t number) {
    return (uintptr_t)page - (uintptr_t)number * COVEY_PAGE_SIZE * sizeof(covey__slot);
}

covey__slot *covey__set_page(const covey_sparse_set *set, uint32_t number) {
    covey__slot *page = covey__slot_of(set, number * COVEY_PAGE_SIZE);
    return page != missing_slots ? page : NULL;
}

static void free_page(covey_sparse_set *set, uint32_t number) {
    covey__slot *page = covey__set_page(set, number);
    if (!page) return;
    covey__free(&set->heap, page, COVEY_PAGE_SIZE, sizeof *page, alignof(covey__slot));
    set->pages[number] = entry_of(missing_slots, number);
}

/* ---- Making and freeing ------------------------------------------------------------------------------------------*/

static bool is_desc_valid(const covey_sparse_set_desc *desc) {
    uint32_t align = desc->align ? desc->align : 1;
    return (align & (align - 1)) == 0 && align <= COVEY__ALIGN_MAX && desc->size % align == 0 &&
           (uint32_t)desc->policy <= COVEY_ORDERED;
}

void covey__set_init(covey_sparse_set *set, const covey_sparse_set_desc *desc) {
    *set = (covey_sparse_set){
        .data = desc->size ? NULL : (char *)(uintptr_t)nothing,
        .policy = (uint8_t)desc->policy,
        .paged = desc->policy == COVEY_IN_PLACE && desc->size != 0,
        .zero_erased = desc->zero_erased,
        .hole = COVEY_NONE,
        .size = desc->size,
        .align = (uint8_t)(desc->align ? desc->align : 1),
        .heap = { desc->allocator, 0, NULL },
    };
    covey__set_observe(set, false, false);
}

static uint32_t value_pages(uint32_t positions) {
    return positions / COVEY_PAGE_SIZE + (positions % COVEY_PAGE_SIZE != 0);
}

/* In place, data_capacity counts the positions that have a page; table_capacity the entries of the table of pages. */
static void free_value_pages(covey_sparse_set *set, uint32_t keep) {
    char **pages = set->data;
    for (uint32_t i = keep; i < value_pages(set->data_capacity); i++)
        covey__free(&set->heap, pages[i], COVEY_PAGE_SIZE, set->size, set->align);
    if (keep < value_pages(set->data_capacity)) set->data_capacity = keep * COVEY_PAGE_SIZE;
}

void covey__set_free(covey_sparse_set *set) {
    for (uint32_t i = 0; i < set->page_count; i++) free_page(set, i);
    covey__free(&set->heap, set->pages, set->page_count, sizeof *set->pages, alignof(void *));
    covey__free(&set->heap, set->ids, set->id_capacity, sizeof *set->ids, alignof(covey_entity));
    covey__free(&set->heap, set->marks, set->mark_capacity, sizeof *set->marks, alignof(uint64_t));
    if (set->paged) {
        free_value_pages(set, 0);
        covey__free(&set->heap, set->data, set->table_capacity, sizeof(void *), alignof(void *));
    } else if (set->size != 0) {
        covey__free(&set->heap, set->data, set->data_capacity, set->size, set->align);
    }
}

covey_sparse_set *covey_sparse_set_create(const covey_sparse_set_desc *desc) {
    covey_sparse_set_desc defaults = { 0 };
    if (!desc) desc = &defaults;
    if (!is_desc_valid(desc)) return NULL;
    covey__heap heap = { desc->allocator, 0, NULL };
    covey_sparse_set *set = covey__resize(&heap, NULL, 0, 1, sizeof *set, alignof(covey_sparse_set));
    if (!set) return NULL;
    covey__set_init(set, desc);
    set->heap.bytes = heap.bytes;
    return set;
}

void covey_sparse_set_destroy(covey_sparse_set *set) {
    if (!set) return;
    covey__set_free(set);
    covey__heap heap = set->heap;
    covey__free(&heap, set, 1, sizeof *set, alignof(covey_sparse_set));
}

/* ---- Room --------------------------------------------------------------------------------------------------------*/

static bool reach_table(covey_sparse_set *set, uint32_t number) {
    covey__set_shifts(set);
    if (number < set->page_count) return true;
    uint32_t grown = covey__grown(set->page_count, number + 1, TABLE_LIMIT);
    uintptr_t *pages = covey__resize(&set->heap, set->pages, set->page_count, grown, sizeof *pages, alignof(uintptr_t));
    if (!pages) return false;
    for (uint32_t i = set->page_count; i < grown; i++) pages[i] = entry_of(missing_slots, i);
    set->pages = pages;
    set->page_count = grown;
    return true;
}

covey_result covey__set_reach(covey_sparse_set *set, uint32_t index) {
    uint32_t number = index / COVEY_PAGE_SIZE;
    if (!reach_table(set, number)) return COVEY_ERROR_MEMORY;
    if (covey__set_page(set, number)) return COVEY_OK;
    covey__slot *slots = covey__resize(&set->heap, NULL, 0, COVEY_PAGE_SIZE, sizeof *slots, alignof(covey__slot));
    if (!slots) return COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) slots[i] = COVEY__SLOT_NULL;
    set->pages[number] = entry_of(slots, number);
    return COVEY_OK;
}

static void update_room(covey_sparse_set *set) {
    bool appends = set->policy == COVEY_SWAP_AND_POP || set->policy == COVEY_ORDERED;
    set->row_room = appends && (!set->observed || set->grouped) ? covey__set_room(set) : 0;
    set->room = set->observed ? 0 : set->row_room;
}

void covey__set_observe(covey_sparse_set *set, bool observed, bool drops) {
    bool slow = observed || drops || set->zero_erased;
    set->observed = observed;
    if (!slow && set->policy == COVEY_SWAP_AND_POP) set->removal = COVEY__REMOVE_SWAPPING;
    else if (!slow && set->policy == COVEY_ORDERED) set->removal = COVEY__REMOVE_MARKING;
    else set->removal = COVEY__REMOVE_SLOWLY;
    update_room(set);
}

static uint32_t mark_words(uint32_t positions) { return positions / 64 + (positions % 64 != 0); }

/* Only ordered sets have marks. */
static bool resize_marks(covey_sparse_set *set, uint32_t positions) {
    uint32_t words = set->policy == COVEY_ORDERED ? mark_words(positions) : 0;
    uint64_t *marks =
        covey__resize(&set->heap, set->marks, set->mark_capacity, words, sizeof *marks, alignof(uint64_t));
    if (!marks && words != 0) return false;
    for (uint32_t i = set->mark_capacity; i < words; i++) marks[i] = 0;
    set->marks = marks;
    set->mark_capacity = words;
    return true;
}

static bool resize_ids(covey_sparse_set *set, uint32_t capacity) {
    covey__set_shifts(set);
    covey_entity *ids =
        covey__resize(&set->heap, set->ids, set->id_capacity, capacity, sizeof *ids, alignof(covey_entity));
    if (!ids && capacity != 0) return false;
    set->ids = ids;
    set->id_capacity = capacity;
    return true;
}

static void *value_at(const covey_sparse_set *set, uint32_t position) {
    return covey__value_at(set, position, set->size);
}

/* Moves all values. Dead elements and holes have none. */
static void move_values(const covey_sparse_set *set, char *data) {
    for (uint32_t at = 0; at < set->end; at++)
        if (!covey__is_hole(set, at))
            covey__relocate(&set->mover, data + (size_t)at * set->size, value_at(set, at), set->size);
}

/* realloc may not move the values if the memory that they leave must be zeroed, or if a hook moves them. */
static bool resize_values(covey_sparse_set *set, uint32_t capacity) {
    covey__set_shifts(set);
    bool ours = (set->zero_erased || set->mover.type) && set->data;
    uint32_t old = set->data_capacity;
    void *data = covey__resize(&set->heap, ours ? NULL : set->data, ours ? 0 : old, capacity, set->size, set->align);
    if (!data && capacity != 0) return false;
    if (ours) {
        if (data && set->mover.type) move_values(set, data);
        else if (data) memcpy(data, set->data, (size_t)(old < capacity ? old : capacity) * set->size);
        memset(set->data, 0, (size_t)old * set->size);
        covey__free(&set->heap, set->data, old, set->size, set->align);
    }
    set->data = data;
    set->data_capacity = capacity;
    return true;
}

static bool add_value_pages(covey_sparse_set *set, uint32_t positions) {
    covey__set_shifts(set);
    uint32_t count = value_pages(positions);
    if (count == 0) return true;
    char **pages = covey__reach(&set->heap, set->data, &set->table_capacity, count - 1, TABLE_LIMIT, NULL);
    if (!pages) return false;
    set->data = pages;
    for (uint32_t i = value_pages(set->data_capacity); i < count; i++) {
        pages[i] = covey__resize(&set->heap, NULL, 0, COVEY_PAGE_SIZE, set->size, set->align);
        if (!pages[i]) return false;
        uint64_t covered = ((uint64_t)i + 1) * COVEY_PAGE_SIZE;
        set->data_capacity = covered < COVEY_NONE ? (uint32_t)covered : COVEY_NONE;
    }
    return true;
}

/* Makes room for `positions` in total; `spare` makes the capacity grow geometrically. */
static covey_result reserve_positions(covey_sparse_set *set, uint32_t positions, bool spare) {
    bool done = true;
    if (positions > set->id_capacity) {
        uint32_t capacity = spare ? covey__grown(set->id_capacity, positions, COVEY_NONE) : positions;
        done = resize_marks(set, capacity) && resize_ids(set, capacity);
    }
    if (done && set->size != 0 && positions > set->data_capacity) {
        done = set->paged
                   ? add_value_pages(set, positions)
                   : resize_values(set, spare ? covey__grown(set->data_capacity, positions, COVEY_NONE) : positions);
    }
    update_room(set);
    return done ? COVEY_OK : COVEY_ERROR_MEMORY;
}

covey_result covey__set_prepare_spare(covey_sparse_set *set, uint32_t count) {
    uint32_t size = covey_sparse_set_position_count(set);
    if (count > COVEY_NONE - size) return COVEY_ERROR_FULL;
    return reserve_positions(set, size + count, true);
}

covey_result covey_sparse_set_reserve(covey_sparse_set *set, uint32_t count) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (count > COVEY_NONE) return COVEY_ERROR_RANGE;
    return reserve_positions(set, count, false);
}

static bool clone_table(const covey_sparse_set *from, covey_sparse_set *to) {
    uintptr_t *pages = covey__resize(&to->heap, NULL, 0, from->page_count, sizeof *pages, alignof(uintptr_t));
    if (!pages) return from->page_count == 0;
    for (uint32_t i = 0; i < from->page_count; i++) pages[i] = entry_of(missing_slots, i);
    to->pages = pages;
    to->page_count = from->page_count;
    for (uint32_t i = 0; i < from->page_count; i++) {
        const covey__slot *page = covey__set_page(from, i);
        if (!page) continue;
        if (covey__set_reach(to, i * COVEY_PAGE_SIZE) != COVEY_OK) return false;
        memcpy(covey__set_page(to, i), page, COVEY_PAGE_SIZE * sizeof *page);
    }
    return true;
}

static void clone_values(const covey_sparse_set *from, covey_sparse_set *to) {
    uint32_t size = covey_sparse_set_position_count(from), step = from->paged ? COVEY_PAGE_SIZE : size;
    for (uint32_t at = 0, left = size; left != 0; at += step, left -= step) {
        if (step > left) step = left;
        memcpy(covey__value_at(to, at, to->size), covey__value_at(from, at, from->size), (size_t)step * from->size);
    }
}

bool covey__set_clone(const covey_sparse_set *from, covey_sparse_set *to) {
    uint32_t size = covey_sparse_set_position_count(from);
    if (!clone_table(from, to) || reserve_positions(to, covey__set_room(from), false) != COVEY_OK) return false;
    to->end = from->end;
    to->dead = from->dead;
    to->holes = from->holes;
    to->hole = from->hole;
    if (size == 0) return true;
    memcpy(to->ids, from->ids, size * sizeof *to->ids);
    if (from->marks) memcpy(to->marks, from->marks, mark_words(size) * sizeof *to->marks);
    clone_values(from, to);
    return true;
}

covey_sparse_set *covey_sparse_set_clone(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey_sparse_set_desc desc = {
        .size = set->size,
        .align = set->align,
        .policy = (covey_policy)set->policy,
        .zero_erased = set->zero_erased,
        .allocator = set->heap.allocator,
    };
    covey_sparse_set *clone = covey_sparse_set_create(&desc);
    if (clone && !covey__set_clone(set, clone)) {
        covey_sparse_set_destroy(clone);
        clone = NULL;
    }
    return clone;
}

static bool page_is_empty(const covey__slot *slots) {
    uint32_t i = 0;
    while (i < COVEY_PAGE_SIZE && covey__slot_position(slots[i]) == COVEY_NONE) i++;
    return i == COVEY_PAGE_SIZE;
}

void covey_sparse_set_shrink(covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey__set_shifts(set);
    uint32_t size = covey_sparse_set_position_count(set), reach = 0;
    for (uint32_t i = 0; i < set->page_count; i++) {
        if (!covey__set_page(set, i)) continue;
        if (page_is_empty(covey__set_page(set, i))) free_page(set, i);
        else reach = i + 1;
    }
    void *pages = covey__resize(&set->heap, set->pages, set->page_count, reach, sizeof(void *), alignof(void *));
    if (pages || reach == 0) {
        set->pages = pages;
        set->page_count = reach;
    }
    if (resize_ids(set, size)) resize_marks(set, size);
    if (set->paged) {
        uint32_t keep = value_pages(size);
        free_value_pages(set, keep);
        void *table = covey__resize(&set->heap, set->data, set->table_capacity, keep, sizeof(void *), alignof(void *));
        if (table || keep == 0) {
            set->data = table;
            set->table_capacity = keep;
        }
    } else if (set->size != 0) {
        resize_values(set, size);
    }
    update_room(set);
}

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void zero_erased(covey_sparse_set *set, uint32_t position) {
    if (set->zero_erased) memset(value_at(set, position), 0, set->size);
}

void covey__relocate_many(const covey__mover *mover, void *to, void *from, uint32_t count, size_t size) {
    if (!mover->type) {
        if (size != 0) memmove(to, from, count * size);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (char *)to < (char *)from ? i : count - 1 - i;
        covey__move_value(mover, (char *)to + at * size, (char *)from + at * size);
    }
}

void covey__exchange_by_hook(const covey__mover *mover, void *a, void *b) {
    alignas(COVEY__ALIGN_MAX) char waiting[COVEY_MOVE_MAX];
    covey__move_value(mover, waiting, a);
    covey__move_value(mover, a, b);
    covey__move_value(mover, b, waiting);
}

void covey__swap_bytes(void *a, void *b, size_t size) {
    char *left = a, *right = b, buffer[64];
    for (size_t part; size != 0; size -= part, left += part, right += part) {
        part = size < sizeof buffer ? size : sizeof buffer;
        memcpy(buffer, left, part);
        memcpy(left, right, part);
        memcpy(right, buffer, part);
    }
}

covey__source covey__set_source(const covey_sparse_set *set, const void *value) {
    covey__source source = { (const char *)value, false, 0 };
    if (set->paged || set->size == 0 || !value || !set->data) return source;
    uintptr_t at = (uintptr_t)value, base = (uintptr_t)set->data;
    source.inside = at >= base && at - base < (uintptr_t)set->data_capacity * set->size;
    source.offset = source.inside ? at - base : 0;
    return source;
}

const void *covey__set_resolve(const covey_sparse_set *set, const covey__source *source) {
    return source->inside ? (const char *)set->data + source->offset : source->value;
}

static void fill_position(const covey_sparse_set *set, uint32_t position, const void *value) {
    void *to = value_at(set, position);
    if (to != value) covey__fill(to, value, set->size);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* Writes an id and its slot. */
static void put_id(covey_sparse_set *set, uint32_t at, covey_entity e) {
    covey__set_shifts(set);
    set->ids[at] = e;
    *covey__slot_of(set, e.index) = COVEY__SLOT(at, e.generation);
}

/* If the values have hooks, both elements are live, or both are dead: dead ones have no value. */
static void exchange_at(covey_sparse_set *set, uint32_t a, uint32_t b) {
    void *left = value_at(set, a), *right = value_at(set, b);
    if (!set->mover.type) covey__swap_bytes(left, right, set->size);
    else if (a < set->end) covey__exchange_by_hook(&set->mover, left, right);
}

static void swap_ids(covey_sparse_set *set, uint32_t a, uint32_t b) {
    covey_entity left = set->ids[a];
    put_id(set, a, set->ids[b]);
    put_id(set, b, left);
}

static void swap_positions(covey_sparse_set *set, uint32_t a, uint32_t b) {
    if (a == b) return;
    swap_ids(set, a, b);
    exchange_at(set, a, b);
}

/* Swap only: places an element among the dead ones, unless it is there already. */
static uint32_t place_behind(covey_sparse_set *set, covey_entity e) {
    uint32_t at = covey__slot_position(*covey__slot_of(set, e.index));
    if (at == COVEY_NONE) at = set->end + set->dead++;
    put_id(set, at, e);
    return at;
}

/* Swap only: makes the dead element at a position the last live one. */
static uint32_t enliven(covey_sparse_set *set, uint32_t at) {
    swap_positions(set, at, set->end);
    set->dead--;
    return set->end++;
}

uint32_t covey__set_place(covey_sparse_set *set, covey_entity e, bool force_back) {
    if (set->policy == COVEY_SWAP_ONLY) {
        uint32_t behind = place_behind(set, e);
        return force_back ? enliven(set, behind) : behind;
    }
    uint32_t at = set->end;
    if (set->policy == COVEY_IN_PLACE && set->hole != COVEY_NONE && !force_back) {
        at = set->hole;
        set->hole = set->ids[at].index;
        set->holes--;
    } else {
        set->end++;
    }
    put_id(set, at, e);
    return at;
}

void covey__set_erase_placed(covey_sparse_set *set, covey_entity e) {
    *covey__slot_of(set, e.index) = COVEY__SLOT_NULL;
    zero_erased(set, --set->end);
}

/* Whether an index is live. Only absent indices, and dead ones of a swap-only set, can be placed. */
static bool is_placed(const covey_sparse_set *set, uint32_t index) {
    if (index / COVEY_PAGE_SIZE >= set->page_count) return false;
    uint32_t at = covey__slot_position(*covey__slot_of(set, index));
    return at != COVEY_NONE && (set->policy != COVEY_SWAP_ONLY || at < set->end);
}

static bool is_storable(covey_entity e) {
    return e.index < COVEY_NONE && e.generation != 0 && e.generation <= COVEY_GENERATION_MAX;
}

/* Whether an element of this index needs a new position, rather than a hole or its dead element. */
static bool takes_position(const covey_sparse_set *set, uint32_t index, bool force_back) {
    if (set->policy == COVEY_IN_PLACE) return force_back || set->hole == COVEY_NONE;
    return set->policy != COVEY_SWAP_ONLY || covey__slot_position(*covey__slot_of(set, index)) == COVEY_NONE;
}

covey_result covey__set_prepare(covey_sparse_set *set, uint32_t index, bool force_back) {
    covey_result result = covey__set_reach(set, index);
    if (result != COVEY_OK || !takes_position(set, index, force_back)) return result;
    return covey__set_prepare_spare(set, 1);
}

covey_result covey_sparse_set_push_to(covey_sparse_set *set, covey_entity e, const void *value, bool force_back) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (!is_storable(e)) return COVEY_ERROR_RANGE;
    if (is_placed(set, e.index)) return COVEY_ERROR_PRESENT;
    covey__source source = covey__set_source(set, value);
    covey_result result = covey__set_prepare(set, e.index, force_back);
    if (result != COVEY_OK) return result;
    /* The value may belong to a dead element: it is copied before dead elements move. */
    bool behind = set->policy == COVEY_SWAP_ONLY;
    uint32_t at = covey__set_place(set, e, force_back && !behind);
    fill_position(set, at, covey__set_resolve(set, &source));
    if (behind && force_back) enliven(set, at);
    return COVEY_OK;
}

covey_result covey_sparse_set_push(covey_sparse_set *set, covey_entity e, const void *value) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey_sparse_set_push_to(set, e, value, set->policy != COVEY_IN_PLACE);
}

/* Claims an index. The slot of an absent one then has a generation but no position; that of a dead one, a position but
 * no generation. */
static covey_result claim_index(covey_sparse_set *set, covey_entity e) {
    if (!is_storable(e)) return COVEY_ERROR_RANGE;
    covey_result result = covey__set_reach(set, e.index);
    if (result != COVEY_OK) return result;
    covey__slot *slot = covey__slot_of(set, e.index);
    uint32_t at = covey__slot_position(*slot);
    bool absent = at == COVEY_NONE, claimed = absent == (covey__slot_generation(*slot) != 0);
    if (claimed || is_placed(set, e.index)) return COVEY_ERROR_PRESENT;
    *slot = COVEY__SLOT(at, absent ? e.generation : 0);
    return COVEY_OK;
}

void covey__set_release(covey_sparse_set *set, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        covey__slot *slot = covey__slot_of(set, entities[i].index);
        uint32_t at = covey__slot_position(*slot);
        *slot = at == COVEY_NONE ? COVEY__SLOT_NULL : COVEY__SLOT(at, set->ids[at].generation);
    }
}

covey_result covey__set_claim(covey_sparse_set *set, const covey_entity *entities, uint32_t count) {
    covey_result result = COVEY_OK;
    uint32_t claimed = 0, positions = 0;
    for (; claimed < count && (result = claim_index(set, entities[claimed])) == COVEY_OK; claimed++)
        positions += takes_position(set, entities[claimed].index, true);
    if (result == COVEY_OK) result = covey__set_prepare_spare(set, positions);
    if (result != COVEY_OK) covey__set_release(set, entities, claimed);
    return result;
}

covey_result covey_sparse_set_push_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count,
                                         const void *values) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    COVEY__NEEDS_ARRAY(NULL, entities, count);
    covey__source source = covey__set_source(set, values);
    covey_result result = covey__set_claim(set, entities, count);
    if (result != COVEY_OK) return result;
    const char *from = covey__set_resolve(set, &source);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = covey__set_place(set, entities[i], true);
        fill_position(set, at, from ? from + (size_t)i * set->size : NULL);
    }
    return COVEY_OK;
}

/* ---- Removing ----------------------------------------------------------------------------------------------------*/

static uint32_t next_generation(uint32_t generation) { return generation == COVEY_GENERATION_MAX ? 1 : generation + 1; }

static void move_element(covey_sparse_set *set, uint32_t from, uint32_t to) {
    put_id(set, to, set->ids[from]);
    covey__relocate(&set->mover, value_at(set, to), value_at(set, from), set->size);
}

static void make_absent(covey_sparse_set *set, uint32_t index) { *covey__slot_of(set, index) = COVEY__SLOT_NULL; }

/* The last element fills the hole. */
static void erase_swapping(covey_sparse_set *set, uint32_t at, uint32_t index) {
    uint32_t last = --set->end;
    if (at != last) move_element(set, last, at);
    make_absent(set, index);
    zero_erased(set, last);
}

/* Gives the element its next generation and moves it behind the live ones. */
static void erase_keeping(covey_sparse_set *set, uint32_t at) {
    covey_entity e = set->ids[at];
    bool live = at < set->end;
    put_id(set, at, covey__entity(e.index, next_generation(e.generation)));
    set->end -= live;
    set->dead += live;
    uint32_t last = set->end;
    if (live && set->mover.type && at != last) {
        swap_ids(set, at, last);
        covey__relocate(&set->mover, value_at(set, at), value_at(set, last), set->size);
    } else {
        swap_positions(set, at, last);
    }
    zero_erased(set, last);
}

static void erase_leaving_hole(covey_sparse_set *set, uint32_t at, uint32_t index) {
    if (set->policy == COVEY_IN_PLACE) {
        set->ids[at] = covey__entity(set->hole, 0);
        set->hole = at;
    } else {
        set->marks[at / 64] |= (uint64_t)1 << at % 64;
    }
    set->holes++;
    make_absent(set, index);
    zero_erased(set, at);
}

void covey_sparse_set_erase(covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey__set_shifts(set);
    COVEY__CONTRACT(NULL, covey_sparse_set_contains(set, e), "covey_sparse_set_erase needs an element of the set");
    uint32_t at = covey__slot_position(*covey__slot_of(set, e.index));
    switch ((covey_policy)set->policy) {
    case COVEY_SWAP_AND_POP: erase_swapping(set, at, e.index); break;
    case COVEY_SWAP_ONLY: erase_keeping(set, at); break;
    case COVEY_IN_PLACE:
    case COVEY_ORDERED: erase_leaving_hole(set, at, e.index); break;
    }
}

bool covey_sparse_set_remove(covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (!covey_sparse_set_contains(set, e)) return false;
    covey_sparse_set_erase(set, e);
    return true;
}

uint32_t covey_sparse_set_remove_range(covey_sparse_set *set, const covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    COVEY__NEEDS_ARRAY(NULL, entities, count);
    uint32_t removed = 0;
    for (uint32_t i = 0; i < count; i++) removed += covey_sparse_set_remove(set, entities[i]);
    return removed;
}

bool covey_sparse_set_erase_ordered(covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey__set_shifts(set);
    if (set->policy != COVEY_SWAP_AND_POP && set->policy != COVEY_ORDERED) return false;
    if (!covey_sparse_set_contains(set, e)) return false;
    covey_sparse_set_compact(set);
    uint32_t at = covey_sparse_set_find(set, e), behind = --set->end - at;
    make_absent(set, e.index);
    if (behind != 0) {
        memmove(set->ids + at, set->ids + at + 1, behind * sizeof *set->ids);
        covey__relocate_many(&set->mover, value_at(set, at), value_at(set, at + 1), behind, set->size);
    }
    for (uint32_t i = at; i < set->end; i++) put_id(set, i, set->ids[i]);
    zero_erased(set, set->end);
    return true;
}

static void clear_marks(covey_sparse_set *set) {
    if (set->holes != 0 && set->marks) memset(set->marks, 0, mark_words(set->end) * sizeof *set->marks);
}

static void clear_page(covey__slot *slots) {
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) slots[i] = COVEY__SLOT_NULL;
}

/* Makes all elements absent: page by page, or element by element if there are few. */
static void clear_table(covey_sparse_set *set) {
    uint32_t size = covey_sparse_set_position_count(set);
    bool crowded = size / 64 > set->page_count;
    for (uint32_t i = 0; i < set->page_count && crowded; i++)
        if (covey__set_page(set, i)) clear_page(covey__set_page(set, i));
    for (uint32_t i = 0; i < size && !crowded; i++)
        if (i >= set->end || !covey__is_hole(set, i)) make_absent(set, set->ids[i].index);
}

void covey_sparse_set_clear(covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey__set_shifts(set);
    clear_table(set);
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set) && set->zero_erased; i++) zero_erased(set, i);
    clear_marks(set);
    set->end = set->dead = set->holes = 0;
    set->hole = COVEY_NONE;
}

covey_result covey_sparse_set_bump(covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (!is_storable(e)) return COVEY_ERROR_RANGE;
    if (covey_sparse_set_current(set, e.index) == 0) return COVEY_ERROR_ABSENT;
    put_id(set, covey__slot_position(*covey__slot_of(set, e.index)), e);
    return COVEY_OK;
}

covey_result covey_sparse_set_move_border(covey_sparse_set *set, uint32_t count) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    uint32_t size = covey_sparse_set_position_count(set);
    if (set->policy != COVEY_SWAP_ONLY) return COVEY_ERROR_REFUSED;
    if (count > size) return COVEY_ERROR_RANGE;
    covey__set_shifts(set);
    set->end = count;
    set->dead = size - count;
    return COVEY_OK;
}

/* ---- Order -------------------------------------------------------------------------------------------------------*/

covey_result covey_sparse_set_swap(covey_sparse_set *set, covey_entity a, covey_entity b) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    uint32_t left = covey_sparse_set_find(set, a), right = covey_sparse_set_find(set, b);
    if (left == COVEY_NONE || right == COVEY_NONE) return COVEY_ERROR_ABSENT;
    if ((left < set->end) != (right < set->end)) return COVEY_ERROR_REFUSED;
    swap_positions(set, left, right);
    return COVEY_OK;
}

/* Moves the remaining elements of 64 positions to `to` and the positions after it. Returns the next free position. */
static uint32_t compact_word(covey_sparse_set *set, uint32_t word, uint32_t to) {
    uint32_t from = word * 64, left = set->end - from;
    uint64_t live = ~set->marks[word] & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
    for (; live != 0; live &= live - 1, to++) {
        uint32_t at = from + covey__lowest_bit(live);
        if (at != to) move_element(set, at, to);
    }
    return to;
}

/* One pass from left to right: every element moves at most once, over the holes before it. */
static void compact_ordered(covey_sparse_set *set) {
    uint32_t end = set->end - set->holes, word = 0;
    while (end != 0 && set->marks[word] == 0) word++;
    for (uint32_t to = word * 64; to < end; word++) to = compact_word(set, word, to);
    for (uint32_t i = end; i < set->end && set->zero_erased; i++) zero_erased(set, i);
    clear_marks(set);
    set->end = end;
    set->holes = 0;
}

static uint32_t skip_holes_back(const covey_sparse_set *set, uint32_t end) {
    while (end != 0 && set->ids[end - 1].generation == 0) end--;
    return end;
}

/* Fills each hole, from the one made last on, with the last element. */
static void compact_in_place(covey_sparse_set *set) {
    uint32_t end = skip_holes_back(set, set->end);
    for (uint32_t hole = set->hole; hole != COVEY_NONE;) {
        uint32_t to = hole;
        hole = set->ids[to].index;
        if (to >= end) continue;
        move_element(set, --end, to);
        zero_erased(set, end);
        end = skip_holes_back(set, end);
    }
    set->end = end;
    set->holes = 0;
    set->hole = COVEY_NONE;
}

void covey_sparse_set_compact(covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    covey__set_shifts(set);
    if (set->holes == 0) return;
    if (set->policy == COVEY_ORDERED) compact_ordered(set);
    else compact_in_place(set);
}

/* Skips holes that will be behind the last element, so that no element moves twice. When `moved` is called, the old
 * position of the element is a hole already. */
void covey__set_pack(covey_sparse_set *set, covey_moved_fn *moved, void *context) {
    uint32_t end = set->end, count = set->end - set->holes;
    covey__set_shifts(set);
    for (uint32_t hole = set->hole; hole != COVEY_NONE;) {
        uint32_t to = hole;
        hole = set->ids[to].index;
        if (to >= count) continue;
        end = skip_holes_back(set, end) - 1;
        move_element(set, end, to);
        zero_erased(set, end);
        set->ids[end] = covey__entity(COVEY_NONE, 0);
        if (moved) moved(set->ids[to], value_at(set, end), value_at(set, to), context);
    }
    set->end = count;
    set->holes = 0;
    set->hole = COVEY_NONE;
}

/* Removes trailing holes; the free list keeps its order. */
static void trim_holes(covey_sparse_set *set) {
    uint32_t end = skip_holes_back(set, set->end), last = COVEY_NONE;
    for (uint32_t hole = set->hole, next; hole != COVEY_NONE; hole = next) {
        next = set->ids[hole].index;
        if (hole >= end) continue;
        if (last == COVEY_NONE) set->hole = hole;
        else set->ids[last] = covey__entity(hole, 0);
        last = hole;
    }
    if (last == COVEY_NONE) set->hole = COVEY_NONE;
    else set->ids[last] = covey__entity(COVEY_NONE, 0);
    set->holes -= set->end - end;
    set->end = end;
}

void covey__set_trim(covey_sparse_set *set) {
    covey__set_shifts(set);
    if (set->policy == COVEY_IN_PLACE) trim_holes(set);
    for (uint32_t i = set->end; set->dead != 0; i++, set->dead--) make_absent(set, set->ids[i].index);
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

covey_policy covey_sparse_set_policy(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return (covey_policy)set->policy;
}

uint32_t covey_sparse_set_head(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->policy == COVEY_SWAP_ONLY ? set->end : set->hole;
}

uint32_t covey_sparse_set_capacity(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey__set_room(set);
}

bool covey_sparse_set_contiguous(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->holes == 0;
}

size_t covey_sparse_set_memory(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->heap.bytes;
}

uint32_t covey_sparse_set_current(const covey_sparse_set *set, uint32_t index) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    bool absent =
        index / COVEY_PAGE_SIZE >= set->page_count || covey__slot_position(*covey__slot_of(set, index)) == COVEY_NONE;
    return absent ? 0 : covey__slot_generation(*covey__slot_of(set, index));
}

covey_entity covey_sparse_set_at(const covey_sparse_set *set, uint32_t position) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (position >= covey_sparse_set_position_count(set)) return (covey_entity){ 0, 0 };
    bool hole = position < set->end && covey__is_hole(set, position);
    return covey__entity(set->ids[position].index, hole ? 0 : set->ids[position].generation);
}

void *covey_sparse_set_value_at(const covey_sparse_set *set, uint32_t position) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return position < covey_sparse_set_position_count(set) ? value_at(set, position) : NULL;
}

void *covey_sparse_set_get(const covey_sparse_set *set, covey_entity e) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return covey_sparse_set_value_at(set, covey_sparse_set_find(set, e));
}

void *covey_sparse_set_values(const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    return set->paged ? NULL : set->data;
}

void *covey_sparse_set_page(const covey_sparse_set *set, uint32_t page) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    if (!set->paged || page >= value_pages(covey_sparse_set_position_count(set))) return NULL;
    return ((void **)set->data)[page];
}

/* ---- As text -----------------------------------------------------------------------------------------------------*/

/* Appends to a text of limited size. *length also counts what did not fit. */
static void append_text(char *text, size_t size, uint64_t *length, const char *words) {
    size_t more = strlen(words);
    for (size_t i = 0; i < more && *length + i + 1 < size; i++) text[*length + i] = words[i];
    *length += more;
    if (size != 0) text[*length < size ? *length : size - 1] = '\0';
}

int covey_sparse_set_print(char *text, size_t size, const covey_sparse_set *set) {
    COVEY__CONTRACT(NULL, set, "a call needs a set");
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    uint64_t length = 0;
    append_text(text, size, &length, "[");
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++) {
        char word[32] = " -";
        covey_entity e = covey_sparse_set_at(set, i);
        if (e.generation != 0) covey_entity_print(word + 1, sizeof word - 1, e);
        if (i == set->end) append_text(text, size, &length, " |");
        append_text(text, size, &length, word);
    }
    append_text(text, size, &length, " ]");
    return length <= INT_MAX ? (int)length : -1;
}
