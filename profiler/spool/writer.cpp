#include "profiler/spool/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace rnnadvisor::spool {
namespace {

// In front of chunks only; a record takes none of these.
pthread_mutex_t chunk_mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_key_t thread_key;
bool have_thread_key = false;

std::int64_t now_ns() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

std::uint32_t thread_id() { return static_cast<std::uint32_t>(syscall(SYS_gettid)); }

// Opening and allocating are points at which a thread can be cancelled, with our mutex held.
class Uncancelled {
 public:
  Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~Uncancelled() { pthread_setcancelstate(before_, nullptr); }
  Uncancelled(const Uncancelled&) = delete;
  Uncancelled& operator=(const Uncancelled&) = delete;

 private:
  int before_ = 0;
};

int open_file(const char* path, int flags) {
  for (;;) {
    const int file = ::open(path, flags | O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file >= 0 || errno != EINTR) return file;
  }
}

// Gives a file its blocks. False, with errno, where there are none; never a signal.
bool allocate(int file, std::uint64_t offset, std::uint64_t bytes) {
  // Beyond this limit the kernel would send SIGXFSZ, which ends a program that does not expect it.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && offset + bytes > limit.rlim_cur) {
    errno = EFBIG;
    return false;
  }
  // A program with a timer interrupts it again and again.
  constexpr int patience = 1000;
  int error = EINTR;
  for (int i = 0; i < patience && error == EINTR; ++i)
    error = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(bytes));
  errno = error;
  return error == 0;
}

constexpr std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const auto product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

}  // namespace

// Multiply-and-fold over words of eight bytes: names of templates are long, and one is hashed for
// every kernel.
std::uint64_t hash_bytes(const void* data, std::size_t bytes) {
  constexpr std::uint64_t one = 0x9e3779b97f4a7c15, two = 0xd6e8feb86659fd93;
  const auto* at = static_cast<const unsigned char*>(data);
  std::uint64_t hash = mix(bytes ^ one, two);
  while (bytes >= 8) {
    std::uint64_t word;
    memcpy(&word, at, 8);
    hash = mix(hash ^ word, one) + two;
    at += 8;
    bytes -= 8;
  }
  std::uint64_t last = 0;
  memcpy(&last, at, bytes);
  hash = mix(hash ^ last, two);
  return hash == 0 ? 1 : hash;
}

Writer::ThreadState& Writer::thread_state() {
  static thread_local ThreadState state{nullptr, 0, 0};
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
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof path_) {
    errno = ENAMETOOLONG;
    return false;
  }
  const int file = open_file(begun, O_CREAT | O_EXCL);
  if (file < 0) return false;
  void* mapped = MAP_FAILED;
  struct stat status{};
  if (fstat(file, &status) == 0 && allocate(file, 0, header_bytes))
    mapped = mmap(nullptr, header_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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
  header->chunk_bytes = settings.chunk_bytes;
  header->max_bytes = settings.max_bytes;
  header->start_ns = start;
  header->pid = getpid();
  header->parent_pid = getppid();
  header->rank = header->local_rank = header->world_size = -1;
  header->mode.store(static_cast<std::uint32_t>(settings.mode));
  header->asked_mode = static_cast<std::uint32_t>(settings.mode);
  header->magic = magic;
  if (::rename(begun, path_) != 0) {
    munmap(mapped, header_bytes);
    return fail();
  }
  chunk_bytes_ = settings.chunk_bytes;
  descriptor_ = file + 1;
  device_ = status.st_dev;
  inode_ = status.st_ino;
  if (forgotten_) {
    string_count_.store(0);
    for (auto& slot : strings_) slot.store(0, std::memory_order_relaxed);
    forgotten_ = false;
  }
  full_.store(false);
  if (!have_thread_key)
    have_thread_key = pthread_key_create(&thread_key, &release_chunk_of_thread) == 0;
  header_ = header;
  return true;
}

