#include "advisor/cli/serving.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>
#include <utility>
#include <vector>

#include "advisor/cli/asking.h"
#include "advisor/cli/command_line.h"
#include "advisor/cli/fitting_report.h"
#include "advisor/errors/known_errors.h"
#include "advisor/report/errors_json.h"
#include "advisor/report/maps.h"
#include "advisor/rules/catalog.h"
#include "advisor/samples/samples.h"
#include "core/base/text.h"
#include "core/config/json/json_cursor.h"

namespace rnnadvisor::cli {
namespace {

// Devices that are kept: more names than any program asks for.
constexpr std::size_t most_devices = 64;

}  // namespace

// What is kept of a device, so that it is read once.
struct Server::OnDevice {
  OnDevice(JudgedDevice read, std::string known_as)
      : device(std::move(read)), name(std::move(known_as)) {}

  const JudgedDevice device;
  const std::string name;

  // By an answerer that no other thread uses meanwhile.
  std::string check(const ConfigInput& input, const Judging& judging, bool with_findings) {
    auto& idle = idle_[with_findings ? 1 : 0];
    std::unique_ptr<ConfigurationAnswerer> answerer;
    {
      const std::lock_guard lock(mutex_);
      if (!idle.empty()) {
        answerer = std::move(idle.back());
        idle.pop_back();
      }
    }
    if (!answerer)
      answerer =
          std::make_unique<ConfigurationAnswerer>(batch_options(device, judging, with_findings));
    auto answer = answerer->answer(input);
    const std::lock_guard lock(mutex_);
    idle.push_back(std::move(answerer));
    return answer;
  }

 private:
  std::mutex mutex_;
  std::array<std::vector<std::unique_ptr<ConfigurationAnswerer>>, 2> idle_;
};

// The parameters of a request, by name: texts, flags, and the configuration as it stands there.
class Server::Params {
 public:
  // An error names what is unknown.
  static Result<Params> read(std::string_view text, std::span<const std::string_view> known) {
    Params params;
    if (text.empty()) return params;
    if (text.front() != '{')
      return fail(ErrorCode::invalid_argument, "\"params\" must be an object",
                  "give parameters by their names");
    std::optional<Error> problem;
    json::JsonCursor cursor(text);
    cursor.read_object([&](std::string_view key, std::size_t) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        const auto nearest = did_you_mean(key, known);
        problem = Error{ErrorCode::invalid_argument,
                        fmt::format("there is no parameter '{}'", printable(key)),
                        !nearest.empty() ? nearest
                        : known.empty()  ? std::string("leave it out")
                                         : fmt::format("use {}", fmt::join(known, ", ")),
                        std::nullopt,
                        {}};
        return false;
      }
      auto& value = params.values_[std::string(key)];
      if (!value.raw.empty()) {
        problem = wrong(key, "is given twice");
        return false;
      }
      const char first = cursor.peek();
      const auto begin = cursor.offset();
      if (first == '"') {
        std::string_view word;
        if (!cursor.read_string(word)) return false;
        value.text = word;
      } else if (!cursor.skip_value()) {
        return false;
      }
      value.raw = text.substr(begin, cursor.offset() - begin);
      return true;
    });
    if (problem) return fail(std::move(*problem));
    return params;
  }

  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }

  Result<std::string> text(std::string_view name, std::string_view otherwise) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return std::string(otherwise);
    if (!found->second.text) return fail(wrong(name, "must be a string"));
    return *found->second.text;
  }

  Result<bool> flag(std::string_view name, bool otherwise) const {
    const auto found = values_.find(name);
    if (found == values_.end()) return otherwise;
    if (found->second.raw != "true" && found->second.raw != "false")
      return fail(wrong(name, "must be true or false"));
    return found->second.raw == "true";
  }

  Result<ConfigInput> configuration() const {
    const auto found = values_.find("configuration");
    if (found == values_.end())
      return fail(ErrorCode::invalid_argument, "there is no parameter 'configuration'",
                  "give an object with keys of a configuration");
    return read_json_line(found->second.raw, "configuration", 1);
  }

 private:
  static Error wrong(std::string_view name, std::string_view what) {
    return {ErrorCode::invalid_argument, fmt::format("'{}' {}", name, what), "", std::nullopt, {}};
  }

  struct Value {
    std::string_view raw;
    std::optional<std::string> text;  // of a string
  };
  std::map<std::string, Value, std::less<>> values_;
};

Server::Server(const Context& context, Judging judging, std::string device, std::size_t kept)
    : context_(context), judging_(std::move(judging)), device_(std::move(device)), kept_(kept) {}
Server::~Server() = default;

Result<std::shared_ptr<Server::OnDevice>> Server::on_device(const Params& params) {
  const auto name = params.text("device", device_);
  if (!name) return fail(name.error());
  const std::lock_guard lock(devices_mutex_);
  if (const auto found = devices_.find(*name); found != devices_.end()) return found->second;
  auto device = judged_device(context_, *name);
  if (!device) return fail(std::move(device.error()));
  if (devices_.size() >= most_devices) devices_.clear();
  return devices_[*name] = std::make_shared<OnDevice>(std::move(*device), *name);
}

