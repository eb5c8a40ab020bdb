// What a person sees and reads of hardware counters in the real widget.
#include <gtest/gtest.h>

#include <QTest>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/timeline/counter_unit.h"
#include "gui/timeline/timeline_widget.h"
#include "tests/gui/timeline/make_profile.h"

namespace rnnadvisor::gui {
namespace {

using timeline::SmallProfile;
using timeline::Track;
using timeline::TrackKind;

constexpr const char* tensor = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_elapsed";
constexpr int samples = 100;
constexpr std::int64_t period = 10'000, sampled_from = 100'000;

double value_of(int i) { return 50 + 40 * std::sin(i * 0.3); }

// A percentage that goes up and down, and `more` counters beside it.
Profile sampled(int more) {
  SmallProfile p;
  p.kernel(0, 2'000'000, "gemm");
  for (int i = 0; i < samples; ++i) {
    const std::int64_t at = sampled_from + i * period;
    p.builder.add_counter({at, at + period, 0, p.process, tensor, value_of(i)});
    for (int m = 0; m < more; ++m)
      p.builder.add_counter({at, at + period, 0, p.process, "c" + std::to_string(m), 1});
  }
  return p.builder.finish();
}

struct CountersWidgetTest : testing::Test {
  void show(int more) { show_profile(sampled(more)); }
  void show_profile(Profile profile) {
    document = std::make_shared<const Document>(std::move(profile), *load_rules(),
                                                QStringLiteral("test.rnnprof"));
    state.reset(document->extent());
    widget.resize(1000, 600);
    widget.show();
    widget.set_document(document, &state);
    widget.show_all();
  }
  const timeline::Scene& scene() const { return widget.scene(); }
  int counter() const {
    const auto& t = *scene().timeline;
    for (int i = 0; i < static_cast<int>(t.tracks.size()); ++i) {
      const auto& key = t.tracks[static_cast<std::size_t>(i)].key;
      if (key.metric >= 0 && t.profile->text(key.metric) == tensor) return i;
    }
    return -1;
  }
  const Track& track() const {
    return scene().timeline->tracks[static_cast<std::size_t>(counter())];
  }

