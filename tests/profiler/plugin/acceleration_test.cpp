// Another algorithm below a program that does not know of it: what the program computes stays what
// it was, within rounding; what is faster is found; and whatever does not suit runs as it was.
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <utility>

#include "profiler/spool/hash.h"
#include "profiler/spool/plan.h"
#include "tests/effort.h"
#include "tests/profiler/plugin/accelerated.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::plugin_test {
namespace {

using spool::ChoiceState;
using spool::Kept;
using spool::VariantState;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(Accelerated, TrainingGetsTheFasterAlgorithmAndTheSameResults) {
  const auto result = run({"train", "60"});
  const auto choices = result.spool().choices();
  ASSERT_THAT(choices, SizeIs(1));
  const auto& choice = choices[0];
  EXPECT_EQ(choice.state, ChoiceState::decided);
  EXPECT_EQ(chosen(choice), persist_static);
  EXPECT_EQ(choice.calls[0], 60u);
  EXPECT_GT(settled(choice, 0), 30u);
  EXPECT_EQ(choice.substituted[0], choice.substituted[1]);
  EXPECT_EQ(choice.substituted[0], choice.substituted[2]);
  const auto* winner = variant(choice, persist_static);
  ASSERT_NE(winner, nullptr);
  EXPECT_EQ(winner->state, VariantState::measured);
  EXPECT_GT(winner->error, 0);
  EXPECT_LT(winner->error, winner->limit);
  EXPECT_NEAR(static_cast<double>(winner->median_ns[0]), 1e6, 1e3);
  EXPECT_NEAR(static_cast<double>(choice.variants[0].median_ns[0]), 3e6, 1e3);
  // It takes at most 64 units here.
  ASSERT_NE(variant(choice, small_h), nullptr);
  EXPECT_EQ(variant(choice, small_h)->state, VariantState::refused);
  EXPECT_GT(choice.tuning_bytes, 0u);
  EXPECT_GT(choice.configuration, 0u);
  EXPECT_EQ(result.spool().tables.configurations.at(choice.configuration).configuration.algo,
            standard);
}

TEST_F(Accelerated, InferenceToo) {
  const auto choices = run({"infer", "60"}).spool().choices();
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_EQ(chosen(choices[0]), persist_static);
  EXPECT_GT(settled(choices[0], 0), 30u);
}

TEST_F(Accelerated, LayersOfOtherKindsToo) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"lstm"},
                                             {"relu"},
                                             {"bidirectional"},
                                             {"lstm", "bidirectional", "layers=2"},
                                             {"clips"},
                                             {"lstm", "hidden=64", "tensor-op"}}) {
    std::vector<std::string> arguments = {"train", "60"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto choices = run(arguments).spools.back().choices();
    ASSERT_THAT(choices, SizeIs(1)) << words.back();
    EXPECT_EQ(chosen(choices[0]), persist_static) << words.back();
    EXPECT_EQ(choices[0].substituted[0], choices[0].substituted[1]) << words.back();
  }
}

TEST_F(Accelerated, WhatNoOtherAlgorithmTakesIsNotTried) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"lstm", "projection=64"}, {"no-bias"}, {"skips"}}) {
    std::vector<std::string> arguments = {"train", "20"};
    arguments.insert(arguments.end(), words.begin(), words.end());
    const auto choice = run(arguments).spools.back().choices().at(0);
    EXPECT_EQ(choice.state, ChoiceState::decided) << words.back();
    EXPECT_EQ(choice.substituted[0] + kept(choice, Kept::tuning), 0u) << words.back();
    EXPECT_EQ(variant(choice, persist_static), nullptr) << words.back();
  }
}

TEST_F(Accelerated, ReservesAreClonedAndUsedTwice) {
  for (const char* how : {"clone", "twice"}) {
    const auto choices = run({"train", "60", how}).spools.back().choices();
    ASSERT_THAT(choices, SizeIs(1));
    EXPECT_EQ(chosen(choices[0]), persist_static) << how;
    EXPECT_GT(settled(choices[0], 1), 30u) << how;
  }
}

TEST_F(Accelerated, DropoutDrawsOnceACall) {
  const auto result = run({"train", "40", "dropout"});
  EXPECT_THAT(result.out, HasSubstr("drawn 40\n"));
  EXPECT_EQ(chosen(result.spool().choices().at(0)), persist_static);
}

