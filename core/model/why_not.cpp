#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "core/model/eligibility.h"
#include "core/model/limits.h"

namespace rnnadvisor::model {
namespace {

constexpr std::string_view topic = "persistence/";

// What is fixed about a clause. The card that explains it is topic + id.
struct Text {
  std::string_view rule_id;
  std::string_view title;
  std::string_view documented_by;
  constexpr std::string_view id() const { return rule_id.substr(topic.size()); }
};

constexpr std::string_view guide7 = "cuDNN 7.x developer guide, sections 2.8.3 and 2.13 [S]";
constexpr std::string_view guide =
    "NVIDIA, Optimizing Recurrent Layers User's Guide, chapter 1 [S]";
constexpr std::string_view observed919 = "cuDNN 9.19 rejects the descriptor [O]";

constexpr Text compute_capability = {"persistence/compute-capability-6",
                                     "compute capability is 6.0 or higher", guide7};
constexpr Text not_double = {"persistence/data-type-not-double", "data type is not double", guide7};
constexpr Text math_precision = {"persistence/math-precision-float",
                                 "math precision is float (double for double data)", observed919};
constexpr Text double_bias = {"persistence/double-bias", "bias mode is double_bias", observed919};
constexpr Text no_projection = {"persistence/no-projection", "no recurrent projection", guide7};
constexpr Text equal_lengths = {"persistence/equal-lengths", "all sequences have the same length",
                                guide7};
constexpr Text static_limit = {
    "persistence/hidden-limit", "hidden size is within PERSIST_STATIC's limit",
    "cuDNN 7.x developer guide: limited by the GPU [S]; sizes measured [M]"};
constexpr Text small_limit = {"persistence/small-h-hidden-limit",
                              "hidden size is within SMALL_H's limit",
                              "PyTorch, aten/src/ATen/native/cudnn/RNN.cpp [C]; measured [M]"};
constexpr Text small_backward = {"persistence/small-h-backward-limit",
                                 "hidden size is within SMALL_H's backward limit",
                                 "PyTorch, aten/src/ATen/native/cudnn/RNN.cpp [C]; measured [M]"};
constexpr Text not_bfloat16 = {
    "persistence/data-type-not-bfloat16", "data type is not bfloat16",
    "cuDNN 9.19 runs its standard kernels instead, 38 of 38 pairs on an H200 [M]"};
constexpr Text nvrtc = {"persistence/linux-nvrtc", "Linux with NVRTC at run time", guide7};
constexpr Text tensor_math = {"persistence/tensor-core-math",
                              "math type lets the kernel use Tensor Cores",
                              "cuDNN 7.x developer guide, 2.8.3 [S]; measured [M]"};
constexpr Text hidden_multiple = {"persistence/hidden-multiple-of-32",
                                  "hidden size is a multiple of 32 (half LSTM: of 8)",
                                  "NVIDIA, Optimizing Recurrent Layers User's Guide, chapter 1 "
                                  "[S]; corrected by measurement [M]"};
constexpr Text input_multiple = {"persistence/input-multiple-of-32",
                                 "input size is a multiple of 32", guide7};
constexpr Text batch_multiple = {"persistence/batch-multiple-of-8", "batch size is a multiple of 8",
                                 guide};
constexpr Text hidden_backward = {"persistence/hidden-backward-limit",
                                  "hidden size keeps the backward pass fast",
                                  "measured: backward data of a half LSTM [M]"};
constexpr Text crossover = {
    "persistence/batch-crossover", "batch size is below the crossover with STANDARD",
    "NVIDIA, Optimizing Recurrent Layers User's Guide, Figure 10 [S]; measured [M]"};

constexpr std::array texts = {compute_capability, not_double,     math_precision, double_bias,
                              no_projection,      equal_lengths,  static_limit,   small_limit,
                              small_backward,     not_bfloat16,   nvrtc,          tensor_math,
                              hidden_multiple,    input_multiple, batch_multiple, hidden_backward,
                              crossover};

int hidden_step(const RnnConfig& c) {
  return c.data_type == DataType::half && c.cell == Cell::lstm ? 8 : 32;
}

// The batch from which STANDARD is faster, for exactly this cell, type and hidden size; 0: not
// measured.
double crossover_batch(const RnnConfig& c, const DeviceSpec& device) {
  for (const auto& point : device.crossovers) {
    if (point.cell != c.cell || point.data_type != c.data_type ||
        point.hidden_size != c.hidden_size)
      continue;
    return c.mode == Mode::training ? point.batch_training : point.batch_forward;
  }
  return 0;
}

// Hidden size above which the persistent backward pass collapses; 0: not known or not this kind of
// call.
int backward_hidden(const RnnConfig& c, const DeviceSpec& device) {
  const bool half_lstm = c.data_type == DataType::half && c.cell == Cell::lstm;
  if (!half_lstm || c.mode != Mode::training || !device.persist_backward_hidden) return 0;
  if (c.algo == Algo::persist_static && c.mixed_algos()) return 0;  // another goes backward
  return static_cast<int>(std::min(device.persist_backward_hidden->value, 1e9));
}

class ClauseList {
 public:
  std::vector<Clause> take() { return std::move(clauses_); }
  void required(const Text& text, Holds holds, std::string observed) {
    add(text, true, holds, std::move(observed));
  }
  void speed(const Text& text, Holds holds, std::string observed) {
    add(text, false, holds, std::move(observed));
  }

