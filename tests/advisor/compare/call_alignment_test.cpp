#include "advisor/compare/call_alignment.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace rnnadvisor::compare {
namespace {

std::vector<std::int64_t> symbols(const std::string& text) { return {text.begin(), text.end()}; }

// The length of a longest common subsequence, by the table that everybody knows.
std::size_t longest(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> table(a.size() + 1,
                                              std::vector<std::size_t>(b.size() + 1, 0));
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j)
      table[i][j] = a[i - 1] == b[j - 1] ? table[i - 1][j - 1] + 1
                                         : std::max(table[i - 1][j], table[i][j - 1]);
  }
  return table[a.size()][b.size()];
}

std::size_t matched(const Alignment& alignment) {
  return static_cast<std::size_t>(std::count_if(alignment.begin(), alignment.end(), [](auto pair) {
    return pair.first >= 0 && pair.second >= 0;
  }));
}

// Everything once, in order, and only equals matched.
void expect_sound(const Alignment& alignment, const std::string& a, const std::string& b) {
  int next_a = 0, next_b = 0;
  for (const auto& [x, y] : alignment) {
    if (x >= 0) {
      ASSERT_EQ(x, next_a++);
    }
    if (y >= 0) {
      ASSERT_EQ(y, next_b++);
    }
    ASSERT_TRUE(x >= 0 || y >= 0);
    if (x >= 0 && y >= 0) {
      ASSERT_EQ(a[static_cast<std::size_t>(x)], b[static_cast<std::size_t>(y)]);
    }
  }
  ASSERT_EQ(next_a, static_cast<int>(a.size()));
  ASSERT_EQ(next_b, static_cast<int>(b.size()));
}

TEST(Align, FindsALongestCommonSequence) {
  std::mt19937 random(3);
  for (int n = 0; n < 400; ++n) {
    std::string a, b;
    for (auto* text : {&a, &b}) {
      const auto length = random() % 24;
      for (unsigned i = 0; i < length; ++i) *text += static_cast<char>('a' + random() % 4);
    }
    const auto alignment = align(symbols(a), symbols(b));
    expect_sound(alignment, a, b);
    EXPECT_EQ(matched(alignment), longest(a, b)) << a << ' ' << b;
  }
}

TEST(Align, AStepMoreMovesNothingElse) {
  // Steps of forward, backward, weights; the second profile has an evaluation after the second.
  const auto alignment = align(symbols("fbwfbwfbw"), symbols("fbwfbweefbw"));
  EXPECT_EQ(alignment, (Alignment{{0, 0},
                                  {1, 1},
                                  {2, 2},
                                  {3, 3},
                                  {4, 4},
                                  {5, 5},
                                  {-1, 6},
                                  {-1, 7},
                                  {6, 8},
                                  {7, 9},
                                  {8, 10}}));
}

TEST(Align, TooManyEditsAreMatchedByNumber) {
  const std::string a = "aabbaa", b = "bbaabb";
  const auto alignment = align(symbols(a), symbols(b), 1);
  EXPECT_EQ(matched(alignment), 4U);
  EXPECT_EQ(alignment.size(), 8U);
  for (const auto& [x, y] : alignment) {
    if (x >= 0 && y >= 0) {
      EXPECT_EQ(a[static_cast<std::size_t>(x)], b[static_cast<std::size_t>(y)]);
    }
  }
}

TEST(Align, LongSequencesTakeNoTime) {
  std::vector<std::int64_t> a;
  for (int i = 0; i < 200'000; ++i) a.push_back(i % 3);
  auto b = a;
  b.insert(b.begin() + 90'000, {7, 7, 7});
  b.erase(b.begin() + 1000);
  const auto alignment = align(a, b);
  EXPECT_EQ(matched(alignment), a.size() - 1);
}

RnnCall call_at(int configuration, Phase phase, std::int64_t start, int process) {
  RnnCall made;
  made.configuration = configuration;
  made.phase = phase;
  made.host_start_ns = start;
  made.host_end_ns = start + 1;
  made.process = process;
  return made;
}

// Ranks find each other whatever order the processes stand in, and a configuration its partner.
TEST(AlignCalls, FollowsProcessesAndConfigurations) {
  Profile before, after;
  for (auto* profile : {&before, &after}) profile->processes.resize(2);
  before.processes[0].rank = after.processes[1].rank = 0;
  before.processes[1].rank = after.processes[0].rank = 1;
  before.calls = {call_at(0, Phase::forward_training, 20, 0),
                  call_at(0, Phase::backward_data, 30, 0),
                  call_at(1, Phase::forward_training, 10, 1)};
  // Not in the order of time, and with another number for the configuration.
  after.calls = {
      call_at(5, Phase::backward_data, 90, 1), call_at(5, Phase::forward_training, 80, 1),
      call_at(5, Phase::forward_inference, 70, 1), call_at(6, Phase::forward_training, 1, 0)};
  // Configuration 0 became 5, and 1 became 6.
  const auto symbols_of = [](const Profile& profile, int first) {
    std::vector<std::int64_t> result;
    for (const auto& made : profile.calls)
      result.push_back((made.configuration - first) * 16 + static_cast<std::int64_t>(made.phase));
    return result;
  };
  auto alignment = align_calls(before, after, symbols_of(before, 0), symbols_of(after, 5));
  std::sort(alignment.begin(), alignment.end());
  EXPECT_EQ(alignment, (Alignment{{-1, 2}, {0, 1}, {1, 0}, {2, 3}}));
}

}  // namespace
}  // namespace rnnadvisor::compare
