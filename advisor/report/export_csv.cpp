// Kernels and calls as CSV (RFC 4180).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <vector>

#include "advisor/report/export.h"
#include "core/base/text.h"
#include "profiler/kernels/classify.h"
#include "profiler/profile/tables.h"

namespace rnnadvisor::advisor {
namespace {

// Without what would drive the terminal that shows it.
std::string field(std::string_view raw) {
  std::string text = printable_lines(raw);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

// Collects lines and hands them on in large pieces.
class Lines {
 public:
  explicit Lines(const TextSink& sink) : sink_(sink) {}
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += "\r\n";
    if (text_.size() > 1U << 20U) flush();
  }
  bool flush() {
    if (open_ && !text_.empty()) open_ = sink_(text_);
    text_.clear();
    return open_;
  }
  bool open() const { return open_; }

 private:
  const TextSink& sink_;
  std::string text_;
  bool open_ = true;
};

const RnnCall* call_of(const Profile& profile, int index) {
  const auto at = static_cast<std::size_t>(index);
  return index >= 0 && at < profile.calls.size() ? &profile.calls[at] : nullptr;
}

const RnnConfig* config_of(const Profile& profile, const RnnCall* call) {
  if (call == nullptr) return nullptr;
  const auto at = static_cast<std::size_t>(call->configuration);
  return call->configuration >= 0 && at < profile.configurations.size()
             ? &profile.configurations[at].config
             : nullptr;
}

std::string collect(bool (*write)(const Profile&, const TextSink&), const Profile& profile) {
  std::string all;
  write(profile, [&](std::string_view text) {
    all += text;
    return true;
  });
  return all;
}

// What the kernels of one call come to.
struct CallKernels {
  std::int64_t count = 0, kernel_ns = 0, first_ns = 0, last_ns = 0;
  std::vector<int> names;  // distinct, in order of appearance
};

std::vector<CallKernels> kernels_by_call(const Profile& profile) {
  std::vector<CallKernels> calls(profile.calls.size());
  const auto& k = profile.kernels;
  for (std::size_t i = 0; i < k.size(); ++i) {
    if (call_of(profile, k.call[i]) == nullptr) continue;
    auto& call = calls[static_cast<std::size_t>(k.call[i])];
    if (call.count == 0) call.first_ns = k.start_ns[i];
    ++call.count;
    call.kernel_ns += k.end_ns[i] - k.start_ns[i];
    call.last_ns = std::max(call.last_ns, k.end_ns[i]);
    // A call has few names, and they alternate: the newest are looked at first.
    if (std::find(call.names.rbegin(), call.names.rend(), k.name[i]) == call.names.rend())
      call.names.push_back(k.name[i]);
  }
  return calls;
}

// One kernel, column by column as tables.h has them.
class KernelLine {
 public:
  explicit KernelLine(const Profile& profile) : p_(profile) {
    for (const auto& text : profile.strings) {
      names_.push_back(field(text));
      short_names_.push_back(field(short_kernel_name(text)));
    }
  }

  std::string header() {
    line_.clear();
    for_each(columns::kernels.columns, [&](const auto& column) {
      for (const auto& part : stored(column.kind)) add("{}{}", column.name, part.suffix);
      if (is(column, "name")) add("short_name");
      if (is(column, "call")) add("phase,configuration");
    });
    return line_;
  }

  const std::string& of(std::size_t kernel) {
    line_.clear();
    for_each(columns::kernels.columns, [&](const auto& column) {
      using Kind = std::decay_t<decltype(column.kind)>;
      const auto& value = cell(column.of, p_.kernels, kernel);
      if constexpr (columns::is_text_id<Kind>) {
        add("{}", text(names_, value));
        if (is(column, "name")) add("{}", text(short_names_, value));
      } else if constexpr (columns::is_duration<Kind>) {
        add("{}", value - cell(column.kind.begin, p_.kernels, kernel));
      } else if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
        add("{}", to_string(value));
      } else if constexpr (std::is_same_v<Kind, columns::Dimensions>) {
        add("{}", fmt::join(value, ","));
      } else {
        add("{}", value);
      }
      if (is(column, "call")) add_call(call_of(p_, p_.kernels.call[kernel]));
    });
    return line_;
  }

