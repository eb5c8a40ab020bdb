#include "tests/profiler/plugin/child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace rnnadvisor::plugin_test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream all;
  all << file.rdbuf();
  return all.str();
}

}  // namespace

const Tables::Shape& Spool::shape(const spool::Call& call) const {
  static const Tables::Shape none{};
  const auto found = tables.configurations.find(call.configuration);
  return found == tables.configurations.end() ? none : found->second;
}

std::uint64_t Spool::lost() const {
  std::uint64_t sum = 0;
  for (const std::uint64_t count : header.lost) sum += count;
  return sum;
}

std::vector<std::string> Spool::note_codes() const {
  std::vector<std::string> codes;
  for (const auto& [code, text] : notes) codes.push_back(code);
  return codes;
}

std::vector<spool::Acceleration> Spool::choices() const {
  std::vector<spool::Acceleration> all;
  for (const auto& [id, choice] : accelerations) all.push_back(choice);
  return all;
}

Spool read_spool(const std::string& path) {
  Spool out;
  auto reader = spool::Reader::open(path);
  EXPECT_TRUE(reader) << path;
  if (!reader) return out;
  out.tables = reader->read_tables();
  using spool::Type;
  reader->visit([&](const spool::Record& r) {
    switch (r.type()) {
      case Type::call:
        out.calls.push_back(r.as<spool::Call>());
        break;
      case Type::call_time:
        out.times.push_back(r.as<spool::CallTime>());
        break;
      case Type::step_time:
        out.step_times.push_back(r.as<spool::StepTime>());
        break;
      case Type::kernel:
        out.kernels.push_back(r.as<spool::Kernel>());
        break;
      case Type::transfer:
        out.transfers.push_back(r.as<spool::Transfer>());
        break;
      case Type::api:
        out.api.push_back(r.as<spool::Api>());
        break;
      case Type::memory:
        out.memory.push_back(r.as<spool::Memory>());
        break;
      case Type::overhead:
        out.overhead.push_back(r.as<spool::Overhead>());
        break;
      case Type::acceleration: {
        const auto a = r.as<spool::Acceleration>();
        out.accelerations[a.id] = a;
        break;
      }
      case Type::step_block: {
        const auto block = r.as<spool::StepBlock>();
        out.blocks[block.block] = block;
        break;
      }
      case Type::correlation_range:
        out.ranges.push_back(r.as<spool::CorrelationRange>());
        break;
      case Type::graph_node:
        out.nodes.push_back(r.as<spool::GraphNode>());
        break;
      case Type::counter_metrics:
        out.counter_metrics.push_back(r.as<spool::CounterMetrics>());
        break;
      case Type::counter_sample:
        out.counter_samples.push_back(r.as<spool::CounterSample>());
        break;
      case Type::counter_clock:
        out.counter_clocks.push_back(r.as<spool::CounterClock>());
        break;
      case Type::device:
        out.devices.push_back(r.as<spool::Device>());
        break;
      case Type::library:
        out.libraries.push_back(r.as<spool::Library>());
        break;
      case Type::environment: {
        const auto e = r.as<spool::Environment>();
        out.environment[out.text(e.name)] = out.text(e.value);
        break;
      }
      case Type::thread_name: {
        const auto t = r.as<spool::ThreadName>();
        out.thread_names[t.thread] = out.text(t.name);
        break;
      }
      case Type::resource_name: {
        const auto n = r.as<spool::ResourceName>();
        if (n.resource == spool::Resource::device) out.device_names[n.device] = out.text(n.name);
        if (n.resource == spool::Resource::stream)
          out.stream_names[{n.device, static_cast<int>(n.stream)}] = out.text(n.name);
        break;
      }
      case Type::note: {
        const auto n = r.as<spool::Note>();
        out.notes.emplace_back(out.text(n.code), out.text(n.text));
        break;
      }
      case Type::nvtx_pop: {
        const auto pop = r.as<spool::NvtxPop>();
        spool::Nvtx record{};
        record.time_ns = pop.time_ns;
        record.thread = pop.thread;
        out.nvtx.push_back({r.type(), record, "", out.text(pop.domain), ""});
        break;
      }
      case Type::nvtx_push:
      case Type::nvtx_start:
      case Type::nvtx_end:
      case Type::nvtx_mark: {
        const auto n = r.as<spool::Nvtx>();
        out.nvtx.push_back(
            {r.type(), n, out.text(n.name), out.text(n.domain), out.text(n.category)});
        break;
      }
      default:
        break;
    }
    return true;
  });
  out.header = reader->header();
  out.damage = reader->damage();
  return out;
}

