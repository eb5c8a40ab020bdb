#include "gui/models/tables.h"

#include <algorithm>
#include <cmath>

#include "advisor/report/charts.h"
#include "advisor/report/phase_times.h"
#include "advisor/report/words.h"
#include "gui/models/overview_charts.h"
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

namespace words = advisor::words;

QString number_cell(double value, int digits = 6) {
  return std::isfinite(value) ? QString::number(value, 'g', digits) : QString();
}

QString prose_cell(std::string_view text) {
  return to_qt(words::clean(text)).remove(QLatin1Char('`'));
}

// The roles that any phase has, in the order of the enumeration, which is that of the legend.
std::vector<KernelRole> roles_of(const std::vector<advisor::PhaseTime>& times) {
  std::vector<KernelRole> roles;
  for (const auto& time : times) {
    for (const auto& part : time.parts) {
      if (std::find(roles.begin(), roles.end(), part.role) == roles.end())
        roles.push_back(part.role);
    }
  }
  std::sort(roles.begin(), roles.end());
  return roles;
}

void add_times(TableText& table, const Document& document) {
  std::vector<advisor::PhaseTime> times;
  for (const auto& each : document.report().configurations) {
    for (auto& time : advisor::phase_times(each)) times.push_back(std::move(time));
  }
  if (times.empty()) return;
  const auto roles = roles_of(times);
  QStringList head = {Texts::tr("configuration"), Texts::tr("phase"), Texts::tr("timed (ms)"),
                      Texts::tr("kernels (ms)"), Texts::tr("GPU idle (ms)")};
  for (const auto role : roles) head << Texts::tr("%1 (ms)").arg(role_word(role));
  table.row(head);
  for (const auto& time : times) {
    const auto& name =
        document.report().configurations[static_cast<std::size_t>(time.configuration)].name;
    QStringList cells = {to_qt(name), to_qt(words::phase(time.phase)),
                         milliseconds_cell(time.timed_ms), milliseconds_cell(time.kernel_ms),
                         milliseconds_cell(time.idle_ms)};
    for (const auto role : roles) {
      double ms = 0;
      for (const auto& part : time.parts) ms += part.role == role ? part.ms : 0;
      cells << milliseconds_cell(ms);
    }
    table.row(cells);
  }
}

void add_findings(TableText& table, const advisor::Report& report) {
  if (report.actions.empty() && report.remarks.empty()) return;
  table.next_table();
  table.row({Texts::tr("severity"), Texts::tr("rule"), Texts::tr("finding"),
             Texts::tr("configurations"), Texts::tr("gain"), Texts::tr("gain is"),
             Texts::tr("what to do")});
  const auto add = [&table](const advisor::FindingGroup& group) {
    const auto& finding = group.first();
    const auto offered = std::find_if(finding.suggestions.begin(), finding.suggestions.end(),
                                      [&](const auto& each) { return !withdrawn(finding, each); });
    const auto gain = words::gain(finding.gain);
    table.row({severity_word(finding.severity), to_qt(finding.rule_id), prose_cell(finding.title),
               QString::number(group.findings.size()), to_qt(gain),
               gain.empty() ? QString() : to_qt(advisor::in_words(finding.gain->basis)),
               offered == finding.suggestions.end() ? QString() : prose_cell(offered->text)});
  };
  for (const auto& group : report.actions) add(group);
  for (const auto& group : report.remarks) add(group);
}

}  // namespace

void TableText::row(const QStringList& cells) {
  for (qsizetype i = 0; i < cells.size(); ++i) {
    QString cell = cells[i];
    for (const char c : {'\t', '\n', '\r'}) cell.replace(QLatin1Char(c), QLatin1Char(' '));
    text_ += (i > 0 ? QStringLiteral("\t") : QString()) + cell;
  }
  text_ += QLatin1Char('\n');
}

void TableText::next_table() {
  if (!text_.isEmpty()) text_ += QLatin1Char('\n');
}

QString milliseconds_cell(double ms) { return ms > 0 ? number_cell(ms, 4) : QString(); }

QString overview_table(const Document& document) {
  TableText table;
  add_times(table, document);
  add_findings(table, document.report());
  return table.text();
}

