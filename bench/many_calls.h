/* The calls of scenario_many.c, for two types of one storage, with or without a drop hook:
 *
 *     #define MANY block_drop          the end of all names that this defines
 *     #define MANY_TYPE .storage = ... fields of covey_type
 *     #include "many_calls.h" */
#define Load BENCH_PASTE_VALUES(Load, MANY, 8)
#define Cargo BENCH_PASTE_VALUES(Cargo, MANY, 8)
#define MANY_NAME(name) BENCH_PASTE_VALUES(name, MANY, 8)
#define MANY_DEFINE(...) COVEY_COMPONENT_DEFINE(__VA_ARGS__)

typedef Vec2 Load, Cargo;
MANY_DEFINE(Load, MANY_TYPE);
MANY_DEFINE(Cargo, MANY_TYPE);

RUN(MANY_NAME(destroy_many), covey_destroy_many(world, order, n))
RUN(MANY_NAME(destroy_all), covey_destroy_all(world); (void)n)
LOOP(MANY_NAME(destroy_each), covey_destroy(world, order[i]))

RUN(MANY_NAME(add_copies), (void)covey_add_copies(world, order, n, Load, &start))
/* Where a hook makes the copies, the loop calls it, too. */
LOOP(MANY_NAME(add_each), {
    Load value;
    if (!BENCH_ID(Load)->copy) covey_add(world, order[i], Load, { 1, 2 });
    else if (copy(&value, &start, &dropped)) covey_add_value(world, order[i], Load, &value);
})
RUN(MANY_NAME(add_array), (void)covey_add_array(world, order, n, Load, values))
LOOP(MANY_NAME(add_each_value), covey_add_value(world, order[i], Load, &values[i]))

RUN(MANY_NAME(set_array), covey_set_array(world, order, n, Load, values))
LOOP(MANY_NAME(set_each), covey_set_value(world, order[i], Load, &values[i]))

RUN(MANY_NAME(remove_many), covey_remove_many(world, order, n, Load))
RUN(MANY_NAME(clear), covey_clear(world, Load); (void)n)
LOOP(MANY_NAME(remove_each), covey_remove(world, order[i], Load))

RUN(MANY_NAME(create_many_with),
    (void)covey_create_many_with(world, made, n, covey_with_copies(Load, &start), covey_with_array(Cargo, values)))
LOOP(MANY_NAME(create_with),
     made[i] = covey_create_with(world, covey_with(Load, { 1, 2 }), covey_with(Cargo, { values[i].x, values[i].y })))
LOOP(MANY_NAME(create_and_add), {
    made[i] = covey_create(world);
    covey_add(world, made[i], Load, { 1, 2 });
    covey_add(world, made[i], Cargo, { values[i].x, values[i].y });
})

static const many_calls MANY_NAME(calls) = {
    .types = { BENCH_ID(Load), BENCH_ID(Cargo) },
    .runs = {
        [DESTROY_MANY] = MANY_NAME(destroy_many),
        [DESTROY_ALL] = MANY_NAME(destroy_all),
        [DESTROY_EACH] = MANY_NAME(destroy_each),
        [ADD_COPIES] = MANY_NAME(add_copies),
        [ADD_EACH] = MANY_NAME(add_each),
        [ADD_ARRAY] = MANY_NAME(add_array),
        [ADD_EACH_VALUE] = MANY_NAME(add_each_value),
        [SET_ARRAY] = MANY_NAME(set_array),
        [SET_EACH] = MANY_NAME(set_each),
        [REMOVE_MANY] = MANY_NAME(remove_many),
        [CLEAR] = MANY_NAME(clear),
        [REMOVE_EACH] = MANY_NAME(remove_each),
        [CREATE_MANY_WITH] = MANY_NAME(create_many_with),
        [CREATE_WITH] = MANY_NAME(create_with),
        [CREATE_AND_ADD] = MANY_NAME(create_and_add),
    },
};

#undef Load
#undef Cargo
#undef MANY_NAME
#undef MANY_DEFINE
#undef MANY
#undef MANY_TYPE
