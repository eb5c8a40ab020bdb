// Reads a spool (format.h), whatever became of it: a process that was killed at any point leaves a
// good one, a process that still runs is read as far as it had come, and bytes that no plugin ever
// wrote end in an error or in counted damage. Memory is bounded by the file and by one chunk.
// Not for several threads.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "profiler/spool/format.h"

namespace rnnadvisor::spool {

// The header as it stood when the file was opened; texts end where their NUL or their field ends.
struct Header {
  std::uint32_t chunks_begin = 0;
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;  // 0: the process did not come to its end in order
  std::int32_t pid = 0, parent_pid = 0;
  std::int32_t rank = -1, local_rank = -1, world_size = -1;
  std::int32_t exit_status = -1;
  Mode mode = Mode::calls, asked_mode = Mode::calls;
  std::uint64_t lost[static_cast<std::size_t>(Loss::count)] = {};
  std::uint64_t entries[static_cast<std::size_t>(Entry::count)] = {};
  std::uint64_t calls = 0;
  std::uint64_t max_bytes = 0;
  std::vector<Failure> failures;  // why it could not grow
  std::string host, executable;
  std::vector<std::string> command_line;
};

// One record. The bytes are as many as its header says, at least those of its structure.
class Record {
 public:
  Record(Type type, std::span<const std::byte> bytes) : type_(type), bytes_(bytes) {}
  Type type() const { return type_; }
  // T is the structure of type(); Nvtx for nvtx_push, nvtx_start, nvtx_end and nvtx_mark.
  template <class T>
  T as() const {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof value);
    return value;
  }
  // The bytes behind the structure T.
  template <class T>
  std::span<const std::byte> behind() const {
    return bytes_.subspan(sizeof(T));
  }

 private:
  Type type_;
  std::span<const std::byte> bytes_;
};

// What records refer to by id. Of two with one id the first counts.
struct Tables {
  struct Shape {
    Configuration configuration;
    std::vector<std::int32_t> lengths;  // empty: all are max_seq_length
  };
  std::unordered_map<std::uint32_t, std::string> strings;
  std::unordered_map<std::uint32_t, Shape> configurations;
  std::unordered_map<std::uint32_t, CallSite> call_sites;

  // Empty for 0 and for an id that is not there.
  const std::string& text(std::uint32_t id) const;
};

// What could not be read.
struct Damage {
  std::uint64_t chunks = 0;      // no chunk where one should be
  std::uint64_t records = 0;     // broken; what follows one in its chunk is not read
  std::uint64_t unknown = 0;     // whole, but of a type that this version does not know
  std::uint64_t unfinished = 0;  // begun by a thread that did not come back to it; no damage
  bool any() const { return chunks > 0 || records > 0; }
};

class Reader {
 public:
  // Errors: io, not_found, damaged (no spool), newer_version. `name` stands in them.
  static Result<Reader> open(const std::string& path);
  // `bytes` must outlive the reader.
  static Result<Reader> from_bytes(std::string_view bytes, const std::string& name);
  Reader(Reader&& other) noexcept;
  Reader& operator=(Reader&&) = delete;
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader();

  const Header& header() const { return header_; }
  const std::string& name() const { return name_; }

  // The first pass. Reads all that is published by now, so that it knows whatever the records of
  // visit() refer to, also while the process goes on writing.
  Tables read_tables();
  // The second pass: every record that was published when the file was opened, chunk by chunk; the
  // records of a thread are in their order within a chunk only. `visit` answers whether to go on.
  void visit(const std::function<bool(const Record&)>& visit);

  // What the latest pass met.
  const Damage& damage() const { return damage_; }

 private:
  Reader() = default;
  Result<void> read_header();
  std::size_t read_at(std::uint64_t offset, void* into, std::size_t bytes) const;
  // The records of a chunk that are published.
  struct Extent {
    std::uint64_t offset;
    std::uint32_t bytes;
  };
  std::vector<Extent> extents();  // of all chunks as of now
  std::uint64_t next_data(std::uint64_t offset) const;
  void visit_extent(const Extent& extent, const std::function<bool(const Record&)>& visit,
                    bool& stopped);

  std::string name_;
  int descriptor_ = -1;
  std::string_view bytes_;
  Header header_;
  std::vector<Extent> extents_;    // when it was opened
  std::vector<std::byte> buffer_;  // the records of one chunk
  Damage damage_, opened_damage_;
};

}  // namespace rnnadvisor::spool
