/* expect: invalid operands to binary -|not pointers to compatible types */
#include "../position.h"

#include <covey/events.h>

#ifdef FIXED
typedef Position Given;
#else
typedef struct Given {
    float x, y;
} Given;
#endif

void use(covey_events *events, covey_commands *commands);

void use(covey_events *events, covey_commands *commands) {
    Given given = { 1, 2 };
    covey_events_send_value(events, Position, &given);
    covey_record_send_value(commands, Position, &given);
}
