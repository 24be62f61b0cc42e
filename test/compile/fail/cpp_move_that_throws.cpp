/* expect: Name must move without throwing: Name\(Name &&\) noexcept */
#include <covey/covey.hpp>

#include <string>

struct Name {
    std::string text;
    Name() = default;
#ifdef FIXED
    Name(Name &&other) noexcept : text(static_cast<std::string &&>(other.text)) {}
#else
    Name(Name &&other) : text(static_cast<std::string &&>(other.text)) {}
#endif
};
COVEY_CPP_DEFINE(Name);
