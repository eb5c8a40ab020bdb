// No report contradicts itself, and no two formats say different things of one profile: over all
// recorded samples and over drawn configurations, devices and frameworks. The JSON report is the
// one that is read; every other format is held against it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include "advisor/judge/judge.h"
#include "advisor/report/words.h"
#include "advisor/rules/rule.h"
#include "core/device/device_spec.h"
#include "core/model/time_for_device.h"
#include "profiler/profile/builder.h"
#include "profiler/profile/file.h"
#include "tests/advisor/report/csv_rows.h"
#include "tests/advisor/report/formats.h"
#include "tests/advisor/report/plurals.h"
#include "tests/effort.h"

namespace rnnadvisor::advisor {
namespace {

namespace fs = std::filesystem;

// Every format of one report, and the JSON parsed.
struct Formats {
  explicit Formats(const Report& report)
      : json(Json::parse(write_json(report))),
        markdown(unescaped(write_markdown(report))),
        page(write_html(report)),
        html(plain(page)),
        sarif(Json::parse(write_sarif(report))["runs"][0]),
        junit(plain(write_junit(report))),
        junit_xml(write_junit(report)),
        csv(write_csv(report)) {
    TextOptions options;
    options.width = 100000;  // nothing is wrapped
    options.max_configurations = 1 << 20;
    text = write_text(report, options);
    options.verbose = true;
    verbose = write_text(report, options);
  }

  // Whether pages have the details of every configuration.
  bool details() const { return json["counts"]["configurations"].get<int>() <= 24; }

  // Markdown's and HTML's escapes taken back, tags left out.
  static std::string unescaped(const std::string& markdown) {
    std::string out;
    for (std::size_t i = 0; i < markdown.size(); ++i) {
      if (markdown[i] == '\\' && i + 1 < markdown.size()) continue;
      out += markdown[i];
    }
    return entities(out);
  }
  // `gap`: what stands where a tag was.
  static std::string plain(const std::string& html, std::string_view gap = {}) {
    std::string out;
    bool tag = false;
    for (const char c : html) {
      if (c == '<') {
        tag = true;
        if (!gap.empty() && !out.ends_with(gap)) out += gap;
      }
      if (!tag) out += c;
      if (c == '>') {
        tag = false;
      }
    }
    return entities(out);
  }
  static std::string entities(std::string text) {
    for (const auto& [from, to] : {std::pair{"&lt;", "<"},
                                   {"&gt;", ">"},
                                   {"&quot;", "\""},
                                   {"&#39;", "'"},
                                   {"&amp;", "&"}}) {
      const std::string_view entity = from;
      for (auto at = text.find(entity); at != std::string::npos; at = text.find(entity, at + 1))
        text.replace(at, entity.size(), to);
    }
    return text;
  }

