// What calls a change makes of a configuration.
#include <gmock/gmock.h>

#include <algorithm>

#include "core/base/text.h"
#include "tests/advisor/whatif/changes.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Compose, OneCallStaysOne) {
  const std::vector transforms = {make("pad_batch", R"({"multiple":64})"),
                                  make("algo", R"({"value":"persist_static"})")};
  const auto variant = compose(transforms, lstm());
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->composition, Composition::single);
  ASSERT_EQ(variant->calls.size(), 1u);
  EXPECT_EQ(variant->calls[0].batch_size, 64);
  EXPECT_EQ(variant->calls[0].algo, Algo::persist_static);
}

TEST(Compose, LayersAreFedByTheOneBelow) {
  auto config = lstm(1000);
  config.num_layers = 3;
  config.input_size = 300;
  // Named the wrong way round: sizes are changed first, so that they agree between layers.
  const auto transforms =
      in_order(std::vector{make("split_layers"), make("pad_hidden", R"({"multiple":32})")});
  EXPECT_EQ(describe(transforms), "pad_hidden (multiple 32), then split_layers");
  const auto variant = compose(transforms, config);
  ASSERT_TRUE(variant);
  EXPECT_EQ(variant->composition, Composition::layers);
  ASSERT_EQ(variant->calls.size(), 3u);
  EXPECT_EQ(variant->calls[0].input_size, 300);
  EXPECT_EQ(variant->calls[0].hidden_size, 1024);
  EXPECT_EQ(variant->calls[1].input_size, 1024);
}

// Every sequence stands in exactly one call, and with its own length.
TEST(Compose, RowsAreDealtOut) {
  auto config = lstm(64, 7);
  config.seq_lengths = {3, 32, 1, 32, 5, 8, 2};
  for (const auto& transform : {make("bucket_lengths", R"({"buckets":3})"), make("sort_lengths"),
                                make("lower_batch", R"({"value":3})")}) {
    const auto variant = compose(std::span(&transform, 1), config);
    ASSERT_TRUE(variant) << transform.kind << to_text(variant.error());
    EXPECT_EQ(variant->composition, Composition::rows);
    ASSERT_EQ(variant->rows.size(), variant->calls.size());
    std::vector<int> all;
    for (std::size_t i = 0; i < variant->rows.size(); ++i) {
      const auto& call = variant->calls[i];
      ASSERT_EQ(variant->rows[i].size(), static_cast<std::size_t>(call.batch_size));
      for (std::size_t row = 0; row < variant->rows[i].size(); ++row) {
        all.push_back(variant->rows[i][row]);
        const int length = call.seq_lengths.empty() ? call.seq_length : call.seq_lengths[row];
        EXPECT_EQ(length, config.seq_lengths[static_cast<std::size_t>(variant->rows[i][row])])
            << transform.kind;
      }
    }
    std::sort(all.begin(), all.end());
    EXPECT_THAT(all, ElementsAre(0, 1, 2, 3, 4, 5, 6)) << transform.kind;
  }
}

TEST(Compose, EmptyRowsAreNamedByTheirAbsence) {
  auto config = lstm(64, 4);
  config.seq_lengths = {0, 32, 0, 8};
  const auto transform = make("drop_empty_rows");
  const auto variant = compose(std::span(&transform, 1), config);
  ASSERT_TRUE(variant);
  EXPECT_THAT(variant->rows, ElementsAre(ElementsAre(1, 3)));
}

TEST(Compose, BatchesBeyondAnyGpuAreNotDivided) {
  const auto config = lstm(64, std::numeric_limits<int>::max());
  for (const char* kind : {"sort_lengths", "drop_empty_rows"}) {
    const auto transform = make(kind);
    const auto divided = compose(std::span(&transform, 1), config);
    ASSERT_FALSE(divided) << kind;
    EXPECT_THAT(divided.error().message, ::testing::HasSubstr("2147483647 sequences")) << kind;
  }
}

TEST(Compose, LengthsThatAreNotOneForEachSequenceAreAnError) {
  auto config = lstm(64, 4);
  for (const auto& lengths : {std::vector{32}, {32, 16, 8}, {32, 16, 8, 4, 2}}) {
    config.seq_lengths = lengths;
    for (const char* kind : {"sort_lengths", "drop_empty_rows", "cuda_graph"}) {
      const auto transform = make(kind);
      EXPECT_FALSE(compose(std::span(&transform, 1), config)) << kind;
    }
  }
}

// What padding adds is no sequence of the original: lists end before it.
TEST(Compose, PaddingIsNamedByItsAbsence) {
  const std::vector parts = {make("pad_batch", R"({"multiple":8})"),
                             make("lower_batch", R"({"value":16})")};
  const auto variant = compose(parts, lstm(64, 36));
  ASSERT_TRUE(variant) << to_text(variant.error());
  ASSERT_EQ(variant->calls.size(), 3U);
  EXPECT_EQ(batch_of(*variant), 40);
  EXPECT_EQ(variant->rows[1].size(), 16U);
  EXPECT_THAT(variant->rows[2], ElementsAre(32, 33, 34, 35));
  // Whatever stands between.
  const auto apart = compose(
      std::vector{parts[0], make("algo", R"({"value":"persist_static"})"), parts[1]}, lstm(64, 36));
  ASSERT_TRUE(apart) << to_text(apart.error());
  EXPECT_EQ(apart->rows, variant->rows);
  // More sequences are no padding.
  const auto more =
      compose(std::vector{make("set_batch", R"({"value":48})"), parts[1]}, lstm(64, 36));
  ASSERT_TRUE(more);
  EXPECT_EQ(more->rows[2].size(), 16U);
}

TEST(Compose, TwoDivisionsAreNone) {
  auto config = lstm();
  config.num_layers = 2;
  const std::vector transforms = {make("split_layers"), make("lower_batch", R"({"value":8})")};
  const auto variant = compose(transforms, config);
  ASSERT_FALSE(variant);
  EXPECT_THAT(variant.error().message, HasSubstr("'lower_batch' after 'split_layers'"));
  EXPECT_FALSE(compose({}, config));
}

TEST(Compose, AGraphIsNoCall) {
  const auto graph = make("cuda_graph");
  const auto variant = compose(std::span(&graph, 1), lstm());
  ASSERT_TRUE(variant);
  EXPECT_TRUE(variant->cuda_graph);
  EXPECT_THAT(variant->calls, ElementsAre(lstm()));
}

}  // namespace
}  // namespace rnnadvisor::advisor