TEST_F(Accelerated, WhatIsSlowerIsNotChosen) {
  child.variable("STANDIN_MS", "standard=1,persist_static=20");
  const auto choices = run({"train", "60"}).spool().choices();
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_EQ(choices[0].chosen, 0u);
  EXPECT_EQ(variant(choices[0], persist_static)->state, VariantState::slower);
  // It was not tried more often than it takes to see that.
  EXPECT_EQ(choices[0].substituted[0], 0u);
  EXPECT_LE(variant(choices[0], persist_static)->samples[0], 2u);
}

TEST_F(Accelerated, WhatIsNoFasterIsNotChosen) {
  child.variable("STANDIN_MS", "standard=1,persist_static=0.99");
  const auto choices = run({"train", "120"}).spool().choices();
  EXPECT_EQ(choices.at(0).chosen, 0u);
  EXPECT_EQ(choices.at(0).state, ChoiceState::decided);
}

// Then most calls are not looked at any more; the counts stay about right, and what is new is seen.
TEST_F(Accelerated, WhereNothingGainsMostCallsPassUnseen) {
  child.variable("STANDIN_MS", "standard=3,persist_static=5,persist_static_small_h=1");
  const auto alone = run({"train", "3000"}).spools.back().choices();
  ASSERT_THAT(alone, SizeIs(1));
  EXPECT_EQ(chosen(alone[0]), standard);
  for (const auto calls : alone[0].calls) EXPECT_NEAR(static_cast<double>(calls), 3000, 100);
  const auto both = run({"train", "3000", "small-from=2000"}).spools.back().choices();
  ASSERT_THAT(both, SizeIs(2));
  EXPECT_EQ(chosen(both[0]), standard);
  EXPECT_EQ(chosen(both[1]), small_h);
  EXPECT_GT(settled(both[1], 0), 500u);
}

TEST_F(Accelerated, WrongResultsAreNeverUsed) {
  child.variable("STANDIN_WRONG", "persist_static=0.01");
  const auto choices = run({"train", "60"}).spool().choices();
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_EQ(choices[0].substituted[0], 0u);
  const auto* wrong = variant(choices[0], persist_static);
  EXPECT_EQ(wrong->state, VariantState::different);
  EXPECT_NEAR(wrong->error, 0.01, 0.001);
}

TEST_F(Accelerated, AnotherLayoutOfTheWeightsIsNeverUsed) {
  child.variable("STANDIN_OTHER_LAYOUT", "persist_static");
  const auto choices = run({"train", "60"}).spool().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_EQ(variant(choices.at(0), persist_static)->state, VariantState::layout);
}

TEST_F(Accelerated, WithoutMemoryNothingIsCompared) {
  child.variable("RNNADVISOR_ACCELERATE_MEMORY", "1000");
  const auto choices = run({"train", "60"}).spool().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_EQ(variant(choices.at(0), persist_static)->state, VariantState::memory);
  child.variable("RNNADVISOR_ACCELERATE_MEMORY", "").variable("STANDIN_NO_MEMORY", "1");
  EXPECT_EQ(variant(run({"train", "60"}).spools.back().choices().at(0), persist_static)->state,
            VariantState::memory);
  // Its results could be compared in the memory that is free, but the program would have to give it
  // more than the 2 GiB that --memory allows.
  child.without("STANDIN_NO_MEMORY").variable("STANDIN_WORKSPACE_GIB", "persist_static=3");
  EXPECT_EQ(variant(run({"train", "60"}).spools.back().choices().at(0), persist_static)->state,
            VariantState::memory);
}

// Outputs alone say nothing of gradients: they are compared without a backward pass of the program.
TEST_F(Accelerated, WithoutABackwardPassGradientsAreComparedAllTheSame) {
  auto choices = run({"train", "100", "no-backward"}).spools.back().choices();
  EXPECT_EQ(chosen(choices.at(0)), persist_static);
  // One that begins with such calls, as reinforcement learning does.
  choices = run({"train", "300", "late-backward"}).spools.back().choices();
  EXPECT_EQ(chosen(choices.at(0)), persist_static);
  child.variable("STANDIN_WRONG_GRADIENTS", "persist_static=0.01");
  choices = run({"train", "100", "no-backward"}).spools.back().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_EQ(variant(choices.at(0), persist_static)->state, VariantState::different);
}

