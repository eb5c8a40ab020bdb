// A finding: what the report says of it, with what can be done in the window.
#include <algorithm>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/content.h"
#include "advisor/report/places.h"
#include "advisor/report/words.h"
#include "core/base/text.h"
#include "gui/models/pages.h"
#include "gui/models/render_page.h"
#include "gui/texts.h"
#include "profiler/classify/gaps.h"
#include "profiler/classify/gpu_busy.h"
#include "profiler/kernels/classify.h"

namespace rnnadvisor::gui {
namespace {

using advisor::Finding;
namespace content = advisor::document;
namespace words = advisor::words;

class FindingPage {
 public:
  FindingPage(const Document& document, int index, const Theme& theme, const TrialState* trial)
      : document_(document),
        index_(index),
        finding_(document.judgement().findings[static_cast<std::size_t>(index)]),
        trial_(trial),
        page_(theme) {}

  QString write() {
    const auto& report = document_.report();
    content::Card card = content::finding_of({report, content::window}, with_others());
    card.word = from_qt(severity_word(finding_.severity));
    find_gaps();
    draw(page_, {std::move(card)},
         {&document_.rules(), false, [this](const content::Entry& entry) { act(entry); }});
    const auto own = static_cast<std::size_t>(finding_.configuration);
    if (finding_.configuration >= 0 && own < report.configurations.size() &&
        !report.configurations[own].why_not.empty())
      draw(page_, content::why_not_of(report.configurations[own],
                                      report.configurations[own].why_not.front(), content::window));
    return page_.take();
  }

 private:
  // The same advice for other configurations behind it.
  advisor::FindingGroup with_others() const {
    advisor::FindingGroup group{{&finding_}};
    for (const auto* each : document_.report().findings)
      if (each != &finding_ && each->rule_id == finding_.rule_id) group.findings.push_back(each);
    return group;
  }

  void act(const content::Entry& entry) {
    if (entry.subject == content::Entry::Subject::evidence)
      show_evidence();
    else
      suggestion(entry.number);
  }

  Link trial_link(int suggestion, bool torch) const {
    return {LinkKind::trial, {},         -1,
            index_,          suggestion, torch ? QStringLiteral("torch") : QString()};
  }

  bool is_subject(int suggestion) const {
    return trial_ != nullptr && trial_->is != TrialState::Is::idle &&
           trial_->subject.is(document_, index_, suggestion);
  }

  // "Try it", or why that cannot be; empty where its state below has what can be done. Of a program
  // in PyTorch there are two ways, and the one that is not possible says nothing where the other
  // is.
  QString try_action(int suggestion) const {
    const QString why = cannot_try(document_, index_, suggestion);
    const bool torch = for_torch(document_, index_) &&
                       cannot_try_in_torch(document_, index_, suggestion).isEmpty();
    if (!why.isEmpty() && !torch) {
      // The program itself can be run with it: that stands beside.
      if (accelerate_command(finding_.suggestions[static_cast<std::size_t>(suggestion)])) return {};
      return Texts::tr("Cannot be tried: %1").arg(Page::escape(why));
    }
    if (is_subject(suggestion)) return {};
    if (trial_ != nullptr && trial_->is == TrialState::Is::running)
      return Texts::tr("Try it: available when the current trial finishes");
    const bool tried = finding_.suggestions[static_cast<std::size_t>(suggestion)].trial.has_value();
    QStringList ways;
    if (why.isEmpty())
      ways << page_.link(trial_link(suggestion, false),
                         tried ? Texts::tr("Try it again") : Texts::tr("Try it"));
    if (torch)
      ways << page_.link(trial_link(suggestion, true), tried ? Texts::tr("Try it again in PyTorch")
                                                             : Texts::tr("Try it in PyTorch"));
    return page_.strong(ways.join(QStringLiteral(" · ")));
  }

