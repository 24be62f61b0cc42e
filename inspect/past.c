/* GET time/entities, time/entity and time/tree: the answers of entities, entity and tree about a past state. */
#include "entity.h"
#include "rows.h"

static bool answer_past(inspect__request *request, inspect__answer_fn *answer) {
    covey_world *past = inspect__past_asked(request);
    return !past || answer(request, past);
}

bool inspect__answer_past_entities(inspect__request *request, covey_world *world) {
    (void)world;
    return answer_past(request, inspect__answer_entities);
}

bool inspect__answer_past_tree(inspect__request *request, covey_world *world) {
    (void)world;
    return answer_past(request, inspect__answer_tree);
}

bool inspect__answer_past_entity(inspect__request *request, covey_world *world) {
    (void)world;
    return answer_past(request, inspect__answer_entity);
}
