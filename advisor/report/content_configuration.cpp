// One configuration: its parameters, times, memory, kernels and conditions.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/report/content.h"
#include "advisor/report/places.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/products.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

std::string bytes(std::int64_t count) { return format_bytes(static_cast<double>(count)); }
std::string ms_or_none(double ms) { return ms >= 0 ? format_milliseconds(ms) : std::string(); }

class ConfigurationBuilder {
 public:
  ConfigurationBuilder(const Content& content, const ConfigurationReport& each)
      : content_(content), report_(content.report), each_(each), own_(*each.configuration) {}

  Blocks build() {
    const bool alone = content_.in(window);  // not in a report with a headline
    if (each_.shapes.size() > 1)
      put(Paragraph{
          fmt::format("It ran with {} shapes; what follows is of batch {}, length {}.",
                      each_.shapes.size(), own_.config.batch_size, own_.config.seq_length),
          Look::note});
    if (alone || each_.verdict != report_.headline) put(Paragraph{each_.verdict});
    if (!each_.summary_in_name()) put(Paragraph{dim(each_.summary)});
    if (each_.position) put(Paragraph{dim("in " + words::position(*each_.position))});
    own_findings();
    parameters();
    stages();
    if (alone) {
      for (const auto& table : each_.why_not) why_not(table);
      return std::move(blocks_);
    }
    for (auto& block : trials_of(content_, each_)) put(std::move(block));
    phases();
    places();
    predicted();
    draw([&each = each_] { return html::charts(each); });
    memory();
    maps();
    if (!content_.in(brief))
      for (const auto& table : each_.why_not) why_not(table);
    products();
    kernels();
    correctness();
    verdicts();
    return std::move(blocks_);
  }

 private:
  void put(Block block) { blocks_.push_back(std::move(block)); }
  // With its title where each part has one.
  void put_titled(std::string title, Block block) {
    if (!content_.in(window)) return put(std::move(block));
    Section section{{}, std::move(title)};
    section.blocks.push_back(std::move(block));
    put(std::move(section));
  }
  void draw(std::function<std::string()> html) {
    if (content_.in(html_page)) put(Drawing{std::move(html), {}});
  }
  // Folded where the format can, with a note where `shown` of `all` rows are there.
  void fold(std::string title, Table table, std::size_t all, bool open = false, Blocks more = {}) {
    const std::size_t shown = table.rows.size();
    Details details{std::move(title), {}, -1, open, {}};
    details.blocks.push_back(std::move(table));
    if (shown < all)
      details.blocks.push_back(
          Paragraph{fmt::format("{} more are in the JSON report.", all - shown), Look::note});
    for (auto& block : more) details.blocks.push_back(std::move(block));
    put(std::move(details));
  }

  void own_findings() {
    if (report_.shown() < 2 && !content_.in(window)) return;
    List list = findings_of(content_, each_);
    if (!list.items.empty()) put_titled("Findings", std::move(list));
  }

  void parameters() {
    if (!own_.described()) return;
    Pairs list{{}, true};
    const std::size_t most = content_.in(terminals) ? 40 : 80;
    for (const auto& [key, value] : words::parameters(own_.config))
      list.pairs.emplace_back(key, words::shorten(value, most));
    for (const auto& [key, value] : words::program(own_.program)) {
      // What is known of the program besides is a screen of its own.
      if (content_.in(brief) && own_.from_program() && key != "name" && key != "version") continue;
      list.pairs.emplace_back("framework." + key, words::shorten(value, most));
    }
    put_titled("Parameters", std::move(list));
  }

  void stages() {
    if (content_.in(brief) ||
        std::none_of(own_.stages.begin(), own_.stages.end(),
                     [](const auto& s) { return s.attempted && s.status != 0; }))
      return;
    Table table{"What cuDNN answered", {}, {{"Stage"}, {"Status"}, {"Reason given by cuDNN"}}, {}};
    for (const auto& s : own_.stages) {
      if (s.attempted)
        table.rows.push_back(
            {{{std::string(model::to_string(s.stage))},
              {Text(s.status_name.empty() ? std::to_string(s.status) : s.status_name, Tone::name)},
              {s.reason}}});
    }
    put(std::move(table));
  }

