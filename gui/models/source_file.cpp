#include "gui/models/source_file.h"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSettings>
#include <algorithm>
#include <array>

#include "core/base/shell_words.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

constexpr qint64 most_source_bytes = 8 << 20;
constexpr std::size_t most_source_folders = 20;
// How far above the profile a program's folder is looked for.
constexpr int levels_above = 3;

struct KnownEditor {
  const char* names;  // programs that take a line in the same way
  const char* place;  // empty: it has no window of its own
};
constexpr std::array<KnownEditor, 6> known_editors = {{
    {"code code-insiders codium vscodium cursor windsurf", "--goto {file}:{line}"},
    {"subl sublime_text zed zeditor lapce atom", "{file}:{line}"},
    {"gvim mvim emacs emacsclient gedit gnome-text-editor geany mousepad xed pluma nedit",
     "+{line} {file}"},
    {"kate kwrite pycharm pycharm-community charm idea clion", "--line {line} {file}"},
    {"notepadqq", "--line {line} {file}"},
    {"vi vim nvim view nano pico micro hx helix ed ex joe mcedit ne jed kak", ""},
}};

const KnownEditor* known_editor(const std::string& program) {
  const QString name = QFileInfo(to_qt(program)).fileName();
  for (const auto& each : known_editors)
    if (QString::fromLatin1(each.names).split(QLatin1Char(' ')).contains(name)) return &each;
  return nullptr;
}

bool in_a_terminal(const std::vector<std::string>& words) {
  const auto* known = known_editor(words.front());
  if (known != nullptr && *known->place == '\0') return true;
  return std::any_of(words.begin() + 1, words.end(), [](const std::string& word) {
    return word == "-nw" || word == "-t" || word == "-tty" || word == "--tty" || word == "-T";
  });
}

QString with_slash(QString folder) {
  if (!folder.endsWith(QLatin1Char('/'))) folder += QLatin1Char('/');
  return folder;
}

bool is_file(const QString& path) { return QFileInfo(path).isFile(); }

}  // namespace

std::optional<SourceLine> source_line(const Profile& profile, int site) {
  if (site < 0 || static_cast<std::size_t>(site) >= profile.call_sites.size()) return std::nullopt;
  const auto& at = profile.call_sites[static_cast<std::size_t>(site)];
  if (at.file < 0 || profile.text(at.file).empty()) return std::nullopt;
  return SourceLine{to_qt(profile.text(at.file)), at.line};
}

QString to_string(const SourceLine& line) {
  const QString name = line.file.mid(line.file.lastIndexOf(QLatin1Char('/')) + 1);
  return line.line > 0 ? QStringLiteral("%1:%2").arg(name).arg(line.line) : name;
}

std::vector<SourceFolder> source_folders() {
  QSettings settings;
  std::vector<SourceFolder> folders;
  const int count = settings.beginReadArray(QStringLiteral("source_folders"));
  for (int i = 0; i < std::min(count, static_cast<int>(most_source_folders)); ++i) {
    settings.setArrayIndex(i);
    folders.push_back({settings.value(QStringLiteral("recorded")).toString(),
                       settings.value(QStringLiteral("here")).toString()});
  }
  settings.endArray();
  return folders;
}

SourceFolder folder_of(const QString& recorded, const QString& here) {
  QStringList theirs = QDir::cleanPath(recorded).split(QLatin1Char('/')),
              ours = QDir::cleanPath(here).split(QLatin1Char('/'));
  // The file's own name goes even where it has another one here.
  do {
    theirs.removeLast();
    ours.removeLast();
  } while (theirs.size() > 1 && ours.size() > 1 && theirs.back() == ours.back());
  if (theirs.size() == 1 && !ours.isEmpty() && theirs.front() == ours.back() &&
      !theirs.front().isEmpty()) {
    theirs.clear();
    ours.removeLast();
  }
  QString from = theirs.join(QLatin1Char('/'));
  if (from.isEmpty() && QDir::isAbsolutePath(recorded)) from = QStringLiteral("/");
  return {from, with_slash(ours.join(QLatin1Char('/')))};
}

void remember_source_folder(const SourceFolder& folder) {
  auto folders = source_folders();
  std::erase_if(folders, [&](const auto& each) { return each.recorded == folder.recorded; });
  folders.insert(folders.begin(), folder);
  if (folders.size() > most_source_folders) folders.resize(most_source_folders);
  QSettings settings;
  settings.beginWriteArray(QStringLiteral("source_folders"), static_cast<int>(folders.size()));
  for (std::size_t i = 0; i < folders.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    settings.setValue(QStringLiteral("recorded"), folders[i].recorded);
    settings.setValue(QStringLiteral("here"), folders[i].here);
  }
  settings.endArray();
}

