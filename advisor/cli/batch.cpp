#include "advisor/cli/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <istream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <streambuf>

#include "advisor/facts/framework_call.h"
#include "advisor/judge/judge.h"
#include "advisor/report/predicted_times.h"
#include "advisor/rules/finding.h"
#include "core/base/parallel.h"
#include "core/base/text.h"
#include "core/model/eligibility.h"
#include "core/model/memory.h"

namespace rnnadvisor::cli {
namespace {

using Buffer = fmt::memory_buffer;

void append(Buffer& out, std::string_view text) {
  out.append(text.data(), text.data() + text.size());
}

void append_string(Buffer& out, std::string_view text) {
  out.push_back('"');
  const auto plain = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
  };
  if (std::all_of(text.begin(), text.end(), plain)) {
    append(out, text);
  } else {
    for (const char c : to_valid_utf8(text)) {
      const auto byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        out.push_back('\\');
        out.push_back(c);
      } else if (byte < 0x20 || byte == 0x7F) {
        fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
      } else {
        out.push_back(c);
      }
    }
  }
  out.push_back('"');
}

void append_member(Buffer& out, std::string_view name, std::string_view value) {
  append_string(out, name);
  append(out, ": ");
  append_string(out, value);
}

void append_bytes(Buffer& out, std::string_view name, const model::Bytes& bytes, bool asked) {
  fmt::format_to(std::back_inserter(out), "\"{}\": ", name);
  if (!asked) {
    out.push_back('0');
  } else if (bytes.exactness == model::Exactness::unknown) {
    append(out, "null");
  } else {
    fmt::format_to(std::back_inserter(out), "{}", bytes.value);
  }
}

void append_finding(Buffer& out, const advisor::Finding& finding) {
  append(out, "{");
  append_member(out, "rule", finding.rule_id);
  append(out, ", ");
  append_member(out, "severity", advisor::to_string(finding.severity));
  append(out, ", ");
  append_member(out, "confidence", advisor::to_string(finding.confidence));
  append(out, ", ");
  append_member(out, "message", finding.message);
  append(out, ", \"suggestions\": [");
  bool first = true;
  for (const auto& suggestion : finding.suggestions) {
    if (advisor::withdrawn(finding, suggestion)) continue;  // the message says that it is refuted
    if (!first) append(out, ", ");
    append_string(out, suggestion.text);
    first = false;
  }
  append(out, "]}");
}

struct NumberedLine {
  std::string text;
  int number = 0;
  bool too_long = false;  // and left out
};

}  // namespace

// The profile that rules and predictions look at is made once and its one configuration replaced: a
// device description is too large to copy for every line.
class ConfigurationAnswerer::Answerer {
 public:
  explicit Answerer(const BatchOptions& options) : options_(options) {
    options_.judge.keep_verdicts = false;
    profile_.devices.push_back(*options_.device);
    profile_.configurations.resize(1);
  }

  void answer(const ConfigInput& input, Buffer& out) {
    using model::Stage;
    Configuration configuration = advisor::configuration_to_check(input, *options_.device);
    const RnnConfig& config = configuration.config;
    const auto call = advisor::framework_call(config, input.program, &*options_.device);
    const auto ignored = advisor::ignored_keys(configuration, call);
    // As in a report: nothing is predicted of a call that is never made.
    const auto predicted =
        call.happens() ? model::eligibility(config, *options_.device) : model::Eligibility{};
    const auto& sizes = configuration.sizes;
    append(out, "{");
    if (!config.id.empty()) {
      append_member(out, "id", config.id);
      append(out, ", ");
    }
    append_member(out, "algo", to_string(config.algo));
    if (config.mixed_algos()) {
      append(out, ", ");
      append_member(out, "backward_algo", to_string(*config.backward_algo));
    }
    append_ignored(ignored, out);
    const auto calls = call.stops ? std::optional(false) : call.cudnn;
    fmt::format_to(std::back_inserter(out), ", \"calls_cudnn\": {}",
                   !calls   ? "null"
                   : *calls ? "true"
                            : "false");
    append(out, ", \"predicted\": {");
    for (const Stage stage : model::all_stages) {
      fmt::format_to(std::back_inserter(out), "\"{}\": {}, ", model::to_string(stage),
                     predicted.at(stage));
    }
    append_member(out, "implementation", model::to_string(predicted.implementation));
    append(out, "}, \"bytes\": {");
    append_bytes(out, "weights", sizes.weights, predicted.at(Stage::set_descriptor));
    append(out, ", ");
    const bool sized = predicted.at(Stage::temp_space);
    append_bytes(out, "workspace_inference", sizes.workspace_inference, sized);
    append(out, ", ");
    append_bytes(out, "workspace_training", sizes.workspace_training, sized);
    append(out, ", ");
    append_bytes(out, "reserve_training", sizes.reserve_training, sized);
    fmt::format_to(std::back_inserter(out), ", \"total\": {}}}",
                   call.happens() ? configuration.memory_predicted : 0);
    profile_.configurations.front() = std::move(configuration);
    append_times(out);
    if (options_.rules != nullptr) append_findings(out);
    append(out, "}");
  }