  void phases() {
    if (each_.phases.empty()) return;
    const auto any = [&](auto&& has) {
      return std::any_of(each_.phases.begin(), each_.phases.end(), has);
    };
    // A column without a single value would only ask what is missing.
    const bool timed = any([](const PhaseRow& p) { return p.timing != nullptr; });
    const bool bound = any([](const PhaseRow& p) { return p.bound.bound_ms > 0; });
    const bool traced = any([](const PhaseRow& p) { return p.kernel_ms >= 0; });
    const bool full = !content_.in(brief);
    Table table{"Phases",
                timed    ? ""
                : traced ? "kernel times of a traced run"
                         : "not timed",
                {},
                {}};
    table.columns = {{"Phase", false, true, Narrow::keep, 0, 0, true},
                     {"Median", true, timed},
                     {"95 % interval", false, timed, Narrow::keep, 0, 3},
                     {"TFLOP/s", true, timed},
                     {"GFLOP", true, !timed || full, Narrow::keep, 0, 1},
                     {"FLOP per byte", true, full, Narrow::keep, 0, 1},
                     {"Bound", true, bound},
                     {"×", true, bound && timed},
                     {"Kernel time", true, traced, Narrow::keep, 0, 1},
                     {"Busy", true, traced},
                     {"Ran", false, traced, Narrow::wrap, 10},
                     {"Tensor Cores", false, traced, Narrow::wrap, 12, 2}};
    for (const auto& p : each_.phases) {
      const double ms = p.timing != nullptr ? p.timing->ms.median : -1;
      std::string interval = ms > 0 ? words::interval(p.timing->ms) : std::string();
      if (!interval.empty() && !p.timing->converged && full) interval += ", wider than wanted";
      table.rows.push_back(
          {{{std::string(words::phase(p.phase))},
            {Text(ms > 0 ? format_milliseconds(ms) : "", Tone::strong)},
            {dim(interval)},
            {p.tflops > 0 ? words::number(p.tflops) : ""},
            {words::number(static_cast<double>(p.cost.flops) / 1e9)},
            {p.cost.intensity > 0 ? words::number(p.cost.intensity) : ""},
            {dim(p.bound.bound_ms > 0 ? format_milliseconds(p.bound.bound_ms) : "")},
            {p.bound.bound_ms > 0 && ms > 0 ? words::number(ms / p.bound.bound_ms) : ""},
            {ms_or_none(p.kernel_ms)},
            {p.busy >= 0 ? words::percent(p.busy) : ""},
            {std::string(p.implementation ? words::implementation(*p.implementation) : "")},
            {std::string(words::tensor_cores(p.tensor_cores))}}});
    }
    put(std::move(table));
    const auto first = std::find_if(each_.phases.begin(), each_.phases.end(),
                                    [](const auto& p) { return p.bound.bound_ms > 0; });
    if (bound)
      put(Paragraph{
          fmt::format("Bound: the time at the ceilings {}{}{}.",
                      first->bound.estimate
                          ? "known of the device, an estimate"
                          : "that were measured on this device, which may lie below those of its "
                            "data sheet",
                      full && !first->bound.basis.empty() ? ": " + first->bound.basis : "",
                      timed ? ". ×: the median as a multiple of it" : ""),
          Look::note});
    if (const std::string note = words::busy_note(each_); !note.empty())
      put(Paragraph{note, Look::note});
  }

