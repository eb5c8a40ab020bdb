#include "gui/models/trial.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTextDocument>

#include "advisor/change/compose.h"
#include "gui/models/pages.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

QString words_of(const QString& html) {
  QTextDocument document;
  document.setHtml(html);
  return document.toPlainText().remove(QChar(0x200b));
}

Experiment split_layers(ExperimentVerdict verdict, double speedup) {
  Experiment made;
  made.configuration = 0;
  made.device = 0;
  made.where = "cudnn";
  made.meaning = "exact";
  made.transforms = R"([{"kind":"split_layers","parameters":{}}])";
  made.verdict = verdict;
  ExperimentTiming timing;
  timing.scope = ExperimentScope::training_step;
  timing.before_ms = {2.0 * speedup, 1.9 * speedup, 2.1 * speedup, 0.95, 30};
  timing.after_ms = {2.0, 1.9, 2.1, 0.95, 30};
  timing.speedup = speedup;
  timing.speedup_low = speedup - 0.04;
  timing.speedup_high = speedup + 0.04;
  timing.control_low = 0.99;
  timing.control_high = 1.01;
  made.timings = {timing};
  made.memory_before = 100 << 20;
  made.memory_after = 60 << 20;
  made.shifts = {{"dx", 2.1e-4, -1, -1}};
  return made;
}

// A trial belongs to one finding, even where two would propose the change.
TEST(Trial, IsFoundAtItsFinding) {
  const auto before = sample("programs/cpp-lstm");
  Profile profile = before->profile();
  Experiment made = split_layers(ExperimentVerdict::confirmed, 3.0);
  made.transforms = R"([{"kind":"algo","parameters":{"value":"standard"}}])";
  profile.experiments = {made};
  const Document after(std::move(profile), test_rules(), QStringLiteral("x"));
  const auto changes = advisor::parse_transforms(made.transforms);
  ASSERT_TRUE(changes);
  const ToldTrial told = find_trial(after, 0, *changes);
  ASSERT_GE(told.finding, 0);
  const auto& finding = after.judgement().findings[static_cast<std::size_t>(told.finding)];
  EXPECT_EQ(finding.suggestions.at(static_cast<std::size_t>(told.suggestion)).trial->speedup, 3.0);
  // Not of another configuration, nor of what was not tried.
  EXPECT_EQ(find_trial(after, 1, *changes).finding, -1);
  EXPECT_EQ(find_trial(after, 0, {}).finding, -1);
  EXPECT_EQ(find_trial(*before, 0, *changes).finding, -1);
}

TEST(Trial, AFindingIsFoundAgainWhenItsOrderChanged) {
  const auto before = sample("programs/pytorch-two-layers");
  const FindingKey key = key_of(*before, 0);
  EXPECT_EQ(key.rule, QStringLiteral("pytorch/split-stack"));
  Profile profile = before->profile();
  profile.experiments = {split_layers(ExperimentVerdict::refuted, 0.5)};
  const Document after(std::move(profile), test_rules(), QStringLiteral("x"));
  const int now = find_finding(after, key);
  // A refuted one comes last.
  ASSERT_GT(now, 0);
  EXPECT_EQ(after.judgement().findings[static_cast<std::size_t>(now)].rule_id,
            "pytorch/split-stack");
  EXPECT_EQ(find_finding(after, {QStringLiteral("no/such"), 0, 0}), -1);
  EXPECT_EQ(find_finding(after, {key.rule, key.configuration, 7}), -1);
}

TEST(Trial, EveryKeyLeadsBackToItsFinding) {
  for (const char* name : {"programs/pytorch-two-layers", "planted-failures", "guide-figure-10"}) {
    const auto document = sample(name);
    for (int i = 0; document->holds({ItemKind::finding, i}); ++i)
      EXPECT_EQ(find_finding(*document, key_of(*document, i)), i) << name;
  }
}