 private:
  void add(const Text& text, bool required, Holds holds, std::string observed) {
    clauses_.push_back({text.id(), text.rule_id, text.title, required, holds, std::move(observed),
                        std::string(text.documented_by)});
  }
  std::vector<Clause> clauses_;
};

Holds when(bool condition) { return condition ? Holds::yes : Holds::no; }

std::string against_limit(int hidden, const SizeLimit& limit) {
  return fmt::format("{}, limit {} ({})", hidden, limit.hidden,
                     limit.measured ? "measured on this device" : "documented");
}

std::vector<Clause> clauses_of(const RnnConfig& c, const DeviceSpec& device, Algo algo) {
  ClauseList list;
  if (algo == Algo::standard) return list.take();
  const bool small = algo == Algo::persist_static_small_h;

  // cudnnSetRNNDescriptor_v8
  list.required(compute_capability, when(device.compute_at_least(6)),
                fmt::format("{}.{}", device.compute_major, device.compute_minor));
  if (algo != Algo::persist_dynamic) {
    list.required(not_double, when(c.data_type != DataType::float64),
                  std::string(to_string(c.data_type)));
  }
  list.required(math_precision, when(c.math_precision == natural_math_precision(c.data_type)),
                std::string(to_string(c.math_precision)));
  list.required(double_bias, when(c.bias_mode == BiasMode::double_bias),
                std::string(to_string(c.bias_mode)));
  list.required(
      no_projection, when(!c.has_projection()),
      c.has_projection() ? fmt::format("proj_size {}", c.proj_size) : std::string("none"));
  // cudnnGetRNNTempSpaceSizes
  if (algo == Algo::persist_static) {
    const SizeLimit limit = hidden_limit(device, algo, c.cell, false);
    list.required(static_limit, when(c.hidden_size <= limit.hidden),
                  against_limit(c.hidden_size, limit));
  }
  if (small) {
    const SizeLimit limit = hidden_limit(device, algo, c.cell, false);
    list.required(small_limit, when(c.hidden_size <= limit.hidden),
                  against_limit(c.hidden_size, limit));
    const bool goes_backward = c.mode == Mode::training && !(c.algo == algo && c.mixed_algos());
    if (goes_backward) {
      const SizeLimit backward = hidden_limit(device, algo, c.cell, true);
      list.required(small_backward, when(c.hidden_size <= backward.hidden),
                    against_limit(c.hidden_size, backward));
    }
  }
  // execution
  const bool varying = c.has_varying_lengths();
  list.required(equal_lengths, when(!varying),
                varying ? "lengths differ" : fmt::format("all {}", c.seq_length));
  if (algo == Algo::persist_dynamic) {
    list.required(nvrtc, Holds::unknown,
                  "not looked for: a property of the machine, not of the configuration");
  }
  list.required(not_bfloat16, when(c.data_type != DataType::bfloat16),
                std::string(to_string(c.data_type)));
  if (algo != Algo::persist_static) return list.take();

  // speed of PERSIST_STATIC
  list.speed(tensor_math, when(tensor_core_math(c)),
             fmt::format("{} with {}", to_string(c.data_type), to_string(c.math_type)));
  list.speed(hidden_multiple, when(c.hidden_size % hidden_step(c) == 0),
             std::to_string(c.hidden_size));
  list.speed(input_multiple, when(c.input_size % 32 == 0), std::to_string(c.input_size));
  list.speed(batch_multiple, when(c.batch_size % 8 == 0), std::to_string(c.batch_size));
  if (const int most = backward_hidden(c, device); most > 0) {
    list.speed(hidden_backward, when(c.hidden_size <= most),
               fmt::format("{}, fast up to {}", c.hidden_size, most));
  }
  const double batch = crossover_batch(c, device);
  list.speed(crossover, batch > 0 ? when(c.batch_size < batch) : Holds::unknown,
             batch > 0 ? fmt::format("{}, crossover {:.0f}", c.batch_size, batch)
                       : fmt::format("{}, no measurement for this cell, type and hidden size",
                                     c.batch_size));
  return list.take();
}

bool broken(const Clause& clause) { return clause.holds == Holds::no; }

// Changes a configuration until no clause is broken, and says what it changed.
class Repair {
 public:
  Repair(RnnConfig config, const DeviceSpec& device, Algo algo, const PaddedSizes& padded)
      : c_(std::move(config)), device_(device), algo_(algo), padded_(padded) {
    if (c_.algo != algo) {
      note("algo", to_string(c_.algo), to_string(algo), "");
      c_.set_algo(algo);
    }
  }

