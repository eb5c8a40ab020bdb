// What the timeline can be told to do, by keys, menus and the command palette.
#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QMetaMethod>
#include <QRegularExpression>

#include "advisor/report/inline_code.h"
#include "gui/timeline/search_bar.h"
#include "gui/timeline/timeline_widget.h"

namespace rnnadvisor::gui {

using namespace timeline;

namespace {

// PCRE limits how long it tries; an expression that would try for ever does not match.
Matches matches_of(const QString& pattern, bool is_expression) {
  const QRegularExpression expression(is_expression ? pattern : QRegularExpression::escape(pattern),
                                      QRegularExpression::CaseInsensitiveOption);
  if (!expression.isValid()) return {};
  return [expression](std::string_view text) { return expression.match(to_qt(text)).hasMatch(); };
}

}  // namespace

void TimelineWidget::set_visible(TimeRange range) {
  if (!ready() || state_ == nullptr) return;
  state_->set_visible(clamped(range, limits()));
}

void TimelineWidget::look_at(TimeRange range) { set_visible(range); }

void TimelineWidget::zoom_at(double x, double factor) {
  if (!ready()) return;
  set_visible(zoomed(scene_.visible, scene_.time_at(std::max<double>(x, scene_.header_width)),
                     factor, limits()));
}

double TimelineWidget::zoom_anchor() const {
  // Where the pointer is, else the selection if it can be seen, else the middle.
  if (pointer_.x() >= scene_.header_width && pointer_.x() < scene_.size.width())
    return pointer_.x();
  if (const auto rect = scene_.rect_of(scene_.selection);
      rect && rect->right() > scene_.header_width && rect->left() < scene_.size.width()) {
    return std::clamp<double>(rect->center().x(), scene_.header_width, scene_.size.width());
  }
  return scene_.header_width + scene_.spans_width() / 2.0;
}

void TimelineWidget::zoom(double factor) { zoom_at(zoom_anchor(), factor); }

void TimelineWidget::pan(double pixels) {
  if (!ready()) return;
  const double ns = pixels / scene_.scale().pixels_per_ns();
  set_visible(moved(scene_.visible, std::llround(ns), limits()));
}

void TimelineWidget::show_all() {
  if (ready()) set_visible(limits());
}

void TimelineWidget::focus_on_selection() {
  if (!ready()) return;
  TimeRange wanted = limits();
  if (!scene_.selection.empty() && place_of(*scene_.timeline, scene_.selection)) {
    wanted = with_margin(item_range(*scene_.timeline, scene_.selection), 0.15, wanted);
  } else if (scene_.measured) {
    wanted = with_margin(*scene_.measured, 0.05, wanted);
  }
  if (wanted == scene_.visible) wanted = limits();
  set_visible(wanted);
  if (!scene_.selection.empty() && wanted != limits()) reveal(scene_.selection);
}

void TimelineWidget::select(Item item, bool reveal_it) {
  if (state_ == nullptr) return;
  from_here_ = true;
  state_->select(item);
  from_here_ = false;
  if (reveal_it) reveal(item);
}

void TimelineWidget::step(int by) {
  if (!ready()) return;
  if (scene_.selection.empty()) return pan(by * 0.2 * scene_.spans_width());
  select(neighbour(*scene_.timeline, scene_.selection, by), true);
}

void TimelineWidget::step_track(int by) {
  if (!ready()) return;
  if (!scene_.selection.empty()) {
    select(beside(*scene_.timeline, scene_.selection, by), true);
    return;
  }
  // From nothing: the first call, else the first kernel, that can be seen.
  for (const TrackKind kind : {TrackKind::calls, TrackKind::kernels, TrackKind::host_calls,
                               TrackKind::nvtx, TrackKind::api}) {
    for (const auto& track : scene_.timeline->tracks) {
      if (track.kind != kind) continue;
      for (const auto& lane : track.lanes) {
        const auto first = lane.spans.first_from(scene_.visible.begin_ns);
        if (first < lane.spans.count && lane.spans.start_of(first) < scene_.visible.end_ns)
          return select(item_of(track, lane, first), true);
      }
    }
  }
}

void TimelineWidget::step_flow(int by) {
  if (!ready() || scene_.selection.empty()) return;
  const Item next = along_flow(*scene_.timeline, scene_.selection, by);
  if (!next.empty()) select(next, true);
}

void TimelineWidget::step_in_call(int by) {
  if (!ready() || scene_.selection.empty()) return;
  const Item next = kernel_of_same_call(*scene_.timeline, scene_.selection, by);
  if (!next.empty()) select(next, true);
}

void TimelineWidget::measure_selection() {
  if (!ready() || scene_.selection.empty() || state_ == nullptr) return;
  state_->measure(item_range(*scene_.timeline, scene_.selection));
}

void TimelineWidget::copy_selection() {
  if (!ready()) return;
  const Details what =
      scene_.measured ? measured_details_ : details_of(*scene_.timeline, scene_.selection);
  if (!what.empty()) QGuiApplication::clipboard()->setText(what.text());
}

QString TimelineWidget::measured_text() const {
  return ready() && scene_.measured ? measured_details_.text() : QString();
}

void TimelineWidget::show_search(bool filter) { search_bar_->open(filter); }

void TimelineWidget::forget_hits() {
  search_work_.cancel();
  scene_.hits = nullptr;
  color_ = std::nullopt;
  hits_text_.clear();
}

void TimelineWidget::search_for(const QString& pattern, bool is_expression) {
  forget_hits();
  if (!ready() || pattern.isEmpty()) return end_search(false);
  const Matches matches = matches_of(pattern, is_expression);
  if (!matches) {
    hits_text_ = tr("Not an expression");
    return end_search(true);
  }
  show_hits_of(Wanted{matches});
}

void TimelineWidget::show_only(std::optional<ColorId> color) {
  search_bar_->set_text({}, false);
  forget_hits();
  if (!color || !ready()) return end_search(false);
  color_ = color;
  Wanted wanted;
  wanted.color = color;
  show_hits_of(wanted);
  emit bar_changed();
}

void TimelineWidget::end_search(bool wrong) {
  search_bar_->set_result(hits_text_, wrong);
  viewport()->update();
  emit search_changed();
  emit hits_changed();
  emit bar_changed();
}

void TimelineWidget::search_like(const Wanted& wanted) {
  search_bar_->hide();  // it would show another pattern
  forget_hits();
  if (ready()) show_hits_of(wanted);
}

void TimelineWidget::show_hits_of(const Wanted& wanted) {
  hits_text_ = tr("Searching…");
  search_bar_->set_result(hits_text_, false);
  const auto timeline = scene_.timeline;
  search_work_.start(
      this,
      [timeline, wanted](const std::stop_token& stop) { return search(*timeline, wanted, stop); },
      [this, timeline](const std::optional<SearchResult>& result) {
        if (!result || timeline != scene_.timeline) return;
        hits_text_ = result->hits == 0 ? tr("No hits") : tr("%L1 hits").arg(result->hits);
        // Without a hit nothing steps back: everything would.
        if (result->hits > 0) scene_.hits = std::make_shared<const SearchResult>(*result);
        end_search(result->hits == 0);
      },
      [this] {
        hits_text_ = tr("Not enough memory");
        end_search(true);
      });
}

void TimelineWidget::next_hit(int by) {
  if (!ready() || scene_.hits == nullptr) return;
  const auto hit = timeline::next_hit(*scene_.timeline, *scene_.hits, scene_.selection,
                                      by > 0 ? scene_.visible.begin_ns : scene_.visible.end_ns, by);
  if (!hit) return;
  select(*hit, true);
  // Gaps are not numbered.
  if (hit->kind != ItemKind::gap)
    hits_text_ = tr("%L1 of %L2")
                     .arg(hit_number(*scene_.timeline, *scene_.hits, *hit))
                     .arg(scene_.hits->hits);
  search_bar_->set_result(hits_text_, false);
  emit search_changed();
}

void TimelineWidget::filter_by(const QString& pattern, bool is_expression, bool exclude) {
  if (document_ == nullptr || (pattern.isEmpty() && pattern_.isEmpty())) return;
  BuildOptions options;
  if (!pattern.isEmpty()) {
    const Matches matches = matches_of(pattern, is_expression);
    if (!matches) return;
    options.keep =
        exclude ? Matches([matches](std::string_view name) { return !matches(name); }) : matches;
  }
  pattern_ = pattern;
  build(options);
  emit bar_changed();
}

void TimelineWidget::filter_like(const Wanted& wanted, const QString& name) {
  if (document_ == nullptr) return;
  BuildOptions options;
  options.keep = wanted.matches;
  options.only = wanted.kind;
  options.role = wanted.role;
  pattern_ = name;
  build(options);
}

std::optional<TimeRange> TimelineWidget::range_in_question() const {
  if (!ready()) return std::nullopt;
  return scene_.measured ? *scene_.measured : scene_.visible;
}

int TimelineWidget::current_track() const {
  if (scene_.current_track >= 0) return scene_.current_track;
  if (pressed_under_.row != nullptr && scene_.selection.empty()) return -1;
  if (const Row* row = scene_.row_at(static_cast<int>(pointer_.y()))) return row->track;
  if (!ready()) return -1;
  const auto place = place_of(*scene_.timeline, scene_.selection);
  return place ? place->track : -1;
}

void TimelineWidget::menu_of_item(QMenu& menu, Item item) {
  menu.addAction(tr("Zoom to it"), this, &TimelineWidget::focus_on_selection);
  menu.addAction(tr("Measure it"), this, &TimelineWidget::measure_selection);
  menu.addAction(tr("Copy its details as a table"), this, &TimelineWidget::copy_selection);
  const QString name = to_qt(item_name(*scene_.timeline, item));
  if (item.kind != ItemKind::gap) {  // which has no name and no row in a table
    menu.addAction(tr("Search for its name"), this, [this, name] {
      search_bar_->set_text(name, false);
      search_bar_->open();
      search_for(name, false);
    });
    menu.addAction(tr("Show only its name"), this, [this, name] { filter_by(name, false); });
    menu.addAction(tr("Hide its name"), this, [this, name] { filter_by(name, false, true); });
    if (isSignalConnected(QMetaMethod::fromSignal(&TimelineWidget::table_requested)))
      menu.addAction(tr("Show in the table"), this, [this, item] { emit table_requested(item); });
  }
  const Profile& p = *scene_.timeline->profile;
  const int call = item.kind == ItemKind::call ? item.index
                   : item.kind == ItemKind::kernel || item.kind == ItemKind::gap
                       ? p.kernels.call[static_cast<std::size_t>(item.index)]
                       : -1;
  if (call < 0) return;
  const auto& of = p.calls[static_cast<std::size_t>(call)];
  if (of.site >= 0) {
    const auto& site = p.call_sites[static_cast<std::size_t>(of.site)];
    const QString line = QStringLiteral("%1:%2").arg(to_qt(p.text(site.file))).arg(site.line);
    menu.addAction(tr("Copy its line, %1").arg(line.mid(line.lastIndexOf(QLatin1Char('/')) + 1)),
                   this, [line] { QGuiApplication::clipboard()->setText(line); });
  }
  if (!isSignalConnected(QMetaMethod::fromSignal(&TimelineWidget::link_activated))) return;
  const auto& findings = document_->judgement().findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].configuration != of.configuration) continue;
    menu.addAction(
        tr("Explain: %1").arg(to_qt(advisor::without_code_marks(findings[i].title))), this,
        [this, i] { emit link_activated(Link::to({ItemKind::finding, static_cast<int>(i)})); });
    break;
  }
  if (of.configuration >= 0) {
    menu.addAction(tr("What if… (in the explorer)"), this, [this, of] {
      Link link;
      link.kind = LinkKind::explore;
      link.configuration = of.configuration;
      emit link_activated(link);
    });
  }
}

void TimelineWidget::menu_at(QPoint position) {
  const Under at = under(scene_, position, font());
  QMenu menu(this);
  if (at.mark >= 0) {
    menu_of_mark(menu, at.mark);
    menu.addSeparator();
  }
  if (!at.item.empty()) {
    select(at.item, false);
    menu_of_item(menu, at.item);
    menu.addSeparator();
  }
  if (marks_ != nullptr && !at.header)
    menu.addAction(tr("Mark this place"), this, &TimelineWidget::add_mark);
  if (at.row != nullptr) menu_of_track(menu, at.row->track);
  menu.addSeparator();
  menu.addAction(tr("Show all"), this, &TimelineWidget::show_all);
  if (!pattern_.isEmpty())
    menu.addAction(tr("Remove the filter"), this, [this] { filter_by({}, false); });
  const auto hidden = [](const TrackState& state) { return state.hidden; };
  if (std::any_of(scene_.states.begin(), scene_.states.end(), hidden)) {
    menu.addAction(tr("Show hidden tracks"), this, [this] {
      for (auto& state : scene_.states) state.hidden = false;
      relayout();
    });
  }
  menu.exec(viewport()->mapToGlobal(position));
}

}  // namespace rnnadvisor::gui
