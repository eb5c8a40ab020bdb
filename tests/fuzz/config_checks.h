// What must hold of every configuration that a reader accepts and of every error it reports.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/read_config.h"
#include "core/config/validate.h"

namespace rnnadvisor::fuzz {

inline void require(bool condition, std::string_view what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(what.size()), what.data());
  std::abort();
}

inline void check_accepted(const ConfigInput& input) {
  const auto& c = input.config;
  for (const int size :
       {c.input_size, c.hidden_size, c.proj_size, c.num_layers, c.seq_length, c.batch_size}) {
    require(size >= 1, "sizes are positive");
  }
  for (const int length : c.seq_lengths) require(length >= 0, "lengths are not negative");
  require(c.dropout >= 0 && c.dropout < 1, "dropout is a probability below 1");
  require(std::isfinite(c.clip_left) && std::isfinite(c.clip_right), "clip bounds are finite");

  const auto again = read_json_line(to_json_line(input), "again", 1);
  require(again.has_value(), "what is written can be read");
  require(again->config == c && again->program == input.program,
          "what is written reads back equal");

  for (const auto& violation : validate(c)) {
    require(
        !violation.id.empty() && !violation.message.empty() && !violation.citation.source.empty(),
        "a violation says what and where from");
  }
}

inline void check_errors(const std::vector<Error>& errors) {
  require(!errors.empty(), "a refusal has a reason");
  for (const auto& error : errors) {
    require(!error.message.empty(), "an error says what happened");
    require(error.where && error.where->line >= 1 && error.where->column >= 1,
            "an error says where");
    require(error.message.size() < 1000, "an error can be read");
  }
}

}  // namespace rnnadvisor::fuzz
