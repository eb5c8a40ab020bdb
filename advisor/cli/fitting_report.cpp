#include "advisor/cli/fitting_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "advisor/cli/help.h"
#include "core/base/text.h"

namespace rnnadvisor::cli {
namespace {

using advisor::FitNeed;
using advisor::FitQuestion;
using advisor::FitTrial;
using advisor::Largest;

using Json = nlohmann::ordered_json;

std::string size_text(std::int64_t bytes) { return format_bytes(static_cast<double>(bytes)); }

const char* key_of(const FitQuestion& question) {
  return question.largest == Largest::batch ? "batch_size" : "seq_length";
}

// What the exactness of the need means for the answer.
std::string_view meaning(model::Exactness exactness, bool pytorch) {
  if (pytorch) {
    return "an estimate: PyTorch's allocations as its source makes them, without the program's "
           "other tensors";
  }
  switch (exactness) {
    case model::Exactness::exact:
      return "exact: on every row measured on an H200 the formulas gave cuDNN 9.19's own sizes";
    case model::Exactness::fitted:
      return "near: on most rows measured on an H200 the formulas gave cuDNN 9.19's own sizes";
    case model::Exactness::estimate:
      return "an estimate: something in it was never measured; --try asks cuDNN itself";
    case model::Exactness::unknown:
      break;
  }
  return "not known";
}

std::string part_word(std::string_view key) {
  std::string text(key);
  std::replace(text.begin(), text.end(), '_', ' ');
  if (text == "x y") return "x and y";
  if (text == "dx dy") return "their gradients";
  return text;
}

std::string parts_text(const FitNeed& need) {
  auto parts = need.parts;
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text;
  for (const auto& [name, bytes] : parts)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", part_word(name), size_text(bytes));
  return text;
}

std::string trial_text(const FitQuestion& question, const FitTrial& trial) {
  if (trial.outcome == Outcome::completed) {
    std::string text = fmt::format("{} {} ran: cuDNN's sizes make {}, {} was used, {} was there",
                                   key_of(question), trial.size, size_text(trial.need),
                                   size_text(trial.used), size_text(trial.room));
    if (trial.next_need >= 0)
      text += fmt::format("; {} would need {} and was not run", trial.size + 1,
                          size_text(trial.next_need));
    text += trial.predicted == trial.size ? "; predicted: the same"
                                          : fmt::format("; predicted: {}", trial.predicted);
    return text;
  }
  return fmt::format("{}{}{}", to_string(trial.outcome), trial.message.empty() ? "" : ": ",
                     trial.message);
}

class Lines {
 public:
  explicit Lines(int width) : width_(std::clamp(width, 60, 120)) {}
  void add(std::string_view label, std::string_view text) {
    constexpr int column = 15;
    std::string wrapped = wrap(text, width_, column);
    const std::string head = fmt::format("  {:<{}}", label, column - 2);
    wrapped.replace(0, column, head);
    out_ += wrapped;
  }
  std::string& out() { return out_; }

 private:
  int width_;
  std::string out_;
};

Json need_json(const FitNeed& need) {
  Json parts = Json::object();
  for (const auto& [name, bytes] : need.parts) parts[name] = bytes;
  return {{"size", need.size},
          {"bytes", need.total},
          {"exactness", model::to_string(need.exactness)},
          {"parts", std::move(parts)}};
}

Json finding_json(const advisor::Finding& finding) {
  return {{"rule", finding.rule_id},
          {"severity", advisor::to_string(finding.severity)},
          {"title", finding.title}};
}

Json findings_json(const std::vector<advisor::Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings) list.push_back(finding_json(finding));
  return list;
}

Json given(std::int64_t bytes) { return bytes < 0 ? Json(nullptr) : Json(bytes); }

Json trial_json(const FitTrial& trial) {
  return {{"outcome", to_string(trial.outcome)},
          {"message", to_valid_utf8(trial.message)},
          {"size", trial.size},
          {"predicted", trial.predicted},
          {"room_bytes", trial.room},
          {"cudnn_bytes", given(trial.need)},
          {"next_cudnn_bytes", given(trial.next_need)},
          {"used_bytes", given(trial.used)},
          {"sizes_asked", trial.queries}};
}

}  // namespace

