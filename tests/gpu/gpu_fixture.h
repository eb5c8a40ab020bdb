// A runner on GPU 0, or a loud skip.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "core/cudnn/rnn_runner.h"

namespace rnnadvisor {

inline RnnRunner* shared_runner(std::string& why_not) {
  static const auto made = RnnRunner::create(0);
  if (!made) why_not = to_text(made.error());
  return made ? made->get() : nullptr;
}

// Call in a test body.
#define RNNADVISOR_NEED_GPU(runner)            \
  std::string why_not_;                        \
  RnnRunner* runner = shared_runner(why_not_); \
  if (runner == nullptr) GTEST_SKIP() << "NEEDS A GPU, NOT RUN: " << why_not_

}  // namespace rnnadvisor
