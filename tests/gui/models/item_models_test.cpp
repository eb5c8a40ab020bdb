#include "gui/models/item_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QAbstractItemModelTester>
#include <QTextDocument>

#include "advisor/report/verdict.h"
#include "advisor/report/words.h"
#include "gui/models/pages.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

constexpr auto fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

template <class Model>
class ItemModelTest : public testing::Test {};

template <class Model>
void fill(Model& model, const DocumentPointer& document) {
  if constexpr (std::is_same_v<Model, RulesModel>) {
    model.set_rules(document ? test_rules() : nullptr);
  } else {
    model.set_document(document);
  }
}

using Models = testing::Types<FindingsModel, VerdictsModel, ConfigurationsModel, RulesModel>;
TYPED_TEST_SUITE(ItemModelTest, Models);

TYPED_TEST(ItemModelTest, KeepsItsPromises) {
  TypeParam model;
  WordsFilter filter;
  filter.setSourceModel(&model);
  QAbstractItemModelTester tester(&model, fatal), filter_tester(&filter, fatal);
  EXPECT_EQ(model.rowCount(), 0);
  for (const char* name : {"programs/pytorch-two-layers", "guide-figure-10", "planted-failures"}) {
    fill(model, sample(name));
    EXPECT_GT(model.rowCount(), 0) << name;
    filter.set_words(QStringLiteral("persist"));
    filter.set_words({});
    filter.sort(0, Qt::DescendingOrder);
    filter.sort(-1);
    const QAbstractItemModel& plain = model;
    for (int r = 0; r < plain.rowCount(); ++r) {
      for (int c = 0; c < plain.columnCount(); ++c)
        EXPECT_TRUE(plain.index(r, c).data().isValid()) << name << ' ' << r << ' ' << c;
    }
  }
  fill(model, nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(FindingsModel, OneRowForEachRule) {
  FindingsModel model;
  const auto document = sample("guide-figure-10");
  model.set_document(document);
  EXPECT_EQ(model.rowCount(), static_cast<int>(document->report().actions.size() +
                                               document->report().remarks.size()));
  const auto& findings = document->judgement().findings;
  for (std::size_t i = 0; i < findings.size(); ++i) {
    const int row = model.row_of(static_cast<int>(i));
    ASSERT_GE(row, 0);
    EXPECT_EQ(model.index(row).data(RuleRole).toString().toStdString(), findings[i].rule_id);
  }
  EXPECT_EQ(model.row_of(-1), -1);
  EXPECT_EQ(model.row_of(static_cast<int>(findings.size())), -1);
}

// A card's title is what is wrong: of a rule that passed it would say the opposite.
TEST(VerdictsModel, RulesThatPassedReadAsTheGoodState) {
  const auto document = sample("programs/pytorch-two-layers");
  VerdictsModel model;
  model.set_document(document, -1);
  int passed = 0;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString id = model.index(row).data(RuleRole).toString();
    const auto* rule = document->rules().find(id.toStdString());
    ASSERT_NE(rule, nullptr);
    const bool only_passed =
        model.index(row, VerdictsModel::passed).data(SortRole).toInt() > 0 &&
        model.index(row, VerdictsModel::fired).data(SortRole).toInt() == 0 &&
        model.index(row, VerdictsModel::told_by_another).data(SortRole).toInt() == 0;
    const QString title = model.index(row, VerdictsModel::rule).data().toString();
    if (only_passed && !rule->title_passed.empty()) {
      EXPECT_FALSE(title.startsWith(to_qt(rule->title))) << title.toStdString();
      ++passed;
    }
  }
  EXPECT_GT(passed, 10);
}

TEST(ConfigurationsModel, NamesAGainThatOnlyAnotherModelReaches) {
  // Of some layers nothing but another batch has a number.
  int gains = 0, named = 0;
  for (const char* name : {"guide-figure-7", "deepbench"}) {
    const auto document = sample(name);
    ConfigurationsModel model;
    model.set_document(document);
    for (const auto& each : document->report().configurations) {
      const QString shown = model.index(each.index, ConfigurationsModel::gain).data().toString();
      const bool other = each.best_gain() <= 1.0005 && each.model_gain() > 1.0005;
      EXPECT_EQ(shown.contains(QStringLiteral("another model")), other) << name;
      EXPECT_EQ(shown.contains(QStringLiteral("×")), each.best_gain() > 1.0005 || other) << name;
      gains += each.best_gain() > 1.0005 ? 1 : 0;
      named += other ? 1 : 0;
    }
  }
  EXPECT_GT(gains, 0);
  EXPECT_GT(named, 0);
}

// What it saves of a step stands in the list as in the overview and on the page.
TEST(FindingsModel, SaysWhatEachSaves) {
  int known = 0;
  for (const char* name : {"programs/pytorch-two-layers", "programs/pytorch-gru"}) {
    const auto document = sample(name);
    FindingsModel model;
    model.set_document(document);
    const auto& actions = document->report().actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const QString shown = model.index(static_cast<int>(i)).data(SubtitleRole).toString();
      const auto& saving = actions[i].first().saving;
      if (!saving || saving->share <= 0 || actions[i].findings.size() > 1) continue;
      ++known;
      EXPECT_TRUE(shown.contains(to_qt(advisor::words::percent(saving->share))))
          << shown.toStdString();
      EXPECT_EQ(shown.contains(QStringLiteral("ms a step")), saving->step_ms > 0);
    }
  }
  EXPECT_GT(known, 1);
}