const Spool& Result::spool() const {
  static const Spool none{};
  EXPECT_EQ(spools.size(), 1u);
  return spools.empty() ? none : spools.front();
}

Child::Child(std::string program) : program_(std::move(program)) {
  std::string pattern = testing::TempDir() + "/plugin-XXXXXX";
  folder_ = mkdtemp(pattern.data());
  spools_ = folder_ + "/spools";
  fs::create_directory(spools_);
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    const auto equals = text.find('=');
    environment_[text.substr(0, equals)] = text.substr(equals + 1);
  }
  environment_["LD_PRELOAD"] = PLUGIN_FILE;
  environment_["RNNADVISOR_SPOOL"] = spools_;
  environment_["RNNADVISOR_MODE"] = "calls";
  // Under a sanitizer the plugin comes before its runtime, which the probe is linked to; signals
  // end the probe, and some of its modes do what a program should not do in a handler.
  environment_["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0:handle_segv=0";
  environment_["TSAN_OPTIONS"] = "handle_segv=0:report_signal_unsafe=0";
}

Child::~Child() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

Child& Child::variable(const std::string& name, const std::string& value) {
  environment_[name] = value;
  return *this;
}
Child& Child::without(const std::string& name) {
  environment_.erase(name);
  return *this;
}
Child& Child::alone() {
  for (const char* name : {"LD_PRELOAD", "RNNADVISOR_SPOOL", "RNNADVISOR_MODE"}) without(name);
  return *this;
}

Result Child::run(const std::vector<std::string>& arguments, int kill_after_ms) {
  Result result = run_only(arguments, kill_after_ms);
  std::vector<std::string> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(spools_, ignored))
    if (entry.path().extension() == spool::file_suffix) found.push_back(entry.path().string());
  for (const auto& path : found) result.spools.push_back(read_spool(path));
  std::ranges::sort(result.spools, {}, [](const Spool& s) { return s.header.start_ns; });
  return result;
}

Result Child::run_only(const std::vector<std::string>& arguments, int kill_after_ms) {
  std::vector<std::string> words = {program_}, pairs;
  words.insert(words.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] : environment_) pairs.push_back(name + "=" + value);
  const auto pointers = [](std::vector<std::string>& texts) {
    std::vector<char*> all;
    for (auto& text : texts) all.push_back(text.data());
    all.push_back(nullptr);
    return all;
  };
  const std::string out = folder_ + "/out", error = folder_ + "/error";
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const auto& [number, path] : {std::pair(1, &out), std::pair(2, &error)})
    posix_spawn_file_actions_addopen(&files, number, path->c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     0600);
  Result result;
  pid_t pid = 0;
  const auto begin = std::chrono::steady_clock::now();
  const int failed = posix_spawn(&pid, program_.c_str(), &files, nullptr, pointers(words).data(),
                                 pointers(pairs).data());
  posix_spawn_file_actions_destroy(&files);
  EXPECT_EQ(failed, 0) << program_;
  if (failed != 0) return result;
  // A child that hangs ends with a signal that a test will not take for what it expects.
  constexpr int patience_ms = 120'000;
  int status = 0;
  for (int waited = 0;; ++waited) {
    if (waitpid(pid, &status, WNOHANG) == pid) break;
    if (kill_after_ms > 0 && waited == kill_after_ms) kill(pid, SIGKILL);
    if (waited == patience_ms) {
      ADD_FAILURE() << "the child hangs";
      kill(pid, SIGKILL);
    }
    const timespec step = {0, 1'000'000};
    nanosleep(&step, nullptr);
  }
  result.milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(
                            std::chrono::steady_clock::now() - begin)
                            .count();
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  result.out = slurp(out);
  result.error = slurp(error);
  return result;
}

}  // namespace rnnadvisor::plugin_test
