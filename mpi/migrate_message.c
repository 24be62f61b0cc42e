/* The messages of a migration: entities, and their components column by column.
 *
 *     header | counts of columns | handles | columns: values, positions | disabled | links | names | image
 *
 * Each part begins at a multiple of 64 bytes, so that values are used in place, and so does the end. Numbers and values
 * are as in memory: all ranks have the same layout, which was compared at the start. Bytes are added to the checksum as
 * they are written, while they are in the cache. The header and the counts are known last, and added at the end. */
#include "message.h"

#include <covey/hierarchy.h>
#include <stdlib.h>

enum { SLICE = 1024 }; /* entities whose values are gathered, and added to the checksum, at once */

#define MAGIC UINT64_C(0x32304D5949564F43) /* the format, and its version */

typedef struct header {
    uint64_t magic, checksum; /* of everything behind it */
    uint64_t bytes;           /* of the message */
    uint32_t count, columns;
    uint32_t disabled_count, link_count, name_count, unused;
    uint64_t name_bytes, image_bytes;
} header;

/* Where the first part behind the header and the counts begins. */
static uint64_t body_offset(const covey_mpi *mpi) {
    return covey__mpi_aligned(sizeof(header)) + covey__mpi_aligned(mpi->column_count * sizeof(uint32_t));
}

static uint64_t checksum_of(const unsigned char *bytes, uint64_t body, const covey__mpi_checksum *sum) {
    size_t skipped = offsetof(header, bytes);
    uint64_t hash = covey__mpi_hash(MAGIC, sum, sizeof *sum);
    return covey__mpi_hash(hash, bytes + skipped, (size_t)body - skipped);
}

static uint64_t checksum_of_all(const unsigned char *bytes, uint64_t body, uint64_t size) {
    covey__mpi_checksum sum = { { 0 }, { 0 } };
    covey__mpi_checksum_add(&sum, bytes + body, (size_t)(size - body));
    return checksum_of(bytes, body, &sum);
}

void covey__mpi_message_sign(const covey_mpi *mpi, unsigned char *bytes, uint64_t size) {
    memcpy(bytes + offsetof(header, bytes), &size, sizeof size);
    uint64_t checksum = checksum_of_all(bytes, body_offset(mpi), size);
    memcpy(bytes + offsetof(header, checksum), &checksum, sizeof checksum);
}

/* ---- Writing -----------------------------------------------------------------------------------------------------*/

typedef struct packing {
    covey_mpi *mpi;
    const covey_entity *entities;
    uint32_t count;
    unsigned char *to;
    uint64_t at, summed; /* how many bytes are written, and in the checksum */
    covey__mpi_checksum sum;
    header head;
} packing;

static uint64_t name_bytes(const covey_mpi *mpi, covey_entity e) {
    const char *name = covey_name(mpi->world, e);
    return name ? 8 + (strlen(name) + 3) / 4 * 4 : 0;
}

uint64_t covey__mpi_message_room(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    uint64_t each = sizeof *entities + sizeof(covey__mpi_link),
             room = body_offset(mpi) + COVEY__MPI_ALIGN * UINT64_C(5);
    for (uint32_t i = 0; i < mpi->column_count; i++) {
        each += mpi->columns[i].type->size + sizeof(uint32_t) + sizeof(covey__mpi_disabled);
        room += COVEY__MPI_ALIGN * UINT64_C(2);
    }
    bool hierarchy = covey__mpi_uses_hierarchy(mpi);
    for (uint32_t i = 0; hierarchy && i < count; i++) room += name_bytes(mpi, entities[i]);
    return room + each * count;
}

static void align(packing *p) {
    uint64_t end = covey__mpi_aligned(p->at);
    memset(p->to + p->at, 0, (size_t)(end - p->at));
    p->at = end;
}

static void append(packing *p, const void *bytes, uint64_t size) {
    memcpy(p->to + p->at, bytes, (size_t)size);
    p->at += size;
}

/* Adds what was written to the checksum, except for a rest that is shorter than a step. */
static void add_to_checksum(packing *p) {
    uint64_t end = p->at / COVEY__MPI_CHECKSUM_STEP * COVEY__MPI_CHECKSUM_STEP;
    covey__mpi_checksum_add(&p->sum, p->to + p->summed, (size_t)(end - p->summed));
    p->summed = end;
}

static void pack_handles(packing *p) {
    for (uint32_t first = 0; first < p->count; first += SLICE) {
        uint32_t count = p->count - first < SLICE ? p->count - first : SLICE;
        append(p, p->entities + first, count * sizeof *p->entities);
        add_to_checksum(p);
    }
    align(p);
}

