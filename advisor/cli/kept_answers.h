// The latest answers of `serve`: an editor asks the same again and again.
#pragma once

#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "advisor/cli/json_rpc.h"

namespace rnnadvisor::cli {

// By the bytes of the question. Beyond `limit` bytes those go that were not asked for longest.
// Thread-safe.
class KeptAnswers {
 public:
  explicit KeptAnswers(std::size_t limit) : most_bytes_(limit) {}

  RpcResult find(std::string_view question);  // null: not kept
  void keep(std::string question, RpcResult answer);
  std::size_t bytes() const;

 private:
  struct Kept {
    std::string question;
    RpcResult answer;
    std::size_t bytes() const;
  };

  const std::size_t most_bytes_;
  mutable std::mutex mutex_;
  std::size_t bytes_ = 0;
  std::list<Kept> kept_;                                                    // the latest first
  std::unordered_map<std::string_view, std::list<Kept>::iterator> places_;  // by what kept_ has
};

}  // namespace rnnadvisor::cli