TEST_F(Accelerated, GradientsThatSayNothingAreNotTheLastWord) {
  EXPECT_EQ(chosen(run({"train", "60", "zero-gradients"}).spools.back().choices().at(0)),
            persist_static);
  child.variable("STANDIN_WRONG_GRADIENTS", "persist_static=0.01");
  const auto wrong = run({"train", "60", "zero-gradients"}).spools.back().choices().at(0);
  EXPECT_EQ(variant(wrong, persist_static)->state, VariantState::different);
}

TEST_F(Accelerated, WhatDoesNotSuitRunsAsItWas) {
  auto choices = run({"train", "60", "unequal"}).spools.back().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_EQ(kept(choices.at(0), Kept::unequal_lengths), 180u);
  choices = run({"train", "80", "misaligned"}).spools.back().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_GT(kept(choices.at(0), Kept::alignment), 60u);
  EXPECT_EQ(choices.at(0).state, ChoiceState::decided);
  choices = run({"train", "60", "double"}).spools.back().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  // A program whose sizes were found elsewhere, as JAX takes them from its cache.
  choices = run({"train", "60", "natural-workspace"}).spools.back().choices();
  EXPECT_GT(kept(choices.at(0), Kept::small_workspace), 0u);
}

TEST_F(Accelerated, ARefusalOfTheChosenAlgorithmNeverReachesTheProgram) {
  child.variable("STANDIN_REFUSES_FORWARD", "persist_static=1");
  const auto choices = run({"train", "60"}).spool().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 0u);
  EXPECT_EQ(variant(choices.at(0), persist_static)->state, VariantState::refused);
}

TEST_F(Accelerated, CapturesAreNotDisturbed) {
  const auto choices = run({"train", "120", "capture"}).spool().choices();
  EXPECT_EQ(chosen(choices.at(0)), persist_static);
  EXPECT_GT(kept(choices.at(0), Kept::captured), 0u);
}

// Both lengths are of one kind, and only the backward calls of the length of the forward call fit
// the memory of a comparison. The stand-in ends a program that gives too little.
TEST_F(Accelerated, CallsOfAnotherLengthAreNoPartOfAComparison) {
  const auto choices = run({"train", "60", "steps=12", "between"}).spool().choices();
  ASSERT_THAT(choices, SizeIs(1));
  EXPECT_EQ(chosen(choices.at(0)), persist_static);
}

// An eighth of the sequences tells that the whole would take too long.
TEST_F(Accelerated, WhatWouldTakeMoreThanTheBudgetIsNotRun) {
  child.variable("STANDIN_MS", "standard=1,persist_static=50");
  const auto tried = [&](const char* budget) {
    child.variable("RNNADVISOR_ACCELERATE_BUDGET_MS", budget);
    return run({"train", "60", "steps=64"}).spools.back().choices().at(0);
  };
  const auto costly = tried("1000");
  EXPECT_EQ(variant(costly, persist_static)->state, VariantState::costly);
  EXPECT_EQ(costly.origin, spool::ChoiceOrigin::limited);
  EXPECT_EQ(costly.substituted[0] + costly.substituted[2], 0u);
  EXPECT_LT(costly.tuning_ns, 150'000'000);
  EXPECT_EQ(variant(tried("100000"), persist_static)->state, VariantState::slower);
}

TEST_F(Accelerated, WhatTakesLeastIsComparedFirst) {
  child.variable("STANDIN_MS", "standard=3,persist_static=9,persist_static_small_h=0.5")
      .variable("RNNADVISOR_ACCELERATE_BUDGET_MS", "100");
  const auto choice = run({"infer", "60", "steps=64", "hidden=32"}).spool().choices().at(0);
  EXPECT_EQ(chosen(choice), small_h);
  EXPECT_EQ(variant(choice, persist_static)->state, VariantState::costly);
}

