/* Guests: entities that live here and have their home on another rank. Each has a bit, by index. When a guest is
 * destroyed here, the bit remains until covey_mpi_reclaim tells the home, which then uses the index again. */
#include "internal.h"

#include <covey/shared.h>

enum { WORDS = COVEY__MPI_GUEST_PAGE / 64 };

static bool reach_pages(covey_mpi *mpi, uint32_t count) {
    if (count <= mpi->guest_pages) return true;
    size_t size = sizeof *mpi->guests;
    uint64_t **pages = covey__mpi_resize(&mpi->allocator, mpi->guests, mpi->guest_pages * size, count * size);
    if (!pages) return false;
    for (uint32_t i = mpi->guest_pages; i < count; i++) pages[i] = NULL;
    mpi->guests = pages;
    mpi->guest_pages = count;
    return true;
}

bool covey__mpi_guests_reserve(covey_mpi *mpi, const covey_entity *guests, uint32_t count) {
    uint32_t reached = COVEY_NONE;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t page = guests[i].index / COVEY__MPI_GUEST_PAGE;
        if (page == reached) continue;
        reached = page;
        if (page < mpi->guest_pages && mpi->guests[page]) continue;
        if (!reach_pages(mpi, page + 1)) return false;
        mpi->guests[page] = covey__mpi_resize(&mpi->allocator, NULL, 0, WORDS * sizeof(uint64_t));
        if (!mpi->guests[page]) return false;
        memset(mpi->guests[page], 0, WORDS * sizeof(uint64_t));
    }
    return true;
}

void covey__mpi_guests_set(covey_mpi *mpi, const covey_entity *guests, uint32_t count, bool are_here) {
    for (uint32_t i = 0; i < count;) {
        uint32_t first = guests[i].index / 64;
        uint64_t *word = &mpi->guests[first / WORDS][first % WORDS], bits = 0;
        for (; i < count && guests[i].index / 64 == first; i++) bits |= UINT64_C(1) << guests[i].index % 64;
        *word = are_here ? *word | bits : *word & ~bits;
    }
}

void covey__mpi_guests_clear(covey_mpi *mpi) {
    for (uint32_t i = 0; i < mpi->guest_pages; i++)
        if (mpi->guests[i]) memset(mpi->guests[i], 0, WORDS * sizeof(uint64_t));
}

void covey__mpi_guests_free(covey_mpi *mpi) {
    for (uint32_t i = 0; i < mpi->guest_pages; i++)
        if (mpi->guests[i]) covey__mpi_resize(&mpi->allocator, mpi->guests[i], WORDS * sizeof(uint64_t), 0);
    if (mpi->guests) covey__mpi_resize(&mpi->allocator, mpi->guests, mpi->guest_pages * sizeof *mpi->guests, 0);
}

/* ---- Destroyed guests --------------------------------------------------------------------------------------------*/

/* Which of the guests among 64 indices are destroyed. No other entity has had these indices here since. */
static uint64_t destroyed_of(const covey_mpi *mpi, uint32_t first, uint64_t guests) {
    uint64_t destroyed = 0;
    for (uint32_t i = 0; guests >> i != 0; i++) {
        if ((guests >> i & 1) && covey_is_null(covey_entity_at(mpi->world, first + i))) destroyed |= UINT64_C(1) << i;
        if (i == 63) break;
    }
    return destroyed;
}

typedef void guest_fn(covey_mpi *mpi, covey_entity e, void *context);

static void each_destroyed(covey_mpi *mpi, guest_fn *call, void *context) {
    for (uint32_t page = 0; page < mpi->guest_pages; page++)
        for (uint32_t word = 0; mpi->guests[page] && word < WORDS; word++) {
            uint32_t first = page * COVEY__MPI_GUEST_PAGE + word * 64;
            uint64_t destroyed = mpi->guests[page][word] ? destroyed_of(mpi, first, mpi->guests[page][word]) : 0;
            for (uint32_t i = 0; destroyed != 0; i++, destroyed >>= 1)
                if (destroyed & 1)
                    call(mpi, covey_entity_make(first + i, covey_generation_at(mpi->world, first + i)), context);
        }
}

static void count_destroyed(covey_mpi *mpi, covey_entity e, void *found) {
    mpi->send_sizes[covey_mpi_home(mpi, e)]++;
    ++*(uint64_t *)found;
}

static void list_destroyed(covey_mpi *mpi, covey_entity e, void *list) {
    ((covey_entity *)list)[mpi->send_offsets[covey_mpi_home(mpi, e)]++] = e;
}

/* Lists destroyed guests, sorted by home. */
static covey_result find_destroyed(covey_mpi *mpi, covey_entity **destroyed) {
    uint64_t found = 0, at = 0;
    memset(mpi->send_sizes, 0, (size_t)mpi->size * sizeof *mpi->send_sizes);
    each_destroyed(mpi, count_destroyed, &found);
    *destroyed = covey__mpi_scratch_reserve(mpi, SCRATCH_SEND, found * sizeof **destroyed);
    if (!*destroyed)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for a list of %llu destroyed entities",
                               (unsigned long long)found);
    for (int r = 0; r < mpi->size; r++) {
        mpi->send_offsets[r] = at;
        at += mpi->send_sizes[r];
    }
    each_destroyed(mpi, list_destroyed, *destroyed);
    for (int r = 0; r < mpi->size; r++) {
        mpi->send_sizes[r] *= sizeof **destroyed;
        mpi->send_offsets[r] = mpi->send_offsets[r] * sizeof **destroyed - mpi->send_sizes[r];
    }
    return COVEY_OK;
}

static void destroy_at_home(covey_mpi *mpi, const covey_entity *destroyed, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (covey_pool_has(mpi->away, destroyed[i])) covey_leave_many(mpi->world, &destroyed[i], 1);
}

covey_result covey__mpi_reclaim(covey_mpi *mpi) {
    covey_entity *destroyed = NULL;
    unsigned char *received = NULL;
    mpi->since_reclaim = 0;
    covey_result prepared = find_destroyed(mpi, &destroyed);
    covey_result result = covey__mpi_exchange(mpi, (const unsigned char *)destroyed, prepared, &received);
    if (result != COVEY_OK) return result;
    for (int r = 0; r < mpi->size; r++) {
        covey__mpi_guests_set(mpi, destroyed + mpi->send_offsets[r] / sizeof *destroyed,
                              (uint32_t)(mpi->send_sizes[r] / sizeof *destroyed), false);
        destroy_at_home(mpi, (const covey_entity *)(const void *)(received + mpi->receive_offsets[r]),
                        mpi->receive_sizes[r] / sizeof(covey_entity));
    }
    return COVEY_OK;
}

covey_result covey_mpi_reclaim(covey_mpi *mpi) {
    covey_result result = covey__mpi_enter(mpi, CALL_RECLAIM);
    return result == COVEY_OK ? covey__mpi_reclaim(mpi) : result;
}
