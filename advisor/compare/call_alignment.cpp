#include "advisor/compare/call_alignment.h"

#include <algorithm>
#include <map>

namespace rnnadvisor::compare {
namespace {

using Symbols = std::span<const std::int64_t>;

// The n-th of a symbol with the n-th, in the order of `before`; what is left of `after` last.
Alignment by_number(Symbols before, Symbols after) {
  std::map<std::int64_t, std::pair<std::vector<int>, std::size_t>> free;
  for (std::size_t i = 0; i < after.size(); ++i)
    free[after[i]].first.push_back(static_cast<int>(i));
  Alignment result;
  std::vector<char> taken(after.size(), 0);
  for (std::size_t i = 0; i < before.size(); ++i) {
    auto& [rows, next] = free[before[i]];
    const int partner = next < rows.size() ? rows[next++] : -1;
    if (partner >= 0) taken[static_cast<std::size_t>(partner)] = 1;
    result.emplace_back(static_cast<int>(i), partner);
  }
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (taken[i] == 0) result.emplace_back(-1, static_cast<int>(i));
  }
  return result;
}

// The middle part, without what both begin and end with. Empty: too many edits.
class Myers {
 public:
  Myers(Symbols a, Symbols b, int most)
      : a_(a), b_(b), n_(static_cast<int>(a.size())), m_(static_cast<int>(b.size())), most_(most) {}

  bool find(Alignment& out, int offset) {
    const int limit = std::min(most_, n_ + m_);
    std::vector<int> reach(static_cast<std::size_t>(2 * limit + 3), 0);
    const auto at = [&](int k) -> int& {
      const int index = k + limit + 1;
      return reach[static_cast<std::size_t>(index)];
    };
    for (int d = 0; d <= limit; ++d) {
      // What the step before reached, to go back along.
      trace_.emplace_back(reach.begin() + (limit + 1 - d), reach.begin() + (limit + 2 + d));
      for (int k = -d; k <= d; k += 2) {
        int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
        while (x < n_ && x - k < m_ && same(x, x - k)) ++x;
        at(k) = x;
        if (x >= n_ && x - k >= m_) {
          walk_back(d, out, offset);
          return true;
        }
      }
    }
    return false;
  }

 private:
  bool same(int x, int y) const {
    return a_[static_cast<std::size_t>(x)] == b_[static_cast<std::size_t>(y)];
  }

  void walk_back(int d, Alignment& out, int offset) const {
    Alignment back;
    int x = n_, y = m_;
    for (; d > 0; --d) {
      const auto& reach = trace_[static_cast<std::size_t>(d)];
      const auto at = [&](int k) {
        const int index = k + d;
        return reach[static_cast<std::size_t>(index)];
      };
      const int k = x - y;
      const bool down = k == -d || (k != d && at(k - 1) < at(k + 1));
      const int before_k = down ? k + 1 : k - 1;
      const int before_x = at(before_k), before_y = before_x - before_k;
      while (x > before_x && y > before_y) back.emplace_back(--x, --y);
      if (down) {
        back.emplace_back(-1, --y);
      } else {
        back.emplace_back(--x, -1);
      }
    }
    while (x > 0 && y > 0) back.emplace_back(--x, --y);
    for (auto i = back.rbegin(); i != back.rend(); ++i)
      out.emplace_back(i->first < 0 ? -1 : i->first + offset,
                       i->second < 0 ? -1 : i->second + offset);
  }

