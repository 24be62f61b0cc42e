/* GET entities and GET tree: lists of entities, roots and children. */
#include "rows.h"

#include "order.h"

#include <covey/hierarchy.h>
#include <stdio.h>

#define LONGEST_WAIT UINT64_C(250000000) /* ns that a list waits for rows before it answers with those that it has */

/* ---- Columns ------------------------------------------------------------------------------------------------------*/

static bool read_column(inspect__request *request, const covey_world *world, const char *text, size_t length, size_t at,
                        inspect__column *column) {
    inspect__query_error error = { .text = "the name is too long" };
    if (length >= sizeof column->name ||
        !inspect__path_read(world, text, length, &column->pool, &column->place, &error)) {
        inspect__refuse_at(request, 422, "COLUMN", at + error.at, error.length, "%.*s: %s",
                           (int)(length < 100 ? length : 100), text, error.text);
        return false;
    }
    memcpy(column->name, text, length);
    column->name[length] = '\0';
    return true;
}

/* Whether the column after the last one has the name of an earlier one. */
static bool is_duplicate(const inspect__columns *columns) {
    for (uint32_t i = 0; i < columns->count; i++)
        if (strcmp(columns->at[i].name, columns->at[columns->count].name) == 0) return true;
    return false;
}

bool inspect__columns_read(inspect__request *request, const covey_world *world, const char *text,
                           inspect__columns *columns) {
    columns->count = 0;
    for (const char *at = text; at && *at != '\0';) {
        size_t length = strcspn(at, ",");
        if (columns->count == INSPECT__COLUMNS) {
            inspect__refuse(request, 422, "COLUMN", "there are at most %d columns", INSPECT__COLUMNS);
            return false;
        }
        if (!read_column(request, world, at, length, (size_t)(at - text), &columns->at[columns->count])) return false;
        if (!is_duplicate(columns)) columns->count++;
        at += length + (at[length] == ',');
    }
    return true;
}

/* ---- One row ------------------------------------------------------------------------------------------------------*/

static void put_types(inspect__json *json, const covey_world *world, covey_entity e) {
    inspect__json_array(json, "types");
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        if (covey_pool_has(pool, e) && !inspect__is_internal(covey_pool_type(pool))) inspect__json_u64(json, NULL, i);
    }
    inspect__json_end_array(json);
}

static void put_columns(inspect__json *json, covey_entity e, const inspect__columns *columns) {
    inspect__json_object(json, "values");
    for (const inspect__column *column = columns->at; column < columns->at + columns->count; column++) {
        uint32_t size = covey_pool_type(column->pool)->size;
        const void *value = covey_pool_get_raw(column->pool, e);
        if (size == 0 && value) inspect__json_bool(json, column->name, true);
        else inspect__put_place(json, column->name, &column->place, value);
    }
    inspect__json_end_object(json);
}

void inspect__put_row(inspect__json *json, const covey_world *world, covey_entity e, const inspect__columns *columns) {
    inspect__json_object(json, NULL);
    inspect__json_entity(json, "e", e);
    inspect__json_text(json, "name", covey_name(world, e));
    inspect__json_bool(json, "enabled", covey_is_enabled(world, e));
    inspect__json_u64(json, "children", covey_child_count(world, e));
    put_types(json, world, e);
    if (columns->count != 0) put_columns(json, e, columns);
    inspect__json_end_object(json);
}

/* ---- Lists --------------------------------------------------------------------------------------------------------*/

typedef struct list {
    inspect__scan *scan;
    inspect__columns columns;
    inspect__order order;
    uint64_t offset, limit, begun;
    bool seeking;                 /* the scan has not counted up to the last row yet */
    uint64_t index, before, rows; /* to look at next; matches to skip; rows written */
} list;

static void drop_list(covey_inspector *inspector, void *state) {
    list *l = state;
    inspect__scan_release(l->scan);
    inspect__order_free(inspector, &l->order);
}

/* Reads the arguments. Returns false if the request is refused. */
static bool begin_list(inspect__request *request, covey_world *world, list *l, const char *query) {
    l->begun = inspect__now();
    l->seeking = true;
    if (!inspect__request_number(request, "offset", 0, UINT32_MAX, &l->offset)) return false;
    if (!inspect__request_number(request, "limit", 100, INSPECT__ROWS, &l->limit)) return false;
    if (!inspect__columns_read(request, world, inspect__request_text(request, "columns"), &l->columns)) return false;
    if (!inspect__order_read(request, world, l->offset + l->limit, &l->order)) return false;
    l->scan = inspect__scan_of(request, world, query);
    if (!l->scan) return false;
    inspect__json_object(&request->json, NULL);
    inspect__json_array(&request->json, "rows");
    return true;
}

/* Waits until the scan has counted up to the last row that the request asks for. */
static bool seek(list *l, covey_inspector *inspector) {
    if (!inspect__scan_advance(l->scan, inspector, l->offset + l->limit) && inspect__now() - l->begun < LONGEST_WAIT)
        return false;
    l->index = inspect__scan_seek(l->scan, l->offset, &l->before);
    l->seeking = false;
    return true;
}

/* Writes rows. Returns false to continue in the next poll. */
static bool put_rows(inspect__request *request, covey_world *world, list *l) {
    while (l->rows < l->limit) {
        covey_entity e;
        inspect__found found = inspect__scan_next(l->scan, request->inspector, &l->index, &e);
        if (found == INSPECT__FOUND_END) return true;
        if (found == INSPECT__FOUND_LATER && inspect__now() - l->begun >= LONGEST_WAIT) return true;
        if (found == INSPECT__FOUND_LATER) return false;
        if (l->before != 0) {
            l->before--;
            continue;
        }
        inspect__put_row(&request->json, world, e, &l->columns);
        if (++l->rows % 64 == 0 && inspect__request_pauses(request)) return l->rows == l->limit;
    }
    return true;
}

