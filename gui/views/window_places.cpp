// Where links lead, and places in a profile.
#include <QApplication>
#include <QClipboard>
#include <algorithm>

#include "advisor/change/compose.h"
#include "advisor/change/transform.h"
#include "advisor/facts/framework_call.h"
#include "core/base/shell_words.h"
#include "gui/timeline/timeline_widget.h"
#include "gui/views/compare_view.h"
#include "gui/views/explorer_view.h"
#include "gui/views/main_window.h"
#include "gui/views/rules_view.h"
#include "gui/views/trace_view.h"
#include "gui/views/view_name.h"

namespace rnnadvisor::gui {

void MainWindow::show_item(Item item) {
  if (!document_ || !document_->holds(item)) return;
  const ViewState::Jump jump(state_);
  if (item.kind == ItemKind::finding) {
    state_.highlight({});
    // On the timeline its details dock shows the finding beside the evidence.
    if (current_view() != view_name::timeline) go(view_name::findings);
    state_.select(item);
    return;
  }
  if (item.kind == ItemKind::configuration) {
    state_.select(item);
    go(view_name::configuration);
    return;
  }
  // Outlines of another finding would pass for what is shown.
  const auto& marked = state_.highlighted();
  if (std::find(marked.begin(), marked.end(), item) == marked.end()) state_.highlight({});
  state_.select(item);
  if (item.kind == ItemKind::gap) {
    // Framed, with the track of its GPU above all others, whatever was seen before.
    const TimeRange gap = document_->range_of(item);
    const auto margin = std::max<std::int64_t>(gap.length(), 1000);
    state_.set_visible({gap.begin_ns - margin, gap.end_ns + margin});
    const auto kernel = static_cast<std::size_t>(item.index);
    trace_->timeline()->pin_device(document_->profile().kernels.device[kernel]);
  } else {
    bring_into_view(item);
  }
  go(view_name::timeline);
}

void MainWindow::bring_into_view(Item item) {
  const TimeRange range = document_->range_of(item);
  if (range.begin_ns == 0) return;
  const TimeRange seen = state_.visible();
  const bool inside = range.begin_ns >= seen.begin_ns && range.end_ns <= seen.end_ns;
  // Who comes from elsewhere has not chosen what is visible there.
  const int least_part = current_view() == view_name::timeline ? 400 : 20;
  const bool can_be_seen = range.length() * least_part > seen.length();
  if (inside && can_be_seen) return;
  const auto margin = std::max<std::int64_t>(range.length() * 2, 1000);
  state_.set_visible({range.begin_ns - margin, range.end_ns + margin});
}

void MainWindow::show_evidence(int finding) {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return;
  const auto& f = document_->judgement().findings[static_cast<std::size_t>(finding)];
  std::vector<Item> items;
  TimeRange range{0, 0};
  const auto add = [&](Item item) {
    if (!document_->holds(item)) return;
    items.push_back(item);
    const auto own = document_->range_of(item);
    if (range.length() <= 0) range = own;
    range.begin_ns = std::min(range.begin_ns, own.begin_ns);
    range.end_ns = std::max(range.end_ns, own.end_ns);
  };
  for (const int call : f.calls) add({ItemKind::call, call});
  for (const int kernel : f.kernels) add({ItemKind::kernel, kernel});
  const ViewState::Jump jump(state_);
  go(view_name::timeline);
  state_.select({ItemKind::finding, finding});
  state_.highlight(items);
  if (range.length() > 0) {
    const auto margin = range.length() / 20 + 1;
    state_.set_visible({range.begin_ns - margin, range.end_ns + margin});
  }
}

void MainWindow::explore(const Link& link) {
  if (!document_ || !document_->holds({ItemKind::configuration, link.configuration})) return;
  const auto& profile = document_->profile();
  const auto& configuration = profile.configurations[static_cast<std::size_t>(link.configuration)];
  const auto& device = profile.devices[static_cast<std::size_t>(configuration.device)];
  std::vector<RnnConfig> changed;
  if (document_->holds({ItemKind::finding, link.finding})) {
    const auto& finding = document_->judgement().findings[static_cast<std::size_t>(link.finding)];
    const auto n = static_cast<std::size_t>(link.suggestion);
    if (link.suggestion >= 0 && n < finding.suggestions.size() &&
        finding.suggestions[n].transform) {
      const auto after = advisor::compose(changes_of(finding.suggestions[n]), configuration.config);
      if (after && !after->calls.empty()) {
        changed = after->calls;
      } else {
        show_notice(after ? tr("The change leaves nothing to show.")
                          : to_qt(to_text(after.error())));
      }
    }
  }
  explorer_->show_configuration(advisor::input_of(configuration), device, changed,
                                link.configuration);
  go(view_name::explorer);
}

void MainWindow::follow(const Link& link) {
  switch (link.kind) {
    case LinkKind::item:
      show_item(link.item);
      break;
    case LinkKind::evidence:
      show_evidence(link.finding);
      break;
    case LinkKind::step:
      show_step(link.configuration, link.item.index);
      break;
    case LinkKind::rule:
      go(view_name::rules);
      rules_view_->show_rule(link.text);
      break;
    case LinkKind::explore:
      explore(link);
      break;
    case LinkKind::copy: {
      if (!document_ || !document_->holds({ItemKind::finding, link.finding})) break;
      const auto& f = document_->judgement().findings[static_cast<std::size_t>(link.finding)];
      const auto n = static_cast<std::size_t>(link.suggestion);
      if (n < f.suggestions.size())
        QApplication::clipboard()->setText(to_qt(f.suggestions[n].code));
      break;
    }
    case LinkKind::trial:
      try_suggestion(link.finding, link.suggestion, !link.text.isEmpty());
      break;
    case LinkKind::trial_end:
      trial_.cancel();
      break;
    case LinkKind::trial_command:
      copy_trial_command();
      break;
    case LinkKind::source:
      open_source(link.configuration);
      break;
    case LinkKind::accelerate:
      accelerate(link.finding, link.suggestion);
      break;
    case LinkKind::view:
      go(link.text);
      break;
    case LinkKind::external:
      break;
  }
}

Place MainWindow::place() const {
  Place place;
  place.view = current_view();
  if (document_ && document_->has_times() && state_.visible() != document_->extent()) {
    const auto origin = document_->extent().begin_ns;
    place.visible = TimeRange{state_.visible().begin_ns - origin, state_.visible().end_ns - origin};
  }
  place.selection = state_.selection();
  if (place.view == view_name::rules) place.rule = rules_view_->shown_rule();
  place.explorer = explorer_->changes();
  place.before = compare_->partner();
  return place;
}

QString MainWindow::command() const {
  Place here = place();
  // What is set in another view is of no concern here.
  if (here.view != view_name::explorer) here.explorer.clear();
  std::vector<std::string> words = {"rnnadvisor-gui", document_->path().toStdString(), "--at",
                                    to_string(here).toStdString()};
  if (!here.before.isEmpty()) {
    words.emplace_back("--compare-with");
    words.push_back(here.before.toStdString());
  }
  return to_qt(shell_words(words));
}

void MainWindow::go_to(const Place& place) {
  const ViewState::Jump jump(state_);
  const auto there = document_ ? check(place, *document_) : Result<void>();
  if (!there) show_notice(to_qt(to_text(there.error())));
  const bool holds = document_ && document_->holds(place.selection);
  if (document_ && place.visible && document_->has_times() &&
      (there || check({{}, place.visible, {}}, *document_))) {
    const auto origin = document_->extent().begin_ns;
    state_.set_visible({place.visible->begin_ns + origin, place.visible->end_ns + origin});
  }
  if (holds) {
    state_.select(place.selection);
    if (!place.visible) bring_into_view(place.selection);
  }
  if (!place.rule.isEmpty() && !rules_view_->show_rule(place.rule))
    show_notice(tr("There is no rule %1.").arg(place.rule));
  // What was set there by hand, else a configuration, or what a finding makes of one.
  if (!place.explorer.isEmpty() && place.explorer != explorer_->changes()) {
    if (const auto done = explorer_->restore(place.explorer); !done)
      show_notice(to_qt(to_text(done.error())));
  } else if (place.view == view_name::explorer && place.explorer.isEmpty() && holds) {
    Link link;
    link.kind = LinkKind::explore;
    if (place.selection.kind == ItemKind::configuration) link.configuration = place.selection.index;
    if (place.selection.kind == ItemKind::finding) {
      const auto& finding =
          document_->judgement().findings[static_cast<std::size_t>(place.selection.index)];
      link.configuration = finding.configuration;
      link.finding = place.selection.index;
      for (std::size_t i = finding.suggestions.size(); i-- > 0;) {
        const auto& each = finding.suggestions[i];
        if (each.transform && !below_framework(*document_, finding.configuration, each))
          link.suggestion = static_cast<int>(i);
      }
    }
    explore(link);
  }
  if (place.view.isEmpty() || !go(place.view)) {
    go(place.selection.kind == ItemKind::finding   ? view_name::findings
       : place.visible || !place.selection.empty() ? view_name::timeline
                                                   : view_name::overview);
  }
}

}  // namespace rnnadvisor::gui
