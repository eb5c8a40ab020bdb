// `advise --verify`: from a judged profile to one in which its suggestions were tried.
#pragma once

#include <string>
#include <vector>

#include "advisor/cli/context.h"
#include "advisor/cli/judging.h"
#include "advisor/whatif/candidates.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::cli {

struct VerifyOptions {
  bool verify = false;   // --verify
  bool dry_run = false;  // --dry-run: only say what would be tried
  bool json = false;     // of --dry-run: as JSON
  double budget_seconds = 60;
  std::vector<std::string> configurations;  // ids, or #INDEX; empty: all, the worthiest first
  std::string rule;    // only what this rule suggests; with `change`: only where it fires
  std::string change;  // only this one, in words
  std::string allow = "padded,numerics";  // beyond exact changes, which are always allowed
  int device = 0;                         // CUDA ordinal
  bool torch = false;                     // --torch: also in PyTorch itself
  std::string python;                     // --python; empty: torch_interpreter()
  std::string output;                     // empty: beside the profile
  bool in_place = false;
  bool force = false;
};

// --change and --allow, read; `rule` as it is.
Result<advisor::ProposeOptions> propose_options(const VerifyOptions& options);

// "gnmt.verified.rnnprof" for "gnmt.rnnprof" and for "sample:gnmt".
std::string verified_path(const std::string& profile);

// Checks the options against the profile before anything is measured.
Result<void> check_verify_options(const VerifyOptions& options, const Profile& profile,
                                  const std::string& path, const Judging& judging);

// What would be tried, with what the model expects (an estimate), and what would not, with the
// reason; on standard output, as text or (docs/schema/candidates.schema.json) as JSON. Needs no
// GPU: a configuration is then judged by its own device.
int list_candidates(const Context& context, const Profile& profile, const Judging& judging,
                    const VerifyOptions& options, bool verbose);

struct Verified {
  Profile profile;       // the old one with what was tried
  std::string path;      // where it was written; empty: nothing was measured
  int status = exit_ok;  // of the trying itself
};

// Tries, writes the profile. With `torch` configurations of PyTorch programs, and those that are
// named, are tried in PyTorch too, also where this build or machine cannot call cuDNN itself. What
// was measured is written also after Ctrl-C and after an error; an error is returned only where
// nothing at all was measured.
Result<Verified> verify(const Context& context, Profile profile, const Judging& judging,
                        const std::string& path, const VerifyOptions& options);

}  // namespace rnnadvisor::cli
