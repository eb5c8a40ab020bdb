// Names of profiles that are made of where and by whom they are written.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/result.h"

namespace rnnadvisor::cli {

struct NameParts {
  std::int64_t pid = 0;
  std::string host;
  std::function<std::optional<std::string>(std::string_view)> variable;  // of the environment
};

NameParts name_parts(std::string host);  // of this process

// %p: process id of rnnadvisor; %h: host; %q{NAME}: variable NAME; %n: the first number from 1 for
// which there is no such file yet; %%: a percent sign. Anything else behind a percent sign, and a
// variable that is not set, is an error.
Result<std::string> expand_output_name(std::string_view pattern, const NameParts& parts);

// "rnnadvisor-20260131-120000.rnnprof", with "-rank3" in a distributed job and with a number where
// that is taken: the name when none was given. Another may take it before it is claimed.
std::string default_output_name(const NameParts& parts);

// Whether a file of this name exists, or a recording for it is under way.
bool is_taken(const std::string& path);

// A name that no other process takes meanwhile: an empty file, locked as long as this lives, that
// is removed at the end unless the profile has taken its place.
class ClaimedName {
 public:
  // Claims the names that `next` gives until one is free. Errors: io (the folder),
  // invalid_argument (`next` gave the same name again, and it is taken).
  static Result<ClaimedName> claim(const std::function<std::string()>& next);
  ClaimedName(ClaimedName&& other) noexcept;
  ClaimedName& operator=(ClaimedName&&) = delete;
  ClaimedName(const ClaimedName&) = delete;
  ClaimedName& operator=(const ClaimedName&) = delete;
  ~ClaimedName();
  const std::string& path() const { return path_; }

 private:
  ClaimedName(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}

  std::string path_;
  int descriptor_ = -1;
};

// The empty file that a killed process had claimed: nothing is lost when it is replaced.
bool is_abandoned_claim(const std::string& path);

// Makes the folder beside `output` where the processes write: "NAME.rnnprof.spool-XXXXXX".
// Absolute.
Result<std::string> make_spool_folder(const std::string& output);

// Makes `folder`, which several shells and hosts record into, and what is above it, unless it is
// there. A new one is for its owner alone, as the folders of make_spool_folder() are. Absolute.
Result<std::string> make_shared_spool_folder(const std::string& folder);

}  // namespace rnnadvisor::cli
