// The matrix products of a report against Table 1 of NVIDIA's "Optimizing Recurrent Layers User's
// Guide", and what the guide claims of its figures against what was recorded on an H200.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "advisor/judge/judge.h"
#include "advisor/report/figure_claims.h"
#include "advisor/report/products.h"
#include "profiler/profile/file.h"

namespace rnnadvisor::advisor {
namespace {

using ::testing::HasSubstr;

Profile recorded(const std::string& name) {
  auto profile = read_profile(RNNADVISOR_SOURCE_DIR "/samples/recorded/" + name + ".rnnprof");
  EXPECT_TRUE(profile) << name;
  return profile ? std::move(*profile) : Profile{};
}

struct Reported {
  explicit Reported(Profile of)
      : profile(std::move(of)),
        judgement(judge(profile, builtin_rules())),
        report(make_report(profile, judgement, builtin_rules())) {}

  ClaimVerdict claim(const std::string& id) const {
    for (const auto& figure : report.figures) {
      if (figure.figure->id != id) continue;
      const auto verdict = judge_claim(figure, report.figures);
      EXPECT_TRUE(verdict) << id;
      return verdict.value_or(ClaimVerdict{});
    }
    ADD_FAILURE() << "no figure " << id;
    return {};
  }

  Profile profile;
  Judgement judgement;
  Report report;
};

// The values are those of the tables of samples/recorded/guide-figure-*.rnnprof.
TEST(FigureClaims, WhatTheGuideClaimsIsJudgedByTheRecording) {
  const Reported six(recorded("guide-figure-6"));
  EXPECT_TRUE(six.claim("guide-figure-6-forward").holds);
  EXPECT_TRUE(six.claim("guide-figure-6-input").holds);
  const auto weights = six.claim("guide-figure-6-backward-weights");
  EXPECT_TRUE(weights.holds);
  EXPECT_THAT(weights.text, HasSubstr("33.6 TFLOP/s against 1.44"));
  EXPECT_TRUE(Reported(recorded("guide-figure-7")).claim("guide-figure-7-forward").holds);
  EXPECT_TRUE(Reported(recorded("guide-figure-8")).claim("guide-figure-8").holds);
  const auto units = Reported(recorded("guide-figure-9")).claim("guide-figure-9");
  EXPECT_FALSE(units.holds);
  EXPECT_THAT(units.text, HasSubstr("ahead up to hidden_size 1280"));
  const auto batch = Reported(recorded("guide-figure-10")).claim("guide-figure-10a");
  EXPECT_FALSE(batch.holds);
  EXPECT_THAT(batch.text, HasSubstr("256"));
  EXPECT_THAT(write_text(Reported(recorded("guide-figure-10")).report),
              HasSubstr("Does not hold here"));
}

TEST(FigureClaims, AnUnknownFigureIsNotJudged) {
  Reported ten(recorded("guide-figure-10"));
  Figure other = *ten.report.figures.front().figure;
  other.id = "mine";
  FigureReport figure = ten.report.figures.front();
  figure.figure = &other;
  EXPECT_FALSE(judge_claim(figure, ten.report.figures));
}

// Table 1: 4H x B x H, S times; H x B x 4H, S; H x 4H x BS; 4H x BS x H between layers.
TEST(Products, AreThoseOfTheGuidesTable) {
  Profile profile;
  auto& c = profile.configurations.emplace_back();
  constexpr int H = 512, B = 64, S = 100, L = 3;
  c.config.cell = Cell::lstm;
  c.config.hidden_size = c.config.input_size = c.config.proj_size = H;
  c.config.batch_size = B;
  c.config.seq_length = S;
  c.config.num_layers = L;
  c.device = -1;
  const Reported reported(profile);
  const auto rows = product_rows(reported.report.configurations.front());
  const auto expect = [&](Phase phase, model::Path path, std::int64_t m, std::int64_t n,
                          std::int64_t k, std::int64_t count) {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const ProductRow& row) {
      const auto& p = row.product;
      return p.phase == phase && p.path == path && p.m == m && p.n == n && p.k == k;
    });
    ASSERT_NE(found, rows.end()) << to_string(phase) << ' ' << model::to_string(path);
    EXPECT_EQ(found->product.count, count);
    EXPECT_EQ(layers_of(*found), "1 to 3");
  };
  using model::Path;
  expect(Phase::forward_training, Path::recurrent, 4 * H, B, H, S * L);
  expect(Phase::backward_data, Path::recurrent, H, B, 4 * H, S * L);
  expect(Phase::backward_weights, Path::recurrent, H, 4 * H, B * S, L);
  expect(Phase::forward_training, Path::layer_to_layer, 4 * H, B * S, H, L);
  TextOptions verbose;
  verbose.verbose = true;
  EXPECT_THAT(write_text(reported.report, verbose), HasSubstr("Matrix products"));
  const std::string page = write_html(reported.report);
  EXPECT_THAT(page, HasSubstr("Matrix products"));
  // Drawn as Figures 3 to 5 of the guide, with these sizes.
  EXPECT_THAT(page, HasSubstr("Dimensions of the matrix products"));
  EXPECT_THAT(page, HasSubstr(fmt::format(">M {}</text>", 4 * H)));
  EXPECT_THAT(page, HasSubstr(fmt::format(">N {}</text>", B * S)));
  EXPECT_THAT(write_markdown(reported.report), HasSubstr("Matrix products"));
  EXPECT_THAT(write_json(reported.report), HasSubstr("\"products\""));
}

