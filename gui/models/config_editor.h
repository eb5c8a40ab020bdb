// ConfigEditor: a configuration that a person changes one parameter at a time. A parameter that was
// not set follows its default: input_size follows hidden_size, math_precision follows data_type.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/config/read_config.h"

namespace rnnadvisor::gui {

class ConfigEditor {
 public:
  // The default configuration, of which nothing is set.
  ConfigEditor();

  const ConfigInput& input() const { return input_; }
  // Another configuration, of which everything counts as set.
  void take(const ConfigInput& input);
  // As typed: set("hidden_size", "1000"). Nothing changes when it is no valid value.
  Result<void> set(std::string_view key, std::string_view value);
  // The framework decides it: it does not count as set.
  void choose_algo(Algo algo) { input_.config.set_algo(algo); }

 private:
  void resolve(ConfigInput& input) const;

  ConfigInput input_;
  std::set<std::string> set_;  // keys that follow no other any more
};

}  // namespace rnnadvisor::gui
