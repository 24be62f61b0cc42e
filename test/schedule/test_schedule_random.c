/* Random schedules against an oracle without threads: random worlds, systems over random views and groups, bodies that
 * write, read by handle, record commands, create, reduce and fail, in random phases, with random links and rates. The
 * oracle runs the same visits one after the other, and finds the order, the sync points and the pieces with its own
 * code. After each run, the world is the same, to the byte of its image, for every number of threads.
 *
 * A failure names the seed of its program: COVEY_TEST_SEED=<seed> runs that program alone. */
#include "mixed.h"
#include "scheduled.h"
#include "views.h"

#include <covey/image.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SYSTEMS = 12, PHASES = 4, RUNS = 6, NOBODY = SYSTEMS };

/* Ways in which the oracle may be wrong, for the test that shows that it would be noticed. */
typedef enum lie {
    TRUTH,
    REPLAYS_SYSTEMS_BACKWARDS,
    REPLAYS_PIECES_BACKWARDS,
    REPLAYS_AT_THE_END,
    LOSES_A_PIECE,
    MERGES_BACKWARDS,
    MERGES_IN_ONE_PIECE,
    SHARES_A_BUFFER,
    CUTS_ELSEWHERE,
    CUTS_FROM_ZERO,
    IGNORES_LINKS,
    IGNORES_PHASES,
    FORGETS_EVERY,
    FORGETS_ONCE,
    FORGETS_WHAT_WAS_LEFT,
    GOES_ON_AFTER_FAILURES,
    STOPS_AT_WHAT_WAS_LOST,
    LIES
} lie;

typedef struct Tally {
    uint64_t sum;
} Tally;
COVEY_COMPONENT_DEFINE(Tally, .as_bytes = true); /* a resource */

/* What pieces add up: the sum depends on the order of additions, and the chain on all of it. */
typedef struct Sum {
    double sum;
    uint64_t chain;
} Sum;

typedef struct program program;

/* The commands of a piece. What it recorded, or could not record, is replayed until nothing of it is left. */
typedef struct buffer {
    covey_commands *commands;
    bool recorded;
} buffer;

typedef struct member {
    program *program;
    uint32_t number;
    char name[16];
    covey_system desc;
    covey_view view;
    bool rows;                              /* walks by rows, or else by spans */
    uint32_t sees;                          /* the system whose total it reads; NOBODY: none */
    uint32_t fails_in;                      /* the run in which its last piece fails; RUNS: none */
    uint32_t sets, removes, destroys, adds; /* commands, of 1,000 visits */
    uint32_t makes;                         /* the most that one piece creates: may be more than was declared */
    Sum total;
    /* Of the oracle. */
    bool on, due;
    uint32_t phase;
    uint64_t asked;
    buffer *buffers;
    uint32_t buffer_count, pieces;
    covey_result result;
} member;

typedef struct stretch {
    covey_phase desc;
    char name[16];
    uint64_t asked;
    double passed;
} stretch;

struct program {
    mixed_world mixed;
    uint64_t seed, run;
    member members[SYSTEMS];
    uint32_t count;
    stretch phases[PHASES]; /* the first is before all others */
    uint32_t phase_count;
    covey_schedule *schedule; /* NULL: the oracle */
    lie lie;
};

/* ---- Visits -------------------------------------------------------------------------------------------------------*/

/* A piece under way, in either kind of run. */
typedef struct visit {
    member *m;
    covey_commands *commands;
    Sum *sum;
    uint64_t tally; /* what there is to add to the resource */
    uint32_t created;
    bool lost; /* whether a command could not be recorded */
} visit;

static uint64_t hash(uint64_t a, uint64_t b) {
    uint64_t z = (a ^ (b + UINT64_C(0x9E3779B97F4A7C15))) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) seed = (seed ^ byte[i]) * UINT64_C(0x100000001B3);
    return hash(seed, size);
}

static void fill(void *bytes, size_t size, uint64_t number) {
    unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) byte[i] = (unsigned char)(number >> i % 8 * 8);
}

/* Takes one of 1,000 numbers. */
static bool happens(uint64_t *number, uint32_t odds) {
    *number = hash(*number, odds);
    return *number % 1000 < odds;
}

static const covey_type *any_type(const visit *v, uint64_t number) {
    const mixed_world *s = &v->m->program->mixed;
    return s->types[number % s->type_count];
}

static covey_entity somebody(const visit *v, uint64_t number) {
    const mixed_world *s = &v->m->program->mixed;
    return s->count != 0 ? s->all[number % s->count] : (covey_entity){ 0, 0 };
}

