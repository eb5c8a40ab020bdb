// What a record lacks because of how it came about: a program that was ended, records that were
// dropped, configurations whose result was not waited for. Told with what is therefore not to be
// believed.
#pragma once

#include <QString>
#include <vector>

#include "advisor/rules/rule.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::gui {

struct RecordGap {
  advisor::Severity severity = advisor::Severity::warning;
  QString what;         // "python (4711) was ended by SIGSEGV"
  QString consequence;  // what is missing, as far as the profile tells
};

// The worst first; empty for a record that is whole as far as it tells.
std::vector<RecordGap> record_gaps(const Profile& profile);

// "SIGSEGV"; "signal 42" for one without a name.
QString signal_name(int signal);

}  // namespace rnnadvisor::gui
