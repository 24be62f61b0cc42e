/* A source, a world that follows it, and what tests of followers do with both. */
#ifndef COVEY_TEST_FOLLOWING_H
#define COVEY_TEST_FOLLOWING_H

#include "fixture.h"
#include "images.h"
#include "texts.h"

extern covey_world *source;
extern covey_buffer image;       /* of the source */
extern covey_follower *follower; /* of `world` */
extern const covey_load_desc known;
static const covey_entity none = { 0, 0 };

int follow_setup(void **state);
int follow_teardown(void **state);
#define FOLLOW_TEST(test) cmocka_unit_test_setup_teardown(test, follow_setup, follow_teardown)

void save_with(const covey_save_desc *desc);
void follow_with(const covey_load_desc *desc);
void follow(void);                   /* saves all, and follows it */
covey_entity here(covey_entity e);   /* the entity here of an entity of the source */
void is_same_entity(covey_entity e); /* an entity of the source, and the one here */
void is_same_place(covey_entity e);
void is_like_source(uint32_t more); /* the world has what the source has, and as many entities more */

/* One random change of the source, whose entities are some of these. */
void change_source(test_random *random, covey_entity *e, uint32_t count);

#endif