Server::Answer Server::check(const Params& params) {
  const auto with_findings = params.flag("findings", true);
  if (!with_findings) return fail(with_findings.error());
  const auto input = params.configuration();
  if (!input) return fail(input.error());
  const auto on = on_device(params);
  if (!on) return fail(on.error());
  return (*on)->check(*input, judging_, *with_findings);
}

Server::Answer Server::fit(const Params& params) {
  const auto largest = params.text("largest", default_largest);
  if (!largest) return fail(largest.error());
  const auto memory = params.text("memory", "");
  if (!memory) return fail(memory.error());
  const auto optimizer = params.text("optimizer", default_optimizer);
  if (!optimizer) return fail(optimizer.error());
  const auto terms = read_fit_terms(*largest, *memory, *optimizer);
  if (!terms) return fail(terms.error());
  auto input = params.configuration();
  if (!input) return fail(input.error());
  const auto on = on_device(params);
  if (!on) return fail(on.error());
  advisor::AskedConfiguration asked;
  asked.input = std::move(*input);
  auto question = fit_question(*terms, std::move(asked), {}, (*on)->device.device);
  if (!question) return fail(question.error());
  // As the command, which takes neither folders of rules nor those that a project ignores.
  auto fit = advisor::find_fit(*question, advisor::builtin_rules(), {});
  return fit_json({{std::move(*question), std::move(fit), {}}});
}

Server::Answer Server::map(const Params& params) {
  const auto word = params.text("axes", default_axes);
  if (!word) return fail(word.error());
  const auto axes = read_map_axes(*word);
  if (!axes) return fail(axes.error());
  auto input = params.configuration();
  if (!input) return fail(input.error());
  const auto on = on_device(params);
  if (!on) return fail(on.error());
  const auto beside = times_beside((*on)->name, (*on)->device.times);
  AskedConfigurations asked;
  asked.list.emplace_back().input = std::move(*input);
  return advisor::write_map_json(
      make_maps(asked, *axes, (*on)->device.device, beside, context_.services));
}

Server::Answer Server::explain(const Params& params) {
  if (params.has("rule") == params.has("error"))
    return fail(ErrorCode::invalid_argument, "give either 'rule' or 'error'",
                "'rule' is the id of a rule, 'error' a traceback or log");
  if (params.has("rule")) {
    const auto id = params.text("rule", "");
    if (!id) return fail(id.error());
    return advisor::explain_rule_json(judging_.rules, *id);
  }
  const auto text = params.text("error", "");
  if (!text) return fail(text.error());
  return advisor::write_errors_json(advisor::explain_errors(*text));
}

Server::Answer Server::findings(const Params& params) {
  const auto path = params.text("profile", "");
  if (!path) return fail(path.error());
  if (path->empty())
    return fail(ErrorCode::invalid_argument, "there is no parameter 'profile'",
                "give the path of a .rnnprof file, or sample:NAME");
  // One at a time: a recording may take gigabytes.
  const std::lock_guard lock(findings_mutex_);
  const auto profile = advisor::load_profile(*path);
  if (!profile) return fail(profile.error());
  std::ostringstream out;
  const Context to_text{.out = out,
                        .err = context_.err,
                        .terminal = context_.terminal,
                        .services = context_.services,
                        .quiet = true};
  judge_and_report(to_text, *profile, judging_,
                   {.targets = {{Format::json, {}}}, .profile = *path});
  return out.str();
}

Server::Answer Server::version(const Params&) { return version_json(); }

tl::expected<RpcResult, RpcError> Server::call(std::string_view method, std::string_view params) {
  struct Method {
    std::string_view name;
    Answer (Server::*answer)(const Params&);
    std::vector<std::string_view> parameters;
    bool lasting = true;  // the answer to the same question is always the same
  };
  static const std::array<Method, 6> methods = {{
      {"check", &Server::check, {"configuration", "device", "findings"}},
      {"fit", &Server::fit, {"configuration", "device", "largest", "memory", "optimizer"}},
      {"map", &Server::map, {"configuration", "device", "axes"}},
      {"explain", &Server::explain, {"rule", "error"}},
      {"findings", &Server::findings, {"profile"}, false},
      {"version", &Server::version, {}},
  }};
  const auto found = std::find_if(methods.begin(), methods.end(),
                                  [&](const Method& each) { return each.name == method; });
  if (found == methods.end()) {
    std::vector<std::string_view> names;
    for (const auto& each : methods) names.push_back(each.name);
    return tl::unexpected(RpcError{
        rpc_method_not_found,
        fmt::format("there is no method '{}': use {}", printable(method), fmt::join(names, ", "))});
  }
  std::string question;
  if (found->lasting) {
    question = fmt::format("{} {}", method, params);
    if (auto known = kept_.find(question)) return known;
  }
  auto answer = Params::read(params, found->parameters).and_then([&](const Params& read) {
    return (this->*found->answer)(read);
  });
  if (!answer) return tl::unexpected(RpcError{rpc_invalid_params, to_text(answer.error())});
  auto result = rpc_result(std::move(*answer));
  if (found->lasting) kept_.keep(std::move(question), result);
  return result;
}

}  // namespace rnnadvisor::cli
