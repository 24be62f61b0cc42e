/* The pictures: each draws what the library reports, before and after each operation. */
#ifndef PICTURES_H
#define PICTURES_H

#include "draw.h"
#include <covey/covey.h>

typedef struct {
    float x, y;
} Position, Velocity;
COVEY_COMPONENT_DECLARE(Position);
COVEY_COMPONENT_DECLARE(Velocity);

bool draw_sparse_set(picture *p, const char *folder);
bool draw_policies(picture *p, const char *folder);
bool draw_block(picture *p, const char *folder);
bool draw_group(picture *p, const char *folder);
bool draw_spans(picture *p, const char *folder);
bool draw_image(picture *p, const char *folder);
bool draw_lookup(picture *p, const char *folder);
bool draw_ordered(picture *p, const char *folder);
bool draw_places(picture *p, const char *folder);

#endif
