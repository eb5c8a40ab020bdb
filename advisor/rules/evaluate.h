// Three-valued evaluation of conditions over the facts of one subject. judge() is built on it;
// tests use it to put chosen values in the place of facts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "advisor/facts/fact.h"
#include "advisor/facts/profile_index.h"
#include "advisor/rules/rule.h"

namespace rnnadvisor::advisor {

// Facts of one configuration at a time, each asked for once at most.
class FactMemo {
 public:
  // The index must outlive the memo.
  explicit FactMemo(const ProfileIndex& index);

  // From now on facts are those of this configuration.
  void begin(int configuration);
  int configuration() const { return subject_.configuration; }
  const ProfileIndex& index() const { return *index_; }
  const Subject& subject() const { return subject_; }

  // Null when the fact is not known, or when its provider failed.
  const Fact* get(int fact);
  // The provider broke its promise: it threw, or gave a value of another type than it declares.
  bool failed(int fact);

  // Puts a value (or "not known") in the place of a fact, for every configuration, until taken
  // back.
  void override_fact(int fact, std::optional<Fact> value);
  void take_back_overrides();

 private:
  enum class State : std::uint8_t { unknown, known, failed };
  struct Entry {
    std::uint64_t epoch = 0;  // of the subject it was computed for
    State state = State::unknown;
    Fact fact;
  };
  Entry& entry(int fact);

  const ProfileIndex* index_;
  Subject subject_;
  std::uint64_t epoch_ = 1;
  std::vector<Entry> entries_;
  std::vector<std::optional<std::optional<Fact>>> overrides_;
};

enum class Truth { no, yes, unknown, error };

Truth holds(const Condition& condition, FactMemo& facts);
// One condition known false decides, whatever the others are; in a group one known true.
Truth holds(const ConditionSet& set, FactMemo& facts);

// Appends the facts that are not known and keep the set from being decided; each once.
void add_missing(const ConditionSet& set, FactMemo& facts, std::vector<int>& missing);
// The facts among these that failed, by name: why a verdict is `error`.
std::vector<std::string_view> failed_facts(const ConditionSet& set, FactMemo& facts);

// What the card's [valid] says of a configuration: false only where version, architecture or device
// is known and outside.
bool valid_for(const Rule& rule, const std::optional<Version>& cudnn, const DeviceSpec* device);

// Whether a card is about a call of cuDNN: it looks at the call, and not at what a program does
// that keeps it from being made, or at whether it is made. It does not apply where no call is made.
bool about_a_call(const Rule& rule);
// Whether a card is about a whole recorded program: it fires once, for its main configuration.
bool about_the_program(const Rule& rule);
// Whether one is made: it ran, it was recorded, or the framework around it is expected to make it.
bool call_is_made(const ProfileIndex& index, int configuration);

// The table in docs/writing-rules.md, for the subject the memo is at.
VerdictKind decide(const Rule& rule, FactMemo& facts, const std::optional<Version>& cudnn);

}  // namespace rnnadvisor::advisor
