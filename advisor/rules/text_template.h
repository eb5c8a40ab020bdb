// Text with placeholders: "Batch size {call.batch_size} is …". "{{" and "}}" are braces. No
// arithmetic, no formats: the value of a fact, with its unit.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advisor/facts/fact.h"

namespace rnnadvisor::advisor {

struct TemplateMistake {
  std::string message;
  std::string remedy;
};

// Every mistake: a lone brace, an empty placeholder, a name that is no fact.
std::vector<TemplateMistake> check_template(std::string_view text);

// The facts that the text names, in order, each once. The text must be free of mistakes.
std::vector<int> template_facts(std::string_view text);

// The value of a fact; null when it is not known.
using FactLookup = std::function<const Fact*(int fact)>;

// Fills in. A fact that is not known reads "unknown", and `complete`, when given, becomes false.
std::string fill_template(std::string_view text, const FactLookup& lookup,
                          bool* complete = nullptr);

}  // namespace rnnadvisor::advisor
