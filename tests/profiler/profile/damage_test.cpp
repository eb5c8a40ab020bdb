// Files that are not whole, not profiles, or made to do harm: a clear error, never a crash, never a
// value out of range.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <filesystem>
#include <random>

#include "profiler/profile/check.h"
#include "profiler/profile/checksum.h"
#include "profiler/profile/file.h"
#include "tests/effort.h"
#include "tests/profiler/profile/rich_profile.h"

namespace rnnadvisor {
namespace {

using ::testing::HasSubstr;
using testing::rich_profile;
using testing::TemporaryDirectory;

const std::string& rich_bytes() {
  static const std::string bytes = [] {
    const TemporaryDirectory directory;
    if (!write_profile(rich_profile(), directory.file("a.rnnprof"))) return std::string();
    return testing::read_bytes(directory.file("a.rnnprof"));
  }();
  return bytes;
}

// The bytes after SQL has been run on them.
std::string changed(const std::string& sql) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  testing::write_bytes(path, rich_bytes());
  sqlite3* database = nullptr;
  EXPECT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* error = nullptr;
  EXPECT_EQ(
      sqlite3_exec(database, ("PRAGMA synchronous=OFF; " + sql).c_str(), nullptr, nullptr, &error),
      SQLITE_OK)
      << sql << ": " << error;
  sqlite3_free(error);
  sqlite3_close(database);
  return testing::read_bytes(path);
}

Error error_of(const std::string& bytes) {
  const auto read = read_profile_bytes(bytes, "x.rnnprof");
  return read ? Error{ErrorCode::internal, "no error", {}, std::nullopt, {}} : read.error();
}

TEST(Damage, TruncatedAtEveryPageAndElsewhere) {
  const TemporaryDirectory directory;
  const std::string bytes = rich_bytes();
  ASSERT_EQ(bytes.size() % 1024, 0U);
  const std::string path = directory.file("cut.rnnprof");
  // Every length of the header, then the last byte before and the first byte of every page.
  std::vector<std::size_t> sizes;
  for (std::size_t size = 0; size < 200; ++size) sizes.push_back(size);
  for (std::size_t page = 1024; page < bytes.size(); page += 1024) {
    for (const std::size_t size : {page - 1, page, page + 1}) sizes.push_back(size);
  }
  for (const std::size_t size : sizes) {
    const std::string cut = bytes.substr(0, size);
    EXPECT_EQ(error_of(cut).code, ErrorCode::damaged) << size;
    testing::write_bytes(path, cut);
    const auto read = read_profile(path);
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().code, ErrorCode::damaged) << size;
    EXPECT_THAT(read.error().message, HasSubstr(path));
  }
  EXPECT_THAT(error_of(bytes.substr(0, 4096)).message, HasSubstr("cut off: 4,096 bytes"));
  EXPECT_THAT(error_of(bytes + "x").message, HasSubstr("longer than it should be"));
}

// Every bit of one small profile, or as many as there is time for.
TEST(Damage, EverySingleBitFlipIsReported) {
  const std::string bytes = rich_bytes();
  ASSERT_FALSE(bytes.empty());
  const auto original = read_profile_bytes(bytes, "original");
  ASSERT_TRUE(original);
  std::mt19937 random(20261123);
  const std::size_t counter = 2 * 1024 - 12;  // SQLite's count of changes, in the checksum's row
  for (int round = 0; round < 3000; ++round) {
    std::string damaged = bytes;
    const std::size_t at = round < 2048 ? static_cast<std::size_t>(round) : random() % bytes.size();
    damaged[at] ^= static_cast<char>(1U << random() % 8);
    const auto read = read_profile_bytes(damaged, "flipped");
    // A count that is another says that another program has changed the file since; that it has not
    // is then not seen, and all else is as it was.
    if (at >= counter && at < counter + 4) {
      ASSERT_TRUE(read) << at;
      testing::expect_equal(*original, *read);
      continue;
    }
    ASSERT_FALSE(read) << "byte " << at;
    EXPECT_EQ(read.error().code, ErrorCode::damaged) << at << ": " << to_text(read.error());
    EXPECT_THAT(read.error().message, HasSubstr("'flipped'"));
    EXPECT_FALSE(read.error().remedy.empty() && at >= 100) << to_text(read.error());
  }
}