  // False when the answer is an error.
  bool answer(const NumberedLine& line, std::string_view file, Buffer& out) {
    if (line.too_long) {
      append_error({},
                   Error{ErrorCode::parse,
                         fmt::format("the line is longer than {}",
                                     format_bytes(static_cast<double>(longest_batch_line))),
                         "one configuration a line",
                         SourcePosition{std::string(file), line.number, 0},
                         {}},
                   out);
      return false;
    }
    const auto input = read_json_line(line.text, file, line.number);
    if (!input) {
      append_error(line.text, input.error(), out);
      return false;
    }
    answer(*input, out);
    return true;
  }

  static void append_error(std::string_view line, const Error& error, Buffer& out) {
    append(out, "{");
    // The id is looked for only here, off the quick path, so that a line that is JSON can be told
    // apart.
    const auto json = nlohmann::json::parse(line, nullptr, false);
    if (json.is_object()) {
      if (const auto id = json.find("id"); id != json.end() && id->is_string()) {
        append_member(out, "id", id->get_ref<const std::string&>());
        append(out, ", ");
      } else if (id != json.end() && id->is_number()) {
        append(out, fmt::format("\"id\": {}, ", id->dump()));
      }
    }
    std::string text = to_text(error);
    std::replace(text.begin(), text.end(), '\n', ' ');
    append_member(out, "error", text);
    append(out, "}");
  }

  bool failed() const { return failed_; }

 private:
  static void append_ignored(const std::vector<advisor::IgnoredKey>& keys, Buffer& out) {
    if (keys.empty()) return;
    append(out, ", \"ignored\": [");
    for (std::size_t i = 0; i < keys.size(); ++i) {
      append(out, i > 0 ? ", {" : "{");
      append_member(out, "key", keys[i].key);
      append(out, ", ");
      append_member(out, "given", keys[i].given);
      append(out, ", \"used\": ");
      if (keys[i].used.empty()) {
        append(out, "null");
      } else {
        append_string(out, keys[i].used);
      }
      append(out, ", ");
      append_member(out, "why", keys[i].why);
      append(out, "}");
    }
    append(out, "]");
  }

  void append_times(Buffer& out) const {
    const auto times = advisor::predict_times(profile_, *options_.device, options_.times);
    std::string text;
    advisor::append_predicted_json(text, times.configurations.front());
    append(out, ", \"predicted_times\": {\"basis\": ");
    if (const auto basis = times.basis(); basis.empty()) {
      append(out, "null");
    } else {
      append_string(out, basis);
    }
    append(out, ", ");
    append(out, text);
    append(out, "}");
  }

  void append_findings(Buffer& out) {
    const auto judgement = advisor::judge(profile_, *options_.rules, options_.judge);
    append(out, ", \"findings\": [");
    for (std::size_t i = 0; i < judgement.findings.size(); ++i) {
      if (i > 0) append(out, ", ");
      append_finding(out, judgement.findings[i]);
    }
    append(out, "]");
    failed_ = failed_ || exit_status(judgement.findings, options_.fail_on) != exit_ok;
  }

  BatchOptions options_;
  Profile profile_;
  bool failed_ = false;
};

namespace {

// Lines of a stream through one large buffer. A line longer than the limit is given as nothing and
// passed over.
class LineReader {
 public:
  // `waiting` is called before a read that may wait.
  LineReader(std::istream& in, std::function<void()> waiting)
      : in_(in), waiting_(std::move(waiting)), buffer_(1 << 20) {}

  struct Line {
    std::string_view text;
    bool too_long = false;
  };