/* What it declares to read: its own component of each type, and that of another entity. */
static uint64_t read_by_handle(const visit *v, covey_entity e, uint64_t number) {
    const covey_system *desc = &v->m->desc;
    covey_entity other = somebody(v, number);
    for (uint32_t i = 0; desc->reads[i]; i++) {
        const void *mine = covey_get_raw(world, e, desc->reads[i]);
        const void *its = covey_get_raw(world, other, desc->reads[i]);
        if (mine) number = hash_bytes(number, mine, desc->reads[i]->size);
        if (its) number = hash_bytes(number, its, desc->reads[i]->size);
    }
    if (desc->resource_reads[0]) number = hash(number, covey_resource_get(world, Tally)->sum);
    if (v->m->sees != NOBODY) number = hash(number, v->m->program->members[v->m->sees].total.chain);
    return number;
}

static void write_by_handle(const visit *v, covey_entity e, uint64_t number) {
    for (uint32_t i = 0; v->m->desc.writes[i]; i++) {
        void *mine = covey_get_raw(world, e, v->m->desc.writes[i]);
        if (mine) fill(mine, v->m->desc.writes[i]->size, hash(number, i));
    }
}

static void record_value(visit *v, covey_entity e, uint64_t number, bool add) {
    unsigned char bytes[MIXED_BYTES];
    const covey_type *type = any_type(v, number);
    const void *value = type->size != 0 ? bytes : NULL;
    fill(bytes, type->size, number);
    bool kept =
        add ? covey_record_add_raw(v->commands, e, type, value) : covey_record_set_raw(v->commands, e, type, value);
    if (!kept) v->lost = true;
}

static void record(visit *v, covey_entity e, uint64_t number) {
    const member *m = v->m;
    if (happens(&number, m->sets)) record_value(v, e, number, false);
    if (happens(&number, m->removes)) covey_record_remove_raw(v->commands, e, any_type(v, number >> 32));
    if (happens(&number, m->destroys)) covey_record_destroy(v->commands, e);
    if (happens(&number, m->adds)) record_value(v, e, number, true); /* may be there: then the run fails */
    if (v->created < m->makes && happens(&number, 200)) {
        covey_entity made = covey_record_create(v->commands);
        v->created++;
        record_value(v, made, number, true);
    }
}

static void visit_one(visit *v, covey_entity e, void *const *fields) {
    const covey_view *view = &v->m->view;
    uint64_t number = hash(hash(v->m->number, v->m->program->run), (uint64_t)e.generation << 32 | e.index);
    for (uint32_t i = 0; i < covey_view_fields(view); i++)
        if (fields[i]) number = hash_bytes(number, fields[i], covey_view_type(view, i)->size);
    number = read_by_handle(v, e, number);
    for (uint32_t i = 0; i < covey_view_fields(view); i++)
        if (fields[i] && !covey_view_is_read_only(view, i))
            fill(fields[i], covey_view_type(view, i)->size, hash(number, i));
    write_by_handle(v, e, number);
    record(v, e, number);
    v->tally += number;
    if (!v->sum) return;
    v->sum->sum += 1.0 / (double)(number % 1000 + 1);
    v->sum->chain = hash(v->sum->chain, number);
}

/* Structure that is changed at once. */
static void change_world(const visit *v) {
    uint64_t number = hash(v->m->number, v->tally);
    unsigned char bytes[MIXED_BYTES];
    const covey_type *type = any_type(v, number);
    covey_entity e = covey_create(world), old = somebody(v, number);
    fill(bytes, type->size, number);
    if (!covey_is_null(e)) covey_add_raw(world, e, type, type->size != 0 ? bytes : NULL);
    if (number % 3 == 0) covey_destroy(world, old);
}

/* When all are visited. */
static covey_result end_visit(const visit *v, bool last) {
    const member *m = v->m;
    if (m->desc.resource_writes[0]) covey_resource_get(world, Tally)->sum += v->tally;
    if (m->desc.exclusive) change_world(v);
    return last && m->program->run == m->fails_in ? COVEY_ERROR_LIMIT : COVEY_OK;
}

static void merge(void *total, const void *scratch, void *context) {
    Sum *to = total;
    const Sum *from = scratch;
    (void)context;
    to->sum += from->sum;
    to->chain = hash(to->chain, from->chain);
}

static bool is_many(const covey_world *of, void *context) {
    return hash(covey_entity_count(of), context ? ((member *)context)->number : 99) % 4 != 0;
}

/* ---- As a system --------------------------------------------------------------------------------------------------*/

static void visit_rows_of(visit *v, covey_iter *it) {
    void *fields[COVEY_TERMS];
    for (covey_row row = { 0 }; covey_next_row(it, &row);) {
        for (uint32_t i = 0; i < covey_view_fields(&v->m->view); i++) fields[i] = row_field(it, row, i);
        visit_one(v, covey_row_entity(it, row), fields);
    }
}

