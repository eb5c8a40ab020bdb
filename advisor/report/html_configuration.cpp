// Configurations: the overview table and the cards.
#include <algorithm>

#include "advisor/report/html_parts.h"
#include "advisor/report/predicted_times.h"
#include "advisor/report/selection.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::html {
namespace {

constexpr std::string_view none = "<span class=\"muted\">–</span>";

std::string or_none(const std::string& text) { return text.empty() ? std::string(none) : text; }

void parameters(Page& page, const ConfigurationReport& each) {
  page.raw("<dl class=\"parameters\">");
  for (const auto& [key, value] : words::parameters(each.configuration->config))
    page.put("<div><dt>{}</dt><dd>{}</dd></div>", key, esc(words::shorten(value, 80)));
  for (const auto& [key, value] : words::program(each.configuration->program))
    page.put("<div><dt>framework.{}</dt><dd>{}</dd></div>", key, esc(words::shorten(value, 80)));
  page.raw("</dl>");
}

void phases(Page& page, const ConfigurationReport& each) {
  if (each.phases.empty()) return;
  const auto any = [&](auto&& has) {
    return std::any_of(each.phases.begin(), each.phases.end(), has);
  };
  // A column without a single value would only ask what is missing.
  const bool timed = any([](const PhaseRow& p) { return p.timing != nullptr; });
  const bool bounded = any([](const PhaseRow& p) { return p.bound.bound_ms > 0; });
  const bool traced = any([](const PhaseRow& p) { return p.kernel_ms >= 0; });
  page.put(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Phases\"><table>"
      "<caption>Phases{}</caption><thead><tr><th scope=\"col\">Phase</th>",
      timed ? "" : " <span class=\"muted\">(not timed)</span>");
  const auto head = [&](bool wanted, std::string_view title, bool number = true) {
    if (wanted) {
      page.put("<th scope=\"col\"{}>{}</th>", number ? " class=\"num\"" : "", title);
    }
  };
  head(timed, "Median, 95 % interval", false);
  head(timed, "TFLOP/s");
  head(!traced, "GFLOP");
  head(!traced, "FLOP per byte");
  head(bounded, "Bound");
  head(bounded && timed, "Times bound");
  head(traced, "Kernel time");
  head(traced, "Busy");
  head(traced, "Ran", false);
  head(traced, "Tensor Cores", false);
  page.raw("</tr></thead><tbody>");
  for (const auto& p : each.phases) {
    const double ms = p.timing != nullptr ? p.timing->ms.median : -1;
    const bool has_bound = p.bound.bound_ms > 0;
    std::string time(none);
    if (ms > 0) {
      time = "<strong>" + format_milliseconds(ms) + "</strong>";
      if (const auto interval = words::interval(p.timing->ms); !interval.empty()) {
        time += fmt::format("<br><span class=\"muted small\">{}</span>", interval);
      }
      if (!p.timing->converged) {
        time +=
            " <span class=\"tag\" title=\"the interval did not become as tight as "
            "wanted\">wide</span>";
      }
    }
    const auto cell = [&](bool wanted, const std::string& text, std::string_view type = "num") {
      if (wanted) page.put("<td class=\"{}\">{}</td>", type, or_none(text));
    };
    page.put("<tr><th scope=\"row\" class=\"nowrap\">{}</th>", words::phase(p.phase));
    cell(timed, time, "nowrap");
    cell(timed, p.tflops > 0 ? words::number(p.tflops) : "");
    cell(!traced, words::number(static_cast<double>(p.cost.flops) / 1e9));
    cell(!traced, p.cost.intensity > 0 ? words::number(p.cost.intensity) : "");
    cell(bounded, has_bound ? format_milliseconds(p.bound.bound_ms) : "");
    cell(bounded && timed, has_bound && ms > 0 ? words::number(ms / p.bound.bound_ms) : "");
    cell(traced, p.kernel_ms >= 0 ? format_milliseconds(p.kernel_ms) : "");
    cell(traced, p.busy >= 0 ? esc(words::percent(p.busy)) : "");
    cell(traced, p.implementation ? std::string(words::implementation(*p.implementation)) : "",
         "text");
    cell(traced,
         fmt::format("<span title=\"{}\">{}</span>", esc(p.tensor_cores),
                     esc(words::tensor_cores(p.tensor_cores))),
         "text");
    page.raw("</tr>");
  }
  page.raw("</tbody></table></div>");
  if (const std::string note = words::busy_note(each); !note.empty())
    page.put("<p class=\"muted small\">{}</p>", esc(note));
  const auto first = std::find_if(each.phases.begin(), each.phases.end(),
                                  [](const auto& p) { return p.bound.bound_ms > 0; });
  if (first != each.phases.end()) {
    page.put(
        "<p class=\"muted small\">The bound is {}: {}</p>",
        first->bound.estimate
            ? "an estimate"
            : "the time at the ceilings that were measured on this device, which may lie below "
              "those of its data sheet",
        esc(first->bound.basis));
  }
}

void predicted(Page& page, const Report& report, const ConfigurationReport& each) {
  const auto* of = report.predicted != nullptr ? report.predicted->of(each.index) : nullptr;
  if (of == nullptr) {
    const auto why = report.predicted != nullptr ? report.predicted->none(each.index) : "";
    if (!why.empty()) page.put("<p class=\"muted\">Predicted times: {}</p>", esc(why));
    return;
  }
  page.put(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Predicted "
      "times\"><table><caption>Predicted times on {} <span class=\"muted\">(an "
      "estimate)</span></caption>",
      esc(report.predicted->device));
  bool head = true;
  for (const auto& row : predicted_table(*of)) {
    page.raw(head ? "<thead><tr>" : "<tr>");
    for (std::size_t c = 0; c < row.size(); ++c) {
      // Times stand between the algorithm and their interval.
      const std::string_view type = c > 0 && c + 2 < row.size() ? " class=\"num\"" : "";
      if (head && row[c].empty())
        page.raw("<td></td>");
      else if (head)
        page.put("<th scope=\"col\"{}>{}</th>", type, esc(row[c]));
      else if (c == 0)
        page.put("<th scope=\"row\">{}</th>", esc(row[c]));
      else
        page.put("<td{}>{}</td>", type, esc(row[c]));
    }
    page.raw(head ? "</tr></thead><tbody>" : "</tr>");
    head = false;
  }
  page.put("</tbody></table></div><p class=\"muted small\">{}</p>",
           esc(predicted_note(*report.predicted)));
}

void charts(Page& page, const ConfigurationReport& each) {
  const std::string timing = timing_chart(each, fmt::format("c{}-time", each.index));
  const std::string roofline = roofline_chart(each, fmt::format("c{}-roof", each.index));
  if (timing.empty() && roofline.empty()) return;
  page.raw("<div class=\"charts\">");
  if (!timing.empty()) page.put("<figure><figcaption>Time</figcaption>{}</figure>", timing);
  if (!roofline.empty()) {
    page.put(
        "<figure><figcaption>Roofline <span class=\"muted\">({} "
        "ceilings)</span></figcaption>{}</figure>",
        each.ceilings_measured ? "measured" : "datasheet or partly measured", roofline);
  }
  page.raw("</div>");
}

void memory(Page& page, const ConfigurationReport& each) {
  const std::string bar = memory_bar(each, fmt::format("c{}-mem", each.index));
  if (bar.empty()) return;
  const Configuration& configuration = *each.configuration;
  std::string text =
      fmt::format("{} computed", format_bytes(static_cast<double>(each.memory.total)));
  text += each.memory.exactness == model::Exactness::exact
              ? ""
              : fmt::format(" ({})", model::to_string(each.memory.exactness));
  if (configuration.memory_peak_used > 0)
    text += fmt::format(", {} measured at its peak",
                        format_bytes(static_cast<double>(configuration.memory_peak_used)));
  if (each.has_device && each.device->memory_bytes > 0) {
    text += fmt::format(", device {} ({} of it)",
                        format_bytes(static_cast<double>(each.device->memory_bytes)),
                        words::percent(static_cast<double>(each.memory.total) /
                                       static_cast<double>(each.device->memory_bytes)));
  }
  if (const auto program = words::program_memory(each.program_memory); !program.empty())
    text += "; " + program;
  page.put(
      "<figure class=\"memory\"><figcaption>Memory <span "
      "class=\"muted\">{}</span></figcaption>{}</figure>",
      esc(text), bar);
}

void why_not(Page& page, const ConfigurationReport& each) {
  for (const auto& table : each.why_not) {
    const std::string title = words::why_not_title(each, table);
    if (title.empty()) continue;
    page.put(
        "<details><summary>{}</summary><div "
        "class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Conditions of "
        "{}\"><table><caption class=\"hidden\">Conditions of {}</caption>"
        "<thead><tr><th scope=\"col\">Holds</th><th scope=\"col\">Condition</th><th "
        "scope=\"col\">Here</th><th scope=\"col\">Kind</th><th scope=\"col\">Documented "
        "by</th></tr></thead><tbody>",
        esc(title), to_string(table.algo), to_string(table.algo));
    for (const auto& clause : table.clauses) {
      const Standing standing = clause.holds == model::Holds::yes ? Standing::fine
                                : clause.holds == model::Holds::no
                                    ? (clause.required ? Standing::error : Standing::warning)
                                    : Standing::unjudged;
      page.put(
          "<tr><td><span class=\"chip {}\">{}</span></td><th scope=\"row\">{}</th><td>{}</td><td "
          "class=\"muted\">{}</td><td class=\"muted\">{}</td></tr>",
          class_of(standing),
          clause.holds == model::Holds::yes  ? "✓ yes"
          : clause.holds == model::Holds::no ? "✕ no"
                                             : "? unknown",
          esc(clause.title), esc(clause.observed), clause.required ? "required" : "for speed",
          esc(clause.documented_by));
    }
    page.raw("</tbody></table></div>");
    if (const std::string nearest = words::why_not_nearest(table); !nearest.empty())
      page.put("<p>{}</p>", esc(nearest));
    page.raw("</details>");
  }
}

void kernels(Page& page, const ConfigurationReport& each) {
  constexpr std::size_t most = 40;
  if (each.kernels.empty()) return;
  page.put(
      "<details><summary>Kernels <span class=\"count\">{}</span></summary><div class=\"scroll\" "
      "tabindex=\"0\" role=\"group\" aria-label=\"Kernels\"><table><caption>Per call, mean over "
      "the traced calls</caption><thead><tr><th scope=\"col\">Kernel</th><th "
      "scope=\"col\">Phase</th><th scope=\"col\">Role</th>"
      "<th scope=\"col\" class=\"num\">Count</th><th scope=\"col\" class=\"num\">Time</th><th "
      "scope=\"col\" class=\"num\">Share of phase</th></tr></thead><tbody>",
      each.kernels.size());
  for (std::size_t i = 0; i < std::min(most, each.kernels.size()); ++i) {
    const auto& row = each.kernels[i];
    page.put(
        "<tr><th scope=\"row\"><code title=\"{}\">{}</code></th><td "
        "class=\"nowrap\">{}</td><td>{}</td><td class=\"num\">{}</td><td class=\"num\">{}</td><td "
        "class=\"num\">{}</td></tr>",
        esc(words::shorten(words::clean(row.name), 300)), esc(words::shorten(row.short_name, 64)),
        words::phase(row.phase), to_string(row.role), format_count(row.count),
        format_milliseconds(row.total_us / 1000.0), esc(words::percent(row.share)));
  }
  page.raw("</tbody></table></div>");
  if (each.kernels.size() > most)
    page.put("<p class=\"muted\">{} more are in the JSON report.</p>", each.kernels.size() - most);
  page.raw("</details>");
}

// Where in the program its calls come from.
void places(Page& page, const ConfigurationReport& each) {
  const auto table = [&](const std::vector<PlaceRow>& rows, std::string_view title) {
    constexpr std::size_t most = 20;
    if (rows.empty()) return;
    page.put(
        "<details{0}><summary>{1} <span class=\"count\">{2}</span></summary><div class=\"scroll\" "
        "tabindex=\"0\" role=\"group\" aria-label=\"{1}\"><table><caption "
        "class=\"hidden\">{1}</caption><thead><tr><th scope=\"col\">{1}</th><th scope=\"col\" "
        "class=\"num\">Calls</th><th scope=\"col\" class=\"num\">GPU "
        "time</th></tr></thead><tbody>",
        rows.size() <= 4 ? " open" : "", title, rows.size());
    for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
      const auto& row = rows[i];
      page.put(
          "<tr><th scope=\"row\"><code>{}</code>{}</th><td class=\"num\">{}</td><td "
          "class=\"num\">{}</td></tr>",
          esc(words::shorten(row.name, 90)),
          row.file.empty() ? std::string()
                           : fmt::format("<br><span class=\"muted small\">{}</span>",
                                         esc(words::shorten(words::clean(row.file), 120))),
          format_count(row.calls), row.gpu_ms >= 0 ? format_milliseconds(row.gpu_ms) : "–");
    }
    page.raw("</tbody></table></div>");
    if (rows.size() > most)
      page.put("<p class=\"muted\">{} more are in the JSON report.</p>", rows.size() - most);
    page.raw("</details>");
  };
  table(each.call_sites, "Called from");
  table(each.nvtx_ranges, "NVTX ranges");
}

