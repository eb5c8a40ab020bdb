// The plugin's writer, here in a process of its own: what it is asked to keep, and what it does
// where the system says no. What it does in strangers' programs is in tests/profiler/plugin.
#include "profiler/spool/writer.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "profiler/spool/reader.h"
#include "tests/effort.h"
#include "tests/temporary_folder.h"

namespace rnnadvisor::spool {
namespace {

namespace fs = std::filesystem;
using ::testing::SizeIs;

// A thread of its own for each: what a thread writes to belongs to one writer.
class SpoolWriting : public ::testing::Test {
 protected:
  void in_thread(const std::function<void()>& body) { std::thread(body).join(); }
  bool open(std::uint64_t max_bytes = std::uint64_t{1} << 30) {
    const std::string folder = folder_.path().string();
    return writer.open({folder.c_str(), max_bytes, Mode::calls});
  }
  std::string file() const {
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().extension() == file_suffix) return entry.path().string();
    return {};
  }
  bool call(std::uint64_t id) {
    Call record{};
    record.id = id;
    return writer.add(record, Loss::calls);
  }
  // The ids of the calls in a file, in order.
  static std::vector<std::uint64_t> calls(const std::string& path, Header* header = nullptr) {
    std::vector<std::uint64_t> ids;
    auto reader = Reader::open(path);
    EXPECT_TRUE(reader);
    if (!reader) return ids;
    reader->visit([&](const Record& record) {
      if (record.type() == Type::call) ids.push_back(record.as<Call>().id);
      return true;
    });
    EXPECT_FALSE(reader->damage().any());
    if (header != nullptr) *header = reader->header();
    std::ranges::sort(ids);
    return ids;
  }
  static std::vector<std::uint64_t> up_to(std::uint64_t last) {
    std::vector<std::uint64_t> ids(last);
    for (std::uint64_t i = 0; i < last; ++i) ids[i] = i + 1;
    return ids;
  }

