#include "gui/models/partners.h"

#include <QDir>
#include <QFileInfo>
#include <algorithm>
#include <optional>
#include <set>

#include "advisor/compare/comparison.h"
#include "advisor/report/words.h"
#include "gui/texts.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::gui {
namespace {

const QLatin1String sample_prefix("sample:");

// From the head of a file; nothing where it is no profile. A small file is read as a whole.
std::optional<Environment> environment_of(const QString& path) {
  std::optional<Environment> found;
  ProfileReadOptions options;
  options.outline = [&](const Profile& outline) { found = outline.environment; };
  options.keep_going = [&](double) { return !found; };
  // What damages the records damages no head: an error behind it does not matter.
  static_cast<void>(read_profile(path.toStdString(), options));
  return found;
}

QString heading_of(PartnerKind kind) {
  switch (kind) {
    case PartnerKind::counterpart:
      return Texts::tr("The sample from before or after the change");
    case PartnerKind::same_command:
      return Texts::tr("The same command, in this folder");
    case PartnerKind::recent:
      return Texts::tr("Recent");
    case PartnerKind::sample:
      return Texts::tr("Samples");
  }
  return {};
}

}  // namespace

std::vector<Partner> of_same_command(const QString& path, const std::string& command_line,
                                     const std::function<bool()>& keep_going) {
  const auto program = compare::program_of(command_line);
  if (program.empty() || path.startsWith(sample_prefix)) return {};
  const QFileInfo own(path);
  QDir folder = own.absoluteDir();
  const auto files =
      folder.entryInfoList({QStringLiteral("*.rnnprof")}, QDir::Files | QDir::Readable, QDir::Time);
  struct Found {
    std::string created;
    Partner partner;
  };
  std::vector<Found> found;
  int looked_at = 0;
  for (const auto& file : files) {
    if (file.canonicalFilePath() == own.canonicalFilePath()) continue;
    if (++looked_at > most_looked_at || (keep_going && !keep_going())) break;
    const auto environment = environment_of(file.absoluteFilePath());
    if (!environment || compare::program_of(environment->command_line) != program) continue;
    const QString when = readable_date(to_qt(advisor::words::clean(environment->created)));
    found.push_back(
        {environment->created,
         {PartnerKind::same_command, file.absoluteFilePath(), file.fileName(),
          when.isEmpty() ? to_qt(advisor::words::clean(program))
                         : Texts::tr("%1, %2").arg(when, to_qt(advisor::words::clean(program)))}});
  }
  // By when it was recorded; what does not say so stays behind, the file written last first.
  std::stable_sort(found.begin(), found.end(),
                   [](const Found& a, const Found& b) { return a.created > b.created; });
  std::vector<Partner> partners;
  for (auto& each : found) partners.push_back(std::move(each.partner));
  return partners;
}

std::vector<Partner> partners_of(const QString& path, const std::vector<Partner>& beside,
                                 const QList<SeenFile>& recent) {
  std::vector<Partner> all;
  std::set<QString> there = {path};
  const auto add = [&](Partner partner) {
    if (there.insert(partner.path).second) all.push_back(std::move(partner));
  };
  const auto list = samples();
  const auto own = std::find_if(list.begin(), list.end(), [&](const Sample& each) {
    return path == sample_prefix + each.name;
  });
  for (const auto& each : list) {
    if (own == list.end() || (each.name != own->before && each.before != own->name)) continue;
    add({PartnerKind::counterpart, sample_prefix + each.name, each.title, each.description});
  }
  for (const auto& each : beside) add(each);
  for (const auto& seen : recent) {
    const QFileInfo file(seen.path);
    if (file.exists()) add({PartnerKind::recent, seen.path, file.fileName(), file.absolutePath()});
  }
  for (const auto& each : list)
    add({PartnerKind::sample, sample_prefix + each.name, each.title, each.description});
  return all;
}

PartnersModel::PartnersModel(QObject* parent) : ColumnModel(parent) {
  describe({{tr("Profile"), [](const Partner& of) -> QVariant { return of.title; }}},
           {{SubtitleRole, [](const Partner& of) -> QVariant { return of.about; }},
            {SectionRole, [](const Partner& of) -> QVariant { return heading_of(of.kind); }},
            {Qt::ToolTipRole, [](const Partner& of) -> QVariant { return of.path; }},
            {Qt::AccessibleTextRole,
             [](const Partner& of) -> QVariant {
               return QStringLiteral("%1. %2. %3").arg(of.title, of.about, heading_of(of.kind));
             }},
            {MatchRole, [](const Partner& of) -> QVariant {
               return of.title + QLatin1Char(' ') + of.path + QLatin1Char(' ') + of.about;
             }}});
}

void PartnersModel::set_partners(std::vector<Partner> partners) {
  reset([&](auto& rows) { rows = std::move(partners); });
}

}  // namespace rnnadvisor::gui
