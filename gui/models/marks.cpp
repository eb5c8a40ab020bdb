#include "gui/models/marks.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>

#include "core/base/text.h"
#include "gui/models/document.h"
#include "gui/models/side_file.h"

namespace rnnadvisor::gui {
namespace {

constexpr int schema_version = 1;
constexpr qsizetype longest_text = 2000;

}  // namespace

QByteArray write_marks(const std::vector<Mark>& marks, std::int64_t origin) {
  QJsonArray list;
  for (const auto& mark : marks) {
    QJsonObject one{{QStringLiteral("at_ns"), qint64{mark.range.begin_ns - origin}}};
    if (!mark.moment()) one[QStringLiteral("until_ns")] = qint64{mark.range.end_ns - origin};
    one[QStringLiteral("text")] = mark.text;
    one[QStringLiteral("color")] = mark.color;
    list.append(one);
  }
  return QJsonDocument(QJsonObject{{QStringLiteral("schema"), schema_version},
                                   {QStringLiteral("marks"), list}})
      .toJson();
}

Result<std::vector<Mark>> read_marks(const QByteArray& text, std::int64_t origin) {
  QJsonParseError problem{};
  const auto document = QJsonDocument::fromJson(text, &problem);
  const QJsonObject whole = document.object();
  const auto list = whole.value(QStringLiteral("marks"));
  if (problem.error != QJsonParseError::NoError || !list.isArray())
    return fail(ErrorCode::parse, "it holds no marks", "remove it, or put it right");
  if (whole.value(QStringLiteral("schema")).toInt() > schema_version)
    return fail(ErrorCode::newer_version, "its marks were written by a newer rnnadvisor");
  if (static_cast<std::size_t>(list.toArray().size()) > most_marks)
    return fail(ErrorCode::parse, "it holds more marks than anybody makes");
  std::vector<Mark> marks;
  for (const auto& value : list.toArray()) {
    const QJsonObject one = value.toObject();
    // Beyond 2^62 sums would overflow.
    const auto time = [&](const QString& key, qint64 missing) {
      const qint64 ns = one.value(key).toInteger(missing);
      return std::clamp(ns, -(qint64{1} << 60), qint64{1} << 60);
    };
    if (!one.value(QStringLiteral("at_ns")).isDouble()) continue;
    Mark mark;
    mark.range.begin_ns = origin + time(QStringLiteral("at_ns"), 0);
    mark.range.end_ns = std::max<std::int64_t>(
        mark.range.begin_ns,
        origin + time(QStringLiteral("until_ns"), mark.range.begin_ns - origin));
    mark.text = one.value(QStringLiteral("text")).toString().left(longest_text);
    mark.color = std::clamp(one.value(QStringLiteral("color")).toInt(), 0, mark_colors - 1);
    marks.push_back(std::move(mark));
  }
  return marks;
}

void Marks::open(const QString& profile, std::int64_t origin) {
  marks_.clear();
  origin_ = origin;
  unreadable_ = false;
  file_ = side_file(profile, QStringLiteral("marks"));
  if (!file_.isEmpty() && QFile::exists(file_)) {
    auto read = read_side_file(file_).and_then(
        [&](const QByteArray& bytes) { return read_marks(bytes, origin); });
    if (read) {
      marks_ = std::move(*read);
      sort({});
    } else {
      unreadable_ = true;
      emit problem(tr("Marks in %1: %2").arg(file_, to_qt(to_text(read.error()))));
    }
  }
  emit changed();
}

// The index of an equal one after sorting.
int Marks::sort(const Mark& followed) {
  std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) {
    return a.range.begin_ns < b.range.begin_ns;
  });
  const auto found = std::find(marks_.begin(), marks_.end(), followed);
  return found == marks_.end() ? -1 : static_cast<int>(found - marks_.begin());
}

int Marks::add(const Mark& mark) {
  if (marks_.size() >= most_marks) return -1;
  marks_.push_back(mark);
  const int index = sort(mark);
  save();
  return index;
}

void Marks::change(int index, const Mark& mark) {
  if (!holds(index) || marks_[static_cast<std::size_t>(index)] == mark) return;
  marks_[static_cast<std::size_t>(index)] = mark;
  sort({});
  save();
}

void Marks::remove(int index) {
  if (!holds(index)) return;
  marks_.erase(marks_.begin() + index);
  save();
}

void Marks::save() {
  emit changed();
  if (file_.isEmpty() || unreadable_) return;
  if (marks_.empty()) {
    QFile::remove(file_);
    return;
  }
  if (const auto written = write_side_file(file_, write_marks(marks_, origin_)); !written)
    emit problem(tr("Marks cannot be saved to %1: %2").arg(file_, to_qt(to_text(written.error()))));
}

}  // namespace rnnadvisor::gui
