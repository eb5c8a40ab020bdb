#include "profiler/spool/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "profiler/spool/undisturbed.h"
#include "profiler/spool/writer_files.h"

namespace rnnadvisor::spool {
namespace {

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

// A RecordHeader as the one word that is written at once.
static_assert(sizeof(RecordHeader) == 8 && offsetof(RecordHeader, bytes) == 4);
constexpr std::uint64_t header_word(Type type, std::uint32_t bytes) {
  return static_cast<std::uint64_t>(bytes) << 32 | static_cast<std::uint32_t>(type);
}
constexpr std::uint32_t size_in(std::uint64_t word) {
  return static_cast<std::uint32_t>(word >> 32);
}

// Puts `word` where 0 stands; what stood there. At once as its own thread sees it, which is all
// that a chunk needs.
std::uint64_t put_if_empty(void* at, std::uint64_t word) {
  std::uint64_t there = 0;
#if defined(__x86_64__)
  // Without the lock that other threads would need: it costs more than all the rest.
  asm volatile("cmpxchgq %[word], %[at]"
               : [at] "+m"(*static_cast<std::uint64_t*>(at)), "+a"(there)
               : [word] "r"(word)
               : "cc", "memory");
#else
  __atomic_compare_exchange_n(static_cast<std::uint64_t*>(at), &there, word, false,
                              __ATOMIC_RELAXED, __ATOMIC_RELAXED);
#endif
  return there;
}

}  // namespace

class Writer::Entered {
 public:
  explicit Entered(ThreadState& state) : state_(state) {
    state_.depth.store(state_.depth.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Entered() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    state_.depth.store(state_.depth.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
  }
  Entered(const Entered&) = delete;
  Entered& operator=(const Entered&) = delete;

 private:
  ThreadState& state_;
};

Writer::ThreadState& Writer::thread_state() {
  static thread_local ThreadState state{};
  return state;
}

bool Writer::open(const WriterSettings& settings) {
  const Uncancelled guard;
  const std::int64_t start = now_ns();
  // The start time tells a process from another one that the kernel gave the same id, exec
  // included.
  const int length = snprintf(path_, sizeof path_, "%s/%d-%lld%s", settings.folder, getpid(),
                              static_cast<long long>(start), file_suffix);
  // Until its header is whole it has another name: what can be found can be read.
  char begun[sizeof path_ + 8];
  snprintf(begun, sizeof begun, "%s.begun", path_);
  if (static_cast<std::size_t>(length) >= sizeof path_) {
    errno = ENAMETOOLONG;
    return false;
  }
  const auto page = sysconf(_SC_PAGESIZE);
  unit_ = page > static_cast<long>(chunk_unit) ? static_cast<std::uint32_t>(page) : chunk_unit;
  if (owned_ == nullptr) owned_ = wiped_in_children(2 * sizeof *owned_);
  if (owned_ == nullptr) return false;
  const int file = open_file(begun, O_CREAT | O_EXCL);
  if (file < 0) return false;
  void* mapped = MAP_FAILED;
  struct stat status{};
  if (fstat(file, &status) == 0 && allocate(file, 0, unit_))
    mapped = mmap(nullptr, unit_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  const auto fail = [&] {
    const int error = errno;
    ::close(file);
    ::unlink(begun);
    errno = error;
    return false;
  };
  if (mapped == MAP_FAILED) return fail();
  auto* header = static_cast<FileHeader*>(mapped);
  header->version = format_version;
  header->chunks_begin = unit_;
  header->max_bytes = settings.max_bytes;
  header->start_ns = start;
  header->chunks_end.store(unit_);
  header->pid = getpid();
  header->parent_pid = getppid();
  header->rank = header->local_rank = header->world_size = -1;
  header->mode.store(static_cast<std::uint32_t>(settings.mode));
  header->asked_mode = static_cast<std::uint32_t>(settings.mode);
  header->magic = magic;
  if (::rename(begun, path_) != 0) {
    munmap(mapped, unit_);
    return fail();
  }
  max_bytes_ = settings.max_bytes;
  descriptor_ = file + 1;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (forgotten_) {
    string_count_.store(0);
    for (auto& slot : strings_) slot.store(0, std::memory_order_relaxed);
    forgotten_ = false;
  }
  end_ = unit_;
  __atomic_store_n(&owned_[0], 1, __ATOMIC_RELAXED);
  __atomic_store_n(&owned_[1], 0, __ATOMIC_RELAXED);
  header_ = header;
  guard_mappings();
  return true;
}

void Writer::count_loss(Loss loss, std::uint64_t count) {
  if (header_ != nullptr && !is_inherited())
    header_->lost[static_cast<std::size_t>(loss)].fetch_add(count, std::memory_order_relaxed);
}

// Room for a record behind the last one of this thread, null: there is none. Room that another
// record may be half written to is never given out, wherever a thread was interrupted.
unsigned char* Writer::reserve(ThreadState& state, std::uint32_t bytes, Chunk*& chunk) {
  for (;;) {
    chunk = state.chunk.load(std::memory_order_relaxed);
    if (chunk != nullptr && state.generation == generation_.load(std::memory_order_relaxed)) {
      auto* records =
          reinterpret_cast<unsigned char*>(chunk->at.load(std::memory_order_relaxed) + 1);
      const std::uint32_t room = chunk->room();
      std::uint32_t used = chunk->used.load(std::memory_order_relaxed);
      while (used + bytes <= room) {
        const std::uint64_t there =
            put_if_empty(records + used, header_word(Type::unfinished, bytes));
        if (there == 0) {
          chunk->used.store(used + bytes, std::memory_order_relaxed);
          return records + used;
        }
        // A record of a signal handler that came after `used` was read. Anything else is no
        // writer's work, and the chunk is left.
        const std::uint32_t size = size_in(there);
        used = size >= sizeof(RecordHeader) && size % 8 == 0 && size <= room - used ? used + size
                                                                                    : room;
      }
    }
    if (is_hopeless() || !next_chunk(state, chunk, bytes)) return nullptr;
  }
}

bool Writer::append(const void* record, std::size_t bytes, Loss loss, const void* tail,
                    std::size_t tail_bytes) {
  if (header_ == nullptr || is_inherited()) return false;
  const std::size_t whole = (bytes + tail_bytes + 7) & ~std::size_t{7};
  if (whole > most_record_bytes || cut_off_.load(std::memory_order_relaxed)) {
    tell_cut_off();
    count_loss(loss);
    return false;
  }
  const auto size = static_cast<std::uint32_t>(whole);
  auto& state = thread_state();
  const Entered entered(state);
  Chunk* chunk = nullptr;
  unsigned char* at = reserve(state, size, chunk);
  if (at == nullptr) {
    count_loss(loss);
    return false;
  }
  constexpr std::size_t head = sizeof(RecordHeader);
  RecordHeader header;
  memcpy(&header, record, head);
  memcpy(at + head, static_cast<const unsigned char*>(record) + head, bytes - head);
  if (tail_bytes > 0) memcpy(at + bytes, tail, tail_bytes);
  if (whole > bytes + tail_bytes) memset(at + bytes + tail_bytes, 0, whole - bytes - tail_bytes);
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(at), header_word(header.type, size),
                   __ATOMIC_RELEASE);
  auto* mapped = chunk->at.load(std::memory_order_relaxed);
  const auto* records = reinterpret_cast<const unsigned char*>(mapped + 1);
  const std::uint32_t room = chunk->room();
  auto end = static_cast<std::uint32_t>(at - records) + size;
  for (;;) {
    mapped->committed.store(end, std::memory_order_release);
    if (end + head > room) break;
    // A handler that came in between may have published more than we just did.
    const auto next = size_in(
        __atomic_load_n(reinterpret_cast<const std::uint64_t*>(records + end), __ATOMIC_RELAXED));
    if (next < head || next > room - end) break;
    end += next;
  }
  return true;
}

std::uint32_t Writer::intern(const char* text) {
  return text == nullptr ? 0 : intern(text, strlen(text));
}

std::uint32_t Writer::intern(const char* text, std::size_t length, Kind kind) {
  if (text == nullptr || header_ == nullptr || is_inherited()) return 0;
  constexpr std::size_t longest = 16384;
  if (length > longest) length = longest;
  const std::uint64_t hash = hash_bytes(text, length);
  std::size_t slot = hash & (string_slots - 1);
  for (std::size_t probes = 0; probes < string_slots; ++probes) {
    std::uint64_t there = strings_[slot].load(std::memory_order_acquire);
    if (there == hash) return static_cast<std::uint32_t>(slot + 1);
    if (there == 0) {
      // Kept half empty, so that probing stays short.
      constexpr std::size_t most = string_slots / 2, most_of_many = string_slots * 3 / 8;
      if (string_count_.load(std::memory_order_relaxed) >=
          (kind == Kind::many ? most_of_many : most))
        break;
      // Who takes a slot writes its text: a handler that left in between would leave others
      // without.
      const Undisturbed undisturbed;
      if (strings_[slot].compare_exchange_strong(there, hash)) {
        string_count_.fetch_add(1, std::memory_order_relaxed);
        const auto id = static_cast<std::uint32_t>(slot + 1);
        add(String{{}, id, static_cast<std::uint32_t>(length)}, Loss::strings, text, length);
        return id;
      }
      if (there == hash) return static_cast<std::uint32_t>(slot + 1);
    }
    slot = (slot + 1) & (string_slots - 1);
  }
  count_loss(Loss::strings);
  return 0;
}

void Writer::tell_cut_off() {
  if (!cut_off_.load(std::memory_order_relaxed) || told_cut_off_) return;
  const Locked locked(mutex_);
  if (!told_cut_off_) failed(Step::truncated, 0);
  told_cut_off_ = true;
}

bool Writer::claim_inherited() {
  std::uint32_t none = 0;
  return __atomic_compare_exchange_n(&owned_[1], &none, 1, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED);
}

void Writer::forget() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;  // another thread may have held it
  memcpy(&mutex_, &fresh, sizeof fresh);
  if (header_ == nullptr) return;
  // The mappings are the parent's too: they are left alone, and so is its file.
  header_ = nullptr;
  if (descriptor_ != 0 && is_file(descriptor_ - 1)) ::close(descriptor_ - 1);
  descriptor_ = 0;
  entries_.store(0);
  unused_ = free_ = 0;
  free_count_.store(0);
  region_ = nullptr;
  region_bytes_ = 0;
  full_.store(false);
  cut_off_.store(false);
  told_cut_off_ = false;
  retry_ns_.store(0);
  patience_ns_ = 0;
  generation_.fetch_add(1);
  forgotten_ = true;
}

}  // namespace rnnadvisor::spool
