#include "advisor/cli/change_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "advisor/change/in_words.h"
#include "advisor/cli/whole_step_report.h"
#include "advisor/report/terminal.h"
#include "advisor/report/words.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::Style;
namespace words = advisor::words;

const ChangedLayer* first_changed(const std::vector<ChangedLayer>& layers) {
  const auto first = std::find_if(layers.begin(), layers.end(),
                                  [](const ChangedLayer& layer) { return layer.changed; });
  return first == layers.end() ? nullptr : &*first;
}

void draw_layer(advisor::Terminal& terminal, const ChangedLayer& layer, bool gains) {
  terminal.line();
  std::string title = words::clean(layer.name);
  if (!layer.site.empty()) title += ", " + words::clean(layer.site);
  if (layer.layers > 1) title += fmt::format(", {} layers", layer.layers);
  const bool good = layer.changed && gains;
  terminal.paragraph(title, 4, good ? terminal.symbol("  ✔", "  =") : "  –",
                     good ? Style::green : Style::dim, Style::bold);
  const auto part = [&](std::string_view label, const std::string& text) {
    terminal.paragraph(text, report_indent + 2, fmt::format("    {}", label));
  };
  if (!layer.change.empty()) part("Change", words::clean(layer.change));
  if (!layer.changed) part("Not made", words::clean(layer.reason));
  if (layer.error >= 0) {
    part("Results",
         fmt::format("differ by {:.2g} at most (relative L2 norm, {}); {:.2g} is allowed",
                     layer.error, words::clean(layer.tensor), layer.limit));
  }
  if (layer.changed && !layer.file.empty()) part("Module", words::clean(layer.file));
}

}  // namespace

int count_layers(const std::vector<ChangedLayer>& layers, bool changed_alone) {
  int all = 0;
  for (const auto& layer : layers)
    if (layer.changed || !changed_alone) all += layer.layers;
  return all;
}

std::string change_in_words(const std::vector<ChangedLayer>& layers) {
  const int all = count_layers(layers, false);
  return fmt::format("{} of {} changed ({})", count_layers(layers, true),
                     words::plural(static_cast<long long>(all), "RNN layer"),
                     words::clean(first_changed(layers)->change));
}

std::string how_it_failed(const launch::Collected& collected) {
  const auto& notes = collected.profile.notes;
  const auto found = std::find_if(notes.begin(), notes.end(), [](const auto& note) {
    return note.code == launch::program_failed;
  });
  return found == notes.end() ? std::string() : found->text.substr(0, found->text.find(';'));
}

TryVerdict change_verdict(const launch::Collected& collected,
                          const std::vector<ChangedLayer>& layers) {
  if (layers.empty()) {
    if (const std::string failed = how_it_failed(collected); !failed.empty())
      return {fmt::format("nothing was changed: {}; its own messages say why", failed)};
    return {collected.spools == 0 || collected.rnn_calls == 0
                ? "nothing was changed: the program called no cuDNN RNN; check that its RNN runs "
                  "on the GPU through cuDNN"
                : "nothing was changed: no nn.LSTM, nn.GRU or nn.RNN of PyTorch was called often "
                  "enough. Subclasses, scripted and compiled layers keep their own code, and so "
                  "does a Python that is started with -I, -E or -S"};
  }
  if (first_changed(layers) == nullptr)
    return {fmt::format("nothing was changed: {}", words::clean(layers.front().reason))};
  const std::string what = change_in_words(layers);
  const auto steps = first_steps(collected);
  const auto step = std::ranges::find(steps, spool::StepArm::change, &launch::WholeStep::arm);
  if (step == steps.end()) return {what + ", but no whole step could be timed"};
  const double speedup = step->speedup.median;
  if (step->is_faster()) {
    return {fmt::format("a whole step runs {} times faster with {}", words::number(speedup), what),
            true};
  }
  if (step->is_slower()) {
    return {fmt::format("a whole step takes {} times as long with {}", words::number(1 / speedup),
                        what)};
  }
  return {fmt::format(
      "with {} a whole step takes as long as before, within the noise: {} times faster ({} to {}), "
      "and the program's own steps vary by {} to {}",
      what, words::number(speedup), words::number(step->speedup.low),
      words::number(step->speedup.high), words::number(step->control.low),
      words::number(step->control.high))};
}

void draw_changed_layers(advisor::Terminal& terminal, const std::vector<ChangedLayer>& layers,
                         bool changed_alone, bool gains) {
  constexpr std::size_t most_rows = 8;
  std::size_t rows = 0;
  for (const auto& layer : layers) {
    if (changed_alone && !layer.changed) continue;
    if (++rows <= most_rows) draw_layer(terminal, layer, gains);
  }
  if (rows > most_rows) terminal.line(fmt::format("    and {} more", rows - most_rows), Style::dim);
}

std::string keep_change(const std::vector<ChangedLayer>& layers, const std::string& code_folder) {
  const bool code = std::any_of(layers.begin(), layers.end(), [](const ChangedLayer& layer) {
    return layer.changed && !layer.file.empty();
  });
  if (!code) return "torch.backends.cudnn.allow_tf32 as the change has it, once, before training";
  if (code_folder.empty()) {
    return "`try` with --write-code FOLDER writes the module; put its class where the layer is "
           "made, the weights load as they are";
  }
  return fmt::format(
      "put the class of the module in {} where the layer is made; the weights load as they are",
      words::clean(code_folder));
}

}  // namespace rnnadvisor::cli
