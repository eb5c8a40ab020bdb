// The events of torch.profiler (Kineto) as records of a profile: kineto.cpp takes them one by one,
// kineto_calls.cpp makes the RNN calls of them once all are there. Names of categories:
// libkineto/include/ActivityType.h of pytorch/kineto.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/import/chrome_trace.h"
#include "profiler/import/imported_profile.h"
#include "profiler/import/torch_operator.h"

namespace rnnadvisor::import_trace {

// One file: one process of the program.
class Kineto {
 public:
  // `host`: where it ran, as far as it is known; GPUs of one host are told apart by their numbers.
  Kineto(ImportedProfile& profile, std::string host) : profile_(profile), host_(std::move(host)) {}

  // What take() needs of an event.
  static Wanted wanted(const TraceEvent& event);
  void take(const TraceEvent& event, const TraceHeader& header);
  void finish(const TraceHeader& header);

  // Whether anything in it was torch.profiler's.
  bool recognized() const { return operators_ > 0 || gpu_records_ > 0; }
  std::int64_t operators_seen() const { return operators_; }
  // RNN operators without their arguments, or with arguments that cuDNN does not take.
  std::int64_t unknown_operators() const { return unknown_operators_; }

 private:
  struct Interval {
    std::int64_t start_ns = 0, end_ns = 0;
    bool holds(const Interval& other) const {
      return start_ns <= other.start_ns && other.end_ns <= end_ns;
    }
  };
  // An operator that calls cuDNN, or stands around one that does.
  struct Operator : Interval {
    enum class Kind { forward, backward, node, layer } kind = Kind::forward;
    std::int64_t thread = 0, external_id = -1, sequence = -1;
    int described = -1;  // index into descriptions_; of a layer: the steps of its packed input
  };
  struct Launch {
    std::int64_t thread = 0, start_ns = 0, external_id = -1, correlation = 0;
  };
  struct Frame : Interval {
    int place = -1;  // index into places_
  };
  struct Site {
    int program = -1, framework = -1;  // indices into places_
  };
  // A forward call that was made.
  struct MadeCall {
    int index = -1;  // in the profile
    std::int64_t start_ns = 0;
    int described = -1;
    Site site;
  };

  void take_operator(const TraceEvent& event, Interval interval);
  void take_kernel(const TraceEvent& event, Interval interval, const TraceHeader& header);
  void take_copy(const TraceEvent& event, Interval interval, const TraceHeader& header, bool set);
  void take_api(const TraceEvent& event, Interval interval, bool driver);
  void take_range(const TraceEvent& event, Interval interval);
  void take_frame(const TraceEvent& event, Interval interval);
  int describe(const TraceEvent& event);
  int device_of(std::int64_t ordinal, const TraceHeader& header);
  void see_process(const TraceEvent& event, bool of_host);

  void sort();
  void attribute_launches();
  const Operator* around(const Operator& op, Operator::Kind kind) const;
  const Operator* inside(const Operator& op) const;
  const MadeCall* forward_of(const Operator& op) const;
  void add_forward(std::size_t index);
  void add_backward(std::size_t index);
  CallRecord record_of(const Operator& op, int device, Interval interval) const;
  Site site_of(const Operator& op);
  void set_site(CallRecord& record, Site site) const;
  int device_of_call(std::size_t op) const;
  void mark_steps();

  ImportedProfile& profile_;
  std::string host_;
  int process_ = -1;
  std::int64_t pid_ = -1;
  std::int64_t operators_ = 0, gpu_records_ = 0, unknown_operators_ = 0, made_up_lengths_ = 0;
  std::map<std::string, std::int64_t> unknown_events_;  // by category

  std::map<std::int64_t, int> devices_;  // by number
  std::vector<TorchOperator> descriptions_;
  std::unordered_map<std::string, int> description_of_;  // by the arguments
  std::vector<Operator> rnn_;                            // sorted by thread and start
  std::vector<Launch> launches_;
  std::unordered_map<std::int64_t, int> device_of_correlation_;  // of what is not on the first GPU
  // Where aten::zeros ran, by thread: between the two calls of the backward operator.
  std::map<std::int64_t, std::vector<std::int64_t>> zeros_;
  std::map<std::int64_t, std::vector<Frame>> frames_;  // by thread
  std::vector<CallRecord::Frame> places_;
  std::unordered_map<std::string, int> place_of_;
  std::vector<Interval> steps_;  // ProfilerStep#n

  // While calls are made: of each operator of rnn_, the launches that are its own.
  std::vector<std::vector<Launch>> launched_;
  std::vector<MadeCall> calls_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t>
      forwards_;  // into calls_, by sequence and start
  // Frames that are open where site_of() has come to.
  struct OpenFrames {
    std::int64_t thread = -1;
    std::size_t next = 0;
    std::vector<const Frame*> stack;
  } open_;
};

}  // namespace rnnadvisor::import_trace
