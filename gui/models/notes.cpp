#include "gui/models/notes.h"

#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <array>

#include "gui/models/side_file.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

constexpr int notes_schema = 1;
constexpr qsizetype longest_note = 4000;
constexpr std::array<const char*, 4> state_names = {"", "to_do", "tried", "rejected"};

FindingNote::State state_of(const QString& name) {
  for (std::size_t i = 1; i < state_names.size(); ++i)
    if (name == QLatin1String(state_names[i])) return static_cast<FindingNote::State>(i);
  return FindingNote::State::none;
}

FindingNote note_of(const QJsonObject& entry) {
  return {state_of(entry.value(QStringLiteral("state")).toString()),
          entry.value(QStringLiteral("note")).toString().left(longest_note)};
}

QByteArray bytes_of(const QJsonArray& entries) {
  return QJsonDocument(QJsonObject{{QStringLiteral("schema"), notes_schema},
                                   {QStringLiteral("findings"), entries}})
      .toJson();
}

}  // namespace

QString state_word(FindingNote::State state) {
  switch (state) {
    case FindingNote::State::to_do:
      return Texts::tr("to do");
    case FindingNote::State::tried:
      return Texts::tr("tried");
    case FindingNote::State::rejected:
      return Texts::tr("rejected");
    case FindingNote::State::none:
      break;
  }
  return {};
}

// A finding by what stays when the profile is judged anew. Its configuration also by its name: a
// profile that was recorded anew under this name may have others.
QJsonObject Notes::key(int finding) const {
  if (!document_ || !document_->holds({ItemKind::finding, finding})) return {};
  const FindingKey key = key_of(*document_, finding);
  QJsonObject made{{QStringLiteral("rule"), key.rule},
                   {QStringLiteral("configuration"), key.configuration},
                   {QStringLiteral("among"), key.among}};
  const auto& reports = document_->report().configurations;
  if (key.configuration >= 0 && static_cast<std::size_t>(key.configuration) < reports.size())
    made[QStringLiteral("name")] = to_qt(reports[static_cast<std::size_t>(key.configuration)].name);
  return made;
}

qsizetype Notes::index_of(const QJsonObject& key) const {
  if (key.isEmpty()) return -1;
  for (qsizetype i = 0; i < entries_.size(); ++i) {
    const QJsonObject entry = entries_.at(i).toObject();
    bool same = true;
    for (const auto* name : {"rule", "configuration", "among", "name"}) {
      const QString each = QString::fromLatin1(name);
      same = same && entry.value(each) == key.value(each);
    }
    if (same) return i;
  }
  return -1;
}

Result<QJsonArray> Notes::read() const {
  if (file_.isEmpty() || !QFile::exists(file_)) return QJsonArray();
  const auto bytes = read_side_file(file_);
  if (!bytes) return fail(bytes.error());
  QJsonParseError problem{};
  const QJsonObject whole = QJsonDocument::fromJson(*bytes, &problem).object();
  const auto list = whole.value(QStringLiteral("findings"));
  if (problem.error != QJsonParseError::NoError || !list.isArray())
    return fail(ErrorCode::parse, "it holds no notes on findings", "remove it, or put it right");
  if (whole.value(QStringLiteral("schema")).toInt() > notes_schema)
    return fail(ErrorCode::newer_version, "its notes were written by a newer rnnadvisor");
  return list.toArray();
}

void Notes::take(const QJsonArray& entries) {
  entries_ = entries;
  shown_.clear();
  if (!document_) return;
  for (const auto& value : entries_) {
    const QJsonObject entry = value.toObject();
    const int finding =
        find_finding(*document_, {entry.value(QStringLiteral("rule")).toString(),
                                  entry.value(QStringLiteral("configuration")).toInt(-1),
                                  entry.value(QStringLiteral("among")).toInt()});
    if (finding >= 0 &&
        key(finding).value(QStringLiteral("name")) == entry.value(QStringLiteral("name")))
      shown_[finding] = note_of(entry);
  }
}

void Notes::open(DocumentPointer document) {
  document_ = std::move(document);
  take({});
  file_ = document_ ? side_file(document_->path(), QStringLiteral("notes")) : QString();
  if (auto found = read())
    take(*found);
  else
    emit problem(tr("Notes in %1: %2").arg(file_, to_qt(to_text(found.error()))));
  emit changed();
}

FindingNote Notes::of(int finding) const {
  const auto found = shown_.find(finding);
  return found == shown_.end() ? FindingNote() : found->second;
}

void Notes::set(int finding, const FindingNote& note) {
  QJsonObject entry = key(finding);
  if (entry.isEmpty() || of(finding) == note) return;
  const auto in_file = read();
  if (in_file) entries_ = *in_file;
  const auto index = index_of(entry);
  if (index >= 0) entries_.removeAt(index);
  if (!note.empty()) {
    if (note.state != FindingNote::State::none)
      entry[QStringLiteral("state")] =
          QString::fromLatin1(state_names[static_cast<std::size_t>(note.state)]);
    if (!note.text.isEmpty()) entry[QStringLiteral("note")] = note.text.left(longest_note);
    entries_.append(entry);
  }
  take(QJsonArray(entries_));
  emit changed();
  // What is there and not ours is not written over.
  const Result<void> saved =
      !in_file ? Result<void>(fail(in_file.error())) : write_side_file(file_, bytes_of(entries_));
  if (!saved)
    emit problem(tr("Notes cannot be saved to %1: %2").arg(file_, to_qt(to_text(saved.error()))));
}

void Notes::copy_to(const QString& profile) const {
  const QString file = side_file(profile, QStringLiteral("notes"));
  if (entries_.isEmpty() || file.isEmpty() || QFile::exists(file)) return;
  // The profile that they are of still has them where this fails.
  static_cast<void>(write_side_file(file, bytes_of(entries_)));
}

QString Notes::summary(const advisor::FindingGroup& group) const {
  if (!document_ || shown_.empty()) return {};
  std::array<int, state_names.size()> count{};
  const auto* first = document_->judgement().findings.data();
  for (const auto* finding : group.findings)
    ++count[static_cast<std::size_t>(of(static_cast<int>(finding - first)).state)];
  QStringList parts;
  for (std::size_t i = 1; i < count.size(); ++i) {
    if (count[i] == 0) continue;
    const QString word = state_word(static_cast<FindingNote::State>(i));
    parts << (group.findings.size() > 1 ? QStringLiteral("%1 %2").arg(count[i]).arg(word) : word);
  }
  return parts.join(QStringLiteral(", "));
}

std::vector<advisor::ChecklistRow> Notes::rows() const {
  std::vector<advisor::ChecklistRow> rows;
  for (const auto& [finding, note] : shown_)
    rows.push_back({&document_->judgement().findings[static_cast<std::size_t>(finding)],
                    from_qt(state_word(note.state)), from_qt(note.text)});
  return rows;
}

}  // namespace rnnadvisor::gui
