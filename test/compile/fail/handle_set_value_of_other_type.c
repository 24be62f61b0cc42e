/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#include <covey/handle.h>

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

void use(covey_handle handle);

void use(covey_handle handle) {
    Given given = { 1, 2 };
    covey_handle_set_value(handle, Position, &given);
}