static void visit_spans_of(visit *v, covey_iter *it) {
    void *fields[COVEY_TERMS];
    while (covey_next(it))
        for (uint32_t row = 0; row < it->count; row++) {
            for (uint32_t i = 0; i < covey_view_fields(&v->m->view); i++) {
                char *at = span_field(it, i);
                fields[i] = at ? at + (size_t)row * covey_view_type(&v->m->view, i)->size : NULL;
            }
            visit_one(v, covey_span_entity(it, row), fields);
        }
}

static _Thread_local bool is_main; /* whether this thread runs schedules */
static atomic_uint strayed;        /* systems of the main thread that ran on another one */

static void run_body(covey_job *job, void *context) {
    visit v = { .m = context, .commands = job->commands, .sum = job->scratch };
    if (v.m->desc.main_thread && !is_main) atomic_fetch_add(&strayed, 1);
    (v.m->rows ? visit_rows_of : visit_spans_of)(&v, &job->it);
    job->result = end_visit(&v, job->piece + 1 == job->pieces);
}

/* ---- As the oracle says -------------------------------------------------------------------------------------------*/

static bool is_named(const char *const *names, const char *name) {
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS && names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* Whether one is to run before another, by phase or by link. */
static bool precedes(const program *p, const member *a, const member *b) {
    if (p->lie == IGNORES_LINKS) return a->phase < b->phase;
    return a->phase < b->phase || is_named(b->desc.after, a->name) || is_named(a->desc.before, b->name);
}

/* In the order in which they were added, as far as they are let. */
static void find_order(program *p, member **order) {
    bool placed[SYSTEMS] = { false };
    for (uint32_t at = 0; at < p->count; at++)
        for (uint32_t i = 0; i < p->count; i++) {
            bool waits = placed[i];
            for (uint32_t k = 0; k < p->count; k++)
                waits |= !placed[k] && k != i && precedes(p, &p->members[k], &p->members[i]);
            if (waits) continue;
            placed[i] = true;
            order[at] = &p->members[i];
            break;
        }
}

static bool has_turn(const program *p, uint64_t *asked, uint32_t every, bool once, covey_when_fn *when, void *context) {
    if (once && *asked != 0 && p->lie != FORGETS_ONCE) return false;
    uint64_t number = (*asked)++;
    if (every != 0 && number % every != 0 && p->lie != FORGETS_EVERY) return false;
    if (!when || when(world, context)) return true;
    if (once) *asked = 0;
    return false;
}

static bool starts_somewhere(const member *m) { return m->view.world != NULL; }

static covey_iter whole_of(const member *m) {
    return m->desc.group ? covey_group_iter(m->desc.group) : covey_view_iter(&m->view);
}

/* The sparse pool that is followed, or NULL: the smallest of the required ones. */
static const covey_pool *followed(const member *m) {
    const covey_pool *lead = NULL;
    for (uint32_t i = 0; m->desc.view.with[i]; i++) {
        const covey_pool *pool = covey_pool_find_raw(world, m->desc.view.with[i]);
        if (!pool) return NULL;
        if (!lead || covey_pool_count(pool) < covey_pool_count(lead)) lead = pool;
    }
    return lead && !covey__in_blocks(lead) ? lead : NULL;
}

static bool is_ranked(const member *m, const covey_iter *it) {
    return m->desc.group && it->walk.mode != COVEY__MODE_SLOTS;
}

/* Where the first piece begins: at the block in which each type in blocks that must be there has begun; or else at the
 * first entity. */
static uint32_t first_of(const member *m, const covey_iter *it) {
    uint32_t first = 0;
    bool known = false;
    if (is_ranked(m, it) || (!m->desc.group && followed(m)) || m->program->lie == CUTS_FROM_ZERO) return 0;
    for (uint32_t i = 0; i < m->view.with; i++) {
        const covey_pool *pool = covey_pool_find_raw(world, m->view.types[i]);
        uint32_t at = pool && covey__in_blocks(pool) ? covey_pool_next(pool, 0) : COVEY_NONE;
        if (at == COVEY_NONE) continue;
        uint32_t index = covey_pool_at(pool, at).index;
        if (index > first) first = index;
        known = true;
    }
    if (!known) first = covey_entity_next(world, (covey_entity){ 0, 0 }).index;
    return first / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
}

/* A view without entities has no pieces, however far its indices go. */
static uint32_t length_of(const member *m, const covey_iter *it) {
    if (m->desc.group && covey_group_count(m->desc.group) == 0) return 0;
    for (uint32_t i = 0; m->desc.view.with[i]; i++) {
        const covey_pool *pool = covey_pool_find_raw(world, m->desc.view.with[i]);
        if (!pool || covey_pool_count(pool) == 0) return 0;
    }
    uint32_t first = first_of(m, it), end = covey_iter_length(it);
    return end > first ? end - first : 0;
}

/* Entities of a piece, by index or position. One that the schedule chooses cannot be seen in what bodies do here. */
static uint32_t size_of(const member *m, uint32_t length) {
    uint32_t size = (m->desc.piece + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
    if (m->program->lie == CUTS_ELSEWHERE) size += COVEY__BLOCK_IDS;
    return m->desc.split && m->desc.piece != 0 ? size : length;
}

static covey_result cut(member *m) {
    uint32_t wanted = 1;
    if (m->desc.split) {
        covey_iter it = whole_of(m);
        uint32_t length = length_of(m, &it), size = size_of(m, length);
        wanted = length == 0 ? 0 : (length - 1) / size + 1;
    }
    if (wanted > m->buffer_count) {
        m->buffers = realloc(m->buffers, wanted * sizeof *m->buffers);
        if (!m->buffers) abort();
    }
    for (; m->buffer_count < wanted; m->buffer_count++) {
        covey_commands *commands = covey_commands_create(world, &(covey_commands_desc){ .entities = m->desc.creates });
        if (!commands) return covey_world_result(world);
        m->buffers[m->buffer_count] = (buffer){ commands, false };
    }
    for (uint32_t i = 0; i < wanted; i++) /* takes ids that were missing */
        if (!m->buffers[i].recorded) covey_commands_replay(m->buffers[i].commands);
    m->pieces = wanted;
    return COVEY_OK;
}

/* Visits all entities, each in its piece. */
static void visit_all(member *m, visit *pieces) {
    covey_iter it = whole_of(m);
    const covey_pool *pool = m->desc.group ? NULL : followed(m);
    bool ranked = is_ranked(m, &it);
    uint32_t first = first_of(m, &it), size = size_of(m, length_of(m, &it)), rank = 0;
    void *fields[COVEY_TERMS];
    for (covey_row row = { 0 }; covey_next_row(&it, &row); rank++) {
        covey_entity e = covey_row_entity(&it, row);
        uint32_t place = ranked ? rank : pool ? covey_pool_position(pool, e) : e.index;
        uint32_t piece = m->desc.split ? (place - first) / size : 0;
        if (m->program->lie == LOSES_A_PIECE && piece == 1) continue;
        for (uint32_t i = 0; i < covey_view_fields(&m->view); i++) fields[i] = row_field(&it, row, i);
        visit_one(&pieces[piece], e, fields);
    }
}

static void merge_all(member *m, const visit *pieces) {
    Sum total = { 0 };
    if (!m->desc.merge) return;
    for (uint32_t i = 0; i < m->pieces; i++)
        merge(&total, pieces[m->program->lie == MERGES_BACKWARDS ? m->pieces - 1 - i : i].sum, NULL);
    m->total = total;
}

static void run_member(member *m) {
    visit *pieces = calloc(m->pieces + 1, sizeof *pieces);
    Sum *sums = calloc(m->pieces + 1, sizeof *sums);
    if (!pieces || !sums) abort();
    for (uint32_t i = 0; i < m->pieces; i++) {
        bool shared = m->program->lie == SHARES_A_BUFFER, added = m->program->lie == MERGES_IN_ONE_PIECE;
        pieces[i] = (visit){ .m = m, .commands = m->buffers[shared ? 0 : i].commands };
        if (m->desc.scratch != 0) pieces[i].sum = &sums[added ? 0 : i];
    }
    if (starts_somewhere(m)) visit_all(m, pieces);
    m->result = COVEY_OK;
    for (uint32_t i = 0; i < m->pieces; i++) {
        covey_result result = end_visit(&pieces[i], i + 1 == m->pieces);
        if (m->result == COVEY_OK) m->result = result;
        m->buffers[i].recorded = pieces[i].lost || covey_commands_count(m->buffers[i].commands) != 0;
    }
    merge_all(m, pieces);
    free(pieces);
    free(sums);
}

/* Returns whether the buffer is empty. A command that could not be recorded is a failure, but does not stop the
 * replay. */
static bool replay_buffer(const program *p, buffer *b, covey_result *result) {
    covey_replay replay = covey_commands_replay(b->commands);
    b->recorded = replay.left != 0;
    if (*result == COVEY_OK) *result = replay.result;
    return replay.left == 0 && (replay.lost == 0 || p->lie != STOPS_AT_WHAT_WAS_LOST);
}

static bool replay_member(const member *m, covey_result *result) {
    bool done = true;
    for (uint32_t i = 0; i < m->buffer_count && done; i++) {
        buffer *b = &m->buffers[m->program->lie == REPLAYS_PIECES_BACKWARDS ? m->buffer_count - 1 - i : i];
        if (b->recorded) done = replay_buffer(m->program, b, result);
    }
    return done;
}

static covey_result replay_all(const program *p, member **members, uint32_t count) {
    covey_result result = COVEY_OK;
    bool done = true;
    for (uint32_t i = 0; i < count && done; i++)
        done = replay_member(members[p->lie == REPLAYS_SYSTEMS_BACKWARDS ? count - 1 - i : i], &result);
    return result;
}

/* What lies between two sync points. */
static covey_result run_stage(program *p, member **members, uint32_t count) {
    uint64_t asked[SYSTEMS];
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < count; i++) asked[i] = members[i]->asked;
    for (uint32_t i = 0; i < count && result == COVEY_OK; i++) {
        member *m = members[i];
        const covey_system *desc = &m->desc;
        m->due = m->on && has_turn(p, &m->asked, desc->every, desc->once, desc->when, desc->context);
        if (m->due) result = cut(m);
    }
    for (uint32_t i = 0; i < count && result != COVEY_OK; i++) members[i]->asked = asked[i];
    if (result != COVEY_OK) return result;
    for (uint32_t i = 0; i < count; i++)
        if (members[i]->due) run_member(members[i]);
    if (p->lie != REPLAYS_AT_THE_END) result = replay_all(p, members, count);
    for (uint32_t i = count; i-- != 0;)
        if (members[i]->due && members[i]->result != COVEY_OK) result = members[i]->result;
    return p->lie == GOES_ON_AFTER_FAILURES ? COVEY_OK : result;
}

static covey_result run_stages(program *p, member **order, uint32_t first, uint32_t end) {
    covey_result result = COVEY_OK;
    for (uint32_t next; first < end && result == COVEY_OK; first = next) {
        next = first + 1;
        while (next < end && !order[first]->desc.exclusive && !order[next]->desc.exclusive) next++;
        result = run_stage(p, order + first, next - first);
    }
    return result;
}

static uint32_t count_steps(program *p, stretch *phase, double seconds) {
    const covey_phase *desc = &phase->desc;
    uint32_t steps = 0, most = desc->most != 0 ? desc->most : 8;
    if (!has_turn(p, &phase->asked, desc->every, desc->once, desc->when, desc->context)) return 0;
    if (desc->step == 0) return 1;
    for (phase->passed += seconds; phase->passed >= desc->step && steps < most; steps++) phase->passed -= desc->step;
    if (phase->passed >= desc->step) phase->passed = 0;
    return steps;
}

static covey_result run_oracle(program *p, double seconds) {
    member *order[SYSTEMS];
    find_order(p, order);
    covey_result result = p->lie != FORGETS_WHAT_WAS_LEFT ? replay_all(p, order, p->count) : COVEY_OK;
    for (uint32_t first = 0, end; first < p->count && result == COVEY_OK; first = end) {
        stretch *phase = &p->phases[order[first]->phase];
        for (end = first + 1; end < p->count && order[end]->phase == order[first]->phase;) end++;
        uint32_t steps = p->lie == IGNORES_PHASES ? 1 : count_steps(p, phase, seconds), step = 0;
        for (; step < steps && result == COVEY_OK; step++) result = run_stages(p, order, first, end);
        phase->passed += (steps - step) * phase->desc.step;
    }
    if (p->lie == REPLAYS_AT_THE_END) replay_all(p, order, p->count);
    return result;
}

static void skip_oracle(program *p) {
    member *order[SYSTEMS];
    find_order(p, order);
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < order[i]->buffer_count; k++)
            if (covey_commands_skip(order[i]->buffers[k].commands)) return;
}

