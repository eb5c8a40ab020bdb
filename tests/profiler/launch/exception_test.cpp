// The exception that ended a program, from its spool to the profile.
#include <random>

#include "core/base/text.h"
#include "profiler/launch/exception_text.h"
#include "tests/effort.h"
#include "tests/profiler/launch/collect_fixture.h"

namespace rnnadvisor::launch {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void add_exception(SpoolWriter& writer, std::string_view text, std::int64_t time_ns = 8'000) {
  spool::Note note{};
  note.time_ns = time_ns;
  note.code = writer.text(spool::program_exception);
  note.text = writer.text(text);
  writer.add(note);
}

SpoolWriter failed(int pid = 100) {
  SpoolWriter writer;
  writer.header.pid = pid;
  writer.header.exit_status = 1;
  return writer;
}

TEST_F(Collect, TheLastExceptionOfAProcessIsKept) {
  auto writer = failed();
  add_exception(writer, "KeyError: 'first'\n", 5'000);
  add_exception(writer, "KeyError: 'last'\n", 8'000);
  add_exception(writer, "KeyError: 'second'\n", 6'000);
  const auto profile = profile_of(writer);
  const Note* note = find_note(profile, program_exception);
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->text, "KeyError: 'last'");
  EXPECT_EQ(note->count, 1);
}

TEST_F(Collect, WhatTheGpuWasLikeAtTheExceptionIsOfTheProcess) {
  int pid = 100;
  for (const auto& [text, bytes, answer] :
       {std::tuple("123456789 0", std::int64_t{123456789}, 0), std::tuple("0 710", -1L, 710),
        std::tuple("5", -1L, 0), std::tuple("-5 0", -1L, 0), std::tuple("5 x", -1L, 0),
        std::tuple("5 -7", 5L, 0), std::tuple("much", -1L, 0), std::tuple("5 7 8", -1L, 0)}) {
    auto writer = failed(++pid);
    add_exception(writer, "RuntimeError: 1\n");
    spool::Note note{};
    note.time_ns = 9'000;
    note.code = writer.text(spool::gpu_at_exception);
    note.text = writer.text(text);
    writer.add(note);
    const auto profile = profile_of(writer);
    const auto made = std::find_if(profile.processes.begin(), profile.processes.end(),
                                   [&](const Process& each) { return each.pid == pid; });
    ASSERT_NE(made, profile.processes.end());
    EXPECT_EQ(made->memory_free_bytes, bytes) << text;
    EXPECT_EQ(made->cuda_status, answer) << text;
    EXPECT_EQ(find_note(profile, spool::gpu_at_exception), nullptr);
  }
}

TEST_F(Collect, EqualExceptionsOfRanksAreOne) {
  for (const int pid : {100, 101, 102}) {
    auto writer = failed(pid);
    add_exception(writer, pid == 102 ? "ValueError: 2\n" : "ValueError: 1\n");
    add(writer);
  }
  const auto profile = collect().profile;
  std::vector<std::pair<std::string, std::int64_t>> kept;
  for (const auto& note : profile.notes)
    if (note.code == program_exception) kept.emplace_back(note.text, note.count);
  EXPECT_THAT(kept, ElementsAre(std::pair("ValueError: 1", 2), std::pair("ValueError: 2", 1)));
}

TEST_F(Collect, AProcessThatEndedWellHasNoException) {
  SpoolWriter writer;  // ends with 0
  add_exception(writer, "KeyError: 'shown'\n");
  EXPECT_EQ(find_note(profile_of(writer), program_exception), nullptr);
}

TEST(ExceptionText, SecretsAreReplacedAsInCommandLines) {
  const auto text = exception_text(
      "  File \"train.py\", line 3, in <module>\n"
      "    connect(token=\"two words1\", n=3)\n"
      "RuntimeError: can't open https://me:word2@host/ with --password word3 and API_KEY=word4\n"
      "Authorization: Bearer word5\n"
      "it's hf_abcdefghijklmnopqrstuvwxyz0123, isn't it\n");
  EXPECT_THAT(text, HasSubstr("File \"train.py\", line 3, in <module>\n"));
  EXPECT_THAT(text, HasSubstr("can't open"));
  for (const char* secret : {"words1", "word2", "word3", "word4", "word5", "hf_"})
    EXPECT_THAT(text, Not(HasSubstr(secret)));
}

TEST(ExceptionText, WhatHasNoSecretStaysAsItIs) {
  const std::string text =
      "Traceback (most recent call last):\n  File \"a.py\", line 1, in f\n    x  =  [1, 2]\n"
      "       ^^^\nRuntimeError: Expected hidden[0] size (2, 3, 20), got [3, 2, 20]";
  EXPECT_EQ(exception_text(text + "\n"), text);
}

// Any bytes: what is kept is valid UTF-8, bounded, and the same when it is read again.
TEST(ExceptionText, AnyTextIsKeptValidAndBounded) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  const std::vector<std::string> pieces = {
      "é",  "\xf0\x9f\x94\xa5", "\xff",        "\xc3",     "\n", " ", "'",
      "\"", "token=a",          "--password ", "\x1b[31m", "abc"};
  for (int i = 0; i < 60; ++i) {
    if (test::left_out(static_cast<std::size_t>(i), 4)) continue;
    std::string text;
    for (std::size_t left = below(4000); left-- > 0;) text += pieces[below(pieces.size())];
    const auto kept = exception_text(text);
    ASSERT_LE(kept.size(), spool::exception_bytes);
    ASSERT_EQ(to_valid_utf8(kept), kept);
    for (const char c : kept) ASSERT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
  }
}

}  // namespace
}  // namespace rnnadvisor::launch
