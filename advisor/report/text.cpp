// The report on a terminal: for one configuration at most a screen, for many an overview and the
// most telling ones.
#include "core/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "advisor/report/chart.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/figures.h"
#include "advisor/report/places.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/products.h"
#include "advisor/report/selection.h"
#include "advisor/report/terminal.h"
#include "advisor/report/text_trials.h"
#include "advisor/report/words.h"

namespace rnnadvisor::advisor {
namespace {

struct Mark {
  std::string_view unicode, ascii;
  Style style;
};

Mark mark(Standing standing) {
  switch (standing) {
    case Standing::error:
      return {"✖", "X", Style::red};
    case Standing::warning:
      return {"▲", "!", Style::yellow};
    case Standing::opportunity:
      return {"◆", "+", Style::cyan};
    case Standing::fine:
      return {"✔", "=", Style::green};
    case Standing::refused:
      return {"–", "-", Style::dim};
    case Standing::unjudged:
      return {"?", "?", Style::dim};
  }
  return {"?", "?", Style::dim};
}

Mark mark(Severity severity) {
  switch (severity) {
    case Severity::error:
      return mark(Standing::error);
    case Severity::warning:
      return mark(Standing::warning);
    case Severity::opportunity:
      return mark(Standing::opportunity);
    case Severity::info:
      return {"●", "i", Style::blue};
  }
  return {"?", "?", Style::dim};
}

class TextWriter {
 public:
  TextWriter(const Report& report, const TextOptions& options)
      : report_(report),
        options_(options),
        terminal_(options),
        dot_(terminal_.symbol(" · ", " | ")) {}

  std::string write() {
    header();
    if (const auto* only = report_.only()) {
      configuration(*only, true);
    } else if (report_.shown() > 0) {
      // A sweep was made for its figures: the comparison comes before what follows from it.
      for (const auto& each : report_.figures) figure(each);
      actions(5);
      overview();
      details();
      remarks(6);
    }
    notes();
    return terminal_.take();
  }

 private:
  std::string symbol(const Mark& m) const {
    return std::string(terminal_.symbol(m.unicode, m.ascii));
  }

  void header() {
    std::vector<std::string> parts;
    const Environment& environment = report_.profile->environment;
    parts.push_back("rnnadvisor " + words::clean(environment.rnnadvisor_version));
    for (auto& device : words::devices(*report_.profile, false)) parts.push_back(std::move(device));
    if (!environment.cudnn_version.empty())
      parts.push_back("cuDNN " + words::clean(environment.cudnn_version));
    if (!environment.driver_version.empty())
      parts.push_back("driver " + words::clean(environment.driver_version));
    if (!environment.created.empty()) parts.push_back(words::clean(environment.created));
    std::string line;
    for (const auto& part : parts) line += (line.empty() ? "" : dot_) + part;
    terminal_.paragraph(line, 0, {}, Style::dim, Style::dim);
    const Mark m = mark(report_.worst());
    terminal_.line();
    terminal_.paragraph(report_.headline, 2, symbol(m), m.style, Style::bold);
    if (!report_.assumption.empty())
      terminal_.paragraph(report_.assumption, 2, {}, Style::dim, Style::dim);
  }

  void parameters(const ConfigurationReport& each) {
    std::string line;
    for (const auto& [key, value] : words::parameters(each.configuration->config)) {
      line += (line.empty() ? "" : dot_) + key + " " + words::shorten(value, 40);
    }
    for (const auto& [key, value] : words::program(each.configuration->program)) {
      // What is known of the program besides is a screen of its own.
      if (!options_.verbose && each.configuration->from_program() && key != "name" &&
          key != "version")
        continue;
      line += dot_ + "framework." + key + " " + words::shorten(value, 40);
    }
    terminal_.paragraph(line, 2, {}, Style::dim, Style::dim);
  }

