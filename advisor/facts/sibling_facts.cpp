// sibling.*: what another configuration of the same profile, equal but for one field, achieved. A
// speedup is own time over the sibling's; it counts only where both were timed. The configuration
// itself competes too, so a best speedup is never below 1.
#include <algorithm>

#include "advisor/facts/profile_index.h"
#include "advisor/facts/providers.h"

namespace rnnadvisor::advisor {
namespace {

using Index = ProfileIndex;
using Time = std::optional<double> (*)(const Configuration&);

std::optional<double> forward_ms(const Configuration& c) {
  const auto training = phase_ms(c, Phase::forward_training);
  const auto inference = phase_ms(c, Phase::forward_inference);
  return inference ? inference : training;
}

struct Best {
  const Configuration* configuration = nullptr;
  double speedup = 1;
};

template <class Accept, class Scale>
std::optional<Best> best(const Subject& s, const Index& i, std::string_view field, Time time,
                         Accept accept, Scale scale) {
  const auto own = time(s.get());
  if (!own || *own <= 0) return std::nullopt;
  Best found{&s.get(), 1};
  bool any = false;
  for (const Sibling& sibling : i.siblings(s.configuration)) {
    if (sibling.field != field) continue;
    const auto& other = i.profile().configurations[static_cast<std::size_t>(sibling.configuration)];
    if (!accept(other)) continue;
    const auto its = time(other);
    if (!its || *its <= 0) continue;
    any = true;
    const double speedup = *own / *its * scale(other);
    if (speedup > found.speedup) found = {&other, speedup};
  }
  return any ? std::optional(found) : std::nullopt;
}

std::optional<Best> best_of(const Subject& s, const Index& i, std::string_view field, Time time) {
  return best(
      // What computes wrong results is no better for being faster.
      s, i, field, time, [](const Configuration& other) { return results_trusted(other); },
      [](const Configuration&) { return 1.0; });
}

// Adds best_<field>, best_<field>_speedup and best_<field>_forward_speedup for an enumerated field.
template <class Enum>
void add_enumerated(Catalogue& catalogue, const std::string& field, Enum RnnConfig::* member) {
  define(
      catalogue, "sibling.best_" + field, "", Provenance::measured,
      "fastest " + field + " measured with all else equal, by the time that matters for the mode",
      [field, member](const Subject& s, const Index& i) -> std::optional<std::string> {
        const auto found = best_of(s, i, field, step_ms);
        return found ? std::optional(std::string(to_string(found->configuration->config.*member)))
                     : std::nullopt;
      },
      spellings<Enum>());
  define(catalogue, "sibling.best_" + field + "_speedup", "1", Provenance::measured,
         "time now over time with the fastest measured " + field,
         [field](const Subject& s, const Index& i) -> std::optional<double> {
           const auto found = best_of(s, i, field, step_ms);
           return found ? std::optional(found->speedup) : std::nullopt;
         });
  define(catalogue, "sibling.best_" + field + "_forward_speedup", "1", Provenance::measured,
         "forward time now over forward time with the " + field + " that is fastest forward",
         [field](const Subject& s, const Index& i) -> std::optional<double> {
           const auto found = best_of(s, i, field, forward_ms);
           return found ? std::optional(found->speedup) : std::nullopt;
         });
}

// Time with one given algorithm against the present one.
std::optional<double> speedup_with(const Subject& s, const Index& i, Algo algo) {
  const auto own = step_ms(s.get());
  if (!own) return std::nullopt;
  for (const Sibling& sibling : i.siblings(s.configuration)) {
    const auto& other = i.profile().configurations[static_cast<std::size_t>(sibling.configuration)];
    if (sibling.field != "algo" || other.config.algo != algo) continue;
    const auto its = step_ms(other);
    if (its && *its > 0) return *own / *its;
  }
  return std::nullopt;
}

void add_against(Catalogue& catalogue, Algo algo) {
  const std::string name(to_string(algo));
  define(catalogue, "sibling." + name + "_speedup", "1", Provenance::measured,
         "time now over time with algo " + name + ", all else equal; below 1: now is faster",
         [algo](const Subject& s, const Index& i) { return speedup_with(s, i, algo); });
  // What a card that would suggest the algorithm asks first. Not measured is no refutation.
  define(catalogue, "sibling.refutes_" + name, "", Provenance::measured,
         "algo " + name +
             " was timed here, all else equal, and was not faster; false when it was not timed",
         [algo](const Subject& s, const Index& i) {
           const auto speedup = speedup_with(s, i, algo);
           return speedup.has_value() && *speedup <= 1.0;
         });
}

// The sizes changed alone or with the others of the layer, padded by at most an eighth or 32 units.
std::optional<Best> padded(const Subject& s, const Index& i) {
  const auto& own = s.get().config;
  const auto near = [&own](const Configuration& other) {
    const int more = other.config.hidden_size - own.hidden_size;
    return more > 0 && more <= std::max(32, own.hidden_size / 8);
  };
  const auto one = [](const Configuration&) { return 1.0; };
  auto found = best(s, i, "width", step_ms, near, one);
  const auto alone = best(s, i, "hidden_size", step_ms, near, one);
  if (alone && (!found || alone->speedup > found->speedup)) found = alone;
  return found;
}

// Time per sequence decides between batch sizes.
std::optional<Best> best_batch(const Subject& s, const Index& i) {
  const double own = s.get().config.batch_size;
  return best(
      s, i, "batch_size", step_ms,
      [own](const Configuration& other) {
        return other.config.batch_size > own && other.config.batch_size <= 2 * own;
      },
      [own](const Configuration& other) { return other.config.batch_size / own; });
}

// PyTorch takes another algorithm for another batch, so that the two differ in that too.
bool called_with_larger_batch(const Subject& s, const Index& i) {
  const auto& own = s.get();
  if (!own.from_program()) return false;
  const auto& all = i.profile().configurations;
  return std::any_of(all.begin(), all.end(), [&](const Configuration& other) {
    if (!other.from_program() || other.device != own.device ||
        other.config.batch_size <= own.config.batch_size)
      return false;
    RnnConfig same = other.config;
    same.batch_size = own.config.batch_size;
    same.algo = own.config.algo;
    same.id = own.config.id;
    return same == own.config;
  });
}

}  // namespace

void add_sibling_facts(Catalogue& catalogue) {
  add_enumerated(catalogue, "algo", &RnnConfig::algo);
  add_enumerated(catalogue, "math_type", &RnnConfig::math_type);
  add_enumerated(catalogue, "data_type", &RnnConfig::data_type);
  for (const Algo algo : {Algo::standard, Algo::persist_static, Algo::persist_dynamic,
                          Algo::persist_static_small_h}) {
    add_against(catalogue, algo);
  }
  define(catalogue, "sibling.best_width", "", Provenance::measured,
         "hidden_size of the fastest measured configuration that is a little wider",
         [](const Subject& s, const Index& i) -> std::optional<int> {
           const auto found = padded(s, i);
           return found ? std::optional(found->configuration->config.hidden_size) : std::nullopt;
         });
  define(catalogue, "sibling.best_width_speedup", "1", Provenance::measured,
         "time now over time with sibling.best_width",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto found = padded(s, i);
           return found ? std::optional(found->speedup) : std::nullopt;
         });
  define(catalogue, "sibling.larger_batch", "", Provenance::measured,
         "measured batch_size up to twice the present one with the least time per sequence",
         [](const Subject& s, const Index& i) -> std::optional<int> {
           const auto found = best_batch(s, i);
           return found ? std::optional(found->configuration->config.batch_size) : std::nullopt;
         });
  define(catalogue, "sibling.larger_batch_gain", "1", Provenance::measured,
         "time per sequence now over time per sequence with sibling.larger_batch",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto found = best_batch(s, i);
           return found ? std::optional(found->speedup) : std::nullopt;
         });
  define(catalogue, "sibling.other_algo_timed", "", Provenance::captured,
         "this profile has times of the configuration with another algorithm, too",
         [](const Subject& s, const Index& i) {
           const auto all = i.siblings(s.configuration);
           return std::any_of(all.begin(), all.end(), [&](const Sibling& sibling) {
             const auto at = static_cast<std::size_t>(sibling.configuration);
             return sibling.field == "algo" && step_ms(i.profile().configurations[at]).has_value();
           });
         });
  define(catalogue, "sibling.has_larger_batch", "", Provenance::captured,
         "the recorded program calls the same layer with a larger batch too, so that this may be "
         "the last one of an epoch",
         called_with_larger_batch);
  define(catalogue, "sibling.split_layers_speedup", "1", Provenance::measured,
         "time now over num_layers times the time of the measured one-layer configuration",
         [](const Subject& s, const Index& i) -> std::optional<double> {
           const auto& c = s.get().config;
           // Only then are the layers of the stack equal to the one-layer call.
           if (c.num_layers < 2 || c.direction != Direction::unidirectional ||
               c.input_size != c.proj_size) {
             return std::nullopt;
           }
           const auto own = step_ms(s.get());
           if (!own) return std::nullopt;
           for (const Sibling& sibling : i.siblings(s.configuration)) {
             const auto& other =
                 i.profile().configurations[static_cast<std::size_t>(sibling.configuration)];
             if (sibling.field != "num_layers" || other.config.num_layers != 1) continue;
             const auto its = step_ms(other);
             if (its && *its > 0) return *own / (*its * c.num_layers);
           }
           return std::nullopt;
         });
}

}  // namespace rnnadvisor::advisor
