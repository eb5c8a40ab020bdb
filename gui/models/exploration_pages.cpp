#include "gui/models/exploration_pages.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "advisor/report/content.h"
#include "advisor/report/map_view.h"
#include "advisor/report/words.h"
#include "core/base/shell_words.h"
#include "core/base/text.h"
#include "gui/models/link.h"
#include "gui/models/render_page.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

QString stages_of(const Page& page, const Exploration& e) {
  if (e.report().no_call) return Page::escape(e.report().verdict);
  const auto& eligibility = e.report().predicted;
  for (const auto stage : model::all_stages) {
    const bool inference = e.config().mode == Mode::inference;
    if (stage >= model::Stage::forward_inference &&
        (stage == model::Stage::forward_inference) != inference)
      continue;
    if (!eligibility.at(stage))
      return page.colored(
          Texts::tr("cuDNN refuses it (%1)")
              .arg(Page::escape(to_string(stage)).replace(QLatin1Char('_'), QLatin1Char(' '))),
          page.theme().error);
  }
  const auto implementation = words::implementation(eligibility.implementation);
  return page.colored(Page::escape(implementation),
                      eligibility.implementation == model::Implementation::standard
                          ? page.theme().text
                          : page.theme().good);
}

QString bound_of(const Exploration& e) {
  return e.bound_ms > 0 ? Texts::tr("at least %1").arg(format_ms(e.bound_ms)) : QStringLiteral("–");
}

// With how far it is off where the time is known.
QString time_of(const Page& page, const Exploration& e) {
  if (!e.predicted) return page.dim(Texts::tr("no prediction"));
  QString text = Page::escape(words::map_time(*e.predicted));
  if (!e.measured || e.measured->sum_ms <= 0) return text;
  const double off = e.predicted->seconds * 1e3 / e.measured->sum_ms - 1;
  return text + QStringLiteral("<br>") +
         page.dim(
             (off < 0 ? Texts::tr("%1 less than measured") : Texts::tr("%1 more than measured"))
                 .arg(to_qt(words::percent(std::abs(off)))));
}

QString measured_of(const Page& page, const Exploration& e) {
  if (!e.measured) return QStringLiteral("–");
  return page.strong(Page::escape(format_ms(e.measured->sum_ms))) + QLatin1Char(' ') +
         page.dim((e.measured->traced ? Texts::tr("in %1, with tracing") : Texts::tr("in %1"))
                      .arg(Page::escape(e.measured->profile)));
}

QString memory_of(const Page& page, const Exploration& e) {
  if (e.report().no_call) return QStringLiteral("–");
  const auto total = e.memory.total;
  const QString text = to_qt(format_bytes(static_cast<double>(total)));
  return total > e.device().memory_bytes
             ? page.colored(text + Texts::tr(", more than the device has"), page.theme().error)
             : text;
}