  // Where in the program its calls come from. In a brief report the first line, which says most.
  void places() {
    const auto list = [&](const std::vector<PlaceRow>& rows, const std::string& title) {
      constexpr std::size_t most = 20;
      if (rows.empty()) return;
      if (content_.in(brief)) {
        put(Paragraph{words::shorten(rows[0].name, 60) + ": " +
                          words::place_use(rows[0], each_.recorded_calls) +
                          (rows.size() > 1 ? fmt::format("; {} more", rows.size() - 1) : ""),
                      Look::normal, title});
        return;
      }
      Table table{
          {},
          {},
          {{title, false, true, Narrow::clip, 30, 0, true}, {"Calls", true}, {"GPU time", true}},
          {}};
      for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        Text name(words::shorten(rows[i].name, 90), Tone::name,
                  content_.in(window) && !rows[i].file.empty()
                      ? fmt::format("site:{}", rows[i].site)
                      : std::string());
        if (!rows[i].file.empty() && !content_.in(terminals))
          name += dim(" " + words::shorten(words::clean(rows[i].file), 120));
        table.rows.push_back(
            {{{name}, {format_count(rows[i].calls)}, {ms_or_none(rows[i].gpu_ms)}}});
      }
      std::int64_t placed = 0;
      for (const auto& row : rows) placed += row.calls;
      Blocks more;
      if (placed < each_.recorded_calls)
        more.push_back(Paragraph{
            fmt::format("{} of {} were made elsewhere, such as those of PyTorch's backward passes, "
                        "which run in a thread of their own; they are not counted here.",
                        format_count(each_.recorded_calls - placed),
                        words::plural(each_.recorded_calls, "call")),
            Look::note});
      fold(title, std::move(table), rows.size(), rows.size() <= 4, std::move(more));
    };
    list(each_.call_sites, "Called from");
    list(each_.nvtx_ranges, "NVTX ranges");
  }

  void predicted() {
    if (report_.predicted == nullptr || content_.in(terminals)) return;  // a part of its own there
    const auto* of = report_.predicted->of(each_.index);
    if (of == nullptr) {
      if (const auto none = report_.predicted->none(each_.index); !none.empty())
        put(Paragraph{"Predicted times: " + none});
      return;
    }
    const auto cells = predicted_table(*of);
    Table table{
        "Predicted times on " + words::clean(report_.predicted->device), "an estimate", {}, {}};
    for (std::size_t i = 0; i < cells[0].size(); ++i)
      table.columns.push_back(
          {cells[0][i], i > 0 && i + 2 < cells[0].size(), true, Narrow::keep, 0, 0, i == 0});
    for (std::size_t r = 1; r < cells.size(); ++r) {
      auto& row = table.rows.emplace_back();
      for (std::size_t i = 0; i < cells[r].size(); ++i)
        row.cells.push_back({cells[r][i].empty() && i + 1 == cells[r].size() ? " " : cells[r][i]});
    }
    put(std::move(table));
    put(Paragraph{predicted_note(*report_.predicted), Look::note});
  }

  void memory() {
    if (!own_.described()) return;
    const std::int64_t peak = own_.memory_peak_used;
    std::string text;
    if (each_.memory.total > 0) {
      text = bytes(each_.memory.total) + " computed";
      if (each_.memory.exactness != model::Exactness::exact)
        text += fmt::format(" ({})", model::to_string(each_.memory.exactness));
    }
    if (peak > 0) text += (text.empty() ? "" : ", ") + bytes(peak) + " measured at its peak";
    if (text.empty()) return;
    if (each_.has_device && each_.device->memory_bytes > 0)
      text += fmt::format(", {} of the device's {}",
                          words::percent(static_cast<double>(peak > 0 ? peak : each_.memory.total) /
                                         static_cast<double>(each_.device->memory_bytes)),
                          bytes(each_.device->memory_bytes));
    if (const auto program = words::program_memory(each_.program_memory); !program.empty())
      text += "; " + program;
    put(Paragraph{text, Look::normal, "Memory"});
    draw([&each = each_] { return html::memory_figure(each); });
  }

  void maps() {
    if (!content_.maps) return;
    // Drawn when this builder is gone.
    draw([&report = report_, &each = each_, predict_for = content_.predict_for] {
      html::Page page;
      html::maps(page, report, each, predict_for);
      return page.take();
    });
  }

  void why_not(const model::WhyNot& table) {
    for (auto& block : why_not_of(each_, table, content_.medium)) put(std::move(block));
  }

  void products() {
    const auto cells =
        content_.in(brief) ? std::vector<std::vector<std::string>>{} : product_cells(each_);
    if (cells.empty()) return;
    constexpr std::size_t names = 3;  // columns before the numbers
    Table table;
    for (std::size_t i = 0; i < cells[0].size(); ++i)
      table.columns.push_back({cells[0][i], i >= names});
    for (std::size_t r = 1; r < cells.size(); ++r) {
      auto& row = table.rows.emplace_back();
      for (const auto& cell : cells[r]) row.cells.push_back({cell});
    }
    Blocks more;
    if (content_.in(html_page))
      more.push_back(Drawing{[&each = each_] { return html::products_figure(each); }, {}});
    more.push_back(Paragraph{products_note(each_), Look::note});
    const std::size_t rows = table.rows.size();
    fold("Matrix products", std::move(table), rows, false, std::move(more));
  }

  void kernels() {
    constexpr std::size_t most = 40;
    if (each_.kernels.empty() || content_.in(brief)) return;
    Table table{content_.in(html_page) ? "Per call, mean over the traced calls" : "",
                {},
                {{"Kernel", false, true, Narrow::clip, 36, 0, true},
                 {"Phase"},
                 {"Role", false, true, Narrow::keep, 0, 1},
                 {"Count", true},
                 {"Time", true},
                 {"Share of phase", true}},
                {}};
    for (std::size_t i = 0; i < std::min(most, each_.kernels.size()); ++i) {
      const auto& row = each_.kernels[i];
      table.rows.push_back({{{Text(words::shorten(row.short_name, 64), Tone::name)},
                             {dim(std::string(words::phase(row.phase)))},
                             {dim(std::string(to_string(row.role)))},
                             {format_count(row.count)},
                             {format_milliseconds(row.total_us / 1000.0)},
                             {words::percent(row.share)}}});
    }
    fold("Kernels", std::move(table), each_.kernels.size());
  }

  void correctness() {
    const auto& results = own_.correctness;
    if (results.empty() || content_.in(brief)) return;
    bool failed = false;
    Table table{{},
                {},
                {{"Tensor", false, true, Narrow::keep, 0, 0, true},
                 {"Relative error", true},
                 {"Tolerance", true},
                 {"Passed"}},
                {}};
    for (const auto& r : results) {
      failed = failed || !r.passed;
      table.rows.push_back(
          {{{Text(r.tensor, Tone::name)},
            {fmt::format("{:.2e}", r.relative_error)},
            {fmt::format("{:.2e}", r.tolerance)},
            {Text(r.passed ? "yes" : "no", r.passed ? Tone::plain : Tone::strong)}}});
    }
    fold("Correctness against a float64 reference", std::move(table), results.size(), failed);
  }

  void verdicts() {
    std::string counts;
    for (const auto& count : words::rule_counts(each_))
      counts += (counts.empty() ? "" : ", ") + count;
    put(Paragraph{counts, Look::note, "Rules"});
    if (!content_.in(verbose)) return;
    List list;
    for (const Verdict* verdict : each_.verdicts) {
      if (verdict->kind == VerdictKind::fired || verdict->kind == VerdictKind::not_applicable)
        continue;
      std::string line = fmt::format("{}: {}", verdict->rule_id, words::verdict(verdict->kind));
      for (std::size_t i = 0; i < verdict->missing.size(); ++i)
        line += (i == 0 ? ", not known: " : ", ") + verdict->missing[i];
      if (!verdict->message.empty()) line += ", " + verdict->message;
      list.items.push_back({line, Look::note});
    }
    put(std::move(list));
  }

  const Content& content_;
  const Report& report_;
  const ConfigurationReport& each_;
  const Configuration& own_;
  Blocks blocks_;
};

}  // namespace

