// predicted.*: what times that were measured on this kind of GPU let expect of the configuration
// and of the best change of it. Known where a predictor was given to judge().
#include <algorithm>

#include "advisor/facts/predicted_change.h"
#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;

void ratio(Catalogue& catalogue, const std::string& name, const std::string& description,
           double PredictedChange::* member) {
  define_gain(catalogue, "predicted", "predicted." + name, "1", Provenance::modelled, description,
              [member](const Subject& s, const Index& i) {
                const auto* change = i.predicted_change(s.configuration);
                return change != nullptr ? std::optional(change->*member) : std::nullopt;
              });
}

void time(Catalogue& catalogue, const std::string& name, const std::string& description,
          model::TimePrediction PredictedChange::* member) {
  define(catalogue, "predicted." + name, "ms", Provenance::modelled, description,
         [member](const Subject& s, const Index& i) {
           const auto* change = i.predicted_change(s.configuration);
           return change != nullptr ? std::optional((change->*member).seconds * 1e3) : std::nullopt;
         });
}

}  // namespace

void add_predicted_facts(Catalogue& catalogue) {
  ratio(catalogue, "change_speedup",
        "predicted time now over predicted time with the change that predicted times expect most "
        "of; 1 where none is expected to be faster",
        &PredictedChange::speedup);
  ratio(catalogue, "change_low", "lower end of the interval of that ratio", &PredictedChange::low);
  ratio(catalogue, "change_high", "upper end of the interval of that ratio",
        &PredictedChange::high);
  time(catalogue, "before_ms", "predicted time of the calls as they are", &PredictedChange::before);
  time(catalogue, "after_ms", "predicted time of the calls with that change",
       &PredictedChange::after);
  using Other = PredictedChange::Other;
  const auto of = [&](std::optional<Other> PredictedChange::* which, const std::string& name,
                      const std::string& unit, const std::string& description, auto value) {
    define(catalogue, "predicted." + name, unit, Provenance::modelled, description,
           [which, value](const Subject& s, const Index& i) {
             const auto* change = i.predicted_change(s.configuration);
             return change != nullptr && change->*which ? std::optional(value(*(change->*which)))
                                                        : std::nullopt;
           });
  };
  const auto other = [&](const std::string& name, const std::string& unit,
                         const std::string& description, auto value) {
    of(&PredictedChange::other, "other_" + name, unit, description, value);
  };
  const auto converting = [&](const std::string& name, const std::string& unit,
                              const std::string& description, auto value) {
    of(&PredictedChange::converting, "converting_" + name, unit, description, value);
  };
  other("algo", "",
        "the fastest algorithm by predicted times that the framework does not ask for; one that "
        "`accelerate` swaps where that takes hardly longer",
        [](const Other& o) { return std::string(to_string(o.algo)); });
  other("ms", "ms", "predicted time with it", [](const Other& o) { return o.seconds * 1e3; });
  other("speedup", "1", "predicted time of the framework's call over that",
        [](const Other& o) { return o.speedup; });
  of(&PredictedChange::other, "other_swapped", "",
     "`accelerate` swaps it below the framework, where it measures faster in the program",
     [](const Other& o) { return o.swapped; });
  other("low", "1", "lower end of the interval of that ratio",
        [](const Other& o) { return o.low; });
  other("high", "1", "upper end of it", [](const Other& o) { return o.high; });
  converting("ms", "ms",
             "predicted time of a float32 layer in PyTorch with persist_static and conversion to "
             "half, as `accelerate --allow numerics` makes it",
             [](const Other& o) { return o.seconds * 1e3; });
  converting("speedup", "1", "predicted time of the framework's call over that",
             [](const Other& o) { return o.speedup; });
  converting("low", "1", "lower end of the interval of that ratio",
             [](const Other& o) { return o.low; });
  converting("high", "1", "upper end of it", [](const Other& o) { return o.high; });
  using InHalf = PredictedChange::InHalf;
  const auto in_half = [&](const std::string& name, const std::string& unit,
                           const std::string& description, auto value) {
    define(catalogue, "predicted.half_" + name, unit, Provenance::modelled, description,
           [value](const Subject& s, const Index& i) {
             const auto* change = i.predicted_change(s.configuration);
             return change != nullptr && change->in_half
                        ? std::optional(value(*change, *change->in_half))
                        : std::nullopt;
           });
    if (unit == "1") catalogue.back().gain_of = "predicted_half";
  };
  in_half(
      "change", "",
      "half data for a layer in float or bfloat16, with the padding and division that predicted "
      "times expect most of together with it",
      [](const PredictedChange&, const InHalf& half) { return half.words; });
  in_half("ms", "ms",
          "predicted time with it; in PyTorch with the casts that torch.autocast makes around the "
          "calls",
          [](const PredictedChange&, const InHalf& half) { return half.after.seconds * 1e3; });
  in_half("casts_ms", "ms", "what of that these casts take; 0 elsewhere",
          [](const PredictedChange&, const InHalf& half) { return half.casts_seconds * 1e3; });
  in_half("speedup", "1", "predicted time now over that",
          [](const PredictedChange&, const InHalf& half) { return half.speedup; });
  in_half("low", "1", "lower end of the interval of that ratio",
          [](const PredictedChange&, const InHalf& half) { return half.low; });
  in_half("high", "1", "upper end of it",
          [](const PredictedChange&, const InHalf& half) { return half.high; });
  in_half(
      "ahead", "1",
      "the same ratio over that of the best change that keeps the data type, be it an algorithm "
      "that `accelerate` swaps",
      [](const PredictedChange& change, const InHalf& half) {
        double kept = change.speedup;
        if (change.converting) kept = std::max(kept, change.converting->speedup);
        if (change.other && change.other->swapped) kept = std::max(kept, change.other->speedup);
        return half.speedup / kept;
      });
  define(catalogue, "predicted.change", "", Provenance::modelled, "what that change is",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto* change = i.predicted_change(s.configuration);
           if (change == nullptr || change->changes.empty()) return std::nullopt;
           return change->words;
         });
  define(catalogue, "predicted.basis", "", Provenance::modelled, "what the predicted times rest on",
         [](const Subject& s, const Index& i) -> std::optional<std::string> {
           const auto* change = i.predicted_change(s.configuration);
           return change != nullptr ? std::optional(change->after.basis) : std::nullopt;
         });
}

}  // namespace rnnadvisor::advisor
