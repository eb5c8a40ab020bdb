// Writer: where chunks come from, what becomes of them, and what can go wrong with their file.
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "profiler/spool/undisturbed.h"
#include "profiler/spool/writer.h"
#include "profiler/spool/writer_files.h"

namespace rnnadvisor::spool {
namespace {

pthread_key_t thread_key;
bool have_thread_key = false;
Writer* guarded = nullptr;
struct sigaction bus_before;

// The file grows by a quarter, but no more than this: few mappings for many threads, and little
// beyond what is needed.
constexpr std::uint32_t most_growth = 1 << 20;
// A chunk with less room is no use to another thread.
constexpr std::uint32_t least_room = 1024;
// At free chunks, for one that has the room: first, and when the file cannot grow.
constexpr std::uint32_t few_looks = 64, many_looks = 1024;
constexpr std::int64_t first_patience_ns = 1'000'000, most_patience_ns = 1'000'000'000;

std::uint32_t thread_id() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

std::uint32_t rounded_up(std::uint64_t bytes, std::uint32_t unit) {
  return static_cast<std::uint32_t>((bytes + unit - 1) / unit * unit);
}

}  // namespace

int open_file(const char* path, int flags) {
  for (;;) {
    const int file = ::open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EINTR) return file;
  }
}

bool allocate(int file, std::uint64_t offset, std::uint64_t bytes) {
  // Beyond this limit the kernel would send SIGXFSZ, which ends a program that does not expect it.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  constexpr int patience = 1000;
  int error = EINTR;
  for (int i = 0; i < patience && error == EINTR; ++i)
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  errno = error;
  return error == 0;
}

std::uint32_t* wiped_in_children(std::size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  madvise(memory, bytes, MADV_WIPEONFORK);
  return static_cast<std::uint32_t*>(memory);
}

std::int64_t coarse_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

void Writer::prepare() {
  if (!have_thread_key)
    have_thread_key = pthread_key_create(&thread_key, &release_chunk_of_thread) == 0;
}

bool Writer::is_file(int descriptor) const {
  struct stat status{};
  return fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

// A descriptor for this one time: programs close numbers that they did not open, and open their own
// files under them. The one of the beginning is used only where no other can be had: no number is
// left, or the path leads nowhere any more (chroot, dropped privileges). -1, with errno: none.
int Writer::open_again() {
  const int file = open_file(path_, 0);
  if (file >= 0) {
    if (is_file(file)) return file;
    ::close(file);
    errno = ESTALE;
  }
  const int error = errno;
  if (descriptor_ != 0 && is_file(descriptor_ - 1)) return descriptor_ - 1;
  descriptor_ = 0;
  errno = error;
  return -1;
}

void Writer::failed(Step step, int error) {
  for (auto& failure : header_->failures) {
    if (failure.step == Step::none) {
      failure.error = error;
      failure.step = step;
    }
    if (failure.step != step || failure.error != error) continue;
    ++failure.count;
    break;
  }
  // What fails may work the next time, but not be tried for each record.
  patience_ns_ = patience_ns_ == 0 ? first_patience_ns : patience_ns_ * 2;
  if (patience_ns_ > most_patience_ns) patience_ns_ = most_patience_ns;
  retry_ns_.store(coarse_ns() + patience_ns_, std::memory_order_relaxed);
}

// Blocks first: touching a mapped page of a full disk would be a SIGBUS in the user's program.
bool Writer::map_behind(int descriptor, std::uint32_t bytes) {
  if (!allocate(descriptor, end_, bytes)) {
    failed(Step::allocate, errno);
    return false;
  }
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                      static_cast<off_t>(end_));
  if (mapped == MAP_FAILED) {
    failed(Step::map, errno);
    return false;
  }
  region_ = static_cast<unsigned char*>(mapped);
  region_bytes_ = bytes;
  patience_ns_ = 0;
  return true;
}

