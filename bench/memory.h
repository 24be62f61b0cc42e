/* The bytes of block pools beside what three formulas say: for each size of a component, and each share of the entities
 * that have it. */
#ifndef BENCH_MEMORY_H
#define BENCH_MEMORY_H

#include "bench.h"
#include "memory_model.h"

#define MEMORY_SIZES 16     /* 8, 16, ... 128 bytes */
#define MEMORY_SHARES 10    /* 0.1, 0.2, ... 1.0 of the entities */
#define MEMORY_CLOSE 1.05   /* times the smallest formula: what a compact pool may take */
#define MEMORY_MANY 1000000 /* entities, for which most bars are */
#define MEMORY_FEW 1000

/* The bytes of a pool that was filled in one order: as filled, at the peak of compact, after it, and after shrink. */
typedef struct memory_fill {
    size_t filled, peak, compact, shrunk;
} memory_fill;

typedef struct memory_cell {
    uint32_t n, size;
    double utilisation;
    memory_model model;
    memory_fill ordered, shuffled;
} memory_cell;

typedef struct memory_table {
    uint32_t n;
    memory_cell cells[MEMORY_SIZES][MEMORY_SHARES];
} memory_table;

/* Fills a sparse pool of 8-byte components, which all entities have, and shrinks it. Returns its bytes. */
size_t memory_measure_sparse(uint32_t n);

typedef enum memory_class { MEMORY_BELOW_ALL, MEMORY_WITHIN, MEMORY_OVER } memory_class;

/* Fills and compacts a pool for each cell, in both orders. */
void memory_measure(memory_table *table, uint32_t n);

/* The bytes after compact, whatever the order was: the larger of both; and as a multiple of the smallest formula. */
size_t memory_compact_bytes(const memory_cell *cell);
double memory_ratio(const memory_cell *cell);
uint64_t memory_smallest(const memory_cell *cell);
memory_class memory_class_of(const memory_cell *cell);

/* Writes a number with commas, as in 1,000,000. */
typedef struct memory_number {
    char text[32];
} memory_number;
memory_number memory_grouped(uint64_t number);

void memory_print_sparse(uint32_t n, size_t bytes);
void memory_print_table(const memory_table *table);
/* Prints the worst of everything. Returns whether every bar was met. */
bool memory_print_summary(const memory_table *many, const memory_table *few);

void memory_write_csv_head(FILE *csv);
void memory_write_csv(FILE *csv, const memory_table *table);
/* Draws a table as a heat map. */
void memory_write_svg(FILE *svg, const memory_table *table);

#endif
