/* Views: what entities must have and must not have, as a value. */
#include "view.h"

#include "result.h"
#include "type.h"

/* ---- Making ------------------------------------------------------------------------------------------------------*/

static uint32_t term_count(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

static uint32_t find_term(const covey_view *view, uint32_t count, const covey_type *type) {
    for (uint32_t i = 0; i < count; i++)
        if (view->types[i] == type || strcmp(view->types[i]->name, type->name) == 0) return i;
    return COVEY_TERMS;
}

/* Appends terms; returns their number, or NULL's reason when there are too many or one is there already. */
static const char *append_terms(covey_view *view, uint32_t *count, const covey_type *const *types, uint8_t *number) {
    *number = (uint8_t)term_count(types);
    if (*count + *number > COVEY_TERMS) return "it has more than 16 terms";
    for (uint32_t i = 0; i < *number; i++) {
        if (types[i] == covey_id(covey_disabled)) view->asks |= COVEY__ASKS_ENTITIES;
        else if (!covey__type_valid(types[i]) && !covey__pool_bound(view->world, types[i]))
            return "a type's description is incomplete or contradicts itself";
        if (find_term(view, *count, types[i]) != COVEY_TERMS) return "a type is named twice";
        view->types[(*count)++] = types[i];
    }
    return NULL;
}

static const char *note_reads(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->fields, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS) return "a type that is read has no field";
        view->reads |= (uint16_t)(1u << field);
    }
    return NULL;
}

static const char *note_changed(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->with, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS) return "a type whose changes are asked for need not be there";
        if (!view->types[field]->ticks) return "a type whose changes are asked for has no ticks";
        view->changed |= (uint16_t)(1u << field);
    }
    return NULL;
}

covey_view covey_view_make(covey_world *world, const covey_view_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    covey_view view = { .world = world };
    if (!desc) return view;
    if (desc->disabled) view.asks = COVEY__ASKS_ENTITIES | COVEY__ASKS_COMPONENTS;
    uint32_t count = 0;
    const char *wrong = append_terms(&view, &count, desc->with, &view.with);
    if (!wrong) wrong = append_terms(&view, &count, desc->optional, &view.optional);
    if (!wrong) wrong = append_terms(&view, &count, desc->any, &view.any);
    view.fields = (uint8_t)count;
    if (!wrong) wrong = append_terms(&view, &count, desc->without, &view.without);
    if (!wrong) wrong = note_reads(&view, desc->read);
    if (!wrong) wrong = note_changed(&view, desc->changed);
    if (!wrong) return view;
    covey__fail(world, COVEY_ERROR_TYPE, "a view could not be made: %s", wrong);
    return (covey_view){ 0 };
}

bool covey_view_valid(const covey_view *view) { return view->world != NULL; }

uint32_t covey_view_fields(const covey_view *view) { return view->fields; }

const covey_type *covey_view_type(const covey_view *view, uint32_t field) {
    return field < view->fields ? view->types[field] : NULL;
}

bool covey_view_reads(const covey_view *view, uint32_t field) {
    return field < view->fields && (view->reads >> field & 1) != 0;
}
