// Whatever is drawn: what is expected to be refused is an error, a tick means that it runs, and
// check, --batch, fit, maps and reports speak of the same call.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "advisor/change/accelerating.h"
#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/cli/batch.h"
#include "advisor/cli/configurations.h"
#include "advisor/cli/serving.h"
#include "advisor/facts/framework_call.h"
#include "advisor/fit/fit.h"
#include "advisor/judge/merge.h"
#include "advisor/judge/order.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/report.h"
#include "advisor/sweep/config_fields.h"
#include "core/model/map.h"
#include "core/model/memory.h"
#include "core/model/time_for_device.h"
#include "core/model/time_model.h"
#include "tests/advisor/cli/fake_services.h"
#include "tests/advisor/properties/agreements.h"
#include "tests/effort.h"

namespace rnnadvisor {
namespace {

using advisor::Severity;
using advisor::Standing;
using test::Checked;
using test::Drawn;
using test::failures;
using test::label;
using test::map_agrees;
using test::Met;
using test::padded_one_way;
using test::refusals_and_ticks;

// Whether it calls cuDNN is one answer: in the headline, in the standing and in the findings.
void unknown_is_said(const Drawn& drawn, const Checked& checked, Met& met) {
  const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
  const auto& one = checked.one();
  const bool unknown = call.happens() && !call.cudnn;
  EXPECT_EQ(!one.decides.empty(), unknown) << label(drawn);
  if (!unknown) return;
  ++met.undecided;
  EXPECT_EQ(one.calls_cudnn, std::nullopt) << label(drawn);
  if (one.refusal) return;  // were it called, it would be refused
  EXPECT_NE(one.verdict.find("calls cuDNN depends on " + one.decides), std::string::npos)
      << one.verdict << label(drawn);
  EXPECT_EQ(one.verdict.find("kernels"), std::string::npos) << one.verdict << label(drawn);
  // And how to say it, where a key does.
  if (one.decides_key.empty()) return;
  std::string flag = one.decides_key;
  std::replace(flag.begin(), flag.end(), '_', '-');
  EXPECT_NE(one.verdict.find("--framework." + flag), std::string::npos) << one.verdict;
  EXPECT_TRUE(advisor::find_field("framework." + one.decides_key)) << one.decides_key;
}

void no_call_no_numbers(const Drawn& drawn, const Checked& checked, Met& met) {
  const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
  if (call.happens()) return;
  ++met.without_cudnn;
  const auto& one = checked.one();
  EXPECT_EQ(one.memory.total, 0) << label(drawn);
  EXPECT_TRUE(one.why_not.empty()) << label(drawn);
  EXPECT_EQ(one.verdict.find("kernels are expected"), std::string::npos) << label(drawn);
  // A card says what keeps it from cuDNN.
  EXPECT_TRUE(std::any_of(checked.judgement.findings.begin(), checked.judgement.findings.end(),
                          [](const auto& finding) {
                            const auto& word =
                                advisor::builtin_rules().find(finding.rule_id)->consequence;
                            return word == "fallback" || word == "error" || word == "path";
                          }))
      << one.verdict << " " << label(drawn);
  for (const auto& finding : checked.judgement.findings) {
    EXPECT_FALSE(finding.rule_id.starts_with("persistence/") ||
                 finding.rule_id.starts_with("alignment/") ||
                 finding.rule_id.starts_with("tiles/") || finding.rule_id.starts_with("memory/"))
        << finding.rule_id << " of a call that is not made: " << label(drawn);
  }
}

void ignored_is_said(const Drawn& drawn, const Checked& checked, Met& met) {
  const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
  const auto ignored = advisor::ignored_keys(drawn.input, call);
  const auto* finding = checked.finding("descriptor/ignored-keys");
  EXPECT_EQ(!ignored.empty(), finding != nullptr) << label(drawn);
  // Said means: with its key and its value.
  const bool other_algo =
      is_given(drawn.input, "algo") && drawn.input.config.algo != checked.call().algo;
  if (!other_algo) return;
  ++met.ignored;
  const std::string said = "algo = " + std::string(to_string(drawn.input.config.algo));
  ASSERT_NE(finding, nullptr) << label(drawn);
  EXPECT_NE(finding->message.find(said), std::string::npos) << label(drawn);
}

void batch_agrees(const Drawn& drawn, const Checked& checked) {
  cli::BatchOptions options;
  options.device = drawn.device;
  const auto answer = nlohmann::json::parse(cli::answer_line(drawn.input, options));
  EXPECT_EQ(answer.at("algo"), to_string(checked.call().algo)) << label(drawn);
  const auto call = advisor::framework_call(drawn.input.config, drawn.input.program, drawn.device);
  EXPECT_EQ(answer.contains("ignored"), !advisor::ignored_keys(drawn.input, call).empty())
      << label(drawn);
  // Whether cuDNN is called at all has a key of its own, beside what it is expected to run.
  const auto& calls = checked.one().calls_cudnn;
  EXPECT_EQ(answer.at("calls_cudnn"), calls ? nlohmann::json(*calls) : nlohmann::json(nullptr))
      << label(drawn);
  EXPECT_EQ(checked.one().no_call, calls == false) << label(drawn);
  if (checked.one().no_call) {
    EXPECT_EQ(answer.at("bytes").at("weights"), 0) << label(drawn);
  }
  for (const auto stage : model::all_stages)
    EXPECT_EQ(answer.at("predicted").at(std::string(model::to_string(stage))),
              checked.one().predicted.at(stage))
        << label(drawn);
  EXPECT_EQ(answer.at("predicted").at("implementation"),
            model::to_string(checked.one().predicted.implementation))
      << label(drawn);
}

void fit_agrees(const Drawn& drawn, const Checked& checked, Met& met) {
  // fit asks about sequences of full length, and about PyTorch's whole step.
  if (!drawn.input.config.seq_lengths.empty()) return;
  ++met.fitted;
  advisor::FitQuestion question;
  question.input = drawn.input;
  question.device = *drawn.device;
  question.room = {std::int64_t{1} << 50, "a test"};
  const int size = drawn.input.config.batch_size;
  const auto call = advisor::call_of(question, size);
  EXPECT_EQ(call.config, checked.call()) << label(drawn);
  EXPECT_EQ(call.happens(), !checked.one().no_call) << label(drawn);
  EXPECT_EQ(advisor::name_of(question), summary(checked.call())) << label(drawn);
  // What check calls an error because it does not run is refused here, for the same reason.
  const auto& one = checked.one();
  const auto why = advisor::why_it_does_not_run(question, size);
  if (one.refusal || one.stops) {
    ASSERT_TRUE(why) << label(drawn);
    EXPECT_EQ(why->stage, one.stops ? "framework" : model::to_string(one.refusal->stage));
    if (one.refusal) {
      EXPECT_EQ(why->because, one.refusal->reason) << label(drawn);
    }
  } else if (drawn.input.config.seq_lengths.empty()) {
    EXPECT_FALSE(why) << label(drawn);
  }
  if (drawn.input.program.name != Framework::pytorch && call.happens()) {
    EXPECT_EQ(advisor::need_of(question, size).total, checked.one().memory.total) << label(drawn);
  }
}

// Nor does a remark say of a size that is padded that padding it gained nothing.
void padding_is_not_spoken_against(const Drawn& drawn, const Checked& checked) {
  const RnnConfig& config = checked.call();
  const auto& findings = checked.judgement.findings;
  const auto sizes = [&](const advisor::Finding& finding, bool of_refuted) {
    std::set<std::string> padded;
    for (const auto& suggestion : finding.suggestions) {
      if (!suggestion.transform || withdrawn(finding, suggestion) != of_refuted) continue;
      const auto to = advisor::padding_of(suggestion, config);
      if (to.hidden) padded.insert("hidden");
      if (to.input) padded.insert("input");
      if (to.batch) padded.insert("batch");
    }
    return padded;
  };
  for (const auto& against : findings) {
    if (!against.refuted_by) continue;
    const auto refused = sizes(against, true);
    for (const auto& finding : findings)
      for (const auto& size : sizes(finding, false))
        EXPECT_FALSE(refused.contains(size))
            << finding.rule_id << " pads " << size << ", " << against.rule_id << label(drawn);
  }
}

// What asks for something says what to do, and what can be done comes first.
void something_can_be_done(const Drawn& drawn, const Checked& checked) {
  for (const auto& finding : checked.judgement.findings) {
    if (is_remark(finding)) continue;
    // But what keeps a layer from running, or from cuDNN, where every remedy ends in an error.
    const auto* rule = advisor::builtin_rules().find(finding.rule_id);
    EXPECT_TRUE(rule->suggestions.empty() || !finding.suggestions.empty() ||
                finding.severity == Severity::error || rule->consequence == "fallback")
        << finding.rule_id << " " << label(drawn);
    EXPECT_TRUE(std::is_partitioned(finding.suggestions.begin(), finding.suggestions.end(),
                                    [](const auto& each) { return each.cannot.empty(); }))
        << finding.rule_id << " " << label(drawn);
  }
}

// What is proposed against too little memory fits.
void proposals_fit(const Drawn& drawn, const Checked& checked, Met& met) {
  const std::int64_t room = drawn.device->memory_bytes;
  const RnnConfig& config = checked.call();
  if (room <= 0) return;
  for (const std::string_view rule : {"memory/does-not-fit", "memory/persistent-does-not-fit"}) {
    const auto* finding = checked.finding(rule);
    if (finding == nullptr) continue;
    ++met.too_large;
    EXPECT_FALSE(finding->suggestions.empty()) << label(drawn);
    for (const auto& suggestion : finding->suggestions) {
      if (suggestion.transform) {
        const auto calls = advisor::compose(changes_of(suggestion), config);
        if (!calls) continue;  // more calls than are tried
        for (const auto& call : calls->calls)
          EXPECT_LE(model::memory_need(call, call.mode).total, room)
              << suggestion.text << label(drawn);
      }
      if (suggestion.text.find("as inference") != std::string::npos) {
        EXPECT_LE(model::memory_need(config, Mode::inference).total, room) << label(drawn);
      }
    }
  }
}

// The nearest configuration with an algorithm is one that cuDNN takes, and names each key once.
void nearest_runs(const Drawn& drawn, const Checked& checked, Met& met) {
  for (const auto& table : checked.one().why_not) {
    if (!table.has_nearest) continue;
    ++met.nearest;
    const auto refused = model::refusal(table.nearest, *drawn.device);
    EXPECT_FALSE(refused) << refused->reason << label(drawn);
    std::set<std::string> keys;
    for (const auto& change : table.changes)
      EXPECT_TRUE(keys.insert(change.substr(0, change.find(' '))).second) << change << label(drawn);
  }
}

// What a card says happens names no size to pad to: that is for what it proposes, of which one
// stays.
TEST(OneDecision, MessagesNameNoPaddedSize) {
  for (const auto& rule : advisor::builtin_rules().rules)
    for (const std::string_view size : {"hidden", "input", "batch"})
      EXPECT_EQ(rule.message.find(fmt::format("{{call.{}_padded_", size)), std::string::npos)
          << rule.id;
}

TEST(OneDecision, AboutDrawnConfigurations) {
  Met met;
  const int draws = test::draws();
  for (const auto& drawn : test::draw_configurations(1, static_cast<std::uint64_t>(draws))) {
    const Checked checked(drawn);
    refusals_and_ticks(drawn, checked, met);
    unknown_is_said(drawn, checked, met);
    padded_one_way(drawn, checked, met);
    padding_is_not_spoken_against(drawn, checked);
    something_can_be_done(drawn, checked);
    proposals_fit(drawn, checked, met);
    nearest_runs(drawn, checked, met);
    no_call_no_numbers(drawn, checked, met);
    ignored_is_said(drawn, checked, met);
    batch_agrees(drawn, checked);
    fit_agrees(drawn, checked, met);
    map_agrees(drawn, checked, {}, nullptr, met);
    if (failures() > 20) break;  // enough to read
  }
  EXPECT_GT(met.refused, draws / 10);
  EXPECT_GT(met.nearest, draws / 20);
  EXPECT_GT(met.stopped, draws / 200);
  EXPECT_GT(met.without_cudnn, draws / 40);
  EXPECT_GT(met.fine, draws / 40);
  EXPECT_GT(met.ignored, draws / 40);
  EXPECT_GT(met.mixed, draws / 1000);
  EXPECT_GT(met.fitted, draws / 4);
  EXPECT_GT(met.undecided, draws / 100);
  EXPECT_GT(met.padded, draws / 20);
  EXPECT_GT(met.too_large, draws / 100);
}

// The command shows what map_agrees() looks at: a cell is what its framework would call.
TEST(OneDecision, MapsOfTheCommand) {
  const cli::TemporaryFolder folder;
  std::map<const DeviceSpec*, std::vector<Drawn>> by_device;
  for (const auto& drawn :
       test::draw_configurations(3000000, static_cast<std::uint64_t>(test::draws() / 10)))
    by_device[drawn.device].push_back(drawn);
  int picked = 0;
  for (const auto& [device, all] : by_device) {
    const auto file = folder / (device->id + ".jsonl");
    std::string text;
    for (const auto& drawn : all) text += to_json_line(drawn.input) + "\n";
    cli::write_text_file(file, text);
    const auto maps = nlohmann::json::parse(
        cli::call({"map", file, "--device", device->id, "--axes", "hidden-type", "--json"}).out,
        nullptr, false);
    ASSERT_TRUE(maps.is_object()) << device->id;
    ASSERT_EQ(maps.at("maps").size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& input = all[i].input;
      const auto& shown = maps.at("maps")[i];
      model::MapRequest request;
      request.here = advisor::framework_call(input.config, input.program, device).config;
      request.axes = model::MapAxes::hidden_type;
      request.call = advisor::framework_caller(input.program, *device, request.here);
      const auto map = model::build_map(request, *device);
      picked += map.framework_picks ? 1 : 0;
      EXPECT_EQ(shown.at("framework_picks"), map.framework_picks) << label(all[i]);
      EXPECT_EQ(shown.at("configuration").at("algo"), to_string(map.here.algo)) << label(all[i]);
      ASSERT_EQ(shown.at("cells").size(), map.cells.size());
      for (std::size_t c = 0; c < map.cells.size(); ++c)
        EXPECT_EQ(shown.at("cells")[c].at("algo"), to_string(map.cells[c].asked)) << label(all[i]);
      if (failures() > 20) return;
    }
  }
  EXPECT_GT(picked, test::draws() / 200);
}

// One configuration is judged alike alone and as a line of a batch: the same findings in the same
// words, predicted times, memory and exit status for every --fail-on; and a server that is asked
// gives the line of the batch.
TEST(OneDecision, CheckItsBatchAndTheServerGiveTheSameAnswer) {
  const auto findings_of = [](const nlohmann::json& list) {
    std::vector<std::string> all;
    for (const auto& each : list)
      all.push_back(fmt::format("{} {} {}", each.at("rule").get<std::string>(),
                                each.at("severity").get<std::string>(),
                                each.at("message").get<std::string>()));
    return all;
  };
  cli::FakeMachine machine;
  auto services = machine.services();
  services.predict_for = model::predict_time_for;
  const cli::Terminal terminal;
  std::ostringstream nowhere;
  const cli::Context context{
      .out = nowhere, .err = nowhere, .terminal = terminal, .services = services};
  cli::JudgingOptions judging;
  judging.fail_on = "error";
  cli::Server server(context, *cli::prepare_judging(judging, services.predict_for), "");
  const cli::TemporaryFolder folder;
  int gains = 0, timed = 0, untimed = 0, fallen = 0;
  // Every other one on the H200: only its times are known.
  const auto draws = static_cast<std::uint64_t>(std::max(60, test::draws() / 5));
  std::map<std::string, std::vector<Drawn>> by_device;
  for (const auto& drawn : test::draw_configurations(4000000, draws))
    by_device[drawn.number % 2 == 0 ? "nvidia-h200" : drawn.device->id].push_back(drawn);
  for (const auto& [device, all] : by_device) {
    // As one file, which several threads answer.
    const std::string many = folder / (device + ".jsonl");
    std::string text;
    for (const auto& drawn : all) text += to_json_line(drawn.input) + "\n";
    cli::write_text_file(many, text);
    const auto batch = cli::call({"check", "--batch", many, "--device", device}, services);
    std::istringstream lines(batch.out);
    int worst = cli::exit_ok;
    for (const auto& drawn : all) {
      std::string line;
      ASSERT_TRUE(std::getline(lines, line));
      const auto answer = nlohmann::json::parse(line);
      const auto served =
          server.call("check", fmt::format(R"({{"configuration": {}, "device": "{}"}})",
                                           to_json_line(drawn.input), device));
      EXPECT_EQ(served ? **served : served.error().message, line) << label(drawn);
      const std::string file = folder / "one.jsonl";
      cli::write_text_file(file, to_json_line(drawn.input) + "\n");
      const auto one = cli::call({"check", file, "--device", device, "--format", "json"}, services);
      const auto whole = nlohmann::json::parse(one.out);
      EXPECT_EQ(findings_of(whole.at("findings")), findings_of(answer.at("findings")))
          << label(drawn);
      auto times = whole.at("predicted_times").at("configurations").at(0);
      times.erase("configuration");
      const auto& basis = whole.at("predicted_times").at("basis");
      times["basis"] = basis == "" ? nlohmann::json() : basis;
      EXPECT_EQ(times, answer.at("predicted_times")) << label(drawn);
      EXPECT_EQ(whole.at("configurations").at(0).at("memory").at("total"),
                answer.at("bytes").at("total"))
          << label(drawn);
      worst = std::max(worst, one.status);
      if (drawn.number % 5 == 0) {
        const auto status = [&](std::vector<std::string> arguments) {
          arguments.insert(arguments.end(), {"--device", device, "--fail-on", "warning"});
          return cli::call(arguments, services).status;
        };
        const int strict = status({"check", file});
        EXPECT_EQ(strict, status({"check", "--batch", file})) << label(drawn);
        fallen += strict == cli::exit_findings;
      }
      (answer.at("predicted_times").at("algorithms").empty() ? untimed : timed) += 1;
      const auto& findings = whole.at("findings");
      gains += std::any_of(findings.begin(), findings.end(), [](const auto& finding) {
        return finding.at("gain").is_object() && finding.at("gain").at("basis") == "modelled";
      });
      if (failures() > 5) return;
    }
    EXPECT_EQ(batch.status, worst) << device;
  }
  EXPECT_GT(gains, 0);
  EXPECT_GT(timed, 0);
  EXPECT_GT(untimed, 0);
  EXPECT_GT(fallen, 0);
}

}  // namespace
}  // namespace rnnadvisor
