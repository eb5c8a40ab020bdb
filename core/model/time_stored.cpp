#include "core/model/time_stored.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace rnnadvisor::model {
namespace {

constexpr std::string_view first_line = "rnnadvisor-fits 1";

// Fields of one line, taken from the left; `fine` tells whether each was what was asked for.
class StoredFields {
 public:
  explicit StoredFields(std::string_view line) : rest_(line) {}

  bool fine() const { return fine_; }
  bool empty() const { return rest_.empty(); }
  std::string_view rest() const { return rest_; }

  std::string_view text() {
    const std::size_t end = rest_.find('\t');
    const std::string_view field = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    return field;
  }

  template <class Number>
  Number number() {
    const std::string_view field = text();
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    if (error != std::errc() || end != field.data() + field.size()) fine_ = false;
    if constexpr (std::is_floating_point_v<Number>) fine_ = fine_ && std::isfinite(value);
    return value;
  }

  template <class Enum>
  Enum one_of() {
    const auto value = parse_enum<Enum>(text());
    fine_ = fine_ && value.has_value();
    return value.value_or(Enum{});
  }

 private:
  std::string_view rest_;
  bool fine_ = true;
};

std::string_view take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return line;
}

// All that place() looks at.
std::optional<Place> read_call(StoredFields fields) {
  RnnConfig config;
  config.cell = fields.one_of<Cell>();
  config.data_type = fields.one_of<DataType>();
  config.math_type = fields.one_of<MathType>();
  config.hidden_size = fields.number<int>();
  config.batch_size = fields.number<int>();
  config.seq_length = fields.number<int>();
  config.input_size = fields.number<int>();
  config.num_layers = fields.number<int>();
  config.direction =
      fields.number<int>() == 2 ? Direction::bidirectional : Direction::unidirectional;
  if (!fields.fine() || !fields.empty()) return std::nullopt;
  return place(config);
}

}  // namespace

std::optional<StoredTimes> StoredTimes::read(std::string_view text) {
  if (take_line(text) != first_line) return std::nullopt;
  StoredTimes times;
  while (!text.empty()) {
    StoredFields fields(take_line(text));
    const std::string_view kind = fields.text();
    if (kind == "call") {
      const auto call = read_call(fields);
      if (!call) return std::nullopt;
      times.calls_.push_back(*call);
    } else if (kind == "fit") {
      const std::string_view name = fields.text();
      times.fits_[name] = fields.rest();
    } else if (kind == "measured") {
      times.device_ = fields.text();
      times.cudnn_version_ = fields.text();
    } else if (kind == "transfer") {
      for (double& radius : times.transfer_) radius = fields.number<double>();
      if (!fields.fine()) return std::nullopt;
    }
  }
  return times;
}

std::optional<StoredFit> StoredTimes::fit(std::string_view name) const {
  const auto found = fits_.find(name);
  if (found == fits_.end()) return std::nullopt;
  StoredFields fields(found->second);
  StoredFit fit;
  for (double& value : fit.result.likeness.values) value = fields.number<double>();
  for (double& factor : fit.result.factors) factor = fields.number<double>();
  fit.result.conformal = fields.number<double>();
  fit.interval_factor = fields.number<double>();
  while (fields.fine() && !fields.empty()) {
    fit.calls.push_back(fields.number<std::size_t>());
    fit.result.weights.push_back(fields.number<double>());
    if (fit.calls.back() >= calls_.size()) return std::nullopt;
  }
  if (!fields.fine() || fit.calls.empty()) return std::nullopt;
  return fit;
}

std::vector<Place> StoredTimes::places(const StoredFit& fit) const {
  std::vector<Place> places;
  places.reserve(fit.calls.size());
  for (const std::size_t call : fit.calls) places.push_back(calls_[call]);
  return places;
}

std::string write_stored_times(std::string_view device, std::string_view cudnn_version,
                               const std::array<double, 4>& transfer,
                               const std::vector<RnnConfig>& calls,
                               const std::map<std::string, StoredFit>& fits) {
  std::string out =
      fmt::format("{}\nmeasured\t{}\t{}\ntransfer", first_line, device, cudnn_version);
  for (const double radius : transfer) out += fmt::format("\t{}", radius);
  for (const RnnConfig& config : calls) {
    out += fmt::format("\ncall\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}", to_string(config.cell),
                       to_string(config.data_type), to_string(config.math_type), config.hidden_size,
                       config.batch_size, config.seq_length, config.input_size, config.num_layers,
                       config.directions());
  }
  for (const auto& [name, fit] : fits) {
    out += fmt::format("\nfit\t{}", name);
    for (const double value : fit.result.likeness.values) out += fmt::format("\t{}", value);
    for (const double factor : fit.result.factors) out += fmt::format("\t{}", factor);
    out += fmt::format("\t{}\t{}", fit.result.conformal, fit.interval_factor);
    for (std::size_t i = 0; i < fit.calls.size(); ++i)
      out += fmt::format("\t{}\t{}", fit.calls[i], fit.result.weights[i]);
  }
  return out + "\n";
}

}  // namespace rnnadvisor::model
