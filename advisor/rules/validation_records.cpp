#include "advisor/rules/validation_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace rnnadvisor::advisor {
namespace {

using nlohmann::ordered_json;

// Three are the fewest that can outvote by more than chance of one.
constexpr int fewest_refuting = 3;

tl::unexpected<Error> wrong(std::string_view file, std::string message) {
  return fail(ErrorCode::parse, fmt::format("{}: {}", to_valid_utf8(file), message),
              "the file is written by `rnnadvisor rules validate --record`");
}

// -1: it is none.
int count(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_unsigned()) return -1;
  const auto value = found->get<std::uint64_t>();
  return value > static_cast<std::uint64_t>(std::numeric_limits<int>::max())
             ? -1
             : static_cast<int>(value);
}

std::string text(const ordered_json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Result<ValidationFile> read_validation(std::string_view json, std::string_view file) {
  const auto object = ordered_json::parse(json, nullptr, false);
  if (!object.is_object()) return wrong(file, "no JSON object");
  ValidationFile made{text(object, "device"),
                      text(object, "cudnn"),
                      text(object, "date"),
                      text(object, "evidence"),
                      {}};
  if (made.device.empty()) return wrong(file, "'device' is missing");
  if (!parse_version(made.cudnn)) return wrong(file, "'cudnn' is no version");
  if (made.evidence.empty()) return wrong(file, "'evidence' is missing");
  const auto rules = object.find("rules");
  if (rules == object.end() || !rules->is_object()) return wrong(file, "'rules' is missing");
  for (const auto& [id, entry] : rules->items()) {
    ValidityRecord record{made.device,   made.cudnn, made.date, text(entry, "effect"),
                          made.evidence, 0,          0};
    record.agree = entry.is_object() ? count(entry, "agree") : -1;
    record.refute = entry.is_object() ? count(entry, "refute") : -1;
    if (record.agree < 0 || record.refute < 0)
      return wrong(file, fmt::format("'{}' has no counts 'agree' and 'refute'", to_valid_utf8(id)));
    made.records.emplace_back(id, std::move(record));
  }
  return made;
}

std::string write_validation(const ValidationFile& file) {
  ordered_json rules = ordered_json::object();
  for (const auto& [id, record] : file.records)
    rules[id] = {{"agree", record.agree}, {"refute", record.refute}, {"effect", record.effect}};
  const ordered_json object = {{"device", file.device},
                               {"cudnn", file.cudnn},
                               {"date", file.date},
                               {"evidence", file.evidence},
                               {"rules", std::move(rules)}};
  return object.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<std::string> add_validation(std::vector<Rule>& rules, const ValidationFile& file) {
  std::vector<std::string> gone;
  for (const auto& [id, record] : file.records) {
    const auto rule =
        std::find_if(rules.begin(), rules.end(), [&](const Rule& each) { return each.id == id; });
    if (rule == rules.end()) {
      gone.push_back(id);
    } else {
      rule->validity.push_back(record);
    }
  }
  return gone;
}

const ValidityRecord* record_for(const Rule& rule, const DeviceSpec* device,
                                 const std::optional<Version>& cudnn) {
  if (device == nullptr) return nullptr;
  const ValidityRecord* newest = nullptr;
  for (const auto& record : rule.validity) {
    const auto version = parse_version(record.cudnn);
    if (record.device != device->id || !version) continue;
    if (cudnn && version->major == cudnn->major && version->minor == cudnn->minor) return &record;
    if (!cudnn && (newest == nullptr || *parse_version(newest->cudnn) < *version)) newest = &record;
  }
  return newest;
}

bool refuted(const ValidityRecord& record) {
  return record.refute >= fewest_refuting && record.refute > record.agree;
}

}  // namespace rnnadvisor::advisor
