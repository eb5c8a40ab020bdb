#include "profiler/plugin/plan.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiler/plugin/driver.h"
#include "profiler/plugin/plugin.h"
#include "profiler/spool/plan.h"

namespace rnnadvisor::plugin {
namespace {

struct Plan {
  spool::PlanHeader header;
  spool::PlanEntry entries[spool::most_planned];
};
enum class State { unread, none, read };

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;  // of what follows
Plan plan;
State state = State::unread;
char refused_gpu[sizeof plan.header.gpu];  // the last that a note named
bool refused_version;

void refuse(const char* why) {
  char text[400];
  snprintf(text, sizeof text, "the plan is not used: %s; %s", why,
           settings().plan_only ? "every call keeps the program's own algorithm"
                                : "algorithms are measured as without it");
  note("plan-refused", text);
}

bool read_all(const char* path) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::size_t have = 0;
  auto* into = reinterpret_cast<char*>(&plan);
  while (have < sizeof plan) {
    const ssize_t got = read(file, into + have, sizeof plan - have);
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  close(file);
  const auto& h = plan.header;
  if (have < sizeof h || h.magic != spool::plan_magic || h.format != spool::format_version ||
      h.count > spool::most_planned || have < sizeof h + h.count * sizeof plan.entries[0] ||
      memchr(h.gpu, 0, sizeof h.gpu) == nullptr)
    return false;
  constexpr std::size_t before = offsetof(spool::PlanHeader, cudnn_version);
  return spool::hash_bytes(into + before, sizeof h - before + h.count * sizeof plan.entries[0]) ==
         h.checksum;
}

void read_plan() {
  state = State::none;
  if (settings().plan[0] == 0) return;
  if (read_all(settings().plan)) {
    state = State::read;
  } else {
    refuse("its file cannot be read whole");
  }
}

bool of_this_gpu(int device) {
  char name[sizeof plan.header.gpu] = {};
  const Driver* d = driver();
  CUdevice found{};
  if (d != nullptr && d->cuDeviceGet(&found, device) == CUDA_SUCCESS &&
      d->cuDeviceGetName(name, sizeof name - 1, found) == CUDA_SUCCESS &&
      strcmp(name, plan.header.gpu) == 0)
    return true;
  if (strcmp(name, refused_gpu) != 0 || name[0] == 0) {
    memcpy(refused_gpu, name, sizeof name);
    char text[320];
    snprintf(text, sizeof text, "it was made on %s, and this is %s", plan.header.gpu, name);
    refuse(text);
  }
  return false;
}

bool of_this_version(const CudnnLibrary& library) {
  const std::uint64_t version = library.cudnnGetVersion == nullptr ? 0 : library.cudnnGetVersion();
  if (version == plan.header.cudnn_version) return true;
  if (!refused_version) {
    refused_version = true;
    const auto part = [](std::uint64_t of, std::uint64_t unit, std::uint64_t count) {
      return static_cast<unsigned>(of / unit % count);
    };
    const std::uint64_t made = plan.header.cudnn_version;
    char text[320];
    snprintf(text, sizeof text, "it was made with cuDNN %u.%u.%u, and this is cuDNN %u.%u.%u",
             part(made, 10000, 1000), part(made, 100, 100), part(made, 1, 100),
             part(version, 10000, 1000), part(version, 100, 100), part(version, 1, 100));
    refuse(text);
  }
  return false;
}

}  // namespace

std::optional<Variant> planned(const CudnnLibrary& library, int device, std::uint64_t key) {
  const Locked locked(mutex);
  if (state == State::unread) read_plan();
  if (state != State::read || !of_this_gpu(device) || !of_this_version(library))
    return std::nullopt;
  for (std::uint32_t i = 0; i < plan.header.count; ++i) {
    const auto& entry = plan.entries[i];
    if (entry.key == key && entry.algo >= 0 && entry.algo < variant_codes / 2)
      return Variant{entry.algo, entry.converts != 0};
  }
  return std::nullopt;
}

void plan_in_child() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof fresh);
  state = State::unread;
  refused_gpu[0] = 0;
  refused_version = false;
}

}  // namespace rnnadvisor::plugin
