/* Slabs: where the chunks of a block store come from. A slab is an array of chunks of one capacity. The first slabs are
 * small; later ones grow with the store, so that a small pool wastes little and the chunks of a large one are
 * contiguous. An empty slab is freed, unless it is the last one with room for its class. */
#include "storage/slab.h"

#include "memory/alloc.h"

#include <stdalign.h>
#include <stdlib.h>

#define NO_CHUNK UINT32_MAX

_Static_assert(sizeof(covey__slab) <= 48, "the header of a slab");

/* Allocators align to 16 anyway; types that need no more get a smaller header. */
static size_t align_of(const covey__block_store *blocks) { return blocks->align <= 16 ? 16 : 64; }

uint8_t covey__slab_header(const covey__block_store *blocks) { return blocks->align <= 16 ? 48 : 64; }

static size_t slab_bytes(const covey__slab *slab) { return slab->header + (size_t)slab->chunks * slab->stride; }

static char *chunk_at(covey__slab *slab, uint32_t number) {
    return (char *)slab + slab->header + (size_t)number * slab->stride;
}

/* ---- Classes -----------------------------------------------------------------------------------------------------*/

/* Few capacities, so that growing copies little; fewer for small values, which waste less. */
static const uint8_t *steps_of(const covey__block_store *blocks) {
    static const uint8_t few[COVEY__CLASSES] = { 8, 32, COVEY__BLOCK_IDS, COVEY__MAPPED_WHOLE },
                         many[COVEY__CLASSES] = { 8, 20, 36, COVEY__BLOCK_IDS, COVEY__MAPPED_WHOLE };
    return blocks->size <= 16 ? few : many;
}

uint32_t covey__chunk_capacity(const covey__block_store *blocks, uint32_t slots) {
    const uint8_t *step = steps_of(blocks);
    while (*step < slots) step++;
    return *step == COVEY__BLOCK_IDS && blocks->grouped ? COVEY__MAPPED_WHOLE : *step;
}

/* The number of the step with this capacity, or COVEY__CLASSES for one that only compaction gives. */
static uint32_t class_of(const covey__block_store *blocks, uint32_t capacity) {
    const uint8_t *steps = steps_of(blocks);
    uint32_t number = 0;
    while (number < COVEY__CLASSES && steps[number] != capacity) number++;
    return number;
}

/* Computed in 64 bits, where it cannot overflow. */
size_t covey__chunk_bytes(const covey__block_store *blocks, uint32_t capacity) {
    uint64_t bytes = (uint64_t)capacity * blocks->size;
    if (capacity != 0 && capacity != COVEY__BLOCK_IDS)
        bytes = (bytes + capacity + COVEY__BLOCK_IDS + blocks->align - 1) / blocks->align * blocks->align;
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

size_t covey__slab_most(const covey__block_store *blocks, uint32_t capacity) {
    size_t stride = covey__chunk_bytes(blocks, capacity);
    return stride > COVEY_SLAB_BYTES ? 1 : COVEY_SLAB_BYTES / stride;
}

/* Slabs with room for a class are in its list. */
static void link_slab(covey__block_store *blocks, covey__slab *slab) {
    uint32_t class = slab->class;
    if (class == COVEY__CLASSES) return;
    slab->previous = NULL;
    slab->next = blocks->roomy[class];
    if (slab->next) slab->next->previous = slab;
    blocks->roomy[class] = slab;
}

static void unlink_slab(covey__block_store *blocks, covey__slab *slab) {
    uint32_t class = slab->class;
    if (class == COVEY__CLASSES) return;
    if (slab->next) slab->next->previous = slab->previous;
    if (slab->previous) slab->previous->next = slab->next;
    else blocks->roomy[class] = slab->next;
}

/* ---- All slabs, by address ---------------------------------------------------------------------------------------*/

/* The number of slabs that begin at or below an address: the last of these is the slab of a chunk at the address. */
static uint32_t slabs_up_to(const covey__block_store *blocks, const void *address) {
    uint32_t low = 0, high = blocks->slab_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uintptr_t)blocks->slabs[middle] <= (uintptr_t)address) low = middle + 1;
        else high = middle;
    }
    return low;
}