  // What measuring refuted can only be tried again.
  QStringList actions(const advisor::Suggestion& suggestion, int number) const {
    QStringList actions;
    const bool off = withdrawn(finding_, suggestion);
    if (!off && !suggestion.code.empty())
      actions << page_.link({LinkKind::copy, {}, -1, index_, number, {}},
                            Texts::tr("Copy the code"));
    if (!off && accelerate_command(suggestion))
      actions << page_.strong(page_.link({LinkKind::accelerate, {}, -1, index_, number, {}},
                                         Texts::tr("Accelerate the program…")));
    if (!suggestion.transform) return actions;
    const auto* kind = advisor::find_transform_kind(suggestion.transform->kind);
    if (!off && kind != nullptr && kind->configurations && finding_.configuration >= 0 &&
        !below_framework(document_, finding_.configuration, suggestion))
      actions << page_.link({LinkKind::explore, {}, finding_.configuration, index_, number, {}},
                            Texts::tr("Compare before and after in the explorer"));
    if (const QString action = try_action(number); !action.isEmpty()) actions << action;
    return actions;
  }

  void suggestion(int number) {
    const auto& suggestion = finding_.suggestions[static_cast<std::size_t>(number)];
    QStringList parts = actions(suggestion, number);
    if (suggestion.transform)
      parts.prepend(Texts::tr("Change: ") + Page::escape(advisor::change_in_words(
                                                advisor::to_json(changes_of(suggestion)))));
    if (!parts.isEmpty()) page_.small(parts.join(QStringLiteral(" · ")));
    if (suggestion.transform && is_subject(number))
      add_trial_state(page_, *trial_, trial_link(number, trial_->subject.torch));
    page_.space(6);  // the next suggestion is another one
  }

  // Of a GPU that waits the evidence is what it waits for, not which kernels are long.
  void find_gaps() {
    const auto& profile = document_.profile();
    const auto own = static_cast<std::size_t>(finding_.configuration);
    if (finding_.criterion != "LAUNCH-BOUND" || finding_.configuration < 0) return;
    const int device = profile.configurations[own].device;
    const auto busy = gpu_busy(profile, device);
    constexpr std::size_t most = 20;
    // What is alike comes again and again: the last of many kernels tell it without a wait.
    constexpr std::size_t most_kernels = 300'000;
    std::int64_t from_ns = busy ? busy->from_ns : 0;
    if (const auto& starts = profile.kernels.start_ns; starts.size() > most_kernels)
      from_ns = std::max(from_ns, starts[starts.size() - most_kernels]);
    gaps_ = gap_patterns(profile, device, most, from_ns);
  }

  void show_gaps() {
    page_.small(Texts::tr("When no kernel ran, by the kernels before and after:"));
    const auto& profile = document_.profile();
    const auto name = [&](int kernel) {
      return Page::breakable(
          words::shorten(words::clean(short_kernel_name(profile.text(kernel))), 40));
    };
    std::vector<std::vector<Page::Cell>> rows;
    for (const auto& each : gaps_) {
      rows.push_back({{name(each.before_name)},
                      {name(each.after_name)},
                      {to_qt(format_count(each.count)), true, 0, true},
                      {format_ns(each.total_ns), true, 0, true},
                      {format_ns(each.median_ns), true, 0, true},
                      {page_.link(Link::to({ItemKind::gap, each.longest.after}), Texts::tr("Show")),
                       false, 0, true}});
    }
    page_.table({Texts::tr("After"), Texts::tr("Before"), Texts::tr("Count"), Texts::tr("Total"),
                 Texts::tr("Median"), QString()},
                rows);
  }

  // The lines of the program whose calls these are, those that take longest first.
  void show_lines() {
    constexpr std::size_t most = 3;
    const auto& reports = document_.report().configurations;
    const auto own = static_cast<std::size_t>(finding_.configuration);
    if (finding_.configuration < 0 || own >= reports.size()) return;
    QStringList lines;
    for (const auto& place : reports[own].call_sites) {
      if (place.site < 0 || place.file.empty() || lines.size() == most) continue;
      lines << page_.link(Link::to_source(place.site), Page::escape(place.name)) +
                   QStringLiteral(" (%1)").arg(
                       Page::escape(words::place_use(place, reports[own].recorded_calls)));
    }
    if (!lines.isEmpty())
      page_.small(Texts::tr("Called from %1").arg(lines.join(QStringLiteral(" · "))));
  }