  Json json;
  std::string markdown, page, html;
  Json sarif;
  std::string junit, junit_xml, csv, text, verbose;
};

std::string lines_from(const std::string& text, const std::string& begin, const std::string& end) {
  const auto at = text.find(begin);
  if (at == std::string::npos) return {};
  const auto stop = end.empty() ? std::string::npos : text.find(end, at + begin.size());
  return text.substr(at, stop == std::string::npos ? stop : stop - at);
}

// Titles as they stand in a section, found by where the next one begins.
void in_order(const std::string& section, const std::vector<std::string>& titles,
              const std::string& where) {
  std::size_t at = 0;
  for (const auto& title : titles) {
    const auto found = section.find(title, at);
    ASSERT_NE(found, std::string::npos) << where << ": '" << title << "' is missing or misplaced";
    at = found + title.size();
  }
}

struct Group {
  std::string title, severity, gain, change;
  std::string possible;  // share of a step that it saves once the program is changed
};

std::string without_code_marks(std::string text) {
  std::erase(text, '`');
  return text;
}

// The groups of a section in the order of the JSON report.
std::vector<Group> groups_of(const Json& json, const std::string& section) {
  std::vector<Group> groups;
  std::set<std::string> seen;
  for (const auto& finding : json["findings"]) {
    if (finding["section"] != section || !seen.insert(finding["rule"]).second) continue;
    Group group{words::clean(finding["title"].get<std::string>()), finding["severity"], "", "", ""};
    if (const auto& possible = finding["possible_gain"]; !possible.is_null())
      group.possible = words::percent(1 - 1 / possible["speedup"].get<double>());
    if (const auto& gain = finding["gain"]; !gain.is_null()) {
      group.change = words::clean(gain["change"].get<std::string>());
      if (gain["speedup"].get<double>() > 1.0005)
        group.gain = words::times(gain["speedup"].get<double>());
      else if (gain["saved_bytes"].get<std::int64_t>() > 0)
        group.gain =
            "saves " + format_bytes(static_cast<double>(gain["saved_bytes"].get<std::int64_t>()));
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

void expect_sections(const Formats& of) {
  const auto actions = groups_of(of.json, "action"), remarks = groups_of(of.json, "remark");
  const auto titles = [](const std::vector<Group>& groups, std::size_t most, bool code) {
    std::vector<std::string> list;
    for (std::size_t i = 0; i < std::min(most, groups.size()); ++i)
      list.push_back(code ? groups[i].title : without_code_marks(groups[i].title));
    return list;
  };
  const auto heading = [](const std::string& text, const std::string& title) {
    return text.find("\n" + title) != std::string::npos;
  };
  EXPECT_EQ(heading(of.verbose, "What to do first"), !actions.empty());
  EXPECT_EQ(heading(of.verbose, "Remarks (no action"), !remarks.empty());
  EXPECT_EQ(heading(of.markdown, "## What to do first"), !actions.empty());
  EXPECT_EQ(heading(of.markdown, "## Remarks"), !remarks.empty());
  const std::string does = lines_from(of.verbose, "\nWhat to do first", "\nRemarks (no action");
  in_order(does, titles(actions, 1000, true), "text, what to do");
  in_order(lines_from(of.verbose, "\nRemarks (no action", ""), titles(remarks, 1000, true),
           "text, remarks");
  in_order(lines_from(of.text, "\nWhat to do first", ""), titles(actions, 3, true), "short text");
  in_order(lines_from(of.markdown, "\n## What to do first", ""), titles(actions, 20, true),
           "Markdown, what to do");
  in_order(lines_from(of.markdown, "\n## Remarks", ""), titles(remarks, 20, true),
           "Markdown, remarks");
  in_order(lines_from(of.html, "Ordered by the time", ""), titles(actions, 40, false),
           "HTML, what to do");
  in_order(lines_from(of.html, "(no action needed)No action needed", ""),
           titles(remarks, 40, false), "HTML, remarks");
  // Every action of a recorded program says what it saves of a step, or that this is not known.
  if (!of.json["steps"].empty())
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (actions[i].severity == "error" || actions[i].gain.starts_with("saves ")) continue;
      const auto next = i + 1 < actions.size() ? actions[i + 1].title : std::string("\nRemarks");
      const auto part = lines_from(does, actions[i].title, next);
      EXPECT_NE(part.find("     saves"), std::string::npos) << part;
      if (actions[i].gain.empty() && !actions[i].possible.empty()) {
        EXPECT_NE(part.find("saves    " + actions[i].possible), std::string::npos) << part;
      }
    }
  // Gains beside the numbered titles.
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto line = lines_from(does, actions[i].title, "\n");
    EXPECT_NE(line.find(actions[i].gain), std::string::npos) << line;
    if (i >= 20) continue;
    const auto part =
        lines_from(of.markdown, fmt::format("### {}. {}", i + 1, actions[i].title), "\n### ");
    EXPECT_NE(part.find(actions[i].gain), std::string::npos) << part.substr(0, 200);
    if (actions[i].gain.empty()) continue;
    // With the change that gains it.
    EXPECT_NE(line.find(actions[i].change), std::string::npos) << line;
    EXPECT_NE(part.find(actions[i].change), std::string::npos) << part.substr(0, 300);
  }
}

// The parts of a step are its whole, stand in every format for people, and no finding saves more
// than the step has.
void expect_steps(const Formats& of) {
  for (const auto& step : of.json["steps"]) {
    double sum = 0, idle = 0;
    for (const auto& part : step["parts"]) {
      const double share = part["share"].get<double>();
      EXPECT_GT(share, 0);
      sum += share;
      idle += part["idle"].get<bool>() ? share : 0;
      const std::string name = part["name"].get<std::string>();
      const std::string said = fmt::format("{} {}", name.substr(1), words::percent(share));
      for (const auto* text : {&of.text, &of.verbose, &of.markdown, &of.html})
        EXPECT_NE(text->find(said), std::string::npos) << said;
    }
    EXPECT_NEAR(sum, 1, 1e-6);
    EXPECT_NEAR(idle, step["idle"].get<double>(), 1e-6);
  }
  for (const auto& finding : of.json["findings"]) {
    const auto& saving = finding["saving"];
    if (saving.is_null()) continue;
    // What was not measured here is offered only where it makes the step 1.05 times as fast.
    if (finding["section"] == "action" && finding["severity"] != "error" &&
        finding["gain"]["basis"] != "measured_here") {
      EXPECT_GE(finding["rule_saving"]["high"].get<double>(), 1 - 1 / least_told_gain - 1e-9)
          << finding["rule"];
    }
    EXPECT_FALSE(of.json["steps"].empty());
    ASSERT_FALSE(finding["gain"].is_null());
    EXPECT_FALSE(finding["gain"]["another_model"].get<bool>());
    const double share = saving["share"].get<double>();
    EXPECT_LE(share, 1);
    EXPECT_EQ(share > 0, finding["gain"]["speedup"].get<double>() > 1);
    EXPECT_LE(saving["low"].get<double>(), share);
    EXPECT_GE(saving["high"].get<double>(), share);
    // Of the rule it is at least that, and all findings of the rule in a step say the same.
    if (share <= 0) continue;
    EXPECT_GE(finding["rule_saving"]["share"].get<double>(), share);
    if (finding["gain"]["scope"] == "program step" || of.json["steps"].size() != 1) continue;
    for (const auto& other : of.json["findings"]) {
      const bool adds = other["rule"] == finding["rule"] && !other["saving"].is_null() &&
                        other["gain"]["scope"] != "program step" &&
                        other["saving"]["share"].get<double>() > 0;
      if (adds) {
        EXPECT_EQ(other["rule_saving"], finding["rule_saving"]);
      }
    }
  }
}

Json changes_of(const Json& suggestion) {
  Json changes = suggestion["with"];
  if (!suggestion["transform"].is_null()) changes.insert(changes.begin(), suggestion["transform"]);
  return changes;
}

// A gain names its change, and a finding of the configuration proposes that change.
void expect_gains_of_changes(const Formats& of) {
  const auto& findings = of.json["findings"];
  const auto proposed = [&](const Json& configuration, const Json& changes) {
    return std::any_of(findings.begin(), findings.end(), [&](const Json& other) {
      const auto& all = other["suggestions"];
      return other["configuration"] == configuration &&
             std::any_of(all.begin(), all.end(), [&](const Json& suggestion) {
               const Json its = changes_of(suggestion);
               return its.size() == changes.size() &&
                      std::is_permutation(its.begin(), its.end(), changes.begin());
             });
    });
  };
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const auto& finding = findings[i];
    const auto& gain = finding["gain"];
    if (gain.is_null()) continue;
    SCOPED_TRACE(finding["rule"].get<std::string>() + " of " + finding["configuration"].dump());
    const std::string change = gain["change"];
    EXPECT_FALSE(change.empty());
    EXPECT_FALSE(finding["suggestions"].empty());
    if (!gain["changes"].empty()) {
      EXPECT_TRUE(proposed(finding["configuration"], gain["changes"])) << change;
    }
    EXPECT_EQ(of.sarif["results"][i]["properties"]["gain"]["change"], change);
    if (gain["speedup"].get<double>() <= 1.0005 && gain["saved_bytes"].get<std::int64_t>() <= 0)
      continue;
    EXPECT_NE(of.sarif["results"][i]["message"]["text"].get<std::string>().find(change),
              std::string::npos);
    EXPECT_NE(of.verbose.find(change), std::string::npos) << change;
    if (of.details()) {
      EXPECT_NE(of.html.find(change), std::string::npos) << change;
    }
  }
}

void expect_findings_of_machines(const Formats& of) {
  const auto& findings = of.json["findings"];
  const auto& results = of.sarif["results"];
  ASSERT_EQ(results.size(), findings.size());
  for (std::size_t i = 0; i < findings.size(); ++i) {
    EXPECT_EQ(results[i]["ruleId"], findings[i]["rule"]);
    EXPECT_EQ(results[i]["properties"]["severity"], findings[i]["severity"]);
    const bool gain = results[i]["properties"].contains("gain");
    ASSERT_EQ(gain, !findings[i]["gain"].is_null());
    if (gain) {
      EXPECT_EQ(results[i]["properties"]["gain"]["speedup"], findings[i]["gain"]["speedup"]);
    }
    EXPECT_EQ(results[i]["properties"].contains("refuted"), !findings[i]["refuted"].is_null());
    // What measuring refuted is no advice.
    if (!findings[i]["refuted"].is_null()) {
      EXPECT_EQ(findings[i]["section"], "remark");
    }
  }
  int failures = 0;
  const auto rows = test::csv_rows(of.csv);
  for (const auto& each : of.json["configurations"]) {
    if (each["added_by_experiment"] == true) continue;
    std::map<std::string, int> counts;
    for (const auto& finding : findings) {
      if (finding["configuration"] != each["index"]) continue;
      // A case of the layer that the program's findings are told at.
      failures += finding["severity"] == "error" || finding["severity"] == "warning" ? 1 : 0;
      if (finding["of_program"] == false) ++counts[finding["severity"]];
    }
    const auto found = std::ranges::find(rows, std::to_string(each["index"].get<int>()),
                                         [](const auto& row) { return row.at("configuration"); });
    ASSERT_NE(found, rows.end()) << each["name"];
    const auto& row = *found;
    EXPECT_EQ(row.at("standing"), each["standing"].get<std::string>());
    EXPECT_EQ(row.at("verdict"), each["verdict"].get<std::string>());
    EXPECT_EQ(row.at("errors"), std::to_string(counts["error"]));
    EXPECT_EQ(row.at("warnings"), std::to_string(counts["warning"]));
    EXPECT_EQ(row.at("opportunities"), std::to_string(counts["opportunity"]));
    EXPECT_EQ(row.at("top_rule"),
              each["findings"].empty() ? "" : each["findings"][0].get<std::string>());
    EXPECT_EQ(row.at("best_gain").empty(), each["best_gain"].is_null());
  }
  std::size_t found = 0;
  for (auto at = of.junit_xml.find("<failure "); at != std::string::npos;
       at = of.junit_xml.find("<failure ", at + 1))
    ++found;
  EXPECT_EQ(found, static_cast<std::size_t>(failures));
}

// The gain of a headline is that of the first action that has one: order and promise are one
// decision. What may be a loss has its interval, and an estimate is labelled.
void expect_first_gain(const Formats& of) {
  const std::string headline = of.json["headline"];
  const auto told = headline.find("× to gain");
  if (told == std::string::npos) return;
  const auto& findings = of.json["findings"];
  const auto first = std::find_if(findings.begin(), findings.end(), [](const auto& finding) {
    return finding["section"] == "action" && !finding["gain"].is_null() &&
           finding["gain"]["another_model"] == false && finding["gain"]["speedup"] > 1.0005;
  });
  ASSERT_NE(first, findings.end()) << headline;
  auto gain = (*first)["gain"];
  // In a program's step a layer gains what it saves of that.
  const auto& saving = (*first)["rule_saving"];
  const bool of_step = of.json["steps"].size() == 1 && !saving.is_null() &&
                       saving["outside"] == "no" && gain["scope"] != "program step";
  if (of_step) {
    const auto faster = [&](const char* share) {
      return 1 / (1 - std::min(0.99, saving[share].template get<double>()));
    };
    gain["speedup"] = faster("share");
    if (!gain["low"].is_null()) gain["low"] = faster("low");
  }
  const std::string lead = of_step ? " to gain in a step" : " to gain";
  const std::string size = words::times(gain["speedup"].get<double>()) + lead;
  const auto at = headline.find(size);
  ASSERT_NE(at, std::string::npos) << headline << "\n" << gain.dump();
  // Also for an interval that includes no gain.
  const bool estimate = gain["estimate"] == true;
  const bool perhaps = estimate && !gain["low"].is_null() && gain["low"].get<double>() <= 1.005;
  EXPECT_EQ(headline.substr(0, at).ends_with("about "), estimate && !perhaps) << headline;
  EXPECT_EQ(headline.substr(0, at).ends_with("perhaps "), perhaps) << headline;
  if (!gain["low"].is_null()) {
    EXPECT_NE(headline.find(lead + " (" + words::number(gain["low"].get<double>()) + " to "),
              std::string::npos)
        << headline;
  }
}

// A headline names the problem that a reader finds first below it, and not a count.
void expect_first_problem(const Formats& of) {
  const auto& findings = of.json["findings"];
  const auto first = std::find_if(findings.begin(), findings.end(),
                                  [](const auto& each) { return each["section"] == "action"; });
  const bool fails = std::any_of(of.json["configurations"].begin(), of.json["configurations"].end(),
                                 [](const auto& each) { return each["outcome"] == "failed"; });
  if (first == findings.end() || fails) return;
  const std::string headline = of.json["headline"];
  const std::string title = (*first)["title"];
  EXPECT_NE(headline.find(words::clean(title)), std::string::npos) << headline << "\n" << title;
}

void expect_verdicts(const Formats& of) {
  expect_first_gain(of);
  expect_first_problem(of);
  const std::string headline = of.json["headline"];
  EXPECT_EQ(of.sarif["properties"]["headline"], headline);
  for (const auto* written : {&of.text, &of.verbose, &of.markdown, &of.html})
    EXPECT_NE(written->find(headline), std::string::npos) << headline;
  for (const auto& each : of.json["configurations"]) {
    if (each["added_by_experiment"] == true) continue;
    const std::string verdict = each["verdict"];
    for (const auto* written : {&of.verbose, &of.markdown})
      EXPECT_NE(written->find(verdict), std::string::npos) << verdict;
    if (of.details()) {
      EXPECT_NE(of.html.find(verdict), std::string::npos) << verdict;
    }
    int errors = 0, warnings = 0, opportunities = 0;
    double best = 1;
    for (const auto& finding : of.json["findings"]) {
      if (finding["configuration"] != each["index"] || finding["of_program"] == true) continue;
      errors += finding["severity"] == "error" ? 1 : 0;
      warnings += finding["severity"] == "warning" ? 1 : 0;
      opportunities += finding["severity"] == "opportunity" ? 1 : 0;
      if (finding["section"] == "action" && !finding["gain"].is_null() &&
          finding["gain"]["another_model"] == false)
        best = std::max(best, finding["gain"]["speedup"].get<double>());
    }
    // "nothing to do" and a tick only where nothing asks for anything.
    if (errors + warnings + opportunities > 0) {
      EXPECT_EQ(verdict.find("nothing to do"), std::string::npos) << verdict;
    }
    if (each["standing"] == "fine") {
      EXPECT_EQ(errors + warnings + opportunities, 0) << verdict;
    }
    // A gain that is promised is one that a finding under "What to do first" has.
    if (!each["best_gain"].is_null()) {
      EXPECT_LE(each["best_gain"].get<double>(), best);
    }
    // Which kernels are expected is one answer.
    static const std::regex expected("; ([a-zH -]+) kernels are expected");
    if (std::smatch m; std::regex_search(verdict, m, expected)) {
      std::string implementation = m[1];
      std::replace(implementation.begin(), implementation.end(), ' ', '_');
      std::replace(implementation.begin(), implementation.end(), '-', '_');
      std::replace(implementation.begin(), implementation.end(), 'H', 'h');
      EXPECT_EQ(each["expected"], implementation) << verdict;
    }
    static const std::regex counted("([0-9]+) (error|warning|opportunit)");
    for (std::sregex_iterator m(verdict.begin(), verdict.end(), counted), end; m != end; ++m) {
      const int said = std::stoi((*m)[1]);
      EXPECT_EQ(said, (*m)[2] == "error"     ? errors
                      : (*m)[2] == "warning" ? warnings
                                             : opportunities)
          << verdict;
    }
  }
}

// The conditions of an algorithm: the same in each format, under a title that is true of them.
void expect_why_not(const Report& report, const Formats& of) {
  for (std::size_t i = 0; i < report.configurations.size(); ++i) {
    const auto& each = report.configurations[i];
    if (each.tried) continue;
    const auto& tables = of.json["configurations"][i]["why_not"];
    ASSERT_EQ(tables.size(), each.why_not.size());
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const auto& clauses = tables[t]["clauses"];
      const auto holding = std::count_if(clauses.begin(), clauses.end(),
                                         [](const Json& c) { return c["holds"] == "yes"; });
      const std::string title = words::why_not_title(each, each.why_not[t]);
      EXPECT_EQ(title.starts_with("Why not"), !title.empty() &&
                                                  holding < static_cast<long>(clauses.size()) &&
                                                  !title.ends_with("full speed hold"))
          << title;
      if (title.empty()) continue;
      EXPECT_NE(of.verbose.find(title), std::string::npos) << title;
      if (!of.details()) continue;
      EXPECT_NE(of.html.find(title), std::string::npos) << title;
      if (tables[t]["algo"] == "persist_static") {
        const std::string part = lines_from(of.markdown, title, "</details>");
        EXPECT_FALSE(part.empty()) << title;
        std::size_t yes = 0;
        for (auto at = part.find("| yes |"); at != std::string::npos;
             at = part.find("| yes |", at + 1))
          ++yes;
        EXPECT_EQ(yes, static_cast<std::size_t>(holding)) << title;
      }
    }
  }
}

// `plurals`: they take as long as all the rest.
void expect_consistent(const Report& report, const std::string& name, bool plurals = true) {
  SCOPED_TRACE(name);
  const Formats of(report);
  expect_verdicts(of);
  expect_sections(of);
  expect_steps(of);
  expect_gains_of_changes(of);
  expect_findings_of_machines(of);
  expect_why_not(report, of);
  if (!plurals) return;
  const std::string words_of_html = Formats::plain(of.page, " ");
  for (const auto& [written, format] : {std::pair{&of.text, "text"},
                                        {&of.verbose, "verbose text"},
                                        {&of.markdown, "Markdown"},
                                        {&words_of_html, "HTML"},
                                        {&of.junit, "JUnit"}})
    expect_plurals(*written, format);
}

std::vector<std::string> recordings() {
  std::vector<std::string> list;
  for (const auto& file :
       fs::recursive_directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded"))
    if (file.path().extension() == ".rnnprof") list.push_back(file.path().string());
  std::sort(list.begin(), list.end());
  return list;
}

TEST(Consistency, EveryRecordingSaysTheSameInEveryFormat) {
  const auto all = recordings();
  ASSERT_GE(all.size(), 31U);
  JudgeOptions options;
  options.predict_for = model::predict_time_for;
  for (std::size_t index = 0; const auto& path : all) {
    if (test::left_to_all_draws(index++, 5)) continue;
    const auto profile = read_profile(path);
    ASSERT_TRUE(profile) << path;
    const auto judgement = judge(*profile, builtin_rules(), options);
    expect_consistent(make_report(*profile, judgement, builtin_rules()), path);
    if (testing::Test::HasFailure()) break;
  }
}

// Configurations as people have them, and unusual ones.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  Profile profile() {
    ProfileBuilder builder;
    const auto devices = shipped_devices();
    const int device = builder.add_device(devices[below(devices.size())]);
    builder.profile().environment.cudnn_version = one({"9.19.0", "9.10.2", "8.9.7", ""});
    // As many as pages show the details of, mostly: what a report costs is what it has besides.
    const auto count = below(8) == 0 ? 1 + below(3) : 24;
    for (std::size_t i = 0; i < count; ++i) {
      Configuration made;
      made.config = config();
      made.config.id = count > 1 ? fmt::format("c{}", i) : "";
      made.device = device;
      if (below(2) == 0) made.program.name = static_cast<Framework>(below(7));
      if (below(4) == 0) made.program.needs_backward = below(2) == 0;
      if (below(4) == 0) made.program.layer_norm = below(2) == 0;
      if (below(6) == 0) made.program.batch_first = true;
      builder.add_configuration(std::move(made));
    }
    return builder.finish();
  }