TEST(Trial, SaysWhatCannotBeTried) {
  const auto document = sample("programs/pytorch-two-layers");
  EXPECT_TRUE(cannot_try(*document, 0, 1).isEmpty()) << cannot_try(*document, 0, 1).toStdString();
  EXPECT_TRUE(cannot_try(*document, 0, 0).contains(QStringLiteral("the command measures it")));
  EXPECT_FALSE(cannot_try(*document, 0, 99).isEmpty());
  EXPECT_FALSE(cannot_try(*document, 9999, 0).isEmpty());
}

// Every suggestion that names a change either can be tried or says why not.
TEST(Trial, EverySuggestionHasItOrTheReason) {
  int links = 0;
  for (const char* name : {"programs/pytorch-two-layers", "planted-failures", "guide-figure-10"}) {
    const auto document = sample(name);
    for (int i = 0; document->holds({ItemKind::finding, i}); ++i) {
      const QString html = finding_page(*document, i, light_theme());
      const auto& finding = document->judgement().findings[static_cast<std::size_t>(i)];
      for (std::size_t n = 0; n < finding.suggestions.size(); ++n) {
        const int number = static_cast<int>(n);
        const bool link = html.contains(QStringLiteral("\"trial:%1/%2\"").arg(i).arg(number));
        if (withdrawn(finding, finding.suggestions[n])) {
          EXPECT_FALSE(link) << "measuring refuted it: " << name << ' ' << i;
          continue;
        }
        EXPECT_EQ(link, cannot_try(*document, i, number).isEmpty()) << name << ' ' << i;
        const bool torch = html.contains(QStringLiteral("\"torch:%1/%2\"").arg(i).arg(number));
        EXPECT_EQ(torch, cannot_try_in_torch(*document, i, number).isEmpty()) << name << ' ' << i;
        if (finding.suggestions[n].transform && !link && !torch) {
          // Why, or the run of the program itself that takes its place.
          const QString run = QStringLiteral("\"accelerate:%1/%2\"").arg(i).arg(number);
          EXPECT_TRUE(html.contains(QStringLiteral("Cannot be tried: ")) || html.contains(run))
              << name << ' ' << i;
          EXPECT_EQ(html.contains(run), accelerate_command(finding.suggestions[n]).has_value())
              << name << ' ' << i;
        }
        links += link ? 1 : 0;
      }
    }
  }
  EXPECT_GT(links, 10);
}

// A graph of the module is nothing that cuDNN's calls alone could try, and PyTorch can.
TEST(Trial, PyTorchTriesMore) {
  int more = 0, plain = 0;
  for (const char* name : {"programs/pytorch-two-layers", "programs/pytorch-gru"}) {
    const auto document = sample(name);
    for (int i = 0; document->holds({ItemKind::finding, i}); ++i) {
      const auto& finding = document->judgement().findings[static_cast<std::size_t>(i)];
      for (int n = 0; n < static_cast<int>(finding.suggestions.size()); ++n)
        more += cannot_try_in_torch(*document, i, n).isEmpty() ? 1 : 0;
    }
  }
  EXPECT_GT(more, 2);
  const auto other = sample("guide-figure-10");
  for (int i = 0; other->holds({ItemKind::finding, i}); ++i)
    plain += for_torch(*other, i) || cannot_try_in_torch(*other, i, 0).isEmpty() ? 1 : 0;
  EXPECT_EQ(plain, 0);
}

TEST(Trial, ThePageSaysWhatWasMeasured) {
  Profile profile = sample("programs/pytorch-two-layers")->profile();
  profile.experiments = {split_layers(ExperimentVerdict::confirmed, 1.44)};
  const Document document(std::move(profile), test_rules(), QStringLiteral("x"));
  const int finding = find_finding(document, {QStringLiteral("pytorch/split-stack"), 0, 0});
  ASSERT_GE(finding, 0);
  const QString text = words_of(finding_page(document, finding, light_theme()));
  for (const char* part : {"Tried: confirmed", "1.44× (1.40 to 1.48)", "2.88 ms", "2.00 ms",
                           "saves 40.0 MiB", "dx 2.1e-04", "Try it again"})
    EXPECT_TRUE(text.contains(QString::fromUtf8(part))) << part << '\n' << text.toStdString();
}