bool Writer::is_file(int descriptor) const {
  struct stat status{};
  return fstat(descriptor, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_;
}

// The descriptor of the spool, -1: it cannot be had any more. Programs close numbers that they did
// not open, and open their own files under them: what stands under ours is asked each time.
int Writer::file() {
  if (descriptor_ != 0 && is_file(descriptor_ - 1)) return descriptor_ - 1;
  descriptor_ = 0;
  const int file = open_file(path_, 0);
  if (file < 0) return -1;
  if (!is_file(file)) {
    ::close(file);
    return -1;
  }
  descriptor_ = file + 1;
  return file;
}

// A new piece of the file, null when there is no room for it.
void* Writer::map_chunk(std::uint64_t offset) {
  if (offset + chunk_bytes_ > header_->max_bytes) return nullptr;
  const int descriptor = file();
  // Blocks first: touching a mapped page of a full disk would be a SIGBUS in somebody's program.
  if (descriptor < 0 || !allocate(descriptor, offset, chunk_bytes_)) return nullptr;
  void* mapped = mmap(nullptr, chunk_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor,
                      static_cast<off_t>(offset));
  return mapped == MAP_FAILED ? nullptr : mapped;
}

void Writer::count_loss(Loss loss, std::uint64_t count) {
  if (header_ != nullptr)
    header_->lost[static_cast<std::size_t>(loss)].fetch_add(count, std::memory_order_relaxed);
}

bool Writer::next_chunk(ThreadState& state) {
  const Uncancelled guard;
  const std::uint32_t generation = generation_.load(std::memory_order_relaxed);
  pthread_mutex_lock(&chunk_mutex);
  if (state.chunk != nullptr && state.generation == generation) munmap(state.chunk, chunk_bytes_);
  state = {nullptr, 0, generation};
  if (const std::size_t free = free_count_.load(std::memory_order_relaxed); free > 0) {
    const FreeChunk last = free_[free - 1];
    free_count_.store(free - 1, std::memory_order_relaxed);
    state.chunk = last.chunk;
    state.used = last.used;
    state.chunk->thread = thread_id();
  } else if (!full_.load(std::memory_order_relaxed)) {
    const std::uint32_t index = header_->chunks.load(std::memory_order_relaxed);
    void* mapped = map_chunk(header_bytes + static_cast<std::uint64_t>(index) * chunk_bytes_);
    if (mapped == nullptr) {
      full_.store(true);
    } else {
      auto* chunk = static_cast<ChunkHeader*>(mapped);
      chunk->magic = chunk_magic;
      chunk->thread = thread_id();
      chunk->committed.store(0, std::memory_order_relaxed);
      state.chunk = chunk;
      header_->chunks.store(index + 1, std::memory_order_release);
    }
  }
  pthread_mutex_unlock(&chunk_mutex);
  if (state.chunk != nullptr && have_thread_key) pthread_setspecific(thread_key, this);
  return state.chunk != nullptr;
}

void release_chunk_of_thread(void* pointer) {
  auto& writer = *static_cast<Writer*>(pointer);
  auto& state = Writer::thread_state();
  pthread_mutex_lock(&chunk_mutex);
  if (state.chunk != nullptr && state.generation == writer.generation_.load()) {
    if (const std::size_t free = writer.free_count_.load(); free < Writer::max_free) {
      writer.free_[free] = {state.chunk, state.used};
      writer.free_count_.store(free + 1);
    } else {
      munmap(state.chunk, writer.chunk_bytes_);
    }
  }
  state.chunk = nullptr;
  pthread_mutex_unlock(&chunk_mutex);
}

bool Writer::append(const void* record, std::size_t bytes, Loss loss, const void* tail,
                    std::size_t tail_bytes) {
  if (header_ == nullptr) return false;
  const std::size_t whole = (bytes + tail_bytes + 7) & ~std::size_t{7};
  auto& state = thread_state();
  const std::size_t room = chunk_bytes_ - sizeof(ChunkHeader);
  if (whole > room) {
    count_loss(loss);
    return false;
  }
  if (state.chunk == nullptr || state.generation != generation_.load(std::memory_order_relaxed) ||
      state.used + whole > room) {
    if (full_.load(std::memory_order_relaxed) && free_count_.load(std::memory_order_relaxed) == 0) {
      count_loss(loss);
      return false;
    }
    // A chunk that another thread left may have too little room.
    do {
      if (!next_chunk(state)) {
        count_loss(loss);
        return false;
      }
    } while (state.used + whole > room);
  }
  auto* at = reinterpret_cast<unsigned char*>(state.chunk + 1) + state.used;
  memcpy(at, record, bytes);
  if (tail_bytes > 0) memcpy(at + bytes, tail, tail_bytes);
  if (whole > bytes + tail_bytes) memset(at + bytes + tail_bytes, 0, whole - bytes - tail_bytes);
  const auto size = static_cast<std::uint32_t>(whole);
  memcpy(at + offsetof(RecordHeader, bytes), &size, sizeof size);
  state.used += size;
  state.chunk->committed.store(state.used, std::memory_order_release);
  return true;
}

std::uint32_t Writer::intern(const char* text) {
  return text == nullptr ? 0 : intern(text, strlen(text));
}

std::uint32_t Writer::intern(const char* text, std::size_t length, Kind kind) {
  if (text == nullptr || header_ == nullptr) return 0;
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

void Writer::forget() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;  // another thread may have held it
  memcpy(&chunk_mutex, &fresh, sizeof fresh);
  if (header_ == nullptr) return;
  // The mappings are the parent's too: they are left alone, and so is its file.
  header_ = nullptr;
  if (descriptor_ != 0 && is_file(descriptor_ - 1)) ::close(descriptor_ - 1);
  descriptor_ = 0;
  free_count_.store(0);
  generation_.fetch_add(1);
  forgotten_ = true;
}

}  // namespace rnnadvisor::spool
