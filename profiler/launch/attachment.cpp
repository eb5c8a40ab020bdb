#include "profiler/launch/attachment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "profiler/spool/plan.h"
#include "profiler/spool/settings.h"

namespace rnnadvisor::launch {
namespace {

using namespace spool;

constexpr std::string_view preload = "LD_PRELOAD";
constexpr std::string_view plugin_name = "librnnadvisor_plugin.so";

bool is_plugin(std::string_view path) { return path.substr(path.rfind('/') + 1) == plugin_name; }

// The loader takes blanks and colons for separators.
std::vector<std::string_view> preloaded(std::string_view value) {
  std::vector<std::string_view> list;
  while (!value.empty()) {
    const auto end = value.find_first_of(" :");
    if (end != 0) list.push_back(value.substr(0, end));
    if (end == std::string_view::npos) break;
    value.remove_prefix(end + 1);
  }
  return list;
}

Result<void> check(const RecordingOptions& options) {
  const bool cupti = options.mode != Mode::calls;
  if (!options.trace.empty() && !cupti) {
    return fail(ErrorCode::invalid_argument,
                fmt::format("the mode 'calls' cannot record {}, because it leaves CUPTI alone",
                            fmt::join(options.trace, ", ")),
                "use the mode kernels or full");
  }
  if (options.buffer_bytes > 0 && !cupti) {
    return fail(ErrorCode::invalid_argument,
                "the mode 'calls' has no CUPTI buffers whose size could be set");
  }
  return {};
}

// A library that another tool wants to be loaded by the driver or by NVTX.
void inject(Attachment& attachment, const Lookup& present, const char* variable,
            const char* chain_variable, const std::string& plugin) {
  const auto other = present(variable);
  attachment.set.emplace_back(variable, plugin);
  if (!other || other->empty() || is_plugin(*other)) {
    if (present(chain_variable)) attachment.unset.emplace_back(chain_variable);
    return;
  }
  attachment.set.emplace_back(chain_variable, *other);
  attachment.notes.push_back(
      fmt::format("{} names '{}' already: it is loaded behind rnnadvisor's plugin. Two tools that "
                  "trace CUDA in one process can shut each other out; if one of them comes back "
                  "empty, use --mode calls or unset the variable",
                  variable, *other));
}

constexpr std::string_view off = "0";

void set_acceleration(const RecordingOptions& options, const Places& places, const Lookup& present,
                      Attachment& attachment) {
  const auto put = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      attachment.set.emplace_back(name, value);
    } else if (present(name)) {
      attachment.unset.emplace_back(name);
    }
  };
  const auto number = [](std::int64_t value) {
    return value > 0 ? std::to_string(value) : std::string();
  };
  const auto wanted = options.accelerate.value_or(AccelerateOptions{});
  put(variable::accelerate_memory, number(wanted.memory_bytes));
  put(variable::accelerate_budget_ms, number(wanted.budget_ms));
  put(variable::plan, wanted.plan.empty() ? "" : places.spool + "/" + spool::plan_name);
  put(variable::plan_only, wanted.plan_only ? "1" : "");
  put(variable::try_steps, number(wanted.try_steps));
  put(variable::try_end, wanted.try_end ? "1" : "");
  if (!wanted.changes) put(variable::changes, "");
  put(variable::record, !options.accelerate ? "" : wanted.record_calls ? "calls" : "choices");
  if (!acceleration_is_off(present)) {
    put(variable::accelerate, !options.accelerate  ? ""
                              : !wanted.algorithms ? "steps"
                              : wanted.numerics    ? "numerics"
                                                   : "exact");
  } else if (options.accelerate) {
    attachment.notes.push_back(fmt::format(
        "{}={} is set: the program keeps its own cuDNN algorithms. Unset it to accelerate",
        variable::accelerate, off));
  }
}

}  // namespace

bool acceleration_is_off(const Lookup& present) { return present(variable::accelerate) == off; }

