/* Sorts the matches of a query by a field. */
#include "order.h"

#include "query.h"

/* ---- Keys ---------------------------------------------------------------------------------------------------------*/

#define SIGN (UINT64_C(1) << 63)

static uint64_t key_of_signed(int64_t number) { return (uint64_t)number ^ SIGN; }

/* The bits of a float in the order of its value, except for those that are not a number. */
static uint64_t key_of_float(double number) {
    uint64_t bits;
    if (number == 0) number = 0; /* -0 equals 0 */
    memcpy(&bits, &number, sizeof bits);
    return bits & SIGN ? ~bits : bits | SIGN;
}

/* Returns false if the value is not a number. */
static bool key_of(const inspect__place *place, const void *value, uint64_t *key) {
    inspect__any any = { 0 };
    memcpy(&any, (const char *)value + place->offset, covey_kind_size(place->kind));
    switch (place->kind) {
    case COVEY_KIND_I8: *key = key_of_signed(any.i8); return true;
    case COVEY_KIND_I16: *key = key_of_signed(any.i16); return true;
    case COVEY_KIND_I32: *key = key_of_signed(any.i32); return true;
    case COVEY_KIND_I64: *key = key_of_signed(any.i64); return true;
    case COVEY_KIND_U8:
    case COVEY_KIND_CHAR:
    case COVEY_KIND_BOOL: *key = any.u8; return true;
    case COVEY_KIND_U16: *key = any.u16; return true;
    case COVEY_KIND_U32: *key = any.u32; return true;
    case COVEY_KIND_U64: *key = any.u64; return true;
    case COVEY_KIND_F32: *key = key_of_float((double)any.f32); return any.f32 == any.f32;
    case COVEY_KIND_F64: *key = key_of_float(any.f64); return any.f64 == any.f64;
    case COVEY_KIND_ENTITY:
    case COVEY_KIND_NESTED:
    case COVEY_KIND_PADDING: break;
    }
    return false;
}

static bool is_sortable(const inspect__place *place) { return !place->array && place->kind <= COVEY_KIND_CHAR; }

/* ---- The heap -----------------------------------------------------------------------------------------------------*/

/* Whether row a comes after row b. Rows with the same value are in index order. */
static bool is_after(const inspect__ranked *a, const inspect__ranked *b) {
    if (a->absent != b->absent) return a->absent;
    return a->key != b->key ? a->key > b->key : a->index > b->index;
}

static void sink(inspect__ranked *rows, uint32_t count, uint32_t at) {
    inspect__ranked row = rows[at];
    for (uint32_t below; (below = 2 * at + 1) < count; at = below) {
        if (below + 1 < count && is_after(&rows[below + 1], &rows[below])) below++;
        if (!is_after(&rows[below], &row)) break;
        rows[at] = rows[below];
    }
    rows[at] = row;
}

static void rise(inspect__ranked *rows, uint32_t at) {
    inspect__ranked row = rows[at];
    for (; at > 0 && is_after(&row, &rows[(at - 1) / 2]); at = (at - 1) / 2) rows[at] = rows[(at - 1) / 2];
    rows[at] = row;
}

void inspect__order_add(inspect__order *order, covey_entity e) {
    const void *value = covey_pool_get_raw(order->pool, e);
    inspect__ranked row = { .index = e.index };
    row.absent = !value || !key_of(&order->place, value, &row.key);
    if (row.absent) row.key = 0;
    else if (order->down) row.key = ~row.key;
    order->seen++;
    if (order->count < order->room) {
        order->rows[order->count] = row;
        rise(order->rows, order->count++);
    } else if (order->room != 0 && is_after(&order->rows[0], &row)) {
        order->rows[0] = row;
        sink(order->rows, order->count, 0);
    }
}

void inspect__order_finish(inspect__order *order) {
    for (uint32_t left = order->count; left > 1;) {
        inspect__ranked last = order->rows[0];
        order->rows[0] = order->rows[--left];
        order->rows[left] = last;
        sink(order->rows, left, 0);
    }
}

/* ---- The request --------------------------------------------------------------------------------------------------*/

bool inspect__order_read(inspect__request *request, const covey_world *world, uint64_t rows, inspect__order *order) {
    const char *text = inspect__request_text(request, "sort");
    inspect__query_error error;
    if (!text || *text == '\0') return true;
    order->down = *text == '-';
    const char *path = text + order->down;
    if (!inspect__path_read(world, path, strlen(path), &order->pool, &order->place, &error)) {
        inspect__refuse_at(request, 422, "SORT", error.at + order->down, error.length, "%.100s: %s", path, error.text);
        return false;
    }
    if (covey_pool_type(order->pool)->size == 0 || !is_sortable(&order->place)) {
        inspect__refuse(request, 422, "SORT", "%.100s is not a number: sort by a field that is one", path);
        return false;
    }
    order->room = rows < INSPECT__SORTED ? (uint32_t)rows : INSPECT__SORTED;
    if (order->room == 0) return true;
    order->rows = inspect__zeroed(request->inspector, order->room * sizeof *order->rows);
    if (!order->rows) inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    return order->rows != NULL;
}

void inspect__order_free(covey_inspector *inspector, inspect__order *order) {
    inspect__free(inspector, order->rows, order->room * sizeof *order->rows);
    order->rows = NULL;
}
