#include "advisor/errors/known_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <tuple>

#include "core/base/embedded.h"
#include "core/base/text.h"
#include "core/config/toml/parse_toml.h"

namespace rnnadvisor::embedded {
std::span<const EmbeddedFile> known_errors();
}

namespace rnnadvisor::advisor {

namespace error_table {
namespace {

constexpr std::array<std::string_view, 14> keys = {
    "id",  "title", "frameworks", "needs", "log",    "match",           "cause",
    "fix", "code",  "warning",    "rule",  "source", "short_of_memory", "lacks_memory"};
constexpr std::array<std::string_view, 6> frameworks = {"pytorch", "keras",       "tensorflow",
                                                        "jax",     "onnxruntime", "cudnn"};
constexpr std::size_t longest_value = 300;  // bytes between two literals
constexpr std::size_t shortest_begin = 6;   // of a pattern, bytes: what is looked for
constexpr std::size_t most_tries = 1000;    // occurrences of a pattern's first words

// "{{" is a brace. Nothing: one is not closed.
std::optional<TextWithNames> pieces_of(std::string_view text) {
  TextWithNames pieces;
  pieces.literals.emplace_back();
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '{') {
      pieces.literals.back() += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == '{') {
      pieces.literals.back() += text[i++];
    } else {
      const auto end = text.find('}', i);
      if (end == std::string_view::npos || end == i + 1) return std::nullopt;
      pieces.names.emplace_back(text.substr(i + 1, end - i - 1));
      pieces.literals.emplace_back();
      i = end;
    }
  }
  return pieces;
}

using Values = std::map<std::string, std::string>;

std::string filled(std::string_view text, const Values& values) {
  const auto pieces = pieces_of(text);
  if (!pieces) return std::string(text);
  std::string result = pieces->literals.front();
  for (std::size_t i = 0; i < pieces->names.size(); ++i) {
    const auto value = values.find(pieces->names[i]);
    result += value == values.end() ? "?" : value->second;
    result += pieces->literals[i + 1];
  }
  return result;
}

std::string trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == ','; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return printable(text);
}

// The values of a pattern that begins at `at`; nothing where it does not stand there.
std::optional<Values> matched(const TextWithNames& pieces, std::string_view text, std::size_t at) {
  const std::string_view line = text.substr(0, std::min(text.find('\n', at), text.size()));
  Values values;
  at += pieces.literals.front().size();
  for (std::size_t i = 0; i < pieces.names.size(); ++i) {
    const std::string& next = pieces.literals[i + 1];
    const std::string_view rest =
        line.substr(std::min(at, line.size()), longest_value + next.size());
    const auto end = next.empty() ? std::min(rest.size(), longest_value) : rest.find(next);
    if (end == std::string_view::npos) return std::nullopt;
    values[pieces.names[i]] = trimmed(rest.substr(0, end));
    at += end + next.size();
  }
  return values;
}

struct Found {
  std::size_t at = 0;
  Values values;
};

bool has_one(std::string_view text, const std::vector<std::string>& words) {
  return words.empty() || std::any_of(words.begin(), words.end(), [&](const auto& word) {
           return text.find(word) != std::string_view::npos;
         });
}

// The traceback that ends at the end of `before`, with those that it says it follows from; all of
// `before` where it has none. How Python joins them:
// https://docs.python.org/3/library/traceback.html#traceback.TracebackException.format
std::string_view traceback_of(std::string_view before) {
  static constexpr std::array<std::string_view, 2> joints = {
      "During handling of the above exception, another exception occurred:",
      "The above exception was the direct cause of the following exception:"};
  std::size_t at = before.rfind("Traceback (most recent call last)");
  while (at != std::string_view::npos && at > 0) {
    const std::string_view above =
        before.substr(0, before.find_last_not_of(" \t\r\n|", at - 1) + 1);
    if (std::none_of(joints.begin(), joints.end(),
                     [&](std::string_view joint) { return above.ends_with(joint); }))
      break;
    at = before.rfind("Traceback (most recent call last)", at - 1);
  }
  return at == std::string_view::npos ? before : before.substr(at);
}

