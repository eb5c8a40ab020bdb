// For destructors: removing a folder takes memory, and there may be none.
#pragma once

#include <filesystem>
#include <new>
#include <string>

namespace rnnadvisor {

// With everything in it. What cannot be removed stays.
inline void remove_folder(const std::string& path) noexcept {
  try {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace rnnadvisor