  Symbols a_, b_;
  int n_, m_, most_;
  std::vector<std::vector<int>> trace_;  // by d: what every diagonal reached before
};

// Calls of a process in the order of time.
std::map<int, std::vector<int>> calls_by_process(const Profile& profile) {
  std::map<int, std::vector<int>> calls;
  for (std::size_t i = 0; i < profile.calls.size(); ++i)
    calls[profile.calls[i].process].push_back(static_cast<int>(i));
  for (auto& [process, rows] : calls) {
    std::stable_sort(rows.begin(), rows.end(), [&](int a, int b) {
      return profile.calls[static_cast<std::size_t>(a)].host_start_ns <
             profile.calls[static_cast<std::size_t>(b)].host_start_ns;
    });
  }
  return calls;
}

int rank_of(const Profile& profile, int process) {
  return process < 0 ? -1 : profile.processes[static_cast<std::size_t>(process)].rank;
}

// Which process of `after` stands for which of `before`, both of those that made calls.
std::vector<std::pair<int, int>> match_processes(const Profile& before, const Profile& after,
                                                 const std::map<int, std::vector<int>>& left,
                                                 const std::map<int, std::vector<int>>& right) {
  std::vector<int> a, b;
  for (const auto& [process, calls] : left) a.push_back(process);
  for (const auto& [process, calls] : right) b.push_back(process);
  std::vector<std::pair<int, int>> pairs;
  const auto take = [&](auto wanted) {
    std::erase_if(a, [&](int process) {
      const auto partner =
          std::find_if(b.begin(), b.end(), [&](int other) { return wanted(process, other); });
      if (partner == b.end()) return false;
      pairs.emplace_back(process, *partner);
      b.erase(partner);
      return true;
    });
  };
  take([&](int process, int other) {
    return rank_of(before, process) >= 0 && rank_of(before, process) == rank_of(after, other);
  });
  take([](int, int) { return true; });
  for (const int process : a) pairs.emplace_back(process, -2);
  for (const int process : b) pairs.emplace_back(-2, process);
  return pairs;
}

}  // namespace

Alignment align(std::span<const std::int64_t> before, std::span<const std::int64_t> after,
                int edits) {
  std::size_t begin = 0;
  const std::size_t shorter = std::min(before.size(), after.size());
  while (begin < shorter && before[begin] == after[begin]) ++begin;
  std::size_t end = 0;
  while (end < shorter - begin && before[before.size() - 1 - end] == after[after.size() - 1 - end])
    ++end;
  Alignment result;
  for (std::size_t i = 0; i < begin; ++i)
    result.emplace_back(static_cast<int>(i), static_cast<int>(i));
  const auto middle = before.subspan(begin, before.size() - begin - end);
  const auto other = after.subspan(begin, after.size() - begin - end);
  if (!Myers(middle, other, edits).find(result, static_cast<int>(begin)))
    return by_number(before, after);
  for (std::size_t i = end; i-- > 0;)
    result.emplace_back(static_cast<int>(before.size() - 1 - i),
                        static_cast<int>(after.size() - 1 - i));
  return result;
}

Alignment align_calls(const Profile& before, const Profile& after,
                      std::span<const std::int64_t> before_symbols,
                      std::span<const std::int64_t> after_symbols) {
  auto left = calls_by_process(before), right = calls_by_process(after);
  const auto leave_out = [](auto& calls, std::span<const std::int64_t> symbols) {
    for (auto& [process, rows] : calls)
      std::erase_if(rows, [&](int row) { return symbols[static_cast<std::size_t>(row)] < 0; });
  };
  leave_out(left, before_symbols);
  leave_out(right, after_symbols);
  const auto of_rows = [](const std::vector<int>& rows, std::span<const std::int64_t> symbols) {
    std::vector<std::int64_t> result;
    result.reserve(rows.size());
    for (const int row : rows) result.push_back(symbols[static_cast<std::size_t>(row)]);
    return result;
  };
  static const std::vector<int> none;
  Alignment result;
  for (const auto& [process, other] : match_processes(before, after, left, right)) {
    const auto a = left.find(process), b = right.find(other);
    const auto& rows = a == left.end() ? none : a->second;
    const auto& others = b == right.end() ? none : b->second;
    const auto of = of_rows(rows, before_symbols), with = of_rows(others, after_symbols);
    for (const auto& [x, y] : align(of, with))
      result.emplace_back(x < 0 ? -1 : rows[static_cast<std::size_t>(x)],
                          y < 0 ? -1 : others[static_cast<std::size_t>(y)]);
  }
  return result;
}

}  // namespace rnnadvisor::compare
