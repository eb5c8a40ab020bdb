#include "profiler/classify/step_account.h"

#include <algorithm>
#include <numeric>

namespace rnnadvisor {

StepAccount step_account(int device, const GpuBusy& busy, const ProgramSteps* steps,
                         const std::optional<TracedSteps>& traced) {
  StepAccount account;
  account.device = device;
  PartTimes parts = busy.part_ns;
  double whole = static_cast<double>(busy.span_ns);
  auto host_wait = static_cast<double>(busy.host_wait_ns);
  auto in_rnn = static_cast<double>(busy.rnn_wait_ns);
  if (steps != nullptr) {
    account.trains = steps->trains;
    account.untraced = steps->untraced;
    account.launches = steps->launches;
    account.step_ns = whole = steps->untraced_ns;
    account.low_ns = steps->untraced_low_ns;
    account.high_ns = steps->untraced_high_ns;
    parts = steps->part_ns;
    in_rnn = steps->rnn_wait();
    host_wait = steps->host_wait();
  } else if (traced) {
    account.traced = traced->count;
    account.traced_ns = traced->ns;
  }
  const double worked = std::accumulate(parts.begin(), parts.end(), 0.0);
  // Traced and other steps are not the same ones: work can come out as longer than a step.
  whole = std::max(whole, worked);
  for (std::size_t p = 0; p < step_parts && whole > 0; ++p) account.share[p] = parts[p] / whole;
  if (!(whole > 0)) return account;
  const double idle = 1 - worked / whole;
  account.idle_for_host = std::min(host_wait / whole, idle);
  account.idle_in_rnn = std::min(in_rnn / whole, idle - account.idle_for_host);
  account.idle_elsewhere = idle - account.idle_in_rnn - account.idle_for_host;
  return account;
}

std::string_view to_string(Outside value) {
  switch (value) {
    case Outside::no:
      return "no";
    case Outside::before:
      return "before";
    case Outside::after:
      return "after";
    case Outside::apart:
      return "apart";
  }
  return "?";
}

}  // namespace rnnadvisor