List findings_of(const Content& content, const ConfigurationReport& each) {
  List list;
  for (const Finding* f : each.findings) {
    if (is_remark(*f) && content.in(brief)) continue;
    Text text = link_to(content, *f);
    if (const auto gain = words::gain_of_change(f->gain); !gain.empty())
      text += fmt::format(" → {} ({})", gain, in_words(f->gain->basis));
    list.items.push_back({text,
                          Look::normal,
                          {},
                          mark_of(f->severity),
                          content.in(html_page) ? std::string(to_string(f->severity)) : ""});
  }
  return list;
}

Blocks why_not_of(const ConfigurationReport& each, const model::WhyNot& table, Medium medium) {
  const std::string title = words::why_not_title(each, table);
  if (title.empty()) return {};
  Table conditions;
  conditions.columns = {{"Holds"},
                        {"Condition", false, true, Narrow::wrap, 28, 0, true},
                        {"Here", false, true, Narrow::wrap, 28},
                        {"Kind"},
                        {"Documented by", false, medium != window, Narrow::wrap, 30, 1}};
  for (const auto& clause : table.clauses) {
    const bool holds = clause.holds == model::Holds::yes;
    const Mark mark = holds                              ? Mark::yes
                      : clause.holds != model::Holds::no ? Mark::unknown
                      : clause.required                  ? Mark::no
                                                         : Mark::no_for_speed;
    conditions.rows.push_back(
        {{{std::string(words::holds(clause.holds)), mark},
          {Text(words::clean(clause.title), Tone::plain,
                clause.rule_id.empty() ? std::string() : fmt::format("rule:{}", clause.rule_id))},
          {Text(words::clean(clause.observed), holds ? Tone::plain : Tone::strong)},
          {dim(std::string(words::kind(clause)))},
          {Text(words::clean(clause.documented_by), Tone::dim)}}});
  }
  Details details{title, {}, -1, false, {}};
  details.blocks.push_back(std::move(conditions));
  if (const std::string nearest = words::why_not_nearest(table); !nearest.empty())
    details.blocks.push_back(Paragraph{nearest});
  Blocks blocks;
  blocks.push_back(std::move(details));
  return blocks;
}

Section configuration_of(const Content& content, const ConfigurationReport& each, bool open) {
  const bool alone = content.report.shown() == 1;
  Section section{fmt::format("c{}", each.index), each.name,
                  alone ? Section::Form::card : Section::Form::folded_card};
  section.mark = mark_of(each.standing);
  section.word = words::standing(each.standing);
  if (each.step_ms() > 0) section.aside = format_milliseconds(each.step_ms());
  section.open = open;
  section.blocks = ConfigurationBuilder(content, each).build();
  return section;
}

}  // namespace rnnadvisor::advisor::document