QString find_source(const QString& recorded, const QString& profile,
                    const std::vector<SourceFolder>& folders) {
  const QString path = QDir::cleanPath(recorded);
  if (path.isEmpty()) return {};
  const auto absolute = [](const QString& file) { return QFileInfo(file).absoluteFilePath(); };
  for (const auto& folder : folders) {
    const QString prefix = folder.recorded.isEmpty() ? QString() : with_slash(folder.recorded);
    if (folder.here.isEmpty() || !path.startsWith(prefix) ||
        (prefix.isEmpty() && QDir::isAbsolutePath(path)))
      continue;
    const QString here = with_slash(folder.here) + path.mid(prefix.size());
    if (is_file(here)) return absolute(here);
  }
  if (QDir::isAbsolutePath(path)) return is_file(path) ? path : QString();
  if (!profile.isEmpty() && !profile.startsWith(QLatin1String("sample:"))) {
    QDir folder = QFileInfo(profile).absoluteDir();
    for (int i = 0; i <= levels_above; ++i) {
      if (is_file(folder.filePath(path))) return folder.absoluteFilePath(path);
      if (!folder.cdUp()) break;
    }
  }
  return is_file(path) ? absolute(path) : QString();
}

Result<QStringList> read_source(const QString& path) {
  const auto refuse = [&](const QString& why) {
    return fail(ErrorCode::io, path.toStdString() + ": " + why.toStdString());
  };
  QFile file(path);
  if (!QFileInfo(path).isFile()) return refuse(Texts::tr("there is no such file"));
  if (file.size() > most_source_bytes) return refuse(Texts::tr("it is too large for a program"));
  if (!file.open(QIODevice::ReadOnly)) return refuse(file.errorString());
  const QByteArray bytes = file.read(most_source_bytes + 1);
  if (bytes.contains('\0')) return refuse(Texts::tr("it is not a text"));
  QStringList lines = QString::fromUtf8(bytes).split(QLatin1Char('\n'));
  for (auto& line : lines)
    if (line.endsWith(QLatin1Char('\r'))) line.chop(1);
  if (lines.size() > 1 && lines.back().isEmpty()) lines.removeLast();
  return lines;
}

std::map<int, LineTime> line_times(const Document& document, const QString& recorded) {
  std::map<int, LineTime> times;
  const auto& sites = document.profile().call_sites;
  const std::string file = recorded.toStdString();
  for (const auto& each : document.report().configurations) {
    for (const auto& row : each.call_sites) {
      // A profile may hold anything: no chain is longer than there are sites.
      int site = row.site;
      for (std::size_t steps = 0; site >= 0 && steps < sites.size(); ++steps) {
        const auto& at = sites[static_cast<std::size_t>(site)];
        if (at.line > 0 && at.file >= 0 && document.profile().text(at.file) == file) {
          auto& time = times[at.line];
          time.calls += row.calls;
          if (row.gpu_ms >= 0) time.gpu_ms = std::max(time.gpu_ms, 0.0) + row.gpu_ms;
        }
        site = at.inner;
        if (site >= static_cast<int>(sites.size())) break;
      }
    }
  }
  return times;
}

EditorChoice editor_choice() {
  const QSettings settings;
  const int kind = settings.value(QStringLiteral("editor/kind")).toInt();
  return {static_cast<EditorChoice::Kind>(std::clamp(kind, 0, 2)),
          settings.value(QStringLiteral("editor/command")).toString()};
}

void set_editor_choice(const EditorChoice& choice) {
  QSettings settings;
  settings.setValue(QStringLiteral("editor/kind"), static_cast<int>(choice.kind));
  settings.setValue(QStringLiteral("editor/command"), choice.command);
}

QString environment_editor() {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    const QString command = qEnvironmentVariable(name).trimmed();
    const auto words = split_words(command.toStdString());
    if (!words || words->empty() || in_a_terminal(*words)) continue;
    // $EDITOR is mostly one that needs a terminal: only what is known not to is taken.
    if (known_editor(words->front()) != nullptr || qstrcmp(name, "VISUAL") == 0) return command;
  }
  return {};
}

Result<QStringList> editor_words(const QString& command, const QString& path, int line) {
  auto words = split_words(command.toStdString());
  if (!words) return fail(words.error());
  if (words->empty()) return fail(ErrorCode::invalid_argument, "the editor's command is empty");
  if (!command.contains(QLatin1String("{file}"))) {
    const auto* known = known_editor(words->front());
    const QString place = known != nullptr && *known->place != '\0'
                              ? QString::fromLatin1(known->place)
                              : QStringLiteral("{file}");
    for (const auto& word : place.split(QLatin1Char(' '))) words->push_back(word.toStdString());
  }
  QStringList filled;
  for (const auto& word : *words) {
    // The file last: its name may hold braces.
    QString text = to_qt(word).replace(QLatin1String("{line}"), QString::number(std::max(1, line)));
    filled << text.replace(QLatin1String("{file}"), path);
  }
  return filled;
}

}  // namespace rnnadvisor::gui