// What travels with the program is as safe: each has a checksum that speaks.
TEST(Damage, EverySingleBitFlipOfASampleIsReported) {
  namespace fs = std::filesystem;
  std::mt19937 random(17);
  int samples = 0;
  for (const auto& entry :
       fs::recursive_directory_iterator(RNNADVISOR_SOURCE_DIR "/samples/recorded")) {
    if (entry.path().extension() != ".rnnprof") continue;
    ++samples;
    std::string bytes = testing::read_bytes(entry.path());
    ASSERT_TRUE(read_profile_bytes(bytes, "sample")) << entry.path();
    // SQLite's count of changes beside the checksum: another one says that the checksum is of an
    // earlier file, and changes nothing else.
    const std::size_t beside = 2 * (bytes[16] == 4 ? 1024 : 8192) - 12;
    for (int flip = 0; flip < (test::sanitized() ? 20 : 200); ++flip) {
      const std::size_t at = random() % bytes.size();
      const auto bit = static_cast<char>(1U << random() % 8);
      if (at >= beside && at < beside + 4) continue;
      bytes[at] ^= bit;
      const auto read = read_profile_bytes(bytes, "sample");
      EXPECT_FALSE(read) << entry.path() << ", byte " << at;
      bytes[at] ^= bit;
    }
  }
  EXPECT_GT(samples, 20);
}

// As after a change by another program: the checksum says nothing, and what is read is looked at.
std::string without_seal(std::string bytes) {
  bytes[2 * 1024 - 12] ^= 1;
  return bytes;
}

// Where no checksum speaks a changed value may go unseen; a changed structure or a value out of
// range may not do harm.
TEST(Damage, FlippedBytesGiveAnErrorOrAProfileThatHoldsItsInvariants) {
  const std::string bytes = without_seal(rich_bytes());
  ASSERT_FALSE(bytes.empty());
  std::mt19937 random(20251009);
  int refused = 0;
  for (int round = 0; round < 1500; ++round) {
    std::string damaged = bytes;
    const int flips = 1 + round % 3;
    for (int i = 0; i < flips; ++i)
      damaged[random() % damaged.size()] ^= static_cast<char>(1U << random() % 8);
    const auto read = read_profile_bytes(damaged, "flipped");
    if (read) {
      EXPECT_TRUE(check_profile(*read, ErrorCode::damaged)) << round;
    } else {
      ++refused;
      EXPECT_THAT(read.error().code, ::testing::AnyOf(ErrorCode::damaged, ErrorCode::newer_version))
          << to_text(read.error());
      EXPECT_THAT(read.error().message, HasSubstr("'flipped'"));
    }
  }
  EXPECT_GT(refused, 50);
}

TEST(Damage, EveryByteOfTheHeader) {
  const std::string bytes = without_seal(rich_bytes());
  for (std::size_t i = 0; i < 100; ++i) {
    for (const int value : {0x00, 0x01, 0x7f, 0xff}) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(value);
      const auto read = read_profile_bytes(damaged, "header");
      if (!read) continue;
      EXPECT_TRUE(check_profile(*read, ErrorCode::damaged));
    }
  }
}

TEST(Damage, NewerVersionNamesBothVersionsAndTheRemedy) {
  const Error error =
      error_of(changed(fmt::format("PRAGMA user_version={}", rnnprof_schema_version + 1)));
  EXPECT_EQ(error.code, ErrorCode::newer_version);
  EXPECT_THAT(error.message,
              HasSubstr(fmt::format("schema version {}, and this rnnadvisor reads up to {}",
                                    rnnprof_schema_version + 1, rnnprof_schema_version)));
  EXPECT_THAT(error.remedy, HasSubstr("rnnadvisor that wrote it"));
  EXPECT_EQ(error_of(changed("PRAGMA user_version=0")).code, ErrorCode::damaged);
  // A later version may keep its checksum elsewhere, or have none.
  std::string later = rich_bytes();
  later[63] = 99;  // user_version, big endian at 60
  const Error changed_number = error_of(later);
  EXPECT_EQ(changed_number.code, ErrorCode::damaged);
  EXPECT_THAT(changed_number.message, HasSubstr("checksum"));
  later.replace(2 * 1024 - 17, 17, 17, '\0');
  EXPECT_EQ(error_of(later).code, ErrorCode::newer_version);
}