// 30 batches, each many times: the first ones are measured, and the others take their choice.
TEST_F(Accelerated, BatchesThatChangeAllTheTimeTakeTheirNeighboursChoice) {
  const auto result = run({"train", "3000", "cycling=30", "hidden=16"});
  const auto choices = result.spool().choices();
  ASSERT_THAT(choices, SizeIs(30));
  // Algorithms differ by whether the batch is a multiple of 8.
  const auto multiple = [&](const spool::Acceleration& one) {
    const int batch =
        result.spool().tables.configurations.at(one.configuration).configuration.batch;
    return batch % 8 == 0 ? 8 : batch & -batch;
  };
  int measured = 0, adopted = 0;
  std::set<int> known;
  for (const auto& one : choices) {
    if (one.origin == spool::ChoiceOrigin::measured) {
      ++measured;
      known.insert(multiple(one));
    }
    if (one.origin != spool::ChoiceOrigin::neighbour) continue;
    ++adopted;
    EXPECT_TRUE(known.contains(multiple(one)));
    EXPECT_EQ(chosen(one), persist_static);
    const auto* used = variant(one, persist_static);
    EXPECT_GE(used->error, 0) << "its results were compared";
    EXPECT_EQ(used->samples[0], 0u);
  }
  EXPECT_GE(measured, 8);
  EXPECT_GE(adopted, 10);
}

TEST_F(Accelerated, ShapesThatChangeAllTheTimeEnd) {
  const auto choices = run({"train", "400", "varying", "hidden=16"}).spool().choices();
  EXPECT_GE(choices.size(), 250u);
  for (const auto& one : choices) EXPECT_LE(one.substituted[0], one.calls[0]);
}

TEST_F(Accelerated, ConversionIsUsedWhereItIsAllowed) {
  child.variable("STANDIN_MS", "standard=3,persist_static=2,persist_static+conversion=1");
  const auto of = [&](const char* allowed, std::vector<std::string> words) {
    child.variable("RNNADVISOR_ACCELERATE", allowed);
    words.insert(words.begin(), {"train", "90"});
    const auto choice = run(words).spools.back().choices().at(0);
    return std::pair(chosen(choice), choice.variants[choice.chosen].converts);
  };
  EXPECT_EQ(of("numerics", {}), std::pair(persist_static, 1u));
  EXPECT_EQ(of("exact", {}), std::pair(persist_static, 0u));
  // The program's own refusal of TF32. Results must then be alike to 1e-5, and are not here.
  EXPECT_EQ(of("numerics", {"fma"}), std::pair(standard, 0u));
}

// No other algorithm can take the reserve of a conversion: what it names runs, also where the call
// no longer suits, and where a clone looks like the reserve of another call.
TEST_F(Accelerated, TheReserveOfAConversionAlwaysMeansTheConversion) {
  child.variable("STANDIN_MS", "standard=3,persist_static=2,persist_static+conversion=1")
      .variable("RNNADVISOR_ACCELERATE", "numerics");
  for (const char* from : {"misaligned-from=350", "natural-workspace-from=350"}) {
    for (const char* way : {"clone", "twice"}) {
      SCOPED_TRACE(std::string(from) + " " + way);
      const auto choice = run({"train", "450", from, way}).spools.back().choices().at(0);
      EXPECT_EQ(chosen(choice), persist_static);
      EXPECT_EQ(choice.variants[choice.chosen].converts, 1u);
      EXPECT_EQ(kept(choice, Kept::alignment) + kept(choice, Kept::small_workspace), 0u);
      EXPECT_GT(settled(choice, 0), 100u);
    }
  }
}

// Inputs leave half's range while the program runs.
TEST_F(Accelerated, WhatIsNoLongerRightIsWithdrawn) {
  child.variable("STANDIN_MS", "standard=3,persist_static=2,persist_static+conversion=1")
      .variable("RNNADVISOR_ACCELERATE", "numerics");
  const auto result = child.run({"accelerate", "train", "1500", "large-from=200"});
  ASSERT_EQ(result.status, 0) << result.error;
  const auto choice = result.spool().choices().at(0);
  EXPECT_EQ(choice.chosen, 0u);
  EXPECT_EQ(choice.checks, 1u);
  EXPECT_LT(choice.substituted[0], 700u);
  int drifted = 0;
  for (const auto& one : choice.variants) drifted += one.state == VariantState::drifted ? 1 : 0;
  EXPECT_EQ(drifted, 1);
  const auto good = run({"train", "1500"}).spools.back().choices().at(0);
  EXPECT_EQ(good.checks, 1u);
  EXPECT_NE(good.chosen, 0u);
}

