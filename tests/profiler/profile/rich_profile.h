// A small profile in which no column is left at its default, and the comparison of two profiles
// column by column.
#pragma once

#include <string>

#include "profiler/profile/builder.h"
#include "profiler/profile/profile.h"

namespace rnnadvisor::testing {

// Two devices, four configurations of every outcome's kind, calls of all phases, and rows in every
// table. Deterministic.
Profile rich_profile();

// `steps` kernels of a standard forward call and a persistent one, with realistic names: quick to
// make at any size.
Profile many_kernels(std::size_t kernels);

// A directory of its own below the system's temporary directory, removed with everything in it at
// the end.
class TemporaryDirectory {
 public:
  TemporaryDirectory();
  ~TemporaryDirectory();
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string read_bytes(const std::string& path);
void write_bytes(const std::string& path, const std::string& bytes);

// Reports every column in which they differ as a GoogleTest failure.
void expect_equal(const Profile& a, const Profile& b);

}  // namespace rnnadvisor::testing
