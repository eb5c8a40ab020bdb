// Configurations from a file, by its ending.
#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/config/read_json.h"

namespace rnnadvisor {
namespace {

// Far above any list of configurations, and below what would fill the memory if the path is a
// device file.
constexpr std::size_t largest_file = std::size_t{1} << 30U;

Result<std::string> read_all(std::istream& in, std::string_view name) {
  std::string text;
  std::string block(1U << 18U, '\0');
  while (in.read(block.data(), static_cast<std::streamsize>(block.size())) || in.gcount() > 0) {
    text.append(block, 0, static_cast<std::size_t>(in.gcount()));
    if (text.size() > largest_file) {
      return fail(ErrorCode::io, fmt::format("'{}' is larger than 1 GiB", name),
                  "split it into several files");
    }
  }
  if (in.bad())
    return fail(ErrorCode::io, fmt::format("cannot read '{}'", name),
                "check the file and its disk");
  return text;
}

Result<std::string> read_path(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is a folder", path),
                "name a file in it");
  }
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) {
    const int reason = errno;
    return fail(reason == ENOENT ? ErrorCode::not_found : ErrorCode::io,
                fmt::format("cannot open '{}': {}", path, std::strerror(reason)),
                "check the path and its permissions");
  }
  return read_all(in, path);
}

}  // namespace

ConfigList read_config_file(const std::string& path) {
  const auto failed = [](Error error) {
    return tl::unexpected(std::vector<Error>{std::move(error)});
  };
  const std::string ending = std::filesystem::path(path).extension().string();
  const bool standard_input = path == "-";
  if (!standard_input && ending != ".toml" && ending != ".jsonl" && ending != ".json") {
    return failed({ErrorCode::invalid_argument,
                   fmt::format("'{}' does not end in .toml, .jsonl or .json", path),
                   "rename it by what it contains, or give JSON Lines on standard input with -",
                   {},
                   {}});
  }
  auto text = standard_input ? read_all(std::cin, "standard input") : read_path(path);
  if (!text) return failed(std::move(text.error()));
  if (standard_input) return read_jsonl(*text, "<stdin>");
  if (ending == ".toml") return read_toml(*text, path);
  return ending == ".json" ? read_json(*text, path) : read_jsonl(*text, path);
}

}  // namespace rnnadvisor
