#include "advisor/saved_models/zip_entry.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

constexpr std::uint64_t in_zip64 = 0xffffffffU;
constexpr std::uint64_t most_entries = 1'000'000;

struct ZipEntry {
  std::uint64_t method = 0, crc = 0, packed = 0, size = 0, header = 0;
  bool encrypted = false;
};

struct ZipDirectory {
  std::uint64_t begin = 0, entries = 0;
};

auto damaged_zip(std::string what) {
  return fail(ErrorCode::damaged, std::move(what), "save the model again, or copy it again");
}

std::optional<ZipDirectory> find_directory(FileBytes& archive) {
  constexpr std::uint64_t record = 22;
  constexpr std::uint64_t longest_comment = 65535;
  if (archive.size() < record) return std::nullopt;
  const auto last = archive.size() - record;
  const auto first = last - std::min(last, longest_comment);
  const std::string tail = archive.read(first, archive.size());
  const auto found =
      tail.rfind(std::string_view("PK\5\6", 4), static_cast<std::size_t>(last - first));
  if (found == std::string::npos) return std::nullopt;
  const auto end = first + found;
  ZipDirectory directory{archive.number(end + 16, 4), archive.number(end + 10, 2)};
  if (end >= 20 && archive.view(end - 20, 4) == std::string_view("PK\6\7", 4)) {
    const auto wide = archive.number(end - 12, 8);
    if (archive.view(wide, 4) == std::string_view("PK\6\6", 4))
      directory = {archive.number(wide + 48, 8), archive.number(wide + 32, 8)};
  }
  return directory;
}

// Sizes that do not fit into 32 bits stand in an extra field, in this order.
void read_zip64(FileBytes& archive, std::uint64_t at, std::uint64_t end, ZipEntry& entry) {
  while (at + 4 <= end) {
    const auto id = archive.number(at, 2);
    const auto next = at + 4 + archive.number(at + 2, 2);
    if (id == 1) {
      at += 4;
      for (auto* value : {&entry.size, &entry.packed, &entry.header}) {
        if (*value != in_zip64 || at + 8 > std::min(next, end)) continue;
        *value = archive.number(at, 8);
        at += 8;
      }
      return;
    }
    at = next;
  }
}

std::optional<ZipEntry> find_entry(FileBytes& archive, const ZipDirectory& directory,
                                   std::string_view name) {
  std::uint64_t at = directory.begin;
  for (std::uint64_t i = 0; i < std::min(directory.entries, most_entries); ++i) {
    if (archive.view(at, 4) != std::string_view("PK\1\2", 4)) return std::nullopt;
    const auto name_length = archive.number(at + 28, 2);
    const auto extra_length = archive.number(at + 30, 2);
    const auto next = at + 46 + name_length + extra_length + archive.number(at + 32, 2);
    if (name_length == name.size() && archive.view(at + 46, name_length) == name) {
      ZipEntry entry{archive.number(at + 10, 2), archive.number(at + 16, 4),
                     archive.number(at + 20, 4), archive.number(at + 24, 4),
                     archive.number(at + 42, 4), (archive.number(at + 8, 2) & 1U) != 0};
      read_zip64(archive, at + 46 + name_length, at + 46 + name_length + extra_length, entry);
      return entry;
    }
    at = next;
  }
  return std::nullopt;
}

// Nothing where it is no deflated data; longer than `most`, and not whole, where that has more.
std::optional<std::string> inflated(const std::string& packed, std::size_t most) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return std::nullopt;
  std::string text;
  std::string block(std::size_t{1} << 16U, '\0');
  // zlib does not write to its input, which is not const in its interface.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  int status = Z_OK;
  while (status == Z_OK && text.size() <= most) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = static_cast<uInt>(block.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(block, 0, block.size() - stream.avail_out);
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END && text.size() <= most) return std::nullopt;
  return text;
}

}  // namespace

Result<std::string> read_zip_entry(FileBytes& archive, std::string_view name, std::size_t most) {
  const auto directory = find_directory(archive);
  if (!directory) return damaged_zip("it is no ZIP archive, or its end is missing");
  const auto entry = find_entry(archive, *directory, name);
  if (!entry)
    return fail(ErrorCode::not_found, fmt::format("the archive has no '{}'", name),
                "give a model that Keras 3 saved: model.save('model.keras')");
  const auto too_large = [&] {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' in the archive is larger than {}", name,
                            format_bytes(static_cast<double>(most))),
                "it is no description of a model's layers; check where the file comes from");
  };
  if (entry->encrypted || (entry->method != 0 && entry->method != Z_DEFLATED))
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' in the archive is {}", name,
                            entry->encrypted ? "encrypted" : "compressed by another method"),
                "save the model by Keras, which stores or deflates");
  if (entry->packed > most || entry->size > most) return too_large();
  if (entry->header > archive.size() ||
      archive.view(entry->header, 4) != std::string_view("PK\3\4", 4))
    return damaged_zip(fmt::format("'{}' is not where the archive says", name));
  const auto begin = entry->header + 30 + archive.number(entry->header + 26, 2) +
                     archive.number(entry->header + 28, 2);
  std::string text = archive.read(begin, begin + entry->packed);
  if (text.size() != entry->packed) return damaged_zip(fmt::format("'{}' is cut off", name));
  if (entry->method == Z_DEFLATED) {
    auto unpacked = inflated(text, most);
    if (!unpacked) return damaged_zip(fmt::format("'{}' cannot be decompressed", name));
    text = std::move(*unpacked);
  }
  if (text.size() > most) return too_large();
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size()));
  if (crc != entry->crc) return damaged_zip(fmt::format("'{}' has another checksum", name));
  return text;
}

}  // namespace rnnadvisor::advisor
