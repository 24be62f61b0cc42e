/* Contenders that covey-bench must refuse. BAD says which: 1 has no list, 2 is of another version, 3 does not remove
 * the last component, 4 leaves a value unchanged, 5 lacks a function. */
#if BAD == 1
int nothing_to_load;
#else

#define contender_list good_list
#include "../../bench/contender_arrays.c"
#undef contender_list

static uint64_t remove_all_but_one(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    return arrays_remove(world, type, ids, count - 1);
}

static uint64_t iterate_all_but_one(void *world, uint32_t fields) {
    arrays *a = world;
    contender_value first = a->values[0][0];
    uint64_t visited = arrays_iterate(world, fields);
    a->values[0][0] = first;
    return visited;
}

static contender bad;

contender_listing contender_list(void) {
    static const contender *const all[] = { &bad, NULL };
    contender_listing listing = good_list();
    bad = *listing.contenders[0];
    bad.name = "bad";
    listing.contenders = all;
    if (BAD == 2) listing.version++;
    if (BAD == 3) bad.remove = remove_all_but_one;
    if (BAD == 4) bad.iterate = iterate_all_but_one;
    if (BAD == 5) bad.clear = NULL;
    return listing;
}
#endif
