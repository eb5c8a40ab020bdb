#include "advisor/cli/project_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "advisor/cli/exit_status.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view project_file_name = "rnnadvisor.toml";
constexpr std::array<std::string_view, 5> keys = {"device", "fail_on", "ignore", "baseline",
                                                  "rules"};

class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path), folder_(fs::path(path).parent_path()) {}

  tl::expected<ProjectFile, std::vector<Error>> read(const toml::table& table) {
    for (const auto& [key, node] : table)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end()) {
        const auto nearest = did_you_mean(key.str(), keys);
        wrong(key.source().begin, fmt::format("unknown key '{}'", to_valid_utf8(key.str())),
              nearest.empty() ? fmt::format("there are {}", fmt::join(keys, ", ")) : nearest);
      }
    ProjectFile file;
    file.path = path_;
    for (const auto& [key, into] : {std::pair{"device", &file.device},
                                    {"fail_on", &file.fail_on},
                                    {"baseline", &file.baseline}})
      if (const auto* node = table.get(key)) {
        *into = node->value<std::string>().value_or(std::string());
        if (into->empty())
          wrong(node->source().begin, fmt::format("'{}' must be a text", key),
                fmt::format("{} = \"…\"", key));
      }
    for (const auto& [key, into] : {std::pair{"ignore", &file.ignore}, {"rules", &file.rules}})
      if (const auto* node = table.get(key); node != nullptr && !texts(*node, *into))
        wrong(node->source().begin, fmt::format("'{}' must be a list of texts", key),
              fmt::format("{} = [\"…\"]", key));
    if (!file.fail_on.empty())
      if (const auto known = parse_fail_on(file.fail_on); !known)
        wrong(table.get("fail_on")->source().begin,
              fmt::format("'{}' is no severity", to_valid_utf8(file.fail_on)),
              known.error().remedy);
    if (!errors_.empty()) return tl::unexpected(std::move(errors_));
    if (!file.baseline.empty()) file.baseline = beside(file.baseline);
    if (file.device.ends_with(".toml")) file.device = beside(file.device);
    for (auto& each : file.rules) each = beside(each);
    return file;
  }

 private:
  std::string beside(const std::string& file) const { return (folder_ / file).string(); }

  void wrong(const toml::source_position& at, std::string message, std::string remedy) {
    errors_.push_back(
        {ErrorCode::parse,
         std::move(message),
         std::move(remedy),
         SourcePosition{path_, static_cast<int>(at.line), static_cast<int>(at.column)},
         {}});
  }

  static bool texts(const toml::node& value, std::vector<std::string>& into) {
    const toml::array* list = value.as_array();
    if (list == nullptr) return false;
    for (const toml::node& node : *list) {
      const auto text = node.value<std::string>();
      if (!text || text->empty()) return false;
      into.push_back(*text);
    }
    return true;
  }

  std::string path_;
  fs::path folder_;
  std::vector<Error> errors_;
};

}  // namespace

std::string find_project_file(const std::string& folder) {
  for (fs::path at(folder); !at.empty(); at = at.parent_path()) {
    std::error_code error;
    if (fs::is_regular_file(at / project_file_name, error))
      return (at / project_file_name).string();
    if (at == at.parent_path()) break;
  }
  return {};
}

tl::expected<ProjectFile, std::vector<Error>> read_project_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad())
    return tl::unexpected(std::vector{Error{ErrorCode::io,
                                            fmt::format("cannot read '{}'", path),
                                            "check its permissions",
                                            std::nullopt,
                                            {}}});
  const auto table = toml_text::parse_toml(text, path);
  if (!table) return tl::unexpected(std::vector{table.error()});
  return Reader(path).read(*table);
}

}  // namespace rnnadvisor::cli
