/* Schedules: how the entities of a system are cut into pieces, and what becomes of what pieces add up. */
#include "query/iter.h"
#include "mixed.h"
#include "scheduled.h"
#include "views.h"

#include <stdatomic.h>

typedef struct Timed {
    uint32_t number;
} Timed;
typedef Timed TimedBlock;
COVEY_COMPONENT_DEFINE(Timed, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
COVEY_COMPONENT_DEFINE(TimedBlock, .ticks = true);

enum { ENTITIES = 900, PIECES = 256 };

/* The visited entities, piece by piece. */
typedef struct album {
    struct {
        covey_entity seen[ENTITIES];
        uint32_t count;
    } pieces[PIECES];
    atomic_uint runs, faults; /* of bodies; of what a job said */
    uint32_t wanted_pieces;
    bool rows;
} album;

static void fault(album *to, bool holds) {
    if (!holds) atomic_fetch_add(&to->faults, 1);
}

static void see(album *to, const covey_job *job, covey_entity e) {
    fault(to, to->pieces[job->piece].count < ENTITIES);
    if (to->pieces[job->piece].count < ENTITIES) to->pieces[job->piece].seen[to->pieces[job->piece].count++] = e;
}

static void fill_album(covey_job *job, void *context) {
    album *to = context;
    atomic_fetch_add(&to->runs, 1);
    fault(to, job->piece < job->pieces && job->pieces <= PIECES && job->world == world && job->commands);
    if (job->piece >= PIECES) return;
    if (to->rows)
        for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) see(to, job, covey_row_entity(&job->it, row));
    else
        while (covey_next(&job->it))
            for (uint32_t i = 0; i < job->it.count; i++) see(to, job, covey_span_entity(&job->it, i));
}

/* Runs a system that fills an album, on so many threads. Returns how many pieces there were. */
static uint32_t fill_on(uint32_t threads, covey_system system, album *to) {
    covey_schedule *schedule = schedule_on(threads);
    covey_system_stats stats;
    memset(to->pieces, 0, sizeof to->pieces);
    atomic_store(&to->runs, 0);
    atomic_store(&to->faults, 0);
    system.name = "fill";
    system.run = fill_album;
    system.context = to;
    add_system(schedule, system);
    run_well(schedule);
    assert_int_equal(covey_schedule_stats(schedule, &stats, 1), 1);
    assert_int_equal(stats.pieces, atomic_load(&to->runs));
    assert_int_equal(atomic_load(&to->faults), 0);
    covey_schedule_destroy(schedule);
    return stats.pieces;
}

/* The whole iteration, and its parts, are the same entities in the same order. */
static void assert_same_visits(const album *pieces, uint32_t count, covey_iter it) {
    uint32_t piece = 0, at = 0;
    for (covey_row row = { 0 }; covey_next_row(&it, &row);) {
        for (; piece < count && at == pieces->pieces[piece].count; at = 0) piece++;
        assert_true(piece < count);
        assert_same(pieces->pieces[piece].seen[at++], covey_row_entity(&it, row));
    }
    for (; piece < count && at == pieces->pieces[piece].count; at = 0) piece++;
    assert_int_equal(piece, count);
}

static covey_iter iterate(const covey_system *system) {
    static covey_view view;
    if (system->group) return covey_group_iter(system->group);
    view = covey_view_make(world, &system->view);
    return covey_view_iter(&view);
}

/* Pieces of 64 visit what one walk visits, by spans and rows, on one thread and three. */
static uint32_t assert_cut(covey_system system) {
    static album pieces;
    uint32_t count = 0;
    system.split = true;
    if (system.piece == 0) system.piece = 64;
    for (uint32_t i = 0; i < 4; i++) {
        pieces.rows = i % 2 != 0;
        count = fill_on(i < 2 ? 1 : 3, system, &pieces);
        assert_same_visits(&pieces, count, iterate(&system));
    }
    return count;
}

/* ---- Pieces -------------------------------------------------------------------------------------------------------*/

/* Each of them, or two of three, or one of 40, has the component. */
static covey_entity all[ENTITIES];

static void make_some(const covey_type *type, uint32_t every) {
    if (covey_entity_count(world) == 0) make_entities(all, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i += every) assert_non_null(add_value(all[i], type, i));
}