TEST(Damage, OtherFilesAreNamedForWhatTheyLookLike) {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"\x1f\x8b\x08 more", "gzip"},
      {"PK\x03\x04zip", "ZIP"},
      {"{\"traceEvents\": []}", "JSON text"},
      {"<!doctype html>", "HTML"},
      {"cell = 'lstm'\n", "like text"},
      {std::string("\x00\x01\x02", 3), "binary data"},
      {"\x7f"
       "ELF\x02",
       "program"},
      {"version https://git-lfs.github.com/spec/v1\n", "Git LFS pointer"}};
  for (const auto& [bytes, words] : files) {
    const Error error = error_of(bytes);
    EXPECT_EQ(error.code, ErrorCode::damaged);
    EXPECT_THAT(error.message, HasSubstr(words));
    EXPECT_THAT(error.remedy, HasSubstr(".rnnprof"));
  }
  EXPECT_THAT(error_of("").message, HasSubstr("it is empty"));
}

TEST(Damage, DatabasesOfOtherPrograms) {
  EXPECT_THAT(error_of(changed("PRAGMA application_id=0")).message, HasSubstr("another program"));
  EXPECT_THAT(
      error_of(changed("PRAGMA application_id=0; CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(x)"))
          .message,
      HasSubstr("Nsight Systems"));
}

TEST(Damage, FilesThatCannotBeOpened) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_profile(directory.file("none")).error().code, ErrorCode::not_found);
  EXPECT_THAT(read_profile(directory.path()).error().message, HasSubstr("it is a folder"));
  EXPECT_THAT(read_profile("/dev/null").error().message, HasSubstr("not a regular file"));
}

struct Harm {
  const char* sql;
  const char* message;
};

