/* Copies many pieces of memory, several at a time. */
#include "memory/copier.h"

#include "memory/lines.h"

enum { LINE = 64, AHEAD = 512 }; /* bytes of a line; how far ahead lines are prefetched */

static void copy_first(covey__copied *piece, size_t bytes) {
    memcpy(piece->to, piece->from, bytes);
    piece->to += bytes;
    piece->from += bytes;
    piece->bytes -= bytes;
}

/* Copies up to the first line that begins in the piece. */
static void copy_head(covey__copied *piece) {
    size_t head = (LINE - (uintptr_t)piece->to % LINE) % LINE;
    copy_first(piece, head < piece->bytes ? head : piece->bytes);
}

static void copy_lines(covey__copied *all, size_t lines) {
    for (size_t at = 0; at < lines * LINE; at += LINE)
        for (uint32_t i = 0; i < COVEY__PIECES; i++) {
            covey__prefetch_line(all[i].from + at + AHEAD);
            covey__copy_line(all[i].to + at, all[i].from + at);
        }
    for (uint32_t i = 0; i < COVEY__PIECES; i++) {
        all[i].to += lines * LINE;
        all[i].from += lines * LINE;
        all[i].bytes -= lines * LINE;
    }
}

void covey__copier_flush(covey__copier *copier) {
    covey__copied *all = copier->waiting;
    size_t lines = SIZE_MAX;
    for (uint32_t i = 0; i < copier->count; i++) {
        copy_head(&all[i]);
        if (all[i].bytes / LINE < lines) lines = all[i].bytes / LINE;
    }
    if (copier->count == COVEY__PIECES) copy_lines(all, lines);
    for (uint32_t i = 0; i < copier->count; i++) copy_first(&all[i], all[i].bytes);
    copier->count = 0;
}

void covey__copier_finish(covey__copier *copier) {
    covey__copier_flush(copier);
    covey__end_lines();
}
