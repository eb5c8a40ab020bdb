#include "gui/models/loader.h"

#include <QPointer>

#include "core/base/out_of_memory.h"
#include "gui/models/background.h"

namespace rnnadvisor::gui {

namespace {

constexpr double least_progress = 0.005;

}  // namespace

Loader::Loader(QObject* parent) : QObject(parent) {}

// The worker holds what it works on and asks whether its loader is still there.
Loader::~Loader() {
  if (work_) work_->stop = true;
}

void Loader::open(const QString& path, std::shared_ptr<const advisor::RuleSet> rules) {
  cancel();
  path_ = path;
  work_ = std::make_shared<Work>();
  emit started(path);
  in_background([guard = QPointer<Loader>(this), work = work_, path, rules = std::move(rules),
                 predict_for = predict_for_] {
    const auto tell = [&](const auto& action) {
      // The pointer is looked at on the loader's own thread only.
      if (!work->stop)
        on_window_thread([guard, action] {
          if (guard) action(guard.data());
        });
    };
    double told = -1;
    OpenOptions options;
    // The question comes thousands of times a second, and a bar shows hundreds of steps.
    options.keep_going = [&](double share) {
      if (share - told >= least_progress) {
        told = share;
        tell([work, share](Loader* loader) {
          if (loader->work_ == work) emit loader->progress(share);
        });
      }
      return !work->stop;
    };
    options.outline = [&](const DocumentPointer& outline) {
      tell([work, outline](Loader* loader) {
        if (loader->work_ == work) emit loader->outlined(outline);
      });
    };
    options.judging = [&] {
      tell([work](Loader* loader) {
        if (loader->work_ == work) emit loader->judging(loader->path_);
      });
    };
    options.predict_for = predict_for;
    const auto result =
        or_out_of_memory(path.toStdString(), [&] { return open_document(path, rules, options); });
    if (!result && result.error().code == ErrorCode::out_of_memory) missing_memory_is_dealt_with();
    tell([work, result](Loader* loader) { loader->finish(work, result); });
  });
}

void Loader::cancel() {
  if (!work_) return;
  work_->stop = true;
  work_ = nullptr;
  emit cancelled(path_);
}

void Loader::finish(const std::shared_ptr<Work>& work, const Result<DocumentPointer>& result) {
  if (work_ != work) return;  // cancelled, or another was opened
  work_ = nullptr;
  if (result) {
    emit loaded(*result);
  } else {
    emit failed(result.error(), path_);
  }
}

}  // namespace rnnadvisor::gui
