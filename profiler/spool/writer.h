// Appends records to a spool. Made for the inside of a stranger's process: no exceptions, no C++
// library, no threads of its own, no lock on the way of a record but once per chunk. Safe from any
// thread, and from signal handlers that interrupt it, whether they return or leave by siglongjmp().
// errno is kept.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include "profiler/spool/format.h"
#include "profiler/spool/hash.h"

namespace rnnadvisor::spool {

struct WriterSettings {
  const char* folder = nullptr;
  std::uint64_t max_bytes = 0;
  Mode mode = Mode::kernels;
};

// One per process, in static storage: zero is its state before open().
class Writer {
 public:
  // At the start of the process, before anything else: so that a thread's first record allocates
  // nothing, which a signal handler must not do.
  static void prepare();

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
  // Whether this process is such a child without our handlers having run: clone() and _Fork() run
  // no handlers. Nothing is recorded then, until forget() and open().
  bool is_inherited() const {
    return header_ != nullptr && __atomic_load_n(owned_, __ATOMIC_RELAXED) == 0;
  }
  // In such a child: true for the first that asks.
  bool claim_inherited();

 private:
  // A chunk that is mapped here; `at` null: the entry is not used. A thread's own, or free for the
  // next thread that needs one.
  struct Chunk {
    std::atomic<ChunkHeader*> at;
    std::uint32_t bytes;
    std::atomic<std::uint32_t> used;  // of the records behind its header; a record begins there
    std::uint32_t next;               // free: index of the next free one and 1 more
    std::uint32_t room() const { return bytes - static_cast<std::uint32_t>(sizeof(ChunkHeader)); }
  };
  struct ThreadState {
    std::atomic<Chunk*> chunk;
    std::uint32_t generation;
    std::uint32_t wanted;  // bytes of the thread's latest chunk: the next one is larger
    // Calls of append() that this thread is in: more than one in a signal handler that came in
    // between, and after one that left by siglongjmp().
    std::atomic<std::uint32_t> depth;
  };
  class Entered;
  static ThreadState& thread_state();
  unsigned char* reserve(ThreadState& state, std::uint32_t bytes, Chunk*& chunk);
  bool is_hopeless() const;
  bool next_chunk(ThreadState& state, const Chunk* instead_of, std::uint32_t record_bytes);
  // All of these with the lock held.
  Chunk* take_free(std::uint32_t room, std::uint32_t patience);
  Chunk* new_chunk(std::uint32_t wanted, std::uint32_t least);
  Chunk* carve(std::uint32_t bytes);
  void give_back(Chunk& chunk);
  void unmap(Chunk& chunk);
  bool grow(std::uint32_t wanted, std::uint32_t least);
  bool map_behind(int descriptor, std::uint32_t bytes);
  void failed(Step step, int error);
  void tell_cut_off();
  int open_again();
  bool is_file(int descriptor) const;
  // Of a file that was cut off while it was mapped.
  static void on_bus_error(int signal, siginfo_t* info, void* context);
  void guard_mappings();
  bool mend(const void* address);

  FileHeader* header_ = nullptr;
  // 1, and then whether a child claims what it inherited: both 0 in a child, whose page of these
  // the kernel wipes.
  std::uint32_t* owned_ = nullptr;
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  // in front of all below but strings_
  std::uint32_t unit_ = 0;                             // of the sizes of chunks: a page
  std::uint64_t max_bytes_ = 0;
  int descriptor_ = 0;  // and 1 more; 0: none
  dev_t device_ = 0;
  ino_t inode_ = 0;
  char path_[4096] = {};
  bool forgotten_ = false;
  std::atomic<std::uint32_t> generation_{0};  // of the process since the last fork

  std::uint64_t end_ = 0;  // of the chunks in the file
  // What is mapped behind it and is no chunk yet.
  unsigned char* region_ = nullptr;
  std::uint32_t region_bytes_ = 0;
  std::atomic<bool> full_{false};     // max_bytes is reached
  std::atomic<bool> cut_off_{false};  // the file was; nothing more is recorded
  bool told_cut_off_ = false;
  std::atomic<std::int64_t> retry_ns_{0};
  std::int64_t patience_ns_ = 0;  // between two attempts to grow

  // As many threads at a time can record. Untouched entries take no memory.
  static constexpr std::uint32_t most_mapped = 1 << 16;
  Chunk chunks_[most_mapped] = {};
  std::atomic<std::uint32_t> entries_{0};  // of chunks_ that were ever used
  std::uint32_t unused_ = 0;               // an entry that was, and 1 more
  std::uint32_t free_ = 0;                 // a chunk without an owner, and 1 more
  std::atomic<std::uint32_t> free_count_{0};

  static constexpr std::size_t string_slots = 1 << 16;
  std::atomic<std::uint64_t> strings_[string_slots] =
      {};  // hash of the text whose id is the slot + 1
  std::atomic<std::uint32_t> string_count_{0};

  static void release_chunk_of_thread(void* writer);  // when a thread ends
};

}  // namespace rnnadvisor::spool