static void pieces_of_one_storage(const covey_type *type) {
    make_some(type, 1);
    uint32_t count = assert_cut((covey_system){ .view.with = { type } });
    assert_in_range(count, (ENTITIES + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS, PIECES);
}

static void pieces_are_the_whole_in_its_order(void **state) {
    (void)state;
    for_each_storage(pieces_of_one_storage);
}

static void pieces_with_gaps(const covey_type *type) {
    make_some(type, 3);
    for (uint32_t i = 0; i < ENTITIES; i += 6) remove_value(all[i], type);
    make_some(covey_id(Pinned), 2);
    assert_cut((covey_system){ .view.with = { type } });
    if (type == covey_id(Pinned)) return;
    assert_cut((covey_system){ .view = { .with = { type, covey_id(Pinned) }, .read = { covey_id(Pinned) } } });
    assert_cut((covey_system){ .view = { .with = { type }, .optional = { covey_id(Pinned) } } });
    assert_cut((covey_system){ .view = { .with = { type }, .without = { covey_id(Pinned) } } });
    assert_cut((covey_system){ .view.any = { type, covey_id(Pinned) } });
    covey_component_disable_raw(world, all[3], type);
    covey_disable(world, all[9]);
    assert_cut((covey_system){ .view.with = { type } });
    assert_cut((covey_system){ .view = { .with = { type }, .include_disabled = true } });
}

static void gaps_and_other_terms_change_nothing(void **state) {
    (void)state;
    for_each_storage(pieces_with_gaps);
}

static void a_group_is_cut_by_its_members(void **state) {
    (void)state;
    make_some(covey_id(Packed), 2);
    make_some(covey_id(Blocked), 3);
    covey_group *owning =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Blocked) } });
    assert_non_null(owning);
    assert_int_equal(assert_cut((covey_system){ .group = owning }),
                     (ENTITIES / 6 + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS);
    covey_group *listing =
        covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Blocked) }, .without = { covey_id(Kept) } });
    assert_non_null(listing);
    assert_int_equal(assert_cut((covey_system){ .group = listing }),
                     (ENTITIES / 3 + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS);
}

static void a_group_in_blocks_is_cut_by_index(void **state) {
    (void)state;
    make_some(covey_id(Blocked), 2);
    make_some(covey_id(Mate), 3);
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Blocked), covey_id(Mate) } });
    assert_non_null(group);
    assert_in_range(assert_cut((covey_system){ .group = group }), (ENTITIES + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS,
                    PIECES);
}

