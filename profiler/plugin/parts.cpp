// All that the plugin consists of, where its recording begins and ends.

#include "profiler/plugin/acceleration.h"
#include "profiler/plugin/call_site.h"
#include "profiler/plugin/capture.h"
#include "profiler/plugin/capture_range.h"
#include "profiler/plugin/counters.h"
#include "profiler/plugin/cudnn_library.h"
#include "profiler/plugin/cupti.h"
#include "profiler/plugin/driver.h"
#include "profiler/plugin/events.h"
#include "profiler/plugin/frameworks.h"
#include "profiler/plugin/last_flush.h"
#include "profiler/plugin/nvtx.h"
#include "profiler/plugin/plugin.h"
#include "profiler/plugin/program_steps.h"
#include "profiler/plugin/python_exception.h"

namespace rnnadvisor::plugin {
namespace {

void in_child() {
  cudnn_libraries_in_child();
  cupti_in_child();
  counters_in_child();
  last_flush_in_child();
  events_in_child();
  acceleration_in_child();
  program_steps_in_child();
}

void forget() {
  capture_range_forget();
  configurations_forget();
  call_sites_forget();
  cudnn_libraries_forget();
  devices_forget();
  frameworks_forget();
  nvtx_forget();
}

void finish_parts() {
  events_collect(true);
  acceleration_finish();
  counters_finish();
  cupti_flush();
}

// At the end of a range, which may be the last.
void end_range_of_parts() {
  events_collect_finished();
  cupti_pause();
}

constexpr Parts all = {&in_child,     &forget,          &name_capture_range,
                       &finish_parts, &last_flush,      &end_range_of_parts,
                       &cupti_resume, &watch_exceptions};

}  // namespace

const Parts& parts() { return all; }

}  // namespace rnnadvisor::plugin
