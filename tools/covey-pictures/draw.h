/* Pictures as SVG: panels below each other, made of cells. The text is legible on a screen 390 pixels wide. Colours
 * follow the light or dark scheme of the reader. */
#ifndef PICTURES_DRAW_H
#define PICTURES_DRAW_H

#include <stdbool.h>

enum { WIDTH = 400, MARGIN = 12, LEFT = 70, RIGHT = WIDTH - MARGIN, CELL_HEIGHT = 22 };

typedef struct picture {
    char body[1 << 18];
    int length;
    int y; /* where the next part is drawn */
} picture;

/* What a cell shows. The names are classes of the style. */
#define EMPTY "empty"   /* a place without a value */
#define VALUE "value"   /* a value */
#define MEMBER "member" /* a value of a member, or of a match */
#define HOLE "hole"     /* a place that removal left */
#define DEAD "dead"     /* an element behind the live ones */

void picture_begin(picture *p);
/* Writes the picture to FOLDER/NAME.svg. The title is for readers who do not see it. */
bool picture_end(const picture *p, const char *folder, const char *name, const char *title);

/* A panel begins with a heading, and a remark in one or two lines, separated by '\n'; NULL: none. */
void picture_panel(picture *p, const char *heading, const char *remark);
/* The part to which the panels that follow belong. */
void picture_part(picture *p, const char *heading);
/* A label left of the cells. */
void picture_label(picture *p, double y, const char *text);
void picture_text(picture *p, double x, double y, const char *style, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 5, 6)))
#endif
    ;
/* A cell of the usual height. One that the operation changed has a thick outline. */
void picture_cell(picture *p, double x, double y, double width, const char *kind, bool changed, const char *text);
void picture_box(picture *p, double x, double y, double width, double height, const char *style);
void picture_circle(picture *p, double x, double y, double radius, const char *style);
void picture_line(picture *p, double x1, double y1, double x2, double y2);

#endif
