/* Ending targets that were destroyed on another rank. A target that does not live here is known at its home: so each
 * rank asks the homes of such targets whether they are still alive. */
#include "internal.h"

#include <covey/shared.h>
#include <stdlib.h>

static int by_handle(const void *a, const void *b) {
    const covey_entity *one = a, *other = b;
    if (one->index != other->index) return one->index < other->index ? -1 : 1;
    return one->generation < other->generation ? -1 : one->generation > other->generation;
}

/* Whether the home of a target is asked: once, if there is a home. */
static bool is_asked(const covey_mpi *mpi, const covey_entity *sorted, uint32_t i) {
    return (i == 0 || !covey_same(sorted[i - 1], sorted[i])) && covey_mpi_home(mpi, sorted[i]) >= 0;
}

/* Lists the targets to ask about, sorted by home and then by handle. */
static covey_result list_questions(covey_mpi *mpi, covey_entity **asked, uint32_t *count) {
    uint32_t found = covey_targets_elsewhere(mpi->world, NULL, 0);
    covey_entity *sorted = covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, found * sizeof *sorted);
    *asked = covey__mpi_scratch_reserve(mpi, SCRATCH_SEND, found * sizeof **asked);
    if (!sorted || !*asked)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for a list of %u targets", found);
    covey_targets_elsewhere(mpi->world, sorted, found);
    qsort(sorted, found, sizeof *sorted, by_handle);
    memset(mpi->send_sizes, 0, (size_t)mpi->size * sizeof *mpi->send_sizes);
    for (uint32_t i = 0; i < found; i++)
        if (is_asked(mpi, sorted, i)) mpi->send_sizes[covey_mpi_home(mpi, sorted[i])] += sizeof *sorted;
    *count = 0;
    for (int r = 0; r < mpi->size; r++) {
        mpi->send_offsets[r] = *count * sizeof *sorted;
        *count += (uint32_t)(mpi->send_sizes[r] / sizeof *sorted);
        mpi->send_sizes[r] = 0;
    }
    for (uint32_t i = 0; i < found; i++) {
        if (!is_asked(mpi, sorted, i)) continue;
        int home = covey_mpi_home(mpi, sorted[i]);
        (*asked)[(mpi->send_offsets[home] + mpi->send_sizes[home]) / sizeof *sorted] = sorted[i];
        mpi->send_sizes[home] += sizeof *sorted;
    }
    return COVEY_OK;
}

/* Answers what was received: a byte for each target, 1 if it has ended. */
static covey_result answer(covey_mpi *mpi, const unsigned char *questions, unsigned char **answers) {
    uint64_t room = 0;
    for (int r = 0; r < mpi->size; r++) room += mpi->receive_sizes[r] / sizeof(covey_entity);
    *answers = covey__mpi_scratch_reserve(mpi, SCRATCH_POSITIONS, room);
    if (!*answers)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %llu answers", (unsigned long long)room);
    room = 0;
    for (int r = 0; r < mpi->size; r++) {
        const covey_entity *targets = (const covey_entity *)(const void *)(questions + mpi->receive_offsets[r]);
        mpi->send_offsets[r] = room;
        mpi->send_sizes[r] = mpi->receive_sizes[r] / sizeof *targets;
        for (uint64_t i = 0; i < mpi->send_sizes[r]; i++) (*answers)[room++] = !covey_alive(mpi->world, targets[i]);
    }
    return COVEY_OK;
}

static void end_answered(covey_mpi *mpi, covey_entity *asked, uint32_t count, const unsigned char *answers) {
    uint32_t at = 0, ended = 0;
    for (int r = 0; r < mpi->size; r++)
        for (uint64_t i = 0; i < mpi->receive_sizes[r] && at < count; i++, at++)
            if (answers[mpi->receive_offsets[r] + i] != 0) asked[ended++] = asked[at];
    covey_targets_end(mpi->world, asked, ended);
}

/* Homes learn first what was destroyed elsewhere. */
static covey_result end_once(covey_mpi *mpi) {
    covey_entity *asked = NULL;
    unsigned char *questions = NULL, *answers = NULL, *received = NULL;
    uint32_t count = 0;
    covey_result result = covey__mpi_reclaim(mpi);
    if (result != COVEY_OK) return result;
    covey_result listed = list_questions(mpi, &asked, &count);
    result = covey__mpi_exchange(mpi, (const unsigned char *)asked, listed, &questions);
    if (result != COVEY_OK) return result;
    covey_result answered = answer(mpi, questions, &answers);
    result = covey__mpi_exchange(mpi, answers, answered, &received);
    if (result == COVEY_OK) end_answered(mpi, asked, count, received);
    return result;
}

static uint64_t count_all(covey_mpi *mpi) {
    uint64_t count = covey_mpi_owned_count(mpi);
    covey__mpi_allreduce(mpi, &count, 1, MPI_UINT64_T, MPI_SUM);
    return count;
}

/* Sources that are destroyed may be targets of sources on other ranks. So this goes on while entities are destroyed. */
covey_result covey_mpi_targets_end(covey_mpi *mpi) {
    covey_result result = covey__mpi_enter(mpi, CALL_TARGETS_END);
    uint64_t before, after;
    if (result != COVEY_OK) return result;
    for (after = count_all(mpi), before = after + 1; result == COVEY_OK && after < before;) {
        before = after;
        result = end_once(mpi);
        after = count_all(mpi);
    }
    return result;
}