void stages(Page& page, const ConfigurationReport& each) {
  const Configuration& c = *each.configuration;
  const bool refused = std::any_of(c.stages.begin(), c.stages.end(),
                                   [](const auto& s) { return s.attempted && s.status != 0; });
  if (!refused) return;
  page.raw(
      "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"What cuDNN "
      "answered\"><table><caption>What cuDNN answered</caption><thead><tr><th "
      "scope=\"col\">Stage</th><th scope=\"col\">Status</th><th scope=\"col\">cuDNN's "
      "reason</th></tr></thead><tbody>");
  for (const auto& s : c.stages) {
    if (!s.attempted) continue;
    page.put("<tr><th scope=\"row\">{}</th><td><code>{}</code></td><td>{}</td></tr>",
             model::to_string(s.stage),
             esc(s.status_name.empty() ? std::to_string(s.status) : s.status_name),
             or_none(esc(s.reason)));
  }
  page.raw("</tbody></table></div>");
}

void correctness(Page& page, const ConfigurationReport& each) {
  const auto& results = each.configuration->correctness;
  if (results.empty()) return;
  const auto passed =
      std::count_if(results.begin(), results.end(), [](const auto& r) { return r.passed; });
  page.put(
      "<details{}><summary>Correctness against a float64 reference <span class=\"muted\">{} of {} "
      "passed</span></summary><div class=\"scroll\" tabindex=\"0\" role=\"group\" "
      "aria-label=\"Correctness\"><table><caption "
      "class=\"hidden\">Correctness</caption><thead><tr><th scope=\"col\">Tensor</th>"
      "<th scope=\"col\" class=\"num\">Relative error</th><th scope=\"col\" "
      "class=\"num\">Tolerance</th><th scope=\"col\">Passed</th></tr></thead><tbody>",
      static_cast<std::size_t>(passed) < results.size() ? " open" : "", passed, results.size());
  for (const auto& r : results)
    page.put(
        "<tr><th scope=\"row\"><code>{}</code></th><td class=\"num\">{:.2e}</td><td "
        "class=\"num\">{:.2e}</td><td>{}</td></tr>",
        esc(r.tensor), r.relative_error, r.tolerance, r.passed ? "yes" : "<strong>no</strong>");
  page.raw("</tbody></table></div></details>");
}