  TemporaryFolder folder_;
  // Never freed: its memory is a process's, and threads come back to it when they end.
  static Writer& new_writer() {
    static auto& all = *new std::vector<std::unique_ptr<Writer>>;
    return *all.emplace_back(std::make_unique<Writer>());
  }
  Writer& writer = new_writer();
};

TEST_F(SpoolWriting, WithoutAFileNothingIsKeptAndNothingBreaks) {
  in_thread([&] {
    EXPECT_FALSE(call(1));
    EXPECT_EQ(writer.intern("text"), 0u);
    writer.count_loss(Loss::calls);
    writer.forget();
    EXPECT_FALSE(writer.is_open());
    const std::string absent = (folder_.path() / "absent").string();
    EXPECT_FALSE(writer.open({absent.c_str(), 1 << 20, Mode::calls}));
    EXPECT_EQ(errno, ENOENT);
    const std::string long_name(4090, 'x');
    EXPECT_FALSE(writer.open({long_name.c_str(), 1 << 20, Mode::calls}));
    EXPECT_EQ(errno, ENAMETOOLONG);
  });
  EXPECT_TRUE(fs::is_empty(folder_.path())) << "nothing half made is left";
}

TEST_F(SpoolWriting, TextsAreWrittenOnceAndCutWhereTheyAreTooLong) {
  in_thread([&] {
    ASSERT_TRUE(open());
    EXPECT_EQ(writer.intern(nullptr), 0u);
    EXPECT_EQ(writer.intern(nullptr, 5), 0u);
    const auto id = writer.intern("text");
    EXPECT_EQ(writer.intern("text"), id);
    const auto long_id = writer.intern(std::string(20'000, 'x').c_str());
    auto reader = Reader::open(file());
    ASSERT_TRUE(reader);
    const auto tables = reader->read_tables();
    EXPECT_EQ(tables.text(id), "text");
    EXPECT_EQ(tables.text(long_id), std::string(16'384, 'x'));
  });
}

TEST_F(SpoolWriting, TextsOfWhichThereAreManyLeaveRoomForTheOthers) {
  in_thread([&] {
    ASSERT_TRUE(open());
    const auto fill = [&](const std::string& kind, Writer::Kind as) {
      std::size_t kept = 0;
      for (int i = 0; i < 40'000; ++i) {
        const std::string text = kind + std::to_string(i);
        if (writer.intern(text.c_str(), text.size(), as) == 0) break;
        ++kept;
      }
      return kept;
    };
    EXPECT_EQ(fill("many", Writer::Kind::many), std::size_t{65'536} * 3 / 8);
    EXPECT_EQ(fill("few", Writer::Kind::few), std::size_t{65'536} / 8);
    EXPECT_NE(writer.intern("many0"), 0u) << "what has a place keeps it";
    Header header;
    calls(file(), &header);
    EXPECT_EQ(header.lost[static_cast<std::size_t>(Loss::strings)], 2u);
  });
}

TEST_F(SpoolWriting, ARecordThatFitsNoChunkIsALoss) {
  in_thread([&] {
    ASSERT_TRUE(open());
    const std::string tail(300'000, 'x');
    EXPECT_FALSE(writer.add(Call{}, Loss::calls, tail.data(), tail.size()));
    EXPECT_TRUE(call(1));
    Header header;
    EXPECT_EQ(calls(file(), &header), up_to(1));
    EXPECT_EQ(header.lost[static_cast<std::size_t>(Loss::calls)], 1u);
  });
}

// Each leaves a chunk that is too full for the next thread's large record.
TEST_F(SpoolWriting, MoreThreadsThanAreLookedThroughLoseNothing) {
  ASSERT_TRUE([&] {
    Writer::prepare();
    return open();
  }());
  constexpr std::uint64_t threads = 100;
  std::latch all(threads);
  std::vector<std::thread> running;
  for (std::uint64_t id = 1; id <= threads; ++id) {
    running.emplace_back([&, id] {
      const std::string tail(2'000, 'x');
      EXPECT_TRUE(writer.add(Call{}, Loss::calls, tail.data(), tail.size()));
      EXPECT_TRUE(call(id));
      all.arrive_and_wait();  // so that each has its own
    });
  }
  for (auto& one : running) one.join();
  in_thread([&] {
    const std::string tail(3'000, 'x');
    EXPECT_TRUE(writer.add(Call{}, Loss::calls, tail.data(), tail.size()));
  });
  EXPECT_THAT(calls(file()), SizeIs(2 * threads + 1));
}

// The limit of this process, until the end of the scope.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit now{bytes, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &now);
  }
  ~FileSizeLimit() { setrlimit(RLIMIT_FSIZE, &before_); }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit before_{};
};

TEST_F(SpoolWriting, WhatFailsIsTriedLessAndLessOftenAndGoesOnWhenItWorks) {
  in_thread([&] {
    {
      const FileSizeLimit none(0);
      EXPECT_FALSE(open());
      EXPECT_EQ(errno, EFBIG);
    }
    ASSERT_TRUE(open());
    std::uint64_t id = 0, lost = 0;
    {
      const FileSizeLimit small(8192);
      const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(400);
      while (std::chrono::steady_clock::now() < until) {
        if (call(id + 1)) {
          ++id;
        } else {
          ++lost;
          usleep(500);
        }
      }
    }
    EXPECT_GT(lost, 20u);
    while (!call(id + 1)) {
      ++lost;
      usleep(500);
    }
    Header header;
    EXPECT_EQ(calls(file(), &header), up_to(id + 1));
    EXPECT_EQ(header.lost[static_cast<std::size_t>(Loss::calls)], lost);
    ASSERT_THAT(header.failures, SizeIs(1));
    EXPECT_EQ(header.failures[0].step, Step::allocate);
    EXPECT_EQ(header.failures[0].error, EFBIG);
    // After 1, 2, 4, … ms.
    EXPECT_GE(header.failures[0].count, 4u);
    EXPECT_LE(header.failures[0].count, 20u);
  });
}

// A thread's large record, where little is left of a piece that another's small one began.
TEST_F(SpoolWriting, APieceThatIsTooSmallForARecordIsLeftToOthers) {
  ASSERT_TRUE(open());
  std::uint64_t last = 0;
  in_thread([&] {
    while (last < 1'000) EXPECT_TRUE(call(++last));
  });
  in_thread([&] { EXPECT_TRUE(call(++last)); });
  in_thread([&] {
    const std::string tail(200'000, 'x');
    Call record{};
    record.id = ++last;
    EXPECT_TRUE(writer.add(record, Loss::calls, tail.data(), tail.size()));
  });
  in_thread([&] {
    while (last < 2'000) EXPECT_TRUE(call(++last));
  });
  EXPECT_EQ(calls(file()), up_to(last));
}

TEST_F(SpoolWriting, OfAFullFileTheRestIsForWhatFitsIntoIt) {
  Writer::prepare();
  ASSERT_TRUE(open(20'000));
  std::uint64_t last = 0;
  const auto large_call = [&](std::size_t bytes) {
    const std::string tail(bytes, 'x');
    Call record{};
    record.id = last + 1;
    if (writer.add(record, Loss::calls, tail.data(), tail.size())) ++last;
  };
  in_thread([&] { large_call(2'000); });
  in_thread([&] {
    for (int i = 0; i < 10; ++i) large_call(3'500);
  });
  EXPECT_GT(last, 1u);
  EXPECT_LT(last, 6u);
  in_thread([&] { EXPECT_TRUE(call(++last)); });
  EXPECT_EQ(calls(file()), up_to(last));
}

TEST_F(SpoolWriting, AnotherFileUnderItsNameIsLeftAlone) {
  in_thread([&] {
    ASSERT_TRUE(open());
    ASSERT_TRUE(call(1));
    const std::string path = file(), moved = (folder_.path() / "moved").string();
    fs::rename(path, moved);
    close(::open(path.c_str(), O_CREAT | O_WRONLY, 0600));
    std::uint64_t last = 1;
    while (last < 2'000) ASSERT_TRUE(call(++last));
    EXPECT_EQ(fs::file_size(path), 0u);
    EXPECT_EQ(calls(moved), up_to(2'000));
  });
}

// The program closes what it did not open, opens its own file under the number, and the name is
// gone too: there is no way to the file any more.
TEST_F(SpoolWriting, AnotherFileUnderItsNumberIsLeftAlone) {
  in_thread([&] {
    ASSERT_TRUE(open());
    ASSERT_TRUE(call(1));
    const std::string path = file(), moved = (folder_.path() / "moved").string();
    struct stat wanted{};
    ASSERT_EQ(stat(path.c_str(), &wanted), 0);
    fs::rename(path, moved);
    const std::string other = (folder_.path() / "other").string();
    const int file = ::open(other.c_str(), O_CREAT | O_RDWR, 0600);
    for (int number = 3; number < 1024; ++number) {
      struct stat status{};
      if (fstat(number, &status) == 0 && status.st_ino == wanted.st_ino &&
          status.st_dev == wanted.st_dev)
        dup2(file, number);
    }
    std::uint64_t last = 1;
    while (call(last + 1)) ASSERT_LT(++last, 10'000u);
    EXPECT_EQ(fs::file_size(other), 0u);
    Header header;
    EXPECT_EQ(calls(moved, &header), up_to(last));
    ASSERT_THAT(header.failures, SizeIs(1));
    EXPECT_EQ(header.failures[0].step, Step::open);
    EXPECT_EQ(header.failures[0].error, ENOENT);
    // As in a child: the number is another file's, which is not closed.
    writer.forget();
    struct stat status{};
    EXPECT_EQ(fstat(file, &status), 0);
    ASSERT_TRUE(open());
    EXPECT_TRUE(call(1));
  });
}

TEST_F(SpoolWriting, AFileThatIsCutOffIsTakenAsItsEnd) {
  if (test::sanitized()) GTEST_SKIP() << "bus errors are the sanitizer's";
  in_thread([&] {
    ASSERT_TRUE(open());
    ASSERT_TRUE(call(1));
    const std::string path = file();
    fs::resize_file(path, fs::file_size(path) - 4096);
    std::uint64_t last = 1;
    while (call(last + 1)) ASSERT_LT(++last, 100'000u);
    EXPECT_FALSE(call(1)) << "nothing more is recorded";
    EXPECT_EQ(writer.header().failures[0].step, Step::truncated);
    EXPECT_EQ(writer.header().failures[0].count, 1u) << "it is counted once";
  });
}

TEST_F(SpoolWriting, ALimitOfItsOwnIsNotPassed) {
  in_thread([&] {
    ASSERT_TRUE(open(20'000));  // no whole number of pages
    std::uint64_t last = 0;
    {
      const FileSizeLimit none(4096);
      EXPECT_FALSE(call(1));
    }
    usleep(20'000);  // it is not tried at once
    while (call(last + 1)) ASSERT_LT(++last, 10'000u);
    Header header;
    EXPECT_EQ(calls(file(), &header), up_to(last));
    EXPECT_LE(fs::file_size(file()), 20'000u);
    ASSERT_THAT(header.failures, SizeIs(2));
    EXPECT_EQ(header.failures[0].step, Step::allocate);
    EXPECT_EQ(header.failures[1].step, Step::limit);
  });
}

}  // namespace
}  // namespace rnnadvisor::spool
