// Appends records to a spool. Made for the inside of a stranger's process: no exceptions, no C++
// library, no threads of its own, no lock on the way of a record but once per chunk. Safe from any
// thread; not to be used in signal handlers.
#pragma once

#include <sys/types.h>

#include "profiler/spool/format.h"

namespace rnnadvisor::spool {

struct WriterSettings {
  const char* folder = nullptr;
  std::uint64_t max_bytes = 0;
  std::uint32_t chunk_bytes = 256 * 1024;
  Mode mode = Mode::kernels;
};

void release_chunk_of_thread(void* writer);  // when a thread ends

// One per process, in static storage: zero is its state before open().
class Writer {
 public:
  // Makes the file of this process. False, with errno, when that fails; nothing is recorded then.
  bool open(const WriterSettings& settings);
  bool is_open() const { return header_ != nullptr; }
  FileHeader& header() { return *header_; }

  // Copies a record and its tail behind the last one of this thread. What does not fit any more is
  // counted under `loss`.
  bool append(const void* record, std::size_t bytes, Loss loss, const void* tail = nullptr,
              std::size_t tail_bytes = 0);
  template <typename Record>
  bool add(Record record, Loss loss, const void* tail = nullptr, std::size_t tail_bytes = 0) {
    record.header = {Record::type, 0};
    return append(&record, sizeof(Record), loss, tail, tail_bytes);
  }
  void count_loss(Loss loss, std::uint64_t count = 1);

  // The id of a text; the first use writes it. 0 for null and when the table is full. For texts of
  // which a program may make any number it is full earlier, so that the others still find room.
  enum class Kind { few, many };
  std::uint32_t intern(const char* text);
  std::uint32_t intern(const char* text, std::size_t length, Kind kind = Kind::few);

  // After fork() in the child: forgets the parent's file without touching it. Nearly nothing is
  // done before the next open(), because most children go on to exec().
  void forget();

 private:
  struct ThreadState {
    ChunkHeader* chunk;
    std::uint32_t used, generation;
  };
  static ThreadState& thread_state();
  bool next_chunk(ThreadState& state);
  void* map_chunk(std::uint64_t offset);
  bool is_file(int descriptor) const;
  int file();

  FileHeader* header_ = nullptr;
  std::uint32_t chunk_bytes_ = 0;
  int descriptor_ = 0;  // and 1 more; 0: none
  dev_t device_ = 0;
  ino_t inode_ = 0;
  char path_[4096] = {};
  bool forgotten_ = false;
  std::atomic<bool> full_{false};
  std::atomic<std::uint32_t> generation_{0};  // of the process since the last fork
  struct FreeChunk {
    ChunkHeader* chunk;
    std::uint32_t used;
  };
  static constexpr std::size_t max_free = 64;
  FreeChunk free_[max_free] = {};  // begun by threads that are gone
  std::atomic<std::size_t> free_count_{0};
  static constexpr std::size_t string_slots = 1 << 16;
  std::atomic<std::uint64_t> strings_[string_slots] =
      {};  // hash of the text whose id is the slot + 1
  std::atomic<std::uint32_t> string_count_{0};

  friend void release_chunk_of_thread(void* writer);
};

// 64 bits of a byte string, never 0.
std::uint64_t hash_bytes(const void* data, std::size_t bytes);

}  // namespace rnnadvisor::spool
