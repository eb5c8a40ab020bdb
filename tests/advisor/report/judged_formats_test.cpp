// What judge() says of a profile is the same in every format: of a refused alternative, of a rule
// that another one tells, of a change that the framework cannot express.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "advisor/judge/judge.h"
#include "advisor/report/predicted_times.h"
#include "core/model/time_for_device.h"
#include "core/model/time_model.h"
#include "tests/advisor/report/csv_rows.h"
#include "tests/advisor/report/formats.h"

namespace rnnadvisor::advisor {
namespace {

// A comparison of algorithms of which cuDNN refused the second, judged by the shipped rules.
struct AlgorithmComparison {
  explicit AlgorithmComparison(Outcome first) {
    auto& all = profile.configurations;
    all.resize(2);
    for (auto& each : all) {
      each.device = -1;
      each.outcome = Outcome::refused;
      each.stages = {{model::Stage::set_descriptor, true, 3000, "CUDNN_STATUS_NOT_SUPPORTED", ""}};
    }
    all[0].config.id = "standard";
    all[1].config.id = "small-h";
    all[1].config.algo = Algo::persist_static_small_h;
    all[0].outcome = first;
    if (first == Outcome::completed) all[0].stages.clear();
    judgement = judge(profile, builtin_rules());
  }
  Report report() const { return make_report(profile, judgement, builtin_rules()); }
  Profile profile;
  Judgement judgement;
};

int errors_of(const Json& sarif) {
  int errors = 0;
  for (const auto& result : sarif["results"]) errors += result["level"] == "error" ? 1 : 0;
  for (const auto& note : sarif["invocations"][0]["toolExecutionNotifications"])
    errors += note["level"] == "error" ? 1 : 0;
  return errors;
}

// The column of that name in the first line of a configuration.
std::string csv_value(const std::string& csv, const std::string& id, const std::string& column) {
  return test::csv_field(csv, "id", id, column);
}

TEST(RefusedAlternative, IsNoErrorInAnyFormat) {
  const AlgorithmComparison judged(Outcome::completed);
  const Report report = judged.report();
  ASSERT_FALSE(report.configurations[1].findings.empty());
  EXPECT_EQ(report.errors, 0);
  EXPECT_THAT(write_text(report), Not(HasSubstr("✖")));
  EXPECT_THAT(write_markdown(report), HasSubstr("0 errors"));
  EXPECT_THAT(write_markdown(report), Not(HasSubstr("❌")));
  const std::string page = write_html(report);
  EXPECT_THAT(page, HasSubstr("<strong>0</strong> errors"));
  EXPECT_THAT(page, HasSubstr("<span class=\"chip refused\">"));
  EXPECT_EQ(errors_of(sarif_of(report)), 0);
  const std::string junit = write_junit(report);
  EXPECT_THAT(junit, Not(HasSubstr("<error ")));
  EXPECT_THAT(junit, ContainsRegex("classname=\"small-h\" name=\"outcome\"[^\n]*\n *<skipped "));
  EXPECT_THAT(junit, Not(HasSubstr("<failure type=\"error\"")));
  const std::string csv = write_csv(report);
  EXPECT_EQ(csv_value(csv, "small-h", "standing"), "refused");
  EXPECT_EQ(csv_value(csv, "small-h", "outcome"), "refused");
  EXPECT_EQ(csv_value(csv, "small-h", "errors"), "0");
  const Json json = json_of(report);
  EXPECT_EQ(json["configurations"][1]["standing"], "refused");
  for (const auto& finding : json["findings"]) EXPECT_NE(finding["severity"], "error");
}

TEST(RefusedAlternative, IsAnErrorInEveryFormatWhereNothingElseRan) {
  const AlgorithmComparison judged(Outcome::refused);
  const Report report = judged.report();
  EXPECT_GE(report.errors, 2);
  EXPECT_THAT(write_text(report), HasSubstr("✖"));
  EXPECT_THAT(write_markdown(report), HasSubstr("❌"));
  EXPECT_GE(errors_of(sarif_of(report)), 4);  // a finding and a notification each
  const std::string junit = write_junit(report);
  EXPECT_THAT(junit, ContainsRegex("classname=\"small-h\" name=\"outcome\"[^\n]*\n *<error "));
  EXPECT_THAT(junit, HasSubstr("<failure type=\"error\""));
  EXPECT_EQ(csv_value(write_csv(report), "small-h", "standing"), "error");
  EXPECT_NE(csv_value(write_csv(report), "small-h", "errors"), "0");
  EXPECT_EQ(json_of(report)["configurations"][1]["standing"], "error");
}

TEST(ToldByAnother, IsNotCalledNotApplicable) {
  auto judged = fixture::single();
  auto& verdicts = judged->judgement.verdicts;
  const auto found = std::find_if(verdicts.begin(), verdicts.end(), [](const Verdict& one) {
    return one.kind == VerdictKind::passed;
  });
  ASSERT_NE(found, verdicts.end());
  const Report before = judged->report();
  const int passed = before.configurations[0].passed;
  const int not_applicable = before.configurations[0].not_applicable;
  found->kind = VerdictKind::told_by_another;
  found->message = "`x/y` proposes the same";
  const Report report = judged->report();
  EXPECT_EQ(report.configurations[0].passed, passed - 1);
  EXPECT_EQ(report.configurations[0].not_applicable, not_applicable);
  TextOptions options;
  options.width = 200;
  options.verbose = true;
  const std::string text = write_text(report, options);
  EXPECT_THAT(text, HasSubstr("1 covered by another finding"));
  EXPECT_THAT(text,
              HasSubstr(found->rule_id + ": covered by another finding, `x/y` proposes the same"));
  EXPECT_THAT(write_markdown(report), HasSubstr("1 covered by another finding"));
  const std::string page = write_html(report);
  EXPECT_THAT(page, HasSubstr("1 covered by another finding"));
  EXPECT_THAT(page, HasSubstr("<summary>Covered by another finding, which proposes the same <"));
  EXPECT_THAT(write_junit(report),
              ContainsRegex(
                  "name=\"" + found->rule_id +
                  "\"[^\n]*\n *<system-out>covered by another finding: `x/y` proposes the same<"));
  const Json json = json_of(report);
  int told = 0;
  for (const auto& verdict : json["configurations"][0]["verdicts"]) {
    if (verdict["rule"] != found->rule_id) continue;
    ++told;
    EXPECT_EQ(verdict["verdict"], "told_by_another");
    EXPECT_EQ(verdict["message"], "`x/y` proposes the same");
  }
  EXPECT_EQ(told, 1);
}

// A value that the schema does not list is one that raises the version.
TEST(ReportSchema, ListsEveryStandingAndVerdict) {
  using namespace nlohmann::literals;
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/docs/schema/report.schema.json");
  const Json schema = Json::parse(file);
  const Json& properties = schema.at("definitions").at("configuration").at("properties");
  std::set<std::string> standings, verdicts;
  for (const auto value : {Standing::unjudged, Standing::refused, Standing::fine,
                           Standing::opportunity, Standing::warning, Standing::error})
    standings.emplace(to_string(value));
  for (const auto value : {VerdictKind::fired, VerdictKind::passed, VerdictKind::told_by_another,
                           VerdictKind::not_applicable, VerdictKind::unknown, VerdictKind::error})
    verdicts.emplace(to_string(value));
  EXPECT_EQ(properties.at("standing").at("enum").get<std::set<std::string>>(), standings);
  EXPECT_EQ(properties.at("/verdicts/items/properties/verdict/enum"_json_pointer)
                .get<std::set<std::string>>(),
            verdicts);
  EXPECT_THAT(
      schema.at("description").get<std::string>(),
      HasSubstr(schema.at("/properties/schema_version/const"_json_pointer).get<std::string>() +
                " added"));
}

TEST(Impossible, IsShownBesideTheChange) {
  auto judged = fixture::single();
  auto& suggestion = judged->judgement.findings.at(0).suggestions.at(0);
  suggestion.cannot = "Keras has no such setting.";
  const Report report = judged->report();
  for (const std::string& written : {write_text(report), write_markdown(report), write_html(report),
                                     write_junit(report), write_sarif(report), write_json(report)})
    EXPECT_THAT(written, HasSubstr("Keras has no such setting."));
}

// A half LSTM in a PyTorch program, with predicted times.
struct JudgedLayer {
  JudgedLayer() {
    device = *find_device("h200");
    profile.devices = {device};
    auto& own = profile.configurations.emplace_back();
    own.program.name = Framework::pytorch;
    own.device = 0;
    RnnConfig& config = own.config;
    config.data_type = DataType::half;
    config.math_type = MathType::tensor_op;
    config.hidden_size = config.input_size = config.proj_size = 1000;
    config.batch_size = 32;
    JudgeOptions options;
    options.predict_for = model::predict_time_for;
    judgement = judge(profile, builtin_rules(), options);
  }
  std::string text(bool verbose) const {
    TextOptions options;
    options.verbose = verbose;
    return write_text(make_report(profile, judgement, builtin_rules()), options);
  }
  DeviceSpec device;
  Profile profile;
  Judgement judgement;
};

std::vector<std::string> lines_with(const std::string& text, const std::string& word) {
  std::istringstream stream(text);
  std::vector<std::string> found;
  for (std::string line; std::getline(stream, line);)
    if (line.find(word) != std::string::npos) found.push_back(line);
  return found;
}

TEST(TextForPeople, HasNoFactsThatOnlyTheCardsKnow) {
  const JudgedLayer judged;
  const std::string brief = judged.text(false), all = judged.text(true);
  EXPECT_THAT(brief, Not(HasSubstr("framework.pytorch_clause")));
  EXPECT_THAT(all, HasSubstr("framework.pytorch_clause_forward is hidden_not_multiple_of_128"));
  for (const auto& line : lines_with(brief, "because"))
    EXPECT_THAT(line, Not(ContainsRegex(" is (true|false)"))) << line;
}

TEST(TextForPeople, SaysOnceWhatTheWordsInBracketsMean) {
  const std::string text = JudgedLayer().text(false);
  const auto legend = text.find("exact: the same function");
  ASSERT_NE(legend, std::string::npos);
  EXPECT_LT(legend, text.find("(exact)"));
  EXPECT_EQ(text.find("exact: the same function", legend + 1), std::string::npos);
}

TEST(TextForPeople, RemarksAskForNothing) {
  const JudgedLayer judged;
  const std::string text = judged.text(true);
  const auto remarks = text.find("Remarks (no action needed)");
  ASSERT_NE(remarks, std::string::npos);
  const auto after = text.substr(remarks);
  EXPECT_THAT(after, HasSubstr("     option"));
  EXPECT_TRUE(lines_with(after, "     do ").empty());
  const auto report = make_report(judged.profile, judged.judgement, builtin_rules());
  const std::string markdown = write_markdown(report);
  const auto section = markdown.find("Remarks");
  ASSERT_NE(section, std::string::npos);
  EXPECT_THAT(markdown.substr(section), Not(HasSubstr("- **Do:**")));
}

TEST(PredictedTimesTable, NamesTheCommandThatReachesARow) {
  const JudgedLayer judged;
  const auto model = model::find_time_model("nvidia-h200", judged.device);
  ASSERT_TRUE(model && *model);
  const auto times = predict_times(judged.profile, judged.device, model->get());
  ASSERT_NE(times.of(0), nullptr);
  std::map<std::string, std::string> marks;
  for (const auto& row : predicted_table(*times.of(0))) marks[row.front()] = row.back();
  EXPECT_THAT(marks["persist_static"], HasSubstr("with `accelerate`"));
  EXPECT_THAT(marks["persist_dynamic"], HasSubstr("not asked for by PyTorch"));
}

}  // namespace
}  // namespace rnnadvisor::advisor