 private:
  template <class Column>
  static constexpr bool is(const Column& column, std::string_view name) {
    return column.name == name;
  }
  template <class... Args>
  void add(fmt::format_string<Args...> format, Args&&... args) {
    if (!line_.empty()) line_ += ',';
    fmt::format_to(std::back_inserter(line_), format, std::forward<Args>(args)...);
  }
  void add_call(const RnnCall* call) {
    const RnnConfig* config = config_of(p_, call);
    add("{}", call == nullptr ? std::string_view() : to_string(call->phase));
    add("{}", config == nullptr ? std::string() : field(config->id));
  }
  static std::string_view text(const std::vector<std::string>& texts, int id) {
    const auto at = static_cast<std::size_t>(id);
    return id >= 0 && at < texts.size() ? std::string_view(texts[at]) : std::string_view();
  }

  const Profile& p_;
  std::vector<std::string> names_, short_names_;  // as fields, of every text
  std::string line_;
};

}  // namespace

bool write_kernels_csv(const Profile& profile, const TextSink& sink) {
  Lines lines(sink);
  KernelLine line(profile);
  lines.add("{}", line.header());
  for (std::size_t i = 0; lines.open() && i < profile.kernels.size(); ++i)
    lines.add("{}", line.of(i));
  return lines.flush();
}

bool write_calls_csv(const Profile& profile, const TextSink& sink) {
  Lines lines(sink);
  lines.add(
      "call,configuration,phase,cell,algo,direction,data_type,math_type,input_size,hidden_size,"
      "proj_size,num_layers,"
      "batch_size,seq_length,repetition,status,host_start_ns,host_duration_ns,kernels,kernel_ns,"
      "gpu_ns,implementation,"
      "workspace_bytes,reserve_bytes,process,thread,device,stream,file,line,function,nvtx");
  const auto kernels = kernels_by_call(profile);
  for (std::size_t i = 0; lines.open() && i < profile.calls.size(); ++i) {
    const auto& call = profile.calls[i];
    const RnnConfig* c = config_of(profile, &call);
    std::string fields = ",,,,,,,,,,";
    if (c != nullptr) {
      fields = fmt::format("{},{},{},{},{},{},{},{},{},{},{}", to_string(c->cell),
                           to_string(c->algo), to_string(c->direction), to_string(c->data_type),
                           to_string(c->math_type), c->input_size, c->hidden_size, c->proj_size,
                           c->num_layers, c->batch_size, c->seq_length);
    }
    std::vector<std::string_view> names;
    for (const int name : kernels[i].names) names.push_back(profile.text(name));
    const auto ran = implementation_of(names, call.phase);
    // Without a trace the kernels of a call are not known, which is not the same as none.
    const std::string traced = kernels[i].count == 0
                                   ? ",,"
                                   : fmt::format("{},{},{}", kernels[i].count, kernels[i].kernel_ns,
                                                 kernels[i].last_ns - kernels[i].first_ns);
    // Where in the program it was made; a line of 0 is not known.
    const auto site = static_cast<std::size_t>(call.site);
    const CallSite where =
        call.site >= 0 && site < profile.call_sites.size() ? profile.call_sites[site] : CallSite{};
    const auto text = [&](int string) {
      return string < 0 ? std::string() : field(profile.text(string));
    };
    lines.add("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}", i,
              c == nullptr ? "" : field(c->id), to_string(call.phase), fields, call.repetition,
              call.status, call.host_start_ns, call.host_end_ns - call.host_start_ns, traced,
              ran ? model::to_string(*ran) : std::string_view(), call.workspace_bytes,
              call.reserve_bytes, call.process, call.thread, call.device, call.stream,
              text(where.file), where.line > 0 ? std::to_string(where.line) : std::string(),
              text(where.function), text(call.nvtx_path));
  }
  return lines.flush();
}

std::string write_kernels_csv(const Profile& profile) {
  return collect(write_kernels_csv, profile);
}
std::string write_calls_csv(const Profile& profile) { return collect(write_calls_csv, profile); }

}  // namespace rnnadvisor::advisor
