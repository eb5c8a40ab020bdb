// Questions about configuration keys that sweeps, flags, help, completion and the forms of the
// window share; answered from core/config/fields.h. From any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/config/read_config.h"

namespace rnnadvisor::advisor {

enum class FieldKind { text, word, boolean, integer, real, integer_list };

struct FieldInfo {
  std::string key;      // "hidden_size", "framework.version"
  std::string meaning;  // one line
  FieldKind kind = FieldKind::text;
  std::vector<std::string> words;  // for word and boolean: what may be written
  bool framework = false;
};

// All keys in the order of fields.h, framework keys with their prefix.
const std::vector<FieldInfo>& config_field_infos();
const FieldInfo* find_field(std::string_view key);

// The value of one key as set_field() would read it; empty when an optional field is not set.
std::string field_text(const ConfigInput& input, std::string_view key);
std::string field_text(const RnnConfig& config, std::string_view key);

}  // namespace rnnadvisor::advisor