void own_findings(Page& page, const Report& report, const ConfigurationReport& each) {
  if (each.findings.empty() || report.shown() < 2) return;
  page.raw("<ul class=\"own\">");
  for (const Finding* f : each.findings) {
    const auto place = report.place_of(*f);
    const std::string gain = words::gain_of_change(f->gain);
    page.put("<li>{} ", chip(f->severity));
    if (place.number <= shown_findings)
      page.put("<a href=\"#{}\">{}</a>", anchor(place), prose(f->title));
    else
      page.raw(prose(f->title));
    if (!gain.empty())
      page.put(" <strong>{}</strong> <span class=\"basis {}\">{}</span>", esc(gain),
               to_string(f->gain->basis), words::basis(f->gain->basis));
    page.raw("</li>");
  }
  page.raw("</ul>");
}

void card(Page& page, const Report& report, const ConfigurationReport& each, bool open,
          const PredictFor* predict_for) {
  const bool alone = report.shown() == 1;
  if (alone) {
    page.put("<article class=\"card\" id=\"c{}\"><h3 class=\"name\">{}</h3>", each.index,
             esc(words::shorten(each.name, 160)));
  } else {
    const double ms = each.step_ms();
    page.put(
        "<details class=\"card\" id=\"c{0}\"{1}><summary><h3 class=\"name\">{2}</h3>{3}<span "
        "class=\"muted step\">{4}</span></summary>",
        each.index, open ? " open" : "", esc(words::shorten(each.name, 160)), chip(each.standing),
        ms > 0 ? format_milliseconds(ms) : "");
    page.put("<p class=\"verdict\">{}</p>", esc(each.verdict));
  }
  if (!each.summary_in_name()) page.put("<p class=\"muted\">{}</p>", esc(each.summary));
  if (each.position)
    page.put("<p class=\"muted small\">in {}</p>", esc(words::position(*each.position)));
  own_findings(page, report, each);
  if (each.configuration->described()) parameters(page, each);
  stages(page, each);
  trials(page, each);
  phases(page, each);
  places(page, each);
  predicted(page, report, each);
  charts(page, each);
  if (each.configuration->described()) memory(page, each);
  if (predict_for != nullptr) maps(page, report, each, *predict_for);
  why_not(page, each);
  products(page, each);
  kernels(page, each);
  correctness(page, each);
  std::string rules;
  for (const auto& count : words::rule_counts(each)) rules += (rules.empty() ? "" : ", ") + count;
  page.put("<p class=\"muted small\">Rules: {}", rules);
  page.put(".</p></{}>", alone ? "article" : "details");
}

