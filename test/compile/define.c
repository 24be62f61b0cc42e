/* The one translation unit that defines the component. */
#include "position.h"

COVEY_COMPONENT_DEFINE(Position);