static covey__slab *slab_of(const covey__block_store *blocks, const void *chunk) {
    return blocks->slabs[slabs_up_to(blocks, chunk) - 1];
}

/* Makes a slab with this many chunks, in no list. NULL when an allocation fails or the size overflows. */
covey__slab *covey__slab_create(covey__block_store *blocks, uint32_t capacity, uint32_t chunks) {
    size_t stride = covey__chunk_bytes(blocks, capacity);
    if (stride > UINT32_MAX || chunks > (SIZE_MAX - 64) / stride) return NULL;
    covey__slab **slabs =
        covey__reach(&blocks->heap, blocks->slabs, &blocks->slab_capacity, blocks->slab_count, UINT32_MAX, NULL);
    if (!slabs) return NULL;
    blocks->slabs = slabs;
    covey__slab shape = {
        .chunks = chunks,
        .free = NO_CHUNK,
        .stride = (uint32_t)stride,
        .capacity = (uint8_t)capacity,
        .header = covey__slab_header(blocks),
        .class = (uint8_t)class_of(blocks, capacity),
    };
    covey__slab *slab = covey__resize(&blocks->heap, NULL, 0, slab_bytes(&shape), 1, align_of(blocks));
    if (!slab) return NULL;
    *slab = shape;
    uint32_t at = slabs_up_to(blocks, slab);
    memmove(slabs + at + 1, slabs + at, (blocks->slab_count - at) * sizeof *slabs);
    slabs[at] = slab;
    blocks->slab_count++;
    return slab;
}

static void destroy_slab(covey__block_store *blocks, covey__slab *slab) {
    uint32_t at = slabs_up_to(blocks, slab) - 1;
    blocks->slab_count--;
    memmove(blocks->slabs + at, blocks->slabs + at + 1, (blocks->slab_count - at) * sizeof *blocks->slabs);
    covey__free(&blocks->heap, slab, slab_bytes(slab), 1, align_of(blocks));
}

/* How many chunks the next slab of a capacity has, given the bytes of all chunks of that capacity: while there are few,
 * as many again; then half as many; then a constant, or a 1024th of them. So there is little spare room, and there are
 * few slabs. */
static uint32_t next_chunks(size_t bytes, size_t stride) {
    size_t wanted = bytes < COVEY_SLAB_BYTES / 16 ? bytes : bytes / 2;
    if (wanted > COVEY_SLAB_BYTES) wanted = bytes / 1024 > COVEY_SLAB_BYTES ? bytes / 1024 : COVEY_SLAB_BYTES;
    size_t chunks = wanted / stride;
    return chunks == 0 ? 1 : chunks < NO_CHUNK ? (uint32_t)chunks : NO_CHUNK - 1;
}

static size_t bytes_of_capacity(const covey__block_store *blocks, uint32_t capacity) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < blocks->slab_count; i++)
        if (blocks->slabs[i]->capacity == capacity) bytes += slab_bytes(blocks->slabs[i]) - blocks->slabs[i]->header;
    return bytes;
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------*/

char *covey__slab_take(covey__slab *slab) {
    uint32_t number = slab->free;
    char *chunk = chunk_at(slab, number != NO_CHUNK ? number : slab->fresh);
    if (number != NO_CHUNK) memcpy(&slab->free, chunk, sizeof slab->free);
    else slab->fresh++;
    slab->used++;
    return chunk;
}

char *covey__slab_take_row(covey__slab *slab, uint32_t count) {
    if (count > slab->chunks - slab->fresh) return NULL;
    char *first = chunk_at(slab, slab->fresh);
    slab->fresh += count;
    slab->used += count;
    return first;
}

bool covey__slab_full(const covey__slab *slab) { return slab->used == slab->chunks; }

bool covey__slabs_have_room(const covey__block_store *blocks, uint32_t capacity) {
    return blocks->roomy[class_of(blocks, capacity)] != NULL;
}