// The last time that it stands in the text, as `error` needs it: what a program ended with.
std::optional<Found> last_match(const TextWithNames& pieces, const KnownError& error,
                                std::string_view text) {
  std::size_t at = std::string_view::npos;
  // Searching forward is many times faster, and most stand nowhere.
  if (text.find(pieces.literals.front()) == at) return std::nullopt;
  for (std::size_t tries = 0; tries < most_tries; ++tries) {
    at = text.rfind(pieces.literals.front(), at);
    if (at == std::string_view::npos) return std::nullopt;
    if (auto values = matched(pieces, text, at);
        values && (error.needs.empty() || has_one(traceback_of(text.substr(0, at)), error.needs)))
      return Found{at, std::move(*values)};
    if (at-- == 0) return std::nullopt;
  }
  return std::nullopt;
}

std::optional<int> number(const Values& values, const std::string& name) {
  const auto found = values.find(name);
  if (found == values.end()) return std::nullopt;
  int value = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [stopped, error] = std::from_chars(found->second.data(), end, value);
  return error == std::errc() && stopped == end ? std::optional(value) : std::nullopt;
}

// TensorFlow names the layer that failed by the numbers of cuDNN's enumerations (cudnnRNNMode_t).
constexpr std::array<std::string_view, 4> cudnn_modes = {"rnn_relu", "rnn_tanh", "lstm", "gru"};

std::string check_command(const Values& values) {
  const auto mode = number(values, "rnn_mode"), directions = number(values, "dir_count");
  std::string command = "rnnadvisor check --framework tensorflow";
  if (mode && *mode >= 0 && *mode < static_cast<int>(cudnn_modes.size()))
    command += fmt::format(" --cell {}", cudnn_modes[static_cast<std::size_t>(*mode)]);
  for (const auto& [flag, name] : {std::pair{"num-layers", "num_layers"},
                                   {"input-size", "input_size"},
                                   {"hidden-size", "num_units"},
                                   {"seq-length", "max_seq_length"},
                                   {"batch-size", "batch_size"}})
    if (const auto value = number(values, name)) command += fmt::format(" --{} {}", flag, *value);
  if (directions == 2) command += " --direction bidirectional";
  return command;
}

class Reader {
 public:
  explicit Reader(std::string_view file) : file_(file) {}

  Result<std::vector<KnownError>> read(std::string_view text) {
    const auto root = toml_text::parse_toml(text, file_);
    if (!root) return fail(root.error());
    const toml::array* list = (*root)["error"].as_array();
    if (list == nullptr) return fail(ErrorCode::parse, fmt::format("{} has no [[error]]", file_));
    std::vector<KnownError> all;
    for (const toml::node& node : *list) {
      const toml::table* table = node.as_table();
      if (table == nullptr) return fail(wrong(node, "[[error]] must be a table"));
      auto error = read_error(*table);
      if (!error) return fail(std::move(error.error()));
      for (const KnownError& other : all)
        if (other.id == error->id)
          return fail(wrong(node, fmt::format("'{}' stands twice", error->id)));
      all.push_back(std::move(*error));
    }
    return all;
  }

 private:
  Error wrong(const toml::node& node, std::string message) const {
    const auto& at = node.source().begin;
    return {ErrorCode::parse,
            std::move(message),
            {},
            SourcePosition{file_, static_cast<int>(at.line), static_cast<int>(at.column)},
            {}};
  }

  Result<KnownError> read_error(const toml::table& table) const {
    for (const auto& [key, node] : table)
      if (std::find(keys.begin(), keys.end(), key.str()) == keys.end())
        return fail(wrong(
            node, fmt::format("unknown key '{}' {}", key.str(), did_you_mean(key.str(), keys))));
    KnownError error;
    for (const auto& [key, into] : {std::pair{"id", &error.id},
                                    {"title", &error.title},
                                    {"cause", &error.cause},
                                    {"code", &error.code},
                                    {"rule", &error.rule},
                                    {"source", &error.source}})
      *into = table[key].value_or(std::string());
    error.warning = table["warning"].value_or(false);
    error.short_of_memory = table["short_of_memory"].value_or(false);
    error.lacks_memory = table["lacks_memory"].value_or(false);
    for (const auto& [key, into, optional] : {std::tuple{"frameworks", &error.frameworks, false},
                                              {"match", &error.patterns, false},
                                              {"fix", &error.fixes, false},
                                              {"needs", &error.needs, true},
                                              {"log", &error.log, true}})
      if (!(optional && !table.contains(key)) && !texts(table[key], *into))
        return fail(wrong(table, fmt::format("'{}' must be a list of texts", key)));
    for (const auto& [key, empty] : {std::pair{"id", error.id.empty()},
                                     {"title", error.title.empty()},
                                     {"cause", error.cause.empty()},
                                     {"source", error.source.empty()}})
      if (empty) return fail(wrong(table, fmt::format("an error needs '{}'", key)));
    for (const auto& each : error.frameworks)
      if (std::find(frameworks.begin(), frameworks.end(), each) == frameworks.end())
        return fail(wrong(table, fmt::format("'{}' is no framework", each)));
    return checked(table, std::move(error));
  }

