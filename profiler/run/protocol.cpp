#include "profiler/run/protocol.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "profiler/run/json_numbers.h"

namespace rnnadvisor {

using nlohmann::json;

std::string write_job(const Job& job) {
  const RunOptions& o = job.options;
  const json options = {{"warmup", o.warmup},
                        {"min_repeats", o.min_repeats},
                        {"max_repeats", o.max_repeats},
                        {"budget_seconds", o.budget_seconds},
                        {"target_interval", o.target_interval},
                        {"time", o.time},
                        {"trace", o.trace},
                        {"counters", static_cast<int>(o.counters)},
                        {"correctness", o.correctness},
                        {"sizes_only", o.sizes_only},
                        {"timeout_seconds", o.timeout_seconds},
                        {"seed", o.seed}};
  return fmt::format(R"({{"index":{},"options":{},"configuration":{},"written":{}}})", job.index,
                     options.dump(), to_json_line(job.input),
                     to_json_line(job.input.config, job.input.given));
}

Result<Job> read_job(std::string_view line) {
  const json object = json::parse(line, nullptr, false);
  if (!object.is_object() || !object.contains("options") || !object.contains("configuration")) {
    return fail(ErrorCode::parse, "a job for the worker is not what rnnadvisor writes",
                "'rnnadvisor worker' is started by rnnadvisor itself; use 'rnnadvisor run'");
  }
  Job job;
  try {
    const json& o = object.at("options");
    job.index = integer<int>(object.at("index"));
    job.options.warmup = integer<int>(o.at("warmup"));
    job.options.min_repeats = integer<int>(o.at("min_repeats"));
    job.options.max_repeats = integer<int>(o.at("max_repeats"));
    job.options.budget_seconds = o.at("budget_seconds").get<double>();
    job.options.target_interval = o.at("target_interval").get<double>();
    job.options.time = o.at("time").get<bool>();
    job.options.trace = o.at("trace").get<bool>();
    const int counters = integer<int>(o.at("counters"));
    if (counters < 0 || counters > static_cast<int>(Counters::required)) {
      return fail(ErrorCode::parse,
                  fmt::format("a job for the worker asks for counters {}", counters));
    }
    job.options.counters = static_cast<Counters>(counters);
    job.options.correctness = o.at("correctness").get<bool>();
    job.options.sizes_only = o.at("sizes_only").get<bool>();
    job.options.timeout_seconds = o.at("timeout_seconds").get<double>();
    job.options.seed = integer<unsigned long long>(o.at("seed"));
  } catch (const json::exception& exception) {
    return fail(ErrorCode::parse,
                fmt::format("a job for the worker is incomplete: {}", exception.what()));
  }
  auto input = read_json_line(object.at("configuration").dump(), "job", 1);
  if (!input) return fail(input.error());
  job.input = std::move(*input);
  job.input.given = {};
  if (object.contains("written")) {
    const auto written = read_json_line(object.at("written").dump(), "job", 1);
    if (!written) return fail(written.error());
    job.input.given = written->given;
  }
  return job;
}

std::string write_error(const Error& error) {
  return json{{"code", static_cast<int>(error.code)},
              {"message", to_valid_utf8(error.message)},
              {"remedy", to_valid_utf8(error.remedy)}}
      .dump();
}

Error read_error(std::string_view text) {
  // A worker that died while it wrote leaves no whole object: then what it wrote is the message.
  try {
    const json object = json::parse(text);
    const int code = integer<int>(object.at("code"));
    Error error;
    error.code = code >= 0 && code <= static_cast<int>(ErrorCode::internal)
                     ? static_cast<ErrorCode>(code)
                     : ErrorCode::internal;
    error.message = object.at("message").get<std::string>();
    error.remedy = object.at("remedy").get<std::string>();
    return error;
  } catch (const json::exception&) {
    return Error{ErrorCode::internal, to_valid_utf8(text), {}, std::nullopt, {}};
  }
}

std::string result_path(const std::string& directory, int index) {
  return fmt::format("{}/{}.rnnprof", directory, index);
}

}  // namespace rnnadvisor