  // False: `id` is not in the configuration's power.
  bool fix(std::string_view id) {
    if (id == not_double.id()) {
      set_type(DataType::float32, "less precision");
    } else if (id == not_bfloat16.id()) {
      set_type(DataType::half, "more precision, less range");
    } else if (id == math_precision.id()) {
      set_precision(natural_math_precision(c_.data_type));
    } else if (id == double_bias.id()) {
      note("bias_mode", to_string(c_.bias_mode), "double_bias",
           "with zeros in the bias vectors the model lacks");
      c_.bias_mode = BiasMode::double_bias;
    } else if (id == no_projection.id()) {
      note("proj_size", c_.proj_size, c_.hidden_size, "no projection: another model");
      c_.proj_size = c_.hidden_size;
    } else if (id == equal_lengths.id()) {
      note("seq_lengths", "unequal", fmt::format("all {}", c_.seq_length),
           "batch by length, or pad and mask");
      c_.seq_lengths.clear();
    } else if (id == static_limit.id() || id == small_limit.id()) {
      lower_hidden(hidden_limit(device_, algo_, c_.cell, false).hidden);
    } else if (id == small_backward.id()) {
      lower_hidden(hidden_limit(device_, algo_, c_.cell, true).hidden);
    } else if (id == hidden_backward.id()) {
      lower_hidden(backward_hidden(c_, device_));
    } else if (id == tensor_math.id()) {
      const bool half = c_.data_type == DataType::half;
      set_math(half ? MathType::tensor_op : MathType::tensor_op_allow_conversion,
               half ? "" : "products in half");
    } else if (id == hidden_multiple.id()) {
      raise_hidden();
    } else if (id == input_multiple.id()) {
      return raise_input();
    } else if (id == batch_multiple.id()) {
      return raise_batch();
    } else if (id == crossover.id()) {
      return lower_batch();
    } else {
      return false;
    }
    return true;
  }

  const RnnConfig& config() const { return c_; }
  std::vector<std::string> changes() const {
    std::vector<std::string> list;
    for (const auto& [key, before, after, meaning] : changes_)
      if (before != after)
        list.push_back(fmt::format("{} {} -> {}{}", key, before, after,
                                   meaning.empty() ? "" : fmt::format(" ({})", meaning)));
    return list;
  }

 private:
  template <class Old, class New>
  void note(std::string_view key, const Old& before, const New& after, std::string_view meaning) {
    const auto known =
        std::ranges::find(changes_, key, [](const Change& change) { return change.key; });
    if (known == changes_.end()) {
      changes_.push_back({key, fmt::format("{}", before), fmt::format("{}", after), meaning});
    } else {
      known->after = fmt::format("{}", after);
      known->meaning = meaning;
    }
  }

  void set_type(DataType type, std::string_view meaning) {
    note("data_type", to_string(c_.data_type), to_string(type), meaning);
    c_.data_type = type;
    if (c_.math_precision != natural_math_precision(type))
      set_precision(natural_math_precision(type));
  }
  void set_precision(DataType type) {
    note("math_precision", to_string(c_.math_precision), to_string(type), "");
    c_.math_precision = type;
  }
  void set_math(MathType type, std::string_view meaning) {
    note("math_type", to_string(c_.math_type), to_string(type), meaning);
    c_.math_type = type;
  }
  void set_hidden(int hidden, std::string_view meaning) {
    note("hidden_size", c_.hidden_size, hidden, meaning);
    const bool plain = !c_.has_projection();
    c_.hidden_size = hidden;
    if (plain) {
      c_.proj_size = hidden;
      const auto dropped =
          std::ranges::find(changes_, "proj_size", [](const Change& change) { return change.key; });
      if (dropped != changes_.end()) dropped->after = fmt::format("{}", hidden);
    }
    if (c_.input_mode == InputMode::skip_input && c_.input_size != hidden) {
      note("input_size", c_.input_size, hidden, "skip_input needs the hidden size");
      c_.input_size = hidden;
    }
  }
  static std::int64_t padded_to(std::int64_t size, std::int64_t multiple,
                                const std::optional<int>& wanted) {
    if (wanted && *wanted >= size && *wanted % multiple == 0) return *wanted;
    return (size + multiple - 1) / multiple * multiple;
  }
  static constexpr std::int64_t input_step = 32;

