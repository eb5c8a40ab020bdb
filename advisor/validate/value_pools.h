// Random configurations that satisfy simple conditions. Private to advisor/validate.
#pragma once

#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "advisor/rules/rule.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

// What a card demands of fields of a configuration, by the name of the field ("hidden_size").
// Conditions on anything else are left to those who judge.
using FieldConditions = std::map<std::string, std::vector<const Condition*>>;
FieldConditions field_conditions(std::span<const Condition* const> conditions);

class ValuePools {
 public:
  // `thresholds`: of all conditions of the card, whether they must hold or not: values beside them
  // are tried more often.
  explicit ValuePools(std::span<const Condition* const> thresholds);

  // A configuration whose fields satisfy `conditions`, as far as values could be found for them.
  // One that names no sizes of its own gets them from those that people use.
  RnnConfig draw(const FieldConditions& conditions, std::mt19937_64& random) const;

 private:
  std::map<std::string, std::vector<int>> sizes_;
};

}  // namespace rnnadvisor::advisor
