#include "advisor/change/compose.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

struct Split {
  std::string_view kind;
  Composition composition;
};
constexpr std::array splits = {
    Split{"lower_batch", Composition::rows},           Split{"bucket_lengths", Composition::rows},
    Split{"sort_lengths", Composition::rows},          Split{"drop_empty_rows", Composition::rows},
    Split{"chunk_sequence", Composition::steps},       Split{"split_layers", Composition::layers},
    Split{"split_directions", Composition::directions}};

const Split* find_split(std::string_view kind) {
  const auto found =
      std::find_if(splits.begin(), splits.end(), [&](const Split& s) { return s.kind == kind; });
  return found == splits.end() ? nullptr : &*found;
}

// Which sequences each call has, for the kinds that deal them out. expand() cuts the same lists.
std::vector<std::vector<int>> rows_of(std::string_view kind, const RnnConfig& config,
                                      const std::vector<RnnConfig>& calls) {
  std::vector<int> order(static_cast<std::size_t>(config.batch_size));
  std::iota(order.begin(), order.end(), 0);
  const auto length = [&](int row) {
    return config.seq_lengths.empty() ? config.seq_length
                                      : config.seq_lengths[static_cast<std::size_t>(row)];
  };
  if (kind == "drop_empty_rows") std::erase_if(order, [&](int row) { return length(row) == 0; });
  if (kind == "bucket_lengths" || kind == "sort_lengths")
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return length(a) > length(b); });
  std::vector<std::vector<int>> rows;
  auto next = order.begin();
  for (const auto& call : calls) {
    const auto count = std::min<std::ptrdiff_t>(call.batch_size, order.end() - next);
    rows.emplace_back(next, next + count);
    next += count;
  }
  return rows;
}

// A call's list ends where its padding begins. False: a sequence of some call stands behind
// padding.
bool drop_padding(std::vector<std::vector<int>>& rows, int sequences) {
  const auto real = [&](int row) { return row < sequences; };
  for (auto& call : rows) {
    if (!std::is_partitioned(call.begin(), call.end(), real)) return false;
    std::erase_if(call, std::not_fn(real));
  }
  return true;
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blank = " \t\n()";
  const auto begin = text.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

// One change: its kind, and where it has a parameter the value, with or without the name before.
Result<Transform> parse_change(std::string_view text) {
  const auto split = text.find_first_of(" \t\n(=");
  const auto kind_name = text.substr(0, split);
  auto value =
      split == std::string_view::npos ? std::string_view() : without_blanks(text.substr(split));
  const auto* kind = find_transform_kind(kind_name);
  if (kind == nullptr) return make_transform(kind_name, {});  // says so, with the nearest name
  if (kind->parameters.empty()) {
    if (!value.empty())
      return fail(ErrorCode::invalid_argument, fmt::format("'{}' takes no value, and '{}' follows",
                                                           kind->name, to_valid_utf8(value)));
    return make_transform(kind->name, {});
  }
  const auto& parameter = kind->parameters.front();
  if (value.starts_with(parameter.name) && value.size() > parameter.name.size() &&
      std::string_view(" \t\n=").find(value[parameter.name.size()]) != std::string_view::npos)
    value.remove_prefix(parameter.name.size());
  while (!value.empty() && std::string_view(" \t\n=").find(value.front()) != std::string_view::npos)
    value.remove_prefix(1);
  if (value.empty())
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' needs a value", kind->name),
                fmt::format("{} VALUE; {}: {}", kind->name, parameter.name, parameter.description));
  Parameter given{std::string(parameter.name), std::string(value)};
  if (parameter.type != ParameterType::text) {
    const auto json = nlohmann::json::parse(value, nullptr, false);
    if (json.is_boolean()) given.value = json.get<bool>();
    if (json.is_number_integer()) given.value = json.get<std::int64_t>();
    if (json.is_number_float()) given.value = json.get<double>();
  }
  return make_transform(kind->name, std::span(&given, 1));
}

}  // namespace

std::vector<Transform> in_order(std::span<const Transform> transforms) {
  std::vector<Transform> ordered(transforms.begin(), transforms.end());
  std::stable_partition(ordered.begin(), ordered.end(),
                        [](const Transform& t) { return find_split(t.kind) == nullptr; });
  return ordered;
}

std::vector<Transform> effective(std::vector<Transform> transforms, const RnnConfig& config) {
  std::erase_if(transforms, [&](const Transform& transform) {
    const auto after = expand(transform, config);
    // A size that is a multiple already, and a value that is the present one, are errors to
    // expand().
    if (!after) {
      constexpr std::array<std::string_view, 4> valued = {"algo", "math_type", "data_type",
                                                          "math_precision"};
      return transform.kind.starts_with("pad_") ||
             std::find(valued.begin(), valued.end(), transform.kind) != valued.end();
    }
    return after->size() == 1 && after->front() == config;
  });
  return transforms;
}