/* Packs the values of a slice of the entities. Returns how many have one. */
static uint32_t pack_slice(packing *p, const covey__mpi_column *column, uint32_t first, uint32_t *positions) {
    uint32_t count = p->count - first < SLICE ? p->count - first : SLICE;
    unsigned char *values = column->by_image ? NULL : p->to + p->at;
    count = covey_gather_raw(p->mpi->world, p->entities + first, count, column->type, values, positions);
    for (uint32_t i = 0; i < count; i++) positions[i] += first;
    if (values) p->at += (uint64_t)count * column->type->size;
    add_to_checksum(p);
    return count;
}

static uint32_t pack_column(packing *p, const covey__mpi_column *column, uint32_t *positions) {
    uint32_t found = 0;
    if (covey_pool_count(column->pool) == 0) return 0;
    for (uint32_t first = 0; first < p->count; first += SLICE) found += pack_slice(p, column, first, positions + found);
    align(p);
    if (found != p->count) append(p, positions, found * sizeof *positions);
    align(p);
    return found;
}

static void pack_columns(packing *p, uint32_t *positions) {
    for (uint32_t i = 0; i < p->mpi->column_count; i++) {
        uint32_t found = pack_column(p, &p->mpi->columns[i], positions);
        memcpy(p->to + covey__mpi_aligned(sizeof(header)) + i * sizeof found, &found, sizeof found);
    }
}

/* Whether components of departures may be disabled. In block storage a view counts enabled components 64 at a time.
 * When many entities leave, that is faster than testing each of them. */
static bool may_be_disabled(const covey_mpi *mpi, const covey__mpi_column *column, uint32_t leaving) {
    if (covey_pool_count(column->pool) == 0 || column->type == covey_id(covey_disabled)) return false;
    if (covey_pool_storage(column->pool) == COVEY_STORAGE_SPARSE || leaving < covey_pool_count(column->pool) / 64)
        return true;
    covey_view_desc desc = { .with = { column->type }, .read = { column->type } };
    covey_view view = covey_view_make_const(mpi->world, &desc, NULL);
    return covey_view_count(&view) != covey_pool_count(column->pool);
}

static void pack_disabled(packing *p) {
    const covey_mpi *mpi = p->mpi;
    for (uint32_t c = 0; c < mpi->column_count; c++) {
        const covey__mpi_column *column = &mpi->columns[c];
        if (!may_be_disabled(mpi, column, p->count)) continue;
        for (uint32_t i = 0; i < p->count; i++) {
            covey_entity e = p->entities[i];
            if (!covey_pool_has(column->pool, e) || covey_component_is_enabled_raw(mpi->world, e, column->type))
                continue;
            append(p, &(covey__mpi_disabled){ i, c }, sizeof(covey__mpi_disabled));
            p->head.disabled_count++;
        }
    }
    align(p);
}

/* A tree is in depth-first order, with the root first: the parent of an entity is the one before it, or an ancestor of
 * that one. */
static void pack_links(packing *p, uint32_t *parents) {
    for (uint32_t i = 0; i < p->count && p->mpi->trees == COVEY_MPI_TREES_MOVE; i++) {
        covey_entity parent = covey_parent(p->mpi->world, p->entities[i]);
        parents[i] = i;
        if (covey_is_null(parent)) continue;
        parents[i] = i - 1;
        while (!covey_same(p->entities[parents[i]], parent)) parents[i] = parents[parents[i]];
        append(p, &(covey__mpi_link){ i, parents[i] }, sizeof(covey__mpi_link));
        p->head.link_count++;
    }
    align(p);
}

static void pack_names(packing *p) {
    uint64_t start = p->at;
    bool hierarchy = covey__mpi_uses_hierarchy(p->mpi);
    for (uint32_t i = 0; hierarchy && i < p->count; i++) {
        const char *name = covey_name(p->mpi->world, p->entities[i]);
        if (!name) continue;
        uint32_t parts[2] = { i, (uint32_t)strlen(name) };
        append(p, parts, sizeof parts);
        append(p, name, parts[1]);
        append(p, "\0\0\0", (4 - parts[1] % 4) % 4);
        p->head.name_count++;
    }
    p->head.name_bytes = p->at - start;
    align(p);
}

