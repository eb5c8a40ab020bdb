#include <algorithm>

#include "advisor/change/compose.h"
#include "advisor/change/in_words.h"
#include "advisor/change/transform.h"
#include "advisor/facts/experiments.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "advisor/rules/describe.h"
#include "core/base/text.h"
#include "gui/models/pages.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

using advisor::Finding;
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
    head();
    refutation();
    suggestions();
    comparisons();
    evidence();
    sources();
    validity();
    elsewhere();
    why_not();
    return page_.take();
  }

 private:
  const advisor::ConfigurationReport* configuration() const {
    const auto& all = document_.report().configurations;
    const auto i = static_cast<std::size_t>(finding_.configuration);
    return finding_.configuration >= 0 && i < all.size() ? &all[i] : nullptr;
  }

  static std::string change_of(const advisor::Suggestion& suggestion) {
    return advisor::change_in_words(advisor::to_json(changes_of(suggestion)));
  }

  // What a card says; rules that it names are links.
  QString prose(std::string_view text) const { return page_.prose(text, document_.rules()); }

  void head() {
    const QColor color = page_.theme().color_of(finding_.severity);
    const auto rule = Link::to_rule(to_qt(finding_.rule_id));
    page_.small(page_.colored(page_.strong(mark(finding_.severity) + QLatin1Char(' ') +
                                           severity_word(finding_.severity)),
                              color) +
                QStringLiteral(" · ") + Page::escape(to_string(finding_.confidence)) +
                QStringLiteral(" · ") + page_.link(rule, Page::escape(finding_.rule_id)));
    page_.title(Page::prose(finding_.title));
    if (const auto gain = words::gain(finding_.gain); !gain.empty()) {
      QString text =
          QStringLiteral("<span style=\"font-size:large; font-weight:600; color:%1\">%2</span>")
              .arg((finding_.gain->another_model ? page_.theme().dim_text : page_.theme().good)
                       .name(),
                   Page::escape(gain));
      if (!finding_.gain->change.empty())
        text +=
            (finding_.gain->another_model ? QStringLiteral(" (%1)") : QStringLiteral(" with %1"))
                .arg(Page::escape(finding_.gain->change));
      if (!finding_.gain->scope.empty())
        text += QStringLiteral(", ") + Page::escape(finding_.gain->scope);
      text +=
          page_.dim(QStringLiteral(" · ") + Page::escape(advisor::in_words(finding_.gain->basis)));
      page_.paragraph(text);
    }
    page_.paragraph(prose(finding_.message));
    if (const auto* own = configuration()) {
      const auto link = Link::to({ItemKind::configuration, own->index});
      page_.small(Texts::tr("Where: ") + page_.link(link, Page::escape(own->name)));
    }
  }

  // What an experiment of this profile made of it.
  QString outcome(const advisor::TrialOutcome& trial) const {
    const bool good = trial.verdict == ExperimentVerdict::confirmed;
    const bool bad = trial.verdict == ExperimentVerdict::refuted;
    const QColor color = good  ? page_.theme().good
                         : bad ? page_.theme().error
                               : page_.theme().dim_text;
    const QString verdict = Texts::tr("Tried: ") + Page::escape(words::verdict(trial.verdict));
    return page_.colored(page_.strong(verdict), color) + QStringLiteral(" · ") +
           Page::escape(words::trial_details(trial));
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
    if (!why.isEmpty() && !torch) return Texts::tr("Cannot be tried: %1").arg(Page::escape(why));
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

  void suggestions() {
    if (finding_.suggestions.empty()) return;
    const auto off = [this](const advisor::Suggestion& each) { return withdrawn(finding_, each); };
    if (!std::all_of(finding_.suggestions.begin(), finding_.suggestions.end(), off))
      page_.heading(advisor::is_remark(finding_) ? Texts::tr("Options") : Texts::tr("What to do"));
    int number = -1;
    bool assumed = false;  // code is shown that is of a framework only by assumption
    for (const auto& each : finding_.suggestions) {
      ++number;
      if (off(each)) continue;
      QString text = page_.strong(prose(each.text));
      QStringList notes;
      if (!each.framework.empty()) notes << Page::escape(each.framework);
      if (each.transform) notes << Page::escape(words::meaning(widest_meaning(changes_of(each))));
      if (!notes.isEmpty())
        text += QStringLiteral("<br>") + page_.dim(notes.join(QStringLiteral(" · ")));
      if (!each.cannot.empty()) text += QStringLiteral("<br>") + page_.dim(prose(each.cannot));
      if (each.trial) text += QStringLiteral("<br>") + outcome(*each.trial);
      page_.item(text);
      if (each.trial) add_measured(page_, document_.profile(), each.trial->experiment);
      if (!each.code.empty()) {
        page_.code(to_qt(words::clean_lines(each.code)));
        assumed = assumed || each.framework.empty();
      }
      QStringList actions;
      if (!each.code.empty())
        actions << page_.link({LinkKind::copy, {}, -1, index_, number, {}},
                              Texts::tr("Copy the code"));
      if (each.transform) {
        const auto* kind = advisor::find_transform_kind(each.transform->kind);
        if (kind != nullptr && kind->configurations && finding_.configuration >= 0 &&
            !below_framework(document_, finding_.configuration, each))
          actions << page_.link({LinkKind::explore, {}, finding_.configuration, index_, number, {}},
                                Texts::tr("Compare before and after in the explorer"));
        if (const QString action = try_action(number); !action.isEmpty()) actions << action;
        page_.small(Texts::tr("Change: ") + Page::escape(change_of(each)) +
                    (actions.isEmpty()
                         ? QString()
                         : QStringLiteral(" · ") + actions.join(QStringLiteral(" · "))));
        if (is_subject(number))
          add_trial_state(page_, *trial_, trial_link(number, trial_->subject.torch));
      } else if (!actions.isEmpty()) {
        page_.small(actions.join(QStringLiteral(" · ")));
      }
      page_.space(6);  // the next suggestion is another one
    }
    const auto* own = configuration();
    if (!assumed || own == nullptr || own->configuration->program.name ||
        own->configuration->from_program())
      return;
    if (const auto& said = document_.report().assumption; !said.empty())
      page_.small(page_.dim(Page::escape(said)));
  }

  // What measuring refuted: that it did and what was tried, with nothing to copy or to apply. What
  // was tried here can be tried again.
  void refutation() {
    const auto why = words::refuted(finding_);
    if (why.empty()) return;
    page_.heading(Texts::tr("Refuted"));
    page_.paragraph(Page::escape(why));
    int number = -1;
    for (const auto& each : finding_.suggestions) {
      ++number;
      if (!each.trial || !withdrawn(finding_, each)) continue;
      page_.item(page_.dim(prose(each.text)) + QStringLiteral("<br>") + outcome(*each.trial));
      add_measured(page_, document_.profile(), each.trial->experiment);
      page_.small(Texts::tr("Change: ") + Page::escape(change_of(each)) + QStringLiteral(" · ") +
                  try_action(number));
      if (is_subject(number))
        add_trial_state(page_, *trial_, trial_link(number, trial_->subject.torch));
    }
  }

  std::vector<Page::Cell> row(const advisor::Comparison& c) const {
    const QString threshold = Page::escape(advisor::operator_words(c.op)) + QStringLiteral(" <b>") +
                              Page::breakable(c.threshold) + QStringLiteral("</b>");
    return {
        {Page::breakable(c.fact) + QStringLiteral("<br><span style=\"font-size:small\">") +
             page_.dim(Page::escape(to_string(c.provenance))) + QStringLiteral("</span>"),
         false, 46},
        {QStringLiteral("<b>") + Page::breakable(c.observed) + QStringLiteral("</b>"), false, 22},
        {threshold, false, 32}};
  }

  void comparisons() {
    if (finding_.comparisons.empty() && finding_.context.empty()) return;
    page_.heading(Texts::tr("Why it fired"));
    std::vector<std::vector<Page::Cell>> rows;
    for (const auto& c : finding_.comparisons) rows.push_back(row(c));
    const QStringList header = {Texts::tr("Fact"), Texts::tr("Here"), Texts::tr("Condition")};
    if (!rows.empty()) page_.table(header, rows);
    if (finding_.context.empty()) return;
    rows.clear();
    for (const auto& c : finding_.context) rows.push_back(row(c));
    page_.small(Texts::tr("It applies because"));
    page_.table(header, rows);
  }

  void evidence() {
    const auto words = words::evidence(finding_);
    if (words.empty()) return;
    page_.heading(Texts::tr("Evidence"));
    page_.paragraph(Page::escape(words) + QStringLiteral(" · ") +
                    page_.link({LinkKind::evidence, {}, -1, index_, -1, {}},
                               Texts::tr("Show in the timeline")));
    std::vector<std::vector<Page::Cell>> rows;
    const auto& profile = document_.profile();
    const auto begin = document_.extent().begin_ns;
    const auto calls = longest(ItemKind::call, finding_.calls),
               kernels = longest(ItemKind::kernel, finding_.kernels);
    for (const auto& item : calls) {
      const auto& call = profile.calls[static_cast<std::size_t>(item.index)];
      const auto link = Link::to(item);
      rows.push_back(
          {{page_.link(link, Texts::tr("call %1").arg(item.index))},
           {Page::escape(words::phase(call.phase))},
           {Texts::tr("at %1").arg(format_ns(document_.range_of(item).begin_ns - begin))},
           {format_ns(document_.range_of(item).length()), true}});
    }
    for (const auto& item : kernels) {
      const auto k = static_cast<std::size_t>(item.index);
      const auto link = Link::to(item);
      const auto range = document_.range_of(item);
      rows.push_back(
          {{page_.link(link, Texts::tr("kernel %1").arg(item.index))},
           {Page::escape(words::shorten(words::clean(profile.text(profile.kernels.name[k])), 44))},
           {Texts::tr("at %1").arg(format_ns(range.begin_ns - begin))},
           {format_ns(range.length()), true}});
    }
    if (!rows.empty()) page_.table({}, rows);
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

  void sources() {
    if (finding_.citations.empty()) return;
    page_.heading(Texts::tr("Source"));
    for (const auto& citation : finding_.citations) {
      QString text = Page::escape(words::citation(citation));
      if (!citation.url.empty()) {
        const auto link = Link::to_address(to_qt(citation.url));
        text += QStringLiteral(" ") + page_.link(link, Texts::tr("Open"));
      }
      text += QStringLiteral("<br>") + page_.dim(Page::escape(words::citation_tag(citation.tag)));
      page_.item(text);
      if (!citation.quote.empty())
        page_.quote(QStringLiteral("“") + Page::prose(citation.quote) + QStringLiteral("”"));
    }
  }

  void validity() {
    const bool shown = std::any_of(finding_.suggestions.begin(), finding_.suggestions.end(),
                                   [](const auto& each) { return each.trial.has_value(); });
    if (finding_.trial && !shown) page_.paragraph(outcome(*finding_.trial));
    const auto* own = configuration();
    std::span<const DeviceSpec> device;
    if (own != nullptr && own->device != nullptr) device = {own->device, 1};
    add_trials(page_, finding_.validity, finding_.citations, device);
  }

  // The same advice for other configurations.
  void elsewhere() {
    std::vector<int> others;
    const auto& findings = document_.judgement().findings;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      if (static_cast<int>(i) != index_ && findings[i].rule_id == finding_.rule_id)
        others.push_back(static_cast<int>(i));
    }
    if (others.empty()) return;
    page_.heading(Texts::tr("Also in %n other configuration(s)", nullptr, many(others.size())));
    std::vector<std::vector<Page::Cell>> rows;
    constexpr std::size_t most = 40;
    for (const int i : others) {
      if (rows.size() == most) break;
      const auto& other = findings[static_cast<std::size_t>(i)];
      const auto& all = document_.report().configurations;
      const auto c = static_cast<std::size_t>(other.configuration);
      if (c >= all.size()) continue;
      const auto link = Link::to({ItemKind::finding, i});
      rows.push_back({{page_.link(link, Page::escape(all[c].name))},
                      {Page::escape(words::gain(other.gain)), true}});
    }
    page_.table({}, rows);
    if (others.size() > most)
      page_.small(Texts::tr("and %1 more").arg(static_cast<int>(others.size() - most)));
  }

  void why_not() {
    const auto* own = configuration();
    if (own == nullptr || own->why_not.empty()) return;
    add_why_not(page_, *own, own->why_not.front());
  }

  const Document& document_;
  int index_;
  const Finding& finding_;
  const TrialState* trial_;
  Page page_;
};

}  // namespace

