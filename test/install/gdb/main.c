/* A program that gdb looks into: gdb.sh. */
#include <covey/covey.h>

typedef struct Position {
    float x, y;
} Position;
typedef struct {
    int points;
} Health;
typedef struct {
    short number;
} Seat;

COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Health, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Seat, .policy = COVEY_IN_PLACE);
COVEY_TAG_DECLARE(Dead);
COVEY_TAG_DEFINE(Dead);

static covey_world *world;
static covey_pool *positions, *healths, *seats;
static covey_view view;
static covey_entity e, other, gone, none;

static void stop_for_gdb(void) {}

int main(void) {
    covey_entity all[100];
    world = covey_world_create(NULL);
    for (int i = 0; i < 100; i++) all[i] = covey_create(world);
    e = all[12], other = all[70], gone = all[99];
    covey_add(world, e, Position, { 1, 2 });
    covey_add(world, other, Position, { 3, 4 });
    covey_add(world, other, Health, { 6 });
    covey_add(world, e, Health, { 5 });
    covey_add_tag(world, e, Dead);
    for (int i = 0; i < 3; i++) covey_add(world, all[i], Seat, { (short)i });
    covey_remove(world, all[1], Seat);
    covey_destroy(world, gone);
    view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Position) }, .without = { covey_id(Dead) } });
    positions = covey_pool_find_raw(world, covey_id(Position));
    healths = covey_pool_find_raw(world, covey_id(Health));
    seats = covey_pool_find_raw(world, covey_id(Seat));
    stop_for_gdb();
    covey_world_destroy(world);
    return covey_is_null(none) ? 0 : 1;
}
