#include "profiler/profile/checksum.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <functional>
#include <optional>
#include <system_error>

#include "profiler/profile/file.h"

namespace rnnadvisor {
namespace {

constexpr std::uint64_t prime1 = 0x9E3779B185EBCA87U, prime2 = 0xC2B2AE3D27D4EB4FU,
                        prime3 = 0x165667B19E3779F9U, prime4 = 0x85EBCA77C2B2AE63U,
                        prime5 = 0x27D4EB2F165667C5U;

template <class T>
T little_endian(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  static_assert(std::endian::native == std::endian::little);
  return value;
}

std::uint64_t mix(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * prime2, 31) * prime1;
}

// Reads up to `size` bytes at `offset`; how many there were.
using ReadAt = std::function<std::size_t(std::uint64_t offset, char* into, std::size_t size)>;

constexpr std::size_t first_version_with_checksum = 6;
constexpr std::size_t hash_bytes = 8, value_bytes = unsealed_checksum.size();
// How SQLite begins the row: payload of 15 bytes, row 1; a header of 3 bytes, NULL for the id, a
// blob of 12 bytes.
constexpr std::string_view row_begin("\x0f\x01\x03\x00\x24", 5);

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count; ++i)
    value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

// What the header of an SQLite file says.
struct Layout {
  std::uint64_t changes = 0, changes_again = 0, version = 0;
  std::uint64_t checksum_at = 0;  // the 12 bytes in the file
};

std::optional<Layout> read_layout(const ReadAt& read_at) {
  std::array<char, 100> bytes{};
  if (read_at(0, bytes.data(), bytes.size()) < bytes.size()) return std::nullopt;
  const std::string_view header(bytes.data(), bytes.size());
  const auto stored_page_size = number(header, 16, 2);
  const std::uint64_t page_size = stored_page_size == 1 ? 65536 : stored_page_size;
  Layout layout;
  layout.changes = number(header, 24, 4);
  layout.changes_again = number(header, 92, 4);
  layout.version = number(header, 60, 4);
  layout.checksum_at = 2 * page_size - number(header, 20, 1) - value_bytes;
  return layout;
}

// The 12 bytes; nothing where no row of ours stands.
std::optional<std::string> stored_checksum(const ReadAt& read_at, const Layout& layout) {
  std::string row(row_begin.size() + value_bytes, '\0');
  if (read_at(layout.checksum_at - row_begin.size(), row.data(), row.size()) < row.size() ||
      !row.starts_with(row_begin))
    return std::nullopt;
  return row.substr(row_begin.size());
}

std::string big_endian_bytes(std::uint64_t value, std::size_t count) {
  std::string bytes(count, '\0');
  for (std::size_t i = count; i-- > 0; value >>= 8U) bytes[i] = static_cast<char>(value & 0xffU);
  return bytes;
}

std::uint64_t hash(const ReadAt& read_at, const Layout& layout) {
  const std::uint64_t hash_at = layout.checksum_at + value_bytes - hash_bytes;
  Xxh64 hash;
  std::string block(std::size_t{1} << 20, '\0');
  for (std::uint64_t at = 0;; at += block.size()) {
    const std::size_t got = read_at(at, block.data(), block.size());
    for (std::uint64_t byte = hash_at; byte < hash_at + hash_bytes; ++byte)
      if (byte >= at && byte < at + got) block[static_cast<std::size_t>(byte - at)] = 0;
    hash.update(std::string_view(block).substr(0, got));
    if (got < block.size()) return hash.digest();
  }
}

Error damaged(std::string what) {
  return {ErrorCode::damaged,
          "it is damaged: " + std::move(what),
          "copy it again from where it was recorded, or record it again; `sqlite3 FILE .recover` "
          "gets out what can still be read",
          std::nullopt,
          {}};
}

