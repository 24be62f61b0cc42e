/* expect: covey_sparse_set_create|covey_sparse_set_desc */
#include <covey/covey.h>
#ifdef FIXED
#include <covey/sparse_set.h>
#endif

covey_sparse_set *use(void);

covey_sparse_set *use(void) { return covey_sparse_set_create(NULL); }