  void show_evidence() {
    show_lines();
    if (!gaps_.empty()) return show_gaps();
    page_.small(page_.link({LinkKind::evidence, {}, -1, index_, -1, {}},
                           Texts::tr("Show in the timeline")));
    std::vector<std::vector<Page::Cell>> rows;
    const auto& profile = document_.profile();
    const auto add = [&](const Item& item, const QString& name, std::string_view what) {
      const auto range = document_.range_of(item);
      rows.push_back({{page_.link(Link::to(item), name.arg(item.index))},
                      {Page::escape(what)},
                      {format_ns(range.begin_ns - document_.extent().begin_ns)},
                      {format_ns(range.length()), true}});
    };
    const auto calls = longest(ItemKind::call, finding_.calls),
               kernels = longest(ItemKind::kernel, finding_.kernels);
    for (const auto& item : calls)
      add(item, Texts::tr("call %1"),
          words::phase(profile.calls[static_cast<std::size_t>(item.index)].phase));
    for (const auto& item : kernels) {
      const int name = profile.kernels.name[static_cast<std::size_t>(item.index)];
      add(item, Texts::tr("kernel %1"), words::shorten(words::clean(profile.text(name)), 44));
    }
    if (!rows.empty())
      page_.table({QString(), QString(), Texts::tr("Begins"),
                   calls.empty() ? Texts::tr("Takes") : Texts::tr("Takes, host and GPU")},
                  rows);
    QStringList more;
    if (finding_.calls.size() > calls.size())
      more << Texts::tr("%n more call(s)", nullptr, many(finding_.calls.size() - calls.size()));
    if (finding_.kernels.size() > kernels.size())
      more << Texts::tr("%n more kernel(s)", nullptr,
                        many(finding_.kernels.size() - kernels.size()));
    if (!more.isEmpty())
      page_.small(Texts::tr("the longest; and %1").arg(more.join(QStringLiteral(", "))));
  }

  // The few that took longest, the longest first: a table of all would be no page.
  std::vector<Item> longest(ItemKind kind, const std::vector<int>& of) const {
    constexpr std::size_t most = 6;
    std::vector<Item> items;
    for (const int index : of) {
      if (document_.holds({kind, index})) items.push_back({kind, index});
    }
    std::stable_sort(items.begin(), items.end(), [this](const Item& a, const Item& b) {
      return document_.range_of(a).length() > document_.range_of(b).length();
    });
    if (items.size() > most) items.resize(most);
    return items;
  }

  const Document& document_;
  int index_;
  const Finding& finding_;
  const TrialState* trial_;
  std::vector<GapPattern> gaps_;
  Page page_;
};

}  // namespace

QString mark(advisor::Severity severity) {
  return to_qt(content::sign(content::mark_of(severity)).unicode);
}
QString mark(advisor::Standing standing) {
  return to_qt(content::sign(content::mark_of(standing)).unicode);
}

QString severity_word(advisor::Severity severity) {
  switch (severity) {
    case advisor::Severity::error:
      return Texts::tr("Error");
    case advisor::Severity::warning:
      return Texts::tr("Warning");
    case advisor::Severity::opportunity:
      return Texts::tr("Opportunity");
    case advisor::Severity::info:
      break;
  }
  return Texts::tr("Remark");
}

QString finding_page(const Document& document, int finding, const Theme& theme,
                     const TrialState* trial) {
  if (!document.holds({ItemKind::finding, finding})) return {};
  return FindingPage(document, finding, theme, trial).write();
}

}  // namespace rnnadvisor::gui