static void a_piece_is_whole_blocks(void **state) {
    (void)state;
    static album pieces;
    make_some(covey_id(Blocked), 1);
    make_some(covey_id(Packed), 1);
    for (uint32_t size = 1; size <= 200; size += 33) {
        uint32_t rounded = (size + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
        covey_system system = { .split = true, .piece = size, .view.with = { covey_id(Blocked) } };
        uint32_t count = fill_on(2, system, &pieces);
        for (uint32_t i = 0; i < count; i++)
            for (uint32_t k = 0; k < pieces.pieces[i].count; k++)
                assert_int_equal(pieces.pieces[i].seen[k].index / rounded, i);
        system.view.with[0] = covey_id(Packed);
        count = fill_on(2, system, &pieces);
        assert_int_equal(count, (ENTITIES + rounded - 1) / rounded);
        for (uint32_t i = 0; i + 1 < count; i++) assert_int_equal(pieces.pieces[i].count, rounded);
    }
    fill_on(2, (covey_system){ .split = true, .piece = UINT32_MAX, .view.with = { covey_id(Packed) } }, &pieces);
    assert_int_equal(pieces.pieces[0].count, ENTITIES);
}

static void few_entities_are_one_piece(void **state) {
    (void)state;
    static album pieces;
    make_some(covey_id(Blocked), 1);
    make_some(covey_id(Packed), 1);
    assert_int_equal(fill_on(2, (covey_system){ .split = true, .view.with = { covey_id(Blocked) } }, &pieces), 1);
    assert_int_equal(fill_on(2, (covey_system){ .split = true, .view.with = { covey_id(Packed) } }, &pieces), 1);
    assert_int_equal(pieces.pieces[0].count, ENTITIES);
}

static void a_system_that_is_not_split_runs_once(void **state) {
    (void)state;
    static album pieces;
    make_some(covey_id(Blocked), 1);
    assert_int_equal(fill_on(3, (covey_system){ .piece = 64, .view.with = { covey_id(Blocked) } }, &pieces), 1);
    assert_int_equal(pieces.pieces[0].count, ENTITIES);
    assert_int_equal(fill_on(3, (covey_system){ .reads = { covey_id(Blocked) } }, &pieces), 1);
    assert_int_equal(pieces.pieces[0].count, 0);
    assert_int_equal(fill_on(3, (covey_system){ .view.with = { covey_id(Later) } }, &pieces), 1);
    assert_int_equal(pieces.pieces[0].count, 0);
}

static void a_split_system_without_entities_has_no_piece(void **state) {
    (void)state;
    static album pieces;
    covey_system system = { .split = true, .view.with = { covey_id(Blocked) } };
    assert_int_equal(fill_on(2, system, &pieces), 0);
    covey_entity e = create_with(covey_id(Blocked), 1);
    assert_int_equal(fill_on(2, system, &pieces), 1);
    remove_value(e, covey_id(Blocked));
    assert_int_equal(fill_on(2, system, &pieces), 0);
}

static void count_visits(covey_job *job, void *context) {
    while (covey_next(&job->it)) atomic_fetch_add((atomic_uint *)context, job->it.count);
}

/* Indices that go as far as numbers do: the end of the last piece is no number any more. */
static void the_last_index_is_in_the_last_piece(void **state) {
    (void)state;
    atomic_uint visited = 0;
    covey_entity last = covey_create_at(world, COVEY_NONE - 1);
    assert_non_null(add_value(last, covey_id(Blocked), 7));
    covey_schedule *schedule = schedule_on(2);
    add_system(schedule, (covey_system){ .name = "count",
                                         .run = count_visits,
                                         .context = &visited,
                                         .split = true,
                                         .piece = UINT32_MAX / 5,
                                         .view = { .with = { covey_id(Blocked) }, .optional = { covey_id(Packed) } } });
    run_well(schedule);
    assert_int_equal(atomic_load(&visited), 1);
    covey_schedule_destroy(schedule);
}

/* A view that says nothing of pools is as long as indices go. */
static void a_schedule_chooses_pieces_by_how_many_there_are(void **state) {
    (void)state;
    static const struct {
        uint32_t ids, pieces;
    } sizes[] = { { 64, 1 },      { 4096, 1 },      { 4160, 2 },        { 64000, 16 },
                  { 640000, 32 }, { 6400000, 196 }, { 640000000, 1024 } };
    atomic_uint visited = 0;
    covey_schedule *schedule = schedule_on(2);
    covey_system_stats stats;
    add_system(schedule, (covey_system){ .name = "count",
                                         .run = count_visits,
                                         .context = &visited,
                                         .split = true,
                                         .view.any = { covey_id(Blocked), covey_id(Packed) } });
    for (uint32_t i = 0; i < COUNT_OF(sizes) && sizes[i].ids < COVEY_NONE; i++) {
        covey_entity e = covey_create_at(world, sizes[i].ids - 1);
        assert_non_null(add_value(e, covey_id(Packed), i));
        run_well(schedule);
        assert_int_equal(atomic_exchange(&visited, 0), i + 1);
        covey_schedule_stats(schedule, &stats, 1);
        assert_int_equal(stats.pieces, sizes[i].pieces);
    }
    covey_schedule_destroy(schedule);
}

/* ---- Ticks --------------------------------------------------------------------------------------------------------*/

static void touch_odd(covey_job *job, void *context) {
    (void)context;
    for (covey_row row = { 0 }; covey_next_row(&job->it, &row);) covey_row_field(&job->it, row, 0, Timed)->number++;
}

/* Positions of a sparse pool are in no order of indices: neighbours of one block are in several pieces. */
static void what_pieces_write_is_noted(void **state) {
    (void)state;
    make_entities(all, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        assert_non_null(covey_add(world, all[i * 7 % ENTITIES], Timed, { i }));
        if (i % 2 == 0) assert_non_null(covey_add(world, all[i], TimedBlock, { i }));
    }
    covey_schedule *schedule = schedule_on(3);
    add_system(schedule,
               (covey_system){ .name = "touch",
                               .run = touch_odd,
                               .split = true,
                               .piece = 64,
                               .view = { .with = { covey_id(Timed) }, .without = { covey_id(TimedBlock) } } });
    for (uint32_t run = 0; run < 5; run++) {
        covey_tick_advance(world);
        uint64_t now = covey_tick(world);
        run_well(schedule);
        for (uint32_t i = 0; i < ENTITIES; i++)
            assert_int_equal(covey_changed_at(world, all[i], Timed) == now, i % 2 != 0);
    }
    covey_schedule_destroy(schedule);
}

static void read_timed(covey_job *job, void *context) {
    (void)context;
    while (covey_next(&job->it)) {
    }
}

static void what_pieces_read_is_not_noted(void **state) {
    (void)state;
    make_entities(all, ENTITIES);
    for (uint32_t i = 0; i < ENTITIES; i++) assert_non_null(covey_add(world, all[i], TimedBlock, { i }));
    covey_schedule *schedule = schedule_on(3);
    covey_system system = { .name = "read", .run = read_timed, .split = true, .piece = 64 };
    system.view = (covey_view_desc){ .with = { covey_id(TimedBlock) }, .read = { covey_id(TimedBlock) } };
    add_system(schedule, system);
    covey_tick_advance(world);
    run_well(schedule);
    for (uint32_t i = 0; i < ENTITIES; i++)
        assert_true(covey_changed_at(world, all[i], TimedBlock) < covey_tick(world));
    system.name = "write";
    system.view.read[0] = NULL;
    add_system(schedule, system);
    run_well(schedule);
    for (uint32_t i = 0; i < ENTITIES; i++)
        assert_true(covey_changed_at(world, all[i], TimedBlock) == covey_tick(world));
    covey_schedule_destroy(schedule);
}

/* ---- Where indices begin ------------------------------------------------------------------------------------------*/

enum { FAR = COVEY_INDEX_BITS < 16 ? 320 : 2000000, SOME = 600, LOST = 100, BY_INDEX = 9 };

/* Over views, and a group in blocks. */
static covey_system system_by_index(uint32_t number) {
    static const covey_view_desc views[] = {
        { .with = { covey_id(Blocked) } },
        { .with = { covey_id(Pinned) } },
        { .with = { covey_id(TimedBlock) } },
        { .with = { covey_id(Blocked), covey_id(Mate) } },
        { .with = { covey_id(Mate), covey_id(Packed) } },
        { .with = { covey_id(Blocked) }, .optional = { covey_id(Packed) }, .without = { covey_id(Mate) } },
        { .any = { covey_id(Mate), covey_id(Packed) } },
        { .optional = { covey_id(Blocked) } },
    };
    _Static_assert(COUNT_OF(views) == BY_INDEX - 1, "all but the last");
    if (number < COUNT_OF(views)) return (covey_system){ .view = views[number] };
    const covey_group_desc own = { .own = { covey_id(Mate), covey_id(Blocked) } };
    return (covey_system){ .group = covey_group_create(world, &own) };
}

/* Entities from this index on, the first ones destroyed, visited by a system. Returns the number of pieces. */
static uint32_t fill_from(uint32_t first, uint32_t number, album *to) {
    const covey_type *types[] = { covey_id(Blocked), covey_id(Pinned), covey_id(TimedBlock), covey_id(Packed) };
    assert_int_equal(world_setup(NULL), 0);
    if (first != 0) assert_int_equal(covey_range_reserve(world, 0, first).count, first);
    make_entities(all, SOME);
    assert_int_equal(all[0].index, first);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) give_each(all, SOME, 1, types[i]);
    give_each(all, SOME, 2, covey_id(Mate));
    for (uint32_t i = 0; i < LOST; i++) assert_true(covey_destroy(world, all[i]));
    covey_system system = system_by_index(number);
    system.split = true;
    system.piece = 64;
    uint32_t count = fill_on(3, system, to);
    assert_same_visits(to, count, iterate(&system));
    world_teardown(NULL);
    return count;
}

