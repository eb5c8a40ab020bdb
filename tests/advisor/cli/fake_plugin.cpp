// Stands in for the plugin: a library that, when it is loaded into a process, leaves the sample
// spool under the name of that process. It needs neither CUDA nor a GPU. Where it is to accelerate
// it leaves a choice, too, or nothing else, as RNNADVISOR_RECORD asks.
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <string>

#include "tests/profiler/launch/sample_choices.h"

namespace {

rnnadvisor::spool::SpoolWriter recording() {
  namespace spool = rnnadvisor::spool;
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  const bool choices_only = variable("RNNADVISOR_RECORD") == "choices";
  if (variable("RNNADVISOR_ACCELERATE").empty() || variable("RNNADVISOR_ACCELERATE") == "0" ||
      !variable("CUBLAS_WORKSPACE_CONFIG").empty())
    return choices_only ? spool::SpoolWriter{} : spool::sample_spool();
  if (choices_only) return spool::choices_spool(spool::sample_acceleration(1, 1));
  auto writer = spool::sample_spool();
  writer.add(spool::sample_acceleration(1, 1));
  return writer;
}

__attribute__((constructor)) void loaded() {
  const char* folder = std::getenv("RNNADVISOR_SPOOL");
  // As in a program that starts others which have nothing to do with CUDA.
  if (folder == nullptr || std::getenv("FAKE_PLUGIN_QUIET") != nullptr) return;
  auto writer = recording();
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  char text[1024] = {};
  gethostname(text, sizeof text - 1);
  writer.header.host = text;
  writer.header.pid = getpid();
  writer.header.parent_pid = getppid();
  writer.header.start_ns = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  writer.header.end_ns = 0;
  writer.header.exit_status = -1;
  writer.write(std::string(folder) + "/" + std::to_string(getpid()) + "-" +
               std::to_string(writer.header.start_ns) + ".rnnspool");
}

}  // namespace