/* ---- Random programs ----------------------------------------------------------------------------------------------*/

static uint32_t below(program *p, uint32_t limit) { return mixed_below(&p->mixed, limit); }
static bool chance(program *p, uint32_t percent) { return mixed_chance(&p->mixed, percent); }

static bool is_used(const member *m, const covey_type *type) {
    for (uint32_t i = 0; i < covey_view_fields(&m->view); i++)
        if (covey_view_type(&m->view, i) == type) return true;
    return false;
}

static void choose_view(program *p, member *m) {
    const mixed_world *s = &p->mixed;
    covey_view_desc *desc = &m->desc.view;
    uint32_t used[4] = { 0 }, reads = 0;
    const covey_type **const kinds[4] = { desc->with, desc->optional, desc->any, desc->without };
    static const uint8_t odds[10] = { 0, 0, 0, 0, 1, 2, 2, 3, 9, 9 };
    for (uint32_t i = 0, first = below(p, s->type_count); i < s->type_count; i++) {
        const covey_type *type = s->types[(first + i) % s->type_count];
        uint32_t kind = odds[below(p, 10)];
        if (kind == 9) continue;
        kinds[kind][used[kind]++] = type;
        if (kind != 3 && chance(p, 50)) desc->read[reads++] = type;
    }
    desc->include_disabled = s->hides && chance(p, 20);
    if (used[0] + used[1] + used[2] + used[3] != 0) m->view = covey_view_make(world, desc);
    else desc->include_disabled = false;
}

