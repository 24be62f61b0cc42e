/* The page of zeros. */
#include "memory/zeros.h"

const covey__any_page covey__zeros;