// What follows the first rank is what that wrote, whole, for this GPU and this cuDNN.
TEST_F(Accelerated, ADamagedChoiceOfAnotherRankIsNotFollowed) {
  child.variable("WORLD_SIZE", "2").variable("RANK", "0").variable("LOCAL_RANK", "0");
  run({"train", "60"});
  std::string path;
  for (const auto& entry : std::filesystem::directory_iterator(child.spool_folder()))
    if (entry.path().extension() == ".choices") path = entry.path().string();
  std::ifstream in(path, std::ios::binary);
  const std::string whole(std::istreambuf_iterator<char>(in), {});
  ASSERT_EQ(whole.size(), 16u);  // a key, a code and what checks both
  child.variable("RANK", "1").variable("LOCAL_RANK", "1");
  const auto followed = [&](const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    const auto choices = run({"train", "120"}).spools.back().choices();
    return !choices.empty() && choices[0].origin == spool::ChoiceOrigin::shared;
  };
  EXPECT_TRUE(followed(whole));
  EXPECT_TRUE(followed(std::string(300 * 16, 'x') + whole)) << "the latest counts";
  for (const std::size_t byte : {0u, 8u, 12u}) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] + 1);
    EXPECT_FALSE(followed(damaged)) << byte;
  }
  EXPECT_FALSE(followed(whole.substr(0, 15)));
  EXPECT_FALSE(followed(""));
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  EXPECT_FALSE(run({"train", "120"}).spools.back().choices().at(0).origin ==
               spool::ChoiceOrigin::shared);
}

// Two processes with one folder, as the ranks of a job have it.
TEST_F(Accelerated, OneRankMeasuresAndTheOthersFollow) {
  child.variable("WORLD_SIZE", "2").variable("RANK", "0").variable("LOCAL_RANK", "0");
  const auto first = run({"train", "60"}).spools.back().choices().at(0);
  EXPECT_EQ(first.origin, spool::ChoiceOrigin::measured);
  child.variable("RANK", "1").variable("LOCAL_RANK", "1").variable("STANDIN_MS", "standard=1");
  const auto second = run({"train", "120"}).spools.back().choices().at(0);
  EXPECT_EQ(second.origin, spool::ChoiceOrigin::shared);
  EXPECT_EQ(chosen(second), persist_static);
  EXPECT_GT(settled(second, 0), 50u);
  EXPECT_EQ(second.tuning_ns, 0);
  // Without a first rank that measures it does so itself, in the end.
  child.variable("STANDIN_MS", "standard=3,persist_static=1");
  const auto alone = run({"train", "1200", "batch=8"}).spools.back().choices().at(0);
  EXPECT_EQ(alone.origin, spool::ChoiceOrigin::measured);
  EXPECT_EQ(chosen(alone), persist_static);
}

// What was chosen until then can be read, and kept as a plan.
TEST_F(Accelerated, KilledAtAnyPointItLeavesItsChoices) {
  std::size_t before = 0;
  int decided = 0;
  // On a slow machine a choice takes longer than the first of these.
  for (int i = 0; i < 24 || (decided < 4 && i < 150); ++i) {
    const auto result = child.run({"accelerate", "train", "1000000"}, 10 + 12 * i);
    ASSERT_EQ(result.status, -SIGKILL) << result.error;
    // None where it had not come to its first call.
    if (std::exchange(before, result.spools.size()) == result.spools.size()) continue;
    const auto& s = result.spools.back();
    EXPECT_FALSE(s.damage.any()) << "killed after " << 10 + 12 * i << " ms";
    for (const auto& choice : s.choices()) {
      EXPECT_LE(choice.substituted[0], choice.calls[0]);
      if (choice.state != ChoiceState::decided) continue;
      ++decided;
      EXPECT_EQ(chosen(choice), persist_static);
      EXPECT_NE(choice.key, 0u);
    }
  }
  EXPECT_GE(decided, 4);
}