  void phases(const ConfigurationReport& each) {
    const bool timed = std::any_of(each.phases.begin(), each.phases.end(),
                                   [](const auto& p) { return p.timing != nullptr; });
    const bool traced = std::any_of(each.phases.begin(), each.phases.end(),
                                    [](const auto& p) { return p.kernel_ms >= 0; });
    if (each.phases.empty()) return;
    std::vector<Column> columns = {{"Phase"}};
    if (timed) {
      columns.push_back({"Median", true});
      columns.push_back({"95 % interval", false, Fit::fixed, 0, 3});
      columns.push_back({"TFLOP/s", true});
    }
    if (!timed) columns.push_back({"GFLOP", true});
    if (each.has_device) {
      columns.push_back({"Bound", true});
      if (timed) columns.push_back({"x", true});
    }
    if (traced) {
      columns.push_back({"Kernels", true, Fit::fixed, 0, 1});
      columns.push_back({"Busy", true});
      columns.push_back({"Ran", false, Fit::wrap, 10});
      columns.push_back({"Tensor Cores", false, Fit::wrap, 12, 2});
    }
    std::vector<std::vector<Cell>> rows;
    const std::string none(terminal_.symbol("–", "-"));
    for (const auto& phase : each.phases) {
      std::vector<Cell> row = {{std::string(words::phase(phase.phase))}};
      const double ms = phase.timing != nullptr ? phase.timing->ms.median : -1;
      if (timed) {
        row.push_back({ms > 0 ? format_milliseconds(ms) : none, Style::bold});
        const std::string interval = ms > 0 ? words::interval(phase.timing->ms) : std::string();
        row.push_back({interval.empty() ? none : interval, Style::dim});
        row.push_back({phase.tflops > 0 ? words::number(phase.tflops) : none});
      }
      if (!timed) row.push_back({words::number(static_cast<double>(phase.cost.flops) / 1e9)});
      if (each.has_device) {
        const bool known = phase.bound.bound_ms > 0;
        row.push_back({known ? format_milliseconds(phase.bound.bound_ms) : none, Style::dim});
        if (timed)
          row.push_back({known && ms > 0 ? words::number(ms / phase.bound.bound_ms) : none});
      }
      if (traced) {
        row.push_back({phase.kernel_ms >= 0 ? format_milliseconds(phase.kernel_ms) : none});
        row.push_back({phase.busy >= 0 ? words::percent(phase.busy) : none});
        row.push_back({phase.implementation
                           ? std::string(words::implementation(*phase.implementation))
                           : none});
        row.push_back({std::string(words::tensor_cores(phase.tensor_cores))});
      }
      rows.push_back(std::move(row));
    }
    terminal_.heading(timed ? "Phases" : "Phases (not timed)");
    terminal_.table(std::move(columns), std::move(rows));
    if (each.has_device) bound_note(each, timed);
    busy_note(each);
  }

  void busy_note(const ConfigurationReport& each) {
    const std::string note = words::busy_note(each);
    if (!note.empty()) terminal_.paragraph(note, 0, {}, Style::dim, Style::dim);
  }

  void bound_note(const ConfigurationReport& each, bool timed) {
    const auto found = std::find_if(each.phases.begin(), each.phases.end(),
                                    [](const auto& p) { return p.bound.bound_ms > 0; });
    if (found == each.phases.end()) return;
    terminal_.paragraph(
        fmt::format(
            "Bound: {}{}.",
            found->bound.estimate
                ? "the time at the ceilings known of the device, an estimate"
                : "the time at the ceilings that were measured on this device, which may lie below "
                  "those of its data sheet",
            timed ? "; x: the median as a multiple of it" : ""),
        0, {}, Style::dim, Style::dim);
  }

  // "The batch is not a multiple of 8 → 1.44× (measured here)".
  std::string titled(const Finding& f, const std::string& gain) {
    const std::string title = words::clean(f.title);
    return gain.empty() ? title
                        : fmt::format("{} {} {} ({})", title, terminal_.symbol("→", "->"), gain,
                                      words::basis(f.gain->basis));
  }

