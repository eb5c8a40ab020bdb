#include "advisor/cli/change_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/cli/whole_step_report.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Style;
namespace words = advisor::words;

struct Verdict {
  std::string text;
  bool good = false;
};

int count(const std::vector<ChangedLayer>& layers, bool changed_alone) {
  int all = 0;
  for (const auto& layer : layers)
    if (layer.changed || !changed_alone) all += layer.layers;
  return all;
}

Verdict verdict_of(const launch::Collected& collected, const std::vector<ChangedLayer>& layers) {
  if (layers.empty()) {
    return {collected.spools == 0 || collected.rnn_calls == 0
                ? "nothing was changed: the program called no cuDNN RNN; check that its RNN runs "
                  "on the GPU through cuDNN"
                : "nothing was changed: no nn.LSTM, nn.GRU or nn.RNN of PyTorch was called often "
                  "enough. Subclasses, scripted and compiled layers keep their own code, and so "
                  "does a Python that is started with -I, -E or -S"};
  }
  const auto first = std::find_if(layers.begin(), layers.end(),
                                  [](const ChangedLayer& layer) { return layer.changed; });
  if (first == layers.end())
    return {fmt::format("nothing was changed: {}", words::clean(layers.front().reason))};
  const int changed = count(layers, true), all = count(layers, false);
  const std::string what = fmt::format("{} of {} changed ({})", changed,
                                       words::plural(static_cast<long long>(all), "RNN layer"),
                                       words::clean(first->change));
  if (collected.steps.empty()) return {what + ", but no whole step could be timed"};
  const auto& step = collected.steps.front();
  const double speedup = step.speedup.median;
  if (step.speedup.low > 1 && step.speedup.low > step.control.high) {
    return {fmt::format("a whole step runs {} times faster with {}", words::number(speedup), what),
            true};
  }
  if (step.speedup.high < 1 && step.speedup.high < step.control.low) {
    return {fmt::format("a whole step takes {} times as long with {}", words::number(1 / speedup),
                        what)};
  }
  return {fmt::format("with {} whole steps take what they took, within the noise", what)};
}

void draw_layer(advisor::Terminal& terminal, const ChangedLayer& layer) {
  terminal.line();
  std::string title = words::clean(layer.name);
  if (!layer.site.empty()) title += ", " + words::clean(layer.site);
  if (layer.layers > 1) title += fmt::format(", {} layers", layer.layers);
  terminal.paragraph(title, 4, layer.changed ? terminal.symbol("  ✔", "  =") : "  –",
                     layer.changed ? Style::green : Style::dim, Style::bold);
  const auto part = [&](std::string_view label, const std::string& text) {
    terminal.paragraph(text, report_indent + 2, fmt::format("    {}", label));
  };
  if (!layer.change.empty()) part("Change", words::clean(layer.change));
  if (!layer.changed) part("Not made", words::clean(layer.reason));
  if (layer.error >= 0) {
    part("Results",
         fmt::format("{} of the original's ({}, where they differ most; {:.2g} is "
                     "allowed)",
                     layer.error <= layer.limit ? fmt::format("within {:.2g}", layer.error)
                                                : fmt::format("{:.2g} off", layer.error),
                     words::clean(layer.tensor), layer.limit));
  }
  if (layer.changed && !layer.file.empty()) part("Module", words::clean(layer.file));
}

}  // namespace

std::string change_report(const launch::Collected& collected, const AccelerationContext& context,
                          const advisor::TextOptions& options) {
  constexpr std::size_t most_rows = 8;
  const auto& layers = *context.changes;
  advisor::Terminal terminal(options);
  const auto verdict = verdict_of(collected, layers);
  terminal.line();
  const auto losses = losses_in_short(context.losses);
  terminal.paragraph(fmt::format("rnnadvisor: {}{}", verdict.text, losses), 0, {}, Style::dim,
                     verdict.good && losses.empty() ? Style::green : Style::yellow);
  for (std::size_t i = 0; i < std::min(layers.size(), most_rows); ++i)
    draw_layer(terminal, layers[i]);
  if (layers.size() > most_rows)
    terminal.line(fmt::format("    and {} more", layers.size() - most_rows), Style::dim);
  terminal.line();
  if (count(layers, true) > 0) draw_whole_step(terminal, collected.steps, {context.step, true});
  draw_losses(terminal, context.losses);
  draw_notes(terminal, collected.profile);
  if (verdict.good) {
    const bool code = std::any_of(layers.begin(), layers.end(), [](const ChangedLayer& layer) {
      return layer.changed && !layer.file.empty();
    });
    std::string keep =
        "torch.backends.cudnn.allow_tf32 as the change has it, once, before training";
    if (code) {
      keep = context.code_folder.empty()
                 ? "the same command with --write-code FOLDER writes the module; put its class "
                   "where the layer is made, the weights load as they are"
                 : fmt::format(
                       "put the class of the module in {} where the layer is made; the "
                       "weights load as they are",
                       words::clean(context.code_folder));
    }
    terminal.paragraph(keep, report_indent, "  To keep it", Style::bold);
  }
  return terminal.take();
}

}  // namespace rnnadvisor::cli