// A plan for the calls of a run: another algorithm than the measurement would choose.
class Planned : public Accelerated {
 protected:
  Planned() {
    const auto measured = run({"train", "40"}).spool();
    header_.magic = spool::plan_magic;
    header_.format = spool::format_version;
    header_.count = 1;
    header_.cudnn_version = measured.libraries.at(0).version;
    std::memcpy(header_.gpu, measured.devices.at(0).name, sizeof header_.gpu);
    entry_ = {measured.choices().at(0).key, persist_static, 0};
    child.variable("STANDIN_MS", "standard=1,persist_static=4")
        .variable("RNNADVISOR_ACCELERATE_PLAN", path_)
        .variable("RNNADVISOR_ACCELERATE", "exact");
  }
  // What the plugin made of it in a training of 40 steps.
  Spool with_plan(const std::vector<std::string>& words = {"train", "40"}) {
    std::string rest(reinterpret_cast<const char*>(&header_.cudnn_version),
                     sizeof header_ - offsetof(spool::PlanHeader, cudnn_version));
    rest.append(reinterpret_cast<const char*>(&entry_), sizeof entry_);
    header_.checksum = spool::hash_bytes(rest.data(), rest.size()) + damage_;
    std::ofstream file(path_, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&header_), sizeof header_);
    file.write(reinterpret_cast<const char*>(&entry_), sizeof entry_);
    file.close();
    return run(words).spools.back();
  }
  bool is_used(const Spool& spool) const {
    return spool.choices().at(0).substituted[2] == spool.choices().at(0).calls[2];
  }

  TemporaryFolder folder_;
  const std::string path_ = folder_.file("choices.plan");
  spool::PlanHeader header_{};
  spool::PlanEntry entry_{};
  std::uint64_t damage_ = 0;
};

TEST_F(Planned, BeginsWithTheChoice) {
  const auto spool = with_plan();
  EXPECT_TRUE(is_used(spool));
  EXPECT_EQ(kept(spool.choices().at(0), Kept::tuning), 0u);
  entry_.algo = standard;
  EXPECT_EQ(with_plan().choices().at(0).substituted[0], 0u);
}

TEST_F(Planned, WhatItDoesNotHaveIsMeasuredUnlessNothingMay) {
  child.variable("STANDIN_MS", "standard=4,persist_static=1");
  auto choice = with_plan({"train", "60", "batch=8"}).choices().at(0);
  EXPECT_EQ(chosen(choice), persist_static);
  EXPECT_GT(kept(choice, Kept::tuning), 0u);
  child.variable("RNNADVISOR_ACCELERATE_PLAN_ONLY", "1");
  choice = with_plan({"train", "60", "batch=8"}).choices().at(0);
  EXPECT_EQ(choice.substituted[0] + kept(choice, Kept::tuning), 0u);
  EXPECT_TRUE(is_used(with_plan()));
}

TEST_F(Planned, AlsoWhereResultsShallRepeat) {
  child.variable("CUBLAS_WORKSPACE_CONFIG", ":4096:8");
  EXPECT_TRUE(is_used(with_plan()));
  EXPECT_EQ(with_plan({"train", "60", "batch=8"}).choices().at(0).substituted[0], 0u);
}

TEST_F(Planned, IsOfItsGpuAloneInAProcessWithTwoKinds) {
  const auto spool = with_plan({"train", "60", "other-gpu-from=30"});
  const auto choices = spool.choices();
  ASSERT_THAT(choices, SizeIs(2));
  EXPECT_EQ(choices[0].origin, spool::ChoiceOrigin::planned);
  EXPECT_EQ(choices[0].substituted[2], 30u);
  EXPECT_EQ(choices[1].device, 1);
  EXPECT_EQ(choices[1].origin, spool::ChoiceOrigin::measured);
  EXPECT_EQ(chosen(choices[1]), standard);
  EXPECT_EQ(std::ranges::count(spool.note_codes(), "plan-refused"), 1);
}

TEST_F(Planned, OfAnotherMachineOrDamagedIsRefused) {
  const auto refused = [&] {
    const auto spool = with_plan();
    EXPECT_THAT(spool.note_codes(), Contains("plan-refused"));
    EXPECT_FALSE(is_used(spool));
  };
  damage_ = 1;
  refused();
  damage_ = 0;
  const char first = std::exchange(header_.gpu[0], 'X');
  refused();
  header_.gpu[0] = first;
  header_.cudnn_version += 1;
  refused();
}