void overview(Page& page, const Report& report, const std::vector<int>& with_card) {
  page.raw(
      "<div class=\"scroll tall\" tabindex=\"0\" role=\"group\" aria-label=\"Overview\"><table "
      "class=\"sortable\"><caption class=\"hidden\">Overview of all "
      "configurations</caption><thead><tr><th scope=\"col\">Standing</th><th "
      "scope=\"col\">Configuration</th><th scope=\"col\" class=\"num\">Step</th>"
      "<th scope=\"col\" class=\"num\">TFLOP/s</th><th scope=\"col\">Ran</th><th scope=\"col\" "
      "class=\"num\">Memory</th><th scope=\"col\" class=\"num\">Best "
      "gain</th></tr></thead><tbody>");
  for (const auto& each : report.configurations) {
    if (each.tried) continue;
    const bool linked = std::binary_search(with_card.begin(), with_card.end(), each.index);
    const double ms = each.step_ms();
    const double tflops = each.step_tflops();
    const double best = each.best_gain();
    const Outcome outcome = each.configuration->outcome;
    const std::string name = esc(words::shorten(each.name, 72));
    page.put("<tr{}><td data-v=\"{}\">{}</td><th scope=\"row\">",
             linked ? std::string() : fmt::format(" id=\"c{}\"", each.index),
             static_cast<int>(each.standing), chip(each.standing));
    if (linked) {
      page.put("<a href=\"#c{}\">{}</a>", each.index, name);
    } else {
      page.raw(name);
    }
    if (!each.summary_in_name())
      page.put("<br><span class=\"muted small\">{}</span>", esc(words::shorten(each.summary, 90)));
    page.put(
        "</th><td class=\"num\" data-v=\"{}\">{}</td><td class=\"num\" "
        "data-v=\"{}\">{}</td><td>{}</td><td class=\"num\" data-v=\"{}\">{}</td><td class=\"num\" "
        "data-v=\"{}\">{}</td></tr>",
        ms > 0 ? fmt::format("{:.6g}", ms) : "", or_none(ms > 0 ? format_milliseconds(ms) : ""),
        tflops > 0 ? fmt::format("{:.6g}", tflops) : "",
        or_none(tflops > 0 ? words::number(tflops) : ""),
        outcome != Outcome::completed ? words::outcome(outcome)
        : each.ran                    ? words::implementation(*each.ran)
                                      : "completed",
        each.memory.total,
        or_none(each.memory.total > 0 ? format_bytes(static_cast<double>(each.memory.total)) : ""),
        best > 1.0005 ? fmt::format("{:.6g}", best) : "", or_none(words::gain(each)));
  }
  page.raw("</tbody></table></div>");
}

}  // namespace