// One statement per kind of value a reader could trip over.
TEST(Damage, ValuesOutOfRangeAreNamedWithTableRowAndColumn) {
  const std::vector<Harm> harms = {
      {"UPDATE kernel_records SET call=99 WHERE id=7",
       "table kernel_records row 7: call is 99, expected -1 to 11"},
      {"UPDATE kernel_records SET call=-2 WHERE id=7", "call is -2"},
      {"UPDATE kernel_records SET kind=1000 WHERE id=2",
       "table kernel_records row 2: kind is 1000"},
      {"UPDATE kernel_records SET start_ns='soon' WHERE id=1", "start_ns is not an integer"},
      {"UPDATE kernel_records SET start_ns=9223372036854775807 WHERE id=1",
       "start_ns is 9223372036854775807"},
      {"UPDATE kernel_records SET duration_ns=-1 WHERE id=1", "duration_ns is -1"},
      {"UPDATE kernel_records SET duration_ns=4611686018427387904 WHERE id=1", "duration_ns is"},
      {"UPDATE kernel_records SET start_ns=999999999 WHERE id=1",
       "kernel_records row 2: start_ns is"},
      {"UPDATE kernel_kinds SET name=1000", "table kernel_kinds row 0: name is 1000"},
      {"UPDATE kernel_kinds SET role='juggler'", "role is the unknown word 'juggler'"},
      {"UPDATE kernel_kinds SET family=3", "unknown word '3'"},
      {"UPDATE kernel_kinds SET grid_x=4294967296", "grid_x is 4294967296"},
      {"UPDATE kernel_kinds SET device=5", "device is 5, expected -1 to 1"},
      {"UPDATE configurations SET json='{\"hidden_size\": 0}' WHERE id=1",
       "table configurations row 1: json is no configuration"},
      {"UPDATE configurations SET json='x' WHERE id=1", "is no configuration"},
      {"UPDATE configurations SET device=-1", "device is -1, expected 0 to 1"},
      {"UPDATE configurations SET outcome='exploded'", "outcome is the unknown word"},
      {"UPDATE configurations SET weights_bytes=-5", "weights_bytes is -5"},
      {"UPDATE configuration_timings SET samples_ms='[1,2'", "samples_ms is not a list of numbers"},
      {"UPDATE configuration_timings SET samples_ms='[1,\"a\"]'",
       "samples_ms is not a list of numbers"},
      {"UPDATE configuration_timings SET samples_ms='[1e999]'", "not"},
      {"UPDATE configuration_timings SET samples_ms='[nan]'", "not"},
      {"UPDATE configuration_timings SET median_ms=9e999", "median_ms is not a finite number"},
      {"UPDATE configuration_timings SET configuration=77", "configuration is 77"},
      {"UPDATE calls SET configuration=4", "table calls row 0: configuration is 4"},
      {"UPDATE calls SET host_duration_ns=-1", "host_duration_ns is -1"},
      {"UPDATE calls SET phase='sideways'", "phase is the unknown word"},
      {"UPDATE calls SET process=3", "table calls row 0: process is 3, expected 0 to 2"},
      {"UPDATE calls SET process=-1", "process is -1, expected 0 to 2"},
      {"UPDATE calls SET source='rumour'", "source is the unknown word"},
      {"UPDATE calls SET graph='cyclic'", "graph is the unknown word"},
      {"UPDATE calls SET reason=1000", "reason is 1000"},
      {"UPDATE calls SET arguments=2", "arguments is 2, expected -1 to 1"},
      {"UPDATE calls SET site=3", "site is 3, expected -1 to 2"},
      {"UPDATE calls SET nvtx_path=-2", "nvtx_path is -2"},
      {"UPDATE calls SET forward=12 WHERE id=4", "calls row 4: forward is 12"},
      {"UPDATE calls SET device_duration_ns=-5", "device_duration_ns is -5"},
      {"UPDATE calls SET device_duration_ns=NULL", "device_start_ns without a duration"},
      {"UPDATE calls SET device_start_ns=-9223372036854775807 WHERE id=2", "device_start_ns is -"},
      {"UPDATE processes SET pid=-2", "pid is -2"},
      {"UPDATE processes SET ended='bored'", "ended is the unknown word"},
      {"UPDATE processes SET exit_status=300 WHERE id=0", "exit_status is 300, expected 0 to 255"},
      {"UPDATE processes SET exit_status=0 WHERE id=1", "exit_status is 0, expected -1 to -1"},
      {"UPDATE processes SET signal=0 WHERE id=1", "signal is 0, expected 1 to 127"},
      {"UPDATE processes SET end_ns=start_ns-1 WHERE id=0", "processes row 0: end_ns is"},
      {"UPDATE process_variables SET process=3", "process is 3"},
      {"UPDATE call_arguments SET seq_lengths='[1,-2]'", "seq_lengths is not a list of lengths"},
      {"UPDATE call_arguments SET seq_lengths='[1,]'", "seq_lengths is not a list of lengths"},
      {"UPDATE call_arguments SET seq_lengths='8'", "seq_lengths is not a list of lengths"},
      {"UPDATE call_arguments SET contiguous=2", "contiguous is 2"},
      {"UPDATE call_pointers SET alignment=48", "call_arguments row 0: alignment is 48"},
      {"UPDATE call_pointers SET pointer='z'", "pointer is the unknown word"},
      {"UPDATE call_pointers SET arguments=-1", "arguments is -1"},
      {"UPDATE call_sites SET file=-1", "file is -1"},
      {"UPDATE call_sites SET line=-1", "line is -1"},
      {"UPDATE call_sites SET inner_site=1 WHERE id=1", "call_sites row 1: inner_site is 1"},
      {"UPDATE setup_calls SET function=-1", "function is -1"},
      {"UPDATE setup_calls SET host_start_ns=host_start_ns+100000000 WHERE id=0",
       "setup_calls row 1: host_start_ns is"},
      {"UPDATE transfers SET bytes=9223372036854775807", "sum of bytes overflows"},
      {"UPDATE transfers SET operation='move'", "operation is the unknown word"},
      {"UPDATE api_records SET kind=-1", "kind is -1"},
      {"UPDATE api_kinds SET name=70000", "name is 70000"},
      {"UPDATE allocations SET release=2", "release is 2"},
      {"UPDATE nvtx_ranges SET depth=2000000000", "depth is 2000000000"},
      {"UPDATE nvtx_ranges SET domain=-2", "domain is -2"},
      {"UPDATE nvtx_ranges SET category=-2", "category is -2"},
      {"UPDATE nvtx_ranges SET payload='12x'", "payload is no payload"},
      {"UPDATE nvtx_ranges SET payload='12' WHERE id=1", "payload 12 is kept as an unsigned"},
      {"UPDATE nvtx_ranges SET payload=x'00'", "payload is not text"},
      {"UPDATE allocations SET call=12", "call is 12"},
      {"UPDATE overhead SET kind=12345", "kind is 12345"},
      {"UPDATE overhead SET process=-1", "process is -1"},
      {"UPDATE notes SET severity='loud'", "severity is the unknown word"},
      {"UPDATE figure_configurations SET figure=9", "figure is 9"},
      {"UPDATE experiment_changed SET configuration=9", "configuration is 9"},
      {"UPDATE experiment_timings SET experiment=9", "experiment is 9"},
      {"UPDATE experiment_timings SET before_samples_ms='[1,x]'", "is not a list of numbers"},
      {"UPDATE counter_samples SET metric=-1", "metric is -1"},
      {"UPDATE thread_names SET name=12345", "name is 12345"},
      {"UPDATE resource_names SET name=12345", "name is 12345"},
      {"UPDATE resource_names SET device=12345", "device is 12345"},
      {"UPDATE experiment_clocks SET \"when\"='later' WHERE id=0",
       "experiment_clocks row 0: when is the unknown word 'later'"},
      {"UPDATE experiment_clocks SET sm_mhz=-1 WHERE id=1", "sm_mhz is -1"},
      {"UPDATE experiment_clocks SET experiment=9", "experiment is 9"},
      {"UPDATE clocks SET device=2", "clocks row 0: device is 2"},
      {"UPDATE devices SET name=NULL WHERE 0; UPDATE devices SET sm_count=-1", "sm_count is -1"},
      {"UPDATE device_hidden_limits SET device=2", "device is 2"},
      {"UPDATE meta SET value=-1 WHERE key='time_origin_ns'", "value is -1"},
      {"UPDATE strings SET text=x'00ff'", "text is not text"},
      {"DROP TABLE notes", "table notes cannot be read"},
      {"DROP VIEW rnn_calls; ALTER TABLE calls DROP COLUMN stream", "cannot be read"},
  };
  for (const auto& harm : harms) {
    const Error error = error_of(changed(harm.sql));
    EXPECT_EQ(error.code, ErrorCode::damaged) << harm.sql;
    EXPECT_THAT(error.message, HasSubstr(harm.message)) << harm.sql;
  }
}

