// Agreement of rules and measurement, for people and programs.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "advisor/rules/validation_records.h"
#include "advisor/validate/agreement.h"

namespace rnnadvisor::advisor {

// What a report is made of; all references must outlive it.
struct AgreementReport {
  const Profile& profile;  // with the experiments that the agreements point into
  const RuleSet& rules;
  std::span<const RuleAgreement> agreements;
  std::string file;  // where the profile is
  // Rules without pairs and why; may be empty.
  std::span<const std::pair<std::string, std::string>> not_sampled;
};

// A table, and what refutes a rule below it.
std::string agreement_text(const AgreementReport& report);
// A page of documentation: machine, command, every rule with what its document says, every refuting
// pair.
std::string agreement_markdown(const AgreementReport& report);
// docs/schema/rules-validate.schema.json.
std::string agreement_json(const AgreementReport& report);

// The records that travel beside the cards. Errors: a profile without a device or a cuDNN version.
Result<ValidationFile> validation_of(const AgreementReport& report);

}  // namespace rnnadvisor::advisor
