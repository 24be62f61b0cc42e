// CHECK for the tests of the C++ headers.
#ifndef COVEY_TEST_CPP_CHECK_HPP
#define COVEY_TEST_CPP_CHECK_HPP

#include <cstdio>
#include <cstdlib>

#define CHECK(...)                                                                  \
    do {                                                                            \
        if (!(__VA_ARGS__)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
            std::exit(1);                                                           \
        }                                                                           \
    } while (0)

#endif
