#include "advisor/cli/project_file.h"

#include <fmt/format.h>

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

  Result<ProjectFile> read(const toml::table& table) const {
    for (const auto& [key, node] : table)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        return fail(wrong(node, fmt::format("unknown key '{}'", to_valid_utf8(key.str())),
                          did_you_mean(key.str(), keys)));
    ProjectFile file;
    file.path = path_;
    for (const auto& [key, into] : {std::pair{"device", &file.device},
                                    {"fail_on", &file.fail_on},
                                    {"baseline", &file.baseline}})
      if (table.contains(key)) {
        const auto text = table[key].value<std::string>();
        if (!text || text->empty())
          return fail(wrong(*table.get(key), fmt::format("'{}' must be a text", key), {}));
        *into = *text;
      }
    for (const auto& [key, into] : {std::pair{"ignore", &file.ignore}, {"rules", &file.rules}})
      if (table.contains(key) && !texts(table[key], *into))
        return fail(wrong(*table.get(key), fmt::format("'{}' must be a list of texts", key), {}));
    if (!file.fail_on.empty())
      if (const auto known = parse_fail_on(file.fail_on); !known)
        return fail(wrong(*table.get("fail_on"),
                          fmt::format("'{}' is no severity", to_valid_utf8(file.fail_on)),
                          known.error().remedy));
    if (!file.baseline.empty()) file.baseline = beside(file.baseline);
    if (file.device.ends_with(".toml")) file.device = beside(file.device);
    for (auto& each : file.rules) each = beside(each);
    return file;
  }

 private:
  std::string beside(const std::string& file) const { return (folder_ / file).string(); }

  Error wrong(const toml::node& node, std::string message, std::string remedy) const {
    const auto& at = node.source().begin;
    return {ErrorCode::parse,
            std::move(message),
            std::move(remedy),
            SourcePosition{path_, static_cast<int>(at.line), static_cast<int>(at.column)},
            {}};
  }

  static bool texts(toml::node_view<const toml::node> view, std::vector<std::string>& into) {
    const toml::array* list = view.as_array();
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

Result<ProjectFile> read_project_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad())
    return fail(ErrorCode::io, fmt::format("cannot read '{}'", path), "check its permissions");
  const auto table = toml_text::parse_toml(text, path);
  if (!table) return fail(table.error());
  return Reader(path).read(*table);
}

}  // namespace rnnadvisor::cli
