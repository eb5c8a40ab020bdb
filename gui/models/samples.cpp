#include "advisor/samples/samples.h"

#include <array>

#include "gui/models/document.h"
#include "gui/texts.h"

namespace rnnadvisor::gui {
namespace {

struct Words {
  const char *name, *title, *description;
  const char* before = nullptr;
};

// In the order in which they teach; a sample that is not listed comes after them under its name.
constexpr std::array<Words, 14> sample_words = {{
    {"programs/pytorch-two-layers",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch, two layers"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "A two-layer LSTM in training")},
    {"programs/pytorch-two-layers-split",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch, two layers, after"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "The same with its first finding mended"),
     "programs/pytorch-two-layers"},
    {"programs/pytorch-speech-encoder",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch speech encoder"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Packed sequences of different lengths")},
    {"programs/pytorch-language-model",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch language model"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Two LSTM layers and a large vocabulary")},
    {"programs/pytorch-native-fallback",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch without cuDNN"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "A program that never reaches cuDNN")},
    {"programs/pytorch-gru", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch GRU"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "A GRU instead of an LSTM")},
    {"programs/pytorch-tagger", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch tagger"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "One layer in both directions")},
    {"programs/pytorch-projection",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch LSTM with projection"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Fewer outputs than hidden units")},
    {"programs/pytorch-bfloat16",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "PyTorch in bfloat16"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "The same layer in another type")},
    {"programs/jax-lstm", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "JAX LSTM"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "How JAX calls cuDNN")},
    {"programs/cpp-lstm", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "C++ on cuDNN"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "The API without a framework")},
    {"programs/cpp-prefetch",
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "C++ with a loader thread"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Threads, copies, memory, coloured ranges")},
    {"guide-figure-10", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Guide, figure 10"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Algorithms over the batch size")},
    {"planted-failures", QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Planted failures"),
     QT_TRANSLATE_NOOP("rnnadvisor::gui::Texts", "Configurations that cuDNN refuses")},
}};

}  // namespace

std::vector<Sample> samples() {
  std::vector<Sample> list;
  const auto files = advisor::sample_profiles();
  const auto name_of = [](const EmbeddedFile& file) { return advisor::without_ending(file.name); };
  for (const auto& words : sample_words) {
    for (const auto& file : files) {
      if (name_of(file) != words.name) continue;
      list.push_back({to_qt(words.name), Texts::tr(words.title), Texts::tr(words.description),
                      file.text, words.before != nullptr ? to_qt(words.before) : QString()});
    }
  }
  for (const auto& file : files) {
    const QString name = to_qt(name_of(file));
    bool listed = false;
    for (const auto& sample : list) listed = listed || sample.name == name;
    if (!listed) list.push_back({name, name, {}, file.text, {}});
  }
  return list;
}

}  // namespace rnnadvisor::gui