// As the headline and every report write it, also where another model alone reaches it.
TEST(FindingsModel, FactorsHaveOneSign) {
  FindingsModel model;
  model.set_document(sample("programs/pytorch-two-layers"));
  int factors = 0, of_another_model = 0;
  for (int row = 0; row < model.rowCount(); ++row) {
    const QString gain = model.index(row).data(GainRole).toString();
    if (gain.isEmpty() || !gain.front().isDigit()) continue;
    EXPECT_TRUE(gain.endsWith(QStringLiteral("×"))) << gain.toStdString();
    ++factors;
    of_another_model += model.index(row).data(AnotherModelRole).toBool() ? 1 : 0;
  }
  EXPECT_GT(factors, 1);
  EXPECT_GT(of_another_model, 0);
}

// The list's numbers are of the same thing as the headline's: of a program's whole step.
TEST(FindingsModel, TheHeadlinesGainStandsInTheList) {
  int in_steps = 0;
  for (const char* name : {"programs/pytorch-two-layers", "programs/pytorch-equal-lengths",
                           "programs/pytorch-language-model", "programs/pytorch-speech-encoder",
                           "programs/pytorch-slow-loader"}) {
    const auto document = sample(name);
    FindingsModel model;
    model.set_document(document);
    const auto& report = document->report();
    const auto* first = advisor::first_gain(report.findings);
    ASSERT_NE(first, nullptr) << name;
    const int row = model.row_of(static_cast<int>(first - document->judgement().findings.data()));
    const std::string shown = model.index(row).data(GainRole).toString().toStdString();
    EXPECT_THAT(advisor::headline_of(report), testing::HasSubstr(' ' + shown)) << name;
    in_steps += advisor::step_gain(*first) ? 1 : 0;
  }
  EXPECT_GT(in_steps, 1);
}

