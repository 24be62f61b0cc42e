/* Counts and finds the matches of queries, over several polls. */
#include "scan.h"

#include <stdio.h>

#define MILLISECOND UINT64_C(1000000)

enum {
    CANDIDATES = 256,   /* between two checks of the clock */
    IDLE_AFTER = 2000,  /* ms after the last request, after which a scan stops */
    REST = 50,          /* a scan rests this many times as long as its last pass took, */
    REST_AT_LEAST = 50, /* and at least this many ms */
};

/* ---- Candidates ---------------------------------------------------------------------------------------------------*/

/* The smallest block pool that all matches are in: only its entities are candidates. Its positions are indices. NULL:
 * all entities are candidates. */
static const covey_pool *lead_of(const inspect__query *query) {
    const covey_pool *lead = NULL;
    for (const inspect__term *term = query->terms; term < query->terms + query->count; term++) {
        bool needed = (term->kind == INSPECT__TERM_HAS && !term->negated) || term->kind == INSPECT__TERM_FIELD;
        if (!needed || covey_pool_storage(term->pool) == COVEY_STORAGE_SPARSE) continue;
        if (!lead || covey_pool_count(term->pool) < covey_pool_count(lead)) lead = term->pool;
    }
    return lead;
}

/* The first index at `from` or above that may match; COVEY_NONE: there is none. */
static uint32_t candidate(const covey_world *world, const covey_pool *lead, uint64_t from) {
    if (from >= COVEY_NONE) return COVEY_NONE;
    if (lead) return covey_pool_next(lead, (uint32_t)from);
    covey_entity before = from == 0 ? (covey_entity){ 0 } : covey_entity_make((uint32_t)from - 1, 1);
    covey_entity e = covey_entity_next(world, before);
    return covey_is_null(e) ? COVEY_NONE : e.index;
}

/* The term of a query that names one entity, which is the only candidate then; NULL: there is none. */
static const inspect__term *entity_term(const inspect__query *query) {
    for (const inspect__term *term = query->terms; term < query->terms + query->count; term++)
        if (term->kind == INSPECT__TERM_ENTITY) return term;
    return NULL;
}

static uint32_t next_candidate(const inspect__query *query, const covey_world *world, const covey_pool *lead,
                               uint64_t from) {
    const inspect__term *one = entity_term(query);
    if (!one) return candidate(world, lead, from);
    return from <= one->literal.e.index && !covey_is_null(covey_entity_at(world, one->literal.e.index))
               ? one->literal.e.index
               : COVEY_NONE;
}

inspect__found inspect__scan_next(const inspect__scan *scan, const covey_inspector *inspector, uint64_t *index,
                                  covey_entity *e) {
    const inspect__query *query = &scan->query;
    const covey_pool *lead = lead_of(query);
    for (uint32_t looked = 1;; looked++) {
        uint32_t at = next_candidate(query, scan->world, lead, *index);
        if (at == COVEY_NONE) return INSPECT__FOUND_END;
        *index = (uint64_t)at + 1;
        *e = covey_entity_at(scan->world, at);
        if (inspect__query_matches(query, scan->world, *e)) return INSPECT__FOUND;
        if (looked % CANDIDATES == 0 && inspect__now() >= inspector->deadline) return INSPECT__FOUND_LATER;
    }
}

/* ---- Counts -------------------------------------------------------------------------------------------------------*/

/* Makes room for the counts of so many chunks; new counts are 0. */
static bool reserve(covey_inspector *inspector, inspect__scan *scan, uint32_t chunks) {
    if (chunks > scan->capacity) {
        uint32_t capacity = chunks * 2;
        uint32_t *counts =
            inspect__resize(inspector, scan->counts, scan->capacity * sizeof *counts, capacity * sizeof *counts);
        if (!counts) return false;
        scan->counts = counts;
        scan->capacity = capacity;
    }
    for (; scan->chunks < chunks; scan->chunks++) scan->counts[scan->chunks] = 0;
    return true;
}

static void put_count(inspect__scan *scan, uint32_t chunk, uint32_t count) {
    scan->total = scan->total - scan->counts[chunk] + count;
    scan->counts[chunk] = count;
}

