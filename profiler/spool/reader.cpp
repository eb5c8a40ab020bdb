#include "profiler/spool/reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <utility>

namespace rnnadvisor::spool {
namespace {

// More chunks than any disk has room for; bounds the table of extents.
constexpr std::uint64_t most_chunks = std::uint64_t{1} << 24;

// The least bytes of a record of this type; 0: a type that this version does not know.
std::size_t least_bytes(Type type) {
  switch (type) {
    case Type::unfinished:
      return sizeof(RecordHeader);
    case Type::string:
      return sizeof(String);
    case Type::configuration:
      return sizeof(Configuration);
    case Type::call:
      return sizeof(Call);
    case Type::call_time:
      return sizeof(CallTime);
    case Type::call_site:
      return sizeof(CallSite);
    case Type::kernel:
      return sizeof(Kernel);
    case Type::transfer:
      return sizeof(Transfer);
    case Type::api:
      return sizeof(Api);
    case Type::memory:
      return sizeof(Memory);
    case Type::nvtx_push:
    case Type::nvtx_start:
    case Type::nvtx_end:
    case Type::nvtx_mark:
      return sizeof(Nvtx);
    case Type::nvtx_pop:
      return sizeof(NvtxPop);
    case Type::correlation_range:
      return sizeof(CorrelationRange);
    case Type::graph_node:
      return sizeof(GraphNode);
    case Type::device:
      return sizeof(Device);
    case Type::library:
      return sizeof(Library);
    case Type::environment:
      return sizeof(Environment);
    case Type::note:
      return sizeof(Note);
    case Type::overhead:
      return sizeof(Overhead);
    case Type::thread_name:
      return sizeof(ThreadName);
    case Type::resource_name:
      return sizeof(ResourceName);
    case Type::counter_metrics:
      return sizeof(CounterMetrics);
    case Type::counter_sample:
      return sizeof(CounterSample);
    case Type::counter_clock:
      return sizeof(CounterClock);
    case Type::acceleration:
      return sizeof(Acceleration);
    case Type::step_block:
      return sizeof(StepBlock);
    case Type::step_time:
      return sizeof(StepTime);
  }
  return 0;
}

// Bytes that the record says follow its structure; they must be there.
std::size_t trailing_bytes(Type type, std::span<const std::byte> bytes) {
  const Record record(type, bytes);
  if (type == Type::string) return record.as<String>().length;
  if (type == Type::configuration)
    return std::size_t{record.as<Configuration>().lengths} * sizeof(std::int32_t);
  return 0;
}

template <class T>
T field(std::span<const std::byte> page, std::size_t offset) {
  T value;
  std::memcpy(&value, page.data() + offset, sizeof value);
  return value;
}

std::string text_field(std::span<const std::byte> page, std::size_t offset, std::size_t size) {
  const auto* begin = reinterpret_cast<const char*>(page.data() + offset);
  return {begin, strnlen(begin, size)};
}

Mode to_mode(std::uint32_t value) {
  return value <= static_cast<std::uint32_t>(Mode::full) ? static_cast<Mode>(value) : Mode::calls;
}

}  // namespace

const std::string& Tables::text(std::uint32_t id) const {
  static const std::string none;
  const auto found = strings.find(id);
  return found == strings.end() ? none : found->second;
}

Reader::Reader(Reader&& other) noexcept
    : name_(std::move(other.name_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      bytes_(other.bytes_),
      header_(std::move(other.header_)),
      extents_(std::move(other.extents_)),
      buffer_(std::move(other.buffer_)),
      damage_(other.damage_),
      opened_damage_(other.opened_damage_) {}

Reader::~Reader() {
  if (descriptor_ >= 0) close(descriptor_);
}

Result<Reader> Reader::open(const std::string& path) {
  Reader reader;
  reader.name_ = path;
  // Not blocking: a pipe of that name would otherwise stop us for ever.
  reader.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (reader.descriptor_ < 0) {
    return fail(errno == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("cannot open '{}': {}", path, std::strerror(errno)));
  }
  struct stat status = {};
  if (fstat(reader.descriptor_, &status) != 0 || !S_ISREG(status.st_mode))
    return fail(ErrorCode::damaged, fmt::format("'{}' is no spool: not a regular file", path));
  if (auto read = reader.read_header(); !read) return fail(std::move(read.error()));
  return reader;
}

Result<Reader> Reader::from_bytes(std::string_view bytes, const std::string& name) {
  Reader reader;
  reader.name_ = name;
  reader.bytes_ = bytes;
  if (auto read = reader.read_header(); !read) return fail(std::move(read.error()));
  return reader;
}

std::size_t Reader::read_at(std::uint64_t offset, void* into, std::size_t bytes) const {
  if (descriptor_ < 0) {
    if (offset >= bytes_.size()) return 0;
    return bytes_.copy(static_cast<char*>(into), bytes, static_cast<std::size_t>(offset));
  }
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = pread(descriptor_, static_cast<char*>(into) + done, bytes - done,
                              static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

Result<void> Reader::read_header() {
  std::vector<std::byte> page(header_bytes);
  const std::size_t got = read_at(0, page.data(), page.size());
  if (got < sizeof magic || field<std::uint64_t>(page, offsetof(FileHeader, magic)) != magic)
    return fail(ErrorCode::damaged, fmt::format("'{}' is no spool", name_));
  const auto version = field<std::uint32_t>(page, offsetof(FileHeader, version));
  if (version > format_version) {
    return fail(ErrorCode::newer_version,
                fmt::format("'{}' was written by a later rnnadvisor: its layout is {}, this one "
                            "knows {}",
                            name_, version, format_version),
                "collect it with the rnnadvisor that its plugin belongs to");
  }
  if (got == page.size() && version > 0 && version < format_version) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' was written by an earlier rnnadvisor: its layout is {}, this one "
                            "reads {}",
                            name_, version, format_version),
                "collect it with the rnnadvisor that its plugin belongs to");
  }
  const auto begin = field<std::uint32_t>(page, offsetof(FileHeader, chunks_begin));
  if (got < page.size() || version != format_version || begin < header_bytes ||
      begin > most_chunk_bytes || begin % chunk_unit != 0) {
    return fail(ErrorCode::damaged, fmt::format("'{}' is a spool with a broken header", name_));
  }
  header_.chunks_begin = begin;
  header_.max_bytes = field<std::uint64_t>(page, offsetof(FileHeader, max_bytes));
  header_.start_ns = field<std::int64_t>(page, offsetof(FileHeader, start_ns));
  header_.end_ns = field<std::int64_t>(page, offsetof(FileHeader, end_ns));
  header_.pid = field<std::int32_t>(page, offsetof(FileHeader, pid));
  header_.parent_pid = field<std::int32_t>(page, offsetof(FileHeader, parent_pid));
  header_.rank = field<std::int32_t>(page, offsetof(FileHeader, rank));
  header_.local_rank = field<std::int32_t>(page, offsetof(FileHeader, local_rank));
  header_.world_size = field<std::int32_t>(page, offsetof(FileHeader, world_size));
  header_.exit_status =
      static_cast<std::int32_t>(field<std::uint32_t>(page, offsetof(FileHeader, exited)) - 1U);
  header_.mode = to_mode(field<std::uint32_t>(page, offsetof(FileHeader, mode)));
  header_.asked_mode = to_mode(field<std::uint32_t>(page, offsetof(FileHeader, asked_mode)));
  std::memcpy(header_.lost, page.data() + offsetof(FileHeader, lost), sizeof header_.lost);
  std::memcpy(header_.entries, page.data() + offsetof(FileHeader, entries), sizeof header_.entries);
  header_.calls = field<std::uint64_t>(page, offsetof(FileHeader, calls));
  for (std::size_t i = 0; i < most_failures; ++i) {
    const auto failure = field<Failure>(page, offsetof(FileHeader, failures) + i * sizeof(Failure));
    if (failure.step == Step::none || failure.step > Step::threads) break;
    header_.failures.push_back(failure);
  }
  header_.host = text_field(page, offsetof(FileHeader, host), sizeof(FileHeader::host));
  header_.executable =
      text_field(page, offsetof(FileHeader, executable), sizeof(FileHeader::executable));
  // Words end with a NUL each; an empty one ends the list, as does the field.
  std::size_t at = offsetof(FileHeader, command_line);
  const std::size_t end = at + sizeof(FileHeader::command_line);
  while (at < end) {
    std::string word = text_field(page, at, end - at);
    if (word.empty()) break;
    at += word.size() + 1;
    header_.command_line.push_back(std::move(word));
  }

  extents_ = extents();
  opened_damage_ = damage_;
  return {};
}

// The first offset from `offset` on with bytes of its own: holes of a sparse file are passed over.
std::uint64_t Reader::next_data(std::uint64_t offset) const {
  if (descriptor_ < 0) return offset;
  const off_t found = lseek(descriptor_, static_cast<off_t>(offset), SEEK_DATA);
  if (found >= 0) return static_cast<std::uint64_t>(found) / chunk_unit * chunk_unit;
  return errno == ENXIO ? std::numeric_limits<std::uint64_t>::max() : offset;
}

std::vector<Reader::Extent> Reader::extents() {
  std::vector<Extent> found;
  std::uint64_t said = 0;
  if (read_at(offsetof(FileHeader, chunks_end), &said, sizeof said) < sizeof said) return found;
  std::uint64_t size = bytes_.size();
  struct stat status = {};
  if (descriptor_ >= 0 && fstat(descriptor_, &status) == 0)
    size = static_cast<std::uint64_t>(status.st_size);
  if (said > size) ++damage_.chunks;  // cut off
  const std::uint64_t end = std::min(said, size);
  bool lost = false;  // looking for the next chunk behind a broken one
  for (std::uint64_t offset = header_.chunks_begin; offset < end && found.size() < most_chunks;) {
    std::array<std::byte, sizeof(ChunkHeader)> header{};
    if (read_at(offset, header.data(), header.size()) < header.size()) break;
    const auto bytes = field<std::uint32_t>(header, offsetof(ChunkHeader, bytes));
    if (field<std::uint32_t>(header, offsetof(ChunkHeader, magic)) != chunk_magic ||
        bytes < chunk_unit || bytes > most_chunk_bytes || bytes % chunk_unit != 0) {
      if (!lost) ++damage_.chunks;
      lost = true;
      offset = std::max(offset + chunk_unit, next_data(offset));
      continue;
    }
    lost = false;
    auto committed = field<std::uint32_t>(header, offsetof(ChunkHeader, committed));
    const auto most = bytes - static_cast<std::uint32_t>(sizeof(ChunkHeader));
    if (committed > most) ++damage_.chunks;
    if (committed > 0) found.push_back({offset + sizeof(ChunkHeader), std::min(committed, most)});
    offset += bytes;
  }
  return found;
}

void Reader::visit_extent(const Extent& extent, const std::function<bool(const Record&)>& visit,
                          bool& stopped) {
  buffer_.resize(std::max<std::size_t>(buffer_.size(), extent.bytes));
  std::span<const std::byte> rest(buffer_.data(),
                                  read_at(extent.offset, buffer_.data(), extent.bytes));
  if (rest.size() < extent.bytes) ++damage_.records;  // the file is cut off
  while (rest.size() >= sizeof(RecordHeader)) {
    const auto header = field<RecordHeader>(rest, 0);
    if (header.bytes < sizeof(RecordHeader) || header.bytes % 8 != 0 ||
        header.bytes > rest.size()) {
      ++damage_.records;
      return;
    }
    const auto record = rest.first(header.bytes);
    rest = rest.subspan(header.bytes);
    const std::size_t least = least_bytes(header.type);
    if (header.type == Type::unfinished) {
      ++damage_.unfinished;
    } else if (least == 0) {
      ++damage_.unknown;
    } else if (record.size() < least ||
               record.size() - least < trailing_bytes(header.type, record)) {
      ++damage_.records;
    } else if (!visit(Record(header.type, record))) {
      stopped = true;
      return;
    }
  }
}

Tables Reader::read_tables() {
  damage_ = {};
  Tables tables;
  bool stopped = false;
  for (const auto& extent : extents()) {
    const auto take = [&](const Record& record) {
      if (record.type() == Type::string) {
        const auto string = record.as<String>();
        const auto text = record.behind<String>().first(string.length);
        tables.strings.try_emplace(string.id, reinterpret_cast<const char*>(text.data()),
                                   text.size());
      } else if (record.type() == Type::configuration) {
        Tables::Shape shape;
        shape.configuration = record.as<Configuration>();
        shape.lengths.resize(shape.configuration.lengths);
        if (!shape.lengths.empty()) {
          std::memcpy(shape.lengths.data(), record.behind<Configuration>().data(),
                      shape.lengths.size() * sizeof(std::int32_t));
        }
        tables.configurations.try_emplace(shape.configuration.id, std::move(shape));
      } else if (record.type() == Type::call_site) {
        const auto site = record.as<CallSite>();
        tables.call_sites.try_emplace(site.id, site);
      }
      return true;
    };
    visit_extent(extent, take, stopped);
  }
  return tables;
}

void Reader::visit(const std::function<bool(const Record&)>& visit) {
  damage_ = opened_damage_;
  bool stopped = false;
  for (const auto& extent : extents_) {
    if (stopped) break;
    visit_extent(extent, visit, stopped);
  }
}

}  // namespace rnnadvisor::spool