TEST(Trial, ThePageSaysHowItStands) {
  const auto document = sample("programs/pytorch-two-layers");
  TrialState state;
  state.subject = {document->path(), key_of(*document, 0), 0, false};
  state.is = TrialState::Is::running;
  QString html = finding_page(*document, 0, dark_theme(), &state);
  EXPECT_TRUE(html.contains(QStringLiteral("trial:end")));
  EXPECT_FALSE(html.contains(QStringLiteral("\"trial:0/0\"")));
  // Of another finding: not now, and why.
  for (int i = 1; document->holds({ItemKind::finding, i}); ++i) {
    const QString other = finding_page(*document, i, dark_theme(), &state);
    EXPECT_FALSE(other.contains(QStringLiteral("\"trial:")));
    const auto& suggestions =
        document->judgement().findings[static_cast<std::size_t>(i)].suggestions;
    bool any = false;
    for (int n = 0; n < static_cast<int>(suggestions.size()); ++n)
      any |=
          cannot_try(*document, i, n).isEmpty() || cannot_try_in_torch(*document, i, n).isEmpty();
    EXPECT_EQ(other.contains(QStringLiteral("available when the current trial finishes")), any);
  }
  state.is = TrialState::Is::failed;
  state.problem = QStringLiteral("No <GPU>.");
  state.remedy = QStringLiteral("Get one.");
  state.command = QStringLiteral("rnnadvisor advise 'a b.rnnprof'");
  state.take = QStringLiteral("/x/a b.rnnprof");
  html = finding_page(*document, 0, light_theme(), &state);
  for (const char* part : {"No <GPU>.", "Get one.", "rnnadvisor advise 'a b.rnnprof'",
                           "/x/a b.rnnprof", "Copy the command", "Try it again"})
    EXPECT_TRUE(words_of(html).contains(QString::fromUtf8(part))) << part;
  EXPECT_TRUE(html.contains(QStringLiteral("trial:command")));
  EXPECT_FALSE(
      finding_page(*document, 1, light_theme(), &state).contains(QStringLiteral("trial:command")));
}

TEST(Trial, TheNewProfileReplacesNoFile) {
  QTemporaryDir folder;
  const QString data = folder.filePath(QStringLiteral("data/tried"));
  const QString run = folder.filePath(QStringLiteral("my run.rnnprof"));
  const auto touch = [](const QString& path) {
    QFile file(path);
    EXPECT_TRUE(file.open(QIODevice::WriteOnly));
  };
  const QString first = verified_profile_path(run, data);
  EXPECT_EQ(first, folder.filePath(QStringLiteral("my run.verified.rnnprof")));
  touch(first);
  const QString second = verified_profile_path(run, data);
  EXPECT_EQ(second, folder.filePath(QStringLiteral("my run.verified-2.rnnprof")));
  touch(second);
  // From one that was tried already.
  EXPECT_EQ(verified_profile_path(second, data),
            folder.filePath(QStringLiteral("my run.verified-3.rnnprof")));
  EXPECT_EQ(verified_profile_path(QStringLiteral("sample:programs/pytorch-gru"), data),
            data + QStringLiteral("/pytorch-gru.verified.rnnprof"));
  EXPECT_EQ(verified_profile_path(QStringLiteral("/proc/no/run.rnnprof"), data),
            data + QStringLiteral("/run.verified.rnnprof"));
  EXPECT_TRUE(
      verified_profile_path(QStringLiteral("sample:gnmt"), QStringLiteral("/proc/no")).isEmpty());
}

}  // namespace
}  // namespace rnnadvisor::gui
