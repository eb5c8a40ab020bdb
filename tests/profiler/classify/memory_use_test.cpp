#include "profiler/classify/memory_use.h"

#include <gtest/gtest.h>

#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

class AllocatingProgram {
 public:
  AllocatingProgram() {
    builder_.add_device(*find_device("h200"));
    Configuration configuration;
    configuration.origin = Origin::captured;
    configuration_ = builder_.add_configuration(configuration);
  }
  void allocate(std::int64_t time, std::int64_t address, std::int64_t bytes) {
    AllocationRecord record;
    record.time_ns = time;
    record.address = address;
    record.bytes = bytes;
    builder_.add_allocation(record);
  }
  void release(std::int64_t time, std::int64_t address) {
    AllocationRecord record;
    record.time_ns = time;
    record.address = address;
    record.release = true;
    builder_.add_allocation(record);
  }
  int add_call(Phase phase, std::int64_t time, int forward = -1) {
    CallRecord record;
    record.call.configuration = configuration_;
    record.call.phase = phase;
    record.call.host_start_ns = time;
    record.call.host_end_ns = time + 5;
    record.call.reserve_bytes = 100;
    record.call.forward = forward;
    return builder_.add_call(record);
  }
  MemoryUse use() { return memory_use(builder_.finish()).at(0); }

 private:
  ProfileBuilder builder_;
  int configuration_ = -1;
};

TEST(MemoryUse, PeakIsOfWhatIsNotYetFreed) {
  AllocatingProgram program;
  program.add_call(Phase::forward_training, 0);
  program.allocate(10, 1, 1000);
  program.allocate(20, 2, 500);
  program.release(30, 1);
  program.allocate(40, 3, 700);
  program.release(50, 99);  // taken before the recording began
  EXPECT_EQ(program.use().peak, 1500);
}

TEST(MemoryUse, AnAddressGivenAgainIsCountedOnce) {
  AllocatingProgram program;
  program.add_call(Phase::forward_training, 0);
  program.allocate(10, 1, 1000);
  program.allocate(20, 1, 1000);  // the free between was lost
  EXPECT_EQ(program.use().peak, 1000);
}

TEST(MemoryUse, NothingRecordedIsNotKnown) {
  AllocatingProgram program;
  program.add_call(Phase::forward_inference, 0);
  const auto use = program.use();
  EXPECT_EQ(use.peak, -1);
  EXPECT_EQ(use.reserve_held, -1);
}

TEST(MemoryUse, ReserveIsHeldFromForwardToTheLastBackward) {
  AllocatingProgram program;
  const int first = program.add_call(Phase::forward_training, 0);
  const int second = program.add_call(Phase::forward_training, 10);
  program.add_call(Phase::backward_data, 20, second);
  program.add_call(Phase::backward_weights, 30, second);
  program.add_call(Phase::forward_training,
                   40);  // never followed: how long it is held is not known
  program.add_call(Phase::backward_data, 50, first);
  EXPECT_EQ(program.use().reserve_held, 200);
}

}  // namespace
}  // namespace rnnadvisor