/* What is iterated: a view, a group, or nothing. */
static void choose_entities(program *p, member *m) {
    if (p->mixed.group_count != 0 && chance(p, 30)) {
        m->desc.group = p->mixed.groups[below(p, p->mixed.group_count)];
        m->view = *covey_group_iter(m->desc.group).walk.view;
    } else if (chance(p, 95)) {
        choose_view(p, m);
    }
    m->rows = chance(p, 50);
    m->desc.exclusive = chance(p, 12);
    m->desc.split = !m->desc.exclusive && m->view.world && chance(p, 70);
    m->desc.main_thread = !m->desc.split && chance(p, 40);
    if (m->desc.split && chance(p, 80)) m->desc.piece = 1 + below(p, chance(p, 50) ? 130 : 1000);
}

/* What is used beside that. Pieces of one system must not get into each other's way. */
static void choose_uses(program *p, member *m) {
    const mixed_world *s = &p->mixed;
    uint32_t reads = 0, writes = 0, role;
    for (uint32_t i = 0; i < s->type_count; i++) {
        role = below(p, 6);
        if (is_used(m, s->types[i])) continue;
        if (role == 0) m->desc.reads[reads++] = s->types[i];
        if (role == 1) m->desc.writes[writes++] = s->types[i];
    }
    role = below(p, 6);
    if (role == 0) m->desc.resource_reads[0] = covey_id(Tally);
    if (role == 1 && !m->desc.split) m->desc.resource_writes[0] = covey_id(Tally);
}