/* Ends a pass: there are no matches in this chunk and those after it. */
static void end_pass(inspect__scan *scan, uint32_t chunk) {
    for (uint32_t i = chunk; i < scan->chunks; i++) put_count(scan, i, 0);
    if (scan->chunks > chunk) scan->chunks = chunk;
    scan->complete = scan->resting = true;
    scan->next = 0;
    scan->ended_at = inspect__now();
}

/* Counts the matches in the chunk of the next candidate. */
static void count_chunk(inspect__scan *scan, covey_inspector *inspector, const covey_pool *lead) {
    const covey_world *world = scan->world;
    uint32_t done = (uint32_t)(scan->next / INSPECT__CHUNK), count = 0;
    uint32_t at = next_candidate(&scan->query, world, lead, scan->next), chunk = at / INSPECT__CHUNK;
    if (at == COVEY_NONE) {
        end_pass(scan, done);
        return;
    }
    if (!reserve(inspector, scan, chunk + 1)) {
        scan->failed = true;
        return;
    }
    for (uint32_t i = done; i < chunk; i++) put_count(scan, i, 0);
    for (; at != COVEY_NONE && at / INSPECT__CHUNK == chunk;
         at = next_candidate(&scan->query, world, lead, (uint64_t)at + 1))
        count += inspect__query_matches(&scan->query, world, covey_entity_at(world, at));
    put_count(scan, chunk, count);
    scan->next = ((uint64_t)chunk + 1) * INSPECT__CHUNK;
}

/* Counts the matches in the next chunk with a view of the query, which is faster: by the bits of occupancy masks. */
static void count_chunk_of_view(inspect__scan *scan, covey_inspector *inspector, const covey_iter *whole) {
    uint32_t chunk = (uint32_t)(scan->next / INSPECT__CHUNK), length = covey_iter_length(whole), count = 0;
    if (scan->next >= length) {
        end_pass(scan, chunk);
        return;
    }
    if (!reserve(inspector, scan, chunk + 1)) {
        scan->failed = true;
        return;
    }
    uint32_t end = length - scan->next > INSPECT__CHUNK ? (uint32_t)scan->next + INSPECT__CHUNK : length;
    covey_iter part = covey_iter_part(whole, (uint32_t)scan->next, end);
    while (covey_next(&part)) count += part.count;
    put_count(scan, chunk, count);
    scan->next += INSPECT__CHUNK;
}

bool inspect__scan_advance(inspect__scan *scan, covey_inspector *inspector, uint64_t enough) {
    const covey_pool *lead = lead_of(&scan->query);
    covey_view view;
    bool has_view = inspect__query_view(&scan->query, scan->world, &view);
    covey_iter whole;
    if (has_view) whole = covey_view_iter(&view);
    uint64_t begin = inspect__now(), now = begin;
    if (scan->next == 0 && !scan->resting) scan->spent = 0;
    scan->failed = false;
    while (!scan->resting && !scan->failed && (scan->complete || scan->total < enough) && now < inspector->deadline) {
        if (has_view) count_chunk_of_view(scan, inspector, &whole);
        else count_chunk(scan, inspector, lead);
        now = inspect__now();
    }
    scan->spent += now - begin;
    return scan->failed || scan->complete || scan->total >= enough;
}

uint64_t inspect__scan_seek(const inspect__scan *scan, uint64_t offset, uint64_t *before) {
    uint32_t chunk = 0;
    *before = offset;
    for (; chunk < scan->chunks && *before >= scan->counts[chunk]; chunk++) *before -= scan->counts[chunk];
    return (uint64_t)chunk * INSPECT__CHUNK;
}

/* ---- Scans --------------------------------------------------------------------------------------------------------*/

static void free_scan(covey_inspector *inspector, inspect__scan **place) {
    inspect__scan *scan = *place;
    if (!scan) return;
    inspect__free(inspector, scan->counts, scan->capacity * sizeof *scan->counts);
    inspect__free(inspector, scan, sizeof *scan);
    *place = NULL;
}

void inspect__scans_free(covey_inspector *inspector) {
    for (uint32_t i = 0; i < INSPECT__SCANS; i++) free_scan(inspector, &inspector->scans[i]);
}

