#include "advisor/cli/asking.h"

#include <fmt/format.h>

#include "advisor/facts/framework_call.h"
#include "advisor/facts/measured_times.h"
#include "core/base/text.h"
#include "core/config/key_scope.h"

namespace rnnadvisor::cli {
namespace {

// Before the maps of a centre: that no call is made, that cuDNN refuses it, what is ignored.
std::vector<std::string> remarks_on(const advisor::AskedConfiguration& centre,
                                    const DeviceSpec& device) {
  std::vector<std::string> lines;
  const auto call = advisor::given_call(centre.input, centre.recorded, device);
  const auto title = framework_title(centre.input.program.name);
  if (!centre.recorded) {
    auto ignored = advisor::ignored_words(advisor::ignored_keys(centre.input, call));
    if (!ignored.empty()) lines.push_back(std::move(ignored));
  }
  if (!call.happens()) {
    lines.push_back(
        call.stops ? fmt::format("No such call is made: {} stops with an error.", title)
        : title.empty()
            ? std::string("No such call is made: cuDNN is not expected to run the layer.")
            : fmt::format("No such call is made: {} is not expected to call cuDNN.", title));
  } else if (const auto why = advisor::why_it_does_not_run(centre.input, centre.recorded, device)) {
    lines.push_back(fmt::format("cuDNN is expected to refuse this configuration at {}: {}.",
                                why->stage, why->because));
  }
  return lines;
}

}  // namespace

Result<FitTerms> read_fit_terms(std::string_view largest, const std::string& memory,
                                std::string_view optimizer) {
  using model::Optimizer;
  FitTerms terms;
  if (largest == "length") {
    terms.largest = advisor::Largest::length;
  } else if (largest != "batch") {
    return fail(ErrorCode::invalid_argument,
                fmt::format("--largest: '{}' is unknown", to_valid_utf8(largest)),
                "use batch or length");
  }
  bool known = false;
  for (const auto value :
       {Optimizer::none, Optimizer::sgd, Optimizer::sgd_momentum, Optimizer::adam}) {
    if (model::to_string(value) != optimizer) continue;
    terms.optimizer = value;
    known = true;
  }
  if (!known)
    return fail(ErrorCode::invalid_argument,
                fmt::format("--optimizer: '{}' is unknown", to_valid_utf8(optimizer)),
                "use none, sgd, sgd_momentum or adam");
  if (memory.empty()) return terms;
  auto bytes = advisor::parse_bytes(memory);
  if (!bytes) {
    bytes.error().message = "--memory: " + bytes.error().message;
    return fail(std::move(bytes.error()));
  }
  terms.memory = *bytes;
  return terms;
}

Result<advisor::FitQuestion> fit_question(const FitTerms& terms,
                                          advisor::AskedConfiguration subject, const MemoryUse& use,
                                          const std::optional<DeviceSpec>& chosen) {
  advisor::FitQuestion question;
  question.input = std::move(subject.input);
  question.recorded = subject.recorded;
  question.device = chosen ? *chosen : *subject.device;
  question.largest = terms.largest;
  question.optimizer = terms.optimizer;
  if (terms.memory) {
    question.room = {*terms.memory, "--memory"};
  } else if (use.free_at_failure >= 0 && !chosen) {
    advisor::take_room_of_failure(question, use.free_at_failure);
  } else if (auto room = advisor::take_room_of_device(question, use.peak); !room) {
    return fail(room.error());
  }
  return question;
}

Result<std::vector<model::MapAxes>> read_map_axes(std::string_view word) {
  if (word == every_map) return std::vector(model::all_map_axes.begin(), model::all_map_axes.end());
  const auto axes = model::parse_map_axes(word);
  if (axes) return std::vector{*axes};
  std::string words;
  for (const auto each : model::all_map_axes) words += fmt::format("{}, ", model::to_string(each));
  return fail(ErrorCode::invalid_argument,
              fmt::format("--axes: '{}' is unknown", to_valid_utf8(word)),
              fmt::format("use {}or {}", words, every_map));
}

Result<model::PredictTime> times_beside(const std::string& device_name, const DeviceSpec& device) {
  if (!device_name.ends_with(".toml")) return model::PredictTime();
  auto model = model::find_time_model(device_name, device);
  if (!model) return fail(std::move(model.error()));
  return times_beside(device_name, std::move(*model));
}

model::PredictTime times_beside(const std::string& device_name,
                                std::shared_ptr<const model::TimeModel> times) {
  if (!device_name.ends_with(".toml")) return {};
  return [times = std::move(times)](const RnnConfig& config, Phase phase) {
    return times ? times->predict(config, phase) : std::nullopt;
  };
}

std::vector<model::ConfigurationMap> make_maps(const AskedConfigurations& centres,
                                               const std::vector<model::MapAxes>& axes,
                                               const std::optional<DeviceSpec>& chosen,
                                               const model::PredictTime& beside,
                                               const Services& services) {
  std::vector<model::ConfigurationMap> maps;
  for (const auto& centre : centres.list) {
    const DeviceSpec& device = chosen ? *chosen : *centre.device;
    std::vector<model::MeasuredTime> measured;
    if (centres.profile) measured = advisor::measured_times(*centres.profile, device);
    for (const auto each : axes) {
      model::MapRequest request;
      request.here = advisor::given_call(centre.input, centre.recorded, device).config;
      request.axes = each;
      if (beside) {
        request.predict = beside;
      } else if (services.predict_for) {
        request.predict = services.predict_for(device);
      }
      request.measured = measured;
      request.call =
          advisor::framework_caller(centre.input.program, device, request.here, centre.recorded);
      maps.push_back(model::build_map(request, device));
      maps.back().remarks = remarks_on(centre, device);
    }
  }
  return maps;
}

}  // namespace rnnadvisor::cli
