#include "gui/models/comparison.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

TEST(ComparisonModel, KeepsItsPromises) {
  ComparisonModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  model.set_comparison(compare_documents(sample("guide-figure-9"), sample("guide-figure-10")));
  EXPECT_GT(model.rowCount(), 0);
  model.set_comparison({});
  EXPECT_EQ(model.rowCount(), 0);
}

TEST(CallsWord, SaysHowManyCallsBecameHowMany) {
  EXPECT_EQ(calls_word({{{0, 1}}, {{0, 1}, {1, 1}}}), QStringLiteral("1 → 2 calls"));
  EXPECT_EQ(calls_word({{{0, 1}}, {{0, 1}}}), QString());
}

TEST(PartWord, NamesARoleOrWaiting) {
  EXPECT_EQ(part_word({KernelRole::pointwise}), QStringLiteral("pointwise"));
  EXPECT_EQ(part_word({}), QStringLiteral("GPU idle"));
}

TEST(CallMatchesModel, KeepsItsPromises) {
  CallMatchesModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const auto c =
      compare_documents(sample("programs/pytorch-two-layers"), sample("programs/pytorch-gru"));
  model.set_comparison(&c);
  ASSERT_EQ(model.rowCount(), static_cast<int>(c.calls.size()));
  ASSERT_GT(model.rowCount(), 0);
  for (int column = 0; column < CallMatchesModel::columns; ++column)
    EXPECT_FALSE(model.index(0, column).data().toString().isEmpty()) << column;
  model.set_comparison(nullptr);
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace rnnadvisor::gui
