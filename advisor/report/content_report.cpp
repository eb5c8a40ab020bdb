// The whole report: what it comes to, what to do first, the configurations, the rules, what it was
// made with.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "advisor/report/chart.h"
#include "advisor/report/content.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/figures.h"
#include "advisor/report/selection.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

class ReportBuilder {
 public:
  explicit ReportBuilder(const Content& content) : content_(content), report_(content.report) {}

  Blocks build() {
    summary();
    if (auto end = end_of(content_)) put(std::move(*end));
    steps();
    figures();
    findings("actions", std::string(words::what_to_do(report_)), words::findings_lead(),
             report_.actions, report_.shown() > 1 && report_.judgement->steps.empty() ? 5 : 3);
    checklist();
    configurations();
    findings("remarks", "Remarks (no action needed)", words::remarks_lead(),
             content_.in(brief) ? report_.remarks_not_refuted() : report_.remarks,
             report_.shown() > 1 ? 6 : 4);
    rules();
    notes();
    environment();

    return std::move(blocks_);
  }

 private:
  void put(Block block) { blocks_.push_back(std::move(block)); }

  void summary() {
    const Environment& environment = report_.profile->environment;
    Summary made{mark_of(report_.worst()),
                 std::string(words::standing(report_.worst())),
                 report_.headline,
                 report_.assumption,
                 0,
                 {},
                 {}};
    // Of a program: what its step takes.
    if (const auto end = report_.headline.find(". ");
        !report_.end && !report_.judgement->steps.empty() && end != std::string::npos)
      made.title = end + 2;
    // As the sections below have them: one for each rule.
    const auto count = [&](Severity severity) {
      const auto of = [&](const auto& groups) {
        return std::count_if(groups.begin(), groups.end(),
                             [&](const auto& group) { return group.severity() == severity; });
      };
      const auto ends = report_.end && severity == Severity::error ? 1 : 0;
      made.counts.emplace_back(static_cast<int>(ends + of(report_.actions) + of(report_.remarks)),
                               severity);
    };
    if (report_.shown() > 0 || report_.end)
      for (const auto severity :
           {Severity::error, Severity::warning, Severity::opportunity, Severity::info})
        count(severity);
    const auto fact = [&](std::string label, const std::string& value) {
      if (!value.empty()) made.facts.emplace_back(std::move(label), value);
    };
    fact("rnnadvisor", environment.rnnadvisor_version);
    for (const auto& device : words::devices(*report_.profile, !content_.in(terminals)))
      fact({}, device);
    if (report_.profile->devices.empty() && !content_.in(terminals) && report_.shown() > 0)
      fact({}, "no device named: no bounds, no eligibility");
    fact("cuDNN", environment.cudnn_version);
    fact("driver", environment.driver_version);
    if (!environment.framework.empty()) fact(environment.framework, environment.framework_version);
    fact("created", environment.created);
    put(std::move(made));
  }