/* Ranks all matches. Returns false to continue in the next poll. */
static bool rank(inspect__request *request, list *l) {
    covey_entity e;
    inspect__found found;
    while ((found = inspect__scan_next(l->scan, request->inspector, &l->index, &e)) == INSPECT__FOUND) {
        inspect__order_add(&l->order, e);
        if (l->order.seen % 256 == 0 && inspect__request_pauses(request)) return false;
    }
    if (found == INSPECT__FOUND_LATER) return false;
    inspect__order_finish(&l->order);
    l->seeking = false;
    l->rows = l->offset;
    return true;
}

/* Writes ranked rows, but for entities that were destroyed since. Returns false to continue in the next poll. */
static bool put_ranked(inspect__request *request, const covey_world *world, list *l) {
    for (; l->rows < l->order.count; l->rows++) {
        covey_entity e = covey_entity_at(world, l->order.rows[l->rows].index);
        if (!covey_is_null(e)) inspect__put_row(&request->json, world, e, &l->columns);
        if (l->rows % 64 == 63 && inspect__request_pauses(request)) return ++l->rows == l->order.count;
    }
    return true;
}

static bool end_list(inspect__request *request, const list *l) {
    inspect__json *json = &request->json;
    if (!l->order.pool && l->scan->failed)
        return inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    inspect__json_end_array(json);
    inspect__json_u64(json, "count", l->order.pool ? l->order.seen : l->scan->total);
    inspect__json_bool(json, "complete", l->order.pool || l->scan->complete);
    inspect__json_u64(json, "scanned", (uint64_t)l->scan->chunks * INSPECT__CHUNK);
    inspect__json_u64(json, "offset", l->offset);
    inspect__json_end_object(json);
    return true;
}

static bool answer_list(inspect__request *request, covey_world *world, const char *query) {
    bool begins = !request->state;
    list *l = inspect__request_state(request, sizeof *l, drop_list);
    if (!l || (begins && !begin_list(request, world, l, query))) return true;
    if (l->order.pool) {
        if (l->seeking && !rank(request, l)) return false;
        return put_ranked(request, world, l) && end_list(request, l);
    }
    if (l->seeking && !seek(l, request->inspector)) return false;
    if (!put_rows(request, world, l)) return false;
    return end_list(request, l);
}

/* Answers requests about a past state in one poll, whatever the budget is: it may be gone in the next. */
static bool answer_about(inspect__request *request, covey_world *world,
                         bool (*answer)(inspect__request *request, covey_world *world, const char *text),
                         const char *text) {
    covey_inspector *inspector = request->inspector;
    uint64_t deadline = inspector->deadline;
    if (world != inspector->dependent.world) inspector->deadline = UINT64_MAX;
    bool answered = answer(request, world, text);
    inspector->deadline = deadline;
    return answered;
}

bool inspect__answer_entities(inspect__request *request, covey_world *world) {
    const char *query = inspect__request_text(request, "query");
    return answer_about(request, world, answer_list, query ? query : "");
}

/* ---- Children -----------------------------------------------------------------------------------------------------*/

typedef struct children {
    covey_entity parent, next; /* next: the child to look at next; null: the first */
    uint64_t offset, limit, at;
} children;

static bool begin_children(inspect__request *request, children *c) {
    return inspect__request_entity(request, "parent", &c->parent) &&
           inspect__request_number(request, "offset", 0, UINT32_MAX, &c->offset) &&
           inspect__request_number(request, "limit", 100, INSPECT__ROWS, &c->limit);
}

/* Walks to the first child that the request asks for. If the child where the last poll stopped is no child any more,
 * starts again. Returns false to continue in the next poll. */
static bool walk_to_offset(inspect__request *request, const covey_world *world, children *c) {
    if (!covey_same(covey_parent(world, c->next), c->parent)) {
        c->next = covey_child_first(world, c->parent);
        c->at = 0;
    }
    for (; c->at < c->offset && !covey_is_null(c->next); c->at++) {
        c->next = covey_child_next(world, c->next);
        if (c->at % 256 == 255 && inspect__request_pauses(request)) {
            c->at++;
            return covey_is_null(c->next);
        }
    }
    return true;
}

static bool answer_children(inspect__request *request, covey_world *world) {
    static const inspect__columns none = { 0 };
    bool begins = !request->state;
    children *c = inspect__request_state(request, sizeof *c, NULL);
    if (!c || (begins && !begin_children(request, c))) return true;
    if (!covey_alive(world, c->parent))
        return inspect__refuse_result(request, COVEY_ERROR_DEAD, "the parent is not alive");
    if (!walk_to_offset(request, world, c)) return false;
    inspect__json *json = &request->json;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "count", covey_child_count(world, c->parent));
    inspect__json_bool(json, "complete", true);
    inspect__json_u64(json, "offset", c->offset);
    inspect__json_array(json, "rows");
    for (uint64_t i = 0; i < c->limit && !covey_is_null(c->next); i++, c->next = covey_child_next(world, c->next))
        inspect__put_row(json, world, c->next, &none);
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}

static bool answer_tree(inspect__request *request, covey_world *world, const char *parent) {
    return parent && strcmp(parent, "null") != 0 ? answer_children(request, world)
                                                 : answer_list(request, world, "root");
}

bool inspect__answer_tree(inspect__request *request, covey_world *world) {
    return answer_about(request, world, answer_tree, inspect__request_text(request, "parent"));
}
