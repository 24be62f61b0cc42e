/* What the tests of views share: components of each storage, and a look at every entity that says what a view should
 * find. */
#ifndef COVEY_TEST_VIEWS_H
#define COVEY_TEST_VIEWS_H

#include "fixture.h"

typedef Value Mate;  /* in blocks, beside Blocked */
typedef Value Later; /* in blocks, that the world has not met */
typedef Value Banned;
COVEY_COMPONENT_DECLARE(Mate);
COVEY_COMPONENT_DECLARE(Later);
COVEY_COMPONENT_DECLARE(Banned);
COVEY_TAG_DECLARE(BlockTag);
COVEY_TAG_DECLARE(PinnedTag);
COVEY_TAG_DECLARE(FixedTag);

/* One for each storage: four sparse ones, then blocks, then pinned blocks. */
extern const covey_type *const lead_types[6];
extern const covey_type *const tag_types[4];
/* Runs a test with each of them, in a world of its own. */
void for_each_lead(void (*test)(const covey_type *lead));

bool is_sparse(const covey_type *type);
/* Gives an entity a component whose value says whose it is: its index. */
void give(covey_entity e, const covey_type *type);
/* Makes entities; all, or every one of some step, get components. */
void make_entities(covey_entity *entities, uint32_t count);
void give_each(const covey_entity *entities, uint32_t count, uint32_t step, const covey_type *type);

/* What an iteration visited, in its order. Fields are held against what covey_get finds, for each entity. */
enum { VISITS = 20000 };
typedef struct visits {
    uint32_t count, spans, longest;
    covey_entity e[VISITS];
} visits;
const visits *visit_spans(covey_iter *it);
const visits *visit_rows(covey_iter *it);
/* The field of a span, of whatever type. */
char *span_field(const covey_iter *it, uint32_t field);
void *row_field(const covey_iter *it, covey_row row, uint32_t field);

/* Whether the description fits an entity, as covey_has and covey_is_enabled see it. */
bool fits(const covey_view_desc *desc, covey_entity e);
/* All ways to ask a view agree with a look at every entity. Returns how many match. */
uint32_t assert_view(const covey_view_desc *desc);
void assert_visits(const visits *v, const covey_entity *wanted, uint32_t count);

#endif
