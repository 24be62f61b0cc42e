#include "test_cpp.h"

COVEY_COMPONENT_DEFINE(Position);
COVEY_TAG_DEFINE(Frozen);
