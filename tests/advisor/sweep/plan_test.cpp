#include "advisor/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace rnnadvisor::advisor {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

SweepPlan expand(std::string_view text) {
  auto plan = expand_sweep(text, "test.toml");
  if (!plan) {
    for (const auto& error : plan.error()) ADD_FAILURE() << to_text(error);
    return {};
  }
  return *plan;
}

Error first_error(std::string_view text, std::size_t limit = max_sweep_configurations) {
  auto plan = expand_sweep(text, "test.toml", limit);
  if (plan) {
    ADD_FAILURE() << "expanded: " << text;
    return {};
  }
  return plan.error().front();
}

std::vector<std::string> ids(const SweepPlan& plan) {
  std::vector<std::string> list;
  for (const auto& input : plan.configurations) list.push_back(input.config.id);
  return list;
}

template <class Read>
auto values(const SweepPlan& plan, Read read) {
  std::vector<std::remove_cvref_t<decltype(read(plan.configurations.front().config))>> list;
  for (const auto& input : plan.configurations) list.push_back(read(input.config));
  return list;
}

TEST(SweepFile, GridTakesEveryCombinationTheLastKeyFastest) {
  const auto plan = expand(R"(
[[sweep]]
id = "H{hidden_size}_B{batch_size}"
grid = { hidden_size = [256, 512], batch_size = [8, 16, 32] }
)");
  EXPECT_THAT(ids(plan),
              ElementsAre("H256_B8", "H256_B16", "H256_B32", "H512_B8", "H512_B16", "H512_B32"));
  EXPECT_THAT(values(plan, [](const RnnConfig& c) { return c.input_size; }),
              ElementsAre(256, 256, 256, 512, 512, 512));  // follows hidden_size by default
}

TEST(SweepFile, GridKeepsTheOrderOfTheFileNotOfTheAlphabet) {
  const auto plan = expand(R"(
[[sweep]]
id = "{seq_length}/{algo}"
grid = { seq_length = [1, 2], algo = ["standard", "persist_static"] }
)");
  EXPECT_THAT(ids(plan),
              ElementsAre("1/standard", "1/persist_static", "2/standard", "2/persist_static"));
}

TEST(SweepFile, ListIsCrossedWithTheGrid) {
  const auto plan = expand(R"(
hidden_size = 128
[[sweep]]
grid = { algo = ["standard", "persist_static"] }
list = [{ id = "small", num_layers = 1 }, { id = "large", num_layers = 4, dropout = 0.5 }]
)");
  EXPECT_THAT(ids(plan), ElementsAre("small,algo=standard", "small,algo=persist_static",
                                     "large,algo=standard", "large,algo=persist_static"));
  EXPECT_EQ(plan.configurations[2].config.num_layers, 4);
  EXPECT_DOUBLE_EQ(plan.configurations[2].config.dropout, 0.5);
  EXPECT_EQ(plan.configurations[0].config.hidden_size, 128);
}

TEST(SweepFile, WithoutTemplateTheIdNamesWhatVaries) {
  const auto plan = expand("[[sweep]]\ngrid = { batch_size = [1, 2] }\n");
  EXPECT_THAT(ids(plan), ElementsAre("batch_size=1", "batch_size=2"));
}

TEST(SweepFile, BlocksOverrideTheBase) {
  const auto plan = expand(R"(
data_type = "half"
[framework]
name = "pytorch"
[[sweep]]
id = "a"
[[sweep]]
id = "b"
data_type = "float"
framework = { name = "jax" }
)");
  ASSERT_EQ(plan.configurations.size(), 2u);
  EXPECT_EQ(plan.configurations[0].config.data_type, DataType::half);
  EXPECT_EQ(plan.configurations[0].program.name, Framework::pytorch);
  EXPECT_EQ(plan.configurations[1].config.data_type, DataType::float32);
  EXPECT_EQ(plan.configurations[1].program.name, Framework::jax);
}

TEST(SweepFile, RangesAreInclusiveAndDoNotDrift) {
  const auto batch = [](const RnnConfig& c) { return c.batch_size; };
  EXPECT_THAT(values(expand("[[sweep]]\ngrid.batch_size = { from = 8, to = 32, step = 8 }"), batch),
              ElementsAre(8, 16, 24, 32));
  EXPECT_THAT(
      values(expand("[[sweep]]\ngrid.batch_size = { from = 8, to = 33, step = 10 }"), batch),
      ElementsAre(8, 18, 28));
  EXPECT_THAT(values(expand("[[sweep]]\ngrid.batch_size = { from = 4, to = 1, step = -1 }"), batch),
              ElementsAre(4, 3, 2, 1));
  EXPECT_THAT(
      values(expand("[[sweep]]\ngrid.batch_size = { from = 8, to = 64, factor = 2 }"), batch),
      ElementsAre(8, 16, 32, 64));
  // A factor near 1 repeats whole numbers, which are left out.
  EXPECT_THAT(
      values(expand("[[sweep]]\ngrid.batch_size = { from = 2, to = 4, factor = 1.1 }"), batch),
      ElementsAre(2, 3, 4));
  EXPECT_THAT(values(expand("[[sweep]]\ngrid.dropout = { from = 0.0, to = 0.3, step = 0.1 }"),
                     [](const RnnConfig& c) { return c.dropout; }),
              ElementsAre(::testing::DoubleEq(0.0), ::testing::DoubleEq(0.1),
                          ::testing::DoubleEq(0.2), ::testing::DoubleEq(0.3)));
}

