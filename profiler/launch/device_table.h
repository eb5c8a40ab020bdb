// The GPUs of several processes as one list. What a process calls device 0 depends on its
// CUDA_VISIBLE_DEVICES; the UUID tells who is who.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "profiler/profile/builder.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::launch {

class DeviceTable {
 public:
  explicit DeviceTable(ProfileBuilder& builder) : builder_(builder) {}

  // The index in the profile of a GPU that a process on `host` described. Two GPUs of one kind are
  // two devices.
  int add(const spool::Device& device, const std::string& host);

 private:
  ProfileBuilder& builder_;
  std::map<std::string, int> known_;
};

}  // namespace rnnadvisor::launch
