#include "gui/models/events_model.h"

#include <gtest/gtest.h>

#include <QAbstractItemModelTester>

#include "gui/models/link.h"
#include "tests/gui/documents.h"

namespace rnnadvisor::gui {
namespace {

TEST(EventsModel, ListsWhatHasTheSameName) {
  const auto document = sample("programs/pytorch-two-layers");
  const auto& kernels = document->profile().kernels;
  EventsModel model;
  QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
  const Item of{ItemKind::kernel, 5000};
  model.show_like(document, of);
  const int name = kernels.name[5000];
  const auto count = std::count(kernels.name.begin(), kernels.name.end(), name);
  EXPECT_EQ(model.rowCount(), count);
  EXPECT_EQ(model.found(), count);
  const int row = model.row_of(of);
  ASSERT_GE(row, 0);
  EXPECT_EQ(model.item(row), of);
  EXPECT_EQ(model.index(row, EventsModel::duration).data(),
            exact_text(kernels.end_ns[5000] - kernels.start_ns[5000]));
  // One of another name is not in it.
  for (int i = 0; i < static_cast<int>(kernels.size()); ++i) {
    if (kernels.name[static_cast<std::size_t>(i)] != name) {
      EXPECT_EQ(model.row_of({ItemKind::kernel, i}), -1);
      break;
    }
  }
}

TEST(EventsModel, ListsAllCallsAndNothingOfWhatHasNoTable) {
  const auto document = sample("programs/pytorch-two-layers");
  EventsModel model;
  model.set_track_of([](Item) { return QStringLiteral("stream 7"); });
  model.show_like(document, {ItemKind::call, 3});
  EXPECT_EQ(model.rowCount(), static_cast<int>(document->profile().calls.size()));
  for (int column = 0; column < EventsModel::columns; ++column)
    EXPECT_FALSE(model.index(3, column).data().toString().isEmpty()) << column;
  model.show_like(document, {ItemKind::finding, 0});
  EXPECT_EQ(model.rowCount(), 0);
  model.show_like(nullptr, {ItemKind::call, 3});
  EXPECT_EQ(model.rowCount(), 0);
}

}  // namespace
}  // namespace rnnadvisor::gui
