// Counts every operator new of the test program.
#pragma once

namespace rnnadvisor::test {
long allocations();
}
