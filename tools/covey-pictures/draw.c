#include "draw.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char style[] =
    "  text { font-family: system-ui, -apple-system, 'Segoe UI', sans-serif; font-size: 13px; fill: #1f2933; }\n"
    "  .head { font-family: ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace; font-weight: bold; }\n"
    "  .part { font-weight: bold; font-size: 15px; }\n"
    "  .note, .label { fill: #52606d; }\n"
    "  .in { font-size: 12px; text-anchor: middle; }\n"
    "  .small { font-size: 11px; text-anchor: middle; fill: #52606d; }\n"
    "  .ground { fill: #ffffff; }\n"
    "  .empty { fill: #f1f4f7; stroke: #9aa5b1; }\n"
    "  .value { fill: #a8c8e8; stroke: #55789c; }\n"
    "  .member { fill: #f2c583; stroke: #a8732a; }\n"
    "  .hole { fill: none; stroke: #9aa5b1; stroke-dasharray: 3 2; }\n"
    "  .dead { fill: #dcdfe3; stroke: #9aa5b1; }\n"
    "  .changed { fill: none; stroke: #b3261e; stroke-width: 2; }\n"
    "  .line { fill: none; stroke: #7b8794; }\n"
    "  .bar { fill: #9a5b00; }\n"
    "  @media (prefers-color-scheme: dark) {\n"
    "    text { fill: #dfe5ee; }\n"
    "    .note, .label, .small { fill: #98a4b6; }\n"
    "    .ground { fill: #161c26; }\n"
    "    .empty { fill: #232b38; stroke: #566273; }\n"
    "    .value { fill: #27527d; stroke: #6fa0d0; }\n"
    "    .member { fill: #7d531b; stroke: #d9a55c; }\n"
    "    .hole { fill: none; stroke: #7b8794; }\n"
    "    .dead { fill: #3a4350; stroke: #6b7685; }\n"
    "    .changed { stroke: #ff8a80; }\n"
    "    .line { stroke: #8b97a8; }\n"
    "    .bar { fill: #e0a04a; }\n"
    "  }\n";

static void put(picture *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int room = (int)sizeof p->body - p->length;
    int length = vsnprintf(p->body + p->length, (size_t)room, format, arguments);
    va_end(arguments);
    if (length < 0 || length >= room) abort(); /* the buffer is too small for this picture */
    p->length += length;
}

/* Text with the characters that XML needs escaped. */
static void put_text(picture *p, const char *text) {
    for (; *text != '\0'; text++) {
        if (*text == '<') put(p, "&lt;");
        else if (*text == '&') put(p, "&amp;");
        else put(p, "%c", *text);
    }
}

void picture_begin(picture *p) {
    p->length = 0;
    p->body[0] = '\0';
    p->y = 0;
}

bool picture_end(const picture *p, const char *folder, const char *name, const char *title) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.svg", folder, name);
    FILE *file = fopen(path, "wb");
    if (!file) return false;
    int height = p->y + MARGIN;
    fprintf(file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n"
            "<title>%s</title>\n<style>\n%s</style>\n"
            "<rect class=\"ground\" width=\"%d\" height=\"%d\" rx=\"8\"/>\n%s</svg>\n",
            WIDTH, height, WIDTH * 5 / 4, height * 5 / 4, title, style, WIDTH, height, p->body);
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

void picture_text(picture *p, double x, double y, const char *style_name, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(p, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", style_name, x, y);
    put_text(p, text);
    put(p, "</text>\n");
}

void picture_part(picture *p, const char *heading) {
    if (p->y > 0) p->y += 14;
    picture_text(p, MARGIN, p->y + 26, "part", "%s", heading);
    p->y += 30;
}

void picture_panel(picture *p, const char *heading, const char *remark) {
    p->y += 26;
    picture_text(p, MARGIN, p->y, "head", "%s", heading);
    while (remark) {
        const char *end = strchr(remark, '\n');
        p->y += 17;
        picture_text(p, MARGIN, p->y, "note", "%.*s", end ? (int)(end - remark) : (int)strlen(remark), remark);
        remark = end ? end + 1 : NULL;
    }
    p->y += 10;
}

void picture_label(picture *p, double y, const char *text) { picture_text(p, MARGIN, y + 15, "label", "%s", text); }

void picture_cell(picture *p, double x, double y, double width, const char *kind, bool changed, const char *text) {
    picture_box(p, x, y, width, CELL_HEIGHT, kind);
    if (changed) picture_box(p, x + 1.25, y + 1.25, width - 2.5, CELL_HEIGHT - 2.5, "changed"); /* inside the cell */
    if (text && *text != '\0') picture_text(p, x + width / 2, y + 15.5, "in", "%s", text);
}

void picture_box(picture *p, double x, double y, double width, double height, const char *style_name) {
    put(p, "<rect class=\"%s\" x=\"%.2f\" y=\"%.1f\" width=\"%.2f\" height=\"%.1f\"/>\n", style_name, x, y, width,
        height);
}

void picture_circle(picture *p, double x, double y, double radius, const char *style_name) {
    put(p, "<circle class=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n", style_name, x, y, radius);
}

void picture_line(picture *p, double x1, double y1, double x2, double y2) {
    put(p, "<path class=\"line\" d=\"M%.1f,%.1fC%.1f,%.1f %.1f,%.1f %.1f,%.1f\"/>\n", x1, y1, x1, (y1 + y2) / 2, x2,
        (y1 + y2) / 2, x2, y2);
}
