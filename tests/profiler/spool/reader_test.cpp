#include "profiler/spool/reader.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/profiler/spool/spool_writer.h"

namespace rnnadvisor::spool {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class TemporaryFile {
 public:
  TemporaryFile() {
    std::string pattern = testing::TempDir() + "/spool-XXXXXX";
    close(mkstemp(pattern.data()));
    path_ = pattern;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::vector<Type> types(Reader& reader) {
  std::vector<Type> found;
  reader.visit([&](const Record& record) {
    found.push_back(record.type());
    return true;
  });
  return found;
}

void put(std::string& bytes, std::size_t offset, std::uint32_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

TEST(SpoolReader, ReadsTheHeader) {
  SpoolWriter writer;
  writer.header.rank = 3;
  writer.header.mode = Mode::kernels;
  writer.header.asked_mode = Mode::full;
  writer.header.lost[static_cast<std::size_t>(Loss::kernels)] = 17;
  writer.header.entries[static_cast<std::size_t>(Entry::forward)] = 5;
  writer.header.calls = 6;
  writer.header.exit_status = 4;
  const std::string bytes = writer.bytes();
  const auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader) << to_text(reader.error());
  const Header& header = reader->header();
  EXPECT_EQ(header.pid, 100);
  EXPECT_EQ(header.parent_pid, 99);
  EXPECT_EQ(header.start_ns, 1'000);
  EXPECT_EQ(header.end_ns, 9'000'000);
  EXPECT_EQ(header.rank, 3);
  EXPECT_EQ(header.local_rank, -1);
  EXPECT_EQ(header.exit_status, 4);
  EXPECT_EQ(header.mode, Mode::kernels);
  EXPECT_EQ(header.asked_mode, Mode::full);
  EXPECT_EQ(header.lost[static_cast<std::size_t>(Loss::kernels)], 17u);
  EXPECT_EQ(header.entries[static_cast<std::size_t>(Entry::forward)], 5u);
  EXPECT_EQ(header.calls, 6u);
  EXPECT_EQ(header.host, "node1");
  EXPECT_EQ(header.executable, "/usr/bin/python3.11");
  EXPECT_THAT(header.command_line, ElementsAre("python3", "train.py"));
}

TEST(SpoolReader, TextsOfTheHeaderEndWithTheirField) {
  SpoolWriter writer;
  writer.header.host = std::string(400, 'h');
  writer.header.command_line = {std::string(3000, 'c')};
  const std::string bytes = writer.bytes();
  const auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().host, std::string(256, 'h'));
  EXPECT_THAT(reader->header().command_line, ElementsAre(std::string(2048, 'c')));
}

TEST(SpoolReader, TwoPassesOverSeveralChunks) {
  SpoolWriter writer;
  Kernel kernel{};
  kernel.start_ns = 5;
  kernel.name = writer.text("kernel");
  writer.add(kernel);
  writer.next_chunk();  // allocated, never used
  writer.next_chunk();
  Configuration configuration{};
  configuration.id = 7;
  configuration.hidden_size = 64;
  writer.add_configuration(configuration, {3, 2, 1});
  CallSite site{};
  site.id = 2;
  site.line = 42;
  writer.add(site);
  const std::string bytes = writer.bytes();
  auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  const Tables tables = reader->read_tables();
  EXPECT_EQ(tables.text(1), "kernel");
  EXPECT_EQ(tables.text(0), "");
  EXPECT_EQ(tables.text(9), "");
  ASSERT_TRUE(tables.configurations.contains(7));
  EXPECT_EQ(tables.configurations.at(7).configuration.hidden_size, 64);
  EXPECT_THAT(tables.configurations.at(7).lengths, ElementsAre(3, 2, 1));
  EXPECT_EQ(tables.call_sites.at(2).line, 42);
  EXPECT_THAT(types(*reader),
              ElementsAre(Type::string, Type::kernel, Type::configuration, Type::call_site));
  EXPECT_FALSE(reader->damage().any());
  int seen = 0;
  reader->visit([&](const Record& record) {
    if (record.type() == Type::kernel) {
      EXPECT_EQ(record.as<Kernel>().start_ns, 5);
    }
    return ++seen < 2;
  });
  EXPECT_EQ(seen, 2);  // the visitor may end it
}

TEST(SpoolReader, WhatIsNotPublishedIsNotRead) {
  SpoolWriter writer;
  writer.text("whole");
  writer.text("not yet published");
  std::string bytes = writer.bytes();
  put(bytes, header_bytes + offsetof(ChunkHeader, committed), 24);
  auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  EXPECT_THAT(types(*reader), ElementsAre(Type::string));
  EXPECT_FALSE(reader->damage().any());
}

TEST(SpoolReader, AFileCutOffAnywhereGivesWhatIsThere) {
  SpoolWriter writer;
  for (int i = 0; i < 300; ++i) writer.text("text number " + std::to_string(i));
  const std::string bytes = writer.bytes();
  std::size_t last = 0;
  for (std::size_t size = 0; size <= bytes.size(); size += 61) {
    const std::string part = bytes.substr(0, size);
    auto reader = Reader::from_bytes(part, "a");
    ASSERT_EQ(reader.has_value(), size >= header_bytes);
    if (!reader) continue;
    const auto count = types(*reader).size();
    EXPECT_GE(count, last);
    last = count;
    EXPECT_LE(reader->read_tables().strings.size(), 300u);
  }
  EXPECT_GT(last, 290u);
}

TEST(SpoolReader, ABrokenRecordEndsItsChunkOnly) {
  SpoolWriter writer;
  for (int i = 0; i < 3; ++i) writer.text("12345678");
  writer.text("second of the first chunk");
  writer.next_chunk();
  writer.text("in the second chunk");
  const std::string good = writer.bytes();
  for (const std::uint32_t wrong : {0u, 4u, 20u, 0xfffffff8u}) {
    std::string bytes = good;
    put(bytes, header_bytes + sizeof(ChunkHeader) + 24 + offsetof(RecordHeader, bytes), wrong);
    auto reader = Reader::from_bytes(bytes, "a");
    ASSERT_TRUE(reader);
    EXPECT_EQ(types(*reader).size(), 2u) << wrong;
    EXPECT_EQ(reader->damage().records, 1u);
  }
}

TEST(SpoolReader, ARecordShorterThanItsTypeIsLeftOut) {
  SpoolWriter writer;
  const std::uint32_t kernel[4] = {static_cast<std::uint32_t>(Type::kernel), 16, 0, 0};
  writer.add_bytes({reinterpret_cast<const char*>(kernel), sizeof kernel});
  const std::uint32_t later[4] = {4711, 16, 0, 0};
  writer.add_bytes({reinterpret_cast<const char*>(later), sizeof later});
  String longer{};
  longer.id = 1;
  longer.length = 4'000'000'000;  // says more than there is
  writer.add(longer);
  Configuration lengths{};
  lengths.lengths = 0x80000000;
  writer.add(lengths);
  writer.text("good");
  const std::string bytes = writer.bytes();
  auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  EXPECT_THAT(types(*reader), ElementsAre(Type::string));
  EXPECT_EQ(reader->damage().records, 3u);
  EXPECT_EQ(reader->damage().unknown, 1u);
}

TEST(SpoolReader, WhatIsNoSpoolIsAnError) {
  const std::string good = SpoolWriter().bytes();
  const auto refused = [](std::string bytes) {
    const auto reader = Reader::from_bytes(bytes, "a.spool");
    EXPECT_FALSE(reader);
    return reader ? Error{} : reader.error();
  };
  EXPECT_EQ(refused("").code, ErrorCode::damaged);
  EXPECT_EQ(refused("SQLite format 3").code, ErrorCode::damaged);
  EXPECT_THAT(refused(std::string(8192, '\0')).message, HasSubstr("a.spool"));
  std::string later = good;
  put(later, offsetof(FileHeader, version), format_version + 1);
  EXPECT_EQ(refused(later).code, ErrorCode::newer_version);
  std::string earlier = good;
  put(earlier, offsetof(FileHeader, version), format_version - 1);
  EXPECT_EQ(refused(earlier).code, ErrorCode::unsupported);
  EXPECT_THAT(refused(earlier).message, HasSubstr("an earlier rnnadvisor"));
  put(earlier, offsetof(FileHeader, version), 0U);
  EXPECT_EQ(refused(earlier).code, ErrorCode::damaged);
  for (const std::uint32_t begin : {0u, 8u, 4095u, 4097u, 0xfffffff8u, 0xfffff000u}) {
    std::string wrong = good;
    put(wrong, offsetof(FileHeader, chunks_begin), begin);
    EXPECT_EQ(refused(wrong).code, ErrorCode::damaged) << begin;
  }
}

TEST(SpoolReader, AChunkThatIsNoneIsCounted) {
  SpoolWriter writer;
  writer.text("a");
  writer.next_chunk();
  writer.text("b");
  const std::string good = writer.bytes();
  for (const std::size_t field : {offsetof(ChunkHeader, magic), offsetof(ChunkHeader, bytes)}) {
    std::string bytes = good;
    put(bytes, header_bytes + field, 0xdeadbeef);
    auto reader = Reader::from_bytes(bytes, "a");
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->read_tables().strings.size(), 1u) << "what comes behind it is found";
    EXPECT_EQ(reader->damage().chunks, 1u);
    EXPECT_THAT(types(*reader), ElementsAre(Type::string));
    EXPECT_EQ(reader->damage().chunks, 1u) << "the second pass tells it, too";
  }
}

// Whatever a length says, no more than the chunk is read, and what comes behind is found.
TEST(SpoolReader, ALengthThatNoChunkHasIsDamage) {
  SpoolWriter writer;
  writer.text("a");
  writer.next_chunk();
  writer.text("b");
  writer.next_chunk();
  writer.text("c");
  const std::string good = writer.bytes();
  const std::size_t second = header_bytes + chunk_unit;
  for (const std::uint32_t length : {0U, 16U, chunk_unit + 8, most_chunk_bytes + chunk_unit}) {
    std::string bytes = good;
    put(bytes, header_bytes + offsetof(ChunkHeader, bytes), length);
    put(bytes, second + offsetof(ChunkHeader, bytes), length);
    auto reader = Reader::from_bytes(bytes, "a");
    ASSERT_TRUE(reader);
    EXPECT_EQ(reader->damage().chunks, 1u) << length << ": one place, however long";
    EXPECT_THAT(types(*reader), ElementsAre(Type::string));
  }
  std::string more = good;
  put(more, header_bytes + offsetof(ChunkHeader, committed), chunk_unit);
  auto reader = Reader::from_bytes(more, "a");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->damage().chunks, 1u) << "more than it has room for";
  EXPECT_EQ(reader->read_tables().strings.size(), 3u);
  // The last is cut off in its header.
  const std::string cut = good.substr(0, header_bytes + 2 * chunk_unit + sizeof(ChunkHeader) - 1);
  auto short_reader = Reader::from_bytes(cut, "a");
  ASSERT_TRUE(short_reader);
  EXPECT_EQ(short_reader->read_tables().strings.size(), 2u);
}

TEST(SpoolReader, WhatALaterWriterMayHaveSaidInTheHeaderIsLeftOut) {
  SpoolWriter writer;
  writer.header.failures = {{Step::allocate, ENOSPC, 3},
                            {static_cast<Step>(static_cast<int>(Step::threads) + 1), 0, 1},
                            {Step::open, EMFILE, 1}};
  writer.header.mode = static_cast<Mode>(7);
  const std::string bytes = writer.bytes();
  const auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->header().failures.size(), 1u);
  EXPECT_EQ(reader->header().mode, Mode::calls);
  writer.header.failures.assign(most_failures, {Step::map, ENOMEM, 1});
  const std::string full = writer.bytes();
  EXPECT_EQ(Reader::from_bytes(full, "a")->header().failures.size(), most_failures);
}

