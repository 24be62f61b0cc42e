/* The codec of values of types that the program does not know: writes back what was read. */
#ifndef COVEY_UNKNOWN_CODEC_H
#define COVEY_UNKNOWN_CODEC_H

#include <covey/image.h>

extern const covey_codec covey__unknown_codec;

#endif
