// Roles and families of kernels within their calls, on the calls recorded on an H200
// (tests/data/h200/kernels.jsonl).
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "core/config/read_config.h"
#include "profiler/profile/builder.h"

namespace rnnadvisor {
namespace {

using model::Implementation;

struct Recorded {
  RnnConfig config;
  bool bfloat16 = false;
  std::map<Phase, nlohmann::json> kernels;
};

std::vector<Recorded> executed_rows() {
  std::vector<Recorded> rows;
  std::ifstream file(RNNADVISOR_SOURCE_DIR "/tests/data/h200/kernels.jsonl");
  const std::map<std::string, Phase> phases = {{"fwd_inf", Phase::forward_inference},
                                               {"fwd_trn", Phase::forward_training},
                                               {"bwd_data", Phase::backward_data},
                                               {"bwd_weights", Phase::backward_weights}};
  int number = 0;
  for (std::string line; std::getline(file, line);) {
    const auto input = read_json_line(line, "kernels.jsonl", ++number);
    EXPECT_TRUE(input) << (input ? "" : to_text(input.error()));
    const auto json = nlohmann::json::parse(line);
    if (!input || !json.contains("kernels") || json["kernels"].empty()) continue;
    Recorded row{input->config, input->config.data_type == DataType::bfloat16, {}};
    for (const auto& [key, phase] : phases) {
      if (json["kernels"].contains(key)) row.kernels[phase] = json["kernels"][key];
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// One call with the recorded kernels, in the order and number of the record.
Profile profile_of(const Recorded& row, Phase phase) {
  ProfileBuilder builder;
  Configuration configuration;
  configuration.config = row.config;
  builder.add_configuration(configuration);
  RnnCall call;
  call.configuration = 0;
  call.phase = phase;
  builder.add_call(call);
  std::int64_t now = 0;
  for (const auto& [name, figures] : row.kernels.at(phase).items()) {
    for (int i = 0; i < figures["count"].get<int>(); ++i) {
      KernelRecord record;
      record.name = name;
      record.start_ns = now++;
      record.end_ns = now;
      record.call = 0;
      builder.add_kernel(record);
    }
  }
  return builder.finish();
}

std::map<KernelRole, int> roles_of(const Profile& p) {
  std::map<KernelRole, int> counts;
  for (const KernelRole role : p.kernels.role) ++counts[role];
  return counts;
}

TEST(GemmRoles, All328ExecutedRowsAreThere) { EXPECT_EQ(executed_rows().size(), 328U); }

// T steps of every pseudo-layer, twice with a projection; the rest lies between layers. In six
// float calls with hidden size 64, backward data, both kinds have one name, and the record has no
// grids to tell them apart by.
TEST(GemmRoles, StandardCallsHaveOneRecurrentProductPerStep) {
  int calls = 0, mixed = 0;
  for (const auto& row : executed_rows()) {
    if (row.config.algo != Algo::standard && !row.bfloat16) continue;
    for (const Phase phase :
         {Phase::forward_inference, Phase::forward_training, Phase::backward_data}) {
      if (!row.kernels.contains(phase)) continue;
      const Profile p = profile_of(row, phase);
      auto roles = roles_of(p);
      const int steps = row.config.seq_length * row.config.pseudo_layers() *
                        (row.config.has_projection() ? 2 : 1);
      ++calls;
      if (roles[KernelRole::recurrent_gemm] == steps + 1 && roles[KernelRole::layer_gemm] == 0) {
        ++mixed;
        EXPECT_EQ(phase, Phase::backward_data) << row.config.id;
      } else {
        EXPECT_EQ(roles[KernelRole::recurrent_gemm], steps)
            << row.config.id << ' ' << to_string(phase);
        EXPECT_GT(roles[KernelRole::layer_gemm], 0) << row.config.id << ' ' << to_string(phase);
      }
      EXPECT_EQ(roles[KernelRole::gemm], 0) << row.config.id;
      for (std::size_t i = 0; i < p.kernels.size(); ++i) {
        EXPECT_EQ(p.kernels.family[i], p.kernels.role[i] == KernelRole::copy
                                           ? p.kernels.family[i]
                                           : Implementation::standard)
            << p.text(p.kernels.name[i]);
      }
    }
  }
  EXPECT_GT(calls, 300);
  EXPECT_EQ(mixed, 6);
}

TEST(GemmRoles, PersistentCallsHaveNoRecurrentProduct) {
  int calls = 0;
  for (const auto& row : executed_rows()) {
    if (row.config.algo == Algo::standard || row.bfloat16) continue;
    const auto expected = row.config.algo == Algo::persist_static ? Implementation::persistent
                          : row.config.algo == Algo::persist_dynamic
                              ? Implementation::persistent_dynamic
                              : Implementation::persistent_small_h;
    for (const Phase phase :
         {Phase::forward_inference, Phase::forward_training, Phase::backward_data}) {
      if (!row.kernels.contains(phase)) continue;
      const Profile p = profile_of(row, phase);
      auto roles = roles_of(p);
      ++calls;
      EXPECT_EQ(roles[KernelRole::recurrent_gemm] + roles[KernelRole::gemm], 0) << row.config.id;
      EXPECT_GT(roles[KernelRole::persistent], 0) << row.config.id;
      for (std::size_t i = 0; i < p.kernels.size(); ++i) {
        const bool product = p.kernels.role[i] == KernelRole::layer_gemm;
        const bool helper = p.kernels.family[i] == Implementation::none;
        EXPECT_TRUE(product || helper || p.kernels.family[i] == expected)
            << row.config.id << ' ' << p.text(p.kernels.name[i]) << " is "
            << model::to_string(p.kernels.family[i]);
      }
    }
  }
  EXPECT_GT(calls, 500);
}

TEST(GemmRoles, BackwardWeightsHasOnlyWeightProductsAndNoImplementation) {
  for (const auto& row : executed_rows()) {
    if (!row.kernels.contains(Phase::backward_weights)) continue;
    const Profile p = profile_of(row, Phase::backward_weights);
    auto roles = roles_of(p);
    EXPECT_GE(roles[KernelRole::weight_gemm], 2) << row.config.id;
    EXPECT_EQ(
        roles[KernelRole::gemm] + roles[KernelRole::recurrent_gemm] + roles[KernelRole::layer_gemm],
        0);
    for (const auto family : p.kernels.family)
      EXPECT_EQ(family, Implementation::none) << row.config.id;
  }
}

Profile standard_call(int seq_length, const std::vector<std::pair<std::string, int>>& grids) {
  ProfileBuilder builder;
  Configuration configuration;
  configuration.config.seq_length = seq_length;
  builder.add_configuration(configuration);
  RnnCall call;
  call.configuration = 0;
  builder.add_call(call);
  KernelRecord record;
  record.call = 0;
  for (const auto& [name, grid] : grids) {
    record.name = name;
    record.grid = {grid, 1, 1};
    builder.add_kernel(record);
    ++record.start_ns;
    record.end_ns = record.start_ns;
  }
  return builder.finish();
}

TEST(GemmRoles, GridsTellProductsOfOneNameApart) {
  std::vector<std::pair<std::string, int>> kernels(8, {"nvjet_sm90_x", 4});
  kernels.emplace_back("nvjet_sm90_x", 64);
  kernels.emplace_back("elemWiseRNNcell<float>", 1);
  auto roles = roles_of(standard_call(8, kernels));
  EXPECT_EQ(roles[KernelRole::recurrent_gemm], 8);
  EXPECT_EQ(roles[KernelRole::layer_gemm], 1);
}

TEST(GemmRoles, ShrinkingGridsOfPackedSequencesAreStillOneProductPerStep) {
  std::vector<std::pair<std::string, int>> kernels;
  for (int step = 0; step < 8; ++step) kernels.emplace_back("nvjet_sm90_small", 8 - step);
  kernels.emplace_back("nvjet_sm90_large", 64);
  kernels.emplace_back("elemWiseRNNcell<float>", 1);
  auto roles = roles_of(standard_call(8, kernels));
  EXPECT_EQ(roles[KernelRole::recurrent_gemm], 8);
  EXPECT_EQ(roles[KernelRole::layer_gemm], 1);
}

TEST(GemmRoles, TooFewStepsOrNoImplementationLeaveTheRoleOpen) {
  auto few = roles_of(standard_call(
      3, {{"nvjet_a", 1}, {"nvjet_a", 1}, {"nvjet_a", 1}, {"elemWiseRNNcell<float>", 1}}));
  EXPECT_EQ(few[KernelRole::gemm], 3);
  auto unknown =
      roles_of(standard_call(4, {{"nvjet_a", 1}, {"nvjet_a", 1}, {"nvjet_a", 1}, {"nvjet_a", 1}}));
  EXPECT_EQ(unknown[KernelRole::gemm], 4);
  // No group repeats often enough: dropped records, perhaps.
  auto sparse =
      roles_of(standard_call(100, {{"nvjet_a", 1}, {"nvjet_b", 1}, {"elemWiseRNNcell<float>", 1}}));
  EXPECT_EQ(sparse[KernelRole::gemm], 2);
}

}  // namespace
}  // namespace rnnadvisor