TEST(SpoolReader, ChunksOfDifferentSizesFollowOneAnother) {
  SpoolWriter writer;
  for (const std::size_t length : {5u, 10'000u, 60'000u, 3u}) {
    writer.next_chunk();
    writer.text(std::string(length, 'x'));
  }
  const std::string bytes = writer.bytes();
  auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  const Tables tables = reader->read_tables();
  EXPECT_EQ(tables.text(3).size(), 60'000u);
  EXPECT_EQ(tables.text(4), "xxx");
  EXPECT_FALSE(reader->damage().any());
}

TEST(SpoolReader, AnUnfinishedRecordIsPassedOver) {
  SpoolWriter writer;
  writer.text("one");
  const std::uint32_t begun[6] = {static_cast<std::uint32_t>(Type::unfinished), 24, 1, 2, 3, 4};
  writer.add_bytes({reinterpret_cast<const char*>(begun), sizeof begun});
  writer.text("two");
  const std::string bytes = writer.bytes();
  auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  EXPECT_THAT(types(*reader), ElementsAre(Type::string, Type::string));
  EXPECT_EQ(reader->damage().unfinished, 1u);
  EXPECT_FALSE(reader->damage().any());
}

TEST(SpoolReader, TellsWhyTheFileCouldNotGrow) {
  SpoolWriter writer;
  writer.header.failures = {{Step::allocate, ENOSPC, 3}, {Step::open, EMFILE, 1}};
  const std::string bytes = writer.bytes();
  const auto reader = Reader::from_bytes(bytes, "a");
  ASSERT_TRUE(reader);
  ASSERT_EQ(reader->header().failures.size(), 2u);
  EXPECT_EQ(reader->header().failures[1].step, Step::open);
  EXPECT_EQ(reader->header().failures[0].error, ENOSPC);
  EXPECT_EQ(reader->header().failures[0].count, 3u);
}

TEST(SpoolReader, OpensFilesAndNothingElse) {
  const TemporaryFile file;
  SpoolWriter writer;
  writer.text("on disk");
  writer.write(file.path());
  auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_EQ(reader->read_tables().text(1), "on disk");
  EXPECT_EQ(Reader::open("/no/such/file.spool").error().code, ErrorCode::not_found);
  EXPECT_EQ(Reader::open("/tmp").error().code, ErrorCode::damaged);
  EXPECT_EQ(Reader::open(file.path() + "/below").error().code, ErrorCode::io);
  const std::string fifo = file.path() + ".fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(Reader::open(fifo).error().code, ErrorCode::damaged);  // and does not wait for ever
  unlink(fifo.c_str());
}

// A file that grows while it is read: the second pass stays within what was there when it was
// opened, and the first knows every text that the second can meet.
TEST(SpoolReader, ALiveFileIsReadAsItWasOpened) {
  const TemporaryFile file;
  SpoolWriter writer;
  writer.text("first");
  writer.write(file.path());
  auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  writer.text("second");
  writer.next_chunk();
  writer.text("third");
  writer.write(file.path());
  EXPECT_EQ(reader->read_tables().strings.size(), 3u);
  EXPECT_EQ(types(*reader).size(), 1u);
}

// Sparse and enormous: nothing is allocated for what is not there.
TEST(SpoolReader, AnEnormousEmptyFileIsReadQuickly) {
  const TemporaryFile file;
  std::string bytes = SpoolWriter().bytes();
  put(bytes, offsetof(FileHeader, chunks_end) + 4, 0x100);
  std::ofstream(file.path(), std::ios::binary) << bytes;
  std::filesystem::resize_file(file.path(), std::uintmax_t{1} << 40);
  auto reader = Reader::open(file.path());
  ASSERT_TRUE(reader);
  EXPECT_TRUE(types(*reader).empty());
  // A chunk far behind the hole is found.
  SpoolWriter writer;
  writer.text("far");
  std::ofstream(file.path(), std::ios::binary | std::ios::in | std::ios::out)
      .seekp(std::streamoff{1} << 30)
      .write(writer.bytes().data() + header_bytes, chunk_unit);
  auto found = Reader::open(file.path());
  ASSERT_TRUE(found);
  EXPECT_THAT(types(*found), ElementsAre(Type::string));
}

}  // namespace
}  // namespace rnnadvisor::spool