QString exploration_table(const Exploration& now, const Exploration* held) {
  TableText table;
  const auto row = [&](const QString& name, const auto& value) {
    QStringList cells = {name};
    if (held != nullptr) cells << value(*held);
    table.row(cells << value(now));
  };
  const auto column = [&](const QString& name) {
    table.row(held != nullptr ? QStringList{name, Texts::tr("before"), Texts::tr("after")}
                              : QStringList{name, {}});
  };
  column(Texts::tr("configuration"));
  row(Texts::tr("summary"), [](const Exploration& e) {
    const QString summary = to_qt(e.report().summary);
    return e.calls > 1 ? Texts::tr("%n call(s): %1", nullptr, many(e.calls)).arg(summary) : summary;
  });
  row(Texts::tr("device"), [](const Exploration& e) { return to_qt(e.device().name); });
  row(Texts::tr("implementation"), [](const Exploration& e) {
    return to_qt(words::implementation(e.report().predicted.implementation));
  });
  const auto parameters = words::all_parameters(now.config());
  const auto held_parameters = held != nullptr ? words::all_parameters(held->config()) : parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    row(to_qt(parameters[i].first), [&](const Exploration& e) {
      return to_qt((&e == held ? held_parameters : parameters)[i].second);
    });
  row(Texts::tr("memory (bytes)"),
      [](const Exploration& e) { return QString::number(e.memory.total); });
  for (const auto& part : advisor::chart::memory_parts(now.memory))
    row(Texts::tr("of it %1 (bytes)").arg(to_qt(part.name)), [&](const Exploration& e) {
      for (const auto& each : advisor::chart::memory_parts(e.memory))
        if (each.name == part.name) return QString::number(each.bytes);
      return QString();
    });
  table.next_table();
  QStringList head = {Texts::tr("phase"),
                      Texts::tr("FLOP"),
                      Texts::tr("bytes at least"),
                      Texts::tr("FLOP per byte"),
                      Texts::tr("lower bound (ms)"),
                      Texts::tr("predicted, estimate (ms)"),
                      Texts::tr("from (ms)"),
                      Texts::tr("to (ms)")};
  if (held != nullptr) head.prepend(Texts::tr("which"));
  table.row(head);
  for (const auto* e : {held, &now}) {
    if (e == nullptr) continue;
    for (const auto& phase : e->phases) {
      const auto predicted = [&](double seconds) {
        return phase.predicted ? milliseconds_cell(seconds * 1e3) : QString();
      };
      const auto time = phase.predicted.value_or(model::TimePrediction{});
      QStringList cells = {to_qt(words::phase(phase.phase)),
                           QString::number(phase.cost.flops),
                           QString::number(phase.cost.minimum_bytes),
                           number_cell(phase.cost.intensity),
                           milliseconds_cell(phase.bound.bound_ms),
                           predicted(time.seconds),
                           predicted(time.low_seconds),
                           predicted(time.high_seconds)};
      if (held != nullptr) cells.prepend(e == held ? Texts::tr("before") : Texts::tr("after"));
      table.row(cells);
    }
  }
  add_findings(table, now.document->report());
  return table.text();
}

QString products_table(const Exploration& now) {
  TableText table;
  table.row({Texts::tr("phase"), Texts::tr("product"), Texts::tr("layer"), Texts::tr("direction"),
             QStringLiteral("M"), QStringLiteral("N"), QStringLiteral("K"), Texts::tr("count"),
             Texts::tr("FLOP"), Texts::tr("tile waste (share)"), Texts::tr("wave waste (share)")});
  for (const auto& phase : now.phases) {
    for (const auto& gemm : phase.gemms) {
      const auto waste = model::quantization(gemm, now.device().sm_count);
      table.row({to_qt(words::phase(phase.phase)), to_qt(to_string(gemm.path)),
                 QString::number(gemm.layer), QString::number(gemm.direction),
                 QString::number(gemm.m), QString::number(gemm.n), QString::number(gemm.k),
                 QString::number(gemm.count), QString::number(gemm.flops()),
                 number_cell(waste.tile_waste, 4), number_cell(waste.wave_waste, 4)});
    }
  }
  return table.text();
}

QString conditions_table(const Exploration& now) {
  TableText table;
  table.row({Texts::tr("algorithm"), Texts::tr("condition"), Texts::tr("holds"), Texts::tr("here"),
             Texts::tr("needed"), Texts::tr("rule")});
  for (const auto& why : now.report().why_not) {
    for (const auto& clause : why.clauses) {
      table.row({to_qt(to_string(why.algo)), to_qt(clause.title), to_qt(words::holds(clause.holds)),
                 to_qt(clause.observed), to_qt(words::kind(clause)), to_qt(clause.rule_id)});
    }
  }
  return table.text();
}

}  // namespace rnnadvisor::gui
