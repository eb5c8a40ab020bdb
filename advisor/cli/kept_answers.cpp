#include "advisor/cli/kept_answers.h"

#include <utility>

namespace rnnadvisor::cli {

std::size_t KeptAnswers::Kept::bytes() const {
  constexpr std::size_t beside_the_texts = 256;  // nodes, at most
  return question.size() + answer->size() + beside_the_texts;
}

RpcResult KeptAnswers::find(std::string_view question) {
  const std::lock_guard lock(mutex_);
  const auto found = places_.find(question);
  if (found == places_.end()) return nullptr;
  kept_.splice(kept_.begin(), kept_, found->second);
  return found->second->answer;
}

void KeptAnswers::keep(std::string question, RpcResult answer) {
  Kept one{std::move(question), std::move(answer)};
  constexpr std::size_t fewest = 8;  // one large answer must not drive all others out
  if (one.bytes() > most_bytes_ / fewest) return;
  const std::lock_guard lock(mutex_);
  if (places_.contains(one.question)) return;  // asked for twice at the same time
  kept_.push_front(std::move(one));
  places_.emplace(kept_.front().question, kept_.begin());
  bytes_ += kept_.front().bytes();
  while (bytes_ > most_bytes_) {
    bytes_ -= kept_.back().bytes();
    places_.erase(kept_.back().question);
    kept_.pop_back();
  }
}

std::size_t KeptAnswers::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace rnnadvisor::cli
