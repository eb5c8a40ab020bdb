#include "advisor/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace rnnadvisor::cli {

std::string format_duration(double seconds) {
  const auto whole = static_cast<long long>(std::llround(std::clamp(seconds, 0.0, 3.6e8)));
  if (whole < 100) return fmt::format("{} s", whole);
  const long long minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

std::string progress_line(int finished, int total, double elapsed_seconds, std::string_view what,
                          int width) {
  const auto digits = fmt::format("{}", total).size();
  std::string left;
  if (finished > 0 && finished < total) {
    left =
        fmt::format(" - {} left", format_duration(elapsed_seconds / finished * (total - finished)));
  }
  std::string line = fmt::format("[{:>{}}/{}] ", finished, digits, total);
  // The name gives way, the numbers do not. Names are cut by bytes, on a boundary of characters.
  const auto room = static_cast<std::ptrdiff_t>(width) - static_cast<std::ptrdiff_t>(line.size()) -
                    static_cast<std::ptrdiff_t>(left.size()) - 1;
  std::string name = to_valid_utf8(what);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 32; }, ' ');
  if (static_cast<std::ptrdiff_t>(name.size()) > room) {
    auto cut = static_cast<std::size_t>(std::max<std::ptrdiff_t>(room, 0));
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0) == 0x80) --cut;
    name.resize(cut);
  }
  return line + name + left;
}

std::string progress_json(const ProgressReport& report) {
  nlohmann::ordered_json inner;
  inner["doing"] = report.doing;
  if (report.finished >= 0) inner["finished"] = report.finished;
  if (report.total >= 0) inner["total"] = report.total;
  if (!report.what.empty()) inner["what"] = to_valid_utf8(report.what);
  if (report.calls >= 0) inner["calls"] = report.calls;
  if (report.processes >= 0) inner["processes"] = report.processes;
  inner["elapsed_seconds"] = std::round(report.elapsed_seconds * 1000) / 1000;
  return nlohmann::ordered_json{{"progress", std::move(inner)}}.dump();
}

ProgressStream::ProgressStream(const Context& context) {
  if (context.progress == "json") {
    stream_ = &context.err;
  } else if (context.progress.starts_with(progress_to_file)) {
    const std::string path = context.progress.substr(progress_to_file.size());
    auto file = std::make_unique<std::ofstream>(path, std::ios::app);
    if (!*file) {
      context.note(
          fmt::format("progress is not reported: '{}' cannot be written", to_valid_utf8(path)));
      return;
    }
    stream_ = file.get();
    file_ = std::move(file);
  }
}

ProgressStream::~ProgressStream() = default;

void ProgressStream::write(const ProgressReport& report) {
  if (stream_ != nullptr) *stream_ << progress_json(report) << std::endl;
}

Progress::Progress(const Context& context, int total)
    : context_(context),
      total_(total),
      line_(context.progress == "auto" && context.terminal.error_is_terminal &&
            !context.no_progress && !context.quiet),
      json_(context),
      start_(std::chrono::steady_clock::now()) {
  if (total_ > 0) show(0, "");
}

Progress::~Progress() {
  if (drawn_) context_.err << "\r\x1b[K" << std::flush;
}

void Progress::show(int finished, std::string_view what) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  if (json_.wanted()) json_.write({"running", finished, total_, what, -1, -1, elapsed.count()});
  if (!line_) return;
  context_.err << "\r\x1b[K"
               << progress_line(finished, total_, elapsed.count(), what, context_.terminal.width)
               << std::flush;
  drawn_ = true;
}

}  // namespace rnnadvisor::cli