void add_summary(Page& page, const Exploration& now, const Exploration* held) {
  std::vector<std::vector<Page::Cell>> rows;
  const auto row = [&](const QString& name, auto value) {
    std::vector<Page::Cell> cells = {{page.dim(name)}, {value(now)}};
    if (held != nullptr) cells.insert(cells.begin() + 1, Page::Cell{value(*held)});
    rows.push_back(std::move(cells));
  };
  row(Texts::tr("Kernels"), [&](const Exploration& e) {
    QString text = page.strong(stages_of(page, e));
    if (e.framework_chooses)
      text += QStringLiteral("<br>") + page.dim(Texts::tr("%1 asks for %2")
                                                    .arg(Page::escape(e.report().framework),
                                                         Page::escape(to_string(e.config().algo))));
    return text;
  });
  if (now.calls > 1 || (held != nullptr && held->calls > 1))
    row(Texts::tr("Calls"), [&](const Exploration& e) {
      const QString calls = Texts::tr("%n call(s)", nullptr, many(e.calls));
      return e.calls > 1 ? page.strong(calls) : calls;
    });
  if (now.measured || (held != nullptr && held->measured))
    row(Texts::tr("Measured time"), [&](const Exploration& e) { return measured_of(page, e); });
  row(Texts::tr("Predicted time"), [&](const Exploration& e) { return time_of(page, e); });
  row(Texts::tr("Lower bound"), [&](const Exploration& e) { return bound_of(e); });
  row(Texts::tr("Memory"), [&](const Exploration& e) { return memory_of(page, e); });
  row(Texts::tr("Findings"), [&](const Exploration& e) {
    return QString::number(e.document->judgement().findings.size());
  });
  if (held != nullptr) {
    const auto before = words::all_parameters(held->config()),
               after = words::all_parameters(now.config());
    for (std::size_t i = 0; i < after.size(); ++i) {
      if (before[i].second == after[i].second) continue;
      rows.push_back({{page.dim(Page::escape(after[i].first))},
                      {Page::escape(before[i].second)},
                      {page.strong(Page::escape(after[i].second))}});
    }
    if (held->device().id != now.device().id)
      rows.push_back({{page.dim(Texts::tr("device"))},
                      {Page::escape(held->device().name)},
                      {page.strong(Page::escape(now.device().name))}});
    page.table({QString(), Texts::tr("Before"), Texts::tr("After")}, rows);
  } else {
    page.table({}, rows);
  }
  if (now.calls > 1)
    page.small(
        Texts::tr("The change makes %n call(s) of one: times, lower bound and memory are sums over "
                  "all of them; kernels, findings and parameters are those of the first. Memory is "
                  "at most that, for calls may share a workspace.",
                  nullptr, many(now.calls)));
}

void add_findings(Page& page, const Exploration& now, const Exploration* held) {
  std::set<std::string> before;
  if (held != nullptr) {
    for (const auto& f : held->document->judgement().findings) before.insert(f.rule_id);
  }
  std::set<std::string> after;
  const auto& findings = now.document->judgement().findings;
  page.heading(findings.empty() ? Texts::tr("No finding") : Texts::tr("Findings it would get"));
  for (const auto& finding : findings) {
    after.insert(finding.rule_id);
    QString text = page.link(Link::to_rule(to_qt(finding.rule_id)), Page::prose(finding.title));
    if (const auto gain = words::gain_of_change(finding.gain); !gain.empty())
      text += QStringLiteral(" · ") +
              (finding.gain->another_model  // not what this model would gain
                   ? page.dim(Page::escape(gain))
                   : page.colored(page.strong(Page::escape(gain)), page.theme().good)) +
              QLatin1Char(' ') + page.dim(Page::escape(advisor::in_words(finding.gain->basis)));
    if (held != nullptr && before.count(finding.rule_id) == 0)
      text += QStringLiteral(" · ") + page.colored(Texts::tr("new"), page.theme().warning);
    text += QStringLiteral("<br>") + page.dim(Page::prose(finding.message));
    page.item(text, page.colored(mark(finding.severity), page.theme().color_of(finding.severity)));
  }
  if (held == nullptr) return;
  bool any = false;
  for (const auto& f : held->document->judgement().findings) {
    if (after.count(f.rule_id) > 0) continue;
    if (!any) page.heading(Texts::tr("No longer found"));
    any = true;
    page.item(page.link(Link::to_rule(to_qt(f.rule_id)), Page::prose(f.title)),
              page.colored(QStringLiteral("✔"), page.theme().good));
  }
}

}  // namespace

QString exploration_verdict(const Exploration& now, const Exploration* held, const Theme& theme) {
  Page page(theme);
  page.paragraph(Page::escape(now.measured ? now.measured->verdict : now.report().verdict));
  for (const auto& violation : now.violations) {
    page.paragraph(page.colored(mark(advisor::Severity::error), theme.error) + QLatin1Char(' ') +
                   page.strong(Page::escape(violation.message)) + QStringLiteral("<br>") +
                   page.dim(Page::escape(violation.remedy)));
  }
  add_summary(page, now, held);
  add_findings(page, now, held);
  return page.take();
}

