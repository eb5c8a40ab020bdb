// Which frameworks are in the process, by the libraries that are loaded.
#pragma once

namespace rnnadvisor::plugin {

// Writes their paths to the spool, once; cheap afterwards. Not while the loader's lock is held.
void describe_frameworks();
void frameworks_forget();  // after fork() in the child

}  // namespace rnnadvisor::plugin