  // `number` 0: a remark, which has none.
  void finding(const Finding& f, int number, std::size_t others) {
    const Mark m = mark(f.severity);
    const std::string title = titled(f, f.gain ? words::gain_in_full(*f.gain) : std::string());
    const std::string rank = number > 0 ? fmt::format("{}", number) : std::string();
    terminal_.paragraph(title, 5, fmt::format("{:>2} {}", rank, symbol(m)), m.style, Style::bold);
    if (others > 0) {
      const auto& where = report_.configurations[static_cast<std::size_t>(f.configuration)];
      terminal_.paragraph(
          fmt::format("{} and {}", where.name,
                      words::plural(static_cast<long long>(others), "other configuration")),
          14, "     where", Style::dim);
    } else if (report_.shown() > 1) {
      terminal_.paragraph(report_.configurations[static_cast<std::size_t>(f.configuration)].name,
                          14, "     where", Style::dim);
    }
    terminal_.paragraph(words::clean(f.message), 5);
    const std::string because = words::because(f, options_.verbose);
    const bool brief = number == 0 && !options_.verbose;
    if (!because.empty() && !brief) terminal_.paragraph(because, 14, "     because", Style::dim);
    for (const auto& suggestion : f.suggestions) {
      // What was tried is told; what the source alone suggests only where everything is asked for.
      const bool off = withdrawn(f, suggestion);
      if (off && !suggestion.trial && !options_.verbose) continue;
      std::string text = words::clean(suggestion.text);
      if (!suggestion.framework.empty())
        text += fmt::format(" [{}]", words::clean(suggestion.framework));
      if (suggestion.transform)
        text += fmt::format(" ({})", to_string(widest_meaning(changes_of(suggestion))));
      // A remark asks for nothing: what it names can be done.
      const bool asks = number > 0 && !off;
      terminal_.paragraph(text, 14,
                          off    ? "     not"
                          : asks ? "     do"
                                 : "     option",
                          asks ? Style::green : Style::dim);
      draw_outcome(terminal_, suggestion);
      if (options_.verbose && !suggestion.code.empty()) code(suggestion.code);
    }
    draw_outcome(terminal_, f);
    if (const std::string why = words::refuted(f); !why.empty())
      terminal_.paragraph(why, 14, "     refuted", Style::red);
    if (brief) return;
    sources(f);
    terminal_.paragraph(
        fmt::format("{}{}{}", words::clean(f.rule_id), dot_, to_string(f.confidence)), 14,
        "     rule", Style::dim, Style::dim);
  }

  // All of them take a screen: without --verbose the first that is quoted stands for the others.
  void sources(const Finding& f) {
    const auto put = [&](const Citation& c, const std::string& more) {
      std::string text = words::citation(c);
      if (!c.quote.empty()) text += ": \"" + words::clean(c.quote) + "\"";
      terminal_.paragraph(text + more, 14, "     source", Style::dim, Style::dim);
    };
    if (options_.verbose) {
      for (const auto& c : f.citations) put(c, {});
    } else if (!f.citations.empty()) {
      const auto quoted = std::find_if(f.citations.begin(), f.citations.end(),
                                       [](const Citation& c) { return !c.quote.empty(); });
      put(quoted == f.citations.end() ? f.citations.front() : *quoted,
          f.citations.size() > 1 ? fmt::format(" (and {} more)", f.citations.size() - 1) : "");
    }
  }

  void code(std::string_view text) { draw_code(terminal_, text); }

  void why_not(const ConfigurationReport& each) {
    for (const auto& table : each.why_not) {
      if (table.algo != Algo::persist_static && !options_.verbose) continue;
      const std::string title = words::why_not_title(each, table);
      if (title.empty() || (table.fast && !options_.verbose)) continue;
      terminal_.heading(title);
      std::vector<std::vector<Cell>> rows;
      for (const auto& clause : table.clauses) {
        if (clause.holds == model::Holds::yes && !options_.verbose) continue;
        const Mark m = clause.holds == model::Holds::yes ? mark(Standing::fine)
                       : clause.holds == model::Holds::no
                           ? mark(clause.required ? Standing::error : Standing::warning)
                           : mark(Standing::unjudged);
        rows.push_back({{symbol(m), m.style},
                        {words::clean(clause.title)},
                        {words::clean(clause.observed), Style::bold},
                        {clause.required ? "required" : "for speed", Style::dim},
                        {words::clean(clause.documented_by), Style::dim}});
      }
      terminal_.table({{""},
                       {"Condition", false, Fit::wrap, 28},
                       {"Here", false, Fit::wrap, 28},
                       {""},
                       {"Documented by", false, Fit::wrap, 30, 1}},
                      std::move(rows));
      if (const std::string nearest = words::why_not_nearest(table); !nearest.empty())
        terminal_.paragraph(nearest);
    }
  }

