// The kernels of a profile out of their tables: of all records the many. Large tables are read by
// two threads, each the rows of one half, into columns that have their length already.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <future>

#include "profiler/profile/check.h"
#include "profiler/profile/file_parts.h"

namespace rnnadvisor {
namespace {

using sqlite::Rows;

constexpr std::size_t worth_a_thread = 500'000;
constexpr std::size_t rows_between_questions = 1 << 15;
// An id, five values and their header take at least that much in a file.
constexpr std::int64_t least_row_bytes = 8;

struct KernelKind {
  int name, device, stream, process;
  std::array<int, 3> grid, block;
  int registers;
  std::int64_t shared_static, shared_dynamic;
  model::Implementation family;
  KernelRole role;
};

void resize(KernelTable& k, std::size_t rows) {
  const auto all = [rows](auto&... column) { (column.resize(rows), ...); };
  all(k.start_ns, k.end_ns, k.name, k.call, k.device, k.stream, k.process, k.correlation, k.grid,
      k.block, k.registers, k.shared_static, k.shared_dynamic, k.family, k.role);
}

void shrink(KernelTable& k) {
  const auto all = [](auto&... column) { (column.shrink_to_fit(), ...); };
  all(k.start_ns, k.end_ns, k.name, k.call, k.device, k.stream, k.process, k.correlation, k.grid,
      k.block, k.registers, k.shared_static, k.shared_dynamic, k.family, k.role);
}

class Kernels {
 public:
  Kernels(Profile& profile, const RecordsInput& input) : p_(profile), input_(input) {}

  Result<void> read(const std::function<int(Rows&, int)>& process) {
    auto done = read_kinds(process);
    if (!done) return done;
    const std::int64_t last = last_id();
    // Files number their rows from 0. Where one does not, or says what cannot be, its rows are
    // taken as they come.
    const std::int64_t most = input_.file_bytes / least_row_bytes;
    if (last < 0 || last >= most) return grow();
    const auto rows = static_cast<std::size_t>(last) + 1;
    resize(p_.kernels, rows);
    if (rows < worth_a_thread || !input_.another) {
      done = fill(input_.database, 0, rows, true);
    } else {
      done = halves(rows);
    }
    if (gaps_ && done) {
      p_.kernels = {};
      return grow();
    }
    return done;
  }

 private:
  Result<void> read_kinds(const std::function<int(Rows&, int)>& process) {
    return read_table(input_.database, "kernel_kinds",
                      "name, device, stream, process, grid_x, grid_y, grid_z, block_x, block_y, "
                      "block_z, registers, shared_static, shared_dynamic, family, role",
                      [&](Rows& r) {
                        kinds_.push_back({r.index(0, p_.strings.size(), false),
                                          r.index(1, p_.devices.size()),
                                          r.int32(2),
                                          process(r, 3),
                                          {r.int32(4, 0), r.int32(5, 0), r.int32(6, 0)},
                                          {r.int32(7, 0), r.int32(8, 0), r.int32(9, 0)},
                                          r.int32(10, 0),
                                          r.int64(11, 0),
                                          r.int64(12, 0),
                                          r.word(13, model::Implementation::persistent_small_h),
                                          r.word(14, KernelRole::unknown)});
                      });
  }

  std::int64_t last_id() const {
    // Each alone is a look at one end of the tree; together they would be a walk through it.
    std::int64_t ends[2] = {-1, -1};
    for (const int which : {0, 1}) {
      Rows rows(input_.database, "kernel_records",
                fmt::format("SELECT {}(id) FROM kernel_records", which == 0 ? "min" : "max"));
      if (!rows.next() || rows.is_null(0)) return -1;
      ends[which] = rows.int64(0);
      if (!rows.ok()) return -1;
    }
    return ends[0] == 0 ? ends[1] : -1;
  }

  // The row at hand into place `at`.
  void take(Rows& r, std::size_t at) {
    auto& k = p_.kernels;
    const std::int64_t start = input_.origin + r.int64(0, 0, latest_time_ns - input_.origin);
    const std::int64_t end = start + r.int64(1, 0, latest_time_ns - start);
    const int kind_index = r.index(2, kinds_.size(), false);
    if (!r.ok()) return;
    const auto& kind = kinds_[static_cast<std::size_t>(kind_index)];
    k.start_ns[at] = start;
    k.end_ns[at] = end;
    k.name[at] = kind.name;
    k.call[at] = r.index(3, p_.calls.size());
    k.device[at] = kind.device;
    k.stream[at] = kind.stream;
    k.process[at] = kind.process;
    k.correlation[at] = r.int64(4);
    k.grid[at] = kind.grid;
    k.block[at] = kind.block;
    k.registers[at] = kind.registers;
    k.shared_static[at] = kind.shared_static;
    k.shared_dynamic[at] = kind.shared_dynamic;
    k.family[at] = kind.family;
    k.role[at] = kind.role;
  }

  // Whether to go on. Only the calling thread asks its caller.
  bool going(std::size_t rows, bool may_ask) {
    done_ += rows;
    if (may_ask && input_.options.keep_going) {
      const double share =
          static_cast<double>(done_.load()) / static_cast<double>(p_.kernels.size());
      if (!input_.options.keep_going(std::min(share, 1.0))) stop_ = true;
    }
    return !stop_;
  }

  // Rows with ids from `from` to before `to` into their places.
  Result<void> fill(sqlite3* database, std::size_t from, std::size_t to, bool may_ask) {
    Rows rows(database, "kernel_records",
              fmt::format("SELECT start_ns, duration_ns, kind, call, correlation FROM "
                          "kernel_records WHERE id >= {} AND id < {} ORDER BY id",
                          from, to));
    std::size_t at = from;
    for (; rows.next(); ++at) {
      take(rows, at);
      if (!rows.ok()) break;
      if ((at - from + 1) % rows_between_questions == 0 && !going(rows_between_questions, may_ask))
        return fail(ErrorCode::interrupted, "reading was cancelled");
    }
    if (!rows.ok()) {
      stop_ = true;
      return fail(rows.error());
    }
    if (at != to) gaps_ = true;
    return {};
  }

  Result<void> halves(std::size_t rows) {
    const std::size_t middle = rows / 2;
    auto second = std::async(std::launch::async, [&]() -> Result<void> {
      const auto database = input_.another();
      if (!database) return fail(database.error());
      return fill(database->get(), middle, rows, false);
    });
    auto first = fill(input_.database, 0, middle, true);
    auto other = second.get();
    if (!first) return first;
    return other;
  }

  Result<void> grow() {
    std::size_t at = 0;
    auto done = read_table(input_.database, "kernel_records",
                           "start_ns, duration_ns, kind, call, correlation", [&](Rows& r) {
                             if (at == p_.kernels.size()) resize(p_.kernels, at * 2 + 64);
                             take(r, at);
                             ++at;
                           });
    resize(p_.kernels, at);
    shrink(p_.kernels);
    return done;
  }

  Profile& p_;
  const RecordsInput& input_;
  std::vector<KernelKind> kinds_;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stop_ = false, gaps_ = false;
};

}  // namespace

Result<void> read_kernels(Profile& profile, const RecordsInput& input,
                          const std::function<int(Rows&, int)>& process) {
  return Kernels(profile, input).read(process);
}

}  // namespace rnnadvisor
