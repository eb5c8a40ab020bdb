// --write-code: the changed modules of a profile's experiments as files.
#pragma once

#include <string>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct CodeFile {
  std::string path;  // below the folder: "0-encoder/split_layers/rnn_split_layers.py"
  std::string text;
};

// The code of every confirmed experiment, a folder for each configuration and in it one for each
// change, so that files of one name do not meet; of equal ones the newest. Names come from profiles
// that others may have made: they keep to the folder.
std::vector<CodeFile> code_files(const Profile& profile);

// Writes them below `folder`, which is made. Refuses to replace a file that has another text,
// unless `force`, before anything is written. The number of files.
Result<int> write_code(const Profile& profile, const std::string& folder, bool force);

}  // namespace rnnadvisor::cli
