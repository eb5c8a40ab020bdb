#include "profiler/plugin/process.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include "profiler/plugin/settings.h"

namespace rnnadvisor::plugin {
namespace {

std::int32_t first_number(const char* const* names) {
  for (; *names != nullptr; ++names) {
    if (variable(*names) != nullptr) {
      const std::int64_t value = number(*names, -1);
      if (value >= 0 && value <= 1 << 30) return static_cast<std::int32_t>(value);
    }
  }
  return -1;
}

}  // namespace

void describe_process(spool::Writer& writer) {
  auto& header = writer.header();
  static const char* const rank[] = {"RANK",     "OMPI_COMM_WORLD_RANK", "PMIX_RANK",
                                     "PMI_RANK", "SLURM_PROCID",         nullptr};
  static const char* const local[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "MPI_LOCALRANKID",
                                      "SLURM_LOCALID", nullptr};
  static const char* const world[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE",
                                      "SLURM_NTASKS", nullptr};
  header.rank = first_number(rank);
  header.local_rank = first_number(local);
  header.world_size = first_number(world);
  gethostname(header.host, sizeof header.host - 1);
  if (const auto length =
          readlink("/proc/self/exe", header.executable, sizeof header.executable - 1);
      length > 0)
    header.executable[length] = 0;
  if (const int file = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC); file >= 0) {
    const auto length = read(file, header.command_line, sizeof header.command_line - 1);
    header.command_line[length > 0 ? length : 0] = 0;
    close(file);
  }
  // What decides about cuDNN's RNNs, and what findings quote.
  static const char* const names[] = {"CUDA_VISIBLE_DEVICES",
                                      "CUDA_LAUNCH_BLOCKING",
                                      "CUBLAS_WORKSPACE_CONFIG",
                                      "TORCH_CUDNN_V8_API_DISABLED",
                                      "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
                                      "NVIDIA_TF32_OVERRIDE",
                                      "PYTORCH_CUDA_ALLOC_CONF",
                                      "PYTORCH_ALLOC_CONF",
                                      "CUDNN_LOGLEVEL_DBG",
                                      "CUDNN_LOGDEST_DBG",
                                      "TF_CUDNN_RNN_USE_AUTOTUNE",
                                      "TF_DEBUG_CUDNN_RNN",
                                      "TF_DEBUG_CUDNN_RNN_USE_TENSOR_OPS",
                                      "TF_DEBUG_CUDNN_RNN_ALGO",
                                      "TF_CUDNN_RESET_RND_GEN_STATE",
                                      "TF_USE_LEGACY_KERAS",
                                      "KERAS_BACKEND",
                                      "XLA_FLAGS",
                                      "CUDA_DEVICE_MAX_CONNECTIONS",
                                      "CUDA_MODULE_LOADING",
                                      nullptr};
  for (const char* const* name = names; *name != nullptr; ++name) {
    if (const char* value = variable(*name); value != nullptr)
      writer.add(spool::Environment{{}, writer.intern(*name), writer.intern(value)},
                 spool::Loss::other);
  }
}

}  // namespace rnnadvisor::plugin
