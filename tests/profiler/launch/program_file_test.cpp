// Programs that the plugin cannot be loaded into, by their files.
#include "profiler/launch/program_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ProgramFile : public ::testing::Test {
 protected:
  ProgramFile() {
    std::string pattern = testing::TempDir() + "/program-XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~ProgramFile() override { fs::remove_all(folder_); }

  std::string add(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << bytes;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  static std::string elf(const std::string& loader, unsigned char of_class = ELFCLASS64) {
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = of_class;
    header.e_phoff = sizeof header;
    header.e_phentsize = sizeof(Elf64_Phdr);
    header.e_phnum = loader.empty() ? 1 : 2;
    Elf64_Phdr parts[2]{};
    parts[0].p_type = PT_LOAD;
    parts[1].p_type = PT_INTERP;
    parts[1].p_offset = sizeof header + sizeof parts;
    parts[1].p_filesz = loader.size() + 1;
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof header);
    bytes.append(reinterpret_cast<const char*>(parts), sizeof parts);
    return bytes + loader + '\0';
  }

  std::string folder_;
};

TEST_F(ProgramFile, OfMuslIsRefusedAndSaysWhy) {
  const std::string program = add("program", elf("/lib/ld-musl-x86_64.so.1"));
  const std::string script = add("script", "#!" + program + " -u\nprint()\n");
  for (const auto& path : {program, script}) {
    const auto checked = check_program(path, "");
    ASSERT_FALSE(checked) << path;
    EXPECT_EQ(checked.error().code, ErrorCode::unsupported);
    EXPECT_THAT(checked.error().message, HasSubstr("musl"));
    EXPECT_THAT(checked.error().message, HasSubstr(program));
  }
  EXPECT_FALSE(check_program("program", "/nowhere:" + folder_ + ":/bin")) << "found in PATH";
}

TEST_F(ProgramFile, ThatRunsUnrecordedIsARemark) {
  const auto remark = [&](const std::string& path) {
    const auto checked = check_program(path, "");
    EXPECT_TRUE(checked);
    return checked.value_or("refused");
  };
  EXPECT_THAT(remark(add("static", elf(""))), HasSubstr("statically linked"));
  EXPECT_THAT(remark(add("old", elf("/lib/ld-linux.so.2", ELFCLASS32))), HasSubstr("32-bit"));
  EXPECT_THAT(remark(add("usual", elf("/lib64/ld-linux-x86-64.so.2"))), IsEmpty());
  EXPECT_THAT(remark("/bin/sh"), IsEmpty());
  EXPECT_THAT(remark(add("nothing", "")), IsEmpty());
  EXPECT_THAT(remark(folder_), IsEmpty());
  EXPECT_THAT(remark(folder_ + "/missing"), IsEmpty());
  const std::string itself = folder_ + "/loop";
  EXPECT_THAT(remark(add("loop", "#!" + itself + "\n")), IsEmpty());
}

TEST_F(ProgramFile, OfAnyBytesIsRead) {
  std::mt19937 random(4);
  const std::string good = elf("/lib/ld-musl-x86_64.so.1");
  for (int i = 0; i < 3000; ++i) {
    std::string bytes = good.substr(0, 1 + random() % good.size());
    for (int flips = 0; flips < 4; ++flips)
      bytes[random() % bytes.size()] = static_cast<char>(random());
    [[maybe_unused]] const auto checked = check_program(add("any", bytes), "");
  }
}

}  // namespace
}  // namespace rnnadvisor::launch
