#include "tests/failing_allocations.h"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<long> count{0}, first{0}, last{-1};
}

void* operator new(std::size_t size) {
  const long number = ++count;
  const bool fails = number >= first && number <= last;
  for (;;) {
    if (void* memory = fails ? nullptr : std::malloc(size > 0 ? size : 1)) return memory;
    const auto handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
// What the sanitizers have in its place does not suit the delete below.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return operator new(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace rnnadvisor::test {

void fail_allocation(long number, bool lasting) {
  last = -1;
  count = 0;
  first = number;
  last = number == 0 ? -1 : lasting ? (1L << 60) : number;
}

long allocations() { return count; }

}  // namespace rnnadvisor::test
