// operator new of the test program, which fails where a test asks for it.
#pragma once

namespace rnnadvisor::test {

// The n-th allocation from here on, from 1, throws std::bad_alloc, and with `lasting` all after it.
// 0: none does.
void fail_allocation(long number, bool lasting = false);

// How many there were since.
long allocations();

}  // namespace rnnadvisor::test