static inspect__scan *find_scan(inspect__request *request, const covey_world *world, const char *text) {
    bool past = world != request->inspector->dependent.world;
    for (uint32_t i = 0; i < INSPECT__SCANS; i++) {
        inspect__scan *scan = request->inspector->scans[i];
        if (scan && scan->past == past && (!past || scan->snapshot == request->past) && strcmp(scan->key, text) == 0)
            return scan;
    }
    return NULL;
}

/* A free place, or else that of the unused scan whose last request is the oldest. NULL: all scans are in use. */
static inspect__scan **place_for_scan(covey_inspector *inspector) {
    inspect__scan **oldest = NULL;
    for (inspect__scan **place = inspector->scans; place < inspector->scans + INSPECT__SCANS; place++) {
        if (!*place) return place;
        if ((*place)->users == 0 && (!oldest || (*place)->asked_at < (*oldest)->asked_at)) oldest = place;
    }
    return oldest;
}

/* Reads the query of a scan; the result has pointers to pools of this world. Returns false, and refuses the request, if
 * the query is invalid. */
static bool read_query(inspect__request *request, inspect__scan *scan, const covey_world *world, const char *text) {
    inspect__query_error error;
    scan->world = world;
    if (inspect__query_read(&scan->query, world, text, &error)) return true;
    inspect__refuse_at(request, 422, "QUERY", error.at, error.length, "%s", error.text);
    return false;
}

static inspect__scan *make_scan(inspect__request *request, const covey_world *world, const char *text) {
    covey_inspector *inspector = request->inspector;
    inspect__scan **place = place_for_scan(inspector);
    inspect__scan *scan = place ? inspect__zeroed(inspector, sizeof *scan) : NULL;
    if (!place) inspect__refuse(request, 503, "BUSY", "too many queries at the same time: try again later");
    else if (!scan) inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    if (!scan) return NULL;
    if (!read_query(request, scan, world, text)) {
        free_scan(inspector, &scan);
        return NULL;
    }
    snprintf(scan->key, sizeof scan->key, "%s", text);
    scan->past = world != inspector->dependent.world;
    scan->snapshot = request->past;
    free_scan(inspector, place);
    return *place = scan;
}

/* Starts a new pass if the last one ended long enough ago. */
static void end_rest(inspect__scan *scan, uint64_t now) {
    uint64_t rest = scan->spent * REST > REST_AT_LEAST * MILLISECOND ? scan->spent * REST : REST_AT_LEAST * MILLISECOND;
    if (scan->resting && now - scan->ended_at >= rest) scan->resting = false;
}

inspect__scan *inspect__scan_of(inspect__request *request, const covey_world *world, const char *text) {
    inspect__scan *scan = find_scan(request, world, text);
    if (scan && scan->past && !read_query(request, scan, world, text)) return NULL;
    if (!scan) scan = make_scan(request, world, text);
    if (!scan) return NULL;
    scan->users++;
    scan->asked_at = inspect__now();
    /* A pass that takes very little time is made for each request, so that its counts are exact. */
    if (scan->resting && !scan->past && scan->spent < MILLISECOND / 4) {
        scan->resting = false;
        inspect__scan_advance(scan, request->inspector, UINT64_MAX);
    }
    /* A past world is valid only while a request is answered: so only requests continue its scan. */
    if (scan->past && !scan->complete) inspect__scan_advance(scan, request->inspector, UINT64_MAX);
    return scan;
}

void inspect__scan_release(inspect__scan *scan) {
    if (scan) scan->users--;
}

void inspect__scans_work(covey_inspector *inspector) {
    uint64_t now = inspect__now();
    for (uint32_t i = 0; i < INSPECT__SCANS && now < inspector->deadline; i++) {
        inspect__scan *scan = inspector->scans[i];
        if (!scan || scan->past || now - scan->asked_at > IDLE_AFTER * MILLISECOND) continue;
        end_rest(scan, now);
        if (!scan->resting) inspect__scan_advance(scan, inspector, UINT64_MAX);
        now = inspect__now();
    }
}
