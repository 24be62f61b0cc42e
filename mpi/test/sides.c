#include "sides.h"

#include <stdlib.h>

static struct {
    int now; /* the side that runs */
    int dissent;
    unsigned char *sent;
    uint64_t sent_bytes;
    const unsigned char *handed;
    uint64_t handed_bytes;
} network;

void require(bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- MPI ---------------------------------------------------------------------------------------------------------*/

int MPI_Comm_rank(MPI_Comm comm, int *number) {
    (void)comm;
    *number = network.now;
    return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int *count) {
    (void)comm;
    *count = 2;
    return MPI_SUCCESS;
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm *copy, MPI_Request *request) {
    *copy = comm;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm *comm) {
    (void)comm;
    return MPI_SUCCESS;
}

int MPI_Finalized(int *flag) {
    *flag = 0;
    return MPI_SUCCESS;
}

double MPI_Wtime(void) { return 0; }

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    (void)request;
    (void)status;
    *flag = 1;
    return MPI_SUCCESS;
}

/* The other side has the same numbers, but possibly a worse result. */
int MPI_Iallreduce(const void *from, void *to, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                   MPI_Request *request) {
    (void)from;
    (void)count;
    (void)op;
    (void)comm;
    *request = MPI_REQUEST_NULL;
    int *worst = to;
    if (type == MPI_2INT && network.dissent != 0 && --network.dissent == 0 && worst[0] == COVEY_OK) {
        worst[0] = COVEY_ERROR_MEMORY;
        worst[1] = 1 - network.now;
    }
    return MPI_SUCCESS;
}

int MPI_Ibcast(void *values, int count, MPI_Datatype type, int from, MPI_Comm comm, MPI_Request *request) {
    (void)values;
    (void)count;
    (void)type;
    (void)from;
    (void)comm;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Ialltoall(const void *from, int count, MPI_Datatype type, void *to, int to_count, MPI_Datatype to_type,
                  MPI_Comm comm, MPI_Request *request) {
    (void)from;
    (void)type;
    (void)to_type;
    (void)comm;
    require(count == 1 && to_count == 1, "these are no sizes of messages");
    uint64_t *sizes = to;
    sizes[network.now] = 0;
    sizes[1 - network.now] = network.handed_bytes;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Isend(const void *bytes, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request) {
    (void)type;
    (void)comm;
    require(to == 1 - network.now && tag == 0, "it is sent to a wrong rank");
    network.sent = malloc((size_t)count);
    require(network.sent != NULL, "no memory");
    memcpy(network.sent, bytes, (size_t)count);
    network.sent_bytes = (uint64_t)count;
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

int MPI_Irecv(void *bytes, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request) {
    (void)type;
    (void)comm;
    require(from == 1 - network.now && tag == 0 && (uint64_t)count == network.handed_bytes,
            "it is received without having been sent");
    memcpy(bytes, network.handed, (size_t)count);
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
}

/* ---- Sides -------------------------------------------------------------------------------------------------------*/

void side_run(const side *s) {
    free(network.sent);
    memset(&network, 0, sizeof network);
    network.now = s->number;
}

void side_make(side *s, int number) {
    covey_report report = { .text = "" };
    *s = (side){ .number = number };
    side_run(s);
    covey_allocator allocator = counting_allocator(&s->memory);
    s->world = covey_world_create(&(covey_world_desc){ .allocator = allocator, .log = no_log });
    covey_mpi_desc desc = { .types = all_types, .trees = COVEY_MPI_TREES_MOVE, .allocator = allocator };
    desc.range_size = COVEY_NONE / 8 < 256 ? COVEY_NONE / 8 : 256;
    s->mpi = covey_mpi_create(MPI_COMM_WORLD, s->world, &desc, &report);
    require(s->mpi != NULL, report.text);
    s->mpi->range_count = 8; /* keeps indices small */
}

void side_end(side *s) {
    const char *why = "";
    side_run(s);
    require(covey_world_validate(s->world, &why), why);
    covey_mpi_destroy(s->mpi);
    covey_world_destroy(s->world);
    require(s->memory.bytes == 0, "memory is lost");
}

unsigned char *sent(uint64_t *size_sent) {
    *size_sent = network.sent_bytes;
    return network.sent;
}

void side_hand(side *s, const unsigned char *bytes, uint64_t size_handed) {
    side_run(s);
    network.handed = bytes;
    network.handed_bytes = size_handed;
    covey__mpi_buffer *buffer = &s->mpi->scratch[SCRATCH_RECEIVE];
    if (buffer->bytes) covey__mpi_resize(&s->mpi->allocator, buffer->bytes, buffer->capacity, 0);
    *buffer =
        (covey__mpi_buffer){ covey__mpi_resize(&s->mpi->allocator, NULL, 0, (size_t)size_handed), (size_t)size_handed };
}

void fail_other(int agreement) { network.dissent = agreement; }

uint64_t state_of(const side *s) {
    uint64_t hash = 0;
    covey_entity e = { 0, 0 };
    while (!covey_is_null(e = covey_entity_next(s->world, e))) {
        const covey_type *types[16];
        uint32_t count = covey_types_of(s->world, e, types, 16);
        hash = covey__mpi_hash(hash + count, &e, sizeof e);
        for (uint32_t i = 0; i < count; i++) hash = covey__mpi_hash(hash, types[i]->name, strlen(types[i]->name));
        hash += (uint64_t)covey_is_enabled(s->world, e) + (covey_name(s->world, e) ? 2 : 0);
        const Spot *spot = covey_get(s->world, e, Spot);
        if (spot) hash = covey__mpi_hash(hash, spot, sizeof *spot);
    }
    return hash;
}

/* ---- Inputs ------------------------------------------------------------------------------------------------------*/

bool input_read(input *in, const uint8_t *data, size_t length) {
    if (length < 2) return false;
    *in = (input){ .flags = data[0], .count = data[1] % (MOST + 1), .has = data + 2 };
    if (in->count > length - 2) in->count = (uint32_t)(length - 2);
    in->changes = in->has + in->count;
    in->change_bytes = length - 2 - in->count;
    return in->count != 0;
}

unsigned char *damaged(const input *in, const unsigned char *message, uint64_t *total) {
    const uint8_t *changes = in->changes;
    if ((in->flags & CUT) && *total > 128)
        *total = 128 + (in->change_bytes != 0 ? changes[0] % (*total / 64 - 1) : 0) * UINT64_C(64);
    unsigned char *bytes = aligned_alloc(64, (size_t)*total);
    require(bytes != NULL, "no memory");
    memcpy(bytes, message, (size_t)*total);
    for (size_t left = in->change_bytes; left >= 3; left -= 3, changes += 3)
        bytes[(changes[0] | (size_t)changes[1] << 8) % *total] = changes[2];
    return bytes;
}
