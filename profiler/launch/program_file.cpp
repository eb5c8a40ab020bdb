#include "profiler/launch/program_file.h"

#include <elf.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace rnnadvisor::launch {
namespace {

namespace fs = std::filesystem;

// Empty: there is none.
std::string find_in_path(const std::string& program, std::string_view path) {
  if (program.find('/') != std::string::npos) return program;
  while (!path.empty()) {
    const auto colon = path.find(':');
    const fs::path file = fs::path(path.substr(0, colon)) / program;
    std::error_code error;
    if (fs::is_regular_file(file, error) && access(file.c_str(), X_OK) == 0) return file.string();
    if (colon == std::string_view::npos) break;
    path.remove_prefix(colon + 1);
  }
  return {};
}

struct ElfFile {
  bool is_elf = false, is_64 = false;
  std::string loader;  // empty: none
};

ElfFile read_elf(std::ifstream& file) {
  ElfFile elf;
  Elf64_Ehdr header{};
  file.seekg(0);
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    return elf;
  elf.is_elf = true;
  elf.is_64 = header.e_ident[EI_CLASS] == ELFCLASS64;
  if (!elf.is_64 || header.e_phentsize != sizeof(Elf64_Phdr)) return elf;
  constexpr int most_parts = 64;
  constexpr std::size_t longest = 4096;
  for (int i = 0; i < std::min<int>(header.e_phnum, most_parts); ++i) {
    Elf64_Phdr part{};
    file.seekg(
        static_cast<std::streamoff>(header.e_phoff + static_cast<std::uint64_t>(i) * sizeof part));
    if (!file.read(reinterpret_cast<char*>(&part), sizeof part)) break;
    if (part.p_type != PT_INTERP) continue;
    elf.loader.resize(std::min<std::size_t>(part.p_filesz, longest));
    file.seekg(static_cast<std::streamoff>(part.p_offset));
    if (!file.read(elf.loader.data(), static_cast<std::streamsize>(elf.loader.size())))
      elf.loader.clear();
    elf.loader.resize(std::strlen(elf.loader.c_str()));
    break;
  }
  return elf;
}

// Of "#!/usr/bin/python3 -u"; empty: no script.
std::string script_interpreter(std::ifstream& file) {
  std::string line(256, '\0');
  file.clear();
  file.seekg(0);
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  if (!line.starts_with("#!")) return {};
  const auto begin = line.find_first_not_of(" \t", 2);
  if (begin == std::string::npos) return {};
  return line.substr(begin, line.find_first_of(std::string_view(" \t\r\n\0", 5), begin) - begin);
}

}  // namespace

Result<std::string> check_program(const std::string& program, const std::string& path) {
  std::string file = find_in_path(program, path);
  ElfFile elf;
  for (int scripts = 0; !file.empty() && scripts < 4; ++scripts) {
    std::ifstream stream(file, std::ios::binary);
    elf = read_elf(stream);
    if (elf.is_elf) break;
    file = script_interpreter(stream);
  }
  if (!elf.is_elf) return {};
  if (fs::path(elf.loader).filename().string().starts_with("ld-musl")) {
    return fail(ErrorCode::unsupported,
                fmt::format("'{}' cannot be recorded: {} was built for musl (its loader is {}), "
                            "and the plugin needs glibc",
                            program, file, elf.loader),
                "use a build of the program for glibc, as CUDA itself does");
  }
  if (!elf.is_64) {
    return fmt::format(
        "{} is a 32-bit program: the plugin is not loaded into it, only into "
        "64-bit programs that it starts",
        file);
  }
  if (elf.loader.empty()) {
    return fmt::format(
        "{} is statically linked: the plugin cannot be loaded into it, only into "
        "other programs that it starts",
        file);
  }
  return {};
}

}  // namespace rnnadvisor::launch
