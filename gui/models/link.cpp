#include "gui/models/link.h"

#include <QDateTime>
#include <QRegularExpression>
#include <QStringList>
#include <QUrl>
#include <array>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/config/read_config.h"
#include "gui/models/document.h"

namespace rnnadvisor::gui {
namespace {

constexpr std::array<std::pair<ItemKind, const char*>, 10> kinds = {
    {{ItemKind::none, "none"},
     {ItemKind::call, "call"},
     {ItemKind::kernel, "kernel"},
     {ItemKind::transfer, "transfer"},
     {ItemKind::api, "api"},
     {ItemKind::nvtx, "nvtx"},
     {ItemKind::allocation, "allocation"},
     {ItemKind::gap, "gap"},
     {ItemKind::finding, "finding"},
     {ItemKind::configuration, "configuration"}}};

QString item_text(Item item) {
  return to_string(item.kind) + QLatin1Char('/') + QString::number(item.index);
}

constexpr QLatin1String rule_prefix("rule/");

// What the explorer's part of a place sets. Defaults that follow from others are of no matter here.
Result<std::pair<QString, QString>> parse_change(const QString& part) {
  const auto equals = part.indexOf(QLatin1Char('='));
  const QString key = part.left(equals);
  const QString value = QUrl::fromPercentEncoding(part.mid(equals + 1).toUtf8());
  std::pair<QString, QString> change{key, value};
  if (key == QLatin1String("device") && !value.isEmpty()) return change;
  if (key == QLatin1String("configuration")) {
    bool good = false;
    if (value.toInt(&good) >= 0 && good) return change;
    return fail(ErrorCode::invalid_argument, "'" + part.toStdString() + "' is no place",
                "configuration=NUMBER counts the configurations of the profile from 0");
  }
  if (key == QLatin1String("seq_lengths") && value.isEmpty()) return change;
  ConfigInput scratch;
  if (auto good = set_field(scratch, key.toStdString(), value.toStdString()); !good)
    return fail(good.error());
  return change;
}

std::optional<Item> parse_item(const QString& text) {
  const auto parts = text.split(QLatin1Char('/'));
  if (parts.size() != 2) return std::nullopt;
  const auto kind = parse_item_kind(parts[0]);
  bool good = false;
  const int index = parts[1].toInt(&good);
  if (!kind || *kind == ItemKind::none || !good || index < 0) return std::nullopt;
  return Item{*kind, index};
}

std::optional<std::vector<int>> numbers(const QString& text) {
  std::vector<int> found;
  for (const auto& part : text.split(QLatin1Char('/'))) {
    bool good = false;
    found.push_back(part.toInt(&good));
    if (!good || found.back() < 0) return std::nullopt;
  }
  return found;
}

}  // namespace

Link Link::to(Item item) {
  Link link;
  link.kind = LinkKind::item;
  link.item = item;
  return link;
}
Link Link::to_rule(QString id) {
  Link link;
  link.kind = LinkKind::rule;
  link.text = std::move(id);
  return link;
}
Link Link::to_view(QString name) {
  Link link;
  link.kind = LinkKind::view;
  link.text = std::move(name);
  return link;
}
Link Link::to_address(QString address) {
  Link link;
  link.text = std::move(address);
  return link;
}

Link Link::to_source(int site) {
  Link link;
  link.kind = LinkKind::source;
  link.configuration = site;
  return link;
}

QString to_string(ItemKind kind) {
  return QString::fromLatin1(kinds[static_cast<std::size_t>(kind)].second);
}

std::optional<ItemKind> parse_item_kind(const QString& text) {
  for (const auto& [kind, word] : kinds) {
    if (text == QLatin1String(word)) return kind;
  }
  return std::nullopt;
}

QString to_string(const Link& link) {
  const auto number = [](int n) { return QString::number(n); };
  switch (link.kind) {
    case LinkKind::item:
      return QStringLiteral("item:") + item_text(link.item);
    case LinkKind::evidence:
      return QStringLiteral("evidence:") + number(link.finding);
    case LinkKind::step:
      return QStringLiteral("step:%1/%2").arg(link.configuration).arg(link.item.index);
    case LinkKind::rule:
      return QStringLiteral("rule:") + link.text;
    case LinkKind::explore:
      return QStringLiteral("explore:") + number(link.configuration) +
             (link.finding < 0 ? QString()
                               : QStringLiteral("/%1/%2").arg(link.finding).arg(link.suggestion));
    case LinkKind::copy:
      return QStringLiteral("copy:%1/%2").arg(link.finding).arg(link.suggestion);
    case LinkKind::trial:
      return QStringLiteral("%1:%2/%3")
          .arg(link.text.isEmpty() ? QStringLiteral("trial") : link.text)
          .arg(link.finding)
          .arg(link.suggestion);
    case LinkKind::trial_end:
      return QStringLiteral("trial:end");
    case LinkKind::trial_command:
      return QStringLiteral("trial:command");
    case LinkKind::source:
      return QStringLiteral("site:") + number(link.configuration);
    case LinkKind::accelerate:
      return QStringLiteral("accelerate:%1/%2").arg(link.finding).arg(link.suggestion);
    case LinkKind::view:
      return QStringLiteral("view:") + link.text;
    case LinkKind::external:
      break;
  }
  return link.text;
}

std::optional<Link> parse_link(const QString& text) {
  const auto colon = text.indexOf(QLatin1Char(':'));
  if (colon < 0) return std::nullopt;
  const QString scheme = text.left(colon), rest = text.mid(colon + 1);
  Link link;
  if (scheme == QLatin1String("https") || scheme == QLatin1String("http")) {
    link.text = text;
    return link;
  }
  if (scheme == QLatin1String("rule") || scheme == QLatin1String("view")) {
    link.kind = scheme == QLatin1String("rule") ? LinkKind::rule : LinkKind::view;
    link.text = rest;
    return rest.isEmpty() ? std::nullopt : std::optional(link);
  }
  if (scheme == QLatin1String("item")) {
    const auto item = parse_item(rest);
    if (!item) return std::nullopt;
    link.kind = LinkKind::item;
    link.item = *item;
    return link;
  }
  if (text == QLatin1String("trial:end") || text == QLatin1String("trial:command")) {
    link.kind = rest == QLatin1String("end") ? LinkKind::trial_end : LinkKind::trial_command;
    return link;
  }
  const auto parts = numbers(rest);
  if (!parts) return std::nullopt;
  const auto& n = *parts;
  if (scheme == QLatin1String("evidence") && n.size() == 1) {
    link.kind = LinkKind::evidence;
    link.finding = n[0];
    return link;
  }
  if (scheme == QLatin1String("step") && n.size() == 2) {
    link.kind = LinkKind::step;
    link.configuration = n[0];
    link.item = {ItemKind::call, n[1]};
    return link;
  }
  if (scheme == QLatin1String("site") && n.size() == 1) return Link::to_source(n[0]);
  const bool torch = scheme == QLatin1String("torch"),
             accelerate = scheme == QLatin1String("accelerate");
  if ((scheme == QLatin1String("copy") || scheme == QLatin1String("trial") || torch ||
       accelerate) &&
      n.size() == 2) {
    link.kind = accelerate                        ? LinkKind::accelerate
                : scheme == QLatin1String("copy") ? LinkKind::copy
                                                  : LinkKind::trial;
    if (torch) link.text = scheme;
    link.finding = n[0];
    link.suggestion = n[1];
    return link;
  }
  if (scheme == QLatin1String("explore") && (n.size() == 1 || n.size() == 3)) {
    link.kind = LinkKind::explore;
    link.configuration = n[0];
    if (n.size() == 3) {
      link.finding = n[1];
      link.suggestion = n[2];
    }
    return link;
  }
  return std::nullopt;
}

QString exact_ns(std::int64_t ns) {
  const auto digits = [](std::int64_t value, std::int64_t unit, int places, const char* name) {
    QString text = QString::number(value / unit);
    QString rest = QString::number(value % unit).rightJustified(places, QLatin1Char('0'));
    while (rest.endsWith(QLatin1Char('0'))) rest.chop(1);
    return text + (rest.isEmpty() ? QString() : QLatin1Char('.') + rest) + QLatin1String(name);
  };
  if (ns < 0) return QStringLiteral("-") + exact_ns(-ns);
  if (ns >= 1'000'000'000) return digits(ns, 1'000'000'000, 9, "s");
  if (ns >= 1'000'000) return digits(ns, 1'000'000, 6, "ms");
  if (ns >= 1'000) return digits(ns, 1'000, 3, "us");
  return QString::number(ns) + QStringLiteral("ns");
}

QString exact_text(std::int64_t ns) {
  QString text = exact_ns(ns);
  qsizetype unit = text.size();
  while (unit > 0 && text[unit - 1].isLetter()) --unit;
  text.insert(unit, QLatin1Char(' '));
  return text.replace(QStringLiteral(" us"), QStringLiteral(" µs"))
      .replace(QLatin1Char('-'), QChar(0x2212));
}

QString format_ns(std::int64_t ns) {
  const double value = static_cast<double>(std::abs(ns));
  const QString sign = ns < 0 ? QStringLiteral("−") : QString();
  if (value < 1000) return sign + QString::number(value) + QStringLiteral(" ns");
  const auto [scaled, unit] = value < 1e6   ? std::pair(value / 1e3, "µs")
                              : value < 1e9 ? std::pair(value / 1e6, "ms")
                                            : std::pair(value / 1e9, "s");
  const int decimals = scaled < 10 ? 2 : scaled < 100 ? 1 : 0;
  return sign + QString::number(scaled, 'f', decimals) + QLatin1Char(' ') + QString::fromUtf8(unit);
}

QString format_ms_among(double ms, double largest_ms) {
  if (!(ms > 0)) return QStringLiteral("–");
  const bool micro = largest_ms < 1;
  const double factor = micro ? 1e3 : 1;
  return QString::number(ms * factor, 'f', largest_ms * factor < 10 ? 3 : 2) +
         (micro ? QStringLiteral(" µs") : QStringLiteral(" ms"));
}

QString readable_date(const QString& iso) {
  const QDateTime time = QDateTime::fromString(iso, Qt::ISODate);
  return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")) : iso;
}

QString with_times_sign(QString text) {
  static const QRegularExpression sizes(QStringLiteral("(\\d)x(\\d)"));
  return text.replace(sizes, QStringLiteral("\\1×\\2"));
}

QString format_ms(double ms) {
  return to_qt(format_milliseconds(ms)).replace(QLatin1String(" us"), QStringLiteral(" µs"));
}

std::optional<std::int64_t> parse_ns(QString text) {
  text = text.trimmed();
  double unit = 1;
  for (const auto& [name, size] : {std::pair("ns", 1.0), std::pair("us", 1e3), std::pair("µs", 1e3),
                                   std::pair("ms", 1e6), std::pair("s", 1e9)}) {
    const QString word = QString::fromUtf8(name);
    if (!text.endsWith(word)) continue;
    text.chop(word.size());
    unit = size;
    break;
  }
  bool good = false;
  const double value = text.trimmed().toDouble(&good) * unit;
  if (!good || !std::isfinite(value) || std::fabs(value) > 9e18) return std::nullopt;
  return std::llround(value);
}

QString to_string(const Place& place) {
  QStringList parts;
  if (!place.view.isEmpty()) parts << place.view;
  if (place.visible)
    parts << exact_ns(place.visible->begin_ns) + QLatin1Char('-') + exact_ns(place.visible->end_ns);
  if (!place.selection.empty()) parts << item_text(place.selection);
  if (!place.rule.isEmpty()) parts << rule_prefix + place.rule;
  for (const auto& [key, value] : place.explorer)
    parts << key + QLatin1Char('=') + QString::fromLatin1(QUrl::toPercentEncoding(value, "/:+"));
  return parts.join(QLatin1Char(','));
}

Result<Place> parse_place(const QString& text) {
  Place place;
  for (const auto& part : text.split(QLatin1Char(','), Qt::SkipEmptyParts)) {
    if (const auto item = parse_item(part)) {
      place.selection = *item;
      continue;
    }
    if (part.startsWith(rule_prefix) && part.size() > rule_prefix.size()) {
      place.rule = part.mid(rule_prefix.size());
      continue;
    }
    if (part.indexOf(QLatin1Char('=')) > 0) {
      auto change = parse_change(part);
      if (!change) return fail(change.error());
      place.explorer.append(std::move(*change));
      continue;
    }
    const auto dash = part.indexOf(QLatin1Char('-'), 1);
    if (dash > 0) {
      const auto begin = parse_ns(part.left(dash)), end = parse_ns(part.mid(dash + 1));
      if (begin && end && *begin < *end) {
        place.visible = TimeRange{*begin, *end};
        continue;
      }
    }
    bool word = place.view.isEmpty();
    for (const QChar c : part) word = word && c.isLetter() && c.isLower();
    if (!word) {
      return fail(ErrorCode::invalid_argument, "'" + part.toStdString() + "' is no place",
                  "a place is a view, a range and an item: timeline,12.5ms-40ms,call/3");
    }
    place.view = part;
  }
  return place;
}

Result<void> check(const Place& place, const Document& document) {
  if (auto there = document.check(place.selection); !there) return there;
  if (!place.visible || !document.has_times()) return {};
  const auto length = document.extent().length();
  if (place.visible->begin_ns < length && place.visible->end_ns > 0) return {};
  return fail(ErrorCode::not_found,
              "nothing was recorded from " + format_ns(place.visible->begin_ns).toStdString() +
                  " to " + format_ns(place.visible->end_ns).toStdString() + " in " +
                  document.name().toStdString(),
              "it is " + format_ns(length).toStdString() + " long, and times count from its begin");
}

}  // namespace rnnadvisor::gui