void configurations(Page& page, const Report& report, const PredictFor& predict_for) {
  const auto& all = report.configurations;
  const std::size_t shown = report.shown();
  if (shown == 0) return;
  page.put(
      "<section id=\"configurations\" aria-labelledby=\"configurations-h\"><h2 "
      "id=\"configurations-h\">{}</h2>",
      shown == 1 ? "Configuration" : "Configurations");
  const auto chosen = most_interesting(report, full_cards);
  if (shown > 1) {
    overview(page, report, chosen);
    if (chosen.size() < shown)
      page.put(
          "<p class=\"lead screen\">Details follow for the {} with the most to say; the JSON and "
          "CSV "
          "reports have all {}.</p>",
          words::plural(static_cast<long long>(chosen.size()), "configuration"), shown);
    page.raw(
        "<p class=\"muted small paper\">Details that were folded when this was printed are left "
        "out.</p><p class=\"tools\" hidden><button type=\"button\" id=\"unfold\">Unfold "
        "all</button> "
        "<button type=\"button\" id=\"fold\">Fold all</button></p>");
  }
  const auto mapped = most_interesting(report, mapped_cards);
  for (const int index : chosen) {
    const bool with_maps = std::find(mapped.begin(), mapped.end(), index) != mapped.end();
    card(page, report, all[static_cast<std::size_t>(index)], chosen.size() <= 3,
         with_maps ? &predict_for : nullptr);
  }
  page.raw("</section>");
}

}  // namespace rnnadvisor::advisor::html
