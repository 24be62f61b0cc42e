// Allocations that fail. In a separate file, because gcc reports an inlined malloc as a mistake.
#include <cstdlib>
#include <new>

extern bool memory_is_out;
bool memory_is_out;

void *operator new(std::size_t size, const std::nothrow_t &) noexcept {
    return memory_is_out ? nullptr : std::malloc(size);
}
void *operator new(std::size_t size) {
    void *memory = std::malloc(size);
    if (!memory || memory_is_out) std::abort();
    return memory;
}
void operator delete(void *memory) noexcept { std::free(memory); }
void operator delete(void *memory, std::size_t) noexcept { std::free(memory); }
