// Spools made by hand, byte by byte as format.h says: what the tests of the reader and of the
// collector read.
#pragma once

#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/spool/format.h"
#include "profiler/spool/reader.h"

namespace rnnadvisor::spool {

class SpoolWriter {
 public:
  SpoolWriter() {
    header.chunks_begin = header_bytes;
    header.max_bytes = std::uint64_t{1} << 30;
    header.start_ns = 1'000;
    header.end_ns = 9'000'000;
    header.pid = 100;
    header.parent_pid = 99;
    header.exit_status = 0;
    header.host = "node1";
    header.executable = "/usr/bin/python3.11";
    header.command_line = {"python3", "train.py"};
  }

  Header header;  // written by bytes()

  // The id of a text; equal texts are written once.
  std::uint32_t text(std::string_view text) {
    for (std::size_t i = 0; i < texts_.size(); ++i) {
      if (texts_[i] == text) return static_cast<std::uint32_t>(i + 1);
    }
    texts_.emplace_back(text);
    String record{};
    record.id = static_cast<std::uint32_t>(texts_.size());
    record.length = static_cast<std::uint32_t>(text.size());
    add(record, String::type, text);
    return record.id;
  }

  template <class T>
  void add(const T& record) {
    add(record, T::type, {});
  }
  template <class T>
  void add(T record, Type type, std::string_view behind) {
    record.header.type = type;
    record.header.bytes = static_cast<std::uint32_t>((sizeof(T) + behind.size() + 7) / 8 * 8);
    std::string bytes(reinterpret_cast<const char*>(&record), sizeof record);
    bytes += behind;
    bytes.resize(record.header.bytes, '\0');
    add_bytes(bytes);
  }
  void add_configuration(Configuration record, const std::vector<std::int32_t>& lengths = {}) {
    record.lengths = static_cast<std::uint32_t>(lengths.size());
    add(record, Configuration::type,
        {reinterpret_cast<const char*>(lengths.data()), lengths.size() * sizeof(std::int32_t)});
  }
  void add_bytes(std::string_view bytes) {
    if (chunks_.empty() || sizeof(ChunkHeader) + chunks_.back().size() + bytes.size() > chunk_unit)
      next_chunk();
    chunks_.back() += bytes;
  }
  void next_chunk() { chunks_.emplace_back(); }

  std::string bytes() const {
    std::string all(header_bytes, '\0');
    const auto put = [&](std::size_t offset, auto value) {
      std::memcpy(all.data() + offset, &value, sizeof value);
    };
    const auto put_text = [&](std::size_t offset, std::string_view value, std::size_t room) {
      value.copy(all.data() + offset, room);
    };
    using F = FileHeader;
    put(offsetof(F, magic), magic);
    put(offsetof(F, version), format_version);
    put(offsetof(F, chunks_begin), header.chunks_begin);
    put(offsetof(F, max_bytes), header.max_bytes);
    put(offsetof(F, start_ns), header.start_ns);
    put(offsetof(F, end_ns), header.end_ns);
    put(offsetof(F, pid), header.pid);
    put(offsetof(F, parent_pid), header.parent_pid);
    put(offsetof(F, rank), header.rank);
    put(offsetof(F, local_rank), header.local_rank);
    put(offsetof(F, world_size), header.world_size);
    put(offsetof(F, exited), header.exit_status + 1);
    put(offsetof(F, mode), header.mode);
    put(offsetof(F, asked_mode), header.asked_mode);
    for (std::size_t i = 0; i < header.failures.size() && i < most_failures; ++i)
      put(offsetof(F, failures) + i * sizeof(Failure), header.failures[i]);
    std::memcpy(all.data() + offsetof(F, lost), header.lost, sizeof header.lost);
    std::memcpy(all.data() + offsetof(F, entries), header.entries, sizeof header.entries);
    put(offsetof(F, calls), header.calls);
    put_text(offsetof(F, host), header.host, sizeof(F::host));
    put_text(offsetof(F, executable), header.executable, sizeof(F::executable));
    std::string words;
    for (const auto& word : header.command_line) words += word + '\0';
    put_text(offsetof(F, command_line), words, sizeof(F::command_line));
    for (const auto& chunk : chunks_) {
      const auto used = static_cast<std::uint32_t>(chunk.size());
      const std::uint32_t bytes =
          (static_cast<std::uint32_t>(sizeof(ChunkHeader)) + used + chunk_unit - 1) / chunk_unit *
          chunk_unit;
      const std::uint32_t head[4] = {chunk_magic, bytes, 1, used};
      const std::size_t begin = all.size();
      all.append(reinterpret_cast<const char*>(head), sizeof head);
      all += chunk;
      all.resize(begin + bytes, '\0');
    }
    const std::uint64_t end = all.size();
    std::memcpy(all.data() + offsetof(F, chunks_end), &end, sizeof end);
    return all;
  }
  void write(const std::string& path) const {
    const std::string all = bytes();
    std::ofstream(path, std::ios::binary) << all;
  }

 private:
  std::vector<std::string> texts_;
  std::vector<std::string> chunks_;
};

}  // namespace rnnadvisor::spool