TEST(SweepFile, TiesFollow) {
  const auto plan = expand(R"(
[[sweep]]
input_size = 7
grid = { hidden_size = [64, 128] }
ties = { input_size = "hidden_size", seq_length = "batch_size" }
batch_size = 9
)");
  EXPECT_THAT(values(plan, [](const RnnConfig& c) { return c.input_size; }), ElementsAre(64, 128));
  EXPECT_THAT(values(plan, [](const RnnConfig& c) { return c.seq_length; }), ElementsAre(9, 9));
}

TEST(SweepFile, FrameworkKeysCanVary) {
  const auto plan = expand(R"(
[[sweep]]
id = "{framework.autocast}"
grid = { framework = { autocast = ["off", "float16"] } }
framework = { name = "pytorch" }
)");
  EXPECT_THAT(ids(plan), ElementsAre("off", "float16"));
  EXPECT_EQ(plan.configurations[1].program.autocast, Autocast::float16);
}

TEST(SweepFile, LengthsGiveBatchAndLength) {
  const auto plan = expand("[[sweep]]\nlist = [{ seq_lengths = [5, 3, 1] }]");
  ASSERT_EQ(plan.configurations.size(), 1u);
  EXPECT_EQ(plan.configurations[0].config.batch_size, 3);
  EXPECT_EQ(plan.configurations[0].config.seq_length, 5);
}

TEST(SweepFile, FiguresNameTheirConfigurations) {
  const auto plan = expand(R"(
[[sweep]]
id = "A{batch_size}"
grid = { batch_size = [1, 2], algo = ["standard", "persist_static"] }
[[sweep]]
id = "B"
[[figure]]
id = "f"
x_key = "batch_size"
series_key = "algo"
measure = "training_ms"
configurations = ["A*"]
)");
  ASSERT_EQ(plan.figures.size(), 1u);
  EXPECT_THAT(plan.figures[0].configuration_ids, ElementsAre("A1", "A2"));
  EXPECT_EQ(plan.figures[0].measure, "training_ms");
}

TEST(SweepFile, ErrorsSayWhere) {
  const auto at = [](const Error& error) {
    return error.where ? std::pair(error.where->line, error.where->column) : std::pair(-1, -1);
  };
  auto error = first_error("[[sweep]]\ngrid = { hiden_size = [1] }\n");
  EXPECT_THAT(error.message, HasSubstr("unknown key 'hiden_size'"));
  EXPECT_THAT(error.remedy, HasSubstr("hidden_size"));
  EXPECT_EQ(at(error), std::pair(2, 10));

  error = first_error("[[sweep]]\n  batch_size = \"8\"\n");
  EXPECT_THAT(error.message, HasSubstr("'batch_size' must be a whole number"));
  EXPECT_EQ(at(error), std::pair(2, 16));

  error = first_error("[[sweep]]\ngrid = { algo = [\"standard\", \"persistent\"] }\n");
  EXPECT_EQ(at(error), std::pair(2, 30));

  error = first_error("[[sweep]]\ngrid = { batch_size = [8, 0] }\n");
  EXPECT_EQ(at(error), std::pair(2, 27));

  error = first_error("[[sweep]\n");
  EXPECT_EQ(at(error).first, 1);

  error = first_error("title = 'x'\n[=]\n");
  EXPECT_EQ(at(error), std::pair(2, 2));
}