// Maps a new piece behind the last chunk, of `wanted` bytes or less.
bool Writer::grow(std::uint32_t wanted, std::uint32_t least) {
  const std::uint64_t left = max_bytes_ > end_ ? (max_bytes_ - end_) / unit_ * unit_ : 0;
  if (left < unit_) full_.store(true);
  if (left < least) {
    failed(Step::limit, 0);
    return false;
  }
  std::uint64_t quarter = end_ / 4 < most_growth ? end_ / 4 : most_growth;
  std::uint32_t bytes = rounded_up(quarter > wanted ? quarter : wanted, unit_);
  if (bytes > left) bytes = static_cast<std::uint32_t>(left);
  const int descriptor = open_again();
  if (descriptor < 0) {
    failed(Step::open, errno);
    return false;
  }
  struct stat status{};
  bool grown = false;
  if (fstat(descriptor, &status) == 0 && static_cast<std::uint64_t>(status.st_size) < end_) {
    cut_off_.store(true);
    told_cut_off_ = true;
    failed(Step::truncated, 0);
  } else {
    grown = map_behind(descriptor, bytes) || (bytes > least && map_behind(descriptor, least));
  }
  if (descriptor != descriptor_ - 1) ::close(descriptor);
  return grown;
}

// The next `bytes` of what is mapped, as a chunk. Null: no entry is left for one.
Writer::Chunk* Writer::carve(std::uint32_t bytes) {
  std::uint32_t entry = unused_;
  if (entry == 0) {
    const std::uint32_t entries = entries_.load(std::memory_order_relaxed);
    if (entries == most_mapped) {
      failed(Step::threads, 0);
      return nullptr;
    }
    chunks_[entries].at.store(nullptr, std::memory_order_relaxed);
    entries_.store(entries + 1, std::memory_order_release);
    entry = entries + 1;
  } else {
    unused_ = chunks_[entry - 1].next;
  }
  Chunk& chunk = chunks_[entry - 1];
  auto* header = reinterpret_cast<ChunkHeader*>(region_);
  chunk.bytes = bytes;
  chunk.used.store(0, std::memory_order_relaxed);
  chunk.next = 0;
  chunk.at.store(header, std::memory_order_release);
  header->bytes = bytes;
  header->committed.store(0, std::memory_order_relaxed);
  header->magic = chunk_magic;
  region_ += bytes;
  region_bytes_ -= bytes;
  end_ += bytes;
  header_->chunks_end.store(end_, std::memory_order_release);
  return &chunk;
}

void Writer::unmap(Chunk& chunk) {
  auto* header = chunk.at.load(std::memory_order_relaxed);
  chunk.at.store(nullptr, std::memory_order_release);
  munmap(header, chunk.bytes);
  chunk.next = unused_;
  unused_ = static_cast<std::uint32_t>(&chunk - chunks_) + 1;
}

void Writer::give_back(Chunk& chunk) {
  if (chunk.room() - chunk.used.load(std::memory_order_relaxed) < least_room) {
    unmap(chunk);
    return;
  }
  chunk.next = free_;
  free_ = static_cast<std::uint32_t>(&chunk - chunks_) + 1;
  free_count_.fetch_add(1, std::memory_order_relaxed);
}

// The latest first: its pages are near.
Writer::Chunk* Writer::take_free(std::uint32_t room, std::uint32_t patience) {
  std::uint32_t* link = &free_;
  for (std::uint32_t looks = 0; *link != 0 && looks < patience; ++looks) {
    Chunk& chunk = chunks_[*link - 1];
    if (chunk.room() - chunk.used.load(std::memory_order_relaxed) >= room) {
      *link = chunk.next;
      free_count_.fetch_sub(1, std::memory_order_relaxed);
      return &chunk;
    }
    link = &chunk.next;
  }
  return nullptr;
}

Writer::Chunk* Writer::new_chunk(std::uint32_t wanted, std::uint32_t least) {
  if (region_bytes_ >= least) return carve(region_bytes_ < wanted ? region_bytes_ : wanted);
  if (full_.load(std::memory_order_relaxed) || coarse_ns() < retry_ns_.load()) return nullptr;
  if (region_bytes_ > 0) {
    Chunk* rest = carve(region_bytes_);
    if (rest == nullptr) return nullptr;
    give_back(*rest);
  }
  if (!grow(wanted, least)) return nullptr;
  return carve(region_bytes_ < wanted ? region_bytes_ : wanted);
}

