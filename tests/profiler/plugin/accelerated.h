// A program of cuDNN that computes, run with and without another algorithm below it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "tests/profiler/plugin/child.h"

namespace rnnadvisor::plugin_test {

inline constexpr int standard = 0, persist_static = 1, small_h = 3;

class Accelerated : public ::testing::Test {
 protected:
  Accelerated() : child(PROBE_FILE) {
    child.variable("STANDIN_COMPUTES", "1")
        .variable("RNNADVISOR_ACCELERATE", "exact")
        .variable("RNNADVISOR_RECORD", "choices")
        .variable("RNNADVISOR_ACCELERATE_BUDGET_MS", "100000000")
        .variable("STANDIN_MS", "standard=3,persist_static=1,persist_static_small_h=2");
  }

  // As `try` has it where code of ours in the program may change a layer.
  void try_a_change(const char* accelerate, int steps) {
    child.variable("RNNADVISOR_ACCELERATE", accelerate)
        .variable("RNNADVISOR_TRY_STEPS", std::to_string(steps))
        .variable("RNNADVISOR_CHANGES", "/nowhere");
  }

  // Runs the program with and without acceleration, and compares what it printed.
  Result run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "accelerate");
    return compare(arguments);
  }
  Result compare(const std::vector<std::string>& arguments) {
    Child plain(PROBE_FILE);
    plain.variable("STANDIN_COMPUTES", "1").alone();
    const auto expected = plain.run(arguments);
    EXPECT_EQ(expected.status, 0) << expected.error;
    auto result = child.run(arguments);
    EXPECT_EQ(result.status, 0) << result.error;
    expect_alike(expected.out, result.out);
    return result;
  }
  static void expect_alike(const std::string& expected, const std::string& got) {
    std::istringstream a(expected), b(got);
    std::string one, other;
    int words = 0;
    while (a >> one) {
      ASSERT_TRUE(b >> other);
      ++words;
      char* end = nullptr;
      const double x = std::strtod(one.c_str(), &end);
      if (*end != 0) {
        ASSERT_EQ(one, other);
        continue;
      }
      const double y = std::strtod(other.c_str(), nullptr);
      ASSERT_NEAR(x, y, 1e-3 * std::abs(x) + 1e-2) << "word " << words;
    }
    EXPECT_FALSE(b >> other);
    EXPECT_GT(words, 0);
  }
  static std::uint64_t kept(const spool::Acceleration& choice, spool::Kept why) {
    return choice.kept[static_cast<std::size_t>(why)];
  }
  static const spool::ChoiceVariant* variant(const spool::Acceleration& choice, int algo) {
    for (const auto& one : choice.variants)
      if (one.algo == algo && one.state != spool::VariantState::absent) return &one;
    return nullptr;
  }
  // Calls of a phase that the choice is for. A slow machine has more of the steps, at least 60 ms
  // at a time, that run the program's own algorithms so that whole steps can be compared.
  static std::uint64_t settled(const spool::Acceleration& choice, std::size_t phase) {
    return choice.substituted[phase] + kept(choice, spool::Kept::whole_step) / spool::choice_phases;
  }
  static int chosen(const spool::Acceleration& choice) {
    return choice.variants[choice.chosen].algo;
  }

  Child child;
};

}  // namespace rnnadvisor::plugin_test