static void choose_work(program *p, member *m) {
    bool cut_by_schedule = m->desc.split && m->desc.piece == 0;
    if (chance(p, 40)) m->sets = below(p, 100);
    if (chance(p, 30)) m->removes = below(p, 60);
    if (chance(p, 20)) m->destroys = below(p, 20);
    if (chance(p, 4)) m->adds = 1 + below(p, 20);
    m->fails_in = chance(p, 4) ? below(p, RUNS) : RUNS;
    if (!cut_by_schedule && chance(p, 30)) m->desc.creates = 1 + below(p, COVEY_INDEX_BITS < 16 ? 2 : 5);
    m->makes = m->desc.creates;
    if (m->makes != 0 && chance(p, 10)) m->makes++; /* then the run fails, too */
    if (cut_by_schedule || !chance(p, 40)) return;
    m->desc.scratch = sizeof(Sum);
    m->desc.merge = merge;
    m->desc.total = &m->total;
}

static void choose_rate(program *p, member *m) {
    if (chance(p, 20)) m->desc.every = 1 + below(p, 3);
    m->desc.once = chance(p, 8);
    m->desc.disabled = chance(p, 5);
    if (chance(p, 15)) m->desc.when = is_many;
    m->on = !m->desc.disabled;
}

/* Links to others of the phase; one that would lead in a circle is refused, and not made. */
static void choose_links(program *p, member *m) {
    uint32_t after = 0, before = 0;
    m->sees = NOBODY;
    for (uint32_t i = 0; i < m->number; i++) {
        const member *other = &p->members[i];
        if (other->phase != m->phase || !chance(p, 15)) continue;
        if (chance(p, 30)) m->desc.before[before++] = other->name;
        else {
            m->desc.after[after++] = other->name;
            if (other->desc.merge) m->sees = i;
        }
    }
}

/* Whether its links are possible beside those of the others: then none of them has to wait for ever. */
static bool is_possible(program *p) {
    member *order[SYSTEMS] = { NULL };
    find_order(p, order);
    return order[p->count - 1] != NULL;
}

static void choose_member(program *p) {
    member *m = &p->members[p->count];
    *m = (member){ .program = p, .number = p->count++, .phase = below(p, p->phase_count) };
    snprintf(m->name, sizeof m->name, "s%u", m->number);
    m->desc = (covey_system){ .name = m->name, .run = run_body, .context = m };
    if (m->phase != 0) m->desc.phase = p->phases[m->phase].name;
    choose_entities(p, m);
    choose_uses(p, m);
    choose_work(p, m);
    choose_rate(p, m);
    choose_links(p, m);
    if (is_possible(p)) return;
    memset(m->desc.after, 0, sizeof m->desc.after);
    memset(m->desc.before, 0, sizeof m->desc.before);
    m->sees = NOBODY;
}

static void choose_phase(program *p) {
    stretch *phase = &p->phases[p->phase_count];
    *phase = (stretch){ .desc = { .name = phase->name } };
    snprintf(phase->name, sizeof phase->name, "p%u", p->phase_count++);
    if (chance(p, 30)) phase->desc.step = 0.25 * (1 + below(p, 3));
    if (chance(p, 30)) phase->desc.most = 1 + below(p, 3);
    if (chance(p, 20)) phase->desc.every = 1 + below(p, 3);
    phase->desc.once = phase->desc.step == 0 && chance(p, 5);
    if (chance(p, 15)) phase->desc.when = is_many;
}

