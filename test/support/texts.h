/* Components that own something elsewhere: a text and some handles, in a table of this file. A value has the number of
 * a place in it, the lowest free one. Codecs save and load the content; drops and copies are counted. */
#ifndef COVEY_TEST_TEXTS_H
#define COVEY_TEST_TEXTS_H

#include <covey/image.h>

enum { TEXT_LENGTH = 24, TEXT_LINKS = 3, TEXT_PLACES = 256 };

typedef struct Text {
    uint32_t place; /* from 1 on; 0 owns nothing */
} Text;
typedef Text TextInPlace;
typedef Text TextResource;

/* Fields, and a text that is not one of them. */
typedef struct Crew {
    uint32_t rank;
    covey_entity captain;
    Text motto;
    int16_t score;
} Crew;
COVEY_FIELDS_DECLARE(Crew);
COVEY_COMPONENT_DECLARE(Text);        /* in blocks */
COVEY_COMPONENT_DECLARE(TextInPlace); /* sparse, in place; at most 20 bytes in an image */
COVEY_COMPONENT_DECLARE(TextResource);
COVEY_COMPONENT_DECLARE(Crew);                /* sparse, ordered, with ticks */
extern const covey_type *const text_types[5]; /* ended by NULL */

typedef struct text_place {
    bool used;
    uint32_t length, link_count;
    char text[TEXT_LENGTH];
    covey_entity links[TEXT_LINKS];
} text_place;

typedef struct text_ledger {
    uint32_t live;
    uint32_t saves, loads;   /* calls so far */
    uint32_t load_fails_at;  /* the load with this number fails; 0: none does */
    covey_result fails_with; /* so, and saves, if they fail at this number: */
    uint32_t save_fails_at;
    bool broken; /* a value was dropped that was not there */
    text_place at[TEXT_PLACES];
} text_ledger;
extern text_ledger texts;

/* A value that owns a text and links; with place 0 when the table is full. */
Text text_make(const char *text, const covey_entity *links, uint32_t count);
const text_place *text_of(const Text *text);
/* Adds texts and crews to some entities of a world, which link to each other, and a resource. False: memory is out, and
 * what was made is in the world, or gone. */
bool text_fill(covey_world *world);

#endif
