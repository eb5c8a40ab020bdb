#include "profiler/profile/refused_descriptor.h"

#include <fmt/format.h>

#include "profiler/profile/cudnn_status.h"

namespace rnnadvisor {

std::string to_string(const AskedDescriptor& asked) {
  const auto word = [](const auto& value) {
    return value ? std::string(to_string(*value)) : std::string("unknown");
  };
  std::string text;
  if (asked.descriptor) {
    text = fmt::format(
        "{}, {}, num_layers {}, hidden_size {}, input_size {}, proj_size {}, {}, {} math",
        word(asked.cell), word(asked.algo), asked.num_layers, asked.hidden_size, asked.input_size,
        asked.proj_size, word(asked.data_type), word(asked.math_type));
  }
  if (asked.data) {
    text += fmt::format("{}{}, seq_length {}, batch_size {}, {} values a step",
                        text.empty() ? "" : ", ", word(asked.layout), asked.seq_length,
                        asked.batch_size, asked.vector_size);
  }
  return text;
}

Note DescriptorRefusals::note(std::string_view function, int status, std::string_view reason,
                              const AskedDescriptor& asked) {
  constexpr std::size_t most_texts = 20;
  std::string text = fmt::format("{} answered {}{}{} to {}", function, status_name(status),
                                 reason.empty() ? "" : ", ", reason, to_string(asked));
  if (texts_.size() < most_texts) texts_.insert(text);
  if (!texts_.contains(text)) text = "other descriptors were refused, too";
  return {NoteSeverity::warning, "descriptor-refused", std::move(text), 1};
}

}  // namespace rnnadvisor
