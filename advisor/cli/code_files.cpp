#include "advisor/cli/code_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "advisor/change/in_words.h"
#include "advisor/facts/experiments.h"
#include "core/base/output_file.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

// Letters, digits and a few signs; never a path, never hidden.
std::string file_name(std::string_view text) {
  constexpr std::size_t most = 100;
  std::string name;
  for (const char c : text.substr(0, most)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-' || (c == '.' && !name.empty());
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && (name.back() == '-' || name.back() == '.')) name.pop_back();
  return name.empty() ? "unnamed" : name;
}

std::string content(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

std::vector<CodeFile> code_files(const Profile& profile) {
  std::map<std::string, std::string> files;
  for (const auto& experiment : profile.experiments) {
    const auto at = static_cast<std::size_t>(experiment.configuration);
    if (experiment.verdict != ExperimentVerdict::confirmed || experiment.configuration < 0 ||
        at >= profile.configurations.size())
      continue;
    const auto& id = profile.configurations[at].config.id;
    const auto folder =
        fmt::format("{}{}/{}", experiment.configuration, id.empty() ? "" : "-" + file_name(id),
                    file_name(advisor::change_words(experiment.transforms)));
    for (const auto& file : experiment.code)
      files[fmt::format("{}/{}", folder, file_name(file.name))] = file.text;
  }
  std::vector<CodeFile> list;
  for (auto& [path, text] : files) list.push_back({path, std::move(text)});
  return list;
}

Result<int> write_code(const Profile& profile, const std::string& folder, bool force) {
  const auto files = code_files(profile);
  const auto place = [&](const CodeFile& file) { return fs::path(folder) / file.path; };
  for (const auto& file : files) {
    std::error_code ignored;
    if (force || !fs::exists(place(file), ignored) || content(place(file)) == file.text) continue;
    return fail(ErrorCode::io, fmt::format("{} exists and has another text", place(file).string()),
                "choose another folder, or replace it with --force");
  }
  for (const auto& file : files) {
    if (auto written = write_file(place(file).string(), file.text, {.make_folders = true});
        !written)
      return fail(written.error());
  }
  return static_cast<int>(files.size());
}

}  // namespace rnnadvisor::cli
