/* Bytes that are all zero: one page for all tables in which a page is missing. Never written. */
#ifndef COVEY_ZEROS_H
#define COVEY_ZEROS_H

#include <covey/covey.h>

typedef union covey__any_page {
    covey__entity_page entities;
    covey__block_page blocks;
} covey__any_page;

extern const covey__any_page covey__zeros;

#endif