TEST(FindingsModel, ShowsCodeOfCardsAsPlainText) {
  advisor::RuleSet rules = *test_rules();
  for (auto& rule : rules.rules) {
    rule.title = "A `title`";
    rule.message = "Use `rnnadvisor run`, not `<script>`, 5` wide";
  }
  const auto shared = std::make_shared<const advisor::RuleSet>(rules);
  FindingsModel model;
  model.set_document(std::make_shared<const Document>(
      Profile(sample("programs/pytorch-two-layers")->profile()), shared, QStringLiteral("x")));
  ASSERT_GT(model.rowCount(), 0);
  const auto index = model.index(0);
  EXPECT_EQ(index.data().toString(), QStringLiteral("A title"));
  EXPECT_TRUE(index.data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("A title")));
  // As HTML, because Qt would take the tag for one.
  QTextDocument tip;
  tip.setHtml(index.data(Qt::ToolTipRole).toString());
  EXPECT_EQ(tip.toPlainText(), QStringLiteral("Use rnnadvisor run, not <script>, 5` wide"));
  EXPECT_TRUE(index.data(MatchRole).toString().contains(QStringLiteral("Use rnnadvisor run,")));
  RulesModel all;
  all.set_rules(shared);
  EXPECT_EQ(all.index(0).data().toString(), QStringLiteral("A title"));
}

TEST(VerdictsModel, NoVerdictIsLost) {
  VerdictsModel model;
  const auto document = sample("guide-figure-10");
  model.set_document(document);
  int sum = 0;
  for (const int n : model.totals()) sum += n;
  EXPECT_EQ(sum, static_cast<int>(document->judgement().verdicts.size()));
  EXPECT_EQ(model.rowCount(), static_cast<int>(test_rules()->rules.size()));
  model.set_document(document, 0);
  sum = 0;
  for (const int n : model.totals()) sum += n;
  EXPECT_EQ(sum, static_cast<int>(test_rules()->rules.size()));
}

TEST(VerdictsModel, AWordStandsForTheCountsOfOneConfiguration) {
  VerdictsModel model;
  model.set_document(sample("programs/pytorch-two-layers"));
  std::map<QString, int> words;
  int last = -1;
  for (int row = 0; row < model.rowCount(); ++row) {
    const auto index = model.index(row, VerdictsModel::verdict);
    ++words[index.data().toString()];
    const int order = index.data(SortRole).toInt();
    EXPECT_GT(model.index(row, order).data().toInt(), 0) << row;
    last = std::max(last, order);
  }
  const auto totals = model.totals();
  EXPECT_EQ(words[QStringLiteral("Fired")],
            totals[static_cast<std::size_t>(advisor::VerdictKind::fired)]);
  EXPECT_EQ(words[QStringLiteral("Not decided")],
            totals[static_cast<std::size_t>(advisor::VerdictKind::unknown)]);
  EXPECT_LE(last, static_cast<int>(VerdictsModel::unknown));
}

TEST(FindingsModel, SaysHowManyConfigurationsBeforeAllElse) {
  FindingsModel model;
  model.set_document(sample("deepbench"));
  ASSERT_GT(model.rowCount(), 0);
  for (int row = 0; row < model.rowCount(); ++row) {
    const auto index = model.index(row);
    const QString count = index.data(CountRole).toString();
    EXPECT_TRUE(index.data(SubtitleRole).toString().startsWith(count + QLatin1Char(' '))) << row;
    // What the sign says to the eye, the accessible text says to the ear.
    EXPECT_TRUE(index.data(Qt::AccessibleTextRole)
                    .toString()
                    .startsWith(severity_word(
                        static_cast<advisor::Severity>(index.data(SeverityRole).toInt()))));
  }
}

TEST(WordsFilter, WantsEveryWordAndTheKind) {
  const auto document = sample("programs/pytorch-two-layers");
  VerdictsModel model;
  model.set_document(document);
  WordsFilter filter;
  filter.setSourceModel(&model);
  filter.set_words(QStringLiteral("MULTIPLE batch"));
  EXPECT_GT(filter.rowCount(), 0);
  EXPECT_LT(filter.rowCount(), model.rowCount());
  filter.set_words({});
  filter.set_kind(static_cast<int>(advisor::VerdictKind::fired));
  // As `rnnadvisor report` counts them.
  EXPECT_EQ(filter.rowCount(), document->report().configurations.front().fired);
}

}  // namespace
}  // namespace rnnadvisor::gui