std::string fit_text(const AnsweredFit& answered, int width) {
  const auto& [question, fit, trial] = answered;
  const bool pytorch = question.in_pytorch();
  const bool training = question.input.config.mode == Mode::training;
  Lines lines(width);
  lines.out() = printable(advisor::name_of(question)) + "\n";
  std::string room = fmt::format("{} ({})", size_text(question.room.bytes), question.room.origin);
  if (question.beside > 0)
    room += fmt::format("; the rest of the recorded program held {} at its peak",
                        size_text(question.beside));
  lines.add("room", room);
  if (!question.recorded) {
    const auto call = advisor::given_call(question);
    const auto ignored = advisor::ignored_words(advisor::ignored_keys(question.input, call));
    if (!ignored.empty()) lines.add("ignored", ignored);
    if (!call.happens())
      lines.add("no call", call.stops ? "its framework stops with an error"
                                      : "cuDNN is not expected to be called for it: what follows "
                                        "is of a layer that cuDNN runs");
  }
  const std::string_view what = pytorch
                                    ? (training ? "a PyTorch training step" : "a PyTorch inference")
                                    : (training ? "a training call" : "an inference call");
  if (!fit.refused.empty()) {
    lines.add("refused", fit.refused == "framework"
                             ? fit.refused_because
                             : fmt::format("cuDNN is expected to refuse it at {}: {}", fit.refused,
                                           fit.refused_because));
  }
  if (fit.need.size == 0) {
    lines.add("largest", fmt::format("not even {} 1 fits", key_of(question)));
  } else {
    lines.add("largest", fmt::format("{} {}: {} needs {}{}", key_of(question), fit.need.size, what,
                                     size_text(fit.need.total),
                                     fit.full_lengths ? ", with sequences of full length" : ""));
    lines.add("parts", parts_text(fit.need));
  }
  if (fit.next) {
    // PyTorch's allocator takes less than it would like when memory is short: by how much the next
    // size fails is no number.
    lines.add("next", pytorch ? fmt::format("{} does not fit; given enough, PyTorch would take {}",
                                            fit.next->size, size_text(fit.next->total))
                              : fmt::format("{} needs {}, {} too much", fit.next->size,
                                            size_text(fit.next->total),
                                            size_text(fit.next->total - question.room.bytes)));
  } else if (question.largest == Largest::length) {
    lines.add("next", "cuDNN takes no longer sequence");
  }
  if (fit.need.size > 0) {
    lines.add("how sure", meaning(fit.need.exactness, pytorch));
    for (const auto& finding : fit.findings)
      lines.add(advisor::to_string(finding.severity),
                fmt::format("{} ({})", finding.title, finding.rule_id));
  }
  if (fit.better) {
    std::string gone;
    for (const auto& finding : fit.better->gone)
      gone += fmt::format("{}{}", gone.empty() ? "" : ", ", finding.rule_id);
    lines.add("better",
              fmt::format("{} {}: needs {} and is without {}", key_of(question),
                          fit.better->need.size, size_text(fit.better->need.total), gone));
  }
  if (trial) lines.add("tried", trial_text(question, *trial));
  return lines.out();
}

std::string fit_json(const std::vector<AnsweredFit>& answers) {
  Json list = Json::array();
  for (const auto& [question, fit, trial] : answers) {
    const auto call = advisor::given_call(question);
    Json ignored = Json::array();
    if (!question.recorded) {
      for (const auto& key : advisor::ignored_keys(question.input, call))
        ignored.push_back({{"key", key.key},
                           {"given", to_valid_utf8(key.given)},
                           {"used", key.used.empty() ? Json(nullptr) : Json(key.used)},
                           {"why", key.why}});
    }
    Json one = {{"configuration", to_valid_utf8(advisor::name_of(question))},
                {"call",
                 {{"algo", to_string(call.config.algo)},
                  {"backward_algo", to_string(call.config.algo_of(Phase::backward_data))},
                  {"data_type", to_string(call.config.data_type)},
                  {"math_type", to_string(call.config.math_type)},
                  {"happens", call.happens()}}},
                {"ignored", std::move(ignored)},
                {"parameter", key_of(question)},
                {"mode", to_string(question.input.config.mode)},
                {"framework", question.in_pytorch() ? Json("pytorch") : Json(nullptr)},
                {"device", question.device.id},
                {"room", {{"bytes", question.room.bytes}, {"origin", question.room.origin}}},
                {"held_beside_bytes", question.beside},
                {"refused_at", fit.refused.empty() ? Json(nullptr) : Json(fit.refused)},
                {"refused_because",
                 fit.refused.empty() ? Json(nullptr) : Json(to_valid_utf8(fit.refused_because))},
                {"full_lengths_assumed", fit.full_lengths},
                {"largest", fit.need.size > 0 ? need_json(fit.need) : Json(nullptr)},
                {"next", fit.next ? need_json(*fit.next) : Json(nullptr)},
                {"findings", findings_json(fit.findings)},
                {"better", nullptr},
                {"trial", trial ? trial_json(*trial) : Json(nullptr)}};
    if (fit.better) {
      one["better"] = need_json(fit.better->need);
      one["better"]["without"] = findings_json(fit.better->gone);
    }
    list.push_back(std::move(one));
  }
  return Json{{"schema", 1}, {"fits", std::move(list)}}.dump(2) + "\n";
}

}  // namespace rnnadvisor::cli
