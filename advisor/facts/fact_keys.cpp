#include "advisor/facts/fact_keys.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/framework_model.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"
#include "core/config/fields/field_index.h"

namespace rnnadvisor::advisor {
namespace {

using Keys = std::vector<std::string>;

struct Behind {
  std::string_view name;  // of a fact, or its beginning where it ends in '*'
  std::array<std::string_view, 3> keys;
};

// Facts that are computed of keys. Of memory and arithmetic the key that is easiest to change.
constexpr auto behind_facts = std::to_array<Behind>({
    {"call.has_projection", {"proj_size"}},
    {"call.input_equals_hidden", {"input_size", "input_mode", "hidden_size"}},
    {"call.largest_tensor_elements", {"batch_size", "seq_length", "hidden_size"}},
    {"call.lengths_descending", {"seq_lengths"}},
    {"call.longest_length", {"seq_lengths"}},
    {"call.varying_lengths", {"seq_lengths"}},
    {"call.zero_lengths", {"seq_lengths"}},
    {"call.mean_length", {"seq_lengths"}},
    {"call.padding_share", {"seq_lengths"}},
    {"call.math_type_documented", {"math_type", "data_type"}},
    {"call.pair_legal", {"math_precision", "data_type"}},
    {"call.persist_static_*", {"algo", "hidden_size"}},
    {"call.persistent_algo", {"algo"}},
    {"call.tensor_core_math", {"math_type", "data_type"}},
    {"call.unpacked", {"layout"}},
    {"call.small_h_*", {"hidden_size", "algo"}},
    {"framework.algo", {"algo"}},
    {"framework.algo_backward", {"backward_algo", "algo"}},
    {"framework.pytorch_algo_*", {"hidden_size"}},
    {"memory.persistent_extra*", {"algo"}},
    {"memory.weight_query_wraps", {"hidden_size", "num_layers"}},
    {"memory.*", {"batch_size", "seq_length", "hidden_size"}},
    {"model.step_intensity", {"batch_size"}},
    {"model.uses_tf32", {"math_type", "framework.allow_tf32", "data_type"}},
    {"model.wave_waste", {"batch_size", "hidden_size"}},
    {"model.width_reaches_compute_bound", {"hidden_size"}},
    {"predicted.change_*", {"algo", "math_type", "data_type"}},
    {"predicted.other_*", {"algo", "framework.name"}},
    {"sibling.best_algo*", {"algo"}},
    {"sibling.best_math_type*", {"math_type"}},
});

// Conditions of framework_model.h.
constexpr auto behind_clauses = std::to_array<Behind>({
    {"cell*", {"cell"}},
    {"gru", {"cell"}},
    {"projection", {"proj_size"}},
    {"packed_input", {"framework.packed_sequence", "layout"}},
    {"data_type*", {"data_type"}},
    {"bfloat16_cudnn_version", {"data_type"}},
    {"bfloat16*", {"data_type"}},
    {"several_layers", {"num_layers"}},
    {"hidden*", {"hidden_size"}},
    {"bidirectional", {"direction"}},
    {"input_not*", {"input_size"}},
    {"volta_batch", {"batch_size"}},
    {"volta_length", {"seq_length"}},
    {"batch*", {"batch_size"}},
    {"rnn_large*", {"batch_size", "hidden_size"}},
    {"cudnn_disabled", {"framework.cudnn_enabled"}},
});

bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.ends_with('*')) return name.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == name;
}

template <class Table>
Keys look_up(const Table& table, std::string_view name) {
  Keys keys;
  const auto row = std::find_if(table.begin(), table.end(),
                                [&](const Behind& each) { return matches(each.name, name); });
  if (row == table.end()) return keys;
  for (const auto key : row->keys)
    if (!key.empty()) keys.emplace_back(key);
  return keys;
}

bool is_key(std::span<const std::string_view> keys, std::string_view name) {
  return std::find(keys.begin(), keys.end(), name) != keys.end();
}

Keys of_clause(std::string_view clause) {
  if (is_key(fields::context_keys, clause)) return {"framework." + std::string(clause)};
  return look_up(behind_clauses, clause);
}

}  // namespace

std::vector<std::string> keys_behind(const FactDefinition& fact, const Subject& subject,
                                     const ProfileIndex& index) {
  constexpr std::string_view call = "call.", program = "program.";
  const std::string_view name = fact.name;
  if (name.starts_with(call) && is_key(fields::config_keys, name.substr(call.size())))
    return {std::string(name.substr(call.size()))};
  if (name.starts_with(program) && is_key(fields::context_keys, name.substr(program.size())))
    return {"framework." + std::string(name.substr(program.size()))};
  if (subject.configuration < 0 || !subject.get().described()) return {};
  if (name == "framework.ignored_keys") {
    Keys keys;
    for (auto& key : ignored_keys(subject.get(), index.framework_call(subject.configuration)))
      keys.push_back(std::move(key.key));
    return keys;
  }
  if (name == "framework.refused_stage") {
    const DeviceSpec* device = device_of(subject);
    if (device == nullptr) return {};
    const auto refusal =
        model::refusal(index.framework_call(subject.configuration).config, *device);
    return refusal ? refusal->keys : Keys();
  }
  if (name == "framework.calls_cudnn" || name == "framework.stops")
    return of_clause(index.framework_call(subject.configuration).clause);
  if (name.find("clause") != std::string_view::npos) {
    const auto value = fact.provide(subject, index);
    const auto* clause = value ? std::get_if<std::string>(&value->value) : nullptr;
    return clause != nullptr ? of_clause(*clause) : Keys();
  }
  return look_up(behind_facts, name);
}

}  // namespace rnnadvisor::advisor
