// What the stand-in for libcuda has beside the driver's own interface.
#pragma once

#include <cstdint>

// One piece of work, as the stand-in for CUPTI receives it.
struct StandinWork {
  const char* kernel;
  void* stream;
  std::uint32_t correlation;
  std::uint64_t node;  // of the graph that is being captured, 0: it runs
};
struct StandinTracer {
  void (*work)(const StandinWork& work);
  void (*profiler)(bool start, bool enter);
  void (*priority_range)(std::uint32_t correlation, bool enter);
};

extern "C" {
// Starts a kernel of 1.5 ms on a stream, or makes it a node of the graph that is being captured.
void standin_launch(void* stream, const char* kernel);
void standin_launch_for(void* stream, const char* kernel, double milliseconds);
// Allocations of cuMemAllocAsync() that were not freed.
int standin_allocations();
void standin_set_tracer(const StandinTracer* tracer);
// While held, nothing that was started is finished.
void standin_hold(int hold);
// Makes a context current on this thread. The same slot again: the context is destroyed and another
// one made at its address, as cudaDeviceReset() may do; its events are gone.
void standin_new_context(int slot);
// Makes the context that is there current on this thread too.
void standin_join_context(int slot);
void* standin_make_stream();  // in the current context
// From 1, in the order in which they were made; 0: none of this context.
int standin_stream_number(void* stream, void* context);
int standin_context_slot(void* context);  // -1: none
void standin_device(int device);  // the current one of every thread; it has another name than 0
void standin_capture(void* stream, int on);
// What no program may do: events of a destroyed context used, a capture broken, memory freed twice.
int standin_faults();
}
