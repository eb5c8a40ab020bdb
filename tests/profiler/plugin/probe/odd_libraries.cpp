// Stands between the plugin and the functions that it looks up by name, as if the libraries were
// others than ours. For the plugin alone: what the program calls is as it was.
// LACKS=NAME,…: functions that are not there.
// REFUSES=NAME:FROM:STATUS,…: functions that answer STATUS instead of doing anything, from the
// plugin's FROM-th call of them on.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <atomic>

namespace {

using Dlsym = void* (*)(void*, const char*);
// More than any of these functions takes; on both architectures whole numbers and real ones are
// counted apart, and what is passed on behind the last is not looked at.
using Word = uint64_t;
using Function = long (*)(double, double, double, Word, Word, Word, Word, Word, Word, Word, Word,
                          Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word, Word);

// What comes behind NAME in the list that a variable holds; null: it is not in it.
const char* behind(const char* variable, const char* name) {
  const size_t length = strlen(name);
  const char* list = getenv(variable);
  while (list != nullptr && *list != 0) {
    if (strncmp(list, name, length) == 0 && strchr(":,", list[length]) != nullptr)
      return list + length;
    list = strchr(list, ',');
    if (list != nullptr) ++list;
  }
  return nullptr;
}

struct Refusal {
  std::atomic<Function> function;
  int from, status;
  std::atomic<int> calls;
};
constexpr int most = 8;
Refusal refusals[most];
std::atomic<int> used{0};

template <int which>
long refusing(double x, double y, double z, Word a, Word b, Word c, Word d, Word e, Word f, Word g,
              Word h, Word i, Word j, Word k, Word l, Word m, Word n, Word o, Word p, Word q,
              Word r, Word s, Word t) {
  Refusal& one = refusals[which];
  if (one.calls.fetch_add(1) + 1 >= one.from) return one.status;
  return one.function.load()(x, y, z, a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t);
}
constexpr Function all_refusing[most] = {&refusing<0>, &refusing<1>, &refusing<2>, &refusing<3>,
                                         &refusing<4>, &refusing<5>, &refusing<6>, &refusing<7>};

void* refusing_instead(void* found, const char* plan) {
  const int which = used.fetch_add(1);
  if (which >= most) abort();
  Refusal& one = refusals[which];
  if (sscanf(plan, ":%d:%d", &one.from, &one.status) != 2) abort();
  one.function.store(reinterpret_cast<Function>(found));
  return reinterpret_cast<void*>(all_refusing[which]);
}

bool is_plugin(const void* caller) {
  Dl_info info{};
  return dladdr(caller, &info) != 0 && strstr(info.dli_fname, "rnnadvisor_plugin") != nullptr;
}

}  // namespace

// The plugin asks for the C library's by its version; odd_libraries.map gives it to this one.
extern "C" __attribute__((visibility("default"))) void* dlsym(void* library,
                                                              const char* name) noexcept {
  static std::atomic<Dlsym> known{nullptr};
  Dlsym next = known.load();
  if (next == nullptr) {
    for (const char* version : {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"}) {
      next = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
      if (next != nullptr) break;
    }
    known.store(next);
  }
  void* found = next(library, name);
  if (found == nullptr || !is_plugin(__builtin_return_address(0))) return found;
  if (behind("LACKS", name) != nullptr) return nullptr;
  const char* plan = behind("REFUSES", name);
  return plan == nullptr ? found : refusing_instead(found, plan);
}
