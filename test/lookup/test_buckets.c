/* Buckets: what is filed under a key is found, in order, after any filing; and memory for it is never short. */
#include "keyed.h"

int main(void) { return 0; }
