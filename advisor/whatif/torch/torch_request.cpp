#include "advisor/whatif/torch/torch_request.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "advisor/facts/shown_program.h"
#include "advisor/whatif/torch/torch_program.h"
#include "core/base/text.h"

namespace rnnadvisor::advisor {

namespace {
using Json = nlohmann::json;
}  // namespace

std::string write_torch_request(const TorchRequest& request, std::span<const int> candidates,
                                double budget_seconds) {
  Json list = Json::array();
  for (const int number : candidates) {
    const auto& candidate = request.candidates[static_cast<std::size_t>(number)];
    list.push_back({{"id", std::to_string(number)},
                    {"transforms", Json::parse(to_json(candidate.transforms), nullptr, false)}});
  }
  Json call = Json::parse(to_json_line(request.call), nullptr, false);
  Json json = {{"protocol", torch_protocol},
               {"call", std::move(call)},
               {"candidates", std::move(list)},
               {"budget_s", std::clamp(budget_seconds, 0.1, 86400.0)},
               {"device", request.device < 0 ? Json("cpu") : Json(request.device)},
               {"seed", request.seed},
               {"measure", request.measure}};
  if (!request.phases.empty()) json["phases"] = request.phases;
  if (request.site) {
    json["call_site"] = {{"file", to_valid_utf8(request.site->file)}, {"line", request.site->line}};
    if (!request.site->root.empty()) json["call_site"]["root"] = to_valid_utf8(request.site->root);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

TorchRequest torch_request(const Profile& profile, int configuration) {
  const auto& own = profile.configurations[static_cast<std::size_t>(configuration)];
  TorchRequest request;
  request.call.config = own.config;
  request.call.program = shown_program(profile, configuration);
  const bool steps =
      own.config.mode == Mode::training && request.call.program.needs_backward.value_or(true);
  // The step that decides comes first: where time is short, the other is left out.
  request.phases = steps ? std::vector<std::string>{"training", "inference"}
                         : std::vector<std::string>{"inference"};
  request.site = torch_call_site(profile, configuration);
  return request;
}

std::optional<TorchCallSite> torch_call_site(const Profile& profile, int configuration) {
  std::map<int, int> count;
  for (const auto& call : profile.calls) {
    if (call.configuration != configuration || call.site < 0) continue;
    const auto& site = profile.call_sites[static_cast<std::size_t>(call.site)];
    const bool forward =
        call.phase == Phase::forward_training || call.phase == Phase::forward_inference;
    if (forward && site.file >= 0 && site.line > 0) ++count[call.site];
  }
  const auto most = std::max_element(
      count.begin(), count.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == count.end()) return std::nullopt;
  const auto& site = profile.call_sites[static_cast<std::size_t>(most->first)];
  return TorchCallSite{profile.text(site.file), site.line, {}};
}

}  // namespace rnnadvisor::advisor
