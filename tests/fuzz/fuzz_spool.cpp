// Any bytes as a spool: an error, or a profile that holds its invariants. Bytes that do not begin
// as a spool are taken for the records of a good one, so that the search need not guess a header.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "profiler/launch/process_spool.h"
#include "profiler/profile/check.h"
#include "profiler/spool/reader.h"

namespace {

using namespace rnnadvisor;

std::string with_header(std::string_view records) {
  std::string bytes(spool::header_bytes, '\0');
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  using F = spool::FileHeader;
  put(offsetof(F, magic), spool::magic);
  put(offsetof(F, version), spool::format_version);
  const auto used = static_cast<std::uint32_t>(records.size());
  const std::uint32_t whole =
      (used + std::uint32_t{sizeof(spool::ChunkHeader)} + spool::chunk_unit - 1) /
      spool::chunk_unit * spool::chunk_unit;
  put(offsetof(F, chunks_begin), std::uint32_t{spool::header_bytes});
  put(offsetof(F, chunks_end), std::uint64_t{spool::header_bytes} + whole);
  put(offsetof(F, start_ns), std::int64_t{1000});
  put(offsetof(F, pid), std::int32_t{5});
  const std::uint32_t chunk[4] = {spool::chunk_magic, whole, 1, used};
  bytes.append(reinterpret_cast<const char*>(chunk), sizeof chunk);
  bytes += records;
  bytes.resize(spool::header_bytes + whole);
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes(reinterpret_cast<const char*>(data), size);
  if (size < sizeof spool::magic || std::memcmp(data, &spool::magic, sizeof spool::magic) != 0)
    bytes = with_header(bytes);
  auto reader = spool::Reader::from_bytes(bytes, "fuzz");
  if (!reader) {
    if (reader.error().message.empty()) std::abort();
    return 0;
  }
  launch::Collection collection;
  Process process;
  process.pid = 5;
  process.start_ns = 1000;
  launch::ProcessSpool spool(*reader, collection);
  if (!spool.add(process)) std::abort();
  collection.configurations.finish();
  const Profile profile = collection.builder.finish();
  if (const auto checked = check_profile(profile, ErrorCode::internal); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    std::abort();
  }
  return 0;
}