static void where_indices_begin_is_not_seen_in_pieces(void **state) {
    static album near, far;
    (void)state;
    for (uint32_t number = 0; number < BY_INDEX; number++) {
        uint32_t count = fill_from(0, number, &near);
        assert_int_equal(count, (SOME + COVEY__BLOCK_IDS - 1) / COVEY__BLOCK_IDS - LOST / COVEY__BLOCK_IDS);
        assert_int_equal(fill_from(FAR, number, &far), count);
        for (uint32_t i = 0; i < count; i++) {
            assert_int_equal(near.pieces[i].count, far.pieces[i].count);
            for (uint32_t k = 0; k < near.pieces[i].count; k++)
                assert_int_equal(near.pieces[i].seen[k].index + FAR, far.pieces[i].seen[k].index);
        }
    }
}

/* ---- Worlds from images -------------------------------------------------------------------------------------------*/

static covey_range range_in(covey_world *of, const covey_view_desc *desc) {
    covey_view view = covey_view_make(of, desc);
    covey_iter it = covey_view_iter(&view);
    return (covey_range){ covey__iter_first(&it), covey_iter_length(&it) };
}

static bool is_cut_alike(covey_world *loaded, const covey_view_desc *desc) {
    covey_range saved = range_in(world, desc), again = range_in(loaded, desc);
    return saved.first == again.first && saved.count == again.count;
}

