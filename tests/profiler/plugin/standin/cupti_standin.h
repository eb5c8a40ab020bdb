// What the stand-in for libcupti has beside CUPTI's own interface. Three variables make it fail:
// STANDIN_CUPTI_REFUSES names a function that answers with an error, STANDIN_CUPTI_DROPS a number
// of records that it says were dropped, and with STANDIN_CUPTI_HANGS a flush never returns.
#pragma once

#include <cstdint>

extern "C" {
int standin_cupti_subscribed();
int standin_cupti_enabled();  // kinds of records
// The node of a graph is copied to another one as cuGraphInstantiate does; its id.
std::uint64_t standin_cupti_clone_node(std::uint64_t node);
// A graph runs the kernel of a node.
void standin_cupti_run_node(std::uint64_t node);
// Runs `action` with the lock held that a flush takes.
void standin_cupti_locked(void (*action)());
}
