/* A configuration of the user. A program that does not get it does not link with the library that has it. */
#define COVEY_INDEX_BITS 20
