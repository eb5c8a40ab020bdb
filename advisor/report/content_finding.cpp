// A finding: what was seen, what to do, what that gains, and why anybody should believe it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "advisor/facts/fact.h"
#include "advisor/report/content.h"
#include "advisor/report/trials.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor::document {
namespace {

// "estimate", and of the source "estimate from this recording" the rest.
std::string source_after(std::string_view basis, std::string_view source) {
  if (source.starts_with(basis) && source.substr(basis.size()).starts_with(' '))
    source.remove_prefix(basis.size() + 1);
  return std::string(source);
}

// NaN where it is none.
double number_of(std::string_view text) {
  double value = std::nan("");
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

GainText gain_of(const Finding& finding) {
  const auto& gain = finding.gain;
  if (!gain && finding.possible) {
    GainText text;
    text.size = words::times(finding.possible->speedup);
    text.rest = words::possible_gain(*finding.possible).substr(text.size.size());
    text.basis = in_words(finding.possible->basis);
    text.type = to_string(finding.possible->basis);
    text.source = source_after(text.basis, finding.possible->source);
    return text;
  }
  if (!gain || words::gain(gain).empty()) return {};
  Gain size = *gain;
  size.another_model = false;
  GainText text;
  text.size = words::gain(size);
  text.rest = words::gain_in_full(*gain).substr(text.size.size());
  text.basis = in_words(gain->basis);
  text.type = to_string(gain->basis);
  text.source = source_after(text.basis, gain->source);
  text.another_model = gain->another_model;
  return text;
}

std::string place_of(const Content& content, const Finding& finding) {
  if (content.in(window))
    return fmt::format("finding:{}", &finding - content.report.judgement->findings.data());
  const auto place = content.report.place_of(finding);
  return place.number > 0 && place.number <= html::shown_findings
             ? fmt::format("#{}{}", place.remark ? 'r' : 'f', place.number)
             : std::string();
}

Paragraph outcome_of(const TrialOutcome& outcome) {
  return {words::trial_details(outcome), Look::normal, "Tried", mark_of(outcome.verdict),
          std::string(words::verdict(outcome.verdict))};
}

class FindingBuilder {
 public:
  FindingBuilder(const Content& content, const FindingGroup& group)
      : content_(content), report_(content.report), group_(group), f_(group.first()) {}

  Card build() {
    const auto place = report_.place_of(f_);
    const Severity severity = content_.in(window) ? f_.severity : group_.severity();
    card_.mark = mark_of(severity);
    card_.word = severity == Severity::info ? "remark" : to_string(severity);
    card_.number = place.number;
    card_.remark = place.remark;
    card_.title = prose(f_.title);
    card_.gain = gain_of(f_);
    // A remark asks for nothing, so that a brief report only names it.
    if (card_.remark && content_.in(brief)) return std::move(card_);
    card_.message = prose(f_.message);
    where();
    baseline();
    saves();
    suggestions();
    if (f_.trial && std::none_of(f_.suggestions.begin(), f_.suggestions.end(),
                                 [](const auto& each) { return each.trial.has_value(); }))
      add(outcome_of(*f_.trial));
    if (const std::string why = words::refuted(f_); !why.empty()) add({"Refuted", why});
    because();
    if (!content_.in(brief)) sources();
    if (content_.in(window)) {
      validity();
      if (group_.findings.size() > 1) also_in();
    } else if (!content_.in(terminals)) {
      for (const auto& record : f_.validity) add({"Validity", words::validity(record)});
    }
    card_.rule = Text(f_.rule_id, Tone::name, "rule:" + f_.rule_id) +
                 fmt::format(" · {}", to_string(f_.confidence));
    if (!f_.criterion.empty() && !content_.in(terminals))
      card_.rule += " · criterion " + as_name(f_.criterion);
    return std::move(card_);
  }

 private:
  void add(Entry entry) { card_.entries.push_back(std::move(entry)); }
  void add(const Paragraph& p) { add({p.label, p.text, p.mark, p.word}); }

  const ConfigurationReport* configuration() const {
    const auto index = static_cast<std::size_t>(f_.configuration);
    return f_.configuration >= 0 && index < report_.configurations.size()
               ? &report_.configurations[index]
               : nullptr;
  }

  void where() {
    const auto* first = configuration();
    if (first == nullptr || (report_.shown() < 2 && !content_.in(window))) return;
    if (f_.of_program) {
      add({"Where", Text("the whole step of the program")});
      return;
    }
    // The window lists configurations, the reports layers.
    std::set<int> rows;
    for (const Finding* finding : group_.findings)
      rows.insert(content_.in(window) ? finding->configuration
                                      : report_.row_of(finding->configuration).index);
    const std::size_t others = rows.size() - 1;
    if (!content_.in(window)) first = &report_.row_of(f_.configuration);
    Entry entry{"Where", link_to(*first)};
    entry.look = Look::note;
    if (others > 0 && !content_.in(window))
      entry.text += " and " + words::plural(static_cast<long long>(others), "other configuration");
    if (others > 0 && content_.in(html_page))
      entry.more.push_back(Details{"The others", {}, -1, false, {other_configurations()}});
    add(std::move(entry));
  }

  void baseline() {
    const auto& all = group_.findings;
    const auto known = std::count_if(all.begin(), all.end(),
                                     [](const Finding* finding) { return finding->in_baseline; });
    if (known == 0) return;
    add({"Baseline",
         known < static_cast<std::ptrdiff_t>(all.size())
             ? fmt::format("has {} of {}: only the others can fail a run", known, all.size())
             : std::string("has it: it fails no run")});
  }

  // Of a whole step of the program, and what it takes; of every action, or why it is not known.
  void saves() {
    const auto* own = configuration();
    std::string text;
    if (f_.saving && f_.saving->share > 0) {
      const bool all = !content_.in(window) && group_.findings.size() > 1;
      text = words::saving_of(all ? *f_.rule_saving : *f_.saving);
    } else if (card_.remark || f_.severity == Severity::error || own == nullptr ||
               !own->configuration->from_program() || (f_.gain && f_.gain->saved_bytes > 0)) {
      return;
    } else if (f_.gain) {
      text = "not known of a step: the recording does not tell what its calls take of one";
    } else if (f_.possible) {
      text = fmt::format("{} of a step once {}", words::percent(1 - 1 / f_.possible->speedup),
                         words::clean(f_.possible->once));
    } else if (std::any_of(f_.suggestions.begin(), f_.suggestions.end(),
                           [](const Suggestion& s) { return s.transform.has_value(); })) {
      text = "not known: it is measured where the change is tried";
    } else {
      text = "not known";
    }
    const auto takes =
        std::find_if(f_.suggestions.begin(), f_.suggestions.end(), [&](const Suggestion& s) {
          return f_.gain && !f_.gain->changes.empty() ? changes_of(s) == f_.gain->changes
                                                      : !withdrawn(f_, s) && s.cannot.empty();
        });
    if (takes != f_.suggestions.end())
      text += fmt::format("; it takes {}", words::effort(takes->effort));
    add({"Saves", text});
  }

  // Where one finding is read at a time, to what it is there.
  List other_configurations() const {
    constexpr std::size_t most = 50;
    List list;
    for (const Finding* other : group_.findings) {
      if (other == &f_) continue;
      if (list.items.size() == most) {
        list.items.push_back({dim(fmt::format("and {} more", group_.findings.size() - 1 - most))});
        break;
      }
      Text text = link_to(report_.configurations[static_cast<std::size_t>(other->configuration)]);
      if (content_.in(window)) text.runs.front().link = place_of(content_, *other);
      const std::string gain = words::gain_of_change(other->gain);
      list.items.push_back({text + (gain.empty() ? "" : " " + gain)});
    }
    return list;
  }

  void also_in() {
    Entry entry{"Also in", words::plural(static_cast<long long>(group_.findings.size() - 1),
                                         "other configuration")};
    entry.more.push_back(other_configurations());
    add(std::move(entry));
  }

  void validity() {
    const auto* own = configuration();
    std::span<const DeviceSpec> device;
    if (own != nullptr && own->device != nullptr) device = {own->device, 1};
    for (auto& entry : tried_on(f_.validity, f_.citations, device)) {
      entry.label = "Tried on hardware";
      add(std::move(entry));
    }
  }

  // Code was shown that is of a framework only by assumption.
  bool assumed() const {
    const auto* own = configuration();
    return own != nullptr && !own->configuration->program.name &&
           !own->configuration->from_program() &&
           std::any_of(f_.suggestions.begin(), f_.suggestions.end(), [this](const auto& s) {
             return !withdrawn(f_, s) && !s.code.empty() && s.framework.empty();
           });
  }

  // A remark asks for nothing: what it names can be done.
  std::string label_of(bool off) const {
    if (off) return "Not";
    if (content_.in(window)) return card_.remark ? "Options" : "What to do";
    return card_.remark ? "Option" : "Do";
  }

  void suggestions() {
    int number = -1;
    for (const auto& s : f_.suggestions) {
      ++number;
      // Measured changes always; those that only the source suggests with all details.
      const bool off = withdrawn(f_, s);
      if (off && !s.trial && !content_.in(verbose)) continue;
      Entry entry{label_of(off), prose(s.text, off                   ? Tone::dim
                                               : content_.in(window) ? Tone::strong
                                                                     : Tone::plain)};
      entry.subject = Entry::Subject::suggestion;
      entry.number = number;
      if (!s.framework.empty()) entry.text += " " + Text(words::clean(s.framework), Tone::tag);
      // A terminal explains these words once, above.
      if (s.transform) {
        const Meaning meaning = widest_meaning(changes_of(s));
        entry.text += dim(fmt::format(
            " ({})", content_.in(terminals) ? to_string(meaning) : words::meaning(meaning)));
      }
      if (!s.cannot.empty()) entry.more.push_back(Paragraph{prose(s.cannot), Look::note});
      if (s.trial) entry.more.push_back(outcome_of(*s.trial));
      if (s.trial && content_.in(window))
        entry.more.push_back(measured_of(*report_.profile, s.trial->experiment));
      if (!s.code.empty() && !off && !content_.in(brief)) entry.more.push_back(Code{s.code});
      add(std::move(entry));
    }
    // Elsewhere it stands above all findings.
    if (content_.in(window) && !report_.assumption.empty() && assumed())
      card_.entries.back().more.push_back(Paragraph{report_.assumption, Look::note});
  }

  Text reason(const Comparison& c) const {
    std::string meaning;
    if (const int fact = find_fact(c.fact); fact >= 0 && !content_.in(brief)) {
      // Up to its conditions, which `rnnadvisor rules facts` has.
      const std::string& whole = fact_definition(fact).description;
      std::size_t end = whole.size();
      for (const auto* next : {". ", ": ", "; ", " ("}) end = std::min(end, whole.find(next));
      meaning = whole.substr(0, end) + ", ";
    }
    return as_name(words::comparison(c)) +
           dim(fmt::format(" ({}{})", meaning, to_string(c.provenance)));
  }

  // "at least 1.25" beside "at least 2" of the same fact.
  bool follows_from_another(const Comparison& c) const {
    if (c.op != "at_least" && c.op != "above" && c.op != "at_most" && c.op != "below") return false;
    const bool lower = c.op == "at_least" || c.op == "above";
    const auto stricter = [&](const Comparison& other) {
      const bool same_side = lower ? other.op == "at_least" || other.op == "above"
                                   : other.op == "at_most" || other.op == "below";
      if (!other.holds || other.fact != c.fact || !same_side) return false;
      const double own = number_of(c.threshold), its = number_of(other.threshold);
      return lower ? its > own : its < own;
    };
    return std::any_of(f_.comparisons.begin(), f_.comparisons.end(), stricter);
  }

  void because() {
    for (const auto& c : f_.comparisons) {
      if (!c.holds || follows_from_another(c) || (content_.in(brief) && !words::readable(c)))
        continue;
      Entry entry{"Because", reason(c)};
      entry.joined = true;
      add(std::move(entry));
    }
    for (const auto& c : f_.context)
      if (content_.in(window) && !follows_from_another(c)) add({"It applies because", reason(c)});
    const std::string evidence = words::evidence(f_);
    // Of the program its kernels are those of one layer.
    if (evidence.empty() || content_.in(brief) || (f_.of_program && !content_.in(window))) return;
    Entry entry{"Evidence", evidence};
    entry.subject = Entry::Subject::evidence;
    if (content_.in(html_page) && !f_.kernels.empty()) {
      entry.text = "Kernels";
      entry.more.push_back(Details{evidence, {}, -1, false, {kernel_names()}});
    }
    add(std::move(entry));
  }

  // Which kernels, how often, how long.
  List kernel_names() const {
    std::map<int, std::pair<int, std::int64_t>> names;
    const auto& table = report_.profile->kernels;
    for (const int kernel : f_.kernels) {
      const auto k = static_cast<std::size_t>(kernel);
      if (kernel < 0 || k >= table.size()) continue;
      auto& sum = names[table.name[k]];
      ++sum.first;
      sum.second += table.end_ns[k] - table.start_ns[k];
    }
    List list;
    for (const auto& [id, sum] : names)
      list.items.push_back(
          {as_name(words::shorten(words::clean(report_.profile->text(id)), 90)) +
           dim(fmt::format(" {}×, {}", sum.first,
                           format_milliseconds(static_cast<double>(sum.second) / 1e6)))});
    return list;
  }

  void sources() {
    for (const auto& c : f_.citations) add(source_of(c, content_.medium));
  }

  const Content& content_;
  const Report& report_;
  const FindingGroup& group_;
  const Finding& f_;  // its first
  Card card_;
};

}  // namespace

Text link_to(const ConfigurationReport& each) {
  return {words::shorten(each.name, 80), Tone::plain,
          fmt::format("#c{}", each.shown_in < 0 ? each.index : each.shown_in)};
}

Text link_to(const Content& content, const Finding& finding) {
  return prose(finding.title, Tone::plain, place_of(content, finding));
}

Entry source_of(const Citation& citation, Medium medium) {
  Entry entry{"Source", Text(words::citation(citation), Tone::plain, citation.url)};
  if (!citation.quote.empty()) entry.text += ": " + Text(citation.quote, Tone::quote);
  if (medium != verbose) entry.text += dim(fmt::format(" · {}", words::citation_tag(citation.tag)));
  return entry;
}

Card finding_of(const Content& content, const FindingGroup& group) {
  return FindingBuilder(content, group).build();
}

}  // namespace rnnadvisor::advisor::document