static void choose_program(program *p) {
    uint32_t count = 1 + below(p, SYSTEMS), phases = below(p, PHASES);
    p->phase_count = 1;
    while (phases-- != 0) choose_phase(p);
    while (p->count < count) choose_member(p);
}

/* ---- Running ------------------------------------------------------------------------------------------------------*/

/* What there is after a run. */
typedef struct outcome {
    covey_result result;
    uint64_t digest;
    covey_buffer image;
    Sum totals[SYSTEMS];
    double fractions[PHASES];
} outcome;

/* How a program is run: by the oracle, or by a schedule. */
typedef struct manner {
    const char *name;
    covey_schedule_desc desc;
    bool oracle;
    lie lie;
} manner;

static void add_members(const program *p, bool of_no_phase) {
    for (uint32_t i = 0; i < p->count; i++)
        if ((p->members[i].phase == 0) == of_no_phase) add_system(p->schedule, p->members[i].desc);
}

static void open_schedule(program *p, const manner *how) {
    p->schedule = covey_schedule_create(world, &how->desc);
    assert_non_null(p->schedule);
    add_members(p, true);
    for (uint32_t i = 1; i < p->phase_count; i++)
        assert_int_equal(covey_phase_add(p->schedule, &p->phases[i].desc), COVEY_OK);
    add_members(p, false);
}

/* What the program does between two runs: time passes, systems are switched, and structure changes. */
static void do_between(program *p) {
    member *m = &p->members[below(p, p->count)];
    bool on = chance(p, 90);
    covey_tick_advance(world);
    if (chance(p, 20)) {
        m->on = on;
        if (p->schedule) assert_true(covey_system_enable(p->schedule, m->name, on));
    }
    if (chance(p, 30)) mixed_change(&p->mixed);
    mixed_list(&p->mixed);
}

static covey_result run_once(program *p) {
    double seconds = 0.25 * below(p, 8);
    covey_result result = p->schedule ? covey_schedule_run_for(p->schedule, seconds) : run_oracle(p, seconds);
    bool skips = chance(p, 50);
    if (result == COVEY_OK || !skips) return result;
    if (p->schedule) covey_schedule_skip(p->schedule);
    else skip_oracle(p);
    return result;
}

static void look(program *p, outcome *seen, covey_result result) {
    covey_report report;
    *seen = (outcome){ .result = result };
    test_world_is_valid(world);
    seen->digest = world_digest(world);
    if (covey_save_to_buffer(world, &seen->image, NULL, &report) != COVEY_OK) fail_msg("%s", report.text);
    for (uint32_t i = 0; i < p->count; i++) seen->totals[i] = p->members[i].total;
    for (uint32_t i = 1; i < p->phase_count; i++) {
        double step = p->phases[i].desc.step, passed = p->phases[i].passed;
        seen->fractions[i] = p->schedule ? covey_phase_fraction(p->schedule, p->phases[i].name)
                             : step > 0  ? (passed < step ? passed / step : 1)
                                         : 0;
    }
}

static void close_program(program *p) {
    covey_schedule_destroy(p->schedule);
    for (uint32_t i = 0; i < p->count; i++) {
        member *m = &p->members[i];
        for (uint32_t k = 0; k < m->buffer_count; k++) covey_commands_destroy(m->buffers[k].commands);
        free(m->buffers);
    }
    mixed_end(&p->mixed);
}

/* Runs the program of a seed, and notes what there is after each run. */
static void play(uint64_t seed, const manner *how, outcome *seen) {
    static program p;
    assert_int_equal(world_setup(NULL), 0);
    p = (program){ .seed = seed, .lie = how->lie };
    mixed_begin(&p.mixed, seed);
    assert_non_null(covey_resource_set(world, Tally, { seed }));
    choose_program(&p);
    if (!how->oracle) open_schedule(&p, how);
    for (p.run = 0; p.run < RUNS; p.run++) {
        do_between(&p);
        covey_result result = run_once(&p);
        assert_int_equal(atomic_load(&strayed), 0);
        look(&p, &seen[p.run], result);
    }
    close_program(&p);
    world_teardown(NULL);
}

/* What is not the same, or NULL. */
static const char *difference(const outcome *a, const outcome *b) {
    if (a->result != b->result) return "the result";
    if (memcmp(a->totals, b->totals, sizeof a->totals) != 0) return "a total";
    if (memcmp(a->fractions, b->fractions, sizeof a->fractions) != 0) return "the fraction of a phase";
    if (a->image.size != b->image.size) return "the size of the image";
    if (memcmp(a->image.bytes, b->image.bytes, a->image.size) != 0) return "the image";
    return a->digest != b->digest ? "the digest" : NULL;
}

static void free_outcomes(outcome *seen) {
    for (uint32_t i = 0; i < RUNS; i++) covey_buffer_free(&seen[i].image);
}