Result<Attachment> attach(const RecordingOptions& options, const Places& places,
                          const Lookup& present) {
  if (auto checked = check(options); !checked) return fail(std::move(checked.error()));
  if (const auto spool = present(variable::spool); spool && !spool->empty()) {
    return fail(ErrorCode::unsupported,
                fmt::format("this environment records into '{}' already: {} is set", *spool,
                            variable::spool),
                "one recording at a time: leave out the inner `rnnadvisor profile` or `rnnadvisor "
                "accelerate`, or run "
                "`eval \"$(rnnadvisor env --unset)\"`");
  }
  if (places.plugin.find_first_of(" :") != std::string::npos) {
    return fail(ErrorCode::unsupported,
                fmt::format("the plugin lies in '{}', and the loader cannot preload a path with a "
                            "blank or a colon",
                            places.plugin),
                "install rnnadvisor elsewhere, or set RNNADVISOR_PLUGIN to a copy of the plugin");
  }

  Attachment attachment;
  auto& set = attachment.set;
  std::string preload_value = places.plugin;
  if (const auto others = present(preload)) {
    for (const auto other : preloaded(*others)) {
      if (!is_plugin(other)) preload_value += fmt::format(":{}", other);
    }
  }
  set.emplace_back(preload, preload_value);
  inject(attachment, present, variable::cuda_injection, variable::chain_cuda, places.plugin);
  inject(attachment, present, variable::nvtx_injection, variable::chain_nvtx, places.plugin);

  set.emplace_back(variable::spool, places.spool);
  set.emplace_back(variable::mode, mode_words[static_cast<std::size_t>(options.mode)]);
  // What is not set here may stand in the environment from another time.
  const auto number = [&](const char* name, std::int64_t value) {
    if (value > 0) {
      set.emplace_back(name, std::to_string(value));
    } else if (present(name)) {
      attachment.unset.emplace_back(name);
    }
  };
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) {
      set.emplace_back(name, value);
    } else if (present(name)) {
      attachment.unset.emplace_back(name);
    }
  };
  text(variable::capture, options.capture);
  number(variable::delay_ms, options.delay_ms);
  number(variable::duration_ms, options.duration_ms);
  number(variable::skip, options.skip);
  number(variable::iterations, options.iterations);
  number(variable::max_bytes, options.max_bytes);
  number(variable::buffer_bytes, options.buffer_bytes);
  number(variable::counter_interval_us, options.counter_interval_us);
  text(variable::counter_duration_ms, options.counter_duration_ms < 0
                                          ? std::string()
                                          : std::to_string(options.counter_duration_ms));
  text(variable::call_sites, options.call_sites ? "" : "off");
  text(variable::exceptions, options.exceptions ? "" : "off");
  text(variable::untraced_steps, options.untraced_steps ? "" : "0");
  text(variable::trace, fmt::format("{}", fmt::join(options.trace, ",")));
  set_acceleration(options, places, present, attachment);
  // Unlike the others it is a setting of people, too: detach() gives theirs back.
  if (!places.cupti.empty()) {
    set.emplace_back(variable::cupti_before, present(variable::cupti).value_or(""));
    set.emplace_back(variable::cupti, places.cupti);
  }
  return attachment;
}

Attachment detach(const Lookup& present) {
  Attachment attachment;
  if (const auto value = present(preload)) {
    std::vector<std::string_view> rest = preloaded(*value);
    const auto all = rest.size();
    std::erase_if(rest, is_plugin);
    if (rest.empty()) {
      attachment.unset.emplace_back(preload);
    } else if (rest.size() < all) {
      attachment.set.emplace_back(preload, fmt::format("{}", fmt::join(rest, ":")));
    }
  }
  for (const auto& [name, chain] : {std::pair{variable::cuda_injection, variable::chain_cuda},
                                    {variable::nvtx_injection, variable::chain_nvtx}}) {
    const auto value = present(name);
    if (!value || !is_plugin(*value)) continue;
    if (const auto other = present(chain)) {
      attachment.set.emplace_back(name, *other);
    } else {
      attachment.unset.emplace_back(name);
    }
  }
  if (const auto before = present(variable::cupti_before)) {
    if (before->empty()) {
      attachment.unset.emplace_back(variable::cupti);
    } else {
      attachment.set.emplace_back(variable::cupti, *before);
    }
  }
  for (const char* name : {variable::spool,
                           variable::mode,
                           variable::capture,
                           variable::delay_ms,
                           variable::duration_ms,
                           variable::skip,
                           variable::iterations,
                           variable::max_bytes,
                           variable::buffer_bytes,
                           variable::call_sites,
                           variable::exceptions,
                           variable::untraced_steps,
                           variable::trace,
                           variable::cupti_before,
                           variable::counter_interval_us,
                           variable::counter_duration_ms,
                           variable::chain_cuda,
                           variable::chain_nvtx,
                           variable::accelerate_memory,
                           variable::accelerate_budget_ms,
                           variable::try_steps,
                           variable::try_end,
                           variable::plan,
                           variable::plan_only,
                           variable::changes,
                           variable::record}) {
    if (present(name)) attachment.unset.emplace_back(name);
  }
  if (present(variable::accelerate) && !acceleration_is_off(present))
    attachment.unset.emplace_back(variable::accelerate);
  return attachment;
}

std::vector<std::string> with_attachment(std::vector<std::string> environment,
                                         const Attachment& attachment) {
  const auto remove = [&](std::string_view name) {
    std::erase_if(environment, [&](const std::string& entry) {
      return entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=';
    });
  };
  for (const auto& name : attachment.unset) remove(name);
  for (const auto& [name, value] : attachment.set) {
    remove(name);
    std::string& entry = environment.emplace_back(name);
    entry += '=';
    entry += value;
  }
  return environment;
}

}  // namespace rnnadvisor::launch