  void products(const ConfigurationReport& each) {
    if (!options_.verbose) return;
    const auto cells = product_cells(each);
    if (cells.empty()) return;
    terminal_.heading("Matrix products");
    std::vector<Column> columns;
    for (std::size_t i = 0; i < cells.front().size(); ++i)
      columns.push_back({cells.front()[i], i > 2});
    std::vector<std::vector<Cell>> rows;
    for (std::size_t i = 1; i < cells.size(); ++i) {
      auto& row = rows.emplace_back();
      for (const auto& cell : cells[i]) row.push_back({cell});
    }
    terminal_.table(std::move(columns), std::move(rows));
    terminal_.paragraph(products_note(each), 0, {}, Style::dim, Style::dim);
  }

  void memory(const ConfigurationReport& each) {
    const Configuration& configuration = *each.configuration;
    const bool measured = configuration.memory_peak_used > 0;
    const std::int64_t used = measured ? configuration.memory_peak_used : each.memory.total;
    if (used <= 0) return;
    std::string text = fmt::format("{} {}", format_bytes(static_cast<double>(used)),
                                   measured ? "measured" : "computed");
    if (each.has_device && each.device->memory_bytes > 0) {
      const double share =
          static_cast<double>(used) / static_cast<double>(each.device->memory_bytes);
      text = fmt::format("{} {} of {} ({})", terminal_.bar(share, 24), text,
                         format_bytes(static_cast<double>(each.device->memory_bytes)),
                         words::percent(share));
    }
    if (const auto program = words::program_memory(each.program_memory); !program.empty())
      text += "; " + program;
    terminal_.line();
    terminal_.paragraph(text, 8, "Memory", Style::bold);
  }

  void kernels(const ConfigurationReport& each) {
    if (each.kernels.empty() || !options_.verbose) return;
    terminal_.heading("Kernels");
    std::vector<std::vector<Cell>> rows;
    for (const auto& row : each.kernels) {
      rows.push_back({{std::string(words::phase(row.phase)), Style::dim},
                      {row.short_name},
                      {std::string(to_string(row.role)), Style::dim},
                      {format_count(row.count)},
                      {format_milliseconds(row.total_us / 1000.0)},
                      {words::percent(row.share)}});
    }
    terminal_.table({{"Phase"},
                     {"Kernel", false, Fit::clip},
                     {"Role"},
                     {"Count", true},
                     {"Time", true},
                     {"Share", true}},
                    std::move(rows));
  }

  void rules(const ConfigurationReport& each) {
    std::string text;
    for (const auto& count : words::rule_counts(each)) text += (text.empty() ? "" : dot_) + count;
    terminal_.paragraph(text, 8, "Rules", Style::bold);
    if (!options_.verbose) return;
    for (const Verdict* verdict : each.verdicts) {
      if (verdict->kind == VerdictKind::fired || verdict->kind == VerdictKind::not_applicable)
        continue;
      std::string line =
          fmt::format("{}: {}", words::clean(verdict->rule_id), words::verdict(verdict->kind));
      for (std::size_t i = 0; i < verdict->missing.size(); ++i)
        line += (i == 0 ? ", not known: " : ", ") + words::clean(verdict->missing[i]);
      if (!verdict->message.empty()) line += ", " + words::clean(verdict->message);
      terminal_.paragraph(line, 10, {}, Style::dim, Style::dim);
    }
  }