/* Runs a program twice, and returns whether all was the same. */
static bool agree(uint64_t seed, const outcome *wanted, const manner *how, char *text, size_t size) {
    static outcome seen[RUNS];
    const char *what = NULL;
    uint32_t run = 0;
    play(seed, how, seen);
    while (run < RUNS && !(what = difference(&wanted[run], &seen[run]))) run++;
    if (what)
        snprintf(text, size, "COVEY_TEST_SEED=%llu: %s: %s is another after run %u (results %d and %d)",
                 (unsigned long long)seed, how->name, what, run, (int)wanted[run].result, (int)seen[run].result);
    free_outcomes(seen);
    return !what;
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static const manner oracle = { .name = "the oracle", .oracle = true };

static manner on_threads(const char *name, uint32_t threads) {
    return (manner){ .name = name, .desc = { .threads = threads, .profiler = sleepy_profiler() } };
}

static manner on_pool(const char *name, covey_jobs jobs) {
    return (manner){ .name = name, .desc = { .jobs = jobs, .profiler = sleepy_profiler() } };
}

static void compare_all(uint64_t seed, const manner *manners, uint32_t count) {
    static outcome wanted[RUNS];
    char text[200];
    play(seed, &oracle, wanted);
    for (uint32_t i = 0; i < count; i++)
        if (!agree(seed, wanted, &manners[i], text, sizeof text)) fail_msg("%s", text);
    free_outcomes(wanted);
}

static void for_each_seed(uint64_t programs, void (*test)(uint64_t seed)) {
    const char *replay = getenv("COVEY_TEST_SEED");
    uint64_t seed = replay ? strtoull(replay, NULL, 10) : 1, end = seed + (replay ? 1 : test_scaled(programs));
    for (; seed < end; seed++) test(seed);
}

static void compare_threads(uint64_t seed) {
    manner manners[] = { { .name = "1 thread", .desc = { .threads = 1 } },
                         on_threads("2 threads", 2),
                         on_threads("3 threads", 3),
                         on_threads("8 threads", 8) };
    compare_all(seed, manners, COUNT_OF(manners));
}

static void the_number_of_threads_shows_nowhere(void **state) {
    (void)state;
    for_each_seed(300, compare_threads);
}

static void compare_many(uint64_t seed) { compare_all(seed, (manner[]){ on_threads("64 threads", 64) }, 1); }

static void nor_does_it_with_64(void **state) {
    (void)state;
    for_each_seed(10, compare_many);
}

static void compare_pools(uint64_t seed) {
    manner manners[] = { on_pool("a pool in reverse", pool_in_reverse()),
                         on_pool("a thread for each call", pool_of_threads((uint32_t)seed)) };
    compare_all(seed, manners, COUNT_OF(manners));
}

static void pools_of_the_program_show_nowhere(void **state) {
    (void)state;
    for_each_seed(100, compare_pools);
}

static void every_lie_is_noticed(void **state) {
    static const char *const lies[LIES] = {
        [REPLAYS_SYSTEMS_BACKWARDS] = "replays the last system first",
        [REPLAYS_PIECES_BACKWARDS] = "replays the last piece first",
        [REPLAYS_AT_THE_END] = "replays at the end of a run only",
        [LOSES_A_PIECE] = "loses a piece",
        [MERGES_BACKWARDS] = "merges the last piece first",
        [MERGES_IN_ONE_PIECE] = "adds up without regard to pieces",
        [SHARES_A_BUFFER] = "records all pieces into one buffer",
        [CUTS_ELSEWHERE] = "cuts elsewhere",
        [CUTS_FROM_ZERO] = "cuts from index 0 on",
        [IGNORES_LINKS] = "ignores links",
        [IGNORES_PHASES] = "runs each phase once in each run",
        [FORGETS_EVERY] = "runs each time what should run each n-th time",
        [FORGETS_ONCE] = "runs again what should run once",
        [FORGETS_WHAT_WAS_LEFT] = "does not begin with what was left",
        [GOES_ON_AFTER_FAILURES] = "goes on after failures",
        [STOPS_AT_WHAT_WAS_LOST] = "replays nothing behind a piece that could not record a command",
    };
    static outcome wanted[RUNS];
    char text[200];
    (void)state;
    for (lie told = TRUTH + 1; told < LIES; told++) {
        manner liar = { .name = "a liar", .oracle = true, .lie = told };
        bool noticed = false;
        for (uint64_t seed = 1; seed <= 200 && !noticed; seed++) {
            play(seed, &oracle, wanted);
            noticed = !agree(seed, wanted, &liar, text, sizeof text);
            free_outcomes(wanted);
        }
        if (!noticed) fail_msg("nobody noticed: the oracle %s", lies[told]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_lie_is_noticed),
        cmocka_unit_test(the_number_of_threads_shows_nowhere),
        cmocka_unit_test(nor_does_it_with_64),
        cmocka_unit_test(pools_of_the_program_show_nowhere),
    };
    is_main = true;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
