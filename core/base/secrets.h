// Passwords, tokens and keys of command lines, which profiles and reports repeat and people send to
// each other.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rnnadvisor {

inline constexpr std::string_view redacted_word = "REDACTED";

// The words of a command line with values replaced that their name (`--password X`, `--token=X`,
// `WANDB_API_KEY=X`, `Authorization: Bearer X`, also within the script of `sh -c`) or their form
// (hf_…, sk-…, ghp_…, AKIA…, https://user:X@host, …) says are secret. What has neither cannot be
// known.
std::vector<std::string> without_secrets(std::span<const std::string> words);

// The same for the value of one variable.
std::string without_secret(std::string_view name, std::string_view value);

}  // namespace rnnadvisor