  void configuration(const ConfigurationReport& each, bool alone) {
    if (!alone) {
      const Mark m = mark(each.standing);
      terminal_.heading(words::shorten(fmt::format("{}  {}", symbol(m), each.name),
                                       static_cast<std::size_t>(terminal_.width()) - 4));
      terminal_.paragraph(each.verdict, 2);
    } else {
      terminal_.line();
    }
    terminal_.paragraph(each.summary_in_name() ? each.name : each.name + dot_ + each.summary, 2);
    if (each.position) {
      terminal_.paragraph("in " + words::position(*each.position), 2, {}, Style::dim, Style::dim);
    }
    if (each.configuration->described()) parameters(each);
    phases(each);
    places(each);
    if (alone) {
      actions(3);
    } else {
      listed(each);
    }
    draw_trials(terminal_, each, options_.verbose);
    why_not(each);
    products(each);
    if (alone) remarks(4);
    kernels(each);
    if (each.configuration->described()) memory(each);
    rules(each);
  }

  void left_out(std::size_t all, std::size_t shown) {
    if (all <= shown) return;
    terminal_.paragraph(fmt::format("{} more: see --verbose or the HTML report.", all - shown), 5,
                        {}, Style::dim, Style::dim);
  }

  // Where in the program its calls come from. The first line says most; all of them with --verbose.
  void places(const ConfigurationReport& each) {
    const auto list = [&](const std::vector<PlaceRow>& rows, std::string_view label) {
      const std::size_t most = options_.verbose ? std::min<std::size_t>(rows.size(), 20) : 1;
      for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        std::string text = words::shorten(rows[i].name, 60) + ": " +
                           words::place_use(rows[i], each.recorded_calls);
        if (i + 1 == most && rows.size() > most)
          text += fmt::format("; {} more", rows.size() - most);
        terminal_.paragraph(text, 14, i == 0 ? fmt::format("  {}", label) : std::string(),
                            Style::bold);
      }
    };
    if (each.call_sites.empty() && each.nvtx_ranges.empty()) return;
    terminal_.line();
    list(each.call_sites, "Called from");
    list(each.nvtx_ranges, "NVTX range");
  }

  void listed(const ConfigurationReport& each) {
    for (const Finding* f : each.findings) {
      if (is_remark(*f) && !options_.verbose) continue;
      const Mark m = mark(f->severity);
      terminal_.paragraph(titled(*f, words::gain_of_change(f->gain)), 4, "  " + symbol(m), m.style);
    }
  }

  void actions(std::size_t usual) {
    if (report_.actions.empty()) return;
    terminal_.heading("What to do first");
    if (const std::string legend = words::meanings(report_); !legend.empty())
      terminal_.paragraph(legend, 0, {}, Style::dim, Style::dim);
    const std::size_t most = options_.verbose ? report_.actions.size() : usual;
    for (std::size_t i = 0; i < std::min(most, report_.actions.size()); ++i) {
      const auto& group = report_.actions[i];
      finding(group.first(), static_cast<int>(i) + 1, group.findings.size() - 1);
    }
    left_out(report_.actions.size(), most);
  }

  // What asks for nothing, and is therefore short.
  void remarks(std::size_t usual) {
    if (report_.remarks.empty()) return;
    terminal_.heading("Remarks (no action needed)");
    const std::size_t most = options_.verbose ? report_.remarks.size() : usual;
    for (std::size_t i = 0; i < std::min(most, report_.remarks.size()); ++i) {
      const auto& group = report_.remarks[i];
      finding(group.first(), 0, group.findings.size() - 1);
    }
    left_out(report_.remarks.size(), most);
  }

