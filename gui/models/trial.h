// A suggestion that is tried on a GPU from the window: which one, what becomes of it, and whether
// it can be tried at all. Free functions and values; gui/models/trial_run.h does it.
#pragma once

#include <QString>
#include <optional>

#include "gui/models/document.h"

namespace rnnadvisor::gui {

// A finding by what stays when the profile is judged anew with what was tried: findings then
// change their order, and configurations keep their index because tried ones are added behind.
struct FindingKey {
  QString rule;
  int configuration = -1;
  int among = 0;  // its number among those of the same rule and configuration
  bool operator==(const FindingKey&) const = default;
};
FindingKey key_of(const Document& document, int finding);
// Its index in this document; -1: there is none any more.
int find_finding(const Document& document, const FindingKey& key);

// What came of trying `changes` for a configuration: the finding that tells it, and which of its
// suggestions. With what was tried another finding may be the one that proposes the same. {-1, -1}:
// none tells it.
struct ToldTrial {
  int finding = -1, suggestion = -1;
};
ToldTrial find_trial(const Document& document, int configuration,
                     std::vector<advisor::Transform> changes);

struct TrialSubject {
  QString profile;  // Document::path()
  FindingKey finding;
  int suggestion = -1;
  bool torch = false;  // in PyTorch itself, beside cuDNN's calls
  bool is(const Document& document, int finding_index, int suggestion_index) const;
};

struct TrialState {
  enum class Is { idle, running, cancelled, nothing_to_try, failed };
  Is is = Is::idle;
  TrialSubject subject;
  QString problem, remedy;  // sentences; failed and nothing_to_try
  // For another machine, with the names of files without their folders.
  QString command;
  QString take;  // the file that has to be taken there
  QString kept;  // cancelled: the profile with what was measured until then; may be empty
};

// The change is made below the framework (`rnnadvisor accelerate`): the explorer, which shows what
// the framework asks for, has nothing to show of it.
bool below_framework(const Document& document, int configuration,
                     const advisor::Suggestion& suggestion);

// Why trying this suggestion would come to nothing, judged for the device of the recording by the
// criteria of `advise --verify`; empty: it can be tried where there is a GPU.
QString cannot_try(const Document& document, int finding, int suggestion);
// The same of trying it in PyTorch itself, by `advise --verify --torch`: also changes that cuDNN's
// calls alone do not know, such as a CUDA graph of a module.
QString cannot_try_in_torch(const Document& document, int finding, int suggestion);
// Whether the suggestion is for a program in PyTorch, so that there are both.
bool for_torch(const Document& document, int finding);

// What `rnnadvisor accelerate` is given where that is what a suggestion says to run: its options,
// and the recorded program with its arguments. Nothing where it is another suggestion, or the
// profile does not have the program's command line.
struct AccelerateCommand {
  QStringList options, program;
};
std::optional<AccelerateCommand> accelerate_command(const advisor::Suggestion& suggestion);

// Where the profile with what was tried goes: beside `profile`, else into `data_folder`, which is
// made; under a name that no file has, "run.verified.rnnprof", "run.verified-2.rnnprof". Empty:
// neither can be written.
QString verified_profile_path(const QString& profile, const QString& data_folder);

}  // namespace rnnadvisor::gui