TEST(SweepFile, EveryMistakeIsRefused) {
  for (const std::string_view text : {
           "",                                                            // no block
           "title = \"x\"\n",                                             //
           "sweep = 3\n",                                                 //
           "sweep = [1, 2]\n",                                            //
           "[[sweep]]\ngrid = 3\n",                                       //
           "[[sweep]]\ngrid = { batch_size = 8 }\n",                      // no list
           "[[sweep]]\ngrid = { batch_size = [] }\n",                     //
           "[[sweep]]\ngrid = { batch_size = [8.5] }\n",                  //
           "[[sweep]]\ngrid = { batch_size = [nan] }\n",                  //
           "[[sweep]]\ngrid = { dropout = [nan] }\n",                     //
           "[[sweep]]\ngrid = { dropout = [inf] }\n",                     //
           "[[sweep]]\ngrid = { batch_size = [9223372036854775807] }\n",  //
           "[[sweep]]\ngrid = { batch_size = [-1] }\n",                   //
           "[[sweep]]\nlist = []\n",                                      //
           "[[sweep]]\nlist = [3]\n",                                     //
           "[[sweep]]\nlist = { batch_size = 3 }\n",                      //
           "[[sweep]]\nties = { input_size = \"hidden\" }\n",             //
           "[[sweep]]\nties = { input_size = 3 }\n",                      //
           "[[sweep]]\ngrid = { input_size = [1] }\nties = { input_size = \"hidden_size\" }\n",
           "[[sweep]]\nties = { input_size = \"proj_size\", proj_size = \"hidden_size\" }\n",
           "[[sweep]]\nid = \"{hidden\"\n",                        //
           "[[sweep]]\nid = \"{nothing}\"\n",                      //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8 }\n",  // no step
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8, step = 1, factor = 2 }\n",
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8, step = 0 }\n",    //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8, step = -1 }\n",   //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8, step = 0.5 }\n",  //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = 8, factor = 1 }\n",  //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = inf, step = 1 }\n",  //
           "[[sweep]]\ngrid.batch_size = { from = 1, to = nan, step = 1 }\n",  //
           "[[sweep]]\ngrid.algo = { from = 1, to = 2, step = 1 }\n",          //
           "[[sweep]]\ngrid.batch_size = { form = 1, to = 2, step = 1 }\n",    //
           "[[sweep]]\n[[figure]]\nid = \"f\"\n",                              // no x_key
           "[[sweep]]\n[[figure]]\nid = \"f\"\nx_key = \"batch\"\nmeasure = \"training_ms\"\n",
           "[[sweep]]\n[[figure]]\nid = \"f\"\nx_key = \"batch_size\"\nmeasure = \"speed\"\n",
           "[[sweep]]\nid = \"a\"\n[[figure]]\nid = \"f\"\nx_key = \"batch_size\"\n"
           "measure = \"training_ms\"\nconfigurations = [\"b*\"]\n",
       }) {
    const auto error = first_error(text);
    EXPECT_FALSE(error.message.empty()) << text;
    EXPECT_TRUE(error.where.has_value()) << text;
  }
}

TEST(SweepFile, OneWrongValueInAGridIsOneError) {
  auto plan = expand_sweep("[[sweep]]\ngrid = { batch_size = [0], seq_length = [1, 2, 3] }\n", "f");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().size(), 1u);
}

TEST(SweepFile, TheNumberOfConfigurationsIsLimitedBeforeAnythingIsMade) {
  EXPECT_THAT(
      first_error("[[sweep]]\ngrid = { batch_size = [1, 2], seq_length = [1, 2] }\n", 3).message,
      HasSubstr("more than 3 configurations"));
  EXPECT_EQ(expand_sweep("[[sweep]]\ngrid = { batch_size = [1, 2], seq_length = [1, 2] }\n", "f", 4)
                ->configurations.size(),
            4u);
  // Six ranges of ten thousand: the product overflows 64 bits.
  std::string text = "[[sweep]]\n";
  for (const char* key :
       {"batch_size", "seq_length", "hidden_size", "num_layers", "proj_size", "input_size"}) {
    text += std::string("grid.") + key + " = { from = 1, to = 10000, step = 1 }\n";
  }
  EXPECT_THAT(first_error(text).message, HasSubstr("more than 100,000 configurations"));
  EXPECT_THAT(first_error("[[sweep]]\ngrid.batch_size = { from = 1, to = 1e9, step = 1 }").message,
              HasSubstr("more than 100,000 values"));
  EXPECT_THAT(
      first_error("[[sweep]]\ngrid.batch_size = { from = 1, to = 2, factor = 1.0000000000001 }")
          .message,
      HasSubstr("values"));
}

TEST(SweepFile, ShardsDealOutEverythingOnce) {
  const auto plan =
      expand("[[sweep]]\nid = \"{batch_size}\"\ngrid.batch_size = { from = 1, to = 10, step = 1 }");
  std::multiset<std::string> seen;
  for (int i = 1; i <= 3; ++i) {
    const auto part = take_shard(plan, {i, 3});
    for (const auto& id : ids(part)) seen.insert(id);
  }
  EXPECT_EQ(seen.size(), 10u);
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()).size(), 10u);
  EXPECT_THAT(ids(take_shard(plan, {2, 3})), ElementsAre("2", "5", "8"));
  EXPECT_THAT(ids(take_shard(plan, {11, 12})), IsEmpty());
  EXPECT_TRUE(parse_shard("2/8"));
  for (const auto text :
       {"", "0/3", "4/3", "1", "1/", "/2", "a/b", "1/2x", "-1/2", "99999999999/1"}) {
    EXPECT_FALSE(parse_shard(text)) << text;
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
