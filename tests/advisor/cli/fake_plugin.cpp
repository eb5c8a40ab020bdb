// Stands in for the plugin: a library that, when it is loaded into a process, leaves the sample
// spool under the name of that process. It needs neither CUDA nor a GPU. Where it is to accelerate
// it leaves a choice, too, or nothing else, as RNNADVISOR_RECORD asks; as under `try`, with the
// times of whole steps in milliseconds that FAKE_PLUGIN_STEPS gives: "4" with faster algorithms, "4
// 5 3" also with changed layers and with both, beside 10 as the program is. Where calls are
// recorded, FAKE_PLUGIN_MARK is an NVTX mark of the program, and FAKE_PLUGIN_MARK_NUMBER its
// number.
#include <unistd.h>

#include <bit>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <string>

#include "tests/profiler/launch/sample_choices.h"

namespace {

namespace spool = rnnadvisor::spool;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

spool::SpoolWriter calls() {
  auto writer = spool::sample_spool();
  spool::Nvtx mark{};
  mark.time_ns = 3'000;
  mark.thread = 12;
  mark.name = writer.text(variable("FAKE_PLUGIN_MARK"));
  if (const auto number = variable("FAKE_PLUGIN_MARK_NUMBER"); !number.empty()) {
    mark.payload_type = spool::Payload::real;
    mark.payload = std::bit_cast<std::uint64_t>(std::strtod(number.c_str(), nullptr));
  }
  if (!variable("FAKE_PLUGIN_MARK").empty()) writer.add(mark, spool::Type::nvtx_mark, {});
  return writer;
}

void add_steps(spool::SpoolWriter& writer, const std::string& times) {
  std::vector<std::pair<spool::StepArm, int>> ms;
  std::istringstream words(times);
  for (const auto arm : {spool::StepArm::algorithms, spool::StepArm::change, spool::StepArm::both})
    if (int time = 0; words >> time) ms.emplace_back(arm, time);
  spool::add_step_blocks(writer, ms);
  if (ms.size() < 3) return;
  auto changed = spool::sample_acceleration(2, 1);
  changed.with_change = 1;
  writer.add(changed);
}

spool::SpoolWriter recording() {
  const bool choices_only = variable("RNNADVISOR_RECORD") == "choices";
  if (variable("RNNADVISOR_ACCELERATE").empty() || variable("RNNADVISOR_ACCELERATE") == "0" ||
      !variable("CUBLAS_WORKSPACE_CONFIG").empty())
    return choices_only ? spool::SpoolWriter{} : calls();
  if (choices_only) {
    auto writer = spool::choices_spool(spool::sample_acceleration(1, 1));
    if (const auto steps = variable("FAKE_PLUGIN_STEPS"); !steps.empty()) add_steps(writer, steps);
    return writer;
  }
  auto writer = calls();
  writer.add(spool::sample_acceleration(1, 1));
  spool::add_step_blocks(writer);
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
