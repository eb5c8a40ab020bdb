#include "core/base/out_of_memory.h"

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>

#include "core/base/output_file.h"

namespace rnnadvisor {
namespace {

std::atomic<bool> missing = false;
std::atomic<int> status_without_memory = 0;
std::terminate_handler otherwise = nullptr;

// Not by the exception: a parser that must not throw ends the process before anything caught it.
[[noreturn]] void end() {
  if (!missing) otherwise();
  remove_unfinished_files();
  constexpr std::string_view begin = "rnnadvisor: ", newline = "\n";
  for (const auto part : {begin, no_memory_text, newline})
    if (::write(STDERR_FILENO, part.data(), part.size()) < 0) break;
  ::_exit(status_without_memory);
}

}  // namespace

void end_without_memory_with(int status) {
  status_without_memory = status;
  std::set_new_handler([] {
    missing = true;
    throw std::bad_alloc();
  });
  if (std::get_terminate() != &end) otherwise = std::set_terminate(&end);
}

bool memory_was_missing() { return missing; }

void missing_memory_is_dealt_with() { missing = false; }

}  // namespace rnnadvisor