TEST(Damage, SchemasThatWouldComputeAreRefused) {
  EXPECT_THAT(error_of(changed("DROP TABLE overhead; CREATE VIEW overhead AS WITH RECURSIVE c(x) "
                               "AS (SELECT 1 UNION ALL "
                               "SELECT x+1 FROM c) SELECT x AS id, x AS start_ns, 1 AS "
                               "duration_ns, 0 AS kind FROM c"))
                  .message,
              HasSubstr("overhead"));
  EXPECT_THAT(
      error_of(
          changed(
              "DROP TABLE overhead; CREATE TABLE overhead(id INTEGER PRIMARY KEY, start_ns, kind, "
              "duration_ns AS (start_ns * 2))"))
          .message,
      HasSubstr("'overhead' is not a plain table"));
  EXPECT_THAT(
      error_of(changed("CREATE TRIGGER t AFTER INSERT ON notes BEGIN DELETE FROM notes; END"))
          .message,
      HasSubstr("not a plain table"));
  // A megabyte of it and a hundred thousand rows without a text would be a hundred gigabytes.
  EXPECT_THAT(
      error_of(changed("DROP TABLE notes; CREATE TABLE notes(id INTEGER PRIMARY KEY, "
                       "severity TEXT, code TEXT, text TEXT DEFAULT 'bomb', count INTEGER)"))
          .message,
      HasSubstr("'notes' is not a plain table"));
}

TEST(Damage, AChangeByAnotherProgramIsNoDamage) {
  const auto read = read_profile_bytes(
      changed("UPDATE notes SET text='by hand'; CREATE TABLE mine(x); VACUUM"), "edited");
  ASSERT_TRUE(read) << to_text(read.error());
  EXPECT_EQ(read->notes.front().text, "by hand");
}

TEST(Damage, AVersionThatWouldSwitchTheChecksumOffIsDamage) {
  const Error error = error_of(changed("PRAGMA user_version=5"));
  EXPECT_EQ(error.code, ErrorCode::damaged);
  EXPECT_THAT(error.message, HasSubstr("schema version 5"));
}

TEST(Damage, StoringFindingsSealsTheFileAnew) {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a.rnnprof");
  testing::write_bytes(path, rich_bytes());
  ASSERT_TRUE(write_findings(path, {}));
  std::string bytes = testing::read_bytes(path);
  ASSERT_TRUE(read_profile_bytes(bytes, "x"));
  bytes[bytes.size() - 9] ^= 4;
  EXPECT_EQ(error_of(bytes).code, ErrorCode::damaged);
}

// Values of the specification's own test program.
TEST(Damage, TheChecksumIsXxh64) {
  const auto of = [](std::string_view text) {
    Xxh64 hash;
    hash.update(text);
    return hash.digest();
  };
  EXPECT_EQ(of(""), 0xEF46DB3751D8E999U);
  EXPECT_EQ(of("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(of("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(of("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1U);
}

}  // namespace
}  // namespace rnnadvisor
