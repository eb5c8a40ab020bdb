// Processes that would record into a folder, whether they do yet or not.
#pragma once

#include <string>
#include <vector>

namespace rnnadvisor::launch {

// Ids of the processes of this machine that were started with the plugin told to record into
// `folder`, as far as /proc shows them to this user. Neither this process nor those that it
// descends from.
std::vector<int> attached_processes(const std::string& folder);

// Whether every user can reach the folder; false: `closed` is the first on the way that is closed
// to others.
bool is_open_to_others(const std::string& folder, std::string& closed);

}  // namespace rnnadvisor::launch
