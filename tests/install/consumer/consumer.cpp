#include <cstdio>

#include "core/config/validate.h"
#include "core/device/device_spec.h"
#include "core/model/memory.h"

static_assert(__cplusplus >= 202002L, "rnnadvisor::core does not ask for C++20");

int main() {
  rnnadvisor::RnnConfig config;
  config.seq_length = 65536;
  const auto violations = rnnadvisor::validate(config);
  const auto device = rnnadvisor::find_device("h200");
  if (violations.size() != 1 || !device) return 1;
  std::printf("%s; weights %lld bytes\n", violations.front().message.c_str(),
              static_cast<long long>(rnnadvisor::model::space_sizes(config).weights.value));
  return 0;
}
