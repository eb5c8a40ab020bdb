#include "advisor/cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 7> names = {"text",  "markdown", "json", "html",
                                                   "sarif", "junit",    "csv"};
constexpr std::array<std::string_view, 7> endings = {".txt",   ".md",  ".json", ".html",
                                                     ".sarif", ".xml", ".csv"};

Result<Format> parse_format(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text) return static_cast<Format>(i);
  }
  const auto nearest = did_you_mean(text, names);
  return fail(ErrorCode::invalid_argument,
              fmt::format("--format: there is no format '{}'", to_valid_utf8(text)),
              nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : nearest);
}

std::string system_message(int error) { return std::generic_category().message(error); }

Error write_error(const std::string& path, int error) {
  return {ErrorCode::io,
          fmt::format("cannot write '{}': {}", path, system_message(error)),
          "check the folder, its permissions and the free space",
          std::nullopt,
          {}};
}

}  // namespace

std::string_view to_string(Format format) { return names[static_cast<std::size_t>(format)]; }
std::string_view file_ending(Format format) { return endings[static_cast<std::size_t>(format)]; }

const std::vector<std::string>& format_names() {
  static const std::vector<std::string> list(names.begin(), names.end());
  return list;
}

Result<std::vector<OutputTarget>> resolve_outputs(const OutputOptions& options,
                                                  std::string_view prefix) {
  std::vector<OutputTarget> targets;
  std::vector<std::size_t> without_path;
  std::vector<std::string> formats = options.formats;
  if (options.json) formats.emplace_back("json");
  if (formats.empty()) formats.emplace_back("text");
  for (const auto& text : formats) {
    const auto colon = text.find(':');
    auto format = parse_format(std::string_view(text).substr(0, colon));
    if (!format) return fail(std::move(format.error()));
    if (colon == std::string::npos) {
      without_path.push_back(targets.size());
      targets.push_back({*format, {}});
      continue;
    }
    std::string path = text.substr(colon + 1);
    if (path.empty()) {
      return fail(
          ErrorCode::invalid_argument,
          fmt::format("--format {}: there is no path after the colon", text),
          fmt::format("write {}:PATH, or {} alone", to_string(*format), to_string(*format)));
    }
    targets.push_back({*format, path == "-" ? std::string() : std::move(path)});
  }

  std::string place = options.output;
  if (without_path.empty() && !place.empty()) {
    return fail(ErrorCode::invalid_argument,
                "-o has nothing to write: every --format names its file",
                "leave -o out, or a path");
  }
  if (without_path.size() > 1 && place.empty()) place = prefix;
  if (without_path.size() > 1 && place.empty()) {
    return fail(ErrorCode::invalid_argument, "several formats cannot share standard output",
                "give each its file (--format html:report.html) or all a prefix or folder (-o)");
  }
  if (place == "-") place.clear();
  std::error_code ignored;
  const bool folder = !place.empty() && (place.ends_with('/') || fs::is_directory(place, ignored));
  for (const std::size_t index : without_path) {
    auto& target = targets[index];
    if (place.empty()) continue;
    if (folder) {
      target.path =
          (fs::path(place) / fmt::format("report{}", file_ending(target.format))).string();
    } else {
      target.path =
          without_path.size() == 1 ? place : fmt::format("{}{}", place, file_ending(target.format));
    }
  }

  std::set<std::string> places;
  for (const auto& target : targets) {
    if (places.insert(target.path).second) continue;
    return fail(ErrorCode::invalid_argument,
                target.path.empty()
                    ? std::string("several formats cannot share standard output")
                    : fmt::format("two formats would be written to '{}'", target.path),
                "give each its file: --format html:report.html");
  }
  return targets;
}

Result<void> check_writable(const std::string& path, bool force) {
  if (path.empty()) return {};
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is a folder", path),
                "name a file in it");
  }
  // A device or pipe has nothing to lose.
  if (fs::is_regular_file(status) && !force) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' exists already", path),
                "use --force to replace it");
  }
  const auto parent = fs::path(path).parent_path();
  if (!parent.empty() && !fs::is_directory(parent, error)) {
    // Folders are made when something is written; what stands in their way is found now.
    for (auto above = parent; !above.empty(); above = above.parent_path()) {
      if (fs::exists(above, error)) {
        if (fs::is_directory(above, error)) break;
        return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no folder", above.string()));
      }
      if (above == above.parent_path()) break;
    }
  }
  return {};
}

Result<void> check_writable(const std::vector<OutputTarget>& targets, bool force) {
  for (const auto& target : targets) {
    if (auto result = check_writable(target.path, force); !result) return result;
  }
  return {};
}

Result<void> write_file(const std::string& path, std::string_view text) {
  std::error_code error;
  const auto parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, error);
  const auto status = fs::status(path, error);
  const bool direct = fs::exists(status) && !fs::is_regular_file(status);
  const std::string target = direct ? path : fmt::format("{}.{}.part", path, getpid());
  std::FILE* file = std::fopen(target.c_str(), "wb");
  if (file == nullptr) return fail(write_error(path, errno));
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  int problem = good ? 0 : errno;
  if (std::fclose(file) != 0 && good) {
    good = false;
    problem = errno;
  }
  if (good && !direct && std::rename(target.c_str(), path.c_str()) != 0) {
    good = false;
    problem = errno;
  }
  if (good) return {};
  if (!direct) std::remove(target.c_str());
  return fail(write_error(path, problem));
}

}  // namespace rnnadvisor::cli