  // Where the time of a step of the program goes.
  void steps() {
    const auto& steps = report_.judgement->steps;
    if (steps.empty()) return;
    Section section{"step",
                    steps.size() > 1 ? "A step of the program, by GPU" : "A step of the program"};
    for (const auto& step : steps) {
      std::string text;
      for (const auto& part : words::parts_of(step)) {
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : ", ", part.name, words::percent(part.share));
        if (step.step_ns > 0)
          text += fmt::format(" ({})", format_milliseconds(part.share * step.step_ns / 1e6));
      }
      // With one GPU the headline says the rest, unless it says how the program ended.
      if (steps.size() > 1 || report_.end)
        text = fmt::format("{}: {}", words::step_in_short(step), text);
      if (steps.size() > 1) text = fmt::format("GPU {}: {}", step.device, text);
      text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
      text += ".";
      section.blocks.push_back(Paragraph{text});
    }
    if (const std::string text = without_an_action(); !text.empty())
      section.blocks.push_back(Paragraph{text});
    if (content_.in(html_page))
      section.blocks.push_back(
          Drawing{[&report = report_] { return html::step_chart(report); }, {}});
    if (!content_.in(brief))
      section.blocks.push_back(Paragraph{words::step_source(steps.front()), Look::note});
    put(std::move(section));
  }

  // Why a large part of the step has no action.
  std::string without_an_action() const {
    constexpr double large = 0.3;  // of a step; our choice
    double share = 0;
    const ConfigurationReport* largest = nullptr;
    for (const auto& each : report_.configurations) {
      if (!each.listed() || each.best_prediction == nullptr || each.standing != Standing::fine)
        continue;
      share += each.share_of_step;
      if (largest == nullptr || each.share_of_step > largest->share_of_step) largest = &each;
    }
    if (share < large) return {};
    return fmt::format(
        "In recurrent layers with {} of the step nothing is to be changed. For {}: {}.",
        words::percent(share), largest->name, words::why_nothing(*largest->best_prediction));
  }

  // How many of `all` there is room for.
  std::size_t room(std::size_t all, std::size_t usual) const {
    const std::size_t most = content_.in(brief)       ? usual
                             : content_.in(text_file) ? 20
                             : content_.in(html_page) ? html::shown_findings
                                                      : all;
    return std::min(most, all);
  }

  void findings(std::string id, std::string title, std::string_view lead,
                const std::vector<FindingGroup>& groups, std::size_t usual) {
    Section section{std::move(id), std::move(title)};
    if (groups.empty()) {
      if (section.id != "actions" || !content_.in(html_page) || report_.configurations.empty())
        return;
      section.blocks.push_back(Paragraph{nothing_to_do(), Look::empty});
      put(std::move(section));
      return;
    }
    if (!content_.in(terminals)) {
      section.blocks.push_back(Paragraph{lead, Look::lead});
    } else if (const std::string legend = words::meanings(report_);
               section.id == "actions" && !legend.empty()) {
      section.blocks.push_back(Paragraph{legend, Look::note});
    }
    const std::size_t shown = room(groups.size(), usual);
    for (std::size_t i = 0; i < shown; ++i)
      section.blocks.push_back(finding_of(content_, groups[i]));
    if (shown < groups.size())
      section.blocks.push_back(Paragraph{
          fmt::format("{} more: see {}.", groups.size() - shown,
                      content_.in(brief) ? "--verbose or the HTML report" : "the JSON report"),
          Look::note});
    put(std::move(section));
  }

  // What a person made of the findings.
  void checklist() {
    if (report_.checklist.empty()) return;
    Table table{{}, {}, {{"Finding", false, true, Narrow::wrap, 20, 0, true}}, {}};
    const bool several = report_.shown() > 1;
    if (several) table.columns.push_back({"Where"});
    table.columns.push_back({"State"});
    table.columns.push_back({"Note", false, true, Narrow::wrap, 20});
    for (const auto& each : report_.checklist) {
      auto& cells = table.rows.emplace_back().cells;
      cells.push_back({link_to(content_, *each.finding)});
      if (several)
        cells.push_back({each.finding->configuration < 0
                             ? Text()
                             : link_to(report_.configurations[static_cast<std::size_t>(
                                   each.finding->configuration)])});
      cells.push_back({Text(words::clean(each.state))});
      cells.push_back({Text(words::clean(each.note))});
    }
    Section section{"checklist", "Checklist"};
    section.blocks.push_back(std::move(table));
    put(std::move(section));
  }

  Text nothing_to_do() const {
    const bool judged = std::any_of(report_.configurations.begin(), report_.configurations.end(),
                                    [](const auto& c) { return c.passed > 0; });
    const int broken = report_.standing_count(Standing::error);
    Text text = !report_.remarks.empty() ? Text("Nothing: there are ") +
                                               Text("remarks", Tone::plain, "#remarks") + " only."
                : judged ? Text("No rule fired; what was looked at is listed under Rules.")
                         : Text("No rule could be decided, so there is no advice.");
    if (broken > 0)
      text += fmt::format(" {} not work; the reason is with each.",
                          words::plural(broken, "configuration does", "configurations do"));
    return text;
  }

  void figures() {
    if (report_.figures.empty()) return;
    Drawing all{{}, {}};
    if (content_.in(html_page)) {
      // The drawing is made after this builder is gone.
      all.html = [&report = report_] {
        html::Page page;
        html::figures(page, report);
        return page.take();
      };
    } else {
      for (const auto& each : report_.figures) figure(all.instead, each);
    }
    put(std::move(all));
  }

  void figure(Blocks& blocks, const FigureReport& each) {
    constexpr std::size_t most = 24;
    const auto rows = figure_rows(each);
    if (!rows) return;
    const std::size_t shown = content_.in(brief) ? std::min(most, rows->size()) : rows->size();
    const bool several = each.series.size() > 1;
    Table table;
    table.columns = {{each.x_label, true}};
    for (const auto& series : each.series) table.columns.push_back({series.name, true});
    if (several)
      table.columns.push_back(
          {"best " + words::clean(each.figure->series_key), false, true, Narrow::clip, 12, 1});
    for (std::size_t n = 0; n < shown; ++n) {
      const FigureRow& row = (*rows)[n];
      const FigurePoint* best = best_of(each, row);
      auto& cells = table.rows.emplace_back().cells;
      cells.push_back({Text(chart::tick_label(row.x))});
      std::string name;
      for (std::size_t i = 0; i < row.points.size(); ++i) {
        const FigurePoint* p = row.points[i];
        cells.push_back({Text(p != nullptr ? words::number(p->y) : std::string(),
                              p == best ? Tone::strong : Tone::plain)});
        if (p == best) name = each.series[i].name;
      }
      if (several) cells.push_back({Text(name, Tone::dim)});
    }
    Section section{{}, each.figure->title};
    section.blocks.push_back(std::move(table));
    std::string note = fmt::format("{} by {}.", each.y_label, each.x_label);
    if (shown < rows->size())
      note += fmt::format(" {}: see --verbose.",
                          words::plural(static_cast<long long>(rows->size() - shown), "more row"));
    section.blocks.push_back(Paragraph{note, Look::note});
    if (!each.figure->statement.empty())
      section.blocks.push_back(Paragraph{
          fmt::format("The document says: {} ({})", each.figure->statement, each.figure->source)});
    if (const std::string here = claim_words(each, report_.figures); !here.empty())
      section.blocks.push_back(Paragraph{here, Look::strong});
    blocks.push_back(std::move(section));
  }

  Table overview(const std::vector<int>& chosen) const {
    const bool page = content_.in(html_page);
    const bool in_steps = std::any_of(report_.configurations.begin(), report_.configurations.end(),
                                      [](const auto& each) { return each.share_of_step > 0; });
    Table table{"Overview of all configurations", {}, {}, {}, true};
    if (!page) table.title.clear();
    // The summary makes room for the names: these are what the rest of the report refers to.
    table.columns = {{"Standing"},
                     {"Configuration", false, true, Narrow::clip, 60, 0, true},
                     {"", false, content_.in(terminals), Narrow::clip, 28, 1},
                     {"Of step", true, in_steps},
                     {"Time", true},
                     {"TFLOP/s", true, !in_steps || !content_.in(terminals)},
                     {"Ran", false, true, Narrow::wrap, 13},
                     {"Memory", true, !content_.in(terminals)},
                     {"Best gain", true},
                     {"Verdict", false, content_.in(text_file)}};
    for (const auto& each : report_.configurations) {
      if (!each.listed()) continue;
      const bool linked = std::binary_search(chosen.begin(), chosen.end(), each.index);
      const auto [ms, tflops] =
          each.mean_step.value_or(std::pair(each.step_ms(), each.step_tflops()));
      const double best = each.best_gain();
      const Outcome outcome = each.configuration->outcome;
      const auto memory = each.memory.total;
      Row row;
      if (page && !linked) row.id = fmt::format("c{}", each.index);
      Text name(words::shorten(each.name, page ? 72 : 80), Tone::plain,
                page && linked ? fmt::format("#c{}", each.index) : std::string());
      if (content_.in(terminals)) name = each.name;
      if (page && !each.summary_in_name())
        name += Text(" " + words::shorten(each.summary, 90), Tone::dim);
      const bool plain = outcome == Outcome::completed || outcome == Outcome::not_run;
      row.cells = {
          {std::string(words::standing(each.standing)), mark_of(each.standing),
           fmt::format("{}", static_cast<int>(each.standing))},
          {name},
          {each.summary_in_name() ? Text(" ") : Text(each.summary, Tone::dim)},
          {each.share_of_step > 0 ? words::percent(each.share_of_step) : "", Mark::none,
           fmt::format("{:.6g}", each.share_of_step)},
          {ms > 0 ? format_milliseconds(ms) : "", Mark::none,
           ms > 0 ? fmt::format("{:.6g}", ms) : ""},
          {tflops > 0 ? words::number(tflops) : "", Mark::none,
           tflops > 0 ? fmt::format("{:.6g}", tflops) : ""},
          {std::string(!plain || (!each.ran && outcome == Outcome::completed && page)
                           ? words::outcome(outcome)
                       : each.ran ? words::implementation(*each.ran)
                                  : "")},
          {memory > 0 ? format_bytes(static_cast<double>(memory)) : "", Mark::none,
           fmt::format("{}", memory)},
          {words::gain(each), Mark::none, best > 1.0005 ? fmt::format("{:.6g}", best) : ""},
          {each.verdict}};
      table.rows.push_back(std::move(row));
    }
    return table;
  }

  void configurations() {
    const std::size_t shown = report_.shown();
    if (shown == 0) return;
    const auto chosen = most_interesting(report_, content_.details);
    Blocks blocks;
    if (shown > 1) {
      blocks.push_back(overview(chosen));
      if (const bool in_steps =
              std::any_of(report_.configurations.begin(), report_.configurations.end(),
                          [](const auto& each) { return each.share_of_step > 0; });
          in_steps)
        blocks.push_back(Paragraph{words::columns_of_layers, Look::note});
      if (chosen.size() < shown)
        blocks.push_back(Paragraph{
            fmt::format("Details follow for the {} with the most to say; {} all {}.",
                        words::plural(static_cast<long long>(chosen.size()), "configuration"),
                        content_.in(terminals) ? "the table has" : "the JSON and CSV reports have",
                        shown),
            content_.in(terminals) ? Look::note : Look::lead});
      if (content_.in(html_page)) blocks.push_back(Drawing{html::folding_tools, {}});
    }
    const auto mapped = most_interesting(report_, mapped_cards);
    for (const int index : chosen) {
      Content one = content_;
      one.maps = std::find(mapped.begin(), mapped.end(), index) != mapped.end();
      blocks.push_back(configuration_of(
          one, report_.configurations[static_cast<std::size_t>(index)], chosen.size() <= 3));
    }
    const std::string title = words::plural(static_cast<long long>(shown), "configuration");
    if (shown > 1 || content_.in(html_page)) {
      Section section{"configurations", !content_.in(html_page) ? title
                                        : shown == 1            ? "Configuration"
                                                                : "Configurations"};
      section.blocks = std::move(blocks);
      put(std::move(section));
    } else {
      for (auto& block : blocks) put(std::move(block));
    }
  }

  void notes() {
    List list;
    for (const auto& note : report_.profile->notes) {
      if (note.code == program_exception) continue;  // end_of() shows it
      const Severity severity = note.severity == NoteSeverity::error     ? Severity::error
                                : note.severity == NoteSeverity::warning ? Severity::warning
                                                                         : Severity::info;
      Text text = note.text;
      if (note.count > 1)
        text += Text(fmt::format(" ({})", words::plural(note.count, "time")), Tone::dim);
      list.items.push_back({text,
                            Look::normal,
                            {},
                            mark_of(severity),
                            content_.in(terminals) ? "" : std::string(to_string(note.severity))});
    }
    if (list.items.empty()) return;
    Section section{"notes", "Notes on this profile", Section::Form::panel};
    section.blocks.push_back(std::move(list));
    put(std::move(section));
  }

  void environment() {
    if (content_.in(terminals)) return;
    const auto& environment = report_.profile->environment;
    Pairs list;
    for (const auto& [label, value] : words::environment(environment))
      list.pairs.emplace_back(label, value);
    Section section{"environment", "Environment", Section::Form::panel};
    if (list.pairs.empty()) {
      if (!content_.in(html_page)) return;
      section.blocks.push_back(Paragraph{"This profile does not say where it comes from."});
    } else {
      list.pairs.emplace_back("Kernels traced", environment.tracing ? "yes" : "no");
      list.pairs.emplace_back("Hardware counters", environment.counters ? "yes" : "no");
      section.blocks.push_back(std::move(list));
    }
    Table clocks{"Clocks while running",
                 {},
                 {{"When", false, true, Narrow::keep, 0, 0, true},
                  {"Device", true},
                  {"SM, MHz", true},
                  {"Memory, MHz", true},
                  {"Temperature, °C", true},
                  {"Power, W", true}},
                 {}};
    for (const auto& c : environment.clocks)
      clocks.rows.push_back({{{c.when},
                              {fmt::format("{}", c.device)},
                              {fmt::format("{}", c.sm_mhz)},
                              {fmt::format("{}", c.memory_mhz)},
                              {fmt::format("{}", c.temperature_c)},
                              {words::number(c.power_mw / 1000.0)}}});
    if (!clocks.rows.empty()) section.blocks.push_back(std::move(clocks));
    put(std::move(section));
  }

  void rules();

  const Content& content_;
  const Report& report_;
  Blocks blocks_;
};

