// Document: one opened profile with what is thought of it. Immutable once made, so that it can be
// made on a worker thread and read by every panel.
#pragma once

#include <QDateTime>
#include <QString>
#include <functional>
#include <memory>

#include "advisor/judge/judge.h"
#include "advisor/report/report.h"
#include "advisor/rules/rule.h"
#include "core/base/result.h"
#include "gui/models/view_state.h"
#include "gui/texts.h"
#include "profiler/classify/native_cells.h"
#include "profiler/classify/recorded_steps.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::gui {

class Document {
 public:
  // Judges the profile. `path` is where it came from: a file, or "sample:NAME".
  // `outline`: its records are still being read; no rule judges it.
  // `keep_going` is asked while it is judged, with the share that is done; once it says no the
  // document is of no use. `predict_for`: as JudgeOptions has it.
  Document(Profile profile, std::shared_ptr<const advisor::RuleSet> rules, QString path,
           bool outline = false, const std::function<bool(double)>& keep_going = {},
           const advisor::PredictFor& predict_for = {});
  Document(const Document&) = delete;
  Document& operator=(const Document&) = delete;

  const Profile& profile() const { return profile_; }
  const advisor::RuleSet& rules() const { return *rules_; }
  const advisor::Judgement& judgement() const { return judgement_; }
  const advisor::Report& report() const { return report_; }
  const QString& path() const { return path_; }
  bool outline() const { return outline_; }
  bool is_as_on_disk() const;  // the file was not written since it was read
  QString name() const;        // for titles: the path without its folder
  // An error where a file of this name would replace the profile itself, by whatever link.
  Result<void> check_output(const QString& path) const;

  // Of a program that was recorded, found on the thread that opens; none of an outline.
  const RecordedSteps& recorded_steps() const { return steps_; }
  const std::vector<NativeRecurrence>& native_recurrences() const { return recurrences_; }

  // From the first record to the end of the last; empty where nothing has a time.
  TimeRange extent() const { return extent_; }
  bool has_times() const { return extent_.end_ns > extent_.begin_ns; }
  // Where an item stands in time; empty where it has none. A call goes from where the host made it
  // to the end of its last kernel: most return long before the GPU is done.
  TimeRange range_of(Item item) const;
  // The call alone on the host, and its kernels from the first to the last (else what events around
  // it measured); empty where there is no such call or nothing of it is known.
  TimeRange host_range_of_call(int call) const;
  TimeRange gpu_range_of_call(int call) const;
  // Of the calls of a configuration (-1: of any) and of a phase, if one is given, that of median
  // length on the GPU; -1: none was traced.
  int typical_call(int configuration = -1, std::optional<Phase> phase = {}) const;
  bool holds(Item item) const;  // the index is one of this profile's
  // An error that says how many there are of its kind where it holds no such item.
  Result<void> check(Item item) const;

 private:
  std::size_t count_of(ItemKind kind) const;

  Profile profile_;
  std::shared_ptr<const advisor::RuleSet> rules_;
  advisor::Judgement judgement_;
  advisor::Report report_;
  QString path_;
  QDateTime written_;  // the file, when it was read
  TimeRange extent_;
  std::vector<TimeRange> gpu_ranges_;  // by call
  RecordedSteps steps_;
  std::vector<NativeRecurrence> recurrences_;
  bool outline_;
};

using DocumentPointer = std::shared_ptr<const Document>;

// Lets go of a document on a worker thread: giving a gigabyte back to the system takes a tenth of a
// second, in which a window would not answer. To be called when nothing else on this thread holds
// it.
void let_go(DocumentPointer document);

// The shipped cards, and those of a folder where one is named.
tl::expected<std::shared_ptr<const advisor::RuleSet>, std::vector<Error>> load_rules(
    const QString& user_folder = {});

// Both are called on the thread that opens.
struct OpenOptions {
  // Asked between the steps with the share done so far; when it says no the error is
  // ErrorCode::interrupted.
  std::function<bool(double)> keep_going;
  // Given the outline of a large file long before all of it is read.
  std::function<void(const DocumentPointer&)> outline;
  // All is read; what follows is the judging.
  std::function<void()> judging;
  advisor::PredictFor predict_for = {};  // as JudgeOptions has it
};
// Reads and judges. `path`: a file, or "sample:NAME".
Result<DocumentPointer> open_document(const QString& path,
                                      std::shared_ptr<const advisor::RuleSet> rules,
                                      const OpenOptions& options = {});

// The recorded profiles that travel in the program.
struct Sample {
  QString name;  // "programs/pytorch-two-layers"
  QString title, description;
  std::string_view bytes;
  QString before;  // the sample that this one is the recording after a change of; may be empty
};
std::vector<Sample> samples();

}  // namespace rnnadvisor::gui
