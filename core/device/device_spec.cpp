#include "core/device/device_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "core/base/embedded.h"
#include "core/base/text.h"
#include "core/device/read_device.h"

namespace rnnadvisor {
namespace embedded {
std::span<const EmbeddedFile> devices();
}

namespace {

// Lower case, letters and digits only, without the maker: "NVIDIA H200" and "nvidia-h200" are both
// "h200".
std::string normal_name(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c >= 'A' && c <= 'Z') {
      result += static_cast<char>(c - 'A' + 'a');
    } else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      result += c;
    }
  }
  if (constexpr std::string_view maker = "nvidia";
      result.size() > maker.size() && result.starts_with(maker)) {
    result.erase(0, maker.size());
  }
  return result;
}

std::vector<DeviceSpec> read_shipped() {
  std::vector<DeviceSpec> devices;
  for (const EmbeddedFile& file : embedded::devices()) {
    auto device = read_device_toml(file.text, file.name);
    assert(device && "a shipped device description does not read; device_spec_test says which");
    if (device) devices.push_back(std::move(*device));
  }
  std::sort(devices.begin(), devices.end(),
            [](const DeviceSpec& a, const DeviceSpec& b) { return a.id < b.id; });
  return devices;
}

std::vector<std::string> words_for(const DeviceSpec& device) {
  std::vector<std::string> words = {device.id, device.name};
  words.insert(words.end(), device.aliases.begin(), device.aliases.end());
  return words;
}

std::string known_devices() {
  std::string list;
  for (const auto& device : shipped_devices()) list += (list.empty() ? "" : ", ") + device.id;
  return list;
}

// The id of the shipped device with the word nearest to `name`, or nothing.
std::string nearest_device(std::string_view name) {
  std::vector<std::string> words;
  std::vector<std::string> ids;
  for (const auto& device : shipped_devices()) {
    for (const auto& word : words_for(device)) {
      words.push_back(normal_name(word));
      ids.push_back(device.id);
    }
  }
  const std::vector<std::string_view> views(words.begin(), words.end());
  const auto match = nearest_match(normal_name(name), views);
  if (!match) return {};
  const auto at = std::find(views.begin(), views.end(), *match) - views.begin();
  return ids[static_cast<std::size_t>(at)];
}

}  // namespace

bool DeviceSpec::same_kind(const DeviceSpec& other) const {
  if (uuid == other.uuid) return *this == other;
  DeviceSpec mine = *this;
  mine.uuid = other.uuid;
  return mine == other;
}

std::span<const DeviceSpec> shipped_devices() {
  static const std::vector<DeviceSpec> devices = read_shipped();
  return devices;
}

Result<DeviceSpec> find_device(std::string_view name) {
  if (name.ends_with(".toml")) return read_device_file(std::string(name));
  const std::string wanted = normal_name(name);
  if (!wanted.empty()) {
    for (const auto& device : shipped_devices()) {
      for (const auto& word : words_for(device)) {
        if (normal_name(word) == wanted) return device;
      }
    }
  }
  const std::string nearest = nearest_device(name);
  Error error{ErrorCode::not_found,
              fmt::format("no device description named '{}'", to_valid_utf8(name)),
              nearest.empty() ? "use one of the known devices, or the path of a description (.toml)"
                              : fmt::format("did you mean '{}'?", nearest),
              std::nullopt,
              {"known devices: " + known_devices()}};
  return fail(std::move(error));
}

}  // namespace rnnadvisor