QString exploration_gemms(const Exploration& now, const Theme& theme) {
  Page page(theme);
  for (const auto& phase : now.phases) {
    page.heading(Page::escape(words::phase(phase.phase)) + QStringLiteral(" · ") +
                 Texts::tr("%1 GFLOP, %2 FLOP per byte")
                     .arg(to_qt(words::number(static_cast<double>(phase.cost.flops) / 1e9)),
                          to_qt(words::number(phase.cost.intensity))));
    std::vector<std::vector<Page::Cell>> rows;
    constexpr std::size_t most = 24;
    // One layer in one direction needs no column to say which it is.
    const bool layers = now.config().directions() > 1 ||
                        std::any_of(phase.gemms.begin(), phase.gemms.end(),
                                    [](const auto& gemm) { return gemm.layer > 0; });
    for (const auto& gemm : phase.gemms) {
      if (rows.size() == most) break;
      const auto waste = model::quantization(gemm, now.device().sm_count);
      const auto number = [](const QString& text) { return Page::Cell{text, true, 0, true}; };
      std::vector<Page::Cell> row = {
          {Page::escape(to_string(gemm.path)).replace(QLatin1Char('_'), QLatin1Char(' ')), false, 0,
           true}};
      if (layers)
        row.push_back(
            {QString::number(gemm.layer) + (now.config().directions() > 1
                                                ? QStringLiteral(" / %1").arg(gemm.direction)
                                                : QString()),
             false, 0, true});
      for (const auto& text :
           {QStringLiteral("%1 × %2 × %3").arg(gemm.m).arg(gemm.n).arg(gemm.k),
            to_qt(format_count(gemm.count)),
            to_qt(words::number(static_cast<double>(gemm.flops()) / 1e9)),
            to_qt(words::percent(waste.tile_waste)), to_qt(words::percent(waste.wave_waste))})
        row.push_back(number(text));
      rows.push_back(std::move(row));
    }
    // Two words stand on two lines: the numbers below them need less room.
    QStringList header = {Texts::tr("Product"),       Texts::tr("M × N × K"),
                          Texts::tr("Count"),         Texts::tr("GFLOP"),
                          Texts::tr("Tile<br>waste"), Texts::tr("Wave<br>waste")};
    if (layers) header.insert(1, Texts::tr("Layer"));
    page.table(header, rows);
    if (phase.gemms.size() > most)
      page.small(Texts::tr("and %1 more").arg(phase.gemms.size() - most));
  }
  page.small(
      Texts::tr("Products as Table 1 of NVIDIA's guide counts them, between layers with the "
                "unrolling factor F = all "
                "time steps; waste for tiles of 128 × 128."));
  return page.take();
}

QString exploration_limits(const Exploration& now, const Theme& theme) {
  Page page(theme);
  advisor::document::Blocks all;
  for (const auto& table : now.report().why_not)
    for (auto& block :
         advisor::document::why_not_of(now.report(), table, advisor::document::window))
      all.push_back(std::move(block));
  draw(page, all, {.lines = true});
  if (all.empty())
    page.paragraph(page.dim(Texts::tr("Nothing keeps it from the algorithm it has.")));
  return page.take();
}

QString command_of(const ConfigInput& input, const DeviceSpec& device, const QString& command) {
  QString text = QStringLiteral("rnnadvisor ") + command;
  const auto add = [&](std::string_view key, const std::string& value) {
    QString flag = to_qt(key);
    text += QStringLiteral(" --") + flag.replace(QLatin1Char('_'), QLatin1Char('-')) +
            QLatin1Char(' ') + to_qt(value);
  };
  for (const auto& [key, value] : words::parameters(input.config)) add(key, value);
  if (command == QLatin1String("check")) add("device", device.id);
  return text;
}

}  // namespace rnnadvisor::gui
