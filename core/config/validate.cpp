#include "core/config/validate.h"

#include <algorithm>

#include "core/config/constraints/constraint.h"

namespace rnnadvisor {
namespace {

using constraints::Constraint;

const std::vector<Constraint>& all_constraints() {
  static const std::vector<Constraint> all = [] {
    std::vector<Constraint> list;
    for (auto part : {constraints::size_constraints(), constraints::type_constraints(),
                      constraints::algorithm_constraints(), constraints::feature_constraints(),
                      constraints::sequence_constraints()}) {
      std::move(part.begin(), part.end(), std::back_inserter(list));
    }
    return list;
  }();
  return all;
}

}  // namespace

std::vector<Violation> validate(const RnnConfig& config) {
  std::vector<Violation> violations;
  for (const auto& constraint : all_constraints()) {
    if (!constraint.broken(config)) continue;
    auto breach = constraint.explain(config);
    violations.push_back({.id = std::string(constraint.id),
                          .keys = {constraint.keys.begin(), constraint.keys.end()},
                          .message = std::move(breach.message),
                          .remedy = std::move(breach.remedy),
                          .enforcement = breach.enforcement.value_or(constraint.enforcement),
                          .status = std::string(constraint.status),
                          .citation = constraint.citation});
  }
  return violations;
}

bool rejected_by_set_descriptor(const RnnConfig& config) {
  return std::any_of(all_constraints().begin(), all_constraints().end(),
                     [&](const Constraint& constraint) {
                       return constraint.enforcement == Enforcement::rejected_by_set_descriptor &&
                              constraint.broken(config);
                     });
}

std::span<const ConstraintInfo> documented_constraints() {
  static const std::vector<ConstraintInfo> infos = [] {
    std::vector<ConstraintInfo> list;
    for (const auto& constraint : all_constraints())
      list.push_back({constraint.id, constraint.title, constraint.citation});
    return list;
  }();
  return infos;
}

}  // namespace rnnadvisor
