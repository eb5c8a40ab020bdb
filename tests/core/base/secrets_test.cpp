#include "core/base/secrets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace rnnadvisor {
namespace {

using ::testing::ElementsAreArray;
using Words = std::vector<std::string>;

const std::string key = "Zx81mQpW0aTfL5dK3vNeYr7";

void expect_redacted(const Words& words, const Words& expected) {
  EXPECT_THAT(without_secrets(words), ElementsAreArray(expected));
}

TEST(Secrets, AreKnownByTheNameOfTheirOption) {
  expect_redacted({"train.py", "--password", key, "--epochs", "3"},
                  {"train.py", "--password", "REDACTED", "--epochs", "3"});
  expect_redacted({"--token=" + key, "--api-key", key, "--apiKey=" + key},
                  {"--token=REDACTED", "--api-key", "REDACTED", "--apiKey=REDACTED"});
  expect_redacted({"--env", "WANDB_API_KEY=" + key, "--env=DB_PASSWORD=hunter2"},
                  {"--env", "WANDB_API_KEY=REDACTED", "--env=DB_PASSWORD=REDACTED"});
  expect_redacted({"curl", "-H", "Authorization: Bearer " + key},
                  {"curl", "-H", "Authorization: Bearer REDACTED"});
  expect_redacted({"https://host/x?token=" + key + "&page=2"},
                  {"https://host/x?token=REDACTED&page=2"});
}

TEST(Secrets, AreKnownByTheirForm) {
  for (const std::string form :
       {"hf_", "sk-", "ghp_", "github_pat_", "glpat-", "nvapi-", "dckr_pat_"})
    expect_redacted({"x", form + key + key}, {"x", "REDACTED"});
  expect_redacted({"0123456789abcdef0123456789abcdef01234567"}, {"REDACTED"});
  expect_redacted({"AKIAIOSFODNN7EXAMPLE"}, {"REDACTED"});
  expect_redacted({"git", "clone", "https://me:" + key + "@example.org/a.git"},
                  {"git", "clone", "https://me:REDACTED@example.org/a.git"});
}

TEST(Secrets, AreFoundInTheScriptOfAShell) {
  expect_redacted(
      {"sh", "-c", "export HF_TOKEN='" + key + " x'; python train.py --password " + key},
      {"sh", "-c", "export HF_TOKEN=REDACTED; python train.py --password REDACTED"});
  expect_redacted({"sh", "-c", "echo \"sk-" + key + "\" | cat"},
                  {"sh", "-c", "echo \"REDACTED\" | cat"});
}

TEST(Secrets, WhatIsNoneStays) {
  for (const Words& words : std::vector<Words>{
           {"python", "train.py", "--tokenizer", "bert-base-uncased", "--max-tokens", "512"},
           {"--pad-token", "<pad>", "--sort-key=length", "--key-size", "64"},
           {"--use-auth-token=True", "--token", "7"},
           {"--revision", "0123456789abcdef0123456789abcdef01234567"},
           {"git+https://h/x@0123456789abcdef0123456789abcdef01234567"},
           {"PWD=/home/me", "a=b", "=x", "", "-", "--", "https://h/x?a=b"},
           {"sh", "-c", "for i in 1 2; do ./train --lr 1e-3; done"}})
    expect_redacted(words, words);
}

// Whatever stands around it: a secret that is given by name is gone, and nothing crashes.
TEST(Secrets, NothingAroundASecretKeepsIt) {
  std::mt19937 random(5);
  const Words names = {"--password", "--auth-token", "--wandb_api_key", "--client-secret"};
  const Words around = {"-x", "a b", "--lr", "\"", "'",    "x=y", ";",
                        "|",  "://", "?",    "&",  "\xff", "@"};
  for (int round = 0; round < 5000; ++round) {
    Words words;
    for (auto count = random() % 4; count > 0; --count)
      words.push_back(around[random() % around.size()]);
    const auto& name = names[random() % names.size()];
    if (random() % 2 == 0) {
      words.push_back(name);
      words.push_back(key);
    } else {
      words.push_back(name + "=" + key);
    }
    for (auto count = random() % 4; count > 0; --count)
      words.push_back(around[random() % around.size()]);
    for (const auto& word : without_secrets(words))
      EXPECT_EQ(word.find(key), std::string::npos) << word;
  }
}

TEST(Secrets, OfOneVariable) {
  EXPECT_EQ(without_secret("HF_TOKEN", key), "REDACTED");
  EXPECT_EQ(without_secret("TF_CUDNN_RNN_USE_AUTOTUNE", "1"), "1");
}

}  // namespace
}  // namespace rnnadvisor