  void lower_hidden(int limit) { set_hidden(limit, "fewer units: another model"); }
  void raise_hidden() {
    std::int64_t step = hidden_step(c_);
    // What makes the input suit the kernel makes the hidden size: one size for both.
    if (c_.input_size == c_.hidden_size) step = std::lcm(step, input_step);
    const std::int64_t up = padded_to(c_.hidden_size, step, padded_.hidden);
    const std::int64_t most = hidden_limit(device_, algo_, c_.cell, false).hidden;
    if (up <= most) {
      set_hidden(static_cast<int>(up), "extra units padded with zeros");
    } else {
      set_hidden(static_cast<int>(std::max<std::int64_t>(most / step * step, step)),
                 "fewer units: another model");
    }
  }
  bool raise_input() {
    const std::int64_t up = padded_to(c_.input_size, input_step, padded_.input);
    if (up > std::numeric_limits<int>::max() || c_.input_mode == InputMode::skip_input)
      return false;
    note("input_size", c_.input_size, up, "extra inputs padded with zeros");
    c_.input_size = static_cast<int>(up);
    return true;
  }
  bool set_batch(std::int64_t batch, std::string_view meaning) {
    if (batch < 1 || batch > std::numeric_limits<int>::max()) return false;
    note("batch_size", c_.batch_size, batch, meaning);
    c_.batch_size = static_cast<int>(batch);
    c_.seq_lengths.clear();  // by now all equal
    return true;
  }
  bool raise_batch() {
    return set_batch(padded_to(c_.batch_size, 8, padded_.batch), "extra sequences masked");
  }
  bool lower_batch() {
    const double batch = crossover_batch(c_, device_);
    const auto below =
        static_cast<std::int64_t>(std::min(batch, 1e9)) - (std::floor(batch) == batch ? 1 : 0);
    return set_batch(below / 8 * 8, "split the batch");
  }

  RnnConfig c_;
  const DeviceSpec& device_;
  Algo algo_;
  const PaddedSizes& padded_;
  // One of each key: a size can be changed twice.
  struct Change {
    std::string_view key;
    std::string before, after;
    std::string_view meaning;
  };
  std::vector<Change> changes_;
};

}  // namespace

bool tensor_core_math(const RnnConfig& c) {
  if (c.data_type == DataType::half) {
    return c.math_type == MathType::tensor_op ||
           c.math_type == MathType::tensor_op_allow_conversion;
  }
  return c.data_type == DataType::float32 && c.math_type == MathType::tensor_op_allow_conversion;
}

std::span<const std::string_view> clause_ids() {
  static constexpr auto ids = [] {
    std::array<std::string_view, texts.size()> result{};
    for (std::size_t i = 0; i < texts.size(); ++i) result[i] = texts[i].id();
    return result;
  }();
  return ids;
}

WhyNot why_not(const RnnConfig& config, const DeviceSpec& device, Algo algo,
               const PaddedSizes& padded) {
  WhyNot answer;
  answer.algo = algo;
  answer.clauses = clauses_of(config, device, algo);
  answer.eligible =
      std::none_of(answer.clauses.begin(), answer.clauses.end(),
                   [](const Clause& clause) { return clause.required && broken(clause); });
  answer.fast = std::none_of(answer.clauses.begin(), answer.clauses.end(), broken);

  // One repair may bring up the next clause (another hidden size has another crossover); a handful
  // of rounds settles it.
  Repair repair(config, device, algo, padded);
  for (std::size_t round = 0; round < 2 * texts.size(); ++round) {
    const auto clauses = clauses_of(repair.config(), device, algo);
    const auto next = std::find_if(clauses.begin(), clauses.end(), broken);
    if (next == clauses.end()) {
      answer.has_nearest = true;
      break;
    }
    if (!repair.fix(next->id)) break;
  }
  answer.nearest = repair.config();
  answer.changes = repair.changes();
  if (const auto refused = answer.has_nearest ? refusal(answer.nearest, device) : std::nullopt) {
    answer.has_nearest = false;
    answer.refused = refused->reason;
  }
  return answer;
}

}  // namespace rnnadvisor::model
