// A recorded RNN call as a program of its own, for bug reports and for bisecting versions: a C++
// program on cuDNN's API and, where PyTorch makes the same call, a PyTorch script. The texts are
// the templates call.cpp.in and call.py.in of this folder with the values of the call. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::advisor {

enum class ReproductionLanguage { cpp, pytorch };

// One call with the phases that it needs before it, or every phase of a configuration.
struct WhatToReproduce {
  int call = -1;           // index into Profile::calls; -1: no single one
  int configuration = -1;  // index into Profile::configurations; not read where `call` is given
};

struct Reproduction {
  struct File {
    ReproductionLanguage language = ReproductionLanguage::cpp;
    std::string name;  // "call-12.cpp", "configuration-0.py"
    std::string text;
  };
  std::vector<File> files;  // the C++ program first
  std::string no_pytorch;   // why PyTorch does not make this call; empty: there is a script
};

// `source`: the profile's name, for the head of the files. Texts of the profile cannot leave the
// comment or string in which they stand. Errors: invalid_argument (no such call or configuration),
// unsupported (seen by its kernels alone, so that its configuration is not known).
Result<Reproduction> reproduce(const Profile& profile, const WhatToReproduce& what,
                               std::string_view source);

}  // namespace rnnadvisor::advisor
