// A device description as TOML text.
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/device/device_spec.h"

namespace rnnadvisor {
namespace {

class Writer {
 public:
  std::string take() { return std::move(out_); }

  void comment(std::string_view text) {
    while (!text.empty()) {
      const auto end = text.find('\n');
      out_ += fmt::format("# {}\n", text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
  }
  void table(std::string_view name) { out_ += fmt::format("\n[{}]\n", name); }
  void element(std::string_view name) { out_ += fmt::format("\n[[{}]]\n", name); }
  void text(std::string_view key, std::string_view value) {
    if (!value.empty()) out_ += fmt::format("{} = {}\n", key, toml_quoted(value));
  }
  void integer(std::string_view key, std::int64_t value) {
    if (value != 0) out_ += fmt::format("{} = {}\n", key, value);
  }
  // The shortest digits that read back equal.
  void number(std::string_view key, double value) {
    if (value != 0) out_ += fmt::format("{} = {}\n", key, value);
  }
  void measured(std::string_view key, const std::optional<MeasuredValue>& value) {
    if (!value) return;
    table(fmt::format("measured.{}", key));
    out_ += fmt::format("value = {}\n", value->value);
    text("source", value->source);
  }

 private:
  std::string out_;
};

}  // namespace

std::string write_device_toml(const DeviceSpec& device, std::string_view comment) {
  Writer out;
  out.comment(comment);
  out.text("id", device.id);
  out.text("name", device.name);
  std::string aliases;
  for (const auto& alias : device.aliases)
    aliases += (aliases.empty() ? "" : ", ") + toml_quoted(alias);
  std::string text = out.take();
  if (!aliases.empty()) text += fmt::format("aliases = [{}]\n", aliases);
  out.text("architecture", device.architecture);
  out.text("compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor));
  out.integer("sm_count", device.sm_count);
  out.integer("memory_bytes", device.memory_bytes);
  out.integer("l2_bytes", device.l2_bytes);
  out.integer("shared_memory_per_sm", device.shared_memory_per_sm);
  out.integer("shared_memory_per_block", device.shared_memory_per_block);
  out.integer("registers_per_sm", device.registers_per_sm);
  out.number("memory_bandwidth", device.memory_bandwidth);
  out.number("boost_clock_hz", device.boost_clock_hz);
  out.text("source", device.source);
  if (device.fp32_flops > 0) {
    out.table("peak");
    out.number("fp64", device.fp64_flops);
    out.number("fp32", device.fp32_flops);
    out.number("tf32_tensor", device.tf32_tensor_flops);
    out.number("fp16", device.fp16_flops);
    out.number("fp16_tensor", device.fp16_tensor_flops);
    out.number("bf16_tensor", device.bf16_tensor_flops);
  }
  if (!device.cudnn_version.empty()) {
    out.table("measured");
    out.text("cudnn_version", device.cudnn_version);
  }
  out.measured("bandwidth", device.measured_bandwidth);
  out.measured("fp16_tensor", device.measured_fp16_tensor_flops);
  out.measured("kernel_launch_seconds", device.kernel_launch_seconds);
  out.measured("grid_sync_seconds", device.grid_sync_seconds);
  out.measured("persist_backward_hidden", device.persist_backward_hidden);
  text += out.take();
  for (const HiddenLimit& limit : device.hidden_limits) {
    out.element("hidden_limit");
    out.text("algo", to_string(limit.algo));
    out.text("cell", to_string(limit.cell));
    text += out.take();
    if (limit.backward) text += "backward = true\n";
    out.integer("accepted", limit.accepted);
    out.integer("rejected", limit.rejected);
    out.text("source", limit.source);
    text += out.take();
  }
  for (const PersistCrossover& crossover : device.crossovers) {
    out.element("crossover");
    out.text("cell", to_string(crossover.cell));
    out.text("data_type", to_string(crossover.data_type));
    out.integer("hidden_size", crossover.hidden_size);
    out.number("batch_forward", crossover.batch_forward);
    out.number("batch_training", crossover.batch_training);
    out.text("source", crossover.source);
    text += out.take();
  }
  return text;
}

}  // namespace rnnadvisor