/* However large pools have been: what is in use decides, not what is reserved. */
static void what_is_loaded_is_cut_like_what_was_saved(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= test_scaled(300); seed++) {
        static mixed_world mixed;
        assert_int_equal(world_setup(NULL), 0);
        mixed_begin(&mixed, seed);
        covey_world *loaded = mixed_load(&mixed);
        assert_non_null(loaded);
        for (uint32_t i = 0; i < mixed.type_count; i++)
            for (uint32_t k = 0; k < mixed.type_count; k++) {
                const covey_type *one = mixed.types[i], *other = i != k ? mixed.types[k] : NULL;
                covey_view_desc both = { .with = { one, other } }, maybe = { .with = { one }, .optional = { other } },
                                any = { .any = { one, other } };
                if (!is_cut_alike(loaded, &both) || !is_cut_alike(loaded, &maybe) || !is_cut_alike(loaded, &any))
                    fail_msg("seed %u: %s and %s", (unsigned)seed, one->name, other ? other->name : "nothing");
            }
        covey_world_destroy(loaded);
        mixed_end(&mixed);
        world_teardown(NULL);
    }
}

/* ---- Reductions ---------------------------------------------------------------------------------------------------*/

/* A sum whose digits depend on the order, a number that depends on it everywhere, and how many there were. */
typedef struct Sum {
    double sum;
    uint64_t chain;
    uint32_t count;
    uint32_t dirt; /* scratch that was not zero, or not aligned */
} Sum;

static void add_parts(covey_job *job, void *context) {
    Sum *sum = job->scratch;
    (void)context;
    sum->dirt += sum->sum != 0 || sum->count != 0 || (uintptr_t)sum % 64 != 0;
    while (covey_next(&job->it)) {
        const Value *values = covey_field_const(&job->it, 0, Blocked);
        for (uint32_t i = 0; i < job->it.count; i++) {
            sum->sum += 1.0 / (values[i].number + 1);
            sum->chain = sum->chain * 31 + values[i].number;
        }
        sum->count += job->it.count;
    }
}

static void merge_sums(void *total, const void *scratch, void *context) {
    Sum *to = total;
    const Sum *from = scratch;
    to->sum += from->sum;
    to->chain = to->chain * 37 + from->chain;
    to->count += from->count;
    to->dirt += from->dirt;
    if (context) ++*(uint32_t *)context;
}

static covey_system summing(Sum *total) {
    return (covey_system){ .name = "sum",
                           .run = add_parts,
                           .split = true,
                           .piece = 64,
                           .scratch = sizeof(Sum),
                           .merge = merge_sums,
                           .total = total,
                           .view = { .with = { covey_id(Blocked) }, .read = { covey_id(Blocked) } } };
}

static void sums_are_the_same_for_every_number_of_threads(void **state) {
    (void)state;
    static const uint32_t threads[] = { 1, 2, 3, 8, 64 };
    Sum first = { 0 }, plain = { 0 };
    make_some(covey_id(Blocked), 1);
    for (uint32_t i = 0; i < ENTITIES; i++) plain.sum += 1.0 / (i + 1);
    for (uint32_t i = 0; i < ENTITIES; i += 64) {
        uint64_t chain = 0;
        for (uint32_t k = i; k < i + 64 && k < ENTITIES; k++) chain = chain * 31 + k;
        plain.chain = plain.chain * 37 + chain;
    }
    for (uint32_t i = 0; i < COUNT_OF(threads); i++) {
        Sum total = { 1, 2, 3, 4 };
        covey_schedule *schedule = schedule_on(threads[i]);
        add_system(schedule, summing(&total));
        for (uint32_t run = 0; run < 5; run++) {
            run_well(schedule);
            if (i == 0 && run == 0) first = total;
            assert_memory_equal(&total, &first, sizeof total);
        }
        covey_schedule_destroy(schedule);
    }
    assert_int_equal(first.count, ENTITIES);
    assert_int_equal(first.dirt, 0);
    assert_int_equal(first.chain, plain.chain);
    assert_true(first.sum != plain.sum && first.sum > plain.sum - 1e-9 && first.sum < plain.sum + 1e-9);
}