covey_result covey__mpi_message_write(covey_mpi *mpi, const covey_entity *entities, uint32_t count, const void *image,
                                      uint64_t image_bytes, unsigned char *to, uint64_t *size) {
    packing p = { .mpi = mpi, .entities = entities, .count = count, .to = to };
    uint32_t *positions = covey__mpi_scratch_reserve(mpi, SCRATCH_POSITIONS, (uint64_t)count * sizeof *positions);
    if (!positions) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory to pack %u entities", count);
    p.head = (header){ .magic = MAGIC, .count = count, .columns = mpi->column_count };
    p.at = p.summed = body_offset(mpi);
    memset(to, 0, (size_t)p.at);
    pack_handles(&p);
    pack_columns(&p, positions);
    pack_disabled(&p);
    pack_links(&p, positions);
    pack_names(&p);
    if (image_bytes != 0) append(&p, image, image_bytes);
    align(&p);
    add_to_checksum(&p);
    p.head.image_bytes = image_bytes;
    p.head.bytes = p.at;
    memcpy(to, &p.head, sizeof p.head);
    p.head.checksum = checksum_of(to, body_offset(mpi), &p.sum);
    memcpy(to, &p.head, sizeof p.head);
    *size = p.at;
    return COVEY_OK;
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

static bool is_ascending(const uint32_t *positions, uint32_t count, uint32_t end) {
    for (uint32_t i = 0; i < count; i++)
        if (positions[i] >= end || (i != 0 && positions[i] <= positions[i - 1])) return false;
    return true;
}

static void unpack_column(covey__mpi_reading *u, const covey__mpi_column *column, uint32_t entities,
                          covey__mpi_part *part) {
    if (part->count > entities) u->fails = true;
    if (part->count == 0) return;
    unsigned char *values = covey__mpi_take(u, part->count, column->by_image ? 0 : column->type->size);
    if (column->type->size != 0 && !column->by_image) part->values = values;
    if (part->count == entities || u->fails) return;
    part->positions = (const uint32_t *)(const void *)covey__mpi_take(u, part->count, sizeof *part->positions);
    if (u->fails || !is_ascending(part->positions, part->count, entities)) u->fails = true;
}

static bool lists_are_valid(const covey_mpi *mpi, const covey__mpi_incoming *in) {
    for (uint32_t i = 0; i < in->disabled_count; i++)
        if (in->disabled[i].position >= in->count || in->disabled[i].column >= mpi->column_count) return false;
    for (uint32_t i = 0; i < in->link_count; i++)
        if (in->links[i].child >= in->count || in->links[i].parent >= in->links[i].child) return false;
    uint64_t at = 0;
    for (uint32_t i = 0; i < in->name_count; i++) {
        uint32_t parts[2];
        if (in->name_bytes - at < sizeof parts) return false;
        memcpy(parts, in->names + at, sizeof parts);
        at += sizeof parts;
        uint64_t padded = (parts[1] + UINT64_C(3)) / 4 * 4;
        if (parts[0] >= in->count || parts[1] == 0 || parts[1] > UINT16_MAX || in->name_bytes - at < padded)
            return false;
        at += padded;
    }
    return at == in->name_bytes;
}

bool covey__mpi_message_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size, covey__mpi_incoming *in,
                             covey__mpi_part *parts, const char **why) {
    header head;
    *why = "it is truncated";
    if (size < body_offset(mpi) || size % COVEY__MPI_ALIGN != 0) return false;
    memcpy(&head, bytes, sizeof head);
    *why = "it is not a message of this version";
    if (head.magic != MAGIC || head.columns != mpi->column_count) return false;
    *why = "it is truncated";
    if (head.bytes != size) return false;
    *why = "its checksum is wrong";
    if (head.checksum != checksum_of_all(bytes, body_offset(mpi), size)) return false;
    *why = "its parts contradict each other";
    covey__mpi_reading u = { .bytes = bytes, .size = size, .at = body_offset(mpi) };
    *in = (covey__mpi_incoming){ .count = head.count,
                                 .disabled_count = head.disabled_count,
                                 .link_count = head.link_count,
                                 .name_count = head.name_count,
                                 .name_bytes = head.name_bytes,
                                 .image_bytes = head.image_bytes,
                                 .parts = parts };
    in->entities = (const covey_entity *)(const void *)covey__mpi_take(&u, in->count, sizeof *in->entities);
    for (uint32_t i = 0; i < mpi->column_count; i++) {
        parts[i] = (covey__mpi_part){ 0 };
        memcpy(&parts[i].count, bytes + covey__mpi_aligned(sizeof head) + i * sizeof parts[i].count,
               sizeof parts[i].count);
        unpack_column(&u, &mpi->columns[i], in->count, &parts[i]);
    }
    in->disabled =
        (const covey__mpi_disabled *)(const void *)covey__mpi_take(&u, in->disabled_count, sizeof *in->disabled);
    in->links = (const covey__mpi_link *)(const void *)covey__mpi_take(&u, in->link_count, sizeof *in->links);
    in->names = covey__mpi_take(&u, in->name_bytes, 1);
    in->image = covey__mpi_take(&u, in->image_bytes, 1);
    if (u.fails || u.at != size || !lists_are_valid(mpi, in)) return false;
    for (uint32_t i = 0; i < mpi->column_count; i++)
        if (parts[i].values && mpi->columns[i].fills)
            covey__mpi_fill_gaps(&mpi->columns[i], parts[i].values, parts[i].count);
    return true;
}