  static bool texts(toml::node_view<const toml::node> view, std::vector<std::string>& into) {
    const toml::array* list = view.as_array();
    if (list == nullptr) return false;
    for (const toml::node& node : *list) {
      const auto text = node.value<std::string>();
      if (!text || text->empty()) return false;
      into.push_back(*text);
    }
    return !into.empty();
  }

  // Every name that a text uses is kept by every pattern.
  Result<KnownError> checked(const toml::table& table, KnownError error) const {
    std::vector<std::string> texts = error.fixes;
    texts.insert(texts.end(), {error.cause, error.code});
    for (const auto& pattern : error.patterns) {
      auto pieces = pieces_of(pattern);
      if (!pieces || pieces->literals.front().size() < shortest_begin)
        return fail(
            wrong(table, fmt::format("'{}' must begin with at least {} letters, and name what "
                                     "stands between braces",
                                     pattern, shortest_begin)));
      auto known = pieces->names;
      if (std::find(known.begin(), known.end(), "num_units") != known.end())
        known.emplace_back("check");
      for (const auto& text : texts) {
        const auto used = pieces_of(text);
        if (!used) return fail(wrong(table, fmt::format("'{}' has an open brace", text)));
        for (const auto& name : used->names)
          if (std::find(known.begin(), known.end(), name) == known.end())
            return fail(wrong(table, fmt::format("'{}' keeps no {{{}}}", pattern, name)));
      }
      error.cut.push_back(std::move(*pieces));
    }
    return error;
  }

  std::string file_;
};

}  // namespace
}  // namespace error_table

Result<std::vector<KnownError>> read_known_errors(std::string_view toml, std::string_view file) {
  return error_table::Reader(file).read(toml);
}

std::span<const KnownError> known_errors() {
  static const std::vector<KnownError> table = [] {
    std::vector<KnownError> all;
    for (const auto& file : rnnadvisor::embedded::known_errors())
      if (auto read = read_known_errors(file.text, file.name)) all = std::move(*read);
    return all;
  }();
  return table;
}

std::vector<ExplainedError> explain_errors(std::string_view text, std::span<const KnownError> table,
                                           bool short_of_memory) {
  std::vector<ExplainedError> explained;
  for (const KnownError& error : table) {
    if (!(short_of_memory && error.short_of_memory) && !error_table::has_one(text, error.log))
      continue;
    std::optional<error_table::Found> last;
    for (const auto& pieces : error.cut) {
      auto found = error_table::last_match(pieces, error, text);
      if (found && (!last || last->at < found->at)) last = std::move(found);
    }
    if (!last) continue;
    ExplainedError& one = explained.emplace_back();
    one.error = &error;
    const std::string_view before = text.substr(0, last->at);
    one.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
    const auto begin = before.rfind('\n') + 1;  // npos + 1 is 0
    one.text = error_table::trimmed(
        text.substr(begin, std::min(text.find('\n', last->at), text.size()) - begin));
    one.values = std::move(last->values);
    if (one.values.contains("num_units"))
      one.values["check"] = error_table::check_command(one.values);
    one.cause = error_table::filled(error.cause, one.values);
    for (const auto& fix : error.fixes) one.fixes.push_back(error_table::filled(fix, one.values));
    one.code = error_table::filled(error.code, one.values);
  }
  std::stable_sort(explained.begin(), explained.end(), [](const auto& a, const auto& b) {
    return !a.error->warning && b.error->warning;
  });
  return explained;
}

}  // namespace rnnadvisor::advisor
