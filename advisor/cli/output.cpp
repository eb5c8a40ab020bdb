#include "advisor/cli/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 8> names = {"text",  "markdown", "json", "html",
                                                   "sarif", "junit",    "csv",  "github"};
constexpr std::array<std::string_view, 8> endings = {".txt",   ".md",  ".json", ".html",
                                                     ".sarif", ".xml", ".csv",  ".github"};
constexpr std::array<std::pair<std::string_view, Format>, 4> more_endings = {
    {{".sarif.json", Format::sarif},
     {".junit", Format::junit},
     {".htm", Format::html},
     {".markdown", Format::markdown}}};

Format format_of(std::string path) {
  for (char& c : path) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [ending, format] : more_endings)
    if (path.ends_with(ending)) return format;
  for (std::size_t i = 0; i < endings.size(); ++i)
    if (path.ends_with(endings[i])) return static_cast<Format>(i);
  return Format::text;
}

Result<Format> parse_format(std::string_view text) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == text || endings[i].substr(1) == text) return static_cast<Format>(i);
  }
  const auto nearest = did_you_mean(text, names);
  return fail(ErrorCode::invalid_argument,
              fmt::format("--format: there is no format '{}'", to_valid_utf8(text)),
              nearest.empty() ? fmt::format("one of {}", fmt::join(names, ", ")) : nearest);
}

// The same for every way to write one path.
std::string normal(const std::string& path) {
  std::error_code error;
  const auto whole = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : whole.string();
}

Result<void> check_place(const std::string& path, bool force, bool makes_folders) {
  if (is_written_directly(path)) return {};  // nothing to lose
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status)) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is a folder", path),
                "name a file in it");
  }
  if (fs::exists(status) && !force) {
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' exists already", path),
                "use --force to replace it");
  }
  const auto parent = fs::path(path).parent_path();
  if (parent.empty() || fs::is_directory(parent, error)) return {};
  // The first of the folders that is there, or stands in the way.
  auto above = parent;
  while (!fs::exists(above, error) && above.has_relative_path()) above = above.parent_path();
  if (fs::exists(above, error) && !fs::is_directory(above, error))
    return fail(ErrorCode::invalid_argument, fmt::format("'{}' is no folder", above.string()));
  if (makes_folders) return {};
  return fail(ErrorCode::invalid_argument, fmt::format("there is no folder '{}'", parent.string()),
              "check the path, or make the folder first");
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
  if (formats.empty()) formats.emplace_back(to_string(format_of(options.output)));
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

std::vector<std::string> paths_of(const std::vector<OutputTarget>& targets,
                                  const std::string& another) {
  std::vector<std::string> paths;
  for (const auto& target : targets) paths.push_back(target.path);
  paths.push_back(another);
  return paths;
}

Result<void> check_writable(const std::vector<std::string>& paths, bool force,
                            const std::vector<std::string>& inputs, bool makes_folders) {
  std::set<std::string> places;
  for (const auto& path : paths) {
    if (path.empty()) continue;
    for (const auto& input : inputs) {
      if (!is_same_file(path, input)) continue;
      return fail(ErrorCode::invalid_argument,
                  input == "-" ? fmt::format("'{}' is what standard input is read from", path)
                               : fmt::format("'{}' is the file that is read: writing it would "
                                             "destroy it",
                                             path),
                  "write to another file");
    }
    if (auto good = check_place(path, force, makes_folders); !good) return good;
    if (!is_written_directly(path) && !places.insert(normal(path)).second) {
      return fail(ErrorCode::invalid_argument,
                  fmt::format("two results would be written to '{}'", path),
                  "give each a file of its own");
    }
  }
  return {};
}

}  // namespace rnnadvisor::cli
