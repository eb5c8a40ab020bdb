// Transforms: changes of a configuration that can be applied by machine, as data. Each kind states
// what it does to the function that is computed (Meaning), so that nothing is proposed as harmless
// that is not. Here a transform is only made, checked and applied to an RnnConfig; advisor/whatif
// tries it on a GPU before and after.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "advisor/change/change.h"
#include "core/base/never_held.h"
#include "core/base/result.h"
#include "core/config/rnn_config.h"

namespace rnnadvisor::advisor {

enum class ParameterType { integer, real, text, boolean };
std::string_view to_string(ParameterType type);

using ParameterValue = std::variant<bool, std::int64_t, double, std::string, NeverHeld>;

struct TransformParameter {
  std::string_view name;  // "multiple"
  ParameterType type = ParameterType::integer;
  double least = 0, most = 0;                  // of a number
  std::span<const std::string_view> values{};  // of a text: its spellings
  std::string_view description;
};

struct TransformKind {
  std::string_view name;  // "pad_batch"
  Meaning meaning = Meaning::exact;
  std::span<const TransformParameter> parameters;  // all required
  std::string_view description;
  bool configurations =
      true;  // false: not expressible as configurations; apply() and expand() say why
};

// All kinds, in the order in which they are documented.
std::span<const TransformKind> transform_kinds();
// Null for an unknown name.
const TransformKind* find_transform_kind(std::string_view name);

struct Parameter {
  std::string name;
  ParameterValue value;
};

// Whether `value` may stand for this parameter: its type and range.
Result<void> check_parameter(const TransformParameter& parameter, const ParameterValue& value);

// A checked transform. Unknown kind or parameter, a missing one, a wrong type or range: an error
// that names the nearest valid word. Parameters named in `deferred` may be missing; they are given
// later with with_parameter().
Result<Transform> make_transform(std::string_view kind, std::span<const Parameter> parameters,
                                 std::span<const std::string_view> deferred = {});
// From its stored form: a kind and a JSON object of parameters.
Result<Transform> parse_transform(std::string_view kind, std::string_view json);
// The same transform with one parameter set.
Result<Transform> with_parameter(const Transform& transform, std::string_view name,
                                 const ParameterValue& value);

// The value of one parameter; nothing where the transform has none of this name.
std::optional<ParameterValue> parameter_of(const Transform& transform, std::string_view name);

// The value of its one parameter, nothing where its kind has none; the errors of parse_transform().
Result<std::optional<ParameterValue>> checked_parameter(const Transform& transform);

// "pad_batch (multiple 8)", for people.
std::string describe(const Transform& transform);

// The configurations that take the place of `config`: one for most kinds, several calls for those
// that split or bucket (in the order in which they are made). Errors: invalid_argument when the
// transform does not fit this configuration (nothing to change, lengths not equal, …), unsupported
// when the kind is no change of configurations.
Result<std::vector<RnnConfig>> expand(const Transform& transform, const RnnConfig& config);

// expand() for transforms that leave one configuration; unsupported, with the number of calls, for
// the others.
Result<RnnConfig> apply(const Transform& transform, const RnnConfig& config);

}  // namespace rnnadvisor::advisor
