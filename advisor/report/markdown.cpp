// The report as Markdown (CommonMark with tables), for issues, pull requests and wikis.
#include <fmt/format.h>

#include <algorithm>

#include "advisor/facts/experiments.h"
#include "advisor/report/chart.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/figures.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/products.h"
#include "advisor/report/selection.h"
#include "advisor/report/trial_samples.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

// Text of others: every character that Markdown or HTML would act on is escaped.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : words::clean(text)) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '\\':
      case '`':
      case '*':
      case '_':
      case '{':
      case '}':
      case '[':
      case ']':
      case '(':
      case ')':
      case '#':
      case '|':
      case '!':
      case '~':
      case '@':
        out += '\\';
        out += c;
        break;
      default:
        out += c;
    }
  }
  // A line that begins like a list, a numbered list or a rule would become one.
  if (!out.empty() && (out.front() == '-' || out.front() == '+' || out.front() == '='))
    out.insert(0, 1, '\\');
  return out;
}

// A fenced block that its content cannot close.
std::string fenced(std::string_view text) {
  const std::string lines = words::clean_lines(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (const char c : lines) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  return fence + "\n" + lines + (lines.empty() || lines.back() != '\n' ? "\n" : "") + fence + "\n";
}

std::string linked(const Citation& c) {
  const std::string text = markdown_text(words::citation(c));
  return words::is_web_address(c.url) ? fmt::format("[{}]({})", text, words::clean(c.url)) : text;
}

std::string_view sign(Standing standing) {
  switch (standing) {
    case Standing::error:
      return "❌";
    case Standing::warning:
      return "⚠️";
    case Standing::opportunity:
      return "🔷";
    case Standing::fine:
      return "✅";
    case Standing::refused:
      return "➖";
    case Standing::unjudged:
      return "❔";
  }
  return "";
}

class MarkdownWriter {
 public:
  explicit MarkdownWriter(const Report& report) : report_(report) {}

  std::string write() {
    put("# RNN advisor report\n\n");
    put("**{}**\n\n", markdown_text(report_.headline));
    if (!report_.assumption.empty()) put("{}\n\n", markdown_text(report_.assumption));
    counts();
    figures();
    actions();
    overview();
    for (const int index : most_interesting(report_, detailed))
      configuration(report_.configurations[static_cast<std::size_t>(index)]);
    if (report_.shown() > detailed) {
      put("{} shown in the table only; the {} above have the most to say.\n\n",
          words::plural(static_cast<long long>(report_.shown() - detailed), "configuration is",
                        "configurations are"),
          detailed);
    }
    remarks();
    environment();
    return std::move(out_);
  }

 private:
  static constexpr std::size_t detailed = 24;
  static constexpr std::size_t most_groups = 20;

  template <class... Args>
  void put(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Args>(args)...);
  }

  void counts() {
    if (report_.shown() == 0) return;
    put("{} {}, {} {}, {} {}, {} {}", report_.errors,
        words::severity_plural(Severity::error, report_.errors), report_.warnings,
        words::severity_plural(Severity::warning, report_.warnings), report_.opportunities,
        words::severity_plural(Severity::opportunity, report_.opportunities), report_.infos,
        words::severity_plural(Severity::info, report_.infos));
    for (const auto& device : words::devices(*report_.profile, true))
      put(" · {}", markdown_text(device));
    if (const auto& cudnn = report_.profile->environment.cudnn_version; !cudnn.empty())
      put(" · cuDNN {}", markdown_text(cudnn));
    put("\n\n");
  }

  // `number` 0: a remark, which has none.
  void finding(const Finding& f, std::size_t number, const FindingGroup& group) {
    put("### {}{}\n\n", number > 0 ? fmt::format("{}. ", number) : std::string(),
        markdown_text(f.title));
    put("*{}*, `{}`, {} rule", to_string(f.severity), code_word(f.rule_id),
        to_string(f.confidence));
    if (f.gain && !words::gain(f.gain).empty()) {
      put(", gain **{}** ({}", markdown_text(words::gain_in_full(*f.gain)),
          words::basis(f.gain->basis));
      if (!f.gain->source.empty()) put(": {}", markdown_text(f.gain->source));
      put(")");
    }
    put("\n\n{}\n\n", markdown_text(f.message));
    if (report_.shown() > 1) {
      put("- **Where:** ");
      for (std::size_t i = 0; i < std::min<std::size_t>(group.findings.size(), 8); ++i) {
        put("{}{}", i > 0 ? "; " : "",
            markdown_text(
                report_.configurations[static_cast<std::size_t>(group.findings[i]->configuration)]
                    .name));
      }
      if (group.findings.size() > 8) put("; and {} more", group.findings.size() - 8);
      put("\n");
    }
    for (const auto& c : f.comparisons) {
      if (c.holds)
        put("- **Because:** {} ({})\n", markdown_text(words::comparison(c)),
            to_string(c.provenance));
    }
    if (const auto evidence = words::evidence(f); !evidence.empty())
      put("- **Evidence:** {}\n", evidence);
    bool tried = false;
    for (const auto& s : f.suggestions) {
      const bool off = withdrawn(f, s);
      if (off && !s.trial) continue;
      put("- **{}:** {}", off ? "Not" : is_remark(f) ? "Option" : "Do", markdown_text(s.text));
      if (!s.framework.empty()) put(" ({})", markdown_text(s.framework));
      if (s.transform) put(" — {}", words::meaning(widest_meaning(changes_of(s))));
      put("\n");
      if (!s.cannot.empty()) put("  - {}\n", markdown_text(s.cannot));
      if (s.trial) put("  - **Tried:** {}\n", markdown_text(words::trial(*s.trial)));
      tried = tried || s.trial.has_value();
      if (!s.code.empty() && !off) put("\n{}\n", fenced(s.code));
    }
    if (const std::string why = words::refuted(f); !why.empty())
      put("- **Refuted:** {}\n", markdown_text(why));
    if (f.trial && !tried) put("- **Tried:** {}\n", markdown_text(words::trial(*f.trial)));
    for (const auto& c : f.citations) {
      put("- **Source:** {}, {}", linked(c), words::citation_tag(c.tag));
      if (!c.quote.empty()) put(": “{}”", markdown_text(c.quote));
      put("\n");
    }
    for (const auto& record : f.validity)
      put("- **Validity:** {}\n", markdown_text(words::validity(record)));
    put("\n");
  }

  // Inside a code span nothing can be escaped, so backticks have to go.
  static std::string code_word(std::string_view text) {
    std::string out = words::clean(text);
    std::replace(out.begin(), out.end(), '`', '\'');
    return out;
  }

  void list(const std::vector<FindingGroup>& groups, bool numbered) {
    for (std::size_t i = 0; i < std::min(most_groups, groups.size()); ++i)
      finding(groups[i].first(), numbered ? i + 1 : 0, groups[i]);
    if (groups.size() > most_groups)
      put("{} more are in the JSON and HTML reports.\n\n", groups.size() - most_groups);
  }

  void actions() {
    if (report_.actions.empty()) return;
    put("## What to do first\n\n{}\n\n", words::findings_lead());
    list(report_.actions, true);
  }

  void remarks() {
    if (report_.remarks.empty()) return;
    put("## Remarks\n\n{}\n\n", words::remarks_lead());
    list(report_.remarks, false);
  }

  void places(const ConfigurationReport& each) {
    const auto table = [&](const std::vector<PlaceRow>& rows, std::string_view title) {
      constexpr std::size_t most = 20;
      if (rows.empty()) return;
      put("| {} | Calls | GPU time |\n|---|---:|---:|\n", title);
      for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
        const auto& row = rows[i];
        const std::string name =
            row.line > 0 ? fmt::format("{} ({})", row.name, row.file) : row.name;
        put("| {} | {} | {} |\n", markdown_text(words::shorten(name, 120)), format_count(row.calls),
            row.gpu_ms >= 0 ? format_milliseconds(row.gpu_ms) : "–");
      }
      put("\n");
      if (rows.size() > most) put("{} more are in the JSON report.\n\n", rows.size() - most);
    };
    table(each.call_sites, "Called from");
    table(each.nvtx_ranges, "NVTX ranges");
  }

  void figures() {
    for (const auto& each : report_.figures) {
      const auto rows = figure_rows(each);
      if (!rows) continue;
      put("## {}\n\n{} by {}, the best of each row in bold.\n\n| {} |",
          markdown_text(each.figure->title), markdown_text(each.y_label),
          markdown_text(each.x_label), markdown_text(each.x_label));
      for (const auto& series : each.series) put(" {} |", markdown_text(series.name));
      put("\n|---:|");
      for (std::size_t i = 0; i < each.series.size(); ++i) put("---:|");
      put("\n");
      for (const auto& row : *rows) {
        const FigurePoint* best = best_of(each, row);
        put("| {} |", chart::tick_label(row.x));
        for (const FigurePoint* p : row.points) {
          const std::string_view strong = p == best ? "**" : "";
          put(" {0}{1}{0} |", p == nullptr ? "" : strong,
              p == nullptr ? std::string("–") : words::number(p->y));
        }
        put("\n");
      }
      if (!each.figure->statement.empty())
        put("\nThe document says: {} ({})\n", markdown_text(each.figure->statement),
            markdown_text(each.figure->source));
      if (const std::string here = claim_words(each, report_.figures); !here.empty())
        put("\n**{}**\n", markdown_text(here));
      put("\n");
    }
  }

  void overview() {
    if (report_.shown() < 2) return;
    put("## Configurations\n\n| | Configuration | Step | TFLOP/s | Ran | Best gain | Verdict "
        "|\n|---|---|---:|---:|---|---:|---|\n");
    for (const auto& each : report_.configurations) {
      if (each.tried) continue;
      const double ms = each.step_ms();
      const double tflops = each.step_tflops();
      const std::string gain = words::gain(each);
      put("| {} | {} | {} | {} | {} | {} | {} |\n", sign(each.standing),
          markdown_text(words::shorten(each.name, 80)), ms > 0 ? format_milliseconds(ms) : "–",
          tflops > 0 ? words::number(tflops) : "–",
          each.ran ? words::implementation(*each.ran) : words::outcome(each.configuration->outcome),
          gain.empty() ? "–" : gain, markdown_text(each.verdict));
    }
    put("\n");
  }

  void phases(const ConfigurationReport& each) {
    if (each.phases.empty()) return;
    put("| Phase | Median | 95 % interval | TFLOP/s | GFLOP | Bound | Kernel time | Busy "
        "| Ran | Tensor Cores |\n");
    put("|---|---:|---|---:|---:|---:|---:|---:|---|---|\n");
    for (const auto& p : each.phases) {
      const std::string interval =
          p.timing != nullptr ? words::interval(p.timing->ms) : std::string();
      put("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", words::phase(p.phase),
          p.timing != nullptr ? format_milliseconds(p.timing->ms.median) : "–",
          interval.empty() ? "–" : interval, p.tflops > 0 ? words::number(p.tflops) : "–",
          words::number(static_cast<double>(p.cost.flops) / 1e9),
          p.bound.bound_ms > 0
              ? format_milliseconds(p.bound.bound_ms) + (p.bound.estimate ? " (estimate)" : "")
              : "–",
          p.kernel_ms >= 0 ? format_milliseconds(p.kernel_ms) : "–",
          p.busy >= 0 ? words::percent(p.busy) : "–",
          p.implementation ? words::implementation(*p.implementation) : "–", p.tensor_cores);
    }
    put("\n");
    if (const std::string note = words::busy_note(each); !note.empty())
      put("{}\n\n", markdown_text(note));
  }

  void predicted(const ConfigurationReport& each) {
    const auto* of = report_.predicted != nullptr ? report_.predicted->of(each.index) : nullptr;
    if (of == nullptr) {
      const auto none = report_.predicted != nullptr ? report_.predicted->none(each.index) : "";
      if (!none.empty()) put("Predicted times: {}\n\n", markdown_text(none));
      return;
    }
    put("### Predicted times on {} (an estimate)\n\n", markdown_text(report_.predicted->device));
    bool head = true;
    for (const auto& row : predicted_table(*of)) {
      for (const auto& cell : row) put("| {} ", markdown_text(cell));
      put("|\n");
      if (head) {
        put("|---|");
        for (std::size_t i = 3; i < row.size(); ++i) put("---:|");
        put("---|---|\n");
      }
      head = false;
    }
    put("\n{}\n\n", markdown_text(predicted_note(*report_.predicted)));
  }

  void why_not(const ConfigurationReport& each) {
    for (const auto& table : each.why_not) {
      if (table.algo != Algo::persist_static) continue;
      const std::string title = words::why_not_title(each, table);
      if (title.empty()) continue;
      put("<details><summary>{}</summary>\n\n| Condition | Holds | Here | Kind | "
          "Documented by |\n|---|---|---|---|---|\n",
          markdown_text(title));
      for (const auto& clause : table.clauses) {
        put("| {} | {} | {} | {} | {} |\n", markdown_text(clause.title),
            clause.holds == model::Holds::yes  ? "yes"
            : clause.holds == model::Holds::no ? "**no**"
                                               : "unknown",
            markdown_text(clause.observed), clause.required ? "required" : "for speed",
            markdown_text(clause.documented_by));
      }
      if (const std::string nearest = words::why_not_nearest(table); !nearest.empty())
        put("\n{}\n", markdown_text(nearest));
      put("\n</details>\n\n");
    }
  }

  void products(const ConfigurationReport& each) {
    const auto cells = product_cells(each);
    if (cells.empty()) return;
    put("<details><summary>Matrix products</summary>\n\n");
    for (std::size_t i = 0; i < cells.size(); ++i) {
      for (const auto& cell : cells[i]) put("| {} ", markdown_text(cell));
      put("|\n");
      if (i == 0) put("|---|---|---|---:|---:|---:|---:|\n");
    }
    put("\n{}\n\n</details>\n\n", markdown_text(products_note(each)));
  }

  void trials(const ConfigurationReport& each) {
    if (each.trials.empty()) return;
    put("### Tried and measured\n\n");
    for (const auto& line : words::best_trials(each)) put("- {}\n", markdown_text(line));
    put("\n| Verdict | Change | Meaning | Before | After | Speedup | Control | Forward | Inference "
        "| "
        "Memory | Moved | Outliers |\n|---|---|---|---:|---:|---:|---:|---:|---:|---|---|---|\n");
    const auto cell = [](const std::string& text) {
      return text.empty() ? "–" : markdown_text(text);
    };
    for (const auto& row : each.trials) {
      const auto* t = row.step;
      std::string change = row.change;
      if (!row.where.empty()) change += ", " + row.where;
      if (!row.experiment->message.empty()) change += ": " + row.experiment->message;
      if (const auto throttle = throttle_change(*row.experiment); !throttle.empty())
        change += "; " + throttle;
      std::string far;
      if (t != nullptr) {
        const auto found = outliers(*t);
        if (found.samples > 0) far = fmt::format("{} of {}", found.count(), found.samples);
      }
      put("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
          words::verdict(row.experiment->verdict), markdown_text(change),
          markdown_text(row.experiment->meaning),
          t != nullptr ? format_milliseconds(t->before_ms.median) : "–",
          t != nullptr ? format_milliseconds(t->after_ms.median) : "–", cell(words::speedup(t)),
          t != nullptr && t->control_high > 0
              ? fmt::format("{} to {}", words::number(t->control_low),
                            words::number(t->control_high))
              : "–",
          cell(row.forward != t ? words::speedup(row.forward) : ""),
          cell(row.inference != t ? words::speedup(row.inference) : ""),
          cell(words::memory_change(*row.experiment)), cell(words::moved_in_full(row)), cell(far));
    }
    put("\n{}\n\n", markdown_text(words::trials_note(each)));
    for (const auto& row : each.trials) {
      for (const auto& file : row.experiment->code)
        put("`{}` for {}:\n\n{}\n", code_word(file.name), markdown_text(row.change),
            fenced(file.text));
    }
  }

  void configuration(const ConfigurationReport& each) {
    put("## {} {}\n\n{}\n\n", sign(each.standing), markdown_text(words::shorten(each.name, 120)),
        markdown_text(each.verdict));
    for (const auto& [key, value] : each.configuration->described()
                                        ? words::parameters(each.configuration->config)
                                        : decltype(words::parameters({})){})
      put("`{}` {} · ", key, markdown_text(value));
    put("mode {}\n\n", to_string(each.configuration->config.mode));
    if (each.position) put("In {}.\n\n", markdown_text(words::position(*each.position)));
    trials(each);
    phases(each);
    places(each);
    predicted(each);
    if (each.memory.total > 0) {
      put("Memory: {} computed ({})", format_bytes(static_cast<double>(each.memory.total)),
          model::to_string(each.memory.exactness));
      if (each.configuration->memory_peak_used > 0)
        put(", {} measured",
            format_bytes(static_cast<double>(each.configuration->memory_peak_used)));
      if (each.has_device)
        put(", device {}", format_bytes(static_cast<double>(each.device->memory_bytes)));
      if (const auto program = words::program_memory(each.program_memory); !program.empty())
        put("; {}", program);
      put(".\n\n");
    }
    why_not(each);
    products(each);
    std::string rules;
    for (const auto& count : words::rule_counts(each)) rules += (rules.empty() ? "" : ", ") + count;
    put("Rules: {}.\n\n", rules);
  }

  void environment() {
    const auto rows = words::environment(report_.profile->environment);
    if (rows.empty() && report_.profile->notes.empty()) return;
    put("## Environment\n\n");
    for (const auto& [label, value] : rows) put("- {}: {}\n", label, markdown_text(value));
    for (const auto& note : report_.profile->notes)
      put("- **{}:** {}{}\n", to_string(note.severity), markdown_text(note.text),
          note.count > 1 ? fmt::format(" ({})", words::plural(note.count, "time")) : "");
  }

  const Report& report_;
  std::string out_;
};

}  // namespace

std::string write_markdown(const Report& report) { return MarkdownWriter(report).write(); }

}  // namespace rnnadvisor::advisor
