#include "gui/models/trial.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include "advisor/change/accelerating.h"
#include "advisor/report/words.h"
#include "advisor/whatif/candidates.h"
#include "advisor/whatif/torch/torch_candidates.h"
#include "core/base/shell_words.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

// Far beyond what a person tries of one profile; ends the search for a name.
constexpr int most_names = 10000;

}  // namespace

FindingKey key_of(const Document& document, int finding) {
  const auto& all = document.judgement().findings;
  const auto& wanted = all[static_cast<std::size_t>(finding)];
  FindingKey key{to_qt(wanted.rule_id), wanted.configuration, 0};
  for (int i = 0; i < finding; ++i) {
    const auto& each = all[static_cast<std::size_t>(i)];
    if (each.rule_id == wanted.rule_id && each.configuration == wanted.configuration) ++key.among;
  }
  return key;
}

int find_finding(const Document& document, const FindingKey& key) {
  const auto& all = document.judgement().findings;
  const auto rule = key.rule.toStdString();
  int among = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].rule_id != rule || all[i].configuration != key.configuration) continue;
    if (among++ == key.among) return static_cast<int>(i);
  }
  return -1;
}

ToldTrial find_trial(const Document& document, int configuration,
                     std::vector<advisor::Transform> changes) {
  changes = advisor::in_order(changes);
  const auto& all = document.judgement().findings;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].configuration != configuration) continue;
    for (std::size_t n = 0; n < all[i].suggestions.size(); ++n) {
      const auto& each = all[i].suggestions[n];
      if (each.trial && each.transform && advisor::in_order(changes_of(each)) == changes)
        return {static_cast<int>(i), static_cast<int>(n)};
    }
  }
  return {};
}

bool TrialSubject::is(const Document& document, int finding_index, int suggestion_index) const {
  return suggestion == suggestion_index && profile == document.path() &&
         document.holds({ItemKind::finding, finding_index}) &&
         key_of(document, finding_index) == finding;
}

namespace {

// What stands in the way of both.
QString nothing_to_apply(const Document& document, int finding, int suggestion) {
  if (!document.holds({ItemKind::finding, finding})) return Texts::tr("the finding is gone");
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  const auto n = static_cast<std::size_t>(suggestion);
  if (suggestion < 0 || n >= found.suggestions.size() || !found.suggestions[n].transform)
    return Texts::tr("it names no change that can be applied by a program");
  const auto& profile = document.profile();
  const auto c = static_cast<std::size_t>(found.configuration);
  if (found.configuration < 0 || c >= profile.configurations.size())
    return Texts::tr("it is not about one configuration");
  const auto& configuration = profile.configurations[c];
  if (!configuration.described()) return Texts::tr("not everything of the configuration is known");
  const auto d = static_cast<std::size_t>(configuration.device);
  if (configuration.device < 0 || d >= profile.devices.size())
    return Texts::tr("the profile does not say on which GPU it ran");
  return {};
}

}  // namespace

bool below_framework(const Document& document, int configuration,
                     const advisor::Suggestion& suggestion) {
  const auto& configurations = document.profile().configurations;
  const auto c = static_cast<std::size_t>(configuration);
  if (configuration < 0 || c >= configurations.size()) return false;
  const auto& own = configurations[c];
  return advisor::accelerate_does(changes_of(suggestion), own.program.name, own.config,
                                  own.program);
}

std::optional<AccelerateCommand> accelerate_command(const advisor::Suggestion& suggestion) {
  // One that was not recorded is "<program>", which no shell takes for a word.
  const auto words = split_words(suggestion.code);
  if (!words || words->size() < 4 || (*words)[0] != "rnnadvisor" || (*words)[1] != "accelerate")
    return std::nullopt;
  AccelerateCommand command;
  const auto dashes = std::find(words->begin(), words->end(), "--");
  if (dashes == words->end() || dashes + 1 == words->end()) return std::nullopt;
  for (auto word = words->begin() + 2; word != dashes; ++word) command.options << to_qt(*word);
  for (auto word = dashes + 1; word != words->end(); ++word) command.program << to_qt(*word);
  return command;
}

bool for_torch(const Document& document, int finding) {
  if (!document.holds({ItemKind::finding, finding})) return false;
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  const auto c = static_cast<std::size_t>(found.configuration);
  return found.configuration >= 0 && c < document.profile().configurations.size() &&
         advisor::of_pytorch(document.profile(), found.configuration);
}

QString cannot_try_in_torch(const Document& document, int finding, int suggestion) {
  if (QString why = nothing_to_apply(document, finding, suggestion); !why.isEmpty()) return why;
  if (!for_torch(document, finding)) return Texts::tr("it is not about a program in PyTorch");
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  const auto& profile = document.profile();
  const auto c = static_cast<std::size_t>(found.configuration);
  advisor::ProposeOptions options;
  options.rule = found.rule_id;
  options.only = changes_of(found.suggestions[static_cast<std::size_t>(suggestion)]);
  const auto proposal = advisor::propose_for_torch(
      profile, found.configuration, std::span(&found, 1),
      profile.devices[static_cast<std::size_t>(profile.configurations[c].device)], options);
  if (!proposal.candidates.empty()) return {};
  return proposal.dropped.empty() ? Texts::tr("it names no change that can be applied by a program")
                                  : to_qt(advisor::words::clean(proposal.dropped.front().reason));
}

QString cannot_try(const Document& document, int finding, int suggestion) {
  if (QString why = nothing_to_apply(document, finding, suggestion); !why.isEmpty()) return why;
  const auto& found = document.judgement().findings[static_cast<std::size_t>(finding)];
  const auto& profile = document.profile();
  const auto& configuration = profile.configurations[static_cast<std::size_t>(found.configuration)];
  const auto d = static_cast<std::size_t>(configuration.device);
  const auto changes = changes_of(found.suggestions[static_cast<std::size_t>(suggestion)]);
  if (advisor::widest_meaning(changes) == advisor::Meaning::model)
    return Texts::tr(
        "it makes another model, which the window does not try by itself; rnnadvisor advise "
        "--verify --allow model does");
  if (below_framework(document, found.configuration,
                      found.suggestions[static_cast<std::size_t>(suggestion)]))
    return Texts::tr(
        "the window does not start the program again; the command measures it in the program");
  const auto candidate = advisor::make_candidate(changes, found.rule_id, profile,
                                                 found.configuration, profile.devices[d], {});
  return candidate ? QString() : to_qt(advisor::words::clean(candidate.error().message));
}

QString verified_profile_path(const QString& profile, const QString& data_folder) {
  const QFileInfo file(profile);
  static const QRegularExpression ending(QStringLiteral("(\\.verified(-\\d+)?)?(\\.rnnprof)?$"));
  QString stem = file.fileName().section(QLatin1Char(':'), -1);
  stem.truncate(ending.match(stem).capturedStart());
  QString folder = file.absolutePath();
  if (profile.startsWith(QLatin1String("sample:")) || !QFileInfo(folder).isWritable()) {
    folder = data_folder;
    if (!QDir().mkpath(folder) || !QFileInfo(folder).isWritable()) return {};
  }
  for (int n = 1; n < most_names; ++n) {
    const QString name = stem + (n == 1 ? QStringLiteral(".verified.rnnprof")
                                        : QStringLiteral(".verified-%1.rnnprof").arg(n));
    const QString path = QDir(folder).filePath(name);
    if (!QFileInfo::exists(path)) return path;
  }
  return {};
}

}  // namespace rnnadvisor::gui
