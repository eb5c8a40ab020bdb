#include "profiler/launch/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>

#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"
#include "profiler/spool/hash.h"
#include "profiler/spool/plan.h"

namespace rnnadvisor::launch {
namespace {

constexpr std::int64_t format = 1;
constexpr std::string_view remedy =
    "plans are written by `rnnadvisor accelerate --plan FILE`; remove the file to measure anew";

tl::unexpected<Error> wrong(std::string_view file, const toml::source_region& region,
                            std::string message, ErrorCode code = ErrorCode::parse) {
  return tl::unexpected(Error{code,
                              std::move(message),
                              std::string(remedy),
                              SourcePosition{std::string(file), static_cast<int>(region.begin.line),
                                             static_cast<int>(region.begin.column)},
                              {}});
}

// Every key of a table is one of these.
Result<void> check_keys(const toml::table& table, std::span<const std::string_view> known,
                        std::string_view file) {
  for (const auto& [key, value] : table) {
    if (std::find(known.begin(), known.end(), key.str()) == known.end())
      return wrong(file, key.source(),
                   fmt::format("the key '{}' is unknown", printable(key.str())));
  }
  return {};
}

Result<std::string> text_of(const toml::table& table, std::string_view key, std::string_view file) {
  const auto* node = table.get(key);
  const auto text = node == nullptr ? std::nullopt : node->value_exact<std::string>();
  if (!text || text->empty())
    return wrong(file, node == nullptr ? table.source() : node->source(),
                 fmt::format("'{}' must be given as text", key));
  return *text;
}

Result<double> ms_of(const toml::table& table, std::string_view key, std::string_view file) {
  const auto* node = table.get(key);
  if (node == nullptr) return 0.0;
  const auto value = node->value<double>();
  if (!value || !std::isfinite(*value) || *value < 0)
    return wrong(file, node->source(), fmt::format("'{}' must be a time in milliseconds", key));
  return *value;
}

Result<PlannedChoice> read_choice(const toml::table& table, std::string_view file) {
  constexpr std::string_view known[] = {"calls",      "key",         "algo",
                                        "conversion", "original_ms", "chosen_ms"};
  if (auto checked = check_keys(table, known, file); !checked) return fail(checked.error());
  PlannedChoice choice;
  const auto calls = text_of(table, "calls", file), key = text_of(table, "key", file),
             algo = text_of(table, "algo", file);
  for (const auto* part : {&calls, &key, &algo})
    if (!*part) return fail(part->error());
  choice.calls = *calls;
  const auto* const end = key->data() + key->size();
  const auto number = std::from_chars(key->data(), end, choice.key, 16);
  if (number.ec != std::errc() || number.ptr != end)
    return wrong(file, table.get("key")->source(), "'key' must be a hexadecimal number in quotes");
  constexpr auto& algorithms = Spellings<Algo>::values;
  const auto found = std::find(algorithms.begin(), algorithms.end(), *algo);
  if (found == algorithms.end())
    return wrong(file, table.get("algo")->source(),
                 fmt::format("'{}' is no algorithm of cuDNN", printable(*algo)));
  choice.algo = static_cast<Algo>(found - algorithms.begin());
  if (const auto* conversion = table.get("conversion")) {
    const auto value = conversion->value_exact<bool>();
    if (!value) return wrong(file, conversion->source(), "'conversion' must be true or false");
    choice.converts = *value;
  }
  const auto original = ms_of(table, "original_ms", file), chosen = ms_of(table, "chosen_ms", file);
  if (!original) return fail(original.error());
  if (!chosen) return fail(chosen.error());
  choice.original_ms = *original;
  choice.chosen_ms = *chosen;
  return choice;
}

// 91900 of "9.19.0"; 0: it is no version.
std::uint64_t version_number(std::string_view text) {
  std::uint64_t parts[3] = {};
  const char *at = text.data(), *const end = text.data() + text.size();
  for (std::size_t i = 0; i < 3; ++i) {
    const auto read = std::from_chars(at, end, parts[i]);
    if (read.ec != std::errc() || parts[i] > 99) return 0;
    at = read.ptr;
    if (i == 2) break;
    if (at == end || *at != '.') return 0;
    ++at;
  }
  const std::uint64_t major = parts[0] >= 9 ? 10000 : 1000;
  return at == end ? parts[0] * major + parts[1] * 100 + parts[2] : 0;
}

double total_ms(const ChoiceVariant& variant) {
  double total = 0;
  for (const auto& ms : variant.ms) total += ms.count > 0 ? ms.median : 0;
  return total;
}

}  // namespace

Result<Plan> read_plan(std::string_view text, std::string_view file) {
  const auto root = toml_text::parse_toml(text, file);
  if (!root) return fail(root.error());
  constexpr std::string_view known[] = {"format", "gpu", "cudnn", "allow", "choice"};
  if (auto checked = check_keys(*root, known, file); !checked) return fail(checked.error());
  const auto* version = root->get("format");
  const auto number = version == nullptr ? std::nullopt : version->value_exact<std::int64_t>();
  if (!number) return wrong(file, root->source(), "it is no plan: 'format' is missing");
  if (*number > format)
    return wrong(file, version->source(), "the plan is of a later rnnadvisor",
                 ErrorCode::newer_version);
  Plan plan;
  const auto gpu = text_of(*root, "gpu", file), cudnn = text_of(*root, "cudnn", file);
  if (!gpu) return fail(gpu.error());
  if (!cudnn) return fail(cudnn.error());
  plan.gpu = *gpu;
  plan.cudnn = *cudnn;
  if (plan.gpu.size() >= sizeof(spool::PlanHeader::gpu))
    return wrong(file, root->get("gpu")->source(), "'gpu' is too long for a name");
  if (version_number(plan.cudnn) == 0)
    return wrong(file, root->get("cudnn")->source(), "'cudnn' must be a version such as 9.19.0");
  const auto allow = text_of(*root, "allow", file);
  if (!allow) return fail(allow.error());
  plan.numerics = *allow == "numerics";
  if (!plan.numerics && *allow != "exact")
    return wrong(file, root->get("allow")->source(), "'allow' must be exact or numerics");
  const auto* list = root->get("choice");
  if (list == nullptr) return plan;
  const auto* tables = list->as_array();
  if (tables == nullptr || !tables->is_array_of_tables())
    return wrong(file, list->source(), "choices are written as [[choice]]");
  if (tables->size() > spool::most_planned)
    return wrong(file, list->source(),
                 fmt::format("a plan has at most {} choices", spool::most_planned),
                 ErrorCode::invalid_argument);
  for (const auto& node : *tables) {
    auto choice = read_choice(*node.as_table(), file);
    if (!choice) return fail(choice.error());
    plan.choices.push_back(std::move(*choice));
  }
  return plan;
}

std::string write_plan(const Plan& plan) {
  std::string out = fmt::format(
      "# cuDNN algorithms that `rnnadvisor accelerate --plan` chose, for this GPU and this cuDNN. "
      "A "
      "run with this plan\n# begins with them, and adds what it measures for other calls. Times "
      "are "
      "of one call, forward and backward.\n# To measure anew, remove a choice or the file.\n"
      "format = {}\ngpu = {}\ncudnn = {}\nallow = \"{}\"\n",
      format, toml_quoted(plan.gpu), toml_quoted(plan.cudnn), plan.numerics ? "numerics" : "exact");
  for (const auto& choice : plan.choices) {
    out += fmt::format("\n[[choice]]\ncalls = {}\nkey = \"{:016x}\"\nalgo = \"{}\"\n",
                       toml_quoted(choice.calls), choice.key, to_string(choice.algo));
    if (choice.converts) out += "conversion = true\n";
    if (choice.original_ms > 0) out += fmt::format("original_ms = {}\n", choice.original_ms);
    if (choice.chosen_ms > 0) out += fmt::format("chosen_ms = {}\n", choice.chosen_ms);
  }
  return out;
}

// One that a later run may begin with: measured to the end, by default limits or larger ones.
static bool is_known(const AlgorithmChoice& choice) {
  const auto open = [](const ChoiceVariant& v) {
    return v.state == spool::VariantState::unseen || v.state == spool::VariantState::candidate;
  };
  return choice.state == spool::ChoiceState::decided &&
         choice.origin == spool::ChoiceOrigin::measured && choice.key != 0 && choice.device >= 0 &&
         choice.process >= 0 && std::none_of(choice.variants.begin(), choice.variants.end(), open);
}

Plan plan_of(const Collected& collected, const Plan& before, bool numerics) {
  Plan plan = before;
  const auto& profile = collected.profile;
  for (const auto& choice : collected.choices) {
    if (!is_known(choice)) continue;
    const auto& gpu = profile.devices[static_cast<std::size_t>(choice.device)].name;
    const auto& cudnn = profile.processes[static_cast<std::size_t>(choice.process)].cudnn_version;
    if (gpu.empty() || gpu.size() >= sizeof(spool::PlanHeader::gpu) || version_number(cudnn) == 0)
      continue;
    if (plan.gpu.empty()) plan = {gpu, cudnn, numerics, {}};
    const bool there = std::any_of(plan.choices.begin(), plan.choices.end(),
                                   [&](const auto& other) { return other.key == choice.key; });
    if (plan.gpu != gpu || plan.cudnn != cudnn || there ||
        plan.choices.size() >= spool::most_planned)
      continue;
    PlannedChoice made;
    made.calls = "calls that are not described";
    if (choice.configuration >= 0) {
      const auto& config =
          profile.configurations[static_cast<std::size_t>(choice.configuration)].config;
      const auto text = summary(config);
      made.calls = printable(text.substr(0, text.find(", "))) +
                   (config.mode == Mode::inference ? ", inference" : ", training");
    }
    made.key = choice.key;
    made.algo = choice.in_use().algo;
    made.converts = choice.in_use().converts;
    const auto round = [](double ms) { return std::round(ms * 1e4) / 1e4; };
    made.original_ms = round(total_ms(choice.original()));
    made.chosen_ms = round(total_ms(choice.in_use()));
    plan.choices.push_back(std::move(made));
  }
  return plan;
}

std::string plan_bytes(const Plan& plan) {
  spool::PlanHeader header{};
  header.magic = spool::plan_magic;
  header.format = spool::format_version;
  header.count = static_cast<std::uint32_t>(plan.choices.size());
  header.cudnn_version = version_number(plan.cudnn);
  plan.gpu.copy(header.gpu, sizeof header.gpu - 1);
  std::string entries;
  for (const auto& choice : plan.choices) {
    const spool::PlanEntry entry{choice.key, static_cast<std::int32_t>(choice.algo),
                                 choice.converts ? 1U : 0U};
    entries.append(reinterpret_cast<const char*>(&entry), sizeof entry);
  }
  constexpr std::size_t before = offsetof(spool::PlanHeader, cudnn_version);
  const auto bytes_of = [&] {
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + entries;
  };
  std::string out = bytes_of();
  header.checksum = spool::hash_bytes(out.data() + before, out.size() - before);
  return bytes_of();
}

}  // namespace rnnadvisor::launch