// The unrolling factor F of the guide's chapter 3. The samples were recorded with all kernels, and
// show for every call of cuDNN how many products between layers it made.
TEST(Products, ARecordingShowsTheUnrollingFactor) {
  const Reported gnmt(recorded("gnmt"));
  const auto& layer = gnmt.report.configurations[0];  // 256 steps, standard: 264 and 257 products
  EXPECT_EQ(recorded_unrolling(layer, Phase::forward_training).products, 8);
  EXPECT_EQ(recorded_unrolling(layer, Phase::forward_training).steps, 32);
  EXPECT_EQ(recorded_unrolling(layer, Phase::backward_data).steps, 256);
  EXPECT_EQ(recorded_unrolling(layer, Phase::backward_weights).products, 0);
  EXPECT_EQ(recorded_unrolling(gnmt.report.configurations[1], Phase::forward_training).steps, 256)
      << "the steps are inside the persistent kernel";
  EXPECT_THAT(products_note(layer), HasSubstr("F = 256: all time steps in one product"));
  EXPECT_THAT(products_note(layer), HasSubstr("forward training F = 32, 8 products"));
  EXPECT_THAT(write_json(gnmt.report), HasSubstr("\"recorded_unrolling\": 32"));
}

TEST(Products, TheRecordedUnrollingFactorIsKnownOfEverySample) {
  for (const auto* name :
       {"bfloat16-fallback", "criteria-sizes", "gnmt", "guide-figure-7", "persistent-float",
        "ptb-large", "programs/jax-lstm", "programs/pytorch-projection", "programs/pytorch-tagger",
        "programs/pytorch-two-layers"}) {
    const Reported reported(recorded(name));
    for (const auto& each : reported.report.configurations) {
      for (const auto& row : product_rows(each)) {
        if (row.product.path != model::Path::layer_to_layer) continue;
        if (row.product.phase == Phase::backward_weights) continue;
        const auto seen = recorded_unrolling(each, row.product.phase);
        const auto& c = each.configuration->config;
        EXPECT_GT(seen.steps, 0) << name << ' ' << each.name << ' ' << to_string(row.product.phase);
        // What Table 1 says for that F is what was counted.
        std::int64_t expected = 0;
        for (const auto& p : model::gemms(c, row.product.phase, static_cast<int>(seen.steps)))
          if (p.path == model::Path::layer_to_layer) expected += p.count;
        EXPECT_EQ(seen.products, expected) << name << ' ' << each.name;
      }
    }
  }
}

}  // namespace
}  // namespace rnnadvisor::advisor
