// Losses in what a program prints, and whether a changed run is as close as chance makes it.
#include "advisor/cli/losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/effort.h"

namespace rnnadvisor::cli {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;

std::vector<double> usual(std::string_view text) {
  return losses_in(text, *loss_pattern("")).values;
}

TEST(Losses, AreFoundInWhatTrainingProgramsPrint) {
  EXPECT_THAT(usual("| epoch   1 |   200/ 2983 batches | lr 20.00 | ms/batch  4.21 | loss  7.28 | "
                    "ppl  1452.30\n| end of epoch   1 | valid loss  6.12 | valid ppl   454.33\n"),
              ElementsAre(7.28, 6.12));
  EXPECT_THAT(usual("Epoch 3/10, Loss: 0.4321, Val Loss: 1.5e-03\n{'loss': 2.25, 'lr': 5e-5}\n"
                    "train_loss=0.75 step=3\nLoss 1\n"),
              ElementsAre(0.4321, 1.5e-3, 2.25, 0.75, 1));
  // A progress bar writes over itself as often as there is time for.
  EXPECT_THAT(usual("10%|# loss=9.0\r50%|## loss=8.0\r100%|### loss=7.5\r\nloss=7.0\r\n"),
              ElementsAre(7.5, 7.0));
  EXPECT_THAT(usual("loss scale: 65536.0, loss_scale=2.0\nno loss here\nlossless 3 files\n"),
              ElementsAre(3));  // one that a pattern of the user's own leaves out
  // What Python shows of a program's code.
  EXPECT_THAT(usual("t.py:20: UserWarning: use tensor.detach()\n  print(f\"loss {float(y):.6g}\")\n"
                    "loss 0.25\n"),
              ElementsAre(0.25));
  const auto nan = usual("loss nan\nloss: -inf\nloss = 1\n");
  ASSERT_EQ(nan.size(), 3U);
  EXPECT_TRUE(std::isnan(nan[0]));
  EXPECT_EQ(nan[1], -std::numeric_limits<double>::infinity());
  EXPECT_THAT(losses_in("ppl 12.5 loss 3\nppl 11\n", *loss_pattern("ppl ([0-9.]+)")).values,
              ElementsAre(12.5, 11));
  EXPECT_FALSE(loss_pattern("(loss"));
  const auto units = losses_in("loss 5.99\nloss 6.125e-3\nloss 7", *loss_pattern("")).units;
  EXPECT_THAT(units, ElementsAre(DoubleEq(0.01), DoubleEq(1e-6), 1));
}

// Whatever a program prints.
TEST(Losses, AnyTextIsReadWithoutHarm) {
  std::mt19937 random(1);
  const auto pattern = *loss_pattern("");
  const std::string pieces[] = {"loss",
                                "Loss: ",
                                "1.5",
                                "e",
                                "-",
                                ".",
                                "\r",
                                "\n",
                                "nan",
                                "9e999",
                                std::string(5000, 'x'),
                                "loss=1e400 ",
                                std::string(1, '\0'),
                                "\xff"};
  for (int i = 0; i < test::draws(); ++i) {
    std::string text;
    for (int piece = 0; piece < 12; ++piece) text += pieces[random() % std::size(pieces)];
    const auto found = losses_in(text, pattern);
    EXPECT_LE(found.values.size(), 12U);
    EXPECT_EQ(found.values.size(), found.units.size());
  }
}

PrintedLosses run(std::vector<double> values, double unit = 1e-9) {
  const std::vector<double> units(values.size(), unit);
  return {std::move(values), units};
}

TEST(Losses, DistancesAreThoseOfTheirDefinition) {
  const auto found = compare_losses({run({1, 2}), run({3, 2}), run({2, 2})}, run({2, 5, 9}));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->losses, 2U);
  // From (2.5, 2), (1.5, 2) and (2, 2).
  EXPECT_NEAR(found->furthest, std::sqrt(1.5 * 1.5 / 2), 1e-12);
  EXPECT_NEAR(found->changed, std::sqrt(9.0 / 2), 1e-12);
  EXPECT_FALSE(found->as_close());
  EXPECT_EQ(found->last_changed, 5);
  EXPECT_NEAR(found->last_original, 2, 1e-12);
}

TEST(Losses, EqualOriginalsAllowOneUnitOfTheLastDigit) {
  const std::vector<PrintedLosses> originals(4, run({5.99, 5.98}, 0.01));
  EXPECT_TRUE(compare_losses(originals, run({6.00, 5.97}, 0.01))->as_close());
  EXPECT_FALSE(compare_losses(originals, run({6.02, 5.95}, 0.01))->as_close());
  // A run that prints "6.1" where the others print "5.99" is not that coarse.
  EXPECT_FALSE(compare_losses(originals, run({6.1, 6.1}, 0.1))->as_close());
}

TEST(Losses, WhatIsNotFiniteIsFurtherUnlessTheProgramDoesItToo) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(compare_losses({run({1, 2}), run({1, 2})}, run({1, nan}))->as_close());
  EXPECT_FALSE(compare_losses({run({1}), run({1})}, run({nan}))->as_close());
  EXPECT_TRUE(compare_losses({run({1, 2}), run({1, nan})}, run({1, nan}))->as_close());
  EXPECT_FALSE(compare_losses({run({nan}), run({nan})}, run({nan})));
  EXPECT_FALSE(compare_losses({run({1}), run({1})}, run({})));
  EXPECT_FALSE(compare_losses({run({1}), run({})}, run({1})));
  EXPECT_FALSE(compare_losses({run({1})}, run({1})));
}

// Of runs that differ by chance alone few are called further away; of runs that are three times as
// far nearly all are.
TEST(Losses, ChanceIsDistinguishedFromAChange) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  const int trials = test::draws() / 5;
  int wrong = 0, seen = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const int originals = 4 + static_cast<int>(random() % 6),
              losses = 5 + static_cast<int>(random() % 40);
    const auto drawn = [&](double far) {
      std::vector<double> values;
      for (int i = 0; i < losses; ++i) values.push_back(5 + far * 1e-3 * normal(random));
      return run(values);
    };
    std::vector<PrintedLosses> runs;
    for (int i = 0; i < originals; ++i) runs.push_back(drawn(1));
    wrong += compare_losses(runs, drawn(1))->as_close() ? 0 : 1;
    seen += compare_losses(runs, drawn(5))->as_close() ? 0 : 1;
  }
  EXPECT_LE(wrong, trials / 50);
  EXPECT_GE(seen, trials - trials / 20);
}

}  // namespace
}  // namespace rnnadvisor::cli