// The verdicts of a rule for all configurations.
struct Tally {
  std::map<VerdictKind, int> counts;
  std::vector<std::string> missing;
  std::string message;
  int of(VerdictKind kind) const {
    const auto found = counts.find(kind);
    return found == counts.end() ? 0 : found->second;
  }
};

// The group that a rule is shown in: the first of these that it is anywhere.
struct RuleGroup {
  VerdictKind kind;
  const char* title;
};
constexpr std::array<RuleGroup, 6> rule_groups = {
    {{VerdictKind::error, "Could not be evaluated"},
     {VerdictKind::fired, "Fired"},
     {VerdictKind::told_by_another, "Covered by another finding, which proposes the same"},
     {VerdictKind::passed, "Passed"},
     {VerdictKind::unknown, "Unknown: a fact is missing"},
     {VerdictKind::not_applicable, "Not applicable"}}};

void ReportBuilder::rules() {
  if (report_.configurations.empty() || !content_.in(html_page)) return;
  std::map<std::string_view, Tally> tallies;
  for (const auto& verdict : report_.judgement->verdicts) {
    Tally& sum = tallies[verdict.rule_id];
    ++sum.counts[verdict.kind];
    if (!verdict.message.empty()) sum.message = verdict.message;
    for (const auto& fact : verdict.missing)
      if (std::find(sum.missing.begin(), sum.missing.end(), fact) == sum.missing.end())
        sum.missing.push_back(fact);
  }
  Section section{"rules", "Rules that were applied", Section::Form::panel};
  section.blocks.push_back(Paragraph{
      tallies.empty() ? "This judgement kept no verdicts."
                      : "Every rule gives a verdict for every configuration, so that nothing found "
                        "is not mistaken for not looked.",
      Look::lead});
  const bool many = report_.shown() > 1;
  for (const auto& group : rule_groups) {
    Table table;
    table.columns = {{"Rule", false, true, Narrow::keep, 0, 0, true}, {"What it says"}};
    for (const auto& each : rule_groups)
      table.columns.push_back({std::string(words::verdict(each.kind)), true, many});
    table.columns.push_back({"Not known"});
    for (const auto& tally : tallies) {
      const auto& [id, sum] = tally;
      const auto first =
          std::find_if(rule_groups.begin(), rule_groups.end(),
                       [&tally](const auto& one) { return tally.second.of(one.kind) > 0; });
      if (first == rule_groups.end() || first->kind != group.kind) continue;
      const Rule* rule = report_.rules->find(id);
      std::string says = rule == nullptr ? std::string() : rule->title;
      if (group.kind == VerdictKind::passed && rule != nullptr && !rule->title_passed.empty())
        says = rule->title_passed;
      Row row{{{Text(std::string(id), Tone::name)}, {prose(says)}}, {}};
      for (const auto& each : rule_groups)
        row.cells.push_back({fmt::format("{}", sum.of(each.kind))});
      Text unknown;
      for (const auto& fact : sum.missing)
        unknown += Text(unknown.empty() ? "" : ", ") + Text(fact, Tone::name);
      if (!sum.message.empty()) unknown += (unknown.empty() ? "" : "; ") + sum.message;
      row.cells.push_back({unknown});
      table.rows.push_back(std::move(row));
    }
    if (table.rows.empty()) continue;
    const auto count = static_cast<long>(table.rows.size());
    section.blocks.push_back(
        Details{group.title, {}, count, group.kind == VerdictKind::error, {std::move(table)}});
  }
  Text ignored;
  for (const auto& rule : report_.judgement->ignored) ignored += " " + Text(rule, Tone::name);
  if (!ignored.empty())
    section.blocks.push_back(Paragraph{"Left out on request:" + ignored, Look::note});
  put(std::move(section));
}

}  // namespace

Blocks report_of(const Content& content) { return ReportBuilder(content).build(); }

}  // namespace rnnadvisor::advisor::document
