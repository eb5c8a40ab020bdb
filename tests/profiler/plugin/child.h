// Runs the probe under the plugin, as a launcher would, and reads what it left.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "profiler/spool/reader.h"

namespace rnnadvisor::plugin_test {

using spool::Header;
using spool::Tables;

// A spool taken apart; each kind of record in the order of its chunks.
struct Spool {
  Header header;
  Tables tables;
  spool::Damage damage;
  std::vector<spool::Call> calls;
  std::vector<spool::CallTime> times;
  std::vector<spool::StepTime> step_times;
  std::vector<spool::Kernel> kernels;
  std::vector<spool::Transfer> transfers;
  std::vector<spool::Api> api;
  std::vector<spool::Memory> memory;
  std::vector<spool::Overhead> overhead;
  std::vector<spool::CorrelationRange> ranges;
  std::map<std::uint32_t, spool::Acceleration> accelerations;  // by id: the last counts
  std::map<std::uint32_t, spool::StepBlock> blocks;            // by number: the last counts
  std::vector<spool::GraphNode> nodes;
  std::vector<spool::CounterMetrics> counter_metrics;
  std::vector<spool::CounterSample> counter_samples;
  std::vector<spool::CounterClock> counter_clocks;
  std::vector<spool::Device> devices;
  std::vector<spool::Library> libraries;
  std::map<std::string, std::string> environment;
  std::map<std::uint32_t, std::string> thread_names;
  std::map<int, std::string> device_names;                  // by ordinal
  std::map<std::pair<int, int>, std::string> stream_names;  // by ordinal and number
  std::vector<std::pair<std::string, std::string>> notes;   // code and text
  struct Nvtx {
    spool::Type type;
    spool::Nvtx record;
    std::string name, domain, category;
  };
  std::vector<Nvtx> nvtx;  // pops with time, thread and domain only

  const std::string& text(std::uint32_t id) const { return tables.text(id); }
  const Tables::Shape& shape(const spool::Call& call) const;
  std::uint64_t entries(spool::Entry entry) const {
    return header.entries[static_cast<std::size_t>(entry)];
  }
  std::uint64_t lost() const;  // all kinds together
  std::vector<std::string> note_codes() const;
  std::vector<spool::Acceleration> choices() const;
};

Spool read_spool(const std::string& path);

struct Result {
  int status = -1;  // as exit() had it; -signal when a signal ended it
  std::string out, error;
  std::int64_t milliseconds = 0;  // that it ran
  std::vector<Spool> spools;      // by the time of their beginning
  // The only spool; the test fails where there are none or several.
  const Spool& spool() const;
};

class Child {
 public:
  explicit Child(std::string program);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  Child& variable(const std::string& name, const std::string& value);
  Child& without(const std::string& name);
  // The plugin is not there, and nothing that asks for it.
  Child& alone();
  const std::string& folder() const { return folder_; }
  const std::string& spool_folder() const { return spools_; }

  Result run(const std::vector<std::string>& arguments, int kill_after_ms = 0);
  // Reads no spools: what is left of them may be anything.
  Result run_only(const std::vector<std::string>& arguments, int kill_after_ms = 0);

 private:
  std::string program_, folder_, spools_;
  std::map<std::string, std::string> environment_;
};

}  // namespace rnnadvisor::plugin_test
