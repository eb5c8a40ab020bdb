// Links: what pages of text lead to, and what a person can copy to get back to a place.
#pragma once

#include <QString>
#include <optional>
#include <variant>

#include "gui/models/document.h"
#include "gui/models/view_state.h"

namespace rnnadvisor::gui {

enum class LinkKind {
  item,       // select it: item:call/12
  evidence,   // show all evidence of a finding: evidence:3
  step,       // frame a step of the program, by its device and the call that begins it: step:0/12
  rule,       // open its card: rule:alignment/batch-multiple-of-8
  explore,    // a configuration in the explorer: explore:4, with a finding's change: explore:4/2/0
  copy,       // put a finding's example on the clipboard: copy:2/0
  trial,      // try a suggestion on a GPU: trial:2/0, in PyTorch itself: torch:2/0
  trial_end,  // end what is being tried: trial:end
  trial_command,  // put the command that tries it on the clipboard: trial:command
  source,         // a line of the program, by its number in Profile::call_sites: site:3
  accelerate,     // run the recorded program again, as a suggestion says: accelerate:2/0
  view,           // another view: view:timeline
  external        // https://…
};
struct Link {
  LinkKind kind = LinkKind::external;
  Item item;
  int configuration = -1;  // of a step the device, of a line of the program its number
  int finding = -1, suggestion = -1;
  QString text;  // the rule, view or address; of a trial "torch" or nothing
  bool operator==(const Link&) const = default;

  static Link to(Item item);
  static Link to_rule(QString id);
  static Link to_view(QString name);
  static Link to_address(QString address);
  static Link to_source(int site);
};
QString to_string(const Link& link);
std::optional<Link> parse_link(const QString& text);

QString to_string(ItemKind kind);  // "call"
std::optional<ItemKind> parse_item_kind(const QString& text);

// What was set by hand in the explorer: fields of a configuration, "device" and "configuration",
// the one of the profile that was begun with (absent: the first).
using ExplorerChanges = QList<std::pair<QString, QString>>;

// A place in a profile: "timeline,12.5ms-40ms,call/3", "rules,rule/alignment/input-size",
// "explorer,hidden_size=1000". Times count from the beginning of the profile, so that a
// person can read them.
struct Place {
  QString view;
  std::optional<TimeRange> visible;  // counted from the beginning
  Item selection;
  QString rule = {};              // the card that is chosen among the rules
  ExplorerChanges explorer = {};  // empty: nothing was set there
  // The profile that it is compared with. No part of the text: a command names it by
  // --compare-with, and the session keeps it beside.
  QString before = {};
  bool operator==(const Place&) const = default;
};
QString to_string(const Place& place);
// Any lower-case word is taken for a view; keys and values of the explorer are checked.
Result<Place> parse_place(const QString& text);
// Whether the profile has what the place names: its item, and something of its range.
Result<void> check(const Place& place, const Document& document);

// "1.25 ms" with three digits; exact() keeps every nanosecond: "1.250004ms".
QString format_ns(std::int64_t ns);
// Of a measured time, as reports write it but for the sign of micro: "2.07 ms", "35.2 µs".
// Of a column of times: in the unit that suits the largest, so that they can be compared by eye; an
// en dash where there is none.
QString format_ms_among(double ms, double largest_ms);
// "2026-11-22 00:20" of this machine's zone for "2026-11-22T00:20:32Z"; what is no date stays.
QString readable_date(const QString& iso);
// "LSTM 2×512" for "LSTM 2x512": for what is read; what is searched and copied stays as it is
// typed.
QString with_times_sign(QString text);
QString format_ms(double ms);
QString exact_ns(std::int64_t ns);
QString exact_text(std::int64_t ns);  // the same to be read: "1.250004 ms"
std::optional<std::int64_t> parse_ns(QString text);

}  // namespace rnnadvisor::gui