QString mark(advisor::Severity severity) {
  switch (severity) {
    case advisor::Severity::error:
      return QStringLiteral("✖");
    case advisor::Severity::warning:
      return QStringLiteral("▲");
    case advisor::Severity::opportunity:
      return QStringLiteral("◆");
    case advisor::Severity::info:
      break;
  }
  return QStringLiteral("●");
}

QString mark(advisor::Standing standing) {
  switch (standing) {
    case advisor::Standing::error:
      return mark(advisor::Severity::error);
    case advisor::Standing::warning:
      return mark(advisor::Severity::warning);
    case advisor::Standing::opportunity:
      return mark(advisor::Severity::opportunity);
    case advisor::Standing::fine:
      return QStringLiteral("✔");
    case advisor::Standing::refused:
      return QStringLiteral("–");
    case advisor::Standing::unjudged:
      break;
  }
  return QStringLiteral("○");
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

bool add_why_not(Page& page, const advisor::ConfigurationReport& report, const model::WhyNot& table,
                 bool lines) {
  const std::string heading = words::why_not_title(report, table);
  if (heading.empty()) return false;
  page.heading(Page::escape(heading));
  std::vector<std::vector<Page::Cell>> rows;
  for (const auto& clause : table.clauses) {
    const QString sign = clause.holds == model::Holds::yes
                             ? page.colored(QStringLiteral("✔"), page.theme().good)
                         : clause.holds == model::Holds::no
                             ? page.colored(QStringLiteral("✖"), page.theme().error)
                             : page.colored(QStringLiteral("?"), page.theme().warning);
    QString title = Page::escape(clause.title);
    if (!clause.rule_id.empty()) {
      const auto link = Link::to_rule(to_qt(clause.rule_id));
      title = page.link(link, title);
    }
    if (clause.holds != model::Holds::yes) title = page.strong(title);
    const QString here = Page::escape(clause.observed);
    const QString what = page.dim(clause.required ? Texts::tr("required") : Texts::tr("for speed"));
    if (lines) {
      page.line(sign, title + QStringLiteral(" · ") + here + QStringLiteral(" · ") + what);
      continue;
    }
    rows.push_back({{sign}, {title}, {here}, {what}});
  }
  if (!lines) page.table({QString(), Texts::tr("Condition"), Texts::tr("Here"), QString()}, rows);
  if (const std::string nearest = words::why_not_nearest(table); !nearest.empty())
    page.small(Page::escape(nearest));
  return true;
}

}  // namespace rnnadvisor::gui