// Whether a look for a chunk would be in vain: asked for every record that finds no room.
bool Writer::is_hopeless() const {
  if (cut_off_.load(std::memory_order_relaxed)) return true;
  return free_count_.load(std::memory_order_relaxed) == 0 &&
         (full_.load(std::memory_order_relaxed) ||
          coarse_ns() < retry_ns_.load(std::memory_order_relaxed));
}

// A thread begins with a page, so that thousands of them are cheap, and its chunks become larger
// while it fills them. True: there is another chunk than `instead_of` now.
bool Writer::next_chunk(ThreadState& state, const Chunk* instead_of, std::uint32_t record_bytes) {
  const Locked locked(mutex_);
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  Chunk* old = state.chunk.load(std::memory_order_relaxed);
  if (old != instead_of) return true;  // a signal handler was here
  const bool valid = old != nullptr && state.generation == generation;
  const std::uint32_t wanted = !valid                             ? unit_
                               : state.wanted < largest_chunk / 4 ? state.wanted * 4
                                                                  : largest_chunk;
  const std::uint32_t least = rounded_up(sizeof(ChunkHeader) + std::uint64_t{record_bytes}, unit_);
  const std::uint32_t useful = wanted / 4 > record_bytes ? wanted / 4 : record_bytes;
  Chunk* chunk = take_free(useful, few_looks);
  if (chunk == nullptr) chunk = new_chunk(wanted > least ? wanted : least, least);
  if (chunk == nullptr) chunk = take_free(record_bytes, many_looks);
  if (chunk == nullptr) return false;
  chunk->at.load(std::memory_order_relaxed)->thread = thread_id();
  state.chunk.store(chunk, std::memory_order_relaxed);
  state.generation = generation;
  state.wanted = wanted;
  // What an interrupted append() of this thread may still be writing to stays mapped.
  if (valid && state.depth.load(std::memory_order_relaxed) == 1) give_back(*old);
  if (have_thread_key) pthread_setspecific(thread_key, this);
  return true;
}

void Writer::release_chunk_of_thread(void* pointer) {
  auto& writer = *static_cast<Writer*>(pointer);
  auto& state = thread_state();
  const Locked locked(writer.mutex_);
  Chunk* chunk = state.chunk.exchange(nullptr, std::memory_order_relaxed);
  state.depth.store(0, std::memory_order_relaxed);
  if (chunk != nullptr && state.generation == writer.generation_.load()) writer.give_back(*chunk);
}

// A page of a file that another process cut off is gone, and touching it a SIGBUS. Only our code
// touches these pages. So ours get memory of their own instead, and the recording ends. A program
// with a handler of its own keeps it, and is not protected.
void Writer::guard_mappings() {
  guarded = this;
  if (sigaction(SIGBUS, nullptr, &bus_before) != 0 || (bus_before.sa_flags & SA_SIGINFO) != 0 ||
      bus_before.sa_handler != SIG_DFL)
    return;
  struct sigaction action{};
  action.sa_sigaction = &on_bus_error;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGBUS, &action, nullptr);
}

void Writer::on_bus_error(int signal, siginfo_t* info, void*) {
  const int error = errno;
  const bool by_kernel = info->si_code > 0;
  if (by_kernel && guarded != nullptr && guarded->mend(info->si_addr)) {
    errno = error;
    return;
  }
  // As without us: the same instruction does it again, or the same signal is sent again.
  sigaction(signal, &bus_before, nullptr);
  if (!by_kernel || info->si_code == BUS_MCEERR_AO)
    syscall(SYS_rt_tgsigqueueinfo, getpid(), syscall(SYS_gettid), signal, info);
  errno = error;
}

bool Writer::mend(const void* address) {
  if (header_ == nullptr) return false;
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto within = [at](const void* begin, std::uint32_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    return begin != nullptr && at >= first && at - first < bytes;
  };
  bool ours = within(header_, unit_);
  const std::uint32_t entries = entries_.load(std::memory_order_acquire);
  for (std::uint32_t i = 0; i < entries && !ours; ++i)
    ours = within(chunks_[i].at.load(std::memory_order_acquire), chunks_[i].bytes);
  if (!ours) return false;
  // The bare system call: the program may have a mmap() of its own.
  const long mapped = syscall(SYS_mmap, at / unit_ * unit_, unit_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  cut_off_.store(true);
  return mapped != -1;
}

}  // namespace rnnadvisor::spool
