#include "profiler/profile/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

#include "profiler/profile/tables.h"

namespace rnnadvisor {
namespace {

class Checker {
 public:
  explicit Checker(ErrorCode code) : code_(code) {}
  bool ok() const { return message_.empty(); }
  Result<void> result() const {
    if (ok()) return {};
    return fail(code_, message_);
  }

  void at(std::string_view table) { table_ = table; }

  void same_length(std::size_t count, std::string_view column, std::size_t length) {
    if (length != count && ok())
      message_ = fmt::format("{}: {} has {} rows of {}", table_, column, length, count);
  }

  void in_range(std::size_t row, std::string_view column, std::int64_t value, std::int64_t least,
                std::int64_t most) {
    if ((value >= least && value <= most) || !ok()) return;
    message_ = fmt::format("{} row {}: {} is {}, expected {} to {}", table_, row, column, value,
                           least, most);
  }

  void finite(std::size_t row, std::string_view column, double value) {
    if (!std::isfinite(value) && ok())
      message_ = fmt::format("{} row {}: {} is not finite", table_, row, column);
  }

  // Adds up what was added since start_sum().
  void start_sum() { total_ = 0; }
  void add(std::size_t row, std::string_view column, std::int64_t value) {
    if (ok() && __builtin_add_overflow(total_, value, &total_))
      message_ = fmt::format("{} row {}: the sum of {} overflows", table_, row, column);
  }

  void fail_at(std::size_t row, std::string_view what) {
    if (ok()) message_ = fmt::format("{} row {}: {}", table_, row, what);
  }

 private:
  ErrorCode code_;
  std::string_view table_;
  std::string message_;
  std::int64_t total_ = 0;
};

}  // namespace

namespace columns {
namespace {

// All values of one column, as its kind asks.
template <class Of, class Rows>
class ColumnCheck {
 public:
  ColumnCheck(Checker& checker, const Profile& profile, const char* name, const Of& of,
              const Rows& rows)
      : c_(checker), p_(profile), name_(name), of_(of), rows_(rows) {}

  template <std::int64_t least, std::int64_t most>
  void check(Range<least, most> /*kind*/) {
    each([&](std::size_t i, std::int64_t value) { c_.in_range(i, name_, value, least, most); });
  }
  template <std::int64_t from, std::int64_t unknown, std::int64_t most>
  void check(Known<from, unknown, most> /*kind*/) {
    each([&](std::size_t i, std::int64_t value) {
      c_.in_range(i, name_, value, std::min(from, unknown), most);
    });
  }
  template <Target target, None none>
  void check(Id<target, none> /*kind*/) {
    const auto count = static_cast<std::int64_t>(rows_of<target>(p_).size());
    each([&](std::size_t i, int value) {
      c_.in_range(i, name_, value, none == None::refused ? 0 : -1, count - 1);
    });
  }
  void check(Earlier /*kind*/) {
    each([&](std::size_t i, int value) {
      c_.in_range(i, name_, value, -1, static_cast<std::int64_t>(i) - 1);
    });
  }
  // Deeper than there are ranges is impossible, and a reader may draw one row per level.
  void check(Level /*kind*/) {
    each([&](std::size_t i, int value) {
      c_.in_range(i, name_, value, 0, static_cast<std::int64_t>(i));
    });
  }
  void check(Size /*kind*/) {
    check(Range<0>{});
    sum([](std::size_t /*row*/, std::int64_t value) { return value; });
  }
  template <auto last>
  void check(Word<last> /*kind*/) {
    each([&](std::size_t i, auto value) {
      c_.in_range(i, name_, static_cast<std::int64_t>(value), 0, static_cast<std::int64_t>(last));
    });
  }
  void check(Real /*kind*/) {
    each([&](std::size_t i, double value) { c_.finite(i, name_, value); });
  }
  template <Sorted sorted>
  void check(Start<sorted> /*kind*/) {
    std::int64_t previous = 0;
    each([&](std::size_t i, std::int64_t value) {
      c_.in_range(i, name_, value, previous, latest_time_ns);
      if (sorted == Sorted::yes) previous = value;
    });
  }
  template <class Begin>
  void check(const Duration<Begin>& kind) {
    const auto begin = [&](std::size_t i) { return cell(kind.begin, rows_, i); };
    each([&](std::size_t i, std::int64_t end) {
      c_.in_range(i, "end", end, begin(i), latest_time_ns);
    });
    sum([&](std::size_t i, std::int64_t end) { return end - begin(i); });
  }
  void check(OptionalTime /*kind*/) { check(Range<-1, latest_time_ns>{}); }
  void check(Lengths /*kind*/) {
    each([&](std::size_t i, const std::vector<int>& lengths) {
      for (const int length : lengths) c_.in_range(i, name_, length, 0, most_int);
    });
  }
  void check(Samples /*kind*/) {
    each([&](std::size_t i, const std::vector<double>& samples) {
      for (const double sample : samples) c_.finite(i, name_, sample);
    });
  }
  void check(MeasuredWithSource /*kind*/) {
    each([&](std::size_t i, const std::optional<MeasuredValue>& measured) {
      if (measured) c_.finite(i, name_, measured->value);
    });
  }
  void check(SizeWithExactness /*kind*/) {
    each([&](std::size_t i, const model::Bytes& size) {
      c_.in_range(i, name_, size.value, 0, std::numeric_limits<std::int64_t>::max());
      c_.in_range(i, name_, static_cast<int>(size.exactness), 0,
                  static_cast<int>(model::Exactness::unknown));
    });
  }
  void check(Dimensions /*kind*/) {
    each([&](std::size_t i, const std::array<int, 3>& dimensions) {
      for (const int value : dimensions) c_.in_range(i, name_, value, 0, most_int);
    });
  }
  void check(Payload /*kind*/) {
    each([&](std::size_t i, const NvtxPayload& payload) {
      const auto* number = std::get_if<std::uint64_t>(&payload);
      if (number != nullptr && std::in_range<std::int64_t>(*number))
        c_.fail_at(i, fmt::format("payload {} is kept as an unsigned number", *number));
    });
  }
  template <class Kind>
  void check(const Kind& /*kind*/) {}  // any value will do

