#include "gui/models/document.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <algorithm>
#include <vector>

#include "gui/models/loader.h"
#include "gui/models/pages.h"
#include "tests/effort.h"

namespace rnnadvisor::gui {
namespace {

std::shared_ptr<const advisor::RuleSet> rules() { return load_rules().value(); }

TEST(Document, EverySampleOpens) {
  ASSERT_GE(samples().size(), 20U);
  EXPECT_EQ(samples().front().name, QStringLiteral("programs/pytorch-two-layers"));
  for (std::size_t index = 0; const auto& sample : samples()) {
    if (test::left_out(index++, 4)) continue;
    const auto document = open_document(QStringLiteral("sample:") + sample.name, rules());
    ASSERT_TRUE(document.has_value()) << sample.name.toStdString();
    EXPECT_FALSE((*document)->report().headline.empty());
    EXPECT_FALSE((*document)->profile().configurations.empty());
  }
}

TEST(Document, KnowsWhereItsItemsAre) {
  const auto document =
      open_document(QStringLiteral("sample:programs/pytorch-two-layers"), rules()).value();
  ASSERT_TRUE(document->has_times());
  const auto count = static_cast<int>(document->profile().kernels.size());
  ASSERT_GT(count, 0);
  for (const int i : {0, count - 1}) {
    const auto range = document->range_of({ItemKind::kernel, i});
    EXPECT_GE(range.begin_ns, document->extent().begin_ns);
    EXPECT_LE(range.end_ns, document->extent().end_ns);
  }
  EXPECT_FALSE(document->holds({ItemKind::kernel, count}));
  EXPECT_EQ(document->range_of({ItemKind::kernel, count}), TimeRange{});
}

// select host_start_ns, host_duration_ns from calls where id = 5;
// select min(start_ns), max(start_ns + duration_ns) from kernels where call = 5;
TEST(Document, ACallGoesOnUntilItsLastKernelEnds) {
  const auto document = open_document(QStringLiteral("sample:gnmt"), rules()).value();
  const auto host = document->host_range_of_call(5), gpu = document->gpu_range_of_call(5);
  EXPECT_EQ(host.length(), 89962);
  EXPECT_EQ(gpu.begin_ns - host.begin_ns, 65168);
  EXPECT_EQ(gpu.end_ns - host.begin_ns, 2129804);
  EXPECT_EQ(document->range_of({ItemKind::call, 5}), (TimeRange{host.begin_ns, gpu.end_ns}));
  const QString page = item_page(*document, {ItemKind::call, 5}, light_theme());
  EXPECT_TRUE(page.contains(QStringLiteral("On the host")));
  EXPECT_TRUE(page.contains(QStringLiteral("90.0 µs, until the call returned")));
  EXPECT_TRUE(page.contains(QStringLiteral("On the GPU")));
  // A call without kernels is as long as it was on the host; one that is not there has no time.
  EXPECT_EQ(document->gpu_range_of_call(1'000'000), TimeRange{});
}

TEST(Document, OpeningCanBeEnded) {
  OpenOptions never;
  never.keep_going = [](double) { return false; };
  const auto document = open_document(QStringLiteral("sample:ptb-large"), rules(), never);
  ASSERT_FALSE(document.has_value());
  EXPECT_EQ(document.error().code, ErrorCode::interrupted);
}

TEST(Document, JudgingTellsHowFarItIsAndCanBeEnded) {
  const QString sweep = QStringLiteral("sample:deepbench");
  std::vector<double> shares;
  bool judging = false;
  OpenOptions options;
  options.judging = [&] { judging = true; };
  options.keep_going = [&](double share) {
    if (judging) shares.push_back(share);
    return true;
  };
  const auto whole = open_document(sweep, rules(), options);
  ASSERT_TRUE(whole.has_value());
  ASSERT_GT((*whole)->profile().configurations.size(), 10U);
  // One for each configuration, and the end.
  EXPECT_GT(shares.size(), (*whole)->profile().configurations.size() / 2);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_EQ(shares.back(), 1);
  const auto all = shares.size();
  judging = false;
  shares.clear();
  options.keep_going = [&](double share) {
    if (judging) shares.push_back(share);
    return shares.size() < 3;
  };
  const auto stopped = open_document(sweep, rules(), options);
  ASSERT_FALSE(stopped.has_value());
  EXPECT_EQ(stopped.error().code, ErrorCode::interrupted);
  EXPECT_LT(shares.size(), all);
  EXPECT_EQ(shares.size(), 3U);  // and nothing was asked again
}

// Beside the shipped one it would say everything twice.
TEST(Document, ACardWithTheIdOfAShippedOneIsRefused) {
  QTemporaryDir folder;
  ASSERT_TRUE(QDir(folder.path()).mkdir(QStringLiteral("persistence")));
  const QString card = QStringLiteral("persistence/tensor-core-math.toml");
  ASSERT_TRUE(
      QFile::copy(QStringLiteral(RNNADVISOR_SOURCE_DIR "/rules/") + card, folder.filePath(card)));
  const auto read = load_rules(folder.path());
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().front().message.find("'persistence/tensor-core-math' is shipped"),
            std::string::npos);
}

TEST(Loader, LoadsOnAnotherThread) {
  Loader loader;
  QSignalSpy loaded(&loader, &Loader::loaded), progress(&loader, &Loader::progress),
      judging(&loader, &Loader::judging);
  loader.open(QStringLiteral("sample:ptb-large"), rules());
  EXPECT_TRUE(loader.busy());
  EXPECT_EQ(loaded.count(), 0);
  ASSERT_TRUE(loaded.wait(20000));
  EXPECT_FALSE(loader.busy());
  EXPECT_GE(progress.count(), 2);
  EXPECT_EQ(judging.count(), 1);
}

// What is still being read has no verdict: kernels that are to come may change each.
TEST(Document, AnOutlineIsNotJudged) {
  const auto whole = open_document(QStringLiteral("sample:programs/pytorch-two-layers"), rules());
  ASSERT_TRUE(whole);
  const Document outline((*whole)->profile(), rules(), QStringLiteral("x"), true);
  EXPECT_TRUE(outline.judgement().findings.empty());
  EXPECT_TRUE(outline.judgement().verdicts.empty());
  EXPECT_EQ(outline.report().worst(), advisor::Standing::unjudged);
}

TEST(Loader, CancelsAndOpensAnother) {
  Loader loader;
  QSignalSpy loaded(&loader, &Loader::loaded), cancelled(&loader, &Loader::cancelled);
  loader.open(QStringLiteral("sample:deepbench"), rules());
  loader.open(QStringLiteral("sample:ptb-large"), rules());
  EXPECT_EQ(cancelled.count(), 1);
  ASSERT_TRUE(loaded.wait(20000));
  EXPECT_EQ(loaded.count(), 1);
  const auto document = loaded.at(0).at(0).value<DocumentPointer>();
  EXPECT_EQ(document->name(), QStringLiteral("ptb-large"));
}

TEST(Loader, SaysWhatIsWrong) {
  QTemporaryDir folder;
  const QString path = folder.filePath(QStringLiteral("bad.rnnprof"));
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("not a profile");
  file.close();
  Loader loader;
  QSignalSpy failed(&loader, &Loader::failed);
  loader.open(path, rules());
  ASSERT_TRUE(failed.wait(20000));
  EXPECT_EQ(failed.at(0).at(0).value<Error>().code, ErrorCode::damaged);
  EXPECT_EQ(failed.at(0).at(1).toString(), path);
}

TEST(Loader, SaysThatThereIsNotEnoughMemoryAndGoesOn) {
  Loader loader;
  QSignalSpy failed(&loader, &Loader::failed), loaded(&loader, &Loader::loaded);
  loader.set_predict_for([](const DeviceSpec&) -> model::PredictTime { throw std::bad_alloc(); });
  loader.open(QStringLiteral("sample:ptb-large"), rules());
  ASSERT_TRUE(failed.wait(20000));
  EXPECT_EQ(failed.at(0).at(0).value<Error>().code, ErrorCode::out_of_memory);
  loader.set_predict_for({});
  loader.open(QStringLiteral("sample:ptb-large"), rules());
  ASSERT_TRUE(loaded.wait(20000));
}

TEST(Loader, MayGoWhileItWorks) {
  for (int i = 0; i < 3; ++i) {
    Loader loader;
    loader.open(QStringLiteral("sample:ptb-large"), rules());
  }
}

}  // namespace
}  // namespace rnnadvisor::gui