static void without_pieces_a_total_is_zero(void **state) {
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        Sum total = { 1, 2, 3, 4 }, zero = { 0 };
        covey_schedule *schedule = schedule_on(threads);
        covey_system system = summing(&total);
        add_system(schedule, system);
        run_well(schedule);
        assert_memory_equal(&total, &zero, sizeof total);
        total.count = 5;
        covey_system_enable(schedule, "sum", false);
        run_well(schedule);
        assert_int_equal(total.count, 5); /* it did not run */
        covey_schedule_destroy(schedule);
    }
}

/* Reads the total of another system, and keeps it. */
static void read_total(covey_job *job, void *context) {
    Sum **totals = context;
    (void)job;
    *totals[1] = *totals[0];
}

static void a_system_behind_it_sees_the_total(void **state) {
    (void)state;
    make_some(covey_id(Blocked), 1);
    for (uint32_t threads = 1; threads <= 4; threads++) {
        Sum total, seen, *totals[] = { &total, &seen };
        covey_schedule *schedule = schedule_on(threads);
        add_system(schedule, (covey_system){ .name = "see", .run = read_total, .context = totals, .after = { "sum" } });
        add_system(schedule, summing(&total));
        for (uint32_t run = 0; run < 20; run++) {
            memset(&total, 0, sizeof total);
            memset(&seen, 0, sizeof seen);
            run_well(schedule);
            assert_int_equal(seen.count, ENTITIES);
            assert_memory_equal(&seen, &total, sizeof seen);
        }
        covey_schedule_destroy(schedule);
    }
}

static void a_system_that_is_not_split_reduces_too(void **state) {
    (void)state;
    Sum total = { 0 };
    uint32_t merges = 0;
    make_some(covey_id(Blocked), 1);
    covey_schedule *schedule = schedule_on(2);
    covey_system system = summing(&total);
    system.split = false;
    system.context = &merges;
    add_system(schedule, system);
    run_well(schedule);
    assert_int_equal(total.count, ENTITIES);
    assert_int_equal(merges, 1);
    covey_schedule_destroy(schedule);
}

/* Scratch belongs to the body: each piece has its own bytes, and no other bytes are changed. */
static void fill_scratch(covey_job *job, void *context) {
    unsigned char *bytes = job->scratch;
    atomic_uint *faults = context;
    for (uint32_t i = 0; i < 100; i++) {
        if (bytes[i] != 0) atomic_fetch_add(faults, 1);
        bytes[i] = (unsigned char)(job->piece + 1);
    }
    nap(job->piece);
    for (uint32_t i = 0; i < 100; i++)
        if (bytes[i] != job->piece + 1) atomic_fetch_add(faults, 1);
}

static void scratch_belongs_to_its_piece(void **state) {
    (void)state;
    atomic_uint faults = 0;
    make_some(covey_id(Packed), 1);
    covey_schedule *schedule = schedule_on(3);
    add_system(schedule, (covey_system){ .name = "fill",
                                         .run = fill_scratch,
                                         .context = &faults,
                                         .split = true,
                                         .piece = 64,
                                         .scratch = 100,
                                         .view.with = { covey_id(Packed) } });
    for (uint32_t run = 0; run < 10; run++) run_well(schedule);
    assert_int_equal(atomic_load(&faults), 0);
    covey_schedule_destroy(schedule);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(pieces_are_the_whole_in_its_order),
        WORLD_TEST(gaps_and_other_terms_change_nothing),
        WORLD_TEST(a_group_is_cut_by_its_members),
        WORLD_TEST(a_group_in_blocks_is_cut_by_index),
        WORLD_TEST(a_piece_is_whole_blocks),
        WORLD_TEST(few_entities_are_one_piece),
        WORLD_TEST(a_system_that_is_not_split_runs_once),
        WORLD_TEST(a_split_system_without_entities_has_no_piece),
        WORLD_TEST(the_last_index_is_in_the_last_piece),
        WORLD_TEST(a_schedule_chooses_pieces_by_how_many_there_are),
        WORLD_TEST(what_pieces_write_is_noted),
        WORLD_TEST(what_pieces_read_is_not_noted),
        cmocka_unit_test(where_indices_begin_is_not_seen_in_pieces),
        cmocka_unit_test(what_is_loaded_is_cut_like_what_was_saved),
        WORLD_TEST(sums_are_the_same_for_every_number_of_threads),
        WORLD_TEST(without_pieces_a_total_is_zero),
        WORLD_TEST(a_system_behind_it_sees_the_total),
        WORLD_TEST(a_system_that_is_not_split_reduces_too),
        WORLD_TEST(scratch_belongs_to_its_piece),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
