#include "advisor/cli/loss_runs.h"

#include <fmt/format.h>

#include <fstream>
#include <variant>

#include "advisor/cli/program_python.h"
#include "advisor/report/words.h"
#include "profiler/launch/collect.h"

namespace rnnadvisor::cli {
namespace {

constexpr std::size_t shown_lines = 8;

std::string content(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The NVTX marks in a recording, a line each: name and number.
std::string marks_in(const std::string& folder) {
  const auto collected = launch::collect_spools(folder, {});
  if (!collected) return {};
  std::string text;
  const auto& nvtx = collected->profile.nvtx;
  for (std::size_t i = 0; i < nvtx.size(); ++i) {
    if (nvtx.start_ns[i] != nvtx.end_ns[i]) continue;
    text += collected->profile.text(nvtx.name[i]);
    if (const auto* whole = std::get_if<std::int64_t>(&nvtx.payload[i]))
      text += fmt::format(" {}", *whole);
    if (const auto* number = std::get_if<double>(&nvtx.payload[i]))
      text += fmt::format(" {}", *number);
    text += '\n';
  }
  return text;
}

std::string last_of(const std::string& text) {
  std::size_t from = text.size();
  for (std::size_t lines = 0; from > 0 && lines <= shown_lines; ++lines) {
    const auto before = text.rfind('\n', from - 1);
    from = before == std::string::npos ? 0 : before;
  }
  return text.substr(from);
}

}  // namespace

LossRuns::LossRuns(int perturbed, std::regex pattern)
    : folder_(std::make_unique<ScratchFolder>()),
      pattern_(std::move(pattern)),
      perturbed_(perturbed) {}

Result<LossRuns> LossRuns::prepare(int perturbed, const std::string& pattern) {
  auto expression = loss_pattern(pattern);
  if (!expression) return fail(std::move(expression.error()));
  LossRuns made(perturbed, std::move(*expression));
  if (made.folder_->path().empty()) {
    return fail(ErrorCode::io, "cannot make a folder for what the runs print",
                "set TMPDIR to a folder that can be written to");
  }
  return made;
}

std::string LossRuns::file(const char* name) const { return folder_->path() + "/" + name; }

void LossRuns::redirect(ProgramRun& changed) const {
  // Choices alone are recorded without marks.
  if (marks_ && changed.recording.accelerate) changed.recording.accelerate->record_calls = true;
  changed.output = file("output");
  changed.error = file("error");
}

std::string LossRuns::last_lines() const {
  return last_of(content(file("output")) + content(file("error")));
}

PrintedLosses LossRuns::read(const std::string& folder, bool marks) const {
  if (marks) return losses_in(marks_in(folder), pattern_);
  return losses_in(content(file("output")) + '\n' + content(file("error")), pattern_);
}

LossRuns::Run LossRuns::run_original(Context& context, const ProgramRun& like, int number) {
  ProgramRun run;
  run.recording.mode = spool::Mode::calls;
  run.variables = like.variables;
  run.make_folder = make_temporary_folder;
  redirect(run);
  if (number > 0) {
    run.more_variables =
        [&](const std::string&,
            const launch::Lookup& environment) -> Result<std::vector<std::string>> {
      auto python = write_program_python(file("python"), environment("PYTHONPATH").value_or(""));
      if (!python) return fail(std::move(python.error()));
      return std::vector{std::move(*python), fmt::format("RNNADVISOR_PERTURB={}", number)};
    };
  }
  if (*context.services.watch_interrupts()) return {{}, exit_interrupted};  // between two runs
  const auto ran = start_program(context, run);
  if (!ran) return {{}, ran.error()};
  std::optional<RecordingFolder> folder(std::in_place, ran->folder);
  Run out;
  if (ran->end.signal != 0) {
    folder.reset();
    out.failed = end_as(context, ran->end.signal);
    return out;
  }
  const char* kind = number == 0 ? "as it is" : "weights one unit in the last place apart";
  if (ran->end.exit_status != 0) {
    context.err << advisor::words::clean_lines(last_lines());
    context.note(fmt::format(
        "run {} of {} ({}) ended with exit status {}; losses are compared of runs that end well",
        number + 1, perturbed_ + 2, kind, ran->end.exit_status));
    out.failed = ran->end.exit_status;
    return out;
  }
  out.losses = read(folder->path(), marks_);
  if (number == 0 && out.losses.values.empty()) {
    marks_ = true;
    out.losses = read(folder->path(), marks_);
  }
  if (out.losses.values.empty()) {
    out.failed =
        context.report({ErrorCode::invalid_argument,
                        fmt::format("run {} of {} ({}) printed no loss, and no NVTX mark has one",
                                    number + 1, perturbed_ + 2, kind),
                        "say what a loss looks like: --loss 'ppl ([0-9.]+)'",
                        std::nullopt,
                        {}});
    return out;
  }
  context.note(fmt::format(
      "run {} of {} ({}): {}, the last is {}; {:.1f} s", number + 1, perturbed_ + 2, kind,
      advisor::words::plural(static_cast<long long>(out.losses.values.size()), "loss", "losses"),
      out.losses.values.back(), static_cast<double>(ran->end.end_ns - ran->end.start_ns) * 1e-9));
  return out;
}

std::optional<int> LossRuns::run_originals(Context& context, const ProgramRun& like) {
  context.note(fmt::format("the program will run {} times, and what it prints is not shown",
                           perturbed_ + 2));
  for (int number = 0; number <= perturbed_; ++number) {
    auto run = run_original(context, like, number);
    if (run.failed) return run.failed;
    originals_.push_back(std::move(run.losses));
  }
  return std::nullopt;
}

LossReport LossRuns::compare(const std::string& folder) const {
  return {static_cast<int>(originals_.size()), marks_,
          compare_losses(originals_, read(folder, marks_))};
}

}  // namespace rnnadvisor::cli
