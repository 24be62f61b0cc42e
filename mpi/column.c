/* How the values of a type are sent. */
#include "internal.h"

#include <covey/fields.h>

/* ---- Layout -------------------------------------------------------------------------------------------------------*/

static uint64_t hash_text(uint64_t seed, const char *text) { return covey__mpi_hash(seed, text, strlen(text)); }

static uint64_t hash_fields(uint64_t hash, const covey_fields *fields) {
    for (uint32_t i = 0; fields && i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        uint32_t parts[3] = { (uint32_t)field->kind, field->offset, field->count };
        hash = covey__mpi_hash(hash_text(hash, field->name), parts, sizeof parts);
        if (field->kind == COVEY_KIND_NESTED) hash = hash_fields(hash, field->nested);
    }
    return hash;
}

uint64_t covey__mpi_layout_hash(const covey_type *type) {
    uint32_t parts[4] = { type->size, type->align, (uint32_t)type->as_bytes | (uint32_t)(type->codec != NULL) << 1,
                          type->fields ? type->fields->count + 1 : 0 };
    return hash_fields(covey__mpi_hash(hash_text(0, type->name), parts, sizeof parts), type->fields);
}

/* ---- Gaps ---------------------------------------------------------------------------------------------------------*/

static bool has_padding(const covey_fields *fields) {
    for (uint32_t i = 0; fields && i < fields->count; i++) {
        if (fields->at[i].kind == COVEY_KIND_PADDING) return true;
        if (fields->at[i].kind == COVEY_KIND_NESTED && has_padding(fields->at[i].nested)) return true;
    }
    return false;
}

/* Marks the bytes that are sent, for the fields of a struct at offset `at`. */
static void mark_fields(unsigned char *sent, uint32_t at, const covey_fields *fields) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        if (field->kind == COVEY_KIND_PADDING) continue;
        for (uint32_t j = 0; j < field->count; j++) {
            if (field->kind == COVEY_KIND_NESTED)
                mark_fields(sent, at + field->offset + j * field->nested->size, field->nested);
            else memset(sent + at + field->offset + j * covey_kind_size(field->kind), 1, covey_kind_size(field->kind));
        }
    }
}

static uint32_t list_gaps(const unsigned char *sent, uint32_t size, covey__mpi_gap *gaps) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < size; at++) {
        if (sent[at]) continue;
        if (at != 0 && !sent[at - 1]) {
            if (gaps) gaps[count - 1].bytes++;
        } else {
            if (gaps) gaps[count] = (covey__mpi_gap){ at, 1 };
            count++;
        }
    }
    return count;
}

static covey_result find_gaps(covey_mpi *mpi, covey__mpi_column *column) {
    uint32_t size = column->type->size;
    unsigned char *sent = covey__mpi_resize(&mpi->allocator, NULL, 0, size);
    if (!sent) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for the fields of %s", column->type->name);
    memset(sent, 0, size);
    mark_fields(sent, 0, column->type->fields);
    uint32_t count = list_gaps(sent, size, NULL);
    if (count != 0) column->gaps = covey__mpi_resize(&mpi->allocator, NULL, 0, count * sizeof *column->gaps);
    if (column->gaps) column->gap_count = list_gaps(sent, size, column->gaps);
    covey__mpi_resize(&mpi->allocator, sent, size, 0);
    if (column->gap_count == count) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for the fields of %s", column->type->name);
}

void covey__mpi_fill_gaps(const covey__mpi_column *column, unsigned char *values, uint32_t count) {
    const unsigned char *defaults = column->type->defaults;
    for (uint32_t i = 0; i < count; i++, values += column->type->size) {
        for (uint32_t g = 0; g < column->gap_count; g++) {
            covey__mpi_gap gap = column->gaps[g];
            if (defaults) memcpy(values + gap.at, defaults + gap.at, gap.bytes);
            else memset(values + gap.at, 0, gap.bytes);
        }
    }
}

/* ---- Columns ------------------------------------------------------------------------------------------------------*/

bool covey__mpi_column_make(covey_mpi *mpi, covey__mpi_column *column, const covey_type *type, covey_result *result) {
    *column = (covey__mpi_column){ .type = type };
    *result = COVEY_OK;
    if (type->transient || (type->size != 0 && !type->as_bytes && !type->fields && !type->codec)) {
        *result = covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "%s cannot move: %s", type->name,
                                  type->transient ? "it is transient; leave it out of .types"
                                                  : "define it with .as_bytes, .fields or .codec");
        return false;
    }
    column->pool = covey_pool_of_raw(mpi->world, type);
    if (!column->pool) {
        *result = covey_world_result(mpi->world);
        covey__mpi_fail(mpi, *result, "%s has no pool in the world: %s", type->name, covey_result_text(*result));
        return false;
    }
    column->fills = !type->codec && has_padding(type->fields);
    column->by_image = type->codec || (column->fills && type->defaults && type->copy);
    if (type->fields && !column->by_image) *result = find_gaps(mpi, column);
    return *result == COVEY_OK;
}

const covey__mpi_column *covey__mpi_column_of(const covey_mpi *mpi, const covey_type *type) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (strcmp(mpi->columns[c].type->name, type->name) == 0) return &mpi->columns[c];
    return NULL;
}

void covey__mpi_columns_free(covey_mpi *mpi) {
    /* A column that could not be made has no gaps. */
    for (uint32_t i = 0; i < mpi->column_count; i++)
        if (mpi->columns[i].gaps)
            covey__mpi_resize(&mpi->allocator, mpi->columns[i].gaps,
                              mpi->columns[i].gap_count * sizeof *mpi->columns[i].gaps, 0);
    if (mpi->columns) covey__mpi_resize(&mpi->allocator, mpi->columns, mpi->column_room * sizeof *mpi->columns, 0);
}