char *covey__chunk_take(covey__block_store *blocks, uint32_t capacity) {
    covey__slab *slab = blocks->roomy[class_of(blocks, capacity)];
    if (!slab) {
        if (capacity == COVEY__BLOCK_IDS) blocks->refills = false; /* more are direct than before */
        size_t bytes = bytes_of_capacity(blocks, capacity);
        slab = covey__slab_create(blocks, capacity, next_chunks(bytes, covey__chunk_bytes(blocks, capacity)));
        if (!slab) return NULL;
        link_slab(blocks, slab);
    }
    char *chunk = covey__slab_take(slab);
    if (covey__slab_full(slab)) unlink_slab(blocks, slab);
    return chunk;
}

char *covey__chunk_take_exactly(covey__block_store *blocks, uint32_t capacity) {
    if (class_of(blocks, capacity) != COVEY__CLASSES) return covey__chunk_take(blocks, capacity);
    covey__slab *slab = covey__slab_create(blocks, capacity, 1);
    return slab ? covey__slab_take(slab) : NULL;
}

static bool is_row(const covey__slab *slab) {
    return slab->class == COVEY__CLASSES && slab->capacity == COVEY__BLOCK_IDS;
}

char *covey__row_take(covey__block_store *blocks, uint32_t count) {
    size_t most = COVEY_ROW_BYTES / covey__chunk_bytes(blocks, COVEY__BLOCK_IDS);
    if (count > most) count = (uint32_t)most;
    if (count < 2) return covey__chunk_take(blocks, COVEY__BLOCK_IDS);
    covey__slab *slab = covey__slab_create(blocks, COVEY__BLOCK_IDS, count);
    if (!slab) return NULL;
    slab->class = COVEY__CLASSES;
    return covey__slab_take(slab);
}

char *covey__row_next(covey__block_store *blocks, const char *chunk) {
    covey__slab *slab = slab_of(blocks, chunk);
    bool next = is_row(slab) && slab->fresh < slab->chunks && chunk == chunk_at(slab, slab->fresh - 1);
    return next ? covey__slab_take(slab) : NULL;
}

/* Whether the next chunk of this class would need a new slab without this one. */
static bool is_last_with_room(const covey__block_store *blocks, const covey__slab *slab) {
    uint32_t class = slab->class;
    return class != COVEY__CLASSES && blocks->roomy[class] == slab && !slab->next;
}

void covey__chunk_free(covey__block_store *blocks, char *chunk) {
    covey__slab *slab = slab_of(blocks, chunk);
    if (blocks->zero_erased) memset(chunk, 0, slab->stride);
    bool row = is_row(slab);
    if (row) slab->class = (uint8_t)class_of(blocks, COVEY__BLOCK_IDS);
    if (row || covey__slab_full(slab)) link_slab(blocks, slab);
    if (--slab->used != 0) {
        memcpy(chunk, &slab->free, sizeof slab->free);
        slab->free = (uint32_t)((size_t)(chunk - chunk_at(slab, 0)) / slab->stride);
        return;
    }
    slab->fresh = 0;
    slab->free = NO_CHUNK;
    if (is_last_with_room(blocks, slab)) return;
    unlink_slab(blocks, slab);
    destroy_slab(blocks, slab);
}

void covey__slabs_trim(covey__block_store *blocks) {
    blocks->refills = false;
    for (uint32_t i = blocks->slab_count; i-- != 0;) {
        covey__slab *slab = blocks->slabs[i];
        if (slab->used != 0) continue;
        unlink_slab(blocks, slab);
        destroy_slab(blocks, slab);
    }
    if (blocks->slab_capacity == blocks->slab_count) return;
    covey__slab **slabs = covey__resize(&blocks->heap, blocks->slabs, blocks->slab_capacity, blocks->slab_count,
                                        sizeof *slabs, alignof(covey__slab *));
    if (!slabs && blocks->slab_count != 0) return;
    blocks->slabs = slabs;
    blocks->slab_capacity = blocks->slab_count;
}