  void figure(const FigureReport& each) {
    constexpr std::size_t most = 24;
    const auto rows = figure_rows(each);
    if (!rows) return;
    terminal_.heading(words::clean(each.figure->title));
    const std::string none(terminal_.symbol("–", "-"));
    const std::size_t shown = options_.verbose ? rows->size() : std::min(most, rows->size());
    std::vector<Column> columns = {{each.x_label, true}};
    for (const auto& series : each.series) columns.push_back({series.name, true});
    const bool several = each.series.size() > 1;
    if (several)
      columns.push_back({"best " + words::clean(each.figure->series_key), false, Fit::clip, 12, 1});
    std::vector<std::vector<Cell>> cells;
    for (std::size_t n = 0; n < shown; ++n) {
      const FigureRow& row = (*rows)[n];
      const FigurePoint* best = best_of(each, row);
      auto& line = cells.emplace_back();
      line.push_back({chart::tick_label(row.x), Style::dim});
      std::string name;
      for (std::size_t i = 0; i < row.points.size(); ++i) {
        const FigurePoint* p = row.points[i];
        line.push_back({p != nullptr ? words::number(p->y) : none, p == nullptr ? Style::dim
                                                                   : p == best  ? Style::bold
                                                                                : Style::plain});
        if (p == best) name = each.series[i].name;
      }
      if (several) line.push_back({name, Style::dim});
    }
    terminal_.table(std::move(columns), std::move(cells));
    std::string note = each.y_label + ".";
    if (shown < rows->size())
      note += fmt::format(" {}: see --verbose.",
                          words::plural(static_cast<long long>(rows->size() - shown), "more row"));
    terminal_.paragraph(note, 0, {}, Style::dim, Style::dim);
    if (!each.figure->statement.empty())
      terminal_.paragraph(
          words::clean(each.figure->statement) + " (" + words::clean(each.figure->source) + ")", 7,
          "claim", Style::dim, Style::dim);
    if (const std::string here = claim_words(each, report_.figures); !here.empty())
      terminal_.paragraph(here, 7, "here", Style::bold);
  }

  void overview() {
    terminal_.heading(words::plural(static_cast<long long>(report_.shown()), "configuration"));
    const std::string none(terminal_.symbol("–", "-"));
    std::vector<std::vector<Cell>> rows;
    for (const auto& each : report_.configurations) {
      if (each.tried) continue;
      const Mark m = mark(each.standing);
      const double ms = each.step_ms();
      const double tflops = each.step_tflops();
      const std::string gain = words::gain(each);
      const Outcome outcome = each.configuration->outcome;
      const bool plain = outcome == Outcome::completed || outcome == Outcome::not_run;
      rows.push_back({{symbol(m), m.style},
                      {each.name},
                      {each.summary_in_name() ? std::string() : each.summary, Style::dim},
                      {ms > 0 ? format_milliseconds(ms) : none},
                      {tflops > 0 ? words::number(tflops) : none},
                      {!plain     ? std::string(words::outcome(outcome))
                       : each.ran ? std::string(words::implementation(*each.ran))
                                  : none},
                      {gain.empty() ? none : gain}});
    }
    // The summary makes room for the names: these are what the rest of the report refers to.
    terminal_.table({{""},
                     {"Configuration", false, Fit::clip, 48},
                     {"", false, Fit::clip, 28, 1},
                     {"Step", true},
                     {"TFLOP/s", true},
                     {"Ran", false, Fit::wrap, 13},
                     {"Gain", true}},
                    std::move(rows));
  }

  void details() {
    const auto chosen = most_interesting(
        report_, static_cast<std::size_t>(std::max(0, options_.max_configurations)));
    for (const int index : chosen)
      configuration(report_.configurations[static_cast<std::size_t>(index)], false);
    const std::size_t rest = report_.shown() - chosen.size();
    if (rest > 0) {
      terminal_.line();
      terminal_.paragraph(fmt::format("{} in the table only: the {} above have the most to say.",
                                      words::plural(static_cast<long long>(rest),
                                                    "configuration is", "configurations are"),
                                      chosen.size()),
                          0, {}, Style::dim, Style::dim);
    }
  }

  void notes() {
    if (report_.profile->notes.empty()) return;
    terminal_.heading("Notes on this profile");
    for (const auto& note : report_.profile->notes) {
      std::string text = words::clean(note.text);
      if (note.count > 1) text += fmt::format(" ({})", words::plural(note.count, "time"));
      const Mark m = note.severity == NoteSeverity::error     ? mark(Severity::error)
                     : note.severity == NoteSeverity::warning ? mark(Severity::warning)
                                                              : mark(Severity::info);
      terminal_.paragraph(text, 2, symbol(m), m.style);
    }
  }

  const Report& report_;
  TextOptions options_;
  Terminal terminal_;
  std::string dot_;
};

}  // namespace

std::string write_text(const Report& report, const TextOptions& options) {
  std::string text = TextWriter(report, options).write();
  if (report.predicted != nullptr) text += predicted_text(*report.predicted, options);
  return text;
}

}  // namespace rnnadvisor::advisor
