// Where rules were measured: one file for each kind of GPU and version of cuDNN,
// rules/validation/*.json, written by `rnnadvisor rules validate --record` and read beside the
// cards.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advisor/rules/rule.h"
#include "core/device/device_spec.h"

namespace rnnadvisor::advisor {

struct ValidationFile {
  std::string device;    // id, "nvidia-h200"
  std::string cudnn;     // "9.19.0"
  std::string date;      // of the measurement, "2026-11-22"
  std::string evidence;  // the file with the measurements
  // By rule id. ValidityRecord::device, cudnn, date and evidence are those above.
  std::vector<std::pair<std::string, ValidityRecord>> records;
};

// Errors name the file and what is wrong in it.
Result<ValidationFile> read_validation(std::string_view json, std::string_view file);
std::string write_validation(const ValidationFile& file);

// Adds the records to the rules that they are about. Returns the ids that no rule has any more.
std::vector<std::string> add_validation(std::vector<Rule>& rules, const ValidationFile& file);

// The record that decides on this device with this cuDNN (major and minor version):
// measured on the same kind of GPU. Where nothing says which cuDNN it will be, that of the newest
// one. Null when there is none.
const ValidityRecord* record_for(const Rule& rule, const DeviceSpec* device,
                                 const std::optional<Version>& cudnn);

// More pairs refute the card than agree with it, and at least three: on that device it is not true.
bool refuted(const ValidityRecord& record);

}  // namespace rnnadvisor::advisor