/* Links a slab behind those of its class that have more chunks: the order does not depend on addresses. */
static void link_by_size(covey__block_store *blocks, covey__slab *slab) {
    covey__slab *before = NULL, *after = slab->class != COVEY__CLASSES ? blocks->roomy[slab->class] : NULL;
    for (; after && after->chunks > slab->chunks; after = after->next) before = after;
    if (!before) {
        link_slab(blocks, slab);
        return;
    }
    slab->previous = before;
    slab->next = after;
    before->next = slab;
    if (after) after->previous = slab;
}

/* Frees all chunks and keeps the slabs, except for capacities that only compaction uses. */
void covey__slabs_reset(covey__block_store *blocks) {
    memset(blocks->roomy, 0, sizeof blocks->roomy);
    for (uint32_t i = blocks->slab_count; i-- != 0;) {
        covey__slab *slab = blocks->slabs[i];
        if (blocks->zero_erased) memset(chunk_at(slab, 0), 0, (size_t)slab->chunks * slab->stride);
        slab->used = slab->fresh = 0;
        slab->free = NO_CHUNK;
        link_by_size(blocks, slab);
        if (slab->class == COVEY__CLASSES) destroy_slab(blocks, slab);
    }
}

void covey__slabs_free(covey__block_store *blocks) {
    for (uint32_t i = 0; i < blocks->slab_count; i++) {
        covey__slab *slab = blocks->slabs[i];
        size_t bytes = slab_bytes(slab);
        if (blocks->zero_erased) memset(slab, 0, bytes);
        covey__free(&blocks->heap, slab, bytes, 1, align_of(blocks));
    }
    covey__free(&blocks->heap, blocks->slabs, blocks->slab_capacity, sizeof *blocks->slabs, alignof(covey__slab *));
    blocks->slabs = NULL;
    blocks->slab_count = blocks->slab_capacity = 0;
    memset(blocks->roomy, 0, sizeof blocks->roomy);
}

/* ---- Cloning -----------------------------------------------------------------------------------------------------*/

static uint32_t chunk_number(const covey__block_store *blocks, const void *chunk) {
    return slabs_up_to(blocks, chunk) - 1;
}

/* The lists of slabs with room, in the same order. */
static void clone_lists(const covey__block_store *from, covey__block_store *to) {
    for (uint32_t class = 0; class < COVEY__CLASSES; class ++) {
        covey__slab *last = NULL;
        for (const covey__slab *slab = from->roomy[class]; slab; slab = slab->next) {
            covey__slab *twin = to->slabs[chunk_number(from, slab)];
            twin->previous = last;
            twin->next = NULL;
            if (last) last->next = twin;
            else to->roomy[class] = twin;
            last = twin;
        }
    }
}

bool covey__slabs_clone(const covey__block_store *from, covey__block_store *to) {
    uint32_t capacity = from->slab_capacity; /* compaction compares all bytes, those of this array included */
    covey__slab **slabs = covey__resize(&to->heap, NULL, 0, capacity, sizeof *slabs, alignof(covey__slab *));
    if (!slabs) return capacity == 0;
    to->slabs = slabs;
    to->slab_capacity = capacity;
    for (uint32_t i = 0; i < from->slab_count; i++) {
        size_t bytes = slab_bytes(from->slabs[i]);
        slabs[i] = covey__resize(&to->heap, NULL, 0, bytes, 1, align_of(to));
        if (!slabs[i]) return false;
        memcpy(slabs[i], from->slabs[i], bytes);
        to->slab_count++;
    }
    clone_lists(from, to);
    return true;
}

char *covey__chunk_twin(const covey__block_store *from, const covey__block_store *to, const char *chunk) {
    uint32_t number = chunk_number(from, chunk);
    return (char *)to->slabs[number] + (chunk - (const char *)from->slabs[number]);
}

static int compare_addresses(const void *a, const void *b) {
    uintptr_t left = (uintptr_t) * (covey__slab *const *)a, right = (uintptr_t) * (covey__slab *const *)b;
    return left < right ? -1 : left > right;
}

void covey__slabs_cloned(covey__block_store *blocks) {
    if (blocks->slab_count != 0) qsort(blocks->slabs, blocks->slab_count, sizeof *blocks->slabs, compare_addresses);
}

/* ---- Bytes -------------------------------------------------------------------------------------------------------*/

