/* GET world: what the top bar of the page shows. */
#include "inspector.h"

bool inspect__answer_world(inspect__request *request, covey_world *world) {
    const covey_inspector *inspector = request->inspector;
    inspect__json *json = &request->json;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "version", 1);
    inspect__json_text(json, "title", inspector->title);
    inspect__json_u64(json, "entities", covey_entity_count(world));
    inspect__json_u64(json, "pools", covey_world_pool_count(world));
    inspect__json_u64(json, "bytes", covey_world_memory(world));
    inspect__json_bool(json, "write", inspector->desc.write);
    inspect__json_u64(json, "frame", inspector->frame);
    inspect__json_bool(json, "paused", inspector->paused);
    inspect__json_f64(json, "speed", inspector->speed);
    inspect__json_bool(json, "schedule", inspector->desc.schedule != NULL);
    inspect__json_bool(json, "history", inspector->desc.history != NULL);
    inspect__json_u64(json, "time", inspector->frame_time);
    inspect__json_u64(json, "tick", covey_tick(world));
    inspect__json_end_object(json);
    return true;
}
