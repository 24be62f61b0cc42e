/* Messages of a migration that were damaged, or made up: each is refused, or its entities arrive; the world is valid, and
 * if the message is refused, or taken back, as it was. There are two ranks in one process, without MPI.
 *
 *     flags | number of entities | what each of them has | changes: position in the message (2 bytes), and a byte there
 *
 * With SIGNED the checksum is made right after the changes, so that what is behind it is reached. */
#include "support.h"

#include <stdlib.h>

enum { SIGNED = 1, TAKEN_BACK = 2, CUT = 4, MOST = 40, AT_HOME = 32, DISABLED = 64, NAMED = 128 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

static const covey_entity none = { 0, 0 };

static void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- Ranks -------------------------------------------------------------------------------------------------------*/

typedef struct side {
    counting memory;
    covey_mpi mpi;
    uint64_t sizes[2], offsets[2], image_ends[2];
    uint32_t parts[3];
} side;

static void side_make(side *s, int number) {
    covey_range range;
    uint32_t count = 0, span = COVEY_NONE / 8 < 4096 ? COVEY_NONE / 8 : 4096;
    *s = (side){ .memory = { 0 } };
    covey_allocator allocator = counting_allocator(&s->memory);
    covey_mpi *mpi = &s->mpi;
    *mpi = (covey_mpi){ .rank = number,
                        .size = 2,
                        .span = span,
                        .shares = 8,
                        .allocator = allocator,
                        .images.allocator = allocator,
                        .sizes = s->sizes,
                        .offsets = s->offsets,
                        .image_ends = s->image_ends,
                        .parts = s->parts,
                        .own = span * (uint32_t)number,
                        .own_end = span * (uint32_t)number + span,
                        .firsts_end = 2 * (uint64_t)span };
    mpi->world = covey_world_create(&(covey_world_desc){ .allocator = allocator, .log = no_log });
    if (number == 1) range = covey_range_reserve(mpi->world, 0, span);
    range = covey_range_reserve(mpi->world, mpi->own_end, COVEY_NONE - mpi->own_end);
    require(range.count != 0, "no indices");
    while (all_types[count]) count++;
    mpi->column_room = count + 1;
    mpi->columns = covey__mpi_resize(&allocator, NULL, 0, mpi->column_room * sizeof *mpi->columns);
    for (uint32_t c = 0; c <= count; c++) {
        covey_result result;
        const covey_type *type = c < count ? all_types[c] : covey_id(covey_disabled);
        require(covey__mpi_column_make(mpi, &mpi->columns[mpi->column_count++], type, &result), "no column");
    }
    mpi->away = covey_pool_of(mpi->world, covey_away);
    mpi->ghost = covey_pool_of(mpi->world, covey_ghost);
}

static void side_end(side *s) {
    covey__mpi_scratch_free(&s->mpi);
    covey__mpi_columns_free(&s->mpi);
    covey__mpi_guests_free(&s->mpi);
    covey_world_destroy(s->mpi.world);
    require(s->memory.bytes == 0, "memory is lost");
}

static void require_valid(const side *s) {
    const char *why = "";
    require(covey_world_validate(s->mpi.world, &why), why);
}

/* What has to be the same when a message is refused. */
static uint64_t state_of(const covey_world *world) {
    uint64_t hash = 0;
    for (covey_entity e = covey_entity_next(world, none); !covey_is_null(e); e = covey_entity_next(world, e)) {
        const covey_type *types[16];
        uint32_t count = covey_types_of(world, e, types, 16);
        hash = covey__mpi_hash(hash + count, &e, sizeof e);
        for (uint32_t i = 0; i < count; i++) hash = covey__mpi_hash(hash, types[i]->name, strlen(types[i]->name));
        hash += (uint64_t)covey_is_enabled(world, e) + (covey_name(world, e) ? 2 : 0);
    }
    return hash;
}

/* ---- Messages ----------------------------------------------------------------------------------------------------*/

/* An entity that lives with the sender; some are at home with the receiver. */
static covey_entity make(side *sender, side *receiver, uint32_t number, uint8_t has) {
    covey_world *world = sender->mpi.world;
    covey_entity e = covey_create((has & AT_HOME ? receiver : sender)->mpi.world);
    if (has & AT_HOME) {
        covey_add_tag(receiver->mpi.world, e, covey_away);
        require(covey_create_again(world, &e, 1), "it does not come");
    }
    if (has & 1) covey_add(world, e, Spot, { (int32_t)number, -1 });
    if (has & 2) covey_add(world, e, Bond, { e, NULL, number });
    if (has & 4) covey_add(world, e, Note, { number % 50 + 1, make_note(number).text });
    if (has & 8) covey_add(world, e, Stamp, { number });
    if (has & 16) covey_add_tag(world, e, Marked);
    if ((has & DISABLED) && (has & 1)) covey_component_disable(world, e, Spot);
    else if (has & DISABLED) covey_disable(world, e);
    if (has & NAMED) covey_name_set(world, e, (char[]){ (char)('a' + number % 26), (char)('a' + number / 26), 0 });
    return e;
}

/* As it arrives: in a block of its own, so that reading beyond it is found. */
static unsigned char *damaged(const side *receiver, const unsigned char *message, uint64_t *total, uint8_t flags,
                              const uint8_t *changes, size_t length) {
    if ((flags & CUT) && *total > 128) *total = 128 + (length != 0 ? changes[0] % (*total / 64 - 1) : 0) * 64;
    unsigned char *bytes = aligned_alloc(64, (size_t)*total);
    require(bytes != NULL, "no memory");
    memcpy(bytes, message, (size_t)*total);
    for (; length >= 3; length -= 3, changes += 3) bytes[(changes[0] | (size_t)changes[1] << 8) % *total] = changes[2];
    if (flags & SIGNED) covey__mpi_sign(&receiver->mpi, bytes, *total);
    return bytes;
}

static void receive(side *receiver, unsigned char *bytes, uint64_t total, bool takes_back) {
    covey_mpi *mpi = &receiver->mpi;
    covey__mpi_part parts[8];
    covey__mpi_incoming in;
    const char *why = NULL;
    uint64_t before = state_of(mpi->world);
    if (!covey__mpi_unpack(mpi, bytes, total, &in, parts, &why)) {
        require(why && state_of(mpi->world) == before, "it is refused, and not as before");
        return;
    }
    in.source = 1;
    require(covey__mpi_reach(mpi, SCRATCH_GUESTS, in.count * sizeof(covey_entity)) != NULL, "no memory");
    covey_result result = covey__mpi_arrive(mpi, &in);
    if (result == COVEY_OK && !takes_back) {
        covey__mpi_settle(mpi, &in);
    } else {
        covey__mpi_turn_away(mpi, &in);
        require(state_of(mpi->world) == before, "it is taken back, and not as before");
    }
    require_valid(receiver);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    static side sender, receiver;
    covey_entity list[MOST];
    if (length < 2) return 0;
    uint8_t flags = data[0], count = data[1] % (MOST + 1);
    data += 2;
    length -= 2;
    if (count > length) count = (uint8_t)length;
    if (count == 0) return 0; /* no message */
    side_make(&receiver, 0);
    side_make(&sender, 1);
    for (uint32_t i = 0; i < count; i++) list[i] = make(&sender, &receiver, i, data[i]);
    unsigned char *message = NULL;
    covey__mpi_departure d = { list, count };
    sender.parts[1] = sender.parts[2] = count;
    require(covey__mpi_pack_departure(&sender.mpi, &d, NULL, &message) == COVEY_OK, "it is not packed");
    uint64_t total = sender.sizes[0];
    unsigned char *bytes = damaged(&receiver, message, &total, flags, data + count, length - count);
    receive(&receiver, bytes, total, (flags & TAKEN_BACK) != 0);
    free(bytes);
    side_end(&sender);
    side_end(&receiver);
    require(notes == 0, "a value is lost");
    return 0;
}