size_t covey__slabs_bytes(const covey__block_store *blocks) {
    size_t bytes = blocks->slab_capacity * sizeof *blocks->slabs;
    for (uint32_t i = 0; i < blocks->slab_count; i++) bytes += slab_bytes(blocks->slabs[i]);
    return bytes;
}

size_t covey__slabs_bytes_trimmed(const covey__block_store *blocks) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < blocks->slab_count; i++)
        if (blocks->slabs[i]->used != 0) bytes += slab_bytes(blocks->slabs[i]) + sizeof *blocks->slabs;
    return bytes;
}

size_t covey__slabs_bytes_grown(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks) {
    size_t stride = covey__chunk_bytes(blocks, capacity), bytes = 0, slabs = 0;
    for (; bytes / stride < chunks; slabs++) bytes += next_chunks(bytes, stride) * stride;
    return bytes + slabs * (covey__slab_header(blocks) + sizeof *blocks->slabs);
}

size_t covey__slabs_bytes_packed(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks) {
    size_t stride = covey__chunk_bytes(blocks, capacity), most = covey__slab_most(blocks, capacity);
    return (size_t)(chunks * stride +
                    (chunks + most - 1) / most * (covey__slab_header(blocks) + sizeof *blocks->slabs));
}

/* ---- Validating --------------------------------------------------------------------------------------------------*/

/* Counts some chunks of a slab: how many, and the sum of their numbers. If every chunk is either used or free, exactly
 * once, both totals are known. */
typedef struct tally {
    uint64_t count, sum;
} tally;

/* Counts the chunks that blocks use; false when an address in the slab is not that of a chunk. */
static bool tally_blocks(const covey__block_store *blocks, covey__slab *slab, tally *used) {
    uintptr_t first = (uintptr_t)chunk_at(slab, 0);
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left);
            uintptr_t at = (uintptr_t)page->chunks[block].data - first;
            if (at >= (uintptr_t)slab->chunks * slab->stride) continue;
            if (at % slab->stride != 0 || page->capacity[block] != slab->capacity) return false;
            used->count++;
            used->sum += at / slab->stride;
        }
    }
    return true;
}

static tally tally_free(covey__slab *slab) {
    tally free = { 0, 0 };
    for (uint32_t at = slab->free; at < slab->fresh && free.count <= slab->fresh; free.count++) {
        free.sum += at;
        memcpy(&at, chunk_at(slab, at), sizeof at);
    }
    return free;
}

/* Whether a slab is in the list of its class, or belongs to none. */
static bool is_listed(const covey__block_store *blocks, const covey__slab *slab) {
    uint32_t class = slab->class;
    const covey__slab *at = class != COVEY__CLASSES ? blocks->roomy[class] : slab;
    while (at && at != slab) at = at->next;
    return at != NULL;
}

static const char *wrong_with(const covey__block_store *blocks, covey__slab *slab) {
    tally used = { 0, 0 }, free = tally_free(slab);
    bool listed = is_listed(blocks, slab), classless = slab->class == COVEY__CLASSES;
    if (slab->used + free.count != slab->fresh || slab->fresh > slab->chunks)
        return "slabs: a chunk is neither free nor used";
    if (!tally_blocks(blocks, slab, &used) || used.count != slab->used) return "slabs: the number of chunks is wrong";
    if (used.sum + free.sum != (uint64_t)slab->fresh * (slab->fresh - 1) / 2)
        return "slabs: a chunk is used twice, or both free and used";
    if (!classless && listed == covey__slab_full(slab))
        return "slabs: a slab with room is not in its list, or a full one is";
    return NULL;
}

bool covey__slabs_valid(const covey__block_store *blocks, const char **why) {
    const char *reason = NULL;
    for (uint32_t i = 0; i < blocks->slab_count && !reason; i++) {
        bool order = i == 0 || (uintptr_t)blocks->slabs[i - 1] < (uintptr_t)blocks->slabs[i];
        reason = order ? wrong_with(blocks, blocks->slabs[i]) : "slabs: not sorted by address";
    }
    if (reason && why) *why = reason;
    return !reason;
}