 private:
  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  template <class T>
  T one(std::initializer_list<T> values) {
    return *(values.begin() + below(values.size()));
  }
  std::string one(std::initializer_list<const char*> values) {
    return *(values.begin() + below(values.size()));
  }

  RnnConfig config() {
    RnnConfig c;
    c.cell = static_cast<Cell>(below(4));
    c.algo = one({Algo::standard, Algo::standard, Algo::persist_static, Algo::persist_dynamic,
                  Algo::persist_static_small_h});
    c.direction = below(4) == 0 ? Direction::bidirectional : Direction::unidirectional;
    c.data_type = one(
        {DataType::half, DataType::half, DataType::float32, DataType::bfloat16, DataType::float64});
    c.math_precision = natural_math_precision(c.data_type);
    c.math_type = one({MathType::default_math, MathType::tensor_op, MathType::fma,
                       MathType::tensor_op_allow_conversion});
    c.hidden_size = one({13, 64, 100, 128, 192, 256, 333, 500, 512, 544, 1000, 1024, 1088, 2048});
    c.input_size = below(2) == 0 ? c.hidden_size : one({1, 13, 64, 100, 161, 256, 1024});
    c.proj_size = c.hidden_size;
    if (c.cell == Cell::lstm && below(12) == 0) c.proj_size = std::max(1, c.hidden_size / 2);
    c.num_layers = one({1, 1, 1, 2, 3, 4});
    c.batch_size = one({1, 2, 4, 8, 16, 20, 30, 32, 33, 60, 64, 65, 96, 128, 192, 256, 512});
    c.seq_length = one({1, 4, 8, 20, 32, 100, 128, 256, 512});
    c.mode = below(3) == 0 ? Mode::inference : Mode::training;
    c.dropout = c.num_layers > 1 && below(4) == 0 ? 0.1 : 0;
    if (below(12) == 0 && c.batch_size <= 8)
      for (int i = 0; i < c.batch_size; ++i)
        c.seq_lengths.push_back(1 +
                                static_cast<int>(below(static_cast<std::size_t>(c.seq_length))));
    return c;
  }

  std::mt19937 random_;
};

TEST(Consistency, DrawnConfigurationsSayTheSameInEveryFormat) {
  // Reports of 21 configurations on the average, so that draws() of them are drawn.
  const int draws = test::draws() / 20;
  JudgeOptions options;
  options.predict_for = model::predict_time_for;
  Draw draw(20261123);
  for (int i = 0; i < draws; ++i) {
    const auto profile = draw.profile();
    options.keep_verdicts = i % 4 == 0;  // of all rules: most of what is written and read here
    const auto judgement = judge(profile, builtin_rules(), options);
    expect_consistent(make_report(profile, judgement, builtin_rules()), fmt::format("draw {}", i),
                      i % 8 == 0);
    if (testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