Result<void> check(const ReadAt& read_at) {
  const auto layout = read_layout(read_at);
  if (!layout || layout->version < first_version_with_checksum) return {};
  // SQLite writes both with each change.
  if (layout->changes != layout->changes_again)
    return fail(damaged("its header says two numbers of changes"));
  const auto stored = stored_checksum(read_at, *layout);
  if (!stored) {
    // A later version may keep it elsewhere; opening a file of such a version fails
    // anyway.
    if (layout->version > rnnprof_schema_version) return {};
    return fail(damaged("its checksum is gone"));
  }
  if (number(*stored, 0, 4) != layout->changes) return {};  // changed by another program
  const auto found = hash(read_at, *layout);
  if (found == number(*stored, 4, hash_bytes)) return {};
  return fail(damaged(
      fmt::format("its bytes have the checksum {:016x}, and {:016x} was stored when it was written",
                  found, number(*stored, 4, hash_bytes))));
}

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags) : file_(::open(path.c_str(), flags | O_CLOEXEC)) {}
  ~OpenFile() {
    if (file_ >= 0) ::close(file_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int get() const { return file_; }

  std::size_t read_at(std::uint64_t offset, char* into, std::size_t size) const {
    std::size_t done = 0;
    while (done < size) {
      const ssize_t got =
          ::pread(file_, into + done, size - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      done += static_cast<std::size_t>(got);
    }
    return done;
  }

 private:
  int file_;
};

Error system_failure(int problem) {
  return {ErrorCode::io, std::generic_category().message(problem), {}, std::nullopt, {}};
}

}  // namespace

void Xxh64::update(std::string_view bytes) {
  length_ += bytes.size();
  auto [a, b, c, d] = lanes_;
  while (bytes.size() >= 32) {
    const char* at = bytes.data();
    a = mix(a, little_endian<std::uint64_t>(at));
    b = mix(b, little_endian<std::uint64_t>(at + 8));
    c = mix(c, little_endian<std::uint64_t>(at + 16));
    d = mix(d, little_endian<std::uint64_t>(at + 24));
    bytes.remove_prefix(32);
  }
  lanes_ = {a, b, c, d};
  rest_ = bytes;
}

std::uint64_t Xxh64::digest() const {
  std::uint64_t sum = prime5;
  if (length_ >= 32) {
    sum = std::rotl(lanes_[0], 1) + std::rotl(lanes_[1], 7) + std::rotl(lanes_[2], 12) +
          std::rotl(lanes_[3], 18);
    for (const auto lane : lanes_) sum = (sum ^ mix(0, lane)) * prime1 + prime4;
  }
  sum += length_;
  std::string_view rest = rest_;
  for (; rest.size() >= 8; rest.remove_prefix(8)) {
    sum ^= mix(0, little_endian<std::uint64_t>(&rest.front()));
    sum = std::rotl(sum, 27) * prime1 + prime4;
  }
  for (; rest.size() >= 4; rest.remove_prefix(4)) {
    sum ^= little_endian<std::uint32_t>(&rest.front()) * prime1;
    sum = std::rotl(sum, 23) * prime2 + prime3;
  }
  for (const char c : rest) {
    sum ^= static_cast<unsigned char>(c) * prime5;
    sum = std::rotl(sum, 11) * prime1;
  }
  sum = (sum ^ sum >> 33U) * prime2;
  sum = (sum ^ sum >> 29U) * prime3;
  return sum ^ sum >> 32U;
}

Result<void> seal(const std::string& path) {
  const OpenFile file(path, O_RDWR);
  if (file.get() < 0) return fail(system_failure(errno));
  const ReadAt read_at = [&](std::uint64_t offset, char* into, std::size_t size) {
    return file.read_at(offset, into, size);
  };
  const auto layout = read_layout(read_at);
  if (layout && layout->version < first_version_with_checksum) return {};
  if (!layout || !stored_checksum(read_at, *layout))
    return fail(ErrorCode::internal, "there is no place for its checksum");
  const auto put = [&](std::uint64_t offset, const std::string& bytes) {
    return ::pwrite(file.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)) ==
           static_cast<ssize_t>(bytes.size());
  };
  if (!put(layout->checksum_at, big_endian_bytes(layout->changes, value_bytes - hash_bytes)))
    return fail(system_failure(errno));
  if (!put(layout->checksum_at + value_bytes - hash_bytes,
           big_endian_bytes(hash(read_at, *layout), hash_bytes)))
    return fail(system_failure(errno));
  return {};
}

Result<void> check_seal(const std::string& path) {
  const OpenFile file(path, O_RDONLY);
  if (file.get() < 0) return fail(system_failure(errno));
  return check([&](std::uint64_t offset, char* into, std::size_t size) {
    return file.read_at(offset, into, size);
  });
}

Result<void> check_seal_bytes(std::string_view bytes) {
  return check([&](std::uint64_t offset, char* into, std::size_t size) -> std::size_t {
    if (offset >= bytes.size()) return 0;
    return bytes.copy(into, size, static_cast<std::size_t>(offset));
  });
}

}  // namespace rnnadvisor