 private:
  static constexpr int most_int = std::numeric_limits<int>::max();

  template <class Function>
  void each(const Function& function) {
    for (std::size_t i = 0; c_.ok() && i < rows_.size(); ++i) function(i, cell(of_, rows_, i));
  }
  template <class Term>
  void sum(const Term& term) {
    c_.start_sum();
    each([&](std::size_t i, std::int64_t value) {
      if (c_.ok()) c_.add(i, name_, term(i, value));
    });
  }

  Checker& c_;
  const Profile& p_;
  const char* name_;
  const Of& of_;
  const Rows& rows_;
};

template <class Columns, class Rows>
void check_rows(Checker& c, const Profile& p, const char* table, const Columns& columns,
                const Rows& rows) {
  c.at(table);
  if constexpr (!is_vector<Rows>) {
    for_each(columns, [&](const auto& column) {
      c.same_length(rows.size(), column.name, column.of(rows).size());
    });
  }
  for_each(columns, [&](const auto& column) {
    if (c.ok()) ColumnCheck(c, p, column.name, column.of, rows).check(column.kind);
  });
}

void check_tables(Checker& c, const Profile& p) {
  for_each_table([&](const auto& table) {
    if constexpr (is_parts<decltype(table)>) {
      for (const auto& owner : table.owners(p)) {
        const auto& rows = table.of(owner);
        check_rows(c, p, table.name, table.columns, rows);
      }
    } else {
      check_rows(c, p, table.name, table.columns, table.of(p));
    }
  });
}

}  // namespace
}  // namespace columns

namespace {

// What the columns of a row mean to each other.

void check_processes(Checker& c, const Profile& p) {
  c.at("processes");
  for (std::size_t i = 0; c.ok() && i < p.processes.size(); ++i) {
    const auto& process = p.processes[i];
    if (process.end_ns != -1)
      c.in_range(i, "end_ns", process.end_ns, std::max<std::int64_t>(process.start_ns, 0),
                 latest_time_ns);
    const bool exited = process.end == ProcessEnd::exited;
    c.in_range(i, "exit_status", process.exit_status, exited ? 0 : -1, exited ? 255 : -1);
    const bool ended = process.end == ProcessEnd::signalled || process.end == ProcessEnd::killed;
    c.in_range(i, "signal", process.signal, ended ? 1 : -1, ended ? 127 : -1);
  }
}

void check_arguments(Checker& c, const Profile& p) {
  c.at("call_arguments");
  for (std::size_t i = 0; c.ok() && i < p.call_arguments.size(); ++i) {
    for (const std::int64_t bytes : p.call_arguments[i].alignment) {
      if (bytes < -1 || (bytes > 0 && !std::has_single_bit(static_cast<std::uint64_t>(bytes))))
        c.fail_at(i, fmt::format("alignment is {}, expected -1, 0 or a power of two", bytes));
    }
  }
}

void check_device_times(Checker& c, const Profile& p) {
  c.at("calls");
  c.start_sum();
  for (std::size_t i = 0; c.ok() && i < p.calls.size(); ++i) {
    const auto& call = p.calls[i];
    if (call.device_duration_ns < 0) {
      c.in_range(i, "device_start_ns without a duration", call.device_start_ns, -1, -1);
      continue;
    }
    c.in_range(i, "device_start_ns", call.device_start_ns, -1,
               latest_time_ns - call.device_duration_ns);
    c.add(i, "device duration", call.device_duration_ns);
  }
}

}  // namespace

Result<void> check_profile(const Profile& profile, ErrorCode code) {
  Checker checker(code);
  for (const auto check :
       {columns::check_tables, check_processes, check_arguments, check_device_times}) {
    check(checker, profile);
    if (!checker.ok()) break;
  }
  return checker.result();
}

}  // namespace rnnadvisor