TEST_F(Planned, AFileThatIsNoneOrNotWholeIsRefused) {
  const auto refused = [&](const std::string& why) {
    const auto spool = with_plan();
    EXPECT_THAT(spool.note_codes(), Contains("plan-refused")) << why;
    EXPECT_FALSE(is_used(spool)) << why;
  };
  header_.magic += 1;
  refused("magic");
  header_.magic -= 1;
  header_.format += 1;
  refused("format");
  header_.format -= 1;
  for (const std::uint32_t count : {2u, spool::most_planned + 1, ~0u}) {
    header_.count = count;
    refused("count " + std::to_string(count));
  }
  header_.count = 1;
  const auto gpu = std::to_array(header_.gpu);
  std::memset(header_.gpu, 'x', sizeof header_.gpu);
  refused("a name without an end");
  std::memcpy(header_.gpu, gpu.data(), sizeof header_.gpu);
  for (const int algo : {-1, 4, 1000}) {
    entry_.algo = algo;
    EXPECT_FALSE(is_used(with_plan())) << algo;
  }
  entry_.algo = persist_static;
  EXPECT_TRUE(is_used(with_plan()));
  for (const std::uintmax_t bytes : {0u, 10u, 170u}) {
    std::filesystem::resize_file(path_, bytes);
    EXPECT_THAT(run({"train", "40"}).spools.back().note_codes(), Contains("plan-refused")) << bytes;
  }
  std::filesystem::remove(path_);
  child.variable("RNNADVISOR_ACCELERATE_PLAN_ONLY", "1");
  const auto spool = run({"train", "40"}).spools.back();
  EXPECT_THAT(spool.notes, Contains(Pair("plan-refused", HasSubstr("own algorithm"))));
}

TEST_F(Accelerated, CanBeTurnedOff) {
  child.variable("RNNADVISOR_ACCELERATE", "0");
  EXPECT_THAT(run({"train", "20"}).spool().choices(), SizeIs(0));
}

TEST_F(Accelerated, IsOffWhereResultsShallRepeat) {
  const auto nothing_changes = [this](const char* asking) {
    const auto spool = run({"train", "20"}).spools.back();
    const auto choice = spool.choices().at(0);
    EXPECT_EQ(choice.origin, spool::ChoiceOrigin::unplanned);
    EXPECT_EQ(choice.substituted[0] + kept(choice, Kept::tuning), 0u);
    EXPECT_THAT(spool.notes, ElementsAre(Pair(spool::acceleration_off, StartsWith(asking))));
  };
  // PyTorch's flag is asked of its library, which is there under either setting.
  child.variable("LD_PRELOAD", PLUGIN_FILE ":" STANDIN_FOLDER "/libtorch_cpu.so");
  EXPECT_EQ(chosen(run({"train", "60"}).spools.back().choices().at(0)), persist_static);
  child.variable("STANDIN_TORCH_DETERMINISTIC", "1");
  nothing_changes("torch.use_deterministic_algorithms()");
  child.variable("CUBLAS_WORKSPACE_CONFIG", ":4096:8");
  nothing_changes("CUBLAS_WORKSPACE_CONFIG");
}

TEST_F(Accelerated, RecordsCallsAsTheyRan) {
  child.variable("RNNADVISOR_RECORD", "calls").variable("RNNADVISOR_MODE", "calls");
  const auto result = run({"train", "60"});
  const auto& s = result.spool();
  // Those that tried an algorithm are not the program's.
  EXPECT_GT(s.calls.size(), 120u);
  EXPECT_LT(s.calls.size(), 180u);
  EXPECT_EQ(s.shape(s.calls.front()).configuration.algo, standard);
  EXPECT_TRUE(std::ranges::any_of(s.calls, [&](const auto& call) {
    return s.shape(call).configuration.algo == persist_static;
  }));
}

TEST_F(Accelerated, AForcedAlgorithmRunsFromTheFirstCall) {
  child.variable("RNNADVISOR_ACCELERATE", "force:persist_static");
  const auto choices = run({"train", "5"}).spool().choices();
  EXPECT_EQ(choices.at(0).substituted[0], 5u);
  EXPECT_EQ(choices.at(0).substituted[2], 5u);
}

// The stand-in ends a program that runs a backward pass with another algorithm than its forward
// pass, gives too little memory, or an unaligned pointer.
TEST_F(Accelerated, ProgramsAtRandomComputeWhatTheyDid) {
  const int programs = std::max(8, test::draws() / 40);
  std::uint64_t substituted = 0;
  for (int seed = 0; seed < programs && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const char* ways[] = {"exact", "numerics", "exact", "force:persist_static"};
    child.variable("RNNADVISOR_ACCELERATE", ways[seed % 4])
        .variable("RNNADVISOR_TRY_STEPS", seed % 3 == 0 ? "26" : "");
    const auto result = compare({"accelerate-random", std::to_string(seed), "80"});
    for (const auto& one : result.spools.back().choices()) substituted += one.substituted[0];
  }
  EXPECT_GT(substituted, static_cast<std::uint64_t>(programs) * 4);
}

}  // namespace
}  // namespace rnnadvisor::plugin_test
