#define _XOPEN_SOURCE 700
#include "support.h"

#include <stdlib.h>
#include <unistd.h>

int rank, size, notes;

void check_failed(const char *what, const char *file, int line) {
    fprintf(stderr, "rank %d of %d: %s:%d: not so: %s\n", rank, size, file, line, what);
    fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

int run_tests(int argc, char **argv, const test *tests, size_t count) {
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name) != 0) continue;
        notes = 0;
        tests[i].run();
        CHECK(notes == 0);
        over_all(0, MPI_MAX);
        if (rank == 0) printf("ok %s\n", tests[i].name);
    }
    MPI_Finalize();
    return 0;
}

uint32_t below(random_numbers *r, uint32_t end) {
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((r->state >> 33) % end);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static void *count_memory(void *context, void *block, size_t old_size, size_t new_size, size_t align) {
    counting *c = context;
    if (new_size != 0 && ++c->calls == c->fail_at) return NULL;
    void *resized = NULL;
    if (new_size != 0) {
        resized = aligned_alloc(align < 16 ? 16 : align, (new_size + 63) / 64 * 64);
        if (!resized) return NULL;
        if (block) memcpy(resized, block, old_size < new_size ? old_size : new_size);
    }
    free(block);
    c->bytes += new_size - old_size;
    return resized;
}

covey_allocator counting_allocator(counting *c) { return (covey_allocator){ count_memory, c }; }

/* ---- Components --------------------------------------------------------------------------------------------------*/

COVEY_COMPONENT_DEFINE(Spot, .as_bytes = true);
COVEY_FIELDS_DEFINE(Bond, entity(other), padding(void *, cache), u32(number));
COVEY_COMPONENT_DEFINE(Bond, .fields = &covey_fields_Bond, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Stamp, .as_bytes = true, .ticks = true);
COVEY_COMPONENT_DEFINE(Mood, .transient = true);
COVEY_TAG_DEFINE(Marked);

Note make_note(uint32_t number) {
    Note note = { .length = number % 50 + 1 };
    note.text = malloc(note.length);
    for (uint32_t i = 0; i < note.length; i++) note.text[i] = (char)('a' + (number + i) % 26);
    notes++;
    return note;
}

static covey_result save_note(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    const Note *note = value;
    covey_codec_write_count(writer, note->length);
    covey_codec_write(writer, COVEY_KIND_CHAR, note->text, note->length);
    return COVEY_OK;
}

static covey_result load_note(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    Note *note = value;
    note->length = covey_codec_read_count(reader, COVEY_KIND_CHAR);
    note->text = malloc(note->length + 1u);
    if (!note->text) return COVEY_ERROR_MEMORY;
    covey_codec_read(reader, COVEY_KIND_CHAR, note->text, note->length);
    notes++;
    return COVEY_OK;
}

static void drop_note(void *value, void *context) {
    (void)context;
    free(((Note *)value)->text);
    notes--;
}

static const covey_codec note_codec = { .save = save_note, .load = load_note };
COVEY_COMPONENT_DEFINE(Note, .codec = &note_codec, .drop = drop_note);

const covey_type *const all_types[] = { covey_id(Spot),  covey_id(Bond),   covey_id(Note),
                                        covey_id(Stamp), covey_id(Marked), NULL };

void no_log(covey_result item, const char *text, void *context) {
    (void)item;
    (void)text;
    (void)context;
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

void begin(fixture *f, const covey_mpi_desc *desc) { begin_on(f, desc, MPI_COMM_WORLD); }

void begin_on(fixture *f, const covey_mpi_desc *desc, MPI_Comm comm) {
    *f = (fixture){ .memory = { 0 } };
    f->world = covey_world_create(&(covey_world_desc){ .allocator = counting_allocator(&f->memory), .log = no_log });
    covey_mpi_desc all = desc ? *desc : (covey_mpi_desc){ 0 };
    if (!all.types) all.types = all_types;
    if (all.range_size == 0 && COVEY_INDEX_BITS < 16) all.range_size = COVEY_NONE / 4; /* few indices, for 4 ranks */
    all.allocator = counting_allocator(&f->memory);
    covey_report report;
    f->mpi = covey_mpi_create(comm, f->world, &all, &report);
    if (!f->mpi) fprintf(stderr, "%s\n", report.text);
    CHECK(f->mpi != NULL);
}

void end(fixture *f) {
    const char *why = NULL;
    CHECK(covey_world_validate(f->world, &why));
    covey_mpi_destroy(f->mpi);
    covey_world_destroy(f->world);
    CHECK(f->memory.bytes == 0);
}

covey_entity shared(int owner, covey_entity e) {
    MPI_Request request;
    MPI_Ibcast(&e, (int)sizeof e, MPI_BYTE, owner, MPI_COMM_WORLD, &request);
    covey__mpi_wait_for(&request, 1);
    return e;
}

int over_all(int own, MPI_Op op) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, &own, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
    covey__mpi_wait_for(&request, 1);
    return own;
}

/* ---- Files -------------------------------------------------------------------------------------------------------*/

const char *checkpoint_path(void) {
    static char name[64];
    snprintf(name, sizeof name, "mpi_checkpoint_%d", over_all(rank == 0 ? (int)getpid() : 0, MPI_MAX));
    return name;
}

void remove_checkpoint(const char *name) {
    char file[128];
    over_all(0, MPI_MAX);
    for (int number = 1; rank == 0 && number < 20; number++)
        for (int r = 0; r < size; r++) {
            snprintf(file, sizeof file, "%s.%d.%d", name, number, r);
            remove(file);
        }
    if (rank == 0) remove(name);
}
