/* Kinds in an image: which words belong to a kind, and the candidates. They change nothing that a program sees, except
 * the indices of entities that are created later. */
#include "image/image_kinds.h"

#include "change/kind_pack.h"
#include "image/image_load.h"
#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/inner.h"
#include "storage/type.h"

#include <stdalign.h>

enum { EXTENT_NUMBERS = 3, EXTENT_WORDS_MOST = 16 };

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

typedef struct choosing {
    const covey__filter *filter;
    const uint32_t *types;
} choosing;

static uint32_t type_number(const void *context, uint32_t pool) { return ((const choosing *)context)->types[pool]; }

/* Whether an index of a word is used in the image. Indices that are set aside for command buffers are free there. */
static bool is_word_used(const covey__filter *filter, const covey__entity_page *page, uint32_t first) {
    uint32_t generations[COVEY__TABLE_WORD], at = first % COVEY_PAGE_SIZE;
    uint64_t free = page->free[at / 64] | page->aside[at / 64];
    if (free == COVEY__TABLE_ALL || !filter->chooses) return free != COVEY__TABLE_ALL;
    covey__filter_generations(filter, first, page->generation + at, COVEY__TABLE_WORD, generations);
    for (uint32_t i = 0; i < COVEY__TABLE_WORD; i++)
        if ((free >> i & 1) == 0 && (generations[i] % 2 != 0 || generations[i] == 0)) return true;
    return false;
}

static bool is_extent_used(const void *context, const covey__extent *extent) {
    const covey__filter *filter = ((const choosing *)context)->filter;
    uint32_t page = extent->page * COVEY_PAGE_SIZE;
    for (uint64_t left = extent->words; left != 0; left &= left - 1)
        if (is_word_used(filter, covey__existing_page(filter->world, page),
                         page + covey__lowest_bit(left) * COVEY__TABLE_WORD))
            return true;
    return false;
}

bool covey__image_kinds_make(covey__packed_kinds *packed, covey__heap *heap, const covey__filter *filter,
                             const uint32_t *types) {
    choosing chosen = { filter, types };
    covey__kinds_choice choice = { type_number, is_extent_used, &chosen };
    size_t count = covey__kinds_pack(filter->world->inner->kinds, &choice, NULL);
    if (count == 0) return true;
    packed->numbers = covey__resize(heap, NULL, 0, count, sizeof *packed->numbers, alignof(uint32_t));
    if (!packed->numbers) return false;
    packed->count = covey__kinds_pack(filter->world->inner->kinds, &choice, packed->numbers);
    return true;
}

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

typedef struct reading {
    covey__loading *l;
    covey__reader reader;
    struct covey__kinds *kinds;
    /* The current kind: */
    covey__kind_key key;
    bool is_known;     /* all of its types are loaded */
    covey__kind *kind; /* NULL before its first extent */
    uint64_t slots;    /* those of further extents are at or above this one */
} reading;

static void refuse(reading *r, size_t at, const char *why) {
    covey__refuse(&r->reader, COVEY_FAULT_STRUCTURE, at, "%s", why);
}

static void read_type_number(reading *r, uint64_t *least) {
    size_t at = r->reader.at;
    uint32_t number = covey__read_u32(&r->reader);
    if (!covey__is_fine(r->l)) return;
    if (number < *least || number >= r->l->part_count) {
        refuse(r, at, "a kind has a type that is not in the image, or its types are out of order");
        return;
    }
    const covey_pool *pool = r->l->parts[number].pool;
    if (strcmp(r->l->parts[number].described.type.name, COVEY__DISABLED) == 0)
        refuse(r, at, "a kind has the type of disabled entities");
    else if (pool) covey__kind_key_add(&r->key, pool);
    r->is_known = r->is_known && pool;
    *least = (uint64_t)number + 1;
}

/* Reads the types of a kind. A kind with a type that is skipped is left out. */
static void read_types(reading *r) {
    size_t at = r->reader.at;
    uint32_t count = covey__read_u32(&r->reader);
    uint64_t least = 0;
    r->key = covey__kind_key_none();
    r->is_known = true;
    if (covey__is_fine(r->l) && (count == 0 || count > COVEY__KIND_TYPES))
        refuse(r, at, "a kind has no types, or more than 32");
    for (uint32_t i = 0; i < count && covey__is_fine(r->l); i++) read_type_number(r, &least);
    if (covey__is_fine(r->l) && r->is_known && covey__kinds_find(r->kinds, &r->key))
        refuse(r, at, "two kinds have the same types");
}

/* Checks the words of an extent, and marks them in the page until the kinds are complete. Returns those that the world
 * may issue: a program may have a larger first index than the one that saved the image. */
static uint64_t check_words(reading *r, size_t at, covey__entity_page *page, uint32_t first, uint64_t words) {
    uint64_t issued = 0;
    bool used = false, twice = false;
    for (uint64_t left = words; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        twice = twice || page->extent[word] != 0;
        page->extent[word] = 1;
        if (covey__issued_in(r->l->world, first - first % COVEY_PAGE_SIZE + word * COVEY__TABLE_WORD) ==
            COVEY__TABLE_ALL)
            issued |= left & (~left + 1);
        used = used || page->free[word] != COVEY__TABLE_ALL;
    }
    if (twice) covey__refuse(&r->reader, COVEY_FAULT_ENTITY, at, "index %u belongs to two extents", first);
    else if (!used) covey__refuse(&r->reader, COVEY_FAULT_ENTITY, at, "no index of the extent at %u is used", first);
    return issued;
}

