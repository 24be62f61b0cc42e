/* Views: a value that lists which components entities must have and must not have. */
#include "query/view.h"

#include "memory/result.h"
#include "storage/type.h"

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

/* The kinds of terms, in the order in which a view has them. */
typedef enum kind { WITH, OPTIONAL, ANY, WITHOUT } kind;

static kind term_kind(const covey_view *view, uint32_t term) {
    uint32_t with = view->with, optional = with + view->optional, any = optional + view->any;
    return term < with ? WITH : term < optional ? OPTIONAL : term < any ? ANY : WITHOUT;
}

/* Why a type cannot be a term of both kinds. */
static const char *why_twice(kind first, kind second) {
    static const char *const reasons[4][4] = {
        [WITH][WITH] = "is in .with twice: name it once",
        [WITH][OPTIONAL] = "is in .with and in .optional: a required component is never missing; leave .optional out",
        [WITH][ANY] = "is in .with and in .any: a required component always satisfies .any; leave one of them out",
        [WITH][WITHOUT] = "is in .with and in .without: nothing could match",
        [OPTIONAL][OPTIONAL] = "is in .optional twice: name it once",
        [OPTIONAL][ANY] = "is in .optional and in .any: components of .any may be missing anyway; leave .optional out",
        [OPTIONAL][WITHOUT] = "is in .optional and in .without: it could never be there; leave .optional out",
        [ANY][ANY] = "is in .any twice: name it once",
        [ANY][WITHOUT] = "is in .any and in .without: it could never be there; leave it out of .any",
        [WITHOUT][WITHOUT] = "is in .without twice: name it once",
    };
    return reasons[first][second];
}

/* What is wrong with a description, or NULL; and the type that it is about, or NULL. */
typedef struct fault {
    const char *what;
    const covey_type *type;
} fault;

static fault term_fault(const char *what, const covey_type *type) { return (fault){ what, type }; }

static fault append_terms(covey_view *view, uint32_t *count, const covey_type *const *types, uint8_t *number) {
    *number = (uint8_t)term_count(types);
    if (*count + *number > COVEY_TERMS) return term_fault("has more than 16 terms: ask for fewer types", NULL);
    for (uint32_t i = 0; i < *number; i++) {
        if (types[i] == covey_id(covey_disabled)) view->asks |= COVEY__ASKS_ENTITIES;
        else if (!covey__type_valid(types[i]) && !covey__pool_bound(view->world, types[i]))
            return term_fault(covey__type_fault(types[i]), types[i]);
        uint32_t before = find_term(view, *count, types[i]);
        if (before != COVEY_TERMS)
            return term_fault(why_twice(term_kind(view, before), term_kind(view, *count)), types[i]);
        view->types[(*count)++] = types[i];
    }
    return (fault){ NULL, NULL };
}

static fault note_reads(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->fields, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS)
            return term_fault("is in .read and no field: name it in .with, .optional or .any as well", types[i]);
        view->reads |= (uint16_t)(1u << field);
    }
    return (fault){ NULL, NULL };
}

static fault note_changed(covey_view *view, const covey_type *const *types) {
    for (uint32_t i = 0; i < term_count(types); i++) {
        uint32_t field = types[i]->name ? find_term(view, view->with, types[i]) : COVEY_TERMS;
        if (field == COVEY_TERMS) return term_fault("is in .changed and not in .with: name it in both", types[i]);
        if (!view->types[field]->ticks)
            return term_fault("is in .changed and has no ticks: define it with .ticks = true", types[i]);
        view->changed |= (uint16_t)(1u << field);
    }
    return (fault){ NULL, NULL };
}

static bool has_ticks(const covey_view *view, uint32_t term) {
    return term < view->fields && (view->reads >> term & 1) == 0 && view->types[term]->ticks;
}

void covey__view_find_pools(covey_view *view) {
    view->quick = true;
    for (uint32_t i = 0; i < covey__view_terms(view); i++) {
        view->pools[i] = covey_pool_find_raw(view->world, view->types[i]);
        view->quick &= view->pools[i] && !has_ticks(view, i);
    }
    view->plain = view->quick && view->with == covey__view_terms(view) && view->with != 0;
}

/* Makes a view, without changing the world. A view without terms matches all entities. */
static covey_view make_view(const covey_world *world, const covey_view_desc *desc, fault *wrong) {
    covey_view view = { .world = (covey_world *)(uintptr_t)world };
    *wrong = (fault){ NULL, NULL };
    if (!desc) return view;
    if (desc->include_disabled) view.asks = COVEY__ASKS_ENTITIES | COVEY__ASKS_COMPONENTS;
    uint32_t count = 0;
    *wrong = append_terms(&view, &count, desc->with, &view.with);
    if (!wrong->what) *wrong = append_terms(&view, &count, desc->optional, &view.optional);
    if (!wrong->what) *wrong = append_terms(&view, &count, desc->any, &view.any);
    view.fields = (uint8_t)count;
    if (!wrong->what) *wrong = append_terms(&view, &count, desc->without, &view.without);
    if (!wrong->what) *wrong = note_reads(&view, desc->read);
    if (!wrong->what) *wrong = note_changed(&view, desc->changed);
    if (wrong->what) return (covey_view){ 0 };
    covey__view_find_pools(&view);
    return view;
}

static const char *faulty_name(const fault *wrong) {
    if (!wrong->type) return "it";
    return wrong->type->name ? wrong->type->name : "(no name)";
}

covey_view covey_view_make(covey_world *world, const covey_view_desc *desc) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    fault wrong;
    covey_view view = make_view(world, desc, &wrong);
    if (wrong.what)
        covey__fail(world, COVEY_ERROR_TYPE, "a view could not be made: %s %s", faulty_name(&wrong), wrong.what);
    return view;
}

covey_view covey_view_make_const(const covey_world *world, const covey_view_desc *desc, const char **why) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    fault wrong;
    covey_view view = make_view(world, desc, &wrong);
    view.reads = (uint16_t)((UINT32_C(1) << view.fields) - 1);
    if (!wrong.what) covey__view_find_pools(&view);
    if (why) *why = wrong.what;
    return view;
}

bool covey_view_valid(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    return view->world != NULL;
}

uint32_t covey_view_fields(const covey_view *view) {
    COVEY__NEEDS_VIEW(view);
    return view->fields;
}

const covey_type *covey_view_type(const covey_view *view, uint32_t field) {
    COVEY__NEEDS_VIEW(view);
    return field < view->fields ? view->types[field] : NULL;
}

bool covey_view_is_read_only(const covey_view *view, uint32_t field) {
    COVEY__NEEDS_VIEW(view);
    return field < view->fields && (view->reads >> field & 1) != 0;
}
