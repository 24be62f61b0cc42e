/* Draws a table of ratios as a heat map. It has a background of its own, so that it reads on light and dark pages. */
#include "memory.h"

#include <stdarg.h>

enum {
    CELL_WIDTH = 60,
    CELL_HEIGHT = 26,
    LEFT = 76, /* of the first cell */
    TOP = 134,
    RIGHT = LEFT + MEMORY_SHARES * CELL_WIDTH, /* behind the last */
    BOTTOM = TOP + MEMORY_SIZES * CELL_HEIGHT,
    WIDTH = RIGHT + 24,
    HEIGHT = BOTTOM + 84
};

/* ---- Colours ------------------------------------------------------------------------------------------------------*/

typedef struct color {
    int red, green, blue;
} color;

static const color far_below = { 96, 180, 196 }, just_below = { 222, 242, 244 }, within = { 255, 226, 138 };
static const color just_over = { 255, 190, 150 }, far_over = { 238, 104, 84 };

static int between(int from, int to, double part) { return from + (int)((to - from) * part); }

static color mix(color from, color to, double part) {
    double p = part < 0 ? 0 : part > 1 ? 1 : part;
    return (color){ between(from.red, to.red, p), between(from.green, to.green, p), between(from.blue, to.blue, p) };
}

/* Where the scale ends: what lies beyond looks the same. */
#define LOWEST 0.3
#define HIGHEST 1.5

static color color_of(memory_class class, double ratio) {
    if (class == MEMORY_WITHIN) return within;
    if (class == MEMORY_BELOW_ALL) return mix(far_below, just_below, (ratio - LOWEST) / (1 - LOWEST));
    return mix(just_over, far_over, (ratio - MEMORY_CLOSE) / (HIGHEST - MEMORY_CLOSE));
}

/* ---- Shapes -------------------------------------------------------------------------------------------------------*/

static void draw_box(FILE *svg, int x, int y, int width, color fill) {
    fprintf(svg, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\" fill=\"#%02x%02x%02x\"/>\n", x + 1, y + 1,
            width - 2, CELL_HEIGHT - 2, (unsigned)fill.red, (unsigned)fill.green, (unsigned)fill.blue);
}

/* `attributes` say where the text is anchored and how it looks; the rest is as for printf, without < and &. */
__attribute__((format(printf, 5, 6))) static void draw_text(FILE *svg, int x, int y, const char *attributes,
                                                            const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(svg, "<text x=\"%d\" y=\"%d\" %s>", x, y, attributes);
    vfprintf(svg, format, arguments);
    fputs("</text>\n", svg);
    va_end(arguments);
}

#define AT_START "text-anchor=\"start\""
#define AT_MIDDLE "text-anchor=\"middle\""
#define AT_END "text-anchor=\"end\""

/* ---- The parts of the picture -------------------------------------------------------------------------------------*/

static void draw_head(FILE *svg, const memory_table *table) {
    memory_number n = memory_grouped(table->n);
    fprintf(svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" "
            "font-family=\"sans-serif\" font-size=\"13\" fill=\"#1f2328\">\n",
            WIDTH, HEIGHT, WIDTH, HEIGHT);
    fprintf(svg, "<title>Memory of a block pool beside three formulas, N = %s</title>\n", n.text);
    fprintf(svg,
            "<rect x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\" fill=\"#ffffff\" stroke=\"#d0d7de\"/>\n",
            WIDTH - 1, HEIGHT - 1);
    draw_text(svg, 24, 32, "font-size=\"17\" font-weight=\"bold\"", "Memory of a block pool, N = %s entities", n.text);
    draw_text(svg, 24, 56, AT_START,
              "Bytes after compact, divided by the smallest of the formulas linear, bitmask, sparse.");
    draw_text(svg, 24, 76, AT_START,
              "Who has the component is random. Below 1, the pool takes less than each of the three.");
}

static void draw_axes(FILE *svg, const memory_table *table) {
    draw_text(svg, (LEFT + RIGHT) / 2, TOP - 28, AT_MIDDLE, "utilisation: share of the entities with the component");
    for (int i = 0; i < MEMORY_SHARES; i++)
        draw_text(svg, LEFT + i * CELL_WIDTH + CELL_WIDTH / 2, TOP - 8, AT_MIDDLE, "%.1f",
                  table->cells[0][i].utilisation);
    fprintf(svg, "<g transform=\"rotate(-90)\">\n");
    draw_text(svg, -(TOP + BOTTOM) / 2, 30, AT_MIDDLE, "size of the component, bytes");
    fprintf(svg, "</g>\n");
    for (int i = 0; i < MEMORY_SIZES; i++)
        draw_text(svg, LEFT - 10, TOP + i * CELL_HEIGHT + 18, AT_END, "%u", table->cells[i][0].size);
}

static void draw_cell(FILE *svg, const memory_cell *cell, int x, int y) {
    double ratio = memory_ratio(cell);
    draw_box(svg, x, y, CELL_WIDTH, color_of(memory_class_of(cell), ratio));
    draw_text(svg, x + CELL_WIDTH / 2, y + 18, AT_MIDDLE, "%.3f", ratio);
}

static void draw_cells(FILE *svg, const memory_table *table) {
    for (int i = 0; i < MEMORY_SIZES; i++)
        for (int j = 0; j < MEMORY_SHARES; j++)
            draw_cell(svg, &table->cells[i][j], LEFT + j * CELL_WIDTH, TOP + i * CELL_HEIGHT);
}

/* Boxes from one ratio to another, with what they mean under them. Returns where the next group starts. */
static int draw_legend_group(FILE *svg, int x, memory_class class, double from, double to, const char *meaning) {
    enum { BOXES = 4, BOX = 40 };
    int y = BOTTOM + 20;
    for (int i = 0; i < BOXES; i++)
        draw_box(svg, x + i * BOX, y, BOX, color_of(class, from + (to - from) * i / (BOXES - 1)));
    draw_text(svg, x, y + CELL_HEIGHT + 18, AT_START, "%s", meaning);
    return x + BOXES * BOX + 60;
}

static void draw_legend(FILE *svg) {
    int x = draw_legend_group(svg, LEFT, MEMORY_BELOW_ALL, LOWEST, 1, "0.3 to 1: below all three");
    x = draw_legend_group(svg, x, MEMORY_WITHIN, 1, MEMORY_CLOSE, "1 to 1.05");
    draw_legend_group(svg, x, MEMORY_OVER, MEMORY_CLOSE, HIGHEST, "1.05 to 1.5, and over");
}

void memory_write_svg(FILE *svg, const memory_table *table) {
    draw_head(svg, table);
    draw_axes(svg, table);
    draw_cells(svg, table);
    draw_legend(svg);
    fputs("</svg>\n", svg);
}
