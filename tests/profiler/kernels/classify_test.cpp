// The classifier on every kernel recorded on an H200 (tests/data/h200/kernels.jsonl).
#include "profiler/kernels/classify.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/config/rnn_config.h"

namespace rnnadvisor {
namespace {

using model::Implementation;

struct Row {
  std::string id, algo, data_type, cell;
  int hidden_size = 0;
  std::map<std::string, std::vector<std::pair<std::string, int>>> kernels;  // by phase

  Implementation expected() const {
    if (algo == "standard" || data_type == "bfloat16")
      return Implementation::standard;  // facts: silent fallback
    if (algo == "persist_static") return Implementation::persistent;
    if (algo == "persist_dynamic") return Implementation::persistent_dynamic;
    return Implementation::persistent_small_h;
  }
};

const std::vector<Row>& rows() {
  static const std::vector<Row> all = [] {
    std::vector<Row> result;
    std::ifstream file(RNNADVISOR_SOURCE_DIR "/tests/data/h200/kernels.jsonl");
    for (std::string line; std::getline(file, line);) {
      const auto json = nlohmann::json::parse(line);
      if (!json.contains("kernels") || json["kernels"].empty()) continue;
      Row row{json["id"], json["algo"], json["data_type"], json["cell"], json["hidden_size"], {}};
      for (const auto& [phase, kernels] : json["kernels"].items()) {
        for (const auto& [name, figures] : kernels.items())
          row.kernels[phase].emplace_back(name, figures["count"]);
      }
      result.push_back(std::move(row));
    }
    return result;
  }();
  return all;
}

std::vector<std::string_view> names_of(const Row& row, const std::string& phase, bool repeated) {
  std::vector<std::string_view> names;
  const auto found = row.kernels.find(phase);
  if (found == row.kernels.end()) return names;
  for (const auto& [name, count] : found->second)
    names.insert(names.end(), static_cast<std::size_t>(repeated ? count : 1), name);
  return names;
}

TEST(Classify, All328ExecutedRowsAreThere) { EXPECT_EQ(rows().size(), 328U); }

TEST(Classify, EveryRecordedKernelIsKnown) {
  std::set<std::string> unknown;
  std::size_t kernels = 0;
  for (const auto& row : rows()) {
    for (const auto& [phase, list] : row.kernels) {
      for (const auto& [name, count] : list) {
        kernels += static_cast<std::size_t>(count);
        const auto known = classify_kernel(name);
        if (known.role == KernelRole::unknown || known.family_id.empty()) unknown.insert(name);
      }
    }
  }
  EXPECT_GT(kernels, 30'000U);
  EXPECT_TRUE(unknown.empty()) << unknown.size() << " unknown, the first: " << *unknown.begin();
}

TEST(Classify, WhatRanIsWhatTheRecordsSay) {
  const std::map<std::string, Phase> phases = {{"fwd_inf", Phase::forward_inference},
                                               {"fwd_trn", Phase::forward_training},
                                               {"bwd_data", Phase::backward_data}};
  int told = 0;
  for (const auto& row : rows()) {
    for (const auto& [key, phase] : phases) {
      for (const bool repeated : {false, true}) {
        const auto names = names_of(row, key, repeated);
        if (names.empty()) continue;
        ++told;
        const auto ran = implementation_of(names, phase);
        ASSERT_TRUE(ran) << row.id << ' ' << row.algo << ' ' << key;
        EXPECT_EQ(*ran, row.expected()) << row.id << ' ' << row.algo << ' ' << key;
      }
    }
  }
  EXPECT_GT(told, 1900);
}

TEST(Classify, BackwardWeightsNeverTells) {
  for (const auto& row : rows()) {
    const auto names = names_of(row, "bwd_weights", true);
    EXPECT_FALSE(implementation_of(names, Phase::backward_weights)) << row.id;
  }
  EXPECT_FALSE(implementation_of({}, Phase::forward_training));
}

// RNN_persist_*: true only with half weights and hidden sizes divisible by 32, in every record.
TEST(Classify, TheFifthTemplateArgumentDecidesTensorCores) {
  int with = 0, without = 0;
  for (const auto& row : rows()) {
    for (const auto& [phase, list] : row.kernels) {
      for (const auto& [name, count] : list) {
        const auto known = classify_kernel(name);
        if (known.family_id != "RNN_persist_static") continue;
        const bool half_weights = name.find("<__half, __half") != std::string::npos ||
                                  name.find("<float, __half") != std::string::npos;
        const bool expected = half_weights && row.hidden_size % 32 == 0;
        EXPECT_EQ(known.tensor_cores, expected ? TensorCoreHint::yes : TensorCoreHint::no) << name;
        (expected ? with : without) += 1;
      }
    }
  }
  EXPECT_GT(with, 20);
  EXPECT_GT(without, 20);
}

struct Example {
  const char* name;
  const char* family_id;
  std::optional<Implementation> family;
  KernelRole role;
  TensorCoreHint tensor_cores;
};

TEST(Classify, Examples) {
  const std::vector<Example> examples = {
      {"void RNN_blockPersist_fp_LSTM_HMMA<__half, __half, float, 1, 64>(__half const*)",
       "RNN_blockPersist_HMMA", Implementation::persistent_small_h, KernelRole::persistent,
       TensorCoreHint::yes},
      {"void RNN_blockPersist_fp_GRU<float, float, float, 64>(float const*)", "RNN_blockPersist",
       Implementation::persistent_small_h, KernelRole::persistent, TensorCoreHint::no},
      {"RNN_persist_fp_010024", "RNN_persist_dynamic", Implementation::persistent_dynamic,
       KernelRole::persistent, TensorCoreHint::unknown},
      {"void RNN_persist_bp<__half, __half, float, (cudnnRNNMode_t)3, true, 256, 1, false, 1>()",
       "RNN_persist_static", Implementation::persistent, KernelRole::persistent,
       TensorCoreHint::yes},
      {"void RNN_persist_bp<__half, __half, fl", "RNN_persist_static", Implementation::persistent,
       KernelRole::persistent, TensorCoreHint::unknown},  // cut off before the argument
      {"void GRU_elementWise_bp1<__half, __half, float>(int)", "elementWise_bp1", std::nullopt,
       KernelRole::pointwise, TensorCoreHint::unknown},
      {"void at::native::(anonymous namespace)::kernel::lstm_cell_forward<float, float, int, "
       "1>(int)",
       "pytorch_native_cell", Implementation::none, KernelRole::pointwise, TensorCoreHint::unknown},
      {"sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize128x64x8_stage3", "xmma_gemm_fp32",
       Implementation::none, KernelRole::gemm, TensorCoreHint::no},
      {"sm90_xmma_gemm_f32f32_tf32f32_f32_tn_n_tilesize64x64x32", "xmma_gemm_tf32",
       Implementation::none, KernelRole::gemm, TensorCoreHint::yes},
      {"void at::native::vectorized_elementwise_kernel<4, float>(int)", "", std::nullopt,
       KernelRole::unknown, TensorCoreHint::unknown},
      {"my_elemWiseRNNcell<float>", "", std::nullopt, KernelRole::unknown, TensorCoreHint::unknown},
      {"", "", std::nullopt, KernelRole::unknown, TensorCoreHint::unknown}};
  for (const auto& e : examples) {
    const auto known = classify_kernel(e.name);
    EXPECT_EQ(known.family_id, e.family_id) << e.name;
    EXPECT_EQ(known.family, e.family) << e.name;
    EXPECT_EQ(known.role, e.role) << e.name;
    EXPECT_EQ(known.tensor_cores, e.tensor_cores) << e.name;
  }
}

TEST(Classify, MangledNamesAreTheirDemangledSelves) {
  const auto mangled = classify_kernel(
      "_Z15elemWiseRNNcellIfffEvi");  // void elemWiseRNNcell<float, float, float>(int)
  EXPECT_EQ(mangled.family_id, "elemWiseRNNcell");
  EXPECT_EQ(mangled.family, Implementation::standard);
}

// The order of the classifier (facts, section on kernel names): the surest sign counts, wherever it
// stands.
TEST(Classify, OrderOfSigns) {
  const auto ran = [](std::vector<std::string_view> names) {
    return implementation_of(names, Phase::backward_data);
  };
  EXPECT_EQ(ran({"LSTM_elementWise_bp1<float>", "RNN_blockPersist_bp_LSTM_FMA<float>"}),
            Implementation::persistent_small_h);
  EXPECT_EQ(ran({"LSTM_elementWise_bp1<float>", "RNN_persist_bp<float, float, float, x, true>"}),
            Implementation::persistent);
  EXPECT_EQ(ran({"persistRNN_init_negZero<float>", "LSTM_elementWise_bp1<float>"}),
            Implementation::persistent_dynamic);
  EXPECT_EQ(ran({"nvjet_x", "LSTM_elementWise_bp1<float>"}), Implementation::standard);
  EXPECT_EQ(ran({"nvjet_x", "lstm_cell_backward<float>"}), Implementation::none);
  EXPECT_EQ(ran({"nvjet_x", "something_else"}), std::nullopt);
}

}  // namespace
}  // namespace rnnadvisor
