// Programs as processes of their own.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <vector>

namespace rnnadvisor::cli {

// Starts the real program, or the one whose GPU is made up; `prepare` runs in the new process
// before it.
inline pid_t start(const std::vector<std::string>& arguments, const std::function<void()>& prepare,
                   const char* program = RNNADVISOR_PROGRAM) {
  const pid_t child = fork();
  if (child != 0) return child;
  prepare();
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (auto& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(pointers.front(), pointers.data());
  _exit(125);
}

// Its exit status, or 128 and the signal that ended it.
inline int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// At the end of the file, which is made where there is none.
inline void redirect(const std::string& path, int descriptor) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(file, descriptor);
  close(file);
}

}  // namespace rnnadvisor::cli