  DocumentPointer document;
  ViewState state;
  TimelineWidget widget;
};

TEST_F(CountersWidgetTest, HaveANameAUnitAndAValueUnderThePointer) {
  show(0);
  EXPECT_EQ(track_title(*scene().timeline, track()), QStringLiteral("Tensor cores active"));
  EXPECT_TRUE(track_subtitle(*scene().timeline, track()).endsWith(QStringLiteral(" %")));
  const std::int64_t at = sampled_from + 5 * period + period / 2;
  const auto said = details_of_counter(*scene().timeline, track(), at).text();
  const auto expected = timeline::counter_text(timeline::CounterUnit::percent, value_of(5));
  EXPECT_TRUE(said.contains(QString::fromStdString(expected + " over 10.0 \u00b5s")))
      << said.toStdString();
  EXPECT_TRUE(said.contains(QLatin1String(tensor)));
  EXPECT_TRUE(details_of_counter(*scene().timeline, track(), 1'900'000)
                  .text()
                  .contains(QStringLiteral("not sampled")));
  // Moving there shows it beside the pointer.
  const auto* row = scene().layout.row_of(counter());
  const QPoint pointer(static_cast<int>(scene().x_of(at)), scene().top_of(*row, false) + 10);
  const QImage before = widget.viewport()->grab().toImage();
  QTest::mouseMove(widget.viewport(), pointer);
  QTest::qWait(20);
  EXPECT_NE(widget.viewport()->grab().toImage(), before);
}

TEST_F(CountersWidgetTest, AreDrawnAsHighAsTheyAre) {
  show(0);
  const auto* row = scene().layout.row_of(counter());
  const int bottom = scene().top_of(*row, false) + row->height - 1;
  const QImage picture = widget.viewport()->grab().toImage();
  const qreal ratio = picture.devicePixelRatio();
  const auto height_at = [&](std::int64_t time) {
    const int x = static_cast<int>(scene().x_of(time) * ratio);
    const QRgb ground = scene().palette.ground;
    int y = static_cast<int>(bottom * ratio);
    const int from = y;
    while (y > 0 && picture.pixel(x, y) != ground && from - y < 200) --y;
    return (from - y) / ratio;
  };
  int highest = 0, lowest = 0;
  for (int i = 0; i < samples; ++i) {
    if (value_of(i) > value_of(highest)) highest = i;
    if (value_of(i) < value_of(lowest)) lowest = i;
  }
  const auto middle = [](int i) { return sampled_from + i * period + period / 2; };
  EXPECT_NEAR(height_at(middle(highest)), row->height * value_of(highest) / 100, 4);
  EXPECT_NEAR(height_at(middle(lowest)), row->height * value_of(lowest) / 100, 4);
  EXPECT_EQ(height_at(1'900'000), 0);
}

TEST_F(CountersWidgetTest, AreInTheStatisticsOfARange) {
  show(0);
  const TimeRange range{sampled_from, sampled_from + samples * period};
  const auto text =
      details_of_range(*scene().timeline, full_statistics(*scene().timeline, range)).text();
  double sum = 0, most = 0;
  for (int i = 0; i < samples; ++i) {
    sum += value_of(i);
    most = std::max(most, value_of(i));
  }
  using timeline::CounterUnit;
  const auto expected = "Tensor cores active\tmean " +
                        timeline::counter_text(CounterUnit::percent, sum / samples) + ", most " +
                        timeline::counter_text(CounterUnit::percent, most);
  EXPECT_TRUE(text.contains(QString::fromStdString(expected))) << text.toStdString();
  EXPECT_FALSE(text.contains(QStringLiteral("sampled")));
  // A range that was sampled in part says so.
  const auto wide =
      details_of_range(*scene().timeline, full_statistics(*scene().timeline, {0, 2'000'000}))
          .text();
  EXPECT_TRUE(wide.contains(QStringLiteral("sampled"))) << wide.toStdString();
}

TEST_F(CountersWidgetTest, ManyAreFoldedAtFirstAndUnfoldByAClick) {
  show(5);
  EXPECT_TRUE(scene().states[static_cast<std::size_t>(counter())].folded);
  const auto* row = scene().layout.row_of(counter());
  const int low = row->height;
  QTest::mouseClick(widget.viewport(), Qt::LeftButton, {},
                    QPoint(40, scene().top_of(*row, false) + row->height / 2));
  EXPECT_GT(scene().layout.row_of(counter())->height, low);
}

// Two devices, so that "GPU 1, peak 2.70 TB/s" has no room beside a name.
TEST_F(CountersWidgetTest, ShowTheirUnitWhenFolded) {
  constexpr std::array<std::pair<const char*, const char*>, 4> metrics = {
      {{tensor, "%"},
       {"dram__bytes.sum.per_second", "TB/s"},
       {"gpc__cycles_elapsed.avg.per_second", "GHz"},
       {"lts__t_sectors_op_read_lookup_hit.sum", ""}}};
  constexpr std::array<double, 4> factors = {1, 3e10, 2e7, 1};
  SmallProfile p;
  p.kernel(0, 2'000'000, "gemm");
  p.builder.add_device(find_device("h200").value());
  for (int device = 0; device < 2; ++device) {
    for (std::size_t m = 0; m < metrics.size(); ++m) {
      for (int i = 0; i < samples; ++i) {
        const std::int64_t at = sampled_from + i * period;
        p.builder.add_counter(
            {at, at + period, device, p.process, metrics[m].first, factors[m] * value_of(i)});
      }
    }
  }
  show_profile(p.builder.finish());
  int seen = 0;
  const QImage picture = widget.viewport()->grab().toImage();
  if (const QString folder = qEnvironmentVariable("RNNADVISOR_PICTURES"); !folder.isEmpty())
    picture.save(folder + QStringLiteral("/folded-counters.png"));
  const auto& t = *scene().timeline;
  for (int i = 0; i < static_cast<int>(t.tracks.size()); ++i) {
    const auto& one = t.tracks[static_cast<std::size_t>(i)];
    if (one.kind != TrackKind::counter) continue;
    ++seen;
    EXPECT_TRUE(scene().states[static_cast<std::size_t>(i)].folded);
    const auto metric = std::find_if(metrics.begin(), metrics.end(), [&](const auto& each) {
      return t.profile->text(one.key.metric) == each.first;
    });
    ASSERT_NE(metric, metrics.end());
    const QString unit = QString::fromLatin1(metric->second);
    const QString told = QStringLiteral("GPU %1").arg(one.key.device) +
                         (unit.isEmpty() ? QString() : QStringLiteral(", ") + unit);
    EXPECT_EQ(brief_subtitle(t, one), told);
    if (unit.isEmpty()) continue;  // its name is long, and reaches to the edge by itself
    // It is there to be read, at the right of a name that would end before.
    const auto* row = scene().layout.row_of(i);
    const int top = scene().top_of(*row, false);
    int ink = 0;
    for (int y = top; y < top + row->height; ++y) {
      for (int x = scene().header_width - 34; x < scene().header_width - 9; ++x)
        ink += picture.pixelColor(x, y) != scene().theme.window ? 1 : 0;
    }
    EXPECT_GT(ink, 20) << t.profile->text(one.key.metric) << " of " << one.key.device;
  }
  EXPECT_EQ(seen, 8);
}

}  // namespace
}  // namespace rnnadvisor::gui