Result<ExperimentVariant> compose(std::span<const Transform> transforms, const RnnConfig& config) {
  if (transforms.empty()) return fail(ErrorCode::invalid_argument, "no change is named");
  // What a user wrote may break any constraint; this one is what rows are dealt out by.
  if (!config.seq_lengths.empty() && std::ssize(config.seq_lengths) != config.batch_size) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("seq_lengths has {} lengths for batch_size {}",
                            config.seq_lengths.size(), config.batch_size),
                "give one length for each sequence");
  }
  ExperimentVariant variant;
  variant.calls = {config};
  int sequences = config.batch_size;  // without those that padding adds behind them
  const Transform* divided = nullptr;
  for (const Transform& transform : transforms) {
    if (transform.kind == "cuda_graph") {
      if (variant.cuda_graph) return fail(ErrorCode::invalid_argument, "a CUDA graph twice");
      variant.cuda_graph = true;
      continue;
    }
    const Split* split = find_split(transform.kind);
    if (divided != nullptr) {
      return fail(ErrorCode::unsupported,
                  fmt::format("'{}' after '{}': calls that were divided are not changed further",
                              transform.kind, divided->kind),
                  "put the change that makes several calls last, and only one of them");
    }
    const RnnConfig whole = variant.calls.front();
    // Lists of that many rows would take seconds and gigabytes, and no GPU runs such a call.
    constexpr int most_rows = 1 << 20;
    if (split != nullptr && split->composition == Composition::rows && whole.batch_size > most_rows)
      return fail(ErrorCode::unsupported,
                  fmt::format("a batch of {} sequences is not divided", whole.batch_size),
                  fmt::format("use at most {} sequences", most_rows));
    auto calls = expand(transform, whole);
    if (!calls) return fail(std::move(calls).error());
    if (split != nullptr) {
      divided = &transform;
      variant.composition = split->composition;
      if (split->composition == Composition::rows) {
        variant.rows = rows_of(transform.kind, whole, *calls);
        if (!drop_padding(variant.rows, sequences))
          return fail(ErrorCode::unsupported,
                      fmt::format("'{}' would put padding between sequences", transform.kind),
                      "divide the batch without padding it");
      }
    } else if (transform.kind != "pad_batch" && calls->front().batch_size != whole.batch_size) {
      sequences = calls->front().batch_size;
    }
    variant.calls = std::move(*calls);
  }
  return variant;
}

Meaning meaning_of(std::span<const Transform> transforms, const RnnConfig& config) {
  Meaning worst = Meaning::exact;
  for (const auto& transform : transforms) {
    const auto* kind = find_transform_kind(transform.kind);
    Meaning meaning = kind ? kind->meaning : Meaning::model;
    if (transform.kind == "chunk_sequence" && config.mode == Mode::inference &&
        config.direction == Direction::unidirectional)
      meaning = Meaning::exact;
    if (transform.kind == "inference_mode" && config.dropout > 0 && config.num_layers > 1)
      meaning = Meaning::model;
    worst = std::max(worst, meaning);
  }
  return worst;
}

bool compared_per_sequence(std::span<const Transform> transforms) {
  return std::any_of(transforms.begin(), transforms.end(),
                     [](const Transform& transform) { return transform.kind == "set_batch"; });
}

int batch_of(const ExperimentVariant& variant) {
  if (variant.calls.empty()) return 0;
  if (variant.composition != Composition::rows) return variant.calls.front().batch_size;
  return std::accumulate(variant.calls.begin(), variant.calls.end(), 0,
                         [](int sum, const RnnConfig& call) { return sum + call.batch_size; });
}

std::string describe(std::span<const Transform> transforms) {
  std::string text;
  for (const auto& transform : transforms)
    text += fmt::format("{}{}", text.empty() ? "" : ", then ", describe(transform));
  return text;
}

Result<std::vector<Transform>> parse_change_words(std::string_view text) {
  if (without_blanks(text).starts_with('[')) return parse_transforms(text);
  std::vector<Transform> changes;
  while (true) {
    const auto comma = text.find(',');
    auto part = without_blanks(text.substr(0, comma));
    constexpr std::string_view then = "then ";
    if (!changes.empty() && part.starts_with(then)) part = without_blanks(part.substr(then.size()));
    if (part.empty())
      return fail(ErrorCode::invalid_argument, "a change is empty",
                  "write them as in: pad_batch 64, then algo persist_static");
    auto change = parse_change(part);
    if (!change) return fail(std::move(change).error());
    changes.push_back(std::move(*change));
    if (comma == std::string_view::npos) return changes;
    text.remove_prefix(comma + 1);
  }
}

std::string to_json(std::span<const Transform> transforms) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& transform : transforms) {
    auto parameters = nlohmann::ordered_json::parse(transform.json, nullptr, false);
    if (!parameters.is_object()) parameters = nlohmann::ordered_json::object();
    list.push_back({{"kind", transform.kind}, {"parameters", std::move(parameters)}});
  }
  return list.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<std::vector<Transform>> parse_transforms(std::string_view json) {
  const auto list = nlohmann::json::parse(json, nullptr, false);
  if (!list.is_array()) return fail(ErrorCode::parse, "transforms must be a JSON array");
  std::vector<Transform> transforms;
  for (const auto& item : list) {
    if (!item.is_object() || !item.contains("kind") || !item.at("kind").is_string())
      return fail(ErrorCode::parse, "a transform must be an object with a kind");
    const auto parameters = item.find("parameters");
    auto transform = parse_transform(item.at("kind").get<std::string>(),
                                     parameters == item.end() ? "{}" : parameters->dump());
    if (!transform) return fail(std::move(transform).error());
    transforms.push_back(std::move(*transform));
  }
  return transforms;
}

}  // namespace rnnadvisor::advisor