static bool are_used(const covey__entity_page *page, uint64_t words) {
    for (; words != 0; words &= words - 1)
        if (page->free[covey__lowest_bit(words)] != COVEY__TABLE_ALL) return true;
    return false;
}

static void add_extent(reading *r, uint32_t slot, uint32_t page, uint64_t words) {
    covey__heap *heap = &r->l->world->inner->heap;
    if (!r->kind) r->kind = covey__kinds_add(heap, r->kinds, &r->key);
    if (!r->kind || !covey__kinds_add_extent(heap, r->kinds, r->kind, slot, page, words)) covey__out_of_memory(r->l);
}

/* An extent that does not fit into a page of this program is left out: the program that saved it has larger pages. */
static void read_extent(reading *r) {
    const covey_world *world = r->l->world;
    size_t at = r->reader.at;
    uint32_t slot = covey__read_u32(&r->reader), first = covey__read_u32(&r->reader),
             bits = covey__read_u32(&r->reader);
    if (!covey__is_fine(r->l)) return;
    covey__entity_page *page = covey__entity_page_of(world, first);
    if (slot < r->slots || slot / COVEY__TABLE_WORDS >= world->page_count) {
        refuse(r, at, "the slot of an extent is too large, or out of order");
        return;
    }
    if (!page || first % COVEY__TABLE_WORD != 0 || bits % 2 == 0 || bits >> EXTENT_WORDS_MOST != 0) {
        covey__refuse(&r->reader, COVEY_FAULT_ENTITY, at + 4, "the extent at %u has impossible words", first);
        return;
    }
    r->slots = (uint64_t)slot + 1;
    uint32_t word = first % COVEY_PAGE_SIZE / COVEY__TABLE_WORD;
    if (word + covey__highest_bit(bits) >= COVEY__TABLE_WORDS) return;
    uint64_t words = check_words(r, at + 4, page, first, (uint64_t)bits << word);
    if (covey__is_fine(r->l) && r->is_known && are_used(page, words))
        add_extent(r, slot, first / COVEY_PAGE_SIZE, words);
}

static void read_kind(reading *r) {
    read_types(r);
    size_t at = r->reader.at;
    uint32_t count = covey__read_u32(&r->reader);
    r->kind = NULL;
    r->slots = 0;
    if (covey__is_fine(r->l) && count == 0) refuse(r, at, "a kind has no extents");
    for (uint32_t i = 0; i < count && covey__is_fine(r->l); i++) read_extent(r);
}

static void read_candidate(reading *r, uint64_t *least) {
    size_t at = r->reader.at;
    uint32_t place = covey__read_u32(&r->reader), candidate = covey__read_u32(&r->reader);
    if (!covey__is_fine(r->l)) return;
    if (place < *least || !covey__kinds_put_candidate(r->kinds, place, candidate))
        refuse(r, at, "a candidate is at a place where it cannot be");
    *least = (uint64_t)place + 1;
}

static void read_candidates(reading *r) {
    size_t at = r->reader.at;
    uint32_t places = covey__read_u32(&r->reader), since = covey__read_u32(&r->reader);
    uint32_t count = covey__read_u32(&r->reader);
    uint64_t least = 0;
    if (!covey__is_fine(r->l)) return;
    if (places < COVEY__CANDIDATES_LEAST || places > COVEY__CANDIDATES_MOST || (places & (places - 1)) != 0) {
        refuse(r, at, "the places for candidates are not a power of two from 32 to 4,096");
        return;
    }
    if (!covey__kinds_add_candidates(&r->l->world->inner->heap, r->kinds, places)) covey__out_of_memory(r->l);
    r->kinds->since = since;
    r->kinds->is_aged = true;
    for (uint32_t i = 0; i < count && covey__is_fine(r->l); i++) read_candidate(r, &least);
}

/* Words of another size mean nothing here, so all words stay common. */
void covey__load_kinds(covey__loading *l, const covey__section_entry *section) {
    covey_world *world = l->world;
    covey__heap *heap = &world->inner->heap;
    reading r = { .l = l, .reader = covey__section_reader(&l->image, section) };
    if (covey__read_u32(&r.reader) != COVEY__TABLE_WORD) return;
    r.kinds = covey__kinds_create(heap);
    if (!r.kinds) {
        covey__out_of_memory(l);
        return;
    }
    uint32_t count = covey__read_u32(&r.reader);
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++) read_kind(&r);
    read_candidates(&r);
    covey__expect_end(l, &r.reader);
    bool keeps = covey__is_fine(l) && !world->inner->ids_in_order;
    covey__kinds_free(heap, covey__kinds_exchange(world, keeps ? r.kinds : NULL));
    if (!keeps) covey__kinds_free(heap, r.kinds);
}