  std::optional<Line> next() {
    bool too_long = false;
    for (;;) {
      const char* const begin = buffer_.data() + start_;
      const void* const found = std::memchr(begin, '\n', end_ - start_);
      if (found != nullptr) {
        const auto length = static_cast<std::size_t>(static_cast<const char*>(found) - begin);
        start_ += length + 1;
        return Line{{begin, length}, too_long || length > longest_batch_line};
      }
      if (end_ - start_ > longest_batch_line) {
        too_long = true;
        start_ = end_;  // forget what was read of it
      }
      if (!fill()) {
        if (start_ == end_ && !too_long) return std::nullopt;
        const Line last{{buffer_.data() + start_, end_ - start_}, too_long};
        start_ = end_;
        return last;
      }
    }
  }

 private:
  bool fill() {
    std::streambuf& source = *in_.rdbuf();
    if (source.in_avail() <= 0) waiting_();
    if (source.sgetc() == std::streambuf::traits_type::eof()) return false;
    std::memmove(buffer_.data(), buffer_.data() + start_, end_ - start_);
    end_ -= start_;
    start_ = 0;
    if (end_ == buffer_.size()) buffer_.resize(2 * buffer_.size());
    const auto room = static_cast<std::streamsize>(buffer_.size() - end_);
    end_ += static_cast<std::size_t>(
        source.sgetn(buffer_.data() + end_, std::min(room, source.in_avail())));
    return true;
  }

  std::istream& in_;
  std::function<void()> waiting_;
  std::vector<char> buffer_;
  std::size_t start_ = 0, end_ = 0;
};

}  // namespace

BatchOptions batch_options(const JudgedDevice& device, const Judging& judging, bool with_findings) {
  BatchOptions options;
  options.device = &device.device;
  options.times = device.times.get();
  options.rules = with_findings ? &judging.rules : nullptr;
  options.judge = judging.options;
  options.judge.predict_for = device.predict_for;
  return options;
}

ConfigurationAnswerer::ConfigurationAnswerer(const BatchOptions& options)
    : answerer_(std::make_unique<Answerer>(options)) {}
ConfigurationAnswerer::~ConfigurationAnswerer() = default;

std::string ConfigurationAnswerer::answer(const ConfigInput& input) {
  Buffer out;
  answerer_->answer(input, out);
  return fmt::to_string(out);
}

std::string answer_line(const ConfigInput& input, const BatchOptions& options) {
  return ConfigurationAnswerer(options).answer(input);
}

int answer_batch(std::istream& in, std::string_view file, const AnswerSink& write,
                 const BatchOptions& options) {
  // Lines that are answered together, by all cores: enough that starting a thread costs nothing,
  // few enough that the first answers come soon.
  constexpr std::size_t most_lines = 512, piece = 16, most_bytes = 1 << 20;
  std::vector<NumberedLine> lines;
  std::size_t bytes = 0;
  std::atomic<bool> good = true, failed = false;
  bool arrives = true;
  const auto flush = [&](bool waits) {
    std::vector<Buffer> answers((lines.size() + piece - 1) / piece);
    for_pieces(lines.size(), piece, [&](std::size_t begin, std::size_t end) {
      ConfigurationAnswerer::Answerer answerer(options);
      for (std::size_t i = begin; i < end; ++i) {
        if (!answerer.answer(lines[i], file, answers[begin / piece])) good = false;
        answers[begin / piece].push_back('\n');
      }
      if (answerer.failed()) failed = true;
    });
    lines.clear();
    bytes = 0;
    for (std::size_t i = 0; i < answers.size() && arrives; ++i)
      arrives = write({answers[i].data(), answers[i].size()}, waits && i + 1 == answers.size());
    if (answers.empty() && waits && arrives) arrives = write({}, waits);
  };
  LineReader reader(in, [&] { flush(true); });
  int number = 0;
  while (auto line = reader.next()) {
    if (!arrives) return exit_environment;
    ++number;
    const auto first = line->text.find_first_not_of(" \t\r");
    if (!line->too_long && (first == std::string_view::npos || line->text[first] == '#')) continue;
    lines.push_back(
        {line->too_long ? std::string() : std::string(line->text), number, line->too_long});
    bytes += lines.back().text.size();
    if (lines.size() >= most_lines || bytes >= most_bytes) flush(false);
  }
  flush(true);
  if (!arrives) return exit_environment;
  return !good ? exit_bad_input : failed ? exit_findings : exit_ok;
}

}  // namespace rnnadvisor::cli
